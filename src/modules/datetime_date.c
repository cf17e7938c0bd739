/* SPDX-License-Identifier: MIT */
/* date: a day of the Gregorian calendar, and the arithmetic of days. */
#include "datetime_types.h"

/* --- the calendar ------------------------------------------------------------------------- */

static bool
is_leap_year(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int
days_of_month(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap_year(year));
}

/* Days before the first of January. */
static int64_t
days_before_year(int64_t year)
{
    int64_t y = year - 1;
    return y * 365 + y / 4 - y / 100 + y / 400;
}

int64_t
ouro_ordinal(int year, int month, int day)
{
    int64_t ordinal = days_before_year(year) + day;
    for (int m = 1; m < month; m++) {
        ordinal += days_of_month(year, m);
    }
    return ordinal;
}

bool
ouro_ordinal_date(int64_t ordinal, int *year, int *month, int *day)
{
    if (ordinal < 1 || ordinal > ouro_ordinal(9999, 12, 31)) {
        PyErr_SetString(PyExc_OverflowError, "date value out of range");
        return false;
    }
    int64_t y = (ordinal - 1) / 366 + 1; /* at most a few years too small */
    while (days_before_year(y + 1) < ordinal) {
        y++;
    }
    int64_t left = ordinal - days_before_year(y);
    int m = 1;
    while (left > days_of_month((int)y, m)) {
        left -= days_of_month((int)y, m++);
    }
    *year = (int)y;
    *month = m;
    *day = (int)left;
    return true;
}

bool
ouro_date_check(int year, int month, int day)
{
    if (year < 1 || year > 9999) {
        PyErr_Format(PyExc_ValueError, "year must be in 1..9999, not %d", year);
    } else if (month < 1 || month > 12) {
        PyErr_Format(PyExc_ValueError, "month must be in 1..12, not %d", month);
    } else if (day < 1 || day > days_of_month(year, month)) {
        PyErr_Format(PyExc_ValueError,
                     "day %d must be in range 1..%d for month %d in year %d", day,
                     days_of_month(year, month), month, year);
    } else {
        return true;
    }
    return false;
}

void
ouro_date_store(unsigned char *data, int year, int month, int day)
{
    data[0] = (unsigned char)(year >> 8);
    data[1] = (unsigned char)year;
    data[2] = (unsigned char)month;
    data[3] = (unsigned char)day;
}

/* --- making ----------------------------------------------------------------------------------- */

static PyDateTime_Date *
date_of(PyObject *op)
{
    return (PyDateTime_Date *)op;
}

PyObject *
ouro_date_new(int year, int month, int day, PyTypeObject *type)
{
    PyObject *op = ouro_date_check(year, month, day) ? type->tp_alloc(type, 0) : NULL;
    if (op != NULL) {
        date_of(op)->hashcode = -1;
        date_of(op)->hastzinfo = 0;
        ouro_date_store(date_of(op)->data, year, month, day);
    }
    return op;
}

static PyObject *
date_make(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"year", "month", "day", NULL};
    int year, month, day;
    return PyArg_ParseTupleAndKeywords(args, kwargs, "iii:date", names, &year, &month,
                                       &day)
               ? ouro_date_new(year, month, day, type)
               : NULL;
}

PyObject *
ouro_date_from_timestamp(PyObject *type, PyObject *args)
{
    double stamp;
    struct tm local;
    if (!PyArg_ParseTuple(args, "d:fromtimestamp", &stamp)) {
        return NULL;
    }
    time_t seconds = (time_t)floor(stamp);
    if (localtime_r(&seconds, &local) == NULL) {
        return PyErr_SetFromErrno(PyExc_OSError);
    }
    return ouro_date_new(local.tm_year + 1900, local.tm_mon + 1, local.tm_mday,
                         (PyTypeObject *)type);
}

static PyObject *
date_today(PyObject *type, PyObject *Py_UNUSED(ignored))
{
    return PyObject_CallMethod(type, "fromtimestamp", "d", (double)time(NULL));
}

static PyObject *
date_from_days(int64_t ordinal, PyTypeObject *type)
{
    int year, month, day;
    return ouro_ordinal_date(ordinal, &year, &month, &day)
               ? ouro_date_new(year, month, day, type)
               : NULL;
}

static PyObject *
date_fromordinal(PyObject *type, PyObject *number)
{
    long long ordinal = PyLong_AsLongLong(number);
    return ordinal == -1 && PyErr_Occurred()
               ? NULL
               : date_from_days(ordinal, (PyTypeObject *)type);
}

/* --- questions -------------------------------------------------------------------------------- */

static int64_t
ordinal_of(PyObject *op)
{
    return ouro_ordinal(PyDateTime_GET_YEAR(op), PyDateTime_GET_MONTH(op),
                        PyDateTime_GET_DAY(op));
}

static PyObject *
date_toordinal(PyObject *op, PyObject *Py_UNUSED(ignored))
{
    return PyLong_FromLongLong(ordinal_of(op));
}

static PyObject *
date_weekday(PyObject *op, PyObject *Py_UNUSED(ignored))
{
    return PyLong_FromLongLong((ordinal_of(op) + 6) % 7);
}

static PyObject *
date_isoweekday(PyObject *op, PyObject *Py_UNUSED(ignored))
{
    return PyLong_FromLongLong((ordinal_of(op) + 6) % 7 + 1);
}

static PyObject *
date_isoformat(PyObject *op, PyObject *Py_UNUSED(ignored))
{
    return PyUnicode_FromFormat("%04d-%02d-%02d", PyDateTime_GET_YEAR(op),
                                PyDateTime_GET_MONTH(op), PyDateTime_GET_DAY(op));
}

static PyObject *
date_str(PyObject *op)
{
    return PyObject_CallMethod(op, "isoformat", NULL);
}

static PyObject *
date_repr(PyObject *op)
{
    return PyUnicode_FromFormat("%s(%d, %d, %d)", Py_TYPE(op)->tp_name,
                                PyDateTime_GET_YEAR(op), PyDateTime_GET_MONTH(op),
                                PyDateTime_GET_DAY(op));
}

static PyObject *
date_get_year(PyObject *op, void *Py_UNUSED(closure))
{
    return PyLong_FromLong(PyDateTime_GET_YEAR(op));
}

/* --- comparing, arithmetic --------------------------------------------------------------------- */

/* A datetime is no date here, because a date has no time to compare. */
static bool
is_plain_date(PyObject *op)
{
    return PyObject_TypeCheck(op, &ouro_date_type) &&
           !PyObject_TypeCheck(op, &ouro_datetime_type);
}

static PyObject *
date_richcompare(PyObject *a, PyObject *b, int op)
{
    if (!is_plain_date(a) || !is_plain_date(b)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    int order = memcmp(date_of(a)->data, date_of(b)->data, sizeof date_of(a)->data);
    Py_RETURN_RICHCOMPARE(order, 0, op);
}

static Py_hash_t
date_hash(PyObject *op)
{
    return Py_HashBuffer(date_of(op)->data, sizeof date_of(op)->data);
}

static PyObject *
date_plus_days(PyObject *date, PyObject *delta, int sign)
{
    return date_from_days(ordinal_of(date) +
                              sign * (int64_t)PyDateTime_DELTA_GET_DAYS(delta),
                          Py_TYPE(date));
}

static PyObject *
date_add(PyObject *a, PyObject *b)
{
    if (is_plain_date(a) && PyObject_TypeCheck(b, &ouro_delta_type)) {
        return date_plus_days(a, b, 1);
    }
    if (is_plain_date(b) && PyObject_TypeCheck(a, &ouro_delta_type)) {
        return date_plus_days(b, a, 1);
    }
    Py_RETURN_NOTIMPLEMENTED;
}

static PyObject *
date_subtract(PyObject *a, PyObject *b)
{
    if (is_plain_date(a) && PyObject_TypeCheck(b, &ouro_delta_type)) {
        return date_plus_days(a, b, -1);
    }
    if (is_plain_date(a) && is_plain_date(b)) {
        return ouro_delta_new((int)(ordinal_of(a) - ordinal_of(b)), 0, 0, 0,
                              &ouro_delta_type);
    }
    Py_RETURN_NOTIMPLEMENTED;
}

/* --- the type ------------------------------------------------------------------------------------ */

static PyNumberMethods date_as_number = {.nb_add = date_add,
                                         .nb_subtract = date_subtract};

static PyMethodDef date_methods[] = {
    {"fromtimestamp", ouro_date_from_timestamp, METH_VARARGS | METH_CLASS,
     "The local date of a number of seconds since 1970."},
    {"fromordinal", date_fromordinal, METH_O | METH_CLASS, "The date of the n-th day."},
    {"today", date_today, METH_NOARGS | METH_CLASS, "The local date now."},
    {"toordinal", date_toordinal, METH_NOARGS,
     "The number of the day, 1 for 0001-01-01."},
    {"weekday", date_weekday, METH_NOARGS, "0 for Monday to 6."},
    {"isoweekday", date_isoweekday, METH_NOARGS, "1 for Monday to 7."},
    {"isoformat", date_isoformat, METH_NOARGS, "YYYY-MM-DD."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef date_attributes[] = {
    {"year", date_get_year, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef date_members[] = {
    {"month", Py_T_UBYTE, offsetof(PyDateTime_Date, data) + 2, Py_READONLY, NULL},
    {"day", Py_T_UBYTE, offsetof(PyDateTime_Date, data) + 3, Py_READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

PyTypeObject ouro_date_type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "datetime.date",
    .tp_basicsize = sizeof(PyDateTime_Date),
    .tp_repr = date_repr,
    .tp_as_number = &date_as_number,
    .tp_hash = date_hash,
    .tp_str = date_str,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_doc = "A date.",
    .tp_richcompare = date_richcompare,
    .tp_methods = date_methods,
    .tp_members = date_members,
    .tp_getset = date_attributes,
    .tp_new = date_make,
};
