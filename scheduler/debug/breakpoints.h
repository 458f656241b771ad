/* Breakpoints: the MPI calls at which a rank is to be held. A breakpoint matches a call by its
 * parts, so this module knows nothing of ranks and processes. Pure. Parts of a breakpoint:
 *
 *   MPI_*recv                      the function, a pattern (* and ?); case does not matter
 *   solver.c:121, exchange         a line, or a function, anywhere in the call's stack; its
 *                                  namespaces and classes are optional
 *   rank 0 peer 2 tag 7 comm MPI_COMM_WORLD call 12
 *   if bytes > 1000 and tag != 0   bytes, tag, peer, rank or call; == != < <= > >=
 *
 * The peer is a rank in MPI_COMM_WORLD: the destination, the source or a root. A wildcard in the
 * call matches every peer or tag, but no condition. */
#ifndef MATCHPOINT_SCHEDULER_DEBUG_BREAKPOINTS_H
#define MATCHPOINT_SCHEDULER_DEBUG_BREAKPOINTS_H

#include <glib.h>
#include <stdbool.h>

#include "scheduler/store/record.h"

#define BREAKPOINT_ANY (-1) /* a wildcard */

/* A call that is about to be made. */
struct breakpoint_call {
	const char *function;
	int rank;
	guint32 number;
	bool moves_data;  /* the next four members are known */
	gint64 peer, tag; /* or BREAKPOINT_ANY */
	guint64 bytes;
	const char *comm;      /* the communicator's label (made_comms.h) */
	const char *comm_name; /* the name that the program gave, else the origin */
	const char *comm_origin;
	const GArray *frames; /* struct record_frame, innermost first; NULL: not known */
};

struct breakpoints;

struct breakpoints *breakpoints_new(int ranks);
void breakpoints_free(struct breakpoints *breakpoints);
guint breakpoints_count(const struct breakpoints *breakpoints);
/* Numbers of all breakpoints (guint), in the order of creation; owned by the caller. */
GArray *breakpoints_numbers(const struct breakpoints *breakpoints);

/* Adds a breakpoint from a text as above. Returns its number, from 1. 0: *ret_problem (free with
 * g_free) explains what is wrong with the text, or why it could never fire. */
guint breakpoints_add(struct breakpoints *breakpoints, const char *text, bool temporary,
                      char **ret_problem);

/* Deletes a breakpoint. Returns false if there is no such number; so do the functions below. */
bool breakpoints_delete(struct breakpoints *breakpoints, guint number);
void breakpoints_delete_all(struct breakpoints *breakpoints);
bool breakpoints_enable(struct breakpoints *breakpoints, guint number, bool enabled);
/* The place in the program that a breakpoint names: a file without its folders (*ret_line > 0), or
 * a pattern of functions (*ret_line 0). NULL: none. */
const char *breakpoints_place(const struct breakpoints *breakpoints, guint number, guint *ret_line);
/* Deletes the breakpoint that was added last, so that its number is used again. */
void breakpoints_take_back(struct breakpoints *breakpoints, guint number);
/* Ignores the next `count` hits. */
bool breakpoints_ignore(struct breakpoints *breakpoints, guint number, guint count);
/* Replaces the condition, as "bytes > 1000"; "": none. Returns false as breakpoints_add does. */
bool breakpoints_condition(struct breakpoints *breakpoints, guint number, const char *text,
                           char **ret_problem);

/* Whether an enabled breakpoint needs more of a call's stack than the innermost place. */
bool breakpoints_want_stacks(const struct breakpoints *breakpoints);
/* The first breakpoint that fires: the hit is counted, and a temporary breakpoint is deleted. 0:
 * none fires. */
guint breakpoints_hit(struct breakpoints *breakpoints, const struct breakpoint_call *call);
/* The first enabled breakpoint that matches, without regard to its ignore count. Changes
 * nothing. */
guint breakpoints_fit(const struct breakpoints *breakpoints, const struct breakpoint_call *call);

/* Appends a line for each breakpoint, with its number of hits. */
void breakpoints_tell(GString *text, const struct breakpoints *breakpoints);

#endif
