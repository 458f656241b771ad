"""--search states: hidden state is not forgotten, states that are equal are merged, and what state
search does not support is refused.

usage: check_states.py ... [--all]: all places (30 s), not just some"""

import os
import sys

import harness
from harness import check

HERE = os.path.dirname(os.path.abspath(__file__))
SOME = ["register", "argument", "library", "thread-local", "early-heap", "page", "environment",
        "output", "buffered", "status", "send", "isend", "file", "attribute", "rounding", "irecv"]
MORE = ["shared", "specific", "file-early", "handler", "mask", "directory", "umask", "descriptor",
        "flags", "flags-device", "flags-pipe", "watches", "pipe-early",
        "protection", "pipe", "name", "error-handler", "alloc-mem", "type",
        "persistent", "bsend"]
# In windows (hidden_window.c): data that cannot be read again, data that differs, and accesses that
# conflict in one order of two.
EQUAL_WINDOWS = ["nobody", "fence-nobody", "overwritten"]
WINDOWS = ["created", "allocated", "shared", "fence", "exposed", "under-way"]
CONFLICTS = ["before", "before-2", "later", "later-2"]
SUM = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	int rank, size;
	long sum = 0;
	volatile int got = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 1; rank == 0 && i < size; i++) {
		MPI_Recv((void *)&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
		         MPI_STATUS_IGNORE);
		sum += got;
		got = 0;
	}
	if (rank > 0) {
		got = rank * rank;
		MPI_Send((void *)&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	} else {
		printf("sum %ld\\n", sum);
	}
	MPI_Finalize();
	return 0;
}
"""
# Rank 1, the last to move, was kept once for several states; others went back in between.
CLOCKS = """
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int rank, size, got = 0;
	double then;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 2; rank == 0 && i < size; i++) {
		MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		usleep(5000);
	}
	if (rank == 0) {
		MPI_Send(&got, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
		MPI_Recv(&then, 1, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (MPI_Wtime() < then)
			MPI_Abort(MPI_COMM_WORLD, 9);
	} else if (rank == 1) {
		MPI_Recv(&got, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		then = MPI_Wtime();
		MPI_Send(&then, 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
"""
REFUSED = [["-j", "2"], ["--shard", "1/2"], ["--random", "1"], ["--order", "depth"],
           ["--deviations", "1"], ["--backtrack", "rerun"], ["--virtual-time"],
           ["--from", "mp1:n3:0.2=1"], ["--compare", "result.txt"], ["--keep-files", "kept"],
           ["--bound-rank", "0=1"], ["--pcontrol"]]


def explored(tool, program, *arguments, options=("--buffering", "infinite"), ranks=4):
    directory = os.path.join(tool.directory, "work")
    os.makedirs(directory, exist_ok=True)
    run = tool.run("explore", "-n", str(ranks), "--search", "states", *options, "--", program,
                   *arguments, report=True, cwd=directory)
    check(run.report is not None and run.report["complete"], str(run))
    return run


def check_hidden(tool, ways):
    library = os.path.join(tool.directory, "libhidden.so")
    tool.compile(os.path.join(HERE, "hidden_state_library.c"), "-shared", "-fPIC", "-o", library)
    program = tool.compile(os.path.join(HERE, "hidden_state.c"), "-O1", "-pthread", library,
                           "-Wl,-rpath," + tool.directory, "-lm")
    nothing = explored(tool, program, "nothing")
    check(nothing.report["findings"] == [] and nothing.report["search"]["merged"] > 0, str(nothing))
    for way in ways:
        run = explored(tool, program, way)
        kinds = [finding["kind"] for finding in run.report["findings"]]
        outcomes = set(str(execution["output"]) for execution in run.report["executions"])
        check("outcome-differs" in kinds and len(outcomes) == 2,
              "%s: taken for equal, it seems\n%s" % (way, run))


def check_windows(tool):
    program = tool.compile(os.path.join(HERE, "hidden_window.c"), "-O1")
    states = {}
    for way in EQUAL_WINDOWS + WINDOWS + CONFLICTS:
        run = explored(tool, program, way)
        kinds = {finding["kind"]: finding["count"] for finding in run.report["findings"]}
        outputs = set(str(execution["output"]) for execution in run.report["executions"])
        search = states[way] = run.report["search"]
        check(len(outputs) == (2 if way in WINDOWS else 1), "%s: %s" % (way, run))
        check(("rma-conflict" in kinds) == (way in CONFLICTS), "%s: %s" % (way, run))
        if way in CONFLICTS:
            check(kinds["rma-conflict"] < run.report["interleavings"], "%s: %s" % (way, run))
        check(search["merged"] > 0 or way not in EQUAL_WINDOWS, "%s: %s" % (way, run))
        refused = "could not be compared" in str(run.report["notes"])
        check(refused == (way == "under-way"), "%s: %s" % (way, run))
    check(states["overwritten"]["states"] == states["nobody"]["states"], str(states))


def check_clocks_agree(tool):
    """No rank gets a message from the future."""
    program = tool.compile(tool.write("clocks.c", CLOCKS))
    for buffering in "zero", "infinite":
        run = explored(tool, program, ranks=6, options=("--buffering", buffering))
        check(run.report["findings"] == [], str(run))


def check_merged(tool):
    """With differences that do not matter, there would be 8 and 16 states."""
    program = tool.compile(tool.write("sum.c", SUM), "-O1")
    for ranks, tree, least in (4, 6, 8), (5, 24, 16):
        run = explored(tool, program, ranks=ranks, options=("--buffering", "zero"))
        states = run.report["search"]["states"]
        check(run.report["search"]["kind"] == "states" and run.report["findings"] == [], str(run))
        check(states == least, str(run))
        check(run.report["interleavings"] == tree, str(run))
        check(run.report["search"]["counted"] == "all", str(run))
        check(len(run.report["executions"]) < tree, str(run))
    # How many tasks each worker did matters neither to the workers nor to the master.
    worker = tool.compile(os.path.join(HERE, "../../examples/master_worker.c"))
    run = explored(tool, worker, "8", ranks=3, options=("--buffering", "zero", "--verify"))
    check(run.report["search"]["states"] == 88 and run.report["findings"] == [], str(run))
    run = explored(tool, program, options=("--verify",))
    check("led to the same states as before" in str(run.report["notes"]), str(run))


def check_images(tool):
    """Where ranks can be rewound they return to images of themselves, without forks."""
    program = tool.compile(tool.write("sum.c", SUM), "-O1")
    log = os.path.join(tool.directory, "images.log")
    run = tool.run("explore", "-n", "5", "--search", "states", "--buffering", "zero", "--",
                   program, environment={"MATCHPOINT_LOG": log + ":snapshots"}, report=True)
    with open(log) as file:
        lines = file.read().splitlines()
    check(run.report["search"]["states"] == 16, str(run))
    if any("is not rewound" in line for line in lines):
        return  # not on this kernel
    check(sum("to an image" in line for line in lines) >= 10, "\n".join(lines))
    check(sum("restoring world" in line for line in lines) == 1, "\n".join(lines))


def check_resumed(tool):
    """An interrupted search is resumed: its result is that of an uninterrupted one."""
    program = tool.compile(tool.write("sum.c", SUM), "-O1")
    racing = tool.compile(os.path.join(HERE, "../../examples/wildcard_deadlock.c"))
    for name, ranks in (program, 5), (racing, 3):
        straight = tool.run("explore", "-n", str(ranks), "--search", "states", "--", name,
                            report=True)
        for more in "1", "2":
            store = os.path.join(tool.directory, "resumed-%s-%s" % (os.path.basename(name), more))
            arguments = ["explore", "-n", str(ranks), "--search", "states", "--store", store]
            most, run = 0, None
            while run is None or not run.report["complete"]:
                most += int(more)
                check(most < 200, str(run))
                resume = ["--resume"] if run else []
                run = tool.run(*arguments, *resume, "--max-interleavings", str(most), "--", name,
                               report=True)
                check("covered: " in run.out or run.report["complete"], str(run))
            check(run.report["search"]["states"] == straight.report["search"]["states"],
                  "%s\n%s" % (run, straight))
            for key in "interleavings", "findings":
                check(summary(run, key) == summary(straight, key), "%s\n%s" % (run, straight))


def summary(run, key):
    value = run.report[key]
    return value if isinstance(value, int) else sorted((f["kind"], f["count"]) for f in value)


def check_auto(tool):
    """The tree, until equal states occur and much of it is left."""
    program = tool.compile(tool.write("sum.c", SUM), "-O1")
    few = tool.run("explore", "-n", "4", "--search", "auto", "--", program, report=True)
    check("search" not in few.report and few.report["interleavings"] == 12, str(few))
    sums = tool.run("explore", "-n", "7", "--search", "auto", "--", program, report=True)
    check(sums.report["complete"] and sums.report["search"]["states"] < 200, str(sums))
    check("equal states occurred" in str(sums.report["notes"]), str(sums))
    paths = [execution["path"] for execution in sums.report["executions"]]
    check(len(set(paths)) == len(paths) < sums.report["interleavings"] == 1440, str(sums))
    keeps = tool.compile(os.path.join(HERE, "../benchmark/workload.c"), "-O1")
    run = tool.run("explore", "-n", "6", "--search", "auto", "--buffering", "zero", "--", keeps,
                   "keeps", report=True)
    check("search" not in run.report and run.report["interleavings"] == 120, str(run))
    # A limit counts interleavings that are run, so the tree is kept, also by another session.
    store = os.path.join(tool.directory, "auto")
    arguments = ["explore", "-n", "7", "--search", "auto", "--store", store]
    for most in 5, 150:
        resume = ["--resume"] if most != 5 else []
        run = tool.run(*arguments, *resume, "--max-interleavings", str(most), "--",
                       program, report=True)
        check(run.report["interleavings"] == most and "search" not in run.report, str(run))
    # Interrupted after the tree.
    for turn in range(100):  # a busy machine gets longer times
        run = tool.run(*arguments, "--resume", "--max-time", str(1 + turn // 4), "--", program,
                       report=True)
        if run.report["complete"]:
            break
    check(run.report["search"]["states"] < 220 and run.report["findings"] == [], str(run))
    check(run.report["interleavings"] == 1440, str(run))
    paths = [execution["path"] for execution in run.report["executions"]]
    check(len(set(paths)) == len(paths), str(run))


def check_kept_tree(tool):
    """Where states do not work, or have no number, auto explores the tree. With -v a note has the
    reason."""
    program = tool.compile(tool.write("sum.c", SUM), "-O1")
    for words, reason in ((["-j", "2"], "states do not work with -j"),
                          (["--shard", "1/1"], "states do not work with --shard"),
                          (["--deviations", "9"], "states do not work with --deviations"),
                          (["--buffering", "per-send"], "it is a choice whether sends")):
        run = tool.run("explore", "-v", "-n", "4", "--search", "auto", *words, "--", program,
                       report=True)
        check("--search auto: the tree was explored; " + reason in str(run.report["notes"]),
              str(run))
        check("search" not in run.report, str(run))
        run = tool.run("explore", "-n", "4", "--search", "auto", *words, "--", program, report=True)
        check("--search auto" not in str(run.report["notes"]), str(run))


def check_not_at_rest(tool):
    """A rank inside MPI may do anything: such a world has no state, but its choices are made."""
    program = tool.compile(os.path.join(HERE, "programs", "lifecycle", "stall_beside.c"), "-O1")
    tool.environment = {"MATCHPOINT_HASTE": "10"}
    run = tool.run("explore", "-n", "4", "--buffering", "zero", "--search", "states", "--",
                   program, report=True)
    tool.environment = {}
    check(run.report and run.report["complete"] and run.status == 1, str(run))
    check([(f["kind"], f["count"]) for f in run.report["findings"]] == [("stall", 2)], str(run))
    check("a rank is not at rest" in str(run.report["notes"]), str(run))


def check_atomics(tool):
    """The order of atomic operations is left to MPI, and the verdict says so."""
    program = tool.compile(os.path.join(HERE, "programs", "rma", "atomic_order.c"), "-O1")
    for search, orders in ("states", False), ("auto", True):
        run = tool.run("explore", "-n", "2", "--search", search, "--buffering", "zero", "--",
                       program, "apart", "shared", report=True)
        limits = [limit["limit"] for limit in run.report["not_explored"]]
        check(limits == ([] if orders else ["atomics"]), str(run))
        check(run.status == (0 if orders else 3), str(run))


def check_refused(tool):
    program = tool.compile(tool.write("sum.c", SUM), "-O1")
    for options in REFUSED:
        run = tool.run("explore", "-n", "3", "--search", "states", *options, "--", program)
        check(run.status == 64 or run.status == 2, "%s\n%s" % (options, run))
        check("--search states cannot be combined with" in run.err, str(run))


def body(tool, options):
    check_clocks_agree(tool)
    check_merged(tool)
    check_windows(tool)
    check_images(tool)
    check_refused(tool)
    check_atomics(tool)
    check_not_at_rest(tool)
    check_resumed(tool)
    check_auto(tool)
    check_kept_tree(tool)
    check_hidden(tool, SOME + (MORE if options.all else []))


def more(parser):
    parser.add_argument("--all", action="store_true")


if __name__ == "__main__":
    harness.main(sys.modules[__name__].__doc__, body, more)
