/* SPDX-License-Identifier: MIT */
/* Facts about a type that Python code cannot see: where its C code is, which handlers are its
 * own, whether a class statement made it. */
#include "check/audit.h"
#include "module.h"

#include <dlfcn.h>
#include <string.h>

static void *
address_of(void (*function)(void))
{
    void *address;
    memcpy(&address, &function, sizeof(address));
    return address;
}
#define ADDRESS(function) address_of((void (*)(void))(function))

/* "/folder/file.so+0x1234", or None. */
static PyObject *
place_of(void *address)
{
    Dl_info info;
    char offset[30];
    if (address == NULL || dladdr(address, &info) == 0 || info.dli_fname == NULL) {
        Py_RETURN_NONE;
    }
    snprintf(offset, sizeof(offset), "0x%zx",
             (size_t)((char *)address - (char *)info.dli_fbase));
    return PyUnicode_FromFormat("%s+%s", info.dli_fname, offset);
}

/* Sample classes, to see what class statements give to classes. They differ in the places for a
 * dict and for weak references. */
static PyTypeObject *
sample_class(int number)
{
    static const char *const formats[] = {"s(){}", "s(){s(s)}", "s(){s(s)}", "s(){s()}"};
    static const char *const slots[] = {NULL, "__dict__", "__weakref__", NULL};
    static PyObject *samples[Py_ARRAY_LENGTH(slots)];
    if (samples[number] == NULL) {
        samples[number] =
            PyObject_CallFunction((PyObject *)&PyType_Type, formats[number],
                                  "ouro_audit_class", "__slots__", slots[number]);
        PyErr_Clear();
    }
    return (PyTypeObject *)samples[number];
}

/* Whether a class statement made the type. A type made by C code has tables of its own. */
static bool
is_class(PyTypeObject *type)
{
    for (int i = 0; i < 4; i++) {
        const PyTypeObject *sample = sample_class(i);
        if (sample != NULL && PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE) &&
            type->tp_dealloc == sample->tp_dealloc && type->tp_methods == NULL &&
            (type->tp_traverse == sample->tp_traverse || !PyType_IS_GC(type)) &&
            type->tp_getset == sample->tp_getset) {
            return true;
        }
    }
    return false;
}

/* A function of the type itself, or NULL when it is that of the base. */
#define OWN(type, slot)                                                                  \
    ((type)->tp_base != NULL && (type)->tp_base->slot == (type)->slot ? NULL             \
                                                                      : (type)->slot)

/* Ranks an address: in no file (heap memory), in the interpreter, or in another file. */
static int
rank_place(void *address)
{
    Dl_info info, python;
    if (address == NULL || dladdr(address, &info) == 0) {
        return 0;
    }
    return dladdr(&PyType_Type, &python) != 0 && info.dli_fbase == python.dli_fbase ? 1
                                                                                    : 2;
}

/* Code or data of the type, preferably its own and not that of the interpreter. */
static void *
any_code(PyTypeObject *type)
{
    void *places[] = {ADDRESS(OWN(type, tp_traverse)),
                      ADDRESS(OWN(type, tp_dealloc)),
                      ADDRESS(OWN(type, tp_new)),
                      ADDRESS(OWN(type, tp_init)),
                      ADDRESS(OWN(type, tp_repr)),
                      type->tp_methods,
                      type->tp_members,
                      type->tp_getset,
                      PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE) ? NULL : type};
    void *found = NULL;
    for (size_t i = 0; i < Py_ARRAY_LENGTH(places); i++) {
        if (rank_place(places[i]) > rank_place(found)) {
            found = places[i];
        }
    }
    return found;
}

const char ouro_audit_describe_type_doc[] =
    "describe_type(type)\n--\n\n"
    "A dict of facts: `is_class` (a class statement made it), `is_gc`, `is_heap`,\n"
    "`is_abstract` (no tp_new), `place` of its C code, places of `traverse`,\n"
    "`dealloc` and `clear`, `own_traverse`, `base_clear`, `traverse_set`, `del`, `size`.";

PyObject *
ouro_audit_describe_type(PyObject *Py_UNUSED(module), PyObject *object)
{
    PyTypeObject *type = (PyTypeObject *)object;
    if (!PyType_Check(object)) {
        PyErr_SetString(PyExc_TypeError, "describe_type() wants a type");
        return NULL;
    }
    const PyTypeObject *base = type->tp_base;
    return Py_BuildValue(
        "{sN sN sN sN sN sN sN sN sN sN sN sN sn}", "is_class",
        PyBool_FromLong(is_class(type)), "is_gc", PyBool_FromLong(PyType_IS_GC(type)),
        "is_heap", PyBool_FromLong(PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE)),
        "is_abstract", PyBool_FromLong(type->tp_new == NULL), "place",
        place_of(any_code(type)), "traverse", place_of(ADDRESS(type->tp_traverse)),
        "dealloc", place_of(ADDRESS(type->tp_dealloc)), "own_traverse",
        PyBool_FromLong(base == NULL || base->tp_traverse != type->tp_traverse), "clear",
        place_of(ADDRESS(type->tp_clear)), "base_clear",
        PyBool_FromLong(base != NULL && base->tp_clear != NULL), "traverse_set",
        PyBool_FromLong(type->tp_traverse != NULL), "del",
        PyBool_FromLong(type->tp_del != NULL), "size", type->tp_basicsize);
}
