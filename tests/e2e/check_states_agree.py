"""--search states finds what the tree finds: the same findings in as many interleavings, and the
same outputs at the ends, of random programs that add up what they receive and forget whom it came
from, and of the programs here.

usage: check_states_agree.py ... [--programs N] [--windows N] [--seed S]: random ones (300: 15
       minutes), and such with windows
       check_states_agree.py ... --all: every program here and among the examples (half an hour)"""

import glob
import json
import os
import re
import subprocess
import sys

import harness
from harness import check

HERE = os.path.dirname(os.path.abspath(__file__))
SOME = ["master_worker", "wildcard_deadlock", "result_order", "sum_by_arrival", "many_kinds",
        "worker_not_stopped", "large_messages"]
MOST = 300  # interleavings; of programs with more nothing is compared
REFUSED = "--search states cannot be combined with"
RECEIVED = ("\tsprintf(line + strlen(line), \" %d<-%d.%d\", number[i], payload[i][0], "
            "payload[i][1]);\n")
# Rank 0 keeps the sum and the last sender. One of them makes it deadlock, another print something
# else.
LAST_MATTERS = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	int rank, size, value = 0, sum = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 1; rank == 0 && i < size; i++) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		sum += value;
	}
	if (rank == 0 && value == 1)
		MPI_Recv(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank == 0)
		printf("%s %d\\n", value == 2 ? "two" : "other", sum);
	else
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
"""
# Rank 0 keeps the sum. If the first sender was the last but one, it deadlocks; if it was the last,
# it polls in a loop.
LATE_LOOP = """
#include <mpi.h>
int main(int argc, char **argv)
{
	int rank, size, value = 0, sum = 0, first = 0, done = 0;
	MPI_Request request;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 1; rank == 0 && i < size; i++) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		sum += value;
		if (i == 1 && value >= size - 2)
			first = value;
		value = 0;
	}
	if (rank == 0) {
		MPI_Irecv(&value, 1, MPI_INT, 1, 5 + (first == size - 2), MPI_COMM_WORLD, &request);
		while (first == size - 1 && !done)
			MPI_Test(&request, &done, MPI_STATUS_IGNORE);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	} else {
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
	if (rank == 1)
		MPI_Send(&rank, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
"""
FORGOTTEN = """\ttotal += 1000 * payload[i][0] + payload[i][1];
	memset(payload[i], 0, sizeof(payload[i]));
	if (!is_kept[i]) {
		got[i] = got_tag[i] = 0;
		memset(&statuses[i], 0, sizeof(statuses[i]));
	}
"""


def forgetting(text):
    """The same program with ranks that keep of a receive only the sum, unless they depend on its
    source later."""
    _, _, ranks = text.partition("static void rank_0(void)")
    kept = {int(index) for index in re.findall(r"(?:got|got_tag)\[(\d+)\]", ranks)}
    kept |= {int(index) for index in re.findall(r"statuses\[(\d+)\]\.", ranks)}
    check(RECEIVED in text and "printf(\"rank %d:%s\\n\", rank, line)" in text, text)
    most = int(re.search(r"#define MOST (\d+)", text).group(1))
    marks = "".join("1, " if index in kept else "0, " for index in range(most))
    text = text.replace(RECEIVED, FORGOTTEN)
    text = re.sub(r"sprintf\(line \+ strlen\(line\),.*?\);", ";", text, flags=re.DOTALL)
    text = text.replace("printf(\"rank %d:%s\\n\", rank, line)",
                        "printf(\"rank %d: %ld\\n\", rank, total)")
    return text.replace("static int calls, rank;",
                        "static int calls, rank;\nstatic long total;\n"
                        "static const char is_kept[MOST] = { %s};" % marks)


def ends(report):
    return {(execution["buffering"], execution["status"], tuple(execution["output"]))
            for execution in report["executions"]}


def findings(report):
    """By the places of ranks, variants included. Which of their operations are named depends on
    the interleaving that was found first."""
    return {(one["kind"],
             tuple(sorted((r["rank"], r.get("function", ""), r.get("line", 0)) for r in one["ranks"]
                          if not r.get("bystander"))) if one["kind"] != "outcome-differs" else ())
            for finding in report["findings"] for one in [finding, *finding.get("variants", [])]}


def interleavings_of(report):
    """For how many its states stand; None: not known."""
    return report["interleavings"] if report["search"]["counted"] == "all" else None


def counts(report):
    """In how many interleavings each kind comes up at each set of places, and each outcome. Which
    outcome is the first depends on the order of the search."""
    found = []
    for finding in report["findings"]:
        places = sorted({(r["rank"], r.get("line", 0)) for r in finding["ranks"]
                         if not r.get("bystander")})
        outcomes = sorted(outcome["count"] for outcome in finding.get("outcomes", []))
        found.append((finding["kind"], outcomes or places, 0 if outcomes else finding["count"]))
    return sorted(found)


def compare(tool, name, ranks, program, arguments, options):
    """The results of both searches. None: state search is refused, or the tree is incomplete."""
    common = ["-n", str(ranks), *options, "--", program, *arguments]
    tree = tool.run("explore", "-q", "--max-interleavings", str(MOST), *common, report=True)
    if tree.report and not tree.report["complete"]:
        return None
    states = tool.run("explore", "-q", "--search", "states", *common, report=True)
    if REFUSED in states.err:
        return None
    check(tree.report is not None and states.report is not None, "%s: %s\n%s" % (
        name, tree, states))
    # With --some the tree leaves sets out; state search reports that it is incomplete.
    check(states.report["complete"] or "--some" in states.out
          or "--max-time" in states.report["incomplete_reason"], "%s: %s" % (name, states))
    if not states.report["complete"]:
        return None
    check(findings(tree.report) == findings(states.report),
          "%s: other findings\nonly the tree: %s\nonly states: %s\n%s" % (
              name, findings(tree.report) - findings(states.report),
              findings(states.report) - findings(tree.report), states))
    check(ends(tree.report) == ends(states.report),
          "%s: other ends\nonly the tree: %s\nonly states: %s\n%s" % (
              name, ends(tree.report) - ends(states.report),
              ends(states.report) - ends(tree.report), states))
    counted = interleavings_of(states.report)
    check(counted in (None, tree.report["interleavings"]),
          "%s: the states stand for %s\n%s\n%s" % (name, counted, tree, states))
    check(counted is None or counts(tree.report) == counts(states.report),
          "%s: other numbers\nthe tree: %s\nstates: %s\n%s" % (
              name, counts(tree.report), counts(states.report), states))
    return tree.report["interleavings"], states.report["search"], counted is not None


def compare_random(tool, seed, *kind):
    sim = os.path.join(os.path.dirname(tool.matchpoint), "tests", "sim_search")
    text = subprocess.run([sim, "--print-c", *kind, "--seed", str(seed)], capture_output=True,
                          text=True, check=True).stdout
    program = tool.compile(tool.write("random_%d.c" % seed, forgetting(text)))
    ranks = int(re.search(r"for (\d+) ranks", text).group(1))
    # Where each place of a lock is a choice, there can be far more states than interleavings.
    found = compare(tool, "seed %d" % seed, ranks, program, [],
                    ["--max-time", "8"] if kind else [])
    if found and seed % 5 == 0:
        run = tool.run("explore", "-q", "--search", "states", "--verify", "-n", str(ranks), "--",
                       program, report=True)
        check("led to different states" not in run.out, "seed %d: %s" % (seed, run))
    os.remove(program)
    return found


def compare_program(tool, expect):
    with open(expect) as file:
        expectations = json.load(file)
    stem = os.path.splitext(expect)[0]
    source = next(s for s in (stem + e for e in (".c", ".cc", ".f90", ".f")) if os.path.exists(s))
    for expected in [expectations] if isinstance(expectations, dict) else expectations:
        tool.environment = expected.get("environment", {})
        program = tool.compile(source, *expected.get("flags", []))
        if expected.get("varies"):
            continue
        yield compare(tool, os.path.basename(source), expected["ranks"], program,
                      expected.get("args", []), expected.get("options", []))
    tool.environment = {}


def compare_auto(tool):
    """auto leaves the tree, and reports what the tree does, in the same way each time."""
    program = tool.compile(tool.write("last_matters.c", LAST_MATTERS))
    def explore(search):
        run = tool.run("explore", "-q", "-n", "7", "--buffering", "zero", "--search", search, "--",
                       program, report=True)
        check(run.report is not None, str(run))
        return run
    tree, auto, again = (explore(search) for search in ("tree", "auto", "auto"))
    check(auto.report["search"]["counted"] == "all", str(auto))
    for key in "interleavings", "complete", "buffering":
        check(tree.report[key] == auto.report[key], "%s\n%s" % (tree, auto))
    check(tree.status == auto.status == 1, "%s\n%s" % (tree, auto))
    check(tree.report["interleavings"] == 720, str(tree))
    check(counts(tree.report) == counts(auto.report), "%s\n%s" % (tree, auto))
    check(findings(tree.report) == findings(auto.report), "%s\n%s" % (tree, auto))
    for key in "findings", "executions", "search":
        check(auto.report[key] == again.report[key], "%s\n%s" % (auto, again))


def compare_given_up(tool):
    """Where states come up that do not tell how many interleavings there are, after auto has left
    the tree, it goes on with the tree. -v says why. The same if that happens after --resume."""
    program = tool.compile(tool.write("late_loop.c", LATE_LOOP))
    def explore(search, *options, arguments=()):
        run = tool.run("explore", "-q", "-n", "7", "--buffering", "zero", "--search", search,
                       *options, "--", program, *arguments, report=True)
        check(run.report is not None, str(run))
        return run
    tree, auto = explore("tree"), explore("auto", "-v")
    check("auto: the tree was explored; a rank polls in a loop" in str(auto.report["notes"]),
          str(auto))
    check("search" not in auto.report, str(auto))
    for key in "interleavings", "complete", "buffering", "wasted":
        check(tree.report[key] == auto.report[key], "%s\n%s" % (tree, auto))
    def paths(run):
        return sorted(one["path"] for one in run.report["executions"])
    check(paths(tree) == paths(auto), "%s\n%s" % (tree, auto))
    check(findings(tree.report) == findings(auto.report), "%s\n%s" % (tree, auto))
    check(tree.status == auto.status == 1, "%s\n%s" % (tree, auto))
    states = explore("states", "--store", "in_states")
    check(states.report["complete"] and states.report["search"]["counted"] == "executions",
          str(states))
    stopped = explore("auto", "--fail-fast", "--store", "given_up")
    check(128 < stopped.report["interleavings"] and not stopped.report["complete"], str(stopped))
    check(stopped.report["search"]["kind"] == "states", str(stopped))
    refused = tool.run("explore", "-n", "7", "--buffering", "zero", "-j", "2", "--resume",
                       "--store", "given_up", "--", program)
    check(refused.status == 4 and "does not work with the options given" in refused.err,
          str(refused))
    resumed = explore("auto", "--resume", "--store", "given_up")
    check(paths(tree) == paths(resumed), "%s\n%s" % (tree, resumed))
    check(findings(tree.report) == findings(resumed.report), "%s\n%s" % (tree, resumed))


def count(found):
    compared = [one for one in found if one]
    counted = sum(one[2] for one in compared)
    return "%d compared (%d interleavings, %d merged; %d counted by states), %d not" % (
        len(compared), sum(one[0] for one in compared), sum(one[1]["merged"] for one in compared),
        counted, len(found) - len(compared))


def body(tool, options):
    expects = sorted(glob.glob(os.path.join(HERE, "programs", "*", "*.expect"))
                     + glob.glob(os.path.join(HERE, "../../examples/*.expect")))
    found = []
    compare_auto(tool)
    compare_given_up(tool)
    for expect in expects:
        name = os.path.basename(expect)[:-len(".expect")]
        if options.all or name in SOME:
            try:
                found += compare_program(tool, expect)
            except harness.Failed as problem:
                if not options.all:
                    raise
                print("DIFFERS: %s" % problem, flush=True)
    print("programs: %s" % count(found), flush=True)
    check(any(one and one[2] for one in found), "states never tell for how many they stand")
    found = [compare_random(tool, seed)
             for seed in range(options.seed, options.seed + options.programs)]
    print("random ones: %s" % count(found))
    check(sum(one[1]["merged"] for one in found if one) > 0 or options.programs < 10,
          "nothing was merged")
    found = [compare_random(tool, seed, "--windows")
             for seed in range(options.seed, options.seed + options.windows)]
    print("with windows: %s" % count(found))


def more(parser):
    parser.add_argument("--programs", type=int, default=5)
    parser.add_argument("--windows", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--all", action="store_true")


if __name__ == "__main__":
    harness.main(sys.modules[__name__].__doc__, body, more)
