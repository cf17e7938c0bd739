/* SPDX-License-Identifier: MIT */
/* What a character is, and its upper and lower case: lookups in the tables of
 * unicode_data.h. */
#include "str_character.h"

#include "str_object.h"
#include "unicode_data.h"

/* --- looking up ------------------------------------------------------------------------------------ */

static const struct span *
find_span(const struct span *table, size_t count, Py_UCS4 ch)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (ch > table[middle].last) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && ch >= table[low].first ? &table[low] : NULL;
}

#define IN_SPANS(table, ch) (find_span((table), Py_ARRAY_LENGTH(table), (ch)) != NULL)

/* No two runs overlap. */
static bool
find_case_run(const struct case_run *table, size_t count, Py_UCS4 ch, Py_UCS4 *to)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (ch > table[middle].last) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == count || ch < table[low].first ||
        (ch - table[low].first) % (Py_UCS4)table[low].step != 0) {
        return false;
    }
    *to = (Py_UCS4)((int64_t)ch + table[low].delta);
    return true;
}

static int
find_case_many(const struct case_many *table, size_t count, Py_UCS4 ch, Py_UCS4 to[3])
{
    for (size_t i = 0; i < count && table[i].from <= ch; i++) {
        if (table[i].from == ch) {
            memcpy(to, table[i].to, sizeof table[i].to);
            return to[2] != 0 ? 3 : 2;
        }
    }
    return 0;
}

#define CASE_RUN(table, ch, to) find_case_run((table), Py_ARRAY_LENGTH(table), (ch), (to))
#define CASE_MANY(table, ch, to)                                                         \
    find_case_many((table), Py_ARRAY_LENGTH(table), (ch), (to))

/* --- upper and lower case ---------------------------------------------------------------------------- */

#define CAPITAL_I_WITH_DOT 0x130

int
ouro_char_upper(Py_UCS4 ch, Py_UCS4 to[3])
{
    if (ch < 0x80) {
        to[0] = ch >= 'a' && ch <= 'z' ? ch - 32 : ch;
        return 1;
    }
    int count = CASE_MANY(to_upper_many, ch, to);
    if (count == 0 && !CASE_RUN(to_upper, ch, to)) {
        to[0] = ch;
    }
    return count == 0 ? 1 : count;
}

int
ouro_char_lower(Py_UCS4 ch, Py_UCS4 to[3])
{
    if (ch < 0x80) {
        to[0] = ch >= 'A' && ch <= 'Z' ? ch + 32 : ch;
        return 1;
    }
    if (ch == CAPITAL_I_WITH_DOT) {
        to[0] = 'i';
        to[1] = 0x307;
        return 2;
    }
    if (!CASE_RUN(to_lower, ch, to)) {
        to[0] = ch;
    }
    return 1;
}

int
ouro_char_title(Py_UCS4 ch, Py_UCS4 to[3])
{
    if (ch >= 0x80 && CASE_RUN(to_title, ch, to)) {
        return 1;
    }
    int count = ch < 0x80 ? 0 : CASE_MANY(to_title_many, ch, to);
    return count > 0 ? count : ouro_char_upper(ch, to);
}

int
ouro_char_fold(Py_UCS4 ch, Py_UCS4 to[3])
{
    if (ch >= 0x80 && CASE_RUN(to_folded, ch, to)) {
        return 1;
    }
    int count = ch < 0x80 ? 0 : CASE_MANY(to_folded_many, ch, to);
    return count > 0 ? count : ouro_char_lower(ch, to);
}

static Py_UCS4
single_case(ouro_case_function function, Py_UCS4 ch)
{
    Py_UCS4 to[3];
    return function(ch, to) == 1 ? to[0] : ch;
}

Py_UCS4
_PyUnicode_ToUppercase(Py_UCS4 ch)
{
    return single_case(ouro_char_upper, ch);
}

Py_UCS4
_PyUnicode_ToLowercase(Py_UCS4 ch)
{
    return ch == CAPITAL_I_WITH_DOT ? 'i' : single_case(ouro_char_lower, ch);
}

Py_UCS4
_PyUnicode_ToTitlecase(Py_UCS4 ch)
{
    return single_case(ouro_char_title, ch);
}

/* --- questions ---------------------------------------------------------------------------------------- */

int
_PyUnicode_IsAlpha(Py_UCS4 ch)
{
    return IN_SPANS(alpha_spans, ch);
}

int
_PyUnicode_IsTitlecase(Py_UCS4 ch)
{
    return IN_SPANS(title_spans, ch);
}

/* Most characters with a lower case are upper case; the table has the others. */
int
_PyUnicode_IsUppercase(Py_UCS4 ch)
{
    Py_UCS4 to[3];
    bool has_lower = ouro_char_lower(ch, to) != 1 || to[0] != ch;
    return (has_lower && !_PyUnicode_IsTitlecase(ch)) != IN_SPANS(upper_spans, ch);
}

int
_PyUnicode_IsLowercase(Py_UCS4 ch)
{
    Py_UCS4 to[3];
    bool has_upper = ouro_char_upper(ch, to) != 1 || to[0] != ch;
    return (has_upper && !_PyUnicode_IsTitlecase(ch)) != IN_SPANS(lower_spans, ch);
}

int
_PyUnicode_IsWhitespace(Py_UCS4 ch)
{
    if (ch < 0x80) {
        return ch == ' ' || (ch >= '\t' && ch <= '\r') || (ch >= 0x1C && ch <= 0x1F);
    }
    return IN_SPANS(space_spans, ch);
}

int
_PyUnicode_IsLinebreak(Py_UCS4 ch)
{
    return (ch >= '\n' && ch <= '\r') || (ch >= 0x1C && ch <= 0x1E) || ch == 0x85 ||
           ch == 0x2028 || ch == 0x2029;
}

int
_PyUnicode_IsDecimalDigit(Py_UCS4 ch)
{
    return _PyUnicode_ToDecimalDigit(ch) >= 0;
}

int
_PyUnicode_IsDigit(Py_UCS4 ch)
{
    return _PyUnicode_IsDecimalDigit(ch) || IN_SPANS(digit_spans, ch);
}

int
_PyUnicode_IsNumeric(Py_UCS4 ch)
{
    return _PyUnicode_IsDigit(ch) || IN_SPANS(numeric_spans, ch);
}

int
_PyUnicode_IsPrintable(Py_UCS4 ch)
{
    return ch < 0x7F ? ch >= ' '
                     : !Py_UNICODE_IS_SURROGATE(ch) && !IN_SPANS(hidden_spans, ch);
}

int
_PyUnicode_ToDecimalDigit(Py_UCS4 ch)
{
    if (ch < 0x80) {
        return ch >= '0' && ch <= '9' ? (int)(ch - '0') : -1;
    }
    const struct span *digits =
        find_span(decimal_spans, Py_ARRAY_LENGTH(decimal_spans), ch);
    return digits == NULL ? -1 : (int)((ch - digits->first) % 10);
}

bool
ouro_char_is_cased(Py_UCS4 ch)
{
    return _PyUnicode_IsUppercase(ch) || _PyUnicode_IsLowercase(ch) ||
           _PyUnicode_IsTitlecase(ch);
}

bool
ouro_char_is_ignorable(Py_UCS4 ch)
{
    return IN_SPANS(ignorable_spans, ch);
}

bool
ouro_char_starts_identifier(Py_UCS4 ch)
{
    return (bool)_PyUnicode_IsAlpha(ch) != IN_SPANS(identifier_start_spans, ch);
}

bool
ouro_char_continues_identifier(Py_UCS4 ch)
{
    return ouro_char_starts_identifier(ch) || IN_SPANS(identifier_spans, ch);
}

/* --- numbers ------------------------------------------------------------------------------------------ */

PyObject *
ouro_str_number_text(PyObject *str)
{
    if (PyUnicode_IS_ASCII(str)) {
        return Py_NewRef(str);
    }
    struct str_reader r = ouro_str_reader(str);
    PyObject *result = ouro_str_new_ascii(r.length);
    Py_UCS1 *to = result == NULL ? NULL : PyUnicode_DATA(result);
    for (Py_ssize_t i = 0; to != NULL && i < r.length; i++) {
        Py_UCS4 ch = ouro_str_at(&r, i);
        int digit = _PyUnicode_ToDecimalDigit(ch);
        to[i] = (Py_UCS1)(ch < 0x80                     ? ch
                          : digit >= 0                  ? (Py_UCS4)('0' + digit)
                          : _PyUnicode_IsWhitespace(ch) ? ' '
                                                        : '?');
    }
    return result;
}
