# SPDX-License-Identifier: MIT
"""Audit the C types of a running CPython: tp_traverse, tp_clear, tp_dealloc.

    import ouro_audit
    for finding in ouro_audit.audit(obj):
        print(finding)
    ouro_audit.assert_clean(obj)          # in a test

These functions look at live objects, so they can judge tp_traverse only. `python -m ouro_audit
PACKAGE` makes objects itself, in child processes, and judges the other handlers, too. With pytest,
`--ouro-audit` audits the objects that each test leaves in its variables.

Each finding names a rule by its code; ouro_audit.RULES has them, docs/checker.md explains them.
"""

import contextlib
import gc
import glob
import os
import sys
import types

try:
    from . import _ouro_audit
except ImportError as error:
    _built = [os.path.basename(path) for path in glob.glob(
        os.path.join(os.path.dirname(os.path.abspath(__file__)), "_ouro_audit.*"))]
    if not _built:
        raise
    raise ImportError(
        "ouro_audit was built for another Python than this one, %s %s: it has %s. Build it "
        "again with `python3 cpython/backend/ouro_build.py FOLDER`, where python3 is this one"
        % (sys.implementation.name, sys.version.split()[0], ", ".join(_built))) from error

from .child import can_fork
from .finding import RULES, Finding, group
from .prove import prove

__all__ = ["Finding", "RULES", "assert_clean", "audit", "audit_all", "declare_borrowed", "group"]
__version__ = "0.1.0"

_borrowed = set()


@contextlib.contextmanager
def _no_collections():
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _add_names(finding):
    """Add where the handler is, and the name of the field. A field of a module is in its state."""
    if isinstance(finding.object, types.ModuleType):
        if finding.code == "GC-T01":
            finding.code, finding.offset = "GC-M62", None
            finding.text = "the state of the module holds a '%s' that m_traverse does not visit" % (
                type(finding.referent).__name__)
        return
    finding.place = _ouro_audit.describe_type(finding.type)["traverse"]
    if finding.offset is not None:
        finding.field = _ouro_audit.field_name(finding.type, finding.offset)


def _run(objects, kinds, borrowed, proof=True):
    """(findings, number of audited objects, number of objects that could not be audited)"""
    proof = proof and can_fork()
    with _no_collections():
        rows, audited, given_up = _ouro_audit.run(
            objects, kinds, _borrowed | set(borrowed), not proof)
    findings = [Finding(*row) for row in rows]
    for finding in findings:
        _add_names(finding)
    if proof:
        findings = prove(findings)
    findings.sort(key=lambda finding: (not finding.certain, finding.code, finding.subject))
    return findings, audited, given_up


def declare_borrowed(type, offset):
    """Declare that the field at this offset of the C structure of `type` owns nothing: no GC-T01.

    `type` is a type, or its name as C has it (tp_name), such as "pkg.Type".
    """
    name = type
    if not isinstance(name, str):
        name = type.__name__ if type.__module__ == "builtins" else (
            "%s.%s" % (type.__module__, type.__name__))
    _borrowed.add((name, offset))


def audit(*objects, borrowed=()):
    """Audit objects. Returns a list of findings, the certain ones first.

    `borrowed` has pairs (type name, offset), as declare_borrowed().
    """
    return _run(objects, None, borrowed)[0]


def audit_all(*types, borrowed=()):
    """Audit all objects that the collector tracks, or those of the given types."""
    return _run(None, types or None, borrowed)[0]


def assert_clean(*objects, ignore=(), certain_only=False, borrowed=()):
    """Raise AssertionError that lists the findings about the objects, if there are any.

    A type stands for all of its live instances. Without objects, all tracked objects are audited.
    `ignore` has codes ("GC-T01") or pairs (code, type name).
    """
    kinds = tuple(item for item in objects if isinstance(item, type))
    others = tuple(item for item in objects if not isinstance(item, type))
    findings = []
    if others:
        findings += audit(*others, borrowed=borrowed)
    if kinds or not objects:
        findings += audit_all(*kinds, borrowed=borrowed)
    findings = [
        finding for finding in findings
        if finding.code not in ignore and (finding.code, finding.type_name) not in ignore
        and (finding.certain or not certain_only)
    ]
    if findings:
        raise AssertionError("ouro_audit:\n  " + "\n  ".join(map(str, findings)))
