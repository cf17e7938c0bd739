/* SPDX-License-Identifier: MIT */
/* One source with declared fields of every kind, for CPython 3.9 and newer and for Ouroboros, as C
 * and as C++. tests/scripts/fields.sh compares the outputs. */
#include <Python.h>

#include <ouro_fields.h>

#include <stdio.h>
#include <stdlib.h>

static int leaves, deaths, finalizers, rest_visits, releases;

static void
require(int fine, const char *what)
{
    if (!fine) {
        PyErr_Print();
        fprintf(stderr, "failed: %s\n", what);
        exit(1);
    }
}

/* Collect, and print how many leaves died and how many are left. */
static void
collect(const char *what)
{
    int before = deaths;
    PyGC_Collect();
    printf("%s: %d collected, %d leaves left\n", what, deaths - before, leaves);
}

/* --- a leaf that counts its end -------------------------------------------------------------- */

typedef struct {
    PyObject_HEAD
    PyObject *self; /* refers to the object itself if it shall become garbage */
} Leaf;
OURO_FIELDS(Leaf, self);

static PyTypeObject Leaf_Type;

static void
count_leaf(PyObject *op)
{
    leaves -= Py_TYPE(op) == &Leaf_Type;
    deaths += Py_TYPE(op) == &Leaf_Type;
}

static PyObject *
new_of(PyTypeObject *type, Py_ssize_t items)
{
    PyObject *op = type->tp_alloc(type, items);
    require(op != NULL, "an instance");
    return op;
}

static PyObject *
new_leaf(void)
{
    leaves++;
    return new_of(&Leaf_Type, 0);
}

/* --- every kind ------------------------------------------------------------------------------- */

typedef struct {
    long number;
    PyObject *key, *value;
} Pair;
OURO_STRUCT_FIELDS(Pair, key, value);

typedef struct {
    Pair pair;
    PyObject *more[2];
} Nest;
OURO_STRUCT_FIELDS(Nest, OURO_STRUCT(Pair, pair), OURO_ARRAY(more));

typedef struct {
    PyObject_HEAD
    PyObject *first;
    char letter;
    PyObject *array[3];
    PyObject **counted;
    int length;
    Pair *pairs;
    unsigned short pair_count;
    Nest nest;
    PyObject *weaklist;
    PyObject *borrowed;
    PyObject *hidden; /* visited by functions */
} All;

static int
visit_hidden(PyObject *op, visitproc visit, void *arg)
{
    rest_visits++;
    Py_VISIT(((All *)op)->hidden);
    return 0;
}

static int
clear_hidden(PyObject *op)
{
    Py_CLEAR(((All *)op)->hidden);
    return 0;
}

static void
release_memory(void *memory)
{
    releases += memory != NULL;
    PyMem_Free(memory);
}

OURO_FIELDS(All, first, OURO_ARRAY(array), OURO_COUNTED(counted, length, release_memory),
            OURO_STRUCTS(Pair, pairs, pair_count, release_memory),
            OURO_STRUCT(Nest, nest), OURO_WEAKREFS(weaklist), OURO_BORROWED(borrowed),
            OURO_REST(visit_hidden, clear_hidden));

static PyTypeObject All_Type;

static PyObject *
new_all(PyTypeObject *type)
{
    All *self = (All *)new_of(type, 0);
    self->first = new_leaf();
    self->letter = 'x';
    for (int i = 0; i < 3; i++) {
        self->array[i] = i == 1 ? NULL : new_leaf();
    }
    self->counted = (PyObject **)PyMem_Calloc(4, sizeof(PyObject *));
    self->length = 4;
    self->counted[0] = new_leaf();
    self->counted[3] = new_leaf();
    self->pairs = (Pair *)PyMem_Calloc(2, sizeof(Pair));
    self->pair_count = 2;
    self->pairs[0].key = new_leaf();
    self->pairs[1].number = 1;
    self->pairs[1].value = new_leaf();
    self->nest.pair.number = 7;
    self->nest.pair.key = new_leaf();
    self->nest.more[1] = new_leaf();
    self->hidden = new_leaf();
    self->borrowed = self->first;
    return (PyObject *)self;
}

static int
count_visit(PyObject *op, void *arg)
{
    *(int *)arg += Py_TYPE(op) == &Leaf_Type;
    return 0;
}

static int
stop_at_third(PyObject *op, void *arg)
{
    (void)op;
    return ++*(int *)arg == 3 ? 42 : 0;
}

static void
show_kinds(void)
{
    PyObject *all = new_all(&All_Type);
    int visits = 0, steps = 0;
    Py_TYPE(all)->tp_traverse(all, count_visit, &visits);
    printf("kinds: %d leaves, %d visited\n", leaves, visits);
    int result = Py_TYPE(all)->tp_traverse(all, stop_at_third, &steps);
    printf("kinds: visit returned %d after %d steps\n", result, steps);
    Py_DECREF(all);
    printf("kinds: %d leaves left, %d releases\n", leaves, releases);

    all = new_all(&All_Type);
    Py_TYPE(all)->tp_clear(all);
    printf("cleared: %d leaves, length %d, first %d, borrowed %d\n", leaves,
           ((All *)all)->length, ((All *)all)->first != NULL,
           ((All *)all)->borrowed != NULL);
    Py_TYPE(all)->tp_clear(all);
    Py_DECREF(all);

    all = new_all(&All_Type);
    Leaf *leaf = (Leaf *)((All *)all)->pairs[1].value;
    leaf->self = all; /* a cycle through a struct in an array */
    collect("cycle");
}

/* --- two arrays, one length ----------------------------------------------------------------------- */

typedef struct {
    PyObject_HEAD
    PyObject **keys, **values;
    Py_ssize_t used;
} Table;
OURO_FIELDS(Table, OURO_COUNTED(keys, used, release_memory),
            OURO_COUNTED(values, used, release_memory));
static PyTypeObject Table_Type;

static PyObject *
new_table(void)
{
    Table *table = (Table *)new_of(&Table_Type, 0);
    table->keys = (PyObject **)PyMem_Calloc(2, sizeof(PyObject *));
    table->values = (PyObject **)PyMem_Calloc(2, sizeof(PyObject *));
    table->used = 2;
    for (int i = 0; i < 2; i++) {
        table->keys[i] = new_leaf();
        table->values[i] = new_leaf();
    }
    return (PyObject *)table;
}

static void
show_shared_length(void)
{
    PyObject *table = new_table();
    Py_DECREF(table);
    printf("one length: %d leaves left, %d releases\n", leaves, releases);
    table = new_table();
    Py_TYPE(table)->tp_clear(table);
    printf("one length, cleared: %d leaves left, %d releases\n", leaves, releases);
    Py_DECREF(table);
    table = new_table();
    ((Leaf *)((Table *)table)->values[1])->self = table;
    collect("one length");
}

/* --- items at the end --------------------------------------------------------------------------- */

typedef struct {
    PyObject_VAR_HEAD
    PyObject *extra;
    PyObject *items[1];
} Row;
OURO_FIELDS(Row, extra, OURO_ITEMS(items));
static PyTypeObject Row_Type;

static void
show_items(void)
{
    Row *row = (Row *)new_of(&Row_Type, 5);
    row->extra = new_leaf();
    for (int i = 0; i < 5; i += 2) {
        row->items[i] = new_leaf();
    }
    ((Leaf *)row->items[4])->self = (PyObject *)row;
    int visits = 0;
    Py_TYPE(row)->tp_traverse((PyObject *)row, count_visit, &visits);
    printf("items: %d visited\n", visits);
    collect("items");
}

/* --- weak references and finalizers ---------------------------------------------------------------- */

static PyObject *rescued;

static void
finalize_once(PyObject *op)
{
    finalizers++;
    if (finalizers % 2 == 1) {
        Py_INCREF(op);
        rescued = op;
    }
}

typedef struct {
    PyObject_HEAD
    PyObject *next, *weaklist;
} Node;
OURO_FIELDS(Node, next, OURO_WEAKREFS(weaklist));
static PyTypeObject Node_Type, Final_Type;

static int
is_dead(PyObject *weakref)
{
    PyObject *none = PyObject_CallObject(weakref, NULL);
    int dead = none == Py_None;
    Py_DECREF(none);
    return dead;
}

static void
show_ends(void)
{
    PyObject *node = new_of(&Node_Type, 0);
    PyObject *weak = PyWeakref_NewRef(node, NULL);
    require(weak != NULL, "a weak reference");
    ((Node *)node)->next = new_leaf();
    printf("weak: dead %d", is_dead(weak));
    Py_DECREF(node);
    printf(", then %d, %d leaves left\n", is_dead(weak), leaves);
    Py_DECREF(weak);

    node = new_of(&Final_Type, 0);
    ((Node *)node)->next = new_leaf();
    Py_DECREF(node);
    printf("final: %d calls, rescued %d, %d leaves\n", finalizers, rescued == node,
           leaves);
    Py_CLEAR(rescued);
    printf("final: %d calls, %d leaves left\n", finalizers, leaves);
}

/* --- heap types, subtypes ---------------------------------------------------------------------------- */

typedef struct {
    Node node;
    PyObject *more;
} Extended;
OURO_FIELDS(Extended, more);

static PyType_Slot node_slots[] = {OURO_SLOT_FIELDS(Leaf), {0, NULL}};
static PyType_Spec node_spec = {
    "sample.HeapLeaf", sizeof(Leaf), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE, node_slots};

typedef struct {
    Leaf leaf;
    PyObject *second;
} HeapMore;
OURO_FIELDS(HeapMore, second);
static PyType_Slot more_slots[] = {OURO_SLOT_FIELDS(HeapMore), {0, NULL}};
static PyType_Spec more_spec = {
    "sample.HeapMore", sizeof(HeapMore), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE, more_slots};

static PyType_Slot extended_slots[] = {OURO_SLOT_FIELDS(Extended), {0, NULL}};
static PyType_Spec extended_spec = {
    "sample.Extended", sizeof(Extended), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE, extended_slots};

struct census {
    PyObject *type;
    int types, leaves, others;
};

static int
count_kinds(PyObject *op, void *arg)
{
    struct census *census = (struct census *)arg;
    census->types += op == census->type;
    census->leaves += Py_TYPE(op) == &Leaf_Type;
    census->others += op != census->type && Py_TYPE(op) != &Leaf_Type;
    return 0;
}

/* Two fields, at `a` and `b`; the type and its references. */
static void
show_subtype(const char *name, PyTypeObject *type, size_t a, size_t b)
{
    Py_ssize_t before = Py_REFCNT(type);
    PyObject *op = new_of(type, 0);
    *(PyObject **)((char *)op + a) = new_leaf();
    *(PyObject **)((char *)op + b) = new_leaf();
    struct census census = {(PyObject *)type, 0, 0, 0};
    Py_TYPE(op)->tp_traverse(op, count_kinds, &census);
    printf("%s: visits type %d, leaves %d, others %d", name, census.types, census.leaves,
           census.others);
    Py_DECREF(op);
    printf("; %d leaves left, type %+d", leaves, (int)(Py_REFCNT(type) - before));
    op = new_of(type, 0);
    *(PyObject **)((char *)op + a) = op;
    *(PyObject **)((char *)op + b) = new_leaf();
    printf("\n");
    collect(name);
    printf("%s: type %+d\n", name, (int)(Py_REFCNT(type) - before));
}

static PyTypeObject *
type_from(PyType_Spec *spec, PyTypeObject *base)
{
    PyObject *bases = PyTuple_Pack(1, base);
    PyObject *type = PyType_FromSpecWithBases(spec, bases);
    require(type != NULL, spec->name);
    Py_DECREF(bases);
    return (PyTypeObject *)type;
}

static PyTypeObject *
class_of(const char *name, PyTypeObject *base)
{
    PyObject *type =
        PyObject_CallFunction((PyObject *)&PyType_Type, "s(O){}", name, base);
    require(type != NULL, name);
    return (PyTypeObject *)type;
}

/* A type with handlers derives from one with declared fields, and another with fields from it. */
typedef struct {
    Leaf leaf;
    PyObject *by_hand;
} Hand;

static int
hand_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(((Hand *)op)->by_hand);
    return Leaf_Type.tp_traverse(op, visit, arg);
}

static int
hand_clear(PyObject *op)
{
    Py_CLEAR(((Hand *)op)->by_hand);
    return Leaf_Type.tp_clear(op);
}

static void
hand_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    Py_CLEAR(((Hand *)op)->by_hand);
    PyObject_GC_Track(op);
    Leaf_Type.tp_dealloc(op);
}

typedef struct {
    Hand hand;
    PyObject *top;
} Top;
OURO_FIELDS(Top, top);
static PyTypeObject Hand_Type, Top_Type;

static void
show_subtypes(void)
{
    PyTypeObject *heap_leaf = (PyTypeObject *)PyType_FromSpec(&node_spec);
    require(heap_leaf != NULL, "HeapLeaf");
    PyTypeObject *heap_more = type_from(&more_spec, heap_leaf);
    PyTypeObject *extended = type_from(&extended_spec, &Node_Type);
    PyTypeObject *class_extended = class_of("E", extended);
    PyTypeObject *class_node = class_of("N", &Node_Type);
    show_subtype("heap above heap", heap_more, offsetof(Leaf, self),
                 offsetof(HeapMore, second));
    show_subtype("heap above static", extended, offsetof(Node, next),
                 offsetof(Extended, more));
    show_subtype("class above heap", class_extended, offsetof(Node, next),
                 offsetof(Extended, more));
    Py_DECREF(heap_more);
    Py_DECREF(heap_leaf);
    Py_DECREF(class_extended);
    Py_DECREF(extended);
    PyObject *instance = PyObject_CallObject((PyObject *)class_node, NULL);
    require(instance != NULL, "an instance of a class");
    require(PyObject_SetAttrString(instance, "leaf", instance) == 0, "an attribute");
    ((Node *)instance)->next = new_leaf();
    Py_DECREF(instance);
    collect("class above static");
    Py_DECREF(class_node);
    show_subtype("declared above hand above declared", &Top_Type, offsetof(Hand, by_hand),
                 offsetof(Top, top));
}

/* --- long chains ----------------------------------------------------------------------------------------- */

static void
show_chain(void)
{
    PyObject *head = NULL;
    for (int i = 0; i < 300000; i++) {
        PyObject *node = new_of(&Node_Type, 0);
        ((Node *)node)->next = head;
        head = node;
    }
    Py_DECREF(head);
    printf("a chain of 300000 is gone\n");
}

/* --- readying ---------------------------------------------------------------------------------------------- */

static void
ready(PyTypeObject *type, const char *name, size_t basicsize, PyTypeObject *base)
{
    type->tp_name = name;
    type->tp_basicsize = (Py_ssize_t)basicsize;
    type->tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE;
    type->tp_base = base;
    type->tp_new = PyType_GenericNew;
    require(PyType_Ready(type) == 0, name);
}

#ifndef __cplusplus
typedef struct {
    PyObject_HEAD
    PyObject *next;
} Link;
OURO_FIELDS(Link, next);
/* clang-format off */
static PyTypeObject Link_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "sample.Link",
    .tp_basicsize = sizeof(Link),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    OURO_TYPE_FIELDS(Link),
};
/* clang-format on */
#endif

/* Designated initialisers are not C++17: there a leaf stands for the link. */
static void
show_link(void)
{
    PyObject *leaf = new_leaf();
#ifndef __cplusplus
    require(PyType_Ready(&Link_Type) == 0, "Link");
    Link *link = (Link *)new_of(&Link_Type, 0);
    link->next = leaf;
    ((Leaf *)leaf)->self = (PyObject *)link;
#else
    ((Leaf *)leaf)->self = leaf;
#endif
    collect("static");
}

static void
ready_all(void)
{
    OURO_SET_FIELDS(&Leaf_Type, Leaf);
    Leaf_Type.tp_finalize = count_leaf;
    ready(&Leaf_Type, "sample.Leaf", sizeof(Leaf), NULL);
    OURO_SET_FIELDS(&All_Type, All);
    All_Type.tp_weaklistoffset = offsetof(All, weaklist);
    ready(&All_Type, "sample.All", sizeof(All), NULL);
    OURO_SET_FIELDS(&Row_Type, Row);
    Row_Type.tp_itemsize = sizeof(PyObject *);
    ready(&Row_Type, "sample.Row", offsetof(Row, items), NULL);
    OURO_SET_FIELDS(&Node_Type, Node);
    Node_Type.tp_weaklistoffset = offsetof(Node, weaklist);
    ready(&Node_Type, "sample.Node", sizeof(Node), NULL);
    OURO_SET_FIELDS(&Final_Type, Node);
    Final_Type.tp_weaklistoffset = offsetof(Node, weaklist);
    Final_Type.tp_finalize = finalize_once;
    ready(&Final_Type, "sample.Final", sizeof(Node), NULL);
    Hand_Type.tp_traverse = hand_traverse;
    Hand_Type.tp_clear = hand_clear;
    Hand_Type.tp_dealloc = hand_dealloc;
    ready(&Hand_Type, "sample.Hand", sizeof(Hand), &Leaf_Type);
    OURO_SET_FIELDS(&Table_Type, Table);
    ready(&Table_Type, "sample.Table", sizeof(Table), NULL);
    OURO_SET_FIELDS(&Top_Type, Top);
    ready(&Top_Type, "sample.Top", sizeof(Top), &Hand_Type);
}

int
main(void)
{
    Py_Initialize();
    ready_all();
    PyGC_Collect();
    show_kinds();
    show_shared_length();
    show_items();
    show_ends();
    show_subtypes();
    show_chain();
    show_link();
    require(Py_FinalizeEx() == 0, "the end");
    return 0;
}
