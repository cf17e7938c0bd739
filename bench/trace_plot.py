#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draw a trace that OURO_TRACE wrote: `bench/trace_plot.py trace.json picture.svg`.

The picture has rows for cycles, for slices by the phase that they began in, and for collections of
each generation, over time. It shows one cycle in the middle of the trace, and as much time again
around it.
"""
import json
import sys

from plot import Drawing

LEFT, RIGHT, ROW = 130, 860, 26
PHASES = [("count", "#38b6c4"), ("mark", "#6a4fb0"), ("others", "#d1457b")]
ROWS = [("cycle", "cycle", "#8f8f8f"),
        *((f"slice: {phase}", f"slices: {phase}", fill) for phase, fill in PHASES),
        ("collection of generation 0", "young", "#2f7fd1"),
        ("collection of generation 1", "middle", "#e08a1e"),
        ("collection of generation 2", "full", "#b3261e")]


def cycles_of(events):
    """(begin, end) of each cycle that was not dropped."""
    ends = {e["id"]: e["ts"] for e in events if e["ph"] == "e"}
    return [(e["ts"], ends[e["id"]]) for e in events
            if e["ph"] == "b" and not e["args"]["dropped"]]


def row_of(event):
    """The name of the row that an event is drawn in."""
    words = event["name"].split()
    if words[0] != "slice:":
        return event["name"]
    return f"slice: {words[1] if words[1] in dict(PHASES) else 'others'}"


def spans_of(events, name, cycles):
    if name == "cycle":
        return cycles
    return [(e["ts"], e["ts"] + e["dur"]) for e in events if row_of(e) == name]


def draw(events, path):
    cycles = cycles_of(events)
    if not cycles:
        sys.exit("the trace has no cycle: run the program with OURO_PAUSE_BUDGET")
    begin, end = cycles[len(cycles) // 2]
    low, high = max(begin - (end - begin) / 2, 0), end + (end - begin) / 2
    slices = sorted(e["args"]["cpu_us"] for e in events if e["name"].startswith("slice"))
    drawing = Drawing(890, "A cycle and its slices",
                      f"{(high - low) / 1e3:.0f} ms of a program; CPU time of all "
                      f"{len(slices)} slices: median {slices[len(slices) // 2]:.0f} µs, "
                      f"longest {slices[-1]:.0f} µs")

    def x_of(time):
        return LEFT + (RIGHT - LEFT) * (min(max(time, low), high) - low) / (high - low)

    top = 74
    for number, (name, words, fill) in enumerate(ROWS):
        y = top + number * ROW
        drawing.text(24, y + 14, words)
        for start, stop in spans_of(events, name, cycles):
            if stop > low and start < high:
                drawing.rect(x_of(start), y, x_of(stop) - x_of(start), ROW - 8, fill)
    bottom = top + len(ROWS) * ROW + 8
    drawing.line(LEFT, bottom, RIGHT, bottom, "axis")
    for tick in range(5):
        time = low + (high - low) * tick / 4
        drawing.text(x_of(time), bottom + 18, f"{(time - low) / 1e3:.1f} ms", "tick", "middle")
    drawing.write(path, bottom + 34)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1]) as f:
        draw(json.load(f), sys.argv[2])
