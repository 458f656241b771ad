"""Every module of scheduler/ is in ARCHITECTURE.md, under its room."""

import os
import re

from rules import ROOMS

DOCUMENT = "ARCHITECTURE.md"
TITLE = "The rooms of scheduler/"


def section(text, title):
    """What stands below a title, up to the next one of its level or above; its first line."""
    found = re.search(r"^(#+) %s\n(.*?)(?=^#{1,2} |\Z)" % re.escape(title), text,
                      flags=re.M | re.S)
    return found.group(2) if found else ""


def listed_modules(text):
    """{room: names}: of rows `| room/ | names | text |`, or of lines `room/ names` in a code
    block, which go on in indented lines."""
    listed, room = {}, None
    for line in section(text, TITLE).split("\n"):
        row = re.fullmatch(r"\| *(\w+)/ *\|([^|]*)\|[^|]+\|", line)
        begin = row or re.fullmatch(r"(\w+)/  +(.+)", line)
        if begin:
            room = begin.group(1)
            listed[room] = re.findall(r"\w+\*?", begin.group(2))
        elif room and not row and re.match(r"  +\w", line):
            listed[room] += re.findall(r"\w+\*?", line)
        else:
            room = None
    return listed


def stands_for(name, module):
    """x: x alone; x*: x, and what begins with x_."""
    return module == name.rstrip("*") or (
        name.endswith("*") and module.startswith(name[:-1] + "_"))


def check_modules(tree):
    with open(os.path.join(tree.root, DOCUMENT), encoding="utf-8") as file:
        listed = listed_modules(file.read())
    rooms = {room for level in ROOMS["scheduler"] for room in level}
    for room in sorted(rooms ^ set(listed)):
        tree.problem(DOCUMENT, 1, "scheduler/%s/ is in the list of modules or in rules.py, "
                     "but not in both" % room)
    for room in sorted(rooms & set(listed)):
        folder = "scheduler/" + room
        modules = {os.path.splitext(os.path.basename(file.name))[0]
                   for file in tree.files if file.room == folder}
        for name in listed[room]:
            if not any(stands_for(name, module) for module in modules):
                tree.problem(DOCUMENT, 1, "%s/ has no %s" % (folder, name))
        for module in sorted(modules):
            if not any(stands_for(name, module) for name in listed[room]):
                tree.problem("%s/%s.c" % (folder, module), 1,
                             "not in the list of modules in %s" % DOCUMENT)
