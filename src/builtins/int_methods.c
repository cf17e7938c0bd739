/* SPDX-License-Identifier: MIT */
/* The methods and attributes of int. */
#include "int_object.h"

#include "arguments.h"
#include "format_spec.h"
#include "method_tables.h"

static PyObject *
int_bit_length(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return PyLong_FromInt64(_PyLong_NumBits(self));
}

static PyObject *
int_bit_count(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    PyLongObject *v = ouro_int(self);
    int64_t count = 0;
    for (Py_ssize_t i = 0; i < ouro_int_count(v); i++) {
        count += __builtin_popcount(ouro_int_digits(v)[i]);
    }
    return PyLong_FromInt64(count);
}

/* An exact int with the same value. */
static PyObject *
int_itself(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return PyNumber_Long(self);
}

static PyObject *
int_is_integer(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(ignored))
{
    Py_RETURN_TRUE;
}

static PyObject *
int_as_integer_ratio(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    PyObject *whole = PyNumber_Long(self), *one = PyLong_FromLong(1);
    PyObject *pair = whole == NULL ? NULL : PyTuple_Pack(2, whole, one);
    Py_XDECREF(whole);
    return pair;
}

static PyObject *
int_getnewargs(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    PyObject *whole = PyNumber_Long(self);
    PyObject *args = whole == NULL ? NULL : PyTuple_Pack(1, whole);
    Py_XDECREF(whole);
    return args;
}

/* --- rounding ---------------------------------------------------------------------------------------- */

/* Should a remainder be rounded up: more than half of the unit, or half and odd? 1, 0; -1
 * with an exception. */
static int
rounds_up(PyObject *remainder, PyObject *unit, PyObject *quotient)
{
    PyObject *twice = PyNumber_Add(remainder, remainder);
    if (twice == NULL) {
        return -1;
    }
    int order = ouro_int_compare(twice, unit);
    Py_DECREF(twice);
    bool odd = ouro_int_count(ouro_int(quotient)) > 0 &&
               (ouro_int_digits(ouro_int(quotient))[0] & 1) != 0;
    return order > 0 || (order == 0 && odd);
}

/* The nearest multiple of `unit`, half to even. */
static PyObject *
round_to_unit(PyObject *self, PyObject *unit)
{
    PyObject *quotient, *remainder, *result = NULL;
    if (ouro_int_divmod(self, unit, &quotient, &remainder) < 0) {
        return NULL;
    }
    int up = rounds_up(remainder, unit, quotient);
    if (up >= 0) {
        result = PyNumber_Subtract(self, remainder);
        if (up > 0 && result != NULL) {
            Py_SETREF(result, PyNumber_Add(result, unit));
        }
    }
    Py_DECREF(quotient);
    Py_DECREF(remainder);
    return result;
}

/* __round__([ndigits]) */
static PyObject *
int_round(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    if (!ouro_args_between("__round__", nargs, 0, 1)) {
        return NULL;
    }
    if (nargs == 0) {
        return PyNumber_Long(self);
    }
    PyObject *digits = PyNumber_Index(args[0]), *ten = PyLong_FromLong(10);
    if (digits == NULL) {
        return NULL;
    }
    PyObject *result = NULL;
    if (!ouro_int_negative(ouro_int(digits))) {
        result = PyNumber_Long(self);
    } else {
        PyObject *count = PyNumber_Negative(digits);
        PyObject *unit = count == NULL ? NULL : PyNumber_Power(ten, count, Py_None);
        result = unit == NULL ? NULL : round_to_unit(self, unit);
        Py_XDECREF(count);
        Py_XDECREF(unit);
    }
    Py_DECREF(digits);
    return result;
}

/* --- tables ------------------------------------------------------------------------------------------- */

static PyObject *
int_get_itself(PyObject *self, void *Py_UNUSED(closure))
{
    return PyNumber_Long(self);
}

static PyObject *
int_get_zero(PyObject *Py_UNUSED(self), void *Py_UNUSED(closure))
{
    return PyLong_FromLong(0);
}

static PyObject *
int_get_one(PyObject *Py_UNUSED(self), void *Py_UNUSED(closure))
{
    return PyLong_FromLong(1);
}

PyGetSetDef ouro_int_getset[] = {
    {"real", int_get_itself, NULL, "the real part of a complex number", NULL},
    {"imag", int_get_zero, NULL, "the imaginary part of a complex number", NULL},
    {"numerator", int_get_itself, NULL, "the numerator in lowest terms", NULL},
    {"denominator", int_get_one, NULL, "the denominator in lowest terms", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyMethodDef ouro_int_methods[] = {
    {"__ceil__", int_itself, METH_NOARGS, "The number itself."},
    {"__floor__", int_itself, METH_NOARGS, "The number itself."},
    {"__format__", ouro_int_format_spec, METH_O, "The number laid out by a format."},
    {"__getnewargs__", int_getnewargs, METH_NOARGS, NULL},
    {"__round__", _PyCFunction_CAST(int_round), METH_FASTCALL,
     "__round__([ndigits]): rounded, half to even."},
    {"__trunc__", int_itself, METH_NOARGS, "The number itself."},
    {"as_integer_ratio", int_as_integer_ratio, METH_NOARGS, "The number and 1."},
    {"bit_count", int_bit_count, METH_NOARGS, "The number of ones in the magnitude."},
    {"bit_length", int_bit_length, METH_NOARGS, "The number of bits of the magnitude."},
    {"conjugate", int_itself, METH_NOARGS, "The number itself."},
    {"from_bytes", _PyCFunction_CAST(ouro_int_from_bytes),
     METH_FASTCALL | METH_KEYWORDS | METH_CLASS,
     "from_bytes(bytes, byteorder='big', *, signed=False)"},
    {"is_integer", int_is_integer, METH_NOARGS, "True."},
    {"to_bytes", _PyCFunction_CAST(ouro_int_to_bytes), METH_FASTCALL | METH_KEYWORDS,
     "to_bytes(length=1, byteorder='big', *, signed=False)"},
    {NULL, NULL, 0, NULL},
};
