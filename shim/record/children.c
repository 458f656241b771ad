#define _GNU_SOURCE
#include "children.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "call.h"
#include "devices.h"
#include "memory.h"
#include "outside.h"
#include "replay.h"
#include "shim/mpi/next.h"

#define SITE __builtin_return_address(0)

void children_compare(const struct outside_call *call, const char *command)
{
	const size_t size = command ? strlen(command) : 0;
	const uint64_t hash = recording_hash(command, size);

	if (log_number(hash) != hash)
		replay_tell(REPLAY_REMARK,
		            "%s does not run \"%s\" at replay; it ran another command then",
		            inputs_name((uint64_t)call->function), command ? command : "");
}

/* --- fork ------------------------------------------------------------------------------------- */

/* Functions that the program has around a fork. There is no fork at replay, but they are called: at
 * both sides of it, the parent does what it did. */
static struct around {
	void (*prepare)(void), (*parent)(void);
} arounds[64];
static int around_count;

/* Not declared in any header. pthread_atfork, which is linked into each program and library, calls
 * it. */
EXPORTED int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
                               void *library);
EXPORTED int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
                               void *library)
{
	const int at = prepare || parent ? __atomic_fetch_add(&around_count, 1, __ATOMIC_RELAXED)
	                                 : -1;

	children_start();
	if (at >= 0 && at < (int)(sizeof(arounds) / sizeof(*arounds)))
		arounds[at] = (struct around){prepare, parent};
	return NEXT(__register_atfork)(prepare, parent, child, library);
}

/* A library may have been unloaded, and its functions with it. */
static void call_program(void (*function)(void))
{
	Dl_info found;
	void *address;

	memcpy(&address, &function, sizeof(address));
	if (function && !memory_is_mpis(address) && dladdr(address, &found) != 0)
		function();
}

static void call_arounds(void)
{
	const int room = sizeof(arounds) / sizeof(*arounds);
	const int count = around_count < room ? around_count : room;

	for (int i = count; i-- > 0;)
		call_program(arounds[i].prepare);
	for (int i = 0; i < count; i++)
		call_program(arounds[i].parent);
}

/* A forked process has the log's memory in common with the rank. At replay there is none, unless
 * the C library has made it by itself, as in daemon(3). */
static void leave_log(void)
{
	if (log_replaying)
		for (;;)
			syscall(SYS_exit_group, 127);
	if (!record_is_on)
		return;
	record_is_on = false;
	record_inside = 0;
	log_on = false;
	devices_forget_all();
}

/* Before any other function of this kind, which the program has: it is called first. */
void children_start(void)
{
	static bool has_started;

	if (__atomic_exchange_n(&has_started, true, __ATOMIC_RELAXED))
		return;
	NEXT(__register_atfork)(NULL, NULL, leave_log, NULL);
}

static pid_t fork_from(const void *site, pid_t (*real)(void), bool is_whole)
{
	struct outside_call call;
	pid_t pid = 0;

	if (log_replaying && is_whole && outside_is_programs(site))
		call_arounds();
	if (outside_begin(&call, INPUTS_FORK, site)) {
		pid = real();
		if (pid == 0) {
			if (!is_whole)
				leave_log();
			return 0;
		}
	}
	return (pid_t)outside_result(&call, pid, EAGAIN);
}

EXPORTED pid_t fork(void)
{
	return fork_from(SITE, NEXT(fork), true);
}

/* A function that returns cannot call vfork. POSIX allows it to be the same as fork. */
EXPORTED pid_t vfork(void)
{
	return fork_from(SITE, NEXT(fork), true);
}

EXPORTED pid_t _Fork(void)
{
	return fork_from(SITE, NEXT(_Fork), false);
}

/* --- commands --------------------------------------------------------------------------------- */

EXPORTED int system(const char *command)
{
	struct outside_call call;
	int status = -1;

	if (outside_begin(&call, INPUTS_SYSTEM, SITE))
		OUTSIDE_RUN(call, status = NEXT(system)(command));
	if (outside_logs(&call)) {
		status = (int)inputs_result(status);
		children_compare(&call, command);
		inputs_leave();
	} else {
		outside_fails(&call, EAGAIN);
	}
	return status;
}

static int spawned(struct outside_call *call, int code, pid_t pid, const char *path, pid_t *ret)
{
	if (outside_logs(call)) {
		code = (int)log_signed(code);
		pid = (pid_t)log_signed(pid);
		children_compare(call, path);
		inputs_leave();
	} else if (outside_fails(call, EAGAIN)) {
		code = EAGAIN;
	}
	if (code == 0 && ret)
		*ret = pid;
	return code;
}

#define SPAWNS(name)                                                                          \
	EXPORTED int name(pid_t *restrict ret, const char *restrict path,                     \
	                  const posix_spawn_file_actions_t *restrict actions,                 \
	                  const posix_spawnattr_t *restrict attributes,                       \
	                  char *const arguments[restrict], char *const environment[restrict]) \
	{                                                                                     \
		struct outside_call call;                                                     \
		pid_t pid = 0;                                                                \
		int code = 0;                                                                 \
                                                                                              \
		if (outside_begin(&call, INPUTS_SPAWN, SITE))                                 \
			OUTSIDE_RUN(call, code = NEXT(name)(&pid, path, actions, attributes,  \
			                                    arguments, environment));         \
		return spawned(&call, code, pid, path, ret);                                  \
	}

SPAWNS(posix_spawn)
SPAWNS(posix_spawnp)

/* --- waiting ---------------------------------------------------------------------------------- */

static pid_t wait_from(const void *site, pid_t pid, int *ret_status, int options,
                       struct rusage *ret_usage)
{
	struct outside_call call;
	int status = 0;

	if (outside_begin(&call, INPUTS_WAIT, site))
		OUTSIDE_RUN(call, pid = NEXT(wait4)(pid, &status, options, ret_usage));
	if (outside_logs(&call)) {
		pid = (pid_t)inputs_result(pid);
		if (pid > 0) {
			status = (int)log_signed(status);
			if (ret_usage)
				log_data(ret_usage, sizeof(*ret_usage));
		}
		inputs_leave();
	} else if (outside_fails(&call, ECHILD)) {
		pid = -1;
	}
	if (pid > 0 && ret_status)
		*ret_status = status;
	return pid;
}

EXPORTED pid_t wait(int *ret_status)
{
	return wait_from(SITE, -1, ret_status, 0, NULL);
}

EXPORTED pid_t waitpid(pid_t pid, int *ret_status, int options)
{
	return wait_from(SITE, pid, ret_status, options, NULL);
}

EXPORTED pid_t wait3(int *ret_status, int options, struct rusage *ret_usage)
{
	return wait_from(SITE, -1, ret_status, options, ret_usage);
}

EXPORTED pid_t wait4(pid_t pid, int *ret_status, int options, struct rusage *ret_usage)
{
	return wait_from(SITE, pid, ret_status, options, ret_usage);
}

EXPORTED int waitid(idtype_t which, id_t id, siginfo_t *ret_info, int options)
{
	struct outside_call call;
	int result = -1;

	if (outside_begin(&call, INPUTS_WAIT, SITE))
		OUTSIDE_RUN(call, result = NEXT(waitid)(which, id, ret_info, options));
	if (outside_logs(&call)) {
		result = (int)inputs_result(result);
		if (result == 0 && ret_info)
			log_data(ret_info, sizeof(*ret_info));
		inputs_leave();
	} else {
		outside_fails(&call, ECHILD);
	}
	return result;
}
