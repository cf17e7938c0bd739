/* SPDX-License-Identifier: MIT */
/* The place where the views of the heap register themselves. */
#include "inspect.h"

const struct ouro_inspector *ouro_inspector;
volatile sig_atomic_t ouro_inspect_is_asked;
