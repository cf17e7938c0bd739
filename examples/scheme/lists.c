/* SPDX-License-Identifier: MIT */
/* Pairs, lists and equality. Procedures that call others hold what they work on: the
 * callee may change the list under them. */
#include "scheme.h"

/* --- pairs ----------------------------------------------------------------------------- */

/* c[ad]+r: `path` names the steps from right to left, as the procedure's name does. */
static PyObject *
follow(const char *name, const char *path, PyObject *value)
{
    PyObject *start = value;
    for (; *path != '\0'; path++) {
        if (!is_pair(value)) {
            return error_about(name, path[1] == '\0' ? "not a pair" : "too short", start);
        }
        value = *path == 'a' ? CAR(value) : CDR(value);
    }
    return Py_NewRef(value);
}

#define ACCESSOR(function, name, path)                                                   \
    static PyObject *function(PyObject *self, PyObject *value)                           \
    {                                                                                    \
        (void)self;                                                                      \
        return follow(name, path, value);                                                \
    }
ACCESSOR(list_car, "car", "a")
ACCESSOR(list_cdr, "cdr", "d")
ACCESSOR(list_caar, "caar", "aa")
ACCESSOR(list_cadr, "cadr", "da")
ACCESSOR(list_cdar, "cdar", "ad")
ACCESSOR(list_cddr, "cddr", "dd")
ACCESSOR(list_caddr, "caddr", "dda")

static PyObject *
list_cons(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    return check_arity("cons", count, 2, 2) < 0 ? NULL : cons(args[0], args[1]);
}

static PyObject *
list_set_car(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    if (check_arity("set-car!", count, 2, 2) < 0) {
        return NULL;
    }
    if (!is_pair(args[0])) {
        return error_about("set-car!", "not a pair", args[0]);
    }
    Py_SETREF(CAR(args[0]), Py_NewRef(args[1]));
    return Py_NewRef(UNSPECIFIED);
}

static PyObject *
list_set_cdr(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    if (check_arity("set-cdr!", count, 2, 2) < 0) {
        return NULL;
    }
    if (!is_pair(args[0])) {
        return error_about("set-cdr!", "not a pair", args[0]);
    }
    Py_SETREF(CDR(args[0]), Py_NewRef(args[1]));
    return Py_NewRef(UNSPECIFIED);
}

/* --- lists ----------------------------------------------------------------------------- */

/* A list that grows at its end. */
typedef struct {
    PyObject *head; /* owned */
    PyObject *last; /* the last pair, or NULL */
} Builder;

static int
build(Builder *builder, PyObject *item)
{
    PyObject *pair = cons(item, NIL);
    if (pair == NULL) {
        return -1;
    }
    extend_list(&builder->head, &builder->last, pair);
    return 0;
}

static int
check_list(const char *name, PyObject *value)
{
    if (list_length(value) < 0) {
        error_about(name, "not a list", value);
        return -1;
    }
    return 0;
}

static PyObject *
list_list(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    PyObject *result = Py_NewRef(NIL);
    while (result != NULL && --count >= 0) {
        Py_SETREF(result, cons(args[count], result));
    }
    return result;
}

static PyObject *
list_count(PyObject *self, PyObject *list)
{
    (void)self;
    return check_list("length", list) < 0 ? NULL : PyLong_FromSsize_t(list_length(list));
}

/* Copies of all lists but the last, which becomes the tail. */
static PyObject *
list_append(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    Builder builder = {Py_NewRef(NIL), NULL};
    for (Py_ssize_t i = 0; i + 1 < count; i++) {
        PyObject *list = check_list("append", args[i]) < 0 ? NULL : args[i];
        for (; list != NULL && list != NIL; list = CDR(list)) {
            if (build(&builder, CAR(list)) < 0) {
                list = NULL;
                break;
            }
        }
        if (list == NULL) {
            Py_DECREF(builder.head);
            return NULL;
        }
    }
    extend_list(&builder.head, &builder.last,
                Py_NewRef(count > 0 ? args[count - 1] : NIL));
    return builder.head;
}

static PyObject *
list_reverse(PyObject *self, PyObject *list)
{
    (void)self;
    if (check_list("reverse", list) < 0) {
        return NULL;
    }
    PyObject *result = Py_NewRef(NIL);
    for (; result != NULL && list != NIL; list = CDR(list)) {
        Py_SETREF(result, cons(CAR(list), result));
    }
    return result;
}

/* The list without its first args[1] pairs, borrowed. */
static PyObject *
tail_of(const char *name, PyObject *const *args, Py_ssize_t count)
{
    if (check_arity(name, count, 2, 2) < 0) {
        return NULL;
    }
    Py_ssize_t steps = PyLong_CheckExact(args[1]) ? PyLong_AsSsize_t(args[1]) : -1;
    PyObject *list = args[0];
    for (; steps > 0 && is_pair(list); steps--) {
        list = CDR(list);
    }
    if (steps != 0) {
        PyErr_Clear(); /* a number beyond Py_ssize_t is out of range as well */
        return error_about(name, "no such index", args[1]);
    }
    return list;
}

static PyObject *
list_tail(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    return Py_XNewRef(tail_of("list-tail", args, count));
}

static PyObject *
list_ref(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    PyObject *tail = tail_of("list-ref", args, count);
    if (tail != NULL && !is_pair(tail)) {
        return error_about("list-ref", "no such index", args[1]);
    }
    return tail != NULL ? Py_NewRef(CAR(tail)) : NULL;
}

/* --- equality -------------------------------------------------------------------------- */

/* Each returns 1, 0, or -1 with an exception. */
typedef int (*equality)(PyObject *a, PyObject *b);

static int
is_same(PyObject *a, PyObject *b)
{
    return a == b;
}

/* Numbers of one kind and the same value are the same. */
static int
is_equivalent(PyObject *a, PyObject *b)
{
    if (a == b) {
        return 1;
    }
    if (Py_TYPE(a) != Py_TYPE(b) || (!PyLong_CheckExact(a) && !PyFloat_CheckExact(a))) {
        return 0;
    }
    return PyObject_RichCompareBool(a, b, Py_EQ);
}

static int is_equal(PyObject *a, PyObject *b);

static int
are_vectors_equal(PyObject *a, PyObject *b)
{
    int equal = PyList_GET_SIZE(a) == PyList_GET_SIZE(b);
    for (Py_ssize_t i = 0; equal == 1 && i < PyList_GET_SIZE(a); i++) {
        equal = is_equal(PyList_GET_ITEM(a, i), PyList_GET_ITEM(b, i));
    }
    return equal;
}

/* The marks are as in list_length(): two circular lists that come back to where they were
 * together have no difference. */
static int
has_equal_parts(PyObject *a, PyObject *b)
{
    PyObject *mark_a = a, *mark_b = b;
    for (size_t count = 1; is_pair(a) && is_pair(b); count++, a = CDR(a), b = CDR(b)) {
        if (a == b || (count > 1 && a == mark_a && b == mark_b)) {
            return 1;
        }
        if ((count & (count - 1)) == 0) {
            mark_a = a;
            mark_b = b;
        }
        int equal = is_equal(CAR(a), CAR(b));
        if (equal != 1) {
            return equal;
        }
    }
    if (PyUnicode_CheckExact(a) && PyUnicode_CheckExact(b)) {
        return PyObject_RichCompareBool(a, b, Py_EQ);
    }
    if (PyList_CheckExact(a) && PyList_CheckExact(b)) {
        return are_vectors_equal(a, b);
    }
    return is_equivalent(a, b);
}

/* Runs no code of the program, so what it compares does not change meanwhile. */
static int
is_equal(PyObject *a, PyObject *b)
{
    if (Py_EnterRecursiveCall(" in equal?")) {
        return -1;
    }
    int equal = has_equal_parts(a, b);
    Py_LeaveRecursiveCall();
    return equal;
}

static PyObject *
compare_two(const char *name, equality equal, PyObject *const *args, Py_ssize_t count)
{
    int result = check_arity(name, count, 2, 2) < 0 ? -1 : equal(args[0], args[1]);
    return result < 0 ? NULL : PyBool_FromLong(result);
}

/* The first pair of args[1] whose car (or, in an association list, the car of its car) is
 * args[0]. */
static PyObject *
find(const char *name, equality equal, int by_key, PyObject *const *args,
     Py_ssize_t count)
{
    if (check_arity(name, count, 2, 2) < 0 || check_list(name, args[1]) < 0) {
        return NULL;
    }
    for (PyObject *list = args[1]; list != NIL; list = CDR(list)) {
        PyObject *item = CAR(list);
        if (by_key && !is_pair(item)) {
            return error_about(name, "not a pair in the list", item);
        }
        int found = equal(args[0], by_key ? CAR(item) : item);
        if (found != 0) {
            return found < 0 ? NULL : Py_NewRef(by_key ? item : list);
        }
    }
    return Py_NewRef(Py_False);
}

#define EQUALITY(suffix, equal, eq_name, mem_name, ass_name)                             \
    static PyObject *list_eq_##suffix(PyObject *self, PyObject *const *args,             \
                                      Py_ssize_t count)                                  \
    {                                                                                    \
        (void)self;                                                                      \
        return compare_two(eq_name, equal, args, count);                                 \
    }                                                                                    \
    static PyObject *list_mem_##suffix(PyObject *self, PyObject *const *args,            \
                                       Py_ssize_t count)                                 \
    {                                                                                    \
        (void)self;                                                                      \
        return find(mem_name, equal, 0, args, count);                                    \
    }                                                                                    \
    static PyObject *list_ass_##suffix(PyObject *self, PyObject *const *args,            \
                                       Py_ssize_t count)                                 \
    {                                                                                    \
        (void)self;                                                                      \
        return find(ass_name, equal, 1, args, count);                                    \
    }
EQUALITY(q, is_same, "eq?", "memq", "assq")
EQUALITY(v, is_equivalent, "eqv?", "memv", "assv")
EQUALITY(equal, is_equal, "equal?", "member", "assoc")

/* --- procedures over lists ------------------------------------------------------------- */

/* What to do with the result of each call; `item` is what the procedure was called with. */
typedef int (*consumer)(Builder *builder, PyObject *item, PyObject *result);

static int
keep_result(Builder *builder, PyObject *item, PyObject *result)
{
    (void)item;
    return build(builder, result);
}

static int
keep_item_if_true(Builder *builder, PyObject *item, PyObject *result)
{
    return result == Py_False ? 0 : build(builder, item);
}

static int
keep_nothing(Builder *builder, PyObject *item, PyObject *result)
{
    (void)builder, (void)item, (void)result;
    return 0;
}

/* Call args[0] with each item of the list args[1]. */
static PyObject *
visit_items(const char *name, consumer consume, PyObject *const *args, Py_ssize_t count)
{
    if (check_arity(name, count, 2, 2) < 0 || check_list(name, args[1]) < 0) {
        return NULL;
    }
    Builder builder = {Py_NewRef(NIL), NULL};
    PyObject *list = Py_NewRef(args[1]);
    while (is_pair(list)) {
        PyObject *item = Py_NewRef(CAR(list));
        PyObject *result = PyObject_CallOneArg(args[0], item);
        int status = result != NULL ? consume(&builder, item, result) : -1;
        Py_DECREF(item);
        Py_XDECREF(result);
        if (status < 0) {
            Py_CLEAR(builder.head);
            break;
        }
        Py_SETREF(list, Py_NewRef(CDR(list)));
    }
    Py_DECREF(list);
    return builder.head;
}

static PyObject *
list_map(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    return visit_items("map", keep_result, args, count);
}

static PyObject *
list_filter(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    return visit_items("filter", keep_item_if_true, args, count);
}

static PyObject *
list_for_each(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    PyObject *nothing = visit_items("for-each", keep_nothing, args, count);
    if (nothing == NULL) {
        return NULL;
    }
    Py_DECREF(nothing);
    return Py_NewRef(UNSPECIFIED);
}

/* (fold-left f start list): f(f(start, a), b) ... */
static PyObject *
list_fold_left(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    if (check_arity("fold-left", count, 3, 3) < 0 ||
        check_list("fold-left", args[2]) < 0) {
        return NULL;
    }
    PyObject *result = Py_NewRef(args[1]), *list = Py_NewRef(args[2]);
    while (result != NULL && is_pair(list)) {
        PyObject *item = Py_NewRef(CAR(list));
        PyObject *pair[] = {result, item};
        Py_SETREF(result, PyObject_Vectorcall(args[0], pair, 2, NULL));
        Py_DECREF(item);
        Py_SETREF(list, Py_NewRef(CDR(list)));
    }
    Py_DECREF(list);
    return result;
}

/* --- questions ------------------------------------------------------------------------- */

#define QUESTION(function, condition)                                                    \
    static PyObject *function(PyObject *self, PyObject *value)                           \
    {                                                                                    \
        (void)self;                                                                      \
        return PyBool_FromLong(condition);                                               \
    }
QUESTION(list_is_pair, is_pair(value))
QUESTION(list_is_null, value == NIL)
QUESTION(list_is_list, list_length(value) >= 0)
QUESTION(list_not, value == Py_False)
QUESTION(list_is_boolean, value == Py_False || value == Py_True)
QUESTION(list_is_procedure, PyCallable_Check(value))

static PyMethodDef procedures[] = {
    {"car", ONE(list_car)},
    {"cdr", ONE(list_cdr)},
    {"caar", ONE(list_caar)},
    {"cadr", ONE(list_cadr)},
    {"cdar", ONE(list_cdar)},
    {"cddr", ONE(list_cddr)},
    {"caddr", ONE(list_caddr)},
    {"cons", FAST(list_cons)},
    {"set-car!", FAST(list_set_car)},
    {"set-cdr!", FAST(list_set_cdr)},
    {"list", FAST(list_list)},
    {"length", ONE(list_count)},
    {"append", FAST(list_append)},
    {"reverse", ONE(list_reverse)},
    {"list-tail", FAST(list_tail)},
    {"list-ref", FAST(list_ref)},
    {"eq?", FAST(list_eq_q)},
    {"eqv?", FAST(list_eq_v)},
    {"equal?", FAST(list_eq_equal)},
    {"memq", FAST(list_mem_q)},
    {"memv", FAST(list_mem_v)},
    {"member", FAST(list_mem_equal)},
    {"assq", FAST(list_ass_q)},
    {"assv", FAST(list_ass_v)},
    {"assoc", FAST(list_ass_equal)},
    {"map", FAST(list_map)},
    {"filter", FAST(list_filter)},
    {"for-each", FAST(list_for_each)},
    {"fold-left", FAST(list_fold_left)},
    {"pair?", ONE(list_is_pair)},
    {"null?", ONE(list_is_null)},
    {"list?", ONE(list_is_list)},
    {"not", ONE(list_not)},
    {"boolean?", ONE(list_is_boolean)},
    {"procedure?", ONE(list_is_procedure)},
    {NULL, NULL, 0, NULL},
};

int
lists_init(void)
{
    return define_procedures(procedures);
}
