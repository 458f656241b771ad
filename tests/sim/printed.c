#include "printed.h"

#include "brute_force.h"
#include "explorer/choice.h"

const char *const program_buffering_names[] = {
	[PROGRAM_ZERO] = "zero", [PROGRAM_INFINITE] = "infinite", [PROGRAM_PER_SEND] = "per-send"};

void print_all_outcomes(struct random_program *program)
{
	static const enum program_collectives usual[] = {[PROGRAM_ZERO] = PROGRAM_SYNC,
	                                                 [PROGRAM_INFINITE] = PROGRAM_ASYNC,
	                                                 [PROGRAM_PER_SEND] = PROGRAM_PER_CALL};

	printf("%d\n", program->ranks);
	for (int buffering = PROGRAM_ZERO; buffering <= PROGRAM_PER_SEND; buffering++) {
		GHashTable *outcomes;
		GHashTableIter iter;
		gpointer outcome;

		program->collectives = usual[buffering];
		outcomes = brute_force(program, (enum program_buffering)buffering, STEPS_FIRST,
		                       TAKEN_WINDOW, G_MAXUINT);
		g_hash_table_iter_init(&iter, outcomes);
		while (g_hash_table_iter_next(&iter, &outcome, NULL)) {
			g_autofree char *text = outcome_describe(program, outcome);

			printf("%s %s\n", program_buffering_names[buffering], text);
		}
		g_hash_table_destroy(outcomes);
	}
}

void print_difference(const struct random_program *program, GHashTable *all, GHashTable *others,
                      const char *what)
{
	GHashTableIter iter;
	gpointer outcome;

	g_hash_table_iter_init(&iter, all);
	while (g_hash_table_iter_next(&iter, &outcome, NULL)) {
		g_autofree char *text = NULL;

		if (g_hash_table_contains(others, outcome))
			continue;
		text = outcome_describe(program, outcome);
		printf("%s: %s\n", what, text);
	}
}
