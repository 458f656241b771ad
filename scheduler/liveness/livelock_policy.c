#include "livelock_policy.h"

#include "explorer/rank_name.h"

/* It is over, unless the ranks depend on more than polls. */
static enum livelock_policy_step look_closer(guint64 rounds, gint64 waited_us,
                                             enum livelock_state detector, bool waited)
{
	if (detector == LIVELOCK_OPEN)
		return LIVELOCK_POLICY_LOOK;
	if (detector != LIVELOCK_CHANGES || waited)
		return LIVELOCK_POLICY_OVER;
	return rounds > LIVELOCK_POLICY_CHANGES_ROUNDS
	                       || waited_us > LIVELOCK_POLICY_CHANGES_SECONDS * G_USEC_PER_SEC
	               ? LIVELOCK_POLICY_OVER
	               : LIVELOCK_POLICY_ANSWER;
}

/* Of ranks that make only calls that return at once. Time and number prove nothing. */
static enum livelock_policy_step by_states(const struct world_idle *idle,
                                           enum livelock_state detector)
{
	if (idle->timed)
		return LIVELOCK_POLICY_ANSWER;
	switch (detector) {
	case LIVELOCK_OPEN: return LIVELOCK_POLICY_LOOK;
	case LIVELOCK_CLOSED: return LIVELOCK_POLICY_OVER;
	default: return LIVELOCK_POLICY_ANSWER;
	}
}

static void begin_anew(struct livelock_policy *policy, gint64 now)
{
	*policy = (struct livelock_policy){.begun = now, .forward_ever = policy->forward_ever};
}

static bool is_quick(const struct livelock_policy *policy, const struct world_idle *idle,
                     gint64 now)
{
	bool slow = idle->timed && idle->rounds > LIVELOCK_POLICY_SLOW_ROUNDS
	            && now - policy->begun > LIVELOCK_POLICY_SLOW_SECONDS * G_USEC_PER_SEC;

	return idle->rounds <= LIVELOCK_POLICY_QUICK && !slow;
}

/* Only time can change anything, so the clocks are advanced. */
static enum livelock_policy_step hasten(struct livelock_policy *policy,
                                        const struct world_idle *idle, gint64 now, bool over)
{
	const guint32 all = LIVELOCK_POLICY_FORWARD_SECONDS * 1000;
	gint64 passed = policy->put ? (now - policy->put) / 1000 : 1;

	if (policy->forward < all) {
		policy->put = now;
		policy->step = (guint32)CLAMP(passed * LIVELOCK_POLICY_FORWARD_RATE,
		                              LIVELOCK_POLICY_FORWARD_RATE,
		                              LIVELOCK_POLICY_FORWARD_MOST_MS);
		policy->step = MIN(policy->step, all - policy->forward);
		policy->forward += policy->step;
		policy->forward_ever += policy->step;
		policy->seen_from = idle->rounds;
		return LIVELOCK_POLICY_FORWARD;
	}
	if (!over
	    || (idle->rounds - policy->seen_from <= LIVELOCK_POLICY_SEE_ROUNDS
	        && passed < LIVELOCK_POLICY_SLOW_SECONDS * 1000))
		return LIVELOCK_POLICY_ANSWER;
	return LIVELOCK_POLICY_OVER;
}

enum livelock_policy_step livelock_policy_check(struct livelock_policy *policy,
                                                const struct world_idle *idle, bool failed,
                                                enum livelock_state detector, bool waited,
                                                gint64 now, int haste)
{
	bool busy = idle->busy > (guint64)idle->calls * LIVELOCK_POLICY_BUSY_US;
	gint64 most = (busy && !idle->timed ? LIVELOCK_POLICY_BUSY_SECONDS
	                                    : LIVELOCK_POLICY_SECONDS)
	              * G_USEC_PER_SEC;
	gint64 waited_us;

	if (idle->rounds <= 1 || idle->rounds < policy->rounds)
		begin_anew(policy, now);
	policy->rounds = idle->rounds;
	if (failed && idle->rounds > LIVELOCK_POLICY_FAILED)
		return LIVELOCK_POLICY_OVER;
	if (idle->immediate)
		return by_states(idle, detector);
	if (idle->spins == idle->rounds && idle->rounds > LIVELOCK_POLICY_SPINS && !idle->timed)
		return LIVELOCK_POLICY_OVER;
	if (is_quick(policy, idle, now)) {
		policy->since = 0;
		return LIVELOCK_POLICY_ANSWER;
	}
	if (policy->since == 0)
		policy->since = now;
	waited_us = (now - policy->since) * haste;
	if (idle->timed && !idle->real)
		return hasten(policy, idle, now, !busy || waited_us > most);
	if (idle->timed) {
		if (waited_us > most)
			return LIVELOCK_POLICY_OVER;
		return busy || idle->rounds <= LIVELOCK_POLICY_ROUNDS ? LIVELOCK_POLICY_ANSWER
		                                                      : LIVELOCK_POLICY_WAIT;
	}
	if (waited_us > most || (!busy && idle->rounds > LIVELOCK_POLICY_ROUNDS))
		return look_closer((guint64)idle->rounds * (guint)haste, waited_us, detector,
		                   waited);
	return LIVELOCK_POLICY_ANSWER;
}

const char *livelock_policy_words(const struct livelock_policy *policy,
                                  const struct world_idle *idle, bool failed,
                                  const struct livelock_detector *detector)
{
	g_autofree char *text = NULL;

	if (failed)
		return "";
	if (idle->timed && policy->forward > 0)
		return "; suspected: a rank that polls reads a clock, which was advanced "
		       "by " G_STRINGIFY(LIVELOCK_POLICY_FORWARD_SECONDS) " s without effect";
	if (idle->timed)
		return "; suspected: a rank that polls reads a clock, and may have a limit that "
		       "it has not reached";
	if (detector->state == LIVELOCK_CLOSED)
		return "; proven: the ranks that poll come back to the same state of memory and "
		       "registers";
	if (detector->state != LIVELOCK_CHANGES)
		return "; suspected: it is not known whether the ranks that poll come back to "
		       "the same state";
	text = g_strdup_printf("; suspected: rank %s's memory changes from poll to poll, so it may "
	                       "have a limit that it has not reached",
	                       rank_name(detector->changed));
	return g_intern_string(text);
}
