/* The processor's debug registers of a traced process (Intel SDM, volume 3, chapter 18.2). */
#ifndef MATCHPOINT_SCHEDULER_BACKWARDS_DEBUG_REGISTERS_H
#define MATCHPOINT_SCHEDULER_BACKWARDS_DEBUG_REGISTERS_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

#include "moment.h"

#define DEBUG_REGISTERS 4

struct debug_registers {
	guint64 address[DEBUG_REGISTERS];
	guint64 control;
};

/* Whether they do anything: on some virtual machines they can be set, but never trigger. Tried out
 * once, with a child. */
bool debug_registers_work(void);

/* From now on they are not used in this process, as if they did not work. */
void debug_registers_do_without(void);

/* Plans for the watchpoints among the points and, if `with_code`, for those of POINT_HARDWARE. A
 * long or unaligned watchpoint takes several. False: they do not all fit; then the plan is for some
 * of them. */
bool debug_registers_plan(const GArray *points, bool with_code, struct debug_registers *ret_plan);

/* Whether a breakpoint at this address is in the plan. */
bool debug_registers_have(const struct debug_registers *plan, guint64 address);

/* Writes what differs from `now`, which becomes `wanted`. The process is stopped. */
void debug_registers_set(pid_t pid, struct debug_registers *now,
                         const struct debug_registers *wanted);

/* The address of the watchpoint that has triggered since the last call; 0: none. */
guint64 debug_registers_triggered(pid_t pid, const struct debug_registers *now);

#endif
