# SPDX-License-Identifier: MIT
"""An audit of live objects finds the mistakes of tp_traverse in the zoo, and none in correct
types. Prints a line "ok NAME" or "FAIL NAME: why" for each claim."""

import gc
import sys
import weakref

import zoo
import ouro_audit

gc.disable()  # the mistakes would make a collection crash
HAS_HEAP_RULE = sys.version_info >= (3, 9)


def claim(name, holds, why=""):
    print("ok %s" % name if holds else "FAIL %s: %s" % (name, why))


def fill(node):
    """Puts lists into the fields, and makes a weak reference that the test holds."""
    for name in ("a", "b", "c", "attribute"):
        try:
            setattr(node, name, [])
        except AttributeError:
            pass
    for name in ("put", "append", "tag"):
        getattr(node, name, lambda value: None)([])
    try:
        return node, weakref.ref(node)
    except TypeError:  # heap types cannot have weak references before 3.9
        return node, None


def make(name):
    kind = getattr(zoo, name)
    return kind([], []) if name == "Pair" else kind("name") if name == "Name" else kind()


def codes(*objects):
    return sorted({finding.code for finding in ouro_audit.audit(*objects)})


# An audit of live objects can judge types with a mistake in tp_traverse that shows in visits, and
# all correct types.
OTHERS = {"T05", "T06", "T07", "Meta"}


def check_type(name):
    node = fill(make(name))
    expected = ["GC-" + name[:3]] if name.startswith("T") else []
    if name == "T02_borrowed":
        owner = [[]]
        node[0].borrow(owner[0])
    found = codes(node[0])
    if name == "T11":
        found = [code for code in found if code == "GC-T11"]
    if name == "T03" and not HAS_HEAP_RULE:
        expected = []
    claim("%s: %s" % (name, " ".join(expected) or "clean"), found == expected,
          ouro_audit.audit(node[0]))


for name in sorted(vars(zoo)):
    if not name.startswith("__") and name not in OTHERS and (
            name[0] == "T" or not name[1:3].isdigit()):
        check_type(name)


# ---- details of a finding ----------------------------------------------------------------

node = fill(zoo.T01())[0]
finding = ouro_audit.audit(node)[0]
claim("a finding names the object", finding.object is node)
claim("a finding names the type", finding.type is zoo.T01)
claim("a finding names the field", finding.offset == object.__basicsize__ + 8,
      finding.offset)
claim("a finding names the referent", finding.referent is node.b)
claim("an unvisited field is certain when a child proves that it is owned", finding.certain)
claim("a finding is readable",
      str(finding).startswith("GC-T01 zoo.T01: field at offset 24 holds a tracked 'list' that "
                              "tp_traverse never visits"), str(finding))
claim("a finding has the name of the field", "'b'" in finding.field, finding.field)
claim("a declared field is silent",
      ouro_audit.audit(node, borrowed=[("zoo.T01", 24)]) == [])

twice = fill(zoo.T02())[0]
kept = twice.a
found = ouro_audit.audit(twice)
claim("two visits of one field are certain although others refer to the object",
      len(found) == 1 and found[0].certain and "2 times for 1 field" in found[0].text, found)

# ---- objects that a running function holds ------------------------------------------------


def borrow_what_a_variable_holds():
    node, local = zoo.StaticNode(), []
    node.borrow(local)
    return ouro_audit._run((node,), None, (), proof=False)[0]


claim("a variable of a running function accounts for its reference",
      borrow_what_a_variable_holds() == [], borrow_what_a_variable_holds())

node = zoo.Child()
node.adopt([])
claim("a field is no finding when a child proves that it is borrowed", codes(node) == [])

# ---- what must not be reported -----------------------------------------------------------

node = zoo.StaticNode()
owned = []
node.a = [owned]
node.borrow(node.a)
claim("a borrowed field is no finding when every reference is visited", codes(node) == [],
      ouro_audit.audit(node))


class Derived(zoo.HeapNode):
    __slots__ = ("x", "__dict__")


node = fill(Derived())[0]
node.x = node.a
claim("a class derived from a correct type is clean", codes(node) == [],
      ouro_audit.audit(node))
node.a = Derived
claim("an object may hold its own type", codes(node) == [], ouro_audit.audit(node))
claim("a list may hold its own type", codes([list, list]) == [])

nodes = zoo.T01(), zoo.T01()
nodes[0].b = nodes[1].b = type("Class", (), {})  # references that nothing explains
hashes = {id(nodes[0].b): None}
found = ouro_audit._run((hashes,), None, (), proof=False)[0]
claim("the hash of a key is no reference", found == [], found)


class Worse(zoo.T03):
    pass


found = ouro_audit.audit(Worse())
claim("the type that a base does not visit is the fault of the base",
      [finding.type for finding in found] == ([zoo.T03] if HAS_HEAP_RULE else []),
      found)

# ---- all objects, and the function for tests ---------------------------------------------

nodes = [fill(zoo.T01()) for _ in range(5)]
found = [finding for finding in ouro_audit.audit_all() if finding.type is zoo.T01]
claim("audit_all finds it, once for all objects", len(found) == 1 and found[0].count >= 5,
      found)
claim("audit_all can be limited to types",
      {finding.type for finding in ouro_audit.audit_all(zoo.T01)}
      == {zoo.T01})
ouro_audit.assert_clean(zoo.HeapNode(), zoo.StaticNode)
claim("assert_clean is silent about correct types", True)
try:
    ouro_audit.assert_clean(nodes[0][0])
except AssertionError as error:
    claim("assert_clean lists findings", "GC-T01 zoo.T01" in str(error), error)
else:
    claim("assert_clean lists findings", False, "no AssertionError")
ouro_audit.assert_clean(nodes[0][0], ignore=["GC-T01"])
ouro_audit.assert_clean(zoo.T01, ignore=[("GC-T01", "zoo.T01")])
claim("assert_clean ignores what it is told to", True)
ouro_audit.declare_borrowed(zoo.T01, 24)
ouro_audit.assert_clean(nodes[0][0])
claim("declare_borrowed silences a field", True)

before = [sys.getrefcount(value) for value in (nodes, zoo.T01, nodes[0][0])]
for _ in range(3):
    ouro_audit.audit(nodes[0][0])
    ouro_audit.audit_all(zoo.T01)
after = [sys.getrefcount(value) for value in (nodes, zoo.T01, nodes[0][0])]
claim("an audit leaves no reference behind", before == after, (before, after))
