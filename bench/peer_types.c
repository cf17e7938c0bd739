/* SPDX-License-Identifier: MIT */
/* The container types, as CPython's page teaches them: handlers that visit, clear and untrack.
 *
 *   Couple        two references
 *   Wide        any number of references
 *   Branch      three references, and bytes that the collector need not look at
 *   Finalized   a Couple with a finalizer
 *   Watched     a Couple that can have weak references; each gets one when it is made */
#include "measure.h"
#include "peer_python.h"

#include <stdlib.h>

#ifdef BENCH_FIELDS
#include <ouro_fields.h>
#endif

static long deaths, finalizer_calls, callback_calls;

void
peer_no_memory(void)
{
    bench_fail("no memory for an object");
}

/* --- couples ------------------------------------------------------------------------------------ */

static int
couple_traverse(PyObject *op, visitproc visit, void *arg)
{
    Couple *self = (Couple *)op;
    Py_VISIT(self->ref[0]);
    Py_VISIT(self->ref[1]);
    return 0;
}

static int
couple_clear(PyObject *op)
{
    Couple *self = (Couple *)op;
    Py_CLEAR(self->ref[0]);
    Py_CLEAR(self->ref[1]);
    return 0;
}

static void
couple_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    couple_clear(op);
    Py_TYPE(op)->tp_free(op);
}

/* The peer `fields` has declared fields instead of these handlers. */
#ifdef BENCH_FIELDS
OURO_FIELDS(Couple, OURO_ARRAY(ref));
#define COUPLE_HANDLERS OURO_TYPE_FIELDS(Couple)
#else
#define COUPLE_HANDLERS                                                                  \
    .tp_traverse = couple_traverse, .tp_clear = couple_clear, .tp_dealloc = couple_dealloc
#endif

PyTypeObject Couple_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "bench.Couple",
    .tp_basicsize = sizeof(Couple),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    COUPLE_HANDLERS,
};

static void
counted_dealloc(PyObject *op)
{
    deaths++;
    couple_dealloc(op);
}

/* Deaths are counted only on demand, because other peers do not have this work. */
void
peer_count_deaths(void)
{
    Couple_Type.tp_dealloc = counted_dealloc;
}

/* --- finalizers ------------------------------------------------------------------------------- */

static void
count_finalizer(PyObject *op)
{
    (void)op;
    finalizer_calls++;
}

static void
finalized_dealloc(PyObject *op)
{
    if (PyObject_CallFinalizerFromDealloc(op) == 0) {
        couple_dealloc(op);
    }
}

static PyTypeObject Finalized_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "bench.Finalized",
    .tp_basicsize = sizeof(Couple),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = couple_traverse,
    .tp_clear = couple_clear,
    .tp_dealloc = finalized_dealloc,
    .tp_finalize = count_finalizer,
};

static node
new_couple_of(PyTypeObject *type)
{
    Couple *self = PyObject_GC_New(Couple, type);
    if (self == NULL) {
        peer_no_memory();
    }
    self->ref[0] = self->ref[1] = NULL;
    return (PyObject *)self;
}

node
peer_new_finalized(void)
{
    node self = new_couple_of(&Finalized_Type);
    PyObject_GC_Track(self);
    return self;
}

long
peer_finalized(void)
{
    return finalizer_calls;
}

/* --- weak references --------------------------------------------------------------------------- */

typedef struct {
    Couple couple;
    PyObject *weakrefs;
} Watched;

static void
watched_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    if (((Watched *)op)->weakrefs != NULL) {
        PyObject_ClearWeakRefs(op);
    }
    couple_dealloc(op);
}

static PyTypeObject Watched_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "bench.Watched",
    .tp_basicsize = sizeof(Watched),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = couple_traverse,
    .tp_clear = couple_clear,
    .tp_dealloc = watched_dealloc,
    .tp_weaklistoffset = offsetof(Watched, weakrefs),
};

static PyObject *
count_callback(PyObject *self, PyObject *weakref)
{
    (void)self, (void)weakref;
    callback_calls++;
    Py_RETURN_NONE;
}

static PyMethodDef callback_method = {"count", count_callback, METH_O, NULL};
static PyObject *callback;
static PyObject **weakrefs;
static size_t weakref_count, weakref_room;

static void
keep_weakref(PyObject *weakref)
{
    if (weakref_count == weakref_room) {
        weakref_room = weakref_room * 2 + 1024;
        weakrefs = realloc(weakrefs, weakref_room * sizeof *weakrefs);
    }
    if (weakrefs == NULL) {
        peer_no_memory();
    }
    weakrefs[weakref_count++] = weakref;
}

node
peer_new_weak(node *weakref, int calls_back)
{
    node self = new_couple_of(&Watched_Type);
    ((Watched *)self)->weakrefs = NULL;
    PyObject_GC_Track(self);
    *weakref = PyWeakref_NewRef(self, calls_back ? callback : NULL);
    if (*weakref == NULL) {
        peer_no_memory();
    }
    return self;
}

node
peer_new_watched(void)
{
    node weakref, self = peer_new_weak(&weakref, weakref_count % 10 == 0);
    keep_weakref(weakref);
    return self;
}

/* PyWeakref_GetRef exists since 3.13. */
int
peer_is_weak_dead(node weakref)
{
#if PY_VERSION_HEX >= 0x030d0000
    PyObject *op = NULL;
    int found = PyWeakref_GetRef(weakref, &op);
    Py_XDECREF(op);
    return found == 0;
#else
    return PyWeakref_GetObject(weakref) == Py_None;
#endif
}

void
peer_forget_weakrefs(void)
{
    while (weakref_count > 0) {
        Py_DECREF(weakrefs[--weakref_count]);
    }
}

long
peer_callbacks(void)
{
    return callback_calls;
}

/* --- wide objects, and branches ------------------------------------------------------------------- */

#ifndef BENCH_FIELDS
static int
wide_traverse(PyObject *op, visitproc visit, void *arg)
{
    Wide *self = (Wide *)op;
    for (Py_ssize_t i = Py_SIZE(op); --i >= 0;) {
        Py_VISIT(self->ref[i]);
    }
    return 0;
}

static int
wide_clear(PyObject *op)
{
    Wide *self = (Wide *)op;
    for (Py_ssize_t i = Py_SIZE(op); --i >= 0;) {
        Py_CLEAR(self->ref[i]);
    }
    return 0;
}

static void
wide_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    wide_clear(op);
    Py_TYPE(op)->tp_free(op);
}
#endif

#ifdef BENCH_FIELDS
OURO_FIELDS(Wide, OURO_ITEMS(ref));
#define WIDE_HANDLERS OURO_TYPE_FIELDS(Wide)
#else
#define WIDE_HANDLERS                                                                    \
    .tp_traverse = wide_traverse, .tp_clear = wide_clear, .tp_dealloc = wide_dealloc
#endif

static PyTypeObject Wide_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "bench.Wide",
    .tp_basicsize = offsetof(Wide, ref),
    .tp_itemsize = sizeof(PyObject *),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    WIDE_HANDLERS,
};

node
peer_new_wide(Py_ssize_t width)
{
    Wide *self = PyObject_GC_NewVar(Wide, &Wide_Type, width);
    if (self == NULL) {
        peer_no_memory();
    }
    memset(self->ref, 0, (size_t)width * sizeof self->ref[0]);
    PyObject_GC_Track((PyObject *)self);
    return (PyObject *)self;
}

typedef struct {
    PyObject_VAR_HEAD
    PyObject *ref[3];
    char payload[];
} Branch;

static int
branch_traverse(PyObject *op, visitproc visit, void *arg)
{
    Branch *self = (Branch *)op;
    Py_VISIT(self->ref[0]);
    Py_VISIT(self->ref[1]);
    Py_VISIT(self->ref[2]);
    return 0;
}

static int
branch_clear(PyObject *op)
{
    Branch *self = (Branch *)op;
    Py_CLEAR(self->ref[0]);
    Py_CLEAR(self->ref[1]);
    Py_CLEAR(self->ref[2]);
    return 0;
}

static void
branch_dealloc(PyObject *op)
{
    deaths++;
    PyObject_GC_UnTrack(op);
    branch_clear(op);
    Py_TYPE(op)->tp_free(op);
}

static PyTypeObject Branch_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "bench.Branch",
    .tp_basicsize = offsetof(Branch, payload),
    .tp_itemsize = 1,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = branch_traverse,
    .tp_clear = branch_clear,
    .tp_dealloc = branch_dealloc,
};

node
peer_new_branch(Py_ssize_t payload)
{
    Branch *self = PyObject_GC_NewVar(Branch, &Branch_Type, payload);
    if (self == NULL) {
        peer_no_memory();
    }
    self->ref[0] = self->ref[1] = self->ref[2] = NULL;
    memset(self->payload, 1, (size_t)payload);
    PyObject_GC_Track((PyObject *)self);
    return (PyObject *)self;
}

/* --- all of them ------------------------------------------------------------------------------------ */

static PyTypeObject *const types[] = {
    &Couple_Type, &Finalized_Type, &Watched_Type, &Wide_Type, &Branch_Type,
};

void
peer_make_types_ready(void)
{
    callback = PyCFunction_New(&callback_method, NULL);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (callback == NULL || PyType_Ready(types[i]) < 0) {
            bench_fail("the types cannot be made ready");
        }
    }
}

int
peer_is_alive(node n)
{
    int is_known = 0;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        is_known |= Py_TYPE(n) == types[i];
    }
    return is_known && Py_REFCNT(n) > 0 && PyObject_GC_IsTracked(n);
}

long
peer_deaths(void)
{
    return deaths;
}
