"""matchpoint debug, by scripts: where it stops, which choices it offers, how it goes back. Each
end reached, in any way, must be the end that replay shows of the same path."""

import glob
import os
import random
import re
import shutil
import signal
import subprocess
import uuid

import harness
from harness import check

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "..", "examples")

# What no snapshot can bring back: a thread that is older than MPI.
EARLY_THREAD = r"""
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>
static void *sleeps(void *unused)
{
	pause();
	return unused;
}
int main(int argc, char **argv)
{
	pthread_t thread;
	int rank, value = 0;
	pthread_create(&thread, NULL, sleeps, NULL);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 2 && rank == 0; i++)
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
"""

FOR_EVER = r"""
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	close(open("begun", O_CREAT | O_WRONLY, 0600));
	for (;;)
		usleep(1000);
}
"""

# The second request is of a send, and has no message; the third and fourth are reported together.
ANSWERS = r"""
#include <mpi.h>
int main(int argc, char **argv)
{
	int rank, one = 7, got[2], done[3], count;
	MPI_Request requests[3];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		MPI_Irecv(&got[0], 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &requests[0]);
		MPI_Isend(&one, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, &requests[1]);
		MPI_Irecv(&got[1], 1, MPI_INT, 2, 5, MPI_COMM_WORLD, &requests[2]);
		MPI_Waitsome(3, requests, &count, done, MPI_STATUSES_IGNORE);
		MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 1 + 2 * rank, MPI_COMM_WORLD);
		if (rank == 1)
			MPI_Recv(&got[0], 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
"""


def check_answers(tool):
    """What can be reported is told with the messages that have come for it; x shows these."""
    program = tool.compile(tool.write("answers.c", ANSWERS))
    run = debug(tool, ["run"], "-n", "3", program)
    first, last = ("rank %d's message, tag=%d, 1 MPI_INT: {%d}" % (rank, 1 + 2 * rank, rank)
                   for rank in (1, 2))
    for words in ("the request of call 2: %s  " % first, "the request of call 3  ",
                  "the request of call 4: %s  " % last,
                  "the requests of calls 2,4: %s; %s  " % (first, last),
                  "the requests of calls 2,3: %s  " % first):
        check(re.search(r"^    [ \d]\d\)  %s *(answers\.c:\d+)?" % re.escape(words), run.out,
                        flags=re.M), "%s\n%s" % (words, run))
    for words, values in (("the request of call 2", ["1"]), ("the request of call 3", []),
                          ("the requests of calls 2,4", ["1", "2"])):
        number = re.search(r"^ *(\d+)\)  %s\b" % words, run.out, flags=re.M).group(1)
        shown = debug(tool, ["run", "x " + number], "-n", "3", program)
        check(re.findall(r"^     0: (\d+)$", shown.out, flags=re.M) == values, str(shown))
        check(bool(values) != ("%s is not a message" % number in shown.out + shown.err), str(shown))


# Every kind of choice: program, ranks, options, what can be chosen at its first stop as `choices`
# tells it.
KINDS = [
    ("examples/probe_then_receive", 3, (), "choice 0.2: 1 2"),
    ("examples/first_answer", 3, (), "choice 0.4: #0 #1"),
    ("examples/looks_once", 2, (), "choice 0.2: no 1"),
    ("examples/one_send_blocks", 3, ("--buffering", "per-send"), "choice 0.2: early late"),
    ("programs/some", 3, (), None),
    ("programs/cancel_race", 2, (), None),
    ("programs/lock_order", 3, (), None),
    ("programs/early_leaving", 3, ("--buffering", "per-send", "--collectives", "per-call"), None),
    ("programs/threads_wildcard", 2, (), None),
    ("programs/mprobe", 3, (), None),
]


def source(name):
    folder, base = name.split("/")
    if folder == "examples":
        return os.path.join(EXAMPLES, base + ".c")
    return harness.program(base + ".c")


def debug(tool, lines, *arguments):
    """A session with these lines as its script, in batch."""
    script = tool.write("script.mp", "".join(line + "\n" for line in lines))
    return tool.run("debug", *arguments[:-1], "-x", script, "--batch", arguments[-1])


def stops(run):
    return re.findall(r"^stopped: (.*)$", run.out, flags=re.M)


def paths(run):
    return re.findall(r"^path: (mp1:\S*)$", run.out, flags=re.M)


def check_session(tool):
    """The bug of probe_then_receive, walked through."""
    program = tool.compile(source("examples/probe_then_receive"))
    run = debug(tool, ["run", "choices", "choose 0.2=1", "continue", "2", "info path", "back", "1",
                       "info path", "back 2", "forward", "info findings"], "-n", "3", program)
    check(stops(run) == ["choice 0.2", "choice 0.3", "finding mpi-error", "choice 0.3", "end",
                         "choice 0.2", "choice 0.3"], str(run))
    check(paths(run) == ["mp1:n3:zero:0.2=1,0.3=2",
                          "mp1:n3:zero:0.2=1,0.3=1,0.4=2,0.5=2"], str(run))
    check(re.search(r"^choice 0\.2: 1 2$", run.out, flags=re.M), str(run))
    for line in (r"  rank 0  MPI_Probe\(ANY_SOURCE, tag=0\) +\S+\.c:22, call 2  can report",
                 r"     2\)  rank 2's message, tag=0, 2 MPI_INT: \{1, 2\}  probe_then_r\S+:31",
                 r"  ranks 1, 2  MPI_Send\(dest=0, tag=0\) +\S+\.c:31, call 2  waits for rank 0",
                 r"     2\)  rank 2's message, .*  taken last time",
                 r"  rank 0 stopped by an MPI error: Message truncated at .*:25",
                 r"finding 1: mpi-error, in 1 interleaving"):
        check(re.search("^%s" % line, run.out, flags=re.M), "%s\n%s" % (line, run))
    check(run.status == 3, "the last interleaving is not at its end\n%s" % run)


def check_status(tool):
    program = tool.compile(source("examples/probe_then_receive"))
    for lines, status in (([], 3), (["run"], 3), (["run", "1", "1"], 0), (["run", "1", "2"], 1),
                          (["run", "1", "2", "back"], 3), (["run", "1", "2", "back", "1"], 0),
                          (["run", "finish", "quit", "run"], 0)):
        run = debug(tool, lines, "-n", "3", program)
        check(run.status == status, "%d is expected\n%s" % (status, run))
    check(tool.run("debug", "-n", "3", "-x", "nowhere.mp", "--batch", program).status == 2, "-x")
    check(tool.run("debug", "-n", "3").status == 2, "no program")


def check_finding(tool):
    """Just before the choice to blame, with the way that ends well; what lies before can be gone
    back to."""
    program = tool.compile(source("examples/probe_then_receive"))
    check(tool.run("explore", "-q", "-n", "3", program).status == 1, "nothing was found")
    script = tool.write("script.mp", "back\ncontinue\n2\nback\n1\n")
    run = tool.run("debug", "1", "-x", script, "--batch")
    check(stops(run) == ["choice 0.3", "choice 0.2", "choice 0.3", "finding mpi-error",
                         "choice 0.3", "end"], str(run))
    check(run.status == 0, str(run))
    check(re.search(r"1\)  rank 1's message.*ends well", run.out), str(run))
    check(re.search(r"2\)  rank 2's message.*as in finding 1", run.out), str(run))
    script = tool.write("script.mp", "back\n")
    run = tool.run("debug", "mp1:n3:zero:0.2=2,0.3=1", "-x", script, "--batch", "--", program)
    check(stops(run) == ["choice 0.4", "choice 0.3"], "the path's end, and before\n%s" % run)


# Rank 1 sends after it has looked in vain three times, and rank 0 does not bear its message first.
LATE = r"""
#include <mpi.h>
int main(int argc, char **argv)
{
	int rank, value, flag;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 3 && rank == 1; i++)
		MPI_Iprobe(0, 5, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	if (rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	for (int i = 0; i < 2 && rank == 0; i++) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (i == 0 && value == 1)
			MPI_Abort(MPI_COMM_WORLD, 3);
	}
	MPI_Finalize();
	return 0;
}
"""


def check_later(tool):
    """What is not possible yet can be chosen, and is waited for: what else is open goes on."""
    program = tool.compile(tool.write("revisits.c", LATE))
    script = tool.write("script.mp", "back\nchoose 0.2=1\ncontinue\nback\n0.2=1\nback\n0.2=0\n"
                                     "info requests\n0.2=2\n")
    run = tool.run("debug", "mp1:n3:zero:1.2=no,0.2=1", "-x", script, "--batch", "--", program)
    check(stops(run) == ["finding abort", "choice 0.2"] * 3 + ["lost", "choice 0.2", "end"],
          str(run))
    check(run.out.count("choose 0.2=1 is as in the path, and possible later\n") == 4, str(run))
    check("0.2=1 is chosen, but not possible yet: continue goes on" in run.out, str(run))
    check("no rank has a request that it has not seen complete\n" in run.out, str(run))
    check("rank 0's call 2 cannot take a message of rank 0 here" in run.out, str(run))
    check(run.status == 0, str(run))


REFUSED = [
    ("chose 0.2=1", "there is no command chose; did you mean choose?"),
    ("cho", "cho is ambiguous: choices or choose"),
    ("choose 0.9=1", "0.9=1 is not possible here; use choose 0.2=1 or 0.2=2"),
    ("choose 0.2=7", "0.2=7 is not a choice"),
    ("0.9=1", "0.9=1 is not possible here; use choose 0.2=1 or 0.2=2"),
    ("choose 0.2=no", "0.2=no is not possible here"),
    ("path", "there is no command path; did you mean info path?"),
    ("choose", "is not a choice"),
    ("3", "3 is not a number from 1 to 2"),
    ("99999999999999999999999", " is not a number from 1 to 2"),
    ("back", "there is no stop before this one; run starts again"),
    ("back 0", "0 is not a number from 1 up"),
    ("forward", "there is no stop after this one"),
    ("where 3", "there is no rank 3; ranks are 0 to 2"),
    ("continue now", "now does not name ranks; ranks are 0 to 2"),
    ("set choices maybe", "set choices cannot be maybe"),
    ("info", "info needs one of breakpoints, "),
    ("goto mp1:n4:", "that path is for 4 ranks, not 3"),
    ("goto somewhere", "not a path"),
    ("goto finding 1", "there is no finding 1 here"),
    ("source nowhere.mp", "nowhere.mp"),
    ("help chose", "there is no command chose; did you mean choose?"),
    ("display value", "this is a command of gdb: gdb RANK runs gdb on a rank"),
    ("info frame 7", "there is no rank 7; ranks are 0 to 2"),
]


def check_habits(tool):
    """What gdb's users type."""
    program = tool.compile(source("examples/wildcard_deadlock"))
    lines = ["run", "b MPI_Recv", "bt 0", "info threads", "n 0", "b"]
    run = debug(tool, lines, "-n", "3", program)
    check(stops(run) == ["choice 0.2", "breakpoint 1", "choice 0.2"], str(run))
    check("(matchpoint) b MPI_Recv\nbreakpoint 1\n" in run.out, str(run))
    check("#0  main (wildcard_deadlock.c:15)" in run.out, str(run))
    if shutil.which("gdb"):
        run = debug(tool, ["run", "info locals 1", "info locals"], "-n", "3", program)
        check(re.search("info locals 1\nrank = 1\nvalue = 0\n", run.out), str(run))
        check(re.search("info locals\nrank = 0\nvalue = 0\n", run.out), str(run))


def check_refused(tool):
    """The session goes on after each, and nothing is lost."""
    program = tool.compile(source("examples/probe_then_receive"))
    lines = [line for line, _ in REFUSED]
    run = debug(tool, ["continue", *lines, "run", *lines, "choices", "1", "2"], "-n", "3", program)
    for number, (line, words) in enumerate(REFUSED):
        place = "script.mp:%d: " % (len(lines) + 3 + number)
        told = re.search("^.*%s(.*)$" % re.escape(place), run.out, flags=re.M)
        check(told and words in told.group(1), "%s: %s is expected\n%s" % (line, words, run))
    check(":1: nothing runs: run starts the program" in run.out, str(run))
    check(stops(run) == ["choice 0.2", "choice 0.3", "finding mpi-error"], str(run))
    check(run.status == 1, str(run))
    script = tool.write("itself.mp", "source itself.mp\n")
    run = tool.run("debug", "-n", "3", "-x", script, "--batch", program)
    check("nested scripts" in run.out and run.status == 3, str(run))


def check_help(tool):
    program = tool.compile(source("examples/probe_then_receive"))
    run = debug(tool, ["help"], "-n", "3", program)
    words = re.findall(r"^  ([a-z]+) .*  ", run.out, flags=re.M)
    check(len(words) > 10 and "continue" in words, str(run))
    run = debug(tool, ["help %s" % word for word in words], "-n", "3", program)
    check(run.out.count("Example: ") >= len(words) - 2 and "no command" not in run.out, str(run))


def check_kinds(tool):
    for name, ranks, options, first in KINDS:
        program = tool.compile(source(name), "-pthread")
        run = debug(tool, ["run", "choices", "info path"], "-n", str(ranks), *options, program)
        check(stops(run) and stops(run)[0].startswith("choice "), "%s: no choice\n%s" % (name, run))
        offered = re.findall(r"^choice \S+: .*$", run.out, flags=re.M)
        check(offered and (not first or first in offered), "%s: %s\n%s" % (name, first, run))
        for line in offered:  # whatever is offered can be taken
            point, _, answers = line[len("choice "):].partition(": ")
            for answer in answers.split(" ")[:3]:
                run = debug(tool, ["run", "choose %s=%s" % (point, answer), "continue",
                                   "info path"], "-n", str(ranks), *options, program)
                check(len(stops(run)) == 2 and "is chosen" in run.out, "%s\n%s" % (name, run))


def replayed(tool, path, program):
    run = tool.run("replay", path, "-q", "--", program)
    return run.status


def check_walks(tool, seeds):
    """Random walks, back and forward; what comes of them is what replay shows of their path."""
    for name, ranks, options, _ in KINDS:
        if "threads" in name:
            continue
        program = tool.compile(source(name), "-pthread")
        for seed in range(seeds):
            dice = random.Random("%s %d" % (name, seed))
            lines = ["run"] + [dice.choice(["1", "2", "3", "continue", "back", "back 2", "forward"])
                               for _ in range(dice.randrange(3, 12))]
            lines += ["set choices random %d" % seed, "continue", "finish", "info path"]
            run = debug(tool, lines, "-n", str(ranks), *options, program)
            check(run.status in (0, 1), "%s: not at its end\n%s" % (name, run))
            status = replayed(tool, paths(run)[-1], program)
            check(status == run.status, "%s: replay of %s exits with %d\n%s" % (
                name, paths(run)[-1], status, run))


def check_ways_back(tool):
    """By snapshot and by rerun the same, and where it cannot be parked that is said once."""
    program = tool.compile(source("examples/mixed_rounds"))
    lines = ["run", "continue", "2", "back 2", "2", "back", "1", "forward", "finish", "info path"]
    told = []
    for way in ("snapshot", "rerun", "auto"):
        run = debug(tool, lines, "-n", "3", "--backtrack", way, program)
        told.append((run.status, run.out))
    check(told[0] == told[1] == told[2], "snapshots: %s\nrerun: %s" % (told[0], told[1]))
    program = tool.compile(tool.write("early_thread.c", EARLY_THREAD), "-pthread")
    run = debug(tool, ["run", "1", "back", "2", "back"], "-n", "3", program)
    check(stops(run) == ["choice 0.2", "end"] * 2 + ["choice 0.2"], str(run))
    check(run.out.count("snapshots are not safe here") == 1, str(run))


def check_locks(tool):
    """Who gets a lock is asked; what comes with it, that nobody else has asked for, is not."""
    program = tool.compile(source("programs/lock_order"))
    check(tool.run("explore", "-q", "-n", "3", program).status == 1, "nothing was found")
    script = tool.write("script.mp", "choices\n2\nwhere 0\nback\n1\nback 2\n1\n1\n")
    run = tool.run("debug", "1", "-x", script, "--batch")
    check(stops(run) == ["choice w1.0.2", "finding crash", "choice w1.0.2", "end",
                         "choice w1.0.1", "choice w1.0.2", "end"], str(run))
    check("choice w1.0.2: 0 1\n" in run.out and "can be granted to" in run.out, str(run))
    program = tool.compile(source("programs/lock_shared"))
    script = tool.write("script.mp", "run\n")
    run = tool.run("debug", "-n", "3", "-x", script, "--batch", program, "exclusive")
    check(re.search(r"rank 0's lock of window 1 .*\n.*rank 0 .*\n.*window 1, rank 1's share .*\n",
                    run.out), str(run))


def check_lost(tool):
    """Choices that this program never has, and back from there."""
    program = tool.compile(source("examples/probe_then_receive"))
    run = debug(tool, ["run", "1", "goto mp1:n3:zero:0.2=1,0.9=2", "where", "back", "info path"],
                "-n", "3", program)
    check(stops(run) == ["choice 0.2", "choice 0.3", "lost", "choice 0.3"], str(run))
    check("rank 0's call 9 cannot take a message of rank 2 here" in run.out, str(run))
    check("nothing runs: run starts the program" in run.out, str(run))
    check(paths(run) == ["mp1:n3:zero:0.2=1"], str(run))


def check_ended(tool):
    """Asked to end while the ranks run, which never do by themselves."""
    program = tool.compile(tool.write("for_ever.c", FOR_EVER))
    script = tool.write("script.mp", "run\n")
    mark = uuid.uuid4().hex
    process = tool.start(["debug", "-n", "2", "-x", script, "--batch", program], mark)
    begun = os.path.join(tool.directory, "begun")
    harness.wait_for(lambda: os.path.exists(begun), process, "the ranks run")
    process.send_signal(signal.SIGTERM)
    out, err = harness.communicate(process, 60)
    check(process.returncode == 3, "%s\n%s" % (out, err))
    tool.check_clean(process.pid, mark, out)


def check_lines_from_a_pipe(tool):
    """Without a terminal lines come from standard input, and its end is the session's."""
    program = tool.compile(source("examples/probe_then_receive"))
    file = tool.write("typed.mp", "run\n\n1\n2")
    for stdin in (open(file), subprocess.Popen(["cat", file], stdout=subprocess.PIPE).stdout):
        run = tool.run("debug", "-n", "3", program, stdin=stdin)
        stdin.close()
        check(stops(run) == ["choice 0.2", "choice 0.3", "finding mpi-error"], str(run))
        check("(matchpoint) 1\n" in run.out and run.status == 1, str(run))


def check_examples(tool):
    """Each example has a script that walks through its bug; it tells where it stops."""
    scripts = sorted(glob.glob(os.path.join(EXAMPLES, "*.mp")))
    programs = sorted(glob.glob(os.path.join(EXAMPLES, "*.c")))
    check([os.path.splitext(one)[0] for one in scripts]
          == [os.path.splitext(one)[0] for one in programs], "an example without a script")
    for script in scripts:
        name = os.path.splitext(os.path.basename(script))[0]
        with open(script) as file:
            text = file.read()
        words = re.search(r"^# matchpoint debug (.*)$", text, flags=re.M).group(1).split(" ")
        expected = re.search(r"^# stops: (.*)$", text, flags=re.M).group(1).split("; ")
        program = tool.compile(os.path.join(EXAMPLES, name + ".c"))
        words[words.index("./" + name)] = program
        words[words.index(name + ".mp")] = script
        run = tool.run("debug", *words)
        check(stops(run) == expected, "%s\n%s" % (expected, run))
        check(run.status == (1 if expected[-1].startswith("finding") else 0), str(run))
        check(script + ":" not in run.out, "a line was refused\n%s" % run)


def check_store(tool):
    """What the session has seen is kept, once, beside the exploration."""
    program = tool.compile(source("examples/probe_then_receive"))
    debug(tool, ["run", "1", "2", "back", "2", "back", "1"], "-n", "3", "--store", "kept", program)
    run = tool.run("report", "kept/debug", report=True)
    check(run.report["interleavings"] == 2 and len(run.report["findings"]) == 1, str(run))
    check(run.report["findings"][0]["count"] == 1, str(run))


def body(tool, options):
    check_session(tool)
    check_answers(tool)
    check_status(tool)
    check_finding(tool)
    check_later(tool)
    check_refused(tool)
    check_habits(tool)
    check_help(tool)
    check_lines_from_a_pipe(tool)
    check_store(tool)
    check_examples(tool)
    check_ways_back(tool)
    check_locks(tool)
    check_lost(tool)
    check_ended(tool)
    check_kinds(tool)
    check_walks(tool, options.seeds)


if __name__ == "__main__":
    harness.main(__doc__, body, lambda parser: parser.add_argument(
        "--seeds", type=int, default=4, help="random walks for each program"))
