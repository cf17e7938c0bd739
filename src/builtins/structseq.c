/* SPDX-License-Identifier: MIT */
/* Struct sequences: subtypes of tuple whose items have names.
 *
 * An instance has room for all fields; ob_size counts those that are items. The dict of the
 * type has the number of all fields, under the names that CPython uses. */
#include <Python.h>

#include <stdbool.h>

#include "arguments.h"

const char *const PyStructSequence_UnnamedField = "unnamed field";

/* --- the numbers of a type ---------------------------------------------------------------------- */

static const char *const items_key = "n_sequence_fields", *const fields_key = "n_fields",
                         *const unnamed_key = "n_unnamed_fields";

/* A number from the dict of the type, which PyStructSequence_... put there. Collections and
 * destructors need it, so it is found without memory, and without changing a count. */
static Py_ssize_t
number_in_type(PyTypeObject *type, const char *key)
{
    PyObject *number = ouro_args_named(type->tp_dict, key);
    return number == NULL ? 0 : (Py_ssize_t)PyLong_AsSize_t(number);
}

static bool
put_count(PyObject *dict, const char *key, Py_ssize_t value)
{
    PyObject *number = PyLong_FromSsize_t(value);
    bool done = number != NULL && PyDict_SetItemString(dict, key, number) == 0;
    Py_XDECREF(number);
    return done;
}

static PyObject **
fields_of(PyObject *op)
{
    return ((PyTupleObject *)op)->ob_item;
}

/* --- instances ------------------------------------------------------------------------------------ */

PyObject *
PyStructSequence_New(PyTypeObject *type)
{
    Py_ssize_t count = number_in_type(type, fields_key);
    PyTupleObject *op = PyObject_GC_NewVar(PyTupleObject, type, count);
    if (op != NULL) {
        memset(op->ob_item, 0, (size_t)count * sizeof(PyObject *));
        Py_SET_SIZE(op, number_in_type(type, items_key));
        PyObject_GC_Track(op);
    }
    return (PyObject *)op;
}

void
PyStructSequence_SetItem(PyObject *op, Py_ssize_t pos, PyObject *value)
{
    Py_XSETREF(fields_of(op)[pos], value);
}

PyObject *
PyStructSequence_GetItem(PyObject *op, Py_ssize_t pos)
{
    return fields_of(op)[pos];
}

static int
structseq_traverse(PyObject *op, visitproc visit, void *arg)
{
    if (PyType_HasFeature(Py_TYPE(op), Py_TPFLAGS_HEAPTYPE)) {
        Py_VISIT(Py_TYPE(op));
    }
    Py_ssize_t count = number_in_type(Py_TYPE(op), fields_key);
    for (Py_ssize_t i = 0; i < count; i++) {
        Py_VISIT(fields_of(op)[i]);
    }
    return 0;
}

static void
structseq_dealloc(PyObject *op)
{
    PyTypeObject *type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    for (Py_ssize_t i = number_in_type(type, fields_key) - 1; i >= 0; i--) {
        Py_XDECREF(fields_of(op)[i]);
    }
    PyObject_GC_Del(op);
    if (PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE)) {
        Py_DECREF(type);
    }
}

/* The value of a field from the second argument of the constructor, or None. */
static PyObject *
value_by_field_name(PyTypeObject *type, PyObject *dict, Py_ssize_t field)
{
    PyObject *value = NULL;
    const char *name = type->tp_members[field - number_in_type(type, unnamed_key)].name;
    if (dict != NULL && PyDict_GetItemStringRef(dict, name, &value) < 0) {
        return NULL;
    }
    return value == NULL ? Py_NewRef(Py_None) : value;
}

static bool
length_is_right(PyTypeObject *type, Py_ssize_t given)
{
    Py_ssize_t least = number_in_type(type, items_key);
    Py_ssize_t most = number_in_type(type, fields_key);
    if (given >= least && given <= most) {
        return true;
    }
    PyErr_Format(PyExc_TypeError, "%.500s() takes a%s %zd-sequence (%zd-sequence given)",
                 type->tp_name,
                 least == most   ? ""
                 : given < least ? "n at least"
                                 : "n at most",
                 given < least ? least : most, given);
    return false;
}

/* type(sequence, dict=None) */
static PyObject *
structseq_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"sequence", "dict", NULL};
    PyObject *sequence, *dict = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O!:structseq", names, &sequence,
                                     &PyDict_Type, &dict)) {
        return NULL;
    }
    PyObject *given = PySequence_Tuple(sequence);
    if (given == NULL || !length_is_right(type, PyTuple_GET_SIZE(given))) {
        Py_XDECREF(given);
        return NULL;
    }
    PyObject *op = PyStructSequence_New(type);
    Py_ssize_t all = op == NULL ? 0 : number_in_type(type, fields_key);
    for (Py_ssize_t i = 0; i < all; i++) {
        PyObject *value = i < PyTuple_GET_SIZE(given)
                              ? Py_NewRef(PyTuple_GET_ITEM(given, i))
                              : value_by_field_name(type, dict, i);
        if (value == NULL) {
            Py_CLEAR(op);
            break;
        }
        fields_of(op)[i] = value;
    }
    Py_DECREF(given);
    return op;
}

/* The name of an item; "?" when it has none. */
static const char *
name_of_item(PyTypeObject *type, Py_ssize_t item)
{
    Py_ssize_t offset = (Py_ssize_t)(offsetof(PyTupleObject, ob_item) +
                                     (size_t)item * sizeof(PyObject *));
    const PyMemberDef *member = type->tp_members;
    while (member->name != NULL && member->offset != offset) {
        member++;
    }
    return member->name == NULL ? "?" : member->name;
}

/* field=value, ...: the items alone. */
static int
write_fields(PyUnicodeWriter *writer, PyObject *op)
{
    for (Py_ssize_t i = 0; i < Py_SIZE(op); i++) {
        if ((i > 0 && PyUnicodeWriter_WriteASCII(writer, ", ", 2) < 0) ||
            PyUnicodeWriter_WriteUTF8(writer, name_of_item(Py_TYPE(op), i), -1) < 0 ||
            PyUnicodeWriter_WriteChar(writer, '=') < 0 ||
            PyUnicodeWriter_WriteRepr(writer, fields_of(op)[i]) < 0) {
            return -1;
        }
    }
    return 0;
}

static PyObject *
structseq_repr(PyObject *op)
{
    PyUnicodeWriter *writer = PyUnicodeWriter_Create(0);
    if (writer == NULL ||
        PyUnicodeWriter_WriteUTF8(writer, Py_TYPE(op)->tp_name, -1) < 0 ||
        PyUnicodeWriter_WriteChar(writer, '(') < 0 || write_fields(writer, op) < 0 ||
        PyUnicodeWriter_WriteChar(writer, ')') < 0) {
        PyUnicodeWriter_Discard(writer);
        return NULL;
    }
    return PyUnicodeWriter_Finish(writer);
}

/* --- types ------------------------------------------------------------------------------------------ */

static Py_ssize_t
count_fields(const PyStructSequence_Desc *desc, Py_ssize_t *unnamed)
{
    Py_ssize_t count = 0;
    *unnamed = 0;
    for (; desc->fields[count].name != NULL; count++) {
        *unnamed += desc->fields[count].name == PyStructSequence_UnnamedField;
    }
    return count;
}

/* The table of the named fields; NULL with MemoryError. */
static PyMemberDef *
members_for(const PyStructSequence_Desc *desc, Py_ssize_t count)
{
    PyMemberDef *members = PyMem_RawCalloc((size_t)count + 1, sizeof *members);
    if (members == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    PyMemberDef *to = members;
    for (Py_ssize_t i = 0; i < count; i++) {
        if (desc->fields[i].name != PyStructSequence_UnnamedField) {
            *to++ = (PyMemberDef){
                .name = desc->fields[i].name,
                .type = _Py_T_OBJECT,
                .offset = (Py_ssize_t)(offsetof(PyTupleObject, ob_item) +
                                       (size_t)i * sizeof(PyObject *)),
                .flags = Py_READONLY,
                .doc = desc->fields[i].doc,
            };
        }
    }
    return members;
}

static bool
put_counts(PyTypeObject *type, const PyStructSequence_Desc *desc)
{
    Py_ssize_t unnamed, count = count_fields(desc, &unnamed);
    PyObject *dict = PyType_GetDict(type);
    bool done = put_count(dict, items_key, desc->n_in_sequence) &&
                put_count(dict, fields_key, count) &&
                put_count(dict, unnamed_key, unnamed);
    Py_DECREF(dict);
    PyType_Modified(type);
    return done;
}

PyTypeObject *
PyStructSequence_NewType(PyStructSequence_Desc *desc)
{
    Py_ssize_t unnamed, count = count_fields(desc, &unnamed);
    PyMemberDef *members = members_for(desc, count);
    if (members == NULL) {
        return NULL;
    }
    PyType_Slot slots[] = {
        {Py_tp_dealloc, (void *)structseq_dealloc},
        {Py_tp_traverse, (void *)structseq_traverse},
        {Py_tp_repr, (void *)structseq_repr},
        {Py_tp_new, (void *)structseq_new},
        {Py_tp_members, members},
        {desc->doc == NULL ? 0 : Py_tp_doc, (void *)desc->doc},
        {0, NULL},
    };
    PyType_Spec spec = {
        .name = desc->name,
        .basicsize = offsetof(PyTupleObject, ob_item),
        .itemsize = sizeof(PyObject *),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
        .slots = slots,
    };
    PyObject *type = PyType_FromSpecWithBases(&spec, (PyObject *)&PyTuple_Type);
    PyMem_RawFree(members); /* the type has a copy */
    if (type != NULL && !put_counts((PyTypeObject *)type, desc)) {
        Py_CLEAR(type);
    }
    return (PyTypeObject *)type;
}

/* A static type keeps its table for as long as the process runs. */
int
PyStructSequence_InitType2(PyTypeObject *type, PyStructSequence_Desc *desc)
{
    Py_ssize_t unnamed, count = count_fields(desc, &unnamed);
    if (PyType_HasFeature(type, Py_TPFLAGS_READY)) {
        return 0;
    }
    PyMemberDef *members = members_for(desc, count);
    if (members == NULL) {
        return -1;
    }
    type->tp_name = desc->name;
    type->tp_basicsize = offsetof(PyTupleObject, ob_item);
    type->tp_itemsize = sizeof(PyObject *);
    type->tp_dealloc = structseq_dealloc;
    type->tp_traverse = structseq_traverse;
    type->tp_repr = structseq_repr;
    type->tp_new = structseq_new;
    type->tp_members = members;
    type->tp_doc = desc->doc;
    type->tp_base = &PyTuple_Type;
    type->tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC;
    return PyType_Ready(type) < 0 || !put_counts(type, desc) ? -1 : 0;
}

void
PyStructSequence_InitType(PyTypeObject *type, PyStructSequence_Desc *desc)
{
    (void)PyStructSequence_InitType2(type, desc);
}
