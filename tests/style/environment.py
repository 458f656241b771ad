"""Checks that every environment variable that is read or set is declared in the table of
variables."""

import glob
import os
import re

from source_tree import line_of

TABLE = "scheduler/host/environment.c"
OF_MPI = "scheduler/host/mpi_runtime_*.c"
NAMES = "scheduler/host/environment.h"


def declared(tree, macros):
    """The names in the table; a macro of the header stands for its string."""
    named = []
    for table in [os.path.join(tree.root, TABLE), *glob.glob(os.path.join(tree.root, OF_MPI))]:
        with open(table, encoding="utf-8") as file:
            named += re.findall(r'^\t\{("?\w+"?), ENVIRONMENT_', file.read(), flags=re.M)
    return {macros.get(name, name.strip('"')) for name in named}


def check_environment(tree):
    if not os.path.exists(os.path.join(tree.root, TABLE)):
        return
    with open(os.path.join(tree.root, NAMES), encoding="utf-8") as file:
        macros = dict(re.findall(r'^#define (ENVIRONMENT_\w+) "(\w+)"', file.read(), flags=re.M))
    known = declared(tree, macros)
    for file in tree.of_product():
        for match in re.finditer(r'env\((?:environment, )?("\w+"|ENVIRONMENT_\w+)', file.text):
            name = macros.get(match.group(1), match.group(1).strip('"'))
            if name not in known:
                tree.problem(file.name, line_of(file.text, match.start()),
                             "%s is not declared in %s" % (name, TABLE))
