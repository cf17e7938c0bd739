/* SPDX-License-Identifier: MIT */
#include "differential.h"

static PyObject *list;
static int calls, mode;

static PyObject *
compare(PyObject *x, PyObject *y, int how)
{
    (void)how;
    if (++calls == 2 && mode == 1) {
        must_be_zero(PyList_Append(list, Py_None));
    }
    if (calls == 2 && mode == 2) {
        PyErr_SetString(PyExc_RuntimeError, "no order");
        return NULL;
    }
    if (mode == 3) {
        trace("size inside %zd", PyList_Size(list));
        mode = 0;
    }
    return PyBool_FromLong(strcmp(NODE(x)->name, NODE(y)->name) < 0);
}

static PyTypeObject Ordered_Type = {NODE_SLOTS("Ordered"), .tp_clear = node_clear,
                                    .tp_richcompare = compare};

static void
attempt(const char *what, int wanted)
{
    static const char *const names[] = {"d", "b", "a", "c", "e"};
    list = must(PyList_New(0));
    for (int i = 0; i < 5; i++) {
        PyObject *item = new_node(&Ordered_Type, names[i]);
        must_be_zero(PyList_Append(list, item));
        Py_DECREF(item);
    }
    mode = wanted;
    calls = 0;
    trace("%s: %d", what, PyList_Sort(list));
    trace_error(what);
    char order[40] = "";
    for (Py_ssize_t i = 0; i < PyList_Size(list); i++) {
        PyObject *item = PyList_GetItem(list, i);
        strcat(order, item == Py_None ? "None" : NODE(item)->name);
    }
    if (wanted == 2) { /* any order of the same items */
        trace("%s: %zd characters", what, (Py_ssize_t)strlen(order));
    } else {
        trace("%s: %s", what, order);
    }
    Py_DECREF(list);
    trace_notes(what);
}

PROGRAM("sorting with comparisons that raise, or change the list")
{
    ready(&Ordered_Type);
    attempt("sorted", 0);
    attempt("changed", 1);
    attempt("raised", 2);
    attempt("looked at", 3);
    PyObject *mixed = must(PyList_New(0));
    PyObject *one = number(1), *word = text("word");
    must_be_zero(PyList_Append(mixed, one));
    must_be_zero(PyList_Append(mixed, word));
    trace("mixed: %d", PyList_Sort(mixed));
    trace_error("mixed");
    Py_DECREF(one);
    Py_DECREF(word);
    Py_DECREF(mixed);
}
