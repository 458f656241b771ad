#include "discard.h"

static const struct {
	const char *words;
	enum discard_effect effect;
} discards[DISCARDS] = {
	[DISCARD_NOT] = {"it counts", DISCARD_COUNTS},
	[DISCARD_LET_GO] = {"it gave up promises", DISCARD_COUNTS_IF_NEW},
	[DISCARD_DROPPED] = {"it does not count as an interleaving", DISCARD_WASTED},
	[DISCARD_KNOWN] = {"it ends like an earlier random walk", DISCARD_NO_OUTCOME},
	[DISCARD_RETURNED] = {"it is back in an earlier state: from there, all goes on as it did",
                              DISCARD_NO_OUTCOME},
	[DISCARD_LOST] = {"its plan cannot be followed", DISCARD_UNFOLLOWED},
	[DISCARD_CUT_SHORT] = {"it is cut short", DISCARD_UNDECIDED},
	[DISCARD_REDO] = {"it has to begin again", DISCARD_AGAIN},
	[DISCARD_STRUCK] = {"something outside has ended it", DISCARD_AGAIN},
};

enum discard_effect discard_effect(enum discard discard)
{
	return discards[discard].effect;
}

const char *discard_words(enum discard discard)
{
	return discards[discard].words;
}

bool discard_followed_plan(enum discard discard)
{
	return discard_effect(discard) < DISCARD_UNFOLLOWED;
}
