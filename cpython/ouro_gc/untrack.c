/* SPDX-License-Identifier: MIT */
/* The rules by which CPython untracks tuples and dicts; untrack.h says when. */
#include "untrack.h"

#include "gclist.h"

/* A tuple in it may be untracked by now; other containers cannot be. */
static bool
may_be_tracked(PyObject *object)
{
    return PyObject_IS_GC(object) &&
           (!PyTuple_CheckExact(object) || link_is_tracked(link_of(object)));
}

static bool
tuple_is_atomic(PyObject *tuple)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); i++) {
        PyObject *item = PyTuple_GET_ITEM(tuple, i);
        if (item == NULL || may_be_tracked(item)) { /* NULL: it is being filled */
            return false;
        }
    }
    return true;
}

static bool
dict_is_atomic(PyObject *dict)
{
    PyObject *key, *value;
    Py_ssize_t place = 0;
    while (PyDict_Next(dict, &place, &key, &value)) {
        if (may_be_tracked(value) || may_be_tracked(key)) {
            return false;
        }
    }
    return true;
}

bool
untrack_if_atomic(PyObject *object)
{
    bool is_atomic =
        PyTuple_CheckExact(object) ? tuple_is_atomic(object) : dict_is_atomic(object);
    if (is_atomic) {
        PyObject_GC_UnTrack(object);
    }
    return is_atomic;
}
