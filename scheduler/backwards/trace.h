/* Single steps of a traced process, one after the other, with what gdb asks for at each: registers,
 * the stack near its top, and what is watched. Going back along them needs no process that stands
 * there. */
#ifndef MATCHPOINT_SCHEDULER_BACKWARDS_TRACE_H
#define MATCHPOINT_SCHEDULER_BACKWARDS_TRACE_H

#include <glib.h>
#include <stdbool.h>
#include <sys/user.h>

#include "moment.h"
#include "traced.h"

struct trace;

struct trace *trace_new(void);
void trace_free(struct trace *trace); /* NULL is legal */

/* Memory that the watchpoints among these points watch is noted, too, from now on. If it was other
 * memory so far, everything is forgotten. */
void trace_watch(struct trace *trace, const GArray *points);
/* Forgets what was noted; what is noted next are steps from this moment, which is copied. */
void trace_begin(struct trace *trace, const struct moment *start);
/* Notes where the process stands: after no step, after one, ... The oldest are forgotten. */
void trace_note(struct trace *trace, struct traced *traced);

/* What was noted at a moment; NULL: nothing. Valid until the next trace_begin or trace_note. */
struct trace_entry;
const struct trace_entry *trace_find(const struct trace *trace, const struct moment *moment);
const struct user_regs_struct *trace_registers(const struct trace_entry *entry);
/* Whether this memory was noted, as a whole; then copies it. */
bool trace_read(const struct trace *trace, const struct trace_entry *entry, guint64 address,
                void *bytes, gsize count);

#endif
