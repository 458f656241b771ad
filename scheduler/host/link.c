#include "link.h"

#include <string.h>
#include <sys/ioctl.h>

#include "peer.h"
#include "ring_reader.h"
#include "run_directory.h"
#include "scheduler/tools/log.h"

#define READ_SIZE (64 * 1024)
#define RING_PIECE 4096 /* bytes: then it is the next rank's turn */
#define LOOK_AGAIN_MS 1 /* after something was in a ring */

struct link {
	struct host_link base;
	uv_pipe_t pipe;
	struct link_server *server;
	const struct link_carrier *carrier; /* NULL: the pipe */
	void *carried;
	bool known;                  /* its process is one of the run's */
	GByteArray *received;        /* bytes of an incomplete frame: from the socket; */
	GByteArray *written;         /* from the ring */
	struct wire_buffer outgoing; /* not written yet */
	struct ring_reader *ring;    /* NULL: none */
	guint64 heard;               /* bytes of the socket, without BELL */
	bool closing;
};

struct link_server {
	struct link_options options;
	uv_pipe_t pipe;
	uv_prepare_t waiting;  /* runs before the loop waits */
	uv_check_t woken;      /* runs after it has waited */
	uv_timer_t look_again; /* into the rings */
	int open;              /* of these handles */
	GHashTable *links;     /* the open ones */
	GPtrArray *unflushed;  /* links with something to write */
	GPtrArray *rings;      /* open links with a ring */
	bool found;            /* something in a ring, since `look_again` was started */
};

struct pending_write {
	uv_write_t request;
	guint8 bytes[];
};

static char read_area[READ_SIZE]; /* one loop, one thread: a read is consumed before the next */

static void on_link_freed(uv_handle_t *handle)
{
	struct link *link = handle->data;

	g_byte_array_unref(link->received);
	g_byte_array_unref(link->written);
	wire_buffer_release(&link->outgoing);
	ring_reader_free(link->ring);
	g_free(link);
}

static void on_written(uv_write_t *request, int status)
{
	(void)status; /* the reader notices a broken connection */
	g_free(request->data);
}

static void flush(struct link *link)
{
	struct wire_buffer *out = &link->outgoing;
	gsize count = out->count;
	struct pending_write *pending;
	uv_buf_t buffer = uv_buf_init((char *)out->bytes, (unsigned)count);
	int written;

	out->count = 0;
	if (count == 0)
		return;
	if (link->carrier) {
		link->carrier->write(link->carried, out->bytes, count);
		return;
	}
	written = uv_try_write((uv_stream_t *)&link->pipe, &buffer, 1);
	if (written == (int)count)
		return;
	if (written < 0 && written != UV_EAGAIN)
		return; /* as above */
	if (written < 0)
		written = 0;
	pending = g_malloc(sizeof(*pending) + count - (gsize)written);
	pending->request.data = pending;
	memcpy(pending->bytes, out->bytes + written, count - (gsize)written);
	buffer = uv_buf_init((char *)pending->bytes, (unsigned)(count - (gsize)written));
	if (uv_write(&pending->request, (uv_stream_t *)&link->pipe, &buffer, 1, on_written) != 0)
		g_free(pending);
}

/* Writes the queued messages of all links. So each rank wakes once for all that is sent between
 * two iterations of the loop, such as the orders that one call causes. */
static void flush_all(struct link_server *server)
{
	for (guint i = 0; i < server->unflushed->len; i++)
		flush(server->unflushed->pdata[i]);
	g_ptr_array_set_size(server->unflushed, 0);
}

void link_close(struct host_link *base)
{
	struct link *link = (struct link *)base;

	if (link->closing)
		return;
	if (g_ptr_array_remove_fast(link->server->unflushed, link))
		flush(link);
	link->closing = true;
	g_hash_table_remove(link->server->links, link);
	g_ptr_array_remove_fast(link->server->rings, link);
	if (link->carrier)
		link->carrier->close(g_steal_pointer(&link->carried));
	uv_close((uv_handle_t *)&link->pipe, on_link_freed);
}

static void fail(struct link *link, const char *why)
{
	if (link->closing)
		return;
	link->server->options.listener->closed(&link->base, why);
	link_close(&link->base);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
	(void)handle;
	(void)suggested;
	*buffer = uv_buf_init(read_area, READ_SIZE);
}

/* Closes the connection of a process that does not belong to the run. */
static bool is_known(struct link *link)
{
	if (!link->known
	    && !peer_belongs(peer_of(link_socket(&link->base)), link->server->options.directory)) {
		log_debug(LOG_RANKS, "a process that does not belong to the run has connected");
		link_close(&link->base);
		return false;
	}
	link->known = true;
	return true;
}

/* Messages about the ring concern nobody else. Returns whether this is one. */
static bool take_ring(struct link *link, const struct wire_message *message)
{
	if (message->type == WIRE_RING && !link->ring && !link->carrier) {
		link->ring = ring_reader_new(peer_of(link_socket(&link->base)), &message->ring);
		if (link->ring)
			g_ptr_array_add(link->server->rings, link);
	}
	return message->type == WIRE_RING || message->type == WIRE_BELL;
}

/* Delivers all whole frames in `bytes`. Returns how many bytes they took, or -1; adds those of all
 * but BELL to *heard. */
static gssize dispatch(struct link *link, const guint8 *bytes, gsize count, guint64 *heard)
{
	gsize used = 0;

	while (!link->closing && is_known(link)) {
		struct wire_message message;
		long length = wire_frame_length(bytes + used, count - used);

		if (length < 0)
			return -1;
		if (length == 0)
			break;
		if (wire_decode(bytes + used, (size_t)length, &message) != 0)
			return -1;
		used += (gsize)length;
		*heard += message.type == WIRE_BELL ? 0 : (gsize)length;
		if (link->carrier)
			link->carrier->arrive(link->carried, &message);
		if (!take_ring(link, &message))
			link->server->options.listener->message(&link->base, &message);
		wire_message_release(&message);
	}
	return (gssize)used;
}

/* `before`: the incomplete frame before these bytes. */
static void receive(struct link *link, GByteArray *before, const guint8 *bytes, gsize count)
{
	struct link_server *server = link->server;
	guint64 heard = 0;
	gssize used;

	if (before->len == 0) {
		used = dispatch(link, bytes, count, &heard);
		if (used >= 0 && (gsize)used < count)
			g_byte_array_append(before, bytes + used, (guint)(count - (gsize)used));
	} else {
		g_byte_array_append(before, bytes, (guint)count);
		used = dispatch(link, before->data, before->len, &heard);
		if (used > 0)
			g_byte_array_remove_range(before, 0, (guint)used);
	}
	if (before == link->received) {
		link->heard += heard;
		if (link->ring)
			ring_reader_hear(link->ring, link->heard);
	}
	flush_all(server);
	if (used < 0)
		fail(link, "a message that cannot be understood");
}

/* --- rings ------------------------------------------------------------------------------------ */

static struct ring_reader *ring_at(const struct link_server *server, guint index)
{
	return ((const struct link *)server->rings->pdata[index])->ring;
}

/* Delivers a piece of what the rank has written. Returns whether there was anything. */
static bool read_ring(struct link *link)
{
	guint8 piece[RING_PIECE];
	gssize count = ring_reader_take(link->ring, piece, sizeof(piece));

	if (count < 0)
		fail(link, "reports that cannot be understood");
	else if (count > 0)
		receive(link, link->written, piece, (gsize)count);
	return count > 0;
}

/* Ranks may go on writing meanwhile: there is an end to it all the same. */
static void read_rings(struct link_server *server)
{
	enum { ROUNDS = REPORT_RING_ROOM / RING_PIECE };
	bool any = true;

	for (int round = 0; any && round < ROUNDS; round++) {
		any = false;
		for (guint i = 0; i < server->rings->len; i++)
			any |= read_ring(server->rings->pdata[i]);
		server->found |= any;
	}
}

/* Delivers everything that is in the ring now. */
static void read_whole_ring(struct link *link)
{
	guint64 until = link->ring ? ring_reader_unread(link->ring) : 0;

	link->server->found |= until > 0;
	for (guint64 read = 0; read < until && !link->closing; read += RING_PIECE)
		read_ring(link);
}

static void on_woken(uv_check_t *woken)
{
	struct link_server *server = woken->data;

	for (guint i = 0; i < server->rings->len; i++)
		ring_reader_wake(ring_at(server, i), REPORT_RING_AWAKE);
	read_rings(server);
}

static void on_look_again(uv_timer_t *timer)
{
	(void)timer; /* the loop has been woken, and reads all rings */
}

/* Whether a rank has written something, or will wake the loop when it does. While one waits, all
 * do. Otherwise they need not as long as the loop will look again by itself. */
static void prepare_rings(struct link_server *server)
{
	bool waits = false, unread = false;

	for (guint i = 0; i < server->rings->len; i++)
		waits |= ring_reader_waits(ring_at(server, i));
	if (server->found)
		uv_timer_start(&server->look_again, on_look_again, LOOK_AGAIN_MS, 0);
	server->found = false;
	for (guint i = 0; i < server->rings->len; i++) {
		struct ring_reader *ring = ring_at(server, i);

		ring_reader_wake(ring, waits || !uv_is_active((uv_handle_t *)&server->look_again)
		                               ? REPORT_RING_ALWAYS
		                               : REPORT_RING_IF_WAITS);
		unread |= ring_reader_unread(ring) > 0;
	}
	if (unread)
		uv_timer_start(&server->look_again, on_look_again, 0, 0);
}

/* --- the socket ------------------------------------------------------------------------------- */

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
	struct link *link = stream->data;

	read_whole_ring(link); /* was written before */
	if (link->closing)
		return;
	if (count < 0)
		fail(link,
		     count == UV_EOF || count == UV_ECONNRESET ? NULL : uv_strerror((int)count));
	else
		receive(link, link->received, (const guint8 *)buffer->base, (gsize)count);
}

void link_send(struct host_link *base, const struct wire_message *message)
{
	struct link *link = (struct link *)base;

	if (link->closing)
		return;
	if (link->outgoing.count == 0)
		g_ptr_array_add(link->server->unflushed, link);
	wire_encode(&link->outgoing, message);
	g_assert(!link->outgoing.failed);
}

void link_send_off(struct link_server *server)
{
	flush_all(server);
}

int link_socket(const struct host_link *base)
{
	const struct link *link = (const struct link *)base;
	uv_os_fd_t descriptor;

	return uv_fileno((const uv_handle_t *)&link->pipe, &descriptor) == 0 ? descriptor : -1;
}

bool link_has_unread(const struct host_link *base)
{
	const struct link *link = (const struct link *)base;
	int descriptor = link_socket(base), bytes = 0;

	flush_all(link->server); /* it can answer only what was sent */
	if (link->carrier)
		return link->received->len > 0
		       || (link->carried && link->carrier->has_unread(link->carried));
	if (link->ring && (link->written->len > 0 || ring_reader_unread(link->ring) > 0))
		return true;
	return descriptor >= 0
	       && (link->received->len > 0
	           || (ioctl(descriptor, FIONREAD, &bytes) == 0 && bytes > 0));
}

static struct link *link_new(struct link_server *server)
{
	struct link *link = g_new0(struct link, 1);

	link->server = server;
	g_hash_table_add(server->links, link);
	link->base.host = server->options.host;
	link->base.role = LINK_NEW;
	link->base.owner = server->options.user;
	link->received = g_byte_array_new();
	link->written = g_byte_array_new();
	uv_pipe_init(server->options.loop, &link->pipe, 0);
	link->pipe.data = link;
	return link;
}

/* The pipe of a carried link stays closed: it serves to free the link in the loop. */
struct host_link *link_carried(struct link_server *server, const struct link_carrier *carrier,
                               void *data)
{
	struct link *link = link_new(server);

	link->known = true;
	link->carrier = carrier;
	link->carried = data;
	return &link->base;
}

void link_arrived(struct host_link *base, const guint8 *bytes, gsize count)
{
	struct link *link = (struct link *)base;

	if (!link->closing)
		receive(link, link->received, bytes, count);
}

void link_lost(struct host_link *base, const char *why)
{
	fail((struct link *)base, why);
}

void *link_carried_data(const struct host_link *base)
{
	return ((const struct link *)base)->carried;
}

static void on_connection(uv_stream_t *stream, int status)
{
	struct link_server *server = stream->data;
	struct link *link;

	if (status < 0)
		return;
	link = link_new(server);
	if (uv_accept(stream, (uv_stream_t *)&link->pipe) != 0
	    || uv_read_start((uv_stream_t *)&link->pipe, on_alloc, on_read) != 0)
		link_close(&link->base);
}

static void on_waiting(uv_prepare_t *waiting)
{
	struct link_server *server = waiting->data;

	flush_all(server);
	if (server->rings->len > 0)
		prepare_rings(server);
}

static void on_server_freed(uv_handle_t *handle)
{
	struct link_server *server = handle->data;

	if (--server->open > 0)
		return;
	g_hash_table_destroy(server->links);
	g_ptr_array_unref(server->unflushed);
	g_ptr_array_unref(server->rings);
	g_free(server);
}

static void close_handles(struct link_server *server)
{
	uv_close((uv_handle_t *)&server->waiting, on_server_freed);
	uv_close((uv_handle_t *)&server->woken, on_server_freed);
	uv_close((uv_handle_t *)&server->look_again, on_server_freed);
	uv_close((uv_handle_t *)&server->pipe, on_server_freed);
}

struct link_server *link_listen(const struct link_options *options, GError **error)
{
	struct link_server *server = g_new0(struct link_server, 1);
	g_autofree char *path = g_build_filename(options->directory, RUN_DIRECTORY_SOCKET, NULL);
	int status;

	server->options = *options;
	server->links = g_hash_table_new(NULL, NULL);
	server->unflushed = g_ptr_array_new();
	server->rings = g_ptr_array_new();
	uv_pipe_init(options->loop, &server->pipe, 0);
	uv_prepare_init(options->loop, &server->waiting);
	uv_prepare_start(&server->waiting, on_waiting);
	uv_unref((uv_handle_t *)&server->waiting);
	uv_check_init(options->loop, &server->woken);
	uv_check_start(&server->woken, on_woken);
	uv_unref((uv_handle_t *)&server->woken);
	uv_timer_init(options->loop, &server->look_again);
	uv_unref((uv_handle_t *)&server->look_again);
	server->open = 4;
	server->pipe.data = server->waiting.data = server->woken.data = server->look_again.data =
		server;
	status = uv_pipe_bind(&server->pipe, path);
	if (status == 0)
		status = uv_listen((uv_stream_t *)&server->pipe, 1024, on_connection);
	if (status == 0)
		return server;
	g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "cannot listen on %s: %s", path,
	            uv_strerror(status));
	close_handles(server);
	return NULL;
}

void link_server_close(struct link_server *server)
{
	GList *links;

	if (!server)
		return;
	links = g_hash_table_get_keys(server->links);
	g_list_free_full(links, (GDestroyNotify)link_close);
	close_handles(server);
}
