"""Commands and child processes of recorded ranks: at replay they give what they gave, and none of
them runs again. Signals of a replayed rank to itself reach it, and no other process gets one."""

import os
import shutil
import subprocess
import time

import harness
from harness import check
from recording import Recording

DONE = {
    "children.c": ["system", "killed", "popen", "written", *("line %d" % i for i in range(3000)),
                   "closed", "fork", "again", "vfork", "spawn", "spawnp"],
    "reads_command.cc": ["popen", "system"],
    "commands.f90": ["system", "beside"],
}
CHANGED = r"""
#include <mpi.h>
#include <stdio.h>
static void read_line(const char *name, char *line)
{
	FILE *file = fopen(name, "r");

	if (fgets(line, 100, file))
		fclose(file);
}
int main(int argc, char **argv)
{
	char command[100] = "", text[100] = "";
	FILE *stream;

	MPI_Init(&argc, &argv);
	read_line("command", command);
	read_line("text", text);
	stream = popen(command, "w");
	fputs(text, stream);
	pclose(stream);
	MPI_Finalize();
	return 0;
}
"""
APART = ["apart", "apart", "popen"]  # what the other thread of children.c does
PRINTED = ["system: 0, exit 3", "a command without end: 0, signal 9", "pclose: 0, exit 5",
           "pclose of what was written: 0, exit 2", "wait for nothing: No child processes",
           "posix_spawn of nothing: 2", "signals of its own: 7", "priority: 0, 3",
           "processors: 0", "scheduler: 0, 0", "of nobody: -1"]


def read(path):
    with open(path) as file:
        return file.read()


class Done:
    """The files in which each rank's commands and children leave lines."""

    def __init__(self, tool, ranks):
        self.paths = [os.path.join(tool.directory, "done.%d" % rank) for rank in range(ranks)]
        for path in self.paths:
            with open(path, "w"):
                pass

    def check(self, expected):
        """A child for which nobody waits may be late, too."""
        patience = harness.Patience(10)
        for path in self.paths:
            while True:
                lines = read(path).splitlines()
                # The number of the process follows.
                found = [line if line.startswith("line") else line.split()[0] for line in lines]
                if found == expected:
                    break
                check(len(found) < len(expected) and not patience.has_ended(),
                      "%s has\n%s" % (path, "\n".join(lines)))
                time.sleep(0.01)


def check_program(tool, source, *arguments):
    expected = DONE[source]
    done = Done(tool, 2)
    recording = Recording(tool, "recorded", 2, tool.compile(harness.program(source)), *arguments)
    done.check(expected)
    recording.check_replays()
    recording.check_in_step()
    tool.run("report", recording.folder, "--json", os.path.join(tool.directory, "report.json"))
    done.check(expected)
    return recording


def check_c(tool):
    with subprocess.Popen(["sleep", "1000"]) as other:
        try:
            recording = check_program(tool, "children.c", str(other.pid))
        finally:
            other.kill()
    check(other.returncode == -15, "the other process has ended with %s" % other.returncode)
    lines = recording.printed(0).splitlines()
    for line in PRINTED + ["to another process: 0"]:
        check(line in lines, "%r is not in\n%s" % (line, "\n".join(lines)))
    done = read(os.path.join(tool.directory, "done.0")).splitlines()
    children = [line.split()[1] for line in done if line.startswith(("fork", "again"))]
    check("wait: %s, exit 7" % children[0] in lines
          and "waitpid: %s, exit 7" % children[1] in lines, "\n".join(lines))
    return recording


def check_pipes(tool):
    """What came from children through pipes. At replay nobody else reads or writes them."""
    for flags in ([], ["-O2", "-D_FORTIFY_SOURCE=2"]):
        program = tool.compile(harness.program("pipes.c"), *flags)
        recording = Recording(tool, "recorded", 2, program)
        check("from a child: 299970 bytes" in recording.printed(0), recording.printed(0))
        recording.check_replays()
        recording.check_in_step()


def check_gdb(tool, recording):
    """gdb goes forwards and backwards over commands and children."""
    if not shutil.which("gdb") or not shutil.which("gdbserver"):
        return
    done = Done(tool, 2)
    run = tool.run("replay", recording.folder, "--rank", "1", "--gdb", "--", "-batch",
                   "-ex", "break use_spawn", "-ex", "continue", "-ex", "break use_forks",
                   "-ex", "reverse-continue", "-ex", "continue", "-ex", "continue",
                   cwd=tool.directory, timeout=300)
    check(run.out.count("Breakpoint 1, use_spawn") == 2
          and "Breakpoint 2, use_forks" in run.out, str(run))
    done.check([])


def check_thread(tool):
    """What another thread does is not in the recording, and is not done at replay either."""
    done = Done(tool, 2)
    program = tool.compile(harness.program("children.c"))
    recording = Recording(tool, "recorded", 2, program, "thread")
    check(recording.run.err.count("apart: 768, 1, 1") == 2, str(recording.run))
    done.check(APART)
    for rank in range(2):
        run = recording.replay(rank)
        check(run.status == 0 and run.out == recording.printed(rank), str(run))
        check("apart: -1, 0, 0" in run.err, str(run))
        for function in ("system", "fork", "popen"):
            check("the recording does not have this call of %s," % function in run.err, str(run))
    done.check(APART)


def check_changed(tool):
    """Another command, and other bytes that are written to it. Both are read from a file."""
    program = tool.compile(tool.write("changed.c", CHANGED))
    tool.write("command", "cat >/dev/null")
    tool.write("text", "one")
    recording = Recording(tool, "recorded", 1, program)
    recording.check_replays()
    tool.write("command", "cat >changed.txt")
    run = recording.replay(0)
    check(run.status == 0 and 'popen does not run "cat >changed.txt" at replay; it ran another '
          'command then' in run.err, str(run))
    check(not os.path.exists(os.path.join(tool.directory, "changed.txt")), "the command has run")
    tool.write("text", "two")
    run = recording.replay(0)
    check(run.status == 1 and "call 1, MPI_Init: what is written to a command behind this call is "
          "not what it was" in run.err, str(run))


def body(tool, _options):
    recording = check_c(tool)
    check_gdb(tool, recording)
    check_program(tool, "reads_command.cc")
    if shutil.which(tool.mpicc.replace("mpicc", "mpif90")):
        check_program(tool, "commands.f90")
    check_pipes(tool)
    check_thread(tool)
    check_changed(tool)


if __name__ == "__main__":
    harness.main(__doc__, body)
