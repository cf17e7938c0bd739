/* SPDX-License-Identifier: MIT */
/* Keyword arguments without a format, and the message about one that is not known. */
#include "argparse.h"
#include "suggest.h"

void
ouro_refuse_keyword(const char *function, PyObject *name, char *const *known)
{
    const char *utf8 = PyUnicode_AsUTF8(name);
    if (utf8 == NULL) {
        return;
    }
    const char *meant = ouro_suggest_name(utf8, known);
    PyErr_Format(
        PyExc_TypeError,
        meant == NULL
            ? "%.200s%s got an unexpected keyword argument '%U'"
            : "%.200s%s got an unexpected keyword argument '%U'. Did you mean '%s'?",
        function == NULL ? "this function" : function, function == NULL ? "" : "()", name,
        meant);
}

static int
index_of_name(PyObject *name, char *const *names)
{
    for (int i = 0; names[i] != NULL; i++) {
        if (PyUnicode_EqualToUTF8(name, names[i])) {
            return i;
        }
    }
    return -1;
}

int
_PyArg_TakeKeywords(PyObject *kwargs, const char *function, char *const *names,
                    PyObject **values)
{
    PyObject *name, *value;
    Py_ssize_t position = 0;
    int count = 0;
    for (; names[count] != NULL; count++) {
        values[count] = NULL;
    }
    if (kwargs != NULL && PyDict_GET_SIZE(kwargs) > count) {
        PyErr_Format(PyExc_TypeError,
                     "%.200s() takes at most %d keyword argument%s (%zd given)", function,
                     count, count == 1 ? "" : "s", PyDict_GET_SIZE(kwargs));
        return 0;
    }
    while (kwargs != NULL && PyDict_Next(kwargs, &position, &name, &value)) {
        if (!PyUnicode_Check(name)) {
            PyErr_SetString(PyExc_TypeError, "keywords must be strings");
            return 0;
        }
        int index = index_of_name(name, names);
        if (index < 0) {
            ouro_refuse_keyword(function, name, names);
            return 0;
        }
        values[index] = value;
    }
    return 1;
}
