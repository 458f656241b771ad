/* What the files of a session at the prompt share: debugger.c (where it stands, and how it gets
 * elsewhere) and debug_words.c (what each word does). */
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
#include "prompt.h"
#include "stops.h"
#include "telling.h"
#include "vocabulary.h"

/* Who decides at a choice that nobody has decided. */
enum debug_chooser { CHOOSER_ASK, CHOOSER_DEFAULT, CHOOSER_RANDOM };

/* A breakpoint has fired. */
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
	struct page *page; /* what browsers are shown; NULL: none is */
	struct stops *stops;

	enum debug_state state;
	enum buffering buffering;
	struct execution *execution; /* where it stands; NULL: nowhere */
	struct execution *remains;   /* DEBUG_OVER: its ranks once more, at its end; or NULL */
	const struct wire_blocking_call **inside; /* by rank: scratch of session_facts */
	struct offers *offers;                    /* DEBUG_CHOICE */

	struct position *target;  /* its choices are made before it stops again; if it has a cut, it
	                             is gone to with each rank held in that call */
	GArray *decided;          /* struct choice: decided here, and not carried out yet */
	GHashTable *taken_before; /* struct choice: what each point took last time */
	GHashTable *known;        /* paths (char *) of interleavings that count already */
	enum debug_chooser chooser;
	bool finishes; /* without asking, up to the end */
	bool certain;  /* the target's cut can be come to: it was seen to be consistent */
	bool exact;    /* stops once all of `target` is made, whoever decides what comes then */
	GRand *random;

	struct decoders *decoders;
	struct breakpoints *breakpoints;
	GArray *hits; /* struct debug_hit: not told yet, or stopped for */
	struct holds holds;
	int stepped;             /* the rank that went step by step last; -1: none */
	bool unasked;            /* a rollback or a delete is not confirmed */
	bool takes_first;        /* going on, what is open and undecided is decided */
	struct debug_hit coming; /* of the call that is gone back to; number 0: of none */
	struct stop *origin;     /* where it comes back to when a cut cannot be reached; or NULL */
	struct checkpoints *checkpoints; /* of the person */
	bool keeps;                      /* this place is to have a snapshot */
	bool pauses; /* all are held at their next call, for a snapshot in between */
	bool parks;  /* it is taken, and then the place is left */

	bool interrupted; /* by Ctrl-C: stops where the next choice is, whoever decides there */
	bool goes_on;     /* the person is done at this stop */
	bool leaves;      /* what runs is given up */
	bool begins;      /* an interleaving is to begin, with `target` */
	bool reruns_told;
	bool interpreted; /* the program is Python: where its calls are stands in their stacks */
	struct gdb_rank *gdb_rank;
	struct gdb **gdbs; /* by rank, for print; NULL: not asked yet */
	struct value_numbers *values;
	GPtrArray *outcomes;   /* char *: the paths of the outcomes that explore has told apart */
	GPtrArray *onward;     /* char *: the words of explore, which waits until the ranks are
	                          gone; NULL: none does */
	struct helper *helper; /* that is waited for; NULL: none is */
	GString *said;         /* the lines that were obeyed, for save */
	char *last;            /* the line that an empty one repeats; NULL: none */
};

/* The ranks stand still (debug_rest.c): on without a word, or a stop. */
void debugger_come_to_rest(struct debugger *debugger, struct execution *execution);
/* The person decides what comes next. Nothing is kept of the place where it stands. */
void debugger_converse(struct debugger *debugger);
void debugger_forget_place(struct debugger *debugger);

/* Begins anew, makes these choices (struct choice), and stops. */
void debugger_go(struct debugger *debugger, const GArray *choices);
/* The choices to be made before it stops again (struct choice). Whether it is on the way to a cut.
 */
const GArray *debugger_target(const struct debugger *debugger);
bool debugger_travels(const struct debugger *debugger);

/* This is chosen, and stays so until it goes on. */
void debugger_decide(struct debugger *debugger, const struct choice *choice);
/* What the word does, and a line that is a number or a choice alone (false: it is neither), and
 * `set choices` (debug_choose.c). */
void debugger_choose(struct debugger *debugger, const char *rest);
bool debugger_chooses(struct debugger *debugger, const char *line);
void debugger_set_choices(struct debugger *debugger, const char *rest);
/* What is decided here and not possible yet is gone to; false: there is nothing of the kind. */
bool debugger_await(struct debugger *debugger);
/* On to the next stop. */
void debugger_go_on(struct debugger *debugger, bool to_the_end);

/* A rank makes a call (struct strategy): is a breakpoint there? */
void debugger_see_call(struct strategy *strategy, struct execution *execution, int rank,
                       const struct wire_call *call);
/* What these words do: break, condition, ... (debug_break.c). false: it is none of them. */
bool debugger_obey_break(struct debugger *debugger, int word, const char *rest);

/* What these words do: hold, release, step, ... (debug_hold_words.c). false: it is none of them. */
bool debugger_obey_hold(struct debugger *debugger, int word, const char *rest);

/* Whether the person says so: on a terminal without `set confirm off`; else nobody is asked. */
bool debugger_confirms(struct debugger *debugger, const char *question);
/* rollback and the like (debug_travel.c): false: it is none of these. A cut for goto, "0.3,1.2";
 * goes there. */
bool debugger_obey_travel(struct debugger *debugger, int word, const char *rest);
bool debugger_is_cut(const char *text);
void debugger_go_to_calls(struct debugger *debugger, const char *text);

/* Goes to one that has a cut. */
void debugger_go_to_position(struct debugger *debugger, const struct position *position);
/* Whether it can be chosen with what is held now. */
bool debugger_may_take(const struct debugger *debugger, const struct choice *choice);
/* On the way to one: what is made where the path says nothing; false: nothing helps. Tells why it
 * cannot be reached, and goes back to where it came from: false, if that was nowhere. */
bool debugger_fill_gap(const struct debugger *debugger, struct choice *ret_choice);
bool debugger_turn_back(struct debugger *debugger);
void debugger_go_back_to_origin(struct debugger *debugger);

/* Whether a snapshot of this world is of use (a struct debugger). */
bool debugger_needs(const struct world *world, void *debugger);

/* Whether Python runs the program. */
bool debugger_is_interpreted(const struct debugger *debugger);

/* The first breakpoint that fits a call that was made; 0: none does. `waited` is the call whose
 * operation it has completed first, or 0 (debug_break.c). */
guint debugger_break_fits(struct debugger *debugger, const struct verdict_facts *facts, int rank,
                          guint32 call, guint32 waited);

/* explore, minimize, save (debug_onward.c); false: it is none of them. */
bool debugger_obey_onward(struct debugger *debugger, int word, const char *rest);
/* Between two interleavings: what of these waits for that. */
void debugger_go_onward(struct debugger *debugger);
/* The path of "finding 1" or "outcome 2"; NULL: refused, or (unless *ret_names) it names none. */
const char *debugger_found_path(struct debugger *debugger, const char *text, bool *ret_names);
/* "outcome 1: mp1:...", a line each. */
void debugger_tell_outcomes(struct debugger *debugger);
/* The choices made so far, as one line; NULL: refused. Free with g_free. */
char *debugger_path(struct debugger *debugger);

/* Tells where it stands: "stopped: ..." and what there is to see. */
void debugger_tell_stop(struct debugger *debugger);

/* As struct prompt_owner has it: a line while the ranks run. */
void debugger_said(void *debugger, char *line);
/* The ranks have come to something: no such line is waited for any more. */
void debugger_end_interruption(struct debugger *debugger);

/* What a line says is done; goes_on is set if the person is done here. */
void debugger_obey(struct debugger *debugger, const char *line);

#endif
