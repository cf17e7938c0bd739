/* SPDX-License-Identifier: MIT */
/* Deep and wide: chains, rings, stars and trees of many objects; an object with very many
 * references, or weak references; finalizers that make very many objects; many lives of
 * the library and of interpreters.
 *
 * `make test` runs them with a hundredth of the objects. `make test-long` sets
 * OURO_TEST_LONG=1 and runs them with ten million. */
#include "nodes.h"

#include <stdlib.h>

#define LONG_SECONDS 1200

/* `most` in a long run, else a hundredth of it; a thousandth where objects are expensive. */
static int
scaled(int most)
{
    if (getenv("OURO_TEST_LONG") != NULL) {
        return most;
    }
    return UNDER_ASAN || UNDER_TSAN || under_valgrind() ? most / 1000 : most / 100;
}

static int
object_count(void)
{
    return scaled(10 * 1000 * 1000);
}

static int64_t destroyed;

static void
count_destroyed(struct node *Py_UNUSED(self))
{
    destroyed++;
}

/* Count deaths from here. Automatic collections run, but seldom. */
static void
begin_counting(void)
{
    baseline();
    if (getenv("OURO_STRESS") != NULL) {
        PyGC_Disable();
    }
    when_deallocated = count_destroyed;
    destroyed = 0;
}

/* --- shapes ------------------------------------------------------------------------------- */

/* Returns a new reference to the first of `count` nodes. `last` is the node from which a test
 * closes a cycle. */
typedef PyObject *(*shape)(int count, PyObject **last);

static PyObject *
new_chain(int count, PyObject **last)
{
    PyObject *first = *last = new_node(&N, NULL);
    for (int i = 1; i < count; i++) {
        PyObject *next = new_node(&N, NULL);
        node_of(*last)->a = next;
        *last = next;
    }
    return first;
}

/* Each node is made before the node that refers to it. */
static PyObject *
new_prepended_chain(int count, PyObject **last)
{
    PyObject *first = *last = new_node(&N, NULL);
    for (int i = 1; i < count; i++) {
        PyObject *before = new_node(&N, NULL);
        node_of(before)->a = first;
        first = before;
    }
    return first;
}

/* Level by level, as in a heap's array: node i has the children 2i + 1 and 2i + 2. */
static PyObject *
new_complete_tree(int count, PyObject **last)
{
    PyObject **nodes = malloc((size_t)count * sizeof *nodes);
    REQUIRE_NOT_NULL(nodes);
    for (int i = 0; i < count; i++) {
        nodes[i] = new_node(&N, NULL);
        struct node *parent = i == 0 ? NULL : node_of(nodes[(i - 1) / 2]);
        if (parent != NULL) {
            *(i % 2 == 1 ? &parent->a : &parent->b) = nodes[i];
        }
    }
    PyObject *first = nodes[0];
    *last = nodes[count - 1];
    free(nodes);
    return first;
}

static void
expect_alive_then_dead_by_the_count(shape new_shape)
{
    PyObject *last;
    int count = object_count();
    begin_counting();
    PyObject *first = new_shape(count, &last);
    EXPECT_EQ(collect(), 0);
    EXPECT_EQ(collect(), 0);
    EXPECT_EQ(destroyed, 0);
    Py_DECREF(first);
    EXPECT_EQ(destroyed, count);
}

static void
expect_collected_when_closed(shape new_shape)
{
    PyObject *last;
    int count = object_count();
    begin_counting();
    PyObject *first = new_shape(count, &last);
    set_a(last, first);
    EXPECT_EQ(collect(), 0);
    EXPECT_EQ(destroyed, 0);
    PyGC_Disable();
    Py_DECREF(first);
    EXPECT_EQ(destroyed, 0);
    EXPECT_EQ(collect(), count);
    EXPECT_EQ(destroyed, count);
}

TEST_PY(a_chain_lives_and_dies_by_the_count, .timeout = LONG_SECONDS)
{
    expect_alive_then_dead_by_the_count(new_chain);
}

TEST_PY(a_prepended_chain_lives_and_dies_by_the_count, .timeout = LONG_SECONDS)
{
    expect_alive_then_dead_by_the_count(new_prepended_chain);
}

TEST_PY(a_complete_tree_lives_and_dies_by_the_count, .timeout = LONG_SECONDS)
{
    expect_alive_then_dead_by_the_count(new_complete_tree);
}

TEST_PY(a_ring_is_collected, .timeout = LONG_SECONDS)
{
    expect_collected_when_closed(new_chain);
}

TEST_PY(a_prepended_ring_is_collected, .timeout = LONG_SECONDS)
{
    expect_collected_when_closed(new_prepended_chain);
}

TEST_PY(a_complete_tree_with_a_way_back_is_collected, .timeout = LONG_SECONDS)
{
    expect_collected_when_closed(new_complete_tree);
}

/* --- one object, very many references ---------------------------------------------------------- */

/* A list of new nodes; with `back`, each refers to the list. */
static PyObject *
new_star(int count, bool back)
{
    PyObject *list = PyList_New(count);
    REQUIRE_NOT_NULL(list);
    for (int i = 0; i < count; i++) {
        PyObject *node = new_node(&N, NULL);
        PyList_SET_ITEM(list, i, node);
        if (back) {
            set_a(node, list);
        }
    }
    return list;
}

TEST_PY(an_object_with_very_many_references_lives_and_dies_by_the_count,
        .timeout = LONG_SECONDS)
{
    int count = object_count();
    begin_counting();
    PyObject *list = new_star(count, false);
    EXPECT_EQ(collect(), 0);
    Py_DECREF(list);
    EXPECT_EQ(destroyed, count);
}

TEST_PY(a_star_whose_rays_refer_to_its_centre_is_collected, .timeout = LONG_SECONDS)
{
    int count = object_count();
    begin_counting();
    PyObject *list = new_star(count, true);
    EXPECT_EQ(Py_REFCNT(list), count + 1);
    EXPECT_EQ(collect(), 0);
    PyGC_Disable();
    Py_DECREF(list);
    EXPECT_EQ(collect(), count + 1);
    EXPECT_EQ(destroyed, count);
}

TEST_PY(very_many_references_to_one_object_are_counted, .timeout = LONG_SECONDS)
{
    int count = object_count();
    begin_counting();
    PyObject *node = new_node(&N, NULL);
    PyObject *list = PyList_New(count);
    REQUIRE_NOT_NULL(list);
    for (int i = 0; i < count; i++) {
        PyList_SET_ITEM(list, i, Py_NewRef(node));
    }
    set_a(node, list);
    Py_DECREF(list);
    EXPECT_EQ(collect(), 0);
    Py_DECREF(node);
    EXPECT_EQ(collect(), 2);
    EXPECT_EQ(destroyed, 1);
}

/* --- weak references ---------------------------------------------------------------------------- */

static int64_t called_back;

static PyObject *
count_callback(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(ref))
{
    called_back++;
    Py_RETURN_NONE;
}

static PyObject *
new_weakref_of(PyObject *node, PyObject *class, PyObject *callback)
{
    return callback != NULL ? PyWeakref_NewRef(node, callback)
                            : PyObject_CallOneArg(class, node);
}

/* `count` weak references to the node, in a list. Ordinary weak references without a callback are
 * shared, so these are instances of a subclass. */
static PyObject *
new_weakrefs(PyObject *node, int count, bool with_callbacks)
{
    static PyMethodDef definition = {"count_callback", count_callback, METH_O, NULL};
    PyObject *callback = with_callbacks ? PyCFunction_New(&definition, NULL) : NULL;
    PyObject *class = with_callbacks
                          ? NULL
                          : PyObject_CallFunction((PyObject *)&PyType_Type, "s(O){}",
                                                  "Weak", &_PyWeakref_RefType);
    PyObject *list = PyList_New(count);
    REQUIRE(list != NULL && (callback != NULL) != (class != NULL));
    for (int i = 0; i < count; i++) {
        PyObject *ref = new_weakref_of(node, class, callback);
        REQUIRE_NOT_NULL(ref);
        PyList_SET_ITEM(list, i, ref);
    }
    Py_XDECREF(callback);
    Py_XDECREF(class);
    return list;
}

static void
expect_weakrefs_cleared(bool with_callbacks, bool in_cycle)
{
    int count = scaled(1000 * 1000);
    begin_counting();
    PyObject *node = new_node(&N, NULL);
    PyObject *refs = new_weakrefs(node, count, with_callbacks);
    if (in_cycle) {
        set_a(node, node);
    }
    Py_DECREF(node);
    EXPECT_EQ(collect(), in_cycle);
    EXPECT_EQ(destroyed, 1);
    EXPECT_EQ(called_back, with_callbacks ? count : 0);
    for (int i = 0; i < count; i++) {
        if (PyWeakref_IsDead(PyList_GET_ITEM(refs, i)) != 1) {
            EXPECT(!"every weak reference is dead");
            break;
        }
    }
    Py_DECREF(refs);
}

TEST_PY(very_many_weak_references_die_by_the_count, .timeout = LONG_SECONDS)
{
    expect_weakrefs_cleared(false, false);
}

TEST_PY(very_many_weak_references_die_in_a_collection, .timeout = LONG_SECONDS)
{
    expect_weakrefs_cleared(false, true);
}

TEST_PY(very_many_callbacks_are_called_by_the_count, .timeout = LONG_SECONDS)
{
    expect_weakrefs_cleared(true, false);
}

TEST_PY(very_many_callbacks_are_called_in_a_collection, .timeout = LONG_SECONDS)
{
    expect_weakrefs_cleared(true, true);
}

/* --- finalizers ---------------------------------------------------------------------------------- */

static PyObject *made_by_finalizer; /* owned */

static void
make_many_objects(struct node *Py_UNUSED(self))
{
    PyObject *last;
    int count = scaled(1000 * 1000);
    Py_DECREF(new_chain(count, &last)); /* dies at once */
    PyObject *first = new_chain(count, &last);
    set_a(last, first);
    Py_DECREF(first); /* a ring that nothing refers to */
    Py_XSETREF(made_by_finalizer, new_chain(count, &last));
}

TEST_PY(a_finalizer_may_make_very_many_objects, .timeout = LONG_SECONDS)
{
    int count = scaled(1000 * 1000);
    begin_counting();
    when_finalized = make_many_objects;
    drop_self_cycle(&F, NULL);
    collect();
    EXPECT_GE(destroyed, count + 1);
    Py_CLEAR(made_by_finalizer);
    collect();
    EXPECT_EQ(destroyed, 3 * count + 1);
}

static int64_t finalized;

static void
make_one_object(struct node *Py_UNUSED(self))
{
    finalized++;
    Py_DECREF(new_node(&N, NULL));
}

TEST_PY(very_many_finalizers_may_make_an_object_each, .timeout = LONG_SECONDS)
{
    int count = scaled(1000 * 1000);
    begin_counting();
    when_finalized = make_one_object;
    PyGC_Disable();
    for (int i = 0; i < count; i++) {
        drop_self_cycle(&F, NULL);
    }
    EXPECT_EQ(collect(), count);
    EXPECT_EQ(finalized, count);
    EXPECT_EQ(destroyed, 2 * (int64_t)count);
}

/* --- many lives ---------------------------------------------------------------------------------- */

static void
make_some_garbage(void)
{
    PyObject *last, *first = new_chain(1000, &last);
    PyObject *module = PyImport_ImportModule("gc");
    EXPECT_NOT_NULL(module);
    set_a(last, first);
    Py_DECREF(first);
    EXPECT_EQ(PyModule_Add(module, "left_here", PyList_New(10)), 0);
    Py_XDECREF(module);
}

TEST(many_lives_leave_memory_steady, .timeout = LONG_SECONDS)
{
    SKIP_CHECKED("records and quarantine outlive an interpreter");
    size_t before = 0;
    int lives = scaled(1000) + 10;
    for (int i = 0; i < lives; i++) {
        Py_Initialize();
        make_some_garbage();
        EXPECT_EQ(Py_FinalizeEx(), 0);
        if (i == 5) {
            before = malloc_in_use();
        }
    }
    EXPECT_LE(malloc_in_use(), before + 2048);
}

TEST_PY(ten_interpreters_collect_each_their_own, .timeout = LONG_SECONDS)
{
    PyThreadState *states[10];
    PyThreadState *main_state = PyThreadState_Get();
    PyObject *rings[10];
    int count = object_count() / 50;
    begin_counting();
    for (int i = 0; i < 10; i++) {
        PyObject *last;
        states[i] = Py_NewInterpreter();
        REQUIRE_NOT_NULL(states[i]);
        collect();
        PyGC_Disable();
        rings[i] = new_chain(count, &last);
        set_a(last, rings[i]);
    }
    for (int i = 0; i < 10; i++) {
        PyThreadState_Swap(states[i]);
        EXPECT_EQ(collect(), 0);
        Py_DECREF(rings[i]);
        EXPECT_EQ(collect(), count);
        EXPECT_EQ(destroyed, (int64_t)count * (i + 1));
        Py_EndInterpreter(states[i]);
        PyThreadState_Swap(main_state);
    }
    EXPECT_EQ(collect(), 0);
}
