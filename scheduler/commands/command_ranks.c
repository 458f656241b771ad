#include "command_ranks.h"

#include "command.h"
#include "explorer/nodes.h"
#include "explorer/program_parts.h"
#include "scheduler/host/program.h"

bool command_add_ranks_behind(char *const *program, int most, int *ranks)
{
	g_autofree char *problem = NULL;
	const int behind = program_parts_behind(program, &problem);

	if (!problem && *ranks > 0 && behind > most - *ranks)
		problem = g_strdup("too many ranks");
	if (problem)
		command_complain("%s", problem);
	else if (*ranks > 0)
		*ranks += behind;
	return !problem;
}

bool command_read_nodes(const char *text, int ranks, const char **ret)
{
	g_autofree char *problem = NULL;

	*ret = text ? nodes_parse(text, ranks, &problem) : NULL;
	if (problem)
		command_complain("--nodes %s: %s", text, problem);
	return !problem;
}

bool command_can_start_on(const char *nodes, const char *launcher)
{
	if (!nodes || !launcher)
		return true;
	command_complain("--launcher cannot be combined with --nodes: only the usual launcher can "
	                 "start ranks of virtual nodes");
	return false;
}

bool command_can_record(char *const *program, int ranks)
{
	if (!program_parts_divide(program, ranks))
		return true;
	command_complain("-spawned, -apart: programs that spawn processes or connect cannot be "
	                 "recorded");
	return false;
}

int command_inspect_programs(char *const *program)
{
	g_autoptr(GPtrArray) names = program_parts_names(program);
	g_autoptr(GError) error = NULL;

	for (guint i = 0; i < names->len; i++) {
		if (program_usable(names->pdata[i], &error))
			continue;
		command_complain("%s", error->message);
		return EXIT_CANNOT;
	}
	return EXIT_CLEAN;
}
