/* SPDX-License-Identifier: MIT */
/* Encodings by name, as objects; see str_codec.c for the encodings themselves. */
#include <Python.h>

int
PyCodec_KnownEncoding(const char *encoding)
{
    PyObject *nothing = PyUnicode_Decode("", 0, encoding, NULL);
    int known = nothing != NULL;
    Py_XDECREF(nothing);
    PyErr_Clear();
    return known;
}

PyObject *
PyCodec_Encode(PyObject *object, const char *encoding, const char *errors)
{
    if (!PyUnicode_Check(object)) {
        return PyErr_Format(PyExc_TypeError, "encode() argument must be str, not %.200s",
                            Py_TYPE(object)->tp_name);
    }
    return PyUnicode_AsEncodedString(object, encoding, errors);
}

PyObject *
PyCodec_Decode(PyObject *object, const char *encoding, const char *errors)
{
    return PyUnicode_FromEncodedObject(object, encoding, errors);
}

/* --- old names for str ------------------------------------------------------------------- */

static PyObject *
convert_str(PyObject *unicode, const char *encoding, const char *errors,
            PyObject *(*convert)(PyObject *, const char *, const char *))
{
    if (!PyUnicode_Check(unicode)) {
        PyErr_BadArgument();
        return NULL;
    }
    return convert(unicode, encoding == NULL ? "utf-8" : encoding, errors);
}

/* Takes `result`, which must be a str. */
static PyObject *
demand_str(PyObject *result, const char *what)
{
    if (result != NULL && !PyUnicode_Check(result)) {
        PyErr_Format(PyExc_TypeError, "%s returned '%.400s' instead of 'str'", what,
                     Py_TYPE(result)->tp_name);
        Py_CLEAR(result);
    }
    return result;
}

PyObject *
PyUnicode_AsEncodedObject(PyObject *unicode, const char *encoding, const char *errors)
{
    return convert_str(unicode, encoding, errors, PyCodec_Encode);
}

PyObject *
PyUnicode_AsEncodedUnicode(PyObject *unicode, const char *encoding, const char *errors)
{
    return demand_str(PyUnicode_AsEncodedObject(unicode, encoding, errors), "encoder");
}

PyObject *
PyUnicode_AsDecodedObject(PyObject *unicode, const char *encoding, const char *errors)
{
    return convert_str(unicode, encoding, errors, PyCodec_Decode);
}

PyObject *
PyUnicode_AsDecodedUnicode(PyObject *unicode, const char *encoding, const char *errors)
{
    return demand_str(PyUnicode_AsDecodedObject(unicode, encoding, errors), "decoder");
}

/* --- as functions ------------------------------------------------------------------------- */

typedef PyObject *(*codec_function)(PyObject *, const char *, const char *);

/* `self` is the name of the encoding. */
static PyObject *
call_codec(PyObject *self, PyObject *args, codec_function function)
{
    PyObject *object;
    const char *errors = NULL, *encoding = PyUnicode_AsUTF8(self);
    if (encoding == NULL || !PyArg_ParseTuple(args, "O|z", &object, &errors)) {
        return NULL;
    }
    PyObject *result = function(object, encoding, errors);
    return result == NULL ? NULL : Py_BuildValue("(Nn)", result, PyObject_Size(object));
}

static PyObject *
encode_by_name(PyObject *self, PyObject *args)
{
    return call_codec(self, args, PyCodec_Encode);
}

static PyObject *
decode_by_name(PyObject *self, PyObject *args)
{
    return call_codec(self, args, PyCodec_Decode);
}

static PyObject *
new_codec_function(PyMethodDef *method, const char *encoding)
{
    if (!PyCodec_KnownEncoding(encoding)) {
        return PyErr_Format(PyExc_LookupError, "unknown encoding: %.400s", encoding);
    }
    PyObject *name = PyUnicode_FromString(encoding);
    PyObject *function = name == NULL ? NULL : PyCFunction_New(method, name);
    Py_XDECREF(name);
    return function;
}

PyObject *
PyCodec_Encoder(const char *encoding)
{
    static PyMethodDef method = {"encode", encode_by_name, METH_VARARGS,
                                 "encode(object, errors='strict'): bytes, and how much."};
    return new_codec_function(&method, encoding);
}

PyObject *
PyCodec_Decoder(const char *encoding)
{
    static PyMethodDef method = {"decode", decode_by_name, METH_VARARGS,
                                 "decode(object, errors='strict'): str, and how much."};
    return new_codec_function(&method, encoding);
}
