/* SPDX-License-Identifier: MIT */
/* "Did you mean ...?" */
#ifndef OURO_API_SUGGEST_H
#define OURO_API_SUGGEST_H

/* The one of `names` (up to NULL) that is most similar to `wrong`, by CPython's measure; NULL
 * when none is near. All are UTF-8. */
const char *ouro_suggest_name(const char *wrong, char *const *names);

#endif
