/* SPDX-License-Identifier: MIT */
/* Descriptors for the tables of a type: tp_methods, tp_members and tp_getset.
 *
 * Each is a GC object with the type, the name and one table entry. Types of descriptor
 * differ in what happens when they are looked up on an instance, and when they are called.
 * How the fields of tp_members are read and written is in member.c. */
#include "descriptor_object.h"
#include "methoddef.h"

/* --- making ------------------------------------------------------------------------------ */

PyDescrObject *
ouro_descr_new(PyTypeObject *descr_type, PyTypeObject *type, const char *name)
{
    PyObject *interned = PyUnicode_InternFromString(name);
    if (interned == NULL) {
        return NULL;
    }
    PyDescrObject *descr = PyObject_GC_New(PyDescrObject, descr_type);
    if (descr == NULL) {
        Py_DECREF(interned);
        return NULL;
    }
    descr->d_type = (PyTypeObject *)Py_XNewRef(type);
    descr->d_name = interned;
    descr->d_qualname = NULL;
    PyObject_GC_Track(descr); /* tp_traverse reads nothing but d_type */
    return descr;
}

static PyObject *methoddescr_vectorcall(PyObject *op, PyObject *const *args,
                                        size_t nargsf, PyObject *kwnames);
static PyObject *classdescr_vectorcall(PyObject *op, PyObject *const *args, size_t nargsf,
                                       PyObject *kwnames);

static PyObject *
new_method_descriptor(PyTypeObject *descr_type, PyTypeObject *type, PyMethodDef *method,
                      vectorcallfunc vectorcall)
{
    if (!ouro_methoddef_is_valid(method)) {
        return NULL;
    }
    PyMethodDescrObject *descr =
        (PyMethodDescrObject *)ouro_descr_new(descr_type, type, method->ml_name);
    if (descr != NULL) {
        descr->d_method = method;
        descr->vectorcall = vectorcall;
    }
    return (PyObject *)descr;
}

PyObject *
PyDescr_NewMethod(PyTypeObject *type, PyMethodDef *method)
{
    return new_method_descriptor(&PyMethodDescr_Type, type, method,
                                 methoddescr_vectorcall);
}

PyObject *
PyDescr_NewClassMethod(PyTypeObject *type, PyMethodDef *method)
{
    return new_method_descriptor(&PyClassMethodDescr_Type, type, method,
                                 classdescr_vectorcall);
}

PyObject *
PyDescr_NewMember(PyTypeObject *type, PyMemberDef *member)
{
    PyMemberDescrObject *descr =
        (PyMemberDescrObject *)ouro_descr_new(&PyMemberDescr_Type, type, member->name);
    if (descr != NULL) {
        descr->d_member = member;
    }
    return (PyObject *)descr;
}

PyObject *
PyDescr_NewGetSet(PyTypeObject *type, PyGetSetDef *getset)
{
    PyGetSetDescrObject *descr =
        (PyGetSetDescrObject *)ouro_descr_new(&PyGetSetDescr_Type, type, getset->name);
    if (descr != NULL) {
        descr->d_getset = getset;
    }
    return (PyObject *)descr;
}

int
PyDescr_IsData(PyObject *descr)
{
    return Py_TYPE(descr)->tp_descr_set != NULL;
}

/* --- life ---------------------------------------------------------------------------------- */

int
ouro_descr_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(OURO_DESCR(op)->d_type);
    return 0;
}

void
ouro_descr_dealloc(PyObject *op)
{
    PyObject_GC_UnTrack(op);
    Py_XDECREF(OURO_DESCR(op)->d_type);
    Py_XDECREF(OURO_DESCR(op)->d_name);
    Py_XDECREF(OURO_DESCR(op)->d_qualname);
    PyObject_GC_Del(op);
}

/* --- what all of them check ---------------------------------------------------------------- */

bool
ouro_descr_applies_to(PyDescrObject *descr, PyObject *obj, const char *format)
{
    if (PyObject_TypeCheck(obj, descr->d_type)) {
        return true;
    }
    PyErr_Format(PyExc_TypeError, format, descr->d_name, descr->d_type->tp_name,
                 Py_TYPE(obj)->tp_name);
    return false;
}

const char ouro_wrong_object_to_get[] =
    "descriptor '%U' for '%.100s' objects doesn't apply to a '%.100s' object";

/* --- methods --------------------------------------------------------------------------------- */

static PyTypeObject *
defining_class(PyMethodDescrObject *descr)
{
    return (descr->d_method->ml_flags & METH_METHOD) ? descr->d_common.d_type : NULL;
}

static PyObject *
methoddescr_get(PyObject *op, PyObject *obj, PyObject *Py_UNUSED(cls))
{
    PyMethodDescrObject *descr = (PyMethodDescrObject *)op;
    if (obj == NULL) {
        return Py_NewRef(op);
    }
    if (!ouro_descr_applies_to(OURO_DESCR(op), obj, ouro_wrong_object_to_get)) {
        return NULL;
    }
    return PyCMethod_New(descr->d_method, obj, NULL, defining_class(descr));
}

/* The first argument is self; is there one? Else TypeError. */
static bool
self_is_given(PyObject *op, Py_ssize_t nargs)
{
    if (nargs >= 1) {
        return true;
    }
    PyObject *label = ouro_function_label(op);
    if (label != NULL) {
        PyErr_Format(PyExc_TypeError, "unbound method %U needs an argument", label);
        Py_DECREF(label);
    }
    return false;
}

static PyObject *
methoddescr_vectorcall(PyObject *op, PyObject *const *args, size_t nargsf,
                       PyObject *kwnames)
{
    PyMethodDescrObject *descr = (PyMethodDescrObject *)op;
    Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
    if (!self_is_given(op, nargs) ||
        !ouro_descr_applies_to(OURO_DESCR(op), args[0], ouro_wrong_object_to_get)) {
        return NULL;
    }
    return ouro_methoddef_vectorcall(descr->d_method, op, args[0], args + 1, nargs - 1,
                                     kwnames);
}

/* --- class methods ---------------------------------------------------------------------------- */

/* Is `cls` a type that derives from the descriptor's? Else TypeError. */
static bool
descr_applies_to_class(PyDescrObject *descr, PyObject *cls)
{
    if (!PyType_Check(cls)) {
        PyErr_Format(PyExc_TypeError,
                     "descriptor '%U' for type '%.100s' needs a type, not a '%.100s' as "
                     "arg 2",
                     descr->d_name, descr->d_type->tp_name, Py_TYPE(cls)->tp_name);
        return false;
    }
    if (!PyType_IsSubtype((PyTypeObject *)cls, descr->d_type)) {
        PyErr_Format(
            PyExc_TypeError,
            "descriptor '%U' requires a subtype of '%.100s' but received '%.100s'",
            descr->d_name, descr->d_type->tp_name, ((PyTypeObject *)cls)->tp_name);
        return false;
    }
    return true;
}

static PyObject *
classdescr_get(PyObject *op, PyObject *obj, PyObject *cls)
{
    PyMethodDescrObject *descr = (PyMethodDescrObject *)op;
    if (cls == NULL) {
        if (obj == NULL) {
            PyErr_Format(PyExc_TypeError,
                         "descriptor '%U' for type '%.100s' needs either an object or a "
                         "type",
                         PyDescr_NAME(op), PyDescr_TYPE(op)->tp_name);
            return NULL;
        }
        cls = (PyObject *)Py_TYPE(obj);
    }
    if (!descr_applies_to_class(OURO_DESCR(op), cls)) {
        return NULL;
    }
    return PyCMethod_New(descr->d_method, cls, NULL, defining_class(descr));
}

static PyObject *
classdescr_vectorcall(PyObject *op, PyObject *const *args, size_t nargsf,
                      PyObject *kwnames)
{
    PyMethodDescrObject *descr = (PyMethodDescrObject *)op;
    Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
    if (!self_is_given(op, nargs) || !descr_applies_to_class(OURO_DESCR(op), args[0])) {
        return NULL;
    }
    return ouro_methoddef_vectorcall(descr->d_method, op, args[0], args + 1, nargs - 1,
                                     kwnames);
}

/* --- members -------------------------------------------------------------------------------------- */

/* The table entry with an offset that counts from the object. */
static PyMemberDef
member_within(PyMemberDescrObject *descr, PyObject *obj)
{
    PyMemberDef member = *descr->d_member;
    if (member.flags & Py_RELATIVE_OFFSET) {
        char *data = PyObject_GetTypeData(obj, descr->d_common.d_type);
        member.offset += data - (char *)obj;
        member.flags &= ~Py_RELATIVE_OFFSET;
    }
    return member;
}

static PyObject *
memberdescr_get(PyObject *op, PyObject *obj, PyObject *Py_UNUSED(cls))
{
    if (obj == NULL) {
        return Py_NewRef(op);
    }
    if (!ouro_descr_applies_to(OURO_DESCR(op), obj, ouro_wrong_object_to_get)) {
        return NULL;
    }
    PyMemberDef member = member_within((PyMemberDescrObject *)op, obj);
    return PyMember_GetOne((const char *)obj, &member);
}

static int
memberdescr_set(PyObject *op, PyObject *obj, PyObject *value)
{
    if (!ouro_descr_applies_to(OURO_DESCR(op), obj, ouro_wrong_object_to_get)) {
        return -1;
    }
    PyMemberDef member = member_within((PyMemberDescrObject *)op, obj);
    return PyMember_SetOne((char *)obj, &member, value);
}

/* --- getters and setters ------------------------------------------------------------------------------ */

static void
raise_not_accessible(PyObject *op, const char *format)
{
    PyErr_Format(PyExc_AttributeError, format, PyDescr_NAME(op),
                 PyDescr_TYPE(op)->tp_name);
}

static PyObject *
getsetdescr_get(PyObject *op, PyObject *obj, PyObject *Py_UNUSED(cls))
{
    PyGetSetDef *getset = ((PyGetSetDescrObject *)op)->d_getset;
    if (obj == NULL) {
        return Py_NewRef(op);
    }
    if (!ouro_descr_applies_to(OURO_DESCR(op), obj, ouro_wrong_object_to_get)) {
        return NULL;
    }
    if (getset->get == NULL) {
        raise_not_accessible(op, "attribute '%U' of '%.100s' objects is not readable");
        return NULL;
    }
    return getset->get(obj, getset->closure);
}

static int
getsetdescr_set(PyObject *op, PyObject *obj, PyObject *value)
{
    PyGetSetDef *getset = ((PyGetSetDescrObject *)op)->d_getset;
    if (!ouro_descr_applies_to(OURO_DESCR(op), obj, ouro_wrong_object_to_get)) {
        return -1;
    }
    if (getset->set == NULL) {
        raise_not_accessible(op, "attribute '%U' of '%.100s' objects is not writable");
        return -1;
    }
    return getset->set(obj, value, getset->closure);
}

/* --- attributes of descriptors ------------------------------------------------------------------------- */

PyObject *
ouro_descr_repr(PyObject *op, const char *what)
{
    return PyUnicode_FromFormat("<%s '%U' of '%s' objects>", what, PyDescr_NAME(op),
                                PyDescr_TYPE(op)->tp_name);
}

static PyObject *
methoddescr_repr(PyObject *op)
{
    return ouro_descr_repr(op, "method");
}

static PyObject *
memberdescr_repr(PyObject *op)
{
    return ouro_descr_repr(op, "member");
}

static PyObject *
getsetdescr_repr(PyObject *op)
{
    return ouro_descr_repr(op, "attribute");
}

PyObject *
ouro_descr_get_qualname(PyObject *op, void *Py_UNUSED(closure))
{
    PyDescrObject *descr = OURO_DESCR(op);
    /* A static type's descriptor is shared: it has no place for an object of one
     * interpreter. */
    if (descr->d_qualname != NULL) {
        return Py_NewRef(descr->d_qualname);
    }
    PyObject *type_name = PyType_GetQualName(descr->d_type);
    if (type_name == NULL) {
        return NULL;
    }
    PyObject *qualname = PyUnicode_FromFormat("%U.%U", type_name, descr->d_name);
    Py_DECREF(type_name);
    if (qualname != NULL && !_Py_IsImmortal(op)) {
        descr->d_qualname = Py_NewRef(qualname);
    }
    return qualname;
}

PyObject *
ouro_doc_text(const char *doc)
{
    return doc == NULL ? Py_NewRef(Py_None) : PyUnicode_FromString(doc);
}

static PyObject *
methoddescr_get_doc(PyObject *op, void *Py_UNUSED(closure))
{
    return ouro_doc_text(((PyMethodDescrObject *)op)->d_method->ml_doc);
}

static PyObject *
memberdescr_get_doc(PyObject *op, void *Py_UNUSED(closure))
{
    return ouro_doc_text(((PyMemberDescrObject *)op)->d_member->doc);
}

static PyObject *
getsetdescr_get_doc(PyObject *op, void *Py_UNUSED(closure))
{
    return ouro_doc_text(((PyGetSetDescrObject *)op)->d_getset->doc);
}

PyMemberDef ouro_descr_members[] = {
    {"__objclass__", _Py_T_OBJECT, offsetof(PyDescrObject, d_type), Py_READONLY, NULL},
    {"__name__", _Py_T_OBJECT, offsetof(PyDescrObject, d_name), Py_READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef methoddescr_getset[] = {
    {"__doc__", methoddescr_get_doc, NULL, NULL, NULL},
    {"__qualname__", ouro_descr_get_qualname, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyGetSetDef memberdescr_getset[] = {
    {"__doc__", memberdescr_get_doc, NULL, NULL, NULL},
    {"__qualname__", ouro_descr_get_qualname, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyGetSetDef getsetdescr_getset[] = {
    {"__doc__", getsetdescr_get_doc, NULL, NULL, NULL},
    {"__qualname__", ouro_descr_get_qualname, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

/* --- types ------------------------------------------------------------------------------------------------ */

PyTypeObject PyMethodDescr_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "method_descriptor",
    .tp_basicsize = sizeof(PyMethodDescrObject),
    .tp_dealloc = ouro_descr_dealloc,
    .tp_vectorcall_offset = offsetof(PyMethodDescrObject, vectorcall),
    .tp_repr = methoddescr_repr,
    .tp_call = PyVectorcall_Call,
    .tp_getattro = PyObject_GenericGetAttr,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                Py_TPFLAGS_METHOD_DESCRIPTOR | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_traverse = ouro_descr_traverse,
    .tp_members = ouro_descr_members,
    .tp_getset = methoddescr_getset,
    .tp_descr_get = methoddescr_get,
};

PyTypeObject PyClassMethodDescr_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "classmethod_descriptor",
    .tp_basicsize = sizeof(PyMethodDescrObject),
    .tp_dealloc = ouro_descr_dealloc,
    .tp_vectorcall_offset = offsetof(PyMethodDescrObject, vectorcall),
    .tp_repr = methoddescr_repr,
    .tp_call = PyVectorcall_Call,
    .tp_getattro = PyObject_GenericGetAttr,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_traverse = ouro_descr_traverse,
    .tp_members = ouro_descr_members,
    .tp_getset = methoddescr_getset,
    .tp_descr_get = classdescr_get,
};

PyTypeObject PyMemberDescr_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "member_descriptor",
    .tp_basicsize = sizeof(PyMemberDescrObject),
    .tp_dealloc = ouro_descr_dealloc,
    .tp_repr = memberdescr_repr,
    .tp_getattro = PyObject_GenericGetAttr,
    .tp_flags =
        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_traverse = ouro_descr_traverse,
    .tp_members = ouro_descr_members,
    .tp_getset = memberdescr_getset,
    .tp_descr_get = memberdescr_get,
    .tp_descr_set = memberdescr_set,
};

PyTypeObject PyGetSetDescr_Type = {
    PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "getset_descriptor",
    .tp_basicsize = sizeof(PyGetSetDescrObject),
    .tp_dealloc = ouro_descr_dealloc,
    .tp_repr = getsetdescr_repr,
    .tp_getattro = PyObject_GenericGetAttr,
    .tp_flags =
        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_traverse = ouro_descr_traverse,
    .tp_members = ouro_descr_members,
    .tp_getset = getsetdescr_getset,
    .tp_descr_get = getsetdescr_get,
    .tp_descr_set = getsetdescr_set,
};
