# SPDX-License-Identifier: MIT
"""Examine a package, or the standard library: import it in a child, find its types, and examine
each. If a module crashes the child, it is started again without that module."""

import sys

from . import _run, child, examine, subjects
from .finding import Finding, name_of_type
from .subjects import is_below

SECONDS_TO_IMPORT = 120
MOST_CRASHES = 10


class Result:
    """The results for a subject."""

    def __init__(self):
        self.findings = []
        self.examined = []   # names of types
        self.unexamined = []  # (name of a type, why)
        self.not_imported = []  # (name of a module, why)
        self.parts = set()   # names of types whose objects were audited inside others
        self.notes = []
        self.audited = 0
        self.known = set()  # names of all types that could be examined
        self.known_findings = 0  # left out, because a baseline has them
        self.error = None


class Options:
    def __init__(self, names, seconds=10, exercise=True, only=(), borrowed=(), everything=False):
        self.names, self.seconds, self.exercise = names, seconds, exercise
        self.only, self.borrowed, self.everything = only, borrowed, everything

    @property
    def is_standard(self):
        return self.names == ["--stdlib"]


def add_examined(result, tried):
    """Add the results for one type."""
    name = name_of_type(tried.kind)
    result.findings += tried.findings
    result.notes += ["%s: %s" % (name, note) for note in tried.notes]
    result.parts |= tried.parts
    if tried.made:
        result.examined.append(name)
    else:
        result.unexamined.append((name, tried.why))


def is_standard_finding(finding):
    """Whether it is about Python itself. All modules have one type, but each its own m_traverse."""
    if finding.type_name == "module":
        file = getattr(finding.object, "__file__", None)
        return file is None or subjects.is_standard_file(file)
    return examine.is_standard(finding.type)


def _import(options, skip, tell):
    """Import everything."""
    def at(name, why=None):
        tell(**({"importing": name} if why is None else {"not_imported": name, "why": why}))

    names = subjects.standard_modules() if options.is_standard else options.names
    for name in names:
        subjects.import_tree(name, skip, at)


def _types(options):
    found = (subjects.standard_types() if options.is_standard
             else subjects.types_of_modules(options.names))
    names = {name_of_type(kind) for kind in found}
    wanted = [kind for kind in found if not options.only or name_of_type(kind) in options.only
              or kind.__name__ in options.only]
    return wanted, sorted(names)


def _audit_alive(options, kinds, tell):
    """Audit the objects that the import made: modules, and instances of the types."""
    tell(at="audit of what is alive")

    def look(tell):
        modules = tuple(module for name, module in sys.modules.items()
                        if options.is_standard or is_below(name, options.names))
        for objects, types in ((modules, None), (None, tuple(kinds) or (type(None),))):
            findings, audited, _ = _run(objects, types, options.borrowed)
            tell(audited=audited)
            for finding in findings:
                tell(finding=finding.as_dict(),
                     standard=is_standard_finding(finding) and not options.is_standard)

    ending = child.run(look, lambda message: tell(**message), seconds=60)
    if not ending:
        tell(note="the audit of what is alive after the import did not end: %s" % ending)


def _other_sources(options, kinds, made, tell):
    """For types that no constructor makes: find functions and methods that return instances."""
    missing = [kind for kind in kinds if kind not in made]
    sources = {}
    if not missing:
        return sources
    for kind in made:
        tell(at="what %s makes" % name_of_type(kind))
        for other, found in examine.sources_from_type(kind, missing, options.seconds).items():
            sources.setdefault(other, []).extend(found)
    if not options.is_standard:
        for name, module in sorted(sys.modules.items()):
            if is_below(name, options.names):
                tell(at="what functions of %s make" % name)
                for other, found in examine.sources_from_module(
                        module, missing, options.seconds).items():
                    sources.setdefault(other, []).extend(found)
    return sources


def _tell_examined(result, tell, is_standard):
    name = name_of_type(result.kind)
    for finding in result.findings:
        tell(finding=finding.as_dict(), standard=False)
    for finding in result.foreign:
        tell(finding=finding.as_dict(), standard=not is_standard)
    for note in result.notes:
        tell(note="%s: %s" % (name, note))
    tell(parts=sorted(result.parts))
    tell(examined=name, made=result.made, why=result.why)


def _examine(options, kinds, tell):
    made, late = [], []
    for kind in kinds:
        tell(at=name_of_type(kind))
        result = examine.examine(kind, examine.sources_of(kind), options.seconds)
        if result.made:
            made.append(kind)
            _tell_examined(result, tell, options.is_standard)
        else:
            late.append(result)
    sources = _other_sources(options, kinds, made, tell) if late else {}
    for result in late:
        if result.kind in sources:
            tell(at=name_of_type(result.kind))
            result = examine.examine(result.kind, sources[result.kind][:12], options.seconds)
        _tell_examined(result, tell, options.is_standard)


def _work(options, skip, tell):
    _import(options, skip, tell)
    tell(at="the types")
    kinds, names = _types(options)
    tell(types=names)
    _audit_alive(options, kinds, tell)
    if options.exercise:
        _examine(options, kinds, tell)


def audit_package(options, progress=lambda text: None):
    """Examine modules by name, or ["--stdlib"]."""
    skip = []
    for _ in range(MOST_CRASHES):
        result, at = Result(), [None]

        def hear(message):
            if "importing" in message:
                at[0] = message["importing"]
                progress("importing " + at[0])
            elif "at" in message:
                at[0] = None
                progress(message["at"])
            elif "not_imported" in message:
                result.not_imported.append((message["not_imported"], message["why"]))
            elif "types" in message:
                result.known.update(message["types"])
            elif "audited" in message:
                result.audited += message["audited"]
            elif "parts" in message:
                result.parts.update(message["parts"])
            elif "note" in message:
                result.notes.append(message["note"])
            elif "finding" in message:
                if options.everything or not message["standard"]:
                    result.findings.append(Finding(**message["finding"]))
            elif message["made"]:
                result.examined.append(message["examined"])
            else:
                result.unexamined.append((message["examined"], message["why"]))

        ending = child.run_trusted(lambda tell: _work(options, skip, tell), hear)
        result.not_imported += [(name, "it ends the process") for name in skip]
        if ending or at[0] is None:
            break
        skip.append(at[0])
    if not ending:
        result.error = str(ending)
    elif options.names[0] in dict(result.not_imported):
        result.error = dict(result.not_imported)[options.names[0]]
    result.findings = examine.settle(result.findings)
    return result
