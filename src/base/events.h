/* SPDX-License-Identifier: MIT */
/* The events of an object's life, for the contract checker.
 *
 * Each place with an event that the checker needs has one line: a call of a function of this
 * header. In the checking build (OURO_CHECK) these are functions of src/check/; in all others
 * they are empty, and the handler calls are the plain calls: no instruction is added. An event
 * that returns true means "the checker has dealt with it: do nothing more". In other builds it
 * is the constant false. */
#ifndef OURO_BASE_EVENTS_H
#define OURO_BASE_EVENTS_H

#include <Python.h>
#include <stdbool.h>

struct heap;
struct _is;

#if OURO_CHECK

/* Bytes behind each block whose pattern must stay as it is. */
#define OURO_RED_ZONE ((size_t)32)

#define OURO_EVENT(type, name, ...) type name(__VA_ARGS__);
#define OURO_QUESTION(name, ...)    bool name(__VA_ARGS__);
#define OURO_HANDLER(type, name, plain, ...)                                             \
    type name(__VA_ARGS__) __attribute__((visibility("hidden")));

#else

#define OURO_RED_ZONE ((size_t)0)

/* NOLINTBEGIN(bugprone-macro-parentheses): parameters and statements, not expressions */
#define OURO_EVENT(type, name, ...)                                                      \
    static inline type __attribute__((always_inline)) name(__VA_ARGS__)                  \
    {                                                                                    \
    }
#define OURO_QUESTION(name, ...)                                                         \
    static inline bool __attribute__((always_inline)) name(__VA_ARGS__)                  \
    {                                                                                    \
        return false;                                                                    \
    }
#define OURO_HANDLER(type, name, plain, ...)                                             \
    static inline type __attribute__((always_inline)) name(__VA_ARGS__)                  \
    {                                                                                    \
        plain;                                                                           \
    }
/* NOLINTEND(bugprone-macro-parentheses) */

#endif

#if defined(__GNUC__) && !OURO_CHECK
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif

/* --- handlers: called through these, and nowhere else ------------------------------------- */

OURO_HANDLER(int, ouro_call_traverse, return Py_TYPE(op)->tp_traverse(op, visit, arg),
             PyObject *op, visitproc visit, void *arg)
OURO_HANDLER(int, ouro_call_clear, return Py_TYPE(op)->tp_clear(op), PyObject *op)
OURO_HANDLER(void, ouro_call_dealloc, Py_TYPE(op)->tp_dealloc(op), PyObject *op)
OURO_HANDLER(void, ouro_call_finalize, Py_TYPE(op)->tp_finalize(op), PyObject *op)

/* --- memory ------------------------------------------------------------------------------- */

/* A container was allocated and its type set; its body is not initialised. */
OURO_EVENT(void, ouro_event_allocated, PyObject *op, size_t bytes)
/* PyObject_GC_Del: is it a mistake? Then: is the block kept in quarantine? */
OURO_QUESTION(ouro_event_refuses_del, PyObject *op)
OURO_QUESTION(ouro_event_keeps, PyObject *op)
/* PyObject_GC_Resize: is it a mistake? It has moved: is the old one kept? */
OURO_QUESTION(ouro_event_refuses_resize, PyVarObject *op, Py_ssize_t items, size_t bytes)
OURO_QUESTION(ouro_event_moved, PyObject *old, PyObject *fresh, size_t bytes)
/* The heap has no block left: did the quarantine give some back? */
OURO_QUESTION(ouro_event_makes_room, struct heap *heap)
/* How many freed blocks of the heap the quarantine holds. */
OURO_HANDLER(size_t, ouro_event_kept, return 0, const struct heap *heap)
/* The heap ends with what is in it. */
OURO_EVENT(void, ouro_event_heap_ends, struct heap *heap)

/* The object domain; and memory that is given to another domain's free. */
OURO_EVENT(void, ouro_event_plain_allocated, void *block, size_t bytes, bool is_zero)
OURO_EVENT(void, ouro_event_plain_moved, const void *old, void *block, size_t bytes)
OURO_QUESTION(ouro_event_refuses_free, void *block, const char *function)
OURO_QUESTION(ouro_event_keeps_plain, void *block)
OURO_EVENT(void, ouro_event_allocators_change, void)
/* _PyObject_New; PyObject_Init of any memory. */
OURO_EVENT(void, ouro_event_plain_new, PyTypeObject *type)
OURO_EVENT(void, ouro_event_init, PyObject *op, PyTypeObject *type)

/* --- the object --------------------------------------------------------------------------- */

OURO_QUESTION(ouro_event_incref, PyObject *op)
OURO_QUESTION(ouro_event_decref, PyObject *op)
OURO_QUESTION(ouro_event_track, PyObject *op)
OURO_QUESTION(ouro_event_untrack, PyObject *op)
OURO_EVENT(void, ouro_event_resurrected, PyObject *op)
OURO_EVENT(void, ouro_event_clears_weakrefs, PyObject *op)

/* --- the rest ----------------------------------------------------------------------------- */

/* The pending exception changes. */
OURO_EVENT(void, ouro_event_error, const char *function)
/* Something is called that tp_traverse must not call. */
OURO_EVENT(void, ouro_event_entry, const char *function)
/* A type before its slots are inherited, and when it is ready. */
OURO_EVENT(void, ouro_event_type_begins, PyTypeObject *type)
OURO_EVENT(void, ouro_event_type_ready, PyTypeObject *type)
OURO_EVENT(void, ouro_event_collection_begins, struct _is *interp, int generation)
OURO_EVENT(void, ouro_event_collection_ends, struct _is *interp)
/* An object of the unreachable set is about to be cleared. */
OURO_EVENT(void, ouro_event_condemned, PyObject *op)
/* Stress: is the finalizer of `op` to run in another round; is there one? */
OURO_QUESTION(ouro_event_finalizes_later, PyObject *op)
OURO_QUESTION(ouro_event_finalizes_more, void)
OURO_EVENT(void, ouro_event_visits_objects, bool begins)
OURO_EVENT(void, ouro_event_started, struct _is *interp)
/* Everything that the interpreter itself held is released. */
OURO_EVENT(void, ouro_event_emptied, struct _is *interp)

#if defined(__GNUC__) && !OURO_CHECK
#pragma GCC diagnostic pop
#endif

#endif
