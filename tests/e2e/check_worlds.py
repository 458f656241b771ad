"""What is found between worlds: roll-calls over several of them, calls in which members differ,
processes that die, communicators that nobody disconnects, and ports that nobody accepts."""

import harness
from harness import check

# The first argument names the case, in parents and children.
PARENTS = r"""
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static MPI_Comm parent, children = MPI_COMM_NULL;
static int rank, size, x;
static char **line;

static int is(const char *word)
{
	return strcmp(line[1], word) == 0;
}

static MPI_Comm spawn(int count, int root, MPI_Comm comm)
{
	MPI_Comm made;

	MPI_Comm_spawn(line[0], line + 1, count, MPI_INFO_NULL, root, comm, &made,
	               MPI_ERRCODES_IGNORE);
	return made;
}

static void receive(int source, MPI_Comm comm)
{
	MPI_Recv(&x, 1, MPI_INT, source, 0, comm, MPI_STATUS_IGNORE);
}

static void be_parent(void)
{
	MPI_Comm all;

	if (is("roots")) {
		children = spawn(1, rank, MPI_COMM_WORLD);
	} else if (is("other") || is("absent")) {
		if (rank == 0)
			children = spawn(1, 0, MPI_COMM_WORLD);
		else if (is("other"))
			MPI_Barrier(MPI_COMM_WORLD);
	} else if (is("counts")) { /* only the root's are significant */
		MPI_Comm_spawn(rank == 0 ? line[0] : "x", rank == 0 ? line + 1 : MPI_ARGV_NULL,
		               rank == 0 ? 2 : 7, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
		               MPI_ERRCODES_IGNORE);
	} else if (is("two")) {
		children = spawn(1, 0, MPI_COMM_SELF);
		receive(0, spawn(1, 0, MPI_COMM_SELF));
	} else {
		children = spawn(2, 0, MPI_COMM_WORLD);
	}
	if (is("barrier"))
		MPI_Barrier(children);
	if (is("cross"))
		MPI_Bcast(&x, 1, MPI_INT, rank == 0 ? MPI_ROOT : MPI_PROC_NULL, children);
	if (rank == 0 && (is("cycle") || is("finalize") || is("type") || is("crash") || is("exit")))
		receive(1, children);
	if (is("merged"))
		MPI_Intercomm_merge(children, 0, &all);
	if (children != MPI_COMM_NULL && !is("kept"))
		MPI_Comm_disconnect(&children);
}

static void be_child(void)
{
	int four[4] = {0};
	MPI_Comm all;

	if (is("cycle"))
		receive((rank + 1) % size, MPI_COMM_WORLD);
	if (is("two"))
		receive(0, parent);
	if (is("cross") || (is("barrier") && rank == 0))
		MPI_Barrier(parent);
	if (is("type") && rank == 1)
		MPI_Send(four, 4, MPI_INT, 0, 0, parent);
	if (is("unreceived"))
		MPI_Send(&x, 1, MPI_INT, 0, 0, parent);
	if (is("crash") && rank == 1)
		abort();
	if (is("exit") && rank == 1)
		_exit(3);
	if (is("merged"))
		MPI_Intercomm_merge(parent, 1, &all);
	if (!is("kept") && !is("finalize"))
		MPI_Comm_disconnect(&parent);
}

int main(int argc, char **argv)
{
	line = argv;
	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&parent);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (parent == MPI_COMM_NULL)
		be_parent();
	else
		be_child();
	MPI_Finalize();
	return 0;
}
"""

# Spawns the second program, which does what its argument says before MPI_Init.
STARTS = r"""
#include <mpi.h>
int main(int argc, char **argv)
{
	MPI_Comm children;

	MPI_Init(&argc, &argv);
	MPI_Comm_spawn(argv[1], argv + 2, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children,
	               MPI_ERRCODES_IGNORE);
	MPI_Comm_disconnect(&children);
	MPI_Finalize();
	return 0;
}
"""
DIES = r"""
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
	MPI_Comm parent;

	if (strcmp(argv[1], "crash") == 0)
		abort();
	if (strcmp(argv[1], "exit") == 0)
		return 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&parent);
	MPI_Comm_disconnect(&parent);
	MPI_Finalize();
	return argc == 7;
}
"""

PORTS = r"""
#include <mpi.h>
#include <string.h>
int main(int argc, char **argv)
{
	char port[MPI_MAX_PORT_NAME] = "nowhere";
	MPI_Comm other = MPI_COMM_NULL;
	const char *how = argv[1];
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (strcmp(how, "client") == 0) {
		MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
		while (MPI_Lookup_name("service", MPI_INFO_NULL, port) != MPI_SUCCESS)
			;
		MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
	} else if (strcmp(how, "nowhere") != 0 && rank == 0) {
		MPI_Open_port(MPI_INFO_NULL, port);
		MPI_Publish_name("service", MPI_INFO_NULL, port);
	}
	if (strcmp(how, "client") == 0 || strcmp(how, "nowhere") == 0)
		MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other);
	else if (strcmp(how, "part") == 0 && rank == 1)
		MPI_Barrier(MPI_COMM_WORLD);
	else if (strcmp(how, "never") != 0)
		MPI_Comm_accept(port, MPI_INFO_NULL, strcmp(how, "roots") == 0 ? rank : 0,
		                MPI_COMM_WORLD, &other);
	if (other != MPI_COMM_NULL)
		MPI_Comm_disconnect(&other);
	MPI_Finalize();
	return 0;
}
"""

DISCONNECT = "MPI_Comm_disconnect(comm 2: MPI_Comm_spawn at "

# For each case with two parents: kinds of findings, and what the report says.
SPAWNED = {
    "roots": (["collective-mismatch"], ["root (ranks 0 and 1) of MPI_Comm_spawn on MPI_COMM_WORLD",
                                        ".1:0  is not spawned\n"]),
    "other": (["collective-mismatch"], ["rank 0 calls MPI_Comm_spawn, rank 1 calls MPI_Barrier"]),
    "absent": (["collective-mismatch"], ["rank 1 calls MPI_Finalize"]),
    "counts": ([], []),
    "cycle": (["deadlock"], ["rank 0 ", "waits for rank 0.1:1\n", "waits for rank 0.1:0\n",
                             "waits for ranks 0, 0.1:0, 0.1:1\n", DISCONNECT]),
    "two": (["deadlock"], ["waits for rank 0.2:0\n", "waits for rank 1.2:0\n", "rank 0.1:0 ",
                           "waits for rank 1\n", "comm 1.3: MPI_Comm_spawn"]),
    "barrier": (["collective-mismatch"], ["rank 0 calls MPI_Barrier, rank 0.1:1 calls "
                                          "MPI_Comm_disconnect) on comm 2 (MPI_Comm_spawn"]),
    "cross": (["collective-mismatch"], ["rank 0 calls MPI_Bcast, rank 0.1:0 calls MPI_Barrier"]),
    "type": (["mpi-error"], ["rank 0.1:1 sends 4 MPI_INT at", "rank 0 has room for 1 MPI_INT"]),
    "unreceived": (["deadlock", "leak"], ["ranks 0.1:0, 0.1:1  MPI_Send(dest=0",
                                          "are never received (rank 0.1:0: 1, rank 0.1:1: 1)"]),
    "kept": (["leak"], ["2 communicators made by MPI_Comm_spawn at", "(rank 0: 1, rank 1: 1)"]),
    "merged": (["leak", "leak"], ["(rank 0: 1, rank 1: 1)", "made by MPI_Intercomm_merge at",
                                  "(rank 0.1:0: 1, rank 0.1:1: 1)"]),
    "crash": (["crash"], ["rank 0.1:1 killed by SIGABRT", "waits for rank 0.1:1, which has ended"]),
    "exit": (["exit"], ["rank 0.1:1 exited with status 3 without MPI_Finalize",
                        "waits for rank 0.1:1, which has ended"]),
    "finalize": (["deadlock"], ["ranks 0.1:0, 0.1:1  ended",
                                "waits for rank 0.1:1, which has ended"]),
}

# Two ranks, alone or with a client in a world of its own.
CONNECTED = {
    "accept": (False, ["deadlock"], ["rank 0  MPI_Comm_accept(any client)",
                                     "rank 1  MPI_Comm_accept()"]),
    "nowhere": (False, ["mpi-error"], ["Invalid port", "MPI_Comm_connect()"]),
    "never": (True, ["deadlock"], ["rank 1:0  MPI_Comm_connect()", "waits for rank 0, which has "
                                   "ended"]),
    "part": (True, ["collective-mismatch"], ["rank 0 calls MPI_Comm_accept, rank 1 calls "
                                             "MPI_Barrier", "rank 1:0  MPI_Comm_connect()"]),
    "roots": (True, ["collective-mismatch"], ["root (ranks 0 and 1) of MPI_Comm_accept on "]),
    "served": (True, [], []),
}


def explore(tool, words, kinds, says):
    run = tool.run("explore", "--compare", "none", *words, report=True)
    check([f["kind"] for f in run.report["findings"]] == kinds, run)
    check(run.status == (1 if kinds else 0) or "not all" in run.out, run)
    for text in says:
        check(text in run.out, "%s\nis to print %s" % (run, text))
    check("_and_start" not in run.out, run)  # the shim's own frames


def body(tool, _options):
    parents, starts, dies, ports = (
        tool.compile(tool.write(name + ".c", text))
        for name, text in (("parents", PARENTS), ("starts", STARTS), ("dies", DIES),
                           ("ports", PORTS)))
    for case, (kinds, says) in SPAWNED.items():
        explore(tool, ("-n", "2", parents, case), kinds, says)
    for how, kind, says in (("crash", "crash", "rank 0.1:0 killed by SIGABRT"),
                            ("exit", "exit", "rank 0.1:0 exited with status 0 without MPI_Final")):
        explore(tool, ("-n", "1", starts, dies, how), [kind],
                [says, "rank 0 ", "waits for rank 0.1:0, which has ended"])
    for case, (client, kinds, says) in CONNECTED.items():
        behind = (":", "-n", "1", ports, "client") if client else ()
        explore(tool, (*(["--separate-worlds"] if client else []), "-n", "2", ports, case, *behind),
                kinds, says)


if __name__ == "__main__":
    harness.main(__doc__, body)
