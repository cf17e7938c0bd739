/* SPDX-License-Identifier: MIT */
/* Statistics: each row of the tables is in the structure, in the printout and in the JSON; the
 * meaning of the heap's rows; the environment variable. tests/collector/ tests what collections,
 * cycles and pauses count. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../collector/nodes.h"

static Ouro_Statistics statistics;

/* The statistics as the writer writes them. The caller frees the text. */
static char *
written(int is_json)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    REQUIRE_NOT_NULL(file);
    Ouro_StatisticsWrite(&statistics, file, is_json);
    fclose(file);
    return text;
}

#define NUMBER_OF(structure, type, name)                                                 \
    *(type *)&(structure)->name = (type)(number += 7);
#define HEAP_NUMBER(type, name, array, unit, text)       NUMBER_OF(heap, type, name)
#define CLASS_NUMBER(type, name, array, unit, text)      NUMBER_OF(class, type, name)
#define GENERATION_NUMBER(type, name, array, unit, text) NUMBER_OF(generation, type, name)
#define CYCLE_NUMBER(type, name, array, unit, text)      NUMBER_OF(cycles, type, name)
#define PAUSE_NUMBER(type, name, array, unit, text)      NUMBER_OF(pauses, type, name)

/* Each row has another number: 1007, 1014, ... in the order of the tables. */
static void
number_the_rows(void)
{
    long number = 1000;
    Ouro_HeapUsage *heap = &statistics.heap;
    Ouro_HeapClass *class = &statistics.classes[5];
    Ouro_GCStats *generation = &statistics.generations[1];
    Ouro_GCCycleStats *cycles = &statistics.cycles;
    Ouro_GCPauseStats *pauses = &statistics.pauses[OURO_CLOCK_CPU];
    OURO_HEAP_STATISTICS(HEAP_NUMBER)
    OURO_CLASS_STATISTICS(CLASS_NUMBER)
    OURO_GENERATION_STATISTICS(GENERATION_NUMBER)
    OURO_CYCLE_STATISTICS(CYCLE_NUMBER)
    OURO_PAUSE_STATISTICS(PAUSE_NUMBER)
}

#define LOOK_FOR(type, name, array, unit, text)                                          \
    snprintf(wanted, sizeof wanted, "\"%s\": %s%ld", #name,                              \
             sizeof #array > 1 ? "[" : "", number += 7);                                 \
    place = strstr(place, wanted);                                                       \
    REQUIRE_NOT_NULL(place);

TEST(each_row_of_the_tables_is_in_the_json_with_its_name_and_number)
{
    char wanted[60];
    long number = 1000;
    number_the_rows();
    char *json = written(1);
    const char *place = json;
    OURO_HEAP_STATISTICS(LOOK_FOR)
    OURO_CLASS_STATISTICS(LOOK_FOR)
    OURO_GENERATION_STATISTICS(LOOK_FOR)
    OURO_CYCLE_STATISTICS(LOOK_FOR)
    place = strstr(place, "\"cpu\": {");
    REQUIRE_NOT_NULL(place);
    OURO_PAUSE_STATISTICS(LOOK_FOR)
    free(json);
}

#define READ_NAME(type, name, array, unit, text) EXPECT_HAS(printout, #name);
#define READ_WORDS(type, name, array, unit, text)                                        \
    if (strcmp(#unit, "BUCKETS") != 0) {                                                 \
        EXPECT_HAS(printout, "\n  " #name);                                              \
        EXPECT_HAS(printout, "  " text "\n");                                            \
    }

TEST(each_row_of_the_tables_is_in_the_printout_with_its_words)
{
    number_the_rows();
    char *printout = written(0);
    OURO_HEAP_STATISTICS(READ_WORDS)
    OURO_CLASS_STATISTICS(READ_NAME)
    OURO_GENERATION_STATISTICS(READ_WORDS)
    OURO_CYCLE_STATISTICS(READ_WORDS)
    OURO_PAUSE_STATISTICS(READ_WORDS)
    EXPECT_HAS(printout, "           wall            cpu\n");
    EXPECT_HAS(printout, "  objects                    1007  blocks in use");
    EXPECT_HAS(printout, "  fragmentation        108400.0 %");
    free(printout);
}

TEST(the_json_is_one_that_python_reads)
{
    if (system("command -v python3 >/dev/null") != 0) { /* NOLINT(cert-env33-c) */
        SKIP("no python3");
    }
    number_the_rows();
    statistics.heap.limit_bytes = SIZE_MAX;
    FILE *python = popen(
        "python3 -c 'import json, sys\n" /* NOLINT(cert-env33-c): of this file alone */
        "s = json.load(sys.stdin)\n"
        "assert s[\"heap\"][\"limit_bytes\"] is None\n"
        "assert s[\"heap\"][\"fragmentation\"] == 1084\n"
        "assert len(s[\"classes\"]) == 1\n"
        "assert len(s[\"generations\"]) == 3\n"
        "assert sorted(s[\"pauses\"]) == [\"cpu\", \"wall\"]\n"
        "assert len(s[\"pauses\"][\"wall\"][\"histogram\"]) == 96'",
        "w");
    REQUIRE_NOT_NULL(python);
    Ouro_StatisticsWrite(&statistics, python, 1);
    EXPECT_EQ(pclose(python), 0);
}

/* ---- the heap ------------------------------------------------------------------------------ */

static const Ouro_HeapClass *
class_of_size(size_t size)
{
    for (int c = 0; c < OURO_HEAP_CLASSES; c++) {
        if (statistics.classes[c].size == size) {
            return &statistics.classes[c];
        }
    }
    REQUIRE(!"a class of this size");
    return NULL;
}

static void
fill_with_tuples(PyObject *list, int count)
{
    for (int i = 0; i < count; i++) {
        PyObject *tuple = PyTuple_New(3);
        PyList_Append(list, tuple);
        Py_DECREF(tuple);
    }
}

TEST_PY(statistics_tell_blocks_of_each_size_and_what_is_free_between_them)
{
    SKIP_CHECKED("keeps freed blocks in quarantine");
    PyObject *list = PyList_New(0);
    Ouro_StatisticsGet(&statistics);
    size_t size = (size_t)PyTuple_Type.tp_basicsize + 3 * sizeof(PyObject *);
    size = (size + 15) / 16 * 16;
    size_t objects = class_of_size(size)->objects, bytes = statistics.heap.object_bytes;
    fill_with_tuples(list, 10000);
    Ouro_StatisticsGet(&statistics);
    EXPECT_EQ(class_of_size(size)->objects, objects + 10000);
    EXPECT_EQ(statistics.heap.object_bytes, bytes + 10000 * size);
    EXPECT_GE(class_of_size(size)->blocks, class_of_size(size)->objects);
    EXPECT_EQ(class_of_size(size)->blocks, class_of_size(size)->pages * (65536 / size));
    EXPECT(statistics.heap.fragmentation < 0.5);
    for (int i = 0; i < 10000; i++) { /* free nine of ten; most pages stay */
        if (i % 10 != 0) {
            PyList_SetItem(list, i, Py_NewRef(Py_None));
        }
    }
    Ouro_StatisticsGet(&statistics);
    EXPECT_EQ(class_of_size(size)->objects, objects + 1000);
    EXPECT_EQ(statistics.heap.free_bytes + statistics.heap.object_bytes,
              statistics.heap.used_bytes);
    EXPECT(statistics.heap.fragmentation > 0.7);
    Py_DECREF(list);
}

TEST_PY(statistics_tell_large_blocks_and_the_most_that_was_in_use)
{
    Ouro_HeapUsage before, during, after;
    Ouro_HeapGetUsage(&before);
    PyObject *large = PyTuple_New(1 << 20);
    REQUIRE_NOT_NULL(large);
    Ouro_HeapGetUsage(&during);
    EXPECT_EQ(during.large_objects, before.large_objects + 1);
    EXPECT_GE(during.large_bytes, before.large_bytes + (8 << 20));
    EXPECT_EQ(during.objects, before.objects + 1);
    EXPECT_GE(during.most_used_bytes, during.used_bytes);
    Py_DECREF(large);
    Ouro_GCCollect(2);
    Ouro_HeapGetUsage(&after);
    EXPECT_EQ(after.most_used_bytes, during.most_used_bytes);
    if (!OURO_CHECK) {
        EXPECT_EQ(after.large_objects, before.large_objects);
        EXPECT(after.used_bytes < after.most_used_bytes);
    }
}

TEST_PY(statistics_tell_how_often_memory_went_back_and_what_is_outside)
{
    Ouro_HeapUsage before, after;
    Ouro_HeapGetUsage(&before);
    Ouro_GCReportExternal(12345);
    Py_DECREF(PyTuple_New(4 << 20));
    Ouro_GCCollect(2);
    Ouro_GCCollect(2);
    Ouro_HeapGetUsage(&after);
    EXPECT_EQ(after.external_bytes, before.external_bytes + 12345);
    if (!OURO_CHECK) {
        EXPECT_GT(after.given_back, before.given_back);
    }
}

TEST_PY(statistics_tell_how_many_objects_are_new_since_the_last_collection)
{
    Ouro_HeapUsage usage;
    baseline_quiet();
    Ouro_GCCollect(2);
    Ouro_HeapGetUsage(&usage);
    size_t before = usage.new_objects;
    PyObject *list = PyList_New(0);
    fill_with_tuples(list, 99);
    Ouro_HeapGetUsage(&usage);
    EXPECT_EQ(usage.new_objects, before + 100);
    Py_DECREF(list);
}

TEST_PY(all_statistics_are_those_of_their_parts)
{
    Ouro_GCCycleStats cycles;
    Ouro_GCStats stats;
    Ouro_GCPauseStats pauses;
    Ouro_GCRecordPauses(1);
    Ouro_GCCollect(1);
    Ouro_StatisticsGet(&statistics);
    for (int g = 0; g < 3; g++) {
        EXPECT_EQ(Ouro_GCGetStats(g, &stats), 0);
        EXPECT(memcmp(&stats, &statistics.generations[g], sizeof stats) == 0);
    }
    Ouro_GCGetCycleStats(&cycles);
    EXPECT(memcmp(&cycles, &statistics.cycles, sizeof cycles) == 0);
    for (int clock = 0; clock < 2; clock++) {
        EXPECT_EQ(Ouro_GCGetPauseStats(clock, &pauses), 0);
        EXPECT(memcmp(&pauses, &statistics.pauses[clock], sizeof pauses) == 0);
        EXPECT_GE(pauses.pauses, 1);
        EXPECT(pauses.half_below == Ouro_GCPausePercentile(&pauses, 0.5));
        EXPECT(pauses.p99_below == Ouro_GCPausePercentile(&pauses, 0.99));
        EXPECT(pauses.p999_below == Ouro_GCPausePercentile(&pauses, 0.999));
    }
    EXPECT(statistics.pauses[OURO_CLOCK_WALL].total > 0);
}

/* ---- the switch ------------------------------------------------------------------------------- */

static char path[100];

static const char *
new_path(const char *ending)
{
    snprintf(path, sizeof path, "/tmp/ouro-statistics-%ld%s", (long)getpid(), ending);
    unlink(path);
    return path;
}

static void
run_with_switch(const char *value)
{
    setenv("OURO_STATISTICS", value, 1);
    Py_Initialize();
    Ouro_GCCollect(2);
    EXPECT_EQ(Py_FinalizeEx(), 0);
}

/* The first byte of the file, or -1. */
static int
first_byte(void)
{
    FILE *file = fopen(path, "re");
    int byte = file != NULL ? getc(file) : -1;
    if (file != NULL) {
        fclose(file);
    }
    return byte;
}

TEST(the_environment_asks_for_statistics_with_pauses_in_a_new_file_of_its_owner)
{
    struct stat status;
    new_path(".json");
    run_with_switch("/tmp/ouro-statistics-%p.json");
    EXPECT_EQ(stat(path, &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600);
    EXPECT_EQ(first_byte(), '{');
    char text[2000] = "";
    FILE *file = fopen(path, "re");
    REQUIRE_NOT_NULL(file);
    while (fgets(text, sizeof text, file) != NULL && strstr(text, "\"cpu\"") == NULL) {
    }
    fclose(file);
    EXPECT(strstr(text, "\"pauses\": 0,") == NULL);
    unlink(path);
}

TEST(statistics_are_a_printout_unless_the_name_ends_in_json_and_the_second_has_a_number)
{
    run_with_switch(new_path(".txt"));
    EXPECT_EQ(first_byte(), 'h');
    unlink(path);
    run_with_switch(path);
    EXPECT_NE(access(path, F_OK), 0);
    snprintf(path, sizeof path, "/tmp/ouro-statistics-%ld-1.txt", (long)getpid());
    EXPECT_EQ(first_byte(), 'h');
    unlink(path);
}

TEST(statistics_are_never_written_over_a_file, .stderr_has = "OURO_STATISTICS: /tmp/")
{
    FILE *file = fopen(new_path(".txt"), "we");
    REQUIRE_NOT_NULL(file);
    fputs("mine", file);
    fclose(file);
    run_with_switch(path);
    EXPECT_EQ(first_byte(), 'm');
    unlink(path);
}

TEST(statistics_go_to_stderr_where_the_file_is_a_dash, .stderr_has = "fragmentation")
{
    run_with_switch("-");
}
