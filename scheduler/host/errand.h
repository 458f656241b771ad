/* An errand: what the job launcher wants to be done on another machine. Hydra starts its proxies by
 * a remote shell, and takes this program for one (HYDRA_LAUNCHER_EXEC). The errand connects to the
 * scheduler, whose outpost on that machine starts the proxy, and ends as the proxy does. So no
 * shell is needed for each job, and the proxy's end is seen to by the outpost. If the errand is
 * killed, the proxy is ended. */
#ifndef MATCHPOINT_SCHEDULER_HOST_ERRAND_H
#define MATCHPOINT_SCHEDULER_HOST_ERRAND_H

#include <stdbool.h>

/* In the run directory: a link to this program, and the socket where errands connect. */
#define ERRAND_LINK "remote-shell"
#define ERRAND_SOCKET "errands"

/* Frames (frames.h) of that connection. */
enum errand_frame {
	ERRAND_START = 1, /* (ss): the machine, and a line for its shell */
	ERRAND_EXITED,    /* (is): status as in a shell, and output */
};

/* Whether this program was called by the link. */
bool errand_is_called(const char *program);
/* The arguments are those of ssh: options, the machine, words of a line for its shell. Returns an
 * exit status when it is done. */
int errand_become(char **arguments);

#endif
