#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run the peers side by side; print the table, write the JSON file and the plots.

Each process measures one thing. In every round each peer has its turn at each row, so
that a noisy minute hits all peers. The least of all samples counts; the median is recorded, too.
The exit status is 1 if a peer failed or found other objects than it must find.
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

import plot
import table
from rows import SETS, SLICES, UNITS, US, rows

HERE = os.path.dirname(os.path.abspath(__file__))
BUDGET = "250"  # microseconds: what "slices" stands for
ROUNDS = {"smoke": 1, "quick": 3, "full": 3}
LIMIT = {"smoke": 1e9, "quick": 150, "full": 1e9}


def parse_arguments():
    env = os.environ.get
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--peers", required=True, help="folder of the peers' executables")
    p.add_argument("--json", required=True, help="file for the results")
    p.add_argument("--plots", required=True, help="folder for the plots")
    p.add_argument("--compiler", default="", help="what the peers were built with")
    p.add_argument("--set", choices=tuple(SETS), default="quick")
    p.add_argument("--rounds", type=int, default=int(env("ROUNDS", 0)),
                   help="ROUNDS in the environment; 3 by default")
    p.add_argument("--seconds", type=float, default=float(env("BENCH_SECONDS", 0)),
                   help="BENCH_SECONDS in the environment: how long the run may take; after the "
                   "first round, work that would take longer is left out; 150 by default, no limit "
                   "for the full set")
    p.add_argument("--only", default=env("ONLY", ""), metavar="REGEX",
                   help="ONLY in the environment: rows whose 'group: label' matches")
    p.add_argument("--cpu", default=env("CPU", ""),
                   help="CPU in the environment: the core to run on, the last by default")
    return p.parse_args()


def version_of(peer):
    return tuple(int(x) for x in peer.split("-")[1].split("."))


class Bench:
    def __init__(self, options):
        self.options = options
        self.found = sorted(os.listdir(options.peers))
        pythons = sorted((p for p in self.found if p.startswith("cpython-")), key=version_of)
        self.python = pythons[-1] if pythons else None
        self.older = pythons[:-1]
        self.rows = [r for r in rows(options.set)
                     if re.search(options.only, f"{r.group}: {r.label}")]
        self.rounds = options.rounds or ROUNDS[options.set]
        self.limit = options.seconds or LIMIT[options.set]
        cpu = options.cpu or str(max(os.sched_getaffinity(0)))
        self.pin = ["taskset", "-c", cpu] if shutil.which("taskset") else []
        self.samples = {}   # (args, peer) -> {key: [values]}
        self.cost = {}      # args -> seconds that all peers together took
        self.failures = []
        self.said = None    # the progress that was printed last
        self.started = time.time()

    def peers_of(self, row, round_):
        names = [US, self.python, *row.peers]
        if row.others and round_ == 0:
            names += self.older
        return [n for n in names if (US if n == SLICES else n) in self.found]

    def jobs_of(self, round_):
        """args -> (a row, peers): each process once, though its results may serve several rows.
        Later rounds begin with the cheapest, to use the remaining time best."""
        jobs = {}
        for row in self.rows:
            if round_ < row.rounds:
                peers = jobs.setdefault(row.args, (row, []))[1]
                peers += [p for p in self.peers_of(row, round_) if p not in peers]
        return dict(sorted(jobs.items(), key=lambda job: self.cost.get(job[0], 0)))

    def progress(self, round_, done, total, what):
        seconds = time.time() - self.started
        text = f"bench: round {round_ + 1}/{self.rounds}  {done}/{total}  {seconds:.0f} s  {what}"
        if sys.stderr.isatty():
            print(f"\r{text:<78.78}", end="", file=sys.stderr, flush=True)
        elif done % 20 == 1 and self.said != (round_, done):
            self.said = round_, done
            print(text, file=sys.stderr, flush=True)

    def run(self):
        try:
            self.run_rounds()
        except KeyboardInterrupt:  # what was measured is shown all the same
            self.failures.append("interrupted: rows are missing")
        if sys.stderr.isatty():
            print("\r" + " " * 78, end="\r", file=sys.stderr, flush=True)

    def run_rounds(self):
        for round_ in range(self.rounds):
            jobs = self.jobs_of(round_)
            for done, (args, (row, peers)) in enumerate(jobs.items(), 1):
                begin = time.time()
                if round_ and begin - self.started + self.cost[args] > self.limit:
                    continue
                for peer in peers:
                    self.progress(round_, done, len(jobs), f"{peer} {' '.join(map(str, args))}")
                    self.measure(args, peer, row)
                if round_ == 0:
                    self.cost[args] = time.time() - begin

    def measure(self, args, peer, row):
        program = os.path.join(self.options.peers, US if peer == SLICES else peer)
        command = [*self.pin, program, *map(str, args), str(row.samples), str(row.seconds)]
        env = dict(os.environ, GC_MARKERS="1", OURO_PAUSE_BUDGET=BUDGET if peer == SLICES else "0")
        try:
            done = subprocess.run(command, env=env, text=True, capture_output=True, cwd=HERE,
                                  timeout=900)
            problem = done.returncode and f"exit {done.returncode}: {done.stderr.strip()[-200:]}"
        except subprocess.TimeoutExpired:
            problem = "no end after 900 s"
        if problem:
            text = f"{peer} {' '.join(map(str, args))}: {problem}"
            if text not in self.failures:
                self.failures.append(text)
            return
        found = self.samples.setdefault((args, peer), {})
        for line in done.stdout.splitlines():
            key, *values = line.split()
            found.setdefault(key, []).append([float(v) for v in values])

    # ---- results ---------------------------------------------------------------------

    def figure(self, row, peer):
        """The samples in the row's unit, with the least and the median; or None."""
        found = self.samples.get((row.args, peer), {})
        if row.key not in found:
            return None
        scale, per_object, _ = UNITS[row.unit]
        if per_object:
            scale *= found["objects"][0][0] if "objects" in found else float(row.args[2])
        values = [float(f"{v / scale:.5g}") for line in found[row.key] for v in line]
        values.sort()
        # The clock is wrong now and then, and the least of many samples would be a wrong one. So
        # one sample in a thousand is left out.
        return {"min": values[len(values) // 1000], "max": values[-1],
                "median": statistics.median(values), "samples": values}

    def row_result(self, row):
        peers = [*self.peers_of(row, 0)]
        figures = {p: self.figure(row, p) for p in peers}
        return {"letter": row.letter, "group": row.group, "label": row.label,
                "args": row.args, "key": row.key, "unit": row.unit,
                "more_is_better": row.more_is_better, "is_compared": row.is_compared,
                "promises": [vars(p) for p in row.promises],
                "peers": {p: f for p, f in figures.items() if f}}

    def histograms(self):
        """The pauses of each program that reports them, summed over all its processes."""
        result = {}
        for (args, peer), found in self.samples.items():
            if "histogram" in found:
                one = result.setdefault(args, {"args": args, "peers": {}})
                one["runs"] = len(found["histogram"])
                one["peers"][peer] = [sum(c) for c in zip(*found["histogram"])]
        return list(result.values())

    def results(self):
        result = {
            "set": self.options.set, "command": command_line(self.options),
            "commit": commit(), "date": time.strftime("%Y-%m-%d"),
            "machine": machine(), "compiler": self.options.compiler,
            "rounds": self.rounds, "seconds": round(time.time() - self.started),
            "cpython": self.python, "older": self.older,
            "versions": {p: self.version(p) for p in self.found},
            "failures": self.failures,
            "rows": [self.row_result(r) for r in self.rows],
            "histograms": self.histograms(),
        }
        for row in result["rows"]:
            row["ratio"], row["verdict"] = table.judge(row, self.python)
        return result

    def version(self, peer):
        return subprocess.run([os.path.join(self.options.peers, peer), "version"], text=True,
                              capture_output=True).stdout.strip()


def command_line(options):
    """How to call make for the same run."""
    words = [f"make bench{'-full' if options.set == 'full' else ''}"]
    for name in ("PYTHONS", "ONLY", "ROUNDS", "BENCH_SECONDS", "CPU"):
        if os.environ.get(name):
            words.append(f"{name}='{os.environ[name]}'")
    return " ".join(words)


def commit():
    try:
        said = subprocess.run(["git", "describe", "--always", "--dirty", "--exclude", "*"],
                              text=True, capture_output=True, cwd=HERE)
        return said.stdout.strip()
    except OSError:
        return ""


def machine():
    model = ""
    try:
        with open("/proc/cpuinfo") as f:
            model = next((l.split(":", 1)[1].strip() for l in f if "model name" in l), "")
    except OSError:
        pass
    return {"cpu": model, "cores": os.cpu_count(), "system": platform.platform(),
            "load": [round(x, 1) for x in os.getloadavg()]}


def main():
    bench = Bench(parse_arguments())
    if bench.python is None:
        print("bench: no CPython that can be embedded was found: no ratios", file=sys.stderr)
    bench.run()
    results = bench.results()
    with open(bench.options.json, "w") as f:
        json.dump(results, f, indent=1)
    print(table.text(results))
    plots = plot.write_all(results, bench.options.plots)
    print(f"{results['seconds']} s; all samples: {os.path.relpath(bench.options.json)}; "
          f"plots: {', '.join(os.path.relpath(p) for p in plots)}")
    for failure in bench.failures:
        print(f"FAILED: {failure}")
    sys.exit(1 if bench.failures else 0)


if __name__ == "__main__":
    main()
