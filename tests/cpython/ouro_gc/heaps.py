# SPDX-License-Identifier: MIT
"""Live structures that can be checked, and garbage that can be counted."""

import random
import weakref


class Node:
    pass


class Slotted:
    __slots__ = ("left", "right", "__weakref__")


def live_graph(count, seed=1):
    """Nodes that refer to each other; is_intact() checks every one of them."""
    rng = random.Random(seed)
    nodes = [Node() for _ in range(count)]
    for number, node in enumerate(nodes):
        slotted = Slotted()
        slotted.left, slotted.right = node, (number, [number])
        node.number, node.other = number, rng.choice(nodes)
        node.table = {"node": node, number: slotted}
        node.items = [slotted, {node}]
    return nodes


def is_intact(nodes):
    for number, node in enumerate(nodes):
        slotted = node.items[0]
        if not (type(node) is Node and node.number == number and type(node.other) is Node
                and node.table["node"] is node and node.table[number] is slotted
                and slotted.left is node and slotted.right == (number, [number])
                and node.items[1] == {node}):
            return False
    return True


def cycles(count):
    """Make garbage in cycles of three objects. Returns weak references to nodes of it."""
    watched = []
    for _ in range(count):
        node = Node()
        node.self = [node, {"node": node}]
        watched.append(weakref.ref(node))
    return watched


def all_dead(watched):
    return all(reference() is None for reference in watched)
