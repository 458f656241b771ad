#include "stored_run.h"

#include "explorer/position.h"

struct record_finding *stored_run_finding(const struct record_finding *finding)
{
	struct record_finding *copy = record_finding_new(finding->kind);

	copy->path = g_strdup(finding->path);
	copy->message = g_strdup(finding->message);
	copy->replayed = finding->replayed;
	copy->reproduced = finding->reproduced;
	for (guint i = 0; i < finding->ranks->len; i++)
		g_ptr_array_add(copy->ranks, record_rank_copy(finding->ranks->pdata[i]));
	g_array_append_vals(copy->given, finding->given->data, finding->given->len);
	return copy;
}

enum buffering stored_run_buffering(const struct record_execution *execution)
{
	enum buffering buffering = BUFFERING_ZERO;

	while (buffering < BUFFERING_PER_SEND && execution->buffering != 1u << buffering)
		buffering++;
	return buffering;
}

GArray *stored_run_choices(const struct record_execution *execution)
{
	GArray *choices = g_array_new(false, false, sizeof(struct choice));

	for (guint i = 0; i < execution->choices->len; i++) {
		struct choice choice = record_choice_made(execution->choices->pdata[i]);

		g_array_append_val(choices, choice);
	}
	return choices;
}

GPtrArray *stored_run_findings(const struct store_reader *reader,
                               const struct record_execution *execution)
{
	GPtrArray *shown = g_ptr_array_new();

	for (guint i = 0; i < execution->findings->len; i++) {
		const struct record_finding *finding = store_reader_finding(
			reader, g_array_index(execution->findings, guint32, i));

		if (finding && !finding_kind_info(finding->kind)->compares)
			g_ptr_array_add(shown, stored_run_finding(finding));
	}
	return shown;
}

char *stored_run_identity(const struct record_execution *execution, const GPtrArray *shown)
{
	struct position *position = position_parse(execution->path, NULL);
	g_autoptr(GByteArray) identity = g_byte_array_new();

	if (position)
		position_put(identity, position);
	else /* of a damaged store */
		g_byte_array_append(identity, (const guint8 *)execution->path,
		                    (guint)strlen(execution->path));
	position_free(position);
	for (guint i = 0; i < shown->len; i++) {
		g_autofree char *key = record_finding_key(shown->pdata[i]);

		g_byte_array_append(identity, (const guint8 *)key, (guint)strlen(key) + 1);
	}
	return g_compute_checksum_for_data(G_CHECKSUM_SHA256, identity->data, identity->len);
}

bool stored_run_is_whole(const struct store_reader *reader,
                         const struct record_execution *execution)
{
	for (guint i = 0; i < execution->findings->len; i++) {
		if (!store_reader_finding(reader, g_array_index(execution->findings, guint32, i)))
			return false;
	}
	return true;
}

bool stored_run_ended_well(const struct record_execution *execution)
{
	return !finding_kind_info(execution->status)->ends;
}
