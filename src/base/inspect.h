/* SPDX-License-Identifier: MIT */
/* The way from the core to the views of the heap (src/inspect/). The core must not link them: a
 * statically linked program has only what it uses. So the views, if they are part of the
 * program, register themselves here before main() runs. */
#ifndef OURO_BASE_INSPECT_H
#define OURO_BASE_INSPECT_H

#include <signal.h>

struct ouro_inspector {
    /* The main interpreter has started, is about to end, has ended. */
    void (*start)(void);
    void (*end)(void);
    void (*ended)(void);
    /* The program is at a safe point, and a snapshot is asked for. */
    void (*safe_point)(void);
};

extern const struct ouro_inspector *ouro_inspector; /* NULL when there is none */
/* A signal asked for a snapshot. */
extern volatile sig_atomic_t ouro_inspect_is_asked;

#endif
