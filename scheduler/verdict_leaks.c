/* Findings of what is left behind when all has ended well. */
#include "leaks.h"
#include "mpi_calls.h"
#include "session_internal.h"

static void add_objects(const struct execution *execution, int rank, struct leaks *leaks)
{
	const GArray *left = world_left(execution->world, rank);

	for (guint i = 0; i < left->len; i++) {
		const struct wire_left *object = &g_array_index(left, struct wire_left, i);
		const struct leak leak = {
			.rank = rank,
			.kind = object->kind,
			.function = g_intern_string(mpi_call_name(object->function)),
			.place = session_place(execution, rank, object->site),
			.count = object->count,
		};

		leaks_add(leaks, &leak);
	}
}

static void add_messages(const struct execution *execution, struct leaks *leaks)
{
	g_autoptr(GArray) sends = world_unreceived(execution->world);

	for (guint i = 0; i < sends->len; i++) {
		struct op_id send = g_array_index(sends, struct op_id, i);
		const struct world_call *info = world_call_info(execution->world, send.rank,
		                                                send.call);
		g_autofree char *arguments = world_arguments(execution->world, send.rank,
		                                             send.call);
		struct leak leak = {
			.rank = send.rank,
			.kind = LEAK_UNRECEIVED,
			.function = g_intern_string(info ? mpi_call_name(info->function) : "?"),
			.arguments = arguments,
			.call = send.call,
			.count = 1};

		if (info)
			leak.place = session_place(execution, send.rank, info->site);
		leaks_add(leaks, &leak);
	}
}

void verdict_add_leaks(struct execution *execution)
{
	struct leaks *leaks = leaks_new();
	int ranks = execution->session->options->ranks;
	g_autoptr(GPtrArray) findings = NULL;

	for (int rank = 0; rank < ranks; rank++)
		add_objects(execution, rank, leaks);
	add_messages(execution, leaks);
	findings = leaks_findings(leaks, ranks);
	for (guint i = 0; i < findings->len; i++) {
		struct record_finding *finding = findings->pdata[i];

		finding->path = g_strdup(execution->record->path);
		g_ptr_array_add(execution->findings, finding);
	}
	leaks_free(leaks);
}
