# SPDX-License-Identifier: MIT
"""A plugin for pytest: `pytest --ouro-audit` audits what each test has in its variables.

The frame of the test function outlives the call, so its variables do; from there the objects of
C types are found. An audit has to look at all objects of the process, so its time is limited:
types that were not seen before are always audited, and other objects as long as all audits
together take less time than all tests together. With --ouro-audit-exercise the types themselves
are tried at the end, as `python -m ouro_audit` does."""

import gc
import sys
import time
import types

import pytest

import ouro_audit

from . import _ouro_audit, baseline, examine, package, subjects, trial
from .finding import RULES, group, name_of_type

MOST_OBJECTS = 2000   # that are looked at, for each test
MOST_OF_A_TYPE = 3    # that are audited, for each test
FREE_SECONDS = 0.3    # an audit or two, whatever the tests take


def pytest_addoption(parser):
    options = parser.getgroup("ouro_audit", "audit of C types (Ouroboros)")
    options.addoption("--ouro-audit", action="store_true",
                      help="audit the C types of the objects that tests use")
    options.addoption("--ouro-audit-exercise", action="store_true",
                      help="and try these types at the end, in child processes")
    options.addoption("--ouro-audit-ignore", action="append", default=[],
                      metavar="CODE[:TYPE]", help="leave out these findings; may be repeated")
    options.addoption("--ouro-audit-fail-on", choices=("certain", "any", "never"), default="any",
                      help="which findings make the run fail (any)")
    options.addoption("--ouro-audit-baseline", metavar="FILE",
                      help="leave out the findings that are in this file")
    options.addoption("--ouro-audit-write-baseline", metavar="FILE",
                      help="write the findings to this file instead of failing")


def pytest_configure(config):
    config.addinivalue_line("markers", "no_ouro_audit: do not audit what this test uses")
    config.addinivalue_line("markers", "ouro_audit_ignore(*codes): leave out these findings")
    if not config.getoption("--ouro-audit"):
        return
    for item in config.getoption("--ouro-audit-ignore"):
        if item.partition(":")[0] not in RULES:
            raise pytest.UsageError("--ouro-audit-ignore %s: there is no such code" % item)
    try:
        config.pluginmanager.register(Auditor(config), "ouro_audit_session")
    except baseline.BaselineError as error:
        raise pytest.UsageError(str(error))


@pytest.fixture(name="ouro_audit")
def ouro_audit_fixture():
    """The module ouro_audit: audit(), assert_clean() and so on."""
    return ouro_audit


def reachable(roots):
    """The roots and what they refer to, but no modules, functions or types."""
    seen, todo = set(), list(roots)
    while todo and len(seen) < MOST_OBJECTS:
        item = todo.pop()
        if id(item) in seen or isinstance(item, (type, types.ModuleType, types.FunctionType,
                                                 types.FrameType, types.CodeType)):
            continue
        seen.add(id(item))
        yield item
        if gc.is_tracked(item):
            todo += gc.get_referents(item)


class Auditor:
    """What is done in a session."""

    def __init__(self, config):
        self.config = config
        path = config.getoption("--ouro-audit-baseline")
        self.known = baseline.read(path) if path else set()
        self.ignored = set(config.getoption("--ouro-audit-ignore"))
        self.is_ours = {}   # type: is it worth an audit?
        self.kinds = {}     # C types that were audited: in how many tests
        self.findings = {}  # fingerprint: (finding, test)
        self.tests = self.skipped = 0
        self.test_seconds = self.audit_seconds = 0.0
        self.exercised = None

    # --- one test -----------------------------------------------------------------------------

    @pytest.hookimpl(hookwrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem):
        code = getattr(pyfuncitem.obj, "__code__", None)
        if code is None or pyfuncitem.get_closest_marker("no_ouro_audit") or sys.getprofile():
            yield
            return
        start = time.perf_counter()
        _ouro_audit.keep_frame(code)
        yield
        frame = _ouro_audit.kept_frame()
        middle = time.perf_counter()
        self.test_seconds += middle - start
        self.audit_test(pyfuncitem, frame)
        self.audit_seconds += time.perf_counter() - middle

    def audit_test(self, item, frame):
        self.tests += 1
        roots = [frame] if frame is not None else list(item.funcargs.values())
        roots = gc.get_referents(frame) if frame is not None else roots
        chosen = self.choose(roots)
        new = [item for item in chosen if trial.c_type(type(item)) not in self.kinds]
        if self.audit_seconds > self.test_seconds + FREE_SECONDS:
            self.skipped += bool(chosen) and not new
            chosen = new
        if chosen:
            for kind in {trial.c_type(type(item)) for item in chosen}:
                self.kinds[kind] = self.kinds.get(kind, 0) + 1
            self.keep(ouro_audit.audit(*chosen), item)

    def choose(self, roots):
        """Objects of C types that are no part of Python, a few of each type."""
        chosen, counts = [], {}
        for item in reachable(roots):
            kind = type(item)
            if kind not in self.is_ours:
                base = trial.c_type(kind)
                self.is_ours[kind] = not examine.is_standard(base) and subjects.file_of(
                    base) is not None
            if self.is_ours[kind] and counts.get(kind, 0) < MOST_OF_A_TYPE:
                counts[kind] = counts.get(kind, 0) + 1
                chosen.append(item)
        return chosen

    def keep(self, findings, item=None):
        mark = item.get_closest_marker("ouro_audit_ignore") if item is not None else None
        ignored = self.ignored | set(mark.args if mark else ())
        for finding in findings:
            names = {finding.code, "%s:%s" % (finding.code, finding.type_name)}
            if not names & ignored:
                finding.object = finding.referent = None  # it must be able to die
                where = item.nodeid if item is not None else None
                self.findings.setdefault(finding.fingerprint, (finding, where))

    # --- the end ------------------------------------------------------------------------------

    def new(self):
        found = [finding for finding, _ in self.findings.values()]
        return baseline.new_findings(found, self.known)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session):
        if self.config.getoption("--ouro-audit-exercise"):
            self.exercised = package.Result()
            for kind in sorted(self.kinds, key=name_of_type):
                package.add_examined(self.exercised, examine.examine(
                    kind, examine.sources_of(kind), 10))
            self.keep(self.exercised.findings)
        path = self.config.getoption("--ouro-audit-write-baseline")
        if path:
            baseline.write(path, [finding for finding, _ in self.findings.values()])
            return
        fail_on = self.config.getoption("--ouro-audit-fail-on")
        counted = [finding for finding in self.new() if finding.certain or fail_on == "any"]
        if counted and fail_on != "never" and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter):
        terminalreporter.section("ouro_audit")
        for finding in group(self.new()):
            where = self.findings[finding.fingerprint][1]
            terminalreporter.line(str(finding))
            for name in finding.types[1:4]:
                terminalreporter.line("    the same: %s" % name)
            if where:
                terminalreporter.line("    in %s" % where)
        for pair in self.exercised.unexamined if self.exercised else ():
            terminalreporter.line("not tried: %s: %s" % pair)
        new = self.new()
        terminalreporter.line(
            "%d C types in %d tests, %.1f s of audits for %.1f s of tests, %d tests left out: "
            "%d findings, %d in the baseline"
            % (len(self.kinds), self.tests, self.audit_seconds, self.test_seconds, self.skipped,
               len(new), len(self.findings) - len(new)))
