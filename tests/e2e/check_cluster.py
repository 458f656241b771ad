"""Ranks on several nodes: a launcher that starts them there is controlled as one for this machine.
All interleavings, output, exit statuses and places come from everywhere. A lost node ends
everything, and is no finding. Nothing is left behind on any node. Needs root, for nodes that are
namespaces."""

import os
import sys

import harness
import private_nodes
from harness import check

SKIPPED = 77

# Rank 0 receives in any order, and prints whose message was first. "crash": the last rank dies if
# its message was. "long": it computes for ever. "until FILE": so, if its message was, and there is
# no such file. "leaves": it leaves a process behind. "status": it ends with status 7.
SOURCE = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int rank, size, value, order[16];
	char host[MPI_MAX_PROCESSOR_NAME], *large = malloc(1 << 20);

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Get_processor_name(host, &value);
	printf("rank %d is on %s\n", rank, host);
	for (int i = 1; rank == 0 && i < size; i++) {
		MPI_Recv(&order[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
		         MPI_STATUS_IGNORE);
		if (i == 1)
			printf("first %d\n", order[i]);
	}
	if (rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	memset(large, rank + 1, 1 << 20);
	MPI_Sendrecv_replace(large, 1 << 20, MPI_CHAR, (rank + 1) % size, 1,
	                     (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (large[(1 << 20) - 1] != (rank + size - 1) % size + 1)
		printf("wrong data\n");
	MPI_Bcast(&order[1], 1, MPI_INT, 0, MPI_COMM_WORLD);
	if (argc > 1 && !strcmp(argv[1], "crash") && order[1] == 3 && rank == size - 1) {
		fprintf(stderr, "last words\n");
		abort();
	}
	for (volatile int i = 0; argc > 1 && !strcmp(argv[1], "long") && rank == size - 1; i++)
		;
	while (argc > 2 && order[1] == 3 && rank == size - 1 && access(argv[2], F_OK) != 0)
		;
	MPI_Finalize();
	return argc > 1 && !strcmp(argv[1], "status") && rank == size - 1 ? 7 : 0;
}
"""


class Cluster:
    def __init__(self, tool, nodes):
        self.tool = tool
        self.nodes = nodes
        self.program = tool.compile(tool.write("orders.c", SOURCE))
        self.mpiexec = tool.mpicc.replace("mpicc", "mpiexec")
        self.real = tool.matchpoint
        tool.matchpoint = tool.write("matchpoint-on-head", "#!/bin/sh\nexec %s \"$@\"\n" % (
            " ".join(nodes.command("head", self.real, place='"$PWD"'))))
        os.chmod(tool.matchpoint, 0o755)
        tool.environment["UCX_NET_DEVICES"] = "eth0"
        self.launcher = self.launcher_on("node1:2,node2:2")

    def launcher_on(self, hosts, shell=None):
        return "%s -launcher ssh -launcher-exec %s -hosts %s -n 4" % (
            self.mpiexec, shell or self.nodes.shell, hosts)

    def explore(self, *arguments, launcher=None, options=()):
        run = self.tool.run("explore", "-n", "4", "-j", "1", *options, "--launcher",
                            launcher or self.launcher, self.program, *arguments, report=True)
        self.check_nothing_left(run)
        return run

    def start_long(self, name, *arguments):
        """Explores what computes for ever; with a store and a mark of that name."""
        return self.tool.start(["explore", "-n", "4", "-j", "1", "--store", name, "--launcher",
                                self.launcher, self.program, *(arguments or ["long"])], name)

    def computing(self):
        """Processes of the program on node2 that have computed for a while."""
        return [pid for pid in self.nodes.pids("node2", os.path.basename(self.program))
                if self.nodes.seconds(pid) > 0.5]

    def check_nothing_left(self, text):
        harness.wait_until(lambda: not self.nodes.left(),
                           lambda: "nothing is left: %s\n%s" % (self.nodes.left(), text), 20)


def check_all_found(cluster):
    """As on one machine: the same interleavings, with the same output."""
    here = cluster.tool.run("explore", "-n", "4", "-j", "1", "--backtrack", "rerun",
                            cluster.program, report=True)
    there = cluster.explore()
    check(there.status == here.status == 1 and there.report["interleavings"] == 12, there)
    check(there.report["backtrack"] == "rerun", there)
    check("by rerunning: ranks are on several machines" in there.out, there)
    paths = [[one["path"] for one in run.report["executions"]] for run in (here, there)]
    check(sorted(paths[0]) == sorted(paths[1]), "%s\n%s" % (here, there))
    for one in there.report["executions"]:
        for rank, output in enumerate(one["output"]):
            check("rank %d is on node%d" % (rank, 1 + rank // 2) in output, there)
            check("wrong data" not in output, there)


def check_ends_known(cluster):
    """How ranks end, where, and what they printed before."""
    run = cluster.explore("crash")
    crash = [one for one in run.report["findings"] if one["kind"] == "crash"]
    check(run.status == 1 and len(crash) == 1, run)
    line = SOURCE[:SOURCE.index("abort()")].count("\n") + 1
    check("rank 3 killed by SIGABRT at orders.c:%d" % line in run.out, run)
    check("last words" in run.out, run)
    run = cluster.explore("status")
    check("7" in str(run.report["findings"]) and run.status == 1, run)


def on_cluster(tool, why, *checks):
    """Calls each of these with a cluster. `why`: it cannot be done; None: it can."""
    if why:
        print("not checked: %s" % why)
        sys.exit(SKIPPED)
    nodes = private_nodes.PrivateNodes(os.path.join(tool.directory, "nodes"))
    try:
        cluster = Cluster(tool, nodes)
        for one in checks:
            one(cluster)
    finally:
        nodes.end()


def body(tool, _options):
    on_cluster(tool, private_nodes.obstacle(), check_all_found, check_ends_known)


if __name__ == "__main__":
    harness.main(__doc__, body)
