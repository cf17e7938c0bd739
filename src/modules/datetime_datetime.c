/* SPDX-License-Identifier: MIT */
/* datetime: a date and a time of day, with or without a time zone. */
#include "datetime_types.h"

static PyDateTime_DateTime *
datetime_of(PyObject *op)
{
    return (PyDateTime_DateTime *)op;
}

static struct ouro_clock
clock_of_datetime(PyObject *op)
{
    return (struct ouro_clock){
        PyDateTime_DATE_GET_HOUR(op), PyDateTime_DATE_GET_MINUTE(op),
        PyDateTime_DATE_GET_SECOND(op), PyDateTime_DATE_GET_MICROSECOND(op)};
}

/* --- making --------------------------------------------------------------------------------- */

PyObject *
ouro_datetime_new(int year, int month, int day, int hour, int minute, int second,
                  int microsecond, PyObject *tzinfo, int fold, PyTypeObject *type)
{
    struct ouro_clock clock = {hour, minute, second, microsecond};
    if (!ouro_date_check(year, month, day) || !ouro_clock_check(clock, fold) ||
        !ouro_tzinfo_check(tzinfo)) {
        return NULL;
    }
    PyObject *op = type->tp_alloc(type, 0);
    if (op != NULL) {
        datetime_of(op)->hashcode = -1;
        datetime_of(op)->hastzinfo = tzinfo != Py_None;
        datetime_of(op)->fold = (unsigned char)fold;
        datetime_of(op)->tzinfo = Py_NewRef(tzinfo);
        ouro_date_store(datetime_of(op)->data, year, month, day);
        ouro_clock_store(datetime_of(op)->data + 4, clock);
    }
    return op;
}

static PyObject *
datetime_make(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"year",   "month",       "day",    "hour", "minute",
                            "second", "microsecond", "tzinfo", "fold", NULL};
    int year, month, day, hour = 0, minute = 0, second = 0, microsecond = 0, fold = 0;
    PyObject *tzinfo = Py_None;
    return PyArg_ParseTupleAndKeywords(args, kwargs, "iii|iiiiO$i:datetime", names, &year,
                                       &month, &day, &hour, &minute, &second,
                                       &microsecond, &tzinfo, &fold)
               ? ouro_datetime_new(year, month, day, hour, minute, second, microsecond,
                                   tzinfo, fold, type)
               : NULL;
}

static void
datetime_dealloc(PyObject *op)
{
    Py_XDECREF(datetime_of(op)->tzinfo);
    Py_TYPE(op)->tp_free(op);
}

/* --- a line of seconds ------------------------------------------------------------------------- */

/* Seconds since the beginning of the year 1, on the clock of the time zone. */
static int64_t
seconds_of_datetime(PyObject *op)
{
    struct ouro_clock c = clock_of_datetime(op);
    return ouro_ordinal(PyDateTime_GET_YEAR(op), PyDateTime_GET_MONTH(op),
                        PyDateTime_GET_DAY(op)) *
               OURO_DAY_SECONDS +
           c.hour * 3600 + c.minute * 60 + c.second;
}

static PyObject *
datetime_at(int64_t seconds, int microsecond, PyObject *tzinfo, PyTypeObject *type)
{
    int year, month, day, rest = (int)(seconds % OURO_DAY_SECONDS);
    return ouro_ordinal_date(seconds / OURO_DAY_SECONDS, &year, &month, &day)
               ? ouro_datetime_new(year, month, day, rest / 3600, rest / 60 % 60,
                                   rest % 60, microsecond, tzinfo, 0, type)
               : NULL;
}

static PyObject *
datetime_utcoffset(PyObject *op, PyObject *Py_UNUSED(ignored))
{
    return ouro_tzinfo_offset(datetime_of(op)->tzinfo, op);
}

/* The same in UTC where there is an offset. False with an exception. */
static bool
seconds_in_utc(PyObject *op, int64_t *seconds, bool *aware)
{
    PyObject *offset = datetime_utcoffset(op, NULL);
    if (offset == NULL) {
        return false;
    }
    *aware = offset != Py_None;
    *seconds = seconds_of_datetime(op) - (*aware ? ouro_delta_seconds(offset) : 0);
    Py_DECREF(offset);
    return true;
}

/* Where the year 1970 begins. */
static int64_t
epoch_seconds(void)
{
    return ouro_ordinal(1970, 1, 1) * OURO_DAY_SECONDS;
}

/* --- timestamps ----------------------------------------------------------------------------------- */

static PyObject *
local_datetime(time_t seconds, int microsecond, PyTypeObject *type)
{
    struct tm local;
    if (localtime_r(&seconds, &local) == NULL) {
        return PyErr_SetFromErrno(PyExc_OSError);
    }
    return ouro_datetime_new(local.tm_year + 1900, local.tm_mon + 1, local.tm_mday,
                             local.tm_hour, local.tm_min, Py_MIN(local.tm_sec, 59),
                             microsecond, Py_None, 0, type);
}

/* In a time zone whose offset does not depend on the date: that of UTC is asked. */
static PyObject *
zoned_datetime(int64_t seconds, int microsecond, PyObject *tzinfo, PyTypeObject *type)
{
    PyObject *utc =
        datetime_at(seconds + epoch_seconds(), microsecond, ouro_timezone_utc, type);
    PyObject *offset = utc == NULL ? NULL : ouro_tzinfo_offset(tzinfo, utc);
    PyObject *result = NULL;
    if (offset != NULL && offset != Py_None) {
        result = datetime_at(seconds + epoch_seconds() + ouro_delta_seconds(offset),
                             microsecond, tzinfo, type);
    } else if (offset != NULL) {
        PyErr_SetString(PyExc_ValueError, "the time zone has no offset from UTC");
    }
    Py_XDECREF(offset);
    Py_XDECREF(utc);
    return result;
}

PyObject *
ouro_datetime_from_timestamp(PyObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"timestamp", "tz", NULL};
    double stamp;
    PyObject *tzinfo = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "d|O:fromtimestamp", names, &stamp,
                                     &tzinfo) ||
        !ouro_tzinfo_check(tzinfo)) {
        return NULL;
    }
    if (!(stamp > -1e11 && stamp < 1e12)) {
        PyErr_SetString(PyExc_ValueError, "timestamp out of range");
        return NULL;
    }
    double whole = floor(stamp), micro = nearbyint((stamp - whole) * 1e6);
    whole += micro >= 1e6;
    micro -= micro >= 1e6 ? 1e6 : 0;
    return tzinfo == Py_None
               ? local_datetime((time_t)whole, (int)micro, (PyTypeObject *)type)
               : zoned_datetime((int64_t)whole, (int)micro, tzinfo, (PyTypeObject *)type);
}

static PyObject *
datetime_now(PyObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"tz", NULL};
    PyObject *tzinfo = Py_None;
    PyTime_t now;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:now", names, &tzinfo) ||
        !ouro_tzinfo_check(tzinfo) || PyTime_Time(&now) < 0) {
        return NULL;
    }
    int micro = (int)(now % 1000000000 / 1000);
    return tzinfo == Py_None
               ? local_datetime((time_t)(now / 1000000000), micro, (PyTypeObject *)type)
               : zoned_datetime(now / 1000000000, micro, tzinfo, (PyTypeObject *)type);
}

/* A datetime without a zone is a local one. */
static PyObject *
datetime_timestamp(PyObject *op, PyObject *Py_UNUSED(ignored))
{
    int64_t seconds;
    bool aware;
    if (!seconds_in_utc(op, &seconds, &aware)) {
        return NULL;
    }
    double whole = (double)(seconds - epoch_seconds());
    if (!aware) {
        struct ouro_clock c = clock_of_datetime(op);
        struct tm local = {.tm_year = PyDateTime_GET_YEAR(op) - 1900,
                           .tm_mon = PyDateTime_GET_MONTH(op) - 1,
                           .tm_mday = PyDateTime_GET_DAY(op),
                           .tm_hour = c.hour,
                           .tm_min = c.minute,
                           .tm_sec = c.second,
                           .tm_isdst = -1};
        whole = (double)mktime(&local);
    }
    return PyFloat_FromDouble(whole + PyDateTime_DATE_GET_MICROSECOND(op) / 1e6);
}

/* --- parts, text ------------------------------------------------------------------------------------- */

static PyObject *
datetime_date(PyObject *op, PyObject *Py_UNUSED(ignored))
{
    return ouro_date_new(PyDateTime_GET_YEAR(op), PyDateTime_GET_MONTH(op),
                         PyDateTime_GET_DAY(op), &ouro_date_type);
}

static PyObject *
datetime_time(PyObject *op, PyObject *Py_UNUSED(ignored))
{
    struct ouro_clock c = clock_of_datetime(op);
    return ouro_time_new(c.hour, c.minute, c.second, c.microsecond, Py_None,
                         datetime_of(op)->fold, &ouro_time_type);
}

/* The text with a character between date and time. */
static PyObject *
datetime_text(PyObject *op, int between)
{
    char clock[24], zone[16] = "";
    PyObject *offset = datetime_utcoffset(op, NULL);
    if (offset == NULL) {
        return NULL;
    }
    if (offset != Py_None) {
        ouro_offset_text(zone, sizeof zone, offset);
    }
    Py_DECREF(offset);
    ouro_clock_text(clock, sizeof clock, clock_of_datetime(op));
    return PyUnicode_FromFormat("%04d-%02d-%02d%c%s%s", PyDateTime_GET_YEAR(op),
                                PyDateTime_GET_MONTH(op), PyDateTime_GET_DAY(op), between,
                                clock, zone);
}

static PyObject *
datetime_isoformat(PyObject *op, PyObject *args)
{
    int between = 'T';
    return PyArg_ParseTuple(args, "|C:isoformat", &between) ? datetime_text(op, between)
                                                            : NULL;
}

static PyObject *
datetime_str(PyObject *op)
{
    return datetime_text(op, ' ');
}

static PyObject *
datetime_repr(PyObject *op)
{
    struct ouro_clock c = clock_of_datetime(op);
    char numbers[80];
    int used =
        snprintf(numbers, sizeof numbers, "%d, %d, %d, %d, %d", PyDateTime_GET_YEAR(op),
                 PyDateTime_GET_MONTH(op), PyDateTime_GET_DAY(op), c.hour, c.minute);
    if (c.second != 0 || c.microsecond != 0) {
        used += snprintf(numbers + used, sizeof numbers - (size_t)used, ", %d", c.second);
    }
    if (c.microsecond != 0) {
        snprintf(numbers + used, sizeof numbers - (size_t)used, ", %d", c.microsecond);
    }
    return datetime_of(op)->hastzinfo
               ? PyUnicode_FromFormat("%s(%s, tzinfo=%R)", Py_TYPE(op)->tp_name, numbers,
                                      datetime_of(op)->tzinfo)
               : PyUnicode_FromFormat("%s(%s)", Py_TYPE(op)->tp_name, numbers);
}

/* --- comparing, arithmetic ------------------------------------------------------------------------------ */

/* Both in UTC, or both without a zone: 1. 0 when only one has a zone; -1 with an exception. */
static int
bring_together(PyObject *a, PyObject *b, int64_t *left, int64_t *right)
{
    bool left_aware, right_aware;
    if (!seconds_in_utc(a, left, &left_aware) ||
        !seconds_in_utc(b, right, &right_aware)) {
        return -1;
    }
    return left_aware == right_aware;
}

static PyObject *
datetime_richcompare(PyObject *a, PyObject *b, int op)
{
    int64_t left, right;
    if (!PyObject_TypeCheck(b, &ouro_datetime_type)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    int alike = bring_together(a, b, &left, &right);
    if (alike < 0) {
        return NULL;
    }
    if (!alike && (op == Py_EQ || op == Py_NE)) {
        return PyBool_FromLong(op == Py_NE);
    }
    if (!alike) {
        PyErr_SetString(PyExc_TypeError,
                        "can't compare offset-naive and offset-aware datetimes");
        return NULL;
    }
    if (left == right) {
        left = PyDateTime_DATE_GET_MICROSECOND(a);
        right = PyDateTime_DATE_GET_MICROSECOND(b);
    }
    Py_RETURN_RICHCOMPARE(left, right, op);
}

static Py_hash_t
datetime_hash(PyObject *op)
{
    int64_t fields[2] = {0, PyDateTime_DATE_GET_MICROSECOND(op)};
    bool aware;
    return seconds_in_utc(op, &fields[0], &aware) ? Py_HashBuffer(fields, sizeof fields)
                                                  : -1;
}

static PyObject *
datetime_plus(PyObject *op, PyObject *delta, int sign)
{
    int64_t seconds = seconds_of_datetime(op) + sign * ouro_delta_seconds(delta);
    int micro = PyDateTime_DATE_GET_MICROSECOND(op) +
                sign * PyDateTime_DELTA_GET_MICROSECONDS(delta);
    seconds += micro >= 1000000 ? 1 : micro < 0 ? -1 : 0;
    micro -= micro >= 1000000 ? 1000000 : micro < 0 ? -1000000 : 0;
    return datetime_at(seconds, micro, datetime_of(op)->tzinfo, Py_TYPE(op));
}

static PyObject *
datetime_add(PyObject *a, PyObject *b)
{
    bool forward = PyObject_TypeCheck(a, &ouro_datetime_type);
    PyObject *when = forward ? a : b, *delta = forward ? b : a;
    if (!PyObject_TypeCheck(delta, &ouro_delta_type)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    return datetime_plus(when, delta, 1);
}

static PyObject *
datetime_difference(PyObject *a, PyObject *b)
{
    int64_t left, right;
    int alike = bring_together(a, b, &left, &right);
    if (alike <= 0) {
        if (alike == 0) {
            PyErr_SetString(PyExc_TypeError,
                            "can't subtract offset-naive and offset-aware datetimes");
        }
        return NULL;
    }
    int64_t seconds = left - right;
    return ouro_delta_new(
        (int)(seconds / OURO_DAY_SECONDS), (int)(seconds % OURO_DAY_SECONDS),
        PyDateTime_DATE_GET_MICROSECOND(a) - PyDateTime_DATE_GET_MICROSECOND(b), 1,
        &ouro_delta_type);
}

static PyObject *
datetime_subtract(PyObject *a, PyObject *b)
{
    if (!PyObject_TypeCheck(a, &ouro_datetime_type)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    if (PyObject_TypeCheck(b, &ouro_delta_type)) {
        return datetime_plus(a, b, -1);
    }
    if (PyObject_TypeCheck(b, &ouro_datetime_type)) {
        return datetime_difference(a, b);
    }
    Py_RETURN_NOTIMPLEMENTED;
}

/* --- the type ------------------------------------------------------------------------------------------- */

static PyObject *
datetime_get_microsecond(PyObject *op, void *Py_UNUSED(closure))
{
    return PyLong_FromLong(PyDateTime_DATE_GET_MICROSECOND(op));
}

static PyNumberMethods datetime_as_number = {.nb_add = datetime_add,
                                             .nb_subtract = datetime_subtract};

#define OURO_DATETIME_KEYWORDS(function)                                                 \
    (PyCFunction)(void (*)(void))(function), METH_VARARGS | METH_KEYWORDS | METH_CLASS

static PyMethodDef datetime_methods[] = {
    {"fromtimestamp", OURO_DATETIME_KEYWORDS(ouro_datetime_from_timestamp),
     "A number of seconds since 1970, as local time or in a time zone."},
    {"now", OURO_DATETIME_KEYWORDS(datetime_now),
     "The time now, local or in a time zone."},
    {"timestamp", datetime_timestamp, METH_NOARGS, "Seconds since 1970."},
    {"date", datetime_date, METH_NOARGS, "The date."},
    {"time", datetime_time, METH_NOARGS, "The time of day, without the time zone."},
    {"utcoffset", datetime_utcoffset, METH_NOARGS, "How far east of UTC, or None."},
    {"isoformat", datetime_isoformat, METH_VARARGS,
     "isoformat(sep='T'): YYYY-MM-DDTHH:MM:SS[.ffffff][+HH:MM]."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef datetime_attributes[] = {
    {"microsecond", datetime_get_microsecond, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef datetime_members[] = {
    {"hour", Py_T_UBYTE, offsetof(PyDateTime_DateTime, data) + 4, Py_READONLY, NULL},
    {"minute", Py_T_UBYTE, offsetof(PyDateTime_DateTime, data) + 5, Py_READONLY, NULL},
    {"second", Py_T_UBYTE, offsetof(PyDateTime_DateTime, data) + 6, Py_READONLY, NULL},
    {"fold", Py_T_UBYTE, offsetof(PyDateTime_DateTime, fold), Py_READONLY, NULL},
    {"tzinfo", _Py_T_OBJECT, offsetof(PyDateTime_DateTime, tzinfo), Py_READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

PyTypeObject ouro_datetime_type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "datetime.datetime",
    .tp_basicsize = sizeof(PyDateTime_DateTime),
    .tp_dealloc = datetime_dealloc,
    .tp_repr = datetime_repr,
    .tp_as_number = &datetime_as_number,
    .tp_hash = datetime_hash,
    .tp_str = datetime_str,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_doc = "A date and a time of day.",
    .tp_richcompare = datetime_richcompare,
    .tp_methods = datetime_methods,
    .tp_members = datetime_members,
    .tp_getset = datetime_attributes,
    .tp_base = &ouro_date_type,
    .tp_new = datetime_make,
};
