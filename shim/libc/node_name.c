#define _GNU_SOURCE
#include "node_name.h"

#include <sys/syscall.h>
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

/* Not NEXT: constructors of MPI's libraries ask for the name. A sanitizer begins when dlsym() frees
 * its last message, and what it then calls would have that freed again. */
static int ask_kernel(struct utsname *ret)
{
	return (int)syscall(SYS_uname, ret);
}

EXPORTED int gethostname(char *name, size_t size)
{
	const struct virtual_node *node = virtual_node_own();
	struct utsname own;

	if (node)
		return virtual_node_name(node, name, size);
	return ask_kernel(&own) < 0 ? -1 : virtual_node_copy(own.nodename, name, size);
}

EXPORTED int __gethostname_chk(char *name, size_t size, size_t room)
{
	return size <= room ? gethostname(name, size)
	                    : NEXT(__gethostname_chk)(name, size, room); /* ends the process */
}

EXPORTED int uname(struct utsname *name)
{
	const struct virtual_node *node = virtual_node_own();
	const int code = ask_kernel(name);

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
