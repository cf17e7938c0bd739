# SPDX-License-Identifier: MIT
"""What a user sees: enable, disable, is_enabled, stats, and bad input."""

import gc
import sys

import ouro_gc
from claims import claim, run
from heaps import all_dead, cycles, is_intact, live_graph


@claim("after enable a full collection is ours")
def _():
    gc.disable()
    ouro_gc.enable()
    assert ouro_gc.is_enabled()
    nodes, watched = live_graph(2000), cycles(50)
    collected = gc.collect()
    assert collected >= 150 and all_dead(watched) and is_intact(nodes)
    stats = ouro_gc.stats()
    assert stats["collections"][2] == 1 and stats["proposed"] >= 150 and stats["rejected"] == 0


@claim("a live heap is proved alive without a mark")
def _():
    ouro_gc.enable()
    nodes = live_graph(2000)
    before = ouro_gc.stats()
    for _ in range(6):
        gc.collect()
    after = ouro_gc.stats()
    assert after["proofs"] - before["proofs"] >= 4, (before, after)
    assert is_intact(nodes)


@claim("a second enable changes nothing")
def _():
    ouro_gc.enable()
    gc.collect()
    before = list(gc.callbacks), ouro_gc.stats()["collections"]
    ouro_gc.enable()
    assert (list(gc.callbacks), ouro_gc.stats()["collections"]) == before


@claim("disable leaves everything as it was before enable")
def _():
    callbacks, nodes = list(gc.callbacks), live_graph(3000)
    gc.collect()
    count = len(gc.get_objects())
    ouro_gc.enable()
    gc.collect()
    ouro_gc.disable()
    assert gc.callbacks == callbacks and not ouro_gc.is_enabled()
    assert abs(len(gc.get_objects()) - count) < 10, (len(gc.get_objects()), count)
    watched = cycles(10)
    gc.collect()
    assert all_dead(watched) and is_intact(nodes)
    ouro_gc.disable()


@claim("enable after disable works again")
def _():
    nodes = live_graph(1000)
    for _ in range(5):
        ouro_gc.enable()
        watched = cycles(10)
        gc.collect()
        ouro_gc.disable()
        assert all_dead(watched)
    assert is_intact(nodes)


@claim("a removed callback ends it, and enable puts it back")
def _():
    ouro_gc.enable()
    gc.callbacks.clear()
    assert not ouro_gc.is_enabled()
    watched = cycles(10)
    gc.collect()
    assert all_dead(watched) and ouro_gc.stats()["collections"][2] == 0
    ouro_gc.enable()
    assert ouro_gc.is_enabled()
    gc.collect()
    assert ouro_gc.stats()["collections"][2] == 1


@claim("a call of the callback by somebody else does no harm")
def _():
    ouro_gc.enable()
    callback = gc.callbacks[-1]
    for phase, info in [("stop", {}), ("start", {}), ("start", {"generation": 7}),
                        ("stop", {"generation": -1}), ("other", {"generation": 1}),
                        ("start", {"generation": "two"}), ("start", [])]:
        callback(phase, info)
    try:
        callback(1)
    except TypeError:
        pass
    watched = cycles(10)
    gc.collect()
    assert all_dead(watched)


@claim("a collection that somebody else pretends to start is put right at the next")
def _():
    ouro_gc.enable()
    nodes = live_graph(500)
    gc.collect()
    count = len(gc.get_objects())
    for generation in (2, 0, 1, 2):
        gc.callbacks[-1]("start", {"generation": generation})
    gc.collect()
    assert len(gc.get_objects()) >= count - 5 and is_intact(nodes)
    watched = cycles(10)
    gc.collect()
    assert all_dead(watched)


@claim("stats has the documented keys")
def _():
    ouro_gc.enable()
    assert set(ouro_gc.stats()) == {
        "collections", "left_to_cpython", "objects", "proofs", "marks", "moved", "proposed",
        "rejected", "untracked", "failed", "cpu_seconds", "detection_seconds",
        "longest_seconds", "memory", "cycles", "slices", "cycle_proofs",
        "handed_over", "tried", "too_large", "grown_slices", "forced_ends", "abandoned_cycles",
        "longest_slice_seconds"}


@claim("unknown arguments are a TypeError")
def _():
    for arguments, keywords in [((1,), {}), ((), {"fast": True})]:
        try:
            ouro_gc.enable(*arguments, **keywords)
        except TypeError:
            continue
        raise AssertionError("no TypeError")
    assert not ouro_gc.is_enabled()


@claim("the memory of disable and enable does not grow")
def _():
    def resident():
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1])
    nodes = live_graph(5000)
    for number in range(60):
        ouro_gc.enable()
        gc.collect()
        ouro_gc.disable()
        if number == 10:
            before = resident()
    assert resident() < before + 400, (before, resident())
    assert is_intact(nodes)


if sys.version_info < (3, 9):
    sys.exit("these claims are about CPython 3.9 and newer")
run()
