#include "pickles.h"

#include <string.h>

#include "decoder_program.h"
#include "scheduler/host/installation.h"

#define PICKLE_BEGINS 0x80 /* from protocol 2 on; earlier ones have no mark */

struct pickles {
	struct decoder_program *program; /* NULL: not running */
	bool failed;
	void (*fails)(void *user, const char *reason);
	void *user;
};

struct pickles *pickles_new(void (*fails)(void *user, const char *reason), void *user)
{
	struct pickles *pickles = g_new0(struct pickles, 1);

	*pickles = (struct pickles){.fails = fails, .user = user};
	return pickles;
}

void pickles_free(struct pickles *pickles)
{
	if (!pickles)
		return;
	decoder_program_free(pickles->program);
	g_free(pickles);
}

void pickles_try_again(struct pickles *pickles)
{
	pickles->failed = false;
}

/* Isolated mode (-I): imports are Python's own, whatever is in this directory or in the
 * environment. */
static struct decoder_program *start(GError **error)
{
	g_autofree char *script = installation_find("show_pickle.py", error);
	const char *const words[] = {"python3", "-I", "-S", "-B", script, NULL};
	g_autofree char *name = g_strdup_printf("python3 %s", script);

	return script ? decoder_program_new(name, words, true, error) : NULL;
}

/* Encodes a request as show_pickle.py reads it. */
static GByteArray *request_new(const struct contents *contents, guint most)
{
	gsize length;
	const guint8 *bytes = g_bytes_get_data(contents->first, &length);
	g_autofree char *line = g_strdup_printf("%" G_GSIZE_FORMAT " %u %d\n", length, most,
	                                        contents->types.bytes > length);
	GByteArray *request = g_byte_array_new();

	g_byte_array_append(request, (const guint8 *)line, (guint)strlen(line));
	g_byte_array_append(request, bytes, (guint)length);
	return request;
}

static char *ask(struct pickles *pickles, const struct contents *contents, guint most,
                 GError **error)
{
	g_autoptr(GByteArray) request = NULL;

	if (!pickles->program)
		pickles->program = start(error);
	if (!pickles->program)
		return NULL;
	request = request_new(contents, most);
	return decoder_program_ask(pickles->program, request->data, request->len, DECODER_MS_MOST,
	                           error);
}

static void fail(struct pickles *pickles, const char *message)
{
	g_autofree char *reason = g_strdup_printf("pickles are shown as bytes: %s", message);

	g_clear_pointer(&pickles->program, decoder_program_free);
	pickles->failed = true;
	pickles->fails(pickles->user, reason);
}

static bool may_be_pickle(const struct contents *contents)
{
	gsize length;
	const guint8 *bytes = g_bytes_get_data(contents->first, &length);

	return contents_are_bytes(contents) && length > 0 && bytes[0] == PICKLE_BEGINS;
}

char *pickles_show(struct pickles *pickles, const struct contents *contents, guint most)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *text = NULL;

	if (pickles->failed || !may_be_pickle(contents))
		return NULL;
	text = ask(pickles, contents, most, &error);
	if (!text)
		fail(pickles, error->message);
	return text && *text ? g_steal_pointer(&text) : NULL;
}
