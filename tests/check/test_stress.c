/* SPDX-License-Identifier: MIT */
/* The parts of the stress mode do what they say. */
#include "seeds.h"

static PyObject *finalized[16];
static int finalized_count;

static void
note_finalized(PyObject *self)
{
    finalized[finalized_count++ % 16] = self;
}

static void
finalize_and_destroy(PyObject *self)
{
    if (PyObject_CallFinalizerFromDealloc(self) == 0) {
        box_dealloc(self);
    }
}

static PyTypeObject *
type_with_finalizer(void)
{
    return new_type((struct handlers){.traverse = box_traverse,
                                      .clear = box_clear,
                                      .dealloc = finalize_and_destroy,
                                      .finalize = note_finalized});
}

TEST_PY(shuffled_finalizers_all_run_once_and_in_another_order)
{
    Ouro_CheckSetStress(OURO_CHECK_STRESS_SHUFFLE);
    PyTypeObject *type = type_with_finalizer();
    int descents = 0;
    for (int round = 1; round <= 10; round++) { /* one may be in order by chance */
        for (int i = 0; i < 16; i++) {
            drop_cycle(type);
        }
        EXPECT_EQ(PyGC_Collect(), 32);
        EXPECT_EQ(finalized_count, 16 * round);
        for (int i = 1; i < 16; i++) {
            descents += finalized[i] < finalized[i - 1];
        }
    }
    EXPECT_GT(descents, 0); /* otherwise they run in address order */
    Py_DECREF(type);
}

TEST_PY(a_count_that_reaches_zero_collects)
{
    PyTypeObject *type = type_with_finalizer();
    drop_cycle(type);
    Py_DECREF(PyList_New(0));
    EXPECT_EQ(finalized_count, 0);
    Ouro_CheckSetStress(OURO_CHECK_STRESS_ZERO);
    Py_DECREF(PyList_New(0));
    EXPECT_EQ(finalized_count, 1);
    Py_DECREF(type);
}

TEST_PY(resizing_always_moves)
{
    PyObject *tuple = PyTuple_New(2);
    PyObject *before = tuple;
    EXPECT_EQ(_PyTuple_Resize(&tuple, 3), 0);
    EXPECT_NE(tuple, before);
    Py_DECREF(tuple);
}
