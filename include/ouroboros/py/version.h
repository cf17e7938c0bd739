/* SPDX-License-Identifier: MIT */
/* Versions: of the C API we follow, and of the library itself.
 *
 * PY_VERSION_HEX is what a source file tests to choose its newest code path; we claim
 * 3.15. OUROBOROS tells such a file that it is not compiled against CPython. */
#ifndef OURO_PY_VERSION_H
#define OURO_PY_VERSION_H

#define PY_RELEASE_LEVEL_ALPHA 0xA
#define PY_RELEASE_LEVEL_BETA  0xB
#define PY_RELEASE_LEVEL_GAMMA 0xC
#define PY_RELEASE_LEVEL_FINAL 0xF

#define PY_MAJOR_VERSION  3
#define PY_MINOR_VERSION  15
#define PY_MICRO_VERSION  0
#define PY_RELEASE_LEVEL  PY_RELEASE_LEVEL_FINAL
#define PY_RELEASE_SERIAL 0
#define PY_VERSION        "3.15.0"
#define PY_VERSION_HEX    0x030F00F0

#define OUROBOROS          1
#define OURO_VERSION       "0.1.0"
#define OURO_VERSION_MAJOR 0
#define OURO_VERSION_MINOR 1
#define OURO_VERSION_PATCH 0

/* The ABI tag says which headers an object file was compiled with. Every entry point
 * that starts the library or makes a module passes it, and the library refuses any
 * other value with a message. CPython passes 1013 in the same places. Bit 0 is the
 * checking build; the rest changes with the layout of any public structure. */
#ifndef OURO_CHECK
#define OURO_CHECK 0
#endif
#if OURO_CHECK
#define OURO_ABI_TAG 0x6F75010D
#else
#define OURO_ABI_TAG 0x6F75010C
#endif
#define PYTHON_API_VERSION OURO_ABI_TAG
#define PYTHON_ABI_VERSION OURO_ABI_TAG

#endif
