# SPDX-License-Identifier: MIT
"""A finding: which rule is broken, by which type, and how to show it."""

# code: what is wrong, in a few words
RULES = {
    "GC-T01": "an owned reference is not visited",
    "GC-T02": "more visits than references",
    "GC-T03": "the heap type is not visited",
    "GC-T04": "the type is visited too often",
    "GC-T05": "tp_traverse changes reference counts",
    "GC-T06": "tp_traverse allocates",
    "GC-T07": "tp_traverse raises an exception",
    "GC-T08": "the result of a visit is not passed on",
    "GC-T09": "visit(NULL)",
    "GC-T10": "the list of weak references is visited",
    "GC-T11": "two runs visit different objects",
    "GC-T12": "the managed dict is not visited",
    "GC-T14": "what a base visits is not visited",
    "GC-K16": "tracked before its fields are initialised",
    "GC-K17": "never tracked",
    "GC-K22": "handlers without Py_TPFLAGS_HAVE_GC",
    "GC-K24": "tp_clear is not inherited",
    "GC-K69": "no Py_TPFLAGS_HAVE_GC, but it owns objects of any type",
    "GC-D30": "not untracked before references are released",
    "GC-D33": "not freed",
    "GC-D34": "freed by the wrong function",
    "GC-D36": "the heap type is not released",
    "GC-D37": "the type is released before the object is freed",
    "GC-D38": "the type is released twice",
    "GC-D39": "a field is not released",
    "GC-D41": "freed with live weak references",
    "GC-D46": "tp_dealloc changes the pending exception",
    "GC-C48": "released, and still in its field",
    "GC-C49": "tp_clear is missing, or does too little",
    "GC-C52": "tp_clear releases the type",
    "GC-C53": "tp_clear untracks the object",
    "GC-C54": "the second tp_clear releases again",
    "GC-C56": "freed with its managed dict",
    "GC-F59": "tp_del makes cycles uncollectable",
    "GC-L67": "a reference that nothing can release",
    "GC-M62": "the state of a module is not visited",
    "CRASH": "the process was killed",
}


# Mistakes that a generator of code makes in the handlers of all its types.
GENERATED = ("GC-T03", "GC-T04", "GC-K22", "GC-D36", "GC-D46")


def name_of_type(kind):
    module = getattr(kind, "__module__", None)
    prefix = "" if module in ("builtins", None) else "%s." % module
    return prefix + kind.__qualname__


class Finding:
    """A rule that a type breaks.

    code       "GC-T01" and so on; RULES has them all
    certain    False for a suspicion
    object     the first object that shows it; None if an experiment in another process showed it
    type       the type whose handler or field it is, or None as well
    offset     of the field in the object, or None
    referent   what is visited or not, or None
    visits     how often it is visited, and
    expected   how often it may be visited, if that is known
    text       what is wrong, in one sentence
    count      how many of the audited objects show it
    type_name  the name of the type
    subject    what to name: a type, or a module
    field      the name of the field, or None
    place      "file+offset" of the handler concerned, or None
    program    a Python program that shows it, or None
    types      the names of all types that show it: one, until findings are grouped
    """

    __slots__ = ("code", "certain", "object", "type", "offset", "referent", "visits", "expected",
                 "text", "count", "type_name", "subject", "field", "place", "program", "types")

    SAVED = ("code", "certain", "offset", "visits", "expected", "text", "count", "type_name",
             "subject", "field", "place", "program", "types")

    def __init__(self, code, certain, object=None, type=None, offset=None, referent=None,
                 visits=0, expected=0, text="", count=1, type_name=None, subject=None,
                 field=None, place=None, program=None, types=None):
        self.code, self.certain, self.object, self.type = code, certain, object, type
        self.offset, self.referent = offset, referent
        self.visits, self.expected, self.text, self.count = visits, expected, text, count
        self.type_name = type_name or name_of_type(type)
        self.subject = subject or self.type_name
        if self.type_name == "module" and subject is None:
            self.subject = "module %r" % getattr(object, "__name__", "?")
        self.field, self.place, self.program = field, place, program
        self.types = types or [self.subject]

    def as_dict(self):
        """For JSON, and for another process."""
        return {name: getattr(self, name) for name in self.SAVED}

    @property
    def file(self):
        """The file with the handler concerned, or None."""
        return self.place.rpartition("+")[0] if self.place else None

    @property
    def cause(self):
        """What all types with this mistake have in common: the handler; or the file, for mistakes
        that a generator of code makes in each handler."""
        if self.code not in GENERATED:
            return self.code, self.place, self.offset
        text = self.text.replace("'%s'" % self.type_name.rpartition(".")[2], "'TYPE'")
        return self.code, self.file, text.replace("'%s'" % self.type_name, "'TYPE'")

    @property
    def fingerprint(self):
        """A key that is the same in every run; a baseline consists of these."""
        return "%s %s%s" % (self.code, self.subject,
                            "" if self.offset is None else " +%d" % self.offset)

    def __str__(self):
        times = "" if self.count == 1 else " (%d objects)" % self.count
        doubt = "" if self.certain else " [suspicion]"
        field = " (%s)" % self.field if self.field else ""
        return "%s %s: %s%s%s%s" % (self.code, self.subject, self.text, field, times, doubt)

    def __repr__(self):
        return "<ouro_audit.Finding %s>" % self


def group(findings):
    """Keep one finding for each root cause: the same mistake of the same handler, or of handlers in
    one file with the same text. The certain ones come first."""
    groups = {}
    for finding in findings:
        first = groups.setdefault(finding.cause if finding.place else (id(finding),), finding)
        if first is not finding:
            first.types += [name for name in finding.types if name not in first.types]
            first.certain = first.certain or finding.certain
    return sorted(groups.values(), key=lambda finding: (
        not finding.certain, finding.code, finding.subject))
