/* SPDX-License-Identifier: MIT */
/* Reading what a definition or a slot array says about a module into a struct module_plan.
 *
 * A slot comes once, but for Py_mod_exec in a definition. A slot array may contain others:
 * Py_slot_subslots of its own kind, Py_mod_slots of the older kind. The slots of a
 * definition must not contradict its fields, and it is always its own token. */
#include "module_object.h"

#define OURO_MODULE_SLOTS_NESTING 5 /* arrays within arrays */

/* What is known about a slot besides its number. */
struct module_slot_kind {
    int id;
    const char *name;
    const char *repeated; /* the message of CPython 3.13, where it had the slot */
    bool may_be_null;     /* the value is a number */
};

#define MORE_THAN_ONE(name) "module %s has more than one " name " slot"

static const struct module_slot_kind module_slot_kinds[] = {
    {Py_mod_create, "Py_mod_create", "module %s has multiple create slots", false},
    {Py_mod_exec, "Py_mod_exec", MORE_THAN_ONE("Py_mod_exec"), false},
    {Py_mod_multiple_interpreters, "Py_mod_multiple_interpreters",
     "module %s has more than one 'multiple interpreters' slots", true},
    {Py_mod_gil, "Py_mod_gil", MORE_THAN_ONE("'gil'"), true},
    {Py_mod_name, "Py_mod_name", MORE_THAN_ONE("Py_mod_name"), false},
    {Py_mod_doc, "Py_mod_doc", MORE_THAN_ONE("Py_mod_doc"), false},
    {Py_mod_state_size, "Py_mod_state_size", MORE_THAN_ONE("Py_mod_state_size"), true},
    {Py_mod_methods, "Py_mod_methods", MORE_THAN_ONE("Py_mod_methods"), false},
    {Py_mod_state_traverse, "Py_mod_state_traverse",
     MORE_THAN_ONE("Py_mod_state_traverse"), false},
    {Py_mod_state_clear, "Py_mod_state_clear", MORE_THAN_ONE("Py_mod_state_clear"),
     false},
    {Py_mod_state_free, "Py_mod_state_free", MORE_THAN_ONE("Py_mod_state_free"), false},
    {Py_mod_abi, "Py_mod_abi", MORE_THAN_ONE("Py_mod_abi"), false},
    {Py_mod_token, "Py_mod_token", MORE_THAN_ONE("Py_mod_token"), false},
};

static const struct module_slot_kind *
module_slot_kind_of(int id)
{
    for (size_t i = 0; i < Py_ARRAY_LENGTH(module_slot_kinds); i++) {
        if (module_slot_kinds[i].id == id) {
            return &module_slot_kinds[i];
        }
    }
    return NULL;
}

/* The numbers that CPython used before 3.15. */
static int
current_module_slot(int id)
{
    return id >= 1 && id <= 4 ? id - 1 + Py_mod_create : id;
}

static bool
refuse_module(const struct module_plan *plan, const char *format, const char *slot)
{
    PyErr_Format(PyExc_SystemError, format, plan->name, slot);
    return false;
}

/* --- one slot ---------------------------------------------------------------------------- */

/* Store the value in a field of the plan; in a definition it must be there already. Values
 * are moved with memcpy, as some are pointers to functions. */
static bool
plan_value(const struct module_plan *plan, void *field, void *value, const char *slot)
{
    if (plan->def != NULL && memcmp(field, &value, sizeof(value)) != 0) {
        return refuse_module(plan, "module %s: %s differs from the PyModuleDef", slot);
    }
    memcpy(field, &value, sizeof(value));
    return true;
}

static bool
plan_token(struct module_plan *plan, void *value)
{
    if (plan->def != NULL) {
        return refuse_module(plan, "module %s: %s cannot be used in PyModuleDef.m_slots",
                             "Py_mod_token");
    }
    plan->token = value;
    return true;
}

static bool
store_module_slot(struct module_plan *plan, const struct module_slot_kind *kind,
                  void *value)
{
    const char *name = plan->def != NULL ? plan->def->m_name : NULL;
    switch (kind->id) {
    case Py_mod_create:
        memcpy(&plan->create, &value, sizeof(value));
        return true;
    case Py_mod_exec:
        memcpy(&plan->exec, &value, sizeof(value));
        return true;
    case Py_mod_multiple_interpreters:
        plan->multiple_interpreters = value;
        return true;
    case Py_mod_name: /* the name comes from the spec */
        return plan->def == NULL || plan_value(plan, &name, value, kind->name);
    case Py_mod_doc:
        return plan_value(plan, &plan->doc, value, kind->name);
    case Py_mod_state_size:
        return plan_value(plan, &plan->state.size, value, kind->name);
    case Py_mod_methods:
        return plan_value(plan, &plan->methods, value, kind->name);
    case Py_mod_state_traverse:
        return plan_value(plan, &plan->state.traverse, value, kind->name);
    case Py_mod_state_clear:
        return plan_value(plan, &plan->state.clear, value, kind->name);
    case Py_mod_state_free:
        return plan_value(plan, &plan->state.free, value, kind->name);
    case Py_mod_abi:
        return PyABIInfo_Check(value, plan->name) == 0;
    case Py_mod_token:
        return plan_token(plan, value);
    default: /* Py_mod_gil: there is always a lock */
        return true;
    }
}

static bool
read_module_slot(struct module_plan *plan, int id, void *value, bool optional)
{
    const struct module_slot_kind *kind = module_slot_kind_of(id);
    if (kind == NULL) {
        if (!optional) {
            PyErr_Format(PyExc_SystemError, "module %s uses unknown slot ID %i",
                         plan->name, id);
        }
        return optional;
    }
    uint64_t bit = (uint64_t)1 << (kind - module_slot_kinds);
    bool may_repeat = id == Py_mod_exec && plan->def != NULL;
    if ((plan->seen & bit) && !may_repeat) {
        return refuse_module(plan, kind->repeated, NULL);
    }
    plan->seen |= bit;
    if (value == NULL && !kind->may_be_null) {
        return refuse_module(plan, "module %s: the value of %s is NULL", kind->name);
    }
    return store_module_slot(plan, kind, value);
}

/* --- arrays ------------------------------------------------------------------------------- */

static bool
read_def_slots(struct module_plan *plan, const PyModuleDef_Slot *slots)
{
    for (; slots != NULL && slots->slot != 0; slots++) {
        int id = current_module_slot(slots->slot);
        if (!read_module_slot(plan, id, slots->value, false)) {
            return false;
        }
    }
    return true;
}

static bool
read_module_slots(struct module_plan *plan, const PySlot *slots, int depth)
{
    if (depth > OURO_MODULE_SLOTS_NESTING) {
        return refuse_module(plan, "module %s: slots are nested too deep", NULL);
    }
    for (; slots != NULL && slots->sl_id != Py_slot_end; slots++) {
        int id = current_module_slot(slots->sl_id);
        bool optional = (slots->sl_flags & PySlot_OPTIONAL) != 0;
        bool done =
            id == Py_slot_subslots ? read_module_slots(plan, slots->sl_ptr, depth + 1)
            : id == Py_mod_slots   ? read_def_slots(plan, slots->sl_ptr)
                                   : read_module_slot(plan, id, slots->sl_ptr, optional);
        if (!done) {
            return false;
        }
    }
    return true;
}

/* --- whole plans ------------------------------------------------------------------------------ */

static bool
check_module_plan(const struct module_plan *plan)
{
    if (plan->state.size < 0) {
        return refuse_module(plan,
                             "module %s: m_size may not be negative for multi-phase "
                             "initialization",
                             NULL);
    }
    if (plan->multiple_interpreters == Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED &&
        PyInterpreterState_Get() != PyInterpreterState_Main()) {
        PyErr_Format(PyExc_ImportError,
                     "module %s does not support loading in subinterpreters", plan->name);
        return false;
    }
    return true;
}

bool
ouro_module_plan_def(struct module_plan *plan, PyModuleDef *def, const char *name)
{
    *plan = (struct module_plan){
        .name = name,
        .def = def,
        .doc = def->m_doc,
        .methods = def->m_methods,
        .state = {def->m_size, def->m_traverse, def->m_clear, def->m_free},
        .token = def,
        .multiple_interpreters = Py_MOD_MULTIPLE_INTERPRETERS_SUPPORTED,
    };
    return read_def_slots(plan, def->m_slots) && check_module_plan(plan);
}

bool
ouro_module_plan_slots(struct module_plan *plan, const PySlot *slots, const char *name)
{
    *plan = (struct module_plan){
        .name = name,
        .multiple_interpreters = Py_MOD_MULTIPLE_INTERPRETERS_SUPPORTED,
    };
    if (!read_module_slots(plan, slots, 0)) {
        return false;
    }
    uint64_t abi = (uint64_t)1 << (module_slot_kind_of(Py_mod_abi) - module_slot_kinds);
    if (!(plan->seen & abi)) {
        return refuse_module(plan, "module %s: the slots have no Py_mod_abi", NULL);
    }
    return check_module_plan(plan);
}
