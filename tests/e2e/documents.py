"""The project's documents in Markdown: fenced blocks, links, anchors. Standard library only."""

import os
import re
import urllib.parse

FENCE = re.compile(r"^(```+)\s*([\w+-]*)\s*$")
NOT_RUN = re.compile(r"^<!-- not run: *(.*?) *-->$")


class Block:
    """A fenced block. `first` and `end` are the indices of its first line and of its closing
    fence. `reason` is why its commands are not run (None: they are)."""

    def __init__(self, language, first, end, reason):
        self.language = language
        self.first = first
        self.end = end
        self.reason = reason


class Document:
    """One file. `lines` have no line ends; `name` is relative to the root."""

    def __init__(self, root, name):
        self.name = name
        self.path = os.path.join(root, name)
        with open(self.path, encoding="utf-8") as file:
            self.lines = file.read().split("\n")
        self.blocks = []
        self.prose = []  # the lines outside blocks
        self.read_blocks()

    def read_blocks(self):
        fence, block = None, None
        for index, line in enumerate(self.lines):
            match = FENCE.match(line)
            if fence is None and match:
                above = NOT_RUN.match(self.lines[index - 1]) if index > 0 else None
                block = Block(match.group(2), index + 1, len(self.lines),
                              above.group(1) if above else None)
                self.blocks.append(block)
                fence = match.group(1)
            elif fence is not None and line == fence:
                block.end = index
                fence = None
            elif fence is None:
                self.prose.append(line)

    def anchors(self):
        """The valid `#name`s, as GitHub makes them from headings."""
        found = []
        for line in self.prose:
            match = re.match(r"#{1,6} +(.*?)#* *$", line)
            if not match:
                continue
            text = re.sub(r"!?\[([^]]*)\]\([^)]*\)", r"\1", match.group(1))
            slug = re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")
            count = sum(1 for other in found if re.fullmatch(re.escape(slug) + r"(-\d+)?", other))
            found.append("%s-%d" % (slug, count) if count else slug)
        found += re.findall(r'<a (?:id|name)="([^"]+)"', "\n".join(self.prose))
        return found

    def links(self):
        """Targets of links and pictures, as written."""
        text = re.sub(r"`[^`\n]*`", "", "\n".join(self.prose))
        return (re.findall(r"\]\(<?([^)\s>]+)>?(?: \"[^\"]*\")?\)", text)
                + re.findall(r"^\[[^]]+\]: +(\S+)", text, flags=re.M)
                + re.findall(r'<(?:a|img|source)\b[^>]*?(?:href|src|srcset)="([^"]+)"', text))


def find(root):
    """The names of all documents below a root, except in build and hidden folders."""
    found = []
    for directory, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not re.match(r"\.|build|__pycache__", name))
        found += [os.path.relpath(os.path.join(directory, name), root) for name in files
                  if name.endswith(".md")]
    return sorted(found)


def is_for_users(name):
    """Documents for users, with sessions: README.md and the pages of docs/."""
    return name == "README.md" or os.path.dirname(name) == "docs"


def broken_link(root, document, link, cache):
    """The problem of a link. None: no problem. `cache` keeps documents by path."""
    target, _, anchor = link.partition("#")
    path = document.path
    if target:
        path = os.path.normpath(os.path.join(os.path.dirname(document.path),
                                             urllib.parse.unquote(target)))
        if path != root and not path.startswith(root + os.sep):
            return "leads out of the tree"
        if not os.path.exists(path):
            return "there is no such file"
    if not anchor or not path.endswith(".md"):
        return None
    if path not in cache:
        cache[path] = Document(root, os.path.relpath(path, root)).anchors()
    return None if anchor in cache[path] else "it has no such heading"


def check_links(root, names):
    """The number of relative links in these documents, and the broken ones as lines of text."""
    root = os.path.abspath(root)
    count, broken, cache = 0, [], {}
    for name in names:
        document = Document(root, name)
        for link in document.links():
            if re.match(r"[a-z][a-z0-9+.-]*:", link):
                continue
            count += 1
            why = broken_link(root, document, link, cache)
            if why:
                broken.append("%s: %s: %s" % (name, link, why))
    return count, broken
