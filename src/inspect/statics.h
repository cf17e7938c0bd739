/* SPDX-License-Identifier: MIT */
/* Static variables that hold objects, as roots of a graph. */
#ifndef OURO_INSPECT_STATICS_H
#define OURO_INSPECT_STATICS_H

#include "graph.h"

#include "../platform/platform.h"

/* Add roots for the static variables of the program and its libraries, without those in the
 * spans. A variable may be a borrowed reference: an object gets no more of these roots than it
 * has references that nothing else explains. */
void ouro_statics_root(struct ouro_graph *graph, const struct ouro_span *skipped,
                       int count);

#endif
