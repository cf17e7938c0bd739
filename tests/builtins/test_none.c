/* SPDX-License-Identifier: MIT */
/* The singletons and the table of constants. */
#include "../protocol.h"

TEST_PY(singletons_are_immortal_and_print_their_names)
{
    PyObject *all[] = {Py_None, Py_NotImplemented, Py_Ellipsis};
    const char *names[] = {"None", "NotImplemented", "Ellipsis"};
    for (int i = 0; i < 3; i++) {
        EXPECT(PyUnstable_IsImmortal(all[i]));
        EXPECT_REPR_OF(Py_NewRef(all[i]), names[i]);
        EXPECT_EQ(PyObject_CallNoArgs((PyObject *)Py_TYPE(all[i])), all[i]);
        EXPECT_NULL(PyObject_CallOneArg((PyObject *)Py_TYPE(all[i]), Py_None));
        EXPECT_RAISED(PyExc_TypeError);
    }
}

TEST_PY(none_is_false_and_notimplemented_has_no_truth)
{
    EXPECT_EQ(PyObject_IsTrue(Py_None), 0);
    EXPECT_EQ(PyObject_IsTrue(Py_Ellipsis), 1);
    EXPECT_EQ(PyObject_IsTrue(Py_NotImplemented), -1);
    EXPECT_RAISED(PyExc_TypeError);
}

TEST_PY(constants_are_found_by_number)
{
    EXPECT_EQ(Py_GetConstant(Py_CONSTANT_NONE), Py_None);
    EXPECT_EQ(Py_GetConstantBorrowed(Py_CONSTANT_TRUE), Py_True);
    for (unsigned i = 0; i <= Py_CONSTANT_EMPTY_TUPLE; i++) {
        EXPECT(PyUnstable_IsImmortal(Py_GetConstant(i)));
    }
    EXPECT_NULL(Py_GetConstant(10));
    EXPECT_RAISED(PyExc_SystemError);
}
