/* SPDX-License-Identifier: MIT */
/* What the headers promise to sources that were written for CPython: the layout of objects,
 * the numbers of flags and slots, the types of handlers. */
#include "../harness.h"

#include <stddef.h>

TEST(objects_have_the_documented_layout)
{
    EXPECT_EQ(sizeof(PyObject), 16);
    EXPECT_EQ(offsetof(PyObject, ob_refcnt), 0);
    EXPECT_EQ(offsetof(PyObject, ob_type), 8);
    EXPECT_EQ(sizeof(PyVarObject), 24);
    EXPECT_EQ(offsetof(PyVarObject, ob_size), 16);

    struct fixed {
        PyObject_HEAD
        int field;
    };
    struct with_items {
        PyObject_VAR_HEAD
        int field;
    };
    EXPECT_EQ(offsetof(struct fixed, field), 16);
    EXPECT_EQ(offsetof(struct with_items, field), 24);
    EXPECT_EQ(sizeof(((struct fixed *)NULL)->ob_base), sizeof(PyObject));
    EXPECT_EQ(sizeof(((struct with_items *)NULL)->ob_base), sizeof(PyVarObject));
}

/* clang-format off */
static struct {
    PyObject_HEAD
    int field;
} static_object = {
    PyObject_HEAD_INIT(&PyBaseObject_Type)
    .field = 5,
};

static struct {
    PyObject_VAR_HEAD
} static_var_object = {
    PyVarObject_HEAD_INIT(&PyBaseObject_Type, 7)
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-braces" /* as CPython's headers do since 3.12 */
static PyObject plain_braces = {1, &PyBaseObject_Type};
#pragma GCC diagnostic pop
/* clang-format on */

TEST_PY(static_objects_start_immortal)
{
    PyObject *op = (PyObject *)&static_object;
    PyObject *var = (PyObject *)&static_var_object;
    EXPECT(Py_IS_TYPE(op, &PyBaseObject_Type));
    EXPECT_EQ(static_object.field, 5);
    EXPECT_EQ(PyUnstable_IsImmortal(op), 1);
    EXPECT_EQ(PyUnstable_IsImmortal(var), 1);
    EXPECT_EQ(Py_SIZE(var), 7);
    Py_ssize_t count = Py_REFCNT(op);
    Py_DECREF(op);
    EXPECT_EQ(Py_REFCNT(op), count);
}

TEST(a_header_may_be_written_in_plain_braces)
{
    EXPECT_EQ(plain_braces.ob_refcnt, 1);
    EXPECT(plain_braces.ob_type == &PyBaseObject_Type);
}

TEST_PY(types_are_told_from_other_objects)
{
    EXPECT(PyType_Check((PyObject *)&PyType_Type));
    EXPECT(PyType_CheckExact((PyObject *)&PyList_Type));
    EXPECT(!PyType_Check(Py_None));
    EXPECT(!PyType_CheckExact(Py_None));
}

TEST(flags_have_the_numbers_of_cpython)
{
    static const struct {
        unsigned long flag;
        int bit;
    } flags[] = {
        {Py_TPFLAGS_MANAGED_WEAKREF, 3},    {Py_TPFLAGS_MANAGED_DICT, 4},
        {Py_TPFLAGS_SEQUENCE, 5},           {Py_TPFLAGS_MAPPING, 6},
        {Py_TPFLAGS_IMMUTABLETYPE, 8},      {Py_TPFLAGS_DISALLOW_INSTANTIATION, 7},
        {Py_TPFLAGS_HEAPTYPE, 9},           {Py_TPFLAGS_BASETYPE, 10},
        {Py_TPFLAGS_HAVE_VECTORCALL, 11},   {Py_TPFLAGS_READY, 12},
        {Py_TPFLAGS_READYING, 13},          {Py_TPFLAGS_HAVE_GC, 14},
        {Py_TPFLAGS_METHOD_DESCRIPTOR, 17}, {Py_TPFLAGS_IS_ABSTRACT, 20},
        {Py_TPFLAGS_ITEMS_AT_END, 23},      {Py_TPFLAGS_LONG_SUBCLASS, 24},
        {Py_TPFLAGS_LIST_SUBCLASS, 25},     {Py_TPFLAGS_TUPLE_SUBCLASS, 26},
        {Py_TPFLAGS_BYTES_SUBCLASS, 27},    {Py_TPFLAGS_UNICODE_SUBCLASS, 28},
        {Py_TPFLAGS_DICT_SUBCLASS, 29},     {Py_TPFLAGS_BASE_EXC_SUBCLASS, 30},
        {Py_TPFLAGS_TYPE_SUBCLASS, 31},
    };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        EXPECT_EQ(flags[i].flag, 1UL << flags[i].bit);
    }
    EXPECT_EQ(Py_TPFLAGS_HAVE_FINALIZE, 1UL << 0);
    EXPECT_EQ(Py_TPFLAGS_DEFAULT & Py_TPFLAGS_HAVE_GC, 0);
}

TEST(slots_have_the_numbers_of_cpython)
{
    /* The ends of each run of consecutive numbers, and what the 3.15 renumbering moved. */
    static const struct {
        int slot;
        int number;
    } slots[] = {
        {Py_slot_end, 0},          {Py_mp_subscript, 5},
        {Py_nb_absolute, 6},       {Py_nb_xor, 38},
        {Py_sq_ass_item, 39},      {Py_sq_repeat, 46},
        {Py_tp_alloc, 47},         {Py_tp_clear, 51},
        {Py_tp_is_gc, 61},         {Py_tp_traverse, 71},
        {Py_tp_free, 74},          {Py_nb_matrix_multiply, 75},
        {Py_am_anext, 79},         {Py_tp_finalize, 80},
        {Py_tp_token, 83},         {Py_mod_create, 84},
        {Py_mod_exec, 85},         {Py_mod_multiple_interpreters, 86},
        {Py_mod_gil, 87},          {Py_bf_getbuffer, 88},
        {Py_bf_releasebuffer, 89}, {Py_mp_ass_subscript, 90},
        {Py_mp_length, 91},        {Py_slot_subslots, 92},
        {Py_tp_flags, 99},         {Py_mod_name, 100},
        {Py_tp_metaclass, 107},    {Py_mod_token, 110},
        {Py_slot_invalid, 0xffff},
    };
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++) {
        EXPECT_EQ(slots[i].slot, slots[i].number);
    }
}

/* Compiles only when every field has the documented type. */
TEST(handlers_have_the_documented_types)
{
    PyTypeObject type = {.tp_name = "test.T"};
    PySequenceMethods sequence = {0};
    PyMappingMethods mapping = {0};
    PyNumberMethods number = {0};
    destructor dealloc = type.tp_dealloc;
    freefunc release = type.tp_free;
    allocfunc alloc = type.tp_alloc;
    newfunc make = type.tp_new;
    initproc init = type.tp_init;
    reprfunc repr = type.tp_repr;
    hashfunc hash = type.tp_hash;
    richcmpfunc compare = type.tp_richcompare;
    getiterfunc iter = type.tp_iter;
    iternextfunc next = type.tp_iternext;
    ternaryfunc call = type.tp_call;
    getattrofunc get = type.tp_getattro;
    setattrofunc set = type.tp_setattro;
    descrgetfunc bind = type.tp_descr_get;
    descrsetfunc store = type.tp_descr_set;
    vectorcallfunc vectorcall = type.tp_vectorcall;
    traverseproc traverse = type.tp_traverse;
    inquiry clear = type.tp_clear;
    inquiry is_gc = type.tp_is_gc;
    destructor finalize = type.tp_finalize;
    lenfunc length = sequence.sq_length;
    ssizeargfunc item = sequence.sq_item;
    ssizeobjargproc set_item = sequence.sq_ass_item;
    objobjproc contains = sequence.sq_contains;
    objobjargproc set_key = mapping.mp_ass_subscript;
    binaryfunc key = mapping.mp_subscript;
    unaryfunc negative = number.nb_negative;
    PyGetSetDef attribute = {0};
    getter read = attribute.get;
    setter write = attribute.set;
    gcvisitobjects_t each = NULL;
    EXPECT(!dealloc && !release && !alloc && !make && !init && !repr && !hash);
    EXPECT(!compare && !iter && !next && !call && !get && !set && !bind && !store);
    EXPECT(!vectorcall && !traverse && !clear && !is_gc && !finalize && !length);
    EXPECT(!item && !set_item && !contains && !set_key && !key && !negative);
    EXPECT(!read && !write && !each);
}

PyDoc_STRVAR(documentation, "what it does");

TEST(documentation_strings_are_strings)
{
    EXPECT_STR(documentation, "what it does");
    EXPECT_STR(PyDoc_STR("inline"), "inline");
}

TEST_PY(critical_sections_are_blocks)
{
    int entered = 0;
    Py_BEGIN_CRITICAL_SECTION(Py_None);
    entered++;
    Py_END_CRITICAL_SECTION();
    Py_BEGIN_CRITICAL_SECTION2(Py_None, Py_True);
    entered++;
    Py_END_CRITICAL_SECTION2();
    EXPECT_EQ(entered, 2);
}
