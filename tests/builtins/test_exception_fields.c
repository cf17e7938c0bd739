/* SPDX-License-Identifier: MIT */
/* Exceptions with fields of their own. */
#include "../protocol.h"

TEST_PY(stop_iteration_has_a_value_and_system_exit_a_code)
{
    PyObject *e = PyObject_CallOneArg(PyExc_StopIteration, Py_True);
    EXPECT_REPR_OF(PyObject_GetAttrString(e, "value"), "True");
    Py_DECREF(e);
    e = PyObject_CallNoArgs(PyExc_StopIteration);
    EXPECT_REPR_OF(PyObject_GetAttrString(e, "value"), "None");
    Py_DECREF(e);
    e = PyObject_CallOneArg(PyExc_SystemExit, number(3));
    EXPECT_REPR_OF(PyObject_GetAttrString(e, "code"), "3");
    Py_DECREF(e);
}

TEST_PY(os_error_prints_number_text_and_file)
{
    PyObject *text_ = text("No such file"), *name = text("a.txt");
    PyObject *e =
        PyObject_CallFunctionObjArgs(PyExc_OSError, number(2), text_, name, NULL);
    EXPECT_REPR_OF(PyObject_Str(e), "\"[Errno 2] No such file: 'a.txt'\"");
    EXPECT_REPR_OF(PyObject_GetAttrString(e, "errno"), "2");
    EXPECT_REPR_OF(PyObject_GetAttrString(e, "filename"), "'a.txt'");
    EXPECT_REPR_OF(PyException_GetArgs(e), "(2, 'No such file')");
    Py_DECREF(e);
    e = PyObject_CallOneArg(PyExc_TimeoutError, text_);
    EXPECT_REPR_OF(PyObject_Str(e), "'No such file'");
    Py_DECREF(e);
    Py_DECREF(text_);
    Py_DECREF(name);
}

TEST_PY(import_and_attribute_errors_take_names)
{
    PyObject *kwargs = PyDict_New(), *name = text("mod"), *args = PyTuple_Pack(1, name);
    PyDict_SetItemString(kwargs, "name", name);
    PyObject *e = PyObject_Call(PyExc_ModuleNotFoundError, args, kwargs);
    EXPECT_REPR_OF(PyObject_GetAttrString(e, "name"), "'mod'");
    EXPECT_REPR_OF(PyObject_GetAttrString(e, "msg"), "'mod'");
    EXPECT_REPR_OF(PyObject_GetAttrString(e, "path"), "None");
    Py_DECREF(e);
    PyDict_SetItemString(kwargs, "obj", Py_True);
    e = PyObject_Call(PyExc_AttributeError, args, kwargs);
    EXPECT_REPR_OF(PyObject_GetAttrString(e, "obj"), "True");
    Py_DECREF(e);
    EXPECT_NULL(PyObject_Call(PyExc_NameError, args, kwargs));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "NameError() takes at most 1 keyword argument (2 given)");
    Py_DECREF(kwargs);
    Py_DECREF(args);
    Py_DECREF(name);
}

TEST_PY(a_missing_attribute_says_what_was_missing)
{
    PyObject *list = PyList_New(0), *name = text("nothing");
    EXPECT_NULL(PyObject_GetAttr(list, name));
    PyObject *e = PyErr_GetRaisedException();
    EXPECT_EQ(((PyAttributeErrorObject *)e)->obj, list);
    EXPECT_EQ(((PyAttributeErrorObject *)e)->name, name);
    EXPECT_REPR_OF(PyObject_GetAttrString(e, "name"), "'nothing'");
    Py_DECREF(e);
    EXPECT_EQ(Py_REFCNT(list), 1);
    Py_DECREF(name);
    Py_DECREF(list);
}

static void
look_while_dying(PyObject *self)
{
    EXPECT_NULL(PyObject_GetAttrString(self, "nothing"));
    EXPECT_RAISED(PyExc_AttributeError);
    PyTypeObject *type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyType_Slot dying_slots[] = {{Py_tp_dealloc, look_while_dying}, {0, NULL}};
static PyType_Spec dying_spec = {"test.Dying", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT,
                                 dying_slots};

/* Otherwise the exception would bring the object back to life, and it would die twice. */
TEST_PY(an_object_that_is_dying_gets_no_new_owner)
{
    PyObject *type = PyType_FromSpec(&dying_spec);
    Py_DECREF(PyObject_CallNoArgs(type));
    Py_DECREF(type);
}

TEST_PY(fields_are_seen_by_the_collector)
{
    PyObject *list = PyList_New(0), *e = PyObject_CallOneArg(PyExc_StopIteration, list);
    PyList_Append(list, e);
    PyException_SetArgs(e, PyTuple_New(0));
    Py_DECREF(list);
    Py_DECREF(e);
    EXPECT_EQ(PyGC_Collect(), 2);
}
