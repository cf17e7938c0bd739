/* SPDX-License-Identifier: MIT */
/* Struct sequences: tuples whose items have names, some of which may be names only. */
#ifndef OURO_PY_STRUCTSEQ_H
#define OURO_PY_STRUCTSEQ_H

#include "tuple.h"

OURO_BEGIN_DECLS

typedef struct PyStructSequence_Field {
    const char *name; /* NULL ends the table */
    const char *doc;  /* or NULL */
} PyStructSequence_Field;

typedef struct PyStructSequence_Desc {
    const char *name;
    const char *doc; /* or NULL */
    PyStructSequence_Field *fields;
    int n_in_sequence; /* this many fields, the first ones, are items of the tuple */
} PyStructSequence_Desc;

typedef PyTupleObject PyStructSequence;

/* The name of a field that is an item only. */
PyAPI_DATA(const char *const) PyStructSequence_UnnamedField;

/* A new heap type; NULL with an exception. */
PyAPI_FUNC(PyTypeObject *) PyStructSequence_NewType(PyStructSequence_Desc *desc);
/* Fill in a static type, which is zeroed before, and make it ready. The description and what
 * it points to must stay. 0; or -1 with an exception. */
PyAPI_FUNC(int) PyStructSequence_InitType2(PyTypeObject *type,
                                           PyStructSequence_Desc *desc);
PyAPI_FUNC(void) PyStructSequence_InitType(PyTypeObject *type,
                                           PyStructSequence_Desc *desc);

/* An instance with empty fields, to be filled before others see it. NULL with MemoryError. */
PyAPI_FUNC(PyObject *) PyStructSequence_New(PyTypeObject *type);
/* Fields by number, those behind the items included. SetItem steals `value` and is for
 * filling a new instance; GetItem borrows. Neither checks. */
PyAPI_FUNC(void) PyStructSequence_SetItem(PyObject *op, Py_ssize_t pos, PyObject *value);
PyAPI_FUNC(PyObject *) PyStructSequence_GetItem(PyObject *op, Py_ssize_t pos);
#define PyStructSequence_SET_ITEM PyStructSequence_SetItem
#define PyStructSequence_GET_ITEM PyStructSequence_GetItem

OURO_END_DECLS

#endif
