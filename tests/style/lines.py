"""Checks single lines and words: width, blanks, bool, banned words."""

import re

from rules import BANNED, NOT_BANNED
from source_tree import line_of

COLUMNS = 100

# The type of truth values is bool; gboolean only where GLib takes its address or calls back.
GBOOLEAN_FOR_GLIB = re.compile(r"gpointer|gconstpointer|\(gboolean\)|GVariant|GOption")


def check_lines(tree):
    for file in tree.files:
        if not file.text.endswith("\n") or file.text.endswith("\n\n"):
            tree.problem(file.name, len(file.lines), "a file ends with one newline")
        inside = False  # in a function, every line begins with a tab
        for number, line in enumerate(file.lines, 1):
            inside = line == "{" or (inside and not line.startswith("}"))
            if len(line.expandtabs(8)) > COLUMNS and "http" not in line:
                tree.problem(file.name, number, "longer than %d columns" % COLUMNS)
            if line != line.rstrip():
                tree.problem(file.name, number, "blanks at the end of the line")
            if file.is_c and inside and re.match(r" +[^ *]", line):
                tree.problem(file.name, number, "indented with blanks; use tabs")


def check_truth(tree):
    for file in filter(lambda file: file.is_c, tree.files):
        for number, line in enumerate(file.lines, 1):
            if re.search(r"\b(TRUE|FALSE)\b", line):
                tree.problem(file.name, number, "true, false")
            if re.search(r"\bgboolean\b", line) and not GBOOLEAN_FOR_GLIB.search(line):
                tree.problem(file.name, number,
                             "bool; or, if it is for GLib (GVariant, GOption), say so")


def check_banned(tree):
    for pattern, reason, folders in BANNED:
        for file in filter(lambda file: file.is_c, tree.files):
            if not file.name.startswith(tuple(folder + "/" for folder in folders)):
                continue
            if (file.name, pattern) in NOT_BANNED:
                continue
            for match in re.finditer(pattern, file.code):
                tree.problem(file.name, line_of(file.code, match.start()),
                             "%s: %s" % (match.group(0).strip(), reason))
