#include "command_values.h"

#include <math.h>
#include <string.h>

#include "command.h"
#include "reports/words.h"
#include "scheduler/host/mpi_runtime.h"

static const struct {
	const char *option;
	const char *words[5];
} options[] = {
	{"buffering", {"both", "zero", "infinite", "per-send"}},
	{"collectives", {"both", "async", "sync", "per-call"}},
	{"backtrack",
         {[BACKTRACK_AUTO] = "auto",
          [BACKTRACK_SNAPSHOT] = "snapshot",
          [BACKTRACK_RERUN] = "rerun",
          [BACKTRACK_REWIND] = "rewind"}},
	{"order",
         {[SESSION_ORDER_DEPTH] = "depth",
          [SESSION_ORDER_DEVIATIONS] = "deviations",
          [SESSION_ORDER_PORTFOLIO] = "portfolio"}},
	{"errors-returned", {"note", "finding"}},
	{"search", {"auto", "tree", "states"}},
	{"compare", {"files", "output", "none"}}, /* or a file */
};

static const char *const *kinds_to_ignore(void)
{
	static const char *kinds[FINDING_KINDS + 1];
	guint count = 0;

	for (enum finding_kind kind = 0; kind < FINDING_KINDS; kind++) {
		if (finding_kind_info(kind)->can_be_ignored)
			kinds[count++] = finding_kind_name(kind);
	}
	return kinds;
}

const char *const *command_words(const char *option)
{
	if (g_str_equal(option, "ignore"))
		return kinds_to_ignore();
	for (gsize i = 0; i < G_N_ELEMENTS(options); i++) {
		if (g_str_equal(option, options[i].option))
			return options[i].words;
	}
	return NULL;
}

bool command_words_have(const char *option, const char *word)
{
	return g_strv_contains(command_words(option), word);
}

int command_word(const char *option, const char *word)
{
	const char *const *words = command_words(option);

	for (int i = 0; words[i]; i++) {
		if (g_str_equal(word, words[i]))
			return i;
	}
	g_autofree char *all = g_strjoinv(", ", (char **)words);
	command_complain("--%s cannot be '%s'; use one of %s", option, word, all);
	return -1;
}

bool command_size(const char *option, const char *text, guint64 *ret_bytes)
{
	char *end;
	guint64 number = g_ascii_strtoull(text, &end, 10);
	const char *units = "KMGT";
	const char *unit = *end ? strchr(units, g_ascii_toupper(*end)) : NULL;

	if (end == text || number == 0
	    || (*end && (!unit || (end[1] && !g_str_equal(end + 1, "B"))))) {
		command_complain("%s cannot be '%s'; use a size, as 512M or 2G", option, text);
		return false;
	}
	if (unit)
		number <<= 10 * (unit - units + 1);
	*ret_bytes = number;
	return true;
}

bool command_seconds(const char *option, const char *text, double *ret_seconds)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = {{"", 1}, {"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}};
	char *end;
	double number = g_ascii_strtod(text, &end);

	for (gsize i = 0; end != text && isfinite(number) && i < G_N_ELEMENTS(units); i++) {
		if (!g_str_equal(end, units[i].name))
			continue;
		if (number < 0) {
			command_complain("%s cannot be negative", option);
			return false;
		}
		*ret_seconds = number * units[i].seconds;
		return true;
	}
	command_complain("%s cannot be '%s'; use seconds, or 10s, 5m, 2h", option, text);
	return false;
}

bool command_ranks(const char *text, int *ret_ranks)
{
	gint64 ranks;

	if (!g_ascii_string_to_signed(text, 10, 1, G_MAXINT, &ranks, NULL)) {
		command_complain("-n cannot be '%s'; use a number of ranks, as -n 4", text);
		return false;
	}
	*ret_ranks = (int)ranks;
	return true;
}

static bool is_launcher(const char *program)
{
	g_autofree char *name = g_path_get_basename(program);

	return mpi_runtime_is_launcher(name);
}

char *command_behind_launcher(char *const *program)
{
	static const char *const counts[] = {"-n", "-np", "--np", "--ntasks", NULL};
	g_autoptr(GString) rest = g_string_new(NULL);

	if (!program[0] || !is_launcher(program[0]))
		return NULL;
	for (program++; *program && **program == '-'; program++) {
		if (!g_strv_contains(counts, *program) || !program[1])
			break;
		program++;
		g_string_append_printf(rest, "-n %s ", *program);
	}
	if (!*program || **program == '-')
		return g_strdup("-n 4 ./solver");
	for (; *program; program++) {
		g_autofree char *word = words_shell(*program);

		g_string_append_printf(rest, "%s%s", word, program[1] ? " " : "");
	}
	return g_string_free(g_steal_pointer(&rest), false);
}
