/* SPDX-License-Identifier: MIT */
/* `ouro check`: which workers to start, and what their lines mean.
 *
 * First a worker that only loads the module and lists its types; then one for each container
 * type, so that one that crashes or hangs does not keep the others from being checked; or,
 * with a script, one for the script. report.c prints the results. */
#include "cli.h"
#include "fields.h"
#include "symbols.h"

#include <ouro_check.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A worker at work. */
struct work {
    pid_t pid;
    int pipe;
    FILE *output; /* what it and the module print */
    char at[1000];
    char missing[300]; /* a module that it could not import, or "" */
    char line[8000];
    size_t length;
    bool is_done, has_failed, has_timed_out;
};

/* ---- memory ------------------------------------------------------------------------------- */

static void *
more(void *items, size_t count, size_t size)
{
    items = realloc(items, (count + 1) * size);
    if (items == NULL) {
        fputs("ouro: out of memory\n", stderr);
        exit(STATUS_NOT_CHECKED);
    }
    return items;
}

static char *
copy_of(const char *text)
{
    return strcpy(more(NULL, strlen(text), 1), text);
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* Cut a line at its tabs. Missing fields are empty; the last one keeps what is left. */
static void
cut(char *line, char **fields, int count)
{
    for (int i = 0; i < count; i++) {
        fields[i] = line;
        char *tab = i == count - 1 ? NULL : strchr(line, '\t');
        if (tab != NULL) {
            *tab = '\0';
            line = tab + 1;
        } else {
            line += strlen(line);
        }
    }
}

static struct subject *
find_subject(struct result *result, const char *name)
{
    for (size_t i = 0; i < result->subject_count; i++) {
        if (strcmp(result->subjects[i].name, name) == 0) {
            return &result->subjects[i];
        }
    }
    return NULL;
}

static void
add_subject(struct result *result, char *text)
{
    char *fields[6];
    cut(text, fields, 6);
    if (find_subject(result, fields[0]) != NULL) {
        return;
    }
    result->subjects =
        more(result->subjects, result->subject_count, sizeof(result->subjects[0]));
    result->subjects[result->subject_count++] = (struct subject){
        .name = copy_of(fields[0]),
        .is_container = atoi(fields[1]),
        .can_be_called = atoi(fields[2]),
        .can_be_derived = atoi(fields[3]),
        .size = strtoul(fields[4], NULL, 10),
        .traverse = strtoul(fields[5], NULL, 10),
    };
}

/* Does `type` say the same as `other`? A finding in a class that derives from a type with the
 * same mistake is not new. */
static bool
is_same_type(const char *other, const char *type)
{
    size_t length = strlen(other);
    return strncmp(type, other, length) == 0 &&
           (type[length] == '\0' || strcmp(type + length, DERIVED_SUFFIX) == 0);
}

static bool
is_named(const char *whole, const char *name)
{
    const char *dot = strrchr(whole, '.');
    return is_same_type(name, whole) || (dot != NULL && is_same_type(name, dot + 1));
}

static void
add_finding(struct result *result, char *text)
{
    char *fields[7];
    cut(text, fields, 7);
    if (result->options->type != NULL && !is_named(fields[2], result->options->type)) {
        return;
    }
    long offset = strtol(fields[4], NULL, 10);
    for (size_t i = 0; i < result->finding_count; i++) {
        struct finding *other = &result->findings[i];
        bool is_derived = strcmp(other->type, fields[2]) != 0;
        if (strcmp(other->code, fields[0]) == 0 && is_same_type(other->type, fields[2]) &&
            other->offset == offset &&
            (is_derived || offset >= 0 || strcmp(other->text, fields[6]) == 0)) {
            other->count++;
            return;
        }
    }
    result->findings =
        more(result->findings, result->finding_count, sizeof(result->findings[0]));
    result->findings[result->finding_count++] = (struct finding){
        .code = copy_of(fields[0]),
        .certainty = atoi(fields[1]),
        .type = copy_of(fields[2]),
        .serial = strtol(fields[3], NULL, 10),
        .offset = offset,
        .site = copy_of(fields[5]),
        .text = copy_of(fields[6]),
        .count = 1,
    };
}

static void
skip_subject(struct result *result, char *text)
{
    char *fields[2];
    cut(text, fields, 2);
    struct subject *subject = find_subject(result, fields[0]);
    if (subject != NULL && subject->skipped == NULL) {
        subject->skipped = copy_of(fields[1]);
    }
}

/* The audit saw instances of the type. Nothing more can be done for a type that cannot be
 * called. A type that can be called gets a worker of its own, unless a script says what to do. */
static void
note_seen(const struct result *result, struct subject *subject)
{
    if (subject != NULL && (result->options->script != NULL || !subject->can_be_called)) {
        subject->is_checked = true;
    }
}

/* Add text to a list that is one string. */
static void
append(char **list, const char *separator, const char *text)
{
    size_t before = *list == NULL ? 0 : strlen(*list);
    size_t added = strlen(separator) + strlen(text);
    *list = more(*list, before + added, 1);
    sprintf(*list + before, "%s%s", before == 0 ? "" : separator, text);
}

static void
read_line(struct result *result, struct work *work, char *line)
{
    char *fields[2];
    cut(line, fields, 2);
    if (strcmp(fields[0], "at") == 0) {
        snprintf(work->at, sizeof(work->at), "%s", fields[1]);
    } else if (strcmp(fields[0], "type") == 0) {
        add_subject(result, fields[1]);
    } else if (strcmp(fields[0], "finding") == 0) {
        add_finding(result, fields[1]);
    } else if (strcmp(fields[0], "skip") == 0) {
        skip_subject(result, fields[1]);
    } else if (strcmp(fields[0], "error") == 0) {
        work->has_failed = true;
        free(result->error);
        result->error = copy_of(fields[1]);
    } else if (strcmp(fields[0], "seen") == 0) {
        note_seen(result, find_subject(result, fields[1]));
    } else if (strcmp(fields[0], "missing") == 0) {
        snprintf(work->missing, sizeof(work->missing), "%s", fields[1]);
    } else if (strcmp(fields[0], "frame") == 0) {
        append(&result->frames, "\n", fields[1]);
    } else if (strcmp(fields[0], "done") == 0) {
        work->is_done = true;
    }
}

/* ---- one worker ---------------------------------------------------------------------------------- */

static void
start_worker(struct work *work, const char *mode, const char *file,
             const struct options *options, const char *argument)
{
    int ends[2];
    char number[20];
    work->output = tmpfile();
    if (pipe(ends) != 0 || work->output == NULL) {
        perror("ouro");
        exit(STATUS_NOT_CHECKED);
    }
    fflush(NULL);
    work->pid = fork();
    if (work->pid == 0) {
        const char *arguments[MOST_SETTINGS + 8] = {"ouro",
                                                    "--worker",
                                                    number,
                                                    mode,
                                                    file,
                                                    options->name,
                                                    argument == NULL ? "" : argument};
        memcpy(arguments + 7, options->settings,
               (size_t)options->setting_count * sizeof(arguments[0]));
        close(ends[0]);
        dup2(fileno(work->output), STDERR_FILENO);
        snprintf(number, sizeof(number), "%d", ends[1]);
        execv("/proc/self/exe", (char **)(uintptr_t)arguments);
        _exit(127);
    }
    close(ends[1]);
    work->pipe = ends[0];
}

static double
seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Read what there is. False at the end of the pipe. */
static bool
read_pipe(struct result *result, struct work *work)
{
    ssize_t got = read(work->pipe, work->line + work->length,
                       sizeof(work->line) - 1 - work->length);
    if (got <= 0) {
        return got < 0 && errno == EINTR;
    }
    work->length += (size_t)got;
    work->line[work->length] = '\0';
    char *start = work->line, *end;
    while ((end = strchr(start, '\n')) != NULL) {
        *end = '\0';
        read_line(result, work, start);
        start = end + 1;
    }
    work->length = strlen(start);
    memmove(work->line, start, work->length + 1);
    if (work->length == sizeof(work->line) - 1) {
        work->length = 0; /* no line is that long */
    }
    return true;
}

/* On a terminal, show the progress on one line. */
static void
show_progress(const struct work *work, bool is_over)
{
    static bool is_shown;
    if (isatty(STDERR_FILENO) && (!is_over || is_shown)) {
        fprintf(stderr, "\r\033[K%.70s%s", is_over ? "" : work->at,
                is_over ? "" : " ...");
        fflush(stderr);
        is_shown = !is_over;
    }
}

static void
listen_to(struct result *result, struct work *work)
{
    struct pollfd wait = {.fd = work->pipe, .events = POLLIN};
    double end = seconds_now() + result->options->timeout;
    for (;;) {
        double left = end - seconds_now();
        int ready =
            left <= 0 ? 0 : poll(&wait, 1, left > 0.5 ? 500 : (int)(left * 1000) + 1);
        if (ready > 0 && !read_pipe(result, work)) {
            break;
        }
        if (ready == 0 && left <= 0) {
            work->has_timed_out = true;
            kill(work->pid, SIGKILL);
            break;
        }
        if (ready == 0) {
            show_progress(work, false);
        }
    }
    show_progress(work, true);
}

/* The last line that was printed, or "". */
static void
last_output(struct work *work, char *out, size_t size)
{
    char line[1000];
    out[0] = '\0';
    rewind(work->output);
    while (fgets(line, sizeof(line), work->output) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] != '\0') {
            snprintf(out, size, "%s", line);
        }
    }
}

/* How the worker ended, for people; "" when it finished. */
static void
describe_end(struct work *work, int status, double timeout, char *out, size_t size)
{
    char said[1000];
    last_output(work, said, sizeof(said));
    if (work->has_timed_out) {
        snprintf(out, size, "no end after %g seconds, at: %s", timeout, work->at);
    } else if (WIFSIGNALED(status)) {
        snprintf(out, size, "%s, at: %s%s%s", strsignal(WTERMSIG(status)), work->at,
                 said[0] == '\0' ? "" : "; the last words: ", said);
    } else if (!work->is_done && !work->has_failed) {
        snprintf(out, size, "it ended the process with status %d, at: %s%s%s",
                 WEXITSTATUS(status), work->at,
                 said[0] == '\0' ? "" : "; the last words: ", said);
    } else {
        out[0] = '\0';
    }
}

/* Run a worker to its end. `end` becomes how it ended, or "". Returns the name of a module that
 * it missed, valid until the next run, or NULL. */
static const char *
run_worker(struct result *result, const char *mode, const char *file,
           const char *argument, char *end, size_t size)
{
    static struct work work;
    int status = 0;
    work = (struct work){0};
    free(result->frames);
    result->frames = NULL;
    start_worker(&work, mode, file, result->options, argument);
    listen_to(result, &work);
    close(work.pipe);
    while (waitpid(work.pid, &status, 0) < 0 && errno == EINTR) {
    }
    describe_end(&work, status, result->options->timeout, end, size);
    fclose(work.output);
    return work.missing[0] == '\0' ? NULL : work.missing;
}

/* ---- the command ------------------------------------------------------------------------------------- */

static bool
has_findings_about(const struct result *result, const char *type)
{
    for (size_t i = 0; i < result->finding_count; i++) {
        if (is_same_type(type, result->findings[i].type)) {
            return true;
        }
    }
    return false;
}

/* A worker that loads the module ended in `end`. */
static void
note_crash(struct result *result, const char *type, const char *end,
           size_t findings_before)
{
    char line[2200];
    if (result->finding_count > findings_before && has_findings_about(result, type)) {
        return; /* the findings say why */
    }
    snprintf(line, sizeof(line), "CRASH\t%d\t%s\t0\t-1\t\t%s", OURO_CHECK_CERTAIN, type,
             end);
    size_t before = result->finding_count;
    add_finding(result, line);
    if (result->finding_count > before) {
        result->findings[before].trace = result->frames;
        result->frames = NULL;
    }
}

static void
check_type(struct result *result, struct subject *subject, const char *file)
{
    char end[2000];
    size_t findings = result->finding_count, index = (size_t)(subject - result->subjects);
    char *name = copy_of(subject->name);
    run_worker(result, "type", file, name, end, sizeof(end));
    subject = &result->subjects[index]; /* there may be more of them now */
    if (strncmp(end, "no end", 6) == 0) {
        subject->skipped = copy_of(end);
    } else if (end[0] != '\0') {
        note_crash(result, name, end, findings);
    }
    subject->is_checked = subject->skipped == NULL;
    free(name);
}

static void
check_types(struct result *result, const char *file)
{
    const char *wanted = result->options->type;
    bool is_there = wanted == NULL;
    for (size_t i = 0; i < result->subject_count; i++) {
        struct subject *subject = &result->subjects[i];
        if (wanted != NULL && !is_named(subject->name, wanted)) {
            continue;
        }
        is_there = true;
        if (subject->can_be_called) {
            check_type(result, subject, file);
        }
    }
    for (size_t i = 0; wanted == NULL && i < result->subject_count; i++) {
        struct subject *subject = &result->subjects[i];
        if (!subject->is_checked && subject->skipped == NULL) {
            subject->skipped = copy_of(
                "it cannot be called, and nothing that was tried made one: write a "
                "script");
        }
    }
    if (!is_there) {
        char text[300];
        snprintf(text, sizeof(text), "the module has no type '%.200s'", wanted);
        result->error = copy_of(text);
    }
}

static void
check_script(struct result *result, const char *file)
{
    char end[2000];
    run_worker(result, "script", file, result->options->script, end, sizeof(end));
    if (strncmp(end, "no end", 6) == 0) {
        result->error = copy_of(end);
    } else if (end[0] != '\0' && result->finding_count == 0) {
        note_crash(result, result->options->script, end, 0);
    }
}

bool
add_setting(struct options *options, const char *key, const char *value)
{
    if (options->setting_count == MOST_SETTINGS) {
        return false;
    }
    char *setting = more(NULL, strlen(key) + strlen(value) + 1, 1); /* to the end */
    sprintf(setting, "%s=%s", key, value);
    options->settings[options->setting_count++] = setting;
    return true; /* NOLINT(clang-analyzer-unix.Malloc): it is kept in options */
}

/* Load the module once; if that fails, its message is the result. If it misses a module, that
 * gets a stub, and it is loaded again. */
static void
list_types(struct result *result, struct options *options, const char *file)
{
    char end[2000];
    for (;;) {
        const char *missing = run_worker(result, "list", file, NULL, end, sizeof(end));
        if (missing == NULL || !add_setting(options, "stub", missing)) {
            break;
        }
        append(&result->stubs, ", ", missing);
        free(result->error);
        result->error = NULL;
    }
    if (end[0] != '\0' && result->error == NULL) {
        result->error = copy_of(end);
    }
}

/* "linked.c:120 (node_new)" for an address, by the program addr2line; or NULL. */
static char *
ask_addr2line(const char *file, size_t address)
{
    char command[PATH_MAX + 100], function[300] = "", place[600] = "", text[1000];
    if (strchr(file, '\'') != NULL) {
        return NULL;
    }
    snprintf(command, sizeof(command), "addr2line -s -f -e '%s' 0x%zx 2>/dev/null", file,
             address);
    FILE *answer = popen(command, "r");
    bool done = answer != NULL && fgets(function, sizeof(function), answer) != NULL &&
                fgets(place, sizeof(place), answer) != NULL;
    if (answer != NULL) {
        pclose(answer);
    }
    function[strcspn(function, "\n")] = '\0';
    place[strcspn(place, " \n")] = '\0';
    if (!done || strncmp(place, "??", 2) == 0) {
        return NULL;
    }
    snprintf(text, sizeof(text), "%s (%s)", place, function);
    return copy_of(text);
}

/* The line for "file+0x12", a return address: the call is before it. Frees the text if there is
 * one. */
static char *
name_place(struct fields *fields, const char *module, char *text)
{
    char *plus = strrchr(text, '+'), *place = NULL;
    if (plus != NULL) {
        size_t address = strtoul(plus + 1, NULL, 16) - 1;
        *plus = '\0';
        place = fields != NULL && strcmp(text, module) == 0
                    ? fields_place(fields, address)
                    : NULL;
        place = place != NULL ? place : ask_addr2line(text, address);
        *plus = '+';
    }
    if (place != NULL) {
        free(text);
    }
    return place != NULL ? place : text;
}

/* The lines of a trace, each as a place. */
static char *
name_trace(struct fields *fields, const char *module, char *trace)
{
    char *named = NULL, *rest;
    for (char *line = trace == NULL ? NULL : strtok_r(trace, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        char *place = name_place(fields, module, copy_of(line));
        append(&named, "\n", place);
        free(place);
    }
    free(trace);
    return named;
}

static void
name_fields(struct result *result, const char *file)
{
    struct fields *fields = fields_open(file);
    for (size_t i = 0; i < result->finding_count; i++) {
        struct finding *finding = &result->findings[i];
        struct subject *subject = find_subject(result, finding->type);
        if (fields != NULL && finding->offset >= 0 && subject != NULL) {
            finding->field = fields_name(fields, subject->size, subject->traverse,
                                         (size_t)finding->offset);
        }
        finding->site = name_place(fields, file, finding->site);
        finding->trace = name_trace(fields, file, finding->trace);
    }
    fields_close(fields);
}

/* 0 only when everything was checked and nothing found. */
static int
status_of(const struct result *result)
{
    int checked = result->options->script != NULL;
    for (size_t i = 0; i < result->finding_count; i++) {
        if (result->findings[i].certainty != OURO_CHECK_NOTE) {
            return STATUS_FINDINGS;
        }
    }
    for (size_t i = 0; i < result->subject_count; i++) {
        checked += result->subjects[i].is_checked;
        if (result->subjects[i].skipped != NULL) {
            return STATUS_NOT_CHECKED;
        }
    }
    return result->error != NULL || checked == 0 ? STATUS_NOT_CHECKED : STATUS_CLEAN;
}

/* "dir/linked.some-tag.so" -> "linked" */
static const char *
name_of_file(const char *file, char *out, size_t size)
{
    const char *slash = strrchr(file, '/');
    snprintf(out, size, "%s", slash == NULL ? file : slash + 1);
    out[strcspn(out, ".")] = '\0';
    return out;
}

static void
free_result(struct result *result)
{
    for (size_t i = 0; i < result->subject_count; i++) {
        free(result->subjects[i].name);
        free(result->subjects[i].skipped);
    }
    for (size_t i = 0; i < result->finding_count; i++) {
        struct finding *finding = &result->findings[i];
        free(finding->code);
        free(finding->type);
        free(finding->site);
        free(finding->text);
        free(finding->field);
        free(finding->trace);
    }
    free(result->stubs);
    free(result->frames);
    free(result->subjects);
    free(result->findings);
    free(result->error);
}

int
check_command(const struct options *given)
{
    char file[PATH_MAX], name[PATH_MAX];
    struct options options = *given;
    struct result result = {.options = &options};
    char *found = options.name == NULL ? symbols_module_name(options.module) : NULL;
    if (options.name == NULL) {
        options.name =
            found != NULL ? found : name_of_file(options.module, name, sizeof(name));
    }
    if (realpath(options.module, file) == NULL) {
        result.error = copy_of(strerror(errno));
    } else {
        list_types(&result, &options, file);
    }
    if (result.error == NULL && options.script != NULL) {
        check_script(&result, file);
    } else if (result.error == NULL) {
        check_types(&result, file);
    }
    name_fields(&result, file);
    print_result(&result);
    int status = status_of(&result);
    free_result(&result);
    free(found);
    return status;
}
