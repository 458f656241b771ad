/* Who talks to a session: new connections, keepers, PMI. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "environment.h"
#include "log.h"
#include "peer.h"
#include "session_internal.h"

static struct execution *find_execution(struct session *session, guint32 world)
{
	return g_hash_table_lookup(session->executions, GUINT_TO_POINTER(world));
}

static void on_hello(struct session *session, struct link *link, const struct wire_hello *hello)
{
	struct execution *execution = find_execution(session, hello->world);
	gint64 now = g_get_monotonic_time();

	log_debug(LOG_RANK, "rank %d of world %u is pid %d, %s", hello->rank, hello->world,
	          hello->pid, hello->program);

	if (!peer_belongs(peer_of(link_socket(link)), run_directory_path(session->directory))) {
		log_debug(LOG_RANK, "but it is none of this run's");
		link_close(link);
	} else if (hello->version != WIRE_VERSION) {
		session_fail(session,
		             "%s was started with another version of matchpoint's shim "
		             "(protocol %u, not %u); rebuild or reinstall matchpoint",
		             hello->program, hello->version, WIRE_VERSION);
	} else if (!execution) {
		link_close(link); /* a straggler of a world that is over */
	} else if (hello->rank < 0 || hello->rank >= session->options->ranks) {
		session_fail(session,
		             "a process (%s, pid %d) says it is rank %d of %d: does the "
		             "launcher start %d ranks?",
		             hello->program, hello->pid, hello->rank, session->options->ranks,
		             session->options->ranks);
	} else {
		if (!hello->restored && !session->exploration->mpi && hello->mpi)
			session->exploration->mpi = g_strdup(hello->mpi);
		execution_connected(execution, link, hello);
		if (hello->restored && execution->connected == session->options->ranks)
			session->restore_seconds = 0.5 * session->restore_seconds
			                           + 0.5 * (double)(now - execution->started)
			                                     / G_USEC_PER_SEC;
	}
}

static void on_child(struct session *session, struct link *link, const struct wire_child *child)
{
	struct execution *execution = find_execution(session, child->world);
	int rank = link_index(link);

	if (!child->ended && child->pid <= 0) {
		session_fall_back(session, g_strdup_printf("rank %d could not be forked: too many "
		                                           "processes, or too little memory",
		                                           rank));
		return;
	}
	if (!child->ended || !execution)
		return;
	if (execution->state == EXECUTION_STARTING) {
		if (execution_is_outside(child->status)
		    && execution_strike(execution, "rank %d while it was restored", rank))
			return;
		session_fall_back(
			session,
			g_strdup_printf("rank %d could not be restored from its snapshot", rank));
		return;
	}
	execution_rank_status(execution, rank, child->status);
}

static void on_message(struct link *link, const struct wire_message *message)
{
	struct frozen *frozen;

	switch (link_role(link)) {
	case LINK_NEW:
		if (message->type == WIRE_HELLO)
			on_hello(link_owner(link), link, &message->hello);
		else
			link_close(link);
		break;
	case LINK_RANK:
		execution_message(link_owner(link), link_index(link), message);
		break;
	case LINK_KEEPER:
		frozen = link_owner(link);
		if (message->type == WIRE_CHILD)
			on_child(frozen->session, link, &message->child);
		break;
	case LINK_IGNORED:
		if (message->type == WIRE_CHILD)
			on_child(link_owner(link), link, &message->child);
		break;
	}
}

/* Its copies go with it. */
static void on_keeper_gone(struct frozen *frozen, int rank)
{
	struct session *session = frozen->session;
	g_autoptr(GList) executions = g_hash_table_get_values(session->executions);

	frozen->links[rank] = NULL;
	if (session->snapshots)
		session_fall_back(session,
		                  g_strdup_printf("the snapshot of rank %d was lost: its process "
		                                  "was killed from outside, or memory ran out",
		                                  rank));
	for (GList *item = executions; item; item = item->next)
		if (((struct execution *)item->data)->from == frozen)
			execution_keeper_lost(item->data, rank);
}

static void on_closed(struct link *link, const char *why)
{
	if (link_role(link) == LINK_RANK)
		execution_link_closed(link_owner(link), link_index(link), why);
	else if (link_role(link) == LINK_KEEPER)
		on_keeper_gone(link_owner(link), link_index(link));
}

const struct link_handler session_link_handler = {on_message, on_closed};

static void on_pmi_abort(void *user, guint32 world, int rank, int exit_code)
{
	struct execution *execution = find_execution(user, world);

	if (!execution || rank < 0 || rank >= execution->session->options->ranks
	    || execution->ends[rank].aborted)
		return;
	execution->ends[rank].aborted = execution->ends[rank].deaf = TRUE;
	execution->ends[rank].abort_code = exit_code;
	execution->heard = g_get_monotonic_time();
	world_rank_stopped(execution->world, rank);
	execution_advance(execution);
}

static int on_pmi_ranks(void *user, guint32 world)
{
	struct session *session = user;

	(void)world;
	return session->options->ranks;
}

static gboolean on_pmi_knows(void *user, pid_t pid)
{
	const struct session *session = user;

	return peer_belongs(pid, run_directory_path(session->directory));
}

const struct pmi_handler session_pmi_handler = {on_pmi_abort, on_pmi_ranks, on_pmi_knows};
