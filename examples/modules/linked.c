/* SPDX-License-Identifier: MIT */
/* The extension module `linked`: a doubly linked list.
 *
 *     l = linked.List([1, 2])
 *     node = l.append(3)            # a linked.Node
 *     node.prev.value               # 2
 *     l.insert(0, before=l.first)
 *     list(l), list(l.reversed())
 *     l.remove(node)                # or node.unlink()
 *
 * Every node owns its neighbours and its list, and the list owns its first and last node:
 * a list that is not empty is one large cycle, and when it is forgotten only the collector
 * can free it. Nothing here depends on whose collector that is: the same source is an
 * extension module of CPython and a part of a program with Ouroboros. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stddef.h>
#include <structmember.h>

#include "ouro_fields.h"

typedef struct List List;
typedef struct Node Node;

struct Node {
    PyObject_HEAD
    PyObject *value;   /* owned */
    Node *prev, *next; /* owned, or NULL */
    List *list;        /* owned; NULL when the node is in no list */
};
OURO_FIELDS(Node, value, prev, next, list);

struct List {
    PyObject_HEAD
    Node *first, *last; /* owned, or NULL */
    Py_ssize_t size;
    PyObject *weakrefs;
}; /* its tp_clear takes the nodes apart one by one, so it has handlers of its own */

/* Goes on from its node, whatever happens to the list meanwhile; a node that was removed
 * has no neighbours, so there the iteration ends. */
typedef struct {
    PyObject_HEAD
    Node *next; /* owned, or NULL */
    int backwards;
} Iterator;
OURO_FIELDS(Iterator, next);

typedef struct {
    PyTypeObject *list_type, *node_type, *iterator_type; /* owned */
} State;

static struct PyModuleDef linked_module;

/* The state of the module that defined the type of `self` or one of its bases. */
static State *
state_of(PyObject *self)
{
    PyObject *module = PyType_GetModuleByDef(Py_TYPE(self), &linked_module);
    return module != NULL ? PyModule_GetState(module) : NULL;
}

/* --- changing the structure ------------------------------------------------------------ */

/* Put a node that is in no list between two neighbours, either of which may be NULL. The
 * references that are replaced go to the other neighbour, so none of them is the last. */
static void
link_node(List *list, Node *node, Node *prev, Node *next)
{
    node->list = (List *)Py_NewRef((PyObject *)list);
    node->prev = (Node *)Py_XNewRef((PyObject *)prev);
    node->next = (Node *)Py_XNewRef((PyObject *)next);
    Py_XSETREF(*(prev != NULL ? &prev->next : &list->first),
               (Node *)Py_NewRef((PyObject *)node));
    Py_XSETREF(*(next != NULL ? &next->prev : &list->last),
               (Node *)Py_NewRef((PyObject *)node));
    list->size++;
}

/* Take a node out of its list. Its own references move to its neighbours; what the
 * neighbours had is released at the end, when everything is in order again, because that
 * may run any code. */
static void
unlink_node(Node *node)
{
    List *list = node->list;
    Node *prev = node->prev, *next = node->next;
    Node **from_prev = prev != NULL ? &prev->next : &list->first;
    Node **from_next = next != NULL ? &next->prev : &list->last;
    Node *once = *from_prev, *twice = *from_next; /* both are the node */
    *from_prev = next;
    *from_next = prev;
    node->prev = node->next = NULL;
    node->list = NULL;
    list->size--;
    Py_XDECREF(once);
    Py_XDECREF(twice);
    Py_DECREF(list);
}

/* Empty the list. First no node belongs to it any more, then the nodes come apart: code that
 * runs while they die finds an empty list and nodes without one. */
static void
drop_nodes(List *list)
{
    Node *first = list->first, *last = list->last;
    list->first = list->last = NULL;
    list->size = 0;
    for (Node *node = first; node != NULL; node = node->next) {
        Py_CLEAR(node->list); /* never the last reference: the caller has one */
    }
    while (first != NULL) {
        Node *next = first->next;
        first->next = NULL;
        Py_CLEAR(first->prev);
        Py_DECREF(first);
        first = next;
    }
    Py_XDECREF(last);
}

static Node *
new_node(List *list, PyObject *value)
{
    State *state = state_of((PyObject *)list);
    Node *node = state != NULL ? PyObject_GC_New(Node, state->node_type) : NULL;
    if (node == NULL) {
        return NULL;
    }
    node->value = Py_NewRef(value);
    node->prev = node->next = NULL;
    node->list = NULL;
    PyObject_GC_Track(node);
    return node;
}

/* --- Node ------------------------------------------------------------------------------ */

static PyObject *
node_repr(PyObject *op)
{
    Node *self = (Node *)op;
    int status = Py_ReprEnter(op);
    if (status != 0) {
        return status < 0 ? NULL : PyUnicode_FromString("linked.Node(...)");
    }
    PyObject *value = self->value != NULL ? self->value : Py_None;
    PyObject *text = PyUnicode_FromFormat("linked.Node(%R)", value);
    Py_ReprLeave(op);
    return text;
}

static PyObject *
node_unlink(PyObject *op, PyObject *Py_UNUSED(unused))
{
    if (((Node *)op)->list != NULL) {
        unlink_node((Node *)op);
    }
    Py_RETURN_NONE;
}

/* An owned field as an attribute; None stands for NULL. */
static PyObject *
object_or_none(void *object)
{
    return Py_NewRef(object != NULL ? (PyObject *)object : Py_None);
}

static PyObject *
node_get_prev(PyObject *op, void *Py_UNUSED(closure))
{
    return object_or_none(((Node *)op)->prev);
}

static PyObject *
node_get_next(PyObject *op, void *Py_UNUSED(closure))
{
    return object_or_none(((Node *)op)->next);
}

static PyObject *
node_get_list(PyObject *op, void *Py_UNUSED(closure))
{
    return object_or_none(((Node *)op)->list);
}

static PyMethodDef node_methods[] = {
    {"unlink", node_unlink, METH_NOARGS,
     PyDoc_STR("Take the node out of its list, if it is in one.")},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef node_members[] = {
    {"value", T_OBJECT_EX, offsetof(Node, value), 0, PyDoc_STR("What the node holds.")},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef node_getset[] = {
    {"prev", node_get_prev, NULL, PyDoc_STR("The node before, or None."), NULL},
    {"next", node_get_next, NULL, PyDoc_STR("The node behind, or None."), NULL},
    {"list", node_get_list, NULL, PyDoc_STR("The list, or None."), NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot node_slots[] = {
    {Py_tp_doc, (void *)PyDoc_STR("A place in a linked.List.")},
    OURO_SLOT_FIELDS(Node),
    {Py_tp_repr, node_repr},
    {Py_tp_methods, node_methods},
    {Py_tp_members, node_members},
    {Py_tp_getset, node_getset},
    {0, NULL},
};

static PyType_Spec node_spec = {
    .name = "linked.Node",
    .basicsize = sizeof(Node),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = node_slots,
};

/* --- Iterator -------------------------------------------------------------------------- */

static PyObject *
iterator_next(PyObject *op)
{
    Iterator *self = (Iterator *)op;
    Node *node = self->next;
    if (node == NULL) {
        return NULL;
    }
    Node *after = self->backwards ? node->prev : node->next;
    PyObject *value = Py_XNewRef(node->value);
    self->next = (Node *)Py_XNewRef((PyObject *)after);
    Py_DECREF(node);
    return value;
}

static PyType_Slot iterator_slots[] = {
    OURO_SLOT_FIELDS(Iterator),
    {Py_tp_iter, PyObject_SelfIter},
    {Py_tp_iternext, iterator_next},
    {0, NULL},
};

static PyType_Spec iterator_spec = {
    .name = "linked.Iterator",
    .basicsize = sizeof(Iterator),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = iterator_slots,
};

static PyObject *
new_iterator(List *list, int backwards)
{
    State *state = state_of((PyObject *)list);
    Iterator *self =
        state != NULL ? PyObject_GC_New(Iterator, state->iterator_type) : NULL;
    if (self == NULL) {
        return NULL;
    }
    Node *start = backwards ? list->last : list->first;
    self->next = (Node *)Py_XNewRef((PyObject *)start);
    self->backwards = backwards;
    PyObject_GC_Track(self);
    return (PyObject *)self;
}

/* --- List ------------------------------------------------------------------------------ */

static int
list_traverse(PyObject *op, visitproc visit, void *arg)
{
    List *self = (List *)op;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self->first);
    Py_VISIT(self->last);
    return 0;
}

static int
list_clear(PyObject *op)
{
    drop_nodes((List *)op);
    return 0;
}

static void
list_dealloc(PyObject *op)
{
    PyTypeObject *type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    if (((List *)op)->weakrefs != NULL) {
        PyObject_ClearWeakRefs(op);
    }
    drop_nodes((List *)op);
    type->tp_free(op);
    Py_DECREF(type);
}

/* A new node in a list, as a new reference. */
static PyObject *
add_value(List *self, PyObject *value, Node *prev, Node *next)
{
    Node *node = new_node(self, value);
    if (node != NULL) {
        link_node(self, node, prev, next);
    }
    return (PyObject *)node;
}

static PyObject *
list_append(PyObject *op, PyObject *value)
{
    return add_value((List *)op, value, ((List *)op)->last, NULL);
}

static PyObject *
list_prepend(PyObject *op, PyObject *value)
{
    return add_value((List *)op, value, NULL, ((List *)op)->first);
}

static int
check_member(List *self, Node *node)
{
    if (node->list != self) {
        PyErr_SetString(PyExc_ValueError, "the node is not in this list");
        return -1;
    }
    return 0;
}

static PyObject *
list_insert(PyObject *op, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"value", "before", "after", NULL};
    List *self = (List *)op;
    State *state = state_of(op);
    PyObject *value, *before = NULL, *after = NULL;
    if (state == NULL || !PyArg_ParseTupleAndKeywords(
                             args, kwargs, "O|$O!O!:insert", names, &value,
                             state->node_type, &before, state->node_type, &after)) {
        return NULL;
    }
    if ((before == NULL) == (after == NULL)) {
        PyErr_SetString(PyExc_TypeError, "insert() needs either before or after");
        return NULL;
    }
    Node *node = (Node *)(before != NULL ? before : after);
    if (check_member(self, node) < 0) {
        return NULL;
    }
    return before != NULL ? add_value(self, value, node->prev, node)
                          : add_value(self, value, node, node->next);
}

static PyObject *
list_remove(PyObject *op, PyObject *arg)
{
    State *state = state_of(op);
    if (state == NULL) {
        return NULL;
    }
    if (!PyObject_TypeCheck(arg, state->node_type)) {
        PyErr_Format(PyExc_TypeError, "remove() takes a linked.Node, not '%.200s'",
                     Py_TYPE(arg)->tp_name);
        return NULL;
    }
    if (check_member((List *)op, (Node *)arg) < 0) {
        return NULL;
    }
    unlink_node((Node *)arg);
    Py_RETURN_NONE;
}

static PyObject *
list_method_clear(PyObject *op, PyObject *Py_UNUSED(unused))
{
    drop_nodes((List *)op);
    Py_RETURN_NONE;
}

static PyObject *
list_extend(PyObject *op, PyObject *iterable)
{
    PyObject *iterator = PyObject_GetIter(iterable), *item;
    if (iterator == NULL) {
        return NULL;
    }
    while ((item = PyIter_Next(iterator)) != NULL) {
        PyObject *node = list_append(op, item);
        Py_DECREF(item);
        if (node == NULL) {
            break;
        }
        Py_DECREF(node);
    }
    Py_DECREF(iterator);
    if (PyErr_Occurred()) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static int
list_init(PyObject *op, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"iterable", NULL};
    PyObject *iterable = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:List", names, &iterable)) {
        return -1;
    }
    drop_nodes((List *)op); /* __init__ may be called again */
    if (iterable == NULL) {
        return 0;
    }
    PyObject *none = list_extend(op, iterable);
    Py_XDECREF(none);
    return none != NULL ? 0 : -1;
}

static PyObject *
list_iter(PyObject *op)
{
    return new_iterator((List *)op, 0);
}

static PyObject *
list_reversed(PyObject *op, PyObject *Py_UNUSED(unused))
{
    return new_iterator((List *)op, 1);
}

static Py_ssize_t
list_length(PyObject *op)
{
    return ((List *)op)->size;
}

static PyObject *
list_repr(PyObject *op)
{
    int status = Py_ReprEnter(op);
    if (status != 0) {
        return status < 0 ? NULL : PyUnicode_FromString("linked.List([...])");
    }
    PyObject *values = PySequence_List(op);
    PyObject *text =
        values != NULL ? PyUnicode_FromFormat("linked.List(%R)", values) : NULL;
    Py_XDECREF(values);
    Py_ReprLeave(op);
    return text;
}

static PyObject *
list_get_first(PyObject *op, void *Py_UNUSED(closure))
{
    return object_or_none(((List *)op)->first);
}

static PyObject *
list_get_last(PyObject *op, void *Py_UNUSED(closure))
{
    return object_or_none(((List *)op)->last);
}

static PyMethodDef list_methods[] = {
    {"append", list_append, METH_O, PyDoc_STR("Add a value at the end; its Node.")},
    {"prepend", list_prepend, METH_O, PyDoc_STR("Add a value in front; its Node.")},
    {"insert", (PyCFunction)(void (*)(void))list_insert, METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("insert(value, *, before=node) or insert(value, *, after=node)")},
    {"remove", list_remove, METH_O, PyDoc_STR("Take a Node out of the list.")},
    {"extend", list_extend, METH_O, PyDoc_STR("Append all values of an iterable.")},
    {"clear", list_method_clear, METH_NOARGS, PyDoc_STR("Take all nodes out.")},
    {"reversed", list_reversed, METH_NOARGS, PyDoc_STR("Iterate from the end.")},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef list_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(List, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef list_getset[] = {
    {"first", list_get_first, NULL, PyDoc_STR("The first Node, or None."), NULL},
    {"last", list_get_last, NULL, PyDoc_STR("The last Node, or None."), NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot list_slots[] = {
    {Py_tp_doc, (void *)PyDoc_STR("List(iterable=()): a doubly linked list.")},
    {Py_tp_init, list_init},
    {Py_tp_traverse, list_traverse},
    {Py_tp_clear, list_clear},
    {Py_tp_dealloc, list_dealloc},
    {Py_tp_repr, list_repr},
    {Py_tp_iter, list_iter},
    {Py_sq_length, list_length},
    {Py_tp_methods, list_methods},
    {Py_tp_members, list_members},
    {Py_tp_getset, list_getset},
    {0, NULL},
};

static PyType_Spec list_spec = {
    .name = "linked.List",
    .basicsize = sizeof(List),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .slots = list_slots,
};

/* --- the module ------------------------------------------------------------------------ */

/* A heap type that belongs to the module, which is how its methods find the state. */
static PyTypeObject *
add_type(PyObject *module, PyType_Spec *spec)
{
    PyTypeObject *type = (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL);
    if (type != NULL && PyModule_AddType(module, type) < 0) {
        Py_CLEAR(type);
    }
    return type;
}

static int
linked_exec(PyObject *module)
{
    State *state = PyModule_GetState(module);
    state->node_type = add_type(module, &node_spec);
    state->iterator_type = add_type(module, &iterator_spec);
    state->list_type = add_type(module, &list_spec);
    return state->node_type != NULL && state->iterator_type != NULL &&
                   state->list_type != NULL
               ? 0
               : -1;
}

static int
linked_traverse(PyObject *module, visitproc visit, void *arg)
{
    State *state = PyModule_GetState(module);
    Py_VISIT(state->list_type);
    Py_VISIT(state->node_type);
    Py_VISIT(state->iterator_type);
    return 0;
}

static int
linked_clear(PyObject *module)
{
    State *state = PyModule_GetState(module);
    Py_CLEAR(state->list_type);
    Py_CLEAR(state->node_type);
    Py_CLEAR(state->iterator_type);
    return 0;
}

static void
linked_free(void *module)
{
    linked_clear((PyObject *)module);
}

static PyModuleDef_Slot linked_slots[] = {
    {Py_mod_exec, linked_exec},
    {0, NULL},
};

static struct PyModuleDef linked_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "linked",
    .m_doc = PyDoc_STR("A doubly linked list."),
    .m_size = sizeof(State),
    .m_slots = linked_slots,
    .m_traverse = linked_traverse,
    .m_clear = linked_clear,
    .m_free = linked_free,
};

PyMODINIT_FUNC
PyInit_linked(void)
{
    return PyModuleDef_Init(&linked_module);
}
