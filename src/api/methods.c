/* SPDX-License-Identifier: MIT */
/* The tables of methods that their types do not refer to; methods.h says why. */
#include "methods.h"

#include "../thread/interpreter.h"
#include "../types/type.h"

/* clang-format off */
#define OURO_METHOD_TABLES(X) \
    X(PyBaseObject_Type, object_late) \
    X(PyBytes_Type, bytes) \
    X(PyDict_Type, dict) \
    X(PyFloat_Type, float) \
    X(PyFrozenDict_Type, frozendict) \
    X(PyFrozenSet_Type, frozenset) \
    X(PyList_Type, list) \
    X(PyLong_Type, int) \
    X(PySet_Type, set) \
    X(PyTuple_Type, tuple) \
    X(PyType_Type, type_late) \
    X(PyUnicode_Type, str) \
    X(_PyWeakref_RefType, weakref)
/* clang-format on */

#define OURO_DECLARE_TABLE(type, name) extern PyMethodDef ouro_##name##_methods[];
OURO_METHOD_TABLES(OURO_DECLARE_TABLE)
extern PyGetSetDef ouro_float_getset[], ouro_int_getset[], ouro_type_late_getset[];

bool ouro_methods_are_there;

#define OURO_ADD_TABLE(type, name)                                                       \
    done = done && ouro_type_add_tables(&(type), ouro_##name##_methods, NULL);

/* A failure leaves some of the tables added; the next call adds the others. */
bool
ouro_methods_add(void)
{
    PyObject *pending = PyErr_GetRaisedException();
    bool done = true;
    ouro_shared_begin();
    OURO_METHOD_TABLES(OURO_ADD_TABLE)
    done = done && ouro_type_add_tables(&PyFloat_Type, NULL, ouro_float_getset) &&
           ouro_type_add_tables(&PyLong_Type, NULL, ouro_int_getset) &&
           ouro_type_add_tables(&PyType_Type, NULL, ouro_type_late_getset);
    __atomic_store_n(&ouro_methods_are_there, done, __ATOMIC_RELEASE);
    PyErr_Clear(); /* it is immortal here */
    ouro_shared_end();
    PyErr_SetRaisedException(pending);
    if (!done) {
        PyErr_NoMemory();
    }
    return done;
}
