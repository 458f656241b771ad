#include "recordings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "command_ranks.h"
#include "common/recording.h"
#include "mpi_calls.h"
#include "scheduler/recording/recorded_report.h"
#include "scheduler/recording/recording.h"
#include "scheduler/recording/replay_gdb.h"
#include "scheduler/recording/replay_in_step.h"
#include "scheduler/recording/replay_rank.h"
#include "scheduler/recording/roll_call.h"

/* --- making them ------------------------------------------------------------------------------ */

bool recordings_begin(const char *directory, struct wrapper *wrapper,
                      struct session_options *session)
{
	const struct recording_options options = {
		.program = session->program,
		.ranks = session->ranks,
		.nodes = session->nodes,
		.directory = directory,
		.input = session->standard_input,
	};
	g_autoptr(GError) error = NULL;

	if (!command_can_record(session->program, session->ranks))
		return false;
	wrapper->rank = -1;
	wrapper->is_timed = true;
	wrapper->words = recording_words(directory, &error);
	session->wrapper = wrapper;
	if (wrapper->words && recording_prepare(&options, &error))
		return true;
	command_complain("--record: %s", error->message);
	return false;
}

bool recordings_are_whole(const char *directory)
{
	g_autoptr(GPtrArray) all = roll_call(directory, NULL);
	bool fine = true;

	for (guint i = 0; all && i < all->len; i++) {
		const struct roll_call_entry *entry = all->pdata[i];

		if (entry->is_missing)
			command_complain("rank %d left no log", entry->rank);
		if (entry->error)
			command_complain("the log of rank %d ends in call %" G_GUINT64_FORMAT
			                 ": %s",
			                 entry->rank, entry->last_call, g_strerror(entry->error));
		if (entry->refused)
			command_complain("rank %d, call %" G_GUINT64_FORMAT
			                 ", %s: %s; the program ended there",
			                 entry->rank, entry->call, mpi_call_name(entry->refused),
			                 entry->reason);
		if (!entry->is_missing && !entry->error && entry->call == 0)
			command_complain("rank %d has made no call of MPI that was seen; a script "
			                 "must exec the program",
			                 entry->rank);
		fine &= !entry->is_missing && !entry->error && !entry->refused && entry->call > 0;
	}
	return fine;
}

/* --- replay ----------------------------------------------------------------------------------- */

/* Returns the exit status for it. */
static int show_end(int rank, const struct replay_rank *replay)
{
	static const enum exit_status statuses[] = {
		[REPLAY_RANK_WHOLE] = EXIT_CLEAN,
		[REPLAY_RANK_CUT] = EXIT_INCOMPLETE,
		[REPLAY_RANK_DIFFERS] = EXIT_FINDINGS,
		[REPLAY_RANK_CANNOT] = EXIT_CANNOT,
	};
	static const char why[] = " (an input that was changed, a race of threads, or a buffer "
				  "that was used before its request completed?)";

	if (replay->values)
		command_complain("rank %d: %s%s; the replay has gone on", rank, replay->values,
		                 why);
	if (replay->end != REPLAY_RANK_WHOLE)
		command_complain("rank %d: %s%s", rank, replay->text,
		                 replay->end == REPLAY_RANK_DIFFERS && !replay->values ? why : "");
	if (replay->values && replay->end != REPLAY_RANK_CANNOT)
		return EXIT_FINDINGS;
	return statuses[replay->end];
}

static int replay_one(const char *directory, int rank)
{
	g_autoptr(GError) error = NULL;
	struct replay_rank *replay = replay_rank(directory, rank, NULL, NULL, &error);
	int status;

	if (!replay) {
		command_complain("rank %d: %s", rank, error->message);
		return EXIT_CANNOT;
	}
	for (guint i = 0; i < replay->remarks->len; i++)
		command_complain("rank %d: %s", rank, (const char *)replay->remarks->pdata[i]);
	status = show_end(rank, replay);
	replay_rank_free(replay);
	return status;
}

static bool is_rank(const char *word, int count)
{
	guint64 rank;

	if (g_ascii_string_to_unsigned(word, 10, 0, (guint64)count - 1, &rank, NULL))
		return true;
	command_complain("--rank: there is no rank '%s' among %d", word, count);
	return false;
}

/* Whether all these are ranks of the recording, whose number is *ret_count. Else *ret_status is the
 * exit status, and it is printed why. */
static bool are_ranks(const char *directory, char **words, int *ret_count, int *ret_status)
{
	g_autoptr(GError) error = NULL;

	*ret_count = recording_ranks(directory, &error);
	*ret_status = *ret_count == 0 ? EXIT_CANNOT : EXIT_USAGE;
	if (*ret_count == 0)
		command_complain("%s", error->message);
	for (; *ret_count > 0 && *words; words++)
		if (!is_rank(*words, *ret_count))
			return false;
	return *ret_count > 0;
}

int recordings_replay(const char *directory, const char *ranks)
{
	g_auto(GStrv) words = g_strsplit(ranks, ",", -1);
	int worst = EXIT_CLEAN, count, status;

	if (!are_ranks(directory, words, &count, &status))
		return status;
	for (int i = 0; words[i]; i++) {
		status = replay_one(directory, atoi(words[i]));
		worst = MAX(worst, status);
	}
	return worst;
}

/* --- in step ---------------------------------------------------------------------------------- */

static void show_remark(void *user, int rank, const char *text)
{
	(void)user;
	command_complain("rank %d: %s", rank, text);
}

static void show_rank_end(void *user, int rank, const struct replay_rank *replay)
{
	int *worst = user, status = show_end(rank, replay);

	*worst = MAX(*worst, status);
}

static void show_failure(void *user, int rank, const char *text)
{
	int *worst = user;

	command_complain("rank %d: %s", rank, text);
	*worst = EXIT_CANNOT;
}

int recordings_replay_in_step(const char *directory, const char *ranks)
{
	g_auto(GStrv) words = g_strsplit(ranks ? ranks : "", ",", -1);
	g_autofree bool *here = NULL;
	g_autoptr(GError) error = NULL;
	int worst = EXIT_CLEAN, status;
	struct replay_in_step_options options = {.directory = directory,
	                                         .remark = show_remark,
	                                         .ended = show_rank_end,
	                                         .failed = show_failure,
	                                         .user = &worst};

	if (!are_ranks(directory, words, &options.count, &status))
		return status;
	options.ranks = here = g_new0(bool, options.count);
	for (int rank = 0; !ranks && rank < options.count; rank++)
		here[rank] = true;
	for (int i = 0; words[i]; i++)
		here[atoi(words[i])] = true;
	if (replay_in_step(&options, &error))
		return worst;
	command_complain("%s", error->message);
	return EXIT_CANNOT;
}

/* --- where a rank stands ---------------------------------------------------------------------- */

static char *describe_entry(const struct roll_call_entry *entry)
{
	g_autoptr(GString) text = g_string_new(NULL);

	g_string_append_printf(text, "%s call %" G_GUINT64_FORMAT ", %s",
	                       entry->is_inside ? "stands in" : "has returned from", entry->call,
	                       mpi_call_name(entry->function));
	if (entry->peer != RECORDING_NOTHING && entry->peer >= 0)
		g_string_append_printf(text, ", with rank %d", entry->peer);
	else if (entry->peer != RECORDING_NOTHING)
		g_string_append(text, ", with any rank");
	if (entry->tag != RECORDING_NOTHING && entry->tag >= 0)
		g_string_append_printf(text, ", tag %d", entry->tag);
	if (entry->where)
		g_string_append_printf(text, ", at %s", entry->where);
	return g_strdup(text->str);
}

/* --- gdb -------------------------------------------------------------------------------------- */

static char *describe_place(const struct recording_place *place)
{
	const struct roll_call_entry entry = {
		.call = place->call,
		.function = place->function,
		.is_inside = place->inside,
		.peer = place->peer,
		.tag = place->tag,
	};

	return place->call > 0 ? describe_entry(&entry) : g_strdup("stands before its first call");
}

static void tell(const char *line)
{
	command_complain("%s", line);
}

int recordings_debug(const char *directory, const char *rank, const char *listen, char **arguments)
{
	g_autoptr(GError) error = NULL;
	struct replay_gdb_options options = {
		.directory = directory,
		.listen = listen,
		.arguments = arguments,
		.describe = describe_place,
		.tell = tell,
	};
	const int count = recording_ranks(directory, &error);

	if (count == 0) {
		command_complain("%s", error->message);
		return EXIT_CANNOT;
	}
	if (strchr(rank, ',')) {
		command_complain("gdb goes back in one rank at a time: --rank R");
		return EXIT_USAGE;
	}
	if (!is_rank(rank, count))
		return EXIT_USAGE;
	options.rank = atoi(rank);
	if (replay_gdb(&options, &error))
		return EXIT_CLEAN;
	command_complain("rank %d: %s", options.rank, error->message);
	return EXIT_CANNOT;
}

/* --- report ----------------------------------------------------------------------------------- */

static void print_entry(const struct roll_call_entry *entry)
{
	g_autofree char *place = describe_entry(entry);

	if (entry->is_missing)
		printf("rank %d: left no log\n", entry->rank);
	else if (entry->has_ended)
		printf("rank %d: has ended, after %" G_GUINT64_FORMAT " calls\n", entry->rank,
		       entry->call);
	else if (entry->call == 0)
		printf("rank %d: has made no call of MPI\n", entry->rank);
	else
		printf("rank %d: %s\n", entry->rank, place);
	if (entry->refused)
		printf("rank %d: %s: %s\n", entry->rank, mpi_call_name(entry->refused),
		       entry->reason);
	if (entry->error)
		printf("rank %d: the log ends in call %" G_GUINT64_FORMAT ": %s\n", entry->rank,
		       entry->last_call, g_strerror(entry->error));
	if (entry->damage)
		printf("rank %d: %s\n", entry->rank, entry->damage);
}

int recordings_report(const char *directory)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) all = roll_call(directory, &error);
	bool whole = true;

	if (!all) {
		command_complain("%s", error->message);
		return EXIT_CANNOT;
	}
	for (guint i = 0; i < all->len; i++) {
		const struct roll_call_entry *entry = all->pdata[i];

		print_entry(entry);
		whole &= !entry->damage && !entry->is_missing;
	}
	return whole ? EXIT_CLEAN : EXIT_CANNOT;
}

/* --- other reports ---------------------------------------------------------------------------- */

/* "--json, --html, ..." */
static char *possible_reports(void)
{
	GString *text = g_string_new(NULL);

	for (int i = 1; report_list()[i]; i++)
		if (report_list()[i]->shows_recordings)
			g_string_append_printf(text, "%s--%s", text->len > 0 ? ", " : "",
			                       report_list()[i]->name);
	return g_string_free(text, false);
}

bool recordings_can_report(const struct command_options *options)
{
	g_autofree char *possible = possible_reports();

	for (int i = 1; report_list()[i]; i++) {
		if (!options->reports[i] || report_list()[i]->shows_recordings)
			continue;
		command_complain(
			"--%s: in a recorded run nothing was checked; of a recording there "
			"are %s",
			report_list()[i]->name, possible);
		return false;
	}
	if (options->execution <= 1)
		return true;
	command_complain("--execution %d: a recording is of one run", options->execution);
	return false;
}

int recordings_make_store(const char *directory, const char *store, bool *ret_made)
{
	g_autoptr(GError) error = NULL;
	bool is_whole;

	*ret_made = recorded_report_make(directory, store, &is_whole, &error);
	if (!*ret_made)
		command_complain("%s", error->message);
	return *ret_made && is_whole ? EXIT_CLEAN : EXIT_CANNOT;
}
