/* Kernel state of a rank that is rewound: simple state is restored, other state is compared, and
 * the rewind is refused if it has changed. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent_rewind_internal.h"

int agent_read_proc(struct agent *agent, const char *path, char text[static AGENT_TEXT])
{
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	size_t used = 0;
	ssize_t got = -1;

	while (fd >= 0 && used < AGENT_TEXT - 1
	       && (got = read(fd, text + used, AGENT_TEXT - 1 - used)) > 0)
		used += (size_t)got;
	if (fd >= 0)
		close(fd);
	text[used] = '\0';
	return got == 0 ? 0 : agent_refuse(agent, "%s cannot be read", path);
}

/* --- /proc/self/status ------------------------------------------------------------------------ */

/* Not compared: pending signals (there must be none), and blocked, ignored and caught signals,
 * which are restored. */
static const char *const lasting[] = {
	"Name:",   "Umask:",  "Threads:", "Uid:",     "Gid:",    "Groups:",       "NSpgid:",
	"NSsid:",  "SigPnd:", "ShdPnd:",  "CapInh:",  "CapPrm:", "CapEff:",       "CapBnd:",
	"CapAmb:", "VmLck:",  "NoNew",    "Seccomp:", "THP_",    "Cpus_allowed:", "Mems_allowed:",
};

static bool begins(const char *line, const char *name)
{
	return *line == *name && !strncmp(line, name, strlen(name));
}

static bool is_lasting(const char *line)
{
	for (size_t i = 0; i < sizeof(lasting) / sizeof(*lasting); i++)
		if (begins(line, lasting[i]))
			return true;
	return false;
}

static void read_number(const char *line, struct agent_kernel_state *state)
{
	if (begins(line, "SigIgn:") || begins(line, "SigCgt:"))
		state->handled |= strtoull(line + strlen("SigIgn:"), NULL, 16);
	else if (begins(line, "RssAnon:"))
		state->anonymous = strtoull(line + strlen("RssAnon:"), NULL, 10);
	else if (begins(line, "VmSwap:"))
		state->swapped = strtoull(line + strlen("VmSwap:"), NULL, 10);
}

int agent_read_status(struct agent *agent, struct agent_kernel_state *state)
{
	char *text = agent->private_stack->text;
	size_t used = 0;

	if (agent_read_proc(agent, "/proc/self/status", text) < 0)
		return -1;
	state->handled = state->anonymous = state->swapped = 0;
	for (const char *line = text; *line;) {
		const char *end = strchrnul(line, '\n');
		size_t length = (size_t)(end - line) + (*end ? 1 : 0);

		if (is_lasting(line)) {
			memcpy(state->status + used, line, length);
			used += length;
		} else {
			read_number(line, state);
		}
		line += length;
	}
	state->status[used] = '\0';
	return 0;
}

static int compare_status(struct agent *agent)
{
	const char *then = agent->private_stack->kernel.status,
		   *now = agent->private_stack->kernel_now.status;

	while (*then && *now) {
		size_t length = strcspn(then, "\n"), length_now = strcspn(now, "\n");

		if (length != length_now || memcmp(then, now, length) != 0)
			return agent_refuse(agent,
			                    "it has changed a line of /proc/self/status (%.*s)",
			                    (int)(length_now < 60 ? length_now : 60), now);
		then += length + 1;
		now += length_now + 1;
	}
	return 0;
}

/* --- single numbers --------------------------------------------------------------------------- */

static void list_settings(long settings[static AGENT_SETTINGS])
{
	struct sched_param parameters = {0};
	const long self = 0;

	memset(settings, 0, AGENT_SETTINGS * sizeof(*settings));
	settings[0] = syscall(SYS_getpriority, 0L, self);
	settings[1] = syscall(SYS_sched_getscheduler, self);
	syscall(SYS_sched_getparam, self, &parameters);
	settings[2] = parameters.sched_priority;
	settings[3] = personality(0xffffffff);
	settings[4] = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
	settings[5] = prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
	settings[6] = prctl(PR_GET_KEEPCAPS, 0, 0, 0, 0);
	settings[7] = prctl(PR_GET_SECUREBITS, 0, 0, 0, 0);
	prctl(PR_GET_PDEATHSIG, (int *)&settings[8], 0, 0, 0);
	prctl(PR_GET_CHILD_SUBREAPER, (int *)&settings[9], 0, 0, 0);
#ifdef PR_GET_TSC
	prctl(PR_GET_TSC, (int *)&settings[10], 0, 0, 0);
#endif
	settings[11] = syscall(SYS_ioprio_get, 1L, self);
}

static int compare_settings(struct agent *agent)
{
	const struct agent_kernel_state *then = &agent->private_stack->kernel,
					*now = &agent->private_stack->kernel_now;

	if (memcmp(then->settings, now->settings, sizeof(then->settings)) != 0)
		return agent_refuse(
			agent, "it has changed its scheduling or another setting of the process");
	if (memcmp(then->limits, now->limits, sizeof(then->limits)) != 0)
		return agent_refuse(agent, "it has changed a resource limit");
	if (then->root_device != now->root_device || then->root_inode != now->root_inode)
		return agent_refuse(agent, "it has changed its root directory");
	return 0;
}

/* --- descriptors ------------------------------------------------------------------------------ */

static int note_descriptor(struct agent *agent, struct agent_kernel_state *state, int fd)
{
	struct stat status;

	if (fstat(fd, &status) < 0)
		return 0;
	if (state->descriptor_count == AGENT_DESCRIPTORS_MAX)
		return agent_refuse(agent, "it has more than %d descriptors",
		                    AGENT_DESCRIPTORS_MAX);
	state->descriptors[state->descriptor_count++] = (struct agent_held){
		.fd = fd,
		.flags = fcntl(fd, F_GETFD),
		.device = status.st_dev,
		.inode = status.st_ino,
		.mode = status.st_mode,
		.size = status.st_size};
	return 0;
}

/* The kernel lists them in ascending order. */
static int list_descriptors(struct agent *agent, struct agent_kernel_state *state)
{
	char batch[2048] __attribute__((aligned(8)));
	int directory = agent_open_directory("/proc/self/fd");
	long got = -1;

	state->descriptor_count = 0;
	while (directory >= 0
	       && (got = syscall(SYS_getdents64, directory, batch, sizeof(batch))) > 0) {
		long at = 0;

		while (at < got) {
			const char *entry = batch + at;
			unsigned short length;
			char *end;
			/* offset of d_name in linux_dirent64 */
			long fd = strtol(entry + 19, &end, 10);

			memcpy(&length, entry + 16, sizeof(length));
			at += length;
			if (*end || end == entry + 19 || fd == directory)
				continue;
			if (note_descriptor(agent, state, (int)fd) < 0) {
				close(directory);
				return -1;
			}
		}
	}
	if (directory >= 0)
		close(directory);
	return got == 0 ? 0 : agent_refuse(agent, "its descriptors cannot be read");
}

/* Whether the process has exactly the descriptors that it had at the birth: compares their number
 * (Linux 6.2 and later) and each of them. If so, `state` gets their present attributes. */
static bool holds_the_same(struct agent *agent, struct agent_kernel_state *state)
{
	const struct agent_kernel_state *then = &agent->private_stack->kernel;
	struct stat status;

	if (stat("/proc/self/fd", &status) < 0 || (size_t)status.st_size != then->descriptor_count)
		return false;
	state->descriptor_count = then->descriptor_count;
	for (size_t i = 0; i < then->descriptor_count; i++) {
		struct agent_held *one = &state->descriptors[i];

		*one = then->descriptors[i];
		if (fstat(one->fd, &status) < 0
		    || (one->fd != agent->pmi_fd
		        && (status.st_dev != one->device || status.st_ino != one->inode)))
			return false;
		one->flags = fcntl(one->fd, F_GETFD);
		one->mode = status.st_mode;
		one->size = status.st_size;
	}
	return true;
}

const struct agent_held *agent_find_held(const struct agent_kernel_state *state, int fd)
{
	for (size_t i = 0; i < state->descriptor_count; i++)
		if (state->descriptors[i].fd == fd)
			return &state->descriptors[i];
	return NULL;
}

static bool is_same(const struct agent_held *one, const struct agent_held *other)
{
	return other && one->device == other->device && one->inode == other->inode;
}

static const struct agent_file *find_file(const struct agent *agent, int fd)
{
	for (size_t i = 0; i < agent->file_count; i++)
		if (agent->files[i].fd == fd)
			return &agent->files[i];
	return NULL;
}

/* A file that the program has closed or replaced is taken from the keeper. The descriptor need only
 * be good for reopening. */
static int fetch_file(struct agent *agent, const struct agent_file *file)
{
	char path[64];
	int fd, result;

	if (file->kind == AGENT_EPOLL || file->kind == AGENT_PIPE || file->kind == AGENT_EVENT)
		return 0; /* created anew */
	snprintf(path, sizeof(path), "/proc/%ld/fd/%d", syscall(SYS_getppid), file->fd);
	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return agent_refuse(agent,
		                    "it has closed a file that cannot be opened again "
		                    "(descriptor %d)",
		                    file->fd);
	result = fd == file->fd ? fd : dup3(fd, file->fd, O_CLOEXEC);
	if (fd != file->fd)
		close(fd);
	return result < 0 ? agent_refuse(agent, "descriptor %d cannot be put back", file->fd) : 0;
}

static int put_descriptors_back(struct agent *agent)
{
	struct agent_private_stack *stack = agent->private_stack;
	const struct agent_kernel_state *then = &stack->kernel, *now = &stack->kernel_now;

	for (size_t i = 0; i < now->descriptor_count; i++)
		if (!agent_find_held(then, now->descriptors[i].fd))
			close(now->descriptors[i].fd);
	for (size_t i = 0; i < then->descriptor_count; i++) {
		const struct agent_held *one = &then->descriptors[i], *other;
		const struct agent_file *file = find_file(agent, one->fd);

		if (one->fd == agent->pmi_fd) /* connected anew in each world */
			continue;
		other = agent_find_held(now, one->fd);
		if (!is_same(one, other) && file && fetch_file(agent, file) < 0)
			return -1;
		if (!is_same(one, other) && !file)
			return agent_refuse(agent, "it has closed or replaced descriptor %d",
			                    one->fd);
		if (!file && one->flags != other->flags && fcntl(one->fd, F_SETFD, one->flags) < 0)
			return agent_refuse(agent, "descriptor %d cannot be put back", one->fd);
	}
	if (agent_renew_files(agent, stack->clones, stack->clone_count) < 0)
		return agent_refuse(agent, "its files cannot be put back (%s)", strerror(errno));
	return 0;
}

/* Renewed files may have other inodes. */
static int note_renewed(struct agent *agent)
{
	struct agent_kernel_state *then = &agent->private_stack->kernel;
	struct stat status;

	for (size_t i = 0; i < then->descriptor_count; i++) {
		struct agent_held *one = &then->descriptors[i];

		if (!find_file(agent, one->fd))
			continue;
		if (fstat(one->fd, &status) < 0)
			return agent_refuse(agent, "descriptor %d cannot be put back", one->fd);
		one->device = status.st_dev;
		one->inode = status.st_ino;
	}
	return 0;
}

/* --- signals, timers -------------------------------------------------------------------------- */

static void list_signals(struct agent_kernel_state *state)
{
	struct agent_signals *signals = &state->signals;

	for (int number = 1; number < _NSIG; number++) {
		memset(&signals->dispositions[number], 0, sizeof(signals->dispositions[number]));
		if (agent_is_handled(state->handled, number))
			syscall(SYS_rt_sigaction, number, NULL, &signals->dispositions[number],
			        _NSIG / 8);
	}
	syscall(SYS_sigaltstack, NULL, &signals->stack);
}

static int put_signals_back(struct agent *agent, const struct agent_signals *then)
{
	const struct agent_signals *now = &agent->private_stack->kernel_now.signals;
	static const struct itimerval off;

	for (int number = 1; number < _NSIG; number++)
		if (memcmp(&then->dispositions[number], &now->dispositions[number],
		           sizeof(then->dispositions[number]))
		            != 0
		    && syscall(SYS_rt_sigaction, number, &then->dispositions[number], NULL,
		               _NSIG / 8)
		               < 0)
			return agent_refuse(agent, "the handling of signal %d cannot be put back",
			                    number);
	if (syscall(SYS_sigaltstack, &then->stack, NULL) < 0)
		return agent_refuse(agent, "its signal stack cannot be put back (%s)",
		                    strerror(errno));
	setitimer(ITIMER_REAL, &off, NULL);
	setitimer(ITIMER_VIRTUAL, &off, NULL);
	setitimer(ITIMER_PROF, &off, NULL);
	return 0;
}

/* State that a rewind cannot remove. */
static int check_leftovers(struct agent *agent)
{
	siginfo_t child;

	if (waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0)
		return agent_refuse(agent, "it has started other processes");
	if (agent_read_proc(agent, "/proc/self/timers", agent->private_stack->text) == 0
	    && agent->private_stack->text[0])
		return agent_refuse(agent, "it has a timer running (timer_create)");
	agent->private_stack->trouble[0] = '\0'; /* some kernels have no /proc/self/timers */
	return 0;
}

/* --- whole state ------------------------------------------------------------------------------ */

static int list_state(struct agent *agent, struct agent_kernel_state *state)
{
	struct stat root, directory;

	if (agent_read_status(agent, state) < 0)
		return -1;
	list_signals(state);
	list_settings(state->settings);
	for (int i = 0; i < RLIM_NLIMITS; i++)
		syscall(SYS_prlimit64, 0L, i, NULL, &state->limits[i]);
	if (stat("/", &root) == 0) {
		state->root_device = root.st_dev;
		state->root_inode = root.st_ino;
	}
	state->directory_device = state->directory_inode = 0;
	if (stat(".", &directory) == 0) {
		state->directory_device = directory.st_dev;
		state->directory_inode = directory.st_ino;
	}
	return 0;
}

int agent_note_kernel_state(struct agent *agent)
{
	struct agent_kernel_state *state = &agent->private_stack->kernel;

	return list_state(agent, state) < 0 ? -1 : list_descriptors(agent, state);
}

bool agent_has_opened(struct agent *agent)
{
	struct agent_private_stack *stack = agent->private_stack;

	stack->descriptors_known = holds_the_same(agent, &stack->kernel_now);
	return !stack->descriptors_known;
}

int agent_scan_kernel_state(struct agent *agent)
{
	struct agent_kernel_state *now = &agent->private_stack->kernel_now;
	struct agent_idle *idle = &agent->private_stack->idle;
	bool known = agent->private_stack->descriptors_known;

	agent->private_stack->descriptors_known = false;
	if (agent_is_idle(agent) && idle->kernel)
		return 0;
	if (check_leftovers(agent) < 0 || list_state(agent, now) < 0
	    || (!known && !holds_the_same(agent, now) && list_descriptors(agent, now) < 0)
	    || compare_status(agent) < 0 || compare_settings(agent) < 0)
		return -1;
	agent_note_idle(agent, &idle->kernel);
	return 0;
}

static int compare_descriptors(struct agent *agent)
{
	const struct agent_kernel_state *then = &agent->private_stack->kernel,
					*now = &agent->private_stack->kernel_now;

	for (size_t i = 0; i < now->descriptor_count; i++)
		if (!agent_find_held(then, now->descriptors[i].fd))
			return agent_refuse(agent, "it has opened files");
	for (size_t i = 0; i < then->descriptor_count; i++) {
		const struct agent_held *one = &then->descriptors[i],
					*other = agent_find_held(now, one->fd);

		if (one->fd != agent->pmi_fd
		    && (!is_same(one, other) || one->flags != other->flags))
			return agent_refuse(agent, "it has closed files");
	}
	return 0;
}

static int compare_timers(struct agent *agent)
{
	struct itimerval value;

	for (int clock = ITIMER_REAL; clock <= ITIMER_PROF; clock++)
		if (getitimer((__itimer_which_t)clock, &value) == 0
		    && (value.it_value.tv_sec || value.it_value.tv_usec))
			return agent_refuse(agent, "it has set an alarm (setitimer or alarm)");
	return 0;
}

/* Whether its working directory is unchanged. */
static bool stays_in_directory(const struct agent *agent)
{
	const struct agent_kernel_state *then = &agent->private_stack->kernel,
					*now = &agent->private_stack->kernel_now;

	return then->directory_inode && then->directory_inode == now->directory_inode
	       && then->directory_device == now->directory_device;
}

int agent_compare_kernel_state(struct agent *agent)
{
	if (agent_scan_kernel_state(agent) < 0 || compare_descriptors(agent) < 0
	    || agent_compare_files(agent) < 0 || compare_timers(agent) < 0)
		return -1;
	if (!stays_in_directory(agent))
		return agent_refuse(agent, "it has changed its working directory");
	return 0;
}

int agent_note_image_state(struct agent *agent, struct agent_image *image)
{
	image->signals = agent->private_stack->kernel_now.signals;
	return agent_note_offsets(agent, image);
}

/* A signal may also have arrived since the last scan. */
static int check_signals(struct agent *agent)
{
	uint64_t pending = 0;

	if (syscall(SYS_rt_sigpending, &pending, sizeof(pending)) < 0 || pending != 0)
		return agent_refuse(agent, "a signal is pending (SigPnd %" PRIx64 ")", pending);
	return 0;
}

static int put_directory_back(struct agent *agent)
{
	char path[64];

	if (stays_in_directory(agent))
		return 0;
	snprintf(path, sizeof(path), "/proc/%ld/cwd", syscall(SYS_getppid));
	if (syscall(SYS_chdir, path) < 0)
		return agent_refuse(agent, "its working directory cannot be put back (%s)",
		                    strerror(errno));
	return 0;
}

static int put_offsets_back(struct agent *agent, const struct agent_image *image)
{
	for (uint32_t i = 0; image && i < image->offset_count; i++)
		if (lseek(image->offsets[i].fd, image->offsets[i].offset, SEEK_SET) < 0)
			return agent_refuse(agent, "descriptor %d cannot be put back (%s)",
			                    image->offsets[i].fd, strerror(errno));
	return 0;
}

int agent_put_kernel_state_back(struct agent *agent, const struct agent_image *image)
{
	const struct agent_signals *signals = image ? &image->signals
	                                            : &agent->private_stack->kernel.signals;

	if (check_signals(agent) < 0 || put_descriptors_back(agent) < 0
	    || put_offsets_back(agent, image) < 0 || put_signals_back(agent, signals) < 0
	    || note_renewed(agent) < 0)
		return -1;
	return put_directory_back(agent);
}
