#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draw the plots of a run from its JSON file: `bench/plot.py build/bench.json build/bench`.

    bars-A.svg ...  how many times better than CPython each peer is, for each workload
    cost.svg        cost per object against the size of the heap
    pauses.svg      how many pauses of which length

The plots are SVG files, written with the standard library alone. They are light or dark, as the
reader's system is.
"""
import json
import math
import os
import sys
from html import escape

import table
from rows import SLICES, US, count

COLOURS = {US: "#2f7fd1", SLICES: "#38b6c4", "cpython": "#e08a1e", "boehm": "#3d9a50",
           "glibc": "#8f8f8f", "mimalloc": "#b565a7"}
STYLE = """
text { font-family: system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif; fill: #24292f }
.title { font-size: 17px; font-weight: 600 }
.head { font-size: 12.5px; font-weight: 600 }
.note, .tick { font-size: 11px; fill: #57606a }
.label { font-size: 12px }
.value { font-size: 10.5px; fill: #57606a }
.ground { fill: #ffffff }
.grid { stroke: #d8dee4; stroke-width: 1 }
.axis { stroke: #57606a; stroke-width: 1.3 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .note, .tick, .value { fill: #9da7b3 }
  .ground { fill: #0d1117 }
  .grid { stroke: #2b323b }
  .axis { stroke: #9da7b3 }
}
"""


def colour(peer):
    return COLOURS.get(peer, COLOURS["cpython"])


class Drawing:
    """SVG elements, one after another; the size is known at the end."""

    def __init__(self, width, title, note):
        self.width, self.parts = width, []
        self.text(24, 34, title, "title")
        self.text(24, 54, note, "note")

    def add(self, element):
        self.parts.append(element)

    def text(self, x, y, words, kind="label", anchor="start", turn=0):
        place = f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn else ""
        self.add(f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}"{place}>'
                 f'{escape(words)}</text>')

    def rect(self, x, y, width, height, fill):
        self.add(f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0.8):.1f}" '
                 f'height="{height:.1f}" rx="1.5" fill="{fill}"/>')

    def line(self, x1, y1, x2, y2, kind):
        self.add(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>')

    def curve(self, points, stroke):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.add(f'<polyline points="{path}" fill="none" stroke="{stroke}" stroke-width="2"/>')
        for x, y in points:
            self.add(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.2" fill="{stroke}"/>')

    def legend(self, y, entries):
        """(colour, words) side by side."""
        x = 24
        for fill, words in entries:
            self.rect(x, y - 9, 14, 10, fill)
            self.text(x + 20, y, words)
            x += 44 + 7 * len(words)

    def write(self, path, height):
        with open(path, "w") as f:
            f.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" '
                    f'height="{height:.0f}" viewBox="0 0 {self.width} {height:.0f}">\n'
                    f'<style>{STYLE}</style>\n'
                    f'<rect class="ground" width="100%" height="100%"/>\n')
            f.write("\n".join(self.parts) + "\n</svg>\n")
        return path


class LogScale:
    """Maps numbers to coordinates by their logarithm."""

    def __init__(self, least, most, start, end):
        self.low, self.high = math.log10(least), math.log10(most)
        self.start, self.end = start, end

    def __call__(self, value):
        share = (math.log10(value) - self.low) / (self.high - self.low or 1)
        return self.start + min(max(share, 0), 1) * (self.end - self.start)

    def ticks(self, steps=(1,)):
        for power in range(math.floor(self.low), math.ceil(self.high) + 1):
            for step in steps:
                value = step * 10.0 ** power
                if self.low - 1e-9 <= math.log10(value) <= self.high + 1e-9:
                    yield value


def power_label(n):
    return count(int(n)) if n >= 1 else f"{n:g}"


def subtitle(results):
    m = results["machine"]
    return f"{m['cpu']}, {m['cores']} cores; commit {results['commit']}, {results['date']}"


# ---- bars ---------------------------------------------------------------------------------

BAR, GAP, HEAD = 12, 9, 26
WORKLOADS = {
    "A": "Full collection of a live heap", "B": "Collection of garbage",
    "C": "Allocate, track, drop", "D": "Rings over a live background",
    "E": "Trees with parent pointers", "F": "Memory per object",
    "G": "Queue of cyclic structures", "H": "Scheme interpreter",
    "P": "Server with pauses", "Y": "Young collection",
}


def bar_rows(results, letter):
    """Rows of one workload. Of live heaps and garbage, only rows of 1e6 or the largest size."""
    rows = [r for r in results["rows"] if r["letter"] == letter and r["ratio"]]
    if letter in "AB":
        sizes = {int(r["args"][2]) for r in rows if r["args"][0] in ("live", "garbage")}
        chosen = max((n for n in sizes if n <= 1000000), default=0)
        rows = [r for r in rows if r["args"][0] not in ("live", "garbage")
                or int(r["args"][2]) == chosen]
    return rows


def bar_peers(letter):
    return (US, SLICES, "boehm") + (("glibc", "mimalloc") if letter in "CF" else ())


def bars_of(row, peers, python):
    """(peer, times better than CPython, its figure)"""
    return [(p, table.times_better(row, p, python), table.best(row, p))
            for p in peers if p in row["peers"]]


def ratio_scale(ratios, left, right):
    """A scale that contains all ratios and 1, with room for the figures beside the bars."""
    shown = [min(max(r, 1e-3), 1e3) for r in ratios]
    least, most = min(shown + [1 / 1.1]), max(shown + [2])
    return LogScale(least, most, left + (100 if min(shown, default=1) < 0.99 else 6), right - 120)


def draw_bars(results, letter, folder):
    python, peers = results["cpython"], bar_peers(letter)
    rows = bar_rows(results, letter)
    if not rows:
        return None
    bars = [bars_of(r, peers, python) for r in rows]
    present = [p for p in peers if any(b[0] == p for row in bars for b in row)]
    left = 40 + 6.4 * max(len(r["label"]) for r in rows)
    width = int(left + 560)
    d = Drawing(width, f"{letter}. {WORKLOADS[letter]}", subtitle(results))
    d.legend(80, [(colour(p), table.title(p)) for p in present])
    x = ratio_scale([b[1] for row in bars for b in row], left, width - 24)
    top, y = 96, 96
    grid_at = len(d.parts)
    group = None
    for row, row_bars in zip(rows, bars):
        if row["group"] != group:
            group = row["group"]
            y += HEAD
            d.text(24, y - 8, group[3:4].upper() + group[4:], "head")
        d.text(left - 10, y + BAR * len(row_bars) / 2 + 4, row["label"], anchor="end")
        y = draw_row(d, x, y, row, row_bars)
    draw_ratio_axis(d, x, top + HEAD - 2, y, grid_at, python)
    return d.write(os.path.join(folder, f"bars-{letter}.svg"), y + 62)


def draw_row(d, x, y, row, bars):
    unit = table.UNITS[row["unit"]][2]
    for i, (peer, ratio, figure) in enumerate(bars):
        end, lane = x(ratio), y + BAR * i
        d.rect(min(x(1), end), lane + 1, abs(end - x(1)), BAR - 2, colour(peer))
        words = f"{table.number(figure)} {unit}" if i == 0 else table.number(figure)
        d.text(*((end + 5, lane + 9.5, words, "value") if end >= x(1) else
                 (end - 5, lane + 9.5, words, "value", "end")))
    return y + BAR * len(bars) + GAP


def draw_ratio_axis(d, x, top, bottom, grid_at, python):
    behind = []
    for power in range(math.ceil(x.low / math.log10(2)), math.floor(x.high / math.log10(2)) + 1):
        value = 2.0 ** power
        if x.high - x.low > 2.2 and power % 2:
            continue
        kind = "axis" if power == 0 else "grid"
        behind.append(f'<line x1="{x(value):.1f}" y1="{top:.1f}" x2="{x(value):.1f}" '
                      f'y2="{bottom:.1f}" class="{kind}"/>')
        words = f"{value:g}×" if value >= 1 else f"1/{1 / value:g}×"
        d.text(x(value), bottom + 16, words, "tick", "middle")
    d.parts[grid_at:grid_at] = behind
    d.text(x(1), bottom + 38, f"times better than {table.title(python)} (log scale)", "note")


# ---- cost against the size of the heap -------------------------------------------------------

PANELS = [("live", "steady", "all live, steady"), ("garbage", "steady", "all garbage")]
COST_SHAPES = [("chain", "chain"), ("random", "random graph"), ("tree", "tree in address order")]


def cost_points(results, workload, shape, key):
    """peer -> [(n, ns per object)]"""
    found = {}
    for row in results["rows"]:
        if list(row["args"][:2]) == [workload, shape] and row["key"] == key:
            for peer in (US, results["cpython"], "boehm"):
                if peer in row["peers"]:
                    found.setdefault(peer, []).append((int(row["args"][2]), table.best(row, peer)))
    return {p: sorted(points) for p, points in found.items()}


def draw_cost(results, folder):
    panels = [(f"{label}, {what}", cost_points(results, workload, shape, key))
              for workload, key, what in PANELS for shape, label in COST_SHAPES]
    every = [point for _, peers in panels for points in peers.values() for point in points]
    if len({n for n, _ in every}) < 2:
        return None
    peers = [p for p in (US, results["cpython"], "boehm") if any(p in q for _, q in panels)]
    d = Drawing(1010, "Cost per object against the size of the heap", subtitle(results))
    d.legend(80, [(colour(p), table.title(p)) for p in peers])
    sizes, costs = [n for n, _ in every], [c for _, c in every]
    for i, (title, lines) in enumerate(panels):
        left, top = 78 + 315 * (i % 3), 122 + 276 * (i // 3)
        x = LogScale(min(sizes), max(sizes), left, left + 270)
        y = LogScale(min(costs) / 1.3, max(costs) * 1.3, top + 200, top)
        draw_panel(d, title, x, y, is_left=i % 3 == 0)
        for peer in peers:
            if peer in lines:
                d.curve([(x(n), y(c)) for n, c in lines[peer]], colour(peer))
    return d.write(os.path.join(folder, "cost.svg"), 122 + 276 * 2 - 20)


def draw_panel(d, title, x, y, is_left):
    d.text(x.start, y.end - 10, title[0].upper() + title[1:], "head")
    for value in y.ticks((1, 2, 5)):
        d.line(x.start, y(value), x.end, y(value), "grid")
        d.text(x.start - 6, y(value) + 4, f"{value:g}", "tick", "end")
    for value in x.ticks():
        d.line(x(value), y.start, x(value), y.end, "grid")
        d.text(x(value), y.start + 16, f"1e{round(math.log10(value))}", "tick", "middle")
    d.line(x.start, y.start, x.end, y.start, "axis")
    d.text((x.start + x.end) / 2, y.start + 34, "objects", "note", "middle")
    if is_left:
        d.text(x.start - 46, (y.start + y.end) / 2, "ns per object", "note", "middle", turn=-90)


# ---- pauses ---------------------------------------------------------------------------------

def pause_title(args):
    workload, shape, n = args
    if workload == "pauses":
        return f"Server, {count(int(n))} live" + (", much dropped at once" if shape == "drop" else "")
    return f"Rings over {count(int(n))} live, " + \
        ("dropped when old" if shape == "window" else "dropped at once")


def bucket_start(i):
    """In microseconds; watch.h defines the buckets."""
    return 2 ** (i / 2)


def longest_pause(results, args, peer):
    for row in results["rows"]:
        if row["args"] == args and row["key"] == "longest" and peer in row["peers"]:
            return max(row["peers"][peer]["samples"])
    return None


def length_text(us):
    if us >= 1e6:
        return f"{us / 1e6:.3g} s"
    return f"{us / 1000:.3g} ms" if us >= 1000 else f"{us:.0f} µs"


def draw_pauses(results, folder):
    peers = [p for p in (US, SLICES, results["cpython"]) if p]
    columns = [h for h in results["histograms"] if any(p in h["peers"] for p in peers)
               and h["args"][0] != "programs"]
    columns = sorted(columns, key=lambda h: (h["args"][0], h["args"][2], h["args"][1]))[-3:]
    if not columns:
        return None
    used = [i for h in columns for p in peers for i, c in enumerate(h["peers"].get(p, ())) if c]
    if not used:
        return None
    first, last = min(used), max(used) + 1
    most = max(max(h["peers"].get(p, [0])) / h["runs"] for h in columns for p in peers)
    d = Drawing(90 + 330 * max(len(columns), 2), "Pauses by length", subtitle(results))
    d.legend(80, [(colour(p), "Ouroboros in one piece" if p == US else
                   "Ouroboros in slices" if p == SLICES else table.title(p)) for p in peers])
    for c, column in enumerate(columns):
        left = 78 + 330 * c
        d.text(left, 116, pause_title(column["args"]), "head")
        for p, peer in enumerate(peers):
            top = 130 + 150 * p
            x = LogScale(bucket_start(first), bucket_start(last), left, left + 275)
            y = LogScale(0.5, max(most, 10) * 2, top + 110, top)
            draw_histogram(d, x, y, column, peer, longest_pause(results, column["args"], peer),
                           is_left=c == 0, is_last=p == len(peers) - 1)
    return d.write(os.path.join(folder, "pauses.svg"), 130 + 150 * len(peers) + 26)


def draw_histogram(d, x, y, column, peer, longest, is_left, is_last):
    for value in y.ticks():
        d.line(x.start, y(value), x.end, y(value), "grid")
        d.text(x.start - 6, y(value) + 4, power_label(value), "tick", "end")
    for value in x.ticks():
        d.line(x(value), y.start, x(value), y.end, "grid")
        d.text(x(value), y.start + 16, length_text(value), "tick", "middle")
    for i, pauses in enumerate(column["peers"].get(peer, ())):
        if pauses:
            height = y.start - y(max(pauses / column["runs"], 0.6))
            begin, end = x(bucket_start(i)), x(bucket_start(i + 1))
            d.rect(begin + 1, y.start - height, end - begin - 2, height, colour(peer))
    d.line(x.start, y.start, x.end, y.start, "axis")
    if longest is not None:
        d.text(x.end, y.end + 8, f"longest {length_text(longest)}", "value", "end")
    if is_left:
        d.text(x.start - 50, (y.start + y.end) / 2, "pauses in a run", "note", "middle", turn=-90)
    if is_last:
        d.text((x.start + x.end) / 2, y.start + 36, "length (log scale)", "note", "middle")


def write_all(results, folder):
    """Write every plot that the results suffice for, and return the paths."""
    for name in os.listdir(folder):
        if name.endswith(".svg"):
            os.remove(os.path.join(folder, name))
    paths = [draw_bars(results, letter, folder) for letter in WORKLOADS] \
        if results["cpython"] else []
    paths += [draw_cost(results, folder), draw_pauses(results, folder)]
    return [p for p in paths if p]


if __name__ == "__main__":
    source, folder = (sys.argv[1:] + ["build/bench.json", "build/bench"][len(sys.argv) - 1:])[:2]
    with open(source) as f:
        print("\n".join(write_all(json.load(f), folder)))
