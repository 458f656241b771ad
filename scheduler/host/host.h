/* What carrying out interleavings takes from outside: time, jobs and their processes, what these
 * say, what is kept of them to be returned to. run/ does nothing of it by itself; local.h is the
 * machine that this process runs on, tests/sim has a host without any process, in which time is a
 * number.
 *
 * A host is a table of operations with its own data behind it. All of it happens in one thread:
 * what a host has to tell, it tells from within `turn`. Objects that a host hands out (timers,
 * links, jobs, snapshots) are freed by the operation named for it. A process is named by a number
 * above 0, which means nothing but to its host. */
#ifndef MATCHPOINT_SCHEDULER_HOST_HOST_H
#define MATCHPOINT_SCHEDULER_HOST_HOST_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/wire.h"
#include "memory_pressure.h"
#include "scheduler/store/record.h"
#include "thread_view.h"

struct host;
struct host_timer;
struct host_job;      /* what a launcher has started, and the launcher */
struct host_snapshot; /* the memory and the files that parked ranks share */

/* Whom a connection belongs to: nobody as yet, a rank of an execution, a keeper, or it is only
 * listened to for what its process says of its children, or it is that of a rank which is held. */
enum link_role { LINK_NEW, LINK_RANK, LINK_KEEPER, LINK_IGNORED, LINK_HELD };

/* The connection of a process. A host's own data stand behind this. */
struct host_link {
	struct host *host;
	/* Whoever listens sets these; at first NEW, and the `user` of `listen`. */
	enum link_role role;
	void *owner;
	int rank;
};

/* Who listens. */
struct host_listener {
	/* A whole message has come. The link may be closed meanwhile. Before its first message is
	 * told, the process is known to be one of the host's. */
	void (*message)(struct host_link *link, const struct wire_message *message);
	/* The process is gone, or has sent what is no message (`why`, else NULL). The link is freed
	 * when this has returned; not called for `close`. */
	void (*closed)(struct host_link *link, const char *why);
	/* MPI_Abort, or an error that MPI itself finds fatal: the rank waits to be killed. */
	void (*aborted)(void *user, guint32 world, int rank, int exit_code);
	/* A launcher has ended; status as a shell tells it (128 + signal). Not called after
	 * `job_free`. */
	void (*job_ended)(void *user, struct host_job *job, int status);
};

/* What is to be seen of the threads of a process. */
enum threads_state {
	THREADS_MOVE,   /* some run, or will by themselves */
	THREADS_LINGER, /* all sleep, some until a time has passed */
	THREADS_LISTEN, /* all sleep, some until something comes from outside (a pipe, a signal) */
	THREADS_SLEEP,  /* all wait for other threads */
};

struct host_operations {
	/* --- time --- */

	gint64 (*now)(struct host *host); /* microseconds; only differences mean anything */
	struct host_timer *(*timer_new)(struct host *host, void (*expired)(void *user), void *user);
	/* Once, from `turn`; begins anew if it is under way. */
	void (*timer_start)(struct host_timer *timer, guint64 milliseconds);
	void (*timer_stop)(struct host_timer *timer);
	bool (*timer_is_active)(const struct host_timer *timer);
	void (*timer_free)(struct host_timer *timer);
	/* Waits until there is something to tell, and tells it. */
	void (*turn)(struct host *host);
	/* What was freed or closed is gone for good when this returns, and nothing else is under
	 * way. */
	void (*drain)(struct host *host);

	/* --- what processes say --- */

	/* false with `error` set. `listener` outlives it; `user` is the first owner of links. */
	bool (*listen)(struct host *host, const struct host_listener *listener, void *user,
	               GError **error);
	/* Closes every link, and tells nothing more. */
	void (*close_all)(struct host *host);
	/* Before anything is waited for, with all else that is sent by then. A process that is gone
	 * is told by `closed`. */
	void (*send)(struct host_link *link, const struct wire_message *message);
	/* What was sent so far is on its way when this returns. NULL where it always is. */
	void (*send_off)(struct host *host);
	void (*close)(struct host_link *link);
	/* Whether something has come that was not told yet. */
	bool (*has_unread)(const struct host_link *link);

	/* --- worlds and jobs --- */

	/* Makes room for a world: the directory for its shared memory and what its ranks write, to
	 * be freed with g_free; NULL with `error` set. */
	char *(*world_add)(struct host *host, guint32 world, GError **error);
	void (*world_remove)(struct host *host, guint32 world);
	/* What was the room of one world is another's from now on, and so are the ranks that stay
	 * (stays[rank]): its directory, as above. */
	char *(*world_rename)(struct host *host, guint32 from, guint32 to, const bool *stays,
	                      int ranks, GError **error);
	/* Starts the program's ranks as that world. NULL with `error` set. */
	struct host_job *(*job_start)(struct host *host, guint32 world, const char *directory,
	                              GError **error);
	bool (*job_is_running)(const struct host_job *job);
	/* What its ranks wrote before anything could be controlled, or the launcher, shortened;
	 * free with g_free. */
	char *(*job_words)(const struct host_job *job);
	/* The signal that the launcher says has ended a rank; 0: it says nothing of it. */
	int (*job_signal)(const struct host_job *job);
	/* A link is that of this rank of the job; and which ranks have hung up so far, the first
	 * first (int; valid until the next call). */
	void (*job_connected)(struct host_job *job, int rank, const struct host_link *link);
	const GArray *(*job_disconnect_order)(struct host_job *job);
	/* Kills what is left of it. */
	void (*job_free)(struct host_job *job);

	/* Whether the program calls this function, as far as can be told without running it. */
	bool (*program_calls)(struct host *host, const char *function);

	/* --- processes --- */

	void (*kill)(struct host *host, pid_t process);
	/* Whether it is gone, or dead and only not yet waited for. */
	bool (*is_dead)(struct host *host, pid_t process);
	/* The process that has started it, or that it was left to when that one ended; 0: that is
	 * not known. */
	pid_t (*parent)(struct host *host, pid_t process);
	/* Whether somebody looks at it in a debugger; stops it there, as Ctrl-C does. */
	bool (*is_debugged)(struct host *host, pid_t process);
	void (*interrupt)(struct host *host, pid_t process);
	/* false: that memory cannot be read. */
	bool (*read_memory)(struct host *host, pid_t process, guint64 address, void *bytes,
	                    gsize count);
	/* The memory that it takes by itself, in bytes: of what n processes share one nth counts.
	 * 0: that is not known. */
	guint64 (*memory_of)(struct host *host, pid_t process);
	/* Whether it is at work with files: disk_work.h. */
	bool (*works_on_disk)(struct host *host, pid_t process, guint64 *bytes);
	/* Looks twice at each of these threads; those of a process but its first (struct
	 * thread_view, the caller's). */
	enum threads_state (*look_at_threads)(struct host *host, pid_t process,
	                                      struct thread_view *views, guint count);
	GArray *(*other_threads)(struct host *host, pid_t process);
	/* The first rank that has no process (`processes` by rank; 0: not known), or -1. */
	int (*rank_without_process)(struct host *host, const pid_t *processes, int ranks);
	/* What has been left behind by the ranks of a world is ended, and with `all` also that of
	 * which nobody can say whose it was; what has been by now is kept to the end. */
	void (*end_left_behind)(struct host *host, const char *directory, bool all);
	void (*keep_left_behind)(struct host *host);

	/* --- memory of all --- */

	/* Bytes that are available. */
	guint64 (*memory_free)(struct host *host);
	/* Whether processes have been killed for want of it: two of these tell whether some were
	 * meanwhile. */
	struct memory_pressure (*memory_pressure)(struct host *host);

	/* --- where addresses of a process stand: see places/source_lines.h --- */

	struct place (*place_of)(struct host *host, pid_t process, guint64 address);
	struct place (*place_of_stack)(struct host *host, pid_t process, const guint64 *addresses,
	                               guint count);
	bool (*frames_of)(struct host *host, pid_t process, guint64 address, GArray *frames);

	/* --- to return to --- */

	/* For ranks that park; each will tell what it maps; `directory` is their world's. */
	struct host_snapshot *(*snapshot_new)(struct host *host, int ranks, const char *directory);
	/* The same of a world that goes on afterwards, whose ranks stand still just now and keep
	 * their own memory themselves: to be given to snapshot_complete and snapshot_rewind alone.
	 * `before` (NULL: none) is one of that world, for what both have in common;
	 * `*ret_bytes` is what it takes beside that. NULL with `error` set; the function is NULL
	 * where ranks do not do so. */
	struct host_snapshot *(*snapshot_of_world)(struct host *host, const char *directory,
	                                           const struct host_snapshot *before,
	                                           guint64 *ret_bytes, GError **error);
	void (*snapshot_add)(struct host_snapshot *snapshot, int rank, pid_t process,
	                     const struct wire_parked *parked);
	/* All have: keeps the program's files as they are. false with `error` set: too much. */
	bool (*snapshot_complete)(struct host_snapshot *snapshot, GError **error);
	/* Fills the directory of a new world with its memory. false with `error` set. */
	bool (*snapshot_restore)(struct host_snapshot *snapshot, const char *directory,
	                         GError **error);
	/* The same in the directory of a world that was restored from it and is over, whose ranks
	 * still map its memory. */
	bool (*snapshot_rewind)(struct host_snapshot *snapshot, const char *directory,
	                        GError **error);
	/* What a copy of a rank has to map then; `list` is g_free's. */
	guint32 (*snapshot_clones)(const struct host_snapshot *snapshot, int rank,
	                           struct wire_clone **ret_list);
	void (*snapshot_free)(struct host_snapshot *snapshot);
	/* The program's files become what they were then; NULL: at first. */
	void (*put_files_back)(struct host *host, const struct host_snapshot *snapshot);
	/* To be called every second or so: this process lives, and the files are still its own. */
	void (*lives)(struct host *host);
};

/* A host's own data stand behind this. */
struct host {
	const struct host_operations *operations;
};

/* Nothing happens when the link is NULL, nor in `close`. */
static inline void host_send(struct host_link *link, const struct wire_message *message)
{
	if (link)
		link->host->operations->send(link, message);
}

static inline void host_close(struct host_link *link)
{
	if (link)
		link->host->operations->close(link);
}

static inline gint64 host_now(struct host *host)
{
	return host->operations->now(host);
}

/* Has the host tell things until the condition holds or seconds have passed (0: no bound); false:
 * they have. */
bool host_wait(struct host *host, bool (*condition)(void *data), void *data, double seconds);

#endif
