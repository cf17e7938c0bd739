/* SPDX-License-Identifier: MIT */
/* Attributes that an instance keeps without a dict, since 3.11: its values, in the order of the
 * names that its class has. Reading them changes nothing. Asking for __dict__ would make a dict. */
#include "source.h"

#include "../ouro_gc/layout.h"

#if HAS_MANAGED_DICTS && !defined(Py_GIL_DISABLED)

#if PY_VERSION_HEX >= 0x030D0000
/* The values lie behind the object. */
static PyObject **
values_of(PyObject *object)
{
    const PyTypeObject *type = Py_TYPE(object);
    if ((type->tp_flags & (1UL << 2)) == 0) { /* Py_TPFLAGS_INLINE_VALUES */
        return NULL;
    }
    struct shared_values *values = (void *)((char *)object + type->tp_basicsize);
    return values->is_valid ? values->items : NULL;
}
#elif PY_VERSION_HEX >= 0x030C0000
/* A pointer to the values, with its lowest bit set, takes the place of the dict. */
static PyObject **
values_of(PyObject *object)
{
    char *word = ((char **)object)[MANAGED_DICT_WORD];
    return ((uintptr_t)word & 1) != 0 ? shared_items(word + 1) : NULL;
}
#else
static PyObject **
values_of(PyObject *object)
{
    void *values = ((void **)object)[MANAGED_VALUES_WORD_OF_311];
    return values != NULL ? shared_items(values) : NULL;
}
#endif

void
attributes_name(PyObject *object, void *names, void *context)
{
    PyTypeObject *type = Py_TYPE(object);
    (void)context;
    if ((type->tp_flags & Py_TPFLAGS_MANAGED_DICT) == 0 ||
        (type->tp_flags & Py_TPFLAGS_HEAPTYPE) == 0) {
        return;
    }
    PyObject **values = values_of(object);
    struct dict_keys *keys = (void *)((PyHeapTypeObject *)type)->ht_cached_keys;
    if (values == NULL || keys == NULL || keys->kind == DICT_KIND_GENERAL) {
        return;
    }
    const struct dict_name_entry *entries = dict_entries(keys);
    for (Py_ssize_t i = 0; i < keys->entry_count; i++) {
        const char *name = values[i] != NULL ? PyUnicode_AsUTF8(entries[i].key) : NULL;
        if (name != NULL) {
            ouro_graph_name(names, values[i], name);
        }
    }
    PyErr_Clear();
}

#else

void
attributes_name(PyObject *object, void *names, void *context)
{
    (void)object;
    (void)names;
    (void)context;
}

#endif
