/* SPDX-License-Identifier: MIT */
/* Types that look like mistakes and are correct: no report. */
#include "seeds.h"

/* Runs with every suitable part of the stress mode. In the end nothing may have been reported. */
static void
expect_no_alarm(void (*use)(void))
{
    Ouro_CheckSetReportHook(hear_report, NULL);
    Py_Initialize();
    use();
    Ouro_CheckSetStress(OURO_CHECK_STRESS_ZERO | OURO_CHECK_STRESS_CLEAR |
                        OURO_CHECK_STRESS_SHUFFLE);
    use();
    Ouro_CheckSetStress(0);
    EXPECT_EQ(Py_FinalizeEx(), 0);
    EXPECT_EQ(Ouro_CheckCountReports(NULL), 0);
}

/* --- free lists ------------------------------------------------------------------------------ */

static PyObject *spare; /* a free list, linked by the first field */

static PyObject *
box_from_free_list(PyTypeObject *type)
{
    if (spare == NULL) {
        return full_box(type);
    }
    PyObject *box = spare;
    spare = as_box(box)->first;
    PyObject_Init(box, type);
    as_box(box)->first = PyList_New(0);
    as_box(box)->second = NULL;
    PyObject_GC_Track(box);
    return box;
}

static void
dealloc_to_free_list(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    box_clear(self);
    as_box(self)->first = spare;
    spare = self;
    Py_DECREF(type);
}

static void
use_free_list(void)
{
    PyTypeObject *type = box_type_with(NULL, NULL, dealloc_to_free_list);
    for (int i = 0; i < 10; i++) {
        PyObject *a = box_from_free_list(type), *b = box_from_free_list(type);
        as_box(a)->second = Py_NewRef(b);
        as_box(b)->second = Py_NewRef(a);
        Py_DECREF(a);
        Py_DECREF(b);
        PyGC_Collect();
    }
    while (spare != NULL) {
        PyObject *next = as_box(spare)->first;
        PyObject_GC_Del(spare);
        spare = next;
    }
    Py_DECREF(type);
}

TEST(a_free_list_is_no_leak)
{
    expect_no_alarm(use_free_list);
}

/* --- references outside the body --------------------------------------------------------------- */

struct out_of_line {
    int count;
    PyObject *items[3];
};

typedef struct {
    PyObject_HEAD
    struct out_of_line *data;
    PyObject *text; /* a str: it cannot be part of a cycle, and is not visited */
} Holder;

static int
holder_traverse(PyObject *self, visitproc visit, void *arg)
{
    const struct out_of_line *data = ((Holder *)self)->data;
    for (int i = 0; data != NULL && i < data->count; i++) {
        Py_VISIT(data->items[i]);
    }
    Py_VISIT(Py_TYPE(self));
    return 0;
}

static int
holder_clear(PyObject *self)
{
    struct out_of_line *data = ((Holder *)self)->data;
    ((Holder *)self)->data = NULL;
    for (int i = 0; data != NULL && i < data->count; i++) {
        Py_DECREF(data->items[i]);
    }
    PyMem_Free(data);
    return 0;
}

static void
holder_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    holder_clear(self);
    Py_XDECREF(((Holder *)self)->text);
    type->tp_free(self);
    Py_DECREF(type);
}

static void
use_out_of_line(void)
{
    PyTypeObject *type = box_type_with(holder_traverse, holder_clear, holder_dealloc);
    for (int i = 0; i < 3; i++) {
        Holder *holder = PyObject_GC_New(Holder, type);
        holder->text = PyUnicode_FromString("text");
        holder->data = PyMem_Malloc(sizeof *holder->data);
        holder->data->count = 3;
        holder->data->items[0] = PyList_New(0);
        holder->data->items[1] = Py_NewRef(holder);
        holder->data->items[2] = Py_NewRef(holder->data->items[0]);
        PyObject_GC_Track(holder);
        PyGC_Collect();
        Py_DECREF(holder);
        PyGC_Collect();
    }
    Py_DECREF(type);
}

TEST(references_may_be_out_of_line_and_atoms_unvisited)
{
    expect_no_alarm(use_out_of_line);
}

/* --- a destructor that kills its siblings ---------------------------------------------------------- */

static void
dealloc_chain(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    while (self != NULL) {
        PyObject *next = as_box(self)->second;
        PyObject_GC_UnTrack(self);
        as_box(self)->second = NULL;
        Py_CLEAR(as_box(self)->first);
        type->tp_free(self);
        Py_DECREF(type);
        if (next != NULL && Py_REFCNT(next) > 1) {
            Py_DECREF(next);
            next = NULL;
        }
        self = next; /* we own its last reference: it dies here, without a call */
    }
}

static void
use_chain(void)
{
    PyTypeObject *type = box_type_with(NULL, NULL, dealloc_chain);
    Py_INCREF(type);
    PyObject *head = NULL;
    for (int i = 0; i < 50; i++) {
        PyObject *box = full_box(type);
        as_box(box)->second = head;
        head = box;
    }
    PyGC_Collect();
    Py_DECREF(head);
    Py_DECREF(type);
    Py_DECREF(type);
}

TEST(a_destructor_may_kill_a_chain_of_siblings)
{
    expect_no_alarm(use_chain);
}

/* --- back pointers ------------------------------------------------------------------------------------ */

/* The second field of a child is its parent, borrowed. */
static int
child_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(as_box(self)->first);
    Py_VISIT(Py_TYPE(self));
    return 0;
}

static int
child_clear(PyObject *self)
{
    Py_CLEAR(as_box(self)->first);
    return 0;
}

static void
child_dealloc(PyObject *self)
{
    as_box(self)->second = NULL;
    box_dealloc(self);
}

static void
use_back_pointers(void)
{
    PyTypeObject *type = new_type((struct handlers){.name = "seed.Child",
                                                    .traverse = child_traverse,
                                                    .clear = child_clear,
                                                    .dealloc = child_dealloc});
    Ouro_CheckBorrowed(type, offsetof(Box, second));
    PyObject *parent = PyList_New(0);
    PyObject *child = full_box(type);
    as_box(child)->second = parent;
    EXPECT_EQ(PyList_Append(parent, child), 0);
    Py_DECREF(child);
    PyGC_Collect();
    Ouro_CheckAudit();
    Py_DECREF(parent);
    Py_DECREF(type);
}

TEST(a_declared_back_pointer_need_not_be_visited)
{
    expect_no_alarm(use_back_pointers);
}

static void
use_accounted_back_pointer(void)
{
    PyTypeObject *type = box_type_with(child_traverse, child_clear, child_dealloc);
    PyObject *root = PyList_New(0);
    PyObject *parent = PyList_New(0);
    PyObject *child = full_box(type);
    as_box(child)->second = parent;
    EXPECT_EQ(PyList_Append(parent, child), 0);
    EXPECT_EQ(PyList_Append(root, parent), 0);
    Py_DECREF(child);
    Py_DECREF(parent);
    PyGC_Collect();
    Ouro_CheckAudit();
    Py_DECREF(root);
    Py_DECREF(type);
}

TEST(a_back_pointer_to_what_others_account_for_need_not_be_declared)
{
    expect_no_alarm(use_accounted_back_pointer);
}

/* --- delegation ----------------------------------------------------------------------------------------- */

typedef struct {
    Box base;
    PyObject *third;
} LargerBox;

static PyTypeObject *smaller; /* the base */

static int
larger_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(((LargerBox *)self)->third);
    return smaller->tp_traverse(self, visit, arg); /* visits the type */
}

static int
larger_clear(PyObject *self)
{
    Py_CLEAR(((LargerBox *)self)->third);
    return smaller->tp_clear(self);
}

static void
larger_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    Py_CLEAR(((LargerBox *)self)->third);
    PyObject_GC_Track(self);
    smaller->tp_dealloc(self); /* releases the type */
}

static void
use_delegation(void)
{
    smaller = box_type_with(NULL, NULL, NULL);
    PyType_Slot slots[] = {{Py_tp_traverse, (void *)larger_traverse},
                           {Py_tp_clear, (void *)larger_clear},
                           {Py_tp_dealloc, (void *)larger_dealloc},
                           {0, NULL}};
    PyType_Spec spec = {"seed.Larger", sizeof(LargerBox), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
    PyTypeObject *type =
        (PyTypeObject *)PyType_FromSpecWithBases(&spec, (PyObject *)smaller);
    for (int i = 0; i < 3; i++) {
        LargerBox *box = (LargerBox *)PyType_GenericAlloc(type, 0);
        box->base.first = PyList_New(0);
        box->third = i == 0 ? PyList_New(0) : Py_NewRef(box);
        PyGC_Collect();
        Py_DECREF(box);
        PyGC_Collect();
    }
    Py_DECREF(type);
    Py_DECREF(smaller);
}

TEST(handlers_may_delegate_to_their_base)
{
    expect_no_alarm(use_delegation);
}

/* --- resurrection ------------------------------------------------------------------------------------------ */

static PyObject *rescued_box;

static void
rescue_box(PyObject *self)
{
    rescued_box = Py_NewRef(self);
}

static void
dealloc_unless_rescued(PyObject *self)
{
    if (PyObject_CallFinalizerFromDealloc(self) == 0) {
        box_dealloc(self);
    }
}

static void
use_resurrection(void)
{
    PyTypeObject *type = new_type((struct handlers){.traverse = box_traverse,
                                                    .clear = box_clear,
                                                    .dealloc = dealloc_unless_rescued,
                                                    .finalize = rescue_box});
    Py_DECREF(full_box(type));
    EXPECT_NOT_NULL(rescued_box);
    Py_CLEAR(rescued_box);
    drop_cycle(type);
    PyGC_Collect();
    EXPECT_NOT_NULL(rescued_box);
    Py_CLEAR(rescued_box);
    PyGC_Collect();
    Py_DECREF(type);
}

TEST(a_finalizer_may_resurrect)
{
    expect_no_alarm(use_resurrection);
}

/* --- a constructor that fails -------------------------------------------------------------------------------- */

static void
use_failing_constructor(void)
{
    PyTypeObject *type = box_type_with(NULL, NULL, NULL);
    PyObject *box = raw_box(type);
    as_box(box)->first = PyList_New(0);
    PyErr_SetString(PyExc_ValueError, "the rest cannot be made");
    Py_DECREF(box); /* was never tracked */
    EXPECT_RAISED(PyExc_ValueError);
    Py_DECREF(type);
}

TEST(a_constructor_that_fails_need_not_track)
{
    expect_no_alarm(use_failing_constructor);
}

/* --- items ------------------------------------------------------------------------------------------------------ */

typedef struct {
    PyObject_VAR_HEAD
    PyObject *items[1];
} Stack;

static int
stack_traverse(PyObject *self, visitproc visit, void *arg)
{
    for (Py_ssize_t i = 0; i < Py_SIZE(self); i++) {
        Py_VISIT(((Stack *)self)->items[i]);
    }
    return 0;
}

static void
stack_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    for (Py_ssize_t i = 0; i < Py_SIZE(self); i++) {
        Py_DECREF(((Stack *)self)->items[i]);
    }
    Py_TYPE(self)->tp_free(self);
}

static PyTypeObject stack_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "seed.Stack",
    .tp_basicsize = offsetof(Stack, items),
    .tp_itemsize = sizeof(PyObject *),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = stack_traverse,
    .tp_dealloc = stack_dealloc,
};

/* The popped item moves to the caller with its reference. */
static void
use_popping(void)
{
    EXPECT_EQ(PyType_Ready(&stack_type), 0);
    Stack *stack = PyObject_GC_NewVar(Stack, &stack_type, 2);
    stack->items[0] = PyList_New(0);
    stack->items[1] = PyList_New(0);
    PyObject_GC_Track(stack);
    PyObject *popped = stack->items[1];
    PyObject_GC_UnTrack(stack);
    stack = PyObject_GC_Resize(Stack, stack, 1);
    PyObject_GC_Track(stack);
    Py_DECREF(stack);
    Py_DECREF(popped);
}

TEST(an_item_may_move_out_before_shrinking)
{
    expect_no_alarm(use_popping);
}

/* --- finalizers that release fields -------------------------------------------------------------- */

static void
clear_in_finalizer(PyObject *self)
{
    box_clear(self);
}

/* The destructor of the class finds nothing left to release. */
static void
use_clearing_finalizer(void)
{
    PyTypeObject *base = new_type((struct handlers){
        .traverse = box_traverse,
        .clear = box_clear,
        .dealloc = box_dealloc,
        .finalize = clear_in_finalizer,
        .more = Py_TPFLAGS_BASETYPE,
    });
    PyObject *class =
        PyObject_CallFunction((PyObject *)&PyType_Type, "s(O){}", "seed.Derived", base);
    PyObject *box = full_box((PyTypeObject *)class);
    REQUIRE_NOT_NULL(box);
    Py_DECREF(box);
    Py_DECREF(class);
    Py_DECREF(base);
}

TEST(a_finalizer_may_release_the_fields)
{
    expect_no_alarm(use_clearing_finalizer);
}

/* --- metatypes ------------------------------------------------------------------------------------- */

/* A class of a metatype that inherits everything from `type`. */
static void
use_metatype(void)
{
    PyType_Slot slots[] = {{Py_tp_base, &PyType_Type}, {0, NULL}};
    PyType_Spec spec = {.name = "seed.Meta", .flags = Py_TPFLAGS_DEFAULT, .slots = slots};
    PyObject *meta = PyType_FromSpec(&spec);
    PyObject *class = PyObject_CallFunction(meta, "s(){}", "seed.Made");
    REQUIRE_NOT_NULL(class);
    Ouro_CheckAudit();
    Py_DECREF(class);
    Py_DECREF(meta);
    PyGC_Collect();
}

TEST(a_metatype_may_inherit_everything)
{
    expect_no_alarm(use_metatype);
}
