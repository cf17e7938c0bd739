#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Generate bugs, and check that the tests notice each of them.

Every place of the core where one of these changes applies is a mutant:

    negate     if (c)          becomes  if (!(c))
    compare    a < b           becomes  a <= b, and so on; == and != change places
    logic      a && b          becomes  a || b, and the reverse
    constant   n               becomes  n + 1
    drop       a statement     is gone
    swap       f(a, b)         becomes  f(b, a), where both have one type

All mutants are compiled into one debug build. OURO_MUTANT=n switches one of them on. A first run
of each test notes which mutants the test reaches. A mutant is tried with the tests that reach it,
beginning with those that reach the fewest mutants. The mutant is killed when a test fails.

    tools/mutants-random.py [--seconds N] [--seed N] [--jobs N] [--again] [--list] [TEXT ...]

The seed decides the order. TEXT picks mutants by key, file, function, or the changed code.

tests/mutants/verdicts.txt has the known verdicts. Mutants with a verdict are not tried again,
unless --again is given. New results are added to the file. A mutant that no test notices gets the
verdict "survived": somebody must find out why, and add a test, or change the word to "equivalent"
and say why. The exit status is 1 while there are survivors. A mutant is identified by its file,
function, text, and number among equal mutants of the function, so verdicts stay valid when other
code changes. From the environment: BUILD, MAKE, CC.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
VERDICTS = ROOT / "tests" / "mutants" / "verdicts.txt"
FOLDERS = ["base", "platform", "heap", "thread", "object", "collector", "types"]
COPIED = ["Makefile", "src", "include", "tests", "examples"]
FEW_TESTS = 25       # tried first
MOST_SECONDS = 60.0  # of tests for one mutant, measured without the mutant
SLOW_SECONDS = 1.0   # tests that take longer come last
SWAPPED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
# Statements that do nothing in the debug build, or only make it faster.
SILENT = re.compile(r"OURO_ASSERT|OURO_VERIFY|ouro_sanitize_|ouro_event_|__builtin_prefetch|\(void\)")
KEYWORDS = re.compile(r"(break|continue|goto|case|default|else|do|static|typedef|extern|_Static_assert|static_assert"
                      r"|va_\w+|__asm__)\b")
DECLARATION = re.compile(r"(const |struct |enum |unsigned |signed |long |union )"
                         r"|\w+\s+\**\w+\s*([=;,\[]|$)|\w+\s*\*+\s*\w+\s*([=;,\[]|$)")


class Mutant:
    def __init__(self, file, line, function, kind, before, after):
        self.file, self.line, self.function, self.kind = file, line, function, kind
        self.before, self.after = " ".join(before.split()), " ".join(after.split())
        self.number = None
        self.key = None
        self.tests = []

    def __str__(self):
        return f"{self.file}:{self.line} {self.function}: {self.kind}: {self.before}  ->  {self.after or '(nothing)'}"


# ---- finding places ------------------------------------------------------------------------

def mask(text):
    """The text, with spaces in place of comments, strings and characters."""
    pattern = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    return re.sub(pattern, lambda m: re.sub(r"[^\n]", "\x01", m.group()), text, flags=re.DOTALL)


def closing(masked, start):
    """The position of the bracket that closes the one at `start`."""
    depth = 0
    for i in range(start, len(masked)):
        depth += masked[i] in "([{"
        depth -= masked[i] in ")]}"
        if depth == 0:
            return i
    return len(masked)


def variants(text, masked, negates):
    """(kind, new text) for each way to break the expression."""
    found = [("negate", f"!({text})")] if negates else []
    operators = re.findall(r"&&|\|\|", masked)
    for m in re.finditer(r"(?<![<>=!\-+*/&|^%])(<=|>=|==|!=|<|>)(?![<>=])", masked):
        if masked[max(0, m.start() - 1)] == "-" or masked[m.start() - 1 : m.start()] != " ":
            continue  # -> and the like
        if m.group() in ("==", "!=") and negates and not operators:
            continue  # the same as "negate"
        found.append(("compare", text[: m.start()] + SWAPPED[m.group()] + text[m.end():]))
    for m in re.finditer(r"&&|\|\|", masked):
        found.append(("logic", text[: m.start()] + ("||" if m.group() == "&&" else "&&") + text[m.end():]))
    for m in re.finditer(r"(?<![\w.])(?<!\de-)\d+(?![\w.])", masked):  # not the end of 1e-9
        found.append(("constant", text[: m.start()] + f"({m.group()} + 1)" + text[m.end():]))
    for m in re.finditer(r"\b(\w+)\((?:[\w>.\-]+, )*?([\w>.\-]+), ([\w>.\-]+)(?=[,)])", masked):
        if m.group(1) in ("sizeof", "offsetof", "if", "while", "return") or m.group(2) == m.group(3):
            continue
        if re.fullmatch(r"\d+|NULL|true|false", m.group(2)) and re.fullmatch(r"\d+|NULL|true|false", m.group(3)):
            continue
        new = text[: m.start(2)] + text[m.start(3): m.end(3)] + ", " + text[m.start(2): m.end(2)] + text[m.end(3):]
        found.append(("swap " + m.group(2) + " " + m.group(3), new))
    return found


class Source:
    """One file, and its mutants."""

    def __init__(self, name, text):
        self.name, self.text, self.masked = name, text, mask(text)
        self.edits = []  # (start, end, prefix, [mutants], function from their parts to text)

    def add(self, start, end, negates, function, form):
        text, masked = self.text[start:end], self.masked[start:end]
        if "{" in masked or "#" in masked or not text.strip():
            return
        found = variants(text, masked, negates)
        if form == "statement":
            found.insert(0, ("drop", ""))
        if found:
            line = self.text.count("\n", 0, start) + 1
            mutants = [Mutant(self.name, line, function, kind, text, new) for kind, new in found]
            self.edits.append((start, end, form, mutants))

    def scan(self):
        for m in re.finditer(r"^\{\n(.*?)^\}", self.masked, re.DOTALL | re.MULTILINE):
            head = re.findall(r"^(\w+)\(", self.masked[: m.start()], re.MULTILINE)
            self.scan_body(m.start(1), m.end(1), head[-1] if head else "?")

    def scan_body(self, start, end, function):
        masked = self.masked
        for m in re.finditer(r"\b(if|while|for) \(", masked[start:end]):
            opened = start + m.end() - 1
            closed = closing(masked, opened)
            if m.group(1) == "for":
                parts = masked[opened + 1: closed].split(";")
                if len(parts) == 3:
                    begin = opened + 1 + len(parts[0]) + 1
                    self.add(begin, begin + len(parts[1]), False, function, "condition")
            else:
                self.add(opened + 1, closed, m.group(1) == "if", function, "condition")
        at = start
        while at < end:
            m = re.compile(r"[\s\x01]*").match(masked, at)
            at = m.end()
            stop = at
            while stop < end and masked[stop] not in ";{}":
                stop = closing(masked, stop) + 1 if masked[stop] in "([" else stop + 1
            if stop < end and masked[stop] == ";":
                self.scan_statement(at, stop, function)
            at = stop + 1

    def scan_statement(self, start, end, function):
        masked = self.masked[start:end]
        if KEYWORDS.match(masked) or SILENT.match(masked) or re.match(r"\w+:", masked):
            return
        if masked.startswith("return"):
            if masked[6:].strip() and not re.fullmatch(r"\s*(NULL|\d+|-1|true|false)", masked[6:]):
                self.add(start + 7, end, False, function, "value")
        elif DECLARATION.match(masked):
            equals = re.search(r"[^=!<>]=(?!=)", masked)
            if equals and masked.count(",") == masked[equals.end():].count(","):
                self.add(start + equals.end(), end, False, function, "value")
        elif not masked.startswith("while"):
            self.add(start, end, False, function, "statement")

    def with_bugs(self, dropped):
        """The text with every mutant that has a number and is not dropped."""
        text = self.text
        for start, end, form, mutants in sorted(self.edits, key=lambda e: -e[0]):
            chosen = [m for m in mutants if m.number is not None and m.number not in dropped]
            if any(s < start and end <= e for s, e, _, ms in self.edits if ms is not mutants):
                chosen = []  # inside another mutant
            if chosen:
                text = text[:start] + put_in(self.text[start:end], form, chosen) + text[end:]
        head = f'#include "{"../" * (self.name.count("/") - 1)}base/switch.h"\n#line 1\n'
        return head + text


def put_in(text, form, mutants):
    parts = []
    for m in mutants:
        asked = f"ouro_mutant({m.number})"
        if m.kind.startswith("swap"):
            _, a, b = m.kind.split(" ")
            asked = f"__builtin_types_compatible_p(__typeof__({a}), __typeof__({b})) && {asked}"
        parts.append((asked, m.after))
    if form == "statement":
        return "".join(f"if ({asked}) {{ {new}; }} else " for asked, new in parts) + "{ " + text + "; }"
    return "(" + "".join(f"({asked}) ? ({new}) : " for asked, new in parts) + "(" + text + "))"


def read_sources():
    sources = []
    for folder in FOLDERS:
        for path in sorted((ROOT / "src" / folder).glob("*.[ch]")):
            name = str(path.relative_to(ROOT))
            source = Source(name, path.read_text())
            source.scan()
            sources.append(source)
    return sources


def name_mutants(sources):
    """All mutants, with keys that stay the same when other code changes."""
    seen, mutants = {}, []
    for source in sources:
        for _, _, _, group in sorted(source.edits, key=lambda e: e[0]):
            for m in group:
                words = "\0".join([m.file, m.function, m.kind, m.before, m.after])
                seen[words] = seen.get(words, 0) + 1
                m.key = hashlib.sha256(f"{words}\0{seen[words]}".encode()).hexdigest()[:12]
                m.number = len(mutants)
                mutants.append(m)
    return mutants


def files_to_copy():
    for name in COPIED:
        path = ROOT / name
        yield from (p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]


def write_if_new(path, text):
    """Write the file only if its text differs, so that make does not rebuild it in vain."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(errors="surrogateescape") != text:
        path.write_text(text, errors="surrogateescape")


# ---- building ---------------------------------------------------------------------------------

class Build:
    def __init__(self):
        self.path = ROOT / os.environ.get("BUILD", "build") / "mutants-random"
        self.runner = self.path / "build" / "debug" / "tests"
        self.reach = self.path / "reach.json"
        self.broken = self.path / "broken.txt"  # keys of mutants that did not compile

    def make(self, sources, mutants, jobs):
        """The mutants that compile. Objects of the last run are used where nothing changed."""
        self.path.mkdir(parents=True, exist_ok=True)
        with_bugs = {source.name for source in sources}
        wanted = {str(path.relative_to(ROOT)) for path in files_to_copy()}
        for old in [p for folder in ("src", "tests") for p in (self.path / folder).rglob("*.[ch]")]:
            if str(old.relative_to(self.path)) not in wanted | {"src/base/switch.c", "src/base/switch.h"}:
                old.unlink()
        for name in wanted - with_bugs:
            write_if_new(self.path / name, (ROOT / name).read_text(errors="surrogateescape"))
        for name in ("switch.c", "switch.h"):
            write_if_new(self.path / "src" / "base" / name, (ROOT / "tests" / "mutants" / name).read_text())
        broken = set(self.broken.read_text().split()) if self.broken.exists() else set()
        dropped = {m.number for m in mutants if m.key in broken}
        while True:
            for source in sources:
                write_if_new(self.path / source.name, source.with_bugs(dropped))
            bad = self.errors(jobs, "build/debug/libouroboros.a") or self.errors(jobs, "tests")
            if bad is None:
                self.broken.write_text("\n".join(m.key for m in mutants if m.number in dropped))
                return [m for m in mutants if m.number not in dropped]
            worse = {m.number for s in sources for start, end, _, group in s.edits for m in group
                     if any(f == s.name and m.line <= n <= m.line + s.text.count("\n", start, end) for f, n in bad)}
            if worse <= dropped:
                sys.exit(f"mutants-random: these lines do not compile: {sorted(bad)[:5]}")
            # Arguments of two types are the usual reason. Other mutants of the line are kept at first.
            swaps = {m.number for m in mutants if m.number in worse - dropped and m.kind.startswith("swap")}
            dropped |= swaps or worse

    def digests(self):
        """Hashes of the compiled sources: by name for those that only have tests, and "" for all others."""
        own, others = {}, hashlib.sha256()
        for path in sorted(p for folder in ("src", "include", "tests") for p in (self.path / folder).rglob("*.[ch]")):
            test = re.fullmatch(r"tests/(\w+)/test_(\w+)\.c", str(path.relative_to(self.path)))
            if test:
                own["/".join(test.groups())] = hashlib.sha256(path.read_bytes()).hexdigest()
            else:
                others.update(path.read_bytes() + b"\0")
        return {**own, "": others.hexdigest()}

    def errors(self, jobs, goal):
        """Places of errors; None when all compiles."""
        make = os.environ.get("MAKE", "make").split()
        variables = ["VARIANT=debug", "CFLAGS=-w", f"CC={os.environ.get('CC') or 'cc'}"]
        environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "BUILD", "FILTER")}
        done = subprocess.run([*make, "-k", f"-j{jobs}", *variables, goal], cwd=self.path, env=environment,
                              text=True, errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode == 0:
            return None
        # If the error is in a macro of a public header, a note after it names the place of its use.
        found = re.findall(r"^(src/\S+?\.[ch]):(\d+):\d+: (?:error|note: in (?:expansion|definition))", done.stdout,
                           re.MULTILINE)
        if not found:
            sys.exit(done.stdout[-2000:])
        return {(os.path.normpath(file), int(line)) for file, line in found}


# ---- which tests reach which -----------------------------------------------------------------

def measure_test(build, test, count, folder):
    path = pathlib.Path(folder) / hashlib.md5(test.encode()).hexdigest()
    path.write_bytes(b"\0" * (count + 1))
    environment = {**os.environ, "OURO_MUTANT_REACH": str(path)}
    started = time.monotonic()
    subprocess.run([str(build.runner), "--jobs", "1", test], env=environment, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, cwd=build.path)
    seconds = time.monotonic() - started
    reached = [i for i, byte in enumerate(path.read_bytes()[:count]) if byte]
    path.unlink()
    return test, seconds, reached


def measure_all(build, count, jobs):
    """[(test, seconds, numbers that it reaches)]. A test is measured once for the same sources."""
    digests = build.digests()
    known = json.loads(build.reach.read_text()) if build.reach.exists() else {}
    before = known.get("digests", {})
    same = {name for name in digests if before.get("") == digests[""] and before.get(name) == digests[name]}
    found = {done[0]: done for done in known.get("found", []) if done[0].split(".")[0] in same}
    listed = subprocess.run([str(build.runner), "--list"], text=True, capture_output=True, check=True).stdout.split()
    missing = [test for test in listed if test not in found]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        found.update((done[0], done) for done in pool.map(lambda t: measure_test(build, t, count, folder), missing))
    found = [found[test] for test in listed]
    build.reach.write_text(json.dumps({"digests": digests, "found": found}))
    return found


def measure_reach(build, mutants, count, jobs):
    by_number = {m.number: m for m in mutants}
    for test, seconds, reached in measure_all(build, count, jobs):
        for number in reached:
            if number in by_number:
                by_number[number].tests.append((len(reached), seconds, test))


# ---- trying -------------------------------------------------------------------------------------

def folder_first(mutant):
    """Slow tests come last. Of the others, tests that mirror the file come first, then those of its folder, then
    those that reach few mutants, then the quick ones."""
    folder = mutant.file.split("/")[1] + "/"
    names = tuple(folder + pathlib.Path(mutant.file).stem + end for end in "._")
    return sorted(mutant.tests, key=lambda t: (t[1] > SLOW_SECONDS, not t[2].startswith(names),
                                               not t[2].startswith(folder), t[0], t[1]))


def run_tests(build, mutant, tests):
    """The test that fails; None when none does."""
    names = [test for _, _, test in tests]
    limit = 20 + 10 * sum(seconds for _, seconds, _ in tests)
    # On a busy machine a slow test may take longer than it should; that is no bug.
    environment = {**os.environ, "OURO_MUTANT": str(mutant.number), "OURO_TEST_TIMEOUT": "10"}
    process = subprocess.Popen([str(build.runner), "-x", "--jobs", "1", *names], env=environment, cwd=build.path,
                               text=True, errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        output, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        process.terminate()
        process.communicate()
        return "(hangs)"
    failed = re.search(r"^FAIL (\S+)", output, re.MULTILINE)
    if failed:
        return failed.group(1).rstrip(":")
    return None if process.returncode == 0 else "(the runner)"


def try_out(build, mutant):
    tests = folder_first(mutant)
    seconds, count = 0.0, 0
    while count < len(tests) and seconds < MOST_SECONDS:
        seconds += tests[count][1]
        count += 1
    return run_tests(build, mutant, tests[:FEW_TESTS]) or (
        run_tests(build, mutant, tests[FEW_TESTS:count]) if count > FEW_TESTS else None)


# ---- verdicts -------------------------------------------------------------------------------------

HEAD = """\
# The verdicts on the bugs that tools/mutants-random.py makes. One line for each:
#
#     key  killed      by the test
#     key  equivalent  file function: kind: before -> after: why no program can notice
#     key  survived    file function: kind: before -> after
#
# A mutant is also equivalent if it changes only speed, a check that never fires, or the choice
# among outcomes that are equally right.

"""


def read_verdicts():
    verdicts = {}
    if VERDICTS.exists():
        for line in VERDICTS.read_text().splitlines():
            if line and not line.startswith("#"):
                key, word, rest = line.split(None, 2)
                verdicts[key] = (word, rest)
    return verdicts


def write_verdicts(verdicts):
    lines = [f"{key} {word:10} {rest}" for key, (word, rest) in verdicts.items()]
    lines.sort(key=lambda line: (line.split()[1], line.split(None, 2)[2]))
    VERDICTS.write_text(HEAD + "\n".join(lines) + "\n")


class Results:
    def __init__(self, verdicts):
        self.verdicts, self.lock = verdicts, threading.Lock()
        self.tried = self.killed = 0

    def add(self, mutant, by):
        with self.lock:
            self.tried += 1
            self.killed += by is not None
            text = by or re.sub(r":\d+ ", " ", str(mutant), count=1)
            self.verdicts[mutant.key] = ("killed" if by else "survived", text)
            if not by:
                print(f"SURVIVED {mutant.key} {mutant}", flush=True)
            if self.tried % 10 == 0:
                write_verdicts(self.verdicts)  # keep the results if the run is interrupted
                print(f"tried {self.tried}, killed {self.killed}", flush=True)


def main():
    parser = argparse.ArgumentParser(description="Make bugs by machine, and see that the tests notice.")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--again", action="store_true", help="try those with a verdict, too")
    parser.add_argument("--list", action="store_true", help="list the mutants instead")
    parser.add_argument("texts", nargs="*")
    options = parser.parse_args()
    sources = read_sources()
    mutants = name_mutants(sources)
    chosen = {m for m in mutants if not options.texts or any(text in f"{m.key} {m}" for text in options.texts)}
    if options.list:
        for m in mutants:
            if m in chosen:
                print(m.key, m)
        return 0
    verdicts = read_verdicts()
    build, results = Build(), Results(verdicts)
    print(f"{len(mutants)} mutants; building", flush=True)
    able = build.make(sources, mutants, options.jobs)
    print(f"{len(able)} compile; running every test to see which it reaches", flush=True)
    measure_reach(build, able, len(mutants), options.jobs)
    waiting = [m for m in able if m.tests and m in chosen and (options.again or m.key not in verdicts)]
    print(f"{sum(bool(m.tests) for m in able)} are reached, {len(waiting)} have no verdict", flush=True)
    random.Random(options.seed).shuffle(waiting)
    deadline = time.monotonic() + options.seconds

    def work(m):
        if time.monotonic() < deadline:
            results.add(m, try_out(build, m))

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(work, waiting))
    write_verdicts(verdicts)
    known = {m.key for m in mutants}
    open_ones = [k for k, (word, _) in verdicts.items() if word == "survived" and k in known]
    counts = {word: sum(1 for k, (w, _) in verdicts.items() if w == word and k in known)
              for word in ("killed", "equivalent", "survived")}
    print(f"tried {results.tried}, killed {results.killed}. Verdicts in all: {counts['killed']} killed, "
          f"{counts['equivalent']} equivalent, {counts['survived']} not judged")
    return 1 if open_ones else 0


if __name__ == "__main__":
    sys.exit(main())
