/* SPDX-License-Identifier: MIT */
/* Types that declare their fields, under the checker. */
#include <ouro_fields.h>

#include "seeds.h"

typedef struct {
    PyObject_HEAD
    PyObject *a, *b;
    PyObject **many;
    Py_ssize_t length;
    PyObject *weaklist, *owner;
} Declared;
OURO_FIELDS(Declared, a, b, OURO_COUNTED(many, length, PyObject_Free),
            OURO_WEAKREFS(weaklist), OURO_BORROWED(owner));

static PyTypeObject Declared_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "seed.Declared",
    .tp_basicsize = sizeof(Declared),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_weaklistoffset = offsetof(Declared, weaklist),
    OURO_TYPE_FIELDS(Declared),
};

static Declared *
new_declared(void)
{
    REQUIRE_EQ(PyType_Ready(&Declared_Type), 0);
    Declared *self = (Declared *)PyType_GenericAlloc(&Declared_Type, 0);
    REQUIRE_NOT_NULL(self);
    self->a = PyList_New(0);
    self->b = PyList_New(0);
    self->owner = self->a;
    self->many = PyObject_Calloc(4, sizeof(PyObject *));
    self->length = 4;
    self->many[2] = PyList_New(0);
    return self;
}

SEED(T73, "seed.Declared")
{
    Declared *self = new_declared();
    seeded = (PyObject *)self;
    self->length = is_wrong ? 5 : 3;
    PyGC_Collect();
    self->length = 4;
    Py_DECREF(self);
}

SEED(T74, "seed.Declared")
{
    PyObject *all = PyList_New(0);
    Ouro_CheckSetNotes(1);
    for (int i = 0; i < 30; i++) {
        Declared *self = new_declared();
        if (is_wrong) {
            Py_CLEAR(self->b);
        }
        PyList_Append(all, (PyObject *)self);
        Py_DECREF(self);
    }
    seeded = NULL;
    PyGC_Collect();
    Py_DECREF(all);
}

TEST_PY(the_life_of_declared_objects_raises_no_alarm)
{
    Declared *self = new_declared();
    PyObject *weak = PyWeakref_NewRef((PyObject *)self, NULL);
    PyGC_Collect();
    Py_DECREF(self);
    self = new_declared();
    Py_SETREF(self->b, Py_NewRef(self));
    Py_DECREF(self);
    EXPECT_EQ(PyGC_Collect(), 3); /* with two lists */
    Py_DECREF(weak);
}

/* --- names -------------------------------------------------------------------------------------- */

static char heard[500];

static int
hear_text(const Ouro_CheckReport *report, void *Py_UNUSED(arg))
{
    snprintf(heard, sizeof heard, "%s", report->text);
    return 1;
}

typedef struct {
    PyObject_HEAD
    PyObject *listed, *forgotten;
} Partly;
OURO_FIELDS(Partly, listed);

static PyTypeObject Partly_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "seed.Partly",
    .tp_basicsize = sizeof(Partly),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    OURO_TYPE_FIELDS(Partly),
};

TEST(a_reference_that_is_not_declared_is_reported_as_such, .mistakes = true,
     .no_leak_check = true)
{
    Py_Initialize();
    Ouro_CheckSetReportHook(hear_text, NULL);
    REQUIRE_EQ(PyType_Ready(&Partly_Type), 0);
    Partly *self = (Partly *)PyType_GenericAlloc(&Partly_Type, 0);
    self->forgotten = PyList_New(0);
    PyGC_Collect();
    EXPECT_HAS(heard, "field at offset 24 holds a tracked 'list'");
    EXPECT_HAS(heard, "its list of fields has nothing there");
    Py_CLEAR(self->forgotten);
    Py_DECREF(self);
    Ouro_CheckSetReportHook(NULL, NULL);
    Py_FinalizeEx();
}

static int
visit_nothing_at_all(PyObject *Py_UNUSED(self), visitproc Py_UNUSED(visit),
                     void *Py_UNUSED(arg))
{
    return 0;
}

static PyTypeObject Named_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "seed.Named",
    .tp_basicsize = sizeof(Partly),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    OURO_TYPE_FIELDS(Partly),
    .tp_traverse = visit_nothing_at_all,
};

TEST(a_report_names_the_declared_field, .mistakes = true, .no_leak_check = true)
{
    Py_Initialize();
    Ouro_CheckSetReportHook(hear_text, NULL);
    REQUIRE_EQ(PyType_Ready(&Named_Type), 0);
    Partly *self = (Partly *)PyType_GenericAlloc(&Named_Type, 0);
    self->listed = PyList_New(0);
    PyGC_Collect();
    EXPECT_HAS(heard, "(field 'listed')");
    Py_DECREF(self);
    Ouro_CheckSetReportHook(NULL, NULL);
    Py_FinalizeEx();
}
