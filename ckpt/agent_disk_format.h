/* The file of a rank in a checkpoint on disk, rank.R.img: a header, the contents of pages, then
 * tables. Written by the rank (agent_disk.c), read by the restorer (restorer.c) and by whoever
 * checks it (disk_image.h). All numbers are those of the machine; only x86-64 is supported.
 *
 * Pages that are equal in the checkpoint this one builds on are not stored again: `where` names the
 * file that has them. So a chain of checkpoints is read in one pass. Pages of zeroes are left out.
 *
 * Everything is checked: the header and the tables as a whole, each page by itself. Libc-free: also
 * used where there is no C library yet. */
#ifndef MATCHPOINT_CKPT_AGENT_DISK_FORMAT_H
#define MATCHPOINT_CKPT_AGENT_DISK_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DISK_MAGIC "MPDISK\r\n"
#define DISK_VERSION 1u
#define DISK_PAGE 4096ul
#define DISK_HEAD 16384ul /* bytes of the header's place; pages follow */

/* The restorer's window of addresses, which no mapping of a program may touch. */
#define DISK_WINDOW 0x10000000000ul
#define DISK_WINDOW_SIZE 0x100000000ul
#define DISK_WINDOW_TABLES (DISK_WINDOW + 0x10000000ul)
#define DISK_WINDOW_VDSO (DISK_WINDOW + 0xf0000000ul)

enum {
	DISK_GENERATIONS = 64, /* a longer chain begins anew with a whole image */
	DISK_NAME = 64,        /* bytes of a checkpoint's name, with '\0' */
};

enum disk_map_kind {
	DISK_MAP_ANONYMOUS,
	DISK_MAP_FILE,   /* private, of a file: only pages that differ from it are stored */
	DISK_MAP_WORLD,  /* shared, of a file in the world's directory */
	DISK_MAP_SHARED, /* shared, of another file; only for reading */
};

enum disk_map_flag {
	DISK_GROWS_DOWN = 1,
	DISK_HUGE = 2,    /* MADV_HUGEPAGE */
	DISK_NO_HUGE = 4, /* MADV_NOHUGEPAGE */
	DISK_UNRESERVED = 8,
	DISK_WHOLE = 16, /* of a file that is gone: all pages are stored */
};

struct disk_map {
	uint64_t start, end, offset;
	uint32_t protection, kind, flags, name; /* name: in the strings */
};

struct disk_page {
	uint64_t address, hash;
	uint64_t where; /* generation << 56 | offset in that generation's file */
};

static inline uint64_t disk_where(uint32_t generation, uint64_t offset)
{
	return (uint64_t)generation << 56 | offset;
}

static inline uint32_t disk_generation(uint64_t where)
{
	return (uint32_t)(where >> 56);
}

static inline uint64_t disk_offset(uint64_t where)
{
	return where & 0xfffffffffffffful;
}

struct disk_context {
	uint64_t rbx, rbp, r12, r13, r14, r15, rsp, rip;
	uint32_t mxcsr, fpu_control;
	uint64_t fs_base, gs_base, back; /* back: where agent_disk_context was called */
};

struct disk_signal { /* the kernel's struct sigaction */
	uint64_t handler, flags, restorer, mask;
};

struct disk_cpu {
	uint32_t leaf1_ecx, leaf1_edx, leaf7_ebx, leaf7_ecx, leaf71_eax, extended_ecx, xsave_size;
	uint32_t unused;
	uint64_t xcr0;
};

struct disk_memory { /* the kernel's struct prctl_mm_map */
	uint64_t start_code, end_code, start_data, end_data, start_brk, brk, start_stack;
	uint64_t arg_start, arg_end, env_start, env_end;
	uint64_t auxv; /* a pointer */
	uint32_t auxv_size, exe_fd;
};

struct disk_header {
	char magic[8];
	uint32_t version, size; /* size: of this struct */
	uint32_t generation;    /* number of checkpoints that this one builds on */
	uint32_t rank;
	uint64_t file_size;
	uint64_t tables, tables_size, tables_hash;
	uint64_t maps, map_count, pages, page_count, strings, strings_size; /* in the tables */
	uint64_t own_pages; /* pages that are stored in this file */
	char kernel[128];   /* its release, for messages */
	struct disk_cpu cpu;
	struct disk_context context;
	struct disk_memory memory;
	uint64_t auxv[64];
	uint32_t auxv_size, umask;
	uint64_t thread_address, robust, robust_size, rseq, rseq_size;
	uint64_t vdso, vdso_size, vvar, vdso_hash;
	struct disk_signal signals[65];                  /* by number */
	uint64_t stack_address, stack_size, stack_flags; /* of signals */
	char program[512];
	char generations[DISK_GENERATIONS][DISK_NAME]; /* names of checkpoints, by generation */
	uint64_t hash;                                 /* of the header with 0 here */
};

_Static_assert(sizeof(struct disk_header) <= DISK_HEAD, "the header fits its place");
_Static_assert(sizeof(struct disk_header) % 8 == 0, "the header is hashed in words");

static inline uint64_t disk_mix(uint64_t one, uint64_t other)
{
	__extension__ typedef unsigned __int128 wide;
	wide product = (wide)one * other;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* 64 bits over whole words. *ret_any (NULL: not wanted): whether any bit is set. */
static inline uint64_t disk_hash(const void *bytes, size_t size, bool *ret_any)
{
	const uint64_t keys[4] = {0xa0761d6478bd642ful, 0xe7037ed1a0b428dbul, 0x8ebc6af09c88c6e3ul,
	                          0x589965cc75374cc3ul};
	uint64_t lanes[4] = {keys[0], keys[1], keys[2], keys[3]}, any = 0;
	const uint64_t *word = (const uint64_t *)bytes;
	size_t left = size / 8;

	for (; left >= 8; left -= 8, word += 8) {
		any |= word[0] | word[1] | word[2] | word[3];
		any |= word[4] | word[5] | word[6] | word[7];
		for (int i = 0; i < 4; i++)
			lanes[i] = disk_mix(word[2 * i] ^ keys[i], word[2 * i + 1] ^ lanes[i]);
	}
	for (; left > 0; left--, word++) {
		any |= *word;
		lanes[0] = disk_mix(*word ^ keys[0], lanes[0] ^ keys[1]);
	}
	if (ret_any)
		*ret_any = any != 0;
	return disk_mix(lanes[0] ^ lanes[1] ^ size, lanes[2] ^ lanes[3] ^ keys[1]);
}

/* Registers a to d of the instruction CPUID. */
static inline void disk_cpuid(uint32_t leaf, uint32_t sub, uint32_t ret[static 4])
{
	__asm__ volatile("cpuid"
	                 : "=a"(ret[0]), "=b"(ret[1]), "=c"(ret[2]), "=d"(ret[3])
	                 : "a"(leaf), "c"(sub));
}

static inline void disk_read_cpu(struct disk_cpu *cpu)
{
	const uint32_t osxsave = 1u << 27;
	uint32_t registers[4], highest;

	disk_cpuid(0, 0, registers);
	highest = registers[0];
	disk_cpuid(1, 0, registers);
	cpu->leaf1_ecx = registers[2];
	cpu->leaf1_edx = registers[3];
	if (highest >= 7) {
		disk_cpuid(7, 0, registers);
		cpu->leaf7_ebx = registers[1];
		cpu->leaf7_ecx = registers[2];
		if (registers[0] >= 1) {
			disk_cpuid(7, 1, registers);
			cpu->leaf71_eax = registers[0];
		}
	}
	disk_cpuid(0x80000001, 0, registers);
	cpu->extended_ecx = registers[2];
	if (cpu->leaf1_ecx & osxsave) {
		uint32_t low, high;

		__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
		cpu->xcr0 = (uint64_t)high << 32 | low;
		disk_cpuid(0xd, 0, registers);
		cpu->xsave_size = registers[1];
	}
}

/* Why an image of a processor `then` cannot go on on this one; NULL: it can. */
static inline const char *disk_cpu_differs(const struct disk_cpu *then, const struct disk_cpu *now)
{
	const uint32_t hypervisor = 1u << 31;

	if ((then->leaf1_ecx & ~now->leaf1_ecx & ~hypervisor) || (then->leaf1_edx & ~now->leaf1_edx)
	    || (then->leaf7_ebx & ~now->leaf7_ebx) || (then->leaf7_ecx & ~now->leaf7_ecx)
	    || (then->leaf71_eax & ~now->leaf71_eax) || (then->extended_ecx & ~now->extended_ecx))
		return "this processor lacks features that the one of the checkpoint has";
	if (then->xcr0 != now->xcr0 || then->xsave_size != now->xsave_size)
		return "this processor or kernel saves other registers than that of the checkpoint";
	return NULL;
}

#endif
