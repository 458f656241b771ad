/* The process of matchpoint on another machine of a cluster (docs/internals/nodes.md). It is
 * started there by ssh, srun or another remote shell, and gets its orders (below) on standard
 * input. Then it connects to the scheduler by TCP, and does for the ranks of its machine what the
 * scheduler does at home: it has a run directory with the same path, in which ranks connect; a
 * supervisor for each process of the job launcher, a child reaper, a janitor. It relays what ranks
 * send and are sent, and answers questions about processes and files of its machine.
 *
 * If the connection is lost, it ends everything that belongs to the run on its machine, and itself.
 * It prints nothing unless it cannot start. */
#ifndef MATCHPOINT_SCHEDULER_HOST_OUTPOST_H
#define MATCHPOINT_SCHEDULER_HOST_OUTPOST_H

#include <glib.h>
#include <stdbool.h>

#include "host.h"

/* matchpoint, called with this word, is an outpost. */
#define OUTPOST_VERB "__outpost"

/* Returns an exit status when all is over. */
int outpost_become(void);

/* --- orders: a key file (GKeyFile) until the end of standard input --------------------------- */

#define OUTPOST_GROUP "outpost"
#define OUTPOST_VERSION "version"     /* of matchpoint, and of the protocol of its shim */
#define OUTPOST_SECRET "secret"       /* proves to the scheduler who connects; valid once */
#define OUTPOST_ADDRESSES "addresses" /* names and addresses of its machine */
#define OUTPOST_PORT "port"
#define OUTPOST_DIRECTORY "directory" /* the run directory */
#define OUTPOST_OWNER "owner"         /* the process in its name */
#define OUTPOST_SHIM "shim"
#define OUTPOST_RANKS "ranks"
#define OUTPOST_MACHINE "machine" /* how the scheduler calls this machine */

/* Both must be equal on all machines. Free with g_free. */
char *outpost_version(void);

/* --- frames (frames.h) ------------------------------------------------------------------------ */

enum outpost_frame {
	/* From the outpost. */
	OUTPOST_HELLO =
		1,      /* (sb): the secret; whether this is the scheduler's own machine. First */
	OUTPOST_OPENED, /* u: a rank has connected at this outpost_door; the number is that of the
	                      connection */
	OUTPOST_ANSWER, /* v; the number is that of the question */
	OUTPOST_EXITED, /* (is): status as in a shell, and output, of what RUN has started */
	OUTPOST_FAILED, /* s: why the outpost cannot do what it has to */
	/* In both directions. */
	OUTPOST_BYTES,  /* of a connection */
	OUTPOST_CLOSED, /* a connection; the last of its frames from this side */
	/* From the scheduler. */
	OUTPOST_ASK,  /* (uv): an outpost_question, and what it is about */
	OUTPOST_TELL, /* the same; there is no answer */
	OUTPOST_RUN,  /* s: a line for /bin/sh; the number is that of the errand */
	OUTPOST_STOP, /* ends what RUN has started, and everything below it */
	OUTPOST_END,  /* everything is over: the outpost cleans up and ends */
};

/* Sockets in the run directory. */
enum outpost_door { OUTPOST_DOOR_RANKS, OUTPOST_DOOR_PMI, OUTPOST_DOORS };

/* Behind each: what goes with it, and the answer. Processes are given by their numbers on the
 * machine. */
enum outpost_question {
	OUTPOST_ADD_WORLD,     /* u -> s: why it failed; "": it did not */
	OUTPOST_REMOVE_WORLD,  /* u */
	OUTPOST_SIGNAL,        /* (ii) */
	OUTPOST_INTERRUPT,     /* i */
	OUTPOST_IS_DEAD,       /* i -> b */
	OUTPOST_PARENT,        /* i -> i */
	OUTPOST_TRACING,       /* i -> i */
	OUTPOST_READ_MEMORY,   /* (itt) -> ay: empty: it cannot be read */
	OUTPOST_MEMORY,        /* i -> t */
	OUTPOST_DISK_WORK,     /* i -> (bt) */
	OUTPOST_LOOK_THREADS,  /* (ia(ibbt)) -> (ia(ibbt)) */
	OUTPOST_OTHER_THREADS, /* i -> a(ibbt) */
	OUTPOST_DEBUGGEE,      /* i -> (say): program and mappings; empty: not known */
	OUTPOST_STACK,         /* (ii) -> at */
	OUTPOST_ALIVE,         /* i: number of ranks -> ab */
	OUTPOST_END_LEFT,      /* (sb) -> b */
	OUTPOST_KEEP_LEFT,     /* b */
	OUTPOST_PRESSURE,      /* b -> (tt) */
	OUTPOST_OUTPUT,        /* (siittb) -> (aytsbs) */
	OUTPOST_ROOM,          /* s -> (isd) */
	OUTPOST_FILE_LOOK,     /* s -> (bbbtttxxs) */
	OUTPOST_FILE_READ,     /* (st) -> (bay) */
	OUTPOST_QUESTIONS,
};

/* Returns the answer, floating; NULL: there is none to this question, or it cannot be understood.
 * `host`: a local host, with a run directory. */
GVariant *outpost_answer(struct host *host, guint32 question, GVariant *about);

/* a(ibbt), floating; and back: struct thread_view, owned by the caller. */
GVariant *outpost_put_threads(const struct thread_view *views, guint count);
GArray *outpost_get_threads(GVariant *threads);

#endif
