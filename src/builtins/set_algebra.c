/* SPDX-License-Identifier: MIT */
/* Operations on whole sets. */
#include "set_object.h"

/* set or frozenset. */
static PyTypeObject *
plain_type_of(PyObject *self)
{
    return PySet_Check(self) ? &PySet_Type : &PyFrozenSet_Type;
}

/* Settle a new set; or drop it when filling it failed. */
static PyObject *
finish_set(PyObject *result, int failed)
{
    if (failed < 0) {
        Py_DECREF(result);
        return NULL;
    }
    return ouro_set_settle(result);
}

/* --- adding ------------------------------------------------------------------------------------------- */

/* In an empty set no item needs to be compared, so no other code runs. */
static int
fill_empty_set(PyObject *self, const PyDictObject *source)
{
    const struct dict_entry *entry;
    Py_ssize_t pos = 0;
    while ((entry = ouro_dict_next_entry(source, &pos)) != NULL) {
        if (ouro_dict_reserve(ouro_dict(self)) < 0) {
            return -1;
        }
        ouro_dict_append(ouro_dict(self), Py_NewRef(entry->key), entry->hash, NULL);
    }
    return 0;
}

int
ouro_set_update(PyObject *self, PyObject *other)
{
    const PyDictObject *source = ouro_set_table(other);
    if (source != NULL && PySet_GET_SIZE(self) == 0) {
        return fill_empty_set(self, source);
    }
    struct item_walk walk;
    int found = ouro_walk_begin(&walk, other);
    while (found == 0 && (found = ouro_walk_next(&walk)) > 0) {
        found = ouro_set_add(self, walk.item, walk.hash);
    }
    return ouro_walk_end(&walk, found);
}

PyObject *
ouro_set_copy(PyObject *self)
{
    return ouro_set_from(plain_type_of(self), self);
}

PyObject *
ouro_set_union(PyObject *self, PyObject *const *others, Py_ssize_t count)
{
    PyObject *result = ouro_set_alloc(plain_type_of(self));
    if (result == NULL) {
        return NULL;
    }
    int failed = ouro_set_update(result, self);
    for (Py_ssize_t i = 0; failed == 0 && i < count; i++) {
        failed = ouro_set_update(result, others[i]);
    }
    return finish_set(result, failed);
}

/* --- what both have ------------------------------------------------------------------------------------- */

/* Add to `result` the items of `other` that `self` has, too, until it has them all. */
static int
add_common_items(PyObject *result, PyObject *self, PyObject *other)
{
    struct item_walk walk;
    int found = ouro_walk_begin(&walk, other);
    while (found == 0 && PySet_GET_SIZE(result) < PySet_GET_SIZE(self) &&
           (found = ouro_walk_next(&walk)) > 0) {
        found = ouro_set_has(self, walk.item, walk.hash);
        if (found > 0) {
            found = ouro_set_add(result, walk.item, walk.hash);
        }
    }
    return ouro_walk_end(&walk, found);
}

/* Is it quicker to walk over `self`, and look for its items in `other`? */
static bool
is_shorter_set(PyObject *self, PyObject *other)
{
    return PyAnySet_Check(other) && PySet_GET_SIZE(self) < PySet_GET_SIZE(other);
}

PyObject *
ouro_set_intersection(PyObject *self, PyObject *other)
{
    if (self == other) {
        return ouro_set_copy(self);
    }
    PyObject *result = ouro_set_alloc(plain_type_of(self));
    if (result == NULL) {
        return NULL;
    }
    int failed = is_shorter_set(self, other) ? add_common_items(result, other, self)
                                             : add_common_items(result, self, other);
    return finish_set(result, failed);
}

/* Exchange the items of two sets. */
static void
swap_items(PyDictObject *a, PyDictObject *b)
{
    Py_ssize_t used = a->ma_used;
    struct ouro_dict_table *table = a->ma_table;
    a->ma_used = b->ma_used;
    a->ma_table = b->ma_table;
    a->ma_version++;
    b->ma_used = used;
    b->ma_table = table;
    b->ma_version++;
}

int
ouro_set_intersection_update(PyObject *self, PyObject *other)
{
    PyObject *common = ouro_set_intersection(self, other);
    if (common == NULL) {
        return -1;
    }
    swap_items(ouro_dict(self), ouro_dict(common));
    Py_DECREF(common);
    return 0;
}

/* --- what only one has ------------------------------------------------------------------------------------ */

int
ouro_set_difference_update(PyObject *self, PyObject *other)
{
    if (self == other) {
        ouro_dict_empty(ouro_dict(self));
        return 0;
    }
    struct item_walk walk;
    int found = ouro_walk_begin(&walk, other);
    while (found >= 0 && (found = ouro_walk_next(&walk)) > 0) {
        found = ouro_set_discard(self, walk.item, walk.hash);
    }
    return ouro_walk_end(&walk, found);
}

/* Add to `result` the items of `self` that `other`, a set or a dict, does not have. */
static int
add_other_items(PyObject *result, PyObject *self, PyObject *other)
{
    struct item_walk walk;
    int found = ouro_walk_begin(&walk, self);
    while (found >= 0 && (found = ouro_walk_next(&walk)) > 0) {
        found = ouro_set_has(other, walk.item, walk.hash);
        if (found == 0) {
            found = ouro_set_add(result, walk.item, walk.hash);
        }
    }
    return ouro_walk_end(&walk, found);
}

PyObject *
ouro_set_difference(PyObject *self, PyObject *other)
{
    bool can_look_up = ouro_set_table(other) != NULL;
    PyObject *result = can_look_up ? ouro_set_alloc(plain_type_of(self))
                                   : ouro_set_from(plain_type_of(self), self);
    if (result == NULL) {
        return NULL;
    }
    int failed = can_look_up ? add_other_items(result, self, other)
                             : ouro_set_difference_update(result, other);
    return finish_set(result, failed);
}

/* Take out of `self` the items of `other` that it has, and add those that it has not;
 * `other` has no item twice. */
static int
toggle_items(PyObject *self, PyObject *other)
{
    struct item_walk walk;
    int found = ouro_walk_begin(&walk, other);
    while (found >= 0 && (found = ouro_walk_next(&walk)) > 0) {
        found = ouro_set_discard(self, walk.item, walk.hash);
        if (found == 0) {
            found = ouro_set_add(self, walk.item, walk.hash);
        }
    }
    return ouro_walk_end(&walk, found);
}

int
ouro_set_symmetric_difference_update(PyObject *self, PyObject *other)
{
    if (self == other) {
        ouro_dict_empty(ouro_dict(self));
        return 0;
    }
    if (ouro_set_table(other) != NULL) {
        return toggle_items(self, other);
    }
    PyObject *once = PySet_New(other);
    int failed = once == NULL ? -1 : toggle_items(self, once);
    Py_XDECREF(once);
    return failed;
}

PyObject *
ouro_set_symmetric_difference(PyObject *self, PyObject *other)
{
    PyObject *result = ouro_set_alloc(plain_type_of(self));
    if (result == NULL) {
        return NULL;
    }
    int failed = ouro_set_update(result, other);
    return finish_set(result, failed < 0 ? failed : toggle_items(result, self));
}

/* --- questions ---------------------------------------------------------------------------------------------- */

/* Does `self` have an item of `other`, or lack one? 1 or 0; -1 with an exception. */
static int
has_item_where(PyObject *self, PyObject *other, int wanted)
{
    struct item_walk walk;
    int found = ouro_walk_begin(&walk, other);
    while (found >= 0 && (found = ouro_walk_next(&walk)) > 0) {
        found = ouro_set_has(self, walk.item, walk.hash);
        if (found == wanted) {
            return ouro_walk_end(&walk, 1);
        }
    }
    return ouro_walk_end(&walk, found);
}

static int
not_unless_failed(int answer)
{
    return answer < 0 ? -1 : !answer;
}

int
ouro_set_is_disjoint(PyObject *self, PyObject *other)
{
    if (is_shorter_set(self, other)) {
        return not_unless_failed(has_item_where(other, self, 1));
    }
    return not_unless_failed(has_item_where(self, other, 1));
}

int
ouro_set_is_superset(PyObject *self, PyObject *other)
{
    if (PyAnySet_Check(other) && PySet_GET_SIZE(other) > PySet_GET_SIZE(self)) {
        return 0;
    }
    return not_unless_failed(has_item_where(self, other, 0));
}

int
ouro_set_is_subset(PyObject *self, PyObject *other)
{
    if (PyAnySet_Check(other)) {
        return ouro_set_is_superset(other, self);
    }
    PyObject *common = ouro_set_intersection(self, other);
    if (common == NULL) {
        return -1;
    }
    int all = PySet_GET_SIZE(common) == PySet_GET_SIZE(self);
    Py_DECREF(common);
    return all;
}
