/* SPDX-License-Identifier: MIT */
/* Classes with special methods: the slots dispatch to them. */
#include "special.h"

/* What the methods below return: a new reference to `answer`, or NULL. */
static PyObject *answer;

static PyObject *
give_answer(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(args))
{
    return Py_XNewRef(answer);
}

static PyObject *
give_self(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    return Py_NewRef(self);
}

/* An instance of a class with one method that gives the answer. */
static PyObject *
instance_with(const char *name, int flags)
{
    static PyMethodDef method[2];
    method[0] = (PyMethodDef){name, give_answer, flags, NULL};
    PyTypeObject *type = class_with_methods("C", NULL, method);
    PyObject *op = type == NULL ? NULL : PyObject_CallNoArgs((PyObject *)type);
    Py_XDECREF(type);
    return op;
}

TEST_PY(repr_and_str_of_an_instance_are_what_the_methods_say)
{
    answer = text("me");
    PyObject *op = instance_with("__repr__", METH_NOARGS);
    EXPECT_REPR_OF(Py_NewRef(op), "me");
    PyObject *str = PyObject_Str(op); /* object.__str__ asks for the repr */
    EXPECT_STR(PyUnicode_AsUTF8(str), "me");
    Py_DECREF(str);
    Py_DECREF(op);
    op = instance_with("__str__", METH_NOARGS);
    str = PyObject_Str(op);
    EXPECT_STR(PyUnicode_AsUTF8(str), "me");
    Py_DECREF(str);
    Py_DECREF(op);
    Py_SETREF(answer, number(1));
    op = instance_with("__repr__", METH_NOARGS);
    EXPECT_NULL(PyObject_Repr(op));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "__repr__ returned non-string (type int)");
    Py_DECREF(op);
    Py_CLEAR(answer);
}

TEST_PY(the_hash_is_an_integer_of_any_size)
{
    PyObject *op = instance_with("__hash__", METH_NOARGS);
    answer = number(77);
    EXPECT_EQ(PyObject_Hash(op), 77);
    Py_SETREF(answer, number(-1));
    EXPECT_EQ(PyObject_Hash(op), -2);
    Py_SETREF(answer, PyLong_FromString("100000000000000000000000000", NULL, 10));
    EXPECT_EQ(PyObject_Hash(op), PyObject_Hash(answer));
    Py_SETREF(answer, text("a"));
    EXPECT_EQ(PyObject_Hash(op), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "__hash__ method should return an integer");
    Py_CLEAR(answer);
    Py_DECREF(op);
}

TEST_PY(a_class_with_eq_and_no_hash_is_unhashable)
{
    answer = Py_True;
    PyObject *op = instance_with("__eq__", METH_O);
    EXPECT_EQ(PyObject_RichCompareBool(op, Py_None, Py_EQ), 1);
    EXPECT_EQ(PyObject_RichCompareBool(op, Py_None, Py_NE), 0); /* the opposite */
    EXPECT_EQ(own_attribute(Py_TYPE(op), "__hash__"), Py_None);
    EXPECT_EQ(PyObject_Hash(op), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "unhashable type: 'C'");
    EXPECT_NULL(PyObject_RichCompare(op, Py_None, Py_LT));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "'<' not supported between instances of 'C' and 'NoneType'");
    Py_DECREF(op);
}

TEST_PY(each_comparison_has_its_method)
{
    static const char *const names[] = {"__lt__", "__le__", "__eq__",
                                        "__ne__", "__gt__", "__ge__"};
    for (int op = Py_LT; op <= Py_GE; op++) {
        answer = text(names[op]);
        PyObject *instance = instance_with(names[op], METH_O);
        EXPECT_IS(PyObject_RichCompare(instance, Py_None, op), answer);
        Py_DECREF(instance);
        Py_CLEAR(answer);
    }
}

TEST_PY(an_instance_is_called_with_all_arguments)
{
    PyObject *op = instance_with("__call__", METH_VARARGS | METH_KEYWORDS);
    answer = number(5);
    PyObject *key = text("x");
    PyObject *names = PyTuple_Pack(1, key);
    PyObject *args[] = {op, op, op, op, op, op};
    EXPECT_INT(PyObject_Vectorcall(op, args, 5, names), 5);
    EXPECT_INT(PyObject_CallNoArgs(op), 5);
    Py_DECREF(names);
    Py_DECREF(key);
    Py_DECREF(op);
    Py_CLEAR(answer);
}

/* Memory with a mark behind its end. */
struct marked {
    PyMemAllocatorEx before;
    char *end; /* of the last block */
    int blocks;
};

#define MARK 0x5A

static void *
allocate_marked(void *context, size_t size)
{
    struct marked *marked = context;
    char *block = marked->before.malloc(marked->before.ctx, size + sizeof(void *));
    if (block != NULL) {
        memset(block + size, MARK, sizeof(void *));
        marked->end = block + size;
        marked->blocks++;
    }
    return block;
}

static void
free_marked(void *context, void *block)
{
    struct marked *marked = context;
    for (size_t i = 0; marked->end != NULL && i < sizeof(void *); i++) {
        EXPECT_EQ(marked->end[i], MARK);
    }
    marked->end = NULL;
    marked->before.free(marked->before.ctx, block);
}

TEST_PY(a_call_with_many_arguments_writes_no_further_than_the_last)
{
    struct marked marked = {.end = NULL};
    PyObject *op = instance_with("__call__", METH_VARARGS);
    PyObject *args = Py_BuildValue("(iiiiiiiii)", 1, 2, 3, 4, 5, 6, 7, 8, 9);
    answer = Py_None;
    PyMem_GetAllocator(PYMEM_DOMAIN_MEM, &marked.before);
    PyMemAllocatorEx allocator = marked.before;
    allocator.ctx = &marked;
    allocator.malloc = allocate_marked;
    allocator.free = free_marked;
    PyMem_SetAllocator(PYMEM_DOMAIN_MEM, &allocator);
    EXPECT_EQ(Py_TYPE(op)->tp_call(op, args, NULL), Py_None);
    PyMem_SetAllocator(PYMEM_DOMAIN_MEM, &marked.before);
    EXPECT_EQ(marked.blocks, 1);
    EXPECT_NULL(marked.end); /* the mark was checked */
    Py_DECREF(args);
    Py_DECREF(op);
}

TEST_PY(iter_and_next_are_methods)
{
    static PyMethodDef methods[] = {{"__iter__", give_self, METH_NOARGS, NULL},
                                    {"__next__", give_answer, METH_NOARGS, NULL},
                                    {NULL, NULL, 0, NULL}};
    PyTypeObject *type = class_with_methods("C", NULL, methods);
    PyObject *op = PyObject_CallNoArgs((PyObject *)type);
    answer = number(3);
    EXPECT_IS(PyObject_GetIter(op), op);
    EXPECT(PyIter_Check(op));
    EXPECT_INT(PyIter_Next(op), 3);
    EXPECT_EQ(PyObject_DelAttrString((PyObject *)type, "__next__"), 0);
    EXPECT(!PyIter_Check(op));
    EXPECT_NULL(PyObject_GetIter(op));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "iter() returned non-iterator of type 'C'");
    EXPECT_EQ(PyObject_SetAttrString((PyObject *)type, "__iter__", Py_None), 0);
    EXPECT_NULL(PyObject_GetIter(op));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "'C' object is not iterable");
    Py_DECREF(op);
    Py_DECREF(type);
    Py_CLEAR(answer);
}

TEST_PY(getitem_makes_instances_iterable)
{
    PyObject *op = instance_with("__getitem__", METH_O);
    PyObject *iterator = PyObject_GetIter(op);
    EXPECT(iterator != NULL && PySeqIter_Check(iterator));
    Py_XDECREF(iterator);
    Py_DECREF(op);
}

TEST_PY(init_must_return_None)
{
    static PyMethodDef methods[] = {{"__init__", give_answer, METH_VARARGS, NULL},
                                    {NULL, NULL, 0, NULL}};
    PyTypeObject *type = class_with_methods("C", NULL, methods);
    answer = Py_None;
    PyObject *op = PyObject_CallOneArg((PyObject *)type, Py_True);
    REQUIRE_NOT_NULL(op);
    PyObject *none = PyTuple_New(0);
    EXPECT_EQ(type->tp_init(op, none, NULL), 0);
    Py_DECREF(none);
    Py_DECREF(op);
    answer = number(1);
    EXPECT_NULL(PyObject_CallOneArg((PyObject *)type, Py_True));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "__init__() should return None, not 'int'");
    Py_CLEAR(answer);
    Py_DECREF(type);
}

static PyObject *
new_gives_answer(PyObject *Py_UNUSED(self), PyObject *args)
{
    EXPECT_EQ(PyTuple_GET_SIZE(args), 2); /* the type, and what it was called with */
    return Py_NewRef(answer);
}

TEST_PY(new_gets_the_type_and_the_arguments)
{
    static PyMethodDef def = {"__new__", new_gives_answer, METH_VARARGS, NULL};
    PyTypeObject *type = class_with_methods("C", NULL, NULL);
    PyObject *function = PyCFunction_New(&def, NULL);
    EXPECT_EQ(PyObject_SetAttrString((PyObject *)type, "__new__", function), 0);
    answer = text("new");
    EXPECT_IS(PyObject_CallOneArg((PyObject *)type, Py_None), answer);
    EXPECT_EQ(PyObject_DelAttrString((PyObject *)type, "__new__"), 0);
    EXPECT_EQ(type->tp_new, PyBaseObject_Type.tp_new);
    Py_DECREF(function);
    Py_DECREF(type);
    Py_CLEAR(answer);
}

/* --- __del__ -------------------------------------------------------------------------------- */

static int deletions;

static PyObject *
count_deletion(PyObject *Py_UNUSED(self), PyObject *Py_UNUSED(ignored))
{
    deletions++;
    if (answer == NULL) {
        PyErr_SetString(PyExc_ValueError, "in del");
    }
    return Py_XNewRef(answer);
}

static PyMethodDef del_methods[] = {{"__del__", count_deletion, METH_NOARGS, NULL},
                                    {NULL, NULL, 0, NULL}};

TEST_PY(del_runs_once_before_an_instance_dies)
{
    PyTypeObject *type = class_with_methods("C", NULL, del_methods);
    answer = Py_None;
    Py_DECREF(PyObject_CallNoArgs((PyObject *)type));
    EXPECT_EQ(deletions, 1);
    PyObject *op = PyObject_CallNoArgs((PyObject *)type);
    PyObject_SetAttrString(op, "self", op);
    Py_DECREF(op);
    PyGC_Collect();
    EXPECT_EQ(deletions, 2);
    Py_DECREF(type);
}

TEST_PY(what_del_returns_is_released)
{
    PyTypeObject *type = class_with_methods("C", NULL, del_methods);
    answer = PyList_New(0);
    Py_DECREF(PyObject_CallNoArgs((PyObject *)type));
    EXPECT_EQ(deletions, 1);
    EXPECT_EQ(Py_REFCNT(answer), 1);
    Py_CLEAR(answer);
    Py_DECREF(type);
}

TEST_PY(an_exception_in_del_is_reported, .stderr_has = "ValueError: in del")
{
    PyTypeObject *type = class_with_methods("C", NULL, del_methods);
    PyErr_SetString(PyExc_KeyError, "pending");
    PyObject *pending = PyErr_GetRaisedException();
    PyObject *op = PyObject_CallNoArgs((PyObject *)type);
    PyErr_SetRaisedException(pending);
    Py_DECREF(op);
    EXPECT_EQ(deletions, 1);
    EXPECT_RAISED(PyExc_KeyError);
    Py_DECREF(type);
}

TEST_PY(an_exception_in_del_is_reported_with_the_method,
        .stderr_has = "while calling deallocator <method")
{
    PyTypeObject *type = class_with_methods("C", NULL, del_methods);
    Py_DECREF(PyObject_CallNoArgs((PyObject *)type));
    EXPECT_EQ(deletions, 1);
    Py_DECREF(type);
}

TEST_PY(what_eq_returns_for_a_comparison_with_ne_is_released)
{
    PyObject *op = instance_with("__eq__", METH_VARARGS);
    answer = PyList_New(0);
    EXPECT_IS(PyObject_RichCompare(op, Py_None, Py_NE),
              Py_True); /* an empty list is false */
    EXPECT_EQ(Py_REFCNT(answer), 1);
    Py_CLEAR(answer);
    Py_DECREF(op);
}

/* --- async ------------------------------------------------------------------------------------ */

TEST_PY(the_async_slots_dispatch)
{
    static const char *const names[] = {"__await__", "__aiter__", "__anext__"};
    answer = number(1);
    for (int i = 0; i < 3; i++) {
        PyObject *op = instance_with(names[i], METH_NOARGS);
        PyAsyncMethods *m = Py_TYPE(op)->tp_as_async;
        unaryfunc slots[] = {m->am_await, m->am_aiter, m->am_anext};
        REQUIRE_NOT_NULL(slots[i]);
        EXPECT_INT(slots[i](op), 1);
        unaryfunc kept = slots[i];
        PyObject_DelAttrString((PyObject *)Py_TYPE(op), names[i]);
        EXPECT_NULL(kept(op));
        char expected[80];
        snprintf(expected, sizeof expected, "object C does not have %s method", names[i]);
        EXPECT_RAISED_TEXT(PyExc_TypeError, expected);
        Py_DECREF(op);
    }
    Py_CLEAR(answer);
}

/* --- how methods are found ------------------------------------------------------------------------ */

TEST_PY(a_built_in_function_is_called_without_self)
{
    static PyMethodDef def = {"__len__", give_answer, METH_NOARGS, NULL};
    PyTypeObject *type = class_with_methods("C", NULL, NULL);
    PyObject *function = PyCFunction_New(&def, NULL);
    PyObject_SetAttrString((PyObject *)type, "__len__", function);
    PyObject *op = PyObject_CallNoArgs((PyObject *)type);
    answer = number(4);
    EXPECT_EQ(PyObject_Size(op), 4);
    Py_CLEAR(answer);
    Py_DECREF(op);
    Py_DECREF(function);
    Py_DECREF(type);
}

TEST_PY(methods_of_the_instance_are_not_special)
{
    static PyMethodDef def = {"__repr__", give_answer, METH_NOARGS, NULL};
    PyTypeObject *type = class_with_methods("C", NULL, NULL);
    PyObject *op = PyObject_CallNoArgs((PyObject *)type);
    PyObject *function = PyCFunction_New(&def, NULL);
    PyObject_SetAttrString(op, "__repr__", function);
    PyObject *repr = PyObject_Repr(op);
    EXPECT_HAS(PyUnicode_AsUTF8(repr), "<C object at");
    Py_DECREF(repr);
    Py_DECREF(function);
    Py_DECREF(op);
    Py_DECREF(type);
}

static PyObject *
use_a_class_of_the_run(void)
{
    static PyMethodDef methods[] = {{"__repr__", give_answer, METH_NOARGS, NULL},
                                    {"__call__", give_answer, METH_VARARGS, NULL},
                                    {"__init__", give_answer, METH_VARARGS, NULL},
                                    {NULL, NULL, 0, NULL}};
    PyTypeObject *type = class_with_methods("C", NULL, methods);
    PyObject *op = type == NULL ? NULL : PyObject_CallNoArgs((PyObject *)type);
    PyObject *result = op == NULL ? NULL : PyObject_CallNoArgs(op);
    Py_XDECREF(op);
    Py_XDECREF(type);
    return result;
}

TEST_PY(using_a_class_leaves_nothing_behind)
{
    answer = Py_None;
    repeat_without_leak(use_a_class_of_the_run);
}
