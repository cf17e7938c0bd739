/* SPDX-License-Identifier: MIT */
/* Every build switch, with its default and its reason. */
#ifndef OURO_BASE_CONFIG_H
#define OURO_BASE_CONFIG_H

/* 1: OURO_ASSERT is checked, and the test switches of the environment (OURO_STRESS,
 * OURO_FAIL_ALLOC) are read. Test builds set it. */
#ifndef OURO_DEBUG
#define OURO_DEBUG 0
#endif

/* 1: OURO_VERIFY walks whole pages, heaps and collections. Slow. */
#ifndef OURO_PARANOID
#define OURO_PARANOID 0
#endif

/* 1: compiled for AddressSanitizer, which is then told about free slots. */
#if defined(__SANITIZE_ADDRESS__)
#define OURO_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define OURO_ASAN 1
#endif
#endif
#ifndef OURO_ASAN
#define OURO_ASAN 0
#endif

/* The address range of one heap, unless OURO_HEAP_RANGE or a call says otherwise: large
 * enough for every program we know, small enough that slot numbers fit 31 bits. */
#define OURO_HEAP_RANGE_DEFAULT ((size_t)64 << 30)
#define OURO_HEAP_RANGE_MAX     ((size_t)64 << 30)
#define OURO_HEAP_RANGE_MIN     ((size_t)4 << 20)

/* What a thread's stack must still have for a destructor to run; below that the object is
 * set aside (object/dealloc.c). A quarter of the stack, within these bounds. */
#define OURO_STACK_RESERVE_MIN ((size_t)16 << 10)
#define OURO_STACK_RESERVE_MAX ((size_t)256 << 10)

#endif
