#include "cluster_words.h"

#include <string.h>

/* Hydra's options that name machines, those that take a remote shell, and its kind. */
static const char *const hosts[] = {"f",        "hosts",       "host",    "hostlist",
                                    "hostfile", "machinefile", "machine", NULL};
static const char *const shells[] = {"launcher-exec", "bootstrap-exec", NULL};
static const char *const kinds[] = {"launcher", "bootstrap", NULL};

static bool is_option(const char *word, const char *const *names)
{
	return *word == '-' && g_strv_contains(names, word + (word[1] == '-' ? 2 : 1));
}

static guint machines_allocated(void)
{
	const char *number = g_getenv("SLURM_JOB_NUM_NODES");

	return g_getenv("SLURM_JOB_ID") && number ? (guint)g_ascii_strtoull(number, NULL, 10) : 0;
}

static bool refuse_kind(const char *kind, GError **error)
{
	if (g_str_equal(kind, "ssh") || g_str_equal(kind, "rsh") || g_str_equal(kind, "manual"))
		return true;
	g_set_error(error, G_SHELL_ERROR, G_SHELL_ERROR_FAILED,
	            "--launcher: ranks on several machines are started by ssh, or by what "
	            "-launcher-exec names, not by -launcher %s; in an allocation of Slurm's, use "
	            "--launcher srun",
	            kind);
	return false;
}

/* Takes the options for the remote shell out of Hydra's words. */
static bool read_hydra(char **all, struct cluster_words *words, GError **error)
{
	g_autoptr(GString) rest = g_string_new(NULL);
	bool named = g_getenv("HYDRA_HOST_FILE") != NULL, here = false;
	const char *kind = g_getenv("HYDRA_LAUNCHER");

	words->shell = g_strdup(g_getenv("HYDRA_LAUNCHER_EXEC"));
	for (guint i = 0; all[i]; i++) {
		g_autofree char *quoted = g_shell_quote(all[i]);

		named |= i > 0 && is_option(all[i], hosts);
		if (i > 0 && all[i + 1] && is_option(all[i], shells)) {
			g_free(words->shell);
			words->shell = g_strdup(all[++i]);
			continue;
		}
		if (i > 0 && all[i + 1] && is_option(all[i], kinds)) {
			kind = all[++i];
			continue;
		}
		g_string_append_printf(rest, "%s%s", i > 0 ? " " : "", quoted);
	}
	here = kind && g_str_equal(kind, "fork"); /* virtual nodes, as it were */
	if (!named || here) {
		g_clear_pointer(&words->shell, g_free);
		return true;
	}
	if (kind && !refuse_kind(kind, error))
		return false;
	words->kind = CLUSTER_HYDRA;
	words->launcher = g_strdup(rest->str);
	return true;
}

bool cluster_words_read(const char *launcher, struct cluster_words *words, GError **error)
{
	g_auto(GStrv) all = NULL;
	g_autofree char *name = NULL;

	*words = (struct cluster_words){.kind = CLUSTER_NONE};
	if (!launcher || !g_shell_parse_argv(launcher, NULL, &all, NULL))
		return true; /* the launcher's start complains */
	name = g_path_get_basename(all[0]);
	if (!g_str_equal(name, "srun"))
		return read_hydra(all, words, error);
	if (machines_allocated() > 1) {
		words->kind = CLUSTER_SLURM;
		words->launcher = g_strdup(launcher);
	}
	return true;
}

void cluster_words_clear(struct cluster_words *words)
{
	g_free(words->launcher);
	g_free(words->shell);
	*words = (struct cluster_words){.kind = CLUSTER_NONE};
}

char **cluster_words_allocation(GError **error)
{
	const char *list = g_getenv("SLURM_JOB_NODELIST");
	const char *const command[] = {"scontrol", "show", "hostnames", list, NULL};
	g_autofree char *text = NULL, *problem = NULL;
	int status;

	if (!g_spawn_sync(NULL, (char **)(guintptr)command, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL,
	                  &text, &problem, &status, error))
		return NULL;
	g_strstrip(text);
	if (status == 0 && *text)
		return g_strsplit(text, "\n", -1);
	g_set_error(error, G_SPAWN_ERROR, G_SPAWN_ERROR_FAILED,
	            "scontrol show hostnames does not list the machines of the allocation: %s",
	            g_strstrip(problem));
	return NULL;
}

char **cluster_words_command(const struct cluster_words *words, const char *machine,
                             const char *program, const char *verb)
{
	g_autoptr(GStrvBuilder) builder = g_strv_builder_new();
	g_autofree char *quoted = g_shell_quote(program);
	g_autofree char *line = g_strdup_printf("%s %s", quoted, verb);

	if (words->kind == CLUSTER_SLURM)
		g_strv_builder_add_many(builder, "srun", "--overlap", "--mpi=none", "--quiet", "-N",
		                        "1", "-n", "1", "-w", machine, program, verb, NULL);
	else if (words->shell)
		g_strv_builder_add_many(builder, words->shell, "-x", machine, line, NULL);
	else
		g_strv_builder_add_many(builder, "ssh", "-x", "-o", "BatchMode=yes", "-o",
		                        "ConnectTimeout=10", machine, line, NULL);
	return g_strv_builder_end(builder);
}
