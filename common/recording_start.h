/* What the recorder in a rank is told, and the file rank.N.start, in which it tells how the
 * process was started. libc only. */
#ifndef MATCHPOINT_COMMON_RECORDING_START_H
#define MATCHPOINT_COMMON_RECORDING_START_H

#include <stdbool.h>
#include <stddef.h>

/* Environment variable of a rank. Its value always has the same length: the stack's addresses
 * depend on it. */
#define RECORDING_VARIABLE "MATCHPOINT_RECORD"
enum { RECORDING_VALUE = 32 }; /* bytes, with the final NUL */

/* Other variables that the rank is started with, and whose values the addresses depend on. */
#define RECORDING_PRELOAD "LD_PRELOAD"
#define RECORDING_TUNABLES "GLIBC_TUNABLES"
#define RECORDING_HOOKS "UCX_MEM_MMAP_HOOK_MODE"

struct recording_orders {
	bool replays;
	bool marks; /* replaying: the first line of `news` names the socket of agent_marks_begin */
	bool matches;  /* replaying: the news tell what each call got (shim/record/matches.h) */
	bool calls;    /* replaying: the same, of all calls; then `matches` is set, too */
	bool in_step;  /* replaying: with other ranks (recording_steps.h) */
	int directory; /* descriptor of the recording's folder */
	int news;      /* replaying: descriptor for lines of text (shim/record/replay.h), or -1 */
	int scratch;   /* replaying: descriptor of the folder for written files, or -1 */
	int pid;       /* of the process that this is for */
};

void recording_orders_print(const struct recording_orders *orders, char ret[RECORDING_VALUE]);
bool recording_orders_parse(const char *value, struct recording_orders *ret);

/* Names of sections. */
#define RECORDING_START_ARGUMENTS "arguments"     /* each ends with NUL */
#define RECORDING_START_ENVIRONMENT "environment" /* each ends with NUL */
#define RECORDING_START_PROGRAM "program"         /* as it was given to execve */
#define RECORDING_START_FOLDER "folder"
#define RECORDING_START_STACK "stack"       /* its limit in bytes */
#define RECORDING_START_MODULES "modules"   /* lines: path, build id */
#define RECORDING_START_FEATURES "features" /* of the CPU */
#define RECORDING_START_MAPS "maps"         /* /proc/PID/maps */
#define RECORDING_START_RANDOM "random"     /* the 16 bytes at AT_RANDOM (getauxval) */
#define RECORDING_START_SUM "sum"           /* recording_start_end of all before it */

struct recording_section {
	const char *bytes; /* in the file */
	size_t size;
};

/* Finds a section of the file's bytes. false: it has none, or the file is cut. */
bool recording_start_find(const char *bytes, size_t size, const char *name,
                          struct recording_section *ret);

enum { RECORDING_START_END = 32 }; /* bytes, with the final NUL */

/* Writes the last section of a file that has these bytes so far. */
void recording_start_end(const char *bytes, size_t size, char ret[RECORDING_START_END]);
/* Whether these are all bytes of a file, and unchanged. */
bool recording_start_is_whole(const char *bytes, size_t size);

#endif
