/* SPDX-License-Identifier: MIT */
/* What the files of list and tuple share. */
#ifndef OURO_BUILTINS_LIST_OBJECT_H
#define OURO_BUILTINS_LIST_OBJECT_H

#include <Python.h>

#include <stdbool.h>

/* Sort by <, stable: the items, or what `key` (unless NULL) returns for them; the other way
 * round when `reverse`. 0, or -1 with an exception. The items are in the list again in
 * either case, in some order. */
int ouro_list_sort(PyListObject *self, PyObject *key, bool reverse);
/* list[index] = value; or del list[index], when that is NULL. */
int ouro_list_ass_item(PyObject *self, Py_ssize_t index, PyObject *value);

/* Slots, and the method __reversed__. */
PyObject *ouro_list_subscript(PyObject *self, PyObject *key);
int ouro_list_ass_subscript(PyObject *self, PyObject *key, PyObject *value);
PyObject *ouro_tuple_subscript(PyObject *self, PyObject *key);
PyObject *ouro_list_iter(PyObject *list);
PyObject *ouro_list_reversed(PyObject *list, PyObject *ignored);
PyObject *ouro_tuple_iter(PyObject *tuple);

#endif
