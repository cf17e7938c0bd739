/* SPDX-License-Identifier: MIT */
/* Fields that a type declares (ouro_fields.h): their names in reports, arrays that are longer
 * than their blocks, and fields that never hold anything. */
#include "../object/edges.h"
#include "check.h"

#define HELD_AFTER 20 /* instances looked at before a field is called unused */

/* The innermost field at an offset; NULL when none is declared there. */
static const Ouro_Field *
find_in_list(const Ouro_Field *list, Py_ssize_t offset)
{
    for (const Ouro_Field *field = list; field->kind != OURO_FIELD_END; field++) {
        Py_ssize_t words = field->kind == OURO_FIELD_REFERENCE ? field->count : 1;
        Py_ssize_t end = field->offset + words * (Py_ssize_t)sizeof(PyObject *);
        if (field->kind == OURO_FIELD_STRUCT && offset >= field->offset &&
            offset < field->offset + field->size) {
            return find_in_list(field->element, offset - field->offset);
        }
        if (field->offset != 0 && offset >= field->offset && offset < end &&
            field->through == 0) {
            return field;
        }
    }
    return NULL;
}

const Ouro_Field *
ouro_declared_at(PyTypeObject *type, Py_ssize_t offset)
{
    const Ouro_Field *field = NULL;
    for (; type != NULL && field == NULL && offset >= 0; type = type->tp_base) {
        if (type->tp_ouro_fields != NULL) {
            field = find_in_list(type->tp_ouro_fields->list, offset);
        }
    }
    return field;
}

/* --- arrays --------------------------------------------------------------------------------- */

/* Does the array of a step end inside its block? Unknown blocks are assumed to be large enough. */
static bool
array_fits(PyObject *op, const struct edge_step *step)
{
    struct edge_span span = ouro_edges_span(op, step);
    const struct record *record =
        span.start != NULL ? ouro_record_live(span.start) : NULL;
    size_t bytes = (size_t)span.count * step->stride;
    if (record == NULL || record->family != BLOCK_PLAIN || bytes <= record->bytes) {
        return true;
    }
    ouro_report(
        OURO_GC_T73, op, step->offset,
        "the array of field '%s' has %zd elements, %zu bytes, in a block of %zu bytes",
        step->field->name, span.count, bytes, record->bytes);
    return false;
}

bool
ouro_declared_arrays_fit(PyObject *op)
{
    const struct ouro_edges *edges = Py_TYPE(op)->tp_ouro_edges;
    bool all_fit = true;
    for (uint32_t i = 0; edges != NULL && i < edges->step_count; i++) {
        const struct edge_step *step = &edges->steps[i];
        all_fit &=
            step->kind != EDGE_COUNTED || step->through != 0 || array_fits(op, step);
    }
    return all_fit;
}

/* --- fields that hold nothing ----------------------------------------------------------------- */

static bool
holds_something(PyObject *op, const Ouro_Field *field)
{
    PyObject *const *word = (PyObject *const *)((char *)op + field->offset);
    for (Py_ssize_t i = 0; i < field->count; i++) {
        if (word[i] != NULL) {
            return true;
        }
    }
    return false;
}

void
ouro_declared_note_held(PyObject *op, struct type_info *info)
{
    const Ouro_Fields *fields = Py_TYPE(op)->tp_ouro_fields;
    uint64_t bit = 1;
    info->looked_at++;
    for (const Ouro_Field *field = fields == NULL ? NULL : fields->list;
         field != NULL && field->kind != OURO_FIELD_END && bit != 0; field++, bit <<= 1) {
        if (field->kind != OURO_FIELD_REFERENCE || (info->held & bit) != 0) {
            continue;
        }
        if (holds_something(op, field)) {
            info->held |= bit;
        } else if (info->looked_at >= HELD_AFTER) {
            ouro_report(OURO_GC_T74, op, field->offset,
                        "the declared field '%s' held nothing in %d instances",
                        field->name, HELD_AFTER);
        }
    }
}
