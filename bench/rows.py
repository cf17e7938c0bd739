# SPDX-License-Identifier: MIT
"""What is measured, and what is promised: the rows of the table.

A row's `must` and `aim` are the least ratio CPython / Ouroboros that we owe and want;
`most` (must, aim) is the most that Ouroboros / mimalloc, or a number of bytes, may be.
"""
from dataclasses import dataclass, field


@dataclass
class Row:
    group: str
    label: str
    args: tuple           # workload, shape, n
    key: str = "steady"   # which of the process's results: "first", "steady", "bytes"
    must: float = 0
    aim: float = 0
    most: tuple = ()
    peers: tuple = ()     # beside Ouroboros and the newest CPython
    unit: str = "ns"      # per object; "us": per collection; "bytes": per object; "plain"
    samples: int = 3
    seconds: float = 0.1  # of measuring, in each round
    others: bool = False  # older CPythons too
    result: dict = field(default_factory=dict)

    @property
    def n(self):
        return int(float(self.args[2]))


def count(n):
    """100000 -> 1e5, 2000 -> 2,000"""
    digits = str(n)
    zeros = len(digits) - len(digits.rstrip("0"))
    return "1e%d" % zeros if zeros > 3 and n == 10 ** zeros else f"{n:,}"


LIVE = [
    # shape, label, (must, aim) of steady at 1e6 and up, of first, at 1e5
    ("chain", "chain, random second edge", (6, 9), None, None),
    ("random", "random graph", (30, 50), (15, 25), None),
    ("tree", "tree in address order", (3, 4.5), None, None),
    ("shuffled", "tree, shuffled", None, None, None),
    ("prepended", "prepended list", (2.5, 5), None, (2.5, 5)),
    ("dll-middle", "doubly linked, held in the middle", (2.5, 5), None, (2.5, 5)),
    ("dll-newest", "doubly linked, held at the newest", (2.5, 5), None, (2.5, 5)),
    ("star", "star", (2.5, 5), None, (2.5, 5)),
    ("rings", "small rings on a spine", (2.5, 5), None, (2.5, 5)),
    ("mixed", "mixed sizes, 32 to 1,000 bytes", (2.5, 5), None, (2.5, 5)),
    ("popular", "counts above 256", (2.5, 5), None, (2.5, 5)),
]
GARBAGE = [
    ("chain", "chain, random second edge"),
    ("random", "random graph"),
    ("tree", "tree in address order"),
    ("shuffled", "tree, shuffled"),
    ("rings", "small rings"),
    ("dll-middle", "doubly linked"),
]
BOEHM = ("chain", "random", "tree")


def alloc_rows():
    for alive in (1, 100, 10000, 1000000):
        yield Row("alloc + track + dealloc", f"{alive:,} alive", ("alloc", "-", alive),
                  must=5, aim=7, most=(1.2, 1.0), peers=("glibc", "mimalloc"),
                  samples=8, others=True)


def bytes_rows(sizes):
    for n in sizes:
        yield Row("resident bytes per object", f"{count(n)} objects", ("bytes", "-", n),
                  key="bytes", most=(36, 34), peers=("glibc", "mimalloc", "boehm"),
                  unit="bytes", others=True)


def live_rows(n):
    for shape, label, steady, first, small in LIVE:
        peers = ("boehm",) if shape in BOEHM else ()
        for key in ("first", "steady"):
            promise = (small if n < 1000000 else steady) if key == "steady" else \
                (None if n < 1000000 else first)
            must, aim = promise or (0, 0)
            yield Row(f"full collection, all live, {count(n)}", f"{label}, {key}",
                      ("live", shape, n), key=key, must=must, aim=aim, peers=peers,
                      others=shape in BOEHM and n <= 100000)


def odd_rows(n):
    group = "full collection, odd heaps"
    yield Row(group, f"everything frozen, {count(n)}, per collection",
              ("frozen", "-", n), must=1, aim=1, unit="us")
    yield Row(group, f"one live object in 2,048, {count(2 * n)} made",
              ("sparse", "-", 2 * n), must=1, aim=2)
    yield Row(group, f"one live object in 2,048, {count(2 * n)} made, first",
              ("sparse", "-", 2 * n), key="first", must=1, aim=2)


def garbage_rows(n):
    for shape, label in GARBAGE:
        must, aim = (6, 9) if n >= 1000000 else (0, 0)
        yield Row(f"all garbage, {count(n)}", label, ("garbage", shape, n), must=must, aim=aim,
                  others=shape in BOEHM and n <= 100000)


def young_rows(old):
    group = f"young collection beside {count(old)} old"
    for young in (2000, 10000):
        for fate, must, aim in (("garbage", 5, 7), ("survive", 2.5, 3.5)):
            for to in ("young", "old"):
                yield Row(group, f"{young:,}, {fate}, second edge to {to}",
                          ("young", f"{young}-{fate}-{to}", old), must=must, aim=aim,
                          samples=20, seconds=0.05)
    for fate in ("garbage", "survive"):
        yield Row(group, f"2,000 in the holes of old pages, {fate}",
                  ("fragmented", fate, old), must=1, aim=2, samples=20, seconds=0.05)


PAUSES = [
    # key, label, unit
    ("longest", "longest pause", "us"),
    ("p999", "99.9 % of pauses below", "us"),
    ("paused", "all pauses together", "us"),
    ("total", "the whole run, CPU time", "us"),
    ("mmu20", "percent of any 20 ms that is the program's", "plain"),
    ("rss", "peak resident memory, bytes", "plain"),
    ("garbage", "most garbage at once, objects", "plain"),
]


def pause_rows(n):
    for shape, label in (("whole", "in one piece"), ("sliced", "in slices of 250 us"),
                         ("sliced+drop", f"in slices, {count(n // 10)} dropped at once")):
        for key, what, unit in PAUSES:
            yield Row(f"server with {count(n)} live objects, full collections {label}", what,
                      ("pauses", shape, n), key=key, unit=unit)


def rows(which):
    sizes = (100000, 1000000, 10000000) if which == "full" else (100000, 1000000)
    big = sizes[-1]
    table = list(alloc_rows()) + list(bytes_rows(sizes[1:]))
    for n in sizes:
        table += live_rows(n)
    table += odd_rows(big)
    for n in sizes:
        table += garbage_rows(n)
    table += young_rows(big)
    for n in sizes[1:]:
        table += pause_rows(n)
    return table
