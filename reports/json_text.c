#include "json_text.h"

#include <string.h>

#include "words.h"

void json_separate(GString *json)
{
	if (json->len > 0 && !strchr("[{:", json->str[json->len - 1]))
		g_string_append_c(json, ',');
}

void json_add_number(GString *json, gint64 number)
{
	json_separate(json);
	g_string_append_printf(json, "%" G_GINT64_FORMAT, number);
}

void json_add_text(GString *json, const char *text)
{
	g_autofree char *valid = g_utf8_make_valid(text ? text : "", -1);

	json_separate(json);
	g_string_append_c(json, '"');
	for (const char *at = valid; *at; at++) {
		unsigned char byte = (unsigned char)*at;

		if (byte < ' ' || byte == 0x7f || strchr("\"\\<>&", byte))
			g_string_append_printf(json, "\\u%04x", byte);
		else
			g_string_append_c(json, *at);
	}
	g_string_append_c(json, '"');
}

void json_add_name(GString *json, const char *name)
{
	json_add_text(json, name);
	g_string_append_c(json, ':');
}

/* Most calls are made by main threads: their thread is left out. */
void json_add_shape(GString *json, const struct json_shape *shape)
{
	json_separate(json);
	g_string_append_printf(json, "[%d,%d,%d,%d,%d,%d,%d,%" G_GUINT64_FORMAT ",%d,%d",
	                       shape->name, shape->kind, shape->place, shape->communicator,
	                       shape->peer, shape->peer_given, shape->tag, shape->bytes,
	                       shape->operations, shape->frame);
	if (shape->thread > 0)
		g_string_append_printf(json, ",%u", shape->thread);
	g_string_append_c(json, ']');
}

/* What an answer to a poll says; NULL: it is none. */
static const char *said_by(const struct record_message *message)
{
	switch (message->taken.kind) {
	case TAKEN_MESSAGE: return message->taken.ahead > 0 ? "" : NULL;
	case TAKEN_NO: return "no";
	case TAKEN_YES: return "yes";
	case TAKEN_ONE:
	case TAKEN_SOME: return message->requests ? message->requests : "yes";
	default: return NULL;
	}
}

void json_add_alternative(GString *json, int32_t rank, const struct record_message *message)
{
	g_autofree char *words = record_alternative_print(message);
	bool tagged = !message->answer && message->tag >= 0;
	g_autofree char *text = tagged ? g_strdup_printf("%s, tag=%d", words, message->tag)
	                               : g_steal_pointer(&words);
	const char *said = said_by(message);

	json_separate(json);
	g_string_append_c(json, '[');
	json_add_number(json, message->answer ? rank : message->source);
	json_add_number(json, message->call);
	json_add_text(json, text);
	if (said) {
		json_add_number(json, message->taken.ahead);
		json_add_text(json, said);
	}
	g_string_append_c(json, ']');
}

void json_add_faults(GString *json, const struct record_finding *finding)
{
	for (guint i = 0; i < finding->ranks->len; i++) {
		const struct record_rank *rank = finding->ranks->pdata[i];
		g_autofree char *state = words_state(rank, finding->ranks);

		if (rank->bystander || rank->call == 0)
			continue;
		json_separate(json);
		g_string_append_c(json, '[');
		json_add_number(json, rank->rank);
		json_add_number(json, rank->call);
		json_add_text(json, state);
		g_string_append_c(json, ']');
	}
}
