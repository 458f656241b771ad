/* Breakpoints: on which MPI calls a rank is to be held. Each says what a call must be like; a call
 * is told by its parts, so that nothing need be known of ranks and processes here. Pure.
 *
 *   MPI_*recv                      the function, a pattern (* and ?), case does not matter
 *   solver.c:121, exchange         a line, or a function, anywhere in the call's stack; the
 *                                  namespaces and classes that it belongs to may be left out
 *   rank 0 peer 2 tag 7 comm MPI_COMM_WORLD call 12
 *   if bytes > 1000 and tag != 0   bytes, tag, peer, rank or call; == != < <= > >=
 *
 * The peer is a rank in MPI_COMM_WORLD: the destination, the source or a root. A wildcard fits what
 * is asked of it, but no condition. */
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
	bool moves_data;  /* the next four are known */
	gint64 peer, tag; /* or BREAKPOINT_ANY */
	guint64 bytes;
	guint comm;            /* the communicator's number, as people are told it */
	const char *comm_name; /* as the program calls it, else its origin */
	const char *comm_origin;
	const GArray *frames; /* struct record_frame, innermost first; may be NULL */
};

struct breakpoints;

struct breakpoints *breakpoints_new(int ranks);
void breakpoints_free(struct breakpoints *breakpoints);
guint breakpoints_count(const struct breakpoints *breakpoints);
/* Of all there are (guint), as they were made; the caller's. */
GArray *breakpoints_numbers(const struct breakpoints *breakpoints);

/* Of a text as above. Its number, from 1; 0: *ret_problem (free with g_free) says what is wrong
 * with the text, or why it could never fire. */
guint breakpoints_add(struct breakpoints *breakpoints, const char *text, bool temporary,
                      char **ret_problem);

/* false: there is no such number. */
bool breakpoints_delete(struct breakpoints *breakpoints, guint number);
void breakpoints_delete_all(struct breakpoints *breakpoints);
bool breakpoints_enable(struct breakpoints *breakpoints, guint number, bool enabled);
/* Of which place in the program it is: a file without its folders (*ret_line > 0), or a pattern of
 * functions (0); NULL: of none in particular. */
const char *breakpoints_place(const struct breakpoints *breakpoints, guint number, guint *ret_line);
/* As if the last one had never been made. */
void breakpoints_take_back(struct breakpoints *breakpoints, guint number);
/* The next so many times it fits, nothing happens. */
bool breakpoints_ignore(struct breakpoints *breakpoints, guint number, guint count);
/* Another condition, "bytes > 1000"; "": none. false: as breakpoints_add. */
bool breakpoints_condition(struct breakpoints *breakpoints, guint number, const char *text,
                           char **ret_problem);

/* Whether any that is enabled asks for more of a call's stack than where it is made. */
bool breakpoints_want_stacks(const struct breakpoints *breakpoints);
/* The first that fires: it is counted, and is deleted if it is temporary. 0: none does. */
guint breakpoints_hit(struct breakpoints *breakpoints, const struct breakpoint_call *call);
/* The first that is enabled and fits, whatever it is to ignore; nothing changes. */
guint breakpoints_fit(const struct breakpoints *breakpoints, const struct breakpoint_call *call);

/* A line for each, with how often it has fired. */
void breakpoints_tell(GString *text, const struct breakpoints *breakpoints);

#endif
