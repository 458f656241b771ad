/* What happened in one world so far: the events from which the search tells what depends on what.
 *
 * Events of one rank stand in its program order, operations with ascending ids; an event stands
 * behind everything it follows from (a match behind its send and its receive). The order among
 * ranks is otherwise without meaning: the same node reached again may list the same events in
 * another order. */
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
	EVENT_TAKEN,  /* rank op.id.rank learnt that the message of its own send op.id is matched */
	EVENT_CANCEL, /* the unmatched operation op.id was withdrawn by its rank */
	EVENT_ASK,    /* the call op.id asks about the requests asked[asked_first ...] */
	EVENT_RECALL, /* the rank wants to cancel its receive op.id: MPI_Cancel was called */
	EVENT_ANSWER, /* at op.id `answer` was taken, which is no message */
	EVENT_ARRIVE, /* rank op.id.rank entered the collective `collective` */
	EVENT_REPEAT, /* the answer "no" at op.id has led its rank back to the same question, with
	                   nothing in between: whatever could be answered at op.id can be answered
	                   again. `chosen`: for the first time at that place in the program */
	EVENT_LEAVE,  /* rank op.id.rank learnt that its part of `collective` is complete */
	EVENT_WAKE,   /* a thread makes the call op.id that was not in MPI when all else stood still
	                   before: another one of its rank may have woken it, or made it */
};

/* Which arrivals a rank that leaves a collective has waited for (MPI 3.1, chapter 5). */
enum event_order {
	ORDER_NONE,  /* none but its own: a contributor leaving Reduce, the root leaving Bcast */
	ORDER_ROOT,  /* the root's: leaving Bcast or Scatter elsewhere */
	ORDER_ALL,   /* every member's: Barrier, Allreduce, ...; the root of Reduce or Gather */
	ORDER_LOWER, /* those of lower rank in the communicator: Scan, Exscan */
};

/* What a request asked about is made of; one of two joined operations has an entry each. */
struct asked {
	struct op_id id; /* call ASKED_NEVER: what only the rank itself could still complete */
	uint32_t index;  /* of the request among those asked about */
};

#define ASKED_NEVER UINT32_MAX

#define EVENT_THREADS UINT8_MAX

/* There may be millions: what only some kinds say shares its place. */
struct event {
	enum event_kind kind : 8;
	enum event_order order : 8; /* ARRIVE, LEAVE */
	bool chosen;    /* MATCH: by the search (a wildcard's), not by the matching rules */
	uint8_t thread; /* of its rank, that did so; from EVENT_THREADS on as one. MATCH, REPEAT, a
	                   lock, whose turn it is: 0 */
	struct operation op; /* SEND, RECEIVE: all of it; otherwise op.id alone */
	union {
		struct {
			union {
				/* MATCH: the send; COMPLETE, LEAVE: the call that learnt of it (no
				 * part of what the event says: event_equal ignores it). */
				struct op_id other;
				/* ARRIVE: world rank of the root, or -1; the rank's place in the
				 * communicator, from 0; how many that has. */
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
		/* ASK: entries, and the first of them; their hash is set by trace_append_ask. */
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
	struct asked *asked; /* of all EVENT_ASK, in their order */
	size_t asked_count;
	size_t asked_capacity;
};

/* How many events it has. */
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
/* EVENT_ASK of the call `id`, made by a thread, about these; copied. */
void trace_append_ask(struct trace *trace, struct op_id id, uint8_t thread,
                      const struct asked *asked, uint32_t count);
/* `to` becomes a copy of `from`; what it held is released. Events are shared. */
void trace_copy(struct trace *to, const struct trace *from);

/* Keeps the first `count` events alone. What EVENT_ASKs asked about stays. */
void trace_cut(struct trace *trace, size_t count);

/* `to`, whose events say what those say that `from` begins with, becomes as long as that, and
 * shares what is new. What EVENT_ASKs ask about is not copied. */
void trace_follow(struct trace *to, const struct trace *from);

/* With how many events that say the same both begin. */
size_t trace_common(const struct trace *one, const struct trace *other);

/* Whether two events say the same; fields without meaning for their kind are not compared. */
bool event_equal(const struct event *a, const struct event *b);

#endif
