#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check the tests: seed one bug after the other, and check that a test notices it.

tests/mutants/README.md describes the entries. The script builds each bug in a copy of the tree, on
the debug build, where only one file is compiled again. Then it runs the tests that the entry names,
and all other tests if those pass. The exit status is 1 unless every bug was caught.

    tools/mutants.py [--check] [--quick] [--jobs N] [TEXT ...]

--check only says whether all entries still apply. --quick runs only the tests that the entries
name. TEXT picks the entries with the text in their name, file or tests. From the environment:
BUILD, MAKE, CC.
"""

import argparse
import os
import pathlib
import queue
import re
import shutil
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
COPIED = ["Makefile", "src", "include", "tests", "examples"]
SECONDS = 1800  # a test that hangs fails long before that


class Mutant:
    def __init__(self, name, place):
        self.name = name
        self.place = place
        self.file = None
        self.tests = []
        self.hunks = []  # (old lines, new lines)

    def matches(self, texts):
        where = " ".join([self.name, self.file, *self.tests])
        return not texts or any(text in where for text in texts)

    def applied_to(self, text):
        """The text with the bug in it; ValueError when the entry does not fit."""
        for old, new in self.hunks:
            words = " ".join(old).split()
            pattern = r"\s*".join(
                re.escape(token) for word in words for token in re.split(r"(?<=[{}();])|(?=[{}();])", word) if token
            )
            found = list(re.finditer(pattern, text))
            if len(found) != 1:
                raise ValueError(f"{len(found)} places in {self.file} fit: {' '.join(words)}")
            start, end = found[0].span()
            text = text[:start] + "\n".join(new) + text[end:]
        return text


def read_mutants():
    mutants = []
    verdicts = ROOT / "tests" / "mutants" / "verdicts.txt"  # of tools/mutants-random.py
    for path in sorted(set((ROOT / "tests" / "mutants").glob("*.txt")) - {verdicts}):
        previous = ""
        for number, line in enumerate(path.read_text().splitlines(), 1):
            kind, _, rest = line.partition(" ")
            rest = rest.strip()
            if kind == "mutant":
                mutants.append(Mutant(rest, f"{path.relative_to(ROOT)}:{number}"))
            elif kind == "file":
                mutants[-1].file = rest
            elif kind == "tests":
                mutants[-1].tests = rest.split()
            elif kind == "-":
                if previous != "-":
                    mutants[-1].hunks.append(([], []))
                mutants[-1].hunks[-1][0].append(rest)
            elif kind == "+":
                mutants[-1].hunks[-1][1].append(rest)
            elif line and not line.startswith("#"):
                sys.exit(f"{path}:{number}: what is this? {line}")
            previous = kind
    return mutants


def check(mutants):
    stale = 0
    names = set()
    for mutant in mutants:
        try:
            if mutant.name in names:
                raise ValueError("its name is taken")
            names.add(mutant.name)
            mutant.applied_to((ROOT / mutant.file).read_text())
        except (ValueError, OSError) as error:
            stale += 1
            print(f"{mutant.place}: {mutant.name}: {error}")
    return stale


class Tree:
    """A copy of the sources, with its own debug build."""

    def __init__(self, path, make, quick):
        self.path = path
        self.make = make
        self.quick = quick

    def fill(self, source, names):
        shutil.rmtree(self.path, ignore_errors=True)
        self.path.mkdir(parents=True)
        for name in names:
            if (source / name).is_dir():
                shutil.copytree(source / name, self.path / name)
            else:
                shutil.copy2(source / name, self.path / name)

    def run(self, command):
        """Status and output; None as the status when time is up."""
        environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "BUILD", "FILTER")}
        process = subprocess.Popen(
            command, cwd=self.path, env=environment, text=True, errors="replace",
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )
        try:
            output, _ = process.communicate(timeout=SECONDS)
            return process.returncode, output
        except subprocess.TimeoutExpired:
            process.terminate()  # the runner kills its tests
            output, _ = process.communicate()
            return None, output

    def build(self, jobs):
        status, output = self.run([*self.make, f"-j{jobs}", "VARIANT=debug", "tests"])
        if status != 0:
            errors = [line for line in output.splitlines() if "error" in line]
            raise RuntimeError("does not build: " + (errors or ["?"])[0])

    def judge(self, mutant):
        """What notices the bug; None when nothing does."""
        self.build(1)
        tests = ["build/debug/tests", "-x", "--jobs", "1"]
        for filters in [mutant.tests] if self.quick else [mutant.tests, []]:
            status, output = self.run([*tests, *filters])
            failed = re.search(r"^FAIL (\S+)", output, re.MULTILINE)
            if failed:
                return failed.group(1).rstrip(":")
            if status is None:
                raise RuntimeError("the tests take too long")
            if status != 0:
                raise RuntimeError("no test ran: " + output.strip()[-200:])
        return None

    def try_out(self, mutant):
        source = self.path / mutant.file
        text = source.read_text()
        times = os.stat(source)
        built = self.path / "build" / "debug" / "obj" / pathlib.Path(mutant.file).with_suffix(".o")
        saved = built.with_suffix(".saved")
        is_unit = source.suffix == ".c"
        if is_unit:
            shutil.copy2(built, saved)
        source.write_text(mutant.applied_to(text))
        try:
            return self.judge(mutant)
        finally:
            source.write_text(text)
            if is_unit:  # nothing has to be built again
                os.utime(source, ns=(times.st_atime_ns, times.st_mtime_ns))
                os.replace(saved, built)


class Report:
    def __init__(self, total):
        self.lock = threading.Lock()
        self.total = total
        self.done = self.caught = self.survived = self.broken = 0

    def add(self, word, mutant, text):
        with self.lock:
            self.done += 1
            print(f"[{self.done}/{self.total}] {word} {mutant.name}: {text}", flush=True)


def work(tree, waiting, report):
    while True:
        try:
            mutant = waiting.get_nowait()
        except queue.Empty:
            return
        started = time.monotonic()
        try:
            noticed_by = tree.try_out(mutant)
        except (RuntimeError, ValueError, OSError) as error:
            report.broken += 1
            report.add("ERROR   ", mutant, f"{error} ({mutant.place})")
            continue
        seconds = time.monotonic() - started
        if noticed_by is not None:
            report.caught += 1
            report.add("caught  ", mutant, f"{noticed_by} ({seconds:.0f} s)")
        else:
            report.survived += 1
            report.add("SURVIVED", mutant, f"{mutant.place} ({seconds:.0f} s)")


def make_trees(count, quick):
    make = os.environ.get("MAKE", "make").split()
    if os.environ.get("CC"):
        make.append("CC=" + os.environ["CC"])
    folder = ROOT / os.environ.get("BUILD", "build") / "mutants"
    trees = [Tree(folder / str(number), make, quick) for number in range(count)]
    trees[0].fill(ROOT, COPIED)
    trees[0].build(count)
    for tree in trees[1:]:
        tree.fill(trees[0].path, [*COPIED, "build"])
    return folder, trees


def run(mutants, jobs, quick):
    folder, trees = make_trees(min(jobs, len(mutants)), quick)
    waiting = queue.Queue()
    for mutant in mutants:
        waiting.put(mutant)
    report = Report(len(mutants))
    workers = [threading.Thread(target=work, args=(tree, waiting, report)) for tree in trees]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    shutil.rmtree(folder)
    print(f"{report.total} mutants, {report.caught} caught, {report.survived} survived"
          + (f", {report.broken} broken" if report.broken else ""))
    return 0 if report.caught == report.total else 1


def main():
    parser = argparse.ArgumentParser(description="Seed bugs, and see that the tests notice.")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("texts", nargs="*")
    options = parser.parse_args()
    mutants = [m for m in read_mutants() if m.matches(options.texts)]
    if not mutants:
        parser.error("no mutant has this text: " + " ".join(options.texts))
    stale = check(mutants)
    if stale:
        print(f"{stale} of {len(mutants)} mutants do not apply")
        return 1
    if options.check:
        print(f"{len(mutants)} mutants apply")
        return 0
    return run(mutants, options.jobs, options.quick)


if __name__ == "__main__":
    sys.exit(main())
