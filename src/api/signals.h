/* SPDX-License-Identifier: MIT */
/* What a safe point asks about signals. */
#ifndef OURO_API_SIGNALS_H
#define OURO_API_SIGNALS_H

#include "../base/check.h"

/* Raise KeyboardInterrupt if one was requested. 0; or -1 with the exception. Attached. */
int ouro_signals_raise(void);

#endif
