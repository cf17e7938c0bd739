/* SPDX-License-Identifier: MIT */
/* Making plans, and comparing them with tp_traverse; plan.h says what they are. */
#include "plan.h"

#include <stddef.h>
#include <string.h>

#if PY_VERSION_HEX < 0x030C0000
#include <structmember.h>
#define Py_T_OBJECT_EX T_OBJECT_EX
#endif

/* --- plans by type ---------------------------------------------------------------------------- */

static void
plan_call(struct plan *plan)
{
    *plan = (struct plan){.type = plan->type, .rest = plan->type->tp_traverse};
}

/* Add a field; false when there are too many. */
static bool
plan_field(struct plan *plan, Py_ssize_t offset)
{
    if (plan->field_count == PLAN_FIELDS || offset <= 0 || offset > UINT16_MAX) {
        return false;
    }
    plan->fields[plan->field_count++] = (uint16_t)offset;
    return true;
}

static bool
plan_slots(struct plan *plan, PyTypeObject *class)
{
    PyMemberDef *member = (PyMemberDef *)((char *)class + Py_TYPE(class)->tp_basicsize);
    for (Py_ssize_t i = 0; i < Py_SIZE(class); i++, member++) {
        if (member->type == Py_T_OBJECT_EX && !plan_field(plan, member->offset)) {
            return false;
        }
    }
    return true;
}

/* Classes written in Python: their slots and attributes, then what a base written in C does. */
static bool
plan_class(struct plan *plan, traverseproc class_traverse)
{
    PyTypeObject *type = plan->type, *base = type;
    for (; base->tp_traverse == class_traverse; base = base->tp_base) {
        if (!plan_slots(plan, base)) {
            return false;
        }
    }
    plan->rest = base->tp_traverse;
    bool adds_dict = type->tp_dictoffset != base->tp_dictoffset;
#if HAS_MANAGED_DICTS
    plan->has_attributes = (type->tp_flags & Py_TPFLAGS_MANAGED_DICT) != 0;
    if (plan->has_attributes && !adds_dict) {
        return false; /* the base visits the attributes itself */
    }
#endif
    if (adds_dict && !plan->has_attributes && !plan_field(plan, type->tp_dictoffset)) {
        return false;
    }
    plan->visits_type =
        PY_VERSION_HEX >= 0x03090000 && (type->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0 &&
        (base->tp_traverse == NULL || (base->tp_flags & Py_TPFLAGS_HEAPTYPE) == 0);
    return true;
}

static const uint16_t function_fields[] = {
    offsetof(PyFunctionObject, func_code),
    offsetof(PyFunctionObject, func_globals),
    offsetof(PyFunctionObject, func_module),
    offsetof(PyFunctionObject, func_defaults),
    offsetof(PyFunctionObject, func_kwdefaults),
    offsetof(PyFunctionObject, func_doc),
    offsetof(PyFunctionObject, func_name),
    offsetof(PyFunctionObject, func_dict),
    offsetof(PyFunctionObject, func_closure),
    offsetof(PyFunctionObject, func_annotations),
    offsetof(PyFunctionObject, func_qualname),
#if PY_VERSION_HEX >= 0x030A0000
    offsetof(PyFunctionObject, func_builtins),
#endif
#if PY_VERSION_HEX >= 0x030C0000
    offsetof(PyFunctionObject, func_typeparams),
#endif
#if PY_VERSION_HEX >= 0x030E0000
    offsetof(PyFunctionObject, func_annotate),
#endif
};

static const uint16_t cell_fields[] = {offsetof(PyCellObject, ob_ref)};
static const uint16_t method_fields[] = {offsetof(PyMethodObject, im_func),
                                         offsetof(PyMethodObject, im_self)};

static void
plan_fields(struct plan *plan, const uint16_t *fields, size_t count)
{
    memcpy(plan->fields, fields, count * sizeof(*fields));
    plan->field_count = (uint8_t)count;
}

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
_Static_assert(COUNT_OF(function_fields) <= PLAN_FIELDS, "a plan has room for functions");

/* Types whose instances contain a frame that may borrow. */
static bool
is_frame(PyTypeObject *type)
{
#if !FRAMES_BORROW
    return type == NULL;
#else
    return type == &PyFrame_Type || type == &PyGen_Type || type == &PyCoro_Type ||
           type == &PyAsyncGen_Type;
#endif
}

/* True if the plan differs from calling tp_traverse. */
static bool
plan_layout(struct plan *plan, const struct plans *plans)
{
    PyTypeObject *type = plan->type;
    if (type == &PyFunction_Type) {
        plan_fields(plan, function_fields, COUNT_OF(function_fields));
    } else if (type == &PyCell_Type) {
        plan_fields(plan, cell_fields, COUNT_OF(cell_fields));
    } else if (type == &PyMethod_Type) {
        plan_fields(plan, method_fields, COUNT_OF(method_fields));
    } else if (type->tp_traverse == plans->deque_traverse) {
        plan->kind = PLAN_DEQUE;
        plan->visits_type = (type->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0;
    } else if (is_frame(type)) {
        plan->kind = PLAN_FRAME;
        plan->rest = type->tp_traverse;
        return false;
    } else if (type->tp_traverse == plans->class_traverse) {
        return plan_class(plan, plans->class_traverse);
    } else {
        plan->rest = type->tp_traverse;
        return false;
    }
    return true;
}

/* --- comparing with tp_traverse --------------------------------------------------------------- */

struct tally {
    uintptr_t sum, edges; /* the sum does not depend on the order */
};

static void
tally_edge(PyObject *target, struct view view)
{
    struct tally *tally = view.arg;
    uintptr_t word = (uintptr_t)target;
    tally->sum += (word ^ word >> 7) * (uintptr_t)UINT64_C(0x9E3779B97F4A7C15);
    tally->edges++;
}

static int
tally_visit(PyObject *target, void *arg)
{
    tally_edge(target, (struct view){.arg = arg});
    return 0;
}

static struct tally
tally_by_traverse(PyObject *object)
{
    struct tally tally = {0};
    Py_TYPE(object)->tp_traverse(object, tally_visit, &tally);
    return tally;
}

static bool
tallies_agree(struct tally a, struct tally b)
{
    return a.sum == b.sum && a.edges == b.edges;
}

bool
plan_is_exact(struct plans *plans, PyObject *object)
{
    struct tally tally = {0};
    read_edges(plans, object, tally_edge, tally_visit, tally_visit,
               (struct view){.arg = &tally});
    return tallies_agree(tally, tally_by_traverse(object));
}

struct plan *
plan_make(struct plans *plans, struct plan *plan, PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    *plan = (struct plan){.type = type};
    if (plan_layout(plan, plans)) {
        struct tally tally = {0};
        read_by_plan(plans, plan, object, tally_edge, tally_edge, tally_visit,
                     (struct view){.arg = &tally});
        if (!tallies_agree(tally, tally_by_traverse(object))) {
            plan_call(plan);
        }
    } else if (plan->kind != PLAN_FRAME) {
        plan_call(plan);
    }
    plan->stamp = plans->stamp;
    plan->tag = (unsigned)type->tp_version_tag;
    return plan;
}

/* --- what differs between builds -------------------------------------------------------------- */

/* Make a class with one instance, and look at its tp_traverse, and at which of the two visits
 * attributes that became a dict: the instance or the dict. Both differ between patch releases. */
static bool
learn_from_instance(struct plans *plans)
{
    PyObject *class = PyObject_CallFunction((PyObject *)&PyType_Type, "s(){}", "Probe");
    PyObject *instance = class == NULL ? NULL : PyObject_CallObject(class, NULL);
    PyObject *value = PyList_New(0);
    PyObject *dict = NULL;
    if (instance != NULL && value != NULL &&
        PyObject_SetAttrString(instance, "value", value) == 0 &&
        (dict = PyObject_GetAttrString(instance, "__dict__")) != NULL) {
        plans->class_traverse = Py_TYPE(instance)->tp_traverse;
        struct tally tally = tally_by_traverse(dict);
        plans->dict_has_embedded_values = tally.edges != 0;
    }
    Py_XDECREF(dict);
    Py_XDECREF(value);
    Py_XDECREF(instance);
    Py_XDECREF(class);
    return PyErr_Occurred() == NULL;
}

static bool
learn_from_dict(struct plans *plans)
{
    PyObject *dict = Py_BuildValue("{ii}", 1, 1);
    if (dict == NULL) {
        return false;
    }
#if !DICT_KEYS_HAVE_KINDS
    struct dict_keys *keys = (struct dict_keys *)((PyDictObject *)dict)->ma_keys;
    plans->general_lookup = (void *)keys->lookup;
#endif
    bool is_exact = plan_is_exact(plans, dict);
    Py_DECREF(dict);
    if (!is_exact) {
        PyErr_SetString(PyExc_RuntimeError,
                        "ouro_gc does not know how this CPython lays out dicts");
    }
    return is_exact;
}

static bool
learn_from_deque(struct plans *plans)
{
    PyObject *module = PyImport_ImportModule("collections");
    PyObject *deque = module == NULL ? NULL : PyObject_GetAttrString(module, "deque");
    if (deque != NULL && PyType_Check(deque) &&
        strcmp(((PyTypeObject *)deque)->tp_name, "collections.deque") == 0 &&
        ((PyTypeObject *)deque)->tp_traverse != plans->class_traverse) {
        plans->deque_traverse = ((PyTypeObject *)deque)->tp_traverse;
    }
    Py_XDECREF(deque);
    Py_XDECREF(module);
    return PyErr_Occurred() == NULL;
}

bool
plans_init(struct plans *plans)
{
    return learn_from_instance(plans) && learn_from_dict(plans) &&
           learn_from_deque(plans);
}
