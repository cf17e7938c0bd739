/* SPDX-License-Identifier: MIT */
/* Which function a slot of a class holds.
 *
 * Each special method of the slot is looked up along the MRO. If all methods found stand for
 * the same C function, as those do that a base made from its own slot, the slot gets that
 * function: a call costs the same as in the base. Otherwise the slot gets the dispatcher. If no
 * method is found, it is empty.
 *
 * Only classes are handled here. A type from a spec keeps the slots of the spec, until one of
 * its special methods is set as an attribute. */
#include "slot_dispatch.h"
#include "slot_table.h"
#include "subclasses.h"

/* The tp_new that the nearest base in C brings. */
static void *
new_from_bases(PyTypeObject *type)
{
    while (type != NULL && type->tp_new == ouro_dispatch_new) {
        type = type->tp_base;
    }
    return type == NULL ? NULL : (void *)type->tp_new;
}

static bool
is_row_of_table(const struct wrapperbase *base)
{
    const struct wrapperbase *row = ouro_slot_methods;
    while (row->name != NULL && row != base) {
        row++;
    }
    return row->name != NULL;
}

/* Does `found`, the method of `row` in `type`, stand for a C function? *function may be
 * NULL: a method of two slots where the base has only the other one. */
static bool
stands_for_function(PyTypeObject *type, const struct wrapperbase *row, PyObject *found,
                    void **function)
{
    if (row->offset == Py_tp_hash && found == Py_None) {
        *function = (void *)PyObject_HashNotImplemented;
        return true;
    }
    if (row->offset == Py_tp_new) {
        *function = new_from_bases(type);
        PyTypeObject *of = ouro_type_of_new_method(found);
        return of != NULL && PyType_IsSubtype(type, of);
    }
    if (!Py_IS_TYPE(found, &PyWrapperDescr_Type) ||
        !PyType_IsSubtype(type, PyDescr_TYPE(found))) {
        return false;
    }
    const PyWrapperDescrObject *descr = (PyWrapperDescrObject *)found;
    if (descr->d_base == row) {
        *function = descr->d_wrapped;
        return true;
    }
    *function = ouro_slot_read(PyDescr_TYPE(descr), ouro_slot_place(row->offset));
    return is_row_of_table(descr->d_base) && strcmp(descr->d_base->name, row->name) == 0;
}

/* Types with the old tp_getattr or tp_setattr keep it as long as the newer slot would only get
 * the default. */
static bool
keeps_old_attribute_slot(PyTypeObject *type, int slot, const void *function)
{
    return (slot == Py_tp_getattro && type->tp_getattr != NULL &&
            function == (void *)PyObject_GenericGetAttr) ||
           (slot == Py_tp_setattro && type->tp_setattr != NULL &&
            function == (void *)PyObject_GenericSetAttr);
}

static void
fill_slot(PyTypeObject *type, int slot, void *function)
{
    const struct slot_place *place = ouro_slot_place(slot);
    if (keeps_old_attribute_slot(type, slot, function) ||
        !ouro_slot_has_room(type, place)) {
        return;
    }
    if (slot == Py_tp_iternext && function == NULL && type->tp_iternext != NULL) {
        /* An iteration may be under way. */
        function = (void *)_PyObject_NextNotImplemented;
    }
    if (slot == Py_tp_call && function == (void *)ouro_dispatch_call) {
        type->tp_flags &= ~Py_TPFLAGS_HAVE_VECTORCALL; /* it would bypass __call__ */
    }
    ouro_slot_write(type, place, function);
}

/* Set the slot whose rows begin at `row`; returns the first row of the next one. */
static struct wrapperbase *
update_slot(PyTypeObject *type, struct wrapperbase *row)
{
    int slot = row->offset;
    void *dispatcher = row->function, *function = NULL;
    bool any = false, dispatches = false;
    for (; row->offset == slot; row++) {
        PyObject *found = ouro_type_lookup(type, row->name_strobj);
        if (found == NULL) {
            continue;
        }
        void *one = NULL;
        if (!stands_for_function(type, row, found, &one) || (any && one != function)) {
            dispatches = true;
        }
        function = one;
        any = true;
    }
    fill_slot(type, slot, dispatches ? dispatcher : function);
    return row;
}

void
ouro_type_update_slots(PyTypeObject *type)
{
    struct wrapperbase *row = ouro_slot_methods;
    while (row->name != NULL) {
        row = update_slot(type, row);
    }
}

/* --- after a change ------------------------------------------------------------------------ */

static void
update_slots_of_method(PyTypeObject *type, PyObject *name)
{
    struct wrapperbase *first = ouro_slot_methods; /* of the rows of one slot */
    for (struct wrapperbase *row = first; row->name != NULL; row++) {
        if (row->offset != first->offset) {
            first = row;
        }
        if (PyUnicode_Equal(row->name_strobj, name) > 0) {
            update_slot(type, first);
        }
    }
}

/* Append the subclasses of `type` that do not have the method themselves. */
static int
append_inheriting(PyObject *list, PyTypeObject *type, PyObject *name)
{
    PyObject *subclasses = ouro_subclasses_list(type);
    int result = subclasses == NULL ? -1 : 0;
    for (Py_ssize_t i = 0; result == 0 && i < PyList_GET_SIZE(subclasses); i++) {
        PyObject *subclass = PyList_GET_ITEM(subclasses, i);
        PyObject *dict = ((PyTypeObject *)subclass)->tp_dict;
        int has_own = dict == NULL ? 0 : PyDict_Contains(dict, name);
        result = has_own < 0 ? -1 : has_own == 1 ? 0 : PyList_Append(list, subclass);
    }
    Py_XDECREF(subclasses);
    return result;
}

static bool
is_special_name(PyObject *name)
{
    Py_ssize_t size = PyUnicode_GET_LENGTH(name);
    return size > 4 && PyUnicode_READ_CHAR(name, 0) == '_' &&
           PyUnicode_READ_CHAR(name, 1) == '_' &&
           PyUnicode_READ_CHAR(name, size - 2) == '_' &&
           PyUnicode_READ_CHAR(name, size - 1) == '_';
}

int
ouro_type_method_changed(PyTypeObject *type, PyObject *name)
{
    if (!is_special_name(name)) {
        return 0;
    }
    PyObject *affected = PyList_New(0);
    int result = affected == NULL ? -1 : PyList_Append(affected, (PyObject *)type);
    for (Py_ssize_t i = 0; result == 0 && i < PyList_GET_SIZE(affected); i++) {
        PyTypeObject *one = (PyTypeObject *)PyList_GET_ITEM(affected, i);
        PyType_Modified(one);
        update_slots_of_method(one, name);
        result = append_inheriting(affected, one, name);
    }
    Py_XDECREF(affected);
    return result;
}
