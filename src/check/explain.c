/* SPDX-License-Identifier: MIT */
#include "check.h"
void
ouro_event_emptied(struct _is *interp)
{
    (void)interp;
}
