#include "state_watch.h"

#include <glib.h>

#define GROWTH 8

struct state_watch {
	GHashTable *names; /* struct state_hash: all fingerprints of the sample */
	guint64 nodes;     /* nodes reached */
	guint64 from;      /* number of nodes at which the sample begins */
	guint samples;     /* samples that have ended */
	guint sampled;     /* nodes of the sample so far */
	guint repeated;    /* of these, the number that occurred before */
	/* the sample needs whole fingerprints: those of choosers occurred twice */
	bool whole;
	bool pays;
};

struct state_watch *state_watch_new(void)
{
	struct state_watch *watch = g_new0(struct state_watch, 1);

	watch->names = g_hash_table_new_full(state_key_hash, state_key_equal, g_free, NULL);
	watch->samples = 1;
	return watch;
}

void state_watch_free(struct state_watch *watch)
{
	if (!watch)
		return;
	g_hash_table_destroy(watch->names);
	g_free(watch);
}

bool state_watch_is_over(const struct state_watch *watch)
{
	return watch->pays || watch->samples > STATE_WATCH_SAMPLES;
}

enum state_watch_name state_watch_wants(const struct state_watch *watch)
{
	if (state_watch_is_over(watch) || watch->nodes < watch->from)
		return STATE_WATCH_NONE;
	return watch->whole ? STATE_WATCH_WHOLE : STATE_WATCH_CHOOSERS;
}

bool state_watch_pays(const struct state_watch *watch)
{
	return watch->pays;
}

static void begin_sample(struct state_watch *watch, bool whole)
{
	watch->whole = whole;
	watch->sampled = watch->repeated = 0;
	if (whole || state_watch_is_over(watch))
		g_hash_table_remove_all(watch->names);
}

static void end_sample(struct state_watch *watch)
{
	watch->from = MAX(watch->from, STATE_WATCH_SAMPLE) * GROWTH;
	watch->samples++;
	begin_sample(watch, watch->whole);
}

void state_watch_add(struct state_watch *watch, const struct state_hash *name)
{
	enum state_watch_name wanted = state_watch_wants(watch);

	watch->nodes++;
	if (wanted == STATE_WATCH_NONE)
		return;
	watch->sampled++;
	if (name && !g_hash_table_add(watch->names, g_memdup2(name, sizeof(*name))))
		watch->repeated++;
	watch->pays = watch->whole && watch->repeated >= STATE_WATCH_ENOUGH;
	if (!watch->whole && watch->repeated >= STATE_WATCH_ENOUGH)
		begin_sample(watch, true);
	else if (!watch->pays
	         && (watch->sampled >= STATE_WATCH_SAMPLE
	             || (watch->sampled >= STATE_WATCH_FIRST && watch->repeated == 0)))
		end_sample(watch);
}
