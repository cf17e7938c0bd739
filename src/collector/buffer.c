/* SPDX-License-Identifier: MIT */
/* Large objects of the program's types, whose tp_traverse visits everything in one call.
 *
 * That call cannot be split. But most of the time is spent after it, when the target of each
 * reference is looked up. So the call only notes the references, four bytes each. A phase
 * handles them in parts, as it does those of our own containers (parts.c). Objects that the
 * program frees meanwhile do no harm, because a phase needs only the slot of a target. The
 * buffer stays for the next object until the cycle ends. When each object had its own buffer,
 * mapping and unmapping took a seventh of a program's time (`make bench`, G, 65,536 B). */
#include "cycle.h"

/* Make the buffer large enough for the references of `op`; false when the system refuses. */
static bool
prepare_buffer(struct cycle *cy, const PyObject *op)
{
    struct cycle_buffer *buffer = &cy->buffer;
    size_t most = ouro_heap_block_size(cy->c.heap, op) / sizeof(PyObject *);
    size_t bytes =
        (most * sizeof *buffer->slots + OURO_GIVE_BACK - 1) & ~(OURO_GIVE_BACK - 1);
    if (bytes <= buffer->bytes) {
        return true;
    }
    ouro_cycle_free_buffer(cy);
    char *start = ouro_platform_reserve(bytes, ouro_platform_page_size());
    if (start == NULL) {
        return false;
    }
    if (!ouro_platform_commit(start, bytes)) {
        ouro_platform_release(start, bytes);
        return false;
    }
    *buffer = (struct cycle_buffer){.slots = (uint32_t *)start, .bytes = bytes};
    return true;
}

void
ouro_cycle_free_buffer(struct cycle *cy)
{
    if (cy->buffer.bytes != 0) {
        ouro_platform_release(cy->buffer.slots, cy->buffer.bytes);
        cy->buffer = (struct cycle_buffer){0};
    }
}

/* If there are more references than the block has words, visit the others right away. */
static int
note_reference(PyObject *op, void *arg)
{
    struct cycle *cy = arg;
    struct cycle_buffer *buffer = &cy->buffer;
    size_t slot = ouro_cycle_slot(cy, op);
    if (slot >= cy->slots) {
        return 0;
    }
    if (buffer->count == buffer->bytes / sizeof *buffer->slots) {
        return buffer->visit(op, cy);
    }
    buffer->slots[buffer->count++] = (uint32_t)slot;
    return 0;
}

/* Only the first bytes of the buffer keep their memory, so that unmapping it is fast. */
static void
give_back(struct cycle_buffer *buffer, size_t before, size_t after)
{
    size_t from = before * sizeof *buffer->slots & ~(OURO_GIVE_BACK - 1);
    size_t to = after * sizeof *buffer->slots & ~(OURO_GIVE_BACK - 1);
    if (to > from) {
        ouro_platform_discard((char *)buffer->slots + from, to - from);
    }
}

Py_ssize_t
ouro_collector_traverse_buffered(PyObject *op, Py_ssize_t from, visitproc visit,
                                 void *arg)
{
    struct cycle *cy = arg;
    struct cycle_buffer *buffer = &cy->buffer;
    if (from == 0) {
        if (buffer->visit != NULL || !prepare_buffer(cy, op)) {
            ouro_call_traverse(op, visit, cy);
            return -1;
        }
        buffer->count = 0;
        buffer->visit = visit;
        ouro_call_traverse(op, note_reference, cy);
    }
    if (buffer->visit == NULL) { /* the object that began here is finished */
        return -1;
    }
    size_t at = (size_t)from, end = at + _Py_TRAVERSE_PART;
    end = end < buffer->count ? end : buffer->count;
    for (size_t i = at; i < end; i++) {
        char *target = cy->c.base + ((size_t)buffer->slots[i] << OURO_GRAIN_SHIFT);
        (void)visit((PyObject *)target, cy);
    }
    give_back(buffer, at, end);
    if (end == buffer->count) {
        buffer->visit = NULL;
        return -1;
    }
    return (Py_ssize_t)end;
}
