/* SPDX-License-Identifier: MIT */
/* The extension module `pmap`: a map that never changes. Setting or deleting a key makes a
 * new map, which shares almost all of its structure with the old one.
 *
 *     a = pmap.Map({1: "one"})
 *     b = a.set(2, "two")           # a is as it was
 *     c = b.delete(1)
 *     b[2], b.get(3, None), 2 in b, len(b), list(b), b == a.set(2, "two")
 *
 * A map is a tree (a hash array mapped trie). A node has up to 32 places, and five bits of a
 * key's hash say which of them to look in. Only the nodes on the way to a key are copied.
 *
 * Maps and nodes are complete when they are made and refer only to what is older, so they
 * need no tp_clear, like tuples: a cycle through a map also leads through something that
 * can change, and that breaks it.
 *
 * The same source is an extension module of CPython and a part of a program with Ouroboros. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stddef.h>
#include <structmember.h>

#define BITS      5
#define DEPTH_MAX 16 /* 64 bits of hash in steps of 5, and a node for equal hashes */

/* Items come in pairs: a key and its value, or NULL and a Node. Pair number i belongs to the
 * i-th bit that is set in `bitmap`. A node without bitmap holds keys with the same hash. */
typedef struct {
    PyObject_VAR_HEAD
    uint32_t bitmap;
    Py_hash_t hash; /* of all keys, when there is no bitmap */
    PyObject *item[1];
} Node;

typedef struct {
    PyObject_HEAD
    Node *root; /* owned; NULL when the map is empty */
    Py_ssize_t size;
    PyObject *weakrefs;
} Map;

typedef struct {
    PyObject_HEAD
    Node *root; /* owned: keeps all nodes below alive */
    int depth;  /* levels in use */
    struct {
        Node *node; /* borrowed */
        Py_ssize_t next;
    } level[DEPTH_MAX];
} Iterator;

typedef struct {
    PyTypeObject *map_type, *node_type, *iterator_type; /* owned */
} State;

static struct PyModuleDef pmap_module;

static State *
state_of(PyTypeObject *type)
{
    PyObject *module = PyType_GetModuleByDef(type, &pmap_module);
    return module != NULL ? PyModule_GetState(module) : NULL;
}

/* --- nodes ----------------------------------------------------------------------------- */

static int
node_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(op));
    for (Py_ssize_t i = 0; i < Py_SIZE(op); i++) {
        Py_VISIT(((Node *)op)->item[i]);
    }
    return 0;
}

static void
node_dealloc(PyObject *op)
{
    PyTypeObject *type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    for (Py_ssize_t i = 0; i < Py_SIZE(op); i++) {
        Py_XDECREF(((Node *)op)->item[i]);
    }
    type->tp_free(op);
    Py_DECREF(type);
}

static PyType_Slot node_slots[] = {
    {Py_tp_traverse, node_traverse},
    {Py_tp_dealloc, node_dealloc},
    {0, NULL},
};

static PyType_Spec node_spec = {
    .name = "pmap.Node",
    .basicsize = offsetof(Node, item),
    .itemsize = sizeof(PyObject *),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = node_slots,
};

/* A node with room for `pairs`, all NULL. The caller fills it, then tracks it. */
static Node *
new_node(State *state, Py_ssize_t pairs, uint32_t bitmap, Py_hash_t hash)
{
    Node *node = PyObject_GC_NewVar(Node, state->node_type, 2 * pairs);
    if (node == NULL) {
        return NULL;
    }
    node->bitmap = bitmap;
    node->hash = hash;
    for (Py_ssize_t i = 0; i < 2 * pairs; i++) {
        node->item[i] = NULL;
    }
    return node;
}

static void
set_pair(Node *node, Py_ssize_t pair, PyObject *key, PyObject *value)
{
    node->item[2 * pair] = Py_XNewRef(key);
    node->item[2 * pair + 1] = Py_NewRef(value);
}

/* Copy pairs from one node into another that is being filled. */
static void
copy_pairs(Node *to, Py_ssize_t at, Node *from, Py_ssize_t start, Py_ssize_t end)
{
    for (; start < end; start++, at++) {
        set_pair(to, at, from->item[2 * start], from->item[2 * start + 1]);
    }
}

static Py_ssize_t
pair_count(Node *node)
{
    return Py_SIZE(node) / 2;
}

static uint32_t
bit_of(Py_hash_t hash, int shift)
{
    return (uint32_t)1 << (((size_t)hash >> shift) & 31);
}

/* Which pair belongs to a bit: how many lower bits are set? */
static Py_ssize_t
pair_of(uint32_t bitmap, uint32_t bit)
{
    Py_ssize_t count = 0;
    for (uint32_t lower = bitmap & (bit - 1); lower != 0; lower &= lower - 1) {
        count++;
    }
    return count;
}

/* The node with pair `at` replaced. */
static Node *
with_pair_replaced(State *state, Node *node, Py_ssize_t at, PyObject *key,
                   PyObject *value)
{
    Py_ssize_t count = pair_count(node);
    Node *copy = new_node(state, count, node->bitmap, node->hash);
    if (copy != NULL) {
        copy_pairs(copy, 0, node, 0, at);
        set_pair(copy, at, key, value);
        copy_pairs(copy, at + 1, node, at + 1, count);
        PyObject_GC_Track(copy);
    }
    return copy;
}

/* The node with one pair more at `at`, for `bit` (0 in a node of equal hashes). */
static Node *
with_pair_inserted(State *state, Node *node, Py_ssize_t at, uint32_t bit, PyObject *key,
                   PyObject *value)
{
    Py_ssize_t count = pair_count(node);
    Node *copy = new_node(state, count + 1, node->bitmap | bit, node->hash);
    if (copy != NULL) {
        copy_pairs(copy, 0, node, 0, at);
        set_pair(copy, at, key, value);
        copy_pairs(copy, at + 1, node, at, count);
        PyObject_GC_Track(copy);
    }
    return copy;
}

static Node *
with_pair_removed(State *state, Node *node, Py_ssize_t at, uint32_t bit)
{
    Py_ssize_t count = pair_count(node);
    Node *copy = new_node(state, count - 1, node->bitmap & ~bit, node->hash);
    if (copy != NULL) {
        copy_pairs(copy, 0, node, 0, at);
        copy_pairs(copy, at, node, at + 1, count);
        PyObject_GC_Track(copy);
    }
    return copy;
}

/* --- looking up ------------------------------------------------------------------------ */

/* Where a key is in a node of equal hashes; -1 when it is not there, -2 with an exception.
 * Comparing runs any code, but nodes do not change. */
static Py_ssize_t
find_among_equal(Node *node, PyObject *key)
{
    for (Py_ssize_t i = 0; i < pair_count(node); i++) {
        int equal = PyObject_RichCompareBool(node->item[2 * i], key, Py_EQ);
        if (equal != 0) {
            return equal < 0 ? -2 : i;
        }
    }
    return -1;
}

/* The value of a key, borrowed; NULL with or without an exception. */
static PyObject *
find(Node *node, Py_hash_t hash, PyObject *key)
{
    for (int shift = 0; node != NULL && node->bitmap != 0; shift += BITS) {
        uint32_t bit = bit_of(hash, shift);
        if ((node->bitmap & bit) == 0) {
            return NULL;
        }
        Py_ssize_t at = 2 * pair_of(node->bitmap, bit);
        if (node->item[at] != NULL) {
            int equal = PyObject_RichCompareBool(node->item[at], key, Py_EQ);
            return equal == 1 ? node->item[at + 1] : NULL;
        }
        node = (Node *)node->item[at + 1];
    }
    if (node == NULL || node->hash != hash) {
        return NULL;
    }
    Py_ssize_t at = find_among_equal(node, key);
    return at >= 0 ? node->item[2 * at + 1] : NULL;
}

/* --- setting --------------------------------------------------------------------------- */

/* A node for two pairs with different keys, from the bits at `shift` on. `hash_a` may belong
 * to a whole node of equal hashes: then key_a is NULL and value_a is that node. */
static Node *
node_for_two(State *state, int shift, Py_hash_t hash_a, PyObject *key_a,
             PyObject *value_a, Py_hash_t hash_b, PyObject *key_b, PyObject *value_b)
{
    if (hash_a == hash_b) {
        Node *node = new_node(state, 2, 0, hash_a);
        if (node != NULL) {
            set_pair(node, 0, key_a, value_a);
            set_pair(node, 1, key_b, value_b);
            PyObject_GC_Track(node);
        }
        return node;
    }
    uint32_t bit_a = bit_of(hash_a, shift), bit_b = bit_of(hash_b, shift);
    if (bit_a == bit_b) {
        Node *below = node_for_two(state, shift + BITS, hash_a, key_a, value_a, hash_b,
                                   key_b, value_b);
        Node *node = below != NULL ? new_node(state, 1, bit_a, 0) : NULL;
        if (node != NULL) {
            set_pair(node, 0, NULL, (PyObject *)below);
            PyObject_GC_Track(node);
        }
        Py_XDECREF(below);
        return node;
    }
    Node *node = new_node(state, 2, bit_a | bit_b, 0);
    if (node != NULL) {
        set_pair(node, bit_a > bit_b, key_a, value_a);
        set_pair(node, bit_b > bit_a, key_b, value_b);
        PyObject_GC_Track(node);
    }
    return node;
}

static Node *
set_among_equal(State *state, Node *node, int shift, Py_hash_t hash, PyObject *key,
                PyObject *value, int *added)
{
    if (node->hash != hash) {
        *added = 1;
        return node_for_two(state, shift, node->hash, NULL, (PyObject *)node, hash, key,
                            value);
    }
    Py_ssize_t at = find_among_equal(node, key);
    if (at == -2) {
        return NULL;
    }
    if (at >= 0) {
        return with_pair_replaced(state, node, at, node->item[2 * at], value);
    }
    *added = 1;
    return with_pair_inserted(state, node, pair_count(node), 0, key, value);
}

/* A tree like `node` in which `key` has `value`. Sets *added when the key is new. */
static Node *
set_in(State *state, Node *node, int shift, Py_hash_t hash, PyObject *key,
       PyObject *value, int *added)
{
    if (node->bitmap == 0) {
        return set_among_equal(state, node, shift, hash, key, value, added);
    }
    uint32_t bit = bit_of(hash, shift);
    Py_ssize_t at = pair_of(node->bitmap, bit);
    if ((node->bitmap & bit) == 0) {
        *added = 1;
        return with_pair_inserted(state, node, at, bit, key, value);
    }
    PyObject *old_key = node->item[2 * at], *old_value = node->item[2 * at + 1];
    Node *below = NULL;
    if (old_key == NULL) {
        below = set_in(state, (Node *)old_value, shift + BITS, hash, key, value, added);
    } else {
        int equal = PyObject_RichCompareBool(old_key, key, Py_EQ);
        if (equal == 1) {
            return with_pair_replaced(state, node, at, old_key, value);
        }
        Py_hash_t old_hash = equal < 0 ? -1 : PyObject_Hash(old_key);
        if (old_hash == -1) {
            return NULL;
        }
        *added = 1;
        below = node_for_two(state, shift + BITS, old_hash, old_key, old_value, hash, key,
                             value);
    }
    Node *copy = below != NULL
                     ? with_pair_replaced(state, node, at, NULL, (PyObject *)below)
                     : NULL;
    Py_XDECREF(below);
    return copy;
}

/* --- deleting -------------------------------------------------------------------------- */

/* What is left of a tree without a key: the same tree when the key is not there, no tree at
 * all, or a smaller one. */
enum deletion { ABSENT, EMPTY, SMALLER, FAILED };

static enum deletion
delete_pair(State *state, Node *node, Py_ssize_t at, uint32_t bit, Node **result)
{
    if (pair_count(node) == 1) {
        return EMPTY;
    }
    *result = with_pair_removed(state, node, at, bit);
    return *result != NULL ? SMALLER : FAILED;
}

static enum deletion
delete_from(State *state, Node *node, int shift, Py_hash_t hash, PyObject *key,
            Node **result)
{
    if (node->bitmap == 0) {
        Py_ssize_t at = node->hash == hash ? find_among_equal(node, key) : -1;
        return at == -2   ? FAILED
               : at == -1 ? ABSENT
                          : delete_pair(state, node, at, 0, result);
    }
    uint32_t bit = bit_of(hash, shift);
    Py_ssize_t at = pair_of(node->bitmap, bit);
    if ((node->bitmap & bit) == 0) {
        return ABSENT;
    }
    if (node->item[2 * at] != NULL) {
        int equal = PyObject_RichCompareBool(node->item[2 * at], key, Py_EQ);
        return equal < 0    ? FAILED
               : equal == 0 ? ABSENT
                            : delete_pair(state, node, at, bit, result);
    }
    Node *below = NULL;
    enum deletion deletion = delete_from(state, (Node *)node->item[2 * at + 1],
                                         shift + BITS, hash, key, &below);
    if (deletion == EMPTY) {
        return delete_pair(state, node, at, bit, result);
    }
    if (deletion == SMALLER) {
        *result = with_pair_replaced(state, node, at, NULL, (PyObject *)below);
        Py_DECREF(below);
        return *result != NULL ? SMALLER : FAILED;
    }
    return deletion;
}

/* --- Iterator -------------------------------------------------------------------------- */

static int
iterator_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(((Iterator *)op)->root);
    return 0;
}

static void
iterator_dealloc(PyObject *op)
{
    PyTypeObject *type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    Py_XDECREF(((Iterator *)op)->root);
    type->tp_free(op);
    Py_DECREF(type);
}

/* The next key and value, borrowed. 0 at the end. */
static int
next_pair(Iterator *self, PyObject **key, PyObject **value)
{
    while (self->depth > 0) {
        Node *node = self->level[self->depth - 1].node;
        Py_ssize_t at = self->level[self->depth - 1].next;
        if (at == Py_SIZE(node)) {
            self->depth--;
            continue;
        }
        self->level[self->depth - 1].next += 2;
        *key = node->item[at];
        *value = node->item[at + 1];
        if (*key != NULL) {
            return 1;
        }
        self->level[self->depth].node = (Node *)*value;
        self->level[self->depth].next = 0;
        self->depth++;
    }
    return 0;
}

static PyObject *
iterator_next(PyObject *op)
{
    PyObject *key, *value;
    return next_pair((Iterator *)op, &key, &value) ? Py_NewRef(key) : NULL;
}

static PyType_Slot iterator_slots[] = {
    {Py_tp_traverse, iterator_traverse},
    {Py_tp_dealloc, iterator_dealloc},
    {Py_tp_iter, PyObject_SelfIter},
    {Py_tp_iternext, iterator_next},
    {0, NULL},
};

static PyType_Spec iterator_spec = {
    .name = "pmap.Iterator",
    .basicsize = sizeof(Iterator),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = iterator_slots,
};

static Iterator *
new_iterator(Map *map)
{
    State *state = state_of(Py_TYPE(map));
    Iterator *self =
        state != NULL ? PyObject_GC_New(Iterator, state->iterator_type) : NULL;
    if (self == NULL) {
        return NULL;
    }
    self->root = (Node *)Py_XNewRef((PyObject *)map->root);
    self->depth = map->root != NULL;
    self->level[0].node = map->root;
    self->level[0].next = 0;
    PyObject_GC_Track(self);
    return self;
}

/* --- Map ------------------------------------------------------------------------------- */

/* A map with this tree. Takes over the reference to the root, also when it fails. */
static PyObject *
new_map(PyTypeObject *type, Node *root, Py_ssize_t size)
{
    Map *map = PyObject_GC_New(Map, type);
    if (map == NULL) {
        Py_XDECREF(root);
        return NULL;
    }
    map->root = root;
    map->size = size;
    map->weakrefs = NULL;
    PyObject_GC_Track(map);
    return (PyObject *)map;
}

/* A tree like `root`, which may be NULL, in which `key` has `value`. */
static Node *
set_in_root(State *state, Node *root, PyObject *key, PyObject *value, int *added)
{
    Py_hash_t hash = PyObject_Hash(key);
    if (hash == -1) {
        return NULL;
    }
    if (root != NULL) {
        return set_in(state, root, 0, hash, key, value, added);
    }
    Node *node = new_node(state, 1, bit_of(hash, 0), 0);
    if (node != NULL) {
        set_pair(node, 0, key, value);
        PyObject_GC_Track(node);
        *added = 1;
    }
    return node;
}

static PyObject *
map_set(PyObject *op, PyObject *args)
{
    Map *self = (Map *)op;
    State *state = state_of(Py_TYPE(op));
    PyObject *key, *value;
    int added = 0;
    if (state == NULL || !PyArg_ParseTuple(args, "OO:set", &key, &value)) {
        return NULL;
    }
    Node *root = set_in_root(state, self->root, key, value, &added);
    return root != NULL ? new_map(state->map_type, root, self->size + added) : NULL;
}

static PyObject *
map_delete(PyObject *op, PyObject *key)
{
    Map *self = (Map *)op;
    State *state = state_of(Py_TYPE(op));
    Py_hash_t hash = state != NULL ? PyObject_Hash(key) : -1;
    Node *root = NULL;
    if (hash == -1) {
        return NULL;
    }
    enum deletion deletion =
        self->root != NULL ? delete_from(state, self->root, 0, hash, key, &root) : ABSENT;
    if (deletion == ABSENT) {
        PyErr_SetObject(PyExc_KeyError, key);
    }
    return deletion == EMPTY || deletion == SMALLER
               ? new_map(state->map_type, root, self->size - 1)
               : NULL;
}

/* The value of a key, borrowed; NULL with or without an exception. */
static PyObject *
map_find(Map *self, PyObject *key)
{
    Py_hash_t hash = PyObject_Hash(key);
    return hash != -1 ? find(self->root, hash, key) : NULL;
}

static PyObject *
map_get(PyObject *op, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"key", "default", NULL};
    PyObject *key, *fallback = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O:get", names, &key, &fallback)) {
        return NULL;
    }
    PyObject *value = map_find((Map *)op, key);
    return value == NULL && PyErr_Occurred()
               ? NULL
               : Py_NewRef(value != NULL ? value : fallback);
}

static PyObject *
map_subscript(PyObject *op, PyObject *key)
{
    PyObject *value = map_find((Map *)op, key);
    if (value == NULL && !PyErr_Occurred()) {
        PyErr_SetObject(PyExc_KeyError, key);
    }
    return Py_XNewRef(value);
}

static int
map_contains(PyObject *op, PyObject *key)
{
    PyObject *value = map_find((Map *)op, key);
    return value != NULL ? 1 : PyErr_Occurred() ? -1 : 0;
}

static Py_ssize_t
map_length(PyObject *op)
{
    return ((Map *)op)->size;
}

static PyObject *
map_iter(PyObject *op)
{
    return (PyObject *)new_iterator((Map *)op);
}

/* A list of (key, value) tuples. */
static PyObject *
map_items(PyObject *op, PyObject *Py_UNUSED(unused))
{
    PyObject *key, *value, *items = PyList_New(0);
    Iterator *iterator = items != NULL ? new_iterator((Map *)op) : NULL;
    if (iterator == NULL) {
        Py_XDECREF(items);
        return NULL;
    }
    while (items != NULL && next_pair(iterator, &key, &value)) {
        PyObject *pair = PyTuple_Pack(2, key, value);
        if (pair == NULL || PyList_Append(items, pair) < 0) {
            Py_CLEAR(items);
        }
        Py_XDECREF(pair);
    }
    Py_DECREF(iterator);
    return items;
}

/* 1 when every key of `a` has an equal value in `b`, 0 when not, -1 with an exception. */
static int
has_equal_items(Map *a, Map *b)
{
    PyObject *key, *value;
    int equal = 1;
    Iterator *iterator = new_iterator(a);
    if (iterator == NULL) {
        return -1;
    }
    while (equal == 1 && next_pair(iterator, &key, &value)) {
        PyObject *other = map_find(b, key);
        if (other == NULL) {
            equal = PyErr_Occurred() ? -1 : 0;
        } else {
            equal = PyObject_RichCompareBool(value, other, Py_EQ);
        }
    }
    Py_DECREF(iterator);
    return equal;
}

static PyObject *
map_richcompare(PyObject *a, PyObject *b, int op)
{
    State *state = state_of(Py_TYPE(a));
    if (state == NULL) {
        return NULL;
    }
    if ((op != Py_EQ && op != Py_NE) || !PyObject_TypeCheck(b, state->map_type)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    int equal = ((Map *)a)->root == ((Map *)b)->root   ? 1
                : ((Map *)a)->size != ((Map *)b)->size ? 0
                                                       : -2;
    if (equal == -2) {
        if (Py_EnterRecursiveCall(" in comparison")) {
            return NULL;
        }
        equal = has_equal_items((Map *)a, (Map *)b);
        Py_LeaveRecursiveCall();
    }
    return equal < 0 ? NULL : PyBool_FromLong(equal == (op == Py_EQ));
}

static PyObject *
map_repr(PyObject *op)
{
    int status = Py_ReprEnter(op);
    if (status != 0) {
        return status < 0 ? NULL : PyUnicode_FromString("pmap.Map(...)");
    }
    PyObject *items = map_items(op, NULL), *text = NULL;
    PyObject *dict = items != NULL ? PyDict_New() : NULL;
    if (dict != NULL && PyDict_MergeFromSeq2(dict, items, 1) == 0) {
        text = PyUnicode_FromFormat("pmap.Map(%R)", dict);
    }
    Py_XDECREF(dict);
    Py_XDECREF(items);
    Py_ReprLeave(op);
    return text;
}

/* How many nodes a tree has; and how many of those are also in `other` at the same place. */
static Py_ssize_t
count_nodes(Node *node, Node *other, int shared_only)
{
    Py_ssize_t count = !shared_only || node == other;
    for (Py_ssize_t i = 0; i < Py_SIZE(node); i += 2) {
        if (node->item[i] != NULL) {
            continue;
        }
        Node *twin = NULL;
        if (other != NULL && other->bitmap == node->bitmap && other->item[i] == NULL) {
            twin = (Node *)other->item[i + 1];
        }
        count += count_nodes((Node *)node->item[i + 1], twin, shared_only);
    }
    return count;
}

static PyObject *
map_sharing(PyObject *op, PyObject *args)
{
    Map *self = (Map *)op;
    PyObject *other;
    State *state = state_of(Py_TYPE(op));
    if (state == NULL || !PyArg_ParseTuple(args, "O!:sharing", state->map_type, &other)) {
        return NULL;
    }
    Py_ssize_t all = 0, shared = 0;
    if (self->root != NULL) {
        all = count_nodes(self->root, NULL, 0);
        shared = count_nodes(self->root, ((Map *)other)->root, 1);
    }
    return Py_BuildValue("(nn)", shared, all);
}

/* A tree with the items of a dict, or of a mapping or an iterable of pairs, which become a
 * dict first. */
static int
tree_of(State *state, PyObject *source, Node **root, Py_ssize_t *size)
{
    PyObject *dict = PyDict_New(), *key, *value;
    int status = -1;
    if (dict != NULL) {
        int is_mapping = PyDict_Check(source) || PyObject_HasAttrString(source, "keys");
        status = is_mapping ? PyDict_Merge(dict, source, 1)
                            : PyDict_MergeFromSeq2(dict, source, 1);
    }
    for (Py_ssize_t at = 0; status == 0 && PyDict_Next(dict, &at, &key, &value);) {
        int added = 0;
        Node *larger = set_in_root(state, *root, key, value, &added);
        *size += added;
        status = larger != NULL ? 0 : -1;
        if (larger != NULL) {
            Py_XSETREF(*root, larger);
        }
    }
    Py_XDECREF(dict);
    return status;
}

static PyObject *
map_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"items", NULL};
    PyObject *source = NULL;
    State *state = state_of(type);
    if (state == NULL ||
        !PyArg_ParseTupleAndKeywords(args, kwargs, "|O:Map", names, &source)) {
        return NULL;
    }
    Node *root = NULL;
    Py_ssize_t size = 0;
    if (source != NULL && tree_of(state, source, &root, &size) < 0) {
        Py_XDECREF(root);
        return NULL;
    }
    return new_map(type, root, size);
}

static int
map_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(((Map *)op)->root);
    return 0;
}

/* A map in a map in a map ... dies without nesting as deep: CPython before 3.14 needs to be
 * told so, later ones and Ouroboros see to it themselves. */
static void
map_dealloc(PyObject *op)
{
    PyTypeObject *type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    Py_TRASHCAN_BEGIN(op, map_dealloc) if (((Map *)op)->weakrefs != NULL)
    {
        PyObject_ClearWeakRefs(op);
    }
    Py_XDECREF(((Map *)op)->root);
    type->tp_free(op);
    Py_DECREF(type);
    Py_TRASHCAN_END
}

static PyMethodDef map_methods[] = {
    {"set", map_set, METH_VARARGS, PyDoc_STR("set(key, value): a map with that item.")},
    {"delete", map_delete, METH_O, PyDoc_STR("A map without that key.")},
    {"get", (PyCFunction)(void (*)(void))map_get, METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("get(key, default=None)")},
    {"items", map_items, METH_NOARGS, PyDoc_STR("A list of (key, value) tuples.")},
    {"sharing", map_sharing, METH_VARARGS,
     PyDoc_STR("sharing(other): (nodes shared with other, all nodes).")},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef map_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Map, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot map_slots[] = {
    {Py_tp_doc, (void *)PyDoc_STR("Map(items={}): a map that never changes.")},
    {Py_tp_new, map_new},
    {Py_tp_traverse, map_traverse},
    {Py_tp_dealloc, map_dealloc},
    {Py_tp_repr, map_repr},
    {Py_tp_richcompare, map_richcompare},
    {Py_tp_hash, PyObject_HashNotImplemented},
    {Py_tp_iter, map_iter},
    {Py_mp_length, map_length},
    {Py_mp_subscript, map_subscript},
    {Py_sq_contains, map_contains},
    {Py_tp_methods, map_methods},
    {Py_tp_members, map_members},
    {0, NULL},
};

static PyType_Spec map_spec = {
    .name = "pmap.Map",
    .basicsize = sizeof(Map),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = map_slots,
};

/* --- the module ------------------------------------------------------------------------ */

static int
pmap_exec(PyObject *module)
{
    State *state = PyModule_GetState(module);
    state->node_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &node_spec, NULL);
    state->iterator_type =
        (PyTypeObject *)PyType_FromModuleAndSpec(module, &iterator_spec, NULL);
    state->map_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &map_spec, NULL);
    if (state->node_type == NULL || state->iterator_type == NULL ||
        state->map_type == NULL) {
        return -1;
    }
    return PyModule_AddType(module, state->map_type);
}

static int
pmap_traverse(PyObject *module, visitproc visit, void *arg)
{
    State *state = PyModule_GetState(module);
    Py_VISIT(state->map_type);
    Py_VISIT(state->node_type);
    Py_VISIT(state->iterator_type);
    return 0;
}

static int
pmap_clear(PyObject *module)
{
    State *state = PyModule_GetState(module);
    Py_CLEAR(state->map_type);
    Py_CLEAR(state->node_type);
    Py_CLEAR(state->iterator_type);
    return 0;
}

static void
pmap_free(void *module)
{
    pmap_clear((PyObject *)module);
}

static PyModuleDef_Slot pmap_slots[] = {
    {Py_mod_exec, pmap_exec},
    {0, NULL},
};

static struct PyModuleDef pmap_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "pmap",
    .m_doc = PyDoc_STR("A persistent map."),
    .m_size = sizeof(State),
    .m_slots = pmap_slots,
    .m_traverse = pmap_traverse,
    .m_clear = pmap_clear,
    .m_free = pmap_free,
};

PyMODINIT_FUNC
PyInit_pmap(void)
{
    return PyModuleDef_Init(&pmap_module);
}
