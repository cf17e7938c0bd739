# SPDX-License-Identifier: MIT
"""Ouroboros in gdb: objects, what refers to them, why they are alive, pages.

    (gdb) ouro print OBJ      its type, count and fields; the items of a list, a tuple or a dict
    (gdb) ouro types          the containers of the heap by type
    (gdb) ouro refs OBJ       which containers refer to it, and where
    (gdb) ouro why OBJ        a shortest path of references from something that is held
    (gdb) ouro page ADDR      the page of the heap that an address is in

OBJ is any expression. The commands call nothing in the program, so all of them work on core files.
They compare words of memory with the addresses of objects: a word that is no reference may look
like one. The library needs its debug information, which it has as built and installed.
"""

import collections
import struct

import gdb

WORD = 8
TRACKED, ALLOCATED = 1 << 0, 1 << 7
PAGE_SHIFT, LEAD = 16, 16
STATES = ("unused", "slots", "a large block begins here", "inside a large block")
ITEMS_MOST = 20


class Problem(gdb.GdbError):
    """What went wrong, as a message to the user."""


# --- memory -----------------------------------------------------------------------------------


def read(address, size):
    try:
        return bytes(gdb.selected_inferior().read_memory(address, size))
    except gdb.MemoryError:
        raise Problem("no memory can be read at 0x%x" % address)


def word_at(address):
    return struct.unpack("<Q", read(address, WORD))[0]


def text_at(address, most=200):
    try:
        return gdb.Value(address).cast(gdb.lookup_type("char").pointer()).string(length=-1)[:most]
    except (gdb.error, UnicodeDecodeError):
        return "?"


def value_at(address, name):
    """The structure of this type at an address."""
    try:
        kind = gdb.lookup_type(name)
    except gdb.error:
        raise Problem("there is no debug information of the library (%s)" % name)
    return gdb.Value(address).cast(kind.pointer()).dereference()


def address_of(argument):
    if not argument.strip():
        raise Problem("which object?")
    try:
        return int(gdb.parse_and_eval(argument).cast(gdb.lookup_type("unsigned long")))
    except gdb.error as error:
        raise Problem(str(error))


# --- objects ------------------------------------------------------------------------------------


class Object:
    def __init__(self, address):
        self.address = address
        self.count, self.gc, self.type = struct.unpack("<IIQ", read(address, 16))

    def type_value(self):
        return value_at(self.type, "PyTypeObject")

    def type_name(self):
        return type_name(self.type)

    def __str__(self):
        try:
            text = short_text(self)
        except Problem:
            text = ""
        return "'%s' 0x%x%s" % (self.type_name(), self.address, " " + text if text else "")


names = {}


def type_name(address):
    if address not in names:
        names[address] = text_at(int(value_at(address, "PyTypeObject")["tp_name"]))
    return names[address]


def str_value(address):
    """The text of a str that is ASCII or Latin-1 and compact; else a description of it."""
    head = value_at(address, "PyASCIIObject")
    state, length = head["state"], int(head["length"])
    if not int(state["compact"]) or int(state["kind"]) != 1:
        return "<%d characters>" % length
    offset = gdb.lookup_type("PyASCIIObject" if int(state["ascii"]) else
                             "PyCompactUnicodeObject").sizeof
    return read(address + offset, min(length, 200)).decode("latin-1")


def short_text(thing):
    kind = thing.type_name()
    if kind == "str":
        return repr(str_value(thing.address))
    if kind == "module":
        return ""
    if kind == "type":
        return type_name(thing.address)
    if kind in ("list", "tuple"):
        return "of %d items" % int(value_at(thing.address, "PyVarObject")["ob_size"])
    if kind == "dict":
        return "of %d items" % int(value_at(thing.address, "PyDictObject")["ma_used"])
    return ""


def members(thing):
    """{offset: name} of the fields that tp_members names, the bases' too."""
    found, kind = {}, thing.type
    while kind != 0:
        value = value_at(kind, "PyTypeObject")
        member = int(value["tp_members"])
        while member != 0 and int(value_at(member, "PyMemberDef")["name"]) != 0:
            entry = value_at(member, "PyMemberDef")
            if int(entry["type"]) in (6, 16):  # a reference
                found.setdefault(int(entry["offset"]), text_at(int(entry["name"])))
            member += gdb.lookup_type("PyMemberDef").sizeof
        kind = int(value["tp_base"])
    return found


def dict_entries(address):
    table = int(value_at(address, "PyDictObject")["ma_table"])
    if table == 0:
        return []
    value = value_at(table, "struct ouro_dict_table")
    count, start = int(value["count"]), int(value["entries"])
    data = read(start, count * 3 * WORD) if count else b""
    rows = [struct.unpack_from("<qQQ", data, i * 3 * WORD) for i in range(count)]
    return [(key, item) for _, key, item in rows if key != 0]


def key_text(key):
    return "[%s]" % repr(str_value(key)) if type_name(Object(key).type) == "str" else "[...]"


def references(thing, size):
    """(target, name) of every word that the object has, and of the items that it owns elsewhere."""
    kind, named = thing.type_name(), members(thing)
    if kind == "list":
        value = value_at(thing.address, "PyListObject")
        count, start = int(value["ob_base"]["ob_size"]), int(value["ob_item"])
        data = read(start, count * WORD) if count else b""
        return [(word, "[%d]" % i) for i, (word,) in enumerate(struct.iter_unpack("<Q", data))]
    if kind == "dict":
        return [pair for key, item in dict_entries(thing.address)
                for pair in ((item, key_text(key)), (key, "(key)"))]
    first = 24 if kind == "tuple" else 16
    data = read(thing.address + first, (size - first) // WORD * WORD) if size > first else b""
    found = []
    for i, (word,) in enumerate(struct.iter_unpack("<Q", data)):
        offset = first + i * WORD
        name = "[%d]" % i if kind == "tuple" else named.get(offset, "+%d" % offset)
        found.append((word, name))
    flags = int(thing.type_value()["tp_flags"])
    if flags & (1 << 4):  # a managed dict: the word two before the object
        found.append((word_at(thing.address - 2 * WORD), "__dict__"))
    return found


# --- the heap -------------------------------------------------------------------------------------


def main_interpreter():
    for name in ("main_interpreter", "'src/thread/registry.c'::main_interpreter"):
        try:
            return gdb.parse_and_eval(name)
        except gdb.error:
            continue
    raise Problem("there is no Ouroboros in this program, or no debug information of it")


class Heap:
    def __init__(self):
        self.interpreter = main_interpreter()
        heap = self.interpreter["heap"]
        self.base, self.size = int(heap["base"]), int(heap["size"])
        self.touched = int(heap["touched"])
        self.pages = heap["pages"]

    def page(self, number):
        return self.pages[number]

    def blocks(self):
        """(address, bytes) of every container."""
        for number in range(1, self.touched):
            page = self.page(number)
            state, start = int(page["state"]), self.base + (number << PAGE_SHIFT)
            if state == 2:
                address = start + int(page["lead"])
                size = int(page["extent"]) * 64 - int(page["front"])
                if Object(address).gc & ALLOCATED:
                    yield address, size
            elif state == 1:
                yield from self.slots(page, start)

    def slots(self, page, start):
        data = read(start, 1 << PAGE_SHIFT)
        size, front = int(page["slot_size"]), int(page["front"])
        for at in range(int(page["lead"]), int(page["untouched"]), size):
            if struct.unpack_from("<I", data, at + 4)[0] & ALLOCATED:
                yield start + at, size - front


def referrers_of(heap, wanted):
    """{target: [(owner, name)]} for the targets of the set."""
    found = collections.defaultdict(list)
    for address, size in heap.blocks():
        thing = Object(address)
        if thing.gc & TRACKED:
            for target, name in references(thing, size):
                if target in wanted:
                    found[target].append((address, name))
    return found


def holders(interpreter):
    """{address: description} of the objects that the interpreter and its threads hold."""
    found = {}
    for field in ("modules", "dict", "sys_dict", "builtins", "modules_by_index", "memory_error"):
        found[int(interpreter[field])] = "the interpreter's field '%s'" % field
    thread = int(interpreter["threads"])
    while thread != 0:
        value = value_at(thread, "struct _ts")
        for field in ("dict", "error", "handled"):
            found[int(value[field])] = "thread %d's field '%s'" % (int(value["id"]), field)
        thread = int(value["next"])
    found.pop(0, None)
    return found


def static_holder(address):
    """The static variable that has the address: "kept in section .bss of program"; or None."""
    pattern = struct.pack("<Q", address)
    for line in gdb.execute("info files", to_string=True).splitlines():
        words = line.split()
        if len(words) < 5 or words[1] != "-" or words[4] not in (".data", ".bss"):
            continue
        start, end = int(words[0], 16), int(words[2], 16)
        try:
            found = gdb.selected_inferior().search_memory(start, end - start, pattern)
        except gdb.MemoryError:
            continue
        if found is not None:
            name = gdb.execute("info symbol 0x%x" % found, to_string=True).strip()
            return "the static variable " + name
    return None


# --- the commands ---------------------------------------------------------------------------------


class Ouro(gdb.Command):
    __doc__ = __doc__

    def __init__(self):
        super().__init__("ouro", gdb.COMMAND_DATA, gdb.COMPLETE_NONE, True)


class Print(gdb.Command):
    """ouro print OBJ: its type, count and fields; the items of a list, a tuple or a dict."""

    def __init__(self):
        super().__init__("ouro print", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        thing = Object(address_of(argument))
        where = "tracked" if thing.gc & TRACKED else "not tracked"
        print("%s\n  references %d, %s" % (thing, thing.count, where))
        size = int(thing.type_value()["tp_basicsize"])
        if thing.type_name() == "tuple":
            size = 24 + WORD * int(value_at(thing.address, "PyVarObject")["ob_size"])
        shown = [(name, target) for target, name in references(thing, size) if name != "(key)"]
        for name, target in shown[:ITEMS_MOST]:
            print("  %-16s %s" % (name, describe(target)))
        if len(shown) > ITEMS_MOST:
            print("  and %d more" % (len(shown) - ITEMS_MOST))


def describe(target):
    """An object, if the word looks like one."""
    try:
        thing = Object(target)
        if thing.count > 0 and type_name(Object(thing.type).type) in ("type", "ABCMeta"):
            return str(thing)
    except (Problem, gdb.error):
        pass
    return "0x%x" % target


class Types(gdb.Command):
    """ouro types: the containers of the heap by type."""

    def __init__(self):
        super().__init__("ouro types", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        counts = collections.Counter()
        sizes = collections.Counter()
        for address, size in Heap().blocks():
            name = Object(address).type_name()
            counts[name] += 1
            sizes[name] += size
        print("%10s %12s  type" % ("objects", "bytes"))
        for name, count in counts.most_common():
            print("%10d %12d  %s" % (count, sizes[name], name))


class Refs(gdb.Command):
    """ouro refs OBJ: which containers refer to it, and where."""

    def __init__(self):
        super().__init__("ouro refs", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        address = address_of(argument)
        found = referrers_of(Heap(), {address})[address]
        print("%s: references %d, found in containers %d" %
              (Object(address), Object(address).count, len(found)))
        for owner, name in found:
            print("  %-16s of %s" % (name, Object(owner)))


class Why(gdb.Command):
    """ouro why OBJ: a shortest path of references from something that is held."""

    def __init__(self):
        super().__init__("ouro why", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        heap, start = Heap(), address_of(argument)
        held = holders(heap.interpreter)
        edges = all_referrers(heap)
        path, end = find_holder(start, edges, held)
        print(Object(start))
        for owner, name in path:
            print("  held by %s of %s" % (name, Object(owner)))
        print("  held by %s" % end)


def all_referrers(heap):
    everything = {address for address, _ in heap.blocks()}
    return referrers_of(heap, Everything(everything))


class Everything:
    """A set of the heap's blocks, and of any address outside the heap that is no small number."""

    def __init__(self, blocks):
        self.blocks = blocks

    def __contains__(self, address):
        return address in self.blocks or (address > 0xFFFF and address % WORD == 0)


def find_holder(start, edges, held):
    """The path from `start` to something that is held, and by what: known holders first, then
    references that nothing in the heap explains."""
    before, queue, unexplained = {start: None}, collections.deque([start]), None
    while queue:
        at = queue.popleft()
        if at in held:
            return unwind(before, at), held[at]
        missing = Object(at).count - len(edges[at])
        if missing > 0 and unexplained is None and missing < 1 << 30:
            unexplained = at, missing
        for owner, name in edges[at]:
            if owner not in before:
                before[owner] = at, name
                queue.append(owner)
    if unexplained is None:
        return [], "nothing but a cycle that it is part of"
    at, missing = unexplained
    return unwind(before, at), static_holder(at) or "%d reference%s that no container has" % (
        missing, "" if missing == 1 else "s")


def unwind(before, at):
    path = []
    while before[at] is not None:
        towards, name = before[at]
        path.append((at, name))
        at = towards
    return path[::-1]


class Page(gdb.Command):
    """ouro page ADDR: the page of the heap that an address is in."""

    def __init__(self):
        super().__init__("ouro page", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        heap, address = Heap(), address_of(argument)
        number = (address - heap.base) >> PAGE_SHIFT
        if not 0 < number < heap.touched:
            raise Problem("0x%x is not in the heap" % address)
        page = heap.page(number)
        start = heap.base + (number << PAGE_SHIFT)
        used = int(page["left"]) + int(page["notify"]) & 0xFFFF
        print("page %d, from 0x%x on: %s" % (number, start, STATES[int(page["state"])]))
        print("  slots of %d bytes, %d of %d used" %
              (int(page["slot_size"]), used, int(page["capacity"])))
        if int(page["state"]) == 1:
            offset = (address - start - int(page["lead"])) % int(page["slot_size"])
            block = address - offset
            if Object(block).gc & ALLOCATED:
                print("  in %s, at offset %d" % (Object(block), offset))
            else:
                print("  in a free slot, at offset %d" % offset)


for command in (Ouro, Print, Types, Refs, Why, Page):
    command()
