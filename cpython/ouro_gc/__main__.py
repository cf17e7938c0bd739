# SPDX-License-Identifier: MIT
"""python -m ouro_gc: run an unchanged program with ouro_gc, or compare it with CPython alone."""

import argparse
import sys

from . import compare, launch, pth

EPILOG = """\
examples:
  python -m ouro_gc server.py --port 8000        run server.py with faster collections
  python -m ouro_gc -m package.module            the same for a module
  python -m ouro_gc --pause-budget-us 500 app.py  no request waits for a full collection
  python -m ouro_gc --compare job.py             run it without and with ouro_gc; print a table
  python -m ouro_gc --install-pth                OURO_GC=1 then enables it in any program

The exit status is that of the program. --compare runs the program several times (--rounds): it
should do the same each time. Nothing enables ouro_gc by itself: --install-pth writes one line
into this Python's site-packages, which does nothing unless the environment has OURO_GC=1.
"""


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        prog="python -m ouro_gc", epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Run a program with the collections of Ouroboros in front of CPython's.")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--compare", action="store_true",
                      help="run the program without and with ouro_gc, and print both")
    what.add_argument("--install-pth", action="store_true",
                      help="let OURO_GC=1 enable ouro_gc in this Python; prints the file")
    what.add_argument("--remove-pth", action="store_true", help="undo --install-pth")
    parser.add_argument("--rounds", type=int, default=1, metavar="N",
                        help="--compare: run both N times in turn, and take the least times (1)")
    parser.add_argument("--stats", action="store_true",
                        help="print ouro_gc.stats() to stderr at the end of the program")
    parser.add_argument("--pause-budget-us", type=float, default=0, metavar="US", dest="budget",
                        help="full collections in slices of this many microseconds (in one piece)")
    parser.add_argument("--untested", action="store_true",
                        help="try a CPython that ouro_gc was not tested with")
    parser.add_argument("-m", dest="module", action="store_true",
                        help="PROGRAM is a module, as for python -m")
    parser.add_argument("program", nargs="?", metavar="PROGRAM")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="...",
                        help="arguments of the program")
    options = parser.parse_args(arguments)
    if not (options.program or options.install_pth or options.remove_pth):
        parser.error("what is to be run? Name a script, or a module after -m")
    if options.rounds < 1:
        parser.error("--rounds must be 1 or more")
    return options


def main(arguments=None):
    options = parse_arguments(arguments)
    if options.install_pth:
        return pth.install()
    if options.remove_pth:
        return pth.remove()
    program = launch.Program(options.program, options.module, options.arguments)
    if options.compare:
        return compare.run(program, options.rounds, options.untested, options.budget)
    return launch.run_here(program, options.stats, options.untested, options.budget)


if __name__ == "__main__":
    sys.exit(main())
