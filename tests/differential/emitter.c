/* SPDX-License-Identifier: MIT */
#include "differential.h"

/* An event emitter: a dict from names to lists of callables. */
struct emitter {
    PyObject_HEAD
    PyObject *listeners, *last, *weaklist;
};

static int
emitter_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(((struct emitter *)op)->listeners);
    Py_VISIT(((struct emitter *)op)->last);
    return 0;
}

static int
emitter_clear(PyObject *op)
{
    Py_CLEAR(((struct emitter *)op)->listeners);
    Py_CLEAR(((struct emitter *)op)->last);
    return 0;
}

static void
emitter_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    PyObject_ClearWeakRefs(op);
    note("emitter dealloc");
    emitter_clear(op);
    PyObject_GC_Del(op);
}

static PyObject *
emitter_on(PyObject *op, PyObject *arguments)
{
    PyObject *name = PyTuple_GetItem(arguments, 0);
    PyObject *listeners = ((struct emitter *)op)->listeners;
    PyObject *list = PyDict_GetItemWithError(listeners, name);
    if (list == NULL) {
        list = must(PyList_New(0));
        must_be_zero(PyDict_SetItem(listeners, name, list));
        Py_DECREF(list);
    }
    must_be_zero(PyList_Append(list, PyTuple_GetItem(arguments, 1)));
    Py_RETURN_NONE;
}

/* Calls a copy of the list, because a listener may add and remove others. */
static PyObject *
emitter_emit(PyObject *op, PyObject *arguments)
{
    struct emitter *self = (struct emitter *)op;
    PyObject *list =
        PyDict_GetItemWithError(self->listeners, PyTuple_GetItem(arguments, 0));
    if (list == NULL) {
        return number(0);
    }
    PyObject *copy = must(PyList_AsTuple(list));
    PyObject *rest = must(PyTuple_GetSlice(arguments, 1, PyTuple_Size(arguments)));
    for (Py_ssize_t i = 0; i < PyTuple_Size(copy); i++) {
        PyObject *result = PyObject_CallObject(PyTuple_GetItem(copy, i), rest);
        if (result == NULL) {
            Py_DECREF(copy);
            Py_DECREF(rest);
            return NULL;
        }
        Py_XSETREF(self->last, result);
    }
    long called = (long)PyTuple_Size(copy);
    Py_DECREF(copy);
    Py_DECREF(rest);
    return number(called);
}

static PyMethodDef emitter_methods[] = {{"on", emitter_on, METH_VARARGS, NULL},
                                        {"emit", emitter_emit, METH_VARARGS, NULL},
                                        {NULL, NULL, 0, NULL}};
static PyTypeObject Emitter_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "events.Emitter",
    .tp_basicsize = sizeof(struct emitter),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = emitter_traverse,
    .tp_clear = emitter_clear,
    .tp_dealloc = emitter_dealloc,
    .tp_methods = emitter_methods,
    .tp_weaklistoffset = offsetof(struct emitter, weaklist),
};

static PyObject *
shout(PyObject *self, PyObject *arguments)
{
    trace("%s hears %zd arguments", PyUnicode_AsUTF8(self), PyTuple_Size(arguments));
    return Py_NewRef(self);
}

static PyMethodDef shout_method = {"shout", shout, METH_VARARGS, NULL};

static PyObject *
on(PyObject *emitter, PyObject *name, PyObject *callable)
{
    PyObject *method = text("on");
    PyObject *result =
        must(PyObject_CallMethodObjArgs(emitter, method, name, callable, NULL));
    Py_DECREF(method);
    Py_DECREF(result);
    return callable;
}

static void
emit(PyObject *emitter, PyObject *name)
{
    PyObject *method = text("emit");
    trace_repr("emitted",
               PyObject_CallMethodObjArgs(emitter, method, name, Py_None, NULL));
    Py_DECREF(method);
}

PROGRAM("an event emitter whose own methods are its listeners")
{
    ready(&Emitter_Type);
    struct emitter *emitter = PyObject_GC_New(struct emitter, &Emitter_Type);
    must((PyObject *)emitter);
    emitter->listeners = must(PyDict_New());
    emitter->last = emitter->weaklist = NULL;
    PyObject_GC_Track((PyObject *)emitter);
    PyObject *op = (PyObject *)emitter;
    PyObject *weak = new_weakref(op, "emitter");

    PyObject *event = text("event"), *other = text("other"), *who = text("listener");
    PyObject *listener = must(PyCFunction_New(&shout_method, who));
    on(op, event, listener);
    on(op, event, listener);
    emit(op, event);
    emit(op, other);
    trace_repr("last", Py_NewRef(emitter->last));
    /* a bound method as a listener: a cycle */
    PyObject *bound = must(PyObject_GetAttrString(op, "emit"));
    on(op, other, bound);
    trace_repr("emit itself", PyObject_CallMethodObjArgs(op, Py_None, NULL));
    Py_DECREF(bound);
    PyErr_Clear();
    Py_DECREF(listener);
    trace("held: %zd", collect());
    Py_DECREF(op);
    trace_notes("a cycle holds it");
    trace("some found: %d", collect() >= 3);
    trace_notes("events");
    trace("dead %d", is_dead(weak));
    Py_DECREF(weak);
    Py_DECREF(event);
    Py_DECREF(other);
    Py_DECREF(who);
}
