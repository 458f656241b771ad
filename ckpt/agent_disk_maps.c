/* What a rank that is written to disk has mapped, and what the kernel knows of it. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "agent_disk_internal.h"

enum { ARCH_GET_FS = 0x1003, ARCH_GET_GS = 0x1004 }; /* asm/prctl.h */

/* --- mappings --------------------------------------------------------------------------------- */

static uint32_t add_string(struct disk_writer *writer, const char *text)
{
	size_t length = strlen(text) + 1;
	uint64_t at = writer->head.strings_size;

	if (at + length > DISK_STRINGS_MOST) {
		disk_refuse(writer, "it has mapped too many files");
		return 0;
	}
	memcpy(writer->strings + at, text, length);
	writer->head.strings_size += length;
	return (uint32_t)at;
}

static bool is_gone(const char *name)
{
	const char *suffix = " (deleted)";
	size_t length = strlen(name), tail = strlen(suffix);

	return length >= tail && strcmp(name + length - tail, suffix) == 0;
}

/* A device has no contents that could be mapped again. A private mapping of /dev/zero is memory
 * like any other; the kernel marks those of other devices. */
static bool is_device(const char *name)
{
	struct stat status;

	return name[0] == '/' && stat(name, &status) == 0
	       && (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode));
}

static int classify(struct disk_writer *writer, struct disk_map *map, const char *name, bool shared)
{
	size_t world = strlen(writer->world);
	bool is_file = name[0] == '/' && !is_device(name);

	if (!shared) {
		map->kind = is_file && !is_gone(name) ? DISK_MAP_FILE : DISK_MAP_ANONYMOUS;
		map->flags |= is_file && is_gone(name) ? DISK_WHOLE : 0;
		map->name = map->kind == DISK_MAP_FILE ? add_string(writer, name) : 0;
		return 0;
	}
	if (strncmp(name, writer->world, world) == 0 && name[world] == '/' && !is_gone(name)) {
		map->kind = DISK_MAP_WORLD;
		map->name = add_string(writer, name + world + 1);
		return 0;
	}
	map->kind = DISK_MAP_SHARED;
	if (!is_file || is_gone(name) || (map->protection & PROT_WRITE))
		return disk_refuse(writer, "it has mapped %s shared", *name ? name : "memory");
	map->name = add_string(writer, name);
	return 0;
}

static int add_flags(struct disk_writer *writer, struct disk_map *map, const char *flags)
{
	static const struct {
		const char *word;
		uint32_t flag;
	} kept[] = {{" gd", DISK_GROWS_DOWN},
	            {" hg", DISK_HUGE},
	            {" nh", DISK_NO_HUGE},
	            {" nr", DISK_UNRESERVED}};

	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		map->flags |= strstr(flags, kept[i].word) ? kept[i].flag : 0;
	if (strstr(flags, " ht"))
		return disk_refuse(writer, "it uses huge pages of hugetlbfs");
	if (strstr(flags, " ss"))
		return disk_refuse(writer, "it has a shadow stack");
	if (strstr(flags, " io") || strstr(flags, " pf"))
		return disk_refuse(writer, "it has mapped a device");
	return 0;
}

/* The kernel's own: found by the restorer, or the same in every process. */
static bool is_kernels(struct disk_writer *writer, uint64_t start, uint64_t end, const char *name)
{
	struct disk_header *head = &writer->head;

	if (strncmp(name, "[vvar", 5) == 0) { /* and [vvar_vclock] behind it */
		head->vvar = head->vvar ? head->vvar : start;
		return true;
	}
	if (strcmp(name, "[vdso]") == 0) {
		head->vdso = start;
		head->vdso_size = end - start;
		return true;
	}
	return strcmp(name, "[vsyscall]") == 0;
}

/* Adds the mapping that a line begins; *ret_map: NULL if it is none that is kept. */
static int add_map(struct disk_writer *writer, const char *line, struct disk_map **ret_map)
{
	struct disk_map map = {0};
	unsigned major, minor;
	uint64_t inode;
	char access[5];
	int name = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n", &map.start,
	           &map.end, access, &map.offset, &major, &minor, &inode, &name)
	    < 7)
		return 0;
	*ret_map = NULL;
	if ((map.start >= writer->start && map.end <= writer->start + writer->size)
	    || is_kernels(writer, map.start, map.end, line + name))
		return 0;
	if (map.end > DISK_WINDOW && map.start < DISK_WINDOW + DISK_WINDOW_SIZE)
		return disk_refuse(writer, "it has mapped memory where the restorer belongs");
	if (writer->head.map_count == DISK_MAPS_MOST)
		return disk_refuse(writer, "it has too many mappings");
	map.protection = (access[0] == 'r' ? PROT_READ : 0) | (access[1] == 'w' ? PROT_WRITE : 0)
	                 | (access[2] == 'x' ? PROT_EXEC : 0);
	if (classify(writer, &map, line + name, access[3] == 's') < 0)
		return -1;
	*ret_map = &writer->maps[writer->head.map_count++];
	**ret_map = map;
	return 0;
}

int disk_list_maps(struct disk_writer *writer)
{
	struct disk_map *map = NULL;
	char *at = writer->text, *line;

	if (disk_read_text(writer, "/proc/self/smaps") < 0)
		return -1;
	writer->head.strings_size = 1; /* the empty one */
	while ((line = strsep(&at, "\n")) && *line) {
		if (strncmp(line, "VmFlags:", 8) != 0) {
			if (add_map(writer, line, &map) < 0)
				return -1;
		} else if (map && add_flags(writer, map, line + 8) < 0) {
			return -1;
		}
	}
	if (!writer->head.vdso)
		return disk_refuse(writer, "the kernel gives it no vDSO");
	return writer->trouble[0] ? -1 : 0;
}

/* --- what the kernel knows -------------------------------------------------------------------- */

/* Field `number` of /proc/self/stat (proc(5)); those after the name begin with 3. */
static uint64_t field_of(const char *stat, int number)
{
	const char *at = strrchr(stat, ')');

	for (int i = 2; at && i < number; i++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at, NULL, 10) : 0;
}

static int note_memory(struct disk_writer *writer)
{
	struct disk_header *head = &writer->head;
	const char *text = writer->text;
	int fd;
	ssize_t got;

	if (disk_read_text(writer, "/proc/self/stat") < 0)
		return -1;
	head->memory = (struct disk_memory){.start_code = field_of(text, 26),
	                                    .end_code = field_of(text, 27),
	                                    .start_data = field_of(text, 45),
	                                    .end_data = field_of(text, 46),
	                                    .start_brk = field_of(text, 47),
	                                    .brk = (uint64_t)syscall(SYS_brk, 0L),
	                                    .start_stack = field_of(text, 28),
	                                    .arg_start = field_of(text, 48),
	                                    .arg_end = field_of(text, 49),
	                                    .env_start = field_of(text, 50),
	                                    .env_end = field_of(text, 51),
	                                    .exe_fd = (uint32_t)-1};
	fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/auxv", O_RDONLY | O_CLOEXEC);
	got = fd < 0 ? -1 : read(fd, head->auxv, sizeof(head->auxv));
	if (fd >= 0)
		close(fd);
	if (got < 0)
		return disk_refuse(writer, "its auxiliary vector cannot be read");
	head->auxv_size = (uint32_t)got;
	return 0;
}

static int note_signals(struct disk_writer *writer)
{
	struct disk_header *head = &writer->head;
	stack_t stack;
	uint64_t pending = 0;

	for (int number = 1; number <= 64; number++)
		syscall(SYS_rt_sigaction, number, NULL, &head->signals[number], 8);
	syscall(SYS_rt_sigpending, &pending, 8);
	if (pending)
		return disk_refuse(writer, "a signal is pending");
	if (sigaltstack(NULL, &stack) == 0) {
		head->stack_address = (uintptr_t)stack.ss_sp;
		head->stack_size = stack.ss_size;
		head->stack_flags = (uint64_t)stack.ss_flags;
	}
	return 0;
}

/* Where the C library has registered its restartable sequences (rseq(2)). */
static void note_rseq(struct disk_header *head)
{
	extern const ptrdiff_t __rseq_offset __attribute__((weak));
	extern const unsigned __rseq_size __attribute__((weak));
	enum { LEAST = 32 }; /* bytes of the first version, which is registered with this size */

	if (!&__rseq_size || __rseq_size == 0)
		return;
	head->rseq = head->context.fs_base + (uint64_t)__rseq_offset;
	head->rseq_size = __rseq_size < LEAST ? LEAST : __rseq_size;
}

int disk_note_kernel_state(struct disk_writer *writer)
{
	struct disk_header *head = &writer->head;
	struct utsname name;
	ssize_t length;

	if (note_memory(writer) < 0 || note_signals(writer) < 0)
		return -1;
	if (uname(&name) == 0)
		snprintf(head->kernel, sizeof(head->kernel), "%.127s", name.release);
	disk_read_cpu(&head->cpu);
	head->umask = (uint32_t)umask(0);
	umask((mode_t)head->umask);
	syscall(SYS_arch_prctl, ARCH_GET_FS, &head->context.fs_base);
	syscall(SYS_arch_prctl, ARCH_GET_GS, &head->context.gs_base);
	if (prctl(PR_GET_TID_ADDRESS, &head->thread_address, 0, 0, 0) < 0)
		return disk_refuse(writer, "this kernel does not tell where it clears the thread's "
		                           "number (PR_GET_TID_ADDRESS)");
	syscall(SYS_get_robust_list, 0, &head->robust, &head->robust_size);
	note_rseq(head);
	length = readlink("/proc/self/exe", head->program, sizeof(head->program) - 1);
	if (length < 0 || is_gone(head->program))
		return disk_refuse(writer, "the file of its program is gone");
	head->vdso_hash = disk_hash((const void *)head->vdso, head->vdso_size, NULL);
	return 0;
}
