#include "decoders.h"

#include <stdbool.h>
#include <string.h>

#include "decoder_program.h"

#define INDENT "  "

G_DEFINE_QUARK(matchpoint_decoders_error, decoders_error)

struct decoder {
	bool any_tag;
	gint32 tag;
	char *comm; /* NULL: any */
	char *command;
};

struct decoders {
	GPtrArray *all; /* struct decoder */
};

static void decoder_free(gpointer data)
{
	struct decoder *decoder = data;

	g_free(decoder->comm);
	g_free(decoder->command);
	g_free(decoder);
}

struct decoders *decoders_new(void)
{
	struct decoders *decoders = g_new0(struct decoders, 1);

	decoders->all = g_ptr_array_new_with_free_func(decoder_free);
	return decoders;
}

void decoders_free(struct decoders *decoders)
{
	if (!decoders)
		return;
	g_ptr_array_unref(decoders->all);
	g_free(decoders);
}

/* --- selection -------------------------------------------------------------------------------- */

/* Takes the next word of *text, or the text between quotes. Free with g_free. */
static char *take_word(const char **text)
{
	const char *quote = **text == '"' ? strchr(*text + 1, '"') : NULL;
	gsize length = quote ? (gsize)(quote - *text) - 1 : strcspn(*text, " \t");
	char *word = g_strndup(quote ? *text + 1 : *text, length);

	*text += quote ? length + 2 : length;
	*text += strspn(*text, " \t");
	return word;
}

/* Reads "tag 7 comm rows". Returns NULL, or what is wrong (g_free). */
static char *read_condition(struct decoder *decoder, const char **text)
{
	while (g_str_has_prefix(*text, "tag ") || g_str_has_prefix(*text, "comm ")) {
		g_autofree char *name = take_word(text), *value = take_word(text);
		gint64 number;

		if (strcmp(name, "comm") == 0) {
			g_free(decoder->comm);
			decoder->comm = g_steal_pointer(&value);
		} else if (g_ascii_string_to_signed(value, 10, 0, G_MAXINT32, &number, NULL)) {
			decoder->any_tag = false;
			decoder->tag = (gint32)number;
		} else {
			return g_strdup_printf("%s is not a tag", value);
		}
	}
	return NULL;
}

char *decoders_set(struct decoders *decoders, const char *text)
{
	struct decoder *decoder;
	char *problem;

	if (strcmp(text, "off") == 0) {
		g_ptr_array_set_size(decoders->all, 0);
		return NULL;
	}
	decoder = g_new0(struct decoder, 1);
	decoder->any_tag = true;
	problem = read_condition(decoder, &text);
	if (!problem && !*text)
		problem = g_strdup("no command given; for example: set decoder tag 7 ./show, or "
		                   "pickle, or hex");
	decoder->command = g_strdup(text);
	if (problem)
		decoder_free(decoder);
	else
		g_ptr_array_add(decoders->all, decoder);
	return problem;
}

const char *decoders_find(const struct decoders *decoders, gint32 tag, const char *comm)
{
	for (guint i = decoders->all->len; i > 0; i--) {
		const struct decoder *decoder = decoders->all->pdata[i - 1];

		if ((decoder->any_tag || decoder->tag == tag)
		    && (!decoder->comm || (comm && g_ascii_strcasecmp(decoder->comm, comm) == 0)))
			return decoder->command;
	}
	return NULL;
}

/* --- JSON as a tree --------------------------------------------------------------------------- */

static void new_line(GString *text, int depth)
{
	g_string_append_c(text, '\n');
	for (int i = 0; i < MIN(depth, 40); i++)
		g_string_append(text, INDENT);
}

/* The length of the string at the beginning of a text. */
static gsize string_length(const char *text)
{
	gsize length = 1;

	while (text[length] && text[length] != '"')
		length += text[length] == '\\' && text[length + 1] ? 2 : 1;
	return length + (text[length] == '"' ? 1 : 0);
}

static gsize indent_one(GString *text, const char *at, int *depth)
{
	gsize length = *at == '"' ? string_length(at) : 1;
	bool empty = (*at == '{' || *at == '[') && strchr("}]", at[1 + strspn(at + 1, " \t\n")]);

	if (strchr(" \t\r\n", *at))
		return 1;
	if (*at == '}' || *at == ']')
		new_line(text, --*depth);
	g_string_append_len(text, at, (gssize)length);
	if (empty) {
		length += 1 + strspn(at + 1, " \t\n");
		g_string_append_c(text, at[length - 1]);
	} else if (*at == '{' || *at == '[') {
		new_line(text, ++*depth);
	} else if (*at == ',') {
		new_line(text, *depth);
	} else if (*at == ':') {
		g_string_append_c(text, ' ');
	}
	return length;
}

char *decoders_indent(const char *text)
{
	GString *told = g_string_new(NULL);
	int depth = 0;

	if (*text != '{' && *text != '[')
		g_string_append(told, text);
	else
		for (const char *at = text; *at;)
			at += indent_one(told, at, &depth);
	if (told->len > 0 && told->str[told->len - 1] != '\n')
		g_string_append_c(told, '\n');
	return g_string_free(told, false);
}

/* --- programs --------------------------------------------------------------------------------- */

char *decoders_run(const char *command, const guint8 *bytes, gsize length, GError **error)
{
	const char *const words[] = {"/bin/sh", "-c", command, NULL};
	struct decoder_program *program = decoder_program_new(command, words, false, error);
	g_autofree char *told = program ? decoder_program_decode(program, bytes, length,
	                                                         DECODER_MS_MOST, error)
	                                : NULL;

	decoder_program_free(program);
	return told ? decoders_indent(told) : NULL;
}
