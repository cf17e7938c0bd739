# SPDX-License-Identifier: MIT
"""Our own modules at work, for `python -m ouro_audit own.py`. Instances of the example types hold
something, also those of types without a constructor, while ouro_gc collects."""

import gc

import linked
import lru
import ouro_gc
import pmap
import words

ouro_gc.enable()


class Observer:
    def __call__(self, *arguments):
        pass


observer = Observer()
thing = [observer]
several = linked.List([thing, "b", thing])
some = iter(several)
next(some)
node = several.first
cache = lru.Cache(2)
cache.watch(observer)
for key in "abc":
    cache[key] = [thing, cache]
versions = [pmap.Map({})]
for number in range(200):
    versions.append(versions[-1].set(number, [thing, number]))
pairs = iter(versions[-1])
next(pairs)
index = words.Index()
index.feed("one two two")
index.owner = several
gc.collect()
assert sum(ouro_gc.stats()["collections"]) > 0, ouro_gc.stats()
