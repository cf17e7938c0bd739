# SPDX-License-Identifier: MIT
"""Audit the tp_traverse functions of C types, in a running CPython.

    import ouro_audit
    for finding in ouro_audit.audit(obj):
        print(finding)
    ouro_audit.assert_clean(obj)          # in a test

Each finding names a rule by its code:

    GC-T01  a field holds an object that is never visited
    GC-T02  more visits than references
    GC-T03  the heap type of the object is not visited
    GC-T04  the type is visited twice, or although it is static
    GC-T08  the result of a visit is not passed on, or visits follow it
    GC-T09  visit(NULL)
    GC-T10  the list of weak references is visited
    GC-T11  two runs visit different objects
    GC-T12  the managed dict is not visited
    GC-T14  what a base visits is not visited

GC-T01 is a suspicion: the field may be borrowed; declare_borrowed() says so. So is GC-T02 where
the visits of all objects together are too many. The others are certain.
"""

import contextlib
import gc

from . import _ouro_audit

__all__ = ["Finding", "assert_clean", "audit", "audit_all", "declare_borrowed"]

_borrowed = set()


class Finding:
    """A rule that an object breaks.

    code      "GC-T01" and so on
    certain   False for a suspicion
    object    the first object that shows it
    type      the type whose handler or field it is: that of the object, or a base
    offset    of the field in the object, or None
    referent  what is visited or not, or None
    visits    how often it is visited, and
    expected  how often it may be, where that is known
    text      what is wrong, in one sentence
    count     how many of the audited objects show it
    """

    __slots__ = ("code", "certain", "object", "type", "offset", "referent", "visits",
                 "expected", "text", "count")

    def __init__(self, *values):
        for name, value in zip(self.__slots__, values):
            setattr(self, name, value)

    @property
    def type_name(self):
        module = self.type.__module__
        prefix = "" if module in ("builtins", None) else module + "."
        return prefix + self.type.__qualname__

    @property
    def subject(self):
        """What to name: a type, or a module."""
        if self.type_name == "module":
            return "module %r" % getattr(self.object, "__name__", "?")
        return self.type_name

    def as_dict(self):
        """For JSON."""
        return {
            "code": self.code,
            "certain": self.certain,
            "type": self.type_name,
            "subject": self.subject,
            "address": id(self.object),
            "offset": self.offset,
            "visits": self.visits,
            "expected": self.expected,
            "text": self.text,
            "count": self.count,
        }

    def __str__(self):
        times = "" if self.count == 1 else " (%d objects)" % self.count
        doubt = "" if self.certain else " [suspicion]"
        return "%s %s: %s%s%s" % (self.code, self.subject, self.text, times, doubt)

    def __repr__(self):
        return "<ouro_audit.Finding %s>" % self


@contextlib.contextmanager
def _no_collections():
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _run(objects, types, borrowed):
    with _no_collections():
        rows, audited, given_up = _ouro_audit.run(objects, types, _borrowed | set(borrowed))
    findings = [Finding(*row) for row in rows]
    findings.sort(key=lambda finding: (not finding.certain, finding.code, finding.subject))
    return findings, audited, given_up


def declare_borrowed(type, offset):
    """The field at this offset of the C structure of `type` owns nothing: no GC-T01.

    `type` is a type, or its name as C has it (tp_name), such as "pkg.Type".
    """
    name = type
    if not isinstance(name, str):
        name = type.__name__ if type.__module__ == "builtins" else (
            "%s.%s" % (type.__module__, type.__name__))
    _borrowed.add((name, offset))


def audit(*objects, borrowed=()):
    """Audit objects; a list of findings, the certain ones first.

    `borrowed` has pairs (type name, offset), as declare_borrowed().
    """
    return _run(objects, None, borrowed)[0]


def audit_all(*types, borrowed=()):
    """Audit all objects that the collector tracks, or those of the given types."""
    return _run(None, types or None, borrowed)[0]


def assert_clean(*objects, ignore=(), certain_only=False, borrowed=()):
    """Raise AssertionError that lists the findings about the objects, if there are any.

    A type stands for all of its instances that are alive. Without objects, everything tracked is
    audited. `ignore` has codes ("GC-T01") or pairs (code, type name).
    """
    types = tuple(item for item in objects if isinstance(item, type))
    others = tuple(item for item in objects if not isinstance(item, type))
    findings = []
    if others:
        findings += audit(*others, borrowed=borrowed)
    if types or not objects:
        findings += audit_all(*types, borrowed=borrowed)
    findings = [
        finding for finding in findings
        if finding.code not in ignore and (finding.code, finding.type_name) not in ignore
        and (finding.certain or not certain_only)
    ]
    if findings:
        raise AssertionError("ouro_audit:\n  " + "\n  ".join(map(str, findings)))
