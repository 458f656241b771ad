#include "sketch_internal.h"

G_DEFINE_QUARK(matchpoint_sketch_error, sketch_error)

void sketch_free(struct sketch *sketch)
{
	if (!sketch)
		return;
	g_ptr_array_unref(sketch->steps);
	g_free(sketch->conditions);
	g_free(sketch->gone);
	g_free(sketch);
}

int sketch_find(const struct sketch *sketch, enum sketch_side side, int32_t rank, uint32_t call,
                uint32_t sub, enum sketch_kind kind)
{
	for (guint i = 0; i < sketch->steps->len; i++) {
		const struct sketch_step *step = sketch_step(sketch, i);
		bool fits = step->kind == kind
		            || (kind == SKETCH_RECEIVE
		                && (step->kind == SKETCH_PROBE || step->kind == SKETCH_ASK));

		if (step->rank == rank && step->events[side].call == call && fits
		    && (sub == SKETCH_ANY_SUB || step->sub == SKETCH_ANY_SUB || step->sub == sub))
			return (int)i;
	}
	return -1;
}

bool sketch_contains(const GArray *indices, guint index)
{
	for (guint i = 0; indices && i < indices->len; i++) {
		if (g_array_index(indices, guint, i) == index)
			return true;
	}
	return false;
}

/* --- units: steps that stay or go together --- */

/* Unites matched pairs; in the good interleaving only those not already paired in the other. */
static void unite_matches(struct sketch *sketch, enum sketch_side side, bool *paired)
{
	for (guint i = 0; i < sketch->steps->len; i++) {
		struct sketch_step *step = sketch_step(sketch, i);
		const struct sketch_event *event = &step->events[side];
		int send;

		if (step->kind != SKETCH_RECEIVE || event->call == 0 || event->source < 0
		    || event->send == 0 || paired[i])
			continue;
		send = sketch_find(sketch, side, event->source, event->send, event->send_sub,
		                   SKETCH_SEND);
		if (send < 0 || (paired[send] && step->side == SKETCH_BOTH))
			continue;
		step->unit = sketch_step(sketch, (guint)send)->unit;
		paired[i] = paired[send] = true;
	}
}

/* Unites the calls that meet in a collective. */
static void unite_collectives(struct sketch *sketch, enum sketch_side side)
{
	for (guint i = 0; i < sketch->steps->len; i++) {
		struct sketch_step *step = sketch_step(sketch, i);

		for (guint j = 0; j < i && step->events[side].meeting > 0; j++) {
			const struct sketch_step *other = sketch_step(sketch, j);

			if (other->events[side].meeting == step->events[side].meeting) {
				step->unit = other->unit;
				break;
			}
		}
	}
}

/* Unites the send and the wait of an MPI_Sendrecv. */
static void unite_exchanges(struct sketch *sketch)
{
	for (guint i = 0; i + 2 < sketch->steps->len; i++) {
		if (sketch_step(sketch, i)->exchange)
			sketch_step(sketch, i + 2)->unit = sketch_step(sketch, i)->unit;
	}
}

/* Unites MPI_Cancel with what it cancels. */
static void unite_cancels(struct sketch *sketch)
{
	for (guint i = 0; i < sketch->steps->len; i++) {
		struct sketch_step *step = sketch_step(sketch, i);

		if (step->kind == SKETCH_CANCEL && step->waits->len > 0)
			step->unit =
				sketch_step(sketch, g_array_index(step->waits, guint, 0))->unit;
	}
}

int sketch_cancels(const struct sketch *sketch, guint index)
{
	for (guint i = index + 1; i < sketch->steps->len; i++) {
		const struct sketch_step *step = sketch_step(sketch, i);

		if (step->kind == SKETCH_CANCEL && !step->dropped && step->waits->len > 0
		    && g_array_index(step->waits, guint, 0) == index)
			return (int)i;
	}
	return -1;
}

static void unite_steps(struct sketch *sketch)
{
	g_autofree bool *paired = g_new0(bool, sketch->steps->len + 1);

	unite_matches(sketch, SKETCH_BAD, paired);
	unite_matches(sketch, SKETCH_GOOD, paired);
	unite_collectives(sketch, SKETCH_GOOD);
	unite_collectives(sketch, SKETCH_BAD);
	unite_exchanges(sketch);
	unite_cancels(sketch);
	sketch_unite_locks(sketch);
}

/* --- the finding ------------- */

/* Sets the arguments of a collective in a mismatch; type and reduction may be wrong
 * independently. */
static void take_parts(struct sketch_step *step, const struct record_given *given)
{
	step->type = given->type ? given->type : "MPI_INT";
	step->reduction = given->reduction ? given->reduction : "MPI_SUM";
	step->count = MAX(step->count / sizeof(int), 1u);
}

static void take_given(struct sketch *sketch, const struct record_finding *finding)
{
	for (guint i = 0; i < finding->given->len; i++) {
		const struct record_given *given = &g_array_index(finding->given,
		                                                  struct record_given, i);

		for (guint j = 0; j < sketch->steps->len; j++) {
			struct sketch_step *step = sketch_step(sketch, j);

			if (step->rank != given->rank
			    || step->events[SKETCH_BAD].call != given->call)
				continue;
			if (step->kind == SKETCH_COLLECTIVE) {
				take_parts(step, given);
			} else if (step->kind <= SKETCH_RECEIVE && given->type) {
				step->count = given->count;
				step->type = given->type;
			}
		}
	}
}

/* Whether a call has completed this request in the finding's interleaving. */
static bool is_completed(const struct sketch *sketch, guint index)
{
	for (guint i = 0; i < sketch->steps->len; i++) {
		const struct sketch_step *step = sketch_step(sketch, i);

		if (step->side != SKETCH_GOOD
		    && ((step->kind == SKETCH_WAIT && sketch_contains(step->waits, index))
		        || sketch_contains(step->events[SKETCH_BAD].reported, index)))
			return true;
	}
	return false;
}

static bool shown_by(const struct record_finding *finding, enum finding_emit emit)
{
	return finding_kind_info(finding->kind)->emit == emit;
}

/* Finds the step where the finding shows: the first rank's call that is no bystander. A leak has
 * only a place, where other requests may have been started as well. */
static int32_t finding_step(const struct sketch *sketch, const struct record_finding *finding)
{
	for (guint i = 0; i < finding->ranks->len; i++) {
		const struct record_rank *rank = finding->ranks->pdata[i];
		bool ended = rank->end == RECORD_END_WELL;
		/* of a call that also receives */
		bool sends = rank->call > 0 && shown_by(finding, FINDING_EMIT_LEAVE);

		if (rank->bystander || ended)
			continue;
		for (guint j = sketch->steps->len; j-- > 0;) {
			const struct sketch_step *step = sketch_step(sketch, j);

			if (step->rank == rank->rank && step->side != SKETCH_GOOD
			    && (!sends || step->kind == SKETCH_SEND)
			    && (rank->call > 0 || !is_completed(sketch, j))
			    && (rank->call > 0
			                ? step->events[SKETCH_BAD].call == rank->call
			                : step->original == mpi_call_by_name(rank->function)
			                          && place_equal(&step->place, &rank->place)))
				return (int32_t)j;
		}
	}
	return -1;
}

/* Marks the steps that wait for ever. */
static void mark_hanging(struct sketch *sketch, const struct record_finding *finding)
{
	for (guint i = 0; i < sketch->steps->len; i++) {
		struct sketch_step *step = sketch_step(sketch, i);

		for (guint j = 0; j < finding->ranks->len; j++) {
			const struct record_rank *rank = finding->ranks->pdata[j];

			step->hangs |= !rank->bystander && !rank->ended && rank->rank == step->rank
			               && step->side != SKETCH_GOOD
			               && rank->call == step->events[SKETCH_BAD].call;
		}
	}
}

/* Prefers, in a deadlock, a rank that waits for a lock to one that waits for the lock's holder: it
 * shows more. */
static void prefer_lock(struct sketch *sketch)
{
	for (guint i = 0; i < sketch->steps->len; i++) {
		const struct sketch_step *step = sketch_step(sketch, i);

		if (step->kind == SKETCH_LOCK && step->hangs) {
			sketch->stands = (int32_t)i;
			return;
		}
	}
}

/* Sets the step to blame, and the send whose message ends well there. */
static bool take_blame(struct sketch *sketch, const struct record_finding *finding, GError **error)
{
	const struct record_choice *blame = finding->blame;
	const struct record_message *right;
	int cancels;

	if (blame && blame->point.kind != POINT_LOCK && blame->alternatives->len > 0) {
		right = &g_array_index(blame->alternatives, struct record_message, 0);
		sketch->blamed = sketch_find(sketch, SKETCH_BAD, blame->rank, blame->call,
		                             SKETCH_ANY_SUB, SKETCH_RECEIVE);
		if (right->source >= 0)
			sketch->right = sketch_find(sketch, SKETCH_BAD, right->source, right->call,
			                            right->sub, SKETCH_SEND);
		if (right->source >= 0 && sketch->right < 0)
			sketch->right = sketch_find(sketch, SKETCH_GOOD, right->source, right->call,
			                            right->sub, SKETCH_SEND);
	}
	if (blame && blame->point.kind == POINT_LOCK)
		sketch->blamed = sketch_find(sketch, SKETCH_BAD, blame->rank, blame->call,
		                             SKETCH_ANY_SUB, SKETCH_LOCK);
	cancels = sketch->blamed >= 0 ? sketch_cancels(sketch, (guint)sketch->blamed) : -1;
	if (sketch->blamed >= 0
	    && (sketch_step(sketch, (guint)sketch->blamed)->kind != SKETCH_RECEIVE
	        || (cancels >= 0 && sketch_sign(sketch_step(sketch, (guint)cancels)))))
		sketch->right = -1;
	if (!sketch->asserts)
		return true;
	if (!blame)
		g_set_error(error, SKETCH_ERROR, 0,
		            "%s: the error is in the program's own code, and there is no single "
		            "choice to blame that an assertion could check",
		            finding_kind_name(finding->kind));
	else if (sketch->blamed < 0)
		g_set_error(error, SKETCH_ERROR, 0,
		            "the choice to blame is made in %s, which cannot be written out: only "
		            "receives, probes and tests or waits for requests can",
		            blame->function);
	return sketch->blamed >= 0;
}

/* Of windows, locks alone are written out. */
static bool is_left_out(enum mpi_call function)
{
	enum mpi_call_subject subject = mpi_call_subject(function);

	return subject == MPI_CALL_SUBJECT_FILE
	       || (subject == MPI_CALL_SUBJECT_WINDOW
	           && mpi_call_lock(function) == MPI_CALL_LOCK_NONE);
}

bool sketch_can_show(const struct record_finding *finding, GError **error)
{
	const char *no_calls = finding_kind_info(finding->kind)->no_calls;

	if (no_calls) {
		g_set_error_literal(error, SKETCH_ERROR, 0, no_calls);
		return false;
	}
	for (guint i = 0; i < finding->ranks->len; i++) {
		const struct record_rank *rank = finding->ranks->pdata[i];

		if (!rank->bystander && is_left_out(mpi_call_by_name(rank->function))) {
			g_set_error(error, SKETCH_ERROR, 0,
			            "it is about %s, and of one-sided communication and files only "
			            "window locks can be written out",
			            rank->function);
			return false;
		}
	}
	if (finding->blame && finding->blame->point.kind == POINT_LOCK
	    && shown_by(finding, FINDING_EMIT_ASSERT)) {
		g_set_error(error, SKETCH_ERROR, 0,
		            "the choice to blame is which rank gets a window's lock, and the "
		            "contents of windows are not written out");
		return false;
	}
	if (finding->blame && finding->blame->point.kind == POINT_TURN) {
		g_set_error(error, SKETCH_ERROR, 0,
		            "the choice to blame is which thread comes first, and threads are not "
		            "written out");
		return false;
	}
	return true;
}

/* --- construction --- */

static void join_ranks(struct sketch *sketch, const struct record_finding *finding,
                       const struct record_execution *execution,
                       const struct record_execution *good)
{
	for (int32_t rank = 0; rank < sketch->ranks; rank++) {
		struct sketch_trace bad = sketch_trace_make(finding, execution, rank, SKETCH_BAD);
		struct sketch_trace well = sketch_trace_make(finding, good, rank, SKETCH_GOOD);

		sketch_join(sketch, finding->blame, &bad, &well);
		g_ptr_array_unref(bad.steps);
		g_ptr_array_unref(well.steps);
	}
}

/* Makes room for the value in each message that carries one. */
static void make_room(struct sketch *sketch)
{
	bool carries = sketch->asserts;

	for (guint i = 0; i < sketch->steps->len; i++)
		carries |= sketch_step(sketch, i)->tells;
	for (guint i = 0; carries && i < sketch->steps->len; i++) {
		struct sketch_step *step = sketch_step(sketch, i);

		if (step->kind == SKETCH_SEND || step->kind == SKETCH_RECEIVE || step->tells)
			step->count = MAX(step->count, sizeof(int));
	}
}

struct sketch *sketch_new(const struct record_finding *finding,
                          const struct record_execution *execution,
                          const struct record_execution *good, GError **error)
{
	struct sketch *sketch;

	if (!sketch_can_show(finding, error))
		return NULL;
	sketch = g_new0(struct sketch, 1);
	sketch->asserts = shown_by(finding, FINDING_EMIT_ASSERT);
	sketch->steps = g_ptr_array_new_with_free_func(sketch_step_free);
	sketch->ranks = (int32_t)execution->outputs->len;
	sketch->gone = g_new0(bool, sketch->ranks);
	sketch->conditions = g_new0(struct sketch_condition, sketch->ranks);
	sketch->blamed = sketch->right = sketch->stands = -1;
	join_ranks(sketch, finding, execution, good);
	if (!take_blame(sketch, finding, error)) {
		sketch_free(sketch);
		return NULL;
	}
	unite_steps(sketch);
	sketch_find_conditions(sketch);
	take_given(sketch, finding);
	if (!sketch->asserts)
		sketch->stands = finding_step(sketch, finding);
	if (shown_by(finding, FINDING_EMIT_HANG)) {
		mark_hanging(sketch, finding);
		prefer_lock(sketch);
	}
	make_room(sketch);
	return sketch;
}

/* --- reduction ----- */

bool *sketch_state(const struct sketch *sketch)
{
	bool *state = g_new(bool, sketch->steps->len + (guint)sketch->ranks);

	for (guint i = 0; i < sketch->steps->len; i++)
		state[i] = sketch_step(sketch, i)->dropped;
	memcpy(state + sketch->steps->len, sketch->gone, (gsize)sketch->ranks * sizeof(bool));
	return state;
}

void sketch_restore(struct sketch *sketch, const bool *state)
{
	for (guint i = 0; i < sketch->steps->len; i++)
		sketch_step(sketch, i)->dropped = state[i];
	memcpy(sketch->gone, state + sketch->steps->len, (gsize)sketch->ranks * sizeof(bool));
}

static void drop_unit(struct sketch *sketch, uint32_t unit)
{
	for (guint i = 0; i < sketch->steps->len; i++) {
		struct sketch_step *step = sketch_step(sketch, i);

		step->dropped |= step->unit == unit;
	}
}

void sketch_drop_rank(struct sketch *sketch, int32_t rank)
{
	sketch->gone[rank] = true;
	for (guint i = 0; i < sketch->steps->len; i++) {
		struct sketch_step *step = sketch_step(sketch, i);

		if (step->kind == SKETCH_COLLECTIVE)
			step->dropped |= step->rank == rank || step->peer == rank;
		else if (step->rank == rank || step->peer == rank)
			drop_unit(sketch, step->unit);
	}
}

void sketch_keep(struct sketch *sketch, const bool *kept)
{
	for (guint i = 0; i < sketch->steps->len; i++) {
		struct sketch_step *step = sketch_step(sketch, i);

		step->dropped |= !kept[step->unit];
	}
}

/* The next remaining step of the same rank; -1: there is none, or it belongs to the other
 * interleaving. */
static int next_step(const struct sketch *sketch, guint index)
{
	const struct sketch_step *step = sketch_step(sketch, index);

	for (guint i = index + 1; i < sketch->steps->len; i++) {
		const struct sketch_step *next = sketch_step(sketch, i);

		if (next->rank != step->rank)
			break;
		if (!next->dropped)
			return next->side == step->side ? (int)i : -1;
	}
	return -1;
}

static bool waits_for_it_alone(const struct sketch *sketch, guint wait, guint index)
{
	const struct sketch_step *step = sketch_step(sketch, wait);

	for (guint i = 0; step->kind == SKETCH_WAIT && i < step->waits->len; i++) {
		guint other = g_array_index(step->waits, guint, i);

		if (other != index && !sketch_step(sketch, other)->dropped)
			return false;
	}
	return step->kind == SKETCH_WAIT && step->waits->len > 0;
}

void sketch_merge_waits(struct sketch *sketch)
{
	for (guint i = 0; i < sketch->steps->len; i++) {
		struct sketch_step *step = sketch_step(sketch, i);
		int wait = next_step(sketch, i);

		if (step->dropped || !step->immediate || step->exchange || wait < 0
		    || step->kind > SKETCH_RECEIVE
		    || mpi_call_send_mode(step->original) == MPI_CALL_SEND_MODE_BUFFERED
		    || sketch_step(sketch, (guint)wait)->unit == step->unit
		    || !waits_for_it_alone(sketch, (guint)wait, i))
			continue;
		step->blocking = true;
		sketch_step(sketch, (guint)wait)->dropped = true;
		if (sketch->stands == wait)
			sketch->stands = (int32_t)i;
	}
}

void sketch_split_waits(struct sketch *sketch)
{
	for (guint i = 0; i < sketch->steps->len; i++)
		sketch_step(sketch, i)->blocking = false;
}

static bool is_left(const struct sketch *sketch, int index)
{
	return index < 0 || !sketch_step(sketch, (guint)index)->dropped;
}

/* Whether the step remains by which the rank distinguishes the interleavings. */
static bool can_know(const struct sketch *sketch, int32_t rank)
{
	const struct sketch_condition *condition = &sketch->conditions[rank];
	const struct sketch_step *sign;

	if (condition->sign == SKETCH_UNKNOWN)
		return false;
	sign = sketch_step(sketch, condition->step);
	for (int side = 0; sign->kind == SKETCH_ASK && side < SKETCH_SIDES; side++) {
		const GArray *reported = sign->events[side].reported;

		for (guint i = 0; i < reported->len; i++) {
			if (!is_left(sketch, (int)g_array_index(reported, guint, i)))
				return false;
		}
	}
	return !sign->dropped;
}

bool sketch_is_exchange(const struct sketch *sketch, guint index)
{
	return sketch_step(sketch, index)->exchange && index + 2 < sketch->steps->len
	       && !sketch_step(sketch, index)->dropped && !sketch_step(sketch, index + 1)->dropped
	       && !sketch_step(sketch, index + 2)->dropped;
}

bool sketch_knows(const struct sketch *sketch, int32_t rank)
{
	for (guint i = 0; i < sketch->steps->len; i++) {
		const struct sketch_step *step = sketch_step(sketch, i);

		if (step->rank == rank && !step->dropped
		    && (step->side != SKETCH_BOTH || step->tells))
			return true;
	}
	return false;
}

bool sketch_is_whole(const struct sketch *sketch)
{
	if (!is_left(sketch, sketch->stands) || sketch_ranks(sketch) == 0
	    || (sketch->asserts
	        && (!is_left(sketch, sketch->blamed) || !is_left(sketch, sketch->right)))
	    || !sketch_keeps_locks(sketch))
		return false;
	for (int32_t rank = 0; rank < sketch->ranks; rank++) {
		if (sketch_knows(sketch, rank) && !can_know(sketch, rank))
			return false;
	}
	return true;
}

int32_t sketch_rank(const struct sketch *sketch, int32_t rank)
{
	int32_t number = 0;

	for (int32_t i = 0; i < rank; i++)
		number += !sketch->gone[i];
	return number;
}

int32_t sketch_ranks(const struct sketch *sketch)
{
	return sketch_rank(sketch, sketch->ranks);
}
