"""Sizes of files and functions, and the number of files that see a header's struct.

check_style.py --report prints them, for judgement. Only outliers fail: a file more than twice as
long as the median file of its room; a struct visible to more than twice as many files as the
median of its room. Medians are small where files are few or short. So no value below a floor is an
outlier, and a room with fewer than FEWEST values has only the floor.

The floors are far above usual sizes and no targets. Divide a file by its subject, when the report
shows that it grows, not because it has reached a limit."""

import os
import re
import statistics

from rules import VALUES

FUNCTION_LINES = 72  # a screen; the one bound that is fixed
FILE_FLOOR = 700     # ten screens
USERS_FLOOR = 20     # files whose authors all know how one module keeps its state
FEWEST = 8


def limit_of(values, floor):
    if len(values) < FEWEST:
        return floor
    return max(floor, int(2 * statistics.median(values)))


def functions(file):
    """(line of the opening brace, lines inside) of each function."""
    begin = None
    for number, line in enumerate(file.lines, 1):
        if line == "{":
            begin = number
        elif line.startswith("}") and begin is not None:
            yield begin, number - begin - 1
            begin = None


def by_room(files):
    rooms = {}
    for file in files:
        rooms.setdefault(file.room, []).append(file)
    return rooms


def length(file):
    return len(file.lines) - 1


def file_limit(files):
    """The limit of a room. Its headers do not count for the median, but have the same limit."""
    return limit_of([length(file) for file in files if file.name.endswith(".c")], FILE_FLOOR)


def check_sizes(tree):
    for files in by_room(filter(lambda file: file.is_c, tree.files)).values():
        limit = file_limit(files)
        for file in files:
            if length(file) > limit:
                tree.problem(file.name, 1, "%d lines, an outlier in its room (limit %d); divide "
                             "the file by subject" % (length(file), limit))
            for line, count in functions(file):
                if count > FUNCTION_LINES:
                    tree.problem(file.name, line, "function of %d lines; divide it (%d at most)" % (
                        count, FUNCTION_LINES))


class Inclusions:
    """Which source files of the product include which headers."""

    def __init__(self, tree):
        self.files = {file.name: file for file in tree.of_product()}
        self.users = {name: set() for name in self.files}
        for file in self.files.values():
            for used in re.findall(r'^#\s*include\s*"([^"]+)"', file.text, flags=re.M):
                beside = os.path.normpath(os.path.join(file.room, used))
                self.users.setdefault(beside if beside in self.files else used,
                                      set()).add(file.name)

    def headers(self):
        return [file for name, file in self.files.items() if name.endswith(".h")]

    def sources_of(self, header):
        """The .c files that see a header's contents; those of x_internal.h also through another
        header."""
        seen = set(self.users[header])
        new = seen if header.endswith("_internal.h") else set()
        while new:
            new = set().union(*(self.users[user] for user in new)) - seen
            seen |= new
        return {user for user in seen if user.endswith(".c")}


def opens_state(file):
    """Whether a header defines a struct with a module's own state."""
    return file.name not in VALUES and re.search(r"^struct \w+ \{", file.text, flags=re.M)


def check_openness(tree):
    inclusions = Inclusions(tree)
    for files in by_room(filter(opens_state, inclusions.headers())).values():
        users = {file.name: len(inclusions.sources_of(file.name)) for file in files}
        limit = limit_of(list(users.values()), USERS_FLOOR)
        for name, count in users.items():
            if count > limit:
                tree.problem(name, 1, "opens a struct to %d files, an outlier in its room (limit "
                             "%d); hide it behind functions" % (count, limit))


def report_sizes(tree):
    print("%-24s %5s %7s %7s %6s  %-40s %s" % ("room", "files", "lines", "median", "limit",
                                               "longest file", "longest function"))
    for room, files in sorted(by_room(filter(lambda file: file.is_c, tree.files)).items()):
        sources = [length(file) for file in files if file.name.endswith(".c")] or [0]
        largest = max(files, key=length)
        longest = max(((count, "%s:%d" % (os.path.basename(file.name), line))
                       for file in files for line, count in functions(file)), default=(0, ""))
        print("%-24s %5d %7d %7d %6d  %-40s %d %s" % (
            room, len(files), sum(map(length, files)), statistics.median(sources),
            file_limit(files), "%d %s" % (length(largest), os.path.basename(largest.name)),
            *longest))


def report_fan_in(tree):
    """For each room: its headers, with the number of source files of the product that include
    them."""
    inclusions = Inclusions(tree)
    print("\nheaders by the source files that see them (*: opens a struct that is no value)")
    for room, files in sorted(by_room(inclusions.headers()).items()):
        counts = sorted(((len(inclusions.sources_of(file.name)), file) for file in files),
                        key=lambda pair: -pair[0])
        print("%-24s median %d: %s" % (room, statistics.median(count for count, _ in counts),
                                       ", ".join("%s%s %d" % (os.path.basename(file.name),
                                                              "*" if opens_state(file) else "",
                                                              count)
                                                 for count, file in counts[:6])))


def report(tree):
    report_sizes(tree)
    report_fan_in(tree)
