/* SPDX-License-Identifier: MIT */
/* Snapshots of the library's own heap, through the public functions. */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <ouro_fields.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../collector/nodes.h"

#define MOST 100

static PyObject *static_variable;

static Ouro_Snapshot *
take(void)
{
    Ouro_Snapshot *snapshot = Ouro_SnapshotTake(0);
    REQUIRE_NOT_NULL(snapshot);
    return snapshot;
}

static size_t
number_of(const Ouro_Snapshot *snapshot, const void *address)
{
    size_t number = Ouro_SnapshotFind(snapshot, address);
    REQUIRE(number != OURO_SNAPSHOT_NONE);
    return number;
}

static Ouro_SnapshotNode
node_at(Ouro_Snapshot *snapshot, const void *address)
{
    Ouro_SnapshotNode node;
    EXPECT_EQ(Ouro_SnapshotGetNode(snapshot, number_of(snapshot, address), &node), 0);
    return node;
}

/* The name of the first edge from one object to another; "none" when there is no edge. */
static const char *
edge_between(Ouro_Snapshot *snapshot, const void *from, const void *to)
{
    static Ouro_SnapshotEdge edges[MOST];
    size_t count =
        Ouro_SnapshotGetReferrers(snapshot, number_of(snapshot, to), edges, MOST);
    for (size_t i = 0; i < count && i < MOST; i++) {
        if (edges[i].from == number_of(snapshot, from)) {
            return edges[i].name;
        }
    }
    return "none";
}

/* The path to an object as text, from the group of roots on. */
static const char *
path_to(Ouro_Snapshot *snapshot, const void *address)
{
    static char text[2000];
    Ouro_SnapshotEdge edges[MOST];
    size_t count =
        Ouro_SnapshotGetPath(snapshot, number_of(snapshot, address), edges, MOST);
    text[0] = '\0';
    for (size_t i = count; i-- > 0;) {
        Ouro_SnapshotNode node;
        Ouro_SnapshotGetNode(snapshot, edges[i].from, &node);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s %s, ", node.type,
                 edges[i].name);
    }
    return text;
}

static Ouro_SnapshotType
row_of(Ouro_Snapshot *snapshot, const Ouro_Snapshot *before, const char *name)
{
    Ouro_SnapshotType rows[MOST];
    size_t count = Ouro_SnapshotGetTypes(snapshot, before, rows, MOST);
    for (size_t i = 0; i < count && i < MOST; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            return rows[i];
        }
    }
    return (Ouro_SnapshotType){.name = "none"};
}

/* --- sizes -------------------------------------------------------------------------------- */

TEST_PY(the_size_of_an_object_has_what_it_owns_elsewhere)
{
    PyObject *list = PyList_New(1000);
    PyObject *dict = PyDict_New();
    PyObject *text = PyUnicode_FromString("0123456789");
    size_t empty = Ouro_ObjectSize(dict);
    EXPECT_EQ(Ouro_ObjectSize(list), sizeof(PyListObject) + 1000 * sizeof(void *));
    EXPECT_EQ(Ouro_ObjectSize(text), sizeof(PyASCIIObject) + 11);
    for (int i = 0; i < 100; i++) {
        PyObject *key = PyLong_FromLong(i);
        EXPECT_EQ(PyDict_SetItem(dict, key, Py_None), 0);
        Py_DECREF(key);
    }
    EXPECT_GT(Ouro_ObjectSize(dict), empty + 100 * 3 * sizeof(void *));
    Py_DECREF(list);
    Py_DECREF(dict);
    Py_DECREF(text);
}

TEST_PY(a_table_counts_objects_and_bytes_by_type)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; i < 7; i++) {
        PyObject *node = new_node(&N, NULL);
        PyList_Append(list, node);
        Py_DECREF(node);
    }
    Ouro_Snapshot *snapshot = take();
    Ouro_SnapshotType row =
        row_of(snapshot, NULL, Py_TYPE(PyList_GET_ITEM(list, 0))->tp_name);
    EXPECT_EQ(row.objects, 7u);
    EXPECT_EQ(row.bytes, 7 * Ouro_ObjectSize(PyList_GET_ITEM(list, 0)));
    EXPECT_EQ(row.retained, row.bytes);
    Ouro_SnapshotFree(snapshot);
    Py_DECREF(list);
}

/* --- edges -------------------------------------------------------------------------------- */

TEST_PY(referrers_have_names_of_items_keys_and_attributes)
{
    PyObject *target = PyList_New(0);
    PyObject *list = PyList_New(0);
    PyObject *dict = PyDict_New();
    PyObject *module = PyModule_New("snap");
    PyObject *tuple = PyTuple_Pack(3, Py_None, target, list);
    PyList_Append(list, Py_None);
    PyList_Append(list, target);
    PyDict_SetItemString(dict, "secret", target);
    PyModule_AddObjectRef(module, "thing", target);
    Ouro_Snapshot *snapshot = take();
    EXPECT_STR(edge_between(snapshot, list, target), "[1]");
    EXPECT_STR(edge_between(snapshot, tuple, target), "[1]");
    EXPECT_STR(edge_between(snapshot, tuple, list), "[2]");
    EXPECT_STR(edge_between(snapshot, dict, target), "(value)");
    EXPECT_STR(edge_between(snapshot, PyModule_GetDict(module), target), "['thing']");
    EXPECT_STR(edge_between(snapshot, module, PyModule_GetDict(module)), ".__dict__");
    EXPECT_STR(node_at(snapshot, module).label, "snap");
    Ouro_SnapshotFree(snapshot);
    snapshot = Ouro_SnapshotTake(OURO_SNAPSHOT_VALUES);
    EXPECT_STR(edge_between(snapshot, dict, target), "['secret']");
    Ouro_SnapshotFree(snapshot);
    Py_DECREF(tuple);
    Py_DECREF(module);
    Py_DECREF(dict);
    Py_DECREF(list);
    Py_DECREF(target);
}

TEST_PY(members_name_the_fields_of_a_type)
{
    PyObject *exception = PyObject_CallNoArgs(PyExc_StopIteration);
    PyObject *value = PyList_New(0);
    EXPECT_EQ(PyObject_SetAttrString(exception, "value", value), 0);
    Ouro_Snapshot *snapshot = take();
    EXPECT_STR(edge_between(snapshot, exception, value), ".value");
    Ouro_SnapshotFree(snapshot);
    Py_DECREF(exception);
    Py_DECREF(value);
}

typedef struct {
    PyObject *first, *second;
} Pair;
OURO_STRUCT_FIELDS(Pair, first, second);

typedef struct {
    PyObject_HEAD
    PyObject *next;
    Pair pair;
    PyObject *corners[4];
} Shape;
OURO_FIELDS(Shape, next, OURO_STRUCT(Pair, pair), OURO_ARRAY(corners));

static PyTypeObject Shape_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tests.Shape",
    .tp_basicsize = sizeof(Shape),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    OURO_TYPE_FIELDS(Shape),
};

TEST_PY(declared_fields_name_references)
{
    REQUIRE(PyType_Ready(&Shape_Type) == 0);
    Shape *shape = PyObject_GC_New(Shape, &Shape_Type);
    PyObject *targets[] = {PyList_New(0), PyList_New(0), PyList_New(0)};
    memset((char *)shape + sizeof(PyObject), 0, sizeof(Shape) - sizeof(PyObject));
    shape->next = targets[0];
    shape->pair.second = targets[1];
    shape->corners[2] = targets[2];
    PyObject_GC_Track(shape);
    Ouro_Snapshot *snapshot = take();
    EXPECT_STR(edge_between(snapshot, shape, targets[0]), ".next");
    EXPECT_STR(edge_between(snapshot, shape, targets[1]), ".second");
    EXPECT_STR(edge_between(snapshot, shape, targets[2]), "[2]");
    Ouro_SnapshotFree(snapshot);
    Py_DECREF(shape);
}

/* --- why it is alive ---------------------------------------------------------------------- */

TEST_PY(a_path_leads_from_the_modules_to_an_object)
{
    PyObject *module = PyImport_AddModule("snap");
    PyObject *list = PyList_New(0), *inner = PyList_New(0);
    PyList_Append(list, inner);
    PyModule_AddObjectRef(module, "cache", list);
    Py_DECREF(list);
    Py_DECREF(inner);
    Ouro_Snapshot *snapshot = take();
    EXPECT_STR(path_to(snapshot, inner),
               "(modules) .sys.modules, dict ['snap'], module .__dict__, dict ['cache'], "
               "list [0], ");
    Ouro_SnapshotFree(snapshot);
}

TEST_PY(static_variables_explain_a_reference)
{
    static_variable = PyList_New(0);
    Ouro_Snapshot *snapshot = take();
    EXPECT_HAS(path_to(snapshot, static_variable), "(static variables) .the program+0x");
    Ouro_SnapshotFree(snapshot);
    Py_CLEAR(static_variable);
}

TEST_PY(references_that_nothing_explains_are_counted)
{
    PyObject *list = PyList_New(0);
    PyObject *second = Py_NewRef(list);
    Ouro_Snapshot *snapshot = take();
    EXPECT_STR(path_to(snapshot, list),
               "(unexplained references) .2 unexplained references, ");
    Ouro_SnapshotFree(snapshot);
    Py_DECREF(second);
    Py_DECREF(list);
}

TEST_PY(what_nothing_outside_refers_to_is_a_cycle)
{
    PyObject *list = PyList_New(0);
    PyGC_Disable();
    PyList_Append(list, list);
    Py_DECREF(list);
    Ouro_Snapshot *snapshot = take();
    EXPECT_HAS(path_to(snapshot, list), "(cycles)");
    Ouro_SnapshotFree(snapshot);
    EXPECT_EQ(Ouro_GCCollect(2), 1);
}

TEST_PY(the_explanation_needs_no_checking_build)
{
    PyObject *list = PyList_New(0);
    PyObject *node = new_node(&N, NULL);
    PyList_Append(list, node);
    char *text = NULL;
    size_t size = 0;
    for (int is_json = 0; is_json < 2; is_json++) {
        Ouro_Snapshot *snapshot = take();
        FILE *file = open_memstream(&text, &size);
        EXPECT_EQ(Ouro_SnapshotExplain(snapshot, file, is_json), 0);
        fclose(file);
        Ouro_SnapshotFree(snapshot);
        EXPECT_HAS(text, is_json ? "\"unaccounted\": 1, \"self_held\": 0, \"path\": [{"
                                 : "1 unaccounted reference, 0 held only by themselves");
        free(text);
    }
    Py_DECREF(node);
    Py_DECREF(list);
}

/* --- retained sizes ------------------------------------------------------------------------ */

TEST_PY(an_object_retains_what_only_it_leads_to)
{
    PyObject *outer = PyList_New(0), *alone = PyList_New(50), *shared = PyList_New(70);
    PyList_Append(outer, alone);
    PyList_Append(outer, shared);
    Py_DECREF(alone);
    Ouro_Snapshot *snapshot = take();
    EXPECT_EQ(node_at(snapshot, outer).retained,
              Ouro_ObjectSize(outer) + Ouro_ObjectSize(alone));
    EXPECT_EQ(node_at(snapshot, alone).dominator, number_of(snapshot, outer));
    EXPECT_NE(node_at(snapshot, shared).dominator, number_of(snapshot, outer));
    Ouro_SnapshotFree(snapshot);
    Py_DECREF(shared);
    Py_DECREF(outer);
}

/* --- two snapshots ------------------------------------------------------------------------- */

TEST_PY(comparing_two_snapshots_shows_first_what_grew)
{
    PyObject *list = PyList_New(0);
    Ouro_Snapshot *before = take();
    for (int i = 0; i < 20000; i++) {
        PyObject *node = new_node(&N, NULL);
        PyList_Append(list, node);
        Py_DECREF(node);
    }
    Ouro_Snapshot *after = take();
    Ouro_SnapshotType rows[1];
    EXPECT_GT(Ouro_SnapshotGetTypes(after, before, rows, 1), 1u);
    EXPECT_STR(rows[0].name, Py_TYPE(PyList_GET_ITEM(list, 0))->tp_name);
    EXPECT_EQ(rows[0].objects - rows[0].objects_before, 20000u);
    Ouro_SnapshotFree(before);
    Ouro_SnapshotFree(after);
    Py_DECREF(list);
}

TEST_PY(a_snapshot_leaves_no_trace)
{
    PyObject *list = PyList_New(3);
    Ouro_HeapUsage before, after;
    PyErr_SetString(PyExc_ValueError, "stays");
    PyGC_Collect();
    Ouro_HeapGetUsage(&before);
    Ouro_SnapshotFree(take());
    Ouro_HeapGetUsage(&after);
    EXPECT_EQ(after.objects, before.objects);
    EXPECT_RAISED(PyExc_ValueError);
    EXPECT_EQ(PyGC_IsEnabled(), 1);
    EXPECT_EQ(Py_REFCNT(list), 1);
    Py_DECREF(list);
}

/* --- files ---------------------------------------------------------------------------------- */

static char *
new_name(const char *ending)
{
    static char name[100];
    static int count;
    snprintf(name, sizeof name, "/tmp/ouro-snapshot-%ld-%d%s", (long)getpid(), count++,
             ending);
    return name;
}

TEST_PY(a_snapshot_that_is_read_again_is_the_same)
{
    char error[200] = "";
    char *name = new_name(".heapsnapshot");
    PyObject *list = PyList_New(0);
    PyList_Append(list, list);
    Ouro_Snapshot *taken = take();
    REQUIRE_EQ(Ouro_SnapshotWrite(taken, name), 0);
    Ouro_Snapshot *read = Ouro_SnapshotRead(name, error, sizeof error);
    EXPECT_STR(error, "");
    REQUIRE_NOT_NULL(read);
    REQUIRE_EQ(Ouro_SnapshotCount(read), Ouro_SnapshotCount(taken));
    for (size_t i = 0; i < Ouro_SnapshotCount(read); i++) {
        Ouro_SnapshotNode one, other;
        Ouro_SnapshotEdge edges[2][MOST];
        Ouro_SnapshotGetNode(taken, i, &one);
        Ouro_SnapshotGetNode(read, i, &other);
        EXPECT_EQ(one.address, other.address);
        EXPECT_EQ(one.size, other.size);
        EXPECT_EQ(one.retained, other.retained);
        EXPECT_STR(one.type, other.type);
        EXPECT_STR(one.label, other.label);
        size_t count = Ouro_SnapshotGetReferents(taken, i, edges[0], MOST);
        EXPECT_EQ(Ouro_SnapshotGetReferents(read, i, edges[1], MOST), count);
        for (size_t e = 0; e < count && e < MOST; e++) {
            EXPECT_EQ(edges[0][e].to, edges[1][e].to);
            EXPECT_STR(edges[0][e].name, edges[1][e].name);
        }
    }
    Ouro_SnapshotFree(taken);
    Ouro_SnapshotFree(read);
    unlink(name);
    PyList_SetSlice(list, 0, 1, NULL);
    Py_DECREF(list);
}

TEST_PY(a_snapshot_is_for_its_owner_and_never_over_another_file)
{
    char *name = new_name(".heapsnapshot");
    struct stat status;
    EXPECT_EQ(Ouro_HeapSnapshot(name), 0);
    EXPECT_EQ(stat(name, &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600);
    EXPECT_EQ(Ouro_HeapSnapshot(name), -1);
    EXPECT_RAISED(PyExc_OSError);
    unlink(name);
    Ouro_Snapshot *snapshot = take();
    EXPECT_EQ(Ouro_SnapshotWrite(snapshot, "/dev/full/none"), ENOTDIR);
    Ouro_SnapshotFree(snapshot);
}

/* The file, or NULL; for the caller to free. */
static char *
contents(const char *name)
{
    FILE *file = fopen(name, "r");
    char *text = NULL;
    size_t size = 0;
    if (file != NULL && getdelim(&text, &size, '\0', file) < 0) {
        free(text);
        text = NULL;
    }
    if (file != NULL) {
        fclose(file);
    }
    return text;
}

TEST_PY(the_end_of_the_name_chooses_the_format)
{
    static const char *const formats[][2] = {
        {".json", "{\"format\":\"ouroboros-heap\",\"version\":1"},
        {".dot", "digraph heap {"},
        {".heapsnapshot", "{\"snapshot\":{\"meta\":{\"node_fields\":[\"type\""},
    };
    for (size_t i = 0; i < Py_ARRAY_LENGTH(formats); i++) {
        char *name = new_name(formats[i][0]);
        EXPECT_EQ(Ouro_HeapSnapshot(name), 0);
        char *text = contents(name);
        REQUIRE_NOT_NULL(text);
        EXPECT_EQ(strncmp(text, formats[i][1], strlen(formats[i][1])), 0);
        free(text);
        unlink(name);
    }
}

static void
expect_refused(const char *text, const char *reason)
{
    char error[200] = "";
    char *name = new_name(".heapsnapshot");
    FILE *file = fopen(name, "w");
    fputs(text, file);
    fclose(file);
    EXPECT_NULL(Ouro_SnapshotRead(name, error, sizeof error));
    EXPECT_HAS(error, reason);
    unlink(name);
}

#define HEAD                                                                             \
    "{\"snapshot\":{\"meta\":{\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\","  \
    "\"edge_count\",\"label\",\"address_low\",\"address_high\"]}},"

TEST(a_damaged_file_is_refused_with_the_reason)
{
    expect_refused("", "no .heapsnapshot");
    expect_refused("[1,2]", "no .heapsnapshot");
    expect_refused("{\"nodes\":[1,2]}", "not written by Ouroboros");
    expect_refused(HEAD "\"nodes\":[1,2", "no .heapsnapshot, or is cut off");
    expect_refused(HEAD
                   "\"nodes\":[9,1,1,0,1,0,0,0],\"edges\":[1,1,99],\"strings\":[\"\"]}",
                   "leads nowhere");
    expect_refused(HEAD
                   "\"nodes\":[9,7,1,0,0,0,0,0],\"edges\":[],\"strings\":[\"\",\"a\"]}",
                   "do not fit together");
}

TEST_PY(a_file_that_was_cut_anywhere_is_refused)
{
    char error[200];
    char *name = new_name(".heapsnapshot");
    EXPECT_EQ(Ouro_HeapSnapshot(name), 0);
    struct stat status;
    EXPECT_EQ(stat(name, &status), 0);
    for (int part = 1; part <= 50; part++) {
        EXPECT_EQ(truncate(name, status.st_size - 3 - status.st_size * part / 60), 0);
        EXPECT_NULL(Ouro_SnapshotRead(name, error, sizeof error));
    }
    unlink(name);
}


TEST(the_environment_asks_for_a_snapshot_at_the_end)
{
    char *name = new_name("-%p.heapsnapshot");
    char expected[100], error[200] = "";
    setenv("OURO_HEAP_SNAPSHOT", name, 1);
    Py_Initialize();
    PyObject *list = PyList_New(0);
    PyModule_AddObjectRef(PyImport_AddModule("snap"), "kept", list);
    Py_DECREF(list);
    EXPECT_EQ(Py_FinalizeEx(), 0);
    snprintf(expected, sizeof expected, "%.*s-%ld.heapsnapshot",
             (int)(strstr(name, "-%p") - name), name, (long)getpid());
    Ouro_Snapshot *snapshot = Ouro_SnapshotRead(expected, error, sizeof error);
    EXPECT_STR(error, "");
    EXPECT_NE(Ouro_SnapshotFind(snapshot, list), OURO_SNAPSHOT_NONE);
    Ouro_SnapshotFree(snapshot);
    unlink(expected);
}

TEST(a_signal_asks_for_a_snapshot_at_the_next_safe_point)
{
    char *name = new_name(".heapsnapshot");
    char first[100], second[100];
    snprintf(first, sizeof first, "%.*s-1.heapsnapshot", (int)(strlen(name) - 13), name);
    snprintf(second, sizeof second, "%.*s-2.heapsnapshot", (int)(strlen(name) - 13),
             name);
    setenv("OURO_HEAP_SNAPSHOT", name, 1);
    setenv("OURO_HEAP_SIGNAL", "10", 1);
    Py_Initialize();
    raise(10);
    EXPECT_NE(access(first, F_OK), 0);
    EXPECT_EQ(PyErr_CheckSignals(), 0);
    EXPECT_EQ(access(first, F_OK), 0);
    EXPECT_EQ(PyErr_CheckSignals(), 0);
    raise(10);
    EXPECT_EQ(Py_FinalizeEx(), 0);
    EXPECT_EQ(access(second, F_OK), 0);
    EXPECT_NE(access(name, F_OK), 0);
    unlink(first);
    unlink(second);
}

static void
handle_nothing(int Py_UNUSED(number))
{
}

TEST(the_signal_handler_of_the_program_stays)
{
    setenv("OURO_HEAP_SNAPSHOT", "/tmp/never", 1);
    setenv("OURO_HEAP_SIGNAL", "10", 1);
    signal(10, handle_nothing);
    Py_Initialize();
    EXPECT(signal(10, SIG_DFL) == handle_nothing);
    EXPECT_EQ(Py_FinalizeEx(), 0);
}

/* Bytes that malloc has handed out; or -1 where that is not known. */
static long
allocated_bytes(void)
{
#if !defined(__GLIBC_PREREQ)
    return -1;
#elif !__GLIBC_PREREQ(2, 33)
    return -1;
#else
    struct mallinfo2 info = mallinfo2();
    return UNDER_ASAN || UNDER_TSAN ? -1 : (long)(info.uordblks + info.hblkhd);
#endif
}

TEST_PY(a_snapshot_takes_24_bytes_for_each_object_and_8_for_each_reference)
{
    enum { COUNT = 100000 };
    PyObject *list = PyList_New(0);
    for (int i = 0; i < COUNT; i++) {
        PyObject *tuple = PyTuple_Pack(2, list, list);
        PyList_Append(list, tuple);
        Py_DECREF(tuple);
    }
    long before = allocated_bytes();
    if (before < 0) {
        SKIP("no mallinfo2");
    }
    Ouro_Snapshot *snapshot = take();
    EXPECT_LT(allocated_bytes() - before, COUNT * (24 + 3 * 8) + 200000);
    EXPECT_GE(Ouro_SnapshotCount(snapshot), COUNT);
    Ouro_SnapshotFree(snapshot);
    PyList_SetSlice(list, 0, COUNT, NULL);
    Py_DECREF(list);
}
