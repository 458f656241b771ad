/* What a page shows of a session, kept for whoever opens it, now or later: the calls of the
 * interleaving that runs, what met what, where it has stopped, what was told at the prompt.
 *
 * All of it grows by appending; each reader remembers how far it has read, and is given what has
 * come since in one message, however much that is. So a slow reader costs no memory, and one that
 * begins anew is given all there is. Pure: no I/O, no clock. The form is that of the report's
 * graphs (reports/page/data.js); reports/page/live.js reads it. */
#ifndef MATCHPOINT_SCHEDULER_PAGE_PAGE_STATE_H
#define MATCHPOINT_SCHEDULER_PAGE_PAGE_STATE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "reports/live_page.h"

#define PAGE_CALLS_MOST 500000u /* of an interleaving; later ones are counted only */
#define PAGE_TEXT_MOST 200000u  /* bytes of what was told: the last ones */

struct page_state;
struct page_reader;

struct page_state *page_state_new(int ranks);
void page_state_free(struct page_state *state); /* NULL is legal, after its readers */

/* Another interleaving begins: what was shown of the last is forgotten. */
void page_state_begin(struct page_state *state);

/* What calls have in common, each known by a number from 0. Of a stack's frame: `outer` is the one
 * it was called from, or -1; function may be NULL, if it is not known. */
int page_state_place(struct page_state *state, const char *text);
int page_state_communicator(struct page_state *state, uint64_t number, const char *name);
/* It is called so by now, if it is known: "names", the index in "communicators" and the name. */
void page_state_rename(struct page_state *state, uint64_t number, const char *name);
int page_state_frame(struct page_state *state, const char *function, int place, int outer);

struct page_shape {
	const char *name; /* of the function; interned, or for ever */
	uint64_t bytes;
	int kind;                       /* enum record_call_kind */
	int place, communicator, frame; /* -1: none; a place must be */
	int32_t peer, peer_given, tag;  /* -1: any, or none */
	int operations;
};
int page_state_shape(struct page_state *state, const struct page_shape *shape);

/* The next call of a rank. false: there are too many already. */
bool page_state_call(struct page_state *state, int rank, int shape);
/* The rank has learnt in its call `in` that what its call `call` began is complete. */
void page_state_completed(struct page_state *state, int rank, guint32 call, guint32 in);
/* A call is part of the collective of that number, from 1. */
void page_state_collective(struct page_state *state, int rank, guint32 call, guint32 collective);
void page_state_match(struct page_state *state, int rank, guint32 call, int source, guint32 sent);
/* One that was made, as JSON: an element of "choices" in page/data.js. */
void page_state_choice(struct page_state *state, const char *json);

/* As JSON, an object: what replaces what it was. "now": who waits in a call; "stop": where it has
 * stopped, or that it runs. */
void page_state_set_now(struct page_state *state, const char *json);
void page_state_set_stop(struct page_state *state, const char *json);
/* Something was told, or a line was said. */
void page_state_tell(struct page_state *state, const char *text);

struct page_reader *page_reader_new(struct page_state *state);
void page_reader_free(struct page_reader *reader); /* NULL is legal */
/* What the reader does not know yet, as one JSON object; not more than some 256 kB at a time. NULL:
 * nothing. Free with g_string_free. */
GString *page_reader_next(struct page_reader *reader);

#endif
