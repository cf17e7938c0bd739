/* SPDX-License-Identifier: MIT */
/* importer NAME [FILE]: import a module twice, count with it in two interpreters, and
 * print it; or print the exception. */
#include <ouroboros.h>

static PyObject *
import_module(char **argv)
{
    return argv[2] != NULL ? Ouro_ImportFile(argv[1], argv[2])
                           : PyImport_ImportModule(argv[1]);
}

/* Count to three, with an object that refers to itself. */
static int
use_module(char **argv)
{
    PyObject *module = import_module(argv), *again = import_module(argv);
    if (module == NULL || again != module) {
        PyErr_Print();
        return module != NULL;
    }
    long count = 0;
    for (int i = 0; i < 3; i++) {
        PyObject *result = PyObject_CallMethod(module, "next", NULL);
        count = result == NULL ? -1 : PyLong_AsLong(result);
        Py_XDECREF(result);
    }
    PyObject *repr = PyObject_Repr(module);
    printf("%s counted to %ld\n", PyUnicode_AsUTF8(repr), count);
    Py_DECREF(repr);
    Py_DECREF(module);
    Py_DECREF(again);
    return count == 3 ? 0 : 1;
}

int
main(int argc, char **argv)
{
    if (argc < 2) {
        return 2;
    }
    int failed = 0;
    for (int life = 0; life < 2; life++) {
        Py_Initialize();
        PyThreadState *main_thread = PyThreadState_Get();
        failed |= use_module(argv);
        PyThreadState *thread = Py_NewInterpreter();
        failed |= use_module(argv);
        Py_EndInterpreter(thread);
        PyThreadState_Swap(main_thread);
        failed |= Py_FinalizeEx();
    }
    return failed;
}
