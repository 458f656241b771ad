#include "record.h"

#include "common/wire.h"
#include "explorer/nodes.h"
#include "explorer/rank_name.h"
#include "mpi_calls.h"

static bool is_shown(gunichar character)
{
	switch (g_unichar_type(character)) {
	case G_UNICODE_CONTROL: return character == '\t' || character == '\n';
	case G_UNICODE_FORMAT:
	case G_UNICODE_LINE_SEPARATOR:
	case G_UNICODE_PARAGRAPH_SEPARATOR: return false;
	default: return true;
	}
}

char *record_printable(const char *text, gssize length)
{
	g_autofree char *valid = g_utf8_make_valid(text, length);
	GString *shown = g_string_sized_new(strlen(valid));

	for (const char *at = valid; *at; at = g_utf8_next_char(at)) {
		gunichar character = g_utf8_get_char(at);

		g_string_append_unichar(shown, is_shown(character) ? character : '?');
	}
	return g_string_free(shown, false);
}

char *place_print(const struct place *place)
{
	if (place->file)
		return g_strdup_printf("%s:%u", place->file, place->line);
	if (place->function)
		return g_strdup_printf("%s+0x%" G_GINT64_MODIFIER "x", place->function,
		                       place->offset);
	return g_strdup("?");
}

bool place_equal(const struct place *one, const struct place *other)
{
	return g_strcmp0(one->file, other->file) == 0 && one->line == other->line
	       && g_strcmp0(one->function, other->function) == 0 && one->offset == other->offset
	       && g_strcmp0(one->directory, other->directory) == 0;
}

unsigned place_hash(const void *key)
{
	const struct place *place = key;
	guint hash = place->line * 31u + (guint)place->offset;

	hash = hash * 33u + (place->file ? g_str_hash(place->file) : 0);
	return hash * 33u + (place->function ? g_str_hash(place->function) : 0);
}

int place_key_equal(const void *one, const void *other)
{
	return place_equal(one, other);
}

bool record_frames_equal(const GArray *one, const GArray *other)
{
	if (one->len != other->len)
		return false;
	for (guint i = 0; i < one->len; i++) {
		const struct record_frame *a = &g_array_index(one, struct record_frame, i);
		const struct record_frame *b = &g_array_index(other, struct record_frame, i);

		if (a->function != b->function || a->told != b->told
		    || !place_equal(&a->place, &b->place))
			return false;
	}
	return true;
}

static GArray *array_copy(const GArray *array)
{
	guint size = g_array_get_element_size((GArray *)array);
	GArray *copy = g_array_sized_new(false, true, size, array->len);

	g_array_append_vals(copy, array->data, array->len);
	return copy;
}

struct record_message record_message_of(const struct taken *taken)
{
	struct record_message message = {.taken = *taken, .source = -1, .tag = -1};
	g_autofree char *text = NULL;

	if (taken->kind == TAKEN_MESSAGE) {
		message.source = taken->send.rank;
		message.call = taken->send.call;
		message.sub = taken->send.sub;
		return message;
	}
	text = taken->kind == TAKEN_THREAD ? g_strdup_printf("thread %u", taken->thread)
	                                   : taken_print(taken);
	message.answer = g_intern_string(text);
	return message;
}

#define THREAD "thread "

char *record_thread_print(uint32_t thread)
{
	if (thread == 0)
		return NULL;
	return thread == 1 ? g_strdup("main thread") : g_strdup_printf(THREAD "%u", thread - 1);
}

bool record_answer_read(const char *answer, struct taken *ret_taken)
{
	bool is_thread = g_str_has_prefix(answer, THREAD);
	g_autofree char *text = is_thread ? g_strconcat("0.1/turn=#", answer + strlen(THREAD), NULL)
	                                  : g_strconcat("0.1=", answer, NULL);
	const char *at = text;
	struct choice choice;
	g_autofree char *wrong = choice_parse(&at, 1, &choice);

	if (wrong || *at || choice.taken.kind == TAKEN_MESSAGE)
		return false;
	*ret_taken = choice.taken;
	return true;
}

struct choice record_choice_made(const struct record_choice *choice)
{
	return (struct choice){choice->point, choice->taken.taken};
}

static char *print_answer(const struct record_message *alternative)
{
	g_autofree char *place = place_print(&alternative->place);
	bool several = alternative->requests && strchr(alternative->requests, ',');

	switch (alternative->taken.kind) {
	case TAKEN_NO: return g_strdup("\"not yet\"");
	case TAKEN_EARLY: return g_strdup("completion before the match");
	case TAKEN_LATE: return g_strdup("completion only with the match");
	case TAKEN_CANCELLED: return g_strdup("the cancellation");
	case TAKEN_THREAD: return g_strdup(alternative->answer);
	default: break;
	}
	if (!alternative->requests)
		return g_strdup("\"complete\"");
	if (several)
		return g_strdup_printf("the requests of calls %s", alternative->requests);
	if (!alternative->place.file && !alternative->place.function)
		return g_strdup_printf("the request of call %s", alternative->requests);
	return g_strdup_printf("the request of call %s (%s)", alternative->requests, place);
}

bool record_returns_indices(const struct record_call *call)
{
	return wire_returns_indices((uint16_t)mpi_call_by_name(call->function));
}

char *record_alternative_print(const struct record_message *alternative)
{
	g_autofree char *place = place_print(&alternative->place);

	if (alternative->answer)
		return print_answer(alternative);
	if (!alternative->place.file && !alternative->place.function)
		return g_strdup_printf("rank %s's message", rank_name(alternative->source));
	return g_strdup_printf("rank %s's message (%s)", rank_name(alternative->source), place);
}

struct record_choice *record_choice_new(void)
{
	struct record_choice *choice = g_new0(struct record_choice, 1);

	choice->alternatives = g_array_new(false, true, sizeof(struct record_message));
	return choice;
}

struct record_choice *record_choice_copy(const struct record_choice *choice)
{
	struct record_choice *copy = g_new(struct record_choice, 1);

	*copy = *choice;
	copy->alternatives = array_copy(choice->alternatives);
	return copy;
}

void record_choice_free(struct record_choice *choice)
{
	if (!choice)
		return;
	g_array_unref(choice->alternatives);
	g_free(choice);
}

struct record_rank *record_rank_new(int32_t rank)
{
	struct record_rank *record = g_new0(struct record_rank, 1);

	record->rank = rank;
	record->waits_for = g_array_new(false, true, sizeof(int32_t));
	return record;
}

struct record_rank *record_rank_copy(const struct record_rank *rank)
{
	struct record_rank *copy = g_new(struct record_rank, 1);

	*copy = *rank;
	copy->arguments = g_strdup(rank->arguments);
	copy->ended = g_strdup(rank->ended);
	copy->does = g_strdup(rank->does);
	copy->waits_for = array_copy(rank->waits_for);
	return copy;
}

void record_rank_free(struct record_rank *rank)
{
	if (!rank)
		return;
	g_array_unref(rank->waits_for);
	g_free(rank->arguments);
	g_free(rank->ended);
	g_free(rank->does);
	g_free(rank);
}

struct record_execution *record_execution_new(void)
{
	struct record_execution *execution = g_new0(struct record_execution, 1);

	execution->findings = g_array_new(false, true, sizeof(uint32_t));
	execution->choices = g_ptr_array_new_with_free_func((GDestroyNotify)record_choice_free);
	execution->matches = g_array_new(false, true, sizeof(struct record_match));
	execution->calls = g_array_new(false, true, sizeof(struct record_call));
	execution->exits = g_array_new(false, true, sizeof(int32_t));
	execution->outputs = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
	execution->errors = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
	execution->ranks = g_ptr_array_new_with_free_func((GDestroyNotify)record_rank_free);
	return execution;
}

struct record_execution *record_execution_share(const struct record_execution *execution)
{
	struct record_execution *other = g_memdup2(execution, sizeof *execution);

	g_array_ref(other->findings);
	other->path = g_strdup(execution->path);
	g_ptr_array_ref(other->choices);
	g_array_ref(other->matches);
	g_array_ref(other->calls);
	g_array_ref(other->exits);
	g_ptr_array_ref(other->outputs);
	g_ptr_array_ref(other->errors);
	g_ptr_array_ref(other->ranks);
	return other;
}

void record_execution_free(struct record_execution *execution)
{
	if (!execution)
		return;
	g_array_unref(execution->findings);
	g_free(execution->path);
	g_ptr_array_unref(execution->choices);
	g_array_unref(execution->matches);
	g_array_unref(execution->calls);
	g_array_unref(execution->exits);
	g_ptr_array_unref(execution->outputs);
	g_ptr_array_unref(execution->errors);
	g_ptr_array_unref(execution->ranks);
	g_free(execution);
}

static void outcome_free(struct record_outcome *outcome)
{
	g_free(outcome->path);
	g_free(outcome->place);
	g_free(outcome->line);
	g_free(outcome->instead);
	g_free(outcome);
}

struct record_finding *record_finding_new(enum finding_kind kind)
{
	struct record_finding *finding = g_new0(struct record_finding, 1);

	finding->kind = kind;
	finding->ranks = g_ptr_array_new_with_free_func((GDestroyNotify)record_rank_free);
	finding->given = g_array_new(false, true, sizeof(struct record_given));
	finding->outcomes = g_ptr_array_new_with_free_func((GDestroyNotify)outcome_free);
	return finding;
}

void record_finding_free(struct record_finding *finding)
{
	if (!finding)
		return;
	g_free(finding->path);
	g_free(finding->message);
	g_ptr_array_unref(finding->ranks);
	g_array_unref(finding->given);
	g_ptr_array_unref(finding->outcomes);
	record_choice_free(finding->blame);
	if (finding->variants)
		g_ptr_array_unref(finding->variants);
	g_free(finding);
}

struct record_exploration *record_exploration_new(void)
{
	struct record_exploration *exploration = g_new0(struct record_exploration, 1);

	exploration->command = g_intern_static_string("explore");
	exploration->backtrack = g_intern_static_string("snapshot");
	exploration->collectives = g_intern_static_string("both");
	exploration->program = g_new0(char *, 1);
	exploration->limits = limits_new();
	exploration->notes = g_ptr_array_new_with_free_func(g_free);
	return exploration;
}

void record_exploration_free(struct record_exploration *exploration)
{
	if (!exploration)
		return;
	g_strfreev(exploration->program);
	g_free(exploration->directory);
	g_free(exploration->machine);
	g_free(exploration->standard_input);
	g_free(exploration->launcher);
	g_free(exploration->backtrack_reason);
	g_free(exploration->version);
	g_free(exploration->mpi);
	g_ptr_array_unref(exploration->limits);
	g_ptr_array_unref(exploration->notes);
	g_free(exploration->incomplete_reason);
	g_free(exploration);
}

GArray *record_programs(const struct record_exploration *exploration)
{
	g_autofree char *problem = NULL;
	GArray *parts = program_parts(exploration->program, exploration->ranks, &problem);

	if (parts && parts->len < 2)
		g_clear_pointer(&parts, g_array_unref);
	return parts;
}

int record_nodes(const struct record_exploration *exploration)
{
	return nodes_count(exploration->nodes, exploration->ranks);
}

bool record_rank_crashed(const struct record_rank *rank)
{
	return rank->end == RECORD_END_SIGNAL;
}

bool record_finding_is_remark(const struct record_finding *finding)
{
	return finding->ranks->len > 0
	       && ((const struct record_rank *)finding->ranks->pdata[0])->does != NULL;
}

/* Removes numbers: a loop may send 3 elements now and 4 later. */
static char *without_digits(const char *text)
{
	GString *rest = g_string_new(NULL);

	for (; text && *text; text++) {
		if (!g_ascii_isdigit(*text))
			g_string_append_c(rest, *text);
	}
	return g_string_free(rest, false);
}

/* Appends what ranks did, each line once. */
static void append_deeds(GString *key, const struct record_finding *finding)
{
	g_autoptr(GHashTable) told = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (guint i = 0; i < finding->ranks->len; i++) {
		const struct record_rank *rank = g_ptr_array_index(finding->ranks, i);
		g_autofree char *place = place_print(&rank->place);
		g_autofree char *does = without_digits(rank->does);
		char *deed = g_strdup_printf("\n%s %s %s", rank->function ? rank->function : "",
		                             place, does);

		if (!g_hash_table_contains(told, deed))
			g_string_append(key, deed);
		g_hash_table_add(told, deed);
	}
}

char *record_finding_key(const struct record_finding *finding)
{
	GString *key = g_string_new(finding_kind_name(finding->kind));

	if (record_finding_is_remark(finding)) {
		append_deeds(key, finding);
		return g_string_free(key, false);
	}
	for (guint i = 0; i < finding->ranks->len; i++) {
		const struct record_rank *rank = g_ptr_array_index(finding->ranks, i);
		g_autofree char *place = place_print(&rank->place);

		if (rank->bystander)
			continue;
		g_string_append_printf(key, "\n%d %s(%s) %s %s", rank->rank,
		                       rank->function ? rank->function : "",
		                       rank->arguments ? rank->arguments : "", place,
		                       rank->ended ? rank->ended : "waits");
	}
	if (finding->ranks->len == 0)
		g_string_append_printf(key, "\n%s", finding->message ? finding->message : "");
	return g_string_free(key, false);
}
