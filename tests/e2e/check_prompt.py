"""matchpoint debug on a terminal: lines can be edited, completed and recalled; Ctrl-C shows where
the ranks are; quit, end of input and a closed terminal leave nothing behind."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import uuid

import harness
from check_hold_shared import LOCKS, THREADS
from harness import check

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "..", "examples")
PATIENCE = 60
PROMPT = "(matchpoint) "
QUESTION = r"[\r\n](?:\x1b\[\?2004h)?%s\? \(y or n\) "

# Rank 0 receives, computes for as long as nobody makes the file "enough", and receives again. It
# tells by a file that it computes.
COMPUTES = r"""
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int rank, value = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 2; i++) {
		if (rank == 0)
			for (int k = 0; k < 2; k++)
				MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, i, MPI_COMM_WORLD,
				         MPI_STATUS_IGNORE);
		else
			MPI_Send(&rank, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
		if (rank == 0 && i == 0)
			close(open("begun", O_CREAT | O_WRONLY, 0600));
		while (rank == 0 && i == 0 && access("enough", F_OK) != 0)
			usleep(1000);
	}
	MPI_Finalize();
	return 0;
}
"""


class Terminal:
    """A session at the prompt, with a terminal of its own."""

    def __init__(self, tool, *arguments, colours=False, columns=0):
        self.tool = tool
        self.mark = uuid.uuid4().hex
        self.text = ""
        self.seen = 0
        environment = dict(os.environ, TERM="xterm", HOME=tool.directory, **{
            harness.MARK: self.mark, "NO_COLOR": "" if colours else "1"})
        environment.pop("XDG_STATE_HOME", None)
        environment.pop("INPUTRC", None)
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        self.process = subprocess.Popen(
            [tool.matchpoint, "debug", *arguments], stdin=slave, stdout=slave, stderr=slave,
            cwd=tool.directory, env=environment, start_new_session=True,
            preexec_fn=lambda: __import__("fcntl").ioctl(0, __import__("termios").TIOCSCTTY, 0))
        os.close(slave)

    def type(self, text):
        os.write(self.master, text.encode())

    def read(self, seconds):
        if select.select([self.master], [], [], seconds)[0]:
            try:
                self.text += os.read(self.master, 65536).decode(errors="replace")
            except OSError:
                return False
        return True

    def expect(self, pattern):
        """What comes up to and with the pattern, behind what was expected before."""
        patience = harness.Patience(PATIENCE)
        while True:
            found = re.search(pattern, self.text[self.seen:])
            if found:
                told = self.text[self.seen:self.seen + found.end()]
                self.seen += found.end()
                return told
            if patience.has_ended() or not self.read(1):
                self.end()
                check(False, "%s does not come: %r" % (pattern, self.text[self.seen:]))

    def say(self, line, pattern):
        """A line, and what is told up to the next prompt."""
        self.type(line + "\r")
        told = self.expect(pattern)
        return told + self.expect(re.escape(PROMPT))

    def wait(self, status):
        """It ends, with that status, and nothing is left of it."""
        patience = harness.Patience(PATIENCE)
        while self.process.poll() is None and not patience.has_ended():
            self.read(0.1)
        check(self.process.poll() == status, "exit status %s, not %s: %r" % (
            self.process.poll(), status, self.text))
        self.tool.check_clean(self.process.pid, self.mark, self.text)
        os.close(self.master)

    def end(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.tool.end_marked(self.mark)


def has_readline(tool):
    """Built without it, a terminal's own editing is all there is."""
    libraries = subprocess.run(["ldd", tool.matchpoint], capture_output=True, text=True,
                               check=False).stdout
    return "libreadline" in libraries


def check_session(tool, program):
    terminal = Terminal(tool, "-n", "3", program)
    check("help lists the commands" in terminal.expect(re.escape(PROMPT)), terminal.text)
    terminal.say("run", "stopped: choice 0.2\r?\n")
    terminal.say("1", "stopped: choice 0.3\r?\n")
    terminal.say("2", "stopped: finding mpi-error\r?\n")
    terminal.say("back", "stopped: choice 0.3\r?\n")
    terminal.say("", "stopped: choice 0.2\r?\n")  # the last line again
    row = r"  %d +%d +[1-9]\d* +\S+ +0 +in MPI_%s: waits for rank.*\r?\n"
    terminal.say("info processes", r"  name +rank +pid +program +world +does\r?\n"
                 + row % (0, 0, "Probe") + row % (1, 1, "Send") + row % (2, 2, "Send"))
    terminal.say("break MPI_Send", "breakpoint 1")
    for answer, left in (("n", "1  +MPI_Send"), ("y", "no breakpoint")):
        terminal.type("de\r")  # so short a word asks
        for line in ("perhaps", answer):  # the question is instead of the prompt
            terminal.expect(QUESTION % "delete all breakpoints")
            terminal.type(line + "\r")
        terminal.expect(re.escape(PROMPT))
        terminal.say("info breakpoints", left)
    terminal.type("quit\r")
    terminal.wait(3)


def check_width(tool, program):
    """Lines are wrapped at the terminal's width, between words; what continues is indented."""
    terminal = Terminal(tool, "-n", "3", program, columns=60)
    terminal.expect(re.escape(PROMPT))
    told = terminal.say("run", "stopped: choice 0.2\r?\n")
    told += terminal.say("where 1", "waits for rank 0\r?\n")
    told = re.sub(r"\r|\x1b\[\?2004[hl]", "", told)
    check(all(len(line) <= 60 for line in told.split("\n")), told)
    check(re.search(r"\n  rank 1  MPI_Send\(dest=0, tag=0\) *\n"
                    r"      probe_then_receive\.c:31, call 2  waits for rank 0\n", told), told)
    terminal.type("quit\r")
    terminal.wait(3)


def check_shared(tool):
    """Who goes back, in a program with windows and in one with threads, is asked about first; a
    terminal that is closed while threads are held leaves nothing behind."""
    windows = tool.compile(tool.write("locks.c", LOCKS))
    threads = tool.compile(tool.write("threads.c", THREADS), "-pthread")
    for program, stop, back, place in ((windows, "w1.0.2", "0.4", "rollback: 0.4 1.6 2.4"),
                                       (threads, "0.3", "0.2", "rollback: 0.2 1.2 2.2")):
        terminal = Terminal(tool, "-n", "3", program)
        terminal.expect(re.escape(PROMPT))
        terminal.say("run", "stopped: choice ")
        terminal.say("2" if program is windows else "1", "stopped: choice %s\r?\n" % stop)
        if program is windows:
            terminal.say("1", "stopped: end")
        for answer in ("n", "y"):
            terminal.type("rollback %s\r" % back)
            told = terminal.expect(QUESTION % "go back")
            check(place in told, told)
            terminal.type(answer + "\r")
            told = terminal.expect(re.escape(PROMPT))
            check(("stopped: " in told) == (answer == "y"), told)
        if program is windows:
            terminal.type("quit\r")
            terminal.wait(3)
            continue
        check("stopped: held" in told and "waits for its turn" in told, told)
        os.killpg(terminal.process.pid, signal.SIGHUP)
        terminal.wait(3)


def check_colours(tool, program):
    """Where it has stopped, and the numbers that can be typed; not with NO_COLOR, which all other
    terminals here have."""
    terminal = Terminal(tool, "-n", "3", program, colours=True)
    terminal.type("run\r")
    terminal.expect("\x1b\\[1mstopped: choice 0\\.2\x1b\\[0m\r\n")
    terminal.expect("\x1b\\[1m     1\\)\x1b\\[0m  rank 1's message")
    terminal.type("1\r")
    terminal.expect("stopped: choice 0\\.3")
    terminal.type("2\r")
    terminal.expect("\x1b\\[1;31mstopped: finding mpi-error\x1b\\[0m\r\n")
    terminal.type("quit\r")
    terminal.wait(1)


def check_completion(tool, program):
    terminal = Terminal(tool, "-n", "3", program)
    terminal.expect(re.escape(PROMPT))
    terminal.type("ru\t")
    terminal.expect("run ")
    terminal.type("\r")
    terminal.expect("stopped: choice 0.2")
    terminal.expect(re.escape(PROMPT))
    terminal.type("choos\t0.2=\t\t")
    terminal.expect("0.2=1 +0.2=2")
    terminal.type("2\r")
    terminal.expect("0.2=2 is chosen")
    terminal.expect(re.escape(PROMPT))
    terminal.say("break MPI_Send", "breakpoint 1")
    terminal.say("checkpoint before", "checkpoint 1: mp1")
    for typed, offered in (("delete \t\t", r"1 +checkpoint"),
                           ("rollback 0\t\t\t", r"0\.1 +0\.2"),
                           ("restart b\t", "restart before")):
        terminal.type(typed)
        terminal.expect(offered)
        terminal.type("\x15info path\r")  # the line is forgotten
        terminal.expect("path: mp1")
        terminal.expect(re.escape(PROMPT))
    terminal.type("inf\tpa\t\r")
    terminal.expect("path: mp1:n3:zero:")
    terminal.type("quit\r")
    terminal.wait(3)
    with open(os.path.join(tool.directory, ".local/state/matchpoint/history")) as file:
        history = file.read().splitlines()
    check(history[-1] == "quit" and "info path" in [line.strip() for line in history],
          "history: %s" % history)
    terminal = Terminal(tool, "-n", "3", program)
    terminal.expect(re.escape(PROMPT))
    terminal.type("\x1b[A\r")  # the line before: quit
    terminal.wait(3)


def check_ends(tool, program):
    """Ctrl-D, a closed terminal and signals."""
    terminal = Terminal(tool, "-n", "3", program)
    terminal.expect(re.escape(PROMPT))
    terminal.say("run", "stopped: choice 0.2")
    terminal.type("\x04")
    terminal.wait(3)
    terminal = Terminal(tool, "-n", "3", program)
    terminal.expect(re.escape(PROMPT))
    terminal.say("run", "stopped: choice 0.2")
    os.close(terminal.master)
    harness.communicate(terminal.process, PATIENCE)
    tool.check_clean(terminal.process.pid, terminal.mark, terminal.text)
    terminal = Terminal(tool, "-n", "3", program)
    terminal.expect(re.escape(PROMPT))
    terminal.say("run", "stopped: choice 0.2")
    terminal.process.send_signal(signal.SIGTERM)
    terminal.wait(3)


def interrupt(tool, terminal, line):
    """Ctrl-C while rank 0 computes."""
    begun = os.path.join(tool.directory, "begun")
    if os.path.exists(begun):
        os.unlink(begun)
    terminal.type(line + "\r")
    harness.wait_for(lambda: os.path.exists(begun), terminal.process, "rank 0 computes")
    terminal.type("\x03")


def check_interrupted(tool):
    program = tool.compile(tool.write("computes.c", COMPUTES))
    enough = os.path.join(tool.directory, "enough")
    terminal = Terminal(tool, "-n", "3", program)
    terminal.expect(re.escape(PROMPT))
    terminal.say("run", "stopped: choice 0.2")
    terminal.type("wrong\x03")  # what was typed is forgotten, and nothing else
    terminal.expect(re.escape(PROMPT))
    terminal.say("info path", "path: mp1:n3:zero:")
    interrupt(tool, terminal, "1")
    told = terminal.expect("stopped: interrupted\r?\n") + terminal.expect(re.escape(PROMPT))
    check(re.search(r"rank 0  MPI_Recv.*runs, and has made no call since", told), told)
    check("MPI_Send" in terminal.say("where", "rank 0"), terminal.text)
    check("the ranks are running" in terminal.say("choose 0.3=1", "are running"), terminal.text)
    terminal.say("back", "stopped: choice 0.2")
    terminal.say("run", "stopped: choice 0.2")
    interrupt(tool, terminal, "finish")
    terminal.expect("stopped: interrupted")
    terminal.expect(re.escape(PROMPT))
    with open(enough, "w"):
        pass
    terminal.expect("stopped: choice 0.4")  # whoever was to decide there
    terminal.expect(re.escape(PROMPT))
    terminal.say("finish", "stopped: end")
    terminal.type("quit\r")
    terminal.wait(0)
    os.unlink(enough)
    terminal = Terminal(tool, "-n", "3", program)
    terminal.expect(re.escape(PROMPT))
    terminal.say("run", "stopped: choice 0.2")
    interrupt(tool, terminal, "1")
    terminal.expect("stopped: interrupted")
    terminal.expect(re.escape(PROMPT))
    terminal.type("quit\r")
    terminal.wait(3)


def body(tool, _):
    program = tool.compile(os.path.join(EXAMPLES, "probe_then_receive.c"))
    check_session(tool, program)
    check_width(tool, program)
    check_shared(tool)
    check_colours(tool, program)
    if has_readline(tool):
        check_completion(tool, program)
    check_ends(tool, program)
    check_interrupted(tool)


if __name__ == "__main__":
    harness.main(__doc__, body)
