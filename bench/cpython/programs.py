# SPDX-License-Identifier: MIT
"""Programs with automatic collections: what share of CPU time do the collections take?

    programs.py cpython|ouro NAME SCALE      prints JSON: total CPU, CPU in collections, longest

The first group builds large structures; the second makes garbage in cycles; the third hardly
needs a collector, and must not get slower.
"""

import ast
import gc
import glob
import json
import os
import random
import re
import sys
import time


class Account:
    def __init__(self, number):
        self.number, self.name, self.friends = number, str(number), []


class Node:
    __slots__ = ("a", "b")


class Page:
    def __init__(self, parent, depth):
        self.parent, self.depth = parent, depth
        self.children = [Page(self, depth - 1) for _ in range(4)] if depth else []


def build_json(scale):
    text = json.dumps([{"id": i, "tags": ["a%d" % i], "pos": {"x": i, "y": [i]}}
                       for i in range(int(40000 * scale))])
    return [json.loads(text) for _ in range(4)]


def build_instances(scale):
    rng, accounts = random.Random(1), []
    for i in range(int(300000 * scale)):
        accounts.append(Account(i))
        accounts[-1].friends.append(accounts[rng.randrange(len(accounts))])
    return accounts


def build_nodes(scale):
    nodes = [Node() for _ in range(int(700000 * scale))]
    for i, node in enumerate(nodes):
        node.a, node.b = nodes[i - 1], nodes[i // 2]
    return nodes


def parse_sources(scale):
    files = sorted(glob.glob(os.path.dirname(os.__file__) + "/*.py"))[:int(60 * scale)]
    trees = []
    for name in files:
        with open(name, encoding="utf-8") as file:
            trees.append(ast.parse(file.read()))
    return trees


def drop_pages(scale):
    window, rng = {}, random.Random(1)
    for i in range(int(6000 * scale)):
        window[rng.randrange(300)] = Page(None, 3)
    return window


def handle_requests(scale):
    table = {i: {"id": i, "next": None, "log": []} for i in range(50000)}
    rng = random.Random(1)
    for i in range(int(150000 * scale)):
        request = {"user": table[rng.randrange(50000)], "headers": {"a": [i], "b": (i,)}}
        request["self"] = request
        request["user"]["log"] = [i, request["headers"]["b"]]
    return table


def compute(scale):
    total, values = 0.0, [float(i) for i in range(200)]
    for _ in range(int(2500 * scale)):
        for i, value in enumerate(values):
            total += value * i % 7
    return total


def work_on_text(scale):
    text, found = "the quick brown fox %d " * 50, 0
    for i in range(int(6000 * scale)):
        found += len(re.findall(r"\w+", text.replace("%d", str(i))))
        found += len(",".join(text.split()).upper())
    return found


PROGRAMS = {
    "build": [build_json, build_instances, build_nodes, parse_sources],
    "garbage": [drop_pages, handle_requests],
    "neither": [compute, work_on_text],
}


def main(mode, name, scale):
    times = {"cpu": 0, "longest": 0}

    def first(phase, info):
        if phase == "start":
            times["start"] = time.thread_time_ns()

    def last(phase, info):
        if phase == "stop":
            spent = time.thread_time_ns() - times["start"]
            times["cpu"] += spent
            times["longest"] = max(times["longest"], spent)
    # Both import it, so that memory is laid out alike. work_on_text takes 4 % longer in the memory
    # that any import leaves behind: argparse does it, too.
    import ouro_gc
    if mode == "ouro":
        ouro_gc.enable()
    gc.callbacks.insert(0, first)
    gc.callbacks.append(last)
    function = globals()[name]
    start = time.process_time_ns()
    kept = function(scale)
    total = time.process_time_ns() - start
    print(json.dumps({"total": total / 1e9, "collections": times["cpu"] / 1e9,
                      "longest": times["longest"] / 1e6}), flush=True)
    del start
    os._exit(0 if kept is not None else 1)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]))
