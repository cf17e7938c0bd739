/* SPDX-License-Identifier: MIT */
/* From the fields that a type declares to its edges (object/edges.h).
 *
 * First the list is checked. PyType_Ready fails, and names the type and the field, if a field
 * lies outside the object, overlaps another, or is of a kind that the type cannot have. Then
 * the lists of the type and its bases become steps; references that lie side by side become one
 * step. A base that has only handlers becomes a call of its tp_traverse. */
#include "fields.h"

#include <stdlib.h>

#include "../object/edges.h"
#include "type.h"

#define STEPS_MOST 64

/* --- checking a list ------------------------------------------------------------------------ */

static bool
fail_field(PyTypeObject *type, const Ouro_Field *field, struct failure *failure,
           const char *why)
{
    return ouro_fail(failure, PyExc_SystemError, "type %s: field '%s' %s", type->tp_name,
                     field->name, why);
}

/* Bytes of the object that the field takes up. */
static Py_ssize_t
extent_of_field(const Ouro_Field *field)
{
    switch (field->kind) {
    case OURO_FIELD_REFERENCE:
        return field->count * (Py_ssize_t)sizeof(PyObject *);
    case OURO_FIELD_STRUCT:
        return field->size;
    case OURO_FIELD_COUNTED:
    case OURO_FIELD_WEAKREFS:
    case OURO_FIELD_BORROWED:
        return sizeof(PyObject *);
    default:
        return 0; /* no fixed place */
    }
}

static bool
has_length_outside(const PyTypeObject *type, const Ouro_Field *field)
{
    return field->kind == OURO_FIELD_COUNTED && field->through == 0 &&
           (field->length < (Py_ssize_t)sizeof(PyObject) ||
            field->length + field->length_size > type->tp_basicsize);
}

static bool
check_place(PyTypeObject *type, const Ouro_Field *field, struct failure *failure)
{
    Py_ssize_t offset = field->through != 0 ? field->through : field->offset;
    Py_ssize_t end = offset + extent_of_field(field);
    if (extent_of_field(field) == 0) {
        return true;
    }
    if (offset < (Py_ssize_t)sizeof(PyObject) || end > type->tp_basicsize) {
        return fail_field(type, field, failure, "lies outside the object");
    }
    if (offset % (Py_ssize_t)sizeof(PyObject *) != 0) {
        return fail_field(type, field, failure, "is not aligned as a pointer");
    }
    PyTypeObject *base = type->tp_base;
    if (base != NULL && offset < base->tp_basicsize) {
        return fail_field(type, field, failure, "lies in the part of the base");
    }
    if (has_length_outside(type, field)) {
        return fail_field(type, field, failure, "has its length outside the object");
    }
    return true;
}

/* The end of the fixed part of a field: items take the rest of the object. */
static Py_ssize_t
end_of_field(const Ouro_Field *field)
{
    return field->kind == OURO_FIELD_ITEMS ? PY_SSIZE_T_MAX
                                           : field->offset + extent_of_field(field);
}

static bool
has_length_in(const Ouro_Field *field, const Ouro_Field *other)
{
    return field->kind == OURO_FIELD_COUNTED && field->through == 0 &&
           field->length < end_of_field(other) &&
           other->offset < field->length + field->length_size;
}

static bool
do_overlap(const Ouro_Field *field, const Ouro_Field *other)
{
    bool have_room = extent_of_field(field) != 0 || field->kind == OURO_FIELD_ITEMS;
    bool has_room = extent_of_field(other) != 0 || other->kind == OURO_FIELD_ITEMS;
    return have_room && has_room &&
           ((field->offset < end_of_field(other) &&
             other->offset < end_of_field(field)) ||
            has_length_in(field, other) || has_length_in(other, field));
}

static bool
check_overlap(PyTypeObject *type, const Ouro_Field *list, const Ouro_Field *field,
              struct failure *failure)
{
    for (const Ouro_Field *other = list; other != field; other++) {
        if (do_overlap(field, other)) {
            return ouro_fail(failure, PyExc_SystemError,
                             "type %s: fields '%s' and '%s' overlap", type->tp_name,
                             other->name, field->name);
        }
    }
    return true;
}

static bool
check_kind(PyTypeObject *type, const Ouro_Field *field, struct failure *failure)
{
    switch (field->kind) {
    case OURO_FIELD_ITEMS:
        if (type->tp_itemsize < (Py_ssize_t)sizeof(PyObject *)) {
            return fail_field(type, field, failure,
                              "has items, but tp_itemsize has no room for a reference");
        }
        if (field->offset > type->tp_basicsize) {
            return fail_field(type, field, failure, "lies outside the object");
        }
        return true;
    case OURO_FIELD_WEAKREFS:
        return field->offset == type->tp_weaklistoffset ||
               fail_field(type, field, failure,
                          "is a list of weak references, but not at tp_weaklistoffset");
    case OURO_FIELD_MANAGED_DICT:
        if (!PyType_HasFeature(type, Py_TPFLAGS_MANAGED_DICT)) {
            return fail_field(
                type, field, failure,
                "is a managed dict, but Py_TPFLAGS_MANAGED_DICT is missing");
        }
        return !PyType_HasFeature(type->tp_base, Py_TPFLAGS_MANAGED_DICT) ||
               fail_field(type, field, failure, "is the base's managed dict");
    default:
        return field->kind == OURO_FIELD_BORROWED || field->offset == 0 ||
               field->offset != type->tp_weaklistoffset ||
               fail_field(type, field, failure,
                          "is at tp_weaklistoffset, but no list of weak references");
    }
}

/* A struct inside the object, or the elements of an array of structs. */
static bool
check_struct(PyTypeObject *type, const Ouro_Field *field, struct failure *failure)
{
    bool is_array = field->kind == OURO_FIELD_COUNTED;
    for (const Ouro_Field *inner = field->element;
         inner != NULL && inner->kind != OURO_FIELD_END; inner++) {
        bool is_plain = inner->kind == OURO_FIELD_REFERENCE ||
                        inner->kind == OURO_FIELD_BORROWED ||
                        inner->kind == OURO_FIELD_STRUCT;
        if (!is_plain && (is_array || inner->kind != OURO_FIELD_COUNTED)) {
            return fail_field(type, inner, failure,
                              "is of a kind that a struct cannot have");
        }
        if (inner->offset < 0 || inner->offset + extent_of_field(inner) > field->size) {
            return fail_field(type, inner, failure, "lies outside its struct");
        }
        if (!check_overlap(type, field->element, inner, failure) ||
            !check_struct(type, inner, failure)) {
            return false;
        }
    }
    return true;
}

static bool
check_list(PyTypeObject *type, const Ouro_Field *list, struct failure *failure)
{
    if (!PyType_IS_GC(type)) {
        return ouro_fail(failure, PyExc_SystemError,
                         "type %s declares fields, but Py_TPFLAGS_HAVE_GC is missing",
                         type->tp_name);
    }
    for (const Ouro_Field *field = list; field->kind != OURO_FIELD_END; field++) {
        if (!check_place(type, field, failure) || !check_kind(type, field, failure) ||
            !check_overlap(type, list, field, failure) ||
            !check_struct(type, field, failure)) {
            return false;
        }
    }
    return true;
}

/* --- steps ---------------------------------------------------------------------------------- */

/* Edges that are being made. */
struct making {
    PyTypeObject *type;
    struct edge_step steps[STEPS_MOST];
    uint32_t count;
    bool does_more; /* work remains that the steps do not describe */
    bool too_many;
};

static void
add_step(struct making *making, struct edge_step step)
{
    making->too_many |= making->count == STEPS_MOST;
    if (!making->too_many) {
        making->steps[making->count++] = step;
    }
}

static void
add_words(struct making *making, const Ouro_Field *field, Py_ssize_t offset,
          Py_ssize_t words)
{
    add_step(making, (struct edge_step){.kind = EDGE_WORDS,
                                        .words = (uint32_t)words,
                                        .offset = (int32_t)offset,
                                        .field = field});
}

/* The references in the elements of an array; `array` says where the elements are. */
static void
add_element(struct making *making, struct edge_step array, const Ouro_Field *list,
            Py_ssize_t first)
{
    for (const Ouro_Field *inner = list; inner->kind != OURO_FIELD_END; inner++) {
        if (inner->kind == OURO_FIELD_STRUCT) {
            add_element(making, array, inner->element, first + inner->offset);
        } else if (inner->kind == OURO_FIELD_REFERENCE) {
            array.first = (uint32_t)(first + inner->offset);
            array.words = (uint32_t)inner->count;
            add_step(making, array);
        }
    }
}

/* Does it run none of the program's code? */
static bool
is_known_release(freefunc release)
{
    return release == NULL || release == PyMem_Free || release == PyObject_Free ||
           release == PyMem_RawFree || release == free;
}

static void
add_array(struct making *making, const Ouro_Field *field, struct edge_step array)
{
    uint32_t first = making->count;
    array.field = field;
    array.words = 1;
    array.stride = (uint32_t)field->size;
    if (field->element == NULL) {
        add_step(making, array);
    } else {
        add_element(making, array, field->element, 0);
    }
    if (first == making->count || !is_known_release(field->release)) {
        making->does_more = true;
    } else {
        making->steps[first].release = field->release;
    }
}

/* Where the items of an instance begin. */
static int32_t
offset_of_items(const PyTypeObject *type, const Ouro_Field *field)
{
    bool at_end = (type->tp_flags & Py_TPFLAGS_ITEMS_AT_END) != 0;
    return (int32_t)(at_end ? type->tp_basicsize : field->offset);
}

static void
add_list(struct making *making, const Ouro_Field *list, Py_ssize_t from)
{
    for (const Ouro_Field *field = list; field->kind != OURO_FIELD_END; field++) {
        Py_ssize_t offset = from + field->offset;
        switch (field->kind) {
        case OURO_FIELD_REFERENCE:
            add_words(making, field, offset, field->count);
            break;
        case OURO_FIELD_STRUCT:
            add_list(making, field->element, offset);
            break;
        case OURO_FIELD_COUNTED:
            add_array(making, field,
                      (struct edge_step){.kind = EDGE_COUNTED,
                                         .length_size = (uint8_t)field->length_size,
                                         .through = (int32_t)field->through,
                                         .length = (int32_t)(from + field->length),
                                         .offset = (int32_t)offset});
            break;
        case OURO_FIELD_ITEMS:
            add_array(making, field,
                      (struct edge_step){.kind = EDGE_ITEMS,
                                         .offset = offset_of_items(making->type, field)});
            break;
        case OURO_FIELD_MANAGED_DICT:
            making->does_more = true;
            add_words(making, field,
                      OURO_MANAGED_DICT_WORD * (Py_ssize_t)sizeof(PyObject *), 1);
            break;
        case OURO_FIELD_REST:
            making->does_more = true;
            if (field->visit != NULL) {
                add_step(making, (struct edge_step){.kind = EDGE_CALL,
                                                    .field = field,
                                                    .visit = field->visit});
            }
            break;
        default: /* neither owned nor visited */
            break;
        }
    }
}

/* --- the type and its bases --------------------------------------------------------------------- */

static const Ouro_Field type_field = {.name = "ob_type"};
static const Ouro_Field base_field = {.name = "the base"};

/* Add what `type` and its bases visit; false when only its handler knows. */
static bool
add_types(struct making *making, PyTypeObject *type)
{
    bool has_list = false;
    for (PyTypeObject *t = type; t != NULL && t->tp_traverse != NULL; t = t->tp_base) {
        PyTypeObject *base = t->tp_base;
        if (t->tp_ouro_fields != NULL) {
            has_list = true;
            add_list(making, t->tp_ouro_fields->list, 0);
        } else if (base != NULL && t->tp_traverse == base->tp_traverse) {
            continue;
        } else if (!has_list) {
            return false;
        } else {
            add_step(making, (struct edge_step){.kind = EDGE_CALL,
                                                .field = &base_field,
                                                .visit = t->tp_traverse});
            making->does_more = true;
            if (ouro_type_is_heap(t)) {
                return true; /* it visits the type */
            }
            break;
        }
    }
    if (ouro_type_is_heap(type)) {
        add_words(making, &type_field, offsetof(PyObject, ob_type), 1);
    }
    return has_list;
}

static int
compare_steps(const void *a, const void *b)
{
    const struct edge_step *x = a, *y = b;
    return x->kind != y->kind       ? (x->kind > y->kind) - (x->kind < y->kind)
           : x->offset != y->offset ? (x->offset > y->offset) - (x->offset < y->offset)
                                    : (x->first > y->first) - (x->first < y->first);
}

/* Words come first, in order; words side by side become one step. */
static void
join_steps(struct making *making)
{
    uint32_t kept = 0;
    qsort(making->steps, making->count, sizeof making->steps[0], compare_steps);
    for (uint32_t i = 0; i < making->count; i++) {
        const struct edge_step *step = &making->steps[i];
        struct edge_step *last = kept > 0 ? &making->steps[kept - 1] : NULL;
        if (last != NULL && step->kind == EDGE_WORDS && last->kind == EDGE_WORDS &&
            last->offset + (int32_t)(last->words * sizeof(PyObject *)) == step->offset) {
            last->words += step->words;
        } else {
            making->steps[kept++] = *step;
        }
    }
    making->count = kept;
}

/* The words that lie side by side and that tp_clear releases: the type is not among them. */
static void
note_own_words(struct ouro_edges *edges)
{
    bool has_type = edges->words > 0 && edges->offset == offsetof(PyObject, ob_type);
    edges->own_offset = edges->offset + (has_type ? (int32_t)sizeof(PyObject *) : 0);
    edges->own_words = edges->words - has_type;
}

static bool
bases_are_plain(const PyTypeObject *type)
{
    const PyTypeObject *base = type->tp_base;
    return base == &PyBaseObject_Type ||
           (base != NULL && ouro_edges_are_plain(base->tp_ouro_edges, base));
}

static void
note_handlers(struct ouro_edges *edges, const struct making *making)
{
    const Ouro_Fields *fields = making->type->tp_ouro_fields;
    if (fields == NULL || fields->dealloc == NULL || making->does_more ||
        !bases_are_plain(making->type)) {
        return;
    }
    edges->is_plain = true;
    edges->clear = fields->clear;
    edges->dealloc = fields->dealloc;
    edges->free = PyObject_GC_Del;
    for (uint32_t i = 0; i < edges->step_count; i++) {
        edges->has_arrays |= edges->steps[i].release != NULL;
    }
}

static const Ouro_Field *
nearest_list(const PyTypeObject *type)
{
    while (type->tp_ouro_fields == NULL) {
        type = type->tp_base;
    }
    return type->tp_ouro_fields->list;
}

/* The edges in memory of the type's own; NULL when there is none. */
static struct ouro_edges *
new_edges(const struct making *making)
{
    bool has_words = making->count > 0 && making->steps[0].kind == EDGE_WORDS;
    size_t steps = making->count - has_words;
    struct ouro_edges *edges =
        PyMem_RawCalloc(1, sizeof *edges + steps * sizeof edges->steps[0]);
    if (edges == NULL) {
        return NULL;
    }
    if (has_words) {
        edges->offset = making->steps[0].offset;
        edges->words = making->steps[0].words;
    }
    edges->step_count = (uint32_t)steps;
    edges->list = nearest_list(making->type);
    memcpy(edges->steps, making->steps + has_words, steps * sizeof edges->steps[0]);
    note_own_words(edges);
    note_handlers(edges, making);
    return edges;
}

/* Weak references that the list does not name are cleared by nobody but the library. */
static bool
names_weakrefs(const PyTypeObject *type, const Ouro_Field *list)
{
    while (list->kind != OURO_FIELD_END && list->kind != OURO_FIELD_WEAKREFS) {
        list++;
    }
    return type->tp_weaklistoffset == 0 || list->kind == OURO_FIELD_WEAKREFS;
}

/* Does the type add nothing to its list, when an instance dies? The checking library looks at
 * every death. */
static bool
dies_in_line(const PyTypeObject *type, const Ouro_Fields *fields)
{
    return !OURO_CHECK && fields != NULL && type->tp_base == &PyBaseObject_Type &&
           type->tp_dealloc == fields->dealloc &&
           (type->tp_flags & Py_TPFLAGS_ITEMS_AT_END) == 0 &&
           names_weakrefs(type, fields->list);
}

bool
ouro_fields_ready(PyTypeObject *type, struct failure *failure)
{
    const Ouro_Fields *fields = type->tp_ouro_fields;
    if (fields != NULL && !check_list(type, fields->list, failure)) {
        return false;
    }
    type->tp_ouro_inline_dealloc = dies_in_line(type, fields);
    struct making making = {.type = type};
    if (!PyType_IS_GC(type) || !add_types(&making, type)) {
        return true;
    }
    if (making.too_many) {
        return ouro_fail(failure, PyExc_SystemError, "type %s declares too many fields",
                         type->tp_name);
    }
    join_steps(&making);
    PyMem_RawFree((void *)type->tp_ouro_edges);
    type->tp_ouro_edges = new_edges(&making);
    return type->tp_ouro_edges != NULL ||
           ouro_fail(failure, PyExc_MemoryError, "no memory for the fields of type %s",
                     type->tp_name);
}

void
ouro_fields_set_handlers(PyTypeObject *type)
{
    const Ouro_Fields *fields = type->tp_ouro_fields;
    if (fields == NULL) {
        return;
    }
    if (type->tp_traverse == NULL) {
        type->tp_traverse = fields->traverse;
    }
    if (type->tp_clear == NULL) {
        type->tp_clear = fields->clear;
    }
    if (type->tp_dealloc == NULL) {
        type->tp_dealloc = fields->dealloc;
    }
}
