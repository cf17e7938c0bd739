/* SPDX-License-Identifier: MIT */
/* The program for gdb.sh: it stops in stop_here, with objects in variables. */
#include <ouroboros.h>

static PyObject *kept, *shop, *held;

__attribute__((noinline)) static void
stop_here(void)
{
    __asm__ volatile("" ::: "memory");
}

int
main(void)
{
    Py_Initialize();
    PyObject *text = PyUnicode_FromString("hello");
    PyObject *tuple = PyTuple_Pack(2, text, Py_None);
    kept = PyList_New(0);
    PyList_Append(kept, text);
    PyList_Append(kept, tuple);
    shop = PyImport_AddModule("shop");
    held = PyDict_New();
    PyDict_SetItemString(held, "answer", tuple);
    PyModule_AddObjectRef(shop, "held", held);
    Py_DECREF(held);
    Py_DECREF(tuple);
    Py_DECREF(text);
    stop_here();
    Py_CLEAR(kept);
    return Py_FinalizeEx() == 0 ? 0 : 1;
}
