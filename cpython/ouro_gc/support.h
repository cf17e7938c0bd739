/* SPDX-License-Identifier: MIT */
/* Support for old candidates. They had an earlier object in the order that referred to them, and
 * have lost it.
 *
 * For example, a function returned, and a module now holds the list that the function held. The
 * module comes later in the order. So the list is wanted, and everything that it leads to is in
 * doubt. That may be most of the heap. But if the module does not depend on the list, the module
 * and everything that supports it can be moved in front of the list. No object loses support
 * because another one comes earlier. Then nothing else moves, and nothing is marked. */
#ifndef OURO_GC_SUPPORT_H
#define OURO_GC_SUPPORT_H

#include "detect.h"

/* After a proof that failed: search the first `limit` candidates, or more if much is in doubt, for
 * support of wanted candidates. Those that have support are no longer wanted, and slots[0] and on
 * have a new order. Candidates from `fresh` on keep their places. Returns whether everything is
 * reachable now. */
bool support_find(struct detector *detector, uint32_t *slots, size_t fresh, size_t limit);

#endif
