/* Ctrl-C while the ranks run: it is told where everybody is, and lines are read while they go on;
 * whatever they come to next is a stop. */
#include "debug_internal.h"

static void tell_running(struct debugger *debugger)
{
	const struct verdict_facts facts = debugger_facts(debugger);
	g_autoptr(GPtrArray) roll_call = verdict_roll_call(&facts);
	GString *text = g_string_new("\nstopped: interrupted\n");

	telling_ranks(text, roll_call, -1);
	prompt_tell(debugger->prompt, text->str);
	g_string_free(text, true);
}

void debugger_said(void *user, char *line)
{
	struct debugger *debugger = user;
	struct execution *execution = debugger->execution = debugger->source.execution;

	debugger->goes_on = !line || !execution;
	if (!line)
		debugger->leaves = true; /* and nothing else begins */
	else if (execution)
		debugger_obey(debugger, line);
	g_free(line);
	if (!debugger->goes_on)
		return;
	debugger_end_interruption(debugger);
	if (debugger->leaves && execution)
		execution_cut_short(execution);
}

void debugger_end_interruption(struct debugger *debugger)
{
	if (debugger->state != DEBUG_RUNNING)
		return;
	prompt_ask_no_more(debugger->prompt);
	debugger->execution = NULL;
	debugger->state = DEBUG_NOWHERE;
}

bool debugger_interrupted(void *debug_session)
{
	struct debugger *debugger = ((struct debug_session *)debug_session)->debugger;

	if (!debugger || !prompt_is_terminal(debugger->prompt))
		return false;
	if (debugger->helper) /* has heard it, too */
		return true;
	return prompt_clear(debugger->prompt) || debugger_interrupt(debugger);
}

bool debugger_interrupt(struct debugger *debugger)
{
	if (debugger->helper) {
		helper_interrupt(debugger->helper);
		return true;
	}
	if (debugger->state != DEBUG_NOWHERE || !debugger->source.execution)
		return false;
	debugger->execution = debugger->source.execution;
	debugger->state = DEBUG_RUNNING;
	debugger->interrupted = true;
	tell_running(debugger);
	prompt_ask(debugger->prompt);
	return true;
}
