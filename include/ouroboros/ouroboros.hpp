/* SPDX-License-Identifier: MIT */
/* C++17: owning, borrowed and weak pointers, and container types as classes.
 *
 *     struct Node : ouro::object<Node> {
 *         ouro::ref<Node> next;
 *         std::vector<ouro::ref<Node>> children;
 *         std::string name;
 *         explicit Node(std::string text) : name(std::move(text)) {}
 *         OURO_MEMBERS(Node, next, children);
 *     };
 *
 *     ouro::ready<Node>("example.Node");
 *     ouro::ref<Node> node = ouro::make<Node>("root");
 *
 * The list of members becomes the list of fields of ouro_fields.h: the collector reads members
 * that are references in place, and visits containers through ouro::holder. An object is a
 * PyObject header with the C++ object behind it, so that a class may be anything C++ allows: a
 * constructor leaves the header alone, and virtual functions do not move it.
 *
 * This header needs nothing but Python.h and ouro_fields.h, and works with CPython 3.9 and
 * newer as well. Exceptions and RTTI may be off. Then functions that throw are not declared;
 * use those whose names begin with try_. docs/cpp.md explains it step by step. */
#ifndef OUROBOROS_HPP
#define OUROBOROS_HPP

#include "ouro_fields.h"

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <new>
#include <string_view> /* std::hash */
#include <type_traits>
#include <utility>

#if defined(__cpp_exceptions)
#define OURO_CPP_EXCEPTIONS 1
#include <exception>
#include <stdexcept>
#include <system_error>
#else
#define OURO_CPP_EXCEPTIONS 0
#endif

#ifdef OUROBOROS /* destroys chains of any length by itself */
#define OURO_F_TRASH_BEGIN(op, dealloc)
#define OURO_F_TRASH_END
#endif

namespace ouro {

template <class T> class ref;
template <class T> class borrowed;
template <class T> class weak;

/* --- where things are ---------------------------------------------------------------------- */

namespace detail {

struct root {}; /* every class of ours derives from it */

template <class T> using is_class = std::is_base_of<root, T>;

/* The C++ object of an object's header. A struct that begins with PyObject is both. */
template <class T>
T *
body(PyObject *op) noexcept
{
    if constexpr (is_class<T>::value) {
        return reinterpret_cast<T *>(reinterpret_cast<char *>(op) + sizeof(PyObject));
    } else {
        return reinterpret_cast<T *>(op);
    }
}

/* By way of an integer: compilers know where the C++ object begins, and the header is before. */
template <class T>
PyObject *
head(const T *place) noexcept
{
    auto address = reinterpret_cast<std::uintptr_t>(place);
    return reinterpret_cast<PyObject *>(is_class<T>::value ? address - sizeof(PyObject)
                                                           : address);
}

/* May a pointer to a From be used as one to a To? */
template <class From, class To>
using can_be =
    std::disjunction<std::is_same<To, PyObject>, std::is_convertible<From *, To *>>;

template <class From, class To>
using if_can_be = std::enable_if_t<can_be<From, To>::value>;

}  // namespace detail

/* --- borrowed pointers ----------------------------------------------------------------------- */

/* A pointer that owns nothing, or null. Other code keeps the object alive. */
template <class T = PyObject> class borrowed {
  public:
    constexpr borrowed() noexcept = default;
    constexpr borrowed(std::nullptr_t) noexcept {}
    borrowed(T *object) noexcept : op_(object != nullptr ? detail::head(object) : nullptr)
    {
    }
    borrowed(T &object) noexcept : op_(detail::head(&object)) {}
    template <class U, class = detail::if_can_be<U, T>>
    borrowed(const ref<U> &other) noexcept : op_(other.object())
    {
    }
    template <class U, class = detail::if_can_be<U, T>>
    borrowed(borrowed<U> other) noexcept : op_(other.object())
    {
    }

    /* The caller knows that the object is a T; ouro::cast checks it. */
    static borrowed of(PyObject *op) noexcept
    {
        borrowed result;
        result.op_ = op;
        return result;
    }

    PyObject *object() const noexcept { return op_; }
    T *get() const noexcept { return op_ != nullptr ? detail::body<T>(op_) : nullptr; }
    T *operator->() const noexcept { return detail::body<T>(op_); }
    T &operator*() const noexcept { return *detail::body<T>(op_); }
    explicit operator bool() const noexcept { return op_ != nullptr; }

  private:
    PyObject *op_ = nullptr;
};

/* --- owning pointers ------------------------------------------------------------------------- */

/* A pointer that owns one reference, or null. A move changes no count. */
template <class T = PyObject> class ref {
  public:
    constexpr ref() noexcept = default;
    constexpr ref(std::nullptr_t) noexcept {}
    ref(const ref &other) noexcept : op_(other.op_) { Py_XINCREF(op_); }
    ref(ref &&other) noexcept : op_(other.release()) {}
    template <class U, class = detail::if_can_be<U, T>>
    ref(const ref<U> &other) noexcept : op_(other.object())
    {
        Py_XINCREF(op_);
    }
    template <class U, class = detail::if_can_be<U, T>>
    ref(ref<U> &&other) noexcept : op_(other.release())
    {
    }
    ~ref() { Py_XDECREF(op_); }

    /* The old object is released last: its destruction may run any code, also on this object. */
    ref &operator=(const ref &other) noexcept
    {
        ref(other).swap(*this);
        return *this;
    }
    ref &operator=(ref &&other) noexcept
    {
        ref(std::move(other)).swap(*this);
        return *this;
    }
    ref &operator=(std::nullptr_t) noexcept
    {
        reset();
        return *this;
    }

    /* Take over a new reference, such as most C functions return; or null. The caller knows
     * that the object is a T. */
    static ref adopt(PyObject *op) noexcept
    {
        ref result;
        result.op_ = op;
        return result;
    }
    /* One more reference to an object that other code owns. */
    static ref share(borrowed<T> other) noexcept
    {
        Py_XINCREF(other.object());
        return adopt(other.object());
    }

    /* Give the reference away, for example as the result of a C function. */
    [[nodiscard]] PyObject *release() noexcept { return std::exchange(op_, nullptr); }
    void reset() noexcept { Py_XDECREF(std::exchange(op_, nullptr)); }
    void swap(ref &other) noexcept { std::swap(op_, other.op_); }

    PyObject *object() const noexcept { return op_; }
    T *get() const noexcept { return op_ != nullptr ? detail::body<T>(op_) : nullptr; }
    T *operator->() const noexcept { return detail::body<T>(op_); }
    T &operator*() const noexcept { return *detail::body<T>(op_); }
    explicit operator bool() const noexcept { return op_ != nullptr; }

  private:
    PyObject *op_ = nullptr;
};

template <class T>
void
swap(ref<T> &a, ref<T> &b) noexcept
{
    a.swap(b);
}

/* All three kinds compare by identity, with each other and with null. */
namespace detail {

template <class P> struct is_pointer : std::false_type {
};
template <class T> struct is_pointer<ref<T>> : std::true_type {
};
template <class T> struct is_pointer<borrowed<T>> : std::true_type {
};

}  // namespace detail

template <class P, class Q>
std::enable_if_t<detail::is_pointer<P>::value && detail::is_pointer<Q>::value, bool>
operator==(const P &a, const Q &b) noexcept
{
    return a.object() == b.object();
}
template <class P, class Q>
std::enable_if_t<detail::is_pointer<P>::value && detail::is_pointer<Q>::value, bool>
operator!=(const P &a, const Q &b) noexcept
{
    return a.object() != b.object();
}
template <class P>
std::enable_if_t<detail::is_pointer<P>::value, bool>
operator==(const P &a, std::nullptr_t) noexcept
{
    return a.object() == nullptr;
}
template <class P>
std::enable_if_t<detail::is_pointer<P>::value, bool>
operator!=(const P &a, std::nullptr_t) noexcept
{
    return a.object() != nullptr;
}

/* --- errors ------------------------------------------------------------------------------------ */

namespace detail {

/* The exception that is pending, which is pending no more; or null. */
inline ref<>
take_pending() noexcept
{
#if PY_VERSION_HEX >= 0x030C0000
    return ref<>::adopt(PyErr_GetRaisedException());
#else
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    if (traceback != nullptr) {
        PyException_SetTraceback(value, traceback);
    }
    Py_XDECREF(type);
    Py_XDECREF(traceback);
    return ref<>::adopt(value);
#endif
}

inline void
make_pending(ref<> exception) noexcept
{
#if PY_VERSION_HEX >= 0x030C0000
    PyErr_SetRaisedException(exception.release());
#else
    PyObject *type = reinterpret_cast<PyObject *>(Py_TYPE(exception.object()));
    Py_INCREF(type);
    PyErr_Restore(type, exception.release(), nullptr);
#endif
}

/* The pending exception, while something else runs. */
class saved_pending {
  public:
    saved_pending() noexcept : exception_(take_pending()) {}
    saved_pending(const saved_pending &) = delete;
    saved_pending &operator=(const saved_pending &) = delete;
    ~saved_pending()
    {
        if (exception_) {
            make_pending(std::move(exception_));
        }
    }

  private:
    ref<> exception_;
};

}  // namespace detail

/* Says that an exception is pending; becomes a result, or a null PyObject pointer. */
struct failure {
    operator PyObject *() const noexcept { return nullptr; }
};

/* Raise: set the pending exception. `return ouro::fail(PyExc_ValueError, "...", ...);` */
inline failure
fail(PyObject *type, const char *format, ...) noexcept
{
    va_list arguments;
    va_start(arguments, format);
    PyErr_FormatV(type, format, arguments);
    va_end(arguments);
    return {};
}

#if OURO_CPP_EXCEPTIONS

/* An exception of the library, on its way through C++. It owns the exception object; nothing is
 * pending meanwhile. A callback that it leaves makes it pending again. */
class error : public std::exception {
  public:
    /* What is pending. */
    error() noexcept : exception_(detail::take_pending())
    {
        if (!exception_) {
            fail(PyExc_SystemError, "ouro::error, but no exception is pending");
            exception_ = detail::take_pending();
        }
    }
    explicit error(ref<> exception) noexcept : exception_(std::move(exception)) {}

    bool matches(PyObject *type) const noexcept
    {
        return PyErr_GivenExceptionMatches(exception_.object(), type) != 0;
    }
    const ref<> &exception() const noexcept { return exception_; }
    void restore() const noexcept { detail::make_pending(exception_); }
    /* "ValueError: the text". */
    const char *what() const noexcept override
    {
        detail::saved_pending saved;
        auto text = ref<>::adopt(PyObject_Str(exception_.object()));
        const char *words = text ? PyUnicode_AsUTF8(text.object()) : nullptr;
        PyErr_Clear();
        std::snprintf(text_, sizeof text_, "%s: %s",
                      Py_TYPE(exception_.object())->tp_name,
                      words != nullptr ? words : "(no text)");
        return text_;
    }

  private:
    ref<> exception_;
    mutable char text_[200] = "";
};

/* Raise, as a C++ exception. */
[[noreturn]] inline void
raise(PyObject *type, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    PyErr_FormatV(type, format, arguments);
    va_end(arguments);
    throw error();
}

namespace detail {

/* Make the C++ exception that is being handled the pending one. */
inline void
translate() noexcept
{
    try {
        throw;
    } catch (const error &e) {
        e.restore();
    } catch (const std::bad_alloc &) {
        PyErr_NoMemory();
    } catch (const std::out_of_range &e) {
        PyErr_SetString(PyExc_IndexError, e.what());
    } catch (const std::logic_error &e) { /* invalid_argument and others */
        PyErr_SetString(PyExc_ValueError, e.what());
    } catch (const std::overflow_error &e) {
        PyErr_SetString(PyExc_OverflowError, e.what());
    } catch (const std::system_error &e) {
        PyErr_SetString(PyExc_OSError, e.what());
    } catch (const std::exception &e) {
        PyErr_SetString(PyExc_RuntimeError, e.what());
    } catch (...) {
        PyErr_SetString(PyExc_SystemError, "a C++ exception of an unknown type");
    }
}

}  // namespace detail

#endif

namespace detail {

/* Never in line: the paths without failure stay short. */
[[noreturn, gnu::cold, gnu::noinline]] inline void
escape()
{
#if OURO_CPP_EXCEPTIONS
    throw error();
#else
    Py_FatalError("the value of an ouro::result that failed");
#endif
}

}  // namespace detail

/* Call `run`. A C++ exception becomes the pending one, and the result is `otherwise`. */
template <class R, class F>
R
guard(R otherwise, F &&run) noexcept
{
#if OURO_CPP_EXCEPTIONS
    try {
        return run();
    } catch (...) {
        detail::translate();
        return otherwise;
    }
#else
    (void)otherwise;
    return run();
#endif
}

/* The same where no caller can receive an exception: it is reported. */
template <class F>
void
guard_unraisable(borrowed<> where, F &&run) noexcept
{
    (void)guard(0, [&run] {
        run();
        return 0;
    });
    if (PyErr_Occurred() != nullptr) {
        PyErr_WriteUnraisable(where.object());
    }
}

/* A value, or else an exception is pending, as after a C function that returned NULL. T has a null
 * value, which means failure. */
template <class T> class [[nodiscard]] result {
  public:
    result(T value) noexcept : value_(std::move(value)) {}
    result(failure) noexcept {}
    template <class U, class = std::enable_if_t<std::is_convertible<U &&, T>::value>>
    result(result<U> &&other) noexcept : value_(*std::move(other))
    {
    }

    explicit operator bool() const noexcept { return static_cast<bool>(value_); }
    T &operator*() &noexcept { return value_; }
    T &&operator*() &&noexcept { return std::move(value_); }
    const T &operator->() const noexcept { return value_; }
    /* Throws ouro::error after a failure; without C++ exceptions the process ends. */
    T value() &&
    {
        if (!*this) {
            detail::escape();
        }
        return std::move(value_);
    }
    /* The exception, which is pending no more. */
    ref<> take_error() const noexcept { return detail::take_pending(); }
    /* What `next` makes of the value; a failure stays one. */
    template <class F> auto and_then(F &&next) && -> decltype(next(std::declval<T>()))
    {
        if (!*this) {
            return failure();
        }
        return next(std::move(value_));
    }

  private:
    T value_{};
};

/* The new reference that a C function returned, or NULL and an exception is pending. */
template <class T = PyObject>
result<ref<T>>
try_take(PyObject *op) noexcept
{
    return ref<T>::adopt(op);
}

#if OURO_CPP_EXCEPTIONS
/* The same; throws ouro::error for NULL. */
template <class T = PyObject>
ref<T>
take(PyObject *op)
{
    if (op == nullptr) {
        detail::escape();
    }
    return ref<T>::adopt(op);
}

/* Throw ouro::error when a C function returned a negative number. */
inline int
check(int status)
{
    if (status < 0) {
        detail::escape();
    }
    return status;
}
#endif

/* --- what holds references: the customisation point --------------------------------------------- */

/* What the library hands to a visit. A result other than 0 has to be returned at once. */
class visitor {
  public:
    visitor(visitproc visit, void *arg) noexcept : visit_(visit), arg_(arg) {}
    int operator()(PyObject *op) const noexcept
    {
        return op != nullptr ? visit_(op, arg_) : 0;
    }

  private:
    visitproc visit_;
    void *arg_;
};

/* How a type of member is visited and cleared. Specialise it for a container of yours:
 *     static int visit(const M &member, ouro::visitor visit) noexcept;
 *         calls ouro::visit(part, visit) for each part, and returns what that returns unless it
 *         is 0. It must not allocate, change counts, or call anything that might.
 *     static void clear(M &member) noexcept;
 *         optional: empties it. Otherwise it is swapped with an M{}, which is then destroyed.
 * There are holders for ref and weak; arrays; std::pair, tuple and array; what has begin() and
 * end(): vector, deque, list, set, map, unordered_map and so on; what has has_value(): optional;
 * std::unique_ptr; structs with an OURO_MEMBERS; all of them inside each other. */
template <class M, class Enable = void> struct holder {
};

namespace detail {

template <class M, class = void> struct holds : std::false_type {
};
template <class M>
struct holds<M, std::void_t<decltype(holder<M>::visit(std::declval<const M &>(),
                                                      std::declval<visitor>()))>>
    : std::true_type {
    static_assert(noexcept(holder<M>::visit(std::declval<const M &>(),
                                            std::declval<visitor>())),
                  "ouro::holder<M>::visit must be noexcept");
};
template <class M> inline constexpr bool holds_v = holds<std::remove_const_t<M>>::value;

template <class M, class = void> struct has_clear : std::false_type {
};
template <class M>
struct has_clear<M, std::void_t<decltype(holder<M>::clear(std::declval<M &>()))>>
    : std::true_type {
};

}  // namespace detail

/* Visit the references in a member, or in a part of one. */
template <class M>
int
visit(const M &member, visitor call) noexcept
{
    if constexpr (detail::holds_v<M>) {
        return holder<M>::visit(member, call);
    } else {
        return 0;
    }
}

/* Empty a member. What it held is released when it is no longer in the member. */
template <class M>
void
clear(M &member) noexcept
{
    if constexpr (detail::has_clear<M>::value) {
        holder<M>::clear(member);
    } else if constexpr (detail::holds_v<M>) {
        using std::swap;
        M old{};
        swap(member, old);
    }
}

template <class T> struct holder<ref<T>> {
    static int visit(const ref<T> &member, visitor call) noexcept
    {
        return call(member.object());
    }
    static void clear(ref<T> &member) noexcept { member.reset(); }
};

template <class M, std::size_t N>
struct holder<M[N], std::enable_if_t<detail::holds_v<M>>> {
    static int visit(const M (&member)[N], visitor call) noexcept
    {
        int result = 0;
        for (std::size_t i = 0; i < N && result == 0; i++) {
            result = ouro::visit(member[i], call);
        }
        return result;
    }
    static void clear(M (&member)[N]) noexcept
    {
        for (M &part : member) {
            ouro::clear(part);
        }
    }
};

namespace detail {

template <class M, class = void> struct is_tuple : std::false_type {
};
template <class M>
struct is_tuple<M, std::void_t<decltype(std::tuple_size<M>::value)>> : std::true_type {
};

template <class M, class = std::make_index_sequence<std::tuple_size<M>::value>>
struct tuple_parts;
template <class M, std::size_t... I> struct tuple_parts<M, std::index_sequence<I...>> {
    static constexpr bool hold = (false || ... || holds_v<std::tuple_element_t<I, M>>);

    static int visit(const M &member, visitor call) noexcept
    {
        using std::get;
        int result = 0;
        (void)((result = ouro::visit(get<I>(member), call)) || ...);
        return result;
    }
};

template <class M, class = void> struct tuple_holds : std::false_type {
};
template <class M>
struct tuple_holds<M, std::enable_if_t<is_tuple<M>::value>>
    : std::bool_constant<tuple_parts<M>::hold> {
};

template <class M, class = void> struct range_holds : std::false_type {
};
template <class M>
struct range_holds<
    M, std::void_t<typename M::value_type, decltype(std::declval<const M &>().begin()),
                   decltype(std::declval<const M &>().end())>>
    : std::conjunction<std::negation<is_tuple<M>>,
                       std::negation<std::is_same<M, typename M::value_type>>,
                       holds<std::remove_const_t<typename M::value_type>>> {
};

template <class M, class = void> struct optional_holds : std::false_type {
};
template <class M>
struct optional_holds<M, std::void_t<typename M::value_type,
                                     decltype(std::declval<const M &>().has_value()),
                                     decltype(*std::declval<const M &>())>>
    : holds<std::remove_const_t<typename M::value_type>> {
};

/* There is only one owner: two of them would visit the same references. */
template <class M, class = void> struct pointer_holds : std::false_type {
};
template <class M>
struct pointer_holds<M, std::void_t<typename M::element_type, typename M::deleter_type,
                                    decltype(std::declval<const M &>().get())>>
    : std::conjunction<std::negation<std::is_array<typename M::element_type>>,
                       std::negation<std::is_copy_constructible<M>>,
                       holds<std::remove_const_t<typename M::element_type>>> {
};

}  // namespace detail

template <class M> struct holder<M, std::enable_if_t<detail::tuple_holds<M>::value>> {
    static int visit(const M &member, visitor call) noexcept
    {
        return detail::tuple_parts<M>::visit(member, call);
    }
};

template <class M> struct holder<M, std::enable_if_t<detail::range_holds<M>::value>> {
    static int visit(const M &member, visitor call) noexcept
    {
        auto end = member.end();
        for (auto at = member.begin(); at != end; ++at) {
            int result = ouro::visit(*at, call);
            if (result != 0) {
                return result;
            }
        }
        return 0;
    }
};

template <class M> struct holder<M, std::enable_if_t<detail::optional_holds<M>::value>> {
    static int visit(const M &member, visitor call) noexcept
    {
        return member.has_value() ? ouro::visit(*member, call) : 0;
    }
};

template <class M> struct holder<M, std::enable_if_t<detail::pointer_holds<M>::value>> {
    static int visit(const M &member, visitor call) noexcept
    {
        return member.get() != nullptr ? ouro::visit(*member, call) : 0;
    }
};

/* --- weak references ----------------------------------------------------------------------------- */

/* The weak references to an object. A class whose objects can be weakly referred to has a member
 * of this type, in its list. */
struct weakrefs {
    weakrefs() noexcept = default;
    weakrefs(const weakrefs &) = delete;
    weakrefs &operator=(const weakrefs &) = delete;

    PyObject *list = nullptr; /* the library's */
};

/* A pointer that does not keep its object alive; or null. It owns a weak reference, which the
 * collector has to see: it belongs into the list of members as a ref does. */
template <class T> class weak {
  public:
    weak() noexcept = default;
#if OURO_CPP_EXCEPTIONS
    explicit weak(borrowed<T> object)
        : reference_(take(PyWeakref_NewRef(object.object(), nullptr)))
    {
    }
#endif
    /* A reference to an object that lives; null if it is dead. */
    ref<T> lock() const noexcept
    {
        if (!reference_) {
            return nullptr;
        }
#if defined(OUROBOROS) || PY_VERSION_HEX >= 0x030D0000
        PyObject *op = nullptr;
        (void)PyWeakref_GetRef(reference_.object(), &op);
        return ref<T>::adopt(op);
#else
        PyObject *op = PyWeakref_GetObject(reference_.object());
        return ref<T>::share(borrowed<T>::of(op == Py_None ? nullptr : op));
#endif
    }
    bool expired() const noexcept
    {
        return lock() == nullptr;
    }
    /* The weak reference as an object. */
    const ref<> &reference() const noexcept
    {
        return reference_;
    }
    explicit operator bool() const noexcept
    {
        return static_cast<bool>(reference_);
    }
    /* Do both refer to the same object, dead or alive? */
    friend bool operator==(const weak &a, const weak &b) noexcept
    {
        return a.reference_ == b.reference_;
    }
    friend bool operator!=(const weak &a, const weak &b) noexcept
    {
        return a.reference_ != b.reference_;
    }

    static weak adopt(ref<> reference) noexcept
    {
        weak result;
        result.reference_ = std::move(reference);
        return result;
    }

  private:
    ref<> reference_;
};

/* The same as the constructor, without C++ exceptions. */
template <class T>
result<weak<T>>
try_weak(borrowed<T> object) noexcept
{
    return weak<T>::adopt(ref<>::adopt(PyWeakref_NewRef(object.object(), nullptr)));
}
template <class T>
result<weak<T>>
try_weak(const ref<T> &object) noexcept
{
    return try_weak(borrowed<T>(object));
}

template <class T> struct holder<weak<T>> {
    static int visit(const weak<T> &member, visitor call) noexcept
    {
        return call(member.reference().object());
    }
    static void clear(weak<T> &member) noexcept { member = weak<T>(); }
};

/* --- classes --------------------------------------------------------------------------------------- */

/* The base of a class T, and of its C++ base Base, if that is such a class as well. Objects are
 * made by ouro::make, and nowhere else. */
template <class T, class Base = detail::root> class object : public Base {
  public:
    using ouro_base = Base;
    object(const object &) = delete;
    object &operator=(const object &) = delete;

    /* This object, as others see it. A constructor must not let a reference to it outlive an
     * exception that it throws. */
    borrowed<T> self() noexcept { return borrowed<T>(static_cast<T &>(*this)); }

  protected:
    using Base::Base;
    object() = default;
    ~object() = default;
};

/* OURO_MEMBERS(T, members...);        in class T, or in a struct that is a member of one: each
 *                                     member that holds references. A borrowed pointer may be
 *                                     listed, a member of type ouro::weakrefs must be.
 * OURO_NO_MEMBERS(T);                 T holds no references: the collector does not look at it.
 * OURO_PLAIN_MEMBERS(T, members...);  every member of T: references, and data without destructor.
 *                                     T has no destructor of its own, nor a base. Garbage is
 *                                     then freed page by page, and no destructor is called. */
/* clang-format off */
#define OURO_MEMBERS(T, ...) \
    OURO_CPP_LIST(T, false, OURO_F_EACH(OURO_CPP_MEMBER_, T, __VA_ARGS__))
#define OURO_PLAIN_MEMBERS(T, ...) \
    OURO_CPP_LIST(T, true, OURO_F_EACH(OURO_CPP_MEMBER_, T, __VA_ARGS__))
#define OURO_NO_MEMBERS(T) OURO_CPP_LIST(T, false, (void)ouro_run;)

/* gcc and clang have offsetof for all classes without virtual bases, and warn. */
#define OURO_CPP_LIST(T, is_plain, members) \
    friend struct ::ouro::detail::access; \
    using ouro_listed [[maybe_unused]] = T; \
    static constexpr bool ouro_is_plain() noexcept { return is_plain; } \
    static constexpr const char *ouro_class_name() noexcept { return #T; } \
    _Pragma("GCC diagnostic push") \
    _Pragma("GCC diagnostic ignored \"-Winvalid-offsetof\"") \
    static constexpr auto ouro_members() noexcept \
    { \
        return [](auto &&ouro_run) { members }; \
    } \
    _Pragma("GCC diagnostic pop") \
    static_assert(true, "")
#define OURO_CPP_MEMBER_ouro_ref(T, m) \
    ouro_run(::ouro::detail::member<T, decltype(T::m), &T::m>{#m, offsetof(T, m)});
/* clang-format on */

namespace detail {

/* One entry of a list. */
template <class T, class M, M T::*Where> struct member {
    using type = M;
    const char *name;
    std::size_t offset;

    static M &in(T &place) noexcept { return place.*Where; }
    /* As handlers, for a step of the collector. */
    static int visit_in(PyObject *op, visitproc call, void *arg) noexcept
    {
        return ouro::visit(in(*body<T>(op)), visitor(call, arg));
    }
    static int clear_in(PyObject *op) noexcept
    {
        ouro::clear(in(*body<T>(op)));
        return 0;
    }
};

/* What the macros put into a class; it may be private. */
struct access {
    template <class T, class = void> struct has_list : std::false_type {
    };
    template <class T>
    struct has_list<T, std::void_t<typename T::ouro_listed>>
        : std::is_same<typename T::ouro_listed, T> {
    };

    template <class T, class = void> struct has_finalize : std::false_type {
    };
    template <class T>
    struct has_finalize<T, std::void_t<decltype(std::declval<T &>().finalize())>>
        : std::true_type {
    };

    template <class T, class = void> struct has_setup : std::false_type {
    };
    template <class T>
    struct has_setup<T,
                     std::void_t<decltype(T::set_slots(std::declval<PyTypeObject &>()))>>
        : std::true_type {
    };

    template <class T> static constexpr bool is_plain = T::ouro_is_plain();
    template <class T> static constexpr const char *class_name = T::ouro_class_name();

    /* Call `run` with each entry. */
    template <class T, class F> static constexpr void each(F &&run)
    {
        T::ouro_members()(run);
    }
    template <class T> static void finalize(T &place) { place.finalize(); }
    template <class T> static void set_slots(PyTypeObject &type) { T::set_slots(type); }
    template <class T, class... A> static void construct(PyObject *op, A &&...arguments)
    {
        ::new (static_cast<void *>(body<T>(op))) T(std::forward<A>(arguments)...);
    }
    template <class T> static void destroy(PyObject *op) { body<T>(op)->~T(); }
};

template <class T>
int
visit_members(T &place, visitor call) noexcept
{
    int result = 0;
    access::each<T>([&](auto entry) {
        if (result == 0) {
            result = ouro::visit(entry.in(place), call);
        }
    });
    return result;
}

template <class T>
void
clear_members(T &place) noexcept
{
    access::each<T>([&](auto entry) { ouro::clear(entry.in(place)); });
}

template <class S>
using is_listed_struct =
    std::conjunction<access::has_list<S>, std::negation<is_class<S>>>;

}  // namespace detail

/* A struct with a list, inside an object. */
template <class S>
struct holder<S, std::enable_if_t<detail::is_listed_struct<S>::value>> {
    static int visit(const S &member, visitor call) noexcept
    {
        return detail::visit_members(const_cast<S &>(member), call);
    }
    static void clear(S &member) noexcept { detail::clear_members(member); }
};

/* --- from a list of members to the type's fields ---------------------------------------------------- */

namespace detail {

enum class kind { none, words, borrowed, weakrefs, structure, container };

template <class M> struct is_borrowed : std::false_type {
};
template <class T> struct is_borrowed<borrowed<T>> : std::true_type {
};
template <class M> struct is_reference : std::false_type {
};
template <class T> struct is_reference<ref<T>> : std::true_type {
};
template <class T> struct is_reference<weak<T>> : std::true_type {
};

/* References side by side, and nothing else: ref, ref[3], std::array, a pair of them. */
template <class M, class = void> struct is_words : is_reference<M> {
};
template <class M, std::size_t N> struct is_words<M[N]> : is_words<M> {
};
template <class M, class = std::make_index_sequence<std::tuple_size<M>::value>>
struct tuple_is_words;
template <class M, std::size_t... I>
struct tuple_is_words<M, std::index_sequence<I...>>
    : std::conjunction<std::bool_constant<(sizeof...(I) > 0)>,
                       is_words<std::remove_const_t<std::tuple_element_t<I, M>>>...> {
};
template <class M>
struct is_words<M, std::enable_if_t<is_tuple<M>::value>> : tuple_is_words<M> {
};

template <class M> constexpr kind kind_of();

/* Can the collector read the members of this struct in place? */
template <class S>
constexpr bool
is_in_place()
{
    bool result = true;
    access::each<S>([&](auto entry) {
        kind k = kind_of<typename decltype(entry)::type>();
        result =
            result && (k == kind::words || k == kind::borrowed || k == kind::structure);
    });
    return result;
}

template <class M>
constexpr kind
kind_of()
{
    static_assert(
        !is_class<M>::value,
        "an object of such a class is made by ouro::make: have an ouro::ref to it");
    static_assert(
        !std::is_same<M, PyObject *>::value,
        "a plain pointer does not say who owns the object: use ref or borrowed");
    if constexpr (is_borrowed<M>::value) {
        return kind::borrowed;
    } else if constexpr (std::is_same<M, weakrefs>::value) {
        return kind::weakrefs;
    } else if constexpr (is_words<M>::value) {
        return kind::words;
    } else if constexpr (is_listed_struct<M>::value) {
        return is_in_place<M>() ? kind::structure : kind::container;
    } else {
        return holds_v<M> ? kind::container : kind::none;
    }
}

/* In OURO_MEMBERS each entry means something; OURO_PLAIN_MEMBERS has all members. */
template <class T>
constexpr bool
entries_are_valid()
{
    access::each<T>([](auto entry) {
        using M = typename decltype(entry)::type;
        constexpr kind k = kind_of<M>();
        static_assert(
            k != kind::none || access::is_plain<T>,
            "the type of this member holds no references that ouro knows of: leave "
            "the member out of the list, or specialise ouro::holder");
        static_assert(
            !access::is_plain<T> || k != kind::container,
            "OURO_PLAIN_MEMBERS is for references and plain data: use OURO_MEMBERS");
        static_assert(!access::is_plain<T> || k != kind::none ||
                          std::is_trivially_destructible<M>::value,
                      "this member has a destructor: use OURO_MEMBERS");
    });
    return true;
}

constexpr std::size_t
round_up(std::size_t offset, std::size_t alignment)
{
    return (offset + alignment - 1) / alignment * alignment;
}

/* Do the entries fill the class, except for alignment? Then none was forgotten. */
template <class T>
constexpr bool
entries_fill_class()
{
    std::size_t at = 0;
    bool is_found = true;
    while (is_found) {
        is_found = false;
        access::each<T>([&](auto entry) {
            using M = typename decltype(entry)::type;
            if (!is_found && entry.offset == round_up(at, alignof(M)) &&
                entry.offset >= at) {
                at = entry.offset + sizeof(M);
                is_found = true;
            }
        });
    }
    return round_up(at, alignof(T)) == sizeof(T);
}

template <class T>
constexpr bool
has_weakrefs()
{
    bool result = false;
    access::each<T>([&](auto entry) {
        result = result || std::is_same<typename decltype(entry)::type, weakrefs>::value;
    });
    return result;
}

template <class T>
constexpr std::size_t
count_members()
{
    std::size_t count = 0;
    access::each<T>([&](auto) { count++; });
    return count;
}

#if defined(OURO_CHECK) && OURO_CHECK
inline constexpr bool is_checking = true;
#else
inline constexpr bool is_checking = false;
#endif

/* Does T, or its base, have references? If not, the collector need not see it. The checking
 * library looks at it anyway, because a member may have been forgotten. */
template <class T>
constexpr bool
is_container()
{
    if constexpr (std::is_same<T, root>::value) {
        return false;
    } else {
        return is_checking || count_members<T>() > 0 ||
               is_container<typename T::ouro_base>();
    }
}

#ifdef OUROBOROS

/* Room for the entries, the name of the class, and the end. */
template <class S> struct table {
    Ouro_Field items[count_members<S>() + 2] = {};
};

template <class S> constexpr table<S> make_table();
template <class S> inline constexpr table<S> table_of = make_table<S>();

template <class Entry>
constexpr Ouro_Field
field_of(Entry entry, std::size_t from)
{
    using M = typename Entry::type;
    constexpr kind k = kind_of<M>();
    Ouro_Field field = {};
    field.name = entry.name;
    field.offset = static_cast<Py_ssize_t>(from + entry.offset);
    field.size = sizeof(void *);
    if constexpr (k == kind::words) {
        static_assert(sizeof(M) % sizeof(void *) == 0, "");
        field.kind = OURO_FIELD_REFERENCE;
        field.count = sizeof(M) / sizeof(void *);
    } else if constexpr (k == kind::borrowed) {
        field.kind = OURO_FIELD_BORROWED;
    } else if constexpr (k == kind::weakrefs) {
        field.kind = OURO_FIELD_WEAKREFS;
    } else if constexpr (k == kind::structure) {
        field.kind = OURO_FIELD_STRUCT;
        field.size = sizeof(M);
        field.element = table_of<M>.items;
    } else if constexpr (k == kind::container) {
        field.kind = OURO_FIELD_REST;
        field.visit = Entry::visit_in;
        field.clear = Entry::clear_in;
    }
    return field;
}

template <class S>
constexpr table<S>
make_table()
{
    constexpr std::size_t from = is_class<S>::value ? sizeof(PyObject) : 0;
    table<S> result;
    std::size_t used = 0;
    access::each<S>([&](auto entry) {
        if (kind_of<typename decltype(entry)::type>() != kind::none) {
            result.items[used++] = field_of(entry, from);
        }
    });
    if (is_class<S>::value) {
        result.items[used].name = access::class_name<S>;
        result.items[used].kind = OURO_FIELD_CLASS;
        result.items[used].size = sizeof(S);
        result.items[used].length = sizeof(PyObject);
    }
    return result;
}

#endif

/* --- handlers --------------------------------------------------------------------------------------- */

template <class T>
int
traverse(PyObject *op, visitproc call, void *arg) noexcept
{
    int result = visit_members(*body<T>(op), visitor(call, arg));
    if constexpr (is_container<typename T::ouro_base>()) {
        return result != 0 ? result : traverse<typename T::ouro_base>(op, call, arg);
    }
    return result;
}

template <class T>
int
clear_all(PyObject *op) noexcept
{
    clear_members(*body<T>(op));
    if constexpr (is_container<typename T::ouro_base>()) {
        clear_all<typename T::ouro_base>(op);
    }
    return 0;
}

template <class T>
void
finalize(PyObject *op) noexcept
{
    saved_pending saved;
    guard_unraisable(borrowed<>(op), [op] { access::finalize(*body<T>(op)); });
}

template <class T>
void
destroy(PyObject *op) noexcept
{
    if constexpr (std::is_nothrow_destructible<T>::value) {
        access::destroy<T>(op);
    } else {
        saved_pending saved;
        guard_unraisable(nullptr, [op] { access::destroy<T>(op); });
    }
}

/* Does the object survive? */
template <class T>
bool
is_rescued(PyObject *op) noexcept
{
    if constexpr (access::has_finalize<T>::value) {
        return PyObject_CallFinalizerFromDealloc(op) < 0;
    }
    (void)op;
    return false;
}

template <class T>
void
clear_weakrefs(PyObject *op) noexcept
{
    if constexpr (!std::is_same<T, root>::value) {
        access::each<T>([op](auto entry) {
            if constexpr (std::is_same<typename decltype(entry)::type, weakrefs>::value) {
                if (entry.in(*body<T>(op)).list != nullptr) {
                    PyObject_ClearWeakRefs(op);
                }
            }
        });
        clear_weakrefs<typename T::ouro_base>(op);
    }
    (void)op;
}

template <class T>
void
dealloc_leaf(PyObject *op) noexcept
{
    if (!is_rescued<T>(op)) {
        destroy<T>(op);
        Py_TYPE(op)->tp_free(op);
    }
}

/* The finalizer runs. Then the object is hidden from the collector. Weak references are cleared
 * while the object is whole; then the destructor runs. */
template <class T>
void
dealloc(PyObject *op) noexcept
{
    if (is_rescued<T>(op)) {
        return;
    }
    PyObject_GC_UnTrack(op);
    OURO_F_TRASH_BEGIN(op, dealloc<T>)
    clear_weakrefs<T>(op);
    destroy<T>(op);
    Py_TYPE(op)->tp_free(op);
    OURO_F_TRASH_END
}

#ifdef OUROBOROS
/* The collector frees plain objects itself, unless they have another tp_dealloc. */
template <class T>
inline constexpr Ouro_Fields fields_of = {table_of<T>.items, traverse<T>, clear_all<T>,
                                          access::is_plain<T> ? dealloc<T> : nullptr};
#endif

/* --- the type ------------------------------------------------------------------------------------------ */

template <class T> struct type_storage {
    static inline PyTypeObject type = {};
};

template <class T>
constexpr bool
class_is_valid()
{
    static_assert(
        access::has_list<T>::value,
        "the class needs an OURO_MEMBERS, OURO_PLAIN_MEMBERS or OURO_NO_MEMBERS");
    static_assert(std::is_base_of<object<T, typename T::ouro_base>, T>::value,
                  "class T derives from ouro::object<T>, or from ouro::object<T, Base>");
    static_assert(sizeof(PyObject) % alignof(T) == 0,
                  "the class needs too much alignment");
    static_assert(entries_are_valid<T>(), "");
    if constexpr (access::is_plain<T>) {
        static_assert(std::is_same<typename T::ouro_base, root>::value,
                      "a class with OURO_PLAIN_MEMBERS has no base");
        static_assert(entries_fill_class<T>(),
                      "OURO_PLAIN_MEMBERS has to list every member of the class");
    }
    return true;
}

}  // namespace detail

/* The type of the objects of class T. Its address is known before ouro::ready. */
template <class T>
PyTypeObject *
type_of() noexcept
{
    return &detail::type_storage<T>::type;
}

namespace detail {

template <class T>
Py_ssize_t
weaklist_offset() noexcept
{
    std::size_t offset = 0;
    access::each<T>([&](auto entry) {
        if (std::is_same<typename decltype(entry)::type, weakrefs>::value) {
            offset = sizeof(PyObject) + entry.offset;
        }
    });
    return static_cast<Py_ssize_t>(offset);
}

template <class T>
void
fill_container(PyTypeObject &type) noexcept
{
    type.tp_flags |= Py_TPFLAGS_HAVE_GC;
    type.tp_dealloc = dealloc<T>;
    type.tp_traverse = traverse<T>;
    type.tp_clear = clear_all<T>;
    if constexpr (has_weakrefs<T>()) {
        type.tp_weaklistoffset = weaklist_offset<T>();
    }
#ifdef OUROBOROS
    type.tp_ouro_fields = &fields_of<T>;
#endif
}

/* The base is at the start of the class, as the library expects it. */
template <class T>
bool
fill_base(PyTypeObject &type) noexcept
{
    using Base = typename T::ouro_base;
    if constexpr (!std::is_same<Base, root>::value) {
        T *place = body<T>(reinterpret_cast<PyObject *>(&type)); /* any address */
        if (static_cast<void *>(static_cast<Base *>(place)) !=
            static_cast<void *>(place)) {
            fail(PyExc_SystemError, "class %s does not begin with its base",
                 access::class_name<T>);
            return false;
        }
        if (!PyType_HasFeature(type_of<Base>(), Py_TPFLAGS_READY)) {
            fail(PyExc_SystemError, "class %s has a base that is not ready",
                 access::class_name<T>);
            return false;
        }
        type.tp_base = type_of<Base>();
    }
    return true;
}

template <class T>
void
fill_slots(PyTypeObject &type, const char *name) noexcept
{
    type.tp_name = name;
    /* An empty base takes no room in a class that derives from it. */
    type.tp_basicsize = sizeof(PyObject) + (std::is_empty<T>::value ? 0 : sizeof(T));
    type.tp_flags = Py_TPFLAGS_DEFAULT;
    if constexpr (is_container<T>()) {
        fill_container<T>(type);
    } else {
        type.tp_dealloc = dealloc_leaf<T>;
    }
    if constexpr (access::has_finalize<T>::value) {
        type.tp_finalize = finalize<T>;
    }
    if constexpr (access::has_setup<T>::value) {
        access::set_slots<T>(type);
    }
}

}  // namespace detail

/* Make the type of class T ready, with a name such as "module.Name", which must live on. Bases
 * come first; a second time does no harm. T may have a static function set_slots(PyTypeObject &), which sets
 * slots (with ouro::callback) and flags. A void finalize() becomes tp_finalize. */
template <class T>
result<PyTypeObject *>
try_ready(const char *name) noexcept
{
    static_assert(detail::class_is_valid<T>(), "");
    PyTypeObject *type = type_of<T>();
    if (!PyType_HasFeature(type, Py_TPFLAGS_READY)) {
        if (!detail::fill_base<T>(*type)) {
            return failure();
        }
        detail::fill_slots<T>(*type, name);
    }
    return PyType_Ready(type) < 0 ? nullptr : type;
}

/* --- objects ------------------------------------------------------------------------------------------- */

namespace detail {

/* Memory for an object: freed again unless a constructor has finished. */
template <class T> class raw_object {
  public:
    explicit raw_object(PyObject *op) noexcept : op_(op) {}
    raw_object(const raw_object &) = delete;
    raw_object &operator=(const raw_object &) = delete;
    ~raw_object()
    {
        if (op_ == nullptr) {
            return;
        }
        PyTypeObject *type = Py_TYPE(op_);
        type->tp_free(op_);
        if (PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE)) {
            Py_DECREF(reinterpret_cast<PyObject *>(type));
        }
    }
    ref<T> finish() noexcept
    {
        if constexpr (is_container<T>()) {
            PyObject_GC_Track(op_);
        }
        return ref<T>::adopt(std::exchange(op_, nullptr));
    }

  private:
    PyObject *op_;
};

template <class T>
PyObject *
allocate() noexcept
{
    static_assert(class_is_valid<T>(), "");
    if constexpr (is_container<T>()) {
        return reinterpret_cast<PyObject *>(PyObject_GC_New(PyObject, type_of<T>()));
    } else {
        return reinterpret_cast<PyObject *>(PyObject_New(PyObject, type_of<T>()));
    }
}

/* Of a subtype, perhaps a class of the program: tp_alloc tracks what it makes. */
template <class T>
PyObject *
allocate_as(PyTypeObject *type) noexcept
{
    PyObject *op = type->tp_alloc(type, 0);
    if (is_container<T>() && op != nullptr) {
        PyObject_GC_UnTrack(op);
    }
    return op;
}

template <class T, class... A>
[[gnu::always_inline]] inline ref<T>
construct(PyObject *op, A &&...arguments)
{
    raw_object<T> raw(op);
    access::construct<T>(op, std::forward<A>(arguments)...);
    return raw.finish();
}

}  // namespace detail

/* A new object: memory, the constructor, then the collector may see it. A null result, with the
 * exception pending, when there is no memory or the constructor threw. */
template <class T, class... A>
result<ref<T>>
try_make(A &&...arguments) noexcept
{
    PyObject *op = detail::allocate<T>();
    if (op == nullptr) {
        return failure();
    }
    return guard(ref<T>(),
                 [&] { return detail::construct<T>(op, std::forward<A>(arguments)...); });
}

/* The same, of a type that is T's or inherits from it: for tp_new. */
template <class T, class... A>
result<ref<T>>
try_make_as(PyTypeObject *type, A &&...arguments) noexcept
{
    PyObject *op = detail::allocate_as<T>(type);
    if (op == nullptr) {
        return failure();
    }
    return guard(ref<T>(),
                 [&] { return detail::construct<T>(op, std::forward<A>(arguments)...); });
}

/* `op` as a T; or null when it is something else. No exception is pending. */
template <class T>
borrowed<T>
try_cast(borrowed<> op) noexcept
{
    return borrowed<T>::of(
        op && PyObject_TypeCheck(op.object(), type_of<T>()) ? op.object() : nullptr);
}

#if OURO_CPP_EXCEPTIONS

/* The same, and a failure is thrown: ouro::error, or what the constructor threw. */
template <class T>
PyTypeObject *
ready(const char *name)
{
    return try_ready<T>(name).value();
}

template <class T, class... A>
[[gnu::always_inline]] inline ref<T>
make(A &&...arguments)
{
    PyObject *op = detail::allocate<T>();
    if (op == nullptr) {
        detail::escape();
    }
    return detail::construct<T>(op, std::forward<A>(arguments)...);
}

template <class T, class... A>
ref<T>
make_as(PyTypeObject *type, A &&...arguments)
{
    PyObject *op = detail::allocate_as<T>(type);
    if (op == nullptr) {
        detail::escape();
    }
    return detail::construct<T>(op, std::forward<A>(arguments)...);
}

/* Throws a TypeError. */
template <class T>
borrowed<T>
cast(borrowed<> op)
{
    borrowed<T> result = try_cast<T>(op);
    if (!result) {
        raise(PyExc_TypeError, "expected %s, got %s", type_of<T>()->tp_name,
              op ? Py_TYPE(op.object())->tp_name : "NULL");
    }
    return result;
}

#endif

/* --- C++ functions as C callbacks ----------------------------------------------------------------------- */

namespace detail {

/* What a function of C returns for one of C++, and what says that it failed. */
template <class R> struct c_result {
    static_assert(
        std::is_arithmetic<R>::value || std::is_pointer<R>::value,
        "a callback returns ref, borrowed, result, a pointer, a number or nothing");
    using type = R;
    static type convert(R value) noexcept { return value; }
    static type failed() noexcept
    {
        if constexpr (std::is_pointer<R>::value) {
            return nullptr;
        } else {
            return static_cast<R>(-1);
        }
    }
};
struct object_result {
    using type = PyObject *;
    static type failed() noexcept { return nullptr; }
};
template <class T> struct c_result<ref<T>> : object_result {
    static PyObject *convert(ref<T> value) noexcept { return value.release(); }
};
template <class T> struct c_result<borrowed<T>> : object_result {
    static PyObject *convert(borrowed<T> value) noexcept
    {
        return ref<T>::share(value).release();
    }
};
template <class T> struct c_result<result<T>> : c_result<T> {
    static auto convert(result<T> value) noexcept
    {
        return c_result<T>::convert(*std::move(value));
    }
};
template <> struct c_result<bool> { /* nb_bool, sq_contains */
    using type = int;
    static int convert(bool value) noexcept { return value; }
    static int failed() noexcept { return -1; }
};
template <> struct c_result<void> {
    using type = void;
};

template <class R, class F>
typename c_result<R>::type
call_guarded(borrowed<> where, F &&run) noexcept
{
    if constexpr (std::is_void<R>::value) {
        guard_unraisable(where, run);
    } else {
        (void)where;
        return guard(c_result<R>::failed(), [&] { return c_result<R>::convert(run()); });
    }
}

/* A method that returns nothing returns None. */
template <class R, class F>
PyObject *
call_method(F &&run) noexcept
{
    if constexpr (std::is_void<R>::value) {
        return guard(static_cast<PyObject *>(nullptr), [&] {
            run();
            Py_INCREF(Py_None);
            return static_cast<PyObject *>(Py_None);
        });
    } else {
        return call_guarded<R>(nullptr, run);
    }
}

/* A free function: the C function has the same arguments. */
template <auto F, class R, class... A> struct function_adapter {
    static typename c_result<R>::type call(A... arguments) noexcept
    {
        return call_guarded<R>(nullptr, [&]() -> R { return F(arguments...); });
    }
};

/* A member function: the C function has the object in front of them. */
template <auto F, class R, class T, class... A> struct member_adapter {
    static typename c_result<R>::type call(PyObject *op, A... arguments) noexcept
    {
        return call_guarded<R>(borrowed<>(op),
                               [&]() -> R { return (body<T>(op)->*F)(arguments...); });
    }

    static PyObject *call_as_method(PyObject *op, A... arguments) noexcept
    {
        return call_method<R>([&]() -> R { return (body<T>(op)->*F)(arguments...); });
    }
    static PyObject *call_without_arguments(PyObject *op, PyObject *) noexcept
    {
        return call_as_method(op);
    }
    static constexpr bool has_none = sizeof...(A) == 0;
    static constexpr bool has_one = std::is_same<void(A...), void(PyObject *)>::value;
    static constexpr bool has_array =
        std::is_same<void(A...), void(PyObject *const *, Py_ssize_t)>::value;
};

template <auto F, class S = decltype(F)> struct adapter;
template <auto F, class R, class... A>
struct adapter<F, R (*)(A...)> : function_adapter<F, R, A...> {
};
template <auto F, class R, class... A>
struct adapter<F, R (*)(A...) noexcept> : function_adapter<F, R, A...> {
};
template <auto F, class R, class T, class... A>
struct adapter<F, R (T::*)(A...)> : member_adapter<F, R, T, A...> {
};
template <auto F, class R, class T, class... A>
struct adapter<F, R (T::*)(A...) noexcept> : member_adapter<F, R, T, A...> {
};
template <auto F, class R, class T, class... A>
struct adapter<F, R (T::*)(A...) const> : member_adapter<F, R, const T, A...> {
};
template <auto F, class R, class T, class... A>
struct adapter<F, R (T::*)(A...) const noexcept> : member_adapter<F, R, const T, A...> {
};

}  // namespace detail

/* The C function of a C++ function, for a slot: type.tp_repr = ouro::callback<&Node::repr>. What it
 * throws becomes the pending exception, and NULL or -1 is returned. */
template <auto F> inline constexpr auto callback = &detail::adapter<F>::call;

/* An entry of tp_methods. The member function has no argument, a PyObject *, or PyObject *const *
 * and Py_ssize_t; it may return nothing. */
template <auto F>
PyMethodDef
method(const char *name, const char *doc = nullptr) noexcept
{
    using A = detail::adapter<F>;
    static_assert(A::has_none || A::has_one || A::has_array,
                  "a method has no argument, a PyObject *, or an array and its length");
    if constexpr (A::has_none) {
        return {name, A::call_without_arguments, METH_NOARGS, doc};
    } else if constexpr (A::has_one) {
        return {name, A::call_as_method, METH_O, doc};
    } else {
        auto function = reinterpret_cast<void (*)()>(A::call_as_method);
        return {name, reinterpret_cast<PyCFunction>(function), METH_FASTCALL, doc};
    }
}

}  // namespace ouro

template <class T> struct std::hash<ouro::ref<T>> {
    std::size_t operator()(const ouro::ref<T> &pointer) const noexcept
    {
        return std::hash<const void *>()(pointer.object());
    }
};
template <class T> struct std::hash<ouro::borrowed<T>> {
    std::size_t operator()(const ouro::borrowed<T> &pointer) const noexcept
    {
        return std::hash<const void *>()(pointer.object());
    }
};
template <class T> struct std::hash<ouro::weak<T>> {
    std::size_t operator()(const ouro::weak<T> &pointer) const noexcept
    {
        return std::hash<const void *>()(pointer.reference().object());
    }
};

#endif
