"""minimize reduces findings to the choices that they need, and shows them by the remaining path."""

import os
import re

import harness
from harness import check

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "..", "examples")

# Program, ranks, kind, remaining path, and the nearest path without the finding (None: there is
# none).
FINDINGS = [
    ("mixed_rounds", 3, "abort", "mp1:n3:", "mp1:n3:zero:0.3=2"),
    ("probe_then_receive", 3, "mpi-error", "mp1:n3:0.3=2", "mp1:n3:zero:0.3=1"),
    ("result_order", 4, "crash", "mp1:n4:0.3=3", "mp1:n4:zero:0.3=2"),
    ("sum_by_arrival", 4, "outcome-differs", "mp1:n4:zero:0.3=3", "mp1:n4:zero:0.3=2"),
    ("type_mismatch", 3, "type-mismatch", "mp1:n3:0.2=2", "mp1:n3:zero:0.2=1"),
    ("unbuffered_deadlock", 2, "deadlock", "mp1:n2:zero:", "mp1:n2:infinite:"),
    ("uneven_reduce", 3, "collective-mismatch", "mp1:n3:", None),
    ("wildcard_deadlock", 3, "deadlock", "mp1:n3:", "mp1:n3:zero:0.2=2"),
]

# Rank 0 receives from all. It crashes when rank 3's message comes first in round 2 and rank 2's
# last in round 4: two of the choices of five rounds are needed.
ROUNDS = r"""
#include <assert.h>
#include <mpi.h>
int main(int argc, char **argv)
{
	int rank, value, order[5][3];
	MPI_Status status;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int round = 0; round < 5; round++) {
		for (int i = 0; i < 3 && rank == 0; i++) {
			MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, round, MPI_COMM_WORLD,
			         &status);
			order[round][i] = status.MPI_SOURCE;
		}
		if (rank > 0)
			MPI_Ssend(&rank, 1, MPI_INT, 0, round, MPI_COMM_WORLD);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	if (rank == 0)
		assert(!(order[2][0] == 3 && order[4][2] == 2));
	MPI_Finalize();
	return 0;
}
"""


def lines_with(text, beginning):
    return [line.strip()[len(beginning):].split("  (")[0] for line in text.splitlines()
            if line.strip().startswith(beginning)]


def check_example(tool, name, ranks, kind, path, good):
    program = tool.compile(os.path.join(EXAMPLES, name + ".c"))
    store = os.path.join(tool.directory, name + ".store")
    done = tool.run("explore", "-n", str(ranks), "--store", store, "--", program)
    check(done.status == 1, "%s\nis to show a finding" % done)
    done = tool.run("minimize", "1", "--store", store)
    check(done.status == 0, "%s\nis to exit with 0" % done)
    check(done.out.splitlines()[-1] == path, "%s\nis to end with %s" % (done, path))
    check(lines_with(done.out, "ends well: ") == ([good] if good else []),
          "%s\nis to name %s" % (done, good))
    check((done.out.splitlines()[1].startswith("  right or wrong: "))
          == bool(good and "infinite" not in good),
          "%s\nis to name the choice first" % done)
    quiet = tool.run("minimize", path, "-q", "--store", store, "--", program)
    if kind != "outcome-differs":  # not visible in a single interleaving
        check(quiet.status == 0 and quiet.out == path + "\n", "%s\nis to print the path" % quiet)
        again = tool.run("replay", path, "--", program, report=True)
        check(again.report["findings"][0]["kind"] == kind,
              "%s\nis to show %s" % (again, kind))
    if good:
        again = tool.run("replay", good, "--", program)
        check(again.status == 0, "%s\nis to end well" % again)


def check_rounds(tool):
    source = tool.write("rounds.c", ROUNDS)
    program = tool.compile(source)
    options = ["--buffering", "zero", "--store", os.path.join(tool.directory, "rounds.store")]
    # A finding with five rounds of choices, of which two are needed.
    path = "mp1:n4:zero:" + ",".join("0.%d=%d" % (call, taken) for call, taken in zip(
        (2, 3, 6, 7, 10, 11, 14, 15, 18, 19), (2, 3, 3, 1, 3, 2, 2, 1, 3, 1)))
    done = tool.run("minimize", path, *options, "--", program)
    check(done.status == 0, "%s\nis to be minimized" % done)
    check(done.out.splitlines()[-1] == "mp1:n4:zero:0.10=3,0.18=3"
          or done.out.splitlines()[-1] == "mp1:n4:zero:0.10=3,0.19=3",
          "%s\nis to need two choices" % done)
    harness.check_soon(done.seconds, 10, done)
    tries = int(re.search(r"(\d+) interleavings tried", done.out)[1])
    check(tries < 60, "%s\nis to need fewer tries" % done)
    # When the time is over it verifies and reports the result so far.
    for seconds in ("0.01", "0.3"):
        done = tool.run("minimize", path, "--max-time", seconds, *options, "--", program)
        if done.status == 4:  # on a loaded machine the first trial alone takes seconds
            check("stopped by --max-time" in done.err, str(done))
            continue
        check(done.status == 0, str(done))
        check("stopped early" in done.out or seconds != "0.01", str(done))
        again = tool.run("replay", done.out.splitlines()[-1], "--", program, report=True)
        check(again.report["findings"][0]["kind"] == "crash", "%s\n%s" % (done, again))


# Ways to explore that come upon it with many other choices in its path. The first two are bounded
# by time: on a busy machine they need more.
IN_TIME = (("--fail-fast",), ("--buffering", "zero", "-j", "2"))
MIXED = (("--max-interleavings", "150"), ("--random", "1", "--max-interleavings", "40"))


def choices_of(finding):
    return [one.split("=") for one in finding["path"].split(":")[-1].split(",")]


def check_explored(tool):
    """What a bounded exploration finds needs no minimize: its path names what is needed, and one of
    these choices is to blame."""
    program = tool.compile(tool.write("mixed.c", ROUNDS))
    runs = [tool.run("explore", "-n", "4", *options, "--", program, report=True)
            for options in MIXED]
    runs += [tool.run_in_time(
        lambda run: run.report["findings"] and len(choices_of(run.report["findings"][0])) == 2, 4,
        "explore", "-n", "4", *options, "--", program, report=True) for options in IN_TIME]
    for run in runs:
        check([one["kind"] for one in run.report["findings"]] == ["crash"], str(run))
        finding = run.report["findings"][0]
        named = choices_of(finding)
        check(len(named) == 2, "%s\nis to need two choices" % run)
        point = "%d.%d" % (finding["blame"]["rank"], finding["blame"]["call"])
        check(point in [one[0] for one in named], "%s\nis to blame one of them" % run)
        again = tool.run("replay", finding["path"], "--", program, report=True)
        check([one["kind"] for one in again.report["findings"]] == ["crash"], str(again))


def check_compared(tool):
    """The store contains in what outcomes were compared."""
    program = tool.compile(harness.program("result_file.c"))
    store = os.path.join(tool.directory, "compared.store")
    tool.run("explore", "-n", "3", "--store", store, "--compare", "result.txt", "--", program,
             "wrong")
    done = tool.run("minimize", "1", "--store", store)
    check(done.status == 0 and "result.txt, line 2" in done.out, str(done))
    check(done.out.splitlines()[-1] == "mp1:n3:zero:0.2=2", str(done))
    done = tool.run("minimize", "1", "--store", store, "--compare", "other.txt")
    check(done.status == 4 and "in what is compared" in done.err, str(done))


def check_script(tool):
    program = tool.compile(os.path.join(EXAMPLES, "probe_then_receive.c"))
    folder = os.path.join(tool.directory, "repro ducer")
    path = "mp1:n3:0.2=1,0.3=2"
    done = tool.run("minimize", path, "--emit-script", folder, "--", program)
    check(done.status == 0, "%s\nis to write the folder" % done)
    with open(os.path.join(folder, "finding")) as file:
        check("Message truncated" in file.read(), "the folder must describe the finding")
    with open(os.path.join(folder, "versions")) as file:
        versions = file.read()
    check("matchpoint " in versions and "SHA-256" in versions and "MPICH" in versions, versions)
    for again in (tool.run("replay", folder), tool.run("replay", folder, "--", program)):
        check(again.status == 1 and "Message truncated" in again.out, "%s\nis to show it" % again)
        check("SHA-256" not in again.err, "%s\nis the same program" % again)
    for words in ([], [program]):
        shown = harness.call([os.path.join(folder, "run"), *words], cwd=tool.directory,
                             env=dict(os.environ, MATCHPOINT=tool.matchpoint))
        check(shown.returncode == 1 and "Message truncated" in shown.stdout,
              "%s%s\nis to show it" % (shown.stdout, shown.stderr))
    with open(program, "ab") as file:
        file.write(b"changed")
    again = tool.run("replay", folder)
    check(again.status == 1 and "SHA-256 differs" in again.err, "%s\nis another program" % again)
    again = tool.run("replay", tool.directory)
    check(again.status == 2 and "path" in again.err, "%s\nis no such folder" % again)
    mode = os.stat(os.path.join(folder, "run")).st_mode
    check(mode & 0o022 == 0 and mode & 0o100, "run is to be its owner's: %o" % mode)
    os.unlink(program)
    again = tool.run("replay", folder)
    check(again.status == 4 and "-- PROGRAM" in again.err, "%s\nis elsewhere" % again)


# If rank 2's message comes first, rank 0 waits for ever, with any buffering. Else ranks 1 and 2
# send to each other, which ends well only if sends do not wait.
BUFFERED = r"""
#include <mpi.h>
int main(int argc, char **argv)
{
	int rank, value = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		MPI_Status status;
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
		if (value == 2)
			MPI_Recv(&value, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, &status);
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
		for (int to = 1; to < 3; to++)
			MPI_Ssend(&rank, 1, MPI_INT, to, 1, MPI_COMM_WORLD);
	} else {
		MPI_Request request;
		MPI_Isend(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
		MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		MPI_Send(&rank, 1, MPI_INT, 3 - rank, 2, MPI_COMM_WORLD);
		MPI_Recv(&value, 1, MPI_INT, 3 - rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Finalize();
	return 0;
}
"""


def check_buffered(tool):
    """Where sends that wait leave no good interleaving, one in which they do not is found."""
    program = tool.compile(tool.write("buffered.c", BUFFERED))
    done = tool.run("minimize", "mp1:n3:0.2=2", "--", program)
    check(done.out.splitlines()[-1] == "mp1:n3:0.2=2", str(done))
    check(lines_with(done.out, "ends well: ") == ["mp1:n3:infinite:0.2=1"], str(done))
    check("(1 choice different, sends buffered)" in done.out, str(done))
    check(tool.run("replay", "mp1:n3:infinite:0.2=1", "--", program).status == 0, str(done))


def check_refused(tool):
    program = tool.compile(os.path.join(EXAMPLES, "senders.c"))
    done = tool.run("minimize", "mp1:n3:0.2=1", "--", program)
    check(done.status == 4 and "does not show" in done.err, "%s\nshows nothing" % done)
    done = tool.run("minimize", "mp1:n3:0.9=1", "--", program)
    check(done.status == 4 and "does not follow" in done.err, "%s\ncannot be followed" % done)
    done = tool.run("minimize", "7", "--store", "nothing")
    check(done.status == 2 and "no store" in done.err, "%s\nhas no store" % done)
    # PATH|FINDING between options: --store is an option, not a program
    done = tool.run("minimize", "-q", "7", "--store", "nothing")
    check(done.status == 2 and "nothing" in done.err, "%s\nhas no store" % done)
    done = tool.run("minimize")
    check(done.status == 2 and "no path given" in done.err, "%s\nlacks the finding" % done)


def body(tool, _):
    for finding in FINDINGS:
        check_example(tool, *finding)
    check_rounds(tool)
    check_explored(tool)
    check_compared(tool)
    check_script(tool)
    check_buffered(tool)
    check_refused(tool)


harness.main(__doc__, body)
