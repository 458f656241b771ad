"""For each kind of choice: an exploration that was stopped anywhere and resumed, or divided into
shards that are merged, ends with the same outcomes and findings as an undisturbed one, and each
finding needs the same choice."""

import os

import harness
from harness import check

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "../../examples")

# kind of choice: program and its arguments, ranks, flags, options
KINDS = {
    "message": ("truncation", 3, (), ()),
    "message to a probe": ("leaves_at_once", 3, (), ()),
    "one request": ("forgets_the_last", 4, (), ("--buffering", "zero")),
    "requests together": ("answers_first_of_some", 3, (), ()),
    "some requests together": ("some_but_not_all", 4, (), ("--buffering", "infinite")),
    "not yet": ("reports_if_it_waited", 2, (), ()),
    "early or late": ("one_send_blocks", 3, (), ("--buffering", "per-send")),
    "left early or late": ("told_by_broadcast", 3, (), ("--collectives", "per-call")),
    "cancelled": ("cancel_unanswered", 2, (), ()),
    "a lock": ("lock_order", 3, (), ()),
    "locks": ("lock_deadlock", 2, (), ()),
    "an atomic operation": ("atomic_order ticket", 3, (), ("--buffering", "zero")),
    "a thread's turn": ("threads_race", 2, ("-pthread",), ()),
}


def blamed(finding):
    blame = finding.get("blame")
    if not blame:
        return None
    return (blame["rank"], blame["call"], blame.get("sub"), blame["function"], blame.get("line"),
            blame.get("grant"), blame["taken"].get("answer"), blame["taken"].get("source"),
            sorted((one.get("answer") or "", one.get("source", -1))
                   for one in blame["alternatives"]))


def where(finding):
    """The place of the choice, and whether an alternative without the finding is known. Any of the
    interleavings with the same finding may be the first and stand for all."""
    blame = finding.get("blame")
    return blame and (blame["function"], blame["line"], len(blame["alternatives"]) > 0)


def what(report, needs=blamed):
    executions = sorted((one["buffering"], one["path"], one["status"], one["output"])
                        for one in report["executions"])
    findings = sorted((one["kind"], one["count"], sorted(one["buffering"]), one["reproduced"],
                       str(needs(one))) for one in report["findings"])
    return report["complete"], report["interleavings"], executions, findings


def check_stopped(tool, arguments, command, whole):
    """Stopped after the first interleaving, in the middle, and before the last; resumed each
    time."""
    count = whole.report["interleavings"]
    store = os.path.join(tool.directory, "stopped")
    explore, runs = ["explore", *arguments, "--store", store], []
    for most in sorted({1, 2, count // 2, count - 1} - {count}):
        resume = ["--resume"] if runs else []
        run = tool.run(*explore, *resume, "--max-interleavings", str(most), "--", *command,
                       report=True)
        check(not run.report["complete"] and run.report["interleavings"] == most, str(run))
        runs.append(run)
    run = tool.run(*explore, "--resume", "--", *command, report=True)
    check(what(run.report) == what(whole.report), "\n".join(
        map(str, [what(whole.report), what(run.report), whole, *runs, run])))


def check_merged(tool, arguments, command, whole):
    stores = []
    for index in (1, 2):
        stores.append(os.path.join(tool.directory, "shard-%d" % index))
        tool.run("explore", *arguments, "--store", stores[-1], "--shard", "%d/2" % index, "--",
                 *command)
    merged = tool.run("report", *stores, report=True)
    check(what(merged.report, where) == what(whole.report, where),
          "merged:\n%s\n%s\n%s\n%s" % (what(whole.report, where), what(merged.report, where),
                                       whole, merged))


def body(tool, options):
    for kind, (words, ranks, flags, more) in KINDS.items():
        name, *rest = words.split()
        if options.only and options.only != name:
            continue
        base = tool.directory
        tool.directory = os.path.join(base, name)
        os.mkdir(tool.directory)
        source = os.path.join(EXAMPLES, name + ".c")
        if not os.path.exists(source):
            source = harness.program(name + ".c")
        command = [tool.compile(source, *flags), *rest]
        arguments = ["-n", str(ranks), "--order", "depth", *more]
        whole = tool.run("explore", *arguments, "--store", os.path.join(tool.directory, "whole"),
                         "--", *command, report=True)
        check(whole.status == 1 and all(blamed(one) for one in whole.report["findings"]),
              "%s: nothing to blame\n%s" % (kind, whole))
        check_stopped(tool, arguments, command, whole)
        check_merged(tool, arguments, command, whole)
        print("%s: %s, %d interleavings" % (kind, name, whole.report["interleavings"]))
        tool.directory = base


def extra(parser):
    parser.add_argument("--only", help="this program alone")


if __name__ == "__main__":
    harness.main(__doc__, body, extra)
