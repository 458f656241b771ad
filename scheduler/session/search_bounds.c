#include "search_bounds.h"

#include "explorer/rank_name.h"
#include "scheduler/world/bounds.h"

static const struct bound *bound_at(const struct session_options *options, guint index)
{
	return &g_array_index(options->bounds, struct bound, index);
}

static guint count_of(const struct session_options *options)
{
	return options->bounds ? options->bounds->len : 0;
}

GArray *search_bounds(const struct session_options *options)
{
	GArray *bounds = g_array_new(false, false, sizeof(struct explorer_bound));

	for (guint i = 0; options->bounds && i < options->bounds->len; i++) {
		const struct bound *bound = &g_array_index(options->bounds, struct bound, i);
		struct explorer_bound one = {bound->most, bound->kind == BOUND_REGION};

		g_array_append_val(bounds, one);
	}
	return bounds;
}

struct explorer_options search_bounds_explorer(const struct session_options *options,
                                               const GArray *bounds)
{
	return (struct explorer_options){
		options->ranks,
		options->deviations,
		(const struct explorer_bound *)(const void *)bounds->data,
		bounds->len,
		options->some,
		options->from ? options->from->choices : NULL,
		NULL,
		NULL,
	};
}

static bool counts_for_bound(const struct execution *execution, const struct bound *bound,
                             const struct point *point)
{
	const struct world_call *call = world_call_info(execution_world(execution), point->rank,
	                                                point->call);
	struct place place;

	switch (bound->kind) {
	case BOUND_RANK: return point->rank == bound->rank;
	case BOUND_REGION: return call && call->marked;
	case BOUND_SITE:
		place = execution_call_place(execution, point->rank, point->call);
		return bound_is_at(bound, &place);
	}
	return false;
}

guint64 search_bounds_mark(const struct session_options *options, const struct execution *execution,
                           GArray *open)
{
	guint64 met = 0;

	for (guint i = 0; count_of(options) > 0 && i < open->len; i++) {
		struct open_choice *choice = &g_array_index(open, struct open_choice, i);

		/* a window's lock is not a choice of any rank */
		if (choice->point.kind == POINT_LOCK)
			continue;
		for (guint k = 0; k < count_of(options); k++)
			if (counts_for_bound(execution, bound_at(options, k), &choice->point))
				choice->bounds |= G_GUINT64_CONSTANT(1) << k;
		met |= choice->bounds;
	}
	return met;
}

static void append_bounds(const struct session_options *options, GString *text)
{
	g_string_append(text, "only paths with ");
	if (options->deviations >= 0)
		g_string_append_printf(text, "at most %d deviation%s", options->deviations,
		                       options->deviations == 1 ? "" : "s");
	for (guint i = 0; i < count_of(options); i++) {
		g_autofree char *words = bound_words(bound_at(options, i));

		if (bound_at(options, i)->kind == BOUND_REGION)
			continue;
		g_string_append_printf(text, "%s%s", g_str_has_suffix(text->str, " ") ? "" : ", ",
		                       words);
	}
}

char *search_bounds_sets(const struct session_options *options)
{
	guint some = options->some;
	g_autofree char *sets = some == 1 ? g_strdup("single requests")
	                                  : g_strdup_printf("sets of up to %u requests", some);

	return g_strdup_printf("MPI_Waitsome and MPI_Testsome reported only %s, or all that were "
	                       "complete (--some)",
	                       sets);
}

char *search_bounds_words(const struct session_options *options)
{
	GString *text = g_string_new(NULL);

	append_bounds(options, text);
	return g_string_free(text, false);
}

static void note_unmet(const struct session_options *options, guint index, GPtrArray *notes)
{
	const struct bound *bound = bound_at(options, index);
	g_autofree char *option = bound_print(bound);
	char *text = NULL;

	switch (bound->kind) {
	case BOUND_RANK:
		text = g_strdup_printf("%s: rank %s had no choice", option, rank_name(bound->rank));
		break;
	case BOUND_SITE:
		text = g_strdup_printf("%s: no choice was made there; compile the program with -g "
		                       "so that lines are known",
		                       option);
		break;
	case BOUND_REGION:
		text = g_strdup_printf("%s: there was no choice between an MPI_Pcontrol(0) and "
		                       "the next MPI_Pcontrol(1)",
		                       option);
		break;
	}
	g_ptr_array_add(notes, text);
}

static void note_regions(const struct session_options *options, const struct left_out *left_out,
                         GPtrArray *notes)
{
	GString *text = g_string_new(
		"--pcontrol: where MPI_Pcontrol says that order does not matter "
		"only the default was taken");

	if (!options->random)
		g_string_append_printf(text, ": %" G_GUINT64_FORMAT " other alternative%s left out",
		                       left_out->vouched,
		                       left_out->vouched == 1 ? " was" : "s were");
	g_ptr_array_add(notes, g_string_free(text, false));
}

void search_bounds_note(const struct session_options *options, const struct left_out *left_out,
                        guint64 met, GPtrArray *notes)
{
	for (guint i = 0; i < count_of(options); i++) {
		if (!(met >> i & 1))
			note_unmet(options, i, notes);
		else if (bound_at(options, i)->kind == BOUND_REGION)
			note_regions(options, left_out, notes);
	}
}
