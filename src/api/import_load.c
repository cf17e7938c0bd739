/* SPDX-License-Identifier: MIT */
/* From an init function or a shared object to a module in sys.modules.
 *
 * An init function returns a definition (multi-phase) or a whole module (single-phase). A
 * single-phase module that keeps its state in C globals (m_size == -1) is made once: when
 * it is imported again, a new module gets a copy of the dict that the first one had then. */
#include "../platform/platform.h"
#include "../thread/thread.h"
#include "import.h"

typedef PySlot *(*export_function)(void);

/* Where a module comes from. */
struct source {
    PyObject *name;
    PyObject *file; /* or NULL: built in */
    PyObject *spec;
    _PyInitFunction init; /* one of these two is set */
    export_function export;
};

const char *
_PyImport_Context(void)
{
    return ouro_current.thread->import_context;
}

static const char *
name_of(const struct source *source)
{
    return PyUnicode_AsUTF8(source->name);
}

/* --- single-phase --------------------------------------------------------------------------- */

/* What a module that is made once is remembered under. */
static PyObject *
single_phase_key(const struct source *source)
{
    return PyTuple_Pack(2, source->name, source->file != NULL ? source->file : Py_None);
}

/* Remember a copy of the dict. */
static bool
remember_dict(const struct source *source, PyObject *module)
{
    struct _is *interp = ouro_current.interp;
    if (interp->single_phase == NULL) {
        interp->single_phase = PyDict_New();
    }
    PyObject *key = interp->single_phase == NULL ? NULL : single_phase_key(source);
    PyObject *copy = key == NULL ? NULL : PyDict_Copy(PyModule_GetDict(module));
    bool done = copy != NULL && PyDict_SetItem(interp->single_phase, key, copy) == 0;
    Py_XDECREF(copy);
    Py_XDECREF(key);
    return done;
}

/* The module again, from the copy of its dict: a new reference; NULL with or without an
 * exception. */
static PyObject *
remake_single_phase(const struct source *source)
{
    PyObject *copies = ouro_current.interp->single_phase;
    PyObject *copy = NULL, *module = NULL;
    PyObject *key = copies == NULL ? NULL : single_phase_key(source);
    if (key != NULL && PyDict_GetItemRef(copies, key, &copy) > 0) {
        module = PyModule_NewObject(source->name);
        if (module != NULL && PyDict_Update(PyModule_GetDict(module), copy) < 0) {
            Py_CLEAR(module);
        }
        Py_DECREF(copy);
    }
    Py_XDECREF(key);
    return module;
}

/* `module` is what an init function returned; it is taken. */
static PyObject *
adopt_single_phase(const struct source *source, PyObject *module)
{
    PyModuleDef *def = PyModule_Check(module) ? PyModule_GetDef(module) : NULL;
    if (def == NULL) {
        PyErr_Format(PyExc_SystemError,
                     PyModule_Check(module)
                         ? "initialization of %U did not return a valid extension module"
                         : "initialization of %U did not return an extension module",
                     source->name);
        Py_DECREF(module);
        return NULL;
    }
    __atomic_store_n(&def->m_base.m_init, source->init, __ATOMIC_RELAXED);
    if (PyState_AddModule(module, def) < 0 ||
        (def->m_size == -1 && !remember_dict(source, module))) {
        Py_CLEAR(module);
    }
    return module;
}

/* --- calling what the module brings -------------------------------------------------------------- */

static void
raise_unreported(PyObject *name)
{
    PyObject *cause = PyErr_GetRaisedException();
    PyErr_Format(PyExc_SystemError, "initialization of %U raised unreported exception",
                 name);
    PyObject *error = PyErr_GetRaisedException();
    PyException_SetCause(error, Py_XNewRef(cause));
    PyException_SetContext(error, cause);
    PyErr_SetRaisedException(error);
}

/* The result of the init function: a borrowed definition or a new module; or NULL. */
static PyObject *
call_init(const struct source *source)
{
    struct _ts *thread = ouro_current.thread;
    const char *outer = thread->import_context;
    thread->import_context = name_of(source);
    PyObject *result = source->init();
    thread->import_context = outer;
    if (result == NULL && !PyErr_Occurred()) {
        PyErr_Format(PyExc_SystemError,
                     "initialization of %U failed without raising an exception",
                     source->name);
    } else if (result != NULL && PyErr_Occurred()) {
        raise_unreported(source->name);
        result = NULL; /* not released: it may not even be an object */
    } else if (result != NULL && Py_TYPE(result) == NULL) {
        PyErr_Format(PyExc_SystemError,
                     "init function of %U returned uninitialized object", source->name);
        result = NULL;
    }
    return result;
}

static PyObject *
create_from_init(const struct source *source)
{
    PyObject *result = call_init(source);
    if (result == NULL || !Py_IS_TYPE(result, &PyModuleDef_Type)) {
        return result == NULL ? NULL : adopt_single_phase(source, result);
    }
    return PyModule_FromDefAndSpec((PyModuleDef *)result, source->spec);
}

static PyObject *
create_from_export(const struct source *source)
{
    PySlot *slots = source->export();
    if (slots == NULL) {
        if (!PyErr_Occurred()) {
            PyErr_Format(PyExc_SystemError,
                         "slot export function for module %U failed without setting an "
                         "exception",
                         source->name);
        }
        return NULL;
    }
    return _PyModule_FromExportAndSpec(slots, source->spec);
}

PyObject *
PyImport_CreateModuleFromInitfunc(PyObject *spec, PyObject *(*initfunc)(void))
{
    if (initfunc == NULL) {
        PyErr_BadInternalCall();
        return NULL;
    }
    struct source source = {.spec = spec, .init = initfunc};
    source.name = PyObject_GetAttrString(spec, "name");
    PyObject *module = NULL;
    if (source.name != NULL && PyUnicode_AsUTF8(source.name) != NULL) {
        module = create_from_init(&source);
    }
    Py_XDECREF(source.name);
    return module;
}

/* --- making it a module of the interpreter ----------------------------------------------------------- */

/* Set an attribute, which a module that is some other object may refuse. */
static bool
describe(PyObject *module, const char *name, PyObject *value)
{
    if (PyObject_SetAttrString(module, name, value) < 0) {
        if (!PyErr_ExceptionMatches(PyExc_AttributeError)) {
            return false;
        }
        PyErr_Clear();
    }
    return true;
}

static bool
describe_module(const struct source *source, PyObject *module)
{
    const char *text = name_of(source), *dot = strrchr(text, '.');
    PyObject *package = PyUnicode_FromStringAndSize(text, dot == NULL ? 0 : dot - text);
    bool done = package != NULL && describe(module, "__spec__", source->spec) &&
                describe(module, "__package__", package) &&
                (source->file == NULL || describe(module, "__file__", source->file));
    Py_XDECREF(package);
    return done;
}

static PyObject *
create_module(const struct source *source)
{
    PyObject *module =
        source->export != NULL ? create_from_export(source) : remake_single_phase(source);
    if (module == NULL && !PyErr_Occurred() && source->init != NULL) {
        module = create_from_init(source);
    }
    if (module != NULL && !describe_module(source, module)) {
        Py_CLEAR(module);
    }
    return module;
}

/* Execute the module, which is in sys.modules already: it may be imported again meanwhile.
 * Afterwards sys.modules decides what the import yields. `module` is taken. */
static PyObject *
exec_module(const struct source *source, PyObject *module)
{
    PyObject *modules = Py_NewRef(ouro_current.interp->modules);
    PyObject *result = NULL;
    if (PyDict_SetItem(modules, source->name, module) == 0) {
        if (PyModule_Check(module) && PyModule_Exec(module) < 0) {
            PyObject *error = PyErr_GetRaisedException();
            (void)PyDict_Pop(modules, source->name, NULL);
            PyErr_SetRaisedException(error);
        } else if (PyDict_GetItemRef(modules, source->name, &result) == 0) {
            PyErr_Format(PyExc_ImportError, "module %R removed itself from sys.modules",
                         source->name);
        }
    }
    Py_DECREF(module);
    Py_DECREF(modules);
    return result;
}

static PyObject *
load_from_source(struct source *source)
{
    bool is_file = source->file != NULL;
    PyObject *origin =
        is_file ? Py_NewRef(source->file) : PyUnicode_FromString("built-in");
    PyObject *module = NULL;
    if (origin != NULL) {
        source->spec = Ouro_ModuleSpecNew(source->name, origin, is_file);
        Py_DECREF(origin);
    }
    if (source->spec != NULL) {
        module = create_module(source);
        Py_DECREF(source->spec);
    }
    return module == NULL ? NULL : exec_module(source, module);
}

PyObject *
ouro_import_from_init(PyObject *name, PyObject *(*init)(void))
{
    struct source source = {.name = name, .init = init};
    return load_from_source(&source);
}

/* --- shared objects --------------------------------------------------------------------------------------- */

/* Takes the message. Returns NULL. */
static PyObject *
raise_import_error(PyObject *message, PyObject *name, PyObject *file)
{
    if (message != NULL) {
        PyErr_SetImportError(message, name, file);
        Py_DECREF(message);
    }
    return NULL;
}

static PyObject *
raise_not_loadable(const struct source *source, const char *reason)
{
    bool is_symbol = strstr(reason, "undefined symbol: Py") != NULL ||
                     strstr(reason, "undefined symbol: _Py") != NULL;
    const char *hint = is_symbol ? ". The library that this program uses has no such "
                                   "name, or the program does not export it (-rdynamic)"
                                 : "";
    return raise_import_error(PyUnicode_FromFormat("%s%s", reason, hint), source->name,
                              source->file);
}

/* Another copy of this library has its own heap and its own current thread. */
static bool
uses_other_copy(void *handle)
{
    void (*start)(int, uint32_t) = Ouro_InitializeTagged;
    void *ours;
    memcpy(&ours, &start, sizeof(ours));
    const void *theirs = ouro_platform_symbol_inside(handle, "Ouro_InitializeTagged");
    return theirs != NULL && theirs != ours;
}

/* Find PyModExport_<tail> or PyInit_<tail>. */
static bool
find_entry(struct source *source, void *handle)
{
    const char *text = name_of(source), *dot = strrchr(text, '.');
    char symbol[300];
    text = dot == NULL ? text : dot + 1;
    snprintf(symbol, sizeof(symbol), "PyModExport_%s", text);
    void *address = ouro_platform_symbol(handle, symbol);
    memcpy(&source->export, &address, sizeof(address));
    snprintf(symbol, sizeof(symbol), "PyInit_%s", text);
    address = address != NULL ? NULL : ouro_platform_symbol(handle, symbol);
    memcpy(&source->init, &address, sizeof(address));
    return source->export != NULL || source->init != NULL;
}

static PyObject *
load_shared_object(struct source *source)
{
    char reason[1000];
    const char *file = PyUnicode_AsUTF8(source->file);
    void *handle = ouro_platform_load(file, reason, sizeof(reason));
    if (handle == NULL) {
        return raise_not_loadable(source, reason);
    }
    if (uses_other_copy(handle)) {
        return raise_import_error(
            PyUnicode_FromFormat(
                "%U is linked with another copy of the Ouroboros library "
                "than this program: link both with the shared library",
                source->file),
            source->name, source->file);
    }
    if (!find_entry(source, handle)) {
        return raise_import_error(
            PyUnicode_FromFormat("dynamic module does not define module export function "
                                 "(PyModExport_%U or PyInit_%U)",
                                 source->name, source->name),
            source->name, source->file);
    }
    return load_from_source(source);
}

PyObject *
ouro_import_from_file(PyObject *name, const char *file)
{
    struct source source = {.name = name, .file = PyUnicode_FromString(file)};
    PyObject *module = NULL;
    if (source.file != NULL && PyUnicode_AsUTF8(name) != NULL) {
        module = load_shared_object(&source);
    }
    Py_XDECREF(source.file);
    return module;
}
