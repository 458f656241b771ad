/* Joins the two traces of one rank: the common calls, then a branch for each interleaving, and the
 * condition that selects it. */
#include "sketch_internal.h"

struct joining {
	struct sketch *sketch;
	struct sketch_trace *traces[SKETCH_SIDES];
	int *places[SKETCH_SIDES]; /* of each trace's steps in the sketch; -1: none */
	guint first;               /* first step of this rank */
};

static struct sketch_step *trace_step(const struct joining *joining, enum sketch_side side,
                                      guint index)
{
	return joining->traces[side]->steps->pdata[index];
}

static bool arrays_equal(const GArray *one, const GArray *other)
{
	return one->len == other->len
	       && memcmp(one->data, other->data, one->len * sizeof(guint)) == 0;
}

/* --- equal steps -------- */

bool sketch_asks(const struct sketch_step *step)
{
	const struct sketch_event *bad = &step->events[SKETCH_BAD];
	const struct sketch_event *good = &step->events[SKETCH_GOOD];

	if (step->kind != SKETCH_ASK)
		return false;
	if (bad->call > 0 && good->call > 0 && bad->done)
		return !arrays_equal(bad->reported, good->reported);
	return bad->call > 0 && !bad->done && !mpi_call_asks(step->function);
}

enum sketch_sign sketch_sign(const struct sketch_step *step)
{
	const struct sketch_event *bad = &step->events[SKETCH_BAD];
	const struct sketch_event *good = &step->events[SKETCH_GOOD];

	if (step->side != SKETCH_BOTH || bad->call == 0 || good->call == 0 || !bad->done)
		return SKETCH_UNKNOWN;
	if (step->kind == SKETCH_ASK)
		return sketch_asks(step) ? SKETCH_BY_ANSWER : SKETCH_UNKNOWN;
	if (step->kind == SKETCH_CANCEL)
		return bad->yes != good->yes ? SKETCH_BY_ANSWER : SKETCH_UNKNOWN;
	if (bad->withdrawn || good->withdrawn)
		return SKETCH_UNKNOWN;
	if (step->kind != SKETCH_RECEIVE && step->kind != SKETCH_PROBE)
		return SKETCH_UNKNOWN;
	if (step->function == MPI_CALL_Iprobe && bad->yes != good->yes)
		return SKETCH_BY_ANSWER;
	if (step->peer < 0 && bad->source != good->source)
		return SKETCH_BY_SOURCE;
	if (step->tag < 0 && bad->tag != good->tag && bad->tag >= 0 && good->tag >= 0)
		return SKETCH_BY_TAG;
	return SKETCH_UNKNOWN;
}

/* The step whose message, or answer, determines the peer in both. */
static int followed_step(const struct joining *joining, const struct sketch_step *bad,
                         const struct sketch_step *good)
{
	const struct sketch *sketch = joining->sketch;

	for (guint i = sketch->steps->len; i-- > joining->first;) {
		const struct sketch_step *from = sketch_step(sketch, i);

		if (from->kind != SKETCH_RECEIVE && from->kind != SKETCH_PROBE
		    && from->kind != SKETCH_ASK)
			continue;
		if (from->events[SKETCH_BAD].source == bad->peer
		    && from->events[SKETCH_GOOD].source == good->peer
		    && (from->peer < 0 || from->kind == SKETCH_ASK))
			return (int)i;
	}
	return -1;
}

static GArray *placed_steps(const struct joining *joining, enum sketch_side side,
                            const GArray *indices)
{
	GArray *result = g_array_new(false, false, sizeof(guint));

	for (guint i = 0; i < indices->len; i++) {
		int place = joining->places[side][g_array_index(indices, guint, i)];

		if (place >= 0)
			g_array_append_val(result, place);
	}
	return result;
}

static bool same_waits(const struct joining *joining, const struct sketch_step *bad,
                       const struct sketch_step *good)
{
	g_autoptr(GArray) one = NULL, other = NULL;

	if (!bad->waits || !good->waits)
		return bad->waits == good->waits;
	one = placed_steps(joining, SKETCH_BAD, bad->waits);
	other = placed_steps(joining, SKETCH_GOOD, good->waits);
	return one->len == bad->waits->len && other->len == good->waits->len
	       && arrays_equal(one, other);
}

static bool same_call(const struct joining *joining, const struct sketch_step *bad,
                      const struct sketch_step *good)
{
	bool stuck = !bad->events[SKETCH_BAD].done;

	if (bad->kind != good->kind || bad->communicator != good->communicator
	    || bad->window != good->window || bad->tag != good->tag
	    || bad->immediate != good->immediate || bad->exchange != good->exchange)
		return false;
	/* A wait that never returns has completed nothing; a question is about the requests that
	 * are left. */
	if (bad->kind == SKETCH_ASK || (bad->kind == SKETCH_WAIT && stuck))
		return bad->original == good->original;
	return bad->function == good->function && same_waits(joining, bad, good);
}

static bool same_step(const struct joining *joining, const struct sketch_step *bad,
                      struct sketch_step *good)
{
	if (!same_call(joining, bad, good))
		return false;
	if (bad->peer == good->peer)
		return true;
	if (bad->peer < 0 || good->peer < 0 || bad->kind == SKETCH_COLLECTIVE)
		return false;
	good->follows = followed_step(joining, bad, good);
	return good->follows >= 0;
}

/* --- joining --- */

static void add_missing(GArray *indices, const GArray *more)
{
	for (guint i = 0; i < more->len; i++) {
		guint index = g_array_index(more, guint, i), j = 0;

		while (j < indices->len && g_array_index(indices, guint, j) != index)
			j++;
		if (j == indices->len)
			g_array_append_val(indices, index);
	}
}

static void place_indices(const struct joining *joining, enum sketch_side side, GArray **indices)
{
	GArray *here = *indices ? placed_steps(joining, side, *indices) : NULL;

	if (*indices)
		g_array_unref(*indices);
	*indices = here;
}

/* Appends a step of one interleaving, or (from the first) of both. */
static struct sketch_step *append_step(struct joining *joining, enum sketch_side from, guint index,
                                       enum sketch_side side)
{
	struct sketch_step *step = trace_step(joining, from, index);

	joining->places[from][index] = (int)joining->sketch->steps->len;
	place_indices(joining, from, &step->waits);
	place_indices(joining, from, &step->events[from].reported);
	step->side = side;
	step->unit = joining->sketch->units++;
	joining->traces[from]->steps->pdata[index] = NULL;
	g_ptr_array_add(joining->sketch->steps, step);
	return step;
}

static void append_both(struct joining *joining, guint bad, guint good)
{
	struct sketch_step *other = trace_step(joining, SKETCH_GOOD, good);
	struct sketch_step *step = append_step(joining, SKETCH_BAD, bad, SKETCH_BOTH);
	bool stuck = !step->events[SKETCH_BAD].done;

	joining->places[SKETCH_GOOD][good] = joining->places[SKETCH_BAD][bad];
	step->follows = other->follows;
	place_indices(joining, SKETCH_GOOD, &other->waits);
	if (step->kind == SKETCH_ASK)
		add_missing(step->waits, other->waits);
	else if (step->kind == SKETCH_WAIT && stuck) {
		g_array_set_size(step->waits, 0);
		add_missing(step->waits, other->waits);
	}
	step->events[SKETCH_GOOD] = other->events[SKETCH_GOOD];
	other->events[SKETCH_GOOD].reported = NULL;
	place_indices(joining, SKETCH_GOOD, &step->events[SKETCH_GOOD].reported);
}

static void append_rest(struct joining *joining, enum sketch_side from, guint begin, guint end,
                        enum sketch_side side)
{
	for (guint i = begin; i < end; i++)
		append_step(joining, from, i, side);
}

static bool makes_way(const struct sketch_step *step)
{
	return step->immediate || step->exchange;
}

/* The number of steps at the end that are equal again. */
static guint common_end(const struct joining *joining, guint begin)
{
	guint bad = joining->traces[SKETCH_BAD]->steps->len;
	guint good = joining->traces[SKETCH_GOOD]->steps->len;
	guint count = 0;

	if (joining->traces[SKETCH_BAD]->stuck)
		return 0;
	while (bad - count > begin && good - count > begin) {
		struct sketch_step *one = trace_step(joining, SKETCH_BAD, bad - count - 1);
		struct sketch_step *other = trace_step(joining, SKETCH_GOOD, good - count - 1);

		if (makes_way(one) || one->peer != other->peer || !same_call(joining, one, other)
		    || one->kind == SKETCH_ASK)
			break;
		count++;
	}
	return count;
}

/* Appends the steps of only one interleaving, where a branch is not possible. What comes after a
 * failed assertion does not matter, except the assertion itself. */
static void append_one_way(struct joining *joining, guint begin, const struct record_choice *blame)
{
	guint bad = joining->traces[SKETCH_BAD]->steps->len;
	guint good = joining->traces[SKETCH_GOOD]->steps->len;
	bool asserted = false;

	for (guint i = begin; blame && i < bad; i++) {
		const struct sketch_step *step = trace_step(joining, SKETCH_BAD, i);

		asserted |= step->rank == blame->rank
		            && step->events[SKETCH_BAD].call == blame->call;
	}
	if (asserted)
		append_rest(joining, SKETCH_BAD, begin, bad, SKETCH_BOTH);
	else
		append_rest(joining, SKETCH_GOOD, begin, good, SKETCH_BOTH);
}

static void append_ways(struct joining *joining, guint begin)
{
	guint bad = joining->traces[SKETCH_BAD]->steps->len;
	guint good = joining->traces[SKETCH_GOOD]->steps->len;
	guint same = common_end(joining, begin);

	append_rest(joining, SKETCH_BAD, begin, bad - same, SKETCH_BAD);
	append_rest(joining, SKETCH_GOOD, begin, good - same, SKETCH_GOOD);
	for (guint i = same; i > 0; i--)
		append_both(joining, bad - i, good - i);
}

void sketch_join(struct sketch *sketch, const struct record_choice *blame, struct sketch_trace *bad,
                 struct sketch_trace *good)
{
	struct joining joining = {
		.sketch = sketch, .traces = {bad, good}, .first = sketch->steps->len};
	guint common = 0;

	for (int side = 0; side < SKETCH_SIDES; side++) {
		guint count = joining.traces[side]->steps->len;

		joining.places[side] = g_new(int, count + 1);
		for (guint i = 0; i < count; i++)
			joining.places[side][i] = -1;
	}
	while (common < bad->steps->len && common < good->steps->len
	       && same_step(&joining, bad->steps->pdata[common], good->steps->pdata[common])) {
		append_both(&joining, common, common);
		common++;
	}
	if (!good->known)
		append_rest(&joining, SKETCH_BAD, common, bad->steps->len, SKETCH_BOTH);
	else if (bad->stuck && common == bad->steps->len)
		append_rest(&joining, SKETCH_GOOD, common, good->steps->len, SKETCH_BOTH);
	else if (sketch->asserts)
		append_one_way(&joining, common, blame);
	else
		append_ways(&joining, common);
	g_free(joining.places[SKETCH_BAD]);
	g_free(joining.places[SKETCH_GOOD]);
}

/* --- conditions --- */

/* Whether the step's message has arrived, in both, when the rank reaches `limit`. */
static bool is_there(const struct sketch *sketch, guint index, guint limit)
{
	if (!sketch_step(sketch, index)->immediate)
		return true;
	for (guint i = index + 1; i < limit; i++) {
		const struct sketch_step *step = sketch_step(sketch, i);

		if (step->side != SKETCH_BOTH)
			continue;
		if ((step->kind == SKETCH_WAIT || step->kind == SKETCH_CANCEL)
		    && sketch_contains(step->waits, index))
			return true;
		if (step->kind == SKETCH_ASK
		    && sketch_contains(step->events[SKETCH_BAD].reported, index)
		    && sketch_contains(step->events[SKETCH_GOOD].reported, index))
			return true;
	}
	return false;
}

static guint first_step(const struct sketch *sketch, int32_t rank)
{
	guint i = 0;

	while (i < sketch->steps->len && sketch_step(sketch, i)->rank < rank)
		i++;
	return i;
}

/* The first step of the rank that is not in both. If there is none, the end of its steps. */
static guint parting_step(const struct sketch *sketch, int32_t rank, bool *ret_parts)
{
	guint i = first_step(sketch, rank);

	*ret_parts = false;
	for (; i < sketch->steps->len && sketch_step(sketch, i)->rank == rank; i++) {
		if (sketch_step(sketch, i)->side != SKETCH_BOTH) {
			*ret_parts = true;
			break;
		}
	}
	return i;
}

static bool find_sign(struct sketch *sketch, int32_t rank, guint limit)
{
	struct sketch_condition *condition = &sketch->conditions[rank];

	for (guint i = first_step(sketch, rank); i < limit; i++) {
		enum sketch_sign sign = sketch_sign(sketch_step(sketch, i));

		if (sign == SKETCH_UNKNOWN || !is_there(sketch, i, limit))
			continue;
		*condition = (struct sketch_condition){sign, i};
		/* An answer is kept in a variable that the next one overwrites. */
		if (sketch->blamed == (int32_t)i && sign != SKETCH_BY_ANSWER)
			break;
	}
	return condition->sign != SKETCH_UNKNOWN;
}

static bool find_condition(struct sketch *sketch, int32_t rank, guint limit, int depth);

/* Whether the sender knows which interleaving it is in when it sends this message. */
static bool sender_knows(struct sketch *sketch, int index, int depth)
{
	const struct sketch_step *step;
	bool parts;
	guint limit;

	if (index < 0)
		return false;
	step = sketch_step(sketch, (guint)index);
	limit = parting_step(sketch, step->rank, &parts);
	if (!find_condition(sketch, step->rank, MIN(limit, (guint)index), depth + 1))
		return false;
	return step->side != SKETCH_BOTH || sketch->conditions[step->rank].step < (guint)index;
}

static int sender_of(const struct sketch *sketch, guint index, enum sketch_side side)
{
	const struct sketch_step *step = sketch_step(sketch, index);
	const struct sketch_event *event = &step->events[side];

	if (step->kind == SKETCH_RECEIVE && event->source >= 0)
		return sketch_find(sketch, side, event->source, event->send, event->send_sub,
		                   SKETCH_SEND);
	for (guint i = 0; event->meeting > 0 && step->kind == SKETCH_COLLECTIVE
	                  && step->function == MPI_CALL_Bcast && i < sketch->steps->len;
	     i++) {
		const struct sketch_step *root = sketch_step(sketch, i);

		if (root->kind == SKETCH_COLLECTIVE && root->rank == step->peer && i != index
		    && root->events[side].meeting == event->meeting)
			return (int)i;
	}
	return -1;
}

/* Finds a message from a rank that knows. */
static bool find_teller(struct sketch *sketch, int32_t rank, guint limit, int depth)
{
	for (guint i = limit; i-- > first_step(sketch, rank);) {
		const struct sketch_step *step = sketch_step(sketch, i);
		int senders[SKETCH_SIDES];

		if (step->events[SKETCH_BAD].call == 0 || step->events[SKETCH_GOOD].call == 0
		    || !step->events[SKETCH_BAD].done || !is_there(sketch, i, limit))
			continue;
		for (int side = 0; side < SKETCH_SIDES; side++)
			senders[side] = sender_of(sketch, i, (enum sketch_side)side);
		if (!sender_knows(sketch, senders[SKETCH_BAD], depth)
		    || !sender_knows(sketch, senders[SKETCH_GOOD], depth))
			continue;
		for (int side = 0; side < SKETCH_SIDES; side++)
			sketch_step(sketch, (guint)senders[side])->tells = true;
		sketch->conditions[rank] = (struct sketch_condition){SKETCH_BY_VALUE, i};
		return true;
	}
	return false;
}

static bool find_condition(struct sketch *sketch, int32_t rank, guint limit, int depth)
{
	if (sketch->conditions[rank].sign != SKETCH_UNKNOWN)
		return true;
	return depth <= sketch->ranks
	       && (find_sign(sketch, rank, limit) || find_teller(sketch, rank, limit, depth));
}

/* Makes the rank take the finding's branch unconditionally. */
static void go_one_way(struct sketch *sketch, int32_t rank)
{
	for (guint i = first_step(sketch, rank); i < sketch->steps->len; i++) {
		struct sketch_step *step = sketch_step(sketch, i);

		if (step->rank != rank)
			break;
		if (step->side == SKETCH_GOOD)
			step->dropped = true;
		if (step->side == SKETCH_BAD)
			step->side = SKETCH_BOTH;
	}
	sketch->one_way = true;
}

void sketch_find_conditions(struct sketch *sketch)
{
	for (int32_t rank = 0; rank < sketch->ranks; rank++) {
		bool parts;
		guint limit = parting_step(sketch, rank, &parts);

		if (parts && !find_condition(sketch, rank, limit, 0))
			go_one_way(sketch, rank);
	}
}
