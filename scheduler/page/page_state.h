/* The state of a session that pages show: the calls of the current interleaving, matches, the stop,
 * and the prompt's text. It is kept for pages that connect later.
 *
 * All data grows by appending. Each reader remembers how far it has read, and receives everything
 * since then in one message. So a slow reader costs no memory, and a new reader receives
 * everything. Pure: no I/O, no clock. The form is that of the report's graphs
 * (reports/page/data.js); reports/page/live.js reads it. */
#ifndef MATCHPOINT_SCHEDULER_PAGE_PAGE_STATE_H
#define MATCHPOINT_SCHEDULER_PAGE_PAGE_STATE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "reports/live_page.h"

#define PAGE_CALLS_MOST 500000u /* of an interleaving; later ones are only counted */
#define PAGE_TEXT_MOST 200000u  /* bytes of the prompt's text, the last ones */

struct page_state;
struct page_reader;

struct page_state *page_state_new(int ranks);
void page_state_free(
	struct page_state *state); /* Call it after its readers are freed. NULL is legal. */

/* Begins another interleaving; what was shown of the last is dropped. */
void page_state_begin(struct page_state *state);

/* Data that calls share; each value has a number from 0. In a frame, `outer` is the frame that
 * called it, or -1; the function may be NULL if not known. */
int page_state_place(struct page_state *state, const char *text);
int page_state_communicator(struct page_state *state, uint64_t number, const char *name);
/* Renames a known communicator: "names", with its index in "communicators" and the name. */
void page_state_rename(struct page_state *state, uint64_t number, const char *name);
int page_state_frame(struct page_state *state, const char *function, int place, int outer);

struct page_shape {
	const char *name;          /* of the function; interned or static */
	struct json_shape numbers; /* `name` is ignored; -1: no communicator, frame, peer or tag */
};
int page_state_shape(struct page_state *state, const struct page_shape *shape);

/* Adds the next call of a rank. Returns false if there are too many calls. */
bool page_state_call(struct page_state *state, int rank, int shape);
/* In its call `in` the rank has learnt that the operation of its call `call` is complete. */
void page_state_completed(struct page_state *state, int rank, guint32 call, guint32 in);
/* Adds a call to the collective of this number, from 1. */
void page_state_collective(struct page_state *state, int rank, guint32 call, guint32 collective);
void page_state_match(struct page_state *state, int rank, guint32 call, int source, guint32 sent);
/* The call has returned this index of a request, or an enum of reports/json_text.h. */
void page_state_index(struct page_state *state, int rank, guint32 call, gint32 index);
/* Adds a choice that was made, as JSON: an element of "choices" in page/data.js. */
void page_state_choice(struct page_state *state, const char *json);

/* Each replaces a value, a JSON object. "now": the calls that ranks wait in. "stop": where the
 * session has stopped, or that it runs. */
void page_state_set_now(struct page_state *state, const char *json);
void page_state_set_stop(struct page_state *state, const char *json);
/* Appends a text of the prompt, or a line that was given. */
void page_state_tell(struct page_state *state, const char *text);

struct page_reader *page_reader_new(struct page_state *state);
void page_reader_free(struct page_reader *reader); /* NULL is legal */
/* What the reader has not received, as one JSON object of at most about 256 kB. NULL: nothing. Free
 * with g_string_free. */
GString *page_reader_next(struct page_reader *reader);

#endif
