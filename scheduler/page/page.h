/* A session in a browser. Pages show and accept the same lines as the prompt. The page that
 * connected first gives lines; the others only watch, until it disconnects. */
#ifndef MATCHPOINT_SCHEDULER_PAGE_PAGE_H
#define MATCHPOINT_SCHEDULER_PAGE_PAGE_H

#include "page_state.h"
#include "scheduler/verdict/verdict.h"

#include <uv.h>

struct page;

/* Callbacks, from turns of the loop. They may call page_follow and the like. */
struct page_owner {
	/* A line for the prompt; the owner frees it with g_free. */
	void (*said)(void *user, char *line);
	/* A page asks to stop the ranks. */
	void (*interrupted)(void *user);
	/* A page watches: the owner should follow what the ranks have done. */
	void (*look)(void *user);
	/* The contents of the messages that a rank's call sends or has received, as text; NULL: not
	 * known. Free with g_free. */
	char *(*contents)(void *user, int rank, guint32 call);
	void *user;
};

struct page_request {
	int port; /* 0: any */
	int ranks;
	const char *title; /* name of the program */
};

/* Returns NULL with `error` set: see page_server.h. */
struct page *page_new(uv_loop_t *loop, const struct page_request *request,
                      const struct page_owner *owner, GError **error);
void page_free(struct page *page); /* Runs turns of the loop. NULL is legal. */

const char *page_url(const struct page *page);

/* See page_graph_follow. */
void page_follow(struct page *page, guint32 number, const struct verdict_facts *facts,
                 const GPtrArray *stacks, const GPtrArray *roll_call);
/* Shows where the session has stopped, as JSON (page_state_set_stop), at once. From now on, lines
 * for the stop before are refused. */
void page_stop(struct page *page, const char *json);
/* The stop's number, for that JSON; 0: the session runs. */
guint32 page_next_stop(const struct page *page);
void page_tell(struct page *page, const char *text);

#endif
