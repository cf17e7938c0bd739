/* SPDX-License-Identifier: MIT */
/* What the calling thread is attached to, thread states, and the heads of two internal
 * structures: as much as the inline halves of allocation (gcsupport.h) and destruction
 * (refcount.h) read.
 * Private: nothing here is for programs, and all of it may change with the version. */
#ifndef OURO_PY_CURRENT_H
#define OURO_PY_CURRENT_H

#include "port.h"

OURO_BEGIN_DECLS

struct _is;     /* an interpreter, which starts with its heap */
struct _object; /* PyObject */
struct _Py_Destruction;

/* A thread state. Sources written for CPython read `interp`, `next` and `prev`. */
struct _ts {
    struct _is *interp;
    struct _object *error;          /* the pending exception, owned; or NULL */
    struct _object *handled;        /* the one being handled, owned; or NULL */
    struct _object *dict;           /* PyThreadState_GetDict, made when first asked for */
    struct repr_table *repr_active; /* objects inside Py_ReprEnter; NULL when none */
    uint64_t id;                    /* never used twice in a process */
    int gilstate_depth;             /* nesting of PyGILState_Ensure */
    int visits; /* and of PyUnstable_GC_VisitObjects: each holds the heap */
    unsigned char visits_disabled; /* the outermost of them turned the collector off */
    unsigned char made_by_gilstate;
    unsigned char reporting; /* inside an unraisable hook */
    unsigned char
        raising_recursion; /* a RecursionError is being made; it may use the reserve */
    unsigned char
        orphaned; /* its interpreter ended without it: attaching blocks for ever */
    struct _ts *gilstate_previous; /* what PyGILState_Ensure found attached; or NULL */
    const char *import_context;    /* the module whose init function runs; or NULL */
    struct _ts *next, *prev;       /* the thread states of the interpreter */
};

/* Neither pointer is ever NULL, except thread while detached. */
struct _Py_Current {
    struct _is *interp;
    struct _ts *thread;
    char *stack_low;  /* what recurses must not go below; of the OS thread, set when it
                         first attaches */
    char *stack_half; /* destructors below this watch their depth (object/dealloc.c) */
    struct _Py_Destruction *destruction; /* the innermost one; NULL outside of any */
    uint64_t main_id; /* of the state of the main interpreter that the OS thread attached
                            to last; 0 when there is none. For PyGILState_Ensure */
};
extern OURO_THREAD_LOCAL Py_EXPORTED_SYMBOL struct _Py_Current _Py_current
    __attribute__((tls_model("initial-exec")));

/* The header of a free block: a count of 1, no bits of the collector, and in the upper 16 bits
 * where in its page the next free block is. It is read and written as a whole: in parts it took
 * longer. With that count, a Py_DECREF of the dead object goes to destroy it, which is fatal. */
#define _Py_FREE_HEADER     UINT64_C(1)
#define _Py_FREE_NEXT_SHIFT 48

/* How far the next free block is from the beginning of the page before its own. The count makes
 * that a page more; any other header gives something else. */
static inline uint64_t
_Py_FreeLink(uint64_t header)
{
    return header << 16 | header >> _Py_FREE_NEXT_SHIFT;
}
#define _Py_IsFreeLink(link) ((link) - (_Py_FREE_HEADER << 16) <= 0xFFFF)

/* The head of struct page (src/heap/page.h). */
struct __attribute__((may_alias)) _Py_Page {
    struct _object *free;
    char *before;
    uint16_t left;
};

/* The head of struct heap (src/heap/heap.h). */
struct __attribute__((may_alias)) _Py_Heap {
    void *range[4];
    int64_t allocations;
    int64_t alarm;
    struct _Py_Page *fresh[1];
};

/* An address near the top of the stack. NULL where the compiler has no cheap way to tell. */
static inline char *
_Py_StackPointer(void)
{
    char *here = NULL;
#if defined(__x86_64__)
    __asm__("mov %%rsp, %0" : "=r"(here));
#elif defined(__aarch64__)
    __asm__("mov %0, sp" : "=r"(here));
#endif
    return here;
}

OURO_END_DECLS

#endif
