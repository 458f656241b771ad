#include "page_state.h"

#include <string.h>

#include "explorer/rank_name.h"

#define MESSAGE_BYTES 262144     /* approximate size of a message */
#define TABLES_BYTES (32u << 20) /* limit for data that calls share; the rest is not kept */

/* JSON values, one after another. */
struct table {
	GString *json;
	GArray *ends;      /* gsize: end of each value */
	GHashTable *known; /* key of a value: its number + 1; NULL: every value is new */
};

enum { PLACES, COMMUNICATORS, NAMES, STRINGS, FRAMES, SHAPES, TABLES };
static const char *const table_names[] = {"places",  "communicators", "names",
                                          "strings", "frames",        "shapes"};

/* Arrays of numbers, in groups of a fixed size. */
enum { COMPLETED, COLLECTIVES, MATCHES, INDICES, FLATS };
static const char *const flat_names[] = {"completed", "collectives", "matches", "indices"};
static const guint flat_widths[] = {3, 3, 4, 3};

struct page_state {
	int ranks;
	guint tables_begun; /* number of times that tables were cleared */
	guint begun;        /* number of interleavings */
	struct table tables[TABLES];
	GHashTable *names; /* current names of communicators: const char *, by index + 1 */
	GArray **calls;    /* gint32, by rank: shapes */
	guint call_count, left_out;
	GArray *flats[FLATS]; /* gint32 */
	struct table choices;
	char *now, *stop;
	guint now_changes, stop_changes;
	GString *text;
	guint64 text_before; /* bytes that were dropped from the beginning */
};

struct page_reader {
	struct page_state *state;
	bool knows; /* has received anything */
	guint tables_begun, begun, left_out, now_changes, stop_changes;
	guint tables[TABLES], flats[FLATS], choices;
	guint *calls; /* calls received, by rank */
	guint64 text;
};

/* --- tables ----------------------------------------------------------------------------------- */

static void table_init(struct table *table)
{
	table->json = g_string_new(NULL);
	table->ends = g_array_new(false, false, sizeof(gsize));
	table->known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

static void table_clear(struct table *table)
{
	g_string_truncate(table->json, 0);
	g_array_set_size(table->ends, 0);
	g_hash_table_remove_all(table->known);
}

static void table_release(struct table *table)
{
	g_string_free(table->json, true);
	g_array_unref(table->ends);
	g_hash_table_unref(table->known);
}

static void table_append(struct table *table, const char *json)
{
	g_string_append(table->json, json);
	g_array_append_val(table->ends, table->json->len);
}

/* The number of the value with key `same`. Appends its JSON if there is none. */
static int table_find(struct table *table, const char *same, const char *json)
{
	int known = GPOINTER_TO_INT(g_hash_table_lookup(table->known, same));

	if (known)
		return known - 1;
	table_append(table, json);
	g_hash_table_insert(table->known, g_strdup(same), GINT_TO_POINTER((int)table->ends->len));
	return (int)table->ends->len - 1;
}

static gsize table_end(const struct table *table, guint count)
{
	return count == 0 ? 0 : g_array_index(table->ends, gsize, count - 1);
}

/* --- shared data of calls --------------------------------------------------------------------- */

static char *text_json(const char *text)
{
	GString *json = g_string_new(NULL);

	json_add_text(json, text);
	return g_string_free(json, false);
}

static int find_string(struct page_state *state, const char *text)
{
	g_autofree char *json = text_json(text);

	return table_find(&state->tables[STRINGS], text, json);
}

int page_state_place(struct page_state *state, const char *text)
{
	g_autofree char *quoted = text_json(text), *json = g_strdup_printf("[%s]", quoted);

	return table_find(&state->tables[PLACES], text, json);
}

/* The newest name counts. */
static void name_communicator(struct page_state *state, int index, const char *name)
{
	gpointer key = GINT_TO_POINTER(index + 1);
	const char *known = g_hash_table_lookup(state->names, key);
	const char *interned = g_intern_string(name);
	g_autofree char *text = NULL, *json = NULL;

	if (known == interned)
		return;
	g_hash_table_insert(state->names, key, (gpointer)interned);
	if (!known)
		return;
	text = text_json(name);
	json = g_strdup_printf("[%d,%s]", index, text);
	table_append(&state->tables[NAMES], json);
}

int page_state_communicator(struct page_state *state, uint64_t number, const char *name)
{
	g_autofree char *json = text_json(name);
	g_autofree char *same = g_strdup_printf("%" G_GUINT64_FORMAT, number);
	int index = table_find(&state->tables[COMMUNICATORS], same, json);

	name_communicator(state, index, name);
	return index;
}

void page_state_rename(struct page_state *state, uint64_t number, const char *name)
{
	g_autofree char *same = g_strdup_printf("%" G_GUINT64_FORMAT, number);
	int known = GPOINTER_TO_INT(g_hash_table_lookup(state->tables[COMMUNICATORS].known, same));

	if (known)
		name_communicator(state, known - 1, name);
}

int page_state_frame(struct page_state *state, const char *function, int place, int outer)
{
	g_autofree char *json = g_strdup_printf(
		"[%d,%d,%d]", function ? find_string(state, function) : -1, place, outer);

	return table_find(&state->tables[FRAMES], json, json);
}

int page_state_shape(struct page_state *state, const struct page_shape *shape)
{
	struct json_shape numbered = shape->numbers;
	g_autoptr(GString) json = g_string_new(NULL);

	numbered.name = find_string(state, shape->name);
	json_add_shape(json, &numbered);
	return table_find(&state->tables[SHAPES], json->str, json->str);
}

/* --- an interleaving -------------------------------------------------------------------------- */

struct page_state *page_state_new(int ranks)
{
	struct page_state *state = g_new0(struct page_state, 1);

	state->ranks = ranks;
	for (int i = 0; i < TABLES; i++)
		table_init(&state->tables[i]);
	for (int i = 0; i < FLATS; i++)
		state->flats[i] = g_array_new(false, false, sizeof(gint32));
	table_init(&state->choices);
	state->names = g_hash_table_new(NULL, NULL);
	state->calls = g_new0(GArray *, ranks);
	for (int rank = 0; rank < ranks; rank++)
		state->calls[rank] = g_array_new(false, false, sizeof(gint32));
	state->now = g_strdup("{}");
	state->stop = g_strdup("{}");
	state->text = g_string_new(NULL);
	return state;
}

void page_state_free(struct page_state *state)
{
	if (!state)
		return;
	for (int i = 0; i < TABLES; i++)
		table_release(&state->tables[i]);
	for (int i = 0; i < FLATS; i++)
		g_array_unref(state->flats[i]);
	table_release(&state->choices);
	g_hash_table_unref(state->names);
	for (int rank = 0; rank < state->ranks; rank++)
		g_array_unref(state->calls[rank]);
	g_free(state->calls);
	g_free(state->now);
	g_free(state->stop);
	g_string_free(state->text, true);
	g_free(state);
}

void page_state_begin(struct page_state *state)
{
	gsize bytes = 0;

	for (int i = 0; i < TABLES; i++)
		bytes += state->tables[i].json->len;
	for (int i = 0; i < TABLES && bytes > TABLES_BYTES; i++)
		table_clear(&state->tables[i]);
	if (bytes > TABLES_BYTES)
		g_hash_table_remove_all(state->names);
	state->tables_begun += bytes > TABLES_BYTES;
	state->begun++;
	for (int rank = 0; rank < state->ranks; rank++)
		g_array_set_size(state->calls[rank], 0);
	for (int i = 0; i < FLATS; i++)
		g_array_set_size(state->flats[i], 0);
	table_clear(&state->choices);
	state->call_count = state->left_out = 0;
}

bool page_state_call(struct page_state *state, int rank, int shape)
{
	if (state->call_count >= PAGE_CALLS_MOST) {
		state->left_out++;
		return false;
	}
	state->call_count++;
	g_array_append_val(state->calls[rank], shape);
	return true;
}

static void append_flat(struct page_state *state, int which, const gint32 *numbers)
{
	g_array_append_vals(state->flats[which], numbers, flat_widths[which]);
}

void page_state_completed(struct page_state *state, int rank, guint32 call, guint32 in)
{
	append_flat(state, COMPLETED, (gint32[]){rank, (gint32)call, (gint32)in});
}

void page_state_collective(struct page_state *state, int rank, guint32 call, guint32 collective)
{
	append_flat(state, COLLECTIVES, (gint32[]){rank, (gint32)call, (gint32)collective});
}

void page_state_match(struct page_state *state, int rank, guint32 call, int source, guint32 sent)
{
	append_flat(state, MATCHES, (gint32[]){rank, (gint32)call, source, (gint32)sent});
}

void page_state_index(struct page_state *state, int rank, guint32 call, gint32 index)
{
	append_flat(state, INDICES, (gint32[]){rank, (gint32)call, index});
}

void page_state_choice(struct page_state *state, const char *json)
{
	table_append(&state->choices, json);
}

/* --- values that are replaced ----------------------------------------------------------------- */

static void replace(char **text, guint *changes, const char *by)
{
	if (strcmp(*text, by) == 0)
		return;
	g_free(*text);
	*text = g_strdup(by);
	(*changes)++;
}

void page_state_set_now(struct page_state *state, const char *json)
{
	replace(&state->now, &state->now_changes, json);
}

void page_state_set_stop(struct page_state *state, const char *json)
{
	replace(&state->stop, &state->stop_changes, json);
}

void page_state_tell(struct page_state *state, const char *text)
{
	g_autofree char *valid = g_utf8_make_valid(text, -1);
	gsize over;

	g_string_append(state->text, valid);
	if (state->text->len <= PAGE_TEXT_MOST)
		return;
	over = state->text->len - PAGE_TEXT_MOST / 2; /* in large steps, not for each text */
	while (over < state->text->len && ((unsigned char)state->text->str[over] & 0xc0) == 0x80)
		over++; /* keep whole characters */
	g_string_erase(state->text, 0, (gssize)over);
	state->text_before += over;
}

/* --- readers ---------------------------------------------------------------------------------- */

struct page_reader *page_reader_new(struct page_state *state)
{
	struct page_reader *reader = g_new0(struct page_reader, 1);

	reader->state = state;
	reader->calls = g_new0(guint, state->ranks);
	return reader;
}

void page_reader_free(struct page_reader *reader)
{
	if (!reader)
		return;
	g_free(reader->calls);
	g_free(reader);
}

static bool is_full(const GString *json)
{
	return json->len >= MESSAGE_BYTES;
}

/* Appends elements of the table from *next on, as an array, while there is room. */
static void read_table(GString *json, const char *name, const struct table *table, guint *next)
{
	guint count = *next;

	if (is_full(json) || count == table->ends->len)
		return;
	json_add_name(json, name);
	g_string_append_c(json, '[');
	while (count < table->ends->len && !is_full(json)) {
		gsize from = table_end(table, count), to = table_end(table, count + 1);

		json_separate(json);
		g_string_append_len(json, table->json->str + from, (gssize)(to - from));
		count++;
	}
	g_string_append_c(json, ']');
	*next = count;
}

static void read_numbers(GString *json, const GArray *numbers, guint width, guint *next)
{
	while (*next < numbers->len && !is_full(json))
		for (guint end = *next + width; *next < end; (*next)++)
			json_add_number(json, g_array_index(numbers, gint32, *next));
}

static void read_calls(GString *json, struct page_reader *reader)
{
	const struct page_state *state = reader->state;
	bool any = false;

	for (int rank = 0; rank < state->ranks && !is_full(json); rank++) {
		if (reader->calls[rank] == state->calls[rank]->len)
			continue;
		if (!any) {
			json_add_name(json, "calls");
			g_string_append_c(json, '[');
		}
		any = true;
		json_separate(json);
		g_string_append_c(json, '[');
		json_add_number(json, rank);
		read_numbers(json, state->calls[rank], 1, &reader->calls[rank]);
		g_string_append_c(json, ']');
	}
	if (any)
		g_string_append_c(json, ']');
}

static void read_flat(GString *json, struct page_reader *reader, int which)
{
	const GArray *numbers = reader->state->flats[which];

	if (is_full(json) || reader->flats[which] == numbers->len)
		return;
	json_add_name(json, flat_names[which]);
	g_string_append_c(json, '[');
	read_numbers(json, numbers, flat_widths[which], &reader->flats[which]);
	g_string_append_c(json, ']');
}

static void read_replaced(GString *json, const char *name, const char *text, guint changes,
                          guint *known)
{
	if (*known == changes)
		return;
	*known = changes;
	json_add_name(json, name);
	g_string_append(json, text);
}

static void read_text(GString *json, struct page_reader *reader)
{
	const struct page_state *state = reader->state;
	gsize from;

	if (reader->text == state->text_before + state->text->len)
		return;
	if (reader->text < state->text_before)
		reader->text = state->text_before;
	from = reader->text - state->text_before;
	reader->text = state->text_before + state->text->len;
	json_add_name(json, "text");
	json_add_text(json, state->text->str + from);
}

/* Of a job with several worlds. */
static void add_rank_names(GString *json, int ranks)
{
	if (!rank_names_divide())
		return;
	json_add_name(json, "rank_names");
	g_string_append_c(json, '[');
	for (int rank = 0; rank < ranks; rank++)
		json_add_text(json, rank_name(rank));
	g_string_append_c(json, ']');
}

/* The reader starts again from the beginning, as the state did. */
static void begin_anew(GString *json, struct page_reader *reader)
{
	const struct page_state *state = reader->state;
	bool tables = !reader->knows || reader->tables_begun != state->tables_begun;

	if (tables) {
		memset(reader->tables, 0, sizeof(reader->tables));
		json_add_name(json, "ranks");
		json_add_number(json, state->ranks);
		add_rank_names(json, state->ranks);
	}
	if (!tables && reader->begun == state->begun)
		return;
	memset(reader->flats, 0, sizeof(reader->flats));
	memset(reader->calls, 0, (gsize)state->ranks * sizeof(*reader->calls));
	reader->choices = reader->left_out = 0;
	reader->tables_begun = state->tables_begun;
	reader->begun = state->begun;
	json_add_name(json, "begins");
	json_add_number(json, state->begun);
}

static bool knows_all(const struct page_reader *reader)
{
	const struct page_state *state = reader->state;
	bool all = reader->choices == state->choices.ends->len;

	for (int i = 0; i < TABLES; i++)
		all = all && reader->tables[i] == state->tables[i].ends->len;
	for (int i = 0; i < FLATS; i++)
		all = all && reader->flats[i] == state->flats[i]->len;
	for (int rank = 0; rank < state->ranks; rank++)
		all = all && reader->calls[rank] == state->calls[rank]->len;
	return all;
}

GString *page_reader_next(struct page_reader *reader)
{
	const struct page_state *state = reader->state;
	GString *json = g_string_new("{");

	begin_anew(json, reader);
	reader->knows = true;
	read_text(json, reader);
	for (int i = 0; i < TABLES; i++)
		read_table(json, table_names[i], &state->tables[i], &reader->tables[i]);
	read_calls(json, reader);
	for (int i = 0; i < FLATS; i++)
		read_flat(json, reader, i);
	read_table(json, "choices", &state->choices, &reader->choices);
	if (reader->left_out != state->left_out) {
		reader->left_out = state->left_out;
		json_add_name(json, "leftOut");
		json_add_number(json, state->left_out);
	}
	if (knows_all(reader)) { /* these refer to calls */
		read_replaced(json, "now", state->now, state->now_changes, &reader->now_changes);
		read_replaced(json, "stop", state->stop, state->stop_changes,
		              &reader->stop_changes);
	}
	if (json->len == 1) {
		g_string_free(json, true);
		return NULL;
	}
	g_string_append_c(json, '}');
	return json;
}
