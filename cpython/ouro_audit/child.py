# SPDX-License-Identifier: MIT
"""Run a function in a forked child that may crash, hang, or damage its memory.

The child has an empty folder, no standard input, limits, and a process group of its own. It reports
line by line, in JSON. After a crash its parent has the lines so far."""

import contextlib
import json
import os
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
import traceback

MOST_MEMORY = 4 << 30  # bytes, in addition to what is mapped already
MOST_FILE = 64 << 20


class Ending:
    """How a child ended: `how` is "done", "signal", "timeout", "raised" or "exit"."""

    def __init__(self, how, detail=""):
        self.how, self.detail = how, detail

    def __bool__(self):
        return self.how == "done"

    def __str__(self):
        return {"signal": "it was killed by %s", "timeout": "no end after %s seconds",
                "exit": "it ended the process with status %s"}.get(self.how, "%s") % self.detail


def can_fork():
    """Whether experiments are possible here. They are not if other threads run at the same time."""
    return hasattr(os, "fork") and getattr(sys, "_is_gil_enabled", lambda: True)()


def mapped_bytes():
    with contextlib.suppress(OSError), open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * resource.getpagesize()
    return 0


def set_limits(seconds):
    for name, value in (("RLIMIT_CPU", int(seconds) + 1), ("RLIMIT_FSIZE", MOST_FILE),
                        ("RLIMIT_CORE", 0), ("RLIMIT_AS", mapped_bytes() + MOST_MEMORY)):
        kind = getattr(resource, name)
        hard = resource.getrlimit(kind)[1]
        if hard != resource.RLIM_INFINITY:
            value = min(value, hard)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (value, value))


def close_files(keep=()):
    """Close files, so that the child cannot reach files or connections of its parent."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in [int(name) for name in os.listdir("/proc/self/fd")] if os.path.isdir(
            "/proc/self/fd") else range(256):
        if number not in keep and number != nothing:
            with contextlib.suppress(OSError):
                os.dup2(nothing, number)


def _child(function, pipe, folder, seconds):
    if seconds is None:
        os.dup2(2, 1)  # the output of a module must not look like our reports
    else:
        os.setsid()
        close_files(keep=[pipe])
        os.chdir(folder)
        os.environ.update(HOME=folder, TMPDIR=folder)
        set_limits(seconds)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)

    def tell(**message):
        line = (json.dumps(message) + "\n").encode()
        while line:
            line = line[os.write(pipe, line):]

    function(tell)


def run_trusted(function, hear):
    """The same for a function that starts children itself. It has no limits, and keeps the files
    and the folder of its parent."""
    return run(function, hear, seconds=None)


def _lines(pipe, until):
    """Yield the lines of a child; at the end "timeout" if it took too long."""
    rest = b""
    while True:
        left = None if until is None else until - time.monotonic()
        if left is not None and left <= 0 or not select.select([pipe], [], [], left)[0]:
            yield "timeout"
            return
        data = os.read(pipe, 1 << 16)
        if not data:
            return
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            with contextlib.suppress(ValueError):  # a process with a damaged heap wrote it
                yield json.loads(line)


def run(function, hear=lambda message: None, seconds=10):
    """Call function(tell) in a child, and hear(message) for each tell(**message). Returns an Ending."""
    folder = tempfile.mkdtemp(prefix="ouro_audit")
    ours, theirs = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.close(ours)
            _child(function, theirs, folder, seconds)
            status = 0
        except BaseException:
            os.write(theirs, b"%s\n" % json.dumps({"raised": traceback.format_exc()}).encode())
        finally:
            os._exit(status)
    os.close(theirs)
    late, raised = False, None
    try:
        for message in _lines(ours, seconds and time.monotonic() + seconds):
            late = message == "timeout"
            if not late and "raised" in message:
                raised = message["raised"]
            elif not late:
                hear(message)
    finally:
        os.close(ours)
        with contextlib.suppress(OSError):
            os.killpg(pid, signal.SIGKILL) if late else None
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL) if late else None
        status = os.waitpid(pid, 0)[1]
        with contextlib.suppress(OSError):
            os.killpg(pid, signal.SIGKILL) if seconds else None  # processes that it started
        shutil.rmtree(folder, ignore_errors=True)
    if late:
        return Ending("timeout", "%g" % seconds)
    if os.WIFSIGNALED(status):
        return Ending("signal", signal.Signals(os.WTERMSIG(status)).name)
    if raised:
        return Ending("raised", raised)
    return Ending("exit", os.WEXITSTATUS(status)) if os.WEXITSTATUS(status) else Ending("done")
