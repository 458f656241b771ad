#include "runs.h"

#include "held_ranks.h"
#include "image.h"
#include "runs_internal.h"
#include "scheduler/tools/log.h"

#define LAUNCHER_LIMIT_S 5.0 /* limit for the job to end after its ranks */
#define PROCESSES_MOST 4096  /* of keepers */
#define ALONG_MOST 4         /* snapshots along paths; the oldest stay, as most begin there */
#define REFUSALS_MOST 8      /* in a row, for each rank, until no rank is rewound */
/* Snapshots that are lost so often, with no more executions between two losses, would be lost for
 * ever: the program ends their processes, or memory is too small for them. */
#define LOSSES_MOST 3
#define LOSSES_APART 100

G_DEFINE_QUARK(matchpoint_runs_error, runs_error)

static guint64 memory_of(pid_t process, void *host)
{
	return ((struct host *)host)->operations->memory_of(host, process);
}

struct runs *runs_new(const struct runs_options *options, GError **error)
{
	struct runs *runs = g_new0(struct runs, 1);

	runs->options = *options;
	runs->host = options->host;
	runs->client = options->client;
	runs->ranks = options->ranks;
	runs->snapshots = options->snapshots;
	runs->rewinds = options->snapshots && options->rewinds && !options->wrapper;
	runs->all = g_hash_table_new(NULL, NULL);
	runs->sites = sites_new(options->host);
	runs->polled_in_vain = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	runs->set = snapshot_set_new(options->memory_most, PROCESSES_MOST, memory_of,
	                             options->host);
	runs->snapshot = g_ptr_array_new();
	if (runs->host->operations->listen(runs->host, &runs_listener, runs, error))
		return runs;
	runs_close(runs);
	runs_free(runs);
	return NULL;
}

void runs_close(struct runs *runs)
{
	if (!runs)
		return;
	runs_release_root(runs);
	runs->host->operations->close_all(runs->host);
}

void runs_free(struct runs *runs)
{
	if (!runs)
		return;
	snapshot_set_free(runs->set);
	g_ptr_array_unref(runs->snapshot);
	g_hash_table_destroy(runs->all);
	g_hash_table_unref(runs->polled_in_vain);
	sites_free(runs->sites);
	g_free(runs->rewinding.reason);
	g_free(runs);
}

void runs_stop(struct runs *runs)
{
	if (runs)
		runs->stopped = true;
}

void runs_note_fingerprint(struct runs *runs, gint64 microseconds)
{
	runs->fingerprint_us += microseconds;
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

int runs_ranks(const struct runs *runs)
{
	return runs->ranks;
}

struct host *runs_host(const struct runs *runs)
{
	return runs->host;
}

struct events *runs_events(const struct runs *runs)
{
	return runs->options.events;
}

bool runs_rewind(const struct runs *runs)
{
	return runs->rewinds && runs->snapshots
	       && runs->rewinding.refused_in_turn < REFUSALS_MOST * (guint)runs->ranks;
}

const struct wrapper *runs_wrapper(const struct runs *runs)
{
	return runs->options.wrapper;
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

void runs_report_gone(const struct runs *runs, struct execution *execution)
{
	if (runs->client->gone)
		runs->client->gone(execution_owner(execution), execution,
		                   execution_directory(execution));
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

bool runs_take_snapshots(const struct runs *runs)
{
	return runs->snapshots && runs->root;
}

void runs_note_polled_in_vain(struct runs *runs, guint64 places)
{
	g_hash_table_add(runs->polled_in_vain, g_memdup2(&places, sizeof places));
}

bool runs_have_polled_in_vain(const struct runs *runs, guint64 places)
{
	return g_hash_table_contains(runs->polled_in_vain, &places);
}

void runs_note_forward(struct runs *runs, guint milliseconds)
{
	runs->forward_ms = MAX(runs->forward_ms, milliseconds);
}

guint runs_forward_ms(const struct runs *runs)
{
	return runs->forward_ms;
}

guint runs_count(const struct runs *runs)
{
	return runs ? g_hash_table_size(runs->all) : 0;
}

struct execution *runs_find(const struct runs *runs, guint32 world)
{
	return g_hash_table_lookup(runs->all, GUINT_TO_POINTER(world));
}

void runs_each(struct runs *runs, void (*function)(struct execution *execution, void *user),
               void *user)
{
	g_autoptr(GList) all = runs ? g_hash_table_get_values(runs->all) : NULL;

	for (GList *item = all; item; item = item->next)
		function(item->data, user);
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

bool runs_interrupt_debugged(struct runs *runs)
{
	const struct wrapper *wrapper = runs ? runs->options.wrapper : NULL;
	GHashTableIter iter;
	void *value;

	if (!wrapper || !wrapper->terminal)
		return false;
	g_hash_table_iter_init(&iter, runs->all);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const struct execution *execution = value;

		if (execution_link(execution, wrapper->rank))
			runs->host->operations->interrupt(runs->host,
			                                  execution_pid(execution, wrapper->rank));
		return true;
	}
	return false;
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

bool runs_go_back(const struct runs *runs)
{
	return runs && runs->snapshots;
}

bool runs_may_begin_beside(const struct runs *runs)
{
	return !runs->snapshots || (runs->root && !runs->lost);
}

const struct rewinding *runs_rewinding(const struct runs *runs)
{
	return &runs->rewinding;
}

static void fall_back(struct execution *execution, void *user)
{
	(void)user;
	execution_fall_back(execution);
}

void runs_fall_back(struct runs *runs, char *reason)
{
	runs->snapshots = false;
	runs->client->fall_back(runs->options.user, reason);
	runs_each(runs, fall_back, NULL);
}

static void begin_anew(struct execution *execution, void *reason)
{
	const struct run_result *result = execution_result(execution);

	if (result->again)
		return;
	execution_fall_back(execution);
	if (result->again)
		runs_report_struck(execution_runs(execution), reason);
}

void runs_lose_snapshots(struct runs *runs, char *reason)
{
	g_autofree char *why = reason;

	if (runs->lost || !runs->snapshots)
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

/* Whether a snapshot may be released: there are no copies of it. */
static bool may_go(const struct snapshot_entry *entry)
{
	const struct snapshot *snapshot = snapshot_entry_owner(entry);

	return snapshot != snapshot->runs->root && snapshot->children == 0;
}

void runs_release_snapshots(struct runs *runs,
                            bool (*needed)(const struct world *world, void *user), void *user)
{
	struct snapshot_entry *victim;
	guint along = 0;

	for (guint i = 0; i < runs->snapshot->len; i++)
		along += ((struct snapshot *)runs->snapshot->pdata[i])->along;
	for (guint i = runs->snapshot->len; i-- > 0;) {
		struct snapshot *snapshot = runs->snapshot->pdata[i];

		if (snapshot == runs->root || snapshot->children > 0
		    || (snapshot->along && along-- <= ALONG_MOST)
		    || (!image_is_lost(snapshot) && needed(snapshot->world, user)))
			continue;
		snapshot_release(snapshot);
	}
	while (!snapshot_set_has_room(runs->set, 0) && held_ranks_end_oldest(runs, false))
		;
	while ((victim = snapshot_set_evict(runs->set, may_go)))
		snapshot_release(snapshot_entry_owner(victim));
	while (!snapshot_set_has_room(runs->set, 0) && held_ranks_end_oldest(runs, true))
		;
}

void runs_each_snapshot(const struct runs *runs,
                        void (*look)(const struct world *world, void *user), void *user)
{
	for (guint i = 0; runs && i < runs->snapshot->len; i++) {
		const struct snapshot *snapshot = runs->snapshot->pdata[i];

		if (!image_is_lost(snapshot))
			look(snapshot->world, user);
	}
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

void runs_release_root(struct runs *runs)
{
	while (runs->snapshot->len > 0)
		snapshot_release(runs->snapshot->pdata[runs->snapshot->len - 1]);
	if (runs->job && !runs->stopped)
		host_wait(runs->host, job_is_gone, runs, LAUNCHER_LIMIT_S);
	runs_free_job(runs, g_steal_pointer(&runs->job));
}

void runs_renew_job(struct runs *runs)
{
	if (runs->snapshots && runs->root && !runs->lost)
		return;
	runs_release_root(runs);
	if (runs->lost)
		sites_forget(runs->sites, 0); /* that of all copies */
	runs->lost = false;
}
