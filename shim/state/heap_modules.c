#define _GNU_SOURCE
#include "heap_modules.h"

#include <link.h>
#include <stddef.h>
#include <string.h>

enum { MODULES = 256, NEEDED = 64, PARTS = 128 };

/* A library, as the dynamic linker knows it. */
struct module {
	const char *name; /* DT_SONAME, or the last part of its path */
	const char *needed[NEEDED];
	int needed_count;
	bool too_many;        /* more than NEEDED */
	bool is_mpi;          /* the MPI library or a plugin, or needed by them */
	bool is_guest;        /* shim or heap */
	bool is_the_programs; /* needed by others, too */
	uintptr_t start, end; /* of the whole library */
	uintptr_t base;
	const ElfW(Phdr) * parts;
	int part_count;
};

static struct {
	struct module modules[MODULES];
	int count;
	bool failed;
	const void *guests[2];
	bool found;                        /* an MPI library */
	unsigned long long added, removed; /* libraries, at the last examination */
} known;

/* Read by malloc; replaced as a whole. */
static struct code {
	struct memory_range range;
	bool maps;
} code[PARTS];
static int code_count;

/* All libraries, the same way. */
static struct memory_range whole[MODULES];
static int whole_count, whole_last;

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* glibc leaves addresses of the dynamic section relative only if it cannot write to it. */
static uintptr_t absolute(uintptr_t base, uintptr_t address)
{
	return address < base ? base + address : address;
}

static void read_dynamic(struct module *module, const ElfW(Dyn) * dynamic)
{
	const char *strings = NULL;

	for (const ElfW(Dyn) *entry = dynamic; entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == DT_STRTAB)
			strings = (const char *)absolute(module->base, entry->d_un.d_ptr);
	if (!strings)
		return;
	for (const ElfW(Dyn) *entry = dynamic; entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_SONAME)
			module->name = strings + entry->d_un.d_val;
		if (entry->d_tag != DT_NEEDED)
			continue;
		if (module->needed_count == NEEDED)
			module->too_many = true;
		else
			module->needed[module->needed_count++] = strings + entry->d_un.d_val;
	}
}

static bool lies_in(const struct module *module, const void *address)
{
	return (uintptr_t)address >= module->start && (uintptr_t)address < module->end;
}

static int add_module(struct dl_phdr_info *info, size_t size, void *unused)
{
	struct module *module = &known.modules[known.count];

	(void)size;
	(void)unused;
	if (known.count == MODULES) {
		known.failed = true;
		return 1;
	}
	*module = (struct module){.name = last_part(info->dlpi_name),
	                          .base = info->dlpi_addr,
	                          .start = UINTPTR_MAX,
	                          .parts = info->dlpi_phdr,
	                          .part_count = info->dlpi_phnum};
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + part->p_vaddr;

		if (part->p_type == PT_DYNAMIC)
			read_dynamic(module, (const ElfW(Dyn) *)start);
		if (part->p_type != PT_LOAD)
			continue;
		module->start = start < module->start ? start : module->start;
		module->end = start + part->p_memsz > module->end ? start + part->p_memsz
		                                                  : module->end;
	}
	module->is_guest = lies_in(module, known.guests[0]) || lies_in(module, known.guests[1]);
	known.failed |= module->too_many;
	known.count++;
	return 0;
}

static bool begins_with(const char *text, const char *beginning)
{
	return strncmp(text, beginning, strlen(beginning)) == 0;
}

static bool is_mpi_library(const struct module *module)
{
	return begins_with(module->name, "libmpich.so") || begins_with(module->name, "libmpi.so");
}

/* Libraries that MPI's transports load themselves: UCX's modules, providers of libfabric and
 * libibverbs, plugins of hwloc. */
static bool is_plugin(const struct module *module)
{
	const char *name = module->name;

	return begins_with(name, "libuct_") || begins_with(name, "libucm_")
	       || begins_with(name, "libucx_") || begins_with(name, "libucs_")
	       || begins_with(name, "hwloc_") || strstr(name, "-fi.so") || strstr(name, "-rdmav");
}

static struct module *find(const char *name)
{
	for (int i = 0; i < known.count; i++)
		if (strcmp(known.modules[i].name, name) == 0)
			return &known.modules[i];
	return NULL;
}

/* Propagates the mark to all libraries that a marked one needs. */
static void reach(size_t mark)
{
	bool more = true;

	while (more) {
		more = false;
		for (int i = 0; i < known.count; i++) {
			struct module *module = &known.modules[i];

			if (!*((bool *)module + mark))
				continue;
			for (int j = 0; j < module->needed_count; j++) {
				struct module *needed = find(module->needed[j]);

				if (!needed || needed->is_guest || *((bool *)needed + mark)
				    || is_mpi_library(needed))
					continue;
				*((bool *)needed + mark) = true;
				more = true;
			}
		}
	}
}

static bool maps_for_itself(const struct module *module)
{
	return !begins_with(module->name, "libucm.so");
}

static bool is_left_out(const struct module *module)
{
	return module->is_guest || (module->is_mpi && !module->is_the_programs);
}

static void note_code(void)
{
	int count = 0;

	__atomic_store_n(&code_count, 0, __ATOMIC_RELEASE);
	for (int i = 0; i < known.count; i++) {
		const struct module *module = &known.modules[i];

		for (int j = 0; is_left_out(module) && j < module->part_count; j++) {
			const ElfW(Phdr) *part = &module->parts[j];
			uintptr_t start = module->base + part->p_vaddr;

			if (part->p_type == PT_LOAD && (part->p_flags & PF_X) && count < PARTS)
				code[count++] = (struct code){{start, start + part->p_memsz},
				                              maps_for_itself(module)};
		}
	}
	__atomic_store_n(&code_count, count, __ATOMIC_RELEASE);
}

static void note_whole(void)
{
	__atomic_store_n(&whole_count, 0, __ATOMIC_RELEASE);
	for (int i = 0; i < known.count; i++)
		whole[i] = (struct memory_range){known.modules[i].start, known.modules[i].end};
	__atomic_store_n(&whole_count, known.count, __ATOMIC_RELEASE);
}

static int count_changes(struct dl_phdr_info *info, size_t size, void *data)
{
	unsigned long long *counts = data;

	(void)size;
	counts[0] = info->dlpi_adds;
	counts[1] = info->dlpi_subs;
	return 1;
}

/* Whether no library was loaded or unloaded since the last examination. If one was, notes that. */
static bool are_the_same(const void *guest)
{
	unsigned long long counts[2] = {0, 0};
	bool same;

	dl_iterate_phdr(count_changes, counts);
	same = known.count > 0 && counts[0] == known.added && counts[1] == known.removed
	       && guest == known.guests[0];
	known.added = counts[0];
	known.removed = counts[1];
	return same;
}

bool heap_modules_know(const void *guest, const void *own)
{
	bool found = false;

	if (are_the_same(guest))
		return known.found && !known.failed;
	known.count = 0;
	known.failed = false;
	known.guests[0] = guest;
	known.guests[1] = own;
	dl_iterate_phdr(add_module, NULL);
	for (int i = 0; i < known.count; i++) {
		found |= is_mpi_library(&known.modules[i]);
		known.modules[i].is_mpi = is_mpi_library(&known.modules[i])
		                          || is_plugin(&known.modules[i]);
	}
	reach(offsetof(struct module, is_mpi));
	/* All others, and what the guests are linked with, which is only libc. */
	for (int i = 0; i < known.count; i++)
		known.modules[i].is_the_programs = !known.modules[i].is_mpi
		                                   && !known.modules[i].is_guest;
	reach(offsetof(struct module, is_the_programs));
	known.found = found;
	note_whole();
	if (known.failed || !found)
		return false;
	note_code();
	return true;
}

static const struct code *find_code(const void *address)
{
	int count = __atomic_load_n(&code_count, __ATOMIC_ACQUIRE);

	for (int i = 0; i < count; i++)
		if ((uintptr_t)address >= code[i].range.start
		    && (uintptr_t)address < code[i].range.end)
			return &code[i];
	return NULL;
}

bool heap_modules_contain(const void *address)
{
	return find_code(address) != NULL;
}

static bool lies_in_whole(int i, const void *address)
{
	return (uintptr_t)address >= whole[i].start && (uintptr_t)address < whole[i].end;
}

bool heap_modules_miss(const void *address)
{
	int count = __atomic_load_n(&whole_count, __ATOMIC_ACQUIRE);
	int last = __atomic_load_n(&whole_last, __ATOMIC_RELAXED);

	if (last < count && lies_in_whole(last, address))
		return false;
	for (int i = 0; i < count; i++) {
		if (!lies_in_whole(i, address))
			continue;
		__atomic_store_n(&whole_last, i, __ATOMIC_RELAXED);
		return false;
	}
	return true;
}

bool heap_modules_map(const void *address)
{
	const struct code *found = find_code(address);

	return found && found->maps;
}

/* --- data ------------------------------------------------------------------------------------- */

struct gathering {
	struct memory_range *ranges;
	int most, count;
};

static void gather(struct gathering *gathering, uintptr_t start, uintptr_t size)
{
	if (gathering->count < gathering->most)
		gathering->ranges[gathering->count] = (struct memory_range){start, start + size};
	gathering->count++;
}

static int gather_module(struct dl_phdr_info *info, size_t size, void *data)
{
	struct gathering *gathering = data;
	const struct module *module = NULL;

	(void)size;
	for (int i = 0; i < known.count && !module; i++)
		if (known.modules[i].parts == info->dlpi_phdr)
			module = &known.modules[i];
	if (!module || !is_left_out(module))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];

		if (part->p_type == PT_LOAD && (part->p_flags & PF_W))
			gather(gathering, info->dlpi_addr + part->p_vaddr, part->p_memsz);
		if (part->p_type == PT_TLS && info->dlpi_tls_data)
			gather(gathering, (uintptr_t)info->dlpi_tls_data, part->p_memsz);
	}
	return 0;
}

int heap_modules_data(struct memory_range *ranges, int most)
{
	struct gathering gathering = {ranges, most, 0};

	dl_iterate_phdr(gather_module, &gathering);
	return gathering.count <= most ? gathering.count : -1;
}
