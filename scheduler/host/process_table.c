#include "process_table.h"

#include <stdio.h>
#include <string.h>

#include "scheduler/tools/log.h"

#define EXPORTED __attribute__((visibility("default"), used))

/* Names, types and values are the interface's: section 9. */
enum { MPIR_NULL, MPIR_DEBUG_SPAWNED, MPIR_DEBUG_ABORTING };

typedef struct {
	char *host_name;
	char *executable_name; /* as an absolute path */
	int pid;
} MPIR_PROCDESC;

/* A debugger writes the first one, and reads the others. */
EXPORTED volatile int MPIR_being_debugged;
EXPORTED MPIR_PROCDESC *volatile MPIR_proctable;
EXPORTED volatile int MPIR_proctable_size;
EXPORTED volatile int MPIR_debug_state;
EXPORTED char *volatile MPIR_debug_abort_string;
/* That these exist is all that they say. */
EXPORTED int MPIR_i_am_starter;
EXPORTED int MPIR_partial_attach_ok;
EXPORTED int MPIR_force_to_main;

EXPORTED void MPIR_Breakpoint(void);

/* The debugger stops here. */
__attribute__((noinline)) void MPIR_Breakpoint(void)
{
	__asm__ volatile("" ::: "memory");
}

static guint32 shown;       /* the world of the table, if it is not empty */
static const char *printed; /* prefix of printed lines; NULL: none are */

char *process_table_lines(const char *prefix)
{
	GString *text = g_string_new(NULL);

	for (int rank = 0; rank < MPIR_proctable_size; rank++)
		g_string_append_printf(text, "%s%s:%d\n", prefix, MPIR_proctable[rank].host_name,
		                       MPIR_proctable[rank].pid);
	return g_string_free(text, false);
}

void process_table_print(const char *prefix)
{
	printed = prefix;
}

bool process_table_is_printed(void)
{
	return printed != NULL;
}

bool process_table_is_watched(void)
{
	return MPIR_being_debugged != 0;
}

static void report(int state)
{
	MPIR_debug_state = state;
	if (process_table_is_watched())
		MPIR_Breakpoint();
}

static void clear(void)
{
	const int size = MPIR_proctable_size;
	MPIR_PROCDESC *table = MPIR_proctable;

	MPIR_proctable_size = 0;
	MPIR_proctable = NULL;
	for (int rank = 0; rank < size; rank++) {
		g_free(table[rank].host_name);
		g_free(table[rank].executable_name);
	}
	g_free(table);
	g_free(MPIR_debug_abort_string);
	MPIR_debug_abort_string = NULL;
	MPIR_debug_state = MPIR_NULL;
}

static bool is_the_same(const pid_t *processes, int ranks)
{
	if (MPIR_proctable_size != ranks)
		return false;
	for (int rank = 0; rank < ranks; rank++)
		if (MPIR_proctable[rank].pid != processes[rank])
			return false;
	return true;
}

void process_table_show(guint32 world, const pid_t *processes, int ranks)
{
	MPIR_PROCDESC *table;

	shown = world;
	if (is_the_same(processes, ranks)) {
		MPIR_debug_state = MPIR_DEBUG_SPAWNED;
		return;
	}
	clear();
	table = g_new0(MPIR_PROCDESC, ranks);
	for (int rank = 0; rank < ranks; rank++) {
		g_autofree char *link = g_strdup_printf("/proc/%d/exe", (int)processes[rank]);

		table[rank].host_name = g_strdup(g_get_host_name());
		table[rank].executable_name = g_file_read_link(link, NULL);
		table[rank].pid = processes[rank];
	}
	MPIR_proctable = table;
	MPIR_proctable_size = ranks;
	log_debug(LOG_RANKS, "the process table has the %d ranks of world %u", ranks, world);
	if (printed) {
		g_autofree char *lines = process_table_lines(printed);

		fputs(lines, stderr);
		fflush(stderr);
	}
	report(MPIR_DEBUG_SPAWNED);
}

void process_table_abort(guint32 world, const char *why)
{
	if (MPIR_proctable_size == 0 || shown != world)
		return;
	g_free(MPIR_debug_abort_string);
	MPIR_debug_abort_string = g_strdup(why);
	report(MPIR_DEBUG_ABORTING);
}

void process_table_forget(guint32 world)
{
	if (MPIR_proctable_size > 0 && shown == world)
		clear();
}
