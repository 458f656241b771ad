"""The past of a rank in a controlled run. matchpoint replay PATH --record DIR: each rank of an
interleaving replays alone, with the same output. At the prompt: record, watch, reverse-continue,
reverse-next, reverse-finish and now; gdb RANK goes backwards in a terminal. Also if the program has
changed files, at the end of an interleaving and in the middle. Skipped without gdbserver."""

import os
import re
import shutil
import sys

import harness
from check_prompt import PROMPT, Terminal
from harness import check

SKIPPED = 77

# Of each, the first, the middle and the last interleaving is recorded.
PROGRAMS = (
    (harness.program("orders.c"), 3),
    (harness.program("nbx.c"), 3),          # polls, whose answers depend on equal states
    (harness.program("polling.c"), 3),
    (harness.program("mprobe.c"), 3),
    (harness.program("persistent.c"), 3),
    (harness.program("all_communicators.c"), 3),
    (harness.program("rounds.c"), 3),
)

# Rank 0 takes messages in any order; what comes of 2 after 1 it counts twice, in `account`, long
# before the end, where it aborts for that.
WRONG_SUM = r"""#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
static struct book { int first, sum; } book;
static void account(struct book *in, int value)
{
	if (in->first == 1 && value == 2)
		in->sum += value;
	in->sum += value;
	if (!in->first)
		in->first = value;
}
int main(int argc, char **argv)
{
	int rank, value = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (FILES && rank == 0) {
		FILE *log = fopen("wrong_sum.log", "a");
		fprintf(log, "begins\n");
		fclose(log);
	}
	for (int i = 1; rank == 0 && i < 3; i++) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		account(&book, value);
	}
	if (rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	for (int i = 0; i < 20; i++)
		MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0 && book.sum != 3)
		abort();
	MPI_Finalize();
	return 0;
}
"""

# Each line of the prompt, and a regular expression for what it says.
AT_THE_END = (
    ("goto mp1:n3:zero:0.2=1,0.3=2", r"finding crash"),
    ("now", r"nothing past is looked at"),
    ("watch 0", r"cannot be watched|Cannot watch"),
    ("watch 0 book", r"Hardware watchpoint \d+: -location book"),
    ("watch 0 nothing", r"No symbol \"nothing\""),
    ("reverse-continue", r"book was changed from .*sum = 3.* to .*sum = 5.*\n.* account .*\n9\t"),
    ("reverse-continue", r"book was changed from .*sum = 1.* to .*sum = 3.*\n.* account .*\n8\t"),
    ("print 0 value", r"= 2\n"),
    ("print in->first", r"= 1\n"),
    ("info locals 0", r"No locals"),
    ("where 0", r"#0 .*account .*\n#1 .*main "),
    ("up", r"main .*\n25\t"),
    ("down", r"account "),
    ("reverse-step", r"account .*\n8\t"),
    ("reverse-finish", r"main .*\n25\t.*account\(&book, value\)"),
    # Newer gdbs go on to the line before, older ones first to the beginning of this one.
    ("reverse-next", r"main .*\n2[45]\t"),
    ("reverse-next", r"main .*\n2[34]\t"),
    ("print value", r"= 1\n"),
    ("list", r"24\t"),
    ("where", r"rank 0 .*killed by SIGABRT"),
    ("now", r"rank 0 .*killed by SIGABRT"),
    ("print 1 rank", r"= 1\n"),
)
IN_THE_MIDDLE = (
    ("goto mp1:n3:zero:0.2=1", r"choice 0.3"),
    ("watch book.sum", r"the past of rank 0 ends here.*\n(in MPI_Recv, called at\n)?.*main "),
    ("reverse-continue", r"book.sum was changed from 0 to 1"),
    ("reverse-continue", r"the past of rank 0 begins here"),
    ("reverse-next 1", r"the past of rank 1 ends here.*\nin MPI_Barrier, called at\n.*main "),
    ("choose 0.3=2", r"is chosen"),
    ("continue", r"finding crash"),
    ("now", r"nothing past is looked at"),
    ("watch 0 book.sum", r"-location book.sum"),
    ("reverse-continue", r"book.sum was changed from 3 to 5"),
    ("back", r"choice 0.3"),
    ("reverse-finish 7", r"there is no rank 7"),
)
AFTER_MAIN = (
    ("goto mp1:n3:zero:0.2=2,0.3=1", r"stopped: end"),
    ("watch 0 value", r"in MPI_Finalize, called at\n.*main (.|\n)*-location value"),
    ("reverse-continue", r"value was changed from 2 to 1\nin MPI_Recv, called at\n"),
)

FORTRAN = """program sums
  use mpi
  implicit none
  integer :: rank, i, error, total, got
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  total = 0
  do i = 1, 2
    if (rank == 0) then
      call MPI_Recv(got, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, error)
      total = total * 10 + got
    else if (rank == i) then
      call MPI_Send(rank, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, error)
    end if
  end do
  call MPI_Finalize(error)
end program
"""
IN_FORTRAN = (
    ("goto mp1:n3:zero:0.2=2,0.3=1", r"stopped: end"),
    ("watch 0 total", r"in \S*mpi_finalize\S*, called at\n.* sums \((.|\n)*atchpoint 1: total"),
    ("reverse-continue", r"total was changed from 2 to 21\n"),
    ("reverse-continue", r"total was changed from 0 to 2\n"),
    ("print 0 got", r"= 2\n"),
)


def obey(tool, program, lines):
    """A batch session; what each line says is compared."""
    script = tool.write("script.mp", "".join(line + "\n" for line, _ in lines))
    run = tool.run("debug", "-n", "3", "-x", script, "--batch", program)
    told = run.out.split("(matchpoint) ")[1:]
    for refusal in run.err.splitlines():  # on standard error, each with its place
        place = re.match(r".*script\.mp:(\d+): ", refusal)
        if place:
            told[int(place.group(1)) - 1] += refusal + "\n"
    check(len(told) == len(lines), run)
    for number, (line, expected) in enumerate(lines):
        check(re.search(expected, told[number]), "%d, %s: not %s\n%s\n%s" % (
            number + 1, line, expected, told[number], run))
    return run


def lines_of(run, rank):
    """What a controlled rank has printed."""
    return [line[4:] for line in run.out.splitlines() if line.startswith("[%d] " % rank)]


def check_interleavings(tool):
    for source, ranks in PROGRAMS:
        program = tool.compile(source)
        explored = tool.run("explore", "-n", str(ranks), program, report=True)
        paths = [one["path"] for one in explored.report["executions"]]
        for path in {paths[0], paths[len(paths) // 2], paths[-1]}:
            recorded = tool.run("replay", path, "--record", "recording", "--", program)
            check(recorded.status in (0, 1), recorded)
            for rank in range(ranks):
                alone = tool.run("replay", "recording", "--rank", str(rank))
                cut = "the recording ends in this call" in alone.err
                check(alone.status == 0 or (recorded.status == 1 and cut),
                      "%s\n%s" % (recorded, alone))
                printed = lines_of(recorded, rank)
                check(alone.out.splitlines() == printed, "%s\n%s" % (recorded, alone))


def check_refused(tool):
    program = tool.compile(harness.program("orders.c"))
    full = os.path.join(tool.directory, "full")
    os.makedirs(full)
    tool.write("full/file", "")
    for arguments, words in (
            (("mp1:n3:0.2=1", "--record", "r", "--gdb", "0"), "--record cannot be combined"),
            (("mp1:n3:0.2=1", "--record", full), "is not empty and holds no recording"),
            (("mp1:n3:0.2=7", "--record", "r"), "")):
        run = tool.run("replay", *arguments, "--", program)
        check(run.status in (2, 4) and words in run.err, run)
    check(os.listdir(full) == ["file"], "the folder was changed")


def check_prompt_words(tool):
    for files in (0, 1):  # with files, the ranks leave for the recording, and come back
        program = tool.compile(tool.write("wrong_sum.c", WRONG_SUM), "-O0", "-DFILES=%d" % files)
        obey(tool, program, AT_THE_END)
        obey(tool, program, IN_THE_MIDDLE)
        obey(tool, program, AFTER_MAIN)
        obey(tool, program, (("goto mp1:n3:zero:0.2=1", r"choice 0.3"),
                             ("record here", r"choice 0.3" if files else r"recorded in here"),
                             ("record", r"no folder given")))
        told = tool.run("report", "here")
        check("rank 0: stands in call 4, MPI_Recv" in told.out and "rank 2: stands in call 3, "
              "MPI_Send" in told.out, told)
        check(not os.path.exists(os.path.join(tool.directory, "wrong_sum.log")),
              "the program's file is left behind")
        shutil.rmtree(os.path.join(tool.directory, "here"))


def check_fortran(tool):
    if shutil.which(tool.mpicc.replace("mpicc", "mpif90")):
        program = tool.compile(tool.write("sums.f90", FORTRAN), "-O0", "-J", tool.directory)
        obey(tool, program, IN_FORTRAN)


def check_gdb(tool):
    program = tool.compile(tool.write("wrong_sum.c", WRONG_SUM), "-O0", "-DFILES=0")
    terminal = Terminal(tool, "-n", "3", program)

    def ask(line, *patterns):
        """A line for gdb, and what it says, in order, before its next prompt."""
        terminal.type(line + "\r")
        return "".join(terminal.expect(pattern) for pattern in (*patterns, r"\(gdb\) $"))

    terminal.expect(re.escape(PROMPT))
    terminal.say("goto mp1:n3:zero:0.2=1,0.3=2", "finding crash")
    ask("gdb 0", r"rank 0 has stopped, in or after MPI_Barrier")
    ask("watch -l book.sum", r"atchpoint \d")
    ask("reverse-continue", r"the program runs to here again", r"in the past of the rank",
        r"Old value = 5", r"New value = 3")
    ask("delete")
    ask("reverse-finish", r"wrong_sum\.c\S*:25\r?\n")
    ask("print value", r"= 2\r?\n")
    terminal.say("quit", "")
    terminal.say("print 0 book.sum", r"= 5\r?\n")  # the rank itself is where it was
    ask("gdb 1", r"rank 1 ")
    told = ask("reverse-next", r"in the past of the rank")
    check("runs to here again" not in told, told)  # the recording has all ranks
    terminal.say("quit", "")
    terminal.say("goto mp1:n3:zero:0.2=1", "choice 0.3")
    ask("gdb 0", r"rank 0 is in MPI_Recv")
    told = ask("reverse-next", r"in the past of the rank", r"2[34]\t")
    check("has not returned" not in told, told)
    ask("watch -l book.sum", r"atchpoint \d")
    ask("reverse-continue", r"Old value = 1", r"New value = 0")
    terminal.say("quit", "")
    terminal.type("quit\r")
    terminal.wait(3)


def body(tool, options):
    left = set(os.listdir("/tmp"))
    check_interleavings(tool)
    check_refused(tool)
    if not shutil.which("gdb") or not shutil.which("gdbserver"):
        print("no gdb here: the prompt is not tried")
        sys.exit(SKIPPED)
    check_prompt_words(tool)
    check_fortran(tool)
    check_gdb(tool)
    new = [name for name in set(os.listdir("/tmp")) - left
           if name.startswith(("matchpoint-past", "matchpoint-here"))]
    check(not new, "left behind: %s" % new)


if __name__ == "__main__":
    harness.main(__doc__, body)
