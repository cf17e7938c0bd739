/* SPDX-License-Identifier: MIT */
/* The process lock of ouro_shared around fork(); begin and end are in interpreter.h. */
#ifndef OURO_THREAD_SHARED_H
#define OURO_THREAD_SHARED_H

/* Keep other threads out of the shared scope; fatal inside of it. */
void ouro_shared_lock(void);
void ouro_shared_unlock(void);
/* A thread that is gone may have held the lock. */
void ouro_shared_renew_lock(void);

#endif
