#include "debug_context.h"

#include <stdarg.h>

#include "debug_internal.h"

void debugger_tell(struct debugger *debugger, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	prompt_tell(debugger->prompt, text);
}

void debugger_refuse(struct debugger *debugger, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	debugger_tell(debugger, "%s%s\n", prompt_place(debugger->prompt), text);
}

enum debug_state debugger_state(const struct debugger *debugger)
{
	return debugger->state;
}

struct session *debugger_session(const struct debugger *debugger)
{
	return debugger->session;
}

const struct debug_request *debugger_request(const struct debugger *debugger)
{
	return &debugger->asked->request;
}

enum buffering debugger_buffering(const struct debugger *debugger)
{
	return debugger->buffering;
}

GArray *debugger_parts(const struct debugger *debugger)
{
	const struct debug_request *request = &debugger->asked->request;
	g_autofree char *problem = NULL;

	return request->program ? program_parts((char *const *)(uintptr_t)request->program,
	                                        request->ranks, &problem)
	                        : NULL;
}

int debugger_ranks(const struct debugger *debugger)
{
	return debugger->asked->request.ranks;
}

struct execution *debugger_processes(const struct debugger *debugger)
{
	return debugger->remains ? debugger->remains : debugger->execution;
}

void debugger_look_at(struct debugger *debugger, struct execution *remains)
{
	debugger->remains = remains;
}

struct execution *debugger_execution(const struct debugger *debugger)
{
	return debugger->execution;
}

const struct offers *debugger_offers(const struct debugger *debugger)
{
	return debugger->offers;
}

const struct choice *debugger_decided(const struct debugger *debugger, const struct point *point)
{
	return choices_find(debugger->decided, point);
}

const struct choice *debugger_taken_before(const struct debugger *debugger,
                                           const struct choice *choice)
{
	return g_hash_table_lookup(debugger->taken_before, choice);
}

int debugger_stepped(const struct debugger *debugger)
{
	return debugger->stepped;
}

struct decoders *debugger_decoders(const struct debugger *debugger)
{
	return debugger->decoders;
}

struct pickles *debugger_pickles(const struct debugger *debugger)
{
	return debugger->pickles;
}

struct value_numbers *debugger_values(const struct debugger *debugger)
{
	return debugger->values;
}

struct gdb **debugger_gdbs(const struct debugger *debugger)
{
	return debugger->gdbs;
}

struct breakpoints *debugger_breakpoints(const struct debugger *debugger)
{
	return debugger->breakpoints;
}

guint debugger_outcomes(const struct debugger *debugger)
{
	return debugger->outcomes->len;
}

const struct stops *debugger_stops(const struct debugger *debugger)
{
	return debugger->stops;
}

struct checkpoints *debugger_checkpoints(const struct debugger *debugger)
{
	return debugger->checkpoints;
}

struct gdb_rank *debugger_gdb_rank(const struct debugger *debugger)
{
	return debugger->gdb_rank;
}

struct prompt *debugger_prompt(const struct debugger *debugger)
{
	return debugger->prompt;
}

struct debug_control *debugger_control(const struct debugger *debugger)
{
	return debugger->control;
}

struct page *debugger_page(const struct debugger *debugger)
{
	return debugger->page;
}

struct execution *debugger_runs(const struct debugger *debugger)
{
	return debugger->source.execution;
}

struct verdict_facts debugger_facts(struct debugger *debugger)
{
	return debugger_facts_of(debugger, debugger->execution);
}

struct verdict_facts debugger_facts_of(struct debugger *debugger, struct execution *execution)
{
	struct verdict_facts facts = session_facts(debugger->session, execution, debugger->inside);

	facts.stacks = session_stacks(debugger->session);
	return facts;
}

bool debugger_has_hits(const struct debugger *debugger)
{
	return debugger->hits->len > 0;
}

bool debugger_keeps(const struct debugger *debugger, int rank)
{
	return debugger->holds.kept[rank];
}

void debugger_keep_here(struct debugger *debugger)
{
	debugger->keeps = debugger->state == DEBUG_CHOICE;
}
