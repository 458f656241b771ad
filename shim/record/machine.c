/* What the program asks about its ids, the machine and its load. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

#include "call.h"
#include "inputs.h"
#include "shim/mpi/next.h"

/* --- ids -------------------------------------------------------------------------------------- */

INPUTS_GIVE(INPUTS_ID, pid_t, gettid, (void), ())
INPUTS_GIVE(INPUTS_ID, pid_t, getpgrp, (void), ())
INPUTS_GIVE(INPUTS_ID, uid_t, getuid, (void), ())
INPUTS_GIVE(INPUTS_ID, uid_t, geteuid, (void), ())
INPUTS_GIVE(INPUTS_ID, gid_t, getgid, (void), ())
INPUTS_GIVE(INPUTS_ID, gid_t, getegid, (void), ())
INPUTS_GIVE(INPUTS_ID, long, gethostid, (void), ())
INPUTS_REPEAT(INPUTS_ID, getpgid, (pid_t process), (process), (void)0)
INPUTS_REPEAT(INPUTS_ID, getsid, (pid_t process), (process), (void)0)

/* --- processors, memory, disks ---------------------------------------------------------------- */

INPUTS_GIVE(INPUTS_MACHINE, int, get_nprocs, (void), ())
INPUTS_GIVE(INPUTS_MACHINE, int, get_nprocs_conf, (void), ())
INPUTS_GIVE(INPUTS_MACHINE, long, get_phys_pages, (void), ())
INPUTS_GIVE(INPUTS_MACHINE, long, get_avphys_pages, (void), ())

static bool is_of_machine(int name)
{
	return name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF
	       || name == _SC_PHYS_PAGES || name == _SC_AVPHYS_PAGES;
}

EXPORTED long sysconf(int name)
{
	long result = 0;

	if (!is_of_machine(name) || !inputs_enter(INPUTS_MACHINE, __builtin_return_address(0)))
		return NEXT(sysconf)(name);
	if (!log_replaying)
		result = NEXT(sysconf)(name);
	result = (long)log_signed(result);
	inputs_leave();
	return result;
}

static void log_if(void *at, size_t size)
{
	if (at)
		log_data(at, size);
}

INPUTS_REPEAT(INPUTS_MACHINE, getcpu, (unsigned *processor, unsigned *node), (processor, node),
              (log_if(processor, sizeof(*processor)), log_if(node, sizeof(*node))))
INPUTS_REPEAT(INPUTS_MACHINE, sched_getaffinity, (pid_t process, size_t size, cpu_set_t *set),
              (process, size, set), log_data(set, size))
INPUTS_REPEAT(INPUTS_MACHINE, getloadavg, (double load[], int count), (load, count),
              log_data(load, (size_t)result * sizeof(*load)))

/* Functions that fill a structure. */
#define FILLS(name, parameters, values, at) \
	INPUTS_REPEAT(INPUTS_MACHINE, name, parameters, values, log_data(at, sizeof(*at)))

FILLS(sysinfo, (struct sysinfo * info), (info), info)
FILLS(statvfs, (const char *restrict path, struct statvfs *restrict info), (path, info), info)
FILLS(statvfs64, (const char *restrict path, struct statvfs64 *restrict info), (path, info), info)
FILLS(fstatvfs, (int file, struct statvfs *info), (file, info), info)
FILLS(fstatvfs64, (int file, struct statvfs64 *info), (file, info), info)
FILLS(statfs, (const char *path, struct statfs *info), (path, info), info)
FILLS(statfs64, (const char *path, struct statfs64 *info), (path, info), info)
FILLS(fstatfs, (int file, struct statfs *info), (file, info), info)
FILLS(fstatfs64, (int file, struct statfs64 *info), (file, info), info)
