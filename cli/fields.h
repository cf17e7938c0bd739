/* SPDX-License-Identifier: MIT */
/* The names of fields and places, from the debug information of a module's file. The program
 * `ouro` and the audit inside CPython (cpython/ouro_audit/) ask for them. */
#ifndef OURO_CLI_FIELDS_H
#define OURO_CLI_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

/* NULL when the file has no debug information, or this was built without libdw. */
struct fields *fields_open(const char *module);
void fields_close(struct fields *fields);
/* "field 'next' of struct node, offset 16", to be freed; or NULL when it cannot be told. The
 * type has instances of `size` bytes, and its tp_traverse is at `traverse` in the file, or
 * that is 0. */
char *fields_name(struct fields *fields, size_t size, size_t traverse, size_t offset);
/* "linked.c:120 (node_new)" for an address in the module's file, to be freed; or NULL. */
char *fields_place(struct fields *fields, size_t address);

#endif
