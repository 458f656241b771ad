"""Explores one program and compares with the expectations in the file next to it.

The file NAME.expect beside NAME.c is JSON: an object, or a list of objects, each one exploration:

  why           a comment
  ranks         number of ranks
  args          the program's arguments
  options       more options for `matchpoint explore`
  flags         for the compiler
  cflags        "access": compiled so that loads and stores are seen
  environment   {"NAME": "value"} for matchpoint
  interleavings {"zero": n, "infinite": n}; a missing buffering is not explored
  wasted        default: 0
  not_explored  the names of limits (scheduler/store/limit.c) that make "not all"; default: none
  not_checked   the names of limits under "not checked"; default: any
  exit          exit status of matchpoint; by default it follows from the findings
  output        {"rank": text}: what that rank prints in every interleaving that ends normally
  plain         true: every rank prints what it prints under mpiexec alone, in every interleaving
  may_fail      true: some libraries fail under mpiexec alone, too; then there is nothing to explore
  notes         texts that must occur in the notes
  findings      a list: {"kind", "count", "buffering", "at": {"rank": part of the source line where
                of its call}, "blame": part of the source line of the choice, "message": a part
                of it, or several}; count, at, blame and message are optional; "waits": {"rank":
                for each of its lines, the ranks that it waits for}; "outcomes": the
                number of interleavings with each outcome; "variants": the same members for each
                finding that is reported with it, in any order
  varies        true: the output is not the same in every run
  threads_first true: threads from before MPI_Init rule snapshots out; it is explored by rerunning

There are three ways to explore: by forking from snapshots, one world at a time; by rewinding
ranks in place where possible, three worlds side by side; and by rerunning, two at a time. The first
exploration of a file is done in all of them. They must agree, execution by execution, and every
finding is replayed from its path. Each of the others is done in one way; the ways take turns. With
--all, all are done like the first.
"""

import collections
import json
import os

import harness
from harness import check

SLOWNESS = "MATCHPOINT_TEST_SLOWNESS"  # for programs that bound what they take (check.h)
WAYS = (("snapshot", 1), ("auto", 3), ("rerun", 2))


def source_line(source, line):
    with open(source) as file:
        lines = file.read().split("\n")
    return lines[line - 1] if 0 < line <= len(lines) else ""


def outcome(execution):
    """What must be the same for each way of going back, as something that can be counted."""
    matches = sorted((m["rank"], m["call"], m.get("sub", 0), m["source"], m["send_call"],
                      m.get("send_sub", 0), m["tag"]) for m in execution["matches"])
    choices = sorted((c["rank"], c["call"], c.get("sub", 0), c["taken"].get("answer", ""),
                      c["taken"].get("source", -1), c["taken"].get("call", 0))
                     for c in execution["choices"])
    return (execution["buffering"], execution["status"], tuple(matches), tuple(choices),
            tuple(execution["exit"]), tuple(execution["output"]))


def without_output(execution):
    return execution[:-1]


def roll_call(finding):
    """Where each rank is; without the number of the poll at which a livelock was detected, which
    depends on time."""
    numbered = finding["kind"] != "livelock"
    return [(r["rank"], r.get("function"), r.get("call") if numbered else None, r.get("line"),
             r["waits_for"], r.get("ended"), r.get("does"))
            for r in finding["ranks"] if not r.get("bystander")]


def check_finding(source, expected, found):
    text = json.dumps(found, indent=1)
    if "count" in expected:
        check(found["count"] == expected["count"], "count %d instead of %d: %s" % (
            found["count"], expected["count"], text))
    if "buffering" in expected:
        check(found["buffering"] == expected["buffering"], "wrong buffering: " + text)
    check(found["reproduced"], "not reproduced: " + text)
    ranks = {r["rank"]: r for r in found["ranks"]}
    for rank, part in expected.get("at", {}).items():
        check(int(rank) in ranks, "rank %s is not in the roll-call: %s" % (rank, text))
        line = source_line(source, ranks[int(rank)].get("line", 0))
        check(part in line, "rank %s is at '%s': %s" % (rank, line.strip(), text))
    for rank, wanted in expected.get("waits", {}).items():
        waits = [r["waits_for"] for r in found["ranks"] if r["rank"] == int(rank)]
        check(waits == wanted, "rank %s waits for %s: %s" % (rank, waits, text))
    if "blame" in expected:
        check("blame" in found, "no choice is blamed: " + text)
        line = source_line(source, found["blame"].get("line", 0))
        check(expected["blame"] in line, "'%s' is blamed: %s" % (line.strip(), text))
    if "outcomes" in expected:
        counts = [o["count"] for o in found["outcomes"]]
        check(counts == expected["outcomes"], "outcomes %s: %s" % (counts, text))
    parts = expected.get("message", "")
    for part in [parts] if isinstance(parts, str) else parts:
        check(part in (found["message"] or ""), "another message: " + text)
    if "variants" in expected:
        pair(source, [dict(variant, kind=found["kind"]) for variant in expected["variants"]],
             variants_of(found))
    else:
        check("variants" not in found, "variants: " + text)


def variants_of(finding):
    """All variants, including the finding itself."""
    return [{name: value for name, value in finding.items() if name != "variants"},
            *finding.get("variants", [])]


def check_findings(source, expected, report):
    pair(source, expected, report["findings"])


def pair(source, expected, findings):
    """Pairs every expected finding with exactly one found."""
    left = list(findings)
    for finding in expected:
        problems = []
        for found in left:
            if found["kind"] != finding["kind"]:
                continue
            try:
                check_finding(source, finding, found)
            except harness.Failed as problem:
                problems.append(str(problem))
                continue
            left.remove(found)
            break
        else:
            raise harness.Failed("expected %s, but %s" % (
                finding, "; ".join(problems) or "no such kind in %s" % json.dumps(left)))
    check(not left, "also found: %s" % json.dumps(left, indent=1))


def check_report(source, expected, run):
    report = run.report
    check(report is not None, "no report\n%s" % run)
    left = [limit["limit"] for limit in report["not_explored"]]
    check(left == expected.get("not_explored", []), "not explored: %s\n%s" % (left, run))
    check(report["complete"] == (not left), "complete is %s\n%s" % (report["complete"], run))
    unchecked = [limit["limit"] for limit in report["not_checked"]]
    check(unchecked == expected.get("not_checked", unchecked),
          "not checked: %s\n%s" % (unchecked, run))
    counts = collections.Counter(e["buffering"] for e in report["executions"])
    wanted = expected.get("interleavings")
    if wanted is not None:
        check(counts == wanted, "%s interleavings instead of %s\n%s" % (dict(counts), wanted, run))
    check(report["interleavings"] == sum(counts.values()), "interleavings do not add up\n%s" % run)
    check(report["wasted"] == expected.get("wasted", 0), "%d wasted runs\n%s" % (
        report["wasted"], run))
    check_findings(source, expected.get("findings", []), report)
    status = expected.get("exit", 1 if report["findings"] else 0 if report["complete"] else 3)
    check(run.status == status, "exit status %s instead of %d\n%s" % (run.status, status, run))
    for execution in report["executions"]:
        for rank, text in expected.get("output", {}).items():
            check(execution["status"] != "ok" or execution["output"][int(rank)] == text,
                  "rank %s printed %r on %s" % (rank, execution["output"][int(rank)],
                                                execution["path"]))
    for note in expected.get("notes", []):
        check(any(note in text for text in report["notes"]), "no note on %s\n%s" % (note, run))
    for repeated, times in collections.Counter(map(outcome, report["executions"])).items():
        check(times == 1, "an outcome was explored %d times: %s" % (times, repeated))


def replay_outcomes(tool, line, finding, varies):
    """Each outcome's path ends normally and prints the same again, unless the output varies."""
    for told in finding["outcomes"]:
        again = tool.run("replay", told["path"], "--", *line, report=True)
        check(again.status == 0, "the replay of %s\n%s" % (told["path"], again))
        check(varies or again.report["executions"][0]["output"] == told["output"],
              "the replay of %s printed something else\n%s" % (told["path"], again))


def replay(tool, expected, report):
    """Replays every finding, and one interleaving that ended normally, from their paths."""
    line = report["program"]
    for finding in [one for found in report["findings"] for one in variants_of(found)]:
        if finding["kind"] == "outcome-differs":
            replay_outcomes(tool, line, finding, expected.get("varies"))
            continue
        options = (["--errors-returned=finding"] if finding["kind"] == "error-returned" else [])
        again = tool.run("replay", *options, finding["path"], "--", *line, report=True)
        check(again.status == 1, "the replay of %s ended with %d\n%s" % (
            finding["path"], again.status, again))
        check(again.report and len(again.report["findings"]) >= 1, "nothing found\n%s" % again)
        check(any(found["kind"] == finding["kind"] and roll_call(found) == roll_call(finding)
                  for found in again.report["findings"]),
              "the replay of %s found something else: %s\n%s" % (
                  finding["path"], json.dumps(again.report["findings"]), again))
    good = [e for e in report["executions"] if e["status"] == "ok"]
    ignored = [option for option in expected.get("options", []) if option.startswith("--ignore=")]
    if good:
        again = tool.run("replay", *ignored, good[-1]["path"], "--", *line)
        check(again.status == 0, "the replay of %s\n%s" % (good[-1]["path"], again))


def check_plain(tool, program, expected, report):
    """A controlled rank prints what it prints without matchpoint."""
    wanted = tool.run_plain(expected["ranks"], program, *expected.get("args", []))
    for execution in report["executions"]:
        for rank, output in enumerate(wanted):
            found = execution["output"][rank]
            different = [pair for pair in zip(output.split("\n"), found.split("\n"))
                         if pair[0] != pair[1]]
            check(found == output, "rank %d prints otherwise than under mpiexec on %s: %s" % (
                rank, execution["path"], different[:3] or (output[-200:], found[-200:])))


def fails_plain(tool, program, expected):
    try:
        tool.run_plain(expected["ranks"], program, *expected.get("args", []))
    except harness.Failed:
        return True
    return False


def ways_of(expected, number, every):
    """The ways in which the exploration with this number in its file is done."""
    ways = WAYS[1:] if expected.get("threads_first") else WAYS
    return ways if every or number == 0 else [ways[number % len(ways)]]


def asks_slowness(source):
    """Whether the program bounds what it takes. To measure it takes processor time."""
    with open(source) as file:
        return "slowness()" in file.read()


def explore(tool, source, program, expected, ways):
    reports = []
    tool.environment = dict(expected.get("environment", {}))
    if asks_slowness(source):
        tool.environment.setdefault(SLOWNESS, "%.1f" % harness.slowness())
    threads_first = expected.get("threads_first", False)
    for backtrack, jobs in ways:
        run = tool.run("explore", "-n", str(expected["ranks"]), "--backtrack", backtrack,
                       "-j", str(jobs), *expected.get("options", []), "--", program,
                       *expected.get("args", []), report=True)
        check_report(source, expected, run)
        way = backtrack if backtrack != "auto" else "rerun" if threads_first else "snapshot"
        check(run.report["backtrack"] == way, "went back by %s\n%s" % (
            run.report["backtrack"], run))
        reports.append(run.report)
        print("  %-8s -j %d  %d interleavings in %.2f s" % (
            backtrack, jobs, run.report["interleavings"], run.seconds))
    if expected.get("plain"):
        check_plain(tool, program, expected, reports[0])
    of = (lambda e: without_output(outcome(e))) if expected.get("varies") else outcome
    first, *others = (collections.Counter(map(of, r["executions"])) for r in reports)
    for way, other in zip(ways[1:], others):
        check(first == other, "only by %s, -j %d: %s\nonly by %s, -j %d: %s" % (
            *ways[0], list(first - other), *way, list(other - first)))
    if others:
        replay(tool, expected, reports[0])


def body(tool, options):
    with open(options.expect) as file:
        expectations = json.load(file)
    if isinstance(expectations, dict):
        expectations = [expectations]
    stem = os.path.splitext(options.expect)[0]
    tool.name = os.path.basename(stem)
    source = next(s for s in (stem + e for e in (".c", ".cc", ".f90", ".f")) if os.path.exists(s))
    program, flags = None, None
    for number, expected in enumerate(expectations):
        print("%s on %d ranks %s" % (os.path.basename(source), expected["ranks"],
                                     " ".join(expected.get("args", []))))
        wanted = (expected.get("flags", []), expected.get("cflags"))
        if wanted != flags:
            flags = wanted
            program = tool.compile(source, *flags[0], access=flags[1] == "access")
        if expected.get("may_fail") and fails_plain(tool, program, expected):
            print("  fails under mpiexec alone")
            continue
        explore(tool, source, program, expected, ways_of(expected, number, options.all))


def extra(parser):
    parser.add_argument("expect")
    parser.add_argument("--all", action="store_true", help="each exploration in all ways")


if __name__ == "__main__":
    harness.main(__doc__, body, extra)
