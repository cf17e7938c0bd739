/* SPDX-License-Identifier: MIT */
/* Finishing static types. */
#include <pthread.h>

#include "../../src/base/config.h"
#include "helpers.h"

/* Tests change this type before they make it ready. */
#define STATIC_NODE                                                                      \
    {                                                                                    \
        PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Node",                            \
                                    .tp_basicsize = sizeof(struct node),                 \
                                    .tp_flags = Py_TPFLAGS_HAVE_GC,                      \
                                    .tp_traverse = node_traverse,                        \
                                    .tp_clear = node_clear, .tp_dealloc = node_dealloc   \
    }

TEST_PY(readying_fills_base_bases_mro_dict_and_type)
{
    static PyTypeObject type = STATIC_NODE;
    type.tp_doc = "text";
    EXPECT_EQ(PyType_Ready(&type), 0);
    EXPECT_EQ(type.tp_base, &PyBaseObject_Type);
    EXPECT_EQ(Py_TYPE(&type), &PyType_Type);
    EXPECT_EQ(PyTuple_Size(type.tp_bases), 1);
    EXPECT_EQ(PyTuple_Size(type.tp_mro), 2);
    EXPECT_EQ(PyTuple_GET_ITEM(type.tp_mro, 0), (PyObject *)&type);
    EXPECT(PyDict_Check(type.tp_dict));
    EXPECT_STR(PyUnicode_AsUTF8(PyDict_GetItemString(type.tp_dict, "__doc__")), "text");
    EXPECT(PyType_HasFeature(&type, Py_TPFLAGS_READY));
    EXPECT(!PyType_HasFeature(&type, Py_TPFLAGS_READYING));
}

TEST_PY(readying_again_changes_nothing)
{
    static PyTypeObject type = STATIC_NODE;
    EXPECT_EQ(PyType_Ready(&type), 0);
    PyTypeObject copy = type;
    EXPECT_EQ(PyType_Ready(&type), 0);
    EXPECT_EQ(memcmp(&copy, &type, sizeof type), 0);
}

TEST_PY(a_heap_type_is_ready_and_not_being_readied)
{
    PyTypeObject *type = make_plain_type("test.Heap", NULL);
    REQUIRE_NOT_NULL(type);
    EXPECT(PyType_HasFeature(type, Py_TPFLAGS_READY));
    EXPECT(!PyType_HasFeature(type, Py_TPFLAGS_READYING));
    Py_DECREF(type);
}

TEST_PY(a_static_type_becomes_immortal_and_immutable)
{
    static PyTypeObject type = {{{{.ob_refcnt = 1}, NULL}, 0}, .tp_name = "test.Plain"};
    EXPECT_EQ(PyType_Ready(&type), 0);
    EXPECT(PyUnstable_IsImmortal((PyObject *)&type));
    EXPECT(PyType_HasFeature(&type, Py_TPFLAGS_IMMUTABLETYPE));
    EXPECT(PyUnstable_IsImmortal(type.tp_dict));
    EXPECT(PyUnstable_IsImmortal(type.tp_mro));
    EXPECT(!PyObject_IS_GC((PyObject *)&type));
    EXPECT_EQ(PyObject_SetAttrString((PyObject *)&type, "x", Py_None), -1);
    EXPECT_ERROR(PyExc_TypeError,
                 "cannot set 'x' attribute of immutable type 'test.Plain'");
}

TEST(a_static_type_stays_ready_when_the_library_starts_again)
{
    static PyTypeObject type = STATIC_NODE;
    type.tp_new = PyType_GenericNew;
    for (int i = 0; i < 3; i++) {
        Py_Initialize();
        EXPECT_EQ(PyType_Ready(&type), 0);
        PyObject *op = make_instance(&type);
        EXPECT_NOT_NULL(op);
        Py_XDECREF(op);
        EXPECT_EQ(Py_FinalizeEx(), 0);
    }
}

TEST_PY(a_static_type_serves_several_interpreters)
{
    static PyTypeObject type = STATIC_NODE;
    type.tp_new = PyType_GenericNew;
    PyThreadState *main_state = PyThreadState_Get();
    PyThreadState *other = Py_NewInterpreter();
    REQUIRE_NOT_NULL(other);
    EXPECT_EQ(PyType_Ready(&type), 0);
    Py_XDECREF(make_instance(&type));
    Py_EndInterpreter(other);
    PyThreadState_Swap(main_state);
    EXPECT_EQ(PyType_Ready(&type), 0);
    Py_XDECREF(make_instance(&type));
    PyObject *name = PyObject_GetAttrString((PyObject *)&type, "__name__");
    EXPECT_TEXT(name, "Node");
}

TEST_PY(a_base_is_made_ready_first)
{
    static PyTypeObject base = STATIC_NODE;
    base.tp_flags = Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE;
    static PyTypeObject type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Sub",
                                .tp_base = &base};
    EXPECT_EQ(PyType_Ready(&type), 0);
    EXPECT(PyType_HasFeature(&base, Py_TPFLAGS_READY));
    EXPECT_EQ(PyTuple_Size(type.tp_mro), 3);
    EXPECT_EQ(type.tp_basicsize, (Py_ssize_t)sizeof(struct node));
}

TEST_PY(a_type_without_a_name_is_refused)
{
    static PyTypeObject type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = NULL};
    EXPECT_EQ(PyType_Ready(&type), -1);
    EXPECT_ERROR(PyExc_SystemError, "Type does not define the tp_name field.");
}

TEST_PY(a_static_type_cannot_have_a_heap_base)
{
    static PyTypeObject type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Static"};
    PyTypeObject *base = make_plain_type("test.Heap", NULL);
    type.tp_base = base;
    EXPECT_EQ(PyType_Ready(&type), -1);
    EXPECT_ERROR(PyExc_TypeError,
                 "type 'test.Static' is not dynamically allocated but its base type "
                 "'test.Heap' is dynamically allocated");
    EXPECT(!PyType_HasFeature(&type, Py_TPFLAGS_READY));
    Py_DECREF(base);
}

TEST_PY(the_gc_flag_without_traverse_is_refused) /* C107 */
{
    static PyTypeObject type = STATIC_NODE;
    type.tp_traverse = NULL;
    EXPECT_EQ(PyType_Ready(&type), -1);
    EXPECT_ERROR(PyExc_SystemError, "type test.Node has the Py_TPFLAGS_HAVE_GC flag but "
                                    "has no traverse function");
    EXPECT_EQ(PyType_Ready(&type), -1);
    EXPECT_RAISED(PyExc_SystemError);
}

TEST_PY(the_gc_flag_without_traverse_is_refused_even_if_the_base_has_one) /* C107 */
{
    PyTypeObject *base = make_node_type("test.Base");
    EXPECT_NULL(make_type("test.Sub", 0, Py_TPFLAGS_HAVE_GC, NO_SLOTS, (PyObject *)base));
    EXPECT_ERROR(PyExc_SystemError, "type test.Sub has the Py_TPFLAGS_HAVE_GC flag but "
                                    "has no traverse function");
    Py_DECREF(base);
}

TEST_PY(a_gc_base_type_that_frees_plain_memory_is_refused) /* C111 */
{
    static PyTypeObject type = STATIC_NODE;
    type.tp_flags = Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE;
    type.tp_free = PyObject_Free;
    EXPECT_EQ(PyType_Ready(&type), -1);
    EXPECT_ERROR(PyExc_TypeError,
                 "type 'test.Node' participates in gc and is a base type "
                 "but has inappropriate tp_free slot");
}

TEST_PY(a_final_gc_type_that_frees_plain_memory_is_accepted) /* C111 */
{
    static PyTypeObject type = STATIC_NODE;
    type.tp_free = PyObject_Free;
    EXPECT_EQ(PyType_Ready(&type), 0);
    EXPECT_EQ(type.tp_free, PyObject_Free);
}

TEST_PY(tp_free_is_checked_before_traverse)
{
    static PyTypeObject type = STATIC_NODE;
    type.tp_flags = Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE;
    type.tp_free = PyObject_Free;
    type.tp_traverse = NULL;
    EXPECT_EQ(PyType_Ready(&type), -1);
    EXPECT_RAISED(PyExc_TypeError);
}

TEST_PY(managed_words_need_the_gc_flag)
{
    EXPECT_NULL(make_type("test.D", 0, Py_TPFLAGS_MANAGED_DICT, NO_SLOTS, NULL));
    EXPECT_ERROR(PyExc_SystemError,
                 "type test.D has the Py_TPFLAGS_MANAGED_DICT flag but "
                 "not Py_TPFLAGS_HAVE_GC flag");
    EXPECT_NULL(make_type("test.W", 0, Py_TPFLAGS_MANAGED_WEAKREF, NO_SLOTS, NULL));
    EXPECT_ERROR(PyExc_SystemError, "type test.W has the Py_TPFLAGS_MANAGED_WEAKREF flag "
                                    "but not Py_TPFLAGS_HAVE_GC flag");
}

TEST_PY(managed_flags_are_checked_before_traverse)
{
    static PyTypeObject type = STATIC_NODE;
    type.tp_traverse = NULL;
    type.tp_flags = Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_MANAGED_DICT;
    EXPECT_EQ(PyType_Ready(&type), -1);
    EXPECT_ERROR(PyExc_SystemError, "type test.Node has the Py_TPFLAGS_MANAGED_DICT flag "
                                    "but not Py_TPFLAGS_HEAPTYPE flag");
}

TEST_PY(a_managed_dict_excludes_a_dict_field)
{
    PyMemberDef members[] = {
        {"__dictoffset__", Py_T_PYSSIZET, offsetof(struct node, ref), Py_READONLY, NULL},
        {NULL, 0, 0, 0, NULL},
    };
    EXPECT_NULL(make_type(
        "test.D", sizeof(struct node), Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_MANAGED_DICT,
        SLOTS({Py_tp_members, members}, {Py_tp_traverse, (void *)node_traverse}), NULL));
    EXPECT_ERROR(PyExc_TypeError, "type test.D has the Py_TPFLAGS_MANAGED_DICT flag but "
                                  "tp_dictoffset is set");
}

TEST_PY(managed_words_have_negative_offsets)
{
    PyTypeObject *type = make_type("test.M", sizeof(struct node),
                                   Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_MANAGED_DICT |
                                       Py_TPFLAGS_MANAGED_WEAKREF,
                                   SLOTS({Py_tp_traverse, (void *)node_traverse}), NULL);
    REQUIRE_NOT_NULL(type);
    EXPECT_EQ(type->tp_dictoffset, -1);
    EXPECT_EQ(type->tp_weaklistoffset, -8);
    Py_DECREF(type);
}

TEST_PY(a_static_type_below_object_without_new_cannot_be_called)
{
    static PyTypeObject type = STATIC_NODE;
    EXPECT_EQ(PyType_Ready(&type), 0);
    EXPECT(PyType_HasFeature(&type, Py_TPFLAGS_DISALLOW_INSTANTIATION));
    EXPECT_NULL(type.tp_new);
    EXPECT_NULL(make_instance(&type));
    EXPECT_ERROR(PyExc_TypeError, "cannot create 'test.Node' instances");
}

TEST_PY(other_types_inherit_new)
{
    static PyTypeObject base = STATIC_NODE;
    base.tp_new = PyType_GenericNew;
    base.tp_flags = Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE;
    static PyTypeObject type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Sub",
                                .tp_base = &base};
    EXPECT_EQ(PyType_Ready(&type), 0);
    EXPECT_EQ(type.tp_new, PyType_GenericNew);
    PyTypeObject *heap = make_plain_type("test.Heap", NULL);
    EXPECT_EQ(heap->tp_new, PyBaseObject_Type.tp_new);
    Py_DECREF(heap);
}

TEST_PY(forbidding_instances_removes_new)
{
    PyTypeObject *type =
        make_type("test.No", 0, Py_TPFLAGS_DISALLOW_INSTANTIATION, NO_SLOTS, NULL);
    EXPECT_NULL(type->tp_new);
    EXPECT_NULL(make_instance(type));
    EXPECT_ERROR(PyExc_TypeError, "cannot create 'test.No' instances");
    Py_DECREF(type);
}

TEST_PY(comparing_without_hashing_makes_instances_unhashable)
{
    PyTypeObject *type = make_type(
        "test.Eq", 0, 0,
        SLOTS({Py_tp_richcompare, (void *)PyBaseObject_Type.tp_richcompare}), NULL);
    EXPECT_EQ(type->tp_hash, PyObject_HashNotImplemented);
    EXPECT(Py_IsNone(PyDict_GetItemString(type->tp_dict, "__hash__")));
    Py_DECREF(type);
}

static PyObject *
answer(PyObject *self, PyObject *args)
{
    (void)self, (void)args;
    return PyLong_FromLong(42);
}

static PyMethodDef answer_methods[] = {
    {"plain", answer, METH_NOARGS, NULL},
    {"of_class", answer, METH_NOARGS | METH_CLASS, NULL},
    {"of_nobody", answer, METH_NOARGS | METH_STATIC, NULL},
    {NULL, NULL, 0, NULL},
};

static long
call_answer(PyObject *op, const char *name)
{
    PyObject *method = PyObject_GetAttrString(op, name);
    PyObject *result = method == NULL ? NULL : PyObject_CallNoArgs(method);
    long value = result == NULL ? -1 : PyLong_AsLong(result);
    Py_XDECREF(method);
    Py_XDECREF(result);
    return value;
}

TEST_PY(tables_become_descriptors)
{
    PyTypeObject *type =
        make_type("test.T", 0, 0, SLOTS({Py_tp_methods, answer_methods}), NULL);
    PyObject *op = make_instance(type);
    EXPECT_EQ(call_answer(op, "plain"), 42);
    EXPECT_EQ(call_answer(op, "of_class"), 42);
    EXPECT_EQ(call_answer((PyObject *)type, "of_class"), 42);
    EXPECT_EQ(call_answer((PyObject *)type, "of_nobody"), 42);
    Py_DECREF(op);
    Py_DECREF(type);
}

TEST_PY(a_method_is_not_class_and_static)
{
    PyMethodDef methods[] = {
        {"odd", answer, METH_NOARGS | METH_STATIC | METH_CLASS, NULL},
        {NULL, NULL, 0, NULL},
    };
    EXPECT_NULL(make_type("test.T", 0, 0, SLOTS({Py_tp_methods, methods}), NULL));
    EXPECT_ERROR(PyExc_ValueError, "method cannot be both class and static");
}

TEST_PY(a_type_cannot_be_its_own_base)
{
    static PyTypeObject type = STATIC_NODE;
    type.tp_base = &type;
    EXPECT_EQ(PyType_Ready(&type), -1);
    EXPECT_ERROR(PyExc_TypeError, "type 'test.Node' is among its own bases");
}

static PyTypeObject contested[64];
static pthread_barrier_t start;

static void
ready_all(void)
{
    pthread_barrier_wait(&start);
    for (size_t i = 0; i < Py_ARRAY_LENGTH(contested); i++) {
        EXPECT_EQ(PyType_Ready(&contested[i]), 0);
        PyObject *op = make_instance(&contested[i]);
        EXPECT_NOT_NULL(op);
        Py_XDECREF(op);
    }
}

static void *
ready_in_another_interpreter(void *state)
{
    PyEval_RestoreThread(state);
    ready_all();
    PyEval_SaveThread();
    return NULL;
}

TEST_PY(threads_of_two_interpreters_ready_one_type_together)
{
    for (size_t i = 0; i < Py_ARRAY_LENGTH(contested); i++) {
        contested[i] = (PyTypeObject)STATIC_NODE;
        contested[i].tp_new = PyType_GenericNew;
    }
    PyThreadState *main_state = PyThreadState_Get();
    PyThreadState *other = Py_NewInterpreter();
    REQUIRE_NOT_NULL(other);
    PyThreadState *thread_state = PyThreadState_New(PyThreadState_GetInterpreter(other));
    REQUIRE_NOT_NULL(thread_state);
    PyThreadState_Swap(main_state);
    pthread_barrier_init(&start, NULL, 2);
    pthread_t thread;
    REQUIRE_EQ(pthread_create(&thread, NULL, ready_in_another_interpreter, thread_state),
               0);
    ready_all();
    pthread_join(thread, NULL);
    PyThreadState_Swap(other);
    PyThreadState_Clear(thread_state);
    PyThreadState_Delete(thread_state);
    Py_EndInterpreter(other);
    PyThreadState_Swap(main_state);
}

static PyObject *
make_nothing(PyTypeObject *Py_UNUSED(type), PyObject *Py_UNUSED(args),
             PyObject *Py_UNUSED(kwargs))
{
    Py_RETURN_NONE;
}

TEST_PY(a_type_that_disallows_instances_has_no_tp_new_even_if_it_brings_one)
{
    static PyTypeObject type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "t.Disallows",
                                .tp_flags = Py_TPFLAGS_DEFAULT |
                                            Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                .tp_new = make_nothing};
    EXPECT_EQ(PyType_Ready(&type), 0);
    EXPECT(type.tp_new == NULL);
    EXPECT_NULL(PyObject_CallNoArgs((PyObject *)&type));
    EXPECT_RAISED(PyExc_TypeError);
}

TEST_PY(builds_that_watch_allocations_make_none_in_line)
{
    if (!OURO_DEBUG) {
        SKIP("needs the debug build");
    }
    EXPECT_EQ(PyList_Type.tp_ouro_inline_class, 0);
}
