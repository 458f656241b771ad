"""Whether ARCHITECTURE.md and docs/internals say what is there. Standard library only.

    python3 check_glossary.py [ROOT]

- Every path, file, folder and identifier that they name exists, and so does what they link to.
- The rooms of scheduler/, with each module, and the folders of shim/ stand in ARCHITECTURE.md, in
  the order of rules.py; the folders of shim/ also in its README.
- The glossary is sorted, each of its terms is used, and no retired word is (retired_words.txt).
- No page is longer than its measure.

Prints file:line: what is wrong, and how it should be; exits with 1 if there was anything."""

import glob
import os
import re
import sys

from rules import ROOMS, SHIM_SCRIPTS
from source_tree import without_comments

COLUMNS = 120
LINES = {"ARCHITECTURE.md": 250, "shim/README.md": 60, "docs/internals": 200}
DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "retired_words.txt")

EXTENSIONS = r"\.(?:c|h|py|js|css|html|txt|md|man|expect|mp)"
FILE_NAME = re.compile(r"(?<![\w./*-])[\w*][\w*-]*(?:/[\w*-]+)*" + EXTENSIONS + r"(?![\w-])")
# Made when matchpoint is built, or somebody else's.
GENERATED = {"mpi.h", "mpi_calls.h", "mpi_calls.c", "mpi_functions.h", "wrappers.c"}
PLACEHOLDER = re.compile(r"(?<![A-Za-z])[A-Z]{2,}(?![A-Za-z])")
# An identifier between backticks, alone, as a type or as a call.
SPAN = re.compile(r"(?:struct|enum) (\w+)|([A-Za-z]\w*_\w+)(?:\(.*\))?")


class Tree:
    """What there is to compare with: read once."""

    def __init__(self, root):
        self.root = root
        self.files = []
        for directory, folders, names in os.walk(root):
            folders[:] = sorted(name for name in folders if not name.startswith((".", "_"))
                                and not (directory == root and name.startswith("build")))
            self.files += [os.path.relpath(os.path.join(directory, name), root)
                           for name in sorted(names)]
        self.folders = {os.path.dirname(name) for name in self.files}
        self.texts = {}
        self.top = {name.split("/")[0] for name in self.files if "/" in name}

    def read(self, name):
        if name not in self.texts:
            with open(os.path.join(self.root, name), encoding="utf-8", errors="replace") as file:
                self.texts[name] = file.read()
        return self.texts[name]

    def sources(self):
        return [name for name in self.files
                if name.endswith((".c", ".h", ".py", ".js", ".txt"))
                and not name.startswith("docs/")]

    def code(self):
        return [name for name in self.files if name.endswith((".c", ".h"))]

    def documents(self):
        return [name for name in self.files if name.endswith(".md")]

    def pages(self):
        """Those that are for whoever changes matchpoint."""
        return [name for name in self.documents()
                if name in ("ARCHITECTURE.md", "shim/README.md")
                or name.startswith("docs/internals/")]

    def words(self):
        words = set()
        for name in self.sources():
            if name != "tests/style/retired_words.txt":
                words.update(re.findall(r"\w+", self.read(name)))
        return words

    def has(self, name):
        """Whether a path from the top (a glob, too), or the bare name of a file, leads anywhere."""
        for wanted in {name, PLACEHOLDER.sub("*", name)}:
            if glob.glob(os.path.join(self.root, wanted)):
                return True
            pattern = re.compile(re.escape(wanted).replace(r"\*", r"[^/]*"))
            if any(pattern.fullmatch(os.path.basename(file)) for file in self.files):
                return True
        return False


def without_fences(text):
    """The same lines, those of code blocks empty."""
    inside, lines = False, []
    for line in text.split("\n"):
        fence = line.startswith("```")
        lines.append("" if inside or fence else line)
        inside ^= fence
    return lines


def is_path(token, tree):
    """Whether a word between backticks names a file or a folder of the project."""
    return not token.startswith(("/", "-")) and re.fullmatch(r"[\w.*/-]+", token) \
        and "/" in token and token.split("/")[0] in tree.top


def check_named(problems, tree, page, words):
    for number, line in enumerate(without_fences(tree.read(page)), 1):
        spans = re.findall(r"`([^`]+)`", line)
        plain = re.sub(r"`[^`]*`|\]\([^)]*\)", " ", line)
        names = set(FILE_NAME.findall(plain))
        for span in spans:
            names.update(FILE_NAME.findall(span))
            names.update(token for token in span.split() if is_path(token, tree))
            match = SPAN.fullmatch(span)
            word = match and re.sub("^PMPI_", "MPI_", match.group(1) or match.group(2))
            if word and word not in words:
                problems.add(page, number, "no source has %s" % word)
        for name in sorted(names):
            if name not in GENERATED and not tree.has(name):
                problems.add(page, number, "there is no %s" % name)


def heading_anchors(text):
    return {re.sub(r"[^\w -]", "", line.lstrip("#").strip().lower()).replace(" ", "-")
            for line in without_fences(text) if line.startswith("#")}


def check_links(problems, tree, page):
    for number, line in enumerate(without_fences(tree.read(page)), 1):
        for target in re.findall(r"\]\(([^)\s]+)\)", line):
            if "://" in target:
                continue
            path, _, anchor = target.partition("#")
            name = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            if name not in tree.files and name not in tree.folders:
                problems.add(page, number, "links to %s, which is not there" % target)
            elif anchor and anchor not in heading_anchors(tree.read(name)):
                problems.add(page, number, "%s has no heading #%s" % (name, anchor))


def check_measure(problems, tree, page):
    lines = tree.read(page).split("\n")[:-1]
    most = LINES.get(page, LINES["docs/internals"])
    if len(lines) > most:
        problems.add(page, len(lines), "longer than %d lines" % most)
    for number, line in enumerate(lines, 1):
        if len(line) > COLUMNS:
            problems.add(page, number, "longer than %d columns" % COLUMNS)


def section(text, heading):
    return text.partition("\n%s\n" % heading)[2].partition("\n## ")[0]


def table(text):
    """The rows of the first table, as lists of cells, without its head."""
    rows = []
    for line in text.split("\n"):
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
        elif rows:
            break
    return rows[2:]


def folders_of(cell):
    return {name.rstrip("/") for name in re.split(r",\s*", cell)}


def check_folders(problems, tree, text):
    named = set()
    for row in table(section(text, "## Rooms")):
        named |= folders_of(row[0])
    there = {name.split("/")[0] for name in tree.files
             if "/" in name and name.endswith((".c", ".h", ".py", ".cmake"))}
    for name in sorted(there ^ named):
        problems.add("ARCHITECTURE.md", 1,
                     "%s/ is in the table of folders alone, or not in it" % name)


def check_shim(problems, tree, page, heading, folders):
    """The folders stand in the table in their order."""
    rows = [folders_of(row[0]) for row in table(section(tree.read(page), heading))]
    there = {name.split("/")[1] for name in tree.files
             if name.startswith("shim/") and name.count("/") > 1}
    for name in sorted(there ^ set().union(*rows)):
        problems.add(page, 1, "shim/%s/ is in the table alone, or not in it" % name)
    if there == set().union(*rows) and rows != folders:
        problems.add(page, 1, "the folders of shim/ are, from above: %s" % "; ".join(
            ", ".join(sorted(row)) for row in folders))


def check_rooms(problems, tree, text, rooms):
    """The rooms stand in the table in their order; each with all its modules in the list below."""
    part = section(text, "### The rooms of scheduler/")
    rows = [folders_of(row[0]) for row in table(part)]
    if rows != rooms:
        order = "; ".join(", ".join(sorted(row)) for row in rooms)
        problems.add("ARCHITECTURE.md", 1, "the rooms of scheduler/ are, from above: %s" % order)
    listed, room = {}, None
    for line in part.partition("```\n")[2].partition("\n```")[0].split("\n"):
        words = line.split()
        if line[:1].strip():
            room = words.pop(0).rstrip("/")
        listed.setdefault(room, []).extend(words)
    for room in sorted(set().union(*rooms) | set(listed)):
        modules = {os.path.splitext(os.path.basename(name))[0] for name in tree.files
                   if os.path.dirname(name) == "scheduler/" + str(room)}
        covered = set()
        for name in listed.get(room, []):
            found = {module for module in modules
                     if module == name.rstrip("*")
                     or (name.endswith("*") and module.startswith(name[:-1] + "_"))}
            if not found:
                problems.add("ARCHITECTURE.md", 1, "scheduler/%s/ has no %s" % (room, name))
            covered |= found
        for module in sorted(modules - covered):
            problems.add("ARCHITECTURE.md", 1, "scheduler/%s/%s is in no list of modules"
                         % (room, module))


def check_terms(problems, tree, text):
    rows = table(section(text, "## Glossary"))
    terms = [row[0] for row in rows]
    if not terms:
        problems.add("ARCHITECTURE.md", 1, "there is no glossary")
    for before, term in zip(terms, terms[1:]):
        if before.lower() == term.lower():
            problems.add("ARCHITECTURE.md", 1, "the glossary has %s twice" % term)
        elif before.lower() > term.lower():
            problems.add("ARCHITECTURE.md", 1,
                         "%s comes before %s in the glossary" % (term, before))
    used = "\n".join(tree.read(name) for name in tree.code() + tree.pages()
                     if name != "ARCHITECTURE.md")
    for row in rows:
        if len(row) != 3 or not all(row):
            problems.add("ARCHITECTURE.md", 1,
                         "a row of the glossary is: term, meaning, in the code")
        pattern = r"[\s_-]+".join(re.escape(word) for word in re.split(r"[\s-]", row[0]))
        if not re.search(r"(?<![a-z])" + pattern, used, flags=re.I):
            problems.add("ARCHITECTURE.md", 1, "nobody but the glossary speaks of a %s" % row[0])


def retired_words(path):
    """kind ("module", "jargon"), word and what is said instead."""
    with open(path, encoding="utf-8") as file:
        return [tuple(line.split()) for line in file if line.strip() and line[0] != "#"]


def any_of(words):
    return "|".join(map(re.escape, words)) or "(?!)"


class Retired:
    """Where a text uses a word that it must not."""

    def __init__(self, words):
        modules = any_of(word for kind, word, _ in words if kind == "module")
        jargon = any_of(word for kind, word, _ in words if kind == "jargon")
        self.instead = {word: other for _, word, other in words}
        self.stem = re.compile(r"(?:test_|check_|sim_)?(?:(%s)(?=_|$)|(?:\w*_)?(%s)(?=_|$))"
                               % (modules, jargon))
        self.tag = re.compile(r"\b(?:struct|enum)\s+(%s)(?![A-Za-z0-9])" % modules)
        self.function = re.compile(r"\b(%s)_\w+\s*\(" % modules)
        self.part = re.compile(r"(?<![A-Za-z0-9])(%s)(?![A-Za-z0-9])" % jargon, flags=re.I)

    def of_name(self, name):
        match = self.stem.match(os.path.splitext(os.path.basename(name))[0])
        return {match.group(1) or match.group(2): 0} if match else {}

    def of_text(self, text, patterns):
        """The words, each with where it comes first."""
        found = {}
        for pattern in patterns:
            for match in pattern.finditer(text):
                found.setdefault(match.group(1).lower(), match.start())
        return found


def check_retired(problems, tree, words):
    retired = Retired(words)
    for name in tree.files:
        found, text = retired.of_name(name), ""
        if name.endswith((".c", ".h")):
            text = without_comments(tree.read(name))
            patterns = [retired.tag, retired.part] + [retired.function] * name.endswith(".h")
            found.update(retired.of_text(text, patterns))
        elif name.endswith(".md"):
            text = tree.read(name)
            found.update(retired.of_text(text, [retired.part]))
        for word, place in sorted(found.items()):
            problems.add(name, text.count("\n", 0, place) + 1,
                         "%s is retired: say %s (tests/style/retired_words.txt)" % (
                             word, retired.instead[word]))


class Problems:
    """Lines of problems, by names from the root."""

    def __init__(self):
        self.lines = []

    def add(self, path, line, text):
        self.lines.append("%s:%d: %s" % (path, line, text))


def check(root, rooms, folders, retired):
    tree, problems = Tree(root), Problems()
    if "ARCHITECTURE.md" not in tree.files:
        problems.add("ARCHITECTURE.md", 1, "it is not there")
        return problems.lines
    words = tree.words()
    for page in tree.pages():
        check_named(problems, tree, page, words)
        check_links(problems, tree, page)
        check_measure(problems, tree, page)
    text = tree.read("ARCHITECTURE.md")
    check_folders(problems, tree, text)
    check_shim(problems, tree, "ARCHITECTURE.md", "### The folders of shim/", folders)
    if "shim/README.md" in tree.files:
        check_shim(problems, tree, "shim/README.md", "## Folders", folders)
    check_rooms(problems, tree, text, rooms)
    check_terms(problems, tree, text)
    check_retired(problems, tree, retired)
    return problems.lines


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    root = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "../.."))
    lines = check(root, ROOMS["scheduler"], ROOMS["shim"] + [SHIM_SCRIPTS], retired_words(DATA))
    for line in lines:
        print(line)
    print("%d problems" % len(lines))
    sys.exit(1 if lines else 0)


if __name__ == "__main__":
    main()
