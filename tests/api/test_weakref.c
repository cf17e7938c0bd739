/* SPDX-License-Identifier: MIT */
/* Weak references whose referents die by their count. The tests of the collector test referents
 * that die in a collection. */
#include "../harness.h"

#include <ouroboros.h>

#include "../../src/base/fault.h"

/* An object that can be referred to weakly: a list head, and one owned field. */
typedef struct {
    PyObject_HEAD
    PyObject *weaklist;
    PyObject *field;
} Thing;

static void
thing_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    PyObject_ClearWeakRefs(self);
    Py_CLEAR(((Thing *)self)->field);
    Py_TYPE(self)->tp_free(self);
}

static int
thing_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(((Thing *)self)->field);
    return 0;
}

static Py_ssize_t
thing_length(PyObject *Py_UNUSED(self))
{
    return 7;
}

static PyObject *
thing_add(PyObject *a, PyObject *b)
{
    EXPECT(!PyWeakref_CheckProxy(a));
    EXPECT(!PyWeakref_CheckProxy(b));
    return PyLong_FromLong(42);
}

static PyObject *
thing_str(PyObject *Py_UNUSED(self))
{
    return PyUnicode_FromString("a thing");
}

static PySequenceMethods thing_as_sequence = {.sq_length = thing_length};
static PyNumberMethods thing_as_number = {.nb_add = thing_add};
static PyMemberDef thing_members[] = {
    {"field", _Py_T_OBJECT, offsetof(Thing, field), 0, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyTypeObject thing_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Thing",
    .tp_basicsize = sizeof(Thing),
    .tp_dealloc = thing_dealloc,
    .tp_str = thing_str,
    .tp_as_sequence = &thing_as_sequence,
    .tp_as_number = &thing_as_number,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = thing_traverse,
    .tp_weaklistoffset = offsetof(Thing, weaklist),
    .tp_members = thing_members,
    .tp_alloc = PyType_GenericAlloc,
    .tp_free = PyObject_GC_Del,
};

static PyObject *
new_thing(void)
{
    REQUIRE_EQ(PyType_Ready(&thing_type), 0);
    PyObject *thing = thing_type.tp_alloc(&thing_type, 0);
    REQUIRE_NOT_NULL(thing);
    return thing;
}

/* ---- callbacks that write down which reference called them --------------------------- */

static char called[32];
static int callback_calls;

static PyObject *
note_call(PyObject *self, PyObject *ref)
{
    callback_calls++;
    EXPECT_EQ(PyWeakref_IsDead(ref), 1);
    EXPECT_NO_ERROR();
    if (self != NULL) {
        strcat(called, PyUnicode_AsUTF8(self));
    }
    Py_RETURN_NONE;
}

static PyObject *
fail_call(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(ref))
{
    callback_calls++;
    PyErr_SetString(PyExc_ValueError, "callback broke");
    return NULL;
}

static PyMethodDef note_def = {"note", note_call, METH_O, NULL};
static PyMethodDef fail_def = {"fail", fail_call, METH_O, NULL};

static PyObject *
new_callback(const char *name)
{
    PyObject *self = PyUnicode_FromString(name);
    PyObject *callback = PyCFunction_New(&note_def, self);
    Py_DECREF(self);
    return callback;
}

static PyObject *
ref_with_callback(PyObject *target, const char *name)
{
    PyObject *callback = new_callback(name);
    PyObject *ref = PyWeakref_NewRef(target, callback);
    Py_DECREF(callback);
    REQUIRE_NOT_NULL(ref);
    return ref;
}

/* ---- making and asking ------------------------------------------------------------------- */

TEST_PY(without_callback_there_is_one_reference_per_object) /* C31 */
{
    PyObject *thing = new_thing();
    PyObject *a = PyWeakref_NewRef(thing, NULL);
    PyObject *b = PyWeakref_NewRef(thing, Py_None);
    EXPECT_EQ(a, b);
    EXPECT_EQ(PyObject_GC_IsTracked(a), 1);
    PyObject *c = ref_with_callback(thing, "c");
    PyObject *d = ref_with_callback(thing, "d");
    EXPECT_NE(c, a);
    EXPECT_NE(c, d);
    Py_DECREF(a);
    EXPECT_EQ(PyWeakref_IsDead(b), 0);
    Py_DECREF(b);
    PyObject *e = PyWeakref_NewRef(thing, NULL);
    EXPECT_EQ(PyWeakref_IsDead(e), 0);
    Py_DECREF(e);
    Py_DECREF(c);
    Py_DECREF(d);
    EXPECT_NULL(((Thing *)thing)->weaklist);
    Py_DECREF(thing);
    EXPECT_EQ(callback_calls, 0); /* the references were gone before */
}

TEST_PY(a_reference_hands_out_its_object_until_it_dies)
{
    PyObject *thing = new_thing();
    PyObject *ref = PyWeakref_NewRef(thing, NULL);
    EXPECT(PyWeakref_Check(ref));
    EXPECT(PyWeakref_CheckRef(ref));
    EXPECT(PyWeakref_CheckRefExact(ref));
    EXPECT(!PyWeakref_CheckProxy(ref));
    PyObject *got = NULL;
    EXPECT_EQ(PyWeakref_GetRef(ref, &got), 1);
    EXPECT_EQ(got, thing);
    EXPECT_EQ(Py_REFCNT(thing), 2);
    Py_DECREF(got);
    EXPECT_EQ(PyWeakref_GetObject(ref), thing);
    got = PyObject_CallNoArgs(ref);
    EXPECT_EQ(got, thing);
    Py_XDECREF(got);
    Py_DECREF(thing);
    EXPECT_EQ(PyWeakref_GetRef(ref, &got), 0);
    EXPECT_NULL(got);
    EXPECT_EQ(PyWeakref_IsDead(ref), 1);
    EXPECT_EQ(PyWeakref_GetObject(ref), Py_None);
    EXPECT_EQ(PyObject_CallNoArgs(ref), Py_None);
    EXPECT_NULL(PyObject_CallOneArg(ref, Py_None));
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(ref);
}

TEST_PY(types_without_support_are_refused) /* C33 */
{
    PyObject *number = PyLong_FromLong(12345);
    EXPECT_NULL(PyWeakref_NewRef(number, NULL));
    PyObject *exc = PyErr_GetRaisedException();
    REQUIRE_NOT_NULL(exc);
    EXPECT(PyObject_TypeCheck(exc, (PyTypeObject *)PyExc_TypeError));
    PyObject *text = PyObject_Str(exc);
    EXPECT_STR(PyUnicode_AsUTF8(text), "cannot create weak reference to 'int' object");
    Py_DECREF(text);
    Py_DECREF(exc);
    EXPECT_NULL(PyWeakref_NewProxy(number, NULL));
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(number);
}

TEST_PY(asking_something_else_than_a_weak_reference_is_an_error)
{
    PyObject *got = Py_None;
    EXPECT_EQ(PyWeakref_GetRef(Py_None, &got), -1);
    EXPECT_NULL(got);
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_EQ(PyWeakref_GetRef(NULL, &got), -1);
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_EQ(PyWeakref_IsDead(Py_None), -1);
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_NULL(PyWeakref_GetObject(Py_None));
    EXPECT_RAISED(PyExc_SystemError);
}

TEST_PY(hash_and_comparison_follow_the_referent)
{
    PyObject *thing = new_thing();
    PyObject *other = new_thing();
    PyObject *a = ref_with_callback(thing, "a");
    PyObject *b = ref_with_callback(thing, "b");
    PyObject *c = PyWeakref_NewRef(other, NULL);
    EXPECT_EQ(PyObject_Hash(a), PyObject_Hash(thing));
    EXPECT_EQ(PyObject_RichCompareBool(a, b, Py_EQ), 1);
    EXPECT_EQ(PyObject_RichCompareBool(a, c, Py_EQ), 0);
    EXPECT_EQ(PyObject_RichCompareBool(a, c, Py_NE), 1);
    Py_hash_t hash = PyObject_Hash(a);
    Py_DECREF(thing);
    EXPECT_EQ(PyObject_Hash(a), hash); /* kept */
    EXPECT_EQ(PyObject_Hash(b), -1);
    EXPECT_RAISED(PyExc_TypeError);
    EXPECT_EQ(PyObject_RichCompareBool(a, b, Py_EQ), 0);
    PyObject *text = PyObject_Repr(a);
    EXPECT_HAS(PyUnicode_AsUTF8(text), "; dead>");
    Py_DECREF(text);
    text = PyObject_Repr(c);
    EXPECT_HAS(PyUnicode_AsUTF8(text), "; to 'test.Thing' at ");
    Py_DECREF(text);
    Py_DECREF(a);
    Py_DECREF(b);
    Py_DECREF(c);
    Py_DECREF(other);
}

TEST_PY(the_type_can_be_called)
{
    PyObject *thing = new_thing();
    PyObject *a = PyObject_CallOneArg((PyObject *)&_PyWeakref_RefType, thing);
    PyObject *b = PyWeakref_NewRef(thing, NULL);
    EXPECT_EQ(a, b);
    PyObject *callback = new_callback("x");
    PyObject *c = PyObject_CallFunctionObjArgs((PyObject *)&_PyWeakref_RefType, thing,
                                               callback, NULL);
    REQUIRE_NOT_NULL(c);
    PyObject *got = PyObject_GetAttrString(c, "__callback__");
    EXPECT_EQ(got, callback);
    Py_XDECREF(got);
    EXPECT_NULL(PyObject_CallNoArgs((PyObject *)&_PyWeakref_RefType));
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(callback);
    Py_DECREF(a);
    Py_DECREF(b);
    Py_DECREF(c);
    Py_DECREF(thing);
}

TEST_PY(a_subtype_of_the_reference_type_is_not_shared)
{
    PyType_Slot slots[] = {{Py_tp_base, &_PyWeakref_RefType}, {0, NULL}};
    PyType_Spec spec = {"test.MyRef", 0, 0, Py_TPFLAGS_DEFAULT, slots};
    PyObject *type = PyType_FromSpec(&spec);
    REQUIRE_NOT_NULL(type);
    PyObject *thing = new_thing();
    PyObject *a = PyObject_CallOneArg(type, thing);
    PyObject *b = PyObject_CallOneArg(type, thing);
    PyObject *c = PyWeakref_NewRef(thing, NULL);
    REQUIRE(a != NULL && b != NULL);
    EXPECT_NE(a, b);
    EXPECT_NE(a, c);
    EXPECT(PyWeakref_CheckRef(a));
    EXPECT(!PyWeakref_CheckRefExact(a));
    Py_DECREF(b);
    Py_DECREF(thing);
    EXPECT_EQ(PyWeakref_IsDead(a), 1);
    EXPECT_EQ(PyWeakref_IsDead(c), 1);
    Py_DECREF(a);
    Py_DECREF(c);
    Py_DECREF(type);
}

/* ---- the referent dies ------------------------------------------------------------------- */

TEST_PY(callbacks_run_newest_first) /* C27 */
{
    PyObject *thing = new_thing();
    PyObject *shared = PyWeakref_NewRef(thing, NULL);
    PyObject *refs[3] = {
        ref_with_callback(thing, "0"),
        ref_with_callback(thing, "1"),
        ref_with_callback(thing, "2"),
    };
    Py_DECREF(thing);
    EXPECT_STR(called, "210");
    EXPECT_EQ(callback_calls, 3);
    for (int i = 0; i < 3; i++) {
        Py_DECREF(refs[i]);
    }
    Py_DECREF(shared);
}

TEST_PY(a_reference_that_died_first_is_not_called)
{
    PyObject *thing = new_thing();
    PyObject *a = ref_with_callback(thing, "a");
    PyObject *b = ref_with_callback(thing, "b");
    Py_DECREF(a);
    Py_DECREF(thing);
    EXPECT_STR(called, "b");
    Py_DECREF(b);
}

TEST_PY(a_failing_callback_is_reported_and_the_others_run)
{
    PyObject *thing = new_thing();
    PyObject *a = ref_with_callback(thing, "a");
    PyObject *fail = PyCFunction_New(&fail_def, NULL);
    PyObject *b = PyWeakref_NewRef(thing, fail);
    PyObject *c = ref_with_callback(thing, "c");
    PyErr_SetString(PyExc_KeyError, "pending");
    capture_stderr_begin();
    Py_DECREF(thing);
    char *text = capture_stderr_end();
    EXPECT_HAS(text,
               "Exception ignored on calling weakref callback <built-in function fail>");
    EXPECT_HAS(text, "ValueError: callback broke");
    free(text);
    EXPECT_STR(called, "ca");
    EXPECT_EQ(callback_calls, 3);
    EXPECT_RAISED(PyExc_KeyError);
    Py_DECREF(fail);
    Py_DECREF(a);
    Py_DECREF(b);
    Py_DECREF(c);
}

static PyObject *dropped_ref;

static PyObject *
drop_ref(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(ref))
{
    Py_CLEAR(dropped_ref);
    Py_RETURN_NONE;
}

static PyMethodDef drop_def = {"drop", drop_ref, METH_O, NULL};

TEST_PY(a_callback_may_drop_a_reference_whose_turn_is_to_come)
{
    PyObject *thing = new_thing();
    dropped_ref = ref_with_callback(thing, "later");
    PyObject *drop = PyCFunction_New(&drop_def, NULL);
    PyObject *first = PyWeakref_NewRef(thing, drop);
    Py_DECREF(drop);
    Py_DECREF(thing);
    EXPECT_NULL(dropped_ref);
    EXPECT_STR(called, "later"); /* it was already dead, and its callback due */
    Py_DECREF(first);
}

TEST_PY(clearing_the_weak_references_of_a_living_object_is_an_error)
{
    PyObject *thing = new_thing();
    PyObject *ref = ref_with_callback(thing, "x");
    PyObject_ClearWeakRefs(thing);
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_EQ(PyWeakref_IsDead(ref), 0);
    PyUnstable_Object_ClearWeakRefsNoCallbacks(thing);
    EXPECT_EQ(PyWeakref_IsDead(ref), 1);
    Py_DECREF(thing);
    EXPECT_EQ(callback_calls, 0);
    Py_DECREF(ref);
}

static PyObject *ref_seen_by_field;
static int field_died;

static void
watcher_dealloc(PyObject *self)
{
    field_died++;
    EXPECT_EQ(PyWeakref_IsDead(ref_seen_by_field), 1);
    PyObject_Free(self);
}

static PyTypeObject watcher_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "test.Watcher",
    .tp_basicsize = sizeof(PyObject),
    .tp_dealloc = watcher_dealloc,
};

TEST_PY(fields_of_a_dying_object_see_its_references_dead)
{
    REQUIRE_EQ(PyType_Ready(&watcher_type), 0);
    PyObject *thing = new_thing();
    ((Thing *)thing)->field = PyObject_New(PyObject, &watcher_type);
    ref_seen_by_field = PyWeakref_NewRef(thing, NULL);
    Py_DECREF(thing);
    EXPECT_EQ(field_died, 1);
    Py_DECREF(ref_seen_by_field);
}

/* A type that forgets PyObject_ClearWeakRefs until after its fields. */
static PyObject *early_ref;

static void
careless_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    PyObject *got = Py_None;
    EXPECT_EQ(PyWeakref_GetRef(early_ref, &got), 0); /* the count is zero: dead */
    EXPECT_NULL(got);
    PyObject_ClearWeakRefs(self);
    Py_TYPE(self)->tp_free(self);
}

TEST_PY(an_object_whose_count_is_zero_counts_as_dead)
{
    PyObject *thing = new_thing();
    early_ref = PyWeakref_NewRef(thing, NULL);
    thing_type.tp_dealloc = careless_dealloc;
    Py_DECREF(thing);
    Py_DECREF(early_ref);
}

TEST_PY(managed_weak_references_work)
{
    PyType_Slot slots[] = {{Py_tp_traverse, thing_traverse}, {0, NULL}};
    PyType_Spec spec = {
        "test.Managed", sizeof(Thing), 0,
        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_MANAGED_WEAKREF, slots};
    PyObject *type = PyType_FromSpec(&spec);
    REQUIRE_NOT_NULL(type);
    PyObject *op = PyObject_CallNoArgs(type);
    REQUIRE_NOT_NULL(op);
    PyObject *a = ref_with_callback(op, "a");
    PyObject *b = ref_with_callback(op, "b");
    EXPECT_EQ(PyWeakref_GetObject(a), op);
    Py_DECREF(op);
    EXPECT_STR(called, "ba");
    EXPECT_EQ(PyWeakref_IsDead(a), 1);
    Py_DECREF(a);
    Py_DECREF(b);
    Py_DECREF(type);
}

/* ---- proxies ------------------------------------------------------------------------------- */

TEST_PY(a_proxy_behaves_as_its_object)
{
    PyObject *thing = new_thing();
    PyObject *proxy = PyWeakref_NewProxy(thing, NULL);
    REQUIRE_NOT_NULL(proxy);
    PyObject *again = PyWeakref_NewProxy(thing, NULL);
    EXPECT_EQ(again, proxy);
    Py_DECREF(again);
    EXPECT(PyWeakref_CheckProxy(proxy));
    EXPECT_EQ(PyWeakref_GetObject(proxy), thing);
    EXPECT_EQ(PyObject_Size(proxy), 7);
    EXPECT_EQ(PyObject_IsTrue(proxy), 1);
    PyObject *text = PyObject_Str(proxy);
    EXPECT_STR(PyUnicode_AsUTF8(text), "a thing");
    Py_DECREF(text);
    EXPECT_EQ(PyObject_SetAttrString(proxy, "field", Py_True), 0);
    EXPECT_EQ(((Thing *)thing)->field, Py_True);
    EXPECT_EQ(PyObject_GetAttrString(proxy, "field"), Py_True);
    PyObject *sum = PyNumber_Add(Py_None, proxy);
    EXPECT_EQ(PyLong_AsLong(sum), 42);
    Py_DECREF(sum);
    EXPECT_EQ(PyObject_RichCompareBool(proxy, thing, Py_EQ), 1);
    EXPECT_EQ(PyObject_Hash(proxy), -1);
    EXPECT_RAISED(PyExc_TypeError);

    Py_DECREF(thing);
    EXPECT_EQ(PyObject_Size(proxy), -1);
    PyObject *exc = PyErr_GetRaisedException();
    text = PyObject_Str(exc);
    EXPECT_STR(PyUnicode_AsUTF8(text), "weakly-referenced object no longer exists");
    EXPECT(PyObject_TypeCheck(exc, (PyTypeObject *)PyExc_ReferenceError));
    Py_DECREF(text);
    Py_DECREF(exc);
    EXPECT_NULL(PyObject_GetAttrString(proxy, "field"));
    EXPECT_RAISED(PyExc_ReferenceError);
    EXPECT_EQ(PyObject_IsTrue(proxy), -1);
    EXPECT_RAISED(PyExc_ReferenceError);
    Py_DECREF(proxy);
}

TEST_PY(a_proxy_of_a_callable_can_be_called)
{
    PyObject *function = PyCFunction_New(&note_def, NULL);
    PyObject *proxy = PyWeakref_NewProxy(function, NULL);
    EXPECT_EQ(Py_TYPE(proxy), &_PyWeakref_CallableProxyType);
    PyObject *thing = new_thing();
    PyObject *ref = PyWeakref_NewRef(thing, NULL);
    Py_DECREF(thing);
    EXPECT_EQ(PyObject_CallOneArg(proxy, ref), Py_None);
    EXPECT_EQ(callback_calls, 1);
    Py_DECREF(ref);
    Py_DECREF(function);
    EXPECT_NULL(PyObject_CallNoArgs(proxy));
    EXPECT_RAISED(PyExc_ReferenceError);
    Py_DECREF(proxy);
}

/* ---- out of memory ---------------------------------------------------------------------- */

TEST_PY(a_weak_reference_that_cannot_be_made_leaves_nothing_behind)
{
    PyObject *targets[2] = {new_thing(), (PyObject *)&thing_type};
    PyObject *callback = new_callback("x");
    int64_t seen = 1;
    for (int64_t n = 1; OURO_DEBUG && n <= seen; n++) {
        for (int i = 0; i < 2; i++) {
            PyObject *(*make[2])(PyObject *, PyObject *) = {PyWeakref_NewRef,
                                                            PyWeakref_NewProxy};
            for (int j = 0; j < 4; j++) {
                ouro_fault_arm(n);
                PyObject *ref = make[j % 2](targets[i], j < 2 ? NULL : callback);
                seen = ouro_fault_seen() > seen ? ouro_fault_seen() : seen;
                ouro_fault_arm(0);
                if (ref == NULL) {
                    EXPECT_RAISED(PyExc_MemoryError);
                }
                Py_XDECREF(ref);
            }
        }
    }
    EXPECT_NULL(((Thing *)targets[0])->weaklist);
    Py_DECREF(callback);
    Py_DECREF(targets[0]);
}

TEST_PY(the_weak_references_to_an_object_are_listed)
{
    PyObject *set = PySet_New(NULL), *ref = PyWeakref_NewRef(set, NULL);
    PyObject *list = Ouro_WeakrefsList(set);
    REQUIRE(list != NULL && PyList_GET_SIZE(list) == 1);
    EXPECT_EQ(PyList_GET_ITEM(list, 0), ref);
    Py_DECREF(list);
    Py_DECREF(ref);
    list = Ouro_WeakrefsList(set);
    EXPECT_EQ(PyList_Size(list), 0);
    Py_XDECREF(list);
    list = Ouro_WeakrefsList(Py_None); /* cannot have any */
    EXPECT_EQ(PyList_Size(list), 0);
    Py_XDECREF(list);
    Py_DECREF(set);
}

/* ---- where a reference goes -------------------------------------------------------------- */

TEST_PY(shared_references_are_found_behind_and_before_those_with_callbacks)
{
    PyObject *thing = new_thing();
    PyObject *a = ref_with_callback(thing, "a");
    PyObject *proxy = PyWeakref_NewProxy(thing, NULL);
    PyObject *b = ref_with_callback(thing, "b"); /* behind the proxy */
    PyObject *shared = PyWeakref_NewRef(thing, NULL);
    PyObject *c = ref_with_callback(thing, "c");
    PyObject *again[2] = {PyWeakref_NewProxy(thing, NULL), PyWeakref_NewRef(thing, NULL)};
    EXPECT_EQ(again[0], proxy);
    EXPECT_EQ(again[1], shared);
    PyObject *list = Ouro_WeakrefsList(thing);
    PyObject *expected[] = {shared, proxy, c, b, a}; /* [weakref.inv.order] */
    REQUIRE_EQ(PyList_Size(list), 5);
    for (int i = 0; i < 5; i++) {
        EXPECT_EQ(PyList_GET_ITEM(list, i), expected[i]);
    }
    Py_DECREF(list);
    Py_DECREF(again[0]);
    Py_DECREF(again[1]);
    Py_DECREF(b); /* from the middle */
    Py_DECREF(thing);
    EXPECT_STR(called, "ca");
    Py_DECREF(a);
    Py_DECREF(c);
    Py_DECREF(proxy);
    Py_DECREF(shared);
}

/* Objects that belong to the process have their lists of weak references elsewhere. */
TEST_PY(static_types_have_weak_references_each_of_their_own)
{
    PyTypeObject *types[] = {&PyLong_Type, &PyList_Type, &PyDict_Type};
    PyObject *refs[3], *more[3];
    PyUnstable_Object_ClearWeakRefsNoCallbacks((PyObject *)&PyLong_Type); /* has none */
    for (int i = 0; i < 3; i++) {
        refs[i] = PyWeakref_NewRef((PyObject *)types[i], NULL);
        more[i] = ref_with_callback((PyObject *)types[i], "x");
    }
    for (int i = 0; i < 3; i++) {
        EXPECT_EQ(PyWeakref_GetObject(refs[i]), (PyObject *)types[i]);
        EXPECT_EQ(PyWeakref_GetObject(more[i]), (PyObject *)types[i]);
        PyObject *again = PyWeakref_NewRef((PyObject *)types[i], NULL);
        EXPECT_EQ(again, refs[i]);
        Py_DECREF(again);
        Py_DECREF(refs[i]);
        Py_DECREF(more[i]);
    }
}

static PyObject *kept_reference;

static void
look_at_kept_reference(void)
{
    PyObject *got = Py_None;
    EXPECT_EQ(PyWeakref_GetRef(kept_reference, &got), 0);
    EXPECT_NULL(got);
}

TEST(weak_references_to_static_types_are_dead_when_their_interpreter_has_ended)
{
    Py_Initialize();
    kept_reference = PyWeakref_NewRef((PyObject *)&PyLong_Type, NULL);
    EXPECT_EQ(Py_FinalizeEx(), 0);
    Py_Initialize();
    look_at_kept_reference();
    Py_DECREF(kept_reference);
    EXPECT_EQ(Py_FinalizeEx(), 0);
}

/* The destructor of a shared weak reference has begun, and code asks for the shared one. */
static PyObject *shared_thing, *shared_found;
static destructor usual_ref_dealloc;

static void
looking_ref_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    shared_found = PyWeakref_NewRef(shared_thing, NULL);
    EXPECT_NE(shared_found, self);
    usual_ref_dealloc(self);
}

TEST_PY(a_shared_reference_that_is_dying_is_not_handed_out)
{
    shared_thing = new_thing();
    PyObject *ref = PyWeakref_NewRef(shared_thing, NULL);
    usual_ref_dealloc = _PyWeakref_RefType.tp_dealloc;
    _PyWeakref_RefType.tp_dealloc = looking_ref_dealloc;
    Py_DECREF(ref);
    _PyWeakref_RefType.tp_dealloc = usual_ref_dealloc;
    EXPECT_EQ(PyWeakref_GetObject(shared_found), shared_thing);
    Py_DECREF(shared_found);
    Py_DECREF(shared_thing);
}

TEST_PY(a_reference_without_referent_yet_is_dead)
{
    PyType_Slot slots[] = {{Py_tp_base, &_PyWeakref_RefType}, {0, NULL}};
    PyType_Spec spec = {"test.MyRef", 0, 0, Py_TPFLAGS_DEFAULT, slots};
    PyTypeObject *type = (PyTypeObject *)PyType_FromSpec(&spec);
    REQUIRE_NOT_NULL(type);
    PyObject *ref = type->tp_alloc(type, 0); /* its tp_new did not run */
    EXPECT_EQ(PyWeakref_IsDead(ref), 1);
    EXPECT_EQ(PyWeakref_GetObject(ref), Py_None);
    Py_DECREF(ref);
    Py_DECREF(type);
}

/* A callback that is called again finds nothing to call. */
static PyObject *
look_at_own_callback(PyObject *Py_UNUSED(self), PyObject *ref)
{
    EXPECT_NULL(((PyWeakReference *)ref)->wr_callback);
    callback_calls++;
    Py_RETURN_NONE;
}

static PyMethodDef look_def = {"look", look_at_own_callback, METH_O, NULL};

TEST_PY(a_callback_is_taken_away_before_it_is_called)
{
    PyObject *thing = new_thing();
    PyObject *callback = PyCFunction_New(&look_def, NULL);
    PyObject *ref = PyWeakref_NewRef(thing, callback);
    Py_DECREF(callback);
    Py_DECREF(thing);
    EXPECT_EQ(callback_calls, 1);
    Py_DECREF(ref);
}

static PyObject *callback_result;

static PyObject *
return_shared_object(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(weakref))
{
    return Py_NewRef(callback_result);
}

TEST_PY(what_a_callback_returns_is_released)
{
    static PyMethodDef method = {"callback", return_shared_object, METH_O, NULL};
    PyObject *callback = PyCFunction_New(&method, NULL), *set = PySet_New(NULL);
    callback_result = PyList_New(0);
    PyObject *weakref = PyWeakref_NewRef(set, callback);
    REQUIRE_NOT_NULL(weakref);
    Py_DECREF(set);
    EXPECT_EQ(Py_REFCNT(callback_result), 1);
    EXPECT_EQ(Py_REFCNT(callback), 1);
    Py_DECREF(weakref);
    Py_DECREF(callback);
    Py_DECREF(callback_result);
}
