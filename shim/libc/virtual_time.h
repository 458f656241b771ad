/* The time that the program reads. Where all ranks only poll and ask what time it is, the scheduler
 * puts the clocks of all of them forward by the same (WIRE_FORWARD), also those of computing time:
 * by such a clock a loop would have polled on.
 *
 * Virtual time (--virtual-time): a rank that sleeps goes on at once, and its clocks go on by as
 * much.
 *
 * A rank is ahead of the machine's clocks by what it has slept. The ranks of a world share the most
 * that any of them is ahead, in a mapping that is cloned with the world, and a rank that MPI lets
 * go catches up with it: so who receives a message never reads an earlier time than its sender had.
 * Once a program has made a thread its sleeps take their time: threads may wait for one another.
 *
 * While a rank lies parked its time stands still: a limit of time must not be over in an
 * interleaving because others were explored before it. */
#ifndef MATCHPOINT_SHIM_LIBC_VIRTUAL_TIME_H
#define MATCHPOINT_SHIM_LIBC_VIRTUAL_TIME_H

#include <stdint.h>
#include <time.h>

/* Once the world's directory is open; does nothing without $MATCHPOINT_VIRTUAL_TIME. */
void virtual_time_start(void);

/* All clocks go on by so much. */
void virtual_time_put_forward(uint32_t milliseconds);

/* A call that waited may go on. */
void virtual_time_catch_up(void);

/* A copy of a rank that lay parked goes on, in a world that has stood still for so long in all. For
 * all ranks of a world it is the same time: who receives a message still never reads an earlier
 * time than its sender had. */
void virtual_time_idle(uint64_t microseconds);

/* Adds what the rank is ahead to a time of that clock (less than nothing when it lay parked);
 * sleeping is no computing time. */
void virtual_time_add(clockid_t clock, struct timespec *time);

#endif
