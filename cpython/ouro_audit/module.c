/* SPDX-License-Identifier: MIT */
/* _ouro_audit: what the package ouro_audit needs from C. This file lists its functions; each is
 * documented beside its code. */
#include "module.h"

static PyMethodDef module_methods[] = {
    {"run", ouro_audit_run_all, METH_VARARGS, ouro_audit_run_doc},
    {"describe_type", ouro_audit_describe_type, METH_O, ouro_audit_describe_type_doc},
    {"field_name", ouro_audit_field_name, METH_VARARGS, ouro_audit_field_name_doc},
    {"try_clear", ouro_audit_try_clear, METH_O, ouro_audit_try_clear_doc},
    {"try_traverse", ouro_audit_try_traverse, METH_O, ouro_audit_try_traverse_doc},
    {"kill", ouro_audit_kill, METH_VARARGS, ouro_audit_kill_doc},
    {"note_release", ouro_audit_note_release, METH_O, ouro_audit_note_release_doc},
    {"owns", ouro_audit_owns, METH_VARARGS, ouro_audit_owns_doc},
    {"traverse_at_allocations", ouro_audit_traverse_at_allocations, METH_VARARGS,
     ouro_audit_traverse_at_allocations_doc},
    {"pointers_to", ouro_audit_pointers_to, METH_VARARGS, ouro_audit_pointers_to_doc},
    {"keep_frame", ouro_audit_keep_frame, METH_O, ouro_audit_keep_frame_doc},
    {"kept_frame", ouro_audit_kept_frame, METH_NOARGS, ouro_audit_kept_frame_doc},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot module_slots[] = {
#ifdef Py_mod_gil
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

static struct PyModuleDef module_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_ouro_audit",
    .m_doc = "The C part of ouro_audit.",
    .m_methods = module_methods,
    .m_slots = module_slots,
};

__attribute__((visibility("default"))) PyMODINIT_FUNC /* the macro of 3.8 lacks this */
PyInit__ouro_audit(void)
{
    return PyModuleDef_Init(&module_def);
}
