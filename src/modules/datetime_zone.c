/* SPDX-License-Identifier: MIT */
/* tzinfo, which says how far a time zone is from UTC, and timezone, whose distance is always
 * the same. */
#include "datetime_types.h"

/* --- tzinfo -------------------------------------------------------------------------------- */

static PyObject *
tzinfo_must_override(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(when))
{
    PyErr_SetString(PyExc_NotImplementedError,
                    "a tzinfo subclass must implement this method");
    return NULL;
}

static PyMethodDef tzinfo_methods[] = {
    {"utcoffset", tzinfo_must_override, METH_O, "datetime -> timedelta: east of UTC."},
    {"tzname", tzinfo_must_override, METH_O,
     "datetime -> str: the name of the time zone."},
    {"dst", tzinfo_must_override, METH_O, "datetime -> timedelta: what summer adds."},
    {NULL, NULL, 0, NULL},
};

PyTypeObject ouro_tzinfo_type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "datetime.tzinfo",
    .tp_basicsize = sizeof(PyDateTime_TZInfo),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_doc = "Information about a time zone.",
    .tp_methods = tzinfo_methods,
    .tp_new = PyType_GenericNew,
};

bool
ouro_tzinfo_check(PyObject *tzinfo)
{
    if (tzinfo == Py_None || PyObject_TypeCheck(tzinfo, &ouro_tzinfo_type)) {
        return true;
    }
    PyErr_Format(PyExc_TypeError,
                 "tzinfo argument must be None or of a tzinfo subclass, not type '%s'",
                 Py_TYPE(tzinfo)->tp_name);
    return false;
}

static bool
offset_is_in_range(PyObject *offset)
{
    int64_t seconds = ouro_delta_seconds(offset);
    if (seconds > -OURO_DAY_SECONDS && seconds < OURO_DAY_SECONDS) {
        return true;
    }
    PyErr_Format(PyExc_ValueError,
                 "offset must be a timedelta strictly between -timedelta(hours=24) and "
                 "timedelta(hours=24), not %R",
                 offset);
    return false;
}

PyObject *
ouro_tzinfo_offset(PyObject *tzinfo, PyObject *when)
{
    if (tzinfo == Py_None) {
        Py_RETURN_NONE;
    }
    PyObject *offset = PyObject_CallMethod(tzinfo, "utcoffset", "(O)", when);
    if (offset != NULL && offset != Py_None) {
        if (!PyObject_TypeCheck(offset, &ouro_delta_type)) {
            PyErr_Format(
                PyExc_TypeError,
                "tzinfo.utcoffset() must return None or a timedelta, not '%.200s'",
                Py_TYPE(offset)->tp_name);
            Py_CLEAR(offset);
        } else if (!offset_is_in_range(offset)) {
            Py_CLEAR(offset);
        }
    }
    return offset;
}

void
ouro_offset_text(char *text, size_t size, PyObject *offset)
{
    int64_t seconds = ouro_delta_seconds(offset);
    unsigned far = (unsigned)(seconds < 0 ? -seconds : seconds);
    int used = snprintf(text, size, "%c%02u:%02u", seconds < 0 ? '-' : '+',
                        far / 3600 % 24, far / 60 % 60);
    if (far % 60 != 0) {
        snprintf(text + used, size - (size_t)used, ":%02u", far % 60);
    }
}

/* --- timezone ------------------------------------------------------------------------------------ */

struct timezone_object {
    PyObject_HEAD
    PyObject *offset; /* timedelta */
    PyObject *name;   /* str, or NULL */
};

static PyDateTime_Delta no_offset = {.ob_base = {{_Py_IMMORTAL_REFCNT}, &ouro_delta_type},
                                     .hashcode = -1};
static struct timezone_object utc = {
    .ob_base = {{_Py_IMMORTAL_REFCNT}, &ouro_timezone_type},
    .offset = (PyObject *)&no_offset,
};
PyObject *const ouro_timezone_utc = (PyObject *)&utc;

static struct timezone_object *
timezone_of(PyObject *op)
{
    return (struct timezone_object *)op;
}

PyObject *
ouro_timezone_new(PyObject *offset, PyObject *name)
{
    if (!PyObject_TypeCheck(offset, &ouro_delta_type)) {
        return PyErr_Format(PyExc_TypeError, "offset must be a timedelta, not %.200s",
                            Py_TYPE(offset)->tp_name);
    }
    if (!offset_is_in_range(offset)) {
        return NULL;
    }
    if (name == NULL && ouro_delta_seconds(offset) == 0 &&
        PyDateTime_DELTA_GET_MICROSECONDS(offset) == 0) {
        return Py_NewRef(ouro_timezone_utc);
    }
    PyObject *op = ouro_timezone_type.tp_alloc(&ouro_timezone_type, 0);
    if (op != NULL) {
        timezone_of(op)->offset = Py_NewRef(offset);
        timezone_of(op)->name = Py_XNewRef(name);
    }
    return op;
}

static PyObject *
timezone_make(PyTypeObject *Py_UNUSED(type), PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"offset", "name", NULL};
    PyObject *offset, *name = NULL;
    return PyArg_ParseTupleAndKeywords(args, kwargs, "O!|U:timezone", names,
                                       &ouro_delta_type, &offset, &name)
               ? ouro_timezone_new(offset, name)
               : NULL;
}

static void
timezone_dealloc(PyObject *op)
{
    Py_XDECREF(timezone_of(op)->offset);
    Py_XDECREF(timezone_of(op)->name);
    Py_TYPE(op)->tp_free(op);
}

static PyObject *
timezone_utcoffset(PyObject *op, PyObject *Py_UNUSED(when))
{
    return Py_NewRef(timezone_of(op)->offset);
}

static PyObject *
timezone_str(PyObject *op)
{
    char text[20];
    if (timezone_of(op)->name != NULL) {
        return Py_NewRef(timezone_of(op)->name);
    }
    ouro_offset_text(text, sizeof text, timezone_of(op)->offset);
    return op == ouro_timezone_utc ? PyUnicode_FromString("UTC")
                                   : PyUnicode_FromFormat("UTC%s", text);
}

static PyObject *
timezone_tzname(PyObject *op, PyObject *Py_UNUSED(when))
{
    return timezone_str(op);
}

static PyObject *
timezone_dst(PyObject *Py_UNUSED(op), PyObject *Py_UNUSED(when))
{
    Py_RETURN_NONE;
}

static PyObject *
timezone_repr(PyObject *op)
{
    if (op == ouro_timezone_utc) {
        return PyUnicode_FromString("datetime.timezone.utc");
    }
    return timezone_of(op)->name == NULL
               ? PyUnicode_FromFormat("datetime.timezone(%R)", timezone_of(op)->offset)
               : PyUnicode_FromFormat("datetime.timezone(%R, %R)",
                                      timezone_of(op)->offset, timezone_of(op)->name);
}

static PyObject *
timezone_richcompare(PyObject *a, PyObject *b, int op)
{
    if ((op != Py_EQ && op != Py_NE) || !PyObject_TypeCheck(b, &ouro_timezone_type)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    return PyObject_RichCompare(timezone_of(a)->offset, timezone_of(b)->offset, op);
}

static Py_hash_t
timezone_hash(PyObject *op)
{
    return PyObject_Hash(timezone_of(op)->offset);
}

static PyMethodDef timezone_methods[] = {
    {"utcoffset", timezone_utcoffset, METH_O, "The offset."},
    {"tzname", timezone_tzname, METH_O, "The name, or one made of the offset."},
    {"dst", timezone_dst, METH_O, "None."},
    {NULL, NULL, 0, NULL},
};

PyTypeObject ouro_timezone_type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "datetime.timezone",
    .tp_basicsize = sizeof(struct timezone_object),
    .tp_dealloc = timezone_dealloc,
    .tp_repr = timezone_repr,
    .tp_hash = timezone_hash,
    .tp_str = timezone_str,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "A fixed offset from UTC.",
    .tp_richcompare = timezone_richcompare,
    .tp_methods = timezone_methods,
    .tp_base = &ouro_tzinfo_type,
    .tp_new = timezone_make,
};
