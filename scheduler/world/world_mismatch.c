/* Texts for calls of a collective that do not match. */
#include "collectives.h"
#include "common/mpi_codes.h"
#include "communicators.h"
#include "explorer/rank_name.h"
#include "mpi_calls.h"
#include "world_context.h"

static const char *reduction_name(guint8 reduction)
{
	const char *name = op_code_name(reduction);

	if (reduction == OP_OWN)
		return "a user-defined one";
	return name ? name : "?";
}

static char *print_root(const struct world *world, const struct collective_call *call)
{
	bool is_inter = communicators_first_group(world_comms(world), call->comm) > 0;
	g_autofree char *root = world_root_print(call->given_root);

	return g_strconcat(root, is_inter && call->given_root >= 0 ? " of the other group" : NULL,
	                   NULL);
}

static char *print_part(const struct world *world, const struct collective_call *call,
                        enum collective_part part)
{
	switch (part) {
	case PART_OPERATION: return g_strdup(mpi_call_name(call->function));
	case PART_ROOT: return print_root(world, call);
	case PART_REDUCTION: return g_strdup(reduction_name(call->reduction));
	case PART_COUNT: return types_print(&call->types);
	case PART_TYPE: return types_print_names(&call->types);
	case PART_COUNTS:
	case PART_DATA: break;
	}
	return NULL;
}

static void append_part(GString *text, const struct world *world,
                        const struct collective_mismatch *mismatch, enum collective_part part,
                        const char *name)
{
	g_autofree char *first = print_part(world, &mismatch->first, part);
	g_autofree char *other = print_part(world, &mismatch->other, part);
	const char *separator = g_str_has_suffix(text->str, ": ") ? "" : ", ";
	const char *verb = part == PART_OPERATION ? " calls" : ":";

	if (first && other)
		g_string_append_printf(text, "%s%s (rank %s%s %s, rank %s%s %s)", separator, name,
		                       rank_name(mismatch->first.id.rank), verb, first,
		                       rank_name(mismatch->other.id.rank), verb, other);
	else
		g_string_append_printf(text, "%s%s (ranks %s and %s)", separator, name,
		                       rank_name(mismatch->first.id.rank),
		                       rank_name(mismatch->other.id.rank));
}

/* The name of what PART_COUNTS stands for. */
static const char *arguments_name(const struct collective_call *call)
{
	const char *name = mpi_call_agree_on(call->function);

	return name ? name : call->reduction != 0 ? "counts" : "arguments";
}

static void append_data(GString *text, const struct collective_mismatch *mismatch)
{
	static const char *const names[] = {
		[EXCHANGE_AMOUNT] = "count",
		[EXCHANGE_TYPE] = "type",
		[EXCHANGE_NEIGHBOR] = "neighbours",
	};
	const struct exchange_difference *data = &mismatch->data;
	int from = mismatch->first.id.rank, to = mismatch->other.id.rank;
	g_autofree char *sent = types_print(&data->sent), *expected = types_print(&data->expected);

	g_string_append(text, names[data->fault]);
	if (mismatch->backwards) {
		from = to;
		to = mismatch->first.id.rank;
	}
	if (data->fault == EXCHANGE_NEIGHBOR)
		g_string_append_printf(
			text, " (rank %s sends %s to rank %s, which expects %s of it)",
			rank_name(from), data->sent.bytes > 0 ? sent : "nothing", rank_name(to),
			data->expected.bytes > 0 ? expected : "nothing");
	else if (from == to)
		g_string_append_printf(text, " (rank %s sends %s to itself, and expects %s)",
		                       rank_name(from), sent, expected);
	else
		g_string_append_printf(text, " (rank %s sends %s to rank %s, which expects %s)",
		                       rank_name(from), sent, rank_name(to), expected);
}

/* Ranks of a communicator may be in another order than in MPI_COMM_WORLD. */
static void put_lower_first(struct collective_mismatch *mismatch)
{
	struct collective_call first = mismatch->first;

	if (first.id.rank <= mismatch->other.id.rank)
		return;
	mismatch->first = mismatch->other;
	mismatch->other = first;
	mismatch->backwards = !mismatch->backwards;
}

static struct world_given given(const struct collective_call *call, guint parts)
{
	return (struct world_given){
		.id = call->id,
		.type = parts & PART_TYPE ? types_name(&call->types) : NULL,
		.reduction = parts & PART_REDUCTION ? op_code_name(call->reduction) : NULL,
	};
}

char *world_mismatch(const struct world *world, const struct comm_words *words,
                     struct world_given ret_calls[2])
{
	static const struct {
		enum collective_part part;
		const char *name;
	} parts[] = {
		{PART_OPERATION, "operation"}, {PART_ROOT, "root"}, {PART_REDUCTION, "reduction"},
		{PART_COUNT, "count"},         {PART_TYPE, "type"}, {PART_COUNTS, NULL},
	};
	GString *text = g_string_new("the ranks differ in: ");
	struct collective_mismatch mismatch;
	g_autofree char *comm = NULL;

	if (!collectives_mismatch(world_collectives(world), &mismatch)) {
		g_string_free(text, true);
		return NULL;
	}
	put_lower_first(&mismatch);
	for (guint i = 0; i < G_N_ELEMENTS(parts); i++) {
		if (mismatch.parts & parts[i].part)
			append_part(text, world, &mismatch, parts[i].part,
			            parts[i].name ? parts[i].name
			                          : arguments_name(&mismatch.first));
	}
	if (mismatch.parts & PART_DATA)
		append_data(text, &mismatch);
	if (mismatch.parts != PART_OPERATION)
		g_string_append_printf(text, " of %s", mpi_call_name(mismatch.first.function));
	comm = words->print(words->user, world_comm_itself(world, mismatch.first.comm),
	                    mismatch.first.function);
	g_string_append_printf(text, " on %s", comm);
	if (ret_calls) {
		ret_calls[0] = given(&mismatch.first, mismatch.parts);
		ret_calls[1] = given(&mismatch.other, mismatch.parts);
	}
	return g_string_free(text, false);
}
