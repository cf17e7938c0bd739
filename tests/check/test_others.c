/* SPDX-License-Identifier: MIT */
/* Seeded mistakes in finalizers, modules, control, and in holding references. */
#include "seeds.h"

#include <pthread.h>

/* --- finalizers ------------------------------------------------------------------------------ */

static PyObject *kept;

static void
keep_self(PyObject *self)
{
    kept = Py_NewRef(self);
}

static void
keep_nothing(PyObject *Py_UNUSED(self))
{
}

static void
dealloc_with_finalizer(PyObject *self)
{
    if (PyObject_CallFinalizerFromDealloc(self) == 0) {
        box_dealloc(self);
    }
}

SEED(F57, "seed.Box")
{
    Ouro_CheckSetNotes(1);
    PyTypeObject *type = new_type((struct handlers){
        .traverse = box_traverse,
        .clear = box_clear,
        .dealloc = dealloc_with_finalizer,
        .finalize = is_wrong ? keep_self : keep_nothing,
    });
    PyObject *box = full_box(type);
    seeded = box;
    Py_DECREF(box);
    Py_CLEAR(kept);
    Py_DECREF(type);
}

SEED(F59, "seed.Del")
{
    static PyTypeObject type = {
        PyVarObject_HEAD_INIT(NULL, 0).tp_name = "seed.Del",
        .tp_basicsize = sizeof(PyObject),
        .tp_flags = Py_TPFLAGS_DEFAULT,
    };
    type.tp_del = is_wrong ? keep_nothing : NULL;
    type.tp_finalize = is_wrong ? NULL : keep_nothing;
    EXPECT_EQ(PyType_Ready(&type), 0);
}

/* --- modules --------------------------------------------------------------------------------- */

struct state {
    PyObject *items;
};

static int
fill_state(PyObject *module)
{
    ((struct state *)PyModule_GetState(module))->items = PyList_New(0);
    return 0;
}

static int
visit_state(PyObject *module, visitproc visit, void *arg)
{
    struct state *state = PyModule_GetState(module);
    Py_VISIT(state->items);
    return 0;
}

static int
visit_state_if_any(PyObject *module, visitproc visit, void *arg)
{
    return PyModule_GetState(module) != NULL ? visit_state(module, visit, arg) : 0;
}

static int
visit_no_state(PyObject *Py_UNUSED(module), visitproc Py_UNUSED(visit),
               void *Py_UNUSED(arg))
{
    return 0;
}

static int
clear_state(PyObject *module)
{
    struct state *state = PyModule_GetState(module);
    Py_CLEAR(state->items);
    return 0;
}

static void
free_state(void *module)
{
    if (PyModule_GetState(module) != NULL) {
        clear_state(module);
    }
}

/* Import a module with this m_traverse, audit everything, and drop it. */
static void
use_module_with(traverseproc traverse)
{
    static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)fill_state}, {0, NULL}};
    static PyModuleDef def = {
        PyModuleDef_HEAD_INIT, .m_name = "seeded",     .m_size = sizeof(struct state),
        .m_slots = slots,      .m_clear = clear_state, .m_free = free_state,
    };
    def.m_traverse = traverse;
    PyObject *spec = PyModule_New("spec");
    PyObject *name = PyUnicode_FromString("seeded");
    EXPECT_EQ(PyObject_SetAttrString(spec, "name", name), 0);
    PyObject *module = PyModule_FromDefAndSpec(&def, spec);
    REQUIRE_NOT_NULL(module);
    EXPECT_EQ(PyModule_ExecDef(module, &def), 0);
    seeded = module;
    Ouro_CheckAudit();
    Py_DECREF(module);
    Py_DECREF(name);
    Py_DECREF(spec);
}

SEED(M61, "module")
{
    Ouro_CheckSetStress(OURO_CHECK_STRESS_STATE);
    use_module_with(is_wrong ? visit_state : visit_state_if_any);
}

SEED(M62, "module")
{
    use_module_with(is_wrong ? visit_no_state : visit_state);
}

TEST(a_state_that_is_always_there_is_enough) /* since 3.9; M61 is for older versions */
{
    Py_Initialize();
    use_module_with(visit_state);
    EXPECT_EQ(Py_FinalizeEx(), 0);
    EXPECT_EQ(Ouro_CheckCountReports(NULL), 0);
}

/* --- control ------------------------------------------------------------------------------------ */

static int
make_a_list(PyObject *Py_UNUSED(op), void *Py_UNUSED(arg))
{
    Py_XDECREF(PyList_New(0));
    return 0;
}

static int
stop_at_once(PyObject *Py_UNUSED(op), void *Py_UNUSED(arg))
{
    return 0;
}

SEED(V66, "PyUnstable_GC_VisitObjects")
{
    PyObject *list = PyList_New(0);
    PyUnstable_GC_VisitObjects(is_wrong ? make_a_list : stop_at_once, NULL);
    Py_DECREF(list);
}

SEED(L67, "seed.Box")
{
    PyTypeObject *type = box_type_with(NULL, NULL, NULL);
    PyObject *box = full_box(type);
    if (!is_wrong) {
        Py_DECREF(box);
    }
    Py_DECREF(type);
}

SEED(L71, "seed.Box")
{
    Ouro_CheckSetNotes(1);
    PyTypeObject *type = box_type_with(NULL, NULL, NULL);
    kept = full_box(type); /* in static data */
    if (!is_wrong) {
        Py_CLEAR(kept);
    }
    Py_DECREF(type);
}

static void *
hold_for_a_moment(void *arg)
{
    Py_INCREF(arg);
    Py_DECREF(arg);
    return NULL;
}

static void *
hold_attached(void *arg)
{
    PyGILState_STATE state = PyGILState_Ensure();
    hold_for_a_moment(arg);
    PyGILState_Release(state);
    return NULL;
}

SEED(X68, "seed.Box")
{
    pthread_t thread;
    PyTypeObject *type = box_type_with(NULL, NULL, NULL);
    PyObject *box = full_box(type);
    seeded = box;
    Py_BEGIN_ALLOW_THREADS;
    EXPECT_EQ(
        pthread_create(&thread, NULL, is_wrong ? hold_for_a_moment : hold_attached, box),
        0);
    pthread_join(thread, NULL);
    Py_END_ALLOW_THREADS;
    Py_DECREF(box);
    Py_DECREF(type);
}
