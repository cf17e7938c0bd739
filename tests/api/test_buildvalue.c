/* SPDX-License-Identifier: MIT */
/* Objects from C values. */
#include "../protocol.h"

TEST_PY(the_number_of_units_decides_the_shape)
{
    EXPECT_REPR_OF(Py_BuildValue(""), "None");
    EXPECT_REPR_OF(Py_BuildValue("i", 1), "1");
    EXPECT_REPR_OF(Py_BuildValue("ii", 1, 2), "(1, 2)");
    EXPECT_REPR_OF(Py_BuildValue("()"), "()");
    EXPECT_REPR_OF(Py_BuildValue("(i)", 1), "(1,)");
    EXPECT_REPR_OF(Py_BuildValue("[]"), "[]");
    EXPECT_REPR_OF(Py_BuildValue("[i,i]", 1, 2), "[1, 2]");
    EXPECT_REPR_OF(Py_BuildValue("{}"), "{}");
    EXPECT_REPR_OF(Py_BuildValue("{s:i,s:[i]}", "a", 1, "b", 2), "{'a': 1, 'b': [2]}");
    EXPECT_REPR_OF(Py_BuildValue("((ii)(ii)) (ii)", 1, 2, 3, 4, 5, 6),
                   "(((1, 2), (3, 4)), (5, 6))");
    EXPECT_REPR_OF(Py_BuildValue(" { s : ( i ,\ti ) } ", "a", 1, 2), "{'a': (1, 2)}");
}

TEST_PY(numbers_are_built)
{
    EXPECT_REPR_OF(Py_BuildValue("bBhHiI", -1, 255, -3, 65535, -5, ~0u),
                   "(-1, 255, -3, 65535, -5, 4294967295)");
    EXPECT_REPR_OF(Py_BuildValue("lkLKn", -7L, ~0ul, -9LL, ~0ull, (Py_ssize_t)-11),
                   "(-7, 18446744073709551615, -9, 18446744073709551615, -11)");
    EXPECT_REPR_OF(Py_BuildValue("fd", 1.5, 2.5), "(1.5, 2.5)");
    EXPECT_REPR_OF(Py_BuildValue("pp", 0, 2), "(False, True)");
}

TEST_PY(text_is_built)
{
    EXPECT_REPR_OF(Py_BuildValue("cC", 'a', 'b'), "(b'a', 'b')");
    EXPECT_REPR_OF(Py_BuildValue("szUy", "a", "b", "c", "d"), "('a', 'b', 'c', b'd')");
    EXPECT_REPR_OF(Py_BuildValue("szUyu", NULL, NULL, NULL, NULL, NULL),
                   "(None, None, None, None, None)");
    EXPECT_REPR_OF(Py_BuildValue("s#y#", "abc", (Py_ssize_t)2, "a\0b", (Py_ssize_t)3),
                   "('ab', b'a\\x00b')");
    EXPECT_REPR_OF(Py_BuildValue("uu#", L"wide", L"wide", (Py_ssize_t)2),
                   "('wide', 'wi')");
    EXPECT_NULL(Py_BuildValue("s", "\xff"));
    EXPECT_RAISED(PyExc_UnicodeDecodeError);
    EXPECT_NULL(Py_BuildValue("C", 0x110000));
    EXPECT_RAISED_TEXT(PyExc_ValueError, "chr() arg not in range(0x110000)");
}

static PyObject *
int_from(void *value)
{
    return PyLong_FromLong(*(int *)value);
}

static PyObject *
raise_key_error(void *Py_UNUSED(value))
{
    PyErr_SetString(PyExc_KeyError, "made");
    return NULL;
}

static PyObject *
fail_silently(void *Py_UNUSED(value))
{
    return NULL;
}

TEST_PY(a_function_that_fails_without_an_exception_is_a_system_error)
{
    EXPECT_NULL(Py_BuildValue("(iO&)", 1, fail_silently, NULL));
    EXPECT_RAISED_TEXT(PyExc_SystemError, "NULL object passed to Py_BuildValue");
    EXPECT_NULL(Py_BuildValue("O&", fail_silently, NULL));
    EXPECT_RAISED(PyExc_SystemError);
}

TEST_PY(objects_are_shared_or_handed_over)
{
    PyObject *o = PyList_New(0);
    int value = 12;
    PyObject *built = Py_BuildValue("(OSN)", o, o, Py_NewRef(o));
    EXPECT_EQ(Py_REFCNT(o), 4);
    Py_DECREF(built);
    EXPECT_EQ(Py_REFCNT(o), 1);
    EXPECT_REPR_OF(Py_BuildValue("O&", int_from, &value), "12");
    Py_DECREF(o);
}

/* Whatever fails, the references handed over with N are released. */
TEST_PY(handed_over_references_are_released_on_failure)
{
    PyObject *o = PyList_New(0);
#define BUILD_FAILS(...) EXPECT_SAME_COUNT(o, EXPECT_NULL(Py_BuildValue(__VA_ARGS__)))
    BUILD_FAILS("(NON)", Py_NewRef(o), NULL, Py_NewRef(o));
    EXPECT_RAISED_TEXT(PyExc_SystemError, "NULL object passed to Py_BuildValue");
    BUILD_FAILS("[sN(N)]", "\xff", Py_NewRef(o), Py_NewRef(o));
    EXPECT_RAISED(PyExc_UnicodeDecodeError);
    BUILD_FAILS("{s:N,O&:N}", "a", Py_NewRef(o), raise_key_error, NULL, Py_NewRef(o));
    EXPECT_RAISED(PyExc_KeyError);
    BUILD_FAILS("{N:i,i:N}", Py_NewRef(o), 1, 2, Py_NewRef(o));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "cannot use 'list' as a dict key (unhashable type: 'list')");
    BUILD_FAILS("O&N", raise_key_error, NULL, Py_NewRef(o));
    EXPECT_RAISED(PyExc_KeyError);
#undef BUILD_FAILS
    Py_DECREF(o);
}

TEST_PY(a_null_object_passes_a_pending_exception_on)
{
    PyErr_SetString(PyExc_KeyError, "before");
    EXPECT_NULL(Py_BuildValue("O", NULL));
    EXPECT_RAISED(PyExc_KeyError);
}

TEST_PY(a_bad_build_format_is_a_system_error)
{
    static const char *const unmatched[] = {"(i", "[i)", "{i:i", "(i]", "ii)", "i)"};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(unmatched); i++) {
        EXPECT_NULL(Py_BuildValue(unmatched[i], 1, 2));
        EXPECT(PyErr_ExceptionMatches(PyExc_SystemError));
        char said[100];
        take_raised_text(said, sizeof(said));
        EXPECT_HAS(said, "nmatched paren in format");
    }
    EXPECT_NULL(Py_BuildValue("(iq)", 1, 2));
    EXPECT_RAISED_TEXT(PyExc_SystemError, "bad format char 'q' passed to Py_BuildValue");
    EXPECT_NULL(Py_BuildValue("i#", 1));
    EXPECT_RAISED_TEXT(PyExc_SystemError, "bad format char '#' passed to Py_BuildValue");
    EXPECT_NULL(Py_BuildValue("{i}", 1));
    EXPECT_RAISED_TEXT(PyExc_SystemError, "Bad dict format");
}

static PyObject *
build_much(void)
{
    PyObject *o = PyList_New(0);
    return o == NULL ? NULL
                     : Py_BuildValue("{s:(iNdy),s:[lC]}", "first", 1000000, o, 2.5,
                                     "bytes", "second", 123456789L, 0x4e00);
}

TEST_PY(building_survives_each_allocation_failing)
{
    repeat_without_leak(build_much);
    fail_each_allocation(build_much);
}

static PyObject *
build_from_list(const char *format, ...)
{
    va_list vargs;
    va_start(vargs, format);
    PyObject *result = Py_VaBuildValue(format, vargs);
    va_end(vargs);
    return result;
}

TEST_PY(values_are_built_from_a_va_list)
{
    EXPECT_REPR_OF(build_from_list("(is)", 1, "a"), "(1, 'a')");
    EXPECT_NULL(build_from_list("(i", 1));
    EXPECT_RAISED(PyExc_SystemError);
}
