/* SPDX-License-Identifier: MIT */
/* The digits of an int for other libraries of large numbers (PEP 757), and the private names
 * that modules used before. */
#include "int_object.h"

/* --- digits ------------------------------------------------------------------------------------- */

const PyLongLayout *
PyLong_GetNativeLayout(void)
{
    static const PyLongLayout layout = {32, 4, -1, PY_LITTLE_ENDIAN ? -1 : 1};
    return &layout;
}

int
PyLong_Export(PyObject *obj, PyLongExport *export_long)
{
    *export_long = (PyLongExport){0};
    if (!PyLong_Check(obj)) {
        PyErr_Format(PyExc_TypeError, "expected int, got %T", obj);
        return -1;
    }
    PyLongObject *v = ouro_int(obj);
    if (!ouro_int_fits64(v, &export_long->value)) {
        export_long->negative = ouro_int_negative(v);
        export_long->ndigits = ouro_int_count(v);
        export_long->digits = ouro_int_digits(v);
        export_long->_reserved = (Py_uintptr_t)Py_NewRef(obj);
    }
    return 0;
}

void
PyLong_FreeExport(PyLongExport *export_long)
{
    PyObject *kept = (PyObject *)export_long->_reserved;
    export_long->_reserved = 0;
    Py_XDECREF(kept);
}

/* The writer is the int itself; the sign waits in the sign of ob_size. */
PyLongWriter *
PyLongWriter_Create(int negative, Py_ssize_t ndigits, void **digits)
{
    if (ndigits <= 0) {
        PyErr_SetString(PyExc_ValueError, "ndigits must be positive");
        *digits = NULL;
        return NULL;
    }
    PyLongObject *v = ouro_int_allocate(ndigits);
    *digits = v == NULL ? NULL : ouro_int_digits(v);
    if (v != NULL) {
        v->ob_base.ob_size = negative ? -ndigits : ndigits;
    }
    return (PyLongWriter *)v;
}

PyObject *
PyLongWriter_Finish(PyLongWriter *writer)
{
    PyLongObject *v = (PyLongObject *)writer;
    bool negative = ouro_int_negative(v);
    v->ob_base.ob_size = ouro_int_count(v);
    return ouro_int_normal(v, negative);
}

void
PyLongWriter_Discard(PyLongWriter *writer)
{
    Py_XDECREF((PyObject *)writer);
}

/* --- private names ------------------------------------------------------------------------------ */

int
_PyLong_Sign(PyObject *v)
{
    Py_ssize_t size = ouro_int(v)->ob_base.ob_size;
    return (size > 0) - (size < 0);
}

static int
byte_order_flags(int little_endian)
{
    return little_endian ? Py_ASNATIVEBYTES_LITTLE_ENDIAN : Py_ASNATIVEBYTES_BIG_ENDIAN;
}

static int
does_not_fit(int with_exceptions, const char *message)
{
    if (with_exceptions) {
        PyErr_SetString(PyExc_OverflowError, message);
    }
    return -1;
}

int
_PyLong_AsByteArray(PyLongObject *v, unsigned char *bytes, size_t n, int little_endian,
                    int is_signed, int with_exceptions)
{
    int flags = byte_order_flags(little_endian);
    if (!is_signed) {
        flags |= Py_ASNATIVEBYTES_UNSIGNED_BUFFER;
        if (ouro_int_negative(v)) {
            return does_not_fit(with_exceptions,
                                "can't convert negative int to unsigned");
        }
    }
    Py_ssize_t need = PyLong_AsNativeBytes((PyObject *)v, bytes, (Py_ssize_t)n, flags);
    bool fits = need <= (Py_ssize_t)n || ouro_int_count(v) == 0;
    return need < 0 ? -1
           : fits   ? 0
                    : does_not_fit(with_exceptions, "int too big to convert");
}

PyObject *
_PyLong_FromByteArray(const unsigned char *bytes, size_t n, int little_endian,
                      int is_signed)
{
    int flags = byte_order_flags(little_endian);
    return is_signed ? PyLong_FromNativeBytes(bytes, n, flags)
                     : PyLong_FromUnsignedNativeBytes(bytes, n, flags);
}
