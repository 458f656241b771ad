/* A process that is traced with ptrace: registers, memory, points, running and stepping. All calls
 * come from one thread, the tracer's. While a function here runs the process, only the process's
 * main thread is traced.
 *
 * Points are in the process only while it runs: in between, its code is that of the program.
 * Watchpoints, and points of POINT_HARDWARE, are in the debug registers; the others are int3. */
#ifndef MATCHPOINT_SCHEDULER_BACKWARDS_TRACED_H
#define MATCHPOINT_SCHEDULER_BACKWARDS_TRACED_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>
#include <sys/user.h>

#include "ckpt/agent_marks.h"
#include "moment.h"

enum stop_kind {
	STOP_POINT,       /* arrived at a point, or a watchpoint triggered */
	STOP_STEP,        /* the step is done, without any such thing */
	STOP_MARK,        /* about to pass the agent's stop_mark, or the program is over */
	STOP_FAULT,       /* about to get a signal that ends it */
	STOP_INTERRUPTED, /* the user has interrupted; the process is wherever it was */
	STOP_GONE,        /* the process has ended */
};

struct stop {
	enum stop_kind kind;
	guint64 pc;
	bool arrived;     /* at a software or hardware point */
	guint64 watched;  /* address of the watchpoint that triggered; 0: none */
	bool has_changed; /* a value that is watched for writes, or another kind of watchpoint */
	int signal;       /* of STOP_FAULT */
};

/* Asks whether the user has interrupted. */
struct interrupt {
	int fd; /* readable, if there may be an interruption; -1: none */
	bool (*is_due)(void *user);
	void *user;
};

struct traced;

/* Makes the process traced; it runs on. The report is copied; `interrupt` is
 * kept. Returns NULL with `error` set. */
struct traced *traced_seize(const struct agent_marks_report *report,
                            const struct interrupt *interrupt, GError **error);
/* Kills it. NULL is legal. */
void traced_free(struct traced *traced);

pid_t traced_pid(const struct traced *traced);
const struct agent_marks_report *traced_addresses(const struct traced *traced);

/* Gives the process to another tracer: it stays stopped where it is. And takes it back from there,
 * once nobody traces it. Between the two only memory may be read. */
bool traced_lend(struct traced *traced, GError **error);
bool traced_take_back(struct traced *traced, GError **error);

void traced_get_registers(struct traced *traced, struct user_regs_struct *ret_registers);
void traced_set_registers(struct traced *traced, const struct user_regs_struct *registers);

/* Return the bytes read, from the beginning of the range; and whether all were written. */
gsize traced_read(const struct traced *traced, guint64 address, void *bytes, gsize count);
bool traced_write(struct traced *traced, guint64 address, const void *bytes, gsize count);
guint64 traced_read_word(const struct traced *traced, guint64 address); /* 0: unreadable */

/* The marks that it has passed; and sets the one before which it stops, 0: none. */
guint64 traced_marks(const struct traced *traced);
void traced_stop_before(struct traced *traced, guint64 mark);

/* Whether the watchpoints among the points can be watched: they fit into the debug registers, or,
 * where these do not work, are for writes, and are watched by single steps. */
bool traced_can_watch(const GArray *points);

/* Runs to the next event. A point where it stands is left first, and arrived at anew only if the
 * process comes back. `points`: of struct point. */
struct stop traced_run(struct traced *traced, const GArray *points);
/* One instruction; the passage of a mark counts as one. */
struct stop traced_step(struct traced *traced, const GArray *points);

/* Whether it has only one thread. */
bool traced_is_single(const struct traced *traced);

#define TRACED_ERROR (traced_error_quark())
GQuark traced_error_quark(void);

#endif
