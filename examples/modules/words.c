/* SPDX-License-Identifier: MIT */
/* words: an index of how often words occur, written as real extension modules are.
 *
 * It includes CPython's headers by name, carries a helper for older versions, loops over the
 * code points of PEP 393, fills a new str in place, reads from file descriptors without
 * holding up other threads, guards its table with a lock of its own, and puts its C functions
 * into tracebacks. The same source compiles for CPython 3.11 and later, and for Ouroboros. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <bytesobject.h>
#include <frameobject.h>
#include <pythread.h>
#include <structmember.h>

/* --- what older versions lack ------------------------------------------------------------- */

#if PY_VERSION_HEX < 0x030D00A1
static inline int
PyDict_GetItemRef(PyObject *dict, PyObject *key, PyObject **result)
{
    PyObject *item = PyDict_GetItemWithError(dict, key);
    *result = Py_XNewRef(item);
    return item != NULL ? 1 : PyErr_Occurred() ? -1 : 0;
}
#endif

/* --- the index ------------------------------------------------------------------------------ */

typedef struct {
    PyObject_HEAD
    PyObject *counts;        /* dict of str to int */
    PyObject *owner;         /* any object, or NULL */
    PyThread_type_lock lock; /* held while the table changes */
} Index;

static int
index_traverse(PyObject *op, visitproc visit, void *arg)
{
    Index *self = (Index *)op;
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(self->counts);
    Py_VISIT(self->owner);
    return 0;
}

static int
index_clear(PyObject *op)
{
    Index *self = (Index *)op;
    Py_CLEAR(self->counts);
    Py_CLEAR(self->owner);
    return 0;
}

static void
index_dealloc(PyObject *op)
{
    PyTypeObject *type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    index_clear(op);
    if (((Index *)op)->lock != NULL) {
        PyThread_free_lock(((Index *)op)->lock);
    }
    type->tp_free(op);
    Py_DECREF(type);
}

static PyObject *
index_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    if (!PyArg_ParseTuple(args, ":Index") ||
        (kwargs != NULL && PyDict_Size(kwargs) > 0)) {
        if (!PyErr_Occurred()) {
            PyErr_SetString(PyExc_TypeError, "Index() takes no keyword arguments");
        }
        return NULL;
    }
    Index *self = (Index *)type->tp_alloc(type, 0);
    if (self == NULL) {
        return NULL;
    }
    self->counts = PyDict_New();
    self->lock = PyThread_allocate_lock();
    if (self->lock == NULL && !PyErr_Occurred()) {
        PyErr_NoMemory();
    }
    if (self->counts == NULL || self->lock == NULL) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

/* Another thread may hold the lock and wait to be attached: never wait attached. */
static void
lock_index(Index *self)
{
    if (!PyThread_acquire_lock(self->lock, NOWAIT_LOCK)) {
        Py_BEGIN_ALLOW_THREADS
        PyThread_acquire_lock(self->lock, WAIT_LOCK);
        Py_END_ALLOW_THREADS
    }
}

/* --- counting --------------------------------------------------------------------------------- */

/* Add `more` to the count of a word, which is stolen. */
static int
count_word(Index *self, PyObject *word, long more)
{
    PyObject *before = NULL, *after = NULL;
    int found = word == NULL ? -1 : PyDict_GetItemRef(self->counts, word, &before);
    if (found >= 0) {
        after = PyLong_FromLong((found > 0 ? PyLong_AsLong(before) : 0) + more);
    }
    int status = after == NULL ? -1 : PyDict_SetItem(self->counts, word, after);
    Py_XDECREF(after);
    Py_XDECREF(before);
    Py_XDECREF(word);
    return status;
}

/* Count the words of a text: runs of letters and digits. The number of words, or -1. */
static Py_ssize_t
count_text(Index *self, PyObject *text)
{
    int kind = PyUnicode_KIND(text);
    const void *data = PyUnicode_DATA(text);
    Py_ssize_t length = PyUnicode_GET_LENGTH(text), words = 0;
    for (Py_ssize_t start = 0; start < length;) {
        Py_ssize_t end = start;
        while (end < length && Py_UNICODE_ISALNUM(PyUnicode_READ(kind, data, end))) {
            end++;
        }
        if (end > start) {
            words++;
            if (count_word(self, PyUnicode_Substring(text, start, end), 1) < 0) {
                return -1;
            }
        }
        start = end + 1;
    }
    return words;
}

/* Put a C function into the traceback of the pending exception, as Cython does. */
static void
add_traceback(const char *function, int line)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *globals = PyDict_New();
    PyCodeObject *code = PyCode_NewEmpty("words.c", function, line);
    PyFrameObject *frame = globals == NULL || code == NULL
                               ? NULL
                               : PyFrame_New(PyThreadState_Get(), code, globals, NULL);
    PyErr_Restore(type, value, traceback);
    if (frame != NULL) {
        PyTraceBack_Here(frame);
    }
    Py_XDECREF(frame);
    Py_XDECREF(code);
    Py_XDECREF(globals);
}

static PyObject *
index_feed(PyObject *op, PyObject *text)
{
    Index *self = (Index *)op;
    if (!PyUnicode_Check(text)) {
        PyErr_Format(PyExc_TypeError, "feed() needs a str, not %.100s",
                     Py_TYPE(text)->tp_name);
        add_traceback("Index.feed", 1);
        return NULL;
    }
    lock_index(self);
    Py_ssize_t words = count_text(self, text);
    PyThread_release_lock(self->lock);
    return words < 0 ? NULL : PyLong_FromSsize_t(words);
}

/* All that a descriptor gives, as bytes. Other threads run while this one reads. */
static PyObject *
read_all(int descriptor)
{
    char buffer[4096];
    PyObject *all = PyBytes_FromStringAndSize(NULL, 0);
    while (all != NULL) {
        ssize_t size;
        Py_BEGIN_ALLOW_THREADS
        size = read(descriptor, buffer, sizeof buffer);
        Py_END_ALLOW_THREADS
        if (size < 0) {
            PyErr_SetFromErrno(PyExc_OSError);
            Py_CLEAR(all);
        } else if (size == 0) {
            break;
        } else {
            PyBytes_ConcatAndDel(&all, PyBytes_FromStringAndSize(buffer, size));
        }
    }
    return all;
}

static PyObject *
index_feed_file(PyObject *op, PyObject *file)
{
    int descriptor = PyObject_AsFileDescriptor(file);
    PyObject *bytes = descriptor < 0 ? NULL : read_all(descriptor);
    PyObject *text = bytes == NULL
                         ? NULL
                         : PyUnicode_DecodeUTF8(PyBytes_AS_STRING(bytes),
                                                PyBytes_GET_SIZE(bytes), "replace");
    PyObject *result = text == NULL ? NULL : index_feed(op, text);
    Py_XDECREF(text);
    Py_XDECREF(bytes);
    return result;
}

static PyObject *
index_counts(PyObject *op, PyObject *Py_UNUSED(ignored))
{
    return PyDict_Copy(((Index *)op)->counts);
}

static Py_ssize_t
index_length(PyObject *op)
{
    return PyDict_Size(((Index *)op)->counts);
}

static PyMethodDef index_methods[] = {
    {"feed", index_feed, METH_O, PyDoc_STR("Count the words of a str; return how many.")},
    {"feed_file", index_feed_file, METH_O,
     PyDoc_STR("The same for what a file or descriptor has to read.")},
    {"counts", index_counts, METH_NOARGS, PyDoc_STR("A dict of words and how often.")},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef index_members[] = {
    {"owner", T_OBJECT, offsetof(Index, owner), 0, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot index_slots[] = {
    {Py_tp_doc, (void *)PyDoc_STR("Index(): how often words occur.")},
    {Py_tp_new, (void *)index_new},
    {Py_tp_traverse, (void *)index_traverse},
    {Py_tp_clear, (void *)index_clear},
    {Py_tp_dealloc, (void *)index_dealloc},
    {Py_mp_length, (void *)index_length},
    {Py_tp_methods, index_methods},
    {Py_tp_members, index_members},
    {0, NULL},
};

static PyType_Spec index_spec = {
    .name = "words.Index",
    .basicsize = sizeof(Index),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = index_slots,
};

/* --- functions ----------------------------------------------------------------------------------- */

/* A new str, filled in place: no character needs more room than before. */
static PyObject *
words_fold(PyObject *Py_UNUSED(module), PyObject *text)
{
    if (!PyUnicode_Check(text)) {
        return PyErr_Format(PyExc_TypeError, "fold() needs a str");
    }
    Py_ssize_t length = PyUnicode_GET_LENGTH(text);
    PyObject *folded = PyUnicode_New(length, PyUnicode_MAX_CHAR_VALUE(text));
    for (Py_ssize_t i = 0; folded != NULL && i < length; i++) {
        Py_UCS4 ch = PyUnicode_READ_CHAR(text, i);
        PyUnicode_WRITE(PyUnicode_KIND(folded), PyUnicode_DATA(folded), i,
                        ch < 128 ? Py_TOLOWER(ch) : ch);
    }
    return folded;
}

/* What a str is made of: its kind, whether it is ASCII, its size as UTF-8. */
static PyObject *
words_layout(PyObject *Py_UNUSED(module), PyObject *text)
{
    Py_ssize_t size;
    if (!PyUnicode_Check(text) || PyUnicode_AsUTF8AndSize(text, &size) == NULL) {
        if (!PyErr_Occurred()) {
            PyErr_SetString(PyExc_TypeError, "layout() needs a str");
        }
        return NULL;
    }
    return Py_BuildValue("(iNnn)", (int)PyUnicode_KIND(text),
                         PyBool_FromLong(PyUnicode_IS_ASCII(text)),
                         PyUnicode_GET_LENGTH(text), size);
}

static PyObject *
words_path(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *name;
    if (!PyArg_ParseTuple(args, "O&:path", PyUnicode_FSConverter, &name)) {
        return NULL;
    }
    return name;
}

static PyMethodDef words_functions[] = {
    {"fold", words_fold, METH_O, PyDoc_STR("The text with ASCII letters in lower case.")},
    {"layout", words_layout, METH_O,
     PyDoc_STR("(kind, is ASCII, length, bytes of UTF-8)")},
    {"path", words_path, METH_VARARGS, PyDoc_STR("The name of a file as bytes.")},
    {NULL, NULL, 0, NULL},
};

static int
words_exec(PyObject *module)
{
    PyObject *type = PyType_FromModuleAndSpec(module, &index_spec, NULL);
    int status = type == NULL ? -1 : PyModule_AddType(module, (PyTypeObject *)type);
    Py_XDECREF(type);
    return status;
}

static PyModuleDef_Slot words_slots[] = {
    {Py_mod_exec, (void *)words_exec},
    {0, NULL},
};

static struct PyModuleDef words_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "words",
    .m_doc = PyDoc_STR("How often words occur."),
    .m_methods = words_functions,
    .m_slots = words_slots,
};

PyMODINIT_FUNC
PyInit_words(void)
{
    return PyModuleDef_Init(&words_module);
}
