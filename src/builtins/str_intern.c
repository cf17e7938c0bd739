/* SPDX-License-Identifier: MIT */
/* Interned strings: one object per content and interpreter.
 *
 * The table holds no references: an interned string dies like any other, and leaves the
 * table on its way (ouro_str_forget). It uses the hash table of dict, and is an object only
 * so that the interpreter can keep it in its cache and release it at its end.
 *
 * Strings interned while static types are being finished are immortal and shared by the
 * process; they count as interned everywhere, so two equal interned strings need not be
 * the same object. */
#include "str_object.h"

#include "dict_object.h"

struct intern_table {
    PyObject_HEAD
    PyDictObject strings; /* the fields of a dict; no object, and its values are NULL */
};

/* The interpreter ends: strings that outlive the table are no longer interned. */
static void
intern_table_dealloc(PyObject *self)
{
    struct ouro_dict_table *table = ((struct intern_table *)self)->strings.ma_table;
    for (Py_ssize_t i = 0; table != NULL && i < table->count; i++) {
        if (table->entries[i].key != NULL) {
            ouro_str(table->entries[i].key)->state.interned = 0;
        }
    }
    ouro_dict_table_free(table);
    PyObject_Free(self);
}

/* Its instances are never visible: it needs no PyType_Ready. */
static PyTypeObject intern_table_type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "intern_table",
    .tp_basicsize = sizeof(struct intern_table),
    .tp_dealloc = intern_table_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT,
};

/* The table of this interpreter, made when first needed; NULL with MemoryError. */
static PyDictObject *
get_intern_table(void)
{
    PyObject **place = _PyInterpreterState_Cache(_Py_CACHE_INTERNED);
    if (*place == NULL) {
        struct intern_table *self = PyObject_New(struct intern_table, &intern_table_type);
        if (self == NULL) {
            return NULL;
        }
        memset(&self->strings, 0, sizeof self->strings);
        *place = (PyObject *)self;
    }
    return &((struct intern_table *)*place)->strings;
}

/* The interned string equal to `str`, borrowed: another, or `str` itself from now on. NULL
 * with MemoryError. */
static PyObject *
find_interned(PyObject *str)
{
    PyDictObject *strings = get_intern_table();
    Py_hash_t hash = PyObject_Hash(str);
    if (strings == NULL || ouro_dict_reserve(strings) < 0) {
        return NULL;
    }
    Py_ssize_t number = ouro_dict_find(strings, str, hash);
    if (number >= 0) {
        return strings->ma_table->entries[number].key;
    }
    ouro_dict_append(strings, str, hash, NULL);
    ouro_str(str)->state.interned = 1;
    return str;
}

void
ouro_str_forget(PyObject *str)
{
    PyDictObject *strings = get_intern_table();
    Py_ssize_t number = ouro_dict_find(strings, str, ouro_str(str)->hash);
    ouro_dict_remove(strings, number);
}

/* Callers do not expect errors here: keep theirs, drop ours. */
static void
replace_by_interned(PyObject **p)
{
    PyObject *pending = PyErr_GetRaisedException();
    PyObject *known = find_interned(*p);
    if (known != NULL && known != *p) {
        Py_SETREF(*p, Py_NewRef(known));
    }
    PyErr_SetRaisedException(pending);
}

/* Other interpreters may share an immortal string, so it must not be changed. */
void
PyUnicode_InternInPlace(PyObject **p)
{
    PyObject *str = *p;
    if (str != NULL && PyUnicode_CheckExact(str) && !PyUnicode_CHECK_INTERNED(str) &&
        !_Py_IsImmortal(str)) {
        replace_by_interned(p);
    }
}

PyObject *
PyUnicode_InternFromString(const char *str)
{
    PyObject *result = PyUnicode_FromString(str);
    if (result != NULL && PyUnicode_GET_LENGTH(result) > 0) {
        replace_by_interned(&result); /* new, so it may be changed */
    }
    return result;
}
