/* SPDX-License-Identifier: MIT */
/* The parts of edges.h that are not inline. */
#include "edges.h"

void
ouro_edges_refuse(PyObject *op, const struct edge_step *step, Py_ssize_t count)
{
    ouro_fatal(
        "type '%s', field '%s': %zd elements cannot be there; the length does not fit "
        "the array",
        Py_TYPE(op)->tp_name, step->field->name, count);
}

void
ouro_call_declared_edges(PyObject *op, visitproc visit, void *arg)
{
    (void)ouro_edges_visit(Py_TYPE(op)->tp_ouro_edges, op, visit, arg);
}
