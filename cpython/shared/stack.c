/* SPDX-License-Identifier: MIT */
/* The frames of running Python functions; see stack.h. Up to 3.10 each frame is an object, but it
 * is not tracked while the function runs. Since 3.11 frames lie in chunks of memory that belong to
 * the thread, and nothing visits them. */
#include "stack.h"

#include <frameobject.h>

#if PY_VERSION_HEX >= 0x030B0000

static void
look_at_thread(PyThreadState *thread, void (*look)(PyObject *word, void *arg), void *arg)
{
    for (_PyStackChunk *chunk = thread->datastack_chunk; chunk != NULL;
         chunk = chunk->previous) {
        PyObject **start = &chunk->data[0];
        PyObject **end =
            chunk == thread->datastack_chunk ? thread->datastack_top : start + chunk->top;
        for (PyObject **word = start; word < end; word++) {
            look((PyObject *)((uintptr_t)*word & ~(uintptr_t)7),
                 arg); /* tagged in 3.14 */
        }
    }
}

bool
stack_has(uintptr_t address)
{
    for (_PyStackChunk *chunk = PyThreadState_Get()->datastack_chunk; chunk != NULL;
         chunk = chunk->previous) {
        if (address >= (uintptr_t)chunk && address < (uintptr_t)chunk + chunk->size) {
            return true;
        }
    }
    return false;
}

#else

bool
stack_has(uintptr_t address)
{
    (void)address;
    return false;
}

static void
look_at_thread(PyThreadState *thread, void (*look)(PyObject *word, void *arg), void *arg)
{
    for (PyFrameObject *frame = thread->frame; frame != NULL; frame = frame->f_back) {
        PyObject **end = frame->f_valuestack + frame->f_code->co_stacksize;
        for (PyObject **word = frame->f_localsplus; word < end; word++) {
            look(*word, arg);
        }
    }
}

#endif

void
stack_each_word(void (*look)(PyObject *word, void *arg), void *arg)
{
    PyInterpreterState *interpreter = PyThreadState_Get()->interp;
    for (PyThreadState *thread = PyInterpreterState_ThreadHead(interpreter);
         thread != NULL; thread = PyThreadState_Next(thread)) {
        look_at_thread(thread, look, arg);
    }
}
