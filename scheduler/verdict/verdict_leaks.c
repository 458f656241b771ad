/* Findings about what is left behind when an interleaving ended well. */
#include "leaks.h"
#include "mpi_calls.h"
#include "verdict_internal.h"

static void add_objects(const struct verdict_facts *facts, int rank, struct leaks *leaks)
{
	const GArray *left = world_left(facts->world, rank);

	for (guint i = 0; i < left->len; i++) {
		const struct wire_left *object = &g_array_index(left, struct wire_left, i);
		const struct leak leak = {
			.rank = rank,
			.kind = object->kind,
			.function = g_intern_string(mpi_call_name(object->function)),
			.place = verdict_site(facts, rank, object->site),
			.count = object->count,
		};

		leaks_add(leaks, &leak);
	}
}

static void add_messages(const struct verdict_facts *facts, struct leaks *leaks)
{
	g_autoptr(GArray) sends = world_unreceived(facts->world);

	for (guint i = 0; i < sends->len; i++) {
		struct op_id send = g_array_index(sends, struct op_id, i);
		const struct world_call *info = world_call_info(facts->world, send.rank, send.call);
		g_autofree char *arguments = verdict_arguments(facts, send.rank, send.call);
		struct leak leak = {
			.rank = send.rank,
			.kind = LEAK_UNRECEIVED,
			.function = g_intern_string(info ? mpi_call_name(info->function) : "?"),
			.arguments = arguments,
			.call = send.call,
			.count = 1};

		if (info)
			leak.place = verdict_site(facts, send.rank, info->site);
		leaks_add(leaks, &leak);
	}
}

void verdict_add_leaks(struct verdict *verdict, const struct verdict_facts *facts)
{
	struct leaks *leaks = leaks_new();
	int ranks = facts->ranks;
	g_autoptr(GPtrArray) findings = NULL;

	for (int rank = 0; rank < ranks; rank++)
		add_objects(facts, rank, leaks);
	add_messages(facts, leaks);
	findings = leaks_findings(leaks, ranks);
	for (guint i = 0; i < findings->len; i++) {
		struct record_finding *finding = findings->pdata[i];

		finding->path = g_strdup(verdict->record->path);
		g_ptr_array_add(verdict->findings, finding);
	}
	leaks_free(leaks);
}
