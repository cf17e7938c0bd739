# SPDX-License-Identifier: MIT
"""A random program that prints what its collections do: the same with and without ouro_gc.

    random_program.py cpython|ouro|closures|slices SEED STEPS

Objects of several kinds refer to each other at random. Some have finalizers, some of these
resurrect, some have weak references with callbacks. After every collection the program prints what
died since the last one, sorted, because the order in which garbage dies is not defined. At the end
it checks every live object against a model of plain numbers. In slices, old garbage also dies in
young collections. So the output differs, but the live objects are the same.
"""

import collections
import gc
import random
import sys
import weakref

mode, seed, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
if mode != "cpython":
    import ouro_gc
    from ouro_gc import _ouro_gc
    ouro_gc.enable(pause_budget_us=20 if mode == "slices" else 0)
    if mode == "closures":
        _ouro_gc.testing(core=seed % 40, along=1000000)
    if mode == "slices":
        _ouro_gc.testing(always=True)
gc.disable()
gc.collect()
rng = random.Random(seed)
events, revived = [], []
model = {}  # number: numbers it refers to
alive = {}  # number: weak reference


class Plain:
    pass


class Slotted:
    __slots__ = ("number", "out", "__weakref__")


class Finalized(Plain):
    def __del__(self):
        events.append("finalized %d" % self.number)


class Reviving(Plain):
    def __del__(self):
        events.append("revived %d" % self.number)
        revived.append(self)


class Listed(list):
    pass


class Mapped(dict):
    pass


class Queued(collections.deque):
    pass


KINDS = [Plain, Plain, Plain, Slotted, Finalized, Reviving, Listed, Mapped, Queued]


def make(number):
    item = rng.choice(KINDS)()
    item.number, item.out = number, []
    callback = None
    if rng.random() < 0.3:
        def callback(_):
            events.append("callback %d" % number)
    alive[number] = weakref.ref(item, callback)
    model[number] = []
    return item


def link(a, b):
    """a refers to b, in one of several ways."""
    wrapped = rng.choice([lambda: b, lambda: (1, b), lambda: [b], lambda: {"to": b},
                          lambda: {b.number: (b,)}, lambda: (lambda: b)])()
    a.out.append((b.number, wrapped))
    model[a.number].append(b.number)


def unwrap(wrapped):
    while not hasattr(wrapped, "number"):
        if callable(wrapped):
            wrapped = wrapped()
        elif isinstance(wrapped, dict):
            wrapped = next(iter(wrapped.values()))
        else:
            wrapped = wrapped[-1]
    return wrapped


def report(what):
    print(what, len(alive), *sorted(events))
    events.clear()
    for number in [number for number, reference in alive.items() if reference() is None]:
        if not any(item.number == number for item in revived):
            del alive[number], model[number]


def step(number, roots):
    item = make(number)
    for other in rng.sample(roots, min(len(roots), rng.randrange(4))):
        link(item, other)
        if rng.random() < 0.5:
            link(other, item)
    if rng.random() < 0.6:
        roots.append(item)
    while len(roots) > 60 or (roots and rng.random() < 0.2):
        roots.pop(rng.randrange(len(roots)))
    if roots and rng.random() < 0.2:
        item = rng.choice(roots)
        if item.out:
            item.out.pop()
            model[item.number].pop()
    if rng.random() < 0.02:
        revived.clear()


roots = []
for number in range(steps):
    step(number, roots)
    if rng.random() < 0.05:
        generation = rng.choice([0, 0, 0, 1, 1, 2])
        collected = gc.collect(generation)
        report("collect(%d) %d:" % (generation, collected))
roots_and_revived = roots + revived
seen = {}
while roots_and_revived:
    item = roots_and_revived.pop()
    if item.number not in seen:
        seen[item.number] = True
        if item.number in model:  # objects that a revived one kept alive have no weak reference left
            assert [target for target, _ in item.out] == model[item.number]
        for target, wrapped in item.out:
            other = unwrap(wrapped)
            assert other.number == target
            roots_and_revived.append(other)
roots.clear()
revived.clear()
del item, other, wrapped, roots_and_revived
for _ in range(3):
    print("end:", gc.collect() >= 0)
    report("left")
    revived.clear()
