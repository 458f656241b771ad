#include "command_line.h"

#include <string.h>

#include "command_suggest.h"

static struct {
	void (*take)(void *user, const struct command_line *line); /* NULL: lines are parsed */
	void *user;
} handed_over;

static struct {
	const struct command *const *commands;
	gsize count;
} known;

void command_line_know(const struct command *const *commands, gsize count)
{
	known.commands = commands;
	known.count = count;
}

void command_line_hand_over(void (*take)(void *user, const struct command_line *line), void *user)
{
	handed_over.take = take;
	handed_over.user = user;
}

struct command_line *command_line_new(const struct command *command)
{
	struct command_line *line = g_new0(struct command_line, 1);

	line->command = command;
	line->entries = g_array_new(true, true, sizeof(GOptionEntry));
	line->texts = g_ptr_array_new_with_free_func(g_free);
	return line;
}

void command_line_free(struct command_line *line)
{
	g_array_unref(line->entries);
	g_ptr_array_unref(line->texts);
	g_free(line);
}

void command_line_add(struct command_line *line, const GOptionEntry *entries)
{
	for (; entries->long_name; entries++)
		g_array_append_vals(line->entries, entries, 1);
}

const char *command_line_text(struct command_line *line, char *text)
{
	g_ptr_array_add(line->texts, text);
	return text;
}

static GOptionContext *context_new(const struct command_line *line, bool posix)
{
	const struct command *command = line->command;
	g_autofree char *usage = g_strdup_printf("%s - %s", command->synopsis, command->summary);
	g_autofree char *below = g_strdup_printf("%s%sExample:\n  %s\n",
	                                         command->notes ? command->notes : "",
	                                         command->notes ? "\n\n" : "", command->example);
	GOptionContext *context = g_option_context_new(usage);

	g_option_context_set_strict_posix(context, posix);
	g_option_context_set_description(context, below);
	g_option_context_add_main_entries(context, (const GOptionEntry *)line->entries->data, NULL);
	return context;
}

/* --help prints "Usage: matchpoint explore ...". */
static void name_program(const struct command *command)
{
	g_autofree char *name = g_strdup_printf("matchpoint %s", command->name);

	g_set_prgname(name);
}

static const GOptionEntry *find_entry(const struct command_line *line, const char *word)
{
	gsize length = strcspn(word + 2, "=");

	for (guint i = 0; i < line->entries->len; i++) {
		const GOptionEntry *entry = &g_array_index(line->entries, GOptionEntry, i);

		if (word[1] == '-' ? strlen(entry->long_name) == length
		                             && strncmp(entry->long_name, word + 2, length) == 0
		                   : entry->short_name && entry->short_name == word[1])
			return entry;
	}
	return NULL;
}

bool command_line_has(const struct command_line *line, const char *word)
{
	return word[0] == '-' && word[1] && find_entry(line, word);
}

static bool takes_value(const GOptionEntry *entry)
{
	return entry && entry->arg != G_OPTION_ARG_NONE;
}

/* GLib does not know numbers that are attached to their letter, as in -j4: makes two words of such
 * words before the program. The new words and the array live as long as the process. */
static void detach_numbers(const struct command_line *line, int *argc, char ***argv)
{
	static GPtrArray *all; /* each array of words */
	GPtrArray *words = g_ptr_array_new();
	int i = 1;

	if (!all)
		all = g_ptr_array_new();
	g_ptr_array_add(all, words);
	g_ptr_array_add(words, (*argv)[0]);
	for (; i < *argc && (*argv)[i][0] == '-' && (*argv)[i][1] && strcmp((*argv)[i], "--") != 0;
	     i++) {
		char *word = (*argv)[i];
		const GOptionEntry *entry = find_entry(line, word);
		bool is_short = word[1] != '-';

		if (is_short && takes_value(entry) && g_ascii_isdigit(word[2])) {
			char letter[] = {'-', word[1], '\0'};

			g_ptr_array_add(words, (char *)g_intern_string(letter));
			g_ptr_array_add(words, word + 2);
			continue;
		}
		g_ptr_array_add(words, word);
		if (takes_value(entry) && (is_short || !strchr(word, '=')) && i + 1 < *argc)
			g_ptr_array_add(words, (*argv)[++i]);
	}
	for (; i < *argc; i++)
		g_ptr_array_add(words, (*argv)[i]);
	*argc = (int)words->len;
	g_ptr_array_add(words, NULL);
	*argv = (char **)words->pdata;
}

/* The names of the commands that have an option. */
struct owners {
	const char *word;
	GString *names;
};

static void take_owner(void *user, const struct command_line *line)
{
	struct owners *owners = user;

	if (command_line_has(line, owners->word))
		g_string_append_printf(owners->names, "%s%s", owners->names->len > 0 ? ", " : "",
		                       line->command->name);
}

/* "; it is an option of replay, debug": where another command has the option that is unknown. */
static char *find_owners(const GError *error)
{
	const char *word = strrchr(error->message, ' ');
	struct owners owners = {word ? word + 1 : "", NULL};
	char *text;

	if (!g_error_matches(error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION) || !word
	    || !known.commands)
		return g_strdup("");
	owners.names = g_string_new(NULL);
	command_line_hand_over(take_owner, &owners);
	for (gsize i = 0; i < known.count; i++) {
		g_autofree char *name = g_strdup(known.commands[i]->name);

		known.commands[i]->run(1, (char *[]){name, NULL});
	}
	command_line_hand_over(NULL, NULL);
	text = owners.names->len > 0 ? g_strdup_printf("; it is an option of %s", owners.names->str)
	                             : g_strdup("");
	g_string_free(owners.names, true);
	return text;
}

bool command_line_parse(const struct command_line *line, int *argc, char ***argv, bool posix)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *meant = NULL;
	GOptionContext *context;
	bool parsed;

	if (handed_over.take) {
		handed_over.take(handed_over.user, line);
		return false;
	}
	name_program(line->command);
	detach_numbers(line, argc, argv);
	context = context_new(line, posix);
	parsed = g_option_context_parse(context, argc, argv, &error);
	meant = parsed ? NULL : command_suggest_option(error, context);
	g_option_context_free(context);
	if (!parsed && !*meant) {
		g_free(meant);
		meant = find_owners(error);
	}
	if (!parsed)
		command_complain("%s%s; see matchpoint %s --help", error->message, meant,
		                 line->command->name);
	return parsed;
}
