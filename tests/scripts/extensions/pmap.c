/* SPDX-License-Identifier: MIT */
/* The operations on examples/modules/pmap.c. */
#include "drive.h"

static void
use_a_map(PyObject *Map)
{
    PyObject *empty = need(PyObject_CallNoArgs(Map));
    PyObject *a = need(PyObject_CallMethod(empty, "set", "is", 1, "one"));
    PyObject *b = need(PyObject_CallMethod(a, "set", "is", 2, "two"));
    PyObject *c = need(PyObject_CallMethod(b, "set", "is", 1, "uno"));
    PyObject *d = need(PyObject_CallMethod(c, "delete", "i", 2));
    SHOW(PyObject_Repr(empty));
    SHOW(PyObject_Repr(a));
    SHOW(PyObject_Repr(b));
    SHOW(PyObject_Repr(c));
    SHOW(PyObject_Repr(d));
    NUMBER(PyObject_Size(c));
    CALL(b, "get", "i", 1);
    CALL(b, "get", "i", 3);
    CALL(b, "get", "is", 3, "none");
    NUMBER(PySequence_Contains(b, Py_None));
    SHOW(PySequence_List(b));
    CALL(b, "items", NULL);
    PyObject *again = need(PyObject_CallFunction(Map, "({is,is})", 2, "two", 1, "one"));
    PyObject *pairs =
        need(PyObject_CallFunction(Map, "([(is)(is)])", 1, "one", 2, "two"));
    SHOW(PyObject_RichCompare(b, again, Py_EQ));
    SHOW(PyObject_RichCompare(pairs, again, Py_EQ));
    SHOW(PyObject_RichCompare(b, c, Py_EQ));
    SHOW(PyObject_RichCompare(b, c, Py_NE));
    SHOW(PyObject_RichCompare(b, Py_None, Py_EQ));
    SHOW(PyObject_RichCompare(b, c, Py_LT));
    CALL(empty, "sharing", "O", b);
    Py_DECREF(again);
    Py_DECREF(pairs);
    Py_DECREF(d);
    Py_DECREF(c);
    Py_DECREF(b);
    Py_DECREF(a);
    Py_DECREF(empty);
}

static void
make_mistakes(PyObject *Map)
{
    PyObject *m = need(PyObject_CallFunction(Map, "({ii})", 1, 2));
    SHOW(PyObject_CallFunction(Map, "i", 5));
    SHOW(PyObject_CallFunction(Map, "ii", 1, 2));
    SHOW(PyObject_CallFunction(Map, "([i])", 1));
    CALL(m, "set", "i", 1);
    CALL(m, "set", "([])i", 1);
    CALL(m, "get", NULL);
    CALL(m, "get", "([])");
    CALL(m, "delete", "i", 9);
    CALL(m, "delete", "([])");
    CALL(m, "delete", NULL);
    CALL(m, "sharing", "i", 1);
    PyObject *key = number(9);
    SHOW(PyObject_GetItem(m, key));
    NUMBER(PyObject_SetItem(m, key, key));
    Py_DECREF(key);
    NUMBER(PyObject_Hash(m));
    Py_DECREF(m);
}

/* Many keys, with holes; what is shared between versions. */
static void
grow_and_shrink(PyObject *Map)
{
    PyObject *m = need(PyObject_CallNoArgs(Map));
    for (long i = 0; i < 5000; i++) {
        Py_SETREF(m, need(PyObject_CallMethod(m, "set", "ll", i * 7919, i)));
    }
    NUMBER(PyObject_Size(m));
    PyObject *one_more = need(PyObject_CallMethod(m, "set", "is", -5, "new"));
    CALL(one_more, "sharing", "O", m);
    long sum = 0;
    PyObject *iterator = need(PyObject_GetIter(m)), *key;
    while ((key = PyIter_Next(iterator)) != NULL) {
        PyObject *value = need(PyObject_GetItem(m, key));
        sum += PyLong_AsLong(value);
        Py_DECREF(value);
        Py_DECREF(key);
    }
    Py_DECREF(iterator);
    NUMBER(sum);
    for (long i = 0; i < 5000; i += i % 3 == 0 ? 1 : 2) {
        Py_SETREF(m, need(PyObject_CallMethod(m, "delete", "l", i * 7919)));
    }
    NUMBER(PyObject_Size(m));
    NUMBER(PyObject_Size(one_more));
    CALL(one_more, "get", "l", 0L);
    CALL(m, "get", "l", 0L);
    Py_DECREF(one_more);
    Py_DECREF(m);
}

/* Keys with the same hash, and one whose hash agrees with theirs in the lowest bits. */
static void
collide(PyObject *Map)
{
    PyObject *m = need(PyObject_CallNoArgs(Map)), *keys[4];
    PyObject *Collider = new_collider_type();
    for (long i = 0; i < 4; i++) {
        keys[i] = new_collider(Collider, i);
        Py_SETREF(m, need(PyObject_CallMethod(m, "set", "Ol", keys[i], i)));
    }
    Py_SETREF(m, need(PyObject_CallMethod(m, "set", "ls", 77L, "equal hash")));
    Py_SETREF(m, need(PyObject_CallMethod(m, "set", "ls", 77L + 1024, "near")));
    Py_SETREF(m, need(PyObject_CallMethod(m, "set", "ls", 13L, "nearer")));
    SHOW(PyObject_Repr(m));
    NUMBER(PyObject_Size(m));
    SHOW(PyObject_GetItem(m, keys[2]));
    Py_SETREF(m, need(PyObject_CallMethod(m, "set", "Os", keys[2], "changed")));
    SHOW(PyObject_GetItem(m, keys[2]));
    for (int i = 0; i < 4; i++) {
        Py_SETREF(m, need(PyObject_CallMethod(m, "delete", "O", keys[i])));
        SHOW(PyObject_Repr(m));
        CALL(m, "delete", "O", keys[i]);
        Py_DECREF(keys[i]);
    }
    Py_SETREF(m, need(PyObject_CallMethod(m, "delete", "l", 77L)));
    Py_SETREF(m, need(PyObject_CallMethod(m, "delete", "l", 77L + 1024)));
    Py_SETREF(m, need(PyObject_CallMethod(m, "delete", "l", 13L)));
    SHOW(PyObject_Repr(m));
    Py_DECREF(m);
    Py_DECREF(Collider);
}

static void
drop_cycles(PyObject *Map)
{
    PyObject *log = need(PyList_New(0)), *logger = new_logger(log);
    collect();

    /* A list that holds the map that holds the list. */
    PyObject *list = need(PyList_New(0));
    PyObject *m = need(PyObject_CallFunction(Map, "({sO})", "list", list));
    PyObject *weak = need(PyWeakref_NewRef(m, logger));
    NUMBER(PyList_Append(list, m));
    SHOW(PyObject_Repr(m));
    Py_DECREF(list);
    Py_DECREF(m);
    show_instances("dropped", Map);
    NUMBER(collect());
    show_instances("collected", Map);
    NUMBER(PyWeakref_GetObject(weak) == Py_None);
    NUMBER(PyList_Size(log));
    Py_DECREF(weak);
    Py_DECREF(logger);
    Py_DECREF(log);

    /* An iterator that is not finished keeps the nodes, not the map. */
    m = need(PyObject_CallFunction(Map, "({ii,ii})", 1, 1, 2, 2));
    PyObject *iterator = need(PyObject_GetIter(m));
    SHOW(PyIter_Next(iterator));
    Py_DECREF(m);
    show_instances("iterating", Map);
    SHOW(PyIter_Next(iterator));
    Py_DECREF(iterator);
}

void
drive_pmap(PyObject *module)
{
    PyObject *Map = attr(module, "Map");
    remember_type(Map);
    SHOW(PyObject_Repr(Map));
    use_a_map(Map);
    make_mistakes(Map);
    grow_and_shrink(Map);
    collide(Map);
    drop_cycles(Map);

    /* A map in a map in a map ... dies without deep recursion. */
    PyObject *m = need(PyObject_CallNoArgs(Map));
    for (long i = 0; i < many(200000); i++) {
        PyObject *outer = need(PyObject_CallFunction(Map, "({iO})", 0, m));
        Py_SETREF(m, outer);
    }
    Py_DECREF(m);
    collect();
    show_instances("end", Map);
    Py_DECREF(Map);
}
