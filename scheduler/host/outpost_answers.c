/* What an outpost does and finds out on its machine. */
#include <signal.h>
#include <string.h>

#include "absent_rank.h"
#include "local_internal.h"
#include "outpost.h"

#define THREADS "a(ibbt)"
#define READ_MOST ((guint64)1 << 20) /* bytes of memory in one answer */

static GVariant *bytes_value(const void *bytes, gsize count)
{
	return g_variant_new_fixed_array(G_VARIANT_TYPE_BYTE, bytes, count, 1);
}

static pid_t process_of(GVariant *about)
{
	return (pid_t)g_variant_get_int32(about);
}

static GVariant *text_value(char *text)
{
	return text ? g_variant_new_take_string(text) : g_variant_new_string("");
}

GVariant *outpost_put_threads(const struct thread_view *views, guint count)
{
	GVariantBuilder builder;

	g_variant_builder_init(&builder, G_VARIANT_TYPE(THREADS));
	for (guint i = 0; i < count; i++)
		g_variant_builder_add(&builder, "(ibbt)", (gint32)views[i].id, views[i].waits,
		                      views[i].ended, views[i].switches);
	return g_variant_builder_end(&builder);
}

GArray *outpost_get_threads(GVariant *threads)
{
	GArray *views = g_array_new(false, true, sizeof(struct thread_view));
	gboolean waits, ended; /* (GVariant) */
	GVariantIter iter;
	guint64 switches;
	gint32 id;

	g_variant_iter_init(&iter, threads);
	while (g_variant_iter_next(&iter, "(ibbt)", &id, &waits, &ended, &switches)) {
		const struct thread_view view = {id, waits, ended, switches};

		g_array_append_val(views, view);
	}
	return views;
}

/* --- worlds ----------------------------------------------------------------------------------- */

static GVariant *add_world(struct host *host, GVariant *about)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *path = host->operations->world_add(host, g_variant_get_uint32(about),
	                                                    &error);

	return g_variant_new_string(path ? "" : error->message);
}

static GVariant *remove_world(struct host *host, GVariant *about)
{
	host->operations->world_remove(host, g_variant_get_uint32(about));
	return NULL;
}

static GVariant *end_left(struct host *host, GVariant *about)
{
	const char *directory;
	gboolean all; /* (GVariant) */

	g_variant_get(about, "(&sb)", &directory, &all);
	local_end_left_behind(host, directory, all);
	return g_variant_new_boolean(true);
}

static GVariant *keep_left(struct host *host, GVariant *about)
{
	(void)about;
	local_keep_left_behind(host);
	return NULL;
}

static GVariant *pressure(struct host *host, GVariant *about)
{
	const struct memory_pressure now = host->operations->memory_pressure(host);

	(void)about;
	return g_variant_new("(tt)", now.group, now.machine);
}

/* --- processes -------------------------------------------------------------------------------- */

static GVariant *send_signal(struct host *host, GVariant *about)
{
	gint32 process, number;

	g_variant_get(about, "(ii)", &process, &number);
	if (process > 0)
		local_signal(host, process, number);
	return NULL;
}

static GVariant *interrupt(struct host *host, GVariant *about)
{
	local_interrupt(host, process_of(about));
	return NULL;
}

static GVariant *is_dead(struct host *host, GVariant *about)
{
	return g_variant_new_boolean(local_is_dead(host, process_of(about)));
}

static GVariant *parent(struct host *host, GVariant *about)
{
	return g_variant_new_int32(local_parent(host, process_of(about)));
}

static GVariant *tracing(struct host *host, GVariant *about)
{
	enum host_tracing found = HOST_NOT_TRACED;

	local_tracing_of(host, process_of(about), host_take_tracing, &found);
	return g_variant_new_int32((gint32)found);
}

static GVariant *read_memory(struct host *host, GVariant *about)
{
	g_autofree guint8 *bytes = NULL;
	guint64 address, count;
	gint32 process;

	g_variant_get(about, "(itt)", &process, &address, &count);
	bytes = g_malloc(MIN(count, READ_MOST) + 1);
	if (count > READ_MOST || !local_read_memory(host, process, address, bytes, count))
		count = 0;
	return bytes_value(bytes, count);
}

static GVariant *memory(struct host *host, GVariant *about)
{
	return g_variant_new_uint64(local_memory_of(host, process_of(about)));
}

static GVariant *disk_work(struct host *host, GVariant *about)
{
	guint64 bytes = 0;
	bool works = local_works_on_disk(host, process_of(about), &bytes);

	return g_variant_new("(bt)", works, bytes);
}

static GVariant *look_threads(struct host *host, GVariant *about)
{
	g_autoptr(GVariant) threads = NULL;
	g_autoptr(GArray) views = NULL;
	enum threads_state state;
	gint32 process;

	g_variant_get(about, "(i@" THREADS ")", &process, &threads);
	views = outpost_get_threads(threads);
	state = local_look_at_threads(host, process, (struct thread_view *)(void *)views->data,
	                              views->len);
	return g_variant_new(
		"(i@" THREADS ")", (gint32)state,
		outpost_put_threads((struct thread_view *)(void *)views->data, views->len));
}

static GVariant *other_threads(struct host *host, GVariant *about)
{
	g_autoptr(GArray) views = local_other_threads(host, process_of(about));

	return outpost_put_threads((struct thread_view *)(void *)views->data, views->len);
}

static GVariant *debuggee(struct host *host, GVariant *about)
{
	struct host_debuggee found;
	GVariant *value;

	local_debuggee_of(host, process_of(about), host_take_debuggee, &found);
	value = g_variant_new(
		"(@s@ay)", text_value(g_steal_pointer(&found.program)),
		bytes_value(found.mappings, found.mappings ? strlen(found.mappings) : 0));
	host_debuggee_clear(&found);
	return value;
}

static GVariant *stack(struct host *host, GVariant *about)
{
	g_autoptr(GArray) frames = NULL;
	gint32 process, thread;

	g_variant_get(about, "(ii)", &process, &thread);
	frames = local_stack_of(host, process, thread);
	return g_variant_new_fixed_array(G_VARIANT_TYPE_UINT64, frames ? frames->data : NULL,
	                                 frames ? frames->len : 0, sizeof(guint64));
}

static GVariant *alive(struct host *host, GVariant *about)
{
	int ranks = CLAMP(g_variant_get_int32(about), 0, local_of(host)->options.ranks);
	g_autofree bool *found = absent_rank_alive(
		run_directory_path(local_of(host)->options.directory), ranks);

	return g_variant_new_fixed_array(G_VARIANT_TYPE_BOOLEAN, found, (gsize)ranks, 1);
}

/* --- output and files ------------------------------------------------------------------------- */

static GVariant *output(struct host *host, GVariant *about)
{
	struct host_output got = {0};
	struct host_range range;
	gint32 rank, stream;
	gboolean last; /* (GVariant) */
	GVariant *value;

	g_variant_get(about, "(&siittb)", &range.directory, &rank, &stream, &range.from,
	              &range.most, &last);
	if (stream < 0 || stream >= HOST_STREAMS)
		return NULL;
	range.rank = rank;
	range.stream = (enum host_stream)stream;
	range.last = last;
	local_rank_output(host, &range, host_take_output, &got);
	value = g_variant_new(
		"(@aytsbs)",
		bytes_value(g_bytes_get_data(got.bytes, NULL), g_bytes_get_size(got.bytes)),
		got.size, got.lost ? got.lost : "", got.cut, got.place);
	host_output_clear(&got);
	return value;
}

static GVariant *room(struct host *host, GVariant *about)
{
	struct host_room found = {0};
	g_autofree char *place = NULL;

	local_room_of(host, g_variant_get_string(about, NULL), host_take_room, &found);
	place = found.place;
	return g_variant_new("(isd)", (gint32)found.full, place ? place : "", found.megabytes);
}

static GVariant *file_look(struct host *host, GVariant *about)
{
	struct host_file file = {0};
	g_autofree char *real = NULL;

	local_file_look(host, g_variant_get_string(about, NULL), host_take_file, &file);
	real = file.real;
	return g_variant_new("(bbbtttxxs)", file.is_there, file.is_link, file.is_regular,
	                     file.device, file.inode, file.size, file.modified_s, file.modified_ns,
	                     real ? real : "");
}

static GVariant *file_read(struct host *host, GVariant *about)
{
	g_autoptr(GBytes) contents = NULL;
	const char *path;
	guint64 most;

	g_variant_get(about, "(&st)", &path, &most);
	local_file_read(host, path, most, host_take_contents, &contents);
	return g_variant_new(
		"(b@ay)", contents != NULL,
		contents ? bytes_value(g_bytes_get_data(contents, NULL), g_bytes_get_size(contents))
			 : bytes_value(NULL, 0));
}

/* --- the table -------------------------------------------------------------------------------- */

static const struct {
	const char *about; /* its type */
	GVariant *(*answer)(struct host *host, GVariant *about);
} questions[OUTPOST_QUESTIONS] = {
	[OUTPOST_ADD_WORLD] = {"u", add_world},
	[OUTPOST_REMOVE_WORLD] = {"u", remove_world},
	[OUTPOST_SIGNAL] = {"(ii)", send_signal},
	[OUTPOST_INTERRUPT] = {"i", interrupt},
	[OUTPOST_IS_DEAD] = {"i", is_dead},
	[OUTPOST_PARENT] = {"i", parent},
	[OUTPOST_TRACING] = {"i", tracing},
	[OUTPOST_READ_MEMORY] = {"(itt)", read_memory},
	[OUTPOST_MEMORY] = {"i", memory},
	[OUTPOST_DISK_WORK] = {"i", disk_work},
	[OUTPOST_LOOK_THREADS] = {"(i" THREADS ")", look_threads},
	[OUTPOST_OTHER_THREADS] = {"i", other_threads},
	[OUTPOST_DEBUGGEE] = {"i", debuggee},
	[OUTPOST_STACK] = {"(ii)", stack},
	[OUTPOST_ALIVE] = {"i", alive},
	[OUTPOST_END_LEFT] = {"(sb)", end_left},
	[OUTPOST_KEEP_LEFT] = {"b", keep_left},
	[OUTPOST_PRESSURE] = {"b", pressure},
	[OUTPOST_OUTPUT] = {"(siittb)", output},
	[OUTPOST_ROOM] = {"s", room},
	[OUTPOST_FILE_LOOK] = {"s", file_look},
	[OUTPOST_FILE_READ] = {"(st)", file_read},
};

GVariant *outpost_answer(struct host *host, guint32 question, GVariant *about)
{
	if (question >= OUTPOST_QUESTIONS
	    || !g_variant_is_of_type(about, G_VARIANT_TYPE(questions[question].about)))
		return NULL;
	return questions[question].answer(host, about);
}
