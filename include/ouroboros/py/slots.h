/* SPDX-License-Identifier: MIT */
/* Slot numbers of PyType_Slot and PySlot arrays, with the values of CPython 3.15. */
#ifndef OURO_PY_SLOTS_H
#define OURO_PY_SLOTS_H

#include "typeobject.h"

OURO_BEGIN_DECLS

#define Py_slot_end                   0
#define Py_mp_subscript               5
#define Py_nb_absolute                6
#define Py_nb_add                     7
#define Py_nb_and                     8
#define Py_nb_bool                    9
#define Py_nb_divmod                  10
#define Py_nb_float                   11
#define Py_nb_floor_divide            12
#define Py_nb_index                   13
#define Py_nb_inplace_add             14
#define Py_nb_inplace_and             15
#define Py_nb_inplace_floor_divide    16
#define Py_nb_inplace_lshift          17
#define Py_nb_inplace_multiply        18
#define Py_nb_inplace_or              19
#define Py_nb_inplace_power           20
#define Py_nb_inplace_remainder       21
#define Py_nb_inplace_rshift          22
#define Py_nb_inplace_subtract        23
#define Py_nb_inplace_true_divide     24
#define Py_nb_inplace_xor             25
#define Py_nb_int                     26
#define Py_nb_invert                  27
#define Py_nb_lshift                  28
#define Py_nb_multiply                29
#define Py_nb_negative                30
#define Py_nb_or                      31
#define Py_nb_positive                32
#define Py_nb_power                   33
#define Py_nb_remainder               34
#define Py_nb_rshift                  35
#define Py_nb_subtract                36
#define Py_nb_true_divide             37
#define Py_nb_xor                     38
#define Py_sq_ass_item                39
#define Py_sq_concat                  40
#define Py_sq_contains                41
#define Py_sq_inplace_concat          42
#define Py_sq_inplace_repeat          43
#define Py_sq_item                    44
#define Py_sq_length                  45
#define Py_sq_repeat                  46
#define Py_tp_alloc                   47
#define Py_tp_base                    48
#define Py_tp_bases                   49
#define Py_tp_call                    50
#define Py_tp_clear                   51
#define Py_tp_dealloc                 52
#define Py_tp_del                     53
#define Py_tp_descr_get               54
#define Py_tp_descr_set               55
#define Py_tp_doc                     56
#define Py_tp_getattr                 57
#define Py_tp_getattro                58
#define Py_tp_hash                    59
#define Py_tp_init                    60
#define Py_tp_is_gc                   61
#define Py_tp_iter                    62
#define Py_tp_iternext                63
#define Py_tp_methods                 64
#define Py_tp_new                     65
#define Py_tp_repr                    66
#define Py_tp_richcompare             67
#define Py_tp_setattr                 68
#define Py_tp_setattro                69
#define Py_tp_str                     70
#define Py_tp_traverse                71
#define Py_tp_members                 72
#define Py_tp_getset                  73
#define Py_tp_free                    74
#define Py_nb_matrix_multiply         75
#define Py_nb_inplace_matrix_multiply 76
#define Py_am_await                   77
#define Py_am_aiter                   78
#define Py_am_anext                   79
#define Py_tp_finalize                80
#define Py_am_send                    81
#define Py_tp_vectorcall              82
#define Py_tp_token                   83
#define Py_mod_create                 84
#define Py_mod_exec                   85
#define Py_mod_multiple_interpreters  86
#define Py_mod_gil                    87
#define Py_bf_getbuffer               88
#define Py_bf_releasebuffer           89
#define Py_mp_ass_subscript           90
#define Py_mp_length                  91
#define Py_slot_subslots              92
#define Py_tp_slots                   93
#define Py_mod_slots                  94
#define Py_tp_name                    95
#define Py_tp_basicsize               96
#define Py_tp_extra_basicsize         97
#define Py_tp_itemsize                98
#define Py_tp_flags                   99
#define Py_mod_name                   100
#define Py_mod_doc                    101
#define Py_mod_state_size             102
#define Py_mod_methods                103
#define Py_mod_state_traverse         104
#define Py_mod_state_clear            105
#define Py_mod_state_free             106
#define Py_tp_metaclass               107
#define Py_tp_module                  108
#define Py_mod_abi                    109
#define Py_mod_token                  110
#define Py_slot_invalid               0xffff

/* One entry of the unified slot array of 3.15; the array ends with id 0. */
struct PySlot {
    uint16_t sl_id;
    uint16_t sl_flags;
    uint32_t _sl_reserved;
    __extension__ union {
        void *sl_ptr;
        void (*sl_func)(void);
        Py_ssize_t sl_size;
        int64_t sl_int64;
        uint64_t sl_uint64;
    };
};

#define PySlot_OPTIONAL 0x01 /* skip the entry when its id is unknown */
#define PySlot_STATIC   0x02 /* the data outlives the type or module */
#define PySlot_INTPTR   0x04 /* a number, but stored in sl_ptr */

/* clang-format off */
#define PySlot_DATA(NAME, VALUE)   {(NAME), 0, 0, {(void *)(VALUE)}}
#define PySlot_FUNC(NAME, VALUE)   {(NAME), 0, 0, {.sl_func = (void (*)(void))(VALUE)}}
#define PySlot_SIZE(NAME, VALUE)   {(NAME), 0, 0, {.sl_size = (Py_ssize_t)(VALUE)}}
#define PySlot_INT64(NAME, VALUE)  {(NAME), 0, 0, {.sl_int64 = (int64_t)(VALUE)}}
#define PySlot_UINT64(NAME, VALUE) {(NAME), 0, 0, {.sl_uint64 = (uint64_t)(VALUE)}}
#define PySlot_STATIC_DATA(NAME, VALUE) {(NAME), PySlot_STATIC, 0, {(void *)(VALUE)}}
#define PySlot_PTR(NAME, VALUE)    {(NAME), PySlot_INTPTR, 0, {(void *)(VALUE)}}
#define PySlot_PTR_STATIC(NAME, VALUE)                                                   \
    {(NAME), PySlot_INTPTR | PySlot_STATIC, 0, {(void *)(VALUE)}}
#define PySlot_END {0, 0, 0, {NULL}}
/* clang-format on */

OURO_END_DECLS

#endif
