"""Tests what measure_prose.py counts, and that each of its limits can be exceeded."""

import os
import subprocess
import sys
import tempfile
import unittest

import measure_prose
from measure_prose import MEDIAN, NINETIETH, sentences

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "measure_prose.py")


def prose(*counts):
    """A paragraph for each count, with a sentence of that many words."""
    return "".join("A%s.\n\n" % (" w" * (count - 1)) for count in counts)


class Sentences(unittest.TestCase):
    def test_end_at_full_stops(self):
        self.assertEqual(sentences("One two. Three four five!\nSix?\n"), [2, 3, 1])

    def test_go_on_in_the_next_line(self):
        self.assertEqual(sentences("One two\nthree.\n\nFour\n"), [3, 1])

    def test_numbers_and_abbreviations_end_none(self):
        self.assertEqual(sentences("MPI 4.0 and e.g. Debian 12 do.\n"), [7])

    def test_list_items_are_their_own(self):
        self.assertEqual(sentences("Two kinds:\n- one\n  more\n- two. Three four\n1. five\n"),
                         [2, 2, 1, 2, 1])

    def test_headings_tables_code_and_comments_do_not_count(self):
        self.assertEqual(sentences("# A b c\n\n| a | b |\n| --- | --- |\n\n```sh\n$ d e f\n```\n"
                                   "<!-- g h\ni -->\n<img src='j'>\n\nk l\n"), [2])

    def test_code_spans_and_links_are_what_is_read(self):
        self.assertEqual(sentences("Call `a b. C d` of [this page](http://x.y/z?a=b c).\n"), [5])
        self.assertEqual(sentences("See [this page][1].\n\n[1]: http://x.y/z\n"), [3])

    def test_a_sentence_may_begin_with_code(self):
        self.assertEqual(sentences("It runs. `a b` ends.\n"), [2, 2])

    def test_ninetieth(self):
        self.assertEqual(measure_prose.ninetieth(list(range(1, 11))), 9)
        self.assertEqual(measure_prose.ninetieth([7]), 7)


class Check(unittest.TestCase):
    def run_check(self, files, *options):
        with tempfile.TemporaryDirectory() as directory:
            for name, text in files.items():
                path = os.path.join(directory, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            done = subprocess.run([sys.executable, SCRIPT, "--root", directory, *options],
                                  capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    def passes(self, files):
        status, output = self.run_check(files, "--check")
        self.assertEqual(status, 0, output)

    def fails(self, files, problem):
        status, output = self.run_check(files, "--check")
        self.assertEqual(status, 1, output)
        self.assertIn(problem, output)
        self.assertTrue(output.endswith(", 1 problems\n"), output)

    def test_nothing_fails_without_the_option(self):
        self.assertEqual(self.run_check({"README.md": "\n" * 999})[0], 0)

    def test_lines(self):
        self.passes({"README.md": "\n" * 150, "docs/a/b.md": "\n" * 200})
        self.fails({"README.md": "\n" * 151}, "README.md:1: 151 lines; 150 at most")
        self.fails({"docs/a/b.md": "\n" * 201}, "docs/a/b.md:1: 201 lines; 200 at most")
        self.passes({"notes.md": "\n" * 999})

    def test_words(self):
        row = "| a%s |\n" % (" b" * 49)
        self.passes({"README.md": row * 36})
        self.fails({"README.md": row * 37}, "README.md:1: 1850 words; 1800 at most")

    def test_bytes(self):
        self.passes({"CHANGELOG.md": ("x" * 99 + "\n") * 80})
        self.fails({"CHANGELOG.md": ("x" * 99 + "\n") * 82}, "8200 bytes; 8192 at most")

    def test_columns(self):
        self.passes({"docs/a.md": "```\n%s\n```\n[a](%s)\n" % ("x" * 121, "y" * 121)})
        self.fails({"docs/a.md": "\n%s\n" % ("x" * 121)}, "docs/a.md:2: longer than 120 columns")

    def test_median(self):
        self.passes({"README.md": prose(MEDIAN, MEDIAN, MEDIAN + 1)})
        self.fails({"README.md": prose(MEDIAN, MEDIAN + 1, MEDIAN + 1)}, "the median of words")

    def test_ninetieth_percentile(self):
        self.passes({"docs/a.md": prose(*[9] * 9, NINETIETH + 1)})
        self.fails({"docs/a.md": prose(*[9] * 8, *[NINETIETH + 1] * 2)}, "the 90th percentile")

    def test_documents_of_a_group_are_measured_together(self):
        self.passes({"README.md": prose(*[9] * 18), "docs/a.md": prose(*[NINETIETH + 1] * 2)})
        self.fails({"ARCHITECTURE.md": prose(*[9] * 8, *[NINETIETH + 1] * 2),
                    "README.md": prose(*[9] * 18)}, "ARCHITECTURE.md: the 90th percentile")

    def test_files_that_are_named_alone(self):
        with tempfile.NamedTemporaryFile("w", suffix=".md") as file:
            file.write(prose(40))
            file.flush()
            status, output = self.run_check({"README.md": prose(9)}, "--check", file.name)
        self.assertEqual(status, 1)
        self.assertNotIn("README.md", output)


if __name__ == "__main__":
    unittest.main()
