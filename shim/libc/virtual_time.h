/* The time that the program reads. If all ranks only poll and read clocks, the scheduler moves all
 * their clocks forward by the same amount (WIRE_FORWARD). That includes clocks of computing time:
 * by such a clock, a loop would have gone on polling.
 *
 * Virtual time (--virtual-time): a sleep returns at once, and the rank's clocks move forward by its
 * length.
 *
 * A rank is ahead of the machine's clocks by the time it has slept. The ranks of a world share the
 * greatest such value, in a mapping that is cloned with the world. A rank catches up with it when
 * MPI lets it continue: so a receiver never reads an earlier time than the sender had. After the
 * program has made a thread, sleeps take real time, because threads may wait for one another.
 *
 * The time of a parked rank stands still. So a time limit does not pass in an interleaving because
 * others were explored before it. */
#ifndef MATCHPOINT_SHIM_LIBC_VIRTUAL_TIME_H
#define MATCHPOINT_SHIM_LIBC_VIRTUAL_TIME_H

#include <stdint.h>
#include <time.h>

#include "common/wire.h"

/* When the world's directory is open. Does nothing without $MATCHPOINT_VIRTUAL_TIME. */
void virtual_time_start(void);

/* Moves all clocks forward. */
void virtual_time_put_forward(uint32_t milliseconds);

/* A waiting call may continue. */
void virtual_time_catch_up(void);

/* The scheduler has welcomed the rank, or a copy of a parked rank.
 *
 * idle_time: the world has stood still for this long in total. The value is the same for all ranks
 * of a world: so a receiver never reads an earlier time than the sender had.
 *
 * uneven_clocks: not 0: from now on each read of a clock by the program (virtual_time_read) moves
 * all its clocks forward, by an amount between 10 and 300 ms that depends on this seed. So what the
 * program derives from a time is another value in each run. The same seed again changes nothing. */
void virtual_time_welcome(const struct wire_welcome *welcome);

/* The program is about to read a clock. */
void virtual_time_read(void);

/* Adds to `time`, read from this clock, by how much the rank is ahead; negative if it lay parked.
 * Sleeping is not computing time. */
void virtual_time_add(clockid_t clock, struct timespec *time);

#endif
