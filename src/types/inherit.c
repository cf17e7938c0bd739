/* SPDX-License-Identifier: MIT */
/* What a type takes from its bases.
 *
 * First come the members that only tp_base decides: the GC flag with its two handlers, sizes,
 * offsets, kinds. Then each type of the MRO offers its slots, nearest first. A slot counts as
 * defined by a type when it differs from the one of that type's own base, so that a slot of a
 * far ancestor does not hide one of a nearer type in the order. */
#include "slot_table.h"
#include "type.h"

static void inherit_from_base(PyTypeObject *type, PyTypeObject *base);
static bool inherit_slots(PyTypeObject *type, PyTypeObject *from);
static void inherit_structures(PyTypeObject *type, PyTypeObject *base);

bool
ouro_type_inherit(PyTypeObject *type, struct failure *failure)
{
    PyTypeObject *base = type->tp_base;
    if (base != NULL) {
        inherit_from_base(type, base);
    }
    if (ouro_type_is_heap(type) && type->tp_alloc == NULL) {
        type->tp_alloc = PyType_GenericAlloc;
    }
    for (Py_ssize_t i = 1; i < PyTuple_GET_SIZE(type->tp_mro); i++) {
        if (!inherit_slots(type, (PyTypeObject *)PyTuple_GET_ITEM(type->tp_mro, i))) {
            return false;
        }
    }
    if (base != NULL) {
        inherit_structures(type, base);
    }
    /* If this fires: a GC type has tp_free = PyObject_Free, PyObject_Del or NULL. The
     * destructor of a subtype would free its instances with it. */
    if (PyType_IS_GC(type) && PyType_HasFeature(type, Py_TPFLAGS_BASETYPE) &&
        (type->tp_free == NULL || type->tp_free == PyObject_Free)) {
        return ouro_fail(failure, PyExc_TypeError,
                         "type '%.100s' participates in gc and is a base type but has "
                         "inappropriate tp_free slot",
                         type->tp_name);
    }
    return true;
}

/* --- what only tp_base decides ---------------------------------------------------------------- */

static void inherit_gc_triple(PyTypeObject *type, PyTypeObject *base);

static void
inherit_from_base(PyTypeObject *type, PyTypeObject *base)
{
    inherit_gc_triple(type, base);
    if (type->tp_basicsize == 0) {
        type->tp_basicsize = base->tp_basicsize;
    }
    if (type->tp_itemsize == 0) {
        type->tp_itemsize = base->tp_itemsize;
    }
    if (type->tp_weaklistoffset == 0) {
        type->tp_weaklistoffset = base->tp_weaklistoffset;
    }
    if (type->tp_dictoffset == 0) {
        type->tp_dictoffset = base->tp_dictoffset;
    }
    const unsigned long kinds = Py_TPFLAGS_LONG_SUBCLASS | Py_TPFLAGS_LIST_SUBCLASS |
                                Py_TPFLAGS_TUPLE_SUBCLASS | Py_TPFLAGS_BYTES_SUBCLASS |
                                Py_TPFLAGS_UNICODE_SUBCLASS | Py_TPFLAGS_DICT_SUBCLASS |
                                Py_TPFLAGS_BASE_EXC_SUBCLASS | Py_TPFLAGS_TYPE_SUBCLASS;
    type->tp_flags |= base->tp_flags & (kinds | Py_TPFLAGS_PREHEADER |
                                        Py_TPFLAGS_ITEMS_AT_END | _Py_TPFLAGS_MATCH_SELF);
}

/* All three or none: a type that sets the flag or one of the handlers inherits none of them. */
static void
inherit_gc_triple(PyTypeObject *type, PyTypeObject *base)
{
    if (PyType_IS_GC(base) && !PyType_IS_GC(type) && type->tp_traverse == NULL &&
        type->tp_clear == NULL) {
        type->tp_flags |= Py_TPFLAGS_HAVE_GC;
        type->tp_traverse = base->tp_traverse;
        type->tp_clear = base->tp_clear;
    }
}

/* --- what the MRO offers ------------------------------------------------------------------------ */

static void inherit_inner_slots(PyTypeObject *type, PyTypeObject *from);
static void inherit_slot(PyTypeObject *type, PyTypeObject *from, int id);
static void inherit_call(PyTypeObject *type, PyTypeObject *from);
static bool inherit_comparison(PyTypeObject *type, PyTypeObject *from);
static void inherit_free(PyTypeObject *type, PyTypeObject *from);
static void inherit_pattern_flags(PyTypeObject *type, PyTypeObject *from);
static void inherit_managed_words(PyTypeObject *type, PyTypeObject *from);

static bool
inherit_slots(PyTypeObject *type, PyTypeObject *from)
{
    static const int alone[] = {
        Py_tp_dealloc,  Py_tp_repr,      Py_tp_str,       Py_tp_iter,
        Py_tp_iternext, Py_tp_descr_get, Py_tp_descr_set, Py_tp_init,
        Py_tp_alloc,    Py_tp_is_gc,     Py_tp_finalize,
    };
    inherit_inner_slots(type, from);
    for (size_t i = 0; i < Py_ARRAY_LENGTH(alone); i++) {
        inherit_slot(type, from, alone[i]);
    }
    if (type->tp_getattr == NULL && type->tp_getattro == NULL) {
        type->tp_getattr = from->tp_getattr;
        type->tp_getattro = from->tp_getattro;
    }
    if (type->tp_setattr == NULL && type->tp_setattro == NULL) {
        type->tp_setattr = from->tp_setattr;
        type->tp_setattro = from->tp_setattro;
    }
    if (from->tp_descr_get != NULL && type->tp_descr_get == from->tp_descr_get &&
        PyType_HasFeature(type, Py_TPFLAGS_IMMUTABLETYPE)) {
        type->tp_flags |= from->tp_flags & Py_TPFLAGS_METHOD_DESCRIPTOR;
    }
    inherit_call(type, from);
    inherit_free(type, from);
    inherit_pattern_flags(type, from);
    inherit_managed_words(type, from);
    return inherit_comparison(type, from);
}

static void
inherit_inner_slots(PyTypeObject *type, PyTypeObject *from)
{
    for (int id = 1; id <= OURO_SLOT_LAST; id++) {
        const struct slot_place *place = ouro_slot_place(id);
        if (place != NULL && place->inner != OURO_SLOT_NONE &&
            ouro_slot_has_room(type, place)) {
            inherit_slot(type, from, id);
        }
    }
}

static void
inherit_slot(PyTypeObject *type, PyTypeObject *from, int id)
{
    const struct slot_place *place = ouro_slot_place(id);
    void *offered = ouro_slot_read(from, place);
    PyTypeObject *above = from->tp_base;
    bool defined =
        offered != NULL && (above == NULL || ouro_slot_read(above, place) != offered);
    if (defined && ouro_slot_read(type, place) == NULL) {
        ouro_slot_write(type, place, offered);
    }
}

/* The flag travels with the offset as long as tp_call is not overridden. */
static void
inherit_call(PyTypeObject *type, PyTypeObject *from)
{
    PyTypeObject *above = from->tp_base;
    if (type->tp_vectorcall_offset == 0 &&
        (above == NULL || above->tp_vectorcall_offset != from->tp_vectorcall_offset)) {
        type->tp_vectorcall_offset = from->tp_vectorcall_offset;
    }
    if (type->tp_call == NULL) {
        type->tp_flags |= from->tp_flags & Py_TPFLAGS_HAVE_VECTORCALL;
    }
    inherit_slot(type, from, Py_tp_call);
}

/* Equality and hash belong together: a type that overrides one of them inherits neither. */
static bool
inherit_comparison(PyTypeObject *type, PyTypeObject *from)
{
    if (type->tp_richcompare != NULL || type->tp_hash != NULL) {
        return true;
    }
    int has_eq = PyDict_ContainsString(type->tp_dict, "__eq__");
    int has_hash =
        has_eq != 0 ? has_eq : PyDict_ContainsString(type->tp_dict, "__hash__");
    if (has_hash == 0) {
        type->tp_richcompare = from->tp_richcompare;
        type->tp_hash = from->tp_hash;
    }
    return has_hash >= 0;
}

static void
inherit_free(PyTypeObject *type, PyTypeObject *from)
{
    if (PyType_IS_GC(type) == PyType_IS_GC(from)) {
        inherit_slot(type, from, Py_tp_free);
    } else if (PyType_IS_GC(type) && type->tp_free == NULL &&
               from->tp_free == PyObject_Free) {
        type->tp_free = PyObject_GC_Del; /* the type adds GC to a plain base */
    }
}

static void
inherit_pattern_flags(PyTypeObject *type, PyTypeObject *from)
{
    const unsigned long patterns = Py_TPFLAGS_SEQUENCE | Py_TPFLAGS_MAPPING;
    if ((type->tp_flags & patterns) == 0) {
        type->tp_flags |= from->tp_flags & patterns;
    }
}

/* Managed words are outside the layout, so a base that is not tp_base can bring them. Its
 * methods rely on them. */
static void
inherit_managed_words(PyTypeObject *type, PyTypeObject *from)
{
    if (type->tp_dictoffset == 0) {
        type->tp_flags |= from->tp_flags & Py_TPFLAGS_MANAGED_DICT;
    }
    if (type->tp_weaklistoffset == 0) {
        type->tp_flags |= from->tp_flags & Py_TPFLAGS_MANAGED_WEAKREF;
    }
}

/* A type without a structure of its own shares its base's. This comes after the loop: a shared
 * structure must not be filled with slots of other bases. */
static void
inherit_structures(PyTypeObject *type, PyTypeObject *base)
{
    if (type->tp_as_async == NULL) {
        type->tp_as_async = base->tp_as_async;
    }
    if (type->tp_as_sequence == NULL) {
        type->tp_as_sequence = base->tp_as_sequence;
    }
    if (type->tp_as_mapping == NULL) {
        type->tp_as_mapping = base->tp_as_mapping;
    }
    if (type->tp_as_number == NULL) {
        type->tp_as_number = base->tp_as_number;
    }
    if (type->tp_as_buffer == NULL) {
        type->tp_as_buffer = base->tp_as_buffer;
    }
}
