/* SPDX-License-Identifier: MIT */
/* The types of this Scheme: pair, symbol, node, frame, closure.
 *
 * All five are containers. Each lists its owned references once, and has its tp_traverse,
 * tp_clear and tp_dealloc from that (ouro_fields.h). A constructor fills every field before
 * it tracks the object. */
#include "scheme.h"

#include <ouro_fields.h>

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

/* A list of a million pairs dies without a million nested calls: Py_DECREF postpones what
 * gets too deep. */
OURO_FIELDS(Pair, car, cdr);

/* clang-format off */
PyTypeObject Pair_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "scheme.pair",
    .tp_basicsize = sizeof(Pair),
    .tp_repr = scheme_repr,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    OURO_TYPE_FIELDS(Pair),
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

OURO_FIELDS(Symbol, name, value);

/* clang-format off */
PyTypeObject Symbol_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "scheme.symbol",
    .tp_basicsize = sizeof(Symbol),
    .tp_repr = scheme_repr,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    OURO_TYPE_FIELDS(Symbol),
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

OURO_FIELDS(Node, file, value, OURO_ITEMS(child));

/* clang-format off */
PyTypeObject Node_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "scheme.node",
    .tp_basicsize = offsetof(Node, child),
    .tp_itemsize = sizeof(Node *),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    OURO_TYPE_FIELDS(Node),
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

OURO_FIELDS(Frame, parent, OURO_ITEMS(slot));

/* clang-format off */
PyTypeObject Frame_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "scheme.frame",
    .tp_basicsize = offsetof(Frame, slot),
    .tp_itemsize = sizeof(PyObject *),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    OURO_TYPE_FIELDS(Frame),
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

OURO_FIELDS(Closure, code, env, OURO_WEAKREFS(weakrefs));

/* clang-format off */
PyTypeObject Closure_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "scheme.closure",
    .tp_basicsize = sizeof(Closure),
    .tp_vectorcall_offset = offsetof(Closure, vectorcall),
    .tp_repr = scheme_repr,
    .tp_call = PyVectorcall_Call,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    OURO_TYPE_FIELDS(Closure),
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
