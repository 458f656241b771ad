#include "debug_control.h"

#include <string.h>

#include "debug_context.h"
#include "prompt.h"
#include "scheduler/host/checkpoint_commands.h"
#include "scheduler/host/control.h"
#include "scheduler/host/process_table.h"

#define SHOWN_LINE "(matchpoint) "
#define FOLDER "checkpoints" /* beside the store */

struct debug_control {
	struct debugger *debugger;
	struct control_owner owner;
	struct control *socket;
	uv_timer_t *next;                      /* a turn of the loop later */
	GQueue *waiting;                       /* const struct control_request */
	const struct control_request *current; /* its line was given to the prompt; NULL: none, or
	                                          whoever has asked is gone */
	bool waits;
	char *folder; /* where checkpoints go if nothing else is said */
	char *saved;  /* for the current one: where; NULL: it is not */
	GString *text;
};

/* The ranks run, while the prompt waits for a line. */
static bool is_running(const struct debug_control *control)
{
	return debugger_state(control->debugger) == DEBUG_RUNNING;
}

static char *line_of(const struct debug_control *control, const struct control_request *request)
{
	g_autofree char *name = g_shell_quote(request->name);
	g_autofree char *folder = g_shell_quote(*request->folder ? request->folder
	                                                         : control->folder);

	return g_strdup_printf("checkpoint %s --to %s", *request->name ? name : "", folder);
}

static void on_next(uv_timer_t *timer)
{
	struct debug_control *control = timer->data;

	if (!control->waits || control->current || is_running(control)
	    || g_queue_is_empty(control->waiting))
		return;
	control->current = g_queue_pop_head(control->waiting);
	g_string_truncate(control->text, 0);
	g_clear_pointer(&control->saved, g_free);
	prompt_say(debugger_prompt(control->debugger), line_of(control, control->current));
}

static void on_asked(void *user, const struct control_request *request)
{
	struct debug_control *control = user;

	g_queue_push_tail(control->waiting, (gpointer)request);
	uv_timer_start(control->next, on_next, 0, 0);
}

static void on_gone(void *user, const struct control_request *request)
{
	struct debug_control *control = user;

	g_queue_remove(control->waiting, request);
	if (control->current == request)
		control->current = NULL;
}

static void answer(struct debug_control *control)
{
	g_autofree char *table = control->saved ? process_table_lines(CHECKPOINT_COMMANDS_INFO)
	                                        : NULL;
	g_autofree char *text = control->saved
	                                ? g_strdup_printf("saved %s\n%s", control->saved, table)
	                                : g_strdup_printf("problem %s", control->text->str);

	control_answer(g_steal_pointer(&control->current), text);
}

void debug_control_waits(struct debug_control *control, bool waits)
{
	if (!control)
		return;
	control->waits = waits;
	if (waits && control->current)
		answer(control);
	if (waits)
		uv_timer_start(control->next, on_next, 0, 0);
}

void debug_control_shown(struct debug_control *control, const char *text)
{
	if (control && control->current && !g_str_has_prefix(text, SHOWN_LINE))
		g_string_append(control->text, text);
}

void debug_control_saved(struct debug_control *control, const char *path)
{
	if (!control || !control->current)
		return;
	g_free(control->saved);
	control->saved = g_canonicalize_filename(path, NULL);
}

struct debug_control *debug_control_new(struct debugger *debugger)
{
	const struct debug_request *asked = debugger_request(debugger);
	struct session *session = debugger_session(debugger);
	g_autofree char *path = session_control_path(session);
	g_autofree char *folder = NULL;
	g_autoptr(GError) error = NULL;
	struct debug_control *control;

	if (!path || (asked->batch && asked->script))
		return NULL;
	control = g_new0(struct debug_control, 1);
	folder = g_build_filename(asked->store ? asked->store : ".matchpoint", FOLDER, NULL);
	control->debugger = debugger;
	control->folder = g_canonicalize_filename(folder, NULL);
	control->owner = (struct control_owner){on_asked, on_gone, control};
	control->waiting = g_queue_new();
	control->text = g_string_new(NULL);
	control->next = g_new0(uv_timer_t, 1);
	control->next->data = control;
	uv_timer_init(session_loop(session), control->next);
	control->socket = control_new(session_loop(session), path, &control->owner, &error);
	if (error)
		debugger_tell(debugger, "no checkpoints from outside: %s\n", error->message);
	else
		checkpoint_commands_show(control->folder);
	return control;
}

void debug_control_free(struct debug_control *control)
{
	if (!control)
		return;
	checkpoint_commands_forget();
	control_free(control->socket);
	uv_close((uv_handle_t *)control->next, (uv_close_cb)(void (*)(void))g_free);
	g_queue_free(control->waiting);
	g_free(control->folder);
	g_free(control->saved);
	g_string_free(control->text, true);
	g_free(control);
}
