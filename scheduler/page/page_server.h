/* Serves one page and its websocket on a loop. Only this machine can connect, with the token in the
 * URL, and no script of another page (Origin, and Host: RFC 6455 section 10.2, RFC 9110 section
 * 7.2). Uses libwebsockets; page_server_without.c replaces it in a build without.
 *
 * Each connected page has a reader of its owner's. The server asks the reader for the next text
 * whenever the connection can take one, so that no queue grows. */
#ifndef MATCHPOINT_SCHEDULER_PAGE_PAGE_SERVER_H
#define MATCHPOINT_SCHEDULER_PAGE_PAGE_SERVER_H

#include <glib.h>
#include <stdbool.h>
#include <uv.h>

#define PAGE_SERVER_PAGES 8    /* connected at the same time */
#define PAGE_SERVER_LINE 10000 /* bytes of one message from a page */

struct page_server;

/* Callbacks, from turns of the loop. */
struct page_server_owner {
	/* A page has connected. Returns its reader. */
	void *(*joined)(void *user);
	/* The next text for the page; NULL: none now. The server frees it. */
	GString *(*next)(void *user, void *reader);
	/* A message from the page: `length` bytes of any value, and a 0 after them. */
	void (*said)(void *user, void *reader, const char *bytes, gsize length);
	void (*left)(void *user, void *reader);
	void *user;
};

/* `port` 0: any free port. `page`: the document to serve (copied). Returns NULL with `error` set:
 * the port is taken, or the build has no libwebsockets. */
struct page_server *page_server_new(uv_loop_t *loop, int port, const char *page,
                                    const struct page_server_owner *owner, GError **error);
/* Disconnects all pages; runs turns of the loop. NULL is legal. */
void page_server_free(struct page_server *server);

/* The page's address, with its token. */
const char *page_server_url(const struct page_server *server);
/* There is new text: each page's reader is asked soon. */
void page_server_wake(struct page_server *server);

/* The library's name and version, as "libwebsockets 4.1.6"; NULL: built without. */
const char *page_server_library(void);

#define PAGE_SERVER_ERROR (page_server_error_quark())
GQuark page_server_error_quark(void);

#endif
