#include "outpost.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "child_reaper.h"
#include "environment.h"
#include "frames.h"
#include "janitor.h"
#include "launcher.h"
#include "local.h"
#include "outpost_link.h"
#include "peer.h"
#include "run_directory.h"

#define NAME "mp-outpost"            /* so `killall matchpoint` does not match it */
#define ORDERS_MOST ((gsize)1 << 20) /* bytes */
#define READ_SIZE (64 * 1024)

struct outpost {
	struct host *host;
	uv_loop_t *loop;
	struct frames *frames;
	struct run_directory *directory;
	uv_pipe_t doors[OUTPOST_DOORS]; /* where ranks connect */
	uv_signal_t term;
	GHashTable *ranks;   /* number to struct rank *, owned by the loop */
	GHashTable *errands; /* number to struct errand * */
	guint32 last_rank;
	int status;
	bool ending;
};

/* The connection of a rank. */
struct rank {
	struct outpost *outpost;
	uv_pipe_t pipe;
	guint32 number;
	enum outpost_door door;
	bool known; /* its process is one of the run's */
};

/* What RUN has started. */
struct errand {
	struct outpost *outpost;
	struct launcher *launcher;
	guint32 number;
};

struct pending_write {
	uv_write_t request;
	guint8 bytes[];
};

static char read_area[READ_SIZE];

/* --- ranks ------------------------------------------------------------------------------------ */

static void on_rank_freed(uv_handle_t *handle)
{
	g_free(handle->data);
}

static void close_rank(struct rank *rank)
{
	g_hash_table_remove(rank->outpost->ranks, GUINT_TO_POINTER(rank->number));
	uv_close((uv_handle_t *)&rank->pipe, on_rank_freed);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
	(void)handle;
	(void)suggested;
	*buffer = uv_buf_init(read_area, READ_SIZE);
}

static int socket_of(const struct rank *rank)
{
	uv_os_fd_t descriptor;

	return uv_fileno((const uv_handle_t *)&rank->pipe, &descriptor) == 0 ? descriptor : -1;
}

/* As for links at home: the process must belong to the run when its first bytes arrive. */
static bool is_known(struct rank *rank)
{
	if (!rank->known
	    && peer_belongs(peer_of(socket_of(rank)),
	                    run_directory_path(rank->outpost->directory))) {
		rank->known = true;
		frames_send_value(rank->outpost->frames, OUTPOST_OPENED, rank->number,
		                  g_variant_new_uint32(rank->door));
	}
	return rank->known;
}

static void on_rank_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
	struct rank *rank = stream->data;
	struct frames *frames = rank->outpost->frames;

	if (count > 0 && is_known(rank))
		frames_send(frames, OUTPOST_BYTES, rank->number, buffer->base, (gsize)count);
	else if (count != 0) {
		if (rank->known)
			frames_send(frames, OUTPOST_CLOSED, rank->number, NULL, 0);
		close_rank(rank);
	}
}

static void on_rank(uv_stream_t *stream, int status)
{
	struct outpost *outpost = stream->data;
	struct rank *rank;

	if (status < 0 || outpost->ending)
		return;
	rank = g_new0(struct rank, 1);
	rank->outpost = outpost;
	rank->number = ++outpost->last_rank;
	rank->door = stream == (uv_stream_t *)&outpost->doors[OUTPOST_DOOR_PMI]
	                     ? OUTPOST_DOOR_PMI
	                     : OUTPOST_DOOR_RANKS;
	uv_pipe_init(outpost->loop, &rank->pipe, 0);
	rank->pipe.data = rank;
	g_hash_table_insert(outpost->ranks, GUINT_TO_POINTER(rank->number), rank);
	if (uv_accept(stream, (uv_stream_t *)&rank->pipe) != 0
	    || uv_read_start((uv_stream_t *)&rank->pipe, on_alloc, on_rank_read) != 0)
		close_rank(rank);
}

static void on_written(uv_write_t *request, int status)
{
	(void)status; /* the reader notices a broken connection */
	g_free(request->data);
}

static void write_to(struct rank *rank, const guint8 *bytes, gsize count)
{
	uv_buf_t buffer = uv_buf_init((char *)(guintptr)bytes, (unsigned)count);
	int written = uv_try_write((uv_stream_t *)&rank->pipe, &buffer, 1);
	gsize rest = count - (gsize)MAX(written, 0);
	struct pending_write *pending;

	if (rest == 0 || (written < 0 && written != UV_EAGAIN))
		return;
	pending = g_malloc(sizeof(*pending) + rest);
	pending->request.data = pending;
	memcpy(pending->bytes, bytes + count - rest, rest);
	buffer = uv_buf_init((char *)pending->bytes, (unsigned)rest);
	if (uv_write(&pending->request, (uv_stream_t *)&rank->pipe, &buffer, 1, on_written) != 0)
		g_free(pending);
}

/* What a rank has sent before its end must not be overtaken by the news of it. */
static bool has_unread(const struct outpost *outpost)
{
	GHashTableIter iter;
	void *rank;

	g_hash_table_iter_init(&iter, outpost->ranks);
	while (g_hash_table_iter_next(&iter, NULL, &rank)) {
		int bytes = 0;

		if (ioctl(socket_of(rank), FIONREAD, &bytes) == 0 && bytes > 0)
			return true;
	}
	return false;
}

/* --- errands ---------------------------------------------------------------------------------- */

static void errand_free(void *pointer)
{
	struct errand *errand = pointer;

	launcher_free(errand->launcher);
	g_free(errand);
}

static void report_errand(struct outpost *outpost, guint32 number, int status, const char *text)
{
	g_autofree char *valid = g_utf8_make_valid(text, -1);

	frames_send_value(outpost->frames, OUTPOST_EXITED, number,
	                  g_variant_new("(is)", (gint32)status, valid));
}

static void on_errand_ended(void *user, const struct launcher *launcher, int status)
{
	const struct errand *errand = user;

	report_errand(errand->outpost, errand->number, status, launcher_output(launcher));
}

static void run(struct outpost *outpost, guint32 number, GBytes *bytes)
{
	g_autoptr(GVariant) value = frames_value(bytes, "s");
	char shell[] = "/bin/sh", option[] = "-c";
	char *command[] = {shell, option, NULL, NULL};
	g_auto(GStrv) environment = g_get_environ();
	g_autoptr(GError) error = NULL;
	struct errand *errand;

	if (!value)
		return;
	command[2] = (char *)(guintptr)g_variant_get_string(value, NULL);
	errand = g_new0(struct errand, 1);
	errand->outpost = outpost;
	errand->number = number;
	errand->launcher = launcher_start(
		&(struct launcher_options){.loop = outpost->loop,
	                                   .command = command,
	                                   .environment = environment,
	                                   .lock = run_directory_lock(outpost->directory),
	                                   .ended = on_errand_ended,
	                                   .user = errand},
		&error);
	g_hash_table_insert(outpost->errands, GUINT_TO_POINTER(number), errand);
	if (!errand->launcher)
		report_errand(outpost, number, 127, error->message);
}

/* --- the scheduler ---------------------------------------------------------------------------- */

static void answer(struct outpost *outpost, const struct frame *frame)
{
	g_autoptr(GVariant) value = frames_value(frame->bytes, "(uv)");
	g_autoptr(GVariant) about = NULL, found = NULL;
	guint32 question;

	if (!value)
		return;
	g_variant_get(value, "(uv)", &question, &about);
	if (question == OUTPOST_IS_DEAD && has_unread(outpost))
		found = g_variant_ref_sink(g_variant_new_boolean(false));
	else if ((found = outpost_answer(outpost->host, question, about)))
		g_variant_ref_sink(found);
	if (frame->kind == OUTPOST_ASK)
		frames_send_value(outpost->frames, OUTPOST_ANSWER, frame->id,
		                  g_variant_new_variant(found ? found : g_variant_new("()")));
}

static void end(struct outpost *outpost, int status)
{
	outpost->ending = true;
	outpost->status = status;
	uv_stop(outpost->loop);
}

static void on_frame(void *user, const struct frame *frame)
{
	struct outpost *outpost = user;
	struct rank *rank = g_hash_table_lookup(outpost->ranks, GUINT_TO_POINTER(frame->id));

	switch (frame->kind) {
	case OUTPOST_BYTES:
		if (rank)
			write_to(rank, g_bytes_get_data(frame->bytes, NULL),
			         g_bytes_get_size(frame->bytes));
		break;
	case OUTPOST_CLOSED:
		if (rank)
			close_rank(rank);
		break;
	case OUTPOST_ASK:
	case OUTPOST_TELL: answer(outpost, frame); break;
	case OUTPOST_RUN: run(outpost, frame->id, frame->bytes); break;
	case OUTPOST_STOP:
		g_hash_table_remove(outpost->errands, GUINT_TO_POINTER(frame->id));
		break;
	case OUTPOST_END: end(outpost, 0); break;
	default: break;
	}
}

/* The janitor ends all that belongs to the run on this machine, also what is not below this process
 * (srun's ranks), and removes the run directory. */
static void on_lost(void *user, const char *why)
{
	(void)user;
	(void)why;
	_exit(1);
}

static void on_term(uv_signal_t *handle, int number)
{
	(void)handle;
	(void)number;
	_exit(1);
}

/* --- from beginning to end -------------------------------------------------------------------- */

/* Listens where the shim expects the scheduler. */
static bool open_door(struct outpost *outpost, enum outpost_door door, GError **error)
{
	static const char *const names[OUTPOST_DOORS] = {
		[OUTPOST_DOOR_RANKS] = RUN_DIRECTORY_SOCKET,
		[OUTPOST_DOOR_PMI] = RUN_DIRECTORY_PMI,
	};
	g_autofree char *path = run_directory_file(outpost->directory, names[door]);
	uv_pipe_t *pipe = &outpost->doors[door];
	int status;

	uv_pipe_init(outpost->loop, pipe, 0);
	pipe->data = outpost;
	status = uv_pipe_bind(pipe, path);
	if (status == 0)
		status = uv_listen((uv_stream_t *)pipe, 1024, on_rank);
	if (status == 0)
		return true;
	g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "cannot listen on %s: %s", path,
	            uv_strerror(status));
	return false;
}

/* Ends all errands, and waits for their supervisors. The connection stays open meanwhile, by a copy
 * of the socket that is left to the kernel: its end shows the scheduler that everything is over. */
static void close_all(struct outpost *outpost, int socket)
{
	g_autoptr(GList) ranks = g_hash_table_get_values(outpost->ranks);

	(void)fcntl(socket, F_DUPFD_CLOEXEC, 0);
	for (GList *rank = ranks; rank; rank = rank->next)
		close_rank(rank->data);
	g_hash_table_destroy(outpost->errands);
	frames_free(outpost->frames);
	for (int door = 0; door < OUTPOST_DOORS; door++)
		uv_close((uv_handle_t *)&outpost->doors[door], NULL);
	uv_close((uv_handle_t *)&outpost->term, NULL);
	uv_run(outpost->loop, UV_RUN_DEFAULT);
}

static int serve(struct outpost *outpost, const struct outpost_orders *orders, GError **error)
{
	struct local_options options = {.ranks = orders->ranks, .shim = orders->shim};
	const struct frames_user user = {on_frame, on_lost, outpost};

	outpost->directory = run_directory_at(orders->directory, error);
	if (!outpost->directory)
		return 1;
	outpost->host = local_new();
	options.directory = outpost->directory;
	local_open(outpost->host, &options);
	outpost->loop = local_loop(outpost->host);
	if (!open_door(outpost, OUTPOST_DOOR_RANKS, error)
	    || !open_door(outpost, OUTPOST_DOOR_PMI, error))
		return 1;
	outpost->ranks = g_hash_table_new(NULL, NULL);
	outpost->errands = g_hash_table_new_full(NULL, NULL, NULL, errand_free);
	uv_signal_init(outpost->loop, &outpost->term);
	uv_signal_start(&outpost->term, on_term, SIGTERM);
	outpost->frames = frames_new(outpost->loop, orders->socket, &user);
	frames_watch(outpost->frames, OUTPOST_LOST_SECONDS);
	outpost_link_greet(outpost->frames, orders, false);
	while (!outpost->ending)
		uv_run(outpost->loop, UV_RUN_DEFAULT);
	close_all(outpost, orders->socket);
	child_reaper_end_all();
	return outpost->status;
}

static int work(const struct outpost_orders *orders, GError **error)
{
	struct outpost outpost = {0};
	g_autofree char *parent = g_path_get_dirname(orders->directory);
	struct janitor *janitor;
	int status;

	child_reaper_adopt();
	prctl(PR_SET_NAME, NAME);
	g_setenv(ENVIRONMENT_RUNDIR, parent, true); /* where the janitor looks */
	janitor = janitor_start_for(orders->owner, NULL);
	status = serve(&outpost, orders, error);
	run_directory_free(outpost.directory);
	janitor_end(janitor);
	return status; /* the connection is closed by the kernel: the scheduler waits for that */
}

static char *read_orders(void)
{
	GString *text = g_string_new(NULL);
	char area[4096];
	ssize_t count;

	while (text->len < ORDERS_MOST
	       && ((count = read(STDIN_FILENO, area, sizeof(area))) > 0
	           || (count < 0 && errno == EINTR)))
		g_string_append_len(text, area, MAX(count, 0));
	return g_string_free(text, false);
}

int outpost_become(void)
{
	static const int ignored[] = {SIGINT, SIGHUP, SIGPIPE};
	g_autofree char *text = read_orders();
	g_autoptr(GError) error = NULL;
	struct outpost_orders orders = {.socket = -1};
	int status = 1;

	for (gsize i = 0; i < G_N_ELEMENTS(ignored); i++)
		signal(ignored[i], SIG_IGN);
	if (outpost_link_read(text, &orders, &error) && outpost_link_connect(&orders, &error))
		status = orders.at_home ? 0 : work(&orders, &error);
	if (error) {
		printf("%s\n", error->message);
		fflush(stdout);
	}
	outpost_link_clear(&orders);
	return status;
}
