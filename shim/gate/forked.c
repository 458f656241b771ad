#define _GNU_SOURCE
#include "forked.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ckpt/agent.h"
#include "gate.h"
#include "mpi_calls.h"

/* In the world's directory, which a forked process has open until it executes another program. */
#define FORKED_FILE "forked-%d"

static bool is_expected, is_forked;
static int32_t of_rank;

struct forked_call {
	uint64_t function, site;
};

void forked_expect(int32_t rank)
{
	is_expected = true;
	of_rank = rank;
}

void forked_begin(int32_t rank)
{
	is_forked = true;
	of_rank = rank;
}

static void name_file(char *ret_name, size_t room)
{
	snprintf(ret_name, room, FORKED_FILE, of_rank);
}

static _Noreturn void leave(unsigned function, const void *site)
{
	const struct forked_call call = {function, (uintptr_t)site};
	char name[32], words[160];
	int file;

	name_file(name, sizeof(name));
	file = openat(AGENT_WORLD_FD, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (file >= 0 && write(file, &call, sizeof(call)) != sizeof(call))
		unlinkat(AGENT_WORLD_FD, name, 0);
	snprintf(words, sizeof(words),
	         "matchpoint: a process that a rank has forked calls %s; it is no rank and ends\n",
	         mpi_call_name(function));
	if (write(STDERR_FILENO, words, strlen(words)) < 0)
		_exit(2);
	_exit(1);
}

/* Only the first call of a forked process is reported. */
void forked_report(void)
{
	struct forked_call call;
	char name[32];
	int file;

	if (!is_expected || is_forked)
		return;
	name_file(name, sizeof(name));
	file = openat(AGENT_WORLD_FD, name, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return;
	if (read(file, &call, sizeof(call)) == sizeof(call))
		gate_send(&(const struct wire_message){
			.type = WIRE_MISUSE,
			.misuse = {.why = WIRE_MISUSE_CHILD,
		                   .function = (uint16_t)call.function,
		                   .site = call.site},
		});
	close(file);
	unlinkat(AGENT_WORLD_FD, name, 0);
}

void forked_check(unsigned function, const void *site)
{
	int saved = errno;

	if (is_forked)
		leave(function, site);
	forked_report();
	errno = saved;
}
