/* A session in a browser: the same lines as at the prompt, and what comes of them, for all pages
 * that have connected. One of them says lines; the others watch until it goes away. */
#ifndef MATCHPOINT_SCHEDULER_PAGE_PAGE_H
#define MATCHPOINT_SCHEDULER_PAGE_PAGE_H

#include "page_state.h"
#include "scheduler/verdict/verdict.h"

#include <uv.h>

struct page;

/* Called from turns of the loop; what they are told may be answered by page_follow and the like. */
struct page_owner {
	/* A line, to be said at the prompt; the owner's. */
	void (*said)(void *user, char *line);
	/* Somebody wants the ranks to be stopped. */
	void (*interrupted)(void *user);
	/* Somebody looks on: what the ranks have done since is to be followed. */
	void (*look)(void *user);
	/* What is in the messages that a rank's call sends or has received, in words; NULL: it is
	 * not known. Free with g_free. */
	char *(*contents)(void *user, int rank, guint32 call);
	void *user;
};

struct page_request {
	int port; /* 0: any */
	int ranks;
	const char *title; /* what runs */
};

/* NULL with `error` set: see page_server.h. */
struct page *page_new(uv_loop_t *loop, const struct page_request *request,
                      const struct page_owner *owner, GError **error);
void page_free(struct page *page); /* NULL is legal; the loop has turns here */

const char *page_url(const struct page *page);

/* See page_graph_follow. */
void page_follow(struct page *page, guint32 number, const struct verdict_facts *facts,
                 const GPtrArray *stacks, const GPtrArray *roll_call);
/* Where it has stopped, as JSON (page_state_set_stop), to be shown at once. What pages say of the
 * stop before from now on comes too late. */
void page_stop(struct page *page, const char *json);
/* Its number, for that JSON; 0: it runs. */
guint32 page_next_stop(const struct page *page);
void page_tell(struct page *page, const char *text);

#endif
