/* Answers gdb's packets (gdb's manual, "Packets"). */
#include "target.h"

#include <signal.h>
#include <string.h>

#include "mover.h"
#include "read_only.h"
#include "rsp.h"
#include "target_internal.h"

#define LONGEST_READ 0x8000 /* bytes of memory in one packet; gdb asks for less */

static void free_answer(gpointer answer)
{
	g_string_free(answer, true);
}

struct target *target_new(const struct replayer *replayer, guint64 every,
                          const struct interrupt *interrupt, GError **error)
{
	struct target *target = g_new0(struct target, 1);

	target->replayer = replayer;
	target->news = g_string_new(NULL);
	target->trace = trace_new();
	target->here = moment_new(0);
	target->points = g_array_new(false, false, sizeof(struct point));
	target->constants = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_answer);
	target->presenter = presenter_new(error);
	if (target->presenter)
		target->keepers = keepers_new(replayer, interrupt, error);
	if (target->keepers && every > 0)
		keepers_scout(target->keepers, every);
	if (target->keepers)
		target->process = mover_go(target->keepers, target->here, error);
	if (!target->process) {
		target_free(target);
		return NULL;
	}
	return target;
}

void target_free(struct target *target)
{
	if (!target)
		return;
	/* A process that gdbserver has is killed before gdbserver ends. */
	if (target->process)
		keepers_end(target->keepers, target->process);
	presenter_free(target->presenter);
	keepers_free(target->keepers);
	moment_free(target->here);
	trace_free(target->trace);
	if (target->read_only)
		g_array_unref(target->read_only);
	moment_free(target->wish);
	g_array_unref(target->points);
	g_hash_table_unref(target->constants);
	g_string_free(target->news, true);
	g_free(target);
}

/* --- points and memory ------------------------------------------------------------------------ */

static bool parse_numbers(const char *text, guint64 *ret_first, guint64 *ret_second)
{
	return rsp_read_hex(&text, ret_first) && *text++ == ',' && rsp_read_hex(&text, ret_second);
}

/* Z and z: KIND,ADDRESS,SIZE. They are put into the process when it runs. */
static void answer_point(struct target *target, const char *packet, GString *answer)
{
	struct point point = {.kind = (enum point_kind)(packet[1] - '0')};
	guint i = 0;

	if (packet[1] < '0' || packet[1] > '4' || packet[2] != ',')
		return;
	if (!parse_numbers(packet + 3, &point.address, &point.size)
	    || (point_is_watch(&point) && (point.size == 0 || point.size > 32))) {
		g_string_append(answer, "E01");
		return;
	}
	if (point.kind == POINT_HARDWARE)
		point.kind = POINT_SOFTWARE; /* gdb means the same; the registers are for others */
	for (; i < target->points->len; i++) {
		const struct point *other = &g_array_index(target->points, struct point, i);

		if (other->kind == point.kind && other->address == point.address
		    && other->size == point.size)
			break;
	}
	if (packet[0] == 'z' && i < target->points->len)
		g_array_remove_index(target->points, i);
	if (packet[0] == 'Z' && i == target->points->len)
		g_array_append_val(target->points, point);
	if (packet[0] == 'Z' && !traced_can_watch(target->points)) {
		g_array_set_size(target->points, i);
		g_string_append(answer, "E01");
		return;
	}
	g_string_append(answer, "OK");
}

/* Reads memory at `here`, if the process need not stand there for that: what was noted, or what the
 * program cannot write to. */
static bool read_elsewhere(struct target *target, guint64 address, void *bytes, gsize size)
{
	const struct trace_entry *here = trace_find(target->trace, target->here);

	if (!target->read_only)
		target->read_only = read_only_of(traced_pid(target->process));
	if (here && trace_read(target->trace, here, address, bytes, size))
		return true;
	return read_only_has(target->read_only, address, size)
	       && traced_read(target->process, address, bytes, size) == size;
}

bool target_read(struct target *target, guint64 address, void *bytes, gsize size, gsize *ret_count,
                 GError **error)
{
	*ret_count = size;
	if (target->is_elsewhere && read_elsewhere(target, address, bytes, size))
		return true;
	if (!target_process(target, error))
		return false;
	*ret_count = traced_read(target->process, address, bytes, size);
	return true;
}

static bool answer_read(struct target *target, const char *packet, GString *answer, GError **error)
{
	guint64 address, size;
	g_autofree char *bytes = NULL;
	gsize count;

	if (!parse_numbers(packet + 1, &address, &size)) {
		g_string_append(answer, "E01");
		return true;
	}
	size = MIN(size, LONGEST_READ);
	bytes = g_malloc(size + 1);
	if (!target_read(target, address, bytes, size, &count, error))
		return false;
	if (count == 0 && size > 0)
		g_string_append(answer, "E0e");
	else
		rsp_append_hex(answer, bytes, count);
	return true;
}

/* M ADDRESS,SIZE:HEX and X ADDRESS,SIZE:BYTES. */
static bool answer_write(struct target *target, const GString *packet, GString *answer,
                         GError **error)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	const char *colon = memchr(packet->str, ':', packet->len);
	guint64 address, size;

	if (!target_process(target, error))
		return false;
	if (!colon || !parse_numbers(packet->str + 1, &address, &size)) {
		g_string_append(answer, "E01");
		return true;
	}
	colon++;
	if (packet->str[0] == 'M')
		rsp_append_bytes(bytes, colon);
	else
		g_byte_array_append(bytes, (const guint8 *)colon,
		                    (guint)(packet->str + packet->len - colon));
	if (bytes->len != size) {
		g_string_append(answer, "E01");
		return true;
	}
	if (size > 0)
		target->is_diverted = true;
	g_string_append(answer, traced_write(target->process, address, bytes->data, bytes->len)
	                                ? "OK"
	                                : "E0e");
	return true;
}

/* --- gdbserver's part ------------------------------------------------------------------------- */

static bool pass_on(struct target *target, const GString *packet, GString *answer, GError **error)
{
	GString *reply = presenter_ask(target->presenter, packet->str, packet->len, error);

	if (!reply)
		return false;
	g_string_append_len(answer, reply->str, (gssize)reply->len);
	g_string_free(reply, true);
	return true;
}

/* To gdbserver, once it has the process. */
static bool present(struct target *target, const GString *packet, GString *answer, GError **error)
{
	if (!target->is_presented
	    && (!target_process(target, error)
	        || !presenter_attach(target->presenter, target->process, error)))
		return false;
	target->is_presented = true;
	return pass_on(target, packet, answer, error);
}

/* What is the same in all processes of a program is asked once. */
static bool present_constant(struct target *target, const GString *packet, GString *answer,
                             GError **error)
{
	GString *known = g_hash_table_lookup(target->constants, packet->str);

	if (!known) {
		known = g_string_new(NULL);
		if (!present(target, packet, known, error)) {
			g_string_free(known, true);
			return false;
		}
		g_hash_table_insert(target->constants, g_strdup(packet->str), known);
	}
	g_string_append_len(answer, known->str, (gssize)known->len);
	return true;
}

/* --- monitor ---------------------------------------------------------------------------------- */

static void read_place(const struct target *target, char ret[REPLAYER_PLACE])
{
	memset(ret, 0, REPLAYER_PLACE);
	traced_read(target->process, traced_addresses(target->process)->place, ret, REPLAYER_PLACE);
}

static char *where(const struct target *target)
{
	g_autofree char *moment = moment_print(target->here), *text = NULL;
	char place[REPLAYER_PLACE];

	if (target->replayer->describe) {
		read_place(target, place);
		text = target->replayer->describe(target->replayer->user, place);
	}
	if (text)
		return g_strdup_printf("%s%s%s\n", text,
		                       target->is_diverted ? "; changed by hand" : "",
		                       target->is_astray ? "; interrupted" : "");
	return g_strdup_printf("after %" G_GUINT64_FORMAT " MPI calls%s%s (%s)\n",
	                       traced_marks(target->process),
	                       target->is_diverted ? ", changed by hand" : "",
	                       target->is_astray ? ", interrupted" : "", moment);
}

/* 0: it is no number of an MPI call. */
static guint64 number_of(const char *text)
{
	guint64 number;

	return g_ascii_string_to_unsigned(text, 10, 1, G_MAXUINT64, &number, NULL) ? number : 0;
}

/* The next motion leads to the entry of the call, whatever motion it is: gdb asks where the process
 * is only when it has moved it itself. */
static void wish_for(struct target *target, guint64 call, bool is_silent)
{
	struct leg entry = {.kind = LEG_ARRIVAL, .pc = keepers_entry(target->keepers)};

	moment_free(target->wish);
	target->wish = moment_new(call - 1);
	target->is_silent = is_silent;
	moment_add(target->wish, &entry);
}

static char *wants_number(const char *word)
{
	return g_strdup_printf("%s wants the number of an MPI call, from 1\n", word);
}

static char *answer_goto(struct target *target, const char *number)
{
	const guint64 call = number_of(number);

	if (call == 0)
		return wants_number("goto");
	wish_for(target, call, false);
	return g_strdup_printf("the next stepi or reverse-stepi goes to MPI call "
	                       "%" G_GUINT64_FORMAT "\n",
	                       call);
}

/* For a command of gdb's that goes there itself: an error ends it. */
static void answer_goto_silently(struct target *target, const char *number, GString *answer)
{
	const guint64 call = number_of(number);
	g_autofree char *problem = call == 0 ? wants_number("goto-call") : NULL;

	if (problem)
		g_string_append(target->news, problem);
	else
		wish_for(target, call, true);
	g_string_append(answer, problem ? "E01" : "OK");
}

static char *answer_call(const struct target *target, const char *number)
{
	const guint64 call = number_of(number);
	char place[REPLAYER_PLACE];

	if (call == 0)
		return wants_number("call");
	if (!target->replayer->tell_call)
		return g_strdup("nothing is known of single calls\n");
	read_place(target, place);
	return target->replayer->tell_call(target->replayer->user, call, place);
}

static bool answer_monitor(struct target *target, const char *digits, GString *answer,
                           GError **error)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_autofree char *command = NULL, *text = NULL;

	if (!target_process(target, error))
		return false;
	rsp_append_bytes(bytes, digits);
	command = g_strndup(bytes->len > 0 ? (const char *)bytes->data : "", bytes->len);
	g_strstrip(command);
	if (g_str_has_prefix(command, "goto-silently ")) {
		answer_goto_silently(target, command + strlen("goto-silently "), answer);
		return true;
	}
	if (strcmp(command, "mpi") == 0)
		text = where(target);
	else if (g_str_has_prefix(command, "goto "))
		text = answer_goto(target, command + strlen("goto "));
	else if (g_str_has_prefix(command, "call "))
		text = answer_call(target, command + strlen("call "));
	else
		text = g_strdup("monitor mpi: where the rank is; "
		                "monitor call N: what its MPI call N is; "
		                "monitor goto N: to the entry of its MPI call N\n");
	rsp_append_hex(answer, text, strlen(text));
	return true;
}

/* --- all packets ------------------------------------------------------------------------------ */

/* The answers that never change. */
static const char *const fixed[][2] = {
	{"QStartNoAckMode", "OK"}, {"vCont?", "vCont;c;C;s;S;r"}, {"qC", "QC1"},
	{"qfThreadInfo", "m1"},    {"qsThreadInfo", "l"},         {"qAttached", "1"},
	{"qSymbol::", "OK"},
};

static bool answer_query(struct target *target, const GString *packet, GString *answer,
                         GError **error)
{
	const char *text = packet->str;

	if (g_str_has_prefix(text, "qSupported"))
		g_string_append_printf(
			answer,
			"PacketSize=%x;QStartNoAckMode+;ReverseStep+;ReverseContinue+;swbreak+;"
			"hwbreak+;vContSupported+;qXfer:features:read+;qXfer:auxv:read+;"
			"qXfer:libraries-svr4:read+;qXfer:exec-file:read+;qXfer:siginfo:read+",
			RSP_LARGEST / 2);
	else if (g_str_has_prefix(text, "qRcmd,"))
		return answer_monitor(target, text + strlen("qRcmd,"), answer, error);
	else if (g_str_has_prefix(text, "qXfer:features:") || g_str_has_prefix(text, "qXfer:auxv:")
	         || g_str_has_prefix(text, "qXfer:exec-file:"))
		return present_constant(target, packet, answer, error);
	else if (g_str_has_prefix(text, "qXfer:libraries-svr4:")
	         || g_str_has_prefix(text, "qXfer:siginfo:"))
		return present(target, packet, answer, error);
	return true;
}

static bool answer_motion(struct target *target, const GString *packet, GString *answer,
                          GError **error)
{
	const char *text = packet->str;

	if ((text[0] == 'b' || target->wish) && !traced_is_single(target->process)) {
		g_clear_pointer(&target->wish, moment_free);
		g_string_append(answer, "E.a rank that has threads cannot go back");
		return true;
	}
	if (strcmp(text, "bs") == 0 || strcmp(text, "bc") == 0)
		return target_go_back(target, text[1] == 's', answer, error);
	if (g_str_has_prefix(text, "vCont;"))
		text += strlen("vCont;");
	return !*text || target_go_on(target, text, answer, error);
}

bool target_answer(struct target *target, const GString *packet, GString *answer, bool *ret_is_last,
                   GError **error)
{
	const char *text = packet->str;

	for (guint i = 0; i < G_N_ELEMENTS(fixed); i++) {
		if (strcmp(text, fixed[i][0]) == 0) {
			g_string_append(answer, fixed[i][1]);
			return true;
		}
	}
	switch (text[0]) {
	case '?': target_append_stop(target, 5, "", answer); return true;
	case 'H':
	case 'T': g_string_append(answer, "OK"); return true;
	case 'Z':
	case 'z': answer_point(target, text, answer); return true;
	case 'm': return answer_read(target, text, answer, error);
	case 'M':
	case 'X': return answer_write(target, packet, answer, error);
	case 'G':
	case 'P': target->is_diverted = true; return present(target, packet, answer, error);
	case 'g':
	case 'p': return present(target, packet, answer, error);
	case 'q': return answer_query(target, packet, answer, error);
	case 'D':
	case 'k':
		*ret_is_last = true;
		g_string_append(answer, "OK");
		return true;
	case 'b':
	case 'c':
	case 's': return answer_motion(target, packet, answer, error);
	case 'v':
		if (g_str_has_prefix(text, "vCont;"))
			return answer_motion(target, packet, answer, error);
		if (g_str_has_prefix(text, "vFile:"))
			return pass_on(target, packet, answer, error);
		if (g_str_has_prefix(text, "vKill")) {
			*ret_is_last = true;
			g_string_append(answer, "OK");
		}
		return true;
	default: return true;
	}
}

char *target_take_news(struct target *target)
{
	char *news = target->news->len > 0 ? g_strdup(target->news->str) : NULL;

	g_string_truncate(target->news, 0);
	return news;
}
