/* SPDX-License-Identifier: MIT */
/* The debug flags and what they print: scenarios C99 to C103. */
#include "nodes.h"

static PyObject *
garbage(void)
{
    PyObject *list = Ouro_GCGarbage();
    REQUIRE_NOT_NULL(list);
    return list;
}

/* Break every cycle of the garbage list and empty it. */
static void
dissolve_garbage(void)
{
    Ouro_GCSetDebug(0);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(garbage()); i++) {
        PyObject *op = PyList_GET_ITEM(garbage(), i);
        Py_CLEAR(node_of(op)->a);
        Py_CLEAR(node_of(op)->b);
    }
    PyList_Clear(garbage());
}

static char *
output_of_collect(int flags, Py_ssize_t expected)
{
    Ouro_GCSetDebug(flags);
    capture_stderr_begin();
    Py_ssize_t found = collect();
    char *text = capture_stderr_end();
    EXPECT_EQ(found, expected);
    return text;
}

static char *
line_about(const char *what, PyObject *op)
{
    static char line[200];
    snprintf(line, sizeof line, "gc: %s <%s %p>\n", what, Py_TYPE(op)->tp_name,
             (void *)op);
    return line;
}

static int
lines_in(const char *text)
{
    int lines = 0;
    for (; *text != '\0'; text++) {
        lines += *text == '\n';
    }
    return lines;
}

TEST_PY(the_flags_have_the_documented_values) /* C103 */
{
    EXPECT_EQ(OURO_DEBUG_STATS, 1);
    EXPECT_EQ(OURO_DEBUG_COLLECTABLE, 2);
    EXPECT_EQ(OURO_DEBUG_UNCOLLECTABLE, 4);
    EXPECT_EQ(OURO_DEBUG_SAVEALL, 32);
    EXPECT_EQ(OURO_DEBUG_LEAK, 38);
    EXPECT_EQ(Ouro_GCGetDebug(), 0);
    Ouro_GCSetDebug(OURO_DEBUG_LEAK);
    EXPECT_EQ(Ouro_GCGetDebug(), 38);
    Ouro_GCSetDebug(0);
}

TEST_PY(without_flags_nothing_is_printed)
{
    baseline_quiet();
    drop_self_cycle(&N, NULL);
    char *text = output_of_collect(0, 1);
    EXPECT_STR(text, "");
    free(text);
}

/* The next line must start with `start`. Returns the text behind that line. */
static const char *
expect_line(const char *text, const char *start)
{
    EXPECT_EQ(strncmp(text, start, strlen(start)), 0);
    const char *end = strchr(text, '\n');
    REQUIRE_NOT_NULL(end);
    return end + 1;
}

TEST_PY(statistics_are_printed_in_a_fixed_form, .mistakes = true) /* C99 */
{
    baseline_quiet();
    Ouro_GCFreeze(); /* so that the numbers are known */
    PyObject *x = new_node(&N, NULL);
    Ouro_GCCollect(0);
    PyObject *y = new_node(&N, NULL);
    drop_self_cycle(&N, NULL);
    drop_self_cycle(&D, NULL);
    Py_ssize_t frozen = Ouro_GCGetFreezeCount();
    char *text = output_of_collect(OURO_DEBUG_STATS, 2);
    char permanent[100];
    snprintf(permanent, sizeof permanent, "gc: objects in permanent generation: %zd\n",
             frozen);
    const char *at = expect_line(text, "gc: collecting generation 2...\n");
    at = expect_line(at, "gc: objects in each generation: 3 1 0\n");
    at = expect_line(at, permanent);
    at = expect_line(at, "gc: done, 2 unreachable, 1 uncollectable, 0.");
    EXPECT_STR(at, "");
    EXPECT_HAS(text, "s elapsed\n");
    free(text);
    dissolve_garbage();
    Py_DECREF(x);
    Py_DECREF(y);
}

TEST_PY(each_collectable_object_is_printed_before_user_code_runs) /* C100 */
{
    baseline_quiet();
    PyObject *x = new_node(&F, "x"), *y = new_node(&N, "y");
    link_both_ways(x, y);
    PyObject *weakref = new_weakref(x, "w");
    char first[200], second[200];
    strcpy(first, line_about("collectable", x));
    strcpy(second, line_about("collectable", y));
    Py_DECREF(x);
    Py_DECREF(y);
    char *text = output_of_collect(OURO_DEBUG_COLLECTABLE, 2);
    EXPECT_HAS(text, first);
    EXPECT_HAS(text, second);
    EXPECT_EQ(lines_in(text), 2);
    free(text);
    EXPECT_EQ(count_events("callback w"), 1);
    EXPECT_EQ(count_events("finalize x"), 1);
    Py_DECREF(weakref);
}

static void
write_a_line(struct node *self)
{
    fprintf(stderr, "finalizing %s\n", self->name);
}

static void
write_a_line_too(PyObject *weakref)
{
    (void)weakref;
    fprintf(stderr, "calling\n");
}

TEST_PY(collectable_objects_come_before_callbacks_and_finalizers) /* C100 */
{
    baseline_quiet();
    PyObject *x = new_node(&F, "x");
    set_a(x, x);
    PyObject *weakref = new_weakref(x, "w");
    char expected[300];
    snprintf(expected, sizeof expected, "%scalling\nfinalizing x\n",
             line_about("collectable", x));
    Py_DECREF(x);
    when_finalized = write_a_line;
    when_called = write_a_line_too;
    char *text = output_of_collect(OURO_DEBUG_COLLECTABLE, 1);
    EXPECT_STR(text, expected);
    free(text);
    Py_DECREF(weakref);
}

/* Resurrected objects are printed, too: the flag reports objects that were unreachable. */
TEST_PY(a_resurrected_object_was_printed_as_collectable)
{
    baseline_quiet();
    PyObject *x = new_node(&F, "x");
    set_a(x, x);
    node_of(x)->resurrects = true;
    Py_DECREF(x);
    char *text = output_of_collect(OURO_DEBUG_COLLECTABLE, 0);
    EXPECT_EQ(lines_in(text), 1);
    free(text);
    Ouro_GCSetDebug(0);
    Py_CLEAR(rescued);
    EXPECT_EQ(collect(), 1);
}

TEST_PY(each_uncollectable_object_is_printed, .mistakes = true) /* C101 */
{
    baseline_quiet();
    PyObject *x = new_node(&D, "x"), *y = new_node(&N, "y");
    link_both_ways(x, y);
    char first[200], second[200];
    strcpy(first, line_about("uncollectable", x));
    strcpy(second, line_about("uncollectable", y)); /* only reachable from x */
    Py_DECREF(x);
    Py_DECREF(y);
    char *text = output_of_collect(OURO_DEBUG_UNCOLLECTABLE, 2);
    EXPECT_HAS(text, first);
    EXPECT_HAS(text, second);
    EXPECT_EQ(lines_in(text), 2);
    free(text);
    EXPECT_EQ(PyList_GET_SIZE(garbage()), 1);
    dissolve_garbage();
}

TEST_PY(collectable_and_uncollectable_are_told_apart, .mistakes = true)
{
    baseline_quiet();
    drop_self_cycle(&N, NULL);
    drop_self_cycle(&D, NULL);
    char *text = output_of_collect(OURO_DEBUG_COLLECTABLE | OURO_DEBUG_UNCOLLECTABLE, 2);
    EXPECT_HAS(text, "gc: collectable <N 0x");
    EXPECT_HAS(text, "gc: uncollectable <D 0x");
    EXPECT_EQ(lines_in(text), 2);
    free(text);
    dissolve_garbage();
}

TEST_PY(save_all_keeps_the_garbage_after_its_finalizers) /* C102 */
{
    baseline_quiet();
    PyObject *x = new_node(&F, "x"), *y = new_node(&F, "y");
    link_both_ways(x, y);
    PyObject *weakref = new_weakref(x, "w");
    Py_DECREF(x);
    Py_DECREF(y);
    Ouro_GCSetDebug(OURO_DEBUG_SAVEALL);
    EXPECT_EQ(collect(), 2);
    EXPECT_EQ(count_events("callback w"), 1);
    EXPECT_EQ(count_events("finalize x") + count_events("finalize y"), 2);
    EXPECT_EQ(count_events("clear x") + count_events("clear y"), 0);
    EXPECT_EQ(PyList_GET_SIZE(garbage()), 2);
    EXPECT_EQ(PyObject_GC_IsTracked(x), 1);
    EXPECT_EQ(PyObject_GC_IsTracked(y), 1);
    EXPECT_EQ(node_of(x)->a, y);

    EXPECT_EQ(collect(), 0);
    EXPECT_EQ(PyList_GET_SIZE(garbage()), 2);

    Ouro_GCSetDebug(0);
    PyList_Clear(garbage());
    forget_events();
    EXPECT_EQ(collect(), 2);
    EXPECT_EQ(count_events("finalize x") + count_events("finalize y"), 0);
    EXPECT_EQ(count_events("dealloc x") + count_events("dealloc y"), 2);
    EXPECT_EQ(PyList_GET_SIZE(garbage()), 0);
    Py_DECREF(weakref);
}

TEST_PY(save_all_keeps_uncollectable_objects_of_every_kind, .mistakes = true)
{
    baseline_quiet();
    PyObject *x = new_node(&D, NULL), *y = new_node(&N, NULL);
    link_both_ways(x, y);
    Py_DECREF(x);
    Py_DECREF(y);
    Ouro_GCSetDebug(OURO_DEBUG_SAVEALL);
    EXPECT_EQ(collect(), 2);
    EXPECT_EQ(PyList_GET_SIZE(garbage()), 2);
    dissolve_garbage();
}
