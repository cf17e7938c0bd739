/* SPDX-License-Identifier: MIT */
/* From a plan to a heap type.
 *
 * The type object is allocated by its metaclass, with room for a copy of the members; it
 * is tracked from then on, so each step leaves it in a state that `type` can traverse and,
 * when a later step fails, destroy. */
#include "data.h"
#include "fields.h"
#include "plan.h"

static PyObject *gather_bases(const struct plan *plan, struct failure *failure);
static PyObject *build_on(const struct plan *plan, PyObject *bases,
                          struct failure *failure);

PyObject *
ouro_plan_build(const struct plan *plan, struct failure *failure)
{
    if (plan->name == NULL) {
        ouro_fail(failure, PyExc_SystemError,
                  "Type spec does not define the name field.");
        return NULL;
    }
    PyObject *bases = gather_bases(plan, failure);
    if (bases == NULL) {
        return NULL;
    }
    PyObject *type = build_on(plan, bases, failure);
    Py_DECREF(bases);
    return type;
}

/* The bases as a tuple that is not empty; a new reference, or NULL. */
static PyObject *
gather_bases(const struct plan *plan, struct failure *failure)
{
    PyObject *bases = plan->bases;
    if (bases == NULL && plan->value[Py_tp_bases] != NULL) {
        bases = plan->value[Py_tp_bases];
        if (!PyTuple_Check(bases)) {
            ouro_fail(failure, PyExc_SystemError, "Py_tp_bases is not a tuple");
            return NULL;
        }
    }
    if (bases == NULL) {
        bases = plan->value[Py_tp_base];
    }
    if (bases != NULL && Py_TYPE(bases) == NULL &&
        !ouro_base_finish((PyTypeObject *)bases, failure)) {
        return NULL; /* a static type that is not finished and cannot be */
    }
    if (bases == NULL || (PyTuple_Check(bases) && PyTuple_GET_SIZE(bases) == 0)) {
        bases = (PyObject *)&PyBaseObject_Type;
    }
    return PyTuple_Check(bases) ? Py_NewRef(bases) : PyTuple_Pack(1, bases);
}

/* --- before there is a type object ------------------------------------------------------------ */

static PyTypeObject *
choose_metaclass(const struct plan *plan, PyObject *bases, struct failure *failure)
{
    PyTypeObject *metaclass = plan->metaclass != NULL ? plan->metaclass : &PyType_Type;
    if (!PyType_Check(metaclass)) {
        ouro_fail(failure, PyExc_TypeError,
                  "Metaclass '%.100s' is not a subclass of 'type'.",
                  Py_TYPE(metaclass)->tp_name);
        return NULL;
    }
    metaclass = ouro_bases_metatype(metaclass, bases, failure);
    if (metaclass == NULL || !ouro_base_finish(metaclass, failure)) {
        return NULL;
    }
    if (metaclass->tp_new != NULL && metaclass->tp_new != PyType_Type.tp_new) {
        ouro_fail(failure, PyExc_TypeError,
                  "Metaclasses with custom tp_new are not supported.");
        return NULL;
    }
    return metaclass;
}

/* Set *basicsize and *data, where the data of a negative basicsize begins. */
static bool
lay_out(const struct plan *plan, PyTypeObject *base, Py_ssize_t *basicsize,
        Py_ssize_t *data, struct failure *failure)
{
    *data = 0;
    *basicsize = plan->basicsize != 0 ? plan->basicsize : base->tp_basicsize;
    if (plan->basicsize >= 0) {
        return true;
    }
    if (plan->fields != NULL) {
        return ouro_fail(
            failure, PyExc_SystemError,
            "type %s declares fields, so its basicsize must be positive: their "
            "offsets count from the start of the object",
            plan->name);
    }
    unsigned long flags = base->tp_flags | plan->flags;
    if (base->tp_itemsize != 0 && !(flags & Py_TPFLAGS_ITEMS_AT_END)) {
        return ouro_fail(failure, PyExc_SystemError,
                         "Cannot extend variable-size class without "
                         "Py_TPFLAGS_ITEMS_AT_END.");
    }
    *data = ouro_data_align(base->tp_basicsize);
    if (__builtin_add_overflow(*data, ouro_data_align(-plan->basicsize), basicsize)) {
        return ouro_fail(failure, PyExc_MemoryError, "type too large");
    }
    return true;
}

/* Members with these names say where the hidden words of instances are. They do not become
 * attributes. */
static Py_ssize_t *
offset_named(PyTypeObject *type, const char *member)
{
    if (strcmp(member, "__weaklistoffset__") == 0) {
        return &type->tp_weaklistoffset;
    }
    if (strcmp(member, "__dictoffset__") == 0) {
        return &type->tp_dictoffset;
    }
    if (strcmp(member, "__vectorcalloffset__") == 0) {
        return &type->tp_vectorcall_offset;
    }
    return NULL;
}

/* Count the members, and check those whose offset counts from the type's own data. */
static bool
check_members(const struct plan *plan, Py_ssize_t *count, struct failure *failure)
{
    *count = 0;
    const PyMemberDef *member = plan->value[Py_tp_members];
    for (; member != NULL && member->name != NULL; member++, ++*count) {
        if (!(member->flags & Py_RELATIVE_OFFSET)) {
            continue;
        }
        if (plan->basicsize >= 0) {
            return ouro_fail(failure, PyExc_SystemError,
                             "With Py_RELATIVE_OFFSET, basicsize must be negative.");
        }
        if (member->offset < 0 || member->offset >= -plan->basicsize) {
            return ouro_fail(failure, PyExc_SystemError,
                             "Member offset out of range (0..-basicsize)");
        }
    }
    return true;
}

/* --- the type object ------------------------------------------------------------------------------ */

static bool set_names(PyHeapTypeObject *heap, const struct plan *plan);
static void set_slots(PyTypeObject *type, const struct plan *plan);
static void set_members(PyTypeObject *type, const struct plan *plan, Py_ssize_t data);
static bool set_module_name(PyTypeObject *type, const char *name);

static PyObject *
build_on(const struct plan *plan, PyObject *bases, struct failure *failure)
{
    Py_ssize_t basicsize, data, members;
    PyTypeObject *base = ouro_bases_best(bases, failure);
    PyTypeObject *metaclass =
        base == NULL ? NULL : choose_metaclass(plan, bases, failure);
    if (metaclass == NULL || !lay_out(plan, base, &basicsize, &data, failure) ||
        !check_members(plan, &members, failure)) {
        return NULL;
    }
    if ((plan->flags & Py_TPFLAGS_IMMUTABLETYPE) &&
        !ouro_bases_are_immutable(plan->name, bases, 0, failure)) {
        return NULL;
    }
    PyHeapTypeObject *heap = (PyHeapTypeObject *)metaclass->tp_alloc(metaclass, members);
    if (heap == NULL) {
        return NULL;
    }
    PyTypeObject *type = &heap->ht_type;
    type->tp_flags =
        (plan->flags & ~(Py_TPFLAGS_READY | Py_TPFLAGS_READYING)) | Py_TPFLAGS_HEAPTYPE;
    type->tp_name = plan->name; /* the caller's, until there is a copy */
    heap->ht_module = Py_XNewRef(plan->module);
    heap->ht_token = plan->value[Py_tp_token];
    type->tp_base = (PyTypeObject *)Py_NewRef(base);
    type->tp_bases = Py_NewRef(bases);
    type->tp_basicsize = basicsize;
    type->tp_itemsize = plan->itemsize;
    ouro_heap_type_wire(heap);
    set_slots(type, plan);
    set_members(type, plan, data);
    if (!set_names(heap, plan) || !ouro_heap_type_finish(type, failure) ||
        !set_module_name(type, plan->name)) {
        Py_DECREF(type);
        return NULL;
    }
    return (PyObject *)type;
}

void
ouro_heap_type_wire(PyHeapTypeObject *heap)
{
    heap->ht_type.tp_as_async = &heap->as_async;
    heap->ht_type.tp_as_number = &heap->as_number;
    heap->ht_type.tp_as_sequence = &heap->as_sequence;
    heap->ht_type.tp_as_mapping = &heap->as_mapping;
    heap->ht_type.tp_as_buffer = &heap->as_buffer;
}

char *
ouro_text_copy(const char *text, size_t length)
{
    char *copy = PyMem_Malloc(length + 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

static bool
set_names(PyHeapTypeObject *heap, const struct plan *plan)
{
    PyTypeObject *type = &heap->ht_type;
    heap->ht_tpname = ouro_text_copy(plan->name, strlen(plan->name));
    if (heap->ht_tpname == NULL) {
        PyErr_NoMemory();
        return false;
    }
    type->tp_name = heap->ht_tpname;
    heap->ht_name = PyUnicode_FromString(_PyType_Name(type));
    if (heap->ht_name == NULL) {
        return false;
    }
    heap->ht_qualname = Py_NewRef(heap->ht_name);
    const char *doc = plan->value[Py_tp_doc];
    if (doc != NULL) {
        type->tp_doc = ouro_text_copy(doc, strlen(doc));
        if (type->tp_doc == NULL) {
            PyErr_NoMemory();
            return false;
        }
    }
    return true;
}

static void
set_slots(PyTypeObject *type, const struct plan *plan)
{
    for (int id = 1; id <= OURO_SLOT_LAST; id++) {
        bool elsewhere = id == Py_tp_base || id == Py_tp_bases || id == Py_tp_doc ||
                         id == Py_tp_members || id == Py_tp_token;
        if (plan->value[id] != NULL && !elsewhere) {
            ouro_slot_write(type, ouro_slot_place(id), plan->value[id]);
        }
    }
    type->tp_ouro_fields = plan->fields;
    ouro_fields_set_handlers(type);
    if (type->tp_dealloc == NULL) {
        type->tp_dealloc = ouro_heap_instance_dealloc;
    }
}

/* The copy ends with the sentinel that every type object has behind its items. */
static void
set_members(PyTypeObject *type, const struct plan *plan, Py_ssize_t data)
{
    PyMemberDef *copy = ouro_heap_type_members(type);
    Py_ssize_t kept = 0;
    const PyMemberDef *member = plan->value[Py_tp_members];
    for (; member != NULL && member->name != NULL; member++) {
        Py_ssize_t offset = member->offset;
        if (member->flags & Py_RELATIVE_OFFSET) {
            offset += data;
        }
        Py_ssize_t *place = offset_named(type, member->name);
        if (place != NULL) {
            *place = offset;
            continue;
        }
        copy[kept] = *member;
        copy[kept].flags &= ~Py_RELATIVE_OFFSET;
        copy[kept++].offset = offset;
    }
    Py_SET_SIZE(type, kept);
    type->tp_members = kept > 0 ? copy : NULL;
}

static bool
set_module_name(PyTypeObject *type, const char *name)
{
    const char *dot = strrchr(name, '.');
    if (dot == NULL) {
        return true;
    }
    PyObject *key = PyUnicode_InternFromString("__module__");
    PyObject *module = PyUnicode_FromStringAndSize(name, dot - name);
    bool done = key != NULL && module != NULL &&
                PyDict_SetDefaultRef(type->tp_dict, key, module, NULL) >= 0;
    Py_XDECREF(key);
    Py_XDECREF(module);
    return done;
}
