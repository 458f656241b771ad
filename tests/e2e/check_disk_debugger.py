"""Checkpoints taken from outside, and with debuggers (MPIR_checkpoint_*): a debugger is attached to
a rank or not when the checkpoint is taken, and when it is restarted. Each serves all others. The
debugger finds the program where it was, and its breakpoints are in no image."""

import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
import threading
import uuid

import harness
from harness import check

# Rank 0 takes numbers in the order of arrival, in a function of its own.
PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
static long sum;
__attribute__((noinline)) void collect(int value)
{
	sum = sum * 10 + value;
}
int main(void)
{
	int rank, size, value;
	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int round = 0; round < 3; round++) {
		for (int i = 1; rank == 0 && i < size; i++) {
			MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
			         MPI_STATUS_IGNORE);
			collect(value);
		}
		if (rank > 0)
			MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	if (rank == 0)
		printf("sum %ld\n", sum);
	MPI_Finalize();
	return 0;
}
"""
RANKS = 3
SUM = "sum 211212"  # 2 before 1 in the first round
WAITPOINT = "MPIR_checkpoint_debugger_waitpoint"


class Session:
    """matchpoint at its prompt, driven by a pipe."""

    def __init__(self, tool, *arguments):
        self.tool = tool
        self.mark = uuid.uuid4().hex
        self.process = subprocess.Popen(
            [tool.matchpoint, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, cwd=tool.directory,
            env=dict(os.environ, **{harness.MARK: self.mark}), start_new_session=True)
        self.lines = []
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        while True:
            text = os.read(self.process.stdout.fileno(), 65536).decode(errors="replace")
            if not text:
                break
            self.lines.append(text)

    def __str__(self):
        return "".join(self.lines)

    def wait_for(self, pattern, least=1):
        patience = harness.Patience(harness.TIMEOUT)
        while len(re.findall(pattern, str(self), flags=re.M)) < least:
            check(self.process.poll() is None and not patience.has_ended(),
                  "%s\nhas no %d times %s" % (self, least, pattern))
            self.reader.join(0.02)

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def infos(self):
        """The processes that it has printed last, by rank."""
        return processes("".join(self.lines))

    def end(self, text):
        self.say("finish")
        self.wait_for(r"^stopped: (end|finding)")
        self.process.stdin.close()
        check(self.process.wait(harness.TIMEOUT) == 0, str(self))
        self.reader.join(harness.TIMEOUT)
        self.tool.check_no_processes(self.mark, "after %s" % self)
        check(text in str(self), "%s\nis to print %s" % (self, text))

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.reader.join(harness.TIMEOUT)
        self.tool.check_no_processes(self.mark, "after %s was killed" % self)


def processes(text):
    pids = re.findall(r"^MPIR_debug_info\) %s:(\d+)$" % re.escape(os.uname().nodename), text,
                      flags=re.M)
    check(len(pids) >= RANKS, text)
    return [int(pid) for pid in pids[-RANKS:]]


def start_take(tool, session, *options):
    return subprocess.Popen([tool.matchpoint, "checkpoint", "take", str(session.process.pid),
                             *options], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, cwd=tool.directory)


def taken(process):
    """The folder of the checkpoint, and the processes of the ranks then."""
    out, err = harness.communicate(process, harness.TIMEOUT)
    check(process.returncode == 0 and out == "", "%s\n%s" % (out, err))
    folder, = re.findall(r"^MPIR_checkpoint_handle\) (.*)$", err, flags=re.M)
    return folder, processes(err)


def start_gdb(tool, pid, *commands):
    words = ["gdb", "-nx", "-q", "-batch", "-iex", "set debuginfod enabled off", "-ex",
             "set pagination off", "-ex", "attach %d" % pid]
    for command in commands:
        words += ["-ex", command]
    return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, cwd=tool.directory)


def end_gdb(process):
    text = harness.communicate(process, harness.TIMEOUT)[0]
    check("detached" in text, text)
    return text


def place_of(text):
    """Where main is in a stack that gdb has printed."""
    places = re.findall(r" main \(.*\) at .*?(\w+\.c:\d+)", text)
    check(places, "%s\nis to show main" % text)
    return places[-1]


def come_back(tool, pid, place):
    """A debugger finds the rank in the waitpoint, opens the gate, and is told."""
    text = end_gdb(start_gdb(tool, pid, "bt", "break MPIR_checkpoint_debugger_breakpoint",
                             "set var MPIR_checkpoint_debug_gate = 1", "continue", "bt",
                             "break collect", "detach"))
    check(WAITPOINT in text and "Breakpoint 1, MPIR_checkpoint_debugger_breakpoint" in text,
          "%s\nis to find the rank in the waitpoint, and behind it" % text)
    check(place_of(text) == place, "%s\nis to be at %s" % (text, place))


def begin(tool, program, choice="2"):
    """At the second choice of the first round: the ranks have moved since their snapshot."""
    session = Session(tool, "debug", "-n", str(RANKS), "--buffering", "infinite", program)
    session.say("run")
    session.wait_for("^stopped: choice 0.2")
    session.say(choice)
    session.wait_for("^stopped: choice ", 2)
    return session


def take_alone(tool, program):
    session = begin(tool, program)
    folder, pids = taken(start_take(tool, session, "--to", "all folders", "--name", "alone"))
    check(folder == os.path.join(tool.directory, "all folders", "alone"), folder)
    mode = os.stat(os.path.dirname(folder)).st_mode
    check(stat.S_IMODE(mode) == 0o700, oct(mode))
    place = place_of(end_gdb(start_gdb(tool, pids[0], "bt", "detach")))
    session.kill()
    return folder, place


def take_debugged(tool, program):
    """gdb is attached to rank 0, with a breakpoint in its code, and leaves when it is asked to."""
    session = begin(tool, program)
    session.say("info checkpoints")
    pid = next(pid for pid in rank_pids(session, program) if is_rank(pid, 0))
    gdb = start_gdb(tool, pid, "set var MPIR_debug_with_checkpoint = 1", "break collect",
                    "break MPIR_checkpoint_debugger_detach", "shell touch ready", "continue",
                    "bt", "detach")
    harness.wait_for(lambda: os.path.exists(os.path.join(tool.directory, "ready")), gdb, "ready")
    take = start_take(tool, session, "--to", "all folders", "--name", "debugged")
    text = end_gdb(gdb)
    check("Breakpoint 2, MPIR_checkpoint_debugger_detach" in text, text)
    folder, pids = taken(take)
    check(pid not in pids, "%s: the rank that was attached to goes on: %d" % (pids, pid))
    come_back(tool, pids[0], place_of(text))
    session.end(SUM)
    return folder, place_of(text)


def rank_pids(session, program):
    return [int(line.split()[0]) for line in harness.marked_processes(session.mark)
            if line.split()[1:2] == [program]]


def is_rank(pid, rank):
    """A copy that is not a keeper: it has the control socket of its world, and no children."""
    with open("/proc/%d/environ" % pid, "rb") as file:
        if b"PMI_RANK=%d" % rank not in file.read().split(b"\0"):
            return False
    with open("/proc/%d/task/%d/children" % (pid, pid)) as file:
        return file.read() == ""


def restart_alone(tool, folder):
    run = tool.run("restart", folder, "--run", "-v")
    check(run.status == 0 and SUM in run.out, "%s: %s" % (folder, run))


def restart_debugged(tool, folder, place, name):
    """The ranks wait for gdb. The next checkpoint, of these, is taken as well."""
    session = Session(tool, "restart", "--debugger", folder)
    session.wait_for("^stopped: choice ")
    session.wait_for("^MPIR_debug_info", RANKS)
    pids = session.infos()
    check(len(re.findall("^MPIR_debug_info", str(session), flags=re.M)) == RANKS, str(session))
    come_back(tool, pids[0], place)
    for pid in pids[1:]:
        end_gdb(start_gdb(tool, pid, "set var MPIR_checkpoint_debug_gate = 1", "detach"))
    session.say("1")
    session.wait_for("^stopped: choice ", 2)
    folder, pids = taken(start_take(tool, session, "--name", name, "--to", "next"))
    for pid in pids:
        end_gdb(start_gdb(tool, pid, "set var MPIR_checkpoint_debug_gate = 1", "detach"))
    session.end(SUM)
    return folder


def check_starter(tool, program):
    """What a debugger of matchpoint itself finds; and the commands are those."""
    session = begin(tool, program)
    names = ("MPIR_checkpoint_command", "MPIR_restart_command", "MPIR_checkpoint_listing_command",
             "MPIR_controller_hostname")
    text = end_gdb(start_gdb(tool, session.process.pid, "print MPIR_checkpointable",
                             *["print (char *)%s" % name for name in names], "detach"))
    values = re.findall(r'^\$\d+ = (?:0x\w+ )?"?(.*?)"?$', text, flags=re.M)
    check(values[0] == "1" and values[4] == os.uname().nodename, text)
    take = subprocess.Popen(values[1], shell=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)
    folder = taken(take)[0]
    listed = subprocess.run(values[3], shell=True, capture_output=True, text=True, check=True)
    check(listed.stdout.startswith(os.path.basename(folder)), str(listed))
    check(shlex.split(values[2]) == [os.path.realpath(tool.matchpoint), "restart", "--debugger"],
          values[2])
    session.end(SUM)


def check_refused(tool, program):
    for words, wanted in ((["1"], "no session of yours"), (["x"], "process number"),
                          ([str(os.getpid())], "no session of yours")):
        run = tool.run("checkpoint", "take", *words)
        check(run.status in (2, 4) and wanted in run.err, str(run))
    session = Session(tool, "debug", "-n", "3", program)
    session.wait_for(r"^\(matchpoint\)")
    run = tool.run("checkpoint", "take", str(session.process.pid))
    check(run.status == 4 and "run starts" in run.err, str(run))
    session.say("run")
    session.wait_for("^stopped: choice")
    for name, wanted in (("7x", "looks like a number"), ("a/b", "a/b")):
        run = tool.run("checkpoint", "take", str(session.process.pid), "--name", name)
        check(run.status == 4 and wanted in run.err, str(run))
    run = tool.run("restart", "--explore", "--debugger", "nowhere")
    check(run.status == 2 and "leave out --debugger" in run.err, str(run))
    session.end("sum ")
    run = tool.run("checkpoint", "take", str(session.process.pid))
    check(run.status == 4 and "no session of yours" in run.err, str(run))


def body(tool, _):
    if not shutil.which("gdb"):
        print("no gdb here: not tried")
        sys.exit(77)
    program = tool.compile(tool.write("collects.c", PROGRAM))
    check_refused(tool, program)
    check_starter(tool, program)
    folders = [take_alone(tool, program), take_debugged(tool, program)]
    check(folders[0][1] == folders[1][1], str(folders))
    for number, (folder, place) in enumerate(folders):
        restart_alone(tool, folder)
        restart_alone(tool, restart_debugged(tool, folder, place, "next%d" % number))


if __name__ == "__main__":
    harness.main(__doc__, body)
