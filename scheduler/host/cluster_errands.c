/* Errands of the job launcher (errand.h), which outposts do. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "cluster_internal.h"
#include "environment.h"
#include "errand.h"

struct cluster_errand {
	struct cluster *cluster;
	struct frames *frames; /* to the process that the job launcher has started */
	struct machine *machine;
	struct launcher *here; /* if the machine is this one */
	guint32 number;
	char *line;
	bool begun;
};

static void answer(const struct cluster_errand *errand, int status, const char *text)
{
	g_autofree char *valid = g_utf8_make_valid(text, -1);

	frames_send_value(errand->frames, ERRAND_EXITED, 0,
	                  g_variant_new("(is)", (gint32)status, valid));
}

static void on_ended_here(void *user, const struct launcher *launcher, int status)
{
	answer(user, status, launcher_output(launcher));
}

static void begin_here(struct cluster_errand *errand)
{
	struct local *local = errand->cluster->local;
	char shell[] = "/bin/sh", option[] = "-c";
	char *command[] = {shell, option, errand->line, NULL};
	g_auto(GStrv) environment = environment_plain(NULL, true);
	g_autoptr(GError) error = NULL;

	errand->here = launcher_start(
		&(struct launcher_options){.loop = &local->loop,
	                                   .command = command,
	                                   .environment = environment,
	                                   .lock = run_directory_lock(local->options.directory),
	                                   .ended = on_ended_here,
	                                   .user = errand},
		&error);
	if (!errand->here)
		answer(errand, 127, error->message);
}

static void begin(struct cluster_errand *errand)
{
	struct machine *machine = errand->machine;

	if (errand->begun || !machine || machine->state == MACHINE_STARTING)
		return;
	errand->begun = true;
	if (machine->state == MACHINE_HOME)
		begin_here(errand);
	else if (machine->frames)
		frames_send_value(machine->frames, OUTPOST_RUN, errand->number,
		                  g_variant_new_string(errand->line));
}

void cluster_errands_begin(struct machine *machine)
{
	GHashTableIter iter;
	void *errand;

	g_hash_table_iter_init(&iter, machine->cluster->errands);
	while (g_hash_table_iter_next(&iter, NULL, &errand))
		if (((struct cluster_errand *)errand)->machine == machine)
			begin(errand);
}

void cluster_errand_exited(struct cluster *cluster, guint32 number, GBytes *bytes)
{
	const struct cluster_errand *errand = g_hash_table_lookup(cluster->errands,
	                                                          GUINT_TO_POINTER(number));
	g_autoptr(GVariant) value = frames_value(bytes, "(is)");
	const char *text;
	gint32 status;

	if (!errand || !value)
		return;
	g_variant_get(value, "(i&s)", &status, &text);
	answer(errand, status, text);
}

/* What was started is ended, and so is everything below it. */
static void release(struct cluster_errand *errand)
{
	if (errand->begun && errand->machine->frames)
		frames_send(errand->machine->frames, OUTPOST_STOP, errand->number, NULL, 0);
	launcher_free(errand->here);
	frames_free(errand->frames);
	g_free(errand->line);
}

static void on_lost(void *user, const char *why)
{
	struct cluster_errand *errand = user;

	(void)why;
	release(errand);
	g_hash_table_remove(errand->cluster->errands, GUINT_TO_POINTER(errand->number));
}

static void on_frame(void *user, const struct frame *frame)
{
	struct cluster_errand *errand = user;
	g_autoptr(GVariant) value = frame->kind == ERRAND_START ? frames_value(frame->bytes, "(ss)")
	                                                        : NULL;
	const char *machine, *line;

	if (!value || errand->machine)
		return;
	g_variant_get(value, "(&s&s)", &machine, &line);
	errand->line = g_strdup(line);
	errand->machine = cluster_machine(errand->cluster, machine);
	begin(errand);
}

static void on_errand(struct cluster *cluster, int visitor)
{
	struct frames_user user = {on_frame, on_lost, NULL};
	struct cluster_errand *errand = g_new0(struct cluster_errand, 1);

	user.user = errand;
	errand->cluster = cluster;
	errand->number = ++cluster->last_errand;
	errand->frames = frames_new(&cluster->local->loop, visitor, &user);
	g_hash_table_insert(cluster->errands, GUINT_TO_POINTER(errand->number), errand);
}

/* Makes the link to this program by which Hydra calls it. */
static bool make_link(const struct cluster *cluster, GError **error)
{
	g_autofree char *path = run_directory_file(cluster->local->options.directory, ERRAND_LINK);
	char program[4096];
	size_t size = sizeof(program);

	if (uv_exepath(program, &size) == 0 && symlink(program, path) == 0)
		return true;
	g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "cannot write %s: %s", path,
	            g_strerror(errno));
	return false;
}

bool cluster_errands_open(struct cluster *cluster, GError **error)
{
	g_autofree char *path = run_directory_file(cluster->local->options.directory,
	                                           ERRAND_SOCKET);
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int opened = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (!make_link(cluster, error)) {
		close(opened);
		return false;
	}
	g_strlcpy(address.sun_path, path, sizeof(address.sun_path));
	if (bind(opened, (const struct sockaddr *)&address, sizeof(address)) == 0
	    && listen(opened, 128) == 0) {
		cluster_door_open(&cluster->errands_door, cluster, opened, on_errand);
		return true;
	}
	g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "cannot listen on %s: %s", path,
	            g_strerror(errno));
	close(opened);
	return false;
}

void cluster_errands_close(struct cluster *cluster)
{
	GHashTableIter iter;
	void *errand;

	cluster_door_close(&cluster->errands_door);
	g_hash_table_iter_init(&iter, cluster->errands);
	while (g_hash_table_iter_next(&iter, NULL, &errand)) {
		release(errand);
		g_hash_table_iter_remove(&iter);
	}
}
