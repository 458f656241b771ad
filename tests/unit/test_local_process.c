/* room: host. What the local host answers about processes to debuggers. */
#include "scheduler/host/local.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static int set_up(void **state)
{
	*state = local_new();
	return 0;
}

static int tear_down(void **state)
{
	local_free(*state);
	return 0;
}

struct answer {
	int count;
	enum host_tracing tracing;
};

static void on_tracing(void *user, enum host_tracing tracing)
{
	struct answer *answer = user;

	answer->count++;
	answer->tracing = tracing;
}

static enum host_tracing tracing_of(struct host *host, pid_t process)
{
	struct answer answer = {0};

	host->operations->tracing_of(host, process, on_tracing, &answer);
	assert_int_equal(answer.count, 1); /* this host answers at once */
	return answer.tracing;
}

/* A child that waits for signals, and lets this process trace it if `traced`. */
static pid_t start_child(bool traced)
{
	pid_t child = fork();

	assert_true(child >= 0);
	if (child > 0)
		return child;
	if (traced && ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
		_exit(1);
	if (traced)
		raise(SIGSTOP);
	for (;;)
		pause();
}

static void end_child(pid_t child)
{
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

static void a_tracer_is_seen(void **state)
{
	struct host *host = *state;
	pid_t child = start_child(false);
	int status;

	assert_int_equal(tracing_of(host, child), HOST_NOT_TRACED);
	end_child(child);
	assert_int_equal(tracing_of(host, child), HOST_NOT_TRACED);

	child = start_child(true);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSTOPPED(status));
	assert_int_equal(tracing_of(host, child), HOST_TRACED_STOPPED);
	assert_true(host->operations->is_debugged(host, child));
	assert_int_equal(ptrace(PTRACE_CONT, child, NULL, NULL), 0);
	assert_int_equal(tracing_of(host, child), HOST_TRACED);
	assert_false(host->operations->is_debugged(host, child));
	end_child(child);
}

static void a_process_gets_a_signal(void **state)
{
	struct host *host = *state;
	pid_t child = start_child(false);
	int status;

	host->operations->signal(host, child, SIGURG); /* it has no action for it */
	host->operations->signal(host, child, SIGTERM);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
}

static void gdb_learns_of_the_program(void **state)
{
	struct host *host = *state;
	struct host_debuggee debuggee = {0};
	g_autofree char *attach = g_strdup_printf("attach %d", (int)getpid());

	host->operations->debuggee_of(host, getpid(), host_take_debuggee, &debuggee);
	assert_true(g_str_has_suffix(debuggee.program, "/test_local_process"));
	assert_non_null(strstr(debuggee.mappings, debuggee.program));
	assert_string_equal(debuggee.attach, attach);
	host_debuggee_clear(&debuggee);
}

static void nothing_is_known_of_a_process_that_is_gone(void **state)
{
	struct host *host = *state;
	struct host_debuggee debuggee = {0};
	pid_t child = start_child(false);

	end_child(child);
	host->operations->debuggee_of(host, child, host_take_debuggee, &debuggee);
	assert_non_null(debuggee.attach); /* gdb prints why it fails */
	assert_null(debuggee.program);
	assert_null(debuggee.mappings);
	host_debuggee_clear(&debuggee);
	assert_null(host->operations->stack_of(host, child, child));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_tracer_is_seen),
		TEST(a_process_gets_a_signal),
		TEST(gdb_learns_of_the_program),
		TEST(nothing_is_known_of_a_process_that_is_gone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
