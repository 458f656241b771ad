/* Runs the fuzz target lying_ranks.c on random bytes, for the given number of worlds. It needs no
 * libFuzzer, and the worlds are the same everywhere.
 *
 * fuzz_worlds [FIRST] COUNT */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static uint64_t world; /* its seed */

enum { BYTES_MAX = 600 };

static uint64_t next(uint64_t *state)
{
	uint64_t mixed = *state += UINT64_C(0x9e3779b97f4a7c15);

	mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
	return mixed ^ mixed >> 31;
}

static void run(uint64_t seed)
{
	uint8_t bytes[BYTES_MAX];
	uint64_t state = seed;
	size_t count = 20 + next(&state) % (BYTES_MAX - 20);

	for (size_t i = 0; i < count; i++)
		bytes[i] = (uint8_t)next(&state);
	LLVMFuzzerTestOneInput(bytes, count);
}

/* Prints the seed now: after a failure, another process must know the world. */
static void tell(uint64_t seed)
{
	char text[64];
	int length = snprintf(text, sizeof(text), "\rworld %llu", (unsigned long long)seed);

	if (write(STDERR_FILENO, text, (size_t)length) < 0)
		exit(1);
}

/* Prints the last line of a failure. It may print here: abort() was called by a check of the target
 * or by an assertion, not within stdio. */
static void conclude(int number)
{
	fprintf(stderr, "fuzz_worlds: FAILED: world %llu (fuzz_worlds %llu 1)\n",
	        (unsigned long long)world, (unsigned long long)world);
	signal(number, SIG_DFL);
	raise(number);
}

int main(int argc, char **argv)
{
	uint64_t first = argc > 2 ? strtoull(argv[1], NULL, 10) : 0;
	uint64_t count = argc > 1 ? strtoull(argv[argc - 1], NULL, 10) : 1000;
	int shows = getenv("FUZZ_WORLDS_SHOW") != NULL;

	signal(SIGABRT, conclude);
	for (uint64_t seed = first; seed < first + count; seed++) {
		if (shows)
			tell(seed);
		world = seed;
		run(seed);
	}
	printf("%llu worlds from %llu on\n", (unsigned long long)count, (unsigned long long)first);
	return 0;
}
