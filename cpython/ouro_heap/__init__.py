# SPDX-License-Identifier: MIT
"""Snapshots of the running CPython, which show what is in memory, and why.

    import ouro_heap
    ouro_heap.snapshot("a.heapsnapshot")

Chrome's developer tools open the file (Memory, Load), and so does `ouro heap a.heapsnapshot`. A
name that ends in .json or .dot gives JSON for scripts, or Graphviz. Without changing the program:

    python3 -m ouro_heap script.py
"""

import gc

from . import _ouro_heap

__all__ = ["snapshot"]


def snapshot(path, *, values=False):
    """Write a snapshot of all objects to a new file, which only its owner can read.

    The snapshot has the names of types, modules, functions, attributes and local variables, and
    sizes and addresses. It has no texts, numbers and keys of other dicts, unless `values` is true.
    Raises FileExistsError if the file exists.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        _ouro_heap.snapshot(path, values)
    finally:
        if was_enabled:
            gc.enable()
