/* SPDX-License-Identifier: MIT */
/* Weak proxies: weak references that behave as their referent.
 *
 * Every slot replaces the proxies among its operands by their referents, holds these during the
 * call, and calls the object protocol. A dead proxy raises ReferenceError. */
#include "weakref.h"

/* The object behind `o`: a new reference, to `o` itself when it is no proxy. */
static PyObject *
unwrap_proxy(PyObject *o)
{
    if (!PyWeakref_CheckProxy(o)) {
        return Py_NewRef(o);
    }
    PyObject *op = ouro_weakref_referent((PyWeakReference *)o);
    if (op == NULL) {
        PyErr_SetString(PyExc_ReferenceError,
                        "weakly-referenced object no longer exists");
    }
    return Py_XNewRef(op);
}

PyObject *
PyWeakref_NewProxy(PyObject *ob, PyObject *callback)
{
    PyTypeObject *type =
        PyCallable_Check(ob) ? &_PyWeakref_CallableProxyType : &_PyWeakref_ProxyType;
    ouro_proxy_types_exist(&_PyWeakref_ProxyType, &_PyWeakref_CallableProxyType);
    return ouro_weakref_make(type, ob, callback, ouro_weakref_shared_proxy);
}

/* --- forwarding ------------------------------------------------------------------------------ */

#define FORWARD_UNARY(name, function)                                                    \
    static PyObject *name(PyObject *self)                                                \
    {                                                                                    \
        PyObject *op = unwrap_proxy(self);                                               \
        PyObject *result = op != NULL ? function(op) : NULL;                             \
        Py_XDECREF(op);                                                                  \
        return result;                                                                   \
    }

static PyObject *
forward_binary(PyObject *x, PyObject *y, binaryfunc function)
{
    PyObject *a = unwrap_proxy(x);
    PyObject *b = a != NULL ? unwrap_proxy(y) : NULL;
    PyObject *result = b != NULL ? function(a, b) : NULL;
    Py_XDECREF(a);
    Py_XDECREF(b);
    return result;
}

#define FORWARD_BINARY(name, function)                                                   \
    static PyObject *name(PyObject *x, PyObject *y)                                      \
    {                                                                                    \
        return forward_binary(x, y, function);                                           \
    }

static PyObject *
forward_ternary(PyObject *x, PyObject *y, PyObject *z, ternaryfunc function)
{
    PyObject *a = unwrap_proxy(x);
    PyObject *b = a != NULL ? unwrap_proxy(y) : NULL;
    PyObject *c = b != NULL ? unwrap_proxy(z) : NULL;
    PyObject *result = c != NULL ? function(a, b, c) : NULL;
    Py_XDECREF(a);
    Py_XDECREF(b);
    Py_XDECREF(c);
    return result;
}

FORWARD_UNARY(proxy_str, PyObject_Str)
FORWARD_UNARY(proxy_iter, PyObject_GetIter)
FORWARD_UNARY(proxy_negative, PyNumber_Negative)
FORWARD_UNARY(proxy_positive, PyNumber_Positive)
FORWARD_UNARY(proxy_absolute, PyNumber_Absolute)
FORWARD_UNARY(proxy_invert, PyNumber_Invert)
FORWARD_UNARY(proxy_int, PyNumber_Long)
FORWARD_UNARY(proxy_float, PyNumber_Float)
FORWARD_UNARY(proxy_index, PyNumber_Index)
FORWARD_BINARY(proxy_getattr, PyObject_GetAttr)
FORWARD_BINARY(proxy_getitem, PyObject_GetItem)
FORWARD_BINARY(proxy_add, PyNumber_Add)
FORWARD_BINARY(proxy_subtract, PyNumber_Subtract)
FORWARD_BINARY(proxy_multiply, PyNumber_Multiply)
FORWARD_BINARY(proxy_matrix_multiply, PyNumber_MatrixMultiply)
FORWARD_BINARY(proxy_floor_divide, PyNumber_FloorDivide)
FORWARD_BINARY(proxy_true_divide, PyNumber_TrueDivide)
FORWARD_BINARY(proxy_remainder, PyNumber_Remainder)
FORWARD_BINARY(proxy_divmod, PyNumber_Divmod)
FORWARD_BINARY(proxy_lshift, PyNumber_Lshift)
FORWARD_BINARY(proxy_rshift, PyNumber_Rshift)
FORWARD_BINARY(proxy_and, PyNumber_And)
FORWARD_BINARY(proxy_xor, PyNumber_Xor)
FORWARD_BINARY(proxy_or, PyNumber_Or)
FORWARD_BINARY(proxy_iadd, PyNumber_InPlaceAdd)
FORWARD_BINARY(proxy_isubtract, PyNumber_InPlaceSubtract)
FORWARD_BINARY(proxy_imultiply, PyNumber_InPlaceMultiply)
FORWARD_BINARY(proxy_imatrix_multiply, PyNumber_InPlaceMatrixMultiply)
FORWARD_BINARY(proxy_ifloor_divide, PyNumber_InPlaceFloorDivide)
FORWARD_BINARY(proxy_itrue_divide, PyNumber_InPlaceTrueDivide)
FORWARD_BINARY(proxy_iremainder, PyNumber_InPlaceRemainder)
FORWARD_BINARY(proxy_ilshift, PyNumber_InPlaceLshift)
FORWARD_BINARY(proxy_irshift, PyNumber_InPlaceRshift)
FORWARD_BINARY(proxy_iand, PyNumber_InPlaceAnd)
FORWARD_BINARY(proxy_ixor, PyNumber_InPlaceXor)
FORWARD_BINARY(proxy_ior, PyNumber_InPlaceOr)

static PyObject *
proxy_power(PyObject *x, PyObject *y, PyObject *z)
{
    return forward_ternary(x, y, z, PyNumber_Power);
}

static PyObject *
proxy_ipower(PyObject *x, PyObject *y, PyObject *z)
{
    return forward_ternary(x, y, z, PyNumber_InPlacePower);
}

static PyObject *
proxy_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
    PyObject *op = unwrap_proxy(self);
    PyObject *result = op != NULL ? PyObject_Call(op, args, kwargs) : NULL;
    Py_XDECREF(op);
    return result;
}

static int
proxy_setattr(PyObject *self, PyObject *name, PyObject *value)
{
    PyObject *op = unwrap_proxy(self);
    int result = op != NULL ? PyObject_SetAttr(op, name, value) : -1;
    Py_XDECREF(op);
    return result;
}

static int
proxy_bool(PyObject *self)
{
    PyObject *op = unwrap_proxy(self);
    int result = op != NULL ? PyObject_IsTrue(op) : -1;
    Py_XDECREF(op);
    return result;
}

static Py_ssize_t
proxy_length(PyObject *self)
{
    PyObject *op = unwrap_proxy(self);
    Py_ssize_t result = op != NULL ? PyObject_Size(op) : -1;
    Py_XDECREF(op);
    return result;
}

static int
proxy_contains(PyObject *self, PyObject *value)
{
    PyObject *op = unwrap_proxy(self);
    int result = op != NULL ? PySequence_Contains(op, value) : -1;
    Py_XDECREF(op);
    return result;
}

static int
proxy_setitem(PyObject *self, PyObject *key, PyObject *value)
{
    PyObject *op = unwrap_proxy(self);
    int result = -1;
    if (op != NULL) {
        result =
            value != NULL ? PyObject_SetItem(op, key, value) : PyObject_DelItem(op, key);
        Py_DECREF(op);
    }
    return result;
}

static PyObject *
proxy_iternext(PyObject *self)
{
    PyObject *op = unwrap_proxy(self);
    PyObject *result = NULL;
    if (op != NULL && !PyIter_Check(op)) {
        PyErr_Format(PyExc_TypeError,
                     "Weakref proxy referenced a non-iterator '%s' object",
                     Py_TYPE(op)->tp_name);
    } else if (op != NULL) {
        result = PyIter_Next(op);
    }
    Py_XDECREF(op);
    return result;
}

static PyObject *
proxy_richcompare(PyObject *x, PyObject *y, int op)
{
    PyObject *a = unwrap_proxy(x);
    PyObject *b = a != NULL ? unwrap_proxy(y) : NULL;
    PyObject *result = b != NULL ? PyObject_RichCompare(a, b, op) : NULL;
    Py_XDECREF(a);
    Py_XDECREF(b);
    return result;
}

static PyObject *
proxy_repr(PyObject *self)
{
    PyObject *op = ouro_weakref_referent((PyWeakReference *)self);
    if (op == NULL) {
        return PyUnicode_FromFormat("<weakproxy at %p; dead>", self);
    }
    return PyUnicode_FromFormat("<weakproxy at %p; to '%s' at %p>", self,
                                Py_TYPE(op)->tp_name, op);
}

/* --- the types -------------------------------------------------------------------------------- */

static PyNumberMethods proxy_as_number = {
    .nb_add = proxy_add,
    .nb_subtract = proxy_subtract,
    .nb_multiply = proxy_multiply,
    .nb_remainder = proxy_remainder,
    .nb_divmod = proxy_divmod,
    .nb_power = proxy_power,
    .nb_negative = proxy_negative,
    .nb_positive = proxy_positive,
    .nb_absolute = proxy_absolute,
    .nb_bool = proxy_bool,
    .nb_invert = proxy_invert,
    .nb_lshift = proxy_lshift,
    .nb_rshift = proxy_rshift,
    .nb_and = proxy_and,
    .nb_xor = proxy_xor,
    .nb_or = proxy_or,
    .nb_int = proxy_int,
    .nb_float = proxy_float,
    .nb_inplace_add = proxy_iadd,
    .nb_inplace_subtract = proxy_isubtract,
    .nb_inplace_multiply = proxy_imultiply,
    .nb_inplace_remainder = proxy_iremainder,
    .nb_inplace_power = proxy_ipower,
    .nb_inplace_lshift = proxy_ilshift,
    .nb_inplace_rshift = proxy_irshift,
    .nb_inplace_and = proxy_iand,
    .nb_inplace_xor = proxy_ixor,
    .nb_inplace_or = proxy_ior,
    .nb_floor_divide = proxy_floor_divide,
    .nb_true_divide = proxy_true_divide,
    .nb_inplace_floor_divide = proxy_ifloor_divide,
    .nb_inplace_true_divide = proxy_itrue_divide,
    .nb_index = proxy_index,
    .nb_matrix_multiply = proxy_matrix_multiply,
    .nb_inplace_matrix_multiply = proxy_imatrix_multiply,
};

static PySequenceMethods proxy_as_sequence = {
    .sq_length = proxy_length,
    .sq_contains = proxy_contains,
};

static PyMappingMethods proxy_as_mapping = {
    .mp_length = proxy_length,
    .mp_subscript = proxy_getitem,
    .mp_ass_subscript = proxy_setitem,
};

#define PROXY_SLOTS                                                                      \
    .tp_basicsize = sizeof(PyWeakReference), .tp_dealloc = ouro_weakref_dealloc,         \
    .tp_repr = proxy_repr, .tp_as_number = &proxy_as_number,                             \
    .tp_as_sequence = &proxy_as_sequence, .tp_as_mapping = &proxy_as_mapping,            \
    .tp_hash = PyObject_HashNotImplemented, .tp_str = proxy_str,                         \
    .tp_getattro = proxy_getattr, .tp_setattro = proxy_setattr,                          \
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,                                 \
    .tp_traverse = ouro_weakref_traverse, .tp_clear = ouro_weakref_clear,                \
    .tp_richcompare = proxy_richcompare, .tp_iter = proxy_iter,                          \
    .tp_iternext = proxy_iternext, .tp_alloc = PyType_GenericAlloc,                      \
    .tp_free = PyObject_GC_Del

PyTypeObject _PyWeakref_ProxyType = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "weakref.ProxyType",
    PROXY_SLOTS,
};

PyTypeObject _PyWeakref_CallableProxyType = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "weakref.CallableProxyType",
    PROXY_SLOTS,
    .tp_call = proxy_call,
};
