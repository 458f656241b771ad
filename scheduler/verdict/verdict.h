/* What an interleaving amounts to: its record, and the findings if something is wrong. Works on
 * what it is given, and knows neither processes nor who explores. */
#ifndef MATCHPOINT_SCHEDULER_VERDICT_VERDICT_H
#define MATCHPOINT_SCHEDULER_VERDICT_VERDICT_H

#include <stdbool.h>

#include "explorer/explorer.h"
#include "scheduler/store/record.h"
#include "scheduler/world/communicators.h"
#include "scheduler/world/rank_end.h"
#include "scheduler/world/world.h"

/* What is known of an interleaving that has come to its end. All of it stays the caller's. */
struct verdict_facts {
	struct world *world;
	int ranks;
	const struct communicators *comms;
	const struct rank_end *ends; /* by rank */
	/* By rank: the call that it stands inside without having reported it, or that it goes round
	 * in; NULL: none that is known. */
	const struct wire_blocking_call *const *inside;
	/* Where the call of a rank from this address is made; all 0: not known. */
	struct place (*place)(void *user, int rank, guint64 site);
	void *user;
	/* By number (struct world_call), from 1: stacks (GArray of struct record_frame), of calls,
	 * by which those of interpreted programs are told; NULL: they are not. */
	const GPtrArray *stacks;
	const char *lost;     /* why its plan could not be followed; NULL: it was */
	bool stalled;         /* nothing will come any more from ranks inside MPI, or that only
	                            look at windows (livelock) */
	bool livelock;        /* who moves, moves for ever */
	const char *how_sure; /* it is that, if they poll: a clause; NULL: nothing is said */
	double still;         /* seconds that it was taken to be so after */
	bool struck_before;   /* something outside has ended it when it was tried before */
	bool memory_ran_out;  /* and it was because of that, now */
	const char *const *ignored; /* kinds of findings that are not reported; NULL: none */
};

struct verdict {
	struct record_execution *record; /* NULL: it is no interleaving of its own */
	GPtrArray *findings;             /* struct record_finding; what ended it comes first */
	bool ended_well;                 /* whatever it did wrong on the way */
	bool starved;                    /* memory has run out, and not for the first time */
};

struct verdict *verdict_new(void);
void verdict_free(struct verdict *verdict);

/* Fills it in while the ranks are still there: the record, but for its calls, and the findings. */
void verdict_reach(struct verdict *verdict, const struct verdict_facts *facts);
/* The same for one whose plan could not be followed: it shows that the program is not reproducible.
 * */
void verdict_lost(struct verdict *verdict, const struct verdict_facts *facts);
/* Adds its calls to the record, while the ranks are still there (verdict_calls.c). */
void verdict_calls(struct verdict *verdict, const struct verdict_facts *facts);
/* Adds what is known only when every process is gone: exit codes, and what each rank has written
 * into this directory. */
void verdict_complete(struct verdict *verdict, const struct verdict_facts *facts,
                      const char *directory);

/* --- of one that goes on, too --- */

/* Where each rank is (struct record_rank); free with g_ptr_array_unref. */
GPtrArray *verdict_roll_call(const struct verdict_facts *facts);
/* Where a call of the rank is made: by its stack if that tells it, else by the address. */
struct place verdict_call_place(const struct verdict_facts *facts, int rank,
                                const struct world_call *info);
/* What can be taken at an open point: `taken` is the default, `alternatives` are the others; free
 * with record_choice_free (verdict_choices.c). */
struct record_choice *verdict_tell_open(const struct verdict_facts *facts,
                                        const struct open_choice *open);
/* The path so far; free with g_free. */
char *verdict_path(const struct verdict_facts *facts);
/* The same with all choices that were made, also those that a path need not tell: which names that
 * place alone. */
char *verdict_whole_path(const struct world *world);

#endif
