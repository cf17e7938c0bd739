/* SPDX-License-Identifier: MIT */
/* ModuleSpec objects. */
#include "modules.h"

TEST_PY(a_spec_has_what_it_was_made_with)
{
    PyObject *name = text("spam"), *origin = text("here");
    PyObject *spec = Ouro_ModuleSpecNew(name, origin, 1);
    EXPECT_REPR_OF(PyObject_GetAttrString(spec, "name"), "'spam'");
    EXPECT_REPR_OF(PyObject_GetAttrString(spec, "loader"), "None");
    EXPECT_REPR_OF(PyObject_GetAttrString(spec, "has_location"), "True");
    EXPECT_REPR_OF(Py_NewRef(spec),
                   "ModuleSpec(name='spam', loader=None, origin='here')");
    EXPECT_EQ(PyObject_SetAttrString(spec, "loader", spec), 0); /* a cycle */
    PyObject *weak_name = Py_NewRef(name);
    Py_DECREF(spec);
    EXPECT_EQ(Py_REFCNT(name), 3);
    PyGC_Collect();
    EXPECT_EQ(Py_REFCNT(name), 2);
    Py_DECREF(weak_name);
    Py_DECREF(name);
    Py_DECREF(origin);
}
