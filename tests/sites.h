/* SPDX-License-Identifier: MIT */
/* Every call of the library that asks for memory fails once; see sites.c. */
#ifndef OURO_TESTS_SITES_H
#define OURO_TESTS_SITES_H

/* Do this from now on, in this process and its children; `path` is the file of notes. */
void test_fail_each_site(const char *path);

#endif
