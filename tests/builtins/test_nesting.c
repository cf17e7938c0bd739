/* SPDX-License-Identifier: MIT */
/* Objects inside objects, a million deep. Every protocol function raises RecursionError if it
 * would recurse that far, or works without recursion. None overflows the stack.
 *
 * A row of `nests` makes one kind of nesting, and an entry of `protocols` uses it. The row names
 * the protocols that have to look inside, and so must raise. */
#include "../harness.h"

#include <stdlib.h>
#include <string.h>

#define SMALL_STACK ((size_t)128 * 1024)
#define DEPTH       1000000

/* ---- what is nested ---------------------------------------------------------------------- */

static PyObject *name_x, *text_empty;

static PyObject *
in_list(PyObject *inner)
{
    return Py_BuildValue("[O]", inner);
}

static PyObject *
in_tuple(PyObject *inner)
{
    return PyTuple_Pack(1, inner);
}

static PyObject *
in_dict(PyObject *inner)
{
    PyObject *dict = PyDict_New();
    PyDict_SetItem(dict, name_x, inner);
    return dict;
}

static PyObject *
in_frozendict(PyObject *inner)
{
    PyObject *dict = in_dict(inner);
    PyObject *frozen = PyFrozenDict_New(dict);
    Py_DECREF(dict);
    return frozen;
}

static PyObject *
in_values(PyObject *inner)
{
    PyObject *dict = in_dict(inner);
    PyObject *values = PyObject_CallMethod(dict, "values", NULL);
    Py_DECREF(dict);
    return values;
}

static PyObject *
in_items(PyObject *inner)
{
    PyObject *dict = in_dict(inner);
    PyObject *items = PyObject_CallMethod(dict, "items", NULL);
    Py_DECREF(dict);
    return items;
}

static PyObject *
in_mappingproxy(PyObject *inner)
{
    return PyDictProxy_New(inner);
}

static PyObject *
in_slice(PyObject *inner)
{
    return PySlice_New(inner, NULL, NULL);
}

static PyObject *
in_cell(PyObject *inner)
{
    return PyCell_New(inner);
}

static PyObject *
in_exception(PyObject *inner)
{
    return PyObject_CallOneArg(PyExc_ValueError, inner);
}

static PyObject *
in_enumerate(PyObject *inner)
{
    return PyObject_CallOneArg((PyObject *)&PyEnum_Type, inner);
}

static PyObject *
in_calliter(PyObject *inner)
{
    return PyCallIter_New(inner, Py_None);
}

static PyObject *
in_alias_origin(PyObject *inner)
{
    return Py_GenericAlias(inner, (PyObject *)&PyLong_Type);
}

static PyObject *
in_alias_args(PyObject *inner)
{
    return Py_GenericAlias((PyObject *)&PyList_Type, inner);
}

static PyObject *
in_method_function(PyObject *inner)
{
    return PyMethod_New(inner, Py_None);
}

static PyObject *
in_method_self(PyObject *inner)
{
    return PyMethod_New((PyObject *)&PyTuple_Type, inner);
}

static PyObject *
in_instance_method(PyObject *inner)
{
    return PyInstanceMethod_New(inner);
}

static PyObject *
in_staticmethod(PyObject *inner)
{
    return PyStaticMethod_New(inner);
}

static PyObject *
in_classmethod(PyObject *inner)
{
    return PyClassMethod_New(inner);
}

static PyObject *
in_property(PyObject *inner)
{
    return PyObject_CallOneArg((PyObject *)&PyProperty_Type, inner);
}

static PyObject *
in_frozenset(PyObject *inner)
{
    PyObject *tuple = PyTuple_Pack(1, inner);
    PyObject *set = PyFrozenSet_New(tuple);
    Py_DECREF(tuple);
    return set;
}

static PyObject *
in_memoryview(PyObject *inner)
{
    return PyMemoryView_FromObject(inner);
}

/* ---- protocols ----------------------------------------------------------------------------- */

/* Returns 0, or -1 with an exception. `same` is nested in the same way as `op`. */
typedef int (*protocol)(PyObject *op, PyObject *same);

static int
done(PyObject *result)
{
    Py_XDECREF(result);
    return result == NULL ? -1 : 0;
}

static int
use_repr(PyObject *op, PyObject *Py_UNUSED(same))
{
    return done(PyObject_Repr(op));
}

static int
use_str(PyObject *op, PyObject *Py_UNUSED(same))
{
    return done(PyObject_Str(op));
}

static int
use_ascii(PyObject *op, PyObject *Py_UNUSED(same))
{
    return done(PyObject_ASCII(op));
}

static int
use_format(PyObject *op, PyObject *Py_UNUSED(same))
{
    return done(PyObject_Format(op, text_empty));
}

static int
use_percent(PyObject *op, PyObject *Py_UNUSED(same))
{
    return done(PyUnicode_FromFormat("%R %S", op, op));
}

static int
use_hash(PyObject *op, PyObject *Py_UNUSED(same))
{
    return PyObject_Hash(op) == -1 ? -1 : 0;
}

static int
use_equal(PyObject *op, PyObject *same)
{
    return PyObject_RichCompareBool(op, same, Py_EQ) < 0 ? -1 : 0;
}

static int
use_less(PyObject *op, PyObject *same)
{
    return PyObject_RichCompareBool(op, same, Py_LT) < 0 ? -1 : 0;
}

static int
use_iterate(PyObject *op, PyObject *Py_UNUSED(same))
{
    return done(PySequence_List(op));
}

static int
use_call(PyObject *op, PyObject *Py_UNUSED(same))
{
    return done(PyObject_CallNoArgs(op));
}

static int
use_call_with_tuple(PyObject *op, PyObject *Py_UNUSED(same))
{
    PyObject *args = PyTuple_Pack(1, Py_None);
    int result = done(PyObject_Call(op, args, NULL));
    Py_DECREF(args);
    return result;
}

static int
use_get(PyObject *op, PyObject *Py_UNUSED(same))
{
    return done(PyObject_GetAttrString(op, "x"));
}

static int
use_names(PyObject *op, PyObject *Py_UNUSED(same))
{
    static const char *const names[] = {
        "__name__",   "__doc__",        "__dict__", "__isabstractmethod__", "__self__",
        "__origin__", "__parameters__", "__func__", "__wrapped__"};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(names); i++) {
        PyObject *value;
        if (PyObject_GetOptionalAttrString(op, names[i], &value) < 0) {
            return -1;
        }
        Py_XDECREF(value);
    }
    return 0;
}

static int
use_set(PyObject *op, PyObject *Py_UNUSED(same))
{
    return PyObject_SetAttrString(op, "x", Py_None);
}

static int
use_dir(PyObject *op, PyObject *Py_UNUSED(same))
{
    return done(PyObject_Dir(op));
}

static int
use_truth(PyObject *op, PyObject *Py_UNUSED(same))
{
    return PyObject_IsTrue(op) < 0 ? -1 : 0;
}

static int
use_size(PyObject *op, PyObject *Py_UNUSED(same))
{
    return PyObject_Size(op) < 0 ? -1 : 0;
}

static int
use_item(PyObject *op, PyObject *Py_UNUSED(same))
{
    return done(PyObject_GetItem(op, name_x));
}

static int
use_contains(PyObject *op, PyObject *same)
{
    return PySequence_Contains(op, same) < 0 ? -1 : 0;
}

static int
use_or(PyObject *op, PyObject *same)
{
    return done(PyNumber_Or(op, same));
}

static int
use_add(PyObject *op, PyObject *same)
{
    return done(PyNumber_Add(op, same));
}

static int
use_number(PyObject *op, PyObject *Py_UNUSED(same))
{
    return done(PyNumber_Long(op));
}

static int
use_copy(PyObject *op, PyObject *Py_UNUSED(same))
{
    return done(PyObject_CallMethod(op, "copy", NULL));
}

static int
use_keys(PyObject *op, PyObject *Py_UNUSED(same))
{
    return done(PyObject_CallMethod(op, "keys", NULL));
}

static int
use_isinstance(PyObject *op, PyObject *Py_UNUSED(same))
{
    return PyObject_IsInstance(Py_None, op) < 0 ? -1 : 0;
}

static int
use_issubclass(PyObject *op, PyObject *Py_UNUSED(same))
{
    return PyObject_IsSubclass((PyObject *)&PyLong_Type, op) < 0 ? -1 : 0;
}

static int
use_bind(PyObject *op, PyObject *Py_UNUSED(same))
{
    descrgetfunc get = Py_TYPE(op)->tp_descr_get;
    return get == NULL ? 0 : done(get(op, text_empty, (PyObject *)&PyUnicode_Type));
}

static int
use_buffer(PyObject *op, PyObject *Py_UNUSED(same))
{
    return done(PyBytes_FromObject(op));
}

static int
use_collect(PyObject *Py_UNUSED(op), PyObject *Py_UNUSED(same))
{
    PyGC_Collect();
    return 0;
}

static const struct {
    const char *name;
    protocol use;
} protocols[] = {
    {"repr", use_repr},
    {"str", use_str},
    {"ascii", use_ascii},
    {"format", use_format},
    {"%R", use_percent},
    {"hash", use_hash},
    {"==", use_equal},
    {"<", use_less},
    {"iterate", use_iterate},
    {"call", use_call},
    {"call1", use_call_with_tuple},
    {"get", use_get},
    {"names", use_names},
    {"set", use_set},
    {"dir", use_dir},
    {"truth", use_truth},
    {"size", use_size},
    {"item", use_item},
    {"contains", use_contains},
    {"|", use_or},
    {"+", use_add},
    {"number", use_number},
    {"copy", use_copy},
    {"keys", use_keys},
    {"isinstance", use_isinstance},
    {"issubclass", use_issubclass},
    {"bind", use_bind},
    {"buffer", use_buffer},
    {"collect", use_collect},
};

/* ---- the sweep ---------------------------------------------------------------------------- */

static PyObject *
nest(PyObject *(*wrap)(PyObject *), PyObject *innermost)
{
    PyObject *op = innermost;
    for (int i = 0; i < DEPTH; i++) {
        PyObject *outer = wrap(op);
        REQUIRE_NOT_NULL(outer);
        Py_DECREF(op);
        op = outer;
    }
    return op;
}

/* Whether `name` is one of the words of `names`, with `mark` at its end. */
static bool
is_among(const char *names, const char *name, char mark)
{
    size_t length = strlen(name);
    for (const char *at = names; (at = strstr(at, name)) != NULL; at += length) {
        if ((at == names || at[-1] == ' ') &&
            (at[length] == mark || (mark == ' ' && at[length] == '\0'))) {
            return true;
        }
    }
    return false;
}

/* `recursive` names the protocols that must raise. A name with a question mark may raise: if a
 * function ends by calling the same slot of the object inside, an optimising compiler turns the
 * call into a jump, which takes no stack. */
static void
use_nested(PyObject *op, PyObject *same, const char *recursive)
{
    for (size_t i = 0; i < Py_ARRAY_LENGTH(protocols); i++) {
        int result = protocols[i].use(op, same);
        bool too_deep = result < 0 && PyErr_ExceptionMatches(PyExc_RecursionError);
        if (result < 0 && PyErr_ExceptionMatches(PyExc_MemoryError)) {
            test_fail(__FILE__, __LINE__, "%s: out of memory", protocols[i].name);
        }
        if (too_deep != is_among(recursive, protocols[i].name, ' ') &&
            !is_among(recursive, protocols[i].name, '?')) {
            test_fail(__FILE__, __LINE__, "%s: %s", protocols[i].name,
                      too_deep ? "RecursionError is not expected" : "no RecursionError");
        }
        PyErr_Clear();
    }
}

static void
sweep(PyObject *(*wrap)(PyObject *), PyObject *(*new_innermost)(void),
      const char *recursive)
{
    PyGC_Disable(); /* under OURO_STRESS each allocation would collect everything */
    name_x = PyUnicode_InternFromString("x");
    text_empty = PyUnicode_FromString("");
    PyObject *op = nest(wrap, new_innermost()), *same = nest(wrap, new_innermost());
    use_nested(op, same, recursive);
    Py_DECREF(op);
    Py_DECREF(same);
    Py_CLEAR(name_x);
    Py_CLEAR(text_empty);
}

static PyObject *
new_pair(void)
{
    return Py_BuildValue("(ii)", 1, 2);
}

static PyObject *
new_items(void)
{
    PyObject *items = new_pair();
    PyObject *iterator = PyObject_GetIter(items);
    Py_DECREF(items);
    return iterator;
}

static PyObject *
new_dict(void)
{
    return PyDict_New();
}

static PyObject *
new_function(void)
{
    return Py_NewRef(&PyTuple_Type);
}

static PyObject *
new_bytes(void)
{
    return PyBytes_FromString("bytes");
}

#define TEXT "repr str ascii format %R"

#define NESTING(label, wrap, innermost, recursive)                                       \
    TEST_PY(label, .stack = SMALL_STACK, .timeout = 120)                                 \
    {                                                                                    \
        sweep(wrap, innermost, recursive);                                               \
    }

NESTING(nested_lists_raise_or_work, in_list, new_pair, TEXT " == < contains")
NESTING(nested_tuples_raise_or_work, in_tuple, new_pair,
        TEXT " hash == < contains isinstance issubclass")
NESTING(nested_dicts_raise_or_work, in_dict, new_pair, TEXT " ==")
NESTING(nested_frozendicts_raise_or_work, in_frozendict, new_pair,
        TEXT " hash == contains")
NESTING(nested_dict_values_raise_or_work, in_values, new_pair, TEXT)
NESTING(nested_dict_items_raise_or_work, in_items, new_pair, TEXT " ==")
NESTING(nested_mapping_proxies_raise_or_work, in_mappingproxy, new_dict,
        TEXT " hash? == < iterate truth? size? item? contains? | copy keys buffer")
NESTING(nested_frozensets_raise_or_work, in_frozenset, new_pair, TEXT " == |")
NESTING(nested_slices_raise_or_work, in_slice, new_pair, TEXT " hash == <")
NESTING(nested_cells_raise_or_work, in_cell, new_pair, "== <")
NESTING(nested_exceptions_raise_or_work, in_exception, new_pair, TEXT)
NESTING(nested_enumerates_raise_or_work, in_enumerate, new_items,
        "iterate contains buffer")
NESTING(nested_aliases_of_aliases_raise_or_work, in_alias_origin, new_function,
        TEXT " hash == call call1 get names dir item copy keys")
NESTING(nested_arguments_of_aliases_raise_or_work, in_alias_args, new_function,
        TEXT " hash == names item")
NESTING(nested_methods_raise_or_work, in_method_function, new_function,
        TEXT " hash == call call1 get names dir copy keys isinstance issubclass")
NESTING(methods_bound_to_methods_raise_or_work, in_method_self, new_pair, TEXT)
NESTING(nested_instance_methods_raise_or_work, in_instance_method, new_function,
        TEXT " == call call1 get names dir copy keys isinstance issubclass")
NESTING(nested_static_methods_raise_or_work, in_staticmethod, new_function,
        TEXT " call call1 names")
NESTING(nested_class_methods_raise_or_work, in_classmethod, new_function, TEXT " names")
NESTING(nested_properties_raise_or_work, in_property, new_function, "names")
NESTING(nested_memoryviews_raise_or_work, in_memoryview, new_bytes, "")
NESTING(nested_call_iterators_raise_or_work, in_calliter, new_function, "")

/* ---- nesting of other kinds ----------------------------------------------------------------- */

/* This took half a minute with a quadratic search among the objects being printed. */
TEST_PY(printing_a_deep_list_fails_in_no_time, .stack = (size_t)64 << 20, .timeout = 20)
{
    if (getenv("OURO_FAULT_SITES") != NULL) {
        SKIP("each allocation is looked at from all frames of the stack");
    }
    PyGC_Disable();
    PyObject *list = nest(in_list, PyList_New(0));
    EXPECT_NULL(PyObject_Repr(list));
    EXPECT_RAISED(PyExc_RecursionError);
    Py_DECREF(list);
}
