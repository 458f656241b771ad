/* Serves one page and its websocket on a loop: to this machine alone, to whoever knows the token in
 * the URL, and to no script of another page (Origin, and Host: RFC 6455 section 10.2, RFC 9110
 * section 7.2). By libwebsockets, where matchpoint was built with it (page_server_without.c: where
 * not).
 *
 * Each connected page is a reader of its owner's. It is asked what it has to say whenever the
 * connection can take something, so nothing waits in a queue. */
#ifndef MATCHPOINT_SCHEDULER_PAGE_PAGE_SERVER_H
#define MATCHPOINT_SCHEDULER_PAGE_PAGE_SERVER_H

#include <glib.h>
#include <stdbool.h>
#include <uv.h>

#define PAGE_SERVER_PAGES 8    /* connected at once */
#define PAGE_SERVER_LINE 10000 /* bytes that a page may say at once */

struct page_server;

/* Called from turns of the loop. */
struct page_server_owner {
	/* A page has connected: what stands for it in the others. */
	void *(*joined)(void *user);
	/* What to say to it; NULL: nothing now. The server's. */
	GString *(*next)(void *user, void *reader);
	/* It has said something: any bytes, `length` of them and a 0. */
	void (*said)(void *user, void *reader, const char *bytes, gsize length);
	void (*left)(void *user, void *reader);
	void *user;
};

/* `port` 0: any that is free. `page` is the document that is served (copied). NULL with `error`
 * set: the port is taken, or there is no such library. */
struct page_server *page_server_new(uv_loop_t *loop, int port, const char *page,
                                    const struct page_server_owner *owner, GError **error);
/* Lets all pages go; the loop has turns here. NULL is legal. */
void page_server_free(struct page_server *server);

/* Where the page is, with its token. */
const char *page_server_url(const struct page_server *server);
/* There is something to say: each page's reader is asked soon. */
void page_server_wake(struct page_server *server);

/* What it is made of, "libwebsockets 4.1.6"; NULL: matchpoint was built without. */
const char *page_server_library(void);

#define PAGE_SERVER_ERROR (page_server_error_quark())
GQuark page_server_error_quark(void);

#endif
