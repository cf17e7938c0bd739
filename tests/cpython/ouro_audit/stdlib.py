# SPDX-License-Identifier: MIT
"""Audit the standard library of the CPython that runs this.

    make cpython PYTHON=python3.13
    PYTHONPATH=build/cpython/cpython-313 python3.13 -S tests/cpython/ouro_audit/stdlib.py

Imports every module, makes instances of the types that are written in C with a few kinds of
arguments, and prints the findings. docs/audit-cpython.md discusses them one by one. Needs
3.11 or newer: older ones crash when some of these instances are made."""

import functools
import importlib
import operator
import os
import pkgutil
import sys
import tempfile
import types
import warnings

import ouro_audit

LEFT_OUT = {"antigravity", "idlelib", "lib2to3", "test", "this", "turtle", "turtledemo",
            "__main__", "_testcapi", "_testinternalcapi", "_testmultiphase"}
# making one of these starts something
NOT_MADE = ("_interp", "_multiprocessing", "_posix", "_test", "_tkinter", "_xx")
ARGUMENTS = ((), ([],), (0,), ("x",), ([], {}), (lambda *_: None,),
             (lambda *_: None, [1, 2, []]), ([1, 2], [3, 4]))
kept = []


def import_everything():
    for name in sorted(sys.stdlib_module_names - LEFT_OUT):
        try:
            module = importlib.import_module(name)
        except BaseException:
            continue
        yield module
        for inner in pkgutil.walk_packages(getattr(module, "__path__", ()), name + "."):
            if "__main__" not in inner.name and ".test" not in inner.name:
                try:
                    yield importlib.import_module(inner.name)
                except BaseException:
                    pass


def all_types(base=object, seen=None):
    seen = set() if seen is None else seen
    for derived in type.__subclasses__(base):
        if derived not in seen:
            seen.add(derived)
            all_types(derived, seen)
    return seen


def is_python_class(kind):
    return any(isinstance(value, types.FunctionType)
               for base in kind.__mro__ for value in vars(base).values())


def make_instances(kind):
    for arguments in ARGUMENTS:
        try:
            instance = kind(*arguments)
        except BaseException:
            continue
        kept.append(instance)
        try:
            instance.ouro_audit = [instance]
        except BaseException:
            pass
        try:
            iterator = iter(instance)
            next(iterator)
            kept.append(iterator)
        except BaseException:
            pass


def make_others():
    """What no constructor makes."""
    import ctypes
    import re
    import xml.etree.ElementTree

    class Record(ctypes.Structure):
        _fields_ = [("p", ctypes.c_void_p), ("o", ctypes.py_object)]

    class Big(int):
        pass

    @functools.lru_cache(maxsize=10)
    def cached(number):
        return [number]

    def generate():
        value = []
        yield [value for value in (yield value)]

    async def coroutine():
        pass

    record, big, generator = Record(), Big(10**100), generate()
    record.o, big.o = [], []
    next(generator)
    kept.extend([record, Record * 3, (Record * 3)(), ctypes.pointer(record), big, generator,
                 coroutine(), sys._getframe(), re.finditer("a", "aaa"), cached,
                 xml.etree.ElementTree.fromstring("<a b='c'><d/></a>"),
                 operator.itemgetter(0, ())])
    for number in range(30):
        cached(number)


warnings.simplefilter("ignore")
folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)  # some constructors make files
modules = list(import_everything())
kinds = sorted(all_types(), key=lambda kind: (kind.__module__ or "", kind.__qualname__))
for kind in kinds:
    if not is_python_class(kind) and not kind.__module__.startswith(NOT_MADE):
        make_instances(kind)
make_others()
findings, audited, given_up = ouro_audit._run(None, None, ())
for finding in findings:
    print(finding)
print("CPython %s: %d modules, %d types, %d instances made, %d objects audited: %d findings"
      % (sys.version.split()[0], len(modules), len(kinds), len(kept), audited, len(findings)))
