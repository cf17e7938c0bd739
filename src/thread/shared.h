/* SPDX-License-Identifier: MIT */
/* The process lock of ouro_shared around fork(); begin and end are in interpreter.h. */
#ifndef OURO_THREAD_SHARED_H
#define OURO_THREAD_SHARED_H

void ouro_shared_before_fork(void);
void ouro_shared_after_fork_parent(void);
void ouro_shared_after_fork_child(void);

#endif
