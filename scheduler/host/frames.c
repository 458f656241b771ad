#include "frames.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define HEAD 12 /* bytes before those of a frame */
#define READ_SIZE (64 * 1024)

struct frames {
	int socket;
	struct frames_user user;
	bool on_loop;
	uv_poll_t ready;
	uv_prepare_t waiting; /* runs before the loop waits: writes */
	uv_idle_t arrived;    /* active while there is something to deliver */
	int open;             /* of these handles */
	bool freed, reported;
	char *lost;      /* why; NULL: it is not */
	GByteArray *in;  /* an incomplete frame */
	GByteArray *out; /* from out_start on, not written yet */
	gsize out_start;
	GQueue *queue; /* struct frame *, not delivered yet */
};

static void frame_free(void *frame)
{
	g_bytes_unref(((struct frame *)frame)->bytes);
	g_free(frame);
}

static guint32 number_at(const guint8 *bytes)
{
	return bytes[0] | (guint32)bytes[1] << 8 | (guint32)bytes[2] << 16
	       | (guint32)bytes[3] << 24;
}

static void put_number(guint8 *bytes, guint32 number)
{
	for (int i = 0; i < 4; i++)
		bytes[i] = (guint8)(number >> 8 * i);
}

static void lose(struct frames *frames, const char *why)
{
	if (!frames->lost)
		frames->lost = g_strdup(why);
}

/* --- reading and writing, which never block --------------------------------------------------- */

/* Moves all whole frames into the queue. */
static void divide(struct frames *frames)
{
	gsize at = 0;

	while (frames->in->len - at >= HEAD) {
		const guint8 *head = frames->in->data + at;
		guint32 count = number_at(head);
		struct frame *frame;

		if (count > FRAMES_MOST) {
			lose(frames, "it sent something that cannot be understood");
			break;
		}
		if (frames->in->len - at - HEAD < count)
			break;
		frame = g_new(struct frame, 1);
		*frame = (struct frame){number_at(head + 4), number_at(head + 8),
		                        g_bytes_new(head + HEAD, count)};
		g_queue_push_tail(frames->queue, frame);
		at += HEAD + count;
	}
	if (at > 0)
		g_byte_array_remove_range(frames->in, 0, (guint)at);
}

static void read_all(struct frames *frames)
{
	guint8 area[READ_SIZE];
	ssize_t count;

	while (!frames->lost) {
		count = read(frames->socket, area, sizeof(area));
		if (count > 0)
			g_byte_array_append(frames->in, area, (guint)count);
		else if (count == 0)
			lose(frames, "the connection was closed");
		else if (errno == EAGAIN)
			break;
		else if (errno != EINTR)
			lose(frames, g_strerror(errno));
		if (count > 0 && count < (ssize_t)sizeof(area))
			break;
	}
	divide(frames);
}

static gsize unwritten(const struct frames *frames)
{
	return frames->out->len - frames->out_start;
}

static void write_some(struct frames *frames)
{
	while (!frames->lost && unwritten(frames) > 0) {
		ssize_t count = send(frames->socket, frames->out->data + frames->out_start,
		                     unwritten(frames), MSG_NOSIGNAL);

		if (count >= 0)
			frames->out_start += (gsize)count;
		else if (errno == EAGAIN)
			return;
		else if (errno != EINTR)
			lose(frames, g_strerror(errno));
	}
	g_byte_array_set_size(frames->out, 0);
	frames->out_start = 0;
}

/* --- the loop --------------------------------------------------------------------------------- */

static void deliver(struct frames *frames)
{
	struct frame *frame;

	while (!frames->freed && (frame = g_queue_pop_head(frames->queue))) {
		frames->user.arrived(frames->user.user, frame);
		frame_free(frame);
	}
	if (frames->freed)
		return;
	uv_idle_stop(&frames->arrived);
	if (!frames->lost || frames->reported)
		return;
	frames->reported = true;
	uv_poll_stop(&frames->ready);
	frames->user.lost(frames->user.user, frames->lost);
}

static void on_arrived(uv_idle_t *handle)
{
	deliver(handle->data);
}

/* There may be something that the loop does not notice by itself. */
static void deliver_later(struct frames *frames)
{
	if (frames->on_loop && !frames->freed
	    && (frames->queue->length > 0 || (frames->lost && !frames->reported)))
		uv_idle_start(&frames->arrived, on_arrived);
}

static void on_ready(uv_poll_t *handle, int status, int events);

static void await(struct frames *frames)
{
	if (!frames->lost)
		uv_poll_start(&frames->ready,
		              UV_READABLE | (unwritten(frames) > 0 ? UV_WRITABLE : 0), on_ready);
}

static void on_ready(uv_poll_t *handle, int status, int events)
{
	struct frames *frames = handle->data;

	if (status < 0)
		lose(frames, uv_strerror(status));
	if (events & UV_WRITABLE)
		write_some(frames);
	read_all(frames);
	deliver(frames);
	if (!frames->freed)
		await(frames);
}

static void on_waiting(uv_prepare_t *handle)
{
	struct frames *frames = handle->data;

	if (unwritten(frames) == 0)
		return;
	write_some(frames);
	deliver_later(frames);
	await(frames);
}

static void release(struct frames *frames)
{
	close(frames->socket);
	g_byte_array_unref(frames->in);
	g_byte_array_unref(frames->out);
	g_queue_free_full(frames->queue, frame_free);
	g_free(frames->lost);
	g_free(frames);
}

static void on_closed(uv_handle_t *handle)
{
	struct frames *frames = handle->data;

	if (--frames->open == 0)
		release(frames);
}

struct frames *frames_new(uv_loop_t *loop, int socket, const struct frames_user *user)
{
	struct frames *frames = g_new0(struct frames, 1);
	const int yes = 1;

	frames->socket = socket;
	frames->user = *user;
	frames->in = g_byte_array_new();
	frames->out = g_byte_array_new();
	frames->queue = g_queue_new();
	fcntl(socket, F_SETFL, O_NONBLOCK);
	fcntl(socket, F_SETFD, FD_CLOEXEC);
	setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes)); /* no effect on others */
	if (!loop)
		return frames;
	frames->on_loop = true;
	uv_poll_init(loop, &frames->ready, socket);
	uv_prepare_init(loop, &frames->waiting);
	uv_idle_init(loop, &frames->arrived);
	frames->open = 3;
	frames->ready.data = frames->waiting.data = frames->arrived.data = frames;
	uv_prepare_start(&frames->waiting, on_waiting);
	uv_unref((uv_handle_t *)&frames->waiting);
	await(frames);
	return frames;
}

void frames_free(struct frames *frames)
{
	if (!frames || frames->freed)
		return;
	write_some(frames);
	frames->freed = true;
	if (!frames->on_loop) {
		release(frames);
		return;
	}
	uv_close((uv_handle_t *)&frames->ready, on_closed);
	uv_close((uv_handle_t *)&frames->waiting, on_closed);
	uv_close((uv_handle_t *)&frames->arrived, on_closed);
}

/* --- sending and asking ----------------------------------------------------------------------- */

void frames_send(struct frames *frames, guint32 kind, guint32 id, const void *bytes, gsize count)
{
	guint8 head[HEAD];

	if (frames->lost || frames->freed)
		return;
	g_assert(count <= FRAMES_MOST);
	put_number(head, (guint32)count);
	put_number(head + 4, kind);
	put_number(head + 8, id);
	g_byte_array_append(frames->out, head, HEAD);
	g_byte_array_append(frames->out, bytes, (guint)count);
}

void frames_send_value(struct frames *frames, guint32 kind, guint32 id, GVariant *value)
{
	g_autoptr(GVariant) owned = g_variant_ref_sink(value);

	frames_send(frames, kind, id, g_variant_get_data(owned), g_variant_get_size(owned));
}

GVariant *frames_value(GBytes *bytes, const char *type)
{
	GVariant *value = g_variant_ref_sink(
		g_variant_new_from_bytes(G_VARIANT_TYPE(type), bytes, false));

	if (g_variant_is_normal_form(value))
		return value;
	g_variant_unref(value);
	return NULL;
}

static GBytes *take(struct frames *frames, guint32 kind, guint32 id)
{
	for (GList *at = frames->queue->head; at; at = at->next) {
		struct frame *frame = at->data;
		GBytes *bytes;

		if (frame->kind != kind || frame->id != id)
			continue;
		bytes = g_bytes_ref(frame->bytes);
		frame_free(frame);
		g_queue_delete_link(frames->queue, at);
		return bytes;
	}
	return NULL;
}

GBytes *frames_ask(struct frames *frames, guint32 kind, guint32 id, double seconds)
{
	gint64 until = g_get_monotonic_time() + (gint64)(seconds * G_USEC_PER_SEC);
	GBytes *answer;

	for (;;) {
		struct pollfd ready = {.fd = frames->socket, .events = POLLIN};
		gint64 left;

		write_some(frames);
		answer = take(frames, kind, id);
		left = until - g_get_monotonic_time();
		if (answer || frames->lost || left <= 0)
			break;
		if (unwritten(frames) > 0)
			ready.events |= POLLOUT;
		poll(&ready, 1, (int)MIN(left / 1000 + 1, G_MAXINT));
		read_all(frames);
	}
	deliver_later(frames);
	return answer;
}

bool frames_has_unread(struct frames *frames)
{
	int bytes = 0;

	return frames->queue->length > 0 || frames->in->len > 0
	       || (ioctl(frames->socket, FIONREAD, &bytes) == 0 && bytes > 0);
}

bool frames_is_lost(const struct frames *frames)
{
	return frames->lost != NULL;
}

void frames_give(struct frames *frames, const struct frames_user *user)
{
	frames->user = *user;
}

void frames_give_up(struct frames *frames, const char *why)
{
	lose(frames, why);
	deliver_later(frames);
}

void frames_watch(struct frames *frames, int seconds)
{
	const int yes = 1, second = 1, times = seconds - 1;
	const unsigned limit = (unsigned)seconds * 1000;

	setsockopt(frames->socket, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof(yes));
	setsockopt(frames->socket, IPPROTO_TCP, TCP_KEEPIDLE, &second, sizeof(second));
	setsockopt(frames->socket, IPPROTO_TCP, TCP_KEEPINTVL, &second, sizeof(second));
	setsockopt(frames->socket, IPPROTO_TCP, TCP_KEEPCNT, &times, sizeof(times));
	setsockopt(frames->socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &limit, sizeof(limit));
}
