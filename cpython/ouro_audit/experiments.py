# SPDX-License-Identifier: MIT
"""Everything that is tried with one type, as steps in a child; examine.py runs them.

A step is a name and a function. The name is reported first. So after a crash the parent knows which
step caused it, and the next child continues behind that step."""

import gc
import re
import sys
import weakref

from . import _ouro_audit, _run, plans, trial
from .finding import Finding, name_of_type
from .subjects import file_of, is_standard_file
from .things import MAKERS, RARE
from .trial import Plan

MANY = 40
SMALL = 480  # bytes, including the header before an object
EARLY = "visited while it is made"
TEMPORARY = re.compile(r"[\[{]")  # a temporary object that the instance may borrow
CALL = re.compile(r"a\.\w+\(.*\)")
STRESS = "collecting all the time"
DROP = "del a\nprint('dropped')"
DRIFT = """\
T = type(a)
del a
before = sys.getrefcount(T)
for i in range(100):
    a = %s
    del a
print(sys.getrefcount(T) - before, "references to the type are left by 100 objects")"""


WITNESS = """\
address = id(a)
def look(self):
    print("tracked:", any(id(o) == address for o in gc.get_objects()), flush=True)
type(x).__del__ = look  # it runs in the tp_dealloc of a
del x
del a"""
AUDIT = "import ouro_audit\nprint(*ouro_audit.audit(a))"
AUDIT_PART = """\
import ouro_audit
print(*[item for item in ouro_audit.audit_all() if item.type_name == %r])"""
GROWTH = """\
import resource
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for i in range(20000):
    a = %s
before = peak()
for i in range(200000):
    a = %s
print(peak() - before, "KiB are left by 200000 objects")"""


class Experiments:
    """The steps for one type. `makers` are plans that make instances of exactly this type."""

    def __init__(self, kind, makers, tell, done):
        self.kind, self.makers, self.tell, self.done = kind, makers, tell, set(done)
        self.name = name_of_type(kind)
        self.facts = _ouro_audit.describe_type(kind)
        self.kept = []  # plans whose operation stores the thing
        self.accepted = []  # plans whose operation does not, but works
        self.references = [kind] * 1000  # the type must survive a tp_dealloc that releases it
        self.codes = set()  # of the findings

    # --- running steps -----------------------------------------------------------------------

    def step(self, name, function, *arguments):
        if name in self.done:
            return None
        plan = next((item for item in arguments if isinstance(item, Plan)), None)
        self.tell(at=name, program=plan.program(DROP) if plan else None)
        try:
            return function(*arguments)
        except Exception as error:
            self.tell(failed=name, why="%s: %s" % (type(error).__name__, error))
            return None

    def report(self, code, text, certain=True, plan=None, ending=DROP, kind=None):
        kind = kind or self.kind
        self.codes.add(code)
        facts = _ouro_audit.describe_type(kind)
        handler = "clear" if code.startswith("GC-C") else "dealloc" if code[3] in "DK" else \
            "traverse"
        self.tell(finding=Finding(
            code, certain, text=text, type_name=name_of_type(kind),
            place=facts[handler] or facts["dealloc"],
            program=plan.program(ending) if plan else None).as_dict(),
            standard=is_standard(kind))

    def first_crash(self, sources):
        """How many of the sources were tried before one crashed."""
        for index, (_, source) in enumerate(sources):
            if any(name.startswith("make: %s with " % source) for name in self.done):
                return index
        return len(sources)

    def can_die(self, plan):
        """Whether instances can die. If they are freed in a wrong way, each death damages the heap."""
        seen = self.step("the first death", self.try_death, plan, trial.namespace(plan))
        return seen is None or not seen["wrongly_freed"]

    def run(self):
        for plan in self.makers:
            names = trial.namespace(plan)
            if plan is self.makers[0]:
                self.step("audit as it is made", self.try_audit, plan, names)
            if "GC-T09" in self.codes:
                return  # every collection would crash
            self.leaks(plan, names)
            self.step("audit of results: " + plan.make, self.try_results, plan, names)
            if plan is self.makers[0]:
                self.deaths(plan, names)
                self.handlers(plan, names)
                self.subclass(plan)
                self.step(EARLY, self.try_early, plan, names)
                self.step(STRESS, self.stress, names)

    # --- leaks --------------------------------------------------------------------------------

    def leaks(self, plan, names):
        if "x" in plan.make:
            self.step("leak: " + plan.describe(), self.try_leak, plan, names)
        if plan is not self.makers[0]:
            return
        for operation in plans.operations(self.kind):
            self.step("operation: " + operation, self.try_operation, plan, names, operation)

    def try_operation(self, plan, names, operation):
        for thing in MAKERS:
            trying = plan.with_operation(operation, thing)
            self.tell(now=trying.program(DROP))
            answer = trial.keeps(trying, names)
            if answer is not None and answer[1]:
                self.kept.append(trying)
                self.try_leak(trying, names)
                self.try_self(trying, names)
                return
            if answer is not None and not TEMPORARY.search(operation):
                self.accepted.append(trying)

    def try_leak(self, plan, names):
        if trial.is_leak(plan, names):
            culprit = trial.explain_leak(plan, names, self.is_at_fault)
            if culprit is not None:
                self.report(culprit.code, culprit.text, certain=plan.thing not in RARE, plan=plan,
                            ending=trial.NO_END, kind=culprit.type)
        elif trial.is_lost(plan, names):
            self.report("GC-L67", "after %s, a reference to x is left that nothing can release: "
                        "no pointer to x is in memory" % plan.describe(), plan=plan,
                        ending=trial.LOST)

    def try_self(self, plan, names):
        """Make a cycle of such objects alone: only their own tp_clear can break it."""
        found, left = trial.tie_to_itself(plan, names, self.kind)
        if left and found:
            self.report("GC-C49", "after %s with a for x, the cycle is found by each collection, "
                        "and never broken: tp_clear is missing, or does too little"
                        % plan.describe(), plan=plan, ending=trial.NO_BREAK % plan.operation)

    # --- deaths --------------------------------------------------------------------------------

    def deaths(self, plan, names):
        self.step("death", self.try_death, plan, names)
        for kept in self.kept[:6]:
            self.step("death after " + kept.operation, self.try_death, kept, names)
            self.step("fields after " + kept.operation, self.try_fields, kept, names)
        self.step("death with a weak reference", self.try_weak_death, plan, names)
        self.step("death with an exception", self.try_death_with_error, plan, names)
        self.step("many deaths", self.try_many, plan, names)
        if self.facts["is_heap"]:
            self.step("references to the type", self.try_drift, plan, names)

    def kill(self, plan, names, with_error=False, hold=False, weak=False):
        a, x = trial.build(plan, names)
        watch = weakref.ref(x, _ouro_audit.note_release) if not isinstance(
            x, (tuple, bytes)) else None
        keep = weakref.ref(a) if weak else None
        victims = [a]
        del a, x
        return _ouro_audit.kill(victims, with_error, hold), watch, keep

    def try_death(self, plan, names):
        seen = self.kill(plan, names)[0]
        if seen is None:
            return None
        finalizes = hasattr(self.kind, "__del__")
        if seen["wrongly_freed"]:
            self.report("GC-D34", "tp_dealloc frees the object by a function for objects without "
                        "a collector header; call Py_TYPE(self)->tp_free", plan=plan)
        if seen["tracked_at_free"] or (seen["tracked_at_release"] and not finalizes):
            self.report("GC-D30", "tp_dealloc releases references or frees the object while it is "
                        "tracked; it must begin with PyObject_GC_UnTrack", plan=plan,
                        ending=WITNESS if plan.operation else DROP)
        if seen["managed_dict"]:
            self.report("GC-C56", "freed with its managed dict; call PyObject_ClearManagedDict in "
                        "tp_clear and tp_dealloc", plan=plan)
        if self.facts["is_heap"] and seen["type_released_early"]:
            self.report("GC-D37", "its type is released before the object is freed; do it after "
                        "tp_free", plan=plan)
        return seen

    def try_fields(self, plan, names):
        seen = self.kill(plan, names, hold=True)[0]
        if seen is not None and seen["unreleased"]:
            self.report("GC-D39", "after %s, tp_dealloc does not release a '%s' that tp_traverse "
                        "visits" % (plan.describe(), seen["unreleased"]), plan=plan,
                        ending=trial.LOST)

    def try_weak_death(self, plan, names):
        try:
            weakref.ref(trial.build(plan, names)[0])
        except TypeError:
            return
        seen, _, keep = self.kill(plan, names, weak=True)
        self.references.append(keep)  # it must not die, because it may dangle
        if seen is not None and seen["weak_references"]:
            self.report("GC-D41", "freed with a live weak reference; call PyObject_ClearWeakRefs "
                        "in tp_dealloc", plan=plan,
                        ending="weak = weakref.ref(a)\ndel a\nprint(weak())  # must be None")

    def try_death_with_error(self, plan, names):
        seen = self.kill(plan, names, with_error=True)[0]
        if seen is not None and seen["error_changed"]:
            self.report("GC-D46", "tp_dealloc changes the pending exception; save and restore it",
                        plan=plan)

    def try_many(self, plan, names):
        """A type may keep dead objects to use them again, but not all of them forever."""
        unfreed, dead = 0, set()
        alive = [trial.build(plan, names)[0] for _ in range(MANY)]
        while alive:
            victims = [alive.pop()]
            address = id(victims[0])
            seen = _ouro_audit.kill(victims, False, False)
            if seen is None or seen["resurrected"]:
                return
            unfreed += not seen["freed"]
            dead.add(address)
        again = [trial.build(plan, names)[0] for _ in range(MANY)]
        if unfreed == MANY and not any(id(a) in dead for a in again) and self.grows(plan, names):
            self.report("GC-D33", "tp_dealloc returns without freeing the object; call "
                        "Py_TYPE(self)->tp_free", plan=plan, ending=GROWTH % (plan.make, plan.make))

    def grows(self, plan, names):
        """Whether memory in use grows with the number of deaths. CPython counts small blocks only."""
        before = sys.getallocatedblocks()
        for _ in range(10 * MANY):
            trial.build(plan, names)
        grown = sys.getallocatedblocks() - before
        return grown > 5 * MANY or self.kind.__basicsize__ > SMALL

    def try_drift(self, plan, names):
        gc.collect()
        before = sys.getrefcount(self.kind)
        freed = 0
        for _ in range(MANY):
            seen = self.kill(plan, names)[0]
            freed += seen is not None and (seen["freed"] or seen["wrongly_freed"])
        gc.collect()
        drift = sys.getrefcount(self.kind) - before
        if freed < MANY:
            return
        if drift >= MANY:
            self.report("GC-D36", "tp_dealloc does not release the type; call Py_DECREF(type) "
                        "after tp_free", plan=plan, ending=DRIFT % plan.make)
        elif drift <= -MANY:
            self.report("GC-D38", "tp_dealloc releases the type more than once", plan=plan,
                        ending=DRIFT % plan.make)

    # --- handlers ------------------------------------------------------------------------------

    def filled(self, plan, names):
        """An instance that holds as much as it takes, and the things, because it may borrow some."""
        a, x = trial.build(plan, names)
        things = [x]
        for plan in self.accepted[:100] + self.kept:
            things.append(MAKERS[plan.thing]())
            space = dict(names, a=a, x=things[-1])
            try:
                exec(trial.compiled(plan.operation, "exec"), space)
            except BaseException:
                pass
        return a, things

    def handlers(self, plan, names):
        self.step("audit", self.try_audit, plan, names)
        for kept in self.kept[:6]:
            self.step("audit after " + kept.operation, self.try_audit_one, kept, names)
        if self.facts["is_gc"]:
            self.step("tp_traverse", self.try_handler, _ouro_audit.try_traverse, plan, names)
            self.step("tp_clear", self.try_handler, _ouro_audit.try_clear, plan, names)

    def try_audit(self, plan, names):
        a, things = self.filled(plan, names)
        try:
            weak = weakref.ref(a)
        except TypeError:
            weak = None
        self.audit([trial.build(plan, names)[0], a] + self.parts(a), (weak, things), plan)

    def parts(self, a):
        """The objects inside an instance. Python's own types are audited by themselves."""
        if is_standard(self.kind):
            return []
        found = trial.parts(a)
        self.tell(parts=sorted({name_of_type(trial.c_type(type(item))) for item in found}))
        return found

    def try_audit_one(self, plan, names):
        a = trial.build(plan, names)[0]
        self.audit([a] + self.parts(a), None, plan)

    def try_results(self, plan, names):
        """Objects that methods return may share parts with the instance."""
        results, current = [], self.filled(plan, names)[0]
        for operation in plans.operations(self.kind):
            if CALL.fullmatch(operation) and len(results) < 20:
                try:
                    made = eval(operation, dict(names, a=current, x=MAKERS["Object"]()))
                except BaseException:
                    continue
                if gc.is_tracked(made) and not isinstance(made, type):
                    results.append(made)
        self.audit([current] + results, None, plan)

    def look_at(self, objects):
        gc.unfreeze()
        findings, _, _ = _run(tuple(objects), None, ())
        gc.freeze()
        return findings

    def is_at_fault(self, item):
        return not is_standard(self.kind) and any(
            finding.code == "GC-T01" for finding in self.look_at([item]))

    def audit(self, objects, kept, plan):
        for finding in self.look_at(objects):
            self.codes.add(finding.code)
            finding.program = plan.program(AUDIT if finding.type is self.kind
                                           else AUDIT_PART % finding.type_name)
            self.tell(finding=finding.as_dict(), standard=is_standard(finding.type))

    def try_handler(self, function, plan, names):
        a, things = self.filled(plan, names)
        for code, text in function(a):
            self.report(code, text, plan=plan)

    # --- a derived class ------------------------------------------------------------------------

    def subclass(self, plan):
        root = plan.make.partition("(")[0]
        if plan.derived or not plan.make.startswith(root + "(") or \
                eval(root, trial.namespace(plan), {}) is not self.kind:
            return
        derived = Plan(plan.setup, "Derived" + plan.make[len(root):], derived=root)
        names = self.step("a derived class", trial.namespace, derived)
        if names is None or trial.keeps(derived, names) is None:
            return
        self.step("derived: leak", self.try_leak,
                  derived.with_operation("a.ouro_audit = x", "Object"), names)
        self.step("derived: audit", self.try_audit, derived, names)
        self.step("derived: death", self.try_derived_drift, derived, names)

    def try_derived_drift(self, plan, names):
        kind = names["Derived"]
        gc.collect()
        before = sys.getrefcount(kind)
        for _ in range(MANY):
            trial.build(plan, names)
        gc.collect()
        drift = sys.getrefcount(kind) - before
        if drift <= -MANY:
            self.report("GC-D38", "the type of an instance of a derived class is released more "
                        "than once", plan=plan, ending=DRIFT % plan.make)

    def try_early(self, plan, names):
        """examine.py reports a crash here as GC-K16."""
        if self.facts["is_gc"] and "GC-T07" not in self.codes:
            taken = [([], {}, set(), (number,), (number, number)) for number in range(300)]
            _ouro_audit.traverse_at_allocations(self.kind, lambda: trial.build(plan, names))
            taken.clear()  # held until now: otherwise allocations would use free memory

    # --- stress ---------------------------------------------------------------------------------

    def stress(self, names):
        thresholds = gc.get_threshold()
        gc.set_threshold(1, 1, 1)
        gc.enable()
        for plan in list(self.makers) + self.kept:
            try:
                trial.build(plan, names)
            except BaseException:
                pass
        gc.disable()
        gc.set_threshold(*thresholds)


def is_standard(kind):
    return is_standard_file(file_of(kind))
