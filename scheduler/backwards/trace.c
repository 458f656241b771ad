#include "trace.h"

#include <string.h>

enum {
	ENTRIES = 2048,
	BELOW = 128, /* bytes that a function may use below its stack pointer (x86-64 ABI, 3.2.2) */
	STACK = 4096,
	WATCHES = 4,
	WATCHED = 32, /* bytes that a watchpoint can have */
};

struct trace_entry {
	struct user_regs_struct registers;
	guint64 from; /* address */
	gsize count;  /* bytes */
	guint8 bytes[STACK];
	guint8 watched[WATCHES][WATCHED];
};

struct trace {
	struct point watches[WATCHES]; /* unused ones have size 0 */
	struct moment *start;
	guint64 noted;               /* steps from there, and one */
	struct trace_entry *entries; /* of step i at i % ENTRIES */
};

struct trace *trace_new(void)
{
	return g_new0(struct trace, 1);
}

void trace_free(struct trace *trace)
{
	if (!trace)
		return;
	moment_free(trace->start);
	g_free(trace->entries);
	g_free(trace);
}

void trace_watch(struct trace *trace, const GArray *points)
{
	struct point watches[WATCHES] = {{0}};
	guint count = 0;

	for (guint i = 0; i < points->len && count < WATCHES; i++) {
		const struct point *point = &g_array_index(points, struct point, i);

		if (point_is_watch(point) && point->size <= WATCHED) {
			watches[count].address = point->address;
			watches[count++].size = point->size;
		}
	}
	if (memcmp(watches, trace->watches, sizeof watches) == 0)
		return;
	memcpy(trace->watches, watches, sizeof watches);
	trace->noted = 0;
}

void trace_begin(struct trace *trace, const struct moment *start)
{
	struct moment *copy = moment_copy(start);

	moment_free(trace->start);
	trace->start = copy;
	trace->noted = 0;
	if (!trace->entries)
		trace->entries = g_new(struct trace_entry, ENTRIES);
}

void trace_note(struct trace *trace, struct traced *traced)
{
	struct trace_entry *entry = &trace->entries[trace->noted++ % ENTRIES];

	traced_get_registers(traced, &entry->registers);
	entry->from = entry->registers.rsp - BELOW;
	entry->count = traced_read(traced, entry->from, entry->bytes, STACK);
	for (guint i = 0; i < WATCHES && trace->watches[i].size > 0; i++)
		traced_read(traced, trace->watches[i].address, entry->watched[i],
		            trace->watches[i].size);
}

const struct trace_entry *trace_find(const struct trace *trace, const struct moment *moment)
{
	g_autoptr(Moment) rest = trace->start ? moment_rest(trace->start, moment) : NULL;
	guint64 steps;

	if (!rest || rest->leg_count > 1
	    || (rest->leg_count == 1 && rest->legs[0].kind != LEG_STEPS))
		return NULL;
	steps = rest->leg_count == 1 ? rest->legs[0].count : 0;
	if (steps >= trace->noted || steps + ENTRIES < trace->noted)
		return NULL;
	return &trace->entries[steps % ENTRIES];
}

const struct user_regs_struct *trace_registers(const struct trace_entry *entry)
{
	return &entry->registers;
}

/* Copies what lies in a noted range. */
static bool read_range(const guint8 *noted, guint64 from, gsize size, guint64 address, void *bytes,
                       gsize count)
{
	const guint64 before = address - from;

	if (address < from || before > size || count > size - before)
		return false;
	memcpy(bytes, noted + before, count);
	return true;
}

bool trace_read(const struct trace *trace, const struct trace_entry *entry, guint64 address,
                void *bytes, gsize count)
{
	if (read_range(entry->bytes, entry->from, entry->count, address, bytes, count))
		return true;
	for (guint i = 0; i < WATCHES && trace->watches[i].size > 0; i++)
		if (read_range(entry->watched[i], trace->watches[i].address, trace->watches[i].size,
		               address, bytes, count))
			return true;
	return false;
}
