/* SPDX-License-Identifier: MIT */
/* Containers with more references than a slice can visit.
 *
 * A type with tp_ouro_traverse_part is visited some thousand references at a time. For types of
 * the program that have items, buffer.c supplies that handler. The first part is visited when
 * the walk reaches the container. The rest follows before the phase goes on to the next page,
 * in as many slices as it takes. The program may change the container in between. Then the
 * counts are wrong, which is harmless: proposals may be wrong. A proof visits each member in
 * one call.
 *
 * A page may have many containers that are not so large. When enough references of its objects were
 * met, the other containers of the page wait, and are visited one by one after it. */
#include "cycle.h"

/* If there are more large containers than fit, in one page or waiting, the others are visited
 * in one piece. */
void
ouro_cycle_note_part(struct cycle *cy, PyObject *op, Py_ssize_t next, visitproc visit)
{
    if (cy->parts.count == CYCLE_PARTS) {
        while (next >= 0) {
            next = Py_TYPE(op)->tp_ouro_traverse_part(op, next, visit, cy);
        }
        return;
    }
    cy->parts.list[cy->parts.count++] = (struct cycle_part){
        .slot = (uint32_t)ouro_cycle_slot(cy, op),
        .cursor = cy->c.cursor,
        .next = next,
        .visit = visit,
    };
}

/* The slot may hold another object by now. Any large old object is visited; others are skipped. */
static Py_ssize_t
visit_next_part(struct cycle *cy, const struct cycle_part *part)
{
    PyObject *op = ouro_member_at(&cy->c, part->slot);
    if (op == NULL || !ouro_is_old(op) || Py_TYPE(op)->tp_ouro_traverse_part == NULL) {
        return -1;
    }
    cy->c.cursor = part->cursor;
    return Py_TYPE(op)->tp_ouro_traverse_part(op, part->next, part->visit, cy);
}

void
ouro_cycle_put_off(struct cycle *cy, PyObject *op, visitproc visit)
{
    cy->parts.visit = visit;
    cy->parts.waiting[cy->parts.waiting_count++] = (uint32_t)ouro_cycle_slot(cy, op);
}

/* Visit the container that waits in the slot, from its beginning. */
static void
begin_waiting(struct cycle *cy, uint32_t slot)
{
    struct cycle_part part = {.slot = slot, .visit = cy->parts.visit};
    part.next = visit_next_part(cy, &part);
    if (part.next >= 0) {
        ouro_cycle_note_part(cy, ouro_member_at(&cy->c, slot), part.next, part.visit);
    }
}

/* False when the slice is over and some of those that were begun are left. */
static bool
finish_begun(struct cycle *cy)
{
    while (cy->parts.count > 0) {
        struct cycle_part *part = &cy->parts.list[cy->parts.count - 1];
        part->next = visit_next_part(cy, part);
        if (part->next < 0) {
            cy->parts.count--;
        }
        if (cy->parts.count == 0) {
            cy->buffer.visit = NULL; /* the object that began with it may have died */
        }
        if (ouro_slice_is_over(cy, OURO_PART_WORK)) {
            return cy->parts.count == 0;
        }
    }
    return true;
}

bool
ouro_cycle_finish_parts(struct cycle *cy)
{
    while (finish_begun(cy) && cy->parts.waiting_count > 0) {
        begin_waiting(cy, cy->parts.waiting[--cy->parts.waiting_count]);
        if (ouro_slice_is_over(cy, 1 + ouro_cycle_met_work(cy))) {
            break;
        }
    }
    return cy->parts.count == 0 && cy->parts.waiting_count == 0;
}
