/* SPDX-License-Identifier: MIT */
/* Heap types from a PySlot array (3.15): the array as a plan.
 *
 * The array may contain others: Py_slot_subslots of its own kind, Py_tp_slots of the older
 * kind. A slot may come once only, and an unknown one must be marked optional. */
#include <ouro_fields.h>

#include "plan.h"

#define OURO_SLOTS_NESTING 5 /* arrays within arrays */

static bool read_slots(struct plan *plan, const PySlot *slots, int depth,
                       struct failure *failure);

PyObject *
PyType_FromSlots(const PySlot *slots)
{
    struct failure failure = {0};
    struct plan plan = {0};
    PyObject *type = NULL;
    if (slots == NULL) {
        ouro_fail(&failure, PyExc_SystemError, "PyType_FromSlots: slots is NULL");
    } else if (read_slots(&plan, slots, 0, &failure)) {
        type = ouro_plan_build(&plan, &failure);
    }
    if (type == NULL) {
        ouro_failure_raise(&failure);
    }
    return type;
}

static Py_ssize_t
number_in(const PySlot *slot)
{
    return slot->sl_flags & PySlot_INTPTR ? (Py_ssize_t)(intptr_t)slot->sl_ptr
                                          : slot->sl_size;
}

static bool
read_size(Py_ssize_t *size, const PySlot *slot, const char *name, struct failure *failure)
{
    *size = number_in(slot);
    if (*size < 0) {
        return ouro_fail(failure, PyExc_SystemError, "%s must not be negative", name);
    }
    return true;
}

static bool
read_basicsize(struct plan *plan, const PySlot *slot, struct failure *failure)
{
    bool extra = slot->sl_id == Py_tp_extra_basicsize;
    if (plan->seen[extra ? Py_tp_basicsize : Py_tp_extra_basicsize]) {
        return ouro_fail(failure, PyExc_SystemError,
                         "Py_tp_basicsize and Py_tp_extra_basicsize exclude each other");
    }
    const char *name = extra ? "Py_tp_extra_basicsize" : "Py_tp_basicsize";
    if (!read_size(&plan->basicsize, slot, name, failure)) {
        return false;
    }
    plan->basicsize = extra ? -plan->basicsize : plan->basicsize;
    return true;
}

/* A slot that describes the type without living in it. Returns false and leaves the
 * failure empty when `slot` is none of these. */
static bool
read_header_slot(struct plan *plan, const PySlot *slot, struct failure *failure)
{
    switch (slot->sl_id) {
    case Py_tp_name:
        plan->name = slot->sl_ptr;
        return true;
    case Py_tp_basicsize:
    case Py_tp_extra_basicsize:
        return read_basicsize(plan, slot, failure);
    case Py_tp_itemsize:
        return read_size(&plan->itemsize, slot, "Py_tp_itemsize", failure);
    case Py_tp_flags:
        plan->flags =
            slot->sl_flags & PySlot_INTPTR ? (uintptr_t)slot->sl_ptr : slot->sl_uint64;
        return true;
    case Py_tp_metaclass:
        plan->metaclass = slot->sl_ptr;
        return true;
    case Py_tp_module:
        plan->module = slot->sl_ptr;
        return true;
    default:
        return false;
    }
}

static bool
read_nested(struct plan *plan, const PySlot *slot, int depth, struct failure *failure)
{
    if (slot->sl_ptr == NULL) {
        return true;
    }
    if (depth == OURO_SLOTS_NESTING) {
        return ouro_fail(failure, PyExc_SystemError, "slots are nested too deep");
    }
    if (slot->sl_id == Py_tp_slots) {
        return ouro_plan_spec_slots(plan, slot->sl_ptr, failure);
    }
    return read_slots(plan, slot->sl_ptr, depth + 1, failure);
}

static bool
read_one_slot(struct plan *plan, const PySlot *slot, int depth, struct failure *failure)
{
    int id = ouro_slot_current(slot->sl_id);
    if (id == Py_slot_subslots || id == Py_tp_slots) {
        return read_nested(plan, slot, depth, failure);
    }
    bool known = id <= OURO_SLOT_LAST;
    if (known && plan->seen[id]) {
        return ouro_fail(failure, PyExc_SystemError, "slot %d is repeated", id);
    }
    if (known && read_header_slot(plan, slot, failure)) {
        plan->seen[id] = true;
        return true;
    }
    if (failure->exception != NULL) {
        return false;
    }
    if (id != Ouro_tp_fields && (!known || ouro_slot_place(id) == NULL)) {
        return (slot->sl_flags & PySlot_OPTIONAL) ||
               ouro_fail(failure, PyExc_SystemError, "invalid slot ID %d for a type", id);
    }
    /* The value is in sl_ptr or in sl_func: pointers of one size, in one place. */
    return ouro_plan_slot(plan, id, slot->sl_ptr, failure);
}

static bool
read_slots(struct plan *plan, const PySlot *slots, int depth, struct failure *failure)
{
    for (const PySlot *slot = slots; slot->sl_id != Py_slot_end; slot++) {
        if (!read_one_slot(plan, slot, depth, failure)) {
            return false;
        }
    }
    return true;
}
