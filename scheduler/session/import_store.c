#include "session_internal.h"
#include "stored_run.h"

static bool write_down(struct session *session, const struct record_execution *record,
                       GError **error)
{
	g_autoptr(GPtrArray) shown = g_ptr_array_new();
	const GPtrArray *all = findings_all(session->findings);

	for (guint i = 0; i < record->findings->len; i++)
		g_ptr_array_add(shown, all->pdata[g_array_index(record->findings, guint32, i) - 1]);
	return !session->store || store_add(session->store, record, shown, error);
}

bool session_import(struct session *session, const struct store_reader *reader,
                    struct record_execution *execution, GError **error)
{
	g_autoptr(GArray) choices = stored_run_choices(execution);
	g_autoptr(GPtrArray) shown = stored_run_findings(reader, execution);
	bool well = stored_run_ended_well(execution);

	if (shown->len == 0 && !well)
		return true;
	g_array_set_size(execution->findings, 0);
	session_add_interleaving(session, NULL, execution, choices, shown, well);
	return write_down(session, execution, error);
}
