/* The target's state, for the files of this module: target.c answers packets, target_motion.c
 * moves. */
#ifndef MATCHPOINT_SCHEDULER_BACKWARDS_TARGET_INTERNAL_H
#define MATCHPOINT_SCHEDULER_BACKWARDS_TARGET_INTERNAL_H

#include "keepers.h"
#include "moment.h"
#include "presenter.h"
#include "target.h"
#include "trace.h"

struct target {
	const struct replayer *replayer;
	struct keepers *keepers;
	struct presenter *presenter;
	struct traced *process; /* stands at `here`, unless it is elsewhere */
	struct moment *here;
	struct trace *trace;
	bool is_elsewhere; /* the process stands somewhere near; the trace has `here` */
	GArray *read_only; /* of that process; NULL: not asked for yet */
	bool is_presented; /* gdbserver has the process */
	/* gdb has changed the process: it is no longer what the recording makes of it. Going back
	 * begins at `here`, from before the change. */
	bool is_diverted;
	/* The user has interrupted the process somewhere behind `here`, and where was not looked
	 * for yet. */
	bool is_astray;
	bool stepped_back;     /* the last motion was one instruction back */
	GArray *points;        /* gdb's, of struct point */
	GHashTable *constants; /* char * packet -> GString *: answers that never change */
	struct moment *wish;   /* where the next motion leads, whatever it is (monitor goto) */
	bool is_silent;        /* that motion is a stepi of gdb's, which may take it for a step */
	GString *news;         /* for target_take_news */
};

/* Whether the process is ours to move; takes it back from gdbserver. */
bool target_take_back(struct target *target, GError **error);
/* The process, at `here`. NULL with `error` set. */
struct traced *target_process(struct target *target, GError **error);

/* Reads memory at `here`; *ret_count is how much of it, from its beginning. False with `error` set:
 * the target is lost. */
bool target_read(struct target *target, guint64 address, void *bytes, gsize size, gsize *ret_count,
                 GError **error);

/* Carry out vCont, bs and bc, and append the stop reply. False with `error` set: the target is
 * lost. */
bool target_go_on(struct target *target, const char *action, GString *answer, GError **error);
bool target_go_back(struct target *target, bool one_instruction, GString *answer, GError **error);

/* Appends the reply "stopped by this signal", with the registers that gdb wants each time, and the
 * reason ("replaylog:end;", may be empty). */
void target_append_stop(const struct target *target, int signal, const char *reason,
                        GString *answer);

#endif
