/* SPDX-License-Identifier: MIT */
/* Heap types from a PyType_Spec: the spec as a plan. */
#include <ouro_fields.h>

#include "plan.h"

PyObject *
PyType_FromMetaclass(PyTypeObject *metaclass, PyObject *module, PyType_Spec *spec,
                     PyObject *bases)
{
    struct failure failure = {0};
    struct plan plan = {
        .name = spec->name,
        .basicsize = spec->basicsize,
        .itemsize = spec->itemsize,
        .flags = spec->flags,
        .metaclass = metaclass,
        .module = module,
        .bases = bases,
        .spec = spec,
    };
    PyObject *type = NULL;
    if (spec->slots == NULL || ouro_plan_spec_slots(&plan, spec->slots, &failure)) {
        type = ouro_plan_build(&plan, &failure);
    }
    if (type == NULL) {
        ouro_failure_raise(&failure);
    }
    return type;
}

PyObject *
PyType_FromModuleAndSpec(PyObject *module, PyType_Spec *spec, PyObject *bases)
{
    return PyType_FromMetaclass(NULL, module, spec, bases);
}

PyObject *
PyType_FromSpecWithBases(PyType_Spec *spec, PyObject *bases)
{
    return PyType_FromMetaclass(NULL, NULL, spec, bases);
}

PyObject *
PyType_FromSpec(PyType_Spec *spec)
{
    return PyType_FromMetaclass(NULL, NULL, spec, NULL);
}

bool
ouro_plan_spec_slots(struct plan *plan, const PyType_Slot *slots, struct failure *failure)
{
    for (const PyType_Slot *slot = slots; slot->slot != Py_slot_end; slot++) {
        if (!ouro_plan_slot(plan, slot->slot, slot->pfunc, failure)) {
            return false;
        }
    }
    return true;
}

/* Most slots may be repeated, and the last one counts; these may not. */
static const char *
slot_that_is_unique(int id)
{
    switch (id) {
    case Py_tp_doc:
        return "Py_tp_doc";
    case Py_tp_members:
        return "Py_tp_members";
    case Py_tp_token:
        return "Py_tp_token";
    default:
        return NULL;
    }
}

bool
ouro_plan_slot(struct plan *plan, int id, void *value, struct failure *failure)
{
    id = ouro_slot_current(id);
    if (id == Ouro_tp_fields) {
        plan->fields = value;
        return true;
    }
    if (ouro_slot_place(id) == NULL) {
        return ouro_fail(failure, PyExc_RuntimeError, "invalid slot offset");
    }
    const char *unique = slot_that_is_unique(id);
    if (plan->seen[id] && unique != NULL) {
        return ouro_fail(failure, PyExc_SystemError,
                         "Multiple %s slots are not supported.", unique);
    }
    plan->seen[id] = true;
    plan->value[id] = value;
    if (id == Py_tp_token && value == Py_TP_USE_SPEC) {
        plan->value[id] = plan->spec;
        if (plan->spec == NULL) {
            return ouro_fail(failure, PyExc_SystemError,
                             "Py_tp_token is Py_TP_USE_SPEC, but there is no spec");
        }
    }
    return true;
}
