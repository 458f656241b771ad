/* Commands for checkpoints and snapshots. */
#include <string.h>

#include "debug_context.h"
#include "debug_words.h"
#include "stops.h"

struct checkpoint {
	guint number;
	char *name; /* "": none */
	char *position;
	enum buffering buffering;
	struct stop *stop;
};

static void checkpoint_free(gpointer data)
{
	struct checkpoint *checkpoint = data;

	g_free(checkpoint->name);
	g_free(checkpoint->position);
	stop_free(checkpoint->stop);
	g_free(checkpoint);
}

struct checkpoints {
	GPtrArray *kept; /* struct checkpoint */
	guint last;      /* number of the last one; 0: there was none */
};

struct checkpoints *checkpoints_new(void)
{
	struct checkpoints *checkpoints = g_new0(struct checkpoints, 1);

	checkpoints->kept = g_ptr_array_new_with_free_func(checkpoint_free);
	return checkpoints;
}

void checkpoints_free(struct checkpoints *checkpoints)
{
	if (!checkpoints)
		return;
	g_ptr_array_unref(checkpoints->kept);
	g_free(checkpoints);
}

/* Returns struct checkpoint. */
static GPtrArray *kept_by(const struct debugger *debugger)
{
	return debugger_checkpoints(debugger)->kept;
}

/* --- lookup ----------------------------------------------------------------------------------- */

/* "1, 2 (before)"; empty: there are none. Free with g_free. */
static char *all_of_them(const struct debugger *debugger)
{
	const GPtrArray *kept = kept_by(debugger);
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < kept->len; i++) {
		const struct checkpoint *checkpoint = kept->pdata[i];

		g_string_append_printf(text, "%s%u", i > 0 ? ", " : "", checkpoint->number);
		if (*checkpoint->name)
			g_string_append_printf(text, " (%s)", checkpoint->name);
	}
	return g_string_free(text, false);
}

char **debugger_checkpoint_names(const struct debugger *debugger)
{
	const GPtrArray *kept = kept_by(debugger);
	char **names = g_new0(char *, kept->len + 1);

	for (guint i = 0; i < kept->len; i++) {
		const struct checkpoint *checkpoint = kept->pdata[i];

		names[i] = *checkpoint->name ? g_strdup(checkpoint->name)
		                             : g_strdup_printf("%u", checkpoint->number);
	}
	return names;
}

/* The index of the checkpoint of this number or name; -1: refused. */
static int checkpoint_meant(struct debugger *debugger, const char *text)
{
	const GPtrArray *kept = kept_by(debugger);
	g_autofree char *all = all_of_them(debugger);

	for (guint i = 0; i < kept->len; i++) {
		const struct checkpoint *checkpoint = kept->pdata[i];
		g_autofree char *number = g_strdup_printf("%u", checkpoint->number);

		if (strcmp(number, text) == 0 || (*text && strcmp(checkpoint->name, text) == 0))
			return (int)i;
	}
	if (!*all)
		debugger_refuse(debugger, "there are no checkpoints: checkpoint makes one here");
	else if (!*text)
		debugger_refuse(debugger, "no checkpoint given; there are %s", all);
	else
		debugger_refuse(debugger, "there is no checkpoint %s; there are %s", text, all);
	return -1;
}

/* --- commands --------------------------------------------------------------------------------- */

static bool is_taken(const struct debugger *debugger, const char *name)
{
	const GPtrArray *kept = kept_by(debugger);

	for (guint i = 0; *name && i < kept->len; i++) {
		const struct checkpoint *other = kept->pdata[i];

		if (strcmp(other->name, name) == 0)
			return true;
	}
	return false;
}

/* Splits "NAME --to DIR". *ret_folder: NULL if it is not to be on disk. Returns false after an
 * error. */
static bool read_where(struct debugger *debugger, const char *rest, char **ret_name,
                       char **ret_folder)
{
	g_auto(GStrv) words = g_strsplit_set(rest, " \t", -1);
	g_autofree char *name = NULL, *folder = NULL;
	bool to = false, asked = false;

	for (char **word = words; *word; word++) {
		if (!**word)
			continue;
		if (strcmp(*word, "--to") == 0 && !asked) {
			to = asked = true;
		} else if (to) {
			folder = g_strdup(*word);
			to = false;
		} else if (!name && **word != '-') {
			name = g_strdup(*word);
		} else {
			debugger_refuse(debugger, "%s: checkpoint takes a name, and --to DIR",
			                *word);
			return false;
		}
	}
	if (asked && !folder) {
		debugger_refuse(debugger, "--to needs a folder: checkpoint NAME --to DIR");
		return false;
	}
	*ret_name = name ? g_steal_pointer(&name) : g_strdup("");
	*ret_folder = g_steal_pointer(&folder);
	return true;
}

static bool may_be_on_disk(struct debugger *debugger)
{
	if (debugger_state(debugger) == DEBUG_CHOICE)
		return true;
	debugger_refuse(debugger, "only ranks that wait at a choice can be saved on disk; these "
	                          "have ended");
	return false;
}

static void save(struct debugger *debugger, const struct checkpoint *checkpoint, const char *folder)
{
	g_autofree char *name = *checkpoint->name ? g_strdup(checkpoint->name)
	                                          : g_strdup_printf("%u", checkpoint->number);
	g_autoptr(GError) error = NULL;
	g_autofree char *why = NULL;
	g_autofree char *path = session_save_on_disk(debugger_session(debugger),
	                                             debugger_execution(debugger), folder, name,
	                                             &why, &error);

	if (why)
		debugger_tell(debugger,
		              "only the position is saved: %s\n"
		              "saved: matchpoint restart %s runs the program again, up to here\n",
		              why, path);
	else if (path)
		debugger_tell(debugger, "saved: matchpoint restart %s comes back here\n", path);
	else
		debugger_refuse(debugger, "it is not saved on disk: %s", error->message);
}

void word_checkpoint(struct debugger *debugger, const char *rest)
{
	struct checkpoints *checkpoints = debugger_checkpoints(debugger);
	g_autofree char *name = NULL, *folder = NULL;
	const struct stop *here = stops_here(debugger_stops(debugger));
	struct checkpoint *checkpoint;

	if (debugger_state(debugger) != DEBUG_CHOICE && debugger_state(debugger) != DEBUG_OVER) {
		debugger_is_at_rest(debugger);
		return;
	}
	if (!read_where(debugger, rest, &name, &folder) || (folder && !may_be_on_disk(debugger)))
		return;
	if (g_ascii_isdigit(*name) || is_taken(debugger, name)) {
		debugger_refuse(
			debugger, "%s %s: use checkpoint without a name, or another name", name,
			is_taken(debugger, name) ? "exists already" : "looks like a number");
		return;
	}
	checkpoint = g_new0(struct checkpoint, 1);
	checkpoint->number = ++checkpoints->last;
	checkpoint->name = g_steal_pointer(&name);
	checkpoint->buffering = debugger_buffering(debugger);
	checkpoint->position = debugger_position(execution_world(debugger_execution(debugger)),
	                                         debugger_stands(debugger));
	checkpoint->stop = stop_new(position_copy(here->position), here->ended);
	g_ptr_array_add(checkpoints->kept, checkpoint);
	debugger_keep_here(debugger);
	debugger_tell(debugger, "checkpoint %u: %s\n", checkpoint->number, checkpoint->position);
	if (folder)
		save(debugger, checkpoint, folder);
}

void word_restart(struct debugger *debugger, const char *rest)
{
	g_autofree char *text = g_strstrip(g_strdup(rest));
	int index = checkpoint_meant(debugger, text);
	const struct checkpoint *checkpoint;

	if (index < 0)
		return;
	checkpoint = kept_by(debugger)->pdata[index];
	debugger_set_buffering(debugger, checkpoint->buffering);
	debugger_go_to(debugger, checkpoint->stop->position);
}

void debugger_delete_checkpoint(struct debugger *debugger, const char *rest)
{
	gsize length = strcspn(rest, " \t");
	g_autofree char *word = g_strndup(rest, length);
	g_autofree char *text = g_strstrip(g_strdup(rest + length));
	int index;

	if (!g_str_has_prefix("checkpoint", word)) {
		debugger_refuse(
			debugger,
			"delete needs the number of a breakpoint, or checkpoint and its number");
		return;
	}
	index = checkpoint_meant(debugger, text);
	if (index >= 0)
		g_ptr_array_remove_index(kept_by(debugger), (guint)index);
}

bool debugger_needs_snapshot(const struct debugger *debugger, const struct world *world)
{
	const GPtrArray *kept = kept_by(debugger);

	for (guint i = 0; i < kept->len; i++) {
		const struct checkpoint *checkpoint = kept->pdata[i];

		if (world_options(world)->buffering == checkpoint->buffering
		    && stop_needs(checkpoint->stop, world))
			return true;
	}
	return false;
}

/* --- info checkpoints ------------------------------------------------------------------------- */

struct told {
	const struct debugger *debugger;
	GString *text;
	GHashTable *positions; /* char *: positions of the snapshots */
};

static void note_snapshot(const struct world *world, void *user)
{
	struct told *told = user;

	g_hash_table_add(told->positions, debugger_position(world, false));
}

static bool is_persons(const struct debugger *debugger, const char *position)
{
	const GPtrArray *kept = kept_by(debugger);

	for (guint i = 0; i < kept->len; i++)
		if (strcmp(((struct checkpoint *)kept->pdata[i])->position, position) == 0)
			return true;
	return false;
}

static void tell_snapshots(struct told *told)
{
	g_autoptr(GList) positions = g_list_sort(g_hash_table_get_keys(told->positions),
	                                         (GCompareFunc)strcmp);

	for (const GList *item = positions; item; item = item->next)
		if (!is_persons(told->debugger, item->data))
			g_string_append_printf(told->text, "automatic: %s\n",
			                       (const char *)item->data);
}

void word_info_checkpoints(struct debugger *debugger, const char *rest)
{
	const GPtrArray *kept = kept_by(debugger);
	struct told told = {debugger, g_string_new(NULL),
	                    g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)};

	(void)rest;
	session_each_snapshot(debugger_session(debugger), note_snapshot, &told);
	for (guint i = 0; i < kept->len; i++) {
		const struct checkpoint *checkpoint = kept->pdata[i];
		bool snapshot = g_hash_table_contains(told.positions, checkpoint->position);

		g_string_append_printf(told.text, "checkpoint %u%s%s: %s%s%s\n", checkpoint->number,
		                       *checkpoint->name ? " " : "", checkpoint->name,
		                       checkpoint->position,
		                       checkpoint->stop->ended ? ", at its end" : "",
		                       snapshot ? ", a snapshot" : "");
	}
	tell_snapshots(&told);
	if (told.text->len == 0)
		g_string_append(told.text, "no checkpoints: checkpoint makes one\n");
	g_hash_table_unref(told.positions);
	debugger_tell_text(debugger, told.text);
}
