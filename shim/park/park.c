#define _GNU_SOURCE
#include "park.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ckpt/agent_failure.h"
#include "park_internal.h"
#include "peers.h"
#include "shim/gate/channel.h"
#include "shim/gate/forked.h"
#include "shim/libc/virtual_time.h"
#include "shim/mpi/next.h"
#include "shim/process/process.h"
#include "shim/process/sanitizer.h"
#include "shim/process/tracer.h"

/* Below the control socket: when a process dies, the kernel closes higher descriptors first. So the
 * scheduler sees the end before the launcher, which then kills the other ranks. */
#define LAUNCHER_FD_MIN (AGENT_WORLD_FD - 20)
#define LAUNCHER_TIMEOUT_MS 2000

struct park park = {.control_fd = -1, .pmi_fd = -1, .launcher_fd = -1};

int park_send_all(int fd, const void *bytes, size_t count)
{
	const uint8_t *at = bytes;

	while (count) {
		ssize_t put = send(fd, at, count, MSG_NOSIGNAL);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return -1;
		at += put;
		count -= (size_t)put;
	}
	return 0;
}

int park_receive_all(int fd, void *bytes, size_t count)
{
	uint8_t *at = bytes;

	while (count) {
		ssize_t got = read(fd, at, count);

		/* The gate may have set a time limit for receiving. */
		if (got < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (got <= 0)
			return -1;
		at += got;
		count -= (size_t)got;
	}
	return 0;
}

/* Connects, and puts the connection on descriptor `onto`. */
static int connect_to(const char *path, int onto)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), result;

	if (fd < 0)
		return -1;
	memcpy(address.sun_path, path, strlen(path) + 1);
	while ((result = connect(fd, (struct sockaddr *)&address, sizeof(address))) < 0
	       && errno == EINTR)
		;
	if (result == 0 && fd != onto)
		result = dup3(fd, onto, O_CLOEXEC);
	if (fd != onto)
		close(fd);
	return result < 0 ? -1 : 0;
}

static int greet_pmi(void)
{
	char line[80];
	int length = snprintf(line, sizeof(line), "matchpoint world=%u rank=%d\n", park.world,
	                      park.rank);

	return park_send_all(park.pmi_fd, line, (size_t)length);
}

int park_connect_pmi(void)
{
	struct stat status;

	if (park.pmi_fd < 0)
		return 0;
	if (connect_to(park.pmi_path, park.pmi_fd) < 0)
		return -1;
	park.pmi_inode = fstat(park.pmi_fd, &status) == 0 ? status.st_ino : 0;
	return greet_pmi();
}

static int set_path(char *path, size_t size, const char *directory, const char *name)
{
	int length = directory ? snprintf(path, size, "%s%s", directory, name) : -1;

	if (length < 0 || (size_t)length >= size) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return 0;
}

int park_open_pmi(uint32_t world, int32_t rank)
{
	const char *pmi = getenv("PMI_FD");

	park.world = world;
	park.rank = rank;
	park.has_no_launcher = true;
	if (set_path(park.pmi_path, sizeof(park.pmi_path), getenv("MATCHPOINT_DIRECTORY"), "/pmi")
	    < 0)
		return -1;
	park.pmi_fd = pmi ? atoi(pmi) : -1;
	if (park.pmi_fd < 0 || park_connect_pmi() < 0)
		return -1;
	return fcntl(park.pmi_fd, F_SETFD, 0); /* the program may execute itself */
}

/* All answers have been read, and its flags are those of connect_to. */
static bool pmi_is_idle(void)
{
	struct pollfd connection = {.fd = park.pmi_fd, .events = POLLIN};
	struct stat status;

	return fstat(park.pmi_fd, &status) == 0 && S_ISSOCK(status.st_mode)
	       && status.st_ino == park.pmi_inode && poll(&connection, 1, 0) == 0
	       && fcntl(park.pmi_fd, F_GETFD) == FD_CLOEXEC
	       && fcntl(park.pmi_fd, F_GETFL) == O_RDWR;
}

int park_reuse_pmi(void)
{
	return park.pmi_fd >= 0 && pmi_is_idle() ? 0 : park_connect_pmi();
}

void park_set_blocking_call(uint64_t address)
{
	park.inside = address;
}

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* In a process that the program forks: if it held the rank's connections, nobody would notice the
 * rank's end. */
static void leave_connections(void)
{
	if (park.forks_rank)
		return;
	close_one(&park.control_fd);
	close_one(&park.pmi_fd);
	close_one(&park.launcher_fd);
	forked_begin(park.rank);
}

static void note_fork(void)
{
	park.program_forks |= !park.forks_rank;
	if (!park.forks_rank)
		forked_expect(park.rank);
}

/* The rank's program, for each HELLO. */
static char program[4096];

int park_init(int control_fd, uint32_t world, int32_t rank, bool rewinds, bool images)
{
	const char *pmi = getenv("PMI_FD");

	park.control_fd = control_fd;
	park.world = world;
	park.rank = rank;
	park.rewinds = rewinds;
	if (readlink("/proc/self/exe", program, sizeof(program) - 1) < 0)
		program[0] = '\0';
	if (set_path(park.socket_path, sizeof(park.socket_path), getenv("MATCHPOINT_SOCKET"), "")
	    < 0)
		return -1;
	if (pmi && *pmi) {
		if (set_path(park.pmi_path, sizeof(park.pmi_path), getenv("MATCHPOINT_DIRECTORY"),
		             "/pmi")
		    < 0)
			return -1;
		park.pmi_fd = atoi(pmi);
		if (!park.has_no_launcher) {
			park.launcher_fd = fcntl(park.pmi_fd, F_DUPFD_CLOEXEC, LAUNCHER_FD_MIN);
			if (park.launcher_fd < 0)
				return -1;
		}
		if (park_connect_pmi() < 0)
			return -1;
	}
	if (pthread_atfork(NULL, note_fork, leave_connections) != 0)
		return -1;
	park.agent = agent_new(control_fd, park.pmi_fd);
	if (park.agent && rewinds && agent_private_stack_new(park.agent, images) < 0)
		park.rewinds = false;
	return park.agent ? 0 : -1;
}

_Noreturn void park_leave_without_scheduler(void)
{
	for (size_t i = 0; i < park.child_count; i++)
		syscall(SYS_kill, park.children[i].pid, SIGKILL);
	_exit(AGENT_FAILURE_SCHEDULER_GONE);
}

static void send_message(const struct wire_message *message)
{
	struct wire_buffer buffer = {0};

	wire_encode(&buffer, message);
	if (buffer.failed)
		park_leave_without_scheduler();
	channel_send_kept();
	if (park_send_all(park.control_fd, buffer.bytes, buffer.count) < 0)
		park_leave_without_scheduler();
	wire_buffer_release(&buffer);
}

/* Reads exactly one frame, and no byte beyond it. */
static int read_message(struct wire_message *ret_message)
{
	uint8_t head[4], *frame;
	uint32_t length;
	int result = -1;

	if (park_receive_all(park.control_fd, head, sizeof(head)) < 0)
		return -1;
	length = (uint32_t)head[0] | (uint32_t)head[1] << 8 | (uint32_t)head[2] << 16
	         | (uint32_t)head[3] << 24;
	if (length > WIRE_FRAME_MAX)
		return -1;
	frame = malloc(sizeof(head) + length);
	if (!frame)
		return -1;
	memcpy(frame, head, sizeof(head));
	if (park_receive_all(park.control_fd, frame + sizeof(head), length) == 0)
		result = wire_decode(frame, sizeof(head) + length, ret_message);
	free(frame);
	return result;
}

static void send_parked(void)
{
	struct wire_message message = {.type = WIRE_PARKED};
	const struct agent_mapping *mappings;
	char failure[128] = "";

	if (sanitizer_is_there())
		snprintf(failure, sizeof(failure), "%s", PARK_SANITIZED);
	else if (!park.agent)
		snprintf(failure, sizeof(failure), "its state could not be read");
	else if (agent_survey(park.agent) < 0)
		snprintf(failure, sizeof(failure), "its state could not be read (%s)",
		         strerror(errno));
	else if (agent_hazard(park.agent))
		message.parked.hazard = (char *)agent_hazard(park.agent);
	else if (tracer_is_there())
		message.parked.hazard = PARK_TRACED;
	if (!message.parked.hazard)
		message.parked.hazard = failure;
	if (!*failure) {
		message.parked.unshared = agent_is_by_itself(park.agent);
		message.parked.count = (uint32_t)agent_mappings(park.agent, &mappings);
	}
	if (message.parked.count) {
		message.parked.mappings = malloc(message.parked.count
		                                 * sizeof(*message.parked.mappings));
		if (!message.parked.mappings)
			park_leave_without_scheduler();
	}
	for (uint32_t i = 0; i < message.parked.count; i++)
		message.parked.mappings[i] = (struct wire_mapping){
			.start = mappings[i].start,
			.length = mappings[i].length,
			.offset = mappings[i].offset,
			.device = mappings[i].device,
			.inode = mappings[i].inode,
			.protection = mappings[i].protection};
	send_message(&message);
	free(message.parked.mappings);
}

static void send_child(const struct child *child, bool ended, int status)
{
	struct wire_message message = {.type = WIRE_CHILD};

	message.child.world = child->world;
	message.child.pid = child->pid;
	message.child.ended = ended;
	message.child.status = status;
	send_message(&message);
}

static void reap_children(void)
{
	for (size_t i = 0; i < park.child_count;) {
		struct child child = park.children[i];
		int status = 0;
		pid_t ended = waitpid(child.pid, &status, WNOHANG);

		if (ended == 0 || (ended < 0 && errno != ECHILD)) {
			i++;
			continue;
		}
		park.children[i] = park.children[--park.child_count];
		send_child(&child, true, status);
	}
}

static bool is_child(pid_t pid)
{
	for (size_t i = 0; i < park.child_count; i++)
		if (park.children[i].pid == pid)
			return true;
	return false;
}

/* Twins of children (ckpt/agent_rewind.h); a keeper has no other children. */
static void reap_twins(void)
{
	siginfo_t ended = {0};

	while (park.rewinds && waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0
	       && ended.si_pid > 0 && !is_child(ended.si_pid)) {
		waitpid(ended.si_pid, NULL, WNOHANG);
		ended.si_pid = 0;
	}
}

static int add_child(pid_t pid, uint32_t world)
{
	if (park.child_count == park.child_capacity) {
		size_t larger = park.child_capacity ? 2 * park.child_capacity : 8;
		struct child *children = realloc(park.children, larger * sizeof(*children));

		if (!children)
			return -1;
		park.children = children;
		park.child_capacity = larger;
	}
	park.children[park.child_count++] = (struct child){.pid = pid, .world = world};
	return 0;
}

/* The program reads the same numbers as before the fork. */
static void keep_identity(pid_t visible_pid, pid_t visible_parent, pid_t group, pid_t session)
{
	park.visible_pid = visible_pid;
	park.visible_parent = visible_parent;
	park.visible_group = group;
	park.visible_session = session;
	park.real_group = (pid_t)syscall(SYS_getpgid, 0);
	park.real_session = (pid_t)syscall(SYS_getsid, 0);
	park.real_pid = process_real_pid();
	process_be_copy(visible_pid);
}

void park_await_welcome(struct wire_welcome *ret_welcome)
{
	struct wire_message message;

	if (read_message(&message) < 0 || message.type != WIRE_WELCOME)
		park_leave_without_scheduler();
	*ret_welcome = message.welcome;
	wire_message_release(&message);
}

void park_join_world(struct wire_welcome *ret_welcome, bool goes_on)
{
	struct wire_message message = {.type = WIRE_HELLO};
	char mpi[] = "";

	peers_publish(park.world, process_real_pid());
	message.hello.version = WIRE_VERSION;
	message.hello.world = park.world;
	message.hello.rank = park.rank;
	message.hello.pid = process_real_pid();
	message.hello.inside = park.inside;
	message.hello.restored = true;
	message.hello.program = program;
	message.hello.mpi = mpi;
	if (goes_on) {
		wire_encode(channel_begin(), &message);
		channel_keep();
	} else {
		send_message(&message);
	}
	park_await_welcome(ret_welcome);
}

/* In the child: opens its own connections. */
static void leave_keeper(const struct wire_restore *restore)
{
	close_one(&park.launcher_fd);
	park.child_count = 0;
	park.released = false;
	if (!park.restarted) {
		park.world = restore->world;
		park.rank = restore->rank;
	}
	park.restarted = false;
	if (connect_to(park.socket_path, park.control_fd) < 0 || park_connect_pmi() < 0)
		_exit(AGENT_FAILURE_CONNECTION);
	tracer_allow(park.control_fd);
}

/* true in the child. */
static bool restore_child(const struct wire_restore *restore, struct wire_welcome *ret_welcome)
{
	struct agent_clone *clones = malloc((restore->count + 1) * sizeof(*clones));
	pid_t visible_pid = getpid(), visible_parent = getppid(), pid = -1;
	pid_t group = getpgrp(), session = getsid(0);

	for (uint32_t i = 0; clones && i < restore->count; i++)
		clones[i] = (struct agent_clone){.start = restore->clones[i].start,
		                                 .length = restore->clones[i].length,
		                                 .offset = restore->clones[i].offset,
		                                 .protection = restore->clones[i].protection,
		                                 .file = restore->clones[i].file};
	park.forks_rank = true;
	if (clones && park.agent && restore->folder && *restore->folder)
		pid = park_save(restore, clones);
	else if (clones && park.agent)
		pid = agent_fork(park.agent, restore->directory, clones, restore->count);
	park.forks_rank = false;
	if (pid == 0) {
		keep_identity(visible_pid, visible_parent, group, session);
		leave_keeper(restore);
		park_join_world(ret_welcome, false);
		park.program_moves = false;
		if (park.rewinds)
			agent_note_birth(park.agent, clones, restore->count);
		free(clones);
		return true;
	}
	free(clones);
	park.has_forked = true;
	if (pid > 0 && add_child(pid, restore->world) < 0) {
		syscall(SYS_kill, pid, SIGKILL);
		park_leave_without_scheduler();
	}
	/* A failed fork counts as a child that has ended. */
	send_child(&(struct child){.pid = pid, .world = restore->world}, pid < 0,
	           AGENT_FAILURE_FORK << 8);
	return false;
}

static enum order_result carry_out_order(struct wire_welcome *ret_welcome)
{
	enum order_result result = KEEP_ON;
	struct wire_message message;

	if (read_message(&message) < 0)
		park_leave_without_scheduler();
	switch (message.type) {
	case WIRE_RESTORE:
		if (restore_child(&message.restore, ret_welcome))
			result = RETURN_RESTORED;
		break;
	case WIRE_RESUME:
		if (park.has_forked && agent_put_files_back(park.agent) < 0)
			park_leave_without_scheduler();
		agent_know_children(); /* copies */
		if (park.has_forked)
			park_join_world(ret_welcome, false);
		result = RETURN_RESUMED;
		break;
	case WIRE_RELEASE:
		park.released = true;
		park.release_status = message.end.status;
		break;
	case WIRE_END:
		for (size_t i = 0; i < park.child_count; i++)
			syscall(SYS_kill, park.children[i].pid, SIGKILL);
		_exit(message.end.status);
	default: park_leave_without_scheduler();
	}
	wire_message_release(&message);
	return result;
}

/* Interrupts ppoll. The kernel may deliver the signal to another thread (MPI's transports have
 * some): then it is passed on to the thread that waits. */
static void notice(int signal_number)
{
	long keeper = park.keeper_thread;
	int error = errno;

	if (syscall(SYS_gettid) != keeper)
		syscall(SYS_tgkill, syscall(SYS_getpid), keeper, signal_number);
	errno = error;
}

static enum order_result keep_parked(void)
{
	for (;;) {
		struct pollfd control = {.fd = park.control_fd, .events = POLLIN};
		enum order_result result;

		reap_children();
		reap_twins();
		if (park.released && !park.child_count) {
			park_finish_launcher();
			_exit(park.release_status);
		}
		if (ppoll(&control, 1, NULL, &park.while_waiting) <= 0)
			continue;
		result = carry_out_order(&park.welcome);
		if (result != KEEP_ON)
			return result;
	}
}

/* Runs on the private stack, so that a copy can go back to the program's stack as it is now. */
static void keep(void)
{
	send_parked();
	park.result = keep_parked();
}

enum park_outcome park_wait(struct wire_welcome *ret_welcome)
{
	struct sigaction watch = {.sa_handler = notice}, before;
	sigset_t block, mask;

	park_debugger_leaves();
	agent_forget_birth(park.agent);
	park.image = 0;
	park.has_forked = false;
	park.keeper_thread = syscall(SYS_gettid);
	sigemptyset(&block);
	sigaddset(&block, SIGCHLD);
	sigprocmask(SIG_BLOCK, &block, &mask);
	park.while_waiting = mask;
	sigdelset(&park.while_waiting, SIGCHLD);
	sigaction(SIGCHLD, &watch, &before);
	park.welcome = *ret_welcome;

	agent_step_private_stack(park.agent, keep);

	*ret_welcome = park.welcome;
	sigaction(SIGCHLD, &before, NULL);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	if (park.result == RETURN_RESUMED)
		return PARK_RESUMED;
	virtual_time_welcome(ret_welcome);
	park_debugger_returns();
	return PARK_RESTORED;
}

void park_finish_launcher(void)
{
	static const char finalize[] = "cmd=finalize\n";
	struct pollfd launcher = {.fd = park.launcher_fd, .events = POLLIN};
	char answer[256];

	if (park.launcher_fd < 0)
		return;
	/* If the launcher is gone, there is nothing to finish. */
	if (send(park.launcher_fd, finalize, sizeof(finalize) - 1, MSG_NOSIGNAL) > 0
	    && poll(&launcher, 1, LAUNCHER_TIMEOUT_MS) > 0)
		recv(park.launcher_fd, answer, sizeof(answer), 0);
	close(park.launcher_fd);
	park.launcher_fd = -1;
}

void park_exit(int status)
{
	fflush(NULL);
	park_finish_launcher();
	_exit(status);
}
