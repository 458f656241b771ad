/* The job that the launcher starts. With snapshots there is one, whose ranks all worlds are copied
 * from. Without, there is one for each execution. */
#include <string.h>

#include "restart.h"
#include "runs_internal.h"

/* No rank connected, although the library's output mentions MPI_Init. */
static const char *why_unseen(const struct execution *execution, const char *words)
{
	if (execution->placement.connected > 0 || !strstr(words, "MPI_Init"))
		return "";
	return "; MPI_Init was called past matchpoint, as when a program finds MPI's functions by "
	       "name (dlsym, Python's ctypes)";
}

/* Returns the execution whose ranks the job has started; NULL: it is the job of the snapshots. */
static struct execution *launched_by(const struct runs *runs, const struct host_job *job)
{
	g_autoptr(GList) all = runs_executions(runs);

	for (const GList *one = all; one; one = one->next)
		if (((const struct execution *)one->data)->job == job)
			return one->data;
	return NULL;
}

void runs_fail_restart(struct runs *runs, const struct host_job *job)
{
	g_autofree char *words = runs->host->operations->job_words(job);

	runs_fail(runs, "%s: it cannot be restarted: %s", runs->options.restart->checkpoint->path,
	          *words ? words : "its ranks ended");
}

void runs_job_ended(void *user, struct host_job *job, int status)
{
	struct runs *runs = user;
	struct execution *execution = launched_by(runs, job);
	g_autofree char *words = NULL;

	if (!execution) {
		if (snapshots_root(runs->snapshots))
			runs_lose_snapshots(runs,
			                    g_strdup_printf("the job launcher ended (status %d) "
			                                    "while its ranks were needed",
			                                    status));
		return;
	}
	if (execution_failed_to_start(execution))
		return;
	if (execution_result(execution)->phase != EXECUTION_STARTING) {
		execution_launcher_ended(execution, status);
		return;
	}
	if ((status > 128 || (status == 0 && execution->placement.connected > 0)
	     || rank_end_is_outside(runs->host->operations->job_signal(job)))
	    && execution_strike(execution, "the job while it was started"))
		return;
	if (execution->restarts) {
		runs_fail_restart(runs, job);
		return;
	}
	words = runs->host->operations->job_words(job);
	runs_fail(runs, "%s: the job ended with status %d before %s called MPI_Init%s%s%s",
	          runs->options.program, status,
	          execution->placement.connected == 0 ? "any rank" : "every rank had",
	          why_unseen(execution, words), *words ? "; it printed:\n" : "", words);
}

const GArray *runs_disconnect_order(const struct runs *runs, struct host_job *job)
{
	return runs->host->operations->job_disconnect_order(job ? job : runs->job);
}

struct host_job *runs_launch(struct runs *runs, struct placement *placement, bool restarts)
{
	const struct host_operations *host = runs->host->operations;
	struct host_job *job = NULL;
	g_autoptr(GError) error = NULL;
	guint32 number = snapshots_next_world(runs->snapshots);
	g_autofree char *directory = host->world_add(runs->host, number, &error);

	if (directory) {
		placement_put(placement, number, directory, NULL, NULL, false);
		job = restarts ? host->job_restart(runs->host, number, directory,
		                                   runs->options.restart->checkpoint, &error)
		               : host->job_start(runs->host, number, directory, &error);
	}
	if (!job)
		runs_fail(runs, "%s", error->message);
	return job;
}
