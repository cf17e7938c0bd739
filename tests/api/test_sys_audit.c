/* SPDX-License-Identifier: MIT */
/* Audit events. */
#include "../protocol.h"

static char heard[200];
static int objects;

static int
listen(const char *event, PyObject *args, void *data)
{
    PyObject *shown = PyObject_Repr(args);
    snprintf(heard, sizeof(heard), "%s %s", event, PyUnicode_AsUTF8(shown));
    Py_DECREF(shown);
    if (data == NULL && objects) {
        PyErr_SetString(PyExc_RuntimeError, "no");
        return -1;
    }
    return 0;
}

TEST_PY(without_hooks_no_arguments_are_made)
{
    EXPECT_EQ(PySys_Audit("event", "Z-is-no-format"), 0);
}

TEST_PY(hooks_hear_events_and_may_object)
{
    EXPECT_EQ(PySys_AddAuditHook(listen, NULL), 0);
    EXPECT_EQ(PySys_Audit("open", "is", 1, "x"), 0);
    EXPECT_STR(heard, "open (1, 'x')");
    EXPECT_EQ(PySys_Audit("one", "i", 1), 0);
    EXPECT_STR(heard, "one (1,)");
    EXPECT_EQ(PySys_Audit("none", NULL), 0);
    EXPECT_STR(heard, "none ()");
    EXPECT_EQ(PySys_AuditTuple("tuple", NULL), 0);
    EXPECT_STR(heard, "tuple ()");
    objects = 1;
    EXPECT_EQ(PySys_Audit("open", NULL), -1);
    EXPECT_RAISED_TEXT(PyExc_RuntimeError, "no");
    EXPECT_EQ(PySys_AuditTuple("open", Py_None), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "expected tuple, got NoneType");
}
