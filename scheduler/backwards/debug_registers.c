#include "debug_registers.h"

#include <signal.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the control register: two bits that enable each, then four bits of kind and length. */
#define ENABLE(index) (G_GUINT64_CONSTANT(1) << (2 * (index)))
#define SHIFT(index) (16 + 4 * (index))
#define KIND_CODE 0
#define KIND_WRITE 1
#define KIND_ACCESS 3

static bool is_used(const struct debug_registers *plan, int index)
{
	return plan->control & ENABLE(index);
}

static bool add(struct debug_registers *plan, guint64 address, guint64 kind, guint64 size)
{
	guint64 length = size == 8 ? 2 : size - 1;

	for (int i = 0; i < DEBUG_REGISTERS; i++) {
		if (is_used(plan, i))
			continue;
		plan->address[i] = address;
		plan->control |= ENABLE(i) | (kind | length << 2) << SHIFT(i);
		return true;
	}
	return false;
}

/* In pieces that are aligned to their size. */
static bool add_watch(struct debug_registers *plan, const struct point *point)
{
	guint64 address = point->address, left = point->size;
	guint64 kind = point->kind == POINT_WRITE ? KIND_WRITE : KIND_ACCESS;

	while (left > 0) {
		guint64 size = 8;

		while (address % size != 0 || size > left)
			size /= 2;
		if (!add(plan, address, kind, size))
			return false;
		address += size;
		left -= size;
	}
	return true;
}

bool debug_registers_plan(const GArray *points, bool with_code, struct debug_registers *ret_plan)
{
	bool do_fit = true;

	*ret_plan = (struct debug_registers){0};
	for (guint i = 0; i < points->len; i++) {
		const struct point *point = &g_array_index(points, struct point, i);

		if (point_is_watch(point) && !add_watch(ret_plan, point))
			do_fit = false;
	}
	for (guint i = 0; i < points->len && with_code; i++) {
		const struct point *point = &g_array_index(points, struct point, i);

		if (point->kind == POINT_HARDWARE && !debug_registers_have(ret_plan, point->address)
		    && !add(ret_plan, point->address, KIND_CODE, 1))
			do_fit = false;
	}
	return do_fit;
}

bool debug_registers_have(const struct debug_registers *plan, guint64 address)
{
	for (int i = 0; i < DEBUG_REGISTERS; i++) {
		if (is_used(plan, i) && plan->address[i] == address
		    && (plan->control >> SHIFT(i) & 3) == KIND_CODE)
			return true;
	}
	return false;
}

static void poke(pid_t pid, int index, guint64 value)
{
	ptrace(PTRACE_POKEUSER, pid, (void *)offsetof(struct user, u_debugreg[index]),
	       (void *)value);
}

void debug_registers_set(pid_t pid, struct debug_registers *now,
                         const struct debug_registers *wanted)
{
	bool is_other = now->control != wanted->control;

	for (int i = 0; i < DEBUG_REGISTERS; i++) {
		if (now->address[i] != wanted->address[i])
			is_other = true;
	}
	if (!is_other)
		return;
	/* An address is checked against the kind that is set, so nothing is set meanwhile. */
	poke(pid, 7, 0);
	for (int i = 0; i < DEBUG_REGISTERS; i++) {
		if (is_used(wanted, i))
			poke(pid, i, wanted->address[i]);
	}
	poke(pid, 7, wanted->control);
	*now = *wanted;
}

guint64 debug_registers_triggered(pid_t pid, const struct debug_registers *now)
{
	long status;

	if (now->control == 0)
		return 0;
	status = ptrace(PTRACE_PEEKUSER, pid, (void *)offsetof(struct user, u_debugreg[6]), NULL);
	if (!(status & 15))
		return 0;
	poke(pid, 6, 0);
	for (int i = 0; i < DEBUG_REGISTERS; i++) {
		if (status >> i & 1 && is_used(now, i)
		    && (now->control >> SHIFT(i) & 3) != KIND_CODE)
			return now->address[i];
	}
	return 0;
}

static volatile guint64 probed;

/* A child that is watched, and writes. */
static bool probe(void)
{
	struct debug_registers now = {0}, wanted = {0};
	struct point point = {POINT_WRITE, (guint64)&probed, sizeof probed};
	bool does_work = false;
	int status;
	pid_t child = fork();

	if (child == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0)
			raise(SIGSTOP);
		probed = 1;
		_exit(0);
	}
	if (child < 0)
		return false;
	if (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
		add_watch(&wanted, &point);
		debug_registers_set(child, &now, &wanted);
		does_work = ptrace(PTRACE_CONT, child, NULL, NULL) == 0
		            && waitpid(child, &status, 0) == child && WIFSTOPPED(status)
		            && WSTOPSIG(status) == SIGTRAP
		            && debug_registers_triggered(child, &now) == point.address;
	}
	if (!WIFEXITED(status) && !WIFSIGNALED(status)) {
		kill(child, SIGKILL);
		waitpid(child, &status, 0);
	}
	return does_work;
}

static enum { UNKNOWN, NO, YES } answer;

bool debug_registers_work(void)
{
	if (answer == UNKNOWN)
		answer = probe() ? YES : NO;
	return answer == YES;
}

void debug_registers_do_without(void)
{
	answer = NO;
}
