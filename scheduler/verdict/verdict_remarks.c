/* Findings that do not end an interleaving, from the world's remarks. */
#include "explorer/rank_name.h"
#include "mpi_calls.h"
#include "verdict_internal.h"

static struct record_rank *line_of(const struct verdict_facts *facts,
                                   const struct remark_party *party)
{
	struct record_rank *line = record_rank_new(party->rank);

	line->call = party->call;
	line->function = party->action ? g_intern_string(party->action)
	                               : g_intern_string(mpi_call_name(party->function));
	if (party->call > 0)
		line->arguments = verdict_arguments(facts, party->rank, party->call);
	if (party->site != 0)
		line->place = verdict_site(facts, party->rank, party->site);
	line->does = g_strdup(party->does);
	return line;
}

static bool lines_equal(const struct record_rank *one, const struct record_rank *other)
{
	return one->rank == other->rank && one->function == other->function
	       && place_equal(&one->place, &other->place);
}

/* Moves the lines of ranks that the finding does not name yet. Frees `other`. */
static void take_lines(struct record_finding *finding, struct record_finding *other)
{
	while (other->ranks->len > 0) {
		struct record_rank *line = g_ptr_array_steal_index(other->ranks, 0);
		guint i = 0;

		while (i < finding->ranks->len && !lines_equal(finding->ranks->pdata[i], line))
			i++;
		if (i < finding->ranks->len)
			record_rank_free(line);
		else
			g_ptr_array_add(finding->ranks, line);
	}
	g_array_append_vals(finding->given, other->given->data, other->given->len);
	record_finding_free(other);
}

/* "rank 1 sends 4 MPI_INT (MPI_Send at a.c:12), rank 0 receives 4 MPI_FLOAT (MPI_Recv at a.c:9)" */
static char *describe_lines(const GPtrArray *lines)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < lines->len; i++) {
		const struct record_rank *line = lines->pdata[i];
		g_autofree char *place = place_print(&line->place);

		g_string_append_printf(text, "%srank %s %s (%s at %s)", i > 0 ? ", " : "",
		                       rank_name(line->rank), line->does, line->function, place);
	}
	return g_string_free(text, false);
}

static void add_given(struct record_finding *finding, const struct remark_party *party)
{
	struct record_given given = {.rank = party->rank,
	                             .call = party->call,
	                             .count = party->count,
	                             .type = party->type};

	if (party->type)
		g_array_append_val(finding->given, given);
}

static struct record_finding *finding_of(const struct verdict *verdict,
                                         const struct verdict_facts *facts,
                                         const struct remark *remark)
{
	struct record_finding *finding = record_finding_new(remark->kind);

	for (guint i = 0; i < remark->count; i++)
		add_given(finding, &remark->parties[i]);
	for (guint i = 0; i < remark->count; i++)
		g_ptr_array_add(finding->ranks, line_of(facts, &remark->parties[i]));
	finding->path = g_strdup(verdict->record->path);
	finding->message = describe_lines(finding->ranks);
	return finding;
}

/* Number of ranks that the message does not name. */
static guint count_others(const struct record_finding *finding, guint named)
{
	g_autoptr(GHashTable) ranks = g_hash_table_new(NULL, NULL);
	guint before = 0;

	for (guint i = 0; i < finding->ranks->len; i++) {
		const struct record_rank *line = finding->ranks->pdata[i];

		g_hash_table_add(ranks, GINT_TO_POINTER(line->rank + 1));
		if (i + 1 == named)
			before = g_hash_table_size(ranks);
	}
	return g_hash_table_size(ranks) - before;
}

static void append_others(struct record_finding *finding, guint named)
{
	guint others = count_others(finding, named);
	char *message = finding->message;

	if (others == 0)
		return;
	finding->message = g_strdup_printf("%s, and likewise %u other rank%s", message, others,
	                                   others == 1 ? "" : "s");
	g_free(message);
}

static gint compare_ranks(gconstpointer one, gconstpointer other)
{
	const struct remark *a = *(const struct remark *const *)one;
	const struct remark *b = *(const struct remark *const *)other;

	return a->parties[0].rank - b->parties[0].rank;
}

/* By rank: the order in which ranks reported has no meaning, and differs from run to run. */
static GPtrArray *sort_remarks(const struct remarks *remarks)
{
	GPtrArray *sorted = g_ptr_array_new();

	for (guint i = 0; i < remarks_count(remarks); i++)
		g_ptr_array_add(sorted, (gpointer)remarks_get(remarks, i));
	g_ptr_array_sort(sorted, compare_ranks);
	return sorted;
}

void verdict_add_remarks(struct verdict *verdict, const struct verdict_facts *facts)
{
	g_autoptr(GPtrArray) remarks = sort_remarks(world_remarks(facts->world));
	g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autoptr(GHashTable) named = g_hash_table_new(NULL, NULL); /* lines in the message */
	GHashTableIter iter;
	gpointer finding, count;

	for (guint i = 0; i < remarks->len; i++) {
		const struct remark *remark = remarks->pdata[i];
		struct record_finding *fresh = finding_of(verdict, facts, remark);
		char *key = record_finding_key(fresh);
		struct record_finding *first = g_hash_table_lookup(known, key);

		if (first) {
			take_lines(first, fresh);
			g_free(key);
			continue;
		}
		g_hash_table_insert(known, key, fresh);
		g_hash_table_insert(named, fresh, GUINT_TO_POINTER(remark->count));
		g_ptr_array_add(verdict->findings, fresh);
	}
	g_hash_table_iter_init(&iter, named);
	while (g_hash_table_iter_next(&iter, &finding, &count))
		append_others(finding, GPOINTER_TO_UINT(count));
}
