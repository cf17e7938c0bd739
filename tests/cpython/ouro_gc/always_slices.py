# SPDX-License-Identifier: MIT
"""Used as sitecustomize.py: full collections run in slices, and a cycle is always under way."""

import ouro_gc
from ouro_gc import _ouro_gc

ouro_gc.enable(pause_budget_us=100)
_ouro_gc.testing(always=True)
