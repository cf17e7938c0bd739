/* SPDX-License-Identifier: MIT */
/* str.format and str.format_map: text with {fields}.
 *
 * A field is {name!conversion:spec}; the name is followed by .attributes and [items], and
 * the specification may have fields itself, one level deep. Everything is cut out of the
 * template by bytes: what delimits it is ASCII. */
#include "str_methods.h"

#include "text_parts.h"

/* What the fields refer to. */
struct template_values {
    PyObject *const *args;
    Py_ssize_t nargs;
    PyObject *names;   /* of the keyword arguments, whose values follow args; or NULL */
    PyObject *mapping; /* of format_map; or NULL */
    Py_ssize_t next;   /* the number of the next {} */
    enum { NUMBERS_UNKNOWN, NUMBERS_AUTOMATIC, NUMBERS_GIVEN } numbering;
};

static int write_template(PyUnicodeWriter *writer, struct text_range in, int depth,
                          struct template_values *v);

static int
raise_template_error(const char *message)
{
    PyErr_SetString(PyExc_ValueError, message);
    return -1;
}

/* --- the object of a field -------------------------------------------------------------------------------- */

/* The number that a text consists of; -1 when it is none, -2 with ValueError. */
static Py_ssize_t
number_of_text(struct text_range text)
{
    Py_ssize_t value = 0;
    if (text.start == text.end) {
        return -1;
    }
    for (const char *p = text.start; p < text.end; p++) {
        if (*p < '0' || *p > '9') {
            return -1;
        }
        if (value > (PY_SSIZE_T_MAX - (*p - '0')) / 10) {
            return raise_template_error("Too many decimal digits in format string") - 1;
        }
        value = value * 10 + (*p - '0');
    }
    return value;
}

/* The number of a field that has none: counted, unless others have numbers. */
static Py_ssize_t
number_of_field(struct template_values *v, Py_ssize_t given)
{
    if (v->mapping == NULL) {
        if (given < 0 && v->numbering == NUMBERS_GIVEN) {
            return raise_template_error(
                "cannot switch from manual field specification to "
                "automatic field numbering");
        }
        if (given >= 0 && v->numbering == NUMBERS_AUTOMATIC) {
            return raise_template_error("cannot switch from automatic field numbering to "
                                        "manual field specification");
        }
    }
    v->numbering = given < 0 ? NUMBERS_AUTOMATIC : NUMBERS_GIVEN;
    return given < 0 ? v->next++ : given;
}

static PyObject *
value_by_number(struct template_values *v, Py_ssize_t number)
{
    if (number < 0) {
        return NULL;
    }
    if (v->mapping != NULL) {
        raise_template_error("Format string contains positional fields");
        return NULL;
    }
    if (number >= v->nargs) {
        return PyErr_Format(
            PyExc_IndexError,
            "Replacement index %zd out of range for positional args tuple", number);
    }
    return Py_NewRef(v->args[number]);
}

static PyObject *
value_by_name(struct template_values *v, struct text_range name)
{
    PyObject *key = ouro_str_copy(name.start, ouro_text_size(name)), *value = NULL;
    if (key == NULL) {
        return NULL;
    }
    if (v->mapping != NULL) {
        value = PyObject_GetItem(v->mapping, key);
    } else {
        Py_ssize_t count = v->names == NULL ? 0 : PyTuple_GET_SIZE(v->names);
        for (Py_ssize_t i = 0; i < count && value == NULL; i++) {
            if (PyUnicode_Compare(PyTuple_GET_ITEM(v->names, i), key) == 0) {
                value = Py_NewRef(v->args[v->nargs + i]);
            }
        }
        if (value == NULL) {
            PyErr_SetObject(PyExc_KeyError, key);
        }
    }
    Py_DECREF(key);
    return value;
}

/* Replace *value by its attribute. */
static int
take_attribute(PyObject **value, struct text_range name)
{
    if (name.start == name.end) {
        return raise_template_error("Empty attribute in format string");
    }
    PyObject *key = ouro_str_copy(name.start, ouro_text_size(name));
    PyObject *attribute = key == NULL ? NULL : PyObject_GetAttr(*value, key);
    Py_XDECREF(key);
    Py_SETREF(*value, attribute);
    return attribute == NULL ? -1 : 0;
}

/* Replace *value by its item: an index when it is a number. */
static int
take_item(PyObject **value, struct text_range name)
{
    if (name.start == name.end) {
        return raise_template_error("Empty attribute in format string");
    }
    Py_ssize_t number = number_of_text(name);
    if (number == -2) {
        return -1;
    }
    PyObject *key = number >= 0 ? PyLong_FromSsize_t(number)
                                : ouro_str_copy(name.start, ouro_text_size(name));
    PyObject *item = key == NULL ? NULL : PyObject_GetItem(*value, key);
    Py_XDECREF(key);
    Py_SETREF(*value, item);
    return item == NULL ? -1 : 0;
}

/* Follow .attributes and [items] from the first object on. */
static int
follow_path(PyObject **value, struct text_range path)
{
    while (path.start < path.end) {
        const char *from = path.start + 1, *stop = from;
        if (*path.start == '.') {
            while (stop < path.end && *stop != '.' && *stop != '[') {
                stop++;
            }
            path.start = stop;
            if (take_attribute(value, (struct text_range){from, stop}) < 0) {
                return -1;
            }
        } else if (*path.start == '[') {
            stop = memchr(from, ']', (size_t)(path.end - from));
            if (stop == NULL) {
                return raise_template_error("Missing ']' in format string");
            }
            path.start = stop + 1;
            if (take_item(value, (struct text_range){from, stop}) < 0) {
                return -1;
            }
        } else {
            return raise_template_error(
                "Only '.' or '[' may follow ']' in format field specifier");
        }
    }
    return 0;
}

/* The object that a field's name stands for. New reference. */
static PyObject *
value_of_field(struct template_values *v, struct text_range name)
{
    struct text_range first = name;
    first.end = name.start;
    while (first.end < name.end && *first.end != '.' && *first.end != '[') {
        first.end++;
    }
    Py_ssize_t number = number_of_text(first);
    if (number == -2) {
        return NULL;
    }
    PyObject *value = number >= 0 || first.start == first.end
                          ? value_by_number(v, number_of_field(v, number))
                          : value_by_name(v, first);
    if (value != NULL &&
        follow_path(&value, (struct text_range){first.end, name.end}) < 0) {
        Py_CLEAR(value);
    }
    return value;
}

/* --- a field ------------------------------------------------------------------------------------------------ */

struct template_field {
    struct text_range name, spec;
    Py_UCS4 conversion; /* 0 for none */
};

/* Apply !r, !s, !a. Steals `value`. */
static PyObject *
convert_value(PyObject *value, Py_UCS4 conversion)
{
    PyObject *text = NULL;
    switch (conversion) {
    case 0:
        return value;
    case 'r':
        text = PyObject_Repr(value);
        break;
    case 's':
        text = PyObject_Str(value);
        break;
    case 'a':
        text = PyObject_ASCII(value);
        break;
    default:
        if (conversion > 32 && conversion < 127) {
            PyErr_Format(PyExc_ValueError, "Unknown conversion specifier %c",
                         (int)conversion);
        } else {
            PyErr_Format(PyExc_ValueError, "Unknown conversion specifier \\x%x",
                         (unsigned)conversion);
        }
        break;
    }
    Py_DECREF(value);
    return text;
}

/* The specification with its own fields filled in. New reference. */
static PyObject *
expand_spec(struct text_range spec, int depth, struct template_values *v)
{
    if (memchr(spec.start, '{', (size_t)ouro_text_size(spec)) == NULL &&
        memchr(spec.start, '}', (size_t)ouro_text_size(spec)) == NULL) {
        return ouro_str_copy(spec.start, ouro_text_size(spec));
    }
    PyUnicodeWriter *writer = PyUnicodeWriter_Create(0);
    if (writer == NULL) {
        return NULL;
    }
    if (write_template(writer, spec, depth - 1, v) < 0) {
        PyUnicodeWriter_Discard(writer);
        return NULL;
    }
    return PyUnicodeWriter_Finish(writer);
}

static int
write_field(PyUnicodeWriter *writer, const struct template_field *field, int depth,
            struct template_values *v)
{
    PyObject *value = value_of_field(v, field->name);
    value = value == NULL ? NULL : convert_value(value, field->conversion);
    if (value == NULL) {
        return -1;
    }
    PyObject *spec = expand_spec(field->spec, depth, v);
    PyObject *text = spec == NULL ? NULL : PyObject_Format(value, spec);
    int result = text == NULL ? -1 : PyUnicodeWriter_WriteStr(writer, text);
    Py_XDECREF(text);
    Py_XDECREF(spec);
    Py_DECREF(value);
    return result;
}

/* --- parsing ---------------------------------------------------------------------------------------------------- */

/* The conversion and the colon, from the ! on; `in` is moved to the specification. */
static int
parse_conversion(struct text_range *in, Py_UCS4 *conversion)
{
    in->start++;
    if (in->start == in->end) {
        return raise_template_error(
            "end of string while looking for conversion specifier");
    }
    *conversion = ouro_utf8_next(&in->start);
    if (in->start < in->end && *in->start != ':' && *in->start != '}') {
        return raise_template_error("expected ':' after conversion specifier");
    }
    return 0;
}

/* The field behind a {; `in` is moved behind its }. */
static int
parse_field(struct text_range *in, struct template_field *field)
{
    *field = (struct template_field){.name = {in->start, in->start}};
    bool in_item = false;
    for (; in->start < in->end; in->start++) {
        char c = *in->start;
        if (c == '{') {
            return raise_template_error("unexpected '{' in field name");
        }
        in_item = c == '[' || (in_item && c != ']');
        if (!in_item && (c == '}' || c == ':' || c == '!')) {
            break;
        }
    }
    field->name.end = in->start;
    if (in->start == in->end) {
        return raise_template_error("expected '}' before end of string");
    }
    if (*in->start == '!' && parse_conversion(in, &field->conversion) < 0) {
        return -1;
    }
    field->spec = (struct text_range){in->start, in->start};
    if (in->start < in->end && *in->start == ':') {
        field->spec.start = ++in->start;
        for (int open = 0; in->start < in->end; in->start++) {
            open += *in->start == '{';
            if (*in->start == '}' && open-- == 0) {
                break;
            }
        }
        field->spec.end = in->start;
    }
    if (in->start == in->end) {
        return raise_template_error("unmatched '{' in format spec");
    }
    in->start++;
    return 0;
}

/* Write the text up to the next field, with {{ and }} as one brace. 1 when there is a
 * field, 0 at the end, -1 with an exception. */
static int
write_literal(PyUnicodeWriter *writer, struct text_range *in)
{
    while (in->start < in->end) {
        const char *stop = in->start;
        while (stop < in->end && *stop != '{' && *stop != '}') {
            stop++;
        }
        bool doubled = stop + 1 < in->end && stop[1] == *stop;
        /* A doubled brace is written with the text in front of it. */
        if (ouro_writer_put(writer, (struct text_range){in->start, stop + doubled}) < 0) {
            return -1;
        }
        if (stop == in->end) {
            break;
        }
        in->start = stop + 1 + doubled;
        if (doubled) {
            continue;
        }
        if (*stop == '}') {
            return raise_template_error("Single '}' encountered in format string");
        }
        if (in->start == in->end) {
            return raise_template_error("Single '{' encountered in format string");
        }
        return 1;
    }
    return 0;
}

static int
write_template(PyUnicodeWriter *writer, struct text_range in, int depth,
               struct template_values *v)
{
    if (depth < 0) {
        return raise_template_error("Max string recursion exceeded");
    }
    int more;
    while ((more = write_literal(writer, &in)) > 0) {
        struct template_field field;
        if (parse_field(&in, &field) < 0 || write_field(writer, &field, depth, v) < 0) {
            return -1;
        }
    }
    return more;
}

static PyObject *
fill_template(PyObject *self, struct template_values *v)
{
    struct text_range in = ouro_str_utf8(self);
    PyUnicodeWriter *writer =
        in.start == NULL ? NULL : PyUnicodeWriter_Create(ouro_text_size(in));
    if (writer == NULL) {
        return NULL;
    }
    if (write_template(writer, in, 1, v) < 0) {
        PyUnicodeWriter_Discard(writer);
        return NULL;
    }
    return PyUnicodeWriter_Finish(writer);
}

PyObject *
ouro_str_format(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                PyObject *kwnames)
{
    struct template_values v = {.args = args, .nargs = nargs, .names = kwnames};
    return fill_template(self, &v);
}

PyObject *
ouro_str_format_map(PyObject *self, PyObject *mapping)
{
    struct template_values v = {.mapping = mapping};
    return fill_template(self, &v);
}
