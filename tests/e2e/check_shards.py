"""Shards cover the tree, each outcome is in one of them, and their stores together report what
an exploration of everything reports; also when one was killed and resumed, and when one is
missing."""

import os
import shutil
import signal
import subprocess
import uuid

import harness
from harness import check

# Deadlocks when rank 1's message comes last. With WORDS the output depends only on which rank comes
# first, and one line of it on the machine.
SOURCE = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline int leave(int value)
{
	FILE *file = fopen("left.txt", "w");

	fprintf(file, "%d\n", value);
	fclose(file);
	return 0;
}

int main(int argc, char **argv)
{
	int rank, ranks, value = 0, first = 0, order = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (UNSTABLE && getenv("NODE") && strcmp(getenv("NODE"), "node2") == 0)
		ranks--;
	if (rank > 0 && rank < ranks)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	for (int i = 1; rank == 0 && i < ranks; i++) {
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		first = i == 1 ? value : first;
		order = 10 * order + value;
	}
	if (DEADLOCK && rank == 0 && value == 1)
		MPI_Recv(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank == 0)
		printf("on %s\n%d\n", getenv("NODE") ? getenv("NODE") : "?", PRINTED);
	MPI_Finalize();
	return 0;
}
"""


def compile_as(tool, name, deadlock, printed, unstable=0):
    source = tool.write(name + ".c", SOURCE)
    return tool.compile(source, "-DDEADLOCK=%d" % deadlock, "-DPRINTED=" + printed,
                        "-DUNSTABLE=%d" % unstable)


def executions(report):
    return sorted((one["buffering"], one["path"], one["status"], one["output"][0])
                  for one in report["executions"])


def findings(report):
    """Without what depends on the order of discovery: path, message, and number."""
    found = []
    for one in report["findings"]:
        outcomes = sorted((outcome["count"], outcome["output"][0])
                          for outcome in one.get("outcomes", []))
        found.append((one["kind"], one["count"], sorted(one["buffering"]), outcomes))
    return sorted(found)


def what(report):
    return (report["complete"], report["interleavings"], report["wasted"], executions(report),
            findings(report))


def explore_shards(tool, program, count, *options, name="shard", nodes=False):
    """Explores all shards, each with its own store. Returns the stores and what each reported."""
    stores, runs = [], []
    for index in range(1, count + 1):
        stores.append(os.path.join(tool.directory, "%s-%d-%d" % (name, index, count)))
        runs.append(tool.run("explore", "--store", stores[-1], "--shard",
                             "%d/%d" % (index, count), *options, "--", program, report=True,
                             environment={"NODE": "node%d" % index} if nodes else None))
        report = runs[-1].report
        check(report["shard"] == {"index": index, "count": count}, str(runs[-1]))
        check(report["complete"] and "all of shard %d/%d explored" % (index, count)
              in runs[-1].out, str(runs[-1]))
        check(runs[-1].status == (1 if report["findings"] else 0), str(runs[-1]))
    return stores, runs


def merge(tool, stores, *options, environment=None):
    return tool.run("report", *stores, *options, report=True, environment=environment)


def check_all(tool, program, whole, count):
    """Any number of shards, in any order."""
    stores, runs = explore_shards(tool, program, count, "-n", str(whole.report["ranks"]))
    parts = [executions(run.report) for run in runs]
    check(sorted(sum(parts, [])) == executions(whole.report),
          "not each outcome in one of %d shards" % count)
    check(all(parts), "%d shards, and one has nothing to do" % count)
    merged = merge(tool, stores[::-1])
    check(merged.status == 0 and what(merged.report) == what(whole.report),
          "%s\n%s" % (whole, merged))
    check(merged.report["shards"] == count, str(merged))
    check("all explored in %d shards" % count in merged.out, str(merged))
    return stores


def check_kept(tool, stores, whole):
    """A merged store works like others: its findings can be repeated and minimized."""
    kept = os.path.join(tool.directory, "merged")
    merged = merge(tool, stores, "--merge-into", kept, "--exit-code")
    check(merged.status == 1, str(merged))
    number = next(one["id"] for one in merged.report["findings"] if one["kind"] == "deadlock")
    replayed = tool.run("replay", str(number), "--store", kept)
    check(replayed.status == 1 and "deadlock" in replayed.out, str(replayed))
    minimized = tool.run("minimize", str(number), "--store", kept)
    check(minimized.status == 0 and "mp1:n5:" in minimized.out, str(minimized))
    again = tool.run("report", kept, report=True)
    check(what(again.report) == what(whole.report), str(again))
    for form in ("--html", "--junit", "--sarif", "--markdown", "--dot", "--mermaid"):
        file = os.path.join(tool.directory, "told" + form)
        told = tool.run("report", *stores, form, file)
        check(told.status == 0 and os.path.getsize(file) > 0, str(told))
    refused = tool.run("report", kept, stores[0])
    check(refused.status == 4 and "was itself merged" in refused.err, str(refused))


def check_missing(tool, stores):
    merged = merge(tool, stores[:1] + stores[2:], "--exit-code")
    check(merged.status == 1 and not merged.report["complete"], str(merged))
    check("shard 2/3 is missing" in merged.report["incomplete_reason"], str(merged))
    twice = tool.run("report", stores[0], stores[0])
    check(twice.status == 4 and "named twice" in twice.err, str(twice))
    copy = os.path.join(tool.directory, "copy")
    shutil.copytree(stores[0], copy)
    twice = tool.run("report", stores[0], copy)
    check(twice.status == 4 and "both hold shard 1/3" in twice.err, str(twice))


def check_resume(tool, program, whole):
    """Killed in the stem or after it, or stopped by a bound, a shard can be resumed."""
    stores = []
    for index, seconds in ((1, 0.2), (2, 0.3), (3, 0.4)):
        store = os.path.join(tool.directory, "killed-%d" % index)
        stores.append(store)
        arguments = ["explore", "-n", "4", "--store", store, "--shard", "%d/3" % index]
        mark = uuid.uuid4().hex
        process = tool.start(arguments + ["--", program], mark)
        try:
            process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
        tool.check_clean(process.pid, mark, arguments, patience=20)
        begun = os.path.exists(os.path.join(store, "matchpoint.db"))
        for most in ("1", "4"): # the stem is longer than the first
            run = tool.run(*arguments, *(["--resume"] if begun else []), "--max-interleavings",
                           most, "--", program, report=True)
            check(run.report and run.status in (0, 1, 3), str(run))
            begun = True
        other = tool.run(*arguments[:-1], "%d/4" % index, "--resume", "--", program)
        check(other.status == 4 and "--shard was '%d/3'" % index in other.err, str(other))
        run = tool.run(*arguments, "--resume", "--", program, report=True)
        check(run.report and run.report["complete"], str(run))
    merged = merge(tool, stores)
    check(what(merged.report) == what(whole.report), "%s\n%s" % (whole, merged))
    for shard, words in (("1/3", "zero buffering 1 interleaving, at least 1 more left"),
                         ("2/3", "zero buffering 1 interleaving, at least 3 more left")):
        run = tool.run("explore", "-n", "5", "--store", os.path.join(tool.directory, "stopped"),
                       "--shard", shard, "--max-interleavings", "1", "--", program)
        check("not all of shard " + shard in run.out and words in run.out, str(run))


def check_outcomes(tool):
    """Each shard sees one outcome, another one than the others. The machine's own output is no
    difference."""
    program = compile_as(tool, "first", 0, "first == 3")
    same = compile_as(tool, "same", 0, "1")
    options = ("-n", "4", "--buffering", "zero")
    whole = tool.run("explore", *options, "--", program, report=True)
    stores, _ = explore_shards(tool, program, 4, *options, name="first", nodes=True)
    merged = merge(tool, stores)
    counts = sorted(one["count"] for one in merged.report["findings"][0]["outcomes"])
    check([one["kind"] for one in merged.report["findings"]] == ["outcome-differs"]
          and counts == [2, 4], "%s\n%s" % (whole, merged))
    check(any("were not compared: rank 0's output, line 1" in note
              for note in merged.report["notes"]), str(merged))
    stores, _ = explore_shards(tool, same, 2, *options, name="same", nodes=True)
    merged = merge(tool, stores, "--exit-code")
    check(merged.status == 0 and not merged.report["findings"], str(merged))


def check_files(tool):
    """The contents of a file differ, in the same way in each shard."""
    program = compile_as(tool, "leaves", 0, "leave(first == 3)")
    for count, named in ((2, True), (2, False), (6, True), (6, False)):
        options = ("-n", "4", "--buffering", "zero",
                   *(("--compare", "left.txt") if named else ()))
        stores, _ = explore_shards(tool, program, count, *options, name="files")
        merged = merge(tool, stores, "--exit-code")
        check(merged.status == 1 and {one["kind"] for one in merged.report["findings"]}
              == {"outcome-differs"}, str(merged))
        check(sum(one["count"] for one in merged.report["findings"]) == 2, str(merged))


def check_unstable(tool):
    """A program that behaves differently on one machine: the parts do not cover its tree."""
    program = compile_as(tool, "unstable", 0, "1", unstable=1)
    stores, _ = explore_shards(tool, program, 3, "-n", "5", "--buffering", "zero",
                               name="unstable", nodes=True)
    merged = merge(tool, stores, "--exit-code")
    check(merged.status == 3 and "shard 1/3 and shard 2/3 split the tree differently"
          in merged.report["incomplete_reason"], str(merged))


def check_small(tool, program):
    """More shards than interleavings."""
    stores, runs = explore_shards(tool, program, 5, "-n", "2", name="small")
    check(sum(run.report["interleavings"] for run in runs) == 2, "not 2 in all")
    check("0 interleavings" in runs[4].out and "nothing wrong in this shard" in runs[4].out,
          str(runs[4]))
    merged = merge(tool, stores)
    check(merged.report["complete"] and merged.report["interleavings"] == 2, str(merged))


def check_options(tool, program):
    """Shards work with bounds, and with options that change the tree or the way of going back."""
    for options in (("-n", "4", "-j", "2"),
                    ("-n", "5", "--deviations", "1"),
                    ("-n", "3", "--buffering", "per-send"),
                    ("-n", "4", "--compare", "none", "--backtrack", "rerun", "--buffering",
                     "infinite")):
        whole = tool.run("explore", *options, "--", program, report=True)
        runs = [tool.run("explore", *options, "--store",
                         os.path.join(tool.directory, "bound-%d" % index), "--shard",
                         "%d/2" % index, "--", program, report=True) for index in (1, 2)]
        merged = merge(tool, [os.path.join(tool.directory, "bound-%d" % index)
                              for index in (1, 2)])
        check(what(merged.report) == what(whole.report), "%s\n%s\n%s\n%s" % (
            whole, merged, *runs))


def choices(path):
    """In any order."""
    return tuple(sorted(path.split(":")[-1].split(",")))


def check_seeds(tool, program):
    """Random walks with several seeds partly coincide; those count once."""
    stores, paths = [], set()
    for seed in ("1", "2"):
        stores.append(os.path.join(tool.directory, "seed-" + seed))
        run = tool.run("explore", "-n", "5", "--buffering", "zero", "--random", seed,
                       "--max-interleavings", "12", "--store", stores[-1], "--", program,
                       report=True)
        paths |= {choices(one["path"]) for one in run.report["executions"]}
    merged = merge(tool, stores, "--exit-code")
    check(merged.status == 1 and not merged.report["complete"]
          and sorted(choices(one["path"]) for one in merged.report["executions"])
          == sorted(paths), "%s\n%s" % (sorted(paths), merged))


def check_bad(tool, program):
    for word in ("0/3", "4/3", "x", "1", "1/", "/3", "1/3/5", "-1/3", "1/0", " 1/3", "1/99999999"):
        run = tool.run("explore", "-n", "2", "--shard", word, "--", program)
        check(run.status == 2 and "--shard cannot be '%s'" % word in run.err, str(run))


def body(tool, _):
    program = compile_as(tool, "orders", 1, "order % 100")
    small = tool.run("explore", "-n", "4", "--", program, report=True)
    whole = tool.run("explore", "-n", "5", "--", program, report=True)
    check(small.report["interleavings"] == 12 and whole.report["interleavings"] == 48, str(whole))
    check_bad(tool, program)
    check_all(tool, program, small, 2)
    stores = check_all(tool, program, whole, 3)
    check_kept(tool, stores, whole)
    check_missing(tool, stores)
    check_resume(tool, program, small)
    check_outcomes(tool)
    check_files(tool)
    check_unstable(tool)
    check_small(tool, program)
    check_options(tool, program)
    check_seeds(tool, program)


if __name__ == "__main__":
    harness.main(__doc__, body)
