"""The table of MPI calls (mpi_calls.txt), read, and what mpi.h makes of each."""
import re
import sys

import mpi_header

TREATMENTS = ("controlled", "bracketed", "refused", "passed", "harmless")
ORDERS = {"-": "none", "all": "all", "root_first": "root_first", "root_last": "root_last",
          "lower": "lower", "waits": "waits", "computes": "computes"}


class Argument:
    def __init__(self, text):
        match = re.fullmatch(r"(.*?)(\w+|\.\.\.)((?:\[\w*\])*)", text.strip())
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


class Call:
    def __init__(self, line, number):
        match = re.fullmatch(r"(\w+)\s+(counts|-)\s+(\S+)\s+(\w+) MPI_(\w+)\((.*)\)", line)
        if not match or match.group(1) not in TREATMENTS or match.group(3) not in ORDERS:
            sys.exit(f"mpi_calls.txt:{number}: not a call: {line}")
        self.treatment, counts, order, self.returns, self.name, arguments = match.groups()
        self.counts = counts == "counts"
        self.order = ORDERS[order]
        self.arguments = split_arguments(arguments)
        self.declared = self.arguments

    def parameters(self):
        return ", ".join(a.declaration() for a in self.arguments) or "void"

    def values(self):
        return ", ".join(a.name for a in self.arguments if a.name != "...")

    def exported(self):
        """The program's prototype: the types are mpi.h's, the names the table's."""
        return ", ".join(a.declaration() for a in self.declared) or "void"

    def has(self, argument):
        return any(a.name == argument for a in self.arguments)

    def small(self, calls_by_name):
        """The call with int counts whose MPI_Count variant this is; None: it is no such variant."""
        return calls_by_name[self.name[:-2]] if self.name.endswith("_c") else None

    def wrapped(self):
        return self.treatment in ("controlled", "bracketed", "refused") or self.stays()

    def waits(self):
        return self.order == "waits"

    def stays(self):
        """A rank may never come out of it, and it goes to MPI unseen."""
        return self.order in ("waits", "computes")


def split_arguments(text):
    if text in ("", "void"):
        return []
    return [Argument(part) for part in re.split(r",(?![^(]*\))", text)]


def read_table(path):
    calls = []
    with open(path, encoding="utf-8") as table:
        for number, line in enumerate(table, 1):
            line = line.strip()
            if line and not line.startswith("#"):
                calls.append(Call(line, number))
    calls.sort(key=lambda call: call.name)
    names = [call.name for call in calls]
    doubled = {name for name in names if names.count(name) > 1}
    if doubled:
        sys.exit(f"mpi_calls.txt: more than once: {', '.join(sorted(doubled))}")
    return calls


def installed(calls, path):
    """Those of the calls that the preprocessed mpi.h at `path` has, with its prototypes."""
    prototypes = mpi_header.prototypes(path)
    found = [call for call in calls if call.name in prototypes]
    for call in found:
        returns, arguments = prototypes[call.name]
        theirs = split_arguments(arguments)
        if returns != call.returns or len(theirs) != len(call.arguments):
            sys.exit(f"mpi.h: {returns} MPI_{call.name}({arguments}): mpi_calls.txt has other "
                     "arguments; please correct it there")
        call.declared = [their.named(own.name) for their, own in zip(theirs, call.arguments)]
    return found
