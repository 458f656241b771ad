/* What the files of a fake rank share: fake_rank.c (messages, requests, its program),
 * fake_windows.c (one-sided communication), fake_threads.c. Private to them. */
#ifndef MATCHPOINT_TESTS_SIM_FAKE_INTERNAL_H
#define MATCHPOINT_TESTS_SIM_FAKE_INTERNAL_H

#include "fake_rank.h"

struct speech {
	struct fake_rank *rank;
	void (*say)(void *user, const struct wire_message *message);
	void *user;
	bool waits; /* the call just reported waits, or did wait: the answer may have come at
	             * once */
};

/* An instruction of the rank, from its first. */
static inline const struct instruction *fake_instruction(const struct fake_rank *rank, int op)
{
	return &rank->program->instructions[rank->program->first[rank->rank] + op];
}

/* The rank's last instruction, + 1. */
static inline int fake_end(const struct fake_rank *rank)
{
	return rank->program->first[rank->rank + 1] - rank->program->first[rank->rank];
}

/* The current line. */
static inline struct fake_line *fake_line(struct fake_rank *rank)
{
	return &rank->lines[rank->thread];
}

/* The call site: the same for the same place in the program, whichever thread called MPI before. */
static inline guint64 fake_site(struct fake_rank *rank)
{
	return rank->stage == FAKE_RUNS ? 1000u + fake_line(rank)->place : rank->calls;
}

/* Reports a call whose number and site are filled in. */
void fake_say_call(struct speech *speech, struct wire_call *call);
/* Reports a call that starts this operation and, unless WIRE_WAIT_NONE is asked for, waits for
 * it. */
void fake_start(struct speech *speech, uint16_t function, struct wire_op *op, enum wire_wait wait);

/* --- one-sided communication --- */

/* Makes the next window, a collective of all ranks; frees it, before the communicator. */
void fake_make_window(struct speech *speech);
void fake_free_window(struct speech *speech);
/* Reports an access. false: this instruction is none. */
bool fake_say_access(struct speech *speech, const struct instruction *own);
/* Reports what precedes MPI_Win_fence. */
void fake_say_fence(struct speech *speech);
/* Reports that MPI_Win_wait has returned. */
void fake_say_awaited(struct speech *speech);
/* Applies the grant of a lock. */
void fake_take_lock(struct fake_rank *rank);

/* The atomic operation that waits is made; reports that. */
void fake_fetch(struct fake_rank *rank);
void fake_say_fetched(struct speech *speech);

/* --- several threads --- */

/* Whether the thread must wait for its turn before its next instruction; reports that once. */
bool fake_enters(struct speech *speech, const struct instruction *own);
/* Starts a thread; ends the current one. */
void fake_spawn(struct speech *speech, const struct instruction *own);
void fake_end_thread(struct speech *speech);
/* Whether there are threads other than the first. */
bool fake_has_threads(const struct fake_rank *rank);
void fake_admit(struct fake_rank *rank, guint32 thread);

/* A collective of all ranks, for which the rank waits. */
void fake_meet(struct speech *speech, uint16_t function);
/* The end of a round of polls: the rank goes back, or on; or first meets all others. The comments
 * are in fake_rounds.c. */
void fake_end_round(struct fake_rank *rank, int loop);
void fake_meet_after_round(struct speech *speech);
void fake_leave_meeting(struct fake_rank *rank);

#endif
