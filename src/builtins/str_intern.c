/* SPDX-License-Identifier: MIT */
/* Interned strings: one object per content and interpreter.
 *
 * The table is a dict from each string to itself in the interpreter's cache, so interned
 * strings live as long as the interpreter. Strings interned while static types are being
 * finished are immortal and shared by the process; they count as interned everywhere, so
 * two equal interned strings need not be the same object. */
#include "str_object.h"

void
PyUnicode_InternInPlace(PyObject **p)
{
    PyObject *str = *p;
    if (str == NULL || !PyUnicode_CheckExact(str) || ouro_str(str)->interned) {
        return;
    }
    if (ouro_str(str)->size == 0 && _Py_IsImmortal(str)) {
        return;
    }
    /* Callers do not expect errors from here: keep theirs, drop ours. */
    PyObject *pending = PyErr_GetRaisedException();
    PyObject **table = _PyInterpreterState_Cache(_Py_CACHE_INTERNED);
    if (*table == NULL) {
        *table = PyDict_New();
    }
    PyObject *known = NULL;
    if (*table != NULL && PyDict_SetDefaultRef(*table, str, str, &known) >= 0) {
        ouro_str(known)->interned = 1;
        Py_SETREF(*p, known);
    }
    PyErr_SetRaisedException(pending);
}

PyObject *
PyUnicode_InternFromString(const char *str)
{
    PyObject *result = PyUnicode_FromString(str);
    if (result != NULL) {
        PyUnicode_InternInPlace(&result);
    }
    return result;
}
