/* SPDX-License-Identifier: MIT */
/* Hash functions. */
#include "../protocol.h"

TEST_PY(the_hash_of_text_is_that_of_its_bytes)
{
    PyObject *s = text("some text"), *b = PyBytes_FromString("some text");
    EXPECT_EQ(PyObject_Hash(s), PyObject_Hash(b));
    EXPECT_EQ(PyObject_Hash(s), Py_HashBuffer("some text", 9));
    EXPECT_EQ(Py_HashBuffer("", 0), 0);
    Py_DECREF(s);
    Py_DECREF(b);
}

TEST(every_byte_and_the_length_change_the_hash)
{
    char buffer[64];
    memset(buffer, 0, sizeof buffer);
    Py_hash_t lengths[65];
    for (int length = 1; length <= 64; length++) {
        Py_hash_t plain = lengths[length] = Py_HashBuffer(buffer, length);
        EXPECT(length == 1 || plain != lengths[length - 1]);
        for (int i = 0; i < length; i++) {
            buffer[i] = 1;
            EXPECT_NE(Py_HashBuffer(buffer, length), plain);
            buffer[i] = 0;
        }
    }
}

TEST(low_bits_of_text_hashes_are_spread)
{
    unsigned seen[256] = {0};
    for (int i = 0; i < 25600; i++) {
        char name[16];
        int length = snprintf(name, sizeof name, "key%d", i);
        seen[Py_HashBuffer(name, length) & 255]++;
    }
    for (int i = 0; i < 256; i++) {
        EXPECT(seen[i] > 50 && seen[i] < 170);
    }
}

TEST(numbers_hash_by_value_and_pointers_by_address)
{
    EXPECT_EQ(Py_HashDouble(NULL, 1.0), 1);
    EXPECT_EQ(Py_HashDouble(NULL, -1.0), -2);
    EXPECT_EQ(Py_HashDouble(NULL, 0.5), (Py_hash_t)1 << 60);
    EXPECT_EQ(Py_HashDouble(NULL, INFINITY), 314159);
    int a, b;
    EXPECT_NE(Py_HashPointer(&a), Py_HashPointer(&b));
}
