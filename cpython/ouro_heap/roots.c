/* SPDX-License-Identifier: MIT */
/* Roots inside CPython: variables of running functions, thread states, modules, static variables.
 *
 * The names of local variables are known up to 3.10 and since 3.12. Other values on the stack of
 * functions, and all values in 3.11, are found word by word (stack.h). */
#include "source.h"

#include "inspect/statics.h"
#include "stack.h"

#include <frameobject.h>
#include <string.h>

/* --- frames -------------------------------------------------------------------------------------- */

/* "thread 1: main (app.py:12): x" */
static void
name_variable(char *text, size_t room, int thread, PyCodeObject *code, int line,
              PyObject *variable)
{
    const char *path = PyUnicode_AsUTF8(code->co_filename);
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    const char *function = PyUnicode_AsUTF8(code->co_name);
    const char *name = PyUnicode_AsUTF8(variable);
    PyErr_Clear();
    snprintf(text, room, "thread %d: %.60s (%.40s:%d): %.40s", thread,
             function != NULL ? function : "?", slash != NULL ? slash + 1 : path, line,
             name != NULL ? name : "?");
}

struct running {
    struct ouro_graph *graph;
    PyFrameObject *frame;
    PyCodeObject *code;
    int thread;
};

static void
root_variable(const struct running *running, PyObject *name, PyObject *value)
{
    char text[240];
    if (value != NULL) {
        name_variable(text, sizeof text, running->thread, running->code,
                      PyFrame_GetLineNumber(running->frame), name);
        ouro_graph_root(running->graph, OURO_GROUP_THREADS, value, text);
    }
}

#if PY_VERSION_HEX < 0x030B0000

static void
root_frame(const struct running *running)
{
    PyObject *parts[] = {running->code->co_varnames, running->code->co_cellvars,
                         running->code->co_freevars};
    PyObject **value = running->frame->f_localsplus;
    for (size_t part = 0; part < Py_ARRAY_LENGTH(parts); part++) {
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(parts[part]); i++) {
            root_variable(running, PyTuple_GET_ITEM(parts[part], i), *value++);
        }
    }
}

#elif PY_VERSION_HEX >= 0x030C0000

static void
root_frame(const struct running *running)
{
    PyObject *names = PyObject_GetAttrString((PyObject *)running->code, "co_varnames");
    for (Py_ssize_t i = 0; names != NULL && i < PyTuple_GET_SIZE(names); i++) {
        PyObject *value = PyFrame_GetVar(running->frame, PyTuple_GET_ITEM(names, i));
        /* Release this new reference first: otherwise it would look like one that nothing explains. */
        Py_XDECREF(value);
        root_variable(running, PyTuple_GET_ITEM(names, i), value);
    }
    Py_XDECREF(names);
    PyErr_Clear();
}

#else

static void
root_frame(const struct running *running)
{
    (void)running;
    (void)root_variable;
}

#endif

#if PY_VERSION_HEX >= 0x03090000

static void
root_frames(struct ouro_graph *graph, PyThreadState *thread, int number)
{
    PyFrameObject *frame = PyThreadState_GetFrame(thread);
    while (frame != NULL) {
        struct running running = {graph, frame, PyFrame_GetCode(frame), number};
        root_frame(&running);
        Py_DECREF(running.code);
        PyFrameObject *back = PyFrame_GetBack(frame);
        Py_DECREF(frame);
        frame = back;
    }
}

#else

static void
root_frames(struct ouro_graph *graph, PyThreadState *thread, int number)
{
    for (PyFrameObject *frame = thread->frame; frame != NULL; frame = frame->f_back) {
        struct running running = {graph, frame, frame->f_code, number};
        root_frame(&running);
    }
}

#endif

/* References that words of the stack explain, in addition to the variables. */
static void
root_word(PyObject *word, void *arg)
{
    struct ouro_graph *graph = arg;
    if (word != NULL && ouro_graph_misses(graph, word)) {
        ouro_graph_root(graph, OURO_GROUP_THREADS, word,
                        "the stack of a running function");
    }
}

/* --- all ------------------------------------------------------------------------------------------- */

static void
root_threads(struct ouro_graph *graph)
{
    PyInterpreterState *interpreter = PyThreadState_Get()->interp;
    int number = 0;
    for (PyThreadState *thread = PyInterpreterState_ThreadHead(interpreter);
         thread != NULL; thread = PyThreadState_Next(thread)) {
        char text[60];
        number++;
        root_frames(graph, thread, number);
        snprintf(text, sizeof text, "thread %d: dict", number);
        ouro_graph_root(graph, OURO_GROUP_THREADS, thread->dict, text);
    }
    stack_each_word(root_word, graph);
}

void
roots_add(struct ouro_graph *graph, void *context)
{
    (void)context;
    root_threads(graph);
    ouro_graph_root(graph, OURO_GROUP_MODULES, PyImport_GetModuleDict(), "sys.modules");
    ouro_statics_root(graph, NULL, 0);
}
