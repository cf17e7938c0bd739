/* SPDX-License-Identifier: MIT */
/* READ THIS FIRST: finishing a type, step by step.
 *
 * PyType_Ready serves static types; the files that make heap types come in through
 * ouro_heap_type_finish. Both take the same steps. A static type is seen by every
 * interpreter, so its steps run in the shared scope, under the process lock, and READY is
 * set last.
 *
 * Read next: bases.c, mro.c, inherit.c, check.c. */
#include "../base/check.h"
#include "../base/events.h"
#include "../collector/collector.h"
#include "../heap/size_class.h"
#include "../object/dealloc.h"
#include "../thread/interpreter.h"
#include "fields.h"
#include "subclasses.h"
#include "type.h"

static bool take_the_steps(PyTypeObject *type, struct failure *failure);
static bool finish_static_type(PyTypeObject *type, struct failure *failure);

int
PyType_Ready(PyTypeObject *type)
{
    struct failure failure = {0};
    ouro_shared_begin();
    bool unfinished_heap_type =
        ouro_type_is_heap(type) && !PyType_HasFeature(type, Py_TPFLAGS_READY);
    ouro_shared_end();
    bool done = unfinished_heap_type ? ouro_heap_type_finish(type, &failure)
                                     : ouro_base_finish(type, &failure);
    if (!done) {
        ouro_failure_raise(&failure);
        return -1;
    }
    return 0;
}

bool
ouro_base_finish(PyTypeObject *base, struct failure *failure)
{
    /* A thread of another interpreter may be finishing the type: take the lock before reading
     * flags. */
    ouro_shared_begin();
    bool done = PyType_HasFeature(base, Py_TPFLAGS_READY);
    if (!done && ouro_type_is_heap(base)) {
        ouro_fail(failure, PyExc_TypeError, "Cannot extend an incomplete type '%.100s'",
                  base->tp_name);
    } else if (!done) {
        done = finish_static_type(base, failure);
    }
    ouro_shared_end();
    return done;
}

/* In the shared scope. */
static bool
finish_static_type(PyTypeObject *type, struct failure *failure)
{
    if (PyType_HasFeature(type, Py_TPFLAGS_READYING)) {
        return ouro_fail(failure, PyExc_TypeError, "type '%.100s' is among its own bases",
                         type->tp_name);
    }
    type->tp_flags |= Py_TPFLAGS_READYING | Py_TPFLAGS_IMMUTABLETYPE;
    if (!_Py_IsImmortal(type)) { /* initialised as {1, &T} */
        ((PyObject *)type)->ob_refcnt = _Py_IMMORTAL_REFCNT;
    }
    bool done = take_the_steps(type, failure);
    if (!done && failure->exception == NULL) {
        failure->exception = PyExc_MemoryError;
        PyErr_Clear();
    }
    unsigned long flags = type->tp_flags & ~Py_TPFLAGS_READYING;
    flags |= done ? Py_TPFLAGS_READY : 0;
    /* ouro_type_use reads the flag without the lock. */
    __atomic_store_n(&type->tp_flags, flags, __ATOMIC_RELEASE);
    return done;
}

/* While the library starts, unfinished types are used as they are. The code that makes a heap
 * type finishes it; in the checking build, so does the code that has a static type. */
bool
ouro_type_finish_late(PyTypeObject *type)
{
    bool started = __atomic_load_n(&ouro_types_have_started, __ATOMIC_ACQUIRE);
    return OURO_CHECK || !started || ouro_type_is_heap(type) || PyType_Ready(type) == 0;
}

bool
ouro_heap_type_finish(PyTypeObject *type, struct failure *failure)
{
    type->tp_flags |= Py_TPFLAGS_READYING;
    bool done = take_the_steps(type, failure);
    type->tp_flags &= ~Py_TPFLAGS_READYING;
    type->tp_flags |= done ? Py_TPFLAGS_READY : 0;
    return done;
}

/* Large instances of other types must not delay a slice either. */
static void
buffer_large_instances(PyTypeObject *type)
{
    if (PyType_IS_GC(type) && type->tp_itemsize != 0 &&
        type->tp_ouro_traverse_part == NULL) {
        type->tp_ouro_traverse_part = ouro_collector_traverse_buffered;
    }
}

/* --- the steps -------------------------------------------------------------------------- */

static bool choose_base(PyTypeObject *type, struct failure *failure);
static bool finish_base(PyTypeObject *type, PyTypeObject *base, struct failure *failure);
static bool fill_bases(PyTypeObject *type);
static bool finish_bases(PyTypeObject *type, struct failure *failure);
static void choose_new(PyTypeObject *type);
static void place_managed_words(PyTypeObject *type, struct failure *failure);
static bool settle_hash(PyTypeObject *type);

static bool
take_the_steps(PyTypeObject *type, struct failure *failure)
{
    if (type->tp_name == NULL) {
        return ouro_fail(failure, PyExc_SystemError,
                         "Type does not define the tp_name field.");
    }
    if (!choose_base(type, failure) || !finish_base(type, type->tp_base, failure)) {
        return false;
    }
    if (Py_TYPE(type) == NULL) {
        Py_SET_TYPE((PyObject *)type, Py_TYPE(type->tp_base));
    }
    if (!fill_bases(type) || !finish_bases(type, failure)) {
        return false;
    }
    if (type->tp_dict == NULL) {
        type->tp_dict = PyDict_New();
        if (type->tp_dict == NULL) {
            return false;
        }
    }
    if (!ouro_type_fill_dict(type, failure)) {
        return false;
    }
    PyObject *mro = ouro_mro_compute(type, failure);
    if (mro == NULL) {
        return false;
    }
    Py_XSETREF(type->tp_mro, mro);
    choose_new(type);
    ouro_fields_set_handlers(type);
    ouro_event_type_begins(type);
    if (!ouro_type_inherit(type, failure)) {
        return false;
    }
    place_managed_words(type, failure);
    if (failure->exception != NULL || !settle_hash(type) ||
        !ouro_type_check(type, failure) || !ouro_fields_ready(type, failure)) {
        return false;
    }
    ouro_type_set_size_class(type);
    type->tp_ouro_dead = ouro_refuse_release;
    buffer_large_instances(type);
    ouro_event_type_ready(type);
    return ouro_subclasses_add(type);
}

static bool
choose_base(PyTypeObject *type, struct failure *failure)
{
    if (type->tp_base != NULL || type == &PyBaseObject_Type) {
        return true;
    }
    PyTypeObject *base = &PyBaseObject_Type;
    if (type->tp_bases != NULL) {
        base = ouro_bases_best(type->tp_bases, failure);
        if (base == NULL) {
            return false;
        }
    }
    type->tp_base = (PyTypeObject *)Py_NewRef(base);
    return true;
}

static bool
finish_base(PyTypeObject *type, PyTypeObject *base, struct failure *failure)
{
    if (base == NULL) {
        return true;
    }
    if (!ouro_type_is_heap(type) && ouro_type_is_heap(base)) {
        return ouro_fail(failure, PyExc_TypeError,
                         "type '%.100s' is not dynamically allocated but its base type "
                         "'%.100s' is dynamically allocated",
                         type->tp_name, base->tp_name);
    }
    return ouro_base_finish(base, failure);
}

static bool
fill_bases(PyTypeObject *type)
{
    if (type->tp_bases == NULL) {
        type->tp_bases =
            type->tp_base == NULL ? PyTuple_New(0) : PyTuple_Pack(1, type->tp_base);
    }
    return type->tp_bases != NULL;
}

static bool
finish_bases(PyTypeObject *type, struct failure *failure)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(type->tp_bases); i++) {
        PyObject *base = PyTuple_GET_ITEM(type->tp_bases, i);
        if (Py_TYPE(base) != NULL && !PyType_Check(base)) {
            return ouro_fail(failure, PyExc_TypeError, "bases must be types");
        }
        if (!finish_base(type, (PyTypeObject *)base, failure)) {
            return false;
        }
    }
    return true;
}

/* A static type directly below object cannot be called unless it says how; others take
 * the tp_new of their base. */
static void
choose_new(PyTypeObject *type)
{
    if (type->tp_new == NULL && type->tp_base == &PyBaseObject_Type &&
        !ouro_type_is_heap(type)) {
        type->tp_flags |= Py_TPFLAGS_DISALLOW_INSTANTIATION;
    }
    if (PyType_HasFeature(type, Py_TPFLAGS_DISALLOW_INSTANTIATION)) {
        type->tp_new = NULL;
    } else if (type->tp_new == NULL && type->tp_base != NULL) {
        type->tp_new = type->tp_base->tp_new;
    }
}

static void
place_managed_words(PyTypeObject *type, struct failure *failure)
{
    if (PyType_HasFeature(type, Py_TPFLAGS_MANAGED_DICT)) {
        if (type->tp_dictoffset != 0 && type->tp_dictoffset != OURO_MANAGED_DICT_OFFSET) {
            ouro_fail(failure, PyExc_TypeError,
                      "type %s has the Py_TPFLAGS_MANAGED_DICT flag but tp_dictoffset is "
                      "set",
                      type->tp_name);
            return;
        }
        type->tp_dictoffset = OURO_MANAGED_DICT_OFFSET;
    }
    if (PyType_HasFeature(type, Py_TPFLAGS_MANAGED_WEAKREF)) {
        if (type->tp_weaklistoffset != 0 &&
            type->tp_weaklistoffset != OURO_MANAGED_WEAKREF_OFFSET) {
            ouro_fail(failure, PyExc_TypeError,
                      "type %s has the Py_TPFLAGS_MANAGED_WEAKREF flag but "
                      "tp_weaklistoffset is set",
                      type->tp_name);
            return;
        }
        type->tp_weaklistoffset = OURO_MANAGED_WEAKREF_OFFSET;
    }
}

/* A type that compares its instances but does not hash them has no hash at all. */
static bool
settle_hash(PyTypeObject *type)
{
    if (type->tp_hash != NULL) {
        return true;
    }
    int has_hash = PyDict_ContainsString(type->tp_dict, "__hash__");
    if (has_hash == 0) {
        if (PyDict_SetItemString(type->tp_dict, "__hash__", Py_None) < 0) {
            return false;
        }
        type->tp_hash = PyObject_HashNotImplemented;
    }
    return has_hash >= 0;
}

void
ouro_type_set_size_class(PyTypeObject *type)
{
    bool is_usual = PyType_IS_GC(type) &&
                    !PyType_HasFeature(type, Py_TPFLAGS_PREHEADER) &&
                    (size_t)type->tp_basicsize <= OURO_MEDIUM_MAX && !OURO_CHECK;
    unsigned size_class = is_usual ? ouro_size_class((size_t)type->tp_basicsize) : 0;
    type->tp_ouro_size_class = (uint16_t)size_class;
    /* Builds that watch allocations do it in the function. */
    bool is_watched = OURO_DEBUG || OURO_ASAN;
    type->tp_ouro_inline_class = is_watched ? 0 : (uint16_t)size_class;
}
