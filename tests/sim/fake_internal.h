/* What the files of a fake rank share: fake_rank.c (messages, requests, its program),
 * fake_windows.c (one-sided communication), fake_threads.c. Nobody else includes it. */
#ifndef MATCHPOINT_TESTS_SIM_FAKE_INTERNAL_H
#define MATCHPOINT_TESTS_SIM_FAKE_INTERNAL_H

#include "fake_rank.h"

struct speech {
	struct fake_rank *rank;
	void (*say)(void *user, const struct wire_message *message);
	void *user;
	bool waits; /* the call just said does, or has: the answer may have come at once */
};

/* An instruction of the rank, from its first. */
static inline const struct instruction *fake_instruction(const struct fake_rank *rank, int op)
{
	return &rank->program->instructions[rank->program->first[rank->rank] + op];
}

/* Of its last, + 1. */
static inline int fake_end(const struct fake_rank *rank)
{
	return rank->program->first[rank->rank + 1] - rank->program->first[rank->rank];
}

/* The line that is looked at. */
static inline struct fake_line *fake_line(struct fake_rank *rank)
{
	return &rank->lines[rank->thread];
}

/* Where in the program it is: the same place whichever of its threads has called MPI before. */
static inline guint64 fake_site(struct fake_rank *rank)
{
	return rank->stage == FAKE_RUNS ? 1000u + fake_line(rank)->place : rank->calls;
}

/* Says a call, whose number and site are filled in. */
void fake_say_call(struct speech *speech, struct wire_call *call);
/* A call that starts this operation, and waits for it unless that is not asked for. */
void fake_start(struct speech *speech, uint16_t function, struct wire_op *op, enum wire_wait wait);

/* --- one-sided communication --- */

/* Makes the next window, all ranks together; and gives it back, before the communicator. */
void fake_make_window(struct speech *speech);
void fake_free_window(struct speech *speech);
/* Such an instruction. false: it is none. */
bool fake_say_access(struct speech *speech, const struct instruction *own);
/* Before MPI_Win_fence. */
void fake_say_fence(struct speech *speech);
/* MPI_Win_wait has returned. */
void fake_say_awaited(struct speech *speech);
/* A lock has been granted. */
void fake_take_lock(struct fake_rank *rank);

/* --- several threads --- */

/* Whether the thread has to wait for its turn before its next instruction: says so, once. */
bool fake_enters(struct speech *speech, const struct instruction *own);
/* Makes a thread; the thread is at its end. */
void fake_spawn(struct speech *speech, const struct instruction *own);
void fake_end_thread(struct speech *speech);
/* Whether there are threads besides the first. */
bool fake_has_threads(const struct fake_rank *rank);
void fake_admit(struct fake_rank *rank, guint32 thread);

#endif
