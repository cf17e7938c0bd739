/* SPDX-License-Identifier: MIT */
/* The events of memory: allocated, freed, resized, and by the right function?
 *
 * Read registry.c for the records, quarantine.c for what happens to freed blocks. */
#include "registry.h"

#include "../object/weakref.h"
#include "../thread/registry.h"

/* --- containers --------------------------------------------------------------------------- */

void
ouro_event_allocated(PyObject *op, size_t bytes)
{
    ouro_guard_containers("a container is allocated");
    struct record *record = ouro_record_add(op, bytes, BLOCK_CONTAINER);
    record->heap = &ouro_current.interp->heap;
    record->info = ouro_type_info(Py_TYPE(op));
    record->is_new = true;
    if (bytes > sizeof *op) {
        memset(op + 1, OURO_FRESH_BYTE, bytes - sizeof *op);
    }
    ouro_block_mark_zone(record);
}

/* The mistakes that concern one block: which function frees it. */
static bool
is_wrong_free(struct record *record, const void *block, const char *function)
{
    if (record == NULL) {
        ouro_report(OURO_GC_D34, block, -1,
                    "%s called on memory that PyObject_GC_New did not allocate",
                    function);
        return true;
    }
    if (record->state == BLOCK_FREED) {
        ouro_report(record->was_moved ? OURO_GC_A27 : OURO_GC_A02, block, -1,
                    record->was_moved
                        ? "%s: the pointer was invalidated by PyObject_GC_Resize"
                        : "%s: it was freed before",
                    function);
        return true;
    }
    return false;
}

/* Weak references that would point to freed memory; they are made dead. */
static void
check_weakrefs_are_gone(PyObject *op)
{
    PyWeakReference **list = ouro_weakref_list(op);
    int count = 0;
    for (PyWeakReference *ref = list != NULL ? *list : NULL;
         ref != NULL && ouro_pointer_state(ref) == POINTER_GOOD && PyWeakref_Check(ref);
         ref = ref->wr_next) {
        count++;
    }
    if (count != 0) {
        ouro_report(OURO_GC_D41, op, Py_TYPE(op)->tp_weaklistoffset,
                    "freed with %d live weak reference%s", count, count == 1 ? "" : "s");
        ouro_weakref_clear_all(op);
    }
}

static void
check_dict_is_gone(PyObject *op)
{
    if (PyType_HasFeature(Py_TYPE(op), Py_TPFLAGS_MANAGED_DICT)) {
        PyObject **place = _PyObject_GetDictPtr(op);
        if (place != NULL && *place != NULL) {
            ouro_report(OURO_GC_C56, op, -1,
                        "freed with its managed dict; call PyObject_ClearManagedDict in "
                        "tp_clear and tp_dealloc");
            Py_CLEAR(*place);
        }
    }
}

/* A type whose memory is gone cannot be looked at. */
static bool
type_is_readable(const PyObject *op)
{
    return !ouro_is_freed((PyObject *)Py_TYPE(op)) &&
           ouro_pointer_state(Py_TYPE(op)) == POINTER_GOOD;
}

bool
ouro_event_refuses_del(PyObject *op)
{
    ouro_guard_containers("a container is freed");
    struct record *record = ouro_record_find(op);
    if (is_wrong_free(record, op, "PyObject_GC_Del")) {
        return true;
    }
    if (record->family == BLOCK_PLAIN) {
        ouro_report(OURO_GC_D34, op, -1,
                    "PyObject_GC_Del called on a block of PyObject_Malloc or "
                    "PyObject_New");
        ouro_quarantine_add(record, false);
        return true;
    }
    struct frame *frame = ouro_frame_of(IN_DEALLOC, op);
    if (frame != NULL && frame->is_alive) {
        ouro_report(OURO_GC_D43, op, -1,
                    "freed although its finalizer resurrected it: after "
                    "PyObject_CallFinalizerFromDealloc returned -1, tp_dealloc must "
                    "return");
        return true;
    }
    if (ouro_frame_of(IN_CLEAR, op) != NULL) {
        ouro_report(OURO_GC_C52, op, -1, "tp_clear must not free the object");
        return true;
    }
    return false;
}

bool
ouro_event_keeps(PyObject *op)
{
    struct record *record = ouro_record_find(op);
    if (ouro_object_is_tracked(op)) {
        ouro_report(OURO_GC_D30, op, -1,
                    "freed while it is tracked; tp_dealloc must begin with "
                    "PyObject_GC_UnTrack");
    }
    ouro_block_check_zone(record);
    if (!type_is_readable(op)) {
        ouro_report(OURO_GC_D37, op, -1,
                    "its type was released before the object was freed, and is gone");
    } else {
        check_weakrefs_are_gone(op);
        check_dict_is_gone(op);
    }
    ouro_frames_note_free(record);
    ouro_quarantine_add(record, false);
    return true;
}

bool
ouro_event_makes_room(struct heap *heap)
{
    return ouro_top_frame == NULL && ouro_quarantine_shrink(heap, 0);
}

/* The main interpreter's heap is used again by the next one, with what is left in it. */
void
ouro_event_heap_ends(struct heap *heap)
{
    const struct _is *main = ouro_registry_main();
    ouro_quarantine_shrink(heap, 0);
    if (main == NULL || heap != &main->heap) {
        ouro_record_forget_heap(heap);
    }
}

/* --- resizing ----------------------------------------------------------------------------- */

/* Remember what the cut-off items refer to. If these references are never released, they are
 * lost (K29). */
static void
note_dropped(const PyVarObject *op, size_t from, size_t to)
{
    for (size_t at = from; at + sizeof(void *) <= to; at += sizeof(void *)) {
        void *word;
        memcpy(&word, (const char *)op + at, sizeof word);
        struct record *record = ouro_record_live(word);
        if (record != NULL && record->info != NULL) {
            record->was_dropped = true;
        }
    }
}

bool
ouro_event_refuses_resize(PyVarObject *op, Py_ssize_t items, size_t bytes)
{
    ouro_guard_containers("a container is resized");
    struct record *record = ouro_record_find(op);
    if (record == NULL) {
        return false; /* which is fatal */
    }
    if (record->state == BLOCK_FREED) {
        ouro_report_freed((PyObject *)op, "PyObject_GC_Resize");
        return true;
    }
    if (ouro_object_is_tracked((PyObject *)op)) {
        ouro_report(OURO_GC_K26, op, -1, "PyObject_GC_Resize of a tracked object");
        ouro_object_clear((PyObject *)op, OURO_GC_TRACKED);
    }
    if (items >= 0 && bytes < record->bytes) {
        note_dropped(op, bytes, record->bytes);
    }
    return false;
}

bool
ouro_event_moved(PyObject *old, PyObject *fresh, size_t bytes)
{
    struct record *before = ouro_record_find(old);
    size_t held = before->bytes;
    struct record *record = ouro_record_add(fresh, bytes, BLOCK_CONTAINER);
    record->heap = before->heap;
    record->info = before->info;
    record->serial = before->serial;
    record->was_tracked = before->was_tracked;
    record->tracked = before->tracked;
    record->allocated = before->allocated;
    if (bytes > held) {
        memset((char *)fresh + held, OURO_FRESH_BYTE, bytes - held);
    }
    ouro_block_mark_zone(record);
    ouro_block_check_zone(before);
    ouro_quarantine_add(before, true);
    return true;
}

/* --- plain blocks --------------------------------------------------------------------------- */

static bool has_other_allocator;

void
ouro_event_plain_allocated(void *block, size_t bytes, bool is_zero)
{
    ouro_guard("memory is allocated");
    if (block == NULL) {
        return;
    }
    const struct record *record = ouro_record_add(block, bytes, BLOCK_PLAIN);
    if (!is_zero) {
        memset(block, OURO_FRESH_BYTE, bytes);
    }
    ouro_block_mark_zone(record);
}

void
ouro_event_plain_moved(const void *old, void *block, size_t bytes)
{
    ouro_guard("memory is reallocated");
    struct record *record = old != NULL ? ouro_record_find(old) : NULL;
    if (record == NULL) {
        record = ouro_record_add(block, bytes, BLOCK_PLAIN);
    } else {
        size_t held = record->bytes;
        ouro_record_move(record, block, bytes);
        if (bytes > held) {
            memset((char *)block + held, OURO_FRESH_BYTE, bytes - held);
        }
    }
    ouro_block_mark_zone(record);
}

/* Memory of another family given to PyObject_Free or PyMem_Free. */
bool
ouro_event_refuses_free(void *block, const char *function)
{
    ouro_guard("memory is freed");
    if (block == NULL) {
        return false;
    }
    struct record *record = ouro_record_find(block);
    if (record == NULL) { /* of PyMem_Malloc or malloc */
        if (ouro_heap_contains(&ouro_current.interp->heap, block)) {
            is_wrong_free(NULL, block, function);
            return true;
        }
        return false;
    }
    if (is_wrong_free(record, block, function)) {
        return true;
    }
    if (record->family == BLOCK_CONTAINER) {
        ouro_report(OURO_GC_D34, block, -1,
                    "%s called on a container; free it with PyObject_GC_Del or "
                    "Py_TYPE(self)->tp_free",
                    function);
        PyObject_GC_UnTrack(block);
        PyObject_GC_Del(block);
        return true;
    }
    return false;
}

bool
ouro_event_keeps_plain(void *block)
{
    struct record *record = block != NULL ? ouro_record_find(block) : NULL;
    if (record == NULL) {
        return false;
    }
    ouro_block_check_zone(record);
    if (record->info != NULL) {
        ouro_frames_note_free(record);
    }
    if (has_other_allocator || ouro_current.interp == &ouro_shared) {
        ouro_record_remove(record);
        return false;
    }
    ouro_quarantine_add(record, false);
    return true;
}

/* Blocks go back to the allocator that they came from; a program that installs one may count. */
void
ouro_event_allocators_change(void)
{
    has_other_allocator = true;
    ouro_quarantine_shrink(NULL, 0);
}

/* --- types of blocks -------------------------------------------------------------------------- */

/* Types of the shared scope are made ready while they make their first objects. */
static void
judge_type_is_ready(PyTypeObject *type)
{
    if (!PyType_HasFeature(type, Py_TPFLAGS_READY) &&
        ouro_current.interp != &ouro_shared && !ouro_type_is_ours(type)) {
        ouro_report_type(
            OURO_GC_K70, type->tp_name,
            "an object is made of a type that is not ready: call PyType_Ready "
            "first");
    }
}

void
ouro_event_plain_new(PyTypeObject *type)
{
    judge_type_is_ready(type);
    if (PyType_IS_GC(type)) {
        ouro_report_type(OURO_GC_K20, type->tp_name,
                         "PyObject_New used for a GC type; use PyObject_GC_New");
    }
}

void
ouro_event_init(PyObject *op, PyTypeObject *type)
{
    struct record *record = ouro_record_find(op);
    bool is_container = record != NULL && record->family == BLOCK_CONTAINER;
    judge_type_is_ready(type);
    if (PyType_IS_GC(type) && !is_container && ouro_current.interp != &ouro_shared &&
        ouro_report_is_new(OURO_GC_K20, type->tp_name, -1)) {
        ouro_report_type(OURO_GC_K21, type->tp_name,
                         "PyObject_Init of memory that PyObject_GC_New did not allocate, "
                         "for a GC type");
    }
    if (record == NULL) {
        return;
    }
    if (record->state == BLOCK_DEAD && record->info != NULL) {
        record->info->keeps_dead = true;
    }
    record->info = ouro_type_info(type);
    record->state = BLOCK_LIVE;
    record->is_dying = false;
    record->was_tracked = false;
    record->cleared_in = 0;
}
