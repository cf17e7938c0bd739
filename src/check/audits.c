/* SPDX-License-Identifier: MIT */
/* The audit of one object (audit.c) inside the library. The records answer its questions, and
 * its findings are reported. Modules have another kind of body, their state. */
#include "../types/type.h"
#include "audit.h"
#include "check.h"

static bool
is_live_container(const void *address, void *Py_UNUSED(context))
{
    const struct record *record = ouro_record_find(address);
    return record != NULL && record->family == BLOCK_CONTAINER &&
           record->state == BLOCK_LIVE && !record->is_dying;
}

static size_t
bytes_of_body(PyObject *object, void *Py_UNUSED(context))
{
    const struct record *record = ouro_record_find(object);
    return record != NULL ? record->bytes : sizeof(PyObject);
}

/* The library's own types are right; and a weak reference holds its referent weakly. */
static bool
field_may_be_borrowed(PyObject *object, PyTypeObject *owner, size_t offset,
                      void *Py_UNUSED(context))
{
    return ouro_type_is_ours(owner) ||
           ouro_field_is_borrowed(Py_TYPE(object), (Py_ssize_t)offset);
}

/* What static data hold is accounted for, too. */
static Py_ssize_t
references_left(PyObject *referent, void *context)
{
    Py_ssize_t left =
        context != NULL ? ouro_ownership_left(context, referent) : OURO_AUDIT_UNKNOWN;
    if (left <= 0) {
        return left;
    }
    Py_ssize_t kept = ouro_count_kept(referent);
    return left > kept ? left - kept : 0;
}

/* A block of PyMem_Malloc or a similar function. */
static PyObject *const *
words_of_block(const void *address, size_t *count, void *Py_UNUSED(context))
{
    const struct record *record = ouro_record_find(address);
    bool is_block = record != NULL && record->family == BLOCK_PLAIN &&
                    record->state == BLOCK_LIVE && record->info == NULL;
    *count = is_block ? record->bytes / sizeof(PyObject *) : 0;
    return is_block ? record->block : NULL;
}

static void
report_finding(const struct ouro_audit_finding *finding, void *Py_UNUSED(context))
{
    enum ouro_code code = ouro_code_named(finding->code);
    bool has_offset = finding->offset != OURO_AUDIT_NO_OFFSET;
    if (code < OURO_CODE_COUNT) {
        ouro_report(code, finding->object, has_offset ? (Py_ssize_t)finding->offset : -1,
                    "%s", finding->text);
    }
}

void
ouro_audit_one(PyObject *op, struct ownership *all)
{
    struct ouro_audit_environment environment = {
        .context = all,
        .is_object = is_live_container,
        .extent = bytes_of_body,
        .block = words_of_block,
        .is_borrowed = field_may_be_borrowed,
        .unexplained = references_left,
        .report = report_finding,
        .class_traverse = ouro_class_instance_traverse,
    };
    struct frame frame; /* what tp_traverse may not do was looked at before */
    ouro_frame_enter(&frame, IN_TRAVERSE, op);
    frame.suspended = 1;
    ouro_audit_object(op, &environment);
    if (PyModule_Check(op)) {
        ouro_audit_module(op);
    }
    ouro_frame_leave(&frame);
}
