# SPDX-License-Identifier: MIT
"""Claims about ouro_gc, each tried in a process of its own.

    @claim("what is true")
    def _():
        ...                       # AssertionError, a crash or a time-out: the claim is false

run() tries the claims whose name contains the first argument, and prints "ok NAME", "FAIL NAME: why"
or "skip NAME: why" for each.
"""

import os
import signal
import sys
import traceback

TIMEOUT = 120
_claims = []


class Skip(Exception):
    """The claim cannot be tried here. The message says why."""


def claim(name):
    def register(function):
        _claims.append((name, function))
        return function
    return register


def _try_in_child(function, pipe):
    signal.alarm(TIMEOUT)
    text, status = "", 0
    try:
        function()
    except Skip as why:
        text, status = str(why), 77
    except SystemExit as end:
        status = 0 if end.code in (None, 0) else 1
        text = "exit status %r" % end.code
    except BaseException:
        text, status = traceback.format_exc(), 1
    os.write(pipe, text[-4000:].encode())
    sys.stdout.flush()
    os._exit(status)


def _try(name, function):
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _try_in_child(function, writer)
    os.close(writer)
    with open(reader, "rb") as file:
        text = file.read().decode()
    status = os.waitpid(child, 0)[1]
    if status == 0:
        print("ok %s" % name)
    elif os.WIFEXITED(status) and os.WEXITSTATUS(status) == 77:
        print("skip %s: %s" % (name, text))
    else:
        print("FAIL %s: status %d %s" % (name, status, text.strip().replace("\n", " | ")))


def run():
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    for name, function in _claims:
        if wanted in name:
            sys.stdout.flush()
            _try(name, function)
