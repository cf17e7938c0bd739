# SPDX-License-Identifier: MIT
"""Claims about ouro_heap, in the Python that runs this: prints "ok claim" or "FAIL claim"."""

import gc
import json
import os
import subprocess
import sys
import tempfile
import threading
import traceback

import ouro_heap

FOLDER = tempfile.mkdtemp()
HAS_NAMED_LOCALS = sys.version_info[:2] != (3, 11)


class Heap:
    """A snapshot as JSON, read again."""

    def __init__(self, **options):
        path = os.path.join(FOLDER, "heap.json")
        ouro_heap.snapshot(path, **options)
        with open(path, encoding="utf-8") as file:
            self.text = file.read()
        os.unlink(path)
        heap = json.loads(self.text)
        width = len(heap["node_fields"])
        self.nodes = [heap["nodes"][at:at + width] for at in range(0, len(heap["nodes"]), width)]
        self.strings = heap["strings"]
        self.numbers = {node[0]: n for n, node in enumerate(self.nodes) if n >= heap["roots"]}
        firsts = [node[4] for node in self.nodes] + [len(heap["edges"]) // 3]
        self.edges = [[(heap["edges"][3 * e], self.edge_name(heap["edges"], e))
                       for e in range(firsts[n], firsts[n + 1])] for n in range(len(self.nodes))]

    def edge_name(self, edges, e):
        name, is_index = edges[3 * e + 1:3 * e + 3]
        return name if is_index else self.strings[name]

    def names(self, owner, target):
        return [name for to, name in self.edges[self.numbers[id(owner)]]
                if to == self.numbers[id(target)]]

    def roots(self, target):
        return [(self.type_of(group), name) for group in range(1, 6)
                for to, name in self.edges[group] if to == self.numbers[id(target)]]

    def type_of(self, n):
        return self.strings[self.nodes[n][2]]

    def node(self, target):
        return self.nodes[self.numbers[id(target)]]


class Instance:
    def __init__(self, value):
        self.left = value
        self.right = [value]


class Slotted:
    __slots__ = ("first", "second")


KEPT = {"secret-key": ["secret-text"]}


def claim_attributes_have_names():
    value = [1]
    instance, slotted = Instance(value), Slotted()
    slotted.first, slotted.second = [2], [3]
    heap = Heap()
    holder = instance
    if id(instance.__dict__) in heap.numbers:  # the dict existed before this line asked for it
        names = heap.names(instance, value) or heap.names(instance.__dict__, value)
    else:
        names = heap.names(holder, value)
    assert names in (["left"], ["['left']"]), names
    assert heap.names(slotted, slotted.second) == ["second"]
    assert heap.type_of(heap.numbers[id(instance)]).endswith(".Instance")


def claim_a_dict_is_not_made_by_looking():
    instance = Instance([1])
    before = gc.get_referents(instance)
    Heap()
    assert [type(one) for one in gc.get_referents(instance)] == [type(one) for one in before]


def claim_items_have_indexes():
    items = [[], [], []]
    heap = Heap()
    assert heap.names(items, items[2]) == [2]
    assert heap.names(tuple(items), items[0]) == [0] if id(tuple(items)) in heap.numbers else True


def claim_values_and_keys_are_secret_unless_asked_for():
    heap = Heap()
    assert "secret-key" not in heap.text and "secret-text" not in heap.text
    assert heap.names(KEPT, KEPT["secret-key"]) == ["(value)"]
    heap = Heap(values=True)
    assert heap.names(KEPT, KEPT["secret-key"]) == ["['secret-key']"]
    assert "'secret-text'" in heap.text


def claim_modules_are_roots():
    heap = Heap()
    assert ("(modules)", "sys.modules") in heap.roots(sys.modules)
    assert heap.names(sys.modules, sys.modules["json"]) == ["['json']"]
    assert heap.names(globals(), KEPT) == ["['KEPT']"]


def claim_local_variables_are_roots():
    local_variable = [1]
    heap = Heap()
    roots = heap.roots(local_variable)
    assert len(roots) == 1 and roots[0][0] == "(threads)", roots
    if HAS_NAMED_LOCALS:
        assert "claim_local_variables_are_roots (check_heap.py:" in roots[0][1], roots
        assert roots[0][1].endswith(": local_variable"), roots


def claim_local_variables_of_other_threads_are_roots():
    ready, done, found = threading.Event(), threading.Event(), []

    def wait():
        elsewhere = [1]
        found.append(id(elsewhere))
        ready.set()
        done.wait()
        return elsewhere

    thread = threading.Thread(target=wait)
    thread.start()
    ready.wait()
    heap = Heap()
    done.set()
    thread.join()
    number = heap.numbers[found[0]]
    names = [name for to, name in heap.edges[1] if to == number]
    assert names and (not HAS_NAMED_LOCALS or names[0].endswith(": elsewhere")), names


def claim_garbage_is_in_the_group_of_cycles():
    cycle = []
    cycle.append(cycle)
    number = id(cycle)
    gc.collect()
    gc.disable()
    del cycle
    heap = Heap()
    gc.enable()
    assert heap.numbers[number] in [to for to, _ in heap.edges[5]]


def claim_sizes_are_those_of_sys_getsizeof():
    things = [[1, 2, 3], {"a": 1}, {1, 2}, (1, 2), "text" * 3, Instance, claim_items_have_indexes]
    heap = Heap()
    for thing in things:
        assert heap.node(thing)[1] == sys.getsizeof(thing), (thing, heap.node(thing)[1])


def claim_a_snapshot_leaves_no_trace():
    Heap()
    gc.collect()
    before = len(gc.get_objects())
    assert gc.isenabled()
    for _ in range(3):
        Heap()
        gc.collect()
    assert gc.isenabled()
    assert abs(len(gc.get_objects()) - before) <= 3


def claim_the_file_is_for_its_owner_and_never_over_another():
    path = os.path.join(FOLDER, "one.heapsnapshot")
    ouro_heap.snapshot(path)
    assert os.stat(path).st_mode & 0o777 == 0o600
    try:
        ouro_heap.snapshot(path)
        raise AssertionError("written twice")
    except FileExistsError as error:
        assert error.filename == path
    with open(path, encoding="utf-8") as file:
        assert json.load(file)["snapshot"]["node_count"] > 1000


def run_main(*arguments):
    return subprocess.run([sys.executable, "-m", "ouro_heap"] + list(arguments), cwd=FOLDER,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)


def claim_a_program_has_its_snapshot_at_the_end():
    script = os.path.join(FOLDER, "script.py")
    with open(script, "w", encoding="utf-8") as file:
        file.write("import sys\nkept_by_script = [sys.argv]\nprint(__name__, sys.argv[1:])\n"
                   "sys.exit(3)\n")
    result = run_main("-o", "end.json", script, "-x", "y")
    assert result.returncode == 3, result
    assert result.stdout == b"__main__ ['-x', 'y']\n", result.stdout
    with open(os.path.join(FOLDER, "end.json"), encoding="utf-8") as file:
        assert "['kept_by_script']" in json.load(file)["strings"]
    assert b"exists" in run_main("-o", "end.json", script).stderr


def claim_a_module_runs_as_with_python_m():
    result = run_main("-o", "module.json", "-m", "json.tool", "--help")
    assert result.returncode == 0 and b"usage:" in result.stdout, result
    assert os.path.exists(os.path.join(FOLDER, "module.json"))
    assert b"there is no module no_such_module" in run_main("-m", "no_such_module").stderr


def main():
    failed = 0
    for name, claim in sorted(globals().items()):
        if name.startswith("claim_"):
            try:
                claim()
                print("ok %s" % name[6:])
            except Exception:
                traceback.print_exc(file=sys.stdout)
                print("FAIL %s" % name[6:])
                failed += 1
            sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
