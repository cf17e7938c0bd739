/* SPDX-License-Identifier: MIT */
/* What each unit accepts, stores and refuses. */
#include "args.h"

#define INT(v)   Py_BuildValue("(i)", (v))
#define BIG(v)   Py_BuildValue("(L)", (long long)(v))
#define HUGE_INT Py_BuildValue("(K)", ~0ull)
#define STR(v)   Py_BuildValue("(s)", (v))
#define BYTES(v) Py_BuildValue("(y)", (v))
#define NONE     Py_BuildValue("(O)", Py_None)
#define FLOAT(v) Py_BuildValue("(d)", (v))

TEST_PY(small_integers_are_checked)
{
    unsigned char b = 0;
    short h = 0;
    int i = 0;
    long l = 0;
    EXPECT_PARSED(INT(255), "b", &b);
    EXPECT_EQ(b, 255);
    EXPECT_REFUSED(INT(-1), PyExc_OverflowError,
                   "unsigned byte integer is less than minimum", "b", &b);
    EXPECT_REFUSED(INT(256), PyExc_OverflowError,
                   "unsigned byte integer is greater than maximum", "b", &b);
    EXPECT_PARSED(INT(-32768), "h", &h);
    EXPECT_EQ(h, -32768);
    EXPECT_REFUSED(INT(-32769), PyExc_OverflowError,
                   "signed short integer is less than minimum", "h", &h);
    EXPECT_REFUSED(INT(32768), PyExc_OverflowError,
                   "signed short integer is greater than maximum", "h", &h);
    EXPECT_PARSED(INT(-5), "i", &i);
    EXPECT_EQ(i, -5);
    EXPECT_REFUSED(BIG(1LL << 31), PyExc_OverflowError,
                   "signed integer is greater than maximum", "i", &i);
    EXPECT_REFUSED(BIG(-1 - (1LL << 31)), PyExc_OverflowError,
                   "signed integer is less than minimum", "i", &i);
    EXPECT_EQ(i, -5);
    EXPECT_PARSED(BIG(LONG_MIN), "l", &l);
    EXPECT_EQ(l, LONG_MIN);
    EXPECT_REFUSED(HUGE_INT, PyExc_OverflowError,
                   "Python int too large to convert to C long", "l", &l);
    EXPECT_REFUSED(FLOAT(2.5), PyExc_TypeError,
                   "'float' object cannot be interpreted as an integer", "i:f", &i);
    EXPECT_REFUSED(STR("1"), PyExc_TypeError,
                   "'str' object cannot be interpreted as an integer", "b", &b);
}

TEST_PY(large_integers_are_checked)
{
    long long L = 0;
    Py_ssize_t n = 0;
    EXPECT_PARSED(BIG(LLONG_MIN), "L", &L);
    EXPECT_EQ(L, LLONG_MIN);
    EXPECT_PARSED(INT(-1), "L", &L);
    EXPECT_EQ(L, -1);
    EXPECT_REFUSED(NONE, PyExc_TypeError,
                   "'NoneType' object cannot be interpreted as an integer", "L", &L);
    EXPECT_EQ(PyArg_Parse(Py_None, "n", &n), 0);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "'NoneType' object cannot be interpreted as an integer");
    EXPECT_PARSED(INT(-1), "n", &n);
    EXPECT_EQ(n, -1);
    EXPECT_REFUSED(HUGE_INT, PyExc_OverflowError,
                   "Python int too large to convert to C ssize_t", "n", &n);
}

TEST_PY(unsigned_integers_wrap_around)
{
    unsigned char B = 0;
    unsigned short H = 0;
    unsigned int I = 0;
    unsigned long k = 0;
    unsigned long long K = 0;
    EXPECT_PARSED(INT(-1), "B", &B);
    EXPECT_EQ(B, 255);
    EXPECT_PARSED(INT(-1), "H", &H);
    EXPECT_EQ(H, 65535);
    EXPECT_PARSED(INT(-1), "I", &I);
    EXPECT_EQ(I, UINT_MAX);
    EXPECT_PARSED(INT(-1), "k", &k);
    EXPECT_EQ(k, ULONG_MAX);
    EXPECT_PARSED(INT(-1), "K", &K);
    EXPECT(K == ULLONG_MAX);
    EXPECT_PARSED(HUGE_INT, "K", &K);
    EXPECT(K == ULLONG_MAX);
    EXPECT_REFUSED(FLOAT(1.0), PyExc_TypeError,
                   "'float' object cannot be interpreted as an integer", "H", &H);
    EXPECT_REFUSED(FLOAT(1.0), PyExc_TypeError, "f() argument 1 must be int, not float",
                   "k:f", &k);
    EXPECT_REFUSED(NONE, PyExc_TypeError, "argument 1 must be int, not None", "K", &K);
}

TEST_PY(unsigned_integers_out_of_range_are_cut_with_a_warning)
{
    static const struct {
        const char *unit, *low, *high, *below, *above;
    } cases[] = {
        {"B", "-0x80", "0xff", "-0x81", "0x100"},
        {"H", "-0x8000", "0xffff", "-0x8001", "0x10000"},
        {"I", "-0x80000000", "0xffffffff", "-0x80000001", "0x100000000"},
        {"k", "-0x8000000000000000", "0xffffffffffffffff", "-0x8000000000000001",
         "0x10000000000000000"},
        {"K", "-0x8000000000000000", "0xffffffffffffffff", "-0x8000000000000001",
         "0x10000000000000000"},
    };
    for (size_t i = 0; i < Py_ARRAY_LENGTH(cases); i++) {
        const char *values[] = {cases[i].low, cases[i].high, cases[i].below,
                                cases[i].above};
        for (int j = 0; j < 4; j++) {
            unsigned long long target = 0;
            PyObject *value = PyLong_FromString(values[j], NULL, 0);
            capture_stderr_begin();
            EXPECT_EQ(PyArg_Parse(value, cases[i].unit, &target), 1);
            char *said = capture_stderr_end();
            EXPECT_STR(said,
                       j < 2 ? "" : "DeprecationWarning: integer value out of range\n");
            free(said);
            Py_DECREF(value);
        }
    }
}

TEST_PY(floats_and_truth)
{
    float f = 0;
    double d = 0;
    int p = -1;
    EXPECT_PARSED(FLOAT(2.5), "f", &f);
    EXPECT(f == 2.5f);
    EXPECT_PARSED(INT(3), "d", &d);
    EXPECT(d == 3.0);
    EXPECT_PARSED(FLOAT(-1.0), "d", &d);
    EXPECT(d == -1.0);
    EXPECT_REFUSED(STR("x"), PyExc_TypeError, "must be real number, not str", "d", &d);
    Py_complex in = {1.5, -2.0}, out = {0, 0};
    EXPECT_PARSED(Py_BuildValue("(D)", &in), "D", &out);
    EXPECT(out.real == 1.5 && out.imag == -2.0);
    EXPECT_PARSED(FLOAT(-1.0), "D", &out);
    EXPECT(out.real == -1.0 && out.imag == 0.0);
    EXPECT_REFUSED(STR("x"), PyExc_TypeError, "must be real number, not str", "D", &out);
    EXPECT_PARSED(NONE, "p", &p);
    EXPECT_EQ(p, 0);
    EXPECT_PARSED(INT(8), "p", &p);
    EXPECT_EQ(p, 1);
}

TEST_PY(single_characters)
{
    char c = 0;
    int C = 0;
    EXPECT_PARSED(BYTES("a"), "c", &c);
    EXPECT_EQ(c, 'a');
    EXPECT_REFUSED(BYTES("ab"), PyExc_TypeError,
                   "argument 1 must be a byte string of length 1, not a bytes object of "
                   "length 2",
                   "c", &c);
    EXPECT_REFUSED(STR("a"), PyExc_TypeError,
                   "argument 1 must be a byte string of length 1, not str", "c", &c);
    EXPECT_PARSED(STR("\xe4\xb8\x80"), "C", &C);
    EXPECT_EQ(C, 0x4e00);
    EXPECT_REFUSED(STR("ab"), PyExc_TypeError,
                   "argument 1 must be a unicode character, not a string of length 2",
                   "C", &C);
    EXPECT_REFUSED(INT(1), PyExc_TypeError,
                   "argument 1 must be a unicode character, not int", "C", &C);
}

TEST_PY(text_is_borrowed)
{
    const char *s = "";
    EXPECT_PARSED(STR("a text"), "s", &s);
    EXPECT_PARSED(STR("a text"), "z", &s);
    EXPECT_PARSED(NONE, "z", &s);
    EXPECT_NULL(s);
    PyObject *args = BYTES("bytes");
    EXPECT_EQ(PyArg_ParseTuple(args, "y", &s), 1);
    EXPECT_EQ(s, PyBytes_AS_STRING(PyTuple_GET_ITEM(args, 0)));
    Py_DECREF(args);
    EXPECT_REFUSED(Py_BuildValue("(s#)", "a\0b", (Py_ssize_t)3), PyExc_ValueError,
                   "embedded null character", "s", &s);
    EXPECT_REFUSED(Py_BuildValue("(y#)", "a\0b", (Py_ssize_t)3), PyExc_ValueError,
                   "embedded null byte", "y", &s);
    EXPECT_REFUSED(BYTES("x"), PyExc_TypeError, "argument 1 must be str, not bytes", "s",
                   &s);
    EXPECT_REFUSED(INT(1), PyExc_TypeError, "argument 1 must be str or None, not int",
                   "z", &s);
    EXPECT_REFUSED(STR("x"), PyExc_TypeError,
                   "a bytes-like object is required, not 'str'", "y", &s);
}

TEST_PY(text_with_its_length_may_have_nuls)
{
    const char *s = NULL;
    Py_ssize_t n = 0;
    EXPECT_PARSED(Py_BuildValue("(s#)", "a\0b", (Py_ssize_t)3), "s#", &s, &n);
    EXPECT_EQ(n, 3);
    EXPECT_PARSED(Py_BuildValue("(y#)", "a\0bc", (Py_ssize_t)4), "s#", &s, &n);
    EXPECT_EQ(n, 4);
    EXPECT_PARSED(BYTES("ab"), "y#", &s, &n);
    EXPECT_EQ(n, 2);
    EXPECT_PARSED(NONE, "z#", &s, &n);
    EXPECT_NULL(s);
    EXPECT_EQ(n, 0);
    EXPECT_REFUSED(NONE, PyExc_TypeError,
                   "a bytes-like object is required, not 'NoneType'", "s#", &s, &n);
    EXPECT_REFUSED(STR("x"), PyExc_TypeError,
                   "a bytes-like object is required, not 'str'", "y#", &s, &n);
}

TEST_PY(buffers_are_filled)
{
    Py_buffer view;
    PyObject *args = STR("text");
    EXPECT_EQ(PyArg_ParseTuple(args, "s*", &view), 1);
    EXPECT_EQ(view.obj, PyTuple_GET_ITEM(args, 0));
    Py_DECREF(args); /* the view lives on */
    EXPECT_EQ(memcmp(view.buf, "text", 4), 0);
    PyBuffer_Release(&view);
    EXPECT_PARSED(BYTES("bytes"), "y*", &view);
    EXPECT_EQ(view.len, 5);
    PyBuffer_Release(&view);
    EXPECT_PARSED(NONE, "z*", &view);
    EXPECT_NULL(view.buf);
    EXPECT_EQ(view.len, 0);
    PyBuffer_Release(&view);
    EXPECT_REFUSED(STR("x"), PyExc_TypeError,
                   "a bytes-like object is required, not 'str'", "y*", &view);
    EXPECT_REFUSED(BYTES("x"), PyExc_TypeError,
                   "argument 1 must be read-write bytes-like object, not bytes", "w*",
                   &view);
    EXPECT_REFUSED(BYTES("x"), PyExc_SystemError,
                   "argument 1 (invalid use of 'w' format character)", "w", &view);
}

TEST_PY(text_is_encoded_into_memory)
{
    char *e = NULL;
    EXPECT_PARSED(STR("\xc3\xa4x"), "es", "latin-1", &e);
    EXPECT_STR(e, "\xe4x");
    PyMem_Free(e);
    EXPECT_PARSED(BYTES("raw\xff"), "et", "ascii", &e);
    EXPECT_STR(e, "raw\xff");
    PyMem_Free(e);
    e = NULL;
    EXPECT_REFUSED(STR("\xc3\xa4"), PyExc_UnicodeEncodeError,
                   "'ascii' codec can't encode character '\\xe4' in position 0: ordinal "
                   "not in range(128)",
                   "es", "ascii", &e);
    EXPECT_REFUSED(STR("x"), PyExc_LookupError, "unknown encoding: nope", "es", "nope",
                   &e);
    EXPECT_REFUSED(BYTES("x"), PyExc_TypeError, "argument 1 must be str, not bytes", "es",
                   NULL, &e);
    EXPECT_REFUSED(INT(1), PyExc_TypeError,
                   "argument 1 must be str, bytes or bytearray, not int", "et", NULL, &e);
    EXPECT_REFUSED(Py_BuildValue("(s#)", "a\0b", (Py_ssize_t)3), PyExc_TypeError,
                   "argument 1 must be encoded string without null bytes, not str", "es",
                   NULL, &e);
    EXPECT_NULL(e);
}

TEST_PY(encoded_text_with_its_length)
{
    char *e = NULL, room[4];
    Py_ssize_t n = 0;
    EXPECT_PARSED(Py_BuildValue("(s#)", "a\0b", (Py_ssize_t)3), "es#", NULL, &e, &n);
    EXPECT_EQ(n, 3);
    EXPECT_EQ(memcmp(e, "a\0b", 4), 0);
    PyMem_Free(e);
    e = room;
    n = sizeof(room);
    EXPECT_PARSED(STR("abc"), "es#", NULL, &e, &n);
    EXPECT_EQ(e, room);
    EXPECT_STR(room, "abc");
    EXPECT_EQ(n, 3);
    EXPECT_REFUSED(STR("xyz"), PyExc_ValueError,
                   "encoded string too long (3, maximum length 2)", "es#", NULL, &e, &n);
    EXPECT_STR(room, "abc");
    EXPECT_REFUSED(STR("x"), PyExc_SystemError, "argument 1 (buffer_len is NULL)", "es#",
                   NULL, &e, NULL);
    EXPECT_REFUSED(STR("x"), PyExc_SystemError, "argument 1 (buffer is NULL)", "es", NULL,
                   NULL);
    EXPECT_REFUSED(STR("x"), PyExc_SystemError,
                   "argument 1 (unknown parser marker combination)", "ex", NULL, NULL);
}

TEST_PY(objects_are_borrowed)
{
    PyObject *o = NULL, *mine = PyList_New(0);
    EXPECT_SAME_COUNT(mine, EXPECT_PARSED(Py_BuildValue("(O)", mine), "O", &o));
    EXPECT_EQ(o, mine);
    EXPECT_PARSED(Py_BuildValue("(O)", mine), "O!", &PyList_Type, &o);
    EXPECT_REFUSED(Py_BuildValue("(O)", mine), PyExc_TypeError,
                   "f() argument 1 must be dict, not list", "O!:f", &PyDict_Type, &o);
    EXPECT_PARSED(BYTES("x"), "S", &o);
    EXPECT_PARSED(STR("x"), "U", &o);
    EXPECT_REFUSED(STR("x"), PyExc_TypeError, "argument 1 must be bytes, not str", "S",
                   &o);
    EXPECT_REFUSED(BYTES("x"), PyExc_TypeError, "argument 1 must be str, not bytes", "U",
                   &o);
    Py_DECREF(mine);
}

static int converted, undone;

static int
count_conversions(PyObject *o, void *target)
{
    EXPECT_EQ(target, &converted);
    converted += o != NULL;
    undone += o == NULL;
    return Py_CLEANUP_SUPPORTED;
}

static int
refuse_silently(PyObject *Py_UNUSED(o), void *Py_UNUSED(target))
{
    return 0;
}

static int
refuse_loudly(PyObject *Py_UNUSED(o), void *Py_UNUSED(target))
{
    PyErr_SetString(PyExc_KeyError, "no");
    return 0;
}

TEST_PY(converters_are_called_and_called_back)
{
    const char *s;
    EXPECT_PARSED(Py_BuildValue("(is)", 1, "x"), "O&s", count_conversions, &converted,
                  &s);
    EXPECT_EQ(converted, 1);
    EXPECT_EQ(undone, 0);
    EXPECT_REFUSED(Py_BuildValue("(iii)", 1, 2, 3), PyExc_TypeError,
                   "argument 3 must be str, not int", "O&O&s", count_conversions,
                   &converted, count_conversions, &converted, &s);
    EXPECT_EQ(converted, 3);
    EXPECT_EQ(undone, 2);
    EXPECT_REFUSED(INT(1), PyExc_KeyError, "'no'", "O&", refuse_loudly, NULL);
    EXPECT_REFUSED(INT(1), PyExc_SystemError, "f() argument 1 (unspecified)", "O&:f",
                   refuse_silently, NULL);
}
