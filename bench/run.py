#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run the peers side by side and print a table; `make bench` calls it.

Each process measures one thing. In every round each peer has its turn at each row, so
that a noisy minute hits all; the least of all samples counts, the median is recorded too.
Exit status 1 if a peer failed or found other objects than it must.
"""
import argparse
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import time

from rows import rows

US = "ouroboros"


def parse_arguments():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--peers", required=True, help="folder of the peers' executables")
    p.add_argument("--json", required=True, help="file for the results")
    p.add_argument("--set", choices=("quick", "full"), default="quick")
    p.add_argument("--rounds", type=int, default=int(os.environ.get("ROUNDS", 0)),
                   help="ROUNDS in the environment; 3, or 5 for the full set")
    p.add_argument("--seconds", type=float, default=float(os.environ.get("BENCH_SECONDS", 0)),
                   help="BENCH_SECONDS in the environment: no round starts that would not end in "
                   "time; 150, or no limit for the full set")
    p.add_argument("--only", default=os.environ.get("ONLY", ""), metavar="REGEX",
                   help="ONLY in the environment: rows whose 'group: label' matches")
    p.add_argument("--cpu", default=os.environ.get("CPU", ""),
                   help="CPU in the environment: the core to run on, the last by default")
    return p.parse_args()


def version_of(peer):
    return tuple(int(x) for x in peer.split("-")[1].split("."))


class Bench:
    def __init__(self, options):
        self.options = options
        self.peers = sorted(os.listdir(options.peers))
        pythons = sorted((p for p in self.peers if p.startswith("cpython-")), key=version_of)
        self.python = pythons[-1] if pythons else None
        self.older = pythons[:-1]
        self.rows = [r for r in rows(options.set)
                     if re.search(options.only, f"{r.group}: {r.label}")]
        self.rounds = options.rounds or (5 if options.set == "full" else 3)
        self.limit = options.seconds or (1e9 if options.set == "full" else 150)
        cpu = options.cpu or str(max(os.sched_getaffinity(0)))
        self.pin = ["taskset", "-c", cpu] if shutil.which("taskset") else []
        self.env = dict(os.environ, GC_MARKERS="1")
        self.samples = {}   # (args, peer) -> {key: [values]}
        self.failures = []
        self.started = time.time()

    def peers_of(self, row, round_):
        names = [US, self.python, *row.peers]
        if row.others and round_ == 0:
            names += self.older
        return [n for n in names if n in self.peers]

    def jobs_of(self, round_):
        """Each process once, though it may answer several rows."""
        jobs = {}
        for row in self.rows:
            for peer in self.peers_of(row, round_):
                jobs[row.args, peer] = row
        return jobs

    def progress(self, round_, done, total, what):
        if sys.stderr.isatty() or done == total or done % 20 == 1:
            end = "\r" if sys.stderr.isatty() else "\n"
            seconds = time.time() - self.started
            text = f"bench: round {round_ + 1}/{self.rounds}  {done}/{total}  {seconds:.0f} s  {what}"
            print(f"{text:<78.78}", end=end, file=sys.stderr, flush=True)

    def run(self):
        for round_ in range(self.rounds):
            spent = time.time() - self.started
            if round_ and spent + spent / round_ > self.limit:
                self.rounds = round_  # a busy machine: rather fewer rounds than a long wait
                break
            jobs = self.jobs_of(round_)
            for done, ((args, peer), row) in enumerate(jobs.items(), 1):
                self.progress(round_, done, len(jobs), f"{peer} {' '.join(map(str, args))}")
                self.measure(args, peer, row)
        print(" " * 78, end="\r", file=sys.stderr)

    def measure(self, args, peer, row):
        command = [*self.pin, os.path.join(self.options.peers, peer), *map(str, args),
                   str(row.samples), str(row.seconds)]
        try:
            done = subprocess.run(command, env=self.env, text=True, capture_output=True,
                                  timeout=600)
            problem = done.returncode and f"exit {done.returncode}: {done.stderr.strip()[-200:]}"
        except subprocess.TimeoutExpired:
            problem = "no end after 600 s"
        if problem:
            text = f"{peer} {' '.join(map(str, args))}: {problem}"
            if text not in self.failures:
                self.failures.append(text)
            return
        found = self.samples.setdefault((args, peer), {})
        for line in done.stdout.splitlines():
            key, *values = line.split()
            found.setdefault(key, []).extend(float(v) for v in values)

    # ---- results ---------------------------------------------------------------------

    def figure(self, row, peer):
        """(least, median) in the row's unit, or None."""
        found = self.samples.get((row.args, peer), {})
        if row.key not in found:
            return None
        objects = found.get("objects", [row.n])[0]
        scale = objects * 1000 if row.unit == "us" else objects
        values = [v / scale for v in found[row.key]]
        return min(values), statistics.median(values)

    def evaluate(self, row):
        figures = {p: self.figure(row, p) for p in self.peers}
        row.result = {p: f for p, f in figures.items() if f}
        us, python = figures.get(US), figures.get(self.python)
        ratio = python[0] / us[0] if us and python and us[0] else None
        verdicts = []
        if row.must and ratio:
            verdicts.append(judge(ratio >= row.must, ratio >= row.aim))
        if row.most and us and row.unit == "bytes":
            verdicts.append(judge(us[0] <= row.most[0], us[0] <= row.most[1]))
        elif row.most and us and figures.get("mimalloc"):
            against = us[0] / figures["mimalloc"][0]
            verdicts.append(judge(against <= row.most[0], against <= row.most[1]))
        return ratio, min(verdicts, key=VERDICTS.index) if verdicts else ""


VERDICTS = ["MISSED", "must", "aim"]


def judge(must, aim):
    return "aim" if must and aim else "must" if must else "MISSED"


def number(value):
    if value is None:
        return "-"
    return f"{value:.0f}" if value >= 1000 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def promise(row):
    parts = []
    if row.must:
        parts.append(f"{row.must:g}x / {row.aim:g}x")
    if row.most:
        parts.append(f"<= {row.most[0]:g} / {row.most[1]:g}" +
                     ("" if row.unit == "bytes" else " mimalloc"))
    return ", ".join(parts)


def print_table(bench):
    columns = [US] + ([bench.python] if bench.python else []) + \
        [p for p in ("glibc", "mimalloc", "boehm") if p in bench.peers]
    tally = {}
    group = None
    for row in bench.rows:
        ratio, verdict = bench.evaluate(row)
        if verdict:
            tally[verdict] = tally.get(verdict, 0) + 1
        if row.group != group:
            group = row.group
            unit = ("each row its own" if row.args[0] == "pauses" else
                    "bytes" if row.unit == "bytes" else "ns per object")
            print(f"\n{group} ({unit})")
            print(f"  {'':44}" + "".join(f"{c:>13}" for c in columns) +
                  f"{'ratio':>8}  {'':7}must / aim")
        cells = "".join(f"{number((row.result.get(c) or [None])[0]):>13}" for c in columns)
        label = row.label + (" [us]" if row.unit == "us" else "")
        print(f"  {label:44}{cells}{f'{ratio:.1f}x' if ratio else '-':>8}"
              f"  {verdict:7}{promise(row)}")
    print_older(bench)
    print("\n" + ", ".join(f"{tally.get(v, 0)} {t}" for v, t in (
        ("aim", "rows reach their aim"), ("must", "only their must"), ("MISSED", "miss it"))))


def print_older(bench):
    listed = [r for r in bench.rows if r.others and r.key != "first"]
    if not bench.older or not listed:
        return
    versions = [*reversed([*bench.older, bench.python])]
    print("\nOther versions of CPython: their time or bytes over ours")
    print(f"  {'':62}" + "".join(f"{v:>14}" for v in versions))
    for row in listed:
        us = row.result.get(US)
        cells = [f"{row.result[v][0] / us[0]:.1f}x" if us and v in row.result else "-"
                 for v in versions]
        print(f"  {row.group + ': ' + row.label:62.62}" + "".join(f"{c:>14}" for c in cells))


def machine():
    model = ""
    try:
        with open("/proc/cpuinfo") as f:
            model = next((l.split(":", 1)[1].strip() for l in f if "model name" in l), "")
    except OSError:
        pass
    return {"cpu": model, "cores": os.cpu_count(), "system": platform.platform()}


def write_json(bench):
    table = []
    for row in bench.rows:
        ratio, verdict = bench.evaluate(row)
        table.append({"group": row.group, "label": row.label, "args": row.args, "key": row.key,
                      "unit": row.unit, "must": row.must, "aim": row.aim, "most": row.most,
                      "ratio": ratio, "verdict": verdict,
                      "peers": {p: {"min": f[0], "median": f[1]} for p, f in row.result.items()}})
    with open(bench.options.json, "w") as f:
        json.dump({"set": bench.options.set, "rounds": bench.rounds, "machine": machine(),
                   "seconds": round(time.time() - bench.started), "failures": bench.failures,
                   "rows": table}, f, indent=1)


def main():
    bench = Bench(parse_arguments())
    if bench.python is None:
        print("bench: no CPython that can be embedded was found: no ratios", file=sys.stderr)
    bench.run()
    m = machine()
    print(f"Ouroboros beside {', '.join(p for p in bench.peers if p != US)}")
    print(f"{m['cpu']}, {m['cores']} cores, {m['system']}; thread CPU time, least of "
          f"{bench.rounds} interleaved round{'s' * (bench.rounds > 1)}")
    print_table(bench)
    write_json(bench)
    print(f"{time.time() - bench.started:.0f} s; all figures and medians: "
          f"{os.path.relpath(bench.options.json)}")
    for failure in bench.failures:
        print(f"FAILED: {failure}")
    sys.exit(1 if bench.failures else 0)


main()
