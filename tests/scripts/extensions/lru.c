/* SPDX-License-Identifier: MIT */
/* The operations on examples/modules/lru.c. */
#include "drive.h"

static void
use_a_cache(PyObject *Cache)
{
    PyObject *c = need(PyObject_CallFunction(Cache, "i", 2));
    CALL(c, "put", "ss", "a", "first");
    CALL(c, "put", "ss", "b", "second");
    CALL(c, "keys", NULL);
    CALL(c, "get", "s", "a");
    CALL(c, "keys", NULL);
    CALL(c, "put", "ss", "c", "third");
    CALL(c, "keys", NULL);
    CALL(c, "get", "s", "b");
    CALL(c, "get", "si", "b", 5);
    NUMBER(PyMapping_HasKeyString(c, "a"));
    SHOW(PyMapping_GetItemString(c, "c"));
    SHOW(PyMapping_GetItemString(c, "b"));
    NUMBER(PyMapping_SetItemString(c, "a", Py_None));
    CALL(c, "keys", NULL);
    NUMBER(PyObject_Size(c));
    CALL(c, "pop", "s", "a");
    CALL(c, "pop", "s", "a");
    CALL(c, "pop", "si", "a", 7);
    NUMBER(PyObject_DelItemString(c, "c"));
    NUMBER(PyObject_DelItemString(c, "c"));
    CALL(c, "info", NULL);
    SHOW(PyObject_GetAttrString(c, "capacity"));
    for (long i = 0; i < 10; i++) {
        Py_DECREF(need(PyObject_CallMethod(c, "put", "ll", i, i * i)));
    }
    CALL(c, "keys", NULL);
    CALL(c, "clear", NULL);
    CALL(c, "keys", NULL);
    Py_DECREF(c);
}

static void
make_mistakes(PyObject *Cache)
{
    PyObject *c = need(PyObject_CallFunction(Cache, "i", 2));
    SHOW(PyObject_CallFunction(Cache, "i", 0));
    SHOW(PyObject_CallFunction(Cache, "i", -3));
    SHOW(PyObject_CallFunction(Cache, "s", "two"));
    SHOW(PyObject_CallFunction(Cache, "d", 2.0));
    SHOW(PyObject_CallNoArgs(Cache));
    SHOW(PyObject_CallFunction(Cache, "ii", 1, 2));
    CALL(c, "get", NULL);
    CALL(c, "get", "iii", 1, 2, 3);
    CALL(c, "put", "i", 1);
    CALL(c, "watch", "i", 5);
    CALL(c, "watch", "O", Cache);
    CALL(c, "keys", "i", 1);
    NUMBER(PyObject_SetAttrString(c, "capacity", Py_None));
    CALL(c, "info", NULL);
    Py_DECREF(c);
}

static PyObject *
raise_from_observer(PyObject *self, PyObject *args)
{
    (void)self, (void)args;
    PyErr_SetString(PyExc_RuntimeError, "the observer is not amused");
    return NULL;
}

static PyMethodDef raiser_def = {"raiser", raise_from_observer, METH_VARARGS, NULL};

static void
watch_evictions(PyObject *Cache)
{
    PyObject *c = need(PyObject_CallFunction(Cache, "i", 1));
    PyObject *log = need(PyList_New(0));
    PyObject *one = new_logger(log), *two = new_logger(log);
    CALL(c, "watch", "O", one);
    CALL(c, "watch", "O", two);
    NUMBER(Py_REFCNT(one)); /* the cache refers to it weakly */
    CALL(c, "put", "ii", 1, 10);
    CALL(c, "put", "ii", 2, 20);
    SHOW(PyObject_Repr(log));
    Py_DECREF(one); /* removed from the list at once */
    CALL(c, "info", NULL);
    CALL(c, "put", "ii", 3, 30);
    SHOW(PyObject_Repr(log));
    PyObject *raiser = need(PyCFunction_New(&raiser_def, NULL));
    CALL(c, "watch", "O", raiser);
    CALL(c, "put", "ii", 4, 40);
    CALL(c, "keys", NULL);
    Py_DECREF(raiser);
    CALL(c, "put", "ii", 5, 50);
    Py_DECREF(c); /* dies before its last observer: no callback */
    Py_DECREF(two);
    NUMBER(PyList_Size(log));
    NUMBER(Py_REFCNT(log));
    Py_DECREF(log);
}

static void
drop_cycles(PyObject *Cache)
{
    PyObject *log = need(PyList_New(0)), *logger = new_logger(log);
    collect();

    /* A cache that holds itself, watched from outside. */
    PyObject *c = need(PyObject_CallFunction(Cache, "i", 3));
    PyObject *weak = need(PyWeakref_NewRef(c, logger));
    CALL(c, "put", "sO", "me", c);
    CALL(c, "put", "Os", c, "me");
    CALL(c, "watch", "O", logger);
    Py_DECREF(c);
    show_instances("dropped", Cache);
    NUMBER(collect() > 0);
    show_instances("collected", Cache);
    NUMBER(PyWeakref_GetObject(weak) == Py_None);
    NUMBER(PyList_Size(log));
    Py_DECREF(weak);
    NUMBER(collect());

    /* An observer that dies in a cycle is removed when the collector finds it. */
    c = need(PyObject_CallFunction(Cache, "i", 3));
    PyObject *ring = need(PyList_New(0));
    PyObject *observer = new_logger(ring);
    NUMBER(PyList_Append(ring, observer));
    CALL(c, "watch", "O", observer);
    Py_DECREF(observer);
    Py_DECREF(ring);
    CALL(c, "info", NULL);
    NUMBER(collect());
    CALL(c, "info", NULL);
    Py_DECREF(c);
    show_instances("end", Cache);

    /* A cache and its observer in the same dead cycle. */
    c = need(PyObject_CallFunction(Cache, "i", 3));
    ring = need(PyList_New(0));
    observer = new_logger(ring);
    CALL(c, "watch", "O", observer);
    CALL(c, "put", "sO", "observer", observer);
    NUMBER(PyList_Append(ring, c));
    Py_DECREF(observer);
    Py_DECREF(ring);
    Py_DECREF(c);
    NUMBER(collect() > 0);
    show_instances("end", Cache);
    Py_DECREF(logger);
    Py_DECREF(log);
}

void
drive_lru(PyObject *module)
{
    PyObject *Cache = attr(module, "Cache");
    remember_type(Cache);
    SHOW(PyObject_Repr(Cache));
    use_a_cache(Cache);
    make_mistakes(Cache);
    watch_evictions(Cache);
    drop_cycles(Cache);

    /* A long chain of entries dies without deep recursion. */
    PyObject *c = need(PyObject_CallFunction(Cache, "l", many(300000)));
    for (long i = 0; i < many(400000); i++) {
        Py_DECREF(need(PyObject_CallMethod(c, "put", "lO", i, Py_None)));
    }
    NUMBER(PyObject_Size(c));
    Py_DECREF(c);
    collect();
    show_instances("end", Cache);
    Py_DECREF(Cache);
}
