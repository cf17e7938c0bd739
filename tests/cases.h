/* SPDX-License-Identifier: MIT */
/* Tables of operations with the results that CPython gave.
 *
 * A case is a receiver, an operation, its arguments and the outcome: the repr of the result, or
 * "TypeError: message". Receiver and arguments are Python literals; `(1, 2) {'x': 3}` are two
 * positional arguments and a named one. tests/builtins/make_cases.py does the same in CPython,
 * and writes the tables. */
#ifndef OURO_TESTS_CASES_H
#define OURO_TESTS_CASES_H

#include "protocol.h"

/* ---- literals ---------------------------------------------------------------------- */

static PyObject *read_literal(const char **p);

static inline void
skip_literal_blanks(const char **p)
{
    *p += strspn(*p, " ,:");
}

/* The items up to the closing bracket, as a new list. */
static inline PyObject *
read_literal_items(const char **p, char close)
{
    PyObject *list = PyList_New(0);
    for ((*p)++, skip_literal_blanks(p); **p != close && **p != '\0';
         skip_literal_blanks(p)) {
        PyObject *item = read_literal(p);
        REQUIRE(item != NULL && PyList_Append(list, item) == 0);
        Py_DECREF(item);
    }
    (*p)++;
    return list;
}

static inline PyObject *
read_literal_dict(const char **p)
{
    PyObject *items = read_literal_items(p, '}'), *dict = PyDict_New();
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items); i += 2) {
        REQUIRE(PyDict_SetItem(dict, PyList_GET_ITEM(items, i),
                               PyList_GET_ITEM(items, i + 1)) == 0);
    }
    Py_DECREF(items);
    return dict;
}

/* Text in quotes; bytes are read as Latin-1 first. */
static inline PyObject *
read_literal_text(const char **p, bool is_bytes)
{
    PyUnicodeWriter *writer = PyUnicodeWriter_Create(0);
    char quote = *(*p)++;
    while (**p != quote) {
        Py_UCS4 ch = (unsigned char)*(*p)++;
        if (ch == '\\') {
            char code = *(*p)++, digits[9] = "";
            int count = code == 'x' ? 2 : code == 'u' ? 4 : code == 'U' ? 8 : 0;
            memcpy(digits, *p, (size_t)count);
            *p += count;
            ch = count > 0     ? (Py_UCS4)strtoul(digits, NULL, 16)
                 : code == 'n' ? '\n'
                 : code == 't' ? '\t'
                 : code == 'r' ? '\r'
                               : (Py_UCS4)code;
        }
        REQUIRE(PyUnicodeWriter_WriteChar(writer, ch) == 0);
    }
    (*p)++;
    PyObject *str = PyUnicodeWriter_Finish(writer);
    if (!is_bytes) {
        return str;
    }
    PyObject *bytes = PyUnicode_AsLatin1String(str);
    Py_DECREF(str);
    return bytes;
}

static inline PyObject *
read_literal_number(const char **p)
{
    const char *start = *p;
    *p += strspn(*p, "+-.0123456789abcdefinx_");
    char text[400];
    snprintf(text, sizeof text, "%.*s", (int)(*p - start), start);
    if (strpbrk(text, ".ein") != NULL) {
        return PyFloat_FromDouble(PyOS_string_to_double(text, NULL, NULL));
    }
    return PyLong_FromString(text, NULL, 0);
}

/* A name, or a call of one: slice(1, 2, None). */
static inline PyObject *
read_literal_name(const char **p)
{
    static const struct {
        const char *name;
        void *object;
    } known[] = {
        {"None", Py_None},
        {"True", Py_True},
        {"False", Py_False},
        {"slice", &PySlice_Type},
        {"int", &PyLong_Type},
        {"float", &PyFloat_Type},
        {"str", &PyUnicode_Type},
        {"bytes", &PyBytes_Type},
        {"bool", &PyBool_Type},
        {"complex", &PyComplex_Type},
        {"NotImplemented", Py_NotImplemented},
    };
    size_t length = strspn(*p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
    PyObject *object = NULL;
    for (size_t i = 0; i < Py_ARRAY_LENGTH(known); i++) {
        if (strlen(known[i].name) == length && strncmp(known[i].name, *p, length) == 0) {
            object = Py_NewRef((PyObject *)known[i].object);
        }
    }
    REQUIRE(object != NULL);
    *p += length;
    if (**p == '(') {
        PyObject *list = read_literal_items(p, ')'), *args = PyList_AsTuple(list);
        Py_SETREF(object, PyObject_Call(object, args, NULL));
        Py_DECREF(args);
        Py_DECREF(list);
    }
    return object;
}

static PyObject *
read_literal(const char **p)
{
    skip_literal_blanks(p);
    switch (**p) {
    case '(': {
        PyObject *list = read_literal_items(p, ')'), *tuple = PyList_AsTuple(list);
        Py_DECREF(list);
        return tuple;
    }
    case '[':
        return read_literal_items(p, ']');
    case '{':
        return read_literal_dict(p);
    case '\'':
    case '"':
        return read_literal_text(p, false);
    case 'b':
        if ((*p)[1] == '\'' || (*p)[1] == '"') {
            (*p)++;
            return read_literal_text(p, true);
        }
        return read_literal_name(p);
    default:
        return strchr("+-.0123456789", **p) != NULL || strncmp(*p, "inf", 3) == 0 ||
                       strncmp(*p, "nan", 3) == 0
                   ? read_literal_number(p)
                   : read_literal_name(p);
    }
}

/* ---- operations ----------------------------------------------------------------------- */

static inline PyObject *
operate_on(PyObject *a, const char *op, PyObject *b)
{
    static const struct {
        const char *name;
        PyObject *(*function)(PyObject *, PyObject *);
    } binary[] = {
        {"[]", PyObject_GetItem},      {"+", PyNumber_Add},
        {"-", PyNumber_Subtract},      {"*", PyNumber_Multiply},
        {"/", PyNumber_TrueDivide},    {"//", PyNumber_FloorDivide},
        {"%", PyNumber_Remainder},     {"divmod", PyNumber_Divmod},
        {"format()", PyObject_Format}, {".", PyObject_GetAttr},
    };
    static const char *const compare[] = {"<", "<=", "==", "!=", ">", ">="};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(binary); i++) {
        if (strcmp(op, binary[i].name) == 0) {
            return binary[i].function(a, b);
        }
    }
    for (int i = 0; i < 6; i++) {
        if (strcmp(op, compare[i]) == 0) {
            return PyObject_RichCompare(a, b, i);
        }
    }
    return NULL;
}

static inline PyObject *
operate(PyObject *receiver, const char *op, PyObject *args, PyObject *kwargs)
{
    static const struct {
        const char *name;
        PyObject *(*function)(PyObject *);
    } unary[] = {
        {"-x", PyNumber_Negative}, {"+x", PyNumber_Positive}, {"abs", PyNumber_Absolute},
        {"~x", PyNumber_Invert},   {"str", PyObject_Str},     {"repr", PyObject_Repr},
        {"list", PySequence_List}, {"int", PyNumber_Long},    {"float", PyNumber_Float},
    };
    Py_ssize_t count = PyTuple_GET_SIZE(args);
    if (strcmp(op, "call") == 0) {
        return PyObject_Call(receiver, args, kwargs);
    }
    if (strcmp(op, "**") == 0) {
        return PyNumber_Power(receiver, PyTuple_GET_ITEM(args, 0),
                              count > 1 ? PyTuple_GET_ITEM(args, 1) : Py_None);
    }
    if (strcmp(op, "in") == 0) {
        int found = PySequence_Contains(receiver, PyTuple_GET_ITEM(args, 0));
        return found < 0 ? NULL : PyBool_FromLong(found);
    }
    for (size_t i = 0; count == 0 && i < Py_ARRAY_LENGTH(unary); i++) {
        if (strcmp(op, unary[i].name) == 0) {
            return unary[i].function(receiver);
        }
    }
    if (count == 1 && kwargs == NULL) {
        PyObject *result = operate_on(receiver, op, PyTuple_GET_ITEM(args, 0));
        if (result != NULL || PyErr_Occurred()) {
            return result;
        }
    }
    PyObject *method = PyObject_GetAttrString(receiver, op);
    PyObject *result = method == NULL ? NULL : PyObject_Call(method, args, kwargs);
    Py_XDECREF(method);
    return result;
}

/* repr of a result, which is taken; or the pending error as "Type: message". */
static inline void
describe_result(PyObject *result, char *out, size_t size)
{
    if (result == NULL && !PyErr_Occurred()) {
        snprintf(out, size, "<NULL without an exception>");
    } else if (result == NULL) {
        char message[400];
        PyObject *type = Py_NewRef(PyErr_Occurred());
        take_raised_text(message, sizeof message);
        snprintf(out, size, "%s: %s", ((PyTypeObject *)type)->tp_name, message);
        Py_DECREF(type);
    } else {
        PyObject *repr = PyObject_Repr(result);
        snprintf(out, size, "%s", repr == NULL ? "<no repr>" : PyUnicode_AsUTF8(repr));
        Py_XDECREF(repr);
        Py_DECREF(result);
        PyErr_Clear();
    }
}

struct recorded_case {
    const char *receiver, *op, *args, *expected;
};

static inline void
run_recorded_case(const struct recorded_case *c)
{
    const char *p = c->receiver, *q = c->args;
    PyObject *receiver = read_literal(&p), *args = read_literal(&q);
    skip_literal_blanks(&q);
    PyObject *kwargs = *q == '{' ? read_literal(&q) : NULL;
    char found[1200];
    describe_result(operate(receiver, c->op, args, kwargs), found, sizeof found);
    if (strcmp(found, c->expected) != 0) {
        test_fail(__FILE__, __LINE__, "%s %s %s\n    is       %s\n    expected %s",
                  c->receiver, c->op, c->args, found, c->expected);
    }
    Py_DECREF(receiver);
    Py_DECREF(args);
    Py_XDECREF(kwargs);
}

/* Runs all cases of a table twice. The second run may leave no object behind. */
static inline void
run_recorded_cases(const struct recorded_case *cases, size_t count)
{
    size_t before = 0;
    for (int round = 0; round < 2; round++) {
        before = round == 1 ? blocks_in_use() : 0;
        for (size_t i = 0; i < count; i++) {
            run_recorded_case(&cases[i]);
        }
    }
    EXPECT_EQ(blocks_in_use(), before);
}

#define RECORDED_CASES(table) run_recorded_cases((table), Py_ARRAY_LENGTH(table))

#endif
