/* The shared mappings of the process. Linux 6.11 and later can be queried for one mapping after the
 * other; before, the text of /proc/self/maps is parsed, which takes ten times as long. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "agent_internal.h"
#include "agent_map_query.h"

#define MAPPINGS_AT_ONCE 64

static bool starts_with(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

static bool ends_with(const char *text, const char *suffix)
{
	size_t length = strlen(text), suffix_length = strlen(suffix);

	return length >= suffix_length && !strcmp(text + length - suffix_length, suffix);
}

/* Memory that others could find by name later, or that is more than memory. */
static void judge_mapping(struct agent *agent, const char *path)
{
	size_t world = strlen(agent->world);

	if (starts_with(path, "/SYSV"))
		agent_set_hazard(agent, "it has attached System V shared memory");
	else if (starts_with(path, "anon_inode:"))
		agent_set_hazard(agent, "it has mapped a device (%s)", path);
	else if (ends_with(path, " (deleted)"))
		return;
	else if (world && starts_with(path, agent->world) && path[world] == '/')
		return;
	else if (starts_with(path, "/dev/") && !starts_with(path, "/dev/shm/"))
		agent_set_hazard(agent, "it has mapped a device (%s)", path);
	else
		agent_set_hazard(agent, "it has mapped %s shared and writable", path);
}

/* A file that is mapped only for reading is the same in every world, unless it belongs to the
 * world. */
static bool must_be_cloned(const struct agent *agent, const struct agent_mapping *mapping,
                           const char *path)
{
	return (mapping->protection & PROT_WRITE) || ends_with(path, " (deleted)")
	       || (*agent->world && starts_with(path, agent->world));
}

static int add_mapping(struct agent *agent, const struct agent_mapping *mapping, const char *path)
{
	if (!must_be_cloned(agent, mapping, path))
		return 0;
	judge_mapping(agent, path);
	if (agent->mapping_count % MAPPINGS_AT_ONCE == 0) {
		size_t larger = agent->mapping_count + MAPPINGS_AT_ONCE;
		struct agent_mapping *copy;

		copy = agent_arena_take(&agent->arena, larger * sizeof(*copy));
		if (!copy)
			return -1;
		if (agent->mapping_count)
			memcpy(copy, agent->mappings, agent->mapping_count * sizeof(*copy));
		agent->mappings = copy;
	}
	agent->mappings[agent->mapping_count++] = *mapping;
	return 0;
}

static uint32_t protection_if(bool readable, bool writable, bool executable)
{
	return (readable ? (uint32_t)PROT_READ : 0) | (writable ? (uint32_t)PROT_WRITE : 0)
	       | (executable ? (uint32_t)PROT_EXEC : 0);
}

/* Returns 1; 0: the kernel does not support the query; -1 with errno. */
static int ask_kernel(struct agent *agent, int maps)
{
	char path[PATH_MAX];
	struct agent_map_query query = {.size = sizeof(query),
	                                .flags = AGENT_QUERY_COVERING_OR_NEXT | AGENT_QUERY_SHARED};
	bool asked = false;

	for (;; asked = true, query.address = query.end) {
		struct agent_mapping mapping;

		path[0] = '\0';
		query.name = (uintptr_t)path;
		query.name_size = sizeof(path);
		query.build_id_size = 0;
		if (ioctl(maps, AGENT_MAP_QUERY, &query) < 0) {
			if (errno == ENOENT)
				return 1;
			return asked ? -1 : 0;
		}
		mapping = (struct agent_mapping){.start = query.start,
		                                 .length = query.end - query.start,
		                                 .offset = query.offset,
		                                 .device = makedev(query.major, query.minor),
		                                 .inode = query.inode,
		                                 .protection = agent_query_protection(&query)};
		if (add_mapping(agent, &mapping, path) < 0)
			return -1;
	}
}

/* Parses a line of /proc/self/maps: "start-end perms offset major:minor inode path". */
static bool parse_mapping(char *line, struct agent_mapping *ret_mapping, const char **ret_path)
{
	struct agent_mapping mapping = {0};
	char *at = line, *permissions;
	unsigned long major, minor;

	mapping.start = strtoull(at, &at, 16);
	if (*at++ != '-')
		return false;
	mapping.length = strtoull(at, &at, 16) - mapping.start;
	permissions = at + 1;
	if (strlen(at) < 6 || permissions[3] != 's')
		return false;
	mapping.protection = protection_if(permissions[0] == 'r', permissions[1] == 'w',
	                                   permissions[2] == 'x');
	mapping.offset = strtoull(permissions + 4, &at, 16);
	major = strtoul(at, &at, 16);
	if (*at++ != ':')
		return false;
	minor = strtoul(at, &at, 16);
	mapping.device = makedev((unsigned)major, (unsigned)minor);
	mapping.inode = strtoull(at, &at, 10);
	while (*at == ' ')
		at++;
	*ret_mapping = mapping;
	*ret_path = at;
	return true;
}

static int read_maps(struct agent *agent)
{
	char *text = agent_read_text(&agent->arena, AT_FDCWD, "/proc/self/maps");

	if (!text)
		return -1;
	for (char *next, *line = text; *line; line = next) {
		struct agent_mapping mapping;
		const char *path;

		next = strchrnul(line, '\n');
		if (*next)
			*next++ = '\0';
		if (parse_mapping(line, &mapping, &path) && add_mapping(agent, &mapping, path) < 0)
			return -1;
	}
	return 0;
}

int agent_survey_mappings(struct agent *agent)
{
	int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC), result;

	if (maps < 0)
		return -1;
	result = ask_kernel(agent, maps);
	close(maps);
	return result == 0 ? read_maps(agent) : result < 0 ? -1 : 0;
}
