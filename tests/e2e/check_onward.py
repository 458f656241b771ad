"""From a position of matchpoint debug: explore, minimize, save; and the same on the command line,
explore --from."""

import json
import os

import harness
from check_debug import debug, source, stops
from check_prompt import Terminal
from harness import check

# Wrong when more than one line was ever written: explorations put files back.
APPENDS = r"""
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	char line[100];
	int rank, value, lines = 0;
	FILE *file;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		file = fopen("log.txt", "a");
		fputs("begun\n", file);
		fclose(file);
		for (int i = 0; i < 2; i++)
			MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
			         MPI_STATUS_IGNORE);
		file = fopen("log.txt", "r");
		while (fgets(line, 100, file))
			lines++;
		fclose(file);
		if (lines != 1)
			MPI_Abort(MPI_COMM_WORLD, 3);
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
"""

# Rank 0 takes longer and longer, in more interleavings than there is time for.
MANY = r"""
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int rank, value, ranks;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (int i = 0; i < 4 * (ranks - 1) && rank == 0; i++)
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int i = 0; i < 4 && rank > 0; i++)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
"""

# Rank 1 sends after three unsuccessful polls: before that only rank 2's message exists.
LATE = r"""
#include <mpi.h>
int main(int argc, char **argv)
{
	int rank, value = 0, flag;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 3 && rank == 1; i++)
		MPI_Iprobe(0, 5, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	if (rank > 0)
		MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	for (int i = 0; i < 2 && rank == 0; i++)
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
"""


def check_words(tool):
    """The session can go to what explore finds. Meanwhile the ranks keep their position."""
    program = tool.compile(source("examples/probe_then_receive"))
    os.mkdir(os.path.join(tool.directory, "d.html"))
    run = debug(tool, ["run", "1", "explore -q", "info path", "goto finding 1", "minimize",
                       "explore", "back", "save x.html", "save w.mp", "save p.txt",
                       "explore --nonsense", "save", "minimize", "minimize finding 7",
                       "save nowhere/x.html", "save d.html", "x 7.1", "1"], "-n", "3", program)
    check(run.status == 0, str(run))
    check(stops(run) == ["choice 0.2", "choice 0.3", "finding mpi-error", "choice 0.3", "end"],
          str(run))
    for line in ("finding 1 here: mpi-error; goto finding 1\n", "path: mp1:n3:zero:0.2=1\n",
                 "1 of 2 choices needed", "\nmp1:n3:zero:0.3=2\n",
                 "script.mp:7: this interleaving is over", "Unknown option --nonsense",
                 "script.mp:13: no file given; ",
                 "script.mp:14: this interleaving has no finding: use minimize f",
                 "script.mp:15: there is no such finding here",
                 "script.mp:16: cannot write nowhere/x.html: No such file or directory\n",
                 "script.mp:17: d.html is a folder\n",
                 "script.mp:18: there is no rank 7; ranks are 0 to 2\n", "w.mp\n", "p.txt\n"):
        check(line in run.out, "%s\n%s" % (line, run))
    for file, words in (("x.html", "<html"), ("w.mp", "run\n1\nexplore -q\n"),
                        ("p.txt", "mp1:n3:zero:0.2=1\n")):
        with open(os.path.join(tool.directory, file)) as opened:
            check(words in opened.read(), file)
    run = tool.run("report", ".matchpoint/debug", report=True)
    check(run.report["interleavings"] == 2 and run.report["findings"][0]["count"] == 1, str(run))


def check_minimize_here(tool):
    """minimize shortens the path of the interleaving that has just shown a finding, also when the
    session comes to it again."""
    program = tool.compile(source("examples/probe_then_receive"))
    run = debug(tool, ["run", "1", "2", "minimize", "back", "2", "minimize"], "-n", "3",
                program)
    check(stops(run)[2:] == ["finding mpi-error", "choice 0.3", "finding mpi-error"], str(run))
    check(run.out.count("1 of 2 choices needed") == 2, str(run))


def check_outcomes(tool):
    """The session can go to each of the outcomes that differ."""
    program = tool.compile(source("examples/sum_by_arrival"))
    run = debug(tool, ["run", "goto outcome 1", "explore -q", "info findings", "goto outcome 2",
                       "goto outcome 1", "explore -q", "goto outcome 3"], "-n", "4", program)
    check(stops(run) == ["choice 0.2", "end", "end"], str(run))
    first, second = run.out.split("(matchpoint) goto outcome ")[3:1:-1]
    check("the sum of 3 parts is 0" in first and "the sum of 3 parts is 1" in second, str(run))
    check(run.out.count("outcome 2 here: rank 0's output, line 1 is the sum of 3 parts is 1; "
                        "goto outcome 2\n") == 1 and "outcome 2\n  path: mp1:n4:zero:" in run.out,
          str(run))
    check("script.mp:2: there is no outcome 1 here" in run.out
          and "script.mp:8: there is no outcome 3 here" in run.out, str(run))
    terminal = Terminal(tool, "-n", "4", program)
    terminal.expect(r"\(matchpoint\) ")
    terminal.say("run", r"stopped: choice 0\.2")
    terminal.say("explore -q", "goto outcome 2")
    terminal.type("goto o\t\t\t")
    terminal.expect(r"outcome 1 +outcome 2|1 +2")
    terminal.type("2\r")
    terminal.expect("stopped: end")
    terminal.expect(r"\(matchpoint\) ")
    terminal.type("quit\r")
    terminal.wait(0)


def check_files(tool):
    program = tool.compile(tool.write("appends.c", APPENDS))
    run = debug(tool, ["run", "explore", "1"], "-n", "3", program)
    check(stops(run) == ["choice 0.2", "choice 0.2", "end"], str(run))
    check("2 interleavings" in run.out and "nothing wrong" in run.out, str(run))
    check(not os.path.exists(os.path.join(tool.directory, "log.txt")), "a file is left")


def check_interrupted(tool):
    """Ctrl-C ends the exploration, not the session; quit leaves nothing."""
    program = tool.compile(tool.write("many.c", MANY))
    terminal = Terminal(tool, "-n", "4", program)
    terminal.expect(r"\(matchpoint\) ")
    terminal.say("run", r"stopped: choice 0\.2")
    terminal.type("explore\r")
    terminal.expect(r"interleavings, about")
    terminal.type("\x03")
    terminal.expect(r"not all: interrupted")
    terminal.expect(r"\(matchpoint\) ")
    check("mp1:n4:zero:" in terminal.say("info path", "path: "), "the path")
    terminal.type("quit\r")
    terminal.wait(3)


def check_from(tool):
    """On the command line: the interleavings below a path, which may omit default choices."""
    program = tool.compile(source("examples/probe_then_receive"))
    whole = tool.run("explore", "-n", "3", "--buffering", "zero", program, report=True).report
    below = tool.run("explore", "--from", "mp1:n3:zero:0.3=2", program, report=True)
    check(below.status == 1 and not below.report["complete"], str(below))
    expected = [one["path"] for one in whole["executions"]
                if one["path"].startswith("mp1:n3:zero:0.2=1,0.3=2")]
    check(sorted(one["path"] for one in below.report["executions"]) == expected, str(below))
    run = tool.run("explore", "--from", "mp1:n3:zero:0.2=1", "-q", program)
    check(run.status == 1, str(run))
    for words, told in ((["mp1:n3:0.9=1"], "does not make all of these choices"),
                        (["mp1:n3:", "-n", "4"], "the path is for 3 ranks, not 4"),
                        (["mp1:n3:0.2=1", "--random", "1"], "cannot be combined with --random"),
                        (["nonsense"], "not a path")):
        run = tool.run("explore", "--from", *words, program)
        check(told in run.err and run.status in (2, 4), str(run))
    check(json.dumps(whole).count("mpi-error") > 0, "the whole")
    late = tool.compile(tool.write("revisits.c", LATE))
    for path, status in ("mp1:n3:infinite:0.2=1", 3), ("mp1:n3:infinite:1.2=no,0.2=1", 3), \
                        ("mp1:n3:infinite:1.2=yes,0.2=1", 4):
        run = tool.run("explore", "--from", path, late)
        check(run.status == status and ("not make" in run.err) == (status == 4), str(run))


def body(tool, options):
    check_words(tool)
    check_minimize_here(tool)
    check_files(tool)
    check_from(tool)
    check_outcomes(tool)
    check_interrupted(tool)


if __name__ == "__main__":
    harness.main(__doc__, body)
