# SPDX-License-Identifier: MIT
"""The formats of the output: text, JSON for programs, SARIF for code scanning, JUnit for test
reports, and annotations for the log of GitHub's continuous integration."""

import json
import sys
import textwrap
from xml.sax.saxutils import escape, quoteattr

from .finding import RULES, group

DOCUMENTATION = "docs/checker.md of Ouroboros"


def _named(names, most=8):
    return ", ".join(names[:most]) + (" and %d more" % (len(names) - most)
                                      if len(names) > most else "")


# --- text ---------------------------------------------------------------------------------------


def _paragraph(finding, with_program):
    lines = [str(finding)]
    others = [name for name in finding.types if name != finding.subject]
    if others:
        lines.append("    the same in %d more: %s" % (len(others), _named(others)))
    if finding.place:
        lines.append("    code: %s" % finding.place)
    if finding.code == "GC-T01" and not finding.certain and finding.offset is not None:
        lines.append("    borrowed on purpose? --borrowed %s:%d"
                     % (finding.type_name, finding.offset))
    if finding.program and with_program:
        lines += ["    to see it:", textwrap.indent(finding.program.rstrip(), "        ")]
    return "\n".join(lines)


def _wrapped(title, names):
    return textwrap.fill("%s: %s" % (title, ", ".join(names)), 100, subsequent_indent="    ",
                         break_long_words=False, break_on_hyphens=False)


def text(result, findings, with_programs=True):
    parts = [_paragraph(finding, with_programs) for finding in findings]
    if result.examined:
        parts.append(_wrapped("examined", result.examined))
    inside = [name for name, _ in result.unexamined if name in result.parts]
    if inside:
        parts.append(_wrapped("audited inside others", inside))
    parts += ["not examined: %s: %s" % pair for pair in result.unexamined
              if pair[0] not in inside]
    parts += ["not imported: %s: %s" % pair for pair in result.not_imported]
    parts += ["note: %s" % note for note in result.notes]
    certain = sum(finding.certain for finding in findings)
    parts.append("ouro_audit: %d types examined, %d not, %d objects audited: %d findings, %d "
                 "suspicions" % (len(result.examined), len(result.unexamined) - len(inside),
                                 result.audited, certain, len(findings) - certain))
    if result.known_findings:
        parts.append("ouro_audit: %d more are in the baseline" % result.known_findings)
    return "\n".join(parts) + "\n"


# --- JSON, SARIF --------------------------------------------------------------------------------


def as_json(result, findings, with_programs=True):
    return json.dumps({
        "python": sys.version.split()[0],
        "audited": result.audited,
        "examined": result.examined,
        "audited_inside": sorted(result.parts),
        "not_examined": [list(pair) for pair in result.unexamined],
        "not_imported": [list(pair) for pair in result.not_imported],
        "notes": result.notes,
        "in_baseline": result.known_findings,
        "findings": [finding.as_dict() for finding in findings],
    }, indent=2) + "\n"


def _sarif_result(finding):
    location = {"logicalLocations": [{"fullyQualifiedName": finding.type_name, "kind": "type"}]}
    if finding.file:
        location["physicalLocation"] = {"artifactLocation": {"uri": finding.file.lstrip("/")}}
    return {
        "ruleId": finding.code,
        "level": "error" if finding.certain else "warning",
        "message": {"text": str(finding) + (
            "\n\nTo see it:\n\n" + finding.program if finding.program else "")},
        "locations": [location],
        "partialFingerprints": {"ouroAudit/v1": finding.fingerprint},
    }


def sarif(result, findings, with_programs=True):
    used = sorted({finding.code for finding in findings})
    return json.dumps({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "ouro_audit",
                "rules": [{"id": code, "shortDescription": {"text": RULES[code]}}
                          for code in used]}},
            "results": [_sarif_result(finding) for finding in findings],
        }],
    }, indent=2) + "\n"


# --- JUnit, GitHub ------------------------------------------------------------------------------


def junit(result, findings, with_programs=True):
    blamed = {}
    for finding in findings:
        for name in finding.types:
            blamed.setdefault(name, []).append(finding)
    names = list(dict.fromkeys(list(blamed) + result.examined))
    lines = ['<?xml version="1.0" encoding="UTF-8"?>',
             '<testsuite name="ouro_audit" tests="%d" failures="%d" skipped="%d">'
             % (len(names) + len(result.unexamined), len(blamed), len(result.unexamined))]
    for name in names:
        lines.append('<testcase classname="ouro_audit" name=%s>' % quoteattr(name))
        for finding in blamed.get(name, ()):
            lines.append("<failure message=%s>%s</failure>" % (
                quoteattr("%s: %s" % (finding.code, RULES[finding.code])),
                escape("%s\n%s" % (finding, finding.program or ""))))
        lines.append("</testcase>")
    for name, why in result.unexamined:
        lines.append('<testcase classname="ouro_audit" name=%s><skipped message=%s/></testcase>'
                     % (quoteattr(name), quoteattr(str(why))))
    return "\n".join(lines + ["</testsuite>"]) + "\n"


def _escaped(value, is_property=False):
    for character, code in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A")) + (
            ((":", "%3A"), (",", "%2C")) if is_property else ()):
        value = value.replace(character, code)
    return value


def github(result, findings, with_programs=True):
    lines = ["::%s title=%s::%s" % (
        "error" if finding.certain else "warning",
        _escaped("%s %s" % (finding.code, finding.subject), is_property=True),
        _escaped("%s\n%s" % (finding, finding.program or ""))) for finding in findings]
    return "\n".join(lines + text(result, [], False).splitlines()[-1:]) + "\n"


FORMATS = {"text": text, "json": as_json, "sarif": sarif, "junit": junit, "github": github}


def render(name, result, with_programs=True):
    """The result in one of the formats; its findings are grouped by their causes."""
    return FORMATS[name](result, group(result.findings), with_programs)
