/* SPDX-License-Identifier: MIT */
/* The works of work.c with ouroboros.hpp, as one would write them without caring for speed. */
#include <ouroboros.hpp>

#include <vector>

#include "work.h"

using ouro::ref;

namespace {

/* --- types -------------------------------------------------------------------------------- */

struct Node : ouro::object<Node> {
    ref<Node> next;
    ref<> other;
    long number = 0;
    ref<> get() { return other; }
    static void set_slots(PyTypeObject &type)
    {
        static PyMethodDef methods[] = {ouro::method<&Node::get>("get"), {}};
        type.tp_methods = methods;
    }
    OURO_MEMBERS(Node, next, other);
};

struct Link : ouro::object<Link> {
    ref<Link> next, prev;
    long number = 0;
    OURO_PLAIN_MEMBERS(Link, next, prev, number);
};

struct Tree : ouro::object<Tree> {
    std::vector<ref<Tree>> items;
    ouro::weakrefs weaklist;
    OURO_MEMBERS(Tree, items, weaklist);
};

/* --- pointers ------------------------------------------------------------------------------ */

void
make_and_drop(long count)
{
    for (long i = 0; i < count; i++) {
        ouro::make<Node>();
    }
}

void
make_a_chain(long count)
{
    ref<Node> first;
    for (long i = 0; i < count; i++) {
        ref<Node> node = ouro::make<Node>();
        node->next = std::move(first);
        first = std::move(node);
    }
}

ref<Node> held, spare;

void
hold(long)
{
    held = ouro::make<Node>();
    spare = ouro::make<Node>();
    held->other = spare;
}

void
let_go()
{
    held = nullptr;
    spare = nullptr;
}

void
copy_and_drop(long count)
{
    for (long i = 0; i < count; i++) {
        ref<Node> copy = held;
        asm volatile("" : : "r"(copy.object()) : "memory");
    }
}

void
move_around(long count)
{
    for (long i = 0; i < count; i++) {
        ref<Node> moving = std::move(held);
        held = std::move(spare);
        spare = std::move(moving);
        asm volatile("" : : : "memory");
    }
}

void
replace_member(long count)
{
    for (long i = 0; i < count; i++) {
        held->other = spare;
        asm volatile("" : : : "memory");
    }
}

void
call_method(long count)
{
    ref<> name = ouro::take(PyUnicode_InternFromString("get"));
    for (long i = 0; i < count; i++) {
        ouro::take(PyObject_CallMethodNoArgs(held.object(), name.object()));
    }
}

void
cast_down(long count)
{
    for (long i = 0; i < count; i++) {
        held->number += ouro::try_cast<Node>(held->other) != nullptr;
        asm volatile("" : : : "memory");
    }
}

/* --- graphs --------------------------------------------------------------------------------- */

ref<Node> chain;

void
prepare_chain(long count)
{
    for (long i = 0; i < count; i++) {
        ref<Node> node = ouro::make<Node>();
        node->next = std::move(chain);
        node->number = i;
        chain = std::move(node);
    }
}

void
drop_chain()
{
    chain = nullptr;
}

void
walk_chain(long)
{
    long sum = 0;
    for (ouro::borrowed<Node> node = chain; node; node = node->next) {
        sum += node->number;
    }
    asm volatile("" : : "r"(sum));
}

template <class T>
void
prepare_garbage(long count)
{
    ref<T> first = ouro::make<T>(), last = first;
    for (long i = 1; i < count; i++) {
        last->next = ouro::make<T>();
        last = ref<T>(last->next);
    }
    last->next = std::move(first);
}

ref<Tree> tree;

void
grow(Tree &parent, long &left)
{
    for (int i = 0; i < 10 && left > 0; i++) {
        parent.items.push_back(ouro::make<Tree>());
        --left;
    }
    for (ref<Tree> &item : parent.items) {
        if (left > 0) {
            grow(*item, left);
        }
    }
}

void
prepare_tree(long count)
{
    tree = ouro::make<Tree>();
    grow(*tree, count);
}

void
drop_tree()
{
    tree = nullptr;
}

void
prepare_array(long count)
{
    tree = ouro::make<Tree>();
    tree->items.reserve(static_cast<size_t>(count));
}

void
fill_array(long count)
{
    ref<Tree> parent = tree;
    for (long i = 0; i < count; i++) {
        parent->items.push_back(parent);
    }
    ouro::clear(parent->items);
}

ouro::weak<Tree> weak;

void
prepare_weak(long)
{
    tree = ouro::make<Tree>();
    weak = ouro::weak<Tree>(tree);
}

void
lock_weak(long count)
{
    for (long i = 0; i < count; i++) {
        ref<Tree> locked = weak.lock();
    }
}

void
drop_weak()
{
    weak = {};
    tree = nullptr;
}

}  // namespace

void
ready_types()
{
    ouro::ready<Node>("bench.Node");
    ouro::ready<Link>("bench.Link");
    ouro::ready<Tree>("bench.Tree");
}

const struct work works[] = {
    {"make and drop an object", nullptr, make_and_drop, nullptr},
    {"make a chain, and drop it", nullptr, make_a_chain, nullptr},
    {"copy and drop a reference", hold, copy_and_drop, let_go},
    {"swap two references", hold, move_around, let_go},
    {"replace a member", hold, replace_member, let_go},
    {"call a method", hold, call_method, let_go},
    {"ask for the type", hold, cast_down, let_go},
    {"lock a weak reference", prepare_weak, lock_weak, drop_weak},
    {"walk a chain", prepare_chain, walk_chain, drop_chain},
    {"fill and empty an array", prepare_array, fill_array, drop_tree},
    {"collect: all alive, members", prepare_chain, collect, drop_chain},
    {"collect: all alive, arrays", prepare_tree, collect, drop_tree},
    {"collect: all garbage", prepare_garbage<Node>, collect, nullptr},
    {"collect: all garbage, plain", prepare_garbage<Link>, collect, nullptr},
    {nullptr, nullptr, nullptr, nullptr},
};
