/* SPDX-License-Identifier: MIT */
/* Built-in functions: every combination of METH_ flags, and what the collector sees of them. */
#include "../protocol.h"

static PyTypeObject *class_seen;

static PyObject *
show_noargs(PyObject *self, PyObject *ignored)
{
    EXPECT_NULL(ignored);
    return PyUnicode_FromFormat("%R", self);
}

static PyObject *
show_o(PyObject *self, PyObject *arg)
{
    return PyUnicode_FromFormat("%R %R", self, arg);
}

static PyObject *
show_keywords(PyObject *self, PyObject *args, PyObject *kwargs)
{
    return PyUnicode_FromFormat("%R %R %R", self, args, kwargs);
}

static PyObject *
show_fast(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    PyObject *tuple = PyTuple_FromArray(args, nargs);
    PyObject *result = PyUnicode_FromFormat("%R %R", self, tuple);
    Py_DECREF(tuple);
    return result;
}

static PyObject *
show_fast_keywords(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                   PyObject *kwnames)
{
    PyObject *shown = show_fast(self, args, nargs);
    PyObject *result = PyUnicode_FromFormat("%U %R", shown, kwnames);
    Py_DECREF(shown);
    return result;
}

static PyObject *
show_method(PyObject *self, PyTypeObject *cls, PyObject *const *args, Py_ssize_t nargs,
            PyObject *kwnames)
{
    class_seen = cls;
    return show_fast_keywords(self, args, nargs, kwnames);
}

static PyMethodDef defs[] = {
    {"noargs", show_noargs, METH_NOARGS, "takes nothing"},
    {"o", show_o, METH_O, NULL},
    {"varargs", show_o, METH_VARARGS, NULL},
    {"keywords", _PyCFunction_CAST(show_keywords), METH_VARARGS | METH_KEYWORDS, NULL},
    {"fast", _PyCFunction_CAST(show_fast), METH_FASTCALL, NULL},
    {"fastkw", _PyCFunction_CAST(show_fast_keywords), METH_FASTCALL | METH_KEYWORDS,
     NULL},
    {"method", _PyCFunction_CAST(show_method),
     METH_METHOD | METH_FASTCALL | METH_KEYWORDS, NULL},
};
enum { NOARGS, O, VARARGS, KEYWORDS, FAST, FASTKW, METHOD };

/* Call a new function for defs[which] with `nargs` times True and, if wanted, k=False. */
static PyObject *
call_def(int which, int nargs, bool keyword)
{
    PyTypeObject *cls = which == METHOD ? &PyList_Type : NULL;
    PyObject *f = PyCMethod_New(&defs[which], Py_None, NULL, cls);
    REQUIRE_NOT_NULL(f);
    PyObject *args[4] = {Py_True, Py_True, Py_True, Py_True};
    args[nargs] = Py_False;
    PyObject *names = PyTuple_New(1);
    PyTuple_SET_ITEM(names, 0, text("k"));
    PyObject *result =
        PyObject_Vectorcall(f, args, (size_t)nargs, keyword ? names : NULL);
    Py_DECREF(names);
    Py_DECREF(f);
    return result;
}

TEST_PY(every_shape_receives_its_arguments)
{
    EXPECT_REPR_OF(call_def(NOARGS, 0, false), "'None'");
    EXPECT_REPR_OF(call_def(O, 1, false), "'None True'");
    EXPECT_REPR_OF(call_def(VARARGS, 2, false), "'None (True, True)'");
    EXPECT_REPR_OF(call_def(KEYWORDS, 1, true), "\"None (True,) {'k': False}\"");
    EXPECT_REPR_OF(call_def(KEYWORDS, 0, false), "'None () <NULL>'");
    EXPECT_REPR_OF(call_def(FAST, 2, false), "'None (True, True)'");
    EXPECT_REPR_OF(call_def(FASTKW, 1, true), "\"None (True,) ('k',)\"");
    EXPECT_REPR_OF(call_def(FASTKW, 0, false), "'None () <NULL>'");
    EXPECT_REPR_OF(call_def(METHOD, 1, true), "\"None (True,) ('k',)\"");
    EXPECT_EQ(class_seen, &PyList_Type);
}

TEST_PY(a_wrong_number_of_arguments_names_the_function)
{
    EXPECT_NULL(call_def(NOARGS, 2, false));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "NoneType.noargs() takes no arguments (2 given)");
    EXPECT_NULL(call_def(O, 0, false));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "NoneType.o() takes exactly one argument (0 given)");
    EXPECT_NULL(call_def(FAST, 0, true));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "NoneType.fast() takes no keyword arguments");
    EXPECT_NULL(call_def(VARARGS, 0, true));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "NoneType.varargs() takes no keyword arguments");
}

TEST_PY(flags_that_name_no_shape_are_a_system_error)
{
    PyMethodDef bad = {"bad", show_o, METH_O | METH_NOARGS, NULL};
    EXPECT_NULL(PyCFunction_New(&bad, NULL));
    EXPECT_RAISED_TEXT(PyExc_SystemError, "bad() method: bad call flags");
    bad.ml_flags = 0;
    EXPECT_NULL(PyCFunction_New(&bad, NULL));
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_NULL(PyCFunction_New(&defs[METHOD], NULL));
    EXPECT_RAISED_TEXT(PyExc_SystemError,
                       "attempting to create PyCMethod with a METH_METHOD "
                       "flag but no class");
    EXPECT_NULL(PyCMethod_New(&defs[O], NULL, NULL, &PyList_Type));
    EXPECT_RAISED_TEXT(PyExc_SystemError,
                       "attempting to create PyCFunction with class but "
                       "no METH_METHOD flag");
}

static int visits;

static int
count_visits(PyObject *Py_UNUSED(o), void *Py_UNUSED(arg))
{
    visits++;
    return 0;
}

TEST_PY(functions_are_tracked_and_visit_self_module_and_class)
{
    PyObject *self = PyList_New(0), *module = PyList_New(0);
    PyObject *f = PyCMethod_New(&defs[METHOD], self, module, &PyList_Type);
    REQUIRE_NOT_NULL(f);
    EXPECT(PyCFunction_Check(f));
    EXPECT(!PyCFunction_CheckExact(f));
    EXPECT(PyCMethod_CheckExact(f));
    EXPECT_EQ(PyObject_GC_IsTracked(f), 1);
    EXPECT_EQ(Py_REFCNT(self), 2);
    EXPECT_EQ(Py_REFCNT(module), 2);
    EXPECT_EQ(Py_TYPE(f)->tp_traverse(f, count_visits, NULL), 0);
    EXPECT_EQ(visits, 3);
    Py_DECREF(f);
    EXPECT_EQ(Py_REFCNT(self), 1);
    EXPECT_EQ(Py_REFCNT(module), 1);
    Py_DECREF(self);
    Py_DECREF(module);
}

TEST_PY(a_function_in_a_cycle_with_its_self_is_collected)
{
    PyObject *self = PyList_New(0);
    PyObject *f = (PyCFunction_New)(&defs[O], self);
    PyList_Append(self, f);
    Py_DECREF(f);
    Py_DECREF(self);
    EXPECT_EQ(PyGC_Collect(), 2);
}

TEST_PY(functions_can_be_looked_into)
{
    PyMethodDef static_def = {"s", show_o, METH_O | METH_STATIC, NULL};
    PyObject *f = PyCFunction_NewEx(&defs[O], Py_True, Py_None);
    PyObject *s = (PyCFunction_NewEx)(&static_def, Py_True, NULL);
    EXPECT(PyCFunction_GetFunction(f) == show_o);
    EXPECT_EQ(PyCFunction_GetSelf(f), Py_True);
    EXPECT_EQ(PyCFunction_GetFlags(f), METH_O);
    EXPECT_NULL(PyCFunction_GetSelf(s));
    EXPECT_NO_ERROR();
    EXPECT(PyCFunction_GetFunction(Py_None) == NULL);
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_NULL(PyCFunction_GetSelf(Py_None));
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_EQ(PyCFunction_GetFlags(Py_None), -1);
    EXPECT_RAISED(PyExc_SystemError);
    Py_DECREF(f);
    Py_DECREF(s);
}

TEST_PY(functions_have_names_docs_and_equality)
{
    PyObject *self = PyList_New(0), *module = text("mod");
    PyObject *f = PyCFunction_New(&defs[NOARGS], self);
    PyObject *g = PyCFunction_New(&defs[NOARGS], self);
    PyObject *h = PyCFunction_NewEx(&defs[NOARGS], self, module);
    PyObject *other = PyCFunction_New(&defs[O], self);
    EXPECT_REPR_OF(PyObject_GetAttrString(f, "__name__"), "'noargs'");
    EXPECT_REPR_OF(PyObject_GetAttrString(f, "__qualname__"), "'list.noargs'");
    EXPECT_REPR_OF(PyObject_GetAttrString(h, "__qualname__"), "'noargs'");
    EXPECT_REPR_OF(PyObject_GetAttrString(h, "__module__"), "'mod'");
    EXPECT_REPR_OF(PyObject_GetAttrString(f, "__module__"), "None");
    EXPECT_REPR_OF(PyObject_GetAttrString(f, "__doc__"), "'takes nothing'");
    EXPECT_REPR_OF(PyObject_GetAttrString(other, "__doc__"), "None");
    EXPECT_REPR_OF(PyObject_GetAttrString(f, "__self__"), "[]");
    EXPECT_EQ(PyObject_RichCompareBool(f, g, Py_EQ), 1);
    EXPECT_EQ(PyObject_RichCompareBool(f, other, Py_NE), 1);
    EXPECT_EQ(PyObject_RichCompareBool(f, Py_None, Py_EQ), 0);
    EXPECT_EQ(PyObject_Hash(f), PyObject_Hash(g));
    EXPECT_REPR_OF(h, "<built-in function noargs>");
    PyObject *repr = PyObject_Repr(f);
    EXPECT_HAS(PyUnicode_AsUTF8(repr), "<built-in method noargs of list object at 0x");
    Py_DECREF(repr);
    Py_DECREF(f);
    Py_DECREF(g);
    Py_DECREF(other);
    Py_DECREF(module);
    Py_DECREF(self);
}

TEST_PY(functions_support_weak_references)
{
    PyObject *f = PyCFunction_New(&defs[O], NULL);
    PyObject *ref = PyWeakref_NewRef(f, NULL);
    REQUIRE_NOT_NULL(ref);
    EXPECT_EQ(PyWeakref_IsDead(ref), 0);
    Py_DECREF(f);
    EXPECT_EQ(PyWeakref_IsDead(ref), 1);
    Py_DECREF(ref);
}

static PyObject *
new_function_called(void)
{
    PyObject *f = PyCFunction_New(&defs[KEYWORDS], Py_None);
    PyObject *result = f == NULL ? NULL : PyObject_CallOneArg(f, Py_True);
    Py_XDECREF(f);
    return result;
}

TEST_PY(a_function_survives_any_failing_allocation)
{
    fail_each_allocation(new_function_called);
}
