/* The host and the runs for worlds of fake ranks (fake_ranks.h): this machine is the host. A test's
 * own fixture begins with it. */
#ifndef FAKE_RUNS_H
#define FAKE_RUNS_H

#include "fake_ranks.h"

#include <signal.h>

#include "scheduler/execution/runs.h"
#include "scheduler/host/child_reaper.h"
#include "scheduler/host/launcher.h"
#include "scheduler/host/local.h"
#include "scheduler/liveness/stall.h"

enum { SOON = 200 }; /* ms */

struct fake_runs {
	uv_timer_t looker;
	struct run_directory *directory;
	struct host *host;
	struct communicators *comms;
	struct runs *runs;
	char *failure;
};

/* For a run_client whose user is the fixture. */
static void on_fail(void *user, const char *message)
{
	struct fake_runs *fake = user;

	g_free(fake->failure);
	fake->failure = g_strdup(message);
}

static void on_look(uv_timer_t *timer)
{
	runs_look(((struct fake_runs *)timer->data)->runs);
}

static void fake_runs_open(struct fake_runs *fake, const struct run_client *client)
{
	static char *program[] = {(char *)"fake", NULL};
	struct local_options local = {
		.shim = "libc.so.6", .ranks = RANKS, .program = program, .launcher = "fake"};
	struct runs_options options = {.ranks = RANKS,
	                               .program = program[0],
	                               .not_yet = 1,
	                               .snapshots = g_getenv(DIES_PARKED) != NULL,
	                               .client = client,
	                               .user = fake};

	fake->host = local_new();
	uv_timer_init(local_loop(fake->host), &fake->looker);
	fake->looker.data = fake;
	uv_timer_start(&fake->looker, on_look, STALL_LOOK_MS, STALL_LOOK_MS);
	child_reaper_adopt();
	local.directory = fake->directory = run_directory_new(RANKS, NULL, NULL);
	local_open(fake->host, &local);
	options.host = fake->host;
	options.comms = fake->comms = communicators_new(RANKS);
	fake->runs = runs_new(&options, NULL);
}

/* Only closing handles of the test may be left in the host's loop. */
static void fake_runs_close(struct fake_runs *fake)
{
	runs_close(fake->runs);
	uv_close((uv_handle_t *)&fake->looker, NULL);
	fake->host->operations->drain(fake->host);
	assert_false(uv_loop_alive(local_loop(fake->host)));
	runs_free(fake->runs);
	local_free(fake->host);
	run_directory_free(fake->directory);
	communicators_free(fake->comms);
	g_free(fake->failure);
}

/* Answers for a strategy. */
static enum explorer_step take_first(const GArray *open, struct choice *ret_choice)
{
	const struct open_choice *first = &g_array_index(open, struct open_choice, 0);

	*ret_choice = (struct choice){first->point,
	                              g_array_index(first->alternatives, struct taken, 0)};
	return EXPLORER_TAKE;
}

/* Whether the program is started as a job, not as the test; then prepares for it. */
static bool is_job(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], LAUNCHER_VERB) == 0)
		return true;
	signal(SIGPIPE, SIG_IGN); /* as matchpoint does */
	/* preloaded libraries come before AddressSanitizer's */
	g_setenv("ASAN_OPTIONS", "verify_asan_link_order=0", true);
	return false;
}

#endif
