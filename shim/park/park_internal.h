/* What parking (park.c) and being held (park_hold.c) share. */
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
	int launcher_fd;    /* the launcher's own PMI connection */
	uint32_t world;
	int32_t rank;
	uint64_t inside; /* for HELLO */
	char socket_path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	char pmi_path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	struct child *children;
	size_t child_count, child_capacity;
	long keeper_thread; /* the kernel's number of the thread that keeps */
	bool forks_rank;    /* the fork under way makes a rank of another world */
	bool has_forked;    /* since it was parked */
	bool released;
	int32_t release_status;
	bool rewinds;       /* copies may be rewound */
	bool program_forks; /* the program has forked this process */
	bool program_moves; /* it has moved pages onto others (park_moves.c) */
	uint32_t image;     /* what it was last known to be: taken, or gone back to; 0: not known */
	bool moved;         /* and it may be another one since */
	bool idle;          /* as it has told (struct wire_state) */
	bool image_is_idle; /* whenever it is that image */
	struct wire_rewind rewind; /* the order at hand */
	sigset_t while_waiting;
	enum order_result result; /* of keeping */
	struct wire_welcome welcome;
	pid_t real_pid;              /* of a restored process; 0 while the truth will do */
	pid_t told_pid, told_parent; /* what the program is told */
};

extern struct park park;

/* Why it cannot be what it was by itself; NULL: it can. */
const char *park_find_hazard(void);

/* A restored copy, and no process that the program has forked. */
bool park_is_rank(void);

/* 0, or -1 with errno. */
int park_send_all(int fd, const void *bytes, size_t count);
int park_receive_all(int fd, void *bytes, size_t count);
/* A new connection for the world; or the one that there is, which the scheduler knows to be of this
 * world by now, if it is as it was when it was made. */
int park_connect_pmi(void);
int park_reuse_pmi(void);

/* HELLO and WELCOME for the beginning of a world, on the control socket. Where orders for the rank
 * are already there (`goes_on`) the first goes with whatever it says next. */
void park_join_world(struct wire_welcome *ret_welcome, bool goes_on);
/* Just the second. */
void park_await_welcome(struct wire_welcome *ret_welcome);
_Noreturn void park_leave_without_scheduler(void);

/* To the scheduler, aside: nothing may be allocated there, since the program may have left its heap
 * in any state. */
void park_tell_private_stack(const struct wire_message *message);

#endif
