/* SPDX-License-Identifier: MIT */
/* Watches one object die: what tp_dealloc does, and in which order. For a forked child. */
#include "allocations.h"
#include "module.h"

#include <stdlib.h>

#if PY_VERSION_HEX < 0x03090000 && !defined(Py_SET_REFCNT)
#define Py_SET_REFCNT(object, count) (Py_REFCNT(object) = (count))
#endif

/* The object that dies now, and what was observed so far. */
static struct {
    PyObject *object;
    freefunc free;
    Py_ssize_t type_count; /* before */
    bool tracked_at_release, tracked_at_free, has_weak_references, has_managed_dict;
    bool type_released_early;
} dying;

static int
stop_at_first(PyObject *Py_UNUSED(referent), void *Py_UNUSED(arg))
{
    return 1;
}

static bool
has_managed_dict(PyObject *object)
{
#if PY_VERSION_HEX >= 0x030D0000
    return PyType_HasFeature(Py_TYPE(object), Py_TPFLAGS_MANAGED_DICT) &&
           PyObject_VisitManagedDict(object, stop_at_first, NULL) != 0;
#else
    (void)object;
    (void)stop_at_first;
    return false;
#endif
}

/* The tp_free of the type while one of its objects dies. */
static void
watched_free(void *memory)
{
    PyObject *object = memory;
    if (object == dying.object) {
        dying.tracked_at_free = ouro_audit_is_tracked(object);
        dying.has_weak_references = ouro_audit_weak_references(object) != NULL;
        dying.has_managed_dict = has_managed_dict(object);
        dying.type_released_early = Py_REFCNT(Py_TYPE(object)) < dying.type_count;
    }
    dying.free(memory);
}

const char ouro_audit_note_release_doc[] =
    "note_release(weak reference)\n--\n\n"
    "A callback for weak references to objects that an object owns. It notes whether\n"
    "the object that kill() kills is still tracked.";

PyObject *
ouro_audit_note_release(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(weak))
{
    if (dying.object != NULL && ouro_audit_is_tracked(dying.object)) {
        dying.tracked_at_release = true;
    }
    Py_RETURN_NONE;
}

/* Take the pending exception, which was ours. True if it is still the same. */
static bool
take_marker(const char *text)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    bool is_ours = type == PyExc_OverflowError && value != NULL &&
                   PyUnicode_Check(value) &&
                   PyUnicode_CompareWithASCIIString(value, text) == 0;
    if (!is_ours && type == PyExc_OverflowError && value != NULL) {
        PyObject *said = PyObject_Str(value); /* an exception object since 3.12 */
        is_ours = said != NULL && PyUnicode_CompareWithASCIIString(said, text) == 0;
        Py_XDECREF(said);
        PyErr_Clear();
    }
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    return is_ours;
}

/* Release the last reference. Returns whether the pending exception survived. */
static bool
release_last(PyObject *object, bool with_error, struct allocations *seen)
{
    static const char marker[] = "pending before tp_dealloc";
    if (with_error) {
        PyErr_SetString(PyExc_OverflowError, marker);
    }
    allocations_watch(object);
    Py_DECREF(object);
    *seen = allocations_end();
    return !with_error || take_marker(marker);
}

/* Take the only item out of the list. NULL when there are other references to it. */
static PyObject *
take_last_reference(PyObject *list)
{
    PyObject *object = PyList_GET_SIZE(list) == 1 ? PyList_GET_ITEM(list, 0) : NULL;
    if (object == NULL || Py_REFCNT(object) != 1) {
        return NULL;
    }
    Py_INCREF(object);
    if (PyList_SetSlice(list, 0, 1, NULL) < 0) {
        PyErr_Clear();
    }
    return object;
}

static PyObject *
describe_death(const struct allocations *seen, Py_ssize_t released, bool survived,
               const char *unreleased, bool resurrected)
{
    return Py_BuildValue(
        "{sO sz sO sO sO sO sO sO sO sO sn}", "resurrected",
        resurrected ? Py_True : Py_False, "unreleased", unreleased, "freed",
        seen->is_freed ? Py_True : Py_False, "wrongly_freed",
        seen->is_wrongly_freed ? Py_True : Py_False, "tracked_at_release",
        dying.tracked_at_release ? Py_True : Py_False, "tracked_at_free",
        dying.tracked_at_free ? Py_True : Py_False, "weak_references",
        dying.has_weak_references ? Py_True : Py_False, "managed_dict",
        dying.has_managed_dict ? Py_True : Py_False, "type_released_early",
        dying.type_released_early ? Py_True : Py_False, "error_changed",
        survived ? Py_False : Py_True, "type_released", released);
}

/* The counts of immortal objects do not change. */
static bool
is_immortal(const PyObject *object)
{
    return Py_REFCNT((PyObject *)object) > 1 << 29;
}

/* The type name of an object that was visited but not released; or NULL. */
static const char *
find_unreleased(const struct visits *visits, const Py_ssize_t *counts, PyTypeObject *type)
{
    for (Py_ssize_t i = 0; i < visits->count; i++) {
        PyObject *referent = visits->items[i];
        Py_ssize_t released = counts[i] - Py_REFCNT(referent);
        if (referent != (PyObject *)type && !is_immortal(referent) &&
            released < ouro_audit_visits_count(visits, referent)) {
            return Py_TYPE(referent)->tp_name;
        }
    }
    return NULL;
}

/* Hold the objects that the object visits, and note how many references each has. */
static Py_ssize_t *
hold_referents(struct visits *visits, PyObject *object)
{
    if (!ouro_audit_visits_take(visits, object)) {
        return NULL;
    }
    Py_ssize_t *counts = calloc((size_t)visits->count + 1, sizeof(counts[0]));
    for (Py_ssize_t i = 0; counts != NULL && i < visits->count; i++) {
        counts[i] = Py_REFCNT(visits->items[i]);
    }
    return counts;
}

const char ouro_audit_kill_doc[] =
    "kill(list, with_error, hold)\n--\n\n"
    "Release the only item of the list, to which nothing else refers, and watch its\n"
    "tp_dealloc. Return a dict of what was seen, or None when something else refers to\n"
    "the item. `with_error`: an exception is pending meanwhile. `hold`: objects that\n"
    "the item refers to stay alive and are counted; `unreleased` names the type of an\n"
    "object that was not released. The caller must hold enough references to the type,\n"
    "so that it survives.";

PyObject *
ouro_audit_kill(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *list;
    int with_error, hold;
    struct allocations seen;
    struct visits visits = {0};
    if (!PyArg_ParseTuple(args, "O!pp", &PyList_Type, &list, &with_error, &hold)) {
        return NULL;
    }
    PyObject *object = take_last_reference(list);
    if (object == NULL) {
        Py_RETURN_NONE;
    }
    PyTypeObject *type = Py_TYPE(object);
    Py_ssize_t *counts = hold ? hold_referents(&visits, object) : NULL;
    Py_INCREF(type);
    dying.object = object;
    dying.free = type->tp_free;
    dying.type_count = Py_REFCNT(type);
    dying.tracked_at_release = dying.tracked_at_free = dying.has_weak_references = false;
    dying.has_managed_dict = dying.type_released_early = false;
    type->tp_free = watched_free;
    bool survived = release_last(object, with_error, &seen);
    type->tp_free = dying.free;
    dying.object = NULL;
    Py_ssize_t released = dying.type_count - Py_REFCNT(type);
    Py_DECREF(type);
    const char *unreleased =
        counts == NULL || !seen.is_freed ? NULL : find_unreleased(&visits, counts, type);
    PyObject *answer = describe_death(&seen, released, survived, unreleased,
                                      !seen.is_freed && Py_REFCNT(object) > 0);
    free(counts);
    ouro_audit_visits_drop(&visits, true);
    return answer;
}

/* --- proof of ownership ----------------------------------------------------------------------- */

/* Destroy an object to which others may refer. */
static void
destroy(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    if (PyObject_IS_GC(object) && type->tp_clear != NULL) {
        type->tp_clear(object);
        PyErr_Clear();
    }
    Py_SET_REFCNT(object, 1);
    Py_DECREF(object);
    PyErr_Clear();
}

const char ouro_audit_owns_doc[] =
    "owns(object, referent)\n--\n\n"
    "Return how many references to the referent the object owns but does not visit. To\n"
    "find out, this destroys the object, although others refer to it.";

PyObject *
ouro_audit_owns(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *object, *referent;
    struct visits visits;
    if (!PyArg_ParseTuple(args, "OO", &object, &referent) ||
        !ouro_audit_visits_take(&visits, object)) {
        return NULL;
    }
    Py_ssize_t visited = ouro_audit_visits_count(&visits, referent);
    Py_INCREF(referent);
    Py_ssize_t before = Py_REFCNT(referent);
    destroy(object);
    Py_ssize_t released = before - Py_REFCNT(referent);
    ouro_audit_visits_drop(&visits, true);
    return PyLong_FromSsize_t(released - visited);
}
