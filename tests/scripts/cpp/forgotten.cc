/* SPDX-License-Identifier: MIT */
/* Classes that leave members out of their lists. The checking library has to name the members:
 *   forgotten member      a reference, found in an object
 *   forgotten container   a container with references, found when objects are left at the end
 *   forgotten asked       the same, when the program asks for an audit
 *   forgotten only        a reference of a class that says it has none
 *   forgotten derived     a reference in the part of a derived class
 *   forgotten nothing     correct: no report */
#include <ouroboros.hpp>

#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <ouro_check.h>

namespace app {

using ouro::ref;

struct Partly : ouro::object<Partly> {
    ref<> listed;
    std::string text = "text";
    ref<> forgotten;
    OURO_MEMBERS(Partly, listed);
};

struct Extra {
    int number = 0;
    std::optional<ref<>> inner;
};

class Store : public ouro::object<Store> {
  public:
    ref<> first;
    std::map<std::string, std::vector<ref<>>> by_name;
    std::function<void(ref<>)> unsuspicious;
    ouro::borrowed<> parent;

  private:
    Extra extra;
    OURO_MEMBERS(Store, first);
};

struct Base : ouro::object<Base> {
    ref<> one;
    virtual ~Base() = default;
    OURO_MEMBERS(Base, one);
};

struct Derived : ouro::object<Derived, Base> {
    ref<> two, three;
    OURO_MEMBERS(Derived, two);
};

struct None : ouro::object<None> {
    std::string text;
    ref<> only;
    OURO_NO_MEMBERS(None);
};

struct Whole : ouro::object<Whole> {
    std::vector<ref<>> items;
    std::string text;
    std::function<void(ref<>)> unsuspicious;
    OURO_MEMBERS(Whole, items);
};

ref<>
new_list()
{
    return ouro::take(PyList_New(0));
}

void
forget(const char *what)
{
    if (std::strcmp(what, "member") == 0) {
        ouro::ready<Partly>("app.Partly");
        auto object = ouro::make<Partly>();
        object->forgotten = new_list();
        PyGC_Collect();
    } else if (std::strcmp(what, "only") == 0) {
        ouro::ready<None>("app.None");
        auto object = ouro::make<None>();
        object->only = new_list();
        PyGC_Collect();
    } else if (std::strcmp(what, "derived") == 0) {
        ouro::ready<Base>("app.Base");
        ouro::ready<Derived>("app.Derived");
        auto object = ouro::make<Derived>();
        object->three = new_list();
        PyGC_Collect();
    } else if (std::strcmp(what, "container") == 0) {
        ouro::ready<Store>("app.Store");
        auto object = ouro::make<Store>();
        object->by_name["self"].push_back(object); /* a cycle that is never collected */
    } else if (std::strcmp(what, "asked") == 0) {
        ouro::ready<Store>("app.Store");
        Ouro_CheckAudit();
    } else {
        ouro::ready<Whole>("app.Whole");
        auto object = ouro::make<Whole>();
        object->items.push_back(object);
        Ouro_CheckAudit();
    }
}

}  // namespace app

int
main(int argc, char **argv)
{
    Py_Initialize();
    app::forget(argc > 1 ? argv[1] : "nothing");
    PyGC_Collect();
    return Py_FinalizeEx();
}
