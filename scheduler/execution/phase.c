#include "phase.h"

#include <glib.h>

#define BIT(phase) (1u << (phase))
/* A rank that is not at rest can make each of these end, or change into another. */
#define AT_REST                                                                   \
	(BIT(EXECUTION_PACING) | BIT(EXECUTION_ASKING) | BIT(EXECUTION_COMPARING) \
	 | BIT(EXECUTION_FINGERPRINTING) | BIT(EXECUTION_UNDECIDED))
#define FROM_RUNNING (BIT(EXECUTION_RUNNING) | AT_REST | BIT(EXECUTION_PARKING))

static const struct {
	const char *name;
	guint next; /* BIT of each phase that may follow, besides itself and ENDING */
} phases[EXECUTION_PHASES] = {
	[EXECUTION_STARTING] = {"starting", BIT(EXECUTION_RUNNING) | BIT(EXECUTION_PARKING)},
	[EXECUTION_RUNNING] = {"running", FROM_RUNNING},
	[EXECUTION_PACING] = {"pacing polls", FROM_RUNNING},
	[EXECUTION_ASKING] = {"asking how a rank ended", FROM_RUNNING},
	[EXECUTION_COMPARING] = {"comparing digests", FROM_RUNNING},
	[EXECUTION_FINGERPRINTING] = {"fingerprinting", FROM_RUNNING},
	[EXECUTION_UNDECIDED] = {"undecided", FROM_RUNNING},
	[EXECUTION_PARKING] = {"parking", BIT(EXECUTION_STARTING) | BIT(EXECUTION_RUNNING)},
	[EXECUTION_ENDING] = {"ending", BIT(EXECUTION_OVER)},
	[EXECUTION_OVER] = {"over", 0},
};

const char *phase_name(enum execution_phase phase)
{
	return phases[phase].name;
}

bool phase_may_follow(enum execution_phase phase, enum execution_phase next)
{
	if (phase == next)
		return true;
	if (next == EXECUTION_ENDING)
		return phase != EXECUTION_OVER;
	return (phases[phase].next & BIT(next)) != 0;
}

bool phase_is_running(enum execution_phase phase)
{
	return phase >= EXECUTION_RUNNING && phase <= EXECUTION_UNDECIDED;
}
