/* Replaces page_server.c in a build without libwebsockets. */
#include "page_server.h"

G_DEFINE_QUARK(matchpoint_page_server_error, page_server_error)

struct page_server *page_server_new(uv_loop_t *loop, int port, const char *page,
                                    const struct page_server_owner *owner, GError **error)
{
	(void)loop;
	(void)port;
	(void)page;
	(void)owner;
	g_set_error_literal(
		error, PAGE_SERVER_ERROR, 0,
		"--web: this matchpoint was built without libwebsockets (install libwebsockets-dev "
		"and libwebsockets-evlib-uv on Debian, and build again)");
	return NULL;
}

void page_server_free(struct page_server *server)
{
	(void)server;
}

const char *page_server_url(const struct page_server *server)
{
	(void)server;
	return "";
}

void page_server_wake(struct page_server *server)
{
	(void)server;
}

const char *page_server_library(void)
{
	return NULL;
}
