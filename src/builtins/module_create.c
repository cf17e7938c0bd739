/* SPDX-License-Identifier: MIT */
/* Making modules: from a definition, single- and multi-phase, and from a slot array. */
#include "module_object.h"

/* --- definitions --------------------------------------------------------------------------- */

static Py_ssize_t last_module_index;

PyObject *
PyModuleDef_Init(PyModuleDef *def)
{
    /* Before anything else is read: other headers lay a definition out differently. */
    if (_PyABI_CheckTag(def->m_base.m_abi_tag, NULL) < 0) {
        return NULL;
    }
    /* Interpreters on other threads may do the same to the same static definition. */
    if (__atomic_load_n(&def->m_base.m_index, __ATOMIC_ACQUIRE) == 0) {
        Py_ssize_t none = 0;
        Py_ssize_t next = __atomic_add_fetch(&last_module_index, 1, __ATOMIC_RELAXED);
        __atomic_store_n(&def->m_base.ob_base.ob_type, &PyModuleDef_Type,
                         __ATOMIC_RELAXED);
        __atomic_compare_exchange_n(&def->m_base.m_index, &none, next, false,
                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    }
    return (PyObject *)def;
}

PyTypeObject PyModuleDef_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "moduledef",
    .tp_basicsize = sizeof(PyModuleDef),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
};

/* --- the object -------------------------------------------------------------------------------- */

/* Set the attributes that the plan asks for: functions and doc. `module` need not be a
 * module; `name` is what its functions have as __module__. */
static bool add_functions(PyObject *module, PyObject *name, PyMethodDef *functions);

static bool
fill_module(PyObject *module, PyObject *name, const struct module_plan *plan)
{
    return (plan->methods == NULL || add_functions(module, name, plan->methods)) &&
           (plan->doc == NULL || PyModule_SetDocString(module, plan->doc) == 0);
}

static void
take_plan(struct module *module, const struct module_plan *plan)
{
    module->plan = plan->state;
    module->def = plan->def;
    module->token = plan->token;
    module->exec = plan->def == NULL ? plan->exec : NULL;
}

static bool
allocate_state(struct module *module, Py_ssize_t size)
{
    void *state = PyMem_Calloc(1, (size_t)size);
    if (state == NULL) {
        PyErr_NoMemory();
        return false;
    }
    module->plan.size = size;
    module->state = state;
    return true;
}

/* --- single-phase -------------------------------------------------------------------------------- */

/* While a module is imported, its definition has only the last part of its name. */
static const char *
full_module_name(const char *name)
{
    const char *context = _PyImport_Context();
    const char *dot = context == NULL ? NULL : strrchr(context, '.');
    return dot != NULL && strcmp(dot + 1, name) == 0 ? context : name;
}

/* A module that keeps its state in C globals cannot be imported into a second interpreter. */
static bool
may_have_global_state(const PyModuleDef *def)
{
    if (def->m_size != -1 || _PyImport_Context() == NULL ||
        PyInterpreterState_Get() == PyInterpreterState_Main()) {
        return true;
    }
    PyErr_Format(PyExc_ImportError,
                 "module %s does not support loading in subinterpreters", def->m_name);
    return false;
}

static PyObject *
make_single_phase(PyModuleDef *def)
{
    PyObject *module =
        may_have_global_state(def) ? PyModule_New(full_module_name(def->m_name)) : NULL;
    if (module == NULL) {
        return NULL;
    }
    const struct module_plan plan = {
        .def = def,
        .doc = def->m_doc,
        .methods = def->m_methods,
        .state = {def->m_size, def->m_traverse, def->m_clear, def->m_free},
        .token = def};
    struct module *self = ouro_module_cast(module);
    if ((def->m_size > 0 && !allocate_state(self, def->m_size)) ||
        !fill_module(module, self->name, &plan)) {
        Py_DECREF(module);
        return NULL;
    }
    take_plan(self, &plan);
    return module;
}

PyObject *
PyModule_Create2(PyModuleDef *def, int module_api_version)
{
    if (_PyABI_CheckTag((uint32_t)module_api_version, NULL) < 0 ||
        PyModuleDef_Init(def) == NULL) {
        return NULL;
    }
    if (def->m_slots != NULL) {
        return PyErr_Format(PyExc_SystemError,
                            "module %s: PyModule_Create is incompatible with m_slots",
                            def->m_name);
    }
    return make_single_phase(def);
}

/* --- multi-phase: creation ------------------------------------------------------------------------ */

/* Put the pending exception behind a SystemError that names the module. */
static void
blame_module(const char *format, const char *name)
{
    PyObject *cause = PyErr_GetRaisedException();
    PyErr_Format(PyExc_SystemError, format, name);
    PyObject *exc = PyErr_GetRaisedException();
    PyException_SetCause(exc, Py_XNewRef(cause));
    PyException_SetContext(exc, cause);
    PyErr_SetRaisedException(exc);
}

static PyObject *
call_create(const struct module_plan *plan, PyObject *spec)
{
    PyObject *module = plan->create(spec, plan->def);
    if (module == NULL && !PyErr_Occurred()) {
        PyErr_Format(PyExc_SystemError,
                     "creation of module %s failed without setting an exception",
                     plan->name);
    } else if (module != NULL && PyErr_Occurred()) {
        blame_module("creation of module %s raised unreported exception", plan->name);
        Py_CLEAR(module);
    }
    return module;
}

/* Another object cannot have what only modules have. */
static bool
check_foreign_object(const struct module_plan *plan)
{
    const struct module_state_plan *state = &plan->state;
    const char *complaint = NULL;
    if (state->size > 0 || state->traverse != NULL || state->clear != NULL ||
        state->free != NULL) {
        complaint = "module %s is not a module object, but requests module state";
    } else if (plan->exec != NULL) {
        complaint = "module %s specifies execution slots, but did not create a "
                    "ModuleType instance";
    } else if (plan->def == NULL && plan->token != NULL) {
        complaint = "module %s specifies a token, but did not create a ModuleType "
                    "instance";
    }
    if (complaint != NULL) {
        PyErr_Format(PyExc_SystemError, complaint, plan->name);
    }
    return complaint == NULL;
}

static PyObject *
make_from_plan(const struct module_plan *plan, PyObject *name, PyObject *spec)
{
    PyObject *module =
        plan->create != NULL ? call_create(plan, spec) : PyModule_NewObject(name);
    if (module == NULL) {
        return NULL;
    }
    bool is_module = PyModule_Check(module);
    if ((!is_module && !check_foreign_object(plan)) || !fill_module(module, name, plan)) {
        Py_DECREF(module);
        return NULL;
    }
    if (is_module) {
        take_plan(ouro_module_cast(module), plan);
    }
    return module;
}

/* spec.name, a new reference, and its text. */
static PyObject *
name_from_spec(PyObject *spec, const char **text)
{
    PyObject *name = PyObject_GetAttrString(spec, "name");
    *text = name == NULL ? NULL : PyUnicode_AsUTF8(name);
    if (*text == NULL) {
        Py_CLEAR(name);
    }
    return name;
}

PyObject *
PyModule_FromDefAndSpec2(PyModuleDef *def, PyObject *spec, int module_api_version)
{
    struct module_plan plan;
    const char *text;
    if (_PyABI_CheckTag((uint32_t)module_api_version, NULL) < 0 ||
        PyModuleDef_Init(def) == NULL) {
        return NULL;
    }
    PyObject *name = name_from_spec(spec, &text);
    PyObject *module = NULL;
    if (name != NULL && ouro_module_plan_def(&plan, def, text)) {
        module = make_from_plan(&plan, name, spec);
    }
    Py_XDECREF(name);
    return module;
}

static PyObject *
make_from_slots(const PySlot *slots, PyObject *spec, const void *default_token)
{
    struct module_plan plan;
    const char *text;
    if (slots == NULL) {
        return PyErr_Format(PyExc_SystemError,
                            "PyModule_FromSlotsAndSpec called with NULL slots");
    }
    PyObject *name = name_from_spec(spec, &text);
    PyObject *module = NULL;
    if (name != NULL && ouro_module_plan_slots(&plan, slots, text)) {
        module = make_from_plan(&plan, name, spec);
    }
    if (module != NULL && plan.token == NULL && PyModule_Check(module)) {
        ouro_module_cast(module)->token = (void *)default_token;
    }
    Py_XDECREF(name);
    return module;
}

PyObject *
PyModule_FromSlotsAndSpec(const PySlot *slots, PyObject *spec)
{
    return make_from_slots(slots, spec, NULL);
}

PyObject *
_PyModule_FromExportAndSpec(const PySlot *slots, PyObject *spec)
{
    return make_from_slots(slots, spec, slots);
}

/* --- multi-phase: execution --------------------------------------------------------------------------- */

static int
call_exec(module_exec_function exec, PyObject *module, const char *name)
{
    int result = exec(module);
    if (result != 0) {
        if (!PyErr_Occurred()) {
            PyErr_Format(PyExc_SystemError,
                         "execution of module %s failed without setting an exception",
                         name);
        }
        return -1;
    }
    if (PyErr_Occurred()) {
        blame_module("execution of module %s raised unreported exception", name);
        return -1;
    }
    return 0;
}

/* Also for a size of 0: the state shows that the module was executed. */
static int
require_state(PyObject *module, Py_ssize_t size)
{
    bool is_missing =
        PyModule_Check(module) && size >= 0 && ouro_module_cast(module)->state == NULL;
    return !is_missing || allocate_state(ouro_module_cast(module), size) ? 0 : -1;
}

static int
call_exec_slots(PyObject *module, PyModuleDef *def, const char *name)
{
    for (PyModuleDef_Slot *slot = def->m_slots; slot != NULL && slot->slot != 0; slot++) {
        if (slot->slot == Py_mod_exec || slot->slot == 2 /* before 3.15 */) {
            module_exec_function exec;
            memcpy(&exec, &slot->value, sizeof(exec));
            if (call_exec(exec, module, name) < 0) {
                return -1;
            }
        }
    }
    return 0;
}

int
PyModule_ExecDef(PyObject *module, PyModuleDef *def)
{
    PyObject *name = PyModule_GetNameObject(module);
    if (name == NULL) {
        return -1;
    }
    int result = require_state(module, def->m_size);
    if (result == 0) {
        result = call_exec_slots(module, def, PyUnicode_AsUTF8(name));
    }
    Py_DECREF(name);
    return result;
}

static int
exec_from_slots(PyObject *module)
{
    const struct module *self = ouro_module_cast(module);
    PyObject *name = PyModule_GetNameObject(module);
    if (name == NULL) {
        return -1;
    }
    int result = require_state(module, self->plan.size);
    if (result == 0 && self->exec != NULL) {
        result = call_exec(self->exec, module, PyUnicode_AsUTF8(name));
    }
    Py_DECREF(name);
    return result;
}

int
PyModule_Exec(PyObject *module)
{
    if (!PyModule_Check(module)) {
        PyErr_BadArgument();
        return -1;
    }
    const struct module *self = ouro_module_cast(module);
    if (self->def != NULL) {
        return self->def->m_slots == NULL ? 0 : PyModule_ExecDef(module, self->def);
    }
    return exec_from_slots(module);
}

/* --- functions and doc -------------------------------------------------------------------------------- */

static bool
add_functions(PyObject *module, PyObject *name, PyMethodDef *functions)
{
    for (PyMethodDef *entry = functions; entry->ml_name != NULL; entry++) {
        if (entry->ml_flags & (METH_CLASS | METH_STATIC)) {
            PyErr_SetString(PyExc_ValueError,
                            "module functions cannot set METH_CLASS or METH_STATIC");
            return false;
        }
        PyObject *function = PyCFunction_NewEx(entry, module, name);
        if (function == NULL) {
            return false;
        }
        int result = PyObject_SetAttrString(module, entry->ml_name, function);
        Py_DECREF(function);
        if (result < 0) {
            return false;
        }
    }
    return true;
}

int
PyModule_AddFunctions(PyObject *module, PyMethodDef *functions)
{
    PyObject *name = PyModule_GetNameObject(module);
    bool done = name != NULL && add_functions(module, name, functions);
    Py_XDECREF(name);
    return done ? 0 : -1;
}

int
PyModule_SetDocString(PyObject *module, const char *doc)
{
    PyObject *text = PyUnicode_FromString(doc);
    int result = text == NULL ? -1 : PyObject_SetAttrString(module, "__doc__", text);
    Py_XDECREF(text);
    return result;
}
