/* SPDX-License-Identifier: MIT */
/* complex from text and to text. */
#include "complex_object.h"

#include "str_character.h"

/* --- to text ------------------------------------------------------------------------------------------ */

PyObject *
ouro_complex_repr(PyObject *self)
{
    Py_complex v = OURO_COMPLEX(self);
    /* Minus zero is written: otherwise its sign would be lost. */
    bool imaginary = v.real == 0.0 && !signbit(v.real);
    char *real = PyOS_double_to_string(v.real, 'r', 0, 0, NULL);
    char *imag =
        PyOS_double_to_string(v.imag, 'r', 0, imaginary ? 0 : Py_DTSF_SIGN, NULL);
    PyObject *result = NULL;
    if (real != NULL && imag != NULL) {
        result = imaginary ? PyUnicode_FromFormat("%sj", imag)
                           : PyUnicode_FromFormat("(%s%sj)", real, imag);
    }
    PyMem_Free(real);
    PyMem_Free(imag);
    return result;
}

/* --- from text ------------------------------------------------------------------------------------------ */

/* A number, or nothing but a sign in front of a j, which stands for 1; *p is moved behind
 * it. False when there is neither. */
static bool
read_complex_part(const char **p, double *value)
{
    char *end;
    double number = PyOS_string_to_double(*p, &end, NULL);
    if (end != *p) {
        *value = number;
        *p = end;
        return true;
    }
    if (!PyErr_ExceptionMatches(PyExc_ValueError)) {
        return false; /* out of memory */
    }
    PyErr_Clear();
    *value = **p == '-' ? -1.0 : 1.0;
    *p += **p == '+' || **p == '-';
    return **p == 'j' || **p == 'J';
}

/* "1", "2j", "1+2j": true when `p` is that up to its end. */
static bool
read_complex(const char *p, const char *end, Py_complex *value)
{
    double number;
    if (!read_complex_part(&p, &number)) {
        return false;
    }
    if (*p == 'j' || *p == 'J') {
        value->imag = number;
        return p + 1 == end;
    }
    value->real = number;
    if (p == end) {
        return true;
    }
    return (*p == '+' || *p == '-') && read_complex_part(&p, &value->imag) &&
           (*p == 'j' || *p == 'J') && p + 1 == end;
}

static const char *
skip_number_blanks(const char *p)
{
    return p + strspn(p, " \t\n\v\f\r");
}

bool
ouro_complex_parse(PyObject *str, Py_complex *value)
{
    Py_ssize_t size;
    PyObject *plain = ouro_str_number_text(str);
    if (plain == NULL) {
        return false;
    }
    const char *text = PyUnicode_AsUTF8AndSize(plain, &size);
    bool has_nul = strlen(text) != (size_t)size;
    char *copy = PyMem_Malloc((size_t)size + 1);
    if (copy == NULL) {
        Py_DECREF(plain);
        PyErr_NoMemory();
        return false;
    }
    memcpy(copy, text, (size_t)size + 1);
    Py_DECREF(plain);
    char *end = copy + size;
    const char *p = skip_number_blanks(copy);
    while (end > p && *skip_number_blanks(end - 1) == '\0') {
        *--end = '\0';
    }
    if (*p == '(' && end > p && end[-1] == ')') {
        p = skip_number_blanks(p + 1);
        *--end = '\0';
        while (end > p && *skip_number_blanks(end - 1) == '\0') {
            *--end = '\0';
        }
    }
    *value = (Py_complex){0.0, 0.0};
    bool valid = !has_nul && read_complex(p, end, value);
    PyMem_Free(copy);
    if (!valid && !PyErr_Occurred()) {
        PyErr_SetString(PyExc_ValueError, "complex() arg is a malformed string");
    }
    return valid;
}
