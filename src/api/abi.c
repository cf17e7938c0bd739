/* SPDX-License-Identifier: MIT */
/* The ABI tag: which headers a program or a module was compiled with.
 *
 * Starting the library with another tag ends the process, because nothing could work. Importing
 * a module with another tag raises ImportError, because the program can do without it. */
#include "abi.h"

#include <Python.h>
#include <stdbool.h>

#include "../base/check.h"

#define OURO_ABI_FAMILY 0xFFFF0000u /* the part that says Ouroboros */

#define ABI_MISMATCH                                                                     \
    "was compiled with %s (ABI tag 0x%08x), but this library was built with %s (ABI "    \
    "tag 0x%08x)."
#define ABI_REMEDY "again with the flags of `pkg-config --cflags %s`"

static const char *
headers_of_tag(uint32_t tag)
{
    if ((tag & OURO_ABI_FAMILY) != (OURO_ABI_TAG & OURO_ABI_FAMILY)) {
        return "CPython's or other headers";
    }
    switch (tag) {
    case OURO_ABI_TAG & ~1u:
        return "these headers";
    case OURO_ABI_TAG | 1u:
        return "these headers with OURO_CHECK";
    default:
        return "headers of another version";
    }
}

static const char *
package_to_use(void)
{
    return (OURO_ABI_TAG & 1u) != 0 ? "ouroboros-check" : "ouroboros";
}

void
ouro_abi_require(const char *function, uint32_t tag)
{
    OURO_REQUIRE(tag == OURO_ABI_TAG,
                 "%s: the caller " ABI_MISMATCH
                 " Compile the program and all its modules " ABI_REMEDY,
                 function, headers_of_tag(tag), tag, headers_of_tag(OURO_ABI_TAG),
                 OURO_ABI_TAG, package_to_use());
}

int
_PyABI_CheckTag(uint32_t tag, const char *module_name)
{
    if (tag == OURO_ABI_TAG) {
        return 0;
    }
    if (module_name == NULL) {
        module_name = _PyImport_Context();
    }
    /* The numbers are formatted here, as PyErr_Format has no code for 8 hex digits. */
    char text[400];
    snprintf(text, sizeof(text), ABI_MISMATCH " Compile it " ABI_REMEDY,
             headers_of_tag(tag), tag, headers_of_tag(OURO_ABI_TAG), OURO_ABI_TAG,
             package_to_use());
    PyErr_Format(PyExc_ImportError, "%s%s %s", module_name != NULL ? "module " : "",
                 module_name != NULL ? module_name : "the module", text);
    return -1;
}

int
PyABIInfo_Check(PyABIInfo *info, const char *module_name)
{
    if (info == NULL) {
        PyErr_SetString(PyExc_SystemError, "NULL PyABIInfo");
        return -1;
    }
    if (info->abiinfo_major_version == 0) {
        return 0;
    }
    if (info->abiinfo_major_version > 1) {
        PyErr_Format(PyExc_ImportError, "PyABIInfo version of %s is too high",
                     module_name != NULL ? module_name : "the module");
        return -1;
    }
    return _PyABI_CheckTag(info->abi_version, module_name);
}
