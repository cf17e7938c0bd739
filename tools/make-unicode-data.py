#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write src/builtins/unicode_data.h: the properties of characters that str knows.

    python3 tools/make-unicode-data.py > src/builtins/unicode_data.h

The properties come from the Python that runs this script, so the version of Unicode is that of
this Python. The file in the repository was made with 3.13, which has Unicode 15.1.
"""
import sys
import unicodedata

POINTS = [c for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]


def spans(points):
    """Neighbours joined: [first, last] pairs."""
    result = []
    for c in points:
        if result and result[-1][1] == c - 1:
            result[-1][1] = c
        else:
            result.append([c, c])
    return result


def emit_spans(name, comment, points):
    emit_rows(f"static const struct span {name}[]", comment,
              ["{0x%X, 0x%X}" % (a, b) for a, b in spans(points)])


def emit_rows(declaration, comment, rows):
    print(f"\n/* {comment} */")
    print(f"{declaration} = {{")
    line = "   "
    for row in rows:
        if len(line) + len(row) + 2 > 92:
            print(line)
            line = "   "
        line += " " + row + ","
    print(line)
    print("};")


def emit_map(name, comment, pairs):
    """Runs of one or two steps in which the difference stays the same."""
    runs = []
    for c, to in sorted(pairs.items()):
        delta = to - c
        if runs:
            first, last, step, d = runs[-1]
            gap = c - last
            if d == delta and gap in (1, 2) and (first == last or gap == step):
                runs[-1] = (first, c, gap, d)
                continue
        runs.append((c, c, 1, delta))
    emit_rows(f"static const struct case_run {name}[]", comment,
              ["{0x%X, 0x%X, %d, %d}" % r for r in runs])


def emit_many(name, comment, table):
    rows = []
    for c, text in sorted(table.items()):
        rows.append("{0x%X, {%s}}" % (c, ", ".join("0x%X" % ord(x) for x in text)))
    emit_rows(f"static const struct case_many {name}[]", comment, rows)


def changed(method, base=None):
    """What a method makes of each character: to one character, and to several."""
    one, many = {}, {}
    for c in POINTS:
        text = method(chr(c))
        usual = base(chr(c)) if base else chr(c)
        if text == usual:
            continue
        if len(text) == 1:
            one[c] = ord(text)
        else:
            many[c] = text
    return one, many


def is_ignored_by_sigma(c):
    """Case_Ignorable: looked through when the end of a word is searched."""
    final = "\u03c2"
    return ("A" + chr(c) + "\u03a3").lower()[-1] == final and \
        (" " + chr(c) + "\u03a3").lower()[-1] != final


print(f"""/* SPDX-License-Identifier: MIT */
/* Properties of characters, Unicode {unicodedata.unidata_version}.
 *
 * Made by tools/make-unicode-data.py; do not edit. Everything is sorted. */
#ifndef OURO_BUILTINS_UNICODE_DATA_H
#define OURO_BUILTINS_UNICODE_DATA_H

#include <stdint.h>

/* Characters first to last. */
struct span {{
    uint32_t first, last;
}};

/* Characters first, first + step ... last; each becomes itself + delta. */
struct case_run {{
    uint32_t first, last;
    int32_t step, delta;
}};

/* A character that becomes several. */
struct case_many {{
    uint32_t from, to[3];
}};

/* clang-format off */""")

alpha = [c for c in POINTS if chr(c).isalpha()]
emit_spans("alpha_spans", "Letters.", alpha)
emit_spans("hidden_spans", "Not printable.", [c for c in POINTS if not chr(c).isprintable()])
emit_spans("space_spans", "Blanks.", [c for c in POINTS if chr(c).isspace()])
emit_spans("decimal_spans", "Decimal digits; each span begins with a zero.",
           [c for c in POINTS if chr(c).isdecimal()])
emit_spans("digit_spans", "Digits that are not decimal.",
           [c for c in POINTS if chr(c).isdigit() and not chr(c).isdecimal()])
emit_spans("numeric_spans", "Numbers that are no digits.",
           [c for c in POINTS if chr(c).isnumeric() and not chr(c).isdigit()])
title = {c for c in POINTS if unicodedata.category(chr(c)) == "Lt"}
emit_spans("title_spans", "Title case.", sorted(title))

upper, upper_many = changed(str.upper)
lower, lower_many = changed(str.lower)
is_upper = {c for c in POINTS if chr(c).isupper()}
is_lower = {c for c in POINTS if chr(c).islower()}
has_upper = set(upper) | set(upper_many)
has_lower = set(lower) | set(lower_many)
emit_spans("upper_spans", "Upper case although nothing is its lower case, or the other way round.",
           sorted(is_upper ^ (has_lower - title)))
emit_spans("lower_spans", "Lower case although nothing is its upper case, or the other way round.",
           sorted(is_lower ^ (has_upper - title)))

emit_map("to_upper", "Upper case of one character.", upper)
emit_many("to_upper_many", "Upper case of several characters.", upper_many)
emit_map("to_lower", "Lower case of one character; U+0130 is the only one with two.", lower)
one, many = changed(str.title, str.upper)
emit_map("to_title", "Title case, where it is not the upper case.", one)
emit_many("to_title_many", "The same, of several characters.", many)
one, many = changed(str.casefold, str.lower)
emit_map("to_folded", "For comparing without case, where it is not the lower case.", one)
emit_many("to_folded_many", "The same, of several characters.", many)

emit_spans("ignorable_spans", "Looked through when the end of a word is searched.",
           [c for c in POINTS if is_ignored_by_sigma(c)])
letters = set(alpha)
begins = {c for c in POINTS if chr(c).isidentifier()}
goes_on = {c for c in POINTS if ("a" + chr(c)).isidentifier()}
emit_spans("identifier_start_spans", "Begins an identifier and is no letter, or the other way round.",
           sorted(begins ^ letters))
emit_spans("identifier_spans", "Is part of an identifier and does not begin one.",
           sorted(goes_on - begins))
print("/* clang-format on */\n\n#endif")
