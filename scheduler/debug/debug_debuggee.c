/* What a gdb on this machine has to know of a rank's process: the host is asked for it before a
 * word that needs it, and may answer later. */
#include "debug_internal.h"

struct debuggee {
	struct debugger *debugger; /* NULL: freed */
	pid_t process;
	bool is_answered;
	bool is_again; /* the word is obeyed again now */
	struct host_debuggee facts;
	vocabulary_run *word; /* is obeyed when it is answered; NULL: that is waited for */
	char *rest;           /* of its line */
};

static void debuggee_free(struct debuggee *debuggee)
{
	host_debuggee_clear(&debuggee->facts);
	g_free(debuggee->rest);
	g_free(debuggee);
}

void debugger_forget_debuggees(struct debugger *debugger)
{
	for (guint i = 0; i < debugger->questions->len; i++)
		((struct debuggee *)debugger->questions->pdata[i])->debugger = NULL;
	g_ptr_array_unref(debugger->questions);
	if (debugger->debuggee)
		debuggee_free(debugger->debuggee);
}

static void take_answer(struct debuggee *debuggee)
{
	struct debugger *debugger = debuggee->debugger;

	g_ptr_array_remove(debugger->questions, debuggee);
	if (debugger->debuggee)
		debuggee_free(debugger->debuggee);
	debugger->debuggee = debuggee;
	if (!debuggee->word || debugger->state != DEBUG_RUNNING)
		return;
	debuggee->is_again = true;
	debuggee->word(debugger, debuggee->rest);
}

static void on_answer(void *user, struct host_debuggee facts)
{
	struct debuggee *debuggee = user;

	debuggee->is_answered = true;
	debuggee->facts = facts;
	if (debuggee->debugger)
		take_answer(debuggee);
	else
		debuggee_free(debuggee);
}

static bool is_answered(void *data)
{
	return ((const struct debuggee *)data)->is_answered;
}

bool debugger_asks_host(struct debugger *debugger, vocabulary_run *word, int rank, const char *rest)
{
	struct host *host = session_host(debugger->session);
	struct execution *there = debugger_processes(debugger);
	pid_t process = there ? execution_pid(there, rank) : 0;
	struct debuggee *debuggee = debugger->debuggee;

	if (process <= 0) /* the word has a reason to refuse */
		return false;
	if (debuggee && debuggee->is_again) {
		debuggee->is_again = false;
		if (debuggee->process == process)
			return false;
	}
	debuggee = g_new0(struct debuggee, 1);
	debuggee->debugger = debugger;
	debuggee->process = process;
	g_ptr_array_add(debugger->questions, debuggee);
	host->operations->debuggee_of(host, process, on_answer, debuggee);
	if (!debuggee->is_answered && debugger->state != DEBUG_RUNNING)
		session_wait(debugger->session, is_answered, debuggee);
	if (debuggee->is_answered)
		return false;
	debuggee->word = word;
	debuggee->rest = g_strdup(rest);
	return true;
}

const struct host_debuggee *debugger_debuggee(const struct debugger *debugger)
{
	return &debugger->debuggee->facts;
}
