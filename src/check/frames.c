/* SPDX-License-Identifier: MIT */
/* READ THIS FIRST: the handlers of a type run inside a frame, which knows how they began.
 *
 * Every tp_traverse, tp_clear, tp_dealloc and tp_finalize that the library calls comes through
 * here. A frame is pushed, the handler runs, the events that it causes (events.c, memory.c)
 * look at the frame, and its effects are judged when it returns:
 *
 *   tp_traverse   nothing may change; pointers that are no objects are kept from visitors
 *   tp_clear      self stays tracked, allocated and of its type; no dangling field
 *   tp_dealloc    untracked first, one reference to the type released, freed
 *   tp_finalize   may do anything; a resurrection is noted */
#include "../types/type.h"
#include "check.h"

_Thread_local struct frame *ouro_top_frame;

/* The top frame of each handler. A destruction may be a million frames deep, and every object that is
 * freed in it asks whether its tp_clear runs. */
static _Thread_local struct frame *top_of_handler[IN_FINALIZE + 1];

struct frame *
ouro_frame_of(enum handler handler, const PyObject *self)
{
    struct frame *frame = top_of_handler[handler];
    while (frame != NULL && frame->self != self) {
        frame = frame->up_same;
    }
    return frame;
}

static PyObject *
pending_error(void)
{
    return ouro_current.thread != NULL ? ouro_current.thread->error : NULL;
}

void
ouro_frame_enter(struct frame *frame, enum handler handler, PyObject *self)
{
    *frame = (struct frame){
        .up = ouro_top_frame,
        .up_same = top_of_handler[handler],
        .handler = handler,
        .self = self,
        .record = ouro_record_live(self),
        .type = Py_TYPE(self),
        .error = pending_error(),
        .was_tracked = ouro_object_is_tracked(self),
    };
    frame->type_name =
        frame->record != NULL ? frame->record->info->name : frame->type->tp_name;
    ouro_top_frame = top_of_handler[handler] = frame;
}

static void
pop_frame(const struct frame *frame)
{
    ouro_top_frame = frame->up;
    top_of_handler[frame->handler] = frame->up_same;
}

void
ouro_frame_leave(struct frame *frame)
{
    pop_frame(frame);
    free(frame->referents);
}

/* --- tp_traverse ---------------------------------------------------------------------------- */

/* The visitor that stands between a tp_traverse and the library's visitor. */
struct checked_visit {
    struct frame *frame;
    visitproc visit;
    void *arg;
};

/* A pointer that is no object never reaches the visitor. */
static bool
is_visitable(const struct frame *frame, const PyObject *op)
{
    static const char *const wrong[] = {
        [POINTER_FRESH] = "a field that tp_traverse visits is not initialised",
        [POINTER_WILD] = "tp_traverse visits something that is not an object",
    };
    if (op == NULL) {
        ouro_report(OURO_GC_T09, frame->self, -1, "tp_traverse calls visit(NULL)");
        return false;
    }
    enum pointer_state state = ouro_pointer_state(op);
    if (state == POINTER_FREED) {
        ouro_report(OURO_GC_C48, frame->self, -1,
                    "tp_traverse visits a freed '%s' (#%llu): a released reference is "
                    "still in its field",
                    ouro_type_name_of(op), (unsigned long long)ouro_serial_of(op));
    } else if (state != POINTER_GOOD) {
        ouro_report(OURO_GC_K16, frame->self, -1, "%s", wrong[state]);
    }
    return state == POINTER_GOOD;
}

static int
visit_checked(PyObject *op, void *arg)
{
    const struct checked_visit *checked = arg;
    struct frame *frame = checked->frame;
    frame->suspended++;
    int result = is_visitable(frame, op) ? checked->visit(op, checked->arg) : 0;
    frame->suspended--;
    return result;
}

int
ouro_traverse_checked(PyObject *op, visitproc visit, void *arg)
{
    struct frame frame;
    if (ouro_is_freed(op)) {
        ouro_report_freed(op, "traversed");
        return 0;
    }
    if (!ouro_declared_arrays_fit(op)) {
        return 0;
    }
    ouro_frame_enter(&frame, IN_TRAVERSE, op);
    struct checked_visit checked = {&frame, visit, arg};
    int result = frame.type->tp_traverse(op, visit_checked, &checked);
    if (pending_error() != frame.error &&
        ouro_report_is_new(OURO_GC_T07, frame.type_name, -1)) {
        ouro_report(OURO_GC_T07, op, -1, "tp_traverse changed the pending exception");
    }
    ouro_frame_leave(&frame);
    return result;
}

int
ouro_call_traverse(PyObject *op, visitproc visit, void *arg)
{
    return ouro_traverse_checked(op, visit, arg);
}

/* --- referents ---------------------------------------------------------------------------------- */

static int
note_referent(PyObject *op, void *arg)
{
    struct frame *frame = arg;
    for (int i = 0; i < frame->referent_count; i++) {
        if (frame->referents[i].op == op) {
            frame->referents[i].visits++;
            return 0;
        }
    }
    if (frame->referent_count == OURO_REFERENTS_MOST) {
        return 1;
    }
    frame->referents[frame->referent_count++] = (struct referent){op, 1, 0};
    return 0;
}

/* Ask a complete object what it refers to; the frame is the innermost. */
static void
learn_referents(struct frame *frame)
{
    frame->referents = calloc(OURO_REFERENTS_MOST, sizeof *frame->referents);
    if (frame->referents != NULL) { /* analyzer: the frame keeps it */
        frame->knows_referents = true;
        ouro_traverse_checked(frame->self, note_referent, frame);
    }
}

/* A finalizer may have changed the fields: tp_dealloc must release what they hold now. */
static void
learn_referents_again(struct frame *frame)
{
    if (frame != NULL && frame->knows_referents) {
        free(frame->referents);
        frame->referent_count = 0;
        learn_referents(frame);
    }
}

static struct referent *
find_referent(const struct frame *frame, const PyObject *op)
{
    for (int i = 0; i < frame->referent_count; i++) {
        if (frame->referents[i].op == op) {
            return &frame->referents[i];
        }
    }
    return NULL;
}

/* How many fields of the body hold the type, besides the header. */
static int
count_own_words(const struct record *record, const PyTypeObject *type)
{
    int count = 0;
    for (size_t at = sizeof(PyObject); at + sizeof(void *) <= record->bytes;
         at += sizeof(void *)) {
        void *word;
        memcpy(&word, (char *)record->block + at, sizeof word);
        count += word == (const void *)type;
    }
    return count;
}

struct count_visits {
    const PyObject *wanted;
    int count;
};

static int
count_if_wanted(PyObject *op, void *arg)
{
    struct count_visits *visits = arg;
    visits->count += op == visits->wanted;
    return 0;
}

static int
visits_now(PyObject *self, const PyObject *wanted)
{
    struct count_visits visits = {wanted, 0};
    ouro_traverse_checked(self, count_if_wanted, &visits);
    return visits.count;
}

/* --- counts ------------------------------------------------------------------------------------- */

/* tp_dealloc releases a field of an object that the collector can still see. */
static void
judge_release_in_dealloc(struct frame *frame, PyObject *op)
{
    if (frame->released_count++ == 0 && frame->record != NULL && !frame->is_freed &&
        ouro_object_is_tracked(frame->self)) {
        ouro_report(OURO_GC_D30, frame->self, -1,
                    "tp_dealloc releases a reference (to a '%s') while the object is "
                    "tracked; it must begin with PyObject_GC_UnTrack",
                    ouro_type_name_of(op));
    }
}

/* A released reference must have left its field before: code that runs now may come back to the
 * object. */
static void
judge_release_in_clear(struct frame *frame, const struct referent *referent)
{
    if (++frame->released_count > OURO_REFERENTS_MOST ||
        !ouro_report_is_new(OURO_GC_C48, frame->type_name, -1)) {
        return;
    }
    int left = visits_now(frame->self, referent->op);
    if (left > 0 && referent->released > 0 &&
        left > referent->visits - referent->released) {
        ouro_report(OURO_GC_C48, frame->self, -1,
                    "tp_clear releases a '%s' (#%llu) that is still in its field; use "
                    "Py_CLEAR",
                    ouro_type_name_of(referent->op),
                    (unsigned long long)ouro_serial_of(referent->op));
    }
}

void
ouro_frames_note_count(PyObject *op, int released)
{
    struct frame *frame = ouro_top_frame;
    if (frame == NULL || (frame->handler != IN_CLEAR && frame->handler != IN_DEALLOC)) {
        return;
    }
    if (op == (PyObject *)frame->type && !_Py_IsImmortal(op)) {
        frame->released += released;
    }
    struct referent *referent = find_referent(frame, op);
    if (referent == NULL) {
        return;
    }
    referent->released += released;
    if (released > 0 && frame->handler == IN_CLEAR) {
        judge_release_in_clear(frame, referent);
    } else if (released > 0 && op != (PyObject *)frame->type) {
        judge_release_in_dealloc(frame, op);
    }
}

/* --- freeing ------------------------------------------------------------------------------------ */

/* More references to the type were released than instances were freed. */
static void
judge_type_order(struct frame *frame, const PyObject *op)
{
    if (frame->released > frame->freed + frame->own_words && !frame->has_type_report) {
        frame->has_type_report = true;
        ouro_report(OURO_GC_D37, op, -1,
                    "its type is released before the object is freed; do it after "
                    "tp_free");
    }
}

void
ouro_frames_note_free(struct record *record)
{
    struct frame *frame = ouro_top_frame;
    PyObject *op = record->block;
    if (frame == NULL || frame->handler != IN_DEALLOC) {
        return;
    }
    if (op == frame->self) {
        frame->is_freed = true;
        if (record->info->real_free != NULL && !ouro_is_inside_tp_free(op)) {
            ouro_report(OURO_GC_D35, op, -1,
                        "freed directly, past the tp_free of its type; call "
                        "Py_TYPE(self)->tp_free");
        }
    }
    if (record->info->type == frame->type) {
        judge_type_order(frame, op);
        frame->freed++;
    }
}

/* --- tp_dealloc --------------------------------------------------------------------------------- */

/* A heap type counts its instances: each gives its reference back when it is freed. */
static void
judge_type_references(const struct frame *frame)
{
    int owed = frame->freed, most = frame->freed + frame->own_words;
    const struct referent *visited = find_referent(frame, (PyObject *)frame->type);
    if (visited != NULL && visited->visits > most) {
        most = visited->visits;
    }
    if (frame->has_type_report || owed == 0) {
        return;
    }
    if (frame->released < owed) {
        ouro_report(OURO_GC_D36, frame->self, -1,
                    "tp_dealloc does not release the type; call Py_DECREF(type) after "
                    "tp_free");
    } else if (frame->released > most) {
        ouro_report(OURO_GC_D38, frame->self, -1,
                    "tp_dealloc releases the type %d times; it owned %d reference%s",
                    frame->released, most, most == 1 ? "" : "s");
    }
}

/* The library's own destructor releases what it knows of, and nothing else. */
static void
judge_generic_dealloc(const struct frame *frame)
{
    int left = 0;
    for (int i = 0; i < frame->referent_count; i++) {
        const struct referent *referent = &frame->referents[i];
        if (referent->op != (PyObject *)frame->type &&
            referent->released < referent->visits) {
            left += referent->visits - referent->released;
        }
    }
    if (left > 0) {
        ouro_report(OURO_GC_D39, frame->self, -1,
                    "the generic dealloc leaks %d reference%s held in C fields; define "
                    "Py_tp_dealloc",
                    left, left == 1 ? "" : "s");
    }
}

static void
judge_dealloc(struct frame *frame, bool is_heap_type, bool is_generic)
{
    if (frame->record == NULL) {
        return;
    }
    if (pending_error() != frame->error) {
        ouro_report(OURO_GC_D46, frame->self, -1,
                    "tp_dealloc changed the pending exception; save and restore it with "
                    "PyErr_GetRaisedException and PyErr_SetRaisedException");
    }
    if (frame->is_alive) {
        return;
    }
    if (is_heap_type) {
        judge_type_references(frame);
    }
    if (is_generic && frame->is_freed) {
        judge_generic_dealloc(frame);
    }
    if (!frame->is_freed && frame->record->state == BLOCK_LIVE &&
        frame->record->block == frame->self && frame->self->ob_refcnt == 0) {
        frame->record->state = BLOCK_DEAD;
        ouro_dead_note(frame->record);
    }
}

void
ouro_call_dealloc(PyObject *op)
{
    struct frame frame;
    if (ouro_is_freed(op)) {
        ouro_report_freed(op, "destroyed");
        return;
    }
    ouro_frame_enter(&frame, IN_DEALLOC, op);
    bool is_heap_type = PyType_HasFeature(frame.type, Py_TPFLAGS_HEAPTYPE);
    bool is_generic = frame.type->tp_dealloc == ouro_heap_instance_dealloc;
    if (frame.record != NULL) {
        frame.record->is_dying = true;
        frame.record->info = ouro_type_info(frame.type);
        frame.own_words = count_own_words(frame.record, frame.type);
        ouro_judge_untracked(frame.record);
        if (frame.was_tracked) {
            learn_referents(&frame);
        }
    }
    frame.type->tp_dealloc(op);
    judge_dealloc(&frame, is_heap_type, is_generic);
    ouro_frame_leave(&frame);
    if (ouro_top_frame == NULL) {
        ouro_dead_judge();
        ouro_quarantine_settle();
    }
    ouro_stress_after_dealloc();
}

/* --- tp_clear ------------------------------------------------------------------------------------ */

static void
judge_clear(const struct frame *frame)
{
    PyObject *self = frame->self;
    if (frame->record->state == BLOCK_FREED) {
        return; /* said already */
    }
    if (ouro_object_is_tracked(self) != frame->was_tracked) {
        ouro_report(OURO_GC_C53, self, -1, "tp_clear %s the object",
                    frame->was_tracked ? "untracks" : "tracks");
        if (frame->was_tracked) {
            ouro_object_set(self, OURO_GC_TRACKED);
        }
    }
    const struct referent *type = find_referent(frame, (PyObject *)frame->type);
    int most = frame->own_words;
    if (type != NULL && type->visits - 1 > most) {
        most = type->visits - 1;
    }
    if (frame->released > most && PyType_HasFeature(frame->type, Py_TPFLAGS_HEAPTYPE)) {
        ouro_report(OURO_GC_C52, self, -1, "tp_clear must not release Py_TYPE(self)");
        Py_INCREF(frame->type);
    }
}

/* What the second call releases, the first had released already. */
static void
clear_again(struct frame *first)
{
    struct frame frame;
    ouro_frame_enter(&frame, IN_CLEAR, first->self);
    frame.referents = first->referents;
    frame.referent_count = first->referent_count;
    first->referents = NULL;
    for (int i = 0; i < frame.referent_count; i++) {
        struct referent *referent = &frame.referents[i];
        referent->visits = visits_now(frame.self, referent->op);
        referent->released = 0;
    }
    frame.type->tp_clear(frame.self);
    for (int i = 0; i < frame.referent_count; i++) {
        struct referent *referent = &frame.referents[i];
        while (referent->released > referent->visits) {
            ouro_report(OURO_GC_C54, frame.self, -1,
                        "the second tp_clear releases a '%s' again",
                        ouro_type_name_of(referent->op));
            _Py_CountUp(referent->op);
            referent->released--;
        }
    }
    ouro_frame_leave(&frame);
}

/* While the object is cleared twice, hold what it referred to: a copy of the list, NULL when
 * there is none. */
static struct referent *
hold_referents(const struct frame *frame)
{
    size_t bytes = (size_t)frame->referent_count * sizeof *frame->referents;
    struct referent *held = frame->referents == NULL ? NULL : malloc(bytes + 1);
    if (held == NULL) {
        return NULL;
    }
    memcpy(held, frame->referents, bytes);
    for (int i = 0; i < frame->referent_count; i++) {
        _Py_CountUp(held[i].op);
    }
    return held;
}

static void
release_referents(struct referent *held, int count)
{
    for (int i = 0; held != NULL && i < count; i++) {
        _Py_CountDown(held[i].op);
    }
    free(held);
}

int
ouro_call_clear(PyObject *op)
{
    struct frame frame;
    ouro_frame_enter(&frame, IN_CLEAR, op);
    if (frame.record == NULL) {
        ouro_frame_leave(&frame);
        return Py_TYPE(op)->tp_clear(op);
    }
    frame.own_words = count_own_words(frame.record, frame.type);
    learn_referents(&frame);
    bool is_twice = (ouro_check_settings.stress & OURO_CHECK_STRESS_CLEAR) != 0;
    struct referent *held = is_twice ? hold_referents(&frame) : NULL;
    int result = frame.type->tp_clear(op);
    judge_clear(&frame);
    pop_frame(&frame);
    if (frame.record->state != BLOCK_FREED) {
        visits_now(op, NULL); /* is everything that is left an object? */
        if (held != NULL) {
            clear_again(&frame);
        }
        ouro_probe_cleared(op);
    }
    free(frame.referents);
    release_referents(held, frame.referent_count);
    return result;
}

/* --- tp_finalize ---------------------------------------------------------------------------------- */

void
ouro_call_finalize(PyObject *op)
{
    struct frame frame;
    uint32_t before = op->ob_refcnt;
    ouro_frame_enter(&frame, IN_FINALIZE, op);
    frame.type->tp_finalize(op);
    ouro_frame_leave(&frame);
    learn_referents_again(ouro_frame_of(IN_DEALLOC, op));
    if (frame.record != NULL && op->ob_refcnt > before) {
        ouro_report(OURO_GC_F57, op, -1, "resurrected by tp_finalize");
    }
}

void
ouro_event_resurrected(PyObject *op)
{
    struct frame *frame = ouro_frame_of(IN_DEALLOC, op);
    if (frame != NULL) {
        frame->is_alive = true;
        if (frame->record != NULL) {
            frame->record->is_dying = false;
        }
    }
}
