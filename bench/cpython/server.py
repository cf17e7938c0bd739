# SPDX-License-Identifier: MIT
"""A server in pure Python: how long does a request wait for the collector?

    server.py cpython|ouro|slices OBJECTS REQUESTS [BUDGET_US]      prints JSON

Sessions live in cyclic structures of ten tracked objects. A request replaces one session, works
on four others and moves objects between them. Times are CPU time of the thread. "garbage" is the
largest number of objects of dead sessions at one time. Untracked objects that die with their
session count this.
"""

import array
import gc
import json
import os
import random
import sys
import time

from child import resident


class Tell:
    __slots__ = ()

    def __del__(self):
        Tell.dead += 1


Tell.dead = 0


class User:
    def __init__(self, session, name):
        self.session, self.name, self.tags = session, name, [name]


class Item:
    def __init__(self, session, price):
        self.session, self.price = session, price


class Session:
    def __init__(self, number):
        self.number, self.tell = number, Tell()
        self.user = User(self, "u%d" % number)
        self.cart = [Item(self, number + k) for k in range(3)]
        self.cache = {"user": self.user, "recent": [[number, number + 1]], "me": self}
        self.total = 3 * number + 3


def exchange(a, b, number):
    """Two sessions exchange an item: no write barrier sees it."""
    if a is not b:
        x, y = a.cart.pop(), b.cart.pop()
        x.session, y.session = b, a
        a.cart.insert(0, y)
        b.cart.insert(0, x)
        a.total += y.price - x.price
        b.total += x.price - y.price
    a.cache["recent"] = [[number, number]]


def request(sessions, rng, number):
    live = len(sessions)
    sessions[rng.randrange(live)] = Session(number)
    exchange(sessions[rng.randrange(live)], sessions[rng.randrange(live)], number)
    c, d = rng.randrange(live), rng.randrange(live)
    sessions[c], sessions[d] = sessions[d], sessions[c]
    return sum(item.price for item in sessions[c].cart)


def check(sessions):
    for session in sessions.values():
        assert session.user.session is session and session.cache["me"] is session
        assert sum(item.price for item in session.cart) == session.total
        assert all(item.session is session for item in session.cart)


def main(mode, objects, requests, budget):
    if mode != "cpython":
        import ouro_gc
        ouro_gc.enable(pause_budget_us=budget if mode == "slices" else 0)
    rng = random.Random(1)
    sessions = {number: Session(number) for number in range(objects // 10)}
    gc.collect()
    Tell.dead = most = 0
    times = array.array("d", bytes(8 * requests))
    clock, start = time.thread_time_ns, time.process_time()
    for number in range(requests):
        before = clock()
        request(sessions, rng, objects + number)
        times[number] = clock() - before
        most = max(most, number + 1 - Tell.dead)
    cpu = time.process_time() - start
    peak = resident()[1]
    stats = ouro_gc.stats() if mode != "cpython" else None
    check(sessions)
    gc.collect()
    assert Tell.dead == requests, (Tell.dead, requests)
    ordered = sorted(times)
    print(json.dumps({
        "longest": ordered[-1] / 1e6, "p9999": ordered[int(requests * .9999)] / 1e6,
        "p999": ordered[int(requests * .999)] / 1e6, "median": ordered[requests // 2] / 1e6,
        "cpu": cpu, "peak": peak, "garbage": most * 10, "stats": stats}), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1], int(float(sys.argv[2])), int(float(sys.argv[3])),
         float(sys.argv[4]) if len(sys.argv) > 4 else 500)
