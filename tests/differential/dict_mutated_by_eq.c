/* SPDX-License-Identifier: MIT */
#include "differential.h"

/* A key whose comparison changes the dict that is being searched. */
static PyObject *victim;
static int mode, calls;

static Py_hash_t
one_hash(PyObject *op)
{
    (void)op;
    return 1;
}

static PyObject *
mean_compare(PyObject *x, PyObject *y, int how)
{
    (void)x;
    (void)y;
    (void)how;
    if (calls++ < 3 && victim != NULL) {
        if (mode == 0) {
            PyDict_Clear(victim);
        } else if (mode == 1) {
            for (long i = 0; i < 100; i++) {
                PyObject *key = number(i + 1000);
                must_be_zero(PyDict_SetItem(victim, key, Py_None));
                Py_DECREF(key);
            }
        } else if (mode == 2) {
            PyErr_SetString(PyExc_RuntimeError, "cannot compare");
            return NULL;
        }
    }
    Py_RETURN_FALSE;
}

static PyTypeObject Mean_Type = {NODE_SLOTS("Mean"), .tp_clear = node_clear,
                                 .tp_hash = one_hash, .tp_richcompare = mean_compare};

static void
attempt(const char *what, int wanted_mode, bool insert)
{
    PyObject *dict = must(PyDict_New());
    PyObject *keys[4];
    mode = 3;
    calls = 0;
    victim = NULL;
    for (int i = 0; i < 4; i++) {
        keys[i] = new_node(&Mean_Type, "key");
        must_be_zero(PyDict_SetItem(dict, keys[i], keys[i]));
    }
    trace("%s: size %zd", what, PyDict_Size(dict));
    PyObject *probe = new_node(&Mean_Type, "probe");
    victim = dict;
    mode = wanted_mode;
    calls = 0;
    if (insert) {
        int result = PyDict_SetItem(dict, probe, Py_None);
        trace("%s: insert %d, size %zd", what, result, PyDict_Size(dict));
    } else {
        PyObject *found = PyDict_GetItemWithError(dict, probe);
        trace("%s: found %d, size %zd", what, found != NULL, PyDict_Size(dict));
    }
    trace_error(what);
    victim = NULL;
    mode = 3;
    if (wanted_mode != 0) { /* CPython 3.13 loses items inserted into a cleared dict */
        trace("%s: contains %d", what, PyDict_Contains(dict, probe));
    }
    Py_DECREF(dict);
    for (int i = 0; i < 4; i++) {
        Py_DECREF(keys[i]);
    }
    Py_DECREF(probe);
    trace_notes(what);
}

PROGRAM("comparisons that clear or fill the dict under a lookup")
{
    ready(&Mean_Type);
    attempt("clear in a lookup", 0, false);
    attempt("clear in an insertion", 0, true);
    attempt("fill in a lookup", 1, false);
    attempt("fill in an insertion", 1, true);
    attempt("raise in a lookup", 2, false);
    attempt("raise in an insertion", 2, true);
}
