#define _GNU_SOURCE
#include "forked_start.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/forked_start.h"
#include "shim/mpi/real.h"
#include "shim/park/park.h"
#include "shim/state/state.h"
#include "startup.h"

#define NAME "mp-starter" /* so `killall PROGRAM` does not match it */

/* Of the connection to PMI: mostly that of Hydra's rank 0. */
#define FIRST_TRIED 6

/* --- whether it may be forked ----------------------------------------------------------------- */

/* Calls `counts` for each entry of a directory of numbers. Returns for how many it returned true;
 * -1: the directory cannot be read. */
static int count_numbers(const char *path, bool (*counts)(int number))
{
	DIR *directory = opendir(path);
	struct dirent *entry;
	int count = 0;

	if (!directory)
		return -1;
	while ((entry = readdir(directory)))
		if (entry->d_name[0] != '.' && atoi(entry->d_name) != dirfd(directory))
			count += counts(atoi(entry->d_name));
	closedir(directory);
	return count;
}

static bool is_thread(int number)
{
	return number > 0;
}

static bool read_descriptor(const char *process, int number, char ret[PATH_MAX])
{
	char link[64];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/%s/fd/%d", process, number);
	length = readlink(link, ret, PATH_MAX - 1);
	ret[length > 0 ? length : 0] = '\0';
	return length > 0;
}

/* Descriptors that the user had open come from the process above, and stay open in each rank. */
static bool is_opened_since(int number)
{
	char above[16], own[PATH_MAX], before[PATH_MAX];

	if (number <= STDERR_FILENO)
		return false;
	snprintf(above, sizeof(above), "%ld", syscall(SYS_getppid));
	return (fcntl(number, F_GETFD) & FD_CLOEXEC) || !read_descriptor("self", number, own)
	       || !read_descriptor(above, number, before) || strcmp(own, before) != 0;
}

/* What a library did when it was loaded, and what a fork would share or lose; and whether the MPI
 * library is known to speak what pmi.h does. */
static const char *find_obstacle(void)
{
	if (real_version() == 0)
		return "the MPI library is not MPICH itself, and may be told its rank otherwise";
	if (count_numbers("/proc/self/task", is_thread) != 1)
		return "a library has started a thread when it was loaded";
	if (count_numbers("/proc/self/fd", is_opened_since) != 0)
		return "a library has opened something when it was loaded";
	return NULL;
}

/* --- the launcher instead --------------------------------------------------------------------- */

static void note_reason(const char *reason)
{
	char path[PATH_MAX];
	int file;

	snprintf(path, sizeof(path), "%s/%s", getenv("MATCHPOINT_DIRECTORY"), FORKED_START_REASON);
	file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (file < 0)
		return;
	if (write(file, reason, strlen(reason)) < 0)
		unlink(path);
	close(file);
}

static int count_words(char *const *words)
{
	int count = 0;

	while (words[count])
		count++;
	return count;
}

static _Noreturn void become_launcher(char **arguments, const char *reason)
{
	static const char *const own[] = {FORKED_START_RANKS,      FORKED_START_ELSE,
	                                  FORKED_START_RANK,       FORKED_START_LOCAL_RANK,
	                                  FORKED_START_CONNECTION, "PMI_SIZE",
	                                  "MPI_LOCALNRANKS"};
	char *text = strdup(getenv(FORKED_START_ELSE)), *rest = NULL;
	const int most = (int)strlen(text) + count_words(arguments) + 1;
	char **words = calloc((size_t)most + 1, sizeof(*words));
	int count = 0;

	note_reason(reason);
	for (char *word = strtok_r(text, "\n", &rest); word; word = strtok_r(NULL, "\n", &rest))
		words[count++] = word;
	for (char **argument = arguments; *argument; argument++)
		words[count++] = *argument;
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		unsetenv(own[i]);
	execvp(words[0], words);
	fprintf(stderr, "cannot execute %s: %s\n", words[0], strerror(errno));
	_exit(127);
}

/* --- a rank ----------------------------------------------------------------------------------- */

/* In place. Values that are shorter are followed by NULs, which are empty entries in /proc. */
static void set_number(const char *placeholder, const char *name, int value)
{
	const size_t length = strlen(placeholder);

	for (char **entry = environ; *entry; entry++) {
		if (strncmp(*entry, placeholder, length) != 0 || (*entry)[length] != '=')
			continue;
		memset(*entry + length + 1, 0, strlen(*entry + length + 1));
		snprintf(*entry + length + 1, sizeof(FORKED_START_ROOM), "%d", value);
		memcpy(*entry, name, length);
	}
}

static int free_descriptor(void)
{
	int number = FIRST_TRIED;

	while (fcntl(number, F_GETFD) >= 0)
		number++;
	return number;
}

/* As Hydra's: each rank has a session of its own. */
static void become_rank(int rank)
{
	setsid();
	unsetenv(FORKED_START_RANKS);
	unsetenv(FORKED_START_ELSE);
	set_number(FORKED_START_RANK, "PMI_RANK", rank);
	set_number(FORKED_START_LOCAL_RANK, "MPI_LOCALRANKID", rank);
	set_number(FORKED_START_CONNECTION, "PMI_FD", free_descriptor());
	startup_load();
	if (park_open_pmi(startup_world(), rank) < 0)
		_exit(127);
}

/* --- the starter ------------------------------------------------------------------------------ */

static void kill_all(const pid_t *ranks, int count)
{
	for (int rank = 0; rank < count; rank++)
		if (ranks[rank] > 0)
			kill(ranks[rank], SIGKILL);
}

static int rank_of(const pid_t *ranks, int count, pid_t pid)
{
	for (int rank = 0; rank < count; rank++)
		if (ranks[rank] == pid)
			return rank;
	return -1;
}

static _Noreturn void wait_for_all(pid_t *ranks, int count)
{
	int result = 0, status;
	long pid;

	prctl(PR_SET_NAME, NAME);
	while ((pid = syscall(SYS_wait4, -1, &status, 0, NULL)) > 0 || errno == EINTR) {
		const int rank = pid > 0 ? rank_of(ranks, count, (pid_t)pid) : -1;

		if (rank < 0)
			continue;
		ranks[rank] = 0;
		if (WIFEXITED(status)) {
			result = result ? result : WEXITSTATUS(status);
		} else if (WIFSIGNALED(status) && result <= 128) {
			result = 128 + WTERMSIG(status);
			dprintf(STDERR_FILENO,
			        "RANK %d TERMINATED WITH THE EXIT STRING: %s (signal %d)\n", rank,
			        strsignal(WTERMSIG(status)), WTERMSIG(status));
			kill_all(ranks, count);
		}
	}
	syscall(SYS_exit_group, result);
	__builtin_unreachable();
}

void forked_start(char **arguments)
{
	const char *text = getenv(FORKED_START_RANKS), *obstacle;
	const int count = text ? atoi(text) : 0;
	pid_t *ranks;

	if (count < 1 || !getenv(FORKED_START_ELSE) || !getenv("MATCHPOINT_DIRECTORY"))
		return;
	obstacle = find_obstacle();
	if (obstacle)
		become_launcher(arguments, obstacle);
	state_find_generation();
	ranks = calloc((size_t)count, sizeof(*ranks));
	for (int rank = 0; ranks && rank < count; rank++) {
		ranks[rank] = fork();
		if (ranks[rank] == 0) {
			free(ranks);
			become_rank(rank);
			return;
		}
		if (ranks[rank] < 0) {
			fprintf(stderr, "cannot fork rank %d: %s\n", rank, strerror(errno));
			kill_all(ranks, count);
			_exit(127);
		}
	}
	wait_for_all(ranks, count);
}
