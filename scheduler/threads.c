#include "threads.h"

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FUTEX_TIMEOUT_ARGUMENT = 3, FILE_BYTES = 4096 };

/* Empty: it cannot be read. */
static void read_of(pid_t process, pid_t thread, const char *name, char text[FILE_BYTES])
{
	g_autofree char *path = g_strdup_printf("/proc/%d/task/%d/%s", (int)process, (int)thread,
	                                        name);
	int descriptor = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t count = descriptor >= 0 ? read(descriptor, text, FILE_BYTES - 1) : 0;

	text[MAX(count, 0)] = '\0';
	if (descriptor >= 0)
		close(descriptor);
}

static gboolean number_after(const char *text, const char *label, guint64 *sum)
{
	const char *at = strstr(text, label);

	if (at)
		*sum += g_ascii_strtoull(at + strlen(label), NULL, 10);
	return at != NULL;
}

/* FALSE: it is not there (any more), or runs. */
static gboolean read_sleep(pid_t process, pid_t thread, guint64 *ret_switches)
{
	char status[FILE_BYTES];
	const char *state;

	read_of(process, thread, "status", status);
	state = strstr(status, "\nState:\t");
	*ret_switches = 0;
	return state && state[strlen("\nState:\t")] == 'S'
	       && number_after(status, "\nvoluntary_ctxt_switches:", ret_switches)
	       && number_after(status, "\nnonvoluntary_ctxt_switches:", ret_switches);
}

/* A futex without a time limit: nobody but another thread wakes it. */
static gboolean waits_for_thread(pid_t process, pid_t thread)
{
	char text[FILE_BYTES];
	g_auto(GStrv) words = NULL;

	read_of(process, thread, "syscall", text);
	words = g_strsplit(text, " ", -1);
	if (g_strv_length(words) < FUTEX_TIMEOUT_ARGUMENT + 2
	    || g_ascii_strtoull(words[0], NULL, 10) != SYS_futex)
		return FALSE;
	return g_ascii_strtoull(words[FUTEX_TIMEOUT_ARGUMENT + 1], NULL, 16) == 0;
}

static gboolean is_there(pid_t process, pid_t thread)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/task/%d", (int)process, (int)thread);

	return g_file_test(path, G_FILE_TEST_EXISTS);
}

/* If none has been woken between the first and the second look at it, then all of them slept at the
 * moment between the two rounds. */
enum threads_state threads_look(pid_t process, struct thread_view *views, guint count)
{
	enum threads_state state = THREADS_SLEEP;

	for (guint i = 0; i < count; i++) {
		struct thread_view *view = &views[i];

		if (view->ended) {
			if (is_there(process, view->id))
				return THREADS_MOVE;
			continue;
		}
		if (!read_sleep(process, view->id, &view->switches))
			return THREADS_MOVE;
		if (!view->waits && !waits_for_thread(process, view->id))
			state = THREADS_LINGER;
	}
	for (guint i = 0; i < count; i++) {
		guint64 switches;

		if (!views[i].ended
		    && (!read_sleep(process, views[i].id, &switches)
		        || switches != views[i].switches))
			return THREADS_MOVE;
	}
	return state;
}
