#include "debug_context.h"

#include "debug_internal.h"

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

int debugger_ranks(const struct debugger *debugger)
{
	return debugger->asked->request.ranks;
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

struct gdb **debugger_gdbs(const struct debugger *debugger)
{
	return debugger->gdbs;
}

struct breakpoints *debugger_breakpoints(const struct debugger *debugger)
{
	return debugger->breakpoints;
}
