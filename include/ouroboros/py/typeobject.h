/* SPDX-License-Identifier: MIT */
/* Type objects: their structure, their flags, and the functions that make them. */
#ifndef OURO_PY_TYPEOBJECT_H
#define OURO_PY_TYPEOBJECT_H

#include "object.h"

OURO_BEGIN_DECLS

typedef struct PyMethodDef PyMethodDef;
typedef struct PyMemberDef PyMemberDef;
typedef struct PyGetSetDef PyGetSetDef;
typedef struct PyModuleDef PyModuleDef;
typedef struct PySlot PySlot;
struct Ouro_Fields; /* ouro_fields.h */
struct ouro_edges;  /* src/object/edges.h */

typedef struct {
    void *buf;
    PyObject *obj; /* owned; NULL once released */
    Py_ssize_t len;
    Py_ssize_t itemsize;
    int readonly;
    int ndim;
    char *format;
    Py_ssize_t *shape;
    Py_ssize_t *strides;
    Py_ssize_t *suboffsets;
    void *internal;
} Py_buffer;

typedef int (*getbufferproc)(PyObject *, Py_buffer *, int);
typedef void (*releasebufferproc)(PyObject *, Py_buffer *);

typedef enum {
    PYGEN_RETURN = 0,
    PYGEN_ERROR = -1,
    PYGEN_NEXT = 1,
} PySendResult;
typedef PySendResult (*sendfunc)(PyObject *iter, PyObject *value, PyObject **result);

typedef struct {
    binaryfunc nb_add;
    binaryfunc nb_subtract;
    binaryfunc nb_multiply;
    binaryfunc nb_remainder;
    binaryfunc nb_divmod;
    ternaryfunc nb_power;
    unaryfunc nb_negative;
    unaryfunc nb_positive;
    unaryfunc nb_absolute;
    inquiry nb_bool;
    unaryfunc nb_invert;
    binaryfunc nb_lshift;
    binaryfunc nb_rshift;
    binaryfunc nb_and;
    binaryfunc nb_xor;
    binaryfunc nb_or;
    unaryfunc nb_int;
    void *nb_reserved;
    unaryfunc nb_float;
    binaryfunc nb_inplace_add;
    binaryfunc nb_inplace_subtract;
    binaryfunc nb_inplace_multiply;
    binaryfunc nb_inplace_remainder;
    ternaryfunc nb_inplace_power;
    binaryfunc nb_inplace_lshift;
    binaryfunc nb_inplace_rshift;
    binaryfunc nb_inplace_and;
    binaryfunc nb_inplace_xor;
    binaryfunc nb_inplace_or;
    binaryfunc nb_floor_divide;
    binaryfunc nb_true_divide;
    binaryfunc nb_inplace_floor_divide;
    binaryfunc nb_inplace_true_divide;
    unaryfunc nb_index;
    binaryfunc nb_matrix_multiply;
    binaryfunc nb_inplace_matrix_multiply;
} PyNumberMethods;

typedef struct {
    lenfunc sq_length;
    binaryfunc sq_concat;
    ssizeargfunc sq_repeat;
    ssizeargfunc sq_item;
    void *was_sq_slice;
    ssizeobjargproc sq_ass_item;
    void *was_sq_ass_slice;
    objobjproc sq_contains;
    binaryfunc sq_inplace_concat;
    ssizeargfunc sq_inplace_repeat;
} PySequenceMethods;

typedef struct {
    lenfunc mp_length;
    binaryfunc mp_subscript;
    objobjargproc mp_ass_subscript;
} PyMappingMethods;

typedef struct {
    unaryfunc am_await;
    unaryfunc am_aiter;
    unaryfunc am_anext;
    sendfunc am_send;
} PyAsyncMethods;

typedef struct {
    getbufferproc bf_getbuffer;
    releasebufferproc bf_releasebuffer;
} PyBufferProcs;

struct _typeobject {
    PyObject_VAR_HEAD
    const char *tp_name;
    Py_ssize_t tp_basicsize, tp_itemsize;
    destructor tp_dealloc;
    Py_ssize_t tp_vectorcall_offset;
    getattrfunc tp_getattr;
    setattrfunc tp_setattr;
    PyAsyncMethods *tp_as_async;
    reprfunc tp_repr;
    PyNumberMethods *tp_as_number;
    PySequenceMethods *tp_as_sequence;
    PyMappingMethods *tp_as_mapping;
    hashfunc tp_hash;
    ternaryfunc tp_call;
    reprfunc tp_str;
    getattrofunc tp_getattro;
    setattrofunc tp_setattro;
    PyBufferProcs *tp_as_buffer;
    unsigned long tp_flags;
    const char *tp_doc;
    traverseproc tp_traverse;
    inquiry tp_clear;
    richcmpfunc tp_richcompare;
    Py_ssize_t tp_weaklistoffset;
    getiterfunc tp_iter;
    iternextfunc tp_iternext;
    PyMethodDef *tp_methods;
    PyMemberDef *tp_members;
    PyGetSetDef *tp_getset;
    PyTypeObject *tp_base;
    PyObject *tp_dict;
    descrgetfunc tp_descr_get;
    descrsetfunc tp_descr_set;
    Py_ssize_t tp_dictoffset;
    initproc tp_init;
    allocfunc tp_alloc;
    newfunc tp_new;
    freefunc tp_free;
    inquiry tp_is_gc;
    PyObject *tp_bases;
    PyObject *tp_mro;
    PyObject *tp_cache;
    void *tp_subclasses;
    PyObject *tp_weaklist;
    destructor tp_del;
    unsigned int tp_version_tag;
    destructor tp_finalize;
    vectorcallfunc tp_vectorcall;
    unsigned char tp_watched;
    /* The library's own: instances die by what ouro_fields.h compiles of the type's list. */
    unsigned char tp_ouro_inline_dealloc;
    uint16_t tp_versions_used;
    /* The library's own: the size class of instances (src/heap), for PyObject_GC_New; and
     * the same for its inline half, 0 where that must not be used. */
    uint16_t tp_ouro_size_class;
    uint16_t tp_ouro_inline_class;
    /* The library's own, not inherited: visit some thousand references, from number `from` on,
     * and return the number to continue with; -1 when these were the last. With it a full
     * collection in slices can stop in the middle of a large container. */
    Py_ssize_t (*tp_ouro_traverse_part)(PyObject *self, Py_ssize_t from, visitproc visit,
                                        void *arg);
    /* The fields that the type declares (ouro_fields.h), not inherited; and what
     * PyType_Ready makes of these and of the bases': where the references of an instance are. */
    const struct Ouro_Fields *tp_ouro_fields;
    /* The library's own: what Py_DECREF of a dead instance calls (src/heap/page.h). */
    destructor tp_ouro_dead;
    const struct ouro_edges *tp_ouro_edges;
};

/* About the most that one call of it visits. */
#define _Py_TRAVERSE_PART 4096

/* A type made at run time; it is itself an object of the collector. */
typedef struct _heaptypeobject {
    PyTypeObject ht_type;
    PyAsyncMethods as_async;
    PyNumberMethods as_number;
    PyMappingMethods as_mapping;
    PySequenceMethods as_sequence;
    PyBufferProcs as_buffer;
    PyObject *ht_name, *ht_slots, *ht_qualname;
    PyObject *ht_module; /* owned; what PyType_GetModule returns */
    char *ht_tpname;     /* owned copy that tp_name points to */
    void *ht_token;      /* Py_tp_token */
} PyHeapTypeObject;

/* --- flags ------------------------------------------------------------------------ */

#define Py_TPFLAGS_INLINE_VALUES          (1UL << 2) /* CPython's; without effect here */
#define Py_TPFLAGS_MANAGED_WEAKREF        (1UL << 3)
#define Py_TPFLAGS_MANAGED_DICT           (1UL << 4)
#define Py_TPFLAGS_PREHEADER              (Py_TPFLAGS_MANAGED_WEAKREF | Py_TPFLAGS_MANAGED_DICT)
#define Py_TPFLAGS_SEQUENCE               (1UL << 5)
#define Py_TPFLAGS_MAPPING                (1UL << 6)
#define Py_TPFLAGS_DISALLOW_INSTANTIATION (1UL << 7)
#define Py_TPFLAGS_IMMUTABLETYPE          (1UL << 8)
#define Py_TPFLAGS_HEAPTYPE               (1UL << 9)
#define Py_TPFLAGS_BASETYPE               (1UL << 10)
#define Py_TPFLAGS_HAVE_VECTORCALL        (1UL << 11)
#define _Py_TPFLAGS_HAVE_VECTORCALL       Py_TPFLAGS_HAVE_VECTORCALL
#define Py_TPFLAGS_READY                  (1UL << 12)
#define Py_TPFLAGS_READYING               (1UL << 13)
/* Instances are containers: they take part in cycle collection, and the type has a
 * tp_traverse. */
#define Py_TPFLAGS_HAVE_GC                  (1UL << 14)
#define Py_TPFLAGS_HAVE_STACKLESS_EXTENSION 0UL
#define Py_TPFLAGS_METHOD_DESCRIPTOR        (1UL << 17)
#define Py_TPFLAGS_HAVE_VERSION_TAG         (1UL << 18)
#define Py_TPFLAGS_VALID_VERSION_TAG        (1UL << 19)
#define Py_TPFLAGS_IS_ABSTRACT              (1UL << 20)
#define _Py_TPFLAGS_MATCH_SELF              (1UL << 22)
#define Py_TPFLAGS_ITEMS_AT_END             (1UL << 23)
#define Py_TPFLAGS_LONG_SUBCLASS            (1UL << 24)
#define Py_TPFLAGS_LIST_SUBCLASS            (1UL << 25)
#define Py_TPFLAGS_TUPLE_SUBCLASS           (1UL << 26)
#define Py_TPFLAGS_BYTES_SUBCLASS           (1UL << 27)
#define Py_TPFLAGS_UNICODE_SUBCLASS         (1UL << 28)
#define Py_TPFLAGS_DICT_SUBCLASS            (1UL << 29)
#define Py_TPFLAGS_BASE_EXC_SUBCLASS        (1UL << 30)
#define Py_TPFLAGS_TYPE_SUBCLASS            (1UL << 31)
#define Py_TPFLAGS_DEFAULT                  (Py_TPFLAGS_HAVE_STACKLESS_EXTENSION | 0)
#define Py_TPFLAGS_HAVE_FINALIZE            (1UL << 0)
#define Py_TPFLAGS_CHECKTYPES               0UL

/* --- the types of types ------------------------------------------------------------ */

PyAPI_DATA(PyTypeObject) PyType_Type;
PyAPI_DATA(PyTypeObject) PyBaseObject_Type;
/* super(type, object): the attributes behind `type` in the MRO. */
PyAPI_DATA(PyTypeObject) PySuper_Type;

/* --- predicates; pure, so safe in tp_traverse --------------------------------------- */

/* 1 if `a` is `b` or derives from it, else 0. */
PyAPI_FUNC(int) PyType_IsSubtype(PyTypeObject *a, PyTypeObject *b);
PyAPI_FUNC(unsigned long) PyType_GetFlags(PyTypeObject *type);

static inline int
PyType_HasFeature(PyTypeObject *type, unsigned long feature)
{
    return (type->tp_flags & feature) != 0;
}
#define PyType_FastSubclass(type, flag) PyType_HasFeature(type, flag)
#define PyType_IS_GC(type)              PyType_HasFeature((type), Py_TPFLAGS_HAVE_GC)
#define PyType_SUPPORTS_WEAKREFS(type)  ((type)->tp_weaklistoffset != 0)

static inline int
PyObject_TypeCheck(PyObject *op, PyTypeObject *type)
{
    return Py_IS_TYPE(op, type) || PyType_IsSubtype(Py_TYPE(op), type);
}
#define PyObject_TypeCheck(op, type) PyObject_TypeCheck(_PyObject_CAST(op), (type))

#define PyType_Check(op)      PyType_HasFeature(Py_TYPE(op), Py_TPFLAGS_TYPE_SUBCLASS)
#define PyType_CheckExact(op) Py_IS_TYPE(op, &PyType_Type)
#define _PyType_CAST(op)      ((PyTypeObject *)(op))

/* --- making types -------------------------------------------------------------------- */

typedef struct {
    int slot;
    void *pfunc;
} PyType_Slot;

typedef struct {
    const char *name;
    int basicsize; /* > 0 absolute, 0 inherit, < 0 that many bytes after the base's */
    int itemsize;
    unsigned int flags;
    PyType_Slot *slots;
} PyType_Spec;

/* Finish a static type: fill tp_base, tp_bases, tp_mro and tp_dict, inherit slots, check
 * the rules of the GC flags. Returns 0; or -1 with an exception. Repeating it is fine.
 * The type becomes immortal and is shared by every interpreter of the process. */
PyAPI_FUNC(int) PyType_Ready(PyTypeObject *type);

/* New heap types from a spec. `bases` is NULL (then Py_tp_bases or Py_tp_base, else
 * object), a type, or a tuple of types. `module` is kept with a strong reference and is
 * what PyType_GetModule returns. A new reference; or NULL with an exception. */
PyAPI_FUNC(PyObject *) PyType_FromSpec(PyType_Spec *spec);
PyAPI_FUNC(PyObject *) PyType_FromSpecWithBases(PyType_Spec *spec, PyObject *bases);
PyAPI_FUNC(PyObject *) PyType_FromModuleAndSpec(PyObject *module, PyType_Spec *spec,
                                                PyObject *bases);
PyAPI_FUNC(PyObject *) PyType_FromMetaclass(PyTypeObject *metaclass, PyObject *module,
                                            PyType_Spec *spec, PyObject *bases);
/* The same from a PySlot array; Py_tp_name is required. */
PyAPI_FUNC(PyObject *) PyType_FromSlots(const PySlot *slots);

/* Default tp_alloc: zero-filled, with nitems + 1 item slots when the type has items, one
 * reference to a heap type taken, and already tracked when the type is a GC type. A new
 * reference; or NULL with MemoryError. */
PyAPI_FUNC(PyObject *) PyType_GenericAlloc(PyTypeObject *type, Py_ssize_t nitems);
/* Default tp_new: type->tp_alloc(type, 0); the arguments are ignored. */
PyAPI_FUNC(PyObject *) PyType_GenericNew(PyTypeObject *type, PyObject *args,
                                         PyObject *kwargs);

/* The function or data of slot `slot`; NULL if unset, NULL with SystemError if the id is
 * unknown. */
PyAPI_FUNC(void *) PyType_GetSlot(PyTypeObject *type, int slot);
/* New references: __name__, __qualname__, and module.qualname. */
PyAPI_FUNC(PyObject *) PyType_GetName(PyTypeObject *type);
PyAPI_FUNC(PyObject *) PyType_GetQualName(PyTypeObject *type);
PyAPI_FUNC(PyObject *) PyType_GetFullyQualifiedName(PyTypeObject *type);
PyAPI_FUNC(PyObject *) PyType_GetModuleName(PyTypeObject *type);
/* A new reference to the type's own dict. */
PyAPI_FUNC(PyObject *) PyType_GetDict(PyTypeObject *type);
/* To be called after a change to tp_dict by other means than attribute assignment. */
PyAPI_FUNC(void) PyType_Modified(PyTypeObject *type);
/* Returns 0: there is no cache of attributes. */
PyAPI_FUNC(unsigned int) PyType_ClearCache(void);
/* Make a heap type immutable. 0; or -1 with TypeError when a base is mutable. */
PyAPI_FUNC(int) PyType_Freeze(PyTypeObject *type);
/* Look `name` up along the MRO: a borrowed reference, or NULL without exception. */
PyAPI_FUNC(PyObject *) _PyType_Lookup(PyTypeObject *type, PyObject *name);
PyAPI_FUNC(const char *) _PyType_Name(PyTypeObject *type);

/* --- data that a type adds to its instances ------------------------------------------- */

/* Where the part of `o` that `cls` added begins; `cls` was made with a negative
 * basicsize. No checks. */
PyAPI_FUNC(void *) PyObject_GetTypeData(PyObject *o, PyTypeObject *cls);
PyAPI_FUNC(void *) PyObject_GetTypeData_DuringGC(PyObject *o, PyTypeObject *cls);
/* How many bytes that part has; never negative. */
PyAPI_FUNC(Py_ssize_t) PyType_GetTypeDataSize(PyTypeObject *cls);
/* Where the items of a Py_TPFLAGS_ITEMS_AT_END instance begin. NULL with TypeError when
 * the flag is missing; the DuringGC form sets no exception. */
PyAPI_FUNC(void *) PyObject_GetItemData(PyObject *o);
PyAPI_FUNC(void *) PyObject_GetItemData_DuringGC(PyObject *o);

/* --- tokens and modules ---------------------------------------------------------------- */

/* As Py_tp_token: "the address of the spec is the token". */
#define Py_TP_USE_SPEC NULL

/* Find the first type in MRO order whose Py_tp_token is `token`. 1 and a new reference in
 * *result (result may be NULL); 0 and NULL when there is none; -1 with an exception. The
 * DuringGC form sets a borrowed reference and no exception. */
PyAPI_FUNC(int) PyType_GetBaseByToken(PyTypeObject *type, void *token,
                                      PyTypeObject **result);
PyAPI_FUNC(int) PyType_GetBaseByToken_DuringGC(PyTypeObject *type, void *token,
                                               PyTypeObject **result);
/* The module the type was made with, borrowed. NULL with TypeError when it has none. The
 * DuringGC forms set no exception. */
PyAPI_FUNC(PyObject *) PyType_GetModule(PyTypeObject *type);
PyAPI_FUNC(PyObject *) PyType_GetModule_DuringGC(PyTypeObject *type);

OURO_END_DECLS

#endif
