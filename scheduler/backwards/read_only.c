#include "read_only.h"

#include <string.h>

struct range {
	guint64 start, end;
};

/* Ranges that touch become one. */
static void add(GArray *ranges, guint64 start, guint64 end)
{
	struct range range = {start, end};
	struct range *last = ranges->len > 0 ? &g_array_index(ranges, struct range, ranges->len - 1)
	                                     : NULL;

	if (last && last->end == start)
		last->end = end;
	else
		g_array_append_val(ranges, range);
}

GArray *read_only_parse(const char *maps)
{
	GArray *ranges = g_array_new(false, false, sizeof(struct range));

	while (*maps) {
		char *at;
		const guint64 start = g_ascii_strtoull(maps, &at, 16);
		const guint64 end = *at == '-' ? g_ascii_strtoull(at + 1, &at, 16) : 0;

		if (g_str_has_prefix(at, " r-") && end > start)
			add(ranges, start, end);
		maps += strcspn(maps, "\n");
		maps += *maps == '\n';
	}
	return ranges;
}

GArray *read_only_of(pid_t pid)
{
	g_autofree char *file = g_strdup_printf("/proc/%d/maps", (int)pid), *text = NULL;

	return read_only_parse(g_file_get_contents(file, &text, NULL, NULL) ? text : "");
}

bool read_only_has(const GArray *ranges, guint64 address, gsize count)
{
	for (guint i = 0; i < ranges->len; i++) {
		const struct range *one = &g_array_index(ranges, struct range, i);

		if (address >= one->start && address < one->end)
			return count <= one->end - address;
	}
	return false;
}
