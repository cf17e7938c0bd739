# SPDX-License-Identifier: MIT
"""Objects to put into instances. Each can refer to any object, and so close a cycle.

The source of each is kept as text, for the programs that reproduce a finding."""

SOURCES = {
    "Object": "class Object: pass\n",
    "Thing": '''\
class Thing:
    """An object that can be called, iterated over, read from and written to."""
    def __call__(self, *args, **kwargs): return None
    def __iter__(self): return self
    def __next__(self): raise StopIteration
    def read(self, *args): return b""
    def readline(self, *args): return b""
    def write(self, data): return len(data)
    def keys(self): return []
''',
    "List": "class List(list): pass\n",
    "Dict": "class Dict(dict): pass\n",
    "Tuple": "class Tuple(tuple): pass\n",
    "Class": "def Class(): return type('Made', (), {})\n",
    "Text": "class Text(str): pass\n",
    "Data": "class Data(bytes): pass\n",
}

# Few programs derive from these. So a leak through them is real, but only a suspicion.
RARE = ("Text", "Data")

_namespace = {}
for _source in SOURCES.values():
    exec(_source, _namespace)

MAKERS = {name: _namespace[name] for name in SOURCES}


class Sentinel:
    """Alive as long as the thing that holds it. Some things cannot have weak references."""

    __slots__ = ("owner", "__weakref__")
