/* SPDX-License-Identifier: MIT */
/* `type` itself: calling, showing, attributes. */
#include "helpers.h"

TEST_PY(calling_type_with_one_argument_returns_its_type)
{
    PyObject *type = PyObject_CallOneArg((PyObject *)&PyType_Type, Py_None);
    EXPECT_EQ(type, (PyObject *)Py_TYPE(Py_None));
    Py_XDECREF(type);
}

TEST_PY(calling_type_needs_one_or_three_arguments)
{
    EXPECT_NULL(PyObject_CallNoArgs((PyObject *)&PyType_Type));
    EXPECT_ERROR(PyExc_TypeError, "type() takes 1 or 3 arguments");
}

static int inits;

static int
counting_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    (void)self, (void)args, (void)kwargs;
    inits++;
    return 0;
}

static int
failing_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    (void)self, (void)args, (void)kwargs;
    PyErr_SetString(PyExc_ValueError, "no");
    return -1;
}

static PyObject *
foreign_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    (void)type, (void)args, (void)kwargs;
    return Py_NewRef(Py_None);
}

TEST_PY(a_call_makes_and_initialises)
{
    PyTypeObject *type =
        make_type("t.T", 0, 0, SLOTS({Py_tp_init, (void *)counting_init}), NULL);
    PyObject *op = PyObject_CallOneArg((PyObject *)type, Py_None);
    EXPECT_EQ(Py_TYPE(op), type);
    EXPECT_EQ(inits, 1);
    Py_XDECREF(op);
    Py_DECREF(type);
}

TEST_PY(a_failing_init_destroys_the_object)
{
    PyTypeObject *type =
        make_type("t.T", 0, 0, SLOTS({Py_tp_init, (void *)failing_init}), NULL);
    Py_ssize_t count = Py_REFCNT(type);
    EXPECT_NULL(make_instance(type));
    EXPECT_ERROR(PyExc_ValueError, "no");
    EXPECT_EQ(Py_REFCNT(type), count);
    Py_DECREF(type);
}

TEST_PY(what_is_no_instance_is_not_initialised)
{
    PyTypeObject *type = make_type(
        "t.T", 0, 0,
        SLOTS({Py_tp_new, (void *)foreign_new}, {Py_tp_init, (void *)counting_init}),
        NULL);
    PyObject *op = make_instance(type);
    EXPECT(Py_IsNone(op));
    EXPECT_EQ(inits, 0);
    Py_DECREF(type);
}

TEST_PY(types_are_shown_with_their_module)
{
    PyTypeObject *type = make_plain_type("some.Thing", NULL);
    EXPECT_TEXT(PyObject_Repr((PyObject *)type), "<class 'some.Thing'>");
    EXPECT_TEXT(PyObject_Repr((PyObject *)&PyList_Type), "<class 'list'>");
    Py_DECREF(type);
}

TEST_PY(static_types_are_not_objects_of_the_collector)
{
    EXPECT(!PyObject_IS_GC((PyObject *)&PyList_Type));
    EXPECT(!PyObject_GC_IsTracked((PyObject *)&PyList_Type));
}

static int visits;

static int
count_visits(PyObject *op, void *arg)
{
    (void)arg;
    visits += op != NULL;
    return 0;
}

TEST_PY(type_visits_dict_mro_bases_base_and_module)
{
    PyType_Spec spec = {"t.T", 0, 0, 0, NO_SLOTS};
    PyObject *module = PyList_New(0);
    PyObject *type = PyType_FromModuleAndSpec(module, &spec, NULL);
    EXPECT_EQ(PyType_Type.tp_traverse(type, count_visits, NULL), 0);
    EXPECT_EQ(visits, 5);
    Py_DECREF(type);
    Py_DECREF(module);
}

TEST_PY(clearing_a_type_drops_dict_mro_and_module)
{
    PyType_Spec spec = {"t.T", 0, 0, 0, NO_SLOTS};
    PyObject *module = PyList_New(0);
    PyTypeObject *type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
    PyObject *op = make_instance(type);
    PyType_Type.tp_clear((PyObject *)type);
    EXPECT_NULL(type->tp_mro);
    EXPECT_EQ(PyDict_Size(type->tp_dict), 0);
    EXPECT_EQ(Py_REFCNT(module), 1);
    EXPECT(PyType_IsSubtype(type, &PyBaseObject_Type)); /* along tp_base */
    Py_DECREF(op);                                      /* and instances can still die */
    Py_DECREF(type);
    Py_DECREF(module);
}

/* --- attributes --------------------------------------------------------------------- */

TEST_PY(attributes_of_heap_types_can_be_set_and_deleted)
{
    PyTypeObject *type = make_plain_type("t.T", NULL);
    PyObject *self = (PyObject *)type;
    EXPECT_EQ(PyObject_SetAttrString(self, "x", Py_True), 0);
    PyObject *op = make_instance(type);
    PyObject *x = PyObject_GetAttrString(op, "x");
    EXPECT_EQ(x, Py_True);
    EXPECT_EQ(PyObject_DelAttrString(self, "x"), 0);
    EXPECT_NULL(PyObject_GetAttrString(op, "x"));
    EXPECT_RAISED(PyExc_AttributeError);
    EXPECT_EQ(PyObject_DelAttrString(self, "x"), -1);
    EXPECT_ERROR(PyExc_AttributeError, "type object 't.T' has no attribute 'x'");
    EXPECT_NULL(PyObject_GetAttrString(self, "x"));
    EXPECT_ERROR(PyExc_AttributeError, "type object 't.T' has no attribute 'x'");
    Py_DECREF(op);
    Py_DECREF(type);
}

TEST_PY(attributes_of_immutable_types_cannot_be_set)
{
    PyTypeObject *type = make_type("t.T", 0, Py_TPFLAGS_IMMUTABLETYPE, NO_SLOTS, NULL);
    EXPECT_EQ(PyObject_SetAttrString((PyObject *)type, "x", Py_True), -1);
    EXPECT_ERROR(PyExc_TypeError, "cannot set 'x' attribute of immutable type 't.T'");
    EXPECT_EQ(PyObject_DelAttrString((PyObject *)type, "x"), -1);
    EXPECT_ERROR(PyExc_TypeError, "cannot set 'x' attribute of immutable type 't.T'");
    EXPECT_EQ(PyObject_SetAttrString((PyObject *)&PyList_Type, "x", Py_True), -1);
    EXPECT_ERROR(PyExc_TypeError, "cannot set 'x' attribute of immutable type 'list'");
    Py_DECREF(type);
}

TEST_PY(an_attribute_name_is_a_str)
{
    EXPECT_NULL(PyType_Type.tp_getattro((PyObject *)&PyList_Type, Py_None));
    EXPECT_ERROR(PyExc_TypeError, "attribute name must be string, not 'NoneType'");
    EXPECT_EQ(PyType_Type.tp_setattro((PyObject *)&PyList_Type, Py_None, Py_None), -1);
    EXPECT_RAISED(PyExc_TypeError);
}

TEST_PY(a_frozen_type_is_immutable)
{
    PyTypeObject *base = make_plain_type("t.Base", NULL);
    PyTypeObject *type = make_plain_type("t.T", (PyObject *)base);
    EXPECT_EQ(PyType_Freeze(type), -1);
    EXPECT_ERROR(PyExc_TypeError, "Creating immutable type t.T from mutable base t.Base");
    EXPECT_EQ(PyType_Freeze(base), 0);
    EXPECT_EQ(PyType_Freeze(type), 0);
    EXPECT_EQ(PyObject_SetAttrString((PyObject *)type, "x", Py_True), -1);
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(type);
    Py_DECREF(base);
}

TEST_PY(types_have_the_usual_attributes)
{
    PyTypeObject *type = make_type("a.b.T", 32, 0, SLOTS({Py_tp_doc, "doc"}), NULL);
    PyObject *self = (PyObject *)type;
    EXPECT_TEXT(PyObject_GetAttrString(self, "__name__"), "T");
    EXPECT_TEXT(PyObject_GetAttrString(self, "__qualname__"), "T");
    EXPECT_TEXT(PyObject_GetAttrString(self, "__module__"), "a.b");
    EXPECT_TEXT(PyObject_GetAttrString(self, "__doc__"), "doc");
    PyObject *size = PyObject_GetAttrString(self, "__basicsize__");
    EXPECT_EQ(PyLong_AsLong(size), 32);
    Py_XDECREF(size);
    PyObject *mro = PyObject_GetAttrString(self, "__mro__");
    EXPECT_EQ(mro, type->tp_mro);
    Py_XDECREF(mro);
    PyObject *base = PyObject_GetAttrString(self, "__base__");
    EXPECT_EQ(base, (PyObject *)&PyBaseObject_Type);
    Py_XDECREF(base);
    Py_DECREF(type);
}

TEST_PY(a_heap_type_can_be_renamed)
{
    PyTypeObject *type = make_plain_type("t.T", NULL);
    PyObject *name = PyUnicode_FromString("New");
    EXPECT_EQ(PyObject_SetAttrString((PyObject *)type, "__name__", name), 0);
    EXPECT_EQ(PyObject_SetAttrString((PyObject *)type, "__qualname__", name), 0);
    EXPECT_STR(type->tp_name, "New");
    EXPECT_TEXT(PyType_GetQualName(type), "New");
    EXPECT_EQ(PyObject_SetAttrString((PyObject *)type, "__name__", Py_None), -1);
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_EQ(PyObject_DelAttrString((PyObject *)type, "__name__"), -1);
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(name);
    Py_DECREF(type);
}

TEST_PY(weak_references_to_static_types_work)
{
    PyObject *weak = PyWeakref_NewRef((PyObject *)&PyList_Type, NULL);
    EXPECT_NOT_NULL(weak);
    EXPECT_EQ(PyWeakref_IsDead(weak), 0);
    Py_XDECREF(weak);
}

TEST_PY(type_init_takes_one_or_three_arguments_and_keywords_only_with_three)
{
    PyObject *init = PyObject_GetAttrString((PyObject *)&PyType_Type, "__init__");
    PyObject *names = Py_BuildValue("{si}", "key", 1);
    PyObject *one = Py_BuildValue("(OO)", &PyLong_Type, Py_None);
    PyObject *two = Py_BuildValue("(OOO)", &PyLong_Type, Py_None, Py_None);
    PyObject *three = Py_BuildValue("(Os(){})", &PyLong_Type, "T");
    EXPECT_NULL(PyObject_Call(init, one, names));
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_NULL(PyObject_Call(init, two, NULL));
    EXPECT_RAISED(PyExc_TypeError);
    PyObject *done = PyObject_Call(init, one, NULL);
    EXPECT_EQ(done, Py_None);
    Py_XDECREF(done);
    done = PyObject_Call(init, three, names);
    EXPECT_EQ(done, Py_None);
    Py_XDECREF(done);
    Py_DECREF(three);
    Py_DECREF(two);
    Py_DECREF(one);
    Py_DECREF(names);
    Py_DECREF(init);
}
