/* SPDX-License-Identifier: MIT */
/* memoryview. */
#include "../protocol.h"

TEST_PY(a_memoryview_shows_the_memory_of_its_base)
{
    PyObject *b = PyBytes_FromString("abc"), *m = PyMemoryView_FromObject(b);
    REQUIRE_NOT_NULL(m);
    EXPECT_EQ(PyMemoryView_Check(m), 1);
    EXPECT_EQ(PyMemoryView_GET_BASE(m), b);
    EXPECT_EQ(PyMemoryView_GET_BUFFER(m)->buf, PyBytes_AS_STRING(b));
    EXPECT_EQ(PyObject_Size(m), 3);
    EXPECT_REPR_OF(PySequence_List(m), "[97, 98, 99]");
    EXPECT_REPR_OF(PyObject_CallMethod(m, "tobytes", NULL), "b'abc'");
    EXPECT_EQ(PyObject_RichCompareBool(m, b, Py_EQ), 1);
    EXPECT_REPR_OF(PyObject_GetAttrString(m, "readonly"), "True");
    EXPECT_REPR_OF(PyObject_GetAttrString(m, "format"), "'B'");
    EXPECT_REPR_OF(PyObject_GetAttrString(m, "shape"), "(3,)");
    EXPECT_REPR_OF(PyObject_GetAttrString(m, "strides"), "(1,)");
    EXPECT_REPR_OF(PyObject_GetAttrString(m, "suboffsets"), "()");
    EXPECT_REPR_OF(PyObject_GetAttrString(m, "nbytes"), "3");
    EXPECT_REPR_OF(PyObject_GetAttrString(m, "itemsize"), "1");
    EXPECT_REPR_OF(PyObject_GetAttrString(m, "ndim"), "1");
    EXPECT_EQ(PySequence_SetItem(m, 0, m), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "cannot modify read-only memory");
    EXPECT_NULL(PySequence_GetItem(m, 3));
    EXPECT_RAISED(PyExc_IndexError);
    Py_DECREF(m);
    EXPECT_EQ(Py_REFCNT(b), 1);
    Py_DECREF(b);
    EXPECT_NULL(PyMemoryView_FromObject(Py_None));
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "memoryview: a bytes-like object is required, not 'NoneType'");
}

TEST_PY(writable_memory_is_written_through)
{
    PyObject *a = PyByteArray_FromStringAndSize("abc", 3), *x = number('x');
    PyObject *m = PyObject_CallOneArg((PyObject *)&PyMemoryView_Type, a);
    EXPECT_EQ(PySequence_SetItem(m, -1, x), 0);
    EXPECT_EQ(PyObject_SetItem(m, Py_False, x), 0);
    EXPECT_REPR_OF(Py_NewRef(a), "bytearray(b'xbx')");
    PyObject *large = number(256);
    EXPECT_EQ(PySequence_SetItem(m, 0, large), -1);
    EXPECT_RAISED_TEXT(PyExc_ValueError, "memoryview: invalid value for format 'B'");
    EXPECT_EQ(PySequence_DelItem(m, 0), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError, "cannot delete memory");
    EXPECT_NULL(PyObject_GetItem(m, m));
    EXPECT_RAISED_TEXT(PyExc_TypeError, "memoryview: invalid slice key");
    Py_DECREF(large);
    Py_DECREF(m);
    Py_DECREF(x);
    Py_DECREF(a);
}

TEST_PY(memory_without_an_object_can_be_viewed)
{
    char memory[] = "abc";
    PyObject *m = PyMemoryView_FromMemory(memory, 3, PyBUF_WRITE), *x = number('x');
    EXPECT_NULL(PyMemoryView_GET_BASE(m));
    EXPECT_REPR_OF(PyObject_GetAttrString(m, "obj"), "None");
    EXPECT_EQ(PySequence_SetItem(m, 0, x), 0);
    EXPECT_STR(memory, "xbc");
    Py_DECREF(m);
    m = PyMemoryView_FromMemory(memory, 3, PyBUF_READ);
    EXPECT_EQ(PySequence_SetItem(m, 0, x), -1);
    EXPECT_RAISED(PyExc_TypeError);
    Py_DECREF(m);
    EXPECT_NULL(PyMemoryView_FromMemory(NULL, 3, PyBUF_READ));
    EXPECT_RAISED(PyExc_SystemError);
    Py_DECREF(x);
}

TEST_PY(a_buffer_can_be_viewed)
{
    short numbers[] = {1, 2};
    char bytes[] = "ab";
    Py_ssize_t shape[] = {2}, strides[] = {sizeof(short)};
    Py_buffer info = {.buf = numbers,
                      .len = sizeof(numbers),
                      .itemsize = sizeof(short),
                      .ndim = 1,
                      .format = "h",
                      .shape = shape,
                      .strides = strides};
    PyObject *m = PyMemoryView_FromBuffer(&info);
    EXPECT_EQ(PyObject_Size(m), 2);
    EXPECT_NULL(PySequence_GetItem(m, 0));
    EXPECT_RAISED(PyExc_NotImplementedError);
    Py_DECREF(m);
    EXPECT_EQ(PyBuffer_FillInfo(&info, NULL, bytes, 2, 1, PyBUF_FULL_RO), 0);
    m = PyMemoryView_FromBuffer(&info);
    memset(&info, 0xff, sizeof(info)); /* the view does not point at it */
    EXPECT_REPR_OF(PySequence_List(m), "[97, 98]");
    Py_DECREF(m);
    info.buf = NULL;
    EXPECT_NULL(PyMemoryView_FromBuffer(&info));
    EXPECT_RAISED_TEXT(PyExc_ValueError,
                       "PyMemoryView_FromBuffer(): info->buf must not be NULL");
}

TEST_PY(a_released_memoryview_lets_go)
{
    PyObject *a = PyByteArray_FromStringAndSize("abc", 3),
             *m = PyMemoryView_FromObject(a);
    PyObject *second = PyMemoryView_FromObject(m);
    EXPECT_EQ(PyMemoryView_GET_BASE(second), a);
    EXPECT_EQ(PyByteArray_Resize(a, 9), -1);
    EXPECT_RAISED(PyExc_BufferError);
    EXPECT_NULL(PyObject_CallMethod(m, "release", NULL));
    EXPECT_RAISED_TEXT(PyExc_BufferError, "memoryview has 1 exported buffer");
    EXPECT_REPR_OF(PyObject_CallMethod(second, "release", NULL), "None");
    EXPECT_REPR_OF(PyObject_CallMethod(m, "release", NULL), "None");
    EXPECT_REPR_OF(PyObject_CallMethod(m, "release", NULL), "None");
    EXPECT_EQ(Py_REFCNT(a), 1);
    EXPECT_EQ(PyByteArray_Resize(a, 9), 0);
    EXPECT_EQ(PyObject_Size(m), -1);
    EXPECT_RAISED_TEXT(PyExc_ValueError,
                       "operation forbidden on released memoryview object");
    EXPECT_NULL(PySequence_GetItem(m, 0));
    EXPECT_RAISED(PyExc_ValueError);
    EXPECT_NULL(PyObject_CallMethod(m, "tobytes", NULL));
    EXPECT_RAISED(PyExc_ValueError);
    EXPECT_NULL(PyObject_GetAttrString(m, "nbytes"));
    EXPECT_RAISED(PyExc_ValueError);
    Py_DECREF(second);
    Py_DECREF(m);
    Py_DECREF(a);
}

TEST_PY(requests_are_checked)
{
    PyObject *b = PyBytes_FromString("abc"), *m = PyMemoryView_FromObject(b);
    Py_buffer view;
    EXPECT_EQ(PyObject_GetBuffer(m, &view, PyBUF_WRITABLE), -1);
    EXPECT_RAISED_TEXT(PyExc_BufferError,
                       "memoryview: underlying buffer is not writable");
    EXPECT_EQ(PyObject_GetBuffer(m, &view, PyBUF_SIMPLE), 0);
    EXPECT_NULL(view.shape);
    EXPECT_NULL(view.strides);
    EXPECT_EQ(view.obj, m);
    PyBuffer_Release(&view);
    char memory[] = "abcd";
    Py_ssize_t shape[] = {2}, strides[] = {2};
    Py_buffer info = {.buf = memory,
                      .len = 2,
                      .itemsize = 1,
                      .ndim = 1,
                      .shape = shape,
                      .strides = strides};
    Py_SETREF(m, PyMemoryView_FromBuffer(&info));
    EXPECT_EQ(PyObject_GetBuffer(m, &view, PyBUF_SIMPLE), -1);
    EXPECT_RAISED_TEXT(PyExc_BufferError,
                       "memoryview: underlying buffer is not C-contiguous");
    EXPECT_REPR_OF(PyObject_CallMethod(m, "tobytes", NULL), "b'ac'");
    EXPECT_REPR_OF(PySequence_List(m), "[97, 99]");
    Py_DECREF(m);
    Py_DECREF(b);
}

/* An exporter that can be part of a cycle with its view. */
struct holder {
    PyObject_HEAD
    PyObject *held;
    char byte;
};

static int
holder_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(((struct holder *)self)->held);
    Py_VISIT(Py_TYPE(self));
    return 0;
}

static int
holder_clear(PyObject *self)
{
    Py_CLEAR(((struct holder *)self)->held);
    return 0;
}

static void
holder_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    holder_clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static int
holder_getbuffer(PyObject *self, Py_buffer *view, int flags)
{
    return PyBuffer_FillInfo(view, self, &((struct holder *)self)->byte, 1, 0, flags);
}

static PyType_Slot holder_slots[] = {
    {Py_tp_traverse, holder_traverse},
    {Py_tp_clear, holder_clear},
    {Py_tp_dealloc, holder_dealloc},
    {Py_bf_getbuffer, holder_getbuffer},
    {0, NULL},
};
static PyType_Spec holder_spec = {"test.Holder", sizeof(struct holder), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, holder_slots};

TEST_PY(a_cycle_through_a_view_is_collected)
{
    PyObject *type = PyType_FromSpec(&holder_spec);
    struct holder *h = (struct holder *)PyObject_CallNoArgs(type);
    PyObject *m = PyMemoryView_FromObject((PyObject *)h);
    h->held = PyMemoryView_FromObject(m);
    Py_DECREF(m);
    Py_DECREF(h);
    Py_DECREF(type);
    EXPECT_GE(PyGC_Collect(), 3);
}

static PyObject *
view_twice(void)
{
    PyObject *b = PyBytes_FromString("abc");
    PyObject *m = b == NULL ? NULL : PyMemoryView_FromObject(b);
    PyObject *second = m == NULL ? NULL : PyMemoryView_FromObject(m);
    PyObject *bytes =
        second == NULL ? NULL : PyObject_CallMethod(second, "tobytes", NULL);
    Py_XDECREF(second);
    Py_XDECREF(m);
    Py_XDECREF(b);
    return bytes;
}

TEST_PY(memoryviews_survive_each_allocation_failing)
{
    fail_each_allocation(view_twice);
    repeat_without_leak(view_twice);
}
