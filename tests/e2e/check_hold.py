"""matchpoint debug: ranks are held, by commands and at breakpoints, and continue one call at a
time. For any order of holding and releasing, the interleaving must be the one that replay shows of
the same path."""

import os
import random
import re

import harness
from check_debug import debug, paths, source, stops
from harness import check

HERE = os.path.dirname(os.path.abspath(__file__))

# Every way to wait: collectives that MPI carries out, a communicator that is made, requests that
# are asked for, data that arrives while its rank does something else.
MANY_WAITS = r"""
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	int rank, size, value, sum = 0, flag, got[2], before;
	MPI_Comm copy;
	MPI_Request requests[2];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	value = rank;
	MPI_Bcast(&value, 1, MPI_INT, 1, MPI_COMM_WORLD);
	MPI_Scan(&rank, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	MPI_Comm_dup(MPI_COMM_WORLD, &copy);
	if (rank == 0) {
		for (int i = 0; i < 2; i++) {
			MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 7, copy, requests);
			for (flag = 0; !flag;)
				MPI_Test(requests, &flag, MPI_STATUS_IGNORE);
			printf("got %d\n", value);
		}
	} else {
		MPI_Isend(&rank, 1, MPI_INT, 0, 7, copy, requests);
		MPI_Wait(requests, MPI_STATUS_IGNORE);
	}
	MPI_Irecv(&got[0], 1, MPI_INT, (rank + 1) % size, 8, copy, &requests[0]);
	MPI_Irecv(&got[1], 1, MPI_INT, (rank + size - 1) % size, 8, copy, &requests[1]);
	MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 8, copy);
	MPI_Send(&rank, 1, MPI_INT, (rank + size - 1) % size, 8, copy);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	MPI_Ibarrier(copy, requests);
	MPI_Wait(requests, MPI_STATUS_IGNORE);
	MPI_Comm_free(&copy);
	printf("%d %d %d %d %d\n", value, before, sum, got[0], got[1]);
	MPI_Finalize();
	return 0;
}
"""


def told_of(run, rank):
    """What the last stop tells of a rank."""
    last = run.out.rpartition("stopped: ")[2]
    for line in last.splitlines():
        match = re.match(r"  ranks? ([0-9, -]+)  (.*)$", line)
        for part in match.group(1).split(",") if match else ():
            first, _, end = part.strip().partition("-")
            if int(first) <= rank <= int(end or first):
                return match.group(2)
    return ""


def check_steps(tool):
    """One rank makes its calls one by one; the others stand where they wait for it."""
    program = tool.compile(source("examples/probe_then_receive"))
    run = debug(tool, ["run", "step 0", "step", "info path"], "-n", "3", program)
    check(stops(run) == ["choice 0.2", "held", "held"], str(run))
    check(paths(run) == ["mp1:n3:zero:0.2=1,0.3=1"], "the first possibilities\n%s" % run)
    check(told_of(run, 0).startswith("MPI_Probe"), str(run))
    run = debug(tool, ["run", "choose 0.2=2", "step 0 2", "info path"], "-n", "3", program)
    check(stops(run) == ["choice 0.2", "choice 0.3"], "a choice comes first\n%s" % run)
    run = debug(tool, ["run", "hold 1", "1", "1", "continue", "continue", "continue", "release 1",
                       "continue"], "-n", "3", program)
    check(stops(run)[-3:] == ["choice 0.5", "held", "end"], str(run))
    check("no rank can go on: use release 1, and continue" in run.out, str(run))


def check_held(tool):
    """Held from the beginning, and nobody else waits unseen inside MPI."""
    program = tool.compile(tool.write("many_waits.c", MANY_WAITS))
    run = debug(tool, ["hold 1", "run", "step 0"], "-n", "3", program)
    check(stops(run) == ["held"] and told_of(run, 0) == told_of(run, 1), str(run))
    check("rank 0 returns from its MPI_Init together with rank 1, which is held" in run.out,
          str(run))
    run = debug(tool, ["run", "hold 2", "1", "set choices default", "continue", "continue",
                       "release", "continue"], "-n", "3", program)
    check(stops(run)[-1] == "end" and run.status == 0, str(run))
    for lines, words in ((["hold"], "no ranks given; use 0, 0-2 or all"),
                         (["hold 3"], "3 does not name ranks"),
                         (["hold 2-1"], "2-1 does not name ranks"),
                         (["step 0 x"], "x is not a number from 1 up"),
                         (["step 7"], "there is no rank 7"),
                         (["step"], "nothing runs: run starts the program"),
                         (["continue 0"], "nothing runs: run starts the program"),
                         (["run", "finish", "step"], "this interleaving is over"),
                         (["set all-stop maybe"], "set all-stop needs on or off")):
        run = debug(tool, lines, "-n", "3", program)
        check(words in run.out, "%s\n%s" % (lines, run))


def check_released(tool):
    """A rank that was released is not said to be held, although it goes on only with continue."""
    program = tool.compile(source("examples/probe_then_receive"))
    run = debug(tool, ["hold 1", "run", "where", "release 1", "where", "continue", "where"],
                "-n", "3", program)
    told = re.findall(r"^  ranks? .*MPI_Init.*  (is held|goes on with continue)$", run.out, re.M)
    check(told == ["is held", "is held", "goes on with continue"], str(run))


# A line is in the stack of several calls, and a function.
NESTED = r"""
#include <mpi.h>
static void give(int to, int tag, int count)
{
	static char data[5000];
	MPI_Send(data, count, MPI_CHAR, to, tag, MPI_COMM_WORLD);
}
static void exchange(int rank, int round)
{
	char data[5000];
	if (rank == 0)
		give(1, round, 1000 * round); /* a place */
	else if (rank == 1)
		MPI_Recv(data, 5000, MPI_CHAR, 0, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int round = 1; round <= 4; round++)
		exchange(rank, round);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
"""


def fired(run):
    """(breakpoint, rank, call) as they were stopped at."""
    return [tuple(int(part) for part in one) for one in
            re.findall(r"^  breakpoint (\d+): rank (\d+) is in its call (\d+),", run.out, re.M)]


def check_breakpoints(tool):
    program = tool.compile(tool.write("nested.c", NESTED))
    place = 1 + NESTED.split("\n").index(next(line for line in NESTED.split("\n")
                                             if "a place" in line))
    again = ["run"] + 6 * ["continue"]
    for lines, expected in (
            (["break mpi_s*"], [(1, 0, call) for call in (2, 3, 4, 5)]),
            (["break give"], [(1, 0, call) for call in (2, 3, 4, 5)]),
            (["break nested.c:%d if bytes > 1000" % place], [(1, 0, call) for call in (3, 4, 5)]),
            (["tbreak exchange rank 1"], [(1, 1, 2)]),
            (["break peer 0 tag 3"], [(1, 1, 4)]),
            (["break call 3 rank 0", "break MPI_Barrier rank 2"], [(1, 0, 3), (2, 2, 2)]),
            (["break MPI_Send", "ignore 1 2", "condition 1 tag != 4"], [(1, 0, 4)]),
            (["break MPI_Send comm MPI_COMM_WORLD tag 1", "break main", "disable 2"], [(1, 0, 2)]),
            (["break MPI_Send", "break MPI_Recv", "delete 1"],
             [(2, 1, call) for call in (2, 3, 4, 5)]),
    ):
        run = debug(tool, lines + again, "-n", "3", program)
        check(sorted(fired(run)) == expected, "%s: %s\n%s" % (lines, expected, run))
        check(stops(run)[-1] == "end" and run.status == 0, str(run))
    # Where the others are then is a matter of their speed.
    for more in ([], ["continue", "back", "continue"]):
        run = debug(tool, ["set all-stop on", "tbreak MPI_Barrier rank 2", "run", *more], "-n", "3",
                    program)
        check(stops(run)[0] == "breakpoint 1", str(run))
    check(stops(run)[1:] == ["end", "held", "end"], str(run))
    for line, words in (("break MPI_Comm_rank", "does not communicate"),
                        ("break", "no place given"),
                        ("break rank 3", "there is no rank 3"), ("delete 7", "no breakpoint 7"),
                        ("ignore 1", "no count given"), ("condition x", "no breakpoint given"),
                        ("enable 3", "no breakpoint 3"), ("break nested.c:1", "has no code before"),
                        ("break nested.c:10000", "nested.c has no code after line "),
                        ("break other.c:3",
                         "breakpoint 2\n  the program has no code of a file other.c"),
                        ("break exchanges", "breakpoint 2\n  no function of the program matches")):
        run = debug(tool, ["tbreak main", line], "-n", "3", program)
        check(words in run.out, "%s\n%s" % (line, run))


def check_blocked(tool):
    """Also a call that never returns is stopped at, before it is told what becomes of it."""
    program = tool.compile(source("examples/wildcard_deadlock"))
    run = debug(tool, ["break MPI_Recv call 3", "run", "1", "where 0", "continue", "back",
                       "finish", "back 2", "2"], "-n", "3", program)
    check(stops(run) == ["choice 0.2", "breakpoint 1", "finding deadlock", "held",
                         "finding deadlock", "choice 0.2", "breakpoint 1"], str(run))
    check(fired(run) == [(1, 0, 3), (1, 0, 3)], str(run))


# Members name it differently, and one of them with what no terminal should get.
NAMED = r"""
#include <mpi.h>
int main(int argc, char **argv)
{
	int rank, value = 7;
	MPI_Comm pair;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &pair);
	MPI_Comm_set_name(pair, rank == 1 ? "pair of\033[1m" : rank == 0 ? "alone" : "other");
	MPI_Comm_set_name(MPI_COMM_WORLD, "everybody");
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1)
		MPI_Send(&value, 1, MPI_INT, 1, 0, pair);
	else if (rank == 2)
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, pair, MPI_STATUS_IGNORE);
	if (rank > 0)
		MPI_Comm_set_name(pair, "");
#ifdef WINDOW
	MPI_Win window;
	MPI_Win_create(&value, sizeof(value), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
	MPI_Win_set_name(window, "halo");
	MPI_Win_free(&window);
#endif
	MPI_Comm_free(&pair);
	MPI_Finalize();
	return 0;
}
"""


def check_names(tool):
    """The program's names for communicators and windows, beside how they came into being."""
    program = tool.compile(tool.write("named.c", NAMED))
    run = debug(tool, ["tbreak MPI_Recv comm pair*", "run", "info comms",
                       "set decoder comm \"pair of?[1m\" echo read", "reverse-step 1",
                       "tbreak comm MPI_Comm_split* rank 1", "continue", "x 1.4", "info comms",
                       "continue", "info comms", "back", "info comms"], "-n", "3", program)
    for line in (r"  1  everybody, MPI_COMM_WORLD  ranks 0,1,2",
                 r"  1.2  pair of\?\[1m, MPI_Comm_split of MPI_COMM_WORLD at named.c:\d+  r.* 1,2",
                 r"  2  alone, MPI_Comm_split of MPI_COMM_WORLD at named.c:\d+  ranks 0",
                 r"  breakpoint 1: rank 2 is in its call \d+, MPI_Recv",
                 r"  breakpoint 2: rank 1 is in its call \d+, MPI_Send",
                 r"    read"):
        check(re.search("^%s$" % line, run.out, re.M), "%s\n%s" % (line, run))
    check(run.out.count("pair of?[1m, MPI_Comm_split") == 3, "gone after going back\n%s" % run)
    last = run.out.rpartition("stopped: end")[2].partition("(matchpoint) back")[0]
    check(re.search(r"^  1.2  MPI_Comm_split of MPI_COMM_WORLD at named.c:\d+  ranks 1,2$", last,
                    re.M), str(run))
    check("\033" not in run.out, str(run))
    program = tool.compile(tool.write("named_window.c", "#define WINDOW\n" + NAMED))
    run = debug(tool, ["tbreak MPI_Win_free", "run", "info windows"], "-n", "3", program)
    line = r"^  1  halo, MPI_Win_create on MPI_COMM_WORLD at named_window.c:\d+  ranks 0,1,2$"
    check(re.search(line, run.out, re.M), str(run))


def rollbacks(run):
    return re.findall(r"^rollback: (.*)$", run.out, flags=re.M)


def check_rollback(tool):
    """Back to any call, with just those who depend on it, and otherwise from there."""
    program = tool.compile(source("examples/probe_then_receive"))
    run = debug(tool, ["run", "2", "2", "rollback 0.2", "info path", "1", "2", "rollback 0.2",
                       "forward", "finish", "info path"], "-n", "3", program)
    check(rollbacks(run) == ["0.2 1.2 2.2", "0.2 1.2 2.2"], str(run))
    check(stops(run) == ["choice 0.2", "choice 0.3", "end", "choice 0.2", "choice 0.3",
                         "finding mpi-error", "choice 0.2", "end"], str(run))
    check(paths(run) == ["mp1:n3:zero:", "mp1:n3:zero:0.2=1,0.3=1,0.4=2,0.5=2"], str(run))
    # Nobody else has received what is not undone; an end that went wrong is left like any other.
    run = debug(tool, ["run", "1", "2", "reverse-step 0", "reverse-step", "goto 0.2",
                       "rollback 1.1"], "-n", "3", program)
    check(rollbacks(run) == ["0.3 1.2 2.2", "0.2 1.2 2.2", "0.1 1.1 2.1"], str(run))
    check(stops(run)[-1] == "held", str(run))
    program = tool.compile(tool.write("nested.c", NESTED))
    run = debug(tool, ["run", "rollback 1.3", "info ranks", "rollback 0.2", "goto 0.1,1.1,2.1",
                       "continue"], "-n", "3", "--buffering", "infinite", program)
    check(run.status == 0 and stops(run) == ["end", "held", "held", "held", "end"], str(run))
    check(rollbacks(run) == ["0.6 1.3 2.2", "0.2 1.3 2.2"], "the receiver alone\n%s" % run)
    run = debug(tool, ["run", "rollback 1.3", "goto 0.2,1.3"], "-n", "3", "--buffering", "infinite",
                program)
    check("only after" not in run.out, str(run))
    run = debug(tool, ["run", "rollback 1.4", "goto 0.2,1.4", "goto 0.9", "goto 9.1", "rollback x",
                       "rollback 1.4", "set confirm maybe"], "-n", "3", "--buffering", "infinite",
                program)
    for words in ("rank 1 returned from its call 3 only after rank 0 had passed its call 2: the "
                  "nearest is goto 0.2,1.3,2.2", "rank 0 has made 6 calls here",
                  "9.1 is not a call of a rank from 0 to 2", "no call given; ",
                  "rank 1 is in its call 4 now", "set confirm needs on or off"):
        check(words in run.out, "%s\n%s" % (words, run))
    run = debug(tool, ["rollback 0.2"], "-n", "3", program)
    check("nothing runs: run starts the program" in run.out, str(run))


# What is sent to whom is named, but for what comes in between; a send waits for its receive.
RELAYED = r"""
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	int rank, size, sum = 0, got = 0;
	static char large[20000];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < 20; i++) {
		int next = rank + 1 < size ? rank + 1 : MPI_PROC_NULL, value = sum + i;
		int before = rank - 1, right = (rank + 1) % size, left = (rank + size - 1) % size;
		MPI_Request request;
		if (i % 5 == 0 && rank == 1 + i / 5 % 2)
			MPI_Send(&value, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
		if (rank > 0)
			MPI_Recv(&got, 1, MPI_INT, before, i % 3, MPI_COMM_WORLD,
			         MPI_STATUS_IGNORE);
		else if (i % 5 == 0)
			MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD,
			         MPI_STATUS_IGNORE);
		sum = 3 * sum + got + rank;
		if (i % 2)
			MPI_Ssend(&sum, 1, MPI_INT, next, i % 3, MPI_COMM_WORLD);
		else
			MPI_Send(&sum, 1, MPI_INT, next, i % 3, MPI_COMM_WORLD);
		MPI_Sendrecv(&sum, 1, MPI_INT, right, 7, &got, 1, MPI_INT, left, 7,
		             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		sum += got;
		MPI_Irecv(&got, 1, MPI_INT, left, 8, MPI_COMM_WORLD, &request);
		MPI_Send(&sum, 1, MPI_INT, right, 8, MPI_COMM_WORLD);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		if (rank == 0)
			MPI_Send(large, sizeof(large), MPI_CHAR, 1, i, MPI_COMM_WORLD);
		else if (rank == 1)
			MPI_Recv(large, sizeof(large), MPI_CHAR, 0, i, MPI_COMM_WORLD,
			         MPI_STATUS_IGNORE);
		printf("round %d: %d %d\\n", i, sum, got);
	}
	MPI_Finalize();
	return 0;
}
"""


# A slow machine takes snapshots after a few calls each, and a way back may begin where it ends.
# These cannot all do so, as snapshots keep at a distance.
WAYS_BACK = ["rollback 2.%d" % call for call in (90, 81, 73, 64, 56, 47, 39, 30, 22, 13)]


def check_ahead(tool):
    """On the way to where they have been ranks do not wait where they need not; nobody sees a
    difference."""
    program = tool.compile(tool.write("relayed.c", RELAYED))
    log = os.path.join(tool.directory, "relayed.log")
    for options in ((), ("--buffering", "infinite"), ("--backtrack", "rerun")):
        last = {}
        for lines in ([], ["rollback 2.40", *WAYS_BACK],
                      ["rollback 0.70", "rollback 1.33", *WAYS_BACK, "forward", "back 2"],
                      ["set choices ask", "rollback 2.90", "step 1 3", "reverse-step 0",
                       "goto 0.60", *WAYS_BACK, "set choices default"]):
            run = tool.run("debug", "--batch", "-x", tool.write(
                "ahead.mp", "\n".join(["set choices default", "run", *lines, "finish",
                                       "info path"])), "-n", "3", *options, program,
                           environment={"MATCHPOINT_LOG": log + ":wire"})
            printed = sorted(re.findall(r"round \d+: .*$", run.out.rpartition("stopped:")[2], re.M))
            check(run.status == 0 and stops(run)[-1] == "end" and len(printed) > 0, str(run))
            last.setdefault("end", (printed, paths(run)[-1]))
            check((printed, paths(run)[-1]) == last["end"], "%s\n%s" % (last["end"], run))
            with open(log) as file:
                went = file.read().count(" ahead=1")
            check((went > 0) == (len(lines) > 0), "%d calls\n%s" % (went, run))


def check_positions(tool):
    """Places that are kept, told as text and gone to; those that there cannot be; and back to where
    a breakpoint fits."""
    program = tool.compile(source("examples/probe_then_receive"))
    run = debug(tool, ["run", "checkpoint first", "1", "2", "info calls 0", "break MPI_Send rank 2",
                       "reverse-continue", "info path", "reverse-continue", "rc", "rc",
                       "info checkpoints", "restart first"], "-n", "3", program)
    check(stops(run) == ["choice 0.2", "choice 0.3", "finding mpi-error", "breakpoint 1",
                         "choice 0.3", "choice 0.2", "choice 0.2"], str(run))
    check(re.search(r"^  0\.2  MPI_Probe\(ANY_SOURCE, tag=0\)  \S+\.c:22  snapshot$", run.out,
                    flags=re.M), "a checkpoint has a snapshot\n%s" % run)
    check("position: mp1:n3:zero:0.2=1,0.3=2@0.4,1.2,2.2\n" in run.out, str(run))
    check("no stop before this one, and no breakpoint matches" in run.out, str(run))
    check("checkpoint 1 first: mp1:n3:zero:, a snapshot\n" in run.out, str(run))
    run = debug(tool, ["goto mp1:n3:zero:0.2=1,0.3=1@0.4,1.2,2.2", "info path", "checkpoint",
                       "goto mp1:n3:zero:0.2=1@0.3,1.1,2.1",
                       "goto mp1:n3:zero:0.2=1,0.3=1,0.4=2,0.5=2@0.2,1.3,2.2",
                       "goto mp1:n3:zero:0.2=2,0.3=2,0.4=2@0.5,1.2,2.2", "info path", "restart 2",
                       "restart", "checkpoint 3", "delete checkpoint 1", "delete cat", "restart 1",
                       "info checkpoints"], "-n", "3", program)
    check(run.out.count("position: mp1:n3:zero:0.2=1,0.3=1@0.4,1.2,2.2\n") == 2,
          "refused, and where it was\n%s" % run)
    for words in ("rank 0 returned from its call 2 only after rank 1 had passed its call 1: the "
                  "nearest is goto 0.1,1.1,2.1",
                  "rank 1 gets no further there than its call 2, MPI_Send(dest=0, tag=0) at "
                  "probe_then_receive.c:31, which waits for rank 0; the nearest is goto "
                  "mp1:n3:zero:0.2=1@0.2,1.2,2.2",
                  "there is no checkpoint 2; there are 1", "no checkpoint given; there are 1",
                  "3 looks like a number", "delete needs the number of a breakpoint",
                  "there are no checkpoints"):
        check(words in run.out, "%s\n%s" % (words, run))
    run = debug(tool, ["run", "1", "set choices default", "back", "forward", "hold 1", "list",
                       "goto mp1:n3:zero:0.2=2", "1"], "-n", "3", program)
    check(stops(run)[:5] == ["choice 0.2", "choice 0.3", "choice 0.2", "choice 0.3", "choice 0.3"],
          "who goes back decides nothing\n%s" % run)


def walk(ranks, stream, count):
    """Words that hold and let go, and go on."""
    lines = ["hold %d" % stream.randrange(ranks)] if stream.random() < 0.5 else []
    lines.append("run")
    for _ in range(count):
        rank = stream.randrange(ranks)
        lines.append(stream.choice(["step %d" % rank, "step %d %d" % (rank, stream.randint(1, 4)),
                                    "hold %d" % rank, "release %d" % rank, "continue",
                                    "continue %d" % rank, "back", "forward", "back 2",
                                    "1", "2", "step", "release",
                                    "rollback %d.%d" % (rank, stream.randint(1, 9)),
                                    "reverse-step %d" % rank, "finish", "checkpoint",
                                    "restart 1", "reverse-continue"]))
    return lines + ["release", "finish", "continue", "finish", "continue", "finish", "info path"]


def check_walks(tool, seeds):
    """However it was walked to the end, the end is that of the path."""
    programs = [(tool.compile(source("examples/probe_then_receive")), 3, ()),
                (tool.compile(tool.write("many_waits.c", MANY_WAITS)), 3, ()),
                (tool.compile(tool.write("many_waits.c", MANY_WAITS)), 3,
                 ("--buffering", "infinite")),
                (tool.compile(source("programs/some")), 3, ()),
                (tool.compile(source("programs/early_leaving")), 3, ("--buffering", "infinite"))]
    for program, ranks, options in programs:
        for seed in range(seeds):
            lines = walk(ranks, random.Random(seed), 12)
            run = debug(tool, lines, "-n", str(ranks), *options, program)
            what = "%s, seed %d: %s\n%s" % (program, seed, lines, run)
            check(run.status in (0, 1), what)
            again = tool.run("replay", paths(run)[-1], "--json", "-", "--", program)
            check(again.status == run.status, "%s\n%s" % (what, again))
            for line in re.findall(r"^    (got .*|\d .*)$", run.out.rpartition("stopped:")[2],
                                   flags=re.M):
                check(line in again.out, "%s is printed\n%s\n%s" % (line, what, again))


def body(tool, options):
    check_steps(tool)
    check_held(tool)
    check_released(tool)
    check_breakpoints(tool)
    check_blocked(tool)
    check_names(tool)
    check_rollback(tool)
    check_ahead(tool)
    check_positions(tool)
    check_walks(tool, options.seeds)


if __name__ == "__main__":
    harness.main(__doc__, body, lambda parser: parser.add_argument(
        "--seeds", type=int, default=3, help="random walks for each program"))
