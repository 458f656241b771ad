#include "lined_up.h"

#include <string.h>

#include "common/start_line.h"
#include "peer.h"
#include "process_table.h"
#include "scheduler/tools/log.h"

struct lined_up {
	uv_pipe_t listener;
	guint32 world;
	int ranks;
	bool waits, open, freed;
	pid_t *processes;   /* by rank; 0: not there */
	GPtrArray *waiting; /* struct one, not owned */
	guint handles;      /* that are not closed yet */
};

struct one {
	uv_pipe_t pipe;
	struct lined_up *lined;
	int rank;                                         /* -1: it has not said it */
	guint8 bytes[sizeof(struct start_line_word) + 1]; /* room for the end of the connection */
	gsize count;
};

static void release(struct lined_up *lined)
{
	if (lined->handles > 0 || !lined->freed)
		return;
	g_ptr_array_unref(lined->waiting);
	g_free(lined->processes);
	g_free(lined);
}

static void on_one_closed(uv_handle_t *handle)
{
	struct one *one = handle->data;
	struct lined_up *lined = one->lined;

	g_free(one);
	lined->handles--;
	release(lined);
}

static void close_one(struct one *one)
{
	if (uv_is_closing((uv_handle_t *)&one->pipe))
		return;
	g_ptr_array_remove_fast(one->lined->waiting, one);
	uv_close((uv_handle_t *)&one->pipe, on_one_closed);
}

static void on_listener_closed(uv_handle_t *handle)
{
	struct lined_up *lined = handle->data;

	lined->handles--;
	release(lined);
}

void lined_up_let_go(struct lined_up *lined)
{
	if (!lined->open)
		return;
	lined->open = false;
	while (lined->waiting->len > 0)
		close_one(lined->waiting->pdata[0]);
	uv_close((uv_handle_t *)&lined->listener, on_listener_closed);
}

void lined_up_free(struct lined_up *lined)
{
	if (!lined)
		return;
	lined_up_let_go(lined);
	lined->freed = true;
	release(lined);
}

static void look(struct lined_up *lined)
{
	for (int rank = 0; rank < lined->ranks; rank++)
		if (lined->processes[rank] == 0)
			return;
	log_debug(LOG_RANKS, "all %d ranks of world %u are before main", lined->ranks,
	          lined->world);
	process_table_show(lined->world, lined->processes, lined->ranks);
	lined_up_let_go(lined);
}

static void note(struct one *one)
{
	struct lined_up *lined = one->lined;
	struct start_line_word word;
	uv_os_fd_t socket;

	memcpy(&word, one->bytes, sizeof(word));
	if (word.rank < 0 || word.rank >= lined->ranks
	    || uv_fileno((const uv_handle_t *)&one->pipe, &socket) != 0 || peer_of(socket) == 0) {
		close_one(one);
		return;
	}
	one->rank = word.rank;
	lined->processes[word.rank] = peer_of(socket);
	if (!lined->waits)
		close_one(one);
	look(lined);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
	struct one *one = handle->data;

	(void)suggested;
	*buffer = uv_buf_init((char *)one->bytes + one->count,
	                      (unsigned)(sizeof(one->bytes) - one->count));
}

/* A rank that ends before all are there is not there any more. */
static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
	struct one *one = stream->data;

	(void)buffer;
	if (count < 0) {
		if (one->rank >= 0)
			one->lined->processes[one->rank] = 0;
		close_one(one);
		return;
	}
	one->count += (gsize)count;
	if (one->count == sizeof(struct start_line_word))
		note(one);
	else if (one->count > sizeof(struct start_line_word))
		close_one(one);
}

static void on_connection(uv_stream_t *stream, int status)
{
	struct lined_up *lined = stream->data;
	struct one *one;

	if (status < 0)
		return;
	one = g_new0(struct one, 1);
	one->lined = lined;
	one->rank = -1;
	uv_pipe_init(stream->loop, &one->pipe, 0);
	one->pipe.data = one;
	lined->handles++;
	g_ptr_array_add(lined->waiting, one);
	if (uv_accept(stream, (uv_stream_t *)&one->pipe) != 0
	    || uv_read_start((uv_stream_t *)&one->pipe, on_alloc, on_read) != 0)
		close_one(one);
}

struct lined_up *lined_up_new(uv_loop_t *loop, const char *path, guint32 world, int ranks,
                              bool waits, GError **error)
{
	struct lined_up *lined = g_new0(struct lined_up, 1);
	int status;

	lined->world = world;
	lined->ranks = ranks;
	lined->waits = waits;
	lined->processes = g_new0(pid_t, ranks);
	lined->waiting = g_ptr_array_new();
	uv_pipe_init(loop, &lined->listener, 0);
	lined->listener.data = lined;
	lined->handles = 1;
	lined->open = true;
	status = uv_pipe_bind(&lined->listener, path);
	if (status == 0)
		status = uv_listen((uv_stream_t *)&lined->listener, 1024, on_connection);
	if (status == 0)
		return lined;
	g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "cannot listen on %s: %s", path,
	            uv_strerror(status));
	lined_up_free(lined);
	return NULL;
}
