# SPDX-License-Identifier: MIT
"""Finalizers and weak reference callbacks that try to disturb a collection.

Each hazard runs from a __del__ and from a weak reference callback, first and last among the
garbage, in full and in young collections. Afterwards all live objects exist and are tracked, and
garbage is still found.
"""

import gc
import os
import sys
import threading
import weakref

import ouro_gc
from claims import Skip, claim, run
from heaps import Node, all_dead, cycles, is_intact, live_graph

IS_310 = sys.version_info >= (3, 10)


def nothing():
    pass


def clear_callbacks():
    gc.callbacks.clear()


def reorder_callbacks():
    gc.callbacks.insert(0, lambda phase, info: gc.get_objects())
    gc.callbacks.reverse()


def look_at_objects():
    assert len(gc.get_objects()) >= expected[0], (len(gc.get_objects()), expected)


def freeze():
    gc.freeze()


def freeze_and_unfreeze():
    gc.freeze()
    gc.unfreeze()


def collect():
    assert gc.collect() == 0


def disable():
    ouro_gc.disable()


def disable_and_enable():
    ouro_gc.disable()
    ouro_gc.enable()


def enable():
    ouro_gc.enable()


def set_debug():
    gc.set_debug(gc.DEBUG_SAVEALL)
    gc.set_debug(0)


def allocate():
    expected.append(live_graph(300))
    cycles(50)


def raise_error():
    raise ValueError("a hazard")


def fork():
    look_at_objects()
    child = os.fork()
    if child == 0:
        look_at_objects()
        watched = cycles(10)
        gc.collect()  # nested: does nothing
        del watched
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def in_thread():
    def work():
        look_at_objects()
        gc.callbacks.clear()
        gc.freeze()
        gc.unfreeze()
        live_graph(100)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def referrers():
    assert len(gc.get_referrers(expected[1][0])) >= 3


HAZARDS = [nothing, clear_callbacks, reorder_callbacks, look_at_objects, freeze,
           freeze_and_unfreeze, collect, disable, disable_and_enable, enable, set_debug,
           allocate, raise_error, fork, in_thread, referrers]
expected = []


class Finalized:
    def __del__(self):
        self.hazard()


def plant(hazard, kind):
    """Make garbage with the hazard in it. Returns the object that keeps callbacks alive."""
    if kind == "finalizer":
        bomb = Finalized()
        bomb.hazard, bomb.self = hazard, bomb
        return None
    bomb = Node()
    bomb.self = bomb
    return weakref.ref(bomb, lambda reference: hazard())


def disturb(hazard, kind, generation):
    gc.disable()
    ouro_gc.enable()
    nodes = live_graph(1500)
    gc.collect()
    expected[:] = [len(gc.get_objects()), nodes]
    sys.unraisablehook = (lambda error: None) if hazard is raise_error else failures.append
    first, watched, last = plant(hazard, kind), cycles(30), plant(hazard, kind)
    gc.collect(generation)
    assert not failures, failures
    assert all_dead(watched) and is_intact(nodes)
    sys.unraisablehook = sys.__unraisablehook__
    ouro_gc.enable()
    gc.unfreeze()
    gc.collect()
    assert len(gc.get_objects()) >= expected[0] - 20, (len(gc.get_objects()), expected[0])
    assert all(gc.is_tracked(node.items) for node in nodes)
    watched = cycles(30)
    gc.collect()
    assert all_dead(watched) and is_intact(nodes)
    del first, last


failures = []
for hazard in HAZARDS:
    for kind in ("finalizer", "weak reference callback"):
        for generation in (2, 1, 0):
            name = "%s in a %s, generation %d" % (hazard.__name__, kind, generation)
            claim(name.replace("_", " "))(
                lambda hazard=hazard, kind=kind, generation=generation:
                disturb(hazard, kind, generation))


@claim("exit in a finalizer ends the program as always")
def _():
    ouro_gc.enable()
    live_graph(500)

    class Exit:
        def __del__(self):
            os._exit(0)
    bomb = Exit()
    bomb.self = bomb
    del bomb
    gc.collect()
    raise AssertionError("still alive")


@claim("a finalizer that resurrects everything")
def _():
    ouro_gc.enable()
    saved, nodes = [], live_graph(500)

    class Back:
        def __del__(self):
            saved.append(self)
    for _ in range(50):
        back = Back()
        back.self, back.more = back, [[back] for _ in range(5)]
    del back
    gc.collect()
    assert len(saved) == 50 and all(len(item.more) == 5 for item in saved)
    watched = [weakref.ref(item) for item in saved]
    saved.clear()
    gc.collect()
    assert all_dead(watched) and is_intact(nodes)


@claim("a greenlet that is switched in a finalizer")
def _():
    try:
        import greenlet
    except ImportError:
        raise Skip("no module greenlet (Debian: python3-greenlet)")
    ouro_gc.enable()
    nodes, seen = live_graph(1000), []
    gc.collect()
    count = len(gc.get_objects())

    def other():
        seen.append(len(gc.get_objects()))
        gc.callbacks.clear()

    class Switch:
        def __del__(self):
            greenlet.greenlet(other).switch()
    bomb = Switch()
    bomb.self = bomb
    del bomb
    gc.collect()
    assert seen and seen[0] >= count - 5
    ouro_gc.enable()
    gc.collect()
    assert is_intact(nodes)


@claim("a fork between collections, and the child goes on")
def _():
    ouro_gc.enable()
    nodes = live_graph(3000)
    gc.collect()
    child = os.fork()
    if child == 0:
        watched = cycles(100)
        status = 0 if (gc.collect() >= 300 and all_dead(watched) and is_intact(nodes)) else 1
        more = live_graph(500)
        gc.collect()
        os._exit(status if is_intact(more) else 2)
    assert os.waitpid(child, 0)[1] == 0
    gc.collect()
    assert is_intact(nodes)


@claim("a daemon thread that collects while the program ends")
def _():
    import subprocess
    code = ("import sys; sys.path[:] = %r\n"
            "import gc, threading, ouro_gc\n"
            "from heaps import cycles, live_graph\n"
            "ouro_gc.enable()\n"
            "def work():\n"
            "    while True:\n"
            "        cycles(20)\n"
            "        gc.collect()\n"
            "nodes = live_graph(500)\n"
            "for _ in range(3):\n"
            "    threading.Thread(target=work, daemon=True).start()\n"
            "import time; time.sleep(0.3)\n" % sys.path)
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", code], stderr=subprocess.PIPE)
        assert done.returncode == 0, done


run()
