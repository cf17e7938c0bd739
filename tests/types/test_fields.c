/* SPDX-License-Identifier: MIT */
/* Declared fields: what PyType_Ready refuses, and what the collector does with the others.
 * tests/scripts/fields.sh proves that the handlers do the same as on CPython. */
#include <ouro_fields.h>

#include "helpers.h"

typedef struct {
    PyObject_HEAD
    PyObject *a, *b;
    PyObject **many;
    Py_ssize_t length;
    PyObject *weaklist;
    void *unaligned;
} Sample;
OURO_FIELDS(Sample, a, b, OURO_COUNTED(many, length, PyMem_Free));

/* A static type with this list, which lives as long as the process. */
static PyTypeObject *
type_with(const Ouro_Field *list, unsigned long flags)
{
    Ouro_Fields *fields = calloc(1, sizeof *fields);
    PyTypeObject *type = calloc(1, sizeof *type);
    REQUIRE(fields != NULL && type != NULL);
    *fields = Sample_ouro_fields;
    fields->list = list;
    *type =
        (PyTypeObject){PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Sample",
                       .tp_basicsize = sizeof(Sample),
                       .tp_flags = Py_TPFLAGS_DEFAULT | flags, .tp_ouro_fields = fields};
    return type;
}

#define FIELD(name_, kind_, offset_)                                                     \
    {                                                                                    \
        .name = name_, .kind = OURO_FIELD_##kind_, .offset = (offset_), .count = 1       \
    }

#define EXPECT_REFUSED(text, ...)                                                        \
    do {                                                                                 \
        static const Ouro_Field list_[] = {__VA_ARGS__, {.name = NULL}};                 \
        EXPECT_EQ(PyType_Ready(type_with(list_, Py_TPFLAGS_HAVE_GC)), -1);               \
        EXPECT_ERROR(PyExc_SystemError, text);                                           \
    } while (0)

TEST_PY(a_field_outside_the_object_is_refused_with_type_and_field)
{
    EXPECT_REFUSED("type test.Sample: field 'far' lies outside the object",
                   FIELD("far", REFERENCE, sizeof(Sample)));
    EXPECT_REFUSED("type test.Sample: field 'head' lies outside the object",
                   FIELD("head", REFERENCE, 8));
    EXPECT_REFUSED(
        "type test.Sample: field 'long' lies outside the object",
        {.name = "long", .kind = OURO_FIELD_REFERENCE, .offset = 16, .count = 99});
    EXPECT_REFUSED("type test.Sample: field 'many' has its length outside the object",
                   {.name = "many",
                    .kind = OURO_FIELD_COUNTED,
                    .offset = offsetof(Sample, many),
                    .length = sizeof(Sample),
                    .length_size = 8,
                    .size = 8});
}

TEST_PY(a_field_that_is_not_aligned_is_refused)
{
    EXPECT_REFUSED("type test.Sample: field 'odd' is not aligned as a pointer",
                   FIELD("odd", REFERENCE, 20));
}

TEST_PY(fields_that_overlap_are_refused_with_both_names)
{
    EXPECT_REFUSED(
        "type test.Sample: fields 'one' and 'two' overlap",
        {.name = "one", .kind = OURO_FIELD_REFERENCE, .offset = 16, .count = 2},
        FIELD("two", REFERENCE, 24));
    EXPECT_REFUSED("type test.Sample: fields 'a' and 'many' overlap",
                   FIELD("a", REFERENCE, offsetof(Sample, a)),
                   {.name = "many",
                    .kind = OURO_FIELD_COUNTED,
                    .offset = offsetof(Sample, many),
                    .length = offsetof(Sample, a),
                    .length_size = 8,
                    .size = 8});
}

TEST_PY(a_field_among_the_items_is_refused)
{
    static const Ouro_Field list[] = {FIELD("items", ITEMS, offsetof(Sample, b)),
                                      FIELD("many", REFERENCE, offsetof(Sample, many)),
                                      {.name = NULL}};
    PyTypeObject *type = type_with(list, Py_TPFLAGS_HAVE_GC);
    type->tp_itemsize = sizeof(PyObject *);
    EXPECT_EQ(PyType_Ready(type), -1);
    EXPECT_ERROR(PyExc_SystemError,
                 "type test.Sample: fields 'items' and 'many' overlap");
    static const Ouro_Field reverse[] = {FIELD("many", REFERENCE, offsetof(Sample, many)),
                                         FIELD("items", ITEMS, offsetof(Sample, b)),
                                         {.name = NULL}};
    type = type_with(reverse, Py_TPFLAGS_HAVE_GC);
    type->tp_itemsize = sizeof(PyObject *);
    EXPECT_EQ(PyType_Ready(type), -1);
    EXPECT_ERROR(PyExc_SystemError,
                 "type test.Sample: fields 'many' and 'items' overlap");
}

TEST_PY(two_arrays_may_have_the_same_length)
{
    static const Ouro_Field list[] = {{.name = "many",
                                       .kind = OURO_FIELD_COUNTED,
                                       .offset = offsetof(Sample, many),
                                       .length = offsetof(Sample, length),
                                       .length_size = 8,
                                       .size = 8},
                                      {.name = "more",
                                       .kind = OURO_FIELD_COUNTED,
                                       .offset = offsetof(Sample, unaligned),
                                       .length = offsetof(Sample, length),
                                       .length_size = 8,
                                       .size = 8},
                                      {.name = NULL}};
    EXPECT_EQ(PyType_Ready(type_with(list, Py_TPFLAGS_HAVE_GC)), 0);
}

TEST_PY(a_struct_may_begin_with_a_reference)
{
    static const Ouro_Field inner[] = {FIELD("inner", REFERENCE, 0), {.name = NULL}};
    static const Ouro_Field list[] = {{.name = "outer",
                                       .kind = OURO_FIELD_STRUCT,
                                       .offset = 16,
                                       .size = 8,
                                       .element = inner},
                                      {.name = NULL}};
    EXPECT_EQ(PyType_Ready(type_with(list, Py_TPFLAGS_HAVE_GC)), 0);
}

TEST_PY(a_struct_with_items_is_refused)
{
    static const Ouro_Field inner[] = {FIELD("inner", ITEMS, 0), {.name = NULL}};
    EXPECT_REFUSED(
        "type test.Sample: field 'inner' is of a kind that a struct cannot have",
        {.name = "outer",
         .kind = OURO_FIELD_STRUCT,
         .offset = 16,
         .size = 8,
         .element = inner});
}

TEST_PY(a_struct_may_have_an_array_but_not_in_an_array)
{
    static const Ouro_Field inner[] = {{.name = "inner",
                                        .kind = OURO_FIELD_COUNTED,
                                        .offset = 0,
                                        .length = 8,
                                        .length_size = 8,
                                        .size = 8},
                                       {.name = NULL}};
    static const Ouro_Field list[] = {{.name = "outer",
                                       .kind = OURO_FIELD_STRUCT,
                                       .offset = offsetof(Sample, many),
                                       .size = 16,
                                       .element = inner},
                                      {.name = NULL}};
    EXPECT_EQ(PyType_Ready(type_with(list, Py_TPFLAGS_HAVE_GC)), 0);
    EXPECT_REFUSED(
        "type test.Sample: field 'inner' is of a kind that a struct cannot have",
        {.name = "outer",
         .kind = OURO_FIELD_COUNTED,
         .offset = offsetof(Sample, many),
         .length = offsetof(Sample, length),
         .length_size = 8,
         .size = 16,
         .element = inner});
}

/* References with gaps between them, so that no two are joined to one step. */
TEST_PY(more_fields_than_there_is_room_for_are_refused)
{
    static Ouro_Field list[80];
    for (int i = 0; i < 70; i++) {
        list[i] = (Ouro_Field)FIELD("one_of_many", REFERENCE, 16 + 16 * i);
    }
    PyTypeObject *type = type_with(list, Py_TPFLAGS_HAVE_GC);
    type->tp_basicsize = 16 + 16 * 70;
    EXPECT_EQ(PyType_Ready(type), -1);
    EXPECT_ERROR(PyExc_SystemError, "type test.Sample declares too many fields");
}

/* --- a managed dict -------------------------------------------------------------------------- */

typedef struct {
    PyObject_HEAD
    PyObject *other;
} Dressed;
OURO_FIELDS(Dressed, other, OURO_MANAGED_DICT);

typedef struct {
    Dressed dressed;
    PyObject *more;
} Twice;
OURO_FIELDS(Twice, OURO_MANAGED_DICT, more);

static PyTypeObject *
dressed_type(int size, PyType_Slot fields, PyTypeObject *base)
{
    PyType_Slot slots[] = {fields, {0, NULL}};
    PyType_Spec spec = {"test.Dressed", size, 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE |
                            Py_TPFLAGS_MANAGED_DICT,
                        slots};
    return (PyTypeObject *)PyType_FromSpecWithBases(&spec, (PyObject *)base);
}

TEST_PY(a_managed_dict_is_visited_cleared_and_dies_with_its_object)
{
    PyTypeObject *type =
        dressed_type(sizeof(Dressed), (PyType_Slot)OURO_SLOT_FIELDS(Dressed), NULL);
    REQUIRE_NOT_NULL(type);
    PyObject *text = PyUnicode_FromString("held by the dict");
    for (int round = 0; round < 2; round++) {
        PyObject *self = PyType_GenericAlloc(type, 0);
        REQUIRE_NOT_NULL(self);
        REQUIRE_EQ(PyObject_SetAttrString(self, "text", text), 0);
        if (round == 0) { /* a cycle through the dict: only the collector ends it */
            REQUIRE_EQ(PyObject_SetAttrString(self, "itself", self), 0);
            EXPECT_EQ(PyGC_Collect(), 0);
        }
        Py_DECREF(self);
        EXPECT_EQ(PyGC_Collect() >= 1, round == 0);
        EXPECT_EQ(Py_REFCNT(text), 1);
    }
    Py_DECREF(text);
    Py_DECREF(type);
}

TEST_PY(the_managed_dict_of_the_base_is_refused)
{
    PyTypeObject *base =
        dressed_type(sizeof(Dressed), (PyType_Slot)OURO_SLOT_FIELDS(Dressed), NULL);
    REQUIRE_NOT_NULL(base);
    EXPECT_NULL(dressed_type(sizeof(Twice), (PyType_Slot)OURO_SLOT_FIELDS(Twice), base));
    EXPECT_ERROR(PyExc_SystemError,
                 "type test.Dressed: field '__dict__' is the base's managed dict");
    Py_DECREF(base);
}


TEST_PY(a_kind_that_the_type_cannot_have_is_refused)
{
    EXPECT_REFUSED(
        "type test.Sample: field 'items' has items, but tp_itemsize has no room "
        "for a reference",
        FIELD("items", ITEMS, sizeof(Sample)));
    EXPECT_REFUSED(
        "type test.Sample: field 'weaklist' is a list of weak references, but not at "
        "tp_weaklistoffset",
        FIELD("weaklist", WEAKREFS, offsetof(Sample, weaklist)));
    EXPECT_REFUSED("type test.Sample: field '__dict__' is a managed dict, but "
                   "Py_TPFLAGS_MANAGED_DICT is "
                   "missing",
                   FIELD("__dict__", MANAGED_DICT, 0));
}

TEST_PY(a_list_without_the_gc_flag_is_refused, .mistakes = true)
{
    EXPECT_EQ(PyType_Ready(type_with(Sample_ouro_list, 0)), -1);
    EXPECT_ERROR(PyExc_SystemError,
                 "type test.Sample declares fields, but Py_TPFLAGS_HAVE_GC is missing");
}

TEST_PY(a_reference_at_the_place_of_the_weak_references_is_refused)
{
    static const Ouro_Field list[] = {
        FIELD("weaklist", REFERENCE, offsetof(Sample, weaklist)), {.name = NULL}};
    PyTypeObject *type = type_with(list, Py_TPFLAGS_HAVE_GC);
    type->tp_weaklistoffset = offsetof(Sample, weaklist);
    EXPECT_EQ(PyType_Ready(type), -1);
    EXPECT_ERROR(PyExc_SystemError, "type test.Sample: field 'weaklist' is at "
                                    "tp_weaklistoffset, but no list of weak references");
}

TEST_PY(a_field_in_the_part_of_the_base_is_refused)
{
    PyTypeObject *base =
        type_with(Sample_ouro_list, Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE);
    PyTypeObject *type = type_with(Sample_ouro_list, Py_TPFLAGS_HAVE_GC);
    EXPECT_EQ(PyType_Ready(base), 0);
    type->tp_base = base;
    EXPECT_EQ(PyType_Ready(type), -1);
    EXPECT_ERROR(PyExc_SystemError,
                 "type test.Sample: field 'a' lies in the part of the base");
}

TEST_PY(fields_with_a_negative_basicsize_are_refused)
{
    PyType_Slot slots[] = {OURO_SLOT_FIELDS(Sample), {0, NULL}};
    PyType_Spec spec = {"test.Relative", -16, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                        slots};
    EXPECT_NULL(PyType_FromSpec(&spec));
    EXPECT_ERROR(
        PyExc_SystemError,
        "type test.Relative declares fields, so its basicsize must be positive: their "
        "offsets count from the start of the object");
}

TEST_PY(a_struct_with_a_field_outside_of_it_is_refused)
{
    static const Ouro_Field inner[] = {FIELD("inner", REFERENCE, 8), {.name = NULL}};
    EXPECT_REFUSED("type test.Sample: field 'inner' lies outside its struct",
                   {.name = "outer",
                    .kind = OURO_FIELD_STRUCT,
                    .offset = 16,
                    .size = 8,
                    .element = inner});
}

static Sample *
new_sample(PyTypeObject *type)
{
    Sample *sample = (Sample *)PyType_GenericAlloc(type, 0);
    REQUIRE_NOT_NULL(sample);
    return sample;
}

static PyTypeObject *
ready_sample(void)
{
    PyTypeObject *type = type_with(Sample_ouro_list, Py_TPFLAGS_HAVE_GC);
    REQUIRE_EQ(PyType_Ready(type), 0);
    return type;
}

static int
count_visits(PyObject *Py_UNUSED(op), void *arg)
{
    ++*(int *)arg;
    return 0;
}

enum { ROOM = 6 };
static PyObject *elements[ROOM];
static int visits_of[ROOM];

static int
count_visits_of_elements(PyObject *op, void *Py_UNUSED(arg))
{
    for (int i = 0; i < ROOM; i++) {
        visits_of[i] += op == elements[i];
    }
    return 0;
}

/* The memory of the array goes on behind its length, with references that are not the object's. */
TEST_PY(each_reference_of_an_array_is_visited_once_and_none_behind_it)
{
    for (int i = 0; i < ROOM; i++) {
        elements[i] = PyList_New(0);
    }
    for (int length = 0; length < ROOM - 1; length++) {
        Sample *sample = new_sample(ready_sample());
        sample->many = PyMem_Calloc(ROOM, sizeof(PyObject *));
        sample->length = length;
        for (int i = 0; i < ROOM; i++) {
            sample->many[i] = i < length ? Py_NewRef(elements[i]) : elements[i];
            visits_of[i] = 0;
        }
        EXPECT_EQ(Ouro_FieldsTraverse(Sample_ouro_list, (PyObject *)sample,
                                      count_visits_of_elements, NULL),
                  0);
        for (int i = 0; i < ROOM; i++) {
            EXPECT_EQ(visits_of[i], i < length);
        }
        Py_DECREF(sample);
    }
    for (int i = 0; i < ROOM; i++) {
        Py_CLEAR(elements[i]);
    }
}

enum { FEW = 200, MANY = 40000 }; /* larger than a signed length of one byte, or of two */

typedef struct {
    PyObject_HEAD
    PyObject **few, **many, **some;
    uint8_t few_length;
    uint16_t many_length;
    int some_length;
} Short;
OURO_FIELDS(Short, OURO_COUNTED(few, few_length, PyMem_Free),
            OURO_COUNTED(many, many_length, PyMem_Free),
            OURO_COUNTED(some, some_length, PyMem_Free));
static PyTypeObject Short_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Short", .tp_basicsize = sizeof(Short),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, OURO_TYPE_FIELDS(Short)};

static PyObject **
array_of(PyObject *op, int length)
{
    PyObject **array = PyMem_Calloc((size_t)length, sizeof *array);
    REQUIRE_NOT_NULL(array);
    for (int i = 0; i < length; i++) {
        array[i] = Py_NewRef(op);
    }
    return array;
}

TEST_PY(lengths_of_one_two_and_four_bytes_are_read_in_full)
{
    REQUIRE_EQ(PyType_Ready(&Short_Type), 0);
    Short *self = (Short *)PyType_GenericAlloc(&Short_Type, 0);
    REQUIRE_NOT_NULL(self);
    PyObject *object = (PyObject *)self;
    self->few = array_of(object, FEW);
    self->few_length = FEW;
    self->many = array_of(object, MANY);
    self->many_length = MANY;
    self->some = array_of(object, 3);
    self->some_length = 3;
    int visits = 0;
    EXPECT_EQ(Short_Type.tp_traverse(object, count_visits, &visits), 0);
    EXPECT_EQ(visits, FEW + MANY + 3);
    EXPECT_EQ(PyGC_Collect(), 0);
    Py_DECREF(self);
    EXPECT_EQ(PyGC_Collect(), 1);
}

static int visits_left;

static int
stop_in_time(PyObject *Py_UNUSED(op), void *Py_UNUSED(arg))
{
    return --visits_left == 0 ? 42 : 0;
}

TEST_PY(a_visit_that_says_stop_ends_the_walk_in_words_and_in_arrays)
{
    PyTypeObject *type = ready_sample();
    Sample *sample = new_sample(type);
    sample->a = PyList_New(0);
    sample->many = array_of(sample->a, 3);
    sample->length = 3;
    for (int stop = 1; stop <= 4; stop++) {
        visits_left = stop;
        EXPECT_EQ(type->tp_traverse((PyObject *)sample, stop_in_time, NULL), 42);
        EXPECT_EQ(visits_left, 0);
    }
    Py_DECREF(sample);
}

typedef struct {
    PyObject_HEAD
    PyObject *listed, *other;
} Partly;

static int
visit_other(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(((Partly *)self)->other);
    return 0;
}

static int
clear_other(PyObject *self)
{
    Py_CLEAR(((Partly *)self)->other);
    return 0;
}
OURO_FIELDS(Partly, listed, OURO_REST(visit_other, clear_other));
static PyTypeObject Partly_Type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Partly",
                                   .tp_basicsize = sizeof(Partly),
                                   .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                   OURO_TYPE_FIELDS(Partly)};

TEST_PY(what_is_not_listed_is_visited_by_the_function_of_the_list)
{
    REQUIRE_EQ(PyType_Ready(&Partly_Type), 0);
    Partly *self = (Partly *)PyType_GenericAlloc(&Partly_Type, 0);
    REQUIRE_NOT_NULL(self);
    self->listed = PyList_New(0);
    self->other = Py_NewRef(self);
    EXPECT_EQ(PyGC_Collect(), 0);
    Py_DECREF(self);
    EXPECT_EQ(PyGC_Collect(), 2);
}

TEST_PY(a_length_that_cannot_be_is_fatal_with_type_and_field)
{
    Sample *sample = new_sample(ready_sample());
    sample->length = -1;
    EXPECT_FATAL(PyGC_Collect(), "type 'test.Sample', field 'many': -1 elements");
    sample->length = 1; /* but no array */
    EXPECT_FATAL(PyGC_Collect(), "type 'test.Sample', field 'many': 1 elements");
    sample->many = PyMem_Calloc(1, sizeof(PyObject *));
    sample->length = (Py_ssize_t)1 << 41; /* more than any array has */
    EXPECT_FATAL(PyGC_Collect(),
                 "type 'test.Sample', field 'many': 2199023255552 elements");
    sample->length = 0;
    Py_DECREF(sample);
}

TEST_PY(the_collector_reads_declared_fields_without_calling_handlers)
{
    SKIP_CHECKED("looks at every call of a handler");
    PyTypeObject *type = ready_sample();
    Sample *sample = new_sample(type);
    sample->a = Py_NewRef(sample);
    type->tp_traverse = NULL; /* calling it crashes */
    Py_DECREF(sample);
    EXPECT_EQ(PyGC_Collect(), 1);
}

TEST_PY(a_cycle_through_declared_and_other_types_is_collected)
{
    Sample *sample = new_sample(ready_sample());
    PyObject *list = PyList_New(0), *dict = PyDict_New();
    sample->many = PyMem_Calloc(3, sizeof(PyObject *));
    sample->length = 3;
    sample->many[1] = list;
    EXPECT_EQ(PyList_Append(list, dict), 0);
    EXPECT_EQ(PyDict_SetItemString(dict, "sample", (PyObject *)sample), 0);
    Py_DECREF(dict);
    Py_DECREF(sample);
    EXPECT_EQ(PyGC_Collect(), 3);
}

TEST_PY(a_subtype_with_handlers_of_its_own_is_called)
{
    PyTypeObject *base =
        type_with(Sample_ouro_list, Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE);
    EXPECT_EQ(PyType_Ready(base), 0);
    PyTypeObject *type = calloc(1, sizeof *type);
    *type = (PyTypeObject){PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Handlers",
                           .tp_basicsize = sizeof(Sample),
                           .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                           .tp_base = base,
                           .tp_traverse = base->tp_traverse,
                           .tp_clear = base->tp_clear};
    type->tp_traverse = Sample_ouro_traverse;
    EXPECT_EQ(PyType_Ready(type), 0);
    Sample *sample = new_sample(type);
    sample->b = Py_NewRef(sample);
    Py_DECREF(sample);
    EXPECT_EQ(PyGC_Collect(), 1);
}

TEST_PY(the_functions_behind_the_handlers_take_the_list)
{
    Sample *sample = new_sample(ready_sample());
    PyObject *object = (PyObject *)sample;
    int visits = 0;
    sample->a = PyList_New(0);
    EXPECT_EQ(Ouro_FieldsTraverse(Sample_ouro_list, object, count_visits, &visits), 0);
    EXPECT_EQ(visits, 1);
    EXPECT_EQ(Ouro_FieldsClear(Sample_ouro_list, object), 0);
    EXPECT_NULL(sample->a);
    Py_SET_REFCNT(object, 0);
    Ouro_FieldsDealloc(Sample_ouro_list, object);
}

/* --- objects that die by their count ---------------------------------------------------------- */

typedef struct {
    PyObject_HEAD
    PyObject *a, *b;
} Twin;
OURO_FIELDS(Twin, a, b);

typedef struct {
    PyObject_HEAD
    PyObject *a, *weaklist;
} Watched;
OURO_FIELDS(Watched, a, OURO_WEAKREFS(weaklist));

typedef struct {
    PyObject_HEAD
    PyObject *a;
} One;
OURO_FIELDS(One, a);

static int finalized;

static void
count_finalizer(PyObject *self)
{
    (void)self;
    finalized++;
}

TEST_PY(an_object_that_dies_releases_its_references)
{
    static PyTypeObject type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Twin",
                                .tp_basicsize = sizeof(Twin),
                                .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                OURO_TYPE_FIELDS(Twin)};
    PyObject *shared = PyList_New(0);
    EXPECT_EQ(PyType_Ready(&type), 0);
    Twin *outer = (Twin *)PyType_GenericAlloc(&type, 0);
    Twin *inner = (Twin *)PyType_GenericAlloc(&type, 0);
    outer->a = (PyObject *)inner;
    outer->b = Py_NewRef(shared);
    inner->a = Py_NewRef(shared);
    inner->b = Py_NewRef(Py_None);
    Py_DECREF(outer);
    EXPECT_EQ(Py_REFCNT(shared), 1);
    type.tp_finalize = count_finalizer; /* also if the type gets it late */
    Py_DECREF(PyType_GenericAlloc(&type, 0));
    EXPECT_EQ(finalized, 1);
    EXPECT_NO_ERROR(); /* it has no weak references to clear */
    type.tp_finalize = NULL;
    Py_DECREF(shared);
}

static int freed;

static void
count_and_free(void *op)
{
    freed++;
    PyObject_GC_Del(op);
}

TEST_PY(an_object_that_dies_is_freed_by_a_tp_free_that_its_type_got_late)
{
    static PyTypeObject type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Late",
                                .tp_basicsize = sizeof(Twin),
                                .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                OURO_TYPE_FIELDS(Twin)};
    REQUIRE_EQ(PyType_Ready(&type), 0);
    type.tp_free = count_and_free;
    Py_DECREF(PyType_GenericAlloc(&type, 0));
    EXPECT_EQ(freed, 1);
    Twin *twin = (Twin *)PyType_GenericAlloc(&type, 0);
    REQUIRE_NOT_NULL(twin);
    twin->a = Py_NewRef(twin);
    Py_DECREF(twin);
    EXPECT_EQ(PyGC_Collect(), 1);
    EXPECT_EQ(freed, 2);
}

TEST_PY(an_object_that_dies_releases_its_arrays)
{
    PyObject *shared = PyList_New(0);
    Sample *sample = new_sample(ready_sample());
    sample->many = PyMem_Calloc(3, sizeof(PyObject *));
    sample->length = 3;
    sample->many[1] = Py_NewRef(shared);
    sample->a = Py_NewRef(shared);
    Py_DECREF(sample);
    EXPECT_EQ(Py_REFCNT(shared), 1);
    Py_DECREF(shared);
}

TEST_PY(a_length_that_cannot_be_is_fatal_when_the_object_dies)
{
    Sample *sample = new_sample(ready_sample());
    sample->length = -1;
    EXPECT_FATAL(Py_DECREF(sample), "type 'test.Sample', field 'many': -1 elements");
    sample->length = 1; /* and no array */
    EXPECT_FATAL(Py_DECREF(sample), "type 'test.Sample', field 'many': 1 elements");
    sample->length = 0;
    Py_DECREF(sample);
}

TEST_PY(weak_references_that_the_list_does_not_name_are_cleared)
{
    static PyTypeObject type = {
        PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Unnamed",
        .tp_basicsize = sizeof(Watched), .tp_weaklistoffset = offsetof(Watched, weaklist),
        .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, OURO_TYPE_FIELDS(One)};
    EXPECT_EQ(PyType_Ready(&type), 0);
    PyObject *self = PyType_GenericAlloc(&type, 0), *seen = NULL;
    PyObject *weak = PyWeakref_NewRef(self, NULL);
    REQUIRE_NOT_NULL(weak);
    Py_DECREF(self);
    EXPECT_EQ(PyWeakref_GetRef(weak, &seen), 0);
    Py_DECREF(weak);
}

TEST_PY(an_object_that_dies_clears_its_weak_references)
{
    static PyTypeObject type = {
        PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Watched",
        .tp_basicsize = sizeof(Watched), .tp_weaklistoffset = offsetof(Watched, weaklist),
        .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, OURO_TYPE_FIELDS(Watched)};
    EXPECT_EQ(PyType_Ready(&type), 0);
    PyObject *self = PyType_GenericAlloc(&type, 0), *seen = NULL;
    PyObject *weak = PyWeakref_NewRef(self, NULL);
    REQUIRE_NOT_NULL(weak);
    Py_DECREF(self);
    EXPECT_EQ(PyWeakref_GetRef(weak, &seen), 0);
    EXPECT_NULL(seen);
    Py_DECREF(weak);
}

TEST_PY(an_object_that_dies_releases_its_heap_type)
{
    static PyType_Slot slots[] = {OURO_SLOT_FIELDS(Twin), {0, NULL}};
    static PyType_Spec spec = {.name = "test.HeapTwin",
                               .basicsize = sizeof(Twin),
                               .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                               .slots = slots};
    PyTypeObject *type = (PyTypeObject *)PyType_FromSpec(&spec);
    REQUIRE_NOT_NULL(type);
    Py_ssize_t before = Py_REFCNT(type);
    Py_DECREF(PyType_GenericAlloc(type, 0));
    EXPECT_EQ(Py_REFCNT(type), before);
    Py_DECREF(type);
}

TEST_PY(an_object_and_its_heap_type_are_collected_together)
{
    static PyType_Slot slots[] = {OURO_SLOT_FIELDS(Twin), {0, NULL}};
    static PyType_Spec spec = {.name = "test.HeapTwin",
                               .basicsize = sizeof(Twin),
                               .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                               .slots = slots};
    PyTypeObject *type = (PyTypeObject *)PyType_FromSpec(&spec);
    REQUIRE_NOT_NULL(type);
    PyObject *shared = PyList_New(0);
    Twin *twin = (Twin *)PyType_GenericAlloc(type, 0);
    twin->a = Py_NewRef(shared);
    EXPECT_EQ(PyObject_SetAttrString((PyObject *)type, "twin", (PyObject *)twin), 0);
    Py_DECREF(twin);
    Py_DECREF(type);
    PyGC_Collect();
    EXPECT_EQ(Py_REFCNT(shared), 1);
    Py_DECREF(shared);
}
