/* SPDX-License-Identifier: MIT */
/* What the files of list and tuple share. */
#ifndef OURO_BUILTINS_LIST_OBJECT_H
#define OURO_BUILTINS_LIST_OBJECT_H

#include <Python.h>

/* Sort by <, stable; 0, or -1 with an exception. The items are in the list again in either
 * case, in some order. */
int ouro_list_sort(PyListObject *self);

extern PyMethodDef ouro_list_methods[];
extern PyMethodDef ouro_tuple_methods[];

#endif
