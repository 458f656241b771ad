#include "state_watch.h"

#define GROWTH 4u         /* of that number, from look to look */
#define SWELLING 8.0      /* of the estimate of what is left: then there is another look */
#define DEPTH_LEAST 4u    /* of the first probe; of later ones one more */
#define NAMELESS_LOOKS 2u /* without any state that can be compared: there will be none */

/* Worlds of the first probe, of the second and of later ones, if none repeats a state. */
static const guint patience[] = {4, 6, 12};

struct state_watch {
	double least, gain;
	guint looks;
	guint64 next;        /* interleavings at which the next look is due */
	guint64 before;      /* interleavings at the last look */
	double left;         /* the estimate at the last look */
	guint nameless;      /* looks that found no state with a fingerprint */
	const char *refused; /* why the tree is kept; NULL: it may be left */
};

struct state_watch *state_watch_new(guint64 first, double least, double gain)
{
	struct state_watch *watch = g_new0(struct state_watch, 1);

	watch->least = least;
	watch->gain = gain;
	watch->next = MAX(first, 1);
	return watch;
}

void state_watch_free(struct state_watch *watch)
{
	g_free(watch);
}

static const char *refusal(const struct open_choice *open)
{
	enum taken_kind kind = g_array_index(open->alternatives, struct taken, 0).kind;

	if (open->point.kind == POINT_LOCK)
		return "ranks compete for the lock of a window";
	if (open->point.kind == POINT_TURN || kind == TAKEN_THREAD)
		return "threads of a rank call MPI";
	if (kind == TAKEN_EARLY || kind == TAKEN_LATE)
		return "it is a choice whether sends and collectives wait";
	if (open->later)
		return "a rank polls in a loop";
	return open->more ? "sets of requests are left out" : NULL;
}

void state_watch_see(struct state_watch *watch, const GArray *open)
{
	for (guint i = 0; !watch->refused && i < open->len; i++)
		watch->refused = refusal(&g_array_index(open, struct open_choice, i));
}

bool state_watch_is_over(const struct state_watch *watch)
{
	return watch->refused != NULL;
}

const char *state_watch_reason(const struct state_watch *watch)
{
	return watch->refused;
}

bool state_watch_is_due(struct state_watch *watch, guint64 explored, double left)
{
	bool swelled = watch->looks > 0 && left >= SWELLING * watch->left
	               && explored >= 2 * watch->before;

	if (watch->refused || (left >= 0 && left < watch->least)
	    || (explored < watch->next && !swelled))
		return false;
	watch->before = explored;
	watch->left = left;
	while (watch->next <= explored)
		watch->next *= GROWTH;
	return true;
}

/* The root, the middle, the first quarter, the third, and so on: the bits of the number of the look
 * in reverse, as in the sequence of van der Corput. */
guint state_watch_base(const struct state_watch *watch, guint all)
{
	guint above = 0, below = 1;

	for (guint look = watch->looks; look > 0; look >>= 1) {
		above = 2 * above + (look & 1);
		below *= 2;
	}
	return (guint)((guint64)all * above / below);
}

struct state_probe *state_watch_probe(struct state_watch *watch, const GArray *choices)
{
	g_autoptr(GArray) base = choices_copy(choices);
	guint look = MIN(watch->looks, G_N_ELEMENTS(patience) - 1);

	g_array_set_size(base, state_watch_base(watch, choices->len));
	return state_probe_new(base, watch->looks == 0 ? DEPTH_LEAST : DEPTH_LEAST + 1,
	                       patience[look]);
}

bool state_watch_judge(struct state_watch *watch, const struct state_probe *probe, guint below)
{
	struct state_probe_result result = state_probe_result(probe);
	double each, gain = 1;

	watch->looks++;
	watch->nameless += result.named == 0 && result.nameless > 0;
	if (watch->nameless >= NAMELESS_LOOKS)
		watch->refused = "its states cannot be compared";
	if (watch->refused || result.repeated == 0)
		return false;
	/* Of so many states that come up at a depth, one is new. */
	each = (double)result.reached / MAX(result.reached - result.repeated, 1);
	for (guint i = 0; i < below && gain < watch->gain; i++)
		gain *= each;
	return gain >= watch->gain;
}
