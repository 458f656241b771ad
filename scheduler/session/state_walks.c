#include "state_walks.h"

#include <string.h>

#include "driver.h"
#include "interleaving.h"
#include "scheduler/world/world_picture.h"
#include "session_context.h"

struct state_walks {
	struct plan_source source;
	struct session *session;
	struct state_search *searches[BUFFERING_PER_SEND + 1]; /* by buffering; NULL: none */
	struct strategy *strategies[BUFFERING_PER_SEND + 1];   /* the same, while they are made */
	guint turn;                                            /* the buffering at hand */
	char *why; /* the first state that could not be told could not for this; NULL: all could */
};

static bool states_may_go_on(const struct plan_source *source)
{
	return session_may_go_on(((const struct state_walks *)source)->session);
}

static bool states_next(struct plan_source *source, struct run_request *ret_request)
{
	struct state_walks *walks = (struct state_walks *)source;
	g_autoptr(GArray) plan = NULL;

	if (session_is_enough(walks->session))
		return false;
	while (walks->turn <= BUFFERING_PER_SEND) {
		struct strategy *strategy = walks->strategies[walks->turn];

		plan = strategy ? strategy->next(strategy) : NULL;
		if (plan)
			break;
		walks->turn++;
	}
	if (!plan)
		return false;
	*ret_request = (struct run_request){
		.position = session_position(walks->session, plan, (enum buffering)walks->turn),
		.strategy = walks->strategies[walks->turn]};
	session_request(walks->session, ret_request, CALLS_NEW);
	return true;
}

static void add_outputs(struct state_hash *hash, const GPtrArray *outputs)
{
	state_hash_add(hash, outputs ? outputs->len : 0);
	for (guint i = 0; outputs && i < outputs->len; i++) {
		gsize size = 0;
		const void *bytes = outputs->pdata[i] ? g_bytes_get_data(outputs->pdata[i], &size)
		                                      : NULL;

		state_hash_add_bytes(hash, bytes ? bytes : "", size);
	}
}

static void add_text(struct state_hash *hash, const char *text)
{
	state_hash_add_bytes(hash, text ? text : "", text ? strlen(text) : 0);
}

/* An end is known by what there is to tell of it. */
static void note_end(struct state_walks *walks, const struct execution *execution)
{
	const struct run_result *result = execution_result(execution);
	const struct verdict *verdict = interleaving_verdict(execution);
	struct state_hash name;

	if (result->wasted || result->lost || result->cut_short || result->state != EXECUTION_OVER
	    || !verdict->record)
		return;
	world_picture_end(execution_world(execution), &name);
	state_hash_add(&name, (guint64)verdict->record->status << 1 | result->stalled);
	add_outputs(&name, verdict->record->outputs);
	add_outputs(&name, verdict->record->errors);
	for (guint i = 0; i < verdict->findings->len; i++) {
		const struct record_finding *finding = verdict->findings->pdata[i];

		state_hash_add(&name, finding->kind);
		add_text(&name, finding->message);
	}
	state_search_end(walks->searches[walks->turn], &name);
}

static void states_ended(struct plan_source *source, struct execution *execution)
{
	struct state_walks *walks = (struct state_walks *)source;

	note_end(walks, execution);
	session_finish(walks->session, execution, true);
}

struct state_walks *state_walks_new(struct session *session)
{
	static const struct plan_source_type type = {
		.next = states_next, .may_go_on = states_may_go_on, .ended = states_ended};
	struct state_walks *walks = g_new0(struct state_walks, 1);

	walks->source.type = &type;
	walks->session = session;
	return walks;
}

void state_walks_free(struct state_walks *walks)
{
	for (guint i = BUFFERING_ZERO; i <= BUFFERING_PER_SEND; i++)
		state_search_free(walks->searches[i]);
	g_free(walks->why);
	g_free(walks);
}

void state_walks_explore(struct state_walks *walks)
{
	const struct session_options *options = session_options(walks->session);

	walks->turn = BUFFERING_ZERO;
	for (guint i = BUFFERING_ZERO; i <= BUFFERING_PER_SEND; i++) {
		if (!(options->bufferings & 1u << i))
			continue;
		walks->searches[i] = state_search_new(options->verify);
		walks->strategies[i] = strategy_states(walks->searches[i], options->verify,
		                                       &walks->why);
	}
	driver_run(session_driver(walks->session), (struct plan_source *[]){&walks->source}, 1);
	session_save(walks->session);
	for (guint i = BUFFERING_ZERO; i <= BUFFERING_PER_SEND; i++)
		if (walks->strategies[i])
			walks->strategies[i]->free(g_steal_pointer(&walks->strategies[i]));
}

bool state_walks_need(const struct state_walks *walks, const struct world *world)
{
	const struct state_search *search = walks->searches[world_options(world)->buffering];

	return search && state_search_needs(search, world_choices(world));
}

struct state_statistics state_walks_statistics(const struct state_walks *walks)
{
	struct state_statistics all = {0};

	for (guint i = BUFFERING_ZERO; i <= BUFFERING_PER_SEND; i++) {
		struct state_statistics one;

		if (!walks->searches[i])
			continue;
		state_search_statistics(walks->searches[i], &one);
		all.states += one.states;
		all.ends += one.ends;
		all.nameless += one.nameless;
		all.merged += one.merged;
		all.verified += one.verified;
		all.differed += one.differed;
		all.lost += one.lost;
		all.waiting += one.waiting;
		all.sets_left |= one.sets_left;
	}
	return all;
}

void state_walks_note(const struct state_walks *walks, GPtrArray *notes)
{
	struct state_statistics all = state_walks_statistics(walks);

	if (all.nameless > 0)
		g_ptr_array_add(notes,
		                g_strdup_printf("%" G_GUINT64_FORMAT
		                                " states could not be compared with others, and "
		                                "were explored each time they came up: %s",
		                                all.nameless, walks->why));
	if (session_options(walks->session)->verify)
		g_ptr_array_add(notes, g_strdup_printf("--verify: %" G_GUINT64_FORMAT
		                                       " steps out of states that were known led "
		                                       "where they had led before",
		                                       all.verified));
}

char *state_walks_doubt(const struct state_walks *walks)
{
	struct state_statistics all = state_walks_statistics(walks);

	if (all.differed == 0 && all.sets_left)
		return g_strdup("MPI_Waitsome or MPI_Testsome could have reported more requests "
		                "together (--some)");
	if (all.differed == 0)
		return NULL;
	return g_strdup_printf("--verify: %" G_GUINT64_FORMAT
	                       " steps out of states that were taken for equal led elsewhere: the "
	                       "program goes by what matchpoint does not see (time, files, other "
	                       "programs); --search tree does not depend on that",
	                       all.differed);
}
