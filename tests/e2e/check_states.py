"""--search states: what hides where it is hard to see is not forgotten, what is forgotten is
merged, and what cannot go with it is refused.

usage: check_states.py ... [--all]: all places (30 s), not just some"""

import os
import sys

import harness
from harness import check

HERE = os.path.dirname(os.path.abspath(__file__))
SOME = ["register", "argument", "library", "thread-local", "early-heap", "page", "environment",
        "output", "buffered", "status", "send", "isend", "file", "attribute", "rounding", "irecv"]
MORE = ["shared", "specific", "file-early", "handler", "mask", "directory", "umask", "descriptor",
        "protection", "pipe", "name", "error-handler", "alloc-mem", "type",
        "persistent", "bsend"]
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
REFUSED = [["-j", "2"], ["--shard", "1/2"], ["--random", "1"], ["--order", "depth"],
           ["--deviations", "1"], ["--backtrack", "rerun"], ["--virtual-time"]]


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


def check_merged(tool):
    """Without what holds states apart though they are equal there would be 8 and 16."""
    program = tool.compile(tool.write("sum.c", SUM), "-O1")
    for ranks, tree, least in (4, 6, 8), (5, 24, 16):
        run = explored(tool, program, ranks=ranks, options=("--buffering", "zero"))
        states = run.report["search"]["states"]
        check(run.report["search"]["kind"] == "states" and run.report["findings"] == [], str(run))
        check(states == least, str(run))
        check(run.report["interleavings"] < tree, str(run))
    # Which worker did how many tasks makes no difference to either, nor to the master.
    worker = tool.compile(os.path.join(HERE, "../../examples/master_worker.c"))
    run = explored(tool, worker, "8", ranks=3, options=("--buffering", "zero", "--verify"))
    check(run.report["search"]["states"] == 88 and run.report["findings"] == [], str(run))
    run = explored(tool, program, options=("--verify",))
    check("led where they had led before" in str(run.report["notes"]), str(run))


def check_images(tool):
    """Where ranks can be put back in place they go back to images of themselves, not by forks."""
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


def check_refused(tool):
    program = tool.compile(tool.write("sum.c", SUM), "-O1")
    for options in REFUSED:
        run = tool.run("explore", "-n", "3", "--search", "states", *options, "--", program)
        check(run.status == 64 or run.status == 2, "%s\n%s" % (options, run))
        check("--search states cannot go with" in run.err, str(run))


def body(tool, options):
    check_merged(tool)
    check_images(tool)
    check_refused(tool)
    check_hidden(tool, SOME + (MORE if options.all else []))


def more(parser):
    parser.add_argument("--all", action="store_true")


if __name__ == "__main__":
    harness.main(sys.modules[__name__].__doc__, body, more)
