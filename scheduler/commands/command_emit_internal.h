/* What command_emit.c (what is cut), command_emit_trial.c (whether it still shows) and
 * command_emit_shape.c (in the same shape) share. */
#ifndef MATCHPOINT_SCHEDULER_COMMANDS_COMMAND_EMIT_INTERNAL_H
#define MATCHPOINT_SCHEDULER_COMMANDS_COMMAND_EMIT_INTERNAL_H

#include <stdbool.h>

#include "command.h"
#include "command_emit.h"
#include "scheduler/reproduce/sketch.h"

#define EMIT_ALWAYS_WRONG                                                                     \
	"Other than the program it was cut down from it has no interleaving that goes well: " \
	"that takes what the program does between its MPI calls."

struct emit {
	struct sketch *sketch;
	const struct record_finding *finding;
	const char *origin;               /* the program that was run */
	guint not_yet, some;              /* as in struct session_options */
	enum collective_mode collectives; /* --collectives of the emitted program's exploration */
	bool had_good;                    /* an interleaving of the program ends well */
	bool needs_blame;                 /* a choice must make the difference, as it did */
	bool other_blame;                 /* but it may be another choice */
	bool needs_good;                  /* an interleaving of it must end well */
	bool good_leaks;                  /* though it may leave something behind */
	char *directory;                  /* for what is tried */
	char *source, *program, *store;
	gint64 deadline;
	GError *error;      /* what makes trying useless */
	GArray *units;      /* guint32: those that are left */
	GHashTable *failed; /* texts that need not be tried again */
	bool large; /* too many interleavings: only those like the finding's own are explored */
	/* of what was explored last */
	char *comment; /* that it deserves */
	bool goes_well;
	guint64 interleavings, wrong;
};

/* Whether the sketch, as it is now, shows what is looked for; `comment` is then what it deserves.
 */
bool emit_shows(struct emit *emit);

/* For a finding whose ranks wait: whether from rank `first` of the program on, and along those whom
 * they wait for, the ranks that are left wait in calls of the same kind for the same ranks, and
 * have ended where they had. */
bool emit_shape_fits(const struct emit *emit, const struct record_finding *found, int32_t first);

guint emit_count_lines(const char *text);

#endif
