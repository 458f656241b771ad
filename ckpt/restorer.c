/* Puts the image of a rank (agent_disk_format.h) into this process. A program of its own, without a
 * C library, that lies at an address where programs have nothing (DISK_WINDOW). The agent maps it
 * into a fresh run of the rank's program, before anything of that has run, and jumps to `_start`
 * with rdi at a list of one argument: the image's path. It removes everything else, maps and fills
 * what the image contains, and goes on where the rank was saved.
 *
 * The path is that of DIR/NAME/rank.R.img; images that this one builds on are DIR/OTHER/rank.R.img.
 * What fails is printed on standard error, and ends the process. */
#include <elf.h>
#include <fcntl.h>
#include <linux/mman.h>
#include <linux/prctl.h>
#include <sys/syscall.h>

#include "agent_disk_format.h"

enum { ARCH_SET_GS = 0x1001, ARCH_SET_FS = 0x1002 }; /* asm/prctl.h */

enum { PATH_MOST = 4096, TEXT_MOST = 1 << 20, GONE_MOST = 8192, FAILED = 119, ERRORS_END = 4096 };

static long kernel(long number, uint64_t one, uint64_t two, uint64_t three, uint64_t four,
                   uint64_t five, uint64_t six)
{
	register uint64_t r10 __asm__("r10") = four, r8 __asm__("r8") = five;
	register uint64_t r9 __asm__("r9") = six;
	long result;

	__asm__ volatile("syscall"
	                 : "=a"(result)
	                 : "a"(number), "D"(one), "S"(two), "d"(three), "r"(r10), "r"(r8), "r"(r9)
	                 : "rcx", "r11", "memory");
	return result;
}

static bool failed(long result)
{
	return result < 0 && result > -ERRORS_END;
}

/* The compiler may call these. */
void *memcpy(void *to, const void *from, size_t count);
void *memset(void *to, int value, size_t count);

__attribute__((used)) void *memcpy(void *to, const void *from, size_t count)
{
	void *at = to;

	__asm__ volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(count) : : "memory");
	return to;
}

__attribute__((used)) void *memset(void *to, int value, size_t count)
{
	void *at = to;

	__asm__ volatile("rep stosb" : "+D"(at), "+c"(count) : "a"(value) : "memory");
	return to;
}

static size_t length_of(const char *text)
{
	size_t length = 0;

	while (text[length])
		length++;
	return length;
}

static bool begins_with(const char *text, const char *with)
{
	while (*with && *text == *with)
		text++, with++;
	return *with == '\0';
}

static void print(const char *text)
{
	kernel(__NR_write, 2, (uint64_t)text, length_of(text), 0, 0, 0);
}

static char image[PATH_MOST];

static _Noreturn void fail(const char *what, const char *name)
{
	print(image);
	print(": ");
	print(what);
	print(name);
	print("\n");
	for (;;)
		kernel(__NR_exit_group, FAILED, 0, 0, 0, 0, 0);
}

static struct disk_header head;
static int files[DISK_GENERATIONS];
static uint8_t *tables;
static char text[TEXT_MOST];
static uint8_t stack[65536] __attribute__((aligned(64), used));

static int open_file(const char *path, int flags)
{
	return (int)kernel(__NR_openat, (uint64_t)AT_FDCWD, (uint64_t)path,
	                   (uint64_t)(flags | O_CLOEXEC), 0, 0, 0);
}

static void close_file(int fd)
{
	kernel(__NR_close, (uint64_t)fd, 0, 0, 0, 0, 0);
}

static void read_all(int fd, uint64_t to, uint64_t size, uint64_t at)
{
	while (size > 0) {
		long got = kernel(__NR_pread64, (uint64_t)fd, to, size, at, 0, 0);

		if (got <= 0)
			fail("it ends too early, or cannot be read", "");
		to += (uint64_t)got;
		size -= (uint64_t)got;
		at += (uint64_t)got;
	}
}

static const char *string(uint32_t at)
{
	return (const char *)tables + head.strings + at;
}

/* --- the image -------------------------------------------------------------------------------- */

static void check_head(void)
{
	uint64_t hash = head.hash;
	struct disk_cpu cpu = {0};
	const char *differs;

	for (int i = 0; i < 8; i++)
		if (head.magic[i] != DISK_MAGIC[i])
			fail("it is not an image of a rank", "");
	if (head.version != DISK_VERSION || head.size != sizeof(head))
		fail("it was written by another version of matchpoint", "");
	head.hash = 0;
	if (disk_hash(&head, sizeof(head), NULL) != hash)
		fail("its header is damaged", "");
	disk_read_cpu(&cpu);
	differs = disk_cpu_differs(&head.cpu, &cpu);
	if (differs)
		fail(differs, "");
}

/* DIR/NAME/rank.R.img becomes DIR/OTHER/rank.R.img. */
static void open_generation(uint32_t generation)
{
	static char path[PATH_MOST + DISK_NAME];
	size_t file = length_of(image), folder, other = length_of(head.generations[generation]);

	while (file > 0 && image[file - 1] != '/')
		file--;
	folder = file > 0 ? file - 1 : 0;
	while (folder > 0 && image[folder - 1] != '/')
		folder--;
	memcpy(path, image, folder);
	memcpy(path + folder, head.generations[generation], other);
	path[folder + other] = '/';
	memcpy(path + folder + other + 1, image + file, length_of(image + file) + 1);
	files[generation] = open_file(path, O_RDONLY);
	if (files[generation] < 0)
		fail("this one, which it builds on, cannot be opened: ", path);
}

static void open_image(void)
{
	int fd = open_file(image, O_RDONLY);
	uint64_t size;

	if (fd < 0)
		fail("it cannot be opened", "");
	read_all(fd, (uint64_t)&head, sizeof(head), 0);
	check_head();
	size = (head.tables_size + DISK_PAGE - 1) / DISK_PAGE * DISK_PAGE;
	tables = (uint8_t *)DISK_WINDOW_TABLES;
	if (size > DISK_WINDOW_VDSO - DISK_WINDOW_TABLES
	    || failed(kernel(__NR_mmap, DISK_WINDOW_TABLES, size, PROT_READ | PROT_WRITE,
	                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, (uint64_t)-1, 0)))
		fail("there is too little memory for its tables", "");
	read_all(fd, DISK_WINDOW_TABLES, head.tables_size, head.tables);
	if (disk_hash(tables, head.tables_size, NULL) != head.tables_hash)
		fail("its tables are damaged", "");
	for (uint32_t generation = 0; generation < head.generation; generation++)
		open_generation(generation);
	files[head.generation] = fd;
}

/* --- making room ------------------------------------------------------------------------------ */

struct range {
	uint64_t start, size;
};

enum { VVARS_MOST = 4 };

static struct {
	struct range vdso, vvars[VVARS_MOST]; /* [vvar], and since Linux 6.13 [vvar_vclock] */
	int vvar_count;
} own;

static uint64_t read_hexadecimal(const char **at)
{
	uint64_t value = 0;

	for (;; (*at)++) {
		char digit = **at;

		if (digit >= '0' && digit <= '9')
			value = value << 4 | (uint64_t)(digit - '0');
		else if (digit >= 'a' && digit <= 'f')
			value = value << 4 | (uint64_t)(digit - 'a' + 10);
		else
			return value;
	}
}

/* Whether the mapping has to go. */
static bool is_in_the_way(const struct range *range, const char *name)
{
	if (range->start >= DISK_WINDOW && range->start < DISK_WINDOW + DISK_WINDOW_SIZE)
		return false;
	if (begins_with(name, "[vsyscall"))
		return false;
	if (begins_with(name, "[vdso")) {
		own.vdso = *range;
		return false;
	}
	if (begins_with(name, "[vvar")) {
		if (own.vvar_count == VVARS_MOST)
			fail("this kernel's vDSO is not known", "");
		own.vvars[own.vvar_count++] = *range;
		return false;
	}
	return true;
}

/* Returns the bytes of a file of /proc, at most `most`. */
static size_t read_proc(const char *path, char *bytes, size_t most)
{
	int fd = open_file(path, O_RDONLY);
	size_t used = 0;
	long got = 1;

	while (fd >= 0 && got > 0) {
		got = kernel(__NR_read, (uint64_t)fd, (uint64_t)bytes + used, most - used, 0, 0, 0);
		used += got > 0 ? (size_t)got : 0;
	}
	if (fd < 0 || got < 0)
		fail("this cannot be read: ", path);
	close_file(fd);
	return used;
}

static void read_maps(void)
{
	text[read_proc("/proc/self/maps", text, TEXT_MOST - 1)] = '\0';
}

static void clear_space(void)
{
	static struct range gone[GONE_MOST];
	int count = 0;

	read_maps();
	for (const char *at = text; *at;) {
		struct range range;
		const char *name = "";

		range.start = read_hexadecimal(&at);
		at++;
		range.size = read_hexadecimal(&at) - range.start;
		for (; *at && *at != '\n'; at++)
			if (*at == '[')
				name = at;
		at += *at == '\n';
		if (!is_in_the_way(&range, name))
			continue;
		if (count == GONE_MOST)
			fail("this run of the program has too many mappings", "");
		gone[count++] = range;
	}
	for (int i = 0; i < count; i++)
		kernel(__NR_munmap, gone[i].start, gone[i].size, 0, 0, 0, 0);
}

/* --- the kernel's code ------------------------------------------------------------------------ */

static void move(struct range *range, int64_t by)
{
	if (failed(kernel(__NR_mremap, range->start, range->size, range->size,
	                  MREMAP_MAYMOVE | MREMAP_FIXED, range->start + (uint64_t)by, 0)))
		fail("the kernel's vDSO cannot be moved", "");
	range->start += (uint64_t)by;
}

/* With its data, at the same distance: its code finds them by that. */
static void move_vdso(uint64_t to)
{
	int64_t by = (int64_t)(to - own.vdso.start);

	for (int i = 0; i < own.vvar_count; i++)
		move(&own.vvars[i], by);
	move(&own.vdso, by);
}

static void put_vdso(void)
{
	if (own.vvar_count == 0 || own.vdso.size != head.vdso_size
	    || own.vdso.start - own.vvars[0].start != head.vdso - head.vvar
	    || disk_hash((const void *)own.vdso.start, own.vdso.size, NULL) != head.vdso_hash)
		fail("this kernel is another one than that of the checkpoint, ", head.kernel);
	if (own.vdso.start == head.vdso)
		return;
	move_vdso(DISK_WINDOW_VDSO); /* both places may overlap */
	move_vdso(head.vdso);
}

/* --- memory ----------------------------------------------------------------------------------- */

static const char *in_world(const char *name)
{
	static char path[PATH_MOST];
	const char *directory = "/proc/self/fd/200/";
	size_t length = length_of(directory);

	if (length + length_of(name) + 1 > sizeof(path))
		fail("a name is too long: ", name);
	memcpy(path, directory, length);
	memcpy(path + length, name, length_of(name) + 1);
	return path;
}

static int open_mapped(const struct disk_map *map)
{
	bool writes = map->kind == DISK_MAP_WORLD && (map->protection & PROT_WRITE);
	const char *path = string(map->name);
	int fd;

	if (map->kind == DISK_MAP_ANONYMOUS)
		return -1;
	fd = open_file(map->kind == DISK_MAP_WORLD ? in_world(path) : path,
	               writes ? O_RDWR : O_RDONLY);
	if (fd < 0)
		fail("a file that was mapped cannot be opened: ", path);
	return fd;
}

static void put_map(const struct disk_map *map)
{
	bool private = map->kind == DISK_MAP_ANONYMOUS || map->kind == DISK_MAP_FILE;
	uint64_t how = MAP_FIXED_NOREPLACE | (private ? MAP_PRIVATE : MAP_SHARED);
	uint64_t size = map->end - map->start;
	int fd = open_mapped(map);

	how |= map->kind == DISK_MAP_ANONYMOUS ? MAP_ANONYMOUS : 0;
	how |= map->flags & DISK_GROWS_DOWN ? MAP_GROWSDOWN : 0;
	how |= map->flags & DISK_UNRESERVED || map->protection == 0 ? MAP_NORESERVE : 0;
	if (failed(kernel(__NR_mmap, map->start, size,
	                  map->protection | (private ? PROT_READ | PROT_WRITE : 0), how,
	                  (uint64_t)fd, map->offset)))
		fail("its memory cannot be mapped: too little memory, or another limit ",
		     string(map->name));
	if (fd >= 0)
		close_file(fd);
	if (map->flags & DISK_HUGE)
		kernel(__NR_madvise, map->start, size, MADV_HUGEPAGE, 0, 0, 0);
	if (map->flags & DISK_NO_HUGE)
		kernel(__NR_madvise, map->start, size, MADV_NOHUGEPAGE, 0, 0, 0);
}

/* Pages in a row are read at once. */
static uint64_t run_of(const struct disk_page *pages, uint64_t at)
{
	enum { MOST = 512 };
	uint64_t run = 1;

	while (at + run < head.page_count && run < MOST
	       && pages[at + run].address == pages[at].address + run * DISK_PAGE
	       && pages[at + run].where == pages[at].where + run * DISK_PAGE)
		run++;
	return run;
}

static void fill(void)
{
	const struct disk_page *pages = (const void *)(tables + head.pages);
	uint64_t run;

	for (uint64_t i = 0; i < head.page_count; i += run) {
		run = run_of(pages, i);
		read_all(files[disk_generation(pages[i].where)], pages[i].address, run * DISK_PAGE,
		         disk_offset(pages[i].where));
		for (uint64_t j = i; j < i + run; j++)
			if (disk_hash((const void *)pages[j].address, DISK_PAGE, NULL)
			    != pages[j].hash)
				fail("a page is damaged", "");
	}
}

static void protect(const struct disk_map *map)
{
	if (map->kind != DISK_MAP_ANONYMOUS && map->kind != DISK_MAP_FILE)
		return;
	if ((map->protection & (PROT_READ | PROT_WRITE)) != (PROT_READ | PROT_WRITE)
	    && failed(kernel(__NR_mprotect, map->start, map->end - map->start, map->protection, 0,
	                     0, 0)))
		fail("its memory cannot be protected", "");
}

static void put_memory(void)
{
	const struct disk_map *maps = (const void *)(tables + head.maps);

	for (uint64_t i = 0; i < head.map_count; i++)
		put_map(&maps[i]);
	fill();
	for (uint64_t i = 0; i < head.map_count; i++)
		protect(&maps[i]);
}

/* --- what the kernel knows -------------------------------------------------------------------- */

/* What /proc/PID/environ shows: who looks for processes of a job must find these. The program's own
 * variables stay in its memory. */
static char environment[1 << 17];
static size_t environment_size;

/* Where the heap ends (brk) and what gdb reads. A kernel that forbids it leaves the C library's
 * heap to grow elsewhere. */
static void put_layout(void)
{
	head.memory.auxv = (uint64_t)head.auxv;
	head.memory.auxv_size = head.auxv_size;
	kernel(__NR_prctl, PR_SET_MM, PR_SET_MM_MAP, (uint64_t)&head.memory, sizeof(head.memory), 0,
	       0);
}

/* Needs no memory to be there but this. So the process is found even while it is being filled. */
static void show_environment(uint64_t place)
{
	head.memory.env_start = place;
	head.memory.env_end = place + environment_size;
	put_layout();
}

static void put_environment(void)
{
	long place = kernel(__NR_mmap, 0, sizeof(environment), PROT_READ | PROT_WRITE,
	                    MAP_PRIVATE | MAP_ANONYMOUS, (uint64_t)-1, 0);

	if (failed(place))
		fail("there is too little memory for its environment", "");
	memcpy((void *)place, environment, environment_size);
	show_environment((uint64_t)place);
}

static void put_kernel_state(void)
{
	enum { SIGNATURE = 0x53053053, DISABLED = 2, KILL = 9, STOP = 19 };
	struct {
		uint64_t address;
		uint32_t flags, unused;
		uint64_t size;
	} signal_stack = {head.stack_address, (uint32_t)head.stack_flags, 0, head.stack_size};

	put_environment();
	for (int number = 1; number <= 64; number++)
		if (number != KILL && number != STOP)
			kernel(__NR_rt_sigaction, (uint64_t)number, (uint64_t)&head.signals[number],
			       0, 8, 0, 0);
	if (!(head.stack_flags & DISABLED))
		kernel(__NR_sigaltstack, (uint64_t)&signal_stack, 0, 0, 0, 0, 0);
	kernel(__NR_umask, head.umask, 0, 0, 0, 0, 0);
	kernel(__NR_arch_prctl, ARCH_SET_FS, head.context.fs_base, 0, 0, 0, 0);
	kernel(__NR_arch_prctl, ARCH_SET_GS, head.context.gs_base, 0, 0, 0, 0);
	kernel(__NR_set_robust_list, head.robust, head.robust_size, 0, 0, 0, 0);
	kernel(__NR_set_tid_address, head.thread_address, 0, 0, 0, 0, 0);
	if (head.rseq && failed(kernel(__NR_rseq, head.rseq, head.rseq_size, 0, SIGNATURE, 0, 0)))
		fail("restartable sequences (rseq) cannot be registered", "");
}

static __attribute__((used)) _Noreturn void restore(void)
{
	uint64_t all = ~0ul;

	kernel(__NR_rt_sigprocmask, 2 /* SIG_SETMASK */, (uint64_t)&all, 0, 8, 0, 0);
	open_image();
	environment_size = read_proc("/proc/self/environ", environment, sizeof(environment));
	show_environment((uint64_t)environment);
	clear_space();
	put_vdso();
	put_memory();
	put_kernel_state();
	for (uint32_t generation = 0; generation <= head.generation; generation++)
		close_file(files[generation]);
	__asm__ volatile("ldmxcsr %0\n\tfldcw %1"
	                 :
	                 : "m"(head.context.mxcsr), "m"(head.context.fpu_control));
	__asm__ volatile("mov 0(%%rax), %%rbx\n\tmov 16(%%rax), %%r12\n\tmov 24(%%rax), %%r13\n\t"
	                 "mov 32(%%rax), %%r14\n\tmov 40(%%rax), %%r15\n\tmov 48(%%rax), %%rsp\n\t"
	                 "mov 8(%%rax), %%rbp\n\tmov 88(%%rax), %%rdx\n\tjmp *56(%%rax)"
	                 :
	                 : "a"(&head.context), "D"(DISK_WINDOW), "S"(DISK_WINDOW_SIZE)
	                 : "memory");
	__builtin_unreachable();
}

static __attribute__((used)) _Noreturn void begin(const char *const *arguments)
{
	size_t length = length_of(arguments[0]);

	if (length >= sizeof(image))
		fail("its path is too long", "");
	memcpy(image, arguments[0], length + 1);
	__asm__ volatile("lea stack(%%rip), %%rsp\n\tadd $65472, %%rsp\n\txor %%ebp, %%ebp\n\t"
	                 "call restore"
	                 :
	                 :
	                 : "memory");
	__builtin_unreachable();
}

__asm__(".globl _start\n_start:\n\tand $-16, %rsp\n\tcall begin\n\thlt\n");
