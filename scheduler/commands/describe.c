#include "describe.h"

#include <string.h>

#include "access_flags.h"
#include "command_line.h"
#include "command_values.h"
#include "reports/json_text.h"
#include "scheduler/debug/debugger.h"
#include "scheduler/host/environment.h"
#include "scheduler/tools/log.h"

/* --- JSON ----------------------------------------------------------------------------------- */

/* Does nothing if `text` is NULL. */
static void add_member(GString *json, const char *name, const char *text)
{
	if (!text)
		return;
	json_add_name(json, name);
	json_add_text(json, text);
}

static void add_truth(GString *json, const char *name, bool value)
{
	json_add_name(json, name);
	g_string_append(json, value ? "true" : "false");
}

static void begin_object(GString *json)
{
	json_separate(json);
	g_string_append_c(json, '{');
}

static void begin_list(GString *json, const char *name)
{
	json_add_name(json, name);
	g_string_append_c(json, '[');
}

/* --- options -------------------------------------------------------------------------------- */

/* Whether --help shows the option. */
static bool is_told(const GOptionEntry *entry)
{
	return *entry->long_name && !(entry->flags & G_OPTION_FLAG_HIDDEN);
}

/* An option of the same name may take fixed words in one command and other values in another. */
static const char *const *words_of(const GOptionEntry *entry)
{
	const char *value = entry->arg_description;

	return value && (strstr(value, "WORD") || strstr(value, "KIND"))
	               ? command_words(entry->long_name)
	               : NULL;
}

static void add_option(GString *json, const GOptionEntry *entry)
{
	const char letter[] = {entry->short_name, '\0'};
	const char *const *words = words_of(entry);

	begin_object(json);
	add_member(json, "name", entry->long_name);
	add_member(json, "letter", *letter ? letter : NULL);
	add_member(json, "value", entry->arg_description);
	add_member(json, "help", entry->description);
	if (words) {
		begin_list(json, "words");
		for (; *words; words++)
			json_add_text(json, *words);
		g_string_append_c(json, ']');
	}
	g_string_append_c(json, '}');
}

static void add_line(void *user, const struct command_line *line)
{
	GString *json = user;
	const struct command *command = line->command;

	begin_object(json);
	add_member(json, "name", command->name);
	add_member(json, "summary", command->summary);
	add_member(json, "synopsis", command->synopsis);
	add_member(json, "notes", command->notes);
	add_member(json, "example", command->example);
	begin_list(json, "options");
	for (guint i = 0; i < line->entries->len; i++) {
		const GOptionEntry *entry = &g_array_index(line->entries, GOptionEntry, i);

		if (is_told(entry))
			add_option(json, entry);
	}
	g_string_append(json, "]}");
}

/* "explore --buffering WORD both zero infinite per-send" */
static void add_completion(void *user, const struct command_line *line)
{
	GString *text = user;
	const char *name = line->command->name;

	g_string_append_printf(text, "%s --help -\n%s -h -\n", name, name);
	for (guint i = 0; i < line->entries->len; i++) {
		const GOptionEntry *entry = &g_array_index(line->entries, GOptionEntry, i);
		const char *value = entry->arg_description ? entry->arg_description : "-";
		const char *const *words = words_of(entry);

		if (!is_told(entry))
			continue;
		if (entry->short_name)
			g_string_append_printf(text, "%s -%c %s\n", name, entry->short_name, value);
		g_string_append_printf(text, "%s --%s %s", name, entry->long_name, value);
		for (; words && *words; words++)
			g_string_append_printf(text, " %s", *words);
		g_string_append_c(text, '\n');
	}
}

const GOptionEntry describe_options[] = {
	{.long_name = "help", .description = "this"},
	{.long_name = "version",
         .description = "matchpoint's version, and the MPI library that it drives"},
	{.long_name = ACCESS_FLAGS_COMPILE,
         .description = "flags for the compiler, so that loads and stores are seen"},
	{.long_name = ACCESS_FLAGS_LINK, .description = "the same when the compiler links"},
	G_OPTION_ENTRY_NULL,
};

static void hand_over(const struct command *const *commands, gsize count,
                      void (*take)(void *user, const struct command_line *line), GString *text)
{
	command_line_hand_over(take, text);
	for (gsize i = 0; i < count; i++) {
		g_autofree char *name = g_strdup(commands[i]->name);

		commands[i]->run(1, (char *[]){name, NULL});
	}
}

/* --- the other tables ----------------------------------------------------------------------- */

static void add_findings(GString *json)
{
	for (enum finding_kind kind = FINDING_NONE + 1; kind < FINDING_UNKNOWN; kind++) {
		const struct finding_kind_info *info = finding_kind_info(kind);

		begin_object(json);
		add_member(json, "name", info->name);
		add_member(json, "summary", info->summary);
		add_member(json, "help", info->help);
		add_member(json, "detail", info->detail);
		add_member(json, "no_calls", info->no_calls);
		add_truth(json, "ends", info->ends);
		add_truth(json, "can_be_ignored", info->can_be_ignored);
		g_string_append_c(json, '}');
	}
}

static void add_limits(GString *json)
{
	for (enum limit limit = 0; limit < LIMITS; limit++) {
		const struct limit_info *info = limit_info(limit);

		begin_object(json);
		add_member(json, "name", info->name);
		add_member(json, "text", info->text ? info->text : info->about);
		add_member(json, "lifted_by", info->lifted_by);
		add_truth(json, "explored", info->class != LIMIT_NOT_EXPLORED);
		g_string_append_c(json, '}');
	}
}

static void add_environment(GString *json)
{
	static const char *const roles[] = {
		[ENVIRONMENT_READ] = "read",     [ENVIRONMENT_SYSTEM] = "system",
		[ENVIRONMENT_PASSED] = "passed", [ENVIRONMENT_LAUNCH] = "launch",
		[ENVIRONMENT_FORCED] = "forced", [ENVIRONMENT_DEFAULT] = "default",
		[ENVIRONMENT_OUTER] = "outer",   [ENVIRONMENT_BATCH] = "batch",
	};

	for (const struct environment_variable *variable = environment_variables(); variable->name;
	     variable++) {
		begin_object(json);
		add_member(json, "name", variable->name);
		add_member(json, "role", roles[variable->role]);
		add_member(json, "value", variable->value);
		add_member(json, "help", variable->explanation);
		g_string_append_c(json, '}');
	}
}

static void add_words(GString *json, const char *member, const struct vocabulary_word *words)
{
	begin_list(json, member);
	for (; vocabulary_is_listed(words); words++) {
		begin_object(json);
		add_member(json, "name", words->name);
		add_member(json, "shorter", words->shorter);
		add_member(json, "arguments", words->arguments);
		add_member(json, "help", words->help);
		add_member(json, "example", words->example);
		if (words->below)
			add_words(json, "words", words->below);
		g_string_append_c(json, '}');
	}
	g_string_append_c(json, ']');
}

static void add_reports(GString *json)
{
	for (int i = 1; i < REPORT_COUNT; i++) {
		const struct report *report = report_list()[i];

		begin_object(json);
		add_member(json, "name", report->name);
		add_member(json, "suffix", report->suffix);
		add_member(json, "help", report->summary);
		add_truth(json, "available", !report->unavailable);
		g_string_append_c(json, '}');
	}
}

static void add_log(GString *json)
{
	for (enum log_category category = 0; category < LOG_CATEGORIES; category++) {
		begin_object(json);
		add_member(json, "name", log_category_name(category));
		add_member(json, "lines", log_category_lines(category));
		g_string_append_c(json, '}');
	}
}

static char *describe_all(const struct command *const *commands, gsize count)
{
	static const struct {
		const char *name;
		void (*add)(GString *json);
	} tables[] = {{"findings", add_findings},
	              {"limits", add_limits},
	              {"environment", add_environment},
	              {"reports", add_reports},
	              {"log", add_log}};
	GString *json = g_string_new("{");

	add_member(json, "summary", DESCRIBE_SUMMARY);
	begin_list(json, "options");
	for (const GOptionEntry *entry = describe_options; entry->long_name; entry++)
		add_option(json, entry);
	g_string_append_c(json, ']');
	begin_list(json, "commands");
	hand_over(commands, count, add_line, json);
	g_string_append_c(json, ']');
	for (gsize i = 0; i < G_N_ELEMENTS(tables); i++) {
		begin_list(json, tables[i].name);
		tables[i].add(json);
		g_string_append_c(json, ']');
	}
	add_words(json, "prompt", debugger_words());
	g_string_append(json, "}\n");
	return g_string_free(json, false);
}

char *describe(const char *what, const struct command *const *commands, gsize count)
{
	GString *text;

	if (g_str_equal(what, "all"))
		return describe_all(commands, count);
	if (!g_str_equal(what, "completion"))
		return NULL;
	text = g_string_new(NULL);
	hand_over(commands, count, add_completion, text);
	return g_string_free(text, false);
}
