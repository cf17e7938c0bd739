/* SPDX-License-Identifier: MIT */
/* How reports are printed and silenced, and what follows from them. */
#include "seeds.h"

static PyObject *
tracked_box(void)
{
    static PyTypeObject *type;
    type = box_type_with(NULL, NULL, NULL);
    PyObject *box = full_box(type);
    Py_DECREF(type);
    return box;
}

TEST_PY(a_report_names_code_type_and_place)
{
    PyObject *box = tracked_box();
    EXPECT_FATAL(PyObject_GC_Track(box), "gc-check[GC-K18]: seed.Box object at 0x");
    Ouro_CheckSetAbort("GC-K18", 0);
    EXPECT_SURVIVES(PyObject_GC_Track(box));
    Py_DECREF(box);
}

static void
track_again(void)
{
    PyObject *box = tracked_box();
    PyObject_GC_Track(box);
    Py_DECREF(box);
}

TEST_PY(the_place_of_allocation_is_printed, .mistakes = true)
{
    Ouro_CheckSetAbort("", 0);
    char *text = capture_stderr(track_again);
    EXPECT_HAS(text, "gc-check[GC-K18]: seed.Box object at 0x");
    EXPECT_HAS(text, "already tracked\n");
    EXPECT_HAS(text, "allocated at\n");
    EXPECT_HAS(text, "last tracked at\n");
    free(text);
}

TEST_PY(a_mistake_is_told_once_for_each_type, .mistakes = true)
{
    Ouro_CheckSetReportHook(hear_report, NULL);
    track_again();
    track_again();
    EXPECT_EQ(Ouro_CheckCountReports("GC-K18"), 1);
    EXPECT_EQ(Ouro_CheckCountReports("K"), 1);
    EXPECT_EQ(Ouro_CheckCountReports(NULL), 1);
    EXPECT_EQ(Ouro_CheckCountReports("GC-D"), 0);
}

TEST_PY(a_suppressed_code_is_not_told)
{
    Ouro_CheckSuppress("GC-K18", "seed.Box");
    track_again();
    EXPECT_EQ(Ouro_CheckCountReports(NULL), 0);
}

TEST_PY(suppression_is_for_the_type_that_it_names, .mistakes = true)
{
    Ouro_CheckSetReportHook(hear_report, NULL);
    Ouro_CheckSuppress("GC-K18", "seed.Other");
    track_again();
    EXPECT_EQ(Ouro_CheckCountReports(NULL), 1);
}

TEST(the_environment_has_the_same_settings)
{
    setenv("OURO_CHECK",
           "continue=all;suppress=K18:seed.Box,T01;quarantine=0;stress=zero", 1);
    Py_Initialize();
    track_again();
    EXPECT_EQ(Ouro_CheckCountReports(NULL), 0);
    EXPECT_EQ(Ouro_CheckSetStress(0), OURO_CHECK_STRESS_ZERO);
    EXPECT_EQ(Py_FinalizeEx(), 0);
}

TEST_PY(notes_are_told_when_asked_for)
{
    EXPECT_EQ(Ouro_CheckSetNotes(1), 0);
    EXPECT_EQ(Ouro_CheckSetNotes(0), 1);
}

/* --- what is alive ---------------------------------------------------------------------------- */

static char *
explained(int is_json)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    EXPECT_GT(Ouro_CheckExplain(file, is_json), 0);
    fclose(file);
    return text;
}

TEST_PY(an_explanation_names_holders_paths_and_cycles)
{
    PyTypeObject *type = box_type_with(NULL, NULL, NULL);
    PyObject *list = PyList_New(0);
    PyObject *box = full_box(type);
    as_box(box)->second = Py_NewRef(box);
    EXPECT_EQ(PyList_Append(list, box), 0);
    Py_DECREF(box);
    char *text = explained(0);
    EXPECT_HAS(text, "1 'seed.Box': 0 unaccounted references");
    EXPECT_HAS(text, "for example 'seed.Box'");
    EXPECT_HAS(text, "held by 'list'");
    EXPECT_HAS(text, "held by 1 reference that nobody accounts for");
    EXPECT_HAS(text, "in a cycle of 1: 'seed.Box'");
    EXPECT_NULL(strchr(text, '\033'));
    free(text);
    text = explained(1);
    EXPECT_HAS(text, "{\"type\": \"seed.Box\", \"objects\": 1, \"unaccounted\": 0");
    EXPECT_HAS(text, "\"path\": [{\"type\": \"seed.Box\"");
    EXPECT_HAS(text, "\"cycle\": [{\"type\": \"seed.Box\"");
    free(text);
    Py_DECREF(list);
    Py_DECREF(type);
}

TEST_PY(an_audit_counts_what_is_new)
{
    EXPECT_EQ(Ouro_CheckAudit(), 0);
}
