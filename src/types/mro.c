/* SPDX-License-Identifier: MIT */
/* The method resolution order: a type, then its ancestors, each before its own bases and in the
 * order in which bases were written (C3).
 *
 * The sequences to merge are the MROs of the bases, and the bases themselves. Each step takes
 * the first head that is not in the tail of any sequence. Working memory is a plain array:
 * objects made in the shared scope would stay for ever. */
#include "type.h"

struct sequence {
    PyObject *tuple;
    Py_ssize_t next; /* what is before it has been taken */
};

static PyObject *single_base_order(PyTypeObject *type);
static bool no_base_is_repeated(PyObject *bases, struct failure *failure);
static Py_ssize_t merge_sequences(PyObject **order, struct sequence *sequences,
                                  Py_ssize_t count);
static void fail_merge(PyObject *bases, struct failure *failure);

PyObject *
ouro_mro_compute(PyTypeObject *type, struct failure *failure)
{
    PyObject *bases = type->tp_bases;
    Py_ssize_t count = PyTuple_GET_SIZE(bases);
    if (!no_base_is_repeated(bases, failure)) {
        return NULL;
    }
    Py_ssize_t room = 1;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyTypeObject *base = (PyTypeObject *)PyTuple_GET_ITEM(bases, i);
        if (base->tp_mro == NULL) {
            ouro_fail(failure, PyExc_TypeError,
                      "Cannot extend an incomplete type '%.100s'", base->tp_name);
            return NULL;
        }
        room += PyTuple_GET_SIZE(base->tp_mro);
    }
    if (count <= 1) {
        return single_base_order(type);
    }

    struct sequence *sequences = PyMem_New(struct sequence, count + 1);
    PyObject **order = PyMem_New(PyObject *, room);
    PyObject *mro = NULL;
    if (sequences == NULL || order == NULL) {
        PyErr_NoMemory();
        goto release;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyTypeObject *base = (PyTypeObject *)PyTuple_GET_ITEM(bases, i);
        sequences[i] = (struct sequence){base->tp_mro, 0};
    }
    sequences[count] = (struct sequence){bases, 0};
    order[0] = (PyObject *)type;
    Py_ssize_t length = merge_sequences(order, sequences, count + 1);
    if (length < 0) {
        fail_merge(bases, failure);
        goto release;
    }
    mro = PyTuple_New(length);
    for (Py_ssize_t i = 0; mro != NULL && i < length; i++) {
        PyTuple_SET_ITEM(mro, i, Py_NewRef(order[i]));
    }
release:
    PyMem_Free(order);
    PyMem_Free(sequences);
    return mro;
}

static PyObject *
single_base_order(PyTypeObject *type)
{
    bool root = PyTuple_GET_SIZE(type->tp_bases) == 0;
    PyObject *rest =
        root ? NULL : ((PyTypeObject *)PyTuple_GET_ITEM(type->tp_bases, 0))->tp_mro;
    Py_ssize_t length = root ? 0 : PyTuple_GET_SIZE(rest);
    PyObject *mro = PyTuple_New(1 + length);
    if (mro == NULL) {
        return NULL;
    }
    PyTuple_SET_ITEM(mro, 0, Py_NewRef(type));
    for (Py_ssize_t i = 0; i < length; i++) {
        PyTuple_SET_ITEM(mro, 1 + i, Py_NewRef(PyTuple_GET_ITEM(rest, i)));
    }
    return mro;
}

static bool
no_base_is_repeated(PyObject *bases, struct failure *failure)
{
    Py_ssize_t count = PyTuple_GET_SIZE(bases);
    for (Py_ssize_t i = 0; i < count; i++) {
        for (Py_ssize_t j = i + 1; j < count; j++) {
            if (PyTuple_GET_ITEM(bases, i) == PyTuple_GET_ITEM(bases, j)) {
                PyTypeObject *base = (PyTypeObject *)PyTuple_GET_ITEM(bases, i);
                return ouro_fail(failure, PyExc_TypeError, "duplicate base class %.200s",
                                 _PyType_Name(base));
            }
        }
    }
    return true;
}

static bool
is_further_back(PyObject *candidate, const struct sequence *sequences, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *tuple = sequences[i].tuple;
        for (Py_ssize_t j = sequences[i].next + 1; j < PyTuple_GET_SIZE(tuple); j++) {
            if (PyTuple_GET_ITEM(tuple, j) == candidate) {
                return true;
            }
        }
    }
    return false;
}

/* The next type of the order, borrowed. NULL: none; *done says whether that is the end or
 * a contradiction. */
static PyObject *
next_in_order(const struct sequence *sequences, Py_ssize_t count, bool *done)
{
    *done = true;
    for (Py_ssize_t i = 0; i < count; i++) {
        if (sequences[i].next == PyTuple_GET_SIZE(sequences[i].tuple)) {
            continue;
        }
        *done = false;
        PyObject *head = PyTuple_GET_ITEM(sequences[i].tuple, sequences[i].next);
        if (!is_further_back(head, sequences, count)) {
            return head;
        }
    }
    return NULL;
}

/* Append to order[0]; the length, or -1. */
static Py_ssize_t
merge_sequences(PyObject **order, struct sequence *sequences, Py_ssize_t count)
{
    Py_ssize_t length = 1;
    for (;;) {
        bool done;
        PyObject *head = next_in_order(sequences, count, &done);
        if (head == NULL) {
            return done ? length : -1;
        }
        order[length++] = head;
        for (Py_ssize_t i = 0; i < count; i++) {
            PyObject *tuple = sequences[i].tuple;
            if (sequences[i].next < PyTuple_GET_SIZE(tuple) &&
                PyTuple_GET_ITEM(tuple, sequences[i].next) == head) {
                sequences[i].next++;
            }
        }
    }
}

static void
fail_merge(PyObject *bases, struct failure *failure)
{
    char names[200];
    size_t used = 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(bases) && used < sizeof names; i++) {
        const char *name = _PyType_Name((PyTypeObject *)PyTuple_GET_ITEM(bases, i));
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                 i > 0 ? ", " : "", name);
    }
    ouro_fail(failure, PyExc_TypeError,
              "Cannot create a consistent method resolution order (MRO) for bases %s",
              names);
}
