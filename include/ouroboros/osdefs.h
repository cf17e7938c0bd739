/* SPDX-License-Identifier: MIT */
/* Characters and limits of the names of files. */
#ifndef Py_OSDEFS_H
#define Py_OSDEFS_H

#include <limits.h>

#ifndef MAXPATHLEN
#define MAXPATHLEN PATH_MAX
#endif
#define SEP   L'/'
#define DELIM L':'

#endif
