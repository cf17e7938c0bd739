/* SPDX-License-Identifier: MIT */
/* From values to text. A circular list ends in "...". */
#define _POSIX_C_SOURCE 200809L
#include "scheme.h"

#include <math.h>

/* How one value is printed; as_written as for scheme_print. */
typedef int (*printer)(FILE *file, PyObject *value, int as_written);

static int
print_string(FILE *file, PyObject *value, int as_written)
{
    const char *text = PyUnicode_AsUTF8(value);
    if (text == NULL) {
        return -1;
    }
    if (!as_written) {
        fputs(text, file);
        return 0;
    }
    putc('"', file);
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '\n':
            fputs("\\n", file);
            break;
        case '\t':
            fputs("\\t", file);
            break;
        case '"':
        case '\\':
            putc('\\', file);
            putc(*text, file);
            break;
        default:
            putc(*text, file);
        }
    }
    putc('"', file);
    return 0;
}

/* The items of a list without its parentheses; see list_length() for the mark. */
static int
print_items(FILE *file, PyObject *list, int as_written)
{
    PyObject *mark = NULL;
    for (size_t count = 1;; count++) {
        if ((count & (count - 1)) == 0) {
            mark = list;
        }
        if (scheme_print(file, CAR(list), as_written) < 0) {
            return -1;
        }
        list = CDR(list);
        if (!is_pair(list)) {
            break;
        }
        putc(' ', file);
        if (list == mark) {
            fputs("...", file);
            return 0;
        }
    }
    if (list == NIL) {
        return 0;
    }
    fputs(" . ", file);
    return scheme_print(file, list, as_written);
}

static int
print_pair(FILE *file, PyObject *value, int as_written)
{
    putc('(', file);
    int status = print_items(file, value, as_written);
    putc(')', file);
    return status;
}

static int
print_vector(FILE *file, PyObject *value, int as_written)
{
    fputs("#(", file);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(value); i++) {
        if (i > 0) {
            putc(' ', file);
        }
        if (scheme_print(file, PyList_GET_ITEM(value, i), as_written) < 0) {
            return -1;
        }
    }
    putc(')', file);
    return 0;
}

static int
print_symbol(FILE *file, PyObject *value, int as_written)
{
    (void)as_written;
    const char *name = PyUnicode_AsUTF8(((Symbol *)value)->name);
    return name != NULL ? (fputs(name, file), 0) : -1;
}

static int
print_closure(FILE *file, PyObject *value, int as_written)
{
    Node *code = ((Closure *)value)->code;
    if (code == NULL || code->value == NULL) {
        fputs("#<procedure>", file);
        return 0;
    }
    fputs("#<procedure ", file);
    int status = scheme_print(file, code->value, as_written);
    putc('>', file);
    return status;
}

/* Numbers look as in Python; only the infinities and NaN have Scheme's own names. */
static int
print_object(FILE *file, PyObject *value, int as_written)
{
    (void)as_written;
    if (PyFloat_Check(value) && !isfinite(PyFloat_AS_DOUBLE(value))) {
        double number = PyFloat_AS_DOUBLE(value);
        fputs(isnan(number) ? "+nan.0" : number < 0 ? "-inf.0" : "+inf.0", file);
        return 0;
    }
    PyObject *text =
        PyExceptionInstance_Check(value) ? PyObject_Str(value) : PyObject_Repr(value);
    if (text == NULL) {
        return -1;
    }
    int is_number = PyLong_Check(value) || PyFloat_Check(value);
    const char *utf8 = PyUnicode_AsUTF8(text);
    if (utf8 != NULL) {
        fprintf(file, is_number ? "%s" : "#<%s>", utf8);
    }
    Py_DECREF(text);
    return utf8 != NULL ? 0 : -1;
}

static int
print_constant(FILE *file, PyObject *value, int as_written)
{
    (void)as_written;
    fputs(((Constant *)value)->text, file);
    return 0;
}

static int
print_boolean(FILE *file, PyObject *value, int as_written)
{
    (void)as_written;
    fputs(value == Py_True ? "#t" : "#f", file);
    return 0;
}

static int
print_table(FILE *file, PyObject *value, int as_written)
{
    (void)as_written;
    fprintf(file, "#<hash-table of %zd>", PyDict_GET_SIZE(value));
    return 0;
}

static int
print_builtin(FILE *file, PyObject *value, int as_written)
{
    (void)as_written;
    fprintf(file, "#<procedure %s>", ((PyCFunctionObject *)value)->m_ml->ml_name);
    return 0;
}

static printer
printer_of(PyObject *value)
{
    static const struct {
        PyTypeObject *type;
        printer print;
    } printers[] = {
        {&Pair_Type, print_pair},       {&SourcePair_Type, print_pair},
        {&Symbol_Type, print_symbol},   {&PyUnicode_Type, print_string},
        {&Closure_Type, print_closure}, {&Constant_Type, print_constant},
        {&PyBool_Type, print_boolean},  {&PyList_Type, print_vector},
        {&PyDict_Type, print_table},    {&PyCFunction_Type, print_builtin},
    };
    for (size_t i = 0; i < sizeof(printers) / sizeof(printers[0]); i++) {
        if (Py_IS_TYPE(value, printers[i].type)) {
            return printers[i].print;
        }
    }
    return print_object;
}

int
scheme_print(FILE *file, PyObject *value, int as_written)
{
    if (Py_EnterRecursiveCall(" while printing")) {
        return -1;
    }
    int status = printer_of(value)(file, value, as_written);
    Py_LeaveRecursiveCall();
    return status;
}

PyObject *
scheme_text(PyObject *value, int as_written)
{
    char *text = NULL;
    size_t size = 0;
    PyObject *result = NULL;
    FILE *file = open_memstream(&text, &size);
    if (file == NULL) {
        return PyErr_NoMemory();
    }
    int status = scheme_print(file, value, as_written);
    if (fclose(file) != 0) {
        PyErr_NoMemory();
    } else if (status == 0) {
        result = PyUnicode_DecodeUTF8(text, (Py_ssize_t)size, "replace");
    }
    free(text);
    return result;
}

PyObject *
scheme_repr(PyObject *value)
{
    return scheme_text(value, 1);
}
