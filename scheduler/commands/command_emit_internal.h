/* Shared by command_emit.c (what is cut), command_emit_trial.c (whether the rest still shows the
 * finding) and command_emit_shape.c (whether in the same shape). */
#ifndef MATCHPOINT_SCHEDULER_COMMANDS_COMMAND_EMIT_INTERNAL_H
#define MATCHPOINT_SCHEDULER_COMMANDS_COMMAND_EMIT_INTERNAL_H

#include <stdbool.h>

#include "command.h"
#include "command_emit.h"
#include "scheduler/reproduce/sketch.h"

#define EMIT_ALWAYS_WRONG                                                            \
	"Unlike the original program, this one has no interleaving that goes well: " \
	"in the original, that depends on what it does between its MPI calls."

struct emit {
	struct sketch *sketch;
	const struct record_finding *finding;
	const char *origin;               /* program that was run */
	guint not_yet, some;              /* as in struct session_options */
	enum collective_mode collectives; /* --collectives of the emitted program's exploration */
	bool had_good;                    /* an interleaving of the original program ends well */
	bool needs_blame; /* a choice must make the difference, as in the original */
	bool other_blame; /* another choice may be to blame */
	bool needs_good;  /* an interleaving of the sketch must end well */
	bool good_leaks;  /* but it may leave something behind */
	char *directory;  /* temporary, for trials */
	char *source, *program, *store;
	gint64 deadline;
	GError *error;      /* error that makes further trials useless */
	GArray *units;      /* guint32: units that are left */
	GHashTable *failed; /* texts that were tried in vain */
	bool large;         /* too many interleavings: only those near the finding's are explored */
	/* results of the last exploration */
	char *comment; /* comment for the program */
	bool goes_well;
	guint64 interleavings, wrong;
};

/* Whether the sketch, as it is now, shows the finding. If so, `comment` describes it. */
bool emit_shows(struct emit *emit);

/* For a finding whose ranks wait: whether the emitted program waits in the same shape. Follows the
 * original program's waits from rank `first` on. The ranks that are left must wait in calls of the
 * same kind for the same ranks, or have ended where the original ones had. */
bool emit_shape_fits(const struct emit *emit, const struct record_finding *found, int32_t first);

guint emit_count_lines(const char *text);

#endif
