/* SPDX-License-Identifier: MIT */
/* Numbers: whole numbers of any size and doubles, the library's int and float. */
#include "scheme.h"

#include <math.h>

static int
is_number(PyObject *value) /* True and False are ints to the library, not to Scheme */
{
    return PyLong_CheckExact(value) || PyFloat_CheckExact(value);
}

static int
check_numbers(const char *name, PyObject *const *args, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        if (!is_number(args[i])) {
            error_about(name, "not a number", args[i]);
            return -1;
        }
    }
    return 0;
}

static int
check_integers(const char *name, PyObject *const *args, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        if (!PyLong_CheckExact(args[i])) {
            error_about(name, "not a whole number", args[i]);
            return -1;
        }
    }
    return 0;
}

static int
is_small(PyObject *value)
{
    return PyLong_CheckExact(value) && PyUnstable_Long_IsCompact((PyLongObject *)value);
}

/* Both numbers fit a machine word with room to spare: sums, differences and comparisons
 * of two need no further look. */
static inline int
are_small(PyObject *a, PyObject *b, Py_ssize_t *x, Py_ssize_t *y)
{
    if (!is_small(a) || !is_small(b)) {
        return 0;
    }
    *x = PyUnstable_Long_CompactValue((PyLongObject *)a);
    *y = PyUnstable_Long_CompactValue((PyLongObject *)b);
    return 1;
}

/* --- arithmetic ------------------------------------------------------------------------------ */

/* op(op(unit, a), b) ... */
static PyObject *
fold(const char *name, binaryfunc op, long unit, PyObject *const *args, Py_ssize_t count)
{
    if (check_numbers(name, args, count) < 0) {
        return NULL;
    }
    if (count == 0) {
        return PyLong_FromLong(unit);
    }
    PyObject *result = Py_NewRef(args[0]);
    for (Py_ssize_t i = 1; result != NULL && i < count; i++) {
        Py_SETREF(result, op(result, args[i]));
    }
    return result;
}

static PyObject *
num_add(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    Py_ssize_t x, y;
    if (count == 2 && are_small(args[0], args[1], &x, &y)) {
        return PyLong_FromSsize_t(x + y);
    }
    return fold("+", PyNumber_Add, 0, args, count);
}

static PyObject *
num_multiply(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    return fold("*", PyNumber_Multiply, 1, args, count);
}

static PyObject *
num_subtract(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    Py_ssize_t x, y;
    if (count == 2 && are_small(args[0], args[1], &x, &y)) {
        return PyLong_FromSsize_t(x - y);
    }
    if (check_arity("-", count, 1, -1) < 0 || check_numbers("-", args, count) < 0) {
        return NULL;
    }
    return count == 1 ? PyNumber_Negative(args[0])
                      : fold("-", PyNumber_Subtract, 0, args, count);
}

/* A whole number when the division leaves no rest, else a double: there are no fractions. */
static PyObject *
divide(PyObject *a, PyObject *b)
{
    if (PyObject_Not(b)) {
        return error_about("/", "division by zero", a);
    }
    if (PyLong_CheckExact(a) && PyLong_CheckExact(b)) {
        PyObject *rest = PyNumber_Remainder(a, b);
        if (rest == NULL) {
            return NULL;
        }
        int is_exact = PyObject_Not(rest);
        Py_DECREF(rest);
        if (is_exact) {
            return PyNumber_FloorDivide(a, b);
        }
    }
    return PyNumber_TrueDivide(a, b);
}

static PyObject *
num_divide(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    if (check_arity("/", count, 1, -1) < 0 || check_numbers("/", args, count) < 0) {
        return NULL;
    }
    if (count > 1) {
        return fold("/", divide, 0, args, count);
    }
    PyObject *one = PyLong_FromLong(1);
    PyObject *result = one != NULL ? divide(one, args[0]) : NULL;
    Py_XDECREF(one);
    return result;
}

/* Towards zero, while PyNumber_FloorDivide goes down: divide the absolute values. */
static PyObject *
num_quotient(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    if (check_arity("quotient", count, 2, 2) < 0 ||
        check_integers("quotient", args, count) < 0) {
        return NULL;
    }
    PyObject *a = PyNumber_Absolute(args[0]), *b = PyNumber_Absolute(args[1]);
    PyObject *result = a != NULL && b != NULL ? PyNumber_FloorDivide(a, b) : NULL;
    if (result != NULL && PyObject_RichCompareBool(a, args[0], Py_EQ) !=
                              PyObject_RichCompareBool(b, args[1], Py_EQ)) {
        Py_SETREF(result, PyNumber_Negative(result));
    }
    Py_XDECREF(a);
    Py_XDECREF(b);
    return result;
}

static PyObject *
num_modulo(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    if (check_arity("modulo", count, 2, 2) < 0 ||
        check_integers("modulo", args, count) < 0) {
        return NULL;
    }
    return PyNumber_Remainder(args[0], args[1]);
}

static PyObject *
num_remainder(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    if (check_arity("remainder", count, 2, 2) < 0 ||
        check_integers("remainder", args, count) < 0) {
        return NULL;
    }
    PyObject *quotient = num_quotient(self, args, count);
    PyObject *product = quotient != NULL ? PyNumber_Multiply(quotient, args[1]) : NULL;
    PyObject *result = product != NULL ? PyNumber_Subtract(args[0], product) : NULL;
    Py_XDECREF(quotient);
    Py_XDECREF(product);
    return result;
}

static PyObject *
num_expt(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    if (check_arity("expt", count, 2, 2) < 0 || check_numbers("expt", args, count) < 0) {
        return NULL;
    }
    return PyNumber_Power(args[0], args[1], Py_None);
}

static PyObject *
num_abs(PyObject *self, PyObject *value)
{
    (void)self;
    return check_numbers("abs", &value, 1) < 0 ? NULL : PyNumber_Absolute(value);
}

/* --- comparison ------------------------------------------------------------------------------- */

/* Does the relation hold between each two neighbours? */
static PyObject *
chain(const char *name, int op, PyObject *const *args, Py_ssize_t count)
{
    if (check_arity(name, count, 1, -1) < 0 || check_numbers(name, args, count) < 0) {
        return NULL;
    }
    int holds = 1;
    for (Py_ssize_t i = 1; holds == 1 && i < count; i++) {
        holds = PyObject_RichCompareBool(args[i - 1], args[i], op);
    }
    return holds < 0 ? NULL : PyBool_FromLong(holds);
}

static PyObject *
num_equal(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    Py_ssize_t x, y;
    if (count == 2 && are_small(args[0], args[1], &x, &y)) {
        return PyBool_FromLong(x == y);
    }
    return chain("=", Py_EQ, args, count);
}

static PyObject *
num_less(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    Py_ssize_t x, y;
    if (count == 2 && are_small(args[0], args[1], &x, &y)) {
        return PyBool_FromLong(x < y);
    }
    return chain("<", Py_LT, args, count);
}

static PyObject *
num_greater(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    return chain(">", Py_GT, args, count);
}

static PyObject *
num_less_equal(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    return chain("<=", Py_LE, args, count);
}

static PyObject *
num_greater_equal(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    return chain(">=", Py_GE, args, count);
}

/* --- conversion ------------------------------------------------------------------------------- */

static PyObject *
num_sqrt(PyObject *self, PyObject *value)
{
    (void)self;
    if (check_numbers("sqrt", &value, 1) < 0) {
        return NULL;
    }
    double number = PyFloat_AsDouble(value);
    if (number == -1.0 && PyErr_Occurred()) {
        return NULL;
    }
    double root = sqrt(number);
    if (PyLong_CheckExact(value) && root == floor(root) && root * root == number) {
        return PyLong_FromDouble(root);
    }
    return number < 0 ? error_about("sqrt", "negative", value) : PyFloat_FromDouble(root);
}

static PyObject *
num_inexact(PyObject *self, PyObject *value)
{
    (void)self;
    return check_numbers("exact->inexact", &value, 1) < 0 ? NULL : PyNumber_Float(value);
}

static PyObject *
num_exact(PyObject *self, PyObject *value)
{
    (void)self;
    return check_numbers("exact", &value, 1) < 0 ? NULL : PyNumber_Long(value);
}

static PyObject *
num_is_number(PyObject *self, PyObject *value)
{
    (void)self;
    return PyBool_FromLong(is_number(value));
}

static PyObject *
num_is_integer(PyObject *self, PyObject *value)
{
    (void)self;
    return PyBool_FromLong(PyLong_CheckExact(value));
}

static PyMethodDef procedures[] = {
    {"+", FAST(num_add)},
    {"-", FAST(num_subtract)},
    {"*", FAST(num_multiply)},
    {"/", FAST(num_divide)},
    {"quotient", FAST(num_quotient)},
    {"remainder", FAST(num_remainder)},
    {"modulo", FAST(num_modulo)},
    {"expt", FAST(num_expt)},
    {"abs", ONE(num_abs)},
    {"=", FAST(num_equal)},
    {"<", FAST(num_less)},
    {">", FAST(num_greater)},
    {"<=", FAST(num_less_equal)},
    {">=", FAST(num_greater_equal)},
    {"sqrt", ONE(num_sqrt)},
    {"exact", ONE(num_exact)},
    {"exact->inexact", ONE(num_inexact)},
    {"number?", ONE(num_is_number)},
    {"integer?", ONE(num_is_integer)},
    {NULL, NULL, 0, NULL},
};

int
numbers_init(void)
{
    return define_procedures(procedures);
}
