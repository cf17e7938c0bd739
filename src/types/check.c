/* SPDX-License-Identifier: MIT */
/* The rules that a type must keep once it has inherited what it can.
 *
 * In this order: managed words need a collector header (type.inv.managed), a GC type needs
 * tp_traverse (type.inv.gc), and the offsets that a heap type declares must lie inside its
 * instances. Static types are not checked for that, as in CPython: some have instances that are
 * smaller than those of their base, and never use the missing part. */
#include "type.h"

static bool check_managed(PyTypeObject *type, struct failure *failure);
static bool check_traverse(PyTypeObject *type, struct failure *failure);
static bool check_sizes(PyTypeObject *type, struct failure *failure);

bool
ouro_type_check(PyTypeObject *type, struct failure *failure)
{
    return check_managed(type, failure) && check_traverse(type, failure) &&
           check_sizes(type, failure);
}

static bool
fail_flag(PyTypeObject *type, const char *flag, const char *missing,
          struct failure *failure)
{
    return ouro_fail(failure, PyExc_SystemError,
                     "type %s has the %s flag but not %s flag", type->tp_name, flag,
                     missing);
}

static bool
check_managed(PyTypeObject *type, struct failure *failure)
{
    if (PyType_HasFeature(type, Py_TPFLAGS_MANAGED_DICT)) {
        if (!PyType_IS_GC(type)) {
            return fail_flag(type, "Py_TPFLAGS_MANAGED_DICT", "Py_TPFLAGS_HAVE_GC",
                             failure);
        }
        if (!ouro_type_is_heap(type)) {
            return fail_flag(type, "Py_TPFLAGS_MANAGED_DICT", "Py_TPFLAGS_HEAPTYPE",
                             failure);
        }
    }
    if (PyType_HasFeature(type, Py_TPFLAGS_MANAGED_WEAKREF) && !PyType_IS_GC(type)) {
        return fail_flag(type, "Py_TPFLAGS_MANAGED_WEAKREF", "Py_TPFLAGS_HAVE_GC",
                         failure);
    }
    return true;
}

/* If this fires: the flag was set by hand, so nothing was inherited, not even the tp_traverse
 * of a base. */
static bool
check_traverse(PyTypeObject *type, struct failure *failure)
{
    if (PyType_IS_GC(type) && type->tp_traverse == NULL) {
        return ouro_fail(failure, PyExc_SystemError,
                         "type %s has the Py_TPFLAGS_HAVE_GC flag but has no traverse "
                         "function",
                         type->tp_name);
    }
    return true;
}

static bool
check_offset(PyTypeObject *type, const char *what, Py_ssize_t offset,
             struct failure *failure)
{
    if (offset + (Py_ssize_t)sizeof(PyObject *) > type->tp_basicsize) {
        return ouro_fail(failure, PyExc_TypeError,
                         "%s offset %zd is out of bounds for type '%s' (tp_basicsize = "
                         "%zd)",
                         what, offset, type->tp_name, type->tp_basicsize);
    }
    return true;
}

static bool
check_sizes(PyTypeObject *type, struct failure *failure)
{
    if (!ouro_type_is_heap(type) || type->tp_alloc != PyType_GenericAlloc) {
        return true; /* a static type, or one that allocates as it likes */
    }
    PyTypeObject *base = type->tp_base;
    if (base != NULL && type->tp_basicsize < base->tp_basicsize) {
        return ouro_fail(failure, PyExc_TypeError,
                         "tp_basicsize for type '%s' (%zd) is too small for base '%s' "
                         "(%zd)",
                         type->tp_name, type->tp_basicsize, base->tp_name,
                         base->tp_basicsize);
    }
    if (type->tp_dictoffset < 0 && type->tp_dictoffset + type->tp_basicsize <= 0) {
        return ouro_fail(failure, PyExc_SystemError,
                         "type %s has a tp_dictoffset that is too small", type->tp_name);
    }
    return check_offset(type, "weaklist", type->tp_weaklistoffset, failure) &&
           check_offset(type, "dict", type->tp_dictoffset, failure) &&
           check_offset(type, "vectorcall", type->tp_vectorcall_offset, failure);
}
