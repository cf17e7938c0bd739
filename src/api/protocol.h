/* SPDX-License-Identifier: MIT */
/* What the files of the object protocol share: attribute lookup without the error, the
 * lookup of special methods, the checks of depth and of a callee's result, and messages. */
#ifndef OURO_API_PROTOCOL_H
#define OURO_API_PROTOCOL_H

#include <Python.h>
#include <stdbool.h>

#include "../thread/thread.h"

/* Every function that calls a slot asks this first: the slot of a container may call back for
 * an object inside it, a million levels deep. True with RecursionError when little stack is
 * left; `where` ends its message. */
static inline bool
ouro_too_deep(const char *where)
{
    return OURO_UNLIKELY(ouro_stack_is_low()) && Py_EnterRecursiveCall(where) < 0;
}

/* Raise SystemError "null argument to internal routine" unless something is pending: the
 * NULL is most often the result of a call that failed before. Returns NULL. */
PyObject *ouro_null_argument(void);

/* Raise TypeError; `format` has one %s, for the name of the type of `o`. Returns NULL. */
PyObject *ouro_type_error(const char *format, PyObject *o);

/* A new str for a key given as UTF-8. NULL with an exception, SystemError when `key` is NULL. */
PyObject *ouro_key_from_text(const char *key);

/* The answer 1 or 0 of a question that cannot fail. For -1 it is 0, and the exception is
 * reported with `text`, which names the functions to use instead. */
int ouro_answer_or_report(int answer, const char *text);

/* PyObject_GetAttr and PyObject_GetOptionalAttr for names that no method of a built-in type
 * has: methods.h says what the difference is. */
PyObject *ouro_attribute_get(PyObject *o, PyObject *name);
int ouro_attribute_find(PyObject *o, PyObject *name, PyObject **result);

/* Generic lookup of `name` (a str). A new reference. When there is no such attribute:
 * NULL, with AttributeError unless `quiet`; when `quiet` is set, AttributeErrors raised by
 * descriptors are dropped too. */
PyObject *ouro_generic_get(PyObject *o, PyObject *name, bool quiet);

/* Look `name` up for a call. 1: *method is a function of the type and wants `o` as first
 * argument. 0: *method is the bound attribute. -1: NULL and an exception. A new
 * reference. */
int ouro_method_get(PyObject *o, PyObject *name, PyObject **method);

/* Look `name` up on the type of `o` and bind it, as the interpreter does for __xxx__
 * methods. 1, 0 or -1; a new reference, or NULL. */
int ouro_special_get(PyObject *o, const char *name, PyObject **method);

/* The instance dict at `place`, made if need be. A new reference; or NULL with MemoryError. */
PyObject *ouro_instance_dict(PyObject **place);

/* Pass on what a callee returned, after checking that it obeyed the rule of call.h. */
PyObject *ouro_call_result(PyObject *callable, PyObject *result);

#endif
