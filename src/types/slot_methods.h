/* SPDX-License-Identifier: MIT */
/* Slots and special methods: two forms of one thing.
 *
 * A type that fills a slot gets the special methods that stand for it, as wrappers in its
 * dict (slot_methods.c, called as slot_call.c says). A class whose dict has a special method
 * gets a function in the slot that looks the method up and calls it: a dispatcher
 * (slot_dispatch.c, slot_dispatch_number.c). slot_update.c decides which of the two a slot
 * of a class holds. */
#ifndef OURO_TYPES_SLOT_METHODS_H
#define OURO_TYPES_SLOT_METHODS_H

#include "type.h"

/* --- operators: method, slot, symbol ------------------------------------------------------ */

/* clang-format off */
#define OURO_BINARY_OPERATORS(X)              \
    X(add, nb_add, "+")                       \
    X(sub, nb_subtract, "-")                  \
    X(mul, nb_multiply, "*")                  \
    X(mod, nb_remainder, "%")                 \
    X(divmod, nb_divmod, "divmod")            \
    X(lshift, nb_lshift, "<<")                \
    X(rshift, nb_rshift, ">>")                \
    X(and, nb_and, "&")                       \
    X(xor, nb_xor, "^")                       \
    X(or, nb_or, "|")                         \
    X(floordiv, nb_floor_divide, "//")        \
    X(truediv, nb_true_divide, "/")           \
    X(matmul, nb_matrix_multiply, "@")

#define OURO_INPLACE_OPERATORS(X)             \
    X(iadd, nb_inplace_add, "+=")             \
    X(isub, nb_inplace_subtract, "-=")        \
    X(imul, nb_inplace_multiply, "*=")        \
    X(imod, nb_inplace_remainder, "%=")       \
    X(ilshift, nb_inplace_lshift, "<<=")      \
    X(irshift, nb_inplace_rshift, ">>=")      \
    X(iand, nb_inplace_and, "&=")             \
    X(ixor, nb_inplace_xor, "^=")             \
    X(ior, nb_inplace_or, "|=")               \
    X(ifloordiv, nb_inplace_floor_divide, "//=") \
    X(itruediv, nb_inplace_true_divide, "/=") \
    X(imatmul, nb_inplace_matrix_multiply, "@=")

#define OURO_UNARY_OPERATORS(X)               \
    X(neg, nb_negative, "-self")              \
    X(pos, nb_positive, "+self")              \
    X(abs, nb_absolute, "abs(self)")          \
    X(invert, nb_invert, "~self")             \
    X(int, nb_int, "int(self)")               \
    X(float, nb_float, "float(self)")         \
    X(index, nb_index, "self as an index")
/* clang-format on */

/* --- names ---------------------------------------------------------------------------------- */

#define OURO_SPECIAL_OF_BINARY(name, slot, text) SPECIAL_##name, SPECIAL_r##name,
#define OURO_SPECIAL_OF_OTHER(name, slot, text)  SPECIAL_##name,

enum special {
    OURO_BINARY_OPERATORS(OURO_SPECIAL_OF_BINARY) /* */
    OURO_INPLACE_OPERATORS(OURO_SPECIAL_OF_OTHER) /* */
    OURO_UNARY_OPERATORS(OURO_SPECIAL_OF_OTHER)   /* */
    SPECIAL_pow,
    SPECIAL_rpow,
    SPECIAL_ipow, /* */
    SPECIAL_lt,
    SPECIAL_le,
    SPECIAL_eq, /* in the order of Py_LT ... */
    SPECIAL_ne,
    SPECIAL_gt,
    SPECIAL_ge, /* */
    SPECIAL_repr,
    SPECIAL_str,
    SPECIAL_hash, /* */
    SPECIAL_bool,
    SPECIAL_len,
    SPECIAL_contains, /* */
    SPECIAL_getitem,
    SPECIAL_setitem,
    SPECIAL_delitem, /* */
    SPECIAL_iter,
    SPECIAL_next,
    SPECIAL_call, /* */
    SPECIAL_new,
    SPECIAL_init,
    SPECIAL_del, /* */
    SPECIAL_getattribute,
    SPECIAL_getattr, /* */
    SPECIAL_setattr,
    SPECIAL_delattr, /* */
    SPECIAL_get,
    SPECIAL_set,
    SPECIAL_delete, /* */
    SPECIAL_await,
    SPECIAL_aiter,
    SPECIAL_anext, /* */
    SPECIAL_init_subclass,
    SPECIAL_set_name, /* not slots, but used as often */
    SPECIAL_COUNT,
};

/* "__repr__" and so on: immortal and interned. */
extern PyObject *ouro_special_names[SPECIAL_COUNT] __attribute__((visibility("hidden")));
#define OURO_SPECIAL(name) (ouro_special_names[SPECIAL_##name])
/* Make them: in the shared scope, before the first type is finished. */
bool ouro_special_names_make(void);

/* --- the table ---------------------------------------------------------------------------------- */

/* Every special method that stands for a slot; `offset` is the slot's number. Rows of one
 * slot follow each other. A NULL name ends the table. */
extern struct wrapperbase ouro_slot_methods[] __attribute__((visibility("hidden")));

/* Add the methods of the slots that `type` itself fills to its dict. */
bool ouro_type_add_slot_methods(PyTypeObject *type);
/* Is `function` the __new__ that stands for the tp_new of a type? That type, borrowed; or
 * NULL. */
PyTypeObject *ouro_type_of_new_method(PyObject *function);

/* --- slot_update.c ------------------------------------------------------------------------------ */

/* Set the slots of a class from the special methods that it and its bases have. */
void ouro_type_update_slots(PyTypeObject *type);
/* The same for the slots of the method `name` after it has changed in the dict of a heap
 * type, in this type and in those that inherit the method from it. */
int ouro_type_method_changed(PyTypeObject *type, PyObject *name);

/* --- looking special methods up --------------------------------------------------------------------- */

/* Call a special method of the type of args[0], which is passed on as self. A new
 * reference; or NULL with an exception. */
PyObject *ouro_special_call(enum special special, PyObject *const *args, size_t nargs);

#endif
