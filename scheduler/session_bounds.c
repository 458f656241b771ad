/* The bounds of an exploration on some of its choices (bounds.h): which choices count for which,
 * and what the verdict says of them. */
#include "session_internal.h"

static const struct bound *bound_at(const struct session *session, guint index)
{
	return &g_array_index(session->options->bounds, struct bound, index);
}

static guint count_of(const struct session *session)
{
	return session->options->bounds ? session->options->bounds->len : 0;
}

GArray *session_explorer_bounds(const struct session_options *options)
{
	GArray *bounds = g_array_new(FALSE, FALSE, sizeof(struct explorer_bound));

	for (guint i = 0; options->bounds && i < options->bounds->len; i++) {
		const struct bound *bound = &g_array_index(options->bounds, struct bound, i);
		struct explorer_bound one = {bound->most, bound->kind == BOUND_REGION};

		g_array_append_val(bounds, one);
	}
	return bounds;
}

static gboolean counts(const struct execution *execution, const struct bound *bound,
                       struct op_id point)
{
	const struct world_call *call = world_call_info(execution->world, point.rank, point.call);
	struct place place;

	switch (bound->kind) {
	case BOUND_RANK:
		return point.rank == bound->rank;
	case BOUND_REGION:
		return call && call->marked;
	case BOUND_SITE:
		place = verdict_place(execution, point.rank, point.call);
		return bound_is_at(bound, &place);
	}
	return FALSE;
}

void session_mark_bounds(const struct execution *execution, GArray *open)
{
	struct session *session = execution->session;

	for (guint i = 0; count_of(session) > 0 && i < open->len; i++) {
		struct open_choice *choice = &g_array_index(open, struct open_choice, i);

		/* the lock of a window is no rank's choice */
		if (choice->point.rank >= session->options->ranks)
			continue;
		for (guint k = 0; k < count_of(session); k++)
			if (counts(execution, bound_at(session, k), choice->point))
				choice->bounds |= G_GUINT64_CONSTANT(1) << k;
		session->bounds_met |= choice->bounds;
	}
}

static void tell_bounds(const struct session *session, GString *text)
{
	const struct session_options *options = session->options;

	g_string_append(text, "only paths with ");
	if (options->deviations >= 0)
		g_string_append_printf(text, "at most %d deviation%s", options->deviations,
		                       options->deviations == 1 ? "" : "s");
	for (guint i = 0; i < count_of(session); i++) {
		g_autofree char *words = bound_words(bound_at(session, i));

		if (bound_at(session, i)->kind == BOUND_REGION)
			continue;
		g_string_append_printf(text, "%s%s", g_str_has_suffix(text->str, " ") ? "" : ", ",
		                       words);
	}
}

char *session_sets_words(const struct session *session)
{
	guint some = session->options->some;
	g_autofree char *sets = some == 1 ? g_strdup("single requests")
	                                  : g_strdup_printf("sets of up to %u requests", some);

	return g_strdup_printf("MPI_Waitsome and MPI_Testsome reported only %s, or all that were "
	                       "complete (--some)",
	                       sets);
}

char *session_left_out_words(const struct session *session)
{
	GString *text = g_string_new(NULL);
	g_autofree char *sets = session->left_out.sets ? session_sets_words(session) : NULL;

	if (session->left_out.pruned > 0)
		tell_bounds(session, text);
	if (sets)
		g_string_append_printf(text, "%s%s", text->len > 0 ? "; " : "", sets);
	return g_string_free(text, text->len == 0);
}

static void note_unmet(struct session *session, guint index)
{
	const struct bound *bound = bound_at(session, index);
	g_autofree char *option = bound_print(bound);
	char *text = NULL;

	switch (bound->kind) {
	case BOUND_RANK:
		text = g_strdup_printf("%s: rank %d had no choice", option, bound->rank);
		break;
	case BOUND_SITE:
		text = g_strdup_printf("%s: no choice was made there; lines are known only of "
		                       "programs compiled with -g",
		                       option);
		break;
	case BOUND_REGION:
		text = g_strdup_printf("%s: there was no choice between an MPI_Pcontrol(0) and "
		                       "the next MPI_Pcontrol(1)",
		                       option);
		break;
	}
	g_ptr_array_add(session->exploration->notes, text);
}

static void note_regions(struct session *session)
{
	GString *text = g_string_new(
		"--pcontrol: where MPI_Pcontrol says that order does not matter "
		"only the default was taken");

	if (!session->options->random)
		g_string_append_printf(text, ": %" G_GUINT64_FORMAT " other alternative%s left out",
		                       session->left_out.vouched,
		                       session->left_out.vouched == 1 ? " was" : "s were");
	g_ptr_array_add(session->exploration->notes, g_string_free(text, FALSE));
}

void session_note_bounds(struct session *session)
{
	for (guint i = 0; i < count_of(session); i++) {
		if (!(session->bounds_met >> i & 1))
			note_unmet(session, i);
		else if (bound_at(session, i)->kind == BOUND_REGION)
			note_regions(session);
	}
}
