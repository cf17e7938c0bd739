# SPDX-License-Identifier: MIT
"""Run a program, and write a snapshot of its objects at the end.

    python3 -m ouro_heap [-o FILE] [--values] script.py [ARGUMENTS]
    python3 -m ouro_heap [-o FILE] [--values] -m module [ARGUMENTS]

FILE is PROGRAM-PID.heapsnapshot by default. The snapshot is written when the program ends, also
by an exception or sys.exit(), before anything is torn down.
"""

import argparse
import importlib.util
import os
import sys
import types

from . import snapshot


def split(arguments):
    """Our own options, and the words that belong to the program."""
    at = 0
    while at < len(arguments) and arguments[at].startswith("-"):
        if arguments[at] == "-m":
            return arguments[:at + 2], arguments[at + 2:]
        at += 2 if arguments[at] == "-o" else 1
    return arguments[:at], arguments[at:]


def parse(arguments):
    own, program = split(arguments)
    parser = argparse.ArgumentParser(
        prog="python3 -m ouro_heap",
        usage="%(prog)s [-o FILE] [--values] (script.py | -m MODULE) [ARGUMENTS]",
        description="Run a program, and write a snapshot of its objects when it ends.")
    parser.add_argument("-o", metavar="FILE", dest="output",
                        help="where to write it (PROGRAM-PID.heapsnapshot)")
    parser.add_argument("--values", action="store_true",
                        help="with texts, numbers and the keys of all dicts")
    parser.add_argument("-m", metavar="MODULE", dest="module",
                        help="run a module instead of a script")
    options = parser.parse_args(own)
    options.program = program
    if options.module is None and not options.program:
        parser.error("which script?")
    return options


def load_script(path):
    with open(path, "rb") as file:
        code = compile(file.read(), path, "exec")
    sys.path[0] = os.path.dirname(os.path.abspath(path))
    return code, {"__file__": path}


def load_module(name):
    spec = importlib.util.find_spec(name)
    if spec is not None and spec.submodule_search_locations is not None:
        spec = importlib.util.find_spec(name + ".__main__")
    code = spec.loader.get_code(spec.name) if spec is not None and spec.loader else None
    if code is None:
        sys.exit("python3 -m ouro_heap: there is no module %s to run" % name)
    return code, {"__file__": spec.origin, "__spec__": spec, "__package__": spec.parent}


def run(code, names, output, values):
    sys.modules["__main__"] = types.ModuleType("__main__")  # the only reference, as without us
    sys.modules["__main__"].__dict__.update(names)
    try:
        exec(code, sys.modules["__main__"].__dict__)
    finally:
        snapshot(output, values=values)
        print("ouro_heap: wrote %s" % output, file=sys.stderr)


def main():
    options = parse(sys.argv[1:])
    if options.module is not None:
        code, names = load_module(options.module)
        sys.argv = [names["__file__"]] + options.program
        program = options.module
    else:
        code, names = load_script(options.program[0])
        sys.argv = options.program
        program = os.path.splitext(os.path.basename(options.program[0]))[0]
    output = options.output or "%s-%d.heapsnapshot" % (program, os.getpid())
    if os.path.lexists(output):
        sys.exit("python3 -m ouro_heap: %s exists" % output)
    run(code, names, output, options.values)


if __name__ == "__main__":
    main()
