"""Findings of an exploration that is stopped are replayed, with call stacks. A finding without
time for a replay is distinguished from one whose replay ended otherwise."""

import contextlib
import json
import os
import shutil
import signal
import uuid

import harness
from harness import check

# Far more interleavings than there is time for. Each ends normally or in a deadlock: the rank whose
# message came last is asked for one more, unless it is the last rank; it may sleep before.
SOURCE = r"""
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>
enum { ROUNDS = 6 };
int main(int argc, char **argv)
{
	int rank, size, value, last = 0;
	MPI_Status status;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; rank > 0 && i < ROUNDS; i++)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	for (int i = 0; rank == 0 && i < ROUNDS * (size - 1); i++) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
		last = status.MPI_SOURCE;
	}
	if (rank == 0 && last != size - 1) {
		if (argc > 1)
			sleep((unsigned)atoi(argv[1]));
		MPI_Recv(&value, 1, MPI_INT, last, 1, MPI_COMM_WORLD, &status);
	}
	MPI_Finalize();
	return 0;
}
"""


# As many; they differ in what rank 0 prints.
PRINTS = r"""
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	int rank, size, value;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; rank > 0 && i < 6; i++)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	for (int i = 0; rank == 0 && i < 6 * (size - 1); i++)
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank == 0)
		printf("last is %d\n", value);
	MPI_Finalize();
	return 0;
}
"""


# All receives are at one line.
WRAPPED = r"""
#include <mpi.h>
#include <unistd.h>
static int rank, size;
static void receive(int tag)
{
	MPI_Status status;
	int value;

	MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status); /* of wrapper */
}
static void exchange(int tag)
{
	for (int i = 1; rank == 0 && i < size; i++)
		receive(tag); /* of exchange */
	if (rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
}
static void collect(void)
{
	for (int i = 1; rank == 0 && i < size; i++)
		receive(2); /* of collect */
	if (rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
}
int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	exchange(0); /* first phase */
	exchange(1); /* second phase */
	collect();
	MPI_Finalize();
	return 0;
}
"""


def name_of(alternative):
    return alternative.get("answer", alternative.get("source"))


def check_coverage(report):
    """What each call has taken, and could have taken, counted again from the interleavings."""
    known, taken = {}, {}
    for execution in report["executions"]:
        for choice in execution["choices"]:
            point = choice["rank"], choice["call"]
            taken.setdefault(point, set()).add(name_of(choice["taken"]))
            known.setdefault(point, set()).update(map(name_of, choice["alternatives"]))
    known = {p: known[p] | taken[p] for p in known if len(known[p] | taken[p]) > 1}
    found = set()
    for place in report["choice_coverage"]:
        points = {(p["rank"], p["call"]): p["alternatives"] for p in place["points"]}
        found |= set(points)
        check(place["function"] == "MPI_Recv" and place["line"] > 0, str(place))
        for point, alternatives in points.items():
            names = {name_of(a) for a in alternatives}
            had = {name_of(a) for a in alternatives if a["taken"]}
            check(point in known and names == known[point] and had == taken[point], str(place))
        flat = [a for alternatives in points.values() for a in alternatives]
        check(place["calls"] == len(points) and place["alternatives"] == len(flat)
              and place["alternatives_taken"] == sum(a["taken"] for a in flat)
              and place["calls_covered"] == sum(all(a["taken"] for a in alternatives)
                                                for alternatives in points.values()), str(place))
    check(found and found == set(known), "%s instead of %s" % (found, set(known)))


def check_in_time(tool, program, *options):
    run = tool.run_in_time(lambda run: run.report["findings"], 1, "explore", "-n", "4", *options,
                           program, report=True)
    check(not run.report["complete"], str(run))
    check(run.status == 1 and run.report["findings"], str(run))
    for finding in run.report["findings"]:
        check(finding["kind"] == "deadlock", str(run))
        check(finding["replayed"] and finding["reproduced"], "not replayed: %s" % run)
        check(finding["ranks"][0]["stack"][0]["function"] == "main", "no stack: %s" % finding)
    check("every alternative that was seen has been taken in some interleaving at: " in run.out
          and "MPI_Recv at asks_the_last.c:" in run.out, str(run))
    check_coverage(run.report)
    check("replay" not in run.out.replace("again: matchpoint replay", ""), str(run))


def check_wrapped(ranks, run):
    """Receives of a function that all call are told apart by who called it."""
    check(run.status == 3 and not run.report["complete"], str(run))
    check_coverage(run.report)
    told = {}
    for place in run.report["choice_coverage"]:
        callers = tuple("%s:%d" % (frame["function"], frame["line"])
                        for frame in place.get("callers", ()))
        check(place["line"] == line_of(WRAPPED, "of wrapper") and callers not in told, str(run))
        told[callers] = place["calls"]
    here = "exchange:%d" % line_of(WRAPPED, "of exchange")
    expected = {("collect:%d" % line_of(WRAPPED, "of collect"),): ranks - 1,
                (here, "main:%d" % line_of(WRAPPED, "first phase")): ranks - 1,
                (here, "main:%d" % line_of(WRAPPED, "second phase")): ranks - 1}
    # the last message of each phase may leave no choice
    check(set(told) <= set(expected) and len(told) >= 2, "%s\n%s" % (told, run))
    for callers, calls in told.items():
        check(2 <= calls <= expected[callers], "%s\n%s" % (told, run))
        words = ", called by " + " by ".join(
            "%s at wrapped.c:%s" % tuple(c.split(":")) for c in callers)
        check("MPI_Recv at wrapped.c:%d%s (" % (line_of(WRAPPED, "of wrapper"), words)
              in run.out, "%s\n%s" % (words, run))


def check_all_wrapped(tool):
    program = tool.compile(tool.write("wrapped.c", WRAPPED))
    for options in (("--max-interleavings", "30"), ("--max-interleavings", "5", "-j", "2"),
                    ("--max-interleavings", "10", "--backtrack", "rerun"),
                    ("--random", "2", "--max-interleavings", "20")):
        run = tool.run("explore", "-n", "4", *options, program, report=True)
        check_wrapped(4, run)
    check_wrapped(6, tool.run_in_time(lambda run: "called by" in run.out, 3, "explore", "-n", "6",
                                      program, report=True))


def line_of(source, comment):
    return 1 + source[:source.index("/* " + comment)].count("\n")


def stop_in_replay(tool, program, number):
    """Stopped while the first finding is replayed."""
    mark = uuid.uuid4().hex
    arguments = ["explore", "-n", "3", "--backtrack", "rerun", "--json", "-", program, "3"]
    process = tool.start(arguments, mark, {"MATCHPOINT_LOG": "worlds,ends"})
    harness.read_until(process.stderr, lambda line: b": deadlock, " in line)
    harness.read_until(process.stderr, lambda line: b": begins in a new job" in line)
    os.kill(process.pid, number)
    out, _ = harness.communicate(process, 60)
    tool.check_clean(process.pid, mark, out)
    return out.decode()


def check_no_time(tool, program):
    text = stop_in_replay(tool, program, signal.SIGINT)
    check('"replayed" : false' in text and '"reproduced" : false' in text, text)
    report = tool.run("report", ".matchpoint")
    check("it was not replayed: no time was left" in report.out, str(report))
    check("otherwise" not in report.out, str(report))


def check_outcomes(tool):
    """Outcomes that differ are replayed when they are found, and reported after Ctrl-C."""
    program = tool.compile(tool.write("prints_the_last.c", PRINTS))
    mark = uuid.uuid4().hex
    process = tool.start(["explore", "-n", "4", "--json", "-", program], mark,
                         {"MATCHPOINT_LOG": "ends"})
    for _ in range(40):
        harness.read_until(process.stderr, lambda line: b": ok," in line)
    os.kill(process.pid, signal.SIGINT)
    out, _ = harness.communicate(process, 60)
    tool.check_clean(process.pid, mark, out)
    report = json.loads(out)
    check([f["kind"] for f in report["findings"]] == ["outcome-differs"], str(report["findings"]))
    outcomes = report["findings"][0]["outcomes"]
    check(len(outcomes) == 2 and outcomes[1]["line"] != outcomes[1]["instead_of"], str(outcomes))
    for outcome in outcomes:
        replayed = tool.run("replay", outcome["path"], "--", program)
        check(outcome["output"][0] in replayed.out, str(replayed))


def check_killed(tool, program):
    """The store of a killed exploration has the same."""
    mark = uuid.uuid4().hex
    process = tool.start(["explore", "-n", "4", "--store", "killed", program], mark)

    def is_stored():
        """A store that is being written cannot be reported. A copy that is torn has no report."""
        with contextlib.suppress(OSError):
            shutil.rmtree(os.path.join(tool.directory, "copy"), ignore_errors=True)
            os.mkdir(os.path.join(tool.directory, "copy"))
            for name in ("matchpoint.db", "matchpoint.db-wal"):
                shutil.copy(os.path.join(tool.directory, "killed", name),
                            os.path.join(tool.directory, "copy"))
            run = tool.run("report", "copy", report=True)
            return run.report and run.report["findings"]
        return False

    harness.wait_for(is_stored, process, "a finding", pause=0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    check(process.returncode == -signal.SIGKILL, "it had ended: %d" % process.returncode)
    report = tool.run("report", "killed", report=True)
    tool.end_marked(mark)
    check(report.report["findings"], str(report))
    for finding in report.report["findings"]:
        check(finding["replayed"] and finding["reproduced"], str(report))


def body(tool, _):
    program = tool.compile(tool.write("asks_the_last.c", SOURCE))
    for options in ((), ("-j", "2"), ("--random", "1"), ("--buffering", "infinite")):
        check_in_time(tool, program, *options)
    check_all_wrapped(tool)
    check_no_time(tool, program)
    check_outcomes(tool)
    check_killed(tool, program)


if __name__ == "__main__":
    harness.main(__doc__, body)
