/* SPDX-License-Identifier: MIT */
/* What is known about types, and the mistakes that show when a type is made ready. */
#include <pthread.h>

#include <ouro_fields.h>

#include "check.h"

#define TYPE_BUCKETS 1024

static struct type_info *type_infos[TYPE_BUCKETS];
static pthread_mutex_t types_mutex = PTHREAD_MUTEX_INITIALIZER;
static bool is_started; /* the types that are ready before are the library's */

static struct type_info **
type_bucket(const PyTypeObject *type)
{
    return &type_infos[((uintptr_t)type >> 4) * 0x9E3779B1u / 64 % TYPE_BUCKETS];
}

static struct type_info *
new_type_info(PyTypeObject *type)
{
    struct type_info *info = calloc(1, sizeof *info);
    char *name = strdup(type->tp_name != NULL ? type->tp_name : "?");
    OURO_REQUIRE(info != NULL && name != NULL, "the contract checker: out of memory");
    info->type = type;
    info->name = name;
    info->is_ours = !is_started;
    return info;
}

/* Another type may come to life at the address of one that is gone. */
struct type_info *
ouro_type_info(PyTypeObject *type)
{
    struct type_info **bucket = type_bucket(type);
    pthread_mutex_lock(&types_mutex);
    struct type_info *info = *bucket;
    while (info != NULL &&
           (info->type != type ||
            strcmp(info->name, type->tp_name != NULL ? type->tp_name : "?") != 0)) {
        info = info->next;
    }
    if (info == NULL) {
        info = new_type_info(type);
        info->next = *bucket;
        *bucket = info;
    }
    pthread_mutex_unlock(&types_mutex);
    return info;
}

bool
ouro_type_is_ours(const PyTypeObject *type)
{
    return ouro_type_info((PyTypeObject *)(uintptr_t)type)->is_ours;
}

static void
note_start(struct record *record, void *arg)
{
    record->is_at_start |= record->home == arg || record->home == &ouro_shared.heap;
}

/* The types that exist by now are the library's own. */
void
ouro_event_started(struct _is *interp)
{
    ouro_check_read_settings();
    is_started = true;
    ouro_record_each(note_start, &interp->heap);
}

/* --- what authors declare ---------------------------------------------------------------------- */

void
Ouro_CheckBorrowed(PyTypeObject *type, Py_ssize_t offset)
{
    struct type_info *info = ouro_type_info(type);
    size_t count = 0;
    while (info->borrowed != NULL && info->borrowed[count] != 0) {
        count++;
    }
    Py_ssize_t *offsets = realloc(info->borrowed, (count + 2) * sizeof *offsets);
    OURO_REQUIRE(offsets != NULL, "the contract checker: out of memory");
    offsets[count] = offset;
    offsets[count + 1] = 0;
    info->borrowed = offsets;
}

bool
ouro_field_is_borrowed(PyTypeObject *type, Py_ssize_t offset)
{
    const Ouro_Field *declared = ouro_declared_at(type, offset);
    if (declared != NULL && declared->kind == OURO_FIELD_BORROWED) {
        return true;
    }
    for (; type != NULL; type = type->tp_base) {
        const Py_ssize_t *at = ouro_type_info(type)->borrowed;
        while (at != NULL && *at != 0 && *at != offset) {
            at++;
        }
        if (at != NULL && *at != 0) {
            return true;
        }
    }
    return false;
}

static void
probe_by_repr(PyObject *op)
{
    PyObject *text = PyObject_Repr(op);
    if (text == NULL) {
        PyErr_Clear();
    }
    Py_XDECREF(text);
}

void
Ouro_CheckProbe(PyTypeObject *type, void (*probe)(PyObject *))
{
    ouro_type_info(type)->probe = probe != NULL ? probe : probe_by_repr;
}

void
Ouro_CheckVisitTypes(int (*visit)(PyTypeObject *type, void *arg), void *arg)
{
    for (size_t i = 0; i < TYPE_BUCKETS; i++) {
        for (const struct type_info *info = type_infos[i]; info != NULL;
             info = info->next) {
            bool is_alive = !info->is_ours &&
                            ouro_pointer_state(info->type) == POINTER_GOOD &&
                            PyType_HasFeature(info->type, Py_TPFLAGS_READY) &&
                            strcmp(info->type->tp_name, info->name) == 0;
            if (is_alive && visit(info->type, arg) == 0) {
                return;
            }
        }
    }
}

/* --- when a type is made ready ------------------------------------------------------------------- */

/* Before anything is inherited, the type holds what its author wrote. */
void
ouro_event_type_begins(PyTypeObject *type)
{
    PyTypeObject *base = type->tp_base;
    bool has_handlers = type->tp_traverse != NULL || type->tp_clear != NULL;
    bool base_is_gc = base != NULL && PyType_IS_GC(base);
    if (!PyType_IS_GC(type) && has_handlers &&
        !(base_is_gc && type->tp_traverse == NULL && type->tp_clear == NULL)) {
        ouro_report_type(OURO_GC_K22, type->tp_name,
                         "the type sets %s but not Py_TPFLAGS_HAVE_GC%s%s%s",
                         type->tp_traverse != NULL ? "tp_traverse" : "tp_clear",
                         base_is_gc ? "; base '" : "", base_is_gc ? base->tp_name : "",
                         base_is_gc ? "' is a GC type" : "");
    }
    if (PyType_IS_GC(type) && type->tp_traverse != NULL && type->tp_clear == NULL &&
        base_is_gc && base->tp_clear != NULL && is_started) {
        ouro_report_type(OURO_GC_K24, type->tp_name,
                         "the type has Py_TPFLAGS_HAVE_GC and tp_traverse of its own, so "
                         "it does not inherit tp_clear from '%s'",
                         base->tp_name);
    }
    if (type->tp_del != NULL && is_started) {
        ouro_report_type(OURO_GC_F59, type->tp_name,
                         "tp_del is legacy: cycles through the object become "
                         "uncollectable; use tp_finalize");
    }
}

/* --- tp_free of one's own ---------------------------------------------------------------------- */

static _Thread_local const void *inside_free;

/* The types whose tp_free is neither of the library's get ouro_check_free instead, so that
 * it is known whether it was used (D35). */
void
ouro_event_type_ready(PyTypeObject *type)
{
    struct type_info *info = ouro_type_info(type); /* also for Ouro_CheckVisitTypes() */
    freefunc own = type->tp_free;
    if (own == NULL || own == PyObject_GC_Del || own == PyObject_Free ||
        own == ouro_check_free || info->is_ours) {
        return;
    }
    info->real_free = own;
    type->tp_free = ouro_check_free;
}

bool
ouro_is_inside_tp_free(const void *op)
{
    return inside_free == op;
}

void
ouro_check_free(void *op)
{
    PyTypeObject *type = Py_TYPE((PyObject *)op);
    freefunc function = NULL;
    for (; type != NULL && function == NULL; type = type->tp_base) {
        function = ouro_type_info(type)->real_free;
    }
    const void *outer = inside_free;
    inside_free = op;
    (function != NULL ? function : PyObject_GC_Del)(op);
    inside_free = outer;
}
