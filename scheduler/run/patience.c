#include "patience.h"

/* It would be over if polls were all that the ranks go by. */
static enum patience_step look_closer(guint64 rounds, gint64 waited_us, enum cycle_state cycle,
                                      bool waited)
{
	if (cycle == CYCLE_OPEN)
		return PATIENCE_LOOK;
	if (cycle != CYCLE_CHANGES || waited)
		return PATIENCE_OVER;
	return rounds > PATIENCE_CHANGES_ROUNDS
	                       || waited_us > PATIENCE_CHANGES_SECONDS * G_USEC_PER_SEC
	               ? PATIENCE_OVER
	               : PATIENCE_TELL;
}

static void begin_anew(struct patience *patience, gint64 now)
{
	*patience = (struct patience){.begun = now, .forward_ever = patience->forward_ever};
}

static bool is_quick(const struct patience *patience, const struct world_idle *idle, gint64 now)
{
	bool slow = idle->timed && idle->rounds > PATIENCE_SLOW_ROUNDS
	            && now - patience->begun > PATIENCE_SLOW_SECONDS * G_USEC_PER_SEC;

	return idle->rounds <= PATIENCE_QUICK && !slow;
}

/* Only the time can change anything: it goes faster. */
static enum patience_step hasten(struct patience *patience, const struct world_idle *idle,
                                 gint64 now, bool over)
{
	const guint32 all = PATIENCE_FORWARD_SECONDS * 1000;
	gint64 passed = patience->put ? (now - patience->put) / 1000 : 1;

	if (patience->forward < all) {
		patience->put = now;
		patience->step = (guint32)CLAMP(passed * PATIENCE_FORWARD_RATE,
		                                PATIENCE_FORWARD_RATE, PATIENCE_FORWARD_MOST_MS);
		patience->step = MIN(patience->step, all - patience->forward);
		patience->forward += patience->step;
		patience->forward_ever += patience->step;
		patience->seen_from = idle->rounds;
		return PATIENCE_FORWARD;
	}
	if (!over
	    || (idle->rounds - patience->seen_from <= PATIENCE_SEE_ROUNDS
	        && passed < PATIENCE_SLOW_SECONDS * 1000))
		return PATIENCE_TELL;
	return PATIENCE_OVER;
}

enum patience_step patience_look(struct patience *patience, const struct world_idle *idle,
                                 bool failed, enum cycle_state cycle, bool waited, gint64 now,
                                 int haste)
{
	bool busy = idle->busy > (guint64)idle->calls * PATIENCE_BUSY_US;
	gint64 most = (busy && !idle->timed ? PATIENCE_BUSY_SECONDS : PATIENCE_SECONDS)
	              * G_USEC_PER_SEC;
	gint64 waited_us;

	if (idle->rounds <= 1 || idle->rounds < patience->rounds)
		begin_anew(patience, now);
	patience->rounds = idle->rounds;
	if (failed && idle->rounds > PATIENCE_FAILED)
		return PATIENCE_OVER;
	if (is_quick(patience, idle, now)) {
		patience->since = 0;
		return PATIENCE_TELL;
	}
	if (patience->since == 0)
		patience->since = now;
	waited_us = (now - patience->since) * haste;
	if (idle->timed && !idle->real)
		return hasten(patience, idle, now, !busy || waited_us > most);
	if (idle->timed) {
		if (waited_us > most)
			return PATIENCE_OVER;
		return busy || idle->rounds <= PATIENCE_ROUNDS ? PATIENCE_TELL : PATIENCE_WAIT;
	}
	if (waited_us > most || (!busy && idle->rounds > PATIENCE_ROUNDS))
		return look_closer((guint64)idle->rounds * (guint)haste, waited_us, cycle, waited);
	return PATIENCE_TELL;
}

const char *patience_words(const struct patience *patience, const struct world_idle *idle,
                           bool failed, const struct cycle *cycle)
{
	g_autofree char *text = NULL;

	if (failed)
		return "";
	if (idle->timed && patience->forward > 0)
		return "; suspected: a rank that polls looks at a clock, which was put forward "
		       "by " G_STRINGIFY(PATIENCE_FORWARD_SECONDS) " s in vain";
	if (idle->timed)
		return "; suspected: a rank that polls looks at a clock, and may have a limit that "
		       "it has not reached";
	if (cycle->state == CYCLE_CLOSED)
		return "; proven: the ranks that poll come back to the same state of memory and "
		       "registers";
	if (cycle->state != CYCLE_CHANGES)
		return "; suspected: it cannot be seen whether the ranks that poll come back to "
		       "the same state";
	text = g_strdup_printf("; suspected: rank %d's memory changes from poll to poll, so it may "
	                       "have a limit that it has not reached",
	                       cycle->changed);
	return g_intern_string(text);
}
