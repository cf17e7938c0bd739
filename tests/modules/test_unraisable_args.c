/* SPDX-License-Identifier: MIT */
/* UnraisableHookArgs. */
#include "calls.h"

static PyObject *
make_args(void)
{
    const Ouro_Unraisable report = {.exc_type = PyExc_KeyError, .message = "ignored"};
    return Ouro_UnraisableArgsNew(&report);
}

TEST_PY(fields_are_there_and_cannot_be_set)
{
    EXPECT_REPR_OF(make_args(),
                   "UnraisableHookArgs(exc_type=<class 'KeyError'>, exc_value=None, "
                   "exc_traceback=None, err_msg='ignored', object=None)");
    PyObject *args = make_args();
    EXPECT_EQ(PyObject_SetAttrString(args, "object", Py_None), -1);
    EXPECT_RAISED(PyExc_AttributeError);
    Py_DECREF(args);
    fail_each_allocation(make_args);
}

TEST_PY(a_report_kept_by_what_it_is_about_is_collected)
{
    PyObject *list = PyList_New(0);
    const Ouro_Unraisable report = {.object = list};
    PyObject *args = Ouro_UnraisableArgsNew(&report);
    PyList_Append(list, args);
    Py_DECREF(args);
    PyGC_Collect();
    Py_DECREF(list);
    EXPECT_EQ(PyGC_Collect(), 2);
}
