/* SPDX-License-Identifier: MIT */
/* timedelta: a time span in days, seconds and microseconds. */
#include "datetime_types.h"

static PyDateTime_Delta *
delta_of(PyObject *op)
{
    return (PyDateTime_Delta *)op;
}

/* --- making -------------------------------------------------------------------------------- */

static PyObject *
store_delta(int64_t days, int64_t seconds, int64_t microseconds, PyTypeObject *type)
{
    if (days < -999999999 || days > 999999999) {
        PyErr_Format(PyExc_OverflowError, "days=%lld; must have magnitude <= 999999999",
                     (long long)days);
        return NULL;
    }
    PyObject *op = type->tp_alloc(type, 0);
    if (op != NULL) {
        delta_of(op)->hashcode = -1;
        delta_of(op)->days = (int)days;
        delta_of(op)->seconds = (int)seconds;
        delta_of(op)->microseconds = (int)microseconds;
    }
    return op;
}

/* Carry whole units from *low into *high, so that 0 <= *low < unit. */
static void
carry(int64_t *high, int64_t *low, int64_t unit)
{
    int64_t whole = *low / unit - (*low % unit < 0);
    *high += whole;
    *low -= whole * unit;
}

PyObject *
ouro_delta_new(int days, int seconds, int microseconds, int normalize, PyTypeObject *type)
{
    int64_t d = days, s = seconds, us = microseconds;
    if (normalize) {
        carry(&s, &us, 1000000);
        carry(&d, &s, OURO_DAY_SECONDS);
    }
    return store_delta(d, s, us, type);
}

static PyObject *
delta_of_type(PyObject *total, PyTypeObject *type)
{
    int overflow;
    PyObject *million = PyLong_FromLong(1000000);
    PyObject *parts = million == NULL ? NULL : PyNumber_Divmod(total, million);
    Py_XDECREF(million);
    if (parts == NULL) {
        return NULL;
    }
    int64_t us = PyLong_AsLong(PyTuple_GET_ITEM(parts, 1)), d = 0;
    int64_t s = PyLong_AsLongLongAndOverflow(PyTuple_GET_ITEM(parts, 0), &overflow);
    Py_DECREF(parts);
    if (overflow != 0) {
        PyErr_SetString(PyExc_OverflowError, "timedelta # of days is too large");
        return NULL;
    }
    carry(&d, &s, OURO_DAY_SECONDS);
    return store_delta(d, s, us, type);
}

PyObject *
ouro_delta_from_microseconds(PyObject *total)
{
    return delta_of_type(total, &ouro_delta_type);
}

int64_t
ouro_delta_seconds(PyObject *delta)
{
    return (int64_t)delta_of(delta)->days * OURO_DAY_SECONDS + delta_of(delta)->seconds;
}

PyObject *
ouro_delta_as_microseconds(PyObject *delta)
{
    PyObject *seconds = PyLong_FromLongLong(ouro_delta_seconds(delta));
    PyObject *million = PyLong_FromLong(1000000);
    PyObject *whole =
        seconds == NULL || million == NULL ? NULL : PyNumber_Multiply(seconds, million);
    PyObject *rest = PyLong_FromLong(delta_of(delta)->microseconds);
    PyObject *total = whole == NULL || rest == NULL ? NULL : PyNumber_Add(whole, rest);
    Py_XDECREF(seconds);
    Py_XDECREF(million);
    Py_XDECREF(whole);
    Py_XDECREF(rest);
    return total;
}

/* *total += amount * unit; floats are rounded to whole microseconds. */
static bool
add_amount(PyObject **total, PyObject *amount, long long unit)
{
    PyObject *factor = PyLong_FromLongLong(unit);
    PyObject *product = factor == NULL ? NULL : PyNumber_Multiply(amount, factor);
    Py_XDECREF(factor);
    if (product != NULL && PyFloat_Check(product)) {
        Py_SETREF(product, PyObject_CallMethod(product, "__round__", NULL));
    }
    if (product != NULL && !PyLong_Check(product)) {
        PyErr_Format(PyExc_TypeError, "unsupported type for timedelta component: %.200s",
                     Py_TYPE(amount)->tp_name);
        Py_CLEAR(product);
    }
    PyObject *sum = product == NULL ? NULL : PyNumber_Add(*total, product);
    Py_XDECREF(product);
    Py_SETREF(*total, sum);
    return sum != NULL;
}

static PyObject *
delta_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"days",    "seconds", "microseconds", "milliseconds",
                            "minutes", "hours",   "weeks",        NULL};
    static const long long units[] = {86400000000, 1000000,    1,           1000,
                                      60000000,    3600000000, 604800000000};
    PyObject *given[7] = {NULL};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OOOOOOO:timedelta", names, &given[0],
                                     &given[1], &given[2], &given[3], &given[4],
                                     &given[5], &given[6])) {
        return NULL;
    }
    PyObject *total = PyLong_FromLong(0);
    for (int i = 0; total != NULL && i < 7; i++) {
        if (given[i] != NULL && !add_amount(&total, given[i], units[i])) {
            return NULL;
        }
    }
    PyObject *op = total == NULL ? NULL : delta_of_type(total, type);
    Py_XDECREF(total);
    return op;
}

/* --- arithmetic ------------------------------------------------------------------------------ */

static PyObject *
combine_deltas(PyObject *a, PyObject *b, int sign)
{
    if (!PyObject_TypeCheck(a, &ouro_delta_type) ||
        !PyObject_TypeCheck(b, &ouro_delta_type)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    return ouro_delta_new(delta_of(a)->days + sign * delta_of(b)->days,
                          delta_of(a)->seconds + sign * delta_of(b)->seconds,
                          delta_of(a)->microseconds + sign * delta_of(b)->microseconds, 1,
                          &ouro_delta_type);
}

static PyObject *
delta_add(PyObject *a, PyObject *b)
{
    return combine_deltas(a, b, 1);
}

static PyObject *
delta_subtract(PyObject *a, PyObject *b)
{
    return combine_deltas(a, b, -1);
}

static PyObject *
delta_negative(PyObject *op)
{
    return ouro_delta_new(-delta_of(op)->days, -delta_of(op)->seconds,
                          -delta_of(op)->microseconds, 1, &ouro_delta_type);
}

static PyObject *
delta_positive(PyObject *op)
{
    return ouro_delta_new(delta_of(op)->days, delta_of(op)->seconds,
                          delta_of(op)->microseconds, 0, &ouro_delta_type);
}

static PyObject *
delta_absolute(PyObject *op)
{
    return delta_of(op)->days < 0 ? delta_negative(op) : delta_positive(op);
}

static int
delta_bool(PyObject *op)
{
    return delta_of(op)->days != 0 || delta_of(op)->seconds != 0 ||
           delta_of(op)->microseconds != 0;
}

/* timedelta * int, in either order. */
static PyObject *
delta_multiply(PyObject *a, PyObject *b)
{
    PyObject *delta = PyObject_TypeCheck(a, &ouro_delta_type) ? a : b;
    PyObject *number = delta == a ? b : a;
    if (!PyLong_Check(number)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    PyObject *total = ouro_delta_as_microseconds(delta);
    PyObject *product = total == NULL ? NULL : PyNumber_Multiply(total, number);
    PyObject *result = product == NULL ? NULL : ouro_delta_from_microseconds(product);
    Py_XDECREF(total);
    Py_XDECREF(product);
    return result;
}

static PyObject *
delta_total_seconds(PyObject *op, PyObject *Py_UNUSED(ignored))
{
    return PyFloat_FromDouble((double)ouro_delta_seconds(op) +
                              delta_of(op)->microseconds / 1e6);
}

/* --- comparing, text ---------------------------------------------------------------------------- */

static PyObject *
delta_richcompare(PyObject *a, PyObject *b, int op)
{
    if (!PyObject_TypeCheck(b, &ouro_delta_type)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    int64_t left = ouro_delta_seconds(a), right = ouro_delta_seconds(b);
    if (left == right) {
        left = delta_of(a)->microseconds;
        right = delta_of(b)->microseconds;
    }
    Py_RETURN_RICHCOMPARE(left, right, op);
}

static Py_hash_t
delta_hash(PyObject *op)
{
    if (delta_of(op)->hashcode == -1) {
        int fields[3] = {delta_of(op)->days, delta_of(op)->seconds,
                         delta_of(op)->microseconds};
        delta_of(op)->hashcode = Py_HashBuffer(fields, sizeof fields);
    }
    return delta_of(op)->hashcode;
}

static PyObject *
delta_repr(PyObject *op)
{
    PyDateTime_Delta *d = delta_of(op);
    char text[120] = "";
    size_t used = 0;
    const char *between = "";
    const struct {
        const char *name;
        int value;
    } parts[] = {
        {"days", d->days}, {"seconds", d->seconds}, {"microseconds", d->microseconds}};
    for (int i = 0; i < 3; i++) {
        if (parts[i].value != 0) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s=%d", between,
                                     parts[i].name, parts[i].value);
            between = ", ";
        }
    }
    return PyUnicode_FromFormat("%s(%s)",
                                Py_IS_TYPE(op, &ouro_delta_type) ? "datetime.timedelta"
                                                                 : Py_TYPE(op)->tp_name,
                                used == 0 ? "0" : text);
}

static PyObject *
delta_str(PyObject *op)
{
    PyDateTime_Delta *d = delta_of(op);
    char text[60];
    int minutes = d->seconds / 60;
    size_t used = (size_t)snprintf(text, sizeof text, "%d:%02d:%02d", minutes / 60,
                                   minutes % 60, d->seconds % 60);
    if (d->microseconds != 0) {
        snprintf(text + used, sizeof text - used, ".%06d", d->microseconds);
    }
    return d->days == 0
               ? PyUnicode_FromString(text)
               : PyUnicode_FromFormat("%d day%s, %s", d->days,
                                      d->days == 1 || d->days == -1 ? "" : "s", text);
}

/* --- the type -------------------------------------------------------------------------------------- */

static PyNumberMethods delta_as_number = {
    .nb_add = delta_add,
    .nb_subtract = delta_subtract,
    .nb_multiply = delta_multiply,
    .nb_negative = delta_negative,
    .nb_positive = delta_positive,
    .nb_absolute = delta_absolute,
    .nb_bool = delta_bool,
};

static PyMethodDef delta_methods[] = {
    {"total_seconds", delta_total_seconds, METH_NOARGS, "All of it in seconds."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef delta_members[] = {
    {"days", Py_T_INT, offsetof(PyDateTime_Delta, days), Py_READONLY, NULL},
    {"seconds", Py_T_INT, offsetof(PyDateTime_Delta, seconds), Py_READONLY, NULL},
    {"microseconds", Py_T_INT, offsetof(PyDateTime_Delta, microseconds), Py_READONLY,
     NULL},
    {NULL, 0, 0, 0, NULL},
};

PyTypeObject ouro_delta_type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "datetime.timedelta",
    .tp_basicsize = sizeof(PyDateTime_Delta),
    .tp_repr = delta_repr,
    .tp_as_number = &delta_as_number,
    .tp_hash = delta_hash,
    .tp_str = delta_str,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_doc = "A time span.",
    .tp_richcompare = delta_richcompare,
    .tp_methods = delta_methods,
    .tp_members = delta_members,
    .tp_new = delta_new,
};
