/* Serves gdb with a program that is linked to fake_mpi.c:
 *
 *     backwards_server EVERY TRUTH OFFSETS PROGRAM [ARGUMENT...]
 *
 * Without debug registers, so that every machine does the same; with them, where they work, if
 * DEBUG_REGISTERS stands in the environment. Prints the port. Before, it writes to the file TRUTH
 * ("-": not at all) every state of the run, by single steps alone: numbers of 8 bytes,
 * STATE_NUMBERS of them for each state: 17 registers in gdb's order, the number of MPI calls, and
 * the words at the two OFFSETS (hexadecimal, "A,B") in the program. Before the states stand the
 * addresses of a mark's first and last instruction, and of the number of MPI calls. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scheduler/backwards/debug_registers.h"
#include "scheduler/backwards/mover.h"
#include "scheduler/backwards/server.h"
#include "scheduler/backwards/target_internal.h"

#define STATE_NUMBERS 20

struct walked {
	const char *truth, *offsets, *program;
};

/* Where the program is loaded. */
static guint64 base_of(const struct traced *traced, const char *program)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/maps", (int)traced_pid(traced));
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return 0;
	lines = g_strsplit(text, "\n", -1);
	for (guint i = 0; lines[i]; i++) {
		if (g_str_has_suffix(lines[i], program))
			return g_ascii_strtoull(lines[i], NULL, 16);
	}
	return 0;
}

static void write_state(struct traced *traced, const guint64 words[2], FILE *file)
{
	struct user_regs_struct r;

	traced_get_registers(traced, &r);
	fwrite((guint64[STATE_NUMBERS]){r.rax,
	                                r.rbx,
	                                r.rcx,
	                                r.rdx,
	                                r.rsi,
	                                r.rdi,
	                                r.rbp,
	                                r.rsp,
	                                r.r8,
	                                r.r9,
	                                r.r10,
	                                r.r11,
	                                r.r12,
	                                r.r13,
	                                r.r14,
	                                r.r15,
	                                r.rip,
	                                traced_marks(traced),
	                                traced_read_word(traced, words[0]),
	                                traced_read_word(traced, words[1])},
	       sizeof(guint64), STATE_NUMBERS, file);
}

static void write_truth(const struct walked *walked, struct target *target)
{
	g_autoptr(GArray) none = g_array_new(false, false, sizeof(struct point));
	g_autoptr(Moment) start = moment_new(0);
	struct traced *traced = mover_go(target->keepers, start, NULL);
	const struct agent_marks_report *addresses;
	FILE *file = fopen(walked->truth, "w");
	guint64 words[2], base;
	char *rest;

	if (!traced || !file)
		exit(3);
	addresses = traced_addresses(traced);
	fwrite((guint64[3]){addresses->entry, addresses->resume, addresses->marks}, sizeof(guint64),
	       3, file);
	base = base_of(traced, walked->program);
	words[0] = base + g_ascii_strtoull(walked->offsets, &rest, 16);
	words[1] = base + g_ascii_strtoull(rest + 1, NULL, 16);
	traced_stop_before(traced, 0); /* to the end */
	do
		write_state(traced, words, file);
	while (traced_step(traced, none).kind == STOP_STEP);
	if (fclose(file) != 0)
		exit(3);
	keepers_end(target->keepers, traced);
}

static pid_t start(void *user, const char *name, GError **error)
{
	char *const *argv = user;
	g_auto(GStrv) variables = g_get_environ();
	GPid pid;

	variables = g_environ_setenv(variables, "MARKS", name, true);
	/* Otherwise the kernel writes the processor's number into the program's memory. */
	variables = g_environ_setenv(variables, "GLIBC_TUNABLES", "glibc.pthread.rseq=0", true);
	if (!g_spawn_async(NULL, (char **)argv, variables,
	                   G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_SEARCH_PATH, NULL, NULL, &pid,
	                   error))
		return -1;
	return pid;
}

static int begin(void *user, struct target *target, int port)
{
	const struct walked *walked = user;

	if (strcmp(walked->truth, "-") != 0)
		write_truth(walked, target);
	printf("%d\n", port);
	fflush(stdout);
	return -1;
}

int main(int argc, char **argv)
{
	struct server_options options = {.listens = begin};
	g_autoptr(GError) error = NULL;
	struct walked walked;

	if (argc < 5)
		return 2;
	if (!getenv("DEBUG_REGISTERS"))
		debug_registers_do_without();
	walked = (struct walked){.truth = argv[2], .offsets = argv[3], .program = argv[4]};
	options.every = strtoull(argv[1], NULL, 10);
	options.replayer = (struct replayer){.start = start, .user = argv + 4};
	options.user = &walked;
	if (server_serve(&options, &error))
		return 0;
	fprintf(stderr, "%s\n", error->message);
	return 1;
}
