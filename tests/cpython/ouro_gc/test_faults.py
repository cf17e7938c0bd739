# SPDX-License-Identifier: MIT
"""Faults: no memory, no address space, wrong results of our own detection or readers."""

import gc
import os
import resource
import subprocess
import sys

import ouro_gc
from claims import Skip, claim, run
from heaps import all_dead, cycles, is_intact, live_graph
from ouro_gc import _ouro_gc


@claim("every request for memory fails once, and CPython collects instead")
def _():
    nodes, number, failed = live_graph(400), 0, 0
    gc.disable()
    ouro_gc.enable()
    while True:
        number += 1
        ouro_gc.disable()
        try:
            ouro_gc.enable()
        except MemoryError:
            assert not ouro_gc.is_enabled() and not gc.callbacks
            continue
        _ouro_gc.testing(fail_request=number, along=number % 2)
        for generation in (0, 1, 2, 2):
            more, watched = live_graph(50), cycles(20)
            gc.collect(generation)
            assert all_dead(watched) and is_intact(more) and is_intact(nodes)
        requests = _ouro_gc.testing(fail_request=0)
        failed += ouro_gc.stats()["failed"]
        if requests < number:
            break
    assert failed >= 5 and number > 5, (failed, number)


@claim("enable without memory is a MemoryError that changes nothing")
def _():
    raised = 0
    for number in (1, 2):
        _ouro_gc.testing(fail_request=number)
        try:
            ouro_gc.enable()
        except MemoryError:
            raised += 1
            assert not ouro_gc.is_enabled() and not gc.callbacks
        _ouro_gc.testing(fail_request=0)
        ouro_gc.disable()
    assert raised >= 1


@claim("live objects that are proposed as garbage are all rejected")
def _():
    nodes = live_graph(2000)
    ouro_gc.enable()
    for one_in in (2, 3, 10, 1000):
        _ouro_gc.testing(propose_one_in=one_in)
        for generation in (0, 1, 2, 2):
            more = live_graph(100)
            gc.collect(generation)
            assert is_intact(more) and is_intact(nodes)
    _ouro_gc.testing(propose_one_in=0)
    assert ouro_gc.stats()["rejected"] > 1000
    watched = cycles(20)
    gc.collect()
    assert all_dead(watched) and is_intact(nodes)
    import json
    import logging
    json.dumps(logging.__dict__, default=str)


@claim("our readers tell the references that tp_traverse tells, for every object of a program")
def _():
    import ast
    import asyncio
    import collections
    import ctypes
    import dataclasses
    import decimal
    import email.message
    import functools
    import json
    import typing
    import unittest
    import xml.etree.ElementTree

    @dataclasses.dataclass
    class Data:
        a: int
        b: list

    class Inherits(dict):
        __slots__ = ("x", "__weakref__")

    class Both(Inherits):
        pass
    kept = [Data(1, [2]), Inherits(), Both(a=1), ast.parse("def f(x): return [x for x in x]"),
            collections.deque(range(300)), collections.OrderedDict(a=[1]),
            collections.defaultdict(list, a=[1]), functools.partial(print, [1]),
            (x for x in [[1]]), set(map(str, range(100))), frozenset([(1, 2)]),
            {number: [number] for number in range(1000)}, {"a": 1, 2: []}, {}, set(),
            json.loads('{"a": [1, {"b": []}]}'), Data.__init__.__get__(1),
            [weak for weak in [1]], asyncio.new_event_loop(), ctypes.c_int * 3,
            decimal.getcontext(), email.message.Message(), typing.List[int],
            unittest.TestCase(), xml.etree.ElementTree.Element("a")]
    kept[1].x, kept[2].x, kept[2].y = [1], [2], [3]
    kept[0].__dict__
    vars(kept[0])["c"] = [1]
    many = [Data(number, [number]) for number in range(100)]
    for number, item in enumerate(many):
        if number % 2 == 0:
            item.extra = [1]
        if number % 7 == 0:
            del item.b
        if number % 3 == 0:
            vars(item)
        if number % 5 == 0:
            item.__dict__ = {"other": []}
    ouro_gc.enable()
    gc.collect()
    inexact = [item for item in gc.get_objects() if _ouro_gc.inexact(item)]
    assert not inexact, {type(item) for item in inexact}
    assert len(gc.get_objects()) > 10000


def run_limited(code, limit):
    def set_limit():
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    return subprocess.run([sys.executable, "-c", code], preexec_fn=set_limit,
                          stderr=subprocess.PIPE, stdout=subprocess.PIPE, cwd=os.getcwd())


@claim("with little address space it still works")
def _():
    code = ("import sys; sys.path[:] = %r\n"
            "import gc, ouro_gc\n"
            "from heaps import all_dead, cycles, is_intact, live_graph\n"
            "ouro_gc.enable()\n"
            "nodes, watched = live_graph(1000), cycles(50)\n"
            "gc.collect()\n"
            "assert all_dead(watched) and is_intact(nodes)\n"
            "print(ouro_gc.stats()['failed'])\n" % sys.path)
    for megabytes in (3000, 1000, 300):
        done = run_limited(code, megabytes << 20)
        assert done.returncode == 0 and done.stdout == b"0\n", (megabytes, done)


@claim("with all memory locked it takes a small part of the address space it reserves")
def _():
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mlockall(3) != 0:  # memory of now and of the future
        raise Skip("memory cannot be locked here")

    def resident():
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * 4096
    before = resident()
    ouro_gc.enable()
    nodes = live_graph(2000)
    for _ in range(3):
        watched = cycles(50)
        gc.collect()
        assert all_dead(watched) and is_intact(nodes)
    assert ouro_gc.stats()["failed"] == 0
    assert resident() - before < 100 << 20, resident() - before


@claim("with the debug allocator of Python")
def _():
    code = ("import sys; sys.path[:] = %r\n"
            "import gc, ouro_gc\n"
            "from heaps import all_dead, cycles, is_intact, live_graph\n"
            "ouro_gc.enable()\n"
            "for _ in range(5):\n"
            "    nodes, watched = live_graph(500), cycles(50)\n"
            "    gc.collect()\n"
            "    assert all_dead(watched) and is_intact(nodes)\n"
            "assert ouro_gc.stats()['failed'] == 0\n" % sys.path)
    environment = dict(os.environ, PYTHONMALLOC="debug", PYTHONDEVMODE="1")
    done = subprocess.run([sys.executable, "-c", code], env=environment, stderr=subprocess.PIPE)
    assert done.returncode == 0 and not done.stderr, done


run()
