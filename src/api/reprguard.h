/* SPDX-License-Identifier: MIT */
/* The objects that a thread is printing; see reprguard.c. */
#ifndef OURO_API_REPRGUARD_H
#define OURO_API_REPRGUARD_H

#include <Python.h>

#include "../thread/interpreter.h"

/* The thread state ends, or its thread left without Py_ReprLeave. */
void ouro_repr_forget(struct _ts *thread);

#endif
