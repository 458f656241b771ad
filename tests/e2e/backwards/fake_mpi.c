/* A "recording" for tests of going back: MPI_Recv gives a fixed stream, and passes a mark. */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "ckpt/agent_marks.h"

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int MPI_Recv(void *buffer, int count, int source, int tag);

static uint64_t state = UINT64_C(88172645463325252);

int MPI_Recv(void *buffer, int count, int source, int tag)
{
	int *out = buffer;

	agent_mark();
	for (int i = 0; i < count; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		out[i] = (int)(state >> 33) + source + tag;
	}
	return 0;
}

__attribute__((constructor)) static void begin(void)
{
	const char *name = getenv("MARKS");

	if (name && !agent_marks_begin(name, NULL))
		_exit(99);
	unsetenv("MARKS");
}

__attribute__((destructor)) static void end(void)
{
	agent_marks_end();
}
