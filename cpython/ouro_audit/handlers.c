/* SPDX-License-Identifier: MIT */
/* Experiments with the handlers of one object: what tp_clear releases and what it leaves, and
 * whether tp_traverse does something forbidden. For a forked child: the object may be unusable
 * afterwards. */
#include "allocations.h"
#include "module.h"

/* Add (code, text) to a list. False with an exception. */
static bool
add_pair(PyObject *list, const char *code, const char *format, const char *name)
{
    PyObject *text = PyUnicode_FromFormat(format, name);
    PyObject *pair = text == NULL ? NULL : Py_BuildValue("(sN)", code, text);
    bool done = pair != NULL && PyList_Append(list, pair) == 0;
    Py_XDECREF(pair);
    return done;
}

/* Whether the item at `i` is not in the bag before. */
static bool
is_first(const struct visits *visits, Py_ssize_t i)
{
    for (Py_ssize_t earlier = 0; earlier < i; earlier++) {
        if (visits->items[earlier] == visits->items[i]) {
            return false;
        }
    }
    return true;
}

static void
read_counts(const struct visits *visits, Py_ssize_t *counts)
{
    for (Py_ssize_t i = 0; i < visits->count; i++) {
        counts[i] = Py_REFCNT(visits->items[i]);
    }
}

/* --- tp_clear: GC-C48, GC-C52, GC-C53, GC-C54 ------------------------------------------------- */

/* `all` has the objects that were visited at first, `counts` their counts before this call of
 * tp_clear, and `before` the objects that were visited right before it. */
static bool
judge_clear(PyObject *list, PyObject *object, const struct visits *all,
            const Py_ssize_t *counts, const struct visits *before)
{
    struct visits after;
    if (!ouro_audit_visits_take(&after, object)) {
        return false;
    }
    bool done = true;
    for (Py_ssize_t i = 0; done && i < all->count; i++) {
        PyObject *referent = all->items[i];
        Py_ssize_t visited = ouro_audit_visits_count(before, referent);
        Py_ssize_t left = ouro_audit_visits_count(&after, referent);
        Py_ssize_t released =
            counts[i] - (Py_REFCNT(referent) - left); /* `left` are ours */
        if (!is_first(all, i) || referent == (PyObject *)Py_TYPE(object)) {
            continue;
        }
        if (left > 0 && released > visited - left) {
            done = add_pair(list, "GC-C48",
                            "tp_clear releases a '%s' that is still in its field; use "
                            "Py_CLEAR",
                            Py_TYPE(referent)->tp_name);
        } else if (before->count < all->count && released > visited) {
            done = add_pair(list, "GC-C54", "the second tp_clear releases a '%s' again",
                            Py_TYPE(referent)->tp_name);
        }
    }
    ouro_audit_visits_drop(&after, false);
    return done;
}

/* Call tp_clear and judge what it did to the object itself. */
static bool
call_clear(PyObject *list, PyObject *object, const struct visits *visits)
{
    PyTypeObject *type = Py_TYPE(object);
    Py_ssize_t type_count = Py_REFCNT(type);
    bool was_tracked = ouro_audit_is_tracked(object);
    if (type->tp_clear(object) < 0 || PyErr_Occurred()) {
        PyErr_Clear(); /* the collector ignores it, too */
    }
    if (PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE) && Py_REFCNT(type) < type_count &&
        ouro_audit_visits_count(visits, (PyObject *)type) <= 1 &&
        !add_pair(list, "GC-C52", "tp_clear must not release Py_TYPE(self), '%s'",
                  type->tp_name)) {
        return false;
    }
    return !was_tracked || ouro_audit_is_tracked(object) ||
           add_pair(list, "GC-C53", "tp_clear untracks the object, a '%s'",
                    type->tp_name);
}

static bool
clear_once(PyObject *list, PyObject *object, const struct visits *all, Py_ssize_t *counts)
{
    struct visits before;
    if (!ouro_audit_visits_take(&before, object)) {
        return false;
    }
    read_counts(all, counts);
    bool done = call_clear(list, object, &before) &&
                judge_clear(list, object, all, counts, &before);
    ouro_audit_visits_drop(&before, true);
    return done;
}

const char ouro_audit_try_clear_doc[] =
    "try_clear(object)\n--\n\n"
    "Call tp_clear twice, as a collection and then tp_dealloc may do. Return a list of\n"
    "mistakes, as (code, text). The object is unusable afterwards, and never dies.";

PyObject *
ouro_audit_try_clear(PyObject *Py_UNUSED(module), PyObject *object)
{
    struct visits visits;
    PyObject *list = PyList_New(0);
    if (list == NULL || !PyObject_IS_GC(object) || Py_TYPE(object)->tp_clear == NULL ||
        PyType_Check(object)) {
        return list; /* the handler of types is CPython's */
    }
    Py_INCREF(object); /* never released: its fields may dangle */
    if (!ouro_audit_visits_take(&visits, object)) {
        Py_CLEAR(list);
        return NULL;
    }
    Py_ssize_t *counts = PyMem_RawCalloc((size_t)visits.count + 1, sizeof(counts[0]));
    bool done = counts != NULL && clear_once(list, object, &visits, counts);
    if (done && PyList_GET_SIZE(list) == 0) {
        done = clear_once(list, object, &visits, counts);
    }
    if (!done) {
        Py_CLEAR(list);
    }
    PyMem_RawFree(counts);
    ouro_audit_visits_drop(&visits, true);
    return list;
}

/* --- tp_traverse: GC-T05, GC-T06, GC-T07 -------------------------------------------------------- */

static int
ignore_visit(PyObject *Py_UNUSED(referent), void *Py_UNUSED(arg))
{
    return 0;
}

/* Judge a run of tp_traverse; `allocated` is the number of blocks that it allocated. */
static bool
judge_traverse(PyObject *list, PyObject *object, const struct visits *visits,
               const Py_ssize_t *counts, Py_ssize_t allocated)
{
    const char *name = Py_TYPE(object)->tp_name;
    bool done = true;
    if (PyErr_Occurred()) {
        PyErr_Clear();
        done = add_pair(list, "GC-T07", "tp_traverse of '%s' raises an exception", name);
    }
    if (done && allocated > 0) {
        done = add_pair(list, "GC-T06", "tp_traverse of '%s' allocates memory", name);
    }
    for (Py_ssize_t i = 0; done && i < visits->count; i++) {
        PyObject *referent = visits->items[i];
        if (Py_REFCNT(referent) != counts[i]) {
            return add_pair(list, "GC-T05",
                            "tp_traverse changes the reference count of a '%s'",
                            Py_TYPE(referent)->tp_name);
        }
    }
    return done;
}

const char ouro_audit_try_traverse_doc[] =
    "try_traverse(object)\n--\n\n"
    "Run tp_traverse and check whether it allocates, raises, or changes counts. Return\n"
    "a list of mistakes, as (code, text).";

PyObject *
ouro_audit_try_traverse(PyObject *Py_UNUSED(module), PyObject *object)
{
    struct visits visits;
    PyObject *list = PyList_New(0);
    if (list == NULL || !PyObject_IS_GC(object) || Py_TYPE(object)->tp_traverse == NULL) {
        return list;
    }
    bool done = ouro_audit_visits_take(&visits, object);
    PyErr_Clear();
    Py_ssize_t *counts = PyMem_RawCalloc((size_t)visits.count + 1, sizeof(counts[0]));
    if (done && counts != NULL) {
        read_counts(&visits, counts);
        allocations_watch(NULL);
        Py_TYPE(object)->tp_traverse(object, ignore_visit, NULL);
        struct allocations seen = allocations_end();
        done = judge_traverse(list, object, &visits, counts, seen.allocated);
    }
    PyMem_RawFree(counts);
    ouro_audit_visits_drop(&visits, false);
    if (!done) {
        Py_CLEAR(list);
    }
    return list;
}
