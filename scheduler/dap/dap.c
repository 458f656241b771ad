#define _GNU_SOURCE
#include "dap.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "dap_internal.h"
#include "framing.h"

/* A client that sends without end is not read from until the adapter has caught up. */
enum { REQUESTS_MOST = 100, FOLLOW_MS = 200, END_MS = 2000, PIECE = 4096 };

G_DEFINE_QUARK(dap - error, dap_error)

enum need {
	NOTHING,
	GDB,       /* the rank is launched */
	STANDSTILL /* and does not run */
};

static const struct request {
	const char *command;
	enum need need;
	JsonObject *(*handle)(struct dap *dap, JsonObject *arguments, GError **error);
} requests[] = {
	{"initialize", NOTHING, dap_initialize},
	{"launch", NOTHING, dap_launch},
	{"configurationDone", GDB, dap_configuration_done},
	{"disconnect", NOTHING, dap_disconnect},
	{"terminate", NOTHING, dap_terminate},
	{"continue", STANDSTILL, dap_continue},
	{"reverseContinue", STANDSTILL, dap_reverse_continue},
	{"next", STANDSTILL, dap_next},
	{"stepIn", STANDSTILL, dap_step_in},
	{"stepOut", STANDSTILL, dap_step_out},
	{"stepBack", STANDSTILL, dap_step_back},
	{"pause", GDB, dap_pause},
	{"exceptionInfo", STANDSTILL, dap_exception_info},
	{"setBreakpoints", GDB, dap_set_breakpoints},
	{"setFunctionBreakpoints", GDB, dap_set_function_breakpoints},
	{"setDataBreakpoints", GDB, dap_set_data_breakpoints},
	{"setInstructionBreakpoints", GDB, dap_set_instruction_breakpoints},
	{"setExceptionBreakpoints", NOTHING, dap_set_exception_breakpoints},
	{"dataBreakpointInfo", STANDSTILL, dap_data_breakpoint_info},
	{"threads", GDB, dap_threads},
	{"stackTrace", STANDSTILL, dap_stack_trace},
	{"scopes", STANDSTILL, dap_scopes},
	{"variables", STANDSTILL, dap_variables},
	{"setVariable", STANDSTILL, dap_set_variable},
	{"setExpression", STANDSTILL, dap_set_expression},
	{"evaluate", STANDSTILL, dap_evaluate},
	{"completions", STANDSTILL, dap_completions},
	{"disassemble", STANDSTILL, dap_disassemble},
	{"source", NOTHING, dap_source},
};

void *dap_refuse(GError **error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (error)
		*error = g_error_new_valist(DAP_ERROR, 0, format, arguments);
	va_end(arguments);
	return NULL;
}

/* --- sending ---------------------------------------------------------------------------------- */

/* At the end, and where SIGTERM has come, a client that does not read is not waited for. */
static bool wait_to_send(const struct dap *dap)
{
	struct pollfd fds[2] = {{.fd = dap->out, .events = POLLOUT},
	                        {.fd = dap->signals, .events = POLLIN}};

	while (poll(fds, 2, dap->is_over ? END_MS : -1) < 0)
		if (errno != EINTR)
			return false;
	return fds[1].revents == 0 && (fds[0].revents & POLLOUT) != 0;
}

/* A pipe that can be written to takes this many bytes without waiting (POSIX, write()). */
static void send_bytes(struct dap *dap, const GString *bytes)
{
	for (gsize done = 0; done < bytes->len && !dap->is_gone;) {
		const gsize piece = MIN(bytes->len - done, PIECE);
		const ssize_t sent = wait_to_send(dap) ? write(dap->out, bytes->str + done, piece)
		                                       : -2;

		if (sent > 0)
			done += (gsize)sent;
		else if (sent == -2 || (errno != EINTR && errno != EAGAIN))
			dap->is_gone = dap->is_over = true;
	}
}

/* Takes over the message. */
static void send_message(struct dap *dap, JsonObject *message)
{
	g_autoptr(JsonGenerator) generator = json_generator_new();
	g_autoptr(GString) bytes = g_string_new(NULL);
	JsonNode *node = json_node_init_object(json_node_alloc(), message);
	g_autofree char *text = NULL;
	gsize length;

	json_object_set_int_member(message, "seq", ++dap->sequence);
	json_generator_set_root(generator, node);
	text = json_generator_to_data(generator, &length);
	framing_append(bytes, text, length);
	send_bytes(dap, bytes);
	json_node_unref(node);
	json_object_unref(message);
}

void dap_event(struct dap *dap, const char *name, JsonObject *body)
{
	JsonObject *event = json_object_new();

	json_object_set_string_member(event, "type", "event");
	json_object_set_string_member(event, "event", name);
	if (body)
		json_object_set_object_member(event, "body", body);
	if (dap->later)
		g_ptr_array_add(dap->later, event);
	else
		send_message(dap, event);
}

void dap_say(struct dap *dap, const char *category, const char *text)
{
	JsonObject *body = json_object_new();

	json_object_set_string_member(body, "category", category);
	json_object_set_string_member(body, "output", text);
	dap_event(dap, "output", body);
}

/* --- receiving -------------------------------------------------------------------------------- */

static void break_off(struct dap *dap, const char *problem)
{
	if (!dap->problem)
		dap->problem = g_strdup_printf("cannot read the client's message %u: %s; the Debug "
		                               "Adapter Protocol is expected on standard input",
		                               dap->requests.length + 1, problem);
	dap->is_over = true;
}

/* Returns false if it is no message of the protocol. */
static bool take_message(struct dap *dap, const GString *body)
{
	g_autoptr(JsonParser) parser = json_parser_new();
	JsonNode *root;

	if (!g_utf8_validate(body->str, (gssize)body->len, NULL) || !framing_is_plain(body->str)
	    || !json_parser_load_from_data(parser, body->str, (gssize)body->len, NULL))
		return false;
	root = json_parser_get_root(parser);
	if (!root || !JSON_NODE_HOLDS_OBJECT(root))
		return false;
	if (g_strcmp0(field_text(json_node_get_object(root), "type"), "request") == 0)
		g_queue_push_tail(&dap->requests, json_node_dup_object(root));
	return true;
}

static void take_messages(struct dap *dap)
{
	g_autoptr(GString) body = g_string_new(NULL);
	enum framing_item item;
	const char *problem;

	while ((item = framing_take(dap->received, body, &problem)) == FRAMING_MESSAGE)
		if (!take_message(dap, body)) {
			break_off(dap, "it is no JSON object, or is nested too deeply");
			return;
		}
	if (item == FRAMING_BROKEN)
		break_off(dap, problem);
}

static void receive(struct dap *dap)
{
	guint8 bytes[65536];
	const ssize_t count = read(dap->in, bytes, sizeof bytes);

	if (count > 0) {
		g_byte_array_append(dap->received, bytes, (guint)count);
		take_messages(dap);
	} else if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
		if (dap->received->len > 0)
			break_off(dap, "it is cut");
		dap->is_over = true;
	}
}

void dap_pump(struct dap *dap, int ms)
{
	struct pollfd fds[2 + DRIVEN_GDB_FDS] = {
		{.fd = dap->requests.length < REQUESTS_MOST ? dap->in : -1, .events = POLLIN},
		{.fd = dap->signals, .events = POLLIN}};
	const guint count = dap->gdb ? driven_gdb_wait_for(dap->gdb, fds + 2) : 0;
	const int ready = dap->is_over ? -1 : poll(fds, 2 + count, ms);

	if (ready <= 0)
		return;
	if (fds[1].revents)
		dap->is_over = true;
	if (fds[0].revents)
		receive(dap);
	if (count > 0 && (fds[2].revents || fds[3].revents || fds[4].revents))
		dap_hear(dap);
}

/* --- answering -------------------------------------------------------------------------------- */

static const struct request *find_request(const char *command)
{
	for (gsize i = 0; i < G_N_ELEMENTS(requests); i++)
		if (g_strcmp0(requests[i].command, command) == 0)
			return &requests[i];
	return NULL;
}

static JsonObject *handle(struct dap *dap, JsonObject *request, GError **error)
{
	const char *command = field_text(request, "command");
	const struct request *known = find_request(command);

	if (!command)
		return dap_refuse(error, "a request has no command");
	if (!known)
		return dap_refuse(error, "matchpoint dap does not know the request %s", command);
	if (known->need > NOTHING && !dap->gdb)
		return dap_refuse(error, "%s: %s", command,
		                  dap->is_launched ? "the rank is gone; launch it again"
		                                   : "no rank is there; launch comes first");
	if (known->need == STANDSTILL && dap->is_running)
		return dap_refuse(error, "%s: the rank runs; pause it first", command);
	return known->handle(dap, field_object(request, "arguments"), error);
}

/* Events that come of the request follow its response. */
static void answer(struct dap *dap, JsonObject *request)
{
	g_autoptr(GPtrArray) later = g_ptr_array_new();
	g_autoptr(GError) error = NULL;
	JsonObject *response = json_object_new(), *body;
	const char *command = field_text(request, "command");

	dap->later = later;
	body = handle(dap, request, &error);
	dap->later = NULL;
	json_object_set_string_member(response, "type", "response");
	json_object_set_int_member(response, "request_seq", field_number(request, "seq", 0));
	json_object_set_string_member(response, "command", command ? command : "");
	json_object_set_boolean_member(response, "success", body != NULL);
	json_object_set_object_member(response, "body", body ? body : json_object_new());
	if (error)
		json_object_set_string_member(response, "message", error->message);
	send_message(dap, response);
	for (guint i = 0; i < later->len; i++)
		send_message(dap, later->pdata[i]);
	json_object_unref(request);
}

/* --- the session ------------------------------------------------------------------------------ */

static void turn(struct dap *dap)
{
	JsonObject *request;

	while (!dap->is_over && (request = g_queue_pop_head(&dap->requests)))
		answer(dap, request);
	dap_tell(dap);
	if (dap->gdb && driven_gdb_is_lost(dap->gdb))
		dap_end_gdb(dap);
	if (dap->is_running)
		dap_output_follow(dap);
	if (g_queue_is_empty(&dap->requests) && g_queue_is_empty(&dap->news))
		dap_pump(dap, dap->is_running ? FOLLOW_MS : -1);
}

/* The signals that end the session can be waited for. */
static int open_signals(sigset_t *ret_before)
{
	sigset_t ending;

	sigemptyset(&ending);
	sigaddset(&ending, SIGINT);
	sigaddset(&ending, SIGTERM);
	sigaddset(&ending, SIGHUP);
	sigprocmask(SIG_BLOCK, &ending, ret_before);
	return signalfd(-1, &ending, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void clear(struct dap *dap)
{
	g_queue_clear_full(&dap->requests, (GDestroyNotify)json_object_unref);
	g_byte_array_unref(dap->received);
	g_clear_pointer(&dap->stop, json_object_unref);
	dap_breakpoints_free(dap->breakpoints);
	dap_variables_free(dap->variables);
	dap_output_free(dap->output);
	g_free(dap->directory);
	close(dap->signals);
}

bool dap_serve(int in, int out, GError **error)
{
	sigset_t before;
	struct dap dap = {
		.in = in,
		.out = out,
		.signals = open_signals(&before),
		.received = g_byte_array_new(),
		.first_line = 1,
		.first_column = 1,
		.awaited = -1,
		.breakpoints = dap_breakpoints_new(),
		.variables = dap_variables_new(),
	};

	while (!dap.is_over)
		turn(&dap);
	dap_end_gdb(&dap);
	clear(&dap);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (dap.problem)
		g_set_error_literal(error, DAP_ERROR, 0, dap.problem);
	g_free(dap.problem);
	return !error || !*error;
}
