/* SPDX-License-Identifier: MIT */
/* Where a syntax error is: attributes of the pending exception, and the line itself. */
#include <Python.h>

/* Takes `value`, which may be NULL with an exception. A failure here must not replace the
 * exception that is being described. */
static void
set_part(PyObject *exc, const char *name, PyObject *value)
{
    if (value == NULL || PyObject_SetAttrString(exc, name, value) < 0) {
        PyErr_Clear();
    }
    Py_XDECREF(value);
}

/* A number, or None when it is not known. */
static PyObject *
number_or_none(int number)
{
    return number < 0 ? Py_NewRef(Py_None) : PyLong_FromLong(number);
}

void
PyErr_SyntaxLocationObject(PyObject *filename, int lineno, int col_offset)
{
    PyObject *exc = PyErr_GetRaisedException();
    if (exc == NULL) {
        return;
    }
    set_part(exc, "lineno", PyLong_FromLong(lineno));
    set_part(exc, "offset", number_or_none(col_offset));
    set_part(exc, "end_lineno", Py_NewRef(Py_None));
    set_part(exc, "end_offset", Py_NewRef(Py_None));
    if (filename != NULL) {
        PyObject *text = PyErr_ProgramTextObject(filename, lineno);
        set_part(exc, "filename", Py_NewRef(filename));
        set_part(exc, "text", text == NULL ? Py_NewRef(Py_None) : text);
    }
    set_part(exc, "print_file_and_line", Py_NewRef(Py_None));
    PyErr_SetRaisedException(exc);
}

void
PyErr_SyntaxLocationEx(const char *filename, int lineno, int col_offset)
{
    PyObject *exc = PyErr_GetRaisedException();
    PyObject *name = filename == NULL ? NULL : PyUnicode_DecodeFSDefault(filename);
    PyErr_Clear();
    PyErr_SetRaisedException(exc);
    PyErr_SyntaxLocationObject(name, lineno, col_offset);
    Py_XDECREF(name);
}

void
PyErr_SyntaxLocation(const char *filename, int lineno)
{
    PyErr_SyntaxLocationEx(filename, lineno, -1);
}

/* --- the line ------------------------------------------------------------------------------ */

/* A line with its end, or NULL without an exception when there is none. */
static PyObject *
read_program_line(FILE *file, int lineno)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t size = -1;
    for (int i = 0; i < lineno; i++) {
        size = getline(&line, &room, file);
        if (size < 0) {
            break;
        }
    }
    PyObject *text = size < 0 ? NULL : PyUnicode_DecodeUTF8(line, size, "replace");
    free(line);
    PyErr_Clear();
    return text;
}

PyObject *
PyErr_ProgramText(const char *filename, int lineno)
{
    FILE *file = filename == NULL || lineno <= 0 ? NULL : fopen(filename, "r");
    if (file == NULL) {
        return NULL;
    }
    PyObject *text = read_program_line(file, lineno);
    fclose(file);
    return text;
}

PyObject *
PyErr_ProgramTextObject(PyObject *filename, int lineno)
{
    PyObject *bytes = filename == NULL ? NULL : PyUnicode_EncodeFSDefault(filename);
    PyObject *text =
        bytes == NULL ? NULL : PyErr_ProgramText(PyBytes_AS_STRING(bytes), lineno);
    Py_XDECREF(bytes);
    PyErr_Clear();
    return text;
}
