"""Generates the user's table (docs/reference/mpi-calls.md) from the table of MPI calls
(mpi_calls.txt). docs/generate.py writes the file."""

import call_collectives
import call_objects
import mpi_table

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

INTRODUCTION = """All {total} functions of MPI 3.1 and of those of MPI 4.0 that MPICH 4.0 has.
Fortran's bindings, `PMPI_` names included, are treated as the function of that name in C.
`matchpoint check PROGRAM` lists those that a program calls."""

TREATMENTS = {
    "controlled": "goes on when the scheduler says so",
    "answered": "the shim answers it, or notes it; it is no step of a path",
    "bracketed": "the members meet at the scheduler, then MPI carries it out",
    "passed": "goes to MPI unseen, and could matter for what is explored",
    "harmless": "goes to MPI unseen; only asks or computes within the rank",
    "refused": "ends the exploration with exit status 4, with the call and its place",
}

NOTES = """\
Variants with large counts (`_c`) are treated alike and not listed. If such a call is controlled,
a count above 2^31-1 ends the exploration with exit status 4. What a nonblocking or persistent call
waits for, it waits for where its request is completed. The members of a collective wait only for
the data that they need, as the standard allows, or for all members (`--collectives`). "Wildcard"
means that it is a choice which of several messages is taken.
"""


def treatment_of(call):
    return "answered" if call.treatment == "controlled" and not call.counts else call.treatment


def receives_message(call):
    """Whether the call waits until a message has arrived."""
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
    if call.get("access") in ("accumulate", "swap"):
        remarks.append("whose comes next at a word is a choice")
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
    """The introduction, and the lines that follow it."""
    lines = ["| treatment | functions | meaning |", "| --- | --- | --- |"]
    for treatment, meaning in TREATMENTS.items():
        count = sum(treatment_of(call) == treatment for call in calls)
        lines.append(f"| {treatment} | {count} | {meaning} |")
    lines += ["", *NOTES.split("\n")]
    for title in mpi_table.chapters(calls):
        lines += [f"## {title}", "", "| function | treatment | waits for | remarks |",
                  "| --- | --- | --- | --- |"]
        lines += [f"| `MPI_{call.name}` | {treatment_of(call)} | {waits_of(call)} "
                  f"| {remarks_of(call)} |".replace("|  |", "| |").replace("|  |", "| |")
                  for call in rows(calls) if call.chapter == title]
        lines.append("")
    return INTRODUCTION.format(total=len(calls)), lines
