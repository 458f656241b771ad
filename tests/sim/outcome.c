/* Outcomes: how they are made, and their description. */
#include "brute_force.h"

#include <string.h>

/* How often a loop was gone round in vain, and where in it the rank is, makes no difference. */
static void leave_out_rounds(const struct random_program *program, guint8 *places, guint8 *states,
                             const guint8 *reporters)
{
	for (int line = 0; line < program->lines; line++) {
		int loop = places[line] < program->line_first[line + 1]
		                   ? loop_of(program, places[line])
		                   : -1;

		if (loop < 0 || first_reported(program, states, reporters, loop) < loop)
			continue;
		places[line] = (guint8)program->instructions[loop].of;
		memset(states + places[line], ABSENT, (gsize)(loop - places[line]));
	}
}

/* An outcome does not contain whether a send completed early, nor which Wait reported it. */
GBytes *outcome_new(const struct random_program *program, const guint8 *places,
                    const guint8 *states, const guint8 *reporters)
{
	gsize lines = (gsize)program->lines;
	gsize count = (gsize)program->count;
	guint8 *bytes = g_malloc(lines + 2 * count);

	memcpy(bytes, places, lines);
	memcpy(bytes + lines, states, count);
	leave_out_rounds(program, bytes, bytes + lines, reporters);
	states = bytes + lines;
	for (gsize i = 0; i < count; i++) {
		bool told = reporters[i] > 0
		            && is_question(program->instructions[reporters[i] - 1].kind);

		bytes[lines + i] = states[i] == EARLY ? POSTED : states[i];
		bytes[lines + count + i] = told ? reporters[i] : 0;
	}
	return g_bytes_new_take(bytes, lines + 2 * count);
}

static int call_of(const struct random_program *program, const guint8 *states, int index)
{
	int call = PROGRAM_FIRST_CALL + (program->windows ? PROGRAM_WINDOWS : 0);

	for (int i = program->first[program->instructions[index].rank]; i < index; i++)
		call += states[i] != ABSENT && !is_no_call(program->instructions[i].kind);
	return call;
}

/* ":#3,4", or "" if the question was about nothing. */
static void describe_answer(GString *text, const struct random_program *program,
                            const guint8 *states, int index)
{
	const guint8 *reporters = states + program->count;
	char separator = '#';

	for (int i = 0; i < index; i++) {
		if (reporters[i] != index + 1)
			continue;
		g_string_append_printf(text, "%s%c%d", separator == '#' ? ":" : "", separator,
		                       call_of(program, states, i));
		separator = ',';
	}
}

/* The outcome of an instruction. NULL: nothing that others' descriptions do not contain. */
static char *describe(const struct random_program *program, const guint8 *states, int index)
{
	const struct instruction *own = &program->instructions[index];
	g_autoptr(GString) text = g_string_new(NULL);

	g_string_printf(text, "%d.%d", own->rank, call_of(program, states, index));
	if (own->kind == INSTRUCTION_LOCK || own->kind == INSTRUCTION_GET) {
		if (states[index] < MATCHED)
			return NULL;
		g_string_append_printf(text,
		                       own->kind == INSTRUCTION_LOCK ? ":lock %d" : "-:get %d",
		                       states[index] - MATCHED);
	} else if (own->kind == INSTRUCTION_FETCH) {
		if (states[index] < MATCHED)
			return NULL;
		g_string_append_printf(text, ":fetch %d", states[index] - MATCHED);
	} else if (states[index] == NO || states[index] == CANCELLED) {
		g_string_append(text, states[index] == NO ? ":no" : ":cancelled");
	} else if (states[index] < MATCHED || own->kind == INSTRUCTION_SEND) {
		return NULL;
	} else if (is_question(own->kind)) {
		gsize before = text->len;

		describe_answer(text, program, states, index);
		if (text->len == before)
			return NULL;
	} else {
		int send = states[index] - MATCHED;
		bool probes = own->kind == INSTRUCTION_PROBE || own->kind == INSTRUCTION_IPROBE;

		g_string_append_printf(text, "%s%d.%d", probes ? "~" : "<-",
		                       program->instructions[send].rank,
		                       call_of(program, states, send));
	}
	return g_strdup(text->str);
}

char *outcome_describe(const struct random_program *program, GBytes *outcome)
{
	const guint8 *places = g_bytes_get_data(outcome, NULL);
	const guint8 *states = places + program->lines;
	GString *text = g_string_new(NULL);

	for (int i = 0; i < program->count; i++) {
		g_autofree char *word = describe(program, states, i);

		if (word)
			g_string_append_printf(text, "%s%s", text->len > 0 ? " " : "", word);
	}
	g_string_append(text, "; ended");
	for (int line = 0; line < program->lines; line++)
		if (places[line] == program->line_first[line + 1])
			g_string_append_printf(text, " %d", line);
	return g_string_free(text, false);
}

bool outcome_is_deadlock(const struct random_program *program, GBytes *outcome)
{
	const guint8 *places = g_bytes_get_data(outcome, NULL);

	for (int line = 0; line < program->lines; line++)
		if (places[line] != program->line_first[line + 1])
			return true;
	return false;
}

guint outcomes_deadlocks(const struct random_program *program, GHashTable *outcomes)
{
	GHashTableIter iter;
	gpointer outcome;
	guint count = 0;

	g_hash_table_iter_init(&iter, outcomes);
	while (g_hash_table_iter_next(&iter, &outcome, NULL))
		count += outcome_is_deadlock(program, outcome);
	return count;
}

bool outcome_lacks_lock(const struct random_program *program, GBytes *outcome)
{
	const guint8 *places = g_bytes_get_data(outcome, NULL);

	for (int line = 0; line < program->lines; line++)
		if (places[line] != program->line_first[line + 1]
		    && program->instructions[places[line]].kind == INSTRUCTION_LOCK)
			return true;
	return false;
}

bool outcomes_equal(GHashTable *left, GHashTable *right)
{
	GHashTableIter iter;
	gpointer outcome;

	g_hash_table_iter_init(&iter, left);
	while (g_hash_table_iter_next(&iter, &outcome, NULL))
		if (!g_hash_table_contains(right, outcome))
			return false;
	return g_hash_table_size(left) == g_hash_table_size(right);
}
