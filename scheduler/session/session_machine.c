#include "session_machine.h"

#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

#include "ckpt/agent.h"
#include "scheduler/host/child_reaper.h"
#include "scheduler/host/crash_recovery.h"
#include "scheduler/host/installation.h"
#include "scheduler/host/janitor.h"
#include "scheduler/host/local.h"
#include "session_internal.h"

/* Approximate needs of a rank: MPICH's own memory; and descriptors of matchpoint. */
#define RANK_BYTES (16u << 20)
#define RANK_DESCRIPTORS 4u
#define OUR_DESCRIPTORS 100u
#define RANK_TASKS 4u /* the rank and its keeper, each with a thread of UCX */
#define OUR_TASKS 8u
#define MANY_RANKS 256

/* In a rank, the shim's descriptors have high numbers, out of the program's range, with some more
 * behind them. */
#define LEAST_DESCRIPTORS (AGENT_WORLD_FD + 56u)
/* Bytes of shared memory that suffice for the output of one interleaving. */
#define ROOM_FOR_OUTPUT ((guint64)1 << 30)

/* Whether the machine has resources for this number of ranks. */
static bool enough_room(guint64 ranks, GError **error)
{
	guint64 memory = uv_get_free_memory(); /* available memory, caches included */
	struct rlimit files;
	guint64 needed;

	if (ranks * RANK_BYTES > memory) {
		g_set_error(error, SESSION_ERROR, 0,
		            "%u ranks need about %u MB of memory, and %u MB "
		            "are available: use fewer ranks, or a smaller -j",
		            (guint)ranks, (guint)(ranks * (RANK_BYTES >> 20)),
		            (guint)(memory >> 20));
		return false;
	}
	if (getrlimit(RLIMIT_NOFILE, &files) != 0)
		return true;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	needed = MAX(ranks * RANK_DESCRIPTORS + OUR_DESCRIPTORS, LEAST_DESCRIPTORS);
	if (needed > files.rlim_max) {
		g_set_error(error, SESSION_ERROR, 0,
		            "%u ranks need %u open files, more than a process may have here (%u): "
		            "raise the limit (ulimit -n)%s",
		            (guint)ranks, (guint)needed, (guint)files.rlim_max,
		            needed > LEAST_DESCRIPTORS ? ", use fewer ranks, or a smaller -j" : "");
		return false;
	}
	return true;
}

/* Tasks that the user, the system and the control group allow; the least of them. */
static guint64 most_tasks(void)
{
	static const char *const files[] = {"/proc/sys/kernel/pid_max",
	                                    "/proc/sys/kernel/threads-max",
	                                    "/sys/fs/cgroup/pids.max"};
	struct rlimit limit;
	guint64 most = G_MAXUINT64;

	if (geteuid() != 0 && getrlimit(RLIMIT_NPROC, &limit) == 0
	    && limit.rlim_cur != RLIM_INFINITY)
		most = limit.rlim_cur;
	for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
		g_autofree char *text = NULL;
		guint64 number = 0;

		if (g_file_get_contents(files[i], &text, NULL, NULL)
		    && g_ascii_string_to_unsigned(g_strchomp(text), 10, 1, G_MAXUINT64, &number,
		                                  NULL))
			most = MIN(most, number);
	}
	return most;
}

char *session_machine_warning(int ranks)
{
	guint64 tasks = (guint64)ranks * RANK_TASKS, most = most_tasks();
	guint64 memory = uv_get_free_memory();
	GString *text;

	if (ranks < MANY_RANKS && tasks + OUR_TASKS < most)
		return NULL;
	text = g_string_new(NULL);
	g_string_append_printf(
		text,
		"%d ranks need about %" G_GUINT64_FORMAT
		" processes and threads, and %" G_GUINT64_FORMAT
		" MB of memory besides the program's own (available: %" G_GUINT64_FORMAT " MB)",
		ranks, tasks + OUR_TASKS, (guint64)ranks * (RANK_BYTES >> 20), memory >> 20);
	if (tasks + OUR_TASKS >= most)
		g_string_append_printf(text,
		                       "; at most %" G_GUINT64_FORMAT
		                       " processes and threads are allowed (ulimit -u)",
		                       most);
	else
		g_string_append(text, "; errors seldom need so many ranks, and fewer are faster");
	return g_string_free(text, false);
}

static const char *place_of_journal(const struct session_options *options)
{
	return options->store ? options->store : g_get_tmp_dir();
}

/* Restores files that a killed predecessor left changed. A resumed exploration must find the files
 * as they were, or it would explore another program. A new exploration takes them as they are, with
 * a note. */
static bool put_back_left(struct session *session, GError **error)
{
	const struct session_options *options = session->options;
	GPtrArray *notes = session->exploration->notes;
	g_autoptr(GError) problem = NULL;

	if (!options->store || crash_recovery_put_back(options->store, notes, &problem))
		return true;
	if (!options->resume) {
		g_ptr_array_add(notes, g_strdup(problem->message));
		return true;
	}
	g_set_error(error, SESSION_ERROR, 0,
	            "%s: restore them by hand, remove that directory, and resume again",
	            problem->message);
	return false;
}

/* Links the journal into the run directory, where a cleanup after this process finds it. */
static bool link_journal(struct session *session, GError **error)
{
	g_autofree char *link = run_directory_file(session->directory, RUN_DIRECTORY_JOURNAL);

	if (symlink(journal_path(session->journal), link) == 0)
		return true;
	g_set_error(error, SESSION_ERROR, 0, "cannot write %s: %s", link, g_strerror(errno));
	return false;
}

/* Opens the journal if files must be restored: in an exploration, or in any session that returns to
 * snapshots. run and replay leave files as the program does. */
static bool open_journal(struct session *session, GError **error)
{
	const struct session_options *options = session->options;

	if (!put_back_left(session, error))
		return false;
	if (options->position || (!options->conduct && !g_str_equal(options->command, "explore")))
		return true;
	session->journal = journal_new(place_of_journal(options), error);
	return session->journal && link_journal(session, error);
}

bool session_machine_prepare(struct session *session, GError **error)
{
	const struct session_options *options = session->options;

	child_reaper_adopt();
	if (!enough_room((guint64)options->ranks * MAX(options->jobs, 1), error))
		return false;
	session->janitor = janitor_start(place_of_journal(options));
	crash_recovery_put_back_all(session->exploration->notes);
	session->directory = run_directory_new(options->ranks, options->run_parent, error);
	return session->directory != NULL;
}

bool session_machine_open(struct session *session, GError **error)
{
	const struct session_options *options = session->options;
	g_autofree char *shim = NULL;
	struct local_options local = {
		.directory = session->directory,
		.ranks = options->ranks,
		.nodes = options->nodes,
		.program = options->program,
		.launcher = options->launcher,
		.wrapper = options->wrapper,
		.standard_input = options->standard_input,
		.environment = options->environment,
		.virtual_time = options->virtual_time,
		.states = options->states,
		.notes = session->exploration->notes,
	};

	if (!open_journal(session, error)
	    || !cluster_words_read(options->launcher, &session->cluster, error))
		return false;
	if (session->cluster.kind != CLUSTER_NONE) {
		local.cluster = &session->cluster;
		local.launcher = session->cluster.launcher;
		session->exploration->backtrack_reason = g_strdup("ranks are on several machines");
	}
	session->output = output_place_new(session->directory, options->ranks, options->store);
	/* Only an exploration can begin again if output turns out to be too large. */
	if (options->output_on_disk
	    || (!session_explores(session)
	        && run_directory_room(session->directory) < ROOM_FOR_OUTPUT))
		output_place_use_disk(session->output);
	local.output = session->output;
	local.journal = session->journal;
	local.shim = shim = installation_find("libmatchpoint-shim.so", error);
	if (shim)
		local_open(session->host, &local);
	return shim != NULL;
}

void session_machine_close(struct session *session)
{
	child_reaper_end_all();
	journal_free(session->journal);
	output_place_free(session->output);
	run_directory_free(session->directory);
	janitor_end(session->janitor);
	local_free(session->host);
	cluster_words_clear(&session->cluster);
}
