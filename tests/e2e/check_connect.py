"""Programs that connect: worlds of their own (--separate-worlds), ports, names, and which client is
accepted, with exact numbers of interleavings in all ways of going back."""

import harness
from harness import check

SERVER = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
	char port[MPI_MAX_PORT_NAME];
	MPI_Comm client;
	int rank, size, x, *number, there;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &there);
	printf("server %d of %d, command %d\n", rank, size, there ? *number : -1);
	if (rank == 0) {
		MPI_Open_port(MPI_INFO_NULL, port);
		MPI_Publish_name("service", MPI_INFO_NULL, port);
	}
	for (int i = 0; i < atoi(argv[1]); i++) {
		MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &client);
		if (rank == 0)
			MPI_Recv(&x, 1, MPI_INT, 0, 0, client, MPI_STATUS_IGNORE);
		MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
		printf("client %d\n", x);
		if (argc < 3)
			MPI_Comm_disconnect(&client);
	}
	if (rank == 0) {
		MPI_Unpublish_name("service", MPI_INFO_NULL, port);
		MPI_Close_port(port);
	}
	MPI_Finalize();
	return 0;
}
"""

CLIENT = r"""
#include <mpi.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
	char port[MPI_MAX_PORT_NAME];
	MPI_Comm server;
	int rank, size, *number, there;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &there);
	printf("client %d of %d, command %d\n", rank, size, there ? *number : -1);
	fflush(stdout);
	if (argc < 2 || strcmp(argv[1], "once") != 0)
		MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (argc > 1 && strcmp(argv[1], "port") == 0)
		return MPI_Comm_connect("no port", MPI_INFO_NULL, 0, MPI_COMM_SELF, &server)
		       == MPI_SUCCESS;
	while (MPI_Lookup_name("service", MPI_INFO_NULL, port) != MPI_SUCCESS)
		;
	MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &server);
	MPI_Send(&rank, 1, MPI_INT, 0, 0, server);
	MPI_Comm_disconnect(&server);
	MPI_Finalize();
	return 0;
}
"""

# Accepts what it spawns: clients that get the port as an argument.
FAMILY = r"""
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	char port[MPI_MAX_PORT_NAME], *words[] = {port, NULL};
	MPI_Comm parent, children, one;
	int rank, x;

	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&parent);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (parent == MPI_COMM_NULL) {
		MPI_Open_port(MPI_INFO_NULL, port);
		MPI_Comm_spawn(argv[0], words, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children,
		               MPI_ERRCODES_IGNORE);
		for (int i = 0; i < 2; i++) {
			MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &one);
			MPI_Recv(&x, 1, MPI_INT, 0, 0, one, MPI_STATUS_IGNORE);
			printf("client %d\n", x);
			MPI_Comm_disconnect(&one);
		}
		MPI_Comm_disconnect(&children);
		MPI_Close_port(port);
	} else {
		MPI_Comm_connect(argv[1], MPI_INFO_NULL, 0, MPI_COMM_SELF, &one);
		MPI_Send(&rank, 1, MPI_INT, 0, 0, one);
		MPI_Comm_disconnect(&one);
		MPI_Comm_disconnect(&parent);
	}
	MPI_Finalize();
	return 0;
}
"""

# Two halves of one world.
HALVES = r"""
#include <mpi.h>
int main(int argc, char **argv)
{
	char port[MPI_MAX_PORT_NAME];
	MPI_Comm half, other, all;
	int rank, size, sum;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
	if (rank == 0)
		MPI_Open_port(MPI_INFO_NULL, port);
	MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
	if (rank % 2 == 0)
		MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &other);
	else
		MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &other);
	MPI_Intercomm_merge(other, rank % 2, &all);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
	MPI_Comm_free(&all);
	MPI_Comm_disconnect(&other);
	MPI_Comm_free(&half);
	MPI_Finalize();
	return sum != size * (size - 1) / 2;
}
"""

# Rank 0 publishes, and perhaps takes it back; then the others look once.
NAMES = r"""
#include <mpi.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
	char port[MPI_MAX_PORT_NAME] = "", found[MPI_MAX_PORT_NAME];
	int rank, size, token = 0, code = MPI_SUCCESS;
	const char *how = argv[1];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (rank == 0) {
		MPI_Open_port(MPI_INFO_NULL, port);
		MPI_Publish_name("other", MPI_INFO_NULL, port);
		MPI_Publish_name("service", MPI_INFO_NULL, port);
		if (strcmp(how, "taken back") == 0)
			MPI_Unpublish_name("service", MPI_INFO_NULL, port);
	}
	if (strcmp(how, "message") == 0) {
		if (rank > 0)
			MPI_Recv(&token, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD,
			         MPI_STATUS_IGNORE);
		if (rank < size - 1)
			MPI_Send(&token, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
	} else if (strcmp(how, "race") != 0) {
		MPI_Barrier(MPI_COMM_WORLD);
	}
	if (rank == size - 1)
		code = MPI_Lookup_name("service", MPI_INFO_NULL, found);
	if (rank == 0 && strcmp(how, "taken back in a race") == 0)
		MPI_Unpublish_name("service", MPI_INFO_NULL, port);
	printf("%d\n", code == MPI_SUCCESS);
	MPI_Finalize();
	return 0;
}
"""

WAYS = ("snapshot", "rerun", "rewind")


def explore(tool, servers, server, clients, *options, findings=()):
    run = tool.run("explore", "--separate-worlds", "-n", str(servers), *options, *server, ":", "-n",
                   "2", *clients, report=True)
    check(run.report["complete"], run)
    check([f["kind"] for f in run.report["findings"]] == list(findings), run)
    return run


def printed(run):
    return {tuple(text.strip() for text in execution["output"])
            for execution in run.report["executions"]}


def check_orders(tool, server, client):
    """A server accepts its two clients in both orders. How often they look for its name depends on
    whether their states repeat; but not on how matchpoint goes back."""
    counts = set()
    for way in WAYS:
        run = explore(tool, 2, [server, "2"], [client], "--compare", "none", "--backtrack", way)
        counts.add(run.report["interleavings"])
        check(printed(run) == {
            ("server 0 of 2, command 0\nclient %d\nclient %d" % (one, other),
             "server 1 of 2, command 0\nclient %d\nclient %d" % (one, other),
             "client 0 of 2, command 0", "client 1 of 2, command 0")
            for one, other in ((0, 1), (1, 0))}, run)
    check(len(counts) == 1 and counts.pop() >= 4, run)
    run = explore(tool, 1, [server, "2"], [client], findings=["outcome-differs"])
    path = run.report["findings"][0]["path"]
    run = tool.run("replay", path, "--", server, "2", ":", "-n", "2", "-apart", client)
    check(run.status == 0 and "nothing wrong" in run.out, run)


def check_family(tool):
    """Both orders, under both bufferings."""
    family = tool.compile(tool.write("family.c", FAMILY))
    for way in WAYS:
        run = tool.run("explore", "-n", "1", "--compare", "none", "--backtrack", way, family,
                       report=True)
        check(run.status == 0 and run.report["interleavings"] == 4, run)
        check({text[0] for text in printed(run)} == {"client 0\nclient 1", "client 1\nclient 0"},
              run)


def check_faults(tool, server, client):
    # the second client asks in vain, or looks for ever: its name may be taken back before
    run = explore(tool, 1, [server, "1"], [client], "--compare", "none",
                  findings=["deadlock", "livelock"])
    check("MPI_Lookup_name" in run.out, run)
    finding = run.report["findings"][0]
    waiting = [rank for rank in finding["ranks"] if not rank.get("ended")]
    check([(rank["function"], rank["waits_for"]) for rank in waiting] == [
        ("MPI_Comm_connect", [0])], run)
    run = explore(tool, 1, [server, "3"], [client], "--compare", "none", findings=["deadlock"])
    check("MPI_Comm_accept" in run.out, run)
    # whoever asks before the name is published gets an error
    run = tool.run("explore", "--separate-worlds", "-n", "1", server, "1", ":", "-n", "1", client,
                   "once", report=True)
    check([f["kind"] for f in run.report["findings"]] == ["mpi-error"], run)
    check("MPI_Lookup_name" in run.out and 0 < run.report["findings"][0]["count"]
          < run.report["interleavings"], run)
    run = explore(tool, 1, [server, "2", "keep"], [client], "--compare", "none",
                  findings=["deadlock"])
    check("MPI_Comm_disconnect" in run.out, run)
    run = tool.run("run", "-n", "1", "--errors-returned", "finding", client, "port")
    check("MPI_Comm_connect" in run.out and "port" in run.out.lower(), run)


def check_one_world(tool):
    halves = tool.compile(tool.write("halves.c", HALVES))
    for ranks in (2, 5):
        run = tool.run("explore", "-n", str(ranks), halves, report=True)
        check(run.status == 0 and run.report["interleavings"] == 2, run)


def check_names(tool):
    """Whoever knows that a name was published finds it; who knows that it was taken back does not.
    Without such knowledge, both happen."""
    names = tool.compile(tool.write("names.c", NAMES))
    for how, answers in (("barrier", "1"), ("message", "1"), ("taken back", "0"), ("race", "01"),
                         ("taken back in a race", "01")):
        for search in ("auto", "states"):
            run = tool.run("explore", "-n", "3", "--compare", "none",
                           "--search", search, names, how, report=True)
            check(run.status == 0 and run.report["complete"], run)
            check({text[2] for text in printed(run)} == set(answers), "%s:\n%s" % (how, run))


def check_refused(tool, server, client):
    for behind, says in ((["-apart"], "behind -apart the program is missing"),
                         (["-spawned", "0.1", client, ":", "-n", "1", "-apart", client],
                          "come last")):
        run = tool.run("run", "-n", "1", server, "1", ":", "-n", "1", *behind)
        check(run.status == 2 and says in run.err, run)


def body(tool, _options):
    server, client = (tool.compile(tool.write(name + ".c", text))
                      for name, text in (("server", SERVER), ("client", CLIENT)))
    check_orders(tool, server, client)
    check_family(tool)
    check_faults(tool, server, client)
    check_one_world(tool)
    check_names(tool)
    check_refused(tool, server, client)


if __name__ == "__main__":
    harness.main(__doc__, body)
