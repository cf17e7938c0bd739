/* SPDX-License-Identifier: MIT */
/* Generic aliases: list[int]. An alias looks and behaves like its origin, the type, and
 * remembers the arguments; nothing checks them. */
#include "generic_alias.h"

#include <stdbool.h>

#include "arguments.h"

/* --- making ---------------------------------------------------------------------------------- */

static PyObject *
new_alias(PyTypeObject *type, PyObject *origin, PyObject *args)
{
    PyObject *tuple = PyTuple_Check(args) ? Py_NewRef(args) : PyTuple_Pack(1, args);
    if (tuple == NULL) {
        return NULL;
    }
    genericalias *alias = (genericalias *)type->tp_alloc(type, 0);
    if (alias == NULL) {
        Py_DECREF(tuple);
        return NULL;
    }
    alias->origin = Py_NewRef(origin);
    alias->args = tuple;
    return (PyObject *)alias;
}

PyObject *
Py_GenericAlias(PyObject *origin, PyObject *args)
{
    return new_alias(&Py_GenericAliasType, origin, args);
}

static PyObject *
genericalias_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    if (!ouro_args_positional("GenericAlias", kwargs) ||
        !ouro_args_between("GenericAlias", PyTuple_GET_SIZE(args), 2, 2)) {
        return NULL;
    }
    return new_alias(type, PyTuple_GET_ITEM(args, 0), PyTuple_GET_ITEM(args, 1));
}

static int
genericalias_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(OURO_ALIAS(op)->origin);
    Py_VISIT(OURO_ALIAS(op)->args);
    Py_VISIT(OURO_ALIAS(op)->parameters);
    return 0;
}

static void
genericalias_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    if (OURO_ALIAS(op)->weakreflist != NULL) {
        PyObject_ClearWeakRefs(op);
    }
    Py_XDECREF(OURO_ALIAS(op)->origin);
    Py_XDECREF(OURO_ALIAS(op)->args);
    Py_XDECREF(OURO_ALIAS(op)->parameters);
    Py_TYPE(op)->tp_free(op);
}

/* --- as the origin ------------------------------------------------------------------------------ */

/* Attributes that are the alias's own; all others are those of the origin. */
static bool
is_own_attribute(PyObject *name)
{
    static const char *const own[] = {
        "__class__",       "__origin__",        "__args__",          "__parameters__",
        "__mro_entries__", "__instancecheck__", "__subclasscheck__", "__bases__",
    };
    for (size_t i = 0; i < Py_ARRAY_LENGTH(own); i++) {
        if (PyUnicode_EqualToUTF8(name, own[i])) {
            return true;
        }
    }
    return false;
}

static PyObject *
genericalias_getattro(PyObject *op, PyObject *name)
{
    if (PyUnicode_Check(name) && !is_own_attribute(name)) {
        return PyObject_GetAttr(OURO_ALIAS(op)->origin, name);
    }
    return PyObject_GenericGetAttr(op, name);
}

/* The new object learns what it was made with, if it has room for it. */
static PyObject *
genericalias_call(PyObject *op, PyObject *args, PyObject *kwargs)
{
    PyObject *made = PyObject_Call(OURO_ALIAS(op)->origin, args, kwargs);
    if (made != NULL && PyObject_SetAttrString(made, "__orig_class__", op) < 0) {
        if (!PyErr_ExceptionMatches(PyExc_AttributeError) &&
            !PyErr_ExceptionMatches(PyExc_TypeError)) {
            Py_DECREF(made);
            return NULL;
        }
        PyErr_Clear();
    }
    return made;
}

static PyObject *
genericalias_mro_entries(PyObject *op, PyObject *Py_UNUSED(bases))
{
    return PyTuple_Pack(1, OURO_ALIAS(op)->origin);
}

static PyObject *
genericalias_instancecheck(PyObject *Py_UNUSED(op), PyObject *Py_UNUSED(instance))
{
    PyErr_SetString(PyExc_TypeError,
                    "isinstance() argument 2 cannot be a parameterized generic");
    return NULL;
}

static PyObject *
genericalias_subclasscheck(PyObject *Py_UNUSED(op), PyObject *Py_UNUSED(subclass))
{
    PyErr_SetString(PyExc_TypeError,
                    "issubclass() argument 2 cannot be a parameterized generic");
    return NULL;
}

/* --- parameters ------------------------------------------------------------------------------------ */

static PyObject *
genericalias_parameters(PyObject *op, void *Py_UNUSED(closure))
{
    genericalias *alias = OURO_ALIAS(op);
    if (alias->parameters == NULL) {
        PyObject *parameters = ouro_alias_collect_parameters(alias->args);
        if (parameters == NULL) {
            return NULL;
        }
        Py_XSETREF(alias->parameters, parameters);
    }
    return Py_NewRef(alias->parameters);
}

static PyObject *
genericalias_subscript(PyObject *op, PyObject *item)
{
    PyObject *parameters = genericalias_parameters(op, NULL);
    if (parameters == NULL) {
        return NULL;
    }
    PyObject *args = ouro_alias_substitute(op, parameters, item);
    Py_DECREF(parameters);
    PyObject *result =
        args == NULL ? NULL : Py_GenericAlias(OURO_ALIAS(op)->origin, args);
    Py_XDECREF(args);
    return result;
}

/* --- comparing ----------------------------------------------------------------------------------------- */

static PyObject *
genericalias_richcompare(PyObject *a, PyObject *b, int op)
{
    if ((op != Py_EQ && op != Py_NE) || !PyObject_TypeCheck(a, &Py_GenericAliasType) ||
        !PyObject_TypeCheck(b, &Py_GenericAliasType)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    int equal =
        PyObject_RichCompareBool(OURO_ALIAS(a)->origin, OURO_ALIAS(b)->origin, Py_EQ);
    if (equal > 0) {
        equal = PyObject_RichCompareBool(OURO_ALIAS(a)->args, OURO_ALIAS(b)->args, Py_EQ);
    }
    return equal < 0 ? NULL : PyBool_FromLong(equal == (op == Py_EQ));
}

static Py_hash_t
genericalias_hash(PyObject *op)
{
    Py_hash_t of_origin = PyObject_Hash(OURO_ALIAS(op)->origin);
    Py_hash_t of_args = of_origin == -1 ? -1 : PyObject_Hash(OURO_ALIAS(op)->args);
    if (of_args == -1) {
        return -1;
    }
    Py_hash_t hash = of_origin ^ of_args;
    return hash == -1 ? -2 : hash;
}

/* --- text ------------------------------------------------------------------------------------------------ */

static PyObject *text_of_argument(PyObject *argument);

/* "module.qualname" of a class; NULL without an exception when `o` has no such names. */
static PyObject *
text_of_class(PyObject *o)
{
    PyObject *qualname, *module, *text = NULL;
    if (PyObject_GetOptionalAttrString(o, "__qualname__", &qualname) <= 0) {
        return NULL;
    }
    if (PyObject_GetOptionalAttrString(o, "__module__", &module) > 0 &&
        module != Py_None) {
        bool alone = PyUnicode_Check(module) && PyUnicode_EqualToUTF8(module, "builtins");
        text = alone ? PyObject_Str(qualname)
                     : PyUnicode_FromFormat("%S.%S", module, qualname);
    }
    Py_XDECREF(module);
    Py_DECREF(qualname);
    return text;
}

/* The items of a list or tuple, with commas between them. */
static PyObject *
text_of_arguments(PyObject *arguments)
{
    PyObject *text = PyUnicode_FromString("");
    for (Py_ssize_t i = 0; text != NULL && i < PySequence_Fast_GET_SIZE(arguments); i++) {
        PyObject *argument = Py_NewRef(PySequence_Fast_GET_ITEM(arguments, i));
        PyObject *one = text_of_argument(argument);
        Py_DECREF(argument);
        Py_SETREF(text, one == NULL ? NULL
                                    : PyUnicode_FromFormat("%U%s%U", text,
                                                           i > 0 ? ", " : "", one));
        Py_XDECREF(one);
    }
    return text;
}

static PyObject *
text_of_argument(PyObject *argument)
{
    if (argument == Py_Ellipsis) {
        return PyUnicode_FromString("...");
    }
    if (PyList_Check(argument)) {
        PyObject *inside = NULL;
        if (Py_EnterRecursiveCall(" while getting the repr of a generic alias") == 0) {
            inside = text_of_arguments(argument);
            Py_LeaveRecursiveCall();
        }
        PyObject *text = inside == NULL ? NULL : PyUnicode_FromFormat("[%U]", inside);
        Py_XDECREF(inside);
        return text;
    }
    bool alias = PyObject_TypeCheck(argument, &Py_GenericAliasType);
    PyObject *text = alias ? NULL : text_of_class(argument);
    if (text == NULL && !PyErr_Occurred()) {
        text = PyObject_Repr(argument);
    }
    return text;
}

static PyObject *
genericalias_repr(PyObject *op)
{
    genericalias *alias = OURO_ALIAS(op);
    PyObject *origin = text_of_argument(alias->origin);
    PyObject *args = NULL, *text = NULL;
    if (origin != NULL) {
        args = PyTuple_GET_SIZE(alias->args) == 0 ? PyUnicode_FromString("()")
                                                  : text_of_arguments(alias->args);
    }
    if (args != NULL) {
        text = PyUnicode_FromFormat("%U[%U]", origin, args);
    }
    Py_XDECREF(origin);
    Py_XDECREF(args);
    return text;
}

/* --- the type ----------------------------------------------------------------------------------------------- */

static PyMethodDef genericalias_methods[] = {
    {"__mro_entries__", genericalias_mro_entries, METH_O, NULL},
    {"__instancecheck__", genericalias_instancecheck, METH_O, NULL},
    {"__subclasscheck__", genericalias_subclasscheck, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef genericalias_members[] = {
    {"__origin__", _Py_T_OBJECT, offsetof(genericalias, origin), Py_READONLY, NULL},
    {"__args__", _Py_T_OBJECT, offsetof(genericalias, args), Py_READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef genericalias_getset[] = {
    {"__parameters__", genericalias_parameters, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMappingMethods genericalias_as_mapping = {
    .mp_subscript = genericalias_subscript,
};

PyTypeObject Py_GenericAliasType = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "types.GenericAlias",
    .tp_basicsize = sizeof(genericalias),
    .tp_dealloc = genericalias_dealloc,
    .tp_repr = genericalias_repr,
    .tp_as_mapping = &genericalias_as_mapping,
    .tp_hash = genericalias_hash,
    .tp_call = genericalias_call,
    .tp_getattro = genericalias_getattro,
    .tp_setattro = PyObject_GenericSetAttr,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .tp_doc = "GenericAlias(origin, args): a generic type with its arguments",
    .tp_traverse = genericalias_traverse,
    .tp_richcompare = genericalias_richcompare,
    .tp_weaklistoffset = offsetof(genericalias, weakreflist),
    .tp_methods = genericalias_methods,
    .tp_members = genericalias_members,
    .tp_getset = genericalias_getset,
    .tp_alloc = PyType_GenericAlloc,
    .tp_new = genericalias_new,
    .tp_free = PyObject_GC_Del,
};
