/* What a verdict does not cover, and why: the one table of reasons. A limit is recorded only if it
 * touched this program. Stores hold the names.
 *
 * Where a limit is met, its bit is set (world_limits, struct run_result), or the session adds it
 * (session_limits.c). The class alone decides what the verdict and the exit status make of it. */
#ifndef MATCHPOINT_SCHEDULER_STORE_LIMIT_H
#define MATCHPOINT_SCHEDULER_STORE_LIMIT_H

#include <glib.h>
#include <stdbool.h>

enum limit_class {
	/* An order or an answer that the standard allows was left out: "not all: ..." and exit
	 * status 3. */
	LIMIT_NOT_EXPLORED,
	/* Accesses, output or errors that could not be seen or compared: a line "not checked: ..."
	 * under the verdict. The exit status stays as it is. */
	LIMIT_NOT_CHECKED,
};

/* In the order in which a verdict names them. */
enum limit {
	/* not explored */
	LIMIT_SHARDS,
	LIMIT_STOPPED,
	LIMIT_PLANS_LOST,
	LIMIT_MEMORY,
	LIMIT_STATES,
	LIMIT_BOUNDS,
	LIMIT_SETS,
	LIMIT_BELOW,
	LIMIT_POLLS,
	LIMIT_COLLECTIVES_ASYNC,
	LIMIT_COLLECTIVES_SYNC,
	LIMIT_COLLECTIVES_WAITED,
	LIMIT_COLLECTIVES_WHOLE,
	LIMIT_SENDS_CANCELLED,
	LIMIT_FOREIGN_REQUESTS,
	LIMIT_DATA_ARRIVAL,
	LIMIT_BUFFER_ROOM,
	LIMIT_ATOMICS,
	LIMIT_LOCKS,
	LIMIT_FILE_POINTER,
	LIMIT_FILE_ACCESSES,
	LIMIT_THREADS,
	LIMIT_THREADS_HURRIED,
	/* not checked */
	LIMIT_WINDOW_MEMORY,
	LIMIT_WINDOW_PARTLY,
	LIMIT_WINDOW_ASSUMED,
	LIMIT_WINDOW_ACCESSES,
	LIMIT_DATA_LATE,
	LIMIT_DATA_LARGE,
	LIMIT_BUFFER_SAMPLED,
	LIMIT_THREADS_SERIALIZED,
	LIMIT_ERRORS_RETURNED,
	LIMIT_LINES_VARY,
	LIMIT_OUTCOMES_MANY,
	LIMIT_FILES_LARGE,
	LIMIT_OUTCOMES_TIME,
	LIMIT_FILES_APART,
	LIMIT_OUTPUT_CUT,
	LIMIT_PEER_MEMORY,
	LIMIT_OPERATIONS,
	LIMIT_IGNORED,
	LIMIT_NATIVE,
	LIMIT_SPAWN_PLACES,
	LIMITS
};

/* One bit per limit, in a guint64. */
#define LIMIT_BIT(limit) (G_GUINT64_CONSTANT(1) << (limit))

struct limit_info {
	const char *name; /* in stores and JSON: "atomics" */
	enum limit_class class;
	const char *text;      /* a clause without a full stop; NULL: it is made where the limit is
	                          met, as it names numbers or places */
	const char *about;     /* for documents, if there is no text */
	const char *lifted_by; /* the option that lifts it, without dashes; NULL: none, or the text
	                          names it */
	const char *next;      /* what a user can do next, where no single option lifts it; NULL */
	bool leaves_plans; /* the search did not come to its end: choices that it knew are left */
};

/* Never NULL. */
const struct limit_info *limit_info(enum limit limit);

/* false: none has this name. */
bool limit_find(const char *name, enum limit *ret_limit);

/* A limit that touched an exploration. */
struct record_limit {
	enum limit limit;
	char *text; /* owned */
};

/* An array of struct record_limit *, which it owns, by enum limit; limits of one kind in the order
 * in which they were added. Free with g_ptr_array_unref. */
GPtrArray *limits_new(void);

/* Adds the limit with this text, which it takes; NULL: that of its row. One with the same text is
 * added only once. */
void limits_add(GPtrArray *limits, enum limit limit, char *text);

/* Adds each limit of this set (LIMIT_BIT), with the text of its row. */
void limits_add_set(GPtrArray *limits, guint64 set);

/* "TEXT (--OPTION); TEXT": the limits of this class. NULL: there are none. Free with g_free. */
char *limits_print(const GPtrArray *limits, enum limit_class class);

bool limits_have(const GPtrArray *limits, enum limit limit);

/* Whether the search did not come to its end. */
bool limits_leave_plans(const GPtrArray *limits);

/* One limit as limits_print has it; free with g_free. */
char *limit_print(const struct record_limit *limit);

#endif
