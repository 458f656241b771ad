/* Two processes and a Unix stream socket, without matchpoint: microseconds per round trip of a
 * message as long as a call and one as long as its acknowledgement. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define THERE 64 /* bytes of a call */
#define BACK 16  /* of an acknowledgement */

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 10000, ends[2];
	char bytes[THERE] = {0};
	double begin;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		return 1;
	if (fork() == 0) {
		close(ends[0]);
		while (recv(ends[1], bytes, THERE, MSG_WAITALL) == THERE)
			send(ends[1], bytes, BACK, 0);
		_exit(0);
	}
	close(ends[1]);
	begin = now();
	for (int i = 0; i < count; i++) {
		if (send(ends[0], bytes, THERE, 0) != THERE
		    || recv(ends[0], bytes, BACK, MSG_WAITALL) != BACK)
			return 1;
	}
	printf("%.3f\n", (now() - begin) / count * 1e6);
	return 0;
}
