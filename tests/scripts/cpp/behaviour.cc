/* SPDX-License-Identifier: MIT */
/* What ouroboros.hpp promises, claim by claim. Each test prints "ok" or "FAIL" and its name. The
 * file is compiled for this library and for CPython, with and without C++ exceptions and RTTI. */
#include <ouroboros.hpp>

#include <array>
#include <cstring>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#ifdef OUROBOROS
#include <ouroboros.h>
#endif

using ouro::borrowed;
using ouro::ref;
using ouro::weak;

/* --- a harness ------------------------------------------------------------------------------------ */

static std::vector<std::pair<const char *, void (*)()>> tests;
static bool is_well;

struct registration {
    registration(const char *name, void (*run)()) { tests.emplace_back(name, run); }
};

#define TEST(name)                                                                       \
    static void name();                                                                  \
    static registration register_##name(#name, name);                                    \
    static void name()

#define EXPECT(condition)                                                                \
    do {                                                                                 \
        if (!(condition)) {                                                              \
            std::printf("     %s:%d: %s\n", __FILE__, __LINE__, #condition);             \
            is_well = false;                                                             \
        }                                                                                \
    } while (0)

static long
count_of(borrowed<> op)
{
    return static_cast<long>(Py_REFCNT(op.object()));
}

/* Whether an exception of this type is pending. Clears it. */
static bool
was_raised(PyObject *type, const char *text = "")
{
    auto exception = ouro::detail::take_pending();
    if (!exception || !PyErr_GivenExceptionMatches(exception.object(), type)) {
        return false;
    }
    auto words = ref<>::adopt(PyObject_Str(exception.object()));
    return std::strstr(PyUnicode_AsUTF8(words.object()), text) != nullptr;
}

/* A new object. There must be memory for it. */
template <class T, class... A>
static ref<T>
fresh(A &&...arguments)
{
    return ouro::try_make<T>(std::forward<A>(arguments)...).value();
}

/* --- classes ---------------------------------------------------------------------------------------- */

/* Counts the live objects of this class; other objects hold them. */
struct Leaf : ouro::object<Leaf> {
    static inline int alive = 0;
    std::string text;
    explicit Leaf(std::string words = "") : text(std::move(words)) { alive++; }
    ~Leaf() { alive--; }
    OURO_NO_MEMBERS(Leaf);
};

/* Each object writes down what happens to it. */
class Diary : public ouro::object<Diary> {
  public:
    static inline std::string log;
    static inline ref<> kept;
    bool is_rescued = false;
    ref<> next;

    Diary() { log += tracked() ? "made-tracked " : "made "; }
    ~Diary() { log += tracked() ? "destroyed-tracked " : "destroyed "; }
    bool tracked() { return PyObject_GC_IsTracked(self().object()) != 0; }

  private:
    ouro::weakrefs weaklist;

    void finalize()
    {
        log += "finalized ";
        if (is_rescued) {
            kept = ref<Diary>::share(self());
        }
    }
    OURO_MEMBERS(Diary, next, weaklist);
};

struct Pair {
    int number = 0;
    ref<Leaf> first;
    ref<> second;
    OURO_MEMBERS(Pair, first, second);
};

struct Group { /* not all members are stored in place */
    ref<> head;
    std::vector<ref<>> tail;
    OURO_MEMBERS(Group, head, tail);
};

/* A container of the test's own, and how it is visited. */
template <class X> struct Ring {
    X items[4];
    unsigned used = 0;
};
template <class X> struct ouro::holder<Ring<X>> {
    static int visit(const Ring<X> &ring, ouro::visitor call) noexcept
    {
        int result = 0;
        for (unsigned i = 0; i < ring.used && result == 0; i++) {
            result = ouro::visit(ring.items[i], call);
        }
        return result;
    }
    static void clear(Ring<X> &ring) noexcept
    {
        for (X &item : ring.items) {
            ouro::clear(item);
        }
    }
};
template <class... X> struct ouro::holder<std::variant<X...>> {
    static int visit(const std::variant<X...> &member, ouro::visitor call) noexcept
    {
        return std::visit([&](const auto &value) { return ouro::visit(value, call); },
                          member);
    }
};

struct All : ouro::object<All> {
    ref<> one;
    ref<> array[2];
    std::array<ref<>, 2> standard;
    std::pair<ref<Leaf>, ref<>> pair;
    std::pair<int, ref<>> mixed;
    std::vector<ref<>> vector;
    std::optional<ref<>> optional;
    std::unordered_map<std::string, ref<>> by_name;
    std::unordered_map<ref<>, std::vector<std::optional<ref<>>>> nested;
    std::list<std::map<int, Pair>> deep;
    std::unique_ptr<std::vector<ref<>>> far;
    std::variant<int, ref<>> either;
    Ring<ref<>> ring;
    Pair structure;
    Group group;
    weak<All> other;
    borrowed<> parent;
    ouro::weakrefs weaklist;
    std::string text = "longer than what fits into the string object itself";
    OURO_MEMBERS(All, one, array, standard, pair, mixed, vector, optional, by_name,
                 nested, deep, far, either, ring, structure, group, other, parent,
                 weaklist);
};

struct Link : ouro::object<Link> {
    ref<Link> next;
    int number = 0;
    ref<Link> prev;
    OURO_PLAIN_MEMBERS(Link, next, number, prev);
};

/* Virtual functions: the header stays where it is. */
struct Shape : ouro::object<Shape> {
    ref<> owner;
    virtual ~Shape() = default;
    virtual int sides() const { return 0; }
    OURO_MEMBERS(Shape, owner);
};

struct Square : ouro::object<Square, Shape> {
    static inline int destroyed = 0;
    ref<Leaf> colour;
    std::vector<ref<>> corners;
    ~Square() override { destroyed++; }
    int sides() const override { return 4; }
    OURO_MEMBERS(Square, colour, corners);
};

/* Adds nothing. */
struct Unit : ouro::object<Unit, Square> {
    OURO_NO_MEMBERS(Unit);
};

/* --- pointers ----------------------------------------------------------------------------------------- */

TEST(a_move_changes_no_count)
{
    ref<Leaf> a = fresh<Leaf>();
    PyObject *op = a.object();
    ref<Leaf> b = std::move(a);
    EXPECT(!a && b.object() == op && count_of(b) == 1);
    a = std::move(b);
    EXPECT(!b && a.object() == op && count_of(a) == 1);
    ref<> c = std::move(a);
    EXPECT(!a && c.object() == op && count_of(c) == 1);
}

TEST(a_copy_owns_a_reference_of_its_own)
{
    ref<Leaf> a = fresh<Leaf>();
    {
        ref<Leaf> b = a;
        ref<> c = a;
        EXPECT(count_of(a) == 3 && b == a && c == a);
    }
    EXPECT(count_of(a) == 1);
    a = *&a;
    EXPECT(count_of(a) == 1);
    a = std::move(*&a);
    EXPECT(a && count_of(a) == 1);
}

TEST(adopt_takes_a_reference_and_share_adds_one)
{
    PyObject *list = PyList_New(0);
    auto a = ref<>::adopt(list);
    EXPECT(count_of(a) == 1);
    auto b = ref<>::share(list);
    EXPECT(count_of(a) == 2);
    EXPECT(b.release() == list && !b);
    Py_DECREF(list);
    EXPECT(count_of(a) == 1);
}

TEST(a_borrowed_pointer_owns_nothing)
{
    ref<Square> a = fresh<Square>();
    borrowed<Square> b = a;
    borrowed<Shape> c = b;
    borrowed<> d = c;
    EXPECT(count_of(a) == 1 && b == a && c == a && d == a && b.get() == a.get());
    EXPECT(c->sides() == 4 && c.get() == static_cast<Shape *>(a.get()));
    ref<Shape> owner = ref<Shape>::share(c);
    EXPECT(count_of(a) == 2 && owner == a);
    EXPECT(borrowed<Square>(a.get()) == a && borrowed<Square>(*a) == a);
    EXPECT(borrowed<Square>() == nullptr && ref<Square>().get() == nullptr);
}

/* Looks at a pointer when it dies. */
struct Last : ouro::object<Last> {
    const ref<> *place;
    PyObject **seen;
    Last(const ref<> *where, PyObject **out) : place(where), seen(out) {}
    ~Last() { *seen = place->object(); }
    OURO_NO_MEMBERS(Last);
};

TEST(an_assignment_releases_the_old_object_when_the_new_one_is_there)
{
    (void)ouro::try_ready<Last>("test.Last");
    PyObject *seen = nullptr;
    ref<> slot, leaf = fresh<Leaf>();
    slot = fresh<Last>(&slot, &seen);
    slot = leaf;
    EXPECT(seen == leaf.object());
    slot = fresh<Last>(&slot, &seen);
    slot = ref<>(leaf);
    EXPECT(seen == leaf.object());
    slot = fresh<Last>(&slot, &seen);
    slot = nullptr;
    EXPECT(seen == nullptr);
}

TEST(pointers_are_keys_by_identity)
{
    std::unordered_set<ref<>> set;
    ref<Leaf> a = fresh<Leaf>("same"), b = fresh<Leaf>("same");
    set.insert(a);
    set.insert(b);
    set.insert(a);
    EXPECT(set.size() == 2 && count_of(a) == 2);
    EXPECT(std::hash<borrowed<>>()(a) == std::hash<ref<>>()(a));
}

TEST(a_weak_pointer_locks_while_the_object_lives)
{
    ref<Diary> a = fresh<Diary>();
    weak<Diary> w = ouro::try_weak(a).value();
    EXPECT(count_of(a) == 1 && w.lock() == a && !w.expired());
    EXPECT(w == ouro::try_weak(a->self()).value());
    a = nullptr;
    EXPECT(w.lock() == nullptr && w.expired() && w);
    EXPECT(weak<Diary>().lock() == nullptr && !weak<Diary>());
}

TEST(a_weak_pointer_to_a_class_without_weakrefs_fails)
{
    auto w = ouro::try_weak(fresh<Link>());
    EXPECT(!w && was_raised(PyExc_TypeError));
}

/* --- the life of an object -------------------------------------------------------------------------- */

static PyObject *
note_weak_death(PyObject *, PyObject *)
{
    Diary::log += "weak-called ";
    Py_RETURN_NONE;
}

TEST(constructors_run_before_tracking_and_destructors_after_everything_else)
{
    Diary::log.clear();
    ref<Diary> a = fresh<Diary>();
    EXPECT(a->tracked());
    static PyMethodDef def = {"note", note_weak_death, METH_O, nullptr};
    auto callback = ref<>::adopt(PyCFunction_New(&def, nullptr));
    auto watch = ref<>::adopt(PyWeakref_NewRef(a.object(), callback.object()));
    a = nullptr;
    EXPECT(watch && Diary::log == "made finalized weak-called destroyed ");
}

TEST(the_order_is_the_same_for_garbage_in_cycles)
{
    Diary::log.clear();
    ref<Diary> a = fresh<Diary>();
    a->next = a;
    a = nullptr;
    PyGC_Collect();
    EXPECT(Diary::log == "made finalized destroyed ");
}

TEST(a_finalizer_may_rescue_the_object_once)
{
    Diary::log.clear();
    ref<Diary> a = fresh<Diary>();
    a->is_rescued = true;
    a = nullptr;
    EXPECT(Diary::log == "made finalized " && Diary::kept && count_of(Diary::kept) == 1);
    Diary::kept = nullptr;
    EXPECT(Diary::log == "made finalized destroyed ");
}

TEST(members_that_are_not_references_are_destroyed)
{
    ref<All> a = fresh<All>();
    a->one = a;
    a = nullptr;
    EXPECT(PyGC_Collect() >
           0); /* LeakSanitizer checks the others: a string, a list of weak references */
}

TEST(a_derived_class_is_visited_cleared_and_destroyed_as_a_whole)
{
    int before = Leaf::alive;
    Square::destroyed = 0;
    ref<Square> a = fresh<Square>();
    a->owner = fresh<Leaf>();
    a->colour = fresh<Leaf>();
    a->corners.push_back(fresh<Leaf>());
    a->corners.push_back(a); /* a cycle through the derived part */
    ref<Shape> b = fresh<Unit>();
    b->owner = a;
    a->corners.push_back(b);
    EXPECT(b->sides() == 4);
    a = nullptr;
    b = nullptr;
    PyGC_Collect();
    EXPECT(Square::destroyed == 2 && Leaf::alive == before);
    a = fresh<Square>();
    a->owner = a; /* and one through the base */
    a = nullptr;
    PyGC_Collect();
    EXPECT(Square::destroyed == 3);
}

#ifdef SHORT /* a collection at every allocation */
static const unsigned chain_length = 500;
#else
static const unsigned chain_length = 200000;
#endif

TEST(a_long_chain_is_destroyed_on_a_small_stack)
{
    ref<Link> first;
    for (unsigned i = 0; i < chain_length; i++) {
        ref<Link> link = fresh<Link>();
        link->next = std::move(first);
        first = std::move(link);
    }
    first = nullptr;
    ref<Diary> last;
    for (unsigned i = 0; i < chain_length; i++) {
        ref<Diary> next = fresh<Diary>();
        next->next = std::move(last);
        last = std::move(next);
        Diary::log.clear();
    }
    last = nullptr;
    EXPECT(Diary::log.size() > chain_length);
}

#ifdef OUROBOROS
TEST(plain_garbage_is_collected_without_destructors)
{
    ref<Link> a = fresh<Link>(), b = fresh<Link>();
    a->next = b;
    b->prev = a;
    b->next = b;
    a = nullptr;
    b = nullptr;
    EXPECT(PyGC_Collect() == 2);
}
#endif

/* --- containers -------------------------------------------------------------------------------------- */

/* Counts how often tp_traverse visits this object. */
struct count {
    PyObject *wanted;
    int visits, stop_after;
};

static int
count_visit(PyObject *op, void *arg)
{
    auto *c = static_cast<count *>(arg);
    c->visits += c->wanted == nullptr || op == c->wanted;
    return c->stop_after != 0 && c->visits == c->stop_after ? 42 : 0;
}

static int
visits_of(borrowed<> from, borrowed<> to)
{
    count c = {to.object(), 0, 0};
    Py_TYPE(from.object())->tp_traverse(from.object(), count_visit, &c);
    return c.visits;
}

/* Put `x` into every place that All has for it. */
static void
fill(All &a, const ref<> &x)
{
    a.one = x;
    a.array[1] = x;
    a.standard[0] = x;
    a.pair.second = x;
    a.mixed.second = x;
    a.vector.assign(3, x);
    a.optional = x;
    a.by_name["a"] = x;
    a.by_name["b"] = x;
    a.nested[x].emplace_back(x);
    a.deep.emplace_back();
    a.deep.back()[7].second = x;
    a.far = std::make_unique<std::vector<ref<>>>(2, x);
    a.either = x;
    a.ring.items[0] = x;
    a.ring.used = 1;
    a.structure.second = x;
    a.group.head = x;
    a.group.tail.assign(2, x);
    a.parent = x;
}
static const int places = 22;

TEST(every_kind_of_member_is_visited_once_for_each_reference)
{
    ref<All> a = fresh<All>();
    ref<Leaf> x = fresh<Leaf>();
    fill(*a, x);
    EXPECT(count_of(x) == 1 + places);
    EXPECT(visits_of(a, x) == places);
    a->other = ouro::try_weak(a).value();
    EXPECT(visits_of(a, a->other.reference()) == 1);
}

TEST(a_visit_that_stops_the_traversal_stops_it_everywhere)
{
    ref<All> a = fresh<All>();
    ref<Leaf> x = fresh<Leaf>();
    fill(*a, x);
    for (int i = 1; i <= places; i++) {
        count c = {x.object(), 0, i};
        int result = Py_TYPE(a.object())->tp_traverse(a.object(), count_visit, &c);
        EXPECT(result == 42 && c.visits == i);
    }
}

TEST(clear_empties_every_kind_of_member)
{
    ref<All> a = fresh<All>();
    ref<Leaf> x = fresh<Leaf>();
    fill(*a, x);
    EXPECT(Py_TYPE(a.object())->tp_clear(a.object()) == 0);
    EXPECT(count_of(x) == 1 && a->vector.empty() && !a->optional && a->by_name.empty());
    EXPECT(a->parent == x); /* borrowed */
    EXPECT(Py_TYPE(a.object())->tp_clear(a.object()) == 0);
}

#ifdef OUROBOROS
TEST(the_collector_reads_what_tp_traverse_visits)
{
    ref<All> a = fresh<All>();
    ref<Leaf> x = fresh<Leaf>();
    fill(*a, x);
    auto objects = ref<>::adopt(PyTuple_Pack(1, a.object()));
    auto found = ref<>::adopt(Ouro_GCGetReferents(objects.object()));
    EXPECT(PyList_Size(found.object()) == visits_of(a, nullptr));
}

TEST(members_that_are_references_are_declared_as_fields)
{
    const Ouro_Field *field = ouro::type_of<All>()->tp_ouro_fields->list;
    int words = 0, calls = 0;
    for (; field->kind != OURO_FIELD_END; field++) {
        words += field->kind == OURO_FIELD_REFERENCE || field->kind == OURO_FIELD_STRUCT;
        calls += field->kind == OURO_FIELD_REST;
    }
    EXPECT(words == 6 && calls == 10);
}
#endif

TEST(a_cycle_through_each_kind_of_member_is_collected)
{
    int before = Leaf::alive;
    for (int kind = 0; kind < 12; kind++) {
        ref<All> a = fresh<All>();
        ref<Leaf> x = fresh<Leaf>();
        a->one = x;
        switch (kind) {
        case 0:
            a->one = a;
            a->structure.first = x;
            break;
        case 1:
            a->array[0] = a;
            break;
        case 2:
            a->standard[1] = a;
            break;
        case 3:
            a->pair.second = a;
            break;
        case 4:
            a->vector.push_back(a);
            break;
        case 5:
            a->optional = a;
            break;
        case 6:
            a->by_name["self"] = a;
            break;
        case 7:
            a->nested[a];
            break;
        case 8:
            a->deep.emplace_back();
            a->deep.back()[1].second = a;
            break;
        case 9:
            a->far = std::make_unique<std::vector<ref<>>>(1, a);
            break;
        case 10:
            a->either = a;
            break;
        case 11:
            a->group.tail.push_back(a);
            break;
        }
        x = nullptr;
        a = nullptr;
        PyGC_Collect();
        if (Leaf::alive != before) {
            std::printf("     kind %d is not collected\n", kind);
            is_well = false;
        }
    }
}

/* --- errors ------------------------------------------------------------------------------------------ */

static ouro::result<ref<>>
half(long number)
{
    if (number % 2 != 0) {
        return ouro::fail(PyExc_ValueError, "%ld is odd", number);
    }
    return ouro::try_take(PyLong_FromLong(number / 2));
}

TEST(a_result_is_a_value_or_a_pending_exception)
{
    auto good = half(8);
    EXPECT(good && PyLong_AsLong((*good).object()) == 4);
    auto bad = half(7);
    EXPECT(!bad && PyErr_Occurred() != nullptr);
    auto exception = bad.take_error();
    EXPECT(PyErr_Occurred() == nullptr && exception &&
           PyErr_GivenExceptionMatches(exception.object(), PyExc_ValueError));
    auto again = half(12).and_then(
        [](ref<> value) { return half(PyLong_AsLong(value.object())); });
    EXPECT(again && PyLong_AsLong((*again).object()) == 3);
    auto never = half(14).and_then(
        [](ref<> value) { return half(PyLong_AsLong(value.object())); });
    EXPECT(!never && was_raised(PyExc_ValueError, "7 is odd"));
}

TEST(a_cast_asks_for_the_type)
{
    ref<> a = fresh<Square>(), b = fresh<Leaf>();
    EXPECT(ouro::try_cast<Shape>(a) == a && ouro::try_cast<Square>(a) == a);
    EXPECT(!ouro::try_cast<Shape>(b) && !ouro::try_cast<Unit>(a) &&
           !ouro::try_cast<Leaf>(nullptr));
    EXPECT(PyErr_Occurred() == nullptr);
}

struct Calls : ouro::object<Calls> {
    ref<> item;
    int number = 0;

    ref<> get() const { return item; }
    void set(PyObject *op) { item = ref<>::share(op); }
    ouro::result<ref<>> sum(PyObject *const *arguments, Py_ssize_t count)
    {
        long total = 0;
        for (Py_ssize_t i = 0; i < count; i++) {
            total += PyLong_AsLong(arguments[i]);
        }
        if (PyErr_Occurred() != nullptr) {
            return ouro::failure();
        }
        return ouro::try_take(PyLong_FromLong(total));
    }
    borrowed<Calls> itself() noexcept { return self(); }
    Py_ssize_t length() const noexcept { return number; }
    bool is_true() const { return number != 0; }

    static void set_slots(PyTypeObject &type)
    {
        static PyMethodDef methods[] = {ouro::method<&Calls::get>("get", "The item."),
                                        ouro::method<&Calls::set>("set"),
                                        ouro::method<&Calls::sum>("sum"),
                                        ouro::method<&Calls::itself>("itself"),
                                        {}};
        static PySequenceMethods sequence = {};
        static PyNumberMethods numbers = {};
        sequence.sq_length = ouro::callback<&Calls::length>;
        numbers.nb_bool = ouro::callback<&Calls::is_true>;
        type.tp_methods = methods;
        type.tp_as_sequence = &sequence;
        type.tp_as_number = &numbers;
        type.tp_new = ouro::callback<&Calls::create>;
        type.tp_flags |= Py_TPFLAGS_BASETYPE;
    }

  private:
    static ouro::result<ref<Calls>> create(PyTypeObject *type, PyObject *, PyObject *)
    {
        return ouro::try_make_as<Calls>(type);
    }
    OURO_MEMBERS(Calls, item);
};

TEST(member_functions_are_methods_and_slots)
{
    ref<Calls> calls = fresh<Calls>();
    PyObject *op = calls.object();
    auto none = ref<>::adopt(PyObject_CallMethod(op, "set", "i", 5));
    EXPECT(none.object() == Py_None);
    auto five = ref<>::adopt(PyObject_CallMethod(op, "get", nullptr));
    EXPECT(five == calls->item && count_of(calls) == 1);
    auto ten = ref<>::adopt(PyObject_CallMethod(op, "sum", "iii", 5, 3, 2));
    EXPECT(ten && PyLong_AsLong(ten.object()) == 10);
    auto bad = ref<>::adopt(PyObject_CallMethod(op, "sum", "s", "x"));
    EXPECT(!bad && was_raised(PyExc_TypeError));
    auto same = ref<>::adopt(PyObject_CallMethod(op, "itself", nullptr));
    EXPECT(same == calls && count_of(calls) == 2);
    calls->number = 3;
    EXPECT(PyObject_Length(op) == 3 && PyObject_IsTrue(op) == 1);
}

TEST(a_class_of_the_program_may_inherit)
{
    auto type =
        ref<>::adopt(PyObject_CallFunction(reinterpret_cast<PyObject *>(&PyType_Type),
                                           "s(O){}", "Sub", ouro::type_of<Calls>()));
    EXPECT(type != nullptr);
    auto a = ref<>::adopt(PyObject_CallObject(type.object(), nullptr));
    EXPECT(a && ouro::try_cast<Calls>(a) && PyObject_GC_IsTracked(a.object()));
    int before = Leaf::alive;
    PyObject_SetAttrString(a.object(), "leaf", fresh<Leaf>().object());
    ouro::try_cast<Calls>(a)->item = a;
    a = nullptr;
    PyGC_Collect();
    EXPECT(Leaf::alive == before);
    type = nullptr;
    PyGC_Collect();
}

TEST(a_type_is_made_ready_after_its_base_and_once)
{
    struct First : ouro::object<First> {
        OURO_NO_MEMBERS(First);
    };
    struct Second : ouro::object<Second, First> {
        ref<> item;
        OURO_MEMBERS(Second, item);
    };
    EXPECT(!ouro::try_ready<Second>("test.Second"));
    EXPECT(was_raised(PyExc_SystemError, "class Second has a base that is not ready"));
    EXPECT(ouro::try_ready<First>("test.First") &&
           ouro::try_ready<Second>("test.Second"));
    ref<Second> a = fresh<Second>();
    EXPECT(ouro::try_ready<Second>("test.Second"));
    a->item = a;
    a = nullptr;
    PyGC_Collect();
}

#if OURO_CPP_EXCEPTIONS

struct Throws : ouro::object<Throws> {
    ref<> item;
    std::string kind;
    explicit Throws(std::string words, const ref<> &value = nullptr)
        : item(value), kind(words)
    {
        if (kind == "constructor") {
            throw std::invalid_argument("no good");
        }
    }
    void run()
    {
        if (kind == "error") {
            ouro::raise(PyExc_KeyError, "key %d", 7);
        } else if (kind == "memory") {
            throw std::bad_alloc();
        } else if (kind == "range") {
            (void)std::vector<int>().at(3);
        } else if (kind == "argument") {
            throw std::invalid_argument("argument");
        } else if (kind == "length") {
            throw std::length_error("length");
        } else if (kind == "overflow") {
            throw std::overflow_error("overflow");
        } else if (kind == "system") {
            throw std::system_error(
                std::make_error_code(std::errc::no_such_file_or_directory));
        } else if (kind == "other") {
            throw std::runtime_error("other");
        } else if (kind == "unknown") {
            throw 42;
        }
    }
    int number(PyObject *, PyObject *)
    {
        run();
        return 0;
    }
    Py_hash_t hash() const { throw std::runtime_error("hash"); }
    void finalize()
    {
        if (kind == "finalizer") {
            throw std::runtime_error("finalizer");
        }
    }
    static void set_slots(PyTypeObject &type)
    {
        static PyMethodDef methods[] = {ouro::method<&Throws::run>("run"), {}};
        type.tp_methods = methods;
        type.tp_init = ouro::callback<&Throws::number>;
        type.tp_hash = ouro::callback<&Throws::hash>;
    }
    OURO_MEMBERS(Throws, item);
};

TEST(each_cpp_exception_has_its_counterpart)
{
    struct {
        const char *kind;
        PyObject *type;
        const char *text;
    } cases[] = {{"error", PyExc_KeyError, "key 7"},
                 {"memory", PyExc_MemoryError, ""},
                 {"range", PyExc_IndexError, ""},
                 {"argument", PyExc_ValueError, "argument"},
                 {"length", PyExc_ValueError, "length"},
                 {"overflow", PyExc_OverflowError, "overflow"},
                 {"system", PyExc_OSError, "No such file"},
                 {"other", PyExc_RuntimeError, "other"},
                 {"unknown", PyExc_SystemError, "unknown type"}};
    for (auto &c : cases) {
        ref<Throws> a = fresh<Throws>(c.kind);
        auto none = ref<>::adopt(PyObject_CallMethod(a.object(), "run", nullptr));
        EXPECT(!none && was_raised(c.type, c.text));
    }
}

TEST(a_slot_that_throws_fails)
{
    ref<Throws> a = fresh<Throws>("other");
    EXPECT(PyObject_Hash(a.object()) == -1 && was_raised(PyExc_RuntimeError, "hash"));
    auto arguments = ref<>::adopt(PyTuple_New(0));
    EXPECT(Py_TYPE(a.object())->tp_init(a.object(), arguments.object(), nullptr) == -1);
    EXPECT(was_raised(PyExc_RuntimeError, "other"));
}

TEST(an_exception_of_the_library_is_the_same_after_a_way_through_cpp)
{
    PyObject *before = nullptr;
    ouro::guard(0, [&]() -> int {
        try {
            ouro::raise(PyExc_KeyError, "lost");
        } catch (ouro::error &e) {
            EXPECT(PyErr_Occurred() == nullptr && e.matches(PyExc_LookupError));
            EXPECT(!e.matches(PyExc_ValueError));
            EXPECT(std::strcmp(e.what(), "KeyError: 'lost'") == 0);
            before = e.exception().object();
            throw;
        }
    });
    auto after = ouro::detail::take_pending();
    EXPECT(after && after.object() == before && count_of(after) == 1);
}

TEST(an_error_that_is_caught_leaves_nothing_pending)
{
    try {
        ouro::take(PyObject_GetAttrString(Py_None, "nothing_of_this_name"));
        EXPECT(false);
    } catch (const ouro::error &e) {
        EXPECT(e.matches(PyExc_AttributeError));
    }
    EXPECT(PyErr_Occurred() == nullptr);
    try {
        ouro::check(PyObject_SetAttrString(Py_None, "x", Py_None));
        EXPECT(false);
    } catch (const std::exception &e) {
        EXPECT(std::strstr(e.what(), "AttributeError") != nullptr);
    }
    EXPECT(ouro::check(3) == 3);
    try {
        (void)half(3).value();
        EXPECT(false);
    } catch (const ouro::error &e) {
        EXPECT(std::strcmp(e.what(), "ValueError: 3 is odd") == 0);
    }
    try {
        ouro::cast<Leaf>(Py_None);
        EXPECT(false);
    } catch (const ouro::error &e) {
        EXPECT(std::strstr(e.what(), "expected test.Leaf, got NoneType") != nullptr);
    }
}

#ifdef OUROBOROS
static size_t
objects_in_heap()
{
    Ouro_HeapUsage usage;
    Ouro_HeapGetUsage(&usage);
    return usage.objects;
}
#endif

TEST(a_constructor_that_throws_frees_the_memory)
{
    ref<Leaf> x = fresh<Leaf>();
#ifdef OUROBOROS
    size_t before = objects_in_heap();
#endif
    for (int i = 0; i < 100; i++) {
        try {
            ouro::make<Throws>("constructor", x);
            EXPECT(false);
        } catch (const std::invalid_argument &e) { /* make lets it through */
            EXPECT(std::strcmp(e.what(), "no good") == 0);
        }
        auto result = ouro::try_make<Throws>("constructor", x); /* try_make maps it */
        EXPECT(!result && was_raised(PyExc_ValueError, "no good"));
    }
    EXPECT(count_of(x) == 1);
#ifdef OUROBOROS
    EXPECT(objects_in_heap() == before);
#endif
}

#ifdef OUROBOROS
static std::string reported;

static int
hear(const Ouro_Unraisable *report, void *)
{
    auto words = ref<>::adopt(PyObject_Str(report->exc_value));
    reported = PyUnicode_AsUTF8(words.object());
    return 0;
}

TEST(what_nobody_can_receive_is_reported)
{
    struct Explodes : ouro::object<Explodes> {
        ref<> item;
        ~Explodes() noexcept(false) { throw std::runtime_error("destructor"); }
        OURO_MEMBERS(Explodes, item);
    };
    ouro::ready<Explodes>("test.Explodes");
    ref<Leaf> x = fresh<Leaf>();
    Ouro_SetUnraisableHook(hear, nullptr);
    PyErr_SetString(PyExc_KeyError, "pending");
    ref<Throws> a = fresh<Throws>("finalizer");
    a = nullptr;
    EXPECT(reported == "finalizer");
    ref<Explodes> b = fresh<Explodes>();
    b->item = x;
    b = nullptr;
    EXPECT(reported == "destructor" && count_of(x) == 1);
    EXPECT(was_raised(PyExc_KeyError, "pending"));
    Ouro_SetUnraisableHook(nullptr, nullptr);
}
#endif

TEST(a_weak_pointer_that_cannot_be_made_throws)
{
    ref<Diary> a = ouro::make<Diary>();
    EXPECT(weak<Diary>(a).lock() == a);
    try {
        weak<Link> w(ouro::make<Link>());
        EXPECT(false);
    } catch (const ouro::error &e) {
        EXPECT(e.matches(PyExc_TypeError));
    }
}

#endif

/* --- start -------------------------------------------------------------------------------------------- */

static bool
ready_all()
{
    bool is_ready =
        ouro::try_ready<Leaf>("test.Leaf") && ouro::try_ready<Diary>("test.Diary") &&
        ouro::try_ready<All>("test.All") && ouro::try_ready<Link>("test.Link") &&
        ouro::try_ready<Shape>("test.Shape") && ouro::try_ready<Square>("test.Square") &&
        ouro::try_ready<Unit>("test.Unit") && ouro::try_ready<Calls>("test.Calls");
#if OURO_CPP_EXCEPTIONS
    is_ready = is_ready && ouro::try_ready<Throws>("test.Throws");
#endif
    return is_ready;
}

int
main()
{
    int failed = 0;
    Py_Initialize();
    if (!ready_all()) {
        PyErr_Print();
        return 1;
    }
    for (auto &test : tests) {
        is_well = true;
        test.second();
        if (PyErr_Occurred() != nullptr) {
            PyErr_Print();
            is_well = false;
        }
        std::printf("%s %s\n", is_well ? "ok" : "FAIL", test.first);
        failed += !is_well;
    }
    return Py_FinalizeEx() == 0 && failed == 0 ? 0 : 1;
}
