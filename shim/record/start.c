/* Start and end of a recorded or replayed process. */
#define _GNU_SOURCE
#include "start.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "below.h"
#include "call.h"
#include "children.h"
#include "ckpt/agent_marks.h"
#include "common/recording_start.h"
#include "common/start_line.h"
#include "files.h"
#include "in_step.h"
#include "matches.h"
#include "memory.h"
#include "replay.h"

enum {
	START_ROOM = 4 << 20,
	RANDOM_BYTES = 16, /* of the kernel, at AT_RANDOM */
};

/* A section of rank.N.start: a line with name and size, then the bytes. */
struct text {
	char *bytes;
	size_t size;
};

static void append(struct text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void append(struct text *text, const char *format, ...)
{
	va_list arguments;
	int more;

	va_start(arguments, format);
	more = vsnprintf(text->bytes + text->size, START_ROOM - text->size, format, arguments);
	va_end(arguments);
	if (more > 0 && text->size + (size_t)more < START_ROOM)
		text->size += (size_t)more;
}

static size_t read_file(const char *path, char *bytes, size_t room)
{
	int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	size_t size = 0;
	ssize_t got;

	while (file >= 0 && size < room && (got = read(file, bytes + size, room - size)) > 0)
		size += (size_t)got;
	if (file >= 0)
		syscall(SYS_close, file);
	return size;
}

static void append_bytes(struct text *text, const char *name, const void *bytes, size_t size)
{
	append(text, "%s %zu\n", name, size);
	if (text->size + size + 1 < START_ROOM) {
		memcpy(text->bytes + text->size, bytes, size);
		text->size += size;
	}
	append(text, "\n");
}

static void append_file(struct text *text, const char *name, const char *path)
{
	char *bytes = malloc(START_ROOM);
	const size_t size = bytes ? read_file(path, bytes, START_ROOM / 2) : 0;

	append_bytes(text, name, bytes, size);
	free(bytes);
}

/* As execve had it: in /proc/self/environ, the C library has cut GLIBC_TUNABLES into parts. */
static void append_environment(struct text *text)
{
	size_t size = 0;

	for (char **one = environ; *one; one++)
		size += strlen(*one) + 1;
	append(text, "%s %zu\n", RECORDING_START_ENVIRONMENT, size);
	for (char **one = environ; *one; one++) {
		append(text, "%s", *one);
		text->bytes[text->size++] = '\0';
	}
	append(text, "\n");
}

static void append_text(struct text *text, const char *name, const char *value)
{
	append_bytes(text, name, value, strlen(value));
}

/* --- program and libraries -------------------------------------------------------------------- */

struct listing {
	char text[65536];
	size_t size;
};

static void note_build(struct listing *listing, const char *path, const unsigned char *id,
                       size_t size)
{
	int used = snprintf(listing->text + listing->size, sizeof(listing->text) - listing->size,
	                    "%s ", path);

	listing->size += (size_t)used;
	for (size_t i = 0; i < size && listing->size + 4 < sizeof(listing->text); i++)
		listing->size += (size_t)snprintf(listing->text + listing->size, 3, "%02x", id[i]);
	listing->text[listing->size++] = '\n';
}

static int list_module(struct dl_phdr_info *info, size_t size, void *data)
{
	struct listing *listing = data;
	const char *path = *info->dlpi_name ? info->dlpi_name : "(program)";
	const uintptr_t own[] = {(uintptr_t)list_module, (uintptr_t)below_shim()};
	bool is_own = false;
	const unsigned char *id = NULL;
	size_t id_size = 0;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		const uintptr_t start = info->dlpi_addr + part->p_vaddr;

		for (int j = 0; j < 2; j++)
			is_own |= part->p_type == PT_LOAD && own[j] >= start
			          && own[j] < start + part->p_memsz;
		for (uintptr_t at = start;
		     part->p_type == PT_NOTE && at + sizeof(ElfW(Nhdr)) < start + part->p_memsz;) {
			const ElfW(Nhdr) *note = (const void *)at;
			const uintptr_t name = at + sizeof(*note);

			if (note->n_type == NT_GNU_BUILD_ID) {
				id = (const void *)(name + ((note->n_namesz + 3u) & ~3u));
				id_size = note->n_descsz;
			}
			at = name + ((note->n_namesz + 3u) & ~3u) + ((note->n_descsz + 3u) & ~3u);
		}
	}
	/* Another matchpoint may replay, and another kernel have another vDSO. */
	if (!is_own && (strchr(path, '/') || *path == '(')
	    && listing->size + strlen(path) + 256 < sizeof(listing->text))
		note_build(listing, path, id, id_size);
	return 0;
}

/* The features that /proc/cpuinfo tells: libm chooses its code by them. */
static void find_features(char *ret, size_t room)
{
	char *bytes = malloc(65536), *line;

	snprintf(ret, room, "%lx %lx", getauxval(AT_HWCAP), getauxval(AT_HWCAP2));
	if (bytes) {
		bytes[read_file("/proc/cpuinfo", bytes, 65535)] = '\0';
		line = strstr(bytes, "\nflags");
		if (line) {
			line[1 + strcspn(line + 1, "\n")] = '\0';
			snprintf(ret, room, "%s", strchr(line, ':') ? strchr(line, ':') + 2 : line);
		}
	}
	free(bytes);
}

/* --- the file of the start -------------------------------------------------------------------- */

/* A kill leaves the whole file, or none. */
static void write_start(int directory, int rank)
{
	static struct listing listing;
	static char features[8192];
	struct text text = {malloc(START_ROOM + 64), 0};
	char folder[PATH_MAX] = "/", end[RECORDING_START_END];
	struct rlimit stack = {0};
	int file = log_create_file(directory, rank, "start.new"), error = -ENOMEM;

	if (file < 0)
		error = -errno;
	if (text.bytes && file >= 0) {
		append_file(&text, RECORDING_START_ARGUMENTS, "/proc/self/cmdline");
		append_environment(&text);
		append_text(&text, RECORDING_START_PROGRAM, (const char *)getauxval(AT_EXECFN));
		if (getcwd(folder, sizeof(folder)))
			append_text(&text, RECORDING_START_FOLDER, folder);
		getrlimit(RLIMIT_STACK, &stack);
		append(&text, "%s %d\n%020llu\n", RECORDING_START_STACK, 20,
		       (unsigned long long)stack.rlim_cur);
		dl_iterate_phdr(list_module, &listing);
		append_text(&text, RECORDING_START_MODULES, listing.text);
		find_features(features, sizeof(features));
		append_text(&text, RECORDING_START_FEATURES, features);
		append_file(&text, RECORDING_START_MAPS, "/proc/self/maps");
		append_bytes(&text, RECORDING_START_RANDOM, (const void *)getauxval(AT_RANDOM),
		             RANDOM_BYTES);
		recording_start_end(text.bytes, text.size, end);
		append(&text, "%s", end);
		errno = ENOSPC;
		error = write(file, text.bytes, text.size) == (ssize_t)text.size ? 0 : -errno;
	}
	if (file >= 0)
		syscall(SYS_close, file);
	if (error == 0)
		error = log_name_file(directory, rank, "start.new", "start");
	if (error < 0)
		log_place->error = -error;
	free(text.bytes);
}

/* The first line of `was` that `now` lacks; NULL: none. Valid until the next call. */
static const char *missing_line(const char *was, const char *now)
{
	static char line[PATH_MAX + 128];

	while (*was) {
		const size_t length = strcspn(was, "\n");

		snprintf(line, sizeof(line), "%.*s\n", (int)length, was);
		if (!strstr(now, line)) {
			line[strcspn(line, " ")] = '\0';
			return line;
		}
		was += length + (was[length] == '\n');
	}
	return NULL;
}

static void compare_start(int directory, int rank)
{
	static struct listing listing;
	static char features[8192];
	char name[64], *bytes = malloc(START_ROOM);
	struct recording_section section;
	const char *missing;
	size_t size;

	snprintf(name, sizeof(name), "/proc/self/fd/%d/rank.%d.start", directory, rank);
	size = bytes ? read_file(name, bytes, START_ROOM - 1) : 0;
	dl_iterate_phdr(list_module, &listing);
	if (recording_start_find(bytes, size, RECORDING_START_MODULES, &section)) {
		((char *)(uintptr_t)section.bytes)[section.size] = '\0';
		missing = missing_line(section.bytes, listing.text);
		if (missing) {
			replay_tell(REPLAY_CANNOT, "%s is not what was recorded (another build)",
			            strcmp(missing, "(program)") == 0 ? "the program" : missing);
			_exit(0);
		}
	}
	if (recording_start_find(bytes, size, RECORDING_START_RANDOM, &section)
	    && section.size == RANDOM_BYTES)
		memcpy((void *)getauxval(AT_RANDOM), section.bytes, RANDOM_BYTES);
	find_features(features, sizeof(features));
	if (recording_start_find(bytes, size, RECORDING_START_FEATURES, &section)
	    && (section.size != strlen(features) || memcmp(section.bytes, features, section.size)))
		replay_tell(REPLAY_REMARK,
		            "this CPU has other features than the recorded one: the C "
		            "library may compute other values");
	free(bytes);
}

/* --- begin and end ---------------------------------------------------------------------------- */

static bool parse(struct recording_orders *orders)
{
	const char *value = getenv(RECORDING_VARIABLE);

	/* A program that the rank starts has the variable, too. */
	return value && recording_orders_parse(value, orders)
	       && orders->pid == (int)syscall(SYS_getpid);
}

static int rank_of_environment(void)
{
	static const char *const names[] = {"PMI_RANK", "PMIX_RANK", "SLURM_PROCID"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *value = getenv(names[i]);

		if (value)
			return atoi(value);
	}
	return 0; /* started alone */
}

static void keep_to_itself(int descriptor)
{
	if (descriptor >= 0)
		fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

static void keep_step(int rank)
{
	const int error = in_step_begin(rank);

	if (error == 0)
		return;
	replay_tell(REPLAY_CANNOT, "cannot keep step with other ranks: %s", strerror(-error));
	_exit(0);
}

static bool may_wait(void)
{
	return record_is_on && !log_replaying && !below_shim();
}

void start_init(void)
{
	if (may_wait())
		start_line_wait(rank_of_environment());
}

__attribute__((constructor)) static void start(void)
{
	struct recording_orders orders;
	int rank, error;

	if (!parse(&orders))
		return;
	record_inside++;
	/* Recording, the process may still become another program, as a script does. */
	if (orders.replays) {
		keep_to_itself(orders.directory);
		keep_to_itself(orders.news);
		keep_to_itself(orders.scratch);
	}
	memory_know_libraries();
	children_start();
	rank = rank_of_environment();
	replay_start(orders.replays ? orders.news : -1);
	error = log_start(orders.directory, rank, orders.replays);
	if (error < 0 && orders.replays) {
		replay_tell(REPLAY_CANNOT, "no log of rank %d: %s", rank, strerror(-error));
		_exit(0);
	}
	if (error < 0)
		dprintf(STDERR_FILENO, "matchpoint: rank %d cannot be recorded: %s\n", rank,
		        strerror(-error));
	if (error == 0 && orders.replays) {
		compare_start(orders.directory, rank);
		files_start(orders.scratch);
	} else if (error == 0) {
		write_start(orders.directory, rank);
	}
	if (error == 0 && orders.matches)
		matches_begin(orders.calls);
	if (error == 0 && orders.in_step)
		keep_step(rank);
	if (error == 0 && orders.marks && !replay_begin_marks())
		_exit(1);
	record_is_on = error == 0;
	if (may_wait() && start_line_is_rank())
		start_line_wait(rank);
	record_inside--;
}

__attribute__((destructor)) static void stop(void)
{
	if (!record_is_on)
		return;
	record_is_on = false;
	record_inside++;
	matches_end();
	if (!log_replaying)
		log_finish();
	else if (log_more())
		replay_tell(REPLAY_DIFFERS,
		            "the program ends behind call %llu, the recorded one went on",
		            (unsigned long long)log_place->call);
	else if (log_damaged() > 0)
		replay_tell(REPLAY_CANNOT, "the recording is damaged behind call %llu",
		            (unsigned long long)(log_damaged() - 1));
	else
		replay_tell(REPLAY_WHOLE, "%llu calls", (unsigned long long)log_place->call);
	if (log_replaying)
		agent_marks_end();
	record_inside--;
}
