/* SPDX-License-Identifier: MIT */
/* A graph store with ouroboros.hpp, without C++ exceptions: failures are results. It reads commands
 * from its input, one on each line; `help` lists them.
 *
 *     c++ -std=c++17 -fno-exceptions -fno-rtti graph.cc $(pkg-config --cflags --libs ouroboros) \
 *         -o graph && ./graph <graph.txt
 *
 * Names own their vertices, edges own their ends. A vertex without a name lives as long as edges
 * from named ones lead to it: cycles beyond are garbage. Answers to `path` are remembered weakly:
 * as long as one is kept (`keep`), it is not computed again. */
#include <ouroboros.hpp>

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

using ouro::borrowed;
using ouro::ref;
using ouro::weak;

class Vertex;

/* No object: a part of the vertex that it begins at. */
struct Edge {
    std::string label;
    ref<Vertex> to;
    OURO_MEMBERS(Edge, to);
};

class Vertex : public ouro::object<Vertex> {
  public:
    static inline int alive = 0;
    const std::string name;
    std::vector<Edge> edges;

    explicit Vertex(std::string text) : name(std::move(text)) { alive++; }
    ~Vertex() { alive--; }

  private:
    ouro::weakrefs weaklist_;
    OURO_MEMBERS(Vertex, edges, weaklist_);
};

/* The steps from one vertex to another. */
class Path : public ouro::object<Path> {
  public:
    std::vector<ref<Vertex>> steps;

    std::string text() const
    {
        std::string result;
        for (const ref<Vertex> &step : steps) {
            result += (result.empty() ? "" : " > ") + step->name;
        }
        return result;
    }

  private:
    ouro::weakrefs weaklist_;
    OURO_MEMBERS(Path, steps, weaklist_);
};

class Store : public ouro::object<Store> {
  public:
    ouro::result<ref<Vertex>> vertex(const std::string &name)
    {
        auto found = names_.find(name);
        if (found != names_.end()) {
            return found->second;
        }
        return ouro::try_make<Vertex>(name).and_then(
            [&](ref<Vertex> made) -> ouro::result<ref<Vertex>> {
                names_[name] = made;
                return made;
            });
    }

    ouro::result<ref<Vertex>> known(const std::string &name) const
    {
        auto found = names_.find(name);
        if (found == names_.end()) {
            return ouro::fail(PyExc_KeyError, "no vertex %s", name.c_str());
        }
        return found->second;
    }

    ouro::result<ref<Vertex>> connect(const std::string &from, const std::string &label,
                                      const std::string &to)
    {
        auto start = vertex(from);
        auto end = start ? vertex(to) : ouro::failure();
        if (end) {
            (*start)->edges.push_back({label, *end});
            answers_.clear();
        }
        return end;
    }

    void forget(const std::string &name) { names_.erase(name); }

    /* A shortest path; remembered as long as something holds it. */
    ouro::result<ref<Path>> path(const std::string &from, const std::string &to,
                                 bool &is_old)
    {
        weak<Path> &answer = answers_[{from, to}];
        ref<Path> path = answer.lock();
        is_old = static_cast<bool>(path);
        if (is_old) {
            return path;
        }
        return search(from, to).and_then([&](ref<Path> found) -> ouro::result<ref<Path>> {
            auto remembered = ouro::try_weak(found);
            if (!remembered) {
                return ouro::failure();
            }
            answer = *remembered;
            return found;
        });
    }

  private:
    ouro::result<ref<Path>> search(const std::string &from, const std::string &to) const
    {
        auto start = known(from);
        auto end = start ? known(to) : ouro::failure();
        if (!end) {
            return ouro::failure();
        }
        std::unordered_map<borrowed<Vertex>, borrowed<Vertex>> before = {
            {*start, nullptr}};
        std::deque<borrowed<Vertex>> waiting = {*start};
        while (!waiting.empty() && waiting.front() != *end) {
            for (const Edge &edge : waiting.front()->edges) {
                if (before.emplace(edge.to, waiting.front()).second) {
                    waiting.push_back(edge.to);
                }
            }
            waiting.pop_front();
        }
        if (waiting.empty()) {
            return ouro::fail(PyExc_LookupError, "no path from %s to %s", from.c_str(),
                              to.c_str());
        }
        auto path = ouro::try_make<Path>();
        for (borrowed<Vertex> at = *end; path && at; at = before[at]) {
            path->steps.insert(path->steps.begin(), ref<Vertex>::share(at));
        }
        return path;
    }

    std::map<std::string, ref<Vertex>> names_;
    std::map<std::pair<std::string, std::string>, weak<Path>> answers_;
    OURO_MEMBERS(Store, names_, answers_);
};

/* --- commands ---------------------------------------------------------------------------------- */

static const char help[] = "edge FROM LABEL TO   make both, if need be, and an edge\n"
                           "path FROM TO         a shortest path\n"
                           "keep FROM TO         the same, and keep the answer\n"
                           "drop                 keep no answers\n"
                           "forget NAME          the vertex has no name any more\n"
                           "collect              run the collector\n"
                           "count                how many vertices there are\n";

static void
tell_failure()
{
    auto exception = ouro::result<ref<>>(ouro::failure()).take_error();
    auto text = ref<>::adopt(PyObject_Str(exception.object()));
    std::printf("%s: %s\n", Py_TYPE(exception.object())->tp_name,
                PyUnicode_AsUTF8(text.object()));
}

static void
find_path(Store &store, std::istringstream &words, ref<Path> *kept)
{
    std::string from, to;
    bool is_old = false;
    words >> from >> to;
    auto path = store.path(from, to, is_old);
    if (!path) {
        tell_failure();
        return;
    }
    std::printf("%s%s\n", path->text().c_str(), is_old ? " (remembered)" : "");
    if (kept != nullptr) {
        *kept = *path;
    }
}

static bool
run(Store &store, const std::string &line, ref<Path> &kept)
{
    std::istringstream words(line);
    std::string command, a, b, c;
    words >> command;
    if (command == "edge" && words >> a >> b >> c) {
        if (!store.connect(a, b, c)) {
            tell_failure();
        }
    } else if (command == "path") {
        find_path(store, words, nullptr);
    } else if (command == "keep") {
        find_path(store, words, &kept);
    } else if (command == "drop") {
        kept = nullptr;
    } else if (command == "forget" && words >> a) {
        store.forget(a);
    } else if (command == "collect") {
        std::printf("%zd collected\n", PyGC_Collect());
    } else if (command == "count") {
        std::printf("%d vertices\n", Vertex::alive);
    } else if (command == "help") {
        std::fputs(help, stdout);
    } else {
        return command.empty() || command[0] == '#';
    }
    return true;
}

int
main()
{
    Py_Initialize();
    if (!ouro::try_ready<Vertex>("graph.Vertex") ||
        !ouro::try_ready<Path>("graph.Path") || !ouro::try_ready<Store>("graph.Store")) {
        PyErr_Print();
        return 1;
    }
    int status = 0;
    {
        ref<Store> store = ouro::try_make<Store>().value();
        ref<Path> kept;
        for (std::string line; std::getline(std::cin, line);) {
            if (!run(*store, line, kept)) {
                std::fprintf(stderr, "graph: what is this? %s\n%s", line.c_str(), help);
                status = 2;
            }
        }
    }
    PyGC_Collect();
    return Py_FinalizeEx() == 0 ? status : 1;
}
