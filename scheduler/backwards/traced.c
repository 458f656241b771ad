#define _GNU_SOURCE /* ppoll */
#include "traced.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "debug_registers.h"

#define STEPS_BETWEEN_ASKING 256

G_DEFINE_QUARK(traced - error - quark, traced_error)

struct traced {
	pid_t pid;
	int memory; /* /proc/PID/mem */
	struct agent_marks_report addresses;
	const struct interrupt *interrupt;
	struct debug_registers registers; /* as they are in the process */
	GArray *int3s;                    /* of struct int3: inserted now */
	guint steps;
	bool is_gone;
	bool is_lent;
	bool are_others_stopped; /* by the SIGSTOP of traced_lend: threads that nobody traces */
	bool is_continued;       /* a SIGCONT of ours is under way */
	bool is_running;         /* since it was seized: its first stop has not come yet */
	/* The general registers, if they have been read since it last ran. */
	bool knows_general;
	struct user_regs_struct general;
	int pending; /* a signal that the program is to get with its next instruction */
};

struct int3 {
	guint64 address;
	guint8 byte; /* what was there */
};

static bool fail(GError **error, const char *what)
{
	g_set_error(error, TRACED_ERROR, 0, "%s: %s", what, g_strerror(errno));
	return false;
}

static bool seize(pid_t pid)
{
	unsigned long options = PTRACE_O_EXITKILL | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK
	                        | PTRACE_O_TRACEVFORKDONE;

	return ptrace(PTRACE_SEIZE, pid, NULL, (void *)options) == 0;
}

struct traced *traced_seize(const struct agent_marks_report *report,
                            const struct interrupt *interrupt, GError **error)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/mem", (int)report->pid);
	struct traced *traced = g_new0(struct traced, 1);

	traced->pid = (pid_t)report->pid;
	traced->addresses = *report;
	traced->interrupt = interrupt;
	traced->is_running = true;
	traced->int3s = g_array_new(false, false, sizeof(struct int3));
	traced->memory = open(path, O_RDWR | O_CLOEXEC);
	if (traced->memory < 0 || !seize(traced->pid)) {
		fail(error, "cannot trace the process");
		traced->is_gone = true; /* it ends with its keeper */
		traced_free(traced);
		return NULL;
	}
	return traced;
}

void traced_free(struct traced *traced)
{
	int status;

	if (!traced)
		return;
	if (!traced->is_gone) {
		kill(traced->pid, SIGKILL);
		if (!traced->is_lent) {
			while (waitpid(traced->pid, &status, __WALL) == traced->pid
			       && WIFSTOPPED(status))
				;
		}
	}
	if (traced->memory >= 0)
		close(traced->memory);
	g_array_free(traced->int3s, true);
	g_free(traced);
}

pid_t traced_pid(const struct traced *traced)
{
	return traced->pid;
}

const struct agent_marks_report *traced_addresses(const struct traced *traced)
{
	return &traced->addresses;
}

/* A SIGSTOP waits for the process when it leaves the one tracer, so that it does nothing before it
 * has the other. resume_and_wait discards what is left of these signals. */
bool traced_lend(struct traced *traced, GError **error)
{
	struct debug_registers none = {0};

	debug_registers_set(traced->pid, &traced->registers, &none);
	kill(traced->pid, SIGSTOP);
	if (ptrace(PTRACE_DETACH, traced->pid, NULL, NULL) != 0)
		return fail(error, "cannot lend the process");
	traced->is_lent = traced->are_others_stopped = true;
	return true;
}

bool traced_take_back(struct traced *traced, GError **error)
{
	int status;

	if (!seize(traced->pid))
		return fail(error, "cannot take the process back");
	traced->is_lent = false;
	traced->knows_general = false;
	memset(&traced->registers, 0, sizeof traced->registers);
	ptrace(PTRACE_INTERRUPT, traced->pid, NULL, NULL);
	if (waitpid(traced->pid, &status, __WALL) != traced->pid || !WIFSTOPPED(status))
		return fail(error, "the process has ended");
	return true;
}

void traced_get_registers(struct traced *traced, struct user_regs_struct *ret_registers)
{
	if (!traced->knows_general) {
		memset(&traced->general, 0, sizeof traced->general);
		traced->knows_general = ptrace(PTRACE_GETREGS, traced->pid, NULL, &traced->general)
		                        == 0;
	}
	*ret_registers = traced->general;
}

void traced_set_registers(struct traced *traced, const struct user_regs_struct *registers)
{
	traced->knows_general = false;
	ptrace(PTRACE_SETREGS, traced->pid, NULL, registers);
}

gsize traced_read(const struct traced *traced, guint64 address, void *bytes, gsize count)
{
	gsize done = 0;

	while (done < count) {
		ssize_t part = pread(traced->memory, (char *)bytes + done, count - done,
		                     (off_t)(address + done));

		if (part <= 0)
			break;
		done += (gsize)part;
	}
	return done;
}

bool traced_write(struct traced *traced, guint64 address, const void *bytes, gsize count)
{
	return pwrite(traced->memory, bytes, count, (off_t)address) == (ssize_t)count;
}

guint64 traced_read_word(const struct traced *traced, guint64 address)
{
	guint64 word = 0;

	traced_read(traced, address, &word, sizeof word);
	return word;
}

guint64 traced_marks(const struct traced *traced)
{
	return traced_read_word(traced, traced->addresses.marks);
}

void traced_stop_before(struct traced *traced, guint64 mark)
{
	traced_write(traced, traced->addresses.stop_mark, &mark, sizeof mark);
}

bool traced_can_watch(const GArray *points)
{
	struct debug_registers registers;

	for (guint i = 0; i < points->len && !debug_registers_work(); i++) {
		const struct point *point = &g_array_index(points, struct point, i);

		if (point_is_watch(point) && point->kind != POINT_WRITE)
			return false;
	}
	return debug_registers_plan(points, false, &registers);
}

bool traced_is_single(const struct traced *traced)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/task", (int)traced->pid);
	DIR *directory = opendir(path);
	int count = 0;

	while (directory && readdir(directory))
		count++;
	if (directory)
		closedir(directory);
	return count == 3; /* with . and .. */
}

/* --- int3 ------------------------------------------------------------------------------------- */

static void insert_int3(struct traced *traced, guint64 address)
{
	static const guint8 code = 0xcc;
	struct int3 int3 = {.address = address};

	for (guint i = 0; i < traced->int3s->len; i++) {
		if (g_array_index(traced->int3s, struct int3, i).address == address)
			return;
	}
	if (traced_read(traced, address, &int3.byte, 1) == 1
	    && traced_write(traced, address, &code, 1))
		g_array_append_val(traced->int3s, int3);
}

static void remove_int3s(struct traced *traced)
{
	for (guint i = 0; i < traced->int3s->len; i++) {
		struct int3 *int3 = &g_array_index(traced->int3s, struct int3, i);

		traced_write(traced, int3->address, &int3->byte, 1);
	}
	g_array_set_size(traced->int3s, 0);
}

static bool has_int3(const struct traced *traced, guint64 address)
{
	for (guint i = 0; i < traced->int3s->len; i++) {
		if (g_array_index(traced->int3s, struct int3, i).address == address)
			return true;
	}
	return false;
}

static bool is_in_agent(const struct traced *traced, guint64 address)
{
	return address > traced->addresses.entry && address < traced->addresses.resume;
}

/* --- waiting ---------------------------------------------------------------------------------- */

/* What the program gets without anybody noticing: a debugger that has gone back would see it at
 * another time. All that is not here ends the program, or means that it is broken. */
static bool is_passed_on(int signal)
{
	switch (signal) {
	case SIGSEGV:
	case SIGBUS:
	case SIGFPE:
	case SIGILL:
	case SIGABRT:
	case SIGSYS: return false;
	default: return true;
	}
}

/* A child that the program has forked runs on by itself, without our points. */
static void let_child_go(struct traced *traced)
{
	unsigned long child = 0;
	char path[32];
	int status, memory;

	ptrace(PTRACE_GETEVENTMSG, traced->pid, NULL, &child);
	if (waitpid((pid_t)child, &status, __WALL) != (pid_t)child)
		return;
	g_snprintf(path, sizeof path, "/proc/%d/mem", (int)child);
	memory = open(path, O_RDWR | O_CLOEXEC);
	for (guint i = 0; memory >= 0 && i < traced->int3s->len; i++) {
		struct int3 *int3 = &g_array_index(traced->int3s, struct int3, i);

		if (pwrite(memory, &int3->byte, 1, (off_t)int3->address) != 1)
			break;
	}
	if (memory >= 0)
		close(memory);
	ptrace(PTRACE_DETACH, (pid_t)child, NULL, NULL);
}

static void no_action(int signal)
{
	(void)signal;
}

/* Waits until the process changes its state, or `may_ask` and the user interrupts; then false. A
 * change sends SIGCHLD, which is blocked but in ppoll. */
static bool wait_or_ask(struct traced *traced, int *ret_status, bool may_ask)
{
	static const struct sigaction action = {.sa_handler = no_action};
	struct pollfd ready = {.fd = traced->interrupt->fd, .events = POLLIN};
	sigset_t child, before;
	struct sigaction old;
	bool is_changed = true;
	pid_t waited;

	if (!may_ask)
		return waitpid(traced->pid, ret_status, __WALL) == traced->pid;
	waited = waitpid(traced->pid, ret_status, __WALL | WNOHANG);
	if (waited != 0)
		return waited == traced->pid;
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &before);
	sigdelset(&before, SIGCHLD);
	sigaction(SIGCHLD, &action, &old);
	while ((waited = waitpid(traced->pid, ret_status, __WALL | WNOHANG)) == 0) {
		if (ppoll(&ready, 1, NULL, &before) > 0
		    && traced->interrupt->is_due(traced->interrupt->user)) {
			is_changed = false;
			break;
		}
	}
	sigaction(SIGCHLD, &old, NULL);
	sigprocmask(SIG_UNBLOCK, &child, NULL);
	return is_changed && waited == traced->pid;
}

/* Threads that nobody traces stay stopped until a SIGCONT comes, also those that are created
 * later. */
static void resume_others(struct traced *traced)
{
	if (!traced->are_others_stopped)
		return;
	traced->are_others_stopped = false;
	traced->is_continued = true;
	kill(traced->pid, SIGCONT);
}

/* Resumes with the request, and waits for a stop of interest. Returns its signal; 0: interrupted;
 * -1: the process is gone. */
static int resume_and_wait(struct traced *traced, enum __ptrace_request request, bool may_ask)
{
	int status, signal = traced->pending;
	bool is_interrupted = false;

	traced->pending = 0;
	traced->knows_general = false;
	resume_others(traced);
	for (;;) {
		if (!traced->is_running
		    && ptrace(request, traced->pid, NULL, (void *)(long)signal) != 0)
			return -1;
		traced->is_running = false;
		signal = 0;
		if (!wait_or_ask(traced, &status, may_ask && !is_interrupted)) {
			if (traced->interrupt->fd < 0
			    || ptrace(PTRACE_INTERRUPT, traced->pid, NULL, NULL) != 0)
				return -1;
			is_interrupted = true;
			if (waitpid(traced->pid, &status, __WALL) != traced->pid)
				return -1;
		}
		if (!WIFSTOPPED(status)) {
			traced->is_gone = true;
			return -1;
		}
		switch (status >> 16) {
		case 0: break;
		case PTRACE_EVENT_STOP:
			if (is_interrupted)
				return 0;
			continue;
		case PTRACE_EVENT_FORK:
		case PTRACE_EVENT_VFORK: let_child_go(traced); continue;
		default: continue;
		}
		signal = WSTOPSIG(status);
		if (signal == SIGTRAP || !is_passed_on(signal))
			return signal;
		if (signal == SIGSTOP) {
			signal = 0; /* of traced_lend */
		} else if (signal == SIGCONT && traced->is_continued) {
			traced->is_continued = false;
			signal = 0;
		}
		if (is_interrupted) {
			traced->pending = signal;
			return 0;
		}
	}
}

/* --- running ---------------------------------------------------------------------------------- */

static bool is_point(const GArray *points, guint64 pc)
{
	for (guint i = 0; i < points->len; i++) {
		const struct point *point = &g_array_index(points, struct point, i);

		if (!point_is_watch(point) && point->address == pc)
			return true;
	}
	return false;
}

#define WATCHED_BYTES 32

/* The values of what is watched, one after the other. */
static void read_watched(const struct traced *traced, const GArray *points, guint8 *ret_bytes)
{
	gsize used = 0;

	memset(ret_bytes, 0, WATCHED_BYTES);
	for (guint i = 0; i < points->len; i++) {
		const struct point *point = &g_array_index(points, struct point, i);

		if (point_is_watch(point) && used + point->size <= WATCHED_BYTES) {
			traced_read(traced, point->address, ret_bytes + used, point->size);
			used += point->size;
		}
	}
}

static bool watches(const GArray *points)
{
	for (guint i = 0; i < points->len; i++) {
		if (point_is_watch(&g_array_index(points, struct point, i)))
			return true;
	}
	return false;
}

/* Whether one of the watchpoints that take part in `triggered` is no watch for changes. */
static bool is_for_access(const GArray *points, guint64 address)
{
	for (guint i = 0; i < points->len; i++) {
		const struct point *point = &g_array_index(points, struct point, i);

		if (point_is_watch(point) && point->kind != POINT_WRITE && address >= point->address
		    && address < point->address + point->size)
			return true;
	}
	return false;
}

/* Puts in what is not in the way of a step from here: watchpoints; to run, the rest, too. */
static void insert(struct traced *traced, const GArray *points, bool to_run)
{
	struct debug_registers wanted = {0};

	if (debug_registers_work()) {
		debug_registers_plan(points, to_run, &wanted);
		debug_registers_set(traced->pid, &traced->registers, &wanted);
	}
	for (guint i = 0; i < points->len && to_run; i++) {
		const struct point *point = &g_array_index(points, struct point, i);

		if (point->kind == POINT_SOFTWARE && !is_in_agent(traced, point->address))
			insert_int3(traced, point->address);
	}
}

/* Where the debug registers do not work: the address of a watchpoint whose value has changed. */
static guint64 compare_watched(const GArray *points, const guint8 *before, const guint8 *after)
{
	gsize used = 0;

	for (guint i = 0; i < points->len; i++) {
		const struct point *point = &g_array_index(points, struct point, i);

		if (!point_is_watch(point) || used + point->size > WATCHED_BYTES)
			continue;
		if (memcmp(before + used, after + used, point->size) != 0)
			return point->address;
		used += point->size;
	}
	return 0;
}

/* Finds out whether a watchpoint has triggered. */
static void look_at_watched(const struct traced *traced, const GArray *points, const guint8 *before,
                            struct stop *stop)
{
	guint8 after[WATCHED_BYTES];

	if (!watches(points))
		return;
	if (debug_registers_work())
		stop->watched = debug_registers_triggered(traced->pid, &traced->registers);
	if (debug_registers_work() && !stop->watched)
		return;
	read_watched(traced, points, after);
	if (!debug_registers_work())
		stop->watched = compare_watched(points, before, after);
	stop->has_changed = memcmp(before, after, sizeof after) != 0
	                    || is_for_access(points, stop->watched);
}

/* What the stop by this signal means; the process is left as if no int3 of ours had been met. */
static struct stop explain(struct traced *traced, int signal, const GArray *points,
                           const guint8 *before)
{
	struct stop stop = {.kind = STOP_STEP, .signal = signal};
	struct user_regs_struct registers;
	siginfo_t info = {0};

	if (signal < 0) {
		stop.kind = STOP_GONE;
		return stop;
	}
	traced_get_registers(traced, &registers);
	stop.pc = registers.rip;
	if (signal == 0)
		stop.kind = STOP_INTERRUPTED;
	else if (signal != SIGTRAP)
		stop.kind = STOP_FAULT;
	if (stop.kind != STOP_STEP)
		return stop;
	ptrace(PTRACE_GETSIGINFO, traced->pid, NULL, &info);
	if (info.si_code == SI_KERNEL) {
		if (has_int3(traced, stop.pc - 1)) {
			stop.pc = registers.rip = stop.pc - 1;
			traced_set_registers(traced, &registers);
		} else if (stop.pc == traced->addresses.trap) {
			stop.kind = STOP_MARK;
			return stop;
		} else if (stop.pc != traced->addresses.born
		           && stop.pc != traced->addresses.injected) {
			stop.kind = STOP_FAULT; /* the program's own */
			return stop;
		}
	}
	look_at_watched(traced, points, before, &stop);
	stop.arrived = is_point(points, stop.pc);
	if (stop.arrived || stop.watched)
		stop.kind = STOP_POINT;
	return stop;
}

/* Asked between steps: a step that is interrupted may be done or not. */
static bool has_interrupted(const struct traced *traced)
{
	struct pollfd ready = {.fd = traced->interrupt->fd, .events = POLLIN};

	return poll(&ready, 1, 0) > 0 && traced->interrupt->is_due(traced->interrupt->user);
}

static struct stop resume(struct traced *traced, const GArray *points,
                          enum __ptrace_request request)
{
	guint8 before[WATCHED_BYTES] = {0};
	struct stop stop;
	int signal;

	if (request == PTRACE_SINGLESTEP && ++traced->steps % STEPS_BETWEEN_ASKING == 0
	    && has_interrupted(traced))
		return (struct stop){.kind = STOP_INTERRUPTED};
	if (watches(points))
		read_watched(traced, points, before);
	insert(traced, points, request == PTRACE_CONT);
	signal = resume_and_wait(traced, request, request == PTRACE_CONT);
	stop = explain(traced, signal, points, before);
	if (stop.kind != STOP_GONE)
		remove_int3s(traced);
	return stop;
}

struct stop traced_step(struct traced *traced, const GArray *points)
{
	struct user_regs_struct registers;
	struct point after = {.kind = POINT_SOFTWARE, .address = traced->addresses.resume};
	g_autoptr(GArray) only = NULL;
	struct stop stop;

	traced_get_registers(traced, &registers);
	if (registers.rip == traced->addresses.entry) {
		only = g_array_new(false, false, sizeof(struct point));
		g_array_append_val(only, after);
		stop = resume(traced, only, PTRACE_CONT);
		if (stop.kind == STOP_POINT) {
			stop.arrived = is_point(points, stop.pc);
			stop.kind = stop.arrived ? STOP_POINT : STOP_STEP;
		}
		return stop;
	}
	stop = resume(traced, points, PTRACE_SINGLESTEP);
	if (stop.pc == registers.rip && stop.arrived) {
		/* One round of an instruction that repeats itself is no arrival. */
		stop.arrived = false;
		stop.kind = stop.watched ? STOP_POINT : STOP_STEP;
	}
	return stop;
}

/* Steps past an instruction, however often it repeats itself, unless something happens. */
static struct stop step_past(struct traced *traced, const GArray *points, guint64 pc)
{
	struct stop stop;

	do
		stop = traced_step(traced, points);
	while (stop.kind == STOP_STEP && stop.pc == pc);
	return stop;
}

struct stop traced_run(struct traced *traced, const GArray *points)
{
	bool by_steps = watches(points) && !debug_registers_work();
	struct user_regs_struct registers;
	struct stop stop;

	traced_get_registers(traced, &registers);
	if (by_steps) {
		do
			stop = traced_step(traced, points);
		while (stop.kind == STOP_STEP);
		return stop;
	}
	if (is_point(points, registers.rip)) {
		stop = step_past(traced, points, registers.rip);
		if (stop.kind != STOP_STEP)
			return stop;
	}
	return resume(traced, points, PTRACE_CONT);
}
