#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write the tables of tests/builtins/*_cases.inc, with the results of the Python that runs this.

    python3.13 tests/builtins/make_cases.py        (in the root of the repository)

Each case is made by do(receiver, operation, *args, **kwargs); see tests/cases.h.
"""
import itertools
import operator
import os

HERE = os.path.dirname(os.path.abspath(__file__))

BINARY = {
    "[]": operator.getitem, "+": operator.add, "-": operator.sub, "*": operator.mul,
    "/": operator.truediv, "//": operator.floordiv, "%": operator.mod, "divmod": divmod,
    "format()": format, ".": getattr, "<": operator.lt, "<=": operator.le,
    "==": operator.eq, "!=": operator.ne, ">": operator.gt, ">=": operator.ge,
    "in": operator.contains, "**": pow,
}
UNARY = {
    "-x": operator.neg, "+x": operator.pos, "abs": abs, "~x": operator.invert, "str": str,
    "repr": repr, "list": list, "int": int, "float": float,
}


def literal(value):
    if isinstance(value, type):
        return value.__name__
    if isinstance(value, tuple):
        return "(" + "".join(literal(v) + ", " for v in value) + ")"
    if isinstance(value, list):
        return "[" + ", ".join(map(literal, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{literal(k)}: {literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, slice):
        return f"slice({literal(value.start)}, {literal(value.stop)}, {literal(value.step)})"
    if isinstance(value, complex):
        return f"complex({literal(value.real)}, {literal(value.imag)})"
    return ascii(value)


def quoted(text):
    """A C string literal; characters outside ASCII become octal UTF-8."""
    out = []
    for byte in text.encode("utf-8"):
        c = chr(byte)
        if c in '"\\':
            out.append("\\" + c)
        elif c == "?":
            out.append("\\?")
        elif 32 <= byte < 127:
            out.append(c)
        else:
            out.append("\\%03o" % byte)
    return '"' + "".join(out) + '"'


class Table:
    def __init__(self, name):
        self.name, self.rows, self.seen = name, [], set()

    def do(self, receiver, op, *args, **kwargs):
        try:
            if op == "call":
                result = receiver(*args, **kwargs)
            elif op in UNARY and not args:
                result = UNARY[op](receiver)
            elif op in BINARY and args and not kwargs:
                result = BINARY[op](receiver, *args)
            else:
                result = getattr(receiver, op)(*args, **kwargs)
            expected = repr(result)
        except Exception as error:
            expected = f"{type(error).__name__}: {error}"
        given = literal(args) + (" " + literal(kwargs) if kwargs else "")
        row = (literal(receiver), op, given, expected)
        if row not in self.seen:
            self.seen.add(row)
            self.rows.append(row)

    def each(self, receivers, op, *choices, **kwargs):
        """All combinations of a receiver and one of each of the choices."""
        for receiver in receivers:
            for args in itertools.product(*choices):
                self.do(receiver, op, *args, **kwargs)

    def write(self):
        with open(os.path.join(HERE, self.name + "_cases.inc"), "w") as out:
            out.write("/* SPDX-License-Identifier: MIT */\n")
            for row in self.rows:
                out.write("{" + ",\n ".join([", ".join(map(quoted, row[:3])), quoted(row[3])])
                          + "},\n")


TEXTS = ["", "a", "abc", "banana", " \t two  words\n", "été d'été", "x\u2003y\u3000z",
         "aΣ ΑΣΑ", "ǆ ﬁne ß İ", "12٣²½", "😀a😀", "MiXed Case", "A,b,,c,"]
INDICES = [0, 1, -1, 2, 100, -100, None]


def str_methods():
    t = Table("str_method")
    for s in TEXTS:
        for name in ("upper lower casefold title capitalize swapcase isalpha isalnum isascii "
                     "isdecimal isdigit isidentifier islower isnumeric isprintable isspace "
                     "istitle isupper strip lstrip rstrip split rsplit splitlines expandtabs "
                     "encode").split():
            t.do(s, name)
        t.do(s, "list")
    for s in ["Ab", "AB", "aB", "A B", "Hello World", "Hello world", "ǅ", "_x1", "1x", "é_٣",
              "日本", "\xad", "\x7f", "\u0378", "ΌΣΟΣ", "Σ", "aΣ'b", "aΣ'", "ŉ", "ᾳ", "ᾼ", "ꭰ", "Ⴀ"]:
        for name in ("isprintable istitle islower isupper isidentifier isalpha title lower "
                     "upper casefold swapcase capitalize").split():
            t.do(s, name)
    for name in "find rfind index rindex count".split():
        t.each(["banana", "été été"], name, ["a", "an", "", "é", "zz"])
        t.each(["banana", "été"], name, ["a", "", "é"], INDICES)
        t.each(["banana", "été"], name, ["a", "é"], [0, -3, 2, None], INDICES)
        t.do("banana", name)
        t.do("banana", name, 1)
        t.do("banana", name, None)
        t.do("banana", name, "a", "b")
        t.do("banana", name, "a", 1, 2, 3)
    for name in ("startswith", "endswith"):
        t.each(["banana", "été", ""], name, ["ba", "na", "é", "", ("x", "ba", "té"), ()])
        t.each(["banana", "été"], name, ["ba", "na", "é", ""], [0, 1, -1, 4], [None, 2, 100])
        t.do("a", name, 1)
        t.do("a", name, ("a" * 2, 1))
        t.do("a", name)
        t.do("a", name, b"a")
    for name in ("strip", "lstrip", "rstrip"):
        t.each(["xxaxx", "ééaé", "abc", ""], name, ["x", "é", "aé", "", "abc", None])
        t.do("a", name, 1)
        t.do("a", name, "a", "b")
    for name in ("split", "rsplit"):
        t.each(["a,b,,c", "été", ",", ""], name, [",", "é", "zz"], [-1, 0, 1, 2])
        t.each([" a b  c ", "x\u2003y\u3000z ", "abc", "  "], name, [None], [-1, 0, 1, 2])
        t.do("a b c", name, maxsplit=1)
        t.do("a,b,c", name, sep=",", maxsplit=1)
        t.do("a,b,c", name, ",", maxsplit=1)
        t.do("a,b,c", name, "")
        t.do("a,b,c", name, 1)
        t.do("a,b,c", name, ",", "x")
        t.do("a,b,c", name, ",", 1, 2)
        t.do("a,b,c", name, ",", sep=",")
        t.do("a,b,c", name, nothing=1)
    t.each(["a\nb\r\nc\rd", "\n", "a\x0bb\x0cc\x1cd\x85e\u2028f\u2029", "x"], "splitlines",
           [True, False])
    t.do("a\n", "splitlines", keepends=True)
    t.do("a\n", "splitlines", 1, 2)
    for name in ("partition", "rpartition"):
        t.each(["a.b.c", "été", "abc"], name, [".", "t", "é"])
        t.do("abc", name, "")
        t.do("abc", name, 1)
        t.do("abc", name)
    t.each(["banana", "été", ""], "replace", ["a", "é", ""], ["", "-", "éé"])
    t.each(["banana", "été"], "replace", ["a", "é", ""], ["-"], [0, 1, 2, -1])
    t.do("banana", "replace", "a", "-", count=1)
    t.do("banana", "replace", "a")
    t.do("banana", "replace", 1, "a")
    t.do("banana", "replace", "a", None)
    t.do("banana", "replace", "a", "b", 1, 2)
    for name in ("removeprefix", "removesuffix"):
        t.each(["banana", "été"], name, ["ba", "na", "é", "", "été", "zz"])
        t.do("a", name, 1)
    for name in ("ljust", "rjust", "center"):
        t.each(["ab", "été", ""], name, [0, 2, 3, 4, 5, 8, -3])
        t.each(["ab", "été"], name, [5, 6], ["*", "é", "😀"])
        t.do("a", name, 3, "xx")
        t.do("a", name, 3, 1)
        t.do("a", name, "x")
        t.do("a", name)
        t.do("a", name, 1 << 70)
    t.each(["42", "-42", "+42", "", "é", "-"], "zfill", [0, 1, 3, 5, -1])
    t.do("a", "zfill", "b")
    t.each(["a\tb\t\tc", "é\tx\n\ty", "\t"], "expandtabs", [0, 1, 4, 8, -2])
    t.do("\t", "expandtabs", tabsize=2)
    t.do("\t", "expandtabs", "x")
    t.each([",", "", "é"], "join", [["a", "b", "c"], (), ("x",), "abc", {"k": 1}])
    t.do(",", "join", ["a", 1])
    t.do(",", "join", 1)
    t.do("hello", "translate", {104: "H", 101: None, 108: 76})
    t.do("été", "translate", {233: "e"})
    t.do("abc", "translate", {97: 1.5})
    t.do("abc", "translate", {97: 0x110000})
    t.do("abc", "translate", "xyz" * 40)
    t.do("abc", "translate", 1)
    t.do(str, "maketrans", "abc", "xyz")
    t.do(str, "maketrans", "aé", "éa", "z")
    t.do(str, "maketrans", {"a": 1, 98: "x", "é": None})
    t.do(str, "maketrans", "ab", "x")
    t.do(str, "maketrans", 1)
    t.do(str, "maketrans", 1, "a")
    t.do(str, "maketrans", "a", 1)
    t.do(str, "maketrans", "a", "b", 1)
    t.do(str, "maketrans", {"ab": 1})
    t.do(str, "maketrans", {1.5: 1})
    t.each(["abcdef", "àbçdéf", ""], "[]", [slice(a, b, c) for a in (None, 1, -2, 9)
                                           for b in (None, 4, -1, -9) for c in (None, 2, -1, -2)])
    t.each(["abc", "é€😀"], "[]", [0, 1, 2, -1, -3, 3, -4, None, "a", 1.5, slice(0, 1, 0),
                                  slice("a", None, None), 1 << 80])
    t.each(["abc", "é"], "+", ["x", "é", "", 1, None, b"x"])
    t.each(["ab", "é", ""], "*", [0, 1, 3, -1, "a", 1.5])
    t.do("ab", "*", 1 << 62)
    t.each(["banana", "été"], "in", ["an", "é", "", "x", 1, None, b"a"])
    for op in ("<", "<=", "==", "!=", ">", ">="):
        t.each(["abc", "é", ""], op, ["abc", "abd", "ab", "z", "é", "😀"])
        t.do("a", op, 1)
    for s in ["'", '"', "'\"", "\\", "\n\t\r\x00\x7f\x85\xa0", "é", "\u0378", "\ue000", "😀", "\U000e0001"]:
        t.do(s, "repr")
        t.do(s, "str")
    t.each(["abc", "é€😀", "\u0130"], "encode", ["utf-8", "ascii", "latin-1", "UTF8", "nothing"],
           ["strict", "replace", "ignore", "bogus"])
    t.each(["", "aé", "😀"], "encode", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "UTF_32_BE"])
    t.do("abc", "encode", encoding="ascii")
    t.do("abc", "encode", 1)
    t.do("abc", "encode", "ascii", 1)
    t.do("abc", "upper", 1)
    t.do("abc", "nothing")
    t.write()


def formats():
    t = Table("format")
    t.each(["abc", "é€", ""], "format()",
           ["", "s", "5", "<5", ">5", "^5", "^6", "*^7", "é>6", ".2", "6.1s", "05", "=5", "+", " ",
            "#", "z", ",", "_", "d", "x5", ".", "5.", "10.1.1", "<<5", "\u0663", "0<4", "é",
            "99999999999999999999"])
    ints = [0, 1, -1, 42, -1234567, 10**20, True]
    t.each(ints, "format()",
           ["", "d", "5", "<5", ">12", "^12", "=12", "*=12", "+", " ", "-", "+d", "012", "012,",
            ",", "_", "_d", "x", "X", "o", "b", "#x", "#X", "#o", "#b", "#012x", "_x", "_b", "#_b",
            "012_x", "n", "e", ".2f", "f", "g", "%", ".1%", "08.2f", "s", "y", ".2", ".2d", ",x",
            ",s", ",_", "_,", "z", "c", "+,", "<010", "é^30,", " ,.2f", "020,.1f", "#g", "E", "G",
            "F", ",,", "5x ", "z.1f", "\x05"])
    t.each([65, 233, 0x1F600, -1, 0x110000, 1 << 80], "format()", ["c", "5c", "<5c", "+c", "#c", "05c"])
    t.do(10 ** 400, "format()", "e")
    floats = [0.0, -0.0, 1.0, -1.5, 3.14159, 1e10, 1e16, 1.5e17, 1e22, 123456.0, 1234567.0,
              100000.0, 0.0001, 0.00001, 1e-10, 1e100, float("inf"), float("-inf"), float("nan"),
              2.5, 0.5, 999999.5, 5e-324, 1.7976931348623157e308]
    t.each(floats, "format()",
           ["", "g", "e", "f", "%", "n", "E", "G", "F", ".0f", ".1f", ".2e", ".3g", ".6", ".5",
            ".0", ".1", "10", "<10", "^10", "=10", "010", "+", " ", "+.2f", ",", "_", ",.2f",
            "020,.2f", "#", "#.0f", "#.0e", "#g", "#.3g", "#.1", ".17g", "z", "z.0f", "z.1e", "z%",
            "+z.0f", "d", "x", "s", "é<15.2f", ".20f", ".0%", "_.1f", "010.3g"])
    t.do(1.5, "__format__", 1)
    t.do(1, "__format__", 1)
    t.do("a", "__format__", 1)
    t.do(None, "format()", "")
    t.do(None, "format()", "5")
    t.do([1], "format()", "")
    fmt = "format"
    for args in [("{}", 1), ("{} {}", 1, "a"), ("{0} {1} {0}", "a", "b"), ("{}",), ("{1}", 1),
                 ("{{}}", 1), ("{{{}}}", 1), ("{!r} {!s} {!a}", "é", "é", "é"), ("{0!r:>8}", "a"),
                 ("{:>{}}", "a", 5), ("{:{}{}}", 1.5, 8, ".3f"), ("{0[0]}{0[1]}", (1, 2)),
                 ("{0[k]}", {"k": 5}), ("{0[a b]}", {"a b": 5}), ("{0.start}", slice(5, 6, 7)), ("{0.nothing}", 5),
                 ("{", 1), ("}", 1), ("{0", 1), ("{!}", 1), ("{!x}", 1), ("{!rx}", 1), ("{!r", 1),
                 ("{!", 1), ("{:", 1), ("{:5", 1), ("{0[}", 1), ("{0[1}", [1]), ("{0]}", 1),
                 ("{0[]}", [1]), ("{0.}", 1), ("{0[0]x}", [1]), ("{0}{}", 1, 2), ("{}{0}", 1, 2),
                 ("{:{:{}}}", 1, 2, 3), ("{a}",), ("{ }", 1), ("{0 }", 1), ("é{}é", "€"),
                 ("{:é^9}", "€"), ("{[0]}", [7]), ("{.stop}", slice(5, 6, 7)), ("{:d}", "x"), ("{:%}", 0.5),
                 ("a{{b}}c",), ("}}{{",), ("{:{{}}}", 1), ("{0:}", 1), ("{0!s:}", 1), ("{:}}", 1),
                 ("{99999999999999999999}", 1), ("{0[99999999999999999999]}", [1]), ("{-1}", 1),
                 ("{0[-1]}", {"-1": 2}), ("x{",), ("{a{}}", 1), ("{:{", 1),
                 ("{:{}", 1, 2), ("{!é}", 1), ("{0:{0}}", 3)]:
        t.do(args[0], fmt, *args[1:])
    t.do("{a} {b!r}", fmt, a=1, b="x")
    t.do("{a[0]}{a[1]}", fmt, a=[1, 2])
    t.do("{} {a}", fmt, 1, a=2)
    t.do("{:{w}}", fmt, 5, w=4)
    t.do("{b}", fmt, a=1)
    t.do("{0}", fmt, a=1)
    t.do("{a} {b}", "format_map", {"a": 1, "b": 2})
    t.do("{a}", "format_map", {})
    t.do("{}", "format_map", {"a": 1})
    t.do("{0}", "format_map", {"a": 1})
    t.do("{a:{b}}", "format_map", {"a": 1, "b": 5})
    t.do("{a}", "format_map", 1)
    t.write()


def percents():
    t = Table("percent")
    for s in ["%d", "%i", "%u", "%5d", "%-5d|", "%05d", "%+d", "% d", "%x", "%X", "%o", "%#x", "%#X",
              "%#o", "%#08x", "%.5d", "%8.3d", "%-8.3x|", "%ld", "%hd", "%Ld", "%s", "%r", "%a", "%c",
              "%e", "%f", "%g", "%E", "%G", "%F", "%.2f", "%08.2f", "%+.1e", "%#.0f", "%5s|", "%-5s|",
              "%.2s", "%%", "%5%", "%y", "%", "%l", "%5", "%.", "%(a)s", "%é", "%z", "%+05d",
              "%-05d|", "%.0d", "% 05d", "%+5s|", "%05s", "%.3r", "%3c|", "%#s"]:
        t.each([s], "%", [(42,), (-42,), (1.5,), ("é",), ("abc",), (None,), (10 ** 20,), 7, "s",
                          {"a": 1}, (), (1, 2)])
    for s, a in [("%s %s", (1, 2)), ("%s %s", (1,)), ("%s", ()), ("%*d", (5, 42)), ("%-*d|", (5, 42)),
                 ("%*d|", (-5, 42)), ("%.*f", (2, 1.5)), ("%*d", ("x", 1)), ("%.*d", ("x", 1)),
                 ("%*d", (5,)), ("%(a)s %(b)d", {"a": "x", "b": 2}), ("%(a)s", {}),
                 ("%(a)s", {"a": 1, "b": 2}), ("%(a", {"a": 1}), ("%(a)", {"a": 1}),
                 ("%(x(y)z)s", {"x(y)z": 1}), ("x", {}), ("x", []), ("x", [1]), ("x", 1), ("x", "y"),
                 ("%s", [1, 2]), ("%s", {"a": 1}), ("é%sé", "€"), ("%99999999999999999999d", 1),
                 ("%.99999999999999999999d", 1), ("%.2147483648f", 1.0), ("%c", 65), ("%c", "é"),
                 ("%c", "ab"), ("%c", -1), ("%c", 0x110000), ("%c", 1.5), ("%c", ""), ("%c", 1 << 70),
                 ("%d", 1.9), ("%d", -1.9), ("%x", 1.9), ("%d", "1"), ("%f", "1"), ("%x", "1"),
                 ("%d", float("inf")), ("%d", float("nan")), ("%f", float("inf")), ("%5.1f|", float("nan")),
                 ("%010f", float("-inf")), ("%s", (b"x",)), ("%d", True), ("%s", True), ("%f", 10 ** 400),
                 ("%(a)s %s", {"a": 1}), ("%s %(a)s", {"a": 1}), ("%b", 1), ("%n", 1), ("%\x00", 1),
                 ("%.10d", -5), ("%#.5x", 255), ("%+#x", 255), ("%#d", 5), ("%(a)*d", {"a": 1}),
                 ("%.*f", (-2, 1.5)), ("%*s|", (1 << 70, 1))]:
        t.do(s, "%", a)
    t.write()


def numbers():
    t = Table("number")
    big = 1 << 100
    ints = [0, 1, -1, 5, 255, 256, -128, -129, 127, 128, 65535, -32768, big, -big, big - 1, True]
    for i in ints:
        for name in "bit_length bit_count conjugate as_integer_ratio is_integer __trunc__ " \
                    "__floor__ __ceil__ __round__ __getnewargs__".split():
            t.do(i, name)
        for name in ("real", "imag", "numerator", "denominator"):
            t.do(i, ".", name)
        for length in (0, 1, 2, 13, 14):
            for order in ("big", "little"):
                for signed in (False, True):
                    t.do(i, "to_bytes", length, order, signed=signed)
        t.do(i, "to_bytes")
    t.each([15, 25, 35, -15, -25, 1234567, 49, 50, 51, 150, 250, 10 ** 30 + 5], "__round__",
           [None, 0, 2, -1, -2, -3, -40])
    t.do(5, "__round__", "x")
    t.do(5, "__round__", 1.5)
    t.do(5, "to_bytes", -1, "big")
    t.do(5, "to_bytes", 1, "middle")
    t.do(5, "to_bytes", 1, 2)
    t.do(5, "to_bytes", "x")
    t.do(5, "to_bytes", 1, "big", True)
    t.do(5, "to_bytes", length=2, byteorder="little")
    t.do(5, "to_bytes", nothing=1)
    for data in (b"", b"\x00", b"\x01", b"\xff", b"\x80", b"\x7f\xff", b"\x80\x00", b"\x01" * 9,
                 b"\xff" * 20, b"\x00" * 10 + b"\x01", [1, 2, 3], (255,)):
        for order in ("big", "little"):
            for signed in (False, True):
                t.do(int, "from_bytes", data, order, signed=signed)
    t.do(bool, "from_bytes", b"\x02", "big")
    t.do(int, "from_bytes", b"\x02")
    t.do(int, "from_bytes")
    t.do(int, "from_bytes", 1)
    t.do(int, "from_bytes", "abc", "big")
    t.do(int, "from_bytes", [256], "big")
    t.do(int, "from_bytes", b"", "x")
    t.do(int, "from_bytes", bytes=b"\x01\x02", byteorder="big")
    floats = [0.0, -0.0, 1.0, -1.5, 0.1, 2.5, 3.5, -2.5, 0.5, 1e16, 1e22, 1e300, 5e-324, 1e-310,
              2.2250738585072014e-308, 1.7976931348623157e308, float("inf"), float("-inf"),
              float("nan"), 123456.789, 1e15 + 0.5, 15.0, 25.0, 250.0, 0.05]
    for f in floats:
        for name in "is_integer hex as_integer_ratio conjugate __trunc__ __floor__ __ceil__ " \
                    "__round__".split():
            t.do(f, name)
        t.do(f, ".", "real")
        t.do(f, ".", "imag")
        for n in (0, 1, 2, 5, 20, -1, -2, -3, 400, -400, None):
            t.do(f, "__round__", n)
    t.do(1.7e308, "__round__", -308)
    t.do(1.5, "__round__", "x")
    for text in ["0x1p0", "1", "-0x1.8p1", "0x.8", "0x", "", "  0x1p-1074  ", "0x1p1024", "inf", "-inf",
                 "nan", "infinity", "1.8p3", "0x1.fffffffffffff8p1023", "0x1p", "0xg", "0x1 x", "1p-5000",
                 "+0XA.8P+1", "0x1.00000000000008p0", "0x1.000000000000080001p0", "."]:
        t.do(float, "fromhex", text)
    t.do(float, "fromhex", 1)
    values = [complex(0, 0), complex(1, 2), complex(-1.5, 0), complex(0, -2), complex(3, -4), complex(1e200, 1)]
    others = values + [0, 2, -3, 1.5, True]
    for v in values:
        for op in ("-x", "+x", "abs", "repr", "str", "conjugate", "int", "float", "~x"):
            t.do(v, op)
        t.do(v, ".", "real")
        t.do(v, ".", "imag")
        for op in ("+", "-", "*", "==", "!="):
            for w in others:
                t.do(v, op, w)
                t.do(w, op, v)
        for w in others:
            if w != 0:
                t.do(v, "/", w)
            for op in ("<", "//", "%", "divmod"):
                t.do(v, op, w)
        t.do(v, "+", "x")
    for v in (complex(1, 2), complex(0, 1), complex(-2, 0)):
        for w in (0, 1, 2, 3, 10, -1, -2):
            t.do(v, "**", w)
    t.do(complex(1e300, 1e300), "**", 3)
    t.do(complex(1, 1), "**", 2, 3)
    t.do(complex(1e308, 1.7e308), "abs")
    for v in (complex(-0.0, 1), complex(0.0, -0.0), complex(-0.0, -0.0), complex(float("nan"), float("inf")),
              complex(1, float("-inf")), complex(1e16, 1e-5), complex(1.5, -2.5)):
        t.do(v, "repr")
    for text in ["1", "1j", "j", "-j", "+j", "1+2j", "1-2j", "1+j", " 1+2j ", "(1+2j)", " ( 1+2j ) ", "1e5-1e-5j",
                 "nan", "infj", "nan+infj", "-1.5J", "", "x", "1+", "1+2", "1 + 2j", "1+2jj", "(1", "1)", "()",
                 "j1", "1j+2", "--1j", "1+-2j", "1\x00"]:
        t.do(complex, "call", text)
    t.do(complex, "call")
    t.do(complex, "call", 1)
    t.do(complex, "call", 1.5, 2)
    t.do(complex, "call", complex(1, 2))
    t.do(complex, "call", real=1, imag=2)
    t.do(complex, "call", imag=2)
    t.do(complex, "call", "1", 2)
    t.do(complex, "call", 1, "2")
    t.do(complex, "call", None)
    t.do(complex, "call", 1, None)
    t.do(complex, "call", [])
    t.do(-8.0, "**", 0.5)
    t.do(-8, "**", 0.5)
    for args in [("12", 10), ("ff", 16), ("0xff", 16), ("0xff", 0), ("-0b101", 0), ("z", 36), ("12", 2), ("12", 1),
                 ("12", 37), ("", 10), ("1_000",), ("1__0",), ("_1",), (" 42\n",), ("٤٢",), ("٤٢", 8), ("\u20031\u2003",),
                 ("4é",), ("é",), (b"12",), (b"ff", 16), (b"x",), (1.9,), (-1.9,), (12, 10), (None,), ([],), (),
                 (float("inf"),), (float("nan"),), ("1" * 50,), ("1\x00",), (b"1\x00",), ("0o17", 0), ("017", 0),
                 ("0", 0), ("00", 0), ("0_0", 0), ("0x_f", 16), ("+ 1",), ("0x", 16)]:
        t.do(int, "call", *args)
    t.do(int, "call", "ff", base=16)
    t.do(int, "call", base=16)
    for args in [("1.5",), (" 1e5 ",), ("inf",), ("-Infinity",), ("nan",), ("1_0.5",), ("1__0",), ("",), ("x",),
                 ("٤.٢",), ("\u20031.5\u3000",), (b"1.5",), (b"x",), (5,), (None,), ([],), (), ("0x1p3",), ("1e400",),
                 ("-1e400",), (10 ** 400,), ("1e-400",), ("1.",), (".5",), (".",), ("1e",), ("1\x00",), ("é",), (1, 2)]:
        t.do(float, "call", *args)
    t.write()


def bytes_methods():
    t = Table("bytes_method")
    for b in [b"", b"a", b"abc", b"banana", b" \t two  words\n", b"\xff\x00", b"MiXed Case", b"12", b"A,b,,c,",
              b"Hello World", b"\x1cx\x85"]:
        for name in "upper lower title capitalize swapcase isalpha isalnum isascii isdigit islower isspace " \
                    "istitle isupper strip lstrip rstrip split rsplit splitlines hex".split():
            t.do(b, name)
        t.do(b, "list")
        t.do(b, "repr")
    for name in "find rfind index rindex count".split():
        t.each([b"banana"], name, [b"a", b"an", b"", b"zz", 97, 256, -1, "a", None, 1.5])
        t.each([b"banana"], name, [b"a", b"", 110], INDICES)
        t.each([b"banana"], name, [b"a"], [0, -3, 2, None], INDICES)
        t.do(b"banana", name)
        t.do(b"banana", name, b"a", 1, 2, 3)
        t.do(b"banana", name, b"a", "x")
    for name in ("startswith", "endswith"):
        t.each([b"banana", b""], name, [b"ba", b"na", b"", (b"x", b"ba"), (), "ba", 1, (b"x", 1)])
        t.each([b"banana"], name, [b"ba", b"na", b""], [0, 1, -1, 4, 9], [None, 2, 100])
    for name in ("strip", "lstrip", "rstrip"):
        t.each([b"xxaxx", b"abc", b""], name, [b"x", b"", b"abc", None, "x", 1])
    for name in ("split", "rsplit"):
        t.each([b"a,b,,c", b",", b""], name, [b",", b"zz"], [-1, 0, 1, 2])
        t.each([b" a b  c ", b"abc", b"  "], name, [None], [-1, 0, 1, 2])
        t.do(b"a b c", name, maxsplit=1)
        t.do(b"a,b,c", name, sep=b",", maxsplit=1)
        t.do(b"a,b,c", name, b"")
        t.do(b"a,b,c", name, ",")
    t.each([b"a\nb\r\nc\rd", b"\n", b"a\x0bb", b"\r"], "splitlines", [True, False])
    for name in ("partition", "rpartition"):
        t.each([b"a.b.c", b"abc"], name, [b".", b"b", b"", "x"])
    t.each([b"banana", b""], "replace", [b"a", b"", b"na"], [b"", b"-", b"xyz"])
    t.each([b"banana"], "replace", [b"a", b""], [b"-"], [0, 1, 2, -1])
    t.do(b"banana", "replace", b"a")
    t.do(b"banana", "replace", "a", b"b")
    t.do(b"banana", "replace", b"a", "b")
    for name in ("removeprefix", "removesuffix"):
        t.each([b"banana"], name, [b"ba", b"na", b"", b"banana", b"zz", "x"])
    for name in ("ljust", "rjust", "center"):
        t.each([b"ab", b""], name, [0, 2, 3, 4, 5, 8, -3])
        t.each([b"ab"], name, [5, 6], [b"*"])
        t.do(b"a", name, 3, 1)
        t.do(b"a", name)
    t.each([b"42", b"-42", b"+42", b"", b"-"], "zfill", [0, 1, 3, 5, -1])
    t.each([b",", b""], "join", [[b"a", b"b", b"c"], (), (b"x",)])
    t.do(b",", "join", [b"a", "b"])
    t.do(b",", "join", 1)
    t.each([b"\x01\x02\x03\x04\x05"], "hex", [":", b"-"], [1, 2, 3, -2, 0, 9])
    t.do(b"ab", "hex", ":")
    t.do(b"ab", "hex", "::")
    t.do(b"ab", "hex", "\xe9")
    t.do(b"ab", "hex", sep="_", bytes_per_sep=1)
    for text in ["", "00ff", "DE AD be EF", " 0 1", "0", "zz", "0z", "é1", "1\n2"]:
        if text not in ("0", "1\n2", " 0 1"):
            t.do(bytes, "fromhex", text)
    t.do(bytes, "fromhex", 1)
    t.each([b"abc", b"\xc3\xa9", b"\xff\xfe", b"a\xe2\x82"], "decode", ["utf-8", "ascii", "latin-1", "nothing"],
           ["strict", "replace", "ignore", "backslashreplace", "xmlcharrefreplace", "bogus"])
    for name in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"):
        for text in ("", "aé", "😀"):
            t.do(text.encode(name), "decode", name)
    wide = [b"a", b"a\x00b", b"\x00\xdc", b"\x3d\xd8", b"\x3d\xd8a\x00", b"\xfe\xff\x00a", b"\xff\xfea\x00",
            b"\x00\xd8\x00"]
    t.each(wide, "decode", ["utf-16", "utf-16-le"], ["strict", "replace", "ignore"])
    t.each([b"a\x00\x00", b"\x00\x00\x11\x00", b"\x00\xd8\x00\x00", b"\xff\xfe\x00\x00a\x00\x00\x00"],
           "decode", ["utf-32", "utf-32-le"], ["strict", "replace"])
    t.do(b"abc", "decode", encoding="ascii")
    t.do(b"abc", "decode", 1)
    t.each([b"abcdef", b""], "[]", [slice(a, b, c) for a in (None, 1, -2, 9)
                                    for b in (None, 4, -1, -9) for c in (None, 2, -1, -2)])
    t.each([b"abc"], "[]", [0, 1, 2, -1, -3, 3, -4, None, "a", 1.5, slice(0, 1, 0), slice("a", None, None), 1 << 80])
    t.each([b"abc"], "+", [b"x", b"", 1, None, "x"])
    t.each([b"ab", b""], "*", [0, 1, 3, -1, "a", 1.5])
    t.each([b"banana"], "in", [b"an", b"", b"x", 97, 300, -1, None, "a"])
    for op in ("<", "<=", "==", "!=", ">", ">="):
        t.each([b"abc", b""], op, [b"abc", b"abd", b"ab", b"\xff"])
        t.do(b"a", op, 1)
    for args in [(), (3,), (-1,), (b"x",), ([1, 2],), ([256],), (["a"],), ("x",), ("é", "utf-8"), ("é", "ascii"),
                 ("é", "ascii", "replace"), (1.5,), (None,), (b"x", "ascii"), (1, "ascii")]:
        t.do(bytes, "call", *args)
    t.do(bytes, "call", "é", encoding="utf-8")
    t.do(bytes, "call", "é", errors="strict")
    t.do(bytes, "call", source=b"x")
    t.do(bytes, "call", b"x", errors="strict")
    t.do(bytes, "call", encoding="ascii")
    t.do(bytes, "call", "x", 1)
    t.write()


if __name__ == "__main__":
    bytes_methods()
    numbers()
    str_methods()
    formats()
    percents()
