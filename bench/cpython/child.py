# SPDX-License-Identifier: MIT
"""One process of the benchmark: build a heap, time its full collections, print them as JSON.

    child.py MODE HEAP OBJECTS      MODE is cpython or ouro

"first" is the collection after six of eight parts, "grown" the one after the last two, "steady"
the least of those that follow; CPU time of the thread, in nanoseconds per tracked object.
"""

import gc
import json
import os
import sys
import time

import heaps

STEADY_ROUNDS = 5


def resident():
    """Bytes of memory that are resident now, and at most so far."""
    values = {}
    with open("/proc/self/status", encoding="ascii") as file:
        for line in file:
            if line.startswith(("VmRSS:", "VmHWM:")):
                values[line[:5]] = int(line.split()[1]) * 1024
    return values["VmRSS"], values["VmHWM"]


def reset_peak():
    try:
        with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
            file.write("5")
    except OSError:
        pass


def timed(function):
    start = time.thread_time_ns()
    function()
    return time.thread_time_ns() - start


def main(mode, name, objects):
    if mode == "ouro":
        import ouro_gc
        ouro_gc.enable()
    start = time.process_time_ns()
    kept, result = [], {}
    for part, live in enumerate(heaps.HEAPS[name](objects)):
        kept.append(live)
        if part + 1 == heaps.PARTS * 6 // 8:
            built = time.process_time_ns() - start
            result["first"] = timed(gc.collect) / len(gc.get_objects())
            start = time.process_time_ns() - built
    result["build_cpu"] = (time.process_time_ns() - start) / 1e9
    tracked = len(gc.get_objects())
    before = resident()[0]
    reset_peak()
    result["grown"] = timed(gc.collect) / tracked
    after, peak = resident()
    result["steady"] = min(timed(gc.collect) for _ in range(STEADY_ROUNDS)) / tracked
    result.update(objects=tracked, resident=before, kept=after - before, peak=peak - before)
    if mode == "ouro":
        result["stats"] = ouro_gc.stats()
    print(json.dumps(result), flush=True)
    os._exit(0)  # destroying the heap takes longer than measuring it


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(float(sys.argv[3])))
