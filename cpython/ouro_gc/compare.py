# SPDX-License-Identifier: MIT
"""--compare: run the same program without and with ouro_gc, each in a process of its own.

Both processes time collections through gc.callbacks, from the first "start" callback to the
last "stop" callback, so that both are timed in the same way. The times are CPU times. The longest
pause is wall clock time, as a user notices it.
"""

import gc
import json
import os
import subprocess
import sys
import tempfile
import time

from . import launch

ROWS = [
    # key, title, unit, digits
    ("total", "total CPU time", "s", 3),
    ("collections", "collections", "", 0),
    ("full", "of these full", "", 0),
    ("cpu", "CPU time in collections", "s", 3),
    ("longest", "longest pause", "ms", 2),
    ("peak", "peak memory", "MiB", 1),
]


# --- in the child -----------------------------------------------------------------------------


class Watch:
    """Times collections; its two methods enclose all other callbacks."""

    def __init__(self):
        self.cpu = self.longest = 0.0
        self.collections = self.full = 0
        self.cpu_start = self.wall_start = None

    def first(self, phase, info):
        if phase == "start":
            self.wall_start, self.cpu_start = time.perf_counter(), time.thread_time()

    def last(self, phase, info):
        if phase == "stop" and self.cpu_start is not None:
            self.cpu += time.thread_time() - self.cpu_start
            self.longest = max(self.longest, time.perf_counter() - self.wall_start)
            self.collections += 1
            self.full += info["generation"] == 2
            self.cpu_start = None


def peak_memory():
    with open("/proc/self/status", encoding="ascii") as file:
        for line in file:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return 0.0


def write_result(watch, path):
    result = {"total": time.process_time(), "collections": watch.collections,
              "full": watch.full, "cpu": watch.cpu, "longest": watch.longest * 1e3,
              "peak": peak_memory()}
    with open(path, "w", encoding="ascii") as file:
        json.dump(result, file)


def child(mode, path, budget, words):
    """Run the program and write the measured values, however it ends."""
    import atexit

    watch = Watch()
    if mode == "ouro_gc":
        import ouro_gc
        ouro_gc.enable(untested=True, pause_budget_us=budget)
    gc.callbacks.insert(0, watch.first)
    gc.callbacks.append(watch.last)
    atexit.register(write_result, watch, path)
    is_module = words[0] == "-m"
    words = words[is_module:]
    launch.run_as_main(launch.Program(words[0], is_module, words[1:]))


# --- in the parent ----------------------------------------------------------------------------


def measure(mode, program, folder, budget):
    """One run; its figures, or None if there are none."""
    path = os.path.join(folder, "result.json")
    code = ("import sys; from ouro_gc import compare; "
            "compare.child(sys.argv[1], sys.argv[2], float(sys.argv[3]), sys.argv[4:])")
    command = [sys.executable, "-c", code, mode, path, str(budget)] + program.words()
    status = subprocess.call(command, stdout=sys.stderr)
    if status != 0:
        print("ouro_gc: the program ended with status %d" % status, file=sys.stderr)
    try:
        with open(path, encoding="ascii") as file:
            result = json.load(file)
    except (OSError, ValueError):
        return None
    os.remove(path)
    return result


def least(results):
    return {key: min(result[key] for result in results) for key in results[0]}


def format_row(title, unit, digits, old, new):
    ratio = "%.2f" % (new / old) if old else "-"
    return "%-26s %12.*f %12.*f %8s  %s" % (title, digits, old, digits, new, ratio, unit)


def print_table(old, new):
    print("%-26s %12s %12s %8s" % ("", "CPython", "ouro_gc", "ratio"))
    for key, title, unit, digits in ROWS:
        print(format_row(title, unit, digits, old[key], new[key]))


def run(program, rounds, untested, budget):
    import ouro_gc
    try:
        ouro_gc.enable(untested=untested, pause_budget_us=budget)
    except (RuntimeError, ValueError) as error:
        print("ouro_gc: %s" % error, file=sys.stderr)
        return 2
    ouro_gc.disable()
    results = {"CPython": [], "ouro_gc": []}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rounds):
            for mode in results:
                print("ouro_gc: round %d of %d, %s" % (number + 1, rounds, mode),
                      file=sys.stderr)
                result = measure(mode, program, folder, budget)
                if result is None:
                    print("ouro_gc: the program ended without reporting its times; "
                          "it must not end by os._exit() or a signal", file=sys.stderr)
                    return 1
                results[mode].append(result)
    print_table(least(results["CPython"]), least(results["ouro_gc"]))
    return 0
