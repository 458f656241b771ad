#include "crash_recovery.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "ckpt/journal.h"
#include "environment.h"
#include "run_directory.h"

#define GIVE_UP_US (10 * G_USEC_PER_SEC)
#define STEP_US 5000

static bool kill_all(const char *variable, const char *value)
{
	GDir *processes = g_dir_open("/proc", 0, NULL);
	bool any = false;
	const char *name;

	while (processes && (name = g_dir_read_name(processes))) {
		pid_t pid = (pid_t)atoi(name);

		if (pid > 0 && pid != getpid() && environment_has(name, variable, value))
			any |= kill(pid, SIGKILL) == 0;
	}
	if (processes)
		g_dir_close(processes);
	return any;
}

/* Kills all processes that have this variable in their environment, until there are none. Returns
 * false if that takes too long. */
static bool end_processes(const char *variable, const char *value)
{
	gint64 deadline = g_get_monotonic_time() + GIVE_UP_US;

	while (kill_all(variable, value)) {
		if (g_get_monotonic_time() > deadline)
			return false;
		g_usleep(STEP_US);
	}
	return true;
}

/* A rank ends when its connection to the scheduler is lost, but not while it computes. */
static bool vacate(const char *journal)
{
	return end_processes(ENVIRONMENT_JOURNAL, journal);
}

static void note(const struct journal_recovery *recovery, GPtrArray *notes)
{
	g_ptr_array_add(notes, g_strdup("an earlier exploration was killed before it had put the "
	                                "program's files back; that is done now"));
	if (recovery->replaced)
		g_ptr_array_add(notes, g_strdup_printf("what was written to these files after it "
		                                       "was killed is kept in %s",
		                                       recovery->replaced));
	for (guint i = 0; i < recovery->problems->len; i++)
		g_ptr_array_add(notes, g_strdup(recovery->problems->pdata[i]));
}

static bool put_back(const char *journal, GPtrArray *notes, GError **error)
{
	struct journal_recovery recovery;
	g_autoptr(GError) problem = NULL;
	bool good = journal_recover(journal, vacate, &recovery, &problem);

	if (good && recovery.problems && notes)
		note(&recovery, notes);
	if (!good)
		g_set_error(
			error, G_FILE_ERROR, G_FILE_ERROR_FAILED,
			"an earlier exploration was killed before it had put the program's "
			"files back, and they cannot be put back now: %s; their former contents "
			"are in %s",
			problem->message, journal);
	journal_recovery_clear(&recovery);
	return good;
}

bool crash_recovery_put_back(const char *place, GPtrArray *notes, GError **error)
{
	g_autoptr(GPtrArray) journals = journal_list(place);

	for (guint i = 0; i < journals->len; i++) {
		if (!put_back(journals->pdata[i], notes, error))
			return false;
	}
	return true;
}

void crash_recovery_put_back_all(GPtrArray *notes)
{
	bool held;
	g_auto(GStrv) directories = run_directory_left_by(0, NULL, &held);

	for (char **directory = directories; *directory; directory++) {
		g_autofree char *link = g_build_filename(*directory, RUN_DIRECTORY_JOURNAL, NULL);
		g_autofree char *journal = g_file_read_link(link, NULL);

		if (journal)
			put_back(journal, notes, NULL);
	}
}
