/* SPDX-License-Identifier: MIT */
/* A program with events: a collection that frees one list, then cycles in slices. */
#include <ouroboros.h>

int
main(void)
{
    Py_Initialize();
    PyObject *list = PyList_New(0);
    PyList_Append(list, list);
    Py_DECREF(list);
    PyGC_Collect();
    Ouro_GCSetPauseBudget(100);
    PyObject *kept = PyList_New(0);
    for (int i = 0; i < 1000000; i++) {
        PyObject *small = PyList_New(0);
        PyList_Append(kept, small);
        Py_DECREF(small);
    }
    Py_DECREF(kept);
    return Py_FinalizeEx() == 0 ? 0 : 1;
}
