#define _GNU_SOURCE
#include "real.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/mpi_libraries.h"
#include "shim/process/above.h"
#include "shim/process/sanitizer.h"

enum { MOST_BINDINGS = 4, MOST_FRAMES = 128 };

struct range {
	uintptr_t start, end;
};

struct real_mpi real_table;
bool real_found;

static void *library;
static struct range library_code, shim_code, binding_code[MOST_BINDINGS], cxx_code;
static unsigned binding_count;

static bool contains(const struct range *range, const void *address)
{
	return (uintptr_t)address - range->start < range->end - range->start;
}

static struct range code_of(const struct dl_phdr_info *info)
{
	struct range code = {UINTPTR_MAX, 0};

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
			continue;
		uintptr_t start = info->dlpi_addr + segment->p_vaddr;
		if (start < code.start)
			code.start = start;
		if (start + segment->p_memsz > code.end)
			code.end = start + segment->p_memsz;
	}
	return code.end > 0 ? code : (struct range){0, 0};
}

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_cxx(const char *path)
{
	const char *name = name_of(path);

	return strncmp(name, "libmpichcxx.so", 14) == 0 || strncmp(name, "libmpicxx.so", 12) == 0;
}

static bool is_binding(const char *path)
{
	const char *name = name_of(path);

	return strncmp(name, "libmpichfort.so", 15) == 0 || strncmp(name, "libmpifort.so", 13) == 0
	       || strncmp(name, "libfmpich.so", 12) == 0 || is_cxx(path);
}

static int look_at_object(struct dl_phdr_info *info, size_t size, void *data)
{
	const struct link_map *map = data;
	struct range code = code_of(info);

	(void)size;
	if (contains(&code, (const void *)(uintptr_t)look_at_object))
		shim_code = code;
	else if (info->dlpi_addr == map->l_addr && strcmp(info->dlpi_name, map->l_name) == 0)
		library_code = code;
	else if (is_binding(info->dlpi_name) && binding_count < MOST_BINDINGS)
		binding_code[binding_count++] = code;
	if (is_cxx(info->dlpi_name))
		cxx_code = code;
	return 0;
}

int real_find(void)
{
	static const char *const names[] = {MPI_LIBRARIES};
	struct link_map *map;

	if (real_found)
		return 0;
	/* What the dynamic linker allocates for this is no leak of the program's. */
	sanitizer_begin_foreign();
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !library; i++)
		library = dlopen(names[i], RTLD_LAZY | RTLD_NOLOAD);
	sanitizer_end_foreign();
	if (!library || dlinfo(library, RTLD_DI_LINKMAP, &map) < 0)
		return -1;
	for (const struct real_function *function = real_functions; function->name; function++) {
		void *address = dlsym(library, function->name);
		memcpy((char *)&real_table + function->offset, &address, sizeof(address));
	}
	binding_count = 0;
	dl_iterate_phdr(look_at_object, map);
	real_found = true;
	return 0;
}

void *real_symbol(const char *name)
{
	return real_find() == 0 ? dlsym(library, name) : NULL;
}

void real_version_line(char ret_line[MPI_MAX_LIBRARY_VERSION_STRING])
{
	int (*library_version)(char *, int *);
	void *symbol = real_symbol("PMPI_Get_library_version");
	int length = 0;

	ret_line[0] = '\0';
	if (symbol) {
		memcpy(&library_version, &symbol, sizeof(symbol));
		library_version(ret_line, &length);
		ret_line[strcspn(ret_line, "\n")] = '\0';
	}
}

int real_version(void)
{
	static int version = -1;
	char line[MPI_MAX_LIBRARY_VERSION_STRING];
	int major, minor;

	if (version < 0) {
		real_version_line(line);
		version = sscanf(line, "MPICH Version: %d.%d", &major, &minor) == 2
		                  ? major * 100 + minor
		                  : 0;
	}
	return version;
}

bool real_is_library(const void *address)
{
	return contains(&library_code, address);
}

bool real_is_own(const void *return_address)
{
	return real_is_library(return_address) || real_is_shim(return_address);
}

bool real_is_binding(const void *address)
{
	for (unsigned i = 0; i < binding_count; i++) {
		if (contains(&binding_code[i], address))
			return true;
	}
	return false;
}

bool real_called_by_cxx(void)
{
	void *frames[MOST_FRAMES];
	int count = backtrace(frames, MOST_FRAMES), i = 0;

	while (i < count && real_is_shim(frames[i]))
		i++;
	return i < count && contains(&cxx_code, frames[i]);
}

bool real_is_shim(const void *address)
{
	return contains(&shim_code, address) || above_has(address);
}

const char *real_called(void **ret_site)
{
	void *frames[MOST_FRAMES];
	const char *entry = NULL;
	int count = backtrace(frames, MOST_FRAMES);
	Dl_info info;

	*ret_site = NULL;
	for (int i = 0; i < count && !*ret_site; i++) {
		if (real_is_library(frames[i]))
			entry = frames[i];
		else if (!real_is_shim(frames[i]) && !real_is_binding(frames[i]))
			*ret_site = frames[i];
	}
	return entry && dladdr(entry - 1, &info) != 0 && info.dli_sname ? info.dli_sname : "";
}

int real_backtrace(void **ret_frames, int most)
{
	void *frames[MOST_FRAMES];
	int count = backtrace(frames, MOST_FRAMES), stored = 0, first = 0;

	/* A sanitizer's own backtrace comes before the shim's frames. */
	while (first < count && !real_is_shim(frames[first]))
		first++;
	for (int i = first; i < count && stored < most; i++) {
		if (!real_is_shim(frames[i]) && !real_is_binding(frames[i])
		    && !real_is_library(frames[i]))
			ret_frames[stored++] = frames[i];
	}
	return stored;
}
