/* Lines that vary under some choices only: makes sure of them, and reports the first. */
#include "findings.h"
#include "outcome_finding.h"
#include "outcome_text.h"
#include "outcome_watch_internal.h"
#include "session_context.h"

void outcome_watch_free_erratic(struct erratic *erratic)
{
	if (!erratic)
		return;
	g_free(erratic->steady);
	g_free(erratic->seen);
	g_free(erratic->paths[0]);
	g_free(erratic->paths[1]);
	g_free(erratic);
}

/* Runs an example again; the caller frees the texts with session_texts_free. NULL: it could not be
 * run again. *path (unless NULL) becomes the path that led to it. */
static GPtrArray *example_again(struct outcome_watch *watch, guint example, char **path)
{
	const struct record_execution *first = varying_lines_first(watch->varying, example);
	const GArray *choices = varying_lines_choices(watch->varying, example);
	g_autoptr(GArray) named = NULL;
	struct execution *execution = outcome_watch_run_first(watch, first, choices, &named);
	GPtrArray *texts;

	if (!execution)
		return NULL;
	if (path) {
		g_free(*path);
		*path = path_with_choices(first->path, named);
	}
	texts = session_texts(watch->session, interleaving_verdict(execution)->record, NULL);
	session_drop(execution);
	return texts;
}

/* Runs that must agree, of the example in which the line is the same and of the other. By chance a
 * line that varies everywhere would not do that. */
#define SUSPECT_RUNS 3
#define SUSPECT_MET_MOST 1 /* runs of the other that may have the line as well */

/* Runs one of both examples again. *met: runs of the other example that had the same line. */
static bool confirm_once(struct outcome_watch *watch, struct erratic *erratic, guint *met)
{
	const struct varying_suspect *suspect = &erratic->suspect;
	GPtrArray *steady = example_again(watch, suspect->steady, &erratic->paths[0]), *other;
	bool good = steady && varying_lines_is_steady(watch->varying, suspect, steady);

	if (good && !erratic->steady)
		erratic->steady = outcome_text_show(steady->pdata[suspect->text], false,
		                                    suspect->line);
	if (steady)
		session_texts_free(steady);
	other = good ? example_again(watch, suspect->erratic, &erratic->paths[1]) : NULL;
	if (!other)
		return false;
	if (varying_lines_is_steady(watch->varying, suspect, other)) {
		++*met;
	} else if (!erratic->seen) {
		erratic->seen = outcome_text_show(other->pdata[suspect->text], false,
		                                  suspect->line);
	}
	session_texts_free(other);
	return *met <= SUSPECT_MET_MOST;
}

/* Makes sure of a suspect line, or acquits it. */
static void confirm(struct outcome_watch *watch, const struct varying_suspect *suspect)
{
	struct erratic *erratic = g_new0(struct erratic, 1);
	guint met = varying_lines_met(watch->varying, suspect) ? 1 : 0;
	bool good = true;

	erratic->suspect = *suspect;
	for (int i = 0; i < SUSPECT_RUNS && good; i++)
		good = confirm_once(watch, erratic, &met);
	if (good) {
		watch->erratic = erratic;
		return;
	}
	outcome_watch_free_erratic(erratic);
	if (session_may_make_sure(watch->session))
		varying_lines_acquit(watch->varying, suspect);
}

void outcome_watch_confirm_suspects(struct outcome_watch *watch)
{
	struct varying_suspect suspect;

	while (!watch->erratic && session_may_make_sure(watch->session)
	       && varying_lines_suspect(watch->varying, &suspect))
		confirm(watch, &suspect);
}

/* Limit of interleavings that are run again to learn whether lines vary everywhere. */
#define CANDIDATES_MOST 4

void outcome_watch_look_for_erratic(struct outcome_watch *watch)
{
	outcome_watch_confirm_suspects(watch);
	for (int i = 0; i < CANDIDATES_MOST && !watch->erratic; i++) {
		guint example = varying_lines_candidate(watch->varying);
		GPtrArray *texts = NULL;

		if (example == VARYING_LINES_NONE || !session_may_make_sure(watch->session))
			return;
		texts = example_again(watch, example, NULL);
		if (!texts)
			return;
		varying_lines_check(watch->varying, example, texts);
		session_texts_free(texts);
		outcome_watch_confirm_suspects(watch);
	}
}

/* The outcomes of the line: the steady one comes first. */
static struct record_finding *erratic_finding(const struct outcome_watch *watch)
{
	const struct varying_suspect *suspect = &watch->erratic->suspect;
	const struct outcome_difference difference = {.text = suspect->text,
	                                              .line = suspect->line + 1,
	                                              .here = watch->erratic->seen,
	                                              .instead = watch->erratic->steady};
	struct record_finding *finding = record_finding_new(FINDING_OUTCOME_DIFFERS);
	g_autofree char *place = outcome_watch_place(watch, &difference);

	outcome_finding_add_first(finding, varying_lines_first(watch->varying, suspect->steady),
	                          NULL, NULL);
	outcome_finding_add_first(finding, varying_lines_first(watch->varying, suspect->erratic),
	                          g_strconcat(place, OUTCOME_FINDING_VARIES, NULL), &difference);
	return finding;
}

/* Counts the interleavings of both outcomes. Returns those that have another line. */
static GArray *count_erratic(const struct outcome_watch *watch, struct record_finding *finding)
{
	const struct varying_suspect *suspect = &watch->erratic->suspect;
	guint32 own = varying_lines_first(watch->varying, suspect->erratic)->id;
	g_autoptr(GArray) steady = varying_lines_steady_in(watch->varying, suspect);
	GArray *shown = g_array_new(false, false, sizeof(guint32));

	for (guint i = 0; i < steady->len; i++) {
		guint32 id = g_array_index(watch->outcome_of, guint32, 2 * i + 1);
		/* It may have had the line by chance when it was first run. */
		bool differs = id == own || !g_array_index(steady, bool, i);
		struct record_outcome *outcome = finding->outcomes->pdata[differs];

		outcome->count = MIN(outcome->count + session_stands_for(watch->session, id),
		                     RECORD_BEYOND);
		if (differs)
			g_array_append_val(shown, id);
	}
	return shown;
}

void outcome_watch_report_erratic(const struct outcome_watch *watch)
{
	struct record_finding *finding = erratic_finding(watch);
	g_autoptr(GArray) shown = count_erratic(watch, finding);
	guint examples[] = {watch->erratic->suspect.steady, watch->erratic->suspect.erratic};

	for (guint i = 0; i < G_N_ELEMENTS(examples); i++)
		outcome_watch_set_path(finding->outcomes->pdata[i], watch->erratic->paths[i]);
	outcome_watch_add_shown(watch, finding, shown,
	                        varying_lines_first(watch->varying, examples[1]),
	                        varying_lines_choices(watch->varying, examples[1]));
	for (guint i = 0; i < G_N_ELEMENTS(examples); i++)
		outcome_watch_show(watch, varying_lines_first(watch->varying, examples[i]),
		                   varying_lines_choices(watch->varying, examples[i]));
}

void outcome_watch_insert_varying(const struct outcome_watch *watch, GVariantDict *dict)
{
	g_autoptr(GVariant) everywhere = varying_lines_everywhere(watch->varying);
	g_autoptr(GVariant) erratic = NULL;

	g_variant_dict_insert_value(dict, "varying", everywhere);
	if (!watch->erratic)
		return;
	erratic = varying_lines_print(watch->varying, &watch->erratic->suspect);
	g_variant_dict_insert_value(dict, "erratic", erratic);
}
