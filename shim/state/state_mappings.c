#define _GNU_SOURCE
#include "state_mappings.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ckpt/agent_map_query.h"
#include "mappings.h"

/* In the shim's own data, which is not part of a state. */
static char path[PATH_MAX];

/* --- by queries of the kernel ----------------------------------------------------------------- */

/* Names are asked for apart, because they take longer than all the rest. */
static bool ask_name(int maps, const struct agent_map_query *mapping)
{
	struct agent_map_query query = {.size = sizeof(query),
	                                .address = mapping->start,
	                                .name = (uintptr_t)path,
	                                .name_size = sizeof(path)};

	return ioctl(maps, AGENT_MAP_QUERY, &query) == 0;
}

bool state_mappings_ask(int maps, uintptr_t address, state_mapping_function *visit)
{
	struct agent_map_query query = {.size = sizeof(query),
	                                .flags = AGENT_QUERY_COVERING_OR_NEXT};

	for (;; query.address = query.end) {
		struct state_mapping mapping;

		query.name_size = query.build_id_size = 0;
		if (ioctl(maps, AGENT_MAP_QUERY, &query) < 0)
			return errno == ENOENT && query.address > 0;
		mapping = (struct state_mapping){
			.start = query.start,
			.end = query.end,
			.offset = query.offset,
			.inode = query.inode,
			.readable = query.vma_flags & AGENT_QUERY_READABLE,
			.writable = query.vma_flags & AGENT_QUERY_WRITABLE,
			.executable = query.vma_flags & AGENT_QUERY_EXECUTABLE,
			.shared = query.vma_flags & AGENT_QUERY_SHARED,
			.path = path,
		};
		path[0] = '\0';
		if ((mapping.shared || (address >= mapping.start && address < mapping.end))
		    && !ask_name(maps, &query))
			return false;
		if (!visit(&mapping))
			return true;
	}
}

/* --- from /proc/self/maps --------------------------------------------------------------------- */

static bool parse(const char *line, struct state_mapping *ret)
{
	unsigned long offset, inode;
	unsigned major, minor;
	char access[5];
	int length = 0;

	if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s %lx %x:%x %lu%n", &ret->start, &ret->end,
	           access, &offset, &major, &minor, &inode, &length)
	    != 7)
		return false;
	ret->offset = offset;
	ret->inode = inode;
	ret->readable = access[0] == 'r';
	ret->writable = access[1] == 'w';
	ret->executable = access[2] == 'x';
	ret->shared = access[3] != 'p';
	ret->path = line + length + strspn(line + length, " ");
	return true;
}

struct reading {
	state_mapping_function *visit;
	bool failed;
};

static bool see_line(const char *line, void *user)
{
	struct reading *reading = user;
	struct state_mapping mapping;

	reading->failed = !parse(line, &mapping);
	if (reading->failed)
		return false;
	/* A page of the kernel, at the same address in every process; the kernel query does not
	 * show it either. */
	return strcmp(mapping.path, "[vsyscall]") == 0 || reading->visit(&mapping);
}

bool state_mappings_read(state_mapping_function *visit)
{
	struct reading reading = {visit, false};

	return mappings_each(see_line, &reading) && !reading.failed;
}

bool state_mappings_each(uintptr_t address, state_mapping_function *visit)
{
	static bool asks_in_vain;
	int maps = open_quietly("/proc/self/maps");
	struct agent_map_query query = {.size = sizeof(query),
	                                .flags = AGENT_QUERY_COVERING_OR_NEXT};
	bool done;

	if (maps < 0)
		return false;
	asks_in_vain = asks_in_vain || ioctl(maps, AGENT_MAP_QUERY, &query) < 0;
	done = asks_in_vain ? state_mappings_read(visit) : state_mappings_ask(maps, address, visit);
	close(maps);
	return done;
}
