/* SPDX-License-Identifier: MIT */
/* Starting and ending, once and many times; the ABI tag; further interpreters. */
#include "../harness.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ouroboros.h>

#include "../../src/base/fault.h"
#include "../../src/thread/interpreter.h"

TEST(initialize_and_finalize_are_seen_by_is_initialized)
{
    EXPECT_EQ(Py_IsInitialized(), 0);
    EXPECT_EQ(Py_FinalizeEx(), 0); /* nothing to do */
    Py_Initialize();
    EXPECT_EQ(Py_IsInitialized(), 1);
    EXPECT_EQ(PyGILState_Check(), 1);
    PyThreadState *state = PyThreadState_Get();
    Py_Initialize(); /* again: nothing */
    EXPECT_EQ(PyThreadState_Get(), state);
    EXPECT_EQ(Py_IsFinalizing(), 0);
    EXPECT_EQ(Py_FinalizeEx(), 0);
    EXPECT_EQ(Py_IsInitialized(), 0);
    EXPECT_EQ(PyGILState_Check(), 0);
    EXPECT_NULL(PyThreadState_GetUnchecked());
}

static int64_t
allocations_of_start(void)
{
    ouro_fault_arm(INT64_MAX);
    Py_Initialize();
    return ouro_fault_seen();
}

/* Each child is the first to start the library in its process. `make test-faults` runs all of
 * these children, other runs only some. */
TEST(py_initialize_without_memory_ends_with_a_message, .timeout = 600)
{
    if (!OURO_DEBUG) {
        SKIP("faults are for debug builds");
    }
    int64_t *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(shared != MAP_FAILED);
    EXPECT_SURVIVES(*shared = allocations_of_start());
    int64_t asked = *shared;
    EXPECT_GT(asked, 100);
    int64_t step = getenv("OURO_TEST_LONG") != NULL ? 1 : asked / 40 + 1;
    for (int64_t n = 1; n <= asked; n += step) {
        ouro_fault_arm_from(n);
        EXPECT_FATAL(Py_Initialize(), "Py_Initialize: ");
    }
    ouro_fault_arm(0);
}

/* With a limit on the data of the process, the system refuses to commit more memory. */
TEST_PY(a_system_that_grants_no_more_memory_is_a_memory_error)
{
    SKIP_CHECKED("needs memory of its own");
    struct rlimit before, limit;
    if (UNDER_ASAN || UNDER_TSAN || under_valgrind()) {
        SKIP("a sanitizer needs the memory itself");
    }
    skip_without_limits();
    REQUIRE(getrlimit(RLIMIT_DATA, &before) == 0);
    limit = before;
    limit.rlim_cur = (rlim_t)128 << 20;
    PyObject *last = NULL, *list;
    REQUIRE(setrlimit(RLIMIT_DATA, &limit) == 0);
    int made = 0;
    if (getenv("OURO_STRESS") != NULL) {
        PyGC_Disable(); /* a collection for each of a million objects takes too long */
    }
    while ((list = PyList_New(1)) != NULL && ++made < 10 * 1000 * 1000) {
        PyList_SET_ITEM(list, 0, last != NULL ? last : Py_NewRef(Py_None));
        last = list;
    }
    EXPECT_NULL(list);
    EXPECT_RAISED(PyExc_MemoryError);
    EXPECT_EQ(PyGC_Collect(), 0); /* works without memory */
    Py_DECREF(last);
    last = PyList_New(1); /* there is room again */
    EXPECT_NOT_NULL(last);
    Py_XDECREF(last);
    REQUIRE(setrlimit(RLIMIT_DATA, &before) == 0);
}

static void
start_with_little_address_space(void)
{
    struct rlimit limit = {(rlim_t)256 << 20, (rlim_t)256 << 20};
    setrlimit(RLIMIT_AS, &limit);
    Py_Initialize();
    Ouro_HeapUsage usage;
    Ouro_HeapGetUsage(&usage);
    if (usage.range_bytes > (size_t)128 << 20 || usage.range_bytes < (size_t)16 << 20 ||
        Py_FinalizeEx() != 0) {
        abort();
    }
}

static void
start_without_address_space(void)
{
    struct rlimit limit = {(rlim_t)1 << 20, (rlim_t)1 << 20};
    setrlimit(RLIMIT_AS, &limit);
    Py_Initialize();
}

TEST(py_initialize_makes_do_with_the_address_space_there_is)
{
    if (UNDER_ASAN || UNDER_TSAN || under_valgrind()) {
        SKIP("a sanitizer needs the address space itself");
    }
    skip_without_limits();
    EXPECT_SURVIVES(start_with_little_address_space());
    EXPECT_FATAL(start_without_address_space(),
                 "Py_Initialize: the system grants no address space for the heap");
}

static void
use_objects(void)
{
    PyObject *list = PyList_New(0);
    PyList_Append(list, list); /* a cycle: for the final collection */
    Py_DECREF(list);
    PyObject *dict = PyInterpreterState_GetDict(PyInterpreterState_Get());
    PyObject *value = PyList_New(3);
    PyDict_SetItemString(dict, "value", value);
    PyDict_SetItemString(PyThreadState_GetDict(), "value", value);
    Py_DECREF(value);
    PyObject *text = PyUnicode_InternFromString("a name of this test");
    PyObject *ref = PyWeakref_NewRef((PyObject *)&PyList_Type, NULL);
    Py_XDECREF(ref);
    Py_DECREF(text);
}

TEST(fifty_lives_use_no_more_memory_than_a_few)
{
    SKIP_CHECKED("keeps what it knows about types");
    size_t before = 0;
    for (int i = 0; i < 50; i++) {
        Py_Initialize();
        use_objects();
        EXPECT_EQ(Py_FinalizeEx(), 0);
        if (i == 4) {
            before = malloc_in_use();
        }
    }
    EXPECT_LE(malloc_in_use(), before + 2048);
}

TEST(an_object_that_outlives_its_interpreter_stays_readable, .mistakes = true)
{
    Py_Initialize();
    PyObject *list = PyList_New(1);
    PyList_SetItem(list, 0, Py_True);
    Py_FinalizeEx();
    EXPECT_EQ(PyList_GET_SIZE(list), 1);
    EXPECT_EQ(PyList_GET_ITEM(list, 0), Py_True);
    PyObject_GC_UnTrack(list);
    Py_Initialize();
    EXPECT_EQ(PyList_GET_SIZE(list), 1);
    PyObject *other = PyList_New(1);
    EXPECT_NE(other, list);
    Py_DECREF(other);
    Py_DECREF(list);
    Py_FinalizeEx();
}

TEST(an_interned_str_that_outlives_its_interpreter_can_be_released_in_the_next)
{
    Py_Initialize();
    PyObject *text = PyUnicode_InternFromString("a name that outlives its table");
    REQUIRE_NOT_NULL(text);
    Py_FinalizeEx();
    Py_Initialize();
    PyObject *again = PyUnicode_InternFromString("a name that outlives its table");
    EXPECT_EQ(PyUnicode_Equal(text, again), 1);
    Py_DECREF(text);
    PyObject *third = PyUnicode_InternFromString("a name that outlives its table");
    EXPECT_EQ(third, again);
    Py_DECREF(third);
    Py_DECREF(again);
    Py_FinalizeEx();
}

/* ---- the range of addresses -------------------------------------------------------------- */

static size_t
range_of_a_new_heap(void)
{
    PyThreadState *outer = PyThreadState_Get();
    PyThreadState *inner = Py_NewInterpreter();
    REQUIRE_NOT_NULL(inner);
    Ouro_HeapUsage usage;
    Ouro_HeapGetUsage(&usage);
    Py_EndInterpreter(inner);
    PyThreadState_Swap(outer);
    return usage.range_bytes;
}

TEST(a_call_and_the_environment_set_the_range_of_heaps)
{
    const size_t mib = (size_t)1 << 20;
    unsetenv("OURO_HEAP_RANGE");
    Ouro_HeapSetRange(16 * mib);
    Py_Initialize();
    EXPECT_EQ(range_of_a_new_heap(), 16 * mib);
    setenv("OURO_HEAP_RANGE", "8M", 1);
    EXPECT_EQ(range_of_a_new_heap(), 8 * mib);
    setenv("OURO_HEAP_RANGE", "1K", 1); /* too little */
    EXPECT_EQ(range_of_a_new_heap(), 4 * mib);
    setenv("OURO_HEAP_RANGE", "plenty", 1); /* no number: as if unset */
    EXPECT_EQ(range_of_a_new_heap(), 16 * mib);
    unsetenv("OURO_HEAP_RANGE");
    Ouro_HeapSetRange(1);
    EXPECT_EQ(range_of_a_new_heap(), 4 * mib);
    EXPECT_EQ(Py_FinalizeEx(), 0);
}

/* ---- the ABI tag -------------------------------------------------------------------------- */

PyAPI_FUNC(void)(Py_Initialize)(void);
PyAPI_FUNC(void)(Py_InitializeEx)(int initsigs);

TEST(another_abi_tag_is_refused)
{
    EXPECT_FATAL(Ouro_InitializeTagged(1, 1013), "ABI tag 0x000003f5");
    EXPECT_FATAL(Ouro_InitializeTagged(1, OURO_ABI_TAG ^ 1), "pkg-config --cflags");
}

TEST(the_plain_functions_refuse_callers_compiled_with_other_headers)
{
    EXPECT_FATAL((Py_Initialize)(), "CPython's or other headers");
    EXPECT_FATAL((Py_InitializeEx)(0), "Py_InitializeEx");
}

TEST(version_names_both)
{
    EXPECT_HAS(Py_GetVersion(), PY_VERSION);
    EXPECT_HAS(Py_GetVersion(), "Ouroboros " OURO_VERSION);
    EXPECT_EQ(Py_Version, PY_VERSION_HEX);
}

/* ---- at exit ------------------------------------------------------------------------------- */

static char exit_order[64];

static void
exit_a(void)
{
    strcat(exit_order, "a");
    EXPECT_EQ(Py_IsInitialized(), 0);
}

static void
exit_b(void)
{
    strcat(exit_order, "b");
}

TEST(at_exit_functions_run_last_first_and_once)
{
    Py_Initialize();
    EXPECT_EQ(Py_AtExit(exit_a), 0);
    EXPECT_EQ(Py_AtExit(exit_b), 0);
    EXPECT_STR(exit_order, "");
    Py_FinalizeEx();
    EXPECT_STR(exit_order, "ba");
    Py_Initialize();
    Py_FinalizeEx();
    EXPECT_STR(exit_order, "ba");
}

TEST(at_most_32_functions_are_taken)
{
    Py_Initialize();
    for (int i = 0; i < 32; i++) {
        EXPECT_EQ(Py_AtExit(exit_b), 0);
    }
    EXPECT_EQ(Py_AtExit(exit_b), -1);
    Py_FinalizeEx();
    EXPECT_EQ(strlen(exit_order), 32);
}

/* ---- finalization ------------------------------------------------------------------------- */

static int late_calls;

static PyObject *
on_death(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(ref))
{
    late_calls++;
    EXPECT_EQ(Py_IsFinalizing(), 1);
    PyObject *dict = PyThreadState_GetDict(); /* made once more */
    PyDict_SetItemString(dict, "late", Py_True);
    PyInterpreterState_GetDict(PyInterpreterState_Get());
    Py_RETURN_NONE;
}

static PyMethodDef on_death_def = {"on_death", on_death, METH_O, NULL};

TEST(code_that_runs_at_the_end_may_use_the_dicts, .mistakes = true, .no_leak_check = true)
{
    Py_Initialize();
    PyObject *function = PyCFunction_New(&on_death_def, NULL);
    PyObject *target = PyCFunction_New(&on_death_def, NULL);
    PyObject *ref = PyWeakref_NewRef(target, function); /* outlives the interpreter */
    REQUIRE_NOT_NULL(ref);
    PyDict_SetItemString(PyInterpreterState_GetDict(PyInterpreterState_Get()), "t",
                         target);
    Py_DECREF(target);
    Py_DECREF(function);
    EXPECT_EQ(late_calls, 0);
    EXPECT_EQ(Py_FinalizeEx(), 0);
    EXPECT_EQ(late_calls, 1);
}

/* ---- interpreters ------------------------------------------------------------------------- */

TEST_PY(a_new_interpreter_has_its_own_heap_and_dict)
{
    PyThreadState *main_state = PyThreadState_Get();
    PyInterpreterState *main_interp = PyInterpreterState_Get();
    EXPECT_EQ(PyInterpreterState_GetID(main_interp), 0);
    EXPECT_EQ(PyInterpreterState_Main(), main_interp);
    PyObject *main_dict = PyInterpreterState_GetDict(main_interp);

    PyThreadState *state = Py_NewInterpreter();
    REQUIRE_NOT_NULL(state);
    EXPECT_EQ(PyThreadState_Get(), state);
    PyInterpreterState *interp = PyInterpreterState_Get();
    EXPECT_NE(interp, main_interp);
    EXPECT_EQ(PyThreadState_GetInterpreter(state), interp);
    EXPECT_NE(PyInterpreterState_GetID(interp), 0);
    EXPECT_NE(PyInterpreterState_GetDict(interp), main_dict);
    use_objects();
    Py_EndInterpreter(state);

    EXPECT_NULL(PyThreadState_GetUnchecked());
    PyThreadState_Swap(main_state);
    EXPECT_EQ(PyInterpreterState_GetDict(main_interp), main_dict);
}

TEST_PY(each_interpreter_has_its_own_weak_references_to_a_static_type)
{
    PyThreadState *main_state = PyThreadState_Get();
    PyObject *type = (PyObject *)&PyList_Type;
    PyObject *ref = PyWeakref_NewRef(type, NULL);
    REQUIRE_NOT_NULL(ref);
    PyObject *same = PyWeakref_NewRef(type, NULL);
    EXPECT_EQ(ref, same);
    Py_DECREF(same);
    PyThreadState *state = Py_NewInterpreter();
    PyObject *other = PyWeakref_NewRef(type, NULL);
    EXPECT_NE(other, ref);
    EXPECT_EQ(PyWeakref_IsDead(other), 0);
    Py_DECREF(other);
    Py_EndInterpreter(state);
    PyThreadState_Swap(main_state);
    EXPECT_EQ(PyWeakref_IsDead(ref), 0);
    Py_DECREF(ref);
}

TEST_PY(an_object_that_outlives_a_further_interpreter_stays_readable, .mistakes = true)
{
    PyThreadState *main_state = PyThreadState_Get();
    PyThreadState *state = Py_NewInterpreter();
    PyObject *list = PyList_New(0);
    Py_EndInterpreter(state);
    PyThreadState_Swap(main_state);
    EXPECT_EQ(Py_REFCNT(list), 1);
    EXPECT_EQ(Py_TYPE(list), &PyList_Type);
}

TEST_PY(many_interpreters_come_and_go)
{
    PyThreadState *main_state = PyThreadState_Get();
    for (int i = 0; i < 20; i++) {
        PyThreadState *state = Py_NewInterpreter();
        REQUIRE_NOT_NULL(state);
        use_objects();
        Py_EndInterpreter(state);
        PyThreadState_Swap(main_state);
    }
}

TEST_PY(an_interpreter_that_cannot_be_made_leaves_the_thread_where_it_was)
{
    PyThreadState *main_state = PyThreadState_Get();
    PyThreadState *state = NULL;
    for (int64_t n = 1; OURO_DEBUG && n < 100 && state == NULL; n++) {
        ouro_fault_arm(n);
        state = Py_NewInterpreter();
        ouro_fault_arm(0);
        if (state == NULL) {
            EXPECT_EQ(PyThreadState_Get(), main_state);
        } else {
            Py_EndInterpreter(state);
            PyThreadState_Swap(main_state);
        }
    }
    EXPECT(!OURO_DEBUG || state != NULL);
}

TEST_PY(dicts_that_cannot_be_made_are_null_without_exception)
{
    if (OURO_DEBUG) {
        PyGC_Disable(); /* the first allocation is the dict's */
        ouro_fault_arm(1);
        EXPECT_NULL(PyThreadState_GetDict());
        ouro_fault_arm(1);
        EXPECT_NULL(PyInterpreterState_GetDict(PyInterpreterState_Get()));
        ouro_fault_arm(1);
        EXPECT_NULL(PyThreadState_New(PyInterpreterState_Get()));
        ouro_fault_arm(0);
        EXPECT_NO_ERROR();
    }
}

TEST(finalize_ends_interpreters_that_were_forgotten)
{
    Py_Initialize();
    PyThreadState *main_state = PyThreadState_Get();
    PyThreadState *state = Py_NewInterpreter();
    REQUIRE_NOT_NULL(state);
    use_objects();
    PyThreadState_Swap(main_state);
    EXPECT_EQ(Py_FinalizeEx(), 0);
    Py_Initialize();
    EXPECT_EQ(Py_FinalizeEx(), 0);
}

TEST_PY(ending_the_wrong_interpreter_is_fatal)
{
    EXPECT_FATAL(Py_EndInterpreter(PyThreadState_Get()), "Py_FinalizeEx");
    EXPECT_FATAL(Py_EndInterpreter(NULL), "not the current one");
    PyThreadState *main_state = PyThreadState_Get();
    PyThreadState *state = Py_NewInterpreter();
    EXPECT_FATAL(Py_FinalizeEx(), "main interpreter");
    EXPECT_FATAL((PyThreadState_New(PyInterpreterState_Get()), Py_EndInterpreter(state)),
                 "other thread states");
    Py_EndInterpreter(state);
    PyThreadState_Swap(main_state);
}

/* ---- recursion ------------------------------------------------------------------------------ */

static int deepest;

static int
go_deeper(int depth)
{
    volatile char frame[512];
    frame[0] = (char)depth;
    if (Py_EnterRecursiveCall(" in a test") != 0) {
        deepest = depth;
        return -1;
    }
    int result = go_deeper(depth + 1);
    Py_LeaveRecursiveCall();
    return result + 0 * frame[0];
}

TEST_PY(deep_recursion_raises_before_the_stack_ends)
{
    EXPECT_EQ(go_deeper(0), -1);
    EXPECT_GT(deepest, 50);
    PyObject *exc = PyErr_GetRaisedException();
    REQUIRE_NOT_NULL(exc);
    EXPECT(PyObject_TypeCheck(exc, (PyTypeObject *)PyExc_RecursionError));
    PyObject *text = PyObject_Str(exc);
    EXPECT_STR(PyUnicode_AsUTF8(text), "maximum recursion depth exceeded in a test");
    Py_DECREF(text);
    Py_DECREF(exc);
}

TEST_PY(deep_recursion_raises_on_a_small_stack, .stack = 256 * 1024)
{
    EXPECT_EQ(go_deeper(0), -1);
    EXPECT_RAISED(PyExc_RecursionError);
}

static void
say_goodbye(void)
{
    fprintf(stderr, "goodbye\n");
}

TEST_PY(exit_finalizes_and_ends_the_process)
{
    EXPECT_EQ(Py_AtExit(say_goodbye), 0);
    EXPECT_DIES(Py_Exit(3), "goodbye");
}

/* ---- address space -------------------------------------------------------------------------- */

/* Address space of the whole process, in GiB. */
static long
reserved_gib(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file == NULL || fscanf(file, "%ld", &pages) != 1) {
        SKIP("/proc/self/statm cannot be read");
    }
    fclose(file);
    return pages / (((long)1 << 30) / sysconf(_SC_PAGESIZE));
}

/* Otherwise a process could make only one or two thousand interpreters. */
TEST_PY(an_ended_interpreter_gives_its_addresses_back)
{
    PyThreadState *here = PyThreadState_Get();
    long before = reserved_gib();
    for (int i = 0; i < 5; i++) {
        PyThreadState *state = Py_NewInterpreter();
        REQUIRE_NOT_NULL(state);
        Py_EndInterpreter(state);
        PyThreadState_Swap(here);
    }
    EXPECT_LE(reserved_gib() - before, 1);
}

TEST_PY(an_interpreter_with_objects_that_outlive_it_keeps_its_addresses,
        .no_leak_check = true)
{
    PyThreadState *here = PyThreadState_Get();
    PyThreadState *state = Py_NewInterpreter();
    REQUIRE_NOT_NULL(state);
    PyObject *list = PyList_New(0);
    Py_EndInterpreter(state);
    PyThreadState_Swap(here);
    EXPECT_EQ(Py_REFCNT(list), 1); /* reading it is no crash */
    EXPECT_EQ(Py_TYPE(list), &PyList_Type);
}

/* A thread that never continues may have been inside an import. */
TEST(a_new_life_begins_outside_of_every_import)
{
    Py_Initialize();
    ouro_current.interp->import_depth = 1;
    EXPECT_EQ(Py_FinalizeEx(), 0);
    Py_Initialize();
    EXPECT_EQ(ouro_current.interp->import_depth, 0);
    EXPECT_EQ(Py_FinalizeEx(), 0);
}
