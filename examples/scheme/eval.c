/* SPDX-License-Identifier: MIT */
/* Running code.
 *
 * run() goes down a tree of nodes and comes back with a value. What stands in tail
 * position does not nest: run() replaces its node and its frame and goes on, so a loop
 * written as recursion runs in constant space. What does not stand there nests on the C
 * stack, and Py_EnterRecursiveCall turns the end of that stack into an error. */
#include "scheme.h"

#define ARGUMENTS_ON_STACK 8
#define CALLS_PER_CHECK    1000

/* --- values without a nested run() -------------------------------------------------------- */

static PyObject *
unset_variable(Node *node)
{
    error_at(node->file, node->line, "%U: variable has no value",
             ((Symbol *)node->value)->name);
    return NULL;
}

/* The value of a node that is a constant or variable; scheme_eval for all others. */
static inline PyObject *
value_of(Node *node, Frame *env)
{
    PyObject *value;
    switch (node->op) {
    case OP_CONSTANT:
        return Py_NewRef(node->value);
    case OP_LOCAL_0:
        value = env->slot[node->index];
        break;
    case OP_LOCAL_1:
        value = env->parent->slot[node->index];
        break;
    case OP_GLOBAL:
        value = ((Symbol *)node->value)->value;
        break;
    default:
        return scheme_eval(node, env);
    }
    return value != NULL ? Py_NewRef(value) : unset_variable(node);
}

static inline Frame *
frame_out(Frame *env, int depth)
{
    for (; depth > 0; depth--) {
        env = env->parent;
    }
    return env;
}

/* Everything but #f is true. 1, 0, or -1 with an exception. */
static int
truth_of(Node *node, Frame *env)
{
    PyObject *value = value_of(node, env);
    if (value == NULL) {
        return -1;
    }
    int truth = value != Py_False;
    Py_DECREF(value);
    return truth;
}

static PyObject *
assign(Node *node, Frame *env)
{
    PyObject *value = value_of(node->child[0], env);
    if (value == NULL) {
        return NULL;
    }
    PyObject **place = node->op == OP_SET_LOCAL
                           ? &frame_out(env, node->depth)->slot[node->index]
                           : &((Symbol *)node->value)->value;
    if (node->op == OP_SET_GLOBAL && *place == NULL) {
        Py_DECREF(value);
        return unset_variable(node);
    }
    /* The old value leaves its place before it is released: its destructor may run code
     * that looks at the variable. */
    Py_XSETREF(*place, value);
    return Py_NewRef(UNSPECIFIED);
}

/* --- calls --------------------------------------------------------------------------------- */

/* A procedure wants `wanted` arguments, or more; it is called with another number. */
static void *
wrong_count(Node *code, Py_ssize_t given)
{
    PyObject *name = code->value != NULL ? ((Symbol *)code->value)->name : NULL;
    const char *text = name != NULL ? PyUnicode_AsUTF8(name) : NULL;
    check_arity(text != NULL ? text : "procedure", given, code->index,
                code->depth ? -1 : code->index);
    return NULL;
}

static int
accepts(Node *code, Py_ssize_t given)
{
    return given == code->index || (code->depth && given > code->index);
}

/* The arguments of `call` from number `first` on, as a list. */
static PyObject *
rest_list(Node *call, Py_ssize_t first, Frame *env)
{
    PyObject *head = Py_NewRef(NIL), *last = NULL;
    for (Py_ssize_t i = first; i < Py_SIZE(call); i++) {
        PyObject *value = value_of(call->child[i], env);
        PyObject *pair = value != NULL ? cons(value, NIL) : NULL;
        Py_XDECREF(value);
        if (pair == NULL) {
            Py_DECREF(head);
            return NULL;
        }
        extend_list(&head, &last, pair);
    }
    return head;
}

/* The frame for a call of `closure`, with the arguments evaluated in `env`. It is tracked
 * only when it is full: code that runs meanwhile cannot find it half made. */
static Frame *
frame_for_call(Closure *closure, Node *call, Frame *env)
{
    Node *code = closure->code;
    Py_ssize_t given = Py_SIZE(call) - 1;
    if (!accepts(code, given)) {
        return wrong_count(code, given);
    }
    Frame *frame = new_frame(closure->env, code->slots);
    if (frame == NULL) {
        return NULL;
    }
    for (int i = 0; i < code->index; i++) {
        frame->slot[i] = value_of(call->child[i + 1], env);
        if (frame->slot[i] == NULL) {
            Py_DECREF(frame);
            return NULL;
        }
    }
    if (code->depth) {
        frame->slot[code->index] = rest_list(call, code->index + 1, env);
        if (frame->slot[code->index] == NULL) {
            Py_DECREF(frame);
            return NULL;
        }
    }
    PyObject_GC_Track(frame);
    return frame;
}

static Frame *
frame_for_let(Node *let, Frame *env)
{
    Frame *frame = new_frame(env, let->slots);
    for (Py_ssize_t i = 0; frame != NULL && i < Py_SIZE(let) - 1; i++) {
        frame->slot[i] = value_of(let->child[i], env);
        if (frame->slot[i] == NULL) {
            Py_CLEAR(frame);
        }
    }
    if (frame != NULL) {
        PyObject_GC_Track(frame);
    }
    return frame;
}

/* Call anything that is not a closure: a built-in procedure, or any callable object. */
static PyObject *
call_object(PyObject *callee, Node *call, Frame *env)
{
    PyObject *on_stack[ARGUMENTS_ON_STACK], **args = on_stack, *result = NULL;
    Py_ssize_t count = Py_SIZE(call) - 1, filled = 0;
    if (!PyCallable_Check(callee)) {
        return error_about("call", "not a procedure", callee);
    }
    if (count > ARGUMENTS_ON_STACK) {
        args = PyMem_New(PyObject *, (size_t)count);
        if (args == NULL) {
            return PyErr_NoMemory();
        }
    }
    while (filled < count && (args[filled] = value_of(call->child[filled + 1], env))) {
        filled++;
    }
    if (filled == count) {
        result = PyObject_Vectorcall(callee, args, (size_t)count, NULL);
    }
    while (filled > 0) {
        Py_DECREF(args[--filled]);
    }
    if (args != on_stack) {
        PyMem_Free(args);
    }
    return result;
}

/* A closure called from C: by apply, by a hash table, as a callback of a weak reference. */
PyObject *
call_closure(PyObject *callee, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    Closure *closure = (Closure *)callee;
    Node *code = closure->code;
    Py_ssize_t given = PyVectorcall_NARGS(nargsf);
    if (kwnames != NULL && PyTuple_GET_SIZE(kwnames) > 0) {
        return error_about("call", "no keyword arguments", kwnames);
    }
    if (!accepts(code, given)) {
        return wrong_count(code, given);
    }
    PyObject *rest = Py_NewRef(NIL);
    for (Py_ssize_t i = given; code->depth && rest != NULL && i > code->index; i--) {
        Py_SETREF(rest, cons(args[i - 1], rest));
    }
    Frame *frame = rest != NULL ? new_frame(closure->env, code->slots) : NULL;
    if (frame == NULL) {
        Py_XDECREF(rest);
        return NULL;
    }
    for (int i = 0; i < code->index; i++) {
        frame->slot[i] = Py_NewRef(args[i]);
    }
    if (code->depth) {
        frame->slot[code->index] = Py_NewRef(rest);
    }
    Py_DECREF(rest);
    PyObject_GC_Track(frame);
    Py_INCREF(closure);
    PyObject *result = scheme_eval(code->child[0], frame);
    Py_DECREF(closure);
    Py_DECREF(frame);
    return result;
}

/* --- the loop --------------------------------------------------------------------------------- */

static int calls_until_check = CALLS_PER_CHECK;

static inline int
count_call(void)
{
    if (--calls_until_check > 0) {
        return 0;
    }
    calls_until_check = CALLS_PER_CHECK;
    return scheme_safe_point();
}

/* `frame` and `callee` are what this run() owns: the frame of the procedure or let that it
 * has entered, and the procedure itself, whose code it is running. */
static PyObject *
run(Node *node, Frame *env)
{
    PyObject *result = NULL, *callee = NULL;
    Frame *frame = NULL, *entered;
    Py_ssize_t last, i;

    for (;;) {
        last = Py_SIZE(node) - 1;
        switch (node->op) {
        case OP_LOCAL:
            result = frame_out(env, node->depth)->slot[node->index];
            result = result != NULL ? Py_NewRef(result) : unset_variable(node);
            goto done;
        case OP_SET_LOCAL:
        case OP_SET_GLOBAL:
        case OP_DEFINE:
            result = assign(node, env);
            goto done;
        case OP_LAMBDA:
            result = new_closure(node, env);
            goto done;
        case OP_IF: {
            int truth = truth_of(node->child[0], env);
            if (truth < 0) {
                goto done;
            }
            node = node->child[truth ? 1 : 2];
            continue;
        }
        case OP_BEGIN:
            for (i = 0; i < last; i++) {
                if (truth_of(node->child[i], env) < 0) {
                    goto done;
                }
            }
            node = node->child[last];
            continue;
        case OP_AND:
        case OP_OR:
            for (i = 0; i < last; i++) {
                result = value_of(node->child[i], env);
                if (result == NULL || (result == Py_False) == (node->op == OP_AND)) {
                    goto done;
                }
                Py_CLEAR(result);
            }
            node = node->child[last];
            continue;
        case OP_LET:
            entered = frame_for_let(node, env);
            if (entered == NULL) {
                goto done;
            }
            node = node->child[last];
            env = entered;
            Py_XSETREF(frame, entered);
            continue;
        case OP_CALL:
            result = value_of(node->child[0], env);
            if (result == NULL) {
                goto done;
            }
            if (!Py_IS_TYPE(result, &Closure_Type)) {
                Py_SETREF(result, call_object(result, node, env));
                if (result == NULL) {
                    error_passes(node);
                }
                goto done;
            }
            entered = frame_for_call((Closure *)result, node, env);
            if (entered == NULL || count_call() < 0) {
                error_passes(node);
                Py_XDECREF(entered);
                Py_CLEAR(result);
                goto done;
            }
            node = ((Closure *)result)->code->child[0];
            env = entered;
            Py_XSETREF(frame, entered);
            Py_XSETREF(callee, result);
            result = NULL;
            continue;
        default:
            result = value_of(node, env);
            goto done;
        }
    }
done:
    Py_XDECREF(frame);
    Py_XDECREF(callee);
    return result;
}

PyObject *
scheme_eval(Node *node, Frame *env)
{
    if (Py_EnterRecursiveCall(" in a procedure")) {
        return NULL;
    }
    PyObject *result = run(node, env);
    Py_LeaveRecursiveCall();
    return result;
}
