/* SPDX-License-Identifier: MIT */
/* A mixed application: the interpreter of examples/scheme runs a program of this folder with
 * automatic collection, once as fast as possible and once under watch. The shape names the
 * program. Before that the variable `size` gets the value `n`.
 *
 * The linker redirects the interpreter's calls of scheme_safe_point to the function here, so
 * the time between two calls is a step. The amount of garbage cannot be known from outside.
 * So "found" is the largest number of objects that one collection freed, as gc.callbacks are
 * told. */
#include "../examples/scheme/scheme.h"
#include "measure.h"
#include "peer_python.h"
#include "watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct watch watch;
static long most_found;

int __real_scheme_safe_point(void);
int __wrap_scheme_safe_point(void);

int
__wrap_scheme_safe_point(void)
{
    int result = __real_scheme_safe_point();
    watch_step(&watch, 0);
    return result;
}

static PyObject *
note_collection(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    PyObject *found = count == 2 ? PyDict_GetItemString(args[1], "collected") : NULL;
    long value = found != NULL ? PyLong_AsLong(found) : 0;
    most_found = value > most_found ? value : most_found;
    Py_RETURN_NONE;
}

static void
fail_with_error(const char *what)
{
    error_report();
    bench_fail("%s failed", what);
}

static void
watch_collections(void)
{
    static PyMethodDef method = {"note", (PyCFunction)(void (*)(void))note_collection,
                                 METH_FASTCALL, NULL};
    PyObject *callbacks = peer_gc_callbacks();
    PyObject *function = PyCFunction_New(&method, NULL);
    if (callbacks == NULL || function == NULL || PyList_Append(callbacks, function) < 0) {
        fail_with_error("gc.callbacks");
    }
    Py_DECREF(function);
}

static char *
read_program(const char *name)
{
    char *text = bench_array(1 << 20, 1);
    FILE *file = fopen(name, "r");
    size_t size = file != NULL ? fread(text, 1, (1 << 20) - 1, file) : 0;
    if (size == 0) {
        bench_fail("cannot read the program %s", name);
    }
    fclose(file);
    return text;
}

static void
run_text(const char *text)
{
    PyObject *file = PyUnicode_FromString("program");
    Reader reader = {.next = text, .line = 1, .file = file};
    for (;;) {
        PyObject *datum = scheme_read(&reader);
        if (datum == END_OF_FILE) {
            break;
        }
        Node *code = datum != NULL ? scheme_compile(datum, file) : NULL;
        PyObject *value = code != NULL ? scheme_eval(code, NULL) : NULL;
        if (value == NULL) {
            fail_with_error("the program");
        }
        Py_DECREF(value);
        Py_DECREF(code);
        Py_DECREF(datum);
    }
    Py_DECREF(file);
}

void
run_application(const struct job *job)
{
    char size[64];
    char *program = read_program(job->shape);
    if (scheme_init() < 0) {
        fail_with_error("scheme_init");
    }
    snprintf(size, sizeof size, "(define size %u)", job->n);
    run_text(size);
    peer_automatic();
    double start = clock_read();
    run_text(program);
    value_print("total", clock_read() - start);
    watch_collections();
    watch_start(&watch);
    run_text(program);
    value_print("rss", peak_bytes());
    watch_print(&watch);
    value_print("found", (double)most_found);
}
