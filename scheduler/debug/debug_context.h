/* The session at the prompt, as seen by the files that only print or show parts of it. Its state is
 * in debug_internal.h, for the files that change it. */
#ifndef MATCHPOINT_SCHEDULER_DEBUG_DEBUG_CONTEXT_H
#define MATCHPOINT_SCHEDULER_DEBUG_DEBUG_CONTEXT_H

#include "debugger.h"
#include "vocabulary.h"

struct debugger;
struct breakpoints;
struct checkpoints;
struct decoders;
struct gdb;
struct gdb_rank;
struct offers;
struct debug_control;
struct page;
struct debug_past;
struct pickles;
struct prompt;
struct stop;
struct stops;

enum debug_state {
	DEBUG_NOWHERE, /* nothing runs */
	DEBUG_CHOICE,  /* every rank waits, and a choice is open or a rank is held */
	DEBUG_RUNNING, /* interrupted: the ranks run, and lines are read */
	DEBUG_OVER,    /* the interleaving has ended */
};

enum debug_state debugger_state(const struct debugger *debugger);
/* The session, its request, and the conditions of the next interleaving. */
struct session *debugger_session(const struct debugger *debugger);
const struct debug_request *debugger_request(const struct debugger *debugger);
enum buffering debugger_buffering(const struct debugger *debugger);
int debugger_ranks(const struct debugger *debugger);
/* The current execution; NULL: none. */
struct execution *debugger_execution(const struct debugger *debugger);
/* The execution whose processes can be inspected. This is the current one; at its end, the one that
 * debugger_brings_back has started. NULL: there are no processes. */
struct execution *debugger_processes(const struct debugger *debugger);
void debugger_look_at(struct debugger *debugger, struct execution *remains);
/* The open choices; NULL unless the state is DEBUG_CHOICE. */
const struct offers *debugger_offers(const struct debugger *debugger);
bool debugger_is_open(const struct debugger *debugger, const struct choice *choice);
/* The choices decided at this stop (struct choice), and the one taken at that point last time;
 * NULL: none. */
const struct choice *debugger_decided(const struct debugger *debugger, const struct point *point);
const struct choice *debugger_taken_before(const struct debugger *debugger,
                                           const struct choice *choice);
/* The rank of the last `step`; -1: none. */
int debugger_stepped(const struct debugger *debugger);
struct breakpoints *debugger_breakpoints(const struct debugger *debugger);
struct decoders *debugger_decoders(const struct debugger *debugger);
struct pickles *debugger_pickles(const struct debugger *debugger);
/* Printed if a rank cannot be inspected. */
#define DEBUG_NEEDS_PTRACE                                                 \
	"inspecting a process needs ptrace(2), which is not allowed; see " \
	"/proc/sys/kernel/yama/ptrace_scope"
/* By rank; see debug_gdb.c. */
struct gdb **debugger_gdbs(const struct debugger *debugger);
struct value_numbers *debugger_values(const struct debugger *debugger);
struct gdb_rank *debugger_gdb_rank(const struct debugger *debugger);
struct checkpoints *debugger_checkpoints(const struct debugger *debugger);
const struct stops *debugger_stops(const struct debugger *debugger);
struct prompt *debugger_prompt(const struct debugger *debugger);
struct page *debugger_page(const struct debugger *debugger); /* NULL: no browser is served */
struct debug_control *debugger_control(const struct debugger *debugger); /* NULL: none */
/* The execution that runs or has stopped; NULL: none has begun. */
struct execution *debugger_runs(const struct debugger *debugger);

/* The facts of the current execution, or of the given one; valid until it goes on. */
struct verdict_facts debugger_facts(struct debugger *debugger);
/* Where every rank is (struct record_rank), if the program is somewhere; free with
 * g_ptr_array_unref. */
GPtrArray *debugger_roll_call(struct debugger *debugger);
/* The programs of the job (struct program_part); free with g_array_unref. NULL: not known. */
GArray *debugger_parts(const struct debugger *debugger);
struct verdict_facts debugger_facts_of(struct debugger *debugger, struct execution *execution);

/* The number of outcomes that explore has found; each can be gone to. */
guint debugger_outcomes(const struct debugger *debugger);

/* A world's position, as goto accepts it: all choices; and a cut if ranks are held, or a mark that
 * it has stopped with no rank held (`stands`). Free with g_free. */
char *debugger_position(const struct world *world, bool stands);
/* Whether the choices alone would not lead to a stop here although no rank is held: no choice is
 * open, or only choices that paths omit. */
bool debugger_stands(const struct debugger *debugger);
/* The current position: the choices made and, if `cut`, the call of each rank. Free with
 * position_free. */
struct position *debugger_here(const struct debugger *debugger, bool cut);
/* Starts an interleaving and stops at the position. Later interleavings use its buffering; stops of
 * another buffering are dropped. */
void debugger_go_to(struct debugger *debugger, const struct position *position);
void debugger_set_buffering(struct debugger *debugger, enum buffering buffering);
/* Requests a snapshot of this position when the session goes on. */
void debugger_keep_here(struct debugger *debugger);
/* Lets a rank whose call is carried out when the session goes on make it, and stops at its next
 * call. Returns true if the session then goes on. Returns false if the rank is not such a rank, or
 * after refusing; no rank goes on then. */
bool debugger_lets_go(struct debugger *debugger, int rank);
void debugger_lets_nobody_go(struct debugger *debugger);
/* Stops the ranks, or the process that runs beside them, as Ctrl-C does. Returns false if nothing
 * runs. */
bool debugger_interrupt(struct debugger *debugger);

/* Reads and obeys lines until the session goes on, or there are no more lines. */
void debugger_read_lines(struct debugger *debugger);
/* Output at a stop (debug_stop.c). debugger_append_stop appends all of it. The others report
 * whether breakpoints have fired, and append "stopped: breakpoint 1" with the ranks and places,
 * without the last newline; whether the stepped rank has reached its call, or never will; whether
 * `hold` keeps a rank. */
void debugger_append_stop(struct debugger *debugger, GString *text);
bool debugger_has_hits(const struct debugger *debugger);
void debugger_tell_hits(const struct debugger *debugger, GString *text);
bool debugger_step_is_over(const struct debugger *debugger);
bool debugger_keeps(const struct debugger *debugger, int rank);

/* Whether the ranks are at rest, as some commands need. If not, prints what to do instead. */
bool debugger_is_at_rest(struct debugger *debugger);
bool debugger_is_somewhere(struct debugger *debugger);
/* Parse arguments. Count: a number from 1, or 1 if the text is empty; 0: refused. Rank: -1: none is
 * named; -2: refused. Ranks ("0,2-3", "all"): true by rank, free with g_free; NULL: refused. */
guint debugger_read_count(struct debugger *debugger, const char *text);
int debugger_read_rank(struct debugger *debugger, const char *text);
bool *debugger_read_ranks(struct debugger *debugger, const char *text);

/* Print a text with its newline; debugger_refuse prints an error with the place in the script. */
void debugger_tell(struct debugger *debugger, const char *format, ...) G_GNUC_PRINTF(2, 3);
void debugger_refuse(struct debugger *debugger, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* The call of a rank that gdb shows: its last one; of several threads, the first in which one
 * waits. */
guint32 debugger_shown_call(const struct debugger *debugger, int rank);

/* The default rank of commands. The process of a rank, and the address from which it has called
 * MPI; false: refused. */
int debugger_usual_rank(const struct debugger *debugger);
/* Splits "0 count" into the rank and the rest; the default rank without one. -1, -2: refused. */
int debugger_split_rank(struct debugger *debugger, const char *rest, const char **ret_rest);
bool debugger_find_process(struct debugger *debugger, int rank, pid_t *ret_pid, guint64 *ret_site);

/* The place where a rank crashed or met an error, if it is stopped at its end (all members NULL: in
 * its last call). NULL: it is not. */
const struct place *debugger_fell(const struct debugger *debugger, int rank);

/* At the end of an interleaving, for a command (print, gdb) that needs a rank's process: runs the
 * interleaving again to its end, obeys the command there, and reads lines until the session goes on
 * (debug_remains.c). Returns false if no rank is left at the end, or if the ranks have been brought
 * back already. */
bool debugger_brings_back(struct debugger *debugger, vocabulary_run *word, int rank,
                          const char *rest);
/* Before a command (print, gdb) that needs a gdb on this machine: asks the host for what gdb has to
 * know of the rank's process (debug_debuggee.c). At a stop it waits for the answer. While the ranks
 * run it must not, as lines are read within the host's `iterate`. If there is no answer yet, it
 * returns true: the command is obeyed again when there is one, if the ranks still run. */
bool debugger_asks_host(struct debugger *debugger, vocabulary_run *word, int rank,
                        const char *rest);
const struct host_debuggee *debugger_debuggee(const struct debugger *debugger); /* the answer */
/* The past of a rank (debug_past.c): whether that of `rank` (-1: of any) is looked at, instead of
 * where it is; prints what gdb says to a line there; moves there by a line of gdb's, and prints why
 * the rank stands, and where; returns to where the ranks are. */
bool debugger_is_past(const struct debugger *debugger, int rank);
void debugger_ask_past(struct debugger *debugger, const char *line);
void debugger_move_past(struct debugger *debugger, const char *line);
void debugger_trace_past(struct debugger *debugger); /* the functions of the program */
void debugger_leave_past(struct debugger *debugger);
/* Ctrl-C: stops gdb. Returns false if it is not waited for. */
bool debugger_interrupt_past(struct debugger *debugger);
struct debug_past *debug_past_new(struct debugger *debugger);
void debug_past_free(struct debug_past *past); /* NULL is legal */
/* gdb's commands by which reverse-continue and its kin go to the past of a rank that gdb is
 * attached to (debug_gdb_past.c). Free with g_free. */
char *debugger_gdb_past(struct debugger *debugger, int rank);
/* Whether the session stands where ranks have a past. If not, prints what to do instead. */
bool debugger_has_past(struct debugger *debugger);

/* The gdb processes for values (debug_gdb.c): detaches them before anything goes on, and ends
 * them. */
void debugger_detach_gdbs(struct debugger *debugger);
void debugger_end_gdbs(struct debugger *debugger);

/* The contents of the messages that a call sends or has received, as "1 MPI_INT: {1}"; NULL: not
 * known. Free with g_free. */
char *debugger_contents(struct debugger *debugger, const struct verdict_facts *facts, int rank,
                        guint32 call);

/* Prints the text and frees it. */
void debugger_tell_text(struct debugger *debugger, GString *text);

/* A note on an open choice, as "taken last time, as in finding 1"; NULL: none. Free with g_free. */
char *debugger_note(void *debugger, const struct choice *choice);
/* The choice that the path of the command line takes there; NULL: none, or another choice was made
 * before. */
const struct choice *debugger_leads_to(const struct debugger *debugger, const struct point *point);

/* Completion, as in struct prompt_owner (debug_complete.c). */
char **debugger_complete(void *debugger, const char *line);

/* A rank in gdb (debug_gdb_rank.c). gdb has the terminal until it exits. */
struct gdb_rank *gdb_rank_new(void);
void gdb_rank_free(struct gdb_rank *gdb); /* Ends gdb. NULL is legal. */
/* While the ranks run (DEBUG_RUNNING): lines are read no more; they are again, after telling where
 * the ranks are. */
void debugger_ask_no_more(struct debugger *debugger);
void debugger_ask_while_running(struct debugger *debugger);
bool gdb_rank_is_there(const struct gdb_rank *gdb);
void debugger_wait_for_gdb(struct debugger *debugger);

/* Browsers (debug_page.c). debugger_new_page opens the page; NULL with `error` set. The others are
 * callbacks of struct prompt_owner: a line is waited for, or no longer; a text was printed. */
struct page *debugger_new_page(struct debugger *debugger, GError **error);
void debugger_show(void *debugger, bool asks);
void debugger_shown(void *debugger, const char *text);

/* Checkpoints (debug_checkpoint.c). debugger_needs_snapshot: whether a snapshot of this world is
 * useful for one of them. */
struct checkpoints *checkpoints_new(void);
void checkpoints_free(struct checkpoints *checkpoints); /* NULL is legal */
void debugger_delete_checkpoint(struct debugger *debugger, const char *rest);
bool debugger_needs_snapshot(const struct debugger *debugger, const struct world *world);
/* Names of the checkpoints, or numbers of those without a name. Free with g_strfreev. */
char **debugger_checkpoint_names(const struct debugger *debugger);
/* Whether a snapshot of this world is useful for that stop. */
bool stop_needs(const struct stop *stop, const struct world *world);

/* Appends a rank's stack, one frame a line; nothing if it is not available. */
void debugger_append_stack(struct debugger *debugger, GString *text, int rank, guint32 call);
/* The place of a rank's last call to print: for a Python program, the place in Python. */
struct place debugger_told_place(struct debugger *debugger, const struct record_rank *told);

#endif
