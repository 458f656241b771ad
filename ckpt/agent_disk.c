#define _GNU_SOURCE
#include "agent_disk.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent_disk_internal.h"
#include "agent_failure.h"
#include "agent_journal.h"
#include "agent_rewind_internal.h"

/* Saves where it is called, and returns 0. The restorer jumps to the place that it has noted, with
 * its own window in rdi and rsi: the window is unmapped, and the call returns once more, 1. */
int agent_disk_context(struct disk_context *context) __attribute__((returns_twice));
__asm__(".pushsection .text\n"
        ".globl agent_disk_context\n.hidden agent_disk_context\n"
        ".type agent_disk_context,@function\n"
        "agent_disk_context:\n"
        "\tmov %rbx, 0(%rdi)\n\tmov %rbp, 8(%rdi)\n\tmov %r12, 16(%rdi)\n\tmov %r13, 24(%rdi)\n"
        "\tmov %r14, 32(%rdi)\n\tmov %r15, 40(%rdi)\n"
        "\tlea 8(%rsp), %rax\n\tmov %rax, 48(%rdi)\n"
        "\tmov (%rsp), %rax\n\tmov %rax, 88(%rdi)\n"
        "\tlea 1f(%rip), %rax\n\tmov %rax, 56(%rdi)\n"
        "\tstmxcsr 64(%rdi)\n\tfnstcw 68(%rdi)\n"
        "\txor %eax, %eax\n\tret\n"
        "1:\tmov $11, %eax\n\tsyscall\n" /* munmap */
        "\tmov $1, %eax\n\tjmp *%rdx\n"
        ".size agent_disk_context, .-agent_disk_context\n.popsection\n");

_Static_assert(offsetof(struct disk_context, rip) == 56
                       && offsetof(struct disk_context, mxcsr) == 64
                       && offsetof(struct disk_context, back) == 88,
               "as in agent_disk_context");

/* --- saving ----------------------------------------------------------------------------------- */

/* Of what is kept over the restart. The rest of the child's memory is that of a keeper's child. */
static struct {
	struct disk_writer *writer;
	const struct agent_disk_descriptors *descriptors;
	char directory[PATH_MAX]; /* the working directory */
} saving;

/* Between two pages that cannot be used, so that no mapping beside it becomes one with it. */
static struct disk_writer *writer_new(void)
{
	uint64_t size = (sizeof(struct disk_writer) + DISK_PAGE - 1) / DISK_PAGE * DISK_PAGE;
	long mapped = syscall(SYS_mmap, 0L, size + 2 * DISK_PAGE, PROT_NONE,
	                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);
	struct disk_writer *writer = (struct disk_writer *)(mapped + (long)DISK_PAGE);

	if (mapped == -1 || mprotect(writer, size, PROT_READ | PROT_WRITE) < 0)
		return NULL;
	madvise(writer, size, MADV_NOHUGEPAGE);
	writer->start = (uint64_t)mapped;
	writer->size = size + 2 * DISK_PAGE;
	return writer;
}

/* What the scheduler reads if the child ends with AGENT_FAILURE_DISK or _UNSAVABLE. */
static void leave_trouble(const char *trouble, int32_t rank)
{
	char name[sizeof(AGENT_DISK_TROUBLE) + 16];
	int fd;

	snprintf(name, sizeof(name), AGENT_DISK_TROUBLE ".%d", (int)rank);
	fd = openat(AGENT_WORLD_FD, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd >= 0 && write(fd, trouble, strlen(trouble)) < 0)
		unlinkat(AGENT_WORLD_FD, name, 0);
	if (fd >= 0)
		close(fd);
}

static int prepare(struct agent *agent)
{
	struct disk_writer *writer = saving.writer;
	ssize_t length = readlink("/proc/self/fd/200", writer->world, sizeof(writer->world) - 1);

	if (length <= 0)
		return disk_refuse(writer, "the directory of its world is not known");
	if (!getcwd(saving.directory, sizeof(saving.directory)))
		return disk_refuse(writer, "its working directory is gone");
	saving.descriptors = disk_note_descriptors(agent, writer);
	return saving.descriptors ? 0 : -1;
}

/* Returns in the restarted process only. */
static void write_and_end(struct agent *agent, const struct agent_disk_order *order)
{
	saving.writer = writer_new();
	if (!saving.writer) {
		leave_trouble("there is too little memory to write it", order->rank);
		_exit(AGENT_FAILURE_DISK);
	}
	if (prepare(agent) == 0) {
		if (agent_disk_context(&saving.writer->head.context))
			return;
		if (disk_write(saving.writer, order) == 0)
			_exit(0);
	}
	leave_trouble(saving.writer->trouble, order->rank);
	_exit(saving.writer->failed ? AGENT_FAILURE_DISK : AGENT_FAILURE_UNSAVABLE);
}

/* --- going on in another process -------------------------------------------------------------- */

static _Noreturn void give_up(const char *what, const char *why)
{
	dprintf(STDERR_FILENO, "%s: %s\n", what, why);
	_exit(AGENT_FAILURE_DISK);
}

const char *agent_disk_told(const char *name)
{
	static char text[16384], value[PATH_MAX];
	size_t length = strlen(name);
	int fd = openat(AGENT_WORLD_FD, AGENT_DISK_RESTART, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	char *at = text, *line;

	if (fd >= 0)
		close(fd);
	text[got > 0 ? got : 0] = '\0';
	value[0] = '\0';
	while ((line = strsep(&at, "\n")))
		if (strncmp(line, name, length) == 0 && line[length] == ' ')
			snprintf(value, sizeof(value), "%s", line + length + 1);
	return value;
}

static const char *or_none(const char *text)
{
	return *text ? text : NULL;
}

static void open_new_journal(void)
{
	char journal[PATH_MAX], directory[PATH_MAX];

	snprintf(journal, sizeof(journal), "%s", agent_disk_told("journal"));
	snprintf(directory, sizeof(directory), "%s", agent_disk_told("directory"));
	agent_journal_open(or_none(journal), or_none(directory));
	agent_journal_exclude(or_none(agent_disk_told("output")));
}

static void go_on(struct agent *agent, const struct agent_clone *clones, size_t count)
{
	char trouble[512] = "";

	saving.writer = NULL; /* not there any more */
	agent_know_children();
	if (chdir(saving.directory) < 0)
		give_up(saving.directory, strerror(errno));
	if (disk_make_descriptors(agent, saving.descriptors, trouble) < 0)
		give_up("a file of the checkpoint", trouble);
	open_new_journal();
	agent_journal_pause(false);
	if (agent_renew_files(agent, clones, count) < 0)
		give_up("its files cannot be opened again", strerror(errno));
	disk_know_descriptors(agent);
}

pid_t agent_disk_save(struct agent *agent, const char *world_directory,
                      const struct agent_clone *clones, size_t count,
                      const struct agent_disk_order *order)
{
	pid_t parent = (pid_t)syscall(SYS_getpid);
	sigset_t all, before;
	pid_t child;
	int failure;

	/* No handler may run in the child. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	child = fork();
	if (child != 0) {
		int error = errno;

		sigprocmask(SIG_SETMASK, &before, NULL);
		errno = error;
		return child;
	}
	if (order->launcher_fd >= 0)
		close(order->launcher_fd);
	failure = agent_enter_world(agent, parent, world_directory, clones, count);
	if (failure)
		_exit(failure);
	agent_journal_pause(true);
	write_and_end(agent, order);
	go_on(agent, clones, count);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return 0;
}

/* --- into a fresh process --------------------------------------------------------------------- */

/* The C library of this process has registered its own, in memory that goes. */
static void end_rseq(void)
{
	extern const ptrdiff_t __rseq_offset __attribute__((weak));
	extern const unsigned __rseq_size __attribute__((weak));
	enum { SIGNATURE = 0x53053053, UNREGISTER = 1, LEAST = 32 };
	uint64_t base;

	if (!&__rseq_size || __rseq_size == 0)
		return;
	__asm__("mov %%fs:0, %0" : "=r"(base));
	syscall(SYS_rseq, base + (uint64_t)__rseq_offset,
	        __rseq_size < LEAST ? (unsigned)LEAST : __rseq_size, UNREGISTER, SIGNATURE);
}

static bool map_segment(int fd, const Elf64_Phdr *segment)
{
	uint64_t start = segment->p_vaddr / DISK_PAGE * DISK_PAGE;
	uint64_t end = segment->p_vaddr + segment->p_memsz;
	long mapped = syscall(SYS_mmap, start, end - start, PROT_READ | PROT_WRITE | PROT_EXEC,
	                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0L);

	return mapped == (long)start
	       && pread(fd, (void *)segment->p_vaddr, segment->p_filesz, /* NOLINT */
	                (off_t)segment->p_offset)
	                  == (ssize_t)segment->p_filesz;
}

_Noreturn void agent_disk_become(const char *restorer, const char *image)
{
	int fd = (int)syscall(SYS_openat, AT_FDCWD, restorer, O_RDONLY | O_CLOEXEC);
	static Elf64_Ehdr elf;
	static Elf64_Phdr segments[16];
	static const char *arguments[2];

	if (fd < 0 || pread(fd, &elf, sizeof(elf), 0) != (ssize_t)sizeof(elf)
	    || elf.e_phnum > sizeof(segments) / sizeof(*segments)
	    || pread(fd, segments, elf.e_phnum * sizeof(*segments), (off_t)elf.e_phoff) < 0)
		give_up(restorer, "it cannot be read");
	for (int i = 0; i < elf.e_phnum; i++)
		if (segments[i].p_type == PT_LOAD && !map_segment(fd, &segments[i]))
			give_up(restorer, "it cannot be mapped");
	close(fd);
	end_rseq();
	arguments[0] = image;
	__asm__ volatile("mov %0, %%rdi\n\tjmp *%1"
	                 :
	                 : "r"(arguments), "r"(elf.e_entry)
	                 : "rdi", "memory");
	__builtin_unreachable();
}
