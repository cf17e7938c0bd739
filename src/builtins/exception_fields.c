/* SPDX-License-Identifier: MIT */
/* Exceptions with fields of their own: StopIteration, SystemExit, ImportError, NameError,
 * AttributeError, SyntaxError. OSError is in exception_os.c. */
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

/* Set fields `first` and on from keyword arguments; names end with NULL. The arguments by
 * position are the exception's own. */
static int
init_named_fields(PyObject *self, PyObject *args, PyObject *kwargs, int first,
                  const char *function, char *const *names)
{
    PyObject *values[3];
    if (!_PyArg_TakeKeywords(kwargs, function, names, values)) {
        return -1;
    }
    for (int i = 0; names[i] != NULL; i++) {
        ouro_exception_set_field(self, first + i, values[i]);
    }
    return ouro_exception_init(self, args, NULL);
}

/* --- StopIteration: value; SystemExit: code --------------------------------------------------------- */

static int
stop_iteration_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    if (ouro_exception_init(self, args, kwargs) < 0) {
        return -1;
    }
    ouro_exception_set_field(
        self, 0, PyTuple_GET_SIZE(args) > 0 ? PyTuple_GET_ITEM(args, 0) : Py_None);
    return 0;
}

static int
system_exit_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    if (ouro_exception_init(self, args, kwargs) < 0) {
        return -1;
    }
    Py_ssize_t count = PyTuple_GET_SIZE(args);
    ouro_exception_set_field(self, 0,
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
    OURO_EXCEPTION_TYPE("StopIteration", 2),
    .tp_doc = "Signal the end from iterator.__next__().",
    .tp_base = &ouro_Exception,
    .tp_members = stop_iteration_members,
    .tp_init = stop_iteration_init,
    .tp_new = ouro_exception_new,
};

PyTypeObject ouro_SystemExit = {
    OURO_EXCEPTION_TYPE("SystemExit", 2),
    .tp_doc = "Request to exit from the interpreter.",
    .tp_base = &ouro_BaseException,
    .tp_members = system_exit_members,
    .tp_init = system_exit_init,
    .tp_new = ouro_exception_new,
};

/* --- NameError: name; AttributeError: name, obj ------------------------------------------------------ */

static int
name_error_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *const names[] = {"name", NULL};
    return init_named_fields(self, args, kwargs, 0, "NameError", names);
}

static int
attribute_error_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *const names[] = {"obj", "name", NULL};
    return init_named_fields(self, args, kwargs, 0, "AttributeError", names);
}

static PyMemberDef name_error_members[] = {
    OURO_EXCEPTION_MEMBER("name", 0, _Py_T_OBJECT),
    {NULL, 0, 0, 0, NULL},
};

static PyMemberDef attribute_error_members[] = {
    OURO_EXCEPTION_MEMBER("name", 1, _Py_T_OBJECT),
    OURO_EXCEPTION_MEMBER("obj", 0, _Py_T_OBJECT),
    {NULL, 0, 0, 0, NULL},
};

PyTypeObject ouro_NameError = {
    OURO_EXCEPTION_TYPE("NameError", 2), .tp_doc = "Name not found globally.",
    .tp_base = &ouro_Exception,          .tp_members = name_error_members,
    .tp_init = name_error_init,          .tp_new = ouro_exception_new,
};

PyTypeObject ouro_AttributeError = {
    OURO_EXCEPTION_TYPE("AttributeError", 2),
    .tp_doc = "Attribute not found.",
    .tp_base = &ouro_Exception,
    .tp_members = attribute_error_members,
    .tp_init = attribute_error_init,
    .tp_new = ouro_exception_new,
};

/* --- ImportError: name, path, name_from, msg ---------------------------------------------------------- */

/* As in PyImportErrorObject. */
enum { IMPORT_ERROR_MSG, IMPORT_ERROR_NAME, IMPORT_ERROR_PATH, IMPORT_ERROR_NAME_FROM };

static int
import_error_init(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *const names[] = {"name", "path", "name_from", NULL};
    if (init_named_fields(self, args, kwargs, IMPORT_ERROR_NAME, "ImportError", names) <
        0) {
        return -1;
    }
    ouro_exception_set_field(self, IMPORT_ERROR_MSG,
                             PyTuple_GET_SIZE(args) == 1 ? PyTuple_GET_ITEM(args, 0)
                                                         : NULL);
    return 0;
}

/* The message, unless the program replaced it. */
static PyObject *
import_error_str(PyObject *self)
{
    PyObject *msg = ouro_exception_fields(self)[IMPORT_ERROR_MSG];
    return msg != NULL && PyUnicode_CheckExact(msg) ? Py_NewRef(msg)
                                                    : ouro_exception_str(self);
}

static PyMemberDef import_error_members[] = {
    OURO_EXCEPTION_MEMBER("name", IMPORT_ERROR_NAME, _Py_T_OBJECT),
    OURO_EXCEPTION_MEMBER("path", IMPORT_ERROR_PATH, _Py_T_OBJECT),
    OURO_EXCEPTION_MEMBER("name_from", IMPORT_ERROR_NAME_FROM, _Py_T_OBJECT),
    OURO_EXCEPTION_MEMBER("msg", IMPORT_ERROR_MSG, _Py_T_OBJECT),
    {NULL, 0, 0, 0, NULL},
};

PyTypeObject ouro_ImportError = {
    OURO_EXCEPTION_TYPE("ImportError", 5),
    .tp_str = import_error_str,
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
    ouro_exception_set_field(
        self, 0, PyTuple_GET_SIZE(args) > 0 ? PyTuple_GET_ITEM(args, 0) : NULL);
    return 0;
}

static PyMemberDef syntax_error_members[] = {
    OURO_EXCEPTION_MEMBER("msg", 0, _Py_T_OBJECT),
    {NULL, 0, 0, 0, NULL},
};

PyTypeObject ouro_SyntaxError = {
    OURO_EXCEPTION_TYPE("SyntaxError", 2),
    .tp_doc = "Invalid syntax.",
    .tp_base = &ouro_Exception,
    .tp_members = syntax_error_members,
    .tp_init = syntax_error_init,
    .tp_new = ouro_exception_new,
};
