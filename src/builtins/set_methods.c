/* SPDX-License-Identifier: MIT */
/* The methods of set and frozenset, for callers that go through attributes. */
#include "set_object.h"
#include "method_tables.h"

static PyObject *
none_or_failure(int result)
{
    return result < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *
bool_or_failure(int result)
{
    return result < 0 ? NULL : PyBool_FromLong(result);
}

/* --- one item ------------------------------------------------------------------------------------------ */

static PyObject *
set_contains_method(PyObject *self, PyObject *key)
{
    return bool_or_failure(ouro_set_contains(self, key));
}

static PyObject *
set_add_method(PyObject *self, PyObject *key)
{
    return none_or_failure(PySet_Add(self, key));
}

static PyObject *
set_discard_method(PyObject *self, PyObject *key)
{
    return none_or_failure(ouro_set_with_key(PySet_Discard, self, key));
}

static PyObject *
set_remove_method(PyObject *self, PyObject *key)
{
    int found = ouro_set_with_key(PySet_Discard, self, key);
    if (found == 0) {
        ouro_raise_key_error(key);
    }
    return found > 0 ? Py_NewRef(Py_None) : NULL;
}

static PyObject *
set_pop_method(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return PySet_Pop(self);
}

static PyObject *
set_clear_method(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return none_or_failure(PySet_Clear(self));
}

static PyObject *
set_copy_method(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return PyFrozenSet_CheckExact(self) ? Py_NewRef(self) : ouro_set_copy(self);
}

/* --- with any number of iterables ------------------------------------------------------------------------ */

/* Combine `self`, which is stolen, with one iterable after the other. */
static PyObject *
fold_sets(PyObject *self, PyObject *(*combine)(PyObject *, PyObject *),
          PyObject *const *others, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; self != NULL && i < count; i++) {
        Py_SETREF(self, combine(self, others[i]));
    }
    return self;
}

/* Change `self` with one iterable after the other. */
static int
update_with_all(PyObject *self, int (*update)(PyObject *, PyObject *),
                PyObject *const *others, Py_ssize_t count)
{
    int failed = 0;
    for (Py_ssize_t i = 0; failed == 0 && i < count; i++) {
        failed = update(self, others[i]);
    }
    return failed;
}

static PyObject *
set_union_method(PyObject *self, PyObject *const *others, Py_ssize_t count)
{
    return ouro_set_union(self, others, count);
}

static PyObject *
set_intersection_method(PyObject *self, PyObject *const *others, Py_ssize_t count)
{
    return count == 0 ? ouro_set_copy(self)
                      : fold_sets(ouro_set_intersection(self, others[0]),
                                  ouro_set_intersection, others + 1, count - 1);
}

static PyObject *
set_difference_method(PyObject *self, PyObject *const *others, Py_ssize_t count)
{
    return count == 0 ? ouro_set_copy(self)
                      : fold_sets(ouro_set_difference(self, others[0]),
                                  ouro_set_difference, others + 1, count - 1);
}

static PyObject *
set_update_method(PyObject *self, PyObject *const *others, Py_ssize_t count)
{
    return none_or_failure(update_with_all(self, ouro_set_update, others, count));
}

/* All at once: if one fails, nothing has changed. */
static PyObject *
set_intersection_update_method(PyObject *self, PyObject *const *others, Py_ssize_t count)
{
    PyObject *common = set_intersection_method(self, others, count);
    if (common == NULL) {
        return NULL;
    }
    int failed = ouro_set_intersection_update(self, common);
    Py_DECREF(common);
    return none_or_failure(failed);
}

static PyObject *
set_difference_update_method(PyObject *self, PyObject *const *others, Py_ssize_t count)
{
    return none_or_failure(
        update_with_all(self, ouro_set_difference_update, others, count));
}

/* --- with one iterable ------------------------------------------------------------------------------------- */

static PyObject *
set_symmetric_difference_method(PyObject *self, PyObject *other)
{
    return ouro_set_symmetric_difference(self, other);
}

static PyObject *
set_symmetric_difference_update_method(PyObject *self, PyObject *other)
{
    return none_or_failure(ouro_set_symmetric_difference_update(self, other));
}

static PyObject *
set_isdisjoint_method(PyObject *self, PyObject *other)
{
    return bool_or_failure(ouro_set_is_disjoint(self, other));
}

static PyObject *
set_issubset_method(PyObject *self, PyObject *other)
{
    return bool_or_failure(ouro_set_is_subset(self, other));
}

static PyObject *
set_issuperset_method(PyObject *self, PyObject *other)
{
    return bool_or_failure(ouro_set_is_superset(self, other));
}

static PyObject *
set_sizeof_method(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    size_t own = (size_t)Py_TYPE(self)->tp_basicsize;
    return PyLong_FromSize_t(own + ouro_dict_table_bytes(ouro_set(self)->table.ma_table));
}

/* clang-format off */
#define OURO_METHODS_OF_BOTH                                                             \
    {"__sizeof__", set_sizeof_method, METH_NOARGS, "Return the size in bytes."},         \
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS,                          \
     "Return the type with its parameters filled in."},                                  \
    {"__contains__", set_contains_method, METH_O | METH_COEXIST,                         \
     "Is an object in the set?"},                                                        \
    {"copy", set_copy_method, METH_NOARGS, "Return a shallow copy of the set."},         \
    {"difference", _PyCFunction_CAST(set_difference_method), METH_FASTCALL,              \
     "Return a new set of the items that are in none of the iterables."},                \
    {"intersection", _PyCFunction_CAST(set_intersection_method), METH_FASTCALL,          \
     "Return a new set of the items that are in all of the iterables, too."},            \
    {"isdisjoint", set_isdisjoint_method, METH_O,                                        \
     "Has the set no item in common with an iterable?"},                                 \
    {"issubset", set_issubset_method, METH_O, "Are all items in an iterable, too?"},     \
    {"issuperset", set_issuperset_method, METH_O,                                        \
     "Are all items of an iterable in the set, too?"},                                   \
    {"symmetric_difference", set_symmetric_difference_method, METH_O,                    \
     "Return a new set of the items that are in one of the two, but not in both."},      \
    {"union", _PyCFunction_CAST(set_union_method), METH_FASTCALL,                        \
     "Return a new set of the items of the set and of the iterables."}
/* clang-format on */

PyMethodDef ouro_set_methods[] = {
    OURO_METHODS_OF_BOTH,
    {"add", set_add_method, METH_O, "Add an item; no effect if it is there."},
    {"clear", set_clear_method, METH_NOARGS, "Remove all items."},
    {"difference_update", _PyCFunction_CAST(set_difference_update_method), METH_FASTCALL,
     "Remove the items of all iterables."},
    {"discard", set_discard_method, METH_O, "Remove an item; no effect if not there."},
    {"intersection_update", _PyCFunction_CAST(set_intersection_update_method),
     METH_FASTCALL, "Keep only the items that are in all of the iterables, too."},
    {"pop", set_pop_method, METH_NOARGS, "Remove and return some item."},
    {"remove", set_remove_method, METH_O, "Remove an item; KeyError if not there."},
    {"symmetric_difference_update", set_symmetric_difference_update_method, METH_O,
     "Remove the items of an iterable that are there, and add the others."},
    {"update", _PyCFunction_CAST(set_update_method), METH_FASTCALL,
     "Add the items of all iterables."},
    {NULL, NULL, 0, NULL},
};

PyMethodDef ouro_frozenset_methods[] = {
    OURO_METHODS_OF_BOTH,
    {NULL, NULL, 0, NULL},
};
