/* SPDX-License-Identifier: MIT */
#include "differential.h"

#if PY_VERSION_HEX < 0x030C0000
SKIP_PROGRAM("Py_TPFLAGS_ITEMS_AT_END is new in 3.12")
#else

static int
items_traverse(PyObject *op, visitproc visit, void *arg)
{
    PyObject **items = PyObject_GetItemData(op);
    Py_VISIT(Py_TYPE(op));
    for (Py_ssize_t i = 0; i < Py_SIZE(op); i++) {
        Py_VISIT(items[i]);
    }
    return 0;
}

static int
items_clear(PyObject *op)
{
    PyObject **items = PyObject_GetItemData(op);
    for (Py_ssize_t i = 0; i < Py_SIZE(op); i++) {
        Py_CLEAR(items[i]);
    }
    return 0;
}

static void
items_dealloc(PyObject *op)
{
    PyTypeObject *type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    items_clear(op);
    note("dealloc of %zd", Py_SIZE(op));
    type->tp_free(op);
    Py_DECREF(type);
}

static PyType_Slot slots[] = {{Py_tp_dealloc, items_dealloc},
                              {Py_tp_traverse, items_traverse},
                              {Py_tp_clear, items_clear},
                              {0, NULL}};
static PyType_Spec spec = {"sample.Items", sizeof(PyVarObject), sizeof(PyObject *),
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE |
                               Py_TPFLAGS_ITEMS_AT_END,
                           slots};
static PyType_Slot sub_slots[] = {{0, NULL}};
static PyType_Spec sub_spec = {"sample.Sub", -16, 0, Py_TPFLAGS_DEFAULT, sub_slots};

static void
use(PyTypeObject *type)
{
    PyObject *x = must(PyType_GenericAlloc(type, 3));
    PyObject **items = PyObject_GetItemData(x);
    trace("%s: %zd items at %zd", type->tp_name, Py_SIZE(x),
          (Py_ssize_t)((char *)items - (char *)x));
    items[0] = Py_NewRef(x);
    items[2] = Py_NewRef(Py_None);
    trace("referents %zd", count_of(get_referents(x)));
    Py_DECREF(x);
    trace("found %zd", collect());
    trace_notes("events");
}

PROGRAM("a var-sized type whose items stand behind the data of its subtypes")
{
    PyObject *type = must(PyType_FromSpec(&spec));
    use((PyTypeObject *)type);
    PyObject *sub = must(PyType_FromSpecWithBases(&sub_spec, type));
    trace("flag inherited %d",
          PyType_HasFeature((PyTypeObject *)sub, Py_TPFLAGS_ITEMS_AT_END));
    use((PyTypeObject *)sub);
    /* extending a var-sized type without the flag is refused */
    PyObject *bad = PyType_FromSpecWithBases(&sub_spec, (PyObject *)&PyTuple_Type);
    trace("extending tuple: %d", bad != NULL);
    trace_error("extending tuple");
    Py_DECREF(sub);
    Py_DECREF(type);
}
#endif
