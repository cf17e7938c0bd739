# SPDX-License-Identifier: MIT
"""An asyncio server that collects while it waits.

    python3 cpython/examples/idle_loop.py

asyncio waits in its selector. The selector of this example gives idle time to ouro_gc, a
millisecond at a time, as long as no request is ready and there is something to collect. Requests
that arrive meanwhile wait for that millisecond at most.
"""

import asyncio
import gc
import selectors
import time

import ouro_gc


class IdleSelector(selectors.DefaultSelector):
    def select(self, timeout=None):
        end = None if timeout is None else time.monotonic() + timeout
        ready = super().select(0)
        while not ready and (end is None or time.monotonic() < end) and ouro_gc.donate(0.001):
            ready = super().select(0)
        if ready or end is None:
            return ready or super().select()
        return super().select(max(0, end - time.monotonic()))


class Session:
    """A session refers to its cart, which refers back: only the collector can free both."""

    def __init__(self, number):
        self.number = number
        self.cart = {"session": self, "items": [number]}


async def serve(sessions, requests):
    for number in range(requests):
        sessions[number % len(sessions)] = Session(number)
        if number % 100 == 0:
            await asyncio.sleep(0.001)  # nothing to do until the next requests come


def main():
    ouro_gc.enable(pause_budget_us=500)
    sessions = [Session(number) for number in range(20000)]
    gc.collect()
    loop = asyncio.SelectorEventLoop(IdleSelector())
    loop.run_until_complete(serve(sessions, 40000))
    loop.close()
    stats = ouro_gc.stats()
    print("%d cycles of slices, the longest slice %.2f ms; %d collections in one piece"
          % (stats["cycles"], 1e3 * stats["longest_slice_seconds"], stats["collections"][2] - 1))


if __name__ == "__main__":
    main()
