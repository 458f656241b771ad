/* A hash of all that the program can observe when its pending call returns. If the hash is the same
 * twice, with the same answers in between, the program is in a livelock.
 *
 * It covers private memory that was ever written, the stack from the caller's frame outwards, and
 * the registers that a call preserves. It leaves out what the shim changes itself, and the stacks
 * of MPI's threads. It does not cover what a program learns from outside (files, sockets, shared
 * memory, the time stamp counter). Clock reads are reported apart (clocks.h). */
#ifndef MATCHPOINT_SHIM_STATE_DIGEST_H
#define MATCHPOINT_SHIM_STATE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shim/process/memory_range.h"

/* When MPI is initialised: all present threads are MPI's. */
void digest_know_threads(void);

/* Whether threads or timers of the program may change what looks endless. */
bool digest_is_disturbed(void);

/* `site`: the call's return address in the program; `own`: heap memory of the shim. For programs
 * with one thread. false: unknown, because of threads or timers of the program, a stack that cannot
 * be unwound, or too much memory. */
bool digest_take(uint64_t site, const struct memory_range *own, size_t own_count, uint64_t ret[2]);

#endif
