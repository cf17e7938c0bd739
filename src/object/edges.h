/* SPDX-License-Identifier: MIT */
/* Where the references of an object are: the one place that walks over them without calling the
 * type's tp_traverse.
 *
 * A type that declares its fields (ouro_fields.h), or inherits from one that does, has
 * `tp_ouro_edges`: types/fields.c makes it from the lists of the type and its bases. The first
 * references lie side by side; most types have no others. Further references are steps. A type
 * that has only handlers has no edges: the walk then calls its tp_traverse.
 *
 *   edges.inv.same    the walk visits what the type's tp_traverse visits, each as often
 *   edges.inv.order   steps are in no particular order */
#ifndef OURO_OBJECT_EDGES_H
#define OURO_OBJECT_EDGES_H

#include <ouro_fields.h>

#include "../base/check.h"
#include "../base/events.h"

enum edge_kind {
    EDGE_WORDS,   /* `words` references at `offset` */
    EDGE_ITEMS,   /* ob_size elements at `offset` */
    EDGE_COUNTED, /* a pointer at `offset`, the number of elements at `length` */
    EDGE_CALL,    /* the type says by a function */
};

struct edge_step {
    uint8_t kind;
    uint8_t length_size;
    uint32_t words; /* references side by side, in each element */
    int32_t offset;
    int32_t
        through; /* not 0: this word points to a struct with the pointer and the length */
    int32_t length;
    uint32_t first;  /* from the start of an element to its references */
    uint32_t stride; /* from element to element */
    const Ouro_Field *field;
    traverseproc visit;
    freefunc release; /* COUNTED, once for each array: where its memory goes; or NULL */
};

struct ouro_edges {
    int32_t
        offset; /* of the first references; -16 with a managed dict in front of them */
    uint32_t words; /* how many lie side by side */
    uint32_t step_count;
    int32_t own_offset; /* the same without the type */
    uint32_t own_words;
    /* Handlers that release the own words, what the steps lead to, and the memory of arrays,
     * and do nothing else; tp_dealloc also frees the object. NULL: there are none. */
    inquiry clear;
    destructor dealloc;
    freefunc free;
    bool is_plain;   /* the above are known */
    bool has_arrays; /* some steps have a `release` */
    const Ouro_Field
        *list; /* the nearest declaration; NULL for the classes of the program */
    struct edge_step steps[];
};

/* The elements that a step reads: `count` elements from `start` on. */
struct edge_span {
    char *start;
    Py_ssize_t count;
};

/* If this fires: the declared length of a counted array, or ob_size, is not the array's length. */
_Noreturn void ouro_edges_refuse(PyObject *op, const struct edge_step *step,
                                 Py_ssize_t count);

static inline Py_ssize_t
ouro_edges_length(const char *at, unsigned size)
{
    switch (size) {
    case 8:
        return *(const Py_ssize_t *)at;
    case 4:
        return *(const int32_t *)at;
    case 2:
        return *(const uint16_t *)at;
    default:
        return *(const uint8_t *)at;
    }
}

/* No block has more elements. */
#define OURO_EDGES_MOST ((Py_ssize_t)1 << 40)

static inline __attribute__((always_inline)) struct edge_span
ouro_edges_span(PyObject *op, const struct edge_step *step)
{
    char *base = (char *)op;
    struct edge_span span = {base + step->offset, 1};
    if (step->kind == EDGE_ITEMS) {
        span.count = Py_SIZE(op);
    } else if (step->kind == EDGE_COUNTED) {
        if (step->through != 0) {
            base = *(char **)(base + step->through);
            if (base == NULL) {
                return (struct edge_span){NULL, 0};
            }
        }
        span.start = *(char **)(base + step->offset);
        span.count = ouro_edges_length(base + step->length, step->length_size);
    }
    if (OURO_UNLIKELY(span.count < 0 || span.count > OURO_EDGES_MOST ||
                      (span.start == NULL && span.count != 0))) {
        ouro_edges_refuse(op, step, span.count);
    }
    return span;
}

/* Where the references of the first element are. A number: an array of no elements may be NULL,
 * to which C lets nobody add anything. */
static inline __attribute__((always_inline)) uintptr_t
ouro_edges_first(const struct edge_span *span, const struct edge_step *step)
{
    return (uintptr_t)span->start + step->first;
}

static inline __attribute__((always_inline)) int
ouro_edges_visit_words(char *at, size_t words, visitproc visit, void *arg)
{
    for (PyObject **word = (PyObject **)at; words > 0; words--, word++) {
        int result = *word != NULL ? visit(*word, arg) : 0;
        if (result != 0) {
            return result;
        }
    }
    return 0;
}

static inline __attribute__((always_inline)) int
ouro_edges_visit_step(PyObject *op, const struct edge_step *step, visitproc visit,
                      void *arg)
{
    if (OURO_UNLIKELY(step->kind == EDGE_CALL)) {
        return step->visit(op, visit, arg);
    }
    struct edge_span span = ouro_edges_span(op, step);
    uintptr_t element = ouro_edges_first(&span, step);
    size_t words = step->words;
    if (step->stride == sizeof(PyObject *)) { /* one after the other: as one element */
        words = (size_t)span.count;
        span.count = 1;
    }
    for (; span.count > 0; span.count--, element += step->stride) {
        int result = ouro_edges_visit_words((char *)element, words, visit, arg);
        if (result != 0) {
            return result;
        }
    }
    return 0;
}

/* Visit the references that the edges describe. */
static inline __attribute__((always_inline)) int
ouro_edges_visit(const struct ouro_edges *edges, PyObject *op, visitproc visit, void *arg)
{
    int result =
        ouro_edges_visit_words((char *)op + edges->offset, edges->words, visit, arg);
    for (uint32_t i = 0; result == 0 && OURO_UNLIKELY(i < edges->step_count); i++) {
        result = ouro_edges_visit_step(op, &edges->steps[i], visit, arg);
    }
    return result;
}

/* Visit what `op` refers to. The compiler knows `visit` and inlines it into the loop; a type
 * without edges calls it. The checking build observes every call. */
static inline __attribute__((always_inline)) void
ouro_visit_edges(PyObject *op, visitproc visit, void *arg)
{
    if (OURO_CHECK || Py_TYPE(op)->tp_ouro_edges == NULL) {
        (void)ouro_call_traverse(op, visit, arg);
    } else {
        (void)ouro_edges_visit(Py_TYPE(op)->tp_ouro_edges, op, visit, arg);
    }
}

/* The same with the second half as a function, which calls `visit`: each inline copy takes two
 * kilobytes. */
void ouro_call_declared_edges(PyObject *op, visitproc visit, void *arg);

static inline __attribute__((always_inline)) void
ouro_call_edges(PyObject *op, visitproc visit, void *arg)
{
    if (OURO_CHECK || Py_TYPE(op)->tp_ouro_edges == NULL) {
        (void)ouro_call_traverse(op, visit, arg);
    } else {
        ouro_call_declared_edges(op, visit, arg);
    }
}

/* Does the type have exactly the handlers that its edges know? Then nothing else happens when
 * an instance dies, except to its weak references. */
static inline bool
ouro_edges_are_plain(const struct ouro_edges *edges, const PyTypeObject *type)
{
    return !OURO_CHECK && edges != NULL && edges->is_plain &&
           edges->clear == type->tp_clear && edges->dealloc == type->tp_dealloc &&
           type->tp_finalize == NULL && type->tp_del == NULL &&
           type->tp_free == edges->free;
}

/* Does tp_clear release the own words and do nothing else? */
static inline bool
ouro_edges_clear_is_plain(const struct ouro_edges *edges, const PyTypeObject *type)
{
    return !OURO_CHECK && edges != NULL && edges->is_plain && edges->step_count == 0 &&
           edges->clear != NULL && edges->clear == type->tp_clear;
}

/* Does tp_dealloc release the own words, free the object, release its type if that is a heap
 * type, and do nothing else? */
static inline bool
ouro_edges_dealloc_is_plain(const struct ouro_edges *edges, const PyTypeObject *type)
{
    return ouro_edges_are_plain(edges, type) && edges->step_count == 0 &&
           type->tp_weaklistoffset == 0;
}

static inline void
ouro_edges_clear(const struct ouro_edges *edges, PyObject *op)
{
    PyObject **word = (PyObject **)((char *)op + edges->own_offset);
    for (uint32_t words = edges->own_words; words > 0; words--, word++) {
        Py_CLEAR(*word);
    }
}

/* Call `body` for each place of a plain object that may hold a reference, except the one to its
 * type. */
typedef void (*ouro_place_body)(PyObject **place, void *arg);

static inline __attribute__((always_inline)) void
ouro_edges_each_own(const struct ouro_edges *edges, PyObject *op, ouro_place_body body,
                    void *arg)
{
    PyObject **word = (PyObject **)((char *)op + edges->own_offset);
    for (uint32_t words = edges->own_words; words > 0; words--, word++) {
        body(word, arg);
    }
    for (uint32_t i = 0; OURO_UNLIKELY(i < edges->step_count); i++) {
        const struct edge_step *step = &edges->steps[i];
        struct edge_span span = ouro_edges_span(op, step);
        for (uintptr_t at = ouro_edges_first(&span, step); span.count > 0;
             span.count--, at += step->stride) {
            for (uint32_t n = 0; n < step->words; n++) {
                body((PyObject **)at + n, arg);
            }
        }
    }
}

/* Free the array that the step of a plain object leads to, if the object owns it. */
static inline void
ouro_edges_free_array(PyObject *op, const struct edge_step *step)
{
    if (step->release != NULL) {
        int32_t place = step->through != 0 ? step->through : step->offset;
        step->release(*(void **)((char *)op + place));
    }
}

/* Declares a visitor for that. */
#define OURO_VISITOR static inline __attribute__((always_inline)) int

#endif
