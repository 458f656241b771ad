"""Checks headers: the comment at their top, and the include guard. Checks the error domain that a
file reports."""

import os
import re

from source_tree import line_of


def check_headers(tree):
    for file in tree.files:
        if not file.name.endswith(".h"):
            continue
        if not file.text.startswith("/*"):
            tree.problem(file.name, 1, "a header opens with its contract, in a comment")
        guard = "MATCHPOINT_" + re.sub(r"\W", "_", file.name.upper())
        if file.folder != "tests" \
                and "#ifndef %s\n#define %s\n" % (guard, guard) not in file.text:
            tree.problem(file.name, 1, "the include guard should be %s" % guard)


def check_error_domains(tree):
    """An error has the domain of the module that reports it; a header of its room declares the
    domain."""
    for file in tree.of_product():
        for match in re.finditer(
                r"\bg_set_error(?:_literal)?\s*\([^;]*?\b((?!G_)[A-Z_]+_ERROR),", file.code):
            own = "#define %s (" % match.group(1)
            headers = [other for other in tree.files
                       if other.room == file.room and other.name.endswith(".h")]
            if not any(own in header.text for header in headers):
                tree.problem(file.name, line_of(file.code, match.start()),
                             "%s is the domain of another folder" % match.group(1))
