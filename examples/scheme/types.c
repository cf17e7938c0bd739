/* SPDX-License-Identifier: MIT */
/* The types of this Scheme: pair, symbol, node, frame, closure.
 *
 * All five are containers and follow the same rules. tp_traverse visits every owned
 * reference. tp_clear drops those through which a cycle can lead. tp_dealloc untracks
 * first, then drops what is owned, then frees. A constructor fills every field before it
 * tracks the object. */
#include "scheme.h"

#include <stddef.h>

/* --- values that are only themselves --------------------------------------------------- */

/* clang-format off */
PyTypeObject Constant_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "scheme.constant",
    .tp_basicsize = sizeof(Constant),
    .tp_repr = scheme_repr,
    .tp_flags = Py_TPFLAGS_DEFAULT,
};

Constant scheme_nil = {PyObject_HEAD_INIT(&Constant_Type) "()"};
Constant scheme_unspecified = {PyObject_HEAD_INIT(&Constant_Type) "#<unspecified>"};
Constant scheme_eof = {PyObject_HEAD_INIT(&Constant_Type) "#<eof>"};
/* clang-format on */

/* --- pairs ----------------------------------------------------------------------------- */

static int
pair_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(CAR(self));
    Py_VISIT(CDR(self));
    return 0;
}

static int
pair_clear(PyObject *self)
{
    Py_CLEAR(CAR(self));
    Py_CLEAR(CDR(self));
    return 0;
}

/* A list of a million pairs dies here without a million nested calls: Py_DECREF postpones
 * what gets too deep. */
static void
pair_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    Py_XDECREF(CAR(self));
    Py_XDECREF(CDR(self));
    PyObject_GC_Del(self);
}

/* clang-format off */
PyTypeObject Pair_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "scheme.pair",
    .tp_basicsize = sizeof(Pair),
    .tp_dealloc = pair_dealloc,
    .tp_repr = scheme_repr,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .tp_traverse = pair_traverse,
    .tp_clear = pair_clear,
};

/* The line is no reference, so the handlers of the base serve as they are. */
PyTypeObject SourcePair_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "scheme.source_pair",
    .tp_basicsize = sizeof(SourcePair),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_base = &Pair_Type,
};
/* clang-format on */

PyObject *
cons(PyObject *car, PyObject *cdr)
{
    Pair *pair = PyObject_GC_New(Pair, &Pair_Type);
    if (pair == NULL) {
        return NULL;
    }
    pair->car = Py_NewRef(car);
    pair->cdr = Py_NewRef(cdr);
    PyObject_GC_Track(pair);
    return (PyObject *)pair;
}

PyObject *
source_cons(PyObject *car, PyObject *cdr, int line)
{
    SourcePair *pair = PyObject_GC_New(SourcePair, &SourcePair_Type);
    if (pair == NULL) {
        return NULL;
    }
    pair->pair.car = Py_NewRef(car);
    pair->pair.cdr = Py_NewRef(cdr);
    pair->line = line;
    PyObject_GC_Track(pair);
    return (PyObject *)pair;
}

Py_ssize_t
list_length(PyObject *list)
{
    Py_ssize_t length = 0;
    PyObject *mark = NULL; /* pair 1, 2, 4, 8 ...: a circular list comes back to it */
    for (; is_pair(list); list = CDR(list)) {
        if (list == mark) {
            return -1;
        }
        length++;
        if ((length & (length - 1)) == 0) {
            mark = list;
        }
    }
    return list == NIL ? length : -1;
}

/* --- symbols --------------------------------------------------------------------------- */

static PyObject *symbols; /* dict: str -> Symbol. The root of every global variable. */

static int
symbol_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(((Symbol *)self)->name);
    Py_VISIT(((Symbol *)self)->value);
    return 0;
}

/* A str refers to nothing, so the name is in no cycle and may stay: it can be printed. */
static int
symbol_clear(PyObject *self)
{
    Py_CLEAR(((Symbol *)self)->value);
    return 0;
}

static void
symbol_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    Py_XDECREF(((Symbol *)self)->name);
    Py_XDECREF(((Symbol *)self)->value);
    PyObject_GC_Del(self);
}

/* clang-format off */
PyTypeObject Symbol_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "scheme.symbol",
    .tp_basicsize = sizeof(Symbol),
    .tp_dealloc = symbol_dealloc,
    .tp_repr = scheme_repr,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = symbol_traverse,
    .tp_clear = symbol_clear,
};
/* clang-format on */

PyObject *
new_symbol(PyObject *name)
{
    Symbol *symbol = PyObject_GC_New(Symbol, &Symbol_Type);
    if (symbol == NULL) {
        return NULL;
    }
    symbol->name = Py_NewRef(name);
    symbol->value = NULL;
    symbol->special = NULL;
    PyObject_GC_Track(symbol);
    return (PyObject *)symbol;
}

PyObject *
intern_str(PyObject *name)
{
    PyObject *symbol = PyDict_GetItemWithError(symbols, name);
    if (symbol != NULL || PyErr_Occurred()) {
        return Py_XNewRef(symbol);
    }
    symbol = new_symbol(name);
    if (symbol != NULL && PyDict_SetItem(symbols, name, symbol) < 0) {
        Py_CLEAR(symbol);
    }
    return symbol;
}

PyObject *
intern(const char *name)
{
    PyObject *text = PyUnicode_FromString(name);
    if (text == NULL) {
        return NULL;
    }
    PyObject *symbol = intern_str(text);
    Py_DECREF(text);
    return symbol;
}

/* --- nodes ----------------------------------------------------------------------------- */

static int
node_traverse(PyObject *self, visitproc visit, void *arg)
{
    Node *node = (Node *)self;
    Py_VISIT(node->file);
    Py_VISIT(node->value);
    for (Py_ssize_t i = 0; i < Py_SIZE(node); i++) {
        Py_VISIT(node->child[i]);
    }
    return 0;
}

/* A tree of nodes has no cycle in itself; whatever leads back to it leads through a value. */
static int
node_clear(PyObject *self)
{
    Py_CLEAR(((Node *)self)->value);
    return 0;
}

static void
node_dealloc(PyObject *self)
{
    Node *node = (Node *)self;
    PyObject_GC_UnTrack(node);
    Py_XDECREF(node->file);
    Py_XDECREF(node->value);
    for (Py_ssize_t i = 0; i < Py_SIZE(node); i++) {
        Py_XDECREF(node->child[i]);
    }
    PyObject_GC_Del(node);
}

/* clang-format off */
PyTypeObject Node_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "scheme.node",
    .tp_basicsize = offsetof(Node, child),
    .tp_itemsize = sizeof(Node *),
    .tp_dealloc = node_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = node_traverse,
    .tp_clear = node_clear,
};
/* clang-format on */

Node *
new_node(enum op op, Py_ssize_t children, PyObject *file, int line)
{
    Node *node = PyObject_GC_NewVar(Node, &Node_Type, children);
    if (node == NULL) {
        return NULL;
    }
    node->op = op;
    node->line = line;
    node->depth = node->index = 0;
    node->slots = 0;
    node->file = Py_NewRef(file);
    node->value = NULL;
    for (Py_ssize_t i = 0; i < children; i++) {
        node->child[i] = NULL;
    }
    PyObject_GC_Track(node);
    return node;
}

/* --- frames ---------------------------------------------------------------------------- */

static int
frame_traverse(PyObject *self, visitproc visit, void *arg)
{
    Frame *frame = (Frame *)self;
    Py_VISIT(frame->parent);
    for (Py_ssize_t i = 0; i < Py_SIZE(frame); i++) {
        Py_VISIT(frame->slot[i]);
    }
    return 0;
}

static int
frame_clear(PyObject *self)
{
    Frame *frame = (Frame *)self;
    for (Py_ssize_t i = 0; i < Py_SIZE(frame); i++) {
        Py_CLEAR(frame->slot[i]);
    }
    return 0;
}

static void
frame_dealloc(PyObject *self)
{
    Frame *frame = (Frame *)self;
    PyObject_GC_UnTrack(frame);
    Py_XDECREF(frame->parent);
    for (Py_ssize_t i = 0; i < Py_SIZE(frame); i++) {
        Py_XDECREF(frame->slot[i]);
    }
    PyObject_GC_Del(frame);
}

/* clang-format off */
PyTypeObject Frame_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "scheme.frame",
    .tp_basicsize = offsetof(Frame, slot),
    .tp_itemsize = sizeof(PyObject *),
    .tp_dealloc = frame_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = frame_traverse,
    .tp_clear = frame_clear,
};
/* clang-format on */

Frame *
new_frame(Frame *parent, Py_ssize_t slots)
{
    Frame *frame = PyObject_GC_NewVar(Frame, &Frame_Type, slots);
    if (frame == NULL) {
        return NULL;
    }
    frame->parent = (Frame *)Py_XNewRef((PyObject *)parent);
    for (Py_ssize_t i = 0; i < slots; i++) {
        frame->slot[i] = NULL;
    }
    return frame;
}

/* --- closures -------------------------------------------------------------------------- */

static int
closure_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(((Closure *)self)->code);
    Py_VISIT(((Closure *)self)->env);
    return 0;
}

static void
closure_dealloc(PyObject *self)
{
    Closure *closure = (Closure *)self;
    PyObject_GC_UnTrack(closure);
    if (closure->weakrefs != NULL) {
        PyObject_ClearWeakRefs(self);
    }
    Py_XDECREF(closure->code);
    Py_XDECREF(closure->env);
    PyObject_GC_Del(closure);
}

/* No tp_clear: a closure never changes, and the cycles it is in go through a frame or a
 * symbol, which have one. */
/* clang-format off */
PyTypeObject Closure_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "scheme.closure",
    .tp_basicsize = sizeof(Closure),
    .tp_dealloc = closure_dealloc,
    .tp_vectorcall_offset = offsetof(Closure, vectorcall),
    .tp_repr = scheme_repr,
    .tp_call = PyVectorcall_Call,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_traverse = closure_traverse,
    .tp_weaklistoffset = offsetof(Closure, weakrefs),
};
/* clang-format on */

PyObject *
new_closure(Node *code, Frame *env)
{
    Closure *closure = PyObject_GC_New(Closure, &Closure_Type);
    if (closure == NULL) {
        return NULL;
    }
    closure->code = (Node *)Py_NewRef((PyObject *)code);
    closure->env = (Frame *)Py_XNewRef((PyObject *)env);
    closure->weakrefs = NULL;
    closure->vectorcall = call_closure;
    PyObject_GC_Track(closure);
    return (PyObject *)closure;
}

/* --- all of them ------------------------------------------------------------------------- */

int
types_init(void)
{
    PyTypeObject *types[] = {&Constant_Type, &Pair_Type,  &SourcePair_Type, &Symbol_Type,
                             &Node_Type,     &Frame_Type, &Closure_Type};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (PyType_Ready(types[i]) < 0) {
            return -1;
        }
    }
    symbols = PyDict_New();
    return symbols == NULL ? -1 : 0;
}

/* Without the table nothing refers to the global variables from outside any more; what is
 * in cycles with them is garbage from here on. */
void
types_finish(void)
{
    Py_CLEAR(symbols);
}
