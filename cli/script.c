/* SPDX-License-Identifier: MIT */
/* The scripts of `ouro check --script`: which calls to make, one statement a line.
 *
 *     # a comment
 *     node = linked.Node(1, "x", parent=None)
 *     node.next = node
 *     node["key"] = [node, (1, 2.5)]
 *     node.append(node)
 *     del node.next
 *     del node
 *     collect
 *
 * A value is a number, a string, None, True, False, a list, a tuple, a dict, a variable, the
 * module by its name, or a built-in such as list; behind it may stand .name, (arguments) and
 * [index]. What is not Python: no operators, no blocks, no definitions. After `collect`, and
 * in the end, all objects are audited. */
#include "cli.h"
#include "worker.h"

#include <ouro_check.h>
#include <ouroboros.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct script {
    const char *file;
    int line;
    const char *at;  /* what is still to be read of the line */
    PyObject *names; /* variables, and the module */
    PyObject *builtins;
};

/* ---- characters -------------------------------------------------------------------------- */

static void
skip_blanks(struct script *script)
{
    while (*script->at == ' ' || *script->at == '\t') {
        script->at++;
    }
}

/* Take this character if it is next. */
static bool
take(struct script *script, char character)
{
    skip_blanks(script);
    if (*script->at != character) {
        return false;
    }
    script->at++;
    return true;
}

static bool
is_at_end(struct script *script)
{
    skip_blanks(script);
    return *script->at == '\0' || *script->at == '#';
}

static void *
raise_syntax(const char *text)
{
    if (!PyErr_Occurred()) {
        PyErr_SetString(PyExc_SyntaxError, text);
    }
    return NULL;
}

static bool
demand(struct script *script, char character)
{
    if (take(script, character)) {
        return true;
    }
    char text[] = "expected '?'";
    text[10] = character;
    raise_syntax(text);
    return false;
}

/* A name, as a new str; NULL without an exception when there is none. */
static PyObject *
take_name(struct script *script)
{
    skip_blanks(script);
    const char *start = script->at;
    if (!isalpha((unsigned char)*start) && *start != '_') {
        return NULL;
    }
    while (isalnum((unsigned char)*script->at) || *script->at == '_') {
        script->at++;
    }
    return PyUnicode_FromStringAndSize(start, script->at - start);
}

/* Take this word if it is next. */
static bool
take_word(struct script *script, const char *word)
{
    size_t length = strlen(word);
    skip_blanks(script);
    char behind = script->at[strncmp(script->at, word, length) == 0 ? length : 0];
    if (strncmp(script->at, word, length) != 0 || isalnum((unsigned char)behind) ||
        behind == '_') {
        return false;
    }
    script->at += length;
    return true;
}

/* ---- values --------------------------------------------------------------------------------- */

static PyObject *take_value(struct script *script);

static PyObject *
take_number(struct script *script)
{
    char *end, *point;
    double real = strtod(script->at, &end);
    PyObject *number = PyLong_FromString(script->at, &point, 10);
    if (number == NULL || end > point) {
        Py_XDECREF(number);
        PyErr_Clear();
        number = PyFloat_FromDouble(real);
        point = end;
    }
    script->at = point;
    return number;
}

/* In single or double quotes; \n, \t, and a backslash before any other character. */
static PyObject *
take_string(struct script *script)
{
    char text[1000], quote = *script->at++;
    size_t length = 0;
    while (*script->at != quote) {
        char character = *script->at++;
        if (character == '\\' && *script->at != '\0') {
            character = *script->at++;
            character = character == 'n' ? '\n' : character == 't' ? '\t' : character;
        }
        if (character == '\0' || length == sizeof(text)) {
            script->at -= character == '\0';
            return raise_syntax("a string without its end, or too long");
        }
        text[length++] = character;
    }
    script->at++;
    return PyUnicode_FromStringAndSize(text, (Py_ssize_t)length);
}

/* Values with commas between them, up to `end`, appended to a list. *has_comma tells (x,)
 * from (x). */
static bool
take_values(struct script *script, char end, PyObject *list, bool *has_comma)
{
    bool done = true;
    while (done && !take(script, end)) {
        PyObject *value = take_value(script);
        done = value != NULL && PyList_Append(list, value) == 0;
        Py_XDECREF(value);
        if (done && !take(script, ',')) {
            return demand(script, end);
        }
        *has_comma = true;
    }
    return done;
}

static PyObject *
take_list(struct script *script)
{
    bool has_comma = false;
    PyObject *list = PyList_New(0);
    if (list != NULL && !take_values(script, ']', list, &has_comma)) {
        Py_CLEAR(list);
    }
    return list;
}

static PyObject *
take_tuple(struct script *script)
{
    bool has_comma = false;
    PyObject *list = PyList_New(0), *value = NULL;
    if (list != NULL && take_values(script, ')', list, &has_comma)) {
        value = PyList_Size(list) == 1 && !has_comma ? Py_NewRef(PyList_GetItem(list, 0))
                                                     : PyList_AsTuple(list);
    }
    Py_XDECREF(list);
    return value;
}

static bool
take_pair(struct script *script, PyObject *dict)
{
    PyObject *key = take_value(script);
    PyObject *value = key != NULL && demand(script, ':') ? take_value(script) : NULL;
    bool done = value != NULL && PyDict_SetItem(dict, key, value) == 0;
    Py_XDECREF(key);
    Py_XDECREF(value);
    return done;
}

static PyObject *
take_dict(struct script *script)
{
    PyObject *dict = PyDict_New();
    bool done = dict != NULL;
    while (done && !take(script, '}')) {
        done = take_pair(script, dict);
        if (done && !take(script, ',')) {
            done = demand(script, '}');
            break;
        }
    }
    if (!done) {
        Py_CLEAR(dict);
    }
    return dict;
}

static PyObject *
find_name(struct script *script, PyObject *name)
{
    PyObject *value = PyDict_GetItemWithError(script->names, name);
    if (value != NULL || PyErr_Occurred()) {
        return Py_XNewRef(value);
    }
    value = PyObject_GetAttr(script->builtins, name);
    if (value == NULL) {
        PyErr_Format(PyExc_NameError, "name '%U' is not defined", name);
    }
    return value;
}

static PyObject *
take_atom(struct script *script)
{
    skip_blanks(script);
    char next = *script->at;
    if (isdigit((unsigned char)next) || next == '-' || next == '.') {
        return take_number(script);
    }
    if (next == '"' || next == '\'') {
        return take_string(script);
    }
    if (take(script, '[')) {
        return take_list(script);
    }
    if (take(script, '(')) {
        return take_tuple(script);
    }
    if (take(script, '{')) {
        return take_dict(script);
    }
    if (take_word(script, "None")) {
        return Py_NewRef(Py_None);
    }
    PyObject *name = take_name(script);
    PyObject *value =
        name == NULL ? raise_syntax("expected a value") : find_name(script, name);
    Py_XDECREF(name);
    return value;
}

/* `name=` of a keyword argument, as a new str; NULL without an exception when it is none. */
static PyObject *
take_keyword(struct script *script)
{
    const char *start = script->at;
    PyObject *name = take_name(script);
    if (name != NULL && (!take(script, '=') || *script->at == '=')) {
        script->at = start;
        Py_CLEAR(name);
    }
    return name;
}

static bool
take_argument(struct script *script, PyObject *positional, PyObject *keywords)
{
    PyObject *name = take_keyword(script);
    PyObject *value = PyErr_Occurred() ? NULL : take_value(script);
    int status = value == NULL  ? -1
                 : name == NULL ? PyList_Append(positional, value)
                                : PyDict_SetItem(keywords, name, value);
    Py_XDECREF(name);
    Py_XDECREF(value);
    return status == 0;
}

/* What is behind "(", and the call. */
static PyObject *
take_call(struct script *script, PyObject *function)
{
    PyObject *positional = PyList_New(0), *keywords = PyDict_New(), *result = NULL;
    bool done = positional != NULL && keywords != NULL;
    while (done && !take(script, ')')) {
        done = take_argument(script, positional, keywords);
        if (done && !take(script, ',')) {
            done = demand(script, ')');
            break;
        }
    }
    PyObject *arguments = done ? PyList_AsTuple(positional) : NULL;
    if (arguments != NULL) {
        PyObject *named = PyDict_GET_SIZE(keywords) == 0 ? NULL : keywords;
        result = PyObject_Call(function, arguments, named);
    }
    Py_XDECREF(arguments);
    Py_XDECREF(positional);
    Py_XDECREF(keywords);
    return result;
}

/* Where a statement stores or deletes: the last .name or [index] is not applied. */
struct target {
    PyObject *object; /* NULL: a variable */
    PyObject *name;   /* of the attribute or variable */
    PyObject *index;
};

static void
forget_target(struct target *target)
{
    Py_CLEAR(target->object);
    Py_CLEAR(target->name);
    Py_CLEAR(target->index);
}

/* Apply the part that was read last, and forget it: a new reference. */
static PyObject *
resolve(struct script *script, struct target *target)
{
    PyObject *value =
        target->object == NULL  ? find_name(script, target->name)
        : target->name != NULL  ? PyObject_GetAttr(target->object, target->name)
        : target->index != NULL ? PyObject_GetItem(target->object, target->index)
                                : Py_NewRef(target->object);
    forget_target(target);
    return value;
}

/* One .name, [index] or (arguments). False when there is none, or with an exception. */
static bool
take_part(struct script *script, struct target *target)
{
    char next = (skip_blanks(script), *script->at);
    if (next != '.' && next != '[' && next != '(') {
        return false;
    }
    PyObject *object = resolve(script, target);
    if (object == NULL) {
        return false;
    }
    script->at++;
    if (next == '(') {
        target->object = take_call(script, object);
        Py_DECREF(object);
        return target->object != NULL;
    }
    target->object = object;
    if (next == '.') {
        target->name = take_name(script);
        return target->name != NULL || raise_syntax("expected a name") != NULL;
    }
    target->index = take_value(script);
    return target->index != NULL && demand(script, ']');
}

static bool
take_target(struct script *script, struct target *target)
{
    skip_blanks(script);
    const char *start = script->at;
    *target = (struct target){.name = take_name(script)};
    if (target->name == NULL || take_word(script, "None")) {
        script->at = start;
        target->object = PyErr_Occurred() ? NULL : take_atom(script);
        if (target->object == NULL) {
            return false;
        }
    }
    while (take_part(script, target)) {
    }
    return !PyErr_Occurred();
}

static PyObject *
take_value(struct script *script)
{
    struct target target;
    skip_blanks(script);
    if (take_word(script, "None")) {
        return Py_NewRef(Py_None);
    }
    PyObject *value = take_target(script, &target) ? resolve(script, &target) : NULL;
    forget_target(&target);
    return value;
}

/* ---- statements -------------------------------------------------------------------------------- */

static int
store(struct script *script, const struct target *target, PyObject *value)
{
    if (target->object == NULL) {
        if (value != NULL) {
            return PyDict_SetItem(script->names, target->name, value);
        }
        return PyDict_DelItem(script->names, target->name);
    }
    if (target->name != NULL) {
        return PyObject_SetAttr(target->object, target->name, value);
    }
    if (target->index == NULL) {
        raise_syntax("this cannot be assigned or deleted");
        return -1;
    }
    return value == NULL ? PyObject_DelItem(target->object, target->index)
                         : PyObject_SetItem(target->object, target->index, value);
}

static bool
finish_statement(struct script *script, struct target *target)
{
    if (take(script, '=')) {
        PyObject *value = take_value(script);
        bool done = value != NULL && store(script, target, value) == 0;
        Py_XDECREF(value);
        return done;
    }
    PyObject *value = resolve(script, target);
    Py_XDECREF(value);
    return value != NULL;
}

static bool
run_statement(struct script *script)
{
    struct target target = {0};
    bool done;
    if (take_word(script, "collect")) {
        Ouro_CheckAudit();
        tell_seen();
        PyGC_Collect();
        done = true;
    } else if (take_word(script, "del")) {
        done = take_target(script, &target) && store(script, &target, NULL) == 0;
    } else {
        done = take_target(script, &target) && finish_statement(script, &target);
    }
    forget_target(&target);
    if (done && !is_at_end(script)) {
        raise_syntax("unexpected text behind the statement");
    }
    return done && !PyErr_Occurred();
}

/* ---- the script ----------------------------------------------------------------------------------- */

static bool
run_line(struct script *script, char *line)
{
    char why[1000];
    line[strcspn(line, "\r\n")] = '\0';
    script->line++;
    script->at = line;
    if (is_at_end(script)) {
        return true;
    }
    tell("at", "%s:%d: %s", script->file, script->line, script->at);
    if (run_statement(script)) {
        return true;
    }
    take_error(why, sizeof(why));
    tell("error", "%s:%d: %s", script->file, script->line, why);
    return false;
}

static bool
run_lines(struct script *script, FILE *file)
{
    char line[4000];
    bool done = true;
    while (done && fgets(line, sizeof(line), file) != NULL) {
        done = run_line(script, line);
    }
    script->at = "";
    return done;
}

/* A module of a package goes by the last part of its name: a name has no dots. */
static int
name_module(struct script *script, PyObject *module)
{
    const char *name = PyModule_GetName(module);
    const char *dot = name == NULL ? NULL : strrchr(name, '.');
    return name == NULL ? -1
                        : PyDict_SetItemString(script->names,
                                               dot == NULL ? name : dot + 1, module);
}

bool
run_script(PyObject *module, const char *path)
{
    struct script script = {.file = path};
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        tell("error", "there is no script %s", path);
        return false;
    }
    script.names = PyDict_New();
    script.builtins = PyImport_ImportModule("builtins");
    bool done = script.names != NULL && script.builtins != NULL &&
                name_module(&script, module) == 0 && run_lines(&script, file);
    fclose(file);
    Ouro_CheckAudit();
    tell_seen();
    Py_CLEAR(script.names);
    Py_CLEAR(script.builtins);
    PyErr_Clear();
    return done;
}
