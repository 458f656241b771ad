"""Reads and checks the table of MPI calls (mpi_calls.txt), and adds the prototypes of mpi.h."""
import re
import sys

import call_records
import mpi_header
import table_rules

TREATMENTS = ("controlled", "bracketed", "refused", "passed", "harmless")
ORDERS = {"-": "none", "all": "all", "root_first": "root_first", "root_last": "root_last",
          "lower": "lower"}

# The operations that are named by collective=. The last three make or free a handle.
COLLECTIVES = ("barrier", "bcast", "gather", "gatherv", "scatter", "scatterv", "allgather",
               "allgatherv", "alltoall", "alltoallv", "alltoallw", "reduce", "allreduce",
               "reduce_scatter", "reduce_scatter_block", "scan", "exscan", "neighbor_allgather",
               "neighbor_allgatherv", "neighbor_alltoall", "neighbor_alltoallv",
               "neighbor_alltoallw", "create", "allocate", "destroy")

# The kinds of a property: a word by itself; one of several values; names of arguments; C
# expressions of arguments; any word.
WORD, ARGUMENTS, EXPRESSIONS, TEXT = "word", "arguments", "expressions", "text"

# The properties that a call may have. Their meaning is told at the head of mpi_calls.txt.
PROPERTIES = {
    "collective": COLLECTIVES,
    "send": ("standard", "synchronous", "buffered", "ready"),
    "completes": ("one", "all", "any", "some"),
    "starts": WORD,
    "asks": WORD,
    "access": ("put", "get", "accumulate", "swap"),
    "sync": ("flush", "flush_local", "memory"),
    "lock": ("takes", "gives_back"),
    "shows": ("always", "own", "accessed"),
    "settles": WORD,
    "begins_mpi": WORD,
    "ends_mpi": WORD,
    "frees": WORD,
    "makes": ("nothing",),
    "later": ARGUMENTS,
    "predefined": ARGUMENTS,
    "deferrable": WORD,
    "whole": WORD,
    "waits_for_target": WORD,
    "by_hand": WORD,
    "checked": WORD,
    "agree": EXPRESSIONS,
    "agree_on": TEXT,
    "shared_pointer": WORD,
    "waits": WORD,
    "computes": WORD,
    "any_time": WORD,
    "always": WORD,
    "any_thread": WORD,
    "leaves": ("nothing", "known", "memory", "files", "requests"),
    "data": ARGUMENTS,
    "record": ("hand", "refused", "inout"),
    "lengths": EXPRESSIONS,
}

ROW = re.compile(r"(\w+)\s+(\S+)\s+(\S+)\s+(\w+) MPI_(\w+)\((.*)\)")


class Problem(Exception):
    """An error in a line."""


class Argument:
    def __init__(self, text):
        match = re.fullmatch(r"(.*?)(\w+|\.\.\.)((?:\[\w*\])*)", text.strip())
        if not match:
            raise Problem(f"no argument of a prototype: {text.strip()}")
        self.type = match.group(1).strip()
        self.name = match.group(2)
        self.array = match.group(3)

    def named(self, name):
        other = Argument(self.declaration())
        other.name = name
        return other

    def declaration(self):
        space = "" if self.type.endswith("*") else " "
        return f"{self.type}{space}{self.name}{self.array}"


def split_arguments(text):
    if text in ("", "void"):
        return []
    return [Argument(part) for part in re.split(r",(?![^(]*\))", text)]


class Call:
    """A row. `number`: of its line; `declared`: the arguments as in mpi.h."""

    def __init__(self, line, number, chapter):
        match = ROW.fullmatch(line)
        if not match:
            raise Problem("no row of the table: it should have a treatment, counts, order and "
                          f"prototype: {line}")
        self.treatment, counts, order, self.returns, self.name, arguments = match.groups()
        if self.treatment not in TREATMENTS:
            raise Problem(f"MPI_{self.name}: unknown treatment: {self.treatment}")
        if counts not in ("counts", "-"):
            raise Problem(f"MPI_{self.name}: the second column is \"counts\" or \"-\": {counts}")
        if order not in ORDERS:
            raise Problem(f"MPI_{self.name}: unknown order: {order}")
        self.number = number
        self.chapter = chapter
        self.counts = counts == "counts"
        self.order = ORDERS[order]
        self.arguments = split_arguments(arguments)
        self.declared = self.arguments
        self.properties = {}
        self.is_understood = True  # all its properties: else rules do not apply to it

    def add_property(self, text):
        """`text` is a word or NAME=VALUE."""
        name, equals, value = text.partition("=")
        kind = PROPERTIES.get(name)
        if kind is None:
            raise Problem(f"MPI_{self.name}: unknown property: {text}")
        if name in self.properties:
            raise Problem(f"MPI_{self.name}: more than once: {name}")
        if (kind == WORD) == bool(equals) or (equals and not value):
            raise Problem(f"MPI_{self.name}: {name} "
                          f"{'takes no value' if kind == WORD else 'needs a value'}: {text}")
        self.properties[name] = self.value_of(name, kind, value)

    def value_of(self, name, kind, value):
        if kind == WORD:
            return True
        if kind == TEXT:
            return value.replace("_", " ")
        values = value.split(",")
        if kind in (ARGUMENTS, EXPRESSIONS):
            own = {a.name for a in self.arguments}
            for part in values:
                words = {part} if kind == ARGUMENTS else set(re.findall(r"\w+", part))
                if not words & own and (name, value) != ("data", "none"):
                    raise Problem(f"MPI_{self.name}: {name}: no argument of it: {part}")
            return values
        if value not in kind:
            raise Problem(f"MPI_{self.name}: {name} is one of {', '.join(kind)}, not: {value}")
        return value

    def get(self, name):
        """The value of a property, True for a word; None: the call does not have it."""
        assert name in PROPERTIES, name
        return self.properties.get(name)

    def parameters(self):
        return ", ".join(a.declaration() for a in self.arguments) or "void"

    def values(self):
        return ", ".join(a.name for a in self.arguments if a.name != "...")

    def exported(self):
        """The prototype to export: the types are from mpi.h, the names from the table."""
        return ", ".join(a.declaration() for a in self.declared) or "void"

    def has(self, argument):
        return any(a.name == argument for a in self.arguments)

    def takes(self, *types):
        """Whether an argument has one of these types and is no array."""
        return any(a.type in types and not a.array for a in self.arguments)

    def small(self, calls_by_name):
        """The call with int counts as which this variant with large counts can be carried out,
        or None. A function of the program that gets large counts cannot be converted."""
        if not self.name.endswith("_c") or self.takes("MPI_User_function_c *"):
            return None
        return calls_by_name[self.name[:-2]]

    def wrapped(self):
        return self.treatment in ("controlled", "bracketed", "refused") or self.stays()

    def stays(self):
        """Whether the call goes to MPI unseen, and may not return."""
        return bool(self.get("waits") or self.get("computes"))

    def gives_request(self):
        """Whether the call returns a request for an operation that it starts or prepares."""
        return self.takes("MPI_Request *") and self.get("makes") != "nothing"

    def is_persistent(self):
        """Whether the call prepares an operation that can be started repeatedly."""
        return self.gives_request() and self.name.endswith(("_init", "_init_c"))

    def moves_data(self):
        """Whether the call moves data to or from the memory of a window."""
        return all(self.has(name) for name in ("origin_addr", "target_rank", "win"))

    def synchronises(self):
        """Whether it orders such moves and goes to MPI unseen: MPI_Win_flush, MPI_Win_sync."""
        return bool(self.get("waits")) and self.has("win") and not self.moves_data()


def parse(lines):
    """(calls, problems): the rows, sorted by name; the number of each wrong line, and the error."""
    rows, problems, chapter = [], [], None
    for number, line in enumerate(lines, 1):
        text = line.strip()
        try:
            if not text or text.startswith("#"):
                continue
            heading = re.fullmatch(r"\[(.+)\]", text)
            if heading:
                chapter = heading.group(1)
            elif line[0] not in " \t":
                rows.append(None)  # stays so where there is a problem: its properties are nobody's
                if chapter is None:
                    raise Problem(f"a row before the first [chapter]: {text}")
                rows[-1] = Call(text, number, chapter)
            elif not rows:
                raise Problem(f"properties of no call: {text}")
            elif rows[-1]:
                for word in text.split():
                    rows[-1].add_property(word)
        except Problem as problem:
            problems.append((number, str(problem)))
            if rows and rows[-1]:
                rows[-1].is_understood = False
    return gathered([row for row in rows if row], problems)


def gathered(rows, problems):
    """As parse, but without rows that repeat a name, and with violations of the rules as errors."""
    known = {}
    for call in rows:
        other = known.setdefault(call.name, call)
        if other is not call:
            problems.append((call.number, f"MPI_{call.name}: also in line {other.number}"))
    calls = sorted(known.values(), key=lambda call: call.name)
    problems += [(call.number, f"MPI_{call.name}: {text}")
                 for call in calls if call.is_understood
                 for text in table_rules.broken(call, known)]
    wrong = {number for number, _ in problems}
    problems += call_records.problems([call for call in calls
                                       if call.is_understood and call.number not in wrong])
    return calls, sorted(problems)


def read_table(path):
    """The calls, sorted by name. If the table has errors, prints all of them and exits."""
    with open(path, encoding="utf-8") as table:
        calls, problems = parse(table)
    if problems:
        sys.exit("\n".join(f"{path}:{number}: {text}" for number, text in problems))
    return calls


def chapters(calls):
    """The titles of the chapters, in the order of the table."""
    return list(dict.fromkeys(call.chapter for call in sorted(calls, key=lambda c: c.number)))


def installed(calls, path):
    """The calls that the preprocessed mpi.h at `path` has, with its prototypes."""
    prototypes = mpi_header.prototypes(path)
    found = [call for call in calls if call.name in prototypes]
    for call in found:
        returns, arguments = prototypes[call.name]
        theirs = split_arguments(arguments)
        if returns not in (call.returns, "int") or len(theirs) != len(call.arguments):
            sys.exit(f"mpi.h: {returns} MPI_{call.name}({arguments}): mpi_calls.txt has other "
                     "arguments; please correct it there")
        call.declared = [their.named(own.name) for their, own in zip(theirs, call.arguments)]
    return found
