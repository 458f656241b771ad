#include "html_data.h"

#include <string.h>

#include "json_text.h"
#include "words.h"

/* A function of a stack, and where it was called. Stacks share their common outer frames. */
struct frame {
	int function, place, outer;
};

struct html_data {
	const struct store_reader *reader;
	int32_t ranks;
	GHashTable *strings;       /* interned text to index + 1 */
	GHashTable *places;        /* struct place to index + 1 */
	GHashTable *communicators; /* number to index + 1 */
	GHashTable *shapes;        /* struct json_shape to index + 1 */
	GHashTable *frames;        /* struct frame to index + 1 */
	GHashTable *stacks;        /* stack's number in the store to index + 1 of its innermost
	                              frame */
	GString *strings_json, *places_json, *communicators_json, *shapes_json, *graphs_json;
	GString *frames_json;
	GHashTable *graphs; /* id of the interleaving to index + 1 of its graph without a blame */
	int count;
	guint64 calls;
};

static guint bytes_hash(const unsigned char *bytes, gsize count)
{
	guint hash = 2166136261u;

	for (gsize i = 0; i < count; i++)
		hash = (hash ^ bytes[i]) * 16777619u;
	return hash;
}

static guint frame_hash(gconstpointer key)
{
	return bytes_hash(key, sizeof(struct frame));
}

static gboolean frame_equal(gconstpointer one, gconstpointer other)
{
	return memcmp(one, other, sizeof(struct frame)) == 0;
}

static guint shape_hash(gconstpointer key)
{
	return bytes_hash(key, sizeof(struct json_shape));
}

static gboolean shape_equal(gconstpointer one, gconstpointer other)
{
	return memcmp(one, other, sizeof(struct json_shape)) == 0;
}

struct html_data *html_data_new(const struct store_reader *reader)
{
	struct html_data *data = g_new0(struct html_data, 1);

	data->reader = reader;
	data->ranks = store_reader_exploration(reader)->ranks;
	data->strings = g_hash_table_new(NULL, NULL);
	data->places = g_hash_table_new_full(place_hash, place_key_equal, g_free, NULL);
	data->communicators = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	data->shapes = g_hash_table_new_full(shape_hash, shape_equal, g_free, NULL);
	data->graphs = g_hash_table_new(NULL, NULL);
	data->frames = g_hash_table_new_full(frame_hash, frame_equal, g_free, NULL);
	data->stacks = g_hash_table_new(NULL, NULL);
	data->strings_json = g_string_new(NULL);
	data->places_json = g_string_new(NULL);
	data->communicators_json = g_string_new(NULL);
	data->shapes_json = g_string_new(NULL);
	data->graphs_json = g_string_new(NULL);
	data->frames_json = g_string_new(NULL);
	return data;
}

void html_data_free(struct html_data *data)
{
	if (!data)
		return;
	g_hash_table_unref(data->strings);
	g_hash_table_unref(data->places);
	g_hash_table_unref(data->communicators);
	g_hash_table_unref(data->shapes);
	g_hash_table_unref(data->graphs);
	g_hash_table_unref(data->frames);
	g_hash_table_unref(data->stacks);
	g_string_free(data->strings_json, true);
	g_string_free(data->places_json, true);
	g_string_free(data->communicators_json, true);
	g_string_free(data->shapes_json, true);
	g_string_free(data->graphs_json, true);
	g_string_free(data->frames_json, true);
	g_free(data);
}

/* The index of a key. A new key gets the next index; the table then owns the key, and *ret_new
 * is true. */
static int find(GHashTable *table, gpointer key, bool *ret_new)
{
	int index = GPOINTER_TO_INT(g_hash_table_lookup(table, key)) - 1;

	*ret_new = index < 0;
	if (index >= 0)
		return index;
	index = (int)g_hash_table_size(table);
	g_hash_table_insert(table, key, GINT_TO_POINTER(index + 1));
	return index;
}

static int string_index(struct html_data *data, const char *text)
{
	bool new;
	int index = find(data->strings, (gpointer)g_intern_string(text ? text : "?"), &new);

	if (new)
		json_add_text(data->strings_json, text ? text : "?");
	return index;
}

static int place_index(struct html_data *data, const struct place *place)
{
	int known = GPOINTER_TO_INT(g_hash_table_lookup(data->places, place));
	const struct record_excerpt *excerpt;
	g_autofree char *text = NULL;
	bool new;

	if (known)
		return known - 1;
	text = place_print(place);
	excerpt = store_reader_excerpt(data->reader, place);
	json_separate(data->places_json);
	g_string_append_c(data->places_json, '[');
	json_add_text(data->places_json, text);
	if (excerpt) {
		json_add_number(data->places_json, excerpt->first);
		json_add_text(data->places_json, excerpt->text);
	}
	g_string_append_c(data->places_json, ']');
	return find(data->places, g_memdup2(place, sizeof(*place)), &new);
}

/* The index of a stack's innermost frame; -1: there is no stack. In a frame, an unknown function
 * is -1, and so is the outer frame of the outermost one. */
static int frame_index(struct html_data *data, uint32_t stack)
{
	int index = GPOINTER_TO_INT(g_hash_table_lookup(data->stacks, GUINT_TO_POINTER(stack))) - 1;
	const GArray *frames = store_reader_stack(data->reader, stack);

	if (index >= 0 || !frames)
		return index;
	for (guint i = frames->len; i-- > 0;) {
		const struct record_frame *told = &g_array_index(frames, struct record_frame, i);
		struct frame frame = {told->function ? string_index(data, told->function) : -1,
		                      place_index(data, &told->place), index};
		bool new;

		index = GPOINTER_TO_INT(g_hash_table_lookup(data->frames, &frame)) - 1;
		if (index >= 0)
			continue;
		index = find(data->frames, g_memdup2(&frame, sizeof(frame)), &new);
		json_separate(data->frames_json);
		g_string_append_printf(data->frames_json, "[%d,%d,%d]", frame.function, frame.place,
		                       frame.outer);
	}
	g_hash_table_insert(data->stacks, GUINT_TO_POINTER(stack), GINT_TO_POINTER(index + 1));
	return index;
}

static int communicator_index(struct html_data *data, const struct record_call *call)
{
	int known = GPOINTER_TO_INT(g_hash_table_lookup(data->communicators, &call->communicator));
	bool new;

	if (call->communicator == 0)
		return -1;
	if (known)
		return known - 1;
	json_add_text(data->communicators_json,
	              call->communicator_name ? call->communicator_name : "a communicator");
	return find(data->communicators, g_memdup2(&call->communicator, sizeof(call->communicator)),
	            &new);
}

static int shape_index(struct html_data *data, const struct record_call *call)
{
	struct json_shape shape;
	int index;
	bool new;

	memset(&shape, 0, sizeof(shape)); /* the padding is compared too */
	shape.name = string_index(data, call->function);
	shape.kind = call->kind;
	shape.place = place_index(data, &call->place);
	shape.frame = frame_index(data, call->stack);
	shape.communicator = communicator_index(data, call);
	shape.peer = call->peer;
	shape.peer_given = call->peer_given;
	shape.tag = call->tag;
	shape.bytes = call->bytes;
	shape.operations = call->operations;
	shape.thread = call->thread > 0 ? call->thread - 1 : 0;
	index = GPOINTER_TO_INT(g_hash_table_lookup(data->shapes, &shape)) - 1;
	if (index >= 0)
		return index;
	json_add_shape(data->shapes_json, &shape);
	return find(data->shapes, g_memdup2(&shape, sizeof(shape)), &new);
}

/* The index of a collective in its graph: from 1 without gaps; 0 stays 0. */
static int collective_index(GHashTable *collectives, uint32_t collective)
{
	bool new;

	return collective == 0 ? 0 : 1 + find(collectives, GUINT_TO_POINTER(collective), &new);
}

/* Appends [shapes, completed, collectives] of a rank's calls, which begin at `first`. Returns
 * where the next rank's calls begin. In `completed`, 0 means never; other values are 1 + how
 * many calls later. */
static guint add_rank(struct html_data *data, const GArray *calls, int32_t rank, guint first,
                      GHashTable *collectives)
{
	GString *json = data->graphs_json;
	guint end = first;

	while (end < calls->len && g_array_index(calls, struct record_call, end).rank == rank)
		end++;
	json_separate(json);
	g_string_append(json, "[[");
	for (guint i = first; i < end; i++)
		json_add_number(json,
		                shape_index(data, &g_array_index(calls, struct record_call, i)));
	g_string_append(json, "],[");
	for (guint i = first; i < end; i++) {
		const struct record_call *call = &g_array_index(calls, struct record_call, i);

		json_add_number(json, call->completed < call->call
		                              ? 0
		                              : (gint64)call->completed - call->call + 1);
	}
	g_string_append(json, "],[");
	for (guint i = first; i < end; i++)
		json_add_number(
			json,
			collective_index(collectives,
		                         g_array_index(calls, struct record_call, i).collective));
	g_string_append(json, "]]");
	return end;
}

static void add_index(GString *json, const struct record_call *call, gint64 index)
{
	json_add_number(json, call->rank);
	json_add_number(json, call->call);
	json_add_number(json, index);
}

/* Appends "indices", if it is known what calls have returned. */
static void add_indices(GString *json, const GArray *calls)
{
	g_autoptr(GString) all = g_string_new("[");
	bool known = false;

	for (guint i = 0; i < calls->len; i++) {
		const struct record_call *call = &g_array_index(calls, struct record_call, i);
		g_auto(GStrv) indices = NULL;

		known |= call->indices != NULL;
		if (!call->indices) {
			if (record_returns_indices(call))
				add_index(all, call, JSON_INDEX_UNKNOWN);
			continue;
		}
		if (g_str_equal(call->indices, RECORD_UNDEFINED)) {
			add_index(all, call, JSON_INDEX_UNDEFINED);
			continue;
		}
		indices = g_strsplit(call->indices, ",", -1);
		for (char **index = indices; *index; index++)
			add_index(all, call, g_ascii_strtoll(*index, NULL, 10));
	}
	if (known)
		g_string_append_printf(json, ",\"indices\":%s]", all->str);
}

/* A lock has no tag. */
static void add_alternative(GString *json, const struct record_choice *choice,
                            const struct record_message *message)
{
	struct record_message told = *message;

	if (choice->point.kind != POINT_CALL)
		told.tag = -1;
	json_add_alternative(json, choice->rank, &told);
}

static void add_choices(GString *json, const GPtrArray *choices, const struct record_choice *blame)
{
	for (guint i = 0; i < choices->len; i++) {
		const struct record_choice *choice = choices->pdata[i];
		bool blamed = blame && point_equal(&blame->point, &choice->point);

		/* in a blame the alternative that goes well comes first */
		choice = blamed ? blame : choice;
		json_separate(json);
		g_string_append_c(json, '[');
		json_add_number(json, choice->rank);
		json_add_number(json, choice->call);
		json_add_number(json, blamed);
		add_alternative(json, choice, &choice->taken);
		for (guint j = 0; j < choice->alternatives->len; j++)
			add_alternative(
				json, choice,
				&g_array_index(choice->alternatives, struct record_message, j));
		g_string_append_c(json, ']');
	}
}

/* The calls that have not returned, as rank and number. Of a rank with threads there may be
 * several. */
static void add_waiting(GString *json, const GPtrArray *roll_call)
{
	for (guint i = 0; i < roll_call->len; i++) {
		const struct record_rank *rank = roll_call->pdata[i];

		if (rank->ended || rank->does)
			continue;
		json_add_number(json, rank->rank);
		json_add_number(json, rank->call);
	}
}

/* Of a job with several worlds. */
static void add_rank_names(GString *json, int32_t ranks)
{
	if (!rank_names_divide())
		return;
	g_string_append(json, "\"rankNames\":[");
	for (int32_t rank = 0; rank < ranks; rank++)
		json_add_text(json, rank_name(rank));
	g_string_append(json, "],");
}

static void add_graph(struct html_data *data, const struct record_execution *execution,
                      const struct record_finding *finding)
{
	g_autoptr(GHashTable) collectives = g_hash_table_new(NULL, NULL);
	GString *json = data->graphs_json;
	guint next = 0;

	json_separate(json);
	g_string_append_printf(json, "{\"ranks\":%d,", data->ranks);
	add_rank_names(json, data->ranks);
	g_string_append(json, "\"calls\":[");
	for (int32_t rank = 0; rank < data->ranks; rank++)
		next = add_rank(data, execution->calls, rank, next, collectives);
	g_string_append(json, "],\"matches\":[");
	for (guint i = 0; i < execution->matches->len; i++) {
		const struct record_match *match = &g_array_index(execution->matches,
		                                                  struct record_match, i);

		json_add_number(json, match->rank);
		json_add_number(json, match->call);
		json_add_number(json, match->source);
		json_add_number(json, match->send_call);
	}
	g_string_append_c(json, ']');
	add_indices(json, execution->calls);
	g_string_append(json, ",\"choices\":[");
	add_choices(json, execution->choices, finding ? finding->blame : NULL);
	g_string_append(json, "],\"waiting\":[");
	add_waiting(json, execution->ranks);
	g_string_append(json, "],\"faults\":[");
	if (finding)
		json_add_faults(json, finding);
	g_string_append(json, "]}");
}

int html_data_add(struct html_data *data, const struct record_execution *execution,
                  const struct record_finding *finding)
{
	gpointer key = GUINT_TO_POINTER(execution->id);
	int known = finding ? 0 : GPOINTER_TO_INT(g_hash_table_lookup(data->graphs, key));

	if (execution->calls->len == 0)
		return -1;
	if (known)
		return known - 1;
	if (data->calls + execution->calls->len > HTML_DATA_CALLS_MAX)
		return -2;
	data->calls += execution->calls->len;
	add_graph(data, execution, finding);
	if (!finding)
		g_hash_table_insert(data->graphs, key, GINT_TO_POINTER(data->count + 1));
	return data->count++;
}

char *html_data_print(const struct html_data *data)
{
	return g_strdup_printf("{\"strings\":[%s],\"places\":[%s],\"communicators\":[%s],"
	                       "\"frames\":[%s],\"shapes\":[%s],\"graphs\":[%s]}",
	                       data->strings_json->str, data->places_json->str,
	                       data->communicators_json->str, data->frames_json->str,
	                       data->shapes_json->str, data->graphs_json->str);
}
