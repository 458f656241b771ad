#include "outcome_finding.h"

#include "explorer/rank_name.h"
#include "outcome_text.h"

char *outcome_finding_place(guint ranks, char *const *files,
                            const struct outcome_difference *difference)
{
	if (difference->text < ranks)
		return g_strdup_printf("rank %s's output, line %u",
		                       rank_name((int)difference->text), difference->line);
	if (difference->is_block)
		return g_strdup_printf("%s, offset %" G_GUINT64_FORMAT,
		                       files[difference->text - ranks],
		                       (guint64)(difference->line - 1) * OUTCOME_TEXT_BLOCK);
	return g_strdup_printf("%s, line %u", files[difference->text - ranks], difference->line);
}

bool outcome_finding_varies(const struct record_finding *finding)
{
	const struct record_outcome *second = finding->outcomes->len == 2
	                                              ? finding->outcomes->pdata[1]
	                                              : NULL;

	return second && second->place && g_str_has_suffix(second->place, OUTCOME_FINDING_VARIES);
}

void outcome_finding_add(struct record_finding *finding, const struct outcomes *outcomes,
                         guint index, char *place, const struct outcome_difference *difference)
{
	outcome_finding_add_first(finding, outcomes_first(outcomes, index), place, difference);
}

void outcome_finding_add_first(struct record_finding *finding, const struct record_execution *first,
                               char *place, const struct outcome_difference *difference)
{
	struct record_outcome *outcome = g_new0(struct record_outcome, 1);

	outcome->number = finding->outcomes->len + 1;
	outcome->execution = first->id;
	outcome->path = g_strdup(first->path);
	outcome->place = place;
	if (difference) {
		outcome->line = g_strdup(difference->here);
		outcome->instead = g_strdup(difference->instead);
	}
	g_ptr_array_add(finding->outcomes, outcome);
}

GArray *outcome_finding_count(struct record_finding *finding, const struct outcomes *outcomes,
                              const GArray *outcome_of, const guint *numbers,
                              outcome_finding_stands_for stands_for, const void *data)
{
	GArray *shown = g_array_new(false, false, sizeof(guint32));

	for (guint i = 0; i < outcome_of->len; i += 2) {
		guint index = g_array_index(outcome_of, guint, i);
		guint32 execution = g_array_index(outcome_of, guint, i + 1);
		guint number = index == OUTCOMES_NONE
		                       ? 0
		                       : numbers[outcomes_stands_for(outcomes, index)];
		struct record_outcome *outcome;

		if (number == 0)
			continue;
		outcome = finding->outcomes->pdata[number - 1];
		outcome->count += stands_for ? stands_for(data, execution) : 1;
		outcome->count = MIN(outcome->count, RECORD_BEYOND);
		if (number > 1)
			g_array_append_val(shown, execution);
	}
	return shown;
}

void outcome_finding_finish(struct record_finding *finding)
{
	const struct record_outcome *other = finding->outcomes->pdata[1];

	finding->path = g_strdup(other->path);
	finding->message = g_strdup_printf(
		"%u outcomes; the second differs from the first in %s: \"%s\" instead of \"%s\"",
		finding->outcomes->len, other->place, other->line ? other->line : "",
		other->instead ? other->instead : "");
	finding->replayed = finding->reproduced = true;
}
