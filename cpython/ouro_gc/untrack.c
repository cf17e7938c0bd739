/* SPDX-License-Identifier: MIT */
/* The rules by which CPython untracks tuples and dicts; untrack.h says when. */
#include "untrack.h"

#include "gclist.h"

/* A tuple may be untracked by now; other containers cannot be. */
static bool
may_be_tracked(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    return PyType_IS_GC(type) && (type->tp_is_gc == NULL || type->tp_is_gc(object)) &&
           (!PyTuple_CheckExact(object) || link_is_tracked(link_of(object)));
}

static bool
tuple_is_atomic(PyObject *tuple)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); i++) {
        PyObject *item = PyTuple_GET_ITEM(tuple, i);
        if (item == NULL || may_be_tracked(item)) { /* NULL: the tuple is being filled */
            return false;
        }
    }
    return true;
}

static bool
split_dict_is_atomic(PyObject *dict)
{
    PyObject *key, *value;
    Py_ssize_t place = 0;
    while (PyDict_Next(dict, &place, &key, &value)) {
        if (may_be_tracked(value)) {
            return false;
        }
    }
    return true;
}

/* After the first tracked value, no other value need be fetched. */
OURO_INLINE void
notice_tracked(PyObject *object, struct view view)
{
    bool *has_tracked = view.arg;
    *has_tracked = *has_tracked || may_be_tracked(object);
}

/* Values of a split dict may lie in an instance. Then the dict's tp_traverse may leave them out. */
static bool
dict_is_atomic(const struct plans *plans, PyObject *dict)
{
    if (((PyDictObject *)dict)->ma_values != NULL) {
        return split_dict_is_atomic(dict);
    }
    bool has_tracked = false;
    read_dict(plans, dict, notice_tracked, (struct view){.arg = &has_tracked});
    return !has_tracked;
}

bool
untrack_if_atomic(const struct plans *plans, PyObject *object)
{
    bool is_atomic = PyTuple_CheckExact(object) ? tuple_is_atomic(object)
                                                : dict_is_atomic(plans, object);
    if (is_atomic) {
        PyObject_GC_UnTrack(object);
    }
    return is_atomic;
}
