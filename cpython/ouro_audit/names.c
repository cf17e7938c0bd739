/* SPDX-License-Identifier: MIT */
/* The names of fields. They come from the debug information of the file with the type's code, if
 * there is some and this module was built with libdw. Otherwise they come from a member of the
 * type. */
#include "../cli/fields.h"
#include "module.h"

#include <descrobject.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <structmember.h>

static void *
handler_of(PyTypeObject *type)
{
    void *address;
    if (type->tp_traverse != NULL) {
        memcpy(&address, &type->tp_traverse, sizeof(address));
    } else {
        memcpy(&address, &type->tp_dealloc, sizeof(address));
    }
    return address;
}

/* "field 'next' of struct node", to be freed; or NULL. */
static char *
name_from_file(PyTypeObject *type, size_t offset)
{
    Dl_info info;
    void *handler = handler_of(type);
    if (handler == NULL || dladdr(handler, &info) == 0 || info.dli_fname == NULL) {
        return NULL;
    }
    struct fields *fields = fields_open(info.dli_fname);
    size_t place = (size_t)((char *)handler - (char *)info.dli_fbase);
    char *name = fields == NULL
                     ? NULL
                     : fields_name(fields, (size_t)type->tp_basicsize, place, offset);
    fields_close(fields);
    return name;
}

/* The member of the type, or of a base, that is at the offset; borrowed, or NULL. */
static const char *
name_from_members(PyTypeObject *type, size_t offset)
{
    for (; type != NULL; type = type->tp_base) {
        PyObject *key, *value;
        Py_ssize_t position = 0;
        while (type->tp_dict != NULL &&
               PyDict_Next(type->tp_dict, &position, &key, &value)) {
            if (Py_TYPE(value) == &PyMemberDescr_Type &&
                (size_t)((PyMemberDescrObject *)value)->d_member->offset == offset) {
                return ((PyMemberDescrObject *)value)->d_member->name;
            }
        }
    }
    return NULL;
}

const char ouro_audit_field_name_doc[] =
    "field_name(type, offset)\n--\n\n"
    "Return what is at this offset of an instance: \"field 'next' of struct node\",\n"
    "\"member 'next'\", or None.";

PyObject *
ouro_audit_field_name(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyTypeObject *type;
    Py_ssize_t offset;
    if (!PyArg_ParseTuple(args, "O!n", &PyType_Type, &type, &offset)) {
        return NULL;
    }
    char *found = name_from_file(type, (size_t)offset);
    if (found != NULL) {
        PyObject *text = PyUnicode_FromString(found);
        free(found);
        return text;
    }
    const char *member = name_from_members(type, (size_t)offset);
    if (member == NULL) {
        Py_RETURN_NONE;
    }
    return PyUnicode_FromFormat("member '%s'", member);
}
