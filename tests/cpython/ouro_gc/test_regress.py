# SPDX-License-Identifier: MIT
"""Mistakes that were once in ouro_gc."""

import gc
import sys
import weakref

import ouro_gc
from claims import claim, run
from heaps import Node, all_dead, cycles, is_intact, live_graph
from ouro_gc import _ouro_gc


@claim("a mark of old objects leaves nothing behind for young collections")
def _():
    gc.disable()
    ballast = bytearray(b"x") * (400 << 20)  # compared with it the shadow is small, and stays
    old = []
    for number in range(60000):
        node = Node()
        node.items = [number]
        old.append(node)
    ouro_gc.enable()
    gc.collect()
    gc.collect()
    old[40000].self = old[40000]
    old[40000] = node = None
    gc.collect()
    before = len(gc.get_objects())
    new = [[number] for number in range(20000)]
    for number in range(50):
        node = Node()
        node.self, node.old = node, old[30000 + number * 7].items
    node = None
    gc.collect(1)
    objects = gc.get_objects()
    assert len(objects) >= before + len(new)
    assert len(set(map(id, objects))) == len(objects)
    assert all(item.items == [number] for number, item in enumerate(old) if item is not None)
    del ballast


@claim("objects that only CPython's collections have seen are not proposed")
def _():
    gc.disable()
    hold = [None] * 100
    ouro_gc.enable()
    gc.collect()
    gc.collect()
    gc.set_debug(gc.DEBUG_UNCOLLECTABLE)  # CPython does these collections alone
    for number in range(100):
        hold[number] = [[item] for item in range(200)]
        gc.collect(1)
    gc.set_debug(0)
    for _ in range(20000):
        node = Node()
        node.self = node
    node = None
    assert gc.collect() >= 20000 and ouro_gc.stats()["rejected"] == 0


@claim("a subclass of a C type that visits its attributes itself")
def _():
    import asyncio
    loop = asyncio.new_event_loop()

    class Kind(asyncio.Future):
        pass
    first = Kind(loop=loop)  # without attributes
    ouro_gc.enable()
    gc.collect()
    future = Kind(loop=loop)
    future.self = future
    watched = weakref.ref(future)
    del future
    gc.collect()
    assert watched() is None and not first.done()


@claim("a class with the name of a C type is read as what it is")
def _():
    class Slots:
        __slots__ = ("a", "b", "c", "d")
    kinds = [type("collections.deque", (), {"__slots__": ()}),
             type("collections.deque", (Slots,), {"__slots__": ()})]
    kept = [kind() for kind in kinds for _ in range(1000)]
    ouro_gc.enable()
    gc.collect()
    assert not any(_ouro_gc.inexact(item) for item in kept if gc.is_tracked(item))


@claim("garbage in memory that nobody has looked at yet is found by the first collection")
def _():
    gc.disable()

    class Slots:
        __slots__ = ("pad", "other")
    kept = []
    for _ in range(150000):
        kept.append(Slots())
        kept[-1].pad = [0] * 60
    gc.collect()
    ouro_gc.enable()
    gc.set_debug(gc.DEBUG_UNCOLLECTABLE)
    gc.collect(1)
    gc.set_debug(0)
    for number in range(2000):
        item = Slots()
        item.other = kept[70000 + number]
        kept[70000 + number].other = item
    item = None
    gc.collect(1)
    kept[70000:72000] = []
    assert gc.collect() >= 4000 and gc.collect() == 0


@claim("two copies of the module do not chase each other through gc.callbacks")
def _():
    ouro_gc.enable()
    for name in [name for name in sys.modules if name.startswith("ouro_gc")]:
        del sys.modules[name]
    import ouro_gc as copy
    copy.enable()
    nodes, watched = live_graph(100), cycles(10)
    for _ in range(10):
        gc.collect()
    assert all_dead(watched) and is_intact(nodes) and len(gc.callbacks) <= 4, gc.callbacks


@claim("nobody gets hold of the sentinel through a collection that failed")
def _():
    gc.disable()
    found = []

    class Curious:
        def __del__(self):
            for item in gc.get_objects():
                if isinstance(item, weakref.ref) and "sentinel" in type(item()).__name__:
                    found.append(item())
    nodes = live_graph(100)
    for number in range(1, 12):
        ouro_gc.disable()
        ouro_gc.enable()
        curious = Curious()
        curious.self = curious
        del curious
        _ouro_gc.testing(fail_request=number)
        gc.collect()
        _ouro_gc.testing(fail_request=0)
        assert not [item for item in found if type(item).__module__ == "_ouro_gc"], number
    assert is_intact(nodes)


@claim("attributes in every state are read as tp_traverse reads them")
def _():
    class Plain:
        pass

    def make(*names):
        item = Plain()
        for name in names:
            setattr(item, name, [name])
        return item
    ouro_gc.enable()
    first = make("a", "b")
    gc.collect()
    assert not _ouro_gc.inexact(first)
    states = [make("a", "b") for _ in range(9)] + [make(*("n%d" % i for i in range(40)))]
    vars(states[0])
    vars(states[1])["c"] = [1]
    vars(states[2])[1] = [1]
    del states[3].a
    vars(states[4]).clear()
    states[5].__dict__ = {"other": []}
    vars(states[6])
    states[6].__dict__ = {"other": []}
    states[7].__dict__ = make("q").__dict__
    vars(states[8]).update({str(number): [] for number in range(50)})
    for item in states:
        assert not _ouro_gc.inexact(item), states.index(item)
        assert not _ouro_gc.inexact(vars(item)), states.index(item)
        assert not _ouro_gc.inexact(item), states.index(item)


run()
