/* SPDX-License-Identifier: MIT */
/* Seeded mistakes in tp_dealloc and in freeing, and mistakes that the memory shows. */
#include "seeds.h"

/* Make an instance of a type with this destructor, and drop it. */
static void
destroy_with(destructor dealloc)
{
    PyTypeObject *type = box_type_with(NULL, NULL, dealloc);
    PyObject *box = full_box(type);
    seeded = box;
    Py_DECREF(box);
    seeded = NULL;
    Py_DECREF(type);
}

/* --- memory ------------------------------------------------------------------------------------- */

SEED(A01, "seed.Box")
{
    PyTypeObject *type = box_type_with(NULL, NULL, NULL);
    PyObject *box = full_box(type);
    seeded = box;
    Py_INCREF(box);
    Py_DECREF(box);
    Py_DECREF(box);
    if (is_wrong) {
        Py_DECREF(box);
    }
    Py_DECREF(type);
}

static void
free_twice(PyObject *self)
{
    freefunc function = Py_TYPE(self)->tp_free;
    box_dealloc(self);
    function(self);
}

SEED(A02, "seed.Box")
{
    destroy_with(is_wrong ? free_twice : box_dealloc);
}

SEED(A03, "seed.Box")
{
    PyTypeObject *type = box_type_with(NULL, NULL, NULL);
    PyObject *box = full_box(type);
    seeded = box;
    volatile char *bytes = (char *)box;
    bytes[sizeof(Box) - (is_wrong ? 0 : 1)] = 0;
    Py_DECREF(box);
    Py_DECREF(type);
}

SEED(A04, "seed.Box")
{
    PyTypeObject *type = box_type_with(NULL, NULL, NULL);
    Box *box = (Box *)full_box(type);
    seeded = (PyObject *)box;
    if (!is_wrong) {
        Py_CLEAR(box->first);
    }
    Py_DECREF(box);
    if (is_wrong) {
        box->first = NULL;
    }
    Py_DECREF(type);
}

/* --- tracking ------------------------------------------------------------------------------------ */

static void
untrack_too_late(PyObject *self)
{
    box_clear(self);
    box_dealloc(self);
}

SEED(D30, "seed.Box")
{
    destroy_with(is_wrong ? untrack_too_late : box_dealloc);
}

static void
untrack_strictly(PyObject *self)
{
    _PyObject_GC_UNTRACK(self);
    box_dealloc(self);
}

static void
sub_dealloc_without_tracking(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    untrack_strictly(self);
}

static void
sub_dealloc_with_tracking(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    PyObject_GC_Track(self);
    untrack_strictly(self);
}

SEED(D32, "seed.Box")
{
    destroy_with(is_wrong ? sub_dealloc_without_tracking : sub_dealloc_with_tracking);
}

/* --- freeing --------------------------------------------------------------------------------------- */

static void
forget_to_free(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    box_clear(self);
    Py_DECREF(type);
}

SEED(D33, "seed.Box") /* no variable has the memory: that would be a free list */
{
    PyTypeObject *type = box_type_with(NULL, NULL, is_wrong ? forget_to_free : NULL);
    Py_DECREF(full_box(type));
    Py_DECREF(type);
}

static void
free_as_plain(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    box_clear(self);
    PyObject_Free(self);
    Py_DECREF(type);
}

SEED(D34, "seed.Box")
{
    destroy_with(is_wrong ? free_as_plain : box_dealloc);
}

static void
count_and_free(void *op)
{
    PyObject_GC_Del(op);
}

static void
free_past_subtype(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    box_clear(self);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

SEED(D35, "seed.Sub")
{
    PyType_Slot slots[] = {
        {Py_tp_traverse, (void *)box_traverse},
        {Py_tp_clear, (void *)box_clear},
        {Py_tp_dealloc, (void *)(is_wrong ? free_past_subtype : box_dealloc)},
        {Py_tp_free, (void *)count_and_free},
        {0, NULL},
    };
    PyType_Spec spec = {"seed.Sub", sizeof(Box), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                        slots};
    PyTypeObject *type = (PyTypeObject *)PyType_FromSpec(&spec);
    PyObject *box = full_box(type);
    seeded = box;
    Py_DECREF(box);
    Py_DECREF(type);
}

/* --- the type --------------------------------------------------------------------------------------- */

static void
keep_type(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    box_clear(self);
    Py_TYPE(self)->tp_free(self);
}

SEED(D36, "seed.Box")
{
    destroy_with(is_wrong ? keep_type : box_dealloc);
}

static void
release_type_first(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    box_clear(self);
    Py_DECREF(type);
    type->tp_free(self);
}

SEED(D37, "seed.Box")
{
    destroy_with(is_wrong ? release_type_first : box_dealloc);
}

static void
release_type_twice(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    box_dealloc(self);
    Py_DECREF(type);
}

SEED(D38, "seed.Box")
{
    PyTypeObject *type = box_type_with(NULL, NULL, is_wrong ? release_type_twice : NULL);
    PyObject *box = full_box(type);
    seeded = box;
    if (is_wrong) {
        Py_INCREF(type); /* the destructor releases it once too often */
    }
    Py_DECREF(box);
    Py_DECREF(type);
}

SEED(D39, "seed.Box")
{
    PyTypeObject *type = new_type((struct handlers){
        .traverse = box_traverse,
        .clear = box_clear,
        .dealloc = is_wrong ? NULL : box_dealloc,
    });
    PyObject *box = full_box(type);
    seeded = box;
    Py_DECREF(box);
    seeded = NULL;
    Py_DECREF(type);
}

/* --- weak references -------------------------------------------------------------------------------- */

static void
keep_weakrefs(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    box_clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static void
clear_weakrefs_last(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    box_clear(self);
    PyObject_ClearWeakRefs(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static void
destroy_weak_with(destructor dealloc)
{
    PyTypeObject *type = new_type((struct handlers){.traverse = box_traverse,
                                                    .clear = box_clear,
                                                    .dealloc = dealloc,
                                                    .is_weak = true});
    PyObject *box = full_box(type);
    PyObject *ref = PyWeakref_NewRef(box, NULL);
    seeded = box;
    Py_DECREF(box);
    Py_DECREF(ref);
    Py_DECREF(type);
}

SEED(D41, "seed.Box")
{
    destroy_weak_with(is_wrong ? keep_weakrefs : box_dealloc);
}

SEED(D42, "seed.Box")
{
    destroy_weak_with(is_wrong ? clear_weakrefs_last : box_dealloc);
}

/* --- finalizers -------------------------------------------------------------------------------------- */

static PyObject *rescued;

static void
rescue_once(PyObject *self)
{
    rescued = Py_NewRef(self);
}

static void
free_what_was_rescued(PyObject *self)
{
    (void)PyObject_CallFinalizerFromDealloc(self);
    box_dealloc(self);
}

static void
respect_rescue(PyObject *self)
{
    if (PyObject_CallFinalizerFromDealloc(self) == 0) {
        box_dealloc(self);
    }
}

SEED(D43, "seed.Box")
{
    PyTypeObject *type = new_type((struct handlers){
        .traverse = box_traverse,
        .clear = box_clear,
        .dealloc = is_wrong ? free_what_was_rescued : respect_rescue,
        .finalize = rescue_once,
    });
    PyObject *box = full_box(type);
    seeded = box;
    Py_DECREF(box);
    if (!is_wrong) {
        Py_CLEAR(rescued);
    }
    Py_DECREF(type);
}

static void
clear_exception(PyObject *self)
{
    PyErr_Clear();
    box_dealloc(self);
}

SEED(D46, "seed.Box")
{
    PyTypeObject *type = box_type_with(NULL, NULL, is_wrong ? clear_exception : NULL);
    PyObject *box = full_box(type);
    seeded = box;
    PyErr_SetString(PyExc_ValueError, "pending");
    Py_DECREF(box);
    PyErr_Clear();
    Py_DECREF(type);
}

/* --- a free list --------------------------------------------------------------------------------------- */

static PyObject *free_list;

static void
keep_in_free_list(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    box_clear(self);
    if (free_list == NULL) {
        free_list = self;
    } else {
        type->tp_free(self);
    }
    Py_DECREF(type);
}

SEED(D47, "seed.Box")
{
    PyTypeObject *type = box_type_with(NULL, NULL, keep_in_free_list);
    Py_DECREF(full_box(type));
    PyObject *box = free_list;
    free_list = NULL;
    seeded = box;
    if (is_wrong) {
        Py_SET_REFCNT(box, 1);
        Py_INCREF(type);
    } else {
        PyObject_Init(box, type);
    }
    as_box(box)->first = PyList_New(0);
    PyObject_GC_Track(box);
    Py_DECREF(box);
    PyObject_GC_Del(free_list);
    free_list = NULL;
    Py_DECREF(type);
}
