/* SPDX-License-Identifier: MIT */
/* Dispatchers of the number slots.
 *
 * The slot of a binary operator is called for either operand, so it must find out which of
 * them has it: the left one answers to __add__, the right one to __radd__. */
#include "slot_dispatch.h"

#include "slot_table.h"

/* One binary operator. */
struct operator
{
    int slot;
    void *dispatcher;
    enum special plain, reflected;
};

static bool
uses_dispatcher(PyObject *operand, const struct operator* o)
{
    return ouro_slot_read(Py_TYPE(operand), ouro_slot_place(o->slot)) == o->dispatcher;
}

/* Does the type of `right` have a method that is not the one of the type of `left`? */
static int
overrides_reflected(PyObject *left, PyObject *right, enum special reflected)
{
    PyObject *name = ouro_special_names[reflected];
    PyObject *of_right = ouro_type_lookup(Py_TYPE(right), name);
    PyObject *of_left = of_right == NULL ? NULL : ouro_type_lookup(Py_TYPE(left), name);
    return of_right != of_left;
}

/* Ask one operand; NotImplemented when it has no such method. */
static PyObject *
ask_operand(enum special special, PyObject *asked, PyObject *other, PyObject *modulus)
{
    PyObject *args[] = {asked, other, modulus}, *result;
    if (ouro_special_try(special, args, modulus == NULL ? 2 : 3, &result) == 0) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    return result;
}

static PyObject *
dispatch_binary(const struct operator* o, PyObject *left, PyObject *right,
                PyObject *modulus)
{
    bool same_type = Py_IS_TYPE(left, Py_TYPE(right));
    bool ask_right = !same_type && uses_dispatcher(right, o);
    if (uses_dispatcher(left, o)) {
        if (ask_right && PyType_IsSubtype(Py_TYPE(right), Py_TYPE(left)) &&
            overrides_reflected(left, right, o->reflected)) {
            PyObject *result = ask_operand(o->reflected, right, left, modulus);
            if (result != Py_NotImplemented) {
                return result;
            }
            ask_right = false;
        }
        PyObject *result = ask_operand(o->plain, left, right, modulus);
        if (result != Py_NotImplemented || same_type) {
            return result;
        }
    }
    return ask_right ? ask_operand(o->reflected, right, left, modulus)
                     : Py_NewRef(Py_NotImplemented);
}

#define OURO_DISPATCH_BINARY(name, slot_, text)                                          \
    PyObject *ouro_dispatch_##name(PyObject *self, PyObject *other)                      \
    {                                                                                    \
        static const struct operator o = {Py_##slot_, (void *)ouro_dispatch_##name,      \
                                          SPECIAL_##name, SPECIAL_r##name};              \
        return dispatch_binary(&o, self, other, NULL);                                   \
    }
OURO_BINARY_OPERATORS(OURO_DISPATCH_BINARY)

PyObject *
ouro_dispatch_pow(PyObject *self, PyObject *other, PyObject *modulus)
{
    static const struct operator o = {Py_nb_power, (void *)ouro_dispatch_pow, SPECIAL_pow,
                                      SPECIAL_rpow};
    return dispatch_binary(&o, self, other, modulus == Py_None ? NULL : modulus);
}

/* --- in place: one operand is asked, without a modulus ---------------------------------------- */

#define OURO_DISPATCH_INPLACE(name, slot, text)                                          \
    PyObject *ouro_dispatch_##name(PyObject *self, PyObject *other)                      \
    {                                                                                    \
        PyObject *args[] = {self, other};                                                \
        return ouro_special_call(SPECIAL_##name, args, 2);                               \
    }
OURO_INPLACE_OPERATORS(OURO_DISPATCH_INPLACE)

PyObject *
ouro_dispatch_ipow(PyObject *self, PyObject *other, PyObject *Py_UNUSED(modulus))
{
    PyObject *args[] = {self, other};
    return ouro_special_call(SPECIAL_ipow, args, 2);
}

/* --- one operand -------------------------------------------------------------------------------- */

#define OURO_DISPATCH_UNARY(name, slot, text)                                            \
    PyObject *ouro_dispatch_##name(PyObject *self)                                       \
    {                                                                                    \
        return ouro_special_call(SPECIAL_##name, &self, 1);                              \
    }
OURO_UNARY_OPERATORS(OURO_DISPATCH_UNARY)

/* __bool__ must return a bool; __len__, which stands in for it, a length. */
int
ouro_dispatch_bool(PyObject *self)
{
    PyObject *result;
    int truth = -1;
    if (ouro_special_try(SPECIAL_bool, &self, 1, &result) == 0) {
        bool sized = ouro_type_lookup(Py_TYPE(self), OURO_SPECIAL(len)) != NULL;
        Py_ssize_t length = sized ? ouro_dispatch_len(self) : 1;
        return length < 0 ? -1 : length > 0;
    }
    if (result == NULL) {
        return -1;
    }
    if (PyBool_Check(result)) {
        truth = result == Py_True;
    } else {
        PyErr_Format(PyExc_TypeError, "__bool__ should return bool, returned %s",
                     Py_TYPE(result)->tp_name);
    }
    Py_DECREF(result);
    return truth;
}
