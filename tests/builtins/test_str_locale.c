/* SPDX-License-Identifier: MIT */
/* Text in the encoding of the locale. */
#include "../protocol.h"

#include <locale.h>
#include <wchar.h>

TEST_PY(ascii_is_the_same_in_every_locale)
{
    PyObject *str = PyUnicode_DecodeLocale("abc", "strict");
    EXPECT_REPR_OF(PyUnicode_EncodeLocale(str, NULL), "b'abc'");
    EXPECT_REPR_OF(Py_XNewRef(str), "'abc'");
    Py_DECREF(str);
}

TEST_PY(bytes_that_mean_nothing_come_back_as_they_were)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    PyObject *str = PyUnicode_DecodeLocale("a\xFFz", "surrogateescape");
    EXPECT_REPR_OF(PyUnicode_EncodeLocale(str, "surrogateescape"), "b'a\\xffz'");
    EXPECT_EQ(PyUnicode_ReadChar(str, 1), 0xDCFF);
    EXPECT_NULL(PyUnicode_EncodeLocale(str, "strict"));
    EXPECT_RAISED(PyExc_UnicodeEncodeError);
    EXPECT_NULL(PyUnicode_DecodeLocale("a\xFFz", NULL));
    EXPECT_RAISED_TEXT(PyExc_UnicodeDecodeError, "'locale' codec can't decode byte 0xff "
                                                 "in position 1: decoding error");
    Py_XDECREF(str);
}

TEST_PY(a_locale_wants_one_of_two_error_handlers_and_no_nul)
{
    EXPECT_NULL(PyUnicode_DecodeLocale("a", "ignore"));
    EXPECT_RAISED_TEXT(PyExc_ValueError, "unsupported error handler: ignore");
    EXPECT_NULL(PyUnicode_DecodeLocaleAndSize("a\0b", 3, NULL));
    EXPECT_RAISED_TEXT(PyExc_ValueError, "embedded null byte");
}

TEST(the_locale_can_be_decoded_without_an_interpreter)
{
    size_t size, bad;
    setlocale(LC_CTYPE, "C.UTF-8");
    wchar_t *wide = Py_DecodeLocale("x\xFF", &size);
    REQUIRE_NOT_NULL(wide);
    EXPECT(size == 2 && wide[0] == L'x' && wide[1] == 0xDCFF);
    char *bytes = Py_EncodeLocale(wide, &bad);
    EXPECT_STR(bytes, "x\xFF");
    EXPECT_EQ(bad, (size_t)-1);
    const wchar_t lone[] = {L'a', 0xD800, 0};
    EXPECT_NULL(Py_EncodeLocale(lone, &bad));
    EXPECT_EQ(bad, 1);
    PyMem_RawFree(wide);
    PyMem_Free(bytes);
}
