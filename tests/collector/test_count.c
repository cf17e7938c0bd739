/* SPDX-License-Identifier: MIT */
/* Counting proves by addresses alone that all objects of a list are reachable. */
#include "graphs.h"

TEST_PY(addresses_prove_lists_held_at_either_end_the_second_time)
{
    static PyObject *nodes[LENGTH];
    for (int shape = FORWARDS; shape <= DOUBLY_LINKED_PREPENDED; shape++) {
        begin_graph();
        PyObject *head = make_list(shape, nodes, LENGTH);
        forget_all_numbers();
        EXPECT_EQ(collect(), 0);
        EXPECT(collection_is_a_proof());
        EXPECT(collection_is_a_proof());
        EXPECT(!ouro_current.interp->gc.certificate.is_numbered);
        Py_DECREF(head);
        collect();
        EXPECT_EQ(node_deaths, LENGTH);
    }
}

TEST_PY(a_proof_by_addresses_ends_the_rest_of_the_certificate)
{
    static PyObject *nodes[LENGTH];
    begin_graph();
    PyObject *head = make_list(FORWARDS, nodes, LENGTH);
    forget_all_numbers();
    gc_now()->certificate.failures = 3;
    gc_now()->certificate.rest = 2;
    EXPECT_EQ(collect(), 0);
    EXPECT_EQ(gc_now()->certificate.failures, 0);
    Py_DECREF(head);
}
