/* SPDX-License-Identifier: MIT */
/* Characters in upper, lower and title case, where one may become several. */
#ifndef OURO_BUILTINS_STR_CHARACTER_H
#define OURO_BUILTINS_STR_CHARACTER_H

#include <Python.h>

#include <stdbool.h>

/* Store up to three characters and return how many. */
typedef int (*ouro_case_function)(Py_UCS4 ch, Py_UCS4 to[3]);
int ouro_char_upper(Py_UCS4 ch, Py_UCS4 to[3]);
int ouro_char_lower(Py_UCS4 ch, Py_UCS4 to[3]);
int ouro_char_title(Py_UCS4 ch, Py_UCS4 to[3]);
int ouro_char_fold(Py_UCS4 ch, Py_UCS4 to[3]);

/* Has a case: upper, lower or title. */
bool ouro_char_is_cased(Py_UCS4 ch);
/* Is looked through when the end of a word is searched. */
bool ouro_char_is_ignorable(Py_UCS4 ch);
bool ouro_char_starts_identifier(Py_UCS4 ch);
bool ouro_char_continues_identifier(Py_UCS4 ch);

/* The text with decimal digits of any script as ASCII digits and any blank as ' ', for
 * those who read numbers; what else is not ASCII becomes '?'. `str` is a str. New
 * reference. */
PyObject *ouro_str_number_text(PyObject *str);

#endif
