/* SPDX-License-Identifier: MIT */
/* The fields of UnicodeDecodeError, UnicodeEncodeError and UnicodeTranslateError. */
#ifndef OURO_BUILTINS_EXCEPTION_UNICODE_H
#define OURO_BUILTINS_EXCEPTION_UNICODE_H

#include "exception_object.h"

enum { UNICODE_ENCODING, UNICODE_OBJECT, UNICODE_START, UNICODE_END, UNICODE_REASON };

#endif
