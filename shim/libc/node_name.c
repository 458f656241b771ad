#define _GNU_SOURCE
#include "node_name.h"

#include <sys/utsname.h>
#include <unistd.h>

#include "common/virtual_nodes.h"
#include "shim/mpi/next.h"

/* glibc's, for programs compiled with _FORTIFY_SOURCE. */
int __gethostname_chk(char *name, size_t size, size_t room);

void node_name_start(void)
{
	virtual_node_own();
}

EXPORTED int gethostname(char *name, size_t size)
{
	const struct virtual_node *node = virtual_node_own();

	return node ? virtual_node_name(node, name, size) : NEXT(gethostname)(name, size);
}

EXPORTED int __gethostname_chk(char *name, size_t size, size_t room)
{
	const struct virtual_node *node = virtual_node_own();

	return node && size <= room ? virtual_node_name(node, name, size)
	                            : NEXT(__gethostname_chk)(name, size, room);
}

EXPORTED int uname(struct utsname *name)
{
	const struct virtual_node *node = virtual_node_own();
	const int code = NEXT(uname)(name);

	if (code == 0 && node)
		virtual_node_name(node, name->nodename, sizeof(name->nodename));
	return code;
}

EXPORTED long gethostid(void)
{
	const struct virtual_node *node = virtual_node_own();
	const long id = NEXT(gethostid)();

	return node ? id ^ (node->number + 1) : id;
}
