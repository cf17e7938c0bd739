/* SPDX-License-Identifier: MIT */
/* UTF-7. */
#include "../protocol.h"

static PyObject *
from_utf7(const char *s)
{
    return PyUnicode_DecodeUTF7(s, (Py_ssize_t)strlen(s), NULL);
}

TEST_PY(utf7_is_ascii_and_base64)
{
    EXPECT_REPR_OF(from_utf7("Hi Mom -+Jjo--!"), "'Hi Mom -\xE2\x98\xBA-!'");
    EXPECT_REPR_OF(from_utf7("1 +- 1"), "'1 + 1'");
    EXPECT_REPR_OF(from_utf7("+2D3eAA-"), "'\xF0\x9F\x98\x80'");
    EXPECT_REPR_OF(from_utf7("+AKM."), "'\xC2\xA3.'");
    EXPECT_REPR_OF(from_utf7("+AKM"), "'\xC2\xA3'");
}

TEST_PY(bad_utf7_is_a_decode_error_with_its_place)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"a\xE9", "'utf7' codec can't decode byte 0xe9 in position 1: unexpected special "
                  "character"},
        {"+", "'utf7' codec can't decode byte 0x2b in position 0: unterminated shift "
              "sequence"},
        {"+A.", "'utf7' codec can't decode bytes in position 0-2: partial character in "
                "base64 sequence"},
        {"+AKP-", "'utf7' codec can't decode bytes in position 0-4: non-zero padding "
                  "bits in base64 sequence"},
        {"+!", "'utf7' codec can't decode bytes in position 0-1: ill-formed sequence"},
    };
    for (size_t i = 0; i < Py_ARRAY_LENGTH(cases); i++) {
        EXPECT_NULL(from_utf7(cases[i].text));
        EXPECT_RAISED_TEXT(PyExc_UnicodeDecodeError, cases[i].message);
    }
}

TEST_PY(a_part_of_utf7_that_is_cut_can_wait)
{
    Py_ssize_t consumed;
    EXPECT_REPR_OF(PyUnicode_DecodeUTF7Stateful("ab+AK", 5, NULL, &consumed), "'ab'");
    EXPECT_EQ(consumed, 2);
    EXPECT_REPR_OF(PyUnicode_DecodeUTF7Stateful("+AKM-", 5, NULL, &consumed),
                   "'\xC2\xA3'");
    EXPECT_EQ(consumed, 5);
}
