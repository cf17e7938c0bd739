/* SPDX-License-Identifier: MIT */
/* Modules that need no file: those of the library, and those that the program brings. */
#include <pthread.h>
#include <stdbool.h>

#include "modules.h"

static const struct _inittab library_modules[] = {
    {"_weakref", ouro_init_weakref},
    {"builtins", ouro_init_builtins},
    {"gc", ouro_init_gc},
    {"sys", ouro_init_sys},
    {"weakref", ouro_init_weakref},
};
#define OURO_LIBRARY_MODULES Py_ARRAY_LENGTH(library_modules)

/* What the program brings; it comes first. Interpreters of other threads may read it. */
static struct _inittab *program_modules;
static size_t program_modules_count;
static pthread_mutex_t inittab_mutex = PTHREAD_MUTEX_INITIALIZER;

static bool
append_entries(const struct _inittab *entries, size_t count)
{
    size_t total = program_modules_count + count;
    struct _inittab *larger =
        PyMem_RawRealloc(program_modules, total * sizeof(*program_modules));
    if (larger == NULL) {
        return false;
    }
    memcpy(larger + program_modules_count, entries, count * sizeof(*entries));
    program_modules = larger;
    program_modules_count = total;
    return true;
}

int
PyImport_ExtendInittab(struct _inittab *newtab)
{
    size_t count = 0;
    while (newtab[count].name != NULL) {
        count++;
    }
    pthread_mutex_lock(&inittab_mutex);
    bool done = count == 0 || append_entries(newtab, count);
    pthread_mutex_unlock(&inittab_mutex);
    return done ? 0 : -1;
}

int
PyImport_AppendInittab(const char *name, PyObject *(*initfunc)(void))
{
    struct _inittab entry[] = {{name, initfunc}, {NULL, NULL}};
    return PyImport_ExtendInittab(entry);
}

void
_PyImport_ResetInittab(void)
{
    pthread_mutex_lock(&inittab_mutex);
    PyMem_RawFree(program_modules);
    program_modules = NULL;
    program_modules_count = 0;
    pthread_mutex_unlock(&inittab_mutex);
}

static _PyInitFunction
find_entry_named(const struct _inittab *entries, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(entries[i].name, name) == 0) {
            return entries[i].initfunc;
        }
    }
    return NULL;
}

_PyInitFunction
_PyImport_FindInittab(const char *name)
{
    pthread_mutex_lock(&inittab_mutex);
    _PyInitFunction init = find_entry_named(program_modules, program_modules_count, name);
    pthread_mutex_unlock(&inittab_mutex);
    return init != NULL ? init
                        : find_entry_named(library_modules, OURO_LIBRARY_MODULES, name);
}

/* The name with this number, or NULL after the last. */
static const char *
inittab_name(size_t number)
{
    const char *name = NULL;
    pthread_mutex_lock(&inittab_mutex);
    if (number < OURO_LIBRARY_MODULES) {
        name = library_modules[number].name;
    } else if (number - OURO_LIBRARY_MODULES < program_modules_count) {
        name = program_modules[number - OURO_LIBRARY_MODULES].name;
    }
    pthread_mutex_unlock(&inittab_mutex);
    return name;
}

PyObject *
ouro_inittab_names(void)
{
    PyObject *list = PyList_New(0);
    const char *name;
    for (size_t i = 0; list != NULL && (name = inittab_name(i)) != NULL; i++) {
        PyObject *text = PyUnicode_FromString(name);
        if (text == NULL || PyList_Append(list, text) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(text);
    }
    PyObject *names = list == NULL || PyList_Sort(list) < 0 ? NULL : PyList_AsTuple(list);
    Py_XDECREF(list);
    return names;
}
