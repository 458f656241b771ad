/* Shared by dependence.c (reading a trace), dependence_queue.c (queues), dependence_late.c
 * (messages that come later) and completion.c (requests that complete later). No other file
 * includes it. */
#ifndef MATCHPOINT_EXPLORER_DEPENDENCE_INTERNAL_H
#define MATCHPOINT_EXPLORER_DEPENDENCE_INTERNAL_H

#include <stdbool.h>

#include "arrivals.h"
#include "dependence.h"
#include "queue_key.h"

struct queue {
	struct queue_key key;
	GArray *records; /* guint: indices of records, ascending */
	GPtrArray *
		/* struct choice_set: [i] is the union for records 0 to i, all gone */
		sums;
};

struct record {
	struct operation op;
	guint step;                /* index of the event that added it */
	struct choice_set *issued; /* what its issue or posting depends on */
	struct choice_set *match;  /* what its match, withdrawal or answer depends on */
	/* send, collective: what the choice of early or late depends on */
	struct choice_set *decided;
	/* send whose message a matched probe took: what its MPI_Mrecv depends on */
	struct choice_set *fetch;
	bool is_probed, is_fetched;
	struct choice_set *recalled; /* receive: what the call of MPI_Cancel depends on */
	bool is_recalled;
	bool gone; /* matched, withdrawn or answered; a probe: it has seen its message */
	bool withdrawn;
	int choice; /* the number of the choice made at this point, or -1 */
	struct queue *queues[2];
};

struct rank {
	GArray *records; /* guint: indices of records, in program order */
	struct choice_set *now;
	/* struct choice_set: `now` of each thread, with by_thread; NULL: none yet */
	GPtrArray *threads;
};

struct dependence {
	bool by_thread; /* see dependence_of_threads */
	bool has_threads;
	struct choice_set *turns; /* by_thread: what scheduling depends on; nothing depends on it */
	GArray *ranks;            /* struct rank, up to the highest that occurred */
	GArray *words;            /* struct rank of words of windows (lock.h) */
	GHashTable *word_places;  /* their places in `words`, from 1, by number */
	struct trace events;      /* read; shared with the traces they were read from */
	/* struct choice_set: what the rank of each event depended on before it */
	GPtrArray *before;
	struct chunks records; /* struct record */
	GArray *choices;       /* struct taken: what each choice took */
	GHashTable *queues;    /* by their key */
	GArray *asked;         /* struct asked, as in the trace */
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

/* What the matches of the records up to this place depend on. dependence_sum_up must have reached
 * it. */
static inline struct choice_set *dependence_sum_at(const struct queue *queue, guint place)
{
	return g_ptr_array_index(queue->sums, place);
}

GHashTable *dependence_queues_new(void);
struct queue *dependence_find_queue(const struct dependence *dependence, struct queue_key key);
struct queue *dependence_make_queue(struct dependence *dependence, struct queue_key key);

/* The first place in an ascending array of indices whose index is not below `index`. */
guint dependence_place_of(const GArray *indices, guint index);

/* Extends the running union to the first `count` records. False: it stopped at a record that is not
 * gone. */
bool dependence_sum_up(struct dependence *dependence, struct queue *queue, guint count);

/* Adds what the matches of the records before `index` depend on. False: not all are gone, and
 * nothing is added. */
bool dependence_join_front(struct dependence *dependence, struct queue_key key, guint index,
                           struct choice_set **set);

/* Adds what had to happen before rule 2 (MPI 3.1, section 3.5) let the receive at `index` take this
 * message. False: the rule does not allow it yet. */
bool dependence_join_receives(struct dependence *dependence, guint index,
                              const struct operation *send, struct choice_set **set);

/* The key of the messages of this source that fit a receive. */
static inline struct queue_key dependence_messages_for(const struct operation *receive,
                                                       int32_t source)
{
	return (struct queue_key){receive->id.rank, source, receive->tag, true, receive->comm};
}

/* The tables of ranks and words (dependence_ranks.c). */
void dependence_ranks_init(struct dependence *dependence);
void dependence_ranks_release(struct dependence *dependence);

/* The state of a rank, valid until another rank is asked for; dependence_known_rank: NULL if it has
 * not occurred. */
struct rank *dependence_rank_of(struct dependence *dependence, int32_t rank);
struct rank *dependence_known_rank(const struct dependence *dependence, int32_t rank);

/* The record of an operation, or NULL. */
struct record *dependence_find(const struct dependence *dependence, struct op_id id,
                               guint *ret_index);

/* The record of the poll to which this answer at the point of `record` is given: itself, or a later
 * one of its loop; NULL: there is none. */
struct record *dependence_later(const struct dependence *dependence, struct record *record,
                                const struct taken *answer);

/* Adds to *set what the completion of this operation depends on, as its rank may learn of it.
 * False: it is not complete, and nothing is added. An unknown operation counts as complete. */
bool dependence_join_completion(const struct dependence *dependence, struct op_id id,
                                struct choice_set **set);

/* The same for all requests that this answer to the question reports. */
bool dependence_join_answer(const struct dependence *dependence, const struct record *question,
                            const struct taken *answer, struct choice_set **set);

#endif
