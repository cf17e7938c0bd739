/* SPDX-License-Identifier: MIT */
/* Where the views of the heap put themselves. */
#include "inspect.h"

const struct ouro_inspector *ouro_inspector;
volatile sig_atomic_t ouro_inspect_is_asked;
