#include "word_spins.h"

enum { LOOP_MOST = 32 }; /* operations in a loop */

/* An operation of a loop. */
struct step {
	struct word_use use;
	guint64 fetched;
	guint repeats; /* how often in a row it has fetched the same again */
};

struct spinner {
	GArray *steps; /* struct step */
	guint current; /* the one that the rank makes */
	bool sleeps;
	bool passes; /* it makes the operation as nothing else could move */
	struct wire_op op;
};

struct word_spins {
	int ranks;
	int last; /* the rank that word_spins_next returned last */
	struct spinner spinners[];
};

static gsize size_for(int ranks)
{
	return sizeof(struct word_spins) + (gsize)ranks * sizeof(struct spinner);
}

struct word_spins *word_spins_new(int ranks)
{
	struct word_spins *spins = g_malloc0(size_for(ranks));

	spins->ranks = ranks;
	for (int rank = 0; rank < ranks; rank++)
		spins->spinners[rank].steps = g_array_new(false, false, sizeof(struct step));
	return spins;
}

struct word_spins *word_spins_copy(const struct word_spins *from)
{
	struct word_spins *to = g_memdup2(from, size_for(from->ranks));

	for (int rank = 0; rank < from->ranks; rank++)
		to->spinners[rank].steps = g_array_copy(from->spinners[rank].steps);
	return to;
}

void word_spins_free(struct word_spins *spins)
{
	if (!spins)
		return;
	for (int rank = 0; rank < spins->ranks; rank++)
		g_array_unref(spins->spinners[rank].steps);
	g_free(spins);
}

static bool is_same(const struct word_use *one, const struct word_use *other)
{
	return one->site == other->site && one->comm == other->comm && one->target == other->target
	       && one->first == other->first && one->last == other->last;
}

static bool overlap(const struct word_use *one, const struct word_use *other)
{
	return one->comm == other->comm && one->target == other->target && one->first <= other->last
	       && other->first <= one->last;
}

static struct step *step_at(const struct spinner *spinner, guint index)
{
	return &g_array_index(spinner->steps, struct step, index);
}

bool word_spins_ask(struct word_spins *spins, int rank, const struct word_use *use, guint most)
{
	struct spinner *spinner = &spins->spinners[rank];
	const struct step added = {.use = *use};

	spinner->current = 0;
	while (spinner->current < spinner->steps->len
	       && !is_same(&step_at(spinner, spinner->current)->use, use))
		spinner->current++;
	if (spinner->current < spinner->steps->len)
		return step_at(spinner, spinner->current)->repeats >= most;
	if (spinner->steps->len == LOOP_MOST)
		g_array_set_size(spinner->steps, 0);
	spinner->current = spinner->steps->len;
	g_array_append_val(spinner->steps, added);
	return false;
}

void word_spins_sleep(struct word_spins *spins, int rank, const struct wire_op *op)
{
	struct spinner *spinner = &spins->spinners[rank];

	spinner->sleeps = true;
	spinner->op = (struct wire_op){
		.name = op->name,
		.kind = op->kind,
		.mode = op->mode,
		.comm = op->comm,
		.peer = op->peer,
		.tag = op->tag,
		.bytes = op->bytes,
		.reduction = op->reduction,
		.counts = op->counts,
	};
}

const struct wire_op *word_spins_sleeper(const struct word_spins *spins, int rank)
{
	return spins->spinners[rank].sleeps ? &spins->spinners[rank].op : NULL;
}

void word_spins_wake(struct word_spins *spins, int rank)
{
	spins->spinners[rank].sleeps = false;
}

int word_spins_next(struct word_spins *spins)
{
	for (int i = 1; i <= spins->ranks; i++) {
		int rank = (spins->last + i) % spins->ranks;

		if (!spins->spinners[rank].sleeps)
			continue;
		spins->last = rank;
		spins->spinners[rank].sleeps = false;
		spins->spinners[rank].passes = true;
		return rank;
	}
	return -1;
}

static void begin_anew(struct spinner *spinner)
{
	for (guint i = 0; i < spinner->steps->len; i++)
		step_at(spinner, i)->repeats = 0;
}

/* Others that use one of these words may fetch something else now. */
static void tell_others(struct word_spins *spins, int rank, const struct word_use *use,
                        GArray *ret_woken)
{
	for (int other = 0; other < spins->ranks; other++) {
		struct spinner *spinner = &spins->spinners[other];
		bool uses = false;

		for (guint i = 0; i < spinner->steps->len && other != rank; i++)
			uses |= overlap(&step_at(spinner, i)->use, use);
		if (!uses)
			continue;
		begin_anew(spinner);
		if (spinner->sleeps)
			g_array_append_val(ret_woken, other);
	}
}

bool word_spins_done(struct word_spins *spins, int rank, guint64 fetched, bool changed,
                     GArray *ret_woken)
{
	struct spinner *spinner = &spins->spinners[rank];
	bool passed = spinner->passes, is_new;
	struct step *step;

	spinner->passes = false;
	if (spinner->current >= spinner->steps->len)
		return false;
	step = step_at(spinner, spinner->current);
	is_new = step->fetched != fetched;
	if (is_new)
		begin_anew(spinner);
	else if (fetched != 0)
		step->repeats++;
	step->fetched = fetched;
	if (changed)
		tell_others(spins, rank, &step->use, ret_woken);
	return passed && is_new;
}

void word_spins_end(struct word_spins *spins, int rank)
{
	g_array_set_size(spins->spinners[rank].steps, 0);
}

bool word_spins_turns(const struct word_spins *spins, int rank)
{
	const struct spinner *spinner = &spins->spinners[rank];

	for (guint i = 0; i < spinner->steps->len; i++)
		if (step_at(spinner, i)->repeats > 0)
			return true;
	return false;
}

void word_spins_fingerprint(const struct word_spins *spins, struct state_hash *ret)
{
	for (int rank = 0; rank < spins->ranks; rank++) {
		const struct spinner *spinner = &spins->spinners[rank];

		state_hash_add(
			ret, (guint64)spinner->steps->len << 3 | (guint64)(spins->last == rank) << 2
				     | (guint64)spinner->sleeps << 1 | (guint64)spinner->passes);
		for (guint i = 0; i < spinner->steps->len; i++) {
			const struct step *step = step_at(spinner, i);

			state_hash_add(ret, step->use.site);
			state_hash_add(ret, step->use.comm);
			state_hash_add(ret,
			               (guint64)step->use.target << 32 | (guint32)step->use.first);
			state_hash_add(ret, (guint64)step->use.last << 32 | step->repeats);
			state_hash_add(ret, step->fetched);
		}
	}
}
