#include "sketch.h"

#include <string.h>

G_DEFINE_QUARK(matchpoint_sketch_error, sketch_error)

static struct sketch_step *step_at(const struct sketch *sketch, guint index)
{
	return sketch->steps->pdata[index];
}

static void step_free(gpointer data)
{
	struct sketch_step *step = data;

	if (step->waits)
		g_array_unref(step->waits);
	g_free(step);
}

void sketch_free(struct sketch *sketch)
{
	if (!sketch)
		return;
	g_ptr_array_unref(sketch->steps);
	g_free(sketch->gone);
	g_free(sketch);
}

/* --- from the record --- */

struct making {
	struct sketch *sketch;
	const struct record_finding *finding;
	const struct record_execution *execution, *good;
};

static const struct record_call *find_call(const struct record_execution *execution, int32_t rank,
                                           uint32_t call)
{
	for (guint i = 0; execution && i < execution->calls->len; i++) {
		const struct record_call *found = &g_array_index(execution->calls,
		                                                 struct record_call, i);

		if (found->rank == rank && found->call == call)
			return found;
	}
	return NULL;
}

/* The call behind a step: of what went wrong, or, where a rank did not get so far, of what ends
 * well. */
static const struct record_call *source_of(const struct making *making, int32_t rank, uint32_t call)
{
	const struct record_call *found = find_call(making->execution, rank, call);

	return found ? found : find_call(making->good, rank, call);
}

static struct sketch_step *add(struct sketch *sketch, const struct record_call *call,
                               enum sketch_kind kind, const char *function)
{
	struct sketch_step *step = g_new0(struct sketch_step, 1);

	step->kind = kind;
	step->rank = call->rank;
	step->call = call->call;
	step->function = function;
	step->peer = call->peer;
	step->follows = -1;
	step->tag = call->tag;
	step->communicator = call->communicator;
	step->count = call->bytes;
	step->type = "MPI_BYTE";
	step->unit = sketch->units++;
	step->place = call->place;
	g_ptr_array_add(sketch->steps, step);
	return step;
}

static int find_step(const struct sketch *sketch, int32_t rank, uint32_t call,
                     enum sketch_kind kind)
{
	for (guint i = 0; i < sketch->steps->len; i++) {
		const struct sketch_step *step = step_at(sketch, i);

		if (step->rank == rank && step->call == call
		    && (step->kind == kind
		        || (kind == SKETCH_RECEIVE && step->kind == SKETCH_PROBE)))
			return (int)i;
	}
	return -1;
}

static bool begins(const char *function, const char *with)
{
	return g_ascii_strncasecmp(function, with, strlen(with)) == 0;
}

/* The receive of a Sendrecv: the record tells the send; its match, or whom the rank waits for,
 * tells the rest. */
static void add_exchange(struct making *making, const struct record_call *call)
{
	struct sketch *sketch = making->sketch;
	struct record_call receive = *call;
	struct sketch_step *step;
	guint send = sketch->steps->len;

	receive.peer = -1;
	add(sketch, call, SKETCH_SEND, "MPI_Isend")->immediate = true;
	for (guint i = 0; i < making->execution->matches->len; i++) {
		const struct record_match *match = &g_array_index(making->execution->matches,
		                                                  struct record_match, i);

		if (match->rank == call->rank && match->call == call->call) {
			receive.peer = match->source;
			receive.tag = match->tag;
		}
	}
	for (guint i = 0; receive.peer < 0 && i < making->finding->ranks->len; i++) {
		const struct record_rank *rank = making->finding->ranks->pdata[i];

		if (rank->rank == call->rank && rank->call == call->call
		    && rank->waits_for->len > 0)
			receive.peer = g_array_index(rank->waits_for, int32_t, 0);
	}
	step = add(sketch, &receive, SKETCH_RECEIVE, "MPI_Recv");
	step = add(sketch, call, SKETCH_WAIT, "MPI_Wait");
	step->unit = step_at(sketch, send)->unit;
	step->waits = g_array_new(FALSE, FALSE, sizeof(guint));
	g_array_append_val(step->waits, send);
}

/* The requests of this rank that a call completed; of one in which it waits for ever, all that
 * nobody has completed. */
static void add_wait(struct making *making, const struct record_call *call)
{
	struct sketch *sketch = making->sketch;
	GArray *waits = g_array_new(FALSE, FALSE, sizeof(guint));
	bool last = !source_of(making, call->rank, call->call + 1);
	struct sketch_step *step;

	for (guint i = 0; i < sketch->steps->len; i++) {
		const struct record_call *from, *well;

		step = step_at(sketch, i);
		if (step->rank != call->rank || !step->immediate)
			continue;
		from = source_of(making, step->rank, step->call);
		well = find_call(making->good, step->rank, step->call);
		if (from->completed == call->call || (last && from->completed == 0)
		    || (from->completed == 0 && well && well->completed == call->call))
			g_array_append_val(waits, i);
	}
	if (waits->len == 0) {
		g_array_unref(waits);
		return;
	}
	step = add(sketch, call, SKETCH_WAIT, waits->len > 1 ? "MPI_Waitall" : "MPI_Wait");
	step->waits = waits;
}

/* Collectives that are written as they are; others, and those that create communicators, stand for
 * a barrier. */
static const char *collective_name(const char *function)
{
	static const char *const same[] = {"MPI_Bcast",  "MPI_Reduce",  "MPI_Allreduce",
	                                   "MPI_Gather", "MPI_Scatter", "MPI_Allgather",
	                                   "MPI_Scan",   "MPI_Alltoall"};

	for (guint i = 0; i < G_N_ELEMENTS(same); i++) {
		if (g_str_equal(function, same[i]))
			return same[i];
	}
	if (g_str_equal(function, "MPI_Gatherv"))
		return "MPI_Gather";
	if (g_str_equal(function, "MPI_Scatterv"))
		return "MPI_Scatter";
	return "MPI_Barrier";
}

static void add_call(struct making *making, const struct record_call *call)
{
	struct sketch *sketch = making->sketch;
	const char *name = call->function;
	bool immediate = begins(name, "MPI_I") || begins(name, "MPI_Start");
	bool synchronous = begins(name, "MPI_Ssend") || begins(name, "MPI_Issend");

	if (call->kind == RECORD_CALL_SEND && call->operations > 1) {
		add_exchange(making, call);
	} else if (call->kind == RECORD_CALL_SEND) {
		name = synchronous ? (immediate ? "MPI_Issend" : "MPI_Ssend")
		                   : (immediate ? "MPI_Isend" : "MPI_Send");
		if (begins(call->function, "MPI_Bsend") || begins(call->function, "MPI_Ibsend"))
			name = "MPI_Isend"; /* it waits for nobody */
		add(sketch, call, SKETCH_SEND, name)->immediate = immediate
		                                                  || begins(name, "MPI_I");
	} else if (call->kind == RECORD_CALL_RECEIVE) {
		add(sketch, call, SKETCH_RECEIVE, immediate ? "MPI_Irecv" : "MPI_Recv")->immediate =
			immediate;
	} else if (call->kind == RECORD_CALL_MPROBE) {
		add(sketch, call, SKETCH_RECEIVE, "MPI_Recv");
	} else if (call->kind == RECORD_CALL_PROBE) {
		add(sketch, call, SKETCH_PROBE, "MPI_Probe");
	} else if (call->kind == RECORD_CALL_COLLECTIVE && !begins(name, "MPI_Finalize")
	           && !begins(name, "MPI_Init")) {
		add(sketch, call, SKETCH_COLLECTIVE, collective_name(name));
	} else if (begins(name, "MPI_Wait") || begins(name, "MPI_Test")) {
		add_wait(making, call);
	}
}

/* What ranks would have called had they not stopped: as in the interleaving that ends well, where
 * this rank had called the same before. */
static void continue_well(struct making *making, int32_t rank)
{
	const struct record_call *well, *here;
	uint32_t call = 1;

	while ((here = find_call(making->execution, rank, call))) {
		well = find_call(making->good, rank, call);
		if (!well)
			return;
		if (well->function != here->function) {
			/* MPI_Abort in its place, say. */
			if (here->kind != RECORD_CALL_OTHER
			    || find_call(making->execution, rank, call + 1))
				return;
			break;
		}
		call++;
	}
	while ((well = find_call(making->good, rank, call++)))
		add_call(making, well);
}

/* Matched pairs stay or go together. */
static void unite_matches(struct sketch *sketch, const struct record_execution *execution,
                          bool *paired)
{
	for (guint i = 0; i < execution->matches->len; i++) {
		const struct record_match *match = &g_array_index(execution->matches,
		                                                  struct record_match, i);
		int receive = find_step(sketch, match->rank, match->call, SKETCH_RECEIVE);
		int send = find_step(sketch, match->source, match->send_call, SKETCH_SEND);

		if (receive < 0 || send < 0 || paired[receive] || paired[send]
		    || step_at(sketch, receive)->kind != SKETCH_RECEIVE)
			continue;
		step_at(sketch, receive)->unit = step_at(sketch, send)->unit;
		paired[receive] = paired[send] = true;
	}
}

/* And so do the calls that meet in a collective. */
static void unite_collectives(struct sketch *sketch, const struct record_execution *execution)
{
	for (guint i = 0; i < sketch->steps->len; i++) {
		struct sketch_step *step = step_at(sketch, i);
		const struct record_call *call = find_call(execution, step->rank, step->call);

		if (step->kind != SKETCH_COLLECTIVE || !call || call->collective == 0)
			continue;
		for (guint j = 0; j < i; j++) {
			const struct sketch_step *other = step_at(sketch, j);
			const struct record_call *met = find_call(execution, other->rank,
			                                          other->call);

			if (other->kind == SKETCH_COLLECTIVE && met
			    && met->collective == call->collective) {
				step->unit = other->unit;
				break;
			}
		}
	}
}

static void unite(struct making *making)
{
	g_autofree bool *paired = g_new0(bool, making->sketch->steps->len + 1);

	unite_matches(making->sketch, making->execution, paired);
	if (making->good) {
		unite_matches(making->sketch, making->good, paired);
		unite_collectives(making->sketch, making->good);
	}
	unite_collectives(making->sketch, making->execution);
}

static int32_t taken_by(const struct record_execution *execution, int32_t rank, uint32_t call)
{
	for (guint i = 0; i < execution->matches->len; i++) {
		const struct record_match *match = &g_array_index(execution->matches,
		                                                  struct record_match, i);

		if (match->rank == rank && match->call == call)
			return match->source;
	}
	for (guint i = 0; i < execution->choices->len; i++) { /* probes are not among the matches */
		const struct record_choice *choice = execution->choices->pdata[i];

		if (choice->rank == rank && choice->call == call)
			return choice->taken.source;
	}
	return -1;
}

/* A peer that in both interleavings is whom an earlier receive of this rank heard from, and not the
 * same in both, is taken from that. */
static void follow_sources(struct making *making)
{
	struct sketch *sketch = making->sketch;

	for (guint i = 0; making->good && i < sketch->steps->len; i++) {
		struct sketch_step *step = step_at(sketch, i);
		const struct record_call *well = find_call(making->good, step->rank, step->call);
		const struct record_call *here = find_call(making->execution, step->rank,
		                                           step->call);

		if (step->kind == SKETCH_COLLECTIVE || step->peer < 0 || !well || !here
		    || well->peer < 0 || well->peer == step->peer
		    || well->function != here->function)
			continue;
		for (guint j = i; j-- > 0;) {
			const struct sketch_step *from = step_at(sketch, j);

			if (from->rank == step->rank && from->peer < 0 && !from->immediate
			    && (from->kind == SKETCH_RECEIVE || from->kind == SKETCH_PROBE)
			    && taken_by(making->execution, from->rank, from->call) == step->peer
			    && taken_by(making->good, from->rank, from->call) == well->peer) {
				step->follows = (int32_t)j;
				break;
			}
		}
	}
}

/* "sends 4 MPI_INT" */
static void take_types(struct making *making)
{
	for (guint i = 0; i < making->finding->ranks->len; i++) {
		const struct record_rank *rank = making->finding->ranks->pdata[i];
		g_auto(GStrv) words = g_strsplit(rank->does ? rank->does : "", " ", -1);

		if (g_strv_length(words) != 3 || !g_str_has_prefix(words[2], "MPI_"))
			continue;
		for (guint j = 0; j < making->sketch->steps->len; j++) {
			struct sketch_step *step = step_at(making->sketch, j);

			if (step->rank != rank->rank || step->call != rank->call
			    || step->kind > SKETCH_RECEIVE)
				continue;
			step->count = g_ascii_strtoull(words[1], NULL, 10);
			step->type = g_intern_string(words[2]);
		}
	}
}

/* Where the finding shows: the first rank's call that is not by the way. */
static int32_t standing(const struct making *making)
{
	for (guint i = 0; i < making->finding->ranks->len; i++) {
		const struct record_rank *rank = making->finding->ranks->pdata[i];
		bool ended = rank->ended && g_str_equal(rank->ended, "ended");

		if (rank->bystander || ended)
			continue;
		for (guint j = making->sketch->steps->len; j-- > 0;) {
			const struct sketch_step *step = step_at(making->sketch, j);

			if (step->rank == rank->rank && step->call == rank->call)
				return (int32_t)j;
		}
	}
	return -1;
}

/* The receive to blame and the send whose message goes well. */
static bool take_blame(struct making *making, GError **error)
{
	const struct record_choice *blame = making->finding->blame;
	const struct record_message *right;
	struct sketch *sketch = making->sketch;

	if (!blame || blame->alternatives->len == 0) {
		g_set_error(
			error, SKETCH_ERROR, 0,
			"what goes wrong in the program itself can be told by a value received, "
			"and no receive is to blame");
		return false;
	}
	right = &g_array_index(blame->alternatives, struct record_message, 0);
	sketch->blamed = find_step(sketch, blame->rank, blame->call, SKETCH_RECEIVE);
	sketch->right = find_step(sketch, right->source, right->call, SKETCH_SEND);
	if (sketch->blamed >= 0 && sketch->right >= 0
	    && step_at(sketch, sketch->blamed)->kind == SKETCH_RECEIVE)
		return true;
	g_set_error(error, SKETCH_ERROR, 0,
	            "the choice to blame is none between messages of a receive");
	return false;
}

struct sketch *sketch_new(const struct record_finding *finding,
                          const struct record_execution *execution,
                          const struct record_execution *good, GError **error)
{
	static const char *const plain[] = {"deadlock", "mpi-error", "type-mismatch",
	                                    "collective-mismatch", NULL};
	static const char *const wrong[] = {"crash", "abort", "exit", "outcome-differs", NULL};
	struct making making = {g_new0(struct sketch, 1), finding, execution, good};
	struct sketch *sketch = making.sketch;
	bool asserts = g_strv_contains(wrong, finding->kind);

	sketch->steps = g_ptr_array_new_with_free_func(step_free);
	sketch->ranks = (int32_t)execution->outputs->len;
	sketch->gone = g_new0(bool, sketch->ranks);
	sketch->blamed = sketch->right = sketch->stands = -1;
	for (guint i = 0; i < execution->calls->len; i++)
		add_call(&making, &g_array_index(execution->calls, struct record_call, i));
	for (int32_t rank = 0; good && rank < sketch->ranks; rank++)
		continue_well(&making, rank);
	unite(&making);
	follow_sources(&making);
	take_types(&making);
	if (!asserts)
		sketch->stands = standing(&making);
	if (asserts ? take_blame(&making, error) : g_strv_contains(plain, finding->kind))
		return sketch;
	if (!asserts)
		g_set_error(error, SKETCH_ERROR, 0, "a %s is not shown by MPI calls alone",
		            finding->kind);
	sketch_free(sketch);
	return NULL;
}

/* --- leaving out --- */

bool *sketch_state(const struct sketch *sketch)
{
	bool *state = g_new(bool, sketch->steps->len + (guint)sketch->ranks);

	for (guint i = 0; i < sketch->steps->len; i++)
		state[i] = step_at(sketch, i)->dropped;
	memcpy(state + sketch->steps->len, sketch->gone, (gsize)sketch->ranks * sizeof(bool));
	return state;
}

void sketch_restore(struct sketch *sketch, const bool *state)
{
	for (guint i = 0; i < sketch->steps->len; i++)
		step_at(sketch, i)->dropped = state[i];
	memcpy(sketch->gone, state + sketch->steps->len, (gsize)sketch->ranks * sizeof(bool));
}

static void drop_unit(struct sketch *sketch, uint32_t unit)
{
	for (guint i = 0; i < sketch->steps->len; i++) {
		struct sketch_step *step = step_at(sketch, i);

		step->dropped |= step->unit == unit;
	}
}

void sketch_drop_rank(struct sketch *sketch, int32_t rank)
{
	sketch->gone[rank] = true;
	for (guint i = 0; i < sketch->steps->len; i++) {
		struct sketch_step *step = step_at(sketch, i);

		if (step->kind == SKETCH_COLLECTIVE)
			step->dropped |= step->rank == rank || step->peer == rank;
		else if (step->rank == rank || step->peer == rank)
			drop_unit(sketch, step->unit);
	}
}

void sketch_keep(struct sketch *sketch, const bool *kept)
{
	for (guint i = 0; i < sketch->steps->len; i++) {
		struct sketch_step *step = step_at(sketch, i);

		step->dropped |= !kept[step->unit];
	}
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
