#include "errand.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "environment.h"
#include "frames.h"

#define FAILED 255 /* as ssh's, if it fails itself */
#define NO_LIMIT 1e9

bool errand_is_called(const char *program)
{
	g_autofree char *name = program ? g_path_get_basename(program) : NULL;

	return g_strcmp0(name, ERRAND_LINK) == 0;
}

/* Returns the connection to the scheduler, or NULL. */
static struct frames *connect_home(void)
{
	const struct frames_user nobody = {0};
	const char *directory = g_getenv(ENVIRONMENT_DIRECTORY);
	g_autofree char *path = g_build_filename(directory ? directory : "/", ERRAND_SOCKET, NULL);
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int home = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	g_strlcpy(address.sun_path, path, sizeof(address.sun_path));
	if (home >= 0 && connect(home, (const struct sockaddr *)&address, sizeof(address)) == 0)
		return frames_new(NULL, home, &nobody);
	if (home >= 0)
		close(home);
	return NULL;
}

/* Of ssh's options, Hydra passes only some that take no argument. */
static char **skip_options(char **arguments)
{
	while (*arguments && **arguments == '-')
		arguments++;
	return arguments;
}

int errand_become(char **arguments)
{
	char **words = skip_options(arguments);
	struct frames *home = words[0] && words[1] ? connect_home() : NULL;
	g_autofree char *line = words[0] ? g_strjoinv(" ", words + 1) : NULL;
	g_autoptr(GBytes) bytes = NULL;
	g_autoptr(GVariant) value = NULL;
	const char *text;
	gint32 status;

	if (!home)
		return FAILED;
	frames_send_value(home, ERRAND_START, 0, g_variant_new("(ss)", words[0], line));
	bytes = frames_ask(home, ERRAND_EXITED, 0, NO_LIMIT);
	value = bytes ? frames_value(bytes, "(is)") : NULL;
	frames_free(home);
	if (!value)
		return FAILED;
	g_variant_get(value, "(i&s)", &status, &text);
	fputs(text, stdout);
	fflush(stdout);
	return status;
}
