"""Random consensus by rounds of polls in which all ranks meet, by collectives or messages: as many
interleavings as a model counts that knows nothing of matchpoint, in each order; left-over messages
are found. Optimised code may leave values in registers, so that more rounds differ; so nothing is
optimised there. Consensus that is never reached is a livelock. A program that counts its rounds, or
has a rank whose flag is under way while others poll, is not explored as a whole, and says so. By
hand: `--programs 100`."""

import functools
import itertools
import math
import random

import harness
from harness import check, told

SYNCHRONISING = ("allreduce", "reduce_scatter", "allgather", "alltoall", "iallreduce")
MEETINGS = SYNCHRONISING + ("reduce", "gather", "scan", "master", "any_master", "ring", "others",
                            "persistent")
ORDERS_MOST = 100  # of a program that is explored



class Model:
    """All orders of answers. A state: the sends that were received, and those known to be
    complete. `early`: sends are complete at once."""

    def __init__(self, spec, early, meeting=None):
        ranks = [one.split(":") for one in spec.split(",")]
        self.polls = [polls for _, polls in ranks]
        self.sends = [(rank, int(to)) for rank, (all_to, _) in enumerate(ranks) for to in all_to]
        self.early = early
        # the flags come to a master in any order
        self.ways = math.factorial(len(ranks) - 1) if meeting == "any_master" else 1

    def messages(self, received, rank, source):
        """The first of each source that the rank can receive."""
        found = {}
        for number, (sender, to) in enumerate(self.sends):
            if to == rank and number not in received and source in (None, sender):
                found.setdefault(sender, number)
        return found.values()

    def look(self, state, rank, source):
        received, known = state
        return [("no", state)] + [(number, (received | {number}, known))
                                  for number in self.messages(received, rank, source)]

    def test(self, state, rank, how):
        received, known = state
        pending = [number for number, (sender, _) in enumerate(self.sends)
                   if sender == rank and number not in known]
        ready = [number for number in pending if self.early or number in received]
        if how == "A":
            sets = [pending] if len(ready) == len(pending) else []
        elif how == "N":
            sets = [[number] for number in ready]
        else:  # T: one after another, each ready one or not
            sets = [some for count in range(1, len(ready) + 1)
                    for some in itertools.combinations(ready, count)]
        return [("no", state)] + [(tuple(some), (received, known | set(some))) for some in sets
                                  if some]

    def answers(self, state, rank, how):
        """How the poll can be answered, and the state then."""
        if how in "TANS":
            return self.test(state, rank, how)
        return self.look(state, rank, None if how in "PM" else int(how))

    def round(self, state):
        """What the ranks can be answered in a round, whoever comes first, and the state then."""
        begin = (tuple(() for _ in self.polls), state)
        seen, waiting, ends = {begin}, [begin], set()
        while waiting:
            made, now = waiting.pop()
            at = [rank for rank, polls in enumerate(self.polls) if len(made[rank]) < len(polls)]
            if not at:
                ends.add((made, now))
            for rank in at:
                for answer, after in self.answers(now, rank, self.polls[rank][len(made[rank])]):
                    there = (made[:rank] + (made[rank] + (answer,),) + made[rank + 1:], after)
                    if there not in seen:
                        seen.add(there)
                        waiting.append(there)
        return ends

    def count(self, first_differs):
        """Of orders in which no round changes nothing, and of those with a message left over.
        `first_differs`: a first round changes something, of what the program computes."""

        @functools.lru_cache(None)
        def orders(state, is_first):
            total = left = 0
            for _, after in self.round(state):
                received, known = after
                if len(known) == len(self.sends):
                    total, left = total + 1, left + (len(received) < len(self.sends))
                elif after != state or is_first:
                    more = orders(after, False)
                    total, left = total + more[0], left + more[1]
            return total * self.ways, left * self.ways

        return orders((frozenset(), frozenset()), first_differs)

    def may_leave(self):
        return self.count(True)[1] > 0


def draw_spec(random_source, meeting):
    """A program in which each rank receives all that it is sent."""
    ranks = random_source.choice((2, 2, 3))
    to = [[other for other in range(ranks) if other != rank and random_source.random() < 0.6]
          for rank in range(ranks)]
    if random_source.random() < 0.3:
        to[0] += to[0][:1]  # twice to the same rank
    spec = []
    for rank in range(ranks):
        polls = [random_source.choice("PM")]
        if random_source.random() < 0.3:
            polls = [str(other) for other in range(ranks) if rank in to[other]] or polls
        if to[rank]:
            polls.append(random_source.choice("TANS"))
        random_source.shuffle(polls)
        is_sent = any(rank in some for some in to)
        if meeting in SYNCHRONISING and not is_sent and not to[rank] and rank > 0:
            polls = []  # it only takes part in the meetings
        spec.append("%s:%s" % ("".join(map(str, to[rank])), "".join(polls)))
    return ",".join(spec)


def explore(tool, program, spec, meeting, *options):
    return tool.run("explore", "-n", str(spec.count(",") + 1), *options, program, meeting, spec,
                    report=True)


def check_counts(tool, program, spec, meeting, early):
    """Sends are complete early only with infinite buffering, in the wrong program."""
    model = Model(spec, early, meeting)
    counts = [model.count(differs) for differs in (True, False)]
    options = ("--buffering", "infinite" if early else "zero")
    run = explore(tool, program, spec, meeting, *options)
    told_of = "%s by %s, %s: %s expected\n%s" % (spec, meeting, options[1], counts, run)
    check(run.report["complete"] and run.status == model.may_leave(), told_of)
    check(run.report["interleavings"] in [every for every, _ in counts], told_of)
    check([one["kind"] for one in run.report["findings"]] == ["leak"] * model.may_leave(),
          told_of)
    return run


def check_orders(tool, program, spec, meeting, run):
    """Where states are looked at, the first round may differ though else it does not."""
    for options in (("--order", "deviations"), ("-j", "2")):
        other = explore(tool, program, spec, meeting, "--buffering", "infinite", *options)
        check(told(other.report) == told(run.report), "%s\n%s" % (run, other))
    explore(tool, program, spec, meeting, "--buffering", "infinite", "--max-interleavings", "3")
    resumed = explore(tool, program, spec, meeting, "--buffering", "infinite", "--resume")
    check(told(resumed.report) == told(run.report), "%s\n%s" % (run, resumed))
    check_search(tool, program, spec, meeting, "auto")


def check_search(tool, program, spec, meeting, search):
    run = explore(tool, program, spec, meeting, "--buffering", "infinite", "--search", search)
    kinds = [one["kind"] for one in run.report["findings"]]
    check(run.report["complete"] and kinds == ["leak"] * Model(spec, True).may_leave(), run)


def check_limited(tool, program, spec, meeting):
    run = explore(tool, program, spec, meeting)
    left = [limit["limit"] for limit in run.report["not_explored"]]
    check(run.status == 3 and "polls" in left, run)


def check_endless(tool, program, spec, meeting):
    """A message that nobody looks for: no round leads to the end."""
    for options in ((), ("--search", "states"), ("--backtrack", "rerun")):
        run = explore(tool, program, spec, meeting, *options)
        kinds = [one["kind"] for one in run.report["findings"]]
        check(run.status == 1 and kinds == ["livelock"], run)
        check("proven" in run.report["findings"][0]["message"], run)


def draw_programs(options):
    for number in range(options.seed, options.seed + options.programs):
        random_source = random.Random(number)
        meeting = MEETINGS[number % len(MEETINGS)]
        spec = draw_spec(random_source, meeting)
        while not 2 < Model(spec, True, meeting).count(True)[0] <= ORDERS_MOST:
            spec = draw_spec(random_source, meeting)
        yield spec, meeting


def body(tool, options):
    source, interleavings = harness.program("meeting_rounds.c"), 0
    programs = list(draw_programs(options))
    check_limited(tool, tool.compile(source, "-O0", "-DCOUNTS"), "1:PT,:P", "allreduce")
    right = tool.compile(source, "-O0")
    check_limited(tool, right, "1:PT,:P,:", "master")
    check_endless(tool, right, "1:PT,:", "allreduce")
    for meeting in ("reduce", "ring", "persistent"):
        check_endless(tool, right, "1:PT,:1", meeting)
    for spec, meeting in programs:
        run = check_counts(tool, right, spec, meeting, False)
        interleavings += run.report["interleavings"]
    wrong = tool.compile(source, "-O0", "-DBUG")
    check_search(tool, wrong, "1:PT,:P", "allreduce", "states")
    for number, (spec, meeting) in enumerate(programs):
        run = check_counts(tool, wrong, spec, meeting, True)
        interleavings += run.report["interleavings"]
        if number % 4 == 0:
            check_orders(tool, wrong, spec, meeting, run)
    print("%d random programs from seed %d: %d interleavings, as many as there are"
          % (options.programs, options.seed, interleavings))


def add_options(parser):
    parser.add_argument("--programs", type=int, default=13)
    parser.add_argument("--seed", type=int, default=1)


if __name__ == "__main__":
    harness.main(__doc__, body, add_options)
