/* SPDX-License-Identifier: MIT */
/* Classes that must not compile, each with a message that says why. tests/scripts/cpp.sh searches the
 * output of the compiler for the text of each line "refused: text". */
#include <ouroboros.hpp>

#include <memory>
#include <string>
#include <vector>

using ouro::ref;

// refused: the class needs an OURO_MEMBERS, OURO_PLAIN_MEMBERS or OURO_NO_MEMBERS
struct Unlisted : ouro::object<Unlisted> {
    ref<> next;
};

// refused: a plain pointer does not say who owns the object: use ref or borrowed
struct Pointer : ouro::object<Pointer> {
    PyObject *next;
    OURO_MEMBERS(Pointer, next);
};

// refused: the type of this member holds no references that ouro knows of
struct Data : ouro::object<Data> {
    std::string text;
    OURO_MEMBERS(Data, text);
};

// refused: OURO_PLAIN_MEMBERS is for references and plain data: use OURO_MEMBERS
struct NotPlain : ouro::object<NotPlain> {
    std::vector<ref<>> items;
    OURO_PLAIN_MEMBERS(NotPlain, items);
};

// refused: this member has a destructor: use OURO_MEMBERS
struct Destroyed : ouro::object<Destroyed> {
    ref<> next;
    std::string text;
    OURO_PLAIN_MEMBERS(Destroyed, next, text);
};

// refused: OURO_PLAIN_MEMBERS has to list every member of the class
struct Forgets : ouro::object<Forgets> {
    ref<> next;
    std::unique_ptr<int> number;
    ref<> last;
    OURO_PLAIN_MEMBERS(Forgets, next, last);
};

// refused: a class with OURO_PLAIN_MEMBERS has no base
struct Above : ouro::object<Above> {
    OURO_NO_MEMBERS(Above);
};
struct Below : ouro::object<Below, Above> {
    ref<> next;
    OURO_PLAIN_MEMBERS(Below, next);
};

// refused: an object of such a class is made by ouro::make: have an ouro::ref to it
struct Inside : ouro::object<Inside> {
    Above above;
    OURO_MEMBERS(Inside, above);
};

// refused: ouro::holder<M>::visit must be noexcept
struct Bag {
    ref<> item;
};
template <> struct ouro::holder<Bag> {
    static int visit(const Bag &bag, ouro::visitor call)
    {
        return call(bag.item.object());
    }
};
struct Throwing : ouro::object<Throwing> {
    Bag bag;
    OURO_MEMBERS(Throwing, bag);
};

// refused: a method has no argument, a PyObject *, or an array and its length
struct Method : ouro::object<Method> {
    void odd(int) {}
    OURO_NO_MEMBERS(Method);
};

// refused: the class needs too much alignment
struct alignas(64) Wide : ouro::object<Wide> {
    OURO_NO_MEMBERS(Wide);
};

int
main()
{
    (void)ouro::try_ready<Unlisted>("refused");
    (void)ouro::try_ready<Pointer>("refused");
    (void)ouro::try_ready<Data>("refused");
    (void)ouro::try_ready<NotPlain>("refused");
    (void)ouro::try_ready<Destroyed>("refused");
    (void)ouro::try_ready<Forgets>("refused");
    (void)ouro::try_ready<Below>("refused");
    (void)ouro::try_ready<Inside>("refused");
    (void)ouro::try_ready<Throwing>("refused");
    (void)ouro::method<&Method::odd>("odd");
    (void)ouro::try_ready<Wide>("refused");
}
