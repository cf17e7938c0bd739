/* SPDX-License-Identifier: MIT */
/* The functions that a graph (src/inspect/graph.h) needs from CPython. */
#ifndef OURO_HEAP_SOURCE_H
#define OURO_HEAP_SOURCE_H

#include "inspect/graph.h"

/* attributes.c: name the attributes that an instance keeps without a dict. */
void attributes_name(PyObject *object, void *names, void *context);

/* roots.c: what frames, threads, modules and static variables hold. */
void roots_add(struct ouro_graph *graph, void *context);

#endif
