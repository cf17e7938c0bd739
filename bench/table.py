#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Print the table of a run from its JSON file: `bench/table.py build/bench.json`.

A row shows the best sample of each peer, the ratio CPython / Ouroboros, and whether the row
keeps its promises (rows.py):
    aim, must, MISSED     it reaches what we aim at, what it must reach, or neither
    ahead, even, BEHIND   compared with CPython, if nothing else is promised, or if this fails
"""
import json
import sys

from rows import CPYTHON, FIELDS, SLICES, UNITS, US

VERDICTS = ["MISSED", "BEHIND", "must", "aim", "even", "ahead"]  # the worst first
NOTHING = 1e-3  # in any unit: less counts as this much, since a ratio to 0 means nothing
EVEN = 0.01  # figures that differ by less are equal
COLUMNS = (US, FIELDS, SLICES, CPYTHON, "boehm", "glibc", "mimalloc")
TITLES = {US: "Ouroboros", FIELDS: "declared", SLICES: "in slices", "boehm": "Boehm"}


def title(peer):
    return TITLES.get(peer) or peer.replace("cpython-", "CPython ")


def best(row, peer):
    """The figure that counts, or None."""
    found = row["peers"].get(peer)
    if not found:
        return None
    return found["max" if row["more_is_better"] else "min"]


def times_better(row, peer, than):
    """How many times better a peer is; None if one of the two has no figure."""
    mine, other = best(row, peer), best(row, than)
    if mine is None or other is None:
        return None
    mine, other = max(mine, NOTHING), max(other, NOTHING)
    return mine / other if row["more_is_better"] else other / mine


def judge_ahead(ratio):
    return "ahead" if ratio > 1 + EVEN else "even" if ratio >= 1 - EVEN else "BEHIND"


def judge_bound(value, promise):
    def holds(bound):
        return value <= bound if promise["most"] else value >= bound
    return "aim" if holds(promise["aim"]) else "must" if holds(promise["must"]) else "MISSED"


def is_only_ahead(promise):
    return promise["against"] == CPYTHON and promise["must"] == promise["aim"] == 1


def judge_promise(row, promise, python):
    against = python if promise["against"] == CPYTHON else promise["against"]
    if not promise["against"]:
        value = best(row, promise["of"])
        return value is not None and judge_bound(value, promise)
    ratio = times_better(row, promise["of"], against)
    if ratio is None:
        return None
    if is_only_ahead(promise):
        return judge_ahead(ratio)
    return judge_bound(1 / ratio if promise["most"] else ratio, promise)


def judge(row, python):
    """(ratio, verdict) of a row; the worst of its promises counts."""
    promises = list(row["promises"])
    for peer in (US, SLICES):
        if row["is_compared"] and not any(p["of"] == peer and p["against"] == CPYTHON for p in promises):
            promises.append({"must": 1, "aim": 1, "against": CPYTHON, "of": peer, "most": False})
    verdicts = [v for v in (judge_promise(row, p, python) for p in promises) if v]
    return times_better(row, US, python), min(verdicts, key=VERDICTS.index) if verdicts else ""


# ---- text ---------------------------------------------------------------------------------

def number(value):
    if value is None:
        return "-"
    if value >= 10000:
        return f"{value:,.0f}"
    return f"{value:.0f}" if value >= 1000 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def promise_text(promise):
    must, aim = f"{promise['must']:g}", f"{promise['aim']:g}"
    who = {SLICES: "slices ", FIELDS: "declared "}.get(promise["of"], "")
    if is_only_ahead(promise):
        return ""
    if promise["against"] == CPYTHON:
        return f"{who}{must}x / {aim}x"
    bounds = must if must == aim else f"{must} / {aim}"
    other = {"": "", US: " of one piece"}.get(promise["against"], f" {title(promise['against'])}")
    return f"{who}{'<=' if promise['most'] else '>='} {bounds}{other}"


def ratio_text(ratio):
    if ratio is None:
        return "-"
    return ">999x" if ratio > 999 else f"{ratio:.1f}x"


def columns_of(rows, python):
    named = [python if c == CPYTHON else c for c in COLUMNS]
    return [c for c in named if c and any(c in r["peers"] for r in rows)]


def group_lines(rows, python):
    columns = columns_of(rows, python)
    units = {r["unit"] for r in rows}
    unit = UNITS[units.pop()][2] if len(units) == 1 else ""
    labels = [r["label"] + ("" if unit else f" [{UNITS[r['unit']][2]}]") for r in rows]
    width = max(40, *map(len, labels))
    yield f"{rows[0]['group']}" + (f" ({unit})" if unit else "")
    yield f"  {'':{width}}" + "".join(f"{title(c):>14}" for c in columns) + \
        f"{'ratio':>9}  {'':8}must / aim"
    for row, label in zip(rows, labels):
        cells = "".join(f"{number(best(row, c)):>14}" for c in columns)
        promises = ", ".join(filter(None, map(promise_text, row["promises"])))
        yield (f"  {label:{width}}{cells}{ratio_text(row['ratio']):>9}"
               f"  {row['verdict']:8}{promises}").rstrip()


def groups(results):
    """Rows that stand together, in the order of the letters."""
    found = {}
    for row in results["rows"]:
        if row["peers"]:
            found.setdefault(row["group"], []).append(row)
    return sorted(found.values(), key=lambda rows: rows[0]["letter"])


def older_lines(results):
    """Other versions of CPython: their figure over ours."""
    rows = [r for r in results["rows"] if any(p in r["peers"] for p in results["older"])
            and r["key"] != "first"]
    if not rows:
        return
    versions = [results["cpython"], *reversed(results["older"])]
    yield ""
    yield "Other versions of CPython: their time or bytes over ours"
    yield f"  {'':72}" + "".join(f"{title(v):>14}" for v in versions)
    for row in rows:
        ratios = [times_better(row, US, v) for v in versions]
        yield f"  {row['group'][:40] + ': ' + row['label']:72.72}" + \
            "".join(f"{ratio_text(r):>14}" for r in ratios)


def tally(results):
    words = {"aim": "reach their aim", "must": "only their must", "MISSED": "miss it",
             "ahead": "are ahead of CPython", "even": "even", "BEHIND": "behind"}
    rows = [r["verdict"] for r in results["rows"]]
    counted = [f"{rows.count(v)} {text}" for v, text in words.items() if v in rows]
    return f"Of {len(rows)} rows " + ", ".join(counted)


def heading(results):
    m = results["machine"]
    versions = ", ".join(f"{title(p).split()[0]} {v}" for p, v in results["versions"].items()
                         if p != US)
    yield f"Ouroboros {results['versions'].get(US, '')} beside {versions}"
    yield f"{m['cpu']}, {m['cores']} cores, {m['system']}; {results['compiler']}"
    yield f"thread CPU time, best of {results['rounds']} interleaved rounds"


def text(results):
    lines = list(heading(results))
    for rows in groups(results):
        lines += ["", *group_lines(rows, results["cpython"])]
    lines += [*older_lines(results), "", tally(results)]
    return "\n".join(lines)


if __name__ == "__main__":
    with open(sys.argv[1] if len(sys.argv) > 1 else "build/bench.json") as f:
        print(text(json.load(f)))
