"""matchpoint replay DIR --rank R --gdb: a rank of a recorded run under gdb, forwards and backwards.
From a crash back to the line that is to blame; numbers of MPI calls; files that are read; Ctrl-C in
a loop without calls; other front ends; and all that can go wrong. Skipped without gdbserver."""

import os
import re
import shutil
import signal
import socket
import sys
import time
import uuid

import harness
from check_backwards import NO_MORE
from harness import Failed, check

SKIPPED = 77
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SOURCE = harness.program("overwritten.c")

CALLS = r"""#include <mpi.h>
int main(int argc, char **argv)
{
	int rank, value = 7;
	MPI_Request requests[2];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 1) {
		MPI_Send(&value, 1, MPI_INT, 2, 4, MPI_COMM_WORLD);
		MPI_Send(&value, 1, MPI_INT, 2, 5, MPI_COMM_WORLD);
	} else if (rank == 2) {
		MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, requests);
		MPI_Isend(&rank, 1, MPI_INT, MPI_PROC_NULL, 6, MPI_COMM_WORLD, requests + 1);
		MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
		MPI_Probe(1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(&value, 1, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
"""
THREAD = r"""#include <mpi.h>
#include <pthread.h>
static volatile long counted;
static void *count(void *unused)
{
	while (counted < 20000000)
		counted++;
	return unused;
}
int main(int argc, char **argv)
{
	pthread_t thread;
	int provided;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
	pthread_create(&thread, NULL, count, NULL);
	MPI_Barrier(MPI_COMM_WORLD);
	pthread_join(thread, NULL);
	MPI_Finalize();
	return 0;
}
"""
# Its other threads run while it runs, though gdb sees only the first one.
THREADED = (
    ("goto-call 3", r""),
    ("monitor mpi", r"MPI call 3\b.* other threads"),
    ("break 18", r"Breakpoint 1"),
    ("continue", r"pthread_join\(thread"),
    ("next", r"MPI_Finalize\(\)"),
    ("print counted", r"= 20000000\b"),
    ("reverse-next", r"Program stopped"),
    ("monitor mpi", r"cannot go back: it has other threads there"),
    ("next", r"return 0"),
    ("goto-call 1", r"MPI_Init_thread"),
)
# Number of a call, and all that is known of it; the rank stands in call 6.
TOLD = (
    (2, "call 2, MPI_Comm_rank, at calls.c:8: comm=MPI_COMM_WORLD", "in the past"),
    (3, "call 3, MPI_Irecv, at calls.c:13: source=MPI_ANY_SOURCE, tag=4, comm=MPI_COMM_WORLD; has "
     "room for 4 bytes", "in the past"),
    (5, "call 5, MPI_Recv, at calls.c:15: source=MPI_PROC_NULL, tag=4, comm=MPI_COMM_WORLD; has "
     "room for 4 bytes", "got no message", "in the past"),
    (6, "call 6, MPI_Waitall, at calls.c:16", "completes call 3, MPI_Irecv: a message from rank 1, "
     "tag 4, 4 bytes", "completes call 4, MPI_Isend", "the rank stands in call 6, MPI_Waitall"),
    (8, "call 8, MPI_Recv, at calls.c:18: source=1, tag=MPI_ANY_TAG, comm=MPI_COMM_WORLD; has room "
     "for 4 bytes", "got a message from rank 1, tag 5, 4 bytes", "in the future"),
    (10, r"call 10 is not in the recording, which has 9 calls of this rank", "the rank stands in"),
    ("x", "call wants the number of an MPI call, from 1"),
)

# Each line of gdb's, and a regular expression for what it says.
CRASH = (
    ("monitor mpi", r"before its first call"),
    ("continue", r"SIGSEGV.*\n.*at_edge "),
    ("monitor mpi", r"has returned from call 122, MPI_Barrier"),
    ("watch -l edge->wall", r"atchpoint"),
    ("reverse-continue", r"(?s)New value = .*<wall>.*in store .*cells->value\[at\] \+= value"),
    ("print at", r"= 10\b"),
    ("monitor mpi", r"has returned from call 18, MPI_Sendrecv, with rank 2, tag 7"),
    ("bt", r"take .*count=11\b"),
    ("delete", r""),
    ("reverse-finish", r"in take .*\n.*store\(i, values\[i\]\)"),
    ("reverse-step", r"store\(i, values\[i\]\)"),
    ("print i", r"= 10\b"),
    ("reverse-stepi", r"for \(int i = 0"),
    ("stepi", r"store\(i, values\[i\]\)"),
    ("print i", r"= 10\b"),
    ("continue", r"SIGSEGV"),
)
WELL = (
    ("break sum_up", r"Breakpoint 1"),
    ("continue", r"Breakpoint 1, sum_up"),
    # The first call of a function goes through the dynamic linker, where reverse-step stops.
    ("continue", r"Breakpoint 1, sum_up"),
    ("next", r"MPI_Allreduce"),
    ("step", r"return sum"),
    ("print sum", r"= (.*)"),
    ("reverse-step", r"MPI_Allreduce"),
    ("print sum", r"= 0\b"),
    ("delete", r""),
    ("monitor goto 60", r"MPI call 60\b"),
    ("stepi", r"SIGINT"),
    ("monitor mpi", r"stands in call 60, MPI_Sendrecv"),
    ("bt", r"exchange .*round=19\b"),
    ("goto-call 9", r"(?s)agent_mark.*#\d+ .* in exchange \(round=2\).*MPI_Sendrecv\(mine"),
    ("monitor mpi", r"stands in call 9, MPI_Sendrecv"),
    ("goto-call 60", r"(?s)in exchange \(round=19\).*MPI_Sendrecv\(mine"),
    ("print round", r"= 19\b"),
    ("down", r"MPI_Sendrecv \(.*dest=0, sendtag=7"),
    ("finish", r"exchange \(round=19\)"),
    ("monitor mpi", r"has returned from call 60, MPI_Sendrecv"),
    ("goto-call 124", r"agent_mark"),
    ("goto-call", r"Go to the entry of the rank's MPI call N"),
    ("monitor help", r"monitor call N"),
    # Each round reads a line: the copies of the process must not share their place in the file.
    ("monitor goto 21", r""),
    ("reverse-stepi", r""),
    ("tbreak exchange", r""),
    ("continue", r"exchange \(round=7\)"),
    ("up", r"main"),
    ("print line", r'"8\\n'),
    ("monitor goto 9", r""),
    ("stepi", r""),
    ("tbreak exchange", r""),
    ("continue", r"exchange \(round=3\)"),
    ("up", r"main"),
    ("print line", r'"4\\n'),
    ("monitor goto 0", r"from 1"),
    ("continue", r"(?s)The replay ends here: 123 calls.*" + NO_MORE),
    ("monitor mpi", r"has returned from call 123, MPI_Finalize"),
)
# gdb itself goes on where a condition does not hold, in both directions.
CONDITIONS = (
    ("break exchange if round == 12", r"Breakpoint 1"),
    ("continue", r"exchange \(round=12\)"),
    ("delete", r""),
    ("break exchange if round % 4 == 2", r"Breakpoint 2"),
    ("reverse-continue", r"exchange \(round=10\)"),
    ("reverse-continue", r"exchange \(round=6\)"),
    ("continue", r"exchange \(round=10\)"),
    ("ignore 2 1", r""),
    ("reverse-continue", r"exchange \(round=2\)"),
    ("reverse-continue", NO_MORE),
    ("delete", r""),
    ("break sum_up if 1 == 0", r"Breakpoint 3"),
    ("continue", NO_MORE),
)


def record(tool, name, program, *arguments):
    """Returns the folder. Most of these runs crash."""
    folder = os.path.join(tool.directory, name)
    tool.run("record", "-n", "3", "--to", folder, "--", program, *arguments)
    check(os.path.exists(os.path.join(folder, "rank.2.tail")), "no recording in " + folder)
    return folder


def gdb(tool, folder, rank, lines):
    words = ["-nx", "-batch"]
    for line in ("set pagination off", "set confirm off", "set width 0", *lines):
        words += ["-ex", line]
    return tool.run("replay", folder, "--rank", str(rank), "--gdb", "--", *words)


def check_script(tool, folder, rank, script):
    lines = []
    for line, _ in script:
        lines += [line, "echo \\n--- end ---\\n"]
    done = gdb(tool, folder, rank, lines)
    check(done.status == 0, str(done))
    # What monitor says goes to the other stream, in the same order.
    answers, said = done.out.split("\n--- end ---\n"), done.err.splitlines()
    for (line, expected), answer in zip(script, answers):
        if line.startswith("monitor") and expected:
            check(any(re.search(expected, words) for words in said), "%s: not %s: %s" % (
                line, expected, done))
        elif expected.startswith("(?s)The replay ends"):
            check("The replay ends here: 123 calls" in done.out + done.err
                  and re.search(NO_MORE, answer), str(done))
        else:
            check(re.search(expected, answer), "%s: not %s, but: %s\nall: %s" % (
                line, expected, answer, done))


def without_places(text):
    """Lines without addresses, which differ from machine to machine, and folders of sources."""
    text = re.sub(r"0x[0-9a-f]+( in )?", lambda found: "" if found[1] else "0x", text)
    text = re.sub(r"\S*/(?=\w+\.c:\d)", "", text)
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def documented():
    """The commands of gdb in the document, and what they say."""
    with open(os.path.join(ROOT, "docs", "recording.md")) as file:
        session = re.search(r"(?s)\(gdb\) .*?(?=```)", file.read())[0]
    for part in re.split(r"(?m)^\(gdb\) ", session)[1:]:
        command, said = part.split("\n", 1)
        yield command, [line for line in without_places(said) if line != "Continuing."]


def check_document(tool):
    """The session in docs/recording.md, with the example."""
    example = tool.compile(os.path.join(ROOT, "examples", "overwritten_pointer.c"), "-O0")
    session = list(documented())
    done = gdb(tool, record(tool, "documented", example), 1, [command for command, _ in session])
    out = without_places(done.out)
    for command, said in session:
        if command.startswith("monitor"):
            check(said and all(line in done.err for line in said), "%s: %s" % (command, done))
            continue
        check(said and said[0] in out, "%s: %s" % (command, done))
        place = out.index(said[0])
        check(out[place:place + len(said)] == said, "%s: %s" % (command, done))
        out = out[place + len(said):]


def check_calls(tool):
    """What monitor call tells of single calls; the rank that gdb shows does not move."""
    folder = record(tool, "told", tool.compile(tool.write("calls.c", CALLS)))
    done = gdb(tool, folder, 2, ["goto-call 6"] + ["monitor call %s" % told[0] for told in TOLD])
    check(done.status == 0 and re.search(r"#\d+ .* in main .*calls.c:16\b", done.out), str(done))
    said = iter(done.err.splitlines())
    for _, *expected in TOLD:
        for words in expected:
            check(any(re.search("^ *" + words, line) for line in said), "no %s: %s" % (words, done))
    for number, words in (("x", "goto-call wants the number of an MPI call"),
                          ("11", "MPI call 11 cannot be gone to: the program ends before")):
        done = gdb(tool, folder, 2, ["goto-call " + number, "monitor mpi"])
        check(words in done.out + done.err and "before its first call" in done.err, str(done))


def check_output(tool, folder):
    """The rank's output is in a file, once, however often the rank was run."""
    alone = tool.run("replay", folder, "--rank", "2")
    with open(os.path.join(folder, "replayed", "rank.2", "stdout")) as file:
        text = file.read()
    check(alone.status == 0 and text == alone.out and text, "%s\n%s" % (alone, text))


def check_ends(tool, folder):
    """check_clean of each run finds no process."""
    for lines in (("break main", "continue", "detach"), ("break main", "continue", "kill"),
                  ("break main", "continue", "shell kill -9 $PPID")):
        done = gdb(tool, folder, 1, lines)
        killed = "shell" in lines[-1]
        check(done.status == (4 if killed else 0), str(done))
        check(("gdb was ended by signal 9" in done.err) == killed, str(done))


class Listening:
    """A replay that waits for another front end."""

    def __init__(self, tool, folder, where):
        self.tool, self.mark = tool, uuid.uuid4().hex
        self.process = tool.start(["replay", folder, "--rank", "1", "--listen", where], self.mark)
        line = self.process.stderr.readline().decode()
        found = re.search(r"rank 1 waits for gdb: target remote (\S+)$", line)
        if not found:
            self.tool.end_marked(self.mark)
            raise Failed("not listening: " + line)
        self.at = found.group(1)

    def end(self, status=0):
        try:
            _, err = harness.communicate(self.process, 60)
        except Failed:
            self.tool.end_marked(self.mark)
            raise
        check(self.process.returncode == status, "%d: %s" % (self.process.returncode, err))
        self.tool.check_no_processes(self.mark, "the server has ended")


def check_listen(tool, folder):
    """A port; a socket; a front end that goes away; one that never comes; a port in use."""
    listening = Listening(tool, folder, "0")
    port = listening.at.split(":")[1]
    done = tool.run("replay", folder, "--rank", "1", "--listen", port)
    check(done.status == 4 and "cannot listen at port %s: Address already in use" % port
          in done.err, str(done))
    command = ["gdb", "-nx", "-batch", "-ex", "target remote " + listening.at, "-ex", "continue"]
    text = harness.call(command, 240).stdout
    check("SIGSEGV" in text, text)
    listening.end()
    path = os.path.join(tool.directory, "s")
    listening = Listening(tool, folder, path)
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        connection.sendall(b"$vCont;c#a8")
    listening.end()
    check(not os.path.exists(path), path + " is left")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        listening = Listening(tool, folder, path)
        listening.process.send_signal(number)
        listening.end(4)
        check(not os.path.exists(path), path + " is left")
    check_stopped_early(tool, folder, path)


def check_stopped_early(tool, folder, path):
    """A signal before the wait for gdb ends the wait too."""
    for pause in (0.02, 0.05, 0.1, 0.2, 0.4):
        mark = uuid.uuid4().hex
        process = tool.start(["replay", folder, "--rank", "1", "--listen", path], mark)
        time.sleep(pause)
        process.send_signal(signal.SIGINT)
        try:
            harness.communicate(process, 60)
        except Failed:
            tool.end_marked(mark)
            raise
        check(process.returncode in (4, -signal.SIGINT), str(process.returncode))
        tool.check_no_processes(mark, "it was interrupted")
        check(not os.path.exists(path), path + " is left")


def check_interrupted(tool, folder):
    """Ctrl-C in a loop without calls is answered; and going back from there comes to an end."""
    script = os.path.join(tool.directory, "interrupt.gdb")
    with open(script, "w") as file:
        file.write("set pagination off\nset confirm off\nset width 0\ntbreak spin\ncontinue\n"
                   "echo --- spinning ---\\n\ncontinue\n"
                   "monitor mpi\ninfo symbol $pc\necho --- answered ---\\n\n"
                   "tbreak sum_up\nreverse-continue\nmonitor mpi\n")
    mark = uuid.uuid4().hex
    process = tool.start(["replay", folder, "--rank", "0", "--gdb", "--", "-nx", "-batch", "-x",
                          script], mark)
    lines = []
    try:
        for line in process.stdout:
            lines.append(line.decode())
            if "--- spinning ---" in lines[-1]:
                harness.wait_until_debugged_computes(process, mark)
                begin = time.monotonic()
                os.killpg(process.pid, signal.SIGINT)
            elif "--- answered ---" in lines[-1]:
                harness.check_soon(time.monotonic() - begin, 10, "Ctrl-C was answered")
        _, err = harness.communicate(process, 120)
    except Failed:
        tool.end_marked(mark)
        raise
    out = "".join(lines) + err.decode()
    check(re.search(r"(?s)SIGINT.*spin \+ \d+ in section.*--- answered ---.*sum_up \(", out), out)
    check(re.search(r"(?s)call 122, MPI_Barrier; interrupted.*call 120, MPI_Sendrecv", out), out)
    tool.check_no_processes(mark, "gdb has ended")


def check_errors(tool, folder, program):
    for words, status, expected in (
            (["replay", tool.directory, "--rank", "0", "--gdb"], 2, "need the folder of a record"),
            (["replay", folder, "--gdb"], 2, "which rank? (--rank R)"),
            (["replay", folder, "--rank", "0,1", "--gdb"], 2, "one rank at a time"),
            (["replay", folder, "--rank", "3", "--gdb"], 2, "no rank '3' among 3"),
            (["replay", folder, "--rank", "0", "--gdb", "--listen", "0"], 2, "one of them"),
            (["replay", folder, "--rank", "0", "--listen", "here"], 4, "neither a port"),
            (["replay", folder, "--rank", "0", "--listen", folder], 4, "exists already"),
            (["replay", folder, "--rank", "0", "--", "-batch"], 2, "is gdb's"),
            (["replay", folder, "--rank", "0", "--gdb", "--", "-nonsense"], 4,
             "gdb has ended before it connected")):
        done = tool.run(*words)
        check(done.status == status and expected in done.err, str(done))
    without = os.path.join(tool.directory, "path")
    os.mkdir(without)
    for name, missing in ((None, "gdbserver"), ("gdbserver", "gdb")):
        if name:
            os.symlink(shutil.which(name), os.path.join(without, name))
        done = tool.run("replay", folder, "--rank", "0", "--gdb", environment={"PATH": without})
        check(done.status == 4 and "no program %s on the PATH" % missing in done.err, str(done))
    tool.compile(SOURCE, "-O2")
    done = gdb(tool, folder, 0, ("continue",))
    check(done.status == 4 and "is not what was recorded" in done.err, str(done))


def body(tool, _):
    if not shutil.which("gdbserver") or not shutil.which("gdb"):
        print("skipped: gdb or gdbserver is not installed")
        sys.exit(SKIPPED)
    program = tool.compile(SOURCE, "-O0")
    numbers = tool.write("numbers", "".join("%d\n" % i for i in range(1, 101)))
    crash = record(tool, "crash", program, numbers)
    check_script(tool, crash, 1, CRASH)
    check_document(tool)
    check_ends(tool, crash)
    check_listen(tool, crash)
    well = record(tool, "well", program, numbers, "well")
    check_script(tool, well, 2, WELL)
    check_script(tool, well, 2, CONDITIONS)
    check_calls(tool)
    threaded = tool.compile(tool.write("threaded.c", THREAD), "-O0", "-pthread")
    check_script(tool, record(tool, "threads", threaded), 0, THREADED)
    check_output(tool, well)
    check_interrupted(tool, record(tool, "spin", program, numbers, "spin"))
    check_errors(tool, crash, program)
    print("a crash and a good run, other front ends, an interruption, errors")


if __name__ == "__main__":
    harness.main(__doc__, body)
