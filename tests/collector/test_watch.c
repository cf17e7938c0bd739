/* SPDX-License-Identifier: MIT */
/* Huge components that are proved in slices under a write-watch. Whatever the program does to
 * them meanwhile, nothing alive is freed. Also what happens if there is no watch. */
#include "watches.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/wait.h>

#include "../../src/base/fault.h"

static PyObject *
read_weakref(PyObject *weakref)
{
    PyObject *op = NULL;
    REQUIRE_EQ(PyWeakref_GetRef(weakref, &op), 1);
    return op;
}

/* ---- what is garbage ------------------------------------------------------------------- */

TEST_PY(a_huge_component_is_proved_in_slices)
{
    PyObject *weakref = watch_ring_up_to(CYCLE_WATCH);
    Py_ssize_t slices = cycle_stats().slices;
    REQUIRE(step_to(CYCLE_REVIEW));
    EXPECT_GT(cycle_stats().slices, slices + RING);
    finish_cycle();
    EXPECT_EQ(cycle_stats().huge_proofs, 1);
    EXPECT_EQ(cycle_stats().watched_proofs, 1);
    EXPECT_EQ(cycle_stats().proofs, 1);
    EXPECT_LT(cycle_stats().largest_proof, RING / 2);
    if (ouro_platform_page_size() == 4096) { /* nothing else is written beside the ring */
        EXPECT_LE(cycle_stats().largest_proof, 1);
    }
    EXPECT_EQ(cycle_stats().most_garbage, RING);
    EXPECT_EQ(PyWeakref_IsDead(weakref), 1);
    Py_DECREF(weakref);
}

TEST_PY(garbage_beside_objects_that_the_program_writes_is_proved_in_slices)
{
    PyObject *neighbours[RING];
    if (!system_has_watch()) {
        SKIP("the system has no write-watch, or refuses it");
    }
    drive_by_hand(8, 6);
    PyObject *first = new_node(&N, NULL), *last = first;
    for (int i = 0; i < RING; i++) { /* neighbours share the pages of the ring */
        neighbours[i] = new_node(&N, NULL);
        PyObject *next = new_node(&N, NULL);
        node_of(last)->a = next; /* moved */
        last = next;
    }
    set_a(last, first);
    Ouro_GCCollect(2);
    Py_DECREF(first);
    start_cycle();
    for (int i = 0; step_cycle(); i++) {
        set_a(neighbours[i % RING], neighbours[(i + 7) % RING]);
    }
    EXPECT_EQ(cycle_stats().most_garbage, RING + 1);
    EXPECT_EQ(cycle_stats().watched_proofs, 1);
    for (int i = 0; i < RING; i++) {
        unlink_node(neighbours[i]);
        Py_DECREF(neighbours[i]);
    }
}

TEST_PY(a_watched_component_of_lists_is_looked_at_whole_in_the_end)
{
    if (!system_has_watch()) {
        SKIP("the system has no write-watch, or refuses it");
    }
    drive_by_hand(8, 6);
    PyObject *first = PyList_New(0), *last = first;
    for (int i = 1; i < RING; i++) {
        PyObject *next = PyList_New(0);
        PyList_Append(last, next);
        Py_DECREF(next);
        last = next;
    }
    PyList_Append(last, first);
    Ouro_GCCollect(2);
    Py_DECREF(first);
    start_cycle();
    finish_cycle();
    EXPECT_EQ(cycle_stats().watched_proofs, 1);
    EXPECT(cycle_stats().largest_proof >= RING);
    EXPECT_EQ(cycle_stats().most_garbage, RING);
}

/* ---- what is not ----------------------------------------------------------------------- */

TEST_PY(what_a_weak_reference_brings_back_while_it_is_watched_stays, .timeout = 120)
{
    for (enum cycle_phase phase = CYCLE_WATCH; phase <= CYCLE_REVIEW; phase++) {
        PyObject *weakref = watch_ring_up_to(phase);
        PyObject *back = read_weakref(weakref);
        finish_cycle();
        EXPECT_EQ(cycle_stats().watched_proofs, 0);
        EXPECT_EQ(length_of_ring(back), RING);
        EXPECT_EQ(Py_REFCNT(back), 2);
        Py_DECREF(back);
        EXPECT_EQ(Ouro_GCCollect(2), RING);
        Py_DECREF(weakref);
    }
}

/* Swap the program's reference with one inside the component, at every step. No count ever
 * changes, and the one reference from outside leads to another object each time. */
TEST_PY(a_reference_moved_in_and_out_of_a_watched_component_is_seen, .timeout = 120)
{
    for (int every = 1; every <= 40; every += 3) {
        PyObject *weakref = watch_ring_up_to(CYCLE_WATCH);
        PyObject *held = read_weakref(weakref); /* count 2: the ring's, and ours */
        PyObject *other = node_of(node_of(held)->a)->a;
        Py_INCREF(other);
        set_b(held, other);
        Py_DECREF(other); /* held has a second reference, in b */
        for (int i = 0; step_cycle() && gc_now()->cycle->phase < CYCLE_CONDEMN; i++) {
            if (i % every == 0) { /* rotate: our reference goes into b, and b's to us */
                PyObject *was = node_of(held)->b;
                node_of(held)->b = held;
                held = was;
                other = node_of(held)->b;
                if (other == NULL) {
                    node_of(held)->b = Py_NewRef(node_of(held)->a);
                }
            }
        }
        EXPECT_EQ(length_of_ring(held), RING);
        finish_cycle();
        EXPECT_EQ(cycle_stats().most_garbage, 0);
        Py_DECREF(held);
        EXPECT_EQ(Ouro_GCCollect(2), RING);
        Py_DECREF(weakref);
    }
}

/* The items of a list are outside of the heap, where the watch does not see the change. */
TEST_PY(a_reference_moved_between_lists_of_a_watched_component_is_seen, .timeout = 120)
{
    static PyObject *lists[RING];
    if (!system_has_watch()) {
        SKIP("the system has no write-watch, or refuses it");
    }
    drive_by_hand(8, 6);
    for (int i = 0; i < RING; i++) {
        lists[i] = PyList_New(2);
        PyList_SET_ITEM(lists[i], 0, Py_NewRef(Py_None));
        PyList_SET_ITEM(lists[i], 1, Py_NewRef(Py_None));
    }
    for (int i = 0; i < RING; i++) {
        PyList_SetItem(lists[i], 0, Py_NewRef(lists[(i + 1) % RING]));
    }
    Ouro_GCCollect(2);
    for (int i = 1; i < RING; i++) {
        Py_DECREF(lists[i]);
    }
    /* We hold lists[0]. While its references are counted, our reference is an item of the last
     * list, so that all counts are explained. Afterwards it is ours again. */
    PyListObject *keeper = (PyListObject *)lists[RING - 1];
    PyObject *none = keeper->ob_item[1];
    start_cycle();
    keeper->ob_item[1] = lists[0];
    while (gc_now()->cycle->phase < CYCLE_REVIEW) {
        step_cycle();
    }
    keeper->ob_item[1] = none;
    finish_cycle();
    EXPECT_EQ(cycle_stats().huge_proofs, 1);
    EXPECT_EQ(cycle_stats().watched_proofs, 0);
    EXPECT_EQ(cycle_stats().most_garbage, 0);
    EXPECT_EQ(Py_REFCNT(lists[0]), 2);
    Py_DECREF(lists[0]);
    EXPECT_EQ(Ouro_GCCollect(2), RING);
}

/* ---- references kept elsewhere ------------------------------------------------------------ */

/* The references of a Far are in these tables. Its block may have copies that own nothing. */
typedef struct {
    PyObject_HEAD
    Py_ssize_t place;
    double weight; /* neither of these two is an address */
    PyObject *shown[2];
    PyObject **table;
} Far;

static PyObject *next_of[RING], *extra_of[RING];

static int
far_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(next_of[((Far *)op)->place]);
    Py_VISIT(extra_of[((Far *)op)->place]);
    return 0;
}

static int
far_clear(PyObject *op)
{
    Py_CLEAR(next_of[((Far *)op)->place]);
    Py_CLEAR(extra_of[((Far *)op)->place]);
    return 0;
}

static void
far_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    far_clear(op);
    PyObject_GC_Del(op);
}

static PyTypeObject far_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "watch.Far",
    .tp_basicsize = sizeof(Far),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = far_traverse,
    .tp_clear = far_clear,
    .tp_dealloc = far_dealloc,
};

/* A ring of old Fars; the program has a reference to the first. */
static PyObject *
new_far_ring(void)
{
    REQUIRE_EQ(PyType_Ready(&far_type), 0);
    for (int i = 0; i < RING; i++) {
        Far *self = PyObject_GC_New(Far, &far_type);
        self->place = i;
        self->weight = 1.5;
        self->shown[0] = self->shown[1] = NULL;
        self->table = NULL;
        next_of[(i + RING - 1) % RING] = (PyObject *)self; /* moved */
        PyObject_GC_Track((PyObject *)self);
    }
    PyObject *first = Py_NewRef(next_of[RING - 1]);
    Ouro_GCCollect(2);
    return first;
}

/* While the ring is tallied, the program's reference is in a table, so that all counts are
 * explained. Then it is the program's again. No count and no page of the heap changes. */
static void
move_a_reference_that_is_far(bool shows)
{
    enum { KEEPER = 5 };
    if (!system_has_watch()) {
        SKIP("the system has no write-watch, or refuses it");
    }
    drive_by_hand(8, 6);
    PyObject *first = new_far_ring();
    for (int i = 0; i < RING && shows; i++) {
        Far *self = (Far *)next_of[(i + RING - 1) % RING];
        self->shown[0] = next_of[i];
        self->shown[1] = i == KEEPER ? first : NULL;
        self->table = next_of;
    }
    start_cycle();
    extra_of[KEEPER] = first;
    while (gc_now()->cycle->phase < CYCLE_REVIEW) {
        step_cycle();
    }
    extra_of[KEEPER] = NULL;
    finish_cycle();
    EXPECT_EQ(cycle_stats().huge_proofs, 1);
    EXPECT_EQ(cycle_stats().watched_proofs, 0);
    EXPECT_EQ(cycle_stats().most_garbage, 0);
    EXPECT_EQ(Py_REFCNT(first), 2);
    Py_DECREF(first);
    EXPECT_EQ(Ouro_GCCollect(2), RING);
}

TEST_PY(a_reference_moved_out_of_a_table_elsewhere_is_seen)
{
    move_a_reference_that_is_far(false);
}

TEST_PY(a_reference_moved_out_of_a_table_elsewhere_is_seen_whatever_the_block_shows)
{
    move_a_reference_that_is_far(true);
}

TEST_PY(a_weak_reference_made_while_its_object_is_watched_dies_with_the_proof)
{
    PyObject *weakref = watch_ring_up_to(CYCLE_WATCH);
    PyObject *member = read_weakref(weakref);
    PyObject *next = node_of(member)->a;
    Py_DECREF(member);
    Py_DECREF(weakref); /* no member has a weak reference now */
    REQUIRE(step_to(CYCLE_REVIEW));
    weakref = new_weakref(next, NULL);
    while (step_cycle()) { /* while it can be read, no object is destroyed in slices */
        EXPECT(gc_now()->cycle->phase < CYCLE_CONDEMN || PyWeakref_IsDead(weakref) == 1);
    }
    EXPECT_EQ(cycle_stats().watched_proofs, 1);
    EXPECT_EQ(cycle_stats().most_garbage, RING);
    EXPECT_EQ(PyWeakref_IsDead(weakref), 1);
    Py_DECREF(weakref);
}

TEST_PY(a_member_that_dies_while_it_is_watched_is_noticed, .timeout = 120)
{
    for (enum cycle_phase phase = CYCLE_WATCH; phase <= CYCLE_REVIEW; phase++) {
        PyObject *weakref = watch_ring_up_to(phase);
        PyObject *member = read_weakref(weakref);
        PyObject *next = node_of(member)->a; /* cut `next` out of the ring */
        PyObject *after = node_of(next)->a;
        node_of(next)->a = NULL;
        node_of(member)->a = after;
        Py_DECREF(next);
        Py_DECREF(member);
        finish_cycle();
        EXPECT_EQ(cycle_stats().most_garbage, RING - 1);
        EXPECT_EQ(PyWeakref_IsDead(weakref), 1);
        Py_DECREF(weakref);
        gc_now()->slices.stats.most_garbage = 0;
    }
}

TEST_PY(memory_given_back_while_a_component_is_watched_ends_the_watch)
{
    PyObject *weakref = watch_ring_up_to(CYCLE_REVIEW);
    ouro_current.interp->heap.trim.discards++;
    finish_cycle();
    EXPECT_EQ(cycle_stats().huge_proofs, 1);
    EXPECT_EQ(cycle_stats().watched_proofs, 0);
    EXPECT_EQ(cycle_stats().most_garbage, RING);
    Py_DECREF(weakref);
}

/* Cut out a member near the end, after all have been tallied. */
TEST_PY(a_member_that_dies_after_it_was_tallied_is_noticed)
{
    PyObject *weakref = watch_ring_up_to(CYCLE_REVIEW);
    PyObject *member = read_weakref(weakref), *before = member;
    for (int i = 0; i < RING / 2; i++) {
        before = node_of(before)->a;
    }
    PyObject *cut = node_of(before)->a;
    node_of(before)->a = node_of(cut)->a; /* moved */
    node_of(cut)->a = NULL;
    Py_DECREF(cut);
    Py_DECREF(member);
    finish_cycle();
    EXPECT_EQ(cycle_stats().watched_proofs, 0);
    EXPECT_EQ(cycle_stats().most_garbage, RING - 1);
    Py_DECREF(weakref);
}

TEST_PY(a_component_that_dies_before_it_is_armed_is_nothing)
{
    PyObject *weakref = watch_ring_up_to(CYCLE_WATCH);
    PyObject *member = read_weakref(weakref);
    gc_now()->cycle->proof.at = gc_now()->cycle->watch.kept =
        gc_now()->cycle->proof.first;
    gc_now()->cycle->watch.pending = (struct ouro_span){0, 0};
    unlink_node(member);
    Py_DECREF(member);
    finish_cycle();
    EXPECT_EQ(cycle_stats().most_garbage, 0);
    EXPECT_EQ(PyWeakref_IsDead(weakref), 1);
    Py_DECREF(weakref);
}

TEST_PY(the_pages_of_a_large_member_are_watched)
{
    if (!system_has_watch()) {
        SKIP("the system has no write-watch, or refuses it");
    }
    drive_by_hand(8, 6);
    enum { LARGE = 6000 };
    static PyObject *nodes[LARGE];
    for (int i = 0; i < LARGE; i++) {
        nodes[i] = new_node(&N, NULL);
    }
    PyObject *tuple = PyTuple_New(LARGE); /* in pages behind theirs */
    for (int i = 0; i < LARGE; i++) {
        PyTuple_SET_ITEM(tuple, i, nodes[i]);
        set_a(nodes[i], tuple);
    }
    Ouro_GCCollect(2);
    Py_DECREF(tuple);
    start_cycle();
    finish_cycle();
    EXPECT_EQ(cycle_stats().watched_proofs, 1);
    EXPECT_EQ(cycle_stats().most_garbage, LARGE + 1);
}

TEST_PY(two_huge_components_are_watched_one_after_the_other)
{
    if (!system_has_watch()) {
        SKIP("the system has no write-watch, or refuses it");
    }
    drive_by_hand(8, 6);
    PyObject *one = new_ring(&N, RING), *other = new_ring(&N, RING);
    Ouro_GCCollect(2);
    Py_DECREF(one);
    Py_DECREF(other);
    start_cycle();
    finish_cycle();
    EXPECT_EQ(cycle_stats().watched_proofs, 2);
    EXPECT_EQ(cycle_stats().most_garbage, 2 * RING);
}

/* The first member in the heap dies. The object that refers to it is the last. */
TEST_PY(the_first_member_dies_while_written_pages_are_looked_at)
{
    PyObject *weakref = watch_ring_up_to(CYCLE_REVIEW);
    PyObject *first = read_weakref(weakref), *last = first;
    while (node_of(last)->a != first) {
        last = node_of(last)->a;
    }
    node_of(last)->a = node_of(first)->a; /* moved */
    node_of(first)->a = NULL;
    Py_DECREF(first);
    Py_DECREF(first); /* the last one's */
    EXPECT_EQ(PyWeakref_IsDead(weakref), 1);
    finish_cycle();
    EXPECT_EQ(cycle_stats().watched_proofs, 0);
    EXPECT_EQ(cycle_stats().most_garbage, RING - 1);
    Py_DECREF(weakref);
}

TEST_PY(what_is_brought_back_before_the_last_round_stays)
{
    PyObject *weakref = watch_ring_up_to(CYCLE_REVIEW);
    while (!gc_now()->cycle->watch.is_settled) {
        REQUIRE(step_cycle());
    }
    PyObject *back = read_weakref(weakref);
    finish_cycle();
    EXPECT_EQ(cycle_stats().watched_proofs, 0);
    EXPECT_EQ(length_of_ring(back), RING);
    Py_DECREF(back);
    Py_DECREF(weakref);
}

/* The last round compares the member with the weak reference in any case, but not the next one. */
TEST_PY(what_is_written_before_the_last_round_is_seen)
{
    PyObject *weakref = watch_ring_up_to(CYCLE_REVIEW);
    while (!gc_now()->cycle->watch.is_settled) {
        REQUIRE(step_cycle());
    }
    PyObject *first = read_weakref(weakref), *back = Py_NewRef(node_of(first)->a);
    Py_DECREF(first);
    finish_cycle();
    EXPECT_EQ(cycle_stats().watched_proofs, 0);
    EXPECT_EQ(length_of_ring(back), RING);
    Py_DECREF(back);
    Py_DECREF(weakref);
}

TEST_PY(many_written_pages_are_looked_at_in_slices)
{
    if (!system_has_watch()) {
        SKIP("the system has no write-watch, or refuses it");
    }
    drive_by_hand(8, 6);
    PyObject *weakref = drop_old_ring(&N, 20 * RING);
    start_cycle();
    REQUIRE(step_to(CYCLE_REVIEW));
    PyObject *first = read_weakref(weakref);
    for (PyObject *each = node_of(first)->a; each != first; each = node_of(each)->a) {
        Py_IncRef(each); /* calls: a compiler would remove the macros */
        Py_DecRef(each);
    }
    Py_DECREF(first);
    Py_ssize_t slices = cycle_stats().slices;
    while (gc_now()->cycle->phase == CYCLE_REVIEW) {
        step_cycle();
    }
    EXPECT_GT(cycle_stats().slices, slices + 10);
    EXPECT_EQ(cycle_stats().watched_proofs, 1);
    finish_cycle();
    EXPECT_EQ(cycle_stats().most_garbage, 20 * RING);
    Py_DECREF(weakref);
}

/* Their dict is in front of the object, where the watch looks, too. */
TEST_PY(objects_with_a_managed_dict_are_watched)
{
    if (!system_has_watch()) {
        SKIP("the system has no write-watch, or refuses it");
    }
    drive_by_hand(8, 6);
    PyObject *type = PyObject_CallFunction((PyObject *)&PyType_Type, "s(){}", "Led");
    REQUIRE_NOT_NULL(type);
    PyObject *first = PyObject_CallNoArgs(type), *last = Py_NewRef(first);
    for (int i = 1; i < RING; i++) {
        PyObject *next = PyObject_CallNoArgs(type);
        REQUIRE_EQ(PyObject_SetAttrString(last, "next", next), 0);
        Py_SETREF(last, next);
    }
    REQUIRE_EQ(PyObject_SetAttrString(last, "next", first), 0);
    Py_DECREF(last);
    Ouro_GCCollect(2);
    Py_DECREF(first);
    start_cycle();
    finish_cycle();
    EXPECT_EQ(cycle_stats().watched_proofs, 1);
    EXPECT_EQ(cycle_stats().most_garbage, 2 * RING); /* and their dicts */
    Py_DECREF(type);
}

/* ---- where it fails ---------------------------------------------------------------------- */

static void
expect_proof_in_one_piece(PyObject *weakref, int length)
{
    finish_cycle();
    EXPECT_EQ(cycle_stats().huge_proofs, 1);
    EXPECT_EQ(cycle_stats().watched_proofs, 0);
    EXPECT_EQ(cycle_stats().most_garbage, length);
    Py_DECREF(weakref);
}

TEST_PY(pages_that_cannot_be_armed_end_the_watch)
{
    PyObject *weakref = watch_ring_up_to(CYCLE_WATCH);
    break_handle(gc_now()->cycle->watch.handles.faults);
    expect_proof_in_one_piece(weakref, RING);

    gc_now()->slices.stats = (Ouro_GCCycleStats){0};
    weakref = drop_old_ring(&N, 20 * RING); /* armed in several calls */
    start_cycle();
    REQUIRE(step_to(CYCLE_WATCH));
    break_handle(gc_now()->cycle->watch.handles.faults);
    expect_proof_in_one_piece(weakref, 20 * RING);
}

TEST_PY(written_pages_that_cannot_be_read_end_the_watch)
{
    PyObject *weakref = watch_ring_up_to(CYCLE_REVIEW);
    break_handle(gc_now()->cycle->watch.handles.pages);
    expect_proof_in_one_piece(weakref, RING);
}

TEST_PY(written_pages_that_cannot_be_armed_again_end_the_watch)
{
    PyObject *weakref = watch_ring_up_to(CYCLE_REVIEW);
    Py_DECREF(read_weakref(weakref)); /* writes to its page */
    break_handle(gc_now()->cycle->watch.handles.faults);
    expect_proof_in_one_piece(weakref, RING);
}

TEST_PY(more_unwatched_members_than_can_be_kept_in_mind_end_the_watch)
{
    PyObject *weakref = watch_ring_up_to(CYCLE_TALLY);
    gc_now()->cycle->watch.unwatched = OURO_QUEUE_LENGTH;
    gc_now()->cycle->proof.at =
        gc_now()->cycle->proof.first; /* an object with a weak reference is unwatched */
    expect_proof_in_one_piece(weakref, RING);
}

/* ---- where there is none --------------------------------------------------------------- */

TEST_PY(without_memory_for_a_watch_a_huge_component_is_proved_in_one_piece)
{
    if (!OURO_DEBUG) {
        SKIP("faults are for debug builds");
    }
    drive_by_hand(8, 6);
    for (int64_t n = 1; n <= 3;
         n++) { /* the table of fingerprints, twice, and the watch */
        gc_now()->slices.stats = (Ouro_GCCycleStats){0};
        PyObject *weakref = drop_old_ring(&N, RING);
        start_cycle();
        REQUIRE(step_to(CYCLE_CONFIRM));
        ouro_fault_arm(n);
        finish_cycle();
        ouro_fault_arm(0);
        EXPECT_EQ(cycle_stats().huge_proofs, 1);
        EXPECT_EQ(cycle_stats().watched_proofs, 0);
        EXPECT_EQ(cycle_stats().largest_proof, RING);
        EXPECT_EQ(cycle_stats().most_garbage, RING);
        Py_DECREF(weakref);
    }
}

TEST_PY(userfaultfd_denied_a_huge_component_is_proved_in_one_piece)
{
    if (!deny_userfaultfd()) {
        SKIP("no seccomp here");
    }
    EXPECT(!system_has_watch());
    drive_by_hand(8, 6);
    PyObject *weakref = drop_old_ring(&N, RING);
    start_cycle();
    finish_cycle();
    EXPECT_EQ(cycle_stats().huge_proofs, 1);
    EXPECT_EQ(cycle_stats().watched_proofs, 0);
    EXPECT_EQ(cycle_stats().largest_proof, RING);
    EXPECT_EQ(cycle_stats().most_garbage, RING);
    Py_DECREF(weakref);
}

/* The first proof is made under a watch. After the finalizers there is none. */
TEST_PY(userfaultfd_denied_by_a_finalizer_a_component_is_proved_again_in_one_piece)
{
    if (!system_has_watch()) {
        SKIP("the system has no write-watch, or refuses it");
    }
    drive_by_hand(8, 6);
    PyObject *weakref = drop_old_ring(&F, RING);
    start_cycle();
    REQUIRE(step_to(CYCLE_FINALIZE));
    EXPECT_EQ(cycle_stats().watched_proofs, 1);
    if (!deny_userfaultfd()) {
        SKIP("no seccomp here");
    }
    finish_cycle();
    EXPECT_EQ(cycle_stats().watched_proofs, 1);
    EXPECT_EQ(cycle_stats().most_garbage, RING);
    EXPECT_EQ(PyWeakref_IsDead(weakref), 1);
    Py_DECREF(weakref);
}

/* ---- handles ----------------------------------------------------------------------------- */

static int
open_files(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    REQUIRE_NOT_NULL(folder);
    while (readdir(folder) != NULL) {
        count++;
    }
    closedir(folder);
    return count;
}

TEST_PY(a_watch_leaves_no_handle_open)
{
    int before = open_files();
    PyObject *weakref = watch_ring_up_to(CYCLE_TALLY);
    EXPECT_EQ(open_files(), before + 2);
    finish_cycle();
    EXPECT_EQ(open_files(), before);
    Py_DECREF(weakref);
    weakref = watch_ring_up_to(CYCLE_TALLY);
    EXPECT_EQ(Ouro_GCCollect(2), RING); /* drops the cycle */
    EXPECT_EQ(open_files(), before);
    Py_DECREF(weakref);
}

/* The ring is proved again after its finalizers, with another watch. */
TEST_PY(a_watch_ends_before_finalizers_are_called)
{
    if (!system_has_watch()) {
        SKIP("the system has no write-watch, or refuses it");
    }
    int before = open_files();
    drive_by_hand(8, 6);
    PyObject *weakref = drop_old_ring(&F, RING);
    start_cycle();
    REQUIRE(step_to(CYCLE_SEVER));
    EXPECT_EQ(open_files(), before + 2);
    REQUIRE(step_to(CYCLE_FINALIZE));
    EXPECT_EQ(open_files(), before);
    finish_cycle();
    EXPECT_EQ(cycle_stats().watched_proofs, 2);
    EXPECT_EQ(open_files(), before);
    Py_DECREF(weakref);
}

TEST_PY(a_forked_child_gives_up_the_watch_and_its_parent_goes_on)
{
    int before = open_files();
    PyObject *weakref = watch_ring_up_to(CYCLE_TALLY);
    PyOS_BeforeFork();
    pid_t child = fork();
    if (child == 0) {
        PyOS_AfterFork_Child();
        bool is_right = gc_now()->cycle == NULL && open_files() == before &&
                        Ouro_GCCollect(2) == RING;
        _exit(is_right ? 0 : 1);
    }
    PyOS_AfterFork_Parent();
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    finish_cycle();
    EXPECT_EQ(cycle_stats().watched_proofs, 1);
    EXPECT_EQ(cycle_stats().most_garbage, RING);
    Py_DECREF(weakref);
}
