"""--max-time ends an exploration in time, whatever the ranks do. On a terminal: progress in one
line, colours, coverage."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios

import harness
from harness import check

PROGRAM = harness.program("takes_long.c")
ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
COVERED = "covered: zero buffering %s; infinite buffering %s"


def check_time(tool, program):
    for what, backtrack, done in (("start", "snapshot", 0), ("start-of-one", "rerun", 0),
                                  ("all", "snapshot", 0), ("one", "snapshot", 1),
                                  ("one", "rerun", 1), ("end", "snapshot", 0)):
        run = tool.run("explore", "-n", "3", "--max-time", "1", "--backtrack", backtrack,
                       "--order", "depth", program, what, report=True)
        harness.check_soon(run.seconds, 6, run)
        check(run.status == 3 and run.report["interleavings"] <= done, str(run))
        check("stopped by --max-time 1" in run.out and "nothing wrong so far" in run.out, str(run))
        covered = r"%d interleavings?, at least [1-9]\d* more left" % run.report["interleavings"]
        check(re.search(COVERED % (covered, "not begun"), run.out), str(run))


def check_covered(tool, program):
    run = tool.run("explore", "-n", "3", "--max-interleavings", "3", program)
    check(COVERED % ("all of 2 interleavings", "1 interleaving, at least 1 more left") in run.out,
          str(run))
    run = tool.run("explore", "-n", "3", program)
    check(run.status == 0 and "covered" not in run.out, str(run))


CAUSES = r"""
#include <mpi.h>
int main(int argc, char **argv)
{
	int rank, value = 0, *wrong = 0;
	MPI_Status status;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 2 && rank == 0; i++) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
		if (i == 0 && status.MPI_SOURCE == 2)
			*wrong = 1;
	}
	if (rank > 0)
		MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < 2 && rank == 0; i++) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
		if (i == 0 && status.MPI_SOURCE == 2)
			MPI_Abort(MPI_COMM_WORLD, 3);
	}
	if (rank > 0)
		MPI_Send(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
"""


def check_causes(tool):
    """The lines of source of what a finding needs; several findings by the choice to blame; and
    after a bound, what to do next."""
    program = tool.compile(tool.write("causes.c", CAUSES))
    run = tool.run("explore", "-n", "3", program)
    for finding in "crash #", "abort #":
        part = run.out[run.out.index("\n" + finding):]
        line = 10 if finding == "crash #" else 18
        needs = part[part.index("  it needs: "):part.index("  path: ")].split("\n")
        check(needs[1] == "    causes.c:%d: MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, %d, "
              "MPI_COMM_WORLD, &status);" % (line, 1 if line == 10 else 2), str(run))
        check(needs[2].startswith("    causes.c:%d: MPI_Send(&value" % (line + 5)), str(run))
    causes = run.out[run.out.index("\nby cause:\n"):]
    for line, kind in (10, "crash"), (18, "abort"):
        wanted = r"^  rank 0's MPI_Recv\(ANY_SOURCE\) at causes.c:%d: %s #\d$" % (line, kind)
        check(re.search(wanted, causes, re.M), str(run))
    check("  next: " not in run.out, str(run))
    run = tool.run("explore", "-n", "3", "--max-interleavings", "1", program)
    check("\n  next: --resume continues where this stopped; " in run.out, str(run))
    check("by cause:" not in run.out, str(run))
    run = tool.run("explore", "-n", "3", "--deviations", "0", program)
    check("\n  next: a larger bound explores more" in run.out, str(run))


def on_terminal(tool, *arguments, columns=200, **variables):
    """What a terminal of that width is sent, standard output and error."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 25, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("NO_COLOR", "CLICOLOR_FORCE", "GITHUB_ACTIONS")}
    environment.update({"TERM": "xterm"}, **variables)
    process = subprocess.Popen([tool.matchpoint, *arguments], stdin=slave, stdout=slave,
                               stderr=slave, cwd=tool.directory, env=environment)
    os.close(slave)
    text = b""
    patience = harness.Patience(60)
    while not patience.has_ended():
        if not select.select([master], [], [], 1)[0]:
            continue
        try:
            piece = os.read(master, 65536)
        except OSError:  # the last one has closed it
            break
        if not piece:
            break
        text += piece
    if process.poll() is None and patience.has_ended():
        process.terminate()
    harness.communicate(process, 30)
    os.close(master)
    return text.decode(errors="replace")


def check_progress(tool, program):
    for seconds in ("1", "4", "16"):  # a busy machine may draw less within the first ones
        bounded = ("explore", "-n", "3", "--max-time", seconds, program, "one")
        text = on_terminal(tool, *bounded)
        lines = re.findall(r"\r\x1b\[K([^\r\n]*)", text)
        drawn = [line for line in lines if "interleaving" in line and "findings" in line]
        if len(drawn) >= 2:
            break
    check(len(drawn) >= 2, "no progress in %r" % text)
    check(re.search(r"\r\x1b\[K[^\n]*matchpoint: ", text), "the line is not wiped: %r" % text)
    for line in re.findall(r"\r\x1b\[K([^\r\n]*)", on_terminal(tool, *bounded, columns=40)):
        shown = re.sub(r"\x1b\[[0-9;]*[mK]", "", line)
        check(shown.startswith("matchpoint: ") or len(shown) < 40,
              "%d columns of 40: %r" % (len(shown), line))
    text = ""
    for seconds in ("1", "4", "16"):  # a busy machine may end no run within the first ones
        text = on_terminal(tool, "explore", "-n", "3", "--random", "1", "--max-time", seconds,
                           program, "one")
        if re.search(r"\d+ interleavings, [1-9]\d* random runs, \d+ a second", text):
            break
    else:
        check(False, "no random runs in %r" % text)
    check("\r\x1b[K" not in on_terminal(tool, *bounded[:1], "-q", *bounded[1:]), "-q draws")
    run = tool.run(*bounded)
    check(run.err == "", "progress within 10 s though there is no terminal\n%s" % run)


def check_colours(tool):
    """Red for what is wrong, and nothing of the kind where it is not wanted."""
    program = tool.compile(os.path.join(ROOT, "examples/probe_then_receive.c"))
    command = ("explore", "-n", "3", program)
    red = "\x1b[1;31mmpi-error #1\x1b[0m"
    plain = "\nmpi-error #1  ("
    check(red in on_terminal(tool, *command), "no colours on a terminal")
    report = ("report", ".matchpoint")
    for variables in ({"NO_COLOR": "1"}, {"TERM": "dumb"},
                      {"NO_COLOR": "1", "CLICOLOR_FORCE": "1"}):
        text = on_terminal(tool, *report, **variables).replace("\r", "")
        check("\x1b[" not in text and plain in text, "%s: %r" % (variables, text))
    check(red in on_terminal(tool, *report, NO_COLOR=""), "an empty NO_COLOR counts")
    check(red in tool.run(*report, environment={"CLICOLOR_FORCE": "1", "NO_COLOR": ""}).out,
          "CLICOLOR_FORCE does not count")
    for variables in ({}, {"CLICOLOR_FORCE": "0"}, {"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}):
        text = tool.run(*report, environment=variables).out
        check("\x1b" not in text and plain in text, "%s: %s" % (variables, text))


def body(tool, _):
    program = tool.compile(PROGRAM)
    check_time(tool, program)
    check_covered(tool, program)
    check_causes(tool)
    check_colours(tool)
    check_progress(tool, program)


if __name__ == "__main__":
    harness.main(__doc__, body)
