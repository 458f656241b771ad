"""The files that the checks examine, and the problems found."""

import os
import re

FOLDERS = ["common", "shim", "ckpt", "explorer", "scheduler", "reports", "tests", "examples",
           "packaging", "docs"]
PRODUCT = FOLDERS[:6]


def without_comments(text):
    """The same text with comments and strings blanked, lines kept."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group(0))
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', blank, text, flags=re.S)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


class File:
    """A source file. `name` is its path from the root, `room` its folder."""

    def __init__(self, root, name):
        self.path = os.path.join(root, name)
        self.name = name
        self.folder = name.split("/")[0]
        self.room = os.path.dirname(name)
        self.is_c = name.endswith((".c", ".h"))
        with open(self.path, encoding="utf-8") as file:
            self.text = file.read()
        self.lines = self.text.split("\n")
        self.code = without_comments(self.text) if self.is_c else self.text


class Tree:
    """All source files below a root, sorted by name; and the problems that were found."""

    def __init__(self, root):
        self.root = os.path.abspath(root)
        self.files = [File(self.root, name) for name in self.names()]
        self.problems = []

    def names(self):
        for folder in FOLDERS:
            for directory, _, names in sorted(os.walk(os.path.join(self.root, folder))):
                for name in sorted(names):
                    if name.endswith((".c", ".h", ".py", "CMakeLists.txt")):
                        yield os.path.relpath(os.path.join(directory, name), self.root)

    def of_product(self):
        return [file for file in self.files if file.is_c and file.folder in PRODUCT]

    def problem(self, name, line, text):
        self.problems.append("%s:%d: %s" % (name, line, text))
