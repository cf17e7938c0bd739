/* SPDX-License-Identifier: MIT */
/* The smallest program that uses the library, valid in C and in C++. The scripts beside it compile
 * and link it in each way that the documentation promises. */
#include <Python.h>

int
main(void)
{
    Py_Initialize();
    return Py_IsInitialized() && Py_FinalizeEx() == 0 ? 0 : 1;
}
