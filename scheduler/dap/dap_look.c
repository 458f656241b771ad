/* Where the rank stands: threads, frames, sources. */
#include <string.h>

#include "dap_internal.h"

enum { LEVELS = 100000, DEPTH_MOST = 10000, SOURCE_MOST = 8 << 20 };

/* --- frames ----------------------------------------------------------------------------------- */

static gint64 frame_id(gint64 thread, gint64 level)
{
	return thread * LEVELS + level;
}

char *dap_frame_options(gint64 id)
{
	if (id < LEVELS)
		return g_strdup("");
	return g_strdup_printf(" --thread %" G_GINT64_FORMAT " --frame %" G_GINT64_FORMAT,
	                       id / LEVELS, id % LEVELS);
}

JsonObject *dap_source_of(JsonObject *results)
{
	const char *path = field_text(results, "fullname");
	g_autofree char *name = path ? g_path_get_basename(path) : NULL;
	JsonObject *source;

	if (!path || !g_file_test(path, G_FILE_TEST_EXISTS))
		return NULL;
	source = json_object_new();
	json_object_set_string_member(source, "name", name);
	json_object_set_string_member(source, "path", path);
	return source;
}

static JsonObject *show_frame(const struct dap *dap, gint64 thread, JsonObject *frame)
{
	JsonObject *shown = json_object_new(), *source = dap_source_of(frame);
	const char *function = field_text(frame, "func"), *address = field_text(frame, "addr");
	const gint64 line = field_number(frame, "line", 0);

	json_object_set_int_member(shown, "id", frame_id(thread, field_number(frame, "level", 0)));
	json_object_set_string_member(shown, "name", function ? function : address ? address : "?");
	if (address)
		json_object_set_string_member(shown, "instructionPointerReference", address);
	json_object_set_int_member(shown, "line", line > 0 ? line - 1 + dap->first_line : 0);
	json_object_set_int_member(shown, "column", line > 0 ? dap->first_column : 0);
	if (source)
		json_object_set_object_member(shown, "source", source);
	else
		json_object_set_string_member(shown, "presentationHint", "subtle");
	return shown;
}

JsonObject *dap_stack_trace(struct dap *dap, JsonObject *arguments, GError **error)
{
	const gint64 thread = field_number(arguments, "threadId", 1);
	const gint64 start = CLAMP(field_number(arguments, "startFrame", 0), 0, DEPTH_MOST);
	const gint64 given = field_number(arguments, "levels", 0);
	const gint64 levels = given <= 0 ? DEPTH_MOST : MIN(given, DEPTH_MOST);
	g_autoptr(JsonObject) depth = NULL, results = NULL;
	JsonArray *shown, *frames;
	JsonObject *body;

	depth = dap_ask(dap, error, "-stack-info-depth --thread %" G_GINT64_FORMAT " %d", thread,
	                DEPTH_MOST);
	if (!depth)
		return NULL;
	results = dap_ask(dap, error,
	                  "-stack-list-frames --thread %" G_GINT64_FORMAT " %" G_GINT64_FORMAT
	                  " %" G_GINT64_FORMAT,
	                  thread, start, start + levels - 1);
	if (!results)
		return NULL;
	frames = field_array(results, "stack");
	shown = json_array_new();
	for (guint i = 0; i < array_length(frames); i++)
		json_array_add_object_element(shown,
		                              show_frame(dap, thread, array_object(frames, i)));
	body = json_object_new();
	json_object_set_array_member(body, "stackFrames", shown);
	json_object_set_int_member(body, "totalFrames", field_number(depth, "depth", 0));
	return body;
}

/* --- threads ---------------------------------------------------------------------------------- */

static void add_thread(JsonArray *shown, gint64 id, const char *name)
{
	JsonObject *one = json_object_new();

	json_object_set_int_member(one, "id", id);
	json_object_set_string_member(one, "name", name);
	json_array_add_object_element(shown, one);
}

/* The first thread is named by the rank, and by where it stands in MPI. */
static char *name_of(struct dap *dap, gint64 id)
{
	g_autofree char *place = NULL;

	if (id > 1)
		return g_strdup_printf("rank %d, thread %" G_GINT64_FORMAT, dap->rank, id);
	place = dap->is_running ? NULL : dap_console(dap, 0, "monitor mpi", NULL);
	return place ? g_strdup_printf("rank %d %s", dap->rank, g_strchomp(place))
	             : g_strdup_printf("rank %d", dap->rank);
}

JsonObject *dap_threads(struct dap *dap, JsonObject *arguments, GError **error)
{
	g_autoptr(JsonObject) results = dap->is_running ? NULL
	                                                : dap_ask(dap, error, "-thread-info");
	JsonArray *threads = field_array(results, "threads"), *shown;
	JsonObject *body;

	(void)arguments;
	if (!results && !dap->is_running)
		return NULL;
	shown = json_array_new();
	for (guint i = 0; i < array_length(threads); i++) {
		const gint64 id = field_number(array_object(threads, i), "id", i + 1);
		g_autofree char *name = name_of(dap, id);

		add_thread(shown, id, name);
	}
	if (array_length(threads) == 0) {
		g_autofree char *name = name_of(dap, 1);

		add_thread(shown, 1, name);
	}
	body = json_object_new();
	json_object_set_array_member(body, "threads", shown);
	return body;
}

/* --- sources ---------------------------------------------------------------------------------- */

JsonObject *dap_source(struct dap *dap, JsonObject *arguments, GError **error)
{
	const char *path = field_text(field_object(arguments, "source"), "path");
	g_autoptr(GMappedFile) file = path ? g_mapped_file_new(path, false, error) : NULL;
	g_autofree char *text = NULL;
	JsonObject *body;

	(void)dap;
	if (!path)
		return dap_refuse(error, "source: there is no path; sources are read from files");
	if (!file)
		return NULL;
	if (g_mapped_file_get_length(file) > SOURCE_MOST)
		return dap_refuse(error, "source: %s is larger than 8 MiB", path);
	text = g_utf8_make_valid(g_mapped_file_get_contents(file),
	                         (gssize)g_mapped_file_get_length(file));
	body = json_object_new();
	json_object_set_string_member(body, "content", text);
	return body;
}
