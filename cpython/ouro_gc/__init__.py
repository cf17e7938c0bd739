# SPDX-License-Identifier: MIT
"""Faster collections in an unmodified CPython.

    import ouro_gc
    ouro_gc.enable()

From then on, which objects are garbage is found out by the detection of Ouroboros, in a
fraction of the time. CPython's own collector still proves each of these objects unreachable,
runs finalizers and weak reference callbacks, and destroys them; the gc module behaves as
documented. docs/inside-cpython.md tells why that is safe, and what the limits are.

    python -m ouro_gc --compare script.py      # is it worth it for your program?
"""

from ._ouro_gc import disable, donate, enable, is_enabled, stats

__all__ = ["disable", "donate", "enable", "is_enabled", "stats"]
