/* SPDX-License-Identifier: MIT */
/* The dict type: memory and slots, of which frozendict shares those that only read. */
#include "dict_object.h"

/* --- memory --------------------------------------------------------------------------------------------- */

PyObject *
PyDict_New(void)
{
    PyDictObject *self = PyObject_GC_New(PyDictObject, &PyDict_Type);
    if (self == NULL) {
        return NULL;
    }
    self->ma_used = 0;
    self->ma_version = 0;
    self->ma_table = NULL;
    PyObject_GC_Track(self);
    return (PyObject *)self;
}

int
ouro_dict_traverse(PyObject *self, visitproc visit, void *arg)
{
    struct ouro_dict_table *table = ouro_dict(self)->ma_table;
    for (Py_ssize_t i = 0; table != NULL && i < table->count; i++) {
        Py_VISIT(table->entries[i].key);
        Py_VISIT(table->entries[i].value);
    }
    return 0;
}

typedef struct dict_entry Entry;
OURO_F_LIST(Entry, key, value);
const Ouro_Field ouro_dict_list[] = {
    {.name = "ma_table",
     .kind = OURO_FIELD_COUNTED,
     .through = offsetof(PyDictObject, ma_table),
     .offset = offsetof(struct ouro_dict_table, entries),
     .length = offsetof(struct ouro_dict_table, count),
     .length_size = sizeof(Py_ssize_t),
     .size = sizeof(Entry),
     .element = Entry_ouro_list,
     .release = PyMem_Free}, /* as ouro_dict_table_free does */
    {.kind = OURO_FIELD_END},
};
static Py_ssize_t
dict_traverse_part(PyObject *self, Py_ssize_t from, visitproc visit, void *arg)
{
    struct ouro_dict_table *table = ouro_dict(self)->ma_table;
    Py_ssize_t left = table != NULL ? table->count - from : 0;
    Py_ssize_t end = from + (left < _Py_TRAVERSE_PART ? left : _Py_TRAVERSE_PART);
    for (Py_ssize_t i = from; i < end; i++) {
        Py_VISIT(table->entries[i].key);
        Py_VISIT(table->entries[i].value);
    }
    return left > _Py_TRAVERSE_PART ? end : -1;
}

int
ouro_dict_clear(PyObject *self)
{
    ouro_dict_empty(ouro_dict(self));
    return 0;
}

void
ouro_dict_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    ouro_dict_empty(ouro_dict(self));
    Py_TYPE(self)->tp_free(self);
}

const Ouro_Fields ouro_dict_fields = {
    .list = ouro_dict_list, .clear = ouro_dict_clear, .dealloc = ouro_dict_dealloc};

static int
dict_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    return ouro_dict_update(self, "dict", args, kwargs);
}

PyObject *
ouro_dict_iter(PyObject *self)
{
    return ouro_dict_iterator_new(self, &PyDictIterKey_Type);
}

/* --- slots ----------------------------------------------------------------------------------------------- */

Py_ssize_t
ouro_dict_length(PyObject *self)
{
    return PyDict_GET_SIZE(self);
}

/* d[key]; a subclass may have __missing__. */
PyObject *
ouro_dict_subscript(PyObject *self, PyObject *key)
{
    PyObject *value;
    if (PyDict_GetItemRef(self, key, &value) != 0) {
        return value;
    }
    if (!PyAnyDict_CheckExact(self)) {
        PyObject *missing;
        if (_PyObject_FindAttrString(self, "__missing__", &missing) < 0) {
            return NULL;
        }
        if (missing != NULL) {
            value = PyObject_CallOneArg(missing, key);
            Py_DECREF(missing);
            return value;
        }
    }
    ouro_raise_key_error(key);
    return NULL;
}

static int
dict_ass_subscript(PyObject *self, PyObject *key, PyObject *value)
{
    return value == NULL ? PyDict_DelItem(self, key) : PyDict_SetItem(self, key, value);
}

/* Is every item of `a` an item of `b`? 1, 0, or -1 with an exception. */
static int
dict_items_are_in(PyObject *a, PyObject *b)
{
    PyObject *key, *value, *other;
    Py_ssize_t pos = 0;
    int equal = 1;
    while (equal > 0 && PyDict_Next(a, &pos, &key, &value)) {
        Py_INCREF(key);
        Py_INCREF(value);
        equal = PyDict_GetItemRef(b, key, &other);
        if (equal > 0) {
            equal = PyObject_RichCompareBool(value, other, Py_EQ);
            Py_DECREF(other);
        }
        Py_DECREF(key);
        Py_DECREF(value);
    }
    return equal;
}

PyObject *
ouro_dict_richcompare(PyObject *a, PyObject *b, int op)
{
    if (!PyAnyDict_Check(a) || !PyAnyDict_Check(b) || (op != Py_EQ && op != Py_NE)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    int equal = PyDict_GET_SIZE(a) == PyDict_GET_SIZE(b) ? dict_items_are_in(a, b) : 0;
    return equal < 0 ? NULL : PyBool_FromLong(equal == (op == Py_EQ));
}

static int
write_dict_item(PyUnicodeWriter *writer, PyObject *key, PyObject *value, bool first)
{
    if ((!first && PyUnicodeWriter_WriteASCII(writer, ", ", 2) < 0) ||
        PyUnicodeWriter_WriteRepr(writer, key) < 0 ||
        PyUnicodeWriter_WriteASCII(writer, ": ", 2) < 0) {
        return -1;
    }
    return PyUnicodeWriter_WriteRepr(writer, value);
}

PyObject *
ouro_dict_repr(PyObject *self)
{
    int entered = Py_ReprEnter(self);
    if (entered != 0) {
        return entered > 0 ? PyUnicode_FromString("{...}") : NULL;
    }
    PyUnicodeWriter *writer = PyUnicodeWriter_Create(PyDict_GET_SIZE(self) * 6);
    PyObject *result = NULL, *key, *value;
    if (writer == NULL || PyUnicodeWriter_WriteChar(writer, '{') < 0) {
        goto done;
    }
    bool first = true;
    for (Py_ssize_t pos = 0; PyDict_Next(self, &pos, &key, &value); first = false) {
        Py_INCREF(key);
        Py_INCREF(value);
        int failed = write_dict_item(writer, key, value, first);
        Py_DECREF(key);
        Py_DECREF(value);
        if (failed) {
            goto done;
        }
    }
    if (PyUnicodeWriter_WriteChar(writer, '}') == 0) {
        result = PyUnicodeWriter_Finish(writer);
        writer = NULL;
    }
done:
    PyUnicodeWriter_Discard(writer);
    Py_ReprLeave(self);
    return result;
}

/* a | b; the first operand says whether the result is a dict or a frozendict. */
PyObject *
ouro_dict_or(PyObject *a, PyObject *b)
{
    if (!PyAnyDict_Check(a) || !PyAnyDict_Check(b)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    PyObject *result = ouro_dict_copy_any(a);
    if (result != NULL && PyDict_Update(result, b) < 0) {
        Py_CLEAR(result);
    }
    return PyDict_Check(a) ? result : ouro_frozendict_steal(&PyFrozenDict_Type, result);
}

static PyObject *
dict_inplace_or(PyObject *self, PyObject *other)
{
    return ouro_dict_update_from(self, other) < 0 ? NULL : Py_NewRef(self);
}

static PyNumberMethods dict_as_number = {
    .nb_or = ouro_dict_or,
    .nb_inplace_or = dict_inplace_or,
};

static PySequenceMethods dict_as_sequence = {
    .sq_contains = PyDict_Contains,
};

static PyMappingMethods dict_as_mapping = {
    .mp_length = ouro_dict_length,
    .mp_subscript = ouro_dict_subscript,
    .mp_ass_subscript = dict_ass_subscript,
};

PyTypeObject PyDict_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "dict",
    .tp_basicsize = sizeof(PyDictObject),
    .tp_dealloc = ouro_dict_dealloc,
    .tp_repr = ouro_dict_repr,
    .tp_as_number = &dict_as_number,
    .tp_as_sequence = &dict_as_sequence,
    .tp_as_mapping = &dict_as_mapping,
    .tp_hash = PyObject_HashNotImplemented,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC |
                Py_TPFLAGS_DICT_SUBCLASS | Py_TPFLAGS_MAPPING,
    .tp_doc = "dict(mapping_or_pairs=(), /, **items)\n--\n\nA hash table in order of "
              "insertion.",
    .tp_traverse = ouro_dict_traverse,
    .tp_ouro_traverse_part = dict_traverse_part,
    .tp_ouro_fields = &ouro_dict_fields,
    .tp_clear = ouro_dict_clear,
    .tp_richcompare = ouro_dict_richcompare,
    .tp_iter = ouro_dict_iter,
    .tp_init = dict_init,
    .tp_alloc = PyType_GenericAlloc,
    .tp_new = PyType_GenericNew,
    .tp_free = PyObject_GC_Del,
};
