"""--nodes: MPI and the program see virtual nodes, in all ways of going back. They belong to the
paths, so whatever repeats an interleaving has them. A bug that needs two nodes is found."""

import os
import re
import shutil
import sys

import harness
from harness import check

# Each rank prints where it is, by all that can be asked. With "shared", a window over all ranks.
WHERE = r"""
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static int size_of(MPI_Comm comm)
{
	int size;

	MPI_Comm_size(comm, &size);
	MPI_Comm_free(&comm);
	return size;
}

static int guided(void)
{
#ifdef MPI_COMM_TYPE_HW_GUIDED
	MPI_Comm node;
	MPI_Info info;

	MPI_Info_create(&info);
	MPI_Info_set(info, "mpi_hw_resource_type", "mpi_shared_memory");
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &node);
	MPI_Info_free(&info);
	return size_of(node);
#else
	return 0;
#endif
}

static void share(MPI_Comm comm, const char *what)
{
	MPI_Win window;
	int code, class = 0, rank, *mine, *first, unit;
	MPI_Aint size;

	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	MPI_Comm_rank(comm, &rank);
	code = MPI_Win_allocate_shared(sizeof(int), 1, MPI_INFO_NULL, comm, &mine, &window);
	MPI_Error_class(code, &class);
	if (class == MPI_SUCCESS) {
		MPI_Win_shared_query(window, 0, &size, &unit, &first);
		MPI_Win_fence(0, window);
		if (rank == 0)
			*mine = 42;
		MPI_Win_fence(0, window);
		printf("%s: %d\n", what, *first);
		MPI_Win_free(&window);
	} else {
		printf("%s: %s\n", what, class == MPI_ERR_RMA_SHARED ? "refused" : "?");
	}
}

int main(int argc, char **argv)
{
	char name[MPI_MAX_PROCESSOR_NAME], host[64] = "", brief[3];
	struct utsname names;
	int length, rank, place, size;
	MPI_Comm node;

	gethostname(host, sizeof(host)); /* before MPI_Init */
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
	MPI_Comm_rank(node, &place);
	MPI_Comm_size(node, &size);
	MPI_Get_processor_name(name, &length);
	uname(&names);
	printf("%d: %d of %d on %s %s %s %d\n", rank, place, size, name, host, names.nodename,
	       length == (int)strlen(name) && gethostname(brief, sizeof(brief)) == -1);
	if (guided() && guided() != size)
		printf("guided otherwise\n");
	if (argc > 1) {
		share(node, "node");
		share(MPI_COMM_WORLD, "world");
	}
	MPI_Comm_free(&node);
	MPI_Finalize();
	return 0;
}
"""

# Workers send to the leader of their node, leaders to rank 0. Rank 0 takes it for granted that the
# first message is a worker's, which it is if there is one node.
LEADERS = r"""
#include <mpi.h>
int main(int argc, char **argv)
{
	int rank, ranks, place, size, value, messages;
	MPI_Status status;
	MPI_Comm node, leaders;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
	MPI_Comm_rank(node, &place);
	MPI_Comm_size(node, &size);
	MPI_Comm_split(MPI_COMM_WORLD, place == 0 ? 0 : MPI_UNDEFINED, rank, &leaders);
	messages = size - 1;
	if (rank == 0) {
		int count;

		MPI_Comm_size(leaders, &count);
		messages += count - 1;
	}
	for (int i = 0; place == 0 && i < messages; i++) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
		if (rank == 0 && i == 0 && status.MPI_SOURCE >= size)
			MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD, &status);
	}
	if (place > 0)
		MPI_Send(&rank, 1, MPI_INT, rank - place, 0, MPI_COMM_WORLD);
	else if (rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	if (leaders != MPI_COMM_NULL)
		MPI_Comm_free(&leaders);
	MPI_Comm_free(&node);
	MPI_Finalize();
	return 0;
}
"""

FORTRAN = """
program where
  use mpi
  implicit none
  character(len=MPI_MAX_PROCESSOR_NAME) :: name
  integer :: node, rank, size, length, error

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, node, error)
  call MPI_Comm_size(node, size, error)
  call MPI_Get_processor_name(name, length, error)
  print '(I0, A, I0, A, A)', rank, ": ", size, " on ", name(1:length)
  call MPI_Comm_free(node, error)
  call MPI_Finalize(error)
end program
"""

# (--nodes, ranks, what ranks print, the nodes in the path)
DIVISIONS = [
    ("2", 4, ["0 of 2 on 0", "1 of 2 on 0", "0 of 2 on 1", "1 of 2 on 1"], "nodes2:"),
    ("2+2", 4, ["0 of 2 on 0", "1 of 2 on 0", "0 of 2 on 1", "1 of 2 on 1"], "nodes2:"),
    ("1+3", 4, ["0 of 1 on 0", "0 of 3 on 1", "1 of 3 on 1", "2 of 3 on 1"], "nodes1+3:"),
    ("2", 3, ["0 of 2 on 0", "1 of 2 on 0", "0 of 1 on 1"], "nodes2:"),
    ("3", 3, ["0 of 1 on 0", "0 of 1 on 1", "0 of 1 on 2"], "nodes3:"),
]


def lines(places):
    """What WHERE prints, for "0 of 2 on 1" of each rank."""
    told = []
    for rank, place in enumerate(places):
        words, node = place.rsplit(" ", 1)
        told.append("%d: %s %s 1" % (rank, words, " ".join(["node" + node] * 3)))
    return told


def printed(run):
    """Lines of ranks, without the rank in brackets."""
    return sorted(line.split("] ", 1)[1] for line in run.out.splitlines()
                  if re.match(r"\[\d+\] ", line))


def check_places(tool, where):
    for nodes, ranks, places, in_path in DIVISIONS:
        run = tool.run("run", "-v", "-n", str(ranks), "--nodes", nodes, where, report=True)
        check(run.status == 0 and printed(run) == lines(places), run)
        path = run.report["executions"][0]["path"]
        check(path.startswith("mp1:n%d:%s" % (ranks, in_path)), path)
        check(run.report["nodes"] == in_path[5:-1], run)
        replayed = tool.run("replay", path, "-v", "--", where)
        check(replayed.status == 0 and printed(replayed) == lines(places), replayed)
    run = tool.run("run", "-v", "-n", "2", "--nodes", "1", where, report=True)
    check(run.status == 0 and "nodes" not in run.report, run)
    check(len(printed(run)) == 2 and "node" not in run.out, run)


def check_windows(tool, where):
    run = tool.run("run", "-v", "-n", "4", "--nodes", "2", where, "shared")
    check(run.status == 0 and printed(run).count("node: 42") == 4, run)
    check(printed(run).count("world: refused") == 4, run)
    run = tool.run("run", "-v", "-n", "4", where, "shared")
    check(run.status == 0 and printed(run).count("world: 42") == 4, run)
    fatal = tool.run("run", "-n", "4", "--nodes", "2", "--errors-returned", "finding", where,
                     "shared")
    check(fatal.status == 1 and "MPI_Win_allocate_shared" in fatal.out, fatal)


def check_bug(tool):
    """It needs two nodes, and everything that repeats its path has them."""
    program = tool.compile(tool.write("leaders.c", LEADERS))
    run = tool.run("explore", "-n", "4", program)
    check(run.status == 0, run)
    for way in ("snapshot", "rerun", "rewind"):
        run = tool.run("explore", "-n", "4", "--nodes", "2", "--backtrack", way, "--html",
                       "nodes.html", program, report=True)
        check(run.status == 1 and run.report["complete"], run)
        check(run.report["interleavings"] == 4, run)
        check(run.report["backtrack"] == ("rerun" if way == "rerun" else "snapshot"), run)
        check("4 ranks on 2 nodes" in run.out, run)
    path = run.report["findings"][0]["path"]
    check(path.startswith("mp1:n4:nodes2:"), path)
    check("matchpoint replay %s" % path in run.out, run)
    with open(os.path.join(tool.directory, "nodes.html"), encoding="utf-8") as file:
        page = file.read()
    check("4 ranks on 2 nodes" in page and path in page, "the page has no nodes")
    check_repeats(tool, program, path)
    check_stores(tool, program)


def check_repeats(tool, program, path):
    for words in (["replay", path, "--", program], ["replay", "1"], ["minimize", "1"],
                  ["minimize", path, "--", program]):
        run = tool.run(*words)
        check(run.status == (words[0] == "replay") and "mp1:n4:nodes2:" in run.out, run)
    run = tool.run("explore", "--from", path, "--store", "from", program)
    check(run.status == 1 and "on 2 nodes" in run.out, run)
    run = tool.run("minimize", "1", "--emit-script", "shown", "--store", ".matchpoint")
    check(run.status == 0, run)
    run = tool.run("replay", "shown")
    check(run.status == 1 and "mp1:n4:nodes2:" in run.out, run)
    script = tool.write("script", "info choices\ngoto mp1:n4:\nposition\n")
    run = tool.run("debug", path, "-x", script, "--batch", "--", program)
    check("that path is for --nodes 1" in run.out, run)
    run = tool.run("replay", path.replace("nodes2:", ""), "--", program)
    check(run.status in (0, 4), run)  # on one node there is no such bug


def check_stores(tool, program):
    whole = ["explore", "-n", "4", "--nodes", "2", "--keep-going"]
    for shard in ("1", "2"):
        tool.run(*whole, "--shard", shard + "/2", "--store", "shard-" + shard, program)
    run = tool.run("report", "shard-1", "shard-2", "--merge-into", "all", report=True)
    check(run.report["complete"] and run.report["nodes"] == "2", run)
    check(run.report["interleavings"] == 4, run)
    run = tool.run("explore", "-n", "4", "--nodes", "3", "--shard", "2/2", "--store", "shard-2",
                   program)
    run = tool.run("report", "shard-1", "shard-2", "--merge-into", "none")
    check(run.status not in (0, 1) and "--nodes" in run.err, run)
    tool.run(*whole, "--max-interleavings", "1", "--store", "part", program)
    run = tool.run("explore", "-n", "4", "--resume", "--keep-going", "--store", "part", program)
    check(run.status == 4 and "--nodes" in run.err, run)
    run = tool.run(*whole, "--resume", "--store", "part", program, report=True)
    check(run.report["interleavings"] == 4, run)


def check_record(tool, where):
    run = tool.run("record", "-n", "4", "--nodes", "3+1", "--to", "recorded", where)
    places = ["0 of 3 on 0", "1 of 3 on 0", "2 of 3 on 0", "0 of 1 on 1"]
    check(run.status == 0 and sorted(run.out.splitlines()) == lines(places), run)
    run = tool.run("replay", "recorded", "--rank", "3")
    check(run.out.splitlines() == lines(places)[3:], run)
    run = tool.run("replay", "recorded", "-v")
    check(run.status == 0 and printed(run) == lines(places), run)
    run = tool.run("replay", "mp1:n4:nodes2:", "--record", "controlled", "--", where)
    check(run.status == 0, run)
    run = tool.run("replay", "controlled", "--rank", "2")
    check(run.out.splitlines() == lines(DIVISIONS[0][2])[2:3], run)


def check_refused(tool, where):
    for words, says in (
            (["run", "-n", "4", "--nodes", "5"], "5 nodes need as many ranks, and there are 4"),
            (["explore", "-n", "4", "--nodes", "2+3"], "2+3 are 5 ranks, not 4"),
            (["run", "-n", "4", "--nodes", "2,2"], "the ranks of each as 2+2, expected"),
            (["record", "-n", "4", "--nodes", "5"], "5 nodes need as many ranks"),
            (["explore", "-n", "4", "--nodes", "2", "--native"], "--native cannot be combined"),
            (["run", "-n", "4", "--nodes", "2", "--launcher", "mpiexec.mpich -n 4"],
             "--launcher cannot be combined with --nodes"),
            (["replay", "mp1:n4:nodes2:", "--nodes", "3"], "that was with --nodes 2, not 3"),
            (["replay", "mp1:n4:nodes3+2:"], "3+2 are 5 ranks, not 4")):
        run = tool.run(*words, "--", where)
        check(run.status == 2 and says in run.err, run)


def check_fortran(tool):
    if not shutil.which(tool.mpicc.replace("mpicc", "mpif90")):
        print("not checked: Fortran, as there is no compiler", file=sys.stderr)
        return
    where = tool.compile(tool.write("where.f90", FORTRAN))
    run = tool.run("run", "-v", "-n", "3", "--nodes", "2", where)
    check(run.status == 0 and printed(run) == ["0: 2 on node0", "1: 2 on node0", "2: 1 on node1"],
          run)


def body(tool, _options):
    where = tool.compile(tool.write("where.c", WHERE))
    check_places(tool, where)
    check_windows(tool, where)
    check_bug(tool)
    check_record(tool, where)
    check_refused(tool, where)
    check_fortran(tool)


if __name__ == "__main__":
    harness.main(__doc__, body)
