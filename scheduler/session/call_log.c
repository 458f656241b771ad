#include "call_log.h"

#include "explorer/rank_name.h"
#include "mpi_calls.h"

/* Copies a rank's calls: the world has no array of them. */
static GArray *calls_of(const struct world *world, int rank)
{
	guint32 count = world_calls(world, rank);
	GArray *calls = g_array_sized_new(false, false, sizeof(struct world_call), count);

	for (guint32 call = 1; call <= count; call++)
		g_array_append_vals(calls, world_call_info(world, rank, call), 1);
	return calls;
}

GPtrArray *call_log_take(const struct world *world)
{
	GPtrArray *log = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);

	for (int rank = 0; rank < world_options(world)->ranks; rank++)
		g_ptr_array_add(log, calls_of(world, rank));
	return log;
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

char *call_log_difference(const GPtrArray *log, const struct world *world)
{
	for (int rank = 0; rank < (int)log->len; rank++) {
		const GArray *calls = log->pdata[rank];
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
