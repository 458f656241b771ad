/* Whether the words of --launcher start ranks on several machines, and how machines are reached. */
#ifndef MATCHPOINT_SCHEDULER_HOST_CLUSTER_WORDS_H
#define MATCHPOINT_SCHEDULER_HOST_CLUSTER_WORDS_H

#include <glib.h>
#include <stdbool.h>

enum cluster_kind {
	CLUSTER_NONE,  /* all ranks are on this machine */
	CLUSTER_HYDRA, /* Hydra names the machines when it starts a job */
	CLUSTER_SLURM, /* srun in an allocation of several machines */
};

struct cluster_words {
	enum cluster_kind kind;
	char *launcher; /* the words of --launcher without those for the remote shell */
	char *shell;    /* program to be called like ssh; NULL: ssh, or srun */
};

/* `launcher`: NULL: none. The environment is ours. Returns false with `error` set: the launcher is
 * asked for a remote shell that cannot be taken over. */
bool cluster_words_read(const char *launcher, struct cluster_words *words, GError **error);
void cluster_words_clear(struct cluster_words *words);

/* The machines of Slurm's allocation, NULL-terminated; NULL with `error` set. Free with
 * g_strfreev. */
char **cluster_words_allocation(GError **error);

/* The command that starts `program` with a verb on a machine. Free with g_strfreev. */
char **cluster_words_command(const struct cluster_words *words, const char *machine,
                             const char *program, const char *verb);

#endif
