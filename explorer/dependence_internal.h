/* What dependence.c (reading a trace, messages that come late), dependence_queue.c (its queues) and
 * completion.c (requests that complete late) share. Nobody else includes it. */
#ifndef MATCHPOINT_EXPLORER_DEPENDENCE_INTERNAL_H
#define MATCHPOINT_EXPLORER_DEPENDENCE_INTERNAL_H

#include <stdbool.h>

#include "arrivals.h"
#include "dependence.h"
#include "queue_key.h"

struct queue {
	struct queue_key key;
	GArray *records; /* of guint: indices, ascending */
	GPtrArray *
		sums; /* of choice_set: [i] joins the matches of records 0 to i, all of them gone */
};

struct record {
	struct operation op;
	guint step;                  /* that brought it: its event */
	struct choice_set *issued;   /* what its issue or posting depends on */
	struct choice_set *match;    /* what its match, withdrawal or answer depends on */
	struct choice_set *decided;  /* a send, a collective: what the choice when it completes
	                                depends on */
	struct choice_set *recalled; /* a receive: what the call of MPI_Cancel depends on */
	bool is_recalled;
	bool gone; /* matched, withdrawn or answered; for a probe: it has seen its message */
	bool withdrawn;
	int choice; /* the number of the choice made at this point, or -1 */
	struct queue *queues[2];
};

struct rank {
	GArray *records; /* of guint: indices, in program order */
	struct choice_set *now;
	GPtrArray *threads; /* by thread, if asked for: each one's `now`; NULL: none yet */
};

struct dependence {
	bool by_thread; /* see dependence_of_threads */
	bool has_threads;
	struct choice_set *turns; /* by_thread: what nobody depends on */
	GArray *ranks;            /* of struct rank, as far as they occurred */
	struct trace events;      /* read; shared with the traces they were read from */
	GPtrArray *before;        /* struct choice_set: what the rank of each event depended on */
	struct chunks records;    /* of struct record */
	GArray *choices;          /* of struct taken: what each took */
	GHashTable *queues;       /* by their key */
	GArray *asked;            /* of struct asked, as in the trace */
	struct arrivals *arrivals;
};

static inline struct record *dependence_record_at(const struct dependence *dependence, guint index)
{
	return chunks_at(&dependence->records, index);
}

/* What the choice made at this point took. */
static inline const struct taken *dependence_taken(const struct dependence *dependence,
                                                   const struct record *record)
{
	return &g_array_index(dependence->choices, struct taken, record->choice);
}

/* What the matches of the records up to this place depend on; summed up before. */
static inline struct choice_set *dependence_sum_at(const struct queue *queue, guint place)
{
	return g_ptr_array_index(queue->sums, place);
}

GHashTable *dependence_queues_new(void);
struct queue *dependence_find_queue(const struct dependence *dependence, struct queue_key key);
struct queue *dependence_make_queue(struct dependence *dependence, struct queue_key key);

/* The first place in an ascending array of indices that is not below `index`. */
guint dependence_place_of(const GArray *indices, guint index);

/* Extends the running union to the first `count` records, or to the first that is not gone. */
bool dependence_sum_up(struct dependence *dependence, struct queue *queue, guint count);

/* Joins what took the records before `index` out of this queue; false: not all are gone. */
bool dependence_join_front(struct dependence *dependence, struct queue_key key, guint index,
                           struct choice_set **set);

/* The record of an operation, or NULL. */
struct record *dependence_find(const struct dependence *dependence, struct op_id id,
                               guint *ret_index);

/* Joins to *set what the completion of this operation depends on, as its rank may learn of it;
 * false: it is not complete, and nothing is joined. What is not known is complete. */
bool dependence_join_completion(const struct dependence *dependence, struct op_id id,
                                struct choice_set **set);

/* The same for all requests that an answer to this question reports. */
bool dependence_join_answer(const struct dependence *dependence, const struct record *question,
                            const struct taken *answer, struct choice_set **set);

#endif
