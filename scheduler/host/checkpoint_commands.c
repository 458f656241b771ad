#include "checkpoint_commands.h"

#include <glib.h>
#include <unistd.h>

#include "launcher.h"

#define EXPORTED __attribute__((visibility("default"), used))

/* A debugger reads them. The commands are for a shell; what follows is the folder of a checkpoint,
 * or nothing. */
EXPORTED volatile int MPIR_checkpointable;
EXPORTED char *volatile MPIR_controller_hostname;
EXPORTED char *volatile MPIR_checkpoint_command;
EXPORTED char *volatile MPIR_restart_command;
EXPORTED char *volatile MPIR_checkpoint_listing_command;

static void set(char *volatile *variable, char *value)
{
	g_free(*variable);
	*variable = value;
}

void checkpoint_commands_show(const char *folder)
{
	g_autoptr(GPtrArray) words = launcher_self("checkpoint");
	g_autofree char *self = g_shell_quote(words->pdata[0]);
	g_autofree char *quoted = g_shell_quote(folder);

	g_ptr_array_set_free_func(words, g_free);
	set(&MPIR_controller_hostname, g_strdup(g_get_host_name()));
	set(&MPIR_checkpoint_command,
	    g_strdup_printf("%s checkpoint take %d", self, (int)getpid()));
	set(&MPIR_restart_command, g_strdup_printf("%s restart --debugger", self));
	set(&MPIR_checkpoint_listing_command,
	    g_strdup_printf("%s checkpoint list %s", self, quoted));
	MPIR_checkpointable = 1;
}

void checkpoint_commands_forget(void)
{
	MPIR_checkpointable = 0;
	set(&MPIR_controller_hostname, NULL);
	set(&MPIR_checkpoint_command, NULL);
	set(&MPIR_restart_command, NULL);
	set(&MPIR_checkpoint_listing_command, NULL);
}
