/* SPDX-License-Identifier: MIT */
/* If memory runs out at any step of making a type, MemoryError is raised and nothing leaks. Also
 * reasons that are raised later. */
#include "../../src/base/fault.h"
#include "../../src/types/failure.h"
#include "helpers.h"

static PyObject *
nothing(PyObject *self, PyObject *args)
{
    (void)self, (void)args;
    Py_RETURN_NONE;
}

static PyObject *
get_nothing(PyObject *self, void *closure)
{
    (void)self, (void)closure;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"plain", nothing, METH_NOARGS, NULL},
    {"of_class", nothing, METH_NOARGS | METH_CLASS, NULL},
    {"of_nobody", nothing, METH_NOARGS | METH_STATIC, NULL},
    {NULL, NULL, 0, NULL},
};
static PyMemberDef members[] = {
    {"ref", Py_T_OBJECT_EX, offsetof(struct node, ref), 0, NULL},
    {NULL, 0, 0, 0, NULL},
};
static PyGetSetDef getset[] = {
    {"computed", get_nothing, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

/* Run `make` with its n-th allocation failing, for every n. */
static void
fail_every_allocation(PyObject *(*make)(int n))
{
    for (int n = 1; n < 500; n++) {
        ouro_fault_arm(n);
        PyObject *made = make(n);
        bool failed = ouro_fault_seen() >= n;
        ouro_fault_arm(0);
        if (made == NULL) {
            EXPECT(failed);
            EXPECT_RAISED(PyExc_MemoryError);
        } else {
            EXPECT_NO_ERROR();
        }
        Py_XDECREF(made);
        PyGC_Collect();
        if (!failed) {
            return;
        }
    }
    EXPECT(!"it needs fewer allocations");
}

static PyTypeObject *some_base;

static PyObject *
make_from_spec(int n)
{
    (void)n;
    PyObject *bases = PyTuple_Pack(2, some_base, &PyBaseObject_Type);
    if (bases == NULL) {
        return NULL;
    }
    PyObject *type =
        (PyObject *)make_type("test.Made", sizeof(struct node), 0,
                              SLOTS({Py_tp_methods, methods}, {Py_tp_members, members},
                                    {Py_tp_getset, getset}, {Py_tp_doc, "text"}),
                              bases);
    Py_DECREF(bases);
    return type;
}

TEST_PY(a_heap_type_without_memory_is_a_memory_error)
{
    if (!OURO_DEBUG) {
        SKIP("allocations fail on purpose in debug builds only");
    }
    some_base = make_plain_type("test.Base", NULL);
    Py_ssize_t before = Py_REFCNT(some_base);
    Py_XDECREF(make_from_spec(0));
    PyGC_Collect();
    fail_every_allocation(make_from_spec);
    EXPECT_EQ(Py_REFCNT(some_base), before);
    Py_DECREF(some_base);
}

static PyObject *class_arguments;

static PyObject *
make_by_call(int n)
{
    (void)n;
    PyObject *type = PyObject_Call((PyObject *)&PyType_Type, class_arguments, NULL);
    if (type != NULL) {
        EXPECT_STR(((PyTypeObject *)type)->tp_doc, "slot");
    }
    return type;
}

TEST_PY(a_class_without_memory_is_a_memory_error)
{
    if (!OURO_DEBUG) {
        SKIP("allocations fail on purpose in debug builds only");
    }
    PyObject *name = PyUnicode_FromString("Made"), *slot = PyUnicode_FromString("slot");
    PyObject *dict = PyDict_New(), *bases = PyTuple_New(0);
    PyDict_SetItemString(dict, "__slots__", slot);
    PyDict_SetItemString(dict, "__doc__", slot);
    class_arguments = PyTuple_Pack(3, name, bases, dict);
    Py_XDECREF(make_by_call(0));
    fail_every_allocation(make_by_call);
    Py_DECREF(class_arguments);
    Py_DECREF(bases);
    Py_DECREF(dict);
    Py_DECREF(slot);
    Py_DECREF(name);
}

static PyTypeObject static_types[500];

static PyObject *
make_static(int n)
{
    PyTypeObject *type = &static_types[n];
    *type = (PyTypeObject){PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Static",
                           .tp_basicsize = sizeof(struct node),
                           .tp_doc = "text",
                           .tp_methods = methods,
                           .tp_members = members,
                           .tp_getset = getset};
    return PyType_Ready(type) < 0 ? NULL : (PyObject *)type;
}

TEST_PY(a_static_type_without_memory_is_a_memory_error_and_can_be_tried_again)
{
    if (!OURO_DEBUG) {
        SKIP("allocations fail on purpose in debug builds only");
    }
    fail_every_allocation(make_static);
    for (int n = 1; n < 500 && static_types[n].tp_name != NULL; n++) {
        EXPECT_EQ(PyType_Ready(&static_types[n]), 0);
        EXPECT(PyDict_ContainsString(static_types[n].tp_dict, "computed"));
    }
}

/* --- reasons ------------------------------------------------------------------------------- */

TEST_PY(the_first_reason_is_raised)
{
    struct failure failure = {0};
    EXPECT(!ouro_fail(&failure, PyExc_TypeError, "the %s", "first"));
    EXPECT(!ouro_fail(&failure, PyExc_ValueError, "the second"));
    ouro_failure_raise(&failure);
    EXPECT_ERROR(PyExc_TypeError, "the first");
}

TEST_PY(without_a_reason_an_exception_that_is_pending_stays)
{
    struct failure failure = {0};
    PyErr_SetString(PyExc_ValueError, "pending");
    ouro_failure_raise(&failure);
    EXPECT_ERROR(PyExc_ValueError, "pending");
}

TEST_PY(without_a_reason_memory_is_missing)
{
    struct failure failure = {0};
    ouro_failure_raise(&failure);
    EXPECT(PyErr_ExceptionMatches(PyExc_MemoryError));
    PyErr_Clear();
}
