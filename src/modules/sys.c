/* SPDX-License-Identifier: MIT */
/* The module sys: the interpreter as its programs see it. */
#include "modules.h"

/* --- functions ----------------------------------------------------------------------------- */

static PyObject *
sys_getrefcount(PyObject *Py_UNUSED(module), PyObject *op)
{
    return PyLong_FromSsize_t(Py_REFCNT(op));
}

static PyObject *
sys_intern(PyObject *Py_UNUSED(module), PyObject *text)
{
    if (!PyUnicode_CheckExact(text)) {
        return PyErr_Format(PyExc_TypeError,
                            PyUnicode_Check(text)
                                ? "can't intern %s"
                                : "intern() argument must be str, not %s",
                            Py_TYPE(text)->tp_name);
    }
    Py_INCREF(text);
    PyUnicode_InternInPlace(&text);
    return text;
}

/* C code handles exceptions without making them visible here. */
static PyObject *
sys_exc_info(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    PyObject *part[3];
    PyErr_GetExcInfo(&part[0], &part[1], &part[2]);
    for (int i = 0; i < 3; i++) {
        part[i] = part[i] == NULL ? Py_NewRef(Py_None) : part[i];
    }
    return Py_BuildValue("NNN", part[0], part[1], part[2]);
}

static PyObject *
sys_exception(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    Py_RETURN_NONE;
}

static PyObject *
sys_is_finalizing(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    return PyBool_FromLong(Py_IsFinalizing());
}

static PyObject *
sys_getdefaultencoding(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    return PyUnicode_FromString("utf-8");
}

/* The default without a hook of the program: the C hook, or printing. */
static PyObject *
sys_unraisablehook(PyObject *Py_UNUSED(module), PyObject *args)
{
    Ouro_Unraisable report;
    void *arg;
    if (ouro_unraisable_args_read(args, &report) < 0) {
        return NULL;
    }
    Ouro_UnraisableHook hook = Ouro_GetUnraisableHook(&arg);
    if (hook == NULL) {
        Ouro_PrintUnraisable(&report);
    } else if (hook(&report, arg) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *
sys_get_int_max_str_digits(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    return PyLong_FromLong(Ouro_IntGetMaxStrDigits());
}

static PyObject *
sys_set_int_max_str_digits(PyObject *Py_UNUSED(module), PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"maxdigits", NULL};
    int digits;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "i:set_int_max_str_digits", names,
                                     &digits) ||
        Ouro_IntSetMaxStrDigits(digits) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyMethodDef sys_functions[] = {
    {"getrefcount", sys_getrefcount, METH_O,
     "The number of references to an object, which may be one more than expected."},
    {"intern", sys_intern, METH_O, "The one str with this text that names share."},
    {"exc_info", sys_exc_info, METH_NOARGS,
     "type, value and traceback of the exception being handled, or three times None"},
    {"exception", sys_exception, METH_NOARGS, "None"},
    {"is_finalizing", sys_is_finalizing, METH_NOARGS, "Is the interpreter ending?"},
    {"getdefaultencoding", sys_getdefaultencoding, METH_NOARGS, "'utf-8'"},
    {"unraisablehook", sys_unraisablehook, METH_O,
     "Take an exception that nobody can receive: print it, or call the C hook."},
    {"get_int_max_str_digits", sys_get_int_max_str_digits, METH_NOARGS,
     "How many digits int to str and str to int convert; 0 is any number."},
    {"set_int_max_str_digits", (PyCFunction)(void (*)(void))sys_set_int_max_str_digits,
     METH_VARARGS | METH_KEYWORDS,
     "Set how many digits int to str and str to int convert."},
    OURO_METHODS_END,
};

/* --- attributes -------------------------------------------------------------------------------- */

#define OURO_VERSION_HEX                                                                 \
    (OURO_VERSION_MAJOR << 24 | OURO_VERSION_MINOR << 16 | OURO_VERSION_PATCH << 8 | 0xF0)

static PyObject *
version_tuple(int major, int minor, int micro)
{
    return Py_BuildValue("(iiisi)", major, minor, micro, "final", 0);
}

static bool
put_attribute(PyObject *op, const char *name, PyObject *value)
{
    bool done = value != NULL && PyObject_SetAttrString(op, name, value) == 0;
    Py_XDECREF(value);
    return done;
}

/* An object with attributes that tell what library this is. */
static PyObject *
make_implementation(void)
{
    PyObject *class =
        PyObject_CallFunction((PyObject *)&PyType_Type, "s(){}", "SimpleNamespace");
    PyObject *self = class == NULL ? NULL : PyObject_CallNoArgs(class);
    Py_XDECREF(class);
    if (self != NULL &&
        !(put_attribute(self, "name", PyUnicode_FromString("ouroboros")) &&
          put_attribute(self, "version",
                        version_tuple(OURO_VERSION_MAJOR, OURO_VERSION_MINOR,
                                      OURO_VERSION_PATCH)) &&
          put_attribute(self, "hexversion", PyLong_FromLong(OURO_VERSION_HEX)) &&
          put_attribute(self, "cache_tag", Py_NewRef(Py_None)))) {
        Py_CLEAR(self);
    }
    return self;
}

static bool
put_versions(PyObject *module)
{
    return ouro_module_put(module, "implementation", make_implementation()) &&
           ouro_module_put(module, "version", PyUnicode_FromString(Py_GetVersion())) &&
           ouro_module_put(module, "hexversion", PyLong_FromLong(PY_VERSION_HEX)) &&
           ouro_module_put(module, "api_version", PyLong_FromLong(PYTHON_API_VERSION)) &&
           ouro_module_put(
               module, "version_info",
               version_tuple(PY_MAJOR_VERSION, PY_MINOR_VERSION, PY_MICRO_VERSION));
}

static bool
put_platform(PyObject *module)
{
    const char *order = PY_BIG_ENDIAN ? "big" : "little";
    return ouro_module_put(module, "platform", PyUnicode_FromString(Py_GetPlatform())) &&
           ouro_module_put(module, "byteorder", PyUnicode_FromString(order)) &&
           ouro_module_put(module, "maxsize", PyLong_FromSsize_t(PY_SSIZE_T_MAX)) &&
           ouro_module_put(module, "maxunicode", PyLong_FromLong(0x10ffff)) &&
           ouro_module_put(module, "builtin_module_names", ouro_inittab_names());
}

/* The stream under its name, and once more for a program that replaced it. */
static bool
put_stream(PyObject *module, FILE *stream, const char *name, const char *kept_name,
           const char *title)
{
    PyObject *file = ouro_text_file_new(stream, title);
    bool done = PyModule_AddObjectRef(module, name, file) == 0 &&
                PyModule_AddObjectRef(module, kept_name, file) == 0;
    Py_XDECREF(file);
    return done;
}

/* The folders of OURO_PATH, which colons separate. */
static PyObject *
make_path(void)
{
    PyObject *list = PyList_New(0);
    const char *rest = Ouro_GetModulePath();
    while (list != NULL && rest != NULL && *rest != '\0') {
        size_t length = strcspn(rest, ":");
        PyObject *folder = PyUnicode_DecodeUTF8(rest, (Py_ssize_t)length, "replace");
        if (folder == NULL || (length > 0 && PyList_Append(list, folder) < 0)) {
            Py_CLEAR(list);
        }
        Py_XDECREF(folder);
        rest += length + (rest[length] == ':');
    }
    return list;
}

static int
sys_exec(PyObject *module)
{
    PyObject *hook = PyObject_GetAttrString(module, "unraisablehook");
    bool done =
        ouro_module_put(module, "__unraisablehook__", hook) &&
        ouro_module_put(module, "modules", Py_XNewRef(PyImport_GetModuleDict())) &&
        ouro_module_put(module, "path", make_path()) &&
        ouro_module_put(module, "argv", Py_BuildValue("[s]", "")) &&
        put_versions(module) && put_platform(module) &&
        put_stream(module, stdout, "stdout", "__stdout__", "<stdout>") &&
        put_stream(module, stderr, "stderr", "__stderr__", "<stderr>");
    return done ? 0 : -1;
}

static PyModuleDef_Slot sys_slots[] = {
    {Py_mod_exec, (void *)sys_exec},
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
    {0, NULL},
};

static PyModuleDef sys_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "sys",
    .m_doc = "The interpreter: its modules, its streams, and what it is.",
    .m_methods = sys_functions,
    .m_slots = sys_slots,
};

PyObject *
ouro_init_sys(void)
{
    return PyModuleDef_Init(&sys_def);
}
