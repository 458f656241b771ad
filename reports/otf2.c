#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "diagram.h"
#include "otf2_trace.h"
#include "places.h"
#include "words.h"

/* An OTF2 archive (Open Trace Format 2, used by Score-P, Scalasca and Vampir) of one
 * interleaving. The files are named as Score-P names its own. */

#define NAME "traces"
#define NOT_KNOWN "unknown"

struct archive {
	const struct record_exploration *exploration;
	const struct record_execution *execution;
	const char *directory;
	OTF2_Archive *archive;
	GError **error;
};

/* Keeps OTF2's description of an error, and prevents output to standard error. */
static OTF2_ErrorCode on_error(void *user, const char *file, uint64_t line, const char *function,
                               OTF2_ErrorCode code, const char *format, va_list arguments)
{
	(void)user;
	(void)file;
	(void)line;
	(void)function;
	(void)format;
	(void)arguments;
	return code;
}

static bool fail(const char *directory, const char *why, GError **error)
{
	if (error && !*error)
		g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED,
		            "%s: the trace cannot be written: %s", directory, why);
	return false;
}

static bool fine(const struct archive *archive, OTF2_ErrorCode code)
{
	const char *why = OTF2_Error_GetDescription(code);

	if (code == OTF2_SUCCESS)
		return true;
	return fail(archive->directory, why && *why ? why : "OTF2 gives no reason", archive->error);
}

static OTF2_FlushType on_flush(void *user, OTF2_FileType type, OTF2_LocationRef location,
                               void *caller, bool final)
{
	(void)user;
	(void)type;
	(void)location;
	(void)caller;
	(void) final;
	return OTF2_FLUSH;
}

/* --- removing an earlier trace --- */

/* Whether the name is that of a location's file: "12.evt", "3.def". */
static bool is_location_file(const char *name)
{
	gsize digits = strspn(name, "0123456789");

	return digits > 0
	       && (g_str_equal(name + digits, ".evt") || g_str_equal(name + digits, ".def"));
}

static bool remove_file(const char *directory, const char *name, GError **error)
{
	g_autofree char *file = g_build_filename(directory, name, NULL);

	return g_unlink(file) == 0 || errno == ENOENT || fail(file, g_strerror(errno), error);
}

/* OTF2 does not overwrite an archive. Only files that belong to one are removed. */
static bool remove_archive(const char *directory, GError **error)
{
	g_autofree char *locations = g_build_filename(directory, NAME, NULL);
	GDir *files = g_dir_open(locations, 0, NULL);
	const char *name;
	bool good = true;

	while (good && files && (name = g_dir_read_name(files)))
		good = !is_location_file(name) || remove_file(locations, name, error);
	if (files) {
		g_dir_close(files);
		g_rmdir(locations);
	}
	return good && remove_file(directory, NAME ".otf2", error)
	       && remove_file(directory, NAME ".def", error);
}

static bool prepare(const char *directory, GError **error)
{
	if (g_mkdir_with_parents(directory, 0777) != 0)
		return fail(directory, g_strerror(errno), error);
	if (g_access(directory, W_OK | X_OK) != 0)
		return fail(directory, g_strerror(errno), error);
	return remove_archive(directory, error);
}

/* --- writing --- */

static bool set_property(const struct archive *archive, const char *name, const char *value)
{
	return !value || !*value
	       || fine(archive, OTF2_Archive_SetProperty(archive->archive, name, value, true));
}

static const char *machine(const struct record_exploration *e)
{
	return e->machine && *e->machine ? e->machine : NOT_KNOWN;
}

static bool describe(const struct archive *archive, const struct timeline *timeline)
{
	const struct record_exploration *e = archive->exploration;
	g_autofree char *program = words_program(e), *started = words_started(e);
	g_autofree char *creator = g_strdup_printf("matchpoint %s", e->version ? e->version : "");
	g_autofree char *again = words_again(archive->execution->path, e);
	g_autofree char *which = words_execution(archive->execution, e);
	g_autofree char *text = g_strdup_printf(
		"%s of %s (%s); time is logical: one step is one microsecond", which, started,
		words_is_recording(e) ? words_nothing(e)
				      : finding_kind_name(archive->execution->status));
	g_autofree char *overlapping = g_strdup_printf("%u", timeline->overlapping);

	return fine(archive, OTF2_Archive_SetCreator(archive->archive, g_strchomp(creator)))
	       && fine(archive, OTF2_Archive_SetMachineName(archive->archive, machine(e)))
	       && fine(archive, OTF2_Archive_SetDescription(archive->archive, text))
	       && set_property(archive, "MATCHPOINT::PROGRAM", program)
	       && set_property(archive, "MATCHPOINT::PATH", archive->execution->path)
	       && set_property(archive, "MATCHPOINT::STATUS",
	                       finding_kind_name(archive->execution->status))
	       && set_property(archive, "MATCHPOINT::AGAIN", again)
	       && set_property(archive, "MATCHPOINT::MPI", e->mpi)
	       && set_property(archive, "MATCHPOINT::OVERLAPPING_CALLS",
	                       timeline->overlapping > 0 ? overlapping : NULL);
}

static bool write_events(const struct archive *archive, struct otf2_events *events,
                         const GArray *locations, uint64_t *counts)
{
	bool good = fine(archive, OTF2_Archive_OpenEvtFiles(archive->archive));

	for (guint i = 0; good && i < locations->len; i++) {
		OTF2_EvtWriter *writer = OTF2_Archive_GetEvtWriter(archive->archive, i);
		const struct otf2_location *location = &g_array_index(locations,
		                                                      struct otf2_location, i);

		good = (writer
		        || fail(archive->directory, "OTF2 returned no writer", archive->error))
		       && fine(archive, otf2_events_write(events, location, writer))
		       && fine(archive, OTF2_EvtWriter_GetNumberOfEvents(writer, &counts[i]))
		       && fine(archive, OTF2_Archive_CloseEvtWriter(archive->archive, writer));
	}
	return good && fine(archive, OTF2_Archive_CloseEvtFiles(archive->archive));
}

/* Readers look for the local definitions of each location. They are empty: all definitions are
 * global. */
static bool write_local_definitions(const struct archive *archive, guint locations)
{
	bool good = fine(archive, OTF2_Archive_OpenDefFiles(archive->archive));

	for (guint i = 0; good && i < locations; i++) {
		OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(archive->archive, i);

		good = (writer
		        || fail(archive->directory, "OTF2 returned no writer", archive->error))
		       && fine(archive, OTF2_Archive_CloseDefWriter(archive->archive, writer));
	}
	return good && fine(archive, OTF2_Archive_CloseDefFiles(archive->archive));
}

static bool write_all(const struct archive *archive, const char *root)
{
	const struct record_exploration *e = archive->exploration;
	struct timeline *timeline = timeline_new(archive->execution);
	struct otf2_definitions *definitions = otf2_definitions_new(e->ranks);
	struct otf2_events *events = otf2_events_new(archive->execution, e, timeline, definitions,
	                                             root);
	g_autoptr(GArray) locations = otf2_locations(archive->execution->calls, e->ranks);
	g_autofree uint64_t *counts = g_new0(uint64_t, locations->len);
	OTF2_GlobalDefWriter *writer = NULL;
	bool good = describe(archive, timeline) && write_events(archive, events, locations, counts)
	            && write_local_definitions(archive, locations->len);

	if (good) {
		writer = OTF2_Archive_GetGlobalDefWriter(archive->archive);
		good = (writer
		        || fail(archive->directory, "OTF2 returned no writer", archive->error))
		       && fine(archive,
		               otf2_definitions_write(definitions, writer, machine(e), locations,
		                                      counts, timeline->end + 1));
	}
	otf2_events_free(events);
	otf2_definitions_free(definitions);
	timeline_free(timeline);
	return good;
}

static bool write_archive(struct archive *archive, const char *root)
{
	static OTF2_FlushCallbacks flush = {.otf2_pre_flush = on_flush};
	bool good;

	archive->archive = OTF2_Archive_Open(
		archive->directory, NAME, OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
		OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	if (!archive->archive)
		return fail(archive->directory, "OTF2 cannot open an archive there",
		            archive->error);
	good = fine(archive, OTF2_Archive_SetFlushCallbacks(archive->archive, &flush, NULL))
	       && fine(archive, OTF2_Archive_SetSerialCollectiveCallbacks(archive->archive))
	       && write_all(archive, root);
	return fine(archive, OTF2_Archive_Close(archive->archive)) && good;
}

/* OTF2 does not report if the last part of a file could not be written. So a probe is written
 * afterwards that is larger than what OTF2 may have left to the end. If there is no room for the
 * probe, the archive may be incomplete. */
static bool has_room(const char *directory, GError **error)
{
	enum { PROBE = 1 << 16 };
	g_autofree char *name = g_build_filename(directory, NAME ".probe", NULL);
	g_autofree char *bytes = g_malloc0(PROBE);
	int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool good = fd >= 0;
	int number = errno;

	if (!good)
		return fail(directory, g_strerror(number), error);
	for (gsize done = 0; good && done < PROBE;) {
		ssize_t count = write(fd, bytes, PROBE - done);

		number = count < 0 ? errno : ENOSPC;
		good = count > 0;
		done += good ? (gsize)count : 0;
	}
	if (good && fsync(fd) != 0 && errno != EINVAL && errno != EROFS) {
		good = false;
		number = errno;
	}
	close(fd);
	g_unlink(name);
	return good || fail(directory, g_strerror(number), error);
}

static bool otf2_write(struct store_reader *reader, const struct report_options *options,
                       const char *directory, GError **error)
{
	const struct record_exploration *e = store_reader_exploration(reader);
	g_autoptr(RecordExecution) execution = diagram_choose(reader, options->execution, error);
	struct archive archive = {
		.exploration = e, .execution = execution, .directory = directory, .error = error};
	OTF2_ErrorCallback before;
	bool good;

	if (!execution)
		return false;
	if (execution->calls->len == 0) {
		g_autofree char *again = words_again(execution->path, e);

		g_set_error(error, REPORT_ERROR, 0,
		            "%s: no trace: the calls of interleaving %u were not kept; to keep "
		            "them: %s --otf2 %s",
		            directory, execution->id, again, directory);
		return false;
	}
	if (execution->exits->len != (guint)e->ranks) { /* each rank becomes files */
		g_set_error(error, REPORT_ERROR, 0,
		            "%s: no trace: interleaving %u of the store has %u ranks, not %d",
		            directory, execution->id, execution->exits->len, e->ranks);
		return false;
	}
	if (!prepare(directory, error))
		return false;
	before = OTF2_Error_RegisterCallback(on_error, NULL);
	good = write_archive(&archive, places_root(reader, options));
	OTF2_Error_RegisterCallback(before, NULL);
	good = good && has_room(directory, error);
	if (!good)
		remove_archive(directory, NULL);
	return good;
}

const struct report report_otf2 = {
	.name = "otf2",
	.summary = "an interleaving as an OTF2 trace, for Vampir and others",
	.shows_recordings = true,
	.write_directory = otf2_write,
	.library = "OTF2 " MATCHPOINT_OTF2,
};
