/* SPDX-License-Identifier: MIT */
/* The few operations that a workload is written in, once for every peer.
 *
 * PEER_HEADER names the file that supplies them:
 *
 *   node                     how an object is referred to
 *   PEER_COLLECTS            1 if the peer has a collector; if not, only allocation workloads run
 *   PEER_COUNTS              1 if a collection says how many objects it found
 *   PEER_MANUAL              1 if the code that drops a cycle must free it, with peer_free
 *   PEER_STACK               bytes of stack that the workload runs on, 0: the main thread's
 *   peer_version()           its version, as text
 *   peer_start()             before anything else; automatic collection is off afterwards
 *   peer_new()               new object with two empty references, known to the collector
 *   peer_link(n, i, m)       reference i of n, empty so far, is now m
 *   peer_drop(n)             the caller's reference ends
 *   peer_new_branch(b)       new object with three empty references and b bytes of payload
 *   peer_new_wide(k)         new object with k empty references
 *   peer_link_wide(n, i, m)  peer_link for branches and wide objects
 *   peer_array(n)            zeroed array whose elements keep objects alive
 *   peer_collect()           a full collection; what it found, or -1 if the peer cannot say
 *   peer_automatic()         automatic collection is on from now on
 *   peer_safe_point()        where a collection that is due may run
 *   peer_count_deaths()      call it before the first object if peer_deaths() is needed
 *   peer_deaths()            objects freed so far; 0 if the peer cannot say
 *   peer_is_alive(n)         whether an object that must be alive looks so
 *
 * with PEER_MANUAL:
 *
 *   peer_ref(n, i)           reference i
 *   peer_free(n)             free this object, whatever its count
 *
 * with PEER_COLLECTS:
 *
 *   peer_examined()          objects that all collections so far looked at, or -1
 *
 * with PEER_COUNTS:
 *
 *   peer_objects()           roughly how many objects exist; only differences are meaningful
 *   peer_new_finalized()     peer_new, with a finalizer
 *   peer_new_weak(&w, c)     peer_new, with a weak reference w for the caller; c: it calls back
 *   peer_is_weak_dead(w)     whether reading w finds no object
 *   peer_new_watched()       as peer_new_weak, but the peer keeps the weak reference
 *   peer_forget_weakrefs()   drop the weak references that the peer keeps
 *   peer_finalized(), peer_callbacks()    how often finalizers and callbacks were called
 *   peer_collect_young(g)    a collection of the generations 0..g
 *   peer_freeze()            from now on collections ignore all objects that exist now
 *   peer_record_pauses()     the peer's own count of pauses starts here, if it has one
 *   peer_print_cycles()      print that count, for people who run the peer by hand */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include PEER_HEADER

#endif
