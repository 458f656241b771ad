#include "tables.h"

#define RANKS_MAX 65536

/* clang-format off */
#define KIND_OF(record, member) _Generic(((struct record *)0)->member, \
	bool: COLUMN_BOOL, uint8_t: COLUMN_UINT8, int32_t: COLUMN_INT32, uint32_t: COLUMN_UINT32, \
	int64_t: COLUMN_UINT64, uint64_t: COLUMN_UINT64, double: COLUMN_DOUBLE, \
	char *: COLUMN_TEXT, const char *: COLUMN_NAME, GBytes *: COLUMN_BYTES, \
	GArray *: COLUMN_RANKS, struct place: COLUMN_PLACE)
#define WITHIN(name, record, member, least, most) \
	{name, KIND_OF(record, member), offsetof(struct record, member), least, most, NULL}
#define FIELD(name, record, member) WITHIN(name, record, member, 0, 0)
#define RANK(name, record, member) WITHIN(name, record, member, 0, RANKS_MAX)
#define LARGE(name, record, member) WITHIN(name, record, member, 0, INT64_MAX)
#define FINDING_KIND(name, record, member) \
	{name, COLUMN_FINDING_KIND, offsetof(struct record, member), 0, 0, NULL}
#define KEY(name) {name, COLUMN_KEY, 0, 0, 0, NULL}
#define ID(name, constraint) {name, COLUMN_KEY, 0, 0, 0, constraint}
/* clang-format on */

static const struct column exploration[] = {
	ID("id", "PRIMARY KEY CHECK (id = 1)"),
	FIELD("command", record_exploration, command),
	FIELD("directory", record_exploration, directory),
	RANK("ranks", record_exploration, ranks),
	FIELD("bufferings", record_exploration, bufferings),
	FIELD("backtrack", record_exploration, backtrack),
	FIELD("backtrack_reason", record_exploration, backtrack_reason),
	FIELD("collectives", record_exploration, collectives),
	FIELD("version", record_exploration, version),
	FIELD("mpi", record_exploration, mpi),
	FIELD("machine", record_exploration, machine),
	FIELD("complete", record_exploration, complete),
	FIELD("incomplete_reason", record_exploration, incomplete_reason),
	LARGE("interleavings", record_exploration, interleavings),
	LARGE("wasted", record_exploration, wasted),
	FIELD("seconds", record_exploration, seconds),
	FIELD("shard", record_exploration, shard),
	FIELD("shards", record_exploration, shards),
	FIELD("random", record_exploration, random),
	LARGE("seed", record_exploration, seed),
	LARGE("runs", record_exploration, runs),
	LARGE("states", record_exploration, states),
	LARGE("merged", record_exploration, merged),
	FIELD("standard_input", record_exploration, standard_input),
	FIELD("threads", record_exploration, threads),
};

static const struct column argument[] = {
	ID("position", "PRIMARY KEY"),
	FIELD("value", bytes_row, value),
};

static const struct column verdict_limit[] = {
	ID("position", "PRIMARY KEY"),
	FIELD("name", limit_row, name),
	FIELD("text", limit_row, text),
};

static const struct column note[] = {
	ID("position", "PRIMARY KEY"),
	FIELD("value", text_row, value),
};

/* Places are referred to by id; 0 is unknown. */
static const struct column place[] = {
	ID("id", "PRIMARY KEY"),
	FIELD("directory", place, directory),
	FIELD("file", place, file),
	FIELD("line", place, line),
	FIELD("function", place, function),
	FIELD("offset", place, offset),
};

/* The source around a place. */
static const struct column excerpt[] = {
	ID("place", "PRIMARY KEY"),
	FIELD("first", record_excerpt, first),
	FIELD("text", record_excerpt, text),
};

static const struct column communicator[] = {
	ID("number", "PRIMARY KEY"),
	FIELD("name", communicator_row, name),
	FIELD("members", communicator_row, members),
};

/* Has the number of calls and matches, and the ids of the first of each. */
static const struct column execution[] = {
	{"id", COLUMN_UINT32, offsetof(struct execution_row, id), 0, 0, "PRIMARY KEY"},
	FIELD("buffering", execution_row, buffering),
	FINDING_KIND("status", execution_row, status),
	FIELD("path", execution_row, path),
	WITHIN("first_call", execution_row, first_call, 0, INT64_MAX - UINT32_MAX),
	FIELD("calls", execution_row, calls),
	WITHIN("first_match", execution_row, first_match, 0, INT64_MAX - UINT32_MAX),
	FIELD("matches", execution_row, matches),
};

static const struct column shows[] = {KEY("execution"), KEY("finding")};

/* Execution is 0 in the roll-call of a finding; finding is 0 in that of an execution. */
static const struct column roll_call[] = {
	KEY("execution"),
	KEY("finding"),
	KEY("position"),
	RANK("rank", record_rank, rank),
	FIELD("call", record_rank, call),
	FIELD("function", record_rank, function),
	FIELD("arguments", record_rank, arguments),
	FIELD("place", record_rank, place),
	RANK("waits_for", record_rank, waits_for),
	FIELD("ended", record_rank, ended),
	FIELD("bystander", record_rank, bystander),
	FIELD("does", record_rank, does),
	{"ending", COLUMN_UINT32, offsetof(struct record_rank, end), 0, RECORD_ENDS - 1, NULL},
	FIELD("code", record_rank, code),
	FIELD("thread", record_rank, thread),
};

static const struct column process[] = {
	KEY("execution"),
	KEY("rank"),
	WITHIN("exit", process_row, exit, -1, 255),
	FIELD("output", process_row, output),
	FIELD("error", process_row, error),
};

/* In choice and alternative, rows with execution 0 are the blame of the finding `position`. */
static const struct column choice[] = {
	KEY("execution"),
	KEY("position"),
	RANK("rank", choice_row, rank),
	FIELD("call", choice_row, call),
	FIELD("sub", choice_row, sub),
	FIELD("function", choice_row, function),
	FIELD("place", choice_row, place),
	FIELD("window", choice_row, window),
	FIELD("window_first", choice_row, first),
	RANK("target", choice_row, target),
	FIELD("reader", choice_row, reader),
	FIELD("granted", choice_row, granted),
};

/* Above the numbers of all windows whose words have places (lock.c). */
enum { WINDOWS_END = 32 };

int32_t choice_row_window(const struct point *point)
{
	return point->word > 0 ? -(point->word * WINDOWS_END + point->window) : point->window;
}

void choice_row_place(const struct choice_row *row, struct point *point)
{
	uint32_t both = row->window < 0 ? (uint32_t)-row->window : 0;

	point->window = row->window < 0 ? (int32_t)(both % WINDOWS_END) : row->window;
	point->word = (int32_t)(both / WINDOWS_END);
}

/* Number 0 is the message taken. */
static const struct column alternative[] = {
	KEY("execution"),
	KEY("position"),
	KEY("number"),
	WITHIN("source", record_message, source, -1, RANKS_MAX),
	FIELD("tag", record_message, tag),
	FIELD("call", record_message, call),
	FIELD("sub", record_message, sub),
	FIELD("place", record_message, place),
	FIELD("answer", record_message, answer),
	FIELD("requests", record_message, requests),
};

/* Calls and matches are numerous and have no index: see struct execution_row. */
static const struct column match[] = {
	ID("id", "PRIMARY KEY"),
	KEY("execution"),
	RANK("rank", record_match, rank),
	FIELD("call", record_match, call),
	FIELD("sub", record_match, sub),
	RANK("source", record_match, source),
	FIELD("send_call", record_match, send_call),
	FIELD("send_sub", record_match, send_sub),
	FIELD("tag", record_match, tag),
};

static const struct column call[] = {
	ID("id", "PRIMARY KEY"),
	KEY("execution"),
	RANK("rank", record_call, rank),
	FIELD("call", record_call, call),
	WITHIN("kind", record_call, kind, 0, RECORD_CALL_KINDS - 1),
	FIELD("operations", record_call, operations),
	FIELD("function", record_call, function),
	FIELD("place", record_call, place),
	FIELD("communicator", record_call, communicator),
	WITHIN("peer", record_call, peer, -1, RANKS_MAX),
	FIELD("peer_given", record_call, peer_given),
	FIELD("tag", record_call, tag),
	LARGE("bytes", record_call, bytes),
	FIELD("collective", record_call, collective),
	FIELD("completed", record_call, completed),
	WITHIN("waits", record_call, waits, 0, RECORD_WAITS - 1),
	FIELD("asked", record_call, asked),
	FIELD("thread", record_call, thread),
};

/* The stack of a call: its frames by depth, the innermost being 0. Known for interleavings that ran
 * with stacks, some of which are replays. */
static const struct column frame[] = {
	KEY("stack"),
	KEY("depth"),
	FIELD("function", record_frame, function),
	FIELD("place", record_frame, place),
	FIELD("told", record_frame, told),
};

static const struct column stands[] = {
	KEY("execution"),
	RANK("rank", record_stack, rank),
	FIELD("call", record_stack, call),
	FIELD("stack", record_stack, stack),
};

static const struct column finding[] = {
	{"id", COLUMN_UINT32, offsetof(struct record_finding, id), 0, 0, "PRIMARY KEY"},
	FINDING_KIND("kind", record_finding, kind),
	LARGE("count", record_finding, count),
	FIELD("bufferings", record_finding, bufferings),
	FIELD("path", record_finding, path),
	FIELD("message", record_finding, message),
	FIELD("replayed", record_finding, replayed),
	FIELD("struck", record_finding, struck),
	FIELD("reproduced", record_finding, reproduced),
};

static const struct column given[] = {
	KEY("finding"),
	KEY("position"),
	RANK("rank", record_given, rank),
	FIELD("call", record_given, call),
	LARGE("count", record_given, count),
	FIELD("type", record_given, type),
	FIELD("reduction", record_given, reduction),
};

static const struct column outcome[] = {
	KEY("finding"),
	FIELD("number", record_outcome, number),
	LARGE("count", record_outcome, count),
	FIELD("execution", record_outcome, execution),
	FIELD("path", record_outcome, path),
	FIELD("place", record_outcome, place),
	FIELD("line", record_outcome, line),
	FIELD("instead", record_outcome, instead),
};

/* Data for resume: identity describes what was explored (store.h), search has the unexplored parts
 * of the tree (explorer/frontier.h); its position 0 is the session's state. Stores to be merged
 * need equal identity, and common (schema.h). */
static const struct column identity[] = {
	FIELD("name", identity_row, name),
	FIELD("value", identity_row, value),
};

static const struct column search[] = {
	ID("position", "PRIMARY KEY"),
	FIELD("buffering", search_row, buffering),
	FIELD("frontier", search_row, frontier),
};

static const struct column common[] = {
	ID("id", "PRIMARY KEY CHECK (id = 1)"),
	FIELD("value", bytes_row, value),
};

/* clang-format off */
#define TABLE(name, record, write, key) \
	{#name, write, key, name, G_N_ELEMENTS(name), sizeof(struct record), false}
#define NUMBERED(name, record) \
	{#name, "INSERT", NULL, name, G_N_ELEMENTS(name), sizeof(struct record), true}

static const struct table tables[TABLES] = {
	[TABLE_EXPLORATION] = TABLE(exploration, record_exploration, "REPLACE", NULL),
	[TABLE_ARGUMENT] = TABLE(argument, bytes_row, "REPLACE", NULL),
	[TABLE_LIMIT] = TABLE(verdict_limit, limit_row, "REPLACE", NULL),
	[TABLE_NOTE] = TABLE(note, text_row, "REPLACE", NULL),
	[TABLE_PLACE] = TABLE(place, place, "REPLACE", NULL),
	[TABLE_EXCERPT] = TABLE(excerpt, record_excerpt, "REPLACE", NULL),
	[TABLE_COMMUNICATOR] = TABLE(communicator, communicator_row, "INSERT OR IGNORE", NULL),
	[TABLE_EXECUTION] = TABLE(execution, execution_row, "INSERT", NULL),
	[TABLE_SHOWS] = {"shows", "INSERT OR IGNORE", "execution, finding", shows, 2, 0, false},
	[TABLE_ROLL_CALL] = TABLE(roll_call, record_rank, "INSERT", "execution, finding, position"),
	[TABLE_PROCESS] = TABLE(process, process_row, "INSERT", "execution, rank"),
	[TABLE_CHOICE] = TABLE(choice, choice_row, "INSERT", "execution, position"),
	[TABLE_ALTERNATIVE] =
		TABLE(alternative, record_message, "INSERT", "execution, position, number"),
	[TABLE_MATCH] = NUMBERED(match, record_match),
	[TABLE_CALL] = NUMBERED(call, record_call),
	[TABLE_FRAME] = TABLE(frame, record_frame, "INSERT", "stack, depth"),
	[TABLE_STANDS] = TABLE(stands, record_stack, "REPLACE", "execution, rank, call"),
	[TABLE_FINDING] = TABLE(finding, record_finding, "REPLACE", NULL),
	[TABLE_GIVEN] = TABLE(given, record_given, "INSERT", "finding, position"),
	[TABLE_OUTCOME] = TABLE(outcome, record_outcome, "REPLACE", "finding, number"),
	[TABLE_IDENTITY] = TABLE(identity, identity_row, "INSERT", NULL),
	[TABLE_SEARCH] = TABLE(search, search_row, "INSERT", NULL),
	[TABLE_COMMON] = TABLE(common, bytes_row, "REPLACE", NULL),
};
/* clang-format on */

const struct table *table_of(enum table_id id)
{
	return &tables[id];
}

int table_first_written(const struct table *table)
{
	return table->numbered ? 1 : 0;
}

/* --- SQL ------------------------------------------------------------------------------------- */

static const char *column_type(const struct column *column)
{
	switch (column->kind) {
	case COLUMN_DOUBLE: return "REAL";
	case COLUMN_BYTES: return "BLOB";
	case COLUMN_TEXT:
	case COLUMN_NAME:
	case COLUMN_RANKS:
	case COLUMN_FINDING_KIND: return "TEXT";
	default: return "INTEGER";
	}
}

static void append_create(GString *text, const struct table *table)
{
	/* The space matters: the tables of a store are compared with these exactly. */
	g_string_append_printf(text, "CREATE TABLE %s (%s", table->name,
	                       table->count > 3 ? " " : "");
	for (int i = 0; i < table->count; i++) {
		const struct column *column = &table->columns[i];

		g_string_append_printf(text, "%s%s %s", i > 0 ? ", " : "", column->name,
		                       column_type(column));
		if (column->constraint)
			g_string_append_printf(text, " %s", column->constraint);
	}
	if (table->key)
		g_string_append_printf(text, ", PRIMARY KEY (%s)) WITHOUT ROWID;", table->key);
	else
		g_string_append(text, ");");
}

char *tables_create(void)
{
	GString *text = g_string_new(NULL);

	for (int id = 0; id < TABLES; id++)
		append_create(text, &tables[id]);
	return g_string_free(text, false);
}

static void append_columns(GString *text, const struct table *table, int from)
{
	for (int i = from; i < table->count; i++)
		g_string_append_printf(text, "%s%s", i > from ? ", " : "", table->columns[i].name);
}

char *table_insert(enum table_id id, int rows)
{
	const struct table *table = &tables[id];
	int from = table_first_written(table);
	GString *text = g_string_new(NULL);

	g_string_append_printf(text, "%s INTO %s (", table->write, table->name);
	append_columns(text, table, from);
	g_string_append(text, ") VALUES ");
	for (int row = 0; row < rows; row++) {
		g_string_append(text, row == 0 ? "(" : ",(");
		for (int i = from; i < table->count; i++)
			g_string_append(text, i > from ? ",?" : "?");
		g_string_append_c(text, ')');
	}
	return g_string_free(text, false);
}

char *table_select(enum table_id id, const char *also, const char *rest)
{
	GString *text = g_string_new("SELECT ");

	append_columns(text, &tables[id], 0);
	g_string_append_printf(text, "%s FROM %s %s", also, tables[id].name, rest);
	return g_string_free(text, false);
}
