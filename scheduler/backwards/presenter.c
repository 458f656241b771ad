#define _GNU_SOURCE /* SOCK_CLOEXEC */
#include "presenter.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rsp.h"

#define SECONDS_TO_ANSWER 20

G_DEFINE_QUARK(presenter - error - quark, presenter_error)

struct presenter {
	GPid pid;
	int fd;
	GByteArray *received;
	bool acknowledges;
};

/* In the child: its input and output are the socket, and it does not outlive us. */
static void set_up_child(gpointer user)
{
	int fd = GPOINTER_TO_INT(user);

	dup2(fd, STDIN_FILENO);
	dup2(fd, STDOUT_FILENO);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0); /* Ctrl-C is for gdb */
}

static GString *ask_text(struct presenter *presenter, const char *packet, GError **error)
{
	return presenter_ask(presenter, packet, strlen(packet), error);
}

/* Whether the answer is there, and is, or begins with, what is expected. */
static bool agree(struct presenter *presenter, const char *packet, const char *expected,
                  GError **error)
{
	GString *answer = ask_text(presenter, packet, error);
	bool is_good = answer && g_str_has_prefix(answer->str, expected);

	if (answer && !is_good)
		g_set_error(error, PRESENTER_ERROR, 0, "gdbserver answers %s to %s", answer->str,
		            packet);
	if (answer)
		g_string_free(answer, true);
	return is_good;
}

struct presenter *presenter_new(GError **error)
{
	static const char *const argv[] = {"gdbserver", "--multi", "--once", "stdio", NULL};
	struct presenter *presenter;
	GPid pid;
	int pair[2];
	bool is_started;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
		g_set_error(error, PRESENTER_ERROR, 0, "socketpair: %s", g_strerror(errno));
		return NULL;
	}
	is_started = g_spawn_async(NULL, (char **)argv, NULL,
	                           G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD
	                                   | G_SPAWN_STDERR_TO_DEV_NULL
	                                   | G_SPAWN_CHILD_INHERITS_STDIN,
	                           set_up_child, GINT_TO_POINTER(pair[1]), &pid, error);
	close(pair[1]);
	if (!is_started) {
		g_prefix_error(error, "going back needs gdbserver (Debian: gdbserver): ");
		close(pair[0]);
		return NULL;
	}
	presenter = g_new0(struct presenter, 1);
	presenter->pid = pid;
	presenter->fd = pair[0];
	presenter->received = g_byte_array_new();
	presenter->acknowledges = true;
	if (!agree(presenter, "qSupported:swbreak+;hwbreak+;xmlRegisters=i386", "", error)
	    || !agree(presenter, "QStartNoAckMode", "OK", error)) {
		presenter_free(presenter);
		return NULL;
	}
	presenter->acknowledges = false;
	if (!agree(presenter, "!", "OK", error)) {
		presenter_free(presenter);
		return NULL;
	}
	return presenter;
}

void presenter_free(struct presenter *presenter)
{
	if (!presenter)
		return;
	close(presenter->fd);
	kill(presenter->pid, SIGKILL);
	waitpid(presenter->pid, NULL, 0);
	g_byte_array_unref(presenter->received);
	g_free(presenter);
}

bool presenter_attach(struct presenter *presenter, struct traced *traced, GError **error)
{
	g_autofree char *packet = g_strdup_printf("vAttach;%x", (guint)traced_pid(traced));

	return traced_lend(traced, error) && agree(presenter, packet, "T", error)
	       && agree(presenter, "Hg0", "OK", error);
}

bool presenter_detach(struct presenter *presenter, struct traced *traced, GError **error)
{
	/* It stops again before it does anything. */
	kill(traced_pid(traced), SIGSTOP);
	return agree(presenter, "D", "OK", error) && traced_take_back(traced, error);
}

static bool receive(struct presenter *presenter)
{
	struct pollfd ready = {.fd = presenter->fd, .events = POLLIN};
	guint8 bytes[4096];
	ssize_t count;

	while (poll(&ready, 1, SECONDS_TO_ANSWER * 1000) < 0 && errno == EINTR)
		;
	count = recv(presenter->fd, bytes, sizeof bytes, MSG_DONTWAIT);
	if (count <= 0)
		return false;
	g_byte_array_append(presenter->received, bytes, (guint)count);
	return true;
}

GString *presenter_ask(struct presenter *presenter, const char *packet, gsize length,
                       GError **error)
{
	g_autoptr(GString) out = g_string_new(NULL);
	GString *answer = g_string_new(NULL);
	enum rsp_item item;

	rsp_frame(out, packet, length);
	if (send(presenter->fd, out->str, out->len, MSG_NOSIGNAL) != (ssize_t)out->len) {
		g_set_error_literal(error, PRESENTER_ERROR, 0, "gdbserver has ended");
		g_string_free(answer, true);
		return NULL;
	}
	while ((item = rsp_take(presenter->received, answer)) == RSP_MORE) {
		if (!receive(presenter))
			break;
	}
	if (item != RSP_PACKET) {
		g_set_error(error, PRESENTER_ERROR, 0, "gdbserver does not answer %.20s", packet);
		g_string_free(answer, true);
		return NULL;
	}
	if (presenter->acknowledges && send(presenter->fd, "+", 1, MSG_NOSIGNAL) != 1)
		presenter->acknowledges = false;
	return answer;
}
