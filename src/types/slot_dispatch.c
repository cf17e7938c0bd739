/* SPDX-License-Identifier: MIT */
/* Dispatchers: how a special method is found and called, and those of the slots that every
 * object may have. Numbers and items have files of their own.
 *
 * A method is looked up on the type, never on the instance, and at every call: the class
 * may have changed. */
#include "slot_dispatch.h"

/* Calls with at most this many arguments, self included, need no memory from the heap. */
#define OURO_SPECIAL_ARGUMENTS 4

/* --- finding and calling --------------------------------------------------------------------- */

int
ouro_special_find(PyObject *self, enum special special, PyObject **method, bool *bound)
{
    *bound = true;
    *method = Py_XNewRef(ouro_type_lookup(Py_TYPE(self), ouro_special_names[special]));
    if (*method == NULL) {
        return 0;
    }
    if (PyType_HasFeature(Py_TYPE(*method), Py_TPFLAGS_METHOD_DESCRIPTOR)) {
        *bound = false; /* binding would make an object just for this call */
        return 1;
    }
    descrgetfunc get = Py_TYPE(*method)->tp_descr_get;
    if (get != NULL) {
        Py_SETREF(*method, get(*method, self, (PyObject *)Py_TYPE(self)));
    }
    return *method == NULL ? -1 : 1;
}

int
ouro_special_try(enum special special, PyObject *const *args, size_t nargs,
                 PyObject **result)
{
    PyObject *method;
    bool bound;
    *result = NULL;
    int found = ouro_special_find(args[0], special, &method, &bound);
    if (found <= 0) {
        return found < 0 ? 1 : 0;
    }
    size_t skipped = bound ? 1 : 0;
    *result = PyObject_Vectorcall(method, args + skipped, nargs - skipped, NULL);
    Py_DECREF(method);
    return 1;
}

PyObject *
ouro_special_call(enum special special, PyObject *const *args, size_t nargs)
{
    PyObject *result;
    if (ouro_special_try(special, args, nargs, &result) == 0) {
        PyErr_SetObject(PyExc_AttributeError, ouro_special_names[special]);
    }
    return result;
}

/* --- text, hash, comparing --------------------------------------------------------------------- */

PyObject *
ouro_dispatch_repr(PyObject *self)
{
    PyObject *result;
    if (ouro_special_try(SPECIAL_repr, &self, 1, &result) == 0) {
        return PyUnicode_FromFormat("<%s object at %p>", Py_TYPE(self)->tp_name,
                                    (void *)self);
    }
    return result;
}

PyObject *
ouro_dispatch_str(PyObject *self)
{
    return ouro_special_call(SPECIAL_str, &self, 1);
}

/* What __hash__ returned, as a hash. An int that is too large is hashed itself. */
static Py_hash_t
hash_from_result(PyObject *result)
{
    if (!PyLong_Check(result)) {
        PyErr_SetString(PyExc_TypeError, "__hash__ method should return an integer");
        return -1;
    }
    Py_hash_t hash = PyLong_AsSsize_t(result);
    if (hash == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        hash = PyLong_Type.tp_hash(result);
    }
    return hash == -1 ? -2 : hash;
}

Py_hash_t
ouro_dispatch_hash(PyObject *self)
{
    PyObject *method;
    bool bound;
    int found = ouro_special_find(self, SPECIAL_hash, &method, &bound);
    if (found < 0) {
        return -1;
    }
    if (found == 0 || method == Py_None) {
        Py_XDECREF(method);
        return PyObject_HashNotImplemented(self);
    }
    PyObject *result = PyObject_Vectorcall(method, &self, bound ? 0 : 1, NULL);
    Py_DECREF(method);
    if (result == NULL) {
        return -1;
    }
    Py_hash_t hash = hash_from_result(result);
    Py_DECREF(result);
    return hash;
}

PyObject *
ouro_dispatch_richcompare(PyObject *self, PyObject *other, int op)
{
    PyObject *args[] = {self, other}, *result;
    enum special special = (enum special)((int)SPECIAL_lt + op);
    if (ouro_special_try(special, args, 2, &result) == 0) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    return result;
}

/* --- iterating ------------------------------------------------------------------------------------ */

static PyObject *
raise_not_iterable(PyObject *self)
{
    return PyErr_Format(PyExc_TypeError, "'%.200s' object is not iterable",
                        Py_TYPE(self)->tp_name);
}

/* __iter__, else __getitem__ with 0, 1, ... */
PyObject *
ouro_dispatch_iter(PyObject *self)
{
    PyObject *method;
    bool bound;
    int found = ouro_special_find(self, SPECIAL_iter, &method, &bound);
    if (found == 0) {
        bool indexed = ouro_type_lookup(Py_TYPE(self), OURO_SPECIAL(getitem)) != NULL;
        return indexed ? PySeqIter_New(self) : raise_not_iterable(self);
    }
    if (found < 0) {
        return NULL;
    }
    PyObject *result = method == Py_None
                           ? raise_not_iterable(self)
                           : PyObject_Vectorcall(method, &self, bound ? 0 : 1, NULL);
    Py_DECREF(method);
    return result;
}

PyObject *
ouro_dispatch_next(PyObject *self)
{
    return ouro_special_call(SPECIAL_next, &self, 1);
}

static PyObject *
dispatch_async(PyObject *self, enum special special)
{
    PyObject *result;
    if (ouro_special_try(special, &self, 1, &result) == 0) {
        return PyErr_Format(PyExc_TypeError, "object %.50s does not have %U method",
                            Py_TYPE(self)->tp_name, ouro_special_names[special]);
    }
    return result;
}

PyObject *
ouro_dispatch_await(PyObject *self)
{
    return dispatch_async(self, SPECIAL_await);
}

PyObject *
ouro_dispatch_aiter(PyObject *self)
{
    return dispatch_async(self, SPECIAL_aiter);
}

PyObject *
ouro_dispatch_anext(PyObject *self)
{
    return dispatch_async(self, SPECIAL_anext);
}

/* --- calling, making, destroying --------------------------------------------------------------------- */

/* Call `method` with `first` in front of the arguments in a tuple. */
static PyObject *
call_with_first(PyObject *method, PyObject *first, PyObject *args, PyObject *kwargs)
{
    Py_ssize_t count = PyTuple_GET_SIZE(args);
    PyObject *on_stack[OURO_SPECIAL_ARGUMENTS];
    PyObject **space = on_stack;
    if (count + 1 > OURO_SPECIAL_ARGUMENTS) {
        space = PyMem_New(PyObject *, (size_t)(count + 1));
        if (space == NULL) {
            return PyErr_NoMemory();
        }
    }
    space[0] = first;
    for (Py_ssize_t i = 0; i < count; i++) {
        space[i + 1] = PyTuple_GET_ITEM(args, i);
    }
    PyObject *result = PyObject_VectorcallDict(method, space, (size_t)count + 1, kwargs);
    if (space != on_stack) {
        PyMem_Free(space);
    }
    return result;
}

/* Call the special method of `self` with a tuple and a dict. */
static PyObject *
dispatch_packed(PyObject *self, enum special special, PyObject *args, PyObject *kwargs)
{
    PyObject *method;
    bool bound;
    int found = ouro_special_find(self, special, &method, &bound);
    if (found <= 0) {
        if (found == 0) {
            PyErr_SetObject(PyExc_AttributeError, ouro_special_names[special]);
        }
        return NULL;
    }
    PyObject *result = bound ? PyObject_Call(method, args, kwargs)
                             : call_with_first(method, self, args, kwargs);
    Py_DECREF(method);
    return result;
}

PyObject *
ouro_dispatch_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
    return dispatch_packed(self, SPECIAL_call, args, kwargs);
}

int
ouro_dispatch_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    PyObject *result = dispatch_packed(self, SPECIAL_init, args, kwargs);
    if (result == NULL) {
        return -1;
    }
    bool none = result == Py_None;
    if (!none) {
        PyErr_Format(PyExc_TypeError, "__init__() should return None, not '%.200s'",
                     Py_TYPE(result)->tp_name);
    }
    Py_DECREF(result);
    return none ? 0 : -1;
}

/* __new__ is called as a static method: nothing binds it. */
PyObject *
ouro_dispatch_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    /* Not PyObject_GetAttr, which links the methods of all types: api/methods.h. */
    PyObject *method = Py_TYPE(type)->tp_getattro((PyObject *)type, OURO_SPECIAL(new));
    if (method == NULL) {
        return NULL;
    }
    PyObject *result = call_with_first(method, (PyObject *)type, args, kwargs);
    Py_DECREF(method);
    return result;
}

/* A finalizer has no caller that could receive its exception: it is reported, and the pending
 * one kept. */
void
ouro_dispatch_del(PyObject *self)
{
    PyObject *pending = PyErr_GetRaisedException();
    PyObject *method, *result = NULL;
    bool bound;
    int found = ouro_special_find(self, SPECIAL_del, &method, &bound);
    if (found > 0) {
        result = PyObject_Vectorcall(method, &self, bound ? 0 : 1, NULL);
    }
    if (found != 0 && result == NULL) {
        PyErr_FormatUnraisable("Exception ignored while calling deallocator %R",
                               found > 0 ? method : self);
    }
    Py_XDECREF(method);
    Py_XDECREF(result);
    PyErr_SetRaisedException(pending);
}
