# SPDX-License-Identifier: MIT
"""Find out whether an object owns a reference that it does not visit: a child destroys the object.

A word of an object may be the address of another object, but borrowed, or left over from earlier.
When the object is destroyed, an owned reference is released, and the others are not."""

from . import _ouro_audit, child


def owns(object, referent):
    """True, False, or None if that is unknown."""
    if isinstance(object, type) or type(object).__name__ == "module":
        return None
    answers = []

    def destroy(tell):
        tell(count=_ouro_audit.owns(object, referent))

    child.run(destroy, lambda message: answers.append(message["count"]), seconds=5)
    return answers[0] > 0 if answers else None


def prove(findings):
    """Make GC-T01 certain, or leave it out, if a child can decide. Forking must be possible."""
    proven = []
    for finding in findings:
        if finding.code == "GC-T01" and not finding.certain and finding.referent is not None:
            owned = owns(finding.object, finding.referent)
            if owned is False:
                continue
            finding.certain = bool(owned)
        proven.append(finding)
    return proven
