/* SPDX-License-Identifier: MIT */
/* The module gc: the collector's controls for programs that work with objects.
 *
 * Every function has a twin among the C functions; garbage and callbacks are the lists that
 * the collector itself uses. */
#include "modules.h"

/* --- collecting ---------------------------------------------------------------------------- */

static PyObject *
gc_enable(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    PyGC_Enable();
    Py_RETURN_NONE;
}

static PyObject *
gc_disable(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    PyGC_Disable();
    Py_RETURN_NONE;
}

static PyObject *
gc_isenabled(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    return PyBool_FromLong(PyGC_IsEnabled());
}

static PyObject *
gc_collect(PyObject *Py_UNUSED(module), PyObject *args, PyObject *kwargs)
{
    static char *keywords[] = {"generation", NULL};
    int generation = 2;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|i:collect", keywords, &generation)) {
        return NULL;
    }
    Py_ssize_t found = Ouro_GCCollect(generation);
    return found < 0 ? NULL : PyLong_FromSsize_t(found);
}

/* --- when ------------------------------------------------------------------------------------ */

static PyObject *
gc_set_threshold(PyObject *Py_UNUSED(module), PyObject *args)
{
    int thresholds[3];
    Py_ssize_t count = PyTuple_GET_SIZE(args);
    if (count < 1 || count > 3) {
        return PyErr_Format(PyExc_TypeError,
                            "gc.set_threshold requires 1 to 3 arguments");
    }
    if (!PyArg_ParseTuple(args, "i|ii:set_threshold", &thresholds[0], &thresholds[1],
                          &thresholds[2])) {
        return NULL;
    }
    Ouro_GCSetThresholds(thresholds, (int)count);
    Py_RETURN_NONE;
}

static PyObject *
gc_get_threshold(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    int thresholds[3];
    Ouro_GCGetThresholds(thresholds);
    return Py_BuildValue("(iii)", thresholds[0], thresholds[1], thresholds[2]);
}

static PyObject *
gc_get_count(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    int counts[3];
    Ouro_GCGetCounts(counts);
    return Py_BuildValue("(iii)", counts[0], counts[1], counts[2]);
}

/* --- what it tells ----------------------------------------------------------------------------- */

static PyObject *
gc_set_debug(PyObject *Py_UNUSED(module), PyObject *arg)
{
    int flags;
    if (!PyArg_Parse(arg, "i:set_debug", &flags)) {
        return NULL;
    }
    Ouro_GCSetDebug(flags);
    Py_RETURN_NONE;
}

static PyObject *
gc_get_debug(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    return PyLong_FromLong(Ouro_GCGetDebug());
}

static PyObject *
stats_of_generation(int generation)
{
    Ouro_GCStats stats;
    if (Ouro_GCGetStats(generation, &stats) < 0) {
        return NULL;
    }
    return Py_BuildValue("{snsnsnsnsd}", "collections", stats.collections, "collected",
                         stats.collected, "uncollectable", stats.uncollectable,
                         "candidates", stats.candidates, "duration", stats.wall_seconds);
}

static PyObject *
gc_get_stats(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    return Py_BuildValue("[NNN]", stats_of_generation(0), stats_of_generation(1),
                         stats_of_generation(2));
}

/* --- looking at objects -------------------------------------------------------------------------- */

/* A generation, or -1 for None. 1; or 0 with TypeError or OverflowError. */
static int
read_generation(PyObject *arg, void *generation)
{
    if (arg == Py_None) {
        return 1;
    }
    if (!PyIndex_Check(arg)) {
        PyErr_Format(PyExc_TypeError, "argument should be integer or None, not '%.200s'",
                     Py_TYPE(arg)->tp_name);
        return 0;
    }
    Py_ssize_t value = PyNumber_AsSsize_t(arg, PyExc_OverflowError);
    if (value == -1 && PyErr_Occurred()) {
        return 0;
    }
    *(int *)generation = value < -2 ? -2 : value > 3 ? 3 : (int)value;
    return 1;
}

static PyObject *
gc_get_objects(PyObject *Py_UNUSED(module), PyObject *args, PyObject *kwargs)
{
    static char *keywords[] = {"generation", NULL};
    int generation = -1;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O&:get_objects", keywords,
                                     read_generation, &generation)) {
        return NULL;
    }
    return Ouro_GCGetObjects(generation);
}

static PyObject *
gc_get_referrers(PyObject *Py_UNUSED(module), PyObject *args)
{
    return Ouro_GCGetReferrers(args);
}

static PyObject *
gc_get_referents(PyObject *Py_UNUSED(module), PyObject *args)
{
    return Ouro_GCGetReferents(args);
}

static PyObject *
gc_is_tracked(PyObject *Py_UNUSED(module), PyObject *op)
{
    return PyBool_FromLong(PyObject_GC_IsTracked(op));
}

static PyObject *
gc_is_finalized(PyObject *Py_UNUSED(module), PyObject *op)
{
    return PyBool_FromLong(PyObject_GC_IsFinalized(op));
}

/* --- the permanent generation ----------------------------------------------------------------------- */

static PyObject *
gc_freeze(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    Ouro_GCFreeze();
    Py_RETURN_NONE;
}

static PyObject *
gc_unfreeze(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    Ouro_GCUnfreeze();
    Py_RETURN_NONE;
}

static PyObject *
gc_get_freeze_count(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    return PyLong_FromSsize_t(Ouro_GCGetFreezeCount());
}

/* --- the module ---------------------------------------------------------------------------------------- */

static PyMethodDef gc_functions[] = {
    {"enable", gc_enable, METH_NOARGS, "Let collections start by themselves."},
    {"disable", gc_disable, METH_NOARGS, "Keep collections from starting by themselves."},
    {"isenabled", gc_isenabled, METH_NOARGS, "Do collections start by themselves?"},
    {"collect", OURO_KEYWORDS(gc_collect),
     "collect(generation=2)\n\nCollect this generation and the younger ones; return how "
     "many unreachable objects were found."},
    {"set_threshold", gc_set_threshold, METH_VARARGS,
     "set_threshold(threshold0[, threshold1[, threshold2]])\n\nSay when generations are "
     "collected; 0 as the first means never."},
    {"get_threshold", gc_get_threshold, METH_NOARGS, "The three thresholds."},
    {"get_count", gc_get_count, METH_NOARGS, "The three counts that reach thresholds."},
    {"set_debug", gc_set_debug, METH_O, "Set the DEBUG_ flags."},
    {"get_debug", gc_get_debug, METH_NOARGS, "The DEBUG_ flags."},
    {"get_stats", gc_get_stats, METH_NOARGS,
     "What collections did: a dict for each "
     "generation."},
    {"get_objects", OURO_KEYWORDS(gc_get_objects),
     "get_objects(generation=None)\n\nThe tracked objects of one generation, or of all."},
    {"get_referrers", gc_get_referrers, METH_VARARGS,
     "The tracked objects that refer to one of the arguments."},
    {"get_referents", gc_get_referents, METH_VARARGS,
     "The objects that the arguments refer to."},
    {"is_tracked", gc_is_tracked, METH_O, "Does the collector look at this object?"},
    {"is_finalized", gc_is_finalized, METH_O,
     "Has the collector called this object's finalizer?"},
    {"freeze", gc_freeze, METH_NOARGS,
     "Move all tracked objects out of the reach of collections."},
    {"unfreeze", gc_unfreeze, METH_NOARGS,
     "Move frozen objects to the oldest generation."},
    {"get_freeze_count", gc_get_freeze_count, METH_NOARGS, "How many are frozen."},
    OURO_METHODS_END,
};

static int
gc_exec(PyObject *module)
{
    static const struct {
        const char *name;
        long value;
    } flags[] = {
        {"DEBUG_STATS", OURO_DEBUG_STATS},
        {"DEBUG_COLLECTABLE", OURO_DEBUG_COLLECTABLE},
        {"DEBUG_UNCOLLECTABLE", OURO_DEBUG_UNCOLLECTABLE},
        {"DEBUG_SAVEALL", OURO_DEBUG_SAVEALL},
        {"DEBUG_LEAK", OURO_DEBUG_LEAK},
    };
    for (size_t i = 0; i < Py_ARRAY_LENGTH(flags); i++) {
        if (PyModule_AddIntConstant(module, flags[i].name, flags[i].value) < 0) {
            return -1;
        }
    }
    bool done = ouro_module_put(module, "garbage", Py_XNewRef(Ouro_GCGarbage())) &&
                ouro_module_put(module, "callbacks", Py_XNewRef(Ouro_GCCallbacks()));
    return done ? 0 : -1;
}

static PyModuleDef_Slot gc_slots[] = {
    {Py_mod_exec, (void *)gc_exec},
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
    {0, NULL},
};

static PyModuleDef gc_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "gc",
    .m_doc = "The collector of reference cycles: when it runs, and what it knows.",
    .m_methods = gc_functions,
    .m_slots = gc_slots,
};

PyObject *
ouro_init_gc(void)
{
    return PyModuleDef_Init(&gc_def);
}
