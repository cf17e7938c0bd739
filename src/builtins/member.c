/* SPDX-License-Identifier: MIT */
/* Reading and writing the fields that PyMemberDef tables describe.
 *
 * Numbers are copied with memcpy: the table may describe a packed structure. */
#include <Python.h>

#include <assert.h>
#include <stdbool.h>

/* Read the field at `place` into a variable of its C type and make an object of it. */
#define OURO_READ_FIELD(ctype, make)                                                     \
    do {                                                                                 \
        ctype field;                                                                     \
        memcpy(&field, place, sizeof(field));                                            \
        return make(field);                                                              \
    } while (0)

static PyObject *
float_of(float value)
{
    return PyFloat_FromDouble((double)value);
}

static PyObject *
bool_of(char value)
{
    return PyBool_FromLong(value);
}

static PyObject *
str_of(const char *text)
{
    return text == NULL ? Py_NewRef(Py_None) : PyUnicode_FromString(text);
}

static PyObject *
str_of_char(char value)
{
    return PyUnicode_DecodeLatin1(&value, 1, NULL);
}

/* The field of an object kind. */
static PyObject **
object_place(const char *addr, const PyMemberDef *member)
{
    return (PyObject **)(uintptr_t)(addr + member->offset);
}

static PyObject *
object_or_none(const char *addr, const PyMemberDef *member)
{
    PyObject *value = *object_place(addr, member);
    return Py_NewRef(value == NULL ? Py_None : value);
}

/* The object in a Py_T_OBJECT_EX field; AttributeError when there is none. */
static PyObject *
object_or_error(const char *addr, const PyMemberDef *member)
{
    PyObject *value = *object_place(addr, member);
    if (value == NULL) {
        return PyErr_Format(PyExc_AttributeError, "'%T' object has no attribute '%s'",
                            (const PyObject *)(const void *)addr, member->name);
    }
    return Py_NewRef(value);
}

PyObject *
PyMember_GetOne(const char *addr, PyMemberDef *member)
{
    if (member->flags & Py_RELATIVE_OFFSET) {
        PyErr_SetString(PyExc_SystemError,
                        "PyMember_GetOne used with Py_RELATIVE_OFFSET");
        return NULL;
    }
    const char *place = addr + member->offset;
    switch (member->type) {
    case Py_T_BOOL:
        OURO_READ_FIELD(char, bool_of);
    case Py_T_BYTE:
        OURO_READ_FIELD(signed char, PyLong_FromLong);
    case Py_T_UBYTE:
        OURO_READ_FIELD(unsigned char, PyLong_FromUnsignedLong);
    case Py_T_SHORT:
        OURO_READ_FIELD(short, PyLong_FromLong);
    case Py_T_USHORT:
        OURO_READ_FIELD(unsigned short, PyLong_FromUnsignedLong);
    case Py_T_INT:
        OURO_READ_FIELD(int, PyLong_FromLong);
    case Py_T_UINT:
        OURO_READ_FIELD(unsigned int, PyLong_FromUnsignedLong);
    case Py_T_LONG:
        OURO_READ_FIELD(long, PyLong_FromLong);
    case Py_T_ULONG:
        OURO_READ_FIELD(unsigned long, PyLong_FromUnsignedLong);
    case Py_T_LONGLONG:
        OURO_READ_FIELD(long long, PyLong_FromLongLong);
    case Py_T_ULONGLONG:
        OURO_READ_FIELD(unsigned long long, PyLong_FromUnsignedLongLong);
    case Py_T_PYSSIZET:
        OURO_READ_FIELD(Py_ssize_t, PyLong_FromSsize_t);
    case Py_T_FLOAT:
        OURO_READ_FIELD(float, float_of);
    case Py_T_DOUBLE:
        OURO_READ_FIELD(double, PyFloat_FromDouble);
    case Py_T_CHAR:
        OURO_READ_FIELD(char, str_of_char);
    case Py_T_STRING:
        OURO_READ_FIELD(const char *, str_of);
    case Py_T_STRING_INPLACE:
        return PyUnicode_FromString(place);
    case _Py_T_OBJECT:
        return object_or_none(addr, member);
    case Py_T_OBJECT_EX:
        return object_or_error(addr, member);
    case _Py_T_NONE:
        return Py_NewRef(Py_None);
    default:
        return PyErr_Format(PyExc_SystemError, "bad memberdescr type for %s",
                            member->name);
    }
}

/* --- writing --------------------------------------------------------------------------------- */

static bool
is_object_kind(int kind)
{
    return kind == _Py_T_OBJECT || kind == Py_T_OBJECT_EX;
}

static int
delete_member(char *addr, PyMemberDef *member)
{
    if (!is_object_kind(member->type)) {
        PyErr_SetString(PyExc_TypeError, "can't delete numeric/char attribute");
        return -1;
    }
    PyObject **place = object_place(addr, member);
    if (*place == NULL && member->type == Py_T_OBJECT_EX) {
        PyErr_SetString(PyExc_AttributeError, member->name);
        return -1;
    }
    Py_CLEAR(*place);
    return 0;
}

static int
raise_readonly(void)
{
    PyErr_SetString(PyExc_AttributeError, "readonly attribute");
    return -1;
}

static int
warn_about_cut(const char *name)
{
    return PyErr_WarnFormat(PyExc_RuntimeWarning, 1, "Truncation of value to %s", name);
}

/* Store an integer in a field that is narrower than a long, cutting what does not fit, with
 * a warning. */
#define OURO_WRITE_NARROW(ctype, name)                                                   \
    do {                                                                                 \
        long number = PyLong_AsLong(value);                                              \
        if (number == -1 && PyErr_Occurred()) {                                          \
            return -1;                                                                   \
        }                                                                                \
        ctype field = (ctype)number;                                                     \
        static_assert(sizeof(field) < sizeof(number), "a long has all its values");      \
        memcpy(place, &field, sizeof(field));                                            \
        return (long)field == number ? 0 : warn_about_cut(name);                         \
    } while (0)

/* Store the result of a conversion that says -1 with an exception. */
#define OURO_WRITE_EXACT(ctype, convert)                                                 \
    do {                                                                                 \
        ctype field = (ctype)convert(value);                                             \
        if (field == (ctype)-1 && PyErr_Occurred()) {                                    \
            return -1;                                                                   \
        }                                                                                \
        memcpy(place, &field, sizeof(field));                                            \
        return 0;                                                                        \
    } while (0)

/* An unsigned 64-bit field. A negative number is stored modulo 2^64, with a warning. */
static int
write_unsigned_64(char *place, PyObject *value, const char *name)
{
    PyObject *number = PyNumber_Index(value);
    if (number == NULL) {
        return -1;
    }
    int result = -1;
    bool negative = PyLong_IsNegative(number) > 0;
    uint64_t field = negative ? (uint64_t)PyLong_AsLongLong(number)
                              : (uint64_t)PyLong_AsUnsignedLongLong(number);
    if (field != UINT64_MAX || !PyErr_Occurred()) {
        memcpy(place, &field, sizeof(field));
        result = negative ? PyErr_WarnFormat(PyExc_RuntimeWarning, 1,
                                             "Writing negative value into unsigned field "
                                             "(%s)",
                                             name)
                          : 0;
    }
    Py_DECREF(number);
    return result;
}

static int
write_bool(char *place, PyObject *value)
{
    if (!PyBool_Check(value)) {
        PyErr_SetString(PyExc_TypeError, "attribute value type must be bool");
        return -1;
    }
    *place = value == Py_True;
    return 0;
}

static int
write_char(char *place, PyObject *value)
{
    Py_ssize_t size;
    const char *text = PyUnicode_AsUTF8AndSize(value, &size);
    if (text == NULL || size != 1) {
        PyErr_BadArgument();
        return -1;
    }
    *place = *text;
    return 0;
}

int
PyMember_SetOne(char *addr, PyMemberDef *member, PyObject *value)
{
    if (member->flags & Py_RELATIVE_OFFSET) {
        PyErr_SetString(PyExc_SystemError,
                        "PyMember_SetOne used with Py_RELATIVE_OFFSET");
        return -1;
    }
    if (member->flags & Py_READONLY) {
        return raise_readonly();
    }
    if (value == NULL) {
        return delete_member(addr, member);
    }
    char *place = addr + member->offset;
    switch (member->type) {
    case Py_T_BOOL:
        return write_bool(place, value);
    case Py_T_BYTE:
        OURO_WRITE_NARROW(signed char, "char");
    case Py_T_UBYTE:
        OURO_WRITE_NARROW(unsigned char, "unsigned char");
    case Py_T_SHORT:
        OURO_WRITE_NARROW(short, "short");
    case Py_T_USHORT:
        OURO_WRITE_NARROW(unsigned short, "unsigned short");
    case Py_T_INT:
        OURO_WRITE_NARROW(int, "int");
    case Py_T_UINT:
        OURO_WRITE_NARROW(unsigned int, "unsigned int");
    case Py_T_LONG:
        OURO_WRITE_EXACT(long, PyLong_AsLong);
    case Py_T_LONGLONG:
        OURO_WRITE_EXACT(long long, PyLong_AsLongLong);
    case Py_T_ULONG:
    case Py_T_ULONGLONG:
        return write_unsigned_64(place, value, member->name);
    case Py_T_PYSSIZET:
        OURO_WRITE_EXACT(Py_ssize_t, PyLong_AsSsize_t);
    case Py_T_FLOAT:
        OURO_WRITE_EXACT(float, PyFloat_AsDouble);
    case Py_T_DOUBLE:
        OURO_WRITE_EXACT(double, PyFloat_AsDouble);
    case Py_T_CHAR:
        return write_char(place, value);
    case _Py_T_OBJECT:
    case Py_T_OBJECT_EX:
        Py_XSETREF(*object_place(addr, member), Py_NewRef(value));
        return 0;
    case Py_T_STRING:
    case Py_T_STRING_INPLACE:
    case _Py_T_NONE:
        PyErr_SetString(PyExc_TypeError, "readonly attribute");
        return -1;
    default:
        PyErr_Format(PyExc_SystemError, "bad memberdescr type for %s", member->name);
        return -1;
    }
}
