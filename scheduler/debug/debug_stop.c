/* Output at a stop. */
#include "debug_context.h"
#include "explorer/rank_name.h"
#include "scheduler/store/finding_kind.h"
#include "telling.h"

/* A reminder if only `hold` keeps ranks from moving, as it may have been long ago. */
static void tell_kept(const struct debugger *debugger, GString *text)
{
	const struct world *world = execution_world(debugger_execution(debugger));
	bool open = debugger_offers(debugger)->points->len > 0 || debugger_step_is_over(debugger);

	for (int rank = 0; !open && rank < debugger_ranks(debugger); rank++)
		if (debugger_keeps(debugger, rank) && world_phase(world, rank) == PHASE_HELD)
			g_string_append_printf(text,
			                       "  hold keeps rank %s there: release %s lets it "
			                       "go on\n",
			                       rank_name(rank), rank_name(rank));
}

/* The choice of the session's finding that is not open yet, while others are. */
static void tell_awaited(const struct debugger *debugger, GString *text)
{
	const struct offers *offers = debugger_offers(debugger);

	for (guint i = 0; i < offers->points->len; i++) {
		const struct record_choice *point = offers->points->pdata[i];
		const struct choice *there = debugger_leads_to(debugger, &point->point);

		if (!there || debugger_is_open(debugger, there))
			continue;
		g_string_append(text, "  choose ");
		choice_append(text, there);
		g_string_append(text, debugger_request(debugger)->finding > 0
		                              ? " is as in the finding, and possible later"
		                              : " is as in the path, and possible later");
		g_string_append_c(text, '\n');
	}
}

static void tell_choice(struct debugger *debugger, GString *text)
{
	const struct verdict_facts facts = debugger_facts(debugger);

	if (debugger_has_hits(debugger)) {
		debugger_tell_hits(debugger, text);
	} else if (debugger_offers(debugger)->points->len > 0 && !debugger_step_is_over(debugger)) {
		g_string_append(text, "stopped: choice ");
		point_append(text,
		             &((struct record_choice *)debugger_offers(debugger)->points->pdata[0])
		                      ->point);
	} else {
		g_string_append(text, "stopped: held");
	}
	g_string_append_c(text, '\n');
	telling_offers(text, &facts, debugger_pickles(debugger), debugger_offers(debugger),
	               debugger_note, debugger);
	tell_awaited(debugger, text);
	tell_kept(debugger, text);
}

static void tell_end(struct debugger *debugger, GString *text)
{
	const struct verdict *verdict = interleaving_verdict(debugger_execution(debugger));
	g_autoptr(GPtrArray)
		shown = session_shown(debugger_session(debugger), debugger_execution(debugger));

	if (shown->len == 0)
		g_string_append(text, "stopped: end\n  every rank has ended well\n");
	for (guint i = 0; i < shown->len; i++) {
		const struct record_finding *finding = shown->pdata[i];

		g_string_append_printf(text, "%s %s\n", i == 0 ? "stopped: finding" : "and",
		                       finding_kind_name(finding->kind));
		telling_finding(text, finding);
	}
	telling_outputs(text, verdict->record);
}

void debugger_append_stop(struct debugger *debugger, GString *text)
{
	if (debugger_state(debugger) == DEBUG_CHOICE)
		tell_choice(debugger, text);
	else
		tell_end(debugger, text);
}
