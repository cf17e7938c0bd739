/* SPDX-License-Identifier: MIT */
/* main NAME COUNT: do one of the works. Callgrind counts inside measured(). Without arguments, print
 * the names. */
#include <Python.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "work.h"

void measured(const struct work *work, long count);

__attribute__((noinline)) void
measured(const struct work *work, long count)
{
    work->run(count);
}

void
collect(long count)
{
    (void)count;
    PyGC_Collect();
}

static void
do_work(const struct work *work, long count)
{
    if (work->prepare != NULL) {
        work->prepare(count);
    }
    measured(work, count);
    if (work->finish != NULL) {
        work->finish();
    }
}

int
main(int argc, char **argv)
{
    Py_Initialize();
    PyGC_Disable();
    ready_types();
    for (const struct work *work = works; work->name != NULL; work++) {
        if (argc == 1) {
            puts(work->name);
        } else if (strcmp(work->name, argv[1]) == 0) {
            PyGC_Enable();
            do_work(work, atol(argv[2]));
        }
    }
    return Py_FinalizeEx();
}
