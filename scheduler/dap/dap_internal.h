/* What the files of the debug adapter share. Handlers of requests return the response's body, which
 * the caller owns, or NULL with `error` set. */
#ifndef MATCHPOINT_SCHEDULER_DAP_DAP_INTERNAL_H
#define MATCHPOINT_SCHEDULER_DAP_DAP_INTERNAL_H

#include "dap.h"
#include "scheduler/gdb/driven_gdb.h"
#include "scheduler/gdb/fields.h"

struct dap_breakpoints;
struct dap_variables;
struct dap_output;

/* How the rank moves, or moved last. */
struct dap_motion {
	const char *command; /* gdb's; NULL: a command that was typed */
	bool backwards;
	bool is_ours;     /* the client knows already that it runs */
	bool is_paused;   /* the client has asked for the stop */
	bool is_entering; /* on the way to main, for stopOnEntry */
};

struct dap {
	/* The client. */
	int in, out, signals;
	GByteArray *received;
	GQueue requests; /* JsonObject */
	char *problem;   /* why nothing more can be read; NULL: nothing */
	bool is_gone;    /* nobody reads what is sent */
	bool is_over;    /* the session is to end */
	gint64 sequence;
	GPtrArray *later; /* events that follow the response that is being made; NULL: none is */
	int first_line, first_column; /* the client's numbers of these */
	bool knows_invalidated;

	/* gdb. */
	struct driven_gdb *gdb; /* NULL: not launched, or over */
	bool is_launched;
	int rank;
	char *directory; /* of the recording */
	bool stops_on_entry, is_configured, is_running;
	GQueue news;    /* struct mi_record: what is to be shown to the client */
	GString *told;  /* collects what gdb prints; NULL: it goes to the news */
	gint64 awaited; /* token of the answer that is waited for; -1: none */
	struct mi_record answer;
	bool is_answered;
	struct dap_motion motion;
	JsonObject *stop; /* the last *stopped; NULL: none */

	struct dap_breakpoints *breakpoints;
	struct dap_variables *variables;
	struct dap_output *output;
};

/* --- the client (dap.c) ----------------------------------------------------------------------- */

/* Sends an event; takes over the body, which may be NULL. */
void dap_event(struct dap *dap, const char *name, JsonObject *body);
/* An output event. Categories are those of the protocol. */
void dap_say(struct dap *dap, const char *category, const char *text);
/* Sets `error` to a message for the user. Returns NULL. */
void *dap_refuse(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Waits for input at most that many milliseconds (-1: any time), and reads it. */
void dap_pump(struct dap *dap, int ms);

/* --- gdb (dap_gdb.c) -------------------------------------------------------------------------- */

/* Gives gdb a command, and returns its results, which the caller owns. NULL with `error` set: gdb
 * refuses, or is lost, or the session ends. */
JsonObject *dap_ask(struct dap *dap, GError **error, const char *format, ...) G_GNUC_PRINTF(3, 4);
/* The same for its effect. */
bool dap_order(struct dap *dap, GError **error, const char *format, ...) G_GNUC_PRINTF(3, 4);
/* What gdb prints on a command of its console, given in a frame (0: the selected one); free with
 * g_free. */
char *dap_console(struct dap *dap, gint64 frame, const char *line, GError **error);
/* Takes what gdb has said: answers, streams, what has changed. */
void dap_hear(struct dap *dap);
/* Tells the client the news. */
void dap_tell(struct dap *dap);
/* Ends gdb, if it is there, and tells the client. */
void dap_end_gdb(struct dap *dap);

/* --- launching (dap_launch.c) ----------------------------------------------------------------- */

JsonObject *dap_initialize(struct dap *dap, JsonObject *arguments, GError **error);
JsonObject *dap_launch(struct dap *dap, JsonObject *arguments, GError **error);
JsonObject *dap_configuration_done(struct dap *dap, JsonObject *arguments, GError **error);
JsonObject *dap_terminate(struct dap *dap, JsonObject *arguments, GError **error);
JsonObject *dap_disconnect(struct dap *dap, JsonObject *arguments, GError **error);

/* --- motion (dap_motion.c) -------------------------------------------------------------------- */

JsonObject *dap_continue(struct dap *dap, JsonObject *arguments, GError **error);
JsonObject *dap_reverse_continue(struct dap *dap, JsonObject *arguments, GError **error);
JsonObject *dap_next(struct dap *dap, JsonObject *arguments, GError **error);
JsonObject *dap_step_in(struct dap *dap, JsonObject *arguments, GError **error);
JsonObject *dap_step_out(struct dap *dap, JsonObject *arguments, GError **error);
JsonObject *dap_step_back(struct dap *dap, JsonObject *arguments, GError **error);
JsonObject *dap_pause(struct dap *dap, JsonObject *arguments, GError **error);
JsonObject *dap_exception_info(struct dap *dap, JsonObject *arguments, GError **error);

/* Begins a motion of which the client need not be told. */
bool dap_move(struct dap *dap, const char *command, bool backwards, GError **error);
/* gdb reports that the rank runs, or has stopped. */
void dap_began_running(struct dap *dap);
void dap_stopped(struct dap *dap, JsonObject *results);
/* Tells the client that the rank stands where it begins. */
void dap_show_entry(struct dap *dap);
/* Stops a rank that runs, so that gdb can be asked; *ret_was_running is for dap_release, which lets
 * it go on. False with `error` set if it does not stop. */
bool dap_hold(struct dap *dap, bool *ret_was_running, GError **error);
void dap_release(struct dap *dap, bool was_running);

/* --- breakpoints (dap_breakpoints.c) ---------------------------------------------------------- */

struct dap_breakpoints *dap_breakpoints_new(void);
void dap_breakpoints_free(struct dap_breakpoints *breakpoints); /* NULL is legal */
JsonObject *dap_set_breakpoints(struct dap *dap, JsonObject *arguments, GError **error);
JsonObject *dap_set_function_breakpoints(struct dap *dap, JsonObject *arguments, GError **error);
JsonObject *dap_set_data_breakpoints(struct dap *dap, JsonObject *arguments, GError **error);
JsonObject *dap_set_instruction_breakpoints(struct dap *dap, JsonObject *arguments, GError **error);
JsonObject *dap_set_exception_breakpoints(struct dap *dap, JsonObject *arguments, GError **error);
/* gdb reports that a breakpoint has changed. */
void dap_breakpoint_changed(struct dap *dap, JsonObject *results);
/* What the client calls a stop at the breakpoint: "function breakpoint" and the like. `otherwise`:
 * the user has made it in gdb's console. */
const char *dap_breakpoint_reason(struct dap *dap, gint64 number, const char *otherwise);

/* --- looking (dap_look.c) --------------------------------------------------------------------- */

JsonObject *dap_threads(struct dap *dap, JsonObject *arguments, GError **error);
JsonObject *dap_stack_trace(struct dap *dap, JsonObject *arguments, GError **error);
JsonObject *dap_source(struct dap *dap, JsonObject *arguments, GError **error);
/* A Source of the protocol for a file; NULL: gdb knows none. */
JsonObject *dap_source_of(JsonObject *results);
/* gdb's options for a frame by the id that the client was given, as "--thread 1 --frame 0"; 0: the
 * selected one. Free with g_free. */
char *dap_frame_options(gint64 id);

/* --- values (dap_variables.c, dap_evaluate.c) ------------------------------------------------- */

struct dap_variables *dap_variables_new(void);
void dap_variables_free(struct dap_variables *variables); /* NULL is legal */
/* The rank has moved: no reference is valid any more. */
void dap_variables_forget(struct dap *dap);
/* Something has been written to the rank's memory: values are read again. */
void dap_variables_refresh(struct dap *dap);
/* Makes a variable object of gdb's for an expression in a frame: its answer, owned. It is deleted
 * when the rank moves. */
JsonObject *dap_variable_make(struct dap *dap, gint64 frame, const char *expression,
                              GError **error);
/* The reference by which the client asks for the parts of a variable object; 0: it has none. */
gint64 dap_variable_reference(struct dap *dap, gint64 frame, JsonObject *object);
/* The value of a variable object; free with g_free. */
char *dap_variable_value(struct dap *dap, gint64 frame, JsonObject *object);
/* The variable object of a part that the client knows by the reference of the whole and its name;
 * free with g_free. NULL with `error` set: there is none. *ret_frame is the frame of the whole. */
char *dap_variable_find(struct dap *dap, gint64 reference, const char *name, gint64 *ret_frame,
                        GError **error);
JsonObject *dap_scopes(struct dap *dap, JsonObject *arguments, GError **error);
JsonObject *dap_variables(struct dap *dap, JsonObject *arguments, GError **error);
JsonObject *dap_set_variable(struct dap *dap, JsonObject *arguments, GError **error);
JsonObject *dap_evaluate(struct dap *dap, JsonObject *arguments, GError **error);
JsonObject *dap_completions(struct dap *dap, JsonObject *arguments, GError **error);
JsonObject *dap_set_expression(struct dap *dap, JsonObject *arguments, GError **error);
JsonObject *dap_data_breakpoint_info(struct dap *dap, JsonObject *arguments, GError **error);

/* --- instructions (dap_disassemble.c) --------------------------------------------------------- */

JsonObject *dap_disassemble(struct dap *dap, JsonObject *arguments, GError **error);

/* --- the rank's output (dap_output.c) --------------------------------------------------------- */

/* Follows the files of the replayed rank. */
struct dap_output *dap_output_new(const char *directory, int rank);
void dap_output_free(struct dap_output *output); /* NULL is legal */
/* Tells the client what is new. */
void dap_output_follow(struct dap *dap);

#endif
