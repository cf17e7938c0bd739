/* SPDX-License-Identifier: MIT */
/* Freed blocks are kept for a while, filled with a pattern. The oldest leaves first.
 *
 * There is one list for each heap, as a heap is touched only by threads of its interpreter, and
 * one for plain blocks. A block in it has a type of its own, ouro_freed_type, whose every slot
 * reports. So using a freed object ends in a report and not in a fault. */
#include <pthread.h>

#include "registry.h"

struct quarantine {
    struct heap *heap; /* NULL: plain blocks */
    struct record *first, **last;
    size_t bytes, count;
    struct quarantine *next;
};

static struct quarantine *quarantines;
static pthread_mutex_t quarantine_mutex = PTHREAD_MUTEX_INITIALIZER;

static struct quarantine *
quarantine_of(struct heap *heap)
{
    struct quarantine *q = quarantines;
    while (q != NULL && q->heap != heap) {
        q = q->next;
    }
    if (q == NULL) {
        q = calloc(1, sizeof *q);
        OURO_REQUIRE(q != NULL, "the contract checker: out of memory");
        q->heap = heap;
        q->last = &q->first;
        q->next = quarantines;
        quarantines = q;
    }
    return q;
}

static struct record *
take_oldest(struct quarantine *q, size_t most)
{
    pthread_mutex_lock(&quarantine_mutex);
    struct record *record = q->bytes > most ? q->first : NULL;
    if (record != NULL) {
        q->first = record->next_freed;
        q->last = q->first != NULL ? q->last : &q->first;
        q->bytes -= record->bytes;
        q->count--;
    }
    pthread_mutex_unlock(&quarantine_mutex);
    return record;
}

/* The pattern behind the header is as it was written. */
static void
check_dead_bytes(const struct record *record)
{
    const unsigned char *bytes = record->block;
    for (size_t i = sizeof(PyObject); i < record->bytes; i++) {
        if (bytes[i] != OURO_DEAD_BYTE) {
            ouro_report(record->was_moved ? OURO_GC_A27 : OURO_GC_A04, record->block,
                        (Py_ssize_t)i,
                        record->was_moved
                            ? "the pointer was invalidated by PyObject_GC_Resize, and "
                              "written through at offset %zu"
                            : "written to at offset %zu after it was freed",
                        i);
            return;
        }
    }
}

static void
release_record(struct record *record)
{
    check_dead_bytes(record);
    void *block = record->block;
    struct heap *heap = record->heap;
    ouro_record_remove(record);
    if (heap != NULL) {
        ouro_heap_give(heap, ouro_heap_page_of(heap, block), block);
    } else {
        PyMemAllocatorEx allocator;
        PyMem_GetAllocator(PYMEM_DOMAIN_OBJ, &allocator);
        allocator.free(allocator.ctx, block);
    }
}

bool
ouro_quarantine_shrink(struct heap *heap, size_t most)
{
    pthread_mutex_lock(&quarantine_mutex);
    struct quarantine *q = quarantine_of(heap);
    pthread_mutex_unlock(&quarantine_mutex);
    struct record *record = take_oldest(q, most);
    bool gave = record != NULL;
    for (; record != NULL; record = take_oldest(q, most)) {
        release_record(record);
    }
    return gave;
}

size_t
ouro_event_kept(const struct heap *heap)
{
    pthread_mutex_lock(&quarantine_mutex);
    const struct quarantine *q = quarantines;
    while (q != NULL && q->heap != heap) {
        q = q->next;
    }
    size_t count = q != NULL ? q->count : 0;
    pthread_mutex_unlock(&quarantine_mutex);
    return count;
}

void
ouro_quarantine_add(struct record *record, bool was_moved)
{
    PyObject *op = record->block;
    record->state = BLOCK_FREED;
    record->was_moved = was_moved;
    record->next_freed = NULL;
    size_t lead =
        record->heap != NULL ? ouro_heap_page_of(record->heap, op)->front : (size_t)0;
    memset((char *)op - lead, OURO_DEAD_BYTE, lead + record->bytes);
    if (record->bytes >= sizeof *op) {
        op->ob_refcnt = OURO_FREED_COUNT;
        op->ob_gc = OURO_FREED_GC;
        op->ob_type = &ouro_freed_type;
    }
    pthread_mutex_lock(&quarantine_mutex);
    struct quarantine *q = quarantine_of(record->heap);
    *q->last = record;
    q->last = &record->next_freed;
    q->bytes += record->bytes;
    q->count++;
    pthread_mutex_unlock(&quarantine_mutex);
    ouro_quarantine_settle();
}

void
ouro_quarantine_settle(void)
{
    if (ouro_top_frame == NULL) {
        ouro_quarantine_shrink(NULL, ouro_check_settings.quarantine);
        ouro_quarantine_shrink(&ouro_current.interp->heap,
                               ouro_check_settings.quarantine);
    }
}

/* --- the type of freed objects ------------------------------------------------------------ */

void
ouro_report_freed(const PyObject *op, const char *how)
{
    if ((const void *)op == (const void *)&ouro_freed_type) {
        const struct frame *frame = ouro_top_frame;
        ouro_report(OURO_GC_D37, frame != NULL ? frame->self : NULL, -1,
                    "Py_TYPE(self) was read after self was freed");
        return;
    }
    const struct record *record = ouro_record_find(op);
    bool was_moved = record != NULL && record->was_moved;
    ouro_report(was_moved ? OURO_GC_A27 : OURO_GC_A01, op, -1,
                was_moved ? "%s: the pointer was invalidated by PyObject_GC_Resize"
                          : "%s after it was freed",
                how);
}

static void
dealloc_freed(PyObject *self)
{
    ouro_report_freed(self, "destroyed");
}

static PyObject *
refuse_freed(PyObject *self)
{
    ouro_report_freed(self, "used");
    return PyErr_Format(PyExc_SystemError, "the object at %p was freed", (void *)self);
}

static PyObject *
getattro_freed(PyObject *self, PyObject *Py_UNUSED(name))
{
    return refuse_freed(self);
}

static int
setattro_freed(PyObject *self, PyObject *Py_UNUSED(name), PyObject *Py_UNUSED(value))
{
    refuse_freed(self);
    return -1;
}

static Py_hash_t
hash_freed(PyObject *self)
{
    refuse_freed(self);
    return -1;
}

static PyObject *
call_freed(PyObject *self, PyObject *Py_UNUSED(args), PyObject *Py_UNUSED(kwargs))
{
    return refuse_freed(self);
}

static PyObject *
compare_freed(PyObject *self, PyObject *Py_UNUSED(other), int Py_UNUSED(op))
{
    return refuse_freed(self);
}

static int
traverse_freed(PyObject *self, visitproc Py_UNUSED(visit), void *Py_UNUSED(arg))
{
    ouro_report_freed(self, "traversed");
    return 0;
}

static int
clear_freed(PyObject *self)
{
    ouro_report_freed(self, "cleared");
    return 0;
}

static void
free_freed(void *self)
{
    ouro_report_freed(self, "freed through Py_TYPE(self)->tp_free");
}

PyTypeObject ouro_freed_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "freed object",
    .tp_basicsize = sizeof(PyObject),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_dealloc = dealloc_freed,
    .tp_repr = refuse_freed,
    .tp_str = refuse_freed,
    .tp_iter = refuse_freed,
    .tp_iternext = refuse_freed,
    .tp_getattro = getattro_freed,
    .tp_setattro = setattro_freed,
    .tp_hash = hash_freed,
    .tp_call = call_freed,
    .tp_richcompare = compare_freed,
    .tp_traverse = traverse_freed,
    .tp_clear = clear_freed,
    .tp_free = free_freed,
};
