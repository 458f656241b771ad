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

static void print_line(const struct random_program *program, int line)
{
	int first = program->line_first[line];

	printf("rank %d:", program->line_rank[line]);
	for (int i = first; i < program->line_first[line + 1]; i++) {
		const struct instruction *own = &program->instructions[i];
		const char *i_or_not = own->nonblocking ? "i" : "";

		switch (own->kind) {
		case INSTRUCTION_SPAWN: printf(" spawn %d;", own->peer); break;
		case INSTRUCTION_JOIN: printf(" join;"); break;
		case INSTRUCTION_BRANCH: printf(" if %d has received:", own->of); break;
		case INSTRUCTION_WAIT: printf(" wait %d;", own->of - first); break;
		case INSTRUCTION_WAITALL: printf(" waitall;"); break;
		case INSTRUCTION_TEST: printf(" test %d;", own->of - first); break;
		case INSTRUCTION_TESTALL: printf(" testall;"); break;
		case INSTRUCTION_TESTANY: printf(" testany;"); break;
		case INSTRUCTION_TESTSOME: printf(" testsome;"); break;
		case INSTRUCTION_WAITANY: printf(" waitany;"); break;
		case INSTRUCTION_WAITSOME: printf(" waitsome;"); break;
		case INSTRUCTION_COLLECTIVE:
			printf(" %scollective %d, kind %d, root %d;", i_or_not, own->instance,
			       (int)own->collective, own->root);
			break;
		case INSTRUCTION_IPROBE:
			printf(" iprobe of %d, tag %d;", own->peer, own->tag);
			break;
		case INSTRUCTION_SEND:
			printf(" %ssend to %d, tag %d;", i_or_not, own->peer, own->tag);
			break;
		default:
			printf(" %sreceive from %d, tag %d;", i_or_not, own->peer, own->tag);
			break;
		}
	}
	printf("\n");
}

void print_threads(const struct random_program *program)
{
	for (int line = 0; line < program->lines; line++)
		print_line(program, line);
}
