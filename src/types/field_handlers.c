/* SPDX-License-Identifier: MIT */
/* tp_traverse, tp_clear and tp_dealloc of types that declare their fields.
 *
 * A subtype may have its own handlers that call these. So each handler first searches, from the
 * object's type upwards, for the type that declared the list. */
#include <ouro_fields.h>

#include "../object/edges.h"
#include "type.h"

/* --- tp_traverse ------------------------------------------------------------------------------ */

int
Ouro_FieldsTraverse(const Ouro_Field *list, PyObject *self, visitproc visit, void *arg)
{
    PyTypeObject *type = Py_TYPE(self);
    while (type->tp_ouro_edges == NULL || type->tp_ouro_edges->list != list) {
        type = type->tp_base;
    }
    return ouro_edges_visit(type->tp_ouro_edges, self, visit, arg);
}

/* --- tp_clear --------------------------------------------------------------------------------- */

static void clear_list(const Ouro_Field *list, PyObject *self, char *from);

static void
clear_words(char *at, Py_ssize_t words)
{
    for (PyObject **word = (PyObject **)at; words > 0; words--, word++) {
        Py_CLEAR(*word);
    }
}

/* The array of a field, which leaves the object. */
static struct edge_span
take_array(const Ouro_Field *field, PyObject *self, char *from)
{
    char **place = (char **)(from + field->offset);
    struct edge_step step = {.kind = EDGE_COUNTED,
                             .length_size = (uint8_t)field->length_size,
                             .offset = (int32_t)((char *)place - (char *)self),
                             .length = (int32_t)(from + field->length - (char *)self),
                             .field = field};
    struct edge_span span = ouro_edges_span(self, &step);
    *place = NULL;
    return span;
}

static void
release_array(const Ouro_Field *field, PyObject *self, struct edge_span span)
{
    for (Py_ssize_t i = 0; i < span.count; i++) {
        char *element = span.start + i * field->size;
        if (field->element == NULL) {
            clear_words(element, 1);
        } else {
            clear_list(field->element, self, element);
        }
    }
    if (field->release != NULL && span.start != NULL) {
        field->release(span.start);
    }
}

static void
empty_lengths(const Ouro_Field *list, char *from)
{
    for (const Ouro_Field *field = list; field->kind != OURO_FIELD_END; field++) {
        if (field->kind == OURO_FIELD_COUNTED) {
            memset(from + field->length, 0, (size_t)field->length_size);
        }
    }
}

/* Clear the arrays of the list from `field` on. Arrays may share a length, and to release an
 * element may run any code: first all arrays leave the object, then all lengths become 0. */
static void
clear_arrays(const Ouro_Field *list, const Ouro_Field *field, PyObject *self, char *from)
{
    while (field->kind != OURO_FIELD_END && field->kind != OURO_FIELD_COUNTED) {
        field++;
    }
    if (field->kind == OURO_FIELD_END) {
        empty_lengths(list, from);
    } else {
        struct edge_span span = take_array(field, self, from);
        clear_arrays(list, field + 1, self, from);
        release_array(field, self, span);
    }
}

static char *
start_of_items(const Ouro_Field *field, PyObject *self)
{
    bool at_end = PyType_HasFeature(Py_TYPE(self), Py_TPFLAGS_ITEMS_AT_END);
    return (char *)self + (at_end ? Py_TYPE(self)->tp_basicsize : field->offset);
}

/* The fields of a struct at `from`: the object itself, or a part of it. */
static void
clear_list(const Ouro_Field *list, PyObject *self, char *from)
{
    for (const Ouro_Field *field = list; field->kind != OURO_FIELD_END; field++) {
        switch (field->kind) {
        case OURO_FIELD_REFERENCE:
            clear_words(from + field->offset, field->count);
            break;
        case OURO_FIELD_STRUCT:
            clear_list(field->element, self, from + field->offset);
            break;
        case OURO_FIELD_ITEMS:
            clear_words(start_of_items(field, self), Py_SIZE(self));
            break;
        case OURO_FIELD_MANAGED_DICT:
            PyObject_ClearManagedDict(self);
            break;
        case OURO_FIELD_REST:
            if (field->clear != NULL) {
                (void)field->clear(self);
            }
            break;
        default:
            break;
        }
    }
    clear_arrays(list, list, self, from);
}

/* The type that declares the list. */
static PyTypeObject *
type_that_declares(const Ouro_Field *list, PyTypeObject *type)
{
    while (type->tp_ouro_fields == NULL || type->tp_ouro_fields->list != list) {
        type = type->tp_base;
    }
    return type;
}

int
Ouro_FieldsClear(const Ouro_Field *list, PyObject *self)
{
    PyTypeObject *base = type_that_declares(list, Py_TYPE(self))->tp_base;
    clear_list(list, self, (char *)self);
    return base->tp_clear != NULL ? base->tp_clear(self) : 0;
}

/* --- tp_dealloc ------------------------------------------------------------------------------- */

/* Weak references that `type` adds to what its base has. */
static void
clear_weakrefs(PyObject *self, const PyTypeObject *type)
{
    Py_ssize_t offset = type->tp_weaklistoffset;
    if (offset != 0 && type->tp_base->tp_weaklistoffset == 0 &&
        *(PyObject **)((char *)self + offset) != NULL) {
        PyObject_ClearWeakRefs(self);
    }
}

/* The fields of `type` are gone: call the base's handler, or free the object. Afterwards
 * neither self nor, perhaps, the type can be read. */
static void
free_or_leave_to_base(PyObject *self, PyTypeObject *type)
{
    PyTypeObject *own = Py_TYPE(self), *base = type->tp_base;
    bool owns_type = ouro_type_is_heap(type) && !ouro_type_is_heap(base);
    if (base->tp_dealloc == PyBaseObject_Type.tp_dealloc) {
        own->tp_free(self);
    } else {
        if (PyType_IS_GC(base)) {
            PyObject_GC_Track(self); /* the base expects a tracked object */
        }
        base->tp_dealloc(self);
    }
    if (owns_type) {
        Py_DECREF(own);
    }
}

/* What tp_dealloc does that is not compiled for the type (ouro_fields.h). */
void
Ouro_FieldsDealloc(const Ouro_Field *list, PyObject *self)
{
    PyTypeObject *type = type_that_declares(list, Py_TYPE(self));
    if (Py_TYPE(self)->tp_finalize != NULL &&
        PyObject_CallFinalizerFromDealloc(self) < 0) {
        return;
    }
    PyObject_GC_UnTrack(self);
    clear_weakrefs(self, type);
    clear_list(list, self, (char *)self);
    free_or_leave_to_base(self, type);
}
