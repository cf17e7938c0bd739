# SPDX-License-Identifier: MIT
"""Ways to make an instance of a type, and to put something into it, as Python source.

We know about a type only what Python can see: its names, and the errors of its calls. So everything
is tried. In the source `a` is the instance, and `x` is the thing that is put into it."""

import inspect
import re
import types

MANY_THINGS = "[[x] for _ in range(100)]"  # some types share parts only if they have many
ARGUMENTS = (
    "", "x", MANY_THINGS, "x, x", "'s', x", "0, x", "x, 's'", "x, 0", "[x]", "(x,)", "{'s': x}",
    "b's', x",
    "x, x, x", "'s'", "0", "b's'", "[]", "0, 0", "'s', 's'", "0.5", "None", "{}", "()", "len",
    "len, x", "int", "[0.5, 1.5]", "'s', 0", "0, 0, 0", "'s', 's', 's'", "1", "1, x", "x, 1",
    "(x for _ in 's')", "iter([x])", "[[x]]", "'s', 's', x", "0, 0, x", "x, len", "x, [x]",
    "[x], [x]",
)
METHOD_ARGUMENTS = ("x", "'s', x", "0, x", "x, x", "[x]", "{'s': x}", "x, 's'", "x, 0")
RESULT_ARGUMENTS = ("", "'s'", "0", "x")
OTHER_OPERATIONS = {
    "__setitem__": ("a['s'] = x", "a[0] = x", "a[x] = x", "a[x] = 0", "a[0:0] = [x]"),
    "__call__": ("a(x)", "a('s', x)"),
    "__iadd__": ("a += [x]", "a += x"),
    "__ior__": ("a |= {'s': x}", "a |= {x}"),
    "__setstate__": ("a.__setstate__({'s': x})", "a.__setstate__((x,))", "a.__setstate__(x)"),
    "__init__": ("a.__init__(x)", "a.__init__([x])"),
    "__set__": ("a.__set__(x, x)",),
}
# Methods that wait, end something, or act on the outside world.
LEFT_ALONE = re.compile(
    r"_|(acquire|wait|join|sleep|recv|accept|select|poll|run|serve|exit|abort|kill|fork|exec|spawn"
    r"|system|shutdown|reboot|remove|unlink|rmdir|rename|mount|umount|chroot|daemon|loop|mainloop"
    r"|start|dispatch|main|connect|open|send|write|install|set_?uid|set_?gid|chown|chmod)",
    re.IGNORECASE)
MOST_OPERATIONS = 1500


def _members(kind):
    """(name, descriptor) of everything that C code defines for a type, each name once."""
    seen = set()
    for base in kind.__mro__[:-1]:
        for name, value in sorted(vars(base).items(), key=lambda item: str(item[0])):
            if isinstance(name, str) and name not in seen:
                seen.add(name)
                yield name, value


def _parameter_names(kind):
    try:
        parameters = inspect.signature(kind).parameters.values()
    except (TypeError, ValueError, AttributeError, RuntimeError):
        return []
    return [parameter.name for parameter in parameters
            if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)]


def _needed(kind):
    """Arguments for each number of parameters in the signature, and for each parameter alone."""
    names = _parameter_names(kind)
    yield from (", ".join(["x"] * count) for count in range(4, min(len(names), 8) + 1))
    yield from ("%s=x" % name for name in names[:12])


def constructors(path, kind):
    """Expressions that may make an instance; `path` is how the type is named."""
    for arguments in list(ARGUMENTS) + list(_needed(kind)):
        yield "%s(%s)" % (path, arguments)


def functions(module):
    """Expressions that call the C functions of a module: their results may be of a type that no
    constructor makes."""
    for name, value in sorted(vars(module).items()):
        if isinstance(value, types.BuiltinFunctionType) and not LEFT_ALONE.match(name):
            yield from ("%s(%s)" % (name, arguments) for arguments in (
                "", MANY_THINGS, "x", "[x]", "'s'", "'s', x"))


def _is_method(value):
    return isinstance(value, (types.MethodDescriptorType, types.FunctionType,
                              types.BuiltinFunctionType)) or (
        type(value).__name__ in ("cython_function_or_method", "_cython_method"))


def operations(kind):
    """Statements that may store `x` in the instance `a`."""
    made = ["a.ouro_audit = x"]
    for name, value in _members(kind):
        if name in OTHER_OPERATIONS:
            made += OTHER_OPERATIONS[name]
        elif isinstance(value, (types.MemberDescriptorType, types.GetSetDescriptorType)):
            if not name.startswith("__"):
                made.append("a.%s = x" % name)
        elif _is_method(value) and not LEFT_ALONE.match(name):
            made += ["a.%s(%s)" % (name, arguments) for arguments in METHOD_ARGUMENTS]
    return made[:MOST_OPERATIONS]


def results(make, kind):
    """Expressions that may make an instance of another type from one that `make` makes."""
    names = dict(_members(kind))
    if "__iter__" in names:
        yield "iter(%s)" % make
    if "__get__" in names:
        yield "%s.__get__(x, type(x))" % make
    if "__call__" in names:
        yield from ("%s(%s)" % (make, arguments) for arguments in RESULT_ARGUMENTS)
    for name, value in names.items():
        if _is_method(value) and not LEFT_ALONE.match(name):
            yield from ("%s.%s(%s)" % (make, name, arguments) for arguments in RESULT_ARGUMENTS)
        elif isinstance(value, (types.MemberDescriptorType, types.GetSetDescriptorType)):
            if not name.startswith("__"):
                yield "%s.%s" % (make, name)
