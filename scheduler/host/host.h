/* What executions take from outside: time, jobs and their processes, messages, and the memory
 * that snapshots keep. execution/ and the rooms below it use nothing else. local.h is the machine
 * that this process runs on, and cluster.h that machine with others.
 * tests/sim has a host without processes, in which time is a number.
 *
 * A host is a table of operations, with the host's own data behind it. Everything happens in one
 * thread: a host calls its listener and its timers only from within `iterate`. Objects that a host
 * hands out (timers, links, jobs, snapshots) are freed by the operation named for it. A process
 * is identified by a number above 0, which has a meaning only for its host. */
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
struct host_job;      /* a launcher and what it has started */
struct host_snapshot; /* memory and files that parked ranks share */

/* What a connection belongs to: nothing yet; a rank of an execution; a keeper; a process of which
 * only reports about its children are read; a held rank. */
enum link_role { LINK_NEW, LINK_RANK, LINK_KEEPER, LINK_IGNORED, LINK_HELD };

/* The connection of a process. The host's own data follow this struct. */
struct host_link {
	struct host *host;
	/* Set by the listener. At first LINK_NEW, and the `user` of `listen`. */
	enum link_role role;
	void *owner;
	int rank;
};

struct disk_checkpoint; /* ckpt/disk_folder.h */

/* Callbacks for what processes do. */
struct host_listener {
	/* A whole message has arrived. The callback may close the link. Before the first message
	 * of a link is delivered, its process is known to be one of the host's. */
	void (*message)(struct host_link *link, const struct wire_message *message);
	/* The process is gone, or has sent something that is no message (`why`, else NULL). The
	 * link is freed after this returns. Not called after `close`. */
	void (*closed)(struct host_link *link, const char *why);
	/* MPI_Abort, or an error that MPI itself treats as fatal. The rank waits to be killed. */
	void (*aborted)(void *user, guint32 world, int rank, int exit_code);
	/* A launcher has ended. `status` as in a shell (128 + signal). Not called after
	 * `job_free`. */
	void (*job_ended)(void *user, struct host_job *job, int status);
	/* The host cannot go on: why, for messages. Other callbacks may follow. */
	void (*failed)(void *user, const char *why);
};

/* Where a rank prints. */
enum host_stream { HOST_STREAM_OUTPUT, HOST_STREAM_ERRORS, HOST_STREAMS };

/* A part of what a rank has printed so far: at most `most` bytes, from the byte `from` on. */
struct host_range {
	const char *directory; /* of its world */
	int rank;
	enum host_stream stream;
	guint64 from, most;
	bool last; /* the last bytes instead, while the rank is there: `cut` stays to be seen */
};

/* The answer: the part as the rank printed it, not a file. Its members are owned by whom it is
 * given to. */
struct host_output {
	GBytes *bytes; /* not NULL */
	guint64 size;  /* what the rank printed so far in this stream, in bytes */
	char *lost;    /* why it cannot be read, for messages; NULL: it can */
	bool cut;      /* some is missing: for a while there was no room for it. Set once: the next
	                  interleaving of the world's directory begins anew */
	bool on_disk;  /* it is kept on a disk, not in shared memory */
	char *place;   /* directory in which it is kept, for messages */
};

/* Frees the members, and clears them. */
void host_output_clear(struct host_output *output);

/* Which place of a world is full. */
enum host_fullness { HOST_ROOM_LEFT, HOST_NO_DISK, HOST_NO_SHARED_MEMORY };

/* Whether there is room where the output and the shared memory of a world are kept. `place` is
 * owned by whom it is given to. */
struct host_room {
	enum host_fullness full;
	char *place;      /* directory that is full, for messages; NULL: none */
	double megabytes; /* size of its file system */
	bool on_disk;     /* output is kept on a disk, not in shared memory */
};

/* What is at a path of the program's, after symbolic links. All zeros: nothing. */
struct host_file {
	bool is_there, is_link; /* at the path itself; the rest by what it leads to */
	bool is_regular;
	guint64 device, inode, size;
	gint64 modified_s, modified_ns; /* since 1970: seconds, and the nanoseconds besides */
	char *real; /* absolute, without symbolic links; NULL: not known. Owned by whom it is given
	               to */
};

/* Whether something traces a process: a debugger, as a rule. */
enum host_tracing {
	HOST_NOT_TRACED,     /* or the process is gone */
	HOST_TRACED,         /* it runs, or waits by itself */
	HOST_TRACED_STOPPED, /* the tracer has stopped it */
};

/* What a gdb on this machine has to know of a process. The members are owned by whom it is given
 * to. */
struct host_debuggee {
	char *attach;   /* command by which gdb attaches to it; not NULL: gdb prints why it fails */
	char *program;  /* path of its program, on this machine; NULL: not known */
	char *mappings; /* in the format of /proc/PID/maps (proc(5)); NULL: not known */
};

/* Frees the members, and clears them. */
void host_debuggee_clear(struct host_debuggee *debuggee);

/* Callbacks for a host that answers at once: they write the answer to what `user` points at, which
 * has the same type. */
void host_take_output(void *user, struct host_output output);
void host_take_room(void *user, struct host_room room);
void host_take_file(void *user, struct host_file file);
void host_take_debuggee(void *user, struct host_debuggee debuggee);
void host_take_tracing(void *user, enum host_tracing tracing);
void host_take_contents(void *user, GBytes *contents);

/* What the threads of a process do, as seen from outside. */
enum threads_state {
	THREADS_MOVE,   /* some run, or will run by themselves */
	THREADS_LINGER, /* all sleep, some with a time limit */
	THREADS_LISTEN, /* all sleep, some until input from outside (a pipe, a signal) */
	THREADS_SLEEP,  /* all wait for other threads */
};

struct host_operations {
	/* --- time --- */

	gint64 (*now)(struct host *host); /* microseconds; only differences have a meaning */
	struct host_timer *(*timer_new)(struct host *host, void (*expired)(void *user), void *user);
	/* Expires once, within `iterate`. Starts anew if the timer is active. */
	void (*timer_start)(struct host_timer *timer, guint64 milliseconds);
	void (*timer_stop)(struct host_timer *timer);
	bool (*timer_is_active)(const struct host_timer *timer);
	void (*timer_free)(struct host_timer *timer);
	/* Waits until something has happened, and calls the callbacks for it. */
	void (*iterate)(struct host *host);
	/* Runs until everything that was freed or closed is gone, and nothing else is under way. */
	void (*drain)(struct host *host);

	/* --- connections --- */

	/* Returns false with `error` set. `listener` outlives the host; `user` is the first owner
	 * of each link. */
	bool (*listen)(struct host *host, const struct host_listener *listener, void *user,
	               GError **error);
	/* Closes every link. No callback is called afterwards. */
	void (*close_all)(struct host *host);
	/* Queues a message. It is sent before the host waits, together with other queued
	 * messages. If the process is gone, `closed` reports it. */
	void (*send)(struct host_link *link, const struct wire_message *message);
	/* Sends everything that is queued. NULL: nothing is ever queued. */
	void (*send_off)(struct host *host);
	void (*close)(struct host_link *link);
	/* Whether a message has arrived that was not delivered yet. */
	bool (*has_unread)(const struct host_link *link);

	/* --- worlds and jobs --- */

	/* Makes the directory of a world, for its shared memory and its ranks' output. Returns
	 * its path, to be freed with g_free; NULL with `error` set. */
	char *(*world_add)(struct host *host, guint32 world, GError **error);
	void (*world_remove)(struct host *host, guint32 world);
	/* Gives the directory of one world to another, and with it the ranks that stay
	 * (stays[rank]). Returns the path, as above. */
	char *(*world_rename)(struct host *host, guint32 from, guint32 to, const bool *stays,
	                      int ranks, GError **error);
	/* Ranks print much: their output is kept on a disk in worlds that begin from now on, if
	 * that is possible. */
	void (*output_to_disk)(struct host *host);
	/* rank_output reads what a rank of a world has printed; room_of finds out whether all of
	 * it had room. Each calls `done` once: before it returns, or later within `iterate`. A host
	 * that gets no answer from elsewhere in time calls it, too, with `lost` set; the world must
	 * exist until then. So wait by host_wait, or go on in `done`. */
	void (*rank_output)(struct host *host, const struct host_range *range,
	                    void (*done)(void *user, struct host_output output), void *user);
	void (*room_of)(struct host *host, const char *directory,
	                void (*done)(void *user, struct host_room room), void *user);
	/* Files where the program works. file_look finds out what is at a path. file_read reads it:
	 * the bytes of a file, or a few words in parentheses about anything else, and about a file
	 * of more than `most` bytes; NULL: there is nothing. A symbolic link is read as such.
	 * Each calls `done` as rank_output does; a host that gets no answer in time answers that
	 * there is nothing. */
	void (*file_look)(struct host *host, const char *path,
	                  void (*done)(void *user, struct host_file file), void *user);
	void (*file_read)(struct host *host, const char *path, guint64 most,
	                  void (*done)(void *user, GBytes *contents), void *user);
	/* Starts the program's ranks as that world. Returns NULL with `error` set. */
	struct host_job *(*job_start)(struct host *host, guint32 world, const char *directory,
	                              GError **error);
	/* Starts the ranks of a checkpoint on disk (ckpt/disk_folder.h) as that world, and gives
	 * its directory what they share. The rest as job_start. NULL: this host cannot. */
	struct host_job *(*job_restart)(struct host *host, guint32 world, const char *directory,
	                                const struct disk_checkpoint *checkpoint, GError **error);
	/* Returns why the ranks of jobs are started by a launcher, each for itself, as a clause;
	 * NULL: they are not. Free with g_free. NULL: not known of this host. */
	char *(*launched)(struct host *host);
	bool (*job_is_running)(const struct host_job *job);
	/* Returns what ranks wrote to standard error, else the launcher's output, shortened to
	 * the end. Free with g_free. */
	char *(*job_words)(const struct host_job *job);
	/* Returns the signal that ended a rank, as the launcher printed it; 0: not known. */
	int (*job_signal)(const struct host_job *job);
	/* job_connected registers the link of a rank of the job. job_disconnect_order returns the
	 * ranks that have disconnected, in order (int; valid until the next call). */
	void (*job_connected)(struct host_job *job, int rank, const struct host_link *link);
	const GArray *(*job_disconnect_order)(struct host_job *job);
	/* Kills what is left of the job, and frees it. */
	void (*job_free)(struct host_job *job);

	/* Whether the program calls this function, as far as its files show. */
	bool (*program_calls)(struct host *host, const char *function);
	/* Whether ranks can report digests: their memory can be told from MPI's. */
	bool (*can_digest)(struct host *host);

	/* --- processes --- */

	void (*kill)(struct host *host, pid_t process);
	/* Whether the process is gone, or is a zombie. */
	bool (*is_dead)(struct host *host, pid_t process);
	/* Returns the parent of a process, or its subreaper if the parent has ended. 0: not
	 * known. */
	pid_t (*parent)(struct host *host, pid_t process);
	/* Sends a signal. */
	void (*signal)(struct host *host, pid_t process, int number);
	/* Finds out whether the process is traced. Calls `done` as rank_output does; a host that
	 * gets no answer in time answers HOST_NOT_TRACED. */
	void (*tracing_of)(struct host *host, pid_t process,
	                   void (*done)(void *user, enum host_tracing tracing), void *user);
	/* is_debugged: whether a debugger has stopped the process. interrupt: stops it there, as
	 * Ctrl-C does. */
	bool (*is_debugged)(struct host *host, pid_t process);
	void (*interrupt)(struct host *host, pid_t process);
	/* For debuggers that ask for the processes of all ranks (process_table.h); NULL if there
	 * can be none. is_watched: ranks wait until show_processes has returned. */
	bool (*is_watched)(struct host *host);
	void (*show_processes)(struct host *host, guint32 world, const pid_t *processes, int ranks);
	void (*show_abort)(struct host *host, guint32 world, const char *why);
	/* Returns false if the memory cannot be read. */
	bool (*read_memory)(struct host *host, pid_t process, guint64 address, void *bytes,
	                    gsize count);
	/* Returns the memory of the process in bytes. Of memory that n processes share, one nth
	 * counts. 0: not known. */
	guint64 (*memory_of)(struct host *host, pid_t process);
	/* Whether the process works on files: disk_work.h. */
	bool (*works_on_disk)(struct host *host, pid_t process, guint64 *bytes);
	/* look_at_threads reads the state of each of these threads twice. other_threads returns
	 * the threads of a process except its first (struct thread_view; owned by the caller). */
	enum threads_state (*look_at_threads)(struct host *host, pid_t process,
	                                      struct thread_view *views, guint count);
	GArray *(*other_threads)(struct host *host, pid_t process);
	/* Finds out what gdb has to know of the process. Calls `done` as rank_output does; a host
	 * that gets no answer in time answers that nothing but the command is known. */
	void (*debuggee_of)(struct host *host, pid_t process,
	                    void (*done)(void *user, struct host_debuggee debuggee), void *user);
	/* Returns the call stack of one of its threads, as live_stack does (places/live_stack.h).
	 * It returns when it is answered, and a host sets a limit for that: whoever asks stops the
	 * thread in any case, and while the ranks run may not wait otherwise. */
	GArray *(*stack_of)(struct host *host, pid_t process, pid_t thread);
	/* Returns the first rank that has no process, or -1. `processes`: by rank; 0: not known. */
	int (*rank_without_process)(struct host *host, const pid_t *processes, int ranks);
	/* end_left_behind ends what the ranks of a world have left behind; `all`: also processes
	 * whose world is unknown. keep_left_behind keeps what was left behind so far to the end
	 * of the run. */
	void (*end_left_behind)(struct host *host, const char *directory, bool all);
	void (*keep_left_behind)(struct host *host);

	/* --- memory of the machine --- */

	/* Returns the bytes that are available. */
	guint64 (*memory_free)(struct host *host);
	/* Counts the processes that were killed because memory ran out. Compare two counts to see
	 * whether some were killed in between. */
	struct memory_pressure (*memory_pressure)(struct host *host);

	/* --- places of addresses of a process: see places/source_lines.h --- */

	struct place (*place_of)(struct host *host, pid_t process, guint64 address);
	struct place (*place_of_stack)(struct host *host, pid_t process, const guint64 *addresses,
	                               guint count);
	bool (*frames_of)(struct host *host, pid_t process, guint64 address, GArray *frames);

	/* --- snapshots --- */

	/* Begins a snapshot of ranks that park; each will report what it maps. `directory`: that
	 * of their world. */
	struct host_snapshot *(*snapshot_new)(struct host *host, int ranks, const char *directory);
	/* Takes a snapshot of a world whose ranks are idle now, go on afterwards, and keep their
	 * own memory themselves. Use it only with snapshot_complete, snapshot_rewind and
	 * snapshot_free. `before` is an earlier one of that world, with which memory is shared;
	 * NULL: none. `*ret_bytes` is what it takes in addition to `before`. Returns NULL with
	 * `error` set. The function is NULL if ranks cannot do this. */
	struct host_snapshot *(*snapshot_of_world)(struct host *host, const char *directory,
	                                           const struct host_snapshot *before,
	                                           guint64 *ret_bytes, GError **error);
	void (*snapshot_add)(struct host_snapshot *snapshot, int rank, pid_t process,
	                     const struct wire_parked *parked);
	/* All ranks have parked: saves the program's files. Returns false with `error` set if
	 * they are too large. */
	bool (*snapshot_complete)(struct host_snapshot *snapshot, GError **error);
	/* Fills the directory of a new world with the snapshot's memory. Returns false with
	 * `error` set. */
	bool (*snapshot_restore)(struct host_snapshot *snapshot, const char *directory,
	                         GError **error);
	/* Does the same in the directory of a world that was restored from the snapshot and is
	 * over. Its ranks still map this memory. */
	bool (*snapshot_rewind)(struct host_snapshot *snapshot, const char *directory,
	                        GError **error);
	/* Returns how many mappings a copy of a rank needs, and their list; free it with g_free. */
	guint32 (*snapshot_clones)(const struct host_snapshot *snapshot, int rank,
	                           struct wire_clone **ret_list);
	void (*snapshot_free)(struct host_snapshot *snapshot);
	/* Puts the program's files back to their state at the snapshot; NULL: to their first
	 * state. */
	void (*put_files_back)(struct host *host, const struct host_snapshot *snapshot);
	/* Shows that this process lives, so its files are still its own. Call it about every
	 * second. */
	void (*lives)(struct host *host);
};

/* The host's own data follow this struct. */
struct host {
	const struct host_operations *operations;
};

/* Does nothing if the link is NULL; so does host_close. */
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

/* Whether the job of a program has ranks outside of the first MPI_COMM_WORLD, or connects some, so
 * that the program's MPI_COMM_WORLD cannot be MPI's (docs/internals/worlds.md). */
bool host_divides_job(struct host *host, char *const *program, int ranks);

/* Runs the host until the condition holds, or until `seconds` have passed (0: no limit). Returns
 * whether the condition holds. Not within `iterate`. */
bool host_wait(struct host *host, bool (*condition)(void *data), void *data, double seconds);

#endif
