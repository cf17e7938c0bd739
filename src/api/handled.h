/* SPDX-License-Identifier: MIT */
#ifndef OURO_API_HANDLED_H
#define OURO_API_HANDLED_H

#include <Python.h>

#include <stdbool.h>

/* `exc` is being raised: the exception that is being handled, if any, is its context. */
void ouro_handled_add_context(PyObject *exc);

#endif
