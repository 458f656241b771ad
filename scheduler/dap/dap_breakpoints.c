/* Breakpoints of all kinds. A request replaces all of its kind, or all in one file; those that stay
 * the same keep their number and their count of hits. */
#include <string.h>

#include "dap_internal.h"

struct dap_breakpoint {
	char *group;   /* the kind, or the file: what one request replaces */
	char *key;     /* as the client has asked for it */
	gint64 number; /* gdb's, and the client's */
	const char *reason;
	bool is_verified;
	JsonObject *shown; /* as the client was told */
};

struct dap_breakpoints {
	GPtrArray *all; /* struct dap_breakpoint */
};

/* One that the client asks for. */
struct wish {
	const char *group, *reason;
	JsonObject *asked;
	char *insert; /* gdb's command without the condition and the count of hits; owned */
};

static void free_breakpoint(gpointer data)
{
	struct dap_breakpoint *breakpoint = data;

	g_free(breakpoint->group);
	g_free(breakpoint->key);
	json_object_unref(breakpoint->shown);
	g_free(breakpoint);
}

struct dap_breakpoints *dap_breakpoints_new(void)
{
	struct dap_breakpoints *breakpoints = g_new0(struct dap_breakpoints, 1);

	breakpoints->all = g_ptr_array_new_with_free_func(free_breakpoint);
	return breakpoints;
}

void dap_breakpoints_free(struct dap_breakpoints *breakpoints)
{
	if (breakpoints)
		g_ptr_array_unref(breakpoints->all);
	g_free(breakpoints);
}

static struct dap_breakpoint *find(const struct dap *dap, gint64 number)
{
	for (guint i = 0; i < dap->breakpoints->all->len; i++) {
		struct dap_breakpoint *breakpoint = dap->breakpoints->all->pdata[i];

		if (breakpoint->number == number)
			return breakpoint;
	}
	return NULL;
}

/* --- what the client is shown ----------------------------------------------------------------- */

/* The place that stands for all: a line in a template or an inlined function has several. */
static JsonObject *place_of(JsonObject *bkpt)
{
	JsonObject *first = array_object(field_array(bkpt, "locations"), 0);

	return field_number(bkpt, "line", 0) == 0 && first ? first : bkpt;
}

static bool is_pending(JsonObject *bkpt)
{
	return g_strcmp0(field_text(bkpt, "addr"), "<PENDING>") == 0;
}

static JsonObject *show(const struct dap *dap, JsonObject *bkpt)
{
	JsonObject *shown = json_object_new(), *place = place_of(bkpt);
	JsonObject *source = dap_source_of(place);
	const gint64 line = field_number(place, "line", 0);

	json_object_set_int_member(shown, "id", field_number(bkpt, "number", 0));
	json_object_set_boolean_member(shown, "verified", !is_pending(bkpt));
	if (is_pending(bkpt)) {
		json_object_set_string_member(
			shown, "message",
			"the program has no code there that gdb knows of yet; "
			"was it compiled with -g, from this file?");
		json_object_set_string_member(shown, "reason", "pending");
	}
	if (source)
		json_object_set_object_member(shown, "source", source);
	if (line > 0)
		json_object_set_int_member(shown, "line", line - 1 + dap->first_line);
	return shown;
}

static JsonObject *show_failure(const char *message)
{
	JsonObject *shown = json_object_new();

	json_object_set_boolean_member(shown, "verified", false);
	json_object_set_string_member(shown, "message", message);
	json_object_set_string_member(shown, "reason", "failed");
	return shown;
}

const char *dap_breakpoint_reason(struct dap *dap, gint64 number, const char *otherwise)
{
	const struct dap_breakpoint *breakpoint = find(dap, number);

	return breakpoint ? breakpoint->reason : otherwise;
}

/* A library that was loaded can have the place of one that waited. */
void dap_breakpoint_changed(struct dap *dap, JsonObject *results)
{
	JsonObject *bkpt = field_object(results, "bkpt"), *body;
	struct dap_breakpoint *breakpoint = find(dap, field_number(bkpt, "number", -1));

	if (!breakpoint || breakpoint->is_verified || is_pending(bkpt))
		return;
	breakpoint->is_verified = true;
	json_object_unref(breakpoint->shown);
	breakpoint->shown = show(dap, bkpt);
	body = json_object_new();
	json_object_set_string_member(body, "reason", "changed");
	json_object_set_object_member(body, "breakpoint", json_object_ref(breakpoint->shown));
	dap_event(dap, "breakpoint", body);
}

/* --- conditions and counts -------------------------------------------------------------------- */

/* "7" and ">= 7": from the seventh hit on; "> 7": from the eighth. Returns the number of hits to be
 * passed over; -1 with `error` set. */
static gint64 hits_to_pass(JsonObject *asked, GError **error)
{
	const char *text = field_text(asked, "hitCondition");
	const char *digits = text ? text + strspn(text, " ") : "";
	guint64 hits;
	gint64 more = 1;

	if (!*digits)
		return 0;
	if (g_str_has_prefix(digits, ">="))
		digits += 2;
	else if (*digits == '>') {
		digits++;
		more = 0;
	}
	digits += strspn(digits, " ");
	if (g_ascii_string_to_unsigned(digits, 10, (guint64)more, G_MAXINT, &hits, NULL))
		return (gint64)hits - more;
	dap_refuse(error, "hit count '%s': write 7 or >= 7 (from the seventh hit on) or > 7", text);
	return -1;
}

/* --- inserting -------------------------------------------------------------------------------- */

static bool restrict_it(struct dap *dap, JsonObject *asked, gint64 number, GError **error)
{
	const char *condition = field_text(asked, "condition");
	const gint64 pass = hits_to_pass(asked, error);
	g_autofree char *quoted = condition ? mi_quote(condition) : NULL;

	if (pass < 0)
		return false;
	if (pass > 0
	    && !dap_order(dap, error, "-break-after %" G_GINT64_FORMAT " %" G_GINT64_FORMAT, number,
	                  pass))
		return false;
	return !condition || !*condition
	       || dap_order(dap, error, "-break-condition %" G_GINT64_FORMAT " %s", number, quoted);
}

/* The answer to an insertion, as if it were a breakpoint's. */
static JsonObject *inserted(JsonObject *results)
{
	static const char *const names[] = {"bkpt", "wpt", "hw-rwpt", "hw-awpt"};

	for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
		if (field_object(results, names[i]))
			return field_object(results, names[i]);
	return NULL;
}

static struct dap_breakpoint *insert(struct dap *dap, const struct wish *wish, GError **error)
{
	g_autoptr(JsonObject) results = dap_ask(dap, error, "%s", wish->insert);
	JsonObject *bkpt = inserted(results);
	const gint64 number = field_number(bkpt, "number", 0);
	struct dap_breakpoint *breakpoint;

	if (results && number <= 0)
		return dap_refuse(error, "gdb has made no breakpoint of it");
	if (!results || !restrict_it(dap, wish->asked, number, error)) {
		if (number > 0)
			dap_order(dap, NULL, "-break-delete %" G_GINT64_FORMAT, number);
		return NULL;
	}
	breakpoint = g_new0(struct dap_breakpoint, 1);
	breakpoint->number = number;
	breakpoint->reason = wish->reason;
	breakpoint->is_verified = !is_pending(bkpt);
	breakpoint->shown = show(dap, bkpt);
	return breakpoint;
}

static char *key_of(JsonObject *asked)
{
	g_autoptr(JsonGenerator) generator = json_generator_new();
	JsonNode *node = json_node_init_object(json_node_alloc(), asked);
	char *text;

	json_generator_set_root(generator, node);
	text = json_generator_to_data(generator, NULL);
	json_node_unref(node);
	return text;
}

/* Takes the one that is already there out of `old`. */
static struct dap_breakpoint *take_same(GPtrArray *old, const char *key)
{
	for (guint i = 0; i < old->len; i++) {
		const struct dap_breakpoint *breakpoint = old->pdata[i];

		if (g_str_equal(breakpoint->key, key))
			return g_ptr_array_steal_index(old, i);
	}
	return NULL;
}

/* Returns what the client is told of it. */
static JsonObject *fulfil(struct dap *dap, const struct wish *wish, GPtrArray *old)
{
	g_autofree char *key = key_of(wish->asked);
	g_autoptr(GError) error = NULL;
	struct dap_breakpoint *breakpoint = take_same(old, key);

	if (!breakpoint) {
		breakpoint = insert(dap, wish, &error);
		if (!breakpoint)
			return show_failure(error->message);
		breakpoint->group = g_strdup(wish->group);
		breakpoint->key = g_steal_pointer(&key);
	}
	g_ptr_array_add(dap->breakpoints->all, breakpoint);
	return json_object_ref(breakpoint->shown);
}

/* Takes those of a group out of all. */
static GPtrArray *take_group(struct dap *dap, const char *group)
{
	GPtrArray *all = dap->breakpoints->all;
	GPtrArray *taken = g_ptr_array_new_with_free_func(free_breakpoint);

	for (guint i = all->len; i-- > 0;) {
		const struct dap_breakpoint *breakpoint = all->pdata[i];

		if (g_str_equal(breakpoint->group, group))
			g_ptr_array_add(taken, g_ptr_array_steal_index(all, i));
	}
	return taken;
}

/* Makes a wish of what the client asks for; false with `error` set. */
typedef bool (*understand)(struct dap *dap, JsonObject *asked, const char *group, struct wish *wish,
                           GError **error);

static JsonArray *replace(struct dap *dap, const char *group, JsonArray *asked, understand read)
{
	g_autoptr(GPtrArray) old = take_group(dap, group);
	JsonArray *shown = json_array_new();

	for (guint i = 0; i < array_length(asked); i++) {
		struct wish wish = {.group = group, .asked = array_object(asked, i)};
		g_autoptr(GError) error = NULL;

		if (wish.asked && read(dap, wish.asked, group, &wish, &error))
			json_array_add_object_element(shown, fulfil(dap, &wish, old));
		else
			json_array_add_object_element(
				shown, show_failure(error ? error->message : "it is no object"));
		g_free(wish.insert);
	}
	for (guint i = 0; i < old->len; i++)
		dap_order(dap, NULL, "-break-delete %" G_GINT64_FORMAT,
		          ((struct dap_breakpoint *)old->pdata[i])->number);
	return shown;
}

static JsonObject *set(struct dap *dap, const char *group, JsonArray *asked, understand read,
                       GError **error)
{
	JsonObject *body;
	bool was_running;

	if (!dap_hold(dap, &was_running, error))
		return NULL;
	body = json_object_new();
	json_object_set_array_member(body, "breakpoints", replace(dap, group, asked, read));
	dap_release(dap, was_running);
	return body;
}

/* --- the requests ----------------------------------------------------------------------------- */

static bool read_line(struct dap *dap, JsonObject *asked, const char *group, struct wish *wish,
                      GError **error)
{
	const gint64 line = CLAMP(field_number(asked, "line", -1), -1, G_MAXINT) + 1
	                    - dap->first_line;
	g_autofree char *quoted = mi_quote(group);

	if (line < 1) {
		dap_refuse(error, "it has no line");
		return false;
	}
	wish->reason = "breakpoint";
	wish->insert = g_strdup_printf("-break-insert -f --source %s --line %" G_GINT64_FORMAT,
	                               quoted, line);
	return true;
}

JsonObject *dap_set_breakpoints(struct dap *dap, JsonObject *arguments, GError **error)
{
	const char *path = field_text(field_object(arguments, "source"), "path");

	if (!path || *path != '/')
		return dap_refuse(error, "setBreakpoints: the source has no absolute path");
	return set(dap, path, field_array(arguments, "breakpoints"), read_line, error);
}

static bool read_function(struct dap *dap, JsonObject *asked, const char *group, struct wish *wish,
                          GError **error)
{
	const char *name = field_text(asked, "name");
	g_autofree char *quoted = name ? mi_quote(name) : NULL;

	(void)dap;
	(void)group;
	if (!name || !*name || *name == '-') {
		dap_refuse(error, "'%s' is no name of a function", name ? name : "");
		return false;
	}
	wish->reason = "function breakpoint";
	wish->insert = g_strdup_printf("-break-insert -f %s", quoted);
	return true;
}

JsonObject *dap_set_function_breakpoints(struct dap *dap, JsonObject *arguments, GError **error)
{
	return set(dap, "functions", field_array(arguments, "breakpoints"), read_function, error);
}

/* The id is an expression of gdb's (dap_data_breakpoint_info). */
static bool read_data(struct dap *dap, JsonObject *asked, const char *group, struct wish *wish,
                      GError **error)
{
	const char *id = field_text(asked, "dataId"), *access = field_text(asked, "accessType");
	g_autofree char *quoted = id ? mi_quote(id) : NULL;

	(void)dap;
	(void)group;
	if (!id || *id != '{') {
		dap_refuse(error, "'%s' is no dataId of dataBreakpointInfo", id ? id : "");
		return false;
	}
	wish->reason = "data breakpoint";
	wish->insert = g_strdup_printf("-break-watch %s%s",
	                               g_strcmp0(access, "read") == 0        ? "-r "
	                               : g_strcmp0(access, "readWrite") == 0 ? "-a "
	                                                                     : "",
	                               quoted);
	return true;
}

JsonObject *dap_set_data_breakpoints(struct dap *dap, JsonObject *arguments, GError **error)
{
	return set(dap, "data", field_array(arguments, "breakpoints"), read_data, error);
}

static bool read_instruction(struct dap *dap, JsonObject *asked, const char *group,
                             struct wish *wish, GError **error)
{
	const char *reference = field_text(asked, "instructionReference");
	guint64 address = 0;

	(void)dap;
	(void)group;
	if (!field_address(asked, "instructionReference", &address)) {
		dap_refuse(error, "'%s' is no address", reference ? reference : "");
		return false;
	}
	wish->reason = "instruction breakpoint";
	wish->insert = g_strdup_printf("-break-insert \"*0x%" G_GINT64_MODIFIER "x\"",
	                               address + (guint64)field_number(asked, "offset", 0));
	return true;
}

JsonObject *dap_set_instruction_breakpoints(struct dap *dap, JsonObject *arguments, GError **error)
{
	return set(dap, "instructions", field_array(arguments, "breakpoints"), read_instruction,
	           error);
}

/* There are no filters: the rank stops at each signal that would end it. */
JsonObject *dap_set_exception_breakpoints(struct dap *dap, JsonObject *arguments, GError **error)
{
	(void)dap;
	(void)arguments;
	(void)error;
	return json_object_new();
}
