"""minimize --emit-c writes short programs that show the finding."""

import os

import harness
from harness import check

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "..", "examples")

# Program, ranks, kind in the C program, ranks of it, whether a choice makes the difference in it.
EMITTED = [
    ("examples/mixed_rounds.c", 3, "crash", 3, True),
    ("examples/probe_then_receive.c", 3, "mpi-error", 3, True),
    ("examples/sum_by_arrival.c", 4, "crash", 3, True),
    ("examples/type_mismatch.c", 3, "type-mismatch", 3, True),
    ("examples/unbuffered_deadlock.c", 2, "deadlock", 2, False),
    ("examples/uneven_reduce.c", 3, "collective-mismatch", 2, False),
    ("examples/wildcard_deadlock.c", 3, "deadlock", 3, True),
]


def check_emitted(tool, source, ranks, kind, left, choice, lines=30):
    program = tool.compile(os.path.join(HERE, "..", "..", source))
    store = program + ".store"
    tool.run("explore", "-n", str(ranks), "--store", store, "--", program)
    file = os.path.join(tool.directory, "short_" + os.path.basename(source))
    done = tool.run("minimize", "1", "--store", store, "--emit-c", file)
    check(done.status == 0, "%s\nis to write %s" % (done, file))
    with open(file) as text:
        text = text.read()
    check(len(text.splitlines()) <= lines, "%s\nis to have %d lines" % (text, lines))
    check("mpiexec.mpich -n %d " % left in text, "%s\nis to need %d ranks" % (text, left))
    check(("takes rank" in text) == choice, "%s\nis to tell the choice" % text)
    short = tool.compile(file, "-Wall", "-Werror")
    again = tool.run("explore", "-n", str(left), "--", short, report=True)
    found = [finding for finding in again.report["findings"] if finding["kind"] == kind]
    check(again.status == 1 and len(found) >= 1, "%s\nis to show %s" % (again, kind))
    statuses = [execution["status"] for execution in again.report["executions"]]
    check(not choice or "ok" in statuses, "%s\nis to go well, too" % again)


# Whoever comes first gets an answer; rank 3 does not expect one.
GROUPS = r"""
#include <mpi.h>
int main(int argc, char **argv)
{
	int rank, value = 0;
	MPI_Comm group;
	MPI_Status status;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_split(MPI_COMM_WORLD, rank > 0, 0, &group);
	if (rank == 1) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 3, group, &status);
		MPI_Ssend(&value, 1, MPI_INT, status.MPI_SOURCE, 4, group);
		MPI_Recv(&value, 1, MPI_INT, 2, 3, group, &status);
	} else if (rank > 1) {
		MPI_Send(&value, 1, MPI_INT, 0, 3, group);
		if (rank == 2)
			MPI_Recv(&value, 1, MPI_INT, 0, 4, group, &status);
	}
	MPI_Barrier(group);
	MPI_Comm_free(&group);
	MPI_Finalize();
	return 0;
}
"""


def check_groups(tool):
    source = os.path.join(tool.directory, "groups.c")
    with open(source, "w") as file:
        file.write(GROUPS)
    check_emitted(tool, source, 4, "deadlock", 3, True, lines=40)
    with open(os.path.join(tool.directory, "short_groups.c")) as text:
        text = text.read()
    check("MPI_Comm_split" in text and ".MPI_SOURCE, 4, comm[0])" in text,
          "%s\nis to follow the source in the group" % text)


def check_not_emitted(tool):
    program = tool.compile(os.path.join(EXAMPLES, "reused_buffer.c"))
    store = program + ".store"
    tool.run("explore", "-n", "3", "--store", store, "--", program)
    for file, says in (("short.c", "by MPI calls alone"), ("short.txt", "end with .c")):
        done = tool.run("minimize", "1", "--store", store, "--emit-c", file)
        check(done.status == 4 and says in done.err, "%s\nis to say %s" % (done, says))
        check(not os.path.exists(os.path.join(tool.directory, file)), "%s is not to be" % file)


def body(tool, _):
    for emitted in EMITTED:
        check_emitted(tool, *emitted)
    check_groups(tool)
    check_not_emitted(tool)


harness.main(__doc__, body)
