/* SPDX-License-Identifier: MIT */
#include "differential.h"

struct holder {
    struct node node;
    int count;
    double ratio;
};

static PyObject *
get_double(PyObject *self, void *closure)
{
    return number(((struct holder *)self)->count * (closure != NULL ? 3 : 2));
}

static int
set_double(PyObject *self, PyObject *value, void *closure)
{
    (void)closure;
    if (value == NULL) {
        PyErr_SetString(PyExc_AttributeError, "cannot delete it");
        return -1;
    }
    long whole = PyLong_AsLong(value);
    if (whole == -1 && PyErr_Occurred()) {
        return -1;
    }
    ((struct holder *)self)->count = (int)whole / 2;
    return 0;
}

static PyObject *
describe(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    return PyUnicode_FromFormat("holder of %d", ((struct holder *)self)->count);
}

static PyObject *
of_class(PyObject *class, PyObject *ignored)
{
    (void)ignored;
    return PyUnicode_FromString(((PyTypeObject *)class)->tp_name);
}

static PyObject *
of_nobody(PyObject *self, PyObject *argument)
{
    return PyUnicode_FromFormat("%d %R", self == NULL, argument);
}

static PyMethodDef methods[] = {{"describe", describe, METH_NOARGS, "Says what it is."},
                                {"of_class", of_class, METH_NOARGS | METH_CLASS, NULL},
                                {"of_nobody", of_nobody, METH_O | METH_STATIC, NULL},
                                {NULL, NULL, 0, NULL}};
static PyMemberDef members[] = {
    {"count", Py_T_INT, offsetof(struct holder, count), 0, NULL},
    {"fixed", Py_T_INT, offsetof(struct holder, count), Py_READONLY, NULL},
    {"a", Py_T_OBJECT_EX, offsetof(struct node, a), 0, NULL},
    {NULL, 0, 0, 0, NULL}};
static PyGetSetDef getset[] = {{"double", get_double, set_double, "twice", NULL},
                               {"triple", get_double, NULL, NULL, (void *)1},
                               {NULL, NULL, NULL, NULL, NULL}};
static PyTypeObject Holder_Type = {NODE_SLOTS("Holder"), .tp_clear = node_clear,
                                   .tp_methods = methods, .tp_members = members,
                                   .tp_getset = getset};

static void
set(PyObject *x, const char *name, PyObject *value)
{
    int result = value == NULL ? PyObject_DelAttrString(x, name)
                               : PyObject_SetAttrString(x, name, value);
    trace("%s %s: %d", value == NULL ? "delete" : "set", name, result);
    trace_error(name);
}

PROGRAM("methods, members and computed attributes of a type")
{
    Holder_Type.tp_basicsize = sizeof(struct holder);
    ready(&Holder_Type);
    PyObject *x = must(PyType_GenericAlloc(&Holder_Type, 0));
    PyObject *five = number(5),
             *huge = must(PyLong_FromString("99999999999999999999", NULL, 10));
    PyObject *word = text("word");
    set(x, "count", five);
    trace_repr("count", PyObject_GetAttrString(x, "count"));
    set(x, "count", word);
    set(x, "count", huge);
    set(x, "count", NULL);
    set(x, "fixed", five);
    set(x, "fixed", NULL);
    trace_repr("double", PyObject_GetAttrString(x, "double"));
    set(x, "double", five);
    trace_repr("triple", PyObject_GetAttrString(x, "triple"));
    set(x, "triple", five);
    set(x, "double", NULL);
    set(x, "double", word);
    trace_repr("a", PyObject_GetAttrString(x, "a"));
    set(x, "a", x);
    trace("a is x: %d", NODE(x)->a == x);
    set(x, "a", NULL);
    set(x, "a", NULL);
    set(x, "describe", five);
    trace("set missing: %d", PyObject_SetAttrString(x, "missing", five));
    trace_error_since(0x030D0000, "set missing");
    trace("delete missing: %d", PyObject_DelAttrString(x, "missing"));
    trace_error_since(0x030D0000, "delete missing");
    PyObject *name = text("describe");
    trace_repr("call", PyObject_CallMethodNoArgs(x, name));
    trace_repr("call with too many", PyObject_CallMethodOneArg(x, name, five));
    Py_DECREF(name);
    name = text("of_class");
    trace_repr("class method", PyObject_CallMethodNoArgs(x, name));
    trace_repr("class method of the class",
               PyObject_CallMethodNoArgs((PyObject *)&Holder_Type, name));
    Py_DECREF(name);
    name = text("of_nobody");
    trace_repr("static method", PyObject_CallMethodOneArg(x, name, five));
    Py_DECREF(name);
    name = text("missing");
    trace_repr("missing method", PyObject_CallMethodNoArgs(x, name));
    Py_DECREF(name);
    PyObject *unbound =
        must(PyObject_GetAttrString((PyObject *)&Holder_Type, "describe"));
    trace_repr("unbound", PyObject_CallOneArg(unbound, x));
    trace_repr("unbound, wrong", PyObject_CallOneArg(unbound, five));
    trace_repr("unbound, nothing", PyObject_CallNoArgs(unbound));
    trace_str("doc", PyObject_GetAttrString(unbound, "__doc__"));
    Py_DECREF(unbound);
    trace("static types are immutable: %d",
          PyObject_SetAttrString((PyObject *)&Holder_Type, "new", five));
    trace_error("static types are immutable");
    trace_repr("attribute name", PyObject_GetAttr(x, five));
    PyObject *bound = must(PyObject_GetAttrString(x, "describe"));
    set(x, "a", bound); /* a cycle through a bound method */
    Py_DECREF(bound);
    Py_DECREF(x);
    trace("found %zd", collect());
    Py_DECREF(five);
    Py_DECREF(huge);
    Py_DECREF(word);
    trace_notes("events");
}
