/* SPDX-License-Identifier: MIT */
/* The table of slots, by number. */
#include "slot_table.h"

#include "../base/check.h"

#define OURO_IN_TYPE(name)                                                               \
    {                                                                                    \
        offsetof(PyTypeObject, name), OURO_SLOT_NONE                                     \
    }
#define OURO_IN_STRUCT(as, structure, name)                                              \
    {                                                                                    \
        offsetof(PyTypeObject, as), offsetof(structure, name)                            \
    }
#define OURO_IN_NUMBER(name)   OURO_IN_STRUCT(tp_as_number, PyNumberMethods, name)
#define OURO_IN_SEQUENCE(name) OURO_IN_STRUCT(tp_as_sequence, PySequenceMethods, name)
#define OURO_IN_MAPPING(name)  OURO_IN_STRUCT(tp_as_mapping, PyMappingMethods, name)
#define OURO_IN_ASYNC(name)    OURO_IN_STRUCT(tp_as_async, PyAsyncMethods, name)
#define OURO_IN_BUFFER(name)   OURO_IN_STRUCT(tp_as_buffer, PyBufferProcs, name)

static const struct slot_place slot_places[OURO_SLOT_LAST + 1] = {
    [Py_tp_alloc] = OURO_IN_TYPE(tp_alloc),
    [Py_tp_base] = OURO_IN_TYPE(tp_base),
    [Py_tp_bases] = OURO_IN_TYPE(tp_bases),
    [Py_tp_call] = OURO_IN_TYPE(tp_call),
    [Py_tp_clear] = OURO_IN_TYPE(tp_clear),
    [Py_tp_dealloc] = OURO_IN_TYPE(tp_dealloc),
    [Py_tp_del] = OURO_IN_TYPE(tp_del),
    [Py_tp_descr_get] = OURO_IN_TYPE(tp_descr_get),
    [Py_tp_descr_set] = OURO_IN_TYPE(tp_descr_set),
    [Py_tp_doc] = OURO_IN_TYPE(tp_doc),
    [Py_tp_getattr] = OURO_IN_TYPE(tp_getattr),
    [Py_tp_getattro] = OURO_IN_TYPE(tp_getattro),
    [Py_tp_hash] = OURO_IN_TYPE(tp_hash),
    [Py_tp_init] = OURO_IN_TYPE(tp_init),
    [Py_tp_is_gc] = OURO_IN_TYPE(tp_is_gc),
    [Py_tp_iter] = OURO_IN_TYPE(tp_iter),
    [Py_tp_iternext] = OURO_IN_TYPE(tp_iternext),
    [Py_tp_methods] = OURO_IN_TYPE(tp_methods),
    [Py_tp_new] = OURO_IN_TYPE(tp_new),
    [Py_tp_repr] = OURO_IN_TYPE(tp_repr),
    [Py_tp_richcompare] = OURO_IN_TYPE(tp_richcompare),
    [Py_tp_setattr] = OURO_IN_TYPE(tp_setattr),
    [Py_tp_setattro] = OURO_IN_TYPE(tp_setattro),
    [Py_tp_str] = OURO_IN_TYPE(tp_str),
    [Py_tp_traverse] = OURO_IN_TYPE(tp_traverse),
    [Py_tp_members] = OURO_IN_TYPE(tp_members),
    [Py_tp_getset] = OURO_IN_TYPE(tp_getset),
    [Py_tp_free] = OURO_IN_TYPE(tp_free),
    [Py_tp_finalize] = OURO_IN_TYPE(tp_finalize),
    [Py_tp_vectorcall] = OURO_IN_TYPE(tp_vectorcall),
    [Py_tp_token] = {offsetof(PyHeapTypeObject, ht_token), OURO_SLOT_NONE},
    [Py_nb_add] = OURO_IN_NUMBER(nb_add),
    [Py_nb_subtract] = OURO_IN_NUMBER(nb_subtract),
    [Py_nb_multiply] = OURO_IN_NUMBER(nb_multiply),
    [Py_nb_remainder] = OURO_IN_NUMBER(nb_remainder),
    [Py_nb_divmod] = OURO_IN_NUMBER(nb_divmod),
    [Py_nb_power] = OURO_IN_NUMBER(nb_power),
    [Py_nb_negative] = OURO_IN_NUMBER(nb_negative),
    [Py_nb_positive] = OURO_IN_NUMBER(nb_positive),
    [Py_nb_absolute] = OURO_IN_NUMBER(nb_absolute),
    [Py_nb_bool] = OURO_IN_NUMBER(nb_bool),
    [Py_nb_invert] = OURO_IN_NUMBER(nb_invert),
    [Py_nb_lshift] = OURO_IN_NUMBER(nb_lshift),
    [Py_nb_rshift] = OURO_IN_NUMBER(nb_rshift),
    [Py_nb_and] = OURO_IN_NUMBER(nb_and),
    [Py_nb_xor] = OURO_IN_NUMBER(nb_xor),
    [Py_nb_or] = OURO_IN_NUMBER(nb_or),
    [Py_nb_int] = OURO_IN_NUMBER(nb_int),
    [Py_nb_float] = OURO_IN_NUMBER(nb_float),
    [Py_nb_inplace_add] = OURO_IN_NUMBER(nb_inplace_add),
    [Py_nb_inplace_subtract] = OURO_IN_NUMBER(nb_inplace_subtract),
    [Py_nb_inplace_multiply] = OURO_IN_NUMBER(nb_inplace_multiply),
    [Py_nb_inplace_remainder] = OURO_IN_NUMBER(nb_inplace_remainder),
    [Py_nb_inplace_power] = OURO_IN_NUMBER(nb_inplace_power),
    [Py_nb_inplace_lshift] = OURO_IN_NUMBER(nb_inplace_lshift),
    [Py_nb_inplace_rshift] = OURO_IN_NUMBER(nb_inplace_rshift),
    [Py_nb_inplace_and] = OURO_IN_NUMBER(nb_inplace_and),
    [Py_nb_inplace_xor] = OURO_IN_NUMBER(nb_inplace_xor),
    [Py_nb_inplace_or] = OURO_IN_NUMBER(nb_inplace_or),
    [Py_nb_floor_divide] = OURO_IN_NUMBER(nb_floor_divide),
    [Py_nb_true_divide] = OURO_IN_NUMBER(nb_true_divide),
    [Py_nb_inplace_floor_divide] = OURO_IN_NUMBER(nb_inplace_floor_divide),
    [Py_nb_inplace_true_divide] = OURO_IN_NUMBER(nb_inplace_true_divide),
    [Py_nb_index] = OURO_IN_NUMBER(nb_index),
    [Py_nb_matrix_multiply] = OURO_IN_NUMBER(nb_matrix_multiply),
    [Py_nb_inplace_matrix_multiply] = OURO_IN_NUMBER(nb_inplace_matrix_multiply),
    [Py_sq_length] = OURO_IN_SEQUENCE(sq_length),
    [Py_sq_concat] = OURO_IN_SEQUENCE(sq_concat),
    [Py_sq_repeat] = OURO_IN_SEQUENCE(sq_repeat),
    [Py_sq_item] = OURO_IN_SEQUENCE(sq_item),
    [Py_sq_ass_item] = OURO_IN_SEQUENCE(sq_ass_item),
    [Py_sq_contains] = OURO_IN_SEQUENCE(sq_contains),
    [Py_sq_inplace_concat] = OURO_IN_SEQUENCE(sq_inplace_concat),
    [Py_sq_inplace_repeat] = OURO_IN_SEQUENCE(sq_inplace_repeat),
    [Py_mp_length] = OURO_IN_MAPPING(mp_length),
    [Py_mp_subscript] = OURO_IN_MAPPING(mp_subscript),
    [Py_mp_ass_subscript] = OURO_IN_MAPPING(mp_ass_subscript),
    [Py_am_await] = OURO_IN_ASYNC(am_await),
    [Py_am_aiter] = OURO_IN_ASYNC(am_aiter),
    [Py_am_anext] = OURO_IN_ASYNC(am_anext),
    [Py_am_send] = OURO_IN_ASYNC(am_send),
    [Py_bf_getbuffer] = OURO_IN_BUFFER(bf_getbuffer),
    [Py_bf_releasebuffer] = OURO_IN_BUFFER(bf_releasebuffer),
};

/* The numbers 1 to 4 are what sources compiled before 3.15 use. */
static const int slots_renumbered[] = {
    0, Py_bf_getbuffer, Py_bf_releasebuffer, Py_mp_ass_subscript, Py_mp_length,
};

int
ouro_slot_current(int id)
{
    bool old = id > 0 && id < (int)Py_ARRAY_LENGTH(slots_renumbered);
    return old ? slots_renumbered[id] : id;
}

const struct slot_place *
ouro_slot_place(int id)
{
    if (id <= 0 || id > OURO_SLOT_LAST || slot_places[id].field == 0) {
        return NULL;
    }
    return &slot_places[id];
}

static char *
slot_address(PyTypeObject *type, const struct slot_place *place)
{
    char *field = (char *)type + place->field;
    if (place->inner == OURO_SLOT_NONE) {
        return field;
    }
    char *structure;
    memcpy(&structure, field, sizeof structure);
    return structure == NULL ? NULL : structure + place->inner;
}

bool
ouro_slot_has_room(PyTypeObject *type, const struct slot_place *place)
{
    return slot_address(type, place) != NULL;
}

void *
ouro_slot_read(PyTypeObject *type, const struct slot_place *place)
{
    void *value = NULL;
    const char *address = slot_address(type, place);
    if (address != NULL) {
        memcpy(&value, address, sizeof value);
    }
    return value;
}

void
ouro_slot_write(PyTypeObject *type, const struct slot_place *place, void *value)
{
    char *address = slot_address(type, place);
    OURO_ASSUME(address != NULL); /* ouro_slot_has_room() */
    memcpy(address, &value, sizeof value);
}
