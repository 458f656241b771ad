/* What the files of the simulated host share: sim_host.c (the table), sim_time.c (events and
 * timers), sim_link.c (messages), sim_process.c (ranks, keepers, jobs), sim_held.c (held ranks),
 * sim_image.c (images), sim_memory.c (shared memory, snapshots), sim_output.c (answers about
 * output and tracing). */
#ifndef MATCHPOINT_TESTS_SIM_HOST_SIM_INTERNAL_H
#define MATCHPOINT_TESTS_SIM_HOST_SIM_INTERNAL_H

#include <stdbool.h>

#include "sim_host.h"

struct sim_process;

struct sim_event {
	gint64 time;
	guint64 number; /* of two events at one time the one with the lower number is first */
	void (*happen)(void *object, GBytes *frame);
	void *object;
	GBytes *frame; /* owned; NULL: none */
};

struct sim {
	struct host base;
	struct sim_options options;
	GRand *random;
	gint64 now;
	guint64 events_made, events_happened;
	GPtrArray *events; /* struct sim_event; a heap, the next one first */
	const struct host_listener *listener;
	void *user;
	GPtrArray *processes;  /* struct sim_process; all ever made */
	GPtrArray *jobs;       /* struct host_job; all ever made */
	GPtrArray *closed;     /* struct sim_link: closed since the last event began; referenced */
	GHashTable *shared;    /* struct fake_memory, by world */
	GHashTable *idle_time; /* guint64, by world */
	guint faults;          /* bits: may still occur */
	guint happened;
	guint worlds_ended; /* number of ranks that ended normally */
	guint struck_at;    /* worlds_ended at the last fault from outside */
	guint questions;    /* of sim_output.c */
	guint starved;      /* ranks killed for want of memory */
	guint rewound;      /* ranks rewound in place */
	guint images;       /* images kept by ranks */
	guint images_used;  /* returns to an image */
	guint early_parks;  /* orders to park before a HELLO had arrived */
	bool slow;
	bool computes; /* SIM_LONG */
	bool hangs;
};

struct host_timer {
	struct sim *sim;
	void (*expired)(void *user);
	void *user;
	struct sim_event *event; /* NULL: stopped */
	bool freed;
};

struct sim_link {
	struct host_link base;
	struct sim_process *process;
	guint unread;         /* messages on their way to the scheduler */
	gint64 up, down;      /* arrival time of the last message */
	bool closed;          /* by the scheduler */
	guint64 closed_in;    /* number of the event in which it was closed; later the link is
	                       * invalid */
	bool notified_closed; /* the scheduler was notified */
	guint32 world;        /* its rank's world when the last message arrives */
	guint64 idle_time;    /* as in the last WELCOME */
	bool reads_ahead;     /* it got REWIND in a call: it discards what follows before HELLO */
	bool rewinding;       /* it got REWIND with orders, and its HELLO has not arrived */
	guint references;     /* by events, and by the process */
};

struct host_job {
	struct sim *sim;
	guint32 world;
	GPtrArray *processes;     /* its ranks */
	GArray *disconnect_order; /* int */
	bool running, ending, freed;
	int status, signal;
};

struct sim_process {
	struct sim *sim;
	pid_t pid;
	guint32 world;
	struct fake_rank rank;
	struct sim_link *link;
	struct sim_process *keeper; /* the keeper that it is a copy of */
	struct host_job *job;       /* the job that started it */
	guint children;             /* live copies */
	bool dead, keeps, released, reaped;
	bool has_forked;
	bool moved;             /* has sent a message since it was started, copied or rewound */
	bool ends;              /* waits for END and sends nothing more */
	bool stays;             /* WELCOME asked to hold it at its end */
	bool has_birth;         /* `birth` is valid */
	struct fake_rank birth; /* its state when it was forked */
	bool held;              /* at its end */
	GArray *images;         /* sim_image.c */
	guint32 image;          /* its last image, kept or returned to; 0: none */
	bool changed;           /* since that image */
	bool awaits_welcome;    /* it has reported an image */
	bool keeps_images;      /* WELCOME asked for images */
	bool idle;              /* it has reported that it is idle */
	guint32 born_in;        /* the world by which its keeper knows it */
	int status;
};

static inline struct sim *sim_of(struct host *host)
{
	return (struct sim *)host;
}

/* A random number from 0 to `most` microseconds; true once in `times` calls, on average. */
gint64 sim_draw(struct sim *sim, gint64 most);
bool sim_one_in(struct sim *sim, guint times);
/* Whether this fault occurs now: once in `times` calls, on average, if it may. */
bool sim_goes_wrong(struct sim *sim, enum sim_fault fault, guint times);
/* The same for faults that end an execution from outside. The execution after the last such fault
 * must end first. */
bool sim_strikes(struct sim *sim, enum sim_fault fault, guint times);

/* Whether a rank reports that nothing that it puts back is seen by others: all but once in `times`
 * calls, on average. */
bool sim_is_unshared(struct sim *sim, guint times);

struct sim_event *sim_plan(struct sim *sim, gint64 time,
                           void (*happen)(void *object, GBytes *frame), void *object,
                           GBytes *frame);

/* Executes the next event. */
void sim_happen_next(struct sim *sim);

/* The windows of a world. */
struct fake_memory *sim_shared(struct sim *sim, guint32 world);
/* The total time, in microseconds, for which the world stood still, as reported to its ranks. */
guint64 *sim_idle(struct sim *sim, guint32 world);
void sim_shared_remove(struct sim *sim, guint32 world);
void sim_shared_rename(struct sim *sim, guint32 from, guint32 to);

/* Sends a message of a process; closes its connection, after earlier messages have arrived. */
void sim_say(struct sim_process *process, const struct wire_message *message);
void sim_hang_up(struct sim_process *process);
void sim_say_hello(struct sim_process *process, bool restored);
/* May be late with its HELLO, which comes next. */
void sim_be_late(struct sim_process *process);
/* Obeys TELL: reports the rank's state (sim_state.c). */
void sim_tell_state(struct sim_process *process);
bool sim_may_be_idle(const struct sim_process *process);
struct sim_link *sim_link_new(struct sim_process *process);
void sim_link_unref(struct sim_link *link);
/* Closes it for the scheduler. No effect if it is closed. */
void sim_link_close(struct sim_link *link);
/* The event is over in which links were closed: nothing may use them any more. */
void sim_invalidate_closed(struct sim *sim);

/* A process gets an order; it dies, after the scheduler closed its link. */
void sim_process_obey(struct sim_process *process, const struct wire_message *order);
void sim_process_die(struct sim_process *process, int status);
struct sim_process *sim_find(struct sim *sim, pid_t pid);
void sim_process_free(void *process);
void sim_job_free(void *job);

/* Holds a rank at its end, if it was asked for and is possible: true. A held rank gets an order. */
bool sim_hold(struct sim_process *process);
void sim_held_obey(struct sim_process *process, const struct wire_message *order);

/* Images of a process: IMAGE, FORGET, and REWIND to one (0: to its birth). */
GArray *sim_images_new(void);
void sim_take_image(struct sim_process *process, const struct wire_image *order);
void sim_forget_image(struct sim_process *process, guint32 number);
void sim_become_image(struct sim_process *process, guint32 number);
void sim_rewind(struct sim_process *process, const struct wire_rewind *order);

/* The path of the file with its output; free with g_free. */
char *sim_output(const struct sim_process *process);

/* As in struct host_operations. */
gint64 sim_now(struct host *host);
struct host_timer *sim_timer_new(struct host *host, void (*expired)(void *user), void *user);
void sim_timer_start(struct host_timer *timer, guint64 milliseconds);
void sim_timer_stop(struct host_timer *timer);
bool sim_timer_is_active(const struct host_timer *timer);
void sim_timer_free(struct host_timer *timer);
void sim_rank_output(struct host *host, const struct host_range *range,
                     void (*done)(void *user, struct host_output output), void *user);
void sim_room_of(struct host *host, const char *directory,
                 void (*done)(void *user, struct host_room room), void *user);
void sim_tracing_of(struct host *host, pid_t pid,
                    void (*done)(void *user, enum host_tracing tracing), void *user);
void sim_debuggee_of(struct host *host, pid_t pid,
                     void (*done)(void *user, struct host_debuggee debuggee), void *user);
guint64 sim_memory_of(struct host *host, pid_t pid);
guint64 sim_memory_free(struct host *host);
struct memory_pressure sim_memory_pressure(struct host *host);
struct host_snapshot *sim_snapshot_new(struct host *host, int ranks, const char *directory);
struct host_snapshot *sim_snapshot_of_world(struct host *host, const char *directory,
                                            const struct host_snapshot *before, guint64 *ret_bytes,
                                            GError **error);
void sim_snapshot_add(struct host_snapshot *snapshot, int rank, pid_t pid,
                      const struct wire_parked *parked);
bool sim_snapshot_complete(struct host_snapshot *snapshot, GError **error);
bool sim_snapshot_restore(struct host_snapshot *snapshot, const char *directory, GError **error);
bool sim_snapshot_rewind(struct host_snapshot *snapshot, const char *directory, GError **error);
guint32 sim_snapshot_clones(const struct host_snapshot *snapshot, int rank,
                            struct wire_clone **ret_list);
void sim_snapshot_free(struct host_snapshot *snapshot);
void sim_send(struct host_link *link, const struct wire_message *message);
void sim_close(struct host_link *link);
bool sim_has_unread(const struct host_link *link);
struct host_job *sim_job_start(struct host *host, guint32 world, const char *directory,
                               GError **error);
int sim_rank_without_process(struct host *host, const pid_t *processes, int ranks);

#endif
