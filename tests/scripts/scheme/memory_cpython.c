/* SPDX-License-Identifier: MIT */
/* Replaces examples/scheme/memory.c when the Scheme is built on CPython, which does not count
 * objects and has no limit. */
#include "scheme.h"

static PyObject *
memory_gc(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    int was_enabled = PyGC_Enable(); /* PyGC_Collect does nothing otherwise */
    Py_ssize_t found = PyGC_Collect();
    if (!was_enabled) {
        PyGC_Disable();
    }
    return PyLong_FromSsize_t(found);
}

static PyObject *
memory_gc_disable(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    return PyBool_FromLong(PyGC_Disable());
}

static PyObject *
memory_make_weak(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    return PyWeakref_NewRef(args[0], count == 2 ? args[1] : NULL);
}

static PyObject *
memory_weak_value(PyObject *self, PyObject *weak)
{
    (void)self;
    PyObject *value;
    if (PyWeakref_GetRef(weak, &value) < 0) {
        return NULL;
    }
    return value != NULL ? value : Py_NewRef(Py_False);
}

static PyMethodDef procedures[] = {
    {"gc", memory_gc, METH_NOARGS, NULL},
    {"gc-disable", memory_gc_disable, METH_NOARGS, NULL},
    {"make-weak", _PyCFunction_CAST(memory_make_weak), METH_FASTCALL, NULL},
    {"weak-value", memory_weak_value, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

int
memory_init(void)
{
    return define_procedures(procedures);
}

void
set_heap_limit(size_t bytes)
{
    (void)bytes;
}

void
lift_heap_limit(void)
{
}

void
apply_heap_limit(void)
{
}

const char *
runtime_name(void)
{
    return "CPython " PY_VERSION;
}

size_t
count_objects(void)
{
    return 0;
}

int
report_memory(size_t objects_before)
{
    (void)objects_before;
    return 0;
}

void
raise_out_of_memory(void)
{
    PyErr_SetString(PyExc_MemoryError, "out of memory");
}
