/* The number by which the C library knows the calling thread (glibc: the TID in the thread's
 * descriptor). Mutexes that check their owner, and locks for writing, store it: the owner is the
 * thread with the same number. A fork changes it in the copy, so a copy would not own what its
 * program has locked before. Therefore a copy keeps the number of the first process. The program's
 * own forks are not affected.
 *
 * A fork also frees the locks of streams (flockfile). A copy holds those that its thread has held.
 *
 * The C library passes that number to the kernel, too. So functions that do this are replaced
 * (identity.c).
 *
 * Needs prctl(PR_GET_TID_ADDRESS). A kernel without it gives each copy its own number. */
#ifndef MATCHPOINT_SHIM_PARK_PARK_THREAD_H
#define MATCHPOINT_SHIM_PARK_PARK_THREAD_H

#include <stdint.h>

/* The number of the calling thread, as the C library stores it. */
uint32_t park_thread_number(void);

#endif
