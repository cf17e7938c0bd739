/* SPDX-License-Identifier: MIT */
/* Views of the memory of objects. */
#include "../protocol.h"

/* An exporter of eight bytes that counts its views. */
struct exporter {
    PyObject_HEAD
    char bytes[8];
    int views;
    int releases;
    bool raise_on_release;
};

static int
exporter_getbuffer(PyObject *self, Py_buffer *view, int flags)
{
    struct exporter *e = (struct exporter *)self;
    e->views++;
    return PyBuffer_FillInfo(view, self, e->bytes, sizeof(e->bytes), 0, flags);
}

static void
exporter_releasebuffer(PyObject *self, Py_buffer *Py_UNUSED(view))
{
    struct exporter *e = (struct exporter *)self;
    e->releases++;
    if (e->raise_on_release) {
        PyErr_SetString(PyExc_ValueError, "from releasing");
    }
}

static PyType_Slot exporter_slots[] = {
    {Py_bf_getbuffer, exporter_getbuffer},
    {Py_bf_releasebuffer, exporter_releasebuffer},
    {0, NULL},
};
static PyType_Spec exporter_spec = {"test.Exporter", sizeof(struct exporter), 0,
                                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                                    exporter_slots};

static struct exporter *
new_exporter(void)
{
    PyObject *type = PyType_FromSpec(&exporter_spec);
    PyObject *o = PyObject_CallNoArgs(type);
    Py_DECREF(type);
    return (struct exporter *)o;
}

TEST_PY(a_view_holds_its_exporter_until_it_is_released)
{
    struct exporter *e = new_exporter();
    Py_buffer view;
    EXPECT_EQ(PyObject_CheckBuffer((PyObject *)e), 1);
    EXPECT_EQ(PyObject_GetBuffer((PyObject *)e, &view, PyBUF_SIMPLE), 0);
    EXPECT_EQ(Py_REFCNT(e), 2);
    EXPECT_EQ(view.buf, e->bytes);
    EXPECT_EQ(view.len, 8);
    EXPECT_EQ(e->releases, 0);
    PyBuffer_Release(&view);
    EXPECT_EQ(e->releases, 1);
    EXPECT_EQ(Py_REFCNT(e), 1);
    PyBuffer_Release(&view);
    EXPECT_EQ(e->releases, 1);
    Py_DECREF(e);
}

TEST_PY(subclasses_export_like_their_base)
{
    PyObject *type = PyType_FromSpec(&exporter_spec);
    PyObject *name = text("Sub"), *bases = PyTuple_Pack(1, type), *dict = PyDict_New();
    PyObject *sub =
        PyObject_CallFunctionObjArgs((PyObject *)&PyType_Type, name, bases, dict, NULL);
    REQUIRE_NOT_NULL(sub);
    struct exporter *e = (struct exporter *)PyObject_CallNoArgs(sub);
    REQUIRE_NOT_NULL(e);
    Py_buffer view;
    EXPECT_EQ(PyObject_GetBuffer((PyObject *)e, &view, PyBUF_WRITABLE), 0);
    PyBuffer_Release(&view);
    EXPECT_EQ(e->views, 1);
    EXPECT_EQ(e->releases, 1);
    Py_DECREF(e);
    Py_DECREF(sub);
    Py_DECREF(dict);
    Py_DECREF(bases);
    Py_DECREF(name);
    Py_DECREF(type);
}

TEST_PY(releasing_keeps_the_pending_exception)
{
    struct exporter *e = new_exporter();
    Py_buffer view;
    EXPECT_EQ(PyObject_GetBuffer((PyObject *)e, &view, PyBUF_SIMPLE), 0);
    e->raise_on_release = true;
    PyErr_SetString(PyExc_KeyError, "pending");
    capture_stderr_begin();
    PyBuffer_Release(&view);
    char *said = capture_stderr_end();
    EXPECT_HAS(said, "ValueError: from releasing");
    free(said);
    EXPECT_RAISED(PyExc_KeyError);
    Py_DECREF(e);
}

TEST_PY(not_every_object_has_a_buffer)
{
    Py_buffer view;
    EXPECT_EQ(PyObject_CheckBuffer(Py_None), 0);
    EXPECT_EQ(PyObject_GetBuffer(Py_None, &view, PyBUF_SIMPLE), -1);
    EXPECT_RAISED_TEXT(PyExc_TypeError,
                       "a bytes-like object is required, not 'NoneType'");
    EXPECT_EQ(PyObject_GetBuffer(NULL, &view, PyBUF_SIMPLE), -1);
    EXPECT_RAISED(PyExc_SystemError);
    EXPECT_EQ(PyObject_GetBuffer(Py_None, &view, PyBUF_READ), -1);
    EXPECT_RAISED(PyExc_SystemError);
}

TEST_PY(bytes_have_a_read_only_buffer)
{
    PyObject *b = PyBytes_FromString("content");
    Py_buffer view;
    EXPECT_EQ(PyObject_GetBuffer(b, &view, PyBUF_SIMPLE), 0);
    EXPECT_EQ(view.len, 7);
    EXPECT_EQ(view.readonly, 1);
    EXPECT_EQ(memcmp(view.buf, "content", 7), 0);
    PyBuffer_Release(&view);
    EXPECT_EQ(PyObject_GetBuffer(b, &view, PyBUF_WRITABLE), -1);
    EXPECT_RAISED_TEXT(PyExc_BufferError, "Object is not writable.");
    EXPECT_NULL(view.obj);
    Py_DECREF(b);
}

TEST_PY(a_view_tells_what_was_asked_for)
{
    char memory[4];
    Py_buffer view;
    EXPECT_EQ(PyBuffer_FillInfo(&view, NULL, memory, 4, 0, PyBUF_SIMPLE), 0);
    EXPECT_NULL(view.obj);
    EXPECT_NULL(view.format);
    EXPECT_NULL(view.shape);
    EXPECT_NULL(view.strides);
    EXPECT_NULL(view.suboffsets);
    EXPECT_EQ(view.itemsize, 1);
    EXPECT_EQ(view.ndim, 1);
    EXPECT_EQ(PyBuffer_FillInfo(&view, NULL, memory, 4, 0, PyBUF_FULL), 0);
    EXPECT_STR(view.format, "B");
    EXPECT_EQ(view.shape[0], 4);
    EXPECT_EQ(view.strides[0], 1);
    PyBuffer_Release(&view);
    EXPECT_EQ(PyBuffer_FillInfo(&view, NULL, memory, 4, 0, PyBUF_ND), 0);
    EXPECT_EQ(view.shape[0], 4);
    EXPECT_NULL(view.strides);
    EXPECT_EQ(PyBuffer_FillInfo(NULL, NULL, memory, 4, 0, 0), -1);
    EXPECT_RAISED(PyExc_SystemError);
}

TEST(contiguity_follows_from_shape_and_strides)
{
    Py_ssize_t shape[] = {2, 3}, c_strides[] = {12, 4}, f_strides[] = {4, 8};
    Py_buffer view = {.len = 24, .itemsize = 4, .ndim = 2, .shape = shape};
    EXPECT_EQ(PyBuffer_IsContiguous(&view, 'C'), 1);
    EXPECT_EQ(PyBuffer_IsContiguous(&view, 'F'), 0);
    view.strides = c_strides;
    EXPECT_EQ(PyBuffer_IsContiguous(&view, 'C'), 1);
    EXPECT_EQ(PyBuffer_IsContiguous(&view, 'F'), 0);
    EXPECT_EQ(PyBuffer_IsContiguous(&view, 'A'), 1);
    view.strides = f_strides;
    EXPECT_EQ(PyBuffer_IsContiguous(&view, 'C'), 0);
    EXPECT_EQ(PyBuffer_IsContiguous(&view, 'F'), 1);
    EXPECT_EQ(PyBuffer_IsContiguous(&view, 'A'), 1);
    EXPECT_EQ(PyBuffer_IsContiguous(&view, '?'), 0);
    f_strides[0] = 8;
    EXPECT_EQ(PyBuffer_IsContiguous(&view, 'A'), 0);
    Py_ssize_t suboffsets[] = {0, -1};
    view.strides = c_strides;
    view.suboffsets = suboffsets;
    EXPECT_EQ(PyBuffer_IsContiguous(&view, 'C'), 0);
}

TEST(items_are_found_by_their_indices)
{
    Py_ssize_t shape[] = {2, 3}, strides[2], indices[] = {1, 2};
    char memory[6];
    Py_buffer view = {.buf = memory, .len = 6, .itemsize = 1, .ndim = 2, .shape = shape};
    view.strides = strides;
    PyBuffer_FillContiguousStrides(2, shape, strides, 1, 'C');
    EXPECT_EQ(strides[0], 3);
    EXPECT_EQ(strides[1], 1);
    EXPECT_EQ(PyBuffer_GetPointer(&view, indices), &memory[5]);
    indices[0] = 0;
    EXPECT_EQ(PyBuffer_GetPointer(&view, indices), &memory[2]);
    PyBuffer_FillContiguousStrides(2, shape, strides, 1, 'F');
    EXPECT_EQ(strides[0], 1);
    EXPECT_EQ(strides[1], 2);
    EXPECT_EQ(PyBuffer_GetPointer(&view, indices), &memory[4]);
    /* Rows reached through pointers. */
    char first[3], second[3], *rows[] = {first, second};
    Py_ssize_t row_strides[] = {sizeof(char *), 1}, suboffsets[] = {0, -1};
    view = (Py_buffer){.buf = rows,
                       .len = 6,
                       .itemsize = 1,
                       .ndim = 2,
                       .shape = shape,
                       .strides = row_strides,
                       .suboffsets = suboffsets};
    indices[0] = 1;
    EXPECT_EQ(PyBuffer_GetPointer(&view, indices), &second[2]);
}
