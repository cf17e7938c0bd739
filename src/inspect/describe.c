/* SPDX-License-Identifier: MIT */
/* What the C API tells of an object: names of its references, its size, a label.
 *
 * Nothing here runs Python code, makes containers or changes the object. */
#include "graph.h"

#ifdef OUROBOROS
#include <ouro_fields.h>
#endif
#include <string.h>
#if PY_VERSION_HEX < 0x030C0000
#include <structmember.h>
#define Py_T_OBJECT_EX T_OBJECT_EX
#define _Py_T_OBJECT   T_OBJECT
#endif

#define LABEL_MOST 60 /* bytes of a text that a label shows */

struct naming {
    struct ouro_graph *graph;
    ouro_named named;
    void *arg;
};

static void
name_reference(const struct naming *naming, const PyObject *target, const char *name)
{
    if (target != NULL) {
        naming->named(naming->arg, target, ouro_graph_text(naming->graph, name));
    }
}

/* --- texts ------------------------------------------------------------------------------------------ */

/* Copy a str, without characters that would end a line of a report. A long one is cut between
 * two characters, and marked as cut. */
static bool
copy_text(PyObject *text, char *into, size_t room)
{
    const char *utf8 = PyUnicode_Check(text) ? PyUnicode_AsUTF8(text) : NULL;
    if (utf8 == NULL) {
        PyErr_Clear();
        return false;
    }
    size_t length = 0;
    for (; utf8[length] != '\0' && length + 5 < room; length++) {
        unsigned char c = (unsigned char)utf8[length];
        into[length] = (char)(c < 0x20 || c == 0x7f ? ' ' : c);
    }
    bool is_cut = utf8[length] != '\0';
    while (is_cut && length > 0 && ((unsigned char)utf8[length] & 0xC0) == 0x80) {
        length--;
    }
    strcpy(into + length, is_cut ? "..." : "");
    return true;
}

static bool
quote_text(PyObject *text, char *into, size_t room)
{
    into[0] = '\'';
    if (!copy_text(text, into + 1, room - 2)) {
        return false;
    }
    strcat(into, "'");
    return true;
}

/* A number, a str or bytes as Python writes it; false for other objects. */
static bool
write_value(PyObject *object, char *text, size_t room)
{
    if (PyUnicode_CheckExact(object)) {
        return quote_text(object, text, room);
    }
    if (PyBool_Check(object)) {
        snprintf(text, room, "%s", object == Py_True ? "True" : "False");
        return true;
    }
    if (PyLong_CheckExact(object)) {
        int overflow;
        long long number = PyLong_AsLongLongAndOverflow(object, &overflow);
        snprintf(text, room, overflow != 0 ? "a large number" : "%lld", number);
        return true;
    }
    if (PyFloat_CheckExact(object)) {
        snprintf(text, room, "%.12g", PyFloat_AS_DOUBLE(object));
        return true;
    }
    return false;
}

/* --- names ------------------------------------------------------------------------------------------- */

/* CPython keeps the dict of an instance before the object. Asking for it would create it, so it
 * is read in place. Up to 3.12 the lowest bit says that there are values instead. */
#if !defined(OUROBOROS) && PY_VERSION_HEX >= 0x030B0000
#define HAS_MANAGED_DICT(object) PyType_HasFeature(Py_TYPE(object), 1UL << 4)
#else
#define HAS_MANAGED_DICT(object) 0
#endif

static PyObject *
managed_dict(PyObject *object)
{
#ifdef Py_GIL_DISABLED
    PyObject *dict = ((PyObject **)object)[-1];
#else
    PyObject *dict = ((PyObject **)object)[-3];
#endif
    return ((uintptr_t)dict & 1) == 0 ? dict : NULL;
}

PyObject *
ouro_describe_dict(PyObject *object)
{
    if (PyType_Check(object)) {
        return ((PyTypeObject *)object)->tp_dict;
    }
    if (PyModule_Check(object)) {
        return PyModule_GetDict(object);
    }
    if (HAS_MANAGED_DICT(object)) {
        return managed_dict(object);
    }
    PyObject **place =
        Py_TYPE(object)->tp_dictoffset != 0 ? _PyObject_GetDictPtr(object) : NULL;
    return place != NULL && *place != NULL && PyDict_CheckExact(*place) ? *place : NULL;
}

static void
name_entries(const struct naming *naming, PyObject *dict)
{
    bool is_shown = ouro_graph_shows_keys(naming->graph, dict);
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(dict, &at, &key, &value)) {
        char name[LABEL_MOST + 8] = "[";
        bool has_name = is_shown && write_value(key, name + 1, LABEL_MOST);
        name_reference(naming, key, "(key)");
        name_reference(naming, value, has_name ? strcat(name, "]") : "(value)");
    }
}

static void
name_items(const struct naming *naming, PyObject **items, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        if (items[i] != NULL) {
            naming->named(naming->arg, items[i], (uint32_t)i | OURO_NAME_IS_ITEM);
        }
    }
}

static void
name_members(const struct naming *naming, PyObject *object)
{
    for (PyTypeObject *type = Py_TYPE(object); type != NULL; type = type->tp_base) {
        const PyMemberDef *member = type->tp_members;
        for (; member != NULL && member->name != NULL; member++) {
            if (member->type == _Py_T_OBJECT || member->type == Py_T_OBJECT_EX) {
                PyObject *target;
                memcpy(&target, (char *)object + member->offset, sizeof(PyObject *));
                name_reference(naming, target, member->name);
            }
        }
    }
}

#ifdef OUROBOROS
static void
name_list(const struct naming *naming, const Ouro_Field *field, char *from)
{
    for (; field->kind != OURO_FIELD_END; field++) {
        PyObject **place = (PyObject **)(from + field->offset);
        if (field->kind == OURO_FIELD_STRUCT) {
            name_list(naming, field->element, (char *)place);
        } else if (field->kind == OURO_FIELD_REFERENCE && field->count == 1) {
            name_reference(naming, *place, field->name);
        } else if (field->kind == OURO_FIELD_REFERENCE) {
            name_items(naming, place, field->count);
        }
    }
}

/* What the type and its bases declare. */
static void
name_fields(const struct naming *naming, PyObject *object)
{
    const Ouro_Fields *last = NULL;
    for (PyTypeObject *type = Py_TYPE(object); type != NULL; type = type->tp_base) {
        if (type->tp_ouro_fields != NULL && type->tp_ouro_fields != last) {
            last = type->tp_ouro_fields;
            name_list(naming, last->list, (char *)object);
        }
    }
}
#else
static void
name_fields(const struct naming *naming, PyObject *object)
{
    (void)naming;
    (void)object;
}
#endif

static void
name_parts_of_type(const struct naming *naming, const PyTypeObject *type)
{
    name_reference(naming, type->tp_dict, "__dict__");
    name_reference(naming, type->tp_mro, "__mro__");
    name_reference(naming, type->tp_bases, "__bases__");
    name_reference(naming, (PyObject *)type->tp_base, "__base__");
}

void
ouro_describe_names(struct ouro_graph *graph, PyObject *object, ouro_named named,
                    void *arg)
{
    struct naming naming = {graph, named, arg};
    if (PyDict_Check(object)) {
        name_entries(&naming, object);
    } else if (PyList_Check(object)) {
        name_items(&naming, PySequence_Fast_ITEMS(object), PyList_GET_SIZE(object));
    } else if (PyTuple_Check(object)) {
        name_items(&naming, PySequence_Fast_ITEMS(object), PyTuple_GET_SIZE(object));
    } else if (PyType_Check(object)) {
        name_parts_of_type(&naming, (PyTypeObject *)object);
    }
    if (PyDict_CheckExact(object) || PyList_CheckExact(object) ||
        PyTuple_CheckExact(object)) {
        return;
    }
    name_members(&naming, object);
    name_fields(&naming, object);
    PyObject *dict = ouro_describe_dict(object);
    if (!PyType_Check(object)) {
        name_reference(&naming, dict, "__dict__");
        name_reference(&naming, (PyObject *)Py_TYPE(object), "__class__");
    }
}

/* --- sizes --------------------------------------------------------------------------------------------- */

/* Does sys.getsizeof count it, too? */
#ifdef OUROBOROS
#define HEADER_BYTES 0
#else
#define HEADER_BYTES (2 * sizeof(void *))
#endif

static size_t
plain_size(PyObject *object)
{
    const PyTypeObject *type = Py_TYPE(object);
    size_t items = type->tp_itemsize > 0 ? (size_t)Py_ABS(Py_SIZE(object)) : 0;
    return (size_t)type->tp_basicsize + items * (size_t)type->tp_itemsize;
}

size_t
ouro_describe_asked_size(PyObject *object)
{
    PyObject *method = PyObject_GetAttrString((PyObject *)Py_TYPE(object), "__sizeof__");
    size_t size = 0;
    if (method != NULL && Py_TYPE(method) == &PyMethodDescr_Type) {
        PyObject *answer = PyObject_CallFunctionObjArgs(method, object, NULL);
        size = answer == NULL ? 0 : PyLong_AsSize_t(answer);
        Py_XDECREF(answer);
    }
    Py_XDECREF(method);
    if (PyErr_Occurred()) {
        PyErr_Clear();
        size = 0;
    }
    return size;
}

bool
ouro_describe_has_plain_size(PyTypeObject *type)
{
    PyObject *its = PyObject_GetAttrString((PyObject *)type, "__sizeof__");
    PyObject *plain =
        PyObject_GetAttrString((PyObject *)&PyBaseObject_Type, "__sizeof__");
    Py_XDECREF(its);
    Py_XDECREF(plain);
    PyErr_Clear();
    return its == plain;
}

size_t
ouro_describe_size(PyObject *object, bool is_plain)
{
    size_t asked = is_plain ? 0 : ouro_describe_asked_size(object);
    size_t size = asked != 0 ? asked : plain_size(object);
    return size + (PyObject_IS_GC(object) ? HEADER_BYTES : 0);
}

/* --- labels --------------------------------------------------------------------------------------------- */

/* Names of modules, classes and functions come from the program's source. */
static PyObject *
name_of_part(PyObject *object)
{
    if (PyModule_Check(object)) {
        return PyDict_GetItemString(PyModule_GetDict(object), "__name__");
    }
    if (PyFunction_Check(object)) {
        return ((PyFunctionObject *)object)->func_qualname;
    }
    return NULL;
}

bool
ouro_describe_label(PyObject *object, bool with_values, char *label, size_t room)
{
    PyObject *name = name_of_part(object);
    room = room < LABEL_MOST ? room : LABEL_MOST;
    if (PyType_Check(object)) {
        snprintf(label, room, "%s", ((PyTypeObject *)object)->tp_name);
        return true;
    }
    if (name != NULL) {
        return copy_text(name, label, room);
    }
    return with_values && write_value(object, label, room);
}
