#define _GNU_SOURCE
#include "processes.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "call.h"
#include "log.h"
#include "outside.h"
#include "shim/mpi/next.h"

#define SITE __builtin_return_address(0)

static pid_t real_pid(void)
{
	return (pid_t)syscall(SYS_getpid);
}

/* --- signals ---------------------------------------------------------------------------------- */

struct sending {
	struct outside_call call;
	enum {
		AS_IT_SAYS,
		TO_ITSELF, /* replaying: to the real number */
		NOWHERE,   /* replaying */
	} way;
	int result; /* if nowhere */
};

/* Whether the rank gets it, too. kill(2): -1 leaves out the caller. */
static bool reaches_itself(pid_t pid)
{
	if (pid == 0 || pid == real_pid() || pid == log_pid)
		return true;
	return pid < -1 && -pid == getpgrp();
}

/* If the rank sends it to itself, the log has no result: the process may end, or a handler may call
 * what is recorded. */
static void sending_begin(struct sending *sending, pid_t pid, const void *site)
{
	bool is_to_itself = reaches_itself(pid);

	*sending = (struct sending){.way = AS_IT_SAYS};
	if (outside_begin(&sending->call, INPUTS_KILL, site)) {
		if (!is_to_itself)
			return;
		if (outside_logs(&sending->call)) {
			log_number(1);
			inputs_leave();
		}
		sending->call.is_recorded = sending->call.is_given = false;
		return;
	}
	if (sending->call.is_given) {
		is_to_itself = log_number(1) != 0;
		if (!is_to_itself)
			sending->result = (int)inputs_result(0);
		inputs_leave();
	}
	sending->way = is_to_itself ? TO_ITSELF : NOWHERE;
	if (sending->way == NOWHERE)
		outside_fails(&sending->call, errno);
}

/* Recording: the result of what was sent to others. */
static int sending_end(struct sending *sending, int result)
{
	if (sending->call.is_recorded && outside_logs(&sending->call)) {
		log_number(0);
		result = (int)inputs_result(result);
		inputs_leave();
	}
	return result;
}

/* `to_itself`: the same call with the rank's real number. */
#define SENDS(name, parameters, pid, values, to_itself)          \
	EXPORTED int name parameters                             \
	{                                                        \
		struct sending sending;                          \
                                                                 \
		sending_begin(&sending, pid, SITE);              \
		if (sending.way == NOWHERE)                      \
			return sending.result;                   \
		if (sending.way == TO_ITSELF)                    \
			return to_itself;                        \
		return sending_end(&sending, NEXT(name) values); \
	}

SENDS(kill, (pid_t pid, int number), pid, (pid, number), NEXT(kill)(real_pid(), number))
SENDS(killpg, (pid_t group, int number), group == 0 ? 0 : -group, (group, number),
      NEXT(kill)(real_pid(), number))
SENDS(sigqueue, (pid_t pid, int number, const union sigval value), pid, (pid, number, value),
      NEXT(sigqueue)(real_pid(), number, value))
/* Of its threads, the first has the number of the process. */
SENDS(tgkill, (pid_t pid, pid_t thread, int number), pid, (pid, thread, number),
      NEXT(tgkill)(real_pid(), thread == log_pid ? real_pid() : thread, number))

bool processes_answer(const void *site, long number, const long arguments[6], long *ret_given)
{
	struct sending sending;
	long thread = arguments[1]; /* of kill: the signal */

	if (number != SYS_kill && number != SYS_tgkill)
		return false;
	sending_begin(&sending, (pid_t)arguments[0], site);
	if (sending.way == NOWHERE) {
		*ret_given = sending.result;
	} else if (sending.way == TO_ITSELF) {
		if (number == SYS_tgkill && thread == log_pid)
			thread = real_pid();
		*ret_given = NEXT(syscall)(number, (long)real_pid(), thread, arguments[2]);
	} else {
		*ret_given = sending_end(
			&sending, (int)NEXT(syscall)(number, arguments[0], thread, arguments[2]));
	}
	return true;
}

/* --- priorities, processors, groups ----------------------------------------------------------- */

/* Whether a number is meant that is the same in the log and now: 0, or that of a thread whose calls
 * are not in the log. */
static bool is_itself(pid_t pid)
{
	return pid == 0
	       || (log_replaying && syscall(SYS_gettid) != real_pid()
	           && syscall(SYS_tgkill, real_pid(), pid, 0) == 0);
}

/* At replay only the recorded result is given, unless the process is named as 0. `behind` follows
 * if it has not failed. */
#define CHANGES(name, parameters, pid, values, behind)          \
	EXPORTED int name parameters                            \
	{                                                       \
		struct outside_call call;                       \
		int result = -1;                                \
                                                                \
		if (is_itself(pid))                             \
			return NEXT(name) values;               \
		if (outside_begin(&call, INPUTS_PROCESS, SITE)) \
			result = NEXT(name) values;             \
		if (outside_logs(&call)) {                      \
			result = (int)inputs_result(result);    \
			if (result >= 0)                        \
				behind;                         \
			inputs_leave();                         \
		} else {                                        \
			outside_fails(&call, ESRCH);            \
		}                                               \
		return result;                                  \
	}

/* Of a group or a user, 0 names more than the rank. */
#define SINGLE(which, id) ((which) == PRIO_PROCESS ? (pid_t)(id) : -1)

CHANGES(setpriority, (__priority_which_t which, id_t id, int priority), SINGLE(which, id),
        (which, id, priority), (void)0)
CHANGES(getpriority, (__priority_which_t which, id_t id), SINGLE(which, id), (which, id), (void)0)
CHANGES(sched_setaffinity, (pid_t pid, size_t size, const cpu_set_t *set), pid, (pid, size, set),
        (void)0)
CHANGES(sched_setscheduler, (pid_t pid, int policy, const struct sched_param *given), pid,
        (pid, policy, given), (void)0)
CHANGES(sched_getscheduler, (pid_t pid), pid, (pid), (void)0)
CHANGES(sched_setparam, (pid_t pid, const struct sched_param *given), pid, (pid, given), (void)0)
CHANGES(sched_getparam, (pid_t pid, struct sched_param *ret), pid, (pid, ret),
        log_data(ret, sizeof(*ret)))
CHANGES(setpgid, (pid_t pid, pid_t group), pid, (pid, group), (void)0)
