# SPDX-License-Identifier: MIT
"""Examine types: a child for each, and another one after a crash, until everything was tried.

This runs in the process that has imported the subject, itself a child of the command
(package.py)."""

import gc
import sys
import warnings

from . import _ouro_audit, child, plans, trial
from .experiments import EARLY, Experiments, is_standard
from .finding import Finding, name_of_type
from .subjects import import_of
from .things import MAKERS
from .trial import Plan

MOST_CRASHES = 6
BASETYPE = 1 << 10  # Py_TPFLAGS_BASETYPE


class Examined:
    """The results for one type."""

    def __init__(self, kind):
        self.kind, self.findings, self.made, self.why = kind, [], False, None
        self.foreign = []  # findings about types of the standard library
        self.notes = []
        self.parts = set()  # names of types inside its instances, which were audited


def static_findings(kind):
    """Findings that the type itself shows, without instances."""
    facts, name = _ouro_audit.describe_type(kind), name_of_type(kind)
    if not facts["is_gc"] and facts["traverse_set"]:
        yield Finding("GC-K22", True, type_name=name, place=facts["traverse"],
                      text="the type sets tp_traverse but not Py_TPFLAGS_HAVE_GC: it is never "
                      "called")
    if facts["is_gc"] and facts["own_traverse"] and facts["base_clear"] and not facts["clear"]:
        yield Finding("GC-K24", False, type_name=name, place=facts["traverse"],
                      text="the type has Py_TPFLAGS_HAVE_GC and tp_traverse of its own, so it "
                      "does not inherit tp_clear from '%s'" % name_of_type(kind.__base__))
    if facts["del"]:
        yield Finding("GC-F59", True, type_name=name, place=facts["dealloc"],
                      text="tp_del is legacy: cycles through the object become uncollectable; "
                      "use tp_finalize")


def _makers(sources, kind, step, immortal=None):
    """Yield plans that make instances of exactly this type, as they are found: plans that need no
    thing, and plans whose instance keeps the thing. See trial.keeps()."""
    found = 0
    for setup, source in sources:
        uses_thing = "x" in source.partition("(")[2]
        if found == 5:
            return
        names = trial.namespace(Plan(setup, ""))
        for thing in list(MAKERS) if uses_thing else ["Object"]:
            plan = Plan(setup, source, thing=thing)
            answer = step("make: %s with %s" % (source, thing), trial.keeps, plan, names,
                          immortal)
            if answer is not None and answer[0] is kind:
                found += answer[1]
                yield plan, answer[1]
                break


def _find_makers(sources, kind, step):
    """A plan that needs no thing, if there is one, then the plans whose instance keeps the thing."""
    plain, keeping = [], []
    for plan, keeps in _makers(sources, kind, step):
        (keeping if keeps else plain).append(plan)
    plain.sort(key=lambda plan: "x" in plan.make.partition("(")[2])  # without x first
    return plain[:1] + keeping


def _steps(kind, sources, tell, done, crashed):
    """In the child: find makers, then make all experiments. The first instance must be able to die
    before others are made. After a crash only the makers that were found before it are used."""
    warnings.simplefilter("ignore")
    gc.disable()
    gc.collect()
    gc.freeze()
    trying = Experiments(kind, [], tell, crashed)  # repeats what was tried before
    sources = sources[:trying.first_crash(sources)]
    for plan, _ in _makers(sources, kind, trying.step, immortal=trying.references):
        if not trying.can_die(plan):
            tell(made=True)
            return
        break
    trying.makers = _find_makers(sources, kind, trying.step)
    trying.done = set(done)
    tell(made=bool(trying.makers))
    if trying.makers:
        trying.run()


# A finding of the code is left out if the same type has one of these, which explains it.
EXPLAINED = {
    "GC-T01": ("GC-T02", "GC-T11", "GC-T12", "GC-T14", "GC-F59", "GC-K17", "GC-K22", "GC-K69"),
    "GC-T06": ("GC-T07",),
    "GC-L67": ("GC-D33", "GC-D39", "GC-C56", "GC-T05"),
    "GC-K69": ("GC-K22",),
    "GC-C49": ("GC-K24",),
    "GC-D39": ("GC-T02", "GC-C56", "GC-T11"),
    "CRASH": ("GC-T09", "GC-T02", "GC-T07", "GC-T10", "GC-T11", "GC-D30", "GC-D34", "GC-D37",
              "GC-D38", "GC-D41", "GC-C48", "GC-C52", "GC-C53", "GC-C54", "GC-K16"),
    "GC-K16": ("GC-T07", "GC-T09"),
}


def _confirm_inheritance(findings):
    """A missing tp_clear may be deliberate. A cycle that stays shows that it is a mistake."""
    leaks = {finding.type_name: finding for finding in findings if finding.code == "GC-C49"}
    for finding in findings:
        if finding.code == "GC-K24" and finding.type_name in leaks:
            finding.certain, finding.program = True, leaks[finding.type_name].program
    return [finding for finding in findings if finding.code != "GC-K24" or finding.certain]


def settle(findings):
    """Keep one finding for each mistake of a type, although several experiments may show it."""
    findings = _confirm_inheritance(findings)
    there = {(finding.type_name, finding.code) for finding in findings}
    settled = {}
    for finding in findings:
        key = finding.type_name, finding.code, finding.offset
        if any((finding.type_name, code) in there for code in EXPLAINED.get(finding.code, ())):
            continue
        first = settled.setdefault(key, finding)
        first.certain = first.certain or finding.certain
    for (name, code, offset), finding in list(settled.items()):
        same = [other for other in settled
                if other[:2] == (name, code) and other[2] is not None]
        if offset is None and code == "GC-T01" and same:
            for other in same:  # the leak shows that the fields are owned
                settled[other].certain, settled[other].program = True, finding.program
            del settled[name, code, offset]
    return list(settled.values())


def _first_error(sources, kind):
    """The error of a constructor, as a message to the user: the one that says most."""
    for setup, source in sources[:2]:
        try:
            made = eval(source, trial.namespace(Plan(setup, "")), {"x": MAKERS["Thing"]()})
            return "%s makes a '%s'" % (source, name_of_type(type(made)))
        except BaseException as error:
            return "%s: %s: %s" % (source, type(error).__name__, str(error)[:200])
    return "no module has it, and nothing that was tried makes one"


def _runs(program):
    """Whether the program ends normally in a child of its own. If it does, a crash is not the fault
    of the type: our experiments can do more than Python code."""
    return program is None or child.run(lambda tell: exec(program, {}), seconds=5).how != "signal"


def _crash(kind, at, program, ending):
    """The finding behind a crash, or None."""
    name, facts = name_of_type(kind), _ouro_audit.describe_type(kind)
    if at == EARLY:
        # since 3.12, collections run between bytecodes only
        return Finding("GC-K16", sys.version_info < (3, 12), type_name=name,
                       place=facts["traverse"],
                       text="visiting the object while its constructor runs crashes (%s): it is "
                       "tracked before its fields are initialised" % ending.detail)
    if _runs(program):
        return None
    return Finding("CRASH", True, type_name=name, place=facts["place"], program=program,
                   text="%s, at: %s" % (ending, at))


def examine(kind, sources, seconds):
    """Try everything with one type; `sources` are pairs (import statement, expression)."""
    result = Examined(kind)
    result.findings += static_findings(kind)
    done, crashed, heard = [], [], set()
    for _ in range(MOST_CRASHES):
        at = ["the beginning", None]

        def hear(message):
            if "at" in message:
                at[:] = message["at"], message["program"]
                done.append(at[0])
            elif "now" in message:
                at[1] = message["now"]
            elif "parts" in message:
                result.parts.update(message["parts"])
            elif "made" in message:
                result.made = result.made or message["made"]
            elif "finding" in message:
                finding = Finding(**message["finding"])
                key = (finding.code, finding.type_name, finding.offset, finding.text)
                if key not in heard:
                    heard.add(key)
                    (result.foreign if message["standard"] and not is_standard(kind)
                     else result.findings).append(finding)

        ending = child.run(lambda tell: _steps(kind, sources, tell, done, crashed), hear, seconds)
        if ending:
            break
        crashed.append(at[0])
        crash = _crash(kind, at[0], at[1], ending) if ending.how == "signal" else None
        if crash is not None:
            result.findings.append(crash)
        else:
            result.notes.append("%s, at: %s" % (ending, at[0]))
    if not result.made:
        answers = []
        child.run(lambda tell: tell(why=_first_error(sources, kind)),
                  lambda message: answers.append(message["why"]), seconds=2)
        result.why = answers[0] if answers else "it could not be made"
        result.findings = [finding for finding in result.findings
                           if finding.code != "GC-K22" or not is_abstract(kind)]
    result.findings = settle(result.findings)
    return result


def is_abstract(kind):
    """Whether only derived classes have instances. They have the flag, and call its tp_traverse."""
    return bool(kind.__flags__ & BASETYPE)


def sources_of(kind):
    """How to make an instance by the type's own constructor."""
    found = import_of(kind)
    if found is None:
        return []
    return [(found[0], source) for source in plans.constructors(found[1], kind)]


def _results_of(plan, kind, wanted, tell, crashed):
    """In a child: report which expressions make an instance of a wanted type."""
    names = trial.namespace(plan)
    for source in plans.results(plan.make, kind):
        if source not in crashed:
            tell(at=source)
            _try_result(Plan(plan.setup, source, thing=plan.thing), names, wanted, tell)


def _try_result(plan, names, wanted, tell):
    answer = trial.keeps(plan, names)
    if answer is not None and answer[0] in wanted:
        tell(kind=wanted.index(answer[0]), source=plan.make)


def _collect_sources(function, setup, wanted, seconds):
    """Run function(tell, crashed) in children until one does not crash; {type: sources}."""
    found, crashed = {}, []
    for _ in range(MOST_CRASHES):
        at = [None]

        def hear(message):
            if "at" in message:
                at[0] = message["at"]
            else:
                found.setdefault(wanted[message["kind"]], []).append((setup, message["source"]))

        if child.run(lambda tell: function(tell, crashed), hear, seconds):
            break
        crashed.append(at[0])
    return found


def sources_from_type(kind, wanted, seconds):
    """Ways to get instances of other types from instances of a type that can be made."""
    def look(tell, crashed):
        makers = _find_makers(sources_of(kind), kind,
                              lambda name, function, *rest: function(*rest))
        for plan in makers[:2]:
            _results_of(plan, kind, wanted, tell, crashed)

    found = import_of(kind)
    return {} if found is None else _collect_sources(look, found[0], wanted, seconds)


def sources_from_module(module, wanted, seconds):
    """Ways to get instances of types from the functions of a module."""
    def look(tell, crashed):
        names = trial.namespace(Plan("from %s import *" % module.__name__, ""))
        names.update(vars(module))
        for source in plans.functions(module):
            if source not in crashed:
                tell(at=source)
                _try_result(Plan("", source), names, wanted, tell)

    found = _collect_sources(look, "", wanted, seconds)
    return {kind: [("from %s import %s" % (module.__name__, source.partition("(")[0]), source)
                   for _, source in sources] for kind, sources in found.items()}
