/* SPDX-License-Identifier: MIT */
/* The command: options, scripts, and the prompt. */
#define _POSIX_C_SOURCE 200809L
#include "scheme.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: scheme [option ...] [file ...]\n"
    "\n"
    "A small Scheme on Ouroboros. Runs the files, or reads expressions from the "
    "terminal\n"
    "when there is none; the file - is standard input.\n"
    "\n"
    "  -e EXPRESSION      evaluate this and print its value\n"
    "  -i                 go on at the prompt after the files\n"
    "  --heap-limit=SIZE  at most this much memory for containers, such as 16M\n"
    "  --no-gc            collect no cycles\n"
    "  --stats            at the end, say what the collector did and what is left\n"
    "  --help, --version\n"
    "\n"
    "At the prompt: (gc) collects, (gc-stats) and (heap-usage) tell, ^D leaves.\n";

/* --- evaluating text ----------------------------------------------------------------------- */

enum outcome { GO_ON, FAILED, EXIT };

/* The exit status, from the SystemExit that is pending; clears it. */
static int
exit_status(void)
{
    int status = 0;
    PyObject *error = PyErr_GetRaisedException();
    PyObject *args = PyException_GetArgs(error);
    if (args != NULL && PyTuple_GET_SIZE(args) > 0) {
        PyObject *value = PyTuple_GET_ITEM(args, 0);
        status = PyLong_CheckExact(value) ? (int)PyLong_AsLong(value) : value == Py_False;
        PyErr_Clear();
    }
    Py_XDECREF(args);
    Py_DECREF(error);
    return status;
}

/* Read one expression and evaluate it. A new reference; NULL with an exception. */
static PyObject *
evaluate_next(Reader *reader, int *is_end)
{
    PyObject *datum = scheme_read(reader);
    *is_end = datum == END_OF_FILE;
    if (datum == NULL || *is_end) {
        return datum;
    }
    Node *node = scheme_compile(datum, reader->file);
    Py_DECREF(datum);
    PyObject *value = node != NULL ? scheme_eval(node, NULL) : NULL;
    Py_XDECREF(node);
    return value;
}

/* Evaluate all of a text. Stops at the first error, which it reports; or leaves the text
 * alone when it ends in the middle of an expression and more may come. */
static enum outcome
run_text(Reader *reader, int echo, int *status)
{
    for (;;) {
        int is_end;
        PyObject *value = evaluate_next(reader, &is_end);
        if (value == NULL) {
            if (reader->is_incomplete) {
                PyErr_Clear();
                return GO_ON;
            }
            if (PyErr_ExceptionMatches(PyExc_SystemExit)) {
                *status = exit_status();
                return EXIT;
            }
            error_report();
            return FAILED;
        }
        if (!is_end && echo && value != UNSPECIFIED) {
            if (scheme_print(stdout, value, 1) < 0) {
                error_report();
            }
            putchar('\n');
        }
        Py_DECREF(value);
        if (is_end) {
            return GO_ON;
        }
    }
}

static enum outcome
run_named_text(const char *name, const char *text, int echo, int *status)
{
    PyObject *file = PyUnicode_FromString(name);
    if (file == NULL) {
        error_report();
        return FAILED;
    }
    Reader reader = {.next = text, .line = 1, .file = file};
    enum outcome outcome = run_text(&reader, echo, status);
    Py_DECREF(file);
    return outcome;
}

/* --- files ----------------------------------------------------------------------------- */

/* All of a stream, with a NUL behind it; free() it. NULL when memory or the disk fails. */
static char *
read_all(FILE *file)
{
    size_t size = 0, room = 4096;
    char *text = malloc(room);
    while (text != NULL) {
        size += fread(text + size, 1, room - size - 1, file);
        if (size < room - 1) {
            break;
        }
        char *larger = realloc(text, room *= 2);
        if (larger == NULL) {
            free(text);
        }
        text = larger;
    }
    if (text != NULL && ferror(file)) {
        free(text);
        text = NULL;
    }
    if (text != NULL) {
        text[size] = '\0';
    }
    return text;
}

static enum outcome
run_file(const char *name, int *status)
{
    int is_stdin = strcmp(name, "-") == 0;
    FILE *file = is_stdin ? stdin : fopen(name, "r");
    char *text = file != NULL ? read_all(file) : NULL;
    if (text == NULL) {
        fprintf(stderr, "scheme: %s: %s\n", name, strerror(errno));
    }
    if (file != NULL && !is_stdin) {
        fclose(file);
    }
    if (text == NULL) {
        return FAILED;
    }
    enum outcome outcome = run_named_text(is_stdin ? "stdin" : name, text, 0, status);
    free(text);
    return outcome;
}

/* --- the prompt ------------------------------------------------------------------------- */

/* Does the text end between two expressions? Reads it without running any of it. */
static int
is_whole(const char *text, PyObject *file)
{
    Reader reader = {.next = text, .file = file, .is_interactive = 1};
    PyObject *datum;
    while ((datum = scheme_read(&reader)) != NULL && datum != END_OF_FILE) {
        Py_DECREF(datum);
    }
    Py_XDECREF(datum);
    PyErr_Clear(); /* an error will be found again when the text runs */
    return !reader.is_incomplete;
}

/* Lines from the terminal until they are whole. 0 at the end of input. */
static int
gather(FILE *text, char **gathered, PyObject *file, int is_terminal)
{
    char *line = NULL;
    size_t room = 0;
    int lines = 0;
    do {
        if (is_terminal) {
            fputs(lines == 0 ? "> " : "... ", stdout);
            fflush(stdout);
        }
        if (getline(&line, &room, stdin) < 0) {
            lines = 0;
            break;
        }
        lines++;
        fputs(line, text);
        fflush(text);
    } while (!is_whole(*gathered, file));
    free(line);
    return lines;
}

/* An error ends only the lines that it stands in. */
static enum outcome
run_prompt(int *status)
{
    enum outcome outcome = GO_ON;
    PyObject *file = PyUnicode_FromString("prompt");
    int is_terminal = isatty(STDIN_FILENO);
    if (is_terminal) {
        printf("A small Scheme on %s. ^D leaves.\n", runtime_name());
    }
    for (int line = 1, lines = 1; file != NULL && outcome != EXIT && lines > 0;) {
        char *gathered = NULL;
        size_t size = 0;
        FILE *text = open_memstream(&gathered, &size);
        if (text == NULL) {
            outcome = FAILED;
            break;
        }
        lines = gather(text, &gathered, file, is_terminal);
        fclose(text);
        if (lines > 0) {
            Reader reader = {.next = gathered, .line = line, .file = file};
            outcome = run_text(&reader, 1, status);
            line += lines;
        }
        free(gathered);
    }
    Py_XDECREF(file);
    return outcome == EXIT ? EXIT : GO_ON;
}

/* --- the command ------------------------------------------------------------------------- */

struct options {
    int interactive, no_gc, stats;
    size_t heap_limit; /* 0: none */
};

/* "16M" in bytes; 0 when it is no size. */
static size_t
size_of_text(const char *text)
{
    char *end;
    unsigned long long size = strtoull(text, &end, 10);
    const char *units = "KMG", *unit = *end != '\0' ? strchr(units, *end) : NULL;
    if (unit != NULL) {
        end++;
        size <<= 10 * (unit - units + 1);
    }
    return *end == '\0' && end != text && *text != '-' ? (size_t)size : 0;
}

/* Reads an option. 1: it was one; 0: it is none; -1: wrong. */
static int
read_option(struct options *options, const char *text)
{
    if (strcmp(text, "-i") == 0) {
        options->interactive = 1;
    } else if (strcmp(text, "--no-gc") == 0) {
        options->no_gc = 1;
    } else if (strcmp(text, "--stats") == 0) {
        options->stats = 1;
    } else if (strncmp(text, "--heap-limit=", 13) == 0) {
        options->heap_limit = size_of_text(text + 13);
        return options->heap_limit > 0 ? 1 : -1;
    } else if (strcmp(text, "-e") == 0 || strcmp(text, "-") == 0 || text[0] != '-') {
        return 0;
    } else {
        return -1;
    }
    return 1;
}

/* Run what the command line names, in its order. Returns the exit status. */
static int
run_arguments(struct options *options, int count, char **arguments)
{
    int status = 0, named = 0;
    enum outcome outcome = GO_ON;
    for (int i = 1; i < count && outcome == GO_ON; i++) {
        if (strcmp(arguments[i], "-e") == 0 && i + 1 < count) {
            outcome = run_named_text("-e", arguments[++i], 1, &status);
            named++;
        } else if (arguments[i][0] != '-' || arguments[i][1] == '\0') {
            outcome = run_file(arguments[i], &status);
            named++;
        }
    }
    if (outcome == GO_ON && (named == 0 || options->interactive)) {
        outcome = run_prompt(&status);
    }
    return outcome == FAILED ? 1 : status;
}

static int
run_program(struct options *options, int count, char **arguments)
{
    Py_Initialize();
    size_t objects = count_objects();
    set_heap_limit(options->heap_limit);
    if (options->no_gc) {
        PyGC_Disable();
    }
    int status = 1;
    if (scheme_init() < 0) {
        PyErr_Print();
    } else {
        status = run_arguments(options, count, arguments);
    }
    scheme_finish();
    if (options->stats && report_memory(objects) != 0) {
        status = 1;
    }
    if (Py_FinalizeEx() < 0 || fflush(stdout) != 0) {
        status = 1;
    }
    return status;
}

int
main(int count, char **arguments)
{
    struct options options = {0};
    for (int i = 1; i < count; i++) {
        if (strcmp(arguments[i], "--help") == 0) {
            fputs(help, stdout);
            return 0;
        }
        if (strcmp(arguments[i], "--version") == 0) {
            printf("scheme on %s\n", runtime_name());
            return 0;
        }
        int known = read_option(&options, arguments[i]);
        if (known < 0) {
            fprintf(stderr, "scheme: %s: what is that? --help lists the options\n",
                    arguments[i]);
            return 2;
        }
        if (strcmp(arguments[i], "-e") == 0 && ++i == count) {
            fputs("scheme: -e needs an expression\n", stderr);
            return 2;
        }
    }
    return run_program(&options, count, arguments);
}
