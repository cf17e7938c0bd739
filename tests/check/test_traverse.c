/* SPDX-License-Identifier: MIT */
/* Seeded mistakes in tp_traverse. */
#include "seeds.h"

/* Make an instance with this handler, let a collection see it, and drop it. */
static void
show_to_collector(traverseproc traverse)
{
    PyTypeObject *type = box_type_with(traverse, NULL, NULL);
    PyObject *box = full_box(type);
    seeded = box;
    PyGC_Collect();
    Py_DECREF(box);
    Py_DECREF(type);
}

static int
skip_first(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(as_box(self)->second);
    Py_VISIT(Py_TYPE(self));
    return 0;
}

SEED(T01, "seed.Box")
{
    show_to_collector(is_wrong ? skip_first : box_traverse);
}

static int
visit_first_twice(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(as_box(self)->first);
    return box_traverse(self, visit, arg);
}

SEED(T02, "seed.Box")
{
    show_to_collector(is_wrong ? visit_first_twice : box_traverse);
}

static int
skip_type(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(as_box(self)->first);
    Py_VISIT(as_box(self)->second);
    return 0;
}

SEED(T03, "seed.Box")
{
    show_to_collector(is_wrong ? skip_type : box_traverse);
}

static int
visit_type_twice(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    return box_traverse(self, visit, arg);
}

SEED(T04, "seed.Box")
{
    show_to_collector(is_wrong ? visit_type_twice : box_traverse);
}

static int
hold_while_visiting(PyObject *self, visitproc visit, void *arg)
{
    PyObject *held = Py_XNewRef(as_box(self)->first);
    int result = box_traverse(self, visit, arg);
    Py_XDECREF(held);
    return result;
}

SEED(T05, "seed.Box")
{
    show_to_collector(is_wrong ? hold_while_visiting : box_traverse);
}

static int
allocate_while_visiting(PyObject *self, visitproc visit, void *arg)
{
    PyObject *tuple = PyTuple_New(1);
    int result = box_traverse(self, visit, arg);
    Py_XDECREF(tuple);
    return result;
}

SEED(T06, "seed.Box")
{
    show_to_collector(is_wrong ? allocate_while_visiting : box_traverse);
}

static int
look_up_while_visiting(PyObject *self, visitproc visit, void *arg)
{
    static PyModuleDef nobody = {PyModuleDef_HEAD_INIT, .m_name = "nobody"};
    PyType_GetModuleByDef(Py_TYPE(self), &nobody); /* raises TypeError */
    PyErr_Clear();
    return box_traverse(self, visit, arg);
}

SEED(T07, "seed.Box")
{
    show_to_collector(is_wrong ? look_up_while_visiting : box_traverse);
}

static int
swallow_result(PyObject *self, visitproc visit, void *arg)
{
    (void)box_traverse(self, visit, arg);
    return 0;
}

SEED(T08, "seed.Box")
{
    show_to_collector(is_wrong ? swallow_result : box_traverse);
}

static int
visit_null(PyObject *self, visitproc visit, void *arg)
{
    int result = visit(as_box(self)->second, arg);
    return result != 0 ? result : box_traverse(self, visit, arg);
}

SEED(T09, "seed.Box")
{
    show_to_collector(is_wrong ? visit_null : box_traverse);
}

static int
visit_weakrefs(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(as_box(self)->weakrefs);
    return box_traverse(self, visit, arg);
}

SEED(T10, "seed.Box")
{
    PyTypeObject *type = new_type((struct handlers){
        .traverse = is_wrong ? visit_weakrefs : box_traverse,
        .clear = box_clear,
        .dealloc = box_dealloc,
        .is_weak = true,
    });
    PyObject *box = full_box(type);
    PyObject *ref = PyWeakref_NewRef(box, NULL);
    seeded = box;
    Ouro_CheckAudit();
    Py_DECREF(box);
    Py_DECREF(ref);
    Py_DECREF(type);
}

static int
visit_now_and_then(PyObject *self, visitproc visit, void *arg)
{
    static int calls;
    if (++calls % 2 == 0) {
        Py_VISIT(as_box(self)->first);
    }
    Py_VISIT(Py_TYPE(self));
    return 0;
}

SEED(T11, "seed.Box")
{
    show_to_collector(is_wrong ? visit_now_and_then : box_traverse);
}

/* --- managed dicts ------------------------------------------------------------------------------- */

static int
visit_with_dict(PyObject *self, visitproc visit, void *arg)
{
    int result = PyObject_VisitManagedDict(self, visit, arg);
    return result != 0 ? result : box_traverse(self, visit, arg);
}

static int
clear_with_dict(PyObject *self)
{
    PyObject_ClearManagedDict(self);
    return box_clear(self);
}

static void
dealloc_with_dict(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    PyObject_ClearManagedDict(self);
    box_dealloc(self);
}

SEED(T12, "seed.Box")
{
    PyTypeObject *type = new_type((struct handlers){
        .traverse = is_wrong ? box_traverse : visit_with_dict,
        .clear = clear_with_dict,
        .dealloc = dealloc_with_dict,
        .more = Py_TPFLAGS_MANAGED_DICT,
    });
    PyObject *box = PyType_GenericAlloc(type, 0);
    PyObject *list = PyList_New(0);
    EXPECT_EQ(PyObject_SetAttrString(box, "items", list), 0);
    seeded = box;
    PyGC_Collect();
    Py_DECREF(list);
    Py_DECREF(box);
    Py_DECREF(type);
}

/* --- bases -------------------------------------------------------------------------------------------- */

static int
visit_type_alone(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    return 0;
}

SEED(T14, "seed.Sub")
{
    PyTypeObject *base = box_type_with(NULL, NULL, NULL);
    PyTypeObject *type = new_type((struct handlers){
        .name = "seed.Sub",
        .traverse = is_wrong ? visit_type_alone : box_traverse,
        .clear = box_clear,
        .dealloc = box_dealloc,
        .base = base,
    });
    PyObject *box = full_box(type);
    seeded = box;
    PyGC_Collect();
    Py_DECREF(box);
    Py_DECREF(type);
    Py_DECREF(base);
}

static int
visit_with_state(PyObject *self, visitproc visit, void *arg)
{
    (void)PyType_GetModule_DuringGC(Py_TYPE(self));
    return box_traverse(self, visit, arg);
}

SEED(T64, "PyType_GetModule_DuringGC")
{
    show_to_collector(visit_with_state);
    seeded = NULL;
    if (is_wrong) {
        (void)PyType_GetModule_DuringGC(&PyList_Type);
    }
}

/* Call the function outside tp_traverse. The report names it in place of a type. */
#define EXPECT_OUTSIDE_IS_REPORTED(function, ...)                                        \
    do {                                                                                 \
        wanted_type = #function;                                                         \
        reports_wanted = 0;                                                              \
        (void)function(__VA_ARGS__);                                                     \
        EXPECT_EQ(reports_wanted, 1);                                                    \
    } while (0)

TEST(each_function_for_traversals_is_reported_outside_of_one, .mistakes = true)
{
    if (!OURO_CHECK) {
        SKIP("needs the checking library");
    }
    void *token = &wanted_code, *result;
    PyTypeObject *base;
    wanted_code = "GC-T64";
    Ouro_CheckSetReportHook(hear_report, NULL);
    Py_Initialize();
    PyObject *module = PyModule_New("seed");
    EXPECT_OUTSIDE_IS_REPORTED(PyType_GetModule_DuringGC, &PyList_Type);
    EXPECT_OUTSIDE_IS_REPORTED(PyType_GetModuleState_DuringGC, &PyList_Type);
    EXPECT_OUTSIDE_IS_REPORTED(PyType_GetModuleByToken_DuringGC, &PyList_Type, token);
    EXPECT_OUTSIDE_IS_REPORTED(PyType_GetBaseByToken_DuringGC, &PyList_Type, token,
                               &base);
    EXPECT_OUTSIDE_IS_REPORTED(PyObject_GetTypeData_DuringGC, module, Py_TYPE(module));
    EXPECT_OUTSIDE_IS_REPORTED(PyObject_GetItemData_DuringGC, module);
    EXPECT_OUTSIDE_IS_REPORTED(PyModule_GetState_DuringGC, module);
    EXPECT_OUTSIDE_IS_REPORTED(PyModule_GetToken_DuringGC, module, &result);
    Py_DECREF(module);
    EXPECT_EQ(Py_FinalizeEx(), 0);
}
