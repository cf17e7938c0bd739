/* SPDX-License-Identifier: MIT */
/* Modules: namespaces with state, made from a PyModuleDef or from a slot array.
 *
 * A module is made in two phases: creation reads the definition, execution allocates the
 * zeroed state and runs the Py_mod_exec functions. PyModule_Create does in one step what a
 * definition without slots asks for. */
#ifndef OURO_PY_MODULE_H
#define OURO_PY_MODULE_H

#include "cfunction.h"
#include "lifecycle.h"
#include "slots.h"
#include "version.h"

OURO_BEGIN_DECLS

/* --- definitions -------------------------------------------------------------------- */

typedef struct PyModuleDef_Base {
    PyObject_HEAD
    PyObject *(*m_init)(void); /* a single-phase definition: how to make it again */
    Py_ssize_t m_index;        /* given by PyModuleDef_Init; never 0 afterwards */
    uint32_t m_abi_tag;        /* the headers it was compiled with */
} PyModuleDef_Base;

#define PyModuleDef_HEAD_INIT                                                            \
    {                                                                                    \
        PyObject_HEAD_INIT(NULL) NULL, 0, OURO_ABI_TAG                                   \
    }

typedef struct PyModuleDef_Slot {
    int slot;
    void *value;
} PyModuleDef_Slot;

/* A definition must outlive the modules made from it. */
struct PyModuleDef {
    PyModuleDef_Base m_base; /* PyModuleDef_HEAD_INIT */
    const char *m_name;
    const char *m_doc; /* or NULL */
    Py_ssize_t m_size; /* > 0: bytes of state; 0: none; -1: C globals hold the state */
    PyMethodDef *m_methods;
    PyModuleDef_Slot *m_slots; /* ends with {0, NULL}; NULL: single-phase */
    /* Called with the module; not while m_size > 0 and there is no state yet. */
    traverseproc m_traverse;
    inquiry m_clear; /* by the collector only */
    freefunc m_free; /* whenever the module goes */
};
/* The name before 3.5. Not a union: definitions without braces for it would warn. */
#define m_reload m_slots

/* Values of Py_mod_multiple_interpreters and Py_mod_gil. */
#define Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED ((void *)0)
#define Py_MOD_MULTIPLE_INTERPRETERS_SUPPORTED     ((void *)1)
#define Py_MOD_PER_INTERPRETER_GIL_SUPPORTED       ((void *)2)
#define Py_MOD_GIL_USED                            ((void *)0)
#define Py_MOD_GIL_NOT_USED                        ((void *)1)

PyAPI_DATA(PyTypeObject) PyModuleDef_Type;
PyAPI_DATA(PyTypeObject) PyModule_Type;
#define PyModule_Check(op)      PyObject_TypeCheck((op), &PyModule_Type)
#define PyModule_CheckExact(op) Py_IS_TYPE((op), &PyModule_Type)

/* --- the ABI a module was compiled for ------------------------------------------------ */

typedef struct PyABIInfo {
    uint8_t abiinfo_major_version; /* 1; 0 switches the check off */
    uint8_t abiinfo_minor_version;
    uint16_t flags;
    uint32_t build_version; /* PY_VERSION_HEX */
    uint32_t abi_version;   /* here: OURO_ABI_TAG */
} PyABIInfo;

#define PyABIInfo_STABLE                 0x0001
#define PyABIInfo_GIL                    0x0002
#define PyABIInfo_FREETHREADED           0x0004
#define PyABIInfo_INTERNAL               0x0008
#define PyABIInfo_FREETHREADING_AGNOSTIC (PyABIInfo_GIL | PyABIInfo_FREETHREADED)
#define PyABIInfo_DEFAULT_FLAGS          PyABIInfo_GIL
#define PyABIInfo_DEFAULT_ABI_VERSION    OURO_ABI_TAG

/* Define a static PyABIInfo, the value of a Py_mod_abi slot. */
#define PyABIInfo_VAR(NAME)                                                              \
    static PyABIInfo NAME = {                                                            \
        1, 0, PyABIInfo_DEFAULT_FLAGS, PY_VERSION_HEX, PyABIInfo_DEFAULT_ABI_VERSION,    \
    }

/* The slot itself, with a PyABIInfo of its own. */
#ifdef __cplusplus
inline PyABIInfo _PyABIInfo_Default = {
    1, 0, PyABIInfo_DEFAULT_FLAGS, PY_VERSION_HEX, PyABIInfo_DEFAULT_ABI_VERSION,
};
#else
#define _PyABIInfo_Default                                                               \
    ((PyABIInfo){1, 0, PyABIInfo_DEFAULT_FLAGS, PY_VERSION_HEX,                          \
                 PyABIInfo_DEFAULT_ABI_VERSION})
#endif
/* clang-format off */
#define _Py_ABI_SLOT {Py_mod_abi, (void *)&_PyABIInfo_Default}
/* clang-format on */

/* Was the code with this structure compiled for this library? 0; or -1 with ImportError.
 * The name is for the message and may be NULL. */
PyAPI_FUNC(int) PyABIInfo_Check(PyABIInfo *info, const char *module_name);
/* The same for a bare tag. */
PyAPI_FUNC(int) _PyABI_CheckTag(uint32_t tag, const char *module_name);

/* --- making modules --------------------------------------------------------------------- */

/* Give the definition its type and index: what a multi-phase PyInit_ function returns.
 * Borrowed, as definitions are static; or NULL with ImportError for a definition that
 * other headers made. */
PyAPI_FUNC(PyObject *) PyModuleDef_Init(PyModuleDef *def);

/* Make and execute a module in one step, from a definition without slots: state,
 * functions and doc are there. A new reference; NULL with SystemError when there are slots,
 * with ImportError when the caller was compiled with other headers. */
PyAPI_FUNC(PyObject *) PyModule_Create2(PyModuleDef *def, int module_api_version);
#define PyModule_Create(def) PyModule_Create2((def), (int)PYTHON_API_VERSION)

/* Make a module whose name is spec.name; functions and doc are there, the state is not. A
 * new reference, of any type that Py_mod_create chooses; or NULL with an exception. */
PyAPI_FUNC(PyObject *) PyModule_FromDefAndSpec2(PyModuleDef *def, PyObject *spec,
                                                int module_api_version);
#define PyModule_FromDefAndSpec(def, spec)                                               \
    PyModule_FromDefAndSpec2((def), (spec), (int)PYTHON_API_VERSION)
/* Allocate the state unless it is there, and run the Py_mod_exec functions of `def` in
 * order. 0; or -1 with an exception. */
PyAPI_FUNC(int) PyModule_ExecDef(PyObject *module, PyModuleDef *def);

/* The same for a slot array (3.15), which is read in this call only and must have a
 * Py_mod_abi. The module has the token of Py_mod_token, or none. */
PyAPI_FUNC(PyObject *) PyModule_FromSlotsAndSpec(const PySlot *slots, PyObject *spec);
/* For what a PyModExport_ function returned: without Py_mod_token the array itself is the
 * token. */
PyAPI_FUNC(PyObject *) _PyModule_FromExportAndSpec(const PySlot *slots, PyObject *spec);
/* Execute a module made either way; nothing to do for any other. 0; or -1. */
PyAPI_FUNC(int) PyModule_Exec(PyObject *module);

/* An empty module: __name__ is set, __doc__, __package__, __loader__ and __spec__ are
 * None. A new reference; or NULL with MemoryError. */
PyAPI_FUNC(PyObject *) PyModule_NewObject(PyObject *name);
PyAPI_FUNC(PyObject *) PyModule_New(const char *name);

/* --- what a module has -------------------------------------------------------------------- */

/* Its namespace, borrowed. NULL with SystemError when `module` is no module. */
PyAPI_FUNC(PyObject *) PyModule_GetDict(PyObject *module);
/* __name__ and __file__: a new reference, or UTF-8 that is valid as long as the attribute
 * stays. NULL with SystemError when missing or no str, TypeError when `module` is no
 * module. */
PyAPI_FUNC(PyObject *) PyModule_GetNameObject(PyObject *module);
PyAPI_FUNC(const char *) PyModule_GetName(PyObject *module);
PyAPI_FUNC(PyObject *) PyModule_GetFilenameObject(PyObject *module);
PyAPI_FUNC(const char *) PyModule_GetFilename(PyObject *module);
/* The definition it was made from; NULL without exception when there is none, with
 * TypeError when `module` is no module. */
PyAPI_FUNC(PyModuleDef *) PyModule_GetDef(PyObject *module);
/* The state block; NULL without exception before the module is executed, and with
 * TypeError when `module` is no module. */
PyAPI_FUNC(void *) PyModule_GetState(PyObject *module);
/* 0 and the size of the state; -1, *result == -1 and TypeError. */
PyAPI_FUNC(int) PyModule_GetStateSize(PyObject *module, Py_ssize_t *result);
/* 0 and the token, NULL when the module has none; -1, *result == NULL and TypeError. */
PyAPI_FUNC(int) PyModule_GetToken(PyObject *module, void **result);
/* For traverse handlers: the same without an exception. */
PyAPI_FUNC(void *) PyModule_GetState_DuringGC(PyObject *module);
PyAPI_FUNC(int) PyModule_GetToken_DuringGC(PyObject *module, void **result);

/* --- filling a module ------------------------------------------------------------------------ */

/* Set an attribute. 0; or -1 with an exception. A NULL value is fine while an exception is
 * pending, which then stays. Ref borrows the value, Add always takes it, Object takes it on
 * success only. */
PyAPI_FUNC(int) PyModule_AddObjectRef(PyObject *module, const char *name,
                                      PyObject *value);
PyAPI_FUNC(int) PyModule_Add(PyObject *module, const char *name, PyObject *value);
PyAPI_FUNC(int) PyModule_AddObject(PyObject *module, const char *name, PyObject *value);
PyAPI_FUNC(int) PyModule_AddIntConstant(PyObject *module, const char *name, long value);
PyAPI_FUNC(int) PyModule_AddStringConstant(PyObject *module, const char *name,
                                           const char *value);
#define PyModule_AddIntMacro(module, macro)                                              \
    PyModule_AddIntConstant((module), #macro, (macro))
#define PyModule_AddStringMacro(module, macro)                                           \
    PyModule_AddStringConstant((module), #macro, (macro))
/* Finish the type, and add it under the last part of its name. */
PyAPI_FUNC(int) PyModule_AddType(PyObject *module, PyTypeObject *type);
/* Functions whose self is the module, from a table that outlives it. ValueError for
 * METH_CLASS and METH_STATIC. */
PyAPI_FUNC(int) PyModule_AddFunctions(PyObject *module, PyMethodDef *functions);
PyAPI_FUNC(int) PyModule_SetDocString(PyObject *module, const char *doc);

/* Set the variables of a namespace to None: first those with a name like _this, then all
 * but __builtins__. */
PyAPI_FUNC(void) _PyModule_ClearDict(PyObject *dict);

/* --- from a type to the module it was made with ------------------------------------------------ */

/* The state of PyType_GetModule(type); NULL without exception when that has none. */
PyAPI_FUNC(void *) PyType_GetModuleState(PyTypeObject *type);
PyAPI_FUNC(void *) PyType_GetModuleState_DuringGC(PyTypeObject *type);
/* The first module in MRO order that was made from `def`, borrowed; or that has this
 * token, a new reference. NULL with TypeError; the DuringGC form borrows, and sets no
 * exception. */
PyAPI_FUNC(PyObject *) PyType_GetModuleByDef(PyTypeObject *type, PyModuleDef *def);
PyAPI_FUNC(PyObject *) PyType_GetModuleByToken(PyTypeObject *type, const void *token);
PyAPI_FUNC(PyObject *) PyType_GetModuleByToken_DuringGC(PyTypeObject *type,
                                                        const void *token);

/* --- single-phase modules of an interpreter ------------------------------------------------------ */

/* The module that was added for `def`, borrowed; NULL without exception. */
PyAPI_FUNC(PyObject *) PyState_FindModule(PyModuleDef *def);
/* Add it, replacing another; or remove it. 0; or -1 with SystemError when the definition
 * has slots. */
PyAPI_FUNC(int) PyState_AddModule(PyObject *module, PyModuleDef *def);
PyAPI_FUNC(int) PyState_RemoveModule(PyModuleDef *def);

OURO_END_DECLS

#endif
