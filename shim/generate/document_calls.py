#!/usr/bin/env python3
"""Writes MPI_CALLS.md, the table for readers, from the table of MPI calls (mpi_calls.txt).

usage: document_calls.py [--check]

--check writes nothing: exit status 1 if MPI_CALLS.md is not up to date.
"""
import os
import sys

import call_collectives
import call_objects
import mpi_table

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, "mpi_calls.txt")
DOCUMENT = os.path.join(HERE, "..", "MPI_CALLS.md")

RECEIVE = "its receive"
# Whom a send waits for, by its mode.
SENDS = {"standard": "its receive, where it is not buffered", "synchronous": RECEIVE,
         "ready": "its receive, where it is not buffered", "buffered": ""}
# What a call waits for that completes requests.
COMPLETES = {"one": "its request", "all": "all its requests", "any": "one of its requests",
             "some": "one of its requests"}
MEMBERS = {"all": "all members", "root_first": "the root; the root for nobody",
           "root_last": "nobody; the root for all members", "lower": "the members of lower rank"}
# Whom these wait for is told by nothing in the table.
OTHERS = {"Finalize": "all ranks", "Win_start": "`MPI_Win_post` of the targets",
          "Win_wait": "`MPI_Win_complete` of the origins"}

INTRODUCTION = """# How each MPI call is treated

<!-- Generated from mpi_calls.txt by document_calls.py: change those. -->

All {total} functions of MPI 3.1 and of those of MPI 4.0 that MPICH 4.0 has. Fortran's bindings,
`PMPI_` names included, are treated as the function of that name in C. `matchpoint check PROGRAM`
tells which of them a program calls.

| treatment | functions | |
| --- | --- | --- |
| controlled | {controlled} | goes on when the scheduler says so |
| answered | {answered} | the shim answers it or keeps books on it; no step of a path |
| bracketed | {bracketed} | the members meet at the scheduler, then MPI carries it out |
| passed | {passed} | goes to MPI unseen, and could matter for what is explored |
| harmless | {harmless} | goes to MPI unseen; only asks or computes within the rank |
| refused | {refused} | ends the exploration with exit status 4, with the call and its place |

Variants with large counts (`_c`) are treated alike and not listed; of those that are controlled, a
count above 2^31-1 ends the exploration with exit status 4. What a nonblocking or persistent call
waits for is waited for where its request is completed. The members of a collective wait for no more
than the data they need, as the standard allows, or for all (`--collectives`). "Wildcard" means that
which message is taken is a choice when there are several.
"""


def treatment_of(call):
    return "answered" if call.treatment == "controlled" and not call.counts else call.treatment


def receives_message(call):
    """Whether it waits until a message is there."""
    return call.has("source") and call.treatment == "controlled" and not call.get("asks")


def message_waits(call):
    """What a send or receive waits for; empty for other calls."""
    if call.has("partitions"):
        return RECEIVE if any("const void" in a.type for a in call.arguments) else "its send"
    if call.get("send") and receives_message(call):
        return f"{RECEIVE} and a message"
    return SENDS[call.get("send")] if call.get("send") else (
        "a message" if receives_message(call) else "")


def waits_of(call):
    if call.name in OTHERS:
        return OTHERS[call.name]
    if call.get("lock") == "takes":
        return "the lock" if call.has("rank") else "the locks"
    if call.get("completes") and not call.get("asks"):
        return COMPLETES[call.get("completes")]
    if call.order in MEMBERS and not call_collectives.is_early(call):
        return MEMBERS["all"]
    return MEMBERS.get(call.order, "") or message_waits(call)


def remarks_of(call):
    remarks = []
    if call.treatment == "refused":
        return ""
    if call.is_persistent():
        remarks.append("persistent")
    elif call.gives_request() and call.treatment in ("controlled", "passed"):
        remarks.append("nonblocking")
    if any(a.name == "source" for a in call.arguments) and call.treatment == "controlled":
        remarks.append("wildcard")
    if call.get("asks"):
        remarks.append("answers at once")
    if call.get("lock") == "takes":
        remarks.append("who is granted an exclusive lock is a choice")
    if call.stays():
        remarks.append("a rank that stays in it is told (`stall`)")
    made = {kind.lower() for _, kind in call_objects.given(call)
            if kind not in ("REQUEST", "MESSAGE")}
    for kind in sorted(made):
        remarks.append(f"{kind} must be {'closed' if kind == 'file' else 'freed'} (`leak`)")
    return "; ".join(remarks)


def rows(calls):
    names = {call.name for call in calls}
    return [call for call in calls
            if not (call.name.endswith("_c") and call.name[:-2] in names)]


def document(calls):
    counts = {treatment: sum(treatment_of(call) == treatment for call in calls)
              for treatment in ("controlled", "answered", "bracketed", "passed", "harmless",
                                "refused")}
    text = [INTRODUCTION.format(total=len(calls), **counts)]
    for title in mpi_table.chapters(calls):
        text.append(f"## {title}\n")
        text.append("| function | treatment | waits for | remarks |\n| --- | --- | --- | --- |")
        text += [f"| `MPI_{call.name}` | {treatment_of(call)} | {waits_of(call)} "
                 f"| {remarks_of(call)} |".replace("|  |", "| |").replace("|  |", "| |")
                 for call in rows(calls) if call.chapter == title]
        text.append("")
    return "\n".join(text)


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    text = document(mpi_table.read_table(TABLE))
    if sys.argv[1:]:
        with open(DOCUMENT, encoding="utf-8") as current:
            if current.read() != text:
                sys.exit("shim/MPI_CALLS.md is not up to date: say shim/generate/document_calls.py")
        return
    with open(DOCUMENT, "w", encoding="utf-8") as output:
        output.write(text)


if __name__ == "__main__":
    main()
