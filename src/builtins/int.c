/* SPDX-License-Identifier: MIT */
/* int objects: allocation, the shared small ints, comparison, hash, the type.
 *
 * Arithmetic is in int_arithmetic.c, conversion from and to C in int_convert.c, text in
 * int_text.c, and the algorithms on digits in int_digits.c. */
#include "int_object.h"

#include "arguments.h"

/* --- small ints: one immortal object for each value from -5 to 256 ---------------------- */

#define SMALL_INT_FIRST (-5)
#define SMALL_INT_LAST  256

#define ONE_INT(i)                                                                       \
    {                                                                                    \
        PyVarObject_HEAD_INIT(&PyLong_Type, ((i) > 0) - ((i) < 0))                       \
        {                                                                                \
            (i) < 0 ? -(i) : (i), 0                                                      \
        }                                                                                \
    }
#define FOUR_INTS(i) ONE_INT(i), ONE_INT((i) + 1), ONE_INT((i) + 2), ONE_INT((i) + 3)
#define SIXTEEN_INTS(i)                                                                  \
    FOUR_INTS(i), FOUR_INTS((i) + 4), FOUR_INTS((i) + 8), FOUR_INTS((i) + 12)
#define MANY_INTS(i)                                                                     \
    SIXTEEN_INTS(i), SIXTEEN_INTS((i) + 16), SIXTEEN_INTS((i) + 32),                     \
        SIXTEEN_INTS((i) + 48)

/* clang-format off */
static PyLongObject small_ints[SMALL_INT_LAST - SMALL_INT_FIRST + 1] = {
    ONE_INT(-5), ONE_INT(-4), ONE_INT(-3), ONE_INT(-2), ONE_INT(-1),
    MANY_INTS(0), MANY_INTS(64), MANY_INTS(128), MANY_INTS(192), ONE_INT(256),
};
/* clang-format on */

/* 256 GiB of digits: more is surely a mistake. */
#define INT_DIGITS_MAX ((Py_ssize_t)1 << 36)

/* --- allocation ------------------------------------------------------------------------- */

PyLongObject *
ouro_int_allocate(Py_ssize_t count)
{
    if (count > INT_DIGITS_MAX) {
        PyErr_SetString(PyExc_OverflowError, "too many digits in integer");
        return NULL;
    }
    size_t room = (size_t)(count < 2 ? 2 : count) * sizeof(uint32_t);
    PyLongObject *v = PyObject_Malloc(offsetof(PyLongObject, ob_digit) + room);
    return (PyLongObject *)PyObject_InitVar((PyVarObject *)v, &PyLong_Type, count);
}

PyObject *
ouro_int_from_magnitude(ouro_uint128 magnitude, bool negative)
{
    if (magnitude <= (negative ? -SMALL_INT_FIRST : SMALL_INT_LAST)) {
        int value = negative ? -(int)magnitude : (int)magnitude;
        return (PyObject *)&small_ints[value - SMALL_INT_FIRST];
    }
    Py_ssize_t count = 0;
    for (ouro_uint128 rest = magnitude; rest != 0; rest >>= 32) {
        count++;
    }
    PyLongObject *v = ouro_int_allocate(count);
    if (v == NULL) {
        return NULL;
    }
    uint32_t *digits = ouro_int_digits(v);
    digits[1] = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        digits[i] = (uint32_t)magnitude;
        magnitude >>= 32;
    }
    Py_SET_SIZE(v, negative ? -count : count);
    return (PyObject *)v;
}

PyObject *
ouro_int_from128(ouro_int128 value)
{
    ouro_uint128 magnitude = value < 0 ? -(ouro_uint128)value : (ouro_uint128)value;
    return ouro_int_from_magnitude(magnitude, value < 0);
}

PyObject *
ouro_int_normal(PyLongObject *v, bool negative)
{
    Py_ssize_t count = ouro_digits_trim(ouro_int_digits(v), ouro_int_count(v));
    if (count <= 1) {
        uint32_t magnitude = count == 0 ? 0 : v->ob_digit[0];
        if (magnitude <= (negative ? -SMALL_INT_FIRST : SMALL_INT_LAST)) {
            Py_DECREF(v);
            return ouro_int_from_magnitude(magnitude, negative);
        }
        v->ob_digit[1] = 0;
    }
    Py_SET_SIZE(v, negative ? -count : count);
    return (PyObject *)v;
}

/* --- slots ------------------------------------------------------------------------------- */

int
ouro_int_compare(PyObject *a, PyObject *b)
{
    PyLongObject *v = ouro_int(a), *w = ouro_int(b);
    bool negative = ouro_int_negative(v);
    if (negative != ouro_int_negative(w)) {
        return negative ? -1 : 1;
    }
    int order = ouro_digits_compare(ouro_int_digits(v), ouro_int_count(v),
                                    ouro_int_digits(w), ouro_int_count(w));
    return negative ? -order : order;
}

static PyObject *
int_richcompare(PyObject *a, PyObject *b, int op)
{
    if (!PyLong_Check(a) || !PyLong_Check(b)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    int order = a == b ? 0 : ouro_int_compare(a, b);
    Py_RETURN_RICHCOMPARE(order, 0, op);
}

/* The value modulo 2^61 - 1; see hash.c. */
static Py_hash_t
int_hash(PyObject *self)
{
    PyLongObject *v = ouro_int(self);
    const uint32_t *digits = ouro_int_digits(v);
    uint64_t x = 0;
    for (Py_ssize_t i = ouro_int_count(v) - 1; i >= 0; i--) {
        ouro_uint128 wide = (ouro_uint128)x << 32 | digits[i];
        x = (uint64_t)(wide & PyHASH_MODULUS) + (uint64_t)(wide >> PyHASH_BITS);
        x = x >= PyHASH_MODULUS ? x - PyHASH_MODULUS : x;
    }
    Py_hash_t hash = ouro_int_negative(v) ? -(Py_hash_t)x : (Py_hash_t)x;
    return hash == -1 ? -2 : hash;
}

/* An instance of a subtype with the value of `value`, which is stolen. */
static PyObject *
int_of_subtype(PyTypeObject *type, PyObject *value)
{
    if (value == NULL || type == &PyLong_Type) {
        return value;
    }
    PyLongObject *from = ouro_int(value);
    Py_ssize_t count = ouro_int_count(from);
    PyObject *self = type->tp_alloc(type, count < 2 ? 2 : count);
    if (self != NULL) {
        memcpy(ouro_int_digits(ouro_int(self)), ouro_int_digits(from),
               (size_t)count * sizeof(uint32_t));
        Py_SET_SIZE(self, Py_SIZE(value));
    }
    Py_DECREF(value);
    return self;
}

static PyObject *
int_from_text_in_base(PyObject *text, PyObject *base_object)
{
    Py_ssize_t base = PyNumber_AsSsize_t(base_object, NULL);
    if (base == -1 && PyErr_Occurred()) {
        return NULL;
    }
    if ((base != 0 && base < 2) || base > 36) {
        PyErr_SetString(PyExc_ValueError, "int() base must be >= 2 and <= 36, or 0");
        return NULL;
    }
    if (PyUnicode_Check(text)) {
        return PyLong_FromUnicodeObject(text, (int)base);
    }
    if (PyBytes_Check(text)) {
        return PyLong_FromString(PyBytes_AS_STRING(text), NULL, (int)base);
    }
    PyErr_SetString(PyExc_TypeError, "int() can't convert non-string with explicit base");
    return NULL;
}

static PyObject *
int_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    Py_ssize_t given = PyTuple_GET_SIZE(args);
    PyObject *base = given > 1 ? PyTuple_GET_ITEM(args, 1) : NULL;
    if (base == NULL && kwargs != NULL && PyDict_GET_SIZE(kwargs) == 1) {
        base = ouro_args_named(kwargs, "base");
        kwargs = base != NULL ? NULL : kwargs;
    }
    if (!ouro_args_positional("int", kwargs) || !ouro_args_between("int", given, 0, 2)) {
        return NULL;
    }
    if (given == 0 && base != NULL) {
        PyErr_SetString(PyExc_TypeError, "int() missing string argument");
        return NULL;
    }
    PyObject *value = given == 0 ? PyLong_FromLong(0)
                      : base != NULL
                          ? int_from_text_in_base(PyTuple_GET_ITEM(args, 0), base)
                          : PyNumber_Long(PyTuple_GET_ITEM(args, 0));
    return int_of_subtype(type, value);
}

PyTypeObject PyLong_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "int",
    .tp_basicsize = offsetof(PyLongObject, ob_digit),
    .tp_itemsize = sizeof(uint32_t),
    .tp_repr = ouro_int_repr,
    .tp_as_number = &ouro_int_as_number,
    .tp_hash = int_hash,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_LONG_SUBCLASS,
    .tp_doc = "int(x=0, /, base=10)\n--\n\nA whole number of any size.",
    .tp_richcompare = int_richcompare,
    .tp_new = int_new,
    .tp_free = PyObject_Free,
};
