#include "history.h"

#include "recorder.h"

#define BYTES_MOST ((gsize)256 << 20) /* of all lines */

G_DEFINE_QUARK(matchpoint_history_error, history_error)

/* Lines of a world, behind those of another. */
struct segment {
	struct segment *before; /* a reference; NULL: none */
	GString *lines;
	guint references;
};

struct history {
	GHashTable *worlds, *kept; /* struct segment, by number */
	gsize bytes;
};

static void segment_unref(void *pointer)
{
	struct segment *segment = pointer;

	while (segment && --segment->references == 0) {
		struct segment *before = segment->before;

		g_string_free(segment->lines, true);
		g_free(segment);
		segment = before;
	}
}

static struct segment *segment_new(struct segment *before)
{
	struct segment *segment = g_new0(struct segment, 1);

	if (before)
		before->references++;
	segment->before = before;
	segment->lines = g_string_new(NULL);
	segment->references = 1;
	return segment;
}

static struct segment *find(GHashTable *segments, guint32 number)
{
	return g_hash_table_lookup(segments, GUINT_TO_POINTER(number));
}

/* What comes later belongs to another segment. */
static void keep(struct history *history, guint32 number)
{
	struct segment *segment = find(history->worlds, number);

	if (!segment)
		return;
	segment->references++;
	g_hash_table_replace(history->kept, GUINT_TO_POINTER(number), segment);
	g_hash_table_replace(history->worlds, GUINT_TO_POINTER(number), segment_new(segment));
}

static void add_line(struct history *history, const struct run_event *event)
{
	struct segment *segment = find(history->worlds, event->number);
	g_autofree char *line = segment && history->bytes < BYTES_MOST ? recorder_line(event)
	                                                               : NULL;
	gsize before;

	if (!line)
		return;
	before = segment->lines->allocated_len;
	g_string_append(segment->lines, line);
	g_string_append_c(segment->lines, '\n');
	history->bytes += segment->lines->allocated_len - before;
}

static bool on_event(void *user, const struct run_event *event, GError **error)
{
	struct history *history = user;

	(void)error;
	switch (event->kind) {
	case RUN_BEGIN:
		g_hash_table_replace(
			history->worlds, GUINT_TO_POINTER(event->number),
			segment_new(event->restored ? find(history->kept, event->from) : NULL));
		add_line(history, event);
		break;
	case RUN_SNAPSHOT: keep(history, event->number); break;
	case RUN_STEP:
		if (event->step->kind <= WORLD_STEP_UNHOLD) /* a request */
			add_line(history, event);
		break;
	case RUN_STOP: g_hash_table_remove(history->worlds, GUINT_TO_POINTER(event->number)); break;
	default: break;
	}
	return true;
}

struct history *history_new(struct events *events)
{
	struct history *history = g_new0(struct history, 1);
	const struct event_sink sink = {
		.name = "the history",
		.kinds = 1u << RUN_BEGIN | 1u << RUN_SNAPSHOT | 1u << RUN_STEP | 1u << RUN_STOP,
		.handle = on_event,
		.user = history,
	};

	history->worlds = g_hash_table_new_full(NULL, NULL, NULL, segment_unref);
	history->kept = g_hash_table_new_full(NULL, NULL, NULL, segment_unref);
	events_add(events, &sink);
	return history;
}

void history_free(struct history *history)
{
	if (!history)
		return;
	g_hash_table_unref(history->worlds);
	g_hash_table_unref(history->kept);
	g_free(history);
}

static void append(GString *text, const struct segment *segment)
{
	g_autoptr(GPtrArray) chain = g_ptr_array_new();

	for (; segment; segment = segment->before)
		g_ptr_array_add(chain, (void *)segment);
	for (guint i = chain->len; i-- > 0;) {
		const struct segment *one = chain->pdata[i];

		g_string_append_len(text, one->lines->str, (gssize)one->lines->len);
	}
}

GString *history_of_snapshot(const struct history *history, guint32 number, GError **error)
{
	const struct segment *segment = find(history->kept, number);
	GString *text;

	if (!segment || history->bytes >= BYTES_MOST) {
		g_set_error(
			error, HISTORY_ERROR, 0, "%s",
			segment ? "the ranks have made too many calls: their history is too large"
				: "its history is not known");
		return NULL;
	}
	text = g_string_new(RECORDER_HEAD "\n");
	append(text, segment);
	return text;
}
