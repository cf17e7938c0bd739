#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make bench-cpython: full collections of CPython, alone and with ouro_gc in front of it.

    bench/cpython/run.py [--sizes 1e5,1e6] [--rounds 3] [--heaps a,b] [--python PATH ...]
                         [--servers 1e6] [--json FILE] [--markdown FILE] [--plot FILE]

Every measurement has a process of its own, so CPython is timed in processes where ouro_gc was
never enabled. The two take turns, and the least time counts. heaps.py has the heaps, programs.py
the programs with automatic collections, and server.py a program whose requests wait for the
collector: with CPython alone, with ouro_gc, and with full collections in slices.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.dirname(HERE))

import heaps  # noqa: E402
import plot  # noqa: E402
import programs  # noqa: E402

MODES = ("cpython", "ouro")
PROGRAM_ROUNDS = 3  # times as many: a program's time varies by a tenth, its ratio shall not
TIMES = ("first", "grown", "steady", "garbage", "scattered")
SERVER_MODES = ("cpython", "ouro", "slices")
MUST = {"grown": 2.5, "steady": 4.0, "garbage": 2.0}
MUST_OF_FEW = {"grown": 2.0, "steady": 2.0, "garbage": 2.0}  # below 1e6 objects
HALF = 4.0  # half of the grown heaps must reach this


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", default="1e5,1e6", help="objects in a heap (1e5,1e6)")
    parser.add_argument("--servers", default="1e6", help="objects that a server keeps (1e6)")
    parser.add_argument("--rounds", type=int, default=3, help="processes for each figure (3)")
    parser.add_argument("--heaps", default="", help="only these, separated by commas")
    parser.add_argument("--python", action="append", default=[], metavar="PATH",
                        help="a CPython; may be repeated (the newest that is found)")
    parser.add_argument("--every", action="store_true", help="every CPython that is found")
    parser.add_argument("--json", metavar="FILE", help="write all figures")
    parser.add_argument("--markdown", metavar="FILE",
                        help="write the tables between the marks of this document")
    parser.add_argument("--plot", metavar="FILE", help="write a picture (SVG)")
    return parser.parse_args()


# --- measuring --------------------------------------------------------------------------------


def found_pythons():
    lines = subprocess.check_output([os.path.join(ROOT, "tools", "python-configs.sh")],
                                    text=True).split("\n")
    for version, config in (line.split() for line in lines if line):
        if tuple(map(int, version.split("."))) >= (3, 9):
            prefix = subprocess.check_output([config, "--prefix"], text=True).strip()
            yield os.path.join(prefix, "bin", "python" + version)


def version_of(python):
    return subprocess.check_output(
        [python, "-c", "import platform; print(platform.python_version())"], text=True).strip()


def run_child(python, folder, script, *arguments):
    environment = dict(os.environ, PYTHONPATH=folder, PYTHONDONTWRITEBYTECODE="1")
    done = subprocess.run([python, os.path.join(HERE, script)] + list(arguments),
                          env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False)
    if done.returncode != 0:
        sys.exit("%s %s failed:\n%s" % (script, " ".join(arguments), done.stderr[-2000:]))
    return json.loads(done.stdout)


def least(results):
    """The least of each figure; figures that are no times come from the last result."""
    out = dict(results[-1])
    for key in TIMES + ("total", "collections", "longest", "build_cpu", "p999", "p9999", "cpu"):
        values = [result[key] for result in results if result.get(key) is not None]
        if values:
            out[key] = min(values)
    return out


def measure(python, folder, script, arguments, rounds, modes=MODES):
    """{mode: figures}, the modes taking turns."""
    results = {mode: [] for mode in modes}
    for _ in range(rounds):
        for mode in modes:
            results[mode].append(run_child(python, folder, script, mode, *arguments))
    return {mode: least(results[mode]) for mode in modes}


def measure_python(python, options, progress):
    version = version_of(python)
    names = [name for name in heaps.HEAPS
             if not options.heaps or name in options.heaps.split(",")]
    rows = {"python": version, "heaps": [], "programs": [], "servers": []}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.check_call([python, os.path.join(ROOT, "cpython/backend/ouro_build.py"),
                               folder], stdout=subprocess.DEVNULL)
        for size in options.sizes.split(","):
            for name in names:
                progress("CPython %s, %s objects, %s" % (version, size, name))
                rows["heaps"].append({"heap": name, "size": size, **measure(
                    python, folder, "child.py", (name, size), options.rounds)})
        for group, functions in programs.PROGRAMS.items():
            for function in functions:
                progress("CPython %s, program %s" % (version, function.__name__))
                rows["programs"].append({"program": function.__name__, "group": group, **measure(
                    python, folder, "programs.py", (function.__name__, "3"),
                    PROGRAM_ROUNDS * options.rounds)})
        for size in filter(None, options.servers.split(",")):
            progress("CPython %s, a server with %s objects" % (version, size))
            rows["servers"].append({"size": size, **measure(
                python, folder, "server.py", (size, "1e5"), options.rounds, SERVER_MODES)})
    return rows


# --- showing ----------------------------------------------------------------------------------


def ratio(row, key):
    old, new = row["cpython"].get(key), row["ouro"].get(key)
    return old / new if old and new else None


def cell(row, key):
    times = ratio(row, key)
    if times is None:
        return "-"
    return "%.0f / %.0f: %.1fx" % (row["cpython"][key], row["ouro"][key], times)


def share(row, key):
    """The memory of ouro_gc as a part of all resident memory."""
    part = max(0, row["ouro"][key] - max(0, row["cpython"][key])) / row["ouro"]["resident"]
    return "%.1f %%" % (100 * part)


def heap_table(rows, size):
    yield ("| heap | objects | first | grown | steady | 10 % garbage | scattered | kept "
           "| peak | dirty after fork, MiB |")
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for row in rows["heaps"]:
        if row["size"] == size:
            yield "| %s | %s | %s | %s | %s | %.1f / %.1f |" % (
                row["heap"], format(row["ouro"]["objects"], ","),
                " | ".join(cell(row, key) for key in TIMES), share(row, "kept"),
                share(row, "peak"), row["cpython"]["forked"] / 2**20,
                row["ouro"]["forked"] / 2**20)


def program_table(rows):
    yield ("| program | total CPU, s | ratio | CPU in collections, s | ratio "
           "| longest collection, ms |")
    yield "| --- | --- | --- | --- | --- | --- |"
    for row in rows["programs"]:
        old, new = row["cpython"], row["ouro"]
        part = "%.2f" % (new["collections"] / old["collections"]) if (
            old["collections"] > 0.001) else "-"
        yield "| %s | %.3f / %.3f | %.2f | %.3f / %.3f | %s | %.1f / %.1f |" % (
            row["program"], old["total"], new["total"], new["total"] / old["total"],
            old["collections"], new["collections"], part, old["longest"], new["longest"])


def server_table(rows):
    yield ("| objects | with | longest request, ms | 99.99 % | 99.9 % | CPU, s | peak memory, MiB "
           "| most garbage |")
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    titles = {"cpython": "CPython alone", "ouro": "`ouro_gc`", "slices": "in slices of 500 us"}
    for row in rows["servers"]:
        for mode in SERVER_MODES:
            new, old = row[mode], row["cpython"]
            yield "| %s | %s | %.2f | %.2f | %.2f | %.2f (%.2f) | %.0f (%.2f) | %s (%.2f) |" % (
                row["size"], titles[mode], new["longest"], new["p9999"], new["p999"],
                new["cpu"], new["cpu"] / old["cpu"], new["peak"] / 2**20,
                new["peak"] / old["peak"], format(new["garbage"], ","),
                new["garbage"] / old["garbage"])


def summary(rows, size):
    lines = []
    for key, must in (MUST if float(size) >= 1e6 else MUST_OF_FEW).items():
        ratios = [ratio(row, key) for row in rows["heaps"] if row["size"] == size]
        ratios = [value for value in ratios if value]
        if ratios:
            lines.append("%s: %.1fx to %.1fx, %d of %d heaps reach %.1fx"
                         % (key, min(ratios), max(ratios),
                            sum(value >= must for value in ratios), len(ratios), must))
            if key == "grown":
                lines[-1] += " and %d %.0fx" % (sum(value >= HALF for value in ratios), HALF)
    return "; ".join(lines)


def document(all_rows, sizes):
    for rows in all_rows:
        for size in sizes:
            yield "CPython %s, about %s objects (%s):" % (rows["python"], size,
                                                          summary(rows, size))
            yield ""
            yield from heap_table(rows, size)
            yield ""
        yield "CPython %s, programs whose collections come by themselves:" % rows["python"]
        yield ""
        yield from program_table(rows)
        yield ""
        if rows["servers"]:
            yield ("CPython %s, a server that replaces cyclic structures, 100,000 requests, and "
                   "the ratio to CPython alone:" % rows["python"])
            yield ""
            yield from server_table(rows)
            yield ""


def write_markdown(path, lines):
    begin, end = "<!-- bench-cpython: begin -->", "<!-- bench-cpython: end -->"
    with open(path, encoding="utf-8") as file:
        text = file.read()
    head, rest = text.split(begin)
    tail = rest.split(end)[1]
    with open(path, "w", encoding="utf-8") as file:
        file.write(head + begin + "\n" + "\n".join(lines).strip() + "\n" + end + tail)


def draw(path, rows, size):
    """Bars: how many times faster, grown and steady, for each heap."""
    chosen = [row for row in rows["heaps"] if row["size"] == size]
    drawing = plot.Drawing(760, "Full collections inside CPython %s" % rows["python"],
                           "how many times faster with ouro_gc; about %s objects; "
                           "dark: steady, light: after growth by a third" % size)
    top = max(ratio(row, "steady") for row in chosen)
    scale, y = 480 / max(top, 6), 84
    for row in chosen:
        drawing.text(150, y + 13, row["heap"], anchor="end")
        for key, fill, offset in (("steady", "#2f7fd1", 0), ("grown", "#9cc4ee", 10)):
            width = scale * ratio(row, key)
            drawing.rect(160, y + offset, width, 9, fill)
            drawing.text(166 + width, y + offset + 8, "%.1f" % ratio(row, key), "value")
        y += 27
    drawing.line(160 + scale, 76, 160 + scale, y, "axis")
    drawing.text(160 + scale, y + 14, "CPython alone", "tick", "middle")
    drawing.write(path, y + 30)


def main():
    options = parse_arguments()
    chosen = options.python or list(found_pythons())
    if not options.python and not options.every:
        chosen = chosen[:1]
    if not chosen:
        sys.exit("bench-cpython: no CPython with headers (Debian: python3-dev)")

    def progress(text):
        print("bench-cpython: " + text, file=sys.stderr, flush=True)
    all_rows = [measure_python(python, options, progress) for python in chosen]
    sizes = options.sizes.split(",")
    lines = list(document(all_rows, sizes))
    print("\n".join(lines))
    if options.json:
        with open(options.json, "w", encoding="ascii") as file:
            json.dump(all_rows, file, indent=1)
    if options.markdown:
        write_markdown(options.markdown, lines)
    if options.plot:
        draw(options.plot, all_rows[0], sizes[-1])


if __name__ == "__main__":
    main()
