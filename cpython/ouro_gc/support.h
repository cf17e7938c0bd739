/* SPDX-License-Identifier: MIT */
/* Support for old candidates that have lost the one that came before them in the order.
 *
 * A function returned, say, and what it held is held by a module now, which comes later. So it
 * is wanted, and all that it leads to is in doubt: that may be most of the heap. But if the
 * module does not depend on it, the module and all that supports it can go in front: no object
 * loses support because another one comes earlier. Then nothing else moves, and nothing is
 * marked. */
#ifndef OURO_GC_SUPPORT_H
#define OURO_GC_SUPPORT_H

#include "detect.h"

/* After a proof that failed: look for support of wanted candidates among the first `limit`, or
 * more of them if much is in doubt. Those that have it are wanted no more, and slots[0] and on
 * have a new order; those from `fresh` on keep their places. Is everything reachable now? */
bool support_find(struct detector *detector, uint32_t *slots, size_t fresh, size_t limit);

#endif
