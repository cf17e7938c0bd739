/* SPDX-License-Identifier: MIT */
/* What the parts of the contract checker share: records of blocks, frames of handlers that run,
 * and reporting.
 *
 * Words: a *record* is what is known about one block, from its allocation until its memory goes
 * back to the heap, which is some time after it was freed (*quarantine*); a *frame* stands for
 * one call of a handler, on the stack of the thread that runs it.
 *
 *   check.inv.record   every block that PyObject_GC_New..., or the object domain,
 *                      handed out has one record, found by its address
 *   check.inv.freed    a freed block in quarantine has the header OURO_FREED_GC, the type
 *                      ouro_freed_type and otherwise 0xDD in every byte
 *   check.inv.frames   ouro_top_frame is the innermost handler that runs in this thread
 *
 * The table of records has a lock; a record's fields belong to the interpreter of its block;
 * those of a plain block belong to the block's owner. */
#ifndef OURO_CHECK_CHECK_H
#define OURO_CHECK_CHECK_H

#include <Python.h>
#include <ouro_check.h>
#include <stdbool.h>

#include "../base/check.h"
#include "../base/events.h"
#include "../object/header.h"
#include "../thread/interpreter.h"

/* --- codes and reports (report.c) --------------------------------------------------------- */

enum ouro_code {
#define OURO_CODE(name, certainty, is_fatal) OURO_GC_##name,
#include "codes.h"
#undef OURO_CODE
    OURO_CODE_COUNT
};

#define OURO_SITE_DEPTH 10

/* Where something was done: return addresses, innermost first. */
struct site {
    void *frames[OURO_SITE_DEPTH];
    int count;
};

void ouro_site_take(struct site *site);
void ouro_site_print(FILE *file, const char *what, void *const *frames, int count);

#define OURO_LINE_LENGTH 1024

/* The line of source that a return address belongs to. */
struct line {
    char text[OURO_LINE_LENGTH]; /* "file:line (function)" */
    bool is_known;
    bool is_left_out; /* it is in this library, or in libc */
};

/* Fill a line for each of at most OURO_SITE_DEPTH frames. Starts processes. */
void ouro_lines_find(void *const *frames, int count, struct line *lines);
/* Start addr2line or readelf. Returns its output, or NULL if there is no such program. The
 * caller reads it, closes it and waits for the child. */
FILE *ouro_tool_start(char *const *arguments, pid_t *child);

/* Report a broken rule; returns only if the process goes on. `op` may be NULL, and need not
 * be readable. One report for each code, type and offset. */
void ouro_report(enum ouro_code code, const void *op, Py_ssize_t offset,
                 const char *format, ...) __attribute__((format(printf, 4, 5)));
/* The same for one that is about a type and not about an object. */
void ouro_report_type(enum ouro_code code, const char *type_name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Would a report of this code be new for the type? Saves work. */
bool ouro_report_is_new(enum ouro_code code, const char *type_name, Py_ssize_t offset);
enum ouro_code ouro_code_named(const char *name);

/* The settings: of OURO_CHECK in the environment, and of calls. */
struct check_settings {
    size_t quarantine; /* bytes of freed blocks to keep, for each heap */
    int stress;
    bool notes;
    bool explains; /* at shutdown: explain what is alive */
};
extern struct check_settings ouro_check_settings;
void ouro_check_read_settings(void);

/* --- types (types.c) ---------------------------------------------------------------------- */

/* What is known about a type. Never freed, so that reports can name a type that is gone. */
struct type_info {
    PyTypeObject *type;
    char *name;
    bool is_ours;              /* one of the library's own */
    bool has_tracked;          /* an instance was tracked */
    bool keeps_dead;           /* dead instances are kept for later: a free list */
    unsigned audits;           /* instances audited so far */
    unsigned looked_at;        /* instances of which declared fields were looked at */
    uint64_t held;             /* declared fields that held something, by their numbers */
    freefunc real_free;        /* the tp_free that ouro_check_free calls; or NULL */
    void (*probe)(PyObject *); /* Ouro_CheckProbe */
    Py_ssize_t *borrowed;      /* offsets; ends with 0 */
    struct type_info *next;
};

/* The info of a type that is alive; made when there is none. */
struct type_info *ouro_type_info(PyTypeObject *type);
bool ouro_field_is_borrowed(PyTypeObject *type, Py_ssize_t offset);
/* Is it a type of the library itself? */
bool ouro_type_is_ours(const PyTypeObject *type);
/* tp_free of types that bring their own. */
void ouro_check_free(void *op);
/* Is the calling thread inside the tp_free of `op`? */
bool ouro_is_inside_tp_free(const void *op);

/* --- declared fields (declared.c) ---------------------------------------------------------- */

/* The field that the type or a base declares at an offset; or NULL. */
const struct Ouro_Field *ouro_declared_at(PyTypeObject *type, Py_ssize_t offset);
/* Do all declared arrays end inside their blocks? Reports those that do not. */
bool ouro_declared_arrays_fit(PyObject *op);
/* Note which fields hold something, and report those that never do. */
void ouro_declared_note_held(PyObject *op, struct type_info *info);

/* --- members of C++ classes (members.c) ------------------------------------------------------ */

/* "'next' of class Node" for the offset in an object; false when it cannot be told. */
bool ouro_member_name(PyTypeObject *type, Py_ssize_t offset, char *name, size_t room);
/* Report the members that can hold references and that the lists of their classes lack. */
void ouro_members_report_forgotten(void);

/* --- records (registry.c) ------------------------------------------------------------------ */

/* --- static memory (segments.c) ------------------------------------------------------------ */

/* Are these bytes part of the program or a library? */
bool ouro_segments_have(const void *p, size_t bytes);
/* How many words of static data are the address? */
int ouro_segments_count(const void *wanted);

enum block_family { BLOCK_CONTAINER, BLOCK_PLAIN };
enum block_state {
    BLOCK_LIVE,
    BLOCK_DEAD,  /* its tp_dealloc returned and did not free it */
    BLOCK_FREED, /* in quarantine */
};

struct record {
    void *block;
    struct type_info *info; /* NULL while a plain block has no type */
    struct heap *heap;      /* of a container; NULL for plain blocks */
    struct heap *home;      /* of the interpreter that allocated it */
    size_t bytes;           /* asked for */
    uint64_t serial;
    uint8_t family;
    uint8_t state;
    bool was_moved;      /* freed by PyObject_GC_Resize */
    bool is_dying;       /* its tp_dealloc runs */
    bool was_tracked;    /* at some time */
    bool was_dropped;    /* cut off by PyObject_GC_Resize, see K29 */
    bool is_new;         /* allocated since the last PyObject_Init of it */
    bool is_at_start;    /* made while the interpreter was */
    bool is_kept_dead;   /* found in a free list */
    uint64_t cleared_in; /* number of the collection that cleared it; 0: none */
    struct site allocated;
    struct site tracked;
    struct record *next;       /* in its bucket */
    struct record *next_freed; /* in the quarantine */
};

/* The header of a freed block: allocated for the heap, untracked for the collector, with an
 * immortal count. */
#define OURO_FREED_GC    (0xDDDD0000u | OURO_GC_ALLOCATED)
#define OURO_FREED_COUNT 0xDDDDDDDDu
#define OURO_DEAD_BYTE   0xDD
#define OURO_FRESH_BYTE  0xCD
#define OURO_ZONE_BYTE   0xFB
#define OURO_FRESH_WORD  0xCDCDCDCDCDCDCDCDu

extern PyTypeObject ouro_freed_type;

/* The record of the block that begins at `block`; NULL when there is none. */
struct record *ouro_record_find(const void *block);
/* The same if the block is not freed. */
struct record *ouro_record_live(const void *block);
/* Call `visit` for every record, under the lock: it must not allocate objects. */
void ouro_record_each(void (*visit)(struct record *record, void *arg), void *arg);
/* Give back what exceeds the quarantine. No handler runs in this thread, because frames refer
 * to records. */
void ouro_quarantine_settle(void);
/* Is it an object in quarantine? Reads the header if the address can be an object's. */
bool ouro_is_freed(const PyObject *op);
/* May `p` be an object: not uninitialised, not freed, readable? */
enum pointer_state { POINTER_GOOD, POINTER_FRESH, POINTER_FREED, POINTER_WILD };
enum pointer_state ouro_pointer_state(const void *p);
const char *ouro_type_name_of(const void *op);
uint64_t ouro_serial_of(const void *op);
/* Report that a freed object is used. */
void ouro_report_freed(const PyObject *op, const char *how);

/* --- frames (frames.c) ------------------------------------------------------------------------ */

enum handler { IN_TRAVERSE, IN_CLEAR, IN_DEALLOC, IN_FINALIZE };

/* An object that `self` refers to, according to its tp_traverse when the handler began. */
struct referent {
    PyObject *op;
    int visits;
    int released; /* decrements less increments, directly in the handler */
};

#define OURO_REFERENTS_MOST 64

struct frame {
    struct frame *up;
    struct frame *up_same; /* the next of the same handler */
    enum handler handler;
    PyObject *self;
    struct record *record; /* of self; NULL for objects of the process */
    PyTypeObject *type;
    const char *type_name;
    PyObject *error;  /* pending when it began */
    int suspended;    /* inside traverse: the library's visitor runs */
    int own_words;    /* references to its type in the body */
    int released;     /* of the type: decrements less increments */
    int freed;        /* instances of the type freed directly */
    bool was_tracked; /* when it began */
    bool is_freed;    /* self */
    bool is_alive;    /* resurrected */
    bool has_type_report;
    int released_count; /* referents released so far */
    struct referent *referents;
    int referent_count;
    bool knows_referents; /* all of them, or the first OURO_REFERENTS_MOST */
};

extern _Thread_local struct frame *ouro_top_frame;

/* Is the calling thread inside a tp_traverse, and not in the library's visitor? */
static inline struct frame *
ouro_traverse_frame(void)
{
    struct frame *frame = ouro_top_frame;
    bool is_inside =
        frame != NULL && frame->handler == IN_TRAVERSE && frame->suspended == 0;
    return is_inside ? frame : NULL;
}

/* Begin and end a frame; the caller owns its memory. */
void ouro_frame_enter(struct frame *frame, enum handler handler, PyObject *self);
void ouro_frame_leave(struct frame *frame);
/* The frame in which this handler of `self` runs, at any depth; or NULL. */
struct frame *ouro_frame_of(enum handler handler, const PyObject *self);
/* Report it if it is called in a tp_traverse; `what` says what happens. */
void ouro_guard(const char *what);
/* The same for actions that are forbidden while all objects are visited, too. */
void ouro_guard_containers(const char *what);
/* Run tp_traverse with every check of the pointers it visits. */
int ouro_traverse_checked(PyObject *op, visitproc visit, void *arg);

/* dead.c: tp_dealloc returned and the block is still there; the outermost tp_dealloc returned;
 * an object dies that was perhaps never tracked. */
/* How many words of the bytes are the address? */
int ouro_words_count(const char *from, size_t bytes, const void *wanted);
/* How many words of static data, module states and dead blocks are the address? */
int ouro_count_kept(const void *block);
void ouro_dead_note(struct record *record);
void ouro_dead_judge(void);
void ouro_judge_untracked(const struct record *record);

/* What happens inside handlers; called by the events. */
void ouro_frames_note_free(struct record *record);
void ouro_frames_note_count(PyObject *op, int released);

/* --- collections (collections.c), leaks (explain.c), modules (modules.c) ----------------------- */

/* Audit one object that is tracked and complete (audits.c). `visits` knows how often all
 * objects visit it; or NULL. */
struct ownership;
void ouro_audit_one(PyObject *op, struct ownership *all);
/* References to `op` less the visits of all containers. */
Py_ssize_t ouro_ownership_left(const struct ownership *all, const PyObject *op);
void ouro_audit_module(PyObject *op);
/* Call m_traverse with a module that has no state. */
void ouro_stress_module(PyObject *op);
/* stress.c: collect now that a count has reached zero; is the object usable after tp_clear? */
void ouro_stress_after_dealloc(void);
void ouro_probe_cleared(PyObject *op);
/* Run `probe`; false when it caused a fault in the process, which was caught. */
bool ouro_survives(void (*probe)(void *), void *arg);

#endif
