/* SPDX-License-Identifier: MIT */
/* The module object, and what creation has read from a definition or a slot array.
 *
 *   module.inv.state   state is NULL until the module is executed; then it has state_size
 *                      bytes, and stays until the module goes
 *   module.inv.handler traverse, clear and free run only when the module wants no state
 *                      or has it */
#ifndef OURO_BUILTINS_MODULE_OBJECT_H
#define OURO_BUILTINS_MODULE_OBJECT_H

#include <Python.h>

#include <stdbool.h>

typedef PyObject *(*module_create_function)(PyObject *spec, PyModuleDef *def);
typedef int (*module_exec_function)(PyObject *module);

/* What is to be done, or was done, with the state of a module. */
struct module_state_plan {
    Py_ssize_t size;
    traverseproc traverse;
    inquiry clear;
    freefunc free;
};

struct module {
    PyObject_HEAD
    PyObject *dict; /* NULL only while the module goes */
    PyObject *weakrefs;
    PyObject *name; /* what it was made with, for messages; or NULL */
    void *state;
    struct module_state_plan plan;
    PyModuleDef *def;          /* or NULL */
    void *token;               /* or NULL */
    module_exec_function exec; /* of a slot array; a definition has its own */
};

/* Everything that a definition with its slots, or a slot array, says about a module. It
 * borrows all it points to. */
struct module_plan {
    const char *name; /* for messages */
    PyModuleDef *def; /* or NULL */
    const char *doc;
    PyMethodDef *methods;
    struct module_state_plan state;
    module_create_function create;
    module_exec_function exec; /* the first one */
    void *token;
    void *multiple_interpreters;
    uint64_t seen; /* bit id - Py_mod_first for each slot that was given */
};

static inline struct module *
ouro_module_cast(PyObject *module)
{
    return (struct module *)module;
}

/* May the handlers of the state be called? */
static inline bool
ouro_module_has_state(const struct module *module)
{
    return module->plan.size <= 0 || module->state != NULL;
}

/* module_plan.c: read a definition, or a slot array. False with SystemError or ImportError
 * when something is wrong with it. */
bool ouro_module_plan_def(struct module_plan *plan, PyModuleDef *def, const char *name);
bool ouro_module_plan_slots(struct module_plan *plan, const PySlot *slots,
                            const char *name);

#endif
