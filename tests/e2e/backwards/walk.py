"""gdb -batch -x walk.py: a random walk, each stop compared with the run that was single-stepped
from start to end. Environment: TRUTH (serve.c), PORT, SEED, MOVES. The last line says how it
went."""

import os
import random
import re
import struct

import gdb

NUMBERS = 20  # of a state, as in serve.c
NAMES = "rax rbx rcx rdx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip".split()
RIP, MARKS, TOTAL, GRID = 16, 17, 18, 19
MOST_POINTS = 2
MOVES = ("reverse-stepi", "stepi", "reverse-stepi", "reverse-stepi 7", "stepi 5", "reverse-step",
         "reverse-next", "reverse-finish", "step", "next", "finish", "continue", "reverse-continue",
         "reverse-continue", "break", "watch", "delete")


def execute(command):
    return gdb.execute(command, to_string=True)


class Truth:
    """All states, in order."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        self.entry, self.resume, self.marks = struct.unpack("<3Q", data[:24])
        self.states = list(struct.iter_unpack("<%dQ" % NUMBERS, data[24:]))
        self.where = {}
        for index, state in enumerate(self.states):
            self.where.setdefault(state, []).append(index)
        self.last = len(self.states) - 1


class Walk:
    """The walker: where it is, by its index in the truth, and gdb's points."""

    def __init__(self, truth, chance):
        self.truth, self.chance = truth, chance
        self.points, self.watch = {}, None
        self.total, self.grid = (int(gdb.parse_and_eval("(long)&" + name))
                                 for name in ("total", "grid"))
        self.at = self.indices()

    def word(self, address):
        memory = gdb.selected_inferior().read_memory(address, 8)
        return int.from_bytes(bytes(memory), "little")

    def indices(self):
        """Of the states that are equal to the present one."""
        frame = gdb.newest_frame()
        registers = [int(frame.read_register(name)) & (1 << 64) - 1 for name in NAMES]
        state = (*registers, self.word(self.truth.marks), self.word(self.total),
                 self.word(self.grid))
        found = self.truth.where.get(state, [])
        return found or self.tell_nearest(state)

    def tell_nearest(self, state):
        """Prints what is different from the state of the run that is most like this one."""
        like = max(self.truth.states, key=lambda other: sum(map(int.__eq__, state, other)))
        print("nearest: %d: %s" % (self.truth.states.index(like), ", ".join(
            "%s is %#x, not %#x" % (name, here, there) for name, here, there in zip(
                (*NAMES, "calls", "total", "grid"), state, like) if here != there)))
        return []

    def is_stop(self, index):
        return self.truth.states[index][RIP] in self.points.values()

    def changes(self, index):
        """Whether the instruction of this state changes what is watched."""
        states = self.truth.states
        return self.watch is not None and index < self.truth.last \
            and states[index][TOTAL] != states[index + 1][TOTAL]

    def back(self, limit):
        index = self.at[0]
        while index > 0 and limit > 0:
            index, limit = index - 1, limit - 1
            if self.changes(index) or self.is_stop(index):
                break
        return index

    def ahead(self, limit):
        index = self.at[0]
        while index < self.truth.last and limit > 0:
            index, limit = index + 1, limit - 1
            if self.changes(index - 1) or self.is_stop(index):
                break
        return index

    def expected(self, move):
        """The index where this move leads; None: only the direction is known."""
        steps = re.fullmatch(r"(reverse-)?stepi ?(\d*)", move)
        if steps:
            return (self.back if steps.group(1) else self.ahead)(int(steps.group(2) or 1))
        return {"continue": self.ahead, "reverse-continue": self.back}.get(
            move, lambda limit: None)(1 << 60)

    def set_point(self):
        address = self.chance.choice(self.truth.states)[RIP]
        if len(self.points) < MOST_POINTS and address not in (
                self.truth.entry, self.truth.resume, *self.points.values()):
            self.points[gdb.Breakpoint("*%#x" % address)] = address

    def delete_points(self):
        for point in [*self.points, *([self.watch] if self.watch else [])]:
            point.delete()
        self.points, self.watch = {}, None

    def do(self, move):
        """Returns what is wrong after it, or ""."""
        if move == "break":
            self.set_point()
            return ""
        if move == "watch":
            self.watch = self.watch or gdb.Breakpoint("*(long *)%#x" % self.total,
                                                      gdb.BP_WATCHPOINT, gdb.WP_WRITE)
            return ""
        if move == "delete":
            self.delete_points()
            return ""
        said, before = "", self.at
        try:
            execute(move)
        except gdb.error as error:
            said = str(error)
        after = self.indices()
        if not after:
            return "no state of the run %s" % said
        wrong = "" if len(before) > 1 or len(after) > 1 or said else self.compare(move, after[0])
        self.at = after
        return wrong

    def compare(self, move, index):
        expected, here = self.expected(move), self.at[0]
        if expected is not None:
            return "" if index == expected else "%d, not %d" % (index, expected)
        if move.startswith("reverse"):
            return "" if index < here or here == 0 else "not back: %d" % index
        return "" if index > here or here == self.truth.last else "not on: %d" % index


def main():
    for command in ("set pagination off", "set confirm off", "set remotetimeout 60",
                    "set sysroot /", "set width 0",
                    "target remote 127.0.0.1:" + os.environ["PORT"]):
        execute(command)
    chance = random.Random(int(os.environ["SEED"]))
    walk = Walk(Truth(os.environ["TRUTH"]), chance)
    moves, wrong = int(os.environ["MOVES"]), 0
    print("%d states" % len(walk.truth.states))
    walk.points[gdb.Breakpoint("*%#x" % walk.truth.states[walk.truth.last // 2][RIP])] = \
        walk.truth.states[walk.truth.last // 2][RIP]
    execute("continue")
    walk.at = walk.indices()
    for number in range(moves):
        move, before = chance.choice(MOVES), walk.at
        problem = walk.do(move)
        if problem:
            wrong += 1
            print("WRONG: move %d, %s from %s: %s (points %s, watch %s)" % (
                number, move, before, problem, [hex(a) for a in walk.points.values()],
                walk.watch is not None))
    print("%d moves, %d wrong" % (moves, wrong))


main()
