# SPDX-License-Identifier: MIT
"""--install-pth, --remove-pth: one line in site-packages that OURO_GC=1 activates.

The line looks at the environment first, and imports nothing without OURO_GC=1. It does nothing
under -E and -I, which tell Python to ignore the environment. If ouro_gc is missing, or refuses
this CPython, the program starts nevertheless.
"""

import os
import sys
import sysconfig

NAME = "ouro_gc_enable.pth"
LINE = ("import os, sys; "
        "os.environ.get('OURO_GC') == '1' and not sys.flags.ignore_environment and "
        "exec(\"try:\\n import ouro_gc\\n ouro_gc.enable()\\nexcept Exception: pass\")\n")


def path():
    return os.path.join(sysconfig.get_path("purelib"), NAME)


def install():
    try:
        with open(path(), "w", encoding="ascii") as file:
            file.write(LINE)
    except OSError as error:
        print("ouro_gc: %s" % error, file=sys.stderr)
        return 1
    print(path())
    return 0


def remove():
    try:
        os.remove(path())
    except FileNotFoundError:
        print("ouro_gc: there is no %s" % path(), file=sys.stderr)
        return 1
    except OSError as error:
        print("ouro_gc: %s" % error, file=sys.stderr)
        return 1
    print(path())
    return 0
