/* Guest code in the replayed process: see agent_marks.h. No function here calls libc after
 * agent_marks_begin, since a keeper must not change what libc keeps in memory. */
#include "agent_marks.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#define STACK_SIZE 65536

/* All that the agent changes, in pages of its own. The assembler code finds the stack at its
 * beginning. */
struct agent_marks_memory {
	char stack[STACK_SIZE];
	uint64_t marks;     /* passed */
	uint64_t stop_mark; /* of the traced process: stop before passing it; 0: none */
	uint64_t target;    /* of an untraced process: wait at the first mark from here on */
	int64_t pid;        /* a child that the program forked is no process of ours */
	bool is_traced;
	bool is_final;
	bool lacks_threads; /* the process from which it was forked had some */
	const void *place;
	struct sockaddr_un address;
	/* For own_files; `status` for has_threads, too. */
	char path[64]; /* "/proc/self/fd/", then a number */
	char entries[4096];
	struct stat status;
};
__attribute__((visibility("hidden"), aligned(4096))) struct agent_marks_memory agent_marks_memory;
static struct agent_marks_memory *const memory = &agent_marks_memory;

extern char agent_marks_resume[] __attribute__((visibility("hidden")));
extern char agent_marks_trap[] __attribute__((visibility("hidden")));
extern char agent_marks_born[] __attribute__((visibility("hidden")));
extern char agent_marks_inject[] __attribute__((visibility("hidden")));
extern char agent_marks_injected[] __attribute__((visibility("hidden")));
void agent_marks_pass(void) __attribute__((visibility("hidden")));
void agent_marks_fork_here(void) __attribute__((visibility("hidden")));
void agent_marks_meet_trap(void) __attribute__((visibility("hidden")));
void agent_marks_meet_born(void) __attribute__((visibility("hidden")));

#define PLAIN __attribute__((target("general-regs-only"), no_stack_protector))

PLAIN static long raw(long number, long a, long b, long c)
{
	long result;
	register long fourth __asm__("r10") = 0;
	register long fifth __asm__("r8") = 0;

	__asm__ volatile("syscall"
	                 : "=a"(result)
	                 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth)
	                 : "rcx", "r11", "memory");
	return result;
}

PLAIN static void leave(int status)
{
	for (;;)
		raw(SYS_exit_group, status, 0, 0);
}

/* A connection of this process's own, under the same number in each. */
PLAIN static bool join(void)
{
	long fd;

	raw(SYS_close, AGENT_MARKS_FD, 0, 0);
	fd = raw(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	if (fd != AGENT_MARKS_FD) {
		raw(SYS_dup3, fd, AGENT_MARKS_FD, O_CLOEXEC);
		raw(SYS_close, fd, 0, 0);
	}
	memory->pid = raw(SYS_getpid, 0, 0, 0);
	raw(SYS_prctl, PR_SET_PTRACER, (long)PR_SET_PTRACER_ANY, 0);
	return raw(SYS_connect, AGENT_MARKS_FD, (long)&memory->address, sizeof memory->address)
	       == 0;
}

/* What getdents64 gives. */
struct entry {
	uint64_t inode, offset;
	uint16_t size;
	uint8_t type;
	char name[];
};

/* Opens the descriptor's file again, at the same position. */
PLAIN static void own_file(long fd, const char *digits)
{
	char *end = memory->path + sizeof "/proc/self/fd/" - 1;
	long offset, flags, close_flag, again;

	if (raw(SYS_fstat, fd, (long)&memory->status, 0) != 0 || !S_ISREG(memory->status.st_mode))
		return;
	offset = raw(SYS_lseek, fd, 0, SEEK_CUR);
	flags = raw(SYS_fcntl, fd, F_GETFL, 0);
	close_flag = raw(SYS_fcntl, fd, F_GETFD, 0);
	if (offset < 0 || flags < 0 || close_flag < 0)
		return;
	do
		*end++ = *digits;
	while (*digits++);
	again = raw(SYS_openat, AT_FDCWD, (long)memory->path,
	            flags & ~(O_CREAT | O_EXCL | O_TRUNC | O_NOFOLLOW));
	if (again < 0)
		return;
	raw(SYS_lseek, again, offset, SEEK_SET);
	raw(SYS_dup3, again, fd, close_flag & FD_CLOEXEC ? O_CLOEXEC : 0);
	raw(SYS_close, again, 0, 0);
}

/* Forks share the positions in open files: what one reads, the others would miss. So each has
 * regular files of its own. */
PLAIN static void own_files(void)
{
	char *end = memory->path + sizeof "/proc/self/fd/" - 1;
	long folder, got;

	*end = '\0';
	folder = raw(SYS_openat, AT_FDCWD, (long)memory->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	while (folder >= 0
	       && (got = raw(SYS_getdents64, folder, (long)memory->entries, sizeof memory->entries))
	                  > 0) {
		for (long at = 0; at < got;) {
			const struct entry *entry = (const void *)(memory->entries + at);
			long fd = 0;

			at += entry->size;
			if (entry->name[0] < '0' || entry->name[0] > '9')
				continue;
			for (const char *digit = entry->name; *digit; digit++)
				fd = fd * 10 + (*digit - '0');
			own_file(fd, entry->name);
		}
	}
	raw(SYS_close, folder, 0, 0);
}

/* A folder has a link for each thread in it, and two more. */
PLAIN static bool has_threads(void)
{
	return raw(SYS_stat, (long)"/proc/self/task", (long)&memory->status, 0) == 0
	       && memory->status.st_nlink > 3;
}

/* Returns whether this is the child. The child sends no signal when it ends: the program would see
 * SIGCHLD. Nor is the thread's number renewed in the C library's descriptor of the thread, as fork
 * does: a recursive mutex that is held would have another owner in the child, which then would go
 * another way. */
PLAIN static bool fork_self(void)
{
	const bool lacked = memory->lacks_threads;

	memory->lacks_threads = lacked || has_threads();
	if (raw(SYS_clone, 0, 0, 0) != 0) {
		memory->lacks_threads = lacked;
		return false;
	}
	if (!join())
		leave(1);
	own_files();
	return true;
}

PLAIN static void report(void)
{
	struct agent_marks_report message = {
		.pid = memory->pid,
		.mark = memory->marks,
		.is_final = memory->is_final,
		.has_threads = memory->lacks_threads || has_threads(),
		.marks = (uint64_t)&memory->marks,
		.stop_mark = (uint64_t)&memory->stop_mark,
		.entry = (uint64_t)agent_mark,
		.resume = (uint64_t)agent_marks_resume,
		.trap = (uint64_t)agent_marks_trap,
		.born = (uint64_t)agent_marks_born,
		.inject = (uint64_t)agent_marks_inject,
		.injected = (uint64_t)agent_marks_injected,
		.memory = (uint64_t)memory,
		.memory_size = sizeof *memory,
		.place = (uint64_t)memory->place,
	};

	if (raw(SYS_write, AGENT_MARKS_FD, (long)&message, sizeof message) != sizeof message)
		leave(1);
}

/* Ended children are reaped here, as nobody else can. __WALL: they send no signal. */
PLAIN static void reap(void)
{
	while (raw(SYS_wait4, -1, 0, 0x40000000 /* __WALL */ | 1 /* NOHANG */) > 0)
		;
}

/* Serves as a keeper. Returns in a process that is to go on. */
PLAIN static void wait_here(void)
{
	struct agent_marks_order order;

	report();
	while (raw(SYS_read, AGENT_MARKS_FD, (long)&order, sizeof order) == sizeof order) {
		if (order.kind == AGENT_MARKS_GO) {
			memory->is_traced = true;
			/* Whoever ends this process's keeper ends it, too, even while it is
			 * stopped. */
			raw(SYS_prctl, PR_SET_PDEATHSIG, 9 /* SIGKILL */, 0);
			agent_marks_meet_born();
			return;
		}
		reap();
		if (!fork_self())
			continue;
		memory->target = order.mark;
		if (order.mark > memory->marks && !memory->is_final)
			return;
		report();
	}
	leave(0);
}

/* On the private stack, at each mark. */
PLAIN void agent_marks_pass(void)
{
	if (memory->pid == 0 || memory->pid != raw(SYS_getpid, 0, 0, 0))
		return;
	if (memory->is_traced) {
		while (memory->is_final
		       || (memory->stop_mark && memory->marks + 1 >= memory->stop_mark))
			agent_marks_meet_trap();
		memory->marks++;
		return;
	}
	if (!memory->is_final)
		memory->marks++;
	if (memory->is_final || memory->marks >= memory->target)
		wait_here();
}

/* On the private stack, in a traced process that its tracer has sent here: the child becomes a
 * keeper. */
PLAIN void agent_marks_fork_here(void)
{
	reap();
	if (!fork_self())
		return;
	memory->is_traced = false;
	wait_here();
}

/* What C keeps is kept by C; the other registers, and the flags, are kept here. */
__asm__(".text\n"
        ".globl agent_mark\n.hidden agent_mark\n.type agent_mark,@function\n"
        "agent_mark:\n"
        ".cfi_startproc\n"
        "pushfq\npushq %rax\npushq %rcx\npushq %rdx\npushq %rsi\npushq %rdi\n"
        "pushq %r8\npushq %r9\npushq %r10\npushq %r11\npushq %rbx\n"
        "movq %rsp,%rbx\n"
        ".cfi_def_cfa %rbx,96\n"
        "leaq 65536+agent_marks_memory(%rip),%rsp\n"
        "call agent_marks_pass\n"
        "movq %rbx,%rsp\n"
        "popq %rbx\npopq %r11\npopq %r10\npopq %r9\npopq %r8\n"
        "popq %rdi\npopq %rsi\npopq %rdx\npopq %rcx\npopq %rax\npopfq\n"
        ".globl agent_marks_resume\n.hidden agent_marks_resume\n"
        "agent_marks_resume:\n"
        ".cfi_def_cfa %rsp,8\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size agent_mark,.-agent_mark\n"

        ".globl agent_marks_meet_trap\n.hidden agent_marks_meet_trap\n"
        "agent_marks_meet_trap: int3\n"
        ".globl agent_marks_trap\n.hidden agent_marks_trap\n"
        "agent_marks_trap: ret\n"

        ".globl agent_marks_meet_born\n.hidden agent_marks_meet_born\n"
        "agent_marks_meet_born: int3\n"
        ".globl agent_marks_born\n.hidden agent_marks_born\n"
        "agent_marks_born: ret\n"

        ".globl agent_marks_inject\n.hidden agent_marks_inject\n"
        "agent_marks_inject:\n"
        "leaq 65536+agent_marks_memory(%rip),%rsp\n"
        "call agent_marks_fork_here\n"
        "int3\n"
        ".globl agent_marks_injected\n.hidden agent_marks_injected\n"
        "agent_marks_injected: nop\n");

int agent_marks_begin(const char *name, const void *place)
{
	void *volatile first;

	if (strlen(name) >= sizeof memory->address.sun_path)
		return false;
	memory->address.sun_family = AF_UNIX;
	memcpy(memory->address.sun_path, name, strlen(name) + 1);
	if (*name == '@')
		memory->address.sun_path[0] = '\0';
	memory->place = place;
	memcpy(memory->path, "/proc/self/fd/", sizeof "/proc/self/fd/");
	/* On first use malloc draws a random key. All forks have to have the same. */
	first = malloc(1);
	free(first);
	if (!join())
		return false;
	memory->marks = UINT64_MAX; /* the first one is 0 */
	agent_mark();
	return true;
}

void agent_marks_end(void)
{
	memory->is_final = true;
	agent_mark();
}
