/* What is left of the launcher's service for processes that the launcher does not know: PMI-1 over
 * a Unix socket, for every rank after MPI_Init.
 *
 * A connection opens with "matchpoint world=W rank=R\n"; then lines "cmd=... key=value ...\n" as
 * MPICH writes them to $PMI_FD. MPI_Abort and errors that are fatal inside the library come this
 * way. */
#ifndef MATCHPOINT_SCHEDULER_HOST_PMI_H
#define MATCHPOINT_SCHEDULER_HOST_PMI_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>
#include <uv.h>

struct pmi_handler {
	/* MPI_Abort, or an error that MPI itself finds fatal. The rank gets no answer and waits to
	 * be killed. */
	void (*abort)(void *user, guint32 world, int rank, int exit_code);
	/* How many ranks a world has. */
	int (*ranks)(void *user, guint32 world);
	/* Whether a process is one of the run's: others are not listened to. NULL: all are. */
	bool (*knows)(void *user, pid_t pid);
};

struct pmi_server;

/* Listens on `path`. `handler` must outlive the server. NULL with `error` set. */
struct pmi_server *pmi_server_new(uv_loop_t *loop, const char *path,
                                  const struct pmi_handler *handler, void *user, GError **error);

/* A world is over, and some of its ranks (stays[rank]) will be in another one, with the connections
 * that they have: forgets what was put, and who waits in a barrier. Other ranks' connections are
 * nobody's until they open again, with their first line: what is still to be read of them is of the
 * world that is over. */
void pmi_server_rename(struct pmi_server *server, guint32 from, guint32 to, const bool *stays,
                       int ranks);

/* A world is over: forgets it likewise, and closes its connections. */
void pmi_server_forget(struct pmi_server *server, guint32 world);

/* Closes everything; the memory goes when the loop has run the closing callbacks. NULL is legal. */
void pmi_server_close(struct pmi_server *server);

#endif
