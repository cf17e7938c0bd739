/* SPDX-License-Identifier: MIT */
/* Cells: containers with room for one object. */
#ifndef OURO_PY_CELL_H
#define OURO_PY_CELL_H

#include "object.h"
#include "typeobject.h"

OURO_BEGIN_DECLS

typedef struct {
    PyObject_HEAD
    PyObject *ob_ref; /* owned; NULL: the cell is empty */
} PyCellObject;

PyAPI_DATA(PyTypeObject) PyCell_Type;
#define PyCell_Check(op) Py_IS_TYPE((op), &PyCell_Type)

/* A cell with `obj` in it, which is borrowed and may be NULL. Tracked. A new reference; or
 * NULL with MemoryError. */
PyAPI_FUNC(PyObject *) PyCell_New(PyObject *obj);
/* What is in the cell, a new reference; NULL without an exception when it is empty, NULL
 * with SystemError when `cell` is none. */
PyAPI_FUNC(PyObject *) PyCell_Get(PyObject *cell);
/* Put `value`, borrowed or NULL, into the cell. 0; or -1 with SystemError. */
PyAPI_FUNC(int) PyCell_Set(PyObject *cell, PyObject *value);

/* The same without the check. GET borrows. SET takes over the reference to `value` and releases
 * nothing: the caller deals with the old contents. */
#define PyCell_GET(cell)        (((PyCellObject *)(cell))->ob_ref)
#define PyCell_SET(cell, value) ((void)(((PyCellObject *)(cell))->ob_ref = (value)))

OURO_END_DECLS

#endif
