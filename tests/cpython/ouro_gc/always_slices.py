# SPDX-License-Identifier: MIT
"""As sitecustomize.py: whatever runs, full collections are in slices, and one is always under way."""

import ouro_gc
from ouro_gc import _ouro_gc

ouro_gc.enable(pause_budget_us=100)
_ouro_gc.testing(always=True)
