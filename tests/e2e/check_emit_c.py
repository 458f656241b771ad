"""minimize --emit-c writes short programs that show the finding, and end normally for other
choices if the original does.

Tests some findings of the examples and test programs. --all tests every one and prints a table of
results. --only TEXT: programs with this text in their name; --keep DIR: keeps the written
programs."""

import collections
import glob
import json
import os

import harness
from harness import check

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "..", "..")
EXAMPLES = os.path.join(TOP, "examples")
PROGRAMS = os.path.join(HERE, "programs")

LINES_MOST = 34  # without the comment

# Program, ranks; of the C program: kind of finding, ranks, a text in it, whether it can also end
# normally.
Emitted = collections.namedtuple("Emitted", "source ranks kind left text well")
EMITTED = [Emitted(*line) for line in (
    ("examples/mixed_rounds.c", 3, "crash", 3, "assert(data[0] == 2);", True),
    ("examples/unbuffered_deadlock.c", 2, "deadlock", 2, "waits for ever", True),
    # answers
    ("examples/first_answer.c", 3, "deadlock", 3, "if (index != 1) {", True),
    ("examples/looks_once.c", 2, "deadlock", 2, "if (flag) {", True),
    # a cancellation
    ("tests/e2e/programs/p2p/cancel_unanswered.c", 2, "deadlock", 2, "if (!cancelled) {", True),
    # locks of windows
    ("tests/e2e/programs/rma/lock_deadlock.c", 2, "deadlock", 2,
     "MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);", True),
    # ranks that learn from a message what to do
    ("tests/e2e/programs/p2p/worker_not_stopped.c", 3, "deadlock", 3,
     "if (status.MPI_SOURCE == 2) {", True),
    # messages that are not received
    ("examples/reused_buffer.c", 3, "buffer-modified", 2, "buffer[0][0]++;", False),
)]


def without_comment(text):
    return text[text.index("*/"):]


def check_again(tool, file, text, finding, well, options=()):
    """Explores the written program; `finding` is from the report. Returns what it shows."""
    left = text.split("mpiexec.mpich -n ")[1].split(" ")[0]
    # The compiler takes MPI_STATUSES_IGNORE for an array that is too small.
    short = tool.compile(file, "-Wall", "-Werror", "-Wno-stringop-overflow")
    if "per-send" in text:
        options = [*options, "--buffering", "per-send"]
    again = tool.run("explore", "-n", left, *options, "--", short, report=True)
    kind = {"abort": "crash", "exit": "crash", "outcome-differs": "crash"}.get(finding, finding)
    found = [one for one in again.report["findings"] if one["kind"] == kind]
    check(again.status == 1 and found, "%s\n%s\nis to show %s" % (text, again, kind))
    statuses = [execution["status"] for execution in again.report["executions"]]
    fine = "ok" in statuses or (finding != "leak" and "leak" in statuses)
    check(fine or not well or "no interleaving that goes well" in text,
          "%s\n%s\nis to go well, too, or to say that it does not" % (text, again))
    return int(left), fine


def emit(tool, source, expected, number):
    """Explores a program. Returns its report and store."""
    program = tool.compile(source, *expected.get("flags", []))
    store = "%s.%d.store" % (program, number)
    done = tool.run("explore", "-n", str(expected["ranks"]), "--store", store,
                    *expected.get("options", []), "--", program, *expected.get("args", []),
                    report=True, environment=expected.get("environment"))
    return done.report, store


def check_emitted(tool, emitted, number, options=()):
    _, store = emit(tool, os.path.join(TOP, emitted.source),
                    {"ranks": emitted.ranks, "options": options}, number)
    file = os.path.join(tool.directory, "short_" + os.path.basename(emitted.source))
    done = tool.run("minimize", "1", "--store", store, "--emit-c", file, "--max-time", "300",
                    timeout=400)
    check(done.status == 0, "%s\nis to write %s" % (done, file))
    with open(file) as text:
        text = text.read()
    lines = len(without_comment(text).splitlines()) - 1
    check(lines <= LINES_MOST, "%s\nis to have %d lines" % (text, LINES_MOST))
    check(emitted.text in text, "%s\nis to have %s" % (text, emitted.text))
    left, fine = check_again(tool, file, text, emitted.kind, emitted.well)
    check(left == emitted.left, "%s\nis to need %d ranks" % (text, emitted.left))
    check(fine == emitted.well, "%s\ngoes well, too: %s" % (text, fine))
    check("%s: " % file in done.out and done.out.split("\n")[-2].startswith("mp1:"),
          "%s\nmust print the file, and the path last" % done)


# Rank 1 meets rank 2 in their group only if rank 0's message comes first.
GROUPS = r"""
#include <mpi.h>
int main(int argc, char **argv)
{
	int rank, value = 0;
	MPI_Comm group;
	MPI_Request request;
	MPI_Status status;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_split(MPI_COMM_WORLD, rank > 0, -rank, &group);
	if (rank == 1) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &status);
		if (status.MPI_SOURCE == 0)
			MPI_Barrier(group);
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &status);
	} else {
		MPI_Isend(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &request);
		if (rank == 2)
			MPI_Barrier(group);
		MPI_Wait(&request, &status);
	}
	MPI_Comm_free(&group);
	MPI_Finalize();
	return 0;
}
"""


# Rank 1 mistakes the completion of a send for that of its receive.
HALO = r"""
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	int rank, index, halo = 0, one = 1;
	MPI_Request requests[3];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 1) {
		MPI_Irecv(&halo, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, &requests[0]);
		MPI_Isend(&one, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[1]);
		MPI_Isend(&one, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, &requests[2]);
		MPI_Waitany(3, requests, &index, MPI_STATUS_IGNORE);
		printf("%d\n", index == 0 ? halo : 0);
		MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
	} else {
		if (rank == 2)
			MPI_Send(&one, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
		MPI_Recv(&halo, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
"""


# Rank 0 waits for all requests if rank 1's message is the first, else for none. Both requests are
# made at one place. It reports to all which case it was.
FORGOTTEN = r"""
#include <mpi.h>
int main(int argc, char **argv)
{
	int rank, index, values[2], first = 0;
	MPI_Request requests[2];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		for (int i = 0; i < 2; i++)
			MPI_Irecv(&values[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &requests[i]);
		MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
		first = values[index];
		if (first == 1)
			MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
	MPI_Bcast(&first, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
"""

WRITTEN = [(text, Emitted(*line)) for text, line in (
    (GROUPS, ("groups.c", 3, "collective-mismatch", 3, "MPI_Barrier(comm);", True)),
    (HALO, ("halo.c", 3, "outcome-differs", 3, "MPI_Irecv(", True)),
    (FORGOTTEN, ("forgotten.c", 3, "leak", 3, "if (index != 1) {", True)),
)]


# Four rounds have 2592 interleavings, more than are explored of a program not yet reduced.
ROUNDS = r"""
#include <mpi.h>
int main(int argc, char **argv)
{
	int rank, first[4] = {0}, value;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int round = 0; round < 4; round++) {
		for (int i = 1; rank == 0 && i < 4; i++) {
			MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, round, MPI_COMM_WORLD,
			         MPI_STATUS_IGNORE);
			first[round] = i == 1 ? value : first[round];
		}
		if (rank > 0)
			MPI_Send(&rank, 1, MPI_INT, 0, round, MPI_COMM_WORLD);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	if (rank == 0 && first[3] == 3 && first[2] == 2)
		MPI_Recv(&value, 1, MPI_INT, 1, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
"""


def check_large(tool):
    source = tool.write("many_rounds.c", ROUNDS)
    check_emitted(tool, Emitted(source, 4, "deadlock", 3, "waits for ever", True), 0,
                  ["--fail-fast"])


# Each asks the other before it answers.
BOTH_ASK = r"""
#include <mpi.h>
int main(int argc, char **argv)
{
	int rank, there, asked = 0, served = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	while (!asked || !served) {
		MPI_Iprobe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
		if (there) {
			MPI_Recv(&served, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD,
			         MPI_STATUS_IGNORE);
		} else if (!asked) {
			asked = 1;
			MPI_Send(&asked, 1, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD);
		}
	}
	MPI_Finalize();
	return 0;
}
"""


def check_same_shape(tool):
    """A send to a rank that has ended would be another deadlock."""
    source = tool.write("both_ask.c", BOTH_ASK)
    check_emitted(tool, Emitted(source, 2, "deadlock", 2, "waits for ever", True), 0)
    with open(os.path.join(tool.directory, "short_both_ask.c")) as text:
        text = text.read()
    check(text.count("waits for ever") == 2, "%s\nis to have both sends wait" % text)


# The message is never sent.
LIVELOCK = r"""
#include <mpi.h>
int main(int argc, char **argv)
{
	int there = 0;
	MPI_Init(&argc, &argv);
	while (!there)
		MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
"""


# The second receive's buffer starts inside the first one's.
OVERLAP = r"""
#include <mpi.h>
int main(int argc, char **argv)
{
	int data[3] = {0}, sent[2] = {1, 2};
	MPI_Request requests[4];
	MPI_Status statuses[4];
	MPI_Init(&argc, &argv);
	for (int i = 0; i < 2; i++)
		MPI_Irecv(data + i, 2, MPI_INT, 0, i, MPI_COMM_WORLD, &requests[i]);
	for (int i = 0; i < 2; i++)
		MPI_Isend(sent, 2, MPI_INT, 0, i, MPI_COMM_WORLD, &requests[2 + i]);
	MPI_Waitall(4, requests, statuses);
	MPI_Finalize();
	return 0;
}
"""


def check_not_emitted(tool):
    livelock = tool.write("livelock.c", LIVELOCK)
    overlap = tool.write("overlap.c", OVERLAP)
    for source, refusals in (
            (livelock, {"short.c": "a livelock is a loop", "short.txt": "end with .c"}),
            (overlap, {"short.c": "where buffers lie is no part of the record"})):
        _, store = emit(tool, source, {"ranks": 1, "environment": {"MATCHPOINT_HASTE": "20"}}, 0)
        for file, says in refusals.items():
            done = tool.run("minimize", "1", "--store", store, "--emit-c", file)
            check(done.status == 4 and says in done.err and "--emit-script" in done.err,
                  "%s\nis to say %s" % (done, says))
            check(not os.path.exists(os.path.join(tool.directory, file)), "%s is not to be" % file)


def explorations():
    """Each program with expected findings: its source and the expectation."""
    for file in sorted(glob.glob(EXAMPLES + "/*.expect") + glob.glob(PROGRAMS + "/*/*.expect")):
        with open(file) as text:
            expected = json.load(text)
        sources = [name for name in glob.glob(os.path.splitext(file)[0] + ".*")
                   if not name.endswith(".expect")]
        for one in expected if isinstance(expected, list) else [expected]:
            if one.get("findings"):
                yield sources[0], one


def try_finding(tool, file, finding, store, well, keep):
    """The result for one finding, for the table."""
    made = tool.run("minimize", str(finding["id"]), "--store", store, "--emit-c", file)
    if not os.path.exists(file):
        return "refused  " + made.err.strip().split("\n")[-1].replace("matchpoint: ", "")
    with open(file) as text:
        text = text.read()
    if keep:
        with open(os.path.join(keep, os.path.basename(file)), "w") as copy:
            copy.write(text)
    left, fine = check_again(tool, file, text, finding["kind"], well)
    return "%2d lines, %d of them comment, %d ranks, %4.1f s  %s" % (
        len(text.splitlines()), text.count("\n", 0, text.index("*/")) + 1, left, made.seconds,
        "goes wrong and well" if fine else "ALWAYS GOES WRONG" if well else "goes wrong")


def check_all(tool, options):
    failed = 0
    for number, (source, expected) in enumerate(explorations()):
        name = os.path.basename(source)
        if options.only not in name:
            continue
        report, store = emit(tool, source, expected, number)
        well = any(one["status"] == "ok" for one in report["executions"])
        for finding in report["findings"]:
            file = os.path.join(tool.directory, "short_%d_%d_%s.c" % (
                number, finding["id"], os.path.splitext(name)[0]))
            try:
                told = try_finding(tool, file, finding, store, well, options.keep)
            except harness.Failed as failure:
                failed += 1
                told = "FAILED %s" % failure
            print("%-30s %-20s %s" % (name, finding["kind"], told), flush=True)
    check(failed == 0, "%d failed" % failed)


def body(tool, options):
    if options.all:
        check_all(tool, options)
        return
    for number, emitted in enumerate(EMITTED):
        if options.only in emitted.source:
            check_emitted(tool, emitted, number + 1)
    if options.only:
        return
    check_same_shape(tool)
    for text, emitted in WRITTEN:
        source = tool.write(emitted.source, text)
        check_emitted(tool, emitted._replace(source=source), 0)
    check_large(tool)
    check_not_emitted(tool)


def extra(parser):
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--keep")


harness.main(__doc__, body, extra)
