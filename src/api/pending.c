/* SPDX-License-Identifier: MIT */
/* Calls that other threads, or signal handlers that may lock, leave for later; and the
 * arguments of the program, which an embedding program keeps to itself. */
#include <Python.h>

#include <stdbool.h>

#define OURO_PENDING_MAX 32

struct pending_call {
    int (*func)(void *);
    void *arg;
};

static pthread_mutex_t pending_lock = PTHREAD_MUTEX_INITIALIZER; /* of all below */
static struct pending_call pending_calls[OURO_PENDING_MAX];      /* a ring */
static unsigned pending_first, pending_count;

int
Py_AddPendingCall(int (*func)(void *), void *arg)
{
    pthread_mutex_lock(&pending_lock);
    bool fits = pending_count < OURO_PENDING_MAX;
    if (fits) {
        unsigned place = (pending_first + pending_count++) % OURO_PENDING_MAX;
        pending_calls[place] = (struct pending_call){func, arg};
    }
    pthread_mutex_unlock(&pending_lock);
    return fits ? 0 : -1;
}

static bool
next_pending_call(struct pending_call *call)
{
    pthread_mutex_lock(&pending_lock);
    bool found = pending_count > 0;
    if (found) {
        *call = pending_calls[pending_first];
        pending_first = (pending_first + 1) % OURO_PENDING_MAX;
        pending_count--;
    }
    pthread_mutex_unlock(&pending_lock);
    return found;
}

/* Runs at most as many calls as fit, so that a function that adds itself again does not loop
 * here. */
int
Py_MakePendingCalls(void)
{
    struct pending_call call;
    for (int i = 0; i < OURO_PENDING_MAX && next_pending_call(&call); i++) {
        if (call.func(call.arg) != 0) {
            return -1;
        }
    }
    return 0;
}

void
Py_GetArgcArgv(int *argc, wchar_t ***argv)
{
    *argc = 0;
    *argv = NULL;
}
