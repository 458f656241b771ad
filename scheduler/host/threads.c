#include "threads.h"

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ARGUMENTS = 6, FILE_BYTES = 4096 };

/* Reads a file of a thread in /proc. The text is empty if it cannot be read. */
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

static bool number_after(const char *text, const char *label, guint64 *sum)
{
	const char *at = strstr(text, label);

	if (at)
		*sum += g_ascii_strtoull(at + strlen(label), NULL, 10);
	return at != NULL;
}

/* Returns false if the thread runs, or is gone. */
static bool read_sleep(pid_t process, pid_t thread, guint64 *ret_switches)
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

/* System calls that wait, and the argument that is a time limit; -1: none is. */
static const struct {
	long number;
	int limit;
	guint64 unlimited; /* the argument's value without a limit */
	enum threads_state state;
} waits[] = {
	{SYS_futex, 3, 0, THREADS_SLEEP},
	{SYS_read, -1, 0, THREADS_LISTEN},
	{SYS_recvfrom, -1, 0, THREADS_LISTEN},
	{SYS_recvmsg, -1, 0, THREADS_LISTEN},
	{SYS_accept, -1, 0, THREADS_LISTEN},
	{SYS_accept4, -1, 0, THREADS_LISTEN},
	{SYS_ppoll, 2, 0, THREADS_LISTEN},
	{SYS_pselect6, 4, 0, THREADS_LISTEN},
	{SYS_epoll_pwait, 3, G_MAXUINT32, THREADS_LISTEN},
	{SYS_rt_sigtimedwait, 2, 0, THREADS_LISTEN},
	{SYS_rt_sigsuspend, -1, 0, THREADS_LISTEN},
#ifdef SYS_poll /* older calls, which newer machines do not have */
	{SYS_poll, 2, G_MAXUINT32, THREADS_LISTEN},
	{SYS_select, 4, 0, THREADS_LISTEN},
	{SYS_epoll_wait, 3, G_MAXUINT32, THREADS_LISTEN},
	{SYS_pause, -1, 0, THREADS_LISTEN},
#endif
};

/* Returns how a sleeping thread sleeps. */
static enum threads_state kind_of_sleep(pid_t process, pid_t thread)
{
	char text[FILE_BYTES];
	g_auto(GStrv) words = NULL;
	long number;

	read_of(process, thread, "syscall", text);
	words = g_strsplit(text, " ", -1);
	if (g_strv_length(words) <= ARGUMENTS || !g_ascii_isdigit(words[0][0]))
		return THREADS_LINGER;
	number = (long)g_ascii_strtoll(words[0], NULL, 10);
	for (guint i = 0; i < G_N_ELEMENTS(waits); i++) {
		guint64 limit = waits[i].limit < 0
		                        ? waits[i].unlimited
		                        : g_ascii_strtoull(words[1 + waits[i].limit], NULL, 16);

		if (waits[i].unlimited == G_MAXUINT32)
			limit &= G_MAXUINT32; /* an int, -1 */
		if (waits[i].number == number)
			return limit == waits[i].unlimited ? waits[i].state : THREADS_LINGER;
	}
	return THREADS_LINGER;
}

static bool is_there(pid_t process, pid_t thread)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/task/%d", (int)process, (int)thread);

	return g_file_test(path, G_FILE_TEST_EXISTS);
}

/* Each thread is read twice. If none was woken between its two reads, all of them slept at the
 * moment between the two rounds. Threads that wait in MPI drive progress now and then; that only
 * prevents the answer THREADS_SLEEP. */
enum threads_state threads_look(pid_t process, struct thread_view *views, guint count)
{
	enum threads_state state = THREADS_SLEEP;
	bool driven = false;

	for (guint i = 0; i < count; i++) {
		struct thread_view *view = &views[i];

		if (view->ended && is_there(process, view->id))
			return THREADS_MOVE;
		if (view->ended)
			continue;
		if (!read_sleep(process, view->id, &view->switches)) {
			if (!view->waits)
				return THREADS_MOVE;
			driven = true;
		} else if (!view->waits) {
			state = MIN(state, kind_of_sleep(process, view->id));
		}
	}
	for (guint i = 0; i < count; i++) {
		guint64 switches;

		if (views[i].ended
		    || (read_sleep(process, views[i].id, &switches)
		        && switches == views[i].switches))
			continue;
		if (!views[i].waits)
			return THREADS_MOVE;
		driven = true;
	}
	return driven && state == THREADS_SLEEP ? THREADS_MOVE : state;
}

GArray *threads_others(pid_t process)
{
	GArray *views = g_array_new(false, true, sizeof(struct thread_view));
	g_autofree char *path = g_strdup_printf("/proc/%d/task", (int)process);
	g_autoptr(GDir) tasks = g_dir_open(path, 0, NULL);
	const char *name;

	while (tasks && (name = g_dir_read_name(tasks))) {
		struct thread_view view = {.id = (pid_t)g_ascii_strtoll(name, NULL, 10)};

		if (view.id != process)
			g_array_append_val(views, view);
	}
	return views;
}
