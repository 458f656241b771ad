/* Shared by debugger.c (the session's position, and how it moves) and the files of the commands
 * (debug_words.h). */
#ifndef MATCHPOINT_SCHEDULER_DEBUG_DEBUG_INTERNAL_H
#define MATCHPOINT_SCHEDULER_DEBUG_DEBUG_INTERNAL_H

#include "breakpoints.h"
#include "debug_context.h"
#include "debug_hold.h"
#include "debugger.h"
#include "decoders.h"
#include "explorer/position.h"
#include "gdb.h"
#include "helper.h"
#include "pickles.h"
#include "prompt.h"
#include "stops.h"
#include "telling.h"
#include "vocabulary.h"

/* Decides at a choice that was not decided at the prompt. */
enum debug_chooser { CHOOSER_ASK, CHOOSER_DEFAULT, CHOOSER_RANDOM };

/* A breakpoint that has fired. */
struct debug_hit {
	guint number;
	int rank;
	guint32 call;
};

struct debugger {
	struct plan_source source;
	struct strategy strategy;
	struct session *session;
	struct debug_session *asked;
	struct prompt_owner owner;
	struct prompt *prompt;
	struct page *page;             /* for browsers; NULL: none is served */
	struct debug_control *control; /* for requests from outside; NULL: none are taken */
	struct stops *stops;

	enum debug_state state;
	enum buffering buffering;
	struct execution *execution; /* current; NULL: none */
	struct execution *remains;   /* DEBUG_OVER: its ranks again, at the end; NULL: none */
	const struct wire_blocking_call **inside; /* by rank: buffer of session_facts */
	struct offers *offers;                    /* valid in DEBUG_CHOICE */

	/* Where the session is going: it makes these choices before it stops. With a cut, each rank
	 * is held in its call. */
	struct position *target;
	GArray *decided;          /* struct choice: decided here, not carried out yet */
	GHashTable *taken_before; /* struct choice: taken last time at each point */
	GHashTable *known;        /* paths (char *) of interleavings that were counted */
	enum debug_chooser chooser;
	bool finishes; /* goes to the end without asking */
	bool certain;  /* the target's cut is consistent, and can be reached */
	bool exact;    /* stops once the target's choices are made, whoever decides next */
	GRand *random;

	struct decoders *decoders;
	struct pickles *pickles;
	struct breakpoints *breakpoints;
	GArray *hits; /* struct debug_hit: not printed yet, or stopped for */
	struct holds holds;
	int stepped;             /* rank of the last `step`; -1: none */
	bool unasked;            /* rollback and delete do not ask for confirmation */
	bool takes_first;        /* undecided choices take their first candidate on going on */
	struct debug_hit coming; /* breakpoint of the call that is gone back to; number 0: none */
	struct stop *origin;     /* where to return if a cut cannot be reached; NULL: nowhere */
	struct checkpoints *checkpoints; /* made by the user */
	bool keeps;                      /* this position is to have a snapshot */
	bool pauses;                     /* all ranks are held at their next call, for a snapshot */
	bool parks;                      /* the snapshot is taken before leaving this position */

	bool interrupted; /* by Ctrl-C: stops at the next choice, even if not asked there */
	bool goes_on;     /* the session goes on from this stop */
	bool leaves;      /* the current execution is abandoned */
	bool begins;      /* an interleaving is to begin, with `target` */
	bool reruns_told;
	bool interpreted; /* a Python program: places of calls are in Python's stacks */
	struct gdb_rank *gdb_rank;
	struct debuggee *debuggee; /* the host's last answer; NULL: none yet */
	GPtrArray *questions;      /* struct debuggee: not answered yet */
	struct gdb **gdbs;         /* by rank, for print; NULL: not started */
	struct value_numbers *values;
	GPtrArray *outcomes; /* char *: paths of the outcomes that explore has found */
	struct apart *apart; /* what waits until the ranks have left; NULL: nothing */
	struct debug_past *past;
	char *again;           /* line that is obeyed first at the next stop; NULL: none */
	struct helper *helper; /* process that is waited for; NULL: none */
	GString *said;         /* lines that were obeyed, for save */
	char *last;            /* line that an empty one repeats; NULL: none */
};

/* The debugger is freed: frees the host's answers, and drops what comes (debug_debuggee.c). */
void debugger_forget_debuggees(struct debugger *debugger);

/* The ranks are at rest (debug_rest.c): goes on by itself, or stops. */
void debugger_come_to_rest(struct debugger *debugger, struct execution *execution);
/* Reads lines until the session goes on. debugger_forget_place drops what is known of the current
 * position. */
void debugger_converse(struct debugger *debugger);
void debugger_forget_place(struct debugger *debugger);

/* Starts an interleaving, makes these choices (struct choice), and stops. */
void debugger_go(struct debugger *debugger, const GArray *choices);
/* The choices to make before the next stop (struct choice). Whether the session is on the way to a
 * cut. */
const GArray *debugger_target(const struct debugger *debugger);
bool debugger_travels(const struct debugger *debugger);

/* Decides a choice until the session goes on. */
void debugger_decide(struct debugger *debugger, const struct choice *choice);
/* Obeys a line that is only a number or a choice. Returns false for another line
 * (debug_choose.c). */
bool debugger_chooses(struct debugger *debugger, const char *line);
/* Goes on to where a choice decided here becomes possible. Returns false if there is no such
 * choice. */
bool debugger_await(struct debugger *debugger);
/* Goes on to the next stop. */
void debugger_go_on(struct debugger *debugger, bool to_the_end);

/* A rank makes a call (struct strategy): checks for breakpoints. */
void debugger_see_call(struct strategy *strategy, struct execution *execution, int rank,
                       const struct wire_call *call);

/* Asks for confirmation, on a terminal and without `set confirm off`; else returns true. */
bool debugger_confirms(struct debugger *debugger, const char *question);
/* Whether a text is a cut for goto, as "0.3,1.2"; goes to one (debug_travel.c). */
bool debugger_is_cut(const char *text);
void debugger_go_to_calls(struct debugger *debugger, const char *text);

/* Goes to a position that has a cut. */
void debugger_go_to_position(struct debugger *debugger, const struct position *position);
/* Whether it can be taken with the ranks that are held now. */
bool debugger_may_take(const struct debugger *debugger, const struct choice *choice);
/* On the way to a cut. debugger_fill_gap finds a choice that the path omits; false: there is none.
 * The other prints why the cut cannot be reached, and goes back to the origin; false: there is
 * none. */
bool debugger_fill_gap(const struct debugger *debugger, struct choice *ret_choice);
bool debugger_turn_back(struct debugger *debugger);
void debugger_go_back_to_origin(struct debugger *debugger);

/* Whether a snapshot of this world is useful (a struct debugger). */
bool debugger_needs(const struct world *world, void *debugger);

/* Whether Python runs the program. */
bool debugger_is_interpreted(const struct debugger *debugger);

/* The first breakpoint that matches a call in the past; 0: none. `waited` is the call of the first
 * operation that it has completed, or 0 (debug_break.c). */
guint debugger_break_fits(struct debugger *debugger, const struct verdict_facts *facts, int rank,
                          guint32 call, guint32 waited);

/* debug_onward.c: runs matchpoint with these words (char *, NULL-terminated) beside the session,
 * while the ranks stay where they are. `told` gets whole lines of what it prints. Returns its exit
 * status; -1: it has none. The others append words; the program with its arguments, last. */
int debugger_run_beside(struct debugger *debugger, const GPtrArray *words,
                        void (*told)(void *user, const char *text), void *user);
void debugger_add_words(GPtrArray *words, const char *const *more);
void debugger_add_program(const struct debugger *debugger, GPtrArray *words);
/* Whether that must be without the ranks, since files that the program has changed so far would
 * disturb others; leaves them, runs it between two interleavings, and brings them back here. Takes
 * `data` over. */
bool debugger_must_run_apart(const struct debugger *debugger);
typedef void debugger_apart_run(struct debugger *debugger, void *data);
void debugger_run_apart(struct debugger *debugger, debugger_apart_run *run, void *data,
                        GDestroyNotify free_data);
void debugger_go_onward(struct debugger *debugger);
void debugger_forget_apart(struct debugger *debugger);

/* debug_record.c: this position, as goto accepts it; free with g_free. */
char *debugger_position_here(const struct debugger *debugger);
/* Why ranks cannot be recorded, whatever they do; NULL: they can. */
const char *debugger_why_not_recorded(const struct debugger *debugger);
/* Records the ranks up to here into a folder. Returns false after refusing, or if the ranks are
 * left for it; `line` is obeyed once they are back (NULL: none). */
bool debugger_record(struct debugger *debugger, const char *directory, const char *line);
/* The same by others: a file with the line that goes here; arguments of matchpoint (char *,
 * NULL-terminated) that do so by that file, and record the ranks. Free with g_ptr_array_unref. */
bool debugger_write_way(const struct debugger *debugger, const char *file, GError **error);
GPtrArray *debugger_words_to_record(const struct debugger *debugger, const char *directory,
                                    const char *script);
/* The folder in which this position is recorded, or is to be ("recording" in it, which others may
 * make); owned by the session. NULL with `error` set (debug_past.c). */
const char *debugger_past_folder(struct debugger *debugger, GError **error);
/* The path of "finding 1" or "outcome 2". NULL: refused; or the text names neither, unless
 * *ret_names. */
const char *debugger_found_path(struct debugger *debugger, const char *text, bool *ret_names);
/* Prints "outcome 1: mp1:...", one a line. */
void debugger_tell_outcomes(struct debugger *debugger);
/* The choices made so far, as one line; NULL: refused. Free with g_free. */
char *debugger_path(struct debugger *debugger);

/* Prints the stop: "stopped: ..." and the state. */
void debugger_tell_stop(struct debugger *debugger);

/* A line while the ranks run, as in struct prompt_owner. */
void debugger_said(void *debugger, char *line);
/* The ranks have reached a stop: no line of an interruption is waited for any more. */
void debugger_end_interruption(struct debugger *debugger);

/* Obeys a line. Sets goes_on if the session is to go on. */
void debugger_obey(struct debugger *debugger, const char *line);

#endif
