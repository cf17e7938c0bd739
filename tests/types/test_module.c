/* SPDX-License-Identifier: MIT */
/* From types to their modules, also from inside traverse handlers. */
#include "../builtins/modules.h"
#include "helpers.h"

struct counter_state {
    PyTypeObject *node_type;
    int visits;
};

static PyModuleDef counter_def;
static char module_token;
static int found_state, found_module, found_by_token, found_base;

/* The functions of section A7, called where they are meant to be called. */
static int
counting_traverse(PyObject *self, visitproc visit, void *arg)
{
    PyTypeObject *type = Py_TYPE(self), *base;
    PyObject *module = PyType_GetModuleByToken_DuringGC(type, &counter_def);
    void *token;
    found_by_token += module != NULL;
    if (module != NULL) {
        struct counter_state *state = PyModule_GetState_DuringGC(module);
        state->visits++;
        found_state +=
            PyModule_GetToken_DuringGC(module, &token) == 0 && token == &counter_def;
        found_base += PyType_GetBaseByToken_DuringGC(type, &module_token, &base) == 1 &&
                      base == state->node_type &&
                      PyType_GetModuleState_DuringGC(base) == state;
        found_module += PyType_GetModule_DuringGC(base) == module;
    }
    Py_VISIT(type);
    Py_VISIT(((struct node *)self)->ref);
    return 0;
}

static int
counter_exec(PyObject *module)
{
    struct counter_state *state = PyModule_GetState(module);
    static PyType_Slot slots[] = {
        {Py_tp_traverse, (void *)counting_traverse},
        {Py_tp_clear, (void *)node_clear},
        {Py_tp_dealloc, (void *)node_dealloc},
        {Py_tp_token, &module_token},
        {0, NULL},
    };
    static PyType_Spec spec = {"counter.Node", sizeof(struct node), 0,
                               Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE, slots};
    state->node_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
    return state->node_type == NULL ? -1 : PyModule_AddType(module, state->node_type);
}

static int
counter_traverse(PyObject *module, visitproc visit, void *arg)
{
    struct counter_state *state = PyModule_GetState_DuringGC(module);
    Py_VISIT(state->node_type);
    return 0;
}

static int
counter_clear(PyObject *module)
{
    struct counter_state *state = PyModule_GetState(module);
    Py_CLEAR(state->node_type);
    return 0;
}

static void
counter_free(void *module)
{
    (void)counter_clear(module);
}

static PyModuleDef counter_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "counter",
    .m_size = sizeof(struct counter_state),
    .m_slots = MODULE_SLOTS({Py_mod_exec, (void *)counter_exec}),
    .m_traverse = counter_traverse,
    .m_clear = counter_clear,
    .m_free = counter_free,
};

static PyObject *
make_counter(void)
{
    PyObject *module = create_from_def(&counter_def);
    if (module != NULL && PyModule_ExecDef(module, &counter_def) < 0) {
        Py_CLEAR(module);
    }
    return module;
}

/* A subtype from elsewhere: the module is found along the MRO. */
static PyTypeObject *
make_subtype(PyTypeObject *base)
{
    return make_type("other.Sub", 0, Py_TPFLAGS_BASETYPE, NO_SLOTS, (PyObject *)base);
}

TEST_PY(traverse_handlers_find_type_module_and_state)
{
    PyObject *module = make_counter();
    struct counter_state *state = PyModule_GetState(module);
    PyTypeObject *subtype = make_subtype(state->node_type);
    struct node *node = (struct node *)make_instance(subtype);
    node->ref = Py_NewRef(node);
    Py_DECREF(node);
    PyGC_Collect();
    EXPECT_GT(state->visits, 0);
    EXPECT_EQ(found_by_token, state->visits);
    EXPECT_EQ(found_state, state->visits);
    EXPECT_EQ(found_base, state->visits);
    EXPECT_EQ(found_module, state->visits);
    EXPECT_NO_ERROR();
    Py_DECREF(subtype);
    Py_DECREF(module);
}

TEST_PY(instances_types_and_module_go_together)
{
    PyObject *module = make_counter();
    PyTypeObject *type = ((struct counter_state *)PyModule_GetState(module))->node_type;
    struct node *node = (struct node *)make_instance(type);
    node->ref = Py_NewRef(module);
    PyModule_Add(module, "node", (PyObject *)node);
    PyObject *weak = PyWeakref_NewRef(module, NULL);
    Py_DECREF(module);
    EXPECT_EQ(PyWeakref_IsDead(weak), 0);
    PyGC_Collect();
    EXPECT_EQ(PyWeakref_IsDead(weak), 1);
    Py_DECREF(weak);
}

TEST_PY(a_module_with_types_leaves_nothing_behind)
{
    repeat_without_leak(make_counter);
}

TEST_PY(types_find_their_module, .mistakes = true)
{
    PyObject *module = make_counter();
    struct counter_state *state = PyModule_GetState(module);
    PyTypeObject *subtype = make_subtype(state->node_type);
    EXPECT_EQ(PyType_GetModule(state->node_type), module);
    EXPECT_EQ(PyType_GetModuleState(state->node_type), state);
    EXPECT_EQ(PyType_GetModuleByDef(subtype, &counter_def), module);
    Py_ssize_t count = Py_REFCNT(module);
    PyObject *found = PyType_GetModuleByToken(subtype, &counter_def);
    EXPECT_EQ(found, module);
    EXPECT_EQ(Py_REFCNT(module), count + 1);
    Py_XDECREF(found);
    EXPECT_SAME_COUNT(module, PyType_GetModuleByToken_DuringGC(subtype, &counter_def));
    Py_DECREF(subtype);
    Py_DECREF(module);
}

TEST_PY(types_without_a_module_say_so)
{
    PyTypeObject *plain = make_plain_type("t.Plain", NULL);
    EXPECT_NULL(PyType_GetModuleState(plain));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "PyType_GetModule: Type 't.Plain' has no associated module");
    EXPECT_NULL(PyType_GetModuleState(&PyList_Type));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "PyType_GetModule: Type 'list' is not a heap type");
    EXPECT_NULL(PyType_GetModuleByDef(plain, &counter_def));
    EXPECT_RAISED_TEXT(
        PyExc_TypeError,
        "PyType_GetModuleByDef: No superclass of 't.Plain' has the given module");
    EXPECT_NULL(PyType_GetModuleByToken(&PyList_Type, &counter_def));
    EXPECT_RAISED_TEXT(
        PyExc_TypeError,
        "PyType_GetModuleByToken: No superclass of 'list' has the given module");
    Py_DECREF(plain);
}

/* C121 */
TEST_PY(the_traversal_safe_forms_never_raise, .mistakes = true)
{
    PyTypeObject *plain = make_plain_type("t.Plain", NULL);
    void *token = plain;
    EXPECT_NULL(PyType_GetModuleState_DuringGC(plain));
    EXPECT_NULL(PyType_GetModuleState_DuringGC(&PyList_Type));
    EXPECT_NULL(PyType_GetModuleByToken_DuringGC(plain, NULL));
    EXPECT_NULL(PyType_GetModuleByToken_DuringGC(&PyList_Type, &counter_def));
    EXPECT_NULL(PyType_GetModuleByToken_DuringGC((PyTypeObject *)Py_None, &counter_def));
    EXPECT_NULL(PyModule_GetState_DuringGC(Py_None));
    EXPECT_EQ(PyModule_GetToken_DuringGC(Py_None, &token), -1);
    EXPECT_NULL(token);
    EXPECT_NO_ERROR();
    Py_DECREF(plain);
}
