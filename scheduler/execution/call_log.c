#include "call_log.h"

#include "explorer/rank_name.h"
#include "mpi_calls.h"

struct call_log {
	int ranks;
	GArray **calls; /* struct world_call, by rank */
};

/* Copies a rank's calls: the world has no array of them. */
static GArray *calls_of(const struct world *world, int rank)
{
	guint32 count = world_calls(world, rank);
	GArray *calls = g_array_sized_new(false, false, sizeof(struct world_call), count);

	for (guint32 call = 1; call <= count; call++)
		g_array_append_vals(calls, world_call_info(world, rank, call), 1);
	return calls;
}

struct call_log *call_log_take(const struct world *world)
{
	struct call_log *log = g_new0(struct call_log, 1);

	log->ranks = world_options(world)->ranks;
	log->calls = g_new0(GArray *, log->ranks);
	for (int rank = 0; rank < log->ranks; rank++)
		log->calls[rank] = calls_of(world, rank);
	return log;
}

void call_log_free(struct call_log *log)
{
	if (!log)
		return;
	for (int rank = 0; rank < log->ranks; rank++)
		g_array_unref(log->calls[rank]);
	g_free(log->calls);
	g_free(log);
}

/* Whether it is the same call with the same envelope. The call's address may differ. */
static bool same_call(const struct world_call *one, const struct world_call *other)
{
	return one->function == other->function && one->op_count == other->op_count
	       && one->kind == other->kind && one->peer == other->peer && one->tag == other->tag
	       && one->comm == other->comm;
}

static char *name_call(const struct world_call *call)
{
	if (!call)
		return g_strdup("not made");
	if (call->kind == WIRE_RECEIVE && call->peer == WIRE_ANY)
		return g_strdup_printf("%s(ANY_SOURCE, tag=%d)", mpi_call_name(call->function),
		                       call->tag);
	if (call->kind == WIRE_SEND || call->kind == WIRE_RECEIVE)
		return g_strdup_printf("%s(%s=%d, tag=%d)", mpi_call_name(call->function),
		                       call->kind == WIRE_SEND ? "dest" : "source", call->peer,
		                       call->tag);
	return g_strdup(mpi_call_name(call->function));
}

char *call_log_difference(const struct call_log *log, const struct world *world)
{
	for (int rank = 0; rank < log->ranks; rank++) {
		const GArray *calls = log->calls[rank];
		guint count = MAX(calls->len, world_calls(world, rank));

		for (guint i = 0; i < count; i++) {
			const struct world_call *then =
				i < calls->len ? &g_array_index(calls, struct world_call, i) : NULL;
			const struct world_call *now = world_call_info(world, rank, i + 1);
			g_autofree char *was = NULL, *is = NULL;

			if (then && now && same_call(then, now))
				continue;
			was = name_call(then);
			is = name_call(now);
			return g_strdup_printf(
				"rank %s's call %u was %s, and is %s when the same path is "
				"followed again",
				rank_name(rank), i + 1, was, is);
		}
	}
	return NULL;
}
