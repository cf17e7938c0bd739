/* SPDX-License-Identifier: MIT */
/* Everything that a source file written for CPython's C API includes. */
#ifndef Py_PYTHON_H
#define Py_PYTHON_H

#include "py/version.h"
#include "py/port.h"
#include "py/object.h"
#include "py/typeobject.h"
#include "py/slots.h"
#include "py/memory.h"
#include "py/gcsupport.h"
#include "py/weakref.h"
#include "py/errors.h"
#include "py/lifecycle.h"
#include "py/thread.h"
#include "py/module.h"
#include "py/import.h"
#include "py/builtins.h"
#include "py/protocol.h"
#include "py/buffer.h"
#include "py/memoryview.h"
#include "py/arg.h"
#include "py/code.h"
#include "py/frame.h"
#include "py/file.h"
#include "py/ctype.h"
#include "py/structseq.h"
#include "py/codec.h"
#include "py/time.h"
#include "py/run.h"
#include "py/identifier.h"

#endif
