/* SPDX-License-Identifier: MIT */
/* The table of special methods that stand for slots, and how a type gets those of the slots
 * that it fills.
 *
 * Two slots may have the same method (sq_length and mp_length are both __len__): the first one
 * in the table gets it. tp_new is different: it is called with a type, so its method is a
 * built-in function that knows the type whose tp_new it stands for. */
#include "slot_methods.h"

#include "slot_call.h"
#include "slot_dispatch.h"
#include "slot_table.h"

/* clang-format off */
#define OURO_ROW(name, slot, dispatcher, call, doc)                                      \
    {"__" #name "__", Py_##slot, (void *)(dispatcher), ouro_slot_call_##call, doc, 0, NULL}
#define OURO_ROW_KEYWORDS(name, slot, dispatcher, call, doc)                             \
    {"__" #name "__", Py_##slot, (void *)(dispatcher),                                   \
     (wrapperfunc)(void (*)(void))ouro_slot_call_##call, doc, PyWrapperFlag_KEYWORDS, NULL}
/* A method that puts a dispatcher into the slot, but is not made from one. */
#define OURO_ROW_ONE_WAY(name, slot, dispatcher)                                         \
    {"__" #name "__", Py_##slot, (void *)(dispatcher), NULL, NULL, 0, NULL}
#define OURO_ROWS_BINARY(name, slot, symbol)                                             \
    OURO_ROW(name, slot, ouro_dispatch_##name, binary, "self " symbol " value"),         \
    OURO_ROW(r##name, slot, ouro_dispatch_##name, reflected, "value " symbol " self"),
#define OURO_ROW_INPLACE(name, slot, symbol)                                             \
    OURO_ROW(name, slot, ouro_dispatch_##name, binary, "self " symbol " value"),
#define OURO_ROW_UNARY(name, slot, text)                                                 \
    OURO_ROW(name, slot, ouro_dispatch_##name, unary, text),

struct wrapperbase ouro_slot_methods[] = {
    OURO_ROW(repr, tp_repr, ouro_dispatch_repr, unary, "repr(self)"),
    OURO_ROW(hash, tp_hash, ouro_dispatch_hash, hash, "hash(self)"),
    OURO_ROW_KEYWORDS(call, tp_call, ouro_dispatch_call, call, "call self"),
    OURO_ROW(str, tp_str, ouro_dispatch_str, unary, "str(self)"),
    OURO_ROW(getattribute, tp_getattro, ouro_dispatch_getattr, binary, "self.name"),
    OURO_ROW_ONE_WAY(getattr, tp_getattro, ouro_dispatch_getattr),
    OURO_ROW(setattr, tp_setattro, ouro_dispatch_setattr, set_attribute,
             "self.name = value"),
    OURO_ROW(delattr, tp_setattro, ouro_dispatch_setattr, delete_attribute,
             "del self.name"),
    OURO_ROW(lt, tp_richcompare, ouro_dispatch_richcompare, less, "self < value"),
    OURO_ROW(le, tp_richcompare, ouro_dispatch_richcompare, less_equal, "self <= value"),
    OURO_ROW(eq, tp_richcompare, ouro_dispatch_richcompare, equal, "self == value"),
    OURO_ROW(ne, tp_richcompare, ouro_dispatch_richcompare, not_equal, "self != value"),
    OURO_ROW(gt, tp_richcompare, ouro_dispatch_richcompare, greater, "self > value"),
    OURO_ROW(ge, tp_richcompare, ouro_dispatch_richcompare, greater_equal,
             "self >= value"),
    OURO_ROW(iter, tp_iter, ouro_dispatch_iter, unary, "iter(self)"),
    OURO_ROW(next, tp_iternext, ouro_dispatch_next, next, "next(self)"),
    OURO_ROW(get, tp_descr_get, ouro_dispatch_get, descriptor_get,
             "what the attribute of an instance or its class is"),
    OURO_ROW(set, tp_descr_set, ouro_dispatch_set, descriptor_set,
             "set the attribute of an instance"),
    OURO_ROW(delete, tp_descr_set, ouro_dispatch_set, descriptor_delete,
             "delete the attribute of an instance"),
    OURO_ROW_KEYWORDS(init, tp_init, ouro_dispatch_init, init, "initialise self"),
    OURO_ROW_ONE_WAY(new, tp_new, ouro_dispatch_new),
    OURO_ROW(del, tp_finalize, ouro_dispatch_del, finalizer,
             "called when the instance is about to be destroyed"),

    OURO_ROW(await, am_await, ouro_dispatch_await, unary, "an iterator for await"),
    OURO_ROW(aiter, am_aiter, ouro_dispatch_aiter, unary, "an asynchronous iterator"),
    OURO_ROW(anext, am_anext, ouro_dispatch_anext, unary, "an awaitable for the next item"),

    OURO_BINARY_OPERATORS(OURO_ROWS_BINARY)
    OURO_INPLACE_OPERATORS(OURO_ROW_INPLACE)
    OURO_UNARY_OPERATORS(OURO_ROW_UNARY)
    OURO_ROW(pow, nb_power, ouro_dispatch_pow, power, "pow(self, value, modulus)"),
    OURO_ROW(rpow, nb_power, ouro_dispatch_pow, power_of, "pow(value, self, modulus)"),
    OURO_ROW(ipow, nb_inplace_power, ouro_dispatch_ipow, power, "self **= value"),
    OURO_ROW(bool, nb_bool, ouro_dispatch_bool, truth, "is self true?"),

    OURO_ROW(len, mp_length, ouro_dispatch_len, length, "len(self)"),
    OURO_ROW(getitem, mp_subscript, ouro_dispatch_getitem, binary, "self[key]"),
    OURO_ROW(setitem, mp_ass_subscript, ouro_dispatch_setitem, set_key,
             "self[key] = value"),
    OURO_ROW(delitem, mp_ass_subscript, ouro_dispatch_setitem, delete_key,
             "del self[key]"),

    OURO_ROW(len, sq_length, ouro_dispatch_len, length, "len(self)"),
    OURO_ROW(add, sq_concat, NULL, binary, "self + value"),
    OURO_ROW(mul, sq_repeat, NULL, repeat, "self * value"),
    OURO_ROW(rmul, sq_repeat, NULL, repeat, "value * self"),
    OURO_ROW(getitem, sq_item, ouro_dispatch_item, get_item, "self[key]"),
    OURO_ROW(setitem, sq_ass_item, ouro_dispatch_ass_item, set_item,
             "self[key] = value"),
    OURO_ROW(delitem, sq_ass_item, ouro_dispatch_ass_item, delete_item,
             "del self[key]"),
    OURO_ROW(contains, sq_contains, ouro_dispatch_contains, contains, "key in self"),
    OURO_ROW(iadd, sq_inplace_concat, NULL, binary, "self += value"),
    OURO_ROW(imul, sq_inplace_repeat, NULL, repeat, "self *= value"),
    {NULL, 0, NULL, NULL, NULL, 0, NULL},
};

/* --- names ------------------------------------------------------------------------------ */

#define OURO_TEXT_OF_BINARY(name, slot, text) \
    [SPECIAL_##name] = "__" #name "__", [SPECIAL_r##name] = "__r" #name "__",
#define OURO_TEXT_OF_OTHER(name, slot, text) [SPECIAL_##name] = "__" #name "__",
#define OURO_TEXT(name)                      [SPECIAL_##name] = "__" #name "__"

static const char *const special_texts[SPECIAL_COUNT] = {
    OURO_BINARY_OPERATORS(OURO_TEXT_OF_BINARY)
    OURO_INPLACE_OPERATORS(OURO_TEXT_OF_OTHER)
    OURO_UNARY_OPERATORS(OURO_TEXT_OF_OTHER)
    OURO_TEXT(pow), OURO_TEXT(rpow), OURO_TEXT(ipow),
    OURO_TEXT(lt), OURO_TEXT(le), OURO_TEXT(eq), OURO_TEXT(ne), OURO_TEXT(gt), OURO_TEXT(ge),
    OURO_TEXT(repr), OURO_TEXT(str), OURO_TEXT(hash), OURO_TEXT(bool), OURO_TEXT(len),
    OURO_TEXT(contains), OURO_TEXT(getitem), OURO_TEXT(setitem), OURO_TEXT(delitem),
    OURO_TEXT(iter), OURO_TEXT(next), OURO_TEXT(call), OURO_TEXT(new), OURO_TEXT(init),
    OURO_TEXT(del), OURO_TEXT(getattribute), OURO_TEXT(getattr), OURO_TEXT(setattr),
    OURO_TEXT(delattr), OURO_TEXT(get), OURO_TEXT(set), OURO_TEXT(delete),
    OURO_TEXT(await), OURO_TEXT(aiter), OURO_TEXT(anext), OURO_TEXT(init_subclass),
    OURO_TEXT(set_name),
};
/* clang-format on */

PyObject *ouro_special_names[SPECIAL_COUNT];

bool
ouro_special_names_make(void)
{
    for (int i = 0; i < SPECIAL_COUNT; i++) {
        if (ouro_special_names[i] == NULL) {
            ouro_special_names[i] = PyUnicode_InternFromString(special_texts[i]);
            if (ouro_special_names[i] == NULL) {
                return false;
            }
        }
    }
    for (struct wrapperbase *row = ouro_slot_methods; row->name != NULL; row++) {
        if (row->name_strobj == NULL) {
            row->name_strobj = PyUnicode_InternFromString(row->name);
            if (row->name_strobj == NULL) {
                return false;
            }
        }
    }
    return true;
}

/* --- methods for slots ---------------------------------------------------------------------- */

static PyObject *new_method_call(PyObject *self, PyObject *args, PyObject *kwargs);

static PyMethodDef new_method = {"__new__", _PyCFunction_CAST(new_method_call),
                                 METH_VARARGS | METH_KEYWORDS,
                                 "make a new instance of a type"};

/* A hash that is known to be missing is None, so that code that looks it up can see that. */
static PyObject *
method_for_slot(PyTypeObject *type, struct wrapperbase *row, void *function)
{
    if (row->offset == Py_tp_hash && function == (void *)PyObject_HashNotImplemented) {
        return Py_NewRef(Py_None);
    }
    if (row->offset == Py_tp_new) {
        return PyCFunction_New(&new_method, (PyObject *)type);
    }
    return PyDescr_NewWrapper(type, row, function);
}

bool
ouro_type_add_slot_methods(PyTypeObject *type)
{
    for (struct wrapperbase *row = ouro_slot_methods; row->name != NULL; row++) {
        void *function = ouro_slot_read(type, ouro_slot_place(row->offset));
        if (function == NULL || (row->wrapper == NULL && row->offset != Py_tp_new)) {
            continue;
        }
        int known = PyDict_Contains(type->tp_dict, row->name_strobj);
        PyObject *method = known == 0 ? method_for_slot(type, row, function) : NULL;
        if (method != NULL) {
            known = PyDict_SetItem(type->tp_dict, row->name_strobj, method);
            Py_DECREF(method);
        } else if (known == 0) {
            return false;
        }
        if (known < 0) {
            return false;
        }
    }
    return true;
}

/* --- __new__ ------------------------------------------------------------------------------------ */

PyTypeObject *
ouro_type_of_new_method(PyObject *function)
{
    if (!PyCFunction_Check(function) ||
        ((PyCFunctionObject *)function)->m_ml != &new_method) {
        return NULL;
    }
    return (PyTypeObject *)PyCFunction_GET_SELF(function);
}

/* The nearest ancestor whose tp_new is in C: it knows the layout. */
static PyTypeObject *
nearest_with_c_new(PyTypeObject *type)
{
    while (type != NULL && type->tp_new == ouro_dispatch_new) {
        type = type->tp_base;
    }
    return type;
}

/* May instances of `subtype` be made by the tp_new of `type`? Else TypeError. */
static bool
new_suits(PyTypeObject *type, PyObject *given)
{
    if (!PyType_Check(given)) {
        PyErr_Format(PyExc_TypeError, "%s.__new__(X): X is not a type object (%s)",
                     type->tp_name, Py_TYPE(given)->tp_name);
        return false;
    }
    PyTypeObject *subtype = (PyTypeObject *)given;
    if (!PyType_IsSubtype(subtype, type)) {
        PyErr_Format(PyExc_TypeError, "%s.__new__(%s): %s is not a subtype of %s",
                     type->tp_name, subtype->tp_name, subtype->tp_name, type->tp_name);
        return false;
    }
    PyTypeObject *needed = nearest_with_c_new(subtype);
    if (needed != NULL && needed->tp_new != type->tp_new) {
        PyErr_Format(PyExc_TypeError, "%s.__new__(%s) is not safe, use %s.__new__()",
                     type->tp_name, subtype->tp_name, needed->tp_name);
        return false;
    }
    return true;
}

static PyObject *
new_method_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
    PyTypeObject *type = (PyTypeObject *)self;
    Py_ssize_t count = PyTuple_GET_SIZE(args);
    if (count < 1) {
        return PyErr_Format(PyExc_TypeError, "%s.__new__(): not enough arguments",
                            type->tp_name);
    }
    PyObject *subtype = PyTuple_GET_ITEM(args, 0);
    PyObject *rest = new_suits(type, subtype) ? PyTuple_GetSlice(args, 1, count) : NULL;
    if (rest == NULL) {
        return NULL;
    }
    PyObject *result = type->tp_new((PyTypeObject *)subtype, rest, kwargs);
    Py_DECREF(rest);
    return result;
}
