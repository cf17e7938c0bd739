/* SPDX-License-Identifier: MIT */
/* What the core needs of the layers above: its callbacks and its list of garbage, and the
 * pointers of thread/seam.h. */
#include "seam.h"

#include "../base/check.h"
#include "../thread/interpreter.h"
#include "../thread/seam.h"

/* --- the lists ------------------------------------------------------------------------------------ */

static PyObject *
list_made_when_needed(PyObject **list)
{
    if (*list == NULL) {
        *list = PyList_New(0);
    }
    return *list;
}

PyObject *
ouro_gc_garbage(struct _is *interp)
{
    return list_made_when_needed(&interp->gc.garbage);
}

PyObject *
ouro_gc_callbacks(struct _is *interp)
{
    return list_made_when_needed(&interp->gc.callbacks);
}

/* --- garbage ------------------------------------------------------------------------------------- */

static void
show_garbage(struct _is *interp, PyObject *op)
{
    PyObject *garbage = ouro_gc_garbage(interp);
    if (garbage == NULL || PyList_Append(garbage, op) < 0) {
        PyErr_Clear();
    }
}

static void
warn_of_garbage(struct _is *interp)
{
    const struct gc_state *gc = &interp->gc;
    Py_ssize_t count = gc->garbage != NULL ? PyList_GET_SIZE(gc->garbage) : 0;
    if (count == 0 || (gc->debug & OURO_DEBUG_SAVEALL) != 0) {
        return;
    }
    bool lists_them = (gc->debug & OURO_DEBUG_UNCOLLECTABLE) != 0;
    const char *hint =
        lists_them ? "" : "; use gc.set_debug(gc.DEBUG_UNCOLLECTABLE) to list them";
    if (PyErr_WarnFormat(PyExc_ResourceWarning, 1,
                         "gc: %zd uncollectable objects at shutdown%s", count,
                         hint) < 0) {
        PyErr_WriteUnraisable(NULL);
    }
    if (lists_them) {
        PyObject *repr = PyObject_Repr(gc->garbage);
        const char *text = repr != NULL ? PyUnicode_AsUTF8(repr) : NULL;
        if (text != NULL) {
            fprintf(stderr, "      %s\n", text);
        } else {
            PyErr_WriteUnraisable(gc->garbage);
        }
        Py_XDECREF(repr);
    }
}

/* --- callbacks ----------------------------------------------------------------------------------- */

static int
put_number(PyObject *info, const char *key, PyObject *number)
{
    int result = number != NULL ? PyDict_SetItemString(info, key, number) : -1;
    Py_XDECREF(number);
    return result;
}

static PyObject *
make_info(const struct collection_facts *facts)
{
    PyObject *info = PyDict_New();
    if (info != NULL &&
        (put_number(info, "generation", PyLong_FromLong(facts->generation)) < 0 ||
         put_number(info, "collected", PyLong_FromSsize_t(facts->collected)) < 0 ||
         put_number(info, "uncollectable", PyLong_FromSsize_t(facts->uncollectable)) <
             0 ||
         put_number(info, "candidates", PyLong_FromSsize_t(facts->candidates)) < 0 ||
         put_number(info, "duration", PyFloat_FromDouble(facts->duration)) < 0)) {
        Py_CLEAR(info);
    }
    return info;
}

static void
call_one_callback(PyObject *callback, PyObject *phase, PyObject *info)
{
    PyObject *arguments[] = {phase, info};
    PyObject *result = PyObject_Vectorcall(callback, arguments, 2, NULL);
    if (result == NULL) {
        PyErr_FormatUnraisable("Exception ignored while calling GC callback %R",
                               callback);
    }
    Py_XDECREF(result);
}

static void
tell_callbacks(struct _is *interp, const char *phase,
               const struct collection_facts *facts)
{
    PyObject *callbacks = interp->gc.callbacks;
    if (callbacks == NULL || PyList_GET_SIZE(callbacks) == 0) {
        return;
    }
    PyObject *info = make_info(facts);
    PyObject *name = info != NULL ? PyUnicode_FromString(phase) : NULL;
    if (name == NULL) {
        PyErr_FormatUnraisable("Exception ignored on preparing GC callbacks");
    }
    /* The list is read again at each step: a callback may remove itself. */
    for (Py_ssize_t i = 0; name != NULL && i < PyList_GET_SIZE(callbacks); i++) {
        PyObject *callback = Py_NewRef(PyList_GET_ITEM(callbacks, i));
        call_one_callback(callback, name, info);
        Py_DECREF(callback);
    }
    Py_XDECREF(name);
    Py_XDECREF(info);
}

/* --- the seam ------------------------------------------------------------------------------------- */

static void
track_again(PyObject *op)
{
    PyObject_GC_Track(op);
}

const struct seam ouro_seam = {
    .tuple_type = &PyTuple_Type,
    .weakref_type = &_PyWeakref_RefType,
    .none = Py_None,
    .track = track_again,
    .call = PyObject_CallOneArg,
    .report_error = PyErr_FormatUnraisable,
    .tell_callbacks = tell_callbacks,
    .show_garbage = show_garbage,
    .warn_of_garbage = warn_of_garbage,
};
