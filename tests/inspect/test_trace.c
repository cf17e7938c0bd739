/* SPDX-License-Identifier: MIT */
/* The trace file is valid JSON, read back with Python's json; and what it contains. */
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../collector/cycles.h"

static char name[100];

static const char *
new_trace_name(void)
{
    snprintf(name, sizeof name, "/tmp/ouro-trace-%ld.json", (long)getpid());
    unlink(name);
    return name;
}

/* Whether the Python expression is true for the list `events` in the file. */
static bool
holds(const char *expression)
{
    char command[1000];
    snprintf(command, sizeof command,
             "python3 -c 'import json, sys\n"
             "events = json.load(open(sys.argv[1]))\n"
             "by = lambda name: [e for e in events if e[\"name\"] == name]\n"
             "slices = [e for e in events if \"name\" in e and"
             " e[\"name\"].startswith(\"slice: \")]\n"
             "sys.exit(not (%s))' %s",
             expression, name);
    return system(command) == 0; /* NOLINT(cert-env33-c): of this file alone */
}

static void
require_python(void)
{
    if (system("command -v python3 >/dev/null") != 0) { /* NOLINT(cert-env33-c) */
        SKIP("no python3");
    }
}

TEST_PY(a_trace_is_json_that_has_each_collection_with_its_time)
{
    require_python();
    drive_by_hand(100, 6);
    EXPECT_EQ(Ouro_TraceBegin(new_trace_name()), 0);
    drop_self_cycle(&N, NULL);
    Ouro_GCCollect(1);
    Ouro_GCCollect(2);
    EXPECT_EQ(Ouro_TraceEnd(), 0);
    EXPECT(holds("len(by(\"collection of generation 1\")) == 1"));
    EXPECT(holds("len(by(\"collection of generation 2\")) == 1"));
    EXPECT(holds("by(\"collection of generation 1\")[0][\"args\"][\"collected\"] == 1"));
    EXPECT(holds("all(e[\"dur\"] > 0 and e[\"ts\"] > 0 and e[\"args\"][\"cpu_us\"] > 0"
                 " for e in events if e[\"ph\"] == \"X\")"));
    unlink(name);
}

TEST_PY(a_trace_has_cycles_slices_and_proofs_within_them)
{
    require_python();
    drive_by_hand(100, 6);
    Py_DECREF(drop_old_ring(&N, 10));
    EXPECT_EQ(Ouro_TraceBegin(new_trace_name()), 0);
    start_cycle();
    finish_cycle();
    EXPECT_EQ(Ouro_TraceEnd(), 0);
    EXPECT(holds("[e[\"ph\"] for e in by(\"cycle\")] == [\"b\", \"e\"]"));
    EXPECT(holds("by(\"cycle\")[0][\"args\"][\"collected\"] == 10"));
    EXPECT(holds("len(slices) > 5"));
    EXPECT(holds("all(by(\"cycle\")[0][\"ts\"] <= s[\"ts\"] and"
                 " s[\"ts\"] + s[\"dur\"] <= by(\"cycle\")[1][\"ts\"]"
                 " for s in slices)"));
    EXPECT(holds("any(s[\"ts\"] <= by(\"component proved\")[0][\"ts\"] <="
                 " s[\"ts\"] + s[\"dur\"] for s in slices)"));
    unlink(name);
}

TEST_PY(a_slice_in_a_trace_is_named_after_the_phases_that_it_worked_in)
{
    require_python();
    drive_by_hand(100, 6);
    EXPECT_EQ(Ouro_TraceBegin(new_trace_name()), 0);
    start_cycle();
    finish_cycle();
    start_cycle();
    ouro_cycle_run(ouro_current.interp, HUGE_VAL);
    EXPECT_EQ(Ouro_TraceEnd(), 0);
    EXPECT(holds("slices[0][\"name\"] == \"slice: count\""));
    EXPECT(holds("slices[-1][\"name\"] == \"slice: count to release\""));
    unlink(name);
}

TEST_PY(a_trace_has_the_heap_as_a_curve_and_failures_as_moments)
{
    require_python();
    EXPECT_EQ(Ouro_TraceBegin(new_trace_name()), 0);
    Py_DECREF(PyType_GenericAlloc(&PyTuple_Type, (Py_ssize_t)4 << 20));
    Ouro_HeapSetLimit(1);
    EXPECT_NULL(PyType_GenericAlloc(&PyTuple_Type, (Py_ssize_t)4 << 20));
    PyErr_Clear();
    Ouro_HeapSetLimit(0);
    EXPECT_EQ(Ouro_TraceEnd(), 0);
    EXPECT(holds("max(e[\"args\"][\"used\"] for e in by(\"heap 0\")) > 32 << 20"));
    EXPECT(holds("len(by(\"allocation failed\")) == 1"));
    unlink(name);
}

TEST_PY(a_trace_longer_than_its_buffer_is_whole)
{
    require_python();
    EXPECT_EQ(Ouro_TraceBegin(new_trace_name()), 0);
    for (int i = 0; i < 2000; i++) {
        Ouro_GCCollect(0);
    }
    EXPECT_EQ(Ouro_TraceEnd(), 0);
    EXPECT(holds("len(by(\"collection of generation 0\")) == 2000"));
    unlink(name);
}

TEST_PY(a_trace_goes_to_a_new_file_of_its_owner_and_there_is_one_at_a_time)
{
    struct stat status;
    EXPECT_EQ(Ouro_TraceBegin("/nowhere/trace.json"), ENOENT);
    EXPECT_EQ(Ouro_TraceBegin(new_trace_name()), 0);
    EXPECT_EQ(Ouro_TraceBegin("/tmp/another.json"), EBUSY);
    EXPECT_EQ(Ouro_TraceEnd(), 0);
    EXPECT_EQ(Ouro_TraceEnd(), 0);
    EXPECT_EQ(stat(name, &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600);
    EXPECT_EQ(Ouro_TraceBegin(name), EEXIST);
    unlink(name);
}

TEST_PY(a_trace_that_finds_no_place_for_its_listener_leaves_no_file)
{
    static Ouro_Listener many[OURO_MOST_LISTENERS];
    for (int i = 0; i < OURO_MOST_LISTENERS; i++) {
        EXPECT_EQ(Ouro_AddListener(&many[i]), 0);
    }
    EXPECT_EQ(Ouro_TraceBegin(new_trace_name()), ENOSPC);
    EXPECT_NE(access(name, F_OK), 0);
    for (int i = 0; i < OURO_MOST_LISTENERS; i++) {
        EXPECT_EQ(Ouro_RemoveListener(&many[i]), 0);
    }
}

TEST_PY(a_child_of_fork_does_not_write_the_trace_of_its_parent)
{
    require_python();
    EXPECT_EQ(Ouro_TraceBegin(new_trace_name()), 0);
    Ouro_GCCollect(0);
    pid_t child = fork();
    if (child == 0) {
        PyOS_AfterFork_Child();
        Ouro_GCCollect(1);
        _exit(Ouro_TraceEnd());
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(Ouro_TraceEnd(), 0);
    EXPECT(holds("len(by(\"collection of generation 0\")) == 1"));
    EXPECT(holds("by(\"collection of generation 1\") == []"));
    unlink(name);
}

TEST(the_environment_asks_for_a_trace_up_to_the_last_collection)
{
    require_python();
    char pattern[] = "/tmp/ouro-trace-%p.json";
    setenv("OURO_TRACE", pattern, 1);
    new_trace_name();
    Py_Initialize();
    EXPECT_EQ(Py_FinalizeEx(), 0);
    EXPECT(holds("len(by(\"collection of generation 2\")) >= 1"));
    Py_Initialize(); /* the second trace has a number */
    EXPECT_EQ(Py_FinalizeEx(), 0);
    unlink(name);
    snprintf(name, sizeof name, "/tmp/ouro-trace-%ld-1.json", (long)getpid());
    EXPECT(holds("len(by(\"collection of generation 2\")) >= 1"));
    unlink(name);
}

TEST(a_trace_that_cannot_be_written_does_not_stop_the_program)
{
    setenv("OURO_TRACE", "/nowhere/trace.json", 1);
    Py_Initialize();
    EXPECT_EQ(Ouro_TraceEnd(), 0);
    EXPECT_EQ(Py_FinalizeEx(), 0);
}

/* German has a comma where English has a point. The locale is made here, as few systems have it. */
static void
speak_german(void)
{
    char folder[100], command[300];
    snprintf(folder, sizeof folder, "/tmp/ouro-locale-%ld", (long)getpid());
    snprintf(command, sizeof command,
             "mkdir -p %s && localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1",
             folder, folder);
    int failed = system(command); /* NOLINT(cert-env33-c): of this file alone */
    setenv("LOCPATH", folder, 1);
    setlocale(LC_ALL, "de_DE.UTF-8");
    snprintf(command, sizeof command, "rm -r %s", folder);
    failed |= system(command); /* NOLINT(cert-env33-c) */
    if (failed != 0 || *localeconv()->decimal_point != ',') {
        SKIP("no German here");
    }
}

TEST_PY(numbers_of_traces_and_statistics_have_a_point_in_every_language)
{
    static Ouro_Statistics statistics;
    require_python();
    speak_german();
    EXPECT_EQ(Ouro_TraceBegin(new_trace_name()), 0);
    Ouro_GCCollect(2);
    EXPECT_EQ(Ouro_TraceEnd(), 0);
    EXPECT(holds("by(\"collection of generation 2\")[0][\"dur\"] > 0"));
    FILE *file = fopen(name, "we");
    REQUIRE_NOT_NULL(file);
    statistics.heap.fragmentation = 0.25;
    Ouro_StatisticsWrite(&statistics, file, 1);
    fclose(file);
    EXPECT(holds("events[\"heap\"][\"fragmentation\"] == 0.25"));
    unlink(name);
}
