/* SPDX-License-Identifier: MIT */
/* Calling the function in a slot with a tuple of arguments. */
#include "slot_call.h"

#include "slot_dispatch.h"

/* Are there `wanted` arguments? Else TypeError. */
static bool
counts_arguments(PyObject *args, Py_ssize_t wanted)
{
    Py_ssize_t given = PyTuple_GET_SIZE(args);
    if (given == wanted) {
        return true;
    }
    PyErr_Format(PyExc_TypeError, "expected %zd argument%s, got %zd", wanted,
                 wanted == 1 ? "" : "s", given);
    return false;
}

/* One argument and perhaps another; *second is NULL without it. */
static bool
one_or_two_arguments(PyObject *args, PyObject **first, PyObject **second)
{
    Py_ssize_t given = PyTuple_GET_SIZE(args);
    if (given < 1 || given > 2) {
        PyErr_Format(PyExc_TypeError, "expected at %s argument%s, got %zd",
                     given < 1 ? "least 1" : "most 2", given < 1 ? "" : "s", given);
        return false;
    }
    *first = PyTuple_GET_ITEM(args, 0);
    *second = given == 2 ? PyTuple_GET_ITEM(args, 1) : NULL;
    return true;
}

/* None for a slot that returned 0; NULL for an exception. */
static PyObject *
none_after(int result)
{
    return result < 0 ? NULL : Py_NewRef(Py_None);
}

/* --- numbers ------------------------------------------------------------------------------ */

OURO_SLOT_CALL(unary)
{
    return counts_arguments(args, 0) ? ((unaryfunc)wrapped)(self) : NULL;
}

OURO_SLOT_CALL(binary)
{
    return counts_arguments(args, 1)
               ? ((binaryfunc)wrapped)(self, PyTuple_GET_ITEM(args, 0))
               : NULL;
}

OURO_SLOT_CALL(reflected)
{
    return counts_arguments(args, 1)
               ? ((binaryfunc)wrapped)(PyTuple_GET_ITEM(args, 0), self)
               : NULL;
}

OURO_SLOT_CALL(power)
{
    PyObject *other, *modulus;
    if (!one_or_two_arguments(args, &other, &modulus)) {
        return NULL;
    }
    return ((ternaryfunc)wrapped)(self, other, modulus == NULL ? Py_None : modulus);
}

OURO_SLOT_CALL(power_of)
{
    PyObject *other, *modulus;
    if (!one_or_two_arguments(args, &other, &modulus)) {
        return NULL;
    }
    return ((ternaryfunc)wrapped)(other, self, modulus == NULL ? Py_None : modulus);
}

OURO_SLOT_CALL(truth)
{
    int truth = counts_arguments(args, 0) ? ((inquiry)wrapped)(self) : -1;
    return truth < 0 ? NULL : PyBool_FromLong(truth);
}

OURO_SLOT_CALL(hash)
{
    Py_hash_t hash = counts_arguments(args, 0) ? ((hashfunc)wrapped)(self) : -1;
    return hash == -1 ? NULL : PyLong_FromSsize_t(hash);
}

/* --- items ---------------------------------------------------------------------------------- */

OURO_SLOT_CALL(length)
{
    Py_ssize_t length = counts_arguments(args, 0) ? ((lenfunc)wrapped)(self) : -1;
    return length < 0 ? NULL : PyLong_FromSsize_t(length);
}

OURO_SLOT_CALL(repeat)
{
    if (!counts_arguments(args, 1)) {
        return NULL;
    }
    Py_ssize_t count = PyNumber_AsSsize_t(PyTuple_GET_ITEM(args, 0), PyExc_OverflowError);
    if (count == -1 && PyErr_Occurred()) {
        return NULL;
    }
    return ((ssizeargfunc)wrapped)(self, count);
}

/* The first argument as an index; a negative one counts from the end of a sequence that
 * knows its length. */
static bool
index_argument(PyObject *self, PyObject *args, Py_ssize_t *index)
{
    *index = PyNumber_AsSsize_t(PyTuple_GET_ITEM(args, 0), PyExc_OverflowError);
    if (*index == -1 && PyErr_Occurred()) {
        return false;
    }
    PySequenceMethods *methods = Py_TYPE(self)->tp_as_sequence;
    if (*index < 0 && methods != NULL && methods->sq_length != NULL) {
        Py_ssize_t length = methods->sq_length(self);
        if (length < 0) {
            return false;
        }
        *index += length;
    }
    return true;
}

OURO_SLOT_CALL(get_item)
{
    Py_ssize_t index;
    if (!counts_arguments(args, 1) || !index_argument(self, args, &index)) {
        return NULL;
    }
    return ((ssizeargfunc)wrapped)(self, index);
}

OURO_SLOT_CALL(set_item)
{
    Py_ssize_t index;
    if (!counts_arguments(args, 2) || !index_argument(self, args, &index)) {
        return NULL;
    }
    ssizeobjargproc set = (ssizeobjargproc)wrapped;
    return none_after(set(self, index, PyTuple_GET_ITEM(args, 1)));
}

OURO_SLOT_CALL(delete_item)
{
    Py_ssize_t index;
    if (!counts_arguments(args, 1) || !index_argument(self, args, &index)) {
        return NULL;
    }
    return none_after(((ssizeobjargproc)wrapped)(self, index, NULL));
}

OURO_SLOT_CALL(contains)
{
    if (!counts_arguments(args, 1)) {
        return NULL;
    }
    int found = ((objobjproc)wrapped)(self, PyTuple_GET_ITEM(args, 0));
    return found < 0 ? NULL : PyBool_FromLong(found);
}

OURO_SLOT_CALL(set_key)
{
    if (!counts_arguments(args, 2)) {
        return NULL;
    }
    return none_after(((objobjargproc)wrapped)(self, PyTuple_GET_ITEM(args, 0),
                                               PyTuple_GET_ITEM(args, 1)));
}

OURO_SLOT_CALL(delete_key)
{
    if (!counts_arguments(args, 1)) {
        return NULL;
    }
    return none_after(((objobjargproc)wrapped)(self, PyTuple_GET_ITEM(args, 0), NULL));
}

/* --- attributes ------------------------------------------------------------------------------ */

/* Setting an attribute of `self` through the function of an ancestor must not bypass a C type
 * in between: that type may protect something. */
static bool
skips_no_setattro(PyObject *self, setattrofunc function, const char *method)
{
    PyTypeObject *type = Py_TYPE(self);
    while (type != NULL && type->tp_setattro == ouro_dispatch_setattr) {
        type = type->tp_base;
    }
    if (type == NULL || type->tp_setattro == function) {
        return true;
    }
    PyErr_Format(PyExc_TypeError, "can't apply this %s to %s object", method,
                 type->tp_name);
    return false;
}

OURO_SLOT_CALL(set_attribute)
{
    setattrofunc set = (setattrofunc)wrapped;
    if (!counts_arguments(args, 2) || !skips_no_setattro(self, set, "__setattr__")) {
        return NULL;
    }
    return none_after(set(self, PyTuple_GET_ITEM(args, 0), PyTuple_GET_ITEM(args, 1)));
}

OURO_SLOT_CALL(delete_attribute)
{
    setattrofunc set = (setattrofunc)wrapped;
    if (!counts_arguments(args, 1) || !skips_no_setattro(self, set, "__delattr__")) {
        return NULL;
    }
    return none_after(set(self, PyTuple_GET_ITEM(args, 0), NULL));
}

OURO_SLOT_CALL(descriptor_get)
{
    PyObject *object, *type;
    if (!one_or_two_arguments(args, &object, &type)) {
        return NULL;
    }
    object = object == Py_None ? NULL : object;
    type = type == Py_None ? NULL : type;
    if (object == NULL && type == NULL) {
        PyErr_SetString(PyExc_TypeError, "__get__(None, None) is invalid");
        return NULL;
    }
    return ((descrgetfunc)wrapped)(self, object, type);
}

OURO_SLOT_CALL(descriptor_set)
{
    return ouro_slot_call_set_key(self, args, wrapped);
}

OURO_SLOT_CALL(descriptor_delete)
{
    return ouro_slot_call_delete_key(self, args, wrapped);
}

/* --- life -------------------------------------------------------------------------------------- */

OURO_SLOT_CALL(next)
{
    PyObject *item = counts_arguments(args, 0) ? ((iternextfunc)wrapped)(self) : NULL;
    if (item == NULL && !PyErr_Occurred()) {
        PyErr_SetNone(PyExc_StopIteration);
    }
    return item;
}

OURO_SLOT_CALL(finalizer)
{
    if (!counts_arguments(args, 0)) {
        return NULL;
    }
    ((destructor)wrapped)(self);
    Py_RETURN_NONE;
}

OURO_SLOT_CALL_KEYWORDS(call)
{
    return ((ternaryfunc)wrapped)(self, args, kwargs);
}

OURO_SLOT_CALL_KEYWORDS(init)
{
    return none_after(((initproc)wrapped)(self, args, kwargs));
}

/* --- comparing ------------------------------------------------------------------------------------ */

static PyObject *
call_comparison(PyObject *self, PyObject *args, void *wrapped, int op)
{
    return counts_arguments(args, 1)
               ? ((richcmpfunc)wrapped)(self, PyTuple_GET_ITEM(args, 0), op)
               : NULL;
}

#define OURO_CALL_COMPARISON(name, op)                                                   \
    OURO_SLOT_CALL(name)                                                                 \
    {                                                                                    \
        return call_comparison(self, args, wrapped, op);                                 \
    }

OURO_CALL_COMPARISON(less, Py_LT)
OURO_CALL_COMPARISON(less_equal, Py_LE)
OURO_CALL_COMPARISON(equal, Py_EQ)
OURO_CALL_COMPARISON(not_equal, Py_NE)
OURO_CALL_COMPARISON(greater, Py_GT)
OURO_CALL_COMPARISON(greater_equal, Py_GE)
