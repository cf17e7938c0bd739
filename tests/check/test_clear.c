/* SPDX-License-Identifier: MIT */
/* Seeded mistakes in tp_clear. */
#include "seeds.h"

/* Collect a cycle of a type with this handler. */
static void
collect_cycle_with(inquiry clear)
{
    PyTypeObject *type = box_type_with(NULL, clear, NULL);
    drop_cycle(type);
    PyGC_Collect();
    seeded = NULL;
    Py_DECREF(type);
}

static int
release_then_forget(PyObject *self)
{
    Py_XDECREF(as_box(self)->first);
    as_box(self)->first = NULL;
    Py_CLEAR(as_box(self)->second);
    return 0;
}

SEED(C48, "seed.Box")
{
    collect_cycle_with(is_wrong ? release_then_forget : box_clear);
}

static int
clear_first_alone(PyObject *self)
{
    Py_CLEAR(as_box(self)->first);
    return 0;
}

SEED(C49, "seed.Box")
{
    PyTypeObject *type = box_type_with(NULL, is_wrong ? clear_first_alone : NULL, NULL);
    drop_cycle(type);
    PyGC_Collect();
    PyGC_Collect();
    Py_DECREF(type);
}

/* --- after it -------------------------------------------------------------------------------- */

static void
use_first(PyObject *op)
{
    PyObject *first = as_box(op)->first;
    EXPECT_NE(Py_REFCNT(first), -1);
}

static void
use_first_if_any(PyObject *op)
{
    if (as_box(op)->first != NULL) {
        use_first(op);
    }
}

SEED(C51, "seed.Box")
{
    PyTypeObject *type = box_type_with(NULL, NULL, NULL);
    Ouro_CheckProbe(type, is_wrong ? use_first : use_first_if_any);
    drop_cycle(type);
    PyGC_Collect();
    Py_DECREF(type);
}

/* --- what it must leave alone ------------------------------------------------------------------ */

static int
release_type_in_clear(PyObject *self)
{
    Py_DECREF(Py_TYPE(self));
    return box_clear(self);
}

SEED(C52, "seed.Box")
{
    collect_cycle_with(is_wrong ? release_type_in_clear : box_clear);
}

static int
untrack_in_clear(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    return box_clear(self);
}

SEED(C53, "seed.Box")
{
    collect_cycle_with(is_wrong ? untrack_in_clear : box_clear);
}

/* --- twice ------------------------------------------------------------------------------------------ */

typedef struct {
    PyObject_HEAD
    PyObject *items[2];
    int count;
} Pair;

static int
pair_traverse(PyObject *self, visitproc visit, void *arg)
{
    for (int i = 0; i < ((Pair *)self)->count; i++) {
        Py_VISIT(((Pair *)self)->items[i]);
    }
    Py_VISIT(Py_TYPE(self));
    return 0;
}

/* Releases the items and sets their number to 0, but leaves the pointers. */
static int
pair_clear_again_and_again(PyObject *self)
{
    ((Pair *)self)->count = 0;
    Py_XDECREF(((Pair *)self)->items[0]);
    Py_XDECREF(((Pair *)self)->items[1]);
    return 0;
}

static int
pair_clear(PyObject *self)
{
    ((Pair *)self)->count = 0;
    Py_CLEAR(((Pair *)self)->items[0]);
    Py_CLEAR(((Pair *)self)->items[1]);
    return 0;
}

static void
pair_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (((Pair *)self)->count != 0) {
        pair_clear(self);
    }
    type->tp_free(self);
    Py_DECREF(type);
}

SEED(C54, "seed.Box")
{
    Ouro_CheckSetStress(OURO_CHECK_STRESS_CLEAR);
    PyTypeObject *type = box_type_with(
        pair_traverse, is_wrong ? pair_clear_again_and_again : pair_clear, pair_dealloc);
    Pair *pair = PyObject_GC_New(Pair, type);
    pair->count = 2;
    pair->items[0] = PyList_New(0);
    pair->items[1] = Py_NewRef(pair);
    PyObject_GC_Track(pair);
    seeded = (PyObject *)pair;
    Py_DECREF(pair);
    PyGC_Collect();
    Py_DECREF(type);
}

/* --- managed dicts ------------------------------------------------------------------------------------ */

static int
visit_managed(PyObject *self, visitproc visit, void *arg)
{
    int result = PyObject_VisitManagedDict(self, visit, arg);
    return result != 0 ? result : box_traverse(self, visit, arg);
}

static int
clear_managed(PyObject *self)
{
    PyObject_ClearManagedDict(self);
    return box_clear(self);
}

static void
dealloc_managed(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    PyObject_ClearManagedDict(self);
    box_dealloc(self);
}

SEED(C56, "seed.Box")
{
    PyTypeObject *type = new_type((struct handlers){
        .traverse = visit_managed,
        .clear = clear_managed,
        .dealloc = is_wrong ? box_dealloc : dealloc_managed,
        .more = Py_TPFLAGS_MANAGED_DICT,
    });
    PyObject *box = PyType_GenericAlloc(type, 0);
    EXPECT_EQ(PyObject_SetAttrString(box, "name", Py_None), 0);
    seeded = box;
    Py_DECREF(box);
    Py_DECREF(type);
}
