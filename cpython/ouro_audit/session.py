# SPDX-License-Identifier: MIT
"""The results of audits in a session of pytest: findings with the tests that show them, and figures.

Each worker of pytest-xdist has a session of its own. The session is sent as text to the process that
prints the summary, and added there."""

import json

from .finding import Finding


class Session:
    def __init__(self):
        self.findings = {}    # fingerprint: (finding, the test or None)
        self.audited = set()  # names of C types
        self.untried = {}     # names of types that could not be made: why
        self.tests = self.skipped = 0
        self.test_seconds = self.audit_seconds = 0.0

    def keep(self, findings, ignored, test=None):
        for finding in findings:
            names = {finding.code, "%s:%s" % (finding.code, finding.type_name)}
            if not names & ignored:
                finding.object = finding.referent = None  # it must be able to die
                self.findings.setdefault(finding.fingerprint, (finding, test))

    def all_findings(self):
        return [finding for finding, _ in self.findings.values()]

    def test_of(self, finding):
        return self.findings[finding.fingerprint][1]

    def as_text(self):
        return json.dumps({
            "findings": [(finding.as_dict(), test) for finding, test in self.findings.values()],
            "audited": sorted(self.audited), "untried": self.untried,
            "tests": self.tests, "skipped": self.skipped,
            "test_seconds": self.test_seconds, "audit_seconds": self.audit_seconds})

    def add(self, text):
        """Add the results of another process."""
        other = json.loads(text)
        for finding, test in other["findings"]:
            self.keep([Finding(**finding)], set(), test)
        self.audited.update(other["audited"])
        self.untried.update(other["untried"])
        for name in ("tests", "skipped", "test_seconds", "audit_seconds"):
            setattr(self, name, getattr(self, name) + other[name])

    def __str__(self):
        return "%d C types in %d tests, %.1f s of audits for %.1f s of tests" % (
            len(self.audited), self.tests, self.audit_seconds, self.test_seconds)
