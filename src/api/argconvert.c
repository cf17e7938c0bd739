/* SPDX-License-Identifier: MIT */
/* What one unit of a format does with one argument.
 *
 * Each function takes the C arguments of its unit first. If there is no argument to convert, it
 * stops there. So parsing a unit and skipping it cannot disagree. */
#include "argparse.h"

/* --- refusing ------------------------------------------------------------------------------ */

static bool
problem_is_format(struct arg_parse *p, const char *what)
{
    snprintf(p->problem, sizeof(p->problem), "(%s)", what);
    p->bad_format = true;
    return false;
}

static const char *
name_for_problem(PyObject *arg)
{
    return arg == Py_None ? "None" : Py_TYPE(arg)->tp_name;
}

static bool
problem_is_type(struct arg_parse *p, const char *expected, PyObject *arg)
{
    snprintf(p->problem, sizeof(p->problem), "must be %.50s, not %.50s", expected,
             name_for_problem(arg));
    return false;
}

static void
add_undo(struct arg_parse *p, struct arg_undo undo)
{
    p->undo[p->undo_count++] = undo;
}

/* --- numbers ------------------------------------------------------------------------------ */

static bool
store_checked(long value, long min, long max, const char *name)
{
    if (value == -1 && PyErr_Occurred()) {
        return false;
    }
    if (value >= min && value <= max) {
        return true;
    }
    PyErr_Format(PyExc_OverflowError, "%s is %s", name,
                 value < min ? "less than minimum" : "greater than maximum");
    return false;
}

static bool
convert_checked_int(char unit, void *target, PyObject *arg)
{
    long value = PyLong_AsLong(arg);
    switch (unit) {
    case 'b':
        if (!store_checked(value, 0, UCHAR_MAX, "unsigned byte integer")) {
            return false;
        }
        *(unsigned char *)target = (unsigned char)value;
        return true;
    case 'h':
        if (!store_checked(value, SHRT_MIN, SHRT_MAX, "signed short integer")) {
            return false;
        }
        *(short *)target = (short)value;
        return true;
    case 'i':
        if (!store_checked(value, INT_MIN, INT_MAX, "signed integer")) {
            return false;
        }
        *(int *)target = (int)value;
        return true;
    default:
        if (value == -1 && PyErr_Occurred()) {
            return false;
        }
        *(long *)target = value;
        return true;
    }
}

/* Is an int neither above the largest unsigned nor below the smallest signed value? */
static bool
fits_unsigned(PyObject *value, int bits)
{
    int overflow;
    long long small = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow != 0) {
        return overflow > 0 && bits == 64 && _PyLong_NumBits(value) <= 64;
    }
    return bits == 64 || (small >= -(1LL << (bits - 1)) && small < 1LL << bits);
}

/* The value modulo 2^bits; a value that does not fit is deprecated. */
static bool
take_unsigned(PyObject *arg, int bits, unsigned long long *value)
{
    PyObject *index = PyNumber_Index(arg);
    if (index == NULL) {
        return false;
    }
    *value = PyLong_AsUnsignedLongLongMask(index);
    bool fits = fits_unsigned(index, bits);
    Py_DECREF(index);
    return fits ||
           PyErr_WarnEx(PyExc_DeprecationWarning, "integer value out of range", 1) == 0;
}

static bool
convert_unsigned_int(struct arg_parse *p, char unit, void *target, PyObject *arg)
{
    if ((unit == 'k' || unit == 'K') && !PyIndex_Check(arg)) {
        return problem_is_type(p, "int", arg);
    }
    int bits = unit == 'B' ? 8 : unit == 'H' ? 16 : unit == 'I' ? 32 : 64;
    unsigned long long value;
    if (!take_unsigned(arg, bits, &value)) {
        return false;
    }
    switch (unit) {
    case 'B':
        *(unsigned char *)target = (unsigned char)value;
        break;
    case 'H':
        *(unsigned short *)target = (unsigned short)value;
        break;
    case 'I':
        *(unsigned int *)target = (unsigned int)value;
        break;
    case 'k':
        *(unsigned long *)target = (unsigned long)value;
        break;
    default:
        *(unsigned long long *)target = value;
    }
    return true;
}

static bool
convert_long_long(void *target, PyObject *arg)
{
    long long value = PyLong_AsLongLong(arg);
    if (value == -1 && PyErr_Occurred()) {
        return false;
    }
    *(long long *)target = value;
    return true;
}

static bool
convert_size(void *target, PyObject *arg)
{
    PyObject *index = PyNumber_Index(arg);
    if (index == NULL) {
        return false;
    }
    Py_ssize_t value = PyLong_AsSsize_t(index);
    Py_DECREF(index);
    if (value == -1 && PyErr_Occurred()) {
        return false;
    }
    *(Py_ssize_t *)target = value;
    return true;
}

static bool
convert_float(char unit, void *target, PyObject *arg)
{
    double value = PyFloat_AsDouble(arg);
    if (value == -1.0 && PyErr_Occurred()) {
        return false;
    }
    if (unit == 'f') {
        *(float *)target = (float)value;
    } else {
        *(double *)target = value;
    }
    return true;
}

static bool
convert_complex(void *target, PyObject *arg)
{
    Py_complex value = PyComplex_AsCComplex(arg);
    if (value.real == -1.0 && PyErr_Occurred()) {
        return false;
    }
    *(Py_complex *)target = value;
    return true;
}

static bool
convert_truth(void *target, PyObject *arg)
{
    int truth = PyObject_IsTrue(arg);
    if (truth < 0) {
        return false;
    }
    *(int *)target = truth;
    return true;
}

/* --- single characters ----------------------------------------------------------------------- */

static bool
convert_byte(struct arg_parse *p, void *target, PyObject *arg)
{
    bool is_array = PyByteArray_Check(arg);
    if (!is_array && !PyBytes_Check(arg)) {
        return problem_is_type(p, "a byte string of length 1", arg);
    }
    if (Py_SIZE(arg) != 1) {
        snprintf(p->problem, sizeof(p->problem),
                 "must be a byte string of length 1, not a %s object of length %zd",
                 is_array ? "bytearray" : "bytes", Py_SIZE(arg));
        return false;
    }
    *(char *)target =
        is_array ? PyByteArray_AS_STRING(arg)[0] : PyBytes_AS_STRING(arg)[0];
    return true;
}

static bool
convert_character(struct arg_parse *p, void *target, PyObject *arg)
{
    if (!PyUnicode_Check(arg)) {
        return problem_is_type(p, "a unicode character", arg);
    }
    if (PyUnicode_GET_LENGTH(arg) != 1) {
        snprintf(p->problem, sizeof(p->problem),
                 "must be a unicode character, not a string of length %zd",
                 PyUnicode_GET_LENGTH(arg));
        return false;
    }
    *(int *)target = (int)PyUnicode_ReadChar(arg, 0);
    return true;
}

/* --- strings and buffers ----------------------------------------------------------------------- */

/* A contiguous view of `arg`. */
static bool
take_view(struct arg_parse *p, PyObject *arg, Py_buffer *view)
{
    if (PyObject_GetBuffer(arg, view, PyBUF_SIMPLE) < 0) {
        return false;
    }
    if (!PyBuffer_IsContiguous(view, 'C')) {
        PyBuffer_Release(view);
        return problem_is_type(p, "contiguous buffer", arg);
    }
    return true;
}

/* The bytes of a str or, unless only str is allowed, of a read-only bytes-like object. They
 * live as long as `arg`: an object that needs no release does not move its memory. */
static bool
borrow_bytes(struct arg_parse *p, char unit, PyObject *arg, const char **text,
             Py_ssize_t *size)
{
    if (unit != 'y' && PyUnicode_Check(arg)) {
        *text = PyUnicode_AsUTF8AndSize(arg, size);
        return *text != NULL;
    }
    const PyBufferProcs *procs = Py_TYPE(arg)->tp_as_buffer;
    if (procs != NULL && procs->bf_releasebuffer != NULL) {
        return problem_is_type(p, "read-only bytes-like object", arg);
    }
    Py_buffer view;
    if (!take_view(p, arg, &view)) {
        return false;
    }
    *text = view.buf;
    *size = view.len;
    PyBuffer_Release(&view);
    return true;
}

/* s* z* y* */
static bool
convert_view(struct arg_parse *p, char unit, PyObject *arg)
{
    Py_buffer *view = va_arg(p->targets, Py_buffer *);
    if (arg == NULL) {
        return true;
    }
    if (unit == 'z' && arg == Py_None) {
        return PyBuffer_FillInfo(view, NULL, NULL, 0, 1, 0) == 0;
    }
    if (unit != 'y' && PyUnicode_Check(arg)) {
        Py_ssize_t size;
        const char *text = PyUnicode_AsUTF8AndSize(arg, &size);
        if (text == NULL || PyBuffer_FillInfo(view, arg, (char *)text, size, 1, 0) < 0) {
            return false;
        }
    } else if (!take_view(p, arg, view)) {
        return false;
    }
    add_undo(p, (struct arg_undo){.view = view});
    return true;
}

/* s# z# y# */
static bool
convert_sized(struct arg_parse *p, char unit, PyObject *arg)
{
    const char **target = va_arg(p->targets, const char **);
    Py_ssize_t *size = va_arg(p->targets, Py_ssize_t *);
    if (arg == NULL) {
        return true;
    }
    if (unit == 'z' && arg == Py_None) {
        *target = NULL;
        *size = 0;
        return true;
    }
    return borrow_bytes(p, unit, arg, target, size);
}

/* s z y */
static bool
convert_text(struct arg_parse *p, char unit, PyObject *arg)
{
    const char **target = va_arg(p->targets, const char **), *text;
    if (arg == NULL) {
        return true;
    }
    if (unit == 'z' && arg == Py_None) {
        *target = NULL;
        return true;
    }
    if (unit != 'y' && !PyUnicode_Check(arg)) {
        return problem_is_type(p, unit == 's' ? "str" : "str or None", arg);
    }
    Py_ssize_t size;
    if (!borrow_bytes(p, unit, arg, &text, &size)) {
        return false;
    }
    if (size > 0 && memchr(text, '\0', (size_t)size) != NULL) {
        PyErr_SetString(PyExc_ValueError,
                        unit == 'y' ? "embedded null byte" : "embedded null character");
        return false;
    }
    *target = text;
    return true;
}

/* w* */
static bool
convert_writable(struct arg_parse *p, PyObject *arg)
{
    Py_buffer *view = va_arg(p->targets, Py_buffer *);
    if (arg == NULL) {
        return true;
    }
    if (PyObject_GetBuffer(arg, view, PyBUF_WRITABLE) < 0) {
        PyErr_Clear();
        return problem_is_type(p, "read-write bytes-like object", arg);
    }
    if (!PyBuffer_IsContiguous(view, 'C')) {
        PyBuffer_Release(view);
        return problem_is_type(p, "contiguous buffer", arg);
    }
    add_undo(p, (struct arg_undo){.view = view});
    return true;
}

static bool
convert_string(struct arg_parse *p, char unit, PyObject *arg)
{
    switch (*p->format) {
    case '*':
        p->format++;
        return convert_view(p, unit, arg);
    case '#':
        p->format++;
        return convert_sized(p, unit, arg);
    default:
        return convert_text(p, unit, arg);
    }
}

/* --- encoded text ---------------------------------------------------------------------------------- */

/* Copy the encoded text and a NUL to the buffer, which is allocated if there is none. */
static bool
store_encoded(struct arg_parse *p, PyObject *arg, PyObject *encoded, char **buffer,
              Py_ssize_t *size)
{
    const char *text = PyBytes_AS_STRING(encoded);
    Py_ssize_t length = PyBytes_GET_SIZE(encoded);
    if (size == NULL && strlen(text) != (size_t)length) {
        return problem_is_type(p, "encoded string without null bytes", arg);
    }
    if (size == NULL || *buffer == NULL) {
        *buffer = PyMem_Malloc((size_t)length + 1);
        if (*buffer == NULL) {
            PyErr_NoMemory();
            return false;
        }
        add_undo(p, (struct arg_undo){.memory = buffer});
    } else if (length + 1 > *size) {
        PyErr_Format(PyExc_ValueError,
                     "encoded string too long (%zd, maximum length %zd)", length,
                     *size - 1);
        return false;
    }
    memcpy(*buffer, text, (size_t)length + 1);
    if (size != NULL) {
        *size = length;
    }
    return true;
}

/* es et es# et#; the e has been read. */
static bool
convert_encoded(struct arg_parse *p, PyObject *arg)
{
    char kind = *p->format;
    if (kind != 's' && kind != 't') {
        return problem_is_format(p, "unknown parser marker combination");
    }
    p->format++;
    const char *encoding = va_arg(p->targets, const char *);
    char **buffer = va_arg(p->targets, char **);
    Py_ssize_t *size = NULL;
    if (*p->format == '#') {
        p->format++;
        size = va_arg(p->targets, Py_ssize_t *);
        if (size == NULL) {
            return problem_is_format(p, "buffer_len is NULL");
        }
    }
    if (buffer == NULL) {
        return problem_is_format(p, "buffer is NULL");
    }
    if (arg == NULL) {
        return true;
    }
    PyObject *encoded;
    if (kind == 't' && (PyBytes_Check(arg) || PyByteArray_Check(arg))) {
        encoded = PyBytes_FromObject(arg);
    } else if (PyUnicode_Check(arg)) {
        encoded = PyUnicode_AsEncodedString(arg, encoding, NULL);
    } else {
        return problem_is_type(p, kind == 's' ? "str" : "str, bytes or bytearray", arg);
    }
    bool stored = encoded != NULL && store_encoded(p, arg, encoded, buffer, size);
    Py_XDECREF(encoded);
    return stored;
}

/* --- objects ---------------------------------------------------------------------------------------- */

/* O& */
static bool
convert_by_function(struct arg_parse *p, PyObject *arg)
{
    typedef int (*converter_function)(PyObject *, void *);
    converter_function converter = va_arg(p->targets, converter_function);
    void *target = va_arg(p->targets, void *);
    if (arg == NULL) {
        return true;
    }
    int result = converter(arg, target);
    if (result == 0) {
        return problem_is_format(p, "unspecified");
    }
    if (result == Py_CLEANUP_SUPPORTED) {
        add_undo(p, (struct arg_undo){.converter = converter, .target = target});
    }
    return true;
}

/* O O! O& */
static bool
convert_object(struct arg_parse *p, PyObject *arg)
{
    PyTypeObject *type = NULL;
    if (*p->format == '&') {
        p->format++;
        return convert_by_function(p, arg);
    }
    if (*p->format == '!') {
        p->format++;
        type = va_arg(p->targets, PyTypeObject *);
    }
    PyObject **target = va_arg(p->targets, PyObject **);
    if (arg == NULL) {
        return true;
    }
    if (type != NULL && !PyObject_TypeCheck(arg, type)) {
        return problem_is_type(p, type->tp_name, arg);
    }
    *target = arg;
    return true;
}

/* S Y U */
static bool
convert_instance(struct arg_parse *p, PyTypeObject *type, PyObject *arg)
{
    PyObject **target = va_arg(p->targets, PyObject **);
    if (arg == NULL) {
        return true;
    }
    if (!PyObject_TypeCheck(arg, type)) {
        return problem_is_type(p, type->tp_name, arg);
    }
    *target = arg;
    return true;
}

/* --- one unit ------------------------------------------------------------------------------------------ */

/* The units that store one value through one pointer. */
static bool
convert_scalar(struct arg_parse *p, char unit, PyObject *arg)
{
    void *target = va_arg(p->targets, void *);
    if (arg == NULL) {
        return true;
    }
    switch (unit) {
    case 'c':
        return convert_byte(p, target, arg);
    case 'C':
        return convert_character(p, target, arg);
    case 'f':
    case 'd':
        return convert_float(unit, target, arg);
    case 'D':
        return convert_complex(target, arg);
    case 'p':
        return convert_truth(target, arg);
    case 'n':
        return convert_size(target, arg);
    case 'L':
        return convert_long_long(target, arg);
    case 'B':
    case 'H':
    case 'I':
    case 'k':
    case 'K':
        return convert_unsigned_int(p, unit, target, arg);
    default:
        return convert_checked_int(unit, target, arg);
    }
}

static bool
convert_unit(struct arg_parse *p, PyObject *arg)
{
    char unit = *p->format++;
    switch (unit) {
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'B':
    case 'H':
    case 'I':
    case 'k':
    case 'K':
    case 'L':
    case 'n':
    case 'f':
    case 'd':
    case 'D':
    case 'p':
    case 'c':
    case 'C':
        return convert_scalar(p, unit, arg);
    case 's':
    case 'z':
    case 'y':
        return convert_string(p, unit, arg);
    case 'e':
        return convert_encoded(p, arg);
    case 'O':
        return convert_object(p, arg);
    case 'S':
        return convert_instance(p, &PyBytes_Type, arg);
    case 'Y':
        return convert_instance(p, &PyByteArray_Type, arg);
    case 'U':
        return convert_instance(p, &PyUnicode_Type, arg);
    case 'w':
        if (*p->format == '*') {
            p->format++;
            return convert_writable(p, arg);
        }
        return problem_is_format(p, "invalid use of 'w' format character");
    default:
        p->format--;
        snprintf(p->problem, sizeof(p->problem), "(bad format char '%c')", unit);
        p->bad_format = true;
        return false;
    }
}

/* --- nested tuples ---------------------------------------------------------------------------------------- */

/* Do the units up to the closing parenthesis store pointers into the items? Such pointers are
 * only valid if a tuple holds the items. */
static bool
units_borrow(const char *format)
{
    int level = 0;
    for (; level > 0 || *format != ')'; format++) {
        level += *format == '(';
        level -= *format == ')';
        bool owns = format[1] == '*' || format[1] == '&';
        if (*format == 'e') {
            format++;
        } else if (strchr("szyOSYU", *format) != NULL && !owns) {
            return true;
        }
    }
    return false;
}

/* Can `arg` be taken apart into `count` items? */
static bool
nested_fits(struct arg_parse *p, PyObject *arg, int count)
{
    bool is_tuple = PyTuple_Check(arg);
    bool borrows = is_tuple || units_borrow(p->format);
    if (!is_tuple && (!PySequence_Check(arg) || PyUnicode_Check(arg) ||
                      PyBytes_Check(arg) || PyByteArray_Check(arg))) {
        snprintf(p->problem, sizeof(p->problem), "must be %d-item tuple, not %.50s",
                 count, name_for_problem(arg));
        return false;
    }
    if (!is_tuple && borrows &&
        PyErr_WarnFormat(PyExc_DeprecationWarning, 0,
                         "argument must be %d-item tuple, not %T", count, arg) < 0) {
        return false;
    }
    Py_ssize_t length = PySequence_Size(arg);
    if (length == count) {
        return true;
    }
    if (length >= 0) {
        snprintf(p->problem, sizeof(p->problem), "must be %s of length %d, not %zd",
                 borrows ? "tuple" : "sequence", count, length);
    }
    return false;
}

/* The units up to the closing parenthesis, which is passed; the opening one has been. */
static bool
convert_nested(struct arg_parse *p, PyObject *arg)
{
    int count = ouro_arg_count_units(p->format);
    if (arg != NULL && !nested_fits(p, arg, count)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        PyObject *item = NULL;
        p->path[p->depth++] = i;
        if (arg != NULL && (item = PySequence_GetItem(arg, i)) == NULL) {
            PyErr_Clear();
            snprintf(p->problem, sizeof(p->problem), "is not retrievable");
            return false;
        }
        bool converted = ouro_arg_convert(p, item);
        Py_XDECREF(item);
        if (!converted) {
            return false;
        }
        p->depth--;
    }
    if (*p->format != ')') {
        return convert_unit(p, NULL);
    }
    p->format++;
    return true;
}

bool
ouro_arg_convert(struct arg_parse *p, PyObject *arg)
{
    if (*p->format == '(') {
        p->format++;
        return convert_nested(p, arg);
    }
    return convert_unit(p, arg);
}
