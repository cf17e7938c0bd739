/* SPDX-License-Identifier: MIT */
/* Attributes through the type's slots, and the messages about missing attributes. */
#include "../protocol.h"

/* A type whose attributes are reached through the old char * slots. */
static char last_name[20];
static PyObject *last_value;

static PyObject *
old_getattr(PyObject *Py_UNUSED(o), char *name)
{
    if (strcmp(name, "there") == 0) {
        return PyLong_FromLong(7);
    }
    PyErr_SetString(PyExc_AttributeError, name);
    return NULL;
}

static int
old_setattr(PyObject *Py_UNUSED(o), char *name, PyObject *value)
{
    snprintf(last_name, sizeof(last_name), "%s", name);
    last_value = value;
    return 0;
}

static PyTypeObject Old_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Old",
    .tp_basicsize = sizeof(PyObject),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_getattr = old_getattr,
    .tp_setattr = old_setattr,
};

static PyObject *
failing_getattro(PyObject *Py_UNUSED(o), PyObject *Py_UNUSED(name))
{
    PyErr_SetString(PyExc_ValueError, "no luck");
    return NULL;
}

static PyTypeObject Failing_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Failing",
    .tp_basicsize = sizeof(PyObject),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_getattro = failing_getattro,
};

static PyObject *
new_plain(PyTypeObject *type)
{
    REQUIRE_EQ(PyType_Ready(type), 0);
    return (PyObject *)PyObject_New(PyObject, type);
}

TEST_PY(a_missing_attribute_raises_attribute_error_with_type_and_name)
{
    PyObject *o = number(1000);
    EXPECT_NULL(PyObject_GetAttrString(o, "colour"));
    EXPECT_RAISED_TEXT(PyExc_AttributeError, "'int' object has no attribute 'colour'");
    Py_DECREF(o);
}

TEST_PY(an_attribute_name_must_be_a_str)
{
    PyObject *o = number(1000), *value;
    EXPECT_NULL(PyObject_GetAttr(o, o));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "attribute name must be string, not 'int'");
    EXPECT_EQ(PyObject_SetAttr(o, o, o), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "attribute name must be string, not 'int'");
    EXPECT_EQ(PyObject_GetOptionalAttr(o, o, &value), -1);
    EXPECT_NULL(value);
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(o);
}

TEST_PY(null_arguments_are_a_system_error_unless_something_is_pending)
{
    PyObject *value;
    EXPECT_NULL(PyObject_GetAttr(NULL, NULL));
    EXPECT_RAISED_TEXT(PyExc_SystemError, "null argument to internal routine");
    EXPECT_EQ(PyObject_GetOptionalAttr(NULL, NULL, &value), -1);
    EXPECT_RAISED(PyExc_SystemError);
    PyErr_SetString(PyExc_KeyError, "before");
    EXPECT_EQ(PyObject_SetAttr(NULL, NULL, NULL), -1);
    EXPECT_RAISED(PyExc_KeyError);
}

TEST_PY(optional_and_has_tell_missing_from_failing)
{
    PyObject *old = new_plain(&Old_Type), *failing = new_plain(&Failing_Type), *value;
    EXPECT_EQ(PyObject_GetOptionalAttrString(old, "there", &value), 1);
    EXPECT_EQ(PyLong_AsLong(value), 7);
    Py_DECREF(value);
    EXPECT_EQ(PyObject_GetOptionalAttrString(old, "gone", &value), 0);
    EXPECT_NULL(value);
    EXPECT_NO_ERROR();
    EXPECT_EQ(PyObject_GetOptionalAttrString(failing, "there", &value), -1);
    EXPECT_NULL(value);
    EXPECT_RAISED(PyExc_ValueError);

    EXPECT_EQ(PyObject_HasAttrStringWithError(old, "there"), 1);
    EXPECT_EQ(PyObject_HasAttrStringWithError(old, "gone"), 0);
    EXPECT_EQ(PyObject_HasAttrStringWithError(failing, "x"), -1);
    EXPECT_RAISED(PyExc_ValueError);
    Py_DECREF(old);
    Py_DECREF(failing);
}

TEST_PY(has_attr_reports_other_errors_and_says_no)
{
    PyObject *failing = new_plain(&Failing_Type);
    capture_stderr_begin();
    EXPECT_EQ(PyObject_HasAttrString(failing, "x"), 0);
    char *printed = capture_stderr_end();
    EXPECT_HAS(printed, "no luck");
    free(printed);
    EXPECT_NO_ERROR();
    EXPECT_EQ(PyObject_HasAttrString(Py_None, "x"), 0);
    EXPECT_EQ(PyObject_HasAttrString(Py_None, "__class__"), 1);
    Py_DECREF(failing);
}

TEST_PY(old_slots_receive_the_name_as_chars)
{
    PyObject *old = new_plain(&Old_Type);
    EXPECT_EQ(PyObject_SetAttrString(old, "size", Py_None), 0);
    EXPECT_STR(last_name, "size");
    EXPECT_EQ(last_value, Py_None);
    EXPECT_EQ(PyObject_DelAttrString(old, "size"), 0);
    EXPECT_NULL(last_value);
    Py_DECREF(old);
}

TEST_PY(an_object_without_setattr_slots_says_so)
{
    PyObject *name = text("x");
    setattrofunc kept = Failing_Type.tp_setattro;
    PyObject *failing = new_plain(&Failing_Type);
    Failing_Type.tp_setattro = NULL;
    EXPECT_EQ(PyObject_SetAttr(failing, name, Py_None), -1);
    EXPECT_RAISED_TEXT(
        PyExc_TypeError,
        "'test.Failing' object has only read-only attributes (assign to .x)");
    Failing_Type.tp_getattro = NULL;
    EXPECT_EQ(PyObject_DelAttr(failing, name), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "'test.Failing' object has no attributes (del .x)");
    EXPECT_NULL(PyObject_GetAttr(failing, name));
    EXPECT_RAISED_TEXT(PyExc_AttributeError,
                       "'test.Failing' object has no attribute 'x'");
    Failing_Type.tp_getattro = failing_getattro;
    Failing_Type.tp_setattro = kept;
    Py_DECREF(failing);
    Py_DECREF(name);
}

TEST_PY(having_an_attribute_is_asked_with_and_without_errors)
{
    PyObject *failing = new_plain(&Failing_Type), *there = text("append"),
             *missing = text("nothing"), *list = PyList_New(0);
    EXPECT_EQ(PyObject_HasAttrWithError(list, there), 1);
    EXPECT_EQ(PyObject_HasAttrWithError(list, missing), 0);
    EXPECT_EQ(PyObject_HasAttr(list, there), 1);
    EXPECT_EQ(PyObject_HasAttr(list, missing), 0);
    EXPECT_NO_ERROR();
    EXPECT_EQ(PyObject_HasAttrWithError(list, Py_None), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "attribute name must be string, not 'NoneType'");
    EXPECT_EQ(PyObject_HasAttrWithError(failing, missing), -1);
    EXPECT(PyErr_Occurred() != NULL);
    PyErr_Clear();
    capture_stderr_begin();
    EXPECT_EQ(PyObject_HasAttr(failing, missing), 0);
    char *said = capture_stderr_end();
    EXPECT_HAS(said, "PyObject_HasAttr()");
    EXPECT_NO_ERROR();
    free(said);
    Py_DECREF(list);
    Py_DECREF(missing);
    Py_DECREF(there);
    Py_DECREF(failing);
}
