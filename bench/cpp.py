#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare the instructions of ouroboros.hpp with those of equivalent C, by callgrind. Each work
of bench/cpp/ is done twice, with more and with fewer repetitions: the difference gives the cost
of one repetition. The script fails when C++ takes more than C. From the environment: BUILD, CC,
CXX."""
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
OUT = os.path.join(BUILD, "bench")
FEW, MANY = 2000, 6000
# Two compilers choose registers and padding differently for the same code. This may differ: one
# instruction for each repetition, and some more if a repetition is long.
ALIKE, ALIKE_SHARE = 1.05, 0.01
CC, CXX = os.environ.get("CC", "cc").split(), os.environ.get("CXX", "c++").split()
LIBRARY = [os.path.join(BUILD, "libouroboros.a"), "-pthread", "-lm", "-ldl"]
INCLUDE = "-I" + os.path.join(HERE, "..", "include", "ouroboros")


def build(name, compiler, standard, source):
    program = os.path.join(OUT, name)
    place = os.path.join(HERE, "cpp")
    objects = []
    for command, file in (CC + ["-std=gnu11"], "main.c"), (compiler + [standard], source):
        objects.append(f"{program}-{file}.o")
        subprocess.run(command + ["-O2", "-Wall", "-Wextra", INCLUDE, "-c",
                                  os.path.join(place, file), "-o", objects[-1]], check=True)
    subprocess.run(compiler + objects + LIBRARY + ["-o", program], check=True)
    return program


def instructions(program, work, count):
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
               "--toggle-collect=measured", program, work, str(count)]
    done = subprocess.run(command, text=True, capture_output=True)
    counted = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or not counted:
        raise RuntimeError(f"{' '.join(command)}:\n{done.stderr[-500:]}")
    return int(counted[1])


def per_repetition(program, work):
    return (instructions(program, work, MANY) - instructions(program, work, FEW)) / (MANY - FEW)


def main():
    if not shutil.which("valgrind"):
        sys.exit("bench: valgrind is missing and could not be installed; nothing was counted")
    os.makedirs(OUT, exist_ok=True)
    programs = (build("work-c", CC, "-std=gnu11", "work.c"),
                build("work-cpp", CXX, "-std=c++17", "work.cc"))
    works = subprocess.run([programs[0]], text=True, capture_output=True, check=True).stdout
    more = 0
    print(f"{'instructions, each':30}  {'C':>8}  {'C++':>8}  {'C++ / C':>8}")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for work in works.splitlines():
            c, cpp = pool.map(lambda program: per_repetition(program, work), programs)
            is_more = cpp > c * (1 + ALIKE_SHARE) + ALIKE
            more += is_more
            print(f"{work:30}  {c:8.1f}  {cpp:8.1f}  {cpp / c:8.2f}{'  MORE' if is_more else ''}",
                  flush=True)
    print(f"{len(works.splitlines())} works: {more} take more in C++ than in C")
    sys.exit(1 if more else 0)


main()
