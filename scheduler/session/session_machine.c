#include "session_machine.h"

#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

#include "ckpt/agent.h"
#include "scheduler/host/child_reaper.h"
#include "scheduler/host/crash_recovery.h"
#include "scheduler/host/janitor.h"
#include "scheduler/host/local.h"
#include "session_internal.h"

/* A rank takes about this much: MPICH's own memory; and these descriptors of ours. */
#define RANK_BYTES (16u << 20)
#define RANK_DESCRIPTORS 4u
#define OUR_DESCRIPTORS 100u

/* A rank has the shim's descriptors out of the program's way, and some more behind them. */
#define LEAST_DESCRIPTORS (AGENT_WORLD_FD + 56u)

/* Whether the machine can hold so many ranks at all. */
static bool enough_room(guint64 ranks, GError **error)
{
	guint64 memory = uv_get_free_memory(); /* what is available, caches included */
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

static const char *place_of_journal(const struct session_options *options)
{
	return options->store ? options->store : g_get_tmp_dir();
}

/* What a predecessor that was killed has left changed must not become part of what is explored: an
 * exploration that is gone on with would be that of another program. One that begins takes the
 * files as they are, with a note. */
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
	            "%s: put them back by hand, and remove that directory, to go on with the "
	            "exploration",
	            problem->message);
	return false;
}

/* Whoever cleans up after this process finds the journal by it. */
static bool link_journal(struct session *session, GError **error)
{
	g_autofree char *link = run_directory_file(session->directory, RUN_DIRECTORY_JOURNAL);

	if (symlink(journal_path(session->journal), link) == 0)
		return true;
	g_set_error(error, SESSION_ERROR, 0, "cannot write %s: %s", link, g_strerror(errno));
	return false;
}

/* An exploration, or what goes back otherwise, leaves the files as they were; run and replay leave
 * them as the program does. */
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

static char *find_shim(GError **error)
{
	char path[4096];
	size_t size = sizeof(path);
	g_autofree char *directory = NULL;
	char *beside;

	if (uv_exepath(path, &size) == 0) {
		directory = g_path_get_dirname(path);
		beside = g_build_filename(directory, "libmatchpoint-shim.so", NULL);
		if (access(beside, R_OK) == 0)
			return beside;
		g_free(beside);
		/* An installed tree may have been moved as a whole. */
		beside = g_canonicalize_filename(MATCHPOINT_SHIM_FROM_BIN, directory);
		if (access(beside, R_OK) == 0)
			return beside;
		g_free(beside);
	}
	if (access(MATCHPOINT_SHIM_INSTALLED, R_OK) == 0)
		return g_strdup(MATCHPOINT_SHIM_INSTALLED);
	g_set_error(error, SESSION_ERROR, 0,
	            "libmatchpoint-shim.so is neither beside %s nor in %s from there nor at %s: "
	            "reinstall matchpoint",
	            path, MATCHPOINT_SHIM_FROM_BIN, MATCHPOINT_SHIM_INSTALLED);
	return NULL;
}

bool session_machine_prepare(struct session *session, GError **error)
{
	const struct session_options *options = session->options;

	child_reaper_adopt();
	if (!enough_room((guint64)options->ranks * MAX(options->jobs, 1), error))
		return false;
	session->janitor = janitor_start(place_of_journal(options));
	crash_recovery_put_back_all(session->exploration->notes);
	session->directory = run_directory_new(options->ranks, error);
	return session->directory != NULL;
}

bool session_machine_open(struct session *session, GError **error)
{
	const struct session_options *options = session->options;
	g_autofree char *shim = NULL;
	struct local_options local = {
		.directory = session->directory,
		.ranks = options->ranks,
		.program = options->program,
		.launcher = options->launcher,
		.wrapper = options->wrapper,
		.standard_input = options->standard_input,
		.virtual_time = options->virtual_time,
		.states = session_compares_states(options),
		.notes = session->exploration->notes,
	};

	if (!open_journal(session, error))
		return false;
	local.journal = session->journal;
	local.shim = shim = find_shim(error);
	if (shim)
		local_open(session->host, &local);
	return shim != NULL;
}

void session_machine_close(struct session *session)
{
	child_reaper_end_all();
	journal_free(session->journal);
	run_directory_free(session->directory);
	janitor_end(session->janitor);
	local_free(session->host);
}
