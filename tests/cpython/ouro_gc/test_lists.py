# SPDX-License-Identifier: MIT
"""CPython's lists have no objects of ours, and we do not rely on their state of the last time."""

import gc
import importlib
import operator
import os
import sys
import tempfile
import threading
import weakref

import ouro_gc
from ouro_gc import _ouro_gc
from claims import Skip, claim, run
from heaps import Node, all_dead, cycles, is_intact, live_graph


def kinds(objects):
    return {type(item).__module__ for item in objects}


@claim("nothing of ours is in gc.get_objects or gc.get_referrers between collections")
def _():
    ouro_gc.enable()
    nodes = live_graph(3000)
    for _ in range(3):
        gc.collect()
        objects = gc.get_objects()
        assert "_ouro_gc" not in kinds(objects)
        dead = [item for item in objects if isinstance(item, weakref.ref) and item() is None]
        assert not dead, dead
        assert len(gc.get_referrers(nodes[5])) >= 3
        del objects


@claim("objects from before enable() stay in front of those made since")
def _():
    old = live_graph(300)
    gc.collect()
    ouro_gc.enable()
    new = live_graph(3000)
    gc.collect(1)
    gc.collect()
    places = {id(item): place for place, item in enumerate(gc.get_objects(2))}
    assert max(places[id(node)] for node in old) < min(places[id(node)] for node in new)


def passed_on(size):
    """A list that refers to itself and to a live graph, which it took over from an older list."""
    first = [live_graph(size)]
    gc.collect()
    second = []
    second.append(second)
    for _ in range(3):
        gc.collect()
    second.append(first.pop())
    return second


@claim("old objects that a newer one holds now are proved to be alive, and few are marked")
def _():
    ouro_gc.enable()
    for size in (300, 30000):
        second = passed_on(size)
        before = ouro_gc.stats()["moved"]
        for _ in range(2):
            gc.collect()
        assert ouro_gc.stats()["moved"] - before < 10, size
        assert is_intact(second[1])


def made_from_parts(count):
    """Each part is older than the whole; the list of them is the oldest."""
    wholes = []
    for i in range(count):
        part = [i]
        inner = {"part": [part]}
        wholes.append({"part": part, "inner": (inner, [inner])})
    return wholes


@claim("small structures whose parts are older than they are: proved to be alive, few are moved")
def _():
    ouro_gc.enable()
    gc.disable()
    for generation in (0, 1, 2):
        gc.collect()
        before = ouro_gc.stats()
        wholes = made_from_parts(5000)
        gc.collect(generation)
        after = ouro_gc.stats()
        assert after["objects"] - before["objects"] > 30000
        assert after["moved"] - before["moved"] < 300, (generation, after, before)
        gc.collect()
        assert [whole["part"][0] for whole in wholes] == list(range(5000))


@claim("garbage among structures that are arranged is found, whatever its place")
def _():
    ouro_gc.enable()
    gc.disable()
    for generation in (0, 1, 2):
        wholes = made_from_parts(3000)
        for whole in wholes:
            whole["inner"][0]["self"] = whole
        watched = []
        for i in range(0, 3000, 7):
            cycle = Node()
            cycle.whole, wholes[i]["inner"][0]["cycle"] = wholes[i], cycle
            watched.append(weakref.ref(cycle))
        wholes = [whole for i, whole in enumerate(wholes) if i % 7 != 0]
        del cycle
        gc.collect(generation)
        assert all_dead(watched), generation
        assert len(wholes) == 2571 and wholes[0]["part"] == [1]


def tree_with_late_lists(depth):
    """Node, first child, second child, list of both: no direction finds the list first."""
    node = Node()
    if depth > 0:
        node.out = [tree_with_late_lists(depth - 1), tree_with_late_lists(depth - 1)]
    return node


def young_collections(make, times):
    """The results of `times` young collections, each with the same number of new objects."""
    kept, found = [], []
    gc.disable()
    for _ in range(times):
        kept.append(make())
        found.append(gc.collect(0))
    return kept, found


@claim("structures that no direction proves to be alive: young collections count along references")
def _():
    ouro_gc.enable()
    kept, found = young_collections(lambda: tree_with_late_lists(9), 4)
    before = ouro_gc.stats()
    more, found_later = young_collections(lambda: tree_with_late_lists(9), 20)
    after = ouro_gc.stats()
    assert not any(found[1:] + found_later), (found, found_later)
    assert after["moved"] - before["moved"] < 100, (before, after)
    assert all(len(tree.out) == 2 for tree in kept + more)


@claim("garbage is found by collections that count along references, large and small")
def _():
    ouro_gc.enable()
    gc.disable()
    for along in (0, 1000):
        _ouro_gc.testing(along=along)
        for depth, live in ((1, 9), (4, 9), (9, 9), (9, 1)):
            kept = [tree_with_late_lists(live)]
            tree = tree_with_late_lists(depth)
            tree.back = [tree, kept]
            watched = weakref.ref(tree)
            del tree
            for generation in (0, 1):
                assert gc.collect(generation) >= (2 ** depth if generation == 0 else 0)
                assert watched() is None and len(kept[0].out) == 2


@claim("an object that stands before the one that holds it is found alive along references")
def _():
    ouro_gc.enable()
    gc.collect()
    _ouro_gc.testing(along=1000)
    early = [Node() for _ in range(3)]
    kept = [early, tree_with_late_lists(9)]
    early[0].out = [early[1]]
    late = Node()
    late.out = early
    kept[0] = late
    del early, late
    before = ouro_gc.stats()["proposed"]
    for generation in (0, 1):
        assert gc.collect(generation) == 0
    assert ouro_gc.stats()["proposed"] == before
    assert isinstance(kept[0].out[0].out[0], Node)


@claim("old objects that only garbage holds now die")
def _():
    ouro_gc.enable()
    for size in (300, 30000):
        second = passed_on(size)
        watched = [weakref.ref(node) for node in second[1]]
        gc.collect()
        assert is_intact(second[1])
        del second
        gc.collect()
        assert all_dead(watched)


@claim("callbacks of others see all objects, whatever the order of gc.callbacks")
def _():
    nodes, seen = live_graph(3000), []
    gc.collect()
    count = len(gc.get_objects())

    def look(phase, info):
        seen.append((phase, len(gc.get_objects())))
    for arrange in (lambda: None, gc.callbacks.reverse,
                    lambda: gc.callbacks.append(gc.callbacks.pop(0))):
        gc.callbacks[:] = [look, look]
        ouro_gc.enable()
        gc.callbacks.append(look)
        gc.callbacks.insert(0, look)
        arrange()
        seen.clear()
        watched = cycles(20)
        gc.collect()
        assert len(seen) == 8 and min(n for _, n in seen) >= count, (count, seen)
        assert all_dead(watched) and is_intact(nodes)
        ouro_gc.disable()


@claim("callbacks of others are called as often as without us")
def _():
    calls = []
    ouro_gc.enable()
    for name in "abc":
        gc.callbacks.append(lambda phase, info, name=name: calls.append((phase, name)))
    for _ in range(3):
        calls.clear()
        gc.collect()
        assert calls == [(phase, name) for phase in ("start", "stop") for name in "abc"], calls


@claim("freeze, unfreeze and collections in any order")
def _():
    ouro_gc.enable()
    nodes = live_graph(5000)
    for number in range(6):
        gc.freeze()
        assert gc.get_freeze_count() > 20000
        more = live_graph(300)
        if number % 2:
            gc.collect()
            gc.collect(1)
        gc.unfreeze()
        assert gc.get_freeze_count() == 0
        gc.collect(0 if number % 3 else 2)
        assert is_intact(more)
        more = None
        watched = cycles(100)
        assert gc.collect() >= 300 and all_dead(watched)
    assert is_intact(nodes)


@claim("collections while everything is frozen")
def _():
    ouro_gc.enable()
    nodes = live_graph(100)
    gc.disable()
    gc.collect()
    for _ in range(20):
        gc.freeze()
        assert gc.collect() == 0
    gc.unfreeze()
    watched = cycles(10)
    gc.collect()
    assert all_dead(watched) and is_intact(nodes)


@claim("objects that CPython's own collections moved are found again")
def _():
    ouro_gc.enable()
    nodes = live_graph(4000)
    gc.collect()
    for _ in range(4):
        callbacks = gc.callbacks[:]
        gc.callbacks.clear()
        more = live_graph(500)
        gc.collect()
        nodes_dead, nodes = nodes[2000:], nodes[:2000] + nodes[2000:]
        gc.collect(1)
        gc.callbacks.extend(callbacks)
        watched = cycles(100)
        gc.collect()
        assert all_dead(watched) and is_intact(nodes) and is_intact(more)
        del nodes_dead


@claim("large parts that die together are skipped")
def _():
    ouro_gc.enable()
    first, second, third = live_graph(3000), live_graph(6000), live_graph(3000)
    gc.collect()
    watched = [weakref.ref(node) for node in second]
    del second
    gc.collect()
    assert all_dead(watched) and is_intact(first) and is_intact(third)
    before = ouro_gc.stats()
    for _ in range(4):
        gc.collect()
    assert ouro_gc.stats()["proofs"] - before["proofs"] >= 2


@claim("the numbers of the gc module are those of CPython alone")
def _():
    def numbers():
        gc.collect()
        gc.set_threshold(700, 10, 10)
        out = []
        for _ in range(40):
            cycles(120)
            out.append((gc.get_count(), [stat["collections"] for stat in gc.get_stats()]))
        first = out[0][1]
        return [(count, [a - b for a, b in zip(stats, first)]) for count, stats in out]
    keep = live_graph(2000)
    gc.callbacks.append(operator.is_)  # CPython counts the allocations of any callback
    numbers()  # the first time differs: caches and free lists fill
    alone = numbers()
    gc.callbacks.clear()
    ouro_gc.enable()
    ours = numbers()
    drift = max(abs(a[0][0] - b[0][0]) for a, b in zip(alone, ours))
    assert [row[1] for row in alone] == [row[1] for row in ours], (alone, ours)
    assert drift < 100, drift
    assert is_intact(keep)


@claim("full collections come as often as without us")
def _():
    def count_full():
        gc.set_threshold(100, 5, 5)
        gc.collect()
        before, kept = gc.get_stats()[2]["collections"], []
        for _ in range(12):
            kept.append(live_graph(1500))
        return gc.get_stats()[2]["collections"] - before
    alone = count_full()
    ouro_gc.enable()
    ours = count_full()
    assert alone >= 2 and abs(alone - ours) <= 1, (alone, ours)


@claim("survivors are untracked as CPython does it")
def _():
    def tracked():
        atomic = [tuple([number, "a"]) for number in range(50)]
        nested = [tuple([item, number]) for number, item in enumerate(atomic)]
        containers = [tuple([[], number]) for number in range(50)]
        dicts = [{"a": number, "b": (number, number)} for number in range(50)]
        grown = [{"a": []} for _ in range(50)]
        gc.collect()
        gc.collect()
        for item in grown:
            item["a"] = 1
        for _ in range(3):
            gc.collect()
        return [[gc.is_tracked(item) for item in group]
                for group in (atomic, nested, containers, dicts, grown)]
    alone = tracked()
    ouro_gc.enable()
    assert tracked() == alone


@claim("what gc.collect returns is what CPython alone returns")
def _():
    def collected():
        out = []
        for count in (0, 1, 7, 1000):
            cycles(count)
            out.append(gc.collect())
            for generation in (0, 1):
                cycles(count)
                out.append(gc.collect(generation))
        return out
    gc.disable()
    gc.collect()
    alone = collected()
    ouro_gc.enable()
    gc.collect()
    assert collected() == alone


@claim("with a debug flag the collection is CPython's own")
def _():
    ouro_gc.enable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    cycles(10)
    gc.collect()
    saved = len(gc.garbage)
    gc.set_debug(0)
    gc.garbage.clear()
    assert saved >= 30 and ouro_gc.stats()["left_to_cpython"] >= 1


@claim("sys.getallocatedblocks and tracemalloc do not see our memory")
def _():
    import tracemalloc
    nodes = live_graph(3000)
    gc.collect()
    tracemalloc.start()
    ouro_gc.enable()
    gc.collect()
    gc.collect()
    before, blocks = tracemalloc.get_traced_memory()[0], sys.getallocatedblocks()
    for _ in range(5):
        gc.collect()
    after = tracemalloc.get_traced_memory()[0]
    assert abs(after - before) < 2000 and abs(sys.getallocatedblocks() - blocks) < 50
    assert is_intact(nodes)


@claim("threads that allocate and collect")
def _():
    ouro_gc.enable()
    failures, dead = [], []

    class Late:
        def __del__(self):
            self.self = [self]

    def work(number):
        try:
            for turn in range(60):
                nodes = live_graph(50, seed=number)
                watched = cycles(20)
                late = Late()
                late.self = late
                del late
                if turn % 10 == number:
                    gc.collect()  # does nothing while another thread collects
                assert is_intact(nodes)
                dead.append(watched)
        except BaseException as error:
            failures.append(error)
    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures
    gc.collect()
    assert all(map(all_dead, dead))


@claim("a collection at every second allocation")
def _():
    ouro_gc.enable()
    nodes = live_graph(50)
    gc.set_threshold(1, 2, 2)
    watched = []
    for _ in range(100):
        watched += cycles(5)
        live_graph(3)
    gc.collect()
    gc.set_threshold(700, 10, 10)
    assert all_dead(watched) and is_intact(nodes)
    assert ouro_gc.stats()["collections"][0] > 100


@claim("the last object of all stays in its list if a closure has it and it is alive")
def _():
    class Collects:
        def __enter__(self):
            return self

        def __exit__(self, kind, value, trace):
            for _ in range(2):
                gc.collect()
                assert len(gc.get_objects()) > 10000

    def fail(number):
        kept.append([[item] for item in range(number)])
        garbage = []
        garbage.append(garbage)
        del garbage
        importlib.import_module("ouro_gc_fails")

    ouro_gc.enable()
    nodes, kept = live_graph(1000), []
    gc.collect()
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "ouro_gc_fails.py"), "w", encoding="ascii") as file:
            file.write("raise ValueError\n")
        sys.path.insert(0, folder)
        # Import takes its own frames out of the traceback: only later frames refer to them.
        for number in (0, 1, 10, 100, 1000, 5000):
            try:
                with Collects():
                    fail(number)
            except ValueError:
                pass
        sys.path.remove(folder)
    gc.collect()
    assert is_intact(nodes)


@claim("interpreters beside the main one have collections of their own")
def _():
    try:
        import _interpreters as interpreters
    except ImportError:
        try:
            import _xxsubinterpreters as interpreters
        except ImportError:
            raise Skip("this Python has no module for interpreters")
    code = ("import sys; sys.path[:] = %r\n"
            "import gc, ouro_gc\n"
            "from heaps import Node, all_dead, cycles, is_intact, live_graph\n"
            "ouro_gc.enable()\n"
            "gc.disable()\n"
            "nodes = live_graph(1000)\n"
            "for _ in range(3):\n"
            "    watched = cycles(50)\n"
            "    assert gc.collect() >= 150 and all_dead(watched)\n"
            "assert is_intact(nodes) and ouro_gc.stats()['rejected'] == 0\n" % sys.path)
    if sys.version_info < (3, 10):
        raise Skip("interpreters of 3.9 share gc.callbacks: enable() refuses there")
    ouro_gc.enable()
    nodes = live_graph(1000)
    gc.collect()
    for _ in range(3):
        child = interpreters.create()
        result = interpreters.run_string(child, code)
        assert result is None, result
        gc.collect()
        interpreters.destroy(child)
        gc.collect()
    watched = cycles(50)
    gc.collect()
    assert all_dead(watched) and is_intact(nodes)


run()
