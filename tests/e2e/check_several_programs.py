"""Several programs as one world, as mpiexec has them: -n 2 ./server : -n 3 ./client. Each rank has
its program's lines, arguments and MPI_APPNUM, in all ways of going back."""

import glob
import os
import re

import harness
from harness import check

# Aborts if the last client's message comes first.
SERVER = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	int rank, ranks, first, value, *number, flag;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &flag);
	printf("server %d of %d: %d %s\n", rank, ranks, flag ? *number : -1, argv[1]);
	fflush(stdout);
	for (int i = atoi(argv[1]); rank == 0 && i < ranks; i++) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		first = i == atoi(argv[1]) ? value : first;
		if (first == ranks - 1)
			abort();
	}
	MPI_Finalize();
	return 0;
}
"""

CLIENT = r"""
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	int rank, *number, flag;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &flag);
	printf("client %d: %d%s\n", rank, flag ? *number : -1, argc > 1 ? argv[1] : "");
	fflush(stdout);
	MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
"""

STATUS = r"""
#include <mpi.h>
int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Finalize();
	return 5;
}
"""

PRINTED = ["server 0 of 5: 0 2", "server 1 of 5: 0 2", "client 2: 1", "client 3: 1", "client 4: 1"]


def printed(run):
    return [line.split("] ", 1)[1] for line in run.out.splitlines()
            if re.match(r"\[\d+\] ", line)]


def check_explored(tool, line):
    for way in ("snapshot", "rerun", "rewind"):
        run = tool.run("explore", "-n", "2", "--backtrack", way, *line, report=True)
        check(run.status == 1 and run.report["complete"], run)
        check(run.report["ranks"] == 5 and run.report["backtrack"] == (
            "rerun" if way == "rerun" else "snapshot"), run)
        check(run.report["interleavings"] == 10, run)
        check([(part["first_rank"], part["ranks"], part["program"])
               for part in run.report["programs"]] == [(0, 2, line[:2]), (2, 3, line[-1:])], run)
        for execution in run.report["executions"]:
            if execution["status"] == "ok":
                check([text.strip() for text in execution["output"]] == PRINTED, execution)
    check("(ranks 0, 1) and %s (ranks 2-4)" % line[-1] in run.out, run)
    finding = run.report["findings"][0]
    check(finding["kind"] == "crash" and finding["count"] == 2, run)
    # Lines of both programs, with their text.
    check("server.c:19" in run.out and "client.c:13: MPI_Send(&rank" in run.out, run)
    return finding["path"], run


def check_repeated(tool, line, path, run):
    again = re.search(r"again: matchpoint (replay .*)", run.out).group(1)
    check(again.endswith("%s : -n 3 %s" % (" ".join(line[:2]), line[-1])), again)
    for words in (again.split(), ["replay", "1"], ["replay", path, "--", *line]):
        run = tool.run(*words)
        check(run.status == 1 and "rank 0 killed by SIGABRT" in run.out, run)
    run = tool.run("minimize", "1", "--emit-script", "shown")
    check(run.status == 0 and "(ranks 0, 1) and" in run.out, run)
    run = tool.run("replay", "shown")
    check(run.status == 1 and "rank 0 killed by SIGABRT" in run.out, run)
    run = tool.run("explore", "--from", path, "--store", "from", "--", *line)
    check(run.status == 1, run)
    script = tool.write("script", "break client.c:13\nbreak server.c:16\nbreak nowhere.c:1\nrun\n")
    run = tool.run("debug", "-n", "2", "-x", script, "--batch", *line)
    check("no code of a file client.c" not in run.out + run.err, run)
    check("no code of a file nowhere.c" in run.out + run.err, run)
    check("client.c:13" in run.out, run)


def check_past(tool, line):
    """The prompt records the ranks of all programs, and goes to the past of one."""
    script = tool.write("past", "run\nrecord here\nreverse-next 2\n")
    run = tool.run("debug", "-n", "2", "-x", script, "--batch", *line)
    check("recorded in here" in run.out and "the past of rank 2" in run.out, run)
    check(len(glob.glob(os.path.join(tool.directory, "here", "rank.*.log"))) == 5, run)


def check_run(tool, server, client, status):
    run = tool.run("run", "-v", "-n", "1", "--nodes", "2+1", server, "1", ":", "-np", "1", client,
                   " x", ":", "-n", "1", client, report=True)
    check(run.status == 0, run)
    check(printed(run) == ["server 0 of 3: 0 1", "client 1: 1 x", "client 2: 2"], run)
    check(len(run.report["programs"]) == 3 and run.report["nodes"] == "2", run)
    run = tool.run("run", "-n", "1", server, "9", ":", "-n", "1", status, report=True)
    check(run.report["executions"][0]["exit"] == [0, 5], run)
    run = tool.run("run", "-n", "2", "--launcher", "mpiexec.mpich -n 2", server, "2", ":", "-n",
                   "2", client)
    check(run.status == 0 and "(ranks 2, 3)" in run.out, run)


def check_native(tool, line):
    run = tool.run("explore", "-n", "2", "--native", "--keep-going", *line, report=True)
    check("native" not in [limit["name"] for limit in run.report["not_checked"]], run)


def check_record(tool, server, client):
    run = tool.run("record", "-n", "1", "--to", "recorded", server, "9", ":", "-n", "2", client)
    # UCX tells of messages that were not received.
    told = sorted(line for line in run.out.splitlines() if "UCX" not in line)
    check(told == ["client 1: 1", "client 2: 1", "server 0 of 3: 0 9"], run)
    run = tool.run("replay", "recorded", "--rank", "2")
    check(run.out.splitlines() == ["client 2: 1"], run)
    run = tool.run("replay", "recorded")
    check(run.status == 4 and "only be replayed rank by rank" in run.err, run)


def check_refused(tool, server, client):
    for behind, status, says in (
            ([":"], 2, "behind ':' the number of ranks is missing"),
            ([":", client], 2, "behind ':' the number of ranks is missing"),
            ([":", "-n", "0", client], 2, "-n cannot be '0'"),
            ([":", "-n", "2"], 2, "the program is missing"),
            ([":", "-n", "2", os.path.join(tool.directory, "nowhere")], 4, "there is no program"),
            ([":", "-n", "2", "/bin/true"], 4, "/bin/true"),
            ([":", "-n", "2147483647", client], 2, "too many ranks")):
        for command in (["run", "-n", "2"], ["record", "-n", "2"]):
            run = tool.run(*command, server, "2", *behind)
            check(run.status == status and says in run.err, run)
    run = tool.run("replay", "mp1:n3:", "--", server, ":", "-n", "3", client)
    check(run.status == 2 and "3 ranks are not enough" in run.err, run)
    run = tool.run("replay", "mp1:n3:", "-n", "1", "--", server, ":", "-n", "3", client)
    check(run.status == 2 and "the path is for 3 ranks, not 4" in run.err, run)


def body(tool, _options):
    server, client, status = (tool.compile(tool.write(name + ".c", text)) for name, text in (
        ("server", SERVER), ("client", CLIENT), ("status", STATUS)))
    line = [server, "2", ":", "-n", "3", client]
    path, run = check_explored(tool, line)
    check_repeated(tool, line, path, run)
    check_past(tool, line)
    check_run(tool, server, client, status)
    check_native(tool, line)
    check_record(tool, server, client)
    check_refused(tool, server, client)


if __name__ == "__main__":
    harness.main(__doc__, body)
