/* SPDX-License-Identifier: MIT */
/* File objects, by their methods; and names of files. */
#include "../types/special.h"

/* A file that keeps what was written, and gives lines from a list. */
static PyObject *
file_write(PyObject *self, PyObject *text)
{
    PyObject *written = PyObject_GetAttrString(self, "written");
    PyObject *sum = PyUnicode_Concat(written, text);
    Py_DECREF(written);
    PyObject_SetAttrString(self, "written", sum);
    Py_DECREF(sum);
    Py_RETURN_NONE;
}

static PyObject *
file_readline(PyObject *self, PyObject *args)
{
    PyObject *line = PyObject_GetAttrString(self, "line");
    if (PyTuple_GET_SIZE(args) == 1) {
        Py_SETREF(line,
                  PySequence_GetSlice(line, 0, PyLong_AsLong(PyTuple_GET_ITEM(args, 0))));
    }
    return line;
}

static PyObject *
file_fileno(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return PyObject_GetAttrString(self, "number");
}

static PyObject *
file_fspath(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return PyObject_GetAttrString(self, "line");
}

static PyMethodDef file_methods[] = {
    {"write", file_write, METH_O, NULL},
    {"readline", file_readline, METH_VARARGS, NULL},
    {"fileno", file_fileno, METH_NOARGS, NULL},
    {"__fspath__", file_fspath, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyObject *
new_file(PyObject *line)
{
    PyTypeObject *type = class_with_methods("File", NULL, file_methods);
    PyObject *file = PyObject_CallNoArgs((PyObject *)type), *empty = text("");
    REQUIRE_NOT_NULL(file);
    Py_DECREF(type);
    PyObject_SetAttrString(file, "written", empty);
    PyObject_SetAttrString(file, "line", line);
    Py_DECREF(empty);
    Py_DECREF(line);
    return file;
}

TEST_PY(objects_are_written_as_repr_or_as_text)
{
    PyObject *file = new_file(text("")), *name = text("x");
    EXPECT_EQ(PyFile_WriteObject(name, file, 0), 0);
    EXPECT_EQ(PyFile_WriteObject(name, file, Py_PRINT_RAW), 0);
    EXPECT_EQ(PyFile_WriteString("!\n", file), 0);
    PyObject *written = PyObject_GetAttrString(file, "written");
    EXPECT_STR(PyUnicode_AsUTF8(written), "'x'x!\n");
    Py_DECREF(written);
    EXPECT_EQ(PyFile_WriteObject(name, NULL, 0), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "writeobject with NULL file");
    EXPECT_EQ(PyFile_WriteString("x", Py_None), -1);
    EXPECT_RAISED(PyExc_AttributeError);
    PyErr_SetString(PyExc_ValueError, "first");
    EXPECT_EQ(PyFile_WriteString("x", file), -1);
    EXPECT_RAISED_TEXT(PyExc_ValueError, "first");
    Py_DECREF(name);
    Py_DECREF(file);
}

static void
expect_line(PyObject *line, int n, const char *repr)
{
    PyObject *file = new_file(line), *got = PyFile_GetLine(file, n);
    REQUIRE_NOT_NULL(got);
    PyObject *shown = PyObject_Repr(got);
    EXPECT_STR(PyUnicode_AsUTF8(shown), repr);
    Py_DECREF(shown);
    Py_DECREF(got);
    Py_DECREF(file);
}

TEST_PY(a_line_is_read_whole_or_in_part_or_without_its_newline)
{
    expect_line(text("spam\n"), 0, "'spam\\n'");
    expect_line(text("spam\n"), 2, "'sp'");
    expect_line(text("spam\n"), -1, "'spam'");
    expect_line(text("spam"), -1, "'spam'");
    expect_line(PyBytes_FromString("spam\n"), -1, "b'spam'");
    PyObject *file = new_file(text(""));
    EXPECT_NULL(PyFile_GetLine(file, -1));
    EXPECT_RAISED_TEXT(PyExc_EOFError, "EOF when reading a line");
    Py_DECREF(file);
    file = new_file(number(1));
    EXPECT_NULL(PyFile_GetLine(file, 0));
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(file);
}

TEST_PY(a_descriptor_is_an_int_or_comes_from_fileno)
{
    PyObject *seven = number(7), *minus = number(-7), *file = new_file(text(""));
    EXPECT_EQ(PyObject_AsFileDescriptor(seven), 7);
    PyObject_SetAttrString(file, "number", seven);
    EXPECT_EQ(PyObject_AsFileDescriptor(file), 7);
    PyObject_SetAttrString(file, "number", Py_None);
    EXPECT_EQ(PyObject_AsFileDescriptor(file), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "fileno() returned a non-integer");
    EXPECT_EQ(PyObject_AsFileDescriptor(minus), -1);
    EXPECT_RAISED_TEXT(PyExc_ValueError,
                       "file descriptor cannot be a negative integer (-7)");
    EXPECT_EQ(PyObject_AsFileDescriptor(Py_None), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "argument must be an int, or have a fileno() method.");
    Py_DECREF(file);
    Py_DECREF(minus);
    Py_DECREF(seven);
}

TEST_PY(opening_a_descriptor_needs_a_module_io)
{
    EXPECT_NULL(PyFile_FromFd(1, NULL, "w", -1, NULL, NULL, NULL, 0));
    EXPECT_RAISED(PyExc_ModuleNotFoundError);
}

/* --- names --------------------------------------------------------------------------------- */

TEST_PY(a_path_is_text_bytes_or_has_fspath)
{
    PyObject *name = text("a/b"), *file = new_file(Py_NewRef(name));
    EXPECT_IS(PyOS_FSPath(name), name);
    EXPECT_IS(PyOS_FSPath(file), name);
    EXPECT_NULL(PyOS_FSPath(Py_None));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "expected str, bytes or os.PathLike object, not NoneType");
    PyObject_SetAttrString(file, "line", Py_None);
    EXPECT_NULL(PyOS_FSPath(file));
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(file);
    Py_DECREF(name);
}

TEST_PY(converters_give_bytes_or_text)
{
    PyObject *name = text("\xc3\xa9"), *bytes = PyBytes_FromString("\xc3\xa9"), *result;
    EXPECT_EQ(PyUnicode_FSConverter(name, &result), Py_CLEANUP_SUPPORTED);
    EXPECT_STR(PyBytes_AsString(result), "\xc3\xa9");
    EXPECT_EQ(PyUnicode_FSConverter(NULL, &result), 1);
    EXPECT_NULL(result);
    EXPECT_EQ(PyUnicode_FSDecoder(bytes, &result), Py_CLEANUP_SUPPORTED);
    EXPECT_EQ(PyUnicode_Compare(result, name), 0);
    EXPECT_EQ(PyUnicode_FSDecoder(NULL, &result), 1);
    PyObject *nul = PyBytes_FromStringAndSize("a\0b", 3);
    EXPECT_EQ(PyUnicode_FSConverter(nul, &result), 0);
    EXPECT_RAISED_TEXT(PyExc_ValueError, "embedded null byte");
    EXPECT_EQ(PyUnicode_FSDecoder(nul, &result), 0);
    EXPECT_RAISED(PyExc_ValueError);
    EXPECT_EQ(PyUnicode_FSConverter(Py_None, &result), 0);
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_STR(Py_FileSystemDefaultEncoding, "utf-8");
    Py_DECREF(nul);
    Py_DECREF(bytes);
    Py_DECREF(name);
}

TEST_PY(a_file_is_opened_by_its_path_object)
{
    char template[] = "/tmp/ouro-test-XXXXXX";
    close(mkstemp(template));
    PyObject *name = text(template), *missing = text("/nowhere/at/all");
    FILE *file = Py_fopen(name, "w");
    REQUIRE_NOT_NULL(file);
    EXPECT_EQ(Py_fclose(file), 0);
    EXPECT_NULL(Py_fopen(missing, "r"));
    EXPECT_RAISED(PyExc_FileNotFoundError);
    EXPECT_NULL(Py_fopen(Py_None, "r"));
    EXPECT_RAISED(PyExc_TypeError);
    unlink(template);
    Py_DECREF(missing);
    Py_DECREF(name);
}
