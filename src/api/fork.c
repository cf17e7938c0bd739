/* SPDX-License-Identifier: MIT */
/* Around fork(): see ouro_registry_before_fork() for what is locked and what survives. */
#include <Python.h>

#include "../collector/collector.h"
#include "../thread/registry.h"
#include "../thread/thread.h"

void
PyOS_BeforeFork(void)
{
    ouro_thread_required("PyOS_BeforeFork");
    ouro_registry_before_fork();
}

void
PyOS_AfterFork_Parent(void)
{
    ouro_registry_after_fork_parent();
}

void
PyOS_AfterFork_Child(void)
{
    ouro_registry_after_fork_child();
    ouro_collector_after_fork(ouro_current.interp);
}

/* The name before 3.7. */
void
PyOS_AfterFork(void)
{
    PyOS_AfterFork_Child();
}
