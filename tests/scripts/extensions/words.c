/* SPDX-License-Identifier: MIT */
/* The operations on examples/modules/words.c. */
#include "drive.h"

#include <unistd.h>

static const char *const texts[] = {
    "the quick brown fox jumps over the lazy dog, the end",
    "na\xc3\xafve caf\xc3\xa9 caf\xc3\xa9",
    "\xce\xb1\xce\xb2\xce\xb3 \xe4\xb8\xad\xe6\x96\x87 \xe4\xb8\xad\xe6\x96\x87",
    "\xf0\x9f\x90\x8d snake 42",
    "",
};

static void
count_words(PyObject *Index)
{
    PyObject *index = need(PyObject_CallNoArgs(Index));
    for (size_t i = 0; i < Py_ARRAY_LENGTH(texts); i++) {
        CALL(index, "feed", "s", texts[i]);
    }
    CALL(index, "counts", NULL);
    NUMBER(PyObject_Size(index));
    CALL(index, "feed", "i", 5);
    CALL(index, "feed", NULL);
    SHOW(PyObject_CallFunction(Index, "i", 5));
    Py_DECREF(index);
}

/* The exception went through one C function. */
static void
look_at_traceback(PyObject *Index)
{
    PyObject *index = need(PyObject_CallNoArgs(Index)), *type, *value, *tb;
    Py_XDECREF(PyObject_CallMethod(index, "feed", "i", 5));
    PyErr_Fetch(&type, &value, &tb);
    SHOW(PyObject_GetAttrString(tb, "tb_lineno"));
    PyObject *frame = attr(tb, "tb_frame"), *code = attr(frame, "f_code");
    SHOW(PyObject_GetAttrString(code, "co_name"));
    SHOW(PyObject_GetAttrString(code, "co_filename"));
    SHOW(PyObject_GetAttrString(tb, "tb_next"));
    Py_DECREF(code);
    Py_DECREF(frame);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(tb);
    Py_DECREF(index);
}

static void
read_files(PyObject *Index)
{
    int ends[2];
    PyObject *index = need(PyObject_CallNoArgs(Index));
    if (pipe(ends) != 0 || write(ends[1], "one two\xff two", 12) != 12) {
        perror("pipe");
        exit(1);
    }
    close(ends[1]);
    CALL(index, "feed_file", "i", ends[0]);
    close(ends[0]);
    CALL(index, "counts", NULL);
    CALL(index, "feed_file", "i", ends[0]);
    CALL(index, "feed_file", "i", -1);
    CALL(index, "feed_file", "s", "name");
    Py_DECREF(index);
}

static void
look_inside(PyObject *words)
{
    for (size_t i = 0; i < Py_ARRAY_LENGTH(texts); i++) {
        CALL(words, "layout", "s", texts[i]);
        CALL(words, "fold", "s", texts[i]);
    }
    CALL(words, "fold", "s", "SPAM \xc3\x89GGS");
    CALL(words, "fold", "i", 5);
    CALL(words, "layout", "i", 5);
    PyObject *lone = need(PyUnicode_FromOrdinal(0xdc80));
    CALL(words, "layout", "O", lone);
    CALL(words, "path", "O", lone);
    CALL(words, "path", "s", "caf\xc3\xa9");
    CALL(words, "path", "y", "raw");
    CALL(words, "path", "i", 5);
    CALL(words, "path", "s#", "a\0b", (Py_ssize_t)3);
    Py_DECREF(lone);
}

static void
drop_cycle(PyObject *Index)
{
    PyObject *index = need(PyObject_CallNoArgs(Index));
    NUMBER(PyObject_SetAttrString(index, "owner", index));
    Py_DECREF(index);
    show_instances("dropped", Index);
    NUMBER(collect() > 0);
    show_instances("end", Index);
}

void
drive_words(PyObject *module)
{
    PyObject *Index = attr(module, "Index");
    remember_type(Index);
    count_words(Index);
    look_at_traceback(Index);
    read_files(Index);
    look_inside(module);
    drop_cycle(Index);
    Py_DECREF(Index);
}
