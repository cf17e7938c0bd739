/* SPDX-License-Identifier: MIT */
/* The events that change no memory: counts, tracking, exceptions, calls. */
#include "../object/weakref.h"
#include "../thread/registry.h"
#include "check.h"

/* --- guards ------------------------------------------------------------------------------- */

static _Thread_local bool is_visiting_objects;

void
ouro_guard(const char *what)
{
    const struct frame *frame = ouro_traverse_frame();
    if (frame != NULL) {
        ouro_report(OURO_GC_T06, frame->self, -1, "%s inside tp_traverse", what);
    }
}

void
ouro_guard_containers(const char *what)
{
    ouro_guard(what);
    if (is_visiting_objects) {
        ouro_report_type(OURO_GC_V66, "PyUnstable_GC_VisitObjects",
                         "%s inside the callback", what);
    }
}

void
ouro_event_visits_objects(bool begins)
{
    ouro_guard("PyUnstable_GC_VisitObjects is called");
    is_visiting_objects = begins;
}

void
ouro_event_entry(const char *function)
{
    const struct frame *frame = ouro_traverse_frame();
    if (frame != NULL) {
        ouro_report(OURO_GC_T06, frame->self, -1, "%s called inside tp_traverse",
                    function);
    }
}

void
ouro_event_error(const char *function)
{
    const struct frame *frame = ouro_traverse_frame();
    if (frame != NULL) {
        ouro_report(OURO_GC_T07, frame->self, -1,
                    "%s called inside tp_traverse; the functions whose names end in "
                    "_DuringGC raise nothing",
                    function);
    }
}

void
_PyCheck_DuringGC(const char *function)
{
    if (ouro_top_frame == NULL && Py_IsInitialized()) {
        ouro_report_type(OURO_GC_T64, function,
                         "called outside tp_traverse; its borrowed result is valid "
                         "during the traversal only");
    }
}

/* A thread that is attached to no interpreter touches an object that others may free. */
static void
require_attached(const PyObject *op, const char *what)
{
    if (OURO_UNLIKELY(!ouro_is_attached()) && !_Py_IsImmortal(op) &&
        ouro_current.interp == &ouro_nowhere && ouro_registry_main() != NULL) {
        ouro_report(OURO_GC_X68, op, -1,
                    "%s by a thread without an attached thread state", what);
    }
}

/* --- counts ------------------------------------------------------------------------------- */

static void
judge_count_in_traverse(const PyObject *op, const char *function)
{
    const struct frame *frame = ouro_traverse_frame();
    if (frame != NULL) {
        ouro_report(OURO_GC_T05, frame->self, -1, "%s of a '%s' inside tp_traverse",
                    function, ouro_type_name_of(op));
    }
}

/* A dead object of a free list is used again, but its type was not set again. */
static void
judge_first_reference(PyObject *op)
{
    struct record *record = ouro_record_find(op);
    if (record != NULL && record->state == BLOCK_DEAD) {
        ouro_report(OURO_GC_D47, op, -1,
                    "used again after its tp_dealloc, without PyObject_Init");
        record->state = BLOCK_LIVE;
        record->is_dying = false;
    }
}

bool
ouro_event_incref(PyObject *op)
{
    if (OURO_UNLIKELY(op->ob_gc == OURO_FREED_GC) && ouro_is_freed(op)) {
        ouro_report_freed(op, "Py_INCREF");
        return true;
    }
    require_attached(op, "Py_INCREF");
    judge_count_in_traverse(op, "Py_INCREF");
    if (op->ob_refcnt == 0) {
        judge_first_reference(op);
    }
    ouro_frames_note_count(op, -1);
    return false;
}

bool
ouro_event_decref(PyObject *op)
{
    if (op == (PyObject *)&ouro_freed_type ||
        (OURO_UNLIKELY(op->ob_gc == OURO_FREED_GC) && ouro_is_freed(op))) {
        ouro_report_freed(op, "Py_DECREF");
        return true;
    }
    require_attached(op, "Py_DECREF");
    judge_count_in_traverse(op, "Py_DECREF");
    if (op->ob_refcnt == 0) {
        ouro_report(OURO_GC_A01, op, -1, "Py_DECREF of an object whose count is 0");
        return true;
    }
    ouro_frames_note_count(op, 1);
    return false;
}

/* --- tracking ------------------------------------------------------------------------------- */

static int
visit_nothing(PyObject *Py_UNUSED(op), void *Py_UNUSED(arg))
{
    return 0;
}

/* Can the block be tracked? Reports what is wrong. */
static bool
is_trackable(PyObject *op, struct record *record)
{
    if (record->state == BLOCK_FREED) {
        ouro_report_freed(op, "PyObject_GC_Track");
        return false;
    }
    if (record->family == BLOCK_PLAIN) {
        ouro_report(OURO_GC_K19, op, -1,
                    "PyObject_GC_Track: the object was allocated with PyObject_New or "
                    "PyObject_Malloc");
        return false;
    }
    if (record->state == BLOCK_DEAD) {
        judge_first_reference(op);
    }
    if (ouro_object_is_tracked(op)) {
        ouro_report(OURO_GC_K18, op, -1, "PyObject_GC_Track: already tracked");
        return false;
    }
    return true;
}

bool
ouro_event_track(PyObject *op)
{
    ouro_guard("PyObject_GC_Track is called");
    if (op == NULL || !ouro_is_attached() || ouro_current.interp == &ouro_shared) {
        return false;
    }
    struct record *record = ouro_record_find(op);
    if (record == NULL) {
        if (_Py_IsImmortal(op)) {
            return false;
        }
        ouro_report(OURO_GC_K19, op, -1,
                    "PyObject_GC_Track: the object was not allocated with "
                    "PyObject_GC_New");
        return true;
    }
    if (!is_trackable(op, record)) {
        return true;
    }
    record->was_tracked = true;
    record->info->has_tracked = true;
    ouro_site_take(&record->tracked);
    if (op->ob_refcnt > 0 && !record->is_dying) {
        ouro_traverse_checked(op, visit_nothing, NULL);
    }
    return false;
}

bool
ouro_event_untrack(PyObject *op)
{
    ouro_guard("PyObject_GC_UnTrack is called");
    if (op->ob_gc == OURO_FREED_GC && ouro_is_freed(op)) {
        ouro_report_freed(op, "PyObject_GC_UnTrack");
        return true;
    }
    return false;
}

void
_PyObject_GC_UnTrackStrict(PyObject *op)
{
    if (!ouro_object_is_tracked(op)) {
        ouro_report(OURO_GC_D32, op, -1,
                    "_PyObject_GC_UNTRACK of an object that is not tracked: a tp_dealloc "
                    "that calls its base's must track the object again before");
    }
    PyObject_GC_UnTrack(op);
}

/* --- weak references ---------------------------------------------------------------------------- */

void
ouro_event_clears_weakrefs(PyObject *op)
{
    const struct frame *frame = ouro_top_frame;
    if (frame == NULL || frame->handler != IN_DEALLOC || frame->self != op ||
        frame->record == NULL) {
        return;
    }
    if (ouro_object_is_tracked(op)) {
        ouro_report(OURO_GC_D42, op, -1,
                    "weak references are cleared while the object is tracked; untrack "
                    "it first");
    } else if (frame->released_count > 0 && *ouro_weakref_list(op) != NULL) {
        ouro_report(OURO_GC_D42, op, -1,
                    "weak references are cleared after fields were released; do it "
                    "before");
    }
}
