/* The output of ranks. */
#include <stdio.h>

#include "sim_host.h"

enum { FIELDS = 7 };

char *sim_print_rank(const struct fake_rank *rank)
{
	GString *text = g_string_new(NULL);
	int count = rank->program->first[rank->rank + 1] - rank->program->first[rank->rank];

	g_string_printf(text, "rank %d at %d.%d.%d:", rank->rank, rank->lines[0].place,
	                rank->lines[1].place, rank->lines[2].place);
	for (int i = 0; i < count; i++) {
		const struct fake_op *op = &rank->ops[i];

		g_string_append_printf(text, " %u.%d.%d.%d.%d.%d.%d", op->call, op->state,
		                       op->reporter, op->bound, op->source, op->tag, op->nth);
	}
	g_string_append_c(text, '\n');
	return g_string_free(text, false);
}

bool sim_parse_rank(const struct random_program *program, const char *text,
                    struct fake_rank *ret_rank)
{
	g_auto(GStrv) words = g_strsplit_set(g_strstrip((char *)text), " :", -1);
	guint count = g_strv_length(words);
	unsigned places[FAKE_LINES_MOST];
	int rank = count > 4 ? (int)g_ascii_strtoll(words[1], NULL, 10) : -1;

	if (rank < 0 || rank >= program->ranks)
		return false;
	*ret_rank = fake_rank_new(program, rank);
	if (sscanf(words[3], "%u.%u.%u", &places[0], &places[1], &places[2]) != FAKE_LINES_MOST)
		return false;
	for (int thread = 0; thread < FAKE_LINES_MOST; thread++)
		ret_rank->lines[thread].place = (guint8)places[thread];
	if ((int)count - 5 != program->first[rank + 1] - program->first[rank])
		return false;
	for (guint i = 5; i < count; i++) {
		unsigned f[FIELDS];

		if (sscanf(words[i], "%u.%u.%u.%u.%u.%u.%u", &f[0], &f[1], &f[2], &f[3], &f[4],
		           &f[5], &f[6])
		    != FIELDS)
			return false;
		ret_rank->ops[i - 5] = (struct fake_op){f[0],        (guint8)f[1], (guint8)f[2],
		                                        f[3] != 0,   (guint8)f[4], (guint8)f[5],
		                                        (guint8)f[6]};
	}
	return true;
}
