/* What happened in one world so far: the events from which the search computes what depends on
 * what.
 *
 * Events of one rank are in its program order, operations with ascending ids. An event comes after
 * everything it follows from (a match after its send and its receive). Otherwise the order among
 * ranks has no meaning: when the same node is reached again, the same events may be in another
 * order. */
#ifndef MATCHPOINT_EXPLORER_TRACE_H
#define MATCHPOINT_EXPLORER_TRACE_H

#include <stdbool.h>
#include <stddef.h>

#include "choice.h"
#include "chunks.h"

enum event_kind {
	EVENT_SEND,     /* op.id.rank issued the send `op` */
	EVENT_RECEIVE,  /* op.id.rank posted the receive, probe or mprobe `op` */
	EVENT_MATCH,    /* the receive (probe, mprobe) `op.id` took (saw) the send `other` */
	EVENT_COMPLETE, /* rank op.id.rank learnt that its own operation op.id is complete */
	EVENT_FETCH,    /* the call op.id begins to receive the message of the send `other`, which
	                   a matched probe took before (MPI_Mrecv) */
	EVENT_TAKEN,    /* rank op.id.rank learnt that the message of its own send op.id is received
	                 */
	EVENT_CANCEL,   /* the unmatched operation op.id was withdrawn by its rank */
	EVENT_ASK,      /* the call op.id asks about the requests asked[asked_first ...] */
	EVENT_RECALL,   /* the rank called MPI_Cancel for its receive op.id */
	EVENT_ANSWER,   /* `answer` was taken at op.id; a message only if it comes ahead */
	EVENT_ARRIVE,   /* rank op.id.rank entered the collective `collective` */
	/* after the answer "no" at op.id its rank asks the same question again, with nothing in
	 * between: all answers possible at op.id are possible again. `chosen`: for the first time
	 * at that place in the program */
	EVENT_REPEAT,
	/* what a poll will ask that comes later in the loop of polls in which op.id.call is; its
	 * `sub` is OPERATION_LATER plus the number of calls until then. Of kind OPERATION_PROBE, or
	 * OPERATION_QUESTION about asked[asked_first ...] */
	EVENT_LATER,
	EVENT_LEAVE, /* rank op.id.rank learnt that its part of `collective` is complete */
	/* a thread makes the call op.id that was not in MPI at the last rest: another thread of its
	 * rank may have woken or created it */
	EVENT_WAKE,
};

/* The arrivals that a rank has waited for when it leaves a collective (MPI 3.1, chapter 5). */
enum event_order {
	ORDER_NONE,  /* only its own: a contributor leaving Reduce, the root leaving Bcast */
	ORDER_ROOT,  /* the root's: leaving Bcast or Scatter elsewhere */
	ORDER_ALL,   /* every member's: Barrier, Allreduce, ...; the root of Reduce or Gather */
	ORDER_LOWER, /* those of lower rank in the communicator: Scan, Exscan */
};

/* An operation of a request that a question asks about. A request of two joined operations has an
 * entry for each. */
struct asked {
	/* call ASKED_NEVER: something that only the rank itself could still complete */
	struct op_id id;
	uint32_t index; /* index of the request in the question */
};

#define ASKED_NEVER UINT32_MAX

#define EVENT_THREADS UINT8_MAX

/* There may be millions of events: members of different kinds share their place. */
struct event {
	enum event_kind kind : 8;
	enum event_order order : 8; /* ARRIVE, LEAVE */
	bool chosen; /* MATCH: chosen by the search (a wildcard), not by the matching rules */
	/* thread of the rank; threads from EVENT_THREADS on count as one. MATCH, REPEAT, locks,
	 * turns: 0 */
	uint8_t thread;
	struct operation op; /* SEND, RECEIVE, LATER: complete; otherwise only op.id */
	union {
		struct {
			union {
				/* MATCH, FETCH: the send; COMPLETE, LEAVE: the call that learnt
				 * of it (ignored by event_equal). */
				struct op_id other;
				/* ARRIVE: world rank of the root, or -1; the rank's place in the
				 * communicator, from 0; number of members. */
				struct {
					int32_t root;
					int32_t position;
					int32_t members;
				};
			};
			/* ARRIVE, LEAVE: number of this instance within the world. */
			uint64_t collective;
		};
		/* ANSWER */
		struct taken answer;
		/* ASK, LATER: number of entries, and index of the first; their hash is set by
		 * trace_append_ask. */
		struct {
			uint32_t asked_count;
			uint32_t asked_first;
			uint64_t asked_hash;
		};
	};
};

/* Copies share the events; see chunks.h. */
struct trace {
	struct chunks events;
	struct asked *asked; /* entries of all EVENT_ASK, in order */
	size_t asked_count;
	size_t asked_capacity;
};

/* The number of events. */
static inline size_t trace_count(const struct trace *trace)
{
	return trace->events.count;
}

/* Valid until something is appended. */
static inline const struct event *trace_at(const struct trace *trace, size_t index)
{
	return chunks_at(&trace->events, index);
}

void trace_init(struct trace *trace);
void trace_release(struct trace *trace);
void trace_append(struct trace *trace, const struct event *event);
/* Appends an EVENT_ASK of the call `id`, made by a thread. The entries are copied. */
void trace_append_ask(struct trace *trace, struct op_id id, uint8_t thread,
                      const struct asked *asked, uint32_t count);
/* Appends an EVENT_LATER that is a question. */
void trace_append_later(struct trace *trace, struct op_id id, const struct asked *asked,
                        uint32_t count);
/* `to` becomes a copy of `from`; its old content is released. The copies share the events. */
void trace_copy(struct trace *to, const struct trace *from);

/* Keeps only the first `count` events. The entries of EVENT_ASK stay. */
void trace_cut(struct trace *trace, size_t count);

/* Makes `to` as long as `from`, whose beginning equals `to`; new events are shared. The entries of
 * EVENT_ASK are not copied. */
void trace_follow(struct trace *to, const struct trace *from);

/* The length of the common prefix of equal events. */
size_t trace_common(const struct trace *one, const struct trace *other);

/* Whether two events are equal. Members without meaning for their kind are not compared. */
bool event_equal(const struct event *a, const struct event *b);

#endif
