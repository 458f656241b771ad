/* Programs that spawn processes: the job must have them from the beginning. If it has too few, the
 * session begins again with more. Ranks keep their numbers, as more processes come behind all
 * others (docs/internals/worlds.md). */
#include "explorer/program_parts.h"
#include "scheduler/host/program.h"
#include "scheduler/store/reader.h"
#include "session_internal.h"

/* "-n 1 ./parent : -n 3 -spawned 0.1 ./child" */
static char *print_line(char *const *program, int ranks)
{
	g_autofree char *words = g_strjoinv(" ", (char **)(uintptr_t)program);

	return g_strdup_printf("-n %d %s", ranks - program_parts_behind(program, NULL), words);
}

/* Whether the rank's spawn of this number is as the one that is needed. */
static bool spawned_alike(const GArray *parts, const struct runs_need *need, int spawn)
{
	for (guint i = 0; i < parts->len; i++) {
		const struct program_part *part = &g_array_index(parts, struct program_part, i);

		if (part->spawn == spawn && part->root == need->root && part->ranks == need->count
		    && g_str_equal(part->words[0], need->command))
			return true;
	}
	return false;
}

/* How often the rank has spawned the same before, in a row. */
static int times_before(char *const *program, int ranks, const struct runs_need *need)
{
	g_autofree char *problem = NULL;
	g_autoptr(GArray) parts = program_parts(program, ranks, &problem);
	int spawn = need->spawn - 1;

	while (parts && spawn > 0 && spawned_alike(parts, need, spawn))
		spawn--;
	return need->spawn - 1 - spawn;
}

/* A rank that has spawned the same several times goes on so, mostly. Then as many as before are
 * added at once: else, the job would begin again for each of them. Processes that nobody spawns
 * wait until the end. */
enum { TIMES_ALIKE = 3, MORE_MOST = 64 };

static int spawns_to_add(char *const *program, int ranks, const struct runs_need *need)
{
	int times = times_before(program, ranks, need);

	return times < TIMES_ALIKE ? 1 : 1 + MIN(times, MORE_MOST / need->count);
}

static char **add_processes(char *const *program, int ranks, const GArray *needs)
{
	char **larger = g_strdupv((char **)(uintptr_t)program);

	for (guint i = 0; i < needs->len; i++) {
		const struct runs_need *need = &g_array_index(needs, struct runs_need, i);
		int spawns = spawns_to_add(program, ranks, need);

		for (int j = 0; j < spawns; j++) {
			char **more = program_parts_add(larger, need->count, need->root,
			                                need->spawn + j, need->command);

			g_strfreev(larger);
			larger = more;
		}
	}
	return larger;
}

/* The commands can be under control. Otherwise the session's error says why not. */
static bool are_usable(struct session *session, const GArray *needs)
{
	for (guint i = 0; i < needs->len; i++) {
		g_autoptr(GError) error = NULL;

		if (program_usable(g_array_index(needs, struct runs_need, i).command, &error))
			continue;
		g_clear_error(&session->error);
		session_fail(session, "the program spawns another one: %s", error->message);
		return false;
	}
	return true;
}

char **session_larger_job(struct session *session)
{
	const struct session_options *options = session->options;
	const GArray *needs = session->runs ? runs_needs(session->runs) : NULL;
	g_auto(GStrv) larger = NULL;
	g_autofree char *message = NULL, *line = NULL;
	int ranks;

	if (!needs || needs->len == 0 || !session->error || !are_usable(session, needs))
		return NULL;
	larger = add_processes(options->program, options->ranks, needs);
	ranks = options->ranks + program_parts_behind(larger, NULL)
	        - program_parts_behind(options->program, NULL);
	/* the ranks of a path, a position or a checkpoint are given */
	if (!options->restart && !options->from && !options->nodes && !options->resume
	    && options->shards == 0
	    && (!options->conduct
	        || (options->take_larger
	            && options->take_larger(options->scripted, larger, ranks))))
		return g_steal_pointer(&larger);
	message = g_strdup(session->error->message);
	line = print_line(larger, ranks);
	g_clear_error(&session->error);
	session_fail(session, "%s; name them: %s", message, line);
	return NULL;
}

char **session_known_job(const struct session_options *options)
{
	g_autoptr(StoreReader) reader = options->resume && options->store
	                                        ? store_reader_open(options->store, NULL)
	                                        : NULL;
	const struct record_exploration *past = reader ? store_reader_exploration(reader) : NULL;
	const guint own = g_strv_length(options->program);

	if (!past || program_parts_at_once(past->program, past->ranks) != options->ranks
	    || past->ranks == options->ranks || g_strv_length(past->program) <= own)
		return NULL;
	for (guint i = 0; i < own; i++)
		if (!g_str_equal(past->program[i], options->program[i]))
			return NULL;
	return g_strdupv(past->program);
}

void session_note_spawned(struct session *session)
{
	const struct session_options *options = session->options;
	int more = options->ranks - program_parts_at_once(options->program, options->ranks);

	if (more > 0 && options->verbose)
		g_ptr_array_add(session->exploration->notes,
		                g_strdup_printf("%d process%s of the job wait%s to be spawned",
		                                more, more == 1 ? "" : "es", more == 1 ? "s" : ""));
}
