/* SPDX-License-Identifier: MIT */
/* The module gc. */
#include "calls.h"

#define EXPECT_GC(expected, function, args, kwargs)                                      \
    EXPECT_CALL(expected, "gc", function, args, kwargs)
#define EXPECT_GC_RAISES(type, message, function, args, kwargs)                          \
    EXPECT_CALL_RAISES(type, message, "gc", function, args, kwargs)

static PyObject *
make_cycle(void)
{
    PyObject *list = PyList_New(0);
    PyList_Append(list, list);
    return list;
}

TEST_PY(gc_can_be_imported_and_collects)
{
    PyObject *gc = PyImport_ImportModule("gc");
    REQUIRE_NOT_NULL(gc);
    EXPECT_REPR_OF(Py_NewRef(gc), "<module 'gc' (built-in)>");
    PyGC_Collect();
    Py_DECREF(make_cycle());
    EXPECT_REPR_OF(PyObject_CallMethod(gc, "collect", NULL), "1");
    Py_DECREF(gc);
}

TEST_PY(collect_takes_a_generation)
{
    PyGC_Collect();
    EXPECT_GC("0", "collect", ARGS("(i)", 0), NULL);
    EXPECT_GC("0", "collect", ARGS("()"), KWARGS("{si}", "generation", 1));
    EXPECT_GC_RAISES(PyExc_ValueError, "invalid generation", "collect", ARGS("(i)", 3),
                     NULL);
    EXPECT_GC_RAISES(PyExc_ValueError, "invalid generation", "collect", ARGS("(i)", -1),
                     NULL);
    EXPECT_GC_RAISES(PyExc_TypeError, "'str' object cannot be interpreted as an integer",
                     "collect", ARGS("(s)", "x"), NULL);
    EXPECT_GC_RAISES(PyExc_TypeError, "collect() takes at most 1 argument (2 given)",
                     "collect", ARGS("(ii)", 1, 2), NULL);
    EXPECT_GC_RAISES(PyExc_TypeError,
                     "collect() got an unexpected keyword argument 'gen'", "collect",
                     ARGS("()"), KWARGS("{si}", "gen", 1));
}

TEST_PY(the_collector_is_switched)
{
    EXPECT_GC("True", "isenabled", ARGS("()"), NULL);
    EXPECT_GC("None", "disable", ARGS("()"), NULL);
    EXPECT_EQ(PyGC_IsEnabled(), 0);
    EXPECT_GC("False", "isenabled", ARGS("()"), NULL);
    Py_DECREF(make_cycle());
    EXPECT_GC("1", "collect", ARGS("()"), NULL); /* also when disabled */
    EXPECT_GC("None", "enable", ARGS("()"), NULL);
    EXPECT_EQ(PyGC_IsEnabled(), 1);
    EXPECT_GC_RAISES(PyExc_TypeError, "gc.enable() takes no arguments (1 given)",
                     "enable", ARGS("(i)", 1), NULL);
}

TEST_PY(thresholds_are_set_and_read)
{
    EXPECT_GC("None", "set_threshold", ARGS("(ii)", 700, 5), NULL);
    EXPECT_GC("(700, 5, 10)", "get_threshold", ARGS("()"), NULL);
    EXPECT_GC_RAISES(PyExc_TypeError, "gc.set_threshold requires 1 to 3 arguments",
                     "set_threshold", ARGS("()"), NULL);
    EXPECT_GC_RAISES(PyExc_TypeError, "gc.set_threshold requires 1 to 3 arguments",
                     "set_threshold", ARGS("(iiii)", 1, 2, 3, 4), NULL);
    EXPECT_GC_RAISES(PyExc_TypeError, "'str' object cannot be interpreted as an integer",
                     "set_threshold", ARGS("(is)", 1, "x"), NULL);
    EXPECT_GC("(700, 5, 10)", "get_threshold", ARGS("()"), NULL);
    PyObject *counts = call_with("gc", "get_count", ARGS("()"), NULL);
    EXPECT_EQ(PyTuple_Size(counts), 3);
    Py_XDECREF(counts);
}

TEST_PY(debug_flags_are_set_and_read)
{
    EXPECT_REPR_OF(PyImport_ImportModuleAttrString("gc", "DEBUG_STATS"), "1");
    EXPECT_REPR_OF(PyImport_ImportModuleAttrString("gc", "DEBUG_COLLECTABLE"), "2");
    EXPECT_REPR_OF(PyImport_ImportModuleAttrString("gc", "DEBUG_UNCOLLECTABLE"), "4");
    EXPECT_REPR_OF(PyImport_ImportModuleAttrString("gc", "DEBUG_SAVEALL"), "32");
    EXPECT_REPR_OF(PyImport_ImportModuleAttrString("gc", "DEBUG_LEAK"), "38");
    EXPECT_GC("None", "set_debug", ARGS("(i)", OURO_DEBUG_SAVEALL), NULL);
    EXPECT_GC("32", "get_debug", ARGS("()"), NULL);
    Ouro_GCSetDebug(0);
    EXPECT_GC_RAISES(PyExc_TypeError,
                     "gc.set_debug() takes exactly one argument (0 given)", "set_debug",
                     ARGS("()"), NULL);
    EXPECT_GC_RAISES(PyExc_TypeError, "'str' object cannot be interpreted as an integer",
                     "set_debug", ARGS("(s)", "x"), NULL);
}

TEST_PY(garbage_is_the_list_of_the_collector)
{
    PyObject *garbage = PyImport_ImportModuleAttrString("gc", "garbage");
    EXPECT_EQ(garbage, Ouro_GCGarbage());
    Ouro_GCSetDebug(OURO_DEBUG_SAVEALL);
    Py_DECREF(make_cycle());
    PyGC_Collect();
    EXPECT_EQ(PyList_Size(garbage), 1);
    Ouro_GCSetDebug(0);
    PyList_SetSlice(garbage, 0, 1, NULL);
    Py_DECREF(garbage);
    PyGC_Collect();
}

static int starts, stops;

static PyObject *
count_phase(PyObject *Py_UNUSED(self), PyObject *args)
{
    const char *phase;
    PyObject *info;
    if (!PyArg_ParseTuple(args, "sO!", &phase, &PyDict_Type, &info)) {
        return NULL;
    }
    starts += strcmp(phase, "start") == 0;
    stops += strcmp(phase, "stop") == 0;
    Py_RETURN_NONE;
}

TEST_PY(callbacks_is_the_list_of_the_collector)
{
    static PyMethodDef def = {"count_phase", count_phase, METH_VARARGS, NULL};
    PyObject *function = PyCFunction_New(&def, NULL);
    PyObject *callbacks = PyImport_ImportModuleAttrString("gc", "callbacks");
    EXPECT_EQ(callbacks, Ouro_GCCallbacks());
    PyGC_Disable();
    Ouro_GCCollect(2); /* no cycle is under way from here on */
    PyList_Append(callbacks, function);
    EXPECT_GC("0", "collect", ARGS("()"), NULL);
    EXPECT_EQ(starts, 1);
    EXPECT_EQ(stops, 1);
    PyList_SetSlice(callbacks, 0, 1, NULL);
    Py_DECREF(callbacks);
    Py_DECREF(function);
}

TEST_PY(stats_are_a_dict_for_each_generation)
{
    EXPECT_GC("0", "collect", ARGS("(i)", 1), NULL);
    PyObject *stats = call_with("gc", "get_stats", ARGS("()"), NULL);
    REQUIRE_EQ(PyList_Size(stats), 3);
    PyObject *young = PyList_GetItem(stats, 1);
    EXPECT_REPR_OF(PyDict_Keys(young), "['collections', 'collected', 'uncollectable', "
                                       "'candidates', 'duration']");
    EXPECT_REPR_OF(Py_NewRef(PyDict_GetItemString(young, "collections")), "1");
    EXPECT(PyFloat_Check(PyDict_GetItemString(young, "duration")));
    Py_DECREF(stats);
}

TEST_PY(objects_are_listed_by_generation)
{
    PyObject *list = make_cycle();
    PyObject *all = call_with("gc", "get_objects", ARGS("()"), NULL);
    EXPECT_EQ(PySequence_Contains(all, list), 1);
    Py_DECREF(all);
    int generations = 0; /* the object is in one; collections may move it */
    for (int i = 0; i < 3; i++) {
        PyObject *some =
            call_with("gc", "get_objects", ARGS("()"), KWARGS("{si}", "generation", i));
        generations += PySequence_Contains(some, list);
        Py_DECREF(some);
    }
    EXPECT_EQ(generations, 1);
    Py_XDECREF(call_with("gc", "get_objects", ARGS("(O)", Py_None), NULL));
    EXPECT_NO_ERROR();
    const char *too_high =
        "generation parameter must be less than the number of available "
        "generations (3)";
    EXPECT_GC_RAISES(PyExc_ValueError, too_high, "get_objects", ARGS("(i)", 3), NULL);
    EXPECT_GC_RAISES(PyExc_ValueError, too_high, "get_objects",
                     ARGS("(L)", (long long)INT_MAX + 5), NULL);
    EXPECT_GC_RAISES(PyExc_ValueError, "generation parameter cannot be negative",
                     "get_objects", ARGS("(i)", -2), NULL);
    EXPECT_GC_RAISES(PyExc_TypeError, "argument should be integer or None, not 'str'",
                     "get_objects", ARGS("(s)", "x"), NULL);
    PyList_SetSlice(list, 0, 1, NULL);
    Py_DECREF(list);
}

TEST_PY(referrers_and_referents_are_listed)
{
    PyObject *inner = PyList_New(0), *outer = PyList_New(0);
    PyList_Append(outer, inner);
    PyObject *referrers = call_with("gc", "get_referrers", ARGS("(O)", inner), NULL);
    EXPECT_EQ(PyList_Size(referrers), 1);
    EXPECT_EQ(PyList_GetItem(referrers, 0), outer);
    Py_DECREF(referrers);
    EXPECT_GC("[[]]", "get_referents", ARGS("(O)", outer), NULL);
    EXPECT_GC("[]", "get_referents", ARGS("(i)", 3), NULL);
    EXPECT_GC_RAISES(PyExc_TypeError, "gc.get_referents() takes no keyword arguments",
                     "get_referents", ARGS("()"), KWARGS("{si}", "x", 1));
    Py_DECREF(inner);
    Py_DECREF(outer);
}

TEST_PY(the_state_of_one_object_is_told)
{
    EXPECT_GC("True", "is_tracked", ARGS("([])"), NULL);
    EXPECT_GC("False", "is_tracked", ARGS("(i)", 1), NULL);
    EXPECT_GC("False", "is_finalized", ARGS("([])"), NULL);
    EXPECT_GC_RAISES(PyExc_TypeError,
                     "gc.is_tracked() takes exactly one argument (2 given)", "is_tracked",
                     ARGS("(ii)", 1, 2), NULL);
}

TEST_PY(objects_are_frozen_and_freed_again)
{
    EXPECT_GC("0", "get_freeze_count", ARGS("()"), NULL);
    EXPECT_GC("None", "freeze", ARGS("()"), NULL);
    EXPECT_GT(Ouro_GCGetFreezeCount(), 0);
    EXPECT_GC("None", "unfreeze", ARGS("()"), NULL);
    EXPECT_GC("0", "get_freeze_count", ARGS("()"), NULL);
}

TEST_PY(every_function_has_a_doc)
{
    PyObject *gc = PyImport_ImportModule("gc"), *name, *value;
    Py_ssize_t position = 0;
    while (PyDict_Next(PyModule_GetDict(gc), &position, &name, &value)) {
        if (PyCFunction_Check(value)) {
            PyObject *doc = PyObject_GetAttrString(value, "__doc__");
            EXPECT(doc != NULL && doc != Py_None);
            Py_XDECREF(doc);
        }
    }
    Py_DECREF(gc);
}
