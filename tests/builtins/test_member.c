/* SPDX-License-Identifier: MIT */
/* Fields of every kind as attributes. */
#include "../protocol.h"

#include <structmember.h>

typedef struct {
    PyObject_HEAD
    short h;
    int i;
    long l;
    float f;
    double d;
    const char *s;
    PyObject *o;
    char c;
    signed char b;
    unsigned char B;
    unsigned short H;
    unsigned int I;
    unsigned long L;
    char inplace[8];
    char flag;
    PyObject *ex;
    long long q;
    unsigned long long Q;
    Py_ssize_t n;
} record;

static record r;

#define MEMBER(name, kind) ((PyMemberDef){#name, kind, offsetof(record, name), 0, NULL})

static PyObject *
get_member(PyMemberDef member)
{
    r.ob_base.ob_type = &PyBaseObject_Type;
    return PyMember_GetOne((const char *)&r, &member);
}

/* Takes the reference to `value`. */
static int
set_member(PyMemberDef member, PyObject *value)
{
    int result = PyMember_SetOne((char *)&r, &member, value);
    Py_XDECREF(value);
    return result;
}

#define EXPECT_ROUND_TRIP(name, kind, value)                                             \
    do {                                                                                 \
        EXPECT_EQ(set_member(MEMBER(name, kind), PyLong_FromLong(value)), 0);            \
        EXPECT_EQ(r.name, (value));                                                      \
        PyObject *read_ = get_member(MEMBER(name, kind));                                \
        EXPECT_EQ(PyLong_AsLong(read_), (value));                                        \
        Py_XDECREF(read_);                                                               \
    } while (0)

TEST_PY(integer_fields_keep_their_extreme_values)
{
    EXPECT_ROUND_TRIP(h, Py_T_SHORT, SHRT_MIN);
    EXPECT_ROUND_TRIP(h, Py_T_SHORT, SHRT_MAX);
    EXPECT_ROUND_TRIP(i, Py_T_INT, INT_MIN);
    EXPECT_ROUND_TRIP(i, Py_T_INT, INT_MAX);
    EXPECT_ROUND_TRIP(l, Py_T_LONG, LONG_MIN);
    EXPECT_ROUND_TRIP(l, Py_T_LONG, LONG_MAX);
    EXPECT_ROUND_TRIP(b, Py_T_BYTE, SCHAR_MIN);
    EXPECT_ROUND_TRIP(b, Py_T_BYTE, SCHAR_MAX);
    EXPECT_ROUND_TRIP(B, Py_T_UBYTE, UCHAR_MAX);
    EXPECT_ROUND_TRIP(H, Py_T_USHORT, USHRT_MAX);
    EXPECT_ROUND_TRIP(I, Py_T_UINT, (long)UINT_MAX);
    EXPECT_ROUND_TRIP(q, Py_T_LONGLONG, LONG_MIN);
    EXPECT_ROUND_TRIP(q, Py_T_LONGLONG, -1);
    EXPECT_ROUND_TRIP(n, Py_T_PYSSIZET, PY_SSIZE_T_MIN);
    EXPECT_EQ(set_member(MEMBER(L, Py_T_ULONG), PyLong_FromUnsignedLong(ULONG_MAX)), 0);
    EXPECT_EQ(r.L, ULONG_MAX);
    EXPECT_REPR_OF(get_member(MEMBER(L, Py_T_ULONG)), "18446744073709551615");
    EXPECT_EQ(set_member(MEMBER(Q, Py_T_ULONGLONG), PyLong_FromUnsignedLong(ULONG_MAX)),
              0);
    EXPECT_REPR_OF(get_member(MEMBER(Q, Py_T_ULONGLONG)), "18446744073709551615");
    EXPECT_NO_ERROR();
}

TEST_PY(numbers_that_do_not_fit_are_cut_with_a_warning_or_refused)
{
    capture_stderr_begin();
    EXPECT_EQ(set_member(MEMBER(b, Py_T_BYTE), number(300)), 0);
    EXPECT_EQ(set_member(MEMBER(H, Py_T_USHORT), number(-1)), 0);
    EXPECT_EQ(set_member(MEMBER(I, Py_T_UINT), number(-1)), 0);
    EXPECT_EQ(set_member(MEMBER(L, Py_T_ULONG), number(-1)), 0);
    char *printed = capture_stderr_end();
    EXPECT_HAS(printed, "RuntimeWarning: Truncation of value to char");
    EXPECT_HAS(printed, "RuntimeWarning: Truncation of value to unsigned short");
    EXPECT_HAS(printed, "RuntimeWarning: Truncation of value to unsigned int");
    EXPECT_HAS(printed, "RuntimeWarning: Writing negative value into unsigned field");
    free(printed);
    EXPECT_EQ(r.b, 44);
    EXPECT_EQ(r.H, USHRT_MAX);
    EXPECT_EQ(r.L, ULONG_MAX);
    PyObject *huge = PyLong_FromString("100000000000000000000", NULL, 10);
    EXPECT_EQ(set_member(MEMBER(i, Py_T_INT), Py_NewRef(huge)), -1);
    EXPECT_RAISED(PyExc_OverflowError);
    EXPECT_EQ(set_member(MEMBER(L, Py_T_ULONG), Py_NewRef(huge)), -1);
    EXPECT_RAISED(PyExc_OverflowError);
    EXPECT_EQ(set_member(MEMBER(n, Py_T_PYSSIZET), huge), -1);
    EXPECT_RAISED(PyExc_OverflowError);
    EXPECT_EQ(set_member(MEMBER(i, Py_T_INT), Py_None), -1);
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_EQ(set_member(MEMBER(L, Py_T_ULONG), Py_None), -1);
    EXPECT_RAISED(PyExc_TypeError);
}

TEST_PY(floating_point_bool_and_char_fields)
{
    EXPECT_EQ(set_member(MEMBER(f, Py_T_FLOAT), PyFloat_FromDouble(0.5)), 0);
    EXPECT_REPR_OF(get_member(MEMBER(f, Py_T_FLOAT)), "0.5");
    EXPECT_EQ(set_member(MEMBER(d, Py_T_DOUBLE), PyFloat_FromDouble(-1.0)), 0);
    EXPECT_REPR_OF(get_member(MEMBER(d, Py_T_DOUBLE)), "-1.0");
    EXPECT_EQ(set_member(MEMBER(d, Py_T_DOUBLE), Py_None), -1);
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_EQ(set_member(MEMBER(flag, Py_T_BOOL), Py_True), 0);
    EXPECT_REPR_OF(get_member(MEMBER(flag, Py_T_BOOL)), "True");
    EXPECT_EQ(set_member(MEMBER(flag, Py_T_BOOL), number(1)), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "attribute value type must be bool");
    EXPECT_EQ(set_member(MEMBER(c, Py_T_CHAR), text("x")), 0);
    EXPECT_REPR_OF(get_member(MEMBER(c, Py_T_CHAR)), "'x'");
    EXPECT_EQ(set_member(MEMBER(c, Py_T_CHAR), text("xy")), -1);
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_EQ(set_member(MEMBER(c, Py_T_CHAR), Py_None), -1);
    EXPECT_RAISED(PyExc_TypeError);
}

TEST_PY(string_and_none_fields_can_only_be_read)
{
    r.s = "outside";
    strcpy(r.inplace, "inside");
    EXPECT_REPR_OF(get_member(MEMBER(s, Py_T_STRING)), "'outside'");
    EXPECT_REPR_OF(get_member(MEMBER(inplace, Py_T_STRING_INPLACE)), "'inside'");
    EXPECT_REPR_OF(get_member(MEMBER(s, _Py_T_NONE)), "None");
    r.s = NULL;
    EXPECT_REPR_OF(get_member(MEMBER(s, Py_T_STRING)), "None");
    EXPECT_EQ(set_member(MEMBER(s, Py_T_STRING), text("x")), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "readonly attribute");
    EXPECT_EQ(set_member(MEMBER(inplace, Py_T_STRING_INPLACE), text("x")), -1);
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_EQ(set_member(MEMBER(s, _Py_T_NONE), Py_None), -1);
    EXPECT_RAISED(PyExc_TypeError);
}

TEST_PY(object_fields_own_what_they_hold)
{
    PyObject *value = PyList_New(0);
    EXPECT_REPR_OF(get_member(MEMBER(o, T_OBJECT)), "None");
    EXPECT_EQ(set_member(MEMBER(o, T_OBJECT), Py_NewRef(value)), 0);
    EXPECT_EQ(Py_REFCNT(value), 2);
    EXPECT_EQ(set_member(MEMBER(o, T_OBJECT), NULL), 0);
    EXPECT_EQ(Py_REFCNT(value), 1);
    EXPECT_EQ(set_member(MEMBER(o, T_OBJECT), NULL), 0);

    EXPECT_NULL(get_member(MEMBER(ex, T_OBJECT_EX)));
    EXPECT_RAISED_TEXT(PyExc_AttributeError, "'object' object has no attribute 'ex'");
    EXPECT_EQ(set_member(MEMBER(ex, T_OBJECT_EX), NULL), -1);
    EXPECT_RAISED_TEXT(PyExc_AttributeError, "ex");
    EXPECT_EQ(set_member(MEMBER(ex, T_OBJECT_EX), Py_NewRef(value)), 0);
    EXPECT_EQ(get_member(MEMBER(ex, T_OBJECT_EX)), value);
    Py_DECREF(value);
    EXPECT_EQ(set_member(MEMBER(ex, T_OBJECT_EX), NULL), 0);
    EXPECT_EQ(Py_REFCNT(value), 1);
    Py_DECREF(value);
}

TEST_PY(readonly_undeletable_and_unknown_members_are_refused)
{
    PyMemberDef fixed = {"i", T_INT, offsetof(record, i), READONLY, NULL};
    PyMemberDef relative = {"i", T_INT, offsetof(record, i), Py_RELATIVE_OFFSET, NULL};
    EXPECT_EQ(set_member(fixed, number(1)), -1);
    EXPECT_RAISED_TEXT(PyExc_AttributeError, "readonly attribute");
    EXPECT_EQ(set_member(MEMBER(i, T_INT), NULL), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "can't delete numeric/char attribute");
    EXPECT_NULL(get_member(MEMBER(i, 99)));
    EXPECT_RAISED_TEXT(PyExc_SystemError, "bad memberdescr type for i");
    EXPECT_EQ(set_member(MEMBER(i, 99), number(1)), -1);
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_NULL(get_member(relative));
    EXPECT_RAISED_TEXT(PyExc_SystemError, "PyMember_GetOne used with Py_RELATIVE_OFFSET");
    EXPECT_EQ(set_member(relative, number(1)), -1);
    EXPECT_RAISED_TEXT(PyExc_SystemError, "PyMember_SetOne used with Py_RELATIVE_OFFSET");
}
