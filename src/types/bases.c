/* SPDX-License-Identifier: MIT */
/* Several bases: which of them gives instances their layout, and which type of types the new
 * type gets.
 *
 * Every type has a "solid" ancestor: the nearest one (or itself) that changed the size of
 * instances. Bases fit together if their solid ancestors all lie on one line of inheritance.
 * The best base is the one with the most derived solid ancestor. */
#include "type.h"

PyTypeObject *
ouro_bases_best(PyObject *bases, struct failure *failure)
{
    PyTypeObject *best = NULL, *solid = NULL;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(bases); i++) {
        PyTypeObject *base = (PyTypeObject *)PyTuple_GET_ITEM(bases, i);
        if (Py_TYPE(base) != NULL && !PyType_Check(base)) { /* NULL: not finished yet */
            ouro_fail(failure, PyExc_TypeError, "bases must be types");
            return NULL;
        }
        if (!ouro_base_finish(base, failure)) {
            return NULL;
        }
        if (!PyType_HasFeature(base, Py_TPFLAGS_BASETYPE)) {
            ouro_fail(failure, PyExc_TypeError,
                      "type '%.100s' is not an acceptable base type", base->tp_name);
            return NULL;
        }
        PyTypeObject *candidate = ouro_solid_ancestor(base);
        if (best == NULL || (candidate != solid && PyType_IsSubtype(candidate, solid))) {
            best = base;
            solid = candidate;
        } else if (!PyType_IsSubtype(solid, candidate)) {
            ouro_fail(failure, PyExc_TypeError,
                      "multiple bases have instance lay-out conflict");
            return NULL;
        }
    }
    return best != NULL ? best : &PyBaseObject_Type;
}

PyTypeObject *
ouro_solid_ancestor(PyTypeObject *type)
{
    while (type->tp_base != NULL && type->tp_basicsize == type->tp_base->tp_basicsize &&
           type->tp_itemsize == type->tp_base->tp_itemsize) {
        type = type->tp_base;
    }
    return type;
}

PyTypeObject *
ouro_bases_metatype(PyTypeObject *metatype, PyObject *bases, struct failure *failure)
{
    PyTypeObject *winner = metatype;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(bases); i++) {
        PyTypeObject *other = Py_TYPE(PyTuple_GET_ITEM(bases, i));
        if (PyType_IsSubtype(winner, other)) {
            continue;
        }
        if (!PyType_IsSubtype(other, winner)) {
            ouro_fail(failure, PyExc_TypeError,
                      "metaclass conflict: the metaclass of a derived class must be a "
                      "(non-strict) subclass of the metaclasses of all its bases");
            return NULL;
        }
        winner = other;
    }
    return winner;
}

bool
ouro_bases_are_immutable(const char *name, PyObject *ancestors, Py_ssize_t first,
                         struct failure *failure)
{
    for (Py_ssize_t i = first; i < PyTuple_GET_SIZE(ancestors); i++) {
        PyTypeObject *base = (PyTypeObject *)PyTuple_GET_ITEM(ancestors, i);
        if (!PyType_HasFeature(base, Py_TPFLAGS_IMMUTABLETYPE)) {
            return ouro_fail(failure, PyExc_TypeError,
                             "Creating immutable type %.100s from mutable base %.100s",
                             name, base->tp_name);
        }
    }
    return true;
}
