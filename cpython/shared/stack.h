/* SPDX-License-Identifier: MIT */
/* What the frames of running Python functions hold: no object visits these references. */
#ifndef OURO_AUDIT_STACK_H
#define OURO_AUDIT_STACK_H

#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

/* Call `look` with each word of the frames of all threads. A word may be anything: a local
 * variable, a temporary value, or a value that an earlier function left. */
void stack_each_word(void (*look)(PyObject *word, void *arg), void *arg);

/* Whether the address is in the memory where the current thread has frames, had frames or will
 * have frames. */
bool stack_has(uintptr_t address);

#endif
