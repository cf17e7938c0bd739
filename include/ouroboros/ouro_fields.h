/* SPDX-License-Identifier: MIT */
/* Declared fields: a type lists its references once, and has its handlers.
 *
 *     typedef struct {
 *         PyObject_HEAD
 *         PyObject *next;
 *     } Link;
 *     OURO_FIELDS(Link, next);
 *
 *     static PyTypeObject Link_Type = {
 *         ...
 *         .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
 *         OURO_TYPE_FIELDS(Link),
 *     };
 *
 * This header needs nothing but Python.h. Copy it into an extension for CPython 3.9 or newer:
 * there the list becomes the ordinary tp_traverse, tp_clear and tp_dealloc. With Ouroboros it
 * also becomes a table, which the collector reads instead of calling handlers. The licence is
 * MIT. docs/fields.md explains each kind of field. */
#ifndef OURO_FIELDS_H
#define OURO_FIELDS_H

#include <Python.h>
#include <stddef.h>

#ifdef Py_LIMITED_API
#error "ouro_fields.h reads type objects: it cannot be used with Py_LIMITED_API"
#endif

/* --- what a list consists of ------------------------------------------------------------- */

/* A name alone is a reference, or NULL: PyObject *name, or a pointer to an object's struct.
 * The list may have 32 entries. */

/* PyObject *name[N]: every element is a reference, or NULL. */
#define OURO_ARRAY(name) (ouro_array, name)
/* PyObject **name, and how many references it leads to. tp_clear sets both to 0 and gives the
 * memory to `release`: PyMem_Free, free, or a function of yours; NULL: the memory is not
 * the object's. */
#define OURO_COUNTED(name, length, release) (ouro_counted, name, length, release)
/* The same with elements of type `S`, whose list is OURO_STRUCT_FIELDS(S, ...). */
#define OURO_STRUCTS(S, name, length, release) (ouro_structs, S, name, length, release)
/* PyObject *name[]: ob_size references at the end of the object. */
#define OURO_ITEMS(name) (ouro_items, name)
/* S name: a struct inside the object, whose list is OURO_STRUCT_FIELDS(S, ...). */
#define OURO_STRUCT(S, name) (ouro_struct, S, name)
/* The type has Py_TPFLAGS_MANAGED_DICT. CPython 3.12 or newer. */
#define OURO_MANAGED_DICT (ouro_dict, 0)
/* PyObject *name at tp_weaklistoffset. It is never visited, and cleared by tp_dealloc. */
#define OURO_WEAKREFS(name) (ouro_weakrefs, name)
/* PyObject *name: a pointer that the object does not own. It is neither visited nor cleared. */
#define OURO_BORROWED(name) (ouro_borrowed, name)
/* What cannot be listed: a traverseproc and an inquiry; either may be NULL. tp_traverse,
 * and tp_clear and tp_dealloc, call them for this part. */
#define OURO_REST(visit, clear) (ouro_rest, visit, clear)

/* --- where a list goes -------------------------------------------------------------------- */

/* OURO_FIELDS(T, ...);              at file level, after struct T
 * OURO_STRUCT_FIELDS(S, ...);       the same for a struct that is no object
 * OURO_TYPE_FIELDS(T)               in a static type, with its other .tp_ members
 * OURO_SLOT_FIELDS(T)               in the slots of a PyType_Spec
 * OURO_SET_FIELDS(type, T);         a statement before PyType_Ready(type), as C++ needs it
 *
 * The type has Py_TPFLAGS_HAVE_GC. Its base may be any: what the base visits, clears and frees
 * is added. A heap type is visited and released as it has to be. */

/* --- for each entry of a list (how macros do that; nothing to see for users) ---------------- */

/* clang-format off */
#define OURO_F_CAT_(a, b) a##b
#define OURO_F_CAT(a, b) OURO_F_CAT_(a, b)
#define OURO_F_STRIP(...) __VA_ARGS__
/* Is `x` in parentheses? 1 or 0. */
#define OURO_F_PROBE(...) 0, 1
#define OURO_F_SECOND_(a, b, ...) b
#define OURO_F_SECOND(...) OURO_F_SECOND_(__VA_ARGS__)
#define OURO_F_IS_TUPLE(x) OURO_F_SECOND(OURO_F_PROBE x, 0, 0)
/* P##kind(T, arguments of the entry) */
#define OURO_F_SPREAD_(P, T, kind, ...) P##kind(T, __VA_ARGS__)
#define OURO_F_SPREAD(...) OURO_F_SPREAD_(__VA_ARGS__)
#define OURO_F_ONE_0(P, T, x) P##ouro_ref(T, x)
#define OURO_F_ONE_1(P, T, x) OURO_F_SPREAD(P, T, OURO_F_STRIP x)
#define OURO_F_ONE(P, T, x) OURO_F_CAT(OURO_F_ONE_, OURO_F_IS_TUPLE(x))(P, T, x)
#ifdef __cppcheck__ /* its preprocessor does not expand this */
#define OURO_F_EACH(P, T, ...)
#else
#define OURO_F_EACH(P, T, ...) \
    OURO_F_CAT(OURO_F_EACH_, OURO_F_COUNT(__VA_ARGS__))(P, T, __VA_ARGS__)
#endif
#define OURO_F_COUNT(...) OURO_F_PICK(__VA_ARGS__, 32, 31, 30, 29, 28, 27, 26, 25, 24, \
    23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, \
    0)
#define OURO_F_PICK(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, \
    a16, a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, \
    a32, n, ...) n
#define OURO_F_EACH_1(P, T, x) OURO_F_ONE(P, T, x)
#define OURO_F_EACH_2(P, T, x, ...) OURO_F_ONE(P, T, x) OURO_F_EACH_1(P, T, __VA_ARGS__)
#define OURO_F_EACH_3(P, T, x, ...) OURO_F_ONE(P, T, x) OURO_F_EACH_2(P, T, __VA_ARGS__)
#define OURO_F_EACH_4(P, T, x, ...) OURO_F_ONE(P, T, x) OURO_F_EACH_3(P, T, __VA_ARGS__)
#define OURO_F_EACH_5(P, T, x, ...) OURO_F_ONE(P, T, x) OURO_F_EACH_4(P, T, __VA_ARGS__)
#define OURO_F_EACH_6(P, T, x, ...) OURO_F_ONE(P, T, x) OURO_F_EACH_5(P, T, __VA_ARGS__)
#define OURO_F_EACH_7(P, T, x, ...) OURO_F_ONE(P, T, x) OURO_F_EACH_6(P, T, __VA_ARGS__)
#define OURO_F_EACH_8(P, T, x, ...) OURO_F_ONE(P, T, x) OURO_F_EACH_7(P, T, __VA_ARGS__)
#define OURO_F_EACH_9(P, T, x, ...) OURO_F_ONE(P, T, x) OURO_F_EACH_8(P, T, __VA_ARGS__)
#define OURO_F_EACH_10(P, T, x, ...) OURO_F_ONE(P, T, x) OURO_F_EACH_9(P, T, __VA_ARGS__)
#define OURO_F_EACH_11(P, T, x, ...) OURO_F_ONE(P, T, x) OURO_F_EACH_10(P, T, __VA_ARGS__)
#define OURO_F_EACH_12(P, T, x, ...) OURO_F_ONE(P, T, x) OURO_F_EACH_11(P, T, __VA_ARGS__)
#define OURO_F_EACH_13(P, T, x, ...) OURO_F_ONE(P, T, x) OURO_F_EACH_12(P, T, __VA_ARGS__)
#define OURO_F_EACH_14(P, T, x, ...) OURO_F_ONE(P, T, x) OURO_F_EACH_13(P, T, __VA_ARGS__)
#define OURO_F_EACH_15(P, T, x, ...) OURO_F_ONE(P, T, x) OURO_F_EACH_14(P, T, __VA_ARGS__)
#define OURO_F_EACH_16(P, T, x, ...) OURO_F_ONE(P, T, x) OURO_F_EACH_15(P, T, __VA_ARGS__)
#define OURO_F_EACH_17(P, T, x, ...) OURO_F_ONE(P, T, x) OURO_F_EACH_16(P, T, __VA_ARGS__)
#define OURO_F_EACH_18(P, T, x, ...) OURO_F_ONE(P, T, x) OURO_F_EACH_17(P, T, __VA_ARGS__)
#define OURO_F_EACH_19(P, T, x, ...) OURO_F_ONE(P, T, x) OURO_F_EACH_18(P, T, __VA_ARGS__)
#define OURO_F_EACH_20(P, T, x, ...) OURO_F_ONE(P, T, x) OURO_F_EACH_19(P, T, __VA_ARGS__)
#define OURO_F_EACH_21(P, T, x, ...) OURO_F_ONE(P, T, x) OURO_F_EACH_20(P, T, __VA_ARGS__)
#define OURO_F_EACH_22(P, T, x, ...) OURO_F_ONE(P, T, x) OURO_F_EACH_21(P, T, __VA_ARGS__)
#define OURO_F_EACH_23(P, T, x, ...) OURO_F_ONE(P, T, x) OURO_F_EACH_22(P, T, __VA_ARGS__)
#define OURO_F_EACH_24(P, T, x, ...) OURO_F_ONE(P, T, x) OURO_F_EACH_23(P, T, __VA_ARGS__)
#define OURO_F_EACH_25(P, T, x, ...) OURO_F_ONE(P, T, x) OURO_F_EACH_24(P, T, __VA_ARGS__)
#define OURO_F_EACH_26(P, T, x, ...) OURO_F_ONE(P, T, x) OURO_F_EACH_25(P, T, __VA_ARGS__)
#define OURO_F_EACH_27(P, T, x, ...) OURO_F_ONE(P, T, x) OURO_F_EACH_26(P, T, __VA_ARGS__)
#define OURO_F_EACH_28(P, T, x, ...) OURO_F_ONE(P, T, x) OURO_F_EACH_27(P, T, __VA_ARGS__)
#define OURO_F_EACH_29(P, T, x, ...) OURO_F_ONE(P, T, x) OURO_F_EACH_28(P, T, __VA_ARGS__)
#define OURO_F_EACH_30(P, T, x, ...) OURO_F_ONE(P, T, x) OURO_F_EACH_29(P, T, __VA_ARGS__)
#define OURO_F_EACH_31(P, T, x, ...) OURO_F_ONE(P, T, x) OURO_F_EACH_30(P, T, __VA_ARGS__)
#define OURO_F_EACH_32(P, T, x, ...) OURO_F_ONE(P, T, x) OURO_F_EACH_31(P, T, __VA_ARGS__)
/* clang-format on */

#if defined(__GNUC__)
#define OURO_F_UNUSED __attribute__((unused))
#else
#define OURO_F_UNUSED
#endif

/* A member that is no pointer does not compile. */
/* clang-format off */
#define OURO_F_REFERENCE(place) \
    (0 * sizeof(char[sizeof(place) == sizeof(void *) ? 1 : -1])) /* NOLINT(bugprone-sizeof-expression) */
/* clang-format on */

/* --- releasing what a list names ------------------------------------------------------------ */

/* An array that has left its object. */
struct ouro_f_taken {
    void *items;
    Py_ssize_t count;
};

/* clang-format off */
/* In a function with `self`, and `op` for what only objects can have. Arrays may share a length:
 * all of them leave the object, then their lengths become 0, and then the first reference is
 * released, which may run any code. */
#define OURO_F_CLEAR_ALL(T, ...) { \
        struct ouro_f_taken arrays[OURO_F_COUNT(__VA_ARGS__)], *taken = arrays; \
        OURO_F_EACH(OURO_F_TAKE_, T, __VA_ARGS__) \
        OURO_F_EACH(OURO_F_EMPTY_, T, __VA_ARGS__) \
        taken = arrays; \
        OURO_F_EACH(OURO_F_CLEAR_, T, __VA_ARGS__) \
        (void)self, (void)taken; \
    }

#define OURO_F_TAKE_ouro_ref(T, m)
#define OURO_F_TAKE_ouro_array(T, m)
#define OURO_F_TAKE_ouro_counted(T, m, length, release) \
    taken->items = self->m; \
    taken->count = (Py_ssize_t)self->length; \
    taken++; \
    self->m = NULL;
#define OURO_F_TAKE_ouro_structs(T, S, m, length, release) \
    OURO_F_TAKE_ouro_counted(T, m, length, release)
#define OURO_F_TAKE_ouro_items(T, m)
#define OURO_F_TAKE_ouro_struct(T, S, m)
#define OURO_F_TAKE_ouro_dict(T, unused)
#define OURO_F_TAKE_ouro_weakrefs(T, m)
#define OURO_F_TAKE_ouro_borrowed(T, m)
#define OURO_F_TAKE_ouro_rest(T, rest, clear)

#define OURO_F_EMPTY_ouro_ref(T, m)
#define OURO_F_EMPTY_ouro_array(T, m)
#define OURO_F_EMPTY_ouro_counted(T, m, length, release) self->length = 0;
#define OURO_F_EMPTY_ouro_structs(T, S, m, length, release) self->length = 0;
#define OURO_F_EMPTY_ouro_items(T, m)
#define OURO_F_EMPTY_ouro_struct(T, S, m)
#define OURO_F_EMPTY_ouro_dict(T, unused)
#define OURO_F_EMPTY_ouro_weakrefs(T, m)
#define OURO_F_EMPTY_ouro_borrowed(T, m)
#define OURO_F_EMPTY_ouro_rest(T, rest, clear)

#define OURO_F_CLEAR_ouro_ref(T, m) Py_CLEAR(self->m);
#define OURO_F_CLEAR_ouro_array(T, m) \
    for (size_t i = 0; i < sizeof(self->m) / sizeof(self->m[0]); i++) { Py_CLEAR(self->m[i]); }
#define OURO_F_CLEAR_ouro_counted(T, m, length, release) { \
        PyObject **items = (PyObject **)taken->items; \
        void (*give_back)(void *) = release; \
        for (Py_ssize_t i = 0; i < taken->count; i++) { Py_XDECREF(items[i]); } \
        if (give_back != NULL && items != NULL) { give_back(items); } \
        taken++; \
    }
#define OURO_F_CLEAR_ouro_structs(T, S, m, length, release) { \
        S *items = (S *)taken->items; \
        void (*give_back)(void *) = release; \
        for (Py_ssize_t i = 0; i < taken->count; i++) { S##_ouro_drop(&items[i]); } \
        if (give_back != NULL && items != NULL) { give_back(items); } \
        taken++; \
    }
#define OURO_F_CLEAR_ouro_items(T, m) { \
        PyObject **items = ouro_f_items(op, self->m); \
        for (Py_ssize_t i = 0; i < Py_SIZE(op); i++) { Py_CLEAR(items[i]); } \
    }
#define OURO_F_CLEAR_ouro_struct(T, S, m) S##_ouro_drop(&self->m);
#define OURO_F_CLEAR_ouro_dict(T, unused) OURO_F_CLEAR_DICT(op);
#define OURO_F_CLEAR_ouro_weakrefs(T, m)
#define OURO_F_CLEAR_ouro_borrowed(T, m)
#define OURO_F_CLEAR_ouro_rest(T, rest, clear) { \
        inquiry handler = clear; \
        if (handler != NULL) { (void)handler(op); } \
    }

#define OURO_F_WEAK_ouro_ref(T, m)
#define OURO_F_WEAK_ouro_array(T, m)
#define OURO_F_WEAK_ouro_counted(T, m, length, release)
#define OURO_F_WEAK_ouro_structs(T, S, m, length, release)
#define OURO_F_WEAK_ouro_items(T, m)
#define OURO_F_WEAK_ouro_struct(T, S, m)
#define OURO_F_WEAK_ouro_dict(T, unused)
#define OURO_F_WEAK_ouro_weakrefs(T, m) if (self->m != NULL) { PyObject_ClearWeakRefs(op); }
#define OURO_F_WEAK_ouro_borrowed(T, m)
#define OURO_F_WEAK_ouro_rest(T, rest, clear)
/* clang-format on */

#ifdef OUROBOROS

/* ===== Ouroboros: a table ==================================================================== */

OURO_BEGIN_DECLS

/* The number of the slot in a PyType_Spec; the value is a const Ouro_Fields *. */
#define Ouro_tp_fields 0x4F46

enum Ouro_FieldKind {
    OURO_FIELD_END,
    OURO_FIELD_REFERENCE, /* `count` of them, side by side */
    OURO_FIELD_COUNTED,
    OURO_FIELD_ITEMS,
    OURO_FIELD_STRUCT,
    OURO_FIELD_MANAGED_DICT,
    OURO_FIELD_WEAKREFS,
    OURO_FIELD_BORROWED,
    OURO_FIELD_REST,
    OURO_FIELD_CLASS, /* no field: the name of the C++ class, whose members are at `length` */
};

/* One entry of a list. The macros fill it. */
typedef struct Ouro_Field {
    const char *name;
    enum Ouro_FieldKind kind;
    int length_size;   /* COUNTED: bytes of the length */
    Py_ssize_t offset; /* of the member in its struct */
    Py_ssize_t count;  /* REFERENCE: how many */
    Py_ssize_t length; /* COUNTED: offset of the length; CLASS: of the first member */
    Py_ssize_t size;   /* COUNTED, ITEMS: of an element; STRUCT, CLASS: of all of it */
    const struct Ouro_Field
        *element; /* list of the struct, or of the elements; or NULL */
    void (*release)(void *);
    traverseproc visit;
    inquiry clear;
    Py_ssize_t
        through; /* COUNTED: offset of a pointer to the struct that has both; or 0 */
} Ouro_Field;

/* What a type declares. A NULL handler: the type has its own. */
typedef struct Ouro_Fields {
    const Ouro_Field *list;
    traverseproc traverse;
    inquiry clear;
    destructor dealloc;
} Ouro_Fields;

/* The handlers of a type with this list, for the macros. `self` is an instance of the type or
 * of a subtype. */
PyAPI_FUNC(int) Ouro_FieldsTraverse(const Ouro_Field *list, PyObject *self,
                                    visitproc visit, void *arg);
PyAPI_FUNC(int) Ouro_FieldsClear(const Ouro_Field *list, PyObject *self);
PyAPI_FUNC(void) Ouro_FieldsDealloc(const Ouro_Field *list, PyObject *self);

OURO_END_DECLS

/* clang-format off */
#define OURO_F_AT(T, m) ((T *)0)->m
#define OURO_F_TABLE_ouro_ref(T, m) \
    {#m, OURO_FIELD_REFERENCE, 0, offsetof(T, m) + OURO_F_REFERENCE(OURO_F_AT(T, m)), 1, 0, \
     sizeof(void *), NULL, NULL, NULL, NULL, 0},
#define OURO_F_TABLE_ouro_array(T, m) \
    {#m, OURO_FIELD_REFERENCE, 0, offsetof(T, m) + OURO_F_REFERENCE(OURO_F_AT(T, m)[0]), \
     sizeof(OURO_F_AT(T, m)) / sizeof(void *), 0, sizeof(void *), NULL, NULL, NULL, NULL, 0},
#define OURO_F_TABLE_ouro_counted(T, m, length, release) \
    {#m, OURO_FIELD_COUNTED, sizeof(OURO_F_AT(T, length)), \
     offsetof(T, m) + OURO_F_REFERENCE(OURO_F_AT(T, m)[0]), 0, offsetof(T, length), \
     sizeof(void *), NULL, release, NULL, NULL, 0},
#define OURO_F_TABLE_ouro_structs(T, S, m, length, release) \
    {#m, OURO_FIELD_COUNTED, sizeof(OURO_F_AT(T, length)), offsetof(T, m), 0, \
     offsetof(T, length), sizeof(S), S##_ouro_list, release, NULL, NULL, 0},
#define OURO_F_TABLE_ouro_items(T, m) \
    {#m, OURO_FIELD_ITEMS, 0, offsetof(T, m) + OURO_F_REFERENCE(OURO_F_AT(T, m)[0]), 0, 0, \
     sizeof(void *), NULL, NULL, NULL, NULL, 0},
#define OURO_F_TABLE_ouro_struct(T, S, m) \
    {#m, OURO_FIELD_STRUCT, 0, offsetof(T, m), 0, 0, sizeof(S), S##_ouro_list, NULL, NULL, NULL, 0},
#define OURO_F_TABLE_ouro_dict(T, unused) \
    {"__dict__", OURO_FIELD_MANAGED_DICT, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, 0},
#define OURO_F_TABLE_ouro_weakrefs(T, m) \
    {#m, OURO_FIELD_WEAKREFS, 0, offsetof(T, m), 0, 0, sizeof(void *), NULL, NULL, NULL, NULL, 0},
#define OURO_F_TABLE_ouro_borrowed(T, m) \
    {#m, OURO_FIELD_BORROWED, 0, offsetof(T, m), 0, 0, sizeof(void *), NULL, NULL, NULL, NULL, 0},
#define OURO_F_TABLE_ouro_rest(T, visit, clear) \
    {"the rest", OURO_FIELD_REST, 0, 0, 0, 0, 0, NULL, NULL, visit, clear, 0},

/* Can the arrays be as long as they say? */
#define OURO_F_FITS_ouro_ref(T, m)
#define OURO_F_FITS_ouro_array(T, m)
#define OURO_F_FITS_ouro_counted(T, m, length, release) \
    && ouro_f_fits(self->m, (Py_ssize_t)self->length, sizeof(self->length))
#define OURO_F_FITS_ouro_structs(T, S, m, length, release) \
    OURO_F_FITS_ouro_counted(T, m, length, release)
#define OURO_F_FITS_ouro_items(T, m)
#define OURO_F_FITS_ouro_struct(T, S, m) && S##_ouro_fits(&self->m)
#define OURO_F_FITS_ouro_dict(T, unused)
#define OURO_F_FITS_ouro_weakrefs(T, m)
#define OURO_F_FITS_ouro_borrowed(T, m)
#define OURO_F_FITS_ouro_rest(T, rest, clear)
/* clang-format on */

#define OURO_F_CLEAR_DICT PyObject_ClearManagedDict

static inline PyObject **
ouro_f_items(PyObject *op, void *items)
{
    (void)op;
    return (PyObject **)items;
}

/* Is the list all that has to be done for an instance that dies? Finalizers may come late. */
static inline int
ouro_f_dies_in_line(const PyTypeObject *type)
{
    return type->tp_ouro_inline_dealloc && type->tp_finalize == NULL;
}

/* As the library reads lengths (ouro_edges_span): it refuses what does not fit, with names. */
static inline int
ouro_f_fits(const void *items, Py_ssize_t count, size_t size)
{
    Py_ssize_t most = size == 4 ? INT32_MAX : (Py_ssize_t)1 << 40;
    return count >= 0 && count <= most && (items != NULL || count == 0);
}

static inline void
ouro_f_free(PyObject *op)
{
    PyTypeObject *type = Py_TYPE(op);
    if (type->tp_flags & Py_TPFLAGS_HEAPTYPE) {
        type->tp_free(op);
        Py_DECREF(type);
    } else {
        type->tp_free(op);
    }
}

/* The list alone, for types of the library that have handlers of their own. */
#define OURO_F_LIST(S, ...)                                                              \
    OURO_F_UNUSED static const Ouro_Field S##_ouro_list[] = {                            \
        OURO_F_EACH(OURO_F_TABLE_, S, __VA_ARGS__){NULL, OURO_FIELD_END, 0, 0, 0, 0, 0,  \
                                                   NULL, NULL, NULL, NULL, 0}}

#define OURO_STRUCT_FIELDS(S, ...)                                                       \
    OURO_F_UNUSED static int S##_ouro_fits(const S *self)                                \
    {                                                                                    \
        (void)self;                                                                      \
        return 1 OURO_F_EACH(OURO_F_FITS_, S, __VA_ARGS__);                              \
    }                                                                                    \
    OURO_F_UNUSED static void S##_ouro_drop(S *self){                                    \
        OURO_F_CLEAR_ALL(S, __VA_ARGS__)} OURO_F_LIST(S, __VA_ARGS__)

#define OURO_FIELDS(T, ...)                                                              \
    OURO_F_LIST(T, __VA_ARGS__);                                                         \
    static int T##_ouro_traverse(PyObject *self, visitproc visit, void *arg)             \
    {                                                                                    \
        return Ouro_FieldsTraverse(T##_ouro_list, self, visit, arg);                     \
    }                                                                                    \
    static int T##_ouro_clear(PyObject *self)                                            \
    {                                                                                    \
        return Ouro_FieldsClear(T##_ouro_list, self);                                    \
    }                                                                                    \
    /* Most objects die here, by code that is compiled for the type. */                  \
    static void T##_ouro_dealloc(PyObject *op)                                           \
    {                                                                                    \
        T *self = (T *)op;                                                               \
        if (!(ouro_f_dies_in_line(Py_TYPE(op))                                           \
                  OURO_F_EACH(OURO_F_FITS_, T, __VA_ARGS__))) {                          \
            Ouro_FieldsDealloc(T##_ouro_list, op);                                       \
            return;                                                                      \
        }                                                                                \
        PyObject_GC_UnTrack(op);                                                         \
        OURO_F_EACH(OURO_F_WEAK_, T, __VA_ARGS__)                                        \
        OURO_F_CLEAR_ALL(T, __VA_ARGS__)                                                 \
        ouro_f_free(op);                                                                 \
    }                                                                                    \
    OURO_F_UNUSED static const Ouro_Fields T##_ouro_fields = {                           \
        T##_ouro_list, T##_ouro_traverse, T##_ouro_clear, T##_ouro_dealloc}

#define OURO_TYPE_FIELDS(T) .tp_ouro_fields = &T##_ouro_fields
#define OURO_SLOT_FIELDS(T)                                                              \
    {                                                                                    \
        Ouro_tp_fields, (void *)&T##_ouro_fields                                         \
    }
#define OURO_SET_FIELDS(type, T) ((void)((type)->tp_ouro_fields = &T##_ouro_fields))

#else

/* ===== CPython: handlers ==================================================================== */

#if PY_VERSION_HEX < 0x03090000
#error                                                                                   \
    "ouro_fields.h needs CPython 3.9: before, types were not visited by their instances"
#endif

static inline int
ouro_f_is_heap(PyTypeObject *type)
{
    return (type->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0;
}

/* The type, from that of the object upwards, which has this handler; and the next one that has
 * another. Each list has handlers of its own, so handlers name lists. */
#define OURO_F_FIND(op, slot, handler, type, base)                                       \
    PyTypeObject *type = Py_TYPE(op), *base;                                             \
    while (type->slot != (handler) && type->tp_base != NULL) {                           \
        type = type->tp_base;                                                            \
    }                                                                                    \
    base = type->tp_base;                                                                \
    while (base != NULL && base->slot == (handler)) {                                    \
        base = base->tp_base;                                                            \
    }

/* The tp_traverse of a heap type visits the type; that of a static base does not. */
static inline int
ouro_f_visit_base(PyObject *op, traverseproc handler, visitproc visit, void *arg)
{
    OURO_F_FIND(op, tp_traverse, handler, type, base)
    int has_base = base != NULL && base->tp_traverse != NULL;
    if (ouro_f_is_heap(type) && !(has_base && ouro_f_is_heap(base))) {
        Py_VISIT(Py_TYPE(op));
    }
    return has_base ? base->tp_traverse(op, visit, arg) : 0;
}

static inline int
ouro_f_clear_base(PyObject *op, inquiry handler)
{
    OURO_F_FIND(op, tp_clear, handler, type, base)
    (void)type;
    return base != NULL && base->tp_clear != NULL ? base->tp_clear(op) : 0;
}

/* 0, or -1 when the finalizer made the object live on. */
static inline int
ouro_f_finalize(PyObject *op)
{
    return Py_TYPE(op)->tp_finalize != NULL ? PyObject_CallFinalizerFromDealloc(op) : 0;
}

static inline void
ouro_f_clear_managed_weakrefs(PyObject *op)
{
#ifdef Py_TPFLAGS_MANAGED_WEAKREF
    if (PyType_HasFeature(Py_TYPE(op), Py_TPFLAGS_MANAGED_WEAKREF)) {
        PyObject_ClearWeakRefs(op);
    }
#else
    (void)op;
#endif
}

/* The fields are gone: the base's turn, or the end. */
static inline void
ouro_f_free(PyObject *op, destructor handler)
{
    PyTypeObject *own = Py_TYPE(op);
    OURO_F_FIND(op, tp_dealloc, handler, type, base)
    int owns_type = ouro_f_is_heap(type) && !ouro_f_is_heap(base);
    if (base->tp_dealloc == PyBaseObject_Type.tp_dealloc) {
        own->tp_free(op);
    } else {
        if (PyType_IS_GC(base)) {
            PyObject_GC_Track(op);
        }
        base->tp_dealloc(op);
    }
    if (owns_type) {
        Py_DECREF(own);
    }
}

/* The items, which a subtype with items at the end moves. */
static inline PyObject **
ouro_f_items(PyObject *op, void *items)
{
#ifdef Py_TPFLAGS_ITEMS_AT_END
    if (PyType_HasFeature(Py_TYPE(op), Py_TPFLAGS_ITEMS_AT_END)) {
        return (PyObject **)PyObject_GetItemData(op);
    }
#endif
    (void)op;
    return (PyObject **)items;
}

/* Long chains of objects die without filling the stack; since 3.14 CPython sees to that. */
#if PY_VERSION_HEX < 0x030E0000
#define OURO_F_TRASH_BEGIN(op, dealloc) Py_TRASHCAN_BEGIN(op, dealloc)
#define OURO_F_TRASH_END                Py_TRASHCAN_END
#else
#define OURO_F_TRASH_BEGIN(op, dealloc)
#define OURO_F_TRASH_END
#endif

#if PY_VERSION_HEX >= 0x030D0000
#define OURO_F_VISIT_DICT PyObject_VisitManagedDict
#define OURO_F_CLEAR_DICT PyObject_ClearManagedDict
#elif PY_VERSION_HEX >= 0x030C0000
#define OURO_F_VISIT_DICT _PyObject_VisitManagedDict
#define OURO_F_CLEAR_DICT _PyObject_ClearManagedDict
#else
#define OURO_F_VISIT_DICT OURO_MANAGED_DICT_needs_CPython_3_12
#define OURO_F_CLEAR_DICT OURO_MANAGED_DICT_needs_CPython_3_12
#endif

/* clang-format off */
/* In a function with `self`, `visit` and `arg`, and `op` for what only objects can have. */
#define OURO_F_VISIT_ouro_ref(T, m) Py_VISIT(self->m);
#define OURO_F_VISIT_ouro_array(T, m) \
    for (size_t i = 0; i < sizeof(self->m) / sizeof(self->m[0]); i++) { Py_VISIT(self->m[i]); }
#define OURO_F_VISIT_ouro_counted(T, m, length, release) \
    for (Py_ssize_t i = 0; i < (Py_ssize_t)self->length; i++) { Py_VISIT(self->m[i]); }
#define OURO_F_VISIT_ouro_structs(T, S, m, length, release) \
    for (Py_ssize_t i = 0; i < (Py_ssize_t)self->length; i++) { \
        int result = S##_ouro_visit(&self->m[i], visit, arg); \
        if (result != 0) { return result; } \
    }
#define OURO_F_VISIT_ouro_items(T, m) { \
        PyObject **items = ouro_f_items(op, self->m); \
        for (Py_ssize_t i = 0; i < Py_SIZE(op); i++) { Py_VISIT(items[i]); } \
    }
#define OURO_F_VISIT_ouro_struct(T, S, m) { \
        int result = S##_ouro_visit(&self->m, visit, arg); \
        if (result != 0) { return result; } \
    }
#define OURO_F_VISIT_ouro_dict(T, unused) { \
        int result = OURO_F_VISIT_DICT(op, visit, arg); \
        if (result != 0) { return result; } \
    }
#define OURO_F_VISIT_ouro_weakrefs(T, m)
#define OURO_F_VISIT_ouro_borrowed(T, m)
#define OURO_F_VISIT_ouro_rest(T, rest, clear) { \
        traverseproc handler = rest; \
        int result = handler != NULL ? handler(op, visit, arg) : 0; \
        if (result != 0) { return result; } \
    }
/* clang-format on */

#define OURO_STRUCT_FIELDS(S, ...)                                                       \
    OURO_F_UNUSED static int S##_ouro_visit(S *self, visitproc visit, void *arg)         \
    {                                                                                    \
        OURO_F_EACH(OURO_F_VISIT_, S, __VA_ARGS__)                                       \
        (void)self, (void)visit, (void)arg;                                              \
        return 0;                                                                        \
    }                                                                                    \
    OURO_F_UNUSED static void S##_ouro_drop(S *self){OURO_F_CLEAR_ALL(                   \
        S, __VA_ARGS__)} OURO_F_UNUSED static void S##_ouro_drop(S *self)

#define OURO_FIELDS(T, ...)                                                              \
    OURO_F_UNUSED static int T##_ouro_traverse(PyObject *op, visitproc visit, void *arg) \
    {                                                                                    \
        T *self = (T *)op;                                                               \
        OURO_F_EACH(OURO_F_VISIT_, T, __VA_ARGS__)                                       \
        (void)self;                                                                      \
        return ouro_f_visit_base(op, T##_ouro_traverse, visit, arg);                     \
    }                                                                                    \
    OURO_F_UNUSED static void T##_ouro_drop(PyObject *op)                                \
    {                                                                                    \
        T *self = (T *)op;                                                               \
        OURO_F_CLEAR_ALL(T, __VA_ARGS__)                                                 \
    }                                                                                    \
    OURO_F_UNUSED static int T##_ouro_clear(PyObject *op)                                \
    {                                                                                    \
        T##_ouro_drop(op);                                                               \
        return ouro_f_clear_base(op, T##_ouro_clear);                                    \
    }                                                                                    \
    OURO_F_UNUSED static void T##_ouro_dealloc(PyObject *op)                             \
    {                                                                                    \
        T *self = (T *)op;                                                               \
        if (ouro_f_finalize(op) < 0) {                                                   \
            return;                                                                      \
        }                                                                                \
        PyObject_GC_UnTrack(op);                                                         \
        OURO_F_TRASH_BEGIN(op, T##_ouro_dealloc)                                         \
        OURO_F_EACH(OURO_F_WEAK_, T, __VA_ARGS__)                                        \
        (void)self;                                                                      \
        ouro_f_clear_managed_weakrefs(op);                                               \
        T##_ouro_drop(op);                                                               \
        ouro_f_free(op, T##_ouro_dealloc);                                               \
        OURO_F_TRASH_END                                                                 \
    }                                                                                    \
    OURO_F_UNUSED static void T##_ouro_dealloc(PyObject *op)

/* clang-format off */
#define OURO_TYPE_FIELDS(T) \
    .tp_dealloc = T##_ouro_dealloc, .tp_traverse = T##_ouro_traverse, .tp_clear = T##_ouro_clear
#define OURO_SLOT_FIELDS(T) \
    {Py_tp_dealloc, (void *)T##_ouro_dealloc}, {Py_tp_traverse, (void *)T##_ouro_traverse}, \
    {Py_tp_clear, (void *)T##_ouro_clear}
#define OURO_SET_FIELDS(type, T) \
    ((void)((type)->tp_dealloc = T##_ouro_dealloc, (type)->tp_traverse = T##_ouro_traverse, \
            (type)->tp_clear = T##_ouro_clear))
/* clang-format on */

#endif

#endif
