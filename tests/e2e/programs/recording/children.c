/* Each rank runs commands and child processes in all ways, and prints what it gets from them. What
 * they do themselves is a line in the file "done.RANK". Arguments: the number of a process to be
 * terminated; "thread": another thread runs a command and a child. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;
static int rank;
static char command[256];

/* A command that leaves a line in the file, then does something more. */
static const char *doing(const char *what, const char *more)
{
	snprintf(command, sizeof(command), "echo %s >> done.%d; %s", what, rank, more);
	return command;
}

static void tell(const char *what, pid_t pid, int status)
{
	if (pid < 0)
		printf("%s: %s\n", what, strerror(errno));
	else if (WIFSIGNALED(status))
		printf("%s: %d, signal %d\n", what, (int)pid, WTERMSIG(status));
	else
		printf("%s: %d, exit %d\n", what, (int)pid, WEXITSTATUS(status));
}

/* As for any child, its memory is the rank's, and so is what it has asked for the time. */
static void be_child(const char *what)
{
	struct timespec now;
	FILE *file;
	char name[32];

	snprintf(name, sizeof(name), "done.%d", rank);
	file = fopen(name, "a");
	clock_gettime(CLOCK_REALTIME, &now);
	fprintf(file, "%s %d\n", what, (int)getpid());
	fclose(file);
	fclose(stdin);
	exit(7); /* also what is done at the end of the process */
}

/* GCC warns where it sees both popen and fclose. */
static int (*volatile closes)(FILE *) = fclose;

static void use_commands(void)
{
	char line[128];
	FILE *file;
	int number;

	tell("system", 0, system(doing("system", "exit 3")));
	tell("a command without end", 0, system(doing("killed", "kill -9 $$")));
	printf("there is a shell: %d\n", system(NULL) != 0);
	file = popen(doing("popen", "date +%N; echo $$; exit 5"), "r");
	while (fgets(line, sizeof(line), file))
		printf("popen: %s", line);
	printf("end of file: %d, error: %d, descriptor: %d\n", feof(file), ferror(file),
	       fileno(file));
	tell("pclose", 0, pclose(file));
	file = popen(doing("written", "cat >> done.$PMI_RANK; exit 2"), "w");
	for (int i = 0; i < 3000; i++)
		fprintf(file, "line %d\n", i);
	tell("pclose of what was written", 0, pclose(file));
	file = popen(doing("closed", "echo $PPID"), "re");
	setvbuf(file, NULL, _IONBF, 0);
	number = fscanf(file, "%63s", line);
	printf("%d: %s, then closed: %d\n", number, line, closes(file));
	printf("popen of nothing: %d\n", popen("true", "x") ? 0 : errno);
	free(malloc(2000));
	printf("memory %p\n", malloc(2000));
}

static void use_forks(void)
{
	struct rusage usage;
	siginfo_t info;
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		be_child("fork");
	printf("child %d\n", (int)pid);
	pid = wait(&status);
	tell("wait", pid, status);
	if ((pid = fork()) == 0)
		be_child("again");
	while ((pid = waitpid(-1, &status, WNOHANG)) == 0)
		;
	tell("waitpid", pid, status);
	if (vfork() == 0) {
		execl("/bin/sh", "sh", "-c", doing("vfork", "exit 9"), NULL);
		_exit(1);
	}
	pid = wait4(-1, &status, 0, &usage);
	tell("wait4", pid, status);
	printf("%ld.%06ld s\n", (long)usage.ru_utime.tv_sec, (long)usage.ru_utime.tv_usec);
	pid = wait3(&status, 0, NULL);
	tell("wait for nothing", pid, status);
	if ((pid = fork()) == 0)
		for (;;)
			pause();
	printf("kill: %d\n", kill(pid, SIGTERM));
	printf("waitid: %d\n", waitid(P_PID, (id_t)pid, &info, WEXITED));
	printf("%d: signal %d\n", (int)info.si_pid, info.si_status);
	status = kill(pid, SIGTERM);
	printf("kill nobody: %d, %s\n", status, strerror(errno));
}

static void use_spawn(void)
{
	char *arguments[] = {"sh", "-c", NULL, NULL};
	int status = 0, code;
	pid_t pid = 0;

	arguments[2] = (char *)doing("spawn", "exit 4");
	code = posix_spawn(&pid, "/bin/sh", NULL, NULL, arguments, environ);
	printf("posix_spawn: %d, %d\n", code, (int)pid);
	pid = waitpid(pid, &status, 0);
	tell("waitpid", pid, status);
	arguments[2] = (char *)doing("spawnp", "exit 6");
	code = posix_spawnp(&pid, "sh", NULL, NULL, arguments, environ);
	printf("posix_spawnp: %d, %d\n", code, (int)pid);
	pid = waitpid(pid, &status, 0);
	tell("waitpid", pid, status);
	printf("posix_spawn of nothing: %d\n",
	       posix_spawn(&pid, "/nowhere", NULL, NULL, arguments, environ));
}

static volatile sig_atomic_t caught;

static void catch (int number)
{
	caught += number == SIGUSR1;
}

/* All in one process. `getpid` gives the recorded number at replay. */
static void use_signals(pid_t other)
{
	union sigval value = {0};

	signal(SIGUSR1, catch);
	if (kill(getpid(), SIGUSR1) == 0 && sigqueue(getpid(), SIGUSR1, value) == 0
	    && tgkill(getpid(), getpid(), SIGUSR1) == 0 && raise(SIGUSR1) == 0
	    && pthread_kill(pthread_self(), SIGUSR1) == 0
	    && syscall(SYS_kill, getpid(), SIGUSR1) == 0
	    && syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGUSR1) == 0)
		printf("signals of its own: %d\n", (int)caught);
	if (other > 0 && rank == 0)
		printf("to another process: %d\n", kill(other, SIGTERM));
}

/* Of this process, too, by its number. */
static void use_priorities(void)
{
	cpu_set_t processors;
	struct sched_param given = {0};
	const int set = setpriority(PRIO_PROCESS, (id_t)getpid(), 3);

	printf("priority: %d, %d\n", set, getpriority(PRIO_PROCESS, (id_t)getpid()));
	sched_getaffinity(0, sizeof(processors), &processors);
	printf("processors: %d\n", sched_setaffinity(getpid(), sizeof(processors), &processors));
	printf("scheduler: %d, %d\n", sched_getscheduler(getpid()),
	       sched_getparam(getpid(), &given));
	printf("of nobody: %d\n", sched_setscheduler(1 << 30, SCHED_OTHER, &given));
}

static void before(void)
{
	static void *some;

	free(some);
	some = malloc(3000);
	printf("before a fork: %p\n", some);
}

static void behind(void)
{
	printf("behind a fork: %p\n", malloc(1000));
}

static void *run_apart(void *unused)
{
	int status = system(doing("apart", "exit 3"));
	FILE *file;
	pid_t pid = fork();

	if (pid == 0)
		be_child("apart");
	if (pid > 0)
		waitpid(pid, NULL, 0);
	file = popen(doing("popen", "true"), "r");
	fprintf(stderr, "apart: %d, %d, %d\n", status, pid > 0, file != NULL);
	if (file)
		pclose(file);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	setvbuf(stdout, NULL, _IOLBF, 0); /* a child that ends would write it once more */
	pthread_atfork(before, behind, NULL);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (argc > 1 && strcmp(argv[1], "thread") == 0) {
		pthread_create(&thread, NULL, run_apart, NULL);
		pthread_join(thread, NULL);
	} else {
		use_commands();
		use_forks();
		use_spawn();
		use_priorities();
		use_signals(argc > 1 ? atoi(argv[1]) : 0);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	printf("rank %d ends: %d\n", rank, (int)getpid());
	MPI_Finalize();
	return 0;
}
