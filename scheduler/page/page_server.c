#include "page_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <libwebsockets.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "scheduler/tools/log.h"

#define ADDRESS "127.0.0.1"
#define PROTOCOL "matchpoint"
#define TOKEN_BYTES 16
#define CLOSING_TURNS 10     /* handles close in one turn, sockets in two */
#define SERVED_AT_ONCE 32768 /* bytes of the page in one write */

G_DEFINE_QUARK(matchpoint_page_server_error, page_server_error)

struct page_server {
	uv_loop_t *loop;
	struct page_server_owner owner;
	struct lws_context *context;
	struct lws_vhost *vhost;
	char *page, *url;
	char token[2 * TOKEN_BYTES + 1];
	int port;
	GPtrArray *pages; /* struct lws: established websockets */
};

/* libwebsockets' data of each connection. */
struct connection {
	void *reader;  /* of an established websocket */
	GString *said; /* of a websocket: a message received in part; NULL: none */
	gsize served;  /* of a page: bytes already written */
};

/* --- access ----------------------------------------------------------------------------------- */

static bool make_token(char *token)
{
	unsigned char bytes[TOKEN_BYTES];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return false;
	for (int i = 0; i < TOKEN_BYTES; i++)
		g_snprintf(token + 2 * i, 3, "%02x", bytes[i]);
	return true;
}

/* Takes the same time for every text. */
static bool is_token(const struct page_server *server, const char *text)
{
	unsigned differs = strlen(text) != 2 * TOKEN_BYTES;

	for (int i = 0; i < 2 * TOKEN_BYTES && !differs; i++)
		differs |= (unsigned)(unsigned char)(text[i] ^ server->token[i]) << 1;
	return differs == 0;
}

static char *header_of(struct lws *wsi, enum lws_token_indexes which)
{
	int length = lws_hdr_total_length(wsi, which);
	char *text = g_malloc0((gsize)length + 1);

	if (length > 0)
		lws_hdr_copy(wsi, text, length + 1, which);
	return text;
}

/* Whether the request names this page's own address. Another name that leads to this machine (DNS
 * rebinding) is refused. */
static bool is_here(const struct page_server *server, const char *host)
{
	g_autofree char *numbers = g_strdup_printf(ADDRESS ":%d", server->port);
	g_autofree char *name = g_strdup_printf("localhost:%d", server->port);

	return g_str_equal(host, numbers) || g_str_equal(host, name);
}

/* "/TOKEN/REST" */
static bool may_have(const struct page_server *server, struct lws *wsi, const char *rest)
{
	g_autofree char *host = header_of(wsi, WSI_TOKEN_HOST);
	g_autofree char *path = header_of(wsi, WSI_TOKEN_GET_URI);
	char *end = *path == '/' ? strchr(path + 1, '/') : NULL;

	if (!end || !is_here(server, host) || strcmp(end + 1, rest) != 0)
		return false;
	*end = '\0';
	return is_token(server, path + 1);
}

static bool is_own_script(const struct page_server *server, struct lws *wsi)
{
	g_autofree char *origin = header_of(wsi, WSI_TOKEN_ORIGIN);

	return g_str_has_prefix(origin, "http://") && is_here(server, origin + strlen("http://"));
}

/* --- the page --------------------------------------------------------------------------------- */

/* Returns 1, as a callback does: the answer is complete. */
static int refuse(struct lws *wsi, unsigned status)
{
	if (lws_return_http_status(wsi, status, NULL) < 0)
		return -1;
	return lws_http_transaction_completed(wsi) ? -1 : 0;
}

static int begin_page(const struct page_server *server, struct lws *wsi,
                      struct connection *connection)
{
	static const char *const headers[][2] = {{"cache-control:", "no-store"},
	                                         {"referrer-policy:", "no-referrer"},
	                                         {"x-content-type-options:", "nosniff"},
	                                         {"x-frame-options:", "DENY"}};
	unsigned char buffer[LWS_PRE + 1024], *start = buffer + LWS_PRE, *at = start;
	unsigned char *end = buffer + sizeof(buffer) - 1;

	if (!may_have(server, wsi, ""))
		return refuse(wsi, HTTP_STATUS_FORBIDDEN);
	if (lws_add_http_common_headers(wsi, HTTP_STATUS_OK, "text/html; charset=utf-8",
	                                strlen(server->page), &at, end))
		return -1;
	for (guint i = 0; i < G_N_ELEMENTS(headers); i++)
		if (lws_add_http_header_by_name(wsi, (const unsigned char *)headers[i][0],
		                                (const unsigned char *)headers[i][1],
		                                (int)strlen(headers[i][1]), &at, end))
			return -1;
	if (lws_finalize_write_http_header(wsi, start, &at, end))
		return -1;
	connection->served = 0;
	lws_callback_on_writable(wsi);
	return 0;
}

static int go_on_with_page(const struct page_server *server, struct lws *wsi,
                           struct connection *connection)
{
	g_autofree unsigned char *buffer = g_malloc(LWS_PRE + SERVED_AT_ONCE);
	gsize left = strlen(server->page + connection->served), some = MIN(left, SERVED_AT_ONCE);

	memcpy(buffer + LWS_PRE, server->page + connection->served, some);
	if (lws_write(wsi, buffer + LWS_PRE, some,
	              some == left ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP)
	    < (int)some)
		return -1;
	connection->served += some;
	if (some < left) {
		lws_callback_on_writable(wsi);
		return 0;
	}
	return lws_http_transaction_completed(wsi) ? -1 : 0;
}

/* --- its websocket ---------------------------------------------------------------------------- */

/* 0: accepted; 1: answered with an error; -1: the connection is closed. */
static int confirm(const struct page_server *server, struct lws *wsi)
{
	unsigned status = HTTP_STATUS_FORBIDDEN;

	if (may_have(server, wsi, "session") && is_own_script(server, wsi)) {
		if (server->pages->len < PAGE_SERVER_PAGES)
			return 0;
		status = HTTP_STATUS_SERVICE_UNAVAILABLE;
	}
	return lws_return_http_status(wsi, status, NULL) < 0 ? -1 : 1;
}

static int establish(struct page_server *server, struct lws *wsi, struct connection *connection)
{
	g_ptr_array_add(server->pages, wsi);
	connection->reader = server->owner.joined(server->owner.user);
	lws_callback_on_writable(wsi);
	return 0;
}

static int write_some(struct page_server *server, struct lws *wsi, struct connection *connection)
{
	g_autofree unsigned char *buffer = NULL;
	GString *text = server->owner.next(server->owner.user, connection->reader);
	gsize length = text ? text->len : 0;

	if (!text)
		return 0;
	buffer = g_malloc(LWS_PRE + length);
	memcpy(buffer + LWS_PRE, text->str, length);
	g_string_free(text, true);
	if (lws_write(wsi, buffer + LWS_PRE, length, LWS_WRITE_TEXT) < (int)length)
		return -1;
	lws_callback_on_writable(wsi); /* there may be more to send */
	return 0;
}

static int hear(struct page_server *server, struct lws *wsi, struct connection *connection,
                const char *bytes, gsize length)
{
	static unsigned char reason[] = "too long";

	if (!connection->said)
		connection->said = g_string_new(NULL);
	g_string_append_len(connection->said, bytes, (gssize)length);
	if (connection->said->len > PAGE_SERVER_LINE) {
		lws_close_reason(wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, reason,
		                 sizeof(reason) - 1);
		return -1;
	}
	if (!lws_is_final_fragment(wsi) || lws_remaining_packet_payload(wsi) > 0)
		return 0;
	server->owner.said(server->owner.user, connection->reader, connection->said->str,
	                   connection->said->len);
	g_string_truncate(connection->said, 0);
	return 0;
}

static void lose(struct page_server *server, struct lws *wsi, struct connection *connection)
{
	if (!connection->reader)
		return;
	g_ptr_array_remove(server->pages, wsi);
	server->owner.left(server->owner.user, g_steal_pointer(&connection->reader));
	if (connection->said)
		g_string_free(g_steal_pointer(&connection->said), true);
}

static int on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                    size_t length)
{
	struct lws_vhost *vhost = wsi ? lws_get_vhost(wsi) : NULL;
	struct page_server *server = vhost ? lws_vhost_user(vhost) : NULL;

	if (!server)
		return 0;
	switch (reason) {
	case LWS_CALLBACK_HTTP: return begin_page(server, wsi, user);
	case LWS_CALLBACK_HTTP_WRITEABLE: return go_on_with_page(server, wsi, user);
	case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: return confirm(server, wsi);
	case LWS_CALLBACK_ESTABLISHED: return establish(server, wsi, user);
	case LWS_CALLBACK_SERVER_WRITEABLE: return write_some(server, wsi, user);
	case LWS_CALLBACK_RECEIVE: return hear(server, wsi, user, in, length);
	case LWS_CALLBACK_CLOSED: lose(server, wsi, user); return 0;
	case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
		return g_strcmp0(lws_get_protocol(wsi)->name, PROTOCOL) == 0 ? 0 : -1;
	default: return lws_callback_http_dummy(wsi, reason, user, in, length);
	}
}

static const struct lws_protocols protocols[] = {
	{.name = "http", .callback = on_event, .per_session_data_size = sizeof(struct connection)},
	{.name = PROTOCOL,
         .callback = on_event,
         .per_session_data_size = sizeof(struct connection),
         .rx_buffer_size = 4096},
	{0},
};

/* --- the server ------------------------------------------------------------------------------- */

static void log_line(int level, const char *line)
{
	(void)level;
	log_debug(LOG_SESSION, "libwebsockets: %s", line);
}

/* libwebsockets reports only that it cannot listen; this finds the reason. */
static bool can_listen(int port, GError **error)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
	                              .sin_port = htons((uint16_t)port),
	                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int one = 1, problem = 0, file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (file < 0 || setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) != 0
	    || bind(file, (struct sockaddr *)&address, sizeof(address)) != 0
	    || listen(file, 1) != 0)
		problem = errno;
	if (file >= 0)
		close(file);
	if (problem == 0)
		return true;
	g_set_error(error, PAGE_SERVER_ERROR, 0,
	            "--web: cannot listen on port %d of " ADDRESS
	            " (%s); --web alone uses a free port",
	            port,
	            problem == EADDRINUSE ? "another process listens there" : g_strerror(problem));
	return false;
}

static bool open_context(struct page_server *server, int port, GError **error)
{
	void *loops[] = {server->loop};
	struct lws_context_creation_info info = {.port = CONTEXT_PORT_NO_LISTEN_SERVER,
	                                         .foreign_loops = loops,
	                                         .pcontext = &server->context,
	                                         .gid = (gid_t)-1,
	                                         .uid = (uid_t)-1,
	                                         .options = LWS_SERVER_OPTION_LIBUV
	                                                    | LWS_SERVER_OPTION_EXPLICIT_VHOSTS};

	lws_set_log_level(LLL_ERR | LLL_WARN, log_line);
	server->context = lws_create_context(&info);
	if (!server->context) {
		g_set_error_literal(error, PAGE_SERVER_ERROR, 0,
		                    "--web: libwebsockets does not start with libuv (Debian: "
		                    "libwebsockets-evlib-uv)");
		return false;
	}
	info.port = port;
	info.iface = ADDRESS;
	info.protocols = protocols;
	info.vhost_name = "page";
	info.user = server;
	info.options |= LWS_SERVER_OPTION_DISABLE_IPV6 | LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND;
	server->vhost = lws_create_vhost(server->context, &info);
	if (server->vhost)
		return true;
	g_set_error(error, PAGE_SERVER_ERROR, 0, "--web: cannot listen on port %d of " ADDRESS,
	            port);
	return false;
}

struct page_server *page_server_new(uv_loop_t *loop, int port, const char *page,
                                    const struct page_server_owner *owner, GError **error)
{
	struct page_server *server = g_new0(struct page_server, 1);

	server->loop = loop;
	server->owner = *owner;
	server->page = g_strdup(page);
	server->pages = g_ptr_array_new();
	if (!make_token(server->token))
		g_set_error(error, PAGE_SERVER_ERROR, 0, "--web: no random numbers: %s",
		            g_strerror(errno));
	else if (can_listen(port, error) && open_context(server, port, error)) {
		server->port = lws_get_vhost_listen_port(server->vhost);
		server->url = g_strdup_printf("http://" ADDRESS ":%d/%s/", server->port,
		                              server->token);
		return server;
	}
	page_server_free(server);
	return NULL;
}

/* Handles are closed in turns of the loop. Some versions of the library free the context then (and
 * set it to NULL: pcontext); others need a second call. */
static void close_context(struct page_server *server)
{
	lws_context_destroy(server->context);
	for (int i = 0; i < CLOSING_TURNS && server->context; i++)
		uv_run(server->loop, UV_RUN_NOWAIT);
	if (server->context)
		lws_context_destroy(server->context);
}

void page_server_free(struct page_server *server)
{
	if (!server)
		return;
	if (server->context)
		close_context(server);
	g_ptr_array_unref(server->pages);
	g_free(server->page);
	g_free(server->url);
	g_free(server);
}

const char *page_server_url(const struct page_server *server)
{
	return server->url;
}

void page_server_wake(struct page_server *server)
{
	for (guint i = 0; i < server->pages->len; i++)
		lws_callback_on_writable(server->pages->pdata[i]);
}

const char *page_server_library(void)
{
	return "libwebsockets " G_STRINGIFY(LWS_LIBRARY_VERSION_MAJOR) "." G_STRINGIFY(
		LWS_LIBRARY_VERSION_MINOR) "." G_STRINGIFY(LWS_LIBRARY_VERSION_PATCH);
}
