#include "identify.h"

#include <stdio.h>
#include <string.h>

#include "mover.h"

#define CHUNK 65536
#define NEAR 1024 /* bytes of the stack that are compared first, as they differ most often */
#define SECONDS_TO_SEARCH 15
#define RED_ZONE 128 /* bytes below the stack pointer that a function may use (System V ABI) */

static bool same_registers(struct traced *left, struct traced *right)
{
	struct user_regs_struct a, b;

	traced_get_registers(left, &a);
	traced_get_registers(right, &b);
	a.orig_rax = b.orig_rax = 0; /* says how it was stopped */
	a.eflags &= ~0x10100ull;     /* RF and TF belong to the tracer */
	b.eflags &= ~0x10100ull;
	return memcmp(&a, &b, sizeof a) == 0;
}

static bool same_range(struct traced *left, struct traced *right, guint64 start, guint64 end)
{
	g_autofree char *a = g_malloc(CHUNK), *b = g_malloc(CHUNK);

	for (guint64 at = start; at < end;) {
		gsize size = MIN(CHUNK, end - at), read = traced_read(left, at, a, size);

		if (read != traced_read(right, at, b, size) || memcmp(a, b, read) != 0)
			return false;
		at += size;
	}
	return true;
}

/* Private memory that can be written, without what the agent changes, and without what lies below
 * the stack. */
static bool same_memory(struct traced *left, struct traced *right)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/maps", (int)traced_pid(left));
	const struct agent_marks_report *agent = traced_addresses(left);
	struct user_regs_struct registers;
	unsigned long start, end;
	char line[512], access[5];
	FILE *maps;
	bool is_same;

	traced_get_registers(left, &registers);
	is_same = same_range(left, right, registers.rsp - RED_ZONE, registers.rsp + NEAR);
	maps = is_same ? fopen(path, "re") : NULL;
	if (!maps)
		return false;
	while (is_same && fgets(line, sizeof line, maps)) {
		if (sscanf(line, "%lx-%lx %4s", &start, &end, access) != 3 || access[1] != 'w'
		    || access[3] != 'p' || strstr(line, "[v"))
			continue;
		if (start <= registers.rsp && registers.rsp < end)
			start = MAX(start, registers.rsp - RED_ZONE);
		is_same = same_range(left, right, start, MIN(end, MAX(start, agent->memory)))
		          && same_range(left, right,
		                        MAX(start, MIN(end, agent->memory + agent->memory_size)),
		                        end);
	}
	fclose(maps);
	return is_same;
}

/* The number of the arrival at the pc; false: none is equal, or the search takes too long. */
static bool find_arrival(struct traced *process, struct traced *other, guint64 pc,
                         guint64 *ret_number)
{
	g_autoptr(GArray) points = g_array_new(false, false, sizeof(struct point));
	struct point point = {POINT_SOFTWARE, pc, 1};
	const gint64 end = g_get_monotonic_time() + SECONDS_TO_SEARCH * G_USEC_PER_SEC;
	struct stop stop;

	g_array_append_val(points, point);
	for (*ret_number = 0;; ++*ret_number) {
		stop = traced_run(other, points);
		if (stop.kind != STOP_POINT)
			return false;
		if (same_registers(process, other) && same_memory(process, other))
			return true;
		if (g_get_monotonic_time() > end)
			return false;
	}
}

struct moment *identify(struct keepers *keepers, struct traced *process,
                        const struct moment *earlier)
{
	guint64 mark = traced_marks(process);
	g_autoptr(Moment) from = mark == earlier->mark ? moment_copy(earlier) : moment_new(mark);
	struct leg leg = {.kind = LEG_ARRIVAL};
	struct user_regs_struct registers;
	struct traced *other = mover_go(keepers, from, NULL);
	bool is_found;

	if (!other)
		return NULL;
	traced_get_registers(process, &registers);
	leg.pc = registers.rip;
	if (same_registers(process, other) && same_memory(process, other)) {
		keepers_end(keepers, other);
		return g_steal_pointer(&from);
	}
	traced_stop_before(other, mark + 1);
	is_found = find_arrival(process, other, leg.pc, &leg.count);
	keepers_end(keepers, other);
	if (!is_found)
		return NULL;
	moment_add(from, &leg);
	return g_steal_pointer(&from);
}
