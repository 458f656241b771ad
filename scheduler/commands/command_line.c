#include "command_line.h"

#include "command_suggest.h"

static struct {
	void (*take)(void *user, const struct command_line *line); /* NULL: lines are parsed */
	void *user;
} handed_over;

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
	context = context_new(line, posix);
	parsed = g_option_context_parse(context, argc, argv, &error);
	meant = parsed ? NULL : command_suggest_option(error, context);
	g_option_context_free(context);
	if (!parsed)
		command_complain("%s%s; see matchpoint %s --help", error->message, meant,
		                 line->command->name);
	return parsed;
}
