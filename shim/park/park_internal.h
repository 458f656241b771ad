/* Shared by the files of this module (park_*.c) and other_memory.c. */
#ifndef MATCHPOINT_SHIM_PARK_PARK_INTERNAL_H
#define MATCHPOINT_SHIM_PARK_PARK_INTERNAL_H

#include <signal.h>
#include <stddef.h>
#include <sys/un.h>

#include "ckpt/agent_rewind.h"
#include "park.h"

struct child {
	pid_t pid;
	uint32_t world;
};

enum order_result { KEEP_ON, RETURN_RESUMED, RETURN_RESTORED, RETURN_IMAGED };

struct park {
	struct agent *agent;
	int control_fd;
	int pmi_fd;
	uint64_t pmi_inode; /* of the connection */
	int launcher_fd;    /* the launcher's own PMI connection; -1: none */
	bool has_no_launcher;
	uint32_t world;
	int32_t rank;
	uint64_t inside; /* for HELLO */
	char socket_path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	char pmi_path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	struct child *children;
	size_t child_count, child_capacity;
	long keeper_thread; /* the kernel's number of the waiting thread */
	bool forks_rank;    /* the current fork makes a rank of another world */
	bool has_forked;    /* since it was parked */
	bool restarted;     /* from disk, and not in its world yet (park_disk.c) */
	bool released;
	int32_t release_status;
	bool rewinds;              /* copies may be rewound */
	bool program_forks;        /* the program has forked */
	bool program_moves;        /* the program has moved pages onto others (park_moves.c) */
	uint32_t image;            /* the latest image taken, or restored; 0: none */
	bool moved;                /* the rank may differ from `image` */
	bool idle;                 /* as reported (struct wire_state) */
	bool image_is_idle;        /* `image` is an idle one */
	struct wire_rewind rewind; /* current order */
	sigset_t while_waiting;
	enum order_result result; /* of keeping, holding or taking an image */
	struct wire_welcome welcome;
	pid_t real_pid;                    /* of a restored process; 0: not restored */
	pid_t visible_pid, visible_parent; /* what the program reads */
	/* Process group and session of a restored process, and what the program reads: a restarted
	 * job has others. */
	pid_t real_group, real_session, visible_group, visible_session;
};

extern struct park park;

/* A hazard. The reserved shadow memory spans terabytes, and its pages, like the quarantine and the
 * run-time library's own locks and numbers of threads, are not made for copies. */
#define PARK_SANITIZED "it is built with AddressSanitizer, whose shadow memory is not copied"

/* A hazard. A copy would contain breakpoints that the debugger has put into the code, and the
 * debugger would not know of it. */
#define PARK_TRACED "a debugger is attached to it"

/* Why the rank cannot be rewound; NULL: it can. */
const char *park_find_hazard(void);
/* Reports why the rank cannot be rewound, and ends it. */
_Noreturn void park_refuse_rewind(const char *hazard);

/* Whether this is a restored copy, and not a process that the program forked. */
bool park_is_rank(void);

/* 0; -1 with errno. */
int park_send_all(int fd, const void *bytes, size_t count);
int park_receive_all(int fd, void *bytes, size_t count);
/* A new PMI connection for the world. park_reuse_pmi: keeps the old one if it is as it was when it
 * was made; the scheduler knows that it now belongs to this world. */
int park_connect_pmi(void);
int park_reuse_pmi(void);

/* As agent_fork, but the child becomes a file; and goes on from it in a restarted process, where
 * this sets what is different there. */
pid_t park_save(const struct wire_restore *restore, const struct agent_clone *clones);

/* For a debugger that works with checkpoints (park_debugger.c): before the rank becomes a keeper;
 * in a copy that is in its world; and in a restarted rank. */
void park_debugger_leaves(void);
void park_debugger_returns(void);
void park_debugger_restarted(void);

/* HELLO and WELCOME on the control socket, at the beginning of a world. `goes_on`: orders for the
 * rank have arrived already; HELLO goes with the rank's next message. */
void park_join_world(struct wire_welcome *ret_welcome, bool goes_on);
/* Only WELCOME. */
void park_await_welcome(struct wire_welcome *ret_welcome);
_Noreturn void park_leave_without_scheduler(void);

/* Sends a message from the private stack. Allocates nothing there, because the program's heap may
 * be in any state. */
void park_send_private_stack(const struct wire_message *message);

#endif
