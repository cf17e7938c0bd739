/* SPDX-License-Identifier: MIT */
/* dict objects: lookup, change, order, and keys that change the dict during a lookup. */
#include "../protocol.h"
#include "meddler.h"

TEST_PY(dicts_are_always_tracked)
{
    PyObject *dict = PyDict_New();
    EXPECT_EQ(PyObject_GC_IsTracked(dict), 1);
    PyDict_SetItemString(dict, "a", Py_None);
    PyGC_Collect();
    EXPECT_EQ(PyObject_GC_IsTracked(dict), 1);
    Py_DECREF(dict);
}

TEST_PY(items_are_set_found_and_deleted)
{
    PyObject *dict = PyDict_New(), *key = text("key"), *value = PyList_New(0), *found;
    EXPECT_EQ(PyDict_SetItem(dict, key, value), 0);
    EXPECT_EQ(Py_REFCNT(key), 2);
    EXPECT_EQ(Py_REFCNT(value), 2);
    EXPECT_EQ(PyDict_SetItem(dict, key, value), 0);
    EXPECT_EQ(Py_REFCNT(key), 2);
    EXPECT_EQ(Py_REFCNT(value), 2);
    EXPECT_EQ(PyDict_GetItem(dict, key), value);
    EXPECT_EQ(PyDict_GetItemWithError(dict, key), value);
    EXPECT_EQ(PyDict_GetItemString(dict, "key"), value);
    EXPECT_EQ(Py_REFCNT(value), 2);
    EXPECT_EQ(PyDict_GetItemRef(dict, key, &found), 1);
    EXPECT_EQ(found, value);
    Py_DECREF(found);
    EXPECT_EQ(PyDict_GetItemStringRef(dict, "none", &found), 0);
    EXPECT_NULL(found);
    EXPECT_EQ(PyDict_Contains(dict, key), 1);
    EXPECT_EQ(PyDict_ContainsString(dict, "none"), 0);
    EXPECT_EQ(PyDict_Size(dict), 1);
    EXPECT_EQ(PyDict_DelItem(dict, key), 0);
    EXPECT_EQ(Py_REFCNT(key), 1);
    EXPECT_EQ(Py_REFCNT(value), 1);
    EXPECT_EQ(PyDict_DelItem(dict, key), -1);
    EXPECT_RAISED_TEXT(PyExc_KeyError, "'key'");
    EXPECT_EQ(PyDict_DelItemString(dict, "key"), -1);
    EXPECT_RAISED(PyExc_KeyError);
    EXPECT_NULL(PyDict_GetItemWithError(dict, key));
    EXPECT_NO_ERROR();
    Py_DECREF(dict);
    Py_DECREF(key);
    Py_DECREF(value);
}

TEST_PY(a_missing_key_that_is_a_tuple_is_reported_whole)
{
    PyObject *dict = PyDict_New(), *key = PyTuple_Pack(2, Py_None, Py_True);
    EXPECT_EQ(PyDict_DelItem(dict, key), -1);
    EXPECT_RAISED_TEXT(PyExc_KeyError, "(None, True)");
    Py_DECREF(key);
    Py_DECREF(dict);
}

TEST_PY(wrong_arguments_are_reported)
{
    PyObject *dict = PyDict_New(), *list = PyList_New(0), *found;
    EXPECT_EQ(PyDict_SetItem(Py_None, Py_None, Py_None), -1);
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_EQ(PyDict_Size(list), -1);
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_EQ(PyDict_SetItem(dict, list, Py_None), -1);
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_EQ(Py_REFCNT(list), 1);
    EXPECT_EQ(PyDict_GetItemRef(dict, list, &found), -1);
    EXPECT_NULL(found);
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_NULL(PyDict_GetItemWithError(dict, list));
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_EQ(PyDict_Contains(dict, list), -1);
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_EQ(PyDict_SetItem(dict, Py_None, NULL), -1);
    EXPECT_RAISED(PyExc_SystemError);
    Py_DECREF(dict);
    Py_DECREF(list);
}

static PyObject *unhashable_dict;

static void
get_with_unhashable_key(void)
{
    PyObject *list = PyList_New(0);
    PyErr_SetString(PyExc_ValueError, "was pending");
    EXPECT_NULL(PyDict_GetItem(unhashable_dict, list));
    EXPECT_RAISED_TEXT(PyExc_ValueError, "was pending");
    Py_DECREF(list);
}

TEST_PY(getitem_reports_errors_as_unraisable_and_keeps_the_pending_one)
{
    unhashable_dict = PyDict_New();
    char *written = capture_stderr(get_with_unhashable_key);
    EXPECT_HAS(written, "PyDict_GetItem");
    EXPECT_HAS(written, "unhashable");
    free(written);
    Py_DECREF(unhashable_dict);
}

TEST_PY(default_values_and_pops)
{
    PyObject *dict = PyDict_New(), *key = text("k"), *value = PyList_New(0), *got;
    EXPECT_EQ(PyDict_SetDefaultRef(dict, key, value, &got), 0);
    EXPECT_EQ(got, value);
    Py_DECREF(got);
    EXPECT_EQ(PyDict_SetDefaultRef(dict, key, Py_None, &got), 1);
    EXPECT_EQ(got, value);
    Py_DECREF(got);
    EXPECT_EQ(PyDict_SetDefaultRef(dict, key, Py_None, NULL), 1);
    EXPECT_EQ(PyDict_SetDefault(dict, key, Py_None), value);
    EXPECT_EQ(Py_REFCNT(value), 2);
    EXPECT_EQ(PyDict_Pop(dict, key, &got), 1);
    EXPECT_EQ(got, value);
    Py_DECREF(got);
    EXPECT_EQ(PyDict_PopString(dict, "k", &got), 0);
    EXPECT_NULL(got);
    EXPECT_NO_ERROR();
    EXPECT_EQ(Py_REFCNT(value), 1);
    Py_DECREF(dict);
    Py_DECREF(key);
    Py_DECREF(value);
}

TEST_PY(items_stay_in_order_of_insertion)
{
    PyObject *dict = PyDict_New();
    const char *names[] = {"z", "a", "m", "b"};
    for (int i = 0; i < 4; i++) {
        PyObject *n = number(i);
        PyDict_SetItemString(dict, names[i], n);
    }
    PyDict_SetItemString(dict, "a", Py_None);
    PyDict_DelItemString(dict, "z");
    PyDict_SetItemString(dict, "z", Py_True);
    EXPECT_REPR_OF(Py_NewRef(dict), "{'a': None, 'm': 2, 'b': 3, 'z': True}");
    EXPECT_REPR_OF(PyDict_Keys(dict), "['a', 'm', 'b', 'z']");
    EXPECT_REPR_OF(PyDict_Values(dict), "[None, 2, 3, True]");
    EXPECT_REPR_OF(PyDict_Items(dict), "[('a', None), ('m', 2), ('b', 3), ('z', True)]");
    PyObject *key, *value;
    Py_ssize_t pos = 0, count = 0;
    while (PyDict_Next(dict, &pos, &key, &value)) {
        EXPECT_EQ(PyDict_SetItem(dict, key, Py_False), 0); /* values may change */
        count++;
    }
    EXPECT_EQ(count, 4);
    EXPECT_EQ(PyDict_Next(Py_None, &pos, &key, &value), 0);
    Py_DECREF(dict);
}

/* Numbers 0 .. below-1 in a dict, beside an array that says what must be there. */
TEST_PY(a_dict_agrees_with_an_array_after_many_changes)
{
    enum { BELOW = 3000 };
    static int model[BELOW];
    PyObject *dict = PyDict_New();
    uint64_t state = 42;
    Py_ssize_t used = 0;
    for (int step = 0; step < 60000; step++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        long k = (long)(state >> 33) % BELOW;
        PyObject *key = number(k), *value = number(step);
        /* Waves of growing and shrinking. */
        if ((state >> 20) % 100 < (step / 10000 % 2 == 0 ? 70u : 30u)) {
            used += model[k] == 0;
            model[k] = step + 1;
            EXPECT_EQ(PyDict_SetItem(dict, key, value), 0);
        } else {
            int there = PyDict_Pop(dict, key, NULL);
            EXPECT_EQ(there, model[k] != 0);
            used -= model[k] != 0;
            model[k] = 0;
        }
        Py_DECREF(key);
        Py_DECREF(value);
    }
    EXPECT_EQ(PyDict_Size(dict), used);
    for (long k = 0; k < BELOW; k++) {
        PyObject *key = number(k), *value = PyDict_GetItemWithError(dict, key);
        EXPECT_EQ(value == NULL ? 0 : PyLong_AsLong(value) + 1, model[k]);
        Py_DECREF(key);
    }
    Py_DECREF(dict);
}

TEST_PY(a_dict_that_is_filled_and_emptied_for_ever_stays_usable)
{
    PyObject *dict = PyDict_New(), *name = text("popitem");
    for (long i = 0; i < 20000; i++) {
        PyObject *key = number(i * 7919);
        EXPECT_EQ(PyDict_SetItem(dict, key, Py_None), 0);
        EXPECT_EQ(PyDict_ContainsString(dict, "never there"), 0);
        PyObject *pair = PyObject_CallMethodNoArgs(dict, name);
        EXPECT_NOT_NULL(pair);
        Py_XDECREF(pair);
        Py_DECREF(key);
    }
    EXPECT_EQ(PyDict_Size(dict), 0);
    Py_DECREF(dict);
    Py_DECREF(name);
}

/* --- keys whose hash and == run code ---------------------------------------------------------- */

static PyObject *target; /* the dict that the keys change */

static void
clear_target(PyObject *Py_UNUSED(key))
{
    PyDict_Clear(target);
}

static void
grow_target(PyObject *Py_UNUSED(key))
{
    for (long i = 0; i < 100; i++) {
        PyObject *n = number(1000 + i);
        PyDict_SetItem(target, n, Py_None);
        Py_DECREF(n);
    }
}

static void
delete_from_target(PyObject *key)
{
    PyDict_DelItem(target, key);
    PyErr_Clear();
}

static void
rebuild_target(PyObject *key)
{
    PyDict_Clear(target);
    PyDict_SetItem(target, key, Py_False);
}

/* A dict of `count` colliding keys. */
static PyObject *
dict_of_keys(long count)
{
    meddling = NULL;
    target = PyDict_New();
    for (long i = 0; i < count; i++) {
        PyObject *key = new_key(i);
        PyDict_SetItem(target, key, Py_None);
        Py_DECREF(key);
    }
    return target;
}

TEST_PY(comparisons_that_change_the_dict_do_no_harm)
{
    void (*actions[])(PyObject *) = {clear_target, grow_target, delete_from_target,
                                     rebuild_target};
    for (size_t a = 0; a < Py_ARRAY_LENGTH(actions); a++) {
        for (int after = 1; after <= 6; after++) {
            for (int call = 0; call < 5; call++) {
                PyObject *dict = dict_of_keys(5), *key = new_key(4), *other;
                meddling = actions[a];
                meddle_after = after;
                switch (call) {
                case 0:
                    EXPECT_EQ(PyDict_SetItem(dict, key, Py_True), 0);
                    meddling = NULL;
                    EXPECT_EQ(PyDict_GetItemWithError(dict, key), Py_True);
                    break;
                case 1:
                    EXPECT_GE(PyDict_GetItemRef(dict, key, &other), 0);
                    Py_XDECREF(other);
                    break;
                case 2:
                    EXPECT_GE(PyDict_Pop(dict, key, &other), 0);
                    Py_XDECREF(other);
                    meddling = NULL;
                    break;
                case 3:
                    EXPECT_GE(PyDict_SetDefaultRef(dict, key, Py_True, &other), 0);
                    Py_XDECREF(other);
                    break;
                default:
                    EXPECT_GE(PyDict_Contains(dict, key), 0);
                    break;
                }
                EXPECT_NO_ERROR();
                meddling = NULL;
                /* PyDict_Next yields as many items as the size says. */
                Py_ssize_t pos = 0, count = 0;
                while (PyDict_Next(dict, &pos, NULL, NULL)) {
                    count++;
                }
                EXPECT_EQ(count, PyDict_Size(dict));
                Py_DECREF(dict);
                EXPECT_EQ(Py_REFCNT(key), 1);
                Py_DECREF(key);
            }
        }
    }
}

/* --- values whose destructor looks at the dict ------------------------------------------------- */

static Py_ssize_t size_at_death;
static bool found_at_death;

static void
mourner_dealloc(PyObject *self)
{
    PyObject *value;
    Py_ssize_t pos = 0;
    size_at_death = PyDict_GET_SIZE(target);
    while (PyDict_Next(target, &pos, NULL, &value)) {
        found_at_death |= value == self;
    }
    PyDict_SetItemString(target, "from the grave", Py_None);
    PyObject_Free(self);
}

static PyTypeObject mourner_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Mourner",
    .tp_basicsize = sizeof(PyObject),
    .tp_dealloc = mourner_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT,
};

static PyObject *
dict_with_mourner(void)
{
    REQUIRE_EQ(PyType_Ready(&mourner_type), 0);
    target = PyDict_New();
    PyObject *mourner = PyObject_New(PyObject, &mourner_type);
    PyDict_SetItemString(target, "first", Py_True);
    PyDict_SetItemString(target, "mourner", mourner);
    Py_DECREF(mourner);
    size_at_death = -1;
    found_at_death = false;
    return target;
}

TEST_PY(a_value_leaves_the_dict_before_its_destructor_runs)
{
    PyObject *dict = dict_with_mourner();
    EXPECT_EQ(PyDict_SetItemString(dict, "mourner", Py_None), 0);
    EXPECT(!found_at_death && size_at_death == 2);
    Py_DECREF(dict);

    dict = dict_with_mourner();
    EXPECT_EQ(PyDict_DelItemString(dict, "mourner"), 0);
    EXPECT(!found_at_death && size_at_death == 1);
    Py_DECREF(dict);

    dict = dict_with_mourner();
    PyDict_Clear(dict);
    EXPECT(!found_at_death && size_at_death == 0);
    EXPECT_REPR_OF(dict, "{'from the grave': None}");
}

/* --- the collector ----------------------------------------------------------------------------- */

TEST_PY(cycles_through_dicts_are_collected)
{
    PyObject *a = PyDict_New(), *b = PyDict_New(), *t = PyTuple_Pack(1, b);
    PyDict_SetItemString(a, "b", t);
    PyDict_SetItemString(b, "a", a);
    Py_DECREF(t);
    Py_DECREF(a);
    Py_DECREF(b);
    EXPECT_EQ(PyGC_Collect(), 3);
}

static PyObject *
build_a_dict(void)
{
    PyObject *dict = PyDict_New();
    for (long i = 0; dict != NULL && i < 30; i++) {
        PyObject *key = PyUnicode_FromFormat("key %ld", i);
        if (key == NULL || PyDict_SetItem(dict, key, Py_None) < 0) {
            Py_CLEAR(dict);
        }
        Py_XDECREF(key);
    }
    PyObject *copy = dict == NULL ? NULL : PyDict_Copy(dict);
    PyObject *items = copy == NULL ? NULL : PyDict_Items(copy);
    Py_XDECREF(dict);
    Py_XDECREF(copy);
    return items;
}

TEST_PY(dicts_survive_any_failing_allocation)
{
    fail_each_allocation(build_a_dict);
}
