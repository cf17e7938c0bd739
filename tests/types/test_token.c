/* SPDX-License-Identifier: MIT */
/* Type tokens. */
#include "helpers.h"

static char token, other_token;

TEST_PY(a_token_finds_the_first_type_in_mro_order)
{
    PyTypeObject *base =
        make_type("t.Base", 0, Py_TPFLAGS_BASETYPE, SLOTS({Py_tp_token, &token}), NULL);
    PyTypeObject *type = make_plain_type("t.Sub", (PyObject *)base);
    PyTypeObject *found = NULL;
    Py_ssize_t count = Py_REFCNT(base);
    EXPECT_EQ(PyType_GetBaseByToken(type, &token, &found), 1);
    EXPECT_EQ(found, base);
    EXPECT_EQ(Py_REFCNT(base), count + 1);
    Py_DECREF(found);
    EXPECT_EQ(PyType_GetBaseByToken(base, &token, NULL), 1);
    EXPECT_EQ(PyType_GetBaseByToken(type, &other_token, &found), 0);
    EXPECT_NULL(found);
    EXPECT_EQ(PyType_GetSlot(base, Py_tp_token), &token);
    EXPECT_NULL(PyType_GetSlot(type, Py_tp_token)); /* not inherited */
    Py_DECREF(type);
    Py_DECREF(base);
}

TEST_PY(the_spec_itself_can_be_the_token)
{
    PyType_Spec spec = {"t.T", 0, 0, 0, SLOTS({Py_tp_token, Py_TP_USE_SPEC})};
    PyTypeObject *type = (PyTypeObject *)PyType_FromSpec(&spec);
    EXPECT_EQ(PyType_GetBaseByToken(type, &spec, NULL), 1);
    Py_DECREF(type);
}

TEST_PY(static_types_never_match)
{
    PyTypeObject *found = &PyList_Type;
    EXPECT_EQ(PyType_GetBaseByToken(&PyList_Type, &token, &found), 0);
    EXPECT_NULL(found);
    EXPECT_NULL(PyType_GetSlot(&PyList_Type, Py_tp_token));
}

TEST_PY(a_token_is_not_null_and_a_type_is_a_type, .mistakes = true)
{
    PyTypeObject *found = &PyList_Type;
    EXPECT_EQ(PyType_GetBaseByToken(&PyList_Type, NULL, &found), -1);
    EXPECT_NULL(found);
    EXPECT_ERROR(PyExc_SystemError, "PyType_GetBaseByToken called with token=NULL");
    found = &PyList_Type;
    PyObject *list = PyList_New(0);
    EXPECT_EQ(PyType_GetBaseByToken((PyTypeObject *)list, &token, &found), -1);
    EXPECT_NULL(found);
    EXPECT_ERROR(PyExc_TypeError, "expected a type, got a 'list' object");
    EXPECT_EQ(PyType_GetBaseByToken_DuringGC((PyTypeObject *)list, &token, &found), -1);
    EXPECT_NO_ERROR();
    EXPECT_EQ(PyType_GetBaseByToken_DuringGC(&PyList_Type, NULL, &found), -1);
    EXPECT_NO_ERROR();
    Py_DECREF(list);
}

TEST_PY(during_gc_the_result_is_borrowed, .mistakes = true)
{
    PyTypeObject *type = make_type("t.T", 0, 0, SLOTS({Py_tp_token, &token}), NULL);
    Py_ssize_t count = Py_REFCNT(type);
    PyTypeObject *found;
    EXPECT_EQ(PyType_GetBaseByToken_DuringGC(type, &token, &found), 1);
    EXPECT_EQ(found, type);
    EXPECT_EQ(Py_REFCNT(type), count);
    Py_DECREF(type);
}

TEST_PY(a_module_belongs_to_exactly_one_type, .mistakes = true)
{
    PyObject *module = PyList_New(0);
    Py_ssize_t count = Py_REFCNT(module);
    PyType_Spec spec = {"t.T", 0, 0, Py_TPFLAGS_BASETYPE, NO_SLOTS};
    PyTypeObject *type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
    EXPECT_EQ(PyType_GetModule(type), module);
    EXPECT_EQ(PyType_GetModule_DuringGC(type), module);
    EXPECT_EQ(Py_REFCNT(module), count + 1);
    PyTypeObject *sub = make_plain_type("t.Sub", (PyObject *)type);
    EXPECT_NULL(PyType_GetModule(sub));
    EXPECT_ERROR(PyExc_TypeError,
                 "PyType_GetModule: Type 't.Sub' has no associated module");
    EXPECT_NULL(PyType_GetModule(&PyList_Type));
    EXPECT_ERROR(PyExc_TypeError, "PyType_GetModule: Type 'list' is not a heap type");
    EXPECT_NULL(PyType_GetModule_DuringGC(&PyList_Type));
    EXPECT_NO_ERROR();
    Py_DECREF(sub);
    Py_DECREF(type);
    PyGC_Collect();
    EXPECT_EQ(Py_REFCNT(module), count);
    Py_DECREF(module);
}

TEST_PY(a_type_and_its_module_are_collected_together)
{
    PyObject *module = PyList_New(0);
    PyType_Spec spec = {"t.T", 0, 0, 0, NO_SLOTS};
    PyObject *type = PyType_FromModuleAndSpec(module, &spec, NULL);
    PyObject *weak = PyWeakref_NewRef(type, NULL);
    EXPECT_EQ(PyList_Append(module, type), 0);
    Py_DECREF(type);
    Py_DECREF(module);
    EXPECT_GE(PyGC_Collect(), 3);
    EXPECT_EQ(PyWeakref_IsDead(weak), 1);
    Py_DECREF(weak);
}
