# SPDX-License-Identifier: MIT
"""What is in memory, and why: snapshots of the running CPython.

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
    """Write a snapshot of all objects to a new file, readable for its owner alone.

    The names of types, modules, functions, attributes and local variables are in it, and sizes
    and addresses. Texts, numbers and the keys of other dicts are not, unless `values` is true.
    FileExistsError when there is such a file.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        _ouro_heap.snapshot(path, values)
    finally:
        if was_enabled:
            gc.enable()
