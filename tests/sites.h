/* SPDX-License-Identifier: MIT */
/* Letting every call of the library that asks for memory fail once; see sites.c. */
#ifndef OURO_TESTS_SITES_H
#define OURO_TESTS_SITES_H

/* From now on in this process and its children; what was found goes to this file. */
void test_fail_each_site(const char *path);

#endif
