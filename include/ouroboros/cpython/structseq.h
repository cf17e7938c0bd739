/* SPDX-License-Identifier: MIT */
#include "../Python.h"
