/* The output of the replayed rank. Each process of the replay writes the same at the same place of
 * these files, so what is new is what lies behind all that was there before. */
#include <fcntl.h>
#include <unistd.h>

#include "dap_internal.h"
#include "scheduler/recording/replayed_process.h"

enum { STREAMS = 2, PIECE = 16384 };

static const char *const names[STREAMS] = {"stdout", "stderr"};

struct dap_output {
	int files[STREAMS]; /* -1: it could not be opened */
	off_t told[STREAMS];
};

struct dap_output *dap_output_new(const char *directory, int rank)
{
	struct dap_output *output = g_new0(struct dap_output, 1);
	g_autofree char *folder = replayed_folder(directory, rank);

	for (int i = 0; i < STREAMS; i++) {
		g_autofree char *file = g_build_filename(folder, names[i], NULL);

		output->files[i] = open(file, O_RDONLY | O_CLOEXEC);
	}
	return output;
}

void dap_output_free(struct dap_output *output)
{
	for (int i = 0; output && i < STREAMS; i++)
		if (output->files[i] >= 0)
			close(output->files[i]);
	g_free(output);
}

/* How many of the bytes can be shown: a character may come in parts. */
static gsize whole(const char *bytes, gsize length)
{
	const char *end;

	if (g_utf8_validate(bytes, (gssize)length, &end) || length - (gsize)(end - bytes) >= 4)
		return length;
	return end == bytes ? length : (gsize)(end - bytes);
}

static bool follow(struct dap *dap, int stream)
{
	struct dap_output *output = dap->output;
	g_autofree char *bytes = g_malloc(PIECE), *text = NULL;
	const ssize_t count = output->files[stream] < 0 ? 0
	                                                : pread(output->files[stream], bytes, PIECE,
	                                                        output->told[stream]);
	const gsize length = count > 0 ? whole(bytes, (gsize)count) : 0;

	if (length == 0)
		return false;
	output->told[stream] += (off_t)length;
	text = g_utf8_make_valid(bytes, (gssize)length);
	dap_say(dap, names[stream], text);
	return true;
}

void dap_output_follow(struct dap *dap)
{
	for (int i = 0; dap->output && i < STREAMS; i++)
		while (!dap->is_gone && follow(dap, i))
			continue;
}
