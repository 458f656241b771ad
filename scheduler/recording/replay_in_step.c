#define _GNU_SOURCE /* memfd_create */
#include "replay_in_step.h"

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/recording_steps.h"
#include "recorded_holds.h"
#include "recording.h"
#include "replayed_process.h"

enum {
	CALLS_MOST = 5000000,  /* of all ranks; more would take too much memory */
	LOOK_AGAIN = 100,      /* ms: how often ranks that wait for each other are looked for */
	MOST_AT_ONCE = 1 << 16 /* bytes of news */
};

struct member {
	int rank, news; /* -1: it has ended */
	pid_t pid;
	struct replay_rank *replay;
	GString *text; /* news without a newline so far */
	guint32 held;  /* as it was seen last */
};

struct session {
	const struct replay_in_step_options *options;
	struct recording_steps *steps;
	int memory;      /* its descriptor */
	GArray *members; /* struct member */
	struct pollfd *ready;
};

/* --- what needs what -------------------------------------------------------------------------- */

static struct place no_place(void *user, int rank, guint64 site)
{
	(void)user;
	(void)rank;
	(void)site;
	return (struct place){0};
}

static void free_matches(void *matches)
{
	recorded_matches_free(matches);
}

/* `why` may begin with the rank's name. */
static void tell_unknown(const struct replay_in_step_options *options, int rank, const char *what,
                         const char *why)
{
	g_autofree char *name = g_strdup_printf("rank %d: ", rank), *text = NULL;

	if (g_str_has_prefix(why, name))
		why += strlen(name);
	text = g_strdup_printf("%s: %s", what, why);
	options->remark(options->user, rank, text);
}

static GPtrArray *read_ranks(const struct replay_in_step_options *options, const GPtrArray *ends,
                             guint64 *ret_calls)
{
	GPtrArray *all = g_ptr_array_new_with_free_func(free_matches);
	g_autoptr(GPtrArray) remarks = g_ptr_array_new_with_free_func(g_free);

	*ret_calls = 0;
	for (int rank = 0; rank < options->count; rank++) {
		const struct roll_call_entry *entry = ends->pdata[rank];
		const bool is_whole = entry->has_ended && !entry->damage && !entry->error;
		struct recorded_matches *matches = NULL;
		g_autoptr(GError) error = NULL;

		if (options->ranks[rank])
			matches = recorded_matches_read_all(options->directory, rank, is_whole,
			                                    remarks, &error);
		if (error)
			tell_unknown(options, rank, "cannot be kept in step", error->message);
		else if (matches && matches->lost)
			tell_unknown(options, rank, "is kept in step only so far", matches->lost);
		g_ptr_array_add(all, matches);
		*ret_calls += matches ? matches->calls->len : 0;
	}
	return all;
}

/* Returns holds by rank. NULL with `error` set. */
static GPtrArray *learn(const struct replay_in_step_options *options, GError **error)
{
	g_autoptr(GPtrArray) ends = roll_call(options->directory, error), matches = NULL;
	struct recorded_logs logs = {.ranks = options->count, .ends = ends, .find_place = no_place};
	GPtrArray *holds = NULL;
	guint64 calls;

	if (!ends)
		return NULL;
	matches = read_ranks(options, ends, &calls);
	logs.matches = matches;
	if (calls <= CALLS_MOST)
		holds = recorded_holds(&logs);
	if (calls > CALLS_MOST)
		g_set_error(error, RECORDING_ERROR, 0,
		            "--in-step: these ranks have made %" G_GUINT64_FORMAT
		            " calls, and up to %d can be kept in step: name fewer ranks",
		            calls, CALLS_MOST);
	else if (!holds)
		g_set_error_literal(error, RECORDING_ERROR, 0,
		                    "--in-step: too much depends on each other to be kept in step: "
		                    "name fewer ranks");
	return holds;
}

static bool fail(GError **error, const char *what)
{
	g_set_error(error, RECORDING_ERROR, 0, "%s: %s", what, g_strerror(errno));
	return false;
}

static bool share(struct session *session, const GPtrArray *holds, GError **error)
{
	struct recording_steps *steps;
	guint64 count = 0;
	gsize size;

	for (guint rank = 0; rank < holds->len; rank++)
		count += ((const GArray *)holds->pdata[rank])->len;
	size = recording_steps_size(holds->len, count);
	session->memory = memfd_create("matchpoint-steps", MFD_CLOEXEC);
	if (session->memory < 0 || ftruncate(session->memory, (off_t)size) != 0)
		return fail(error, "cannot make memory that ranks share");
	steps = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, session->memory, 0);
	if (steps == MAP_FAILED)
		return fail(error, "cannot map memory that ranks share");
	session->steps = steps;
	*steps = (struct recording_steps){.size = size, .ranks = holds->len, .holds = count};
	count = 0;
	for (guint rank = 0; rank < holds->len; rank++) {
		const GArray *own = holds->pdata[rank];
		struct recording_step *step = &steps->step[rank];

		step->first = count;
		step->count = own->len;
		if (own->len > 0)
			memcpy(recording_steps_holds(steps) + count, own->data,
			       own->len * sizeof(struct recording_hold));
		count += own->len;
	}
	return true;
}

/* --- the ranks -------------------------------------------------------------------------------- */

static struct member *member_at(const struct session *session, guint at)
{
	return &g_array_index(session->members, struct member, at);
}

/* Those who wait for the rank look again. */
static void set_over(struct session *session, int rank)
{
	struct recording_step *step = &session->steps->step[rank];

	atomic_store(&step->is_over, 1);
	syscall(SYS_futex, &step->come, FUTEX_WAKE, G_MAXINT, NULL, NULL, 0);
}

static void start_rank(struct session *session, int rank)
{
	const struct replay_in_step_options *options = session->options;
	const struct replayed_mode mode = {.in_step = true, .steps = session->memory};
	struct member member = {.rank = rank};
	struct replayed_process process;
	g_autoptr(GError) error = NULL;

	if (!replayed_process_start(options->directory, rank, &mode, &process, &error)) {
		set_over(session, rank);
		options->failed(options->user, rank, error->message);
		return;
	}
	member.pid = process.pid;
	member.news = process.news;
	member.replay = replay_rank_new();
	member.text = g_string_new(NULL);
	g_array_append_val(session->members, member);
}

static void take_line(struct session *session, struct member *member, const char *line)
{
	const struct replay_in_step_options *options = session->options;

	replay_rank_take(member->replay, line);
	if (*line == 'r')
		options->remark(options->user, member->rank, line + 1);
}

static void take_text(struct session *session, struct member *member)
{
	char *begin = member->text->str, *end;

	while ((end = strchr(begin, '\n'))) {
		*end = '\0';
		take_line(session, member, begin);
		begin = end + 1;
	}
	g_string_erase(member->text, 0, begin - member->text->str);
}

static void end_rank(struct session *session, struct member *member)
{
	const struct replay_in_step_options *options = session->options;
	int status = 0;

	close(member->news);
	member->news = -1;
	while (waitpid(member->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	replay_rank_ended(member->replay, options->directory, member->rank, status);
	options->ended(options->user, member->rank, member->replay);
	set_over(session, member->rank);
}

static void read_news(struct session *session, struct member *member)
{
	g_autofree char *bytes = g_malloc(MOST_AT_ONCE);
	const ssize_t got = read(member->news, bytes, MOST_AT_ONCE);

	if (got < 0 && errno == EINTR)
		return;
	if (got > 0) {
		g_string_append_len(member->text, bytes, got);
		take_text(session, member);
	} else {
		end_rank(session, member);
	}
}

/* --- ranks that wait for each other ----------------------------------------------------------- */

static guint32 held_at(const struct session *session, guint32 rank)
{
	struct recording_step *step = &session->steps->step[rank];

	return atomic_load(&step->is_over) ? 0 : atomic_load(&step->held);
}

/* Whether the rank waits for itself in the end. */
static bool is_in_circle(const struct session *session, guint32 rank)
{
	guint32 at = rank;

	for (guint64 i = 0; i < session->steps->ranks && held_at(session, at) > 0; i++) {
		at = atomic_load(&session->steps->step[at].peer);
		if (at == rank)
			return true;
	}
	return false;
}

/* MPI may let a collective go on before all have come whose data it could need, as when there are
 * no data. A rank that has been held at the same call twice, and waits for itself, is let go. */
static void break_circle(struct session *session)
{
	bool is_stable = true;

	for (guint i = 0; i < session->members->len; i++) {
		struct member *member = member_at(session, i);
		const guint32 rank = (guint32)member->rank, held = held_at(session, rank),
			      before = member->held;

		member->held = held;
		if (!is_stable || held == 0 || held != before || !is_in_circle(session, rank))
			continue;
		atomic_store(&session->steps->step[rank].let_go, held);
		is_stable = false; /* the others may go on then */
	}
}

/* --- all of it -------------------------------------------------------------------------------- */

static bool wait_for_news(struct session *session)
{
	const guint count = session->members->len;
	bool is_anybody = false;
	int ready;

	for (guint i = 0; i < count; i++) {
		const struct member *member = member_at(session, i);

		session->ready[i] = (struct pollfd){.fd = member->news, .events = POLLIN};
		is_anybody |= member->news >= 0;
	}
	if (!is_anybody)
		return false;
	ready = poll(session->ready, count, LOOK_AGAIN);
	for (guint i = 0; ready > 0 && i < count; i++)
		if (session->ready[i].revents)
			read_news(session, member_at(session, i));
	if (ready == 0)
		break_circle(session);
	return true;
}

static void session_clear(struct session *session)
{
	for (guint i = 0; i < session->members->len; i++) {
		replay_rank_free(member_at(session, i)->replay);
		g_string_free(member_at(session, i)->text, true);
	}
	g_array_unref(session->members);
	g_free(session->ready);
	if (session->steps)
		munmap(session->steps, session->steps->size);
	if (session->memory >= 0)
		close(session->memory);
}

bool replay_in_step(const struct replay_in_step_options *options, GError **error)
{
	struct session session = {
		.options = options,
		.memory = -1,
		.members = g_array_new(false, false, sizeof(struct member)),
	};
	g_autoptr(GPtrArray) holds = learn(options, error);
	const bool is_ready = holds && share(&session, holds, error);

	if (is_ready) {
		for (int rank = 0; rank < options->count; rank++)
			if (options->ranks[rank])
				start_rank(&session, rank);
		session.ready = g_new(struct pollfd, session.members->len + 1);
		while (wait_for_news(&session))
			continue;
	}
	session_clear(&session);
	return is_ready;
}
