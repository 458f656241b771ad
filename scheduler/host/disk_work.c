#include "disk_work.h"

#include <string.h>

/* Bytes read and written, with and without the page cache (/proc/PID/io). */
static guint64 read_bytes(pid_t process)
{
	static const char *const labels[] = {"rchar: ", "wchar: ", "read_bytes: ", "write_bytes: "};
	g_autofree char *path = g_strdup_printf("/proc/%d/io", (int)process);
	g_autofree char *text = NULL;
	guint64 sum = 0;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return 0;
	for (guint i = 0; i < G_N_ELEMENTS(labels); i++) {
		const char *at = strstr(text, labels[i]);

		if (at)
			sum += g_ascii_strtoull(at + strlen(labels[i]), NULL, 10);
	}
	return sum;
}

/* State D: an uninterruptible sleep. The state follows the name in parentheses, which may contain
 * any character. */
static bool waits_for_device(const char *tasks, const char *thread)
{
	g_autofree char *path = g_build_filename(tasks, thread, "stat", NULL);
	g_autofree char *text = NULL;
	const char *name_end;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return false;
	name_end = strrchr(text, ')');
	return name_end && g_str_has_prefix(name_end, ") D");
}

static bool some_thread_waits(pid_t process)
{
	g_autofree char *tasks = g_strdup_printf("/proc/%d/task", (int)process);
	GDir *directory = g_dir_open(tasks, 0, NULL);
	const char *thread;
	bool waits = false;

	while (directory && !waits && (thread = g_dir_read_name(directory)))
		waits = waits_for_device(tasks, thread);
	if (directory)
		g_dir_close(directory);
	return waits;
}

bool disk_work_look(pid_t process, guint64 *bytes)
{
	guint64 before = *bytes;

	*bytes = read_bytes(process);
	return *bytes != before || some_thread_waits(process);
}
