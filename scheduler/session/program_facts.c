#include "program_facts.h"

#include "explorer/rank_name.h"
#include "scheduler/execution/sanitizer_report.h"

struct program_facts {
	guint64 limits;            /* LIMIT_BIT */
	guint32 collectives_tried; /* 1 << enum collective_mode, where the mode mattered */
	bool threads;              /* MPI_THREAD_MULTIPLE was granted */
	char *survived; /* a sanitizer's report: "rank 0: solver.c:12: ..."; NULL: none */
};

struct program_facts *program_facts_new(void)
{
	return g_new0(struct program_facts, 1);
}

void program_facts_free(struct program_facts *facts)
{
	if (facts)
		g_free(facts->survived);
	g_free(facts);
}

void program_facts_add_printed(struct program_facts *facts, const struct record_execution *record)
{
	for (guint rank = 0; rank < record->errors->len && !facts->survived; rank++) {
		gsize size;
		const char *text = g_bytes_get_data(record->errors->pdata[rank], &size);
		g_autofree char *found = size > 0 && record->status != FINDING_CRASH
		                                 ? sanitizer_report_find_survived(text, size)
		                                 : NULL;

		if (found)
			facts->survived = g_strdup_printf("rank %s: %s", rank_name(rank), found);
	}
}

void program_facts_add(struct program_facts *facts, const struct execution *execution)
{
	const struct world *world = execution_world(execution);
	const struct run_result *result = execution_result(execution);

	facts->limits |= world_limits(world) | result->limits;
	if (world_collectives_matter(world))
		facts->collectives_tried |= 1u << world_options(world)->collectives;
	facts->threads |= result->threads;
}

void program_facts_add_hurried(struct program_facts *facts, const struct execution *execution)
{
	facts->limits |= execution_result(execution)->limits & LIMIT_BIT(LIMIT_THREADS_HURRIED);
}

bool program_facts_threads(const struct program_facts *facts)
{
	return facts->threads;
}

guint64 program_facts_limits(const struct program_facts *facts)
{
	return facts->limits;
}

enum limit program_facts_collectives(const struct program_facts *facts)
{
	if (facts->collectives_tried == 1u << COLLECTIVES_ASYNC)
		return LIMIT_COLLECTIVES_ASYNC;
	if (facts->collectives_tried == 1u << COLLECTIVES_SYNC)
		return LIMIT_COLLECTIVES_SYNC;
	return LIMITS;
}

const char *program_facts_hurried(const struct program_facts *facts)
{
	return facts->limits & LIMIT_BIT(LIMIT_THREADS_HURRIED)
	               ? "threads that ran for long without calling MPI were not waited for"
	               : NULL;
}

void program_facts_save(const struct program_facts *facts, GVariantDict *state)
{
	GVariantBuilder names;

	g_variant_builder_init(&names, G_VARIANT_TYPE_STRING_ARRAY);
	for (guint i = 0; i < LIMITS; i++)
		if (facts->limits & LIMIT_BIT(i))
			g_variant_builder_add(&names, "s", limit_info(i)->name);
	g_variant_dict_insert_value(state, "limits", g_variant_builder_end(&names));
	g_variant_dict_insert(state, "threads", "b", (gboolean)facts->threads);
	g_variant_dict_insert(state, "collectives-tried", "u", facts->collectives_tried);
	if (facts->survived)
		g_variant_dict_insert(state, "survived", "s", facts->survived);
}

void program_facts_restore(struct program_facts *facts, GVariantDict *state)
{
	g_autoptr(GVariant)
		names = g_variant_dict_lookup_value(state, "limits", G_VARIANT_TYPE_STRING_ARRAY);
	gboolean threads = false; /* GVariant writes a gboolean */

	for (gsize i = 0; names && i < g_variant_n_children(names); i++) {
		const char *name;
		enum limit limit;

		g_variant_get_child(names, i, "&s", &name);
		if (limit_find(name, &limit))
			facts->limits |= LIMIT_BIT(limit);
	}
	if (g_variant_dict_lookup(state, "threads", "b", &threads))
		facts->threads = threads;
	g_variant_dict_lookup(state, "collectives-tried", "u", &facts->collectives_tried);
	if (!facts->survived)
		g_variant_dict_lookup(state, "survived", "s", &facts->survived);
}

const char *program_facts_survived(const struct program_facts *facts)
{
	return facts->survived;
}
