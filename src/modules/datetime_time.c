/* SPDX-License-Identifier: MIT */
/* time: a time of day, with or without a time zone. */
#include "datetime_types.h"

/* --- clocks -------------------------------------------------------------------------------- */

bool
ouro_clock_check(struct ouro_clock clock, int fold)
{
    if (clock.hour < 0 || clock.hour > 23) {
        PyErr_Format(PyExc_ValueError, "hour must be in 0..23, not %d", clock.hour);
    } else if (clock.minute < 0 || clock.minute > 59) {
        PyErr_Format(PyExc_ValueError, "minute must be in 0..59, not %d", clock.minute);
    } else if (clock.second < 0 || clock.second > 59) {
        PyErr_Format(PyExc_ValueError, "second must be in 0..59, not %d", clock.second);
    } else if (clock.microsecond < 0 || clock.microsecond > 999999) {
        PyErr_Format(PyExc_ValueError, "microsecond must be in 0..999999, not %d",
                     clock.microsecond);
    } else if (fold != 0 && fold != 1) {
        PyErr_Format(PyExc_ValueError, "fold must be either 0 or 1, not %d", fold);
    } else {
        return true;
    }
    return false;
}

void
ouro_clock_store(unsigned char *data, struct ouro_clock clock)
{
    data[0] = (unsigned char)clock.hour;
    data[1] = (unsigned char)clock.minute;
    data[2] = (unsigned char)clock.second;
    data[3] = (unsigned char)(clock.microsecond >> 16);
    data[4] = (unsigned char)(clock.microsecond >> 8);
    data[5] = (unsigned char)clock.microsecond;
}

void
ouro_clock_text(char *text, size_t size, struct ouro_clock clock)
{
    int used =
        snprintf(text, size, "%02d:%02d:%02d", clock.hour, clock.minute, clock.second);
    if (clock.microsecond != 0) {
        snprintf(text + used, size - (size_t)used, ".%06d", clock.microsecond);
    }
}

/* --- time ---------------------------------------------------------------------------------- */

static PyDateTime_Time *
time_of(PyObject *op)
{
    return (PyDateTime_Time *)op;
}

static struct ouro_clock
clock_of_time(PyObject *op)
{
    return (struct ouro_clock){
        PyDateTime_TIME_GET_HOUR(op), PyDateTime_TIME_GET_MINUTE(op),
        PyDateTime_TIME_GET_SECOND(op), PyDateTime_TIME_GET_MICROSECOND(op)};
}

PyObject *
ouro_time_new(int hour, int minute, int second, int microsecond, PyObject *tzinfo,
              int fold, PyTypeObject *type)
{
    struct ouro_clock clock = {hour, minute, second, microsecond};
    if (!ouro_clock_check(clock, fold) || !ouro_tzinfo_check(tzinfo)) {
        return NULL;
    }
    PyObject *op = type->tp_alloc(type, 0);
    if (op != NULL) {
        time_of(op)->hashcode = -1;
        time_of(op)->hastzinfo = tzinfo != Py_None;
        time_of(op)->fold = (unsigned char)fold;
        time_of(op)->tzinfo = Py_NewRef(tzinfo);
        ouro_clock_store(time_of(op)->data, clock);
    }
    return op;
}

static PyObject *
time_make(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"hour",   "minute", "second", "microsecond",
                            "tzinfo", "fold",   NULL};
    int hour = 0, minute = 0, second = 0, microsecond = 0, fold = 0;
    PyObject *tzinfo = Py_None;
    return PyArg_ParseTupleAndKeywords(args, kwargs, "|iiiiO$i:time", names, &hour,
                                       &minute, &second, &microsecond, &tzinfo, &fold)
               ? ouro_time_new(hour, minute, second, microsecond, tzinfo, fold, type)
               : NULL;
}

static void
time_dealloc(PyObject *op)
{
    Py_XDECREF(time_of(op)->tzinfo);
    Py_TYPE(op)->tp_free(op);
}

static PyObject *
time_utcoffset(PyObject *op, PyObject *Py_UNUSED(ignored))
{
    return ouro_tzinfo_offset(time_of(op)->tzinfo, Py_None);
}

static PyObject *
time_isoformat(PyObject *op, PyObject *Py_UNUSED(ignored))
{
    char clock[24], zone[16] = "";
    PyObject *offset = time_utcoffset(op, NULL);
    if (offset == NULL) {
        return NULL;
    }
    if (offset != Py_None) {
        ouro_offset_text(zone, sizeof zone, offset);
    }
    Py_DECREF(offset);
    ouro_clock_text(clock, sizeof clock, clock_of_time(op));
    return PyUnicode_FromFormat("%s%s", clock, zone);
}

static PyObject *
time_str(PyObject *op)
{
    return PyObject_CallMethod(op, "isoformat", NULL);
}

static PyObject *
time_repr(PyObject *op)
{
    struct ouro_clock c = clock_of_time(op);
    char numbers[40];
    int used = snprintf(numbers, sizeof numbers, "%d, %d", c.hour, c.minute);
    if (c.second != 0 || c.microsecond != 0) {
        used += snprintf(numbers + used, sizeof numbers - (size_t)used, ", %d", c.second);
    }
    if (c.microsecond != 0) {
        snprintf(numbers + used, sizeof numbers - (size_t)used, ", %d", c.microsecond);
    }
    return time_of(op)->hastzinfo
               ? PyUnicode_FromFormat("%s(%s, tzinfo=%R)", Py_TYPE(op)->tp_name, numbers,
                                      time_of(op)->tzinfo)
               : PyUnicode_FromFormat("%s(%s)", Py_TYPE(op)->tp_name, numbers);
}

/* Microseconds since midnight, less the offset from UTC. False with an exception; *aware
 * tells whether there is an offset. */
static bool
time_in_utc(PyObject *op, int64_t *microseconds, bool *aware)
{
    struct ouro_clock c = clock_of_time(op);
    PyObject *offset = time_utcoffset(op, NULL);
    if (offset == NULL) {
        return false;
    }
    int64_t seconds = c.hour * 3600 + c.minute * 60 + c.second;
    *aware = offset != Py_None;
    seconds -= *aware ? ouro_delta_seconds(offset) : 0;
    *microseconds = seconds * 1000000 + c.microsecond;
    Py_DECREF(offset);
    return true;
}

static PyObject *
time_richcompare(PyObject *a, PyObject *b, int op)
{
    int64_t left, right;
    bool left_aware, right_aware;
    if (!PyObject_TypeCheck(b, &ouro_time_type)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    if (!time_in_utc(a, &left, &left_aware) || !time_in_utc(b, &right, &right_aware)) {
        return NULL;
    }
    if (left_aware != right_aware && op != Py_EQ && op != Py_NE) {
        PyErr_SetString(PyExc_TypeError,
                        "can't compare offset-naive and offset-aware times");
        return NULL;
    }
    if (left_aware != right_aware) {
        return PyBool_FromLong(op == Py_NE);
    }
    Py_RETURN_RICHCOMPARE(left, right, op);
}

static Py_hash_t
time_hash(PyObject *op)
{
    int64_t microseconds;
    bool aware;
    return time_in_utc(op, &microseconds, &aware)
               ? Py_HashBuffer(&microseconds, sizeof microseconds)
               : -1;
}

static PyObject *
time_get_microsecond(PyObject *op, void *Py_UNUSED(closure))
{
    return PyLong_FromLong(PyDateTime_TIME_GET_MICROSECOND(op));
}

static PyMethodDef time_methods[] = {
    {"isoformat", time_isoformat, METH_NOARGS, "HH:MM:SS[.ffffff][+HH:MM]."},
    {"utcoffset", time_utcoffset, METH_NOARGS, "How far east of UTC, or None."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef time_attributes[] = {
    {"microsecond", time_get_microsecond, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMemberDef time_members[] = {
    {"hour", Py_T_UBYTE, offsetof(PyDateTime_Time, data), Py_READONLY, NULL},
    {"minute", Py_T_UBYTE, offsetof(PyDateTime_Time, data) + 1, Py_READONLY, NULL},
    {"second", Py_T_UBYTE, offsetof(PyDateTime_Time, data) + 2, Py_READONLY, NULL},
    {"fold", Py_T_UBYTE, offsetof(PyDateTime_Time, fold), Py_READONLY, NULL},
    {"tzinfo", _Py_T_OBJECT, offsetof(PyDateTime_Time, tzinfo), Py_READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

PyTypeObject ouro_time_type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "datetime.time",
    .tp_basicsize = sizeof(PyDateTime_Time),
    .tp_dealloc = time_dealloc,
    .tp_repr = time_repr,
    .tp_hash = time_hash,
    .tp_str = time_str,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_doc = "A time of day.",
    .tp_richcompare = time_richcompare,
    .tp_methods = time_methods,
    .tp_members = time_members,
    .tp_getset = time_attributes,
    .tp_new = time_make,
};
