/* SPDX-License-Identifier: MIT */
/* The program `ouro`: what its files share.
 *
 * `ouro check` never loads a module into its own process. It starts itself again as a worker
 * for each thing it wants to know (which types there are, what one type does, what a script
 * does), and the worker tells it what happens, a line at a time, through a pipe. So a module
 * may crash or hang, and the tool still reports what happened.
 *
 * A line is a word and fields with tabs between them:
 *   at      where we are now, for people: "linked.List: append"
 *   type    a type of the module: see struct subject
 *   finding see struct finding
 *   skip    why the type could not be checked
 *   seen    a type that cannot be called has instances, which the audit looks at
 *   error   why nothing could be checked
 *   missing a module that could not be imported
 *   frame   of a crash: file and offset, the innermost first
 *   done    the worker got to its end */
#ifndef OURO_CLI_H
#define OURO_CLI_H

#include <stdbool.h>
#include <stddef.h>

/* How the program ends. */
enum { STATUS_CLEAN, STATUS_FINDINGS, STATUS_NOT_CHECKED };

#define MOST_SETTINGS 100

/* ---- check.c ------------------------------------------------------------------------------ */

struct options {
    const char *module; /* a file */
    const char *name;   /* of the module */
    const char *type;   /* the one to check, or NULL */
    const char *script; /* a file, or NULL */
    bool is_json;
    double timeout; /* seconds, for each worker */
    const char
        *settings[MOST_SETTINGS]; /* for workers: "stub=", "preload=", "borrowed=" */
    int setting_count;
};

/* False when there are too many. */
bool add_setting(struct options *options, const char *key, const char *value);

int check_command(const struct options *options);

/* A type of the module. */
struct subject {
    char *name;
    bool is_container, can_be_called, can_be_derived;
    size_t size;     /* tp_basicsize */
    size_t traverse; /* where tp_traverse is in the module's file; or 0 */
    char *skipped;   /* why it could not be checked, or NULL */
    bool is_checked;
};

struct finding {
    char *code;
    int certainty; /* as Ouro_CheckReport has it */
    char *type;
    long serial;
    long offset; /* or -1 */
    char *site;  /* where the object was allocated; "" when not known */
    char *text;
    char *field; /* "field 'next' of struct node, offset 16", or NULL */
    char *trace; /* of a crash: lines, the innermost first; or NULL */
    int count;   /* how often it was reported */
};

struct result {
    const struct options *options;
    struct subject *subjects;
    size_t subject_count;
    struct finding *findings;
    size_t finding_count;
    char *error;  /* why nothing was checked, or NULL */
    char *stubs;  /* ", "-separated names of modules that stubs stand in for, or NULL */
    char *frames; /* of the last crash: "file+0x12" lines, or NULL */
};

/* ---- main.c ------------------------------------------------------------------------------- */

/* Say what is wrong with the command line; STATUS_NOT_CHECKED. */
int fail(const char *format, const char *argument);
/* The value of an option: `--type NAME` or `--type=NAME`; or NULL, and *at stays. */
const char *option_value(const char *name, char **arguments, int *at);

/* ---- heap.c, page.c ------------------------------------------------------------------------ */

struct Ouro_Snapshot;

int heap_command(char **arguments);
/* Write the snapshot, which has this name, as a page into a new file. */
int write_page(struct Ouro_Snapshot *snapshot, const char *name, const char *path);

/* ---- report.c ------------------------------------------------------------------------------ */

void print_result(const struct result *result);

/* The name of a class that the worker derives from a type is that of the type, and this. */
#define DERIVED_SUFFIX " (a derived class)"

/* ---- worker.c ------------------------------------------------------------------------------ */

/* The worker, started as `ouro --worker PIPE MODE FILE NAME TYPE_OR_SCRIPT SETTING...`; "" when
 * there is neither. */
int worker_command(int count, char **arguments);

/* Tell the program a line: the word, then text with tabs between the fields. */
void tell(const char *word, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Report through the pipe what the worker itself found. */
void tell_finding(const char *code, int certainty, const char *type, const char *format,
                  ...) __attribute__((format(printf, 4, 5)));

#endif
