"""The prompt of a program that spawns processes for which its job has no room: it begins again on
more ranks, and goes on as if it had had them from the beginning, however the lines came."""

import os
import re

import harness
from check_prompt import PROMPT, Terminal
from harness import check

# Rank 0 takes two messages of rank 1 and 2. Only if that of rank 2 is the first, it spawns two
# processes, one after the other, which send it a message each.
SOURCE = r"""
#include <mpi.h>
#include <stdio.h>

static int take(MPI_Comm comm)
{
	int value;

	MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, MPI_STATUS_IGNORE);
	return value;
}

int main(int argc, char **argv)
{
	int rank, first = 0;
	MPI_Comm parent, child;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_get_parent(&parent);
	if (parent != MPI_COMM_NULL || rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0,
		         parent != MPI_COMM_NULL ? parent : MPI_COMM_WORLD);
	if (rank == 0 && parent == MPI_COMM_NULL) {
		first = take(MPI_COMM_WORLD);
		take(MPI_COMM_WORLD);
	}
	for (int i = 0; i < 2 && first == 2; i++) {
		MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &child,
		               MPI_ERRCODES_IGNORE);
		printf("from child %d\n", take(child));
		MPI_Comm_disconnect(&child);
	}
	if (parent != MPI_COMM_NULL)
		MPI_Comm_disconnect(&parent);
	MPI_Finalize();
	return 0;
}
"""
LINES = ["break rank 0 if call == 2", "delete", "break rank 0 if call == 3", "run", "2", "next",
         "info processes", "finish", "reverse-next", "where 0", "quit"]
AGAIN = "the program spawns processes: it begins again on %d ranks\n"
WORLDS = [":", "-n", "1", "-spawned", "0.1"], [":", "-n", "1", "-spawned", "0.2"]


def as_known(text):
    """What was printed, without numbers of processes, and lines of scripts."""
    text = re.sub(r"(?m)^(  [0-9.:]+ +[0-9] +)[0-9]+ +", r"\1- ", text)
    return re.sub(" +", " ", re.sub(r"(?m)^/.*:[0-9]+: ", "", text))


def check_text(told, text, what):
    """As in the session that had all processes from the beginning, after it began twice."""
    check(text.count(AGAIN % 4) == 1 and text.count(AGAIN % 5) == 1, "%s: %s" % (what, text))
    check(as_known(text.split(AGAIN % 5)[1]) == told, "%s, %s:\n%s" % (told, what, text))


def check_lines(tool, program, script, told):
    run = tool.run("debug", "-n", "3", "-x", script, "--batch", program)
    check_text(told, run.out, "a script")
    with open(script) as lines:
        run = tool.run("debug", "-n", "3", program, stdin=lines)
    check_text(told, run.out, "a pipe")
    tool.write("half", "".join(line + "\n" for line in LINES[:5]))
    tool.write("rest", "source half\n" + "".join(line + "\n" for line in LINES[5:]))
    with open(os.path.join(tool.directory, "rest")) as lines:
        run = tool.run("debug", "-n", "3", program, stdin=lines)
    check_text(told, run.out.replace("(matchpoint) source half\n", ""), "a script and a pipe")


def check_terminal(tool, program):
    """What was answered to a question is answered again."""
    terminal = Terminal(tool, "-n", "3", program)
    terminal.expect(re.escape(PROMPT))
    for line, pattern in zip(LINES[:-1], ("breakpoint 1", "y or n", "breakpoint 2", "choice 0.2",
                                          "breakpoint 2", "held", "0.1:0 ", "stopped: end",
                                          "cannot be recorded", "Finalize")):
        if line == "delete":
            terminal.type("delete\r")
            terminal.expect(pattern)
            line, pattern = "y", ""
        terminal.say(line, pattern)
    check([terminal.text.count(again.strip()) for again in (AGAIN % 4, AGAIN % 5)] == [1, 1],
          terminal.text)
    terminal.type("quit\r")
    check(terminal.text.count("breakpoints? (y or n) y\r\n") == 3, terminal.text)
    terminal.wait(0)


def check_given(tool, program, script):
    """Where the ranks are given, or recorded, nothing begins again: what to type is printed."""
    for says, *more in (
            ("name them: -n 3 %s : -n 1 -spawned 0.1 %s" % (program, program), "mp1:n3:0.2=2",
             "--"),
            ("MPI_Comm_spawn: this function cannot be recorded", "-n", "3", "--record", "here")):
        run = tool.run("debug", "-x", script, "--batch", *more, program)
        check("begins again" not in run.out and run.status == 4 and says in run.err, run)


def body(tool, _):
    program = tool.compile(tool.write("spawns_late.c", SOURCE))
    script = tool.write("lines", "".join(line + "\n" for line in LINES))
    known = tool.run("debug", "-n", "3", "-x", script, "--batch", program,
                     *(word for world in WORLDS for word in (*world, program)))
    check(len(re.findall(r"(?m)^  [0-9.:]+ +[0-9] +[0-9]+ ", known.out)) == 5, known)
    check("from child 0\n    from child 0" in known.out, known)
    check_lines(tool, program, script, as_known(known.out))
    check_terminal(tool, program)
    check_given(tool, program, script)


if __name__ == "__main__":
    harness.main(__doc__, body)
