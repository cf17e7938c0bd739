/* SPDX-License-Identifier: MIT */
/* What sys tells about floats, ints and threads: struct sequences, made when they are asked
 * for. */
#include <ouroboros.h>

#include <float.h>

/* A value of a type made from `desc`, with the items `values`, which are taken. */
static PyObject *
new_info(PyStructSequence_Desc *desc, PyObject **values, size_t count)
{
    PyTypeObject *type = PyStructSequence_NewType(desc);
    PyObject *info = type == NULL ? NULL : PyStructSequence_New(type);
    for (size_t i = 0; i < count; i++) {
        if (info != NULL && values[i] != NULL) {
            PyStructSequence_SetItem(info, (Py_ssize_t)i, values[i]);
        } else {
            Py_CLEAR(info);
            Py_XDECREF(values[i]);
        }
    }
    Py_XDECREF(type);
    return info;
}

PyObject *
PyFloat_GetInfo(void)
{
    static PyStructSequence_Field fields[] = {
        {"max", "the largest float"},
        {"max_exp", "2**(max_exp - 1) is a float"},
        {"max_10_exp", "10**max_10_exp is a float"},
        {"min", "the smallest positive normal float"},
        {"min_exp", "2**(min_exp - 1) is a normal float"},
        {"min_10_exp", "10**min_10_exp is a normal float"},
        {"dig", "decimal digits that survive"},
        {"mant_dig", "binary digits"},
        {"epsilon", "between 1 and the next float"},
        {"radix", "of the exponent"},
        {"rounds", "how sums are rounded"},
        {NULL, NULL},
    };
    static PyStructSequence_Desc desc = {"sys.float_info", "What floats can be.", fields,
                                         11};
    PyObject *values[] = {
        PyFloat_FromDouble(DBL_MAX),       PyLong_FromLong(DBL_MAX_EXP),
        PyLong_FromLong(DBL_MAX_10_EXP),   PyFloat_FromDouble(DBL_MIN),
        PyLong_FromLong(DBL_MIN_EXP),      PyLong_FromLong(DBL_MIN_10_EXP),
        PyLong_FromLong(DBL_DIG),          PyLong_FromLong(DBL_MANT_DIG),
        PyFloat_FromDouble(DBL_EPSILON),   PyLong_FromLong(FLT_RADIX),
        PyLong_FromLong((long)FLT_ROUNDS),
    };
    return new_info(&desc, values, Py_ARRAY_LENGTH(values));
}

PyObject *
PyLong_GetInfo(void)
{
    static PyStructSequence_Field fields[] = {
        {"bits_per_digit", "bits of a digit inside"},
        {"sizeof_digit", "its bytes"},
        {"default_max_str_digits", "the limit of digits as text"},
        {"str_digits_check_threshold", "the smallest limit that can be set"},
        {NULL, NULL},
    };
    static PyStructSequence_Desc desc = {"sys.int_info", "What ints are made of.", fields,
                                         4};
    const PyLongLayout *layout = PyLong_GetNativeLayout();
    PyObject *values[] = {
        PyLong_FromLong(layout->bits_per_digit),
        PyLong_FromLong(layout->digit_size),
        PyLong_FromLong(OURO_INT_MAX_STR_DIGITS),
        PyLong_FromLong(OURO_INT_LEAST_STR_DIGITS),
    };
    return new_info(&desc, values, Py_ARRAY_LENGTH(values));
}

PyObject *
PyThread_GetInfo(void)
{
    static PyStructSequence_Field fields[] = {
        {"name", "the implementation of threads"},
        {"lock", "the implementation of locks"},
        {"version", "of the library, or None"},
        {NULL, NULL},
    };
    static PyStructSequence_Desc desc = {"sys.thread_info", "What threads are.", fields,
                                         3};
    PyObject *values[] = {PyUnicode_FromString("pthread"),
                          PyUnicode_FromString("mutex+cond"), Py_NewRef(Py_None)};
    return new_info(&desc, values, Py_ARRAY_LENGTH(values));
}
