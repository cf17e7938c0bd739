/* SPDX-License-Identifier: MIT */
/* A document tree with ouroboros.hpp: elements own their children, children own their parents, and an
 * index finds elements by their id without keeping them alive.
 *
 *     c++ -std=c++17 document.cc $(pkg-config --cflags --libs ouroboros) -o document && ./document
 *
 * Every element is in a cycle with its children. A part that is cut out lives as long as something
 * holds any node of it, and then it is collected. */
#include <ouroboros.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <unordered_map>
#include <vector>

using ouro::borrowed;
using ouro::ref;
using ouro::weak;

class Element;

/* What texts and elements have in common. */
class Node : public ouro::object<Node> {
  public:
    virtual ~Node() = default;
    virtual void write(std::string &out, int depth) const = 0;

    const ref<Element> &parent() const { return parent_; }

  private:
    friend class Element;
    ref<Element> parent_;
    OURO_MEMBERS(Node, parent_);
};

class Text : public ouro::object<Text, Node> {
  public:
    explicit Text(std::string words) : words_(std::move(words)) {}
    void write(std::string &out, int depth) const override
    {
        out.append(static_cast<size_t>(depth) * 2, ' ').append(words_).append("\n");
    }

  private:
    std::string words_;
    OURO_NO_MEMBERS(Text); /* none beyond those of Node */
};

class Element : public ouro::object<Element, Node> {
  public:
    static inline int alive = 0;

    explicit Element(std::string tag, std::string id = "")
        : tag_(std::move(tag)), id_(std::move(id))
    {
        alive++;
    }
    ~Element() override { alive--; }

    const std::string &id() const { return id_; }
    const std::vector<ref<Node>> &children() const { return children_; }

    /* Move the node to the end of this element. */
    void append(const ref<Node> &node)
    {
        if (contains(self(), node)) {
            throw std::invalid_argument("<" + tag_ + "> cannot be inside of itself");
        }
        if (node->parent_) {
            ref<Element>(node->parent_)->remove(node);
        }
        children_.push_back(node);
        node->parent_ = ref<Element>::share(self());
    }

    void remove(borrowed<Node> node)
    {
        auto at = std::find(children_.begin(), children_.end(), node);
        if (at == children_.end()) {
            throw std::out_of_range("the node is not a child of <" + tag_ + ">");
        }
        (*at)->parent_ = nullptr;
        children_.erase(at);
    }

    void write(std::string &out, int depth) const override
    {
        out.append(static_cast<size_t>(depth) * 2, ' ').append("<" + tag_);
        out.append(id_.empty() ? ">\n" : " id=" + id_ + ">\n");
        for (const ref<Node> &child : children_) {
            child->write(out, depth + 1);
        }
    }

  private:
    /* Is `inner` the node, or somewhere below it? */
    static bool contains(borrowed<Node> inner, borrowed<Node> node)
    {
        while (inner && inner != node) {
            inner = inner->parent();
        }
        return static_cast<bool>(inner);
    }

    std::string tag_, id_;
    std::vector<ref<Node>> children_;
    ouro::weakrefs weaklist_;
    OURO_MEMBERS(Element, children_, weaklist_);
};

class Document : public ouro::object<Document> {
  public:
    Document() : root_(ouro::make<Element>("document")) {}

    const ref<Element> &root() const { return root_; }

    ref<Element> create(std::string tag, std::string id = "")
    {
        auto element = ouro::make<Element>(std::move(tag), id);
        if (!id.empty()) {
            by_id_[id] = weak<Element>(element);
        }
        return element;
    }

    /* The element with the id, if anybody still has it; null otherwise. */
    ref<Element> find(const std::string &id) const
    {
        auto found = by_id_.find(id);
        return found != by_id_.end() ? found->second.lock() : nullptr;
    }

    void print() const
    {
        std::string text;
        root_->write(text, 0);
        std::fputs(text.c_str(), stdout);
    }

  private:
    ref<Element> root_;
    std::unordered_map<std::string, weak<Element>> by_id_;
    OURO_MEMBERS(Document, root_, by_id_);
};

static void
show()
{
    auto document = ouro::make<Document>();
    auto chapter = document->create("chapter", "one");
    auto list = document->create("list", "items");
    document->root()->append(chapter);
    chapter->append(ouro::make<Text>("Cycles are ordinary."));
    chapter->append(list);
    list->append(ouro::make<Text>("a parent and its child"));
    document->print();

    try {
        list->append(chapter);
    } catch (const std::invalid_argument &problem) {
        std::printf("refused: %s\n", problem.what());
    }

    document->root()->remove(chapter);
    chapter = nullptr;
    std::printf("cut out, but held by its list: chapter %s, %d elements\n",
                document->find("one") ? "found" : "gone", Element::alive);
    list = nullptr;
    std::printf("collected: %zd\n", PyGC_Collect());
    std::printf("and now: chapter %s, %d element\n",
                document->find("one") ? "found" : "gone", Element::alive);
}

int
main()
{
    Py_Initialize();
    try {
        ouro::ready<Node>("document.Node");
        ouro::ready<Text>("document.Text");
        ouro::ready<Element>("document.Element");
        ouro::ready<Document>("document.Document");
        show();
    } catch (const std::exception &problem) {
        std::fprintf(stderr, "document: %s\n", problem.what());
        return 1;
    }
    return Py_FinalizeEx();
}
