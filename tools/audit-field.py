#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run the audit over Debian packages with C types, and compare with the verdicts.

    make audit-field                       # all packages of the list
    tools/audit-field.py --only lxml --only msgpack
    make audit-stdlib                      # the standard library of every CPython found
    make audit-asan                        # our own C code under AddressSanitizer
    tools/audit-field.py --propose         # prints a line for each finding without a verdict

tests/cpython/ouro_audit/field/packages lists the packages, without "python3-". They are
downloaded and unpacked below BUILD/field, and never installed. tests/cpython/ouro_audit/field/
verdicts.tsv has a line for each finding: package, version, code, type, verdict (true or false),
and the reason. For the standard library the package is CPython, and the version lists all versions
with this finding. PY_CONFIGS names python3-config programs to use instead of those found. JOBS is how
many audits run at the same time: as many as there are processors, unless it says another number. A finding
without a verdict is an error, and so is a verdict without its finding. The precision is the share
of true findings. It must be 98 % at least. The script needs apt-get, dpkg-deb and Debian's own
python3."""

import argparse
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FIELD = os.path.join(HERE, "tests", "cpython", "ouro_audit", "field")
PYTHON = "/usr/bin/python3"
LEAST_PRECISION = 98  # percent
JOBS = int(os.environ.get("JOBS") or os.cpu_count() or 1)
PACKAGES = "usr/lib/python3/dist-packages"


def read_packages():
    with open(os.path.join(FIELD, "packages"), encoding="utf-8") as file:
        return ["python3-" + line.strip() for line in file
                if line.strip() and not line.startswith("#")]


# --- getting packages -----------------------------------------------------------------------------


def missing_here(packages):
    """The packages and their dependencies that are not installed."""
    answer = subprocess.run(
        ["apt-get", "-qq", "-s", "--no-install-recommends", "install"] + packages,
        stdout=subprocess.PIPE, check=True, universal_newlines=True).stdout
    return re.findall(r"^Inst (\S+) ", answer, re.M)


def known_packages(packages):
    known = subprocess.run(["apt-cache", "pkgnames", "python3-"], stdout=subprocess.PIPE,
                           check=True, universal_newlines=True).stdout.split()
    for package in packages:
        if package not in known:
            print("skip %s: apt does not know it" % package)
    return [package for package in packages if package in known]


def unpack(packages, folder):
    """Unpack packages and their dependencies into one tree; {package: (version, files)}."""
    root, debs = os.path.join(folder, "root"), os.path.join(folder, "debs")
    os.makedirs(root, exist_ok=True)
    os.makedirs(debs, exist_ok=True)
    there = {name.partition("_")[0] for name in os.listdir(debs)}
    missing = [name for name in missing_here(packages) + packages if name not in there]
    if missing:
        subprocess.run(["apt-get", "-qq", "download"] + sorted(set(missing)), cwd=debs, check=True)
    found = {}
    files = sorted(name for name in os.listdir(debs) if name.endswith(".deb"))
    for name in files:
        path = os.path.join(debs, name)
        if not os.path.exists(path + ".unpacked"):
            subprocess.run(["dpkg-deb", "-x", path, root], check=True)
            open(path + ".unpacked", "w").close()
    for name in files:
        package, version = name.split("_")[:2]
        if package in packages:
            listing = subprocess.run(["dpkg-deb", "-c", os.path.join(debs, name)], check=True,
                                     stdout=subprocess.PIPE, universal_newlines=True).stdout
            found[package] = version.replace("%3a", ":"), [
                line.split(None, 5)[5] for line in listing.splitlines()]
    return root, found


def modules_of(files):
    """The modules and topmost packages to import: those with a C extension. A folder that several
    distributions share has no __init__.py."""
    inside = {path[len("./" + PACKAGES) + 1:] for path in files
              if path.startswith("./%s/" % PACKAGES)}
    names = set()
    for path in inside:
        if path.endswith(".so"):
            parts = path.split("/")
            depth = 1
            while depth < len(parts) and "/".join(parts[:depth]) + "/__init__.py" not in inside:
                depth += 1
            name = parts[depth - 1].split(".")[0]
            names.add(".".join(parts[:depth - 1] + [name] * (name != "__init__")))
    return sorted(names)


# --- auditing ---------------------------------------------------------------------------------------


def environment(root, audit_folder):
    return dict(
        os.environ, PYTHONPATH=os.pathsep.join([os.path.join(root, PACKAGES), audit_folder]),
        LD_LIBRARY_PATH=os.pathsep.join(
            os.path.join(root, path) for path in ("usr/lib/x86_64-linux-gnu", "usr/lib")),
        PYTHONDONTWRITEBYTECODE="1", XDG_RUNTIME_DIR="/nonexistent")


def audit(module, variables, python=PYTHON, seconds=900):
    try:
        done = subprocess.run(
            [python, "-m", "ouro_audit", module, "--format", "json"], env=variables,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
            timeout=seconds)
    except subprocess.TimeoutExpired:
        return None, "no end after %d seconds" % seconds
    if done.returncode not in (0, 1):
        return None, done.stderr.decode(errors="replace").strip().splitlines()[-2:]
    return json.loads(done.stdout), None


def in_parallel(function, values):
    """What the function returns for each value, in this order."""
    pool = concurrent.futures.ThreadPoolExecutor(JOBS)
    try:
        yield from pool.map(function, values)
    finally:
        pool.shutdown(cancel_futures=True)  # nobody waits for the rest after an error


def reproduces(finding, variables, folder, python=PYTHON):
    """What the program of a finding shows when it runs alone, or None if it shows nothing."""
    if not finding["program"]:
        return None
    try:
        done = subprocess.run([python, "-c", finding["program"]], env=variables, cwd=folder,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              stdin=subprocess.DEVNULL, timeout=60, universal_newlines=True)
    except subprocess.TimeoutExpired:  # memory that a mistake damaged may also lead to an endless loop
        return None
    said = done.stdout.strip().splitlines()[-1:] or [""]
    if finding["code"] == "CRASH":
        return "it crashes" if done.returncode < 0 else None
    counts = re.match(r"\[(\d+(, \d+)*)\] objects", said[0])
    growth = re.match(r"(-?\d+) (KiB|references)", said[0])
    shows = (said[0] in ("leaked", "lost", "tracked: True") or finding["code"] in said[0]
             or counts and min(map(int, counts.group(1).split(", "))) > 0
             or growth and abs(int(growth.group(1))) >= (100 if "ref" in said[0] else 3000))
    return "it prints: %s" % said[0][:60] if shows else None


def read_verdicts():
    """{(package, code, type): (version, verdict, why)}"""
    verdicts = {}
    with open(os.path.join(FIELD, "verdicts.tsv"), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                package, version, code, kind, verdict, why = line.rstrip("\n").split("\t")
                assert verdict in ("true", "false"), line
                for name in ["CPython " + minor for minor in version.split()] if (
                        package == "CPython") else [package]:
                    verdicts[name, code, kind] = version, verdict, why
    return verdicts


def is_of_package(finding, root, files):
    """Whether the code is in a file of this package. Packages share folders, and import each
    other."""
    place = (finding["place"] or "").rpartition("+")[0]
    return not place or "." + place[len(os.path.realpath(root)):] in files


# --- under AddressSanitizer ---------------------------------------------------------------------------

ASAN_PACKAGES = ["btrees", "cffi-backend", "lxml", "multidict", "numpy", "pyrsistent", "wrapt"]
OUR_CODE = re.compile(r"(?<!/tests)/(cpython/ouro_audit|src/check|cli)/[^/]*\.c:")


def environment_with_asan(root, folder):
    """An environment with an ordinary Python, where each object has its own block with red zones."""
    library = subprocess.run(["gcc", "-print-file-name=libasan.so"], check=True,
                             stdout=subprocess.PIPE, universal_newlines=True).stdout.strip()
    return dict(environment(root, folder), LD_PRELOAD=library, PYTHONMALLOC="malloc",
                ASAN_OPTIONS="detect_leaks=0:log_path=%s" % os.path.join(folder, "report"))


def build_with_asan(folder):
    shutil.rmtree(folder, ignore_errors=True)
    build(PYTHON, folder, CC="gcc", CFLAGS="-fsanitize=address -fno-omit-frame-pointer -O1",
          LDFLAGS="-fsanitize=address")
    zoo = os.path.join(HERE, "tests", "cpython", "ouro_audit")
    includes = subprocess.run([PYTHON + "-config", "--includes"], check=True,
                              stdout=subprocess.PIPE, universal_newlines=True).stdout.split()
    subprocess.run(["gcc", "-O1", "-g", "-w", "-shared", "-fPIC"] + includes
                   + [os.path.join(zoo, name) for name in sorted(os.listdir(zoo))
                      if name.endswith(".c")] + ["-o", os.path.join(folder, "zoo.so")],
                   check=True)


def reports_about_us(folder):
    """Reports of AddressSanitizer whose innermost frame, apart from its own, is in our code. Other
    reports are mistakes of the audited types, which make the audit's children crash."""
    for name in sorted(os.listdir(folder)):
        if name.startswith("report."):
            with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                text = file.read()
            frames = [line for line in re.findall(r"^    #\d+ .*$", text, re.M)
                      if "libsanitizer" not in line]
            if frames and OUR_CODE.search(frames[0]):
                yield text


def run_with_asan(only, folder):
    packages = known_packages(["python3-" + name for name in only or ASAN_PACKAGES])
    audit_folder = os.path.join(folder, "asan")
    build_with_asan(audit_folder)
    root, unpacked = unpack(packages, folder)
    variables, failures, examined = environment_with_asan(root, audit_folder), 0, 0
    modules = ["zoo"] + [module for package in packages
                         for module in modules_of(unpacked[package][1])]
    for module, (result, why) in zip(
            modules, in_parallel(lambda module: audit(module, variables), modules)):
        if result is None:
            print("%s was not audited: %s" % (module, why))
            failures += 1
        else:
            examined += len(result["examined"])
            print("%-28s %3d types, %2d findings" % (
                module, len(result["examined"]), len(result["findings"])), flush=True)
    reports = list(reports_about_us(audit_folder))
    print(*reports, sep="\n")
    print("%d types examined, %d modules not audited, %d reports about our code" % (
        examined, failures, len(reports)))
    return 1 if reports or failures or not examined else 0


# --- findings ---------------------------------------------------------------------------------------


def findings_of(packages, folder, audit_folder):
    """Each finding as (package, version, finding); prints a line for each package."""
    build(PYTHON, audit_folder)
    root, unpacked = unpack(packages, folder)
    everything, types, failures = [], 0, 0
    variables = environment(root, audit_folder)
    empty = empty_folder(folder)
    modules = {package: modules_of(unpacked.get(package, (None, []))[1]) for package in packages}
    audits = in_parallel(lambda module: audit(module, variables),
                         [module for package in packages for module in modules[package]])
    for package in packages:
        version, files = unpacked.get(package, (None, []))
        found, examined, not_examined = [], 0, 0
        for module in modules[package]:
            result, why = next(audits)
            if result is None:
                print("%s: %s was not audited: %s" % (package, module, why))
                failures += 1
                continue
            found += [finding for finding in result["findings"]
                      if is_of_package(finding, root, files)]
            examined += len(result["examined"])
            not_examined += len(result["not_examined"])
        types += examined
        print("%-28s %-22s %3d types, %3d not made, %2d findings" % (
            package, version, examined, not_examined, len(found)), flush=True)
        for finding in found:
            finding["shown"] = reproduces(finding, variables, empty)
            everything.append((package, version, finding))
    return everything, types, failures


def build(python, audit_folder, **variables):
    subprocess.run([python, os.path.join(HERE, "cpython", "backend", "ouro_build.py"),
                    audit_folder], check=True, stdout=subprocess.DEVNULL,
                   env=dict(os.environ, **variables))


def empty_folder(folder):
    empty = os.path.join(folder, "empty")
    os.makedirs(empty, exist_ok=True)
    return empty


# --- the standard library ---------------------------------------------------------------------------


def pythons():
    """{"CPython 3.13": its program} for all that are found."""
    lines = subprocess.run([os.path.join(HERE, "tools", "python-configs.sh")], check=True,
                           stdout=subprocess.PIPE, universal_newlines=True).stdout.splitlines()
    found = {}
    for version, config in map(str.split, lines):
        prefix = subprocess.run([config, "--prefix"], check=True, stdout=subprocess.PIPE,
                                universal_newlines=True).stdout.strip()
        if int(version.partition(".")[2]) >= 8:
            found["CPython " + version] = os.path.join(prefix, "bin", "python" + version)
    return found


def audit_stdlib(name, python, folder):
    """The environment, and what audit() returns."""
    audit_folder = os.path.join(folder, name.replace(" ", "-"))
    build(python, audit_folder)
    variables = dict(os.environ, PYTHONPATH=audit_folder, PYTHONDONTWRITEBYTECODE="1")
    return (variables,) + audit("--stdlib", variables, python, seconds=3600)


def findings_of_stdlib(programs, folder):
    """The same as findings_of(), for the standard library of each CPython."""
    everything, types, failures = [], 0, 0
    for (name, python), (variables, result, why) in zip(
            programs.items(), in_parallel(lambda item: audit_stdlib(*item, folder), programs.items())):
        if result is None:
            print("%s was not audited: %s" % (name, why))
            failures += 1
            continue
        types += len(result["examined"])
        print("%-12s %-8s %3d types, %3d not made, %2d findings" % (
            name, result["python"], len(result["examined"]), len(result["not_examined"]),
            len(result["findings"])), flush=True)
        for finding in result["findings"]:
            finding["shown"] = reproduces(finding, variables, empty_folder(folder), python)
            everything.append((name, name.split()[1], finding))
    return everything, types, failures


# --- verdicts ---------------------------------------------------------------------------------------


def judge(everything, verdicts, packages, propose):
    """(true, false, missing verdicts)"""
    counts = {"true": 0, "false": 0}
    unused = {key for key in verdicts if key[0] in packages}
    missing = 0
    for package, version, finding in everything:
        key = package, finding["code"], finding["types"][0]
        if key in verdicts:
            counts[verdicts[key][1]] += 1
            unused.discard(key)
            continue
        missing += 1
        line = "\t".join([package, version, finding["code"], finding["types"][0]])
        print(line + "\ttrue\t%s; %s" % (finding["shown"] or "NOT SHOWN", finding["text"])
              if propose else "no verdict: " + line)
    for key in sorted(unused):
        print("not found any more: %s" % "\t".join(key))
    return counts["true"], counts["false"], missing, len(unused)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", default=[], metavar="PACKAGE")
    parser.add_argument("--stdlib", action="store_true",
                        help="instead of packages: the standard library of every CPython found")
    parser.add_argument("--asan", action="store_true",
                        help="our own C code under AddressSanitizer, with the zoo and a few packages")
    parser.add_argument("--propose", action="store_true")
    options = parser.parse_args()
    folder = os.path.join(os.path.abspath(os.environ.get("BUILD", "build")), "field")
    if options.asan:
        return run_with_asan(options.only, folder)
    if options.stdlib:
        packages = pythons()
        everything, types, failures = findings_of_stdlib(packages, folder)
    else:
        packages = known_packages(
            ["python3-" + name for name in options.only] or read_packages())
        everything, types, failures = findings_of(
            packages, folder, os.path.join(folder, "ouro_audit"))
    true, false, missing, unused = judge(everything, read_verdicts(), packages, options.propose)
    print("%d subjects, %d types examined, %d not audited: %d findings, %d true, %d false, "
          "%d without a verdict" % (len(packages), types, failures, len(everything), true, false,
                                    missing))
    precision = 100.0 * true / (true + false) if true + false else 100.0
    print("precision: %.1f %%" % precision)
    return 1 if missing or precision < LEAST_PRECISION or (options.stdlib and failures) else 0


if __name__ == "__main__":
    sys.exit(main())
