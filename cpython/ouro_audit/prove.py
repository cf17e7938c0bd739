# SPDX-License-Identifier: MIT
"""Does an object own what it does not visit? A child destroys the object to see.

A word of an object that is the address of another one may be borrowed, or left over from
earlier. When the object is destroyed, an owned reference is released, and the others are not."""

from . import _ouro_audit, child


def owns(object, referent):
    """True, False, or None when it cannot be told."""
    if isinstance(object, type) or type(object).__name__ == "module":
        return None
    answers = []

    def destroy(tell):
        tell(count=_ouro_audit.owns(object, referent))

    child.run(destroy, lambda message: answers.append(message["count"]), seconds=5)
    return answers[0] > 0 if answers else None


def prove(findings):
    """GC-T01 made certain, or left out, where a child can tell; it must be possible to fork."""
    proven = []
    for finding in findings:
        if finding.code == "GC-T01" and not finding.certain and finding.referent is not None:
            owned = owns(finding.object, finding.referent)
            if owned is False:
                continue
            finding.certain = bool(owned)
        proven.append(finding)
    return proven
