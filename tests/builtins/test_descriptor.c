/* SPDX-License-Identifier: MIT */
/* Descriptors made from the tables of a type. */
#include "../protocol.h"

typedef struct {
    PyObject_HEAD
    int count;
} thingobject;

static PyTypeObject *class_seen_by_method;

static PyObject *
thing_add(PyObject *self, PyObject *arg)
{
    long n = PyLong_AsLong(arg);
    if (n == -1 && PyErr_Occurred()) {
        return NULL;
    }
    ((thingobject *)self)->count += (int)n;
    return Py_NewRef(Py_None);
}

static PyObject *
thing_make(PyObject *cls, PyObject *Py_UNUSED(ignored))
{
    return PyObject_CallNoArgs(cls);
}

static PyObject *
thing_free_standing(PyObject *self, PyObject *arg)
{
    EXPECT_NULL(self);
    return Py_NewRef(arg);
}

static PyObject *
thing_defining(PyObject *self, PyTypeObject *cls, PyObject *const *Py_UNUSED(args),
               Py_ssize_t Py_UNUSED(nargs), PyObject *Py_UNUSED(kwnames))
{
    class_seen_by_method = cls;
    return Py_NewRef(self);
}

static PyObject *
thing_get_twice(PyObject *self, void *closure)
{
    return PyUnicode_FromFormat("%d %s", 2 * ((thingobject *)self)->count,
                                (char *)closure);
}

static PyMethodDef thing_methods[] = {
    {"add", thing_add, METH_O, "adds"},
    {"make", thing_make, METH_NOARGS | METH_CLASS, NULL},
    {"free", thing_free_standing, METH_O | METH_STATIC, NULL},
    {"defining", _PyCFunction_CAST(thing_defining),
     METH_METHOD | METH_FASTCALL | METH_KEYWORDS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyMemberDef thing_members[] = {
    {"count", Py_T_INT, offsetof(thingobject, count), 0, "how many"},
    {"fixed", Py_T_INT, offsetof(thingobject, count), Py_READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};
static PyGetSetDef thing_getset[] = {
    {"twice", thing_get_twice, NULL, "doubled", "closure"},
    {"hidden", NULL, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot thing_slots[] = {
    {Py_tp_methods, thing_methods},
    {Py_tp_members, thing_members},
    {Py_tp_getset, thing_getset},
    {0, NULL},
};
static PyType_Spec thing_spec = {"test.Thing", sizeof(thingobject), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, thing_slots};
static PyType_Spec derived_spec = {"test.DerivedThing", sizeof(thingobject), 0,
                                   Py_TPFLAGS_DEFAULT, (PyType_Slot[]){{0, NULL}}};

static PyObject *type, *derived, *thing;

static void
make_thing(void)
{
    type = PyType_FromSpec(&thing_spec);
    REQUIRE_NOT_NULL(type);
    derived = PyType_FromSpecWithBases(&derived_spec, type);
    REQUIRE_NOT_NULL(derived);
    thing = PyObject_CallNoArgs(derived);
    REQUIRE_NOT_NULL(thing);
}

static void
drop_thing(void)
{
    Py_CLEAR(thing);
    Py_CLEAR(derived);
    Py_CLEAR(type);
}

TEST_PY(methods_are_called_bound_and_unbound)
{
    make_thing();
    PyObject *five = number(5), *name = text("add");
    PyObject *bound = PyObject_GetAttr(thing, name), *bare = PyObject_GetAttr(type, name);
    EXPECT(PyCFunction_CheckExact(bound));
    EXPECT_EQ(Py_TYPE(bare), &PyMethodDescr_Type);
    EXPECT_EQ(PyObject_CallOneArg(bound, five), Py_None);
    EXPECT_EQ(PyObject_CallFunctionObjArgs(bare, thing, five, NULL), Py_None);
    EXPECT_EQ(PyObject_CallMethodOneArg(thing, name, five), Py_None);
    EXPECT_EQ(((thingobject *)thing)->count, 15);
    EXPECT_NULL(PyObject_CallNoArgs(bare));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "unbound method Thing.add() needs an argument");
    EXPECT_NULL(PyObject_CallFunctionObjArgs(bare, Py_None, five, NULL));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "descriptor 'add' for 'test.Thing' objects doesn't "
                       "apply to a 'NoneType' object");
    EXPECT_NULL(PyObject_CallOneArg(bare, thing));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "Thing.add() takes exactly one argument (0 given)");
    EXPECT_NULL(Py_TYPE(bare)->tp_descr_get(bare, Py_None, NULL));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "descriptor 'add' for 'test.Thing' objects doesn't "
                       "apply to a 'NoneType' object");
    Py_DECREF(bound);
    Py_DECREF(bare);
    Py_DECREF(name);
    drop_thing();
}

TEST_PY(class_methods_receive_the_class)
{
    make_thing();
    PyObject *name = text("make");
    PyObject *made = PyObject_CallMethodNoArgs(derived, name);
    EXPECT_EQ((PyObject *)Py_TYPE(made), derived);
    Py_DECREF(made);
    made = PyObject_CallMethodNoArgs(thing, name);
    EXPECT_EQ((PyObject *)Py_TYPE(made), derived);
    Py_DECREF(made);
    PyObject *descr = _PyType_Lookup((PyTypeObject *)type, name);
    EXPECT_EQ(Py_TYPE(descr), &PyClassMethodDescr_Type);
    made = PyObject_CallOneArg(descr, type);
    EXPECT_EQ((PyObject *)Py_TYPE(made), type);
    Py_DECREF(made);
    EXPECT_NULL(PyObject_CallOneArg(descr, thing));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "descriptor 'make' for type 'test.Thing' needs a "
                                        "type, not a 'test.DerivedThing' as arg 2");
    EXPECT_NULL(PyObject_CallOneArg(descr, (PyObject *)&PyList_Type));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "descriptor 'make' requires a subtype of "
                                        "'test.Thing' but received 'list'");
    EXPECT_NULL(Py_TYPE(descr)->tp_descr_get(descr, NULL, NULL));
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(name);
    drop_thing();
}

TEST_PY(static_methods_receive_nothing)
{
    make_thing();
    PyObject *name = text("free");
    EXPECT_EQ(PyObject_CallMethodOneArg(type, name, Py_True), Py_True);
    EXPECT_EQ(PyObject_CallMethodOneArg(thing, name, Py_True), Py_True);
    Py_DECREF(name);
    drop_thing();
}

TEST_PY(the_defining_class_reaches_methods_that_ask_for_it)
{
    make_thing();
    PyObject *name = text("defining");
    PyObject *bound = PyObject_GetAttr(thing, name);
    EXPECT(PyCMethod_CheckExact(bound));
    Py_XDECREF(PyObject_CallNoArgs(bound));
    EXPECT_EQ(class_seen_by_method, type);
    class_seen_by_method = NULL;
    Py_XDECREF(PyObject_CallMethodNoArgs(thing, name));
    EXPECT_EQ(class_seen_by_method, type);
    Py_DECREF(bound);
    Py_DECREF(name);
    drop_thing();
}

TEST_PY(members_and_getters_are_data_descriptors)
{
    make_thing();
    PyObject *seven = number(7);
    EXPECT_EQ(PyObject_SetAttrString(thing, "count", seven), 0);
    EXPECT_REPR_OF(PyObject_GetAttrString(thing, "count"), "7");
    EXPECT_REPR_OF(PyObject_GetAttrString(thing, "twice"), "'14 closure'");
    EXPECT_EQ(PyObject_SetAttrString(thing, "fixed", seven), -1);
    EXPECT_RAISED_TEXT(PyExc_AttributeError, "readonly attribute");
    EXPECT_EQ(PyObject_SetAttrString(thing, "twice", seven), -1);
    EXPECT_RAISED_TEXT(PyExc_AttributeError,
                       "attribute 'twice' of 'test.Thing' objects is not writable");
    EXPECT_NULL(PyObject_GetAttrString(thing, "hidden"));
    EXPECT_RAISED_TEXT(PyExc_AttributeError,
                       "attribute 'hidden' of 'test.Thing' objects is not readable");
    PyObject *member = PyObject_GetAttrString(type, "count");
    PyObject *getset = PyObject_GetAttrString(type, "twice");
    PyObject *method = PyObject_GetAttrString(type, "add");
    EXPECT_EQ(Py_TYPE(member), &PyMemberDescr_Type);
    EXPECT_EQ(Py_TYPE(getset), &PyGetSetDescr_Type);
    EXPECT_EQ(PyDescr_IsData(member), 1);
    EXPECT_EQ(PyDescr_IsData(getset), 1);
    EXPECT_EQ(PyDescr_IsData(method), 0);
    EXPECT_EQ(Py_TYPE(member)->tp_descr_set(member, Py_None, seven), -1);
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_EQ(Py_TYPE(getset)->tp_descr_set(getset, Py_None, seven), -1);
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_NULL(Py_TYPE(getset)->tp_descr_get(getset, Py_None, NULL));
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(member);
    Py_DECREF(getset);
    Py_DECREF(method);
    drop_thing();
}

TEST_PY(descriptors_describe_themselves)
{
    make_thing();
    PyObject *method = PyObject_GetAttrString(type, "add");
    EXPECT_REPR_OF(PyObject_GetAttrString(method, "__name__"), "'add'");
    EXPECT_REPR_OF(PyObject_GetAttrString(method, "__qualname__"), "'Thing.add'");
    EXPECT_REPR_OF(PyObject_GetAttrString(method, "__qualname__"), "'Thing.add'");
    EXPECT_REPR_OF(PyObject_GetAttrString(method, "__doc__"), "'adds'");
    EXPECT_EQ(PyDescr_TYPE(method), type);
    EXPECT_REPR_OF(method, "<method 'add' of 'test.Thing' objects>");
    PyObject *member = PyObject_GetAttrString(type, "count");
    EXPECT_REPR_OF(PyObject_GetAttrString(member, "__doc__"), "'how many'");
    EXPECT_REPR_OF(member, "<member 'count' of 'test.Thing' objects>");
    PyObject *getset = PyObject_GetAttrString(type, "twice");
    EXPECT_REPR_OF(PyObject_GetAttrString(getset, "__doc__"), "'doubled'");
    EXPECT_REPR_OF(getset, "<attribute 'twice' of 'test.Thing' objects>");
    PyObject *shared =
        PyObject_GetAttrString((PyObject *)&PySeqIter_Type, "__length_hint__");
    EXPECT_REPR_OF(PyObject_GetAttrString(shared, "__qualname__"),
                   "'iterator.__length_hint__'");
    EXPECT_NULL(((PyDescrObject *)shared)->d_qualname); /* all interpreters share it */
    drop_thing();
}

TEST_PY(a_descriptor_is_tracked_and_visits_its_type)
{
    make_thing();
    PyObject *descr = PyDescr_NewMethod((PyTypeObject *)type, &thing_methods[0]);
    EXPECT_EQ(PyObject_GC_IsTracked(descr), 1);
    Py_ssize_t before = Py_REFCNT(type);
    Py_DECREF(descr);
    EXPECT_EQ(Py_REFCNT(type), before - 1);
    PyMethodDef bad = {"bad", thing_add, METH_KEYWORDS, NULL};
    EXPECT_NULL(PyDescr_NewMethod((PyTypeObject *)type, &bad));
    EXPECT_RAISED_TEXT(PyExc_SystemError, "bad() method: bad call flags");
    drop_thing();
}

/* Data behind a base whose size is not known here. */
typedef struct {
    int first, second;
} tail;

static PyMemberDef relative_members[] = {
    {"second", Py_T_INT, offsetof(tail, second), Py_RELATIVE_OFFSET, NULL},
    {NULL, 0, 0, 0, NULL},
};
static PyType_Slot relative_slots[] = {{Py_tp_members, relative_members}, {0, NULL}};
static PyType_Spec relative_spec = {"test.Relative", -(int)sizeof(tail), 0,
                                    Py_TPFLAGS_DEFAULT, relative_slots};

TEST_PY(relative_members_count_from_the_data_of_their_type)
{
    make_thing();
    PyObject *relative = PyType_FromSpecWithBases(&relative_spec, type);
    REQUIRE_NOT_NULL(relative);
    PyObject *o = PyObject_CallNoArgs(relative), *n = number(9);
    EXPECT_EQ(PyObject_SetAttrString(o, "second", n), 0);
    tail *data = PyObject_GetTypeData(o, (PyTypeObject *)relative);
    EXPECT_EQ(data->second, 9);
    EXPECT_EQ(data->first, 0);
    EXPECT_REPR_OF(PyObject_GetAttrString(o, "second"), "9");
    /* The same made by hand. */
    PyObject *descr = PyDescr_NewMember((PyTypeObject *)relative, &relative_members[0]);
    EXPECT_REPR_OF(Py_TYPE(descr)->tp_descr_get(descr, o, NULL), "9");
    Py_DECREF(descr);
    Py_DECREF(o);
    Py_DECREF(relative);
    drop_thing();
}

static PyObject *
make_all_descriptors(void)
{
    static PyMemberDef member = {"x", Py_T_INT, 0, 0, NULL};
    static PyGetSetDef getset = {"x", NULL, NULL, NULL, NULL};
    PyObject *a = PyDescr_NewMember(&PyList_Type, &member);
    PyObject *b = a == NULL ? NULL : PyDescr_NewGetSet(&PyList_Type, &getset);
    PyObject *c = b == NULL ? NULL : PyDescr_NewMethod(&PyList_Type, &thing_methods[0]);
    PyObject *d =
        c == NULL ? NULL : PyDescr_NewClassMethod(&PyList_Type, &thing_methods[1]);
    Py_XDECREF(a);
    Py_XDECREF(b);
    Py_XDECREF(c);
    return d;
}

TEST_PY(making_descriptors_survives_any_failing_allocation)
{
    fail_each_allocation(make_all_descriptors);
}
