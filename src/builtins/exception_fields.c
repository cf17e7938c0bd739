/* SPDX-License-Identifier: MIT */
/* Exceptions with fields of their own: StopIteration, SystemExit, OSError, ImportError,
 * NameError, AttributeError, SyntaxError. */
#include "exception_object.h"

/* --- handlers for some number of fields ------------------------------------------------------------- */

static int
visit_fields(PyObject *self, int count, visitproc visit, void *arg)
{
    PyObject **fields = ouro_exception_fields(self);
    for (int i = 0; i < count; i++) {
        Py_VISIT(fields[i]);
    }
    return ouro_exception_traverse(self, visit, arg);
}

static void
clear_fields(PyObject *self, int count)
{
    PyObject **fields = ouro_exception_fields(self);
    for (int i = 0; i < count; i++) {
        Py_CLEAR(fields[i]);
    }
    ouro_exception_clear(self);
}

int
ouro_exception_traverse2(PyObject *self, visitproc visit, void *arg)
{
    return visit_fields(self, 2, visit, arg);
}

int
ouro_exception_clear2(PyObject *self)
{
    clear_fields(self, 2);
    return 0;
}

void
ouro_exception_dealloc2(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    clear_fields(self, 2);
    Py_TYPE(self)->tp_free(self);
}

int
ouro_exception_traverse5(PyObject *self, visitproc visit, void *arg)
{
    return visit_fields(self, 5, visit, arg);
}

int
ouro_exception_clear5(PyObject *self)
{
    clear_fields(self, 5);
    return 0;
}

void
ouro_exception_dealloc5(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    clear_fields(self, 5);
    Py_TYPE(self)->tp_free(self);
}

static void
set_field(PyObject *self, int number, PyObject *value)
{
    Py_XSETREF(ouro_exception_fields(self)[number], Py_XNewRef(value));
}

/* Fields that may be given by name; names end with NULL, the first one is field 0. */
static int
init_named_fields(PyObject *self, PyObject *args, PyObject *kwargs,
                  const char *const *names)
{
    Py_ssize_t found = 0;
    for (int i = 0; names[i] != NULL; i++) {
        PyObject *value = kwargs == NULL ? NULL : PyDict_GetItemString(kwargs, names[i]);
        found += value != NULL;
        set_field(self, i, value);
    }
    if (kwargs != NULL && found != PyDict_GET_SIZE(kwargs)) {
        PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument",
                     Py_TYPE(self)->tp_name);
        return -1;
    }
    return ouro_exception_init(self, args, NULL);
}

#define FIELDS_TYPE_HEAD(name_, count_)                                                  \
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = name_,                              \
                                        .tp_basicsize = OURO_EXCEPTION_SIZE(count_),     \
                                        .tp_dealloc = ouro_exception_dealloc##count_,    \
                                        .tp_flags = OURO_EXCEPTION_FLAGS,                \
                                        .tp_traverse = ouro_exception_traverse##count_,  \
                                        .tp_clear = ouro_exception_clear##count_,        \
                                        .tp_dictoffset =                                 \
                                            offsetof(PyBaseExceptionObject, dict),       \
                                        .tp_alloc = PyType_GenericAlloc,                 \
                                        .tp_free = PyObject_GC_Del

/* --- StopIteration: value; SystemExit: code --------------------------------------------------------- */

static int
stop_iteration_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    if (ouro_exception_init(self, args, kwargs) < 0) {
        return -1;
    }
    set_field(self, 0, PyTuple_GET_SIZE(args) > 0 ? PyTuple_GET_ITEM(args, 0) : Py_None);
    return 0;
}

static int
system_exit_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    if (ouro_exception_init(self, args, kwargs) < 0) {
        return -1;
    }
    Py_ssize_t count = PyTuple_GET_SIZE(args);
    set_field(self, 0,
              count == 0   ? Py_None
              : count == 1 ? PyTuple_GET_ITEM(args, 0)
                           : args);
    return 0;
}

static PyMemberDef stop_iteration_members[] = {
    OURO_EXCEPTION_MEMBER("value", 0, _Py_T_OBJECT),
    {NULL, 0, 0, 0, NULL},
};

static PyMemberDef system_exit_members[] = {
    OURO_EXCEPTION_MEMBER("code", 0, _Py_T_OBJECT),
    {NULL, 0, 0, 0, NULL},
};

PyTypeObject ouro_StopIteration = {
    FIELDS_TYPE_HEAD("StopIteration", 2),
    .tp_doc = "Signal the end from iterator.__next__().",
    .tp_base = &ouro_Exception,
    .tp_members = stop_iteration_members,
    .tp_init = stop_iteration_init,
    .tp_new = ouro_exception_new,
};

PyTypeObject ouro_SystemExit = {
    FIELDS_TYPE_HEAD("SystemExit", 2), .tp_doc = "Request to exit from the interpreter.",
    .tp_base = &ouro_BaseException,    .tp_members = system_exit_members,
    .tp_init = system_exit_init,       .tp_new = ouro_exception_new,
};

/* --- NameError: name; AttributeError: name, obj ------------------------------------------------------ */

static int
name_error_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static const char *const names[] = {"name", NULL};
    return init_named_fields(self, args, kwargs, names);
}

static int
attribute_error_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static const char *const names[] = {"name", "obj", NULL};
    return init_named_fields(self, args, kwargs, names);
}

static PyMemberDef name_error_members[] = {
    OURO_EXCEPTION_MEMBER("name", 0, _Py_T_OBJECT),
    {NULL, 0, 0, 0, NULL},
};

static PyMemberDef attribute_error_members[] = {
    OURO_EXCEPTION_MEMBER("name", 0, _Py_T_OBJECT),
    OURO_EXCEPTION_MEMBER("obj", 1, _Py_T_OBJECT),
    {NULL, 0, 0, 0, NULL},
};

PyTypeObject ouro_NameError = {
    FIELDS_TYPE_HEAD("NameError", 2), .tp_doc = "Name not found globally.",
    .tp_base = &ouro_Exception,       .tp_members = name_error_members,
    .tp_init = name_error_init,       .tp_new = ouro_exception_new,
};

PyTypeObject ouro_AttributeError = {
    FIELDS_TYPE_HEAD("AttributeError", 2),
    .tp_doc = "Attribute not found.",
    .tp_base = &ouro_Exception,
    .tp_members = attribute_error_members,
    .tp_init = attribute_error_init,
    .tp_new = ouro_exception_new,
};

/* --- ImportError: name, path, name_from, msg ---------------------------------------------------------- */

enum { IMPORT_ERROR_MSG = 3 };

static int
import_error_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static const char *const names[] = {"name", "path", "name_from", NULL};
    if (init_named_fields(self, args, kwargs, names) < 0) {
        return -1;
    }
    set_field(self, IMPORT_ERROR_MSG,
              PyTuple_GET_SIZE(args) == 1 ? PyTuple_GET_ITEM(args, 0) : NULL);
    return 0;
}

static PyMemberDef import_error_members[] = {
    OURO_EXCEPTION_MEMBER("name", 0, _Py_T_OBJECT),
    OURO_EXCEPTION_MEMBER("path", 1, _Py_T_OBJECT),
    OURO_EXCEPTION_MEMBER("name_from", 2, _Py_T_OBJECT),
    OURO_EXCEPTION_MEMBER("msg", IMPORT_ERROR_MSG, _Py_T_OBJECT),
    {NULL, 0, 0, 0, NULL},
};

PyTypeObject ouro_ImportError = {
    FIELDS_TYPE_HEAD("ImportError", 5),
    .tp_doc = "Import can't find module, or can't find name in module.",
    .tp_base = &ouro_Exception,
    .tp_members = import_error_members,
    .tp_init = import_error_init,
    .tp_new = ouro_exception_new,
};

/* --- SyntaxError: msg ------------------------------------------------------------------------------------ */

static int
syntax_error_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    if (ouro_exception_init(self, args, kwargs) < 0) {
        return -1;
    }
    set_field(self, 0, PyTuple_GET_SIZE(args) > 0 ? PyTuple_GET_ITEM(args, 0) : NULL);
    return 0;
}

static PyMemberDef syntax_error_members[] = {
    OURO_EXCEPTION_MEMBER("msg", 0, _Py_T_OBJECT),
    {NULL, 0, 0, 0, NULL},
};

PyTypeObject ouro_SyntaxError = {
    FIELDS_TYPE_HEAD("SyntaxError", 2), .tp_doc = "Invalid syntax.",
    .tp_base = &ouro_Exception,         .tp_members = syntax_error_members,
    .tp_init = syntax_error_init,       .tp_new = ouro_exception_new,
};

/* --- OSError: errno, strerror, filename, filename2 -------------------------------------------------------- */

enum { OS_ERROR_ERRNO, OS_ERROR_STRERROR, OS_ERROR_FILENAME, OS_ERROR_FILENAME2 };

/* OSError(errno, strerror[, filename[, None, filename2]]); anything else is a message. */
static int
os_error_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    if (ouro_exception_init(self, args, kwargs) < 0) {
        return -1;
    }
    Py_ssize_t count = PyTuple_GET_SIZE(args);
    bool parts = count >= 2 && count <= 5;
    for (int i = 0; i < OURO_EXCEPTION_FIELDS_MAX; i++) {
        set_field(self, i, NULL);
    }
    if (!parts) {
        return 0;
    }
    set_field(self, OS_ERROR_ERRNO, PyTuple_GET_ITEM(args, 0));
    set_field(self, OS_ERROR_STRERROR, PyTuple_GET_ITEM(args, 1));
    if (count > 2 && PyTuple_GET_ITEM(args, 2) != Py_None) {
        set_field(self, OS_ERROR_FILENAME, PyTuple_GET_ITEM(args, 2));
        set_field(self, OS_ERROR_FILENAME2, count > 4 ? PyTuple_GET_ITEM(args, 4) : NULL);
        /* args stays (errno, strerror), so that it can be unpacked. */
        PyObject *pair = PyTuple_GetSlice(args, 0, 2);
        if (pair == NULL) {
            return -1;
        }
        Py_XSETREF(ouro_exception(self)->args, pair);
    }
    return 0;
}

static PyObject *
os_error_str(PyObject *self)
{
    PyObject **fields = ouro_exception_fields(self);
    PyObject *number = fields[OS_ERROR_ERRNO], *text = fields[OS_ERROR_STRERROR];
    if (number == NULL || text == NULL) {
        return ouro_exception_str(self);
    }
    if (fields[OS_ERROR_FILENAME] == NULL) {
        return PyUnicode_FromFormat("[Errno %S] %S", number, text);
    }
    if (fields[OS_ERROR_FILENAME2] == NULL) {
        return PyUnicode_FromFormat("[Errno %S] %S: %R", number, text,
                                    fields[OS_ERROR_FILENAME]);
    }
    return PyUnicode_FromFormat("[Errno %S] %S: %R -> %R", number, text,
                                fields[OS_ERROR_FILENAME], fields[OS_ERROR_FILENAME2]);
}

static PyMemberDef os_error_members[] = {
    OURO_EXCEPTION_MEMBER("errno", OS_ERROR_ERRNO, _Py_T_OBJECT),
    OURO_EXCEPTION_MEMBER("strerror", OS_ERROR_STRERROR, _Py_T_OBJECT),
    OURO_EXCEPTION_MEMBER("filename", OS_ERROR_FILENAME, _Py_T_OBJECT),
    OURO_EXCEPTION_MEMBER("filename2", OS_ERROR_FILENAME2, _Py_T_OBJECT),
    {NULL, 0, 0, 0, NULL},
};

PyTypeObject ouro_OSError = {
    FIELDS_TYPE_HEAD("OSError", 5),
    .tp_str = os_error_str,
    .tp_doc = "Base class for I/O related errors.",
    .tp_base = &ouro_Exception,
    .tp_members = os_error_members,
    .tp_init = os_error_init,
    .tp_new = ouro_exception_new,
};
