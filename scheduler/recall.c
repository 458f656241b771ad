#include "recall.h"

#include "../explorer/answer.h"
#include "../explorer/path.h"

struct record_finding *recall_finding(const struct record_finding *finding, const char *path)
{
	struct record_finding *copy = record_finding_new(finding->kind);

	copy->path = g_strdup(path);
	copy->message = g_strdup(finding->message);
	copy->replayed = finding->replayed;
	copy->reproduced = finding->reproduced;
	for (guint i = 0; i < finding->ranks->len; i++)
		g_ptr_array_add(copy->ranks, record_rank_copy(finding->ranks->pdata[i]));
	return copy;
}

GArray *recall_choices(const struct record_execution *execution)
{
	GArray *choices = g_array_new(FALSE, FALSE, sizeof(struct choice));

	for (guint i = 0; i < execution->choices->len; i++) {
		const struct record_choice *record = execution->choices->pdata[i];
		const struct record_message *taken = &record->taken;
		struct choice choice = {{record->rank, record->call, record->sub},
		                        {taken->source, taken->call, taken->sub}};

		if (taken->answer)
			answer_parse(taken->answer, &choice.taken);
		g_array_append_val(choices, choice);
	}
	return choices;
}

GPtrArray *recall_findings(const struct store_reader *reader,
                           const struct record_execution *execution)
{
	GPtrArray *shown = g_ptr_array_new();

	for (guint i = 0; i < execution->findings->len; i++) {
		const struct record_finding *finding = store_reader_finding(
			reader, g_array_index(execution->findings, guint32, i));

		if (finding && !g_str_equal(finding->kind, "outcome-differs"))
			g_ptr_array_add(shown, recall_finding(finding, execution->path));
	}
	return shown;
}

bool recall_is_whole(const struct store_reader *reader, const struct record_execution *execution)
{
	for (guint i = 0; i < execution->findings->len; i++) {
		if (!store_reader_finding(reader,
		                          g_array_index(execution->findings, guint32, i)))
			return false;
	}
	return true;
}

bool recall_ended_well(const struct record_execution *execution)
{
	return execution->ranks->len == 0 && !g_str_equal(execution->status, "not-reproducible");
}
