/* SPDX-License-Identifier: MIT */
/* The methods of the types that every program has, because types, messages and arguments
 * consist of them.
 *
 * The types do not refer to these tables: api/methods.c adds them before a program looks up its
 * first attribute. A static program that looks up none does not contain them. */
#ifndef OURO_BUILTINS_METHOD_TABLES_H
#define OURO_BUILTINS_METHOD_TABLES_H

#include <Python.h>

extern PyMethodDef ouro_bytes_methods[];
extern PyMethodDef ouro_dict_methods[];
extern PyMethodDef ouro_float_methods[];
extern PyGetSetDef ouro_float_getset[];
extern PyMethodDef ouro_frozendict_methods[];
extern PyMethodDef ouro_frozenset_methods[];
extern PyMethodDef ouro_int_methods[];
extern PyGetSetDef ouro_int_getset[];
extern PyMethodDef ouro_list_methods[];
extern PyMethodDef ouro_set_methods[];
extern PyMethodDef ouro_str_methods[];
extern PyMethodDef ouro_tuple_methods[];

#endif
