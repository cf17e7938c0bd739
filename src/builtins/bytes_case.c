/* SPDX-License-Identifier: MIT */
/* The methods of bytes that see ASCII letters in them. */
#include "bytes_argument.h"

static bool
byte_is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool
byte_is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool
byte_is_alpha(char c)
{
    return byte_is_upper(c) || byte_is_lower(c);
}

static bool
byte_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool
byte_is_alnum(char c)
{
    return byte_is_alpha(c) || byte_is_digit(c);
}

static bool
byte_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* --- changing the case ---------------------------------------------------------------------------------- */

static char
byte_to_upper(char c)
{
    return byte_is_lower(c) ? (char)(c - 32) : c;
}

static char
byte_to_lower(char c)
{
    return byte_is_upper(c) ? (char)(c + 32) : c;
}

/* A copy in which `change` replaced each byte. It is told whether the byte is the first, and
 * whether a letter comes before it. */
static PyObject *
change_bytes(PyObject *self, char (*change)(char c, bool first, bool after_letter))
{
    Py_ssize_t size = PyBytes_GET_SIZE(self);
    const char *from = PyBytes_AS_STRING(self);
    PyObject *result = PyBytes_FromStringAndSize(NULL, size);
    for (Py_ssize_t i = 0; result != NULL && i < size; i++) {
        PyBytes_AS_STRING(result)[i] =
            change(from[i], i == 0, i > 0 && byte_is_alpha(from[i - 1]));
    }
    return result;
}

static char
change_to_upper(char c, bool Py_UNUSED(first), bool Py_UNUSED(after_letter))
{
    return byte_to_upper(c);
}

static char
change_to_lower(char c, bool Py_UNUSED(first), bool Py_UNUSED(after_letter))
{
    return byte_to_lower(c);
}

static char
change_to_other(char c, bool Py_UNUSED(first), bool Py_UNUSED(after_letter))
{
    return byte_is_upper(c) ? byte_to_lower(c) : byte_to_upper(c);
}

static char
change_to_capital(char c, bool first, bool Py_UNUSED(after_letter))
{
    return first ? byte_to_upper(c) : byte_to_lower(c);
}

static char
change_to_title(char c, bool Py_UNUSED(first), bool after_letter)
{
    return after_letter ? byte_to_lower(c) : byte_to_upper(c);
}

PyObject *
ouro_bytes_upper(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return change_bytes(self, change_to_upper);
}

PyObject *
ouro_bytes_lower(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return change_bytes(self, change_to_lower);
}

PyObject *
ouro_bytes_swapcase(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return change_bytes(self, change_to_other);
}

PyObject *
ouro_bytes_capitalize(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return change_bytes(self, change_to_capital);
}

PyObject *
ouro_bytes_title(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return change_bytes(self, change_to_title);
}

/* --- questions -------------------------------------------------------------------------------------------- */

static PyObject *
all_bytes(PyObject *self, bool (*question)(char))
{
    for (Py_ssize_t i = 0; i < PyBytes_GET_SIZE(self); i++) {
        if (!question(PyBytes_AS_STRING(self)[i])) {
            Py_RETURN_FALSE;
        }
    }
    return PyBool_FromLong(PyBytes_GET_SIZE(self) > 0);
}

PyObject *
ouro_bytes_isalnum(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return all_bytes(self, byte_is_alnum);
}

PyObject *
ouro_bytes_isalpha(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return all_bytes(self, byte_is_alpha);
}

PyObject *
ouro_bytes_isdigit(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return all_bytes(self, byte_is_digit);
}

PyObject *
ouro_bytes_isspace(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return all_bytes(self, byte_is_space);
}

PyObject *
ouro_bytes_isascii(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    for (Py_ssize_t i = 0; i < PyBytes_GET_SIZE(self); i++) {
        if ((unsigned char)PyBytes_AS_STRING(self)[i] >= 0x80) {
            Py_RETURN_FALSE;
        }
    }
    Py_RETURN_TRUE;
}

/* Is there a letter in this case, and none in the other? */
static PyObject *
one_letter_case(PyObject *self, bool (*wanted)(char), bool (*other)(char))
{
    bool found = false;
    for (Py_ssize_t i = 0; i < PyBytes_GET_SIZE(self); i++) {
        char c = PyBytes_AS_STRING(self)[i];
        if (other(c)) {
            Py_RETURN_FALSE;
        }
        found = found || wanted(c);
    }
    return PyBool_FromLong(found);
}

PyObject *
ouro_bytes_islower(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return one_letter_case(self, byte_is_lower, byte_is_upper);
}

PyObject *
ouro_bytes_isupper(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return one_letter_case(self, byte_is_upper, byte_is_lower);
}

PyObject *
ouro_bytes_istitle(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    bool found = false, inside = false;
    for (Py_ssize_t i = 0; i < PyBytes_GET_SIZE(self); i++) {
        char c = PyBytes_AS_STRING(self)[i];
        if ((byte_is_upper(c) && inside) || (byte_is_lower(c) && !inside)) {
            Py_RETURN_FALSE;
        }
        inside = byte_is_alpha(c);
        found = found || inside;
    }
    return PyBool_FromLong(found);
}

/* --- blanks ------------------------------------------------------------------------------------------------- */

static Py_ssize_t
byte_blank_at(const char *p, const char *Py_UNUSED(end))
{
    return byte_is_space(*p);
}

static Py_ssize_t
byte_blank_before(const char *p, const char *Py_UNUSED(start))
{
    return byte_is_space(p[-1]);
}

static Py_ssize_t
byte_line_end_at(const char *p, const char *end)
{
    return *p == '\n' ? 1 : *p != '\r' ? 0 : p + 1 < end && p[1] == '\n' ? 2 : 1;
}

const struct text_kind ouro_bytes_kind = {PyBytes_FromStringAndSize, byte_blank_at,
                                          byte_blank_before, byte_line_end_at};
