/* Commands that go on without the prompt (explore, minimize), and save. */
#include <string.h>

#include "debug_internal.h"
#include "debug_words.h"
#include "scheduler/store/reader.h"

/* --- a process beside the session ------------------------------------------------------------- */

static void on_told(void *user, const char *text)
{
	prompt_tell(((struct debugger *)user)->prompt, text);
}

int debugger_run_beside(struct debugger *debugger, const GPtrArray *words,
                        void (*told)(void *user, const char *text), void *user)
{
	g_autoptr(GError) error = NULL;
	int status;

	debugger->helper = helper_new(session_loop(debugger->session), (char *const *)words->pdata,
	                              debugger->asked->request.environment, told, user, &error);
	if (!debugger->helper) {
		debugger_refuse(debugger, "%s", error->message);
		return -1;
	}
	session_wait(debugger->session, helper_has_ended, debugger->helper);
	status = helper_status(debugger->helper);
	g_clear_pointer(&debugger->helper, helper_free);
	return status;
}

/* Its output is the session's. */
static int run_beside(struct debugger *debugger, const GPtrArray *words)
{
	return debugger_run_beside(debugger, words, on_told, debugger);
}

static void add_word(GPtrArray *words, const char *word)
{
	g_ptr_array_add(words, g_strdup(word));
}

void debugger_add_words(GPtrArray *words, const char *const *more)
{
	for (; more && *more; more++)
		add_word(words, *more);
}

/* The value of an option, "--store DIR" or "--store=DIR"; NULL: not given. */
static const char *find_option(char **words, const char *name)
{
	gsize length = strlen(name);

	for (char **word = words; *word; word++) {
		if (strcmp(*word, name) == 0)
			return word[1];
		if (strncmp(*word, name, length) == 0 && (*word)[length] == '=')
			return *word + length + 1;
	}
	return NULL;
}

/* Returns false after refusing. */
static bool split_options(struct debugger *debugger, const char *rest, char ***ret_words)
{
	g_autoptr(GError) error = NULL;

	if (!*rest) {
		*ret_words = g_new0(char *, 1);
		return true;
	}
	if (g_shell_parse_argv(rest, NULL, ret_words, &error))
		return true;
	debugger_refuse(debugger, "%s", error->message);
	return false;
}

static GPtrArray *words_for(const char *command)
{
	GPtrArray *words = g_ptr_array_new_with_free_func(g_free);

	add_word(words, command);
	return words;
}

void debugger_add_program(const struct debugger *debugger, GPtrArray *words)
{
	add_word(words, "--");
	debugger_add_words(words, debugger->asked->request.program);
	g_ptr_array_add(words, NULL);
}

/* --- without the ranks ------------------------------------------------------------------------ */

struct apart {
	debugger_apart_run *run;
	void *data;
	GDestroyNotify free_data;
};

void debugger_forget_apart(struct debugger *debugger)
{
	struct apart *apart = g_steal_pointer(&debugger->apart);

	if (!apart)
		return;
	apart->free_data(apart->data);
	g_free(apart);
}

void debugger_go_onward(struct debugger *debugger)
{
	if (!debugger->apart)
		return;
	session_put_files_back(debugger->session);
	debugger->apart->run(debugger, debugger->apart->data);
	debugger_forget_apart(debugger);
}

bool debugger_must_run_apart(const struct debugger *debugger)
{
	return debugger->state == DEBUG_CHOICE && session_has_changed_files(debugger->session);
}

void debugger_run_apart(struct debugger *debugger, debugger_apart_run *run, void *data,
                        GDestroyNotify free_data)
{
	debugger->apart = g_new0(struct apart, 1);
	*debugger->apart = (struct apart){run, data, free_data};
	debugger_go_to(debugger, stops_here(debugger->stops)->position);
}

/* --- explore ---------------------------------------------------------------------------------- */

struct taking_in {
	struct debugger *debugger;
	struct store_reader *reader;
};

/* Imports the findings, so that goto accepts them. */
static bool import_all(const struct record_execution *execution, void *data, GError **error)
{
	struct taking_in *taking_in = data;
	struct debugger *debugger = taking_in->debugger;

	if (!g_hash_table_add(debugger->known, g_strdup(execution->path))) /* counted already */
		return true;
	return session_import(debugger->session, taking_in->reader,
	                      (struct record_execution *)execution, error);
}

static void tell_found(struct debugger *debugger, guint before)
{
	const GPtrArray *found = session_found(debugger->session);

	for (guint i = before; i < found->len; i++) {
		const struct record_finding *finding = found->pdata[i];

		debugger_tell(debugger, "finding %u here: %s; goto finding %u\n", finding->id,
		              finding_kind_name(finding->kind), finding->id);
	}
}

/* Imports the outcomes. That outcomes differ is a verdict on the whole exploration, not a finding
 * of this session; but goto accepts each outcome. */
static void import_outcomes(struct debugger *debugger, const GPtrArray *outcomes)
{
	for (guint i = 0; i < outcomes->len; i++) {
		const struct record_outcome *outcome = outcomes->pdata[i];
		guint number;

		if (!g_ptr_array_find_with_equal_func(debugger->outcomes, outcome->path,
		                                      g_str_equal, &number)) {
			number = debugger->outcomes->len;
			g_ptr_array_add(debugger->outcomes, g_strdup(outcome->path));
		}
		debugger_tell(debugger, "outcome %u here: %s%s%s; goto outcome %u\n", number + 1,
		              outcome->place ? outcome->place : "the first",
		              outcome->line ? " is " : "", outcome->line ? outcome->line : "",
		              number + 1);
	}
}

void debugger_tell_outcomes(struct debugger *debugger)
{
	for (guint i = 0; i < debugger->outcomes->len; i++)
		debugger_tell(debugger, "outcome %u\n  path: %s\n", i + 1,
		              (const char *)debugger->outcomes->pdata[i]);
}

const char *debugger_found_path(struct debugger *debugger, const char *text, bool *ret_names)
{
	static const char finding[] = "finding ", outcome[] = "outcome ";
	const GPtrArray *found = session_found(debugger->session);
	bool is_finding = g_str_has_prefix(text, finding);
	guint most = is_finding ? found->len : debugger->outcomes->len;
	guint64 number;

	*ret_names = is_finding || g_str_has_prefix(text, outcome);
	if (!*ret_names)
		return NULL;
	if (g_ascii_string_to_unsigned(text + strlen(finding), 10, 1, G_MAXUINT32, &number, NULL)
	    && number <= most)
		return is_finding ? ((struct record_finding *)found->pdata[number - 1])->path
		                  : debugger->outcomes->pdata[number - 1];
	debugger_refuse(debugger, "there is no %s here; info findings lists them", text);
	return NULL;
}

static void tell_judged(struct debugger *debugger, const GPtrArray *findings)
{
	for (guint i = 0; i < findings->len; i++)
		import_outcomes(debugger, ((struct record_finding *)findings->pdata[i])->outcomes);
}

static void import_store(struct debugger *debugger, const char *store)
{
	struct taking_in taking_in = {.debugger = debugger};
	guint before = session_found(debugger->session)->len;
	g_autoptr(GError) error = NULL;

	taking_in.reader = store_reader_open(store, &error);
	if (taking_in.reader
	    && store_reader_each(taking_in.reader, true, import_all, &taking_in, &error)) {
		tell_found(debugger, before);
		tell_judged(debugger, store_reader_findings(taking_in.reader));
	} else {
		debugger_refuse(debugger, "%s", error->message);
	}
	store_reader_close(taking_in.reader);
}

/* The path at which the search begins; NULL: refused. Free with g_free. */
static char *path_from(struct debugger *debugger)
{
	const struct debug_request *request = &debugger->asked->request;
	struct verdict_facts facts;

	if (debugger->state == DEBUG_OVER) {
		debugger_refuse(debugger, "this interleaving is over, and no choice is open below "
		                          "it: use back, or run to start again");
		return NULL;
	}
	if (debugger->state == DEBUG_NOWHERE) {
		struct path *path = path_new(request->ranks, request->nodes, debugger->buffering,
		                             COLLECTIVES_ANY);
		char *text = path_print(path);

		path_free(path);
		return text;
	}
	if (!debugger_is_at_rest(debugger))
		return NULL;
	facts = debugger_facts(debugger);
	return verdict_path(&facts);
}

static void explore_beside(struct debugger *debugger, void *data)
{
	const GPtrArray *words = data;
	int status = run_beside(debugger, words);

	if (status == 0 || status == 1 || status == 3) /* something was explored */
		import_store(debugger, find_option((char **)words->pdata, "--store"));
}

void word_explore(struct debugger *debugger, const char *rest)
{
	g_autofree char *path = path_from(debugger);
	g_autofree char *store = NULL;
	g_autoptr(GPtrArray) words = NULL;
	g_auto(GStrv) options = NULL;

	if (!path || !split_options(debugger, rest, &options))
		return;
	words = words_for("explore");
	add_word(words, "--from");
	add_word(words, path);
	if (!find_option(options, "--store")) {
		store = g_build_filename(debugger->asked->request.store, "explore", NULL);
		add_word(words, "--store");
		add_word(words, store);
	}
	debugger_add_words(words, debugger->asked->request.options);
	debugger_add_words(words, (const char *const *)options);
	debugger_add_program(debugger, words);
	if (debugger_must_run_apart(debugger))
		debugger_run_apart(debugger, explore_beside, g_steal_pointer(&words),
		                   (GDestroyNotify)g_ptr_array_unref);
	else
		explore_beside(debugger, words);
}

/* --- minimize --------------------------------------------------------------------------------- */

static bool shows_finding(const struct debugger *debugger)
{
	g_autoptr(GPtrArray) shown = NULL;

	if (debugger->state != DEBUG_OVER)
		return false;
	shown = session_shown(debugger->session, debugger->execution);
	return shown->len > 0;
}

/* Splits "finding 2 ..." into its path and the rest; without it, takes the finding of the current
 * interleaving. NULL: refused. */
static const char *path_to_shorten(struct debugger *debugger, const char **rest)
{
	const GPtrArray *found = session_found(debugger->session);
	guint64 number = 0;
	char *end;

	if (g_str_has_prefix(*rest, "finding ")) {
		number = g_ascii_strtoull(*rest + strlen("finding "), &end, 10);
		*rest = end + strspn(end, " \t");
		if (number >= 1 && number <= found->len)
			return ((struct record_finding *)found->pdata[number - 1])->path;
		debugger_refuse(debugger,
		                "there is no such finding here; info findings lists them");
		return NULL;
	}
	if (shows_finding(debugger))
		return interleaving_verdict(debugger->execution)->record->path;
	debugger_refuse(debugger, "this interleaving has no finding: %s",
	                found->len > 0 ? "use minimize finding 1"
	                               : "explore looks for findings from here on");
	return NULL;
}

void word_minimize(struct debugger *debugger, const char *rest)
{
	const char *path = path_to_shorten(debugger, &rest);
	g_autoptr(GPtrArray) words = NULL;
	g_auto(GStrv) options = NULL;

	if (!path || !split_options(debugger, rest, &options))
		return;
	words = words_for("minimize");
	add_word(words, path);
	if (!find_option(options, "--store")) {
		add_word(words, "--store");
		add_word(words, debugger->asked->request.store);
	}
	debugger_add_words(words, debugger->asked->request.options);
	debugger_add_words(words, (const char *const *)options);
	debugger_add_program(debugger, words);
	if (run_beside(debugger, words) == 0)
		debugger_tell(debugger, "goto with that path goes there\n");
}

/* --- save ------------------------------------------------------------------------------------- */

static void save_text(struct debugger *debugger, const char *file, const char *text,
                      const char *what)
{
	g_autoptr(GError) error = NULL;

	if (g_file_set_contents(file, text, -1, &error))
		debugger_tell(debugger, "saved %s in %s\n", what, file);
	else
		debugger_refuse(debugger, "%s", error->message);
}

static void save_path(struct debugger *debugger, const char *file)
{
	g_autofree char *path = debugger_path(debugger), *line = NULL;

	if (!path)
		return;
	line = g_strdup_printf("%s\n", path);
	save_text(debugger, file, line, "the path");
}

void word_save(struct debugger *debugger, const char *file)
{
	g_autofree char *problem = NULL;

	if (!*file) {
		debugger_refuse(debugger,
		                "no file given; use save FILE: x.html, x.json, x.sarif, ... is a "
		                "report, x.mp the lines so far, any other file the path");
		return;
	}
	if (g_str_has_suffix(file, ".mp"))
		save_text(debugger, file, debugger->said->str, "the lines so far");
	else if (!debugger->asked->request.add_report
	         || !debugger->asked->request.add_report(debugger->asked->request.user, file,
	                                                 &problem))
		save_path(debugger, file);
	else if (problem)
		debugger_refuse(debugger, "%s", problem);
	else
		debugger_tell(debugger, "%s will be written when the session ends\n", file);
}
