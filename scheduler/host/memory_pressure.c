#include "memory_pressure.h"

#include <string.h>

/* Returns the number after "oom_kill " in a file of such lines; 0: there is none. */
static guint64 count_in(const char *file)
{
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;

	if (!g_file_get_contents(file, &text, NULL, NULL))
		return 0;
	lines = g_strsplit(text, "\n", -1);
	for (char **line = lines; *line; line++)
		if (g_str_has_prefix(*line, "oom_kill "))
			return g_ascii_strtoull(*line + strlen("oom_kill "), NULL, 10);
	return 0;
}

/* In a container, the group's own directory may be the root of the mount. */
static guint64 count_of_group(const char *root, const char *mount, const char *group,
                              const char *name)
{
	g_autofree char *file = g_strdup_printf("%s%s%s/%s", root, mount, group, name);
	g_autofree char *top = g_strdup_printf("%s%s/%s", root, mount, name);

	return g_file_test(file, G_FILE_TEST_EXISTS) ? count_in(file) : count_in(top);
}

/* Counts for a line of /proc/self/cgroup: "4:memory:/path", in version 2 "0::/path". */
static guint64 count_of_line(const char *root, const char *line)
{
	g_auto(GStrv) fields = g_strsplit(line, ":", 3);

	if (g_strv_length(fields) < 3)
		return 0;
	if (g_str_equal(fields[0], "0"))
		return count_of_group(root, "/sys/fs/cgroup", fields[2], "memory.events");
	if (g_str_equal(fields[1], "memory"))
		return count_of_group(root, "/sys/fs/cgroup/memory", fields[2],
		                      "memory.oom_control");
	return 0;
}

struct memory_pressure memory_pressure_of(const char *root)
{
	g_autofree char *list = g_strdup_printf("%s/proc/self/cgroup", root);
	g_autofree char *machine = g_strdup_printf("%s/proc/vmstat", root);
	struct memory_pressure pressure = {0, count_in(machine)};
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;

	if (!g_file_get_contents(list, &text, NULL, NULL))
		return pressure;
	lines = g_strsplit(text, "\n", -1);
	for (char **line = lines; *line; line++)
		pressure.group += count_of_line(root, *line);
	return pressure;
}

struct memory_pressure memory_pressure_now(void)
{
	return memory_pressure_of("");
}

bool memory_pressure_grew(const struct memory_pressure *before, const struct memory_pressure *now)
{
	return now->group > before->group || now->machine > before->machine;
}
