# SPDX-License-Identifier: MIT
"""`python -m ouro_audit zoo` finds the mistake of each type, and none in correct types.

    python3 check_zoo.py RESULT.json

RESULT.json is the output of `--format json`. The name of a type begins with the code of its
mistake. The script prints a line "ok NAME" or "FAIL NAME: why" for each claim."""

import json
import sys

import zoo

# In 3.8 instances do not visit their heap type.
EXCEPTIONS = {"T03": []} if sys.version_info < (3, 9) else {}


def claim(name, holds, why=""):
    print("ok %s" % name if holds else "FAIL %s: %s" % (name, why))


def expected(name):
    return EXCEPTIONS.get(name, ["GC-" + name[:3]] if name[1:3].isdigit() else [])


with open(sys.argv[1], encoding="utf-8") as file:
    result = json.load(file)
names = [name for name, value in sorted(vars(zoo).items()) if isinstance(value, type)]
found = {name: set() for name in names}
for finding in result["findings"]:
    for name in finding["types"]:
        found[name.rpartition(".")[2]].add(finding["code"])
for name in names:
    codes = sorted(found[name])
    claim("%s in the zoo: %s" % (name, " ".join(expected(name)) or "clean"),
          codes == expected(name), codes)
claim("every type of the zoo is examined, but for the metatype",
      [name for name, _ in result["not_examined"]] == ["zoo.Meta"], result["not_examined"])
claim("each finding has a program that shows it, or its type alone does",
      all(finding["program"] or finding["code"] in ("GC-K16", "GC-K22", "GC-K24", "GC-F59")
          for finding in result["findings"]))

# The programs of the findings show what the findings say.
wanted = {"leaked": ("GC-T01", "GC-K17", "GC-K69"), "lost": ("GC-L67",)}
for word, codes in wanted.items():
    for finding in result["findings"]:
        if finding["code"] in codes:
            printed = []
            exec(finding["program"], {"print": lambda *words: printed.extend(words)})
            claim("the program for %s %s prints %r" % (finding["code"], finding["type_name"], word),
                  printed == [word], printed)
