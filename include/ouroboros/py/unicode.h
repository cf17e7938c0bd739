/* SPDX-License-Identifier: MIT */
/* str: text.
 *
 * The layout is that of PEP 393: code points of 1, 2 or 4 bytes each (the kind), as wide as
 * the widest of them needs; ASCII has a flag and a shorter head. Indexing takes constant
 * time. UTF-8 is made when first asked for and kept with the str; for ASCII it is the text
 * itself. Lone surrogates are characters like others, but have no UTF-8.
 *
 * Functions that return a PyObject * give a new reference, or NULL with an exception.
 * "No str" is a TypeError everywhere. Arguments are borrowed unless it says otherwise. */
#ifndef OURO_PY_UNICODE_H
#define OURO_PY_UNICODE_H

#include "typeobject.h"

OURO_BEGIN_DECLS

/* --- layout -------------------------------------------------------------------------- */

enum PyUnicode_Kind {
    PyUnicode_1BYTE_KIND = 1,
    PyUnicode_2BYTE_KIND = 2,
    PyUnicode_4BYTE_KIND = 4,
};

/* Compact ASCII: the text follows. */
typedef struct {
    PyObject_HEAD
    Py_ssize_t length; /* in code points */
    Py_hash_t hash;    /* -1 until asked for */
    struct {
        unsigned int interned : 2; /* in the table of interned strings */
        unsigned int kind : 3;     /* bytes for each code point: 1, 2 or 4 */
        unsigned int compact : 1;  /* the text follows the head; not so in subclasses */
        unsigned int ascii : 1;
        unsigned int : 25;
    } state;
} PyASCIIObject;

/* Compact, but not ASCII: the text follows. */
typedef struct {
    PyASCIIObject _base;
    Py_ssize_t
        utf8_length; /* bytes at utf8; its complement when that is no real UTF-8, as
                               there are lone surrogates */
    char *utf8;      /* NULL until asked for; the text itself where that is ASCII */
} PyCompactUnicodeObject;

/* An instance of a subclass: the text is a block. */
typedef struct {
    PyCompactUnicodeObject _base;
    union {
        void *any;
        Py_UCS1 *latin1;
        Py_UCS2 *ucs2;
        Py_UCS4 *ucs4;
    } data;
} PyUnicodeObject;

PyAPI_DATA(PyTypeObject) PyUnicode_Type;
PyAPI_DATA(PyTypeObject) PyUnicodeIter_Type;

#define PyUnicode_Check(op)      PyType_FastSubclass(Py_TYPE(op), Py_TPFLAGS_UNICODE_SUBCLASS)
#define PyUnicode_CheckExact(op) Py_IS_TYPE((op), &PyUnicode_Type)

#define _PyASCIIObject_CAST(op)          ((PyASCIIObject *)(op))
#define _PyCompactUnicodeObject_CAST(op) ((PyCompactUnicodeObject *)(op))
#define _PyUnicodeObject_CAST(op)        ((PyUnicodeObject *)(op))
/* Without checks. */
#define PyUnicode_GET_LENGTH(op) (_PyASCIIObject_CAST(op)->length)
#define PyUnicode_IS_ASCII(op)   (_PyASCIIObject_CAST(op)->state.ascii)
#define PyUnicode_IS_COMPACT(op) (_PyASCIIObject_CAST(op)->state.compact)
#define PyUnicode_IS_COMPACT_ASCII(op)                                                   \
    (PyUnicode_IS_ASCII(op) && PyUnicode_IS_COMPACT(op))
#define PyUnicode_CHECK_INTERNED(op) (_PyASCIIObject_CAST(op)->state.interned)
#define PyUnicode_KIND(op)           ((int)_PyASCIIObject_CAST(op)->state.kind)
#define PyUnicode_READY(op)          0
#define PyUnicode_IS_READY(op)       1
/* The hash, or -1 if it has not been computed. */
#define PyUnstable_Unicode_GET_CACHED_HASH(op) (_PyASCIIObject_CAST(op)->hash)
/* An upper bound of the code points: 0x7f, 0xff, 0xffff or 0x10ffff. */
#define PyUnicode_MAX_CHAR_VALUE(op)                                                     \
    (PyUnicode_IS_ASCII(op)                       ? (Py_UCS4)0x7f                        \
     : PyUnicode_KIND(op) == PyUnicode_1BYTE_KIND ? (Py_UCS4)0xff                        \
     : PyUnicode_KIND(op) == PyUnicode_2BYTE_KIND ? (Py_UCS4)0xffff                      \
                                                  : (Py_UCS4)0x10ffff)

/* The code points, in an array of the kind. */
static inline void *
_PyUnicode_DATA(PyObject *op)
{
    if (!PyUnicode_IS_COMPACT(op)) {
        return _PyUnicodeObject_CAST(op)->data.any;
    }
    return PyUnicode_IS_ASCII(op) ? (void *)(_PyASCIIObject_CAST(op) + 1)
                                  : (void *)(_PyCompactUnicodeObject_CAST(op) + 1);
}
#define PyUnicode_DATA(op)       _PyUnicode_DATA(_PyObject_CAST(op))
#define PyUnicode_1BYTE_DATA(op) ((Py_UCS1 *)PyUnicode_DATA(op))
#define PyUnicode_2BYTE_DATA(op) ((Py_UCS2 *)PyUnicode_DATA(op))
#define PyUnicode_4BYTE_DATA(op) ((Py_UCS4 *)PyUnicode_DATA(op))

static inline Py_UCS4
_PyUnicode_READ(int kind, const void *data, Py_ssize_t index)
{
    return kind == PyUnicode_1BYTE_KIND   ? ((const Py_UCS1 *)data)[index]
           : kind == PyUnicode_2BYTE_KIND ? ((const Py_UCS2 *)data)[index]
                                          : ((const Py_UCS4 *)data)[index];
}
#define PyUnicode_READ(kind, data, index)                                                \
    _PyUnicode_READ((int)(kind), (const void *)(data), (index))
#define PyUnicode_READ_CHAR(op, index)                                                   \
    PyUnicode_READ(PyUnicode_KIND(op), PyUnicode_DATA(op), (index))

/* Only into a str from PyUnicode_New that no other code has seen. */
static inline void
_PyUnicode_WRITE(int kind, void *data, Py_ssize_t index, Py_UCS4 value)
{
    if (kind == PyUnicode_1BYTE_KIND) {
        ((Py_UCS1 *)data)[index] = (Py_UCS1)value;
    } else if (kind == PyUnicode_2BYTE_KIND) {
        ((Py_UCS2 *)data)[index] = (Py_UCS2)value;
    } else {
        ((Py_UCS4 *)data)[index] = value;
    }
}
#define PyUnicode_WRITE(kind, data, index, value)                                        \
    _PyUnicode_WRITE((int)(kind), (void *)(data), (index), (Py_UCS4)(value))

/* --- making ------------------------------------------------------------------------- */

/* From UTF-8 up to the NUL, or `size` bytes. UnicodeDecodeError when it is not UTF-8;
 * SystemError when `size` is negative or `str` is NULL. */
PyAPI_FUNC(PyObject *) PyUnicode_FromString(const char *str);
PyAPI_FUNC(PyObject *) PyUnicode_FromStringAndSize(const char *str, Py_ssize_t size);
/* One character. ValueError beyond 0x10ffff. */
PyAPI_FUNC(PyObject *) PyUnicode_FromOrdinal(int ordinal);
/* `size` code points, none of them larger than `maxchar`, for the caller to fill in before
 * anybody else sees the str; what follows them is 0 already. SystemError when `size` is
 * negative or `maxchar` is beyond 0x10ffff. */
PyAPI_FUNC(PyObject *) PyUnicode_New(Py_ssize_t size, Py_UCS4 maxchar);
/* Write code points into such a str. CopyCharacters returns how many (at most `how_many`, and
 * at most as many as `from` has), and so does Fill; WriteChar returns 0. -1 with IndexError,
 * ValueError (a code point that is too large), or SystemError (the str has other owners, or no
 * room). */
PyAPI_FUNC(Py_ssize_t) PyUnicode_CopyCharacters(PyObject *to, Py_ssize_t to_start,
                                                PyObject *from, Py_ssize_t from_start,
                                                Py_ssize_t how_many);
PyAPI_FUNC(Py_ssize_t) PyUnicode_Fill(PyObject *unicode, Py_ssize_t start,
                                      Py_ssize_t length, Py_UCS4 fill_char);
PyAPI_FUNC(int) PyUnicode_WriteChar(PyObject *unicode, Py_ssize_t index, Py_UCS4 ch);
/* Replace *unicode by a str of `length` code points that starts with the same. 0; or -1 with
 * an exception, and *unicode stays. */
PyAPI_FUNC(int) PyUnicode_Resize(PyObject **unicode, Py_ssize_t length);
/* From code points of 1, 2 or 4 bytes each. */
PyAPI_FUNC(PyObject *) PyUnicode_FromKindAndData(int kind, const void *buffer,
                                                 Py_ssize_t size);
PyAPI_FUNC(PyObject *) PyUnicode_FromWideChar(const wchar_t *wstr, Py_ssize_t size);
/* `obj` itself when it is an exact str, its text when it is of a subclass. */
PyAPI_FUNC(PyObject *) PyUnicode_FromObject(PyObject *obj);

/* Formatted text. `format` is UTF-8. Codes: %% %c, the integers %d %i %u %o %x %X with the
 * sizes l ll z j t, %p, %s (UTF-8; bad bytes become U+FFFD), %ls, %U (str), %V (str or NULL,
 * then a char *; %lV a wchar_t *), %S (str of an object), %R (repr), %A (ascii), %T (full
 * name of an object's type, with # "module:name"), %N (the same of a type). Flags 0 and -,
 * a width, and a precision as in printf, counted in characters; * takes them from the
 * arguments. Any other code is a SystemError that names it. */
PyAPI_FUNC(PyObject *) PyUnicode_FromFormat(const char *format, ...);
PyAPI_FUNC(PyObject *) PyUnicode_FromFormatV(const char *format, va_list vargs);

/* --- codecs -------------------------------------------------------------------------- */

/* Encodings: "utf-8" (also NULL), "ascii", "latin-1", "utf-16" and "utf-32", the last two
 * also with "-le" or "-be"; any other is a LookupError. `errors`
 * is NULL or "strict" (UnicodeDecodeError, UnicodeEncodeError), "replace", "ignore",
 * "backslashreplace", "surrogateescape" (a byte that means nothing becomes a code point from
 * 0xdc80 on, and back), with UTF-8 "surrogatepass", or for encoding "xmlcharrefreplace"; it
 * is looked at when something is wrong with the text. */
PyAPI_FUNC(PyObject *) PyUnicode_Decode(const char *s, Py_ssize_t size,
                                        const char *encoding, const char *errors);
PyAPI_FUNC(PyObject *) PyUnicode_FromEncodedObject(PyObject *obj, const char *encoding,
                                                   const char *errors);
PyAPI_FUNC(PyObject *) PyUnicode_AsEncodedString(PyObject *unicode, const char *encoding,
                                                 const char *errors);
/* Old names: PyCodec_Encode and PyCodec_Decode for str, whose results must be bytes and str
 * when the name says so. */
PyAPI_FUNC(PyObject *) PyUnicode_AsEncodedObject(PyObject *unicode, const char *encoding,
                                                 const char *errors);
PyAPI_FUNC(PyObject *) PyUnicode_AsEncodedUnicode(PyObject *unicode, const char *encoding,
                                                  const char *errors);
PyAPI_FUNC(PyObject *) PyUnicode_AsDecodedObject(PyObject *unicode, const char *encoding,
                                                 const char *errors);
PyAPI_FUNC(PyObject *) PyUnicode_AsDecodedUnicode(PyObject *unicode, const char *encoding,
                                                  const char *errors);
PyAPI_FUNC(PyObject *) PyUnicode_DecodeUTF8(const char *s, Py_ssize_t size,
                                            const char *errors);
/* With `consumed`, an incomplete character at the end is no error: *consumed is the number
 * of bytes that were decoded. */
PyAPI_FUNC(PyObject *) PyUnicode_DecodeUTF8Stateful(const char *s, Py_ssize_t size,
                                                    const char *errors,
                                                    Py_ssize_t *consumed);
PyAPI_FUNC(PyObject *) PyUnicode_DecodeASCII(const char *s, Py_ssize_t size,
                                             const char *errors);
PyAPI_FUNC(PyObject *) PyUnicode_DecodeLatin1(const char *s, Py_ssize_t size,
                                              const char *errors);
/* *byteorder is -1 for the least significant byte first, 1 for the most significant, and 0
 * (or NULL) to look for a mark at the beginning, which is then stored as -1 or 1. With
 * `consumed`, an incomplete character at the end is no error. */
PyAPI_FUNC(PyObject *) PyUnicode_DecodeUTF16(const char *s, Py_ssize_t size,
                                             const char *errors, int *byteorder);
PyAPI_FUNC(PyObject *) PyUnicode_DecodeUTF16Stateful(const char *s, Py_ssize_t size,
                                                     const char *errors, int *byteorder,
                                                     Py_ssize_t *consumed);
PyAPI_FUNC(PyObject *) PyUnicode_DecodeUTF32(const char *s, Py_ssize_t size,
                                             const char *errors, int *byteorder);
PyAPI_FUNC(PyObject *) PyUnicode_DecodeUTF32Stateful(const char *s, Py_ssize_t size,
                                                     const char *errors, int *byteorder,
                                                     Py_ssize_t *consumed);
/* With a mark in front, in the order of the machine. */
PyAPI_FUNC(PyObject *) PyUnicode_AsUTF16String(PyObject *unicode);
PyAPI_FUNC(PyObject *) PyUnicode_AsUTF32String(PyObject *unicode);
/* The bytes between '+' and '-' are UTF-16 in base64. With `consumed`, such a part that is
 * cut at the end is no error. */
PyAPI_FUNC(PyObject *) PyUnicode_DecodeUTF7(const char *s, Py_ssize_t size,
                                            const char *errors);
PyAPI_FUNC(PyObject *) PyUnicode_DecodeUTF7Stateful(const char *s, Py_ssize_t size,
                                                    const char *errors,
                                                    Py_ssize_t *consumed);
/* Backslash escapes as in literals; raw: \u and \U alone. Names of characters, \N{...},
 * are not known. */
PyAPI_FUNC(PyObject *) PyUnicode_DecodeUnicodeEscape(const char *s, Py_ssize_t size,
                                                     const char *errors);
PyAPI_FUNC(PyObject *) PyUnicode_DecodeRawUnicodeEscape(const char *s, Py_ssize_t size,
                                                        const char *errors);
PyAPI_FUNC(PyObject *) PyUnicode_AsUnicodeEscapeString(PyObject *unicode);
PyAPI_FUNC(PyObject *) PyUnicode_AsRawUnicodeEscapeString(PyObject *unicode);
/* By a table. To decode it has a str, a number or None for each byte, or is a str; to encode,
 * bytes, a number or None for each code point. What it does not have, or None, is undefined.
 * NULL to decode is Latin-1. */
PyAPI_FUNC(PyObject *) PyUnicode_DecodeCharmap(const char *s, Py_ssize_t size,
                                               PyObject *mapping, const char *errors);
PyAPI_FUNC(PyObject *) PyUnicode_AsCharmapString(PyObject *unicode, PyObject *mapping);
/* The table to encode what the str decodes: a dict of code points and numbers. */
PyAPI_FUNC(PyObject *) PyUnicode_BuildEncodingMap(PyObject *string);
/* As the C locale has it. `errors`: "strict", NULL, or "surrogateescape". */
PyAPI_FUNC(PyObject *) PyUnicode_DecodeLocale(const char *str, const char *errors);
PyAPI_FUNC(PyObject *) PyUnicode_DecodeLocaleAndSize(const char *str, Py_ssize_t size,
                                                     const char *errors);
PyAPI_FUNC(PyObject *) PyUnicode_EncodeLocale(PyObject *unicode, const char *errors);
/* The same for C: bytes that mean nothing become surrogates. To be freed with PyMem_RawFree;
 * NULL without memory, and *size is (size_t)-1. */
PyAPI_FUNC(wchar_t *) Py_DecodeLocale(const char *arg, size_t *size);
/* To be freed with PyMem_Free; NULL when a character does not fit, and *error_pos says which;
 * or without memory, and it is (size_t)-1. */
PyAPI_FUNC(char *) Py_EncodeLocale(const wchar_t *text, size_t *error_pos);
/* Names of files are UTF-8, whatever the locale; bytes that are not become surrogates. */
PyAPI_FUNC(PyObject *) PyUnicode_DecodeFSDefault(const char *s);
PyAPI_FUNC(PyObject *) PyUnicode_DecodeFSDefaultAndSize(const char *s, Py_ssize_t size);
PyAPI_FUNC(PyObject *) PyUnicode_EncodeFSDefault(PyObject *unicode);
/* "utf-8" */
PyAPI_FUNC(const char *) PyUnicode_GetDefaultEncoding(void);
PyAPI_FUNC(PyObject *) PyUnicode_AsUTF8String(PyObject *unicode);
PyAPI_FUNC(PyObject *) PyUnicode_AsASCIIString(PyObject *unicode);
PyAPI_FUNC(PyObject *) PyUnicode_AsLatin1String(PyObject *unicode);
/* UTF-8, NUL-terminated, valid as long as the str. NULL with TypeError, MemoryError, or
 * UnicodeEncodeError for lone surrogates. Text may have NULs inside. `size` may be NULL. */
PyAPI_FUNC(const char *) PyUnicode_AsUTF8(PyObject *unicode);
PyAPI_FUNC(const char *) PyUnicode_AsUTF8AndSize(PyObject *unicode, Py_ssize_t *size);

/* --- reading ------------------------------------------------------------------------- */

/* Code points; -1 with TypeError. */
PyAPI_FUNC(Py_ssize_t) PyUnicode_GetLength(PyObject *unicode);
/* The code point at `index`; (Py_UCS4)-1 with IndexError. */
PyAPI_FUNC(Py_UCS4) PyUnicode_ReadChar(PyObject *unicode, Py_ssize_t index);
/* Copy the code points, with a 0 behind them when `copy_null`. NULL with SystemError when
 * `buflen` is too small. The Copy form allocates; PyMem_Free it. */
PyAPI_FUNC(Py_UCS4 *) PyUnicode_AsUCS4(PyObject *unicode, Py_UCS4 *buffer,
                                       Py_ssize_t buflen, int copy_null);
PyAPI_FUNC(Py_UCS4 *) PyUnicode_AsUCS4Copy(PyObject *unicode);
/* Copy at most `size` wide characters; returns how many, without a final 0, which is
 * written if there is room. -1 with an exception. */
PyAPI_FUNC(Py_ssize_t) PyUnicode_AsWideChar(PyObject *unicode, wchar_t *wstr,
                                            Py_ssize_t size);
PyAPI_FUNC(wchar_t *) PyUnicode_AsWideCharString(PyObject *unicode, Py_ssize_t *size);
/* Characters start to end - 1; end is cut to the length. IndexError when negative. */
PyAPI_FUNC(PyObject *) PyUnicode_Substring(PyObject *str, Py_ssize_t start,
                                           Py_ssize_t end);

/* --- comparing -------------------------------------------------------------------------- */

/* -1, 0 or 1 by code points; -1 with TypeError, so ask PyErr_Occurred(). */
PyAPI_FUNC(int) PyUnicode_Compare(PyObject *left, PyObject *right);
/* -1, 0 or 1 against Latin-1 text. Never fails; `unicode` must be a str. */
PyAPI_FUNC(int) PyUnicode_CompareWithASCIIString(PyObject *unicode, const char *string);
/* 1 when equal, else 0, also when `str` is not UTF-8. Never fails. */
PyAPI_FUNC(int) PyUnicode_EqualToUTF8(PyObject *unicode, const char *str);
PyAPI_FUNC(int) PyUnicode_EqualToUTF8AndSize(PyObject *unicode, const char *str,
                                             Py_ssize_t size);
#define _PyUnicode_EqualToASCIIString(unicode, str)                                      \
    PyUnicode_EqualToUTF8((unicode), (str))
/* 1, 0; -1 with TypeError. */
PyAPI_FUNC(int) PyUnicode_Equal(PyObject *a, PyObject *b);
#define _PyUnicode_Equal(a, b) PyUnicode_Equal((a), (b))
#define _PyUnicode_EQ(a, b)    PyUnicode_Equal((a), (b))
/* Py_True, Py_False, or Py_NotImplemented when one is no str. */
PyAPI_FUNC(PyObject *) PyUnicode_RichCompare(PyObject *left, PyObject *right, int op);

/* --- building and searching -------------------------------------------------------------- */

/* left + right. A new reference; NULL with TypeError when one is no str. */
PyAPI_FUNC(PyObject *) PyUnicode_Concat(PyObject *left, PyObject *right);
/* Replace *left by *left + right; releases the old *left, which becomes NULL on failure.
 * The AndDel form releases `right` as well. */
PyAPI_FUNC(void) PyUnicode_Append(PyObject **left, PyObject *right);
PyAPI_FUNC(void) PyUnicode_AppendAndDel(PyObject **left, PyObject *right);
/* The strings of an iterable with `separator` (NULL: a blank) between them. */
PyAPI_FUNC(PyObject *) PyUnicode_Join(PyObject *separator, PyObject *seq);
/* At most `maxcount` replacements; -1 for all. */
PyAPI_FUNC(PyObject *) PyUnicode_Replace(PyObject *str, PyObject *substr,
                                         PyObject *replstr, Py_ssize_t maxcount);
/* A new list of the parts between separators (NULL: runs of blanks), at most maxsplit + 1;
 * -1 for all. */
PyAPI_FUNC(PyObject *) PyUnicode_Split(PyObject *s, PyObject *sep, Py_ssize_t maxsplit);
/* The same with the parts counted from the right when there are more than maxsplit. */
PyAPI_FUNC(PyObject *) PyUnicode_RSplit(PyObject *s, PyObject *sep, Py_ssize_t maxsplit);
/* A new list of the lines, with or without what ends them. */
PyAPI_FUNC(PyObject *) PyUnicode_Splitlines(PyObject *s, int keepends);
/* A new tuple: the text before the first (RPartition: last) `sep`, `sep`, and the text
 * behind it. When it is not there, all of the text and two empty ones (RPartition: the
 * other way round). ValueError when `sep` is empty. */
PyAPI_FUNC(PyObject *) PyUnicode_Partition(PyObject *s, PyObject *sep);
PyAPI_FUNC(PyObject *) PyUnicode_RPartition(PyObject *s, PyObject *sep);
/* The index of `substr` in str[start:end], first when direction > 0, else last. -1 when it
 * is not there; -2 with an exception. */
PyAPI_FUNC(Py_ssize_t) PyUnicode_Find(PyObject *str, PyObject *substr, Py_ssize_t start,
                                      Py_ssize_t end, int direction);
PyAPI_FUNC(Py_ssize_t) PyUnicode_FindChar(PyObject *str, Py_UCS4 ch, Py_ssize_t start,
                                          Py_ssize_t end, int direction);
/* How often `substr` occurs in str[start:end] without overlap; -1 with an exception. */
PyAPI_FUNC(Py_ssize_t) PyUnicode_Count(PyObject *str, PyObject *substr, Py_ssize_t start,
                                       Py_ssize_t end);
/* Does str[start:end] begin (direction < 0) or end with `substr`? 1, 0; -1 with an
 * exception. */
PyAPI_FUNC(Py_ssize_t) PyUnicode_Tailmatch(PyObject *str, PyObject *substr,
                                           Py_ssize_t start, Py_ssize_t end,
                                           int direction);
/* Replace each character by what `table` has for its number: a str, a number, or None for
 * nothing; one for which it raises LookupError stays. `errors` is not used. */
PyAPI_FUNC(PyObject *) PyUnicode_Translate(PyObject *str, PyObject *table,
                                           const char *errors);
/* format % args, where `args` is a tuple, a mapping, or a single value. */
PyAPI_FUNC(PyObject *) PyUnicode_Format(PyObject *format, PyObject *args);
/* 1 when the text could be a name in Python source, else 0. `unicode` must be a str. */
PyAPI_FUNC(int) PyUnicode_IsIdentifier(PyObject *unicode);
/* Is `substr` part of `str`? 1, 0; -1 with TypeError. */
PyAPI_FUNC(int) PyUnicode_Contains(PyObject *str, PyObject *substr);

/* --- characters ------------------------------------------------------------------------ */

/* What a character is, by Unicode 15.1. 1 or 0; never fail. */
PyAPI_FUNC(int) _PyUnicode_IsAlpha(Py_UCS4 ch);
PyAPI_FUNC(int) _PyUnicode_IsDecimalDigit(Py_UCS4 ch);
PyAPI_FUNC(int) _PyUnicode_IsDigit(Py_UCS4 ch);
PyAPI_FUNC(int) _PyUnicode_IsNumeric(Py_UCS4 ch);
PyAPI_FUNC(int) _PyUnicode_IsUppercase(Py_UCS4 ch);
PyAPI_FUNC(int) _PyUnicode_IsLowercase(Py_UCS4 ch);
PyAPI_FUNC(int) _PyUnicode_IsTitlecase(Py_UCS4 ch);
PyAPI_FUNC(int) _PyUnicode_IsWhitespace(Py_UCS4 ch);
PyAPI_FUNC(int) _PyUnicode_IsLinebreak(Py_UCS4 ch);
PyAPI_FUNC(int) _PyUnicode_IsPrintable(Py_UCS4 ch);
/* The character in another case; itself when there is none, or when it would be several
 * characters: str.upper() and its like know those. */
PyAPI_FUNC(Py_UCS4) _PyUnicode_ToUppercase(Py_UCS4 ch);
PyAPI_FUNC(Py_UCS4) _PyUnicode_ToLowercase(Py_UCS4 ch);
PyAPI_FUNC(Py_UCS4) _PyUnicode_ToTitlecase(Py_UCS4 ch);
/* The value of a decimal digit, or -1. */
PyAPI_FUNC(int) _PyUnicode_ToDecimalDigit(Py_UCS4 ch);

#define Py_UNICODE_ISALPHA(ch)     _PyUnicode_IsAlpha(ch)
#define Py_UNICODE_ISDECIMAL(ch)   _PyUnicode_IsDecimalDigit(ch)
#define Py_UNICODE_ISDIGIT(ch)     _PyUnicode_IsDigit(ch)
#define Py_UNICODE_ISNUMERIC(ch)   _PyUnicode_IsNumeric(ch)
#define Py_UNICODE_ISALNUM(ch)     (_PyUnicode_IsAlpha(ch) || _PyUnicode_IsNumeric(ch))
#define Py_UNICODE_ISUPPER(ch)     _PyUnicode_IsUppercase(ch)
#define Py_UNICODE_ISLOWER(ch)     _PyUnicode_IsLowercase(ch)
#define Py_UNICODE_ISTITLE(ch)     _PyUnicode_IsTitlecase(ch)
#define Py_UNICODE_ISSPACE(ch)     _PyUnicode_IsWhitespace(ch)
#define Py_UNICODE_ISLINEBREAK(ch) _PyUnicode_IsLinebreak(ch)
#define Py_UNICODE_ISPRINTABLE(ch) _PyUnicode_IsPrintable(ch)
#define Py_UNICODE_TOUPPER(ch)     _PyUnicode_ToUppercase(ch)
#define Py_UNICODE_TOLOWER(ch)     _PyUnicode_ToLowercase(ch)
#define Py_UNICODE_TOTITLE(ch)     _PyUnicode_ToTitlecase(ch)
#define Py_UNICODE_TODECIMAL(ch)   _PyUnicode_ToDecimalDigit(ch)

/* The halves of characters beyond 0xffff in UTF-16. */
#define Py_UNICODE_IS_SURROGATE(ch)      ((ch) >= 0xD800 && (ch) <= 0xDFFF)
#define Py_UNICODE_IS_HIGH_SURROGATE(ch) ((ch) >= 0xD800 && (ch) <= 0xDBFF)
#define Py_UNICODE_IS_LOW_SURROGATE(ch)  ((ch) >= 0xDC00 && (ch) <= 0xDFFF)
#define Py_UNICODE_JOIN_SURROGATES(high, low)                                            \
    (((((Py_UCS4)(high)&0x03FF) << 10) | ((Py_UCS4)(low)&0x03FF)) + 0x10000)
#define Py_UNICODE_HIGH_SURROGATE(ch) (0xD800 - (0x10000 >> 10) + ((ch) >> 10))
#define Py_UNICODE_LOW_SURROGATE(ch)  (0xDC00 + ((ch)&0x3FF))

/* --- interning ------------------------------------------------------------------------ */

/* Replace *p by the one str of this content; the reference is moved. Interning keeps no
 * string alive. Only exact str; fails silently, leaving *p. */
PyAPI_FUNC(void) PyUnicode_InternInPlace(PyObject **p);
PyAPI_FUNC(PyObject *) PyUnicode_InternFromString(const char *str);

/* --- PyUnicodeWriter -------------------------------------------------------------------- */

/* Text under construction. Write... return 0, or -1 with an exception, and what was
 * written before stays. Finish or Discard ends the writer. */
typedef struct PyUnicodeWriter PyUnicodeWriter;

/* `length` is a hint. NULL with MemoryError, or ValueError when negative. */
PyAPI_FUNC(PyUnicodeWriter *) PyUnicodeWriter_Create(Py_ssize_t length);
/* The text; the writer is gone, also on failure. */
PyAPI_FUNC(PyObject *) PyUnicodeWriter_Finish(PyUnicodeWriter *writer);
/* NULL is fine. */
PyAPI_FUNC(void) PyUnicodeWriter_Discard(PyUnicodeWriter *writer);
PyAPI_FUNC(int) PyUnicodeWriter_WriteChar(PyUnicodeWriter *writer, Py_UCS4 ch);
/* `size` may be -1 for text up to the NUL. UnicodeDecodeError when not UTF-8. */
PyAPI_FUNC(int) PyUnicodeWriter_WriteUTF8(PyUnicodeWriter *writer, const char *str,
                                          Py_ssize_t size);
/* The same for text known to be ASCII. */
PyAPI_FUNC(int) PyUnicodeWriter_WriteASCII(PyUnicodeWriter *writer, const char *str,
                                           Py_ssize_t size);
PyAPI_FUNC(int) PyUnicodeWriter_WriteWideChar(PyUnicodeWriter *writer, const wchar_t *str,
                                              Py_ssize_t size);
PyAPI_FUNC(int) PyUnicodeWriter_WriteUCS4(PyUnicodeWriter *writer, const Py_UCS4 *str,
                                          Py_ssize_t size);
/* str(obj) and repr(obj); NULL is written as <NULL> by Repr. */
PyAPI_FUNC(int) PyUnicodeWriter_WriteStr(PyUnicodeWriter *writer, PyObject *obj);
PyAPI_FUNC(int) PyUnicodeWriter_WriteRepr(PyUnicodeWriter *writer, PyObject *obj);
PyAPI_FUNC(int) PyUnicodeWriter_WriteSubstring(PyUnicodeWriter *writer, PyObject *str,
                                               Py_ssize_t start, Py_ssize_t end);
/* The codes of PyUnicode_FromFormat. */
PyAPI_FUNC(int) PyUnicodeWriter_Format(PyUnicodeWriter *writer, const char *format, ...);

/* --- the older private writer -------------------------------------------------------------- */

/* As PyUnicodeWriter, in memory of the caller. Init cannot fail; Finish or Dealloc ends it.
 * The fields are hints that may be set after Init; none has to be. */
typedef struct {
    PyUnicodeWriter *writer; /* NULL until something is written */
    Py_ssize_t min_length;
    Py_UCS4 min_char;
    unsigned char overallocate;
} _PyUnicodeWriter;

/* The writing functions: 0; or -1 with an exception, and what was written before stays. */
PyAPI_FUNC(void) _PyUnicodeWriter_Init(_PyUnicodeWriter *writer);
PyAPI_FUNC(int) _PyUnicodeWriter_WriteChar(_PyUnicodeWriter *writer, Py_UCS4 ch);
/* Only a str. */
PyAPI_FUNC(int) _PyUnicodeWriter_WriteStr(_PyUnicodeWriter *writer, PyObject *str);
PyAPI_FUNC(int) _PyUnicodeWriter_WriteSubstring(_PyUnicodeWriter *writer, PyObject *str,
                                                Py_ssize_t start, Py_ssize_t end);
/* `len` may be -1 for text up to the NUL. */
PyAPI_FUNC(int) _PyUnicodeWriter_WriteASCIIString(_PyUnicodeWriter *writer,
                                                  const char *str, Py_ssize_t len);
PyAPI_FUNC(int) _PyUnicodeWriter_WriteLatin1String(_PyUnicodeWriter *writer,
                                                   const char *str, Py_ssize_t len);
PyAPI_FUNC(PyObject *) _PyUnicodeWriter_Finish(_PyUnicodeWriter *writer);
PyAPI_FUNC(void) _PyUnicodeWriter_Dealloc(_PyUnicodeWriter *writer);

OURO_END_DECLS

#endif
