/* What a word of the prompt does that check_extending.py adds to a copy of the source tree. */
#include "debug_context.h"
#include "debug_words.h"

void word_tally(struct debugger *debugger, const char *rest)
{
	(void)rest;
	if (!debugger_is_somewhere(debugger))
		return;
	for (int rank = 0; rank < debugger_ranks(debugger); rank++)
		debugger_tell(debugger, "rank %d has made %u calls\n", rank,
		              world_calls(execution_world(debugger_execution(debugger)), rank));
}
