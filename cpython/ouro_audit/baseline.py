# SPDX-License-Identifier: MIT
"""A baseline: a list of known findings, so that only new ones count.

It is a JSON file with the fingerprint of each finding: code, type, and offset of the field."""

import json


class BaselineError(Exception):
    """Why the file is no baseline, as a message to the user."""


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            known = json.load(file)["ouro_audit_baseline"]
    except OSError as error:
        raise BaselineError("%s: %s" % (path, error.strerror))
    except (ValueError, KeyError, TypeError):
        raise BaselineError("%s is no baseline: --write-baseline makes one" % path)
    return set(known)


def write(path, findings):
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"ouro_audit_baseline": sorted({finding.fingerprint for finding in findings})},
                  file, indent=2)
        file.write("\n")


def new_findings(findings, known):
    return [finding for finding in findings if finding.fingerprint not in known]
