# SPDX-License-Identifier: MIT
"""Faster collections in an unmodified CPython.

    import ouro_gc
    ouro_gc.enable()

From then on Ouroboros finds out which objects are garbage, in a fraction of the time. CPython's own
collector still proves that each of these objects is unreachable, runs finalizers and weak reference
callbacks, and destroys the objects. The gc module behaves as documented. docs/inside-cpython.md says
why this is safe, and what the limits are.

    python -m ouro_gc --compare script.py      # is it worth it for your program?
"""

from ._ouro_gc import disable, donate, enable, is_enabled, stats

__all__ = ["disable", "donate", "enable", "is_enabled", "stats"]
