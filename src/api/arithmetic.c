/* SPDX-License-Identifier: MIT */
/* The operators of the number protocol.
 *
 * An operator is a place in PyNumberMethods, given by its offset, and a text for messages.
 * Sequences answer to + and * as well, when neither operand is a number. */
#include <Python.h>

#include "protocol.h"

#define OURO_NB(slot) offsetof(PyNumberMethods, slot)

static binaryfunc
binary_slot(PyObject *o, size_t offset)
{
    char *methods = (char *)Py_TYPE(o)->tp_as_number;
    return methods == NULL ? NULL : *(binaryfunc *)(void *)(methods + offset);
}

static ternaryfunc
power_slot(PyObject *o, size_t offset)
{
    char *methods = (char *)Py_TYPE(o)->tp_as_number;
    return methods == NULL ? NULL : *(ternaryfunc *)(void *)(methods + offset);
}

/* Does `w` have the right to answer before `v`? */
static bool
answers_first(PyObject *w, PyObject *v)
{
    return PyType_IsSubtype(Py_TYPE(w), Py_TYPE(v));
}

/* Ask both operands. A new reference, perhaps to NotImplemented; or NULL. */
static PyObject *
ask_operands(PyObject *v, PyObject *w, size_t offset)
{
    if (v == NULL || w == NULL) {
        return ouro_null_argument();
    }
    if (ouro_too_deep(" in an operation")) {
        return NULL;
    }
    binaryfunc of_v = binary_slot(v, offset);
    binaryfunc of_w = Py_IS_TYPE(w, Py_TYPE(v)) ? NULL : binary_slot(w, offset);
    if (of_w == of_v) {
        of_w = NULL; /* it has been asked */
    }
    if (of_v != NULL) {
        if (of_w != NULL && answers_first(w, v)) {
            PyObject *result = of_w(v, w);
            if (result != Py_NotImplemented) {
                return result;
            }
            of_w = NULL;
        }
        PyObject *result = of_v(v, w);
        if (result != Py_NotImplemented) {
            return result;
        }
    }
    return of_w != NULL ? of_w(v, w) : Py_NewRef(Py_NotImplemented);
}

static PyObject *
raise_unsupported(PyObject *v, PyObject *w, const char *text)
{
    return PyErr_Format(PyExc_TypeError,
                        "unsupported operand type(s) for %.100s: '%.100s' and '%.100s'",
                        text, Py_TYPE(v)->tp_name, Py_TYPE(w)->tp_name);
}

static PyObject *
operate(PyObject *v, PyObject *w, size_t offset, const char *text)
{
    PyObject *result = ask_operands(v, w, offset);
    return result == Py_NotImplemented ? raise_unsupported(v, w, text) : result;
}

/* As ask_operands, but the in-place slot of `v` comes first. */
static PyObject *
ask_in_place(PyObject *v, PyObject *w, size_t in_place, size_t offset)
{
    if (v == NULL || w == NULL) {
        return ouro_null_argument();
    }
    binaryfunc slot = binary_slot(v, in_place);
    if (slot != NULL) {
        PyObject *result = ouro_too_deep(" in an operation") ? NULL : slot(v, w);
        if (result != Py_NotImplemented) {
            return result;
        }
    }
    return ask_operands(v, w, offset);
}

static PyObject *
operate_in_place(PyObject *v, PyObject *w, size_t in_place, size_t offset,
                 const char *text)
{
    PyObject *result = ask_in_place(v, w, in_place, offset);
    return result == Py_NotImplemented ? raise_unsupported(v, w, text) : result;
}

/* --- operators that are numbers' alone ---------------------------------------------------------- */

PyObject *
PyNumber_Subtract(PyObject *o1, PyObject *o2)
{
    return operate(o1, o2, OURO_NB(nb_subtract), "-");
}

PyObject *
PyNumber_MatrixMultiply(PyObject *o1, PyObject *o2)
{
    return operate(o1, o2, OURO_NB(nb_matrix_multiply), "@");
}

PyObject *
PyNumber_FloorDivide(PyObject *o1, PyObject *o2)
{
    return operate(o1, o2, OURO_NB(nb_floor_divide), "//");
}

PyObject *
PyNumber_TrueDivide(PyObject *o1, PyObject *o2)
{
    return operate(o1, o2, OURO_NB(nb_true_divide), "/");
}

PyObject *
PyNumber_Remainder(PyObject *o1, PyObject *o2)
{
    return operate(o1, o2, OURO_NB(nb_remainder), "%");
}

PyObject *
PyNumber_Divmod(PyObject *o1, PyObject *o2)
{
    return operate(o1, o2, OURO_NB(nb_divmod), "divmod()");
}

PyObject *
PyNumber_Lshift(PyObject *o1, PyObject *o2)
{
    return operate(o1, o2, OURO_NB(nb_lshift), "<<");
}

PyObject *
PyNumber_Rshift(PyObject *o1, PyObject *o2)
{
    return operate(o1, o2, OURO_NB(nb_rshift), ">>");
}

PyObject *
PyNumber_And(PyObject *o1, PyObject *o2)
{
    return operate(o1, o2, OURO_NB(nb_and), "&");
}

PyObject *
PyNumber_Xor(PyObject *o1, PyObject *o2)
{
    return operate(o1, o2, OURO_NB(nb_xor), "^");
}

PyObject *
PyNumber_Or(PyObject *o1, PyObject *o2)
{
    return operate(o1, o2, OURO_NB(nb_or), "|");
}

PyObject *
PyNumber_InPlaceSubtract(PyObject *o1, PyObject *o2)
{
    return operate_in_place(o1, o2, OURO_NB(nb_inplace_subtract), OURO_NB(nb_subtract),
                            "-=");
}

PyObject *
PyNumber_InPlaceMatrixMultiply(PyObject *o1, PyObject *o2)
{
    return operate_in_place(o1, o2, OURO_NB(nb_inplace_matrix_multiply),
                            OURO_NB(nb_matrix_multiply), "@=");
}

PyObject *
PyNumber_InPlaceFloorDivide(PyObject *o1, PyObject *o2)
{
    return operate_in_place(o1, o2, OURO_NB(nb_inplace_floor_divide),
                            OURO_NB(nb_floor_divide), "//=");
}

PyObject *
PyNumber_InPlaceTrueDivide(PyObject *o1, PyObject *o2)
{
    return operate_in_place(o1, o2, OURO_NB(nb_inplace_true_divide),
                            OURO_NB(nb_true_divide), "/=");
}

PyObject *
PyNumber_InPlaceRemainder(PyObject *o1, PyObject *o2)
{
    return operate_in_place(o1, o2, OURO_NB(nb_inplace_remainder), OURO_NB(nb_remainder),
                            "%=");
}

PyObject *
PyNumber_InPlaceLshift(PyObject *o1, PyObject *o2)
{
    return operate_in_place(o1, o2, OURO_NB(nb_inplace_lshift), OURO_NB(nb_lshift),
                            "<<=");
}

PyObject *
PyNumber_InPlaceRshift(PyObject *o1, PyObject *o2)
{
    return operate_in_place(o1, o2, OURO_NB(nb_inplace_rshift), OURO_NB(nb_rshift),
                            ">>=");
}

PyObject *
PyNumber_InPlaceAnd(PyObject *o1, PyObject *o2)
{
    return operate_in_place(o1, o2, OURO_NB(nb_inplace_and), OURO_NB(nb_and), "&=");
}

PyObject *
PyNumber_InPlaceXor(PyObject *o1, PyObject *o2)
{
    return operate_in_place(o1, o2, OURO_NB(nb_inplace_xor), OURO_NB(nb_xor), "^=");
}

PyObject *
PyNumber_InPlaceOr(PyObject *o1, PyObject *o2)
{
    return operate_in_place(o1, o2, OURO_NB(nb_inplace_or), OURO_NB(nb_or), "|=");
}

/* --- operators that sequences have too ------------------------------------------------------------- */

/* The sequence half of + and +=; raises when `v` has none. */
static PyObject *
add_sequences(PyObject *v, PyObject *w, bool in_place, const char *text)
{
    PySequenceMethods *m = Py_TYPE(v)->tp_as_sequence;
    if (in_place && m != NULL && m->sq_inplace_concat != NULL) {
        return m->sq_inplace_concat(v, w);
    }
    if (m != NULL && m->sq_concat != NULL) {
        return m->sq_concat(v, w);
    }
    return raise_unsupported(v, w, text);
}

PyObject *
PyNumber_Add(PyObject *o1, PyObject *o2)
{
    PyObject *result = ask_operands(o1, o2, OURO_NB(nb_add));
    return result == Py_NotImplemented ? add_sequences(o1, o2, false, "+") : result;
}

PyObject *
PyNumber_InPlaceAdd(PyObject *o1, PyObject *o2)
{
    PyObject *result = ask_in_place(o1, o2, OURO_NB(nb_inplace_add), OURO_NB(nb_add));
    return result == Py_NotImplemented ? add_sequences(o1, o2, true, "+=") : result;
}

static PyObject *
repeat_by_object(ssizeargfunc repeat, PyObject *sequence, PyObject *count)
{
    if (!PyIndex_Check(count)) {
        return ouro_type_error("can't multiply sequence by non-int of type '%.200s'",
                               count);
    }
    Py_ssize_t n = PyNumber_AsSsize_t(count, PyExc_OverflowError);
    return n == -1 && PyErr_Occurred() ? NULL : repeat(sequence, n);
}

/* The sequence half of * and *=: the sequence may stand on either side. */
static PyObject *
multiply_sequence(PyObject *v, PyObject *w, bool in_place, const char *text)
{
    PySequenceMethods *of_v = Py_TYPE(v)->tp_as_sequence;
    PySequenceMethods *of_w = Py_TYPE(w)->tp_as_sequence;
    if (in_place && of_v != NULL && of_v->sq_inplace_repeat != NULL) {
        return repeat_by_object(of_v->sq_inplace_repeat, v, w);
    }
    if (of_v != NULL && of_v->sq_repeat != NULL) {
        return repeat_by_object(of_v->sq_repeat, v, w);
    }
    if (of_w != NULL && of_w->sq_repeat != NULL) {
        return repeat_by_object(of_w->sq_repeat, w, v);
    }
    return raise_unsupported(v, w, text);
}

PyObject *
PyNumber_Multiply(PyObject *o1, PyObject *o2)
{
    PyObject *result = ask_operands(o1, o2, OURO_NB(nb_multiply));
    return result == Py_NotImplemented ? multiply_sequence(o1, o2, false, "*") : result;
}

PyObject *
PyNumber_InPlaceMultiply(PyObject *o1, PyObject *o2)
{
    PyObject *result =
        ask_in_place(o1, o2, OURO_NB(nb_inplace_multiply), OURO_NB(nb_multiply));
    return result == Py_NotImplemented ? multiply_sequence(o1, o2, true, "*=") : result;
}

/* --- power, the operator with three operands ---------------------------------------------------------- */

static PyObject *
raise_unsupported_power(PyObject *v, PyObject *w, PyObject *z, const char *text)
{
    if (z == Py_None) {
        return raise_unsupported(v, w, text);
    }
    return PyErr_Format(
        PyExc_TypeError,
        "unsupported operand type(s) for %.100s: '%.100s', '%.100s', '%.100s'", text,
        Py_TYPE(v)->tp_name, Py_TYPE(w)->tp_name, Py_TYPE(z)->tp_name);
}

/* Ask the operands in the order given until one answers. */
static PyObject *
ask_for_power(PyObject *v, PyObject *w, PyObject *z)
{
    PyObject *asked[3] = {v, w, z};
    if (!Py_IS_TYPE(w, Py_TYPE(v)) && answers_first(w, v)) {
        asked[0] = w;
        asked[1] = v;
    }
    ternaryfunc seen[3] = {NULL, NULL, NULL};
    for (int i = 0; i < 3; i++) {
        ternaryfunc slot = power_slot(asked[i], OURO_NB(nb_power));
        if (slot == NULL || slot == seen[0] || slot == seen[1]) {
            continue;
        }
        seen[i] = slot;
        PyObject *result = slot(v, w, z);
        if (result != Py_NotImplemented) {
            return result;
        }
    }
    return Py_NewRef(Py_NotImplemented);
}

PyObject *
PyNumber_Power(PyObject *o1, PyObject *o2, PyObject *o3)
{
    if (o1 == NULL || o2 == NULL || o3 == NULL) {
        return ouro_null_argument();
    }
    PyObject *result = ask_for_power(o1, o2, o3);
    return result == Py_NotImplemented
               ? raise_unsupported_power(o1, o2, o3, "** or pow()")
               : result;
}

PyObject *
PyNumber_InPlacePower(PyObject *o1, PyObject *o2, PyObject *o3)
{
    if (o1 == NULL || o2 == NULL || o3 == NULL) {
        return ouro_null_argument();
    }
    ternaryfunc slot = power_slot(o1, OURO_NB(nb_inplace_power));
    PyObject *result = slot == NULL ? Py_NewRef(Py_NotImplemented) : slot(o1, o2, o3);
    if (result == Py_NotImplemented) {
        result = ask_for_power(o1, o2, o3);
    }
    return result == Py_NotImplemented ? raise_unsupported_power(o1, o2, o3, "**=")
                                       : result;
}

/* --- one operand ------------------------------------------------------------------------------------------ */

static PyObject *
operate_on_one(PyObject *o, size_t offset, const char *refusal)
{
    if (o == NULL) {
        return ouro_null_argument();
    }
    char *methods = (char *)Py_TYPE(o)->tp_as_number;
    unaryfunc slot = methods == NULL ? NULL : *(unaryfunc *)(void *)(methods + offset);
    return slot == NULL ? ouro_type_error(refusal, o) : slot(o);
}

PyObject *
PyNumber_Negative(PyObject *o)
{
    return operate_on_one(o, OURO_NB(nb_negative),
                          "bad operand type for unary -: '%.200s'");
}

PyObject *
PyNumber_Positive(PyObject *o)
{
    return operate_on_one(o, OURO_NB(nb_positive),
                          "bad operand type for unary +: '%.200s'");
}

PyObject *
PyNumber_Absolute(PyObject *o)
{
    return operate_on_one(o, OURO_NB(nb_absolute),
                          "bad operand type for abs(): '%.200s'");
}

PyObject *
PyNumber_Invert(PyObject *o)
{
    return operate_on_one(o, OURO_NB(nb_invert),
                          "bad operand type for unary ~: '%.200s'");
}
