/* SPDX-License-Identifier: MIT */
/* The names of members that a list lacks, from debug information. tests/scripts/cpp.sh tests classes
 * of C++; here a struct of C stands for a class. */
#include <ouro_fields.h>

#include "seeds.h"

struct inner_part {
    PyObject *listed;
    long number;
    PyObject *forgotten;
};

typedef struct {
    PyObject_HEAD
    struct inner_part part;
} Classy;

/* Lists like those of ouroboros.hpp: the name of the class comes last. */
#define LISTED                                                                           \
    .name = "listed", .kind = OURO_FIELD_REFERENCE,                                      \
    .offset = offsetof(Classy, part.listed), .count = 1
#define CLASS                                                                            \
    .kind = OURO_FIELD_CLASS, .size = sizeof(struct inner_part),                         \
    .length = offsetof(Classy, part)

static const Ouro_Field known_list[] = {
    {LISTED}, {.name = "inner_part", CLASS}, {.kind = OURO_FIELD_END}};
static const Ouro_Field unknown_list[] = {
    {LISTED}, {.name = "no_struct_has_this_name", CLASS}, {.kind = OURO_FIELD_END}};

static int
known_traverse(PyObject *self, visitproc visit, void *arg)
{
    return Ouro_FieldsTraverse(known_list, self, visit, arg);
}

static int
unknown_traverse(PyObject *self, visitproc visit, void *arg)
{
    return Ouro_FieldsTraverse(unknown_list, self, visit, arg);
}

static void
classy_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    Py_CLEAR(((Classy *)self)->part.listed);
    Py_CLEAR(((Classy *)self)->part.forgotten);
    Py_TYPE(self)->tp_free(self);
}

static const Ouro_Fields known_fields = {.list = known_list};
static const Ouro_Fields unknown_fields = {.list = unknown_list};

static PyTypeObject Known_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "seed.Known",
    .tp_basicsize = sizeof(Classy),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = known_traverse,
    .tp_dealloc = classy_dealloc,
    .tp_ouro_fields = &known_fields,
};

static PyTypeObject Unknown_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "seed.Unknown",
    .tp_basicsize = sizeof(Classy),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = unknown_traverse,
    .tp_dealloc = classy_dealloc,
    .tp_ouro_fields = &unknown_fields,
};

static char told[500];

static int
hear_member_report(const Ouro_CheckReport *report, void *Py_UNUSED(arg))
{
    snprintf(told, sizeof told, "%s", report->text);
    return 1;
}

/* Show the checker an object whose list lacks a field that holds something. */
static void
forget_a_member(PyTypeObject *type)
{
    Py_Initialize();
    Ouro_CheckSetReportHook(hear_member_report, NULL);
    REQUIRE_EQ(PyType_Ready(type), 0);
    Classy *self = (Classy *)PyType_GenericAlloc(type, 0);
    self->part.forgotten = PyList_New(0);
    PyGC_Collect();
    Py_DECREF(self);
    Ouro_CheckSetReportHook(NULL, NULL);
    Py_FinalizeEx();
}

TEST(a_member_that_the_list_of_a_class_lacks_is_named, .mistakes = true,
     .no_leak_check = true)
{
    if (system("readelf --version >/dev/null 2>&1") != 0) {
        SKIP("no readelf");
    }
    forget_a_member(&Known_Type);
    EXPECT_HAS(told, "its list lacks member 'forgotten' of class inner_part");
}

TEST(without_debug_information_about_the_class_the_offset_is_told, .mistakes = true,
     .no_leak_check = true)
{
    forget_a_member(&Unknown_Type);
    EXPECT_HAS(told, "field at offset 32 holds a tracked 'list'");
    EXPECT_HAS(told, "its list of fields has nothing there");
}
