#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare this tree with another commit: `make bench BASE=commit` calls this script.

Both take turns at every row, as the peers of run.py do, so that a noisy minute hits both. The
best sample of each counts. Rows of programs (letters D and further) may not be more than 5 %
worse, except those of the program that makes no objects: they measure the machine. Rows that are
worse are marked, and the exit status is 1 then.
"""
import sys

from rows import UNITS, US
from run import Bench, parse_arguments
from table import number

BASE = "base"
ALLOWED = 1.05
FIRST_PROGRAM = "D"


class Comparison(Bench):
    def peers_of(self, row, round_):
        # The peer that goes first changes from round to round.
        return [US, BASE] if round_ % 2 else [BASE, US]


def worse_by(row, now, before):
    """Above 1: worse than before."""
    if not now or not before:
        return None
    return before / now if row.more_is_better else now / before


def best_of(bench, row, peer):
    figure = bench.figure(row, peer)
    return figure and figure["max" if row.more_is_better else "min"]


def main():
    bench = Comparison(parse_arguments())
    bench.run()
    slower, group = [], None
    print(f"{'':64}{BASE:>12}{'now':>12}{'now/base':>10}")
    for row in sorted(bench.rows, key=lambda r: r.letter):
        if row.group != group:
            group = row.group
            print(group)
        now, before = (best_of(bench, row, peer) for peer in (US, BASE))
        ratio = worse_by(row, now, before)
        is_slower = (ratio and ratio > ALLOWED and row.letter >= FIRST_PROGRAM
                     and not row.args[1].startswith("idle"))
        slower += [row] if is_slower else []
        label = f"  {row.label} [{UNITS[row.unit][2]}]"
        print(f"{label:64.64}{number(before):>12}{number(now):>12}"
              f"{f'{ratio:.2f}' if ratio else '-':>10}{'  WORSE' if is_slower else ''}")
    print(f"{len(bench.rows)} rows, {len(slower)} rows of programs more than 5 % worse")
    for failure in bench.failures:
        print(f"bench: {failure}", file=sys.stderr)
    sys.exit(1 if slower or bench.failures else 0)


if __name__ == "__main__":
    main()
