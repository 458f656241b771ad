"""Tests of scheduler/debug/show_pickle.py. Standard library only."""

import ast
import collections
import datetime
import fractions
import os
import pickle
import random
import subprocess
import sys
import time
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                      "../../scheduler/debug/show_pickle.py")
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(SCRIPT))

import show_pickle  # noqa: E402

MOST = 1000
OPCODES = (b"(.0122FINJKMLRSTUVXabcdegrhijlqopstu})]\x80\x81\x85\x86\x87\x88"
           b"\x8a\x8c\x8f\x90\x91\x92\x93\x94\x95\x96\x97\x98")


def shown(data, most=MOST, cut=False):
    return show_pickle.show(data, most, cut)


def some_value(source, depth=0):
    """One of the values that Python writes as a literal."""
    kinds = [lambda: source.choice([None, True, False]), lambda: source.randrange(-9, 9),
             lambda: source.randrange(-1 << 63, 1 << 63), lambda: source.uniform(-1e9, 1e9),
             lambda: "".join(source.choice("ab'\"\\\n\t\0\x7fé\u20ac\U0001f600")
                             for _ in range(source.randrange(9))),
             lambda: bytes(source.randrange(256) for _ in range(source.randrange(9)))]
    parts = [some_value(source, depth + 1) for _ in range(source.randrange(6))] if depth < 4 else []
    kinds += [lambda: parts, lambda: tuple(parts), lambda: {i: v for i, v in enumerate(parts)},
              lambda: {"k%d" % i: v for i, v in enumerate(parts)}] * (depth < 4)
    return source.choice(kinds)()


class Thing:
    """An object that has attributes."""

    def __init__(self, numbers):
        self.numbers = numbers


class Shown(unittest.TestCase):
    def test_what_python_writes(self):
        """Made by Python 3.11: pickle.dumps(value, protocol)."""
        for data, text in (
                (b"\x80\x05N.", "None"),
                (b"\x80\x04\x95\x17\0\0\0\0\0\0\0}\x94(\x8c\x04step\x94K\x03\x8c\x01x\x94G?"
                 b"\xe0\0\0\0\0\0\0u.", "{'step': 3, 'x': 0.5}"),
                (b"\x80\x05\x95\x0d\0\0\0\0\0\0\0]\x94(K\x01J\xfe\xff\xff\xff\x88\x89e.",
                 "[1, -2, True, False]"),
                (b"(lp0\nI1\naI2\na.", "[1, 2]"),
                (b"\x80\x02X\x02\0\0\0hiq\0.", "'hi'"),
                (b"\x80\x03C\x03a\x00'q\0.", "b'a\\x00\\''"),
                (b"\x80\x05K\x01\x85\x94.", "(1,)"),
                (b"\x80\x05)\x94.", "()"),
                (b"\x80\x05\x8f\x94(K\x01K\x02\x90.", "{1, 2}"),
                (b"\x80\x05\x8f\x94.", "set()"),
                (b"\x80\x05\x8a\x09\0\0\0\0\0\0\0\0\x01.", "0x010000000000000000"),
                (b"\x80\x05\x8a\x02\x00\x80.", "-32768")):
            self.assertEqual(shown(data), text)

    def test_every_literal_is_itself(self):
        source = random.Random(1)
        for _ in range(150):
            value = some_value(source)
            for protocol in range(3, pickle.HIGHEST_PROTOCOL + 1):
                text = shown(pickle.dumps(value, protocol), 1 << 20)
                self.assertEqual(ast.literal_eval(text), value, text)

    def test_objects(self):
        for value, text in (
                (frozenset([1]), "frozenset({1})"), (bytearray(b"ab"), "bytearray(b'ab')"),
                (1 << 200, "0x0100000000000000000000000000000000"[:34] + "..."),
                (-(1 << 64), "0xff0000000000000000"),
                (datetime.date(2020, 1, 2), "datetime.date(b'\\x07\\xe4\\x01\\x02')"),
                (fractions.Fraction(1, 2), "fractions.Fraction(1, 2)"),
                (collections.deque([1, 2]), "collections.deque(1, 2)"),
                (collections.OrderedDict(a=1), "collections.OrderedDict('a', 1)"),
                (Thing([1, 2]), "test.Thing({'numbers': [1, 2]})"),
                ([len, int, Thing], "[len, int, test.Thing]")):
            self.assertEqual(shown(pickle.dumps(value, 5)).replace(__name__ + ".", "test."), text)

    def test_nothing_of_it_reaches_the_terminal(self):
        for data in (b"c\x1b[31mred\nname\n.", b"\x80\x05\x8c\x08\x1b[31mred.", b"P\x1b[31m\n.",
                     pickle.dumps("\x1b\r\b\x9b\u202e\ud800", 5)):
            self.assertTrue(shown(data))
            self.assertTrue(shown(data).isprintable(), shown(data))

    def test_nothing_is_carried_out(self):
        """os.system("rm"), as an attacker writes it. Python's audit hooks report what it does."""
        events = []
        reading = [True]
        sys.addaudithook(lambda event, _: events.append(event) if reading[0] else None)
        for data, text in (
                (b"cos\nsystem\n(S'rm'\ntR.", "os.system('rm')"),
                (b"(S'rm'\nios\nsystem\n.", "os.system('rm')"),
                (b"(cos\nsystem\nS'rm'\no.", "os.system('rm')"),
                (b"\x80\x04\x8c\x05posix\x94\x8c\x06system\x94\x93\x94\x8c\x02rm\x94\x85\x94R\x94.",
                 "posix.system('rm')"),
                (b"\x80\x04\x8c\x06antigr\x8c\x01x\x93.", "antigr.x")):
            self.assertEqual(shown(data), text)
        reading[0] = False
        self.assertEqual(events, [])

    def test_what_is_none_is_refused(self):
        for data in (b"", b".", b"..", b"\x80\x05N", b"\x80\x05N.N.", b"\x80\x09N.",
                     b"\x80\x05K\x01K\x02.", b"\x80\x05e.", b"\x80\x05a.", b"\x80\x05(.",
                     b"\x80\x05(a.", b"\x80\x05h\x07.", b"\x80\x05K\x01K\x02a.",
                     b"\x80\x05\x8d\xff\xff\xff\xff\xff\xff\xff\xff.", b"\x80\x05(K\x01(K\x02e.",
                     b"\x80\x05K\x01K\x02\x93.", b"\x80\x05\xff.", b"\x80\x05\x8c\x01\xff."):
            self.assertEqual(shown(data), "", data)


class Cut(unittest.TestCase):
    """The bytes are only the beginning."""

    def test_what_is_known_is_shown(self):
        """Shows what is known up to the end of these bytes."""
        for value, last, text in (
                ({"step": 3, "x": list(range(100))}, b"K\x02", "{'step': 3, 'x': [0, 1, 2, ..."),
                ({"step": 3, "x": 4}, b"x\x94", "{'step': 3, 'x': ..."),
                ([1, "a long text", 2], b"a lon", "[1, 'a lon'..."),
                ([1, "\u20ac\u20ac"], b"\xe2\x82\xac\xe2", "[1, '\u20ac'..."),
                ({"only": {"k": [[1, 2], [3, 4]]}}, b"K\x03", "{'only': {'k': [[1, 2], [3, ..."),
                ([[[Thing(1)]]], b"numbers", "[[[test.Thing({'numbers': ..."),
                ((1, b"bytes", 2), b"byt", "(1, b'byt'..."),
                ((1, 2, 3, 4, 5), b"K\x03", "(1, 2, 3, ..."),
                (Thing({"a": 1, "b": 2}), b"K\x01", "test.Thing({'numbers': {'a': 1, ..."),
                (fractions.Fraction(1, 2), b"Fraction\x94\x93\x94", "fractions.Fraction(..."),
                ([1, 2], b"K\x02e", "[1, 2]...")):
            data = pickle.dumps(value, 5)
            data = data[:data.index(last) + len(last)]
            self.assertEqual(shown(data, cut=True).replace(__name__ + ".", "test."), text)

    def test_anywhere(self):
        """The result is text and ends with dots, wherever the bytes end."""
        source = random.Random(2)
        for _ in range(60):
            value = [some_value(source), Thing(some_value(source)), {source.random()}]
            for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
                data = pickle.dumps(value, protocol)
                for length in source.sample(range(len(data)), min(20, len(data))):
                    self.assertTrue(shown(data[:length], cut=True).endswith("..."))
                    self.assertEqual(shown(data[:length]), "")

    def test_what_is_none_is_refused(self):
        for data in (b"\x80\x05N.", b"\x80\x05N.more", b"\x80\x05\xff", b"\x80\x05K\x01a",
                     b"\x80\x09", b"\x80\x05\x8c\x02\xff\xff", b"\x80\x05h\x07"):
            self.assertEqual(shown(data, cut=True), "", data)


class Bounded(unittest.TestCase):
    def test_in_itself(self):
        self.assertEqual(shown(b"\x80\x05]\x94h\0a."), "[...]")

    def test_deep(self):
        text = shown(b"\x80\x05" + b"]" * 20000 + b"a" * 19999 + b".", 1 << 20)
        self.assertEqual(text, "[" * 51 + "..." + "]" * 51)
        text = shown(b"\x80\x05" + b"]" * 20000, 1 << 20, True)
        self.assertTrue(text.startswith("[[["), text)

    def test_the_same_many_times_over(self):
        """2 to the power of 60 lists."""
        data = b"\x80\x05(]\x94" + b"".join(
            b"]\x94(h%ch%ce" % (i, i) for i in range(59)) + b"t."
        text = shown(data)
        self.assertTrue(text.startswith("([]") and MOST < len(text) < MOST + 100, text)

    def test_long(self):
        """Only as much is read as is wanted."""
        for value in (list(range(20000)), "x" * 60000, {"a": [b"y" * 60000]}, [[]] * 20000):
            data = pickle.dumps(value, 5)
            begin = time.process_time()
            for _ in range(20):
                text = shown(data, 80)
            self.assertTrue(time.process_time() - begin < 2, "it takes long")
            self.assertEqual(len(text), 83)
            self.assertTrue(text.endswith("..."))
        self.assertEqual(len(shown(pickle.dumps("\u20ac" * 60000, 5), 80).encode()), 82)

    def test_garbage(self):
        source = random.Random(3)
        found = 0
        for _ in range(6000):
            data = bytes(source.randrange(4) if source.randrange(4) == 0 else
                         source.choice(OPCODES) for _ in range(source.randrange(1, 63))) + b"."
            text = shown(data, 100, source.random() < 0.5)
            found += text != ""
            self.assertTrue(len(text) <= 103 and text.isprintable(), text)
        self.assertTrue(found > 5, "nothing was seen of so few pickles: %d" % found)


class Served(unittest.TestCase):
    """As matchpoint runs it."""

    def setUp(self):
        self.server = subprocess.Popen([sys.executable, "-I", "-S", "-B", SCRIPT],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def tearDown(self):
        self.server.stdin.close()
        self.assertEqual(self.server.wait(60), 0)
        self.server.stdout.close()

    def ask(self, data, most, cut):
        self.server.stdin.write(b"%d %d %d\n" % (len(data), most, cut) + data)
        self.server.stdin.flush()
        answer = b""
        while not answer.endswith(b"\0"):
            one = self.server.stdout.read(1)
            self.assertTrue(one, "it has ended")
            answer += one
        return answer[:-1].decode()

    def test_one_after_the_other(self):
        whole = pickle.dumps(["\0", "\u20ac\n"], 5)
        self.assertEqual(self.ask(whole, MOST, 0), "['\\x00', '\u20ac\\n']")
        self.assertEqual(self.ask(whole[:-1], MOST, 0), "")
        self.assertEqual(self.ask(whole[:-1], MOST, 1), "['\\x00', '\u20ac\\n']...")
        self.assertEqual(self.ask(b"", MOST, 0), "")
        self.assertEqual(self.ask(b"\x80\x05]\n\x00\n", MOST, 0), "")
        self.assertEqual(self.ask(whole, 4, 0), "['\\x...")


if __name__ == "__main__":
    unittest.main()
