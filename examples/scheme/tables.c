/* SPDX-License-Identifier: MIT */
/* Vectors and hash tables: the library's list and dict. The collector knows both. */
#include "scheme.h"

/* --- vectors --------------------------------------------------------------------------- */

/* The index args[1] into the vector args[0]; -1 with an exception. */
static Py_ssize_t
vector_index(const char *name, PyObject *const *args)
{
    if (!PyList_CheckExact(args[0])) {
        error_about(name, "not a vector", args[0]);
        return -1;
    }
    Py_ssize_t index = PyLong_CheckExact(args[1]) ? PyLong_AsSsize_t(args[1]) : -1;
    if (index < 0 || index >= PyList_GET_SIZE(args[0])) {
        PyErr_Clear(); /* a number beyond Py_ssize_t is out of range as well */
        error_about(name, "no such index", args[1]);
        return -1;
    }
    return index;
}

static PyObject *
filled_vector(Py_ssize_t size, PyObject *item)
{
    PyObject *vector = PyList_New(size);
    for (Py_ssize_t i = 0; vector != NULL && i < size; i++) {
        PyList_SET_ITEM(vector, i, Py_NewRef(item));
    }
    return vector;
}

static PyObject *
vector_make(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    if (check_arity("make-vector", count, 1, 2) < 0) {
        return NULL;
    }
    Py_ssize_t size = PyLong_CheckExact(args[0]) ? PyLong_AsSsize_t(args[0]) : -1;
    if (size < 0) {
        PyErr_Clear();
        return error_about("make-vector", "not a size", args[0]);
    }
    return filled_vector(size, count == 2 ? args[1] : UNSPECIFIED);
}

static PyObject *
vector_vector(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    PyObject *vector = PyList_New(count);
    for (Py_ssize_t i = 0; vector != NULL && i < count; i++) {
        PyList_SET_ITEM(vector, i, Py_NewRef(args[i]));
    }
    return vector;
}

static PyObject *
vector_length(PyObject *self, PyObject *vector)
{
    (void)self;
    if (!PyList_CheckExact(vector)) {
        return error_about("vector-length", "not a vector", vector);
    }
    return PyLong_FromSsize_t(PyList_GET_SIZE(vector));
}

static PyObject *
vector_ref(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    Py_ssize_t index = check_arity("vector-ref", count, 2, 2) < 0
                           ? -1
                           : vector_index("vector-ref", args);
    return index < 0 ? NULL : Py_NewRef(PyList_GET_ITEM(args[0], index));
}

static PyObject *
vector_set(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    Py_ssize_t index = check_arity("vector-set!", count, 3, 3) < 0
                           ? -1
                           : vector_index("vector-set!", args);
    if (index < 0 || PyList_SetItem(args[0], index, Py_NewRef(args[2])) < 0) {
        return NULL;
    }
    return Py_NewRef(UNSPECIFIED);
}

static PyObject *
vector_to_list(PyObject *self, PyObject *vector)
{
    (void)self;
    if (!PyList_CheckExact(vector)) {
        return error_about("vector->list", "not a vector", vector);
    }
    PyObject *list = Py_NewRef(NIL);
    for (Py_ssize_t i = PyList_GET_SIZE(vector); list != NULL && --i >= 0;) {
        Py_SETREF(list, cons(PyList_GET_ITEM(vector, i), list));
    }
    return list;
}

static PyObject *
vector_from_list(PyObject *self, PyObject *list)
{
    (void)self;
    Py_ssize_t length = list_length(list);
    if (length < 0) {
        return error_about("list->vector", "not a list", list);
    }
    PyObject *vector = PyList_New(length);
    for (Py_ssize_t i = 0; vector != NULL && i < length; i++, list = CDR(list)) {
        PyList_SET_ITEM(vector, i, Py_NewRef(CAR(list)));
    }
    return vector;
}

static PyObject *
vector_is(PyObject *self, PyObject *value)
{
    (void)self;
    return PyBool_FromLong(PyList_CheckExact(value));
}

/* --- hash tables ----------------------------------------------------------------------- */

/* Keys are compared as the library does: numbers and strings by value, everything else by
 * identity. */
static int
check_table(const char *name, PyObject *const *args, Py_ssize_t count, Py_ssize_t wanted)
{
    if (check_arity(name, count, wanted, wanted) < 0) {
        return -1;
    }
    if (!PyDict_CheckExact(args[0])) {
        error_about(name, "not a hash table", args[0]);
        return -1;
    }
    return 0;
}

static PyObject *
table_make(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    return PyDict_New();
}

static PyObject *
table_set(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    if (check_table("hash-table-set!", args, count, 3) < 0 ||
        PyDict_SetItem(args[0], args[1], args[2]) < 0) {
        return NULL;
    }
    return Py_NewRef(UNSPECIFIED);
}

/* (hash-table-ref table key default). */
static PyObject *
table_ref(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    if (check_table("hash-table-ref", args, count, 3) < 0) {
        return NULL;
    }
    PyObject *value = PyDict_GetItemWithError(args[0], args[1]);
    if (value == NULL && PyErr_Occurred()) {
        return NULL;
    }
    return Py_NewRef(value != NULL ? value : args[2]);
}

static PyObject *
table_delete(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    if (check_table("hash-table-delete!", args, count, 2) < 0) {
        return NULL;
    }
    int found = PyDict_Contains(args[0], args[1]);
    if (found < 0 || (found == 1 && PyDict_DelItem(args[0], args[1]) < 0)) {
        return NULL;
    }
    return PyBool_FromLong(found);
}

static PyObject *
table_count(PyObject *self, PyObject *table)
{
    (void)self;
    return check_table("hash-table-count", &table, 1, 1) < 0
               ? NULL
               : PyLong_FromSsize_t(PyDict_GET_SIZE(table));
}

static PyObject *
table_keys(PyObject *self, PyObject *table)
{
    if (check_table("hash-table-keys", &table, 1, 1) < 0) {
        return NULL;
    }
    PyObject *keys = PyDict_Keys(table);
    PyObject *list = keys != NULL ? vector_to_list(self, keys) : NULL;
    Py_XDECREF(keys);
    return list;
}

static PyMethodDef procedures[] = {
    {"make-vector", FAST(vector_make)},
    {"vector", FAST(vector_vector)},
    {"vector-length", ONE(vector_length)},
    {"vector-ref", FAST(vector_ref)},
    {"vector-set!", FAST(vector_set)},
    {"vector->list", ONE(vector_to_list)},
    {"list->vector", ONE(vector_from_list)},
    {"vector?", ONE(vector_is)},
    {"make-hash-table", NONE(table_make)},
    {"hash-table-set!", FAST(table_set)},
    {"hash-table-ref", FAST(table_ref)},
    {"hash-table-delete!", FAST(table_delete)},
    {"hash-table-count", ONE(table_count)},
    {"hash-table-keys", ONE(table_keys)},
    {NULL, NULL, 0, NULL},
};

int
tables_init(void)
{
    return define_procedures(procedures);
}
