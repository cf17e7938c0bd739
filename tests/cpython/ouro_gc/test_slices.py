# SPDX-License-Identifier: MIT
"""Full collections in slices find everything, harm no live object, and do not disturb others."""

import gc
import random
import sys
import weakref

import ouro_gc
from claims import claim, run
from heaps import Node, all_dead, cycles, is_intact, live_graph
from ouro_gc import _ouro_gc

BUDGET = 1000


def enable(budget=BUDGET):
    ouro_gc.enable(pause_budget_us=budget)
    _ouro_gc.testing(always=True)


def work(live, rng, steps=300):
    """What a program does between slices: it moves references and replaces objects."""
    for _ in range(steps):
        a, b = rng.randrange(len(live)), rng.randrange(len(live))
        live[a].refs, live[b].refs = live[b].refs, live[a].refs
        node = Node()
        node.self, node.refs = node, [live[0]]
        live[a] = node


def wait_for_cycles(count, live, rng):
    target = ouro_gc.stats()["cycles"] + count
    for _ in range(3000):
        if ouro_gc.stats()["cycles"] >= target:
            return
        work(live, rng)
    raise AssertionError("cycles do not end: %r" % ouro_gc.stats())


def separate(n, rng):
    nodes = [Node() for _ in range(n)]
    for node in nodes:
        node.refs = [node]
    return nodes


def chain(n, rng, order=None):
    nodes = separate(n, rng)
    ordered = nodes[::-1] if order == "backward" else nodes[:]
    if order == "random":
        rng.shuffle(ordered)
    for a, b in zip(ordered, ordered[1:]):
        a.refs.append(b)
    return nodes


def ring(n, rng):
    nodes = chain(n, rng)
    nodes[-1].refs.append(nodes[0])
    return nodes


def graph(n, rng):
    nodes = separate(n, rng)
    for node in nodes:
        node.refs += [rng.choice(nodes), rng.choice(nodes)]
    return nodes


def large(n, rng):
    nodes = separate(n, rng)
    table = dict(enumerate(nodes))
    nodes[0].refs += [list(nodes), table]
    table[-1] = table
    return nodes


def hub(n, rng):
    nodes = separate(n, rng)
    for node in nodes:
        node.refs.append(nodes[n // 2])
    return nodes


def generators(n, rng):
    def count(box):
        yield box
        yield box
    nodes = separate(n, rng)
    for node in nodes:
        generator = count(node)
        next(generator)
        node.refs.append(generator)
    return nodes


def classes(n, rng):
    nodes = separate(n // 20, rng)
    for node in nodes:
        kind = type("Made", (), {"node": node})
        node.refs.append(kind())
    return nodes


SHAPES = {
    "separate": separate, "a chain": chain, "a ring": ring, "a random graph": graph,
    "large containers": large, "a hub": hub, "generators": generators, "classes": classes,
    "a chain backward": lambda n, rng: chain(n, rng, "backward"),
    "a chain in random order": lambda n, rng: chain(n, rng, "random"),
}


def collections_in_one_piece():
    return gc.get_stats()[2]["collections"]


def becomes_free(make):
    rng = random.Random(2)
    live = separate(20000, rng)
    nodes = make(2000, rng)
    gc.collect()
    enable()
    wait_for_cycles(1, live, rng)
    watched = [weakref.ref(node) for node in nodes]
    del nodes
    before = collections_in_one_piece()
    wait_for_cycles(2, live, rng)  # the first one may have begun before
    assert all_dead(watched), sum(ref() is not None for ref in watched)
    assert collections_in_one_piece() == before
    assert all(type(node) is Node and type(node.refs) is list for node in live)


for name, make in SHAPES.items():
    claim("garbage that was there when a cycle began is gone when it ends: " + name)(
        lambda make=make: becomes_free(make))


@claim("what is alive is intact after many cycles")
def _():
    rng = random.Random(3)
    nodes, live = live_graph(3000), separate(20000, rng)
    enable(budget=500)
    for _ in range(3):
        wait_for_cycles(3, live, rng)
        assert is_intact(nodes)
    stats = ouro_gc.stats()
    assert stats["slices"] > 20 and stats["failed"] == 0
    gc.collect()
    assert is_intact(nodes)


@claim("gc.collect() ends a cycle and collects everything")
def _():
    rng = random.Random(4)
    live = separate(20000, rng)
    enable(budget=20)
    for _ in range(5):
        work(live, rng, 3000)
        watched = cycles(50)
        gc.collect()
        assert all_dead(watched)
        watched = [weakref.ref(node) for node in separate(100, rng)]
        assert gc.collect() >= 100 and all_dead(watched)


@claim("freeze and unfreeze in the middle of a cycle")
def _():
    rng = random.Random(5)
    nodes, live = live_graph(2000), separate(20000, rng)
    enable(budget=20)
    for _ in range(10):
        work(live, rng, 2500)
        gc.freeze()
        work(live, rng, 2500)
        gc.unfreeze()
    assert ouro_gc.stats()["abandoned_cycles"] > 0
    watched = cycles(20)
    gc.collect()
    assert all_dead(watched) and is_intact(nodes)


@claim("unfreeze and freeze in the middle of a cycle")
def _():
    rng = random.Random(5)
    nodes, live = live_graph(2000), separate(20000, rng)
    gc.freeze()
    more = separate(20000, rng)
    enable(budget=20)
    for _ in range(30):
        work(more, rng, 1500)
        gc.unfreeze()
        gc.freeze()
    work(more, rng, 9000)
    gc.unfreeze()
    watched = cycles(20)
    gc.collect()
    assert all_dead(watched) and is_intact(nodes) and len(live) == 20000


@claim("a full collection without our callback ends a cycle")
def _():
    rng = random.Random(5)
    nodes, live = live_graph(2000), separate(20000, rng)
    enable(budget=20)
    for _ in range(20):
        work(live, rng, 1500)
        callbacks = gc.callbacks[:]
        gc.callbacks.clear()
        gc.collect()
        gc.callbacks[:] = callbacks
    work(live, rng, 9000)
    watched = cycles(20)
    gc.collect()
    assert all_dead(watched) and is_intact(nodes)


@claim("when our callback is gone CPython begins full collections by itself again")
def _():
    live = separate(20000, random.Random(5))
    gc.collect()
    enable()
    gc.collect(1)  # from here on CPython waits for cycles
    gc.callbacks.clear()
    before = collections_in_one_piece()
    kept = [live_graph(3000) for _ in range(40)]
    assert collections_in_one_piece() > before
    assert all(map(is_intact, kept)) and len(live) == 20000


@claim("disable in the middle of a cycle, and full collections come by themselves again")
def _():
    rng = random.Random(6)
    live = separate(20000, rng)
    enable(budget=20)
    work(live, rng, 5000)
    ouro_gc.disable()
    before = gc.get_stats()[2]["collections"]
    kept = [live_graph(3000) for _ in range(20)]
    assert gc.get_stats()[2]["collections"] > before
    assert all(map(is_intact, kept))


@claim("donate goes on with a cycle, and what is found is gone when it returns")
def _():
    rng = random.Random(7)
    live = separate(30000, rng)
    gc.collect()
    enable(budget=20)
    watched = [weakref.ref(node) for node in ring(300, rng)]
    while not ouro_gc.stats()["slices"]:
        work(live, rng)
    before = ouro_gc.stats()
    assert ouro_gc.donate(0.0) is True
    assert ouro_gc.stats()["slices"] == before["slices"]
    assert ouro_gc.donate(20) is False
    after = ouro_gc.stats()
    assert after["cycles"] == before["cycles"] + 1, (before, after)
    ouro_gc.donate(1)
    gc.collect(1)
    assert all_dead(watched)


@claim("donate begins a cycle when objects have become old, and not before")
def _():
    rng = random.Random(8)
    live = separate(30000, rng)
    gc.collect()
    ouro_gc.enable(pause_budget_us=100)
    ouro_gc.donate(1)
    assert ouro_gc.stats()["slices"] == 0
    more = separate(3000, rng)
    gc.collect(1)
    watched = [weakref.ref(node) for node in more]
    del more
    ouro_gc.donate(20)
    assert ouro_gc.stats()["cycles"] == 1 and all_dead(watched), ouro_gc.stats()
    assert len(live) == 30000


@claim("donate does nothing without a budget, and without enable")
def _():
    ouro_gc.donate(0.1)
    ouro_gc.enable()
    ouro_gc.donate(0.1)
    assert ouro_gc.stats()["slices"] == 0


@claim("a structure that is too large for slices is collected in one piece, soon")
def _():
    rng = random.Random(10)
    live, nodes = separate(60000, rng), ring(60000, rng)
    gc.collect()
    enable()
    watched = [weakref.ref(nodes[0])]
    del nodes
    before = collections_in_one_piece()
    for _ in range(1000):
        work(live, rng)
        if all_dead(watched):
            break
    stats = ouro_gc.stats()
    assert all_dead(watched) and collections_in_one_piece() == before + 1, stats
    assert stats["forced_ends"] == stats["too_large"] == 1, stats


@claim("any request for memory may fail in a cycle, and nothing is lost")
def _():
    rng = random.Random(9)
    nodes, live = live_graph(2000), separate(20000, rng)
    gc.collect()
    enable(budget=500)
    for request in range(1, 60):
        _ouro_gc.testing(fail_request=request)
        work(live, rng, 500)
        assert is_intact(nodes)
    _ouro_gc.testing(fail_request=0)
    watched = cycles(20)
    gc.collect()
    assert all_dead(watched) and is_intact(nodes)


@claim("a budget that is no sensible number is a ValueError")
def _():
    for budget in (-1, 1e9, float("nan")):
        try:
            ouro_gc.enable(pause_budget_us=budget)
        except ValueError:
            continue
        raise AssertionError(budget)
    assert not ouro_gc.is_enabled()
    for argument in ("1", None):
        try:
            ouro_gc.donate(argument)
        except TypeError:
            continue
        raise AssertionError(argument)


@claim("without a cycle that is due nothing changes")
def _():
    ouro_gc.enable(pause_budget_us=500)
    nodes, watched = live_graph(500), cycles(20)
    gc.collect()
    assert all_dead(watched) and is_intact(nodes)
    assert sys.getsizeof(nodes) and ouro_gc.stats()["cycles"] == 0


run()
