/* SPDX-License-Identifier: MIT */
/* What the tests of modules share. */
#ifndef OURO_TESTS_BUILTINS_MODULES_H
#define OURO_TESTS_BUILTINS_MODULES_H

#include "../protocol.h"

#define MODULE_SLOTS(...)                                                                \
    (PyModuleDef_Slot[])                                                                 \
    {                                                                                    \
        __VA_ARGS__,                                                                     \
        {                                                                                \
            0, NULL                                                                      \
        }                                                                                \
    }

/* A spec with this name. */
static inline PyObject *
make_spec(const char *name)
{
    PyObject *text_of_name = text(name);
    PyObject *spec = Ouro_ModuleSpecNew(text_of_name, NULL, 0);
    Py_DECREF(text_of_name);
    return spec;
}

/* A module from the first phase; its name is "spam". */
static inline PyObject *
create_from_def(PyModuleDef *def)
{
    PyObject *spec = make_spec("spam");
    PyObject *module = PyModule_FromDefAndSpec(def, spec);
    Py_DECREF(spec);
    return module;
}

static inline PyObject *
create_from_slots(const PySlot *slots)
{
    PyObject *spec = make_spec("spam");
    PyObject *module = PyModule_FromSlotsAndSpec(slots, spec);
    Py_DECREF(spec);
    return module;
}

#endif
