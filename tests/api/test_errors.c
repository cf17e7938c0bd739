/* SPDX-License-Identifier: MIT */
/* The error indicator, what is printed, and the hooks for reports and warnings. */
#include "../harness.h"

#include <ouroboros.h>
#include <stdlib.h>

#include "../../src/base/fault.h"

/* The text of the pending exception, which is cleared; for the caller to free. */
static char *
take_error_text(void)
{
    PyObject *exc = PyErr_GetRaisedException();
    PyObject *text = exc != NULL ? PyObject_Str(exc) : NULL;
    char *copy = strdup(text != NULL ? PyUnicode_AsUTF8(text) : "<none>");
    Py_XDECREF(text);
    Py_XDECREF(exc);
    return copy;
}

#define EXPECT_ERROR_TEXT(expected)                                                      \
    do {                                                                                 \
        char *text_ = take_error_text();                                                 \
        EXPECT_STR(text_, expected);                                                     \
        free(text_);                                                                     \
    } while (0)

#define EXPECT_PRINTED(statement, expected)                                              \
    do {                                                                                 \
        capture_stderr_begin();                                                          \
        statement;                                                                       \
        char *text_ = capture_stderr_end();                                              \
        EXPECT_STR(text_, expected);                                                     \
        free(text_);                                                                     \
    } while (0)

/* ---- the indicator -------------------------------------------------------------------- */

TEST_PY(no_exception_is_pending_at_the_start)
{
    EXPECT_NULL(PyErr_Occurred());
    EXPECT_NULL(PyErr_GetRaisedException());
    PyErr_Clear();
    EXPECT_EQ(PyErr_ExceptionMatches(PyExc_ValueError), 0);
}

TEST_PY(set_string_raises_the_type_with_the_message)
{
    PyErr_SetString(PyExc_ValueError, "too small");
    EXPECT_EQ(PyErr_Occurred(), PyExc_ValueError);
    EXPECT_ERROR_TEXT("too small");
    EXPECT_NO_ERROR();
}

TEST_PY(raising_replaces_what_was_pending)
{
    PyErr_SetString(PyExc_ValueError, "first");
    PyErr_SetString(PyExc_KeyError, "second");
    EXPECT_EQ(PyErr_Occurred(), PyExc_KeyError);
    PyErr_Clear();
}

TEST_PY(format_fills_in_the_codes_and_returns_null)
{
    EXPECT_NULL(PyErr_Format(PyExc_TypeError, "%s has %d of %R", "x", 3, Py_None));
    EXPECT_ERROR_TEXT("x has 3 of None");
}

static PyObject *
raise_formatted(PyObject *type, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    PyObject *result = PyErr_FormatV(type, format, args);
    va_end(args);
    return result;
}

TEST_PY(formats_take_an_argument_list_too)
{
    EXPECT_NULL(raise_formatted(PyExc_KeyError, "%s %d", "number", 7));
    EXPECT_PRINTED(PyErr_PrintEx(0), "KeyError: 'number 7'\n");
    EXPECT_NO_ERROR();
}

TEST_PY(set_none_raises_without_arguments)
{
    PyErr_SetNone(PyExc_StopIteration);
    PyObject *exc = PyErr_GetRaisedException();
    REQUIRE_NOT_NULL(exc);
    PyObject *args = PyException_GetArgs(exc);
    EXPECT_EQ(PyTuple_GET_SIZE(args), 0);
    Py_DECREF(args);
    Py_DECREF(exc);
}

TEST_PY(set_object_spreads_a_tuple_and_keeps_an_instance)
{
    PyObject *pair = PyTuple_Pack(2, Py_True, Py_False);
    PyErr_SetObject(PyExc_ValueError, pair);
    PyObject *exc = PyErr_GetRaisedException();
    PyObject *args = PyException_GetArgs(exc);
    EXPECT_EQ(PyTuple_GET_SIZE(args), 2);
    Py_DECREF(args);
    Py_DECREF(pair);

    PyErr_SetObject(PyExc_Exception, exc); /* an instance of a subclass */
    EXPECT_EQ(PyErr_Occurred(), PyExc_ValueError);
    PyObject *again = PyErr_GetRaisedException();
    EXPECT_EQ(again, exc);
    Py_DECREF(again);
    Py_DECREF(exc);
}

TEST_PY(raising_what_is_no_exception_class_is_a_system_error)
{
    PyErr_SetString((PyObject *)&PyLong_Type, "x");
    EXPECT_RAISED(PyExc_SystemError);
    PyErr_SetNone(Py_None);
    EXPECT_RAISED(PyExc_SystemError);
}

TEST_PY(raised_exception_goes_and_comes_back)
{
    PyErr_SetString(PyExc_ValueError, "v");
    PyObject *exc = PyErr_GetRaisedException();
    EXPECT_NO_ERROR();
    PyErr_SetRaisedException(Py_NewRef(exc));
    EXPECT_EQ(PyErr_Occurred(), PyExc_ValueError);
    PyErr_SetRaisedException(NULL);
    EXPECT_NO_ERROR();
    EXPECT_EQ(Py_REFCNT(exc), 1);
    Py_DECREF(exc);
}

TEST_PY(setting_a_raised_exception_that_is_none_is_fatal)
{
    EXPECT_FATAL(PyErr_SetRaisedException(PyLong_FromLong(1000)), "is not an exception");
}

TEST_PY(matching_knows_subclasses_and_tuples)
{
    PyErr_SetString(PyExc_KeyError, "k");
    EXPECT(PyErr_ExceptionMatches(PyExc_KeyError));
    EXPECT(PyErr_ExceptionMatches(PyExc_LookupError));
    EXPECT(!PyErr_ExceptionMatches(PyExc_ValueError));
    PyObject *both = PyTuple_Pack(2, PyExc_ValueError, PyExc_LookupError);
    EXPECT(PyErr_ExceptionMatches(both));
    PyObject *exc = PyErr_GetRaisedException();
    EXPECT(PyErr_GivenExceptionMatches(exc, both));
    EXPECT(!PyErr_GivenExceptionMatches(NULL, both));
    EXPECT(!PyErr_GivenExceptionMatches(Py_None, PyExc_ValueError));
    Py_DECREF(exc);
    Py_DECREF(both);
}

TEST_PY(fetch_and_restore_carry_the_same_exception)
{
    PyObject *type, *value, *traceback;
    PyErr_SetString(PyExc_ValueError, "v");
    PyErr_Fetch(&type, &value, &traceback);
    EXPECT_NO_ERROR();
    EXPECT_EQ(type, PyExc_ValueError);
    EXPECT(PyExceptionInstance_Check(value));
    EXPECT_NULL(traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    PyErr_Restore(type, value, traceback);
    EXPECT_ERROR_TEXT("v");

    PyErr_Fetch(&type, &value, &traceback);
    EXPECT_NULL(type);
    EXPECT_NULL(value);
    PyErr_Restore(NULL, NULL, NULL);
    EXPECT_NO_ERROR();
}

TEST_PY(restore_and_normalize_make_the_exception)
{
    PyErr_Restore(Py_NewRef(PyExc_KeyError), PyUnicode_FromString("k"), NULL);
    EXPECT_RAISED(PyExc_KeyError);

    PyObject *type = Py_NewRef(PyExc_ValueError), *value = NULL, *traceback = NULL;
    PyErr_SetString(PyExc_TypeError, "pending");
    PyErr_NormalizeException(&type, &value, &traceback);
    EXPECT(PyObject_TypeCheck(value, (PyTypeObject *)PyExc_ValueError));
    EXPECT_RAISED(PyExc_TypeError); /* normalizing leaves it alone */
    Py_DECREF(type);
    Py_DECREF(value);
}

TEST_PY(no_memory_raises_the_same_object_every_time)
{
    EXPECT_NULL(PyErr_NoMemory());
    PyObject *first = PyErr_GetRaisedException();
    PyErr_NoMemory();
    PyObject *second = PyErr_GetRaisedException();
    EXPECT_EQ(first, second);
    EXPECT(PyObject_TypeCheck(first, (PyTypeObject *)PyExc_MemoryError));
    EXPECT(PyUnstable_IsImmortal(first));
    EXPECT_EQ(PyObject_GC_IsTracked(first), 0);
}

TEST_PY(bad_internal_call_says_where)
{
    PyErr_BadInternalCall();
    int line = __LINE__ - 1;
    char *text = take_error_text();
    char expected[200];
    snprintf(expected, sizeof expected, "%s:%d: bad argument to internal function",
             __FILE__, line);
    EXPECT_STR(text, expected);
    free(text);
    EXPECT_EQ(PyErr_BadArgument(), 0);
    EXPECT_RAISED(PyExc_TypeError);
}

TEST(an_error_in_a_detached_thread_is_fatal)
{
    EXPECT_FATAL(PyErr_NoMemory(), "not attached");
    EXPECT_NULL(PyErr_Occurred());
}

TEST_PY(fatal_error_names_the_function)
{
    EXPECT_FATAL(Py_FatalError("cannot go on"), "cannot go on");
    EXPECT_FATAL(Py_FatalError("cannot go on"),
                 "Fatal Python error: test_fatal_error_names");
}

/* ---- printing -------------------------------------------------------------------------- */

TEST_PY(print_writes_type_and_text_and_clears)
{
    PyErr_SetString(PyExc_ValueError, "bad");
    EXPECT_PRINTED(PyErr_Print(), "ValueError: bad\n");
    EXPECT_NO_ERROR();
    PyErr_SetNone(PyExc_ValueError);
    EXPECT_PRINTED(PyErr_Print(), "ValueError\n");
    EXPECT_PRINTED(PyErr_Print(), "");
}

TEST_PY(display_follows_the_cause_and_keeps_what_is_pending)
{
    PyErr_SetString(PyExc_KeyError, "inner");
    PyObject *inner = PyErr_GetRaisedException();
    PyErr_SetString(PyExc_ValueError, "outer");
    PyObject *outer = PyErr_GetRaisedException();
    PyException_SetCause(outer, inner);
    PyErr_SetString(PyExc_TypeError, "pending");
    EXPECT_PRINTED(PyErr_DisplayException(outer),
                   "KeyError: 'inner'\n\nThe above exception was the direct cause of the "
                   "following exception:\n\nValueError: outer\n");
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(outer);
}

/* ---- unraisable ------------------------------------------------------------------------ */

TEST_PY(unraisable_is_printed_as_cpython_does)
{
    PyErr_SetString(PyExc_ValueError, "lost");
    EXPECT_PRINTED(PyErr_WriteUnraisable(Py_None), "ValueError: lost\n");
    PyErr_SetString(PyExc_ValueError, "lost");
    EXPECT_PRINTED(PyErr_WriteUnraisable(Py_True),
                   "Exception ignored in: True\nValueError: lost\n");
    PyErr_SetString(PyExc_ValueError, "lost");
    EXPECT_PRINTED(
        PyErr_FormatUnraisable("Exception ignored in %s of %R", "tp_x", Py_None),
        "Exception ignored in tp_x of None:\nValueError: lost\n");
    PyErr_SetString(PyExc_ValueError, "lost");
    EXPECT_PRINTED(PyErr_FormatUnraisable(NULL), "ValueError: lost\n");
    EXPECT_NO_ERROR();
    EXPECT_PRINTED(PyErr_WriteUnraisable(Py_True), "");
}

TEST_PY(unraisable_memory_error_is_printed)
{
    PyErr_NoMemory();
    EXPECT_PRINTED(PyErr_FormatUnraisable("Exception ignored in a test"),
                   "Exception ignored in a test:\nMemoryError\n");
}

static int hook_calls;
static char hook_text[200];

static int
record_report(const Ouro_Unraisable *report, void *arg)
{
    hook_calls++;
    EXPECT_NO_ERROR();
    EXPECT_EQ(report->exc_type, Py_TYPE(report->exc_value));
    snprintf(hook_text, sizeof hook_text, "%s|%s|%s|%s",
             ((PyTypeObject *)report->exc_type)->tp_name,
             report->message != NULL ? report->message : "-",
             report->object == Py_True ? "True" : "-", (const char *)arg);
    return 0;
}

TEST_PY(a_hook_receives_the_report_instead)
{
    char arg[] = "arg";
    void *given = NULL;
    Ouro_SetUnraisableHook(record_report, arg);
    EXPECT(Ouro_GetUnraisableHook(&given) == record_report);
    EXPECT_EQ(given, arg);
    PyErr_SetString(PyExc_ValueError, "lost");
    EXPECT_PRINTED(PyErr_WriteUnraisable(Py_True), "");
    EXPECT_STR(hook_text, "ValueError|-|True|arg");
    PyErr_SetString(PyExc_KeyError, "lost");
    PyErr_FormatUnraisable("number %d", 3);
    EXPECT_STR(hook_text, "KeyError|number 3|-|arg");
    EXPECT_EQ(hook_calls, 2);
}

static int
count_and_print(const Ouro_Unraisable *report, void *arg)
{
    ++*(int *)arg;
    Ouro_PrintUnraisable(report);
    return 0;
}

TEST_PY(a_hook_may_print_the_report_as_without_it)
{
    int calls = 0;
    Ouro_SetUnraisableHook(count_and_print, &calls);
    PyErr_SetString(PyExc_ValueError, "lost");
    EXPECT_PRINTED(PyErr_WriteUnraisable(Py_True),
                   "Exception ignored in: True\nValueError: lost\n");
    EXPECT_EQ(calls, 1);
}

static int
failing_hook(const Ouro_Unraisable *report, void *arg)
{
    (void)report;
    (void)arg;
    PyErr_SetString(PyExc_RuntimeError, "hook broke");
    return -1;
}

TEST_PY(a_hook_that_fails_is_reported_with_what_it_lost)
{
    Ouro_SetUnraisableHook(failing_hook, NULL);
    PyErr_SetString(PyExc_ValueError, "lost");
    EXPECT_PRINTED(PyErr_WriteUnraisable(NULL),
                   "ValueError: lost\nException ignored in the unraisable hook:\n"
                   "RuntimeError: hook broke\n");
    EXPECT_NO_ERROR();
}

static int
reporting_hook(const Ouro_Unraisable *report, void *arg)
{
    (void)report;
    (void)arg;
    hook_calls++;
    PyErr_SetString(PyExc_RuntimeError, "inside");
    PyErr_WriteUnraisable(NULL);
    return 0;
}

TEST_PY(a_report_from_inside_the_hook_is_printed)
{
    Ouro_SetUnraisableHook(reporting_hook, NULL);
    PyErr_SetString(PyExc_ValueError, "outside");
    EXPECT_PRINTED(PyErr_WriteUnraisable(NULL), "RuntimeError: inside\n");
    EXPECT_EQ(hook_calls, 1);
}

TEST(a_hook_set_before_the_start_serves_every_interpreter)
{
    char arg[] = "early";
    Ouro_SetUnraisableHook(record_report, arg);
    for (int i = 0; i < 2; i++) {
        Py_Initialize();
        PyErr_SetString(PyExc_ValueError, "lost");
        PyErr_WriteUnraisable(NULL);
        EXPECT_STR(hook_text, "ValueError|-|-|early");
        Ouro_SetUnraisableHook(NULL, NULL); /* for this interpreter only */
        Py_FinalizeEx();
    }
    EXPECT_EQ(hook_calls, 2);
}

/* ---- warnings -------------------------------------------------------------------------- */

static int
refuse_warning(PyObject *category, const char *message, void *arg)
{
    EXPECT_STR(message, "watch 7");
    EXPECT_EQ(category, PyExc_UserWarning);
    ++*(int *)arg;
    PyErr_SetString(category, message);
    return -1;
}

TEST_PY(warnings_are_printed_or_given_to_the_hook)
{
    EXPECT_PRINTED(EXPECT_EQ(PyErr_WarnEx(PyExc_ResourceWarning, "not closed", 1), 0),
                   "ResourceWarning: not closed\n");
    EXPECT_PRINTED(PyErr_WarnEx(NULL, "hm", 1), "RuntimeWarning: hm\n");
    EXPECT_PRINTED(
        EXPECT_EQ(PyErr_WarnExplicit(PyExc_UserWarning, "hm", "a.py", 7, "a", NULL), 0),
        "a.py:7: UserWarning: hm\n");
    PyObject *message = PyUnicode_FromString("hm"), *file = PyUnicode_FromString("b.py");
    EXPECT_PRINTED(PyErr_WarnExplicitObject(NULL, message, file, 8, NULL, NULL),
                   "b.py:8: RuntimeWarning: hm\n");
    Py_DECREF(message);
    Py_DECREF(file);
    EXPECT_EQ(PyErr_WarnEx(PyExc_ValueError, "x", 1), -1);
    EXPECT_RAISED(PyExc_TypeError);

    int calls = 0;
    void *given = NULL;
    EXPECT(Ouro_GetWarningHook(NULL) == NULL);
    Ouro_SetWarningHook(refuse_warning, &calls);
    EXPECT(Ouro_GetWarningHook(&given) == refuse_warning);
    EXPECT_EQ(given, &calls);
    EXPECT_EQ(PyErr_WarnFormat(PyExc_UserWarning, 1, "watch %d", 7), -1);
    EXPECT_RAISED(PyExc_UserWarning);
    EXPECT_EQ(calls, 1);
}

/* ---- out of memory ---------------------------------------------------------------------- */

/* Run `statement` again and again. In run n its n-th allocation fails. This ends when it makes
 * fewer allocations. `check` runs after each. */
#define EACH_ALLOCATION_FAILS(statement, check)                                          \
    do {                                                                                 \
        for (int64_t n_ = 1, seen_ = 1; OURO_DEBUG && n_ <= seen_; n_++) {               \
            ouro_fault_arm(n_);                                                          \
            statement;                                                                   \
            seen_ = ouro_fault_seen();                                                   \
            ouro_fault_arm(0);                                                           \
            check;                                                                       \
        }                                                                                \
    } while (0)

TEST_PY(raising_without_memory_raises_memory_error)
{
    PyObject *args = PyTuple_Pack(2, Py_True, Py_None);
    EACH_ALLOCATION_FAILS(PyErr_SetString(PyExc_ValueError, "text"),
                          EXPECT(PyErr_ExceptionMatches(PyExc_ValueError) ||
                                 PyErr_ExceptionMatches(PyExc_MemoryError));
                          PyErr_Clear());
    EACH_ALLOCATION_FAILS(PyErr_Format(PyExc_ValueError, "%R %d", args, 3),
                          EXPECT(PyErr_ExceptionMatches(PyExc_ValueError) ||
                                 PyErr_ExceptionMatches(PyExc_MemoryError));
                          PyErr_Clear());
    EACH_ALLOCATION_FAILS(PyErr_Restore(Py_NewRef(PyExc_KeyError), Py_NewRef(args), NULL),
                          EXPECT(PyErr_ExceptionMatches(PyExc_KeyError) ||
                                 PyErr_ExceptionMatches(PyExc_MemoryError));
                          PyErr_Clear());
    Py_DECREF(args);
}

TEST_PY(reports_get_through_without_memory)
{
    PyObject *args = PyTuple_Pack(2, Py_True, Py_None);
    EACH_ALLOCATION_FAILS(
        {
            PyErr_NoMemory();
            capture_stderr_begin();
            PyErr_FormatUnraisable("Exception ignored in %R", args);
        },
        {
            char *text = capture_stderr_end();
            EXPECT_HAS(text, "Exception ignored in ");
            EXPECT_HAS(text, "MemoryError\n");
            free(text);
            EXPECT_NO_ERROR();
        });
    EACH_ALLOCATION_FAILS(
        {
            PyErr_NoMemory();
            capture_stderr_begin();
            PyErr_WriteUnraisable(args);
        },
        {
            char *text = capture_stderr_end();
            EXPECT_HAS(text, "Exception ignored in: ");
            EXPECT_HAS(text, "MemoryError\n");
            free(text);
            EXPECT_NO_ERROR();
        });
    Py_DECREF(args);
}
