/* SPDX-License-Identifier: MIT */
/* Everything that can be done with the instances of one type, without knowing its meaning.
 *
 * A type is called with a few kinds of arguments until it makes an instance. Anything that may
 * store another object in it is an operation: setting an attribute, calling a method with one
 * or two arguments, setting an item. So is a method without arguments: it may return a view or
 * an iterator, which no other operation makes. Each operation is done with two instances, from
 * one to the other and back, so that they form a cycle where it can; then they are dropped, and
 * a collection must leave nothing. That way an operation whose cycles leak is named. Then all
 * operations are done to the same instances, and once more while every allocation collects. */
#include "cli.h"
#include "worker.h"

#include <ouro_check.h>
#include <ouroboros.h>

#include <string.h>

enum kind {
    OPEN_ATTRIBUTE,
    ATTRIBUTE,
    METHOD_ALONE,
    METHOD,
    METHOD_WITH_KEY,
    ITEM,
    ITEM_BY_NUMBER
};

struct operation {
    enum kind kind;
    const char *name; /* of the attribute or method; borrowed from the type */
};

#define MOST_OPERATIONS 400

struct exercise {
    PyTypeObject *type;
    PyObject *arguments; /* a tuple with which it makes instances */
    struct operation operations[MOST_OPERATIONS];
    int count;
};

/* ---- instances ------------------------------------------------------------------------------ */

/* Tuples of arguments to try, in this order. */
static PyObject *
candidate_arguments(int number)
{
    switch (number) {
    case 0:
        return PyTuple_New(0);
    case 1:
        return Py_BuildValue("(i)", 1);
    case 2:
        return Py_BuildValue("([])");
    case 3:
        return Py_BuildValue("(s)", "x");
    case 4:
        return Py_BuildValue("({})");
    case 5:
        return Py_BuildValue("(O)", (PyObject *)&PyList_Type);
    case 6:
        return Py_BuildValue("(ii)", 1, 2);
    case 7:
        return Py_BuildValue("([][])");
    case 8:
        return Py_BuildValue("(s[])", "x");
    case 9:
        return Py_BuildValue("(O[])", (PyObject *)&PyList_Type);
    default:
        return NULL;
    }
}

static PyObject *
new_instance(const struct exercise *exercise)
{
    return PyObject_Call((PyObject *)exercise->type, exercise->arguments, NULL);
}

/* Find arguments that make an instance. `why` gets the exception of a call without any. */
static bool
find_arguments(struct exercise *exercise, char *why, size_t size)
{
    PyObject *arguments;
    for (int i = 0; (arguments = candidate_arguments(i)) != NULL; i++) {
        exercise->arguments = arguments;
        PyObject *instance = new_instance(exercise);
        if (instance != NULL) {
            Py_DECREF(instance);
            return true;
        }
        if (i == 0) {
            take_error(why, size);
        }
        PyErr_Clear();
        Py_DECREF(arguments);
    }
    PyErr_Clear();
    exercise->arguments = NULL;
    return false;
}

/* ---- operations -------------------------------------------------------------------------------- */

/* Methods that wait for something, or end something. */
static bool
is_left_alone(const char *name)
{
    static const char *const names[] = {"acquire", "wait", "join",  "sleep", "recv",
                                        "accept",  "run",  "serve", "exit",  "abort",
                                        "pause",   "poll", "fork",  "kill",  "select"};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(names); i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return name[0] == '_';
}

static void
add_operation(struct exercise *exercise, enum kind kind, const char *name)
{
    if (exercise->count < MOST_OPERATIONS) {
        exercise->operations[exercise->count++] = (struct operation){kind, name};
    }
}

/* One name of the type's dict. */
static void
add_member(struct exercise *exercise, const char *name, PyObject *value)
{
    if (name == NULL || is_left_alone(name)) {
        return;
    }
    if (Py_IS_TYPE(value, &PyMemberDescr_Type) ||
        Py_IS_TYPE(value, &PyGetSetDescr_Type)) {
        add_operation(exercise, ATTRIBUTE, name);
    } else if (Py_IS_TYPE(value, &PyMethodDescr_Type)) {
        add_operation(exercise, METHOD_ALONE, name);
        add_operation(exercise, METHOD, name);
        add_operation(exercise, METHOD_WITH_KEY, name);
    }
}

static void
find_operations(struct exercise *exercise)
{
    add_operation(exercise, OPEN_ATTRIBUTE, "ouro_check");
    if (exercise->type->tp_init != PyBaseObject_Type.tp_init) {
        add_operation(exercise, METHOD, "__init__");
    }
    for (PyTypeObject *type = exercise->type; type != &PyBaseObject_Type && type != NULL;
         type = type->tp_base) {
        PyObject *dict = PyType_GetDict(type), *key, *value;
        Py_ssize_t position = 0;
        while (dict != NULL && PyDict_Next(dict, &position, &key, &value)) {
            add_member(exercise, PyUnicode_AsUTF8(key), value);
        }
        Py_XDECREF(dict);
    }
    add_operation(exercise, ITEM, NULL);
    add_operation(exercise, ITEM_BY_NUMBER, NULL);
}

static void
describe_operation(const struct operation *operation, char *out, size_t size)
{
    switch (operation->kind) {
    case ITEM:
        snprintf(out, size, "a['key'] = b");
        break;
    case ITEM_BY_NUMBER:
        snprintf(out, size, "a[0] = b");
        break;
    case METHOD_ALONE:
        snprintf(out, size, "a.%s()", operation->name);
        break;
    case METHOD:
        snprintf(out, size, "a.%s(b)", operation->name);
        break;
    case METHOD_WITH_KEY:
        snprintf(out, size, "a.%s('key', b)", operation->name);
        break;
    default:
        snprintf(out, size, "a.%s = b", operation->name);
        break;
    }
}

/* What was made may be gone soon: audit it, and its iterator. */
static void
look_inside(PyObject *object)
{
    PyObject *iterator = PyObject_GetIter(object);
    Py_XDECREF(iterator == NULL ? NULL : PyIter_Next(iterator));
    PyErr_Clear();
    Ouro_CheckAudit();
    tell_seen();
    Py_XDECREF(iterator);
}

/* Do the operation; false when the type refuses. No exception stays. */
static bool
perform(const struct operation *operation, PyObject *a, PyObject *b)
{
    PyObject *result = NULL, *key = NULL;
    int status = -1;
    switch (operation->kind) {
    case OPEN_ATTRIBUTE:
    case ATTRIBUTE:
        status = PyObject_SetAttrString(a, operation->name, b);
        break;
    case METHOD_ALONE:
        result = PyObject_CallMethod(a, operation->name, NULL);
        break;
    case METHOD:
        result = PyObject_CallMethod(a, operation->name, "(O)", b);
        break;
    case METHOD_WITH_KEY:
        result = PyObject_CallMethod(a, operation->name, "(sO)", "key", b);
        break;
    case ITEM:
        key = PyUnicode_FromString("key");
        status = key == NULL ? -1 : PyObject_SetItem(a, key, b);
        break;
    case ITEM_BY_NUMBER:
        key = PyLong_FromLong(0);
        status = key == NULL ? -1 : PyObject_SetItem(a, key, b);
        break;
    }
    bool done = status == 0 || result != NULL;
    if (result != NULL && result != Py_None) {
        look_inside(result);
    }
    Py_XDECREF(key);
    Py_XDECREF(result);
    PyErr_Clear();
    return done;
}

/* What every object can do. */
static void
look_at(PyObject *object)
{
    look_inside(object);
    Py_XDECREF(PyObject_Repr(object));
    Py_XDECREF(PyObject_RichCompare(object, object, Py_EQ));
    (void)PyObject_Hash(object);
    (void)PyObject_Size(object);
    PyErr_Clear();
}

/* ---- rounds ---------------------------------------------------------------------------------------- */

/* Make an instance, and let it die by its count. Others of the type may live on. */
static void
live_and_die(const struct exercise *exercise)
{
    tell("at", "%s: made and dropped", exercise->type->tp_name);
    PyObject *instance = new_instance(exercise);
    if (instance != NULL) {
        look_at(instance);
        PyObject *weak = PyWeakref_NewRef(instance, NULL); /* it outlives the instance */
        PyErr_Clear();
        Py_DECREF(instance);
        Py_XDECREF(weak);
    }
    PyErr_Clear();
}

/* With an exception pending, as destructors often run. */
static void
die_with_error(const struct exercise *exercise)
{
    tell("at", "%s: dropped while an exception is pending", exercise->type->tp_name);
    PyObject *instance = new_instance(exercise);
    if (instance != NULL) {
        PyErr_SetString(PyExc_RuntimeError, "pending");
        Py_DECREF(instance);
    }
    PyErr_Clear();
}

/* Two new instances, and a weak reference to the first, in a list: a container that visits
 * them, so that the audit can account for these references. NULL without an exception. */
static PyObject *
new_pair(const struct exercise *exercise)
{
    PyObject *pair = PyList_New(0);
    for (int i = 0; pair != NULL && i < 2; i++) {
        PyObject *instance = new_instance(exercise);
        if (instance == NULL || PyList_Append(pair, instance) < 0) {
            Py_CLEAR(pair);
        }
        Py_XDECREF(instance);
    }
    PyObject *weak =
        pair == NULL ? NULL : PyWeakref_NewRef(PyList_GetItem(pair, 0), NULL);
    if (weak != NULL) {
        (void)PyList_Append(pair, weak);
    }
    Py_XDECREF(weak);
    PyErr_Clear();
    return pair;
}

/* A thing: an object of a class, which can have attributes and weak references. */
static PyObject *
new_thing(void)
{
    static PyObject *class;
    if (class == NULL) {
        class = PyObject_CallFunction((PyObject *)&PyType_Type, "s(){}", "ouro_thing");
    }
    return class == NULL ? NULL : PyObject_CallFunction(class, NULL);
}

/* Put a thing into an instance, let it refer back if `is_tied`, and drop both. A weak reference
 * to the thing, or NULL if the type refuses it. */
static PyObject *
drop_with_thing(const struct exercise *exercise, const struct operation *operation,
                bool is_tied)
{
    PyObject *instance = new_instance(exercise), *thing = new_thing(), *weak = NULL;
    if (instance != NULL && thing != NULL && perform(operation, instance, thing) &&
        (!is_tied || PyObject_SetAttrString(thing, "back", instance) == 0)) {
        weak = PyWeakref_NewRef(thing, NULL);
    }
    Py_XDECREF(instance);
    Py_XDECREF(thing);
    PyErr_Clear();
    PyGC_Collect();
    return weak;
}

struct kept {
    PyTypeObject *type;
    bool is_found;
};

enum fate { THING_DIES, THING_STAYS, THING_IS_KEPT };

static enum fate
fate_of_thing(const struct exercise *exercise, const struct operation *operation,
              bool is_tied)
{
    PyObject *thing = NULL;
    PyObject *weak = drop_with_thing(exercise, operation, is_tied);
    bool is_alive = weak != NULL && PyWeakref_GetRef(weak, &thing) == 1;
    enum fate fate = !is_alive                 ? THING_DIES
                     : Ouro_CheckIsKept(thing) ? THING_IS_KEPT
                                               : THING_STAYS;
    Py_XDECREF(thing);
    Py_XDECREF(weak);
    PyErr_Clear();
    return fate;
}

/* A thing in an instance must die with it. If it refers back, a collection must find both. */
static void
tie_to_thing(const struct exercise *exercise, const struct operation *operation)
{
    char text[200];
    describe_operation(operation, text, sizeof(text));
    tell("at", "%s: %s", exercise->type->tp_name, text);
    enum fate alone = fate_of_thing(exercise, operation, false);
    if (alone == THING_STAYS) {
        tell_finding("LEAK", OURO_CHECK_SUSPICION, exercise->type->tp_name,
                     "after %s, b is still alive when both are dropped", text);
    } else if (alone == THING_DIES && !PyType_IS_GC(exercise->type) &&
               fate_of_thing(exercise, operation, true) == THING_STAYS) {
        tell_finding(
            "GC-K69", OURO_CHECK_CERTAIN, exercise->type->tp_name,
            "after %s; b.back = a, the cycle is never collected: the type owns b, "
            "but has no Py_TPFLAGS_HAVE_GC",
            text);
    }
}

/* An instance that something keeps on purpose. */
static int
stop_at_kept(PyObject *object, void *arg)
{
    struct kept *kept = arg;
    kept->is_found = Py_TYPE(object) == kept->type && Ouro_CheckIsKept(object);
    return !kept->is_found;
}

static bool
are_kept(PyTypeObject *type)
{
    struct kept kept = {.type = type};
    PyUnstable_GC_VisitObjects(stop_at_kept, &kept);
    return kept.is_found;
}

/* Two instances that refer to each other by one operation; then nothing must be left. */
static void
tie_with(const struct exercise *exercise, const struct operation *operation)
{
    char text[200];
    describe_operation(operation, text, sizeof(text));
    tell("at", "%s: %s", exercise->type->tp_name, text);
    PyGC_Collect();
    long before = count_instances(exercise->type);
    PyObject *pair = new_pair(exercise);
    PyObject *a = pair == NULL ? NULL : PyList_GetItem(pair, 0);
    PyObject *b = pair == NULL ? NULL : PyList_GetItem(pair, 1);
    bool done = pair != NULL && perform(operation, a, b);
    if (done) {
        perform(operation, b, a);
        Ouro_CheckAudit();
        tell_seen();
        look_at(a);
    }
    Py_XDECREF(pair);
    PyGC_Collect();
    long left = count_instances(exercise->type) - before;
    if (done && left > 0) {
        bool is_kept = are_kept(exercise->type);
        tell_finding(
            "LEAK", is_kept ? OURO_CHECK_NOTE : OURO_CHECK_SUSPICION,
            exercise->type->tp_name,
            "after %s, and back, %ld of two instances are still alive when they are "
            "dropped and collected%s",
            text, left, is_kept ? ": static data or another container keeps some" : "");
    }
}

/* Everything at once. */
static void
tie_in_every_way(const struct exercise *exercise)
{
    PyObject *pair = new_pair(exercise);
    PyObject *a = pair == NULL ? NULL : PyList_GetItem(pair, 0);
    PyObject *b = pair == NULL ? NULL : PyList_GetItem(pair, 1);
    for (int i = 0; pair != NULL && i < exercise->count; i++) {
        perform(&exercise->operations[i], a, b);
        perform(&exercise->operations[i], b, a);
    }
    if (pair != NULL) {
        Ouro_CheckAudit();
        look_at(a);
    }
    Py_XDECREF(pair);
    PyGC_Collect();
}

static void
tie_under_stress(const struct exercise *exercise)
{
    int thresholds[3] = {1, 1, 1}, old[3];
    tell("at", "%s: everything at once", exercise->type->tp_name);
    tie_in_every_way(exercise);
    tell("at", "%s: everything at once, collecting all the time",
         exercise->type->tp_name);
    Ouro_GCGetThresholds(old);
    Ouro_GCSetThresholds(thresholds, 3);
    int flags = Ouro_CheckSetStress(OURO_CHECK_STRESS_ZERO | OURO_CHECK_STRESS_CLEAR |
                                    OURO_CHECK_STRESS_SHUFFLE);
    tie_in_every_way(exercise);
    Ouro_CheckSetStress(flags);
    Ouro_GCSetThresholds(old, 3);
}

static void
exercise_instances(struct exercise *exercise)
{
    find_operations(exercise);
    live_and_die(exercise);
    die_with_error(exercise);
    for (int i = 0; i < exercise->count; i++) {
        tie_with(exercise, &exercise->operations[i]);
        tie_to_thing(exercise, &exercise->operations[i]);
    }
    tie_under_stress(exercise);
}

/* The same with a class derived from the type: its handlers call those of the type. */
static void
exercise_subclass(const struct exercise *exercise)
{
    struct exercise derived = {.arguments = exercise->arguments};
    char name[300];
    snprintf(name, sizeof(name), "%.250s" DERIVED_SUFFIX, exercise->type->tp_name);
    PyObject *class = PyObject_CallFunction((PyObject *)&PyType_Type, "s(O){}", name,
                                            (PyObject *)exercise->type);
    derived.type = (PyTypeObject *)class;
    if (class != NULL) {
        live_and_die(&derived);
        find_operations(&derived);
        tie_with(&derived, &derived.operations[0]);
        for (int i = 0; i < derived.count; i++) {
            tie_to_thing(&derived, &derived.operations[i]);
        }
        tie_under_stress(&derived);
    }
    Py_XDECREF(class);
    PyErr_Clear();
}

void
exercise_type(PyTypeObject *type)
{
    char why[500];
    struct exercise exercise = {.type = type};
    tell("at", "%s: making an instance", type->tp_name);
    if (!find_arguments(&exercise, why, sizeof(why))) {
        tell("skip", "%s\t%s", type->tp_name, why);
        return;
    }
    exercise_instances(&exercise);
    if (PyType_HasFeature(type, Py_TPFLAGS_BASETYPE)) {
        exercise_subclass(&exercise);
    }
    Py_CLEAR(exercise.arguments);
    PyGC_Collect();
}
