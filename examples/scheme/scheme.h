/* SPDX-License-Identifier: MIT */
/* A small Scheme on Ouroboros: what its files share.
 *
 * Text becomes data (reader.c), data becomes a tree of nodes (compile.c), nodes are run
 * (eval.c). Numbers, strings, vectors and hash tables are the library's int, float, str,
 * list and dict; what a Scheme needs besides is in types.c, as container types. There is
 * nothing here that manages memory: references are counted, and cycles are the
 * collector's business.
 *
 * Functions that return a PyObject * return a new reference, or NULL with an exception;
 * those that return int, 0 or -1 with an exception, unless they say something else.
 * Arguments are borrowed. */
#ifndef SCHEME_H
#define SCHEME_H

#include <Python.h>

/* --- data (types.c) ------------------------------------------------------------------- */

typedef struct {
    PyObject_HEAD
    PyObject *car, *cdr; /* owned; NULL only after tp_clear */
} Pair;

/* What the reader makes: a pair that knows where it was written. */
typedef struct {
    Pair pair;
    int line;
} SourcePair;

typedef struct Node Node;
struct special; /* a special form, see compile.c */

typedef struct {
    PyObject_HEAD
    PyObject *name;                /* owned: a str */
    PyObject *value;               /* owned: the global variable of this name, or NULL */
    const struct special *special; /* or NULL */
} Symbol;

extern PyTypeObject Pair_Type, SourcePair_Type, Symbol_Type, Node_Type, Frame_Type,
    Closure_Type;

/* The empty list, the value of what has none, and the end of input. Immortal. */
typedef struct {
    PyObject_HEAD
    const char *text;
} Constant;

extern PyTypeObject Constant_Type;
extern Constant scheme_nil, scheme_unspecified, scheme_eof;
#define NIL         ((PyObject *)&scheme_nil)
#define UNSPECIFIED ((PyObject *)&scheme_unspecified)
#define END_OF_FILE ((PyObject *)&scheme_eof)

static inline int
is_pair(PyObject *value)
{
    return Py_IS_TYPE(value, &Pair_Type) || Py_IS_TYPE(value, &SourcePair_Type);
}

static inline int
is_symbol(PyObject *value)
{
    return Py_IS_TYPE(value, &Symbol_Type);
}

#define CAR(pair) (((Pair *)(pair))->car)
#define CDR(pair) (((Pair *)(pair))->cdr)

PyObject *cons(PyObject *car, PyObject *cdr);
PyObject *source_cons(PyObject *car, PyObject *cdr, int line);
/* A symbol that is equal to no other; and the one that all texts of this name mean. */
PyObject *new_symbol(PyObject *name);
PyObject *intern(const char *name);
PyObject *intern_str(PyObject *name);
/* The length of a proper list; -1, without exception, for anything else. */
Py_ssize_t list_length(PyObject *list);

/* Lists are built front to back: `*last` is the last pair, NULL at first, and `pair`, whose
 * reference is stolen, follows it. */
static inline void
extend_list(PyObject **head, PyObject **last, PyObject *pair)
{
    Py_SETREF(*(*last == NULL ? head : &CDR(*last)), pair);
    *last = pair;
}

/* --- code (types.c, compile.c) -------------------------------------------------------- */

enum op {
    OP_CONSTANT, /* value */
    OP_LOCAL,    /* the variable `index` of the frame `depth` frames out */
    OP_LOCAL_0,  /* the same with depth 0 */
    OP_LOCAL_1,  /* and with depth 1 */
    OP_GLOBAL,   /* value: its Symbol */
    OP_SET_LOCAL,
    OP_SET_GLOBAL,
    OP_DEFINE,
    OP_IF,    /* test, then, else */
    OP_AND,   /* any number, at least one */
    OP_OR,    /* the same */
    OP_BEGIN, /* the same */
    OP_LAMBDA, /* body; value: its name; index: parameters; depth: 1 if one takes the rest */
    OP_LET,    /* the initial values, then the body */
    OP_CALL, /* procedure, arguments */
};

/* Code is data on the same heap: a constant in it may be changed to refer to a closure of
 * this code, and then only the collector can free it. */
struct Node {
    PyObject_VAR_HEAD
    enum op op;
    int line;         /* where it was written */
    int depth, index; /* see the operations */
    Py_ssize_t slots; /* OP_LAMBDA, OP_LET: the size of the frame */
    PyObject *file;   /* owned: str */
    PyObject *value;  /* owned: see the operations; the Symbol of a variable; or NULL */
    Node *child[];    /* owned */
};

/* Compile one expression of a program. */
Node *scheme_compile(PyObject *datum, PyObject *file);
int compile_init(void);

/* --- running (eval.c) ------------------------------------------------------------------- */

/* The variables of one call or one let. */
typedef struct Frame {
    PyObject_VAR_HEAD
    struct Frame *parent; /* owned, or NULL: the frame around it */
    PyObject *slot[];     /* owned; NULL while a variable has no value */
} Frame;

typedef struct {
    PyObject_HEAD
    Node *code; /* owned: OP_LAMBDA */
    Frame *env; /* owned, or NULL: where it was made */
    PyObject *weakrefs;
    vectorcallfunc vectorcall;
} Closure;

/* A frame with room for `slots` variables, all NULL. Not tracked: the caller does that
 * when it has filled it. */
Frame *new_frame(Frame *parent, Py_ssize_t slots);
PyObject *new_closure(Node *code, Frame *env);
/* The vectorcall function of every closure: C code calls a closure like any callable. */
PyObject *call_closure(PyObject *closure, PyObject *const *args, size_t nargsf,
                       PyObject *kwnames);
/* A node with room for `children`, all NULL. Tracked. */
Node *new_node(enum op op, Py_ssize_t children, PyObject *file, int line);
int types_init(void);
void types_finish(void);

PyObject *scheme_eval(Node *node, Frame *env);
/* Called every so often while a program runs: lets the collector and ^C in. */
int scheme_safe_point(void);

/* --- reader.c ------------------------------------------------------------------------- */

typedef struct {
    const char *next; /* the rest of the text; ends with NUL */
    int line;
    PyObject *file;     /* borrowed */
    int is_interactive; /* more text may come when it ends in the middle */
    int is_incomplete;  /* set when it did, instead of an error */
} Reader;

/* The next datum; END_OF_FILE when there is none. */
PyObject *scheme_read(Reader *reader);

/* --- printer.c ------------------------------------------------------------------------ */

/* Print a value as it would be read (write), or strings as their text (display). */
int scheme_print(FILE *file, PyObject *value, int as_written);
/* The same as a str. */
PyObject *scheme_text(PyObject *value, int as_written);
/* The tp_repr of every type here. */
PyObject *scheme_repr(PyObject *value);

/* --- errors.c --------------------------------------------------------------------------- */

extern PyObject *scheme_error;  /* the type of errors: a message, a list of irritants */
extern PyObject *scheme_raised; /* the type that carries any other value that is raised */

void raise_error(PyObject *message, PyObject *irritants);
/* These two return NULL. An error at a place of a file; and one of a procedure that got a
 * wrong value: "car: not a pair: 5". */
void *error_at(PyObject *file, int line, const char *format, ...);
void *error_about(const char *procedure, const char *problem, PyObject *value);
/* Are there `least` to `most` (-1: any number) arguments? */
int check_arity(const char *name, Py_ssize_t given, Py_ssize_t least, Py_ssize_t most);
/* The message (0) or the irritants (1) of any exception. */
PyObject *error_part(PyObject *error, Py_ssize_t index);
/* Note on the pending exception that it came through the call `node`. */
void error_passes(Node *node);
/* Print the pending exception and where it came from, and clear it. */
void error_report(void);
int errors_init(void);
void errors_finish(void);

/* --- what programs call ----------------------------------------------------------------- */

/* How a C function stands in a table: it takes no argument, one, or an array of any number
 * (and then it calls check_arity). */
#define NONE(function) function, METH_NOARGS, NULL
#define ONE(function)  function, METH_O, NULL
#define FAST(function) _PyCFunction_CAST(function), METH_FASTCALL, NULL

/* The global variable `name` becomes a built-in procedure for each entry of the table. */
int define_procedures(PyMethodDef *table);

int numbers_init(void); /* + - < = sqrt ... */
int lists_init(void);   /* car, cons, map, equal? ... */
int tables_init(void);  /* vectors and hash tables */
int strings_init(void); /* strings, symbols, display */
int control_init(void); /* apply, error, exit ... */
int memory_init(void);  /* gc, heap-usage, weak references */

/* At most this many bytes of containers; 0: no limit. Lift and apply it again. */
void set_heap_limit(size_t bytes);
void lift_heap_limit(void);
void apply_heap_limit(void);
/* What we run on; how many containers there are; and at the end, what the collector did:
 * 0, or -1 when there are more than there were. */
const char *runtime_name(void);
size_t count_objects(void);
int report_memory(size_t objects_before);
/* Raise a MemoryError that says what the limit is and whether the collector works. */
void raise_out_of_memory(void);

/* Everything above; and the end of it. */
int scheme_init(void);
void scheme_finish(void);

#endif
