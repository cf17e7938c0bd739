/* SPDX-License-Identifier: MIT */
/* Basic integer types, export marks and small utility macros. */
#ifndef OURO_PY_PORT_H
#define OURO_PY_PORT_H

/* Before the system's headers, which may be missing for a platform that we do not support. */
#if defined(__SIZEOF_POINTER__) && __SIZEOF_POINTER__ != 8
#error "Ouroboros needs a 64-bit platform"
#endif

#include "config.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include "version.h"

#ifdef __cplusplus
#define OURO_BEGIN_DECLS extern "C" {
#define OURO_END_DECLS   }
#else
#define OURO_BEGIN_DECLS
#define OURO_END_DECLS
#endif

#define Py_EXPORTED_SYMBOL __attribute__((visibility("default")))
#define Py_IMPORTED_SYMBOL __attribute__((visibility("default")))
#define Py_LOCAL_SYMBOL    __attribute__((visibility("hidden")))
/* Callers go through the address table itself and not through its PLT entry: one jump less
 * for each call between an extension module and the library. */
#if defined(__has_attribute)
#if __has_attribute(noplt)
#define OURO_NOPLT __attribute__((noplt))
#endif
#endif
#ifndef OURO_NOPLT
#define OURO_NOPLT
#endif
#define PyAPI_FUNC(RTYPE) Py_EXPORTED_SYMBOL OURO_NOPLT RTYPE
/* __thread also where C++ would have it initialised by a call. */
#define OURO_THREAD_LOCAL __thread
#define PyAPI_DATA(RTYPE) extern Py_EXPORTED_SYMBOL RTYPE
#ifdef __cplusplus
#define PyMODINIT_FUNC   extern "C" Py_EXPORTED_SYMBOL PyObject *
#define PyMODEXPORT_FUNC extern "C" Py_EXPORTED_SYMBOL PySlot *
#else
#define PyMODINIT_FUNC   Py_EXPORTED_SYMBOL PyObject *
#define PyMODEXPORT_FUNC Py_EXPORTED_SYMBOL PySlot *
#endif

typedef ssize_t Py_ssize_t;
typedef Py_ssize_t Py_hash_t;
typedef size_t Py_uhash_t;
typedef intptr_t Py_intptr_t;
typedef uintptr_t Py_uintptr_t;
typedef uint32_t Py_UCS4;
typedef uint16_t Py_UCS2;
typedef uint8_t Py_UCS1;
typedef wchar_t Py_UNICODE;
#define PY_UNICODE_TYPE wchar_t

#define PY_SSIZE_T_MAX ((Py_ssize_t)(((size_t)-1) >> 1))
#define PY_SSIZE_T_MIN (-PY_SSIZE_T_MAX - 1)
#define PY_SIZE_MAX    SIZE_MAX
#define PY_LONG_LONG   long long
#define PY_LLONG_MIN   LLONG_MIN
#define PY_LLONG_MAX   LLONG_MAX
#define PY_ULLONG_MAX  ULLONG_MAX
#define PY_INT32_T     int32_t
#define PY_INT64_T     int64_t
#define PY_UINT32_T    uint32_t
#define PY_UINT64_T    uint64_t
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define PY_BIG_ENDIAN    1
#define PY_LITTLE_ENDIAN 0
#else
#define PY_BIG_ENDIAN    0
#define PY_LITTLE_ENDIAN 1
#endif

#define Py_ABS(x)                    ((x) < 0 ? -(x) : (x))
#define Py_MIN(x, y)                 (((x) > (y)) ? (y) : (x))
#define Py_MAX(x, y)                 (((x) > (y)) ? (x) : (y))
#define Py_ARRAY_LENGTH(array)       (sizeof(array) / sizeof((array)[0]))
#define Py_CHARMASK(c)               ((unsigned char)((c)&0xff))
#define Py_STRINGIFY_(x)             #x
#define Py_STRINGIFY(x)              Py_STRINGIFY_(x)
#define Py_MEMBER_SIZE(type, member) sizeof(((type *)0)->member)

#define Py_ALWAYS_INLINE                      __attribute__((always_inline))
#define Py_NO_INLINE                          __attribute__((noinline))
#define Py_GCC_ATTRIBUTE(x)                   __attribute__(x)
#define Py_DEPRECATED(version)                __attribute__((__deprecated__))
#define Py_UNUSED(name)                       _unused_##name __attribute__((unused))
#define Py_LOCAL(type)                        static type
#define Py_LOCAL_INLINE(type)                 static inline type
#define Py_NO_RETURN                          __attribute__((__noreturn__))
#define _Py_NO_RETURN                         Py_NO_RETURN
#define Py_UNREACHABLE()                      __builtin_unreachable()
#define Py_SAFE_DOWNCAST(VALUE, WIDE, NARROW) ((NARROW)(VALUE))
#define Py_BUILD_ASSERT_EXPR(cond)            (sizeof(char[1 - 2 * !(cond)]) - 1)
#define Py_BUILD_ASSERT(cond)                 ((void)Py_BUILD_ASSERT_EXPR(cond))

/* Helpers from the time before C99 that sources still use. */
#define Py_MEMCPY                             memcpy
#define Py_VA_COPY                            va_copy
#define Py_LL(x)                              x##LL
#define Py_ULL(x)                             x##ULL
#define Py_FORCE_EXPANSION(X)                 X
#define Py_ARITHMETIC_RIGHT_SHIFT(TYPE, I, J) ((I) >> (J))
#define Py_ALIGNED(x)                         __attribute__((aligned(x)))
#define PY_FORMAT_SIZE_T                      "z"
#define PY_DWORD_MAX                          4294967295U
#define _Py_XSTRINGIFY(x)                     #x
#define _Py_SIZE_ROUND_DOWN(n, a)             ((size_t)(n) & ~(size_t)((a)-1))
#define _Py_SIZE_ROUND_UP(n, a)               Py_SIZE_ROUND_UP(n, a)
#define _Py_ALIGN_DOWN(p, a)                  ((void *)((uintptr_t)(p) & ~(uintptr_t)((a)-1)))
#define _Py_ALIGN_UP(p, a)                    _Py_ALIGN_DOWN((uintptr_t)(p) + (uintptr_t)((a)-1), (a))
#define _Py_IS_ALIGNED(p, a)                  (!((uintptr_t)(p) & (uintptr_t)((a)-1)))
#define _Py_CONTAINER_OF(ptr, type, member)                                              \
    ((type *)((char *)(ptr)-offsetof(type, member)))
#define _Py_RVALUE(EXPR)                   ((void)0, (EXPR))
#define _Py_TYPEOF(expr)                   __typeof__(expr)
#define _Py_thread_local                   OURO_THREAD_LOCAL
#define _Py_HOT_FUNCTION                   __attribute__((hot))
#define _Py_DEPRECATED_EXTERNALLY(version) Py_DEPRECATED(version)
#define _Py_COMP_DIAG_PUSH                 _Pragma("GCC diagnostic push")
#define _Py_COMP_DIAG_IGNORE_DEPR_DECLS                                                  \
    _Pragma("GCC diagnostic ignored \"-Wdeprecated-declarations\"")
#define _Py_COMP_DIAG_POP _Pragma("GCC diagnostic pop")
#ifdef __cplusplus
#define _Py_NULL nullptr
#else
#define _Py_NULL NULL
#endif

#define PyDoc_STR(str)          str
#define PyDoc_VAR(name)         static const char name[]
#define PyDoc_STRVAR(name, str) PyDoc_VAR(name) = PyDoc_STR(str)

#define Py_SIZE_ROUND_UP(n, a)      (((size_t)(n) + (size_t)((a)-1)) & ~(size_t)((a)-1))
#define _Py_CAST(type, expr)        ((type)(expr))
#define _Py_STATIC_CAST(type, expr) ((type)(expr))

/* True while an object file is compiled in CPython's free-threaded mode: never here. */
#undef Py_GIL_DISABLED

#endif
