/* SPDX-License-Identifier: MIT */
/* From text to data. Lists are made of SourcePairs, so that the compiler can say where
 * something was written. */
#include "scheme.h"

#include <string.h>

static PyObject *
syntax_error(Reader *reader, const char *message)
{
    return error_at(reader->file, reader->line, "%s", message);
}

/* The text ended inside a list or string that began on `line`. */
static PyObject *
unfinished(Reader *reader, const char *what, int line)
{
    if (reader->is_interactive) {
        reader->is_incomplete = 1;
    }
    return error_at(reader->file, line, "%s is not closed", what);
}

static void
skip_blanks(Reader *reader)
{
    for (;; reader->next++) {
        if (*reader->next == ';') {
            reader->next += strcspn(reader->next, "\n");
        }
        if (*reader->next == '\n') {
            reader->line++;
        } else if (*reader->next == '\0' || strchr(" \t\r\f", *reader->next) == NULL) {
            return;
        }
    }
}

/* --- atoms ------------------------------------------------------------------------------- */

static int
escape_of(char letter)
{
    switch (letter) {
    case 'n':
        return '\n';
    case 't':
        return '\t';
    case '"':
    case '\\':
        return letter;
    default:
        return -1;
    }
}

static PyObject *
read_string(Reader *reader)
{
    int line = reader->line;
    const char *from = ++reader->next;
    char *text = PyMem_Malloc(strlen(from) + 1);
    if (text == NULL) {
        return PyErr_NoMemory();
    }
    PyObject *result = NULL;
    size_t length = 0;
    for (; *reader->next != '"'; reader->next++) {
        int letter = (unsigned char)*reader->next;
        reader->line += letter == '\n';
        if (letter == '\\') {
            letter = escape_of(*++reader->next);
        }
        if (*reader->next == '\0') {
            unfinished(reader, "a string", line);
            goto done;
        }
        if (letter < 0) {
            syntax_error(reader,
                         "a string has an unknown escape; \\n \\t \\\" \\\\ exist");
            goto done;
        }
        text[length++] = (char)letter;
    }
    reader->next++;
    result = PyUnicode_DecodeUTF8(text, (Py_ssize_t)length, "replace");
done:
    PyMem_Free(text);
    return result;
}

/* An int or a float; NULL without exception when the word is none. */
static PyObject *
number_of(const char *word)
{
    const char *digits = word + (*word == '+' || *word == '-');
    if (*digits == '.' ? digits[1] < '0' || digits[1] > '9'
                       : *digits < '0' || *digits > '9') {
        return NULL;
    }
    if (strpbrk(word, "_xXoObB") != NULL) { /* Python's spelling, not Scheme's */
        return NULL;
    }
    PyObject *number = NULL;
    if (digits[strspn(digits, "0123456789")] == '\0') {
        number = PyLong_FromString(word, NULL, 10);
    } else {
        double value = PyOS_string_to_double(word, NULL, NULL);
        if (value != -1.0 || !PyErr_Occurred()) {
            number = PyFloat_FromDouble(value);
        }
    }
    if (number == NULL && PyErr_ExceptionMatches(PyExc_ValueError)) {
        PyErr_Clear();
    }
    return number;
}

static PyObject *
atom_of(Reader *reader, const char *word)
{
    if (word[0] == '#') {
        if (strcmp(word, "#t") == 0 || strcmp(word, "#true") == 0) {
            return Py_NewRef(Py_True);
        }
        if (strcmp(word, "#f") == 0 || strcmp(word, "#false") == 0) {
            return Py_NewRef(Py_False);
        }
        return error_at(reader->file, reader->line, "%s: unknown # syntax", word);
    }
    PyObject *number = number_of(word);
    if (number != NULL || PyErr_Occurred()) {
        return number;
    }
    return intern(word);
}

static PyObject *
read_atom(Reader *reader)
{
    size_t length = strcspn(reader->next, " \t\r\f\n()\"';`,");
    char *word = PyMem_Malloc(length + 1);
    if (word == NULL) {
        return PyErr_NoMemory();
    }
    memcpy(word, reader->next, length);
    word[length] = '\0';
    reader->next += length;
    PyObject *atom = atom_of(reader, word);
    PyMem_Free(word);
    return atom;
}

/* --- lists ------------------------------------------------------------------------------- */

static PyObject *
read_inside(Reader *reader)
{
    if (Py_EnterRecursiveCall(" while reading")) {
        return NULL;
    }
    PyObject *datum = scheme_read(reader);
    Py_LeaveRecursiveCall();
    return datum;
}

/* 'x is (quote x), and so on. */
static PyObject *
read_quoted(Reader *reader, const char *name)
{
    int line = reader->line;
    PyObject *result = NULL;
    PyObject *datum = read_inside(reader);
    if (datum == END_OF_FILE) {
        return unfinished(reader, name, line);
    }
    PyObject *symbol = datum != NULL ? intern(name) : NULL;
    PyObject *rest = symbol != NULL ? source_cons(datum, NIL, line) : NULL;
    if (rest != NULL) {
        result = source_cons(symbol, rest, line);
    }
    Py_XDECREF(rest);
    Py_XDECREF(symbol);
    Py_XDECREF(datum);
    return result;
}

/* What follows a dot: one datum and the end of the list. */
static PyObject *
read_after_dot(Reader *reader)
{
    PyObject *tail = read_inside(reader);
    skip_blanks(reader);
    if (tail != NULL && *reader->next != ')') {
        Py_DECREF(tail);
        return syntax_error(reader, "a dot must be followed by one datum and )");
    }
    return tail;
}

static int
is_dot(const char *text)
{
    return text[0] == '.' && text[1] != '\0' && strchr(" \t\r\n()", text[1]) != NULL;
}

/* The items of a list up to its ). The list is built front to back: `last` is the pair
 * whose cdr is still to come. */
static PyObject *
read_list(Reader *reader)
{
    int line = reader->line;
    PyObject *head = Py_NewRef(NIL), *last = NULL;
    reader->next++;
    for (;;) {
        skip_blanks(reader);
        if (*reader->next == ')') {
            reader->next++;
            return head;
        }
        if (*reader->next == '\0') {
            Py_DECREF(head);
            return unfinished(reader, "a list", line);
        }
        PyObject *rest = NULL;
        int here = reader->line;
        if (last != NULL && is_dot(reader->next)) {
            reader->next++;
            rest = read_after_dot(reader);
        } else {
            PyObject *item = read_inside(reader);
            rest = item != NULL ? source_cons(item, NIL, here) : NULL;
            Py_XDECREF(item);
        }
        if (rest == NULL) {
            Py_DECREF(head);
            return NULL;
        }
        extend_list(&head, &last, rest);
    }
}

PyObject *
scheme_read(Reader *reader)
{
    skip_blanks(reader);
    switch (*reader->next) {
    case '\0':
        return Py_NewRef(END_OF_FILE);
    case '(':
        return read_list(reader);
    case ')':
        reader->next++;
        return syntax_error(reader, "a ) too many");
    case '"':
        return read_string(reader);
    case '\'':
        reader->next++;
        return read_quoted(reader, "quote");
    case '`':
        reader->next++;
        return read_quoted(reader, "quasiquote");
    case ',':
        reader->next++;
        if (*reader->next == '@') {
            reader->next++;
            return read_quoted(reader, "unquote-splicing");
        }
        return read_quoted(reader, "unquote");
    default:
        return read_atom(reader);
    }
}
