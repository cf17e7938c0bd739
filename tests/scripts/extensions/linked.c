/* SPDX-License-Identifier: MIT */
/* The operations on examples/modules/linked.c. */
#include "drive.h"

static void
use_a_list(PyObject *List)
{
    PyObject *l = need(PyObject_CallFunction(List, "([iii])", 1, 2, 3));
    SHOW(PyObject_Repr(l));
    NUMBER(PyObject_Size(l));
    PyObject *four = need(PyObject_CallMethod(l, "append", "i", 4));
    CALL(l, "prepend", "i", 0);
    SHOW(PySequence_List(l));
    SHOW(list_of(PyObject_CallMethod(l, "reversed", NULL)));
    PyObject *three = attr(four, "prev");
    SHOW(PyObject_GetAttrString(three, "value"));
    NUMBER(PyObject_SetAttrString(three, "value", Py_None));
    SHOW(PyObject_GetAttrString(l, "first"));
    SHOW(PyObject_GetAttrString(four, "next"));
    NUMBER(is_same(attr(four, "list"), l));
    NUMBER(PySequence_Contains(l, number(2)));
    NUMBER(PySequence_Contains(l, number(9)));
    CALL(l, "remove", "O", three);
    CALL(l, "remove", "O", three);
    SHOW(PyObject_GetAttrString(three, "list"));
    CALL(four, "unlink", NULL);
    CALL(four, "unlink", NULL);
    SHOW(PyObject_Repr(l));
    CALL(l, "extend", "((ii))", 7, 8);
    SHOW(PyObject_Repr(l));
    Py_DECREF(four);
    Py_DECREF(three);
    CALL(l, "clear", NULL);
    NUMBER(PyObject_Size(l));
    NUMBER(PyObject_IsTrue(l));
    Py_DECREF(l);
}

static PyObject *
insert(PyObject *list, PyObject *value, const char *where, PyObject *node)
{
    PyObject *args = need(PyTuple_Pack(1, value));
    PyObject *kwargs = where != NULL ? need(Py_BuildValue("{s:O}", where, node)) : NULL;
    PyObject *method = attr(list, "insert");
    PyObject *result = PyObject_Call(method, args, kwargs);
    Py_DECREF(method);
    Py_XDECREF(kwargs);
    Py_DECREF(args);
    return result;
}

static void
insert_values(PyObject *List)
{
    PyObject *l = need(PyObject_CallFunction(List, "(s)", "ab"));
    PyObject *other = need(PyObject_CallFunction(List, "(s)", "x"));
    PyObject *first = attr(l, "first");
    SHOW(insert(l, Py_True, "before", first));
    SHOW(insert(l, Py_False, "after", first));
    SHOW(insert(l, Py_None, NULL, NULL));
    SHOW(insert(other, Py_None, "after", first));
    SHOW(insert(l, Py_None, "after", Py_None));
    SINCE_3_13();
    SHOW(insert(l, Py_None, "behind", first));
    SHOW(PyObject_Repr(l));
    Py_DECREF(first);
    Py_DECREF(other);
    Py_DECREF(l);
}

static void
make_mistakes(PyObject *List)
{
    PyObject *l = need(PyObject_CallNoArgs(List));
    SHOW(PyObject_CallFunction(List, "ii", 1, 2));
    SHOW(PyObject_CallFunction(List, "(i)", 1));
    CALL(l, "append", NULL);
    CALL(l, "append", "ii", 1, 2);
    CALL(l, "remove", "i", 1);
    CALL(l, "clear", "i", 1);
    CALL(l, "nothing", NULL);
    NUMBER(PyObject_SetAttrString(l, "first", Py_None));
    SINCE_3_13();
    NUMBER(PyObject_SetAttrString(l, "colour", Py_None));
    PyObject *node = need(PyObject_CallMethod(l, "append", "i", 1));
    SHOW(PyObject_CallNoArgs((PyObject *)Py_TYPE(node)));
    NUMBER(PyObject_DelAttrString(node, "value"));
    SHOW(PyObject_GetAttrString(node, "value"));
    SHOW(PyObject_Repr(node));
    Py_DECREF(node);
    Py_DECREF(l);
}

/* Shows how many objects were found dead, and that they are gone. */
static void
drop_cycles(PyObject *List, PyObject *Node)
{
    PyObject *log = need(PyList_New(0));
    PyObject *logger = new_logger(log);
    collect();
    show_instances("before", Node);
    PyObject *l = need(PyObject_CallFunction(List, "([iii])", 1, 2, 3));
    PyObject *weak = need(PyWeakref_NewRef(l, logger));
    CALL(l, "append", "O", l); /* the list holds itself, too */
    SHOW(PyObject_Repr(l));
    Py_DECREF(l);
    show_instances("dropped", Node);
    NUMBER(PyWeakref_GetObject(weak) != Py_None);
    NUMBER(collect());
    show_instances("collected", Node);
    show_instances("collected", List);
    NUMBER(PyWeakref_GetObject(weak) != Py_None);
    NUMBER(PyList_Size(log));
    Py_DECREF(weak);

    /* One node that is in use keeps the list and all others. */
    l = need(PyObject_CallFunction(List, "([iii])", 1, 2, 3));
    PyObject *first = attr(l, "first");
    PyObject *middle = attr(first, "next");
    Py_DECREF(first);
    Py_DECREF(l);
    NUMBER(collect());
    show_instances("in use", Node);
    SHOW(PyObject_GetAttrString(middle, "list"));
    Py_DECREF(middle);
    NUMBER(collect());
    show_instances("not in use", Node);
    Py_DECREF(logger);
    Py_DECREF(log);
}

static void
iterate_and_change(PyObject *List)
{
    PyObject *l = need(PyObject_CallFunction(List, "([iiii])", 1, 2, 3, 4));
    PyObject *iterator = need(PyObject_GetIter(l));
    SHOW(PyIter_Next(iterator));
    PyObject *first = attr(l, "first");
    PyObject *second = attr(first, "next");
    CALL(l, "remove", "O", first);
    SHOW(PyIter_Next(iterator));
    CALL(l, "append", "i", 5);
    SHOW(PySequence_List(iterator));
    SHOW(PySequence_List(iterator));
    Py_DECREF(second);
    Py_DECREF(first);
    Py_DECREF(iterator);
    iterator = need(PyObject_GetIter(l));
    CALL(l, "clear", NULL); /* its node is alone now */
    SHOW(PySequence_List(iterator));
    Py_DECREF(iterator);
    Py_DECREF(l);
}

void
drive_linked(PyObject *module)
{
    PyObject *List = attr(module, "List"), *Node = attr(module, "Node");
    remember_type(List);
    remember_type(Node);
    SHOW(PyObject_Repr(List));
    use_a_list(List);
    insert_values(List);
    make_mistakes(List);
    iterate_and_change(List);
    drop_cycles(List, Node);

    /* Any number of nodes dies without deep recursion. */
    PyObject *l = need(PyObject_CallNoArgs(List));
    for (long i = 0; i < many(1000000); i++) {
        Py_DECREF(need(PyObject_CallMethod(l, "append", "O", Py_None)));
    }
    Py_DECREF(l);
    NUMBER(collect() > many(1000000)); /* CPython may find a few of its own */
    show_instances("end", List);
    show_instances("end", Node);
    Py_DECREF(List);
    Py_DECREF(Node);
}
