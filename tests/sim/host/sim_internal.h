/* What the files of the simulated host share: sim_host.c (the table), sim_time.c (what happens
 * when), sim_link.c (what is said), sim_process.c (ranks, keepers, jobs), sim_held.c (ranks that
 * stay at their end), sim_image.c (what ranks keep of themselves), sim_memory.c (what ranks share,
 * snapshots). */
#ifndef MATCHPOINT_TESTS_SIM_HOST_SIM_INTERNAL_H
#define MATCHPOINT_TESTS_SIM_HOST_SIM_INTERNAL_H

#include <stdbool.h>

#include "sim_host.h"

struct sim_process;

struct sim_event {
	gint64 time;
	guint64 number; /* of two at one time the first one is first */
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
	GPtrArray *processes;  /* struct sim_process, all that ever were */
	GPtrArray *jobs;       /* struct host_job, likewise */
	GHashTable *shared;    /* struct fake_memory, by world */
	GHashTable *idle_time; /* guint64, likewise */
	guint faults;          /* that may still happen */
	guint happened;
	guint worlds_ended; /* how many ranks have come to their end as they should */
	guint struck_at;    /* worlds_ended when something outside struck last */
	guint starved;      /* ranks that were killed for want of memory */
	guint rewound;      /* ranks, in place */
	guint images;       /* that ranks have kept of themselves */
	guint images_used;  /* and how often one has gone back to one */
	bool slow;
	bool hangs;
};

struct host_timer {
	struct sim *sim;
	void (*expired)(void *user);
	void *user;
	struct sim_event *event; /* NULL: not under way */
	bool freed;
};

struct sim_link {
	struct host_link base;
	struct sim_process *process;
	guint unread;      /* messages on their way to the scheduler */
	gint64 up, down;   /* when the last one arrives */
	bool closed;       /* by the scheduler, */
	guint64 closed_in; /* in this event: after it there is no such link any more */
	bool told_closed;  /* to the scheduler */
	guint32 world;     /* its rank's, when what was sent last arrives */
	guint64 idle_time; /* as it was welcomed last */
	bool reads_ahead;  /* it was told REWIND in a call: what follows before HELLO is lost */
	guint references;  /* events, and the process */
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
	struct sim_process *keeper; /* that it is a copy of */
	struct host_job *job;       /* that started it */
	guint children;             /* that live */
	bool dead, keeps, released, reaped;
	bool has_forked;
	bool moved;             /* has said something since it was started, copied or rewound */
	bool ends;              /* waits for END, and says nothing more */
	bool stays;             /* WELCOME: at its end, to be rewound */
	bool has_birth;         /* valid are: */
	struct fake_rank birth; /* what it was when it was forked */
	bool held;              /* at its end */
	GArray *images;         /* sim_image.c */
	guint32 image;          /* what it was last known to be; 0: none */
	bool changed;           /* since then */
	bool awaits_welcome;    /* it has told an image */
	bool keeps_images;      /* WELCOME */
	bool idle;              /* it has told so */
	guint32 born_in;        /* its keeper knows it by this world */
	int status;
};

static inline struct sim *sim_of(struct host *host)
{
	return (struct sim *)host;
}

/* Between 0 and `most` microseconds; and whether it is so, once in so many times. */
gint64 sim_draw(struct sim *sim, gint64 most);
bool sim_one_in(struct sim *sim, guint times);
/* Whether this goes wrong now: it may, and chance has it so, once in so many times. */
bool sim_goes_wrong(struct sim *sim, enum sim_fault fault, guint times);
/* The same for what ends an execution from outside: not before the last one that was struck has had
 * its chance. */
bool sim_strikes(struct sim *sim, enum sim_fault fault, guint times);

struct sim_event *sim_plan(struct sim *sim, gint64 time,
                           void (*happen)(void *object, GBytes *frame), void *object,
                           GBytes *frame);

/* The next event happens. */
void sim_happen_next(struct sim *sim);

/* The windows of a world. */
struct fake_memory *sim_shared(struct sim *sim, guint32 world);
/* For how long it has stood still in all, as its ranks are told. */
guint64 *sim_idle(struct sim *sim, guint32 world);
void sim_shared_remove(struct sim *sim, guint32 world);
void sim_shared_rename(struct sim *sim, guint32 from, guint32 to);

/* A process says something; it is gone (what it has said before is heard first). */
void sim_say(struct sim_process *process, const struct wire_message *message);
void sim_hang_up(struct sim_process *process);
void sim_say_hello(struct sim_process *process, bool restored);
/* TELL: what it is (sim_state.c). */
void sim_tell_state(struct sim_process *process);
bool sim_may_be_idle(const struct sim_process *process);
struct sim_link *sim_link_new(struct sim_process *process);
void sim_link_unref(struct sim_link *link);
/* By the scheduler; nothing, if it is closed. */
void sim_link_close(struct sim_link *link);

/* A process hears something; its link was closed by the scheduler. */
void sim_process_obey(struct sim_process *process, const struct wire_message *order);
void sim_process_die(struct sim_process *process, int status);
struct sim_process *sim_find(struct sim *sim, pid_t pid);
void sim_process_free(void *process);
void sim_job_free(void *job);

/* At its end a rank that is asked to stays, if it can: true. What it hears then. */
bool sim_hold(struct sim_process *process);
void sim_held_obey(struct sim_process *process, const struct wire_message *order);

/* What it keeps of itself: IMAGE, FORGET, and REWIND to one (0: to its birth). */
GArray *sim_images_new(void);
void sim_take_image(struct sim_process *process, const struct wire_image *order);
void sim_forget_image(struct sim_process *process, guint32 number);
void sim_become_image(struct sim_process *process, guint32 number);
void sim_rewind(struct sim_process *process, const struct wire_rewind *order);

/* The file with what it has printed; free with g_free. */
char *sim_output(const struct sim_process *process);

/* As in struct host_operations. */
gint64 sim_now(struct host *host);
struct host_timer *sim_timer_new(struct host *host, void (*expired)(void *user), void *user);
void sim_timer_start(struct host_timer *timer, guint64 milliseconds);
void sim_timer_stop(struct host_timer *timer);
bool sim_timer_is_active(const struct host_timer *timer);
void sim_timer_free(struct host_timer *timer);
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
