/* Moving the target forwards and backwards. */
#include <signal.h>
#include <string.h>

#include "identify.h"
#include "mover.h"
#include "rsp.h"
#include "search_back.h"
#include "target_internal.h"

#define GDB_SIGNAL_INT 2
#define GDB_SIGNAL_TRAP 5
#define BEGIN "replaylog:begin;"
#define END "replaylog:end;"

/* gdb has numbers of its own (include/gdb/signals.def); most are Linux's. */
static int gdb_signal(int signal)
{
	switch (signal) {
	case SIGBUS: return 10;
	case SIGSYS: return 12;
	default: return signal;
	}
}

/* gdb's numbers of these registers are their places here. */
static void read_general(const struct target *target, guint64 ret_values[17])
{
	struct user_regs_struct r;

	if (target->is_elsewhere)
		r = *trace_registers(trace_find(target->trace, target->here));
	else
		traced_get_registers(target->process, &r);
	memcpy(ret_values,
	       (guint64[]){r.rax, r.rbx, r.rcx, r.rdx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8, r.r9,
	                   r.r10, r.r11, r.r12, r.r13, r.r14, r.r15, r.rip},
	       17 * sizeof ret_values[0]);
}

void target_append_stop(const struct target *target, int signal, const char *reason,
                        GString *answer)
{
	guint64 values[17];

	g_string_append_printf(answer, "T%02x%s", signal, reason);
	if (!target->is_presented) {
		read_general(target, values);
		for (guint i = 0; i < G_N_ELEMENTS(values); i++) {
			g_string_append_printf(answer, "%02x:", i);
			rsp_append_hex(answer, &values[i], sizeof values[i]);
			g_string_append_c(answer, ';');
		}
	}
	g_string_append(answer, "thread:1;");
}

bool target_take_back(struct target *target, GError **error)
{
	if (!target->is_presented)
		return true;
	target->is_presented = false;
	return presenter_detach(target->presenter, target->process, error);
}

/* Replaces the process by one that stands at the moment, which is copied. The old one stays if that
 * is not possible. */
static bool arrive(struct target *target, const struct moment *moment, GError **error)
{
	struct traced *process = mover_go(target->keepers, moment, error);
	struct moment *copy;

	if (!process)
		return false;
	copy = moment_copy(moment);
	keepers_end(target->keepers, target->process);
	moment_free(target->here);
	target->process = process;
	target->here = copy;
	target->is_elsewhere = false;
	target->is_diverted = target->is_astray = false;
	return true;
}

/* The same without the process, if the trace has that moment. */
static bool arrive_by_trace(struct target *target, const struct moment *moment)
{
	struct moment *copy;

	if (!trace_find(target->trace, moment) || target->is_diverted)
		return false;
	copy = moment_copy(moment);
	moment_free(target->here);
	target->here = copy;
	if (!target->is_elsewhere)
		g_clear_pointer(&target->read_only, g_array_unref);
	target->is_elsewhere = true;
	return true;
}

static bool is_interruption(const GError *error)
{
	return g_error_matches(error, MOVER_ERROR, MOVER_INTERRUPTED)
	       || g_error_matches(error, KEEPERS_ERROR, KEEPERS_INTERRUPTED);
}

/* The same where there is no way back to before: Ctrl-C, which is told once, changes nothing. */
static bool arrive_anyway(struct target *target, const struct moment *moment, GError **error)
{
	g_autoptr(GError) failed = NULL;

	if (arrive(target, moment, &failed))
		return true;
	if (is_interruption(failed))
		return arrive(target, moment, error);
	g_propagate_error(error, g_steal_pointer(&failed));
	return false;
}

struct traced *target_process(struct target *target, GError **error)
{
	g_autoptr(Moment) here = target->is_elsewhere ? moment_copy(target->here) : NULL;

	return !here || arrive_anyway(target, here, error) ? target->process : NULL;
}

/* A motion that failed has left the process where it was. gdb is told that it stopped, and the user
 * why, behind `what`. */
static void append_failure(struct target *target, const char *what, const GError *error,
                           GString *answer)
{
	if (!is_interruption(error))
		g_string_append_printf(target->news, "%s: %s\n", what, error->message);
	target_append_stop(target, is_interruption(error) ? GDB_SIGNAL_INT : 0, "", answer);
}

static bool follow_wish(struct target *target, GString *answer)
{
	g_autoptr(Moment) wish = g_steal_pointer(&target->wish);
	g_autoptr(GError) failed = NULL;
	g_autofree char *what = NULL;

	if (!wish)
		return false;
	if (arrive(target, wish, &failed)) {
		/* A signal, so that gdb does not take it for the end of a step of its own. */
		target_append_stop(target, target->is_silent ? GDB_SIGNAL_TRAP : GDB_SIGNAL_INT, "",
		                   answer);
		return true;
	}
	what = g_strdup_printf("MPI call %" G_GUINT64_FORMAT " cannot be gone to", wish->mark + 1);
	append_failure(target, what, failed, answer);
	return true;
}

/* --- forwards --------------------------------------------------------------------------------- */

/* Before the last mark: the last moment that can be shown. */
static bool arrive_at_end(struct target *target, guint64 marks, GError **error)
{
	struct leg entry = {.kind = LEG_ARRIVAL, .pc = keepers_entry(target->keepers)};
	g_autoptr(Moment) end = moment_new(marks);

	moment_add(end, &entry);
	return arrive_anyway(target, end, error);
}

/* What the replayer says at the end of the program. */
static void take_told(struct target *target)
{
	const struct replayer *replayer = target->replayer;
	g_autofree char *told = replayer->told ? replayer->told(replayer->user) : NULL;

	if (told)
		g_string_append(target->news, told);
}

static bool append_stop_of(struct target *target, const struct stop *stop, GString *answer,
                           GError **error)
{
	g_autofree char *watched = NULL;

	switch (stop->kind) {
	case STOP_POINT:
		if (stop->watched)
			watched = g_strdup_printf("watch:%" G_GINT64_MODIFIER "x;", stop->watched);
		target_append_stop(target, GDB_SIGNAL_TRAP,
		                   watched         ? watched
		                   : stop->arrived ? "swbreak:;"
		                                   : "",
		                   answer);
		return true;
	case STOP_STEP: target_append_stop(target, GDB_SIGNAL_TRAP, "", answer); return true;
	case STOP_FAULT:
		target_append_stop(target, gdb_signal(stop->signal), "", answer);
		return true;
	case STOP_INTERRUPTED:
		/* In a hot loop it takes long to find out where: not before it is needed. */
		target->is_astray = true;
		target_append_stop(target, GDB_SIGNAL_INT, "", answer);
		return true;
	case STOP_MARK:
		take_told(target);
		if (!arrive_at_end(target, traced_marks(target->process), error))
			return false;
		target_append_stop(target, GDB_SIGNAL_TRAP, END, answer);
		return true;
	case STOP_GONE:
		if (!arrive_anyway(target, target->here, error))
			return false;
		target_append_stop(target, GDB_SIGNAL_TRAP, END, answer);
		return true;
	}
	return true;
}

bool target_go_on(struct target *target, const char *action, GString *answer, GError **error)
{
	bool steps = strchr("sSr", action[0]) != NULL;
	guint64 start = 0, end = 0;
	const char *rest = action + 1;
	struct moment *moment;
	struct stop stop;

	if (!target_take_back(target, error))
		return false;
	if (follow_wish(target, answer))
		return true;
	if (strchr("CS", action[0]) && rsp_read_hex(&rest, &start)
	    && strchr("\4\6\10\12\13\14", (int)start) && start) {
		/* It would end of this signal: nothing more can be shown. */
		target_append_stop(target, GDB_SIGNAL_TRAP, END, answer);
		return true;
	}
	start = 0;
	if (action[0] == 'r' && rsp_read_hex(&rest, &start) && *rest++ == ',')
		rsp_read_hex(&rest, &end);
	target->stepped_back = false;
	if (!target_process(target, error))
		return false;
	moment = moment_copy(target->here);
	stop = mover_forward(target->process, &moment, target->points, steps, start, end);
	/* What is counted from a mark on is right again. */
	if (moment->mark != target->here->mark && stop.kind != STOP_INTERRUPTED)
		target->is_astray = false;
	if (!target->is_diverted && !target->is_astray && stop.kind != STOP_GONE) {
		moment_free(target->here);
		target->here = g_steal_pointer(&moment);
	}
	moment_free(moment);
	return append_stop_of(target, &stop, answer, error);
}

/* --- backwards -------------------------------------------------------------------------------- */

/* The user has interrupted the process somewhere: finds out where. If that takes too long, the
 * process goes back to where this is known. False with `error` set: it stays. */
static bool find_here(struct target *target, GError **error)
{
	const guint64 mark = traced_marks(target->process);
	struct moment *found;

	if (!target->is_astray || target->is_diverted)
		return true;
	found = identify(target->keepers, target->process, target->here);
	target->is_astray = found == NULL;
	if (!found && mark == target->here->mark)
		found = moment_copy(target->here);
	else if (!found)
		found = moment_new(mark);
	moment_free(target->here);
	target->here = found;
	if (!target->is_astray)
		return true;
	g_string_append(target->news, "It takes too long to find out how often the rank had passed "
	                              "the place of the interruption.\n"
	                              "Going back begins at the last place before it that is "
	                              "known.\n");
	return arrive_anyway(target, found, error);
}

/* What is watched for writes, one after the other; free with g_byte_array_unref. NULL with `error`
 * set. */
static GByteArray *read_watched(struct target *target, GError **error)
{
	GByteArray *all = g_byte_array_new();

	for (guint i = 0; i < target->points->len; i++) {
		const struct point *point = &g_array_index(target->points, struct point, i);
		const guint done = all->len;
		gsize count;

		if (point->kind != POINT_WRITE)
			continue;
		g_byte_array_set_size(all, done + (guint)point->size);
		memset(all->data + done, 0, point->size);
		if (!target_read(target, point->address, all->data + done, point->size, &count,
		                 error)) {
			g_byte_array_unref(all);
			return NULL;
		}
	}
	return all;
}

/* The address of the first watchpoint whose memory is not the same in both; 0: none. */
static guint64 changed_between(const struct target *target, const GByteArray *before,
                               const GByteArray *after)
{
	guint done = 0;

	for (guint i = 0; i < target->points->len; i++) {
		const struct point *point = &g_array_index(target->points, struct point, i);

		if (point->kind != POINT_WRITE)
			continue;
		if (memcmp(before->data + done, after->data + done, point->size) != 0)
			return point->address;
		done += (guint)point->size;
	}
	return 0;
}

/* One instruction back; a watchpoint triggers if that instruction has changed what it watches. */
static bool step_back(struct target *target, GString *answer, GError **error)
{
	g_autoptr(Moment) before = NULL;
	g_autoptr(GByteArray) after = read_watched(target, error), values = NULL;
	g_autofree char *reason = NULL;
	guint64 changed;

	if (!after)
		return false;
	trace_watch(target->trace, target->points);
	if (!search_back_step(target->keepers, target->here,
	                      target->stepped_back ? target->trace : NULL, &before, error))
		return false;
	target->stepped_back = true;
	if (!before) {
		target_append_stop(target, GDB_SIGNAL_TRAP, BEGIN, answer);
		return true;
	}
	if (!arrive_by_trace(target, before) && !arrive(target, before, error))
		return false;
	values = read_watched(target, error);
	if (!values)
		return false;
	changed = changed_between(target, values, after);
	if (changed)
		reason = g_strdup_printf("watch:%" G_GINT64_MODIFIER "x;", changed);
	target_append_stop(target, GDB_SIGNAL_TRAP, reason ? reason : "", answer);
	return true;
}

static bool continue_back(struct target *target, GString *answer, GError **error)
{
	struct event event = {0};
	g_autoptr(Moment) start = moment_new(0);
	g_autofree char *reason = NULL;
	bool is_done;

	target->stepped_back = false;
	if (!search_back_event(target->keepers, target->here, target->points, &event, error))
		return false;
	is_done = arrive(target, event.moment ? event.moment : start, error);
	if (event.watched)
		reason = g_strdup_printf("watch:%" G_GINT64_MODIFIER "x;", event.watched);
	if (is_done)
		target_append_stop(target, GDB_SIGNAL_TRAP,
		                   reason         ? reason
		                   : event.moment ? "swbreak:;"
		                                  : BEGIN,
		                   answer);
	event_clear(&event);
	return is_done;
}

bool target_go_back(struct target *target, bool one_instruction, GString *answer, GError **error)
{
	g_autoptr(GError) failed = NULL;

	if (!target_take_back(target, error))
		return false;
	if (follow_wish(target, answer))
		return true;
	if (!find_here(target, error))
		return false;
	if (!(one_instruction ? step_back(target, answer, &failed)
	                      : continue_back(target, answer, &failed))) {
		/* What the trace had of this place may be gone. */
		if (!target_process(target, error))
			return false;
		append_failure(target, "cannot go back", failed, answer);
	}
	return true;
}
