/* Replaces the launcher's PMI service for processes that the launcher does not know: PMI-1 over a
 * Unix socket, for every rank after MPI_Init.
 *
 * A connection begins with "matchpoint world=W rank=R\n". Lines "cmd=... key=value ...\n" follow,
 * as MPICH writes them to $PMI_FD. MPI_Abort and errors that are fatal inside the library arrive
 * here. */
#ifndef MATCHPOINT_SCHEDULER_HOST_PMI_H
#define MATCHPOINT_SCHEDULER_HOST_PMI_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>
#include <uv.h>

struct pmi_handler {
	/* MPI_Abort, or an error that MPI itself treats as fatal. The rank gets no answer and
	 * waits to be killed. */
	void (*abort)(void *user, guint32 world, int rank, int exit_code);
	/* Returns how many ranks a world has. */
	int (*ranks)(void *user, guint32 world);
	/* Returns what MPI_UNIVERSE_SIZE is (MPI 3.1, section 10.5.1); -1: not set. NULL: -1 */
	int (*universe)(void *user);
	/* Whether a process belongs to the run. Connections of others are closed. NULL: all are
	 * accepted. */
	bool (*knows)(void *user, pid_t pid);
	/* A process speaks another version of PMI. It gets no answer. NULL: it gets one. */
	void (*stranger)(void *user, pid_t pid);
};

struct pmi_server;

/* Listens on `path`. `handler` must outlive the server. Returns NULL with `error` set. */
struct pmi_server *pmi_server_new(uv_loop_t *loop, const char *path,
                                  const struct pmi_handler *handler, void *user, GError **error);

/* What the ranks of a world have published (MPI_Publish_name): name to port. A copy, to be freed
 * with g_hash_table_unref; NULL: nothing. */
GHashTable *pmi_server_names(const struct pmi_server *server, guint32 world);

/* A world continues where these names were published. `names` is copied; NULL: none. */
void pmi_server_set_names(struct pmi_server *server, guint32 world, GHashTable *names);

/* A world is over, and some of its ranks (stays[rank]) will be in another one, with their
 * connections. Forgets the world's values, names and barriers. Other ranks' connections belong to
 * no world until they send a new first line; input that was not handled yet is dropped. */
void pmi_server_rename(struct pmi_server *server, guint32 from, guint32 to, const bool *stays,
                       int ranks);

/* A world is over: forgets its values and names, and closes its connections. */
void pmi_server_forget(struct pmi_server *server, guint32 world);

/* Closes everything. The memory is freed when the loop has run the closing callbacks. NULL is
 * legal. */
void pmi_server_close(struct pmi_server *server);

#endif
