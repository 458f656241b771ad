"""Measures the documents: words in a sentence, and lengths. Standard library only.

python3 measure_prose.py [--check] [--root DIR] [FILE...]

Prints for each document its lines and words, and the median and the 90th percentile of the words
in its sentences. Without FILE: all documents of the project, listed below. With --check the exit
status is 1 if a limit is exceeded.

Sentences: paragraphs and list items are split after . ! and ?. Headings, tables, code blocks and
HTML do not count. A code span is one word; a link is the words of its text. Limits for sentences
apply to all documents of a group together, so a single page may have a hard subject.

Lengths have two limits, because text in long lines has few lines. The limit in words is that of as
many lines of prose, if a third of them are code, headings or blank. Words in tables count."""

import argparse
import fnmatch
import os
import re
import statistics
import sys

MEDIAN = 16  # words in a sentence
NINETIETH = 28
COLUMNS = 120

USERS = "README.md and docs/"
# Pattern; group whose sentences are measured together (None: not prose); lines, words, bytes (0: no
# limit). The first matching pattern applies. The change log is a list, so its limit is in bytes.
DOCUMENTS = (
    # Generated from the tables of the program: no limits.
    ("docs/reference/*.md", USERS, 0, 0, 0),
    ("README.md", USERS, 150, 1800, 0),
    ("docs/*.md", USERS, 200, 2500, 0),  # * also matches folders
    ("ARCHITECTURE.md", "ARCHITECTURE.md", 250, 3000, 0),
    ("CONTRIBUTING.md", "CONTRIBUTING.md", 150, 1800, 0),
    ("CHANGELOG.md", None, 0, 0, 8192),
)

ABBREVIATIONS = re.compile(r"\b(e\.g|i\.e|cf|vs)\. ")
END_OF_SENTENCE = re.compile(r"(?<=[.!?])[\"')*_]*\s+(?=[\"'(*_\[]*[A-Z0-9])")
LIST_ITEM = re.compile(r"\s*([-*+]|\d+[.)])\s+")


def without_code_blocks(text):
    """The lines outside code blocks and HTML comments, numbered from 1."""
    fence, comment = None, False
    for number, line in enumerate(text.split("\n"), 1):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if fence:
            fence = None if mark and mark.group(1).startswith(fence) else fence
        elif mark:
            fence = mark.group(1)
        elif comment or line.startswith("<!--"):
            comment = "-->" not in line
        else:
            yield number, line


def blocks(text):
    """Paragraphs and list items, each as one line."""
    block = []
    for _, line in without_code_blocks(text):
        line = re.sub(r"^\s*>\s?", "", line)
        item = LIST_ITEM.match(line)
        is_other = re.match(r"\s*(#|\||<|\[[^]]+\]: |---+$|===+$)", line)
        if item or is_other or not line.strip():
            yield " ".join(block)
            block = [] if is_other or not line.strip() else [line[item.end():]]
        else:
            block.append(line.strip())
    yield " ".join(block)


def plain(text):
    """The words as they are read: links and images without their addresses, a code span as one
    word."""
    text = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "Code", text)
    text = re.sub(r"!?\[([^]]*)\](\([^)]*\)|\[[^]]*\])", r"\1", text)
    text = re.sub(r"<[^>]*>", " ", text)
    return ABBREVIATIONS.sub(r"\1 ", text)


def words(text):
    return [word for word in plain(text).split() if re.search(r"\w", word)]


def sentences(text):
    """The number of words in each sentence."""
    counts = (len(words(sentence)) for block in blocks(text)
              for sentence in END_OF_SENTENCE.split(plain(block)))
    return [count for count in counts if count > 0]


def ninetieth(counts):
    """The smallest number that at least nine tenths do not exceed."""
    return sorted(counts)[-(-len(counts) * 9 // 10) - 1]


class Document:
    def __init__(self, root, name, limits):
        self.name = name
        _, self.group, self.most_lines, self.most_words, self.most_bytes = limits
        with open(os.path.join(root, name), encoding="utf-8") as file:
            self.text = file.read()
        self.lines = self.text.count("\n")
        self.words = sum(len(words(line)) for _, line in without_code_blocks(self.text))
        self.bytes = len(self.text.encode())
        self.sentences = sentences(self.text)

    def problems(self):
        for what, count, most in (("lines", self.lines, self.most_lines),
                                  ("words", self.words, self.most_words),
                                  ("bytes", self.bytes, self.most_bytes)):
            if 0 < most < count:
                yield "%s:1: %d %s; %d at most" % (self.name, count, what, most)
        for number, line in without_code_blocks(self.text):
            is_row = line.startswith("| ") and self.name.startswith("docs/reference/")
            if len(line) > COLUMNS and not is_row and "](" not in line and "http" not in line:
                yield "%s:%d: longer than %d columns" % (self.name, number, COLUMNS)


def limits_of(name):
    return next((limits for limits in DOCUMENTS if fnmatch.fnmatchcase(name, limits[0])), None)


def find(root):
    """All documents with limits."""
    names = [os.path.relpath(os.path.join(directory, name), root)
             for directory in (root, *(path for path, _, _ in os.walk(os.path.join(root, "docs"))))
             for name in sorted(os.listdir(directory)) if name.endswith(".md")]
    return [name for name in names if limits_of(name)]


def groups(documents):
    """{group: words in each of its sentences}"""
    found = {}
    for document in documents:
        if document.group:
            found.setdefault(document.group, []).extend(document.sentences)
    return {group: counts for group, counts in found.items() if counts}


def group_problems(group, counts):
    for what, value, most in (("median", statistics.median(counts), MEDIAN),
                              ("90th percentile", ninetieth(counts), NINETIETH)):
        if value > most:
            yield "%s: the %s of words in a sentence is %g; %d at most" % (group, what, value, most)


def print_row(name, lines, count, counts):
    print("%-36s %6s %6s %10s %7s %5s" % (
        name, lines, count, len(counts) or "",
        "%g" % statistics.median(counts) if counts else "", ninetieth(counts) if counts else ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="fail if a limit is exceeded")
    parser.add_argument("--root", default=os.path.join(
        os.path.dirname(os.path.abspath(__file__)), "../.."), help="of the project")
    parser.add_argument("files", nargs="*", metavar="FILE")
    options = parser.parse_args()
    root = os.path.abspath(options.root)
    names = [os.path.relpath(name, root) for name in options.files] or find(root)
    documents = [Document(root, name, limits_of(name) or ("", name, 0, 0, 0)) for name in names]
    print("%-36s %6s %6s %10s %7s %5s" % ("document", "lines", "words", "sentences", "median",
                                          "90 %"))
    for document in documents:
        print_row(document.name, document.lines, document.words,
                  document.sentences if document.group else [])
    for group, counts in groups(documents).items():
        print_row("together: " + group, "", "", counts)
    if not options.check:
        return
    problems = [problem for document in documents for problem in document.problems()]
    for group, counts in groups(documents).items():
        problems += group_problems(group, counts)
    for problem in problems:
        print(problem)
    print("%d documents, %d problems" % (len(documents), len(problems)))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
