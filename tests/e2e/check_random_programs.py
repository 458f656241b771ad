"""Random programs as real MPI programs: the outcomes that matchpoint finds are those of brute
force, each once, and what every rank received agrees with the matches."""

import collections
import os
import subprocess
import sys

import harness
from harness import check


PER_SEND_MOST = 20  # outcomes; each is reached by many interleavings


def ask(tool, seed, what):
    sim = os.path.join(os.path.dirname(tool.matchpoint), "tests", "sim_search")
    done = subprocess.run([sim, what, "--seed", str(seed)], capture_output=True, text=True,
                          check=True)
    return done.stdout


def expected_outcomes(text):
    """Number of ranks, and for each buffering the outcomes: (matches, ranks that ended), sorted. A
    probe leaves its message in place, so it is no match."""
    lines = text.splitlines()
    outcomes = {"zero": [], "infinite": [], "per-send": []}
    for line in lines[1:]:
        buffering, _, outcome = line.partition(" ")
        matches, _, ended = outcome.partition(";")
        outcomes[buffering].append((frozenset(word for word in matches.split() if "~" not in word),
                                    frozenset(ended.split()[1:])))
    return int(lines[0]), {name: sorted(map(readable, found)) for name, found in outcomes.items()}


def readable(outcome):
    return "%s; ended %s" % (" ".join(sorted(outcome[0])), " ".join(sorted(outcome[1])))


def received_words(rank, output):
    """The words "CALL<-SOURCE.CALL" that the rank printed at its end. None: it did not get
    there."""
    for line in output.splitlines():
        name, _, words = line.partition(":")
        if name == "rank %d" % rank:
            return ["%d.%s" % (rank, word) for word in words.split() if "." in word or ":" in word]
    return None


def was_probed(word, matches):
    """Whether the match belongs to the Mprobe, an earlier call than the Mrecv that receives it."""
    receive, _, send = word.partition("<-")
    rank, _, call = receive.partition(".")
    return any(match.partition("<-")[2] == send and match.startswith(rank + ".")
               and int(match.partition("<-")[0].partition(".")[2]) < int(call) for match in matches)


def answers(execution):
    """The answers to tests, waits and polls, in the words of outcome_describe."""
    for choice in execution["choices"]:
        taken = choice["taken"]
        name = "%d.%d:" % (choice["rank"], choice["call"])
        if taken.get("answer") in ("no", "cancelled"):
            yield name + taken["answer"]
        elif "requests" in taken:
            yield name + "#" + ",".join(map(str, taken["requests"]))


def found_outcome(seed, execution):
    matches = frozenset("%d.%d<-%d.%d" % (match["rank"], match["call"], match["source"],
                                          match["send_call"]) for match in execution["matches"])
    matches |= frozenset(answers(execution))
    ended = set()
    for rank, output in enumerate(execution["output"]):
        words = received_words(rank, output)
        if words is None:
            continue
        ended.add(str(rank))
        for word in words:
            check(word in matches or was_probed(word, matches),
                  "seed %d, %s: rank %d received %s, which the matches do not say: %s"
                  % (seed, execution["path"], rank, word, sorted(matches)))
    return matches, frozenset(ended)


def compare(tool, seed):
    ranks, expected = expected_outcomes(ask(tool, seed, "--print-outcomes"))
    text = ask(tool, seed, "--print-c")
    source = tool.write("random_%d.c" % seed, text)
    program = tool.compile(source)
    wasted = explore(tool, seed, ranks, program, expected)
    if len(set(expected["per-send"])) <= PER_SEND_MOST:
        wasted += explore(tool, seed, ranks, program, expected, per_send=True)
    return sum(map(len, expected.values())), wasted


def explore(tool, seed, ranks, program, expected, per_send=False):
    """Compares the outcomes. With a choice for each send and collective several interleavings may
    have the same outcome."""
    options = ["--compare", "none", "--ignore", "leak", "--some", "64"]
    if per_send:
        options += ["--buffering", "per-send", "--collectives", "per-call"]
    run = tool.run("explore", "-q", "-n", str(ranks), *options, "--", program, report=True)
    check(run.report is not None, "seed %d: no report\n%s" % (seed, run))
    check(run.report["complete"], "seed %d: not complete\n%s" % (seed, run))
    for buffering in ["per-send"] if per_send else ["zero", "infinite"]:
        found = [readable(found_outcome(seed, execution))
                 for execution in run.report["executions"] if execution["buffering"] == buffering]
        outcomes = expected[buffering]
        if per_send:
            found, outcomes = set(found), set(outcomes)
        expected_times, found_times = map(collections.Counter, (outcomes, found))
        check(expected_times == found_times,
              "seed %d, %s buffering: %d of %d outcomes\nmissing:\n  %s\ninvented or twice:\n  %s"
              % (seed, buffering, len(found), len(outcomes),
                 "\n  ".join(sorted(expected_times - found_times)),
                 "\n  ".join(sorted(found_times - expected_times))))
    return run.report["wasted"]


def body(tool, options):
    outcomes = wasted = 0
    for seed in range(options.seed, options.seed + options.programs):
        found, dropped = compare(tool, seed)
        outcomes += found
        wasted += dropped
    print("%d random programs from seed %d: %d outcomes, %d runs wasted"
          % (options.programs, options.seed, outcomes, wasted))


def add_options(parser):
    parser.add_argument("--programs", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)


if __name__ == "__main__":
    harness.main(sys.modules[__name__].__doc__, body, add_options)
