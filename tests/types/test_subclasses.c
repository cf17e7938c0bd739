/* SPDX-License-Identifier: MIT */
/* Which types derive from a type. */
#include "special.h"

#include "../../src/types/subclasses.h"

static Py_ssize_t
count_subclasses(PyTypeObject *type)
{
    PyObject *list = ouro_subclasses_list(type);
    Py_ssize_t count = PyList_Size(list);
    Py_XDECREF(list);
    return count;
}

static int
has_subclass(PyTypeObject *type, PyTypeObject *subclass)
{
    PyObject *list = ouro_subclasses_list(type);
    int found = PySequence_Contains(list, (PyObject *)subclass);
    Py_XDECREF(list);
    return found;
}

TEST_PY(static_subclasses_are_known)
{
    EXPECT_EQ(has_subclass(&PyLong_Type, &PyBool_Type), 1);
    EXPECT_EQ(has_subclass(&PyBaseObject_Type, &PyLong_Type), 1);
    EXPECT_EQ(has_subclass(&PyBaseObject_Type, &PyBool_Type), 0); /* not a direct one */
}

TEST_PY(heap_subclasses_are_known_while_they_live)
{
    PyTypeObject *first =
        class_with_methods("A", NULL, NULL); /* what static types it uses */
    Py_DECREF(first);
    PyGC_Collect();
    Py_ssize_t before = count_subclasses(&PyBaseObject_Type);
    PyTypeObject *base = class_with_methods("B", NULL, NULL);
    EXPECT_EQ(count_subclasses(&PyBaseObject_Type), before + 1);
    EXPECT_EQ(count_subclasses(base), 0);
    PyTypeObject *type = class_with_methods("T", base, NULL);
    PyTypeObject *number_like = class_with_methods("I", &PyLong_Type, NULL);
    EXPECT_EQ(has_subclass(base, type), 1);
    EXPECT_EQ(count_subclasses(&PyLong_Type), 2); /* bool, and this one */
    Py_DECREF(type);
    Py_DECREF(number_like);
    PyGC_Collect();
    EXPECT_EQ(count_subclasses(base), 0);
    EXPECT_EQ(count_subclasses(&PyLong_Type), 1);
    Py_DECREF(base);
    PyGC_Collect();
    EXPECT_EQ(count_subclasses(&PyBaseObject_Type), before);
}

TEST_PY(a_type_with_two_bases_is_known_to_both)
{
    PyTypeObject *a = class_with_methods("A", NULL, NULL);
    PyTypeObject *b = class_with_methods("B", NULL, NULL);
    PyObject *name = text("C"), *bases = PyTuple_Pack(2, a, b), *dict = PyDict_New();
    PyTypeObject *c = (PyTypeObject *)PyObject_CallFunctionObjArgs(
        (PyObject *)&PyType_Type, name, bases, dict, NULL);
    EXPECT_EQ(has_subclass(a, c), 1);
    EXPECT_EQ(has_subclass(b, c), 1);
    Py_DECREF(name);
    Py_DECREF(bases);
    Py_DECREF(dict);
    Py_DECREF(c);
    Py_DECREF(a);
    Py_DECREF(b);
}

TEST_PY(interpreters_do_not_see_the_heap_subclasses_of_others)
{
    PyTypeObject *type = class_with_methods("I", &PyLong_Type, NULL);
    PyThreadState *first = PyThreadState_Get();
    PyThreadState *second = Py_NewInterpreter();
    REQUIRE_NOT_NULL(second);
    EXPECT_EQ(count_subclasses(&PyLong_Type), 1);
    PyTypeObject *other = class_with_methods("J", &PyLong_Type, NULL);
    EXPECT_EQ(count_subclasses(&PyLong_Type), 2);
    Py_DECREF(other);
    Py_EndInterpreter(second);
    PyThreadState_Swap(first);
    EXPECT_EQ(has_subclass(&PyLong_Type, type), 1);
    EXPECT_EQ(count_subclasses(&PyLong_Type), 2);
    Py_DECREF(type);
}

static PyObject *
list_of_a_class(void)
{
    PyTypeObject *type = class_with_methods("I", &PyLong_Type, NULL);
    PyObject *list = type == NULL ? NULL : ouro_subclasses_list(&PyLong_Type);
    Py_XDECREF(type);
    return list;
}

TEST_PY(records_of_subclasses_do_not_pile_up)
{
    repeat_without_leak(list_of_a_class);
}

/* The first subclass of its interpreter: even the table of records must not stay behind. */
TEST_PY(a_subclass_that_there_is_no_memory_for_leaves_no_record_behind)
{
    Py_XDECREF(PyErr_NewException("t.E", NULL, NULL)); /* fills permanent caches */
    size_t before = blocks_in_use();
    for (int64_t n = 1; n < 1000 && OURO_DEBUG; n++) {
        ouro_fault_arm(n);
        PyObject *type = PyErr_NewException("t.E", NULL, NULL);
        ouro_fault_arm(0);
        bool is_done = type != NULL;
        Py_XDECREF(type);
        PyErr_Clear();
        EXPECT_EQ(blocks_in_use(), before);
        if (is_done) {
            return;
        }
    }
}

TEST_PY(a_type_that_dies_leaves_the_record_of_every_base)
{
    PyTypeObject *a = class_with_methods("A", NULL, NULL);
    PyTypeObject *b = class_with_methods("B", NULL, NULL);
    PyTypeObject *c = class_with_methods("C", NULL, NULL);
    PyObject *type =
        PyObject_CallFunction((PyObject *)&PyType_Type, "s(OOO){}", "T", a, b, c);
    REQUIRE_NOT_NULL(type);
    EXPECT_EQ(has_subclass(b, (PyTypeObject *)type), 1);
    EXPECT_EQ(has_subclass(c, (PyTypeObject *)type), 1);
    Py_DECREF(type);
    PyGC_Collect(); /* a type refers to itself in its MRO */
    EXPECT_NULL(a->tp_subclasses);
    EXPECT_NULL(b->tp_subclasses);
    EXPECT_NULL(c->tp_subclasses);
    Py_DECREF(a);
    Py_DECREF(b);
    Py_DECREF(c);
}

TEST_PY(a_type_that_dies_leaves_the_records_of_other_bases_alone)
{
    PyTypeObject *of_list = class_with_methods("L", &PyList_Type, NULL);
    PyTypeObject *of_dict = class_with_methods("D", &PyDict_Type, NULL);
    REQUIRE(of_list != NULL && of_dict != NULL);
    EXPECT_EQ(has_subclass(&PyList_Type, of_list), 1);
    Py_DECREF(of_list);
    PyGC_Collect(); /* a type refers to itself in its MRO */
    EXPECT_EQ(has_subclass(&PyDict_Type, of_dict), 1);
    Py_DECREF(of_dict);
}

TEST_PY(a_type_that_dies_without_memory_leaves_the_record_of_its_base)
{
    if (!OURO_DEBUG) {
        SKIP("allocations fail in debug builds only");
    }
    Py_XDECREF(PyErr_NewException("t.E", NULL, NULL)); /* fills permanent caches */
    size_t before = blocks_in_use();
    Py_XDECREF(PyErr_NewException("t.E", NULL, NULL)); /* lives on in its MRO */
    ouro_fault_arm_from(1);
    PyGC_Collect();
    EXPECT_GT(ouro_fault_seen(), 0);
    ouro_fault_arm(0);
    EXPECT_EQ(blocks_in_use(), before);
}
