/* SPDX-License-Identifier: MIT */
#include "differential.h"

/* Lists as in Lisp. */
struct cons {
    PyObject_HEAD
    PyObject *car, *cdr;
};

static int alive;

static int
cons_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(((struct cons *)op)->car);
    Py_VISIT(((struct cons *)op)->cdr);
    return 0;
}

static int
cons_clear(PyObject *op)
{
    Py_CLEAR(((struct cons *)op)->car);
    Py_CLEAR(((struct cons *)op)->cdr);
    return 0;
}

static void
cons_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    Py_TRASHCAN_BEGIN(op, cons_dealloc) alive--;
    cons_clear(op);
    PyObject_GC_Del(op);
    Py_TRASHCAN_END
}

static PyObject *
cons_repr(PyObject *op)
{
    int entered = Py_ReprEnter(op);
    if (entered != 0) {
        return entered > 0 ? PyUnicode_FromString("(...)") : NULL;
    }
    struct cons *self = (struct cons *)op;
    PyObject *result = PyUnicode_FromFormat("(%R . %R)", self->car, self->cdr);
    Py_ReprLeave(op);
    return result;
}

static PyTypeObject Cons_Type;

static PyObject *
cons_compare(PyObject *x, PyObject *y, int how)
{
    if ((how != Py_EQ && how != Py_NE) || !Py_IS_TYPE(y, &Cons_Type)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    struct cons *a = (struct cons *)x, *b = (struct cons *)y;
    int equal = PyObject_RichCompareBool(a->car, b->car, Py_EQ);
    if (equal > 0) {
        equal = PyObject_RichCompareBool(a->cdr, b->cdr, Py_EQ);
    }
    return equal < 0 ? NULL : PyBool_FromLong(how == Py_EQ ? equal : !equal);
}

static PyTypeObject Cons_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "lisp.Cons",
    .tp_basicsize = sizeof(struct cons),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = cons_traverse,
    .tp_clear = cons_clear,
    .tp_dealloc = cons_dealloc,
    .tp_repr = cons_repr,
    .tp_richcompare = cons_compare,
};

static PyObject *
cons(PyObject *car, PyObject *cdr) /* takes both */
{
    struct cons *self = PyObject_GC_New(struct cons, &Cons_Type);
    must((PyObject *)self);
    self->car = car;
    self->cdr = cdr;
    alive++;
    PyObject_GC_Track((PyObject *)self);
    return (PyObject *)self;
}

PROGRAM("cons cells: printing, comparing, cycles and a long list")
{
    ready(&Cons_Type);
    PyObject *x = cons(number(1), cons(number(2), Py_NewRef(Py_None)));
    PyObject *y = cons(number(1), cons(number(2), Py_NewRef(Py_None)));
    trace_repr("x", Py_NewRef(x));
    trace("equal %d", PyObject_RichCompareBool(x, y, Py_EQ));
    trace("not equal %d", PyObject_RichCompareBool(x, y, Py_NE));
    trace("with None %d", PyObject_RichCompareBool(x, Py_None, Py_EQ));
    trace("less %d", PyObject_RichCompareBool(x, y, Py_LT));
    trace_error("less");
    trace("hash %zd", (Py_ssize_t)PyObject_Hash(x));
    trace_error("hash");
    Py_SETREF(((struct cons *)y)->cdr, Py_NewRef(y));
    trace_repr("a cycle", Py_NewRef(y));
    Py_DECREF(x);
    Py_DECREF(y);
    trace("alive %d, found %zd, alive %d", alive, collect(), alive);
    x = Py_NewRef(Py_None);
    for (long i = 0; i < 100000; i++) {
        x = cons(number(i), x);
    }
    trace("alive %d", alive);
    Py_DECREF(x);
    trace("alive %d", alive);
}
