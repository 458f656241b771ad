#define _GNU_SOURCE
#include "helper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scheduler/host/child_reaper.h"

#define LOOK_MS 20     /* interval of looking whether it has ended, after its last output */
#define END_SECONDS 10 /* time for its clean-up */

struct helper {
	GPid process; /* 0: it has ended */
	int status;
	int output;
	bool silent; /* its output has ended */
	GString *heard;
	uv_poll_t *poll;
	uv_timer_t *timer; /* wakes session_wait */
	void (*told)(void *user, const char *text);
	void *user;
};

/* Interrupts the helper when this process ends, so that it cleans up. */
static void become_dependent(void *unused)
{
	(void)unused;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (!isatty(STDERR_FILENO))
		dup2(STDOUT_FILENO, STDERR_FILENO);
}

/* Passes on whole lines; at the end, the rest. */
static void tell_lines(struct helper *helper)
{
	const char *last = g_strrstr(helper->heard->str, "\n");
	gsize length = helper->silent ? helper->heard->len
	               : last         ? (gsize)(last + 1 - helper->heard->str)
	                              : 0;
	g_autofree char *text = g_strndup(helper->heard->str, length);

	g_string_erase(helper->heard, 0, (gssize)length);
	if (*text)
		helper->told(helper->user, text);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
	struct helper *helper = poll->data;
	char bytes[4096];
	ssize_t count = read(helper->output, bytes, sizeof(bytes));

	(void)status;
	(void)events;
	if (count > 0)
		g_string_append_len(helper->heard, bytes, count);
	else if (count == 0 || (errno != EAGAIN && errno != EINTR))
		helper->silent = true;
	if (helper->silent)
		uv_poll_stop(poll);
	tell_lines(helper);
}

static void on_time(uv_timer_t *timer)
{
	(void)timer;
}

static void listen_to(struct helper *helper, uv_loop_t *loop)
{
	fcntl(helper->output, F_SETFD, FD_CLOEXEC);
	helper->poll = g_new0(uv_poll_t, 1);
	uv_poll_init(loop, helper->poll, helper->output);
	helper->poll->data = helper;
	uv_poll_start(helper->poll, UV_READABLE, on_readable);
	helper->timer = g_new0(uv_timer_t, 1);
	uv_timer_init(loop, helper->timer);
	uv_timer_start(helper->timer, on_time, LOOK_MS, LOOK_MS);
}

struct helper *helper_new(uv_loop_t *loop, char *const *words, char **environment,
                          void (*told)(void *user, const char *text), void *user, GError **error)
{
	struct helper *helper = g_new0(struct helper, 1);
	g_autoptr(GPtrArray) all = g_ptr_array_new();

	*helper = (struct helper){.status = -1, .told = told, .user = user};
	g_ptr_array_add(all, (char *)"/proc/self/exe");
	g_ptr_array_add(all, (char *)"matchpoint");
	for (char *const *word = words; *word; word++)
		g_ptr_array_add(all, *word);
	g_ptr_array_add(all, NULL);
	if (!g_spawn_async_with_pipes(NULL, (char **)all->pdata, environment,
	                              G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_FILE_AND_ARGV_ZERO,
	                              become_dependent, NULL, &helper->process, NULL,
	                              &helper->output, NULL, error)) {
		g_free(helper);
		return NULL;
	}
	child_reaper_spare(helper->process, true);
	helper->heard = g_string_new(NULL);
	listen_to(helper, loop);
	return helper;
}

static void reap(struct helper *helper, int flags)
{
	int status = 0;
	pid_t done = helper->process > 0 ? waitpid(helper->process, &status, flags) : 0;

	if (helper->process == 0 || done == 0 || (done < 0 && errno == EINTR))
		return;
	child_reaper_spare(helper->process, false);
	helper->process = 0;
	helper->status = done > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool helper_has_ended(void *data)
{
	struct helper *helper = data;

	reap(helper, WNOHANG);
	return helper->silent && helper->process == 0;
}

int helper_status(const struct helper *helper)
{
	return helper->status;
}

void helper_interrupt(struct helper *helper)
{
	if (helper->process > 0)
		kill(helper->process, SIGINT);
}

static void end(struct helper *helper)
{
	kill(helper->process, SIGTERM);
	for (int i = 0; i < END_SECONDS * 1000 / LOOK_MS && helper->process > 0; i++) {
		g_usleep(LOOK_MS * 1000);
		reap(helper, WNOHANG);
	}
	if (helper->process > 0)
		kill(helper->process, SIGKILL);
	while (helper->process > 0)
		reap(helper, 0);
}

void helper_free(struct helper *helper)
{
	if (!helper)
		return;
	if (helper->process > 0)
		end(helper);
	uv_close((uv_handle_t *)helper->poll, (uv_close_cb)(void (*)(void))g_free);
	uv_close((uv_handle_t *)helper->timer, (uv_close_cb)(void (*)(void))g_free);
	close(helper->output);
	g_string_free(helper->heard, true);
	g_free(helper);
}
