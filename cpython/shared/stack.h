/* SPDX-License-Identifier: MIT */
/* What the frames of running Python functions hold: no object visits that. */
#ifndef OURO_AUDIT_STACK_H
#define OURO_AUDIT_STACK_H

#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

/* Call `look` with each word of the frames of all threads. It may be anything: a local
 * variable, a temporary value, what an earlier function left. */
void stack_each_word(void (*look)(PyObject *word, void *arg), void *arg);

/* Is this address in the memory where the current thread has frames, had them or will have
 * them? */
bool stack_has(uintptr_t address);

#endif
