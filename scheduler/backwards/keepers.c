#define _GNU_SOURCE /* accept4, struct ucred */
#include "keepers.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_KEEPERS 64
#define SECONDS_TO_CONNECT 60

G_DEFINE_QUARK(keepers - error - quark, keepers_error)

struct keeper {
	int fd;
	struct agent_marks_report report;
	struct moment *moment;
	/* Of a keeper that was forked between marks: what its children are given. */
	bool has_registers;
	struct user_regs_struct registers;
	pid_t child; /* a traced process, which would end with the keeper; 0: none */
	guint64 used;
};

struct keepers {
	char *name; /* of the socket, with @ */
	int socket;
	pid_t root;
	int root_ends; /* can be read from when it has ended (pidfd_open) */
	const struct interrupt *interrupt;
	GPtrArray *list; /* of struct keeper, the first one at the start */
	guint64 clock;   /* of `used` */
};

static bool fail(GError **error, const char *what)
{
	g_set_error_literal(error, KEEPERS_ERROR, KEEPERS_FAILED, what);
	return false;
}

static void keeper_free(gpointer data)
{
	struct keeper *keeper = data;

	close(keeper->fd);
	moment_free(keeper->moment);
	g_free(keeper);
}

/* Waits until it can be read from. */
static bool wait_for(struct keepers *keepers, int fd, int seconds, GError **error)
{
	struct pollfd ready[3] = {{.fd = fd, .events = POLLIN},
	                          {.fd = keepers->interrupt->fd, .events = POLLIN},
	                          {.fd = keepers->root_ends, .events = POLLIN}};
	int timeout = seconds < 0 ? -1 : seconds * 1000;

	for (;;) {
		int count = poll(ready, 3, timeout);

		if (count == 0)
			return fail(error, "the replayed process does not connect");
		if (count < 0 && errno != EINTR)
			return fail(error, "cannot wait for the replayed process");
		if (count > 0 && ready[0].revents)
			return true;
		if (count > 0 && ready[2].revents)
			return fail(error, "the replayed process has ended");
		if (count > 0 && ready[1].revents
		    && keepers->interrupt->is_due(keepers->interrupt->user)) {
			g_set_error_literal(error, KEEPERS_ERROR, KEEPERS_INTERRUPTED,
			                    "interrupted");
			return false;
		}
	}
}

/* Anybody on this machine can name the socket. */
static bool may_connect(int fd)
{
	struct ucred other = {0};
	socklen_t size = sizeof other;

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &other, &size) == 0
	       && other.uid == geteuid();
}

/* The next process that connects; it has come to where it waits. */
static struct keeper *accept_keeper(struct keepers *keepers, GError **error)
{
	struct ucred other = {0};
	socklen_t size = sizeof other;
	struct keeper *keeper;
	int fd;

	if (!wait_for(keepers, keepers->socket, SECONDS_TO_CONNECT, error))
		return NULL;
	fd = accept4(keepers->socket, NULL, NULL, SOCK_CLOEXEC);
	if (fd >= 0 && !may_connect(fd)) {
		close(fd);
		fd = -1;
	}
	if (fd < 0) {
		fail(error, "cannot accept the replayed process");
		return NULL;
	}
	keeper = g_new0(struct keeper, 1);
	keeper->fd = fd;
	if (!wait_for(keepers, fd, -1, error)) {
		if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &other, &size) == 0 && other.pid > 0)
			kill(other.pid, SIGKILL);
		keeper_free(keeper);
		return NULL;
	}
	if (recv(fd, &keeper->report, sizeof keeper->report, MSG_WAITALL)
	    != sizeof keeper->report) {
		fail(error, "the replayed process ended on its way");
		keeper_free(keeper);
		return NULL;
	}
	keeper->moment = moment_new(keeper->report.mark);
	return keeper;
}

static bool order(const struct keeper *keeper, enum agent_marks_order_kind kind, guint64 mark)
{
	struct agent_marks_order message = {.kind = kind, .mark = mark};

	return send(keeper->fd, &message, sizeof message, MSG_NOSIGNAL) == sizeof message;
}

static struct keeper *fork_keeper(struct keepers *keepers, const struct keeper *from, guint64 mark,
                                  GError **error)
{
	if (!order(from, AGENT_MARKS_FORK, mark)) {
		fail(error, "a keeper has ended");
		return NULL;
	}
	return accept_keeper(keepers, error);
}

static void add(struct keepers *keepers, struct keeper *keeper)
{
	guint oldest = 0;

	keeper->used = ++keepers->clock;
	g_ptr_array_add(keepers->list, keeper);
	if (keepers->list->len <= MOST_KEEPERS)
		return;
	for (guint i = 1; i + 1 < keepers->list->len; i++) {
		struct keeper *other = keepers->list->pdata[i];
		const struct keeper *last = keepers->list->pdata[oldest];

		if (other->child == 0 && (oldest == 0 || other->used < last->used))
			oldest = i;
	}
	if (oldest)
		g_ptr_array_remove_index(keepers->list, oldest);
}

/* In the abstract namespace: no file is left, whatever ends this process. */
static bool listen_at(struct keepers *keepers, GError **error)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	keepers->name = g_strdup_printf("@matchpoint-marks-%d-%08x", (int)getpid(), g_random_int());
	g_strlcpy(address.sun_path + 1, keepers->name + 1, sizeof address.sun_path - 1);
	keepers->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (keepers->socket < 0
	    || bind(keepers->socket, (struct sockaddr *)&address, sizeof address) != 0
	    || listen(keepers->socket, 16) != 0)
		return fail(error, "cannot listen for the replayed process");
	return true;
}

static bool start(struct keepers *keepers, const struct replayer *replayer, GError **error)
{
	struct keeper *first;

	keepers->root = replayer->start(replayer->user, keepers->name, error);
	if (keepers->root < 0)
		return false;
	keepers->root_ends = (int)syscall(SYS_pidfd_open, keepers->root, 0);
	first = accept_keeper(keepers, error);
	if (first)
		add(keepers, first);
	return first != NULL;
}

struct keepers *keepers_new(const struct replayer *replayer, const struct interrupt *interrupt,
                            GError **error)
{
	struct keepers *keepers = g_new0(struct keepers, 1);

	keepers->socket = keepers->root_ends = -1;
	keepers->interrupt = interrupt;
	keepers->list = g_ptr_array_new_with_free_func(keeper_free);
	if (!listen_at(keepers, error) || !start(keepers, replayer, error)) {
		keepers_free(keepers);
		return NULL;
	}
	return keepers;
}

void keepers_free(struct keepers *keepers)
{
	if (!keepers)
		return;
	g_ptr_array_unref(keepers->list); /* each ends when its connection does */
	if (keepers->root > 0) {
		kill(keepers->root, SIGKILL);
		waitpid(keepers->root, NULL, 0);
	}
	if (keepers->socket >= 0)
		close(keepers->socket);
	if (keepers->root_ends >= 0)
		close(keepers->root_ends);
	g_free(keepers->name);
	g_free(keepers);
}

void keepers_scout(struct keepers *keepers, guint64 every)
{
	struct keeper *at = keepers->list->pdata[0];

	while (at && !at->report.is_final && keepers->list->len < MOST_KEEPERS) {
		at = fork_keeper(keepers, at, at->report.mark + every, NULL);
		if (at && (at->report.is_final || at->report.has_threads)) {
			keeper_free(at);
			return;
		}
		if (at)
			add(keepers, at);
	}
}

/* The keeper from which the least is left. */
static struct keeper *nearest(struct keepers *keepers, const struct moment *goal,
                              struct moment **ret_rest)
{
	struct keeper *best = NULL;

	*ret_rest = NULL;
	for (guint i = 0; i < keepers->list->len; i++) {
		struct keeper *keeper = keepers->list->pdata[i];
		struct moment *rest;

		if (best && best->moment->mark == goal->mark && keeper->moment->mark != goal->mark)
			continue;
		rest = moment_rest(keeper->moment, goal);
		if (rest
		    && (!*ret_rest || rest->leg_count < (*ret_rest)->leg_count
		        || (rest->leg_count == (*ret_rest)->leg_count && rest->leg_count > 0
		            && rest->legs[0].count < (*ret_rest)->legs[0].count))) {
			moment_free(*ret_rest);
			*ret_rest = rest;
			best = keeper;
			continue;
		}
		moment_free(rest);
		/* Between marks only the way of the moment itself leads on. */
		if (!*ret_rest && keeper->moment->leg_count == 0
		    && keeper->moment->mark < goal->mark
		    && (!best || keeper->moment->mark > best->moment->mark))
			best = keeper;
	}
	return best;
}

/* To the first instruction of the program's after the mark, or to where the keeper was forked. */
static bool enter(struct traced *traced, const struct keeper *keeper, GError **error)
{
	g_autoptr(GArray) points = g_array_new(false, false, sizeof(struct point));
	struct point resume = {.kind = POINT_SOFTWARE, .address = keeper->report.resume};
	struct stop stop = traced_run(traced, points);

	if (stop.kind != STOP_STEP || stop.pc != keeper->report.born)
		return fail(error, "a process did not begin as it should");
	if (keeper->has_registers) {
		traced_set_registers(traced, &keeper->registers);
		return true;
	}
	g_array_append_val(points, resume);
	stop = traced_run(traced, points);
	if (stop.kind != STOP_POINT)
		return fail(error, "a process did not leave its mark");
	return true;
}

struct traced *keepers_spawn(struct keepers *keepers, const struct moment *goal,
                             struct moment **ret_rest, GError **error)
{
	g_autoptr(Moment) rest = NULL;
	struct keeper *from = nearest(keepers, goal, &rest), *child;
	struct traced *traced;

	if (!rest) {
		from = fork_keeper(keepers, from, goal->mark, error);
		if (!from)
			return NULL;
		if (from->report.has_threads) {
			keeper_free(from);
			fail(error,
			     "it has other threads there, which copies of it lack; a breakpoint "
			     "can be continued to");
			return NULL;
		}
		add(keepers, from);
		rest = moment_rest(from->moment, goal);
		if (!rest) {
			fail(error, "the program ends before this call");
			return NULL;
		}
	}
	from->used = ++keepers->clock;
	child = fork_keeper(keepers, from, from->report.mark, error);
	if (!child)
		return NULL;
	traced = traced_seize(&child->report, keepers->interrupt, error);
	if (traced)
		from->child = traced_pid(traced);
	if (traced && (!order(child, AGENT_MARKS_GO, 0) || !enter(traced, from, error))) {
		keepers_end(keepers, traced);
		traced = NULL;
	}
	keeper_free(child);
	if (traced)
		*ret_rest = g_steal_pointer(&rest);
	return traced;
}

void keepers_end(struct keepers *keepers, struct traced *traced)
{
	if (!traced)
		return;
	for (guint i = 0; i < keepers->list->len; i++) {
		struct keeper *keeper = keepers->list->pdata[i];

		if (keeper->child == traced_pid(traced))
			keeper->child = 0;
	}
	traced_free(traced);
}

bool keepers_keep(struct keepers *keepers, struct traced *traced, const struct moment *moment,
                  GError **error)
{
	g_autoptr(GArray) none = g_array_new(false, false, sizeof(struct point));
	struct user_regs_struct registers, there;
	struct keeper *keeper;
	struct stop stop;

	for (guint i = 0; i < keepers->list->len; i++) {
		keeper = keepers->list->pdata[i];
		if (moment_equal(keeper->moment, moment))
			return true;
	}
	traced_get_registers(traced, &registers);
	there = registers;
	there.rip = traced_addresses(traced)->inject;
	there.orig_rax = (unsigned long long)-1;
	traced_set_registers(traced, &there);
	stop = traced_run(traced, none);
	if (stop.kind != STOP_STEP || stop.pc != traced_addresses(traced)->injected)
		return fail(error, "the process cannot be forked here");
	traced_set_registers(traced, &registers);
	keeper = accept_keeper(keepers, error);
	if (!keeper)
		return false;
	moment_free(keeper->moment);
	keeper->moment = moment_copy(moment);
	keeper->has_registers = true;
	keeper->registers = registers;
	if (keeper->report.has_threads)
		keeper_free(keeper);
	else
		add(keepers, keeper);
	return true;
}

guint64 keepers_entry(const struct keepers *keepers)
{
	const struct keeper *first = keepers->list->pdata[0];

	return first->report.entry;
}
