/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *
get_seven(PyObject *self, void *closure)
{
    (void)self;
    (void)closure;
    return number(7);
}

static PyGetSetDef getset[] = {{"seven", get_seven, NULL, NULL, NULL},
                               {NULL, NULL, NULL, NULL, NULL}};
static PyMemberDef members[] = {{"a", Py_T_OBJECT_EX, offsetof(struct node, a), 0, NULL},
                                {NULL, 0, 0, 0, NULL}};

static PyObject *
call_me(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    (void)self;
    (void)keywords;
    return number((long)PyTuple_Size(arguments));
}

static Py_ssize_t
length(PyObject *self)
{
    (void)self;
    return 3;
}

static PyObject *
item(PyObject *self, Py_ssize_t i)
{
    (void)self;
    if (i >= 3) {
        PyErr_SetString(PyExc_IndexError, "no more");
        return NULL;
    }
    return number((long)i * 10);
}

static PySequenceMethods sequence = {.sq_length = length, .sq_item = item};
static PyTypeObject Rich_Type = {NODE_SLOTS("Rich"),  .tp_clear = node_clear,
                                 .tp_getset = getset, .tp_members = members,
                                 .tp_call = call_me,  .tp_as_sequence = &sequence};

PROGRAM("proxies act for their object, and say so when it is dead")
{
    ready(&Rich_Type);
    PyObject *x = new_node(&Rich_Type, "x");
    PyObject *callback_target = N("other");
    PyObject *proxy = must(PyWeakref_NewProxy(x, NULL));
    trace("same proxy again: %d", PyWeakref_NewProxy(x, NULL) == proxy);
    trace("check %d %d", PyWeakref_CheckProxy(proxy), PyWeakref_CheckRef(proxy));
    trace("type %s", Py_TYPE(proxy)->tp_name);
    trace_repr("attribute", PyObject_GetAttrString(proxy, "seven"));
    must_be_zero(PyObject_SetAttrString(proxy, "a", Py_None));
    trace("set %d", NODE(x)->a == Py_None);
    must_be_zero(PyObject_DelAttrString(proxy, "a"));
    trace("deleted %d", NODE(x)->a == NULL);
    trace_repr("deleted attribute", PyObject_GetAttrString(proxy, "a"));
    trace_repr("call", PyObject_CallFunctionObjArgs(proxy, x, x, NULL));
    trace("length %zd", PyObject_Length(proxy));
    PyObject *one = number(1);
    trace_repr("item", PyObject_GetItem(proxy, one));
    trace_repr("list", PySequence_List(proxy));
    trace("true %d", PyObject_IsTrue(proxy));
    trace("equal %d", PyObject_RichCompareBool(proxy, x, Py_EQ));
    trace("hash %zd", (Py_ssize_t)PyObject_Hash(proxy));
    trace_error("hash");
    PyObject *object;
    trace("GetRef %d", PyWeakref_GetRef(proxy, &object));
    Py_XDECREF(object);
    PyObject *called = new_callable(NULL);
    Py_DECREF(called);
    Py_DECREF(x);
    trace_notes("events");
    trace_repr("dead: attribute", PyObject_GetAttrString(proxy, "seven"));
    trace("dead: set %d", PyObject_SetAttrString(proxy, "a", Py_None));
    trace_error("dead: set");
    trace("dead: length %zd", PyObject_Length(proxy));
    trace_error("dead: length");
    trace_repr("dead: call", PyObject_CallNoArgs(proxy));
    trace_repr("dead: item", PyObject_GetItem(proxy, one));
    trace("dead: true %d", PyObject_IsTrue(proxy));
    trace_error("dead: true");
    trace_str("dead: str", PyObject_Str(proxy));
    trace("dead: GetRef %d", PyWeakref_GetRef(proxy, &object));
    Py_DECREF(one);
    Py_DECREF(proxy);
    Py_DECREF(proxy);

    proxy = must(PyWeakref_NewProxy(callback_target, NULL));
    trace("not callable: %s", Py_TYPE(proxy)->tp_name);
    trace_repr("call", PyObject_CallNoArgs(proxy));
    trace("length %zd", PyObject_Length(proxy));
    trace_error("length");
    Py_DECREF(proxy);
    Py_DECREF(callback_target);
    trace_notes("events");
}
