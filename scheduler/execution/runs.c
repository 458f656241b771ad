#include "runs.h"

#include "explorer/rank_name.h"
#include "runs_internal.h"
#include "scheduler/tools/log.h"

#define LAUNCHER_LIMIT_S 5.0 /* limit for the job to end after its ranks */
/* Snapshots that are lost so often, with no more executions between two losses, would be lost for
 * ever: the program ends their processes, or memory is too small for them. */
#define LOSSES_MOST 3
#define LOSSES_APART 100

G_DEFINE_QUARK(matchpoint_runs_error, runs_error)

static void clear_need(void *need)
{
	g_free(((struct runs_need *)need)->command);
}

struct runs *runs_new(const struct runs_options *options, GError **error)
{
	struct runs *runs = g_new0(struct runs, 1);
	const struct snapshots_options snapshots = {
		.host = options->host,
		.ranks = options->ranks,
		.memory_most = options->memory_most,
		.enabled = options->snapshots,
		.rewinds = options->snapshots && options->rewinds && !options->wrapper,
		.images = options->images,
		.client = &execution_snapshots_client,
		.user = runs};

	runs->options = *options;
	runs->host = options->host;
	runs->client = options->client;
	runs->ranks = options->ranks;
	runs->snapshots = snapshots_new(&snapshots);
	runs->sites = sites_new(options->host);
	runs->needs = g_array_new(false, false, sizeof(struct runs_need));
	g_array_set_clear_func(runs->needs, clear_need);
	runs->polled_in_vain = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	if (runs->host->operations->listen(runs->host, &runs_listener, runs, error))
		return runs;
	runs_close(runs);
	runs_free(runs);
	return NULL;
}

void runs_free(struct runs *runs)
{
	if (!runs)
		return;
	snapshots_free(runs->snapshots);
	g_hash_table_unref(runs->polled_in_vain);
	g_array_unref(runs->needs);
	sites_free(runs->sites);
	g_free(runs);
}

void runs_stop(struct runs *runs)
{
	if (runs)
		runs->stopped = true;
}

double runs_fingerprint_seconds(const struct runs *runs)
{
	return runs ? (double)runs->fingerprint_us / G_USEC_PER_SEC : 0;
}

void runs_leave_states(struct runs *runs)
{
	runs->options.states = false;
}

void runs_hurry(struct runs *runs)
{
	if (runs)
		runs->hurried = true;
}

bool runs_are_untimed(const struct runs *runs)
{
	return runs->options.wrapper && !runs->options.wrapper->is_timed;
}

void runs_report_struck(const struct runs *runs, const char *what)
{
	if (runs->client->struck)
		runs->client->struck(runs->options.user, what);
}

void runs_fail(struct runs *runs, const char *format, ...)
{
	g_autofree char *message = NULL;
	va_list arguments;

	va_start(arguments, format);
	message = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	runs->stopped = true;
	runs->client->fail(runs->options.user, message);
}

void runs_need(struct runs *runs, int root, const struct wire_needs *needs, const char *where)
{
	/* executions side by side may come to the same spawn */
	for (guint32 i = 0; i < needs->count && !runs->stopped; i++) {
		const struct runs_need need = {root, (int)needs->spawn, (int)needs->list[i].count,
		                               g_strdup(needs->list[i].command)};

		g_array_append_val(runs->needs, need);
	}
	runs_fail(runs, "rank %s spawns processes, at %s, for which this job has no room",
	          rank_name(root), where);
}

const GArray *runs_needs(const struct runs *runs)
{
	return runs->needs;
}

bool runs_take_snapshots(const struct runs *runs)
{
	return snapshots_are_enabled(runs->snapshots) && snapshots_root(runs->snapshots);
}

guint runs_forward_ms(const struct runs *runs)
{
	return runs->forward_ms;
}

guint runs_count(const struct runs *runs)
{
	return runs ? snapshots_count_executions(runs->snapshots) : 0;
}

void runs_each(struct runs *runs, void (*function)(struct execution *execution, void *user),
               void *user)
{
	if (runs)
		snapshots_each_execution(runs->snapshots, function, user);
}

static void look_at_execution(struct execution *execution, void *user)
{
	(void)user;
	execution_look_for_absent(execution);
	execution_look(execution);
}

void runs_look(struct runs *runs)
{
	if (runs)
		runs->host->operations->lives(runs->host);
	runs_each(runs, look_at_execution, NULL);
}

static void interrupt(struct execution *execution, void *rank)
{
	struct host *host = execution->runs->host;

	if (execution->placement.slots[*(const int *)rank].link)
		host->operations->interrupt(host, execution_pid(execution, *(const int *)rank));
}

bool runs_interrupt_debugged(struct runs *runs)
{
	const struct wrapper *wrapper = runs ? runs->options.wrapper : NULL;

	if (!wrapper || !wrapper->terminal)
		return false;
	runs_each(runs, interrupt, (void *)&wrapper->rank);
	return runs_count(runs) > 0;
}

void runs_send_off(const struct runs *runs)
{
	if (runs->host->operations->send_off)
		runs->host->operations->send_off(runs->host);
}

bool runs_pump(struct runs *runs, bool (*condition)(void *data), void *data, double seconds)
{
	return host_wait(runs->host, condition, data, seconds);
}

/* --- snapshots ------------------------------------------------------------------------------- */

struct snapshots *runs_snapshots(const struct runs *runs)
{
	return runs->snapshots;
}

bool runs_go_back(const struct runs *runs)
{
	return runs && snapshots_are_enabled(runs->snapshots);
}

bool runs_may_begin_beside(const struct runs *runs)
{
	return !snapshots_are_enabled(runs->snapshots)
	       || (snapshots_root(runs->snapshots) && !runs->lost);
}

static void fall_back(struct execution *execution, void *user)
{
	(void)user;
	execution_fall_back(execution);
}

void runs_fall_back(struct runs *runs, char *reason)
{
	snapshots_disable(runs->snapshots);
	runs->client->fall_back(runs->options.user, reason);
	runs_each(runs, fall_back, NULL);
}

static void begin_anew(struct execution *execution, void *reason)
{
	if (execution_begins_again(execution))
		return;
	execution_fall_back(execution);
	if (execution_begins_again(execution))
		runs_report_struck(execution->runs, reason);
}

void runs_lose_snapshots(struct runs *runs, char *reason)
{
	g_autofree char *why = reason;

	if (runs->lost || !snapshots_are_enabled(runs->snapshots))
		return;
	if (runs->begun - runs->begun_at_loss > LOSSES_APART)
		runs->losses_in_turn = 0;
	runs->begun_at_loss = runs->begun;
	if (runs->options.wrapper || ++runs->losses_in_turn > LOSSES_MOST) {
		runs_fall_back(runs, g_steal_pointer(&why));
		return;
	}
	log_debug(LOG_SNAPSHOTS, "all snapshots are given up: %s", why);
	runs->lost = true;
	runs_each(runs, begin_anew, why);
}

void runs_keep_images(struct runs *runs, bool images)
{
	runs->options.images = images;
	snapshots_keep_images(runs->snapshots, images);
}

bool runs_job_is_running(const struct runs *runs, const struct host_job *job)
{
	return job && runs->host->operations->job_is_running(job);
}

void runs_free_job(struct runs *runs, struct host_job *job)
{
	if (job)
		runs->host->operations->job_free(job);
}

static bool job_is_gone(void *data)
{
	const struct runs *runs = data;

	return !runs_job_is_running(runs, runs->job);
}

static void runs_release_root(struct runs *runs)
{
	snapshots_release_all(runs->snapshots);
	if (runs->job && !runs->stopped)
		host_wait(runs->host, job_is_gone, runs, LAUNCHER_LIMIT_S);
	runs_free_job(runs, g_steal_pointer(&runs->job));
}

void runs_close(struct runs *runs)
{
	if (!runs)
		return;
	runs_release_root(runs);
	runs->host->operations->close_all(runs->host);
}

void runs_renew_job(struct runs *runs)
{
	if (runs_take_snapshots(runs) && !runs->lost)
		return;
	runs_release_root(runs);
	if (runs->lost)
		sites_forget(runs->sites, 0); /* that of all copies */
	runs->lost = false;
}
