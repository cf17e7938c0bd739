/* SPDX-License-Identifier: MIT */
/* What a program does besides making objects: the same few microseconds for every peer. */
#ifndef BENCH_WORK_H
#define BENCH_WORK_H

#define WORK 3000.0 /* nanoseconds */

void work_calibrate(void);
/* Be busy for WORK nanoseconds. */
void work_do(void);

#endif
