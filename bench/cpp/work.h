/* SPDX-License-Identifier: MIT */
/* The same work, written in C (work.c) and with ouroboros.hpp (work.cc). bench/cpp.py counts the
 * instructions of both. */
#ifndef OURO_BENCH_CPP_WORK_H
#define OURO_BENCH_CPP_WORK_H

#ifdef __cplusplus
extern "C" {
#endif

struct work {
    const char *name;
    void (*prepare)(long count); /* not counted; or NULL */
    void (*run)(long count);
    void (*finish)(void); /* not counted; or NULL */
};

/* The last one has no name. */
extern const struct work works[];
/* Makes the types ready. */
void ready_types(void);
/* Runs a full collection. Both languages use it. */
void collect(long count);

#ifdef __cplusplus
}
#endif

#endif
