/* The job launcher (mpiexec), below a supervisor process (supervisor.h). It is started in a
 * session of its own, so Ctrl-C at the terminal reaches only this process. It is watched, and
 * ended with everything below it. It does not outlive this process. */
#ifndef MATCHPOINT_SCHEDULER_HOST_LAUNCHER_H
#define MATCHPOINT_SCHEDULER_HOST_LAUNCHER_H

#include <glib.h>
#include <stdbool.h>
#include <uv.h>

struct launcher;

struct launcher_options {
	uv_loop_t *loop;
	char **command;     /* the launcher's words and the program's, NULL-terminated */
	char **environment; /* of the launcher and its ranks */
	const char *input;  /* for its standard input; NULL: it is empty */
	int lock;           /* descriptor that stays open until the whole job has ended */
	/* The launcher has ended. `status` as in a shell (128 + signal). Not called after
	 * launcher_free. */
	void (*ended)(void *user, const struct launcher *launcher, int status);
	void *user;
};

/* Returns NULL with `error` set. */
struct launcher *launcher_start(const struct launcher_options *options, GError **error);

/* Ends what is left of the job, and frees. The job is gone once the loop has nothing more to do.
 * NULL is legal. */
void launcher_free(struct launcher *launcher);

/* false for NULL */
bool launcher_running(const struct launcher *launcher);

/* Returns the end of what the launcher and ranks without a shim have printed, for diagnostics.
 * Valid until the launcher is freed. */
const char *launcher_output(const struct launcher *launcher);

/* Returns the signal that ended a process of the job, as the launcher printed it; 0: not printed.
 * If no other process was ended by a signal, the launcher itself may have killed this one. */
int launcher_signal(const struct launcher *launcher);

struct launcher_job {
	/* words of --launcher, to which launcher_command adds "-n 4" if mpiexec, mpirun or srun is
	 * not told a number; NULL: "mpiexec.mpich -n 4" (struct mpi_runtime) */
	const char *custom;
	const char *nodes; /* virtual nodes, if not custom (explorer/nodes.h); NULL: none */
	int ranks;
	char *const *before;  /* in front of each program, NULL-terminated; NULL: nothing */
	char *const *program; /* of one program or several (explorer/program_parts.h) */
};

/* Returns the words of the launcher and of what it starts. Returns NULL with `error` set: those of
 * --launcher cannot be parsed, or there are too few ranks. Free with g_strfreev. */
char **launcher_command(const struct launcher_job *job, GError **error);

/* Returns the size of the universe that the words of --launcher name ("-usize 8"); -1: none, or one
 * without a limit. */
int launcher_universe(const char *custom);

/* matchpoint, called with `__launch COMMAND...`, is the supervisor of COMMAND. */
#define LAUNCHER_VERB "__launch"

/* Returns the beginning of a command line that runs this program again with a verb (char *, to be
 * freed with g_free; not NULL-terminated yet). */
GPtrArray *launcher_self(const char *verb);

#endif
