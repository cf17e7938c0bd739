# SPDX-License-Identifier: MIT
"""A plugin for pytest: `pytest --ouro-audit` audits the objects in the variables of each test.

The frame of the test function outlives the call, and so do its variables. They lead to objects of C
types. An audit has to look at all objects of the process, so its time is limited: all audits
together take no longer than the rest of the run, and half of that time is reserved for types that
were not seen before. With --ouro-audit-exercise the types themselves are tried at the end, as `python
-m ouro_audit` does.

Under pytest-xdist each worker audits its tests, and sends its findings to the process that prints the
summary."""

import gc
import sys
import time
import types

import pytest

import ouro_audit

from . import _ouro_audit, baseline, examine, package, subjects, trial
from .finding import RULES, group, name_of_type
from .session import Session

MOST_OBJECTS = 2000   # objects that are looked at, for each test
MOST_OF_A_TYPE = 3    # objects of a type that are audited, for each test
FREE_SECONDS = 0.3    # for audits, however short the tests are


def pytest_addoption(parser):
    options = parser.getgroup("ouro_audit", "audit of C types (Ouroboros)")
    options.addoption("--ouro-audit", action="store_true",
                      help="audit the C types of the objects that tests use")
    options.addoption("--ouro-audit-exercise", action="store_true",
                      help="and try these types at the end, in child processes")
    options.addoption("--ouro-audit-limit", type=float, default=2, metavar="FACTOR",
                      help="how many times as long the tests may take (2); 0: any time")
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
    if 0 < config.getoption("--ouro-audit-limit") < 1 or config.getoption("--ouro-audit-limit") < 0:
        raise pytest.UsageError("--ouro-audit-limit takes 1 or more, or 0")
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
    """The audits of a session."""

    def __init__(self, config):
        self.config = config
        path = config.getoption("--ouro-audit-baseline")
        self.known = baseline.read(path) if path else set()
        self.ignored = set(config.getoption("--ouro-audit-ignore"))
        self.factor = config.getoption("--ouro-audit-limit")
        self.start = time.perf_counter()
        self.is_ours = {}   # type: whether it is worth an audit
        self.kinds = set()  # C types that were audited
        self.session = Session()
        self.lost_workers = 0
        self.last = 0.0     # seconds that the last audit took

    # --- time ---------------------------------------------------------------------------------

    def has_time(self, share):
        """Whether there is time for another audit. Audits may take as long as the run takes without
        them; `share` is the part of that time for audits of this kind."""
        spent = self.session.audit_seconds
        others = time.perf_counter() - self.start - spent
        most = (self.factor - 1) * (FREE_SECONDS + share * others)
        return self.factor == 0 or spent + self.last <= most

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
        self.session.test_seconds += middle - start
        self.audit_test(pyfuncitem, frame)
        self.session.audit_seconds += time.perf_counter() - middle

    def audit_test(self, item, frame):
        self.session.tests += 1
        if not self.has_time(1):
            self.session.skipped += 1
            return
        roots = gc.get_referents(frame) if frame is not None else item.funcargs.values()
        chosen = self.choose(roots)
        if not self.has_time(0.5):  # the rest is for new types
            chosen = [item for item in chosen if trial.c_type(type(item)) not in self.kinds]
        if chosen:
            start = time.perf_counter()
            self.kinds.update(trial.c_type(type(item)) for item in chosen)
            mark = item.get_closest_marker("ouro_audit_ignore")
            self.session.keep(ouro_audit.audit(*chosen),
                              self.ignored.union(mark.args if mark else ()), item.nodeid)
            self.last = time.perf_counter() - start

    def choose(self, roots):
        """Objects of C types that do not belong to Python itself, a few of each type."""
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

    # --- the end ------------------------------------------------------------------------------

    def exercise(self):
        result = package.Result()
        for kind in sorted(self.kinds, key=name_of_type):
            package.add_examined(result, examine.examine(kind, examine.sources_of(kind), 10))
        self.session.keep(result.findings, self.ignored)
        self.session.untried.update(result.unexamined)

    def new_findings(self):
        return baseline.new_findings(self.session.all_findings(), self.known)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session):
        self.session.audited.update(name_of_type(kind) for kind in self.kinds)
        if self.config.getoption("--ouro-audit-exercise"):
            self.exercise()
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput["ouro_audit"] = self.session.as_text()
            return
        path = self.config.getoption("--ouro-audit-write-baseline")
        if path:
            baseline.write(path, self.session.all_findings())
            return
        fail_on = self.config.getoption("--ouro-audit-fail-on")
        counted = [finding for finding in self.new_findings()
                   if finding.certain or fail_on == "any"]
        if counted and fail_on != "never" and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node, error):
        """A worker of pytest-xdist ended."""
        text = getattr(node, "workeroutput", {}).get("ouro_audit")
        if text is None:
            self.lost_workers += 1
        else:
            self.session.add(text)

    def pytest_terminal_summary(self, terminalreporter):
        new, line = self.new_findings(), terminalreporter.line
        terminalreporter.section("ouro_audit")
        for finding in group(new):
            line(str(finding))
            for name in finding.types[1:4]:
                line("    the same: %s" % name)
            if self.session.test_of(finding):
                line("    in %s" % self.session.test_of(finding))
        for pair in sorted(self.session.untried.items()):
            line("not tried: %s: %s" % pair)
        if self.lost_workers:
            line("%d workers ended without their findings" % self.lost_workers)
        if self.session.skipped:
            line("%d tests were not audited: there was no time; --ouro-audit-limit 0 audits all"
                 % self.session.skipped)
        line("%s: %d findings, %d in the baseline" % (
            self.session, len(new), len(self.session.findings) - len(new)))
