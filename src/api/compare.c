/* SPDX-License-Identifier: MIT */
/* Comparing, hashing, and the truth of an object. */
#include <Python.h>

#include "../base/events.h"
#include "protocol.h"

/* x < y is y > x, and so on. */
static const int swapped_operator[] = {Py_GT, Py_GE, Py_EQ, Py_NE, Py_LT, Py_LE};
static const char *const operator_text[] = {"<", "<=", "==", "!=", ">", ">="};

/* Ask one operand. A new reference, perhaps to NotImplemented; or NULL. */
static PyObject *
ask_to_compare(PyObject *v, PyObject *w, int op)
{
    richcmpfunc compare = Py_TYPE(v)->tp_richcompare;
    return compare == NULL ? Py_NewRef(Py_NotImplemented) : compare(v, w, op);
}

static PyObject *
compare_by_identity(PyObject *v, PyObject *w, int op)
{
    if (op == Py_EQ || op == Py_NE) {
        return Py_NewRef((v == w) == (op == Py_EQ) ? Py_True : Py_False);
    }
    return PyErr_Format(PyExc_TypeError,
                        "'%s' not supported between instances of '%.100s' and '%.100s'",
                        operator_text[op], Py_TYPE(v)->tp_name, Py_TYPE(w)->tp_name);
}

static PyObject *
compare_operands(PyObject *v, PyObject *w, int op)
{
    /* A subtype may have a better answer: it is asked first, and not asked again. */
    bool right_first = !Py_IS_TYPE(v, Py_TYPE(w)) &&
                       PyType_IsSubtype(Py_TYPE(w), Py_TYPE(v)) &&
                       Py_TYPE(w)->tp_richcompare != NULL;
    if (right_first) {
        PyObject *answer = ask_to_compare(w, v, swapped_operator[op]);
        if (answer != Py_NotImplemented) {
            return answer;
        }
    }
    PyObject *answer = ask_to_compare(v, w, op);
    if (answer == Py_NotImplemented && !right_first) {
        answer = ask_to_compare(w, v, swapped_operator[op]);
    }
    return answer == Py_NotImplemented ? compare_by_identity(v, w, op) : answer;
}

PyObject *
PyObject_RichCompare(PyObject *o1, PyObject *o2, int op)
{
    ouro_event_entry("PyObject_RichCompare");
    if (o1 == NULL || o2 == NULL || op < Py_LT || op > Py_GE) {
        if (!PyErr_Occurred()) {
            PyErr_BadInternalCall();
        }
        return NULL;
    }
    return ouro_too_deep(" in comparison") ? NULL : compare_operands(o1, o2, op);
}

int
PyObject_RichCompareBool(PyObject *o1, PyObject *o2, int op)
{
    if (o1 == o2 && o1 != NULL) {
        if (op == Py_EQ) {
            return 1;
        }
        if (op == Py_NE) {
            return 0;
        }
    }
    PyObject *answer = PyObject_RichCompare(o1, o2, op);
    if (answer == NULL) {
        return -1;
    }
    int truth = PyObject_IsTrue(answer);
    Py_DECREF(answer);
    return truth;
}

Py_hash_t
PyObject_HashNotImplemented(PyObject *o)
{
    ouro_type_error("unhashable type: '%.200s'", o);
    return -1;
}

Py_hash_t
PyObject_Hash(PyObject *o)
{
    PyTypeObject *type = Py_TYPE(o);
    if (type->tp_hash == NULL && type->tp_dict == NULL && PyType_Ready(type) < 0) {
        return -1;
    }
    if (type->tp_hash == NULL) {
        return PyObject_HashNotImplemented(o);
    }
    /* Only containers recurse; a name can be looked up at any depth. */
    if (PyType_IS_GC(type) && ouro_too_deep(" while hashing an object")) {
        return -1;
    }
    return type->tp_hash(o);
}

int
PyObject_IsTrue(PyObject *o)
{
    if (o == Py_True) {
        return 1;
    }
    if (o == Py_False || o == Py_None) {
        return 0;
    }
    PyTypeObject *type = Py_TYPE(o);
    if (PyType_IS_GC(type) && ouro_too_deep(" while asking for the truth of an object")) {
        return -1;
    }
    Py_ssize_t answer = 1;
    if (type->tp_as_number != NULL && type->tp_as_number->nb_bool != NULL) {
        answer = type->tp_as_number->nb_bool(o);
    } else if (type->tp_as_mapping != NULL && type->tp_as_mapping->mp_length != NULL) {
        answer = type->tp_as_mapping->mp_length(o);
    } else if (type->tp_as_sequence != NULL && type->tp_as_sequence->sq_length != NULL) {
        answer = type->tp_as_sequence->sq_length(o);
    }
    return answer < 0 ? -1 : answer > 0;
}

int
PyObject_Not(PyObject *o)
{
    int truth = PyObject_IsTrue(o);
    return truth < 0 ? truth : !truth;
}
