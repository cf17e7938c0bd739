/* SPDX-License-Identifier: MIT */
/* The works in C, as one would write them by hand for speed. work.cc has the same in C++. A ref may
 * be null, so it corresponds to Py_XDECREF and similar macros. */
#include <Python.h>
#include <ouro_fields.h>

#include <stdlib.h>

#include "work.h"

/* --- types -------------------------------------------------------------------------------- */

/* A node with a destructor of its own, as types have that own more than references. */
typedef struct {
    PyObject_HEAD
    PyObject *next, *other;
    long number;
} Node;
OURO_FIELDS(Node, next, other);

static void
node_dealloc(PyObject *op)
{
    Node *self = (Node *)op;
    PyObject_GC_UnTrack(op);
    Py_XDECREF(self->next);
    Py_XDECREF(self->other);
    Py_TYPE(op)->tp_free(op);
}

static PyObject *
node_get(PyObject *op, PyObject *Py_UNUSED(ignored))
{
    return Py_NewRef(((Node *)op)->other);
}

static PyMethodDef node_methods[] = {{"get", node_get, METH_NOARGS, NULL}, {0}};

static PyTypeObject Node_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "bench.Node",
    .tp_basicsize = sizeof(Node),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_dealloc = node_dealloc,
    .tp_methods = node_methods,
    OURO_TYPE_FIELDS(Node),
};

/* An object with nothing but references and a number. */
typedef struct {
    PyObject_HEAD
    PyObject *next, *prev;
    long number;
} Link;
OURO_FIELDS(Link, next, prev);

static PyTypeObject Link_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "bench.Link",
    .tp_basicsize = sizeof(Link),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    OURO_TYPE_FIELDS(Link),
};

/* An object with children in an array that grows, visited by a function, and with weak
 * references. */
typedef struct {
    PyObject_HEAD
    PyObject **items, **end, **limit;
    PyObject *weaklist;
} Tree;

static int
visit_items(PyObject *op, visitproc visit, void *arg)
{
    Tree *self = (Tree *)op;
    for (PyObject **item = self->items; item != self->end; item++) {
        Py_VISIT(*item);
    }
    return 0;
}

static int
clear_items(PyObject *op)
{
    Tree *self = (Tree *)op;
    PyObject **items = self->items, **end = self->end;
    self->items = self->end = self->limit = NULL;
    for (PyObject **item = items; item != end; item++) {
        Py_XDECREF(*item);
    }
    free(items);
    return 0;
}

OURO_FIELDS(Tree, OURO_REST(visit_items, clear_items), OURO_WEAKREFS(weaklist));

static void
tree_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    if (((Tree *)op)->weaklist != NULL) {
        PyObject_ClearWeakRefs(op);
    }
    clear_items(op);
    Py_TYPE(op)->tp_free(op);
}

static PyTypeObject Tree_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "bench.Tree",
    .tp_basicsize = sizeof(Tree),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_weaklistoffset = offsetof(Tree, weaklist),
    .tp_dealloc = tree_dealloc,
    OURO_TYPE_FIELDS(Tree),
};

void
ready_types(void)
{
    if (PyType_Ready(&Node_Type) < 0 || PyType_Ready(&Link_Type) < 0 ||
        PyType_Ready(&Tree_Type) < 0) {
        abort();
    }
}

static Node *
new_node(void)
{
    Node *node = PyObject_GC_New(Node, &Node_Type);
    if (node == NULL) {
        abort();
    }
    node->next = NULL;
    node->other = NULL;
    node->number = 0;
    PyObject_GC_Track(node);
    return node;
}

static Link *
new_link(void)
{
    Link *link = PyObject_GC_New(Link, &Link_Type);
    if (link == NULL) {
        abort();
    }
    link->next = NULL;
    link->prev = NULL;
    link->number = 0;
    PyObject_GC_Track(link);
    return link;
}

static Tree *
new_tree(void)
{
    Tree *tree = PyObject_GC_New(Tree, &Tree_Type);
    if (tree == NULL) {
        abort();
    }
    tree->items = NULL;
    tree->end = NULL;
    tree->limit = NULL;
    tree->weaklist = NULL;
    PyObject_GC_Track(tree);
    return tree;
}

/* --- pointers ------------------------------------------------------------------------------ */

static void
make_and_drop(long count)
{
    for (long i = 0; i < count; i++) {
        Node *node = new_node();
        Py_DECREF(node);
    }
}

static void
make_a_chain(long count)
{
    Node *first = NULL;
    for (long i = 0; i < count; i++) {
        Node *node = new_node();
        node->next = (PyObject *)first;
        first = node;
    }
    Py_XDECREF(first);
}

static Node *held, *spare;

static void
hold(long count)
{
    (void)count;
    held = new_node();
    spare = new_node();
    held->other = Py_NewRef(spare);
}

static void
let_go(void)
{
    Py_CLEAR(held);
    Py_CLEAR(spare);
}

static void
copy_and_drop(long count)
{
    for (long i = 0; i < count; i++) {
        PyObject *copy = Py_XNewRef(held);
        __asm__ volatile("" : : "r"(copy) : "memory");
        Py_XDECREF(copy);
    }
}

static void
move_around(long count)
{
    for (long i = 0; i < count; i++) {
        Node *moving = held;
        held = spare;
        spare = moving;
        __asm__ volatile("" : : : "memory");
    }
}

static void
replace_member(long count)
{
    for (long i = 0; i < count; i++) {
        Py_XSETREF(held->other, Py_XNewRef(spare));
        __asm__ volatile("" : : : "memory");
    }
}

static void
call_method(long count)
{
    PyObject *name = PyUnicode_InternFromString("get");
    for (long i = 0; i < count; i++) {
        PyObject *result = PyObject_CallMethodNoArgs((PyObject *)held, name);
        Py_XDECREF(result);
    }
    Py_DECREF(name);
}

static Node *
as_node(PyObject *op)
{
    return op != NULL && PyObject_TypeCheck(op, &Node_Type) ? (Node *)op : NULL;
}

static void
cast_down(long count)
{
    for (long i = 0; i < count; i++) {
        held->number += as_node(held->other) != NULL;
        __asm__ volatile("" : : : "memory");
    }
}

/* --- graphs --------------------------------------------------------------------------------- */

static Node *chain;

static void
prepare_chain(long count)
{
    for (long i = 0; i < count; i++) {
        Node *node = new_node();
        node->next = (PyObject *)chain;
        node->number = i;
        chain = node;
    }
}

static void
drop_chain(void)
{
    Py_CLEAR(chain);
}

static void
walk_chain(long count)
{
    long sum = 0;
    (void)count;
    for (Node *node = chain; node != NULL; node = (Node *)node->next) {
        sum += node->number;
    }
    __asm__ volatile("" : : "r"(sum));
}

static void
prepare_node_garbage(long count)
{
    Node *first = new_node(), *last = first;
    for (long i = 1; i < count; i++) {
        Node *node = new_node();
        last->next = (PyObject *)node;
        last = node;
    }
    last->next = (PyObject *)first;
}

static void
prepare_link_garbage(long count)
{
    Link *first = new_link(), *last = first;
    for (long i = 1; i < count; i++) {
        Link *link = new_link();
        last->next = (PyObject *)link;
        last = link;
    }
    last->next = (PyObject *)first;
}

static Tree *tree;

static void
reserve(Tree *parent, size_t room)
{
    size_t size = (size_t)(parent->end - parent->items);
    PyObject **items = realloc(parent->items, room * sizeof(PyObject *));
    if (items == NULL) {
        abort();
    }
    parent->items = items;
    parent->end = items + size;
    parent->limit = items + room;
}

static void
append(Tree *parent, PyObject *child)
{
    if (parent->end == parent->limit) {
        size_t size = (size_t)(parent->end - parent->items);
        reserve(parent, size == 0 ? 1 : 2 * size);
    }
    *parent->end++ = child;
}

/* Ten children for each. */
static void
grow(Tree *parent, long *left)
{
    for (int i = 0; i < 10 && *left > 0; i++) {
        append(parent, (PyObject *)new_tree());
        --*left;
    }
    for (PyObject **item = parent->items; item != parent->end && *left > 0; item++) {
        grow((Tree *)*item, left);
    }
}

static void
prepare_tree(long count)
{
    tree = new_tree();
    grow(tree, &count);
}

static void
drop_tree(void)
{
    Py_CLEAR(tree);
}

static void
prepare_array(long count)
{
    tree = new_tree();
    reserve(tree, (size_t)count);
}

static void
fill_array(long count)
{
    Tree *parent = tree;
    for (long i = 0; i < count; i++) {
        append(parent, Py_XNewRef(parent));
    }
    clear_items((PyObject *)parent);
}

static PyObject *weak;

static void
prepare_weak(long count)
{
    tree = new_tree();
    weak = PyWeakref_NewRef((PyObject *)tree, NULL);
    (void)count;
}

static void
lock_weak(long count)
{
    for (long i = 0; i < count; i++) {
        PyObject *op = NULL;
        if (weak != NULL) {
            (void)PyWeakref_GetRef(weak, &op);
        }
        Py_XDECREF(op);
    }
}

static void
drop_weak(void)
{
    Py_CLEAR(weak);
    Py_CLEAR(tree);
}

const struct work works[] = {
    {"make and drop an object", NULL, make_and_drop, NULL},
    {"make a chain, and drop it", NULL, make_a_chain, NULL},
    {"copy and drop a reference", hold, copy_and_drop, let_go},
    {"swap two references", hold, move_around, let_go},
    {"replace a member", hold, replace_member, let_go},
    {"call a method", hold, call_method, let_go},
    {"ask for the type", hold, cast_down, let_go},
    {"lock a weak reference", prepare_weak, lock_weak, drop_weak},
    {"walk a chain", prepare_chain, walk_chain, drop_chain},
    {"fill and empty an array", prepare_array, fill_array, drop_tree},
    {"collect: all alive, members", prepare_chain, collect, drop_chain},
    {"collect: all alive, arrays", prepare_tree, collect, drop_tree},
    {"collect: all garbage", prepare_node_garbage, collect, NULL},
    {"collect: all garbage, plain", prepare_link_garbage, collect, NULL},
    {NULL, NULL, NULL, NULL},
};
