/* SPDX-License-Identifier: MIT */
/* The methods of str about upper and lower case, and about kinds of characters. */
#include "str_methods.h"

#include "str_character.h"

/* --- changing the case ---------------------------------------------------------------------------------- */

static int
write_cased(PyUnicodeWriter *writer, Py_UCS4 ch, ouro_case_function function)
{
    Py_UCS4 to[3];
    return PyUnicodeWriter_WriteUCS4(writer, to, function(ch, to));
}

/* A capital sigma has another lower case at the end of a word: behind a cased character
 * and not in front of one, looking through ignorable ones. */
static bool
sigma_is_final(const struct str_reader *r, Py_ssize_t index)
{
    Py_ssize_t before = index - 1, behind = index + 1;
    while (before >= 0 && ouro_char_is_ignorable(ouro_str_at(r, before))) {
        before--;
    }
    while (behind < r->length && ouro_char_is_ignorable(ouro_str_at(r, behind))) {
        behind++;
    }
    return before >= 0 && ouro_char_is_cased(ouro_str_at(r, before)) &&
           (behind == r->length || !ouro_char_is_cased(ouro_str_at(r, behind)));
}

#define CAPITAL_SIGMA 0x3A3
#define FINAL_SIGMA   0x3C2

/* Write the character at an index in lower case. */
static int
write_lower(PyUnicodeWriter *writer, const struct str_reader *r, Py_ssize_t index)
{
    Py_UCS4 ch = ouro_str_at(r, index);
    if (ch == CAPITAL_SIGMA && sigma_is_final(r, index)) {
        return PyUnicodeWriter_WriteChar(writer, FINAL_SIGMA);
    }
    return write_cased(writer, ch, ouro_char_lower);
}

/* How one character is written, given whether the one before it is cased. */
typedef int (*case_writer)(PyUnicodeWriter *writer, const struct str_reader *r,
                           Py_ssize_t index, bool after_cased);

static PyObject *
change_case(PyObject *self, case_writer write)
{
    struct str_reader r = ouro_str_reader(self);
    PyUnicodeWriter *writer = PyUnicodeWriter_Create(r.length);
    if (writer == NULL) {
        return NULL;
    }
    bool after_cased = false;
    for (Py_ssize_t i = 0; i < r.length; i++) {
        if (write(writer, &r, i, after_cased) < 0) {
            PyUnicodeWriter_Discard(writer);
            return NULL;
        }
        after_cased = ouro_char_is_cased(ouro_str_at(&r, i));
    }
    return PyUnicodeWriter_Finish(writer);
}

static int
write_in_upper(PyUnicodeWriter *writer, const struct str_reader *r, Py_ssize_t index,
               bool Py_UNUSED(after_cased))
{
    return write_cased(writer, ouro_str_at(r, index), ouro_char_upper);
}

static int
write_in_lower(PyUnicodeWriter *writer, const struct str_reader *r, Py_ssize_t index,
               bool Py_UNUSED(after_cased))
{
    return write_lower(writer, r, index);
}

static int
write_folded(PyUnicodeWriter *writer, const struct str_reader *r, Py_ssize_t index,
             bool Py_UNUSED(after_cased))
{
    return write_cased(writer, ouro_str_at(r, index), ouro_char_fold);
}

static int
write_swapped(PyUnicodeWriter *writer, const struct str_reader *r, Py_ssize_t index,
              bool Py_UNUSED(after_cased))
{
    Py_UCS4 ch = ouro_str_at(r, index);
    if (Py_UNICODE_ISUPPER(ch)) {
        return write_lower(writer, r, index);
    }
    return Py_UNICODE_ISLOWER(ch) ? write_cased(writer, ch, ouro_char_upper)
                                  : PyUnicodeWriter_WriteChar(writer, ch);
}

static int
write_in_title(PyUnicodeWriter *writer, const struct str_reader *r, Py_ssize_t index,
               bool after_cased)
{
    return after_cased ? write_lower(writer, r, index)
                       : write_cased(writer, ouro_str_at(r, index), ouro_char_title);
}

static int
write_capitalized(PyUnicodeWriter *writer, const struct str_reader *r, Py_ssize_t index,
                  bool Py_UNUSED(after_cased))
{
    return index > 0 ? write_lower(writer, r, index)
                     : write_cased(writer, ouro_str_at(r, index), ouro_char_title);
}

PyObject *
ouro_str_upper(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return change_case(self, write_in_upper);
}

PyObject *
ouro_str_lower(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return change_case(self, write_in_lower);
}

PyObject *
ouro_str_casefold(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return change_case(self, write_folded);
}

PyObject *
ouro_str_swapcase(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return change_case(self, write_swapped);
}

PyObject *
ouro_str_title(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return change_case(self, write_in_title);
}

PyObject *
ouro_str_capitalize(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return change_case(self, write_capitalized);
}

/* --- questions about every character --------------------------------------------------------------------- */

static PyObject *
all_characters(PyObject *self, int (*question)(Py_UCS4), bool when_empty)
{
    struct str_reader r = ouro_str_reader(self);
    for (Py_ssize_t i = 0; i < r.length; i++) {
        if (!question(ouro_str_at(&r, i))) {
            Py_RETURN_FALSE;
        }
    }
    return PyBool_FromLong(r.length > 0 || when_empty);
}

static int
character_is_alnum(Py_UCS4 ch)
{
    return Py_UNICODE_ISALNUM(ch);
}

PyObject *
ouro_str_isalpha(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return all_characters(self, _PyUnicode_IsAlpha, false);
}

PyObject *
ouro_str_isalnum(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return all_characters(self, character_is_alnum, false);
}

PyObject *
ouro_str_isascii(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return PyBool_FromLong(PyUnicode_IS_ASCII(self));
}

PyObject *
ouro_str_isdecimal(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return all_characters(self, _PyUnicode_IsDecimalDigit, false);
}

PyObject *
ouro_str_isdigit(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return all_characters(self, _PyUnicode_IsDigit, false);
}

PyObject *
ouro_str_isnumeric(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return all_characters(self, _PyUnicode_IsNumeric, false);
}

PyObject *
ouro_str_isprintable(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return all_characters(self, _PyUnicode_IsPrintable, true);
}

PyObject *
ouro_str_isspace(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return all_characters(self, _PyUnicode_IsWhitespace, false);
}

/* --- questions about case ------------------------------------------------------------------------------------ */

/* Is there a character in this case, and none in another? */
static PyObject *
one_case_only(PyObject *self, int (*wanted)(Py_UCS4), int (*other)(Py_UCS4))
{
    struct str_reader r = ouro_str_reader(self);
    bool found = false;
    for (Py_ssize_t i = 0; i < r.length; i++) {
        Py_UCS4 ch = ouro_str_at(&r, i);
        if (other(ch) || Py_UNICODE_ISTITLE(ch)) {
            Py_RETURN_FALSE;
        }
        found = found || wanted(ch);
    }
    return PyBool_FromLong(found);
}

PyObject *
ouro_str_islower(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return one_case_only(self, _PyUnicode_IsLowercase, _PyUnicode_IsUppercase);
}

PyObject *
ouro_str_isupper(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return one_case_only(self, _PyUnicode_IsUppercase, _PyUnicode_IsLowercase);
}

/* Upper or title case begins a word, lower case goes on. */
PyObject *
ouro_str_istitle(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    struct str_reader r = ouro_str_reader(self);
    bool found = false, inside = false;
    for (Py_ssize_t i = 0; i < r.length; i++) {
        Py_UCS4 ch = ouro_str_at(&r, i);
        bool begins = Py_UNICODE_ISUPPER(ch) || Py_UNICODE_ISTITLE(ch);
        bool goes_on = !begins && Py_UNICODE_ISLOWER(ch);
        if ((begins && inside) || (goes_on && !inside)) {
            Py_RETURN_FALSE;
        }
        inside = begins || goes_on;
        found = found || inside;
    }
    return PyBool_FromLong(found);
}

/* --- names ------------------------------------------------------------------------------------------------------ */

int
PyUnicode_IsIdentifier(PyObject *unicode)
{
    struct str_reader r = ouro_str_reader(unicode);
    if (r.length == 0 || !ouro_char_starts_identifier(ouro_str_at(&r, 0))) {
        return 0;
    }
    for (Py_ssize_t i = 1; i < r.length; i++) {
        if (!ouro_char_continues_identifier(ouro_str_at(&r, i))) {
            return 0;
        }
    }
    return 1;
}

PyObject *
ouro_str_isidentifier(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return PyBool_FromLong(PyUnicode_IsIdentifier(self));
}
