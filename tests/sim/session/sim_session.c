/* Compares whole sessions with brute force: scheduler/session/, execution/, world/ and store/ with
 * random programs, on a host without processes (sim_host.h), where faults occur.
 *
 * Without faults the store must contain the outcomes of brute force, each once. With faults no
 * session may hang or store an impossible outcome; what it stores must be true, and what it reports
 * as complete must be complete; resuming without faults completes it. One of its interleavings is
 * replayed, and a finding is minimized (sim_along.h).
 *
 * sim_session [--programs N] [--seed S] [--size M] [--kind K] [--no-faults] [--no-scenarios]
 * [--agree N] (sim_agree.h). On a
 * difference the seed and the kind of the program are printed; --programs 1 --seed S --kind K
 * repeats it. */
#include <signal.h>
#include <stdlib.h>

#include "scheduler/tools/log.h"
#include "sim_agree.h"
#include "sim_trial.h"

static gint programs = 500, size, agreeing;
static gint64 first_seed = 1;
static bool no_faults;
static gboolean no_scenarios; /* for GOption */
static char *only;

/* Every fourth program has windows, every fourth threads. */
static enum program_kind kind_of(guint64 seed)
{
	for (guint kind = 0; kind < KINDS; kind++)
		if (only && g_str_equal(only, program_kind_names[kind]))
			return kind;
	return seed % 4 == 1 ? KIND_WINDOWS : seed % 4 == 3 ? KIND_THREADS : KIND_MESSAGES;
}

static void print_totals(const struct totals *totals)
{
	g_print("%d programs from seed %" G_GINT64_FORMAT
	        ": %u sessions (%u to go on), %u outcomes; "
	        "%u programs too large, %u of too many interleavings; %u sessions ended with an "
	        "error\n",
	        programs, first_seed, totals->sessions, totals->again, totals->outcomes,
	        totals->too_large, totals->too_long, totals->failed);
	for (guint kind = 0; kind < KINDS; kind++)
		g_print("programs of %s: %u; ", program_kind_names[kind], totals->programs[kind]);
	g_print("ranks rewound in place: %u, parked before that was reported: %u; shards: %u; "
	        "sessions along a path: %u; findings shortened: %u\n",
	        totals->rewound, totals->early_parks, totals->shards, totals->replayed,
	        totals->minimized);
	g_print("where states were compared: %" G_GUINT64_FORMAT " states, %" G_GUINT64_FORMAT
	        " merged; programs whose interleavings were counted: %u\n",
	        totals->states, totals->merged, totals->counted);
	g_print("images that ranks kept of themselves: %u, gone back to: %u\n", totals->images,
	        totals->images_used);
	if (no_faults)
		return;
	g_print("what happened: full disk %u", totals->disk_full);
	for (int fault = 0; fault < SIM_FAULTS; fault++)
		g_print(", %s %u", sim_fault_names[fault], totals->happened[fault]);
	g_print("\n");
}

int main(int argc, char **argv)
{
	const GOptionEntry entries[] = {
		{"programs", 0, 0, G_OPTION_ARG_INT, &programs, "how many (default 500)", "N"},
		{"seed", 0, 0, G_OPTION_ARG_INT64, &first_seed, "of the first program", "S"},
		{"size", 0, 0, G_OPTION_ARG_INT, &size, "messages meant, instead of 4 to 6", "M"},
		{"kind", 0, 0, G_OPTION_ARG_STRING, &only, "messages, windows or threads, alone",
	         "KIND"},
		{"no-faults", 0, 0, G_OPTION_ARG_NONE, &no_faults, "nothing goes wrong", NULL},
		{"no-scenarios", 0, 0, G_OPTION_ARG_NONE, &no_scenarios,
	         "without those that once failed (sim_scenarios.c)", NULL},
		{"agree", 0, 0, G_OPTION_ARG_INT, &agreeing,
	         "compare auto with the tree, for so many programs", "N"},
		{NULL},
	};
	g_autoptr(GOptionContext) context = g_option_context_new("- sessions against brute force");
	g_autoptr(GError) error = NULL;
	struct totals totals = {0};

	g_option_context_add_main_entries(context, entries, NULL);
	if (!g_option_context_parse(context, &argc, &argv, &error)
	    || !log_init(g_getenv("MATCHPOINT_LOG"), &error)) {
		g_printerr("%s\n", error->message);
		return 2;
	}
	signal(SIGXFSZ, SIG_IGN);
	if (!no_faults && !no_scenarios)
		scenarios_run(&totals);
	if (agreeing > 0)
		agree_run((guint64)first_seed, (guint)agreeing);
	for (int i = 0; i < programs; i++) {
		const struct trial_options options = {.kind = kind_of((guint64)(first_seed + i)),
		                                      .seed = (guint64)(first_seed + i),
		                                      .size = size,
		                                      .no_faults = no_faults};

		trial_run(&options, &totals);
	}
	if (programs > 0)
		print_totals(&totals);
	if (programs >= 100 && totals.merged == 0) {
		g_printerr("sim_session: FAILED: expected states that are merged, got none\n");
		return 1;
	}
	/* Ranks with threads keep no images and have no choice before that. Few others return to an
	 * image. */
	if (programs >= 300 && totals.images_used == 0 && g_strcmp0(only, "threads") != 0) {
		g_printerr(
			"sim_session: FAILED: expected ranks that go back to an image, got none\n");
		return 1;
	}
	return 0;
}
