/* How texts show a communicator, so that it is told apart from others that were made in the same
 * way. */
#include "mpi_calls.h"
#include "scheduler/world/made_comms.h"
#include "verdict_internal.h"

/* Whether members meet under the number of what the call makes. */
static bool meets_under_own_number(guint16 function)
{
	return function == MPI_CALL_Comm_create_group || function == MPI_CALL_Comm_create_from_group
	       || function == MPI_CALL_Intercomm_create_from_groups;
}

/* Appends ": MPI_Comm_split at a.c:25", with these texts before and behind. */
static void append_origin(GString *text, const struct verdict_facts *facts,
                          const struct made_comm *made, const char *before, const char *behind)
{
	struct place place = verdict_site(facts, made->rank, made->site);
	g_autofree char *where = place_print(&place);

	g_string_append_printf(text, "%s%s", before, mpi_call_name(made->function));
	if (made->argument)
		g_string_append_printf(text, "(%s)", made->argument);
	if (place.file || place.function)
		g_string_append_printf(text, " at %s", where);
	g_string_append(text, behind);
}

static char *print(const struct verdict_facts *facts, guint64 comm, guint16 function,
                   const char *before, const char *behind)
{
	const struct made_comm *made = world_made_comm(facts->world, comm);
	const char *name = world_given_name(facts->world, comm);
	g_autofree char *label = NULL;
	GString *text;

	if (!made)
		return g_strdup(world_comm_name(facts->world, comm));
	label = made_comm_label(made);
	text = g_string_new(made_comm_kind(made));
	g_string_append_printf(text, " %s", label);
	if (name)
		g_string_append_printf(text, " \"%s\"", name);
	if (!meets_under_own_number(function))
		append_origin(text, facts, made, before, behind);
	else if (made->argument)
		g_string_append_printf(text, ", %s", made->argument);
	return g_string_free(text, false);
}

char *verdict_comm(const struct verdict_facts *facts, guint64 comm, guint16 function)
{
	return print(facts, comm, function, ": ", "");
}

const char *verdict_comm_label(const struct verdict_facts *facts, guint64 comm)
{
	const struct made_comm *made = world_made_comm(facts->world, comm);
	g_autofree char *label = made ? made_comm_label(made)
	                              : g_strdup_printf("%u",
	                                                communicators_ordinal(facts->comms, comm));

	return g_intern_string(label);
}

static char *print_comm(const void *facts, guint64 comm, guint16 function)
{
	return verdict_comm(facts, comm, function);
}

struct comm_words verdict_comm_words(const struct verdict_facts *facts)
{
	return (struct comm_words){print_comm, facts};
}

static char *print_in_sentence(const void *facts, guint64 comm, guint16 function)
{
	return print(facts, comm, function, " (", ")");
}

struct comm_words verdict_comm_sentence(const struct verdict_facts *facts)
{
	return (struct comm_words){print_in_sentence, facts};
}

char *verdict_arguments(const struct verdict_facts *facts, int rank, guint32 call)
{
	const struct comm_words words = verdict_comm_words(facts);

	return world_arguments(facts->world, rank, call, &words);
}
