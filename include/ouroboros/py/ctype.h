/* SPDX-License-Identifier: MIT */
/* C strings and numbers as text, the same in every locale. */
#ifndef OURO_PY_CTYPE_H
#define OURO_PY_CTYPE_H

#include "object.h"

OURO_BEGIN_DECLS

/* ASCII characters; every other is of no class and has no other case. */
#define Py_ISLOWER(c)  ((unsigned char)(c) >= 'a' && (unsigned char)(c) <= 'z')
#define Py_ISUPPER(c)  ((unsigned char)(c) >= 'A' && (unsigned char)(c) <= 'Z')
#define Py_ISALPHA(c)  (Py_ISLOWER(c) || Py_ISUPPER(c))
#define Py_ISDIGIT(c)  ((unsigned char)(c) >= '0' && (unsigned char)(c) <= '9')
#define Py_ISXDIGIT(c) (Py_ISDIGIT(c) || (((c) | 32) >= 'a' && ((c) | 32) <= 'f'))
#define Py_ISALNUM(c)  (Py_ISALPHA(c) || Py_ISDIGIT(c))
#define Py_ISSPACE(c)                                                                    \
    ((c) == ' ' || ((unsigned char)(c) >= '\t' && (unsigned char)(c) <= '\r'))
#define Py_TOLOWER(c) (Py_ISUPPER(c) ? Py_CHARMASK((c) + 32) : Py_CHARMASK(c))
#define Py_TOUPPER(c) (Py_ISLOWER(c) ? Py_CHARMASK((c)-32) : Py_CHARMASK(c))

/* snprintf, but the result always ends with a NUL, and a negative one means an error. */
PyAPI_FUNC(int) PyOS_snprintf(char *text, size_t size, const char *format, ...)
    Py_GCC_ATTRIBUTE((format(printf, 3, 4)));
PyAPI_FUNC(int) PyOS_vsnprintf(char *text, size_t size, const char *format, va_list args)
    Py_GCC_ATTRIBUTE((format(printf, 3, 0)));
/* Compare without regard to case: negative, 0, positive. */
PyAPI_FUNC(int) PyOS_mystricmp(const char *a, const char *b);
PyAPI_FUNC(int) PyOS_mystrnicmp(const char *a, const char *b, Py_ssize_t size);
#define PyOS_stricmp  PyOS_mystricmp
#define PyOS_strnicmp PyOS_mystrnicmp
/* strtol and strtoul; base 0 knows 0x, 0o and 0b. Beyond the range: the limit, and errno is
 * ERANGE. */
PyAPI_FUNC(long) PyOS_strtol(const char *text, char **end, int base);
PyAPI_FUNC(unsigned long) PyOS_strtoul(const char *text, char **end, int base);

OURO_END_DECLS

#endif
