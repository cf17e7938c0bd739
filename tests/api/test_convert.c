/* SPDX-License-Identifier: MIT */
/* Objects as text. */
#include "../protocol.h"

static PyObject *
not_text(PyObject *Py_UNUSED(o))
{
    return PyLong_FromLong(5);
}

static PyObject *
shout(PyObject *Py_UNUSED(o))
{
    return PyUnicode_FromString("B\xc3\xa4r \xe2\x82\xac \xf0\x9f\x90\xbb");
}

static PyObject *
format_with_spec(PyObject *Py_UNUSED(self), PyObject *spec)
{
    return PyUnicode_FromFormat("[%U]", spec);
}

static PyObject *
format_badly(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(spec))
{
    return PyLong_FromLong(1);
}

static PyMethodDef format_methods[] = {
    {"__format__", format_with_spec, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
static PyMethodDef bad_format_methods[] = {
    {"__format__", format_badly, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot bad_slots[] = {
    {Py_tp_repr, not_text},
    {Py_tp_str, not_text},
    {Py_tp_methods, bad_format_methods},
    {0, NULL},
};
static PyType_Slot loud_slots[] = {
    {Py_tp_repr, shout},
    {Py_tp_methods, format_methods},
    {0, NULL},
};
static PyType_Spec bad_spec = {"test.Bad", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT,
                               bad_slots};
static PyType_Spec loud_spec = {"test.Loud", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT,
                                loud_slots};

TEST_PY(null_prints_as_null)
{
    EXPECT_REPR_OF(PyObject_Str(NULL), "'<NULL>'");
    EXPECT_REPR_OF(PyObject_Repr(NULL), "'<NULL>'");
}

TEST_PY(str_of_a_str_is_itself_and_of_others_their_repr)
{
    PyObject *s = text("a'b");
    EXPECT_SAME_COUNT(s, {
        PyObject *same = PyObject_Str(s);
        EXPECT_EQ(same, s);
        Py_DECREF(same);
    });
    EXPECT_REPR_OF(PyObject_Str(Py_None), "'None'");
    EXPECT_REPR_OF(s, "\"a'b\"");
}

TEST_PY(repr_and_str_must_return_a_str)
{
    PyObject *bad = instance_of_spec(&bad_spec);
    EXPECT_NULL(PyObject_Repr(bad));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "__repr__ returned non-string (type int)");
    EXPECT_NULL(PyObject_Str(bad));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "__str__ returned non-string (type int)");
    EXPECT_NULL(PyObject_ASCII(bad));
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_NULL(PyObject_Format(bad, NULL));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "__format__ must return a str, not int");
    EXPECT_EQ(PyObject_Print(bad, stderr, 0), -1);
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(bad);
}

TEST_PY(the_default_repr_names_type_and_address)
{
    PyTypeObject *type = (PyTypeObject *)PyType_FromSpec(&bad_spec);
    PyObject *o = PyObject_CallNoArgs((PyObject *)type);
    type->tp_repr = NULL;
    char expected[80];
    snprintf(expected, sizeof(expected), "<test.Bad object at %p>", (void *)o);
    EXPECT_REPR_OF(o, expected);
    Py_DECREF(type);
}

TEST_PY(ascii_escapes_by_size_of_the_code_point)
{
    PyObject *loud = instance_of_spec(&loud_spec);
    PyObject *escaped = PyObject_ASCII(loud);
    EXPECT_STR(PyUnicode_AsUTF8(escaped), "B\\xe4r \\u20ac \\U0001f43b");
    Py_DECREF(escaped);
    Py_DECREF(loud);
}

TEST_PY(format_asks_the_type_and_refuses_specs_nobody_understands)
{
    PyObject *loud = instance_of_spec(&loud_spec), *spec = text("abc");
    EXPECT_REPR_OF(PyObject_Format(loud, spec), "'[abc]'");
    EXPECT_REPR_OF(PyObject_Format(loud, NULL), "'[]'");
    EXPECT_NULL(PyObject_Format(loud, Py_None));
    EXPECT_RAISED_TEXT(PyExc_SystemError,
                       "Format specifier must be a string, not NoneType");
    EXPECT_REPR_OF(PyObject_Format(Py_None, NULL), "'None'");
    EXPECT_NULL(PyObject_Format(Py_None, spec));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "unsupported format string passed to NoneType.__format__");
    Py_DECREF(loud);
    Py_DECREF(spec);
}

TEST_PY(print_writes_repr_or_str)
{
    PyObject *s = text("hi");
    capture_stderr_begin();
    EXPECT_EQ(PyObject_Print(s, stderr, 0), 0);
    EXPECT_EQ(PyObject_Print(s, stderr, Py_PRINT_RAW), 0);
    char *printed = capture_stderr_end();
    EXPECT_STR(printed, "'hi'hi");
    free(printed);
    Py_DECREF(s);
}

static PyObject *
ascii_of_loud_text(void)
{
    PyObject *s = text("B\xc3\xa4r");
    PyObject *escaped = s == NULL ? NULL : PyObject_ASCII(s);
    Py_XDECREF(s);
    return escaped;
}

TEST_PY(ascii_survives_any_failing_allocation)
{
    fail_each_allocation(ascii_of_loud_text);
}
