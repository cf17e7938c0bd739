/* SPDX-License-Identifier: MIT */
#ifndef OURO_BUILTINS_FLOAT_METHODS_H
#define OURO_BUILTINS_FLOAT_METHODS_H

#include <Python.h>

extern PyMethodDef ouro_float_methods[];
extern PyGetSetDef ouro_float_getset[];

#endif
