#define _GNU_SOURCE
#include "digest.h"

#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>
#include <unwind.h>

#include "mappings.h"

enum {
	PAGE = 4096,
	RANGES_MAX = 32,
	PAGES_AT_ONCE = 512,
	PAGES_MAX = 1 << 18, /* 1 GiB; takes a quarter of a second */
};

#define PAGE_PRESENT (UINT64_C(1) << 63)
#define PAGE_SWAPPED (UINT64_C(1) << 62)
#define PAGE_OF_FILE (UINT64_C(1) << 61)

struct range {
	uintptr_t start, end;
};

struct frame {
	uintptr_t site;
	bool found;
	uintptr_t stack; /* its stack pointer at the call */
	uint64_t preserved[6];
};

/* All data used here lies in the shim's own data, which is left out. Nothing is allocated. */
static struct {
	uint64_t hash[2];
	struct range left_out[RANGES_MAX];
	size_t left_out_count;
	struct frame frame;
	uint64_t pages[PAGES_AT_ONCE];
	size_t taken; /* pages */
	int pagemap;
	bool failed;
} work;

static int known_threads;

static void leave_out(uintptr_t start, uintptr_t end)
{
	if (work.left_out_count == RANGES_MAX)
		work.failed = true;
	else
		work.left_out[work.left_out_count++] = (struct range){start, end};
}

/* --- hashing --------------------------------------------------------------------------------- */

static void fold(uint64_t word)
{
	uint64_t one = (work.hash[0] ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	uint64_t other = (work.hash[1] + word) * UINT64_C(0xd6e8feb86659fd93);

	work.hash[0] = one ^ one >> 32;
	work.hash[1] = other << 29 | other >> 35;
}

static void fold_bytes(uintptr_t start, uintptr_t end)
{
	fold(start);
	for (; start + sizeof(uint64_t) <= end; start += sizeof(uint64_t)) {
		uint64_t word;
		memcpy(&word, (const void *)start, sizeof(word));
		fold(word);
	}
	for (; start < end; start++)
		fold(*(const unsigned char *)start);
}

/* A page that is present and private. Other pages have never been written. */
static bool is_own(uint64_t page)
{
	return (page & PAGE_SWAPPED) || ((page & PAGE_PRESENT) && !(page & PAGE_OF_FILE));
}

static void fold_pages(uintptr_t start, uintptr_t end)
{
	uintptr_t first = start / PAGE, last = (end + PAGE - 1) / PAGE;

	while (first < last && !work.failed) {
		size_t count = last - first < PAGES_AT_ONCE ? last - first : PAGES_AT_ONCE;
		size_t size = count * sizeof(work.pages[0]);

		if (pread(work.pagemap, work.pages, size, (off_t)(first * sizeof(work.pages[0])))
		    != (ssize_t)size)
			work.failed = true;
		for (size_t i = 0; i < count && !work.failed; i++) {
			uintptr_t from = (first + i) * PAGE, to = from + PAGE;
			if (!is_own(work.pages[i]))
				continue;
			work.failed = ++work.taken > PAGES_MAX;
			fold_bytes(from < start ? start : from, to > end ? end : to);
		}
		first += count;
	}
}

static void fold_mapping(uintptr_t start, uintptr_t end)
{
	while (start < end && !work.failed) {
		struct range next = {end, end};

		for (size_t i = 0; i < work.left_out_count; i++) {
			const struct range *one = &work.left_out[i];
			if (one->end > start && one->start < next.start)
				next = *one;
		}
		if (next.start > start)
			fold_pages(start, next.start);
		start = next.end;
	}
}

/* --- what is left out ------------------------------------------------------------------------ */

static _Unwind_Reason_Code look_at_frame(struct _Unwind_Context *context, void *data)
{
	static const int preserved[] = {3, 6, 12, 13, 14, 15}; /* rbx, rbp, r12 to r15 */
	struct frame *frame = data;

	if (_Unwind_GetIP(context) != frame->site)
		return _URC_NO_REASON;
	for (size_t i = 0; i < sizeof(preserved) / sizeof(preserved[0]); i++)
		frame->preserved[i] = _Unwind_GetGR(context, preserved[i]);
	frame->stack = _Unwind_GetCFA(context);
	frame->found = true;
	return _URC_END_OF_STACK;
}

static int look_at_module(struct dl_phdr_info *module, size_t size, void *data)
{
	const uintptr_t own = (uintptr_t)&work;
	bool found = false;

	(void)size;
	(void)data;
	for (int i = 0; i < module->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &module->dlpi_phdr[i];
		uintptr_t start = module->dlpi_addr + part->p_vaddr;
		found |= part->p_type == PT_LOAD && own >= start && own < start + part->p_memsz;
	}
	for (int i = 0; found && i < module->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &module->dlpi_phdr[i];
		uintptr_t start = module->dlpi_addr + part->p_vaddr;
		uintptr_t thread = (uintptr_t)module->dlpi_tls_data;
		if (part->p_type == PT_LOAD && (part->p_flags & PF_W))
			leave_out(start, start + part->p_memsz);
		if (part->p_type == PT_TLS && thread)
			leave_out(thread, thread + part->p_memsz);
	}
	return found;
}

/* The folder has a link for each thread in it, and two more. Returns -1 if it is not known. */
static int count_threads(void)
{
	struct stat folder;

	return stat("/proc/self/task", &folder) < 0 ? -1 : (int)folder.st_nlink - 2;
}

/* Calls `visit` with the number of each thread but this one. Returns how many threads there are. */
static int each_thread(void (*visit)(long thread))
{
	int directory = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/task",
	                             O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct entry {
		uint64_t inode;
		int64_t offset;
		uint16_t length;
		uint8_t type;
		char name[];
	};
	char entries[1024] __attribute__((aligned(8)));
	int count = 0;
	long size;

	if (directory < 0)
		return -1;
	while ((size = syscall(SYS_getdents64, directory, entries, sizeof(entries))) > 0) {
		for (long at = 0; at < size;) {
			const struct entry *entry = (const struct entry *)(void *)(entries + at);
			long number = strtol(entry->name, NULL, 10);

			count += number > 0;
			if (number > 0 && number != syscall(SYS_gettid))
				visit(number);
			at += entry->length;
		}
	}
	close(directory);
	return size < 0 ? -1 : count;
}

/* The stack of a thread that sleeps in the kernel, as it should. /proc shows its stack pointer; the
 * whole mapping around it is left out. */
static void leave_out_stack(long thread)
{
	char path[64], text[256] = "";
	unsigned long long stack = 0;

	snprintf(path, sizeof(path), "/proc/self/task/%ld/syscall", thread);
	int file = open_quietly(path);
	if (file < 0 || read(file, text, sizeof(text) - 1) <= 0
	    || sscanf(text, "%*d %*x %*x %*x %*x %*x %*x %llx", &stack) != 1 || stack == 0)
		work.failed = true;
	if (file >= 0)
		close(file);
	leave_out((uintptr_t)stack, (uintptr_t)stack);
}

/* A timer of the program may end what looks endless. */
static bool has_timers(void)
{
	struct itimerval timer;
	char byte;

	for (int which = ITIMER_REAL; which <= ITIMER_PROF; which++)
		if (getitimer((__itimer_which_t)which, &timer) < 0 || timer.it_value.tv_sec != 0
		    || timer.it_value.tv_usec != 0)
			return true;
	int file = open_quietly("/proc/self/timers"); /* of timer_create */
	bool found = file >= 0 && read(file, &byte, 1) > 0;
	if (file >= 0)
		close(file);
	return found;
}

bool digest_is_disturbed(void)
{
	int threads = count_threads();

	return threads < 0 || threads > known_threads || has_timers();
}

/* --- the digest ------------------------------------------------------------------------------ */

/* A line of /proc/self/maps. */
static void take_line(const char *line, size_t stacks)
{
	uintptr_t start, end, from;
	char access[5];

	if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s", &start, &end, access) != 3)
		return;
	if (access[1] != 'w' || access[3] != 'p')
		return;
	for (size_t i = 0; i < stacks; i++) /* stacks of MPI's threads */
		if (work.left_out[i].start >= start && work.left_out[i].start < end)
			return;
	from = work.frame.stack;
	if (from >= start && from < end)
		start = strstr(line, "[stack]") ? from : start;
	fold_mapping(start, end);
}

static bool see_line(const char *line, void *stacks)
{
	take_line(line, *(const size_t *)stacks);
	return !work.failed;
}

void digest_know_threads(void)
{
	known_threads = count_threads();
}

bool digest_take(uint64_t site, const struct memory_range *own, size_t own_count, uint64_t ret[2])
{
	memset(&work, 0, sizeof(work));
	work.frame.site = site;
	_Unwind_Backtrace(look_at_frame, &work.frame);
	work.pagemap = open_quietly("/proc/self/pagemap");
	work.failed = !work.frame.found || work.pagemap < 0 || has_timers();
	int threads = each_thread(leave_out_stack);
	size_t stacks = work.left_out_count;
	work.failed |= threads < 0 || threads > known_threads;
	if (!work.failed) {
		const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
		dl_iterate_phdr(look_at_module, NULL);
		for (size_t i = 0; i < own_count; i++)
			leave_out(own[i].start, own[i].end);
		if (here < work.frame.stack) /* not the process's first stack */
			leave_out(here - PAGE, work.frame.stack);
		for (size_t i = 0; i < sizeof(work.frame.preserved) / sizeof(uint64_t); i++)
			fold(work.frame.preserved[i]);
		work.failed |= !mappings_each(see_line, &stacks);
	}
	if (work.pagemap >= 0)
		close(work.pagemap);
	ret[0] = work.hash[0];
	ret[1] = work.hash[1];
	return !work.failed;
}
