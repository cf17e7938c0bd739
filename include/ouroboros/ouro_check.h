/* SPDX-License-Identifier: MIT */
/* The contract checker: receive its reports, tell it what is intended, ask it.
 *
 * It is part of the library that pkg-config calls ouroboros-check. With the plain library the
 * calls do nothing, so a program need not know which one it has. docs/checker.md says what is
 * found, and how. */
#ifndef OUROBOROS_CHECK_H
#define OUROBOROS_CHECK_H

#include "Python.h"

OURO_BEGIN_DECLS

/* How sure a report is. */
enum {
    OURO_CHECK_NOTE,      /* allowed, and worth knowing; only when asked for */
    OURO_CHECK_SUSPICION, /* a mistake unless there is something the checker cannot see */
    OURO_CHECK_CERTAIN,   /* a rule is broken */
};

typedef struct {
    const char *code;      /* "GC-T01" */
    int certainty;         /* one of the above */
    const char *type_name; /* of the object; "?" when it is not known */
    PyObject *object;      /* or NULL; only its address means something */
    uint64_t serial;       /* the object's number, in order of allocation; or 0 */
    Py_ssize_t offset;     /* of the field in the object; -1 when it is not about one */
    const char *text;      /* what is wrong, one line */
    void *const *sites;    /* return addresses: where the object was allocated */
    int site_count;
    int is_fatal; /* the process ends after the report */
} Ouro_CheckReport;

/* Receives a report. Return 0 to let it be printed (and the process end, if the report is
 * fatal). Any other value means that the hook has dealt with it: nothing is printed, and the
 * process goes on. */
typedef int (*Ouro_CheckHook)(const Ouro_CheckReport *report, void *arg);

/* Parts of the stress mode. */
#define OURO_CHECK_STRESS_ZERO    1 /* collect whenever a count reaches zero */
#define OURO_CHECK_STRESS_CLEAR   2 /* call tp_clear twice */
#define OURO_CHECK_STRESS_SHUFFLE 4 /* finalizers in another order each time */
#define OURO_CHECK_STRESS_STATE   8 /* m_traverse with a state of NULL */

#if OURO_CHECK

/* Call a hook for every report; NULL, the initial value, prints them to stderr. Any thread. */
PyAPI_FUNC(void) Ouro_CheckSetReportHook(Ouro_CheckHook hook, void *arg);
/* Ignore `code` (such as "GC-T01") in objects of the type called `type_name`; NULL for either
 * means all. */
PyAPI_FUNC(void) Ouro_CheckSuppress(const char *code, const char *type_name);
/* Whether the process ends after a report whose code begins with `codes` ("GC-D", say). */
PyAPI_FUNC(void) Ouro_CheckSetAbort(const char *codes, int is_fatal);
/* Whether notes are reported. Returns the old value. */
PyAPI_FUNC(int) Ouro_CheckSetNotes(int flag);
/* Set the stress flags. Returns the old ones. */
PyAPI_FUNC(int) Ouro_CheckSetStress(int flags);
/* The word at `offset` in instances of `type` and its subtypes may hold an object that
 * they do not own: tp_traverse need not visit it. */
PyAPI_FUNC(void) Ouro_CheckBorrowed(PyTypeObject *type, Py_ssize_t offset);
/* Call `probe` (NULL: PyObject_Repr) with each instance of `type` that was cleared, before
 * it is destroyed: an object must be usable after tp_clear. */
PyAPI_FUNC(void) Ouro_CheckProbe(PyTypeObject *type, void (*probe)(PyObject *));
/* Call `visit` with each type that was made ready since Py_Initialize and is alive, until it
 * returns 0. */
PyAPI_FUNC(void) Ouro_CheckVisitTypes(int (*visit)(PyTypeObject *type, void *arg),
                                      void *arg);

/* Is the object kept on purpose, as far as can be seen? Static data, the state of a module, or
 * a container of another type may keep it. */
PyAPI_FUNC(int) Ouro_CheckIsKept(PyObject *op);

/* How many reports there were whose code begins with `codes`; NULL or "" for all. Suppressed
 * reports do not count; those that the hook dealt with do. */
PyAPI_FUNC(Py_ssize_t) Ouro_CheckCountReports(const char *codes);
/* Audit every tracked object of the interpreter now. Returns the number of new reports. */
PyAPI_FUNC(Py_ssize_t) Ouro_CheckAudit(void);
/* Explain what is alive: which objects, and what holds them. Collects first. Written to
 * `file` for people, or as JSON. Returns the number of objects explained. */
PyAPI_FUNC(Py_ssize_t) Ouro_CheckExplain(FILE *file, int is_json);

/* For the library: a function whose name ends in _DuringGC was called. */
PyAPI_FUNC(void) _PyCheck_DuringGC(const char *function);

#else

/* The plain library has no checker. */
#define Ouro_CheckSetReportHook(hook, arg)  ((void)(hook), (void)(arg))
#define Ouro_CheckSuppress(code, type_name) ((void)(code), (void)(type_name))
#define Ouro_CheckSetAbort(codes, is_fatal) ((void)(codes), (void)(is_fatal))
#define Ouro_CheckBorrowed(type, offset)    ((void)(type), (void)(offset))
#define Ouro_CheckProbe(type, probe)        ((void)(type), (void)(probe))
#define _PyCheck_DuringGC(function)         ((void)(function))

/* Functions, so that a call is a statement without a warning. */
static inline int
Ouro_CheckSetNotes(int flag)
{
    (void)flag;
    return 0;
}

static inline int
Ouro_CheckSetStress(int flags)
{
    (void)flags;
    return 0;
}

static inline Py_ssize_t
Ouro_CheckCountReports(const char *codes)
{
    (void)codes;
    return 0;
}

static inline Py_ssize_t
Ouro_CheckAudit(void)
{
    return 0;
}

static inline Py_ssize_t
Ouro_CheckExplain(FILE *file, int is_json)
{
    (void)file;
    (void)is_json;
    return 0;
}

static inline int
Ouro_CheckIsKept(PyObject *op)
{
    (void)op;
    return 0;
}

static inline void
Ouro_CheckVisitTypes(int (*visit)(PyTypeObject *type, void *arg), void *arg)
{
    (void)visit;
    (void)arg;
}

#endif

OURO_END_DECLS

#endif
