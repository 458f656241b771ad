/* The numbers by which a program names its own process and threads. In every world a rank reads the
 * numbers that it had in the first one. The kernel would take them for those of the keeper, so each
 * function that passes one of them to the kernel is replaced, for the process and for its first
 * thread, whose numbers are equal. Other threads begin after the fork, and have numbers of their
 * own. Direct system calls are not seen. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "park_internal.h"
#include "shim/mpi/next.h"
#include "shim/process/process.h"

#define NAME_MOST 16 /* bytes of a thread's name, with the NUL: prctl(2), PR_SET_NAME */

static pthread_t first_thread;

__attribute__((constructor)) static void note_first_thread(void)
{
	first_thread = pthread_self();
}

/* A process that the program forked is not a rank: it reads its own identity. */
bool park_is_rank(void)
{
	return park.real_pid && process_real_pid() == park.real_pid;
}

/* What the kernel has to be told for a number that the program knows. */
static pid_t real_number(pid_t number)
{
	return number == park.visible_pid && park_is_rank() ? park.real_pid : number;
}

EXPORTED pid_t getpid(void)
{
	pid_t real = process_real_pid();

	return park.real_pid == real ? park.visible_pid : real;
}

EXPORTED pid_t getppid(void)
{
	return park_is_rank() ? park.visible_parent : (pid_t)syscall(SYS_getppid);
}

EXPORTED pid_t gettid(void)
{
	pid_t real = (pid_t)syscall(SYS_gettid);

	return park.real_pid == real ? park.visible_pid : real;
}

/* --- signals ---------------------------------------------------------------------------------- */

/* The kernel would name the copy as the sender. A thread may say otherwise in a signal to itself,
 * but not to others (rt_sigqueueinfo(2)). */
static siginfo_t signal_info(int signal_number, int code)
{
	siginfo_t info = {.si_signo = signal_number, .si_code = code};

	info.si_pid = getpid();
	info.si_uid = getuid();
	return info;
}

static siginfo_t queued_info(int signal_number, union sigval value)
{
	siginfo_t info = signal_info(signal_number, SI_QUEUE);

	info.si_value = value;
	return info;
}

EXPORTED int kill(pid_t pid, int signal_number)
{
	siginfo_t info;

	if (pid < -1)
		return killpg(-pid, signal_number);
	if (!park_is_rank() || pid != park.visible_pid || gettid() != pid)
		return (int)syscall(SYS_kill, real_number(pid), signal_number);
	info = signal_info(signal_number, SI_USER);
	return (int)syscall(SYS_rt_sigqueueinfo, park.real_pid, signal_number, &info);
}

EXPORTED int tgkill(pid_t pid, pid_t thread, int signal_number)
{
	siginfo_t info;

	pid = real_number(pid);
	thread = real_number(thread);
	if (!park_is_rank() || thread != syscall(SYS_gettid))
		return (int)syscall(SYS_tgkill, pid, thread, signal_number);
	info = signal_info(signal_number, SI_TKILL);
	return (int)syscall(SYS_rt_tgsigqueueinfo, pid, thread, signal_number, &info);
}

/* The C library keeps these for itself, and refuses them. */
static bool is_internal(int signal_number)
{
	return signal_number >= __SIGRTMIN && signal_number < SIGRTMIN;
}

EXPORTED int raise(int signal_number)
{
	if (!park_is_rank() || is_internal(signal_number))
		return NEXT(raise)(signal_number);
	return tgkill(getpid(), gettid(), signal_number);
}

EXPORTED int sigqueue(pid_t pid, int signal_number, const union sigval value)
{
	siginfo_t info = queued_info(signal_number, value);

	return (int)syscall(SYS_rt_sigqueueinfo, real_number(pid), signal_number, &info);
}

/* --- scheduling and limits -------------------------------------------------------------------- */

EXPORTED int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
	return NEXT(sched_getaffinity)(real_number(pid), size, set);
}

EXPORTED int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
	return NEXT(sched_setaffinity)(real_number(pid), size, set);
}

EXPORTED int sched_getscheduler(pid_t pid)
{
	return NEXT(sched_getscheduler)(real_number(pid));
}

EXPORTED int sched_setscheduler(pid_t pid, int policy, const struct sched_param *parameters)
{
	return NEXT(sched_setscheduler)(real_number(pid), policy, parameters);
}

EXPORTED int sched_getparam(pid_t pid, struct sched_param *parameters)
{
	return NEXT(sched_getparam)(real_number(pid), parameters);
}

EXPORTED int sched_setparam(pid_t pid, const struct sched_param *parameters)
{
	return NEXT(sched_setparam)(real_number(pid), parameters);
}

EXPORTED int sched_rr_get_interval(pid_t pid, struct timespec *interval)
{
	return NEXT(sched_rr_get_interval)(real_number(pid), interval);
}

/* `who` is a process only for PRIO_PROCESS. */
static id_t real_who(__priority_which_t which, id_t who)
{
	return which == PRIO_PROCESS ? (id_t)real_number((pid_t)who) : who;
}

EXPORTED int getpriority(__priority_which_t which, id_t who)
{
	return NEXT(getpriority)(which, real_who(which, who));
}

EXPORTED int setpriority(__priority_which_t which, id_t who, int priority)
{
	return NEXT(setpriority)(which, real_who(which, who), priority);
}

EXPORTED int prlimit(pid_t pid, __rlimit_resource_t resource, const struct rlimit *limit,
                     struct rlimit *previous)
{
	return NEXT(prlimit)(real_number(pid), resource, limit, previous);
}

EXPORTED int prlimit64(pid_t pid, __rlimit_resource_t resource, const struct rlimit64 *limit,
                       struct rlimit64 *previous)
{
	return NEXT(prlimit64)(real_number(pid), resource, limit, previous);
}

/* The clock of a process or thread has its number above three bits. Programs keep clocks, so this
 * is the number that they know: process_clock. */
enum { SCHEDULER_CLOCK = 2, OF_ONE_THREAD = 4 };

EXPORTED int clock_getcpuclockid(pid_t pid, clockid_t *ret_clock)
{
	int code = NEXT(clock_getcpuclockid)(real_number(pid), ret_clock);

	if (code == 0 && real_number(pid) != pid)
		*ret_clock = (clockid_t)(~(unsigned)pid << 3) | SCHEDULER_CLOCK;
	return code;
}

/* --- process groups and sessions -------------------------------------------------------------- */

static pid_t visible_group(pid_t group)
{
	return group == park.real_group && park_is_rank() ? park.visible_group : group;
}

static pid_t real_group(pid_t group)
{
	return group == park.visible_group && park_is_rank() ? park.real_group : group;
}

EXPORTED pid_t getpgid(pid_t pid)
{
	return visible_group((pid_t)syscall(SYS_getpgid, real_number(pid)));
}

EXPORTED pid_t getpgrp(void)
{
	return getpgid(0);
}

EXPORTED int setpgid(pid_t pid, pid_t group)
{
	return (int)syscall(SYS_setpgid, real_number(pid),
	                    group == park.visible_pid ? real_number(group) : real_group(group));
}

EXPORTED int killpg(pid_t group, int signal_number)
{
	return (int)syscall(SYS_kill, -real_group(group), signal_number);
}

EXPORTED pid_t getsid(pid_t pid)
{
	pid_t session = (pid_t)syscall(SYS_getsid, real_number(pid));

	return session == park.real_session && park_is_rank() ? park.visible_session : session;
}

/* --- timers, and signals of descriptors ------------------------------------------------------- */

EXPORTED int timer_create(clockid_t clock, struct sigevent *event, timer_t *ret_timer)
{
	struct sigevent real;

	if (event && event->sigev_notify == SIGEV_THREAD_ID) {
		real = *event;
		real._sigev_un._tid = real_number(event->_sigev_un._tid);
		event = &real;
	}
	return NEXT(timer_create)(process_clock(clock), event, ret_timer);
}

static pid_t visible_number(pid_t number)
{
	return number == park.real_pid && park_is_rank() ? park.visible_pid : number;
}

/* Without a lookup, which sanitizers do not bear early. But waiting for a lock may be cancelled. */
static int pass_control(int fd, int command, void *argument)
{
	return command == F_SETLKW || command == F_OFD_SETLKW
	               ? NEXT(fcntl)(fd, command, argument)
	               : (int)syscall(SYS_fcntl, fd, command, argument);
}

/* A process group below 0, which is no error. -1 with errno. */
static int own_of(int fd)
{
	struct f_owner_ex owner;

	if (syscall(SYS_fcntl, fd, F_GETOWN_EX, &owner) < 0)
		return -1;
	return owner.type == F_OWNER_PGRP ? -owner.pid : visible_number(owner.pid);
}

static int control(int fd, int command, void *argument)
{
	struct f_owner_ex owner;
	int result;

	switch (command) {
	case F_SETOWN:
		return (int)syscall(SYS_fcntl, fd, command, real_number((pid_t)(intptr_t)argument));
	case F_GETOWN: return own_of(fd);
	case F_SETOWN_EX:
		owner = *(const struct f_owner_ex *)argument;
		if (owner.type != F_OWNER_PGRP)
			owner.pid = real_number(owner.pid);
		return pass_control(fd, command, &owner);
	case F_GETOWN_EX:
		result = pass_control(fd, command, argument);
		if (result == 0 && ((struct f_owner_ex *)argument)->type != F_OWNER_PGRP)
			((struct f_owner_ex *)argument)->pid = visible_number(
				((struct f_owner_ex *)argument)->pid);
		return result;
	default: return pass_control(fd, command, argument);
	}
}

#define CONTROL(fd, command)                    \
	va_list arguments_;                     \
	void *argument_;                        \
	va_start(arguments_, command);          \
	argument_ = va_arg(arguments_, void *); \
	va_end(arguments_);                     \
	return control(fd, command, argument_)

EXPORTED int fcntl(int fd, int command, ...)
{
	CONTROL(fd, command);
}

EXPORTED int fcntl64(int fd, int command, ...)
{
	CONTROL(fd, command);
}

/* --- mutexes ---------------------------------------------------------------------------------- */

/* The C library notes in a mutex that inherits priorities the number that a copy keeps, and the
 * kernel takes it for another thread's when somebody waits. Such a mutex becomes one without a
 * protocol: it excludes the same threads, and priorities do not decide what a rank does. */
EXPORTED int pthread_mutexattr_setprotocol(pthread_mutexattr_t *attributes, int protocol)
{
	if (protocol == PTHREAD_PRIO_INHERIT && process_is_managed())
		protocol = PTHREAD_PRIO_NONE;
	return NEXT(pthread_mutexattr_setprotocol)(attributes, protocol);
}

/* --- threads by their pthread_t --------------------------------------------------------------- */

/* The C library passes the number in the thread's descriptor to the kernel, which a copy keeps
 * (park_thread.h). The number for the kernel instead, if this is a copy and `thread` its first;
 * 0: the C library knows the right one. */
static pid_t number_of(pthread_t thread)
{
	return park_is_rank() && pthread_equal(thread, first_thread) ? park.real_pid : 0;
}

/* Returns what the function returns for a system call's result. The error of such a function must
 * not change errno. `next`: for the other threads. */
#define FOR_FIRST(thread, number, call, next)           \
	do {                                            \
		const pid_t number = number_of(thread); \
		int saved_ = errno, code_;              \
		if (!number)                            \
			return next;                    \
		code_ = (call) < 0 ? errno : 0;         \
		errno = saved_;                         \
		return code_;                           \
	} while (0)

EXPORTED int pthread_kill(pthread_t thread, int signal_number)
{
	if (is_internal(signal_number))
		return EINVAL;
	FOR_FIRST(thread, number, tgkill(getpid(), number, signal_number),
	          NEXT(pthread_kill)(thread, signal_number));
}

EXPORTED int pthread_sigqueue(pthread_t thread, int signal_number, const union sigval value)
{
	siginfo_t info = queued_info(signal_number, value);

	if (is_internal(signal_number))
		return EINVAL;
	FOR_FIRST(thread, number,
	          syscall(SYS_rt_tgsigqueueinfo, number, number, signal_number, &info),
	          NEXT(pthread_sigqueue)(thread, signal_number, value));
}

EXPORTED int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set)
{
	FOR_FIRST(thread, number, sched_getaffinity(number, size, set),
	          NEXT(pthread_getaffinity_np)(thread, size, set));
}

EXPORTED int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set)
{
	FOR_FIRST(thread, number, sched_setaffinity(number, size, set),
	          NEXT(pthread_setaffinity_np)(thread, size, set));
}

EXPORTED int pthread_getschedparam(pthread_t thread, int *policy, struct sched_param *parameters)
{
	FOR_FIRST(thread, number,
	          (*policy = sched_getscheduler(number)) < 0 ? -1
	                                                     : sched_getparam(number, parameters),
	          NEXT(pthread_getschedparam)(thread, policy, parameters));
}

EXPORTED int pthread_setschedparam(pthread_t thread, int policy,
                                   const struct sched_param *parameters)
{
	FOR_FIRST(thread, number, sched_setscheduler(number, policy, parameters),
	          NEXT(pthread_setschedparam)(thread, policy, parameters));
}

EXPORTED int pthread_setschedprio(pthread_t thread, int priority)
{
	const struct sched_param parameters = {.sched_priority = priority};

	FOR_FIRST(thread, number, sched_setparam(number, &parameters),
	          NEXT(pthread_setschedprio)(thread, priority));
}

EXPORTED int pthread_getcpuclockid(pthread_t thread, clockid_t *ret_clock)
{
	if (!number_of(thread))
		return NEXT(pthread_getcpuclockid)(thread, ret_clock);
	*ret_clock = (clockid_t)(~(unsigned)park.visible_pid << 3) | SCHEDULER_CLOCK
	             | OF_ONE_THREAD;
	return 0;
}

/* The C library opens this file for threads other than the calling one. -1 with errno. */
static int open_name(pid_t number, int mode)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%d/comm", (int)number);
	return open(path, mode | O_CLOEXEC);
}

EXPORTED int pthread_getname_np(pthread_t thread, char *name, size_t size)
{
	pid_t number = number_of(thread);
	int saved = errno, fd, code;
	ssize_t got;

	if (!number || pthread_equal(thread, pthread_self()) || size < NAME_MOST)
		return NEXT(pthread_getname_np)(thread, name, size);
	fd = open_name(number, O_RDONLY);
	got = fd < 0 ? -1 : read(fd, name, NAME_MOST);
	code = got < 0 ? errno : 0;
	if (got > 0)
		name[got - 1] = '\0'; /* the line's end */
	if (fd >= 0)
		close(fd);
	errno = saved;
	return code;
}

EXPORTED int pthread_setname_np(pthread_t thread, const char *name)
{
	pid_t number = number_of(thread);
	size_t length = strlen(name);
	int saved = errno, fd, code;

	if (!number || pthread_equal(thread, pthread_self()) || length >= NAME_MOST)
		return NEXT(pthread_setname_np)(thread, name);
	fd = open_name(number, O_WRONLY);
	code = fd < 0 || write(fd, name, length) < 0 ? errno : 0;
	if (fd >= 0)
		close(fd);
	errno = saved;
	return code;
}
