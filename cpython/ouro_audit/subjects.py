# SPDX-License-Identifier: MIT
"""What to examine: the modules of a package, and their C types."""

import importlib
import os
import pkgutil
import sys
import sysconfig

from . import _ouro_audit
from .finding import name_of_type

# Importing one of these has side effects.
NOT_IMPORTED = ("__main__", "antigravity", "idlelib", "this", "turtledemo", "lib2to3", "test",
                "tests", "testing", "conftest", "setup", "_testcapi", "_testinternalcapi",
                "_testlimitedcapi", "_testmultiphase", "_testclinic", "_testsinglephase",
                "_testexternalinspection", "_testbuffer", "_testimportmultiple", "_tkinter",
                "_xxtestfuzz", "turtle", "tkinter", "_testclinic_limited")


def is_imported(name):
    return not any(part in NOT_IMPORTED for part in name.split("."))


def standard_modules():
    names = getattr(sys, "stdlib_module_names", None)  # since 3.10
    if names is None:
        folder = sysconfig.get_path("stdlib")
        names = {module.name for module in pkgutil.iter_modules(
            [folder, os.path.join(folder, "lib-dynload")])} | set(sys.builtin_module_names)
    return sorted(name for name in names if is_imported(name))


def import_tree(name, skip, at):
    """Import a module and everything below it. at(name) is called before each import, and
    at(name, why) for a module that cannot be imported."""
    if name in skip:
        return
    at(name)
    try:
        module = importlib.import_module(name)
    except BaseException as error:
        at(name, "%s: %s" % (type(error).__name__, error))
        return
    try:
        below = list(pkgutil.iter_modules(getattr(module, "__path__", ()), name + "."))
    except Exception:
        below = []
    for inner in below:
        if is_imported(inner.name):
            import_tree(inner.name, skip, at)


def all_types():
    """Every type of the process that can be reached through its bases, or as an object."""
    found, todo = {}, [object]
    while todo:
        kind = todo.pop()
        if id(kind) in found:
            continue
        found[id(kind)] = kind
        try:
            todo += type.__subclasses__(kind)
        except TypeError:
            pass
        todo.append(type(kind))
    return list(found.values())


def file_of(kind):
    place = _ouro_audit.describe_type(kind)["place"]
    return os.path.realpath(place.rpartition("+")[0]) if place else None


def is_standard_file(file):
    """Whether the file is CPython itself, or an extension module of its standard library."""
    folders = {os.path.realpath(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")}
    return file is not None and "-packages" not in file and (
        os.path.basename(file).startswith(("python", "libpython"))
        or any(file.startswith(folder + os.sep) for folder in folders))


def is_below(name, names):
    """Whether the module is one of these, or part of one."""
    return any(name == outer or name.startswith(outer + ".") for outer in names)


def files_of_modules(names):
    """The files of the modules with these names, and of those below them."""
    files = set()
    for name, module in list(sys.modules.items()):
        if is_below(name, names):
            file = getattr(module, "__file__", None)
            if file:
                files.add(os.path.realpath(file))
    return files


def types_of_modules(names):
    """The C types of the modules: those whose code is in one of their files, and those whose
    __module__ says so."""
    files = files_of_modules(names)
    found = []
    for kind in all_types():
        says_so = isinstance(kind.__module__, str) and is_below(kind.__module__, names)
        if not _ouro_audit.describe_type(kind)["is_class"] and (
                says_so or file_of(kind) in files):
            found.append(kind)
    return sorted(found, key=name_of_type)


def standard_types():
    """The C types of CPython and its standard library."""
    return sorted((kind for kind in all_types()
                   if not _ouro_audit.describe_type(kind)["is_class"]
                   and is_standard_file(file_of(kind))), key=name_of_type)


def import_of(kind):
    """(statement, expression): how a program gets the type, or None if it cannot."""
    parts = getattr(kind, "__qualname__", "?").split(".")
    modules = [kind.__module__] if isinstance(kind.__module__, str) else []
    modules += [module for module in list(sys.modules) if module not in modules]
    for module in modules:
        value = sys.modules.get(module)
        for part in parts:
            value = getattr(value, "__dict__", {}).get(part) if value is not None else None
        if value is kind:
            statement = "" if module == "builtins" else "from %s import %s" % (module, parts[0])
            return statement, ".".join(parts)
    for module in modules:
        for key, value in list(getattr(sys.modules.get(module), "__dict__", {}).items()):
            if value is kind and isinstance(key, str) and key.isidentifier():
                return "from %s import %s" % (module, key), key
    return None
