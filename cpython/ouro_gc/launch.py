# SPDX-License-Identifier: MIT
"""Runs a script or module as `python script.py` or `python -m module` would, in this process."""

import atexit
import json
import os
import runpy
import sys

import ouro_gc


class Program:
    """A script or a module, and its arguments."""

    def __init__(self, name, is_module, arguments):
        self.name, self.is_module, self.arguments = name, is_module, list(arguments)

    def words(self):
        """The words behind `python` on a command line."""
        return (["-m"] if self.is_module else []) + [self.name] + self.arguments


def print_stats():
    print("ouro_gc: " + json.dumps(ouro_gc.stats(), sort_keys=True), file=sys.stderr)


def run_here(program, prints_stats=False, untested=False, budget=0):
    """Enable ouro_gc and run the program; SystemExit passes through."""
    if not program.is_module and not os.path.exists(program.name):
        print("ouro_gc: there is no file %s" % program.name, file=sys.stderr)
        return 2
    try:
        ouro_gc.enable(untested=untested, pause_budget_us=budget)
    except (RuntimeError, ValueError) as error:
        print("ouro_gc: %s" % error, file=sys.stderr)
        return 2
    if prints_stats:
        atexit.register(print_stats)
    run_as_main(program)
    return 0


def run_as_main(program):
    sys.argv = [program.name] + program.arguments
    if program.is_module:
        sys.path[0] = os.getcwd()
        runpy.run_module(program.name, run_name="__main__", alter_sys=True)
    else:
        sys.path[0] = os.path.dirname(os.path.abspath(program.name))
        runpy.run_path(program.name, run_name="__main__")
