/* What the files of a session at the prompt know of it that tell or show something, and have done
 * for it. Its state is in debug_internal.h, for those that carry it on. */
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
struct page;
struct pickles;
struct prompt;
struct stop;
struct stops;

enum debug_state {
	DEBUG_NOWHERE, /* nothing runs */
	DEBUG_CHOICE,  /* every rank stands still, and something is open, or somebody is held */
	DEBUG_RUNNING, /* interrupted: the ranks run, and lines are read */
	DEBUG_OVER,    /* the interleaving is */
};

enum debug_state debugger_state(const struct debugger *debugger);
/* As it was asked for: the session, its request, the conditions of the next interleaving. */
struct session *debugger_session(const struct debugger *debugger);
const struct debug_request *debugger_request(const struct debugger *debugger);
enum buffering debugger_buffering(const struct debugger *debugger);
int debugger_ranks(const struct debugger *debugger);
/* Where it stands; NULL: nowhere. */
struct execution *debugger_execution(const struct debugger *debugger);
/* Whose processes are looked at: the same, or, at the end of one, its ranks once more, if they were
 * brought back (debugger_look_at; NULL: they are gone again). */
struct execution *debugger_processes(const struct debugger *debugger);
void debugger_look_at(struct debugger *debugger, struct execution *remains);
/* What is open there; NULL but for DEBUG_CHOICE. */
const struct offers *debugger_offers(const struct debugger *debugger);
bool debugger_is_open(const struct debugger *debugger, const struct choice *choice);
/* What is decided of it (struct choice), and what was taken there last time; NULL: nothing. */
const struct choice *debugger_decided(const struct debugger *debugger, const struct point *point);
const struct choice *debugger_taken_before(const struct debugger *debugger,
                                           const struct choice *choice);
/* The rank that went step by step last; -1: none. */
int debugger_stepped(const struct debugger *debugger);
struct breakpoints *debugger_breakpoints(const struct debugger *debugger);
struct decoders *debugger_decoders(const struct debugger *debugger);
struct pickles *debugger_pickles(const struct debugger *debugger);
/* Said where a rank cannot be looked at. */
#define DEBUG_NEEDS_PTRACE                                                 \
	"a process may be looked at only where ptrace(2) is allowed; see " \
	"/proc/sys/kernel/yama/ptrace_scope"
/* By rank; debug_gdb.c's. */
struct gdb **debugger_gdbs(const struct debugger *debugger);
struct value_numbers *debugger_values(const struct debugger *debugger);
struct gdb_rank *debugger_gdb_rank(const struct debugger *debugger);
struct checkpoints *debugger_checkpoints(const struct debugger *debugger);
const struct stops *debugger_stops(const struct debugger *debugger);
struct prompt *debugger_prompt(const struct debugger *debugger);
struct page *debugger_page(const struct debugger *debugger); /* NULL: none is shown */
/* The interleaving that runs, or stands; NULL: none has begun. */
struct execution *debugger_runs(const struct debugger *debugger);

/* The facts of where it stands, or of that one; valid until it goes on. */
struct verdict_facts debugger_facts(struct debugger *debugger);
struct verdict_facts debugger_facts_of(struct debugger *debugger, struct execution *execution);

/* How many outcomes explore has told apart, each to be gone to. */
guint debugger_outcomes(const struct debugger *debugger);

/* Where a world stands, as goto takes it: all its choices, and the cut where ranks are held
 * (position.h), or where it stands with nobody held (`stands`). Free with g_free. */
char *debugger_position(const struct world *world, bool stands);
/* Whether whoever goes by the choices alone would not stop where it has stopped, though nobody is
 * held: nothing is open, or what paths do not tell. */
bool debugger_stands(const struct debugger *debugger);
/* Where it stands, with the choices made and, if wanted, cut where each rank is; the caller's. */
struct position *debugger_here(const struct debugger *debugger, bool cut);
/* Begins anew, and stops there. Interleavings have this buffering from now on; the stops of another
 * one are forgotten. */
void debugger_go_to(struct debugger *debugger, const struct position *position);
void debugger_set_buffering(struct debugger *debugger, enum buffering buffering);
/* This place is to have a snapshot, when it goes on. */
void debugger_keep_here(struct debugger *debugger);
/* A rank whose call is carried out when the session goes on makes it, and stops at its next one:
 * true, and the session goes on; false: it is not, or was refused. Nobody goes on, after all. */
bool debugger_lets_go(struct debugger *debugger, int rank);
void debugger_lets_nobody_go(struct debugger *debugger);
/* Stops the ranks, or whoever runs beside them, as Ctrl-C does; false: nobody runs. */
bool debugger_interrupt(struct debugger *debugger);

/* Obeys lines until the person is done, or says nothing any more. */
void debugger_read_lines(struct debugger *debugger);
/* What is told of where it has stopped (debug_stop.c). Of that: whether breakpoints have fired, and
 * "stopped: breakpoint 1" with whom they have stopped where, without the last newline; whether
 * the rank that was to make its next calls has come there, or never will; whether `hold` keeps a
 * rank. */
void debugger_append_stop(struct debugger *debugger, GString *text);
bool debugger_has_hits(const struct debugger *debugger);
void debugger_tell_hits(const struct debugger *debugger, GString *text);
bool debugger_step_is_over(const struct debugger *debugger);
bool debugger_keeps(const struct debugger *debugger, int rank);

/* Whether it stands where that can be done; else the person is told what to do instead. */
bool debugger_is_at_rest(struct debugger *debugger);
bool debugger_is_somewhere(struct debugger *debugger);
/* A number from 1, or 1 if there is none; 0: refused. A rank; -1: none is named; -2: refused. Some
 * ranks ("0,2-3", "all"), true by rank, for g_free; NULL: refused. */
guint debugger_read_count(struct debugger *debugger, const char *text);
int debugger_read_rank(struct debugger *debugger, const char *text);
bool *debugger_read_ranks(struct debugger *debugger, const char *text);

/* Tells something, with its newline; refuses: with the place in the script. */
void debugger_tell(struct debugger *debugger, const char *format, ...) G_GNUC_PRINTF(2, 3);
void debugger_refuse(struct debugger *debugger, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* The rank that is meant where none is named. The process of one, and from where it has called MPI;
 * false: refused. */
int debugger_usual_rank(const struct debugger *debugger);
bool debugger_find_process(struct debugger *debugger, int rank, pid_t *ret_pid, guint64 *ret_site);

/* Of a rank that stands at its end, as it crashed or met an error: where (all-NULL: in its last
 * call). NULL: it does not. */
const struct place *debugger_fell(const struct debugger *debugger, int rank);

/* At the end of an interleaving, where a word (print, gdb) is to look at a rank: has it carried out
 * once more, obeys the word there, and reads lines until the session goes on (debug_remains.c).
 * false: no rank stands there, or they are there already. */
bool debugger_brings_back(struct debugger *debugger, vocabulary_run *word, int rank,
                          const char *rest);
/* The gdbs that were asked for values (debug_gdb.c) let go of the ranks before anything goes on,
 * and are ended in the end. */
void debugger_detach_gdbs(struct debugger *debugger);
void debugger_end_gdbs(struct debugger *debugger);

/* What is in the messages that a call sends or has received, "1 MPI_INT: {1}"; NULL: it is not
 * known. Free with g_free. */
char *debugger_contents(struct debugger *debugger, const struct verdict_facts *facts, int rank,
                        guint32 call);

/* Tells it, and frees it. */
void debugger_tell_text(struct debugger *debugger, GString *text);

/* "taken last time, as in finding 1" of a choice that is open; NULL: nothing is known of it. */
char *debugger_note(void *debugger, const struct choice *choice);
/* What the path of the command line takes there; NULL: nothing, or it was left before. */
const struct choice *debugger_leads_to(const struct debugger *debugger, const struct point *point);

/* As struct prompt_owner has it (debug_complete.c). */
char **debugger_complete(void *debugger, const char *line);

/* A rank in gdb (debug_gdb_rank.c): until gdb leaves nobody else has the terminal. */
struct gdb_rank *gdb_rank_new(void);
void gdb_rank_free(struct gdb_rank *gdb); /* ends it; NULL is legal */
bool gdb_rank_is_there(const struct gdb_rank *gdb);
void debugger_wait_for_gdb(struct debugger *debugger);

/* For browsers (debug_page.c): the page that is asked for; NULL with `error` set. Then, as
 * struct prompt_owner has them: a line is waited for, or is not any more; something was told. */
struct page *debugger_new_page(struct debugger *debugger, GError **error);
void debugger_show(void *debugger, bool asks);
void debugger_shown(void *debugger, const char *text);

/* Places that the person keeps (debug_checkpoint.c). Whether a snapshot of this world is of use for
 * one of them. */
struct checkpoints *checkpoints_new(void);
void checkpoints_free(struct checkpoints *checkpoints); /* NULL is legal */
void debugger_delete_checkpoint(struct debugger *debugger, const char *rest);
bool debugger_needs_snapshot(const struct debugger *debugger, const struct world *world);
/* Of each its name, or its number if it has none; for g_strfreev. */
char **debugger_checkpoint_names(const struct debugger *debugger);
/* Whether a snapshot of this world is of use for that stop. */
bool stop_needs(const struct stop *stop, const struct world *world);

/* The stack of a rank, a line each; nothing if it cannot be had. */
void debugger_append_stack(struct debugger *debugger, GString *text, int rank);
/* Where a rank's last call is said to stand: in Python, if that is what runs. */
struct place debugger_told_place(struct debugger *debugger, const struct record_rank *told);

#endif
