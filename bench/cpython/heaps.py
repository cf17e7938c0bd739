# SPDX-License-Identifier: MIT
"""Heaps like those of programs: each function yields parts that keep their objects alive.

A heap is built in eight parts, so that growth can be measured: HEAPS[name](objects) is an
iterator of eight parts, about objects / 8 tracked objects each. Automatic collection is on
meanwhile, as in a program. Everything is made from fixed seeds.
"""

import ast
import asyncio
import collections
import dataclasses
import glob
import json
import os
import random

PARTS = 8


@dataclasses.dataclass
class Link:
    value: int
    next: object = None


class Node:
    __slots__ = ("a", "b")


class Tree:
    __slots__ = ("parent", "children", "name")

    def __init__(self, parent, name):
        self.parent, self.children, self.name = parent, [], name


class Account:
    def __init__(self, number):
        self.number, self.name, self.friends = number, str(number), []


class Order:
    def __init__(self, number, customer, previous):
        self.number, self.customer = number, customer
        self.previous, self.lines = previous, [number, number + 1]


def parts(make):
    """make(part, objects) is called eight times."""
    def heap(objects):
        rng = random.Random(1)
        for part in range(PARTS):
            yield make(rng, part, objects // PARTS)
    return heap


def chains(rng, part, n):
    heads = []
    for _ in range(n // 100):
        head = None
        for i in range(100):
            head = Link(i, head)
        heads.append(head)
    return heads


def orders():
    def heap(objects):
        rng, known = random.Random(1), []
        for _ in range(PARTS):
            for i in range(objects // PARTS // 2):
                customer = rng.choice(known) if known else None
                known.append(Order(i, customer, rng.choice(known) if known else None))
            yield known
    return heap


def trees(rng, part, n):
    roots = []
    for _ in range(max(1, n // 2 // 1000)):
        root = Tree(None, "root")
        nodes = [root]
        for i in range(999):
            parent = nodes[rng.randrange(len(nodes))]
            node = Tree(parent, i)
            parent.children.append(node)
            nodes.append(node)
        roots.append(root)
    return roots


def closures(rng, part, n):
    def make(x, y):
        box = [x]

        def function(z):
            box.append(z)
            return x, y, box
        return function
    return [make(i, str(i)) for i in range(n // 6)]


def deques(rng, part, n):
    return [collections.deque([(i, [i]), {"k": (i, "v"), "l": [i]}]) for i in range(n // 6)]


def sets(rng, part, n):
    return [{(i, (j,), frozenset([i + j])) for j in range(4)} for i in range(n // 13)]


def nested(rng, part, n):
    out = []
    for i in range(n // 10):
        inner = [i]
        for _ in range(9):
            inner = [inner, i]
        out.append(inner)
    return out


def adjacency():
    def heap(objects):
        rng, graph = random.Random(1), {}
        for part in range(PARTS):
            for i in range(objects // PARTS // 2):
                number = len(graph)
                graph[number] = {"id": number, "next": {rng.randrange(number + 1): [] for _ in "a"}}
            yield graph
    return heap


def small_dicts(rng, part, n):
    return [{"id": i, "tags": [i]} for i in range(n // 2)]


def dict_graph():
    def heap(objects):
        rng, nodes = random.Random(1), []
        for _ in range(PARTS):
            for i in range(objects // PARTS):
                nodes.append({"id": i, "left": None, "right": None})
            for node in nodes[-(objects // PARTS):]:
                node["left"], node["right"] = rng.choice(nodes), rng.choice(nodes)
            yield nodes
    return heap


def tasks():
    """An asyncio program: tasks that wait, each with its coroutine, future and locals."""
    def heap(objects):
        loop = asyncio.new_event_loop()

        async def serve(number, event):
            state = {"number": number, "buffer": [number]}
            await event.wait()
            return state
        event = asyncio.Event()
        kept = [loop, event]
        for part in range(PARTS):
            made = [loop.create_task(serve(i, event)) for i in range(objects // PARTS // 10)]
            loop.call_soon(loop.stop)
            loop.run_forever()
            kept.append(made)
            yield kept
    return heap


class Row:
    def __init__(self, session, values):
        self.__dict__.update(values)
        self._session = session
        self._loaded = set(values)
        self._parent = None
        self._items = []


def object_cache():
    """An identity map, as object-relational mappers have it: rows that refer to their session."""
    def heap(objects):
        rng, session, known = random.Random(1), {"rows": {}, "dirty": set()}, []
        rows = session["rows"]
        for _ in range(PARTS):
            for i in range(objects // PARTS // 4):
                key = ("table%d" % (i % 7), len(rows))
                row = Row(session, {"id": i, "name": "n%d" % i, "tags": ["a", i]})
                if known:
                    row._parent = rng.choice(known)
                    row._parent._items.append(row)
                known.append(row)
                rows[key] = row
            yield session
    return heap


def slots(rng, part, n):
    nodes = [Node() for _ in range(n)]
    for i, node in enumerate(nodes):
        node.a, node.b = nodes[i - 1], nodes[rng.randrange(n)]
    return nodes


def random_graph(rng, part, n):
    nodes = [Node() for _ in range(n)]
    for node in nodes:
        node.a, node.b = rng.choice(nodes), rng.choice(nodes)
    return nodes[:10]


def instances(rng, part, n):
    accounts = [Account(i) for i in range(n // 2)]
    for account in accounts:
        account.friends.append(rng.choice(accounts))
    return accounts


def documents(rng, part, n):
    return json.loads(json.dumps(
        [{"id": i, "tags": ["a%d" % i], "pos": {"x": i, "y": [i]}} for i in range(n // 4)]))


def syntax_trees(objects):
    files = sorted(glob.glob(os.path.dirname(os.__file__) + "/*.py"))
    texts = []
    for name in files:
        with open(name, encoding="utf-8") as file:
            texts.append(file.read())
    at = 0
    for _ in range(PARTS):
        kept, characters = [], 0
        while characters < objects // PARTS * 4:
            kept.append(ast.parse(texts[at % len(texts)]))
            characters += len(texts[at % len(texts)])
            at += 1
        yield kept


def dicts_of_lists(rng, part, n):
    return [{"k%d" % j: [i] for j in range(3)} for i in range(n // 4)]


HEAPS = {
    "chains": parts(chains),
    "orders": orders(),
    "trees": parts(trees),
    "closures": parts(closures),
    "deques": parts(deques),
    "sets": parts(sets),
    "nested": parts(nested),
    "adjacency": adjacency(),
    "small dicts": parts(small_dicts),
    "dict graph": dict_graph(),
    "tasks": tasks(),
    "object cache": object_cache(),
    "slots": parts(slots),
    "random graph": parts(random_graph),
    "instances": parts(instances),
    "documents": parts(documents),
    "syntax trees": syntax_trees,
    "dicts of lists": parts(dicts_of_lists),
}
