# SPDX-License-Identifier: MIT
"""What is measured, and what is promised: the rows of the table.

Workloads have letters: A live heaps, B garbage, C allocation, D churn, E trees, F memory,
G queues, H an application, P pauses of programs, Y young collections. Every row that can be
compared has to be ahead of CPython, in addition to its own promises.
"""
from dataclasses import dataclass, field

US = "ouroboros"
SLICES = "slices"     # Ouroboros with a pause budget
FIELDS = "fields"     # Ouroboros, with types that declare their fields
CPYTHON = "cpython"   # the newest that was found


@dataclass
class Promise:
    """`of` is at least `must` (better: `aim`) times as good as `against`. With `most`, the figure
    of `of` is at most that many times the figure of `against`. Without `against`, the bounds are
    for the figure itself."""
    must: float
    aim: float
    against: str = CPYTHON
    of: str = US
    most: bool = False


@dataclass
class Row:
    letter: str
    group: str
    label: str
    args: tuple                # workload, shape, n
    key: str = "steady"        # which of the process's results
    unit: str = "ns/object"    # of UNITS
    promises: tuple = ()       # beyond being ahead of CPython
    peers: tuple = ()          # beside Ouroboros and CPython
    samples: int = 3           # at least this many in a process, or 0 for what runs once
    seconds: float = 0.1       # of measuring, in each round
    rounds: int = 99           # at most this many
    more_is_better: bool = False
    is_compared: bool = True   # with CPython; percentiles of different pauses cannot be compared
    others: bool = False       # measure older CPythons, too


# unit -> (what a sample is divided by, whether also by its number of objects, how it is written)
UNITS = {
    "ns/object": (1, True, "ns per object"),
    "bytes/object": (1, True, "bytes per object"),
    "us/collection": (1e3, True, "us per collection"),
    "us": (1e3, False, "us"),
    "ms": (1e6, False, "ms"),
    "MiB": (1 << 20, False, "MiB"),
    "objects": (1, False, "objects"),
    "%": (1, False, "%"),
}


def count(n):
    """100000 -> 1e5, 2000 -> 2,000"""
    digits = str(n)
    zeros = len(digits) - len(digits.rstrip("0"))
    return "1e%d" % zeros if zeros > 3 and n == 10 ** zeros else f"{n:,}"


def faster(must, aim):
    return (Promise(must, aim),)


def declared(must, aim):
    return (Promise(must, aim, of=FIELDS),)


def declared_at_most(must, aim):
    return (Promise(must, aim, "", FIELDS, most=True),)


SHAPES = [
    # shape, label, (must, aim) of a live heap of 1e6 and more, steady
    ("chain", "chain, random second edge", (6, 9)),
    ("random", "random graph", (30, 50)),
    ("tree", "tree in address order", (3, 4.5)),
    ("shuffled", "tree, shuffled", None),
    ("prepended", "prepended list", (2.5, 5)),
    ("dll-middle", "doubly linked, held in the middle", (2.5, 5)),
    ("dll-newest", "doubly linked, held at the newest", (2.5, 5)),
    ("star", "star", (2.5, 5)),
    ("rings", "small rings on a spine", (2.5, 5)),
    ("mixed", "mixed sizes, 32 to 1,000 bytes", (2.5, 5)),
    ("popular", "counts above 256", (2.5, 5)),
]
MAIN = ("chain", "random", "tree")
# ns per object with declared fields: what a row must reach, and what we aim at
LIVE_DECLARED = {"tree": (4, 3.5), "chain": (5.5, 5)}
# Counts alone free a prepended list, and both doubly linked lists are the same when dropped.
GARBAGE = [(s, label) for s, label, _ in SHAPES if s not in ("prepended", "dll-newest")]
ALLOCATORS = ("glibc", "mimalloc")


def live_rows(n, shapes, boehm):
    for shape, label, promised in SHAPES:
        if shape not in shapes:
            continue
        for key in ("first", "steady"):
            promises = ()
            if key == "steady" and promised and n >= 1000000:
                promises = faster(*promised)
            elif key == "first" and shape == "random" and n >= 1000000:
                promises = faster(15, 25)
            if shape in ("chain", "random") and key == "steady" and n == 1000000:
                promises += (Promise(1, 1, "boehm", most=True),)
            if shape in LIVE_DECLARED and key == "steady" and n == 1000000:
                promises += declared_at_most(*LIVE_DECLARED[shape])
            yield Row("A", f"A. full collection, all live, {count(n)}", f"{label}, {key}",
                      ("live", shape, n), key=key, promises=promises,
                      peers=(FIELDS, *(("boehm",) if shape in boehm else ())),
                      others=shape in MAIN and n == 100000)


def odd_rows(n):
    group = "A. full collection, odd heaps"
    yield Row("A", group, f"everything frozen, {count(n)}", ("frozen", "-", n),
              unit="us/collection", promises=faster(1, 1))
    for key in ("first", "steady"):
        yield Row("A", group, f"one live object in 2,048, {count(2 * n)} made, {key}",
                  ("sparse", "-", 2 * n), key=key, promises=faster(1, 2))


def garbage_rows(n, shapes, workload="garbage"):
    what = {"garbage": "", "finalizers": ", with finalizers",
            "weakrefs": ", with weak references"}[workload]
    for shape, label in GARBAGE:
        if shape in shapes:
            promised = ()
            if n >= 1000000 and workload == "garbage":
                promised = faster(6, 9) + declared(4, 6)
            yield Row("B", f"B. all garbage{what}, {count(n)}", label, (workload, shape, n),
                      promises=promised, peers=(FIELDS,) if workload == "garbage" else (),
                      others=workload == "garbage" and shape in MAIN and n == 100000)


def alloc_rows(sizes):
    for alive in sizes:
        yield Row("C", "C. alloc + track + dealloc", f"{alive:,} alive", ("alloc", "-", alive),
                  promises=(Promise(5, 7), Promise(1.2, 1, "mimalloc", most=True)),
                  peers=ALLOCATORS, samples=8, others=True)


def bytes_rows(sizes):
    for n in sizes:
        yield Row("F", "F. memory resident after a full collection", f"{count(n)} objects",
                  ("bytes", "-", n), key="bytes", unit="bytes/object",
                  promises=(Promise(36, 34, "", most=True),), peers=(*ALLOCATORS, "boehm"),
                  samples=0, others=True)


MACRO = [
    # key, label, unit
    ("total", "total time", "ns/object"),
    ("longest", "longest pause", "us"),
    ("rss", "peak memory", "MiB"),
    ("garbage", "most garbage at once", "objects"),
]


def macro_rows(letter, group, args, what, peers, keys=MACRO):
    """The four figures of a program with automatic collection."""
    for key, label, unit in keys:
        # Garbage is known only where deaths are counted. One cycle consists of many collections.
        beside = {"garbage": (SLICES,), "found": ()}.get(key, (SLICES, *peers))
        # Old CPythons take minutes for each program with ten million objects.
        others = key == "total" and letter != "H" and args[2] <= 1000000
        yield Row(letter, group, f"{what}: {label}", args, key=key, unit=unit,
                  peers=beside, samples=0, rounds=2, others=others)


def churn_rows(n, fates):
    for fate, what in (("now", "dropped at once"), ("window", "dropped when old")):
        if fate in fates:
            yield from macro_rows("D", f"D. rings over a live random graph of {count(n)}",
                                  ("churn", fate, n), what, ("boehm", *ALLOCATORS))


def tree_rows(depths, n):
    for depth in depths:
        yield from macro_rows("E", "E. trees with parent pointers",
                              ("trees", str(depth), n), f"depth {depth}",
                              ("boehm", *ALLOCATORS))


def queue_rows(cases):
    for kind, size, live, payload in cases:
        what = f"{kind}s of {size:,}, {count(live)} live, {payload:,} B"
        yield from macro_rows("G", "G. queue of cyclic structures with payload",
                              ("queue", f"{kind}-{size}-{payload}", live), what,
                              ("boehm", *ALLOCATORS))


APPLICATION = [
    ("total", "total time", "ms"),
    ("longest", "longest pause", "us"),
    ("rss", "peak memory", "MiB"),
    ("found", "most garbage in one collection", "objects"),
]


def application_rows(sizes):
    for size in sizes:
        yield from macro_rows("H", "H. Scheme interpreter running a program",
                              ("application", "application.scm", size),
                              f"{size:,} accounts", (), APPLICATION)


def young_rows(old, young_sizes):
    group = f"Y. young collection beside {count(old)} old"
    for young in young_sizes:
        for fate, must, aim, list_must, list_aim in (("garbage", 5, 7, 4.5, 7),
                                                     ("survive", 2.5, 3.5, 3, 3.5)):
            for to in ("young", "old"):
                yield Row("Y", group, f"{young:,}, {fate}, second edge to {to}",
                          ("young", f"{young}-{fate}-{to}", old), peers=(FIELDS,),
                          promises=faster(must, aim) + declared(list_must, list_aim),
                          samples=20, seconds=0.05)
    for fate in ("garbage", "survive"):
        yield Row("Y", group, f"2,000 in the holes of old pages, {fate}",
                  ("fragmented", fate, old), promises=faster(1, 2), samples=20, seconds=0.05)


def in_slices(must, aim, against="", most=True):
    return (Promise(must, aim, against, SLICES, most),)


PAUSES = [
    # key, label, unit, promises when nothing big is dropped
    ("longest", "longest pause", "us", in_slices(1000, 500)),
    ("p99", "99 % of pauses below", "us", in_slices(500, 250)),
    ("p999", "99.9 % of pauses below", "us", in_slices(500, 500)),
    ("paused", "all pauses together", "us", in_slices(1.5, 1.5, US)),
    ("total", "whole run", "ms", ()),
    ("mmu20", "program's share of any 20 ms", "%", in_slices(50, 70, most=False)),
    ("rss", "peak memory", "MiB", in_slices(1.15, 1.05, US)),
    ("garbage", "most garbage at once", "objects", ()),
]


def pause_rows(n, shapes=("replace", "drop")):
    for shape in shapes:
        group = f"P. server with {count(n)} live objects" + \
            (f", {count(n // 10)} dropped at once" if shape == "drop" else "")
        for key, label, unit, promises in PAUSES:
            yield Row("P", group, label, ("pauses", shape, n), key=key, unit=unit,
                      promises=promises if shape == "replace" else (), peers=(SLICES,),
                      samples=0, rounds=2, more_is_better=key == "mmu20",
                      is_compared=key not in ("p99", "p999"))


PROGRAMS = [
    # shape, what it is, the least share of any 20 ms that the program has in slices: must, aim
    ("tree", "documents", 25, 40),
    ("tree-ends", "documents with finalizers and weak references", 25, 40),
    ("tree-long", "documents, six times as long", 25, 40),
    ("tree-ends-long", "documents with finalizers and weak references, six times as long", 25, 40),
    ("tree-work", "documents, 3 us of work for each node", 60, 70),
    ("tree-ends-work", "the same with finalizers and weak references", 60, 70),
    ("tree-ends-dropped", "documents, all of which are dropped once", None, None),
    ("cache", "cache with weak references that call back", None, None),
    ("events", "event loop with closures", None, None),
    ("idle-work", "no objects at all, which is what the machine adds", None, None),
    ("idle-touch", "no objects, but a new page of memory for each 32 steps", None, None),
]


def program_promises(shape, key, promises, must, aim):
    if shape.startswith("idle"):
        return ()
    if key == "mmu20":
        return in_slices(must, aim, most=False) if must else ()
    return in_slices(1.25, 1.05, US) if key == "rss" else promises


def program_rows(n):
    """Whole programs. Their share of the run is compared with the share they have in one piece."""
    share = ("share", "program's share of the run", "%", ())
    for shape, what, must, aim in PROGRAMS:
        for key, label, unit, promises in (*PAUSES[:-1], share):
            yield Row("P", f"P. {what}, {count(n)} live objects", label, ("programs", shape, n),
                      key=key, unit=unit, promises=program_promises(shape, key, promises, must, aim),
                      peers=(SLICES,), samples=0, rounds=2,
                      more_is_better=key in ("mmu20", "share"),
                      is_compared=key not in ("p99", "p999"))


QUEUES_QUICK = [
    # structure, objects in a structure, live objects, payload of each object
    ("ring", 2, 100000, 0),
    ("ring", 100, 100000, 64),
    ("ring", 10000, 1000000, 0),
    ("tree", 10000, 100000, 1024),
    ("ring", 10, 1000, 65536),
]
QUEUES_FULL = QUEUES_QUICK + [
    ("ring", 2, 10000, 0),
    ("ring", 2, 1000000, 64),
    ("ring", 10, 1000000, 0),
    ("ring", 1000, 100000, 1024),
    ("tree", 1000, 1000000, 64),
    ("tree", 10000, 1000000, 0),
    ("ring", 10, 10000, 65536),
    ("tree", 1000, 10000, 65536),
]


def smoke_rows():
    """Every workload, as small as possible: a test of the benchmark itself."""
    n = 1000
    for row in (*live_rows(n, MAIN, MAIN), *live_rows(2 * n, MAIN, MAIN), *odd_rows(4096),
                *garbage_rows(n, [s for s, _ in GARBAGE]), *alloc_rows((100,)),
                *bytes_rows((n,)), *garbage_rows(n, ("chain",), "finalizers"),
                *garbage_rows(n, ("chain",), "weakrefs"),
                *churn_rows(n, ("now", "window")), *tree_rows((4,), n),
                *queue_rows([("ring", 10, n, 16), ("tree", 100, n, 16)]),
                *application_rows((20,)), *young_rows(4096, (100,)), *pause_rows(n),
                *program_rows(n)):
        row.samples, row.seconds, row.rounds = min(row.samples, 1), 0, 1
        yield row


def quick_rows():
    all_shapes = [s for s, _, _ in SHAPES]
    for n in (1000, 10000, 100000):
        yield from live_rows(n, MAIN, MAIN)
    yield from live_rows(1000000, all_shapes, MAIN)
    yield from odd_rows(1000000)
    for n in (1000, 10000, 100000):
        yield from garbage_rows(n, MAIN)
    yield from garbage_rows(1000000, all_shapes)
    for workload in ("finalizers", "weakrefs"):
        yield from garbage_rows(100000, MAIN, workload)
    yield from alloc_rows((1, 100, 10000, 1000000))
    yield from churn_rows(100000, ("now",))
    yield from churn_rows(1000000, ("window",))
    yield from tree_rows((10, 16), 1000000)
    yield from bytes_rows((1000000,))
    yield from queue_rows(QUEUES_QUICK)
    yield from application_rows((2000,))
    yield from young_rows(1000000, (2000, 10000))
    yield from pause_rows(1000000)
    yield from program_rows(1000000)


def full_rows():
    all_shapes = [s for s, _, _ in SHAPES]
    sizes = (1000, 10000, 100000, 1000000, 10000000)
    for n in sizes:
        yield from live_rows(n, all_shapes, all_shapes)
    for n in (1000000, 10000000):
        yield from odd_rows(n)
    for n in sizes:
        yield from garbage_rows(n, all_shapes)
    for workload in ("finalizers", "weakrefs"):
        for n in (100000, 1000000):
            yield from garbage_rows(n, all_shapes, workload)
    yield from alloc_rows((1, 100, 10000, 1000000))
    for n in (100000, 1000000, 10000000):
        yield from churn_rows(n, ("now", "window"))
    yield from tree_rows((4, 10, 16, 20), 4000000)
    yield from bytes_rows((100000, 1000000, 10000000))
    yield from queue_rows(QUEUES_FULL)
    yield from application_rows((2000, 20000))
    for n in (1000000, 10000000):
        yield from young_rows(n, (2000, 10000))
    for n in (1000000, 10000000):
        yield from pause_rows(n)
    yield from program_rows(1000000)


SETS = {"smoke": smoke_rows, "quick": quick_rows, "full": full_rows}


def rows(which):
    return list(SETS[which]())
