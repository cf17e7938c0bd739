# SPDX-License-Identifier: MIT
"""Compare the table in docs/what-finds-what.md with what the tools find in the zoo.

    python3 table.py ZOO_FOLDER AUDIT.json LIVE.json CHECK.json DOCUMENT [--write]

AUDIT.json is the output of `python -m ouro_audit zoo --format json`, LIVE.json that of live.py,
CHECK.json that of `ouro check zoo.so --json`. The script prints "ok NAME" or "FAIL NAME: why".
--write writes the table into the document."""

import json
import re
import sys

# What the types of the zoo do wrong, in words.
MISTAKES = {
    "C48": "`tp_clear` releases a reference that stays in its field",
    "C49_little": "`tp_clear` clears one field of two",
    "C49_missing": "no `tp_clear`",
    "C52": "`tp_clear` releases the type",
    "C53": "`tp_clear` untracks the object",
    "C56": "the managed dict is never cleared",
    "D30": "`tp_dealloc` does not untrack",
    "D33": "`tp_dealloc` does not free",
    "D34": "`PyObject_Free` for a container",
    "D36": "the heap type is not released",
    "D37": "the type is released before the object is freed",
    "D38": "the type is released twice",
    "D39": "a spec without `Py_tp_dealloc`: fields are not released",
    "D39_one": "`tp_dealloc` forgets one field",
    "D41": "weak references are not cleared",
    "D46": "`tp_dealloc` clears the pending exception",
    "F59": "`tp_del`",
    "K16": "tracked before a field is initialised",
    "K17": "never tracked",
    "K22": "`tp_traverse` without `Py_TPFLAGS_HAVE_GC`",
    "K24": "`tp_clear` is not inherited, as `tp_traverse` is the type's own",
    "K69": "a static type without `Py_TPFLAGS_HAVE_GC` owns objects",
    "K69_heap": "the same with a heap type",
    "L67": "a method keeps a reference for ever",
    "T01": "a field is not visited",
    "T01_block": "objects in a C block are not visited",
    "T01_tagged": "a tagged pointer is not visited",
    "T01_twice": "one object in two fields, of which one is visited",
    "T02": "one field is visited twice",
    "T02_borrowed": "a borrowed reference is visited",
    "T03": "the heap type is not visited",
    "T04_heap": "the heap type is visited twice",
    "T04_static": "a static type is visited",
    "T05": "`tp_traverse` keeps references",
    "T06": "`tp_traverse` allocates",
    "T07": "`tp_traverse` raises",
    "T08_goes_on": "visits go on after a result",
    "T08_managed": "the result of `PyObject_VisitManagedDict` is dropped",
    "T08_returns": "`tp_traverse` returns 1",
    "T08_swallow": "the result of a visit is dropped",
    "T09": "`visit(NULL)`",
    "T10": "the list of weak references is visited",
    "T11": "each second run visits less",
    "T12": "the managed dict is not visited",
    "T14": "what the base visits is not visited",
}


def claim(name, holds, why=""):
    print("ok %s" % name if holds else "FAIL %s: %s" % (name, why))


def codes_of(path, name_of):
    """{type: codes}, without notes."""
    found = {}
    with open(path, encoding="utf-8") as file:
        for finding in json.load(file)["findings"]:
            if finding.get("certainty") != "note":
                for name in name_of(finding):
                    short = name.rpartition(".")[2].partition(" ")[0]
                    found.setdefault(short, set()).add(finding["code"].replace("GC-", ""))
    return found


def cell(name, codes):
    """The code itself if the tool reports it, else the other codes that it reports."""
    wanted = name[:3]
    return "yes" if wanted in codes else ", ".join(sorted(codes)) or "-"


def main(folder, audit_path, live_path, check_path, document, *options):
    sys.path.insert(0, folder)
    import zoo
    kinds = [name for name, value in sorted(vars(zoo).items()) if isinstance(value, type)]
    audit = codes_of(audit_path, lambda finding: finding["types"])
    live = codes_of(live_path, lambda finding: finding["types"])
    check = codes_of(check_path, lambda finding: [finding["type"]])
    wrong = [name for name in kinds if name[1:3].isdigit()]
    rows = ["| `%s` | %s | %s | %s | %s |" % (
        name, MISTAKES[name], cell(name, audit.get(name, ())), cell(name, live.get(name, ())),
        cell(name, check.get(name, ()))) for name in wrong]
    for name in sorted(set(kinds) - set(wrong)):
        said = [sorted(tool.get(name, ())) for tool in (audit, live, check)]
        claim("nothing is said about %s, which is correct" % name, said == [[], [], []], said)
    for title, tool in (("python -m ouro_audit", audit), ("ouro check", check)):
        missed = [name for name in wrong if not tool.get(name)]
        claim("%s finds every mistake of the zoo" % title, not missed, missed)
    with open(document, encoding="utf-8") as file:
        text = file.read()
    there = re.findall(r"^\| `[A-Z]\d\d.*$", text, re.M)
    if "--write" in options:
        start, end = text.index(there[0]) if there else text.index("<!-- table -->"), None
        end = text.index(there[-1]) + len(there[-1]) if there else start + len("<!-- table -->")
        with open(document, "w", encoding="utf-8") as file:
            file.write(text[:start] + "\n".join(rows) + text[end:])
        return
    expected = [row for row in there if row.split("`")[1] in wrong]  # older Pythons have fewer
    differences = [pair for pair in zip(expected, rows) if pair[0] != pair[1]]
    claim("%s has the table" % document, expected == rows, differences[:3])


main(*sys.argv[1:])
