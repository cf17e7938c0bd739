/* SPDX-License-Identifier: MIT */
/* type(name, bases, dict): what a class statement does.
 *
 * Instances get a managed dict and managed weak references where no base gives them any,
 * unless __slots__ says otherwise; then they get one field for each name in it. */
#include "slot_methods.h"

/* What is known about a class before there is a type object. */
struct class_plan {
    PyTypeObject *metatype, *base; /* borrowed */
    PyObject *name, *bases, *dict; /* borrowed */
    PyObject *slots;               /* owned tuple of names; NULL: no __slots__ */
    bool adds_dict, adds_weakrefs;
};

static bool read_arguments(struct class_plan *plan, PyObject *args);
static bool read_slot_names(struct class_plan *plan);
static PyObject *make_class(const struct class_plan *plan);

PyObject *
ouro_class_new(PyTypeObject *metatype, PyObject *args, PyObject *kwargs)
{
    struct class_plan plan = {.metatype = metatype};
    struct failure failure = {0};
    if (!read_arguments(&plan, args)) {
        return NULL;
    }
    PyObject *bases = PyTuple_GET_SIZE(plan.bases) > 0
                          ? Py_NewRef(plan.bases)
                          : PyTuple_Pack(1, &PyBaseObject_Type);
    if (bases == NULL) {
        return NULL;
    }
    plan.bases = bases;
    PyObject *type = NULL;
    plan.base = ouro_bases_best(bases, &failure);
    plan.metatype =
        plan.base == NULL ? NULL : ouro_bases_metatype(metatype, bases, &failure);
    if (plan.metatype == NULL) {
        ouro_failure_raise(&failure);
    } else if (plan.metatype != metatype && plan.metatype->tp_new != ouro_class_new) {
        type = plan.metatype->tp_new(plan.metatype, args, kwargs);
    } else if (read_slot_names(&plan)) {
        type = make_class(&plan);
        if (type != NULL && !ouro_class_announce((PyTypeObject *)type, kwargs)) {
            Py_CLEAR(type);
        }
    }
    Py_XDECREF(plan.slots);
    Py_DECREF(bases);
    return type;
}

static bool
expect_argument(PyObject *value, int number, PyTypeObject *wanted)
{
    if (PyObject_TypeCheck(value, wanted)) {
        return true;
    }
    PyErr_Format(PyExc_TypeError, "type.__new__() argument %d must be %s, not %.200s",
                 number, wanted->tp_name, Py_TYPE(value)->tp_name);
    return false;
}

/* Check that no base stands in for other types, as a generic alias does. Else TypeError. */
static bool
bases_are_resolved(PyObject *bases)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(bases); i++) {
        PyObject *base = PyTuple_GET_ITEM(bases, i);
        if (PyType_Check(base)) {
            continue;
        }
        PyObject *entries;
        int stands_in = _PyObject_FindAttrString(base, "__mro_entries__", &entries);
        Py_XDECREF(entries);
        if (stands_in > 0) {
            PyErr_SetString(PyExc_TypeError, "type() doesn't support MRO entry "
                                             "resolution; use types.new_class()");
        }
        if (stands_in != 0) {
            return false;
        }
    }
    return true;
}

static bool
read_arguments(struct class_plan *plan, PyObject *args)
{
    if (PyTuple_GET_SIZE(args) != 3) {
        PyErr_Format(PyExc_TypeError,
                     "type.__new__() takes exactly 3 arguments (%zd given)",
                     PyTuple_GET_SIZE(args));
        return false;
    }
    plan->name = PyTuple_GET_ITEM(args, 0);
    plan->bases = PyTuple_GET_ITEM(args, 1);
    plan->dict = PyTuple_GET_ITEM(args, 2);
    if (!expect_argument(plan->name, 1, &PyUnicode_Type) ||
        !expect_argument(plan->bases, 2, &PyTuple_Type) ||
        !expect_argument(plan->dict, 3, &PyDict_Type)) {
        return false;
    }
    Py_ssize_t length;
    const char *text = PyUnicode_AsUTF8AndSize(plan->name, &length);
    if (text == NULL) {
        return false;
    }
    if (strlen(text) != (size_t)length) {
        PyErr_SetString(PyExc_ValueError, "type name must not contain null characters");
        return false;
    }
    return bases_are_resolved(plan->bases);
}

/* --- __slots__ ---------------------------------------------------------------------------- */

static bool
claim_special_slot(bool *claimed, bool possible, const char *name)
{
    if (!possible || *claimed) {
        PyErr_Format(PyExc_TypeError, "%s slot disallowed: we already got one", name);
        return false;
    }
    *claimed = true;
    return true;
}

/* Check one name. *field says whether instances get a field for it. */
static bool
check_slot_name(struct class_plan *plan, PyObject *name, bool *field)
{
    *field = false;
    if (!PyUnicode_Check(name)) {
        PyErr_Format(PyExc_TypeError, "__slots__ items must be strings, not '%.200s'",
                     Py_TYPE(name)->tp_name);
        return false;
    }
    if (PyUnicode_EqualToUTF8(name, "__dict__")) {
        return claim_special_slot(&plan->adds_dict, plan->base->tp_dictoffset == 0,
                                  "__dict__");
    }
    if (PyUnicode_EqualToUTF8(name, "__weakref__")) {
        return claim_special_slot(&plan->adds_weakrefs,
                                  plan->base->tp_weaklistoffset == 0, "__weakref__");
    }
    int conflict = PyDict_Contains(plan->dict, name);
    if (conflict > 0) {
        PyErr_Format(PyExc_ValueError, "%R in __slots__ conflicts with class variable",
                     name);
    }
    *field = true;
    return conflict == 0 && PyUnicode_AsUTF8(name) != NULL;
}

/* Keep the names that become fields. */
static bool
sort_slot_names(struct class_plan *plan, PyObject *names)
{
    PyObject *fields = PyList_New(0);
    if (fields == NULL) {
        return false;
    }
    bool good = true;
    for (Py_ssize_t i = 0; good && i < PyTuple_GET_SIZE(names); i++) {
        PyObject *name = PyTuple_GET_ITEM(names, i);
        bool field;
        good = check_slot_name(plan, name, &field) &&
               (!field || PyList_Append(fields, name) == 0);
    }
    plan->slots = good ? PyList_AsTuple(fields) : NULL;
    Py_DECREF(fields);
    if (plan->slots != NULL && PyTuple_GET_SIZE(plan->slots) > 0 &&
        plan->base->tp_itemsize != 0) {
        PyErr_Format(PyExc_TypeError,
                     "nonempty __slots__ not supported for subtype of '%s'",
                     plan->base->tp_name);
        return false;
    }
    return plan->slots != NULL;
}

static bool
read_slot_names(struct class_plan *plan)
{
    PyObject *given;
    if (PyDict_GetItemStringRef(plan->dict, "__slots__", &given) < 0) {
        return false;
    }
    if (given == NULL) {
        plan->adds_dict = plan->base->tp_dictoffset == 0;
        plan->adds_weakrefs = plan->base->tp_weaklistoffset == 0;
        return true;
    }
    PyObject *names =
        PyUnicode_Check(given) ? PyTuple_Pack(1, given) : PySequence_Tuple(given);
    Py_DECREF(given);
    if (names == NULL) {
        return false;
    }
    bool good = sort_slot_names(plan, names);
    Py_DECREF(names);
    return good;
}

/* --- the type object -------------------------------------------------------------------------- */

static PyGetSetDef class_dict_getset[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static void
set_class_members(PyTypeObject *type, PyObject *slots)
{
    Py_ssize_t count = slots == NULL ? 0 : PyTuple_GET_SIZE(slots);
    PyMemberDef *member = ouro_heap_type_members(type);
    for (Py_ssize_t i = 0; i < count; i++, member++) {
        *member = (PyMemberDef){
            .name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(slots, i)),
            .type = Py_T_OBJECT_EX,
            .offset = type->tp_basicsize,
        };
        type->tp_basicsize += (Py_ssize_t)sizeof(PyObject *);
    }
    type->tp_members = count > 0 ? ouro_heap_type_members(type) : NULL;
}

static void
set_class_handlers(PyTypeObject *type, const struct class_plan *plan)
{
    bool adds = plan->adds_dict || plan->adds_weakrefs || type->tp_members != NULL;
    type->tp_flags |= plan->adds_dict ? Py_TPFLAGS_MANAGED_DICT : 0;
    type->tp_flags |= plan->adds_weakrefs ? Py_TPFLAGS_MANAGED_WEAKREF : 0;
    type->tp_getset = plan->adds_dict ? class_dict_getset : NULL;
    type->tp_dealloc = ouro_heap_instance_dealloc;
    type->tp_alloc = PyType_GenericAlloc;
    if (adds || PyType_IS_GC(plan->base)) {
        type->tp_flags |= Py_TPFLAGS_HAVE_GC;
        type->tp_traverse = ouro_class_instance_traverse;
        type->tp_clear = ouro_class_instance_clear;
        type->tp_free = PyObject_GC_Del;
    } else {
        type->tp_free = PyObject_Free;
    }
}

static bool set_class_names(PyHeapTypeObject *heap, PyObject *name);

static PyObject *
make_class(const struct class_plan *plan)
{
    Py_ssize_t members = plan->slots == NULL ? 0 : PyTuple_GET_SIZE(plan->slots);
    PyHeapTypeObject *heap =
        (PyHeapTypeObject *)plan->metatype->tp_alloc(plan->metatype, members);
    if (heap == NULL) {
        return NULL;
    }
    PyTypeObject *type = &heap->ht_type;
    type->tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HEAPTYPE | Py_TPFLAGS_BASETYPE;
    type->tp_name = "?"; /* until there is a copy of the name */
    type->tp_base = (PyTypeObject *)Py_NewRef(plan->base);
    type->tp_bases = Py_NewRef(plan->bases);
    type->tp_basicsize = plan->base->tp_basicsize;
    type->tp_itemsize = plan->base->tp_itemsize;
    heap->ht_slots = Py_XNewRef(plan->slots);
    ouro_heap_type_wire(heap);
    set_class_members(type, plan->slots);
    set_class_handlers(type, plan);
    struct failure failure = {0};
    type->tp_dict = PyDict_Copy(plan->dict);
    if (type->tp_dict == NULL || !set_class_names(heap, plan->name) ||
        !ouro_heap_type_finish(type, &failure)) {
        ouro_failure_raise(&failure);
        Py_DECREF(type);
        return NULL;
    }
    ouro_type_update_slots(type);
    return (PyObject *)type;
}

/* __qualname__ moves from the dict to the type; __doc__ is copied. */
static bool
set_class_names(PyHeapTypeObject *heap, PyObject *name)
{
    PyTypeObject *type = &heap->ht_type;
    const char *text = PyUnicode_AsUTF8(name);
    heap->ht_tpname = ouro_text_copy(text, strlen(text));
    if (heap->ht_tpname == NULL) {
        PyErr_NoMemory();
        return false;
    }
    type->tp_name = heap->ht_tpname;
    heap->ht_name = Py_NewRef(name);
    PyObject *qualname;
    if (PyDict_PopString(type->tp_dict, "__qualname__", &qualname) < 0) {
        return false;
    }
    if (qualname != NULL && !PyUnicode_Check(qualname)) {
        PyErr_Format(PyExc_TypeError, "type __qualname__ must be a str, not %s",
                     Py_TYPE(qualname)->tp_name);
        Py_DECREF(qualname);
        return false;
    }
    heap->ht_qualname = qualname != NULL ? qualname : Py_NewRef(name);
    PyObject *doc = _PyDict_GetItemStringWithError(type->tp_dict, "__doc__");
    if (doc != NULL && PyUnicode_Check(doc)) {
        Py_ssize_t size;
        const char *utf8 = PyUnicode_AsUTF8AndSize(doc, &size);
        type->tp_doc = utf8 == NULL ? NULL : ouro_text_copy(utf8, (size_t)size);
        if (utf8 != NULL && type->tp_doc == NULL) {
            PyErr_NoMemory();
        }
    }
    return !PyErr_Occurred();
}
