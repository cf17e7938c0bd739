/* SPDX-License-Identifier: MIT */
/* From data to code: names become places, special forms become nodes.
 *
 * A few forms have nodes of their own; the others are rewritten into those first. Every
 * error says what the form should look like and where it stands. */
#include "scheme.h"

#include <string.h>

typedef struct {
    PyObject *file; /* borrowed */
    int line;       /* of the innermost list that is being compiled */
} Compiler;

/* The names of one frame, while the code inside it is compiled. */
typedef struct Scope {
    struct Scope *outer; /* or NULL */
    PyObject *names;     /* list of Symbols: slot i belongs to item i */
} Scope;

struct special {
    const char *name;
    const char *usage;
    Py_ssize_t least,
        most; /* how many items the form may have, itself included; -1: any */
    Node *(*compile)(Compiler *c, Scope *scope, PyObject *form);
};

static Node *compile(Compiler *c, Scope *scope, PyObject *datum);

/* --- small helpers ------------------------------------------------------------------------- */

#define SECOND(list) CAR(CDR(list))
#define THIRD(list)  CAR(CDR(CDR(list)))

/* cons that steals both arguments; when one of them is NULL it releases the other and
 * returns NULL, so that calls can be nested and the outermost result checked. */
static PyObject *
join(Compiler *c, PyObject *car, PyObject *cdr)
{
    PyObject *pair = car != NULL && cdr != NULL ? source_cons(car, cdr, c->line) : NULL;
    Py_XDECREF(car);
    Py_XDECREF(cdr);
    return pair;
}

static PyObject *
list2(Compiler *c, PyObject *a, PyObject *b)
{
    return join(c, a, join(c, b, Py_NewRef(NIL)));
}

static PyObject *
list3(Compiler *c, PyObject *a, PyObject *b, PyObject *d)
{
    return join(c, a, list2(c, b, d));
}

/* The list of what `make` returns for each item of `list`, ending in `tail`. */
static PyObject *
map_list(Compiler *c, PyObject *list, PyObject *(*make)(Compiler *c, PyObject *item),
         PyObject *tail)
{
    PyObject *head = Py_NewRef(tail), *last = NULL;
    for (; list != NIL; list = CDR(list)) {
        PyObject *pair = join(c, make(c, CAR(list)), Py_NewRef(tail));
        if (pair == NULL) {
            Py_DECREF(head);
            return NULL;
        }
        extend_list(&head, &last, pair);
    }
    return head;
}

/* A symbol that means the special form whatever the program calls its variables. */
static PyObject *
keyword(const char *name)
{
    PyObject *symbol = intern(name);
    PyObject *result = symbol != NULL ? new_symbol(((Symbol *)symbol)->name) : NULL;
    if (result != NULL) {
        ((Symbol *)result)->special = ((Symbol *)symbol)->special;
    }
    Py_XDECREF(symbol);
    return result;
}

/* A procedure, to stand as a constant where its name would. */
static PyObject *
procedure(const char *name)
{
    PyObject *symbol = intern(name);
    PyObject *value = symbol != NULL ? Py_XNewRef(((Symbol *)symbol)->value) : NULL;
    Py_XDECREF(symbol);
    return value;
}

/* Compile a form that was just made; steals it. */
static Node *
compile_new(Compiler *c, Scope *scope, PyObject *form)
{
    Node *node = form != NULL ? compile(c, scope, form) : NULL;
    Py_XDECREF(form);
    return node;
}

static Node *
bad_syntax(Compiler *c, const char *usage)
{
    return error_at(c->file, c->line, "bad syntax: expected %s", usage);
}

static Node *
make_node(Compiler *c, enum op op, Py_ssize_t children)
{
    return new_node(op, children, c->file, c->line);
}

/* Compile into node->child[i]; the node is released when that fails. */
static int
compile_child(Compiler *c, Scope *scope, Node *node, Py_ssize_t i, PyObject *datum)
{
    node->child[i] = compile(c, scope, datum);
    if (node->child[i] == NULL) {
        Py_DECREF(node);
        return -1;
    }
    return 0;
}

/* A node whose children are the items of a list. */
static Node *
compile_items(Compiler *c, Scope *scope, enum op op, PyObject *items)
{
    Node *node = make_node(c, op, list_length(items));
    for (Py_ssize_t i = 0; node != NULL && items != NIL; items = CDR(items), i++) {
        if (compile_child(c, scope, node, i, CAR(items)) < 0) {
            return NULL;
        }
    }
    return node;
}

/* --- variables ------------------------------------------------------------------------------- */

static Py_ssize_t
index_in(PyObject *names, PyObject *symbol)
{
    Py_ssize_t i = PyList_GET_SIZE(names); /* the last of two equal names counts */
    while (--i >= 0 && PyList_GET_ITEM(names, i) != symbol) {
    }
    return i;
}

/* A node of `local` when the variable is in a scope, else of `global`. */
static Node *
variable_node(Compiler *c, Scope *scope, PyObject *symbol, enum op local, enum op global,
              Py_ssize_t children)
{
    Py_ssize_t depth = 0, index = -1;
    for (; scope != NULL; scope = scope->outer, depth++) {
        index = index_in(scope->names, symbol);
        if (index >= 0) {
            break;
        }
    }
    Node *node = make_node(c, index >= 0 ? local : global, children);
    if (node != NULL) {
        node->depth = (int)depth;
        node->index = (int)index;
        node->value = Py_NewRef(symbol);
    }
    return node;
}

static Node *
compile_variable(Compiler *c, Scope *scope, PyObject *symbol)
{
    Node *node = variable_node(c, scope, symbol, OP_LOCAL, OP_GLOBAL, 0);
    if (node != NULL && node->op == OP_LOCAL && node->depth < 2) {
        node->op = node->depth == 0 ? OP_LOCAL_0 : OP_LOCAL_1;
    }
    return node;
}

static int
is_local(Scope *scope, PyObject *symbol)
{
    for (; scope != NULL; scope = scope->outer) {
        if (index_in(scope->names, symbol) >= 0) {
            return 1;
        }
    }
    return 0;
}

/* A procedure made for a variable is called by its name. */
static void
name_procedure(Node *node, PyObject *symbol)
{
    if (node->op == OP_LAMBDA && node->value == NULL) {
        node->value = Py_NewRef(symbol);
    }
}

static Node *
compile_assignment(Compiler *c, Scope *scope, PyObject *symbol, PyObject *expression,
                   enum op global)
{
    Node *node = variable_node(c, scope, symbol, OP_SET_LOCAL, global, 1);
    if (node == NULL || compile_child(c, scope, node, 0, expression) < 0) {
        return NULL;
    }
    name_procedure(node->child[0], symbol);
    return node;
}

static Node *
compile_set(Compiler *c, Scope *scope, PyObject *form)
{
    if (!is_symbol(SECOND(form))) {
        return bad_syntax(c, "(set! name expression)");
    }
    return compile_assignment(c, scope, SECOND(form), THIRD(form), OP_SET_GLOBAL);
}

/* --- bodies and procedures ------------------------------------------------------------------- */

/* The name that a form defines, borrowed; NULL when it is no (define ...). */
static PyObject *
defined_name(PyObject *form)
{
    if (!is_pair(form) || !is_symbol(CAR(form)) || list_length(form) < 2) {
        return NULL;
    }
    const struct special *special = ((Symbol *)CAR(form))->special;
    if (special == NULL || strcmp(special->name, "define") != 0) {
        return NULL;
    }
    PyObject *target = SECOND(form);
    return is_pair(target) ? CAR(target) : target;
}

/* The forms of a body, in its own scope. Definitions get their slots before anything is
 * compiled, so that the procedures of a body may call each other. */
static Node *
compile_body(Compiler *c, Scope *scope, PyObject *forms)
{
    if (list_length(forms) < 1) {
        return error_at(c->file, c->line, "a body needs at least one expression");
    }
    for (PyObject *rest = forms; rest != NIL; rest = CDR(rest)) {
        PyObject *name = defined_name(CAR(rest));
        if (name != NULL && index_in(scope->names, name) < 0 &&
            PyList_Append(scope->names, name) < 0) {
            return NULL;
        }
    }
    if (CDR(forms) == NIL) {
        return compile(c, scope, CAR(forms));
    }
    return compile_items(c, scope, OP_BEGIN, forms);
}

/* The names of parameters: (a b), (a b . rest) or rest. Sets *has_rest. */
static PyObject *
parameter_names(Compiler *c, PyObject *parameters, int *has_rest)
{
    PyObject *names = PyList_New(0);
    for (; names != NULL && parameters != NIL; parameters = CDR(parameters)) {
        PyObject *name = is_pair(parameters) ? CAR(parameters) : parameters;
        if (!is_symbol(name) || index_in(names, name) >= 0) {
            Py_DECREF(names);
            return (PyObject *)bad_syntax(c, "different names as parameters");
        }
        if (PyList_Append(names, name) < 0) {
            Py_CLEAR(names);
        } else if (!is_pair(parameters)) {
            *has_rest = 1;
            break;
        }
    }
    return names;
}

static Node *
compile_procedure(Compiler *c, Scope *outer, PyObject *parameters, PyObject *body)
{
    int has_rest = 0;
    Scope scope = {outer, parameter_names(c, parameters, &has_rest)};
    if (scope.names == NULL) {
        return NULL;
    }
    Py_ssize_t count = PyList_GET_SIZE(scope.names) - has_rest;
    Node *node = make_node(c, OP_LAMBDA, 1);
    if (node != NULL) {
        node->index = (int)count;
        node->depth = has_rest;
        node->child[0] = compile_body(c, &scope, body);
        node->slots = PyList_GET_SIZE(scope.names);
        if (node->child[0] == NULL) {
            Py_CLEAR(node);
        }
    }
    Py_DECREF(scope.names);
    return node;
}

static Node *
compile_lambda(Compiler *c, Scope *scope, PyObject *form)
{
    return compile_procedure(c, scope, SECOND(form), CDR(CDR(form)));
}

/* (define name expression) and (define (name parameter ...) body ...). */
static Node *
compile_define(Compiler *c, Scope *scope, PyObject *form)
{
    PyObject *name = defined_name(form);
    PyObject *target = SECOND(form);
    if (!is_symbol(name) || (!is_pair(target) && list_length(form) != 3)) {
        return bad_syntax(c, "(define name expression) or (define (name ...) body ...)");
    }
    if (scope != NULL && index_in(scope->names, name) < 0) {
        return error_at(c->file, c->line, "define: only at the top of a file or body");
    }
    if (!is_pair(target)) {
        return compile_assignment(c, scope, name, THIRD(form), OP_DEFINE);
    }
    Node *node = variable_node(c, scope, name, OP_SET_LOCAL, OP_DEFINE, 1);
    if (node == NULL) {
        return NULL;
    }
    node->child[0] = compile_procedure(c, scope, CDR(target), CDR(CDR(form)));
    if (node->child[0] == NULL) {
        Py_DECREF(node);
        return NULL;
    }
    name_procedure(node->child[0], name);
    return node;
}

/* --- let and similar forms ------------------------------------------------------------------ */

#define LET_USAGE "(let ((name expression) ...) body ...)"

static int
are_bindings(PyObject *bindings)
{
    if (list_length(bindings) < 0) {
        return 0;
    }
    for (; bindings != NIL; bindings = CDR(bindings)) {
        if (list_length(CAR(bindings)) != 2 || !is_symbol(CAR(CAR(bindings)))) {
            return 0;
        }
    }
    return 1;
}

static PyObject *
first_of(Compiler *c, PyObject *list)
{
    (void)c;
    return Py_NewRef(CAR(list));
}

static PyObject *
second_of(Compiler *c, PyObject *list)
{
    (void)c;
    return Py_NewRef(SECOND(list));
}

/* (let name ((v e) ...) body ...): a procedure that can call itself, called with the e.
 * Procedure and frame refer to each other: each such loop leaves a cycle behind. */
static Node *
compile_named_let(Compiler *c, Scope *scope, PyObject *name, PyObject *bindings,
                  PyObject *body)
{
    PyObject *signature = join(c, Py_NewRef(name), map_list(c, bindings, first_of, NIL));
    PyObject *define = join(c, keyword("define"), join(c, signature, Py_NewRef(body)));
    PyObject *let = join(c, keyword("let"),
                         join(c, Py_NewRef(NIL), list2(c, define, Py_NewRef(name))));
    return compile_new(c, scope, join(c, let, map_list(c, bindings, second_of, NIL)));
}

static Node *
compile_let(Compiler *c, Scope *outer, PyObject *form)
{
    PyObject *bindings = SECOND(form), *body = CDR(CDR(form));
    if (is_symbol(bindings) && list_length(form) >= 4 && are_bindings(THIRD(form))) {
        return compile_named_let(c, outer, bindings, THIRD(form), CDR(body));
    }
    if (!are_bindings(bindings)) {
        return bad_syntax(c, LET_USAGE);
    }
    Py_ssize_t count = list_length(bindings);
    Scope scope = {outer, PyList_New(0)};
    Node *node = scope.names != NULL ? make_node(c, OP_LET, count + 1) : NULL;
    for (Py_ssize_t i = 0; node != NULL && i < count; i++, bindings = CDR(bindings)) {
        PyObject *name = CAR(CAR(bindings));
        if (compile_child(c, outer, node, i, SECOND(CAR(bindings))) < 0) {
            node = NULL;
        } else if (PyList_Append(scope.names, name) < 0) {
            Py_CLEAR(node);
        } else {
            name_procedure(node->child[i], name);
        }
    }
    if (node != NULL) {
        node->child[count] = compile_body(c, &scope, body);
        node->slots = PyList_GET_SIZE(scope.names);
        if (node->child[count] == NULL) {
            Py_CLEAR(node);
        }
    }
    Py_XDECREF(scope.names);
    return node;
}

/* One let in another. */
static Node *
compile_let_star(Compiler *c, Scope *scope, PyObject *form)
{
    PyObject *bindings = SECOND(form), *body = CDR(CDR(form));
    if (!are_bindings(bindings)) {
        return bad_syntax(c, "(let* ((name expression) ...) body ...)");
    }
    PyObject *inner = Py_NewRef(body), *first = Py_NewRef(NIL);
    if (bindings != NIL) {
        Py_SETREF(first, join(c, Py_NewRef(CAR(bindings)), Py_NewRef(NIL)));
        if (CDR(bindings) != NIL) {
            inner = join(
                c,
                join(c, Py_NewRef(CAR(form)), join(c, Py_NewRef(CDR(bindings)), inner)),
                Py_NewRef(NIL));
        }
    }
    return compile_new(c, scope, join(c, keyword("let"), join(c, first, inner)));
}

static PyObject *
definition_of(Compiler *c, PyObject *binding)
{
    return join(c, keyword("define"), Py_NewRef(binding));
}

/* A body that begins with definitions. */
static Node *
compile_letrec(Compiler *c, Scope *scope, PyObject *form)
{
    if (!are_bindings(SECOND(form))) {
        return bad_syntax(c, "(letrec ((name expression) ...) body ...)");
    }
    PyObject *body = map_list(c, SECOND(form), definition_of, CDR(CDR(form)));
    return compile_new(c, scope, join(c, keyword("let"), join(c, Py_NewRef(NIL), body)));
}

/* --- choices and loops --------------------------------------------------------------------- */

static Node *
compile_if(Compiler *c, Scope *scope, PyObject *form)
{
    Node *node = make_node(c, OP_IF, 3);
    if (node == NULL || compile_child(c, scope, node, 0, SECOND(form)) < 0 ||
        compile_child(c, scope, node, 1, THIRD(form)) < 0) {
        return NULL;
    }
    PyObject *rest = CDR(CDR(CDR(form)));
    PyObject *otherwise = rest != NIL ? CAR(rest) : UNSPECIFIED;
    return compile_child(c, scope, node, 2, otherwise) < 0 ? NULL : node;
}

static Node *
compile_when(Compiler *c, Scope *scope, PyObject *form)
{
    PyObject *body = join(c, keyword("begin"), Py_NewRef(CDR(CDR(form))));
    return compile_new(c, scope, list3(c, keyword("if"), Py_NewRef(SECOND(form)), body));
}

static Node *
compile_unless(Compiler *c, Scope *scope, PyObject *form)
{
    PyObject *body = join(c, keyword("begin"), Py_NewRef(CDR(CDR(form))));
    PyObject *choice =
        join(c, Py_NewRef(SECOND(form)), list2(c, Py_NewRef(UNSPECIFIED), body));
    return compile_new(c, scope, join(c, keyword("if"), choice));
}

#define COND_USAGE "(cond (test expression ...) ... (else expression ...))"

/* (cond (test e ...) rest ...) is (if test (begin e ...) (cond rest ...)). */
static Node *
compile_cond(Compiler *c, Scope *scope, PyObject *form)
{
    if (CDR(form) == NIL) {
        return compile(c, scope, UNSPECIFIED);
    }
    PyObject *clause = SECOND(form);
    if (list_length(clause) < 1) {
        return bad_syntax(c, COND_USAGE);
    }
    PyObject *test = CAR(clause), *body = CDR(clause);
    PyObject *rest = join(c, Py_NewRef(CAR(form)), Py_NewRef(CDR(CDR(form))));
    if (is_symbol(test) &&
        PyUnicode_CompareWithASCIIString(((Symbol *)test)->name, "else") == 0) {
        Py_XDECREF(rest);
        return body == NIL || CDR(CDR(form)) != NIL
                   ? bad_syntax(c, COND_USAGE)
                   : compile_new(c, scope, join(c, keyword("begin"), Py_NewRef(body)));
    }
    if (body == NIL) {
        return compile_new(c, scope, list3(c, keyword("or"), Py_NewRef(test), rest));
    }
    PyObject *then = join(c, keyword("begin"), Py_NewRef(body));
    return compile_new(
        c, scope, join(c, keyword("if"), join(c, Py_NewRef(test), list2(c, then, rest))));
}

static Node *
compile_and(Compiler *c, Scope *scope, PyObject *form)
{
    return CDR(form) == NIL ? compile(c, scope, Py_True)
                            : compile_items(c, scope, OP_AND, CDR(form));
}

static Node *
compile_or(Compiler *c, Scope *scope, PyObject *form)
{
    return CDR(form) == NIL ? compile(c, scope, Py_False)
                            : compile_items(c, scope, OP_OR, CDR(form));
}

static Node *
compile_begin(Compiler *c, Scope *scope, PyObject *form)
{
    return compile_items(c, scope, OP_BEGIN, CDR(form));
}

static PyObject *
unique_symbol(const char *name)
{
    PyObject *text = PyUnicode_FromString(name);
    PyObject *symbol = text != NULL ? new_symbol(text) : NULL;
    Py_XDECREF(text);
    return symbol;
}

#define DO_USAGE "(do ((name first [next]) ...) (end value ...) body ...)"

static int
are_do_bindings(PyObject *bindings)
{
    for (; is_pair(bindings); bindings = CDR(bindings)) {
        Py_ssize_t length = list_length(CAR(bindings));
        if (length < 2 || length > 3 || !is_symbol(CAR(CAR(bindings)))) {
            return 0;
        }
    }
    return bindings == NIL;
}

/* The next value of a variable of a do: its third expression, or itself. */
static PyObject *
step_of(Compiler *c, PyObject *binding)
{
    (void)c;
    return Py_NewRef(list_length(binding) == 3 ? THIRD(binding) : CAR(binding));
}

static PyObject *
start_of(Compiler *c, PyObject *binding)
{
    return list2(c, Py_NewRef(CAR(binding)), Py_NewRef(SECOND(binding)));
}

/* (do ((v first next) ...) (end value ...) body ...) is
 * (let loop ((v first) ...) (if end (begin value ...) (begin body ... (loop next ...)))). */
static Node *
compile_do(Compiler *c, Scope *scope, PyObject *form)
{
    PyObject *bindings = SECOND(form), *end = THIRD(form), *body = CDR(CDR(CDR(form)));
    if (!are_do_bindings(bindings) || list_length(end) < 1) {
        return bad_syntax(c, DO_USAGE);
    }
    PyObject *loop = unique_symbol("do");
    PyObject *result = CDR(end) != NIL ? join(c, keyword("begin"), Py_NewRef(CDR(end)))
                                       : Py_NewRef(UNSPECIFIED);
    PyObject *again = join(c, Py_XNewRef(loop), map_list(c, bindings, step_of, NIL));
    if (body != NIL) {
        PyObject *once = join(c, keyword("begin"), Py_NewRef(body));
        again = list3(c, keyword("begin"), once, again);
    }
    PyObject *test =
        join(c, keyword("if"), join(c, Py_NewRef(CAR(end)), list2(c, result, again)));
    PyObject *let = join(c, loop, list2(c, map_list(c, bindings, start_of, NIL), test));
    return compile_new(c, scope, join(c, keyword("let"), let));
}

/* --- quotation ----------------------------------------------------------------------------- */

static Node *
compile_constant(Compiler *c, PyObject *value)
{
    Node *node = make_node(c, OP_CONSTANT, 0);
    if (node != NULL) {
        node->value = Py_NewRef(value);
    }
    return node;
}

static Node *
compile_quote(Compiler *c, Scope *scope, PyObject *form)
{
    (void)scope;
    return compile_constant(c, SECOND(form));
}

static int
is_form(PyObject *datum, const char *name)
{
    return list_length(datum) == 2 && is_symbol(CAR(datum)) &&
           PyUnicode_CompareWithASCIIString(((Symbol *)CAR(datum))->name, name) == 0;
}

/* An expression whose value is the template with its holes filled. */
static PyObject *
fill_template(Compiler *c, PyObject *template)
{
    if (!is_pair(template)) {
        return list2(c, keyword("quote"), Py_NewRef(template));
    }
    if (is_form(template, "unquote")) {
        return Py_NewRef(SECOND(template));
    }
    if (Py_EnterRecursiveCall(" in quasiquote")) {
        return NULL;
    }
    PyObject *rest = fill_template(c, CDR(template)), *first;
    const char *maker = "cons";
    if (is_form(CAR(template), "unquote-splicing")) {
        maker = "append";
        first = Py_NewRef(SECOND(CAR(template)));
    } else {
        first = fill_template(c, CAR(template));
    }
    Py_LeaveRecursiveCall();
    return list3(c, procedure(maker), first, rest);
}

static Node *
compile_quasiquote(Compiler *c, Scope *scope, PyObject *form)
{
    return compile_new(c, scope, fill_template(c, SECOND(form)));
}

/* --- errors -------------------------------------------------------------------------------- */

#define GUARD_USAGE "(guard (name (test expression ...) ...) body ...)"

static int
ends_with_else(PyObject *clauses)
{
    PyObject *last = NULL;
    for (; clauses != NIL; clauses = CDR(clauses)) {
        last = CAR(clauses);
    }
    return last != NULL && is_pair(last) && is_symbol(CAR(last)) &&
           PyUnicode_CompareWithASCIIString(((Symbol *)CAR(last))->name, "else") == 0;
}

static PyObject *
clause_of(Compiler *c, PyObject *clause)
{
    (void)c;
    return Py_NewRef(clause);
}

/* The clauses of a guard, and as the last one (#t (raise name)) unless there is an else. */
static PyObject *
guard_clauses(Compiler *c, PyObject *clauses, PyObject *name)
{
    if (ends_with_else(clauses)) {
        return Py_NewRef(clauses);
    }
    PyObject *again = list2(c, procedure("raise"), Py_NewRef(name));
    PyObject *last = join(c, list2(c, Py_NewRef(Py_True), again), Py_NewRef(NIL));
    PyObject *all = last != NULL ? map_list(c, clauses, clause_of, last) : NULL;
    Py_XDECREF(last);
    return all;
}

/* (guard (e clause ...) body ...) is
 * (call-guarded (lambda () body ...) (lambda (e) (cond clause ...))). */
static Node *
compile_guard(Compiler *c, Scope *scope, PyObject *form)
{
    PyObject *handler = SECOND(form);
    if (list_length(handler) < 1 || !is_symbol(CAR(handler))) {
        return bad_syntax(c, GUARD_USAGE);
    }
    PyObject *name = CAR(handler);
    PyObject *clauses = guard_clauses(c, CDR(handler), name);
    PyObject *receive =
        list3(c, keyword("lambda"), join(c, Py_NewRef(name), Py_NewRef(NIL)),
              join(c, keyword("cond"), clauses));
    PyObject *attempt =
        join(c, keyword("lambda"), join(c, Py_NewRef(NIL), Py_NewRef(CDR(CDR(form)))));
    return compile_new(c, scope, list3(c, procedure("call-guarded"), attempt, receive));
}

/* --- everything ---------------------------------------------------------------------------- */

static const struct special specials[] = {
    {"quote", "(quote datum)", 2, 2, compile_quote},
    {"quasiquote", "(quasiquote template)", 2, 2, compile_quasiquote},
    {"if", "(if test then [else])", 3, 4, compile_if},
    {"define", "(define name expression)", 2, -1, compile_define},
    {"set!", "(set! name expression)", 3, 3, compile_set},
    {"lambda", "(lambda (name ...) body ...)", 3, -1, compile_lambda},
    {"begin", "(begin expression ...)", 2, -1, compile_begin},
    {"let", LET_USAGE, 3, -1, compile_let},
    {"let*", "(let* ((name expression) ...) body ...)", 3, -1, compile_let_star},
    {"letrec", "(letrec ((name expression) ...) body ...)", 3, -1, compile_letrec},
    {"letrec*", "(letrec* ((name expression) ...) body ...)", 3, -1, compile_letrec},
    {"and", "(and expression ...)", 1, -1, compile_and},
    {"or", "(or expression ...)", 1, -1, compile_or},
    {"when", "(when test expression ...)", 3, -1, compile_when},
    {"unless", "(unless test expression ...)", 3, -1, compile_unless},
    {"cond", COND_USAGE, 1, -1, compile_cond},
    {"do", DO_USAGE, 3, -1, compile_do},
    {"guard", GUARD_USAGE, 3, -1, compile_guard},
};

static Node *
compile_list(Compiler *c, Scope *scope, PyObject *form)
{
    Py_ssize_t length = list_length(form);
    if (length < 0) {
        return error_at(c->file, c->line, "an expression must be a proper list");
    }
    const struct special *special = NULL;
    if (is_symbol(CAR(form)) && !is_local(scope, CAR(form))) {
        special = ((Symbol *)CAR(form))->special;
    }
    if (special == NULL) {
        return compile_items(c, scope, OP_CALL, form);
    }
    if (length < special->least || (special->most >= 0 && length > special->most)) {
        return bad_syntax(c, special->usage);
    }
    return special->compile(c, scope, form);
}

static Node *
compile(Compiler *c, Scope *scope, PyObject *datum)
{
    if (is_symbol(datum)) {
        return ((Symbol *)datum)->special != NULL && !is_local(scope, datum)
                   ? bad_syntax(c, ((Symbol *)datum)->special->usage)
                   : compile_variable(c, scope, datum);
    }
    if (datum == NIL) {
        return error_at(c->file, c->line, "() is no expression; write '()");
    }
    if (!is_pair(datum)) {
        return compile_constant(c, datum);
    }
    if (Py_EnterRecursiveCall(" while compiling")) {
        return NULL;
    }
    int line = c->line;
    if (Py_IS_TYPE(datum, &SourcePair_Type)) {
        c->line = ((SourcePair *)datum)->line;
    }
    Node *node = compile_list(c, scope, datum);
    c->line = line;
    Py_LeaveRecursiveCall();
    return node;
}

Node *
scheme_compile(PyObject *datum, PyObject *file)
{
    Compiler compiler = {file, 0};
    return compile(&compiler, NULL, datum);
}

int
compile_init(void)
{
    for (size_t i = 0; i < sizeof(specials) / sizeof(specials[0]); i++) {
        PyObject *symbol = intern(specials[i].name);
        if (symbol == NULL) {
            return -1;
        }
        ((Symbol *)symbol)->special = &specials[i];
        Py_DECREF(symbol);
    }
    return 0;
}
