/* SPDX-License-Identifier: MIT */
/* Instances of classes made with type(name, bases, dict): what they own, and the base's
 * part.
 *
 * The class adds slots (members of kind Py_T_OBJECT_EX) and perhaps an instance dict; the
 * rest of the instance belongs to the nearest ancestor with another handler. */
#include "type.h"

static PyObject **
member_place(PyObject *self, const PyMemberDef *member)
{
    return (PyObject **)((char *)self + member->offset);
}

static int
visit_members(PyTypeObject *type, PyObject *self, visitproc visit, void *arg)
{
    const PyMemberDef *member = ouro_heap_type_members(type);
    for (Py_ssize_t i = 0; i < Py_SIZE(type); i++, member++) {
        if (member->type == Py_T_OBJECT_EX) {
            Py_VISIT(*member_place(self, member));
        }
    }
    return 0;
}

void
ouro_members_clear(PyTypeObject *type, PyObject *self)
{
    const PyMemberDef *member = ouro_heap_type_members(type);
    for (Py_ssize_t i = 0; i < Py_SIZE(type); i++, member++) {
        if (member->type == Py_T_OBJECT_EX && !(member->flags & Py_READONLY)) {
            Py_CLEAR(*member_place(self, member));
        }
    }
}

int
ouro_class_instance_traverse(PyObject *self, visitproc visit, void *arg)
{
    PyTypeObject *type = Py_TYPE(self);
    PyTypeObject *base = type;
    for (; base->tp_traverse == ouro_class_instance_traverse; base = base->tp_base) {
        int result = visit_members(base, self, visit, arg);
        if (result != 0) {
            return result;
        }
    }
    if (PyType_HasFeature(type, Py_TPFLAGS_MANAGED_DICT)) {
        /* If the base has one, the base visits it. */
        int result = PyType_HasFeature(base, Py_TPFLAGS_MANAGED_DICT)
                         ? 0
                         : PyObject_VisitManagedDict(self, visit, arg);
        if (result != 0) {
            return result;
        }
    } else if (type->tp_dictoffset != base->tp_dictoffset) {
        PyObject **place = _PyObject_GetDictPtr(self);
        if (place != NULL) {
            Py_VISIT(*place);
        }
    }
    /* The traverse of a heap base visits the type; that of a static one does not. */
    if (ouro_type_is_heap(type) &&
        (base->tp_traverse == NULL || !ouro_type_is_heap(base))) {
        Py_VISIT(type);
    }
    return base->tp_traverse == NULL ? 0 : base->tp_traverse(self, visit, arg);
}

int
ouro_class_instance_clear(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyTypeObject *base = type;
    for (; base->tp_clear == ouro_class_instance_clear; base = base->tp_base) {
        if (Py_SIZE(base) > 0) {
            ouro_members_clear(base, self);
        }
    }
    if (PyType_HasFeature(type, Py_TPFLAGS_MANAGED_DICT)) {
        PyObject_ClearManagedDict(self);
    } else if (type->tp_dictoffset != base->tp_dictoffset) {
        PyObject **place = _PyObject_GetDictPtr(self);
        if (place != NULL) {
            Py_CLEAR(*place);
        }
    }
    return base->tp_clear == NULL ? 0 : base->tp_clear(self);
}
