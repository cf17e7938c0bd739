/* SPDX-License-Identifier: MIT */
/* What every public function does with references, and what it does when memory runs out.
 *
 * ownership_cases.inc has one line for each call, including calls that fail. Each call runs
 * repeatedly, and may leave no block behind. Then it runs once for each of its allocations. In
 * each run that allocation fails: the call must raise MemoryError and leave nothing behind. All
 * calls get the same objects as arguments. These must have as many references afterwards as
 * before. Other tests check the results of the functions. */
#include "../types/special.h"

#include <errno.h>
#include <float.h>
#include <limits.h>
#include <math.h>

/* ---- the objects -------------------------------------------------------------------- */

/* clang-format off */
#define OBJECTS(X)                                                                       \
    X(big, PyLong_FromString("1000000000000000000000000000000", NULL, 10))               \
    X(minus_big, PyNumber_Negative(big))                                                 \
    X(big_index, PyLong_FromLong(100000))                                                \
    X(zero, PyLong_FromLong(0))                                                          \
    X(two, PyLong_FromLong(2))                                                           \
    X(minus, PyLong_FromLong(-1))                                                        \
    X(half, PyFloat_FromDouble(0.5))                                                     \
    X(word, PyUnicode_FromString("one two\nthree"))                                      \
    X(accents, PyUnicode_FromString("\xc3\xa9\xe2\x82\xac"))                             \
    X(blank, PyUnicode_FromString(" "))                                                  \
    X(empty, PyUnicode_FromString(""))                                                   \
    X(digits, PyUnicode_FromString("12345678901234567890"))                              \
    X(spec, PyUnicode_FromString(">20"))                                                 \
    X(percent, PyUnicode_FromString("<%r>"))                                             \
    X(name_a, PyUnicode_FromString("a"))                                                 \
    X(name_color, PyUnicode_FromString("color"))                                         \
    X(name_upper, PyUnicode_FromString("upper"))                                         \
    X(name_get, PyUnicode_FromString("get"))                                             \
    X(name_gc, PyUnicode_FromString("gc"))                                               \
    X(name_collect, PyUnicode_FromString("collect"))                                     \
    X(name_modules, PyUnicode_FromString("modules"))                                     \
    X(raw, PyBytes_FromString("abc"))                                                    \
    X(raws, Py_BuildValue("[OO]", raw, raw))                                             \
    X(no_args, PyTuple_New(0))                                                           \
    X(pair, Py_BuildValue("(iO)", 1, big))                                               \
    X(shared_pair, Py_NewRef(pair))                                                      \
    X(pairs, Py_BuildValue("[(sO)(si)]", "x", big, "y", 2))                              \
    X(numbers, Py_BuildValue("[iii]", 3, 1, 2))                                          \
    X(words, Py_BuildValue("[ss]", "a", "b"))                                            \
    X(table, Py_BuildValue("{sisi}", "a", 1, "b", 2))                                    \
    X(proxy, PyDictProxy_New(table))                                                     \
    X(group, PySet_New(numbers))                                                         \
    X(empty_set, PySet_New(NULL))                                                        \
    X(nest, Py_BuildValue("[OOOO]", table, big, words, half))                            \
    X(slice, PySlice_New(two, NULL, two))                                                \
    X(word_slice, PySlice_New(word, NULL, NULL))                                         \
    X(zero_slice, PySlice_New(NULL, NULL, zero))                                         \
    X(cell, PyCell_New(big))                                                             \
    X(capsule, PyCapsule_New(room, "name", NULL))                                        \
    X(function, PyCFunction_New(&a_method, NULL))                                        \
    X(function_o, PyCFunction_New(&a_method_o, NULL))                                    \
    X(single, Py_BuildValue("(O)", big))                                                 \
    X(module, PyModule_New("here"))                                                      \
    X(module_spec, Ouro_ModuleSpecNew(name_a, NULL, 0))                                  \
    X(repr_wrapper, PyObject_GetAttrString((PyObject *)&PyLong_Type, "__repr__"))        \
    X(problem, PyObject_CallOneArg(PyExc_ValueError, word))                              \
    X(Thing, new_class("Thing"))                                                         \
    X(thing, new_thing())                                                                \
    X(weak, PyWeakref_NewRef(thing, NULL))                                               \
    X(special_methods, methods_as_dict(able_methods))                                    \
    X(able, instance_of(able_methods))                                                   \
    X(grumpy, instance_of(grumpy_methods))
/* clang-format on */

#define OBJECT_DECLARED(name_, make_) static PyObject *name_;
OBJECTS(OBJECT_DECLARED)

static char room[200];
static PyObject *nothing; /* for results that are ignored */
static Py_ssize_t size_out;
static int number_out;
static char *text_out;

static PyObject *
return_arguments(PyObject *Py_UNUSED(self), PyObject *args)
{
    return Py_NewRef(args);
}

static PyMethodDef a_method = {"f", return_arguments, METH_VARARGS, NULL};
static PyMethodDef a_method_o = {"o", return_arguments, METH_O, NULL};
static PyMethodDef a_class_method = {"g", return_arguments,
                                     METH_METHOD | METH_FASTCALL | METH_KEYWORDS, NULL};
static PyMemberDef a_member = {"m", Py_T_INT, 0, 0, NULL};

static PyObject *
get_self(PyObject *self, void *Py_UNUSED(closure))
{
    return Py_NewRef(self);
}

static PyGetSetDef a_getset = {"s", get_self, NULL, NULL, NULL};
static PyType_Slot spec_slots[] = {
    {Py_tp_doc, "a type"}, {Py_tp_methods, (PyMethodDef[]){{0}}}, {0, NULL}};
static PyType_Spec a_spec = {"test.Spec", 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                             spec_slots};
static PySlot type_slots[] = {
    PySlot_STATIC_DATA(Py_tp_name, "test.Slots"),
    PySlot_SIZE(Py_tp_basicsize, sizeof(PyObject)),
    PySlot_END,
};
static PySlot nameless_slots[] = {PySlot_SIZE(Py_tp_basicsize, 16), PySlot_END};
static PyMethodDef some_functions[] = {
    {"f", return_arguments, METH_VARARGS, NULL},
    {"g", return_arguments, METH_NOARGS, "text"},
    {NULL, NULL, 0, NULL},
};
static PyModuleDef a_definition = {
    PyModuleDef_HEAD_INIT, "made", "text", 64, some_functions, NULL, NULL, NULL, NULL};
static PyModuleDef a_phased_definition = {
    PyModuleDef_HEAD_INIT,           "phased", "text", 64,  some_functions,
    (PyModuleDef_Slot[]){{0, NULL}}, NULL,     NULL,   NULL};
static char *a_and_b[] = {"a", "b", NULL};
static char *only_a[] = {"a", NULL};

/* A class whose methods succeed, and one whose methods raise ValueError. */

static PyObject *
answer_number(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(args))
{
    return PyLong_FromLong(1);
}

static PyObject *
answer_truth(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(args))
{
    Py_RETURN_TRUE;
}

static PyObject *
answer_text(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(args))
{
    return PyUnicode_FromFormat("text %d", 7);
}

static PyObject *
answer_float(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(args))
{
    return PyFloat_FromDouble(1.5);
}

static PyObject *
answer_itself(PyObject *self, PyObject *Py_UNUSED(args))
{
    return Py_NewRef(self);
}

static PyObject *
answer_nothing(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(args))
{
    Py_RETURN_NONE;
}

static PyObject *
refuse(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(args))
{
    return PyErr_Format(PyExc_ValueError, "not %s", "today");
}

#define ABLE(name_, function_)                                                           \
    {                                                                                    \
        name_, function_, METH_VARARGS, NULL                                             \
    }
/* clang-format off */
static PyMethodDef able_methods[] = {
    ABLE("__repr__", answer_text), ABLE("__str__", answer_text),
    ABLE("__format__", answer_text), ABLE("__getattr__", answer_text),
    ABLE("__hash__", answer_number), ABLE("__len__", answer_number),
    ABLE("__index__", answer_number), ABLE("__int__", answer_number),
    ABLE("__float__", answer_float), ABLE("__bool__", answer_truth),
    ABLE("__eq__", answer_truth), ABLE("__lt__", answer_truth),
    ABLE("__contains__", answer_truth), ABLE("__getitem__", answer_itself),
    ABLE("__setitem__", answer_nothing), ABLE("__delitem__", answer_nothing),
    ABLE("__setattr__", answer_nothing), ABLE("__delattr__", answer_nothing),
    ABLE("__iter__", answer_itself), ABLE("__next__", answer_itself),
    ABLE("__call__", answer_itself), ABLE("__add__", answer_itself),
    ABLE("__radd__", answer_itself), ABLE("__iadd__", answer_itself),
    ABLE("__pow__", answer_itself), ABLE("__neg__", answer_itself),
    ABLE("__get__", answer_itself), ABLE("__set__", answer_nothing),
    ABLE("__delete__", answer_nothing), {NULL, NULL, 0, NULL},
};
static PyMethodDef grumpy_methods[] = {
    ABLE("__repr__", refuse), ABLE("__str__", refuse), ABLE("__format__", refuse),
    ABLE("__getattribute__", refuse), ABLE("__hash__", refuse), ABLE("__len__", refuse),
    ABLE("__index__", refuse), ABLE("__int__", refuse), ABLE("__float__", refuse),
    ABLE("__bool__", refuse), ABLE("__eq__", refuse), ABLE("__lt__", refuse),
    ABLE("__contains__", refuse), ABLE("__getitem__", refuse), ABLE("__setitem__", refuse),
    ABLE("__delitem__", refuse), ABLE("__setattr__", refuse), ABLE("__delattr__", refuse),
    ABLE("__iter__", refuse), ABLE("__next__", refuse), ABLE("__call__", refuse),
    ABLE("__add__", refuse), ABLE("__radd__", refuse), ABLE("__iadd__", refuse),
    ABLE("__pow__", refuse), ABLE("__neg__", refuse), {NULL, NULL, 0, NULL},
};
/* clang-format on */

static PyObject *
instance_of(PyMethodDef *methods)
{
    PyTypeObject *type = class_with_methods("Special", NULL, methods);
    PyObject *object = PyObject_CallNoArgs((PyObject *)type);
    Py_XDECREF(type);
    return object;
}

static PyObject *
new_class(const char *name)
{
    return PyObject_CallFunction((PyObject *)&PyType_Type, "s(){}", name);
}

static PyObject *
new_class_with_methods(void)
{
    return PyObject_CallFunction((PyObject *)&PyType_Type, "s()O", "Able",
                                 special_methods);
}

static PyObject *
new_list_class(void)
{
    return PyObject_CallFunction((PyObject *)&PyType_Type, "s(O){s(ss)}", "Stack",
                                 &PyList_Type, "__slots__", "color", "weight");
}

/* A Thing() with a color. */
static PyObject *
new_thing(void)
{
    PyObject *o = PyObject_CallNoArgs(Thing);
    if (o != NULL && PyObject_SetAttr(o, name_color, big) < 0) {
        Py_CLEAR(o);
    }
    return o;
}

/* ---- calls that take more than an expression ------------------------------------------- */

static int
enter_and_leave(void)
{
    int status = Py_ReprEnter(nest);
    if (status == 0) {
        Py_ReprLeave(nest);
    }
    return status;
}

static int
next_item(PyObject *iterator)
{
    PyObject *item;
    int status = PyIter_NextItem(iterator, &item);
    Py_XDECREF(item);
    return status;
}

static int
send_none(PyObject *iterator)
{
    PyObject *item;
    int status = PyIter_Send(iterator, Py_None, &item);
    Py_XDECREF(item);
    return status;
}

static PyObject *
appended(PyObject *left, PyObject *right)
{
    PyUnicode_Append(&left, right);
    return left;
}

static PyObject *
appended_and_del(PyObject *left, PyObject *right)
{
    PyUnicode_AppendAndDel(&left, Py_NewRef(right));
    return left;
}

static PyObject *
bytes_joined(PyObject *left, PyObject *right)
{
    PyBytes_Concat(&left, right);
    return left;
}

static PyObject *
bytes_joined_and_del(PyObject *left, PyObject *right)
{
    PyBytes_ConcatAndDel(&left, Py_NewRef(right));
    return left;
}

static PyObject *
interned(PyObject *text)
{
    if (text != NULL) {
        PyUnicode_InternInPlace(&text);
    }
    return text;
}

static PyObject *
written(PyObject *o)
{
    PyUnicodeWriter *writer = PyUnicodeWriter_Create(0);
    if (writer == NULL) {
        return NULL;
    }
    if (PyUnicodeWriter_WriteStr(writer, o) < 0 ||
        PyUnicodeWriter_WriteRepr(writer, o) < 0 ||
        PyUnicodeWriter_WriteChar(writer, 0x1F600) < 0 ||
        PyUnicodeWriter_WriteUTF8(writer, "text", -1) < 0 ||
        PyUnicodeWriter_WriteASCII(writer, "text", -1) < 0 ||
        PyUnicodeWriter_WriteWideChar(writer, L"text", -1) < 0 ||
        PyUnicodeWriter_WriteSubstring(writer, word, 1, 2) < 0 ||
        PyUnicodeWriter_Format(writer, "%d", 1) < 0) {
        PyUnicodeWriter_Discard(writer);
        return NULL;
    }
    return PyUnicodeWriter_Finish(writer);
}

static PyObject *
bytes_written(void)
{
    PyBytesWriter *writer = PyBytesWriter_Create(10);
    if (writer == NULL) {
        return NULL;
    }
    memset(PyBytesWriter_GetData(writer), 'x', 10);
    if (PyBytesWriter_WriteBytes(writer, room, sizeof room) < 0 ||
        PyBytesWriter_Format(writer, "%s", "text") < 0 ||
        PyBytesWriter_Grow(writer, 1000) < 0 || PyBytesWriter_Resize(writer, 20) < 0) {
        PyBytesWriter_Discard(writer);
        return NULL;
    }
    return PyBytesWriter_Finish(writer);
}

static int
buffer_of(PyObject *o)
{
    Py_buffer view;
    int status = PyObject_GetBuffer(o, &view, PyBUF_SIMPLE);
    if (status == 0) {
        PyBuffer_Release(&view);
    }
    return status;
}

static PyObject *
resized_tuple(Py_ssize_t size)
{
    PyObject *tuple = PyTuple_New(2);
    if (tuple != NULL) {
        _PyTuple_Resize(&tuple, size);
    }
    return tuple;
}

static int
many_items(PyObject *dict)
{
    int status = 0;
    for (int i = 0; i < 40 && status == 0; i++) {
        PyObject *key = PyLong_FromLong(i);
        status = key == NULL ? -1 : PyDict_SetItem(dict, key, big);
        Py_XDECREF(key);
    }
    return status;
}

static int
slice_numbers(PyObject *o)
{
    Py_ssize_t start, stop, step;
    return PySlice_Unpack(o, &start, &stop, &step);
}

static int
slice_indices(PyObject *o)
{
    Py_ssize_t start, stop, step, count;
    return PySlice_GetIndicesEx(o, 10, &start, &stop, &step, &count);
}

static int
slice_indices_unclipped(PyObject *o)
{
    Py_ssize_t start, stop, step;
    return PySlice_GetIndices(o, 10, &start, &stop, &step);
}

static int
fill_and_release(PyObject *o)
{
    Py_buffer view;
    int status = PyBuffer_FillInfo(&view, o, room, sizeof room, 0, PyBUF_SIMPLE);
    if (status == 0) {
        PyBuffer_Release(&view);
    }
    return status;
}

/* The reference is taken on success only. */
static int
add_object(PyObject *o)
{
    int status = PyModule_AddObject(o, "x", Py_NewRef(big));
    if (status < 0) {
        Py_DECREF(big);
    }
    return status;
}

static PyObject *
executed(PyObject *o)
{
    if (o != NULL && PyModule_ExecDef(o, &a_phased_definition) < 0) {
        Py_CLEAR(o);
    }
    return o;
}

static int
handle_and_forget(void)
{
    PyErr_SetHandledException(problem);
    PyObject *handled = PyErr_GetHandledException();
    PyErr_SetHandledException(NULL);
    EXPECT_EQ(handled, problem);
    Py_XDECREF(handled);
    return 0;
}

/* MemoryError is passed on, so that the test sees it. */
static PyObject *
raise_and_take(void)
{
    PyErr_Format(PyExc_ValueError, "%R", big);
    PyObject *exc = PyErr_GetRaisedException();
    if (exc != NULL && PyErr_GivenExceptionMatches(exc, PyExc_MemoryError)) {
        PyErr_SetRaisedException(exc);
        return NULL;
    }
    return exc;
}

static int
fetch_and_restore(void)
{
    PyObject *type, *value, *traceback;
    PyErr_SetString(PyExc_ValueError, "no");
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    PyErr_Restore(type, value, traceback);
    if (PyErr_ExceptionMatches(PyExc_ValueError)) {
        PyErr_Clear();
    }
    return 0;
}

static int
raise_and_report(void)
{
    PyErr_SetString(PyExc_ValueError, "no");
    PyErr_WriteUnraisable(big);
    return 0;
}

static int
ignore_report(const Ouro_Unraisable *Py_UNUSED(report), void *Py_UNUSED(arg))
{
    return 0;
}

/* ---- the forms of ownership_cases.inc ----------------------------------------------------- */

static PyObject *
none_unless_raised(void)
{
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

/* None when an exception of this type was raised; NULL with MemoryError. */
static PyObject *
none_if_raised(const char *row, PyObject *type)
{
    if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_MemoryError)) {
        return NULL;
    }
    if (!PyErr_Occurred()) {
        test_fail(__FILE__, __LINE__, "%s raises nothing", row);
    } else if (!PyErr_ExceptionMatches(type)) {
        char message[200];
        PyObject *found = Py_NewRef(PyErr_Occurred());
        take_raised_text(message, sizeof message);
        test_fail(__FILE__, __LINE__, "%s raises %s: %s", row,
                  ((PyTypeObject *)found)->tp_name, message);
        Py_DECREF(found);
    }
    PyErr_Clear();
    Py_RETURN_NONE;
}

/* The expression is a new reference. */
#define OBJECT(row_, ...)                                                                \
    static PyObject *row_##_row(void)                                                    \
    {                                                                                    \
        return __VA_ARGS__;                                                              \
    }
/* The expression is a number, a borrowed pointer, or void. */
#define VALUE(row_, ...)                                                                 \
    static PyObject *row_##_row(void)                                                    \
    {                                                                                    \
        (void)(__VA_ARGS__);                                                             \
        return none_unless_raised();                                                     \
    }
/* The expression changes `o`, which is made for it. */
#define CHANGES(row_, make_, ...)                                                        \
    static PyObject *row_##_row(void)                                                    \
    {                                                                                    \
        PyObject *o = make_;                                                             \
        if (o != NULL) {                                                                 \
            (void)(__VA_ARGS__);                                                         \
        }                                                                                \
        if (PyErr_Occurred()) {                                                          \
            Py_CLEAR(o);                                                                 \
        }                                                                                \
        return o;                                                                        \
    }
/* The expression leaves a new reference, or NULL, in `out`. */
#define TAKES(row_, ...)                                                                 \
    static PyObject *row_##_row(void)                                                    \
    {                                                                                    \
        PyObject *out = NULL;                                                            \
        (void)(__VA_ARGS__);                                                             \
        Py_XDECREF(out);                                                                 \
        return none_unless_raised();                                                     \
    }
/* The expression raises this exception. */
#define RAISES(row_, type_, ...)                                                         \
    static PyObject *row_##_row(void)                                                    \
    {                                                                                    \
        (void)(__VA_ARGS__);                                                             \
        return none_if_raised(#row_, PyExc_##type_);                                     \
    }

#include "ownership_cases.inc"

#undef OBJECT
#undef VALUE
#undef CHANGES
#undef TAKES
#undef RAISES
#define OBJECT(row_, ...)  {#row_, row_##_row},
#define VALUE(row_, ...)   {#row_, row_##_row},
#define CHANGES(row_, ...) {#row_, row_##_row},
#define TAKES(row_, ...)   {#row_, row_##_row},
#define RAISES(row_, ...)  {#row_, row_##_row},

static const struct row {
    const char *name;
    PyObject *(*call)(void);
} rows[] = {
#include "ownership_cases.inc"
};

/* ---- the tests ------------------------------------------------------------------------------ */

#define OBJECT_MADE(name_, make_)                                                        \
    name_ = make_;                                                                       \
    REQUIRE(name_ != NULL && !PyErr_Occurred());
#define OBJECT_DROPPED(name_, make_) Py_CLEAR(name_);
#define OBJECT_COUNTED(name_, make_) counts[i++] = Py_REFCNT(name_);
#define OBJECT_COMPARED(name_, make_)                                                    \
    if (Py_REFCNT(name_) != counts[i++]) {                                               \
        test_fail(__FILE__, __LINE__, "%s changes the count of " #name_ " by %zd", row,  \
                  Py_REFCNT(name_) - counts[i - 1]);                                     \
    }

static void
count_references(Py_ssize_t *counts)
{
    size_t i = 0;
    OBJECTS(OBJECT_COUNTED)
}

static void
compare_references(const char *row, const Py_ssize_t *counts)
{
    size_t i = 0;
    OBJECTS(OBJECT_COMPARED)
}

/* Apply `check` to every row, and print the names of rows that fail. */
static void
check_rows(void (*check)(PyObject *(*call)(void)))
{
    Py_ssize_t counts[100];
    Ouro_SetUnraisableHook(ignore_report, NULL);
    OBJECTS(OBJECT_MADE)
    for (size_t i = 0; i < Py_ARRAY_LENGTH(rows); i++) {
        int failures = test_failures();
        Py_XDECREF(rows[i].call()); /* permanent caches are filled now */
        PyErr_Clear();
        PyGC_Collect();
        count_references(counts);
        check(rows[i].call);
        compare_references(rows[i].name, counts);
        if (test_failures() != failures) {
            test_fail(__FILE__, __LINE__, "that was %s", rows[i].name);
        }
    }
    OBJECTS(OBJECT_DROPPED)
}

TEST_PY(no_call_leaks_or_releases_too_much, .timeout = 300)
{
    check_rows(repeat_without_leak);
}

TEST_PY(every_call_survives_each_allocation_failing, .timeout = 300)
{
    check_rows(fail_each_allocation);
}
