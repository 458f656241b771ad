#include "program_files.h"

struct answer {
	bool is_there;
	struct host_file file;
	GBytes *contents;
};

static bool is_answered(void *data)
{
	return ((const struct answer *)data)->is_there;
}

static void on_file(void *user, struct host_file file)
{
	struct answer *answer = user;

	answer->file = file;
	answer->is_there = true;
}

static void on_contents(void *user, GBytes *contents)
{
	struct answer *answer = user;

	answer->contents = contents;
	answer->is_there = true;
}

struct host_file program_file_look(struct host *host, const char *path)
{
	struct answer answer = {0};

	host->operations->file_look(host, path, on_file, &answer);
	host_wait(host, is_answered, &answer, 0);
	return answer.file;
}

bool program_file_is_there(struct host *host, const char *path)
{
	struct host_file file = program_file_look(host, path);

	g_free(file.real);
	return file.is_there;
}

GBytes *program_file_read(struct host *host, const char *path, guint64 most)
{
	struct answer answer = {0};

	host->operations->file_read(host, path, most, on_contents, &answer);
	host_wait(host, is_answered, &answer, 0);
	return answer.contents;
}
