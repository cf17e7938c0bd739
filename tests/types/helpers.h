/* SPDX-License-Identifier: MIT */
/* What the tests of the type system share. */
#ifndef OURO_TESTS_TYPES_HELPERS_H
#define OURO_TESTS_TYPES_HELPERS_H

#include "../harness.h"

/* An exception of this type with this text is pending; it is cleared. */
#define EXPECT_ERROR(type, text)                                                         \
    do {                                                                                 \
        PyObject *error_ = PyErr_GetRaisedException();                                   \
        EXPECT(error_ != NULL && PyErr_GivenExceptionMatches(error_, (type)));           \
        PyObject *message_ = error_ == NULL ? NULL : PyObject_Str(error_);               \
        EXPECT_STR(message_ == NULL ? "(none)" : PyUnicode_AsUTF8(message_), (text));    \
        Py_XDECREF(message_);                                                            \
        Py_XDECREF(error_);                                                              \
    } while (0)

/* The text of a str that is consumed. */
#define EXPECT_TEXT(object, text)                                                        \
    do {                                                                                 \
        PyObject *text_ = (object);                                                      \
        EXPECT_STR(text_ == NULL ? "(NULL)" : PyUnicode_AsUTF8(text_), (text));          \
        Py_XDECREF(text_);                                                               \
    } while (0)

#define SLOTS(...)                                                                       \
    (PyType_Slot[])                                                                      \
    {                                                                                    \
        __VA_ARGS__,                                                                     \
        {                                                                                \
            0, NULL                                                                      \
        }                                                                                \
    }
#define NO_SLOTS SLOTS({Py_tp_doc, NULL})

/* A container with one reference. */
struct node {
    PyObject_HEAD
    PyObject *ref;
};

static inline int
node_traverse(PyObject *self, visitproc visit, void *arg)
{
    if (PyType_HasFeature(Py_TYPE(self), Py_TPFLAGS_HEAPTYPE)) {
        Py_VISIT(Py_TYPE(self));
    }
    Py_VISIT(((struct node *)self)->ref);
    return 0;
}

static inline int
node_clear(PyObject *self)
{
    Py_CLEAR(((struct node *)self)->ref);
    return 0;
}

static inline void
node_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    node_clear(self);
    type->tp_free(self);
    if (PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE)) {
        Py_DECREF(type);
    }
}

static inline PyTypeObject *
make_type(const char *name, int basicsize, unsigned flags, PyType_Slot *slots,
          PyObject *bases)
{
    PyType_Spec spec = {name, basicsize, 0, flags, slots};
    return (PyTypeObject *)PyType_FromSpecWithBases(&spec, bases);
}

/* A heap container type that can be extended. */
static inline PyTypeObject *
make_node_type(const char *name)
{
    return make_type(name, sizeof(struct node), Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
                     SLOTS({Py_tp_traverse, (void *)node_traverse},
                           {Py_tp_clear, (void *)node_clear},
                           {Py_tp_dealloc, (void *)node_dealloc}),
                     NULL);
}

static inline PyObject *
make_instance(PyTypeObject *type)
{
    return PyObject_CallNoArgs((PyObject *)type);
}

/* A plain type that can be extended. */
static inline PyTypeObject *
make_plain_type(const char *name, PyObject *bases)
{
    return make_type(name, 0, Py_TPFLAGS_BASETYPE, NO_SLOTS, bases);
}

#endif
