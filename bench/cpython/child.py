# SPDX-License-Identifier: MIT
"""One process of the benchmark: build a heap, time its full collections, print them as JSON.

    child.py MODE HEAP OBJECTS      MODE is cpython or ouro

"first" is the collection after six of eight parts of the heap were built, "grown" the collection
after the last two, "steady" the fastest of those that follow. "garbage" finds one unreachable
structure of a tenth of the objects. "scattered" finds every tenth of many small structures; only
heaps whose parts are separate lists have it. Times are CPU time of the thread, in nanoseconds per
tracked object. "forked" is the memory shared with the parent that a collection in a forked child
makes private.
"""

import gc
import json
import os
import sys
import time

import heaps

STEADY_ROUNDS = 5


def resident():
    """Bytes that are resident now, and the largest number so far."""
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


def private_dirty():
    with open("/proc/self/smaps_rollup", encoding="ascii") as file:
        for line in file:
            if line.startswith("Private_Dirty:"):
                return int(line.split()[1]) * 1024
    return 0


def dirtied_by_child():
    """Bytes that a full collection in a forked child writes to, and so copies."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        before = private_dirty()
        gc.collect()
        os.write(writer, str(private_dirty() - before).encode())
        os._exit(0)
    os.close(writer)
    with open(reader, encoding="ascii") as file:
        answer = int(file.read())
    os.waitpid(child, 0)
    return answer


def has_separate_parts(kept):
    return kept[-1] is not kept[0] and all(isinstance(part, list) for part in kept)


def make_cycle(live):
    holder = [live]
    holder.append(holder)


def one_structure(kept):
    """Four fifths of a part die at once: a tenth of everything."""
    part = kept[-1]
    kept[-1] = part[:len(part) // 5]
    make_cycle(part[len(part) // 5:])


def scattered(kept):
    for part in kept:
        for i in range(0, len(part), 10):
            make_cycle(part[i])
            part[i] = None


def time_garbage(kept, make_garbage):
    gc.disable()  # nothing is collected before the timed collection
    make_garbage(kept)
    gc.enable()
    return timed(gc.collect)


def main(mode, name, objects):
    if mode == "ouro":
        import ouro_gc
        ouro_gc.enable()
    start = time.process_time_ns()
    kept, result = [], {}
    for part, live in enumerate(heaps.HEAPS[name](objects)):
        kept.append(live)
        del live
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
    result["forked"] = dirtied_by_child()
    if has_separate_parts(kept):
        result["garbage"] = time_garbage(kept, one_structure) / tracked
        result["scattered"] = time_garbage(kept, scattered) / tracked
    result.update(objects=tracked, resident=before, kept=after - before, peak=peak - before)
    if mode == "ouro":
        result["stats"] = ouro_gc.stats()
    print(json.dumps(result), flush=True)
    os._exit(0)  # destroying the heap takes longer than measuring it


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(float(sys.argv[3])))
