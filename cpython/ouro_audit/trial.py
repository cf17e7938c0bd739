# SPDX-License-Identifier: MIT
"""One trial: make an instance, put a thing into it, let the thing refer back, drop both, and check
whether they die. This runs in a child; see experiments.py.

Objects are frozen before (gc.freeze), so that each collection looks at new objects only."""

import gc
import sys
import types
import weakref

from . import _ouro_audit
from .finding import name_of_type
from .subjects import file_of
from .things import MAKERS, SOURCES, Sentinel

ATOMIC = (str, bytes, bytearray, int, float, complex, bool, type(None), type(Ellipsis), range,
          type(NotImplemented))
EVERYWHERE = (type, types.ModuleType, types.FunctionType, types.CodeType)


class Plan:
    """How to make an instance (`make`), and what to do with it (`operation`, or None). `setup`
    imports the name that `make` begins with; `thing` names what `x` is."""

    def __init__(self, setup, make, operation=None, thing="Object", derived=None):
        self.setup, self.make, self.operation, self.thing = setup, make, operation, thing
        self.derived = derived  # the name of a type of which `make` uses a derived class

    def with_operation(self, operation, thing):
        return Plan(self.setup, self.make, operation, thing, self.derived)

    @property
    def preparation(self):
        """The statements before the instance is made."""
        lines = [self.setup] if self.setup else []
        if self.derived:
            lines.append("class Derived(%s): pass" % self.derived)
        return "\n".join(lines)

    def describe(self):
        return "a = %s%s" % (self.make, "; " + self.operation if self.operation else "")

    def program(self, ending):
        """A whole Python program. `ending` is what it does after `a` and `x` are made."""
        uses_thing = "x" in self.make + (self.operation or "") or "x" in ending
        return "\n".join(
            ["import gc, sys, weakref"]
            + ([self.preparation] if self.preparation else [])
            + ([SOURCES[self.thing].rstrip(), "x = %s()" % self.thing] if uses_thing else [])
            + ["a = " + self.make] + ([self.operation] if self.operation else [])
            + [ending, ""])


NO_END = """\
class Sentinel: pass
x.sentinel = Sentinel()
alive = weakref.ref(x.sentinel)
x.back = a                      # the cycle
del a, x
gc.collect()
print("leaked" if alive() is not None else "collected")"""

NO_BREAK = """\
x = a
%s                      # the cycle
del a, x
print([gc.collect() for i in range(4)], "objects are collected again and again")"""

LOST = """\
alive = weakref.ref(x)
del a, x
gc.collect()
print("lost" if alive() is not None else "released")"""

_code = {}


def compiled(source, mode):
    if (source, mode) not in _code:
        _code[source, mode] = compile(source, "<ouro_audit>", mode)
    return _code[source, mode]


def namespace(plan):
    names = {}
    exec(compiled(plan.preparation, "exec"), names)
    return names


def build(plan, names=None):
    """Make (a, x). Raises what the type raises."""
    names = dict(names if names is not None else namespace(plan))
    names["x"] = x = MAKERS[plan.thing]()
    names["a"] = a = eval(compiled(plan.make, "eval"), names)
    if plan.operation:
        exec(compiled(plan.operation, "exec"), names)
        a = names["a"]  # += may make another one
    return a, x


def keeps(plan, names, immortal=None):
    """(type of the instance, whether it holds the thing afterwards), or None if the type raises. The
    instance dies, unless there is a list `immortal` that keeps it."""
    try:
        x = MAKERS[plan.thing]()
        names = dict(names, x=x)
        before = sys.getrefcount(x)
        names["a"] = a = eval(compiled(plan.make, "eval"), names)
        if plan.operation:
            exec(compiled(plan.operation, "exec"), names)
        if immortal is not None:
            immortal.append(a)
        kind = type(a)
        del a
        return kind, sys.getrefcount(x) > before
    except BaseException:
        return None


def collect():
    """Collect until collections find nothing; return what the last one found."""
    found = 0
    for _ in range(3):
        found = gc.collect()
    return found


def _drop(plan, names, tie):
    """Drop the thing and the instance. Returns weak references to a sentinel of the thing, and to
    the instance."""
    a, x = build(plan, names)
    x.sentinel = sentinel = Sentinel()
    if tie:
        x.back = a
        sentinel.owner = x
    try:
        weak = weakref.ref(a)
    except TypeError:
        weak = None
    return weakref.ref(sentinel), weak


def is_leak(plan, names):
    """Whether a cycle through the instance stays, although both die without a cycle."""
    if _drop_and_collect(plan, names, tie=False)[0]() is not None:
        return False
    return _drop_and_collect(plan, names, tie=True)[0]() is not None


def _drop_and_collect(plan, names, tie):
    try:
        pair = _drop(plan, names, tie)
    except BaseException:
        return (lambda: None), 0  # a thing that takes no attributes
    found = collect()
    if pair[1] is not None:
        pair[1]()  # dead or alive; a dangling reference crashes
    return pair[0], found


def tie_to_itself(plan, names, kind):
    """Let the instance hold itself, and drop it: (what collections find, instances that are left)."""
    before = _count(kind)
    try:
        _tie_to_itself(plan, names)
    except BaseException:
        return 0, 0
    found = collect()
    return found, _count(kind) - before


def _tie_to_itself(plan, names):
    names = dict(names)
    names["a"] = names["x"] = eval(compiled(plan.make, "eval"), dict(names, x=[]))
    exec(compiled(plan.operation, "exec"), names)


def _count(kind):
    return sum(type(item) is kind for item in gc.get_objects())


class Culprit:
    """The object that causes a leak: its type, and what is wrong with it as a code and a text."""

    def __init__(self, object, code, text):
        self.type, self.code, self.text = c_type(type(object)), code, text


def c_type(kind):
    """The nearest base that C code defines."""
    for base in kind.__mro__:
        if not _ouro_audit.describe_type(base)["is_class"]:
            return base
    return kind


def reachable(start):
    """The object, the objects that it visits, those that these visit, and so on. Types, modules and
    functions are left out, because they lead everywhere."""
    found, todo = [], [start]
    while todo and len(found) < 200:
        item = todo.pop(0)
        if any(item is other for other in found) or isinstance(item, EVERYWHERE):
            continue
        found.append(item)
        todo += gc.get_referents(item)
    return found


def parts(a):
    """Objects inside an instance, of other types from the same file. Often there is no other way to
    get such objects."""
    file, kind = file_of(c_type(type(a))), type(a)
    return [item for item in reachable(a) if gc.is_tracked(item) and type(item) is not kind
            and file_of(c_type(type(item))) == file]


def explain_leak(plan, names, is_at_fault):
    """Find what keeps the cycle: make it once more, and look at the objects that are alive. For
    objects inside the instance, is_at_fault(item) says whether they do not visit what they own."""
    alive, found = _drop_and_collect(plan, names, tie=True)
    sentinel = alive()
    if sentinel is None:
        return None
    x = sentinel.owner
    a = x.back
    cycle = "after %s; x.back = a, the cycle of a and x" % plan.describe()
    if found > 0:
        return Culprit(a, "GC-C49", cycle + " is found by each collection, and never broken: "
                       "tp_clear is missing, or does too little")
    for item in reachable(a):
        kind = c_type(type(item))
        facts = _ouro_audit.describe_type(type(item))
        if not facts["is_gc"] and not isinstance(item, ATOMIC) and \
                type(item).__basicsize__ > object.__basicsize__:
            return Culprit(item, "GC-K69", cycle + " is never collected: the type '%s' owns x, "
                           "but has no Py_TPFLAGS_HAVE_GC" % name_of_type(kind))
        if facts["is_gc"] and not gc.is_tracked(item) and item is not x and \
                type(item) not in (tuple, dict):  # these are tracked if necessary
            return Culprit(item, "GC-K17", cycle + " is never collected: the '%s' is not tracked"
                           % name_of_type(kind))
    owner = next((item for item in parts(a) if is_at_fault(item)), a)
    return Culprit(owner, "GC-T01", cycle + " is never collected: tp_traverse does not visit a "
                   "reference that the object owns")


def is_lost(plan, names):
    """Whether the thing is alive without a cycle, and no pointer to it is left in memory. Stale
    copies of the pointer hide this. So several things are tried, and the last one overwrites what
    the others left."""
    try:
        abandoned = [_abandon(plan, names) for _ in range(6)]
    except BaseException:
        return False
    gc.collect()
    overwritten = _overwrite(names)
    return all(weak() is not None for _, weak in abandoned) and bool(overwritten) and any(
        _ouro_audit.pointers_to(address, weak) == 0 for address, weak in abandoned[:-1])


def _overwrite(names):
    """Fill the memory of build()'s dicts with other dicts: copies, and dicts that grew."""
    made = []
    for number in range(100):
        made.append({} if number % 2 else dict(names))
        for name in ("x", "a", "b", "c", "d"):
            made[-1][name] = None
    return made


def _abandon(plan, names):
    a, x = build(plan, names)
    return id(x), weakref.ref(x)
