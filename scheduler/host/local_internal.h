/* What the files of the local host share: local.c (time, connections), local_job.c,
 * local_output.c, local_process.c, local_snapshot.c. */
#ifndef MATCHPOINT_SCHEDULER_HOST_LOCAL_INTERNAL_H
#define MATCHPOINT_SCHEDULER_HOST_LOCAL_INTERNAL_H

#include <stdbool.h>

#include "link.h"
#include "local.h"
#include "pmi.h"
#include "scheduler/places/source_lines.h"

struct local {
	struct host base;
	uv_loop_t loop;
	struct local_options options;
	char *shim;
	struct link_server *server;
	struct pmi_server *pmi;
	struct cluster *cluster; /* NULL: all ranks are on this machine */
	const struct host_listener *listener;
	void *user; /* of the listener */
	struct source_lines *lines;
	struct world_files *files;       /* of worlds that are rewound */
	bool *calls;                     /* program_calls; NULL: not known yet */
	char *launched;                  /* why a launcher has started the ranks; NULL: none has */
	bool knows_polls, polls;         /* the program polls */
	bool knows_sanitized, sanitized; /* it is built with AddressSanitizer */
};

/* The local host's own operations, for those of a cluster. */
extern const struct host_operations local_operations;

static inline struct local *local_of(struct host *host)
{
	return (struct local *)host;
}

/* As in struct host_operations. */
struct host_job *local_job_start(struct host *host, guint32 world, const char *directory,
                                 GError **error);
struct host_job *local_job_restart(struct host *host, guint32 world, const char *directory,
                                   const struct disk_checkpoint *checkpoint, GError **error);
/* local_restart.c: prepares the directory of a restarted world, and the program's files; and the
 * command and environment of its ranks, added to those of a job. */
bool local_prepare_restart(const struct local *local, guint32 world, const char *directory,
                           const struct disk_checkpoint *checkpoint, GError **error);
char **local_restart_environment(char **environment, const struct disk_checkpoint *checkpoint,
                                 GError **error);
char **local_restart_program(const struct disk_checkpoint *checkpoint);
bool local_job_is_running(const struct host_job *job);
char *local_launched(struct host *host);
char *local_job_words(const struct host_job *job);
int local_job_signal(const struct host_job *job);
void local_job_connected(struct host_job *job, int rank, const struct host_link *link);
const GArray *local_job_disconnect_order(struct host_job *job);
void local_job_free(struct host_job *job);

void local_rank_output(struct host *host, const struct host_range *range,
                       void (*done)(void *user, struct host_output output), void *user);
void local_room_of(struct host *host, const char *directory,
                   void (*done)(void *user, struct host_room room), void *user);
void local_file_look(struct host *host, const char *path,
                     void (*done)(void *user, struct host_file file), void *user);
void local_file_read(struct host *host, const char *path, guint64 most,
                     void (*done)(void *user, GBytes *contents), void *user);

bool local_program_calls(struct host *host, const char *function);
bool local_can_digest(struct host *host);

void local_kill(struct host *host, pid_t process);
bool local_is_dead(struct host *host, pid_t process);
pid_t local_parent(struct host *host, pid_t process);
void local_signal(struct host *host, pid_t process, int number);
void local_tracing_of(struct host *host, pid_t process,
                      void (*done)(void *user, enum host_tracing tracing), void *user);
bool local_is_debugged(struct host *host, pid_t process);
void local_interrupt(struct host *host, pid_t process);
bool local_is_watched(struct host *host);
void local_show_processes(struct host *host, guint32 world, const pid_t *processes, int ranks);
void local_show_abort(struct host *host, guint32 world, const char *why);
bool local_read_memory(struct host *host, pid_t process, guint64 address, void *bytes, gsize count);
guint64 local_memory_of(struct host *host, pid_t process);
bool local_works_on_disk(struct host *host, pid_t process, guint64 *bytes);
enum threads_state local_look_at_threads(struct host *host, pid_t process,
                                         struct thread_view *views, guint count);
GArray *local_other_threads(struct host *host, pid_t process);
void local_debuggee_of(struct host *host, pid_t process,
                       void (*done)(void *user, struct host_debuggee debuggee), void *user);
GArray *local_stack_of(struct host *host, pid_t process, pid_t thread);
int local_rank_without_process(struct host *host, const pid_t *processes, int ranks);
void local_end_left_behind(struct host *host, const char *directory, bool all);
void local_keep_left_behind(struct host *host);
struct place local_place_of(struct host *host, pid_t process, guint64 address);
struct place local_place_of_stack(struct host *host, pid_t process, const guint64 *addresses,
                                  guint count);
bool local_frames_of(struct host *host, pid_t process, guint64 address, GArray *frames);

struct host_snapshot *local_snapshot_new(struct host *host, int ranks, const char *directory);
struct host_snapshot *local_snapshot_of_world(struct host *host, const char *directory,
                                              const struct host_snapshot *before,
                                              guint64 *ret_bytes, GError **error);
void local_snapshot_add(struct host_snapshot *snapshot, int rank, pid_t process,
                        const struct wire_parked *parked);
bool local_snapshot_complete(struct host_snapshot *snapshot, GError **error);
bool local_snapshot_restore(struct host_snapshot *snapshot, const char *directory, GError **error);
bool local_snapshot_rewind(struct host_snapshot *snapshot, const char *directory, GError **error);
guint32 local_snapshot_clones(const struct host_snapshot *snapshot, int rank,
                              struct wire_clone **ret_list);
void local_snapshot_free(struct host_snapshot *snapshot);
void local_put_files_back(struct host *host, const struct host_snapshot *snapshot);
void local_lives(struct host *host);

#endif
