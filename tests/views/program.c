/* SPDX-License-Identifier: MIT */
/* program FILE COUNT: makes a heap of about COUNT objects and writes a snapshot of it to FILE. It
 * prints the library's figures for the snapshot as JSON, for the scripts beside this file. */
#include <ouroboros.h>

#include <stdio.h>
#include <stdlib.h>

#define EDGES_MOST 1000

static void
fill_heap(long count)
{
    PyObject *module = PyImport_AddModule("shop");
    PyObject *orders = PyList_New(0);
    for (long i = 0; i < count / 4; i++) {
        PyObject *order = PyDict_New();
        PyObject *lines = PyList_New(0);
        PyObject *line = PyTuple_Pack(2, lines, i % 3 == 0 ? orders : Py_None);
        PyObject *text = PyUnicode_FromFormat("order number %ld", i);
        PyList_Append(lines, line);
        PyDict_SetItemString(order, "lines", lines);
        PyDict_SetItemString(order, "text", text);
        PyList_Append(orders, order);
        Py_DECREF(order);
        Py_DECREF(lines);
        Py_DECREF(line);
        Py_DECREF(text);
    }
    PyModule_AddObjectRef(module, "orders", orders);
    Py_DECREF(orders);
}

static void
tell_node(Ouro_Snapshot *snapshot, size_t number)
{
    static Ouro_SnapshotEdge edges[EDGES_MOST];
    Ouro_SnapshotNode node;
    Ouro_SnapshotGetNode(snapshot, number, &node);
    printf("{\"address\": \"0x%llx\", \"type\": \"%s\", \"size\": %llu, \"retained\": "
           "%llu, ",
           (unsigned long long)node.address, node.type, (unsigned long long)node.size,
           (unsigned long long)node.retained);
    printf("\"referrers\": %zu, \"referents\": %zu, \"path\": [",
           Ouro_SnapshotGetReferrers(snapshot, number, NULL, 0),
           Ouro_SnapshotGetReferents(snapshot, number, NULL, 0));
    size_t steps = Ouro_SnapshotGetPath(snapshot, number, edges, EDGES_MOST);
    for (size_t i = 0; i < steps; i++) {
        printf("%s\"%s\"", i != 0 ? ", " : "", edges[i].name);
    }
    printf("]}");
}

static void
tell_all(Ouro_Snapshot *snapshot)
{
    Ouro_SnapshotType rows[100];
    size_t types = Ouro_SnapshotGetTypes(snapshot, NULL, rows, 100);
    printf("{\"types\": [");
    for (size_t i = 0; i < types; i++) {
        printf("%s[\"%s\", %llu, %llu, %llu]", i != 0 ? ", " : "", rows[i].name,
               (unsigned long long)rows[i].objects, (unsigned long long)rows[i].bytes,
               (unsigned long long)rows[i].retained);
    }
    printf("],\n\"nodes\": [");
    for (size_t n = 0; n < Ouro_SnapshotCount(snapshot); n++) {
        printf("%s", n != 0 ? ",\n" : "");
        tell_node(snapshot, n);
    }
    printf("]}\n");
}

int
main(int count, char **arguments)
{
    if (count != 3) {
        fprintf(stderr, "usage: program FILE COUNT\n");
        return 2;
    }
    Py_Initialize();
    fill_heap(strtol(arguments[2], NULL, 10));
    Ouro_Snapshot *snapshot = Ouro_SnapshotTake(0);
    if (snapshot == NULL || Ouro_SnapshotWrite(snapshot, arguments[1]) != 0) {
        fprintf(stderr, "program: no snapshot was written\n");
        return 1;
    }
    tell_all(snapshot);
    Ouro_SnapshotFree(snapshot);
    return Py_FinalizeEx() == 0 ? 0 : 1;
}
