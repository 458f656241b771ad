"""Checks includes between folders, and between the rooms of a folder."""

import os
import re

from rules import COMMON, INCLUDES, LIBC, ONLY_THESE, ROOMS
from source_tree import line_of

LEVELS = {"%s/%s" % (folder, room): level
          for folder, levels in ROOMS.items()
          for level, rooms in enumerate(levels) for room in rooms}


def allowed(name, rules):
    return any(name == rule or (rule.endswith("/") and name.startswith(rule)) for rule in rules)


def rules_for(file):
    """The rules for a file: those of its folder, of its room, and of the file itself."""
    quoted, angled = set(), set(LIBC)
    for key, rules in INCLUDES.items():
        is_agent = file.name.startswith("ckpt/agent")
        if key == "ckpt/agent" if is_agent else \
                key == file.folder or ("/" in key and file.name.startswith(key)):
            quoted |= rules["quoted"]
            angled |= rules["angled"]
    return quoted, angled


def arrow_allowed(user, used):
    """Whether a file of one room may include a header of another room of the same folder."""
    here, there = os.path.dirname(user), os.path.dirname(used)
    if here not in LEVELS or there not in LEVELS:
        return False
    if (here, there) in ONLY_THESE:
        return used in ONLY_THESE[here, there]
    return here == there or LEVELS[here] < LEVELS[there] or used in COMMON


def problem_of(tree, file, name, is_angled, quoted, angled):
    """The problem with an include. None: no problem."""
    if is_angled:
        return None if allowed(name, angled) else \
            "<%s> is not for %s/ (see ARCHITECTURE.md)" % (name, file.room)
    full = os.path.normpath(os.path.join(file.room, name))
    if os.path.exists(os.path.join(tree.root, full)):
        name = full
    own = name.startswith(file.folder + "/")
    if own and file.folder in ROOMS and not arrow_allowed(file.name, name):
        return '"%s" is no room below this one (see ARCHITECTURE.md)' % name
    if own and file.name.startswith("ckpt/agent") and "agent" not in name:
        return "the agent includes its own headers alone"
    if not own and not allowed(name, quoted):
        return '"%s" is not for %s/ (see ARCHITECTURE.md)' % (name, file.folder)
    return None


def check_declarations(tree):
    """In shim/, no declaration in a .c file stands for an include; but for functions of libc."""
    for file in tree.files:
        if file.folder != "shim" or not file.name.endswith(".c"):
            continue
        for match in re.finditer(r"^extern\b[^;]*;", file.code, flags=re.M):
            if "__libc_" not in match.group(0):
                tree.problem(file.name, line_of(file.code, match.start()),
                             "include the header that declares it")


def check_shim_top(tree):
    """Beside the folders of shim/ lies a README alone."""
    top = os.path.join(tree.root, "shim")
    for name in sorted(os.listdir(top) if os.path.isdir(top) else []):
        if os.path.isfile(os.path.join(top, name)) and name != "README.md":
            tree.problem("shim/" + name, 1, "belongs into a folder of shim/ (see ARCHITECTURE.md)")


def check_includes(tree):
    for file in tree.files:
        if not file.is_c or file.folder == "tests":
            continue
        quoted, angled = rules_for(file)
        for match in re.finditer(r'^#\s*include\s*([<"])([^>"]+)[>"]', file.text, flags=re.M):
            problem = problem_of(tree, file, match.group(2), match.group(1) == "<", quoted, angled)
            if problem:
                tree.problem(file.name, line_of(file.text, match.start()), problem)
