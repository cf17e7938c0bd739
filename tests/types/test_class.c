/* SPDX-License-Identifier: MIT */
/* type(name, bases, dict). */
#include "helpers.h"

static PyObject *
call_type(const char *name, PyObject *bases, PyObject *dict)
{
    PyObject *text = PyUnicode_FromString(name);
    PyObject *result =
        PyObject_CallFunctionObjArgs((PyObject *)&PyType_Type, text, bases, dict, NULL);
    Py_DECREF(text);
    return result;
}

/* A class with bases (stolen) and __slots__ (borrowed; NULL: none). */
static PyTypeObject *
make_class(const char *name, PyObject *bases, PyObject *slots)
{
    PyObject *dict = PyDict_New();
    if (slots != NULL) {
        PyDict_SetItemString(dict, "__slots__", slots);
    }
    PyObject *result = call_type(name, bases, dict);
    Py_DECREF(dict);
    Py_DECREF(bases);
    return (PyTypeObject *)result;
}

TEST_PY(a_class_has_a_dict_and_weak_references)
{
    PyTypeObject *type = make_class("C", PyTuple_New(0), NULL);
    REQUIRE_NOT_NULL(type);
    EXPECT(PyType_IS_GC(type));
    EXPECT(PyType_HasFeature(type, Py_TPFLAGS_MANAGED_DICT));
    PyObject *op = make_instance(type);
    EXPECT_EQ(PyObject_SetAttrString(op, "x", Py_True), 0);
    PyObject *weak = PyWeakref_NewRef(op, NULL);
    EXPECT_NOT_NULL(weak);
    PyObject *dict = PyObject_GetAttrString(op, "__dict__");
    EXPECT_EQ(PyDict_Size(dict), 1);
    Py_XDECREF(dict);
    Py_DECREF(op);
    EXPECT_EQ(PyWeakref_IsDead(weak), 1);
    Py_XDECREF(weak);
    Py_DECREF(type);
}

TEST_PY(a_cycle_through_an_instance_dict_is_collected)
{
    PyTypeObject *type = make_class("C", PyTuple_New(0), NULL);
    PyObject *op = make_instance(type);
    PyObject *weak = PyWeakref_NewRef(op, NULL);
    EXPECT_EQ(PyObject_SetAttrString(op, "self", op), 0);
    Py_DECREF(op);
    EXPECT_EQ(PyGC_Collect(), 2);
    EXPECT_EQ(PyWeakref_IsDead(weak), 1);
    Py_DECREF(weak);
    Py_DECREF(type);
}

TEST_PY(a_class_and_its_instances_are_collected_together)
{
    PyTypeObject *type = make_class("C", PyTuple_New(0), NULL);
    PyObject *weak = PyWeakref_NewRef((PyObject *)type, NULL);
    PyObject *op = make_instance(type);
    EXPECT_EQ(PyObject_SetAttrString((PyObject *)type, "one", op), 0);
    Py_DECREF(op);
    Py_DECREF(type);
    EXPECT_GE(PyGC_Collect(), 3);
    EXPECT_EQ(PyWeakref_IsDead(weak), 1);
    Py_DECREF(weak);
}

TEST_PY(slots_replace_the_dict)
{
    PyObject *slots =
        PyTuple_Pack(2, PyUnicode_InternFromString("a"), PyUnicode_InternFromString("b"));
    PyTypeObject *type = make_class("C", PyTuple_New(0), slots);
    REQUIRE_NOT_NULL(type);
    EXPECT_EQ(type->tp_basicsize, 32);
    EXPECT_EQ(type->tp_dictoffset, 0);
    PyObject *op = make_instance(type);
    EXPECT_EQ(PyObject_SetAttrString(op, "a", op), 0); /* a cycle */
    EXPECT_EQ(PyObject_SetAttrString(op, "c", op), -1);
    EXPECT_RAISED(PyExc_AttributeError);
    Py_DECREF(op);
    EXPECT_EQ(PyGC_Collect(), 1);
    op = make_instance(type);
    PyObject *value = PyList_New(0);
    EXPECT_EQ(PyObject_SetAttrString(op, "b", value), 0);
    Py_DECREF(op);
    EXPECT_EQ(Py_REFCNT(value), 1);
    Py_DECREF(value);
    Py_DECREF(type);
    for (int i = 0; i < 2; i++) { /* PyTuple_Pack took its own references */
        Py_DECREF(PyTuple_GET_ITEM(slots, i));
    }
    Py_DECREF(slots);
}

TEST_PY(a_cycle_through_a_single_slot_is_freed)
{
    PyObject *name = PyUnicode_InternFromString("a"), *slots = PyTuple_Pack(1, name);
    PyTypeObject *type = make_class("C", PyTuple_New(0), slots);
    REQUIRE_NOT_NULL(type);
    Py_ssize_t before = Py_REFCNT(type);
    PyObject *op = make_instance(type);
    EXPECT_EQ(Py_REFCNT(type), before + 1);
    EXPECT_EQ(PyObject_SetAttrString(op, "a", op), 0);
    Py_DECREF(op);
    EXPECT_EQ(PyGC_Collect(), 1);
    EXPECT_EQ(Py_REFCNT(type), before);
    Py_DECREF(type);
    Py_DECREF(slots);
    Py_DECREF(name);
}

TEST_PY(bad_slots_are_refused)
{
    PyObject *text = PyUnicode_FromString("__dict__");
    PyObject *twice = PyTuple_Pack(2, text, text);
    EXPECT_NULL(make_class("C", PyTuple_New(0), twice));
    EXPECT_ERROR(PyExc_TypeError, "__dict__ slot disallowed: we already got one");
    PyObject *number = PyTuple_Pack(1, Py_None);
    EXPECT_NULL(make_class("C", PyTuple_New(0), number));
    EXPECT_ERROR(PyExc_TypeError, "__slots__ items must be strings, not 'NoneType'");
    PyObject *x = PyUnicode_FromString("x");
    EXPECT_NULL(make_class("C", PyTuple_Pack(1, &PyTuple_Type), x));
    EXPECT_ERROR(PyExc_TypeError,
                 "nonempty __slots__ not supported for subtype of 'tuple'");
    Py_DECREF(x);
    Py_DECREF(number);
    Py_DECREF(twice);
    Py_DECREF(text);
}

TEST_PY(a_class_can_extend_a_builtin_container)
{
    PyTypeObject *type = make_class("L", PyTuple_Pack(1, &PyList_Type), NULL);
    REQUIRE_NOT_NULL(type);
    PyObject *op = make_instance(type);
    REQUIRE_NOT_NULL(op);
    EXPECT(PyList_Check(op));
    EXPECT_EQ(PyList_Append(op, op), 0);
    EXPECT_EQ(PyObject_SetAttrString(op, "x", op), 0);
    Py_DECREF(op);
    EXPECT_EQ(PyGC_Collect(), 2);
    Py_DECREF(type);
}

TEST_PY(wrong_arguments_are_refused)
{
    PyObject *dict = PyDict_New(), *tuple = PyTuple_New(0);
    EXPECT_NULL(call_type("C", dict, dict));
    EXPECT_ERROR(PyExc_TypeError, "type.__new__() argument 2 must be tuple, not dict");
    EXPECT_NULL(call_type("C", tuple, tuple));
    EXPECT_ERROR(PyExc_TypeError, "type.__new__() argument 3 must be dict, not tuple");
    Py_DECREF(tuple);
    Py_DECREF(dict);
}

TEST_PY(qualname_moves_from_the_dict_to_the_class)
{
    PyObject *dict = PyDict_New(), *tuple = PyTuple_New(0);
    PyObject *name = PyUnicode_FromString("Outer.C");
    PyDict_SetItemString(dict, "__qualname__", name);
    PyTypeObject *type = (PyTypeObject *)call_type("C", tuple, dict);
    REQUIRE_NOT_NULL(type);
    EXPECT_TEXT(PyType_GetQualName(type), "Outer.C");
    EXPECT_EQ(PyDict_ContainsString(type->tp_dict, "__qualname__"), 0);
    EXPECT_EQ(PyDict_ContainsString(dict, "__qualname__"), 1);
    Py_DECREF(type);
    Py_DECREF(name);
    Py_DECREF(tuple);
    Py_DECREF(dict);
}

TEST_PY(a_doc_that_has_no_utf8_is_refused)
{
    PyObject *dict = PyDict_New(), *bases = PyTuple_New(0);
    PyObject *doc = PyUnicode_FromOrdinal(0xD800);
    REQUIRE_EQ(PyDict_SetItemString(dict, "__doc__", doc), 0);
    EXPECT_NULL(call_type("C", bases, dict));
    EXPECT(PyErr_ExceptionMatches(PyExc_UnicodeEncodeError));
    PyErr_Clear();
    Py_DECREF(doc);
    Py_DECREF(bases);
    Py_DECREF(dict);
}

TEST_PY(an_attribute_of_the_metatype_is_borrowed_from_it)
{
    PyObject *dict = PyDict_New(), *bases = PyTuple_Pack(1, &PyType_Type);
    PyObject *list = PyList_New(0), *name = PyUnicode_FromString("C");
    PyDict_SetItemString(dict, "x", list);
    PyObject *meta = call_type("M", bases, dict);
    REQUIRE_NOT_NULL(meta);
    PyDict_Clear(dict);
    PyObject *none = PyTuple_New(0);
    PyObject *type = PyObject_CallFunctionObjArgs(meta, name, none, dict, NULL);
    REQUIRE_NOT_NULL(type);
    Py_ssize_t before = Py_REFCNT(list);
    PyObject *found = PyObject_GetAttrString(type, "x");
    EXPECT_EQ(found, list);
    Py_XDECREF(found);
    EXPECT_EQ(Py_REFCNT(list), before);
    Py_DECREF(type);
    Py_DECREF(meta);
    Py_DECREF(none);
    Py_DECREF(name);
    Py_DECREF(list);
    Py_DECREF(bases);
    Py_DECREF(dict);
}
